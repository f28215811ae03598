// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_effect.c - what an operation does to the simulated card.
 *
 * An operation takes effect when it ends, not when it is submitted: only then
 * does the data of a program exist, and only then is the memory of a read
 * filled.  Until then a power cut finds it under way (sim_cut.c).
 *
 * Planted faults are looked at here, in one place for each kind, so that what
 * an operation meets can be read from top to bottom.
 *
 * Memory of blocks that could not be read is filled with SIM_JUNK: who looks at
 * it sees nonsense, not the data that happened to be there.
 */
#include "sim_int.h"

#define SIM_JUNK	0xdeadfa11deadfa11ull

/* ---- read ---------------------------------------------------------------- */

/* What a read meets besides the block itself. */
struct read_faults {
	struct sim_hit lost;
	struct sim_hit transient;
	struct sim_hit corrupt;
	struct sim_hit misread;
	struct sim_hit disturb;
	struct sim_hit retention;
	bool has_lost;
	bool has_transient;
	bool has_corrupt;
	bool has_misread;
	bool has_refresh;
	bool is_unit_dead;
};

static void read_faults_find(struct vsl_sim *sim, const struct vsl_op *op,
			     struct read_faults *f)
{
	struct sim_hit hit;

	memset(f, 0, sizeof(*f));
	if (!sim->nr_faults)
		return;
	f->is_unit_dead = sim_fault_fires(sim, SIM_FAULT_UNIT_DEAD, op, &hit);
	f->has_lost = sim_fault_fires(sim, SIM_FAULT_READ_LOST, op, &f->lost);
	f->has_transient = sim_fault_fires(sim, SIM_FAULT_READ_TRANSIENT, op,
					   &f->transient);
	f->has_corrupt = sim_fault_fires(sim, SIM_FAULT_CORRUPT, op,
					 &f->corrupt);
	f->has_misread = sim_fault_fires(sim, SIM_FAULT_MISREAD, op,
					 &f->misread);
	f->has_refresh = sim_fault_fires(sim, SIM_FAULT_REFRESH, op, &hit);
	sim_fault_fires(sim, SIM_FAULT_DISTURB, op, &f->disturb);
	sim_fault_fires(sim, SIM_FAULT_RETENTION, op, &f->retention);
}

static bool hits(bool has, const struct sim_hit *hit, u32 i)
{
	return has && (hit->block == i || hit->value);
}

/* Read disturb and retention: how far @reads or @age are past @limit. */
static enum vsl_result wear_result(u64 amount, u64 limit)
{
	if (!limit || amount < limit)
		return VSL_RES_OK;
	return amount < 2 * limit ? VSL_RES_REFRESH : VSL_RES_LOST;
}

/* What was planted counts, else what the card was made with. */
static enum vsl_result age_result(struct vsl_sim *sim, const struct sim_eu *eu,
				  const struct read_faults *f)
{
	u64 age_ns = eu->body ? sim_now(sim) - eu->body->born_ns : 0;
	u64 reads = f->disturb.value ? f->disturb.value :
				       sim->config.disturb_reads;
	u64 age_ms = f->retention.value ? f->retention.value :
					  sim->config.retention_ms;

	return max(wear_result(eu->reads, reads),
		   wear_result(age_ns, age_ms * 1000000ull));
}

/* A weak block may be read so many times; count this one. */
static bool is_weak_and_gone(struct vsl_sim *sim, struct sim_eu *eu, u32 block)
{
	struct sim_body *body = eu->body;

	if (!body->weak[block])
		return false;
	body = sim_body_own(sim, eu);
	if (!body)
		return true;
	if (--body->weak[block])
		return false;
	sim_body_set_kind(sim, body, block, SIM_LOST, 0);
	sim->changes++;
	return true;
}

static bool is_blank(const struct sim_eu *eu, u32 block)
{
	return !eu->body || eu->body->kind[block] == SIM_NONE;
}

