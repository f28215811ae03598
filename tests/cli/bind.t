# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: openvsl bind takes NVMe disks that nobody uses or has data on, and no
# others; what cannot be done is undone; unbind gives them back.  Method: a tree
# of files in the place of sysfs, /proc and /dev, and a small kernel that does what
# is written to them (fake_pci.c).  Every write is looked at, in its order.

. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS=detect_leaks=1

root=$work/root
sys=$root/sys
export OPENVSL_FAKE_ROOT=$root
listed=$root/etc/openvsl/cards

# device ADDRESS VENDOR DEVICE CLASS DRIVER|-
device() {
	local dir=$sys/devices/pci0000:00/$1
	mkdir -p "$dir"
	echo "0x$2" >"$dir/vendor"
	echo "0x$3" >"$dir/device"
	echo "0x$4" >"$dir/class"
	echo "(null)" >"$dir/driver_override"
	ln -s "$dir" "$sys/bus/pci/devices/$1"
	[ "$5" = - ] || ln -s "$sys/bus/pci/drivers/$5" "$dir/driver"
}

# disk DIRECTORY NAME MAJOR:MINOR: with a partition.
disk() {
	mkdir -p "$1/holders" "$1/$2p1/holders"
	echo "$3" >"$1/dev"
	echo "${3%:*}:$((${3#*:} + 1))" >"$1/$2p1/dev"
	ln -s "$1" "$sys/block/$2"
	truncate -s 4M "$root/dev/$2"
}

# A machine as it is found.
machine() {
	local pci=$sys/devices/pci0000:00
	rm -rf "$root"
	mkdir -p "$sys/bus/pci/devices" "$sys/bus/pci/drivers"/{nvme,openvsl,vfio-pci,ahci} \
		"$sys/block" "$sys/class/nvme" "$sys/class/openvsl" \
		"$root/dev" "$root/etc" "$root/proc/self" "$root/proc/77/fd"
	device 0000:00:1f.2 8086 2922 010601 ahci
	device 0000:03:00.0 8086 0953 010802 nvme
	device 0000:04:00.0 144d a808 010802 nvme
	device 0000:05:00.0 1aed 2001 018000 -
	device 0000:06:00.0 1d1d 1f1f 010800 -
	device 0000:07:00.0 8086 0953 010802 vfio-pci
	disk "$pci/0000:03:00.0/nvme/nvme0/nvme0n1" nvme0n1 259:0
	echo "CARD 1  " >"$pci/0000:03:00.0/nvme/nvme0/serial"
	ln -s "$pci/0000:03:00.0/nvme/nvme0" "$sys/class/nvme/nvme0"
	# A namespace with two paths to it: the disk belongs to none.
	mkdir -p "$pci/0000:04:00.0/nvme/nvme1/nvme1c1n1"
	ln -s "$pci/0000:04:00.0/nvme/nvme1/nvme1c1n1" "$sys/block/nvme1c1n1"
	disk "$sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1" nvme1n1 259:8
	disk "$pci/0000:00:1f.2/ata1/sda" sda 8:0
	echo "Filename Type Size Used Priority" >"$root/proc/swaps"
	echo "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw" >"$root/proc/self/mountinfo"
}

# mark NAME OFFSET BYTES: on a disk.
mark() {
	printf '%b' "$3" | dd of="$root/dev/$1" bs=1 seek="$2" conv=notrunc status=none
}

override() {
	cat "$sys/bus/pci/devices/$1/driver_override"
}

# untouched NAME: refused, and nothing was written.
untouched() {
	ok "$1: nothing is touched" [ ! -s "$log" ]
}

# no_bind STATUS SENTENCE WORDS...
no_bind() {
	local want=$1 sentence=$2
	shift 2
	try openvsl bind -y "$@"
	ok "refused: bind $*: $sentence" is_refused "$want" "openvsl: $sentence"
	ok "bind $*: it is not listed" [ ! -e "$listed" ]
}
no="cannot bind"
attached=$(sed -n 's/^\tOPENVSL_STATE_ATTACHED = \([0-9]*\).*/\1/p' "$top/include/uapi/openvsl.h")
error=$(sed -n 's/^\tOPENVSL_STATE_ERROR = \([0-9]*\).*/\1/p' "$top/include/uapi/openvsl.h")
detached=$(sed -n 's/^\tOPENVSL_STATE_DETACHED = \([0-9]*\).*/\1/p' "$top/include/uapi/openvsl.h")
cards none

