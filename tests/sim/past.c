// SPDX-License-Identifier: GPL-2.0-only
/*
 * past.c - a moment of a run, to come back to.
 */
#include "past.h"

#include "fail.h"

static void copy_card(struct vsl_sim *to, struct vsl_sim *from)
{
	int err = vsl_sim_clone(to, from);

	if (err)
		sim_fail("media", "vsl_sim_clone() returns %d", err);
}

void past_keep(struct past *past, const struct scene *s)
{
	struct world *w = s->world;

	if (past->sim) {
		oracle_copy(past->oracle, w->oracle);
	} else {
		past->sim = world_card(w, &w->plan.card.tear);
		past->oracle = oracle_clone(w->oracle);
	}
	copy_card(past->sim, w->sim);
	past->erase_floor = s->erase_floor;
	past->clock_ns = vsl_port_clock_ns;
}

void past_return(const struct past *past, struct scene *s,
		 struct vsl_sim *card)
{
	struct world *w = s->world;

	copy_card(card, past->sim);
	world_use(w, card);
	oracle_copy(w->oracle, past->oracle);
	s->erase_floor = past->erase_floor;
	vsl_port_clock_ns = past->clock_ns;
	w->next_tick_ns = past->clock_ns;
	w->cursor = 0;
}

void past_drop(struct past *past)
{
	if (!past->sim)
		return;
	vsl_sim_destroy(past->sim);
	oracle_destroy(past->oracle);
	*past = (struct past){ 0 };
}
