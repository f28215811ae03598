# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: the bus of an NVMe disk reports errors under load: the disk goes on; or its link stays down
# often: 6.1
# memory: 1G
# timeout: 400
# together: nvme
# disk: bus 256M
# disk: link 256M
# qemu: -blockdev driver=file,node-name=bus,filename=%bus%
# qemu: -blockdev driver=file,node-name=link,filename=%link%
# qemu: -device pcie-root-port,id=aer,chassis=11,slot=11,addr=1b,x-speed=2_5
# qemu: -device pcie-root-port,id=down,chassis=12,slot=12,addr=1c
# qemu: -device nvme,bus=aer,id=bus,serial=bus,drive=bus
# qemu: -device nvme,bus=down,id=link,serial=link,drive=link
#
# A port of 2.5 GT/s does not tell whether its link is up, so the kernel takes it for
# that after a reset. The other one could tell, but QEMU does not say so of a device
# that was there from the start: its link never comes up again.

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

said() {
	dmesg | grep -qF "$1"
}

# load NAME FIO OPTION...: on $disk, beside the case; its process is in $job.
load() {
	fio --name=load --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 \
		--rw=randwrite --bs=4k --offset=64M --size="$(sized 16M 4M)" "$@" >/tmp/job 2>&1 &
	job=$!
	need "it is written to" under_load "$card"
}

# survive WHAT ERROR: what the kernel calls so is met under load, and nothing is lost.
survive() {
	load --verify=crc32c --do_verify=1
	machine pcie_aer_inject_error aer "$2"
	try "$1 error: the kernel sees it" wait_for 60 said "($1)"
	try "$1 error: no request failed, no byte is wrong" wait "$job"
	is "$1 error: the card is attached" "$(state_of "$card")" attached
	is "$1 error: the audit finds nothing" "$(audit_of "$card")" 0
}

need "the driver loads" load_driver
address=$(behind 1b)
use_card "$address" "before the errors"
survive Non-Fatal POISON_TLP
refuse "it was not reset for that" said "$address: Its bus has an error"
survive Fatal DLP
try "it was reset for that" said "$address: Its bus has an error"

# ---- the link stays down ----

address=$(behind 1c)
use_card "$address" "the other one"
load --time_based --runtime=300
machine pcie_aer_inject_error down DLP
ends_with_error() {
	wait_for 120 eval "! kill -0 $job" && ! wait "$job"
}
try "the link stays down: I/O ends with an error, fio with it" ends_with_error
try "the card is in error" wait_for 30 is_state "$card" error
try "the log says why" said "$address: Given up: "
need "the dead one is taken back" take "$address"
refuse "where nobody answers there is no card" give "$address"
try "the log says what to do" said "$address: Refused: nobody answers at its address; remove"
again() {
	echo 1 >"$pci/devices/$address/remove" && echo 1 >"$pci/rescan"
}
need "it is removed from its bus, and found again" again
need "it is given again" give "$address"
need "it is a card" card_of "$address"
try "it is attached by itself" wait_for 30 is_state "$card" attached
is "the audit finds nothing" "$(audit_of "$card")" 0
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
try "what was written before is right" verified large --rw=write --bs=1m --offset=24M \
	--size="$(sized 8M 4M)" --verify=crc32c --verify_interval=64k --verify_only
try "the module goes" rmmod openvsl
done_testing
