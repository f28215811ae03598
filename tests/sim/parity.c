// SPDX-License-Identifier: GPL-2.0-only
/*
 * parity.c - kinds of runs: a card with parity that loses one of each row.
 *
 * Segments have a chunk of parity in each row, so nothing may be lost whatever
 * one unit does: here no address is ever excused from being right (P1, P9).
 *
 *	blocks	after a clean stop blocks of host data cannot be read any more, or,
 *		where the card has spare bytes, are not what they were; of each row one
 *		at most, and only of rows that are whole on the card
 * or
 *	unit	a unit dies, while the disk is in use or between two attaches, and
 *		stays dead; the disk goes on, and takes writes
 *
 * A row that was not whole when the power went has no parity.  So the power goes
 * only while no unit is dead, or after a clean stop with the dead one; and blocks
 * of a disk that has seen a power cut are damaged only where spare bytes tell
 * what is right.
 */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>

#include "fail.h"

#define ROUNDS		16u
#define DAMAGE_MAX	64u

struct prey {
	struct scene scene;
	u32 hit[DAMAGE_MAX][2];	/* erase unit and offset: one of a row */
	u32 nr_hit;
	bool cuts;		/* the power goes, too */
	bool mortal;		/* a unit dies; else blocks do */
	bool dead;		/* a unit has died, */
	bool known;		/* and there was a clean stop since */
};

/* Is the row that this block lies in whole, on all units that have anything? */
static bool row_is_whole(struct prey *prey, u32 eu, u32 off)
{
	struct world *w = prey->scene.world;
	u8 block[VSL_BLOCK_BYTES];
	u32 unit;

	for (unit = 0; unit < w->plan.card.units; unit++)
		if (vsl_sim_peek(w->sim, unit, eu, off, block))
			return false;
	return true;
}

static bool was_hit(const struct prey *prey, u32 eu, u32 off)
{
	u32 i;

	for (i = 0; i < prey->nr_hit; i++)
		if (prey->hit[i][0] == eu && prey->hit[i][1] == off)
			return true;
	return false;
}

static void damage_one(struct prey *prey)
{
	struct scene *s = &prey->scene;
	struct world *w = s->world;
	const struct vsl_sim_config *card = &w->plan.card;
	u32 unit = rng_below(&s->rng, card->units);
	u32 eu = rng_below(&s->rng, card->eus);
	u32 off = rng_below(&s->rng, card->eu_blocks);
	u8 block[VSL_BLOCK_BYTES] __attribute__((aligned(8)));
	bool lost = card->oob_bytes < 16 || rng_chance(&s->rng, 500);
	u64 lba;

	if (prey->nr_hit == DAMAGE_MAX || was_hit(prey, eu, off) ||
	    vsl_sim_peek(w->sim, unit, eu, off, block) ||
	    !scene_owner(s, block, &lba) || !row_is_whole(prey, eu, off))
		return;
	sim_trace("%s unit %u eu %u block %u, was block %llu of the disk",
		  lost ? "lose" : "damage", unit, eu, off, lba);
	block[rng_below(&s->rng, VSL_BLOCK_BYTES)] ^= 1;
	if (vsl_sim_poke(w->sim, unit, eu, off, lost ? NULL : block))
		sim_fail("media", "poke failed");
	prey->hit[prey->nr_hit][0] = eu;
	prey->hit[prey->nr_hit++][1] = off;
}

static void kill_unit(struct prey *prey)
{
	struct scene *s = &prey->scene;
	struct vsl_sim_fault fault = {
		.name = "unit-dead",
		.unit = rng_below(&s->rng, s->world->plan.card.units),
		.eu = VSL_SIM_ANY,
		.block = VSL_SIM_ANY,
		.count = VSL_SIM_FOREVER,
		.every = 1,
	};

	sim_trace("unit %u dies", fault.unit);
	if (vsl_sim_plant(s->world->sim, &fault))
		sim_fail("media", "planting unit-dead failed");
	prey->dead = true;
}

/* A stretch of life; in the middle of it a unit may die. */
static void live(struct prey *prey)
{
	struct scene *s = &prey->scene;
	struct world *w = s->world;
	u32 requests = rng_range(&s->rng, 1, 2 * w->plan.span);

	world_run(w, requests / 2);
	if (prey->mortal && !prey->dead && rng_chance(&s->rng, 150))
		kill_unit(prey);
	if (prey->cuts && (!prey->dead || prey->known) &&
	    rng_chance(&s->rng, 500)) {
		world_arm(w, rng_range(&s->rng, 1, requests * 12));
		world_run(w, requests);
		world_crash(w);
		world_power_on(w);
		scene_recover(s, prey->known ? 0 : rng_chance(&s->rng, 100));
		return;
	}
	world_run(w, requests);
	scene_stop(s);
	prey->known = prey->dead;
	if (prey->mortal && !prey->dead && rng_chance(&s->rng, 100)) {
		kill_unit(prey);
		prey->known = true;
	} else if (!prey->mortal) {
		damage_one(prey);
		damage_one(prey);
		damage_one(prey);
	}
	s->attach_flags = VSL_ATTACH_CLEAN_ONLY;
	scene_recover(s, 0);
}

#pragma weak run_rows	/* not for the toy */

/* The cases need to know where a block goes. */
#ifdef VSL_POINT_OF_STEP
#define POINTS_CHANGE	true
#else
#define POINTS_CHANGE	false
#endif

void run_parity(const struct order *order)
{
	struct prey *prey = calloc(1, sizeof(*prey));
	struct scene *s = &prey->scene;
	struct order own = *order;
	char geometry[64];
	struct rng rng;
	bool oob;
	u32 i;

	if (!POINTS_CHANGE && !order->geometry &&
	    order->run % ROWS_EVERY == 0) {
		free(prey);
		run_rows(order);
		return;
	}
	rng_init(&rng, order->seed, order->run, 77);
	oob = rng_chance(&rng, 700);
	prey->mortal = rng_chance(&rng, 500);
	prey->cuts = oob || prey->mortal;
	snprintf(geometry, sizeof(geometry),
		 "parity=1,bad=0,oob_bytes=%u%s", oob ? 16 : 0,
		 oob ? ",hole=0" : "");
	if (!own.geometry)
		own.geometry = geometry;
	own.steady = true;
	scene_begin(s, &own);
	for (i = 0; i < ROUNDS; i++)
		live(prey);
	if (vsl_core_health(s->world->core) == VSL_READ_ONLY)
		sim_fail("P10", "the card has become read-only");
	world_audit(s->world);
	scene_end(s);
	free(prey);
}
