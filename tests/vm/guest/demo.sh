# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what OpenVSL does, step by step
# memory: 2G
# timeout: 900
#
# Run by tests/vm/demo. Each step says what it is about in one line; with what it
# is done, and what that says, stands below it.

# shellcheck source-path=SCRIPTDIR source=demo-words.sh
. /vsl/guest/demo-words.sh

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
jobs
file_system
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
