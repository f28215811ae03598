// SPDX-License-Identifier: GPL-2.0-only
/*
 * rows.c - parity of rows, case by case.
 *
 * What chance seldom brings about is made here: a row whose parity was torn, a
 * card that has lost just that block, a unit that dies before anything was read
 * from it.  Every case belongs to a rule of driver/core/parity.c, and fails when
 * the rule is left out.  They are a part of the runs "parity" (parity.c).
 *
 * Each is a card of four units whose rows have three blocks and their parity.
 */
#include "scene.h"

#include <string.h>

#include "fail.h"
#include "forge.h"

#define UNITS		4u
#define STILL		64u	/* blocks that are not written again */

/* The toy has none of this, and is not asked. */
#pragma weak vsl_stripe_init
#pragma weak vsl_log_fill_row
#pragma weak vsl_progress
#pragma weak vsl_port_crc32c

#define need(cond, ...)							\
	do {								\
		if (!(cond))						\
			sim_fail("test", __VA_ARGS__);			\
	} while (0)

/* ---- words ------------------------------------------------------------------- */

static struct world *start(struct scene *s, u32 flags, u32 oob_bytes)
{
	struct plan plan = {
		.card = {
			.units = UNITS,
			.eus = 64,
			.eu_blocks = 32,
			.ws_min = 1,
			.ws_opt = 1,
			.max_blocks = 64,
			.oob_bytes = oob_bytes,
			.erase_cycles = 100000,
			.flags = VSL_SIM_SHUFFLE | VSL_SIM_REPORTS | flags,
			.seed = s->order->seed + s->order->run,
			.tear = { .program_old = 1, .program_new = 1,
				  .program_random = 1, .erase_done = 1 },
		},
		.format = { .sector_bytes = VSL_BLOCK_BYTES, .uuid = "rows",
			    .parity = true },
		.weight = { 10, 10, 10, 10, 1 },
		.load = {
			.kind = { [VSL_IO_READ] = 1, [VSL_IO_WRITE] = 9 },
			.spread = { [SPREAD_UNIFORM] = 1 },
			.depth = 4,
		},
	};
	struct vsl_limits limits;

	need(!world_limits(&plan.card, true, &limits), "the card is refused");
	plan.format.capacity_bytes = limits.advertised_bytes;
	rng_init(&s->rng, s->order->seed, s->order->run, 78);
	s->world = world_create(&plan, s->order->seed, s->order->run);
	scene_format(s, &plan.format);
	return s->world;
}

