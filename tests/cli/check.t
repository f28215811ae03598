# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: openvsl check tells what is on an image, finds every damage, and says how
# bad it is by its exit status.  Method: images that the core itself has written
# (make_image.c), damaged before they were saved or afterwards.

. "$(dirname "$0")/lib.sh"

cd "$work" || exit
cards none

make() {
	local kind

	for kind in "$@"; do
		make_image "$kind" "$kind" || ok "make_image $kind" false
	done
}
make blank healthy unclean lost unreadable corrupt map head root no-lane no-root future past \
	foreign nonsense double unknown oc20 oc20-unclean flat flat-unclean flat-again

# The whole report, in words and for programs.
report() {
	try openvsl check --data "$1"
	sed -i '/: reading the .*%$/d' "$out"
	golden "check-$1.text" "$1: in words"
	rc_is "$2" "$1: status"
	try openvsl check --data --json "$1"
	golden "check-$1.json" "$1: for programs"
	rc_is "$2" "$1: --json: status"
	ok "$1: --json is JSON" json ".exit_status == $2"
}
# What a look takes, it gives back.
ASAN_OPTIONS='' report healthy 0
report unclean 0
report blank 5
report lost 4
report corrupt 4
report double 11

# What is said at the end, and the exit status.
says() {
	local name=$1 want=$2 verdict=$3
	shift 3
	try openvsl check -q "$@" "$name"
	rc_is "$want" "$name $*: status"
	ok "$name $*: verdict" [ "$(tail -n 1 "$out")" = "$name: $verdict" ]
	err_is "" "$name $*: no error"
}
fine="nothing is wrong"
recovers="nothing is wrong that attaching does not put right"
damaged="it is damaged; what is not named above can be read"
broken="its metadata is damaged; what can be read may be older than it was"
says healthy 0 "$fine"
out_is "healthy: $fine" "-q says no more than that"
says unclean 0 "$recovers"
says oc20 0 "$fine" --data
says oc20-unclean 0 "$recovers" --data
says flat 0 "$fine" --data
says flat-unclean 0 "$recovers" --data
says flat-again 0 "$recovers" --data
says unreadable 0 "$fine"
says unreadable 4 "$damaged" --data
out_has "unreadable blocks: 24" "where it cannot be read"
says corrupt 0 "$fine"
says corrupt 4 "$damaged" --data
out_has "corrupt blocks: 24" "where it is corrupt"
says lost 4 "$damaged"
out_has "lost blocks: 0-7 12-767" "what is lost"
says map 11 "$broken"
out_has "the map of blocks 0 to 1023 cannot be read" "a page of the map"
says head 11 "$broken" --data
out_has "unproven blocks: 72-79" "a head that is gone"
says root 4 "$damaged"
out_has "the newest root is in one lane only; lane 0 has generation 4" "a root that is gone"
says no-lane 4 "$damaged"
out_has "lane 0 has no root" "a lane that is gone"
says no-root 11 "its metadata is damaged: nothing tells what is on it"
says nonsense 11 "its metadata is damaged: it cannot be attached"
says double 11 "$broken"
says future 7 "a newer version of OpenVSL formatted it"
says past 7 "an older version of OpenVSL formatted it"
says foreign 7 "it is not a card that can be served as it is"
says blank 5 "it is not formatted"
says unknown 0 "$fine" --data
try openvsl check --json unknown
ok "a model that is not known" json '.image.model_known == false and .state == "attachable"'

# Nothing is written, whatever is found.
for name in healthy unclean oc20-unclean flat-unclean map; do
	make_image "$name" again
	ok "$name: the file is as it was" cmp -s "$name" again
done
chmod 444 unclean
says unclean 0 "$recovers" --data
ASAN_OPTIONS='' ok "stopped wherever it can be: nothing is left" make_image --stop unclean

# Files that are no images, or not any more.
bad() {
	local want=$1 sentence=$2
	try timeout 20 openvsl check --data "$3"
	rc_is "$want" "$3: status"
	err_is "openvsl: $3: cannot check: $sentence" "$3: sentence"
	out_is "" "$3: no report"
}
head -c 100 healthy >header
bad 8 "it is truncated: its header is not complete" header
head -c 8192 healthy >short
bad 8 "it is truncated: it has 8192 bytes, and its header says $(stat -c %s healthy)" short
{ cat healthy && echo; } >long
bad 8 "it is damaged: it has $(stat -c %s long) bytes, and its header says $(stat -c %s healthy)" long
: >empty
bad 8 "it is not an image of a simulated card" empty
head -c 100000 /dev/zero >zeros
bad 8 "it is not an image of a simulated card" zeros
mkfifo fifo
bad 8 "it is not a file" fifo
mkdir directory
bad 8 "it is not a file" directory
ln -s nothing link
bad 1 "No such file or directory" link
bad 1 "No such file or directory" nothing
bad 7 "it is not a card of this driver" /dev/null
if [ "$(id -u)" != 0 ]; then
	chmod 0 short
	bad 1 "Permission denied" short
