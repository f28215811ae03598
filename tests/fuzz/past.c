// SPDX-License-Identifier: GPL-2.0-only
/*
 * past.c - cards with a past: what the core itself has written, to be damaged.
 *
 * A few small geometries, each with several ways the last life ended.  The core
 * formats, fills and grooms them; then the card is searched for everything the
 * format has, so that an input can say "the second newest head" instead of
 * guessing where it may be.
 */
#include "past.h"

#include <stdlib.h>

#include "feed.h"

#define KINDS_SCANNED	3u	/* roots, heads and summaries: by their magic */

static const struct vsl_sim_config configs[PAST_CARDS] = {
	{	/* small segments, one page of everything */
		.units = 4, .eus = 32, .eu_blocks = 16, .ws_min = 1,
		.ws_opt = 4, .max_blocks = 16, .erase_cycles = 1000,
		.flags = VSL_SIM_INLINE | VSL_SIM_FINISH | VSL_SIM_REPORTS,
	},
	{	/* read hole, volatile cache, large programs */
		.units = 2, .eus = 40, .eu_blocks = 32, .ws_min = 2,
		.ws_opt = 4, .hole = 4, .max_blocks = 16,
		.flags = VSL_SIM_INLINE | VSL_SIM_VOLATILE | VSL_SIM_REPORTS,
	},
	{	/* one unit, no reports */
		.units = 1, .eus = 40, .eu_blocks = 48, .ws_min = 1,
		.ws_opt = 1, .max_blocks = 64,
		.flags = VSL_SIM_INLINE,
	},
	{	/* summaries of two blocks, several pages, bad erase units */
		.units = 6, .eus = 28, .eu_blocks = 64, .ws_min = 4,
		.ws_opt = 16, .max_blocks = 64, .bad_permyriad = 300,
		.flags = VSL_SIM_INLINE | VSL_SIM_PLP | VSL_SIM_REPORTS,
	},
	{	/* parity, and spare bytes that tell whether it is right */
		.units = 4, .eus = 40, .eu_blocks = 16, .ws_min = 1,
		.ws_opt = 4, .max_blocks = 16, .oob_bytes = 16,
		.flags = VSL_SIM_INLINE | VSL_SIM_FINISH | VSL_SIM_REPORTS,
	},
	{	/* parity without them; read hole, volatile cache */
		.units = 5, .eus = 32, .eu_blocks = 32, .ws_min = 2,
		.ws_opt = 4, .hole = 4, .max_blocks = 16,
		.flags = VSL_SIM_INLINE | VSL_SIM_VOLATILE | VSL_SIM_REPORTS,
	},
	{	/* no flash: what was erased shows what was there before */
		.units = 2, .eus = 48, .eu_blocks = 24, .ws_min = 1,
		.ws_opt = 4, .max_blocks = 16, .stale_permille = 1000,
		.flags = VSL_SIM_INLINE | VSL_SIM_FLAT,
	},
	{	/* likewise, with a volatile cache; some of it was somebody else's */
		.units = 3, .eus = 32, .eu_blocks = 32, .ws_min = 1,
		.ws_opt = 8, .max_blocks = 16, .stale_permille = 700,
		.foreign_permille = 100,
		.flags = VSL_SIM_INLINE | VSL_SIM_FLAT | VSL_SIM_VOLATILE,
	},
};

static struct past pasts[PAST_CARDS][PAST_ENDS];

void past_mark(void *block, u32 lba, u32 stamp)
{
	u32 word[2] = { lba, stamp };
	u32 at;

	for (at = 0; at < VSL_BLOCK_BYTES; at += sizeof(word))
		memcpy((u8 *)block + at, word, sizeof(word));
}

/* ---- its life -------------------------------------------------------------- */

static void write_some(struct bench *bench, u32 lba, u32 nr, u32 stamp)
{
	u32 i;
	int err;

	for (i = 0; i < nr; i++)
		past_mark(bench->buf + i * VSL_BLOCK_BYTES, lba + i, stamp);
	err = bench_io(bench, VSL_IO_WRITE, 0, lba, nr);
	if (err)
		broken("a healthy card: a write ends with %d", err);
}

static void live(struct bench *bench, u32 writes, u32 seed)
{
	u32 blocks = (u32)bench_blocks(bench), i, lba, nr;

	for (i = 0; i < writes; i++) {
		seed = seed * 1664525 + 1013904223;
		nr = 1 + (seed >> 28) % 8;
		lba = (seed >> 8) % (blocks - nr);
		write_some(bench, lba, nr, i);
		if (i % 16 == 7)
			MUST(!bench_io(bench, VSL_IO_TRIM, 0, lba,
				       min(2 * nr, blocks - lba)));
		if (i % 8 == 3)
			MUST(!bench_io(bench, VSL_IO_FLUSH, 0, 0, 0));
		if (i % 8 == 5)
			bench_tick(bench);
	}
}

/* Three quarters of the disk, then twice as much at random: it has to groom. */
static void first_life(struct bench *bench)
{
	u32 blocks, lba;

	MUST(!bench_attach(bench, 0));
	blocks = (u32)bench_blocks(bench);
	for (lba = 0; lba + 16 <= blocks / 4 * 3; lba += 16)
		write_some(bench, lba, 16, 1u << 30);
	live(bench, blocks / 4, 1);
}

/*
 * Ways to end: 0 a clean detach, 1 the host dies, 2 it dies again behind the next
 * attach, 3 a clean detach and nothing but a few writes before it dies.
 */
