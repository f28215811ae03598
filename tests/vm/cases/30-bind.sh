# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: bind takes NVMe disks that are given to it and no others, also in another slot, format looks at what they carry, unbind gives them back
# often: 6.1 debug
# memory: 2G
# timeout: 300
# modules: nvme
# together: nvme
# disk: one 512M
# disk: two 512M
# disk: moves 256M
# disk: foreign 256M
# qemu: -drive file=%one%,if=none,id=one,format=raw,cache=unsafe -device nvme,serial=ONE,drive=one
# qemu: -drive file=%two%,if=none,id=two,format=raw,cache=unsafe -device nvme,serial=TWO,drive=two
# qemu: -blockdev driver=file,node-name=moves,filename=%moves%
# qemu: -blockdev driver=file,node-name=foreign,filename=%foreign%
# qemu: -device pcie-root-port,id=port1,chassis=21,slot=21,addr=0a
# qemu: -device pcie-root-port,id=port2,chassis=22,slot=22,addr=0b
# qemu: -device nvme,bus=port1,id=moves,serial=MOVES,drive=moves

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

# address_of SERIAL: of the disk, while the stock driver has it.
address_of() {
	local serial

	for serial in "$pci"/devices/*/nvme/nvme*/serial; do
		grep -qs "^$1" "$serial" && basename "$(dirname "$(dirname "$(dirname "$serial")")")"
	done
}

