# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: a firmware goes to the card that was named, whole and nowhere else; whatever
# stands against it is said before the card is asked; and what the logs of a card say
# can be read.

. "$(dirname "$0")/lib.sh"

# lacks TEXT: the output has not.
lacks() {
	! has "$out" "$1"
}

image=$work/image
head -c 40000 /dev/zero | tr '\0' '\1' >"$image"

# What the driver is asked.
says() {
	local want=$1
	shift
	cards nvme
	try "$@"
	call_is "update fct0 $want bytes=40000 sum=40000" "$*"
	rc_is 0 "$*: status"
}
says "slot=0" fio-update-iodrive -y -d fct0 "$image"
says "slot=0" fio-update-iodrive "$image" --device=/dev/fct0 --yes
says "slot=2" openvsl update -yd fct0 -n 2 "$image"
says "slot=3" openvsl update -y -d fct0 --slot=3 "$image"
says "slot=0" openvsl update --all-yes fct0 "$image"
says "slot=2" fio-update-iodrive /dev/fct0 -y "$image" -n 2

# to_run_now: the card of now is asked so.
to_run_now() {
	try openvsl update -y --now fct0 "$image"
	call_is "update fct0 slot=0 bytes=40000 sum=40000 now" "$1"
	rc_is 0 "$1: status"
}
cards nvme
extra "end 3"
to_run_now "--now"
out_is "fct0: updated; it runs the new firmware already" "and it says so"

# An attached card goes on, unless it has to stop for it.
attached() {
	cards nvme
	extra "state 2" "flags 0x41" "capacity_bytes 900000000000" "disk fioa"
}
attached
try openvsl update -y fct0 "$image"
call_is "update fct0 slot=0 bytes=40000 sum=40000" "an attached card is updated"
rc_is 0 "an attached card: status"
attached
try openvsl update -y --now fct0 "$image"
err_is "openvsl: fct0: cannot update: it is attached, and with --now it may pause; detach it first (fio-detach /dev/fct0)" \
	"--now, and it is attached"
rc_is 5 "--now, and it is attached: status"
call_is "" "--now, and it is attached: nothing is asked"
cards nvme

# What it says.
try openvsl update -yd fct0 "$image"
out_is "fct0: updated; it runs the new firmware when it is reset: openvsl unbind and bind, or the next start of this machine" \
	"success"
extra "end 1"
try openvsl update -yd fct0 "$image"
out_is "fct0: updated; it runs the new firmware from the next start of this machine on" \
	"success, and a start is needed"
extra "end 2"
try openvsl update -yd fct0 "$image"
out_is "fct0: updated; it runs the new firmware when it has been without power: switch this machine off and on" \
	"success, and it must be without power"
extra "end 9"
try openvsl update -yd fct0 "$image"
rc_is 0 "an end that nobody knows is none"
try openvsl update -yqd fct0 "$image"
out_is "" "-q is quiet"
cards nvme
try openvsl update -pd fct0 "$image"
out_is "fct0: could be updated; nothing was changed" "--pretend"
call_is "" "--pretend asks nothing of the card"
rc_is 0 "--pretend: status"
extra "take 400"
try openvsl update -yd fct0 "$image"
ok "progress" grep -q "^fct0: updating: [0-9]*%$" "$out"
try openvsl update -yQd fct0 "$image"
ok "-Q has none" [ "$(wc -l <"$out")" = 1 ]

# Stopped.
extra "take 20000"
try timeout -s INT 1 openvsl update -yqd fct0 "$image"
err_is "openvsl: fct0: cannot update: stopped; it keeps the firmware that it has" "Ctrl-C"

# Refusals: nothing is called.
no="cannot update"
refused 2 nvme "update: which card? (openvsl update --help)" openvsl update -y "$image"
refused 2 nvme "update: which card, and which file? (openvsl update --help)" openvsl update -y
refused 2 nvme "update: which file? (openvsl update --help)" openvsl update -yd fct0
refused 2 nvme "update: one card at a time, and one file (openvsl update --help)" \
	openvsl update -yd fct0 a b
