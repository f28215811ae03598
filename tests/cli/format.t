# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: fio-format passes on what was asked, never touches a card when it can
# know that it should not, and each refusal has its sentence and status.

. "$(dirname "$0")/lib.sh"

# What is asked of the driver.
says() {
	local want=$1
	shift
	cards blank
	try "$@"
	call_is "format fct0 $want" "$*"
	rc_is 0 "$*: status"
}
says "sector=512 capacity=0 flags=0" fio-format -y fct0
says "sector=4096 capacity=0 flags=0" fio-format -y -b 4K /dev/fct0
says "sector=4096 capacity=0 flags=0" fio-format -y -b4k /dev/fct0
says "sector=4096 capacity=0 flags=0" fio-format /dev/fct0 --block-size=4096B --yes
says "sector=512 capacity=96000000000 flags=0" fio-format -qy -s60% /dev/fct0
says "sector=512 capacity=150000001024 flags=0" fio-format -y -s 150000003000 fct0
says "sector=512 capacity=1999998976 flags=0" fio-format -y -s 2G fct0
says "sector=512 capacity=2147483648 flags=0" fio-format -y -s 2GiB fct0
says "sector=512 capacity=160000000000 flags=0" fio-format -y -s 100% fct0
says "sector=512 capacity=0 flags=0" fio-format -fRy fct0
says "sector=512 capacity=0 flags=0" fio-format -fyAP fct0
says "sector=512 capacity=176000000000 flags=1" fio-format -y -o 110% fct0
says "sector=512 capacity=163999997952 flags=1" fio-format -y --overformat=164G fct0
says "sector=4096 capacity=0 flags=0" openvsl format fct0 -yb 4096
says "sector=512 capacity=1048576 flags=0" fio-format -y -s 1MiB fct0
says "sector=512 capacity=0 flags=2" fio-format -y --parity=on fct0
says "sector=512 capacity=0 flags=2" fio-format -yp on fct0
says "sector=512 capacity=0 flags=0" fio-format -y --parity=off fct0
says "sector=512 capacity=163999997952 flags=3" fio-format -y -p on -o 164G fct0

# What it says.
cards blank
try fio-format -y fct0
out_is "fct0: formatted: 160.00 GBytes, 312500000 sectors of 512 bytes; attach it by: fio-attach /dev/fct0" \
	"success"
try fio-format -yq fct0
out_is "" "-q is quiet"
try fio-format -yR fct0
out_has "-R changes nothing" "-R is explained"
try fio-format -yA fct0
out_has "-A changes nothing" "-A is explained"
try fio-format -yP fct0
out_has "-P changes nothing" "-P is explained"
try fio-format -yqRAP fct0
out_is "" "-q: what changes nothing is not told of"
try fio-format --help
for letter in A P e; do
	ok "-$letter is in the usage" grep -q "^  -$letter  " "$out"
done
cards two
try fio-format -y fct3 fct3
call_is "format fct3 sector=512 capacity=0 flags=0" "a card named twice is formatted once"

# Refusals: nothing is called.
no="cannot format"
refused 5 healthy "fct0: $no: it is attached; detach it first (fio-detach /dev/fct0)" \
	fio-format -y fct0
refused 5 healthy "fct0: $no: it is attached; detach it first (fio-detach /dev/fct0)" \
	fio-format -y /dev/fioa
refused 5 formatting "fct0: $no: it is busy (Formatting); wait until that has ended" \
	fio-format -y fct0
refused 5 error "fct0: $no: it has failed or has no power" fio-format -y fct0
refused 7 future \
	"fct0: $no: a newer driver formatted it (format 9); to lose what is on it, add --force" \
	fio-format -y fct0
refused 7 past \
	"fct0: $no: an older driver formatted it (format 1); to lose what is on it, add --force" \
	fio-format -y fct0
refused 7 foreign-card \
	"fct0: $no: it is in minimal mode: the card is recognised, but its interface is not supported" \
	fio-format -fy fct0
refused 6 blank "fct0: $no: a sector of 3000 bytes is not possible; 512 and 4096 are" \
	fio-format -y -b 3000 fct0
refused 6 blank "fct0: $no: a sector of 0 bytes is not possible; 512 and 4096 are" \
	fio-format -y -b 0 fct0
refused 6 blank "fct0: $no: a size of 0 is too small; the least is 1 MiB" fio-format -y -s 0 fct0
refused 6 blank "fct0: $no: a size of 0% is too small; the least is 1 MiB" fio-format -y -s 0% fct0
refused 6 blank "fct0: $no: a size of 1M is too small; the least is 1 MiB" fio-format -y -s 1M fct0
refused 6 blank \
	"fct0: $no: a size of 161G is above the advertised 160.00 GBytes; up to 176.00 GBytes is possible with --overformat" \
	fio-format -y -s 161G fct0
refused 6 blank \
	"fct0: $no: a size of 1T is too large; the most is 176.00 GBytes (160.00 GBytes advertised)" \
	fio-format -y -s 1T fct0
