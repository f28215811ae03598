# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: NVMe disks of many shapes: blocks, metadata, namespaces, small commands, few queues and interrupts
# often: 7
# memory: 2G
# timeout: 600
# together: nvme
# disk: shape-a 256M
# disk: shape-b 256M
# disk: shape-c 256M
# disk: shape-d 256M
# disk: shape-e 16M
# disk: shape-f 256M
# disk: shape-g 128M
# disk: shape-h 128M
# qemu: -drive file=%shape-a%,if=none,id=shape-a,format=raw,cache=unsafe
# qemu: -drive file=%shape-b%,if=none,id=shape-b,format=raw,cache=unsafe
# qemu: -drive file=%shape-c%,if=none,id=shape-c,format=raw,cache=unsafe
# qemu: -drive file=%shape-d%,if=none,id=shape-d,format=raw,cache=unsafe
# qemu: -drive file=%shape-e%,if=none,id=shape-e,format=raw,cache=unsafe
# qemu: -drive file=%shape-f%,if=none,id=shape-f,format=raw,cache=unsafe
# qemu: -drive file=%shape-g%,if=none,id=shape-g,format=raw,cache=unsafe
# qemu: -drive file=%shape-h%,if=none,id=shape-h,format=raw,cache=unsafe
# qemu: -device nvme,id=many,serial=many,addr=10
# qemu: -device nvme-ns,bus=many,drive=shape-a,nsid=1,logical_block_size=4096,physical_block_size=4096
# qemu: -device nvme-ns,bus=many,drive=shape-b,nsid=3,logical_block_size=512,ms=8,mset=0
# qemu: -device nvme-ns,bus=many,drive=shape-c,nsid=7,logical_block_size=4096,physical_block_size=4096,ms=64,mset=0
# qemu: -device nvme-ns,bus=many,drive=shape-d,nsid=8,logical_block_size=4096,physical_block_size=4096,ms=8,mset=1
# qemu: -device nvme-ns,bus=many,drive=shape-e,nsid=9
# qemu: -device nvme,serial=small,drive=shape-f,addr=11,mdts=1,max_ioqpairs=1
# qemu: -device nvme,serial=vector,drive=shape-g,addr=1d,msix_qsize=1
# qemu: -device nvme,serial=vectors,drive=shape-h,addr=1e,msix_qsize=2

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

many=$(at 10) small=$(at 11)
need "the driver loads" load_driver
need "the controller of many namespaces is given" give "$many"
mapfile -t cards < <(cards_of "$many")
is "three of its namespaces are cards" "${cards[*]}" "fct0 fct1 fct2"
serials=$(for card in "${cards[@]}"; do cat "/sys/class/openvsl/$card/serial"; done)
is "each has a serial number of its own" "$(paste -sd ' ' <<<"$serials")" "many many-3 many-7"
said() {
	dmesg | grep -qF "$1"
}
# has ADDRESS WHAT: queues and interrupts, as the driver has said.
has() {
	dmesg | grep -F "$1: NVMe controller, firmware" | grep -qF "$2"
}
try "metadata between the data is refused" said "Namespace 8 refused: its metadata lies between"
try "a disk that is too small is refused" said "Namespace 9 refused: its 16777216 bytes are too few"

card=fct0
use_this_card "blocks of 4096 bytes"
card=fct1
use_this_card "blocks of 512 bytes with 8 of metadata" -b 512
card=fct2
use_this_card "blocks of 4096 bytes with 64 of metadata"

# What is found again after the controller was away.
need "the controller is taken back" take "$many"
need "and given again" give "$many"
try "all three are attached by themselves" wait_for 30 eval \
	'is_state fct0 attached && is_state fct1 attached && is_state fct2 attached'

use_card "$small" "commands of 8 KiB, one queue"
is "it is the fourth card" "$card" fct3
try "with an interrupt of its own" has "$small" "1 queues of 128, 2 interrupts"
use_card "$(at 1d)" "one interrupt for all"
try "and so one queue" has "$(at 1d)" "1 queues of 128, 1 interrupts"
use_card "$(at 1e)" "two interrupts"
try "one for administration, one for the other queue" has "$(at 1e)" "1 queues of 128, 2 interrupts"

# All six at once.
go_on() {
	fio --name=on --filename="/dev/$(cat "/sys/class/openvsl/$1/disk")" --direct=1 \
		--ioengine=libaio --iodepth=16 --rw=randwrite --bs=4k --offset=32M \
		--size="$(sized 4M 1M)" --verify=crc32c --do_verify=1 >"/tmp/on.$1" 2>&1
}
jobs=()
for card in fct0 fct1 fct2 fct3 fct4 fct5; do
	go_on "$card" &
	jobs+=($!)
done
for i in 0 1 2 3 4 5; do
	try "six at once: fct$i" wait "${jobs[i]}"
done
try "the module goes" rmmod openvsl
done_testing
