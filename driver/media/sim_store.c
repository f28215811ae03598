// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_store.c - the contents of the simulated card.
 *
 * An erase unit that holds anything has a body: one allocation with a kind, a
 * value and a weakness for each of its blocks, and their spare bytes.  A block
 * that is one 8-byte pattern over and over is kept as that pattern; any other
 * has 4 KiB of its own.  So a card of any size costs what was written to it,
 * and a card filled with zeros costs next to nothing.
 *
 * A body may be shared by the cards of a family (vsl_sim_clone(), user space
 * only); whoever changes it makes itself a copy first.
 *
 * The store knows no rules, faults or states.
 */
#include "sim_int.h"

/* ---- memory of an operation --------------------------------------------- */

void sim_cursor_skip(struct sim_cursor *cursor, u32 bytes)
{
	u32 step;

	while (bytes && cursor->left) {
		step = min(bytes, cursor->vec->bytes - cursor->at);
		cursor->at += step;
		bytes -= step;
		if (cursor->at == cursor->vec->bytes) {
			cursor->vec++;
			cursor->left--;
			cursor->at = 0;
		}
	}
}

void sim_cursor_init(struct sim_cursor *cursor, const struct vsl_op *op)
{
	cursor->vec = op->vec;
	cursor->left = op->nr_vecs;
	cursor->at = 0;
	sim_cursor_skip(cursor, op->skip_bytes);
}

void sim_cursor_get(struct sim_cursor *cursor, void *buf, u32 bytes)
{
	u32 step;

	while (bytes && cursor->left) {
		step = min(bytes, cursor->vec->bytes - cursor->at);
		memcpy(buf, (u8 *)cursor->vec->base + cursor->at, step);
		buf = (u8 *)buf + step;
		bytes -= step;
		sim_cursor_skip(cursor, step);
	}
}

void sim_cursor_put(struct sim_cursor *cursor, const void *buf, u32 bytes)
{
	u32 step;

	while (bytes && cursor->left) {
		step = min(bytes, cursor->vec->bytes - cursor->at);
		memcpy((u8 *)cursor->vec->base + cursor->at, buf, step);
		buf = (const u8 *)buf + step;
		bytes -= step;
		sim_cursor_skip(cursor, step);
	}
}

void sim_pattern(void *buf, u64 pattern, u32 bytes)
{
	u8 *p = buf;

	for (; bytes >= 8; bytes -= 8, p += 8)
		memcpy(p, &pattern, 8);
}

/* Pieces are multiples of 512 bytes, so the pattern fits them. */
void sim_cursor_fill(struct sim_cursor *cursor, u64 pattern, u32 bytes)
{
	u32 step;

	while (bytes && cursor->left) {
		step = min(bytes, cursor->vec->bytes - cursor->at);
		if (pattern)
			sim_pattern((u8 *)cursor->vec->base + cursor->at,
				    pattern, step);
		else
			memset((u8 *)cursor->vec->base + cursor->at, 0, step);
		bytes -= step;
		sim_cursor_skip(cursor, step);
	}
}

void sim_noise(struct sim_random *random, void *buf, u32 bytes)
{
	u8 *p = buf;
	u64 word;

	for (; bytes >= 8; bytes -= 8, p += 8) {
		word = sim_random(random);
		memcpy(p, &word, 8);
	}
}

/* ---- bodies -------------------------------------------------------------- */

static size_t body_bytes(const struct vsl_sim *sim)
{
	size_t old = sim_is_flat(sim) ? sizeof(u64) + 2 * sizeof(u8) : 0;

	return sizeof(struct sim_body) + (size_t)sim->config.eu_blocks *
		(sizeof(u64) + sizeof(u16) + sizeof(u8) +
		 sim->config.oob_bytes + old);
}

/* Every holder of a body has all of it in its statistics. */
static void account(struct vsl_sim *sim, const struct sim_body *body, bool more)
{
	struct vsl_sim_stats *stats = &sim->stats;
	u64 bytes = body_bytes(sim) + (u64)body->nr_data * VSL_BLOCK_BYTES;
	u64 patterns = 0;
	u32 block;

	for (block = 0; block < sim->config.eu_blocks; block++)
		patterns += body->kind[block] == SIM_PATTERN;
	stats->data_blocks += more ? body->nr_data : -(u64)body->nr_data;
	stats->pattern_blocks += more ? patterns : -patterns;
	stats->memory_bytes += more ? bytes : -bytes;
}

struct sim_body *sim_body_create(struct vsl_sim *sim, u32 index)
{
	size_t nr = sim->config.eu_blocks;
	struct sim_body *body = vsl_port_alloc(body_bytes(sim));

