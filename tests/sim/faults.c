// SPDX-License-Identifier: GPL-2.0-only
/*
 * faults.c - kinds of runs: a card that fails.
 *
 * Three kinds, told apart by what the disk must still promise:
 *
 *	faults	failures that lose nothing: programs and erases that fail, reads
 *		that work the second time, on a card with spare bytes also those
 *		that bring something else the first time.  All promises hold.
 *		There are so few that the spares last.
 *	lost	blocks that can not be read any more.  The run looks for blocks of
 *		host data on the card itself, so it knows which addresses may read
 *		as errors; all others must be right (P9).
 *	wearout	erase units die until nothing is left.  The disk becomes read-only
 *		and keeps what it has (P10).  A card that takes no writes cannot
 *		have written again what was torn, so torn pages read the same
 *		each time here.
 */
#include "scene.h"

#include <stdlib.h>

#include "fail.h"

#define CUTS_PER_RUN	20u
#define DAMAGE_MAX	8u

/* ---- failures that lose nothing ----------------------------------------------- */

static const struct {
	const char *name;
	bool costs;		/* an erase unit */
	bool silent;		/* only found out by spare bytes */
} harmless[] = {
	{ .name = "read-transient" }, { .name = "refresh" },
	{ .name = "program-transient" }, { .name = "erase-transient" },
	{ .name = "flush-transient" },
	{ .name = "refresh-event" }, { .name = "health-event" },
	{ .name = "program-end" },
	{ .name = "program-fail", .costs = true },
	{ .name = "erase-fail", .costs = true },
	{ .name = "corrupt", .silent = true },
	{ .name = "misread", .silent = true },
};

/* @budget: erase units that may still die. */
static void plant_harmless(struct scene *s, u32 *budget)
{
	u32 which = rng_below(&s->rng, ARRAY_SIZE(harmless));
	u32 count = rng_range(&s->rng, 1, 3);

	if (harmless[which].silent) {
		if (s->world->plan.card.oob_bytes < 16)
			return;
		/* The next read is right: no other one may wait for it. */
		vsl_sim_heal(s->world->sim);
		count = 1;
	}
	if (harmless[which].costs) {
		if (!*budget)
			return;
		count = 1;
		--*budget;
	}
	scene_plant(s, harmless[which].name, count, rng_range(&s->rng, 1, 30));
}

void run_faults(const struct order *order)
{
	struct scene s;
	struct world *w;
	u32 budget, i;

	scene_begin(&s, order);
	w = s.world;
	/* A sixteenth of the card is what a disk leaves it to lose. */
	budget = min(rng_range(&s.rng, 0, 3), w->plan.card.units *
		     w->plan.card.eus / 16 - 1);
	for (i = 0; i < CUTS_PER_RUN; i++) {
		plant_harmless(&s, &budget);
		world_arm(w, rng_range(&s.rng, 1, w->plan.span * 12));
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		if (rng_chance(&s.rng, 300))
			vsl_sim_heal(w->sim);
		world_crash(w);
		world_power_on(w);
		if (rng_chance(&s.rng, 300))
			plant_harmless(&s, &budget);
		scene_recover(&s, rng_chance(&s.rng, 200));
	}
	scene_end(&s);
}

/* ---- lost blocks ----------------------------------------------------------------- */

/* Make one block of host data unreadable, from a random place on. */
static void lose_block(struct scene *s)
{
	struct world *w = s->world;
	const struct vsl_sim_config *card = &w->plan.card;
	u32 unit = rng_below(&s->rng, card->units);
	u32 eu = rng_below(&s->rng, card->eus);
	u32 off = rng_below(&s->rng, card->eu_blocks);
	u8 block[VSL_BLOCK_BYTES] __attribute__((aligned(8)));
	u64 lba;

	if (vsl_sim_peek(w->sim, unit, eu, off, block) ||
	    !scene_owner(s, block, &lba))
		return;
	sim_trace("lose unit %u eu %u block %u, was block %llu of the disk",
		  unit, eu, off, lba);
	if (!vsl_sim_poke(w->sim, unit, eu, off, NULL))
		oracle_may_lose(w->oracle, lba * VSL_BLOCK_SECTORS,
				VSL_BLOCK_SECTORS);
}

void run_lost(const struct order *order)
{
	struct order own = *order;
	struct scene s;
	struct world *w;
	u32 i, nr;

	if (!own.geometry)
		own.geometry = "parity=0";
	scene_begin(&s, &own);
	w = s.world;
	w->tolerant = true;	/* part of a lost block cannot be written */
	for (i = 0; i < CUTS_PER_RUN; i++) {
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		scene_stop(&s);
		for (nr = 0; nr < DAMAGE_MAX; nr++)
			lose_block(&s);
		s.attach_flags = VSL_ATTACH_CLEAN_ONLY;
		scene_recover(&s, 0);
	}
	scene_end(&s);
}

/* ---- worn out -------------------------------------------------------------------- */

static bool is_read_only(const struct world *w)
{
	return vsl_core_health(w->core) == VSL_READ_ONLY;
}

void run_wearout(const struct order *order)
{
	struct order own = *order;
	struct scene s;
	struct world *w;
	u32 i;

	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	w->tolerant = true;
	for (i = 0; i < 400 && !is_read_only(w); i++) {
		scene_plant(&s, rng_chance(&s.rng, 500) ? "erase-fail" :
							  "program-fail", 1, 5);
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		if (rng_chance(&s.rng, 850))
			continue;
		world_crash(w);
		world_power_on(w);
		scene_recover(&s, 0);
	}
	for (i = 0; i < 4; i++) {
		vsl_sim_heal(w->sim);
		world_run(w, 10);
		world_crash(w);
		world_power_on(w);
		scene_recover(&s, 0);
	}
	scene_end(&s);
}
