// SPDX-License-Identifier: GPL-2.0-only
/*
 * books.c - a kind of runs: what the core says of itself and of the card is true.
 *
 * The oracle judges what a disk answers.  A core can answer rightly and still keep
 * wrong books: erases that are not counted, a log that grows, spares that are gone
 * and not missed, an audit that sees nothing.  Here the core's figures are compared
 * with what the card knows (P8), with each other (P7, P10), and with what the run
 * has done to it.
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../../driver/core/int.h"
#include "fail.h"

#define ROUNDS		6u
#define SEGMENTS_MAX	64u

/* ---- figures -------------------------------------------------------------------- */

/* Spares decide on health, wherever the card stands. */
static void check_spares(const struct vsl_core_stats *stats)
{
	if (!stats->spare_permyriad && stats->health != VSL_READ_ONLY)
		sim_fail("P10", "no spares are left, and health is %u",
			 stats->health);
	if (stats->spare_permyriad < stats->spare_warn_permyriad &&
	    stats->health == VSL_HEALTHY)
		sim_fail("P10", "%u of 10000 spares are left, and nobody is told",
			 stats->spare_permyriad);
}

static void check_lost(const struct vsl_core *core, u64 told)
{
	u64 lost = 0;
	u32 lba;

	for (lba = 0; lba < core->geo.lba_blocks; lba++)
		lost += core->map[lba] == VSL_PPA_LOST;
	if (lost != told)
		sim_fail("P9", "%llu blocks are lost, %llu are said to be",
			 lost, told);
}

/* What attach has to read is bounded. On cards as small as these a sweep takes a good
 * part of what is between half of the limit, where it begins, and the limit. */
static void check_tail(const struct vsl_core *core, u64 tail_blocks)
{
	u64 most = 2ull * core->tail_limit + 2ull *
		   vsl_seg_blocks(&core->geo, core->geo.units);

	if (tail_blocks > most)
		sim_fail("books", "the log behind the root has %llu blocks, more than %llu",
			 tail_blocks, most);
}

static void check_figures(struct world *w)
{
	struct vsl_core_stats stats;

	vsl_core_stats(w->core, &stats);
	check_spares(&stats);
	check_lost(w->core, stats.lost_blocks);
	if (stats.health == VSL_HEALTHY)
		check_tail(w->core, stats.tail_blocks);
}

/* ---- wear ----------------------------------------------------------------------- */

struct wear {
	u32 core[SEGMENTS_MAX];
	u32 card[SEGMENTS_MAX];
};

static void note_wear(const struct world *w, struct wear *wear)
{
	u32 seg, unit;

	memset(wear, 0, sizeof(*wear));
	for (seg = 0; seg < w->core->geo.segments; seg++) {
		wear->core[seg] = w->core->seg[seg].erases;
		for (unit = 0; unit < w->core->geo.units; unit++)
			if (vsl_bit(vsl_seg_units(w->core, seg), unit))
				wear->card[seg] =
					max(wear->card[seg],
					    vsl_sim_wear(w->sim, unit, seg));
	}
}

/* While nothing fails, each erase of the card is one of the core's. */
static void check_wear(struct world *w, const struct wear *before)
{
	struct wear now;
	u32 seg, core, card;

	note_wear(w, &now);
	for (seg = 0; seg < w->core->geo.segments; seg++) {
		core = now.core[seg] - before->core[seg];
		card = now.card[seg] - before->card[seg];
		if (w->core->seg[seg].state != VSL_SEG_BAD && core != card)
			sim_fail("P8", "segment %u was erased %u times, not %u",
				 seg, card, core);
	}
}

/*
 * Of the segments that are free the least worn is used: where nothing stays for
 * long all are erased about as often.
 */
static void check_levelling(struct scene *s)
{
	struct world *w = s->world;
	const struct vsl_core *core = w->core;
	struct wear before, now;
	u32 seg, i, most = 0, idle = 0, all = 0;
	u32 blocks = core->geo.lba_blocks;

	note_wear(w, &before);
	for (i = 0; i < 6 * blocks; i++)
		if (!world_do(w, VSL_IO_WRITE, 0,
			      (u64)rng_below(&s->rng, blocks) *
			      VSL_BLOCK_SECTORS, VSL_BLOCK_SECTORS))
			return;
	note_wear(w, &now);
	for (seg = 0; seg < core->geo.segments; seg++) {
		u32 erases = now.card[seg] - before.card[seg];

		if (core->seg[seg].state == VSL_SEG_BAD ||
		    core->seg[seg].state == VSL_SEG_CLOSED)
			continue;
		all++;
		most = max(most, erases);
		idle += !erases;
	}
	sim_trace("levelling: %u segments, erases at most %u, %u of none", all,
		  most, idle);
	if (most > 8 && idle)
		sim_fail("wear", "%u of %u free segments were never used, another %u times",
			 idle, all, most);
}

