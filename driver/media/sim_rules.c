// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_rules.c - what a caller may ask of flash.
 *
 * Every operation is looked at when it is submitted, with what was under way at
 * that very moment, so that an order that happens to work is caught as well.
 * The rules are those of media.h:
 *
 *   M1  programs in order from block 0, multiples of ws_min, one at a time in
 *       an erase unit, none in a full one; nothing beside an erase;
 *   M3  reading too early is no broken rule: such blocks end UNWRITTEN;
 *   and  places and lengths that exist, memory for all of the data, at most
 *       max_open erase units open, FINISH only where the card knows it.
 *
 * A broken rule is a bug above.  It ends with VSL_RES_INVALID and nothing done,
 * is counted and put in words; with VSL_SIM_FATAL it stops the test.
 *
 * An erase unit that is dead, or can only be read, is not the caller's fault:
 * what asks for more of it ends with VSL_RES_EU_DEAD.
 */
#include "sim_int.h"

/* ---- words --------------------------------------------------------------- */

struct text {
	char *at;
	char *end;
};

static void text_add(struct text *text, const char *word)
{
	while (*word && text->at < text->end)
		*text->at++ = *word++;
	*text->at = 0;
}

static void text_number(struct text *text, u32 number)
{
	char digits[12];
	u32 i = sizeof(digits) - 1;

	digits[i] = 0;
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	text_add(text, digits + i);
}

static const char *kind_name(u8 kind)
{
	static const char * const names[] = {
		"read", "program", "erase", "finish", "flush",
	};

	return kind < ARRAY_SIZE(names) ? names[kind] : "operation";
}

/* Count a broken rule.  Takes the card lock: none may be held. */
static void violation(struct vsl_sim *sim, const struct vsl_op *op,
		      const char *what, u32 number)
{
	char *buf = sim->stats.last_violation;
	struct text text = {
		buf, buf + sizeof(sim->stats.last_violation) - 1
	};
	unsigned long flags = sim_lock(sim, VSL_SIM_LOCK_CARD);

	text_add(&text, kind_name(op->kind));
	text_add(&text, " of unit ");
	text_number(&text, op->unit);
	text_add(&text, " eu ");
	text_number(&text, op->eu);
	text_add(&text, " off ");
	text_number(&text, op->off);
	text_add(&text, " nr ");
	text_number(&text, op->nr);
	text_add(&text, ": ");
	text_add(&text, what);
	text_add(&text, " ");
	text_number(&text, number);
	sim->stats.violations++;
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	if (sim->env.violation)
		sim->env.violation(sim->env.ctx, buf);
	VSL_ASSERT(!(sim->config.flags & VSL_SIM_FATAL));
}

/* ---- rules --------------------------------------------------------------- */

/* A rule says what is wrong, and gives the number that goes with it. */
#define BROKEN(text, value)	(*number = (value), (text))

static bool has_memory(const struct vsl_op *op)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < op->nr_vecs; i++)
		bytes += op->vec[i].bytes;
	return bytes >= op->skip_bytes + (u64)op->nr * VSL_BLOCK_BYTES;
}

/* Rules that need no lock: the shape of @op. */
static const char *check_shape(const struct vsl_sim *sim,
			       const struct vsl_op *op, u32 *number)
{
	const struct vsl_sim_config *config = &sim->config;

	if (op->kind > VSL_OP_FLUSH)
		return BROKEN("unknown kind", op->kind);
	if (op->kind == VSL_OP_FLUSH)
		return NULL;
	if (op->unit >= config->units)
		return BROKEN("units there are:", config->units);
	if (op->eu >= config->eus)
		return BROKEN("erase units there are:", config->eus);
	if (op->kind == VSL_OP_ERASE || op->kind == VSL_OP_FINISH)
		return op->off || op->nr ?
		       BROKEN("off and nr must be", 0) : NULL;
	if (!op->nr || op->nr > config->max_blocks)
		return BROKEN("nr must be 1 to", config->max_blocks);
	if (op->off >= config->eu_blocks ||
	    op->nr > config->eu_blocks - op->off)
		return BROKEN("beyond the end at", config->eu_blocks);
	if (!has_memory(op))
		return BROKEN("memory is too short, pieces:", op->nr_vecs);
	if (op->kind == VSL_OP_PROGRAM && op->nr % config->ws_min)
		return BROKEN("nr must be a multiple of", config->ws_min);
	return NULL;
}

/* True when a read may be served at once as far as its shape goes. */
bool sim_rules_is_plain_read(const struct vsl_sim *sim,
			     const struct vsl_op *op)
{
	u32 number;

	return !check_shape(sim, op, &number);
}

static bool is_gone_for_programs(const struct sim_eu *eu)
{
	return eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY;
}

/* Card lock held. */
static const char *check_program(struct vsl_sim *sim, const struct vsl_op *op,
				 struct sim_eu *eu, u32 *number)
{
	u32 limit = sim->config.max_open;

	if (eu->flags & SIM_EU_PROGRAMMING)
		return BROKEN("another program is under way, to", eu->wp);
	if (eu->flags & (SIM_EU_ERASING | SIM_EU_FINISHING))
		return BROKEN("an erase or finish is under way, at", eu->wp);
	if (is_gone_for_programs(eu))
		return NULL;
	if (eu->state == VSL_EU_FULL)
		return BROKEN("the erase unit is full at", eu->wp);
	if (op->off != eu->wp)
		return BROKEN("the next block to program is", eu->wp);
	if (!(eu->flags & SIM_EU_ACTIVE) && limit && sim->nr_open >= limit)
		return BROKEN("open already:", sim->nr_open);
	return NULL;
}

