# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Simulated cards in a case: making them, attaching them, looking at them.

# shellcheck source-path=SCRIPTDIR source=tap.sh
. /vsl/guest/tap.sh

for link in fio-status fio-format fio-attach fio-detach fio-update-iodrive; do
	ln -sf openvsl "/vsl/bin/$link"
done

# is_debug: on a kernel full of checkers everything takes much longer.
is_debug() {
	[ "$KERNEL" = debug ]
}

# sized STOCK DEBUG: one of the two, as this kernel is.
sized() {
	if is_debug; then echo "$2"; else echo "$1"; fi
}

# load_driver [PARAMETER=VALUE...]
load_driver() {
	local needed

	needed=$(modinfo -F depends /vsl/modules/openvsl.ko | tr ',' ' ')
	# shellcheck disable=SC2086 # words are wanted
	[ -z "$needed" ] || modprobe -qa $needed || true
	insmod /vsl/modules/openvsl.ko "$@"
}

# make_card [OPTION...]: a blank card; its number is then in $card.
make_card() {
	local node

	node=$(openvsl sim create "$@") || return
	card=fct${node#/dev/fct}
	wait_for 30 test -c "/dev/$card"
}

# attach_card CARD [OPTION...]: the path of its disk is then in $disk.
attach_card() {
	local which=$1
	shift

	openvsl attach -q "$@" "/dev/$which" || return
	disk=/dev/$(cat "/sys/class/openvsl/$which/disk")
	wait_for 30 test -b "$disk"
}

# ready_card SECTOR [OPTION...]: made, formatted, attached; $card and $disk.
ready_card() {
	local sector=$1
	shift

	make_card "$@" && openvsl format -qy -b "$sector" "/dev/$card" && attach_card "$card"
}

# state_of CARD: detached, attached, minimal, error ...
state_of() {
	cat "/sys/class/openvsl/$1/state"
}

# is_state CARD STATE
is_state() {
	[ "$(state_of "$1" 2>/dev/null)" = "$2" ]
}

# audit_of CARD: 0 if map, counts and lists of the attached card agree (P7).
audit_of() {
	cat "/sys/kernel/debug/openvsl/$1/audit"
}

# stat_of CARD NAME: one of the figures that testers get.
stat_of() {
	awk -v name="$2" '$1 == name { print $2 }' "/sys/kernel/debug/openvsl/$1/stats"
}

# under_load CARD: returns when it has taken a few hundred blocks more: what was begun
# beside the case is at work then. A machine may need seconds to begin it.
under_load() {
	local before

	before=$(stat_of "$1" host_write_blocks)
	wait_for 200 eval "[ \$(stat_of $1 host_write_blocks) -gt $((before + 200)) ]"
}

# fio, which makes a file of a disk that has just gone, and fills it, unless it is told not to.
fio() {
	command fio --allow_file_create=0 "$@"
}

# answer STATUS SENTENCE COMMAND...: refused with that exit status, with one line
# on standard error that has SENTENCE in it, and nothing else said.
answer() {
	local status=$1 sentence=$2 said seen=0
	shift 2

	said=$("$@" 2>&1 >/dev/null </dev/null) || seen=$?
	if [ "$seen" = "$status" ] && [ "$(grep -c . <<<"$said")" = 1 ] &&
		grep -qF -e "$sentence" <<<"$said"; then
		ok "refused: $*"
	else
		not_ok "refused: $*" "exit status $seen, wanted $status" \
			"said: $said" "wanted: $sentence"
	fi
}

# done_testing: the plan at the end, for cases that count as they go.
done_testing() {
	printf '1..%d\n' "$tap_count"
}