	if (!body)
		return NULL;
	body->refs = 1;
	body->index = index;
	body->born_ns = sim_now(sim);
	INIT_LIST_HEAD(&body->dirty);
	body->value = (u64 *)(body + 1);
	body->old_value = sim_is_flat(sim) ? body->value + nr : NULL;
	body->weak = (u16 *)(body->value + (sim_is_flat(sim) ? 2 : 1) * nr);
	body->kind = (u8 *)(body->weak + nr);
	body->oob = body->kind + nr;
	if (sim_is_flat(sim)) {
		body->old_kind = body->kind + nr;
		body->fresh = body->old_kind + nr;
		body->oob = body->fresh + nr;
	}
	sim->stats.memory_bytes += body_bytes(sim);
	return body;
}

static void *block_of(const struct sim_body *body, u32 block)
{
	return (void *)(size_t)body->value[block];
}

bool sim_is_lent(const struct vsl_sim *sim, const void *data)
{
	return sim->lent && (size_t)data - (size_t)sim->lent < sim->lent_bytes;
}

/* Make @block hold nothing. */
static void forget(struct vsl_sim *sim, struct sim_body *body, u32 block)
{
	if (body->kind[block] == SIM_DATA) {
		if (!sim_is_lent(sim, block_of(body, block)))
			vsl_port_block_free(block_of(body, block));
		body->nr_data--;
		sim->stats.data_blocks--;
		sim->stats.memory_bytes -= VSL_BLOCK_BYTES;
	} else if (body->kind[block] == SIM_PATTERN) {
		sim->stats.pattern_blocks--;
	}
	body->kind[block] = SIM_NONE;
	body->value[block] = 0;
	body->weak[block] = 0;
}

/* ---- what a block of a flat card held before -------------------------------- */

void sim_body_settle(struct vsl_sim *sim, struct sim_body *body, u32 block)
{
	void *data = (void *)(size_t)body->old_value[block];

	if (body->old_kind[block] == SIM_DATA) {
		if (!sim_is_lent(sim, data))
			vsl_port_block_free(data);
		sim->stats.memory_bytes -= VSL_BLOCK_BYTES;
	}
	body->old_kind[block] = SIM_NONE;
	body->old_value[block] = 0;
	body->fresh[block] = SIM_DURABLE;
}

void sim_body_keep(struct vsl_sim *sim, struct sim_body *body, u32 block)
{
	u8 fresh = body->fresh[block];

	sim_body_settle(sim, body, block);
	body->fresh[block] = fresh;
	body->old_kind[block] = body->kind[block];
	body->old_value[block] = body->value[block];
	if (body->kind[block] == SIM_DATA) {
		body->nr_data--;
		sim->stats.data_blocks--;
	} else if (body->kind[block] == SIM_PATTERN) {
		sim->stats.pattern_blocks--;
	}
	body->kind[block] = SIM_NONE;
	body->value[block] = 0;
	body->weak[block] = 0;
}

void sim_body_revert(struct vsl_sim *sim, struct sim_body *body, u32 block)
{
	forget(sim, body, block);
	body->kind[block] = body->old_kind[block];
	body->value[block] = body->old_value[block];
	body->old_kind[block] = SIM_NONE;
	if (body->kind[block] == SIM_DATA) {
		body->nr_data++;
		sim->stats.data_blocks++;
	} else if (body->kind[block] == SIM_PATTERN) {
		sim->stats.pattern_blocks++;
	}
	sim_body_settle(sim, body, block);
}

/* Copy what @from has kept aside.  False: out of memory. */
static bool copy_old(struct vsl_sim *sim, struct sim_body *body,
		     const struct sim_body *from, u32 block)
{
	void *data = (void *)(size_t)from->old_value[block];

	body->fresh[block] = from->fresh[block];
	body->nr_fresh += from->fresh[block] != SIM_DURABLE;
	if (from->old_kind[block] != SIM_DATA) {
		body->old_kind[block] = from->old_kind[block];
		body->old_value[block] = from->old_value[block];
		return true;
	}
	if (!sim_spare_get(sim))
		return false;
	memcpy(sim->spare, data, VSL_BLOCK_BYTES);
	body->old_kind[block] = SIM_DATA;
	body->old_value[block] = (size_t)sim->spare;
	sim->stats.memory_bytes += VSL_BLOCK_BYTES;
	sim->spare = NULL;
	return true;
}

/* ---- holders ----------------------------------------------------------------- */

void sim_body_put(struct vsl_sim *sim, struct sim_body *body)
{
	u32 block;

	if (!body)
		return;
	if (--body->refs) {
		account(sim, body, false);
		return;
	}
	for (block = 0; block < sim->config.eu_blocks; block++) {
		forget(sim, body, block);
		if (body->fresh)
			sim_body_settle(sim, body, block);
	}
	sim->stats.memory_bytes -= body_bytes(sim);
	vsl_port_free(body);
}

/* @sim holds @body as well. */
struct sim_body *sim_body_share(struct vsl_sim *sim, struct sim_body *body)
{
	body->refs++;
	account(sim, body, true);
	return body;
}

bool sim_spare_get(struct vsl_sim *sim)
{
	if (!sim->spare)
		sim->spare = vsl_port_block_alloc();
	return sim->spare;
}

