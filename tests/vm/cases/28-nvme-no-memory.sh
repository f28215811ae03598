# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: allocations fail while an NVMe disk is given to the driver: refused, or used, no leak
# often: never
# kernels: debug
# (the stock kernels are built without fault injection)
# memory: 2G
# timeout: 300
# disk: a 64M
# qemu: -drive file=%a%,if=none,id=a,format=raw,cache=unsafe
# qemu: -device nvme,serial=short,drive=a,max_ioqpairs=1

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh
# shellcheck source-path=SCRIPTDIR source=../guest/memory.sh
. /vsl/guest/memory.sh

address=$(controllers)
[ -d "$debug/failslab" ] || skip_all "this kernel has no fault injection"
need "the driver loads" load_driver auto_attach=0
need "fault injection is set up" prepare_faults
need "the card is given" give "$address"
need "it is a card" card_of "$address"
need "it is formatted" openvsl format -qy "/dev/$card"
echo "$address" >"$pci/drivers/openvsl/unbind"

# bind_short N: bind while the Nth allocation fails; 1 if there are not so many.
bind_short() {
	local left

	echo "$1" >/proc/self/fail-nth
	echo "$address" >"$pci/drivers/openvsl/bind" 2>/dev/null
	left=$(</proc/self/fail-nth)
	echo 0 >/proc/self/fail-nth
	if [ -e "$pci/drivers/openvsl/$address" ]; then
		used=$((used + 1))
		echo "$address" >"$pci/drivers/openvsl/unbind"
	else
		refused=$((refused + 1))
	fi
	[ "$left" = 0 ]
}

used=0 refused=0 nth=1
while bind_short "$nth" && [ "$nth" -lt 2000 ]; do
	# All of the first ones, some of those that are all alike.
	nth=$((nth + (nth < 40 ? 1 : 11)))
done
note "$nth allocations or so; refused $refused times, used $used times"
try "there was an end to it" [ "$nth" -lt 2000 ]
try "it was refused now and then" [ "$refused" -ge 20 ]
need "with enough memory it is a card" eval 'echo "$address" >"$pci/drivers/openvsl/bind"'
card_of "$address"
need "which attaches" attach_card "$card"
is "the audit finds nothing" "$(audit_of "$card")" 0
try "the module goes" rmmod openvsl
done_testing
