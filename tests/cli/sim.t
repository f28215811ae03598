# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Goal: openvsl sim: what is asked of the driver; images come and go whole, and
# bad ones are told apart.

. "$(dirname "$0")/lib.sh"

creates() {
	local want=$1
	shift
	cards none
	try openvsl sim create "$@"
	call_is "create $want" "create $*"
	out_is /dev/fct7 "create $*: the new node"
	rc_is 0 "create $*: status"
}
creates "preset=slc160 capacity=160000000000 seed=0 flags=0"
creates "preset=slc160 capacity=1999998976 seed=0 flags=0" --size 2G --preset slc160
creates "preset=fast capacity=536870912 seed=42 flags=1" -s 512MiB --preset=fast --seed 42 --timed
creates "preset=raw capacity=64000000000 seed=18446744073709551615 flags=0" --preset raw \
	--seed 0xffffffffffffffff

creates "preset=tiny capacity=16777216 seed=0 flags=0" --preset tiny
one_size="cannot create a card: tiny has one size; leave out --size"
refused 6 none "$one_size" openvsl sim create --preset tiny --size 32M
refused 6 none "$one_size" openvsl sim create --size 16MiB --preset tiny
creates "preset=new capacity=16777216 seed=0 flags=0" --preset new

refused 3 absent "the driver is not loaded (no /dev/openvsl); load it first (modprobe openvsl)" \
	openvsl sim create --size 2G
refused 2 none "sim create: 'huge' is not a size (openvsl sim create --help)" \
	openvsl sim create --size huge
refused 2 none "sim create: '50%' is not a size (openvsl sim create --help)" \
	openvsl sim create --size 50%
refused 2 none "sim create: '-1' is not a number (openvsl sim create --help)" \
	openvsl sim create --seed=-1
refused 2 none "sim create: what is 'fct0'? (openvsl sim create --help)" openvsl sim create fct0
refused 6 none "cannot create a card: a capacity of 100 is too small; the least is 16 MiB" \
	openvsl sim create --size 100
refused 6 none "cannot create a card: the capacity is not possible; 16 MiB to 16 TiB are" \
	openvsl sim create --size 99999P
cards none
try openvsl sim create --size 1M
rc_is 6 "a capacity that the driver refuses"
refused 2 none \
	"no preset has the name 'averyveryverylongnamethatis'; see openvsl sim presets" \
	openvsl sim create --preset averyveryverylongnamethatis
cards none
try openvsl sim create --preset nonsense
rc_is 2 "unknown preset: status"
err_is "openvsl: cannot create a card: the driver knows no preset 'nonsense'; see openvsl sim presets" \
	"unknown preset: sentence"
answers() {
	cards "$1"
	extra "fail $2 $3"
	shift 3
	local want=$1 sentence=$2
	shift 2
	try openvsl sim "$@"
	rc_is "$want" "$*: status"
	err_is "openvsl: $sentence" "$*: sentence"
}
c="cannot create a card"
answers none create ERANGE 6 "$c: the capacity is not possible; 16 MiB to 16 TiB are" create
answers none create ENOSPC 5 "$c: there are too many cards already" create
answers none create ENOTTY 7 "$c: this driver was built without simulated cards" create
answers none create EPERM 10 "$c: not permitted; run it as root" create
answers none create ENOMEM 1 "$c: not enough memory" create

# Destroy, cut, power.
cards blank
try openvsl sim destroy /dev/fct0
call_is "destroy fct0" destroy
try openvsl sim cut fct0
call_is "power fct0 0" cut
try openvsl sim power fct0
call_is "power fct0 1" power
rc_is 0 "power: status"
answers healthy destroy EOPNOTSUPP 7 "fct0: cannot destroy: it is not a simulated card" \
	destroy fct0
answers blank destroy EBUSY 5 \
	"fct0: cannot destroy: it is attached or busy; detach it first (fio-detach)" destroy fct0
answers blank power EALREADY 5 "fct0: cannot cut the power: it has no power" cut fct0
answers blank power EALREADY 5 "fct0: cannot switch the power on: it has power" power fct0
answers blank power EBUSY 5 \
	"fct0: cannot switch the power on: its dead disk is still open; unmount or close it first" \
	power fct0
refused 2 blank "sim destroy: which card? (openvsl sim destroy --help)" openvsl sim destroy

# Faults.
cards blank
try openvsl sim fault fct0 read-lost
call_is "fault fct0 read-lost unit=-1 eu=-1 block=-1 count=1 every=0 value=0" "a fault anywhere"
try openvsl sim fault fct0 slow --unit 1 --eu 2 --block 3 --count 4 --every 5 --value 6000000000
call_is "fault fct0 slow unit=1 eu=2 block=3 count=4 every=5 value=6000000000" "a fault, all options"
try openvsl sim fault --count 0 fct0 slow
call_is "fault fct0 slow unit=-1 eu=-1 block=-1 count=0 every=0 value=0" "a fault taken back"
refused 2 blank "sim fault: it takes a card and the name of a fault (openvsl sim fault --help)" \
	openvsl sim fault fct0