# As it should be.
machine
try openvsl bind -y 03:00.0
rc_is 0 "bind: status"
out_is "0000:03:00.0: bound as fct4" "bind says what became of it"
call_is $'driver_override openvsl\nunbind 0000:03:00.0\ndrivers_probe 0000:03:00.0' \
	"bind: what is asked of the kernel, in its order"
ok "bind: the override stays" [ "$(override 0000:03:00.0)" = openvsl ]
ok "bind: it is listed" grep -qx "0000:03:00.0 8086:0953 CARD_1" "$listed"
ok "bind: no other file is left" [ "$(ls "$root/etc/openvsl")" = cards ]
try openvsl bind -y 0000:03:00.0
rc_is 5 "bound already: status"
err_is "openvsl: 0000:03:00.0: $no: it is bound already, as fct4" "bound already: sentence"

# And back.
extra "card 4" "state $detached"
echo "# mine" >>"$listed"
try openvsl unbind 03:00.0
rc_is 0 "unbind: status"
out_is "0000:03:00.0: unbound; nvme has it now" "unbind says who has it"
call_is $'driver_override -\nunbind 0000:03:00.0\ndrivers_probe 0000:03:00.0' \
	"unbind: what is asked of the kernel"
ok "unbind: it is not listed" eval "! grep -q ^0000 '$listed'"
ok "unbind: the rest of the list stays" grep -qx "# mine" "$listed"
try openvsl unbind 03:00.0
rc_is 5 "not bound: status"
err_is "openvsl: 0000:03:00.0: cannot unbind: it is not bound to openvsl" "not bound: sentence"
untouched "not bound"

# Until the next boot; then for good.
machine
cards none
try openvsl bind -yq --once 0000:03:00.0
ok "bind --once: it is not listed" [ ! -e "$listed" ]
out_is "" "bind -q"
try openvsl bind -y 0000:03:00.0
rc_is 0 "bound until the next boot, and then for good"
untouched "only the list is changed"
ok "it is listed then" grep -qx "0000:03:00.0 8086:0953 CARD_1" "$listed"

# What cannot be given back now.  in_use STATE SENTENCE
in_use() {
	cards none
	extra "card 4" "state $1" "disk ${3-}" "flags ${4-0}"
	try openvsl unbind 03:00.0
	ok "unbind: $2" is_refused 5 "openvsl: 0000:03:00.0: cannot unbind: $2"
}
in_use "$attached" "fct4 of it is attached; detach it first (fio-detach /dev/fct4)" fioa
ln -s /dev/fct4 "$root/proc/77/fd/3"
in_use "$error" "the disk /dev/fioa of it is still open; end that first" fioa 16
in_use "$detached" "process 77 has /dev/fct4 open; end that first"
rm "$root/proc/77/fd/3"
ln -s /dev/fct40 "$root/proc/77/fd/4"
ok "refused: it stays listed" grep -q ^0000:03:00.0 "$listed"
try openvsl unbind -q 03:00.0
rc_is 0 "another card's node is open"
out_is "" "unbind -q"
openvsl bind -yq 03:00.0
cards none
extra "card 4" "state $error" "disk fioa" "flags 0"
try openvsl unbind -q 03:00.0
rc_is 0 "a dead card's disk that nobody has open is no obstacle"

# Words that are no device for us.
machine
cards none
for word in 3:0.0 0000:03:00 0000:03:00.8 0000:03:20.0 03:00.0x /dev/fct0 nvme0n1 000:03:00.0 ""; do
	no_bind 2 "$word: $no: it is not a PCI address like 0000:03:00.0; openvsl bind --list shows them" \
		"$word"
