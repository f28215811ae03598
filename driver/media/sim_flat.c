// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_flat.c - a simulated card that is not flash: VSL_SIM_FLAT.
 *
 * An ordinary namespace used as flash: an erase unit is a run of its blocks, an
 * erase deallocates them.  Nobody sees from outside what was erased:
 *
 *   F1  each block of an erased unit reads as zeros or as what it held before,
 *       which may be of any earlier life, also of an earlier format; which of
 *       the two is drawn at the erase, block by block, and stays;
 *   F2  what nobody ever wrote reads as zeros or as foreign noise;
 *   F3  a volatile cache forgets blocks, one by one and in any order: programs
 *       as well as erases, and what was there before shows again.  A block may
 *       also be of both, sector by sector (tear.program_prefix, program_mixed);
 *   F4  a block under way when the power goes is old, new, or of both.
 *
 * The rules for who programs where (sim_rules.c) are kept nevertheless: the core
 * overwrites nothing.
 *
 * What a block held before its volatile change is kept beside it in the body
 * until a flush or a cut.  Where it changes once more before that, chance
 * decides which of the two older contents a cut may bring back.
 */
#include "sim_int.h"

/* ---- what lies in a block ------------------------------------------------- */

/* A sector of a block that nobody wrote. */
static void blank_sector(const struct vsl_sim *sim, u64 block, u32 sector,
			 void *buf)
{
	struct sim_random random = {
		sim->config.seed ^ (block + 1) * 0x9e3779b97f4a7c15ull
	};

	if (!sim_chance(&random, sim->config.foreign_permille)) {
		memset(buf, 0, VSL_SECTOR_BYTES);
		return;
	}
	random.state += sector;
	sim_noise(&random, buf, VSL_SECTOR_BYTES);
}

static void sector_get(const struct vsl_sim *sim, u64 block, u8 kind, u64 value,
		       u32 sector, void *buf)
{
	const u8 *data = (void *)(size_t)value;

	if (kind == SIM_DATA)
		memcpy(buf, data + sector * VSL_SECTOR_BYTES, VSL_SECTOR_BYTES);
	else if (kind == SIM_NONE)
		blank_sector(sim, block, sector, buf);
	else
		sim_pattern(buf, value, VSL_SECTOR_BYTES);
}

static u64 block_number(const struct vsl_sim *sim, const struct sim_eu *eu,
			u32 block)
{
	return (u64)(eu - sim->eus) * sim->config.eu_blocks + block;
}

/* What is in @block of @eu, which is of kind SIM_NONE or has no body. */
void sim_flat_blank(const struct vsl_sim *sim, const struct sim_eu *eu,
		    u32 block, void *buf)
{
	u32 i;

	for (i = 0; i < VSL_BLOCK_SECTORS; i++)
		blank_sector(sim, block_number(sim, eu, block), i,
			     (u8 *)buf + i * VSL_SECTOR_BYTES);
}

/* @buf is new data: make it partly what (@kind, @value) is. */
static void mix(struct vsl_sim *sim, struct sim_random *random, u64 block,
		u8 kind, u64 value, bool is_front, void *buf)
{
	u32 from = sim_below(random, VSL_BLOCK_SECTORS), i;

	for (i = 0; i < VSL_BLOCK_SECTORS; i++)
		if (is_front ? i >= from : sim_chance(random, 500))
			sector_get(sim, block, kind, value, i,
				   (u8 *)buf + i * VSL_SECTOR_BYTES);
}

/*
 * Make @buf, the data for @block of @eu, partly what lies there.
 * @is_front: a front of it is new; else any sectors.
 */
void sim_flat_mix(struct vsl_sim *sim, struct sim_random *random,
		  const struct sim_eu *eu, u32 block, bool is_front, void *buf)
{
	mix(sim, random, block_number(sim, eu, block), eu->body->kind[block],
	    eu->body->value[block], is_front, buf);
}

/* ---- the volatile cache ---------------------------------------------------- */

/*
 * @block of @eu, whose body is its own, is about to change.  What it holds is gone
 * now, or kept where a cut may bring it back.
 */
void sim_flat_change(struct vsl_sim *sim, struct sim_eu *eu, u32 block)
{
	struct sim_body *body = eu->body;

	if (!sim_may_forget(sim))
		return;
	/* It has changed since the last flush: which of the older ones counts? */
	if (body->fresh[block] == SIM_FRESH && sim_chance(&sim->tear, 500))
		return;
	sim_body_keep(sim, body, block);
	if (!body->fresh[block]) {
		body->nr_fresh++;
		sim->dirty_blocks++;
	}
	body->fresh[block] = SIM_FRESH;
	if (list_empty(&body->dirty))
		list_add_tail(&body->dirty, &sim->dirty);
}

/* Every block of @body that is as fresh as @least, or staler, is durable. */
static void settle(struct vsl_sim *sim, struct sim_body *body, u8 least)
{
	u32 block;

	for (block = 0; body->nr_fresh && block < sim->config.eu_blocks;
	     block++) {
		if (!body->fresh[block] || body->fresh[block] < least)
			continue;
		sim_body_settle(sim, body, block);
		body->nr_fresh--;
		sim->dirty_blocks--;
	}
	if (!body->nr_fresh)
		list_del_init(&body->dirty);
}

