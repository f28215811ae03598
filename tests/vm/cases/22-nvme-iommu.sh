# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an NVMe disk behind a strict IOMMU: what was not mapped is out of its reach
# often: 7
# memory: 2G
# timeout: 480
# disk: a 256M
# qemu: -device intel-iommu,intremap=off
# qemu: -drive file=%a%,if=none,id=a,format=raw,cache=unsafe
# qemu: -device nvme,serial=strict,drive=a,addr=8
# append: intel_iommu=on iommu.strict=1 iommu=nopt

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

address=$(at 08)
[ -e "$pci/devices/$address/iommu_group" ] || bail "there is no IOMMU"
is "the IOMMU is strict" "$(cat "$pci/devices/$address/iommu_group/type")" DMA
need "the driver loads" load_driver
use_card "$address" "strict IOMMU"
faults() {
	dmesg | grep -c 'DMAR:.*fault' || true
}
is "it reached for nothing that was not mapped" "$(faults)" 0
try "the module goes" rmmod openvsl
is "nor at the end" "$(faults)" 0
done_testing
