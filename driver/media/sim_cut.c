// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_cut.c - power cut.
 *
 * In this order:
 *   1  no operation is let in any more;
 *   2  what had ended but was volatile is forgotten, or not, program by program
 *      (VSL_SIM_VOLATILE, or a protection that fails);
 *   3  programs and erases under way are torn, each by itself;
 *   4  everything under way ends with VSL_RES_GONE;
 *   5  the card's owner hears of it.
 *
 * What a torn operation leaves is drawn from config.tear.  Half of the programs
 * are torn the way a die writes, block after block, so that what is there is a
 * front, one odd block and nothing behind it (unless tear.no_front); the others may
 * leave any of their blocks in any state.  A torn erase unit is flaky until it is erased.
 *
 * On a flat card (sim_flat.c) what was there before shows wherever a block is not
 * there, or not all of it.
 *
 * The write pointer of a torn erase unit is behind the last block that is not
 * erased, or, as often, behind all of the torn program: firmware finds one or
 * the other.  After a cut no erase unit counts as open (config.max_open) until it
 * is programmed.
 */
#include "sim_int.h"

enum outcome {
	OUT_OLD,
	OUT_NEW,
	OUT_PREFIX,
	OUT_MIXED,
	OUT_RANDOM,
	OUT_LOST,
	OUTCOMES,
};

/* One of @nr by weight; the first when there are no weights. */
static u32 draw(struct sim_random *random, const u32 *weights, u32 nr)
{
	u32 sum = 0, i, pick;

	for (i = 0; i < nr; i++)
		sum += weights[i];
	if (!sum)
		return 0;
	pick = sim_below(random, sum);
	for (i = 0; pick >= weights[i]; i++)
		pick -= weights[i];
	return i;
}

static enum outcome draw_program(const struct vsl_sim *sim,
				 struct sim_random *random)
{
	const struct vsl_sim_tear *tear = &sim->config.tear;
	u32 weights[OUTCOMES];

	weights[OUT_OLD] = tear->program_old;
	weights[OUT_NEW] = tear->program_new;
	weights[OUT_PREFIX] = tear->program_prefix;
	weights[OUT_MIXED] = tear->program_mixed;
	weights[OUT_RANDOM] = tear->program_random;
	weights[OUT_LOST] = tear->program_lost;
	return draw(random, weights, OUTCOMES);
}

/* ---- one block ----------------------------------------------------------- */

/* Spoil the good data in @buf as @out says. */
static void spoil(struct sim_random *random, enum outcome out, u8 *buf)
{
	u32 unit = VSL_SECTOR_BYTES, from, i;

	if (out == OUT_PREFIX) {
		from = sim_below(random, VSL_BLOCK_SECTORS) * unit;
		memset(buf + from, 0xff, VSL_BLOCK_BYTES - from);
	} else if (out == OUT_MIXED) {
		for (i = 0; i < VSL_BLOCK_SECTORS; i++)
			if (sim_chance(random, 500))
				sim_noise(random, buf + i * unit, unit);
	} else if (out == OUT_RANDOM) {
		sim_noise(random, buf, VSL_BLOCK_BYTES);
	}
}

static void tear_oob(struct vsl_sim *sim, struct sim_random *random,
		     const struct vsl_op *op, struct sim_body *body, u32 i,
		     enum outcome out)
{
	u32 bytes = sim->config.oob_bytes;
	u8 *oob = sim_body_oob(sim, body, op->off + i);

	if (!bytes)
		return;
	if (op->oob)
		memcpy(oob, (u8 *)op->oob + (size_t)i * bytes, bytes);
	else
		memset(oob, 0xff, bytes);
	if (out == OUT_RANDOM || (out != OUT_NEW && sim_chance(random, 500)))
		sim_noise(random, oob, bytes);
}

/* Leave block @i of the torn program @op in state @out. */
static void tear_block(struct vsl_sim *sim, struct sim_random *random,
		       const struct vsl_op *op, u32 i, enum outcome out)
{
	const struct vsl_sim_tear *tear = &sim->config.tear;
	struct sim_body *body = sim_op_eu(sim, op)->body;
	struct sim_cursor cursor;
	u32 block = op->off + i;

	if (out == OUT_OLD)
		return;
	if (out == OUT_LOST || !sim_spare_get(sim)) {
		sim_body_set_kind(sim, body, block, SIM_LOST, 0);
		return;
	}
	sim_cursor_init(&cursor, op);
	sim_cursor_skip(&cursor, i * VSL_BLOCK_BYTES);
	sim_cursor_get(&cursor, sim->spare, VSL_BLOCK_BYTES);
	if (sim_is_flat(sim) && (out == OUT_PREFIX || out == OUT_MIXED) &&
	    body->kind[block] != SIM_LOST)
		sim_flat_mix(sim, random, sim_op_eu(sim, op), block,
			     out == OUT_PREFIX, sim->spare);
	else
		spoil(random, out, sim->spare);
	sim_body_set_spare(sim, body, block);
	tear_oob(sim, random, op, body, i, out);
	if (tear->weak_reads && sim_chance(random, tear->weak_permille))
		body->weak[block] = (u16)min(tear->weak_reads + 1, 0xffffu);
}

