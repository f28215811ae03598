# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: fio-attach, fio-detach and beacon: what is asked of the driver, and a
# sentence and a status for everything that it may answer.

. "$(dirname "$0")/lib.sh"
export ASAN_OPTIONS=detect_leaks=1

attaches() {
	local want=$1
	shift
	cards detached
	try "$@"
	call_is "attach fct0 flags=$want" "$*"
	rc_is 0 "$*: status"
}
attaches 0 fio-attach /dev/fct0
attaches 1 fio-attach -c fct0
attaches 1 fio-attach fct0 --clean
attaches 2 fio-attach -r fct0
attaches 3 fio-attach -rcqQ fct0
attaches 4 openvsl attach --read-only fct0

cards detached
try fio-attach fct0
out_is "fct0: attached as /dev/fioa, 160.00 GBytes, in 0.35 s" "attached"
try fio-attach -q fct0
out_is "" "attach -q"
extra "take 1500"
try fio-attach fct0
out_has "fct0: attaching: " "attach shows progress"
try fio-attach -Q fct0
out_is "fct0: attached as /dev/fioa, 160.00 GBytes, in 0.35 s" "attach -Q"

try fio-attach --help
out_has "not there yet" "attach --help: -r is not there yet"

no="cannot attach"
refused 5 healthy "fct0: $no: it is attached already, as /dev/fioa" fio-attach fct0
cards blank
try fio-attach fct0
rc_is 5 "attach of an unformatted card: status"
err_is "openvsl: fct0: $no: it is not formatted; format it first (fio-format)" \
	"attach of an unformatted card: sentence"
refused 5 formatting "fct0: $no: it is busy (Formatting); wait until that has ended" \
	fio-attach fct0
refused 5 error "fct0: $no: it has failed or has no power" fio-attach fct0
refused 7 future \
	"fct0: $no: it is in minimal mode: it was formatted by a newer driver; update this one" \
	fio-attach fct0
refused 7 past \
	"fct0: $no: it is in minimal mode: it was formatted by an older driver; attach it with that one, or format it again" \
	fio-attach fct0
refused 7 foreign-card \
	"fct0: $no: it is in minimal mode: the card is recognised, but its interface is not supported" \
	fio-attach fct0
cards future
extra "minimal_reason 9" "flags 3"
try fio-attach fct0
rc_is 0 "no memory may have been then: it is tried"
refused 7 detached "/dev/null: $no: it is not a card of this driver" fio-attach /dev/null
refused 3 detached "fioa: $no: no card is attached under that name" fio-attach fioa
refused 3 detached "fct5: $no: no such card; there are: fct0" fio-attach fct5

answers() {
	cards "$1"
	extra "fail $2 $3"
	try "fio-$2" fct0
	rc_is "$4" "$2: $3: status"
	err_is "openvsl: fct0: cannot $2: $5" "$2: $3: sentence"
}
a=detached
answers $a attach EALREADY 5 "it is attached already"
answers $a attach EBUSY 5 "another operation is under way; try again when that has ended"
answers $a attach ENODATA 5 "it is not formatted; format it first (fio-format)"
answers $a attach EUCLEAN 5 \
	"it was not detached cleanly; attach it without --clean to recover it"
answers $a attach EPROTO 7 \
	"a newer driver formatted it; update this one, or format the card again"
answers $a attach ESTALE 7 \
	"an older driver formatted it; attach it with that one, or format the card again"
answers $a attach EMEDIUMTYPE 7 "its format was made for another geometry; format it again"
answers $a attach EIO 1 "its metadata cannot be read; see the kernel log"
answers $a attach ENOMEM 1 "not enough memory for its map"
answers $a attach ENODEV 3 "the card is gone"
answers $a attach EPERM 10 "not permitted; run it as root"
answers $a attach EINTR 9 "stopped"

