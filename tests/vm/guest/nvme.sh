# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# PCIe cards in a case: finding them, giving them to the driver, taking them back.

# shellcheck source-path=SCRIPTDIR source=card.sh
. /vsl/guest/card.sh

pci=/sys/bus/pci

# at SLOT: the PCI address of the device that the head of the case puts there (addr=SLOT).
at() {
	echo "0000:00:$1.0"
}

# behind SLOT: of the one that is in the port there.
behind() {
	basename "$pci/devices/$(at "$1")"/0000:??:??.?
}

# give ADDRESS: to the driver. Where udev is about, the stock driver may have it, or be
# taking it: that is waited for.
give() {
	echo openvsl >"$pci/devices/$1/driver_override" || return 1
	case $(readlink "$pci/devices/$1/driver") in
	'' | */openvsl) ;;
	*) echo "$1" >"$pci/devices/$1/driver/unbind" ;;
	esac
	echo "$1" >"$pci/drivers_probe" &&
		[ "$(basename "$(readlink "$pci/devices/$1/driver")")" = openvsl ]
}

# take ADDRESS: back from the driver.
take() {
	echo "$1" >"$pci/drivers/openvsl/unbind" && echo >"$pci/devices/$1/driver_override"
}

# cards_of ADDRESS: names of its cards, in order.
cards_of() {
	local card

	for card in "$pci/devices/$1"/openvsl/fct*; do
		[ ! -e "$card" ] || echo "${card##*/}"
	done
}

# card_of ADDRESS: its first card; the name is in $card.
card_of() {
	card=$(cards_of "$1" | head -n 1)
	[ -n "$card" ] && wait_for 30 test -c "/dev/$card"
}

# verified NAME OPTION...: one fio job on the disk; any wrong byte fails it.
verified() {
	local name=$1
	shift

	fio --name="$name" --filename="$disk" --ioengine=libaio --direct=1 --randseed=7 \
		--verify_fatal=1 --output-format=normal "$@"
}

# reattach: the card and its disk are the same afterwards.
reattach() {
	openvsl detach -q "/dev/$card" && attach_card "$card"
}

# use_card ADDRESS WHAT: given, formatted, attached, written, read back, detached and
# attached; the card is in $card, its disk in $disk.
use_card() {
	need "$2: given" give "$1"
	need "$2: a card" card_of "$1"
	use_this_card "$2"
}

# use_this_card WHAT [FORMAT OPTION...]: the same with the card that is in $card.
use_this_card() {
	local what=$1
	shift

	need "$what: formatted" openvsl format -qy "$@" "/dev/$card"
	need "$what: attached" attach_card "$card"
	try "$what: written at random, read back" verified random --rw=randwrite --bs=4k \
		--iodepth=64 --offset=16M --size="$(sized 4M 2M)" --verify=crc32c --do_verify=1
	try "$what: large requests, read back" verified large --rw=write --bs=1m --iodepth=4 \
		--offset=24M --size="$(sized 8M 4M)" --verify=crc32c --verify_interval=64k --do_verify=1
	try "$what: every size, from any memory" exercise "$disk" 12 "$(sized 200 60)" 1
	is "$what: the audit finds nothing" "$(audit_of "$card")" 0
	try "$what: detached and attached" reattach
	try "$what: all of it is still right" verified random --rw=randwrite --bs=4k \
		--offset=16M --size="$(sized 4M 2M)" --verify=crc32c --verify_only
}