elif command -v setpriv >/dev/null; then
	chmod 755 "$work"
	chmod 0 short
	# It has no rights to the program where that is: give it an open one.
	if setpriv --reuid 65534 --clear-groups test -x "$here/build/openvsl"; then
		try setpriv --reuid 65534 --clear-groups openvsl check short
		rc_is 1 "unreadable file: status"
		err_is "openvsl: short: cannot check: Permission denied" "unreadable file: sentence"
	else
		skip "unreadable file" "nobody may not run the program where it is"
	fi
else
	skip "unreadable file" "root reads everything"
fi

# flip FILE OFFSET: one byte of it, into "flipped"
flip() {
	cp "$1" flipped
	printf '%b' "$(printf '\\x%02x' $(($(od -An -tu1 -j "$2" -N 1 "$1") ^ 16)))" |
		dd of=flipped bs=1 seek="$2" conv=notrunc status=none
}
flip healthy 3
bad 8 "it is not an image of a simulated card" flipped
flip healthy 9
bad 8 "a newer version of OpenVSL saved it" flipped
flip healthy 13
bad 8 "it is damaged: a checksum of its tables does not match" flipped
flip healthy 33
bad 8 "it is damaged: it says that it is a card that cannot be" flipped
flip healthy 4200
bad 8 "it is damaged: a checksum of its tables does not match" flipped
flip healthy $(($(stat -c %s healthy) - 1))
says flipped 8 "the file is damaged; openvsl sim load would refuse it" --data
out_has "blocks of the file that are not what was saved: 1, the first at byte $((
	$(stat -c %s healthy) - 4096))" "data of the file that is damaged"

# No flipped bit of the file goes unseen, and none breaks the program.
try make_image --flip unclean
rc_is 0 "300 flipped bits are found"

# Damage in the flash itself: whatever it is, there is an answer.
missed=""
for i in {1..12}; do
	make_image "noise-$i" noise
	try openvsl check -q --data noise
	case $rc in 4 | 11) ;; *) missed+=" $i:$rc" ;; esac
	[ ! -s "$err" ] || missed+=" $i:$(head -n 1 "$err")"
done
ok "12 cards with 12 damaged blocks each:$missed" [ -z "$missed" ]

# Cards.
cards blank
extra "file $work/unclean"
try openvsl check -q --data fct0
rc_is 0 "a card: status"
out_is "note: it was not detached cleanly
fct0: $recovers" "a card: report"
call_is "image fct0" "a card: nothing is asked of it but its image"
try openvsl check fct0
ok "a card: shows progress" grep -q '^fct0: fetching the image: ' "$out"
TMPDIR=$work/directory try openvsl check -q /dev/fct0
rc_is 0 "a card: TMPDIR: status"
ok "a card: leaves no file" [ -z "$(ls -A directory)" ]
TMPDIR=/nonexistent try openvsl check -q fct0
rc_is 1 "a card: no room: status"
err_is "openvsl: fct0: cannot check: no room for its image (TMPDIR or /var/tmp): No such file or directory" \
	"a card: no room: sentence"
extra "take 5000"
for signal in INT TERM; do
	: >"$log"
	set -m	# else bash lets a background job ignore SIGINT
	openvsl check -q fct0 >"$out" 2>"$err" </dev/null &
	pid=$!
	set +m
	until [ -s "$log" ] || ! kill -0 "$pid" 2>/dev/null; do
		sleep 0.05
	done
	kill "-$signal" "$pid"
	wait "$pid"
	rc=$?
	rc_is 9 "a card: SIG$signal: status"
	err_has "stopped" "a card: SIG$signal: sentence"
done

refused 5 attached-sim \
	"fct0: cannot check: it is in use as /dev/fioa; detach it first (fio-detach /dev/fct0)" \
	openvsl check fct0
refused 5 healthy \
	"fct0: cannot check: it is in use as /dev/fioa; detach it first (fio-detach /dev/fct0)" \
	openvsl check /dev/fioa
cards detached
extra "flags 2"
try openvsl check fct0
rc_is 7 "a card that is not simulated: status"
err_is "openvsl: fct0: cannot check: it is not a simulated card, and others give no image yet" \
	"a card that is not simulated: sentence"
refused 5 error "fct0: cannot check: it has no power; switch it on first (openvsl sim power fct0)" \
	openvsl check fct0
refused 3 none "fct0: cannot check: no such card; there are none" openvsl check fct0
refused 3 absent "the driver is not loaded (no /dev/openvsl); load it first (modprobe openvsl)" \
	openvsl check fct0
refused 2 none "check: it takes one image or card (openvsl check --help)" openvsl check
refused 2 none "check: it takes one image or card (openvsl check --help)" openvsl check a b
refused 2 none "check: the file's name is empty (openvsl check --help)" openvsl check ""
cards absent
says healthy 0 "$fine"
done_testing
