// SPDX-License-Identifier: GPL-2.0-only
/*
 * family.c - kinds of runs: random histories, cuts inside recovery, format and
 * clean stops.
 *
 * A run makes one card and lives through a number of cuts on it.  After each
 * cut the card is attached again, audited (P7), read as a whole and judged by
 * the oracle (P1 to P5); what was read is then the past that no later cut may
 * change (P6).
 */
#include "family.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "scene.h"

#define CUTS_PER_RUN	40u
#define NESTED_MAX	3u

/* ---- random histories -------------------------------------------------------- */

/* One stretch of life, ended by a cut at a random step or when it is over. */
static void live_and_cut(struct scene *s)
{
	struct world *w = s->world;
	u32 requests = rng_range(&s->rng, 1, w->plan.span);

	world_arm(w, rng_range(&s->rng, 1, requests * 12));
	if (world_run(w, requests)) {
		if (rng_chance(&s->rng, 100))
			world_audit(w);
		if (rng_chance(&s->rng, 300))
			world_idle(w);
	}
	if (!w->cut && rng_chance(&s->rng, 150)) {
		world_host_crash(w);
		return;
	}
	world_crash(w);
	world_power_on(w);
}

static void random_run(const struct order *order, u32 nested_permille)
{
	struct scene s;
	u32 i;

	scene_begin(&s, order);
	for (i = 0; i < CUTS_PER_RUN; i++) {
		live_and_cut(&s);
		scene_recover(&s, rng_chance(&s.rng, nested_permille) ?
				  NESTED_MAX : 0);
		if (rng_chance(&s.rng, 100)) {
			/* P6: nothing was asked of it, nothing may change */
			world_crash(s.world);
			world_power_on(s.world);
			scene_recover(&s, 0);
		}
	}
	scene_end(&s);
}

static void run_random(const struct order *order)
{
	random_run(order, 100);
}

static void run_recovery(const struct order *order)
{
	random_run(order, 1000);
}

/*
 * What was being programmed when the power went reads well once or twice and then
 * not any more: whatever recovery has believed it must write again, and keep what it
 * has replaced until then.  In every third run segments are so small that one packet
 * empties another segment.
 */
static void run_weak(const struct order *order)
{
	struct order own = *order;

	own.weak = true;
	if (!own.geometry && order->run % 3 == 2)
		own.geometry = "units=1,eu_blocks=8,eus=90,hole=0,ws_min=1,ws_opt=1";
	random_run(&own, 1000);
}

/*
 * Long writes, many at once, on segments that hold a few of them and a disk
 * that is full: packets, slots and segments run out at the same time.
 */
static void run_large(const struct order *order)
{
	struct order own = *order;
	struct scene s;
	struct load *load;
	u32 i;

	if (!own.geometry)
		own.geometry = "units=6,eus=24,eu_blocks=64,max_blocks=64";
	scene_begin(&s, &own);
	load = &s.world->plan.load;
	load->kind[VSL_IO_WRITE] = 200;
	load->big_permille = rng_range(&s.rng, 300, 1000);
	load->partial_permille = 0;
	load->depth = 32;
	for (i = 0; i < CUTS_PER_RUN / 4; i++) {
		s.world->plan.span = 200;
		live_and_cut(&s);
		scene_recover(&s, 0);
	}
	world_run(s.world, 300);
	world_audit(s.world);
	scene_end(&s);
}

/* ---- clean stops -------------------------------------------------------------- */

/*
 * A clean detach makes everything durable, and the next attach must see it as
 * clean.  Cut in the middle it is a crash like any other.
 */
static void stop_and_start(struct scene *s, bool with_cut)
{
	struct world *w = s->world;
	u32 tag = oracle_begin(w->oracle, VSL_IO_FLUSH, 0, 0, 0);
	struct vsl_label label;
	int err;

	if (with_cut)
		world_arm(w, rng_range(&s->rng, 0, s->detach_steps + 2));
	s->detach_steps = w->events;
	err = world_detach(w);
	if (w->cut) {
		s->detach_steps = 200;
		world_crash(w);
		world_power_on(w);
		scene_recover(s, 0);
		return;
	}
	s->detach_steps = w->events - s->detach_steps;
	world_disarm(w);
	if (err)
		sim_fail("door", "detach returns %d", err);
	oracle_end(w->oracle, tag, 0, NULL);
	if (rng_chance(&s->rng, 500)) {
		world_crash(w);
		world_power_on(w);
	}
	err = world_probe(w, &label);
	if (err || !label.formatted || !label.clean ||
	    label.capacity_bytes != w->plan.format.capacity_bytes ||
	    memcmp(label.uuid, w->plan.format.uuid, sizeof(label.uuid)))
		sim_fail("door", "probe after detach: %d, formatted %d clean %d",
			 err, label.formatted, label.clean);
	s->attach_flags = VSL_ATTACH_CLEAN_ONLY;
	scene_recover(s, 0);
}

static void run_clean(const struct order *order)
{
	struct scene s;
	u32 i;

	scene_begin(&s, order);
	for (i = 0; i < CUTS_PER_RUN; i++) {
		world_run(s.world, rng_range(&s.rng, 0, s.world->plan.span));
		stop_and_start(&s, rng_chance(&s.rng, 700));
	}
	scene_end(&s);
}

/* ---- format -------------------------------------------------------------------- */

