# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what the first users run, on three NVMe disks together; xfs and btrfs; attached side by side
# kernels: 6.1 7
# often: 6.1
# memory: 2G
# timeout: 900
# together: nvme
# modules: xfs btrfs
# disk: jobs-one 512M
# disk: jobs-two 512M
# disk: jobs-three 512M
# qemu: -blockdev driver=file,node-name=jobs-one,filename=%jobs-one%
# qemu: -blockdev driver=file,node-name=jobs-two,filename=%jobs-two%
# qemu: -blockdev driver=file,node-name=jobs-three,filename=%jobs-three%
# qemu: -device nvme,id=jobs-one,serial=jobs-one,drive=jobs-one,addr=0c
# qemu: -device nvme,serial=jobs-two,drive=jobs-two,addr=0d,logical_block_size=4096,physical_block_size=4096
# qemu: -device nvme,serial=jobs-three,drive=jobs-three,addr=0e

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

cards=()
disks=()
# ready SLOT [FORMAT OPTION...]
ready() {
	local address
	address=$(at "$1")
	shift

	give "$address" && card_of "$address" && openvsl format -qy "$@" "/dev/$card" &&
		attach_card "$card" && cards+=("$card") && disks+=("$disk")
}

# each NAME OPTION...: the same job on all three at once; wrong bytes fail it.
each() {
	local name=$1 job jobs=() failed=0
	shift

	for disk in "${disks[@]}"; do
		verified "$name" "$@" >"/tmp/each.${disk##*/}" 2>&1 &
		jobs+=($!)
	done
	for job in "${jobs[@]}"; do
		wait "$job" || failed=1
	done
	[ "$failed" = 0 ] || cat /tmp/each.*
	return "$failed"
}
checked=(--verify=crc32c --do_verify=1)

need "the driver loads" load_driver
need "the first is ready, with sectors of 512 bytes" ready 0c -b 512
need "the second, on blocks of 4096 bytes" ready 0d -b 4096
need "the third" ready 0e -b 4096

# ---- three together ----

try "4 KiB random write, depth 64" each four --rw=randwrite --bs=4k --iodepth=64 --size=8M "${checked[@]}"
try "4 KiB random read, depth 64" each four --rw=randread --bs=4k --iodepth=64 --size=8M
try "4 MiB write, depth 64" each huge --rw=write --bs=4m --iodepth=64 --offset=32M --size=32M \
	--verify_interval=256k "${checked[@]}"
try "4 MiB read, depth 64" each huge --rw=read --bs=4m --iodepth=64 --offset=32M --size=32M
try "1 MiB write, depth 16" each large --rw=write --bs=1m --iodepth=16 --offset=128M --size=32M \
	--verify_interval=256k "${checked[@]}"
try "1 MiB read, depth 16" each large --rw=read --bs=1m --iodepth=16 --offset=128M --size=32M
try "4 KiB random write, two jobs" each twice --rw=randwrite --bs=4k --iodepth=16 --numjobs=2 \
	--offset=192M --size=4M --offset_increment=4M "${checked[@]}"
try "4 KiB random read, depth 16, four jobs" each fourfold --rw=randread --bs=4k --iodepth=16 \
	--numjobs=4 --size=4M --offset_increment=2M
try "32 KiB write in order" each row --rw=write --bs=32k --iodepth=8 --offset=224M --size=16M \
	--verify_interval=32k "${checked[@]}"
disks=("${disks[0]}")
try "512 bytes, random write" each sector --rw=randwrite --bs=512 --iodepth=32 --offset=256M \
	--size=1M "${checked[@]}"
for card in "${cards[@]}"; do
	is "$card: the audit finds nothing" "$(audit_of "$card")" 0
done

# ---- file systems ----

# tree SYSTEM: made, filled, taken away with its card, and the same again.
tree() {
	"mkfs.$1" -q -f "$disk" && mount -t "$1" "$disk" /mnt && cp -a /usr/bin /mnt/tree &&
		rm -r /mnt/tree/[a-f]* && cp -a /usr/bin/[a-f]* /mnt/tree && fstrim /mnt &&
		umount /mnt && openvsl detach -q "/dev/$card" && attach_card "$card" &&
		mount -t "$1" "$disk" /mnt && diff -r --no-dereference /usr/bin /mnt/tree && umount /mnt
}
card=${cards[1]}
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
need "xfs is there" modprobe -a xfs btrfs
try "xfs: files come back" tree xfs
try "xfs finds nothing wrong" xfs_repair -n "$disk"
card=${cards[2]}
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
try "btrfs: files come back" tree btrfs
try "btrfs finds nothing wrong" btrfs check "$disk"
is "the audit finds nothing" "$(audit_of "$card")" 0
try "the module goes" rmmod openvsl

# ---- side by side, while the module is loaded ----

# They are still given to it. The first is found first, and takes longer than the others.
dmesg -C
machine block_set_io_throttle jobs-one 0 0 0 20 0 0
need "the driver loads" load_driver
machine block_set_io_throttle jobs-one 0 0 0 0 0 0
# of ADDRESS: the number of its card
of() {
	cards_of "$(at "$1")"
}
is "their names are those of before" "$(of 0c) $(of 0d) $(of 0e)" "${cards[*]}"
is "when it is loaded they are attached" "$(for card in "${cards[@]}"; do state_of "$card"; done | paste -sd ' ')" \
	"attached attached attached"
went() {
	dmesg | sed -n 's/.*: \(fct[0-9]* is attach[a-z]*\)$/\1/p' | paste -sd ,
}
note "$(went)"
is "the first one began first, and nobody waited for its end" "$(went | sed 's/^\([^,]*\),.*,\([^,]*\)$/\1,\2/')" \
	"${cards[0]} is attaching,${cards[0]} is attached"
for card in "${cards[@]}"; do
	is "$card: the audit finds nothing" "$(audit_of "$card")" 0
done
try "the module goes" rmmod openvsl
done_testing
