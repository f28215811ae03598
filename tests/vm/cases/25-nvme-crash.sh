# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the machine loses power while an NVMe disk is written to, is started again in order, and by kexec
# often: 6.1
# memory: 1G
# timeout: 480
# boots: 3
# kexec: yes
# disk: a 256M
# qemu: -drive file=%a%,if=none,id=a,format=raw,cache=writeback
# qemu: -device nvme,serial=crash,drive=a,addr=8

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

address=$(at 08)
synced() {
	verified synced --rw=randwrite --bs=4k --iodepth=16 --size="$(sized 16M 4M)" \
		--verify=crc32c "$@"
}
need "boot $BOOT: the driver loads" load_driver auto_attach=$((BOOT < 3))
need "boot $BOOT: the card is given" give "$address"
need "boot $BOOT: it is a card" card_of "$address"
case $BOOT in
1)
	need "it is formatted" openvsl format -qy "/dev/$card"
	need "it is attached" attach_card "$card"
	try "something is written and synced" synced --end_fsync=1 --do_verify=0
	fio --name=load --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --fsync=64 --offset=32M --size=64M --time_based \
		--runtime=300 >/tmp/load 2>&1 &
	need "it is written to" under_load "$card"
	try "the load runs" kill -0 $!
	done_testing
	power_cut
	;;
2)
	try "it is attached by itself" wait_for 30 is_state "$card" attached
	disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
	is "the audit finds nothing" "$(audit_of "$card")" 0
	try "what was synced is right" synced --verify_only
	try "it can be written again" synced --do_verify=1
	done_testing
	# Nobody has the disk open: then it is to be left clean.
	restart
	;;
esac

# clean HOW [FIO OPTION...]: it was left so, and all that was written is there.
clean() {
	is "after $1 it is detached" "$(state_of "$card")" detached
	try "and was left clean" attach_card "$card" --clean
	try "what was written is right" synced "${@:2}" --verify_only
}
case $BOOT in
3)
	clean "a restart"
	if [ -s /vsl/kernel ]; then
		try "it can be written again" synced --randseed=8 --do_verify=0
		done_testing
		restart_by_kexec
		bail "no other kernel followed"
	fi
	skip "another kernel follows" "the image of this one was not kept"
	;;
4)
	# What was written last was not synced: the shutdown does that.
	clean kexec --randseed=8
	fio --name=load --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --offset=32M --size=64M --time_based \
		--runtime=300 >/tmp/load 2>&1 &
	need "it is written to" under_load "$card"
	done_testing
	restart_by_kexec
	bail "no other kernel followed"
	;;
5)
	# It was in use until the end: as after a cut of power.
	is "after kexec under load it is detached" "$(state_of "$card")" detached
	try "it is attached" attach_card "$card"
	is "the audit finds nothing" "$(audit_of "$card")" 0
	try "what was synced is right" synced --randseed=8 --verify_only
	;;
esac
try "the module goes" rmmod openvsl
done_testing