/* Two pages of the same cells: the older one may suffer. */
static void tear_pair(struct vsl_sim *sim, struct sim_random *random,
		      struct sim_body *body, u32 block)
{
	const struct vsl_sim_tear *tear = &sim->config.tear;

	if (tear->pair_blocks && block >= tear->pair_blocks &&
	    sim_chance(random, tear->pair_permille))
		sim_body_set_kind(sim, body, block - tear->pair_blocks,
				  SIM_LOST, 0);
}

void sim_tear_program(struct vsl_sim *sim, struct sim_random *random,
		      const struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	struct sim_body *body = sim_body_own(sim, eu);
	bool is_front = sim_chance(random, 500) && !sim->config.tear.no_front;
	u32 odd = sim_below(random, op->nr + 1);
	enum outcome out;
	u32 i;

	if (!body)
		return;
	sim_mark_odd(sim, eu, true);
	for (i = 0; i < op->nr; i++) {
		if (is_front && i != odd)
			out = i < odd ? OUT_NEW : OUT_OLD;
		else
			out = draw_program(sim, random);
		tear_block(sim, random, op, i, out);
		if (out != OUT_OLD && out != OUT_NEW)
			tear_pair(sim, random, body, op->off + i);
	}
}

/* ---- one erase unit ------------------------------------------------------ */

/* Where firmware finds the end of [@from, @to) after the cut. */
static u32 find_end(const struct vsl_sim *sim, const struct sim_eu *eu,
		    u32 from, u32 to)
{
	u32 ws_min = sim->config.ws_min;

	while (to > from && (!eu->body || eu->body->kind[to - 1] == SIM_NONE))
		to--;
	return DIV_ROUND_UP(to, ws_min) * ws_min;
}

static void settle_torn(struct vsl_sim *sim, struct sim_eu *eu, u32 done)
{
	u8 state = VSL_EU_OPEN;
	unsigned long flags;

	if (done == sim->config.eu_blocks)
		state = VSL_EU_FULL;
	else if (!done)
		state = VSL_EU_EMPTY;
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	eu->flags |= SIM_EU_FLAKY;
	eu->durable = done;
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	sim_rules_settle(sim, eu, done, state);
}

static void cut_program(struct vsl_sim *sim, const struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	u32 end;

	if (eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY)
		return;
	sim->stats.torn_ops++;
	sim_tear_program(sim, &sim->tear, op);
	end = op->off + op->nr;
	if (!sim_is_flat(sim) && sim_chance(&sim->tear, 500))
		end = find_end(sim, eu, eu->done, end);
	settle_torn(sim, eu, end);
}

static void cut_erase(struct vsl_sim *sim, const struct vsl_op *op)
{
	const struct vsl_sim_tear *tear = &sim->config.tear;
	u32 weights[3] = {
		tear->erase_old, tear->erase_done, tear->erase_random
	};
	struct sim_eu *eu = sim_op_eu(sim, op);
	u32 out = draw(&sim->tear, weights, 3);
	struct sim_body *body = NULL;
	u32 block;

	if (eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY)
		return;
	sim->stats.torn_ops++;
	eu->erases++;
	eu->flags |= SIM_EU_FLAKY;
	if (sim_is_flat(sim)) {
		if (out)
			sim_flat_erase(sim, &sim->tear, eu,
				       out == 1 ? 1000 : 500);
		settle_torn(sim, eu, sim->config.eu_blocks);
		sim_mark_odd(sim, eu, true);
		return;
	}
	if (out == 1) {
		sim_store_drop(sim, eu);
		settle_torn(sim, eu, 0);
	}
	if (out != 2)
		return;
	if (eu->body)
		body = sim_body_own(sim, eu);
	for (block = 0; body && block < eu->done; block++) {
		if (!sim_chance(&sim->tear, 500) || !sim_spare_get(sim)) {
			sim_body_set_kind(sim, body, block, SIM_LOST, 0);
			continue;
		}
		sim_noise(&sim->tear, sim->spare, VSL_BLOCK_BYTES);
		sim_body_set_spare(sim, body, block);
		sim_noise(&sim->tear, sim_body_oob(sim, body, block),
			  sim->config.oob_bytes);
	}
	sim_mark_odd(sim, eu, true);
}

/* ---- the volatile cache -------------------------------------------------- */

