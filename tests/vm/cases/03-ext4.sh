# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: ext4 full of real files: all there after detach, and what was synced after a power cut
# memory: 2G
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# What is copied: real files of all sizes.
source=$(sized /usr/lib/x86_64-linux-gnu/perl-base /usr/lib/udev)
[ -d "$source" ] || source=/usr/lib/udev

sums_of() {
	(cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

# files_of COPY: the sums of a copy of the source are those of the source.
same_as_source() {
	sums_of "$1" | diff -q - /tmp/source.sums
}

copy_tree() {
	cp -a "$source" "$1"
}

mount_disk() {
	mount -t ext4 "$disk" /mnt
}

# Write files, each synced before its sum is noted where no power cut reaches it,
# among others that are not synced. Ends when the disk does.
write_on() {
	local i=0

	while :; do
		i=$((i + 1))
		head -c $((RANDOM * 4)) /dev/urandom >/tmp/synced
		dd if=/tmp/synced of="/mnt/synced.$i" bs=64k conv=fsync status=none || return 0
		echo "$(sha256sum </tmp/synced | cut -d' ' -f1)  synced.$i" >>/tmp/synced.sums
		cp -a "$source" "/mnt/unsynced.$i" 2>/dev/null
		[ $((i % 4)) != 0 ] || rm -rf /mnt/unsynced.*
	done 2>/dev/null
}

# crash SECONDS: power is cut while files are being written.
crash() {
	local writer

	: >/tmp/synced.sums
	rm -rf /mnt/synced.* /mnt/unsynced.* && sync
	write_on &
	writer=$!
	wait_for 60 test -s /tmp/synced.sums
	sleep "$1"
	openvsl sim cut "/dev/$card" || return
	# A dead ext4 still takes some writes into memory: end it.
	kill "$writer" 2>/dev/null
	wait "$writer" 2>/dev/null
	# What it had started may still be dying.
	wait_for 60 umount /mnt
}

recover() {
	wait_for 60 openvsl sim power "/dev/$card" && attach_card "$card"
}

# Replaying the journal may mend what a crash leaves; after it nothing is wrong.
check_crashed() {
	local status=0

	e2fsck -fp "$disk" || status=$?
	[ "$status" -le 1 ] || return 1
	e2fsck -fn "$disk"
}

synced_intact() {
	[ -s /tmp/synced.sums ] && (cd /mnt && sha256sum --quiet -c /tmp/synced.sums)
}

need "the driver loads" load_driver
need "a card is ready" ready_card "$(sized 512 4096)" --size "$(sized 256M 96M)"
sums_of "$source" >/tmp/source.sums
note "$(wc -l </tmp/source.sums) files of $source, $(du -sm "$source" | cut -f1) MB"

need "ext4 is made" mkfs.ext4 -q "$disk"
need "it is mounted" mount_disk
try "files are copied" copy_tree /mnt/tree
try "they are right at once" same_as_source /mnt/tree
try "it is unmounted" umount /mnt
try "detach and attach" eval 'openvsl detach -q "/dev/$card" && attach_card "$card"'
try "fsck finds nothing" e2fsck -fn "$disk"
try "it is mounted again" mount_disk
echo 3 >/proc/sys/vm/drop_caches
try "the files are right" same_as_source /mnt/tree

for i in $(seq "$(sized 4 2)"); do
	try "crash $i: power is cut while files are written" crash "0.$((i * 2))"
	is "crash $i: the card is in error" "$(state_of "$card")" error
	try "crash $i: power on, attach" recover
	try "crash $i: fsck is content after the journal's replay" check_crashed
	try "crash $i: it is mounted" mount_disk
	note "$(wc -l </tmp/synced.sums) files had been synced"
	try "crash $i: every synced file is intact" synced_intact
	try "crash $i: the tree from before is intact" same_as_source /mnt/tree
	is "crash $i: the audit finds nothing" "$(audit_of "$card")" 0
done

umount /mnt
try "detach" openvsl detach -q "/dev/$card"
try "attach, only if clean" attach_card "$card" --clean
try "fsck finds nothing" e2fsck -fn "$disk"
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
