# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: allocations of create, format, attach, detach and save fail: clean errors, no leak
# kernels: debug
# (the stock kernels are built without fault injection)
# memory: 2G
# timeout: 400

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

debug=/sys/kernel/debug

# Only allocations that the driver asks for, directly or through the kernel, fail;
# those fail-nth tells to. No trace of each in the log: so not those of the kernel's
# own look for partitions, which are made by vzalloc() and leave one.
prepare() {
	local start size which partitions

	# In the order of their addresses.
	read -ra partitions < <(awk '
		$3 == "bdev_disk_changed" { from = $1 }
		from && $1 != from { print "0x" from, "0x" $1; exit }' /proc/kallsyms)
	[ "${#partitions[@]}" = 2 ] || return
	start=$(cat /sys/module/openvsl/sections/.text)
	size=$(awk '$1 == "openvsl" { print $2 }' /proc/modules)
	for which in failslab fail_page_alloc; do
		echo 0 >"$debug/$which/verbose"
		echo N >"$debug/$which/ignore-gfp-wait"
		echo 32 >"$debug/$which/stacktrace-depth"
		printf '%#x' "$start" >"$debug/$which/require-start"
		printf '%#x' $((start + size)) >"$debug/$which/require-end"
		echo "${partitions[0]}" >"$debug/$which/reject-start"
		echo "${partitions[1]}" >"$debug/$which/reject-end"
	done
	echo 0 >"$debug/fail_page_alloc/min-order"
	echo N >"$debug/fail_page_alloc/ignore-gfp-highmem"
}

[ -d "$debug/failslab" ] || skip_all "this kernel has no fault injection"
need "the driver loads" load_driver
need "fault injection is set up" prepare
need "a card is made" make_card --size 16MiB
need "and formatted" openvsl format -qy -b 4096 "/dev/$card"

each=$([ -n "$FULL" ] && echo 100 || echo 25)
for what in create format attach detach save; do
	try "$what: clean errors while memory is short" fail-nth "$what" "$card" "$each"
	sed -n 's/^# //p' /tmp/tap.output | while read -r line; do note "$line"; done
done

need "the card attaches after all that" attach_card "$card"
try "and takes writes" fio --name=after --filename="$disk" --direct=1 --ioengine=libaio \
	--iodepth=16 --rw=randwrite --bs=4k --size=4M --verify=crc32c --do_verify=1
is "the audit finds nothing" "$(audit_of "$card")" 0
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
