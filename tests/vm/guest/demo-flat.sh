# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what OpenVSL does with an ordinary NVMe disk, step by step
# memory: 2G
# timeout: 900
# boots: 2
# modules: nvme
# disk: flat 2G
# disk: notes 1M
# qemu: -drive file=%flat%,if=none,id=flat,format=raw,cache=unsafe
# qemu: -device nvme,serial=DEMO,drive=flat
# qemu: -drive file=%notes%,if=none,id=notes,format=raw,cache=unsafe
# qemu: -device virtio-blk-pci,serial=notes,drive=notes,addr=0x10
#
# Run by tests/vm/demo. The machine loses its power in the middle; how many files had
# been synced before is noted on a disk of its own.

# shellcheck source-path=SCRIPTDIR source=demo-words.sh
. /vsl/guest/demo-words.sh

# The disk that is no other's.
notes() {
	local disk

	for disk in /sys/block/vd*; do
		[ "$(cat "$disk/serial")" != notes ] || echo "/dev/${disk##*/}"
	done
}

remember() {
	printf '%511d\n' "$1" | dd of="$notes" bs=512 oflag=direct conv=notrunc status=none
}

remembered() {
	echo $((10#$(dd if="$notes" bs=512 count=1 iflag=direct status=none | tr -cd 0-9)))
}

first_boot() {
	step "An ordinary NVMe disk is in the machine. The stock driver has it; it has been used."
	show modprobe nvme
	show wait_for 30 test -b /dev/nvme0n1
	show mkfs.ext4 -q -F /dev/nvme0n1
	show openvsl bind --list
	step "So it is not taken, unless that is forced."
	refused openvsl bind -y "$address"
	show openvsl bind -fy "$address"
	step "Nor is it formatted."
	refused openvsl format -y -b 4096 "/dev/$card"
	show openvsl format -fy -b 4096 "/dev/$card"
	show openvsl attach "/dev/$card"
	disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
	wait_for 30 test -b "$disk"
	jobs
	file_system
	step "The machine loses its power while files are written."
	write_until_the_end &
	sleep 5
	power_cut
}

second_boot() {
	step "Power is back. The stock driver comes first again; then the disk is bound."
	show modprobe nvme
	show wait_for 30 test -b /dev/nvme0n1
	show openvsl bind -y "$address"
	step "The card is recognised and recovered; what was synced is there."
	show find_disk
	show checked
	show synced
	sums "$tree" >/tmp/sums
	show same /mnt/tree
	umount /mnt
	step "What the card says of itself."
	show fio-status -a "/dev/$card"
	[ -n "${VSL_SHELL:-}" ] && say "The card is /dev/$card, its disk $disk." && return
	step "It is given back to the stock driver."
	show openvsl detach "/dev/fct0"
	show openvsl unbind "$address"
	rmmod openvsl
	say "All of it worked."
}

notes=$(notes)
address=$(address_of_disk)
card=fct0
say "Linux $(uname -r) on an emulated machine; figures are those of the emulator."
step "The driver is loaded."
show load_driver
if [ "$BOOT" = 1 ]; then first_boot; else second_boot; fi
