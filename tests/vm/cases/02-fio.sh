# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# purpose: what the first users do: fio at depth 64, random and sequential, all of it verified
# memory: 3G
# timeout: 600

# shellcheck source-path=SCRIPTDIR source=../guest/card.sh
. /vsl/guest/card.sh

# job NAME OPTION...: one fio job on the disk; any wrong byte fails it.
job() {
	local name=$1
	shift

	fio --name="$name" --filename="$disk" --ioengine=libaio --direct=1 --iodepth=64 \
		--randseed=7 --verify_fatal=1 --output-format=normal "$@"
}

four_k=$(sized 48M 4M)
four_m=$(sized 128M 8M)

# ---- the four jobs of the first users, on 2 GB formatted to 4 KiB sectors ----

need "the driver loads" load_driver
need "a 2 GB card is made" make_card --size 2G --preset slc160
need "it is formatted" openvsl format -y -b 4096 "/dev/$card"
need "it is attached" attach_card "$card"

try "4 KiB random write, depth 64, read back" job randwrite --rw=randwrite --bs=4k \
	--size="$four_k" --verify=crc32c --do_verify=1
reads=$(stat_of "$card" host_read_blocks)
try "4 KiB random read, depth 64" job randread --rw=randread --bs=4k --size="$four_k"
# Those that did not take the lock are counted with the next tick.
all_counted() {
	[ $(($(stat_of "$card" host_read_blocks) - reads)) -ge $(($(numfmt --from=iec "$four_k") / 4096)) ]
}
try "every read is counted" wait_for 10 all_counted
try "4 MiB sequential write, depth 64, read back" job write --rw=write --bs=4m \
	--offset=512M --size="$four_m" --verify=crc32c --verify_interval=64k --do_verify=1
try "4 MiB sequential read, depth 64" job read --rw=read --bs=4m --offset=512M \
	--size="$four_m"
is "the audit finds nothing" "$(audit_of "$card")" 0

try "detach and attach" eval 'openvsl detach -q "/dev/$card" && attach_card "$card"'
try "what was written at random is still right" job randwrite --rw=randwrite --bs=4k \
	--size="$four_k" --verify=crc32c --verify_only
try "what was written in sequence is still right" job write --rw=write --bs=4m \
	--offset=512M --size="$four_m" --verify=crc32c --verify_interval=64k --verify_only
try "the card is detached" openvsl detach -q "/dev/$card"
try "and destroyed" openvsl sim destroy "/dev/$card"

# ---- a small card, 512-byte sectors, written over and over: it has to groom ----

small=$(sized 64M 20M)
need "a small card of 512-byte sectors" ready_card 512 --size "$small"
area=$(($(blockdev --getsize64 "$disk") * 8 / 10 / 65536 * 65536))

try "4 KiB random writes over the whole of it, twice" job over --rw=randwrite --bs=4k \
	--size="$area" --loops=2 --verify=crc32c --do_verify=1
try "512 bytes, random, reads and writes, read back" job sectors --rw=randrw --bs=512 \
	--size="$(sized 2M 1M)" --verify=crc32c --do_verify=1
try "mixed sizes from 512 bytes on, read back" job mixed --rw=randwrite \
	--bssplit=512/30:1k/10:4k/40:5k/10:16k/10 --bs_unaligned=0 --blockalign=512 \
	--size="$(sized 16M 2M)" --verify=crc32c --do_verify=1 --verify_interval=512
exercise_disk() {
	exercise "$disk" "$(sized 32 12)" "$(sized 2000 150)" 1
}
try "every size, with discards, zeroing and syncs between, from four threads" exercise_disk
note "$(cat /tmp/tap.output)"
try "each block trimmed, then written, read back" job trimwrite --rw=randtrimwrite \
	--bs=4k --size="$(sized 16M 2M)" --verify=crc32c --do_verify=1
is "the audit finds nothing" "$(audit_of "$card")" 0
moved=$(stat_of "$card" media_moved_blocks)
note "blocks moved: $moved"
try "the card had to groom" [ "$moved" -gt 0 ]
is "the simulated flash saw no rule broken" "$(stat_of "$card" sim_violations)" 0
try "detach" openvsl detach -q "/dev/$card"
try "the module goes" rmmod openvsl
done_testing
