// SPDX-License-Identifier: GPL-2.0-only
/*
 * listed_flash.c - cases of listed.c: flash that fails, wears and tells lies.
 */
#include "listed.h"

#include <stdlib.h>
#include <string.h>

#define LONG		40u	/* times the disk */

/* ---- programs, erases, bad blocks --------------------------------------------- */

/* Is the erase unit out of use, or will it be at its segment's next erase? */
static bool is_retired(struct listed *l, const struct place *place)
{
	struct vsl_core *core = l->world->core;

	return vsl_bit(vsl_seg_dead(core, place->eu), place->unit) ||
	       !vsl_bit(vsl_seg_units(core, place->eu), place->unit);
}

/*
 * 1: written elsewhere before it is acknowledged; what is beside it stays readable;
 * the erase unit is not used again.
 */
void listed_program_fail(struct listed *l)
{
	struct place place;
	u32 i, blocks;

	listed_card(l);
	blocks = l->world->core->geo.lba_blocks;
	place = listed_next(l, 0, rng_below(&l->scene.rng, 4));
	place.block = VSL_SIM_ANY;
	listed_plant(l, "program-fail", place, 1, 1, 0);
	for (i = 0; i < 40 && !listed_fired(l); i++)
		listed_write(l, 0);
	listed_flush(l);
	need(listed_fired(l), "no program failed");
	need(is_retired(l, &place), "the erase unit is not to be retired");
	listed_judge(l);
	for (i = 0; i < LONG * blocks; i++) {
		if (!vsl_bit(vsl_seg_units(l->world->core, place.eu), place.unit))
			break;
		listed_any(l);
	}
	need(i < LONG * blocks, "the erase unit stays in use");
	listed_judge(l);
}

/* 2: retired, and the spares know. */
void listed_erase_fail(struct listed *l)
{
	struct vsl_core_stats before, after;
	u32 i;

	listed_card(l);
	vsl_core_stats(l->world->core, &before);
	listed_plant(l, "erase-fail", listed_anywhere, 3, 2, 0);
	for (i = 0; i < 20000 && listed_fired(l) < 3; i++)
		listed_any(l);
	need(listed_fired(l) == 3, "no erase failed");
	world_idle(l->world);
	vsl_core_stats(l->world->core, &after);
	need(after.eus_bad == before.eus_bad + 3, "%u erase units are bad, not %u",
	     after.eus_bad, before.eus_bad + 3);
	need(after.spare_permyriad < before.spare_permyriad,
	     "the spares are what they were");
	listed_judge(l);
	vsl_core_stats(l->world->core, &after);
	need(after.eus_bad == before.eus_bad + 3, "a bad erase unit is forgotten");
}

/* 3: from the factory, and by wear; the others of a segment are used. */
void listed_bad_blocks(struct listed *l)
{
	struct vsl_core_stats stats;
	u32 bad;

	l->plan.card.bad_permyriad = 300;
	l->plan.card.erase_cycles = 30;
	listed_card(l);
	vsl_core_stats(l->world->core, &stats);
	bad = stats.eus_bad;
	listed_judge(l);
	vsl_core_stats(l->world->core, &stats);
	need(stats.eus_bad == bad, "%u bad erase units were %u", stats.eus_bad,
	     bad);
	l->world->tolerant = true;
	for (; stats.eus_bad < bad + 4 && stats.health == VSL_HEALTHY;
	     vsl_core_stats(l->world->core, &stats))
		world_run(l->world, 200);
	need(stats.eus_bad > bad, "no erase unit wears out");
	listed_judge(l);
}

/* 17: told in time, then read-only; nothing is lost. */
void listed_worn_out(struct listed *l)
{
	bool was_warned = false;
	u32 i;

	l->plan.card.erase_cycles = 5;
	l->plan.card.eus = 48;
	listed_card(l);
	l->world->tolerant = true;
	for (i = 0; i < 800000; i++) {
		if (vsl_core_health(l->world->core) == VSL_WRITE_REDUCED)
			was_warned = true;
		if (vsl_core_health(l->world->core) == VSL_READ_ONLY)
			break;
		world_run(l->world, 1);
	}
	need(vsl_core_health(l->world->core) == VSL_READ_ONLY,
	     "a card that is worn out takes writes");
	need(was_warned, "nobody was told before");
	listed_judge(l);
	listed_any(l);
	listed_judge(l);
}

