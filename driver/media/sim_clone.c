// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_clone.c - a second card that holds what a first one does.
 *
 * For checkers that try many futures of one past: the contents are shared, erase
 * unit by erase unit, until one of the cards changes them (sim_body_own()).  What
 * is not durable yet is copied at once, because the books of the volatile
 * cache are in the body.
 *
 * Sharing takes no locks: user space only, all cards of a family in one thread.
 */
#include "sim_int.h"

static int clone_eu(struct vsl_sim *to, struct vsl_sim *from, u32 index)
{
	struct sim_eu *source = &from->eus[index];
	struct sim_eu *target = &to->eus[index];
	bool is_dirty = source->body && !list_empty(&source->body->dirty);
	struct sim_eu copy = *source;

	if (is_dirty)
		copy.body = sim_body_copy(to, source->body);
	else if (source->body)
		copy.body = sim_body_share(to, source->body);
	if (source->body && !copy.body)
		return -ENOMEM;
	sim_replace(to, target, &copy);
	target->marks = source->marks;
	target->durable = source->durable;
	if (is_dirty && sim_is_flat(to))
		sim_flat_adopt(to, target->body);
	if (is_dirty)
		sim_cache_add(to, target);
	return 0;
}

int vsl_sim_clone(struct vsl_sim *to, struct vsl_sim *from)
{
	u32 i;
	int error = 0;

	if (to->config.units != from->config.units ||
	    to->config.eus != from->config.eus ||
	    to->config.eu_blocks != from->config.eu_blocks ||
	    to->config.ws_min != from->config.ws_min ||
	    to->config.oob_bytes != from->config.oob_bytes ||
	    sim_is_flat(to) != sim_is_flat(from) ||
	    to->lent || from->lent)
		return -EINVAL;
	if (!sim_is_idle(to) || !sim_is_idle(from))
		return -EBUSY;
	for (i = 0; i < to->nr_eus && !error; i++)
		error = clone_eu(to, from, i);
	return error;
}