/* What may be on a card whose format was cut short. */
static void inspect_half_format(struct scene *s, const struct vsl_format *old,
				const struct vsl_format *new)
{
	struct world *w = s->world;
	struct vsl_label label;
	int err = world_probe(w, &label);

	if (err && err != -EIO)
		sim_fail("format", "probe returns %d after a cut", err);
	if (err || !label.formatted)
		return;
	if (!memcmp(label.uuid, new->uuid, sizeof(label.uuid))) {
		/* a root that was torn may be read by probe and not again */
		err = world_attach(w, w->plan.attach_flags);
		if (err == -ENODATA)
			return;
		if (err)
			sim_fail("format", "attach returns %d after a cut", err);
		world_crash(w);
		world_power_on(w);
		scene_formatted(s, new);
		scene_recover(s, 0);
		world_crash(w);
		world_power_on(w);
	} else if (memcmp(label.uuid, old->uuid, sizeof(label.uuid))) {
		sim_fail("format", "neither the old nor the new uuid");
	} else {
		/* Not even begun: the disk is what it was. */
		err = world_attach(w, w->plan.attach_flags);
		if (err == -ENODATA)
			return;
		if (err)
			sim_fail("format", "attach to the old: %d", err);
		world_verify(w);
		world_crash(w);
		world_power_on(w);
	}
}

/* A format that is not cut remembers the erases till now, and adds its own. */
static void format_again(struct scene *s, const struct vsl_format *format)
{
	const struct vsl_media_info *info = &s->world->media->info;

	world_crash(s->world);
	world_power_on(s->world);
	if (s->erase_floor)	/* the toy does not count */
		s->erase_floor += (u64)info->units * info->eus;
	scene_format(s, format);
}

static void run_format(const struct order *order)
{
	struct scene s;
	struct world *w;
	struct vsl_format old, new;
	u32 i, life, steps = 400;
	u64 begun;

	scene_begin(&s, order);
	w = s.world;
	for (i = 0; i < CUTS_PER_RUN; i++) {
		old = w->plan.format;
		new = old;
		memset(new.uuid, i + 1, sizeof(new.uuid));
		new.sector_bytes = rng_chance(&s.rng, 500) ? 512 : 4096;
		/* Roots of several attaches, the newest anywhere in a lane. */
		for (life = rng_range(&s.rng, 0, 5); life; life--) {
			world_run(w, rng_range(&s.rng, 0, 60));
			world_crash(w);
			world_power_on(w);
			scene_recover(&s, 0);
		}
		world_crash(w);
		world_power_on(w);
		world_arm(w, rng_range(&s.rng, 0, rng_chance(&s.rng, 500) ?
						  150 : steps + 2));
		begun = w->events;
		world_format(w, &new);
		if (!w->cut) {
			steps = w->events - begun;
			world_disarm(w);
			scene_formatted(&s, &new);
			scene_recover(&s, 0);
			continue;
		}
		world_crash(w);
		world_power_on(w);
		scene_survived(&s);
		/* No root, no memory of what was erased. */
		s.erase_floor = 0;
		inspect_half_format(&s, &old, &new);
		scene_format(&s, &new);
		if (rng_chance(&s.rng, 300))
			format_again(&s, &new);
	}
	scene_end(&s);
}

/* The toy core has none of what they look at, and no such runs. */
#pragma weak run_listed
#pragma weak run_held
#pragma weak run_flat
#pragma weak run_narrow

const struct family families[] = {
	{ "random", "random histories, cut anywhere", 40, 40, run_random },
	{ "recovery", "cuts inside recovery, nested to depth 3", 20, 30,
	  run_recovery },
	{ "weak", "what was torn reads well, but not for long", 10, 0, run_weak },
	{ "large", "long writes on a full disk", 4, 4, run_large },
	{ "exhaustive", "every cut of small histories", 25, 25, run_exhaustive },
	{ "faults", "failures that lose nothing", 20, 20, run_faults },
	{ "lost", "blocks that can not be read", 5, 5, run_lost },
	{ "rot", "a card that tells lies", 5, 0, run_rot },
	{ "parity", "a unit that is lost, or blocks of it", 15, 10, run_parity },
	{ "wearout", "a card that dies slowly", 10, 10, run_wearout },
	{ "redo", "segments that end early, again and again", 10, 10, run_redo },
	{ "damage", "damage to what the driver keeps for itself", 5, 5, run_damage },
	{ "books", "what the core says of itself is true", 5, 5, run_books },
	{ "wear", "data that stays, beside data that does not", 3, 2, run_wear },
	{ "refresh", "a card that must be moved before it forgets", 4, 2,
	  run_refresh },
	{ "scrub", "a card that nobody reads", 4, 3, run_scrub },
	{ "clean", "clean stops, and cuts inside them", 10, 10, run_clean },
	{ "format", "cuts inside format", 5, 15, run_format },
	{ "small", "every cut of small workloads, and of recoveries from them", 0, 0,
	  run_small },
	{ "nth", "the n-th failure of everything, for each n", 0, 0, run_nth },
	{ "held", "what was moved and what is newer do not arrive", 5, 3, run_held },
	{ "listed", "the faults of the list, each alone", 0, 0, run_listed },
	{ "narrow", "what chance seldom meets, each alone", 0, 0, run_narrow },
	{ "flat", "a card that is no flash, case by case", 0, 0, run_flat },
	{ NULL, NULL, 0, 0, NULL },
};