/* One block, in a packet of its own. */
static void put(struct world *w, u32 lba)
{
	world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

/* Write until the host's first packet is in a segment of all units. */
static void begin_segment(struct world *w)
{
	const struct vsl_stream *stream = forge_point(w->core, 100);
	u32 lba = 100;

	do {
		put(w, lba++);
	} while (stream->seg == VSL_NONE || stream->stripe.nr < UNITS ||
		 stream->index != 2);
}

/* Fill a segment of the host until @left of its blocks are left.  Return: the next block. */
static u32 fill_segment(struct world *w, u32 left)
{
	const struct vsl_stream *stream = forge_point(w->core, 0);
	u32 lba = 0, seg;

	begin_segment(w);
	seg = stream->seg;
	while (stream->seg == seg && stream->index + left < stream->limit)
		put(w, lba++);
	return lba;
}

static void flush(struct world *w)
{
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
}

static void power_cycle(struct world *w)
{
	world_crash(w);
	world_power_on(w);
}

static void may_lose(struct world *w, u32 lba)
{
	oracle_may_lose(w->oracle, (u64)lba * VSL_BLOCK_SECTORS,
			VSL_BLOCK_SECTORS);
}

static struct place place_of(const struct vsl_geo *geo, u32 ppa)
{
	return (struct place){
		.unit = vsl_ppa_unit(geo, ppa),
		.eu = vsl_ppa_seg(geo, ppa),
		.block = vsl_ppa_off(geo, ppa),
	};
}

static struct place place_of_lba(struct world *w, u32 lba)
{
	u32 ppa = vsl_map_get(w->core, lba);

	need(vsl_ppa_is_block(ppa), "block %u is nowhere", lba);
	return place_of(&w->core->geo, ppa);
}

/* Where the parity of the row is in which @at lies. */
static struct place parity_of(struct world *w, struct place at)
{
	struct vsl_stripe stripe;

	vsl_stripe_init(&stripe, &w->core->geo, vsl_seg_units(w->core, at.eu));
	at.unit = stripe.unit[at.block % stripe.nr];
	return at;
}

static void lose(struct world *w, struct place at)
{
	sim_trace("lose unit %u eu %u block %u", at.unit, at.eu, at.block);
	need(!vsl_sim_poke(w->sim, at.unit, at.eu, at.block, NULL),
	     "unit %u eu %u block %u was not programmed", at.unit, at.eu,
	     at.block);
}

static void spoil(struct world *w, struct place at)
{
	union block junk;

	memset(&junk, 0x5a, sizeof(junk));
	forge_write(w->sim, &at, &junk);
}

/* A page of the card with other contents, as if it had been written so. */
static __le32 replace(struct world *w, struct place at, const union block *page)
{
	__le32 crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, page,
						 sizeof(*page)));
	union {
		struct vsl_disk_spare record;
		u8 byte[VSL_SPARE_MAX];
	} oob;

	forge_write(w->sim, &at, page);
	need(!vsl_sim_peek_oob(w->sim, at.unit, at.eu, at.block, &oob),
	     "it has no spare bytes");
	oob.record.crc = crc;
	need(!vsl_sim_poke_oob(w->sim, at.unit, at.eu, at.block, &oob),
	     "they cannot be changed");
	return crc;
}

/* The reference to the first page of the directory. */
static struct vsl_disk_ref *first_ref(union block *root)
{
	return (struct vsl_disk_ref *)(&root->root + 1);
}

static void kill_unit(struct world *w, u32 unit)
{
	struct vsl_sim_fault fault = {
		.name = "unit-dead",
		.unit = unit,
		.eu = VSL_SIM_ANY,
		.block = VSL_SIM_ANY,
		.count = VSL_SIM_FOREVER,
		.every = 1,
	};

	need(!vsl_sim_plant(w->sim, &fault), "the unit does not die");
}

/* ---- cases --------------------------------------------------------------------- */

/*
 * The map leads to another block of the disk.  That one is whole and in its
 * place; only its record says that it is not what was asked for.
 */
static void map_leads_astray(struct scene *s)
{
	struct world *w = start(s, 0, 16);
	struct vsl_geo geo = w->core->geo;
	union block root, dir, map;
	struct vsl_disk_ref *ref, *map_ref;
	struct place at;
	__le32 *ppa, other;

	put(w, 1);
	put(w, 2);
	scene_stop(s);
	need(forge_root(w->sim, &root), "there is no root");
	ref = first_ref(&root);
	at = place_of(&geo, le32_to_cpu(ref->ppa));
	forge_read(w->sim, &at, &dir);
	map_ref = (struct vsl_disk_ref *)&dir;
	at = place_of(&geo, le32_to_cpu(map_ref->ppa));
	forge_read(w->sim, &at, &map);
	ppa = (__le32 *)&map;
	other = ppa[1];
	ppa[1] = ppa[2];
	ppa[2] = other;
	map_ref->crc = replace(w, at, &map);
	ref->crc = replace(w, place_of(&geo, le32_to_cpu(ref->ppa)), &dir);
	forge_put_root(w->sim, &root);
	may_lose(w, 1);
	may_lose(w, 2);
	scene_recover(s, 0);
}

/*
 * The packet that ended a row was in doubt when the power went, and its parity
 * torn.  What is before it in the row cannot be made again, and nothing else is
 * given for it: here no spare bytes tell a right block from a wrong one.
 */
static void torn_parity(struct scene *s)
{
	struct world *w = start(s, 0, 0);
	struct place at, parity;

	begin_segment(w);
	put(w, 1);
	at = place_of_lba(w, 1);
	parity = parity_of(w, at);
	put(w, 2);
	power_cycle(w);
	spoil(w, parity);
	lose(w, at);
	may_lose(w, 1);
	scene_recover(s, 0);
}

