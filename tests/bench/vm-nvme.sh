# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: two equal NVMe disks, one ours, one the stock driver's: the first users' jobs in pairs
# memory: 2G
# timeout: 3600
# modules: nvme crc32c-intel
# disk: ours 1G
# disk: stock 1G
# qemu: -drive file=%ours%,if=none,id=ours,format=raw,cache=unsafe
# qemu: -device nvme,serial=ours,drive=ours,addr=8,logical_block_size=4096,physical_block_size=4096
# qemu: -drive file=%stock%,if=none,id=stock,format=raw,cache=unsafe
# qemu: -device nvme,serial=stock,drive=stock,addr=9,logical_block_size=4096,physical_block_size=4096
#
# Emulated processors share a machine with all else that it does, so one figure means
# nothing: each job runs in pairs, ours and theirs in turns, and what is told is the
# median of the pairs' ratios and between what the middle half of them lies. Lines
# "PAIR|..." are for tests/bench/vm.
#
# The checksum is the processor's, as wherever udev loads modules by what the machine
# has. What is read in order was written in order: behind what is written at random.

# shellcheck source-path=SCRIPTDIR source=../vm/guest/nvme.sh
. /vsl/guest/nvme.sh

pairs=11

# busy: what all processors have worked since the boot, in hundredths of a second.
busy() {
	awk '$1 == "cpu" { print $2 + $3 + $4 + $6 + $7 + $8 }' /proc/stat
}

# run DEVICE FIO OPTION...: "requests a second, processor microseconds for each".
run() {
	local device=$1 before after
	shift

	before=$(busy)
	fio --name=job --filename="$device" --ioengine=libaio --direct=1 --size=128M \
		--time_based --runtime=1 --group_reporting --randseed=7 --output-format=json \
		"$@" >/tmp/job || return
	after=$(busy)
	jq -r --argjson busy "$((after - before))" \
		'.jobs[0] | [.read, .write] | [(map(.iops) | add), ($busy * 10000 / (map(.total_ios) | add))] |
		join(" ")' /tmp/job
}

# job NAME FIO OPTION...
job() {
	local name=$1 i
	shift

	for i in $(seq "$pairs"); do
		if [ $((i % 2)) = 1 ]; then
			printf '%s %s\n' "$(run "$disk" "$@")" "$(run "$stock" "$@")"
		else
			run "$stock" "$@" >/tmp/theirs
			printf '%s %s\n' "$(run "$disk" "$@")" "$(cat /tmp/theirs)"
		fi
	done >/tmp/pairs
	is "$name: all runs have a result" "$(awk 'NF == 4 && $1 * $2 * $3 * $4 > 0' /tmp/pairs | wc -l)" "$pairs"
	sed "s/ /|/g; s/^/# PAIR|$name|/" /tmp/pairs
}

need "CRC32C in hardware" modprobe crc32c-intel
need "the driver loads" load_driver
need "one disk is given to it" give "$(at 08)"
need "it is a card" card_of "$(at 08)"
need "formatted" openvsl format -qy -b 4096 "/dev/$card"
need "attached" attach_card "$card"
need "the stock driver loads" modprobe nvme
# Its disk is then in $stock.
stock_has_one() {
	stock=$(echo "$pci/devices/$(at 09)"/nvme/nvme*/nvme*n1)
	stock=/dev/${stock##*/}
	[ -b "$stock" ]
}
need "it has the other one" wait_for 30 stock_has_one
for device in "$disk" "$stock"; do
	need "$device is written" fio --name=fill --filename="$device" --direct=1 --rw=write --bs=1m \
		--ioengine=libaio --iodepth=4 --size=256M
done
# Every block that is written gets a checksum, which is dear where it is emulated.
note "CHECKSUM|$(fio --crctest=crc32c | awk '$1 == "crc32c:" { print $2 }')"
job "4 KiB random read, QD 64" --rw=randread --bs=4k --iodepth=64
job "4 KiB random write, QD 64" --rw=randwrite --bs=4k --iodepth=64
job "4 MiB read, QD 64" --rw=read --offset=128M --bs=4m --iodepth=64
job "4 MiB write, QD 64" --rw=write --offset=128M --bs=4m --iodepth=64
job "1 MiB read, QD 16" --rw=read --offset=128M --bs=1m --iodepth=16
job "1 MiB write, QD 16" --rw=write --offset=128M --bs=1m --iodepth=16
job "4 KiB random write, 2 jobs" --rw=randwrite --bs=4k --iodepth=16 --numjobs=2
job "4 KiB random read, QD 16, 4 jobs" --rw=randread --bs=4k --iodepth=16 --numjobs=4
job "32 KiB write in order" --rw=write --offset=128M --bs=32k --iodepth=8
try "the module goes" rmmod openvsl
rmmod nvme
done_testing
