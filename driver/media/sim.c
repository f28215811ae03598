// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim.c - the simulated card: its life, and the life of an operation on it.
 *
 * An operation goes through these hands:
 *
 *	submit()	the rules are checked (sim_rules.c); a broken one, or no
 *			power, ends it here
 *	inbox		until vsl_sim_run() comes
 *	ready		untimed cards: it may end now
 *	clockwork	timed cards (sim_time.c): it ends when its time has come
 *	sim_finish()	faults that hold it up: "slow", "stuck", "power-cut"
 *	sim_effect()	what it does (sim_effect.c)
 *	sim_end()	it is under way no more; its owner hears of it
 *
 * A power cut takes it from any of the lists and tears it (sim_cut.c).
 *
 * Invariants:
 *   I1  Every operation that sim_rules_take() let in is counted in pending and
 *       is in exactly one place: a list, the clockwork, sim->flush or with
 *       sim_finish().
 *   I2  sim_end() is called once for each, and pending falls there only.
 *   I3  Nothing but sim_rules_take() touches the lists outside serialised
 *       context, and it touches the inbox only.
 */
#include "sim_int.h"

/* Operations that an untimed card ends in one vsl_sim_run(). */
#define RUN_OPS		256u

/* ---- doors --------------------------------------------------------------- */

void sim_serialize(struct vsl_sim *sim)
{
	if (sim->env.serialize)
		sim->env.serialize(sim->env.ctx);
}

void sim_deserialize(struct vsl_sim *sim)
{
	if (sim->env.deserialize)
		sim->env.deserialize(sim->env.ctx);
}

void sim_wake(struct vsl_sim *sim, u64 at_ns)
{
	if (sim->env.wake)
		sim->env.wake(sim->env.ctx, at_ns);
}

static struct vsl_sim *to_sim(struct vsl_media *media)
{
	return container_of(media, struct vsl_sim, media);
}

/* ---- the end of an operation --------------------------------------------- */

static void start(struct vsl_sim *sim, struct vsl_op *op);

void sim_end(struct vsl_sim *sim, struct vsl_op *op, enum vsl_result result)
{
	struct vsl_op *next = NULL;

	sim_rules_release(sim, op);
	if (op == sim->flush) {
		sim->flush = NULL;
		next = list_first_entry_or_null(&sim->flushes, struct vsl_op,
						link);
	}
	if (next && sim->has_power) {
		list_del(&next->link);
		start(sim, next);
	}
	op->result = (u8)result;
	op->end(op);
}

/* True when a fault keeps @op from ending now; it is in some list then. */
static bool is_held(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_hit hit;

	if (!sim->nr_faults || op->media_priv[SIM_PRIV_STAGE] != SIM_STAGE_NEW)
		return false;
	if (sim_fault_fires(sim, SIM_FAULT_POWER_CUT, op, &hit)) {
		sim->cut_now = true;
		list_add_tail(&op->link, &sim->delayed);
		op->media_priv[SIM_PRIV_DUE] = ~0ull;
		return true;
	}
	op->media_priv[SIM_PRIV_STAGE] = SIM_STAGE_HELD;
	if (sim_fault_fires(sim, SIM_FAULT_STUCK, op, &hit)) {
		list_add_tail(&op->link, &sim->stuck);
		return true;
	}
	if (sim_fault_fires(sim, SIM_FAULT_SLOW, op, &hit)) {
		op->media_priv[SIM_PRIV_DUE] = sim_now(sim) + hit.value;
		list_add_tail(&op->link, &sim->delayed);
		return true;
	}
	return false;
}

static void raise_events(struct vsl_sim *sim, const struct vsl_op *op)
{
	struct vsl_media *media = &sim->media;
	struct sim_hit hit;

	if (sim_fault_fires(sim, SIM_FAULT_REFRESH_EVENT, op, &hit) &&
	    media->event)
		media->event(media->event_ctx, VSL_EVENT_REFRESH, op->unit,
			     op->eu);
	if (sim_fault_fires(sim, SIM_FAULT_HEALTH_EVENT, op, &hit) &&
	    media->event)
		media->event(media->event_ctx, VSL_EVENT_HEALTH, 0, 0);
}

void sim_finish(struct vsl_sim *sim, struct vsl_op *op)
{
	enum vsl_result result;
	struct sim_hit hit;

	if (is_held(sim, op))
		return;
	if (op->media_priv[SIM_PRIV_STAGE] == SIM_STAGE_DONE) {
		sim_end(sim, op, op->result);
		return;
	}
	result = sim_effect(sim, op);
	if (sim->nr_faults) {
		raise_events(sim, op);
		if (sim_fault_fires(sim, SIM_FAULT_LOSE_END, op, &hit)) {
			op->media_priv[SIM_PRIV_STAGE] = SIM_STAGE_DONE;
			op->result = (u8)result;
			list_add_tail(&op->link, &sim->stuck);
			return;
		}
	}
	sim_end(sim, op, result);
}

/* ---- running ------------------------------------------------------------- */

/* @op comes from the inbox: it is under way. */
static void start(struct vsl_sim *sim, struct vsl_op *op)
{
	if (op->kind == VSL_OP_FLUSH) {
		if (sim->flush) {
			list_add_tail(&op->link, &sim->flushes);
			return;
		}
		sim->flush = op;
		sim_cache_mark(sim);
	}
	if (sim->clock) {
		sim_clock_start(sim, op);
		return;
	}
	list_add_tail(&op->link, &sim->ready);
	sim->nr_ready++;
}