static enum vsl_result block_result(struct vsl_sim *sim,
				    const struct vsl_op *op, u32 i,
				    const struct read_faults *f)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	u32 block = op->off + i;

	if (f->is_unit_dead || READ_ONCE(eu->state) == VSL_EU_DEAD)
		return VSL_RES_LOST;
	if (hits(f->has_transient, &f->transient, i))
		return VSL_RES_TRANSIENT;
	if (!sim_is_flat(sim) &&
	    (block >= op->media_priv[SIM_PRIV_READABLE] ||
	     block >= eu->readable || is_blank(eu, block)))
		return VSL_RES_UNWRITTEN;
	if (is_blank(eu, block))
		return hits(f->has_lost, &f->lost, i) ? VSL_RES_LOST : VSL_RES_OK;
	if (eu->body->kind[block] == SIM_LOST ||
	    hits(f->has_lost, &f->lost, i) || is_weak_and_gone(sim, eu, block))
		return VSL_RES_LOST;
	return f->has_refresh ? VSL_RES_REFRESH : VSL_RES_OK;
}

/* A block of @eu that can be read, chosen by chance; false: none was found. */
static bool any_block(struct vsl_sim *sim, const struct sim_eu *eu, u32 *block)
{
	u32 b;

	if (!eu->body || !eu->done)
		return false;
	b = sim_below(&sim->chance, eu->done);
	if (eu->body->kind[b] != SIM_PATTERN && eu->body->kind[b] != SIM_DATA)
		return false;
	*block = b;
	return true;
}

/* Where what goes astray may land: anywhere in the unit, else close by. */
static void stray(struct vsl_sim *sim, const struct vsl_op *op,
		  struct sim_eu **eu, u32 *block)
{
	struct sim_eu *other;
	u32 try;

	for (try = 0; try < 32; try++) {
		if (try < 16)
			other = sim_eu(sim, op->unit,
				       sim_below(&sim->chance,
						 sim->config.eus));
		else
			other = sim_op_eu(sim, op);
		if (any_block(sim, other, block)) {
			*eu = other;
			return;
		}
	}
}

static void flip(struct vsl_sim *sim, void *buf, u64 how)
{
	u32 bit = sim_below(&sim->chance, VSL_BLOCK_BYTES * 8);

	if (how == 2)
		memset(buf, 0xff, VSL_BLOCK_BYTES);
	else if (how)
		sim_noise(&sim->chance, buf, VSL_BLOCK_BYTES);
	else
		((u8 *)buf)[bit / 8] ^= (u8)(1u << (bit % 8));
}

/* Block @i of @op is readable: hand it out, perhaps not what was asked for. */
static bool read_block(struct vsl_sim *sim, const struct vsl_op *op, u32 i,
		       const struct read_faults *f, struct sim_cursor *cursor)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	u32 oob_bytes = sim->config.oob_bytes;
	u32 block = op->off + i;

	if (hits(f->has_misread, &f->misread, i))
		stray(sim, op, &eu, &block);
	if (is_blank(eu, block)) {
		if (!sim_spare_get(sim))
			return false;
		sim_flat_blank(sim, eu, block, sim->spare);
		sim_cursor_put(cursor, sim->spare, VSL_BLOCK_BYTES);
		return true;
	}
	if (op->oob)
		memcpy((u8 *)op->oob + (size_t)i * oob_bytes,
		       sim_body_oob(sim, eu->body, block), oob_bytes);
	if (hits(f->has_corrupt, &f->corrupt, i)) {
		if (!sim_spare_get(sim))
			return false;
		sim_body_get(eu->body, block, sim->spare);
		flip(sim, sim->spare, f->corrupt.value);
		sim_cursor_put(cursor, sim->spare, VSL_BLOCK_BYTES);
		if (op->oob && f->corrupt.value == 2)
			memset((u8 *)op->oob + (size_t)i * oob_bytes, 0xff,
			       oob_bytes);
	} else if (eu->body->kind[block] == SIM_DATA) {
		sim_cursor_put(cursor,
			       (void *)(size_t)eu->body->value[block],
			       VSL_BLOCK_BYTES);
	} else {
		sim_cursor_fill(cursor, eu->body->value[block],
				VSL_BLOCK_BYTES);
	}
	return true;
}

