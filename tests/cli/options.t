# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: every way of writing options and devices that scripts for the original
# use is understood, and nonsense is refused with one sentence and its status.

. "$(dirname "$0")/lib.sh"

# Ways to say the same.
cards two
try fio-status -fj /dev/fct0
cp "$out" "$work/want"
for words in "/dev/fct0 -fj" "-d /dev/fct0 -fj" "-f j fct0" "--format=j fct0" "--format j fct0" \
	"fioa -fj" "-dfj /dev/fioa" "-fj -- fct0" "fct0 fct0 -fj" "fioa fct0 -fj"; do
	# shellcheck disable=SC2086
	try fio-status $words
	ok "status $words" cmp -s "$work/want" "$out"
done
try openvsl status -fj fct0
ok "openvsl status" cmp -s "$work/want" "$out"
POSIXLY_CORRECT=1 try fio-status fct0 -fj
ok "both orders with POSIXLY_CORRECT" cmp -s "$work/want" "$out"

# --field in all its spellings; consumer 15 (udev) and OCS Inventory.
uuid=43836c20-2782-4279-91a3-25ac72c1a270
for words in "--field iom.format_uuid /dev/fioa" "/dev/fct0 --field iom.format_uuid" \
	"-F iom.format_uuid fct0" "-Fiom.format_uuid fct0" "fct0 --field=iom.format_uuid" \
	"--field format_uuid fct0" "--field vsu.persistent_uid fct0"; do
	# shellcheck disable=SC2086
	try fio-status $words
	out_is "$uuid" "status $words"
	rc_is 0 "status $words: status"
done
try fio-status -F iom.pci_addr -F adapter.product_name -F host.driver_loaded fct0
out_is $'07:00.0\nOC-SLC-160\n1' "--field may be repeated"
try fio-status --field iom.size_bytes fct3
rc_is 1 "a field without value is a failure"
err_is "openvsl: fct3: iom.size_bytes: no value: the card is not formatted" "and says why"
try fio-status --field vsu.device_path fct3
err_is "openvsl: fct3: vsu.device_path: no value: the card is not attached" "no disk, no value"
try fio-status -u --field iom.size_bytes fct3
out_is unavailable "-u"
try fio-status -U --field iom.pci_addr fct3
out_is "unavailable: the card is no PCI device" "-U"
try fio-status --field iom.pci_addr
rc_is 2 "--field needs a device"
try fio-status --field iom.nonsense fct0
rc_is 2 "an unknown field is misuse"
err_is "openvsl: iom.nonsense: no such field; fio-status --list-fields shows their names" "and says so"
try fio-status --field iomemory fct0
rc_is 2 "a list is no field"