/* ---- reads that fail ------------------------------------------------------------ */

/*
 * 4: read again where that helps; else an error of that block alone, also when it
 * was to be moved, until it is written.
 */
void listed_read_lost(struct listed *l)
{
	struct place place;
	u32 lba, i;

	listed_card(l);
	world_idle(l->world);
	listed_plant(l, "read-transient", listed_anywhere, 3, 7, 1);
	world_verify(l->world);
	need(listed_fired(l) == 3, "no read failed");
	lba = listed_lba(l, &place);
	need(!vsl_sim_poke(l->world->sim, place.unit, place.eu, place.block, NULL),
	     "it cannot be lost");
	listed_may_lose(l, lba);
	listed_judge(l);
	for (i = 0; i < 4000; i++)
		listed_write(l, (lba + 1 + i) % l->world->core->geo.lba_blocks);
	listed_judge(l);
	l->world->tolerant = true;
	listed_write(l, lba);
	l->world->tolerant = false;
	listed_flush(l);
	listed_judge(l);
}

/* 5: the data is good, and is returned. */
void listed_refresh(struct listed *l)
{
	listed_card(l);
	listed_plant(l, "refresh", listed_anywhere, VSL_SIM_FOREVER, 1, 0);
	listed_plant(l, "refresh-event", listed_anywhere, 20, 3, 0);
	listed_judge(l);
	world_run(l->world, 500);
	listed_judge(l);
	need(listed_fired(l) > 1000, "no read asked for a refresh");
}

/* 15: the same for what is read too often ... */
void listed_disturb(struct listed *l)
{
	struct place place;
	u32 lba, i;

	l->plan.card.disturb_reads = 3000;
	listed_card(l);
	lba = listed_lba(l, &place);
	for (i = 0; i < 4500; i++)
		listed_read(l, lba);
	listed_judge(l);
	world_run(l->world, 200);
	listed_judge(l);
}

/* 16: ... and for what is old. */
void listed_retention(struct listed *l)
{
	l->plan.card.retention_ms = 1000 * 1000;
	listed_card(l);
	world_idle(l->world);
	vsl_port_clock_ns += 1500ull * 1000 * 1000 * 1000;
	l->world->next_tick_ns = vsl_port_clock_ns;
	listed_judge(l);
	world_run(l->world, 200);
	listed_judge(l);
}

/* ---- lies ------------------------------------------------------------------------ */

/* A card with spare bytes, on which lies are found out when they are read. */
static void with_spare(struct listed *l)
{
	l->plan.card.oob_bytes = 16;
	/* so that the groomer rests now and then */
	l->capacity_bytes = 4 << 20;
	listed_card(l);
}

/* Write one block while @name waits where its data will go. */
static void write_onto(struct listed *l, const char *name)
{
	u32 lba = rng_below(&l->scene.rng, l->world->core->geo.lba_blocks);
	u64 before = listed_fired(l);
	struct place place;

	listed_alone(l);
	place = listed_next(l, lba, 1);
	listed_plant(l, name, place, 1, 1, 0);
	listed_write(l, lba);
	world_idle(l->world);
	need(listed_fired(l) == before + 1, "%s did not happen", name);
	listed_may_lose(l, lba);
	world_verify(l->world);
}

/* What is so for one read only is read again, and nobody notices. */
static void lie_once(struct listed *l, const char *name)
{
	u64 before = listed_fired(l);

	world_idle(l->world);
	listed_plant(l, name, listed_anywhere, 4, 5, 0);
	world_verify(l->world);
	need(listed_fired(l) == before + 4, "%s did not happen", name);
}

