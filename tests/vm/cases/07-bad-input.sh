# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: bad devices, bad sizes, bad images: one sentence and one exit status each, and nothing changes
# memory: 1G
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# sum_of IMAGE: of all that is in it.
sum_of() {
	cp "$1" /tmp/contents && image-edit anonymous /tmp/contents 0 && sha256sum </tmp/contents
}

# contents CARD: all that is on it, as a sum.
contents() {
	openvsl sim save -q "/dev/$1" /tmp/saved && sum_of /tmp/saved
}

# unchanged NAME: the card is what it was when $before was taken.
unchanged() {
	is "$1 changes nothing" "$(contents "$card")" "$before"
}

need "the driver loads" load_driver
need "a card is ready" ready_card 4096 --size 32M
fct=/dev/$card

# ---- an attached card, and what is not a card ----

head -c 4M /dev/urandom >/tmp/data
dd if=/tmp/data of="$disk" bs=64k oflag=direct status=none
answer 5 "attached" openvsl format -y "$fct"
answer 5 "attached" openvsl format -y "$disk"
answer 7 "it is not a card of this driver" openvsl format -y /dev/null
answer 7 "it is not a card of this driver" openvsl format -y /dev/vda
answer 7 "it is not a card of this driver" openvsl attach /dev/vda
answer 7 "it is not a card of this driver" openvsl format -y /tmp/data
answer 7 "it is not a card of this driver" openvsl format -y /tmp
mknod /tmp/fct0 c 1 3
answer 7 "it is not a card of this driver" openvsl format -y /tmp/fct0
answer 3 "no such card" openvsl format -y /dev/nosuch
answer 3 "no such card" openvsl format -y ""
answer 7 "it is a partition" openvsl format -y /dev/fioa1
answer 7 "it is not a card of this driver" openvsl format -y "$fct" /dev/null
answer 5 "attached" openvsl format -y /dev/fct0 /dev/fct0
is "all data is there" "$(dd if="$disk" bs=64k count=64 iflag=direct status=none | sha256sum)" \
	"$(sha256sum </tmp/data)"
is "the root disk is untouched" "$(blkid -o value -s TYPE /dev/vda)" ext4
openvsl detach -q "$fct"
before=$(contents "$card")

# ---- sizes ----

answer 6 "a sector of 3000 bytes is not possible; 512 and 4096 are" openvsl format -y -b 3000 "$fct"
answer 6 "a size of 0 is too small; the least is 1 MiB" openvsl format -y -s 0 "$fct"
answer 6 "is too large; the most is" openvsl format -y -s 33G "$fct"
answer 6 "is above the advertised" openvsl format -y -s 105% "$fct"
unchanged "a bad size"

# ---- two at once ----

two_formats() {
	local first=0 second=0

	openvsl sim fault --count 4000000 --value 20000000 "$fct" slow
	openvsl format -qy "$fct" 2>/tmp/first &
	wait_for 20 is_state "$card" formatting
	openvsl format -qy "$fct" 2>/tmp/second || second=$?
	openvsl sim fault --count 0 "$fct" slow
	wait $! || first=$?
	cat /tmp/first /tmp/second
	[ "$first" = 0 ] && [ "$second" = 5 ] && [ ! -s /tmp/first ] &&
		[ "$(wc -l </tmp/second)" = 1 ] && grep -q busy /tmp/second
}
try "of two formats at once the second is refused as busy" two_formats
try "and the first one's work is good" attach_card "$card"
dd if=/tmp/data of="$disk" bs=64k oflag=direct status=none
openvsl detach -q "$fct"
before=$(contents "$card")

# ---- images ----

need "an image is saved" openvsl sim save -q "$fct" /tmp/image
bytes=$(stat -c %s /tmp/image)
damage() {
	cp /tmp/image /tmp/bad
	"$@"
}
bad_image() {
	answer "$1" "$2" openvsl sim load -q "$fct" /tmp/bad
}

damage truncate -s 0 /tmp/bad
bad_image 8 "it is not an image of a simulated card"
damage truncate -s 100 /tmp/bad
bad_image 8 "it is truncated: its header is not complete"
damage truncate -s $((bytes / 2 / 4096 * 4096)) /tmp/bad
bad_image 8 "it is truncated: it has"
damage truncate -s $((bytes - 1)) /tmp/bad
bad_image 8 "it is truncated: it has"
damage truncate -s $((bytes + 4096)) /tmp/bad
bad_image 8 "it is damaged: it has"
# Somewhere in: header, table, records, the first data, the last.
for at in 20 33 60 $((4096 + 40)) $((8192 + 100)) $((bytes / 2 + 7)) $((bytes - 4096)) \
	$((bytes - 1)); do
	damage image-edit flip /tmp/bad "$at" 3
	status=8
	answer $status "" openvsl sim load -q "$fct" /tmp/bad
done
damage image-edit version /tmp/bad 2
bad_image 8 "a newer version of OpenVSL saved it"
answer 8 "it is not a file" openvsl sim load -q "$fct" /dev/zero
answer 8 "it is not a file" openvsl sim load -q "$fct" /tmp
answer 1 "No such file" openvsl sim load -q "$fct" /tmp/nosuch
answer 1 "No such file" openvsl sim save -q "$fct" /nosuch/image
answer 1 "" openvsl sim save -q "$fct" /proc/image
unchanged "a bad image"
try "and the card attaches" attach_card "$card"
is "with its data" "$(dd if="$disk" bs=64k count=64 iflag=direct status=none | sha256sum)" \
	"$(sha256sum </tmp/data)"
openvsl detach -q "$fct"

make_card --size 48M
answer 8 "another geometry" openvsl sim load -q "/dev/$card" /tmp/image
# Two cards that are there at once have different serial numbers.
try "the first card goes" openvsl sim destroy "$fct"
need "a second card of the same kind" make_card --size 32M
try "a good image loads" openvsl sim load -q "/dev/$card" /tmp/image
is "it is the same card" "$(contents "$card")" "$(sum_of /tmp/image)"
try "it attaches" attach_card "$card" --clean
is "with the data" "$(dd if="$disk" bs=64k count=64 iflag=direct status=none | sha256sum)" \
	"$(sha256sum </tmp/data)"
openvsl detach -q "/dev/$card"

# ---- formatted by a driver from the past, and by one from the future ----

damage image-edit future /tmp/bad 1 >/tmp/edited
try "a card of the past loads" openvsl sim load -q "/dev/$card" /tmp/bad
is "it is in minimal mode" "$(state_of "$card")" minimal
answer 7 "older driver" openvsl attach "/dev/$card"
answer 7 "an older driver formatted it (format 1); to lose what is on it, add --force" \
	openvsl format -y "/dev/$card"

damage image-edit future /tmp/bad 99 >/tmp/edited
note "$(cat /tmp/edited)"
try "a card of the future loads" openvsl sim load -q "/dev/$card" /tmp/bad
is "it is in minimal mode" "$(state_of "$card")" minimal
before=$(contents "$card")
answer 7 "newer driver" openvsl attach "/dev/$card"
answer 7 "a newer driver formatted it (format 99); to lose what is on it, add --force" \
	openvsl format -y "/dev/$card"
unchanged "being asked"
try "its status says why" eval 'fio-status -a /dev/$card | grep -qi "newer driver"'
try "it can be formatted by force" openvsl format -qy --force "/dev/$card"
try "and attached" attach_card "$card"
openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
