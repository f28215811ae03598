# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# purpose: the guest itself works: kernel, tools, and a stock disk under fio
# modules: null_blk
# timeout: 180

# shellcheck source-path=SCRIPTDIR source=../guest/tap.sh
. /vsl/guest/tap.sh

plan 4
note "$(uname -a)"
note "$(fio --version), $(mkfs.ext4 -V 2>&1 | head -n 1)"

is "the kernel is the one asked for" "$(uname -r)" "$RELEASE"
try "fio is there" fio --version
try "null_blk loads" modprobe null_blk nr_devices=1 gb=1 memory_backed=1 completion_nsec=0
try "fio verifies what it wrote" fio --name=verify --filename=/dev/nullb0 --rw=randwrite \
	--bs=4k --size=1m --direct=1 --ioengine=libaio --iodepth=16 --verify=crc32c --do_verify=1