refused 2 nvme "update: one card at a time, and one file (openvsl update --help)" \
	openvsl update -y fct0 a b
refused 2 nvme "update: one card at a time (-d) (openvsl update --help)" \
	openvsl update -y -d fct0 -d fct1 "$image"
for slot in 0 8 x 12 ""; do
	refused 2 nvme "update: '$slot' is not a slot; they are 1 to 7 (openvsl update --help)" \
		openvsl update -yd fct0 -n "$slot" "$image"
done
refused 6 nvme "fct0: $no: its slot 1 cannot be written" openvsl update -yd fct0 -n 1 "$image"
refused 6 nvme "fct0: $no: it has no slot 4; the last is 3" openvsl update -yd fct0 -n 4 "$image"
refused 7 blank "fct0: $no: it takes no firmware from a host" openvsl update -yd fct0 "$image"
refused 7 healthy "fct0: $no: it takes no firmware from a host" openvsl update -yd fct0 "$image"
refused 7 attached-sim "fct0: $no: it takes no firmware from a host" \
	openvsl update -pd fct0 "$image"
refused 5 formatting "fct0: $no: it is busy (Formatting); wait until that has ended" \
	openvsl update -yd fct0 "$image"
refused 5 error "fct0: $no: it has failed or has no power" openvsl update -yd fct0 "$image"
refused 3 nvme "fct1: $no: no such card; there are: fct0" openvsl update -yd fct1 "$image"
refused 2 nvme \
	"$no: it needs a yes and there is no terminal to answer on; say --yes" \
	openvsl update -d fct0 "$image"
refused 1 nvme "/nonsense: $no: No such file or directory" openvsl update -yd fct0 /nonsense
refused 8 nvme "/dev/zero: $no: it is not a file" openvsl update -yd fct0 /dev/zero
refused 8 nvme "$work: $no: it is not a file" openvsl update -yd fct0 "$work"
: >"$work/empty"
refused 8 nvme "$work/empty: $no: it is empty" openvsl update -yd fct0 "$work/empty"
printf 12345 >"$work/odd"
refused 8 nvme "$work/odd: $no: a firmware is a multiple of 4 bytes, and this has 5" \
	openvsl update -yd fct0 "$work/odd"
truncate -s 67108868 "$work/large"
refused 8 nvme "$work/large: $no: it is larger than 64 MiB" openvsl update -yd fct0 "$work/large"

# Options of the original that have no meaning here.
while read -r option why; do
	refused 7 nvme "$no: $why" openvsl update -y "$option" fct0 "$image"
done <<'X'
-f the card itself decides what it takes, and cannot be forced (-f)
--force the card itself decides what it takes, and cannot be forced (-f)
-l a file is one firmware and no archive that could be listed (-l)
-s* name the card (fio-status -L lists them), not its address (-s)
--split a card cannot be split into two controllers (--split)
--merge no card is split into controllers that could be merged (--merge)
-c there is no lock that could be cleared (-c)
--bypass-barrier there is no check that could be left out (--bypass-barrier)
--bypass-uptodate there is no check that could be left out (--bypass-uptodate)
X

# What the driver says no to.
says_no() {
	cards nvme
	extra "fail update $1"
	try openvsl update -yd fct0 "$image"
	err_is "openvsl: fct0: $no: $3" "$1"
	rc_is "$2" "$1: status"
}
says_no EOPNOTSUPP 7 "it takes no firmware from a host"
says_no ENOTTY 7 "the driver is older than this program and cannot do it"
says_no EBUSY 5 "another operation is under way, or with --now it is attached; try again when that has ended"
says_no ERANGE 6 "it has no such slot, or one that cannot be written; fio-status -a shows its slots"
says_no EBADMSG 8 "it says that this is no firmware for it, and keeps what it has; look for the one of its model"
says_no EILSEQ 1 "it still has pieces of another image, and keeps what it runs; reset it (openvsl unbind and bind), and update again"
says_no EACCES 7 "it does not allow this firmware, an older one perhaps, and keeps what it has; ask its maker for another"
says_no EOVERFLOW 5 "it cannot run this firmware at once, for that takes too long; update without --now"
says_no ECONNRESET 1 "it was reset meanwhile, and keeps what it has; update again"
says_no ENODEV 1 "it is gone, or has failed; see the kernel log"
says_no ETIME 1 "it does not answer; see the kernel log, and its status"
says_no EFAULT 1 "the file became shorter while it was read; update again"
says_no EIO 1 "it has failed to take it; see the kernel log"