/* 6: wrong bytes, and the card says that they are good. */
void listed_corrupt(struct listed *l)
{
	u32 i;

	with_spare(l);
	for (i = 0; i < 8; i++)
		write_onto(l, "program-rot");
	lie_once(l, "corrupt");
	listed_judge(l);
}

/* Which blocks of the card differ from what they were?  Those may be lost. */
static void find_hit(struct listed *l, u8 (*was)[VSL_BLOCK_BYTES])
{
	const struct vsl_sim_config *card = &l->plan.card;
	u8 now[VSL_BLOCK_BYTES];
	u32 unit, eu, off, nr = 0;
	u64 lba;

	for (unit = 0; unit < card->units; unit++) {
		for (eu = 0; eu < card->eus; eu++) {
			for (off = 0; off < card->eu_blocks; off++, nr++) {
				if (vsl_sim_peek(l->world->sim, unit, eu, off,
						 now))
					memset(now, 0, sizeof(now));
				if (!memcmp(now, was[nr], sizeof(now)))
					continue;
				if (!scene_owner(&l->scene, was[nr], &lba))
					lba = VSL_NONE;
				/* the packet that was written is there anew */
				if (lba != VSL_NONE)
					listed_may_lose(l, lba);
			}
		}
	}
}

static void look_at_card(struct listed *l, u8 (*to)[VSL_BLOCK_BYTES])
{
	const struct vsl_sim_config *card = &l->plan.card;
	u32 unit, eu, off, nr = 0;

	for (unit = 0; unit < card->units; unit++)
		for (eu = 0; eu < card->eus; eu++)
			for (off = 0; off < card->eu_blocks; off++, nr++)
				if (vsl_sim_peek(l->world->sim, unit, eu, off,
						 to[nr]))
					memset(to[nr], 0, sizeof(to[nr]));
}

/* 7: another block is read; a block is written over another one. */
void listed_misdirected(struct listed *l)
{
	u8 (*was)[VSL_BLOCK_BYTES];
	struct place place;
	u32 i, lba;

	with_spare(l);
	lie_once(l, "misread");
	was = calloc(l->plan.card.units * l->plan.card.eus *
		     l->plan.card.eu_blocks, VSL_BLOCK_BYTES);
	if (!was)
		abort();
	for (i = 0; i < 4; i++) {
		lba = rng_below(&l->scene.rng, l->world->core->geo.lba_blocks);
		listed_alone(l);
		place = listed_next(l, lba, 1);
		look_at_card(l, was);
		listed_plant(l, "program-stray", place, 1, 1, 0);
		listed_write(l, lba);
		world_idle(l->world);
			listed_may_lose(l, lba);
		find_hit(l, was);
		world_verify(l->world);
	}
	need(listed_fired(l) == 8, "no block went astray");
	free(was);
	world_audit(l->world);
}

/* 8: neither the erase nor the program was done: the block is of an earlier time. */
void listed_stale(struct listed *l)
{
	u32 i;

	with_spare(l);
	listed_plant(l, "erase-drop", listed_anywhere, VSL_SIM_FOREVER, 1, 0);
	for (i = 0; i < 4 * l->world->core->geo.lba_blocks; i++)
		listed_any(l);
	vsl_sim_heal(l->world->sim);
	need(listed_fired(l), "nothing was erased");
	for (i = 0; i < 12; i++)
		write_onto(l, "program-drop");
	listed_judge(l);
}

/* ---- units ----------------------------------------------------------------------- */

static u32 lba_of_unit(struct listed *l, u32 unit)
{
	struct place place;
	u32 lba, tries;

	for (tries = 0; tries < 1000; tries++) {
		lba = listed_lba(l, &place);
		if (place.unit == unit)
			return lba;
	}
	need(false, "unit %u holds nothing", unit);
	return VSL_NONE;
}

static void begin_read(struct listed *l, u32 lba)
{
	world_begin(l->world, VSL_IO_READ, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    VSL_BLOCK_SECTORS);
}

#define SLOW_NS		50000000ull

