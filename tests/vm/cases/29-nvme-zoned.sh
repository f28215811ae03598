# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: zoned namespaces as cards: verified, a file system, reset under load, crashed and recovered
# often: 6.1
# memory: 2G
# timeout: 1400
# together: nvme
# disk: zoned-a 1G
# disk: zoned-b 1G
# disk: zoned-c 64M
# qemu: -drive file=%zoned-a%,if=none,id=zoned-a,format=raw,cache=unsafe
# qemu: -drive file=%zoned-b%,if=none,id=zoned-b,format=raw,cache=unsafe
# qemu: -drive file=%zoned-c%,if=none,id=zoned-c,format=raw,cache=unsafe
# qemu: -device nvme,id=zoned1,serial=one,addr=18
# qemu: -device nvme-ns,bus=zoned1,drive=zoned-a,nsid=1,logical_block_size=512,zoned=on,zoned.zone_size=2M,zoned.zone_capacity=1536K,zoned.max_open=16,zoned.max_active=32
# qemu: -device nvme,id=zoned2,serial=two,addr=19
# qemu: -device nvme-ns,bus=zoned2,drive=zoned-b,nsid=1,logical_block_size=4096,physical_block_size=4096,ms=16,mset=0,zoned=on,zoned.zone_size=2M,zoned.zone_capacity=1500K,zoned.max_open=10,zoned.max_active=10
# qemu: -device nvme-ns,bus=zoned2,drive=zoned-c,nsid=2,zoned=on,zoned.zone_size=1M,zoned.max_open=5,zoned.max_active=5

# QEMU keeps the state of zones in memory only: the guest is not started again, but
# the card's registers vanish under load, and then the card is bound again.

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

one=$(at 18) two=$(at 19)
said() {
	dmesg | grep -qF "$1"
}
resets() {
	dmesg | grep -c "$one: Reset" || true
}

# write_until_end: small writes, each synced before it is noted; ends with the disk.
write_until_end() {
	local i=0

	while printf '%4096d' "$i" |
		dd of="$disk" bs=4k count=1 seek=$((2048 + i)) oflag=direct conv=fsync,notrunc iflag=fullblock status=none; do
		echo "$i" >>/tmp/noted
		i=$((i + 1))
	done 2>/dev/null
}

# wrong_ones: of the noted writes those that are not there.
wrong_ones() {
	local i

	while read -r i; do
		printf '%4096d' "$i" |
			cmp -s - <(dd if="$disk" bs=4k count=1 skip=$((2048 + i)) iflag=direct status=none) ||
			echo "$i"
	done </tmp/noted | wc -l
}

# vanish: the window of its registers is closed, all reads are ones.
vanish() {
	printf '\0\0' | dd of="$pci/devices/$one/config" bs=1 seek=4 conv=notrunc status=none
	wait_for 60 is_state "$card" error
}

# crash N: it vanishes while it is written to, and is given again.
crash() {
	local job

	: >/tmp/noted
	write_until_end &
	job=$!
	fio --name=load --filename="$disk" --direct=1 --ioengine=libaio --iodepth=16 --rw=randwrite \
		--bs=4k --offset=32M --size=32M --time_based --runtime=300 >/tmp/load 2>&1 &
	need "crash $1: something is written" wait_for 120 eval '[ "$(wc -l </tmp/noted)" -ge 20 ]'
	try "crash $1: it vanishes under load" vanish
	wait
	need "crash $1: it is taken back" take "$one"
	need "crash $1: it is given again" give "$one"
	need "crash $1: it is a card" card_of "$one"
	need "crash $1: it was attached by itself" wait_for 60 is_state "$card" attached
	disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
	note "$(wc -l </tmp/noted) synced writes"
	is "crash $1: each of them is there" "$(wrong_ones)" 0
	is "crash $1: the audit finds nothing" "$(audit_of "$card")" 0
	try "crash $1: what was written before is still right" verified kept --rw=write --bs=64k \
		--offset=128M --size="$(sized 8M 4M)" --verify=crc32c --verify_only
}

need "the driver loads" load_driver nvme_timeout=2

# ---- blocks of 4096 bytes with metadata, zones whose end is left over ----

use_card "$two" "4096"
try "a namespace of five active zones is refused" said "fewer than six of its zones may be active"
is "and is no card" "$(cards_of "$two" | wc -l)" 1
try "two jobs at once, with trims" fio --filename="$disk" --direct=1 --ioengine=libaio \
	--iodepth=16 --rw=randtrimwrite --bs=4k --offset=64M --size="$(sized 8M 2M)" --name=one --name=two
try "4 MiB sequential write, read back" verified sequence --rw=write --bs=4m --iodepth=8 \
	--offset=256M --size="$(sized 64M 16M)" --verify=crc32c --verify_interval=64k --do_verify=1
is "the audit finds nothing" "$(audit_of "$card")" 0
try "formatted again" eval 'openvsl detach -q "/dev/$card" && openvsl format -qy "/dev/$card" && attach_card "$card"'
need "taken back" take "$two"

# ---- blocks of 512 bytes ----

use_card "$one" "512"
try "4 KiB random write, depth 64, read back" verified random --rw=randwrite --bs=4k \
	--iodepth=64 --size="$(sized 32M 8M)" --verify=crc32c --do_verify=1
try "mkfs" mkfs.ext4 -qF "$disk"
try "mount" mount "$disk" /mnt
try "files are copied" cp -a /vsl/bin /mnt/copy
try "unmount" umount /mnt
try "detached and attached" eval 'openvsl detach -q "/dev/$card" && attach_card "$card"'
try "the file system is clean" fsck.ext4 -fn "$disk"
try "mount" mount -o ro "$disk" /mnt
try "the files are the same" diff -r /vsl/bin /mnt/copy
try "unmount" umount /mnt
try "something that stays" verified kept --rw=write --bs=64k --offset=128M \
	--size="$(sized 8M 4M)" --verify=crc32c --do_verify=1

# ---- a program that is not seen to end ----

fio --name=stuck --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randrw \
	--bs=4k --offset=16M --size=8M --verify=crc32c --do_verify=1 --time_based --runtime=15 \
	>/tmp/stuck 2>&1 &
job=$!
need "it is written to" under_load "$card"
machine block_set_io_throttle zoned-a 4096 0 0 0 0 0
try "the card is reset under load" wait_for 60 eval '[ "$(resets)" -ge 1 ]'
machine block_set_io_throttle zoned-a 0 0 0 0 0 0
try "no request failed, no byte is wrong" wait "$job"
note "resets: $(resets)"
is "the card is attached" "$(state_of "$card")" attached
is "the audit finds nothing" "$(audit_of "$card")" 0
if [ -w "$pci/devices/$one/reset" ]; then
	fio --name=reset --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --offset=16M --size="$(sized 16M 4M)" --verify=crc32c \
		--do_verify=1 >/tmp/reset 2>&1 &
	job=$!
	need "it is written to" under_load "$card"
	try "its function is reset under load" eval 'echo 1 >"$pci/devices/$one/reset"'
	try "no request failed, no byte is wrong" wait "$job"
else
	skip "its function is reset under load" "it cannot be reset"
fi

# ---- crashes: more than its active zones could bear, were they not finished ----

for round in 1 2 3; do
	crash "$round"
done
try "no zone is said to be bad" eval '! dmesg | grep -q "to be retired\|is not used"'
try "the card never had to refuse" eval '! dmesg | grep -q "status 01b[de]"'
try "the module goes" rmmod openvsl
done_testing
