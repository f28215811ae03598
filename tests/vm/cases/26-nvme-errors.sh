# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: an NVMe disk with places that cannot be read or written: I/O errors there, nowhere else, and no loss
# often: 7
# memory: 1G
# timeout: 300
# together: nvme
# disk: reads 128M
# disk: writes 128M
# qemu: -blockdev driver=blkdebug,node-name=reads,image.driver=file,image.filename=%reads%,inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.sector=60001,inject-error.1.event=none,inject-error.1.iotype=read,inject-error.1.sector=100002,inject-error.2.event=none,inject-error.2.iotype=read,inject-error.2.sector=140003
# qemu: -blockdev driver=blkdebug,node-name=writes,image.driver=file,image.filename=%writes%,inject-error.0.event=none,inject-error.0.iotype=write,inject-error.0.sector=60001,inject-error.1.event=none,inject-error.1.iotype=write,inject-error.1.sector=100002,inject-error.2.event=none,inject-error.2.iotype=write,inject-error.2.sector=140003
# qemu: -device nvme,serial=reads,drive=reads,addr=14
# qemu: -device nvme,serial=writes,drive=writes,addr=15

# shellcheck source-path=SCRIPTDIR source=../guest/nvme.sh
. /vsl/guest/nvme.sh

# Most of it, so that the places are among what is written.
mib=72
blocks=$((mib * 256))
head -c "${mib}M" /dev/urandom >/tmp/data
write_all() {
	dd if=/tmp/data of="$disk" bs=256k oflag=direct status=none && sync "$disk"
}
looks() {
	blocks compare "$disk" /tmp/data 2>/tmp/compare.errors
}

# deep OPTION...: which requests fail (ENODATA) when all of it is read, as their sectors.
deep() {
	local before

	before=$(dmesg | wc -l)
	fio --name=deep --filename="$disk" --direct=1 --rw=read --bs=512k --size="${mib}M" \
		--ignore_error=61 "$@" >/dev/null 2>&1
	dmesg | tail -n "+$((before + 1))" |
		sed -n "s/.*medium error, dev ${disk##*/}, sector \([0-9]*\) .*/\1/p" | sort -nu | xargs
}
# Of how many blocks the largest read was that failed.
largest() {
	dmesg | sed -n 's/.*status [0-9a-f]*, operation 0, \([0-9]*\) blocks .*/\1/p' | sort -n | tail -n 1
}

# Little is enough for a card to be busy, so that neighbours find each other.
need "the driver loads" load_driver nvme_busy_kib=64 nvme_coalesce=8
need "a card that cannot be read in three places" give "$(at 14)"
try "it cannot coalesce interrupts, and goes on" grep -q "does not coalesce" <(dmesg)
need "it is a card" card_of "$(at 14)"
need "it is formatted" openvsl format -qy "/dev/$card"
need "it is attached" attach_card "$card"
need "it is filled" write_all
seen=$(looks)
try "errors there, and nowhere else: $seen" grep -qE ' 0 wrong, [1-3] unreadable' <<<"$seen"
one=$(deep --ioengine=psync)
try "of requests that come one by one some fail: $one" grep -qE '^[0-9]+( [0-9]+){0,2}$' <<<"$one"
is "the same ones of many at once" "$(deep --ioengine=libaio --iodepth=64)" "$one"
# The debug kernel is slower than its disk: seldom does anybody stand in line there.
try "among commands for several reads, too: $(largest) blocks" \
	test "$(largest)" -gt "$(sized 16 0)"
is "the card is attached" "$(state_of "$card")" attached
is "the audit finds nothing" "$(audit_of "$card")" 0
is "the same after detach and attach" "$(openvsl detach -q "/dev/$card" && attach_card "$card" && looks)" "$seen"

need "a card that cannot be written in three places" give "$(at 15)"
need "it is a card" card_of "$(at 15)"
need "it is formatted" openvsl format -qy "/dev/$card"
need "it is attached" attach_card "$card"
need "it is filled" write_all
is "nothing is lost" "$(looks)" "$blocks right, 0 wrong, 0 unreadable"
try "many large requests at once read what was written" verified deep --rw=write --bs=512k \
	--iodepth=32 --size=32M --verify=crc32c --verify_interval=64k --do_verify=1
need "it is filled again" write_all
is "nothing is lost" "$(looks)" "$blocks right, 0 wrong, 0 unreadable"
is "three erase units are to be retired" "$(dmesg | grep -c 'has failed; to be retired')" 3
is "the audit finds nothing" "$(audit_of "$card")" 0
is "nothing is lost by detach and attach" \
	"$(openvsl detach -q "/dev/$card" && attach_card "$card" && looks)" \
	"$blocks right, 0 wrong, 0 unreadable"
try "the module goes" rmmod openvsl
done_testing
