// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_look.c - looking at the simulated card, past its rules and its time.
 */
#include "sim_int.h"

struct vsl_media *vsl_sim_media(struct vsl_sim *sim)
{
	return &sim->media;
}

const struct vsl_sim_config *vsl_sim_config(const struct vsl_sim *sim)
{
	return &sim->config;
}

u32 vsl_sim_pending(struct vsl_sim *sim)
{
	return READ_ONCE(sim->pending);
}

bool sim_is_idle(struct vsl_sim *sim)
{
	return !vsl_sim_pending(sim);
}

bool vsl_sim_has_power(const struct vsl_sim *sim)
{
	return READ_ONCE(sim->has_power);
}

void vsl_sim_stats(struct vsl_sim *sim, struct vsl_sim_stats *stats)
{
	unsigned long flags;
	u32 i;

	sim_serialize(sim);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	*stats = sim->stats;
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	for (i = 0; i < VSL_SIM_LOCKS; i++) {
		flags = sim_lock(sim, i + 1);
		stats->read_ops += sim->lanes[i].read_ops;
		stats->read_blocks += sim->lanes[i].read_blocks;
		sim_unlock(sim, i + 1, flags);
	}
	sim_deserialize(sim);
}

u32 vsl_sim_wear(const struct vsl_sim *sim, u32 unit, u32 eu)
{
	return sim->eus[(size_t)unit * sim->config.eus + eu].erases;
}

static int look_at(struct vsl_sim *sim, struct sim_eu *eu, u32 block)
{
	if (block >= sim->config.eu_blocks || !eu->body ||
	    eu->body->kind[block] == SIM_NONE)
		return -ENODATA;
	return eu->body->kind[block] == SIM_LOST ? -EIO : 0;
}

int vsl_sim_peek(struct vsl_sim *sim, u32 unit, u32 eu, u32 block, void *buf)
{
	struct sim_eu *from = sim_eu(sim, unit, eu);
	int error;

	sim_serialize(sim);
	error = look_at(sim, from, block);
	if (!error)
		sim_body_get(from->body, block, buf);
	sim_deserialize(sim);
	return error;
}

int vsl_sim_poke(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		 const void *buf)
{
	struct sim_eu *to = sim_eu(sim, unit, eu);
	struct sim_body *body;
	int error;

	sim_serialize(sim);
	error = look_at(sim, to, block);
	if (error != -ENODATA) {
		body = sim_body_own(sim, to);
		sim_mark_odd(sim, to, true);
		error = -ENOMEM;
		if (body && !buf) {
			sim_body_set_kind(sim, body, block, SIM_LOST, 0);
			error = 0;
		} else if (body && sim_body_set(sim, body, block, buf)) {
			error = 0;
		}
		sim->changes++;
	}
	sim_deserialize(sim);
	return error;
}

int vsl_sim_peek_oob(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		     void *oob)
{
	struct sim_eu *from = sim_eu(sim, unit, eu);
	int error;

	sim_serialize(sim);
	error = look_at(sim, from, block);
	if (!error)
		memcpy(oob, sim_body_oob(sim, from->body, block),
		       sim->config.oob_bytes);
	sim_deserialize(sim);
	return error;
}

int vsl_sim_poke_oob(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		     const void *oob)
{
	struct sim_eu *to = sim_eu(sim, unit, eu);
	struct sim_body *body;
	int error;

	sim_serialize(sim);
	error = look_at(sim, to, block);
	if (!error) {
		body = sim_body_own(sim, to);
		sim_mark_odd(sim, to, true);
		if (body)
			memcpy(sim_body_oob(sim, body, block), oob,
			       sim->config.oob_bytes);
		else
			error = -ENOMEM;
		sim->changes++;
	}
	sim_deserialize(sim);
	return error;
}

void vsl_sim_seed(struct vsl_sim *sim, u64 seed)
{
	sim_serialize(sim);
	sim_seed_all(sim, seed);
	sim_deserialize(sim);
}
