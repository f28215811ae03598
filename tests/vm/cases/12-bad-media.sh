# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: unreadable and corrupt blocks are I/O errors and nothing else; failing writes lose no data
# memory: 1G
# timeout: 300

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

mib=$(sized 16 8)
blocks=$((mib * 256))

fault() {
	openvsl sim fault "$@" "/dev/$card" "$name"
}

# plant NAME [OPTION...]
plant() {
	name=$1
	shift
	fault "$@"
}

# Write the file to the disk; each block of it is another.
write_all() {
	head -c "${mib}M" /dev/urandom >/tmp/data
	dd if=/tmp/data of="$disk" bs=64k oflag=direct status=none
}

looks() {
	blocks compare "$disk" /tmp/data 2>/tmp/compare.errors
}

reattach() {
	openvsl detach -q "/dev/$card" && attach_card "$card"
}

cut_and_recover() {
	openvsl sim cut "/dev/$card" && wait_for 60 openvsl sim power "/dev/$card" &&
		attach_card "$card"
}

all_right="$blocks right, 0 wrong, 0 unreadable"
one_lost="$((blocks - 1)) right, 0 wrong, 1 unreadable"

# ---- reads ----

need "the driver loads" load_driver
need "a card that keeps a checksum beside each block" ready_card 4096 --size 64M --preset oc20
need "it is filled" write_all
sync "$disk"
is "all is right" "$(looks)" "$all_right"

plant read-lost
is "a block that cannot be read is one I/O error" "$(looks)" "$one_lost"
is "when it can be read again it is right" "$(looks)" "$all_right"
plant read-lost --unit 1 --value 1 --count 4000000
seen=$(looks)
try "a unit that cannot be read: $seen" grep -qE ' 0 wrong, [1-9][0-9]* unreadable' <<<"$seen"
plant read-lost --unit 1 --count 0
is "all of it is right afterwards" "$(looks)" "$all_right"
plant read-transient
note "one transient error: $(looks)"
is "a transient error goes away" "$(looks)" "$all_right"

# Blocks that got lost when they were written.
plant program-lost --count 3 --every 10
need "all is written again" write_all
sync "$disk"
plant program-lost --count 0 2>/dev/null
few_lost=$(looks)
cp /tmp/compare.errors /tmp/lost
try "lost blocks are I/O errors: $few_lost" grep -qE ' 0 wrong, [1-3] unreadable' <<<"$few_lost"
is "and again" "$(looks)" "$few_lost"
is "after detach and attach, too" "$(reattach && looks)" "$few_lost"
is "after a power cut, too" "$(cut_and_recover && looks)" "$few_lost"
is "they are the same ones" "$(cat /tmp/compare.errors)" "$(cat /tmp/lost)"
# shellcheck disable=SC2046 # words are wanted
blocks mend "$disk" /tmp/data $(sed 's/^block \([0-9]*\) .*/\1/' /tmp/lost)
is "written again they are right" "$(looks)" "$all_right"

# Reads that bring something else: the second try is right.
for name in corrupt misread; do
	corrupt=$(stat_of "$card" corrupt_blocks)
	fault --count 3 --every 50
	is "a $name read is never handed out" "$(looks)" "$all_right"
	fault --count 0 2>/dev/null
	is "but it is counted" "$(($(stat_of "$card" corrupt_blocks) - corrupt))" 3
done

# Blocks that were not written, or not so, or not there, and are called good.
for name in program-rot program-drop program-stray; do
	fault --count 3 --every 10
	need "all is written again" write_all
	sync "$disk"
	fault --count 0 2>/dev/null
	seen=$(looks)
	try "what $name has damaged is never handed out: $seen" grep -q ' 0 wrong' <<<"$seen"
done
need "all is written again" write_all
sync "$disk"
is "all is right" "$(looks)" "$all_right"
is "the audit finds nothing" "$(audit_of "$card")" 0
openvsl detach -q "/dev/$card"
openvsl sim destroy "/dev/$card"

# ---- programs and erases ----

need "another card" ready_card 4096 --size 24M --preset slc160 --seed 5
need "it is filled" write_all
bad=$(stat_of "$card" eus_bad)
for name in program-fail program-transient erase-fail erase-transient; do
	fault --count 4 --every 20
	try "writes go on in spite of $name" blocks write "$disk" /tmp/data "$(sized 1500 400)" "$RANDOM"
	try "and a flood of them" fio --name=flood --filename="$disk" --direct=1 \
		--ioengine=libaio --iodepth=32 --rw=randwrite --bs=4k --offset="${mib}M" \
		--size=4M --loops="$(sized 2 1)" --verify=crc32c --do_verify=1
	is "nothing is lost by $name" "$(looks)" "$all_right"
	fault --count 0 2>/dev/null
done
try "erase units were retired" [ "$(stat_of "$card" eus_bad)" -gt "$bad" ]
is "the audit finds nothing" "$(audit_of "$card")" 0
is "after a power cut all is right" "$(cut_and_recover && looks)" "$all_right"
is "after detach and attach, too" "$(reattach && looks)" "$all_right"

# ---- an operation that does not end ----

stuck() {
	local job

	# Taking the fault back is what lets the operations go on.
	plant stuck --count 1000 --value 2
	dd if=/tmp/data of="$disk" bs=64k count=32 oflag=direct conv=notrunc status=none &
	job=$!
	sleep 2
	kill -0 "$job" || return
	plant stuck --count 0
	wait_for 60 eval "! kill -0 $job" && wait "$job"
}
try "I/O waits for an operation that is stuck, and goes on after it" stuck
is "all is right" "$(looks)" "$all_right"

# ---- until it takes no more ----

worn_out() {
	local i

	plant program-fail --count 4000000 --every 8
	plant erase-fail --count 4000000 --every 2
	for i in $(seq 100); do
		blocks write "$disk" /tmp/data 1000 "$i" || break
	done
	echo "in round $i"
	[ "$i" -lt 100 ]
}
try "a card that wears out refuses writes in the end" worn_out
note "$(cat /tmp/tap.output), $(cat "/sys/class/openvsl/$card/health")"
is "it is read-only then" "$(cat "/sys/class/openvsl/$card/health")" read-only
is "so is its disk" "$(wait_for 10 eval '[ "$(blockdev --getro "$disk")" = 1 ]'; blockdev --getro "$disk")" 1
seen=$(looks)
note "$seen: the block whose write was refused may be old or new"
try "all that was acknowledged is there" \
	eval '[ "$(wc -l </tmp/compare.errors)" -le 1 ] && ! grep -q unreadable /tmp/compare.errors'
try "status says so" eval 'fio-status -a "/dev/$card" | grep -qi "read-only"'
openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
