# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: cards die under load, are revived, destroyed; the others go on; nothing hangs or leaks
# memory: 1G
# timeout: 480

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# load_on DISK LOG: fio in many shapes until the disk fails; its id is in $!. The
# kernel gives a dead disk the size 0: reads end as at an end of file then, which
# only fio's synchronous engines take for an error.
load_on() {
	fio --filename="$1" --direct=1 --ioengine=libaio --iodepth=32 --time_based --runtime=300 \
		--group_reporting --size=16M \
		--name=write --rw=randwrite --bs=4k --numjobs=2 \
		--name=read --rw=randread --bs=4k --ioengine=psync --numjobs=2 \
		--name=large --rw=write --bs=512k --iodepth=4 \
		--name=trim --rw=randtrim --bs=4k --iodepth=4 \
		--name=sync --rw=randwrite --bs=4k --fsync=8 >"$2" 2>&1 &
}

# What fio hangs in, for who has to find out.
where_it_hangs() {
	local process

	for process in $(pgrep fio); do
		echo "$process: $(cat "/proc/$process/wchan" "/proc/$process/syscall")"
		cat "/proc/$process/stack"
	done
	return 1
}

# die_under_load CARD DISK: power goes while fio runs; fio has to end by itself.
die_under_load() {
	local job

	load_on "$2" "/tmp/fio.$1"
	job=$!
	under_load "$1" || return
	sleep "0.$((RANDOM % 10))"
	openvsl sim cut "/dev/$1" || return
	wait_for 60 eval "! kill -0 $job" || where_it_hangs || return
	! wait "$job"
}

revive() {
	wait_for 60 openvsl sim power "/dev/$1" && attach_card "$1"
}

need "the driver loads" load_driver
need "a card is ready" ready_card 4096 --size 24M --preset raw

for i in $(seq "$(sized 4 2)"); do
	try "death $i: I/O ends with an error, fio with it" die_under_load "$card" "$disk"
	is "death $i: the card is in error" "$(state_of "$card")" error
	answer 5 "no power" openvsl attach "/dev/$card"
	try "death $i: power on, attach" revive "$card"
	is "death $i: the audit finds nothing" "$(audit_of "$card")" 0
done

# ---- the dead disk is still open ----

exec 7<>"$disk"
openvsl sim cut "/dev/$card"
answer 5 "still open" openvsl sim power "/dev/$card"
is "nothing can be read from it" \
	"$(dd if="$disk" bs=4k count=1 iflag=direct 2>/dev/null | wc -c)" 0
refuse "rmmod is refused" rmmod openvsl
answer 5 "busy" openvsl sim destroy "/dev/$card"
exec 7<&-
try "after the last close power comes back" revive "$card"
openvsl sim cut "/dev/$card"
try "a card without power can be destroyed" openvsl sim destroy "/dev/$card"
try "its nodes are gone" wait_for 30 eval "[ ! -e /dev/$card ] && [ ! -e $disk ]"

# ---- three at once: one dies, two go on ----

disks=()
cards=()
for i in 1 2 3; do
	need "card $i of three" ready_card 4096 --size 24M --preset raw --seed "$i"
	cards+=("$card")
	disks+=("$disk")
done
go_on() {
	fio --name=on --filename="$1" --direct=1 --ioengine=libaio --iodepth=16 --rw=randwrite \
		--bs=4k --size=12M --loops=2 --verify=crc32c --do_verify=1 >"/tmp/on.$2" 2>&1
}
go_on "${disks[0]}" 0 &
first=$!
go_on "${disks[2]}" 2 &
third=$!
try "the second dies under load" die_under_load "${cards[1]}" "${disks[1]}"
try "the first went on, and all it wrote is right" wait "$first"
try "so did the third" wait "$third"
is "the first is attached" "$(state_of "${cards[0]}")" attached
is "the second is in error" "$(state_of "${cards[1]}")" error
try "the second is destroyed" openvsl sim destroy "/dev/${cards[1]}"
need "its number is used again" make_card --size 24M
is "by the new card" "$card" "${cards[1]}"
is "three cards" "$(openvsl status --count)" 3

# ---- the module goes with cards attached ----

refuse "not while a disk is open" eval 'rmmod openvsl 7<"${disks[0]}"'
is "the first is still attached" "$(state_of "${cards[0]}")" attached
try "but when none is" rmmod openvsl
try "and nothing is left" eval '[ ! -e /dev/fct0 ] && [ ! -e "${disks[0]}" ]'
done_testing