/* More may be volatile than the cache holds. */
void sim_flat_limit(struct vsl_sim *sim, u32 limit)
{
	while (limit && sim->dirty_blocks > limit)
		settle(sim, list_first_entry(&sim->dirty, struct sim_body,
					     dirty), SIM_FRESH);
}

/* The body of a clone: what is volatile in it is so on @sim, too. */
void sim_flat_adopt(struct vsl_sim *sim, struct sim_body *body)
{
	sim->dirty_blocks += body->nr_fresh;
	if (body->nr_fresh)
		list_add_tail(&body->dirty, &sim->dirty);
}

/* All of @body is durable. */
void sim_flat_keep(struct vsl_sim *sim, struct sim_body *body)
{
	settle(sim, body, SIM_FRESH);
}

/* A flush begins. */
void sim_flat_mark(struct vsl_sim *sim)
{
	struct sim_body *body;
	u32 block;

	list_for_each_entry(body, &sim->dirty, dirty)
		for (block = 0; block < sim->config.eu_blocks; block++)
			if (body->fresh[block])
				body->fresh[block] = SIM_MARKED;
}

/* The flush has ended. */
void sim_flat_flush(struct vsl_sim *sim)
{
	struct sim_body *body, *ahead;

	list_for_each_entry_safe(body, ahead, &sim->dirty, dirty)
		settle(sim, body, SIM_MARKED);
}

/* ---- erase and cut --------------------------------------------------------- */

static bool is_zero(const struct vsl_sim *sim, const struct sim_body *body,
		    u32 block)
{
	if (body->kind[block] == SIM_NONE)
		return !sim->config.foreign_permille;
	return body->kind[block] == SIM_PATTERN && !body->value[block];
}

/* Inside submit() nothing of @eu is read any more (S3). */
static void hide(struct vsl_sim *sim, struct sim_eu *eu)
{
	u32 lock = sim_eu_lock(sim, eu);
	unsigned long flags = sim_lock(sim, lock);

	eu->readable = 0;
	eu->marks = 0;
	sim_unlock(sim, lock, flags);
}

/* Deallocate; @permille: of the blocks that it gets to. */
void sim_flat_erase(struct vsl_sim *sim, struct sim_random *random,
		    struct sim_eu *eu, u32 permille)
{
	u32 stale = sim->config.stale_permille, block, left = 0;
	struct sim_body *body;

	hide(sim, eu);
	if (!eu->body && !sim->config.foreign_permille)
		return;
	body = sim_body_own(sim, eu);
	if (body)
		body->born_ns = sim_now(sim);
	/* Out of memory: then all of it shows what it held. */
	for (block = 0; body && block < sim->config.eu_blocks; block++) {
		if (is_zero(sim, body, block))
			continue;
		if (body->kind[block] != SIM_LOST &&
		    (sim_chance(random, stale) ||
		     !sim_chance(random, permille))) {
			left++;
			continue;
		}
		sim_flat_change(sim, eu, block);
		sim_body_set_kind(sim, body, block, SIM_PATTERN, 0);
	}
	if (body && !left && !body->nr_fresh && !sim->config.foreign_permille)
		sim_store_drop(sim, eu);
}

/* What a cut makes of a volatile block.  Return: it is not what it was. */
static bool forget_block(struct vsl_sim *sim, struct sim_eu *eu, u32 block,
			 u32 lost_permille)
{
	const struct vsl_sim_tear *tear = &sim->config.tear;
	struct sim_body *body = eu->body;
	bool can_mix = tear->program_prefix || tear->program_mixed;

	if (!sim_chance(&sim->tear, lost_permille)) {
		sim_body_settle(sim, body, block);
		return false;
	}
	sim->stats.forgotten_ops++;
	if (can_mix && sim_chance(&sim->tear, 100) && sim_spare_get(sim) &&
	    body->kind[block] != SIM_LOST && body->old_kind[block] != SIM_LOST) {
		sim_body_get(body, block, sim->spare);
		mix(sim, &sim->tear, block_number(sim, eu, block),
		    body->old_kind[block], body->old_value[block],
		    !tear->program_mixed, sim->spare);
		sim_body_settle(sim, body, block);
		sim_body_set_spare(sim, body, block);
		return true;
	}
	sim_body_revert(sim, body, block);
	return true;
}

/* Power cut: of each volatile block @lost_permille are as they were, or torn. */
void sim_flat_cut(struct vsl_sim *sim, u32 lost_permille)
{
	struct sim_body *body, *ahead;
	struct sim_eu *eu;
	bool is_lost;
	u32 block;

	list_for_each_entry_safe(body, ahead, &sim->dirty, dirty) {
		list_del_init(&body->dirty);
		eu = &sim->eus[body->index];
		is_lost = false;
		for (block = 0; block < sim->config.eu_blocks; block++)
			if (body->fresh[block])
				is_lost |= forget_block(sim, eu, block,
							lost_permille);
		body->nr_fresh = 0;
		if (!is_lost)
			continue;
		sim_mark_odd(sim, eu, true);
		/* Whoever programs it again erases it first. */
		if (eu->state != VSL_EU_RDONLY && eu->state != VSL_EU_DEAD)
			sim_rules_settle(sim, eu, sim->config.eu_blocks,
					 VSL_EU_FULL);
	}
	sim->dirty_blocks = 0;
}