refused 2 blank "sim fault: '4294967296' is not a number that would fit (openvsl sim fault --help)" \
	openvsl sim fault fct0 slow --unit 4294967296
refused 2 blank "no fault has the name 'averyveryverylongnamethatis'; see openvsl sim faults" \
	openvsl sim fault fct0 averyveryverylongnamethatis
f="fct0: cannot plant a fault"
answers blank fault EINVAL 2 \
	"$f: the driver knows no such fault, or the card has no such place; see openvsl sim faults" \
	fault fct0 nonsense
answers blank fault ENOSPC 5 "$f: too many faults are planted already" fault fct0 slow
answers blank fault EINVAL 5 "$f: no such fault was planted" fault fct0 slow --count 0
answers healthy fault EOPNOTSUPP 7 "$f: it is not a simulated card" fault fct0 slow

# The lists are those of the simulator, name by name.
names_in_source() {
	sed -n "/$2\[.*= {/,/^};/p" "$top/driver/media/$1" | sed -n 's/^\t{ "\([a-z0-9-]*\)".*/\1/p'
}
cards absent
try openvsl sim faults
cut -d' ' -f1 "$out" >"$work/have"
if [ -e "$top/driver/media/sim_fault.c" ]; then
	names_in_source sim_fault.c names >"$work/want"
	ok "the faults are the simulator's" diff "$work/want" "$work/have"
else
	skip "the faults are the simulator's" "no driver/media/sim_fault.c"
fi
try openvsl sim presets
cut -d' ' -f1 "$out" >"$work/have"
if [ -e "$top/driver/media/sim_preset.c" ]; then
	tr -d '\n\t' <"$top/driver/media/sim_preset.c" | sed 's/\.name = {/\n&/g' |
		sed -n 's/^\.name = { *"\([a-z0-9-]*\)", *"[^"]*", *\([0-9]*\)\( \* GB\)*,* *}.*/\1 \2/p' \
		>"$work/presets"
	cut -d' ' -f1 "$work/presets" >"$work/want"
	ok "the presets are the simulator's" diff "$work/want" "$work/have"
	# Their capacities, too; "tiny" has none.
	while read -r name gbytes; do
		[ "$gbytes" = 0 ] || creates "preset=$name capacity=${gbytes}000000000 seed=0 flags=0" \
			--preset "$name"
	done <"$work/presets"
else
	skip "the presets are the simulator's" "no driver/media/sim_preset.c"
fi

# Images.
image=$work/image
cards blank
try openvsl sim save fct0 "$image"
rc_is 0 "save: status"
ok "save: whole" [ "$(stat -c %s "$image")" = 5251072 ]
ok "save: shows progress" grep -q '^fct0: saving: ' "$out"
ok "save: leaves nothing behind" [ "$(find "$work" -name 'image*' | wc -l)" = 1 ]
ok "save: sparse" [ "$(($(stat -c '%b * %B' "$image")))" -lt 4000000 ]
ok "save: mode as the umask says" [ "$(stat -c %a "$image")" = "$(printf '%o' $((0666 & ~$(umask))))" ]
try openvsl sim save -q fct0 "$image"
out_is "" "save -q"
try openvsl sim load fct0 "$image"
rc_is 0 "load: status"
call_is "loaded fct0 bytes=5251072" "load: all of it"

bad_image() {
	local sentence=$1 name=$2
	try openvsl sim load fct0 "$work/bad"
	rc_is 8 "$name: status"
	err_is "openvsl: $work/bad: cannot load: $sentence" "$name: sentence"
	call_is "" "$name: the card is unchanged"
}
damaged="it is damaged: a checksum does not match"
head -c 1052672 "$image" >"$work/bad"
bad_image "it is truncated: it has 1052672 bytes, and its header says 5251072" "truncated"
head -c 5000000 "$image" >"$work/bad"
bad_image "it is truncated: it has 5000000 bytes, and its header says 5251072" "truncated in a block"
head -c 4096 "$image" >"$work/bad"
bad_image "it is truncated: it has 4096 bytes, and its header says 5251072" "truncated to its header"
head -c 100 "$image" >"$work/bad"
bad_image "it is truncated: its header is not complete" "truncated in the header"
{ cat "$image" && echo; } >"$work/bad"
bad_image "it is damaged: it has 5251073 bytes, and its header says 5251072" "too long"
: >"$work/bad"
bad_image "it is not an image of a simulated card" "empty"
flip() {
	cp "$image" "$work/bad"
	printf '\377' | dd of="$work/bad" bs=1 seek="$1" conv=notrunc status=none
}
flip 3000000
bad_image "$damaged" "a flipped byte in the middle"
flip 5000
bad_image "$damaged" "a flipped byte in the first piece"
flip 5251071
bad_image "$damaged" "a flipped byte at the end"
flip 13
bad_image "$damaged" "a flipped byte in the header"
flip 0
bad_image "it is not an image of a simulated card" "a flipped byte in the magic"
flip 8
bad_image "a newer version of OpenVSL saved it" "from the future"
flip 32
bad_image "it is the image of a card with another geometry; create one with the same preset and size" \
	"another geometry"
