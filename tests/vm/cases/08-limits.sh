# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the limits that the kernel is told are right, and every shape of I/O within them works
# memory: 1G
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

queue() {
	cat "/sys/block/${disk#/dev/}/queue/$1"
}

# limits SECTOR: of a disk whose sectors are so long.
limits() {
	is "$1: logical block" "$(queue logical_block_size)" "$1"
	is "$1: physical block" "$(queue physical_block_size)" 4096
	is "$1: minimum I/O" "$(queue minimum_io_size)" 4096
	try "$1: optimal I/O is a power of two from 64 to 512 KiB" \
		grep -qxE '65536|131072|262144|524288' "/sys/block/${disk#/dev/}/queue/optimal_io_size"
	is "$1: discard granularity" "$(queue discard_granularity)" 4096
	try "$1: discard of 1 GiB and more" [ "$(queue discard_max_bytes)" -ge $((1 << 30)) ]
	try "$1: write zeroes of 1 GiB and more" [ "$(queue write_zeroes_max_bytes)" -ge $((1 << 30)) ]
	is "$1: 512 KiB a request" "$(queue max_hw_sectors_kb)" 512
	is "$1: rotational" "$(queue rotational)" 0
	is "$1: adds no entropy" "$(queue add_random)" 0
	is "$1: memory alignment" "$(queue dma_alignment)" 511
	is "$1: no zones" "$(queue zoned)" none
	is "$1: no scheduler by default" "$(queue scheduler | grep -o '\[.*\]')" "[none]"
}

need "the driver loads" load_driver
need "a card of 4096-byte sectors, power-loss protected" ready_card 4096 --size 32M
limits 4096
is "what is acknowledged is durable: no cache" "$(queue write_cache)" "write through"
is "and no FUA needed" "$(queue fua)" 0
name=${disk#/dev/}
is "a card's disk is named after its number" "$name" fioa
is "its serial number is the card's" "$(cat "/sys/block/$name/serial")" \
	"$(cat "/sys/class/openvsl/$card/serial")"
try "it has a wwid" grep -qE '^uuid\.[0-9a-f-]{36}$' "/sys/block/$name/wwid"
is "it hangs on the card" "$(basename "$(realpath "/sys/block/$name/device")")" "$card"
is "the size is what was formatted" "$(blockdev --getsize64 "$disk")" \
	"$(cat "/sys/class/openvsl/$card/capacity_bytes")"
try "fio-status names it" eval 'fio-status "/dev/$card" | grep -q "Attached as .$name. (block device)"'
openvsl detach -q "/dev/$card"
openvsl sim destroy "/dev/$card"

need "one of 512-byte sectors, with a volatile cache" ready_card 512 --size 64M --preset oc20
limits 512
is "it has a cache" "$(queue write_cache)" "write back"
is "and FUA" "$(queue fua)" 1
openvsl detach -q "/dev/$card"
openvsl sim destroy "/dev/$card"

# ---- O_DIRECT of every shape that 512-byte sectors allow ----

need "a card of 512-byte sectors" ready_card 512 --size 64M
try "every alignment of memory, offset and length; mmap" direct-io "$disk"
try "requests of 16 MiB" fio --name=big --filename="$disk" --ioengine=libaio --direct=1 \
	--iodepth=2 --rw=write --bs=16m --size=32M --verify=crc32c --do_verify=1 \
	--verify_interval=4k
try "through io_uring with fixed buffers" fio --name=uring --filename="$disk" \
	--ioengine=io_uring --fixedbufs=1 --direct=1 --iodepth=16 --rw=randwrite --bs=4k \
	--size=4M --verify=crc32c --do_verify=1
try "buffered, with syncs" fio --name=sync --filename="$disk" --ioengine=psync --rw=randwrite \
	--bs=4k --size=2M --fsync=32 --verify=crc32c --do_verify=1
size=$(blockdev --getsize64 "$disk")
refuse "no read behind the end" dd if="$disk" iflag=direct,skip_bytes bs=512 count=1 \
	skip=$((size + 512)) of=/dev/null
try "the last sector can be written" dd if=/dev/urandom of="$disk" bs=512 count=1 \
	seek=$((size / 512 - 1)) oflag=direct

# ---- partitions ----

partitions() {
	printf 'label: gpt\nsize=16MiB\nsize=8MiB\n' | sfdisk -q "$disk" && udevadm settle &&
		wait_for 30 test -b "${disk}1" && wait_for 30 test -b "${disk}2"
}
try "two partitions" partitions
try "a file system on the first" mkfs.ext4 -q "${disk}1"
mount "${disk}1" /mnt
answer 5 "in use (mounted on /mnt)" openvsl detach "/dev/$card"
umount /mnt
try "detach and attach" eval 'openvsl detach -q "/dev/$card" && attach_card "$card"'
udevadm settle
try "the partitions are found again" wait_for 30 test -b "${disk}1"
try "fsck finds nothing" e2fsck -fn "${disk}1"
try "udev has a link by id" eval '[ "$(realpath /dev/disk/by-id/*"$(cat "/sys/block/$name/serial")" 2>/dev/null | head -n 1)" = "$disk" ] || [ ! -d /dev/disk/by-id ]'
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