/* The same, and what has ended the row was nothing but padding. */
static void torn_padding(struct scene *s)
{
	struct world *w = start(s, 0, 0);
	struct place at, parity;

	begin_segment(w);
	put(w, 1);
	at = place_of_lba(w, 1);
	parity = parity_of(w, at);
	need(vsl_log_fill_row(w->core, forge_point(w->core, 2)->id), "no room");
	vsl_progress(w->core);
	world_collect(w);
	world_idle(w);
	power_cycle(w);
	spoil(w, parity);
	lose(w, at);
	may_lose(w, 1);
	scene_recover(s, 0);
}

/* What a root refers to can be made again, however few pages were written. */
static void pages_of_a_checkpoint(struct scene *s)
{
	struct world *w = start(s, 0, 0);
	struct vsl_geo geo = w->core->geo;
	union block root;
	u32 round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i <= round; i++)
			put(w, i * VSL_MAP_PER_PAGE);
		world_checkpoint(w);
		power_cycle(w);
		need(forge_root(w->sim, &root), "there is no root");
		lose(w, place_of(&geo, le32_to_cpu(first_ref(&root)->ppa)));
		scene_recover(s, 0);
	}
}

/*
 * On a volatile card a segment has its summary, and another one was begun: still
 * the parity of its last row may be lost with the cache.
 */
static void parity_in_the_cache(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE, 16);
	struct place at, parity;
	u32 lba;

	/* The last packet of a segment lies in its last row, but for its head. */
	lba = fill_segment(w, 4);
	put(w, lba);
	at = place_of_lba(w, lba);
	parity = parity_of(w, at);
	need(at.block == w->plan.card.eu_blocks - 1, "it is in row %u",
	     at.block);
	flush(w);
	world_idle(w);
	put(w, lba + 1);
	flush(w);
	power_cycle(w);
	lose(w, parity);
	scene_recover(s, 0);
	lose(w, at);
	world_verify(w);
}

/*
 * The same where a packet that did not fit has closed the segment: its summary ends the
 * last row and the one before it, in which the last packet lies.
 */
static void parity_with_the_summary(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE, 16);
	struct place at, parity;

	at = place_of_lba(w, fill_segment(w, 3) - 1);
	parity = parity_of(w, at);
	need(at.block == w->plan.card.eu_blocks - 2, "it is in row %u", at.block);
	world_do(w, VSL_IO_WRITE, 0, 200 * VSL_BLOCK_SECTORS,
		 4 * VSL_BLOCK_SECTORS);
	need(w->core->seg[at.eu].state != VSL_SEG_OPEN, "it is open still");
	flush(w);
	power_cycle(w);
	lose(w, parity);
	scene_recover(s, 0);
	lose(w, at);
	world_verify(w);
}

/* A unit dies while the row that it has a block of is not whole. */
static void unit_dies_in_a_row(struct scene *s)
{
	struct world *w = start(s, 0, rng_below(&s->rng, 2) * 16);
	u32 i;

	begin_segment(w);
	put(w, 1);
	kill_unit(w, place_of_lba(w, 1).unit);
	world_verify(w);
	for (i = 0; i < 20; i++)
		put(w, 2 + i);
	world_verify(w);
}

/* Heads behind the last root, one of them the first of its segment, are lost. */
static void heads_of_the_end(struct scene *s)
{
	struct world *w = start(s, 0, rng_below(&s->rng, 2) * 16);
	u32 lba, which = rng_below(&s->rng, 8);
	struct place at;
	union block head;

	for (lba = 0; lba < 12; lba++)
		put(w, lba);
	flush(w);
	need(forge_head(w->sim, which, &at, &head), "it is not there");
	power_cycle(w);
	lose(w, at);
	scene_recover(s, 0);
}

