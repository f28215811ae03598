# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The few words in which a case says its results (Test Anything Protocol).

# shellcheck source-path=SCRIPTDIR source=machine.sh
. /vsl/guest/machine.sh
# shellcheck source=/dev/null
. /vsl/env

tap_count=0

# plan N: how many results will follow. A case that dies early is caught by it.
plan() {
	printf '1..%d\n' "$1"
}

# note TEXT...: for the reader only.
note() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

ok() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s\n' "$tap_count" "$*"
}

# not_ok NAME [TEXT...]: TEXT says what was seen.
not_ok() {
	tap_count=$((tap_count + 1))
	printf 'not ok %d - %s\n' "$tap_count" "$1"
	shift
	[ $# = 0 ] || note "$@"
}

# skip NAME REASON
skip() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

# todo NAME REASON: it fails, and is known to.
todo() {
	tap_count=$((tap_count + 1))
	printf 'not ok %d - %s # TODO %s\n' "$tap_count" "$1" "$2"
}

# skip_all REASON: nothing in this case can be tested here.
skip_all() {
	printf '1..0 # SKIP %s\n' "$*"
	exit 0
}

# bail REASON: going on makes no sense.
bail() {
	printf 'Bail out! %s\n' "$*"
	exit 1
}

# The output of the last command, its middle left out if it is long.
show_output() {
	if [ "$(wc -l </tmp/tap.output)" -le 40 ]; then
		cat /tmp/tap.output
	else
		head -n 20 /tmp/tap.output
		echo ...
		tail -n 20 /tmp/tap.output
	fi
}

# try NAME COMMAND...: passes if COMMAND does; its output is shown if it fails. It
# runs in this shell, so a function can set variables; hence the odd local names.
try() {
	local tap_name=$1 tap_status=0
	shift

	"$@" >/tmp/tap.output 2>&1 || tap_status=$?
	if [ "$tap_status" = 0 ]; then
		ok "$tap_name"
	else
		not_ok "$tap_name" "$* -> $tap_status" "$(show_output)"
	fi
	return "$tap_status"
}

# need NAME COMMAND...: likewise, and without it the rest makes no sense.
need() {
	try "$@" || bail "$1"
}

# refuse NAME COMMAND...: passes if COMMAND fails.
refuse() {
	local tap_name=$1
	shift

	if "$@" >/tmp/tap.output 2>&1; then
		not_ok "$tap_name" "$* did not fail" "$(show_output)"
		return 1
	fi
	ok "$tap_name"
}

# is NAME SEEN WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "seen '$2', wanted '$3'"
	fi
}

# wait_for SECONDS COMMAND...: until COMMAND succeeds; the bound is for the
# slowest machine, a quick one never waits for it.
wait_for() {
	local end=$((SECONDS + $1))
	shift

	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}
