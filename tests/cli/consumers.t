# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: programs written for the original's fio-status keep working.  Method:
# each test reads the output the way one of them does (patterns written anew
# from what they look for).

. "$(dirname "$0")/lib.sh"

# pt-summary (Percona Toolkit), fio-status -a: records, then lines in order.
cards two
try fio-status -a
pt_summary() {
	perl -e '
		undef $/; $_ = <STDIN>;
		exit 1 unless /Fusion-io driver version:\s*(.+)/ && $1 =~ /0\.1\.0/;
		my @adapters = split /^Adapter: /m; shift @adapters;
		exit 2 unless @adapters == 2;
		my ($list) = $adapters[0] =~ /Connected \S+ modules?:\s*\n(.+?\n)\n/s or exit 3;
		my @modules = $list =~ /\s+([^:]+):.+\n/g;
		exit 4 unless "@modules" eq "fct0";
		$adapters[0] =~ /^\s*fct0\s+(Attached[^\n]+)\n\s+([^\n]+)\n.+?(Firmware\s+[^\n]+)\n
			.+?(Internal\ temperature:[^\n]+)\n.+?((?:Media|Reserve\ space)\ status:[^\n]+)\n
			.+?(?:\n\n|\z)/xsm or exit 5;
		exit 6 unless $4 eq "Internal temperature: 51.68 degC, max 58.08 degC";
		exit 7 unless $5 eq
			"Reserve space status: Healthy; Reserves: 100.00%, warn at 10.00%";
		exit 8 unless $adapters[0] =~ /Rated PBW:\ [^\n]+remaining/;
	' <"$out"
}
if command -v perl >/dev/null; then
	ok "pt-summary" pt_summary
else
	skip "pt-summary" "no perl"
fi

# LinuxTelemetry (collectd).
ok "collectd: bytes written" \
	[ "$(grep "Physical bytes written:" "$out" | awk '{print $4}')" = 270,530,692,575,920 ]
ok "collectd: bytes read" \
	[ "$(grep "Physical bytes read   :" "$out" | awk '{print $5}')" = 229,918,969,663,096 ]

# The Go agent: the count, and no line with these words while all is well.
ok "agent: found" grep -qE 'Found [0-9]+ ioMemory device' "$out"
ok "agent: no error" eval "! grep -iqE 'error|warning' '$out'"

# chk_fio.sh
ok "chk_fio: RAM" [ "$(grep -cE '^[[:space:]]+(Current|Peak   ): [0-9,]+ bytes' "$out")" = 2 ]
ok "chk_fio: product" grep -qE 'fct0:.Product Number:[^,]+, SN:' "$out"

# SAN agent, plain fio-status: the disk, and on the next line the serial number.
try fio-status
ok "SAN agent" [ "$(grep -A1 -E "^fct[0-9]+.+'fio[a-z]'" "$out" | sed -n 's/.* SN:\([A-Za-z0-9_-]*\)$/\1/p')" = \
	1241D0259 ]
# Inventory: the line after the adapter's, and the size.
ok "inventory: serial number" eval "grep -A1 '^Adapter: ' '$out' | grep -q SN:1241D0259"
ok "inventory: size" grep -qE '[0-9.]+ GBytes .*device size' "$out"

# HP CSUR: a bare number, status 0.
try fio-status -c
ok "CSUR" grep -qx '[0-9]*' "$out"

# The Nagios plugin reads fio-status -d DEV -fj line by line.
try fio-status -d fct0 -fj
value() {
	sed -n "s/^ *\"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$out" | head -n 1
}
for pair in temp_internal_deg_c=51.68 reserve_space_pct=100.00 reserve_status=Healthy \
	iom_state=Attached total_physical_bytes_written=270530692575920 has_pcie_errors=0 \
	device_path=/dev/fct0 vsu_state=Online version=1.0 current_errors= size_bytes=160000000000 \
	rated_writes_remaining_percent=100.00 active_media_pct=99.87; do
	ok "nagios: $pair" [ "$(value "${pair%%=*}")" = "${pair#*=}" ]
done

# Xymon, 2.x key=value lines.
try fio-status -fk
ok "xymon: media_status" grep -qx 'media_status=Healthy' "$out"
ok "xymon: blocks_good_percent" \
	[ "$(sed -n 's/^blocks_good_percent=\([0-9]*\)\..*/\1/p' "$out")" -ge 80 ]

# RemixVSL udev rule: bare values; the address without domain.
try fio-status --field iom.pci_addr /dev/fioa
out_is 07:00.0 "udev: by-path"

# Nutanix and PostgreSQL scripts: several cards, clustered flags.
cards blank
try fio-format -qy -s60% /dev/fct0
call_is "format fct0 sector=512 capacity=96000000000 flags=0" "nutanix"
try fio-format -y -b 4k /dev/fct0
call_is "format fct0 sector=4096 capacity=0 flags=0" "postgresql farm"
done_testing
