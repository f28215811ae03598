# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Memory that is short: fault injection, for cases of the debug kernel.

debug=/sys/kernel/debug

# Only allocations that the driver asks for, directly or through the kernel, fail;
# those fail-nth tells to. No trace of each in the log: so not those of the kernel's
# own look for partitions, which are made by vzalloc() and leave one.
prepare_faults() {
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