static void start_all(struct vsl_sim *sim)
{
	struct vsl_op *op, *ahead;
	struct list_head fresh;
	unsigned long flags;

	INIT_LIST_HEAD(&fresh);
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	list_splice_tail_init(&sim->inbox, &fresh);
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	list_for_each_entry_safe(op, ahead, &fresh, link) {
		list_del(&op->link);
		start(sim, op);
	}
}

/* Which of the ready ones ends next: the first, or any in the window. */
static struct vsl_op *choose_ready(struct vsl_sim *sim)
{
	u32 window = sim->config.window;
	struct vsl_op *op;
	u32 skip = 0;

	if (!window || window > sim->nr_ready)
		window = sim->nr_ready;
	if (sim->config.flags & VSL_SIM_SHUFFLE)
		skip = sim_below(&sim->order, window);
	op = list_first_entry(&sim->ready, struct vsl_op, link);
	while (skip--)
		op = list_next_entry(op, link);
	list_del(&op->link);
	sim->nr_ready--;
	return op;
}

static void finish_ready(struct vsl_sim *sim)
{
	u32 left = sim->config.flags & VSL_SIM_SHUFFLE ? 1 : RUN_OPS;

	while (left-- && sim->nr_ready && !sim->cut_now)
		sim_finish(sim, choose_ready(sim));
}

/* End what "slow" has held long enough; the next such time goes to *@next. */
static void finish_delayed(struct vsl_sim *sim, u64 *next)
{
	u64 now = sim_now(sim);
	struct vsl_op *op, *ahead;
	struct list_head due;

	INIT_LIST_HEAD(&due);
	list_for_each_entry_safe(op, ahead, &sim->delayed, link) {
		if (op->media_priv[SIM_PRIV_DUE] <= now)
			list_move_tail(&op->link, &due);
		else
			*next = min(*next, op->media_priv[SIM_PRIV_DUE]);
	}
	list_for_each_entry_safe(op, ahead, &due, link) {
		list_del(&op->link);
		sim_finish(sim, op);
	}
}

void vsl_sim_run(struct vsl_sim *sim)
{
	u64 next = ~0ull, at;
	bool again;

	sim_serialize(sim);
	start_all(sim);
	if (sim->clock)
		sim_clock_run(sim, sim_now(sim));
	else
		finish_ready(sim);
	finish_delayed(sim, &next);
	if (sim->cut_now)
		sim_cut(sim);
	again = sim->nr_ready;
	/* What goes on behind the host's back can wait until it asks. */
	if (sim->clock && !sim_is_idle(sim) && sim_clock_next(sim, &at))
		next = min(next, at);
	sim_deserialize(sim);
	if (again)
		sim_wake(sim, 0);
	else if (next != ~0ull)
		sim_wake(sim, next);
}

static void submit_inline(struct vsl_sim *sim, struct vsl_op *op)
{
	if (op->kind == VSL_OP_FLUSH)
		sim_cache_mark(sim);
	sim_finish(sim, op);
	if (sim->cut_now)
		sim_cut(sim);
	else if (!list_empty(&sim->delayed))
		sim_wake(sim, 0);
}

static void submit(struct vsl_media *media, struct vsl_op *op)
{
	struct vsl_sim *sim = to_sim(media);
	enum vsl_result result;

	op->media_priv[SIM_PRIV_STAGE] = SIM_STAGE_NEW;
	op->media_priv[SIM_PRIV_START] = sim->clock ? sim_now(sim) : 0;
	if (op->kind == VSL_OP_READ && sim->reads_inline &&
	    !READ_ONCE(sim->nr_faults) && READ_ONCE(sim->has_power) &&
	    sim_rules_is_plain_read(sim, op) &&
	    sim_effect_read_inline(sim, op)) {
		op->result = VSL_RES_OK;
		op->end(op);
	} else if (!sim_rules_take(sim, op, &result)) {
		op->result = (u8)result;
		op->end(op);
	} else if (sim->config.flags & VSL_SIM_INLINE) {
		submit_inline(sim, op);
	} else {
		sim_wake(sim, 0);
	}
}

/* ---- report -------------------------------------------------------------- */

static u8 wear_of(const struct vsl_sim *sim, const struct sim_eu *eu)
{
	u32 rated = sim->config.erase_cycles;

	if (!rated)
		return 0;
	if (eu->erases >= rated)
		return 255;
	return (u8)((u64)eu->erases * 255 / rated);
}

static int report(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
		  struct vsl_eu_report *out)
{
	struct vsl_sim *sim = to_sim(media);
	struct sim_eu *from;
	unsigned long flags;
	int error = 0;
	u32 i;

	if (unit >= sim->config.units || eu > sim->config.eus ||
	    nr > sim->config.eus - eu)
		return -EINVAL;
	if (!(sim->config.flags & VSL_SIM_REPORTS))
		return sim->has_power ? -EOPNOTSUPP : -ENODEV;
	flags = sim_lock(sim, VSL_SIM_LOCK_CARD);
	if (!sim->has_power)
		error = -ENODEV;
	for (i = 0; i < nr && !error; i++) {
		from = sim_eu(sim, unit, eu + i);
		out[i].state = from->state;
		out[i].wear = wear_of(sim, from);
		out[i].wp = from->done;
	}
	sim_unlock(sim, VSL_SIM_LOCK_CARD, flags);
	return error;
}

const struct vsl_media_ops sim_media_ops = {
	.submit = submit,
	.report = report,
};