done
no_bind 3 "0000:09:00.0: $no: no such PCI device; openvsl bind --list shows what there is" 09:00.0
no_bind 7 "0000:00:1f.2: $no: it is no NVMe device; openvsl bind --list shows those" 00:1F.2
no_bind 7 "0000:05:00.0: $no: a card by Fusion-io: its interface was never published, so it cannot be driven; only NVMe cards can" \
	05:00.0
no_bind 5 "0000:07:00.0: $no: the driver vfio-pci has it; take it from that first, or add --force" \
	07:00.0
# All are checked before one is touched.
no_bind 3 "0000:09:00.0: $no: no such PCI device; openvsl bind --list shows what there is" \
	03:00.0 09:00.0
try openvsl bind 03:00.0
rc_is 2 "no terminal: status"
err_is "openvsl: $no: there is no terminal to ask on; say --yes" "no terminal: sentence"
untouched "no terminal"
touch "$root/denied"
no_bind 10 "0000:03:00.0: $no: not permitted; run it as root" 03:00.0
rm "$root/denied"
rmdir "$sys/bus/pci/drivers/openvsl"
no_bind 3 "$no: the driver is not loaded; load it first (modprobe openvsl)" 03:00.0
for words in "" "--list 03:00.0" "--json 03:00.0" "--boot 03:00.0 04:00.0"; do
	# shellcheck disable=SC2086
	try openvsl bind $words
	rc_is 2 "misuse: bind $words"
done

# In use.  busy ADDRESS DISK WHO
busy() {
	no_bind 5 "0000:$1: $no: /dev/$2 is in use ($3); end that first" --force "$1"
}
machine
echo "40 22 259:1 / /srv/a rw - ext4 /dev/root rw" >>"$root/proc/self/mountinfo"
busy 03:00.0 nvme0n1 "mounted on /srv/a"
echo "41 22 0:45 / /srv/b rw shared:3 - btrfs /dev/nvme1n1p1 rw" >>"$root/proc/self/mountinfo"
busy 04:00.0 nvme1n1 "mounted on /srv/b"
machine
echo "/dev/nvme0n1p1 partition 1024 0 -2" >>"$root/proc/swaps"
busy 03:00.0 nvme0n1 "used as swap"
mkdir "$sys/block/nvme1n1/nvme1n1p1/holders/dm-3" "$sys/block/nvme1n1/holders/md0"
busy 04:00.0 nvme1n1 "part of md0, part of dm-3"
machine
touch "$root/dev/nvme0n1.busy"
no_bind 5 "0000:03:00.0: $no: /dev/nvme0n1 is in use; see who has it open (fuser -v /dev/nvme0n1)" \
	03:00.0
rm "$root/dev/nvme0n1.busy"
ln -s /dev/nvme0n1p1 "$root/proc/77/fd/3"
no_bind 5 "0000:03:00.0: $no: process 77 has /dev/nvme0n1 open; end that first" --force 03:00.0
rm "$root/proc/77/fd/3"
ln -s /dev/nvme0n11 "$root/proc/77/fd/4"
rm "$root/dev/nvme0n1"
no_bind 1 "0000:03:00.0: $no: a disk of it has no node in /dev to look at it; is udev running?" \
	03:00.0

# Data.  carries WHAT NAME
machine
carries() {
	no_bind 7 "0000:03:00.0: $no: /dev/nvme0n1 carries $1; to give it up, add --force" \
		03:00.0
}
mark nvme0n1 512 "EFI PART"
mark nvme0n1 510 '\x55\xaa'
carries "a GPT partition table"
for kind in ext2 ext3 ext4; do
	if command -v mke2fs >/dev/null; then
		truncate -s 0 "$root/dev/nvme0n1"
		mke2fs -q -F -t $kind "$root/dev/nvme0n1" 4M
		carries "an $kind file system"
	else
		skip "mke2fs -t $kind" "no mke2fs"
	fi
done
if command -v mkswap >/dev/null; then
	truncate -s 0 "$root/dev/nvme0n1"
	truncate -s 4M "$root/dev/nvme0n1"
	mkswap "$root/dev/nvme0n1" >"$out" 2>&1
	carries "swap space"