head -c 8192 /dev/zero >"$work/bad"
bad_image "it is not an image of a simulated card" "zeros"
try openvsl sim load fct0 /dev/null
rc_is 8 "load of a device: status"
err_is "openvsl: /dev/null: cannot load: it is not a file" "load of a device: sentence"
mkfifo "$work/fifo"
try timeout 20 openvsl sim load fct0 "$work/fifo"
rc_is 8 "load of a FIFO: status"
err_is "openvsl: $work/fifo: cannot load: it is not a file" "load of a FIFO: sentence"
try openvsl sim load fct0 "$work"
rc_is 8 "load of a directory: status"
try openvsl sim load fct0 "$work/nothing"
rc_is 1 "load of nothing: status"
err_is "openvsl: $work/nothing: cannot load: No such file or directory" "load of nothing: sentence"
try openvsl sim save fct0 /nonexistent/image
rc_is 1 "save to nowhere: status"
err_is "openvsl: /nonexistent/image: cannot save: No such file or directory" \
	"save to nowhere: sentence"

# What is in the way stays, and is found before anything is copied: a copy would
# fail here.
in_the_way() {
	local sentence=$1 path=$2
	cards blank
	extra "fail image EBUSY"
	try openvsl sim save fct0 "$path"
	rc_is 1 "save to ${path#"$work"/}: status"
	err_is "openvsl: $path: cannot save: $sentence" "save to ${path#"$work"/}: sentence"
}
mkdir "$work/way"
mkfifo "$work/way/fifo"
ln -s fifo "$work/way/to-fifo"
ln -s nothing "$work/way/to-nothing"
ln -s . "$work/way/to-directory"
no_file="something is there that is not a file, and stays"
in_the_way "$no_file" "$work/way/fifo"
in_the_way "$no_file" "$work/way/to-fifo"
in_the_way "it is a symbolic link that leads nowhere" "$work/way/to-nothing"
in_the_way "it is a directory; name a file in it" "$work/way"
in_the_way "it is a directory; name a file in it" "$work/way/to-directory"
in_the_way "Not a directory" "$image/x"
ok "a FIFO stays" [ -p "$work/way/fifo" ]
ok "a link to it stays" [ -L "$work/way/to-fifo" ]
if mknod "$work/way/node" c 1 3 2>/dev/null; then
	in_the_way "$no_file" "$work/way/node"
	ok "a device node stays" [ -c "$work/way/node" ]
else
	skip "a device node stays" "not root"
fi
refused 2 blank "sim save: the file's name is empty (openvsl sim save --help)" \
	openvsl sim save fct0 ""
refused 2 blank "sim load: the file's name is empty (openvsl sim load --help)" \
	openvsl sim load fct0 ""

# Through a link the file is replaced, not the link.
cards blank
echo old >"$work/way/file"
ln -s way/file "$work/to-file"
try openvsl sim save fct0 "$work/to-file"
rc_is 0 "save through a link: status"
ok "save through a link: it stays a link" [ -L "$work/to-file" ]
ok "save through a link: what it leads to is new" cmp -s "$image" "$work/way/file"
ok "save through a link: nothing is left behind" \
	[ -z "$(find "$work" -name 'to-file.*' -o -name 'file.*')" ]

# A pipe that nobody reads any more, and a limit on the size of files.
closed_pipe
openvsl sim save fct0 "$work/piped" >&4 2>"$err"
rc=$?
exec 4>&-
rc_is 1 "save, a closed pipe: status"
err_is "openvsl: cannot write the output" "save, a closed pipe: sentence"
ok "save, a closed pipe: it is saved" cmp -s "$image" "$work/piped"
# shellcheck disable=SC2016 # for the inner shell to expand
try bash -c 'ulimit -f 1024; exec openvsl sim save -q fct0 "$1"' sh "$work/large"
rc_is 1 "save, a limit: status"
err_is "openvsl: $work/large: cannot save: File too large" "save, a limit: sentence"
ok "save, a limit: nothing is left behind" [ -z "$(find "$work" -name 'large*')" ]

answers blank image EBUSY 5 \
	"fct0: cannot save: it is attached or busy; detach it first (fio-detach)" \
	save fct0 "$work/other"
ok "save that failed leaves nothing behind" [ -z "$(find "$work" -name 'other*')" ]
answers blank image EINVAL 5 \
	"fct0: cannot save: it has changed meanwhile; leave it alone and try again" \
	save fct0 "$work/other"
refused 7 healthy "fct0: cannot save: it is not a simulated card" \
	openvsl sim save fct0 "$work/other"
refused 5 error "fct0: cannot save: it has no power; switch it on first (openvsl sim power fct0)" \
	openvsl sim save fct0 "$work/other"
refused 5 attached-sim \
	"fct0: cannot load: it is attached or busy; detach it first (fio-detach)" \
	openvsl sim load fct0 "$image"
refused 2 blank "sim save: it takes a card and a file (openvsl sim save --help)" \
	openvsl sim save fct0
done_testing
