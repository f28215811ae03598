# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what OpenVSL does, step by step
# memory: 2G
# timeout: 900
#
# Run by tests/vm/demo. Each step says what it is about in one line; with what it
# is done, and what that says, stands below it.

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

# Files that are synced one by one; what is known to be synced is noted in memory.
write_on() {
	local i

	for i in $(seq 10000); do
		dd if=/dev/urandom of="/mnt/synced.$i" bs=8k count=1 conv=fsync status=none || return 0
		(cd /mnt && sha256sum "synced.$i") >>/tmp/synced
	done 2>/dev/null
}

crash() {
	local writer

	: >/tmp/synced
	write_on 2>/dev/null &
	writer=$!
	sleep 3
	openvsl sim cut "/dev/$card" && wait "$writer" && wait_for 60 umount /mnt &&
		echo "the card is in state $(state_of "$card")"
}

recovered() {
	local status=0

	e2fsck -p "$disk" || status=$?
	[ "$status" -le 1 ] && e2fsck -fn "$disk" && mount "$disk" /mnt &&
		(cd /mnt && sha256sum --quiet -c /tmp/synced) &&
		say "$(wc -l </tmp/synced) files had been synced before the crash, all of them are intact"
}

detach_and_attach() {
	openvsl detach "/dev/$card" && openvsl attach --clean "/dev/$card" && wait_for 30 test -b "$disk"
}

recover() {
	wait_for 60 openvsl sim power "/dev/$card" && openvsl attach "/dev/$card" &&
		wait_for 30 test -b "$disk"
}

say "Linux $(uname -r) on an emulated machine; figures are those of the emulator."
step "The driver is loaded."
show load_driver
step "A simulated card is made: it keeps the rules of flash, in memory."
show make_card --size 2G --preset slc160
say "      /dev/$card"
step "It is formatted with sectors of 4 KiB, and attached: it becomes a disk."
show openvsl format -y -b 4096 "/dev/$card"
show openvsl attach "/dev/$card"
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
wait_for 30 test -b "$disk"
step "4 KiB random writes, 64 at a time, all read back and compared."
job randwrite --rw=randwrite --bs=4k --size=48M --verify=crc32c --do_verify=1
step "4 KiB random reads, 64 at a time."
job randread --rw=randread --bs=4k --size=48M
step "4 MiB sequential writes, 64 at a time, all read back and compared."
job write --rw=write --bs=4m --offset=512M --size=384M --verify=crc32c --verify_interval=64k \
	--do_verify=1
step "4 MiB sequential reads, 64 at a time."
job read --rw=read --bs=4m --offset=512M --size=384M
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
step "The power is cut while files are written: the disk fails, the card is dead."
show crash
step "Power is back. Attaching recovers the card; what was synced is there."
show recover
show recovered
show same /mnt/tree
umount /mnt
step "What the card says of itself."
show fio-status -a "/dev/$card"
say "All of it worked, in $((SECONDS - began)) seconds."
if [ -n "${VSL_SHELL:-}" ]; then
	say "The card is /dev/$card, its disk $disk."
else
	openvsl detach -q "/dev/$card"
	rmmod openvsl
fi
