# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an NVMe disk where all memory is bounced and there are no message-signalled interrupts
# often: 6.1
# memory: 2G
# timeout: 480
# disk: a 256M
# qemu: -drive file=%a%,if=none,id=a,format=raw,cache=unsafe
# qemu: -device nvme,serial=bounced,drive=a,addr=8
# append: swiotlb=force pci=nomsi

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

address=$(at 08)
need "the driver loads" load_driver
use_card "$address" "swiotlb and one wire"
try "there was one interrupt only" eval 'dmesg | grep -qF "1 queues of 128, 1 interrupts"'
try "the module goes" rmmod openvsl
done_testing
