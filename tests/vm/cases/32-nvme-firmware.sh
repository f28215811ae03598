# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what an NVMe disk says of its firmware and its errors; one that takes no firmware says so
# memory: 1G
# timeout: 240
# together: nvme
# disk: firmware 256M
# qemu: -drive file=%firmware%,if=none,id=firmware,format=raw,cache=unsafe
# qemu: -device nvme,serial=firmware,drive=firmware,addr=1a

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

# The device has one slot, which is fixed, in it "1.0", and an error log that stays empty.
address=$(at 1a)
need "the driver loads" load_driver
need "the card is given to it" give "$address"
need "it is a card" card_of "$address"

# says TEXT: the status has such a line, after a while.
says() {
	openvsl status -a "/dev/$card" | grep -qxF "	$1"
}
# says_json TEXT: its JSON has.
says_json() {
	openvsl status --json "/dev/$card" | tr -d ' \n' | grep -qF "$1"
}
try "what is in its slot of firmware" wait_for 30 says "Firmware slots: 1 1.0 (runs)"
try "how many errors it has had" wait_for 30 says "Error log of the card: 0 entries"
refuse "there is no last one" eval 'openvsl status -a "/dev/$card" | grep -q "The last:"'
refuse "nor a firmware that waits" eval 'openvsl status "/dev/$card" | grep -q Unactivated'
try "the same as JSON: the slot" says_json '"firmware_slots":[{"slot":1,"firmware":"1.0","active":true,"next":true,"fixed":true}]'
try "the same as JSON: no update" says_json '"firmware_update":false'
try "the same as JSON: errors" says_json '"error_log":{"entries":0,"last":null}'

# refused_update WHAT: with status 7, one sentence, and the card as it was.
refused_update() {
	local state
	state=$(state_of "$card")
	openvsl update -y "$card" /tmp/image 2>/tmp/said
	is "$1: the exit status" "$?" 7
	is "$1: one sentence" "$(cat /tmp/said)" \
		"openvsl: $card: cannot update: it takes no firmware from a host"
	is "$1: the card is what it was" "$(state_of "$card")" "$state"
}
head -c 65536 /dev/urandom >/tmp/image
refused_update "update of a blank card"
need "it is formatted" openvsl format -qy "/dev/$card"
need "it is attached" attach_card "$card"
refused_update "update of an attached card"
try "its disk goes on" verified random --rw=randwrite --bs=4k --iodepth=16 --size=4M \
	--verify=crc32c --do_verify=1
try "detach" openvsl detach -q "/dev/$card"

# After a reset it is asked again.
echo 1 >"$pci/devices/$address/reset"
try "after a reset: what is in its slot" wait_for 30 says "Firmware slots: 1 1.0 (runs)"
try "after a reset: how many errors" wait_for 30 says "Error log of the card: 0 entries"

need "a simulated card" openvsl sim create --preset tiny
card=fct1
wait_for 30 test -c /dev/fct1
is "of a simulated card nothing is known" \
	"$(openvsl status -a /dev/fct1 | grep -cE 'Firmware slots|Error log of the card')" 0
refused_update "update of a simulated card"
try "the module goes" rmmod openvsl
done_testing
