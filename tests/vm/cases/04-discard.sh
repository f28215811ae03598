# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what is discarded or zeroed reads zeros, now, after a detach, and after a power cut
# memory: 1G
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# fill OFFSET COUNT: MiB of bytes that are not zero.
fill() {
	dd if=/tmp/filled of="$disk" bs=1M seek="$1" count="$2" oflag=direct status=none
}

# byte_of OFFSET COUNT: what all of these MiB are: 000, 125 (octal) or mixed.
byte_of() {
	dd if="$disk" of=/tmp/seen bs=1M skip="$1" count="$2" iflag=direct status=none
	if cmp -s -n $(($2 << 20)) /tmp/seen /dev/zero; then
		echo 000
	elif cmp -s -n $(($2 << 20)) /tmp/seen /tmp/filled; then
		echo 125
	else
		echo mixed
	fi
}

reattach() {
	openvsl detach -q "/dev/$card" && attach_card "$card"
}

cut_and_recover() {
	openvsl sim cut "/dev/$card" && wait_for 60 openvsl sim power "/dev/$card" &&
		attach_card "$card"
}

head -c 48M /dev/zero | tr '\0' '\125' >/tmp/filled
need "the driver loads" load_driver
need "a card without power-loss protection is ready" ready_card 4096 --size 96M --preset raw
is "it has a write cache" "$(cat "/sys/block/${disk#/dev/}/queue/write_cache")" "write back"
try "48 MiB are written" fill 0 48
is "they are there" "$(byte_of 0 48)" 125
mapped=$(stat_of "$card" mapped_blocks)
is "the map has them" "$mapped" 12288

try "blkdiscard of 8 MiB" blkdiscard -o 8M -l 8M "$disk"
is "they read zeros" "$(byte_of 8 8)" 000
is "their neighbours below stay" "$(byte_of 0 8)" 125
is "their neighbours above stay" "$(byte_of 16 32)" 125
is "the map has forgotten them" "$(stat_of "$card" mapped_blocks)" $((mapped - 2048))
try "blkdiscard -z of 8 MiB" blkdiscard -z -o 24M -l 8M "$disk"
is "they read zeros" "$(byte_of 24 8)" 000
is "the map has forgotten them, too" "$(stat_of "$card" mapped_blocks)" $((mapped - 4096))
try "discard of one block" blkdiscard -o 4096 -l 4096 "$disk"
is "only that one" "$(dd if="$disk" bs=4k count=3 iflag=direct status=none |
	od -An -v -to1 | sort -u | wc -l)" 2

try "detach and attach" reattach
is "what was discarded reads zeros" "$(byte_of 8 8)" 000
is "what was zeroed reads zeros" "$(byte_of 24 8)" 000
is "the rest is there" "$(byte_of 32 16)" 125

try "discard, flush" eval 'blkdiscard -o 32M -l 8M "$disk" && sync "$disk" && blockdev --flushbufs "$disk"'
# fsync of the disk is what makes it durable; sync(1) of the node does that.
try "power is cut and the card recovers" cut_and_recover
is "what was discarded and flushed reads zeros" "$(byte_of 32 8)" 000
is "what was discarded before reads zeros" "$(byte_of 8 8)" 000
is "the rest is there" "$(byte_of 40 8)" 125

try "blkdiscard of the whole disk" blkdiscard "$disk"
is "it is empty" "$(stat_of "$card" mapped_blocks)" 0
is "it reads zeros" "$(byte_of 0 48)" 000

# ---- a file system that trims ----

need "ext4 is made" mkfs.ext4 -q "$disk"
need "it is mounted" mount "$disk" /mnt
head -c 24M /dev/urandom >/mnt/file
sync
full=$(stat_of "$card" mapped_blocks)
rm /mnt/file
sync
try "fstrim" fstrim -v /mnt
after=$(stat_of "$card" mapped_blocks)
note "mapped blocks: $full, after fstrim $after"
try "the card has 24 MB less to keep" [ $((full - after)) -ge 6000 ]
umount /mnt
try "mounted with discard" mount -o discard "$disk" /mnt
head -c 8M /dev/urandom >/mnt/file
sync
rm /mnt/file
sync
umount /mnt
try "fsck finds nothing" e2fsck -fn "$disk"
is "the audit finds nothing" "$(audit_of "$card")" 0

# ---- sectors of 512 bytes: part of a block is not unmapped, but reads zeros ----

openvsl detach -q "/dev/$card"
need "formatted with 512-byte sectors" openvsl format -qy -b 512 "/dev/$card"
need "attached" attach_card "$card"
try "1 MiB is written" fill 0 1
try "zero out of 3 sectors at the second" blkdiscard -z -o 512 -l 1536 "$disk"
is "they read zeros" "$(dd if="$disk" bs=512 skip=1 count=3 status=none iflag=direct |
	od -An -v -to1 -w1 | sort -u | tr -d ' ')" 000
is "the one before and those behind stay" "$(for at in 0 4 5; do
	dd if="$disk" bs=512 skip=$at count=1 status=none iflag=direct; done |
	od -An -v -to1 -w1 | sort -u | tr -d ' ')" 125
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
