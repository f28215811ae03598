// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_image.c - hostile media into attach.
 *
 * An input is: which card, how it is attached, damage (forge.c), then requests; or
 * a geometry alone.
 * Whatever the card holds, probe and attach return, with an error or a disk; a
 * disk that was attached answers every request, agrees with itself (P7) and can be
 * detached.  Where attach said that it may be written, what is written and flushed
 * then is there after the next attach, also on forged structures; but not where
 * the flash itself is not what it was (erase units moved, faults, reports that
 * lie).
 */
#include <stdlib.h>

#include "forge.h"

#define ORDERS_MAX	48u
#define REQUESTS_MAX	24u
#define KNOWN_BLOCKS	12u
#define READ_MAX	6144u
#define STAMP		0x77777777u

/**
 * struct run - one input
 * @how: bits of the second byte, HOW_*
 * @known: the known blocks were written and flushed without an error
 */
struct run {
	struct forgery forgery;
	struct bench *bench;
	u8 how;
	bool known;
};

#define HOW_READ_ONLY	(1u << 0)	/* read-only first */
#define HOW_CLEAN_ONLY	(1u << 1)
#define HOW_STRICT	(1u << 2)
#define HOW_CRASH	(1u << 3)	/* no detach */
#define HOW_LAST_FIRST	(1u << 4)
#define HOW_RESCAN	(1u << 5)
#define HOW_FORMAT	(1u << 6)	/* at last: it is formatted anew */

static bool sound(const struct run *run)
{
	return !run->forgery.moved && !run->forgery.lied &&
	       !run->forgery.faulty;
}

static void audit(struct run *run)
{
	struct vsl_core_stats stats;

	vsl_core_stats(run->bench->core, &stats);
	if (vsl_core_audit(run->bench->core))
		broken("the audit does not agree");
}

static void read_all(struct run *run)
{
	u64 blocks = bench_blocks(run->bench), lba;

	for (lba = 0; lba < min_t(u64, blocks, READ_MAX); lba += BENCH_IO_BLOCKS)
		bench_io(run->bench, VSL_IO_READ, 0, lba,
			 min_t(u64, BENCH_IO_BLOCKS, blocks - lba));
	bench_io(run->bench, VSL_IO_READ, 0, blocks - 1, 1);
}

/* ---- requests -------------------------------------------------------------- */

static void request(struct run *run, struct feed *feed)
{
	u64 sectors = vsl_core_capacity_sectors(run->bench->core);
	u8 what = feed_u8(feed);
	u32 sector = feed_u16(feed) * (what & 0x80 ? 1 : VSL_BLOCK_BYTES /
							 VSL_SECTOR_BYTES);
	u32 nr = 1 + feed_u8(feed);
	u8 flags = what & 0x40 ? VSL_IO_FUA : 0;

	/* bit 5: what nobody may ask for is refused */
	if (what & 0x20) {
		bench_io_part(run->bench, what & 7, flags,
			      what & 0x10 ? sectors - 1 : sector,
			      what & 8 ? 0 : VSL_IO_MAX_SECTORS + 1);
		return;
	}
	sector %= sectors;
	nr = min_t(u64, nr, sectors - sector);
	switch (what & 7) {
	case 0:
	case 1:
	case 2:
		bench_io_part(run->bench, VSL_IO_WRITE, flags, sector, nr);
		break;
	case 3:
		bench_io_part(run->bench, VSL_IO_READ, 0, sector, nr);
		break;
	case 4:
		bench_io_part(run->bench, VSL_IO_TRIM, 0, sector, nr * 16);
		break;
	case 5:
		bench_io_part(run->bench, VSL_IO_ZERO, flags, sector, nr);
		break;
	case 6:
		bench_io(run->bench, VSL_IO_FLUSH, 0, 0, 0);
		break;
	default:
		bench_tick(run->bench);
		break;
	}
}

static u32 known_lba(const struct run *run, u32 i)
{
	return (u32)((bench_blocks(run->bench) - 1) * i / KNOWN_BLOCKS);
}

static void write_known(struct run *run)
{
	u32 i;

	run->known = true;
	for (i = 0; i < KNOWN_BLOCKS; i++) {
		past_mark(run->bench->buf, known_lba(run, i), STAMP);
		if (bench_io(run->bench, VSL_IO_WRITE, 0, known_lba(run, i), 1))
			run->known = false;
	}
	if (bench_io(run->bench, VSL_IO_FLUSH, 0, 0, 0))
		run->known = false;
}

static void read_known(struct run *run)
{
	u8 want[VSL_BLOCK_BYTES];
	u32 i;
	int err;

	for (i = 0; i < KNOWN_BLOCKS; i++) {
		past_mark(want, known_lba(run, i), STAMP);
		err = bench_io(run->bench, VSL_IO_READ, 0, known_lba(run, i), 1);
		if (err)
			broken("block %u was written, flushed, and reads as %d",
			       known_lba(run, i), err);
		if (memcmp(want, run->bench->buf, VSL_BLOCK_BYTES))
			broken("block %u is not what was written and flushed",
			       known_lba(run, i));
	}
}

/* ---- lives ----------------------------------------------------------------- */