/* ---- the audit ------------------------------------------------------------------ */

static void audit_must_fail(struct vsl_core *core, const char *what)
{
	if (!vsl_core_audit(core))
		sim_fail("P7", "the audit does not see %s", what);
}

static u32 find_segment(const struct vsl_core *core, u8 state)
{
	u32 seg;

	for (seg = 0; seg < core->geo.segments; seg++)
		if (core->seg[seg].state == state)
			return seg;
	return VSL_NONE;
}

/* Make the books wrong in one place, look, and put it right. */
static void check_audit(struct scene *s)
{
	struct vsl_core *core = s->world->core;
	u32 page = rng_below(&s->rng, core->geo.map_pages);
	struct list_head *link;
	struct vsl_ref ref = core->dir[page];
	u32 seg = find_segment(core, VSL_SEG_CLOSED);

	world_audit(s->world);
	if (seg != VSL_NONE) {
		core->seg[seg].valid++;
		audit_must_fail(core, "a wrong count of valid blocks");
		core->seg[seg].valid--;
	}
	core->mapped++;
	audit_must_fail(core, "a wrong count of mapped blocks");
	core->mapped--;
	core->nr_dirty++;
	audit_must_fail(core, "a wrong count of dirty pages");
	core->nr_dirty--;
	core->nr_free++;
	audit_must_fail(core, "a wrong count of free segments");
	core->nr_free--;
	if (vsl_ppa_is_block(ref.ppa)) {
		core->dir[page].ppa = VSL_PPA_NONE;
		audit_must_fail(core, "a page of the map that is gone");
		core->dir[page] = ref;
	}
	if (!list_empty(&core->free_segs)) {
		link = core->free_segs.next;
		list_del_init(link);
		audit_must_fail(core, "a segment that is on no list");
		list_add(link, &core->free_segs);
	}
	world_audit(s->world);
}

/* Data in a segment that is to be erased: both counts agree, and it is wrong. */
static void check_audit_states(struct scene *s)
{
	struct vsl_core *core = s->world->core;
	u32 seg = find_segment(core, VSL_SEG_FREE);
	u32 lba = rng_below(&s->rng, core->geo.lba_blocks);
	u32 old = core->map[lba], from;

	if (seg == VSL_NONE || !vsl_ppa_is_block(old))
		return;
	from = vsl_ppa_seg(&core->geo, old);
	if (core->seg[from].valid < 2)
		return;
	core->map[lba] = vsl_ppa(&core->geo, seg, vsl_ppa_unit(&core->geo, old),
				 vsl_ppa_off(&core->geo, old));
	core->seg[from].valid--;
	core->seg[seg].valid++;
	audit_must_fail(core, "data in a free segment");
	core->seg[seg].valid--;
	core->seg[from].valid++;
	core->map[lba] = old;
	world_audit(s->world);
}

/* ---- what is on the media -------------------------------------------------------- */

/* The toy core has none of these, and no such runs. */
#pragma weak vsl_head_valid
#pragma weak vsl_scan_begin

static void flip_bit(struct scene *s, void *block, u32 bytes)
{
	u32 bit = rng_below(&s->rng, bytes * 8);

	((u8 *)block)[bit / 8] ^= 1u << (bit % 8);
}

static void peek(struct world *w, const struct vsl_stripe *stripe, u32 seg,
		 u32 index, void *block)
{
	const struct vsl_geo *geo = &w->core->geo;
	u32 in_row = stripe->nr - geo->parity, chunk = index / geo->chunk;
	u32 row = chunk / in_row, at = chunk % in_row;
	int err;

	if (geo->parity && at >= row % stripe->nr)
		at++;
	err = vsl_sim_peek(w->sim, stripe->unit[at], seg,
			   row * geo->chunk + index % geo->chunk, block);
	if (err)
		memset(block, 0, VSL_BLOCK_BYTES);
}

