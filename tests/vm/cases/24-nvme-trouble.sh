# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an NVMe disk that is stuck, reset, asleep, or gone: data is right, or an error; nothing hangs
# often: debug
# memory: 2G
# timeout: 600
# together: nvme
# disk: slow 256M
# disk: pulled 256M
# qemu: -drive file=%slow%,if=none,id=slow,format=raw,cache=unsafe
# qemu: -drive file=%pulled%,if=none,id=pulled,format=raw,cache=unsafe
# qemu: -device nvme,id=slow,serial=slow,drive=slow,addr=12
# qemu: -device nvme,serial=pulled,drive=pulled,addr=13
# append: iomem=relaxed

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

slow=$(at 12) pulled=$(at 13)
said() {
	dmesg | grep -qF "$1"
}
resets() {
	dmesg | grep -c "$slow: Reset" || true
}

need "the driver loads" load_driver nvme_timeout=2
use_card "$slow" "before the trouble"

# ---- it takes longer than it may ----

fio --name=stuck --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw \
	--bs=4k --offset=16M --size=8M --verify=crc32c --do_verify=1 --time_based --runtime=15 \
	>/tmp/stuck 2>&1 &
job=$!
need "it is written to" under_load "$card"
# So few bytes a second that the smallest command takes longer than it may.
machine block_set_io_throttle slow 500 0 0 0 0 0
try "a command that takes too long is aborted" wait_for 60 said "takes longer than 2 s"
try "and then the card is reset" wait_for 60 eval '[ "$(resets)" -ge 1 ]'
machine block_set_io_throttle slow 0 0 0 0 0 0
try "no request failed, no byte is wrong" wait "$job"
note "resets: $(resets)"
is "the card is attached" "$(state_of "$card")" attached
is "the audit finds nothing" "$(audit_of "$card")" 0

# ---- somebody resets its function, under load ----

if [ -w "$pci/devices/$slow/reset" ]; then
	fio --name=reset --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c \
		--do_verify=1 >/tmp/reset 2>&1 &
	job=$!
	need "it is written to" under_load "$card"
	try "its function is reset under load" eval 'echo 1 >"$pci/devices/$slow/reset"'
	try "no request failed, no byte is wrong" wait "$job"
else
	skip "its function is reset under load" "it cannot be reset"
fi
is "the card is attached" "$(state_of "$card")" attached

# ---- it fails, under load ----

# Disabled, and enabled with pages of a size that it does not have: it says that it has
# failed (CSTS.CFS), and has forgotten its queues and what was under way.
before=$(resets)
reset_again() {
	[ "$(resets)" -gt "$before" ]
}
fio --name=fails --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite \
	--bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c --do_verify=1 >/tmp/fails 2>&1 &
job=$!
need "it is written to" under_load "$card"
need "it is made to fail" poke "$slow" 1 0x14 0 0x14 0x00460781
try "it says so" wait_for 60 said "$slow: It says that it has failed"
try "it is reset" wait_for 60 reset_again
try "no request failed, no byte is wrong" wait "$job"
is "the card is attached" "$(state_of "$card")" attached
is "the audit finds nothing" "$(audit_of "$card")" 0

# ---- a flood of events ----

# A doorbell is rung with a number that its ring has not, and one of no queue: it tells
# of each, and the ring stays as it was.
told() {
	dmesg | grep -c "$slow: It tells of an event" || true
}
fio --name=flood --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite \
	--bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c --do_verify=1 >/tmp/flood 2>&1 &
job=$!
need "it is written to" under_load "$card"
while kill -0 "$job" 2>/dev/null; do
	poke "$slow" 1000 0x1008 0xffff 0x1ff0 1 || break
done
try "a flood of events: no request failed, no byte is wrong" wait "$job"
try "the log tells of it" wait_for 30 eval '[ "$(told)" -ge 1 ]'
try "but not of each" eval '[ "$(told)" -le 5 ]'
note "told: $(told)"
is "the card is attached" "$(state_of "$card")" attached