# Every name that is listed works.
try fio-status --list-fields
cp "$out" "$work/names"
ok "fields are listed" [ "$(wc -l <"$work/names")" -gt 80 ]
cards formatting
extra "state 3"
fields=0
while mapfile -t -n 60 names && [ ${#names[@]} -gt 0 ]; do
	try fio-status -u "${names[@]/#/-F}" fct0
	[ "$rc" = 0 ] && fields=$((fields + $(wc -l <"$out")))
done <"$work/names"
ok "each listed field can be asked for" [ "$fields" = "$(wc -l <"$work/names")" ]
mapfile -t names < <(yes -- -Fiom_state | head -n 65)
try fio-status "${names[@]}" fct0
rc_is 2 "too many fields"
cards absent
try fio-status -l
ok "names are listed without a driver" cmp -s "$work/names" "$out"

# Counting and listing.
cards two
try fio-status -c
out_is 2 "-c"
try fio-status --count
out_is 2 "--count"
try fio-status -L
out_is $'/dev/fct0\n/dev/fct3' "-L"
cards none
try fio-status -c
out_is 0 "-c without cards"
rc_is 0 "-c without cards is no failure"
try fio-status -L
out_is "" "-L without cards"

# Clusters.
cards two
try fio-status -aU
cp "$out" "$work/have"
try fio-status -a
ok "-aU is -a" cmp -s "$work/have" "$out"
try fio-status -ad
ok "-a implies -d" cmp -s "$work/have" "$out"
try fio-status -fs -a
ok "-fs is the text" cmp -s "$work/have" "$out"

# Help and version are for everybody.
version=$(sed -n 's/^#define VSL_VERSION\t"\(.*\)"/openvsl \1/p' "$top/driver/version.h")
cards absent
for tool in fio-status fio-format fio-attach fio-detach fio-update-iodrive; do
	try $tool -v
	out_is "$version" "$tool -v"
	rc_is 0 "$tool -v: status"
	try $tool --help
	out_has "or: $tool [OPTION...]" "$tool --help"
	rc_is 0 "$tool --help: status"
done
for words in --help -h help; do
	try openvsl "$words"
	out_has "sim create" "openvsl $words"
	rc_is 0 "openvsl $words: status"
done
for words in "help sim" "sim" "sim --help"; do
	# shellcheck disable=SC2086
	try openvsl $words
	out_has "sim fault" "openvsl $words"
	ok "only that group" eval "! grep -q beacon '$out'"
done
try openvsl help sim fault
out_has "usage: openvsl sim fault" "help of a command of a group"
try openvsl help fio-attach
out_has "usage: openvsl attach" "help of a link"
try openvsl help help
out_has "usage: openvsl help [OPTION...] [COMMAND]" "help of help"
for words in "help --help" "help -h"; do
	# shellcheck disable=SC2086
	try openvsl $words
	out_has "usage: openvsl help [OPTION...] [COMMAND]" "openvsl $words"
	rc_is 0 "openvsl $words: status"
done
for words in "help -v" "help --version" "sim -v" "version --version" "--version"; do
	# shellcheck disable=SC2086
	try openvsl $words
	out_is "$version" "openvsl $words"
	rc_is 0 "openvsl $words: status"
done
while IFS=$'\t' read -r kind name _ operands _; do
	[ "$kind" = command ] || continue
	# shellcheck disable=SC2086
	try openvsl help $name
	ok "help $name: no blank at a line's end" eval "! grep -q ' \$' '$out'"
	if [[ $operands == *DEVICE* ]]; then
		out_has "A DEVICE is " "help $name: says what a device is"
	else
		ok "help $name: does not speak of devices" eval "! grep -q 'A DEVICE' '$out'"
	fi
done < <(openvsl --dump-commands)
cards none
try openvsl version
out_is "$version"$'\ndriver 0.1.0, ABI 1.2' "openvsl version"
cards absent
try openvsl version
out_is "$version" "openvsl version without driver"
rc_is 0 "openvsl version without driver: status"
cards none
try openvsl
rc_is 2 "no command is misuse"

# Nonsense.
refused 2 none "frobnicate: no such command; openvsl help lists them" openvsl frobnicate
refused 2 none "frobnicate: no such command; openvsl help lists them" openvsl help frobnicate
refused 2 none "frob: no such command of openvsl sim; openvsl help sim lists them" \
	openvsl sim frob
refused 2 none "frob: no such command of openvsl sim; openvsl help sim lists them" \
	openvsl help sim frob
refused 2 none "--frob: no such command of openvsl sim; openvsl help sim lists them" \
	openvsl sim --frob
refused 2 none "help: option --yes is unknown (openvsl help --help)" openvsl help format --yes
refused 2 none "help: what is 'fct0'? (openvsl help --help)" openvsl help format fct0
refused 2 none "help: what is 'fct0'? (openvsl help --help)" openvsl help sim fault fct0
refused 2 none "version: what is 'fct0'? (openvsl version --help)" openvsl version fct0
refused 2 none "sim presets: what is 'tiny'? (openvsl sim presets --help)" openvsl sim presets tiny
refused 2 none "sim faults: what is 'slow'? (openvsl sim faults --help)" openvsl sim faults slow
help="(openvsl status --help)"
refused 2 none "status: option -Z is unknown $help" fio-status -aZ
refused 2 none "status: option -Z is unknown $help" fio-status --all -Zc
refused 2 none "status: option --nonsense is unknown $help" fio-status --nonsense
refused 2 none "status: option --nonsense is unknown $help" fio-status --nonsense=1
refused 2 none "status: option --una is ambiguous $help" fio-status --una
refused 2 none "status: option --json takes no value $help" fio-status --json=1
refused 2 none "format: option --yes takes no value (openvsl format --help)" \
	fio-format --yes=1 fct0
refused 2 none "status: option --format needs a value $help" fio-status --all --format
refused 2 none "status: option -f needs a value $help" fio-status fct0 -af
refused 2 none "status: option -f needs a value (openvsl status --help)" fio-status -f
refused 2 none \
	"status: -f takes j (JSON), x (XML), k (key=value) or s (text), not 'y' (openvsl status --help)" \
	fio-status -fy
refused 2 none "attach: which card? (openvsl attach --help)" fio-attach
refused 2 none "detach: which card? (openvsl detach --help)" fio-detach
refused 2 none "format: which card? (openvsl format --help)" fio-format

# Devices that are none.
refused 3 absent \
	"the driver is not loaded (no /dev/openvsl); load it first (modprobe openvsl)" fio-status
cards absent
try fio-status -c
rc_is 3 "-c without driver fails"
out_is 0 "-c without driver says 0"
refused 3 two "fct9: no such card; there are: fct0 fct3" fio-status fct9
refused 3 none "/dev/fct0: no such card; there are none" fio-status /dev/fct0
refused 3 two "fiob: no card is attached under that name" fio-status fiob
refused 3 two "nonsense: no such card; there are: fct0 fct3" fio-status nonsense
refused 7 two "/dev/fioa1: it is a partition; name the whole card (fioa)" fio-status /dev/fioa1
refused 7 two "/dev/null: it is not a card of this driver" fio-status /dev/null
refused 7 two "/etc/passwd: it is not a card of this driver" fio-status /etc/passwd
refused 7 two "/: it is not a card of this driver" fio-status /
refused 3 two "/dev/nothing: no such card; there are: fct0 fct3" fio-status /dev/nothing
refused 7 new-abi \
	"the driver (9.0) has ABI 2 and this program needs 1; use tools of its version" fio-status

cards none
for nr in {0..39}; do
	extra "card $nr"
done
try fio-status fct99
err_is "openvsl: fct99: no such card; there are: $(printf 'fct%d ' {0..20})and more" \
	"many cards: it is said that there are more"

cards two
extra "node crossed"
try fio-status fct3
rc_is 7 "a node that leads to another card"
err_is "openvsl: fct3: cannot open: its node leads to another card; let udev or mdev make the nodes in /dev" \
	"is named as such"
try fio-format -y fct3
call_is "" "and never used"
cards two
extra "node denied"
try fio-status fiob
rc_is 10 "a disk's name, when a card cannot be asked"
err_is "openvsl: fct3: cannot open: not permitted; run it as root" "is that card's error"
try fio-status fioa
rc_is 0 "but not if another card has it"
cards two
extra "node gone"
try fio-status fiob
err_is "openvsl: fiob: no card is attached under that name" "a card that just went is no error"
cards two
extra "node foreign"
try fio-status fct3
rc_is 7 "a node of another driver"
err_is "openvsl: fct3: cannot open: the device does not understand; it belongs to another driver" \
	"is named as such"
cards two
extra "node missing"
try fio-status fct3
rc_is 3 "a missing node"
err_is "openvsl: fct3: cannot open: there is no node for it in /dev; is udev or mdev running?" \
	"is named as such"
cards two
extra "node denied"
try fio-status fct3
rc_is 10 "a node without permission"
err_is "openvsl: fct3: cannot open: not permitted; run it as root" "is named as such"
cards two
extra "node missing"
try fio-status
rc_is 3 "one bad node of two"
out_has "fct0" "the other one is reported"
cards two
extra "node leaving"
try fio-status
rc_is 0 "a card that leaves while all are asked"
err_is "" "is no error"
out_has "fct0" "and the other one is reported"

# Symbolic links to nodes, as udev makes them.
ln -s /dev/fioa "$work/by-id"
ln -s /dev/null "$work/null"
cards two
try fio-status -F iom.device_name "$work/by-id"
out_is fct0 "a link to a disk"
cd "$work" || exit
try fio-status -F iom.device_name by-id
out_is fct0 "a link to a disk, without a slash"
ln -s /tmp/fct0 elsewhere
try fio-status elsewhere
rc_is 3 "a link to something else, without a slash"
cd "$here" || exit
refused 7 two "$work/null: it is not a card of this driver" fio-status "$work/null"
done_testing