static enum vsl_result effect_read(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	enum vsl_result worst = VSL_RES_OK, result, age;
	struct sim_cursor cursor;
	struct read_faults f;
	u32 i;

	read_faults_find(sim, op, &f);
	age = age_result(sim, eu, &f);
	if ((sim->config.disturb_reads || f.disturb.value) &&
	    eu->reads < ~0u - op->nr)
		eu->reads += op->nr;
	op->bad = 0;
	sim_cursor_init(&cursor, op);
	for (i = 0; i < op->nr; i++) {
		result = block_result(sim, op, i, &f);
		if (result <= VSL_RES_REFRESH)
			result = max(result, age);
		if (result <= VSL_RES_REFRESH &&
		    !read_block(sim, op, i, &f, &cursor))
			result = VSL_RES_TRANSIENT;
		worst = max(worst, result);
		if (result <= VSL_RES_REFRESH)
			continue;
		sim_cursor_fill(&cursor, SIM_JUNK, VSL_BLOCK_BYTES);
		if (op->oob)
			memset((u8 *)op->oob + (size_t)i * sim->config.oob_bytes,
			       0xff, sim->config.oob_bytes);
		if (i < 64)
			op->bad |= 1ull << i;
	}
	return worst;
}

/*
 * A read that meets nothing out of the ordinary, inside submit(), under the unit
 * lock alone (S3).  False: it has to go the long way.
 */
bool sim_effect_read_inline(struct vsl_sim *sim, struct vsl_op *op)
{
	u32 oob_bytes = op->oob ? sim->config.oob_bytes : 0;
	u32 lock = VSL_SIM_LOCK_UNIT(op->unit);
	struct sim_eu *eu = sim_op_eu(sim, op);
	struct sim_cursor cursor;
	unsigned long flags;
	struct sim_body *body;
	u32 i, block;

	flags = sim_lock(sim, lock);
	body = eu->body;
	if (!READ_ONCE(sim->has_power) || !body || eu->marks ||
	    op->off + op->nr > eu->readable) {
		sim_unlock(sim, lock, flags);
		return false;
	}
	sim_cursor_init(&cursor, op);
	for (i = 0; i < op->nr; i++) {
		block = op->off + i;
		if (body->kind[block] == SIM_DATA)
			sim_cursor_put(&cursor,
				       (void *)(size_t)body->value[block],
				       VSL_BLOCK_BYTES);
		else
			sim_cursor_fill(&cursor, body->value[block],
					VSL_BLOCK_BYTES);
		if (oob_bytes)
			memcpy((u8 *)op->oob + (size_t)i * oob_bytes,
			       sim_body_oob(sim, body, block), oob_bytes);
	}
	sim->lanes[lock - 1].read_ops++;
	sim->lanes[lock - 1].read_blocks += op->nr;
	sim_unlock(sim, lock, flags);
	op->bad = 0;
	return true;
}

/* ---- program ------------------------------------------------------------- */

/* Faults that a program meets and does not know of. */
static void program_silent_faults(struct vsl_sim *sim, const struct vsl_op *op,
				  struct sim_body *body)
{
	struct sim_hit hit;
	struct sim_eu *eu = sim_op_eu(sim, op);
	u32 block = 0;

	if (sim_fault_fires(sim, SIM_FAULT_PROGRAM_LOST, op, &hit)) {
		sim_body_set_kind(sim, body, op->off + hit.block, SIM_LOST, 0);
		sim_mark_odd(sim, sim_op_eu(sim, op), true);
	}
	if (sim_fault_fires(sim, SIM_FAULT_PROGRAM_ROT, op, &hit) &&
	    body->kind[op->off + hit.block] != SIM_LOST && sim_spare_get(sim)) {
		sim_body_get(body, op->off + hit.block, sim->spare);
		flip(sim, sim->spare, hit.value);
		sim_body_set_spare(sim, body, op->off + hit.block);
	}
	if (!sim_fault_fires(sim, SIM_FAULT_PROGRAM_STRAY, op, &hit) ||
	    body->kind[op->off + hit.block] == SIM_LOST)
		return;
	eu = NULL;
	stray(sim, op, &eu, &block);
	/* Its copy of a body that clones share takes the spare block. */
	if (eu && !sim_body_own(sim, eu))
		eu = NULL;
	if (!sim_spare_get(sim))
		return;
	/* The data is on another block, and its own place is as erased. */
	sim_body_get(body, op->off + hit.block, sim->spare);
	sim_body_set_kind(sim, body, op->off + hit.block, SIM_PATTERN, ~0ull);
	if (!eu)
		return;
	sim_mark_odd(sim, eu, true);
	sim_body_set_spare(sim, eu->body, block);
}

