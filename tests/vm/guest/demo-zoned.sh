# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what OpenVSL does with a zoned NVMe disk, step by step
# memory: 2G
# timeout: 900
# modules: nvme
# disk: zoned 2G
# qemu: -drive file=%zoned%,if=none,id=zoned,format=raw,cache=unsafe
# qemu: -device nvme,id=zoned-card,serial=DEMO
# qemu: -device nvme-ns,bus=zoned-card,drive=zoned,logical_block_size=4096,physical_block_size=4096,zoned=on,zoned.zone_size=4M,zoned.zone_capacity=3M,zoned.max_open=16,zoned.max_active=32
#
# Run by tests/vm/demo. QEMU forgets the states of zones when it ends, so it is not the
# machine that loses its power: the card vanishes from the bus.

# shellcheck source-path=SCRIPTDIR source=demo-words.sh
. /vsl/guest/demo-words.sh

remember() {
	echo "$1" >>/tmp/remembered
}

remembered() {
	tail -n 1 /tmp/remembered
}

# vanish: the window of its registers is closed; the driver reads what no card says.
vanish() {
	printf '\0\0' | dd of="/sys/bus/pci/devices/$address/config" bs=1 seek=4 conv=notrunc status=none
	wait_for 60 is_state "$card" error
}

address=$(address_of_disk)
card=fct0
say "Linux $(uname -r) on an emulated machine; figures are those of the emulator."
step "The driver is loaded."
show load_driver
step "A zoned NVMe disk is in the machine: it is written zone by zone, in order."
show modprobe nvme
show wait_for 30 test -b /dev/nvme0n1
show cat /sys/block/nvme0n1/queue/zoned
show openvsl bind --list
step "It is bound and formatted: then it is a disk like any other."
show openvsl bind -y "$address"
show openvsl format -y -b 4096 "/dev/$card"
show openvsl attach "/dev/$card"
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
wait_for 30 test -b "$disk"
jobs
file_system
step "The card vanishes from the bus while files are written: the disk fails."
: >/tmp/remembered
write_until_the_end 2>/tmp/said &
sleep 5
show vanish
wait
umount /mnt
step "It is given back, and bound again: recovered, with all that was synced."
show openvsl unbind "$address"
show openvsl bind -y "$address"
show find_disk
show checked
show synced
sums "$tree" >/tmp/sums
show same /mnt/tree
umount /mnt
step "What the card says of itself."
show fio-status -a "/dev/$card"
if [ -n "${VSL_SHELL:-}" ]; then
	say "The card is /dev/$card, its disk $disk."
	return
fi
step "It is given back to the stock driver."
show openvsl detach "/dev/$card"
show openvsl unbind "$address"
rmmod openvsl
say "All of it worked."
