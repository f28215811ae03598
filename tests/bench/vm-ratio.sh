# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the module against null_blk and brd, all in memory: instructions a request
# kernels: 6.1 7
# memory: 2G
# cpus: 1
# timeout: 900
# modules: null_blk brd crc32c-intel
# qemu: -icount shift=1,align=off,sleep=off
#
# To be run with OPENVSL_ACCEL=tcg,thread=single, see tests/bench/vm: the guest's
# clock then counts its instructions (two nanoseconds each), so requests a
# second are the same in every run, whatever else the machine does; they compare
# how long the paths are, not how fast a machine is. Nothing here waits for
# anything outside the guest. Lines "FIGURE|..." are for tests/bench/vm.
#
# The checksum is the processor's, as wherever udev loads modules by what the
# machine has.

# shellcheck source-path=SCRIPTDIR source=../vm/guest/card.sh
. /vsl/guest/card.sh

size=96M
requests=20000

# rate DEVICE RW: requests a second.
rate() {
	fio --name=rate --filename="$1" --ioengine=libaio --direct=1 --iodepth=64 --bs=4k \
		--rw="$2" --size="$size" --number_ios="$requests" --norandommap \
		--randseed=7 --output-format=json |
		jq -r "[.jobs[0].read.iops, .jobs[0].write.iops] | max | floor"
}

# prepare DEVICE: all of it written, so that all have memory behind it.
prepare() {
	dd if=/dev/zero of="$1" bs=1M count=96 oflag=direct status=none
}

# compare RW: what the others do, what we do.
compare() {
	local null brd ours

	null=$(rate /dev/nullb0 "$1")
	brd=$(rate /dev/ram0 "$1")
	ours=$(rate "$disk" "$1")
	printf '# FIGURE|%s|%s|%s|%s\n' "$1" "$ours" "$null" "$brd"
	is "4 KiB $1: all three answer" "$((ours > 0 && null > 0 && brd > 0))" 1
}

need "null_blk loads" modprobe null_blk nr_devices=1 gb=1 memory_backed=1 queue_mode=2 \
	irqmode=0 submit_queues=1 hw_queue_depth=128
need "brd loads" modprobe brd rd_nr=1 rd_size=131072
need "CRC32C in hardware" modprobe crc32c-intel
need "the driver loads" load_driver
need "a card that answers at once" ready_card 512 --preset raw --size 256M
for device in /dev/nullb0 /dev/ram0 "$disk"; do
	need "$device is written" prepare "$device"
done
compare randread
compare randwrite
plan "$tap_count"
