# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: the report's every form, for every kind of card, stays what it is.
# Method: golden files; the documents are parsed by independent programs too.

. "$(dirname "$0")/lib.sh"

all="healthy domain read-only reduced blank detached attached-sim error error-open
future foreign-card formatting failed-attach two none"

for card in $all; do
	cards "$card"
	try fio-status
	golden "$card.plain" "$card: plain"
	rc_is 0 "$card: a report never fails because of the card's state"
	try fio-status -a
	golden "$card.all" "$card: -a"
	try fio-status -fj
	golden "$card.json" "$card: -fj"
	try fio-status -fx
	golden "$card.xml" "$card: -fx"
	try fio-status -fk
	golden "$card.lines" "$card: -fk"
	try openvsl status --json
	golden "$card.own.json" "$card: --json"
done

for card in healthy blank two; do
	cards $card
	try fio-status -d
	golden "$card.volumes" "$card: -d"
	try fio-status -e
	golden "$card.alerts" "$card: -e"
	try fio-status -fj -U
	golden "$card.reasons.json" "$card: -fj -U"
	try fio-status -fj -u
	golden "$card.unavailable.json" "$card: -fj -u"
done
cards past
try fio-status
out_has "it was formatted by an older driver; attach it with that one, or format it again" \
	"past: its format is an old one"
cards read-only
try fio-status -e
golden read-only.alerts "read-only: -e"

# --check tells by the exit status, and prints the same.
for card in healthy domain blank detached attached-sim formatting two none; do
	cards $card
	try openvsl status --check
	rc_is 0 "$card: --check is content"
done
for card in read-only reduced error error-open future foreign-card failed-attach; do
	cards $card
	try fio-status -c --check
	rc_is 4 "$card: -c --check is not content"
	out_is 1 "$card: -c --check counts"
	try openvsl status --check
	rc_is 4 "$card: --check is not content"
	ok "$card: --check prints the report" diff "$here/golden/$card.plain" "$out"
done

cards healthy
try fio-status -c --check
rc_is 0 "-c --check is content"
out_is 1 "-c --check counts"
cards absent
try fio-status -c --check
rc_is 3 "-c --check without driver"
cards healthy
extra "spare_permyriad 1000"
try openvsl status --check
rc_is 4 "a reserve at its warning level is no good sign"
extra "spare_permyriad 1001"
try openvsl status --check
rc_is 0 "one above it is"

# What the scrubber has done is told where it has done something.
cards healthy
extra "scrub_blocks 39321600" "scrub_bad 2" "scrub_pass_ts 1700000000"
try fio-status -a
out_has "	   Blocks read : 39,321,600" "-a: the scrubber's blocks"
out_has "	   Of them bad : 2" "-a: what it has found"
out_has "	   Last pass   : 2023-11-14 22:13:20 UTC" "-a: when it was through"
extra "scrub_blocks 5" "scrub_pass_ts 0"
try fio-status -a
out_has "	   Last pass   : none since the card was attached" "-a: the first pass is under way"

# Parity is told where there is any, with what it was good for.
extra "flags 0x2e" "rebuilt_blocks 7"
try fio-status -a
out_has "	Parity: on, 7 blocks made again from it" "-a: parity"
try openvsl status --json
out_has '        "parity": true,' "--json: parity"
out_has '        "rebuilt_blocks": 7' "--json: what was made again"

# Documents, judged by others.
jq_takes() {
	jq -e . "$1" >"$work/jq"
}
if command -v jq >/dev/null; then
	for card in $all; do
		for form in json own.json; do
			ok "$card.$form is JSON" jq_takes "$here/golden/$card.$form"
		done
	done
	cards two
	try fio-status -fj
	ok "every value is a string" json '[.. | scalars | type] | unique == ["string"]'
	ok "keys are alphabetical" json '[.. | objects | keys_unsorted == (keys_unsorted | sort)]
		| all'
	ok "a card without disk has an empty vsu list" json '.adapter[1].iomemory[0].vsu == []'
	ok "one key a line" [ "$(grep -c '": "' "$out")" = "$(jq '[.. | scalars] | length' "$out")" ]
	try fio-status -fj -U
	ok "-U: the 187 + 2 fields of a module, and its list" json '.adapter[0].iomemory[0] | length == 190'
	ok "-U: the 50 fields of an adapter, and its list" json '.adapter[0] | length == 51'
	ok "-U: the 12 fields of a disk" json '.adapter[0].iomemory[0].vsu[0] | length == 12'
	ok "-U: the 11 fields of the host" json '.host[0] | length == 11'
	try openvsl status --json
	ok "--json: numbers are numbers" json '.version.major == 1 and .version.minor == 1 and
		.devices[0].capacity.size_bytes == 160000000000 and
		.devices[0].sensors.temp_millic == 51680'
	ok "--json: what is not there is null" json '.devices[1] | .sensors.temp_millic == null and
		.pci == null and .format == null and .block_device == null and
		.wear.reserve_permyriad == null and .healthy'
	ok "--json: all cards have the same keys" json '.devices | (.[0] | keys) == (.[1] | keys)'
	cards none
	try openvsl status --json
	ok "--json: no card, an empty list" json '.devices == []'
else
	skip "JSON" "no jq"
fi
if command -v xmllint >/dev/null; then
	for card in $all; do
		ok "$card.xml is XML" xmllint --noout "$here/golden/$card.xml"
	done
else
	skip "XML" "no xmllint"
fi

# The disk of a card that failed is there as long as it is open, and no good.
cards error-open
try fio-status -F vsu.vsu_state fct0
out_is Offline "a failed card's disk is not online"
try fio-status -a
out_has $'fioa\tState: Offline' "nor in the text"

# What a card says of itself is text, whatever is in it.
cards healthy
extra $'model OC\033[31m\xe9\x7f' $'serial 12\t\n41' $'firmware 7\x01' $'driver 0.1\033c'
for form in -a -fj -fx -fk; do
	try fio-status $form
	ok "$form: no byte that is no character" eval "! grep -q '[^[:print:][:space:]]' '$out'"
done
try fio-status -F product_name -F serial_number -F iom.fw_current_version fct0
out_is $'OC?[31m??\n12?\n7?' "such bytes become question marks"

# Nothing is made up.
cards blank
try fio-status -a
for word in temperature PCI "Reserve space" "Rated PBW" "Lifetime" "RAM usage" voltage; do
	ok "no line about $word" eval "! grep -q '$word' '$out'"
done

# Colour is for terminals only, if at all.
cards read-only
try fio-status -a
ok "no colour on a pipe" eval "! grep -q \$'\\033' '$out'"
if command -v script >/dev/null; then
	TERM=xterm script -qc "$here/build/fio-status -e" /dev/null >"$out" 2>&1 </dev/null
	ok "colour on a terminal" grep -q $'\033' "$out"
	TERM=xterm NO_COLOR=1 script -qc "$here/build/fio-status -e" /dev/null >"$out" 2>&1 </dev/null
	ok "NO_COLOR" eval "! grep -q \$'\\033' '$out'"
	TERM=dumb script -qc "$here/build/fio-status -e" /dev/null >"$out" 2>&1 </dev/null
	ok "TERM=dumb" eval "! grep -q \$'\\033' '$out'"
else
	skip "colour on a terminal" "no script(1)"
fi

# A full disk is not silently ignored.
if [ -w /dev/full ]; then
	"$here/build/fio-status" >/dev/full 2>"$err"
	rc=$?
	rc_is 1 "output that cannot be written is a failure"
fi
done_testing