else
	skip "mkswap" "no mkswap"
fi
try openvsl bind -yf 03:00.0
rc_is 0 "bind --force"
machine
mark nvme0n1 0 'OVSLROOT....\x04\x00\x00\x00\x00\x02\x00\x00'
mark nvme0n1 510 '\x55\xaa'
try openvsl bind -y 03:00.0
rc_is 0 "a disk that OpenVSL formatted is no obstacle"

# The driver makes no card of it.
machine
touch "$root/broken"
try openvsl bind -y 03:00.0
rc_is 1 "no card: status"
err_is "openvsl: 0000:03:00.0: $no: the driver made no card of it, and it was given back to nvme; see the kernel log" \
	"no card: sentence"
call_is "driver_override openvsl
unbind 0000:03:00.0
drivers_probe 0000:03:00.0
driver_override -
drivers_probe 0000:03:00.0" "no card: it is undone"
ok "no card: it is not listed" [ ! -e "$listed" ]

# At boot.  boot NAME STATUS CALLS WORDS
boot() {
	try openvsl bind --boot 0000:03:00.0
	ok "boot: $1" [ "$rc" = "$2" ]
	call_is "$3" "boot: $1: calls"
	out_is "" "boot: $1: nothing is said"
}
taken=$'driver_override openvsl\nunbind 0000:03:00.0\ndrivers_probe 0000:03:00.0'
list() {
	mkdir -p "${listed%/*}"
	printf '%s\n' "# a comment" "0000:02:00.0 144d:a808 OTHER" "$1" >"$listed"
}
machine
boot "no list" 0 ""
list "0000:04:00.0 8086:0953 CARD_9"
boot "not listed" 0 ""
list "0000:03:00.0 8086:0a54 CARD_1"
boot "another device is there" 0 ""
list "0000:03:00.0 8086:0953 CARD_2"
boot "another serial number" 7 ""
list "0000:03:00.0 8086:0953 CARD_1"
mark nvme0n1 0 XFSB	# it was asked about when it was bound
boot "listed" 0 "$taken"
boot "bound already" 0 ""
machine
list "0000:03:00.0 8086:0953 CARD_1"
serial=$(cat "$sys/class/nvme/nvme0/serial")
echo "(efault)" >"$sys/class/nvme/nvme0/serial"
echo new >"$sys/class/nvme/nvme0/state"
(sleep 0.5; echo "$serial" >"$sys/class/nvme/nvme0/serial"; echo live >"$sys/class/nvme/nvme0/state") &
boot "the stock driver is bringing it up" 0 "$taken"
machine
list "0000:03:00.0 8086:0953 CARD_1"
touch "$root/dev/nvme0n1.busy"
boot "in use" 5 ""
machine
list "03:00.0 8086:953"
rmdir "$sys/bus/pci/drivers/openvsl"
boot "the module comes later" 0 $'driver_override openvsl\nunbind 0000:03:00.0'
machine
list "0000:03:00.0 8086:0953 CARD_1"
rm "$sys/class/nvme/nvme0" "$sys/block/nvme0n1" "$sys/bus/pci/devices/0000:03:00.0/driver"
touch "$root/probing"
boot "another driver is taking it" 0 "driver_override openvsl
drivers_probe 0000:03:00.0
unbind 0000:03:00.0
drivers_probe 0000:03:00.0"
machine
list "0000:03:00.0 8086:0953 CARD_1"
rm "$sys/class/nvme/nvme0" "$sys/block/nvme0n1" "$sys/bus/pci/devices/0000:03:00.0/driver"
touch "$root/serial"
boot "another serial number, seen too late" 7 "driver_override openvsl
drivers_probe 0000:03:00.0
driver_override -
unbind 0000:03:00.0
drivers_probe 0000:03:00.0"
err_has "its serial number is OTHER-1 and not CARD_1, so it was given back" "boot: it says so"