# One errno for two things that cannot be, told apart by what was asked for.
unsupported() {
	local sentence=$1
	shift
	cards $a
	extra "fail attach EOPNOTSUPP"
	try fio-attach "$@" fct0
	rc_is 7 "attach $*: EOPNOTSUPP: status"
	err_is "openvsl: fct0: cannot attach: $sentence" "attach $*: EOPNOTSUPP: sentence"
}
log_again="reading the whole log again (-r) is not there yet; attach it without"
unsupported "$log_again" -r
unsupported "$log_again" -r --read-only
unsupported "this card must be written to after a power cut (its blocks can only be read when more were written behind them); attach it without --read-only" \
	--read-only

# Detach.
cards healthy
try fio-detach /dev/fct0
call_is "detach fct0" "detach"
out_is "fct0: detached" "detach says so"
rc_is 0 "detach: status"
try fio-detach -q fioa
call_is "detach fct0" "detach by the disk's name"
out_is "" "detach -q"
refused 5 detached "fct0: cannot detach: it is not attached" fio-detach fct0
refused 5 future "fct0: cannot detach: it is not attached" fio-detach fct0
refused 5 formatting "fct0: cannot detach: it is busy (Formatting); wait until that has ended" \
	fio-detach fct0
refused 5 error \
	"fct0: cannot detach: it has failed or has no power; its disk goes when nobody has it open" \
	fio-detach fct0
answers healthy detach ENOTCONN 5 "it is not attached"
answers healthy detach EIO 1 "it is detached, but not cleanly: the next attach recovers it"
answers healthy detach EBUSY 5 \
	"/dev/fioa is in use; unmount it, or see who has it open (fuser -v /dev/fioa)"
cards healthy
extra "fail detach EBUSY" "users mounted on /srv, part of md0"
try fio-detach fct0
err_is "openvsl: fct0: cannot detach: /dev/fioa is in use (mounted on /srv, part of md0); end that first" \
	"busy: who it is"

# Several: all are tried, the first failure is the status.
cards two
try fio-detach fct3 fct0
rc_is 5 "several: status of the first failure"
call_is "detach fct0" "several: the others are done"
# despite CARDS CALL COMMAND...: fct9 is missed, the others are served.
despite() {
	local set=$1 call=$2
	shift 2
	cards "$set"
	try "$@"
	rc_is 3 "$*: status of the first failure"
	err_has "fct9: cannot " "$*: it is said"
	call_is "$call" "$*: the other one is served"
}
despite two "detach fct0" fio-detach fct9 fct0
despite two "detach fct0" fio-detach fct0 fct9
despite detached "attach fct0 flags=0" fio-attach fct9 fct0
despite healthy "beacon fct0 on=1" openvsl beacon fct9 fct0
despite blank "power fct0 0" openvsl sim cut fct9 fct0
despite blank "power fct0 1" openvsl sim power fct9 fct0
cards detached
extra "fail attach EIO"
try fio-attach fct9 fct0
rc_is 3 "two failures: the first decides"
refused 3 none "fct9: cannot detach: no such card; there are none" fio-detach fct9
refused 3 absent "the driver is not loaded (no /dev/openvsl); load it first (modprobe openvsl)" \
	fio-detach fct9
# What destroys is careful: another name may be wrong, too.
refused 3 blank "fct9: cannot destroy: no such card; there are: fct0" \
	openvsl sim destroy fct0 fct9

# Beacon.
cards healthy
for words in "fct0" "-1 fct0" "--on /dev/fioa"; do
	# shellcheck disable=SC2086
	try openvsl beacon $words
	call_is "beacon fct0 on=1" "beacon $words"
done
try openvsl beacon -0 fct0
call_is "beacon fct0 on=0" "beacon -0"
try openvsl beacon -p fct0
out_is "07:00.0" "beacon -p"
call_is "" "beacon -p changes nothing"
extra "fail beacon EOPNOTSUPP"
try openvsl beacon fct0
rc_is 7 "no LEDs: status"
err_is "openvsl: fct0: cannot switch the beacon: this card has no LEDs that could be switched" \
	"no LEDs: sentence"
refused 1 blank "fct0: it has no PCI address" openvsl beacon -p fct0
done_testing
