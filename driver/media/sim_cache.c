// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_cache.c - what a power cut could take: the volatile write cache.
 *
 * Data is never kept twice.  The cache is only a line in each erase unit: blocks
 * below eu->durable are safe, those from there to eu->done may be forgotten by
 * a cut (sim_cut.c).  Bodies with such blocks are in sim->dirty, oldest first.
 *
 * A flush makes durable what had ended when it was submitted, and no more (rule
 * M4), so a caller that relies on more is found out.  One flush at a time has
 * its marks in the bodies; others wait for it, and then take more along than they
 * would have to.
 *
 * Blocks of a flat card are forgotten one by one: sim_flat.c.
 *
 * A card with power-loss protection keeps the same books: its capacitors may be
 * made to fail.
 */
#include "sim_int.h"

/* What a protected buffer holds when the configuration does not say. */
#define PLP_BLOCKS	256u

static u32 limit_blocks(const struct vsl_sim *sim)
{
	const struct vsl_sim_config *config = &sim->config;

	if (config->cache_blocks || !(config->flags & VSL_SIM_PLP))
		return config->cache_blocks;
	return max(config->timing.buffer_blocks, PLP_BLOCKS);
}

/* Blocks of @eu up to @to are safe. */
static void settle(struct vsl_sim *sim, struct sim_eu *eu, u32 to)
{
	if (to > eu->durable) {
		sim->dirty_blocks -= to - eu->durable;
		eu->durable = to;
	}
	if (eu->durable >= eu->done)
		list_del_init(&eu->body->dirty);
}

static struct sim_eu *oldest(struct vsl_sim *sim)
{
	struct sim_body *body = list_first_entry(&sim->dirty, struct sim_body,
						 dirty);

	return &sim->eus[body->index];
}

/* A program of @eu has ended. */
void sim_cache_add(struct vsl_sim *sim, struct sim_eu *eu)
{
	u32 limit = limit_blocks(sim);
	struct sim_eu *old;

	if (sim_is_flat(sim)) {
		sim_flat_limit(sim, limit);
		return;
	}
	if (!sim_may_forget(sim)) {
		eu->durable = eu->done;
		return;
	}
	if (list_empty(&eu->body->dirty)) {
		eu->body->mark = 0;
		sim->dirty_blocks += eu->done - eu->durable;
		list_add_tail(&eu->body->dirty, &sim->dirty);
	} else {
		/* All but this program were counted already. */
		sim->dirty_blocks += eu->done - eu->body->counted;
	}
	eu->body->counted = eu->done;
	while (limit && sim->dirty_blocks > limit) {
		old = oldest(sim);
		settle(sim, old, old->done);
	}
}

/* @eu is about to be erased: nothing of it matters any more. */
void sim_cache_remove(struct vsl_sim *sim, struct sim_eu *eu)
{
	if (!eu->body || list_empty(&eu->body->dirty))
		return;
	if (sim_is_flat(sim))
		sim_flat_keep(sim, eu->body);
	else
		settle(sim, eu, eu->done);
}

/* A flush begins. */
void sim_cache_mark(struct vsl_sim *sim)
{
	struct sim_body *body;

	if (sim_is_flat(sim)) {
		sim_flat_mark(sim);
		return;
	}
	list_for_each_entry(body, &sim->dirty, dirty)
		body->mark = sim->eus[body->index].done;
}

/* The flush has ended. */
void sim_cache_flush(struct vsl_sim *sim)
{
	struct sim_body *body, *ahead;

	if (sim_is_flat(sim)) {
		sim_flat_flush(sim);
		return;
	}
	list_for_each_entry_safe(body, ahead, &sim->dirty, dirty)
		settle(sim, &sim->eus[body->index], body->mark);
}
