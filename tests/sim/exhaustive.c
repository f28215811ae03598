// SPDX-License-Identifier: GPL-2.0-only
/*
 * exhaustive.c - every cut of small histories.
 *
 * Most bugs need few operations, if only every point between them is tried.  A
 * run fills a card, keeps a copy, and then lives the same history of one to
 * four requests again and again from that copy, each time with the power going
 * one step later, until the history ends.  In deep runs the recovery from each
 * of those cuts is cut at each of its steps, too.
 *
 * The history is the same each time because everything that chance decides is
 * started anew from the same seed; only what a cut leaves on the card differs.
 * The number of a cut is its step; that of a cut inside recovery adds DEEP times
 * (the recovery's step + 1).
 */
#include "past.h"

#include "fail.h"

#define DEEP		1000000ull
#define DEEP_ONE_IN	16u	/* shallow runs go deep at so many steps */

struct small {
	struct scene scene;
	struct past base;	/* before the history */
	u32 requests;
};

/* Small requests close together, so that they meet. */
static void make_small(struct scene *s)
{
	struct load *load = &s->world->plan.load;

	load->kind[VSL_IO_READ] = 1;
	load->kind[VSL_IO_TRIM] = 10;
	load->kind[VSL_IO_ZERO] = 5;
	load->kind[VSL_IO_FLUSH] = 15;
	load->spread[SPREAD_FEW] = 20;
	load->big_permille = rng_chance(&s->rng, 200) ? 100 : 0;
	load->depth = rng_range(&s->rng, 1, 4);
}

static void small_begin(struct small *small, const struct order *order)
{
	struct scene *s = &small->scene;
	struct world *w;

	scene_begin(s, order);
	w = s->world;
	make_small(s);
	world_run(w, rng_below(&s->rng, 30));
	world_crash(w);
	world_power_on(w);
	scene_recover(s, 0);
	world_crash(w);
	world_power_on(w);
	small->base = (struct past){ 0 };
	past_keep(&small->base, s);
	small->requests = rng_range(&s->rng, 1, 4);
}

/* Start everything anew from the copy, to make cut @id. */
static void small_rewind(struct small *small, u64 id)
{
	struct scene *s = &small->scene;
	struct world *w = s->world;

	the_slot->cut = id;
	sim_tracing = s->order->trace_from <= id;
	sim_trace("cut %llu", id);
	past_return(&small->base, s, w->sim);
	world_reseed(w, s->order->seed, s->order->run);
	rng_init(&s->rng, s->order->seed, s->order->run, 100 + id);
}

/* Live the history up to step @id.  Return: false: it ended before. */
static bool small_live(struct small *small, u64 id)
{
	struct world *w = small->scene.world;
	bool reached;
	int err;

	small_rewind(small, id);
	err = world_attach(w, w->plan.attach_flags);
	if (err)
		sim_fail("door", "attach returns %d", err);
	world_arm(w, id % DEEP);
	if (world_run(w, small->requests))
		world_idle(w);
	reached = w->cut;
	world_crash(w);
	world_power_on(w);
	return reached;
}

/* Cut at @id.  Return: false: history or recovery ended before. */
static bool small_cut(struct small *small, u64 id)
{
	struct scene *s = &small->scene;
	struct world *w = s->world;
	bool reached = small_live(small, id);

	if (id >= DEEP) {
		world_arm(w, id / DEEP - 1);
		world_attach(w, w->plan.attach_flags);
		reached = w->cut;
		world_crash(w);
		world_power_on(w);
	}
	scene_recover(s, 0);
	world_crash(w);
	world_power_on(w);
	return reached;
}

static bool goes_deep(const struct order *order, u64 step)
{
	return order->deep ||
	       rng_mix(order->seed + order->run * 65537 + step) % DEEP_ONE_IN == 0;
}

static void small_all(struct small *small)
{
	const struct order *order = small->scene.order;
	bool reached = true;
	u64 step, inner;

	for (step = 0; reached && !session_is_over(); step++) {
		reached = small_cut(small, step);
		if (!goes_deep(order, step))
			continue;
		inner = 1;
		while (small_cut(small, step + inner * DEEP) &&
		       !session_is_over())
			inner++;
	}
}

void run_exhaustive(const struct order *order)
{
	struct small small;

	small_begin(&small, order);
	if (order->only_cut == EVERY_CUT)
		small_all(&small);
	else
		small_cut(&small, order->only_cut);
	past_drop(&small.base);
	scene_end(&small.scene);
}