/* Nothing is read from a unit that has died: what it held is moved, too. */
static void repair_without_reads(struct scene *s)
{
	struct world *w = start(s, 0, 16);
	u32 unit = rng_below(&s->rng, UNITS), i, seg;

	world_fill(w, 500);
	kill_unit(w, unit);
	for (i = 0; i < 3000; i++)
		put(w, i % 50);
	world_idle(w);
	world_checkpoint(w);
	world_checkpoint(w);
	for (seg = 0; seg < w->core->geo.segments; seg++)
		need(w->core->seg[seg].state != VSL_SEG_CLOSED ||
		     !w->core->seg[seg].valid ||
		     !vsl_bit(vsl_seg_units(w->core, seg), unit),
		     "segment %u needs the dead unit still", seg);
	world_verify(w);
}

/* A closed segment of all units whose rows have their parity. */
static u32 closed_segment(struct world *w)
{
	u32 seg;

	for (seg = 0; seg < w->core->geo.segments; seg++) {
		const struct vsl_segment *one = &w->core->seg[seg];

		if (one->state == VSL_SEG_CLOSED && one->settled && one->valid &&
		    one->stream != VSL_STREAM_MAP && one->nr_units == UNITS &&
		    one->rows == w->core->geo.eu_blocks)
			return seg;
	}
	need(false, "no segment is closed");
	return 0;
}

/* Let days pass until the scrubber has gone through all segments twice. */
static void scrub_all(struct world *w)
{
	struct vsl_core_stats stats;
	u64 passes;
	u32 days;

	vsl_core_stats(w->core, &stats);
	passes = stats.scrub_passes + 2;
	for (days = 0; days < 20 && stats.scrub_passes < passes; days++) {
		world_pass(w, 86400ull * 1000000000, 40);
		vsl_core_stats(w->core, &stats);
	}
	need(stats.scrub_passes >= passes, "the scrubber does not get on");
}

/* A block in @seg that nothing refers to any more. */
static struct place dead_block(struct world *w, u32 seg)
{
	struct place at;
	u32 lba = 0;

	while (!vsl_ppa_is_block(vsl_map_get(w->core, lba)) ||
	       place_of_lba(w, lba).eu != seg)
		lba++;
	at = place_of_lba(w, lba);
	put(w, lba);
	return at;
}

/*
 * The parity of a row cannot be read any more, or reads well and is not that of its row,
 * or a block that nothing refers to is gone: nobody sees it but the scrubber.  The data
 * gets new parity elsewhere, and then a unit may die.
 */
static void rotten_parity(struct scene *s)
{
	struct world *w = start(s, 0, rng_below(&s->rng, 2) * 16);
	u32 seg, row = rng_below(&s->rng, 8), unit = row % UNITS;
	struct place at;
	struct vsl_core_stats before, after;
	u64 alloc_no;

	world_fill(w, 500);
	w->env.scrub_s = 86400;
	scene_stop(s);
	scene_recover(s, 0);
	seg = closed_segment(w);
	alloc_no = w->core->seg[seg].alloc_no;
	vsl_core_stats(w->core, &before);
	at = (struct place){ .unit = unit, .eu = seg, .block = row };
	if (rng_chance(&s->rng, 333))
		spoil(w, at);
	else
		lose(w, rng_chance(&s->rng, 500) ? at : dead_block(w, seg));
	scrub_all(w);
	vsl_core_stats(w->core, &after);
	need(after.scrub_bad == before.scrub_bad + 1,
	     "%llu bad blocks are found", after.scrub_bad - before.scrub_bad);
	need(w->core->seg[seg].alloc_no != alloc_no || !w->core->seg[seg].valid,
	     "what has lost its parity stays there");
	kill_unit(w, (unit + 1) % UNITS);
	world_verify(w);
}

/*
 * A unit dies: segments that were erased before are erased again, and do without it.
 * They are not opened, and given up, one after the other.
 */