# ---- processors go and come, under load ----

if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	fio --name=cpus --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c \
		--do_verify=1 >/tmp/cpus 2>&1 &
	job=$!
	need "it is written to" under_load "$card"
	for _ in 1 2 3; do
		sleep 0.5
		echo 0 >/sys/devices/system/cpu/cpu1/online
		sleep 0.5
		echo 1 >/sys/devices/system/cpu/cpu1/online
	done
	try "a processor goes and comes: no request failed, no byte is wrong" wait "$job"
else
	skip "a processor goes and comes" "this kernel cannot do without one"
fi

# ---- it warns ----

# The watch asks every ten seconds, and at once when an event says so, which names the
# log that it is in (2).
heard() {
	dmesg | sed -n "s/^\[ *\([0-9.]*\)\].*$slow: \(event 0002..01\|$1\)$/\1 \2/p" |
		awk '/event/ { at = $1 } !/event/ { found = at && $1 - at < 1 } END { exit !found }'
}
echo 'file nvme_event.c +p' >/sys/kernel/debug/dynamic_debug/control
for warning in "2:its temperature is out of bounds" "6:it is not reliable any more"; do
	machine qom-set /machine/peripheral/slow smart_critical_warning "${warning%%:*}"
	try "a warning is in the log" wait_for 60 said "It warns: ${warning#*:}"
	try "at once, for the card has told that there is one" heard "It warns: ${warning#*:}"
done
machine qom-set /machine/peripheral/slow smart_critical_warning 0
try "and when it is over, too" wait_for 60 said "It warns no more: its temperature"

# ---- it goes to sleep, under load ----

fio --name=sleep --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite \
	--bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c --do_verify=1 >/tmp/sleep 2>&1 &
job=$!
need "it is written to" under_load "$card"
if [ -w /sys/power/pm_test ] && grep -q devices /sys/power/pm_test; then
	echo devices >/sys/power/pm_test
	try "the machine sleeps and wakes up" eval 'echo freeze >/sys/power/state'
	echo none >/sys/power/pm_test
else
	skip "the machine sleeps and wakes up" "this kernel cannot pretend to"
fi
try "no request failed, no byte is wrong" wait "$job"
is "the card is attached" "$(state_of "$card")" attached

# ---- it does not answer any more ----

first=$card
use_card "$pulled" "another card"
dying=$card
fio --name=dies --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite \
	--bs=4k --size=16M --time_based --runtime=300 >/tmp/dies 2>&1 &
job=$!
need "it is written to" under_load "$card"
# The window of its registers is closed, and it is no master any more. (QEMU reads
# zeros there, a real bus all ones.)
printf '\0\0' | dd of="$pci/devices/$pulled/config" bs=1 seek=4 conv=notrunc status=none
ends_with_error() {
	wait_for 60 eval "! kill -0 $job" && ! wait "$job"
}
try "I/O ends with an error, fio with it" ends_with_error
try "the card is in error" wait_for 30 is_state "$dying" error
try "the log says why" said "Given up: "
is "the other one goes on" "$(state_of "$first")" attached
need "the dead one is taken back" take "$pulled"
need "and given again" give "$pulled"
card_of "$pulled"
try "it is attached by itself" wait_for 30 is_state "$card" attached
is "the audit finds nothing" "$(audit_of "$card")" 0

# ---- it goes while its disk is open ----

exec 7<>"/dev/$(cat "/sys/class/openvsl/$first/disk")"
need "the first is taken back while its disk is open" take "$slow"
is "nothing can be read from it" "$(dd bs=4k count=1 iflag=direct <&7 2>/dev/null | wc -c)" 0
exec 7<&-
need "it is given again" give "$slow"
card_of "$slow"
try "it is attached by itself" wait_for 30 is_state "$card" attached
is "the audit finds nothing" "$(audit_of "$card")" 0
try "the module goes" rmmod openvsl
done_testing