# What the logs say.
cards nvme
try fio-status -a
out_has "	Firmware v2.0
	Unactivated Firmware v2.1 -- Reboot required to activate" "what runs, and what will"
out_has "	Firmware slots: 1 1.0, 2 2.0 (runs), 3 2.1 (after the next reset)" "slots"
out_has "	Error log of the card: 12,345 entries
	   The last: read, unrecovered read error, namespace 1, block 4711" "error log"
try fio-status
out_has "Unactivated Firmware v2.1" "without -a it says what will run"
ok "and no more" lacks "Firmware slots"
try openvsl status --json
ok "JSON: slots" json '.devices[0].firmware_slots == [
	{"slot": 1, "firmware": "1.0", "active": false, "next": false, "fixed": true},
	{"slot": 2, "firmware": "2.0", "active": true, "next": false, "fixed": false},
	{"slot": 3, "firmware": "2.1", "active": false, "next": true, "fixed": false}]'
ok "JSON: it can be updated" json '.devices[0].firmware_update'
ok "JSON: error log" json '.devices[0].error_log == {"entries": 12345, "last": {
	"command": "read", "status": 641, "text": "unrecovered read error",
	"namespace": 1, "block": 4711}}'

# last STATUS PART BLOCK QUEUE OPCODE TEXT: how the last error is told.
last() {
	extra "logs $flags 3 2 3" "errlog 1 $1 $2 $3 $4 $5"
	try fio-status -a
	out_has "	Error log of the card: 1 entry
	   The last: $6
" "the last error: $6"
}
flags=0x3f
last 0x280 2 5 1 1 "write, write fault, namespace 2, block 5"
last 0x02 0 0 0 9 "set features, invalid field in the command"
last 0x02 1 7 0 2 "get log, invalid field in the command"
last 0x281 4294967295 7 1 2 "read, unrecovered read error"
last 0x3ff 4294967295 18446744073709551615 9 0xc5 "command 0xc5, status 0x3ff"
last 0x3ff 4294967294 18446744073709551615 9 0xc5 \
	"command 0xc5, status 0x3ff, namespace 4294967294, block 18446744073709551615"
flags=0x1f
last 0x06 1 7 0xffff 2 "no command, internal error"
last 0x80 1 7 1 2 "a command for data, block out of range, namespace 1, block 7"
last 0x101 1 7 0 2 "a command of administration, invalid queue"
try openvsl status --json
ok "JSON: an error that is of no block" json '.devices[0].error_log.last == {
	"command": "a command of administration", "status": 257, "text": "invalid queue",
	"namespace": null, "block": null}'

extra "logs 3 1 1 0" "errlog 0 0 0 0 0 0"
try openvsl status --json
ok "JSON: one slot, and no error" json '.devices[0] | .firmware_slots == [
	{"slot": 1, "firmware": "1.0", "active": true, "next": true, "fixed": false}] and
	.error_log == {"entries": 0, "last": null} and .firmware_update == false'
try fio-status -a
out_has "	Firmware slots: 1 1.0 (runs)" "one slot"
ok "no error, so no last one" lacks "The last:"
ok "and no other firmware" lacks "Unactivated"
extra "logs 1 3 7 200" "slot 2 a" "slot 3 ${work##*/}"
try fio-status -a
rc_is 0 "slots that there are not"
ok "are not what will run" lacks "Unactivated"
extra "logs 7 4000000000 1 1"
try fio-status -a
out_has "Firmware slots: 1 1.0 (runs) (after the next reset), 2 a, 3 " "more slots than there can be"

done_testing
