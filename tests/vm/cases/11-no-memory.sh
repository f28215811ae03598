# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: allocations of create, format, attach, detach and save fail: clean errors, no leak
# kernels: debug
# (the stock kernels are built without fault injection)
# memory: 2G
# alone: it sets up fault injection
# timeout: 400

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh
# shellcheck source-path=SCRIPTDIR source=../guest/memory.sh
. /vsl/guest/memory.sh

[ -d "$debug/failslab" ] || skip_all "this kernel has no fault injection"
need "the driver loads" load_driver
need "fault injection is set up" prepare_faults
need "a card is made" make_card --size 16MiB
need "and formatted" openvsl format -qy -b 4096 "/dev/$card"

for what in create format attach detach save; do
	try "$what: clean errors while memory is short" fail-nth "$what" "$card"
	sed -n 's/^# //p' /tmp/tap.output | while read -r line; do note "$line"; done
done

need "the card attaches after all that" attach_card "$card"
try "and takes writes" fio --name=after --filename="$disk" --direct=1 --ioengine=libaio \
	--iodepth=16 --rw=randwrite --bs=4k --size=4M --verify=crc32c --do_verify=1
is "the audit finds nothing" "$(audit_of "$card")" 0
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