# In another slot.  lines: of the list that have the card, and how many there are.
lines() {
	ok "boot: $1: the list" [ "$(grep CARD "$listed" | sort | paste -sd ,)" = "$2" ]
	ok "boot: $1: what others have in it" [ "$(grep -c 'OTHER\|# a comment' "$listed")" = 2 ]
}
machine
list "0000:04:00.0 8086:0953 CARD_1"
boot "it has moved" 0 "$taken"
lines "it has moved" "0000:03:00.0 8086:0953 CARD_1"
machine
list $'0000:03:00.0 8086:0953 CARD_2\n0000:07:00.0 8086:0953 CARD_1'
boot "two have changed places" 0 "$taken"
lines "two have changed places" "0000:03:00.0 8086:0953 CARD_1,0000:03:00.0 8086:0953 CARD_2"
cards none
extra "card 4" "state $detached"
try openvsl unbind 03:00.0
rc_is 0 "one of them is unbound"
lines "one of them is unbound" "0000:03:00.0 8086:0953 CARD_2"
cards none
machine
list "0000:04:00.0 8086:0953 CARD_1"
mark nvme0n1 0 XFSB
boot "it has moved, and carries data" 7 ""
err_has "/dev/nvme0n1 carries an XFS file system" "boot: it says so"
machine
list "0000:09:00.0 8086:0953 CARD_1"
mkdir -p "$sys/devices/pci0000:00/0000:07:00.0/nvme/nvme2"
ln -s "$sys/devices/pci0000:00/0000:07:00.0/nvme/nvme2" "$sys/class/nvme/nvme2"
echo "CARD 1" >"$sys/class/nvme/nvme2/serial"
boot "another port has the same number" 7 ""
err_is "openvsl: 0000:03:00.0: $no: 0000:07:00.0 has the same serial number CARD_1; bind the one that is meant" \
	"boot: it says which"
sed -i 's/09:/07:/' "$listed"
boot "and is the one that was given" 0 ""
machine
list "0000:04:00.0 144d:a808 CARD_1"
boot "another model has the same number" 0 ""
machine
list "0000:04:00.0 8086:0953 CARD_1"
rmdir "$sys/bus/pci/drivers/openvsl"
boot "it has moved, and the module comes later" 0 $'driver_override openvsl\nunbind 0000:03:00.0'
machine
list "0000:03:00.0 8086:0953 CARD_1"
rmdir "$sys/bus/pci/drivers/openvsl"
rm "$sys/class/nvme/nvme0" "$sys/block/nvme0n1" "$sys/bus/pci/devices/0000:03:00.0/driver"
boot "nobody can tell what it is, and the module would not ask" 0 ""
rmdir "$sys/bus/pci/drivers/nvme"
boot "there is no stock driver to tell" 0 "driver_override openvsl"

# The list, where a card is of another namespace, and where another was in the slot.
machine
touch "$root/third"
list "0000:03:00.0 8086:0953 CARD_2"
try openvsl bind -yq 03:00.0
rc_is 0 "bind: a card of the third namespace"
lines "a card of the third namespace" "0000:03:00.0 8086:0953 CARD_1,0000:03:00.0 8086:0953 CARD_2"

# The list.
machine
try openvsl bind -y 06:00.0
rc_is 0 "an open-channel card is known by its ids"
mark nvme0n1 512 "EFI PART"
echo "40 22 259:1 / /srv/a rw - ext4 /dev/root rw" >>"$root/proc/self/mountinfo"
rm "$root/dev/nvme1n1"
try openvsl bind --list
rc_is 0 "bind --list: status"
golden bind.list "bind --list"
try openvsl bind --list --json
ok "bind --list --json" json '.devices | length == 5 and
	.[0] == {address: "0000:03:00.0", id: "8086:0953", serial: "CARD_1", driver: "nvme",
		supported: true, listed: false, cards: [],
		disks: [{name: "nvme0n1", carries: "a GPT partition table", users: "mounted on /srv/a"}]} and
	.[1].disks[0].carries == null and .[2].supported == false and .[3].listed and
	.[3].cards[0].name == "fct4"'
rm -r "$sys/bus"
try openvsl bind --list
out_is "There is no NVMe device." "bind --list: nothing there"
done_testing