static void take_program(struct vsl_sim *sim, const struct vsl_op *op,
			 struct sim_eu *eu)
{
	eu->flags |= SIM_EU_PROGRAMMING;
	if (is_gone_for_programs(eu))
		return;
	if (!(eu->flags & SIM_EU_ACTIVE))
		sim->nr_open++;
	eu->flags |= SIM_EU_ACTIVE;
	WRITE_ONCE(eu->state, VSL_EU_OPEN);
	eu->wp = op->off + op->nr;
}

/* Card lock held. */
static const char *check_other(struct vsl_sim *sim, const struct vsl_op *op,
			       struct sim_eu *eu, u32 *number)
{
	if (eu->flags & SIM_EU_PROGRAMMING)
		return BROKEN("a program is under way, to", eu->wp);
	if (eu->flags & (SIM_EU_ERASING | SIM_EU_FINISHING))
		return BROKEN("an erase or finish is under way, at", eu->wp);
	if (op->kind == VSL_OP_FINISH && !(sim->config.flags & VSL_SIM_FINISH))
		return BROKEN("the card does not know it; flags", 0);
	return NULL;
}

/*
 * Let @op in: true when it is under way from now on.  Otherwise *@result says
 * how it ended.
 */
bool sim_rules_take(struct vsl_sim *sim, struct vsl_op *op,
		    enum vsl_result *result)
{
	struct sim_eu *eu;
	const char *broken;
	unsigned long flags;
	u32 number = 0;
	bool has_power;

	broken = check_shape(sim, op, &number);
	if (broken) {
		violation(sim, op, broken, number);
		*result = VSL_RES_INVALID;
		return false;
	}
	eu = op->kind == VSL_OP_FLUSH ? NULL : sim_op_eu(sim, op);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	has_power = sim->has_power;
	if (!has_power)
		goto out_unlock;
	if (op->kind == VSL_OP_READ)
		op->media_priv[SIM_PRIV_READABLE] = READ_ONCE(eu->readable);
	else if (op->kind == VSL_OP_PROGRAM)
		broken = check_program(sim, op, eu, &number);
	else if (eu)
		broken = check_other(sim, op, eu, &number);
	if (broken)
		goto out_unlock;
	if (op->kind == VSL_OP_PROGRAM)
		take_program(sim, op, eu);
	else if (op->kind == VSL_OP_ERASE)
		eu->flags |= SIM_EU_ERASING;
	else if (op->kind == VSL_OP_FINISH)
		eu->flags |= SIM_EU_FINISHING;
	WRITE_ONCE(sim->pending, sim->pending + 1);
	if (!(sim->config.flags & VSL_SIM_INLINE))
		list_add_tail(&op->link, &sim->inbox);
out_unlock:
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	if (broken)
		violation(sim, op, broken, number);
	*result = has_power ? VSL_RES_INVALID : VSL_RES_GONE;
	return has_power && !broken;
}

/* @op is under way no more. */
void sim_rules_release(struct vsl_sim *sim, struct vsl_op *op)
{
	unsigned long flags = sim_lock(sim, VSL_SIM_LOCK_CARD);

	if (op->kind != VSL_OP_FLUSH)
		VSL_ASSERT(op->unit < sim->config.units);
	if (op->kind == VSL_OP_PROGRAM)
		sim_op_eu(sim, op)->flags &= (u8)~SIM_EU_PROGRAMMING;
	else if (op->kind == VSL_OP_ERASE)
		sim_op_eu(sim, op)->flags &= (u8)~SIM_EU_ERASING;
	else if (op->kind == VSL_OP_FINISH)
		sim_op_eu(sim, op)->flags &= (u8)~SIM_EU_FINISHING;
	VSL_ASSERT(sim->pending > 0);
	WRITE_ONCE(sim->pending, sim->pending - 1);
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
}

/* What may be read of an erase unit in @state programmed up to @done. */
static u32 readable(const struct vsl_sim *sim, u32 done, u8 state)
{
	if (state == VSL_EU_FULL || state == VSL_EU_RDONLY)
		return done;
	return done > sim->config.hole ? done - sim->config.hole : 0;
}

/* From now on @eu is programmed up to @done and in @state. */
void sim_rules_settle(struct vsl_sim *sim, struct sim_eu *eu, u32 done,
		      u8 state)
{
	u32 lock = sim_eu_lock(sim, eu);
	unsigned long flags = sim_lock(sim, VSL_SIM_LOCK_CARD);

	if ((eu->flags & SIM_EU_ACTIVE) && state != VSL_EU_OPEN) {
		eu->flags &= (u8)~SIM_EU_ACTIVE;
		sim->nr_open--;
	}
	WRITE_ONCE(eu->state, state);
	eu->done = done;
	eu->wp = done;
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	flags = sim_lock(sim, lock);
	WRITE_ONCE(eu->readable, readable(sim, done, state));
	sim_unlock(sim, lock, flags);
	sim->changes++;
}