static void stripe_of(struct vsl_core *core, u32 seg, struct vsl_stripe *stripe)
{
	u32 unit;

	stripe->nr = 0;
	for (unit = 0; unit < core->geo.units; unit++)
		if (vsl_bit(vsl_seg_units(core, seg), unit))
			stripe->unit[stripe->nr++] = unit;
}

/* Any bit of a head: it is one no more.  Nor is it one of another place. */
static void check_head(struct scene *s, u32 seg, const struct vsl_stripe *stripe)
{
	struct vsl_core *core = s->world->core;
	u64 block[VSL_BLOCK_BYTES / 8], alloc_no = core->seg[seg].alloc_no;
	u32 limit = vsl_seg_limit(&core->geo, stripe->nr), i;

	peek(s->world, stripe, seg, 0, block);
	if (!vsl_head_valid(core, (void *)block, seg, alloc_no, 0, limit))
		sim_fail("books", "the first head of segment %u is none", seg);
	if (vsl_head_valid(core, (void *)block, seg, alloc_no + 1, 0, limit) ||
	    vsl_head_valid(core, (void *)block, seg + 1, alloc_no, 0, limit) ||
	    vsl_head_valid(core, (void *)block, seg, alloc_no, 1, limit))
		sim_fail("A2", "a head of segment %u is taken for another", seg);
	for (i = 0; i < 8; i++) {
		peek(s->world, stripe, seg, 0, block);
		flip_bit(s, block, sizeof(block));
		if (vsl_head_valid(core, (void *)block, seg, alloc_no, 0, limit))
			sim_fail("A2", "a head of segment %u with a wrong bit is believed",
				 seg);
	}
}

#define SUM_BLOCKS_MAX	16u

/* The same for its summary. */
static void check_summary(struct scene *s, u32 seg,
			  const struct vsl_stripe *stripe)
{
	static u64 memory[SUM_BLOCKS_MAX][VSL_BLOCK_BYTES / 8];
	struct vsl_core *core = s->world->core;
	struct vsl_disk_summary *sum = (void *)memory[0];
	u32 limit = vsl_seg_limit(&core->geo, stripe->nr), i, pass, bytes;
	void *block[SUM_BLOCKS_MAX];
	struct vsl_scan scan = { .block = block };
	u64 alloc_no = core->seg[seg].alloc_no;

	if (core->geo.sum_blocks > SUM_BLOCKS_MAX)
		return;
	for (pass = 0; pass < 8; pass++) {
		for (i = 0; i < core->geo.sum_blocks; i++) {
			block[i] = memory[i];
			peek(s->world, stripe, seg, limit + i, block[i]);
		}
		bytes = sizeof(*sum) + le32_to_cpu(sum->bytes);
		if (pass && bytes > VSL_BLOCK_BYTES)
			bytes = VSL_BLOCK_BYTES;
		if (pass)
			flip_bit(s, sum, bytes);
		if (!vsl_scan_begin(core, &scan, seg, alloc_no) != !pass)
			sim_fail("Y2", "the summary of segment %u %s", seg,
				 pass ? "with a wrong bit is believed" :
					"is none");
	}
}

/* Heads and summaries of closed segments. */
static void check_media(struct scene *s)
{
	struct vsl_core *core = s->world->core;
	struct vsl_stripe stripe;
	u32 seg, nr = 0;

	for (seg = 0; seg < core->geo.segments && nr < 4; seg++) {
		if (core->seg[seg].state != VSL_SEG_CLOSED ||
		    !core->seg[seg].tail || !core->seg[seg].summary)
			continue;
		nr++;
		stripe_of(core, seg, &stripe);
		check_head(s, seg, &stripe);
		check_summary(s, seg, &stripe);
	}
}

/* ---- failures --------------------------------------------------------------------- */

static void plant(struct world *w, const char *name, u32 unit, u32 eu, u32 count)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = unit,
		.eu = eu,
		.block = VSL_SIM_ANY,
		.count = count,
		.every = 1,
	};

	sim_trace("plant %s unit %d eu %d", name, unit, eu);
	if (vsl_sim_plant(w->sim, &fault))
		sim_fail("media", "planting %s failed", name);
}