/* 18: who does not need the slow unit does not wait for it. */
void listed_slow(struct listed *l)
{
	struct world *w;
	u32 slow, quick;
	u64 begun;

	l->plan.card.flags = VSL_SIM_TIMED | VSL_SIM_REPORTS;
	l->plan.card.timing = (struct vsl_sim_timing){
		.page_bytes = 4096, .read_ns = 25000, .program_ns = 250000,
		.erase_ns = 1500000, .channels = 4, .channel_mbps = 200,
		.bus_mbps = 800, .bus_command_ns = 300, .command_ns = 8000,
		.flush_ns = 100000,
	};
	listed_card(l);
	w = l->world;
	/* what can be done is done before time goes on */
	w->plan.weight[STEP_START] = 65000;
	w->plan.weight[STEP_FEED] = 65000;
	slow = lba_of_unit(l, 1);
	quick = lba_of_unit(l, 0);
	begun = vsl_port_clock_ns;
	listed_plant(l, "slow", (struct place){ 1, VSL_SIM_ANY, VSL_SIM_ANY },
		     1, 1, SLOW_NS);
	begin_read(l, slow);
	begin_read(l, quick);
	while (w->nr_jobs > 1)
		need(world_step(w), "there is nothing to do");
	need(vsl_port_clock_ns - begun < SLOW_NS, "all wait for a slow unit");
	world_finish(w);
	need(vsl_port_clock_ns - begun >= SLOW_NS, "the unit is not slow");
	listed_judge(l);
}

static void some_steps(struct world *w, u32 nr)
{
	while (nr-- && !w->cut)
		if (!world_step(w))
			break;
}

/*
 * 19: what needs a unit that does not answer waits for it, and nobody else does; all
 * ends with the card.
 */
void listed_stuck(struct listed *l)
{
	struct place unit = { 1, VSL_SIM_ANY, VSL_SIM_ANY };
	struct world *w;
	u32 stuck, quick;

	listed_card(l);
	w = l->world;
	stuck = lba_of_unit(l, 1);
	quick = lba_of_unit(l, 0);
	listed_plant(l, "stuck", unit, VSL_SIM_FOREVER, 1, 0);
	begin_read(l, stuck);
	some_steps(w, 300);
	need(w->nr_jobs == 1, "a unit that is stuck answers");
	begin_read(l, quick);
	some_steps(w, 300);
	need(w->nr_jobs == 1, "all wait for a unit that is stuck");
	world_crash(w);
	vsl_sim_heal(w->sim);
	world_power_on(w);
	scene_recover(&l->scene, 0);
	listed_judge(l);
}

/* 20: errors for what is on it, and for nothing else, as long as the card is
 * attached. */
void listed_dead_unit(struct listed *l)
{
	struct place unit = { 1, VSL_SIM_ANY, VSL_SIM_ANY };
	struct world *w;
	u32 lba, i;

	listed_card(l);
	w = l->world;
	world_idle(w);
	for (lba = 0; lba < w->core->geo.lba_blocks; lba++)
		if (vsl_ppa_is_block(w->core->map[lba]) &&
		    vsl_ppa_unit(&w->core->geo, w->core->map[lba]) == 1)
			listed_may_lose(l, lba);
	listed_plant(l, "unit-dead", unit, VSL_SIM_FOREVER, 1, 0);
	world_verify(w);
	w->tolerant = true;
	for (i = 0; i < 400; i++)
		listed_any(l);
	w->tolerant = false;
	world_audit(w);
	world_verify(w);
	need(listed_fired(l), "the unit is not dead");
}

/* 21: never; the card says so if it happens.  Much at once, and failures. */
void listed_order(struct listed *l)
{
	struct vsl_sim_stats stats;
	u32 i;

	l->plan.load.depth = 32;
	listed_card(l);
	for (i = 0; i < 10; i++) {
		listed_plant(l, i % 2 ? "program-end" : "program-transient",
			     listed_anywhere, 2, 9, 0);
		world_run(l->world, 200);
		listed_cycle(l);
	}
	vsl_sim_stats(l->world->sim, &stats);
	need(!stats.violations, "%s", stats.last_violation);
	listed_judge(l);
}