/* Put the data of @op where it belongs.  False: out of memory. */
static bool program_store(struct vsl_sim *sim, const struct vsl_op *op,
			  struct sim_body *body)
{
	u32 oob_bytes = sim->config.oob_bytes;
	struct sim_cursor cursor;
	struct sim_hit drop;
	bool has_drop;
	u32 i, block;

	has_drop = sim_fault_fires(sim, SIM_FAULT_PROGRAM_DROP, op, &drop);
	sim_cursor_init(&cursor, op);
	for (i = 0; i < op->nr; i++) {
		block = op->off + i;
		if (hits(has_drop, &drop, i)) {
			sim_cursor_skip(&cursor, VSL_BLOCK_BYTES);
			if (body->kind[block] == SIM_NONE && !sim_is_flat(sim))
				sim_body_set_kind(sim, body, block, SIM_PATTERN,
						  ~0ull);
			continue;
		}
		if (!sim_spare_get(sim))
			return false;
		sim_cursor_get(&cursor, sim->spare, VSL_BLOCK_BYTES);
		if (sim_is_flat(sim))
			sim_flat_change(sim, sim_op_eu(sim, op), block);
		if (!sim_body_set_spare(sim, body, block))
			return false;
		if (op->oob)
			memcpy(sim_body_oob(sim, body, block),
			       (u8 *)op->oob + (size_t)i * oob_bytes, oob_bytes);
		else if (oob_bytes)
			memset(sim_body_oob(sim, body, block), 0xff, oob_bytes);
	}
	return true;
}

/*
 * A program that fails and tells so: what was there can be read, and perhaps
 * something of what was to come, but nothing more fits.
 */
static enum vsl_result program_fail(struct vsl_sim *sim,
				    const struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	bool shows = sim_chance(&sim->chance, 500);

	sim_tear_program(sim, &sim->chance, op);
	sim_rules_settle(sim, eu, shows ? op->off + op->nr : op->off,
			 VSL_EU_RDONLY);
	if (eu->body)
		sim_cache_add(sim, eu);
	return VSL_RES_EU_DEAD;
}

static enum vsl_result effect_program(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	bool is_flaky = (eu->flags & SIM_EU_FLAKY) &&
		sim_chance(&sim->chance, sim->config.tear.flaky_permille);
	struct sim_body *body;
	struct sim_hit hit;

	if (eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY)
		return VSL_RES_EU_DEAD;
	if (sim_fault_fires(sim, SIM_FAULT_PROGRAM_TRANSIENT, op, &hit)) {
		sim_rules_settle(sim, eu, op->off,
				 op->off ? VSL_EU_OPEN : VSL_EU_EMPTY);
		return VSL_RES_TRANSIENT;
	}
	if (sim_fault_fires(sim, SIM_FAULT_PROGRAM_END, op, &hit)) {
		sim_rules_settle(sim, eu, op->off, VSL_EU_FULL);
		return VSL_RES_EU_ENDED;
	}
	if (sim_fault_fires(sim, SIM_FAULT_UNIT_DEAD, op, &hit) ||
	    sim_fault_fires(sim, SIM_FAULT_PROGRAM_FAIL, op, &hit) ||
	    (is_flaky && sim_chance(&sim->chance, 500)))
		return program_fail(sim, op);
	body = sim_body_own(sim, eu);
	if (!body || sim_fault_fires(sim, SIM_FAULT_NO_MEMORY, op, &hit) ||
	    !program_store(sim, op, body))
		return program_fail(sim, op);
	if (sim->nr_faults)
		program_silent_faults(sim, op, body);
	if (is_flaky) {
		sim_body_set_kind(sim, body, op->off, SIM_LOST, 0);
		sim_mark_odd(sim, eu, true);
	}
	sim_rules_settle(sim, eu, op->off + op->nr,
			 op->off + op->nr == sim->config.eu_blocks ?
			 VSL_EU_FULL : VSL_EU_OPEN);
	sim_cache_add(sim, eu);
	return VSL_RES_OK;
}

