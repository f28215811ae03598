# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an NVMe disk is pulled from its slot under load and put back; its neighbour goes on
# often: 7
# memory: 1G
# timeout: 300
# together: nvme
# disk: hot 256M
# disk: still 256M
# qemu: -blockdev driver=file,node-name=hot,filename=%hot%
# qemu: -blockdev driver=file,node-name=still,filename=%still%
# qemu: -device pcie-root-port,id=slot1,chassis=1,slot=1,addr=16
# qemu: -device pcie-root-port,id=slot2,chassis=2,slot=2,addr=17
# qemu: -device nvme,bus=slot1,id=hot,serial=hot,drive=hot
# qemu: -device nvme,bus=slot2,id=still,serial=still,drive=still

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

hot=$(behind 16) still=$(behind 17)
ready() {
	give "$1" && card_of "$1" && openvsl format -qy "/dev/$card" && attach_card "$card"
}
need "the driver loads" load_driver
need "the neighbour is ready" ready "$still"
neighbour=$card neighbours=$disk
need "the card in the slot is ready" ready "$hot"
try "something is written to it" verified kept --rw=randwrite --bs=4k --iodepth=16 \
	--size=4M --verify=crc32c --do_verify=1 --end_fsync=1

fio --name=pulled --filename="$disk" --direct=1 --ioengine=libaio --iodepth=32 --rw=randwrite \
	--bs=4k --offset=16M --size=16M --time_based --runtime=300 >/tmp/pulled 2>&1 &
job=$!
fio --name=on --filename="$neighbours" --direct=1 --ioengine=libaio --iodepth=8 --rw=randwrite \
	--bs=4k --size="$(sized 16M 4M)" --loops=2 --verify=crc32c --do_verify=1 >/tmp/on 2>&1 &
other=$!
need "it is written to" under_load "$card"
machine device_del hot
ends_with_error() {
	wait_for 120 eval "! kill -0 $job" && ! wait "$job"
}
try "I/O ends with an error, fio with it" ends_with_error
try "its nodes go" wait_for 60 eval '[ ! -e "/dev/$card" ] && [ ! -e "$disk" ]'
try "the device goes" wait_for 60 eval '[ ! -e "$pci/devices/$hot" ]'
try "the neighbour went on, and all it wrote is right" wait "$other"
is "the neighbour is attached" "$(state_of "$neighbour")" attached

# The slot may not take one at once.
sleep 1
machine device_add nvme,bus=slot1,id=hot,serial=hot,drive=hot
need "another one is put in" wait_for 60 test -e "$pci/devices/$hot"
need "it is given" give "$hot"
need "it is a card" card_of "$hot"
try "it is attached by itself" wait_for 30 is_state "$card" attached
disk=/dev/$(cat "/sys/class/openvsl/$card/disk")
is "the audit finds nothing" "$(audit_of "$card")" 0
try "what was written is right" verified kept --rw=randwrite --bs=4k --iodepth=16 \
	--size=4M --verify=crc32c --verify_only
try "the module goes" rmmod openvsl
done_testing
