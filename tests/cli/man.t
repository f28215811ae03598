# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: the manual says what the program does.  Method: every command, option
# and exit status is looked for in the pages, every option in a page in the
# program; mandoc judges the form.

. "$(dirname "$0")/lib.sh"

man=$top/docs/man
try openvsl --dump-commands
dump=$work/dump
cp "$out" "$dump"

# Options of the section "Ss COMMAND" of openvsl(8), or of all of a link's page.
section() {
	awk -v want="$1" '/^\.Ss / { on = substr($0, 5) == want } /^\.Sh / { on = 0 } on' \
		"$man/openvsl.8"
}
options_in() {
	sed -n 's/^\.It Fl //p' | sed 's/ , Fl / /; s/ Ar .*//; s/ Fl / /g' | tr ' ' '\n' |
		grep -v '^$' | sort -u
}

# shellcheck disable=SC2094  # both only read it
while IFS=$'\t' read -r kind name rest; do
	[ "$kind" = command ] || continue
	alias=${rest%%$'\t'*}
	awk -F'\t' -v cmd="$name" '$1 == "option" && $2 == cmd && $4 != "--help" && $4 != "--version" {
		if ($3 != "-") print substr($3, 2)
		if ($4 != "-") print substr($4, 2) }' "$dump" | sort -u >"$work/want"
	section "$name" >"$work/section"
	ok "openvsl(8) has a section \"$name\"" [ -s "$work/section" ]
	if [ "$alias" != - ]; then
		page=$man/$alias.8
		ok "$alias(8) exists" [ -s "$page" ]
		options_in <"$page" | grep -vx -e h -e -help -e v -e -version >"$work/have"
		ok "$alias(8) has its options, no others" diff "$work/want" "$work/have"
		ok "openvsl(8) refers to $alias(8)" grep -qE "^\.Xr $alias 8" "$work/section"
	else
		options_in <"$work/section" >"$work/have"
		ok "\"$name\" has its options, no others" diff "$work/want" "$work/have"
	fi
done <"$dump"

# Exit statuses, from the source.
sed -n 's/^\tRC_[A-Z]* = \([0-9]*\),.*/\1/p' "$top/tools/cmd.h" | sort -n >"$work/want"
awk '/^\.Sh / { on = /EXIT STATUS/ } on' "$man/openvsl.8" | sed -n 's/^\.It \([0-9]*\)$/\1/p' |
	sort -n >"$work/have"
ok "the table of exit statuses is complete" diff "$work/want" "$work/have"

# Presets and faults.
cards absent
for list in presets faults; do
	try openvsl sim $list
	missing=""
	while read -r name _; do
		grep -qE "^\.It (Cm )?${name//-/[-]}( |\$)" "$man/openvsl.8" || missing+=" $name"
	done <"$out"
	ok "openvsl(8) has all sim $list:$missing" [ -z "$missing" ]
done

# Module parameters, once the driver has some.
grep -rhoE 'module_param(_named)?\(\w+' "$top/driver" 2>/dev/null | cut -d'(' -f2 | sort -u \
	>"$work/params"
if [ -s "$work/params" ]; then
	missing=""
	while read -r name; do
		grep -qE "^\.It (Va|Cm) $name" "$man/openvsl.4" || missing+=" $name"
	done <"$work/params"
	ok "openvsl(4) has all module parameters:$missing" [ -z "$missing" ]
else
	skip "openvsl(4) has all module parameters" "the driver has none yet"
fi

for page in "$man"/*.[48]; do
	name=${page##*/}
	if command -v mandoc >/dev/null; then
		# From its directory mandoc finds the pages that it refers to.
		(cd "$man" && mandoc -Tlint "$name") >"$out" 2>&1
		rc=$?
		ok "mandoc -Tlint $name" [ ! -s "$out" ]
	else
		skip "mandoc -Tlint $name" "no mandoc"
	fi
	for head in NAME SYNOPSIS DESCRIPTION FILES "SEE ALSO"; do
		ok "$name: $head" grep -qx "\.Sh $head" "$page"
	done
done
done_testing