refused 6 blank \
	"fct0: $no: a size of 99999P is too large; the most is 176.00 GBytes (160.00 GBytes advertised)" \
	fio-format -y -o 99999P fct0
refused 6 blank \
	"fct0: $no: a size of 99999999999999999999 is too large; the most is 176.00 GBytes (160.00 GBytes advertised)" \
	fio-format -y -s 99999999999999999999 fct0
refused 7 blank \
	"$no: sparse addressing (-e) is not there: a disk has no more addresses than blocks" \
	fio-format -ye fct0
refused 2 blank "format: '2X' is not a size (openvsl format --help)" fio-format -y -s 2X fct0
refused 2 blank "format: '5M' is not a sector size (openvsl format --help)" fio-format -y -b 5M fct0
refused 2 blank "format: a size was given twice (-s, -o) (openvsl format --help)" \
	fio-format -y -s 1G -o 2G fct0
refused 7 blank "/dev/null: $no: it is not a card of this driver" fio-format -y /dev/null
refused 7 blank "/etc/passwd: $no: it is not a card of this driver" fio-format -y /etc/passwd
refused 3 blank "/dev/fct1: $no: no such card; there are: fct0" fio-format -y /dev/fct1
refused 3 absent \
	"the driver is not loaded (no /dev/openvsl); load it first (modprobe openvsl)" \
	fio-format -y fct0
refused 2 blank \
	"$no: it needs a yes and there is no terminal to answer on; say --yes" fio-format fct0
refused 5 two "fct0: $no: it is attached; detach it first (fio-detach /dev/fct0)" \
	fio-format -y fct3 fct0
refused 3 two "fct9: $no: no such card; there are: fct0 fct3" fio-format -y fct3 fct9
cards future
try fio-format -fy fct0
call_is "format fct0 sector=512 capacity=0 flags=0" "--force formats what a newer driver did"

cards past
try fio-format -fy fct0
call_is "format fct0 sector=512 capacity=0 flags=0" "--force formats what an older driver did"

cards future
extra "minimal_reason 14"
try fio-format -y fct0
rc_is 0 "a card whose metadata cannot be read can be formatted"