static void write_some(struct scene *s)
{
	u32 blocks = s->world->core->geo.lba_blocks;

	world_do(s->world, VSL_IO_WRITE, 0,
		 (u64)rng_below(&s->rng, blocks) * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

/* The append point for data that has the newest commit; NULL: no segment is open. */
static const struct vsl_stream *busiest(const struct vsl_core *core)
{
	const struct vsl_stream *point, *found = NULL;

	for (point = core->stream; point < core->stream + VSL_STREAM_MAP; point++) {
		if (point->seg == VSL_NONE)
			continue;
		if (!found || core->seg[point->seg].last_version >
			      core->seg[found->seg].last_version)
			found = point;
	}
	return found;
}

/*
 * Programs of one erase unit fail for a while, and work again later: all the same
 * it is retired when its segment is erased, and not used again.
 */
static void check_retiring(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_core *core = w->core;
	u32 tries, seg, unit, programmed;
	const struct vsl_stream *point;
	struct vsl_sim_stats stats;

	write_some(s);
	point = busiest(core);
	if (!point || point->stripe.nr < 2 || core->health != VSL_HEALTHY)
		return;
	seg = point->seg;
	unit = point->stripe.unit[rng_below(&s->rng, point->stripe.nr)];
	plant(w, "program-transient", unit, seg, VSL_SIM_FOREVER);
	for (tries = 0; tries < 400 && point->seg == seg; tries++)
		write_some(s);
	vsl_sim_heal(w->sim);
	vsl_sim_stats(w->sim, &stats);
	programmed = stats.faults;
	if (!programmed)
		return;
	for (tries = 0; tries < 4 * core->geo.lba_blocks; tries++) {
		if (core->seg[seg].state == VSL_SEG_BAD)
			return;
		if (core->seg[seg].state < VSL_SEG_CLOSED &&
		    core->seg[seg].state > VSL_SEG_ERASING)
			break;
		write_some(s);
	}
	if (tries < 4 * core->geo.lba_blocks &&
	    vsl_bit(vsl_seg_units(core, seg), unit))
		sim_fail("P10", "erase unit %u of unit %u has failed and is in use",
			 seg, unit);
}

/* A flush that the card does not do is told, and makes nothing durable. */
static void check_failed_flush(struct scene *s)
{
	struct world *w = s->world;

	if (!(w->plan.card.flags & VSL_SIM_VOLATILE))
		return;
	w->tolerant = true;
	w->flushes_fail = true;
	world_run(w, 20);
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
	w->flushes_fail = false;
	world_crash(w);
	world_power_on(w);
	scene_recover(s, 0);
	w->tolerant = false;
}

/* Erase units die one after the other, until the card takes no writes. */
static void wear_out(struct scene *s)
{
	struct world *w = s->world;
	u32 i;

	w->tolerant = true;
	for (i = 0; i < 600 && vsl_core_health(w->core) != VSL_READ_ONLY; i++) {
		plant(w, "erase-fail", VSL_SIM_ANY, VSL_SIM_ANY, 1);
		world_run(w, 12);
		check_figures(w);
	}
	if (vsl_core_health(w->core) != VSL_READ_ONLY)
		sim_fail("P10", "after %u failures the card takes writes", i);
	world_audit(w);
}

/* ---- runs ------------------------------------------------------------------------ */

/* After a crash no root may call the stop a clean one. */
static void crash_is_no_stop(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_label label;
	int err;

	world_crash(w);
	world_power_on(w);
	err = world_probe(w, &label);
	if (err || !label.formatted || label.clean)
		sim_fail("door", "probe after a crash: %d, formatted %d clean %d",
			 err, label.formatted, label.clean);
	scene_recover(s, 0);
}

void run_books(const struct order *order)
{
	struct order own = *order;
	struct wear wear;
	struct scene s;
	struct world *w;
	u32 i;

	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	for (i = 0; i < ROUNDS; i++) {
		world_idle(w);
		note_wear(w, &wear);
		world_run(w, rng_range(&s.rng, 1, 4 * w->plan.span));
		check_figures(w);
		world_idle(w);
		check_wear(w, &wear);
		check_audit(&s);
		check_audit_states(&s);
		check_media(&s);
		if (rng_chance(&s.rng, 300)) {
			scene_stop(&s);
			s.attach_flags = VSL_ATTACH_CLEAN_ONLY;
			scene_recover(&s, 0);
		}
		crash_is_no_stop(&s);
	}
	if (rng_chance(&s.rng, 300))
		check_levelling(&s);
	check_failed_flush(&s);
	check_retiring(&s);
	if (rng_chance(&s.rng, 300))
		wear_out(&s);
	scene_end(&s);
}
