# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# PCIe cards in a case: finding them, giving them to the driver, taking them back.

# shellcheck source-path=SCRIPTDIR source=card.sh
. /vsl/guest/card.sh

pci=/sys/bus/pci

# controllers: PCI addresses of all NVMe controllers, in order.
controllers() {
	local device

	for device in "$pci"/devices/*; do
		case $(cat "$device/class") in
		0x0108*) echo "${device##*/}" ;;
		esac
	done
}

# give ADDRESS: to the driver; nobody else has it.
give() {
	echo openvsl >"$pci/devices/$1/driver_override" && echo "$1" >"$pci/drivers_probe" &&
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