u8 *sim_body_oob(const struct vsl_sim *sim, const struct sim_body *body,
		 u32 block)
{
	return body->oob + (size_t)block * sim->config.oob_bytes;
}

void sim_body_set_kind(struct vsl_sim *sim, struct sim_body *body, u32 block,
		       enum sim_kind kind, u64 pattern)
{
	VSL_ASSERT(kind != SIM_DATA);
	forget(sim, body, block);
	body->kind[block] = (u8)kind;
	body->value[block] = pattern;
	if (kind == SIM_PATTERN)
		sim->stats.pattern_blocks++;
}

static void set_data(struct vsl_sim *sim, struct sim_body *body, u32 block,
		     const void *data)
{
	forget(sim, body, block);
	body->kind[block] = SIM_DATA;
	body->value[block] = (size_t)data;
	body->nr_data++;
	sim->stats.data_blocks++;
	sim->stats.memory_bytes += VSL_BLOCK_BYTES;
}

bool sim_body_set_spare(struct vsl_sim *sim, struct sim_body *body, u32 block)
{
	u64 pattern;

	memcpy(&pattern, sim->spare, 8);
	if (!memcmp(sim->spare, (u8 *)sim->spare + 8, VSL_BLOCK_BYTES - 8)) {
		sim_body_set_kind(sim, body, block, SIM_PATTERN, pattern);
		return true;
	}
	set_data(sim, body, block, sim->spare);
	sim->spare = NULL;
	return true;
}

void sim_body_set_lent(struct vsl_sim *sim, struct sim_body *body, u32 block,
		       const void *data)
{
	VSL_ASSERT(sim_is_lent(sim, data));
	set_data(sim, body, block, data);
}

bool sim_body_set(struct vsl_sim *sim, struct sim_body *body, u32 block,
		  const void *data)
{
	if (!sim_spare_get(sim))
		return false;
	memcpy(sim->spare, data, VSL_BLOCK_BYTES);
	return sim_body_set_spare(sim, body, block);
}

/* What is in a block of kind PATTERN or DATA. */
void sim_body_get(const struct sim_body *body, u32 block, void *buf)
{
	if (body->kind[block] == SIM_DATA)
		memcpy(buf, block_of(body, block), VSL_BLOCK_BYTES);
	else
		sim_pattern(buf, body->value[block], VSL_BLOCK_BYTES);
}

struct sim_body *sim_body_copy(struct vsl_sim *sim,
			       const struct sim_body *from)
{
	struct sim_body *body = sim_body_create(sim, from->index);
	u32 block;

	if (!body)
		return NULL;
	for (block = 0; block < sim->config.eu_blocks; block++) {
		if (from->kind[block] != SIM_DATA) {
			sim_body_set_kind(sim, body, block, from->kind[block],
					  from->value[block]);
		} else if (!sim_body_set(sim, body, block,
					 block_of(from, block))) {
			sim_body_put(sim, body);
			return NULL;
		}
		body->weak[block] = from->weak[block];
		if (body->fresh && !copy_old(sim, body, from, block)) {
			sim_body_put(sim, body);
			return NULL;
		}
	}
	memcpy(body->oob, from->oob,
	       (size_t)sim->config.eu_blocks * sim->config.oob_bytes);
	body->mark = from->mark;
	body->born_ns = from->born_ns;
	return body;
}

/* ---- bodies and erase units ---------------------------------------------- */

static void publish(struct vsl_sim *sim, struct sim_eu *eu,
		    struct sim_body *body)
{
	u32 lock = sim_eu_lock(sim, eu);
	unsigned long flags = sim_lock(sim, lock);

	eu->body = body;
	sim_unlock(sim, lock, flags);
}

struct sim_body *sim_body_own(struct vsl_sim *sim, struct sim_eu *eu)
{
	struct sim_body *old = eu->body;
	struct sim_body *body;

	if (old && old->refs == 1)
		return old;
	if (old)
		body = sim_body_copy(sim, old);
	else
		body = sim_body_create(sim, (u32)(eu - sim->eus));
	if (!body)
		return NULL;
	publish(sim, eu, body);
	sim_body_put(sim, old);
	return body;
}

/* The erase unit holds nothing any more, and nothing of it can be read. */
void sim_store_drop(struct vsl_sim *sim, struct sim_eu *eu)
{
	u32 lock = sim_eu_lock(sim, eu);
	struct sim_body *body = eu->body;
	unsigned long flags = sim_lock(sim, lock);

	eu->body = NULL;
	eu->readable = 0;
	eu->marks = 0;
	sim_unlock(sim, lock, flags);
	sim_body_put(sim, body);
}

void sim_mark_odd(struct vsl_sim *sim, struct sim_eu *eu, bool is_odd)
{
	u32 lock = sim_eu_lock(sim, eu);
	unsigned long flags = sim_lock(sim, lock);

	eu->marks = is_odd ? SIM_MARK_ODD : 0;
	sim_unlock(sim, lock, flags);
}
