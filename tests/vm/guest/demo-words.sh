# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The few words in which a demonstration says what it does.

# shellcheck source-path=SCRIPTDIR source=card.sh
. /vsl/guest/card.sh

began=$SECONDS

say() {
	printf '%s\n' "$*"
}

# step TEXT: what comes next.
step() {
	say "[$((SECONDS - began)) s] $*"
}

# show COMMAND...: run it for all to see; the demonstration ends if it fails.
show() {
	local status=0 indent

	say "      # $*"
	exec 4> >(exec sed -u 's/^/      /')
	indent=$!
	"$@" >&4 2>&1 4>&- || status=$?
	exec 4>&-
	wait "$indent"
	[ "$status" = 0 ] && return
	say "FAILED with status $status"
	exit 1
}

# refused COMMAND...: it says why not, for all to see.
refused() {
	say "      # $*"
	if "$@" >/tmp/said 2>&1; then
		say "FAILED: it was not refused"
		exit 1
	fi
	sed 's/^/      /' /tmp/said
}

# job NAME OPTION...: one of the first users' fio jobs: figures, no long report.
job() {
	local name=$1
	shift

	say "      # fio --name=$name --filename=$disk --ioengine=libaio --direct=1 --iodepth=64 $*"
	fio --name="$name" --filename="$disk" --ioengine=libaio --direct=1 --iodepth=64 \
		--verify_fatal=1 --output-format=terse --output=/tmp/fio.terse "$@" >/tmp/fio.said 2>&1 &
	while kill -0 $! 2>/dev/null; do
		sleep 5
		! kill -0 $! 2>/dev/null || say "      ... $(stat_of "$card" host_write_blocks) blocks written so far"
	done
	if ! wait $!; then
		sed 's/^/      /' /tmp/fio.said
		say "FAILED"
		exit 1
	fi
	awk -F';' '{
		if ($6) printf "      read: %d MiB, %d IOPS, %d KiB/s\n", $6 / 1024, $8, $7
		if ($47) printf "      written: %d MiB, %d IOPS, %d KiB/s\n", $47 / 1024, $49, $48
		print "      errors: " 0 + $5
	}' /tmp/fio.terse
}

tree=/usr/bin

sums() {
	(cd "$1" && find . -maxdepth 1 -type f -size -200k -print0 | sort -z | xargs -0 sha256sum)
}

copy() {
	mkdir -p "$1" && find "$tree" -maxdepth 1 -type f -size -200k -exec cp -t "$1" {} +
}

same() {
	sums "$1" | diff -q - /tmp/sums && say "$(wc -l </tmp/sums) files, all as they were"
}

# jobs: those of the first users, on $disk.
jobs() {
	step "4 KiB random writes, 64 at a time, all read back and compared."
	job randwrite --rw=randwrite --bs=4k --size=48M --verify=crc32c --do_verify=1
	step "4 KiB random reads, 64 at a time."
	job randread --rw=randread --bs=4k --size=48M
	step "4 MiB sequential writes, 64 at a time, all read back and compared."
	job write --rw=write --bs=4m --offset=512M --size=384M --verify=crc32c \
		--verify_interval=64k --do_verify=1
	step "4 MiB sequential reads, 64 at a time."
	job read --rw=read --bs=4m --offset=512M --size=384M
}

detach_and_attach() {
	openvsl detach "/dev/$card" && openvsl attach --clean "/dev/$card" && wait_for 30 test -b "$disk"
}

# file_system: one with real files on $disk, mounted at the end.
file_system() {
	step "A file system with real files; after detach and attach they are the same."
	sums "$tree" >/tmp/sums
	show mkfs.ext4 -q -F "$disk"
	show mount "$disk" /mnt
	show copy /mnt/tree
	show umount /mnt
	show detach_and_attach
	show e2fsck -fn "$disk"
	show mount "$disk" /mnt
	show same /mnt/tree
}

# ---- NVMe disks ----

address_of_disk() {
	local device

	for device in /sys/bus/pci/devices/*; do
		[ "$(cat "$device/class")" != 0x010802 ] || echo "${device##*/}"
	done
}

# What file N has in it.
content() {
	yes "file $1" | head -c 8192
}

# write_until_the_end: files, one after the other; of each that is synced the number is
# remembered (remember N, remembered), which is for the demonstration to do.
write_until_the_end() {
	local i

	for i in $(seq 10000); do
		content "$i" | dd of="/mnt/synced.$i" bs=8k iflag=fullblock conv=fsync status=none || return
		remember "$i"
	done
}

synced() {
	local last i

	last=$(remembered)
	for ((i = 1; i <= last; i++)); do
		content "$i" | cmp -s - "/mnt/synced.$i" || { echo "file $i is damaged" && return 1; }
	done
	say "$last files had been synced before, all of them are intact"
	[ "$last" -gt 0 ]
}

checked() {
	local status=0

	e2fsck -p "$disk" || status=$?
	[ "$status" -le 1 ] && e2fsck -fn "$disk" && mount "$disk" /mnt
}

find_disk() {
	wait_for 60 is_state "$card" attached && disk=/dev/$(cat "/sys/class/openvsl/$card/disk") &&
		wait_for 30 test -b "$disk"
}