# A disk that others have used: 16 units of 3072 blocks, of 1024 erase units each.
on_disk() {
	rm -f "$work/disk"
	truncate -s $((16 * 1024 * 3072 * 4096)) "$work/disk"
	while [ $# -gt 0 ]; do
		printf '%b' "$2" | dd of="$work/disk" bs=1 seek="$1" conv=notrunc status=none
		shift 2
	done
	cards blank
	extra "flags ${flags-0x40}" "under $work/disk"
	try fio-format -y fct0
}
carries() {
	local what=$1
	shift
	on_disk "$@"
	rc_is 7 "$what: status"
	err_is "openvsl: fct0: $no: it carries $what; to lose what is on it, add --force" "$what: sentence"
	call_is "" "$what: nothing is done"
}
carries "a GPT partition table and an ext2 file system" 512 "EFI PART" 1080 '\x53\xef'
carries "a Btrfs file system" $((65536 * 1024 + 64)) "_BHRfS_M"
carries "an md array's superblock" $((16 * 1024 * 3072 * 4096 - 8192)) '\xfc\x4e\x2b\xa9'
try fio-format -fy fct0
call_is "format fct0 sector=512 capacity=0 flags=0" "--force formats what others have used"
extra "flags 0x42"
try fio-format -y fct0
rc_is 0 "what was formatted by this driver since is formatted again"
on_disk
rc_is 0 "a disk of zeros is formatted"
flags=0 on_disk 512 "EFI PART"
rc_is 0 "a card that is no disk is not looked at"
looks() {
	cards blank
	extra "flags 0x40" "fail peek $1"
	try fio-format -y fct0
	rc_is "$2" "peek: $1: status"
	err_is "openvsl: fct0: $no: $3" "peek: $1: sentence"
	call_is "" "peek: $1: nothing is done"
}
looks EIO 7 "it cannot be read everywhere, so what is on it is not known; to format it nevertheless, add --force"
looks EBUSY 5 "another operation is under way; try again when that has ended"
looks EPERM 10 "not permitted; run it as root"

# The driver's answers.
answers() {
	cards blank
	extra "fail $1 $2"
	try "fio-$1" "$5" fct0
	rc_is "$3" "$1: $2: status"
	err_is "openvsl: fct0: cannot $1: $4" "$1: $2: sentence"
}
answers format EBUSY 5 "it is attached, or another operation is under way; try again when that has ended" -y
answers format ERANGE 6 "the driver refuses this capacity" -y
answers format EINVAL 6 "the driver refuses this sector size" -y
answers format EIO 1 "too many erase units are bad; see the kernel log" -y
answers format EINTR 9 "stopped; the card holds its old format, the new one, or none: format it again" -y
answers format EPERM 10 "not permitted; run it as root" -y
answers format ENODEV 3 "the card is gone" -y
answers format ENOMEM 1 "not enough memory" -y
answers format EUCLEAN 7 "the driver cannot serve this card's geometry" -y
answers format EDOM 1 "Numerical argument out of domain" -y

# Progress: lines on a pipe, a bar on a terminal, nothing with -q and -Q.
cards blank
extra "take 1500"
try fio-format -y fct0
ok "progress in tenths" [ "$(grep -c '^fct0: formatting: [0-9]*%$' "$out")" -ge 4 ]
ok "never the same twice" [ -z "$(sort "$out" | uniq -d)" ]
try fio-format -yQ fct0
out_is "fct0: formatted: 160.00 GBytes, 312500000 sectors of 512 bytes; attach it by: fio-attach /dev/fct0" \
	"-Q: no progress"
try fio-format -yq fct0
out_is "" "-q: nothing at all"
if command -v script >/dev/null; then
	script -qc "$here/build/fio-format -y fct0" /dev/null >"$out" 2>"$err" </dev/null
	ok "a bar on a terminal" grep -q '\[=* *\]  *[0-9]*%' "$out"
	ok "that is gone at the end" grep -q $'\r\033\\[Kfct0: formatted' "$out"
else
	skip "a bar on a terminal" "no script(1)"
fi

# Stopping: a signal to the program alone reaches the driver.
cards blank
extra "take 60000"
for signal in INT TERM HUP; do
	: >"$log"
	set -m	# else bash lets a background job ignore SIGINT
	fio-format -y fct0 >"$out" 2>"$err" </dev/null &
	pid=$!
	set +m
	for ((i = 0; i < 200; i++)); do
		[ -s "$log" ] && break
		sleep 0.05
	done
	kill -$signal "$pid"
	wait "$pid"
	rc=$?
	rc_is 9 "stopped by SIG$signal: status"
	err_is "openvsl: fct0: cannot format: stopped; the card holds its old format, the new one, or none: format it again" \
		"stopped by SIG$signal: sentence"
done

# A driver that does not listen is left alone at the second signal.
extra deaf "take 10000"
: >"$log"
set -m
fio-format -y fct0 >"$out" 2>"$err" </dev/null &
pid=$!
set +m
for ((i = 0; i < 200; i++)); do
	kill -0 "$pid" 2>/dev/null || break
	[ -s "$log" ] && kill -TERM "$pid"
	sleep 0.1
done
ok "it comes back" [ "$i" -lt 200 ]
wait "$pid"
rc=$?
rc_is 9 "a deaf driver: status"
err_is "openvsl: fct0: cannot format: not waiting any longer; the format is still being stopped" \
	"a deaf driver: sentence"

# A pipe that nobody reads any more does not stop what was begun.
cards blank
extra "take 300" "card 3" "advertised_bytes 160000000000" "max_bytes 160000000000"
closed_pipe
: >"$log"
fio-format -y fct0 fct3 >&4 2>"$err"
rc=$?
rc_is 1 "a closed pipe: status"
err_is "openvsl: cannot write the output" "a closed pipe: sentence"
ok "a closed pipe: all is done" [ "$(grep -c ^format "$log")" = 2 ]
exec 4>&-

# Asking on a terminal.
if command -v script >/dev/null; then
	cards blank
	for answer in n "" Q yesterday "y n" ye yesyesyesyesyesyes; do
		: >"$log"
		printf '%s\n' "$answer" | script -qec "$here/build/fio-format fct0" /dev/null \
			>"$out" 2>"$err"
		rc=$?
		rc_is 9 "answer '$answer': status"
		out_has "fct0: everything on the card will be lost. Format? [y/N]" \
			"answer '$answer': the question"
		call_is "" "answer '$answer': nothing is done"
	done
	for answer in y Y yes YES Yes; do
		: >"$log"
		printf '%s\n' "$answer" | script -qec "$here/build/fio-format fct0" /dev/null \
			>"$out" 2>"$err"
		rc=$?
		rc_is 0 "answer '$answer': status"
		call_is "format fct0 sector=512 capacity=0 flags=0" "answer '$answer': done"
	done

	# Ctrl-C is an answer, too.
	: >"$log"
	: >"$out"
	mkfifo "$work/keys"
	exec 8<>"$work/keys"
	set -m
	script -qefc "exec $here/build/fio-format fct0" /dev/null <"$work/keys" >"$out" 2>"$err" &
	pid=$!
	set +m
	for ((i = 0; i < 200; i++)); do
		grep -qF '[y/N]' "$out" && break
		sleep 0.05
	done
	for ((i = 0; i < 100; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		printf '\003' >&8
		sleep 0.1
	done
	wait "$pid"
	rc=$?
	exec 8>&-
	rc_is 9 "Ctrl-C: status"
	out_has "openvsl: nothing was changed" "Ctrl-C: sentence"
	call_is "" "Ctrl-C: nothing is done"
else
	skip "asking" "no script(1)"
fi
done_testing
