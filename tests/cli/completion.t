# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: the completion that is made from the command table works in bash.

. "$(dirname "$0")/lib.sh"

cards absent
made=$work/openvsl.bash
openvsl --dump-commands | sh "$top/tools/completion.sh" >"$made"
ok "made twice, the same twice" cmp -s "$made" \
	<(openvsl --dump-commands | sh "$top/tools/completion.sh")
# shellcheck disable=SC1090
. "$made"

# The devices of this machine are not the test's.
_openvsl_devices() {
	printf '/dev/fct0\n/dev/fct3\n'
}

_openvsl_pci() {
	printf '0000:03:00.0\n0000:04:00.0\n'
}

# completes WORDS... ANSWER: the last word is being typed.
completes() {
	local answer=${*: -1}	# "" for none
	COMP_WORDS=("${@:1:$#-1}")
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMPREPLY=()
	_openvsl 2>"$err"
	printf '%s\n' "${COMPREPLY[@]}" | sort -u | tr '\n' ' ' >"$out"
	ok "${COMP_WORDS[*]}" [ "$(cat "$out")$(cat "$err")" = "$answer " ]
}
addresses() {
	COMP_WORDS=(openvsl bind 0000 : 03)
	COMP_CWORD=4
	COMPREPLY=()
	_openvsl 2>"$err"
	[ "${COMPREPLY[*]}" = "03:00.0" ] && [ ! -s "$err" ] || return 1
	COMP_WORDS=(openvsl unbind "")
	COMP_CWORD=2
	_openvsl 2>"$err"
	[ "${COMPREPLY[*]}" = "0000:03:00.0 0000:04:00.0" ] && [ ! -s "$err" ]
}
commands="attach beacon bind check detach format help sim status unbind update version"
completes openvsl "" "$commands"
completes openvsl st "status"
completes openvsl s "sim status"
completes openvsl sim c "create cut"
completes openvsl sim "" "create cut destroy fault faults load power presets save"
completes openvsl help fo "format"
completes openvsl help "" "$commands"
completes openvsl help sim f "fault faults"
completes openvsl help sim fault "" ""
completes openvsl help format "" ""
completes openvsl help --v "--version"
completes openvsl frobnicate "" ""
completes openvsl version "" ""
completes openvsl sim presets "" ""
completes openvsl sim "sim"
completes openvsl status --f "--field --format"
completes openvsl status "" "/dev/fct0 /dev/fct3"
completes fio-status --list "--list-devices --list-fields"
completes /usr/bin/fio-format --y "--yes"
completes fio-detach /dev/fct3 "/dev/fct3"
completes openvsl check --d "--data"
completes openvsl update -d "" "/dev/fct0 /dev/fct3"
completes fio-update-iodrive --device /dev/fct3 "/dev/fct3"
completes openvsl update --sl "--slot"
completes openvsl bind --o "--once"
completes openvsl status -f "" "j k s x"
completes openvsl status --format = "j k s x"
completes fio-status --format = x "x"
completes openvsl sim create --preset = s "slc160"
completes openvsl sim create "" ""
completes openvsl sim create --pre "--preset"
completes openvsl sim create --preset s "slc160"
completes openvsl sim fault fct0 read- "read-lost read-transient"
completes openvsl sim fault "" "/dev/fct0 /dev/fct3"
completes fio-status -F iom.pci_a "iom.pci_addr"
ok "addresses, which bash takes apart at colons" addresses
ok "complete is set for all names" [ "$(complete -p | grep -c ' -F _openvsl ')" = 6 ]

if command -v shellcheck >/dev/null; then
	ok "shellcheck: the completion" shellcheck -s bash "$made"
	ok "shellcheck: the scripts" shellcheck -x "$top/tools/completion.sh" "$here/run" \
		"$here/lib.sh" "$here"/*.t
else
	skip "shellcheck" "not installed"
fi
done_testing