# disk_of ADDRESS: its node, while the stock driver has it.
disk_of() {
	local disk

	for disk in "$pci/devices/$1"/nvme/nvme*/nvme*n1; do
		disk=${disk##*/}
		# One way of several to a disk has a number of its own in its name.
		# shellcheck disable=SC2001
		[ ! -b "/dev/$(sed 's/c[0-9]*n/n/' <<<"$disk")" ] || sed 's,^,/dev/,; s/c[0-9]*n/n/' <<<"$disk"
	done
}

driver_of() {
	basename "$(readlink "$pci/devices/$1/driver")"
}

load_driver || bail "the driver does not load"
[ -d "$pci/drivers/openvsl" ] || skip_all "this driver has no transport for PCIe cards"
need "the stock driver loads" modprobe nvme
need "it has both disks" wait_for 60 eval '[ -b "$(disk_of "$(address_of ONE)")" ] && [ -b "$(disk_of "$(address_of TWO)")" ]'
one=$(address_of ONE)
two=$(address_of TWO)
disk=$(disk_of "$one")
note "$one $disk, $two $(disk_of "$two")"

# ---- what is not taken ----

mkfs.ext4 -q -F "$disk"
answer 7 "carries an ext4 file system; to give it up, add --force" openvsl bind -y "$one"
mount "$disk" /mnt
answer 5 "is in use (mounted on /mnt); end that first" openvsl bind -fy "$one"
is "the list says so, too" "$(openvsl bind --list | grep -c "mounted on /mnt")" 1
umount /mnt
answer 3 "no such PCI device" openvsl bind -y "$two" 0000:1e:1f.7
answer 7 "it is no NVMe device" openvsl bind -fy 00:00.0
is "nothing was taken" "$(driver_of "$one") $(driver_of "$two")" "nvme nvme"

# ---- what is ----

try "a blank disk is bound" openvsl bind -y "$two"
is "our driver has it" "$(driver_of "$two")" openvsl
is "the other one is where it was" "$(driver_of "$one")" nvme
card=fct0
try "its node is there" wait_for 30 test -c "/dev/$card"
try "a blank disk is formatted without force" openvsl format -qy "/dev/$card"
need "it is attached" attach_card "$card"
mkfs.ext4 -q -F "$disk"
mount "$disk" /mnt
need "a file is written" cp /bin/sh /mnt/file
answer 5 "$card of it is attached; detach it first" openvsl unbind "$two"
umount /mnt
need "it is detached" openvsl detach -q "/dev/$card"
try "unbind" openvsl unbind "$two"
is "the stock driver has it again" "$(driver_of "$two")" nvme
is "no override is left" "$(cat "$pci/devices/$two/driver_override")" "(null)"
is "it is not in the list" "$(grep -c "$two" /etc/openvsl/cards)" 0

need "its disk is there again" wait_for 60 eval '[ -b "$(disk_of "$two")" ]'
try "it is bound again" openvsl bind -y "$two"
need "it is recognised, and attached by itself" wait_for 60 is_state "$card" attached
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
need "its disk is there" wait_for 30 test -b "$disk"
mount "$disk" /mnt
try "with what was on it" cmp /mnt/file /bin/sh
umount /mnt
openvsl detach -q "/dev/$card"

# ---- what others have left on a card ----

try "the used disk is bound by force" openvsl bind -fy "$one"
card=fct1
need "it is a card" wait_for 30 test -c "/dev/$card"
answer 7 "it carries an ext4 file system; to lose what is on it, add --force" \
	openvsl format -y "/dev/$card"
try "it is formatted by force" openvsl format -fqy "/dev/$card"
try "and then without" openvsl format -qy "/dev/$card"
try "it is attached" attach_card "$card"

# ---- at boot ----

is "both are in the list" "$(grep -cE "^($one|$two) " /etc/openvsl/cards)" 2
cp /etc/openvsl/cards /tmp/cards
openvsl detach -q "/dev/$card"
need "both are given back" openvsl unbind -q "$one" "$two"
need "the stock driver has both" wait_for 60 eval '[ -b "$(disk_of "$one")" ] && [ -b "$(disk_of "$two")" ]'
try "udev, of a device that is not in the list" openvsl bind --boot "$one"
is "it is left alone" "$(driver_of "$one")" nvme
cp /tmp/cards /etc/openvsl/cards
try "udev, of one that is" openvsl bind --boot "$one"
is "our driver has it" "$(driver_of "$one")" openvsl
# Another disk is in the slot.
sed -i 's/ TWO$/ THREE/' /etc/openvsl/cards
answer 7 "its serial number is TWO and not THREE" openvsl bind --boot "$two"
is "it is left alone" "$(driver_of "$two")" nvme

# ---- and by udev itself, of a device that has just been put in ----

cp /tmp/cards /etc/openvsl/cards
with_rules() {
	mkdir -p /etc/udev/rules.d && cp /vsl/bin/*.rules /etc/udev/rules.d/ &&
		ln -sf /vsl/bin/openvsl /usr/bin/openvsl && udevadm control --reload
}
put_in_again() {
	echo 1 >"$pci/devices/$two/remove" && echo 1 >"$pci/rescan"
}
# put_in PORT SLOT ID SERIAL DISK: it may have to be tried again, until QEMU has let go.
put_in() {
	machine device_add "nvme,bus=$1,id=$3,serial=$4,drive=$5"
	wait_for 10 is_in "$2"
}
is_in() {
	[ -e "$pci/devices/$(behind "$1")" ]
}
is_link() {
	[ "$(readlink -f "/dev/disk/$1")" = "$disk" ]
}
if [ -x /lib/systemd/systemd-udevd ]; then
	need "udev gets the rules" with_rules
	need "the other one is put in again" put_in_again
	need "udev has it bound" wait_for 60 eval '[ "$(driver_of "$two")" = openvsl ]'
	need "it is a card" wait_for 60 eval 'ls -d "$pci/devices/$two"/openvsl/fct*'
	card=$(basename "$pci/devices/$two"/openvsl/fct*)
	need "it is attached by itself" wait_for 60 is_state "$card" attached
	disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
	try "its disk has a link by its serial number" wait_for 30 is_link by-id/fio-TWO
	try "and by its format" is_link "by-id/fio-$(cat "/sys/class/openvsl/$card/format_uuid")"
	try "its file system has one, too" is_link "by-uuid/$(blkid -o value -s UUID "$disk")"

	# ---- in another slot ----

	first=$(behind 0a)
	need "a third is bound in its slot" openvsl bind -qy "$first"
	need "it is a card" card_of "$first"
	need "it is formatted" openvsl format -qy "/dev/$card"
	need "it is attached" attach_card "$card"
	uuid=$(cat "/sys/class/openvsl/$card/format_uuid")
	mkfs.ext4 -q -F "$disk"
	mount "$disk" /mnt
	cp /bin/sh /mnt/file
	umount /mnt
	need "it is detached" openvsl detach -q "/dev/$card"
	machine device_del moves
	need "it is pulled" wait_for 60 eval '[ ! -e "$pci/devices/$first" ]'
	need "it is put into another slot" wait_for 60 put_in port2 0b moved MOVES moves
	need "and another one where it was" wait_for 60 put_in port1 0a foreign FOREIGN foreign
	need "udev has it bound in the other slot" wait_for 90 eval \
		'[ -e "$pci/devices/$(behind 0b)/openvsl" ]'
	second=$(behind 0b)
	need "it is a card" card_of "$second"
	need "it is attached by itself" wait_for 60 is_state "$card" attached
	is "the same format is on it" "$(cat "/sys/class/openvsl/$card/format_uuid")" "$uuid"
	disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
	need "its disk is there" wait_for 30 test -b "$disk"
	mount -o ro "$disk" /mnt
	try "with what was on it" cmp /mnt/file /bin/sh
	umount /mnt
	is "the list has it there" "$(grep MOVES /etc/openvsl/cards | cut -d ' ' -f 1)" "$second"
	udevadm settle
	need "the stock driver has that" wait_for 60 eval '[ "$(driver_of "$first")" = nvme ]'
	is "and only the first was ever ours there" "$(dmesg | grep -c "$first: NVMe controller")" 1
	is "nor is it told to be" "$(cat "$pci/devices/$first/driver_override")" "(null)"
	rm /etc/udev/rules.d/60-*fio.rules /etc/udev/rules.d/81-openvsl-*.rules /usr/bin/openvsl
	udevadm control --reload
else
	skip "udev binds what is in the list" "this guest has no udev"
fi
try "the module goes" rmmod openvsl
rmmod nvme
done_testing
