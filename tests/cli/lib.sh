# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced by the *.t files: running the tools on scripted cards, and TAP.
#
#	cards NAME			the next commands see cards/NAME
#	try COMMAND...			run it; $rc, $out (file), $err (file)
#	rc_is N NAME			its exit status
#	out_is / err_is TEXT NAME	all of its output
#	out_has / err_has TEXT NAME	a part of it
#	golden FILE NAME		its output is golden/FILE
#	call_is TEXT NAME		the driver was called so, and only so
#	ok NAME COMMAND...		COMMAND succeeds
#	closed_pipe			descriptor 4 is a pipe that nobody reads
#	refused N CARDS SENTENCE COMMAND...
#					exit status and whole message, no call made

set -u
export LC_ALL=C
unset NO_COLOR TERM POSIXLY_CORRECT
# What script(1) runs its commands with, whoever calls the tests.
export SHELL=/bin/sh

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # for the tests
top=$(cd "$here/../.." && pwd)
PATH=$here/build:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
err=$work/err
log=$work/log
count=0
rc=0
export OPENVSL_FAKE_LOG=$log
# Looking for leaks doubles a run's time; attach.t does it for all.
export ASAN_OPTIONS=detect_leaks=0
: >"$log"
: >"$out"
: >"$err"

ok() {
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		printf 'ok %d - %s\n' "$count" "$name"
	else
		printf 'not ok %d - %s\n' "$count" "$name"
		printf '# %s\n' "exit status $rc" "stdout:"
		sed 's/^/#   /' "$out"
		printf '# stderr:\n'
		sed 's/^/#   /' "$err"
	fi
}

skip() {
	count=$((count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$count" "$1" "$2"
}

cards() {
	export OPENVSL_FAKE=$here/cards/$1
}

# extra LINE...: the cards of now, with lines added to the script.
extra() {
	[ "$OPENVSL_FAKE" = "$work/cards" ] || cp "$OPENVSL_FAKE" "$work/cards"
	printf '%s\n' "$@" >>"$work/cards"
	export OPENVSL_FAKE=$work/cards
}

try() {
	: >"$log"
	"$@" >"$out" 2>"$err" </dev/null
	rc=$?
}

rc_is() {
	ok "$2" [ "$rc" = "$1" ]
}

out_is() {
	ok "$2" [ "$(<"$out")" = "$1" ]
}

err_is() {
	ok "$2" [ "$(<"$err")" = "$1" ]
}

# has FILE TEXT: without another process.
has() {
	[[ $(<"$1") == *"$2"* ]]
}

out_has() {
	ok "$2" has "$out" "$1"
}

err_has() {
	ok "$2" has "$err" "$1"
}

call_is() {
	ok "$2" [ "$(<"$log")" = "$1" ]
}

golden() {
	if [ "${GOLDEN-}" = write ]; then
		cp "$out" "$here/golden/$1"
	fi
	ok "$2" diff "$here/golden/$1" "$out"
}

# json FILTER: the output is JSON of which that is true.
json() {
	jq -e "$1" "$out" >"$work/jq"
}

refused() {
	local want=$1 sentence=$3
	cards "$2"
	shift 3
	try "$@"
	ok "refused: $*" is_refused "$want" "openvsl: $sentence"
}

is_refused() {
	[ "$rc" = "$1" ] && [ "$(<"$err")" = "$2" ] && ! [ -s "$log" ]
}

closed_pipe() {
	mkfifo "$work/closed"
	exec 3<>"$work/closed"
	exec 4>"$work/closed"
	exec 3<&-
	rm "$work/closed"
}

done_testing() {
	printf '1..%d\n' "$count"
}