/* Forget a part of what @eu holds beyond its durable line. */
static bool forget_some(struct vsl_sim *sim, struct sim_eu *eu,
			u32 lost_permille)
{
	bool in_order = sim->config.flags & VSL_SIM_IN_ORDER;
	u32 step = sim->config.ws_min, block, i;
	bool is_lost = false, any = false;

	for (block = eu->durable; block < eu->done; block += step) {
		is_lost = (in_order && is_lost) ||
			  sim_chance(&sim->tear, lost_permille);
		if (!is_lost)
			continue;
		any = true;
		sim->stats.forgotten_ops++;
		for (i = 0; i < step && block + i < eu->done; i++)
			sim_body_set_kind(sim, eu->body, block + i, SIM_NONE,
					  0);
	}
	return any;
}

static void cut_cache(struct vsl_sim *sim)
{
	/* Often all, often nothing, else anything between. */
	u32 lost_permille = min(sim_below(&sim->tear, 2000), 1000u);
	struct sim_body *body, *ahead;
	struct sim_eu *eu;

	if (sim_chance(&sim->tear, 250))
		lost_permille = 0;
	if (sim_is_flat(sim)) {
		sim_flat_cut(sim, lost_permille);
		return;
	}
	list_for_each_entry_safe(body, ahead, &sim->dirty, dirty) {
		list_del_init(&body->dirty);
		eu = &sim->eus[body->index];
		if (!forget_some(sim, eu, lost_permille)) {
			eu->durable = eu->done;
			continue;
		}
		sim_mark_odd(sim, eu, true);
		if (eu->state == VSL_EU_RDONLY || sim_chance(&sim->tear, 500))
			eu->durable = eu->done;
		else
			settle_torn(sim, eu, find_end(sim, eu, eu->durable,
						      eu->done));
	}
	sim->dirty_blocks = 0;
}

static void keep_cache(struct vsl_sim *sim)
{
	struct sim_body *body, *ahead;

	list_for_each_entry_safe(body, ahead, &sim->dirty, dirty) {
		if (sim_is_flat(sim))
			sim_flat_keep(sim, body);
		list_del_init(&body->dirty);
		sim->eus[body->index].durable = sim->eus[body->index].done;
	}
	sim->dirty_blocks = 0;
}

static bool is_forgetful(struct vsl_sim *sim)
{
	if (sim->config.flags & VSL_SIM_VOLATILE)
		return true;
	if (!(sim->config.flags & VSL_SIM_PLP))
		return false;
	return sim_fault_take(sim, SIM_FAULT_PLP_FAIL) ||
	       sim_chance(&sim->tear, sim->config.tear.plp_fail_permille);
}

/* ---- the cut ------------------------------------------------------------- */

static void collect(struct vsl_sim *sim, struct list_head *ops)
{
	unsigned long flags;
	u32 i;

	INIT_LIST_HEAD(ops);
	if (sim->clock)
		sim_clock_stop(sim, ops);
	list_splice_tail_init(&sim->ready, ops);
	sim->nr_ready = 0;
	list_splice_tail_init(&sim->delayed, ops);
	list_splice_tail_init(&sim->stuck, ops);
	list_splice_tail_init(&sim->flushes, ops);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	WRITE_ONCE(sim->has_power, false);
	list_splice_tail_init(&sim->inbox, ops);
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	/* Reads inside submit() that saw power are through after this. */
	for (i = 1; i <= VSL_SIM_LOCKS; i++) {
		flags = sim_lock(sim, i);
		sim_unlock(sim, i, flags);
	}
	for (i = 0; i < sim->nr_eus; i++)
		sim->eus[i].flags &= (u8)~SIM_EU_ACTIVE;
	sim->nr_open = 0;
}

/* Serialised. */
void sim_cut(struct vsl_sim *sim)
{
	struct vsl_media *media = &sim->media;
	struct vsl_op *op, *ahead;
	struct list_head ops;

	sim->cut_now = false;
	if (!sim->has_power)
		return;
	collect(sim, &ops);
	sim->stats.cuts++;
	sim->changes++;
	if (is_forgetful(sim))
		cut_cache(sim);
	else
		keep_cache(sim);
	list_for_each_entry(op, &ops, link) {
		if (op->media_priv[SIM_PRIV_STAGE] == SIM_STAGE_DONE)
			continue;
		if (op->kind == VSL_OP_PROGRAM)
			cut_program(sim, op);
		else if (op->kind == VSL_OP_ERASE)
			cut_erase(sim, op);
	}
	list_for_each_entry_safe(op, ahead, &ops, link) {
		list_del(&op->link);
		sim_end(sim, op, VSL_RES_GONE);
	}
	if (media->event)
		media->event(media->event_ctx, VSL_EVENT_GONE, 0, 0);
}

void vsl_sim_cut(struct vsl_sim *sim)
{
	sim_serialize(sim);
	sim_cut(sim);
	sim_deserialize(sim);
}

int vsl_sim_power_on(struct vsl_sim *sim)
{
	unsigned long flags;
	int error = 0;

	sim_serialize(sim);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	if (sim->has_power)
		error = -EALREADY;
	WRITE_ONCE(sim->has_power, true);
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	sim_deserialize(sim);
	return error;
}
