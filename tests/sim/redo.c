// SPDX-License-Identifier: GPL-2.0-only
/*
 * redo.c - a kind of runs: segments that end early, again and again.
 *
 * Where a program fails, the packets of its segment are written again in the next
 * one, with new versions, while the host and the groomer go on.  The kind "faults"
 * has a failure now and then, anywhere.  Here they come where it matters: in the
 * segments that are open, of any append point, while much is under way.  The erase
 * unit says that it is full, which costs nothing, so there is no end of it.
 */
#include "scene.h"

#include <stdlib.h>

#include "../../driver/core/int.h"
#include "fail.h"

#define CUTS_PER_RUN	20u

/* One of the next programs of an open segment does not fit any more. */
static void end_early(struct scene *s)
{
	struct world *w = s->world;
	u32 id = rng_below(&s->rng, VSL_STREAMS), at;
	const struct vsl_stream *stream = &w->core->stream[id];
	struct vsl_sim_fault fault = {
		.name = "program-end",
		.block = VSL_SIM_ANY,
		.count = 1,
		.every = rng_range(&s->rng, 1, 3),
	};

	if (stream->seg == VSL_NONE || !stream->stripe.nr)
		return;
	at = rng_below(&s->rng, stream->stripe.nr);
	fault.unit = stream->stripe.unit[at];
	fault.eu = stream->seg;
	sim_trace("plant %s unit %u eu %u every %u", fault.name, fault.unit,
		  fault.eu, fault.every);
	vsl_sim_plant(w->sim, &fault);
}

/* Blocks that are moved and written at the same time: few places, many requests. */
static void make_close(struct scene *s)
{
	struct load *load = &s->world->plan.load;

	load->depth = max(load->depth, 8u);
	load->kind[VSL_IO_WRITE] = 80;
	load->spread[rng_chance(&s->rng, 500) ? SPREAD_UNIFORM : SPREAD_FEW] = 20;
	load->big_permille = 0;
	/* Trims keep all append points in order. */
	if (s->world->core->geo.points > VSL_POINTS_LEAST)
		load->kind[VSL_IO_TRIM] = 20;
}

void run_redo(const struct order *order)
{
	struct scene s;
	struct world *w;
	u32 i, parts;

	scene_begin(&s, order);
	w = s.world;
	make_close(&s);
	for (i = 0; i < CUTS_PER_RUN; i++) {
		parts = rng_range(&s.rng, 1, 8);
		world_arm(w, rng_range(&s.rng, 1, parts * 60));
		for (; parts && !w->cut; parts--) {
			end_early(&s);
			world_run(w, rng_range(&s.rng, 1, 10));
		}
		if (rng_chance(&s.rng, 500))
			vsl_sim_heal(w->sim);
		world_crash(w);
		world_power_on(w);
		scene_recover(&s, rng_chance(&s.rng, 200));
	}
	scene_end(&s);
}