/* ---- the others ---------------------------------------------------------- */

/* Past its rated cycles an erase unit fails more and more often. */
static bool is_worn_out(struct vsl_sim *sim, const struct sim_eu *eu)
{
	u32 rated = sim->config.erase_cycles;
	u32 permille;

	if (!rated || eu->erases <= rated)
		return false;
	permille = min((eu->erases - rated) / DIV_ROUND_UP(rated, 1000) + 1,
		       1000u);
	return sim_chance(&sim->chance, permille);
}

static enum vsl_result effect_erase(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);
	unsigned long flags;
	struct sim_hit hit;

	if (eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY)
		return VSL_RES_EU_DEAD;
	if (sim_fault_fires(sim, SIM_FAULT_ERASE_TRANSIENT, op, &hit))
		return VSL_RES_TRANSIENT;
	if (!sim_is_flat(sim))
		sim_cache_remove(sim, eu);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	eu->erases++;
	eu->durable = 0;
	eu->reads = 0;
	eu->flags &= (u8)~SIM_EU_FLAKY;
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	if (sim_fault_fires(sim, SIM_FAULT_UNIT_DEAD, op, &hit) ||
	    sim_fault_fires(sim, SIM_FAULT_ERASE_FAIL, op, &hit) ||
	    is_worn_out(sim, eu)) {
		sim_cache_remove(sim, eu);
		sim_store_drop(sim, eu);
		sim_rules_settle(sim, eu, 0, VSL_EU_DEAD);
		sim_mark_odd(sim, eu, true);
		return VSL_RES_EU_DEAD;
	}
	if (!sim_fault_fires(sim, SIM_FAULT_ERASE_DROP, op, &hit)) {
		if (sim_is_flat(sim))
			sim_flat_erase(sim, &sim->chance, eu, 1000);
		else
			sim_store_drop(sim, eu);
	}
	sim_rules_settle(sim, eu, 0, VSL_EU_EMPTY);
	return VSL_RES_OK;
}

static enum vsl_result effect_finish(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_eu *eu = sim_op_eu(sim, op);

	if (eu->state == VSL_EU_DEAD || eu->state == VSL_EU_RDONLY)
		return VSL_RES_EU_DEAD;
	sim_rules_settle(sim, eu, eu->done, VSL_EU_FULL);
	return VSL_RES_OK;
}

static enum vsl_result effect_flush(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_hit hit;

	if (sim_fault_fires(sim, SIM_FAULT_FLUSH_FAIL, op, &hit))
		return VSL_RES_LOST;
	if (sim_fault_fires(sim, SIM_FAULT_FLUSH_TRANSIENT, op, &hit))
		return VSL_RES_TRANSIENT;
	if (!sim_fault_fires(sim, SIM_FAULT_FLUSH_DROP, op, &hit))
		sim_cache_flush(sim);
	return VSL_RES_OK;
}

/* Do what @op asks for.  Serialised. */
enum vsl_result sim_effect(struct vsl_sim *sim, struct vsl_op *op)
{
	switch (op->kind) {
	case VSL_OP_READ:
		sim->stats.read_ops++;
		sim->stats.read_blocks += op->nr;
		return effect_read(sim, op);
	case VSL_OP_PROGRAM:
		sim->stats.program_ops++;
		sim->stats.program_blocks += op->nr;
		return effect_program(sim, op);
	case VSL_OP_ERASE:
		sim->stats.erase_ops++;
		return effect_erase(sim, op);
	case VSL_OP_FINISH:
		return effect_finish(sim, op);
	default:
		sim->stats.flush_ops++;
		return effect_flush(sim, op);
	}
}