static void live_read_only(struct run *run)
{
	if (bench_attach(run->bench, VSL_ATTACH_READ_ONLY))
		return;
	audit(run);
	read_all(run);
	audit(run);
	bench_detach(run->bench);
}

static int attach(struct run *run)
{
	u32 flags = 0;
	int err;

	if (run->how & HOW_CLEAN_ONLY)
		flags |= VSL_ATTACH_CLEAN_ONLY;
	if (run->how & HOW_STRICT)
		flags |= VSL_ATTACH_STRICT_SYNC;
	if (run->how & HOW_RESCAN)
		flags |= VSL_ATTACH_RESCAN;
	vsl_port_fail_after = run->forgery.fail_after;
	err = bench_attach(run->bench, flags);
	vsl_port_fail_after = 0;
	return err;
}

static void live(struct run *run, struct feed *feed)
{
	u32 i;

	audit(run);
	read_all(run);
	for (i = 0; i < REQUESTS_MAX && feed->left; i++)
		request(run, feed);
	write_known(run);
	bench_tick(run->bench);
	bench_tick(run->bench);
	read_all(run);
	audit(run);
	if (run->how & HOW_CRASH)
		bench_crash(run->bench);
	else
		bench_detach(run->bench);
}

static void live_again(struct run *run)
{
	int err = bench_attach(run->bench, 0);

	if (err && run->known && sound(run))
		broken("attach returns %d after a flush", err);
	if (err)
		return;
	audit(run);
	if (run->known && sound(run))
		read_known(run);
	read_all(run);
	audit(run);
	bench_detach(run->bench);
}

/* Any sector size and any capacity; most are refused, and nothing was done. */
static void format(struct run *run, struct feed *feed)
{
	u32 sector_bytes = VSL_SECTOR_BYTES << feed_below(feed, 4);
	u64 capacity = feed_u64(feed, 3) << 9;
	struct vsl_limits limits;
	int ret;

	vsl_core_limits(&run->bench->media, &limits);
	ret = bench_format(run->bench, sector_bytes, capacity, capacity & 512,
			   capacity & 1024);
	MUST(ret || capacity <= limits.max_bytes);
	MUST(ret || sector_bytes == 512 || sector_bytes == 4096);
	if (ret != -EINVAL && ret != -ERANGE)
		run->known = false;
}

static int report_nothing(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
			  struct vsl_eu_report *out)
{
	(void)media;
	(void)unit;
	(void)eu;
	memset(out, 0, nr * sizeof(*out));
	return 0;
}

/* Any geometry: it is refused, or can be divided by all that follows from it. */
static void geometry(struct feed *feed)
{
	static const struct vsl_media_ops ops = { .report = report_nothing };
	struct vsl_media media = { .ops = &ops };
	struct vsl_media_info *info = &media.info;
	struct vsl_limits limits, with_parity;
	u32 *number[] = {
		&info->units, &info->eus, &info->eu_blocks, &info->ws_min,
		&info->ws_opt, &info->hole, &info->max_open, &info->max_blocks,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(number); i++)
		*number[i] = (u32)feed_u64(feed, 3);
	info->flags = feed_u8(feed);
	info->factory_bytes = feed_u64(feed, 8);
	/* every erase unit is asked for: not too many of them */
	if ((u64)info->units * info->eus > 1u << 20)
		info->eus >>= 12;
	if (vsl_core_limits(&media, &limits))
		return;
	MUST(limits.advertised_bytes && limits.max_bytes < limits.physical_bytes);
	MUST(limits.advertised_bytes <= limits.max_bytes);
	if (vsl_core_limits_parity(&media, &with_parity))
		return;
	MUST(with_parity.advertised_bytes && with_parity.max_bytes < limits.max_bytes);
	MUST(with_parity.advertised_bytes <= with_parity.max_bytes);
}

/* In the first byte: how the last life ended in bits 2 and 3, the card below. */
#define CARD_PARITY	0x10u
#define CARD_FLAT	0x20u
#define GEOMETRY	0xffu

/* Which of the cards (past.h). */
static u32 which_card(u8 card)
{
	if (card & CARD_FLAT)
		return PAST_FLAT + (card & 1);
	if (card & CARD_PARITY)
		return PAST_PARITY + (card & 1);
	return card & 3;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct feed feed = { .at = data, .left = size };
	struct run run = { .known = false };
	u8 card = feed_u8(&feed);
	struct vsl_label label;
	u32 i;

	if (card == GEOMETRY) {
		geometry(&feed);
		return 0;
	}
	run.how = feed_u8(&feed);
	run.forgery.past = past_get(which_card(card), card >> 2 & 3);
	run.forgery.bench = past_copy(run.forgery.past);
	run.bench = run.forgery.bench;
	run.bench->last_first = run.how & HOW_LAST_FIRST;
	for (i = 0; i < ORDERS_MAX && forge(&run.forgery, &feed); i++)
		;
	bench_probe(run.bench, &label);
	if (run.how & HOW_READ_ONLY)
		live_read_only(&run);
	if (!attach(&run))
		live(&run, &feed);
	vsl_sim_heal(run.bench->sim);
	vsl_sim_power_on(run.bench->sim);
	if (run.how & HOW_FORMAT)
		format(&run, &feed);
	live_again(&run);
	return 0;
}