static void erased_before_it_died(struct scene *s)
{
	struct world *w = start(s, 0, 16);
	const struct vsl_segment *seg = w->core->seg;
	u64 seen[64] = { 0 }, next;
	u32 unit, i, k, nr = 0;

	begin_segment(w);
	put(w, 1);
	world_idle(w);
	unit = place_of_lba(w, 1).unit;
	next = w->core->next_alloc_no;
	need(w->core->geo.segments <= ARRAY_SIZE(seen), "too many segments");
	need(w->core->nr_clean >= 3, "%u segments are erased", w->core->nr_clean);
	kill_unit(w, unit);
	for (i = 0; i < 200; i++) {
		put(w, 2 + i % 50);
		for (k = 0; k < w->core->geo.segments; k++) {
			if (seg[k].alloc_no < next || seg[k].alloc_no == seen[k])
				continue;
			seen[k] = seg[k].alloc_no;
			nr += vsl_bit(vsl_seg_units(w->core, k), unit);
		}
	}
	need(nr <= 3, "%u segments were opened with the dead unit", nr);
	world_verify(w);
}

/* Overwrite all but the first blocks until @unit alone is erased. */
static bool busy(struct scene *s, u32 unit)
{
	struct world *w = s->world;
	u32 i, nr = w->core->geo.lba_blocks;

	for (i = 0; i < 20000 && w->core->busy_unit != unit; i++)
		put(w, STILL + rng_below(&s->rng, nr - STILL));
	return w->core->busy_unit == unit;
}

/* Read block @lba.  Return: it was tried to make it of its row. */
static bool read_around(struct world *w, u32 lba)
{
	bool tried = false;

	world_begin(w, VSL_IO_READ, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    VSL_BLOCK_SECTORS);
	while (w->nr_jobs && world_step(w))
		tried |= w->core->nr_rebuilds > 0;
	return tried;
}

/*
 * A unit is erased, alone, and something is read that it holds: it is made of the
 * others, and nobody takes it for lost.  If one of them has lost its part the unit is
 * waited for.
 */
static void around_a_busy_unit(struct scene *s)
{
	struct world *w = start(s, 0, rng_below(&s->rng, 2) * 16);
	u64 around = 0, rebuilt = w->core->counter[VSL_COUNT_REBUILT];
	bool torn = rng_chance(&s->rng, 500), tried = false;
	u32 nr = w->core->geo.lba_blocks, lba = rng_below(&s->rng, STILL), i;
	u64 alloc_no = 0, now;
	struct place at, lost;

	for (i = 0; i < nr; i++)
		put(w, i);
	for (i = 0; i < 50 && !tried; i++) {
		at = place_of_lba(w, lba);
		now = w->core->seg[at.eu].alloc_no;
		lost = at;
		do {
			lost.unit = (lost.unit + 1) % UNITS;
		} while (!vsl_bit(vsl_seg_units(w->core, at.eu), lost.unit));
		/* What was moved was made again. */
		if (torn && now != alloc_no)
			lose(w, lost);
		alloc_no = now;
		need(busy(s, at.unit), "unit %u is never erased alone", at.unit);
		around = w->core->reads_around;
		if (w->core->seg[place_of_lba(w, lba).eu].alloc_no == alloc_no)
			tried = read_around(w, lba);
	}
	need(tried, "nobody reads around a busy unit");
	need(w->core->reads_around == around + !torn,
	     "%llu blocks were made of their rows",
	     w->core->reads_around - around);
	if (!torn)
		need(w->core->counter[VSL_COUNT_REBUILT] == rebuilt &&
		     !w->core->degraded, "one is taken for lost");
	world_verify(w);
}

static void (*const cases[])(struct scene *s) = {
	map_leads_astray,
	torn_parity,
	torn_padding,
	pages_of_a_checkpoint,
	parity_in_the_cache,
	unit_dies_in_a_row,
	heads_of_the_end,
	repair_without_reads,
	rotten_parity,
	parity_with_the_summary,
	erased_before_it_died,
	around_a_busy_unit,
};

void run_rows(const struct order *order)
{
	struct scene scene = {
		.order = order,
		.attach_steps = 200,
		.detach_steps = 100,
	};

	the_slot->cut = 0;
	cases[order->run / ROWS_EVERY % ARRAY_SIZE(cases)](&scene);
	world_audit(scene.world);
	scene_end(&scene);
}