static void make(struct past *past, u32 end, bool parity)
{
	struct bench *bench = past->bench;

	bench_reset(bench);
	MUST(!bench_format(bench, VSL_SECTOR_BYTES, 0, false, parity));
	first_life(bench);
	if (end == 1) {
		bench_crash(bench);
		return;
	}
	if (end == 2)
		bench_crash(bench);
	else
		MUST(!bench_detach(bench));
	if (!end)
		return;
	MUST(!bench_attach(bench, 0));
	live(bench, 9, end);
	bench_crash(bench);
}

/* ---- what is on it --------------------------------------------------------- */

static void add(struct things *things, u32 unit, u32 eu, u32 off, u64 age)
{
	struct thing *thing;

	things->thing = realloc(things->thing,
				(things->nr + 1) * sizeof(*things->thing));
	MUST(things->thing);
	thing = &things->thing[things->nr++];
	thing->unit = unit;
	thing->eu = eu;
	thing->off = off;
	thing->age = age;
}

static void look_at(struct past *past, u32 unit, u32 eu, u32 off)
{
	union {
		u8 bytes[VSL_BLOCK_BYTES];
		struct vsl_disk_root root;
		struct vsl_disk_head head;
		struct vsl_disk_summary summary;
	} block;

	if (vsl_sim_peek(past->bench->sim, unit, eu, off, &block))
		return;
	switch (le64_to_cpu(block.root.magic)) {
	case VSL_ROOT_MAGIC:
		add(&past->things[THING_ROOT], unit, eu, off,
		    le64_to_cpu(block.root.generation));
		break;
	case VSL_HEAD_MAGIC:
		add(&past->things[THING_HEAD], unit, eu, off,
		    le64_to_cpu(block.head.base_version));
		break;
	case VSL_SUMMARY_MAGIC:
		add(&past->things[THING_SUMMARY], unit, eu, off,
		    le64_to_cpu(block.summary.alloc_no));
		break;
	}
}

static int newest_first(const void *a, const void *b)
{
	const struct thing *one = a, *other = b;

	return one->age < other->age ? 1 : one->age > other->age ? -1 : 0;
}

static void scan(struct past *past)
{
	const struct vsl_geo *geo = &past->geo;
	u32 unit, eu, off, kind;

	for (unit = 0; unit < geo->units; unit++)
		for (eu = 0; eu < geo->segments; eu++)
			for (off = 0; off < geo->eu_blocks; off++)
				look_at(past, unit, eu, off);
	for (kind = 0; kind < KINDS_SCANNED; kind++)
		if (past->things[kind].nr)
			qsort(past->things[kind].thing, past->things[kind].nr,
			      sizeof(struct thing), newest_first);
}

static void add_pages(struct past *past, enum thing_kind kind, const void *refs,
		      u32 nr)
{
	const struct vsl_disk_ref *ref = refs;
	u32 i, ppa;

	for (i = 0; i < nr; i++) {
		ppa = le32_to_cpu(ref[i].ppa);
		if (!vsl_ppa_valid(&past->geo, ppa))
			continue;
		add(&past->things[kind], vsl_ppa_unit(&past->geo, ppa),
		    vsl_ppa_seg(&past->geo, ppa), vsl_ppa_off(&past->geo, ppa),
		    i);
	}
}

/* The pages that the newest root knows of. */
static void scan_pages(struct past *past)
{
	const struct thing *at = &past->things[THING_ROOT].thing[0];
	union {
		u8 bytes[VSL_BLOCK_BYTES];
		struct vsl_disk_root root;
	} block;
	u8 page[VSL_BLOCK_BYTES];
	u32 i;

	MUST(past->things[THING_ROOT].nr);
	MUST(!vsl_sim_peek(past->bench->sim, at->unit, at->eu, at->off, &block));
	MUST(!vsl_geo_set_size(&past->geo,
			       le64_to_cpu(block.root.capacity_blocks)));
	MUST(past->geo.root_blocks == 1);
	add_pages(past, THING_DIR, &block.root + 1, past->geo.dir_pages);
	add_pages(past, THING_SEGTAB,
		  block.bytes + sizeof(block.root) +
		  past->geo.dir_pages * sizeof(struct vsl_disk_ref),
		  past->geo.segtab_pages);
	for (i = 0; i < past->things[THING_DIR].nr; i++) {
		at = &past->things[THING_DIR].thing[i];
		MUST(!vsl_sim_peek(past->bench->sim, at->unit, at->eu, at->off,
				   page));
		add_pages(past, THING_MAP, page,
			  min_t(u32, past->geo.map_pages, VSL_REFS_PER_PAGE));
	}
}

const struct past *past_get(u32 card, u32 end)
{
	struct past *past = &pasts[card % PAST_CARDS][end % PAST_ENDS];
	bool parity = card % PAST_CARDS / 2 == PAST_PARITY / 2;

	if (past->bench)
		return past;
	past->bench = bench_create(&configs[card % PAST_CARDS]);
	MUST(!vsl_geo_init(&past->geo, &past->bench->media.info));
	MUST(!parity || !vsl_geo_protect(&past->geo));
	make(past, end % PAST_ENDS, parity);
	scan(past);
	scan_pages(past);
	return past;
}

struct bench *past_copy(const struct past *past)
{
	static struct bench *copies[PAST_CARDS];
	u32 card = (u32)(past - &pasts[0][0]) / PAST_ENDS;

	if (!copies[card])
		copies[card] = bench_create(&configs[card]);
	bench_reset(copies[card]);
	MUST(!vsl_sim_clone(copies[card]->sim, past->bench->sim));
	return copies[card];
}
