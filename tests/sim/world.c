// SPDX-License-Identifier: GPL-2.0-only
/*
 * world.c - the core and the simulated card in one thread.
 *
 * The world has one clock and one thread, and chance decides what comes next.
 * A "step" is one of
 *
 *	START	an operation that the core put into its outbox is given to the
 *		card, or to a processor (rule C3: in any order, at any time)
 *	MEDIA	the card works: some operation ends there
 *	FEED	the core is told of an operation that had ended
 *	HOST	the workload submits a request
 *	TICK	a tenth of a second passes
 *
 * so that every order the rules allow can come up.  Between two steps lies an
 * event boundary, and before any of them the power can go (world_arm()): before
 * an operation is submitted, while it is under way, and after it ended but
 * before the core knows.  With a timed card the cut also falls inside the time
 * of an operation.
 *
 * Synchronous calls of the core (format, attach, detach) come back here by
 * env->wait(), which takes steps too, without HOST and TICK; so power cuts
 * happen inside recovery in the same way.
 *
 * After a cut the core lives on as a driver whose card has gone: its operations
 * end with VSL_RES_GONE and, once it was told so, its requests must end with
 * -ENODEV (C5); then it is destroyed.  What it acknowledges before it was told
 * counts: the operations behind that had ended in time.
 */
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fail.h"
#include "family.h"

#define TICK_NS		100000000ull
#define QUIET_MAX	20000u	/* steps without an operation's end */
#define BUSY_MAX	300000u	/* steps that lead to nothing */

struct world *the_world;

static const char *const op_names[] = {
	"read", "program", "erase", "finish", "flush", "cpu",
};

static void trace_op(const struct world *w, const char *what,
		     const struct vsl_op *op)
{
	if (!sim_tracing)
		return;
	sim_trace("%6llu %s %s unit %u eu %u block %u+%u result %u", w->events,
		  what, op_names[min_t(u32, op->kind, VSL_OP_CPU)], op->unit,
		  op->eu, op->off, op->nr, op->result);
}

/* ---- operations ---------------------------------------------------------- */

static void world_ended(struct world *w, struct vsl_op *op)
{
	VSL_ASSERT(w->nr_ended < WORLD_OPS_MAX);
	w->ended[w->nr_ended++] = op;
}

static bool changes_card(const struct vsl_op *op)
{
	return op->kind > VSL_OP_READ && op->kind < VSL_OP_CPU;
}

static void op_end(struct vsl_op *op)
{
	if (changes_card(op))
		the_world->flying--;
	trace_op(the_world, "end  ", op);
	world_ended(the_world, op);
}

void world_ready(struct world *w, struct vsl_op *op, void *owner)
{
	VSL_ASSERT(w->nr_ready < WORLD_OPS_MAX);
	op->end = op_end;
	op->owner = owner;
	w->ready[w->nr_ready++] = op;
}

void world_collect(struct world *w)
{
	struct vsl_op *op;
	struct vsl_io *io;

	if (!w->core)
		return;
	while ((op = vsl_core_next_op(w->core)))
		world_ready(w, op, NULL);
	while ((io = vsl_core_next_io(w->core)))
		host_end(w, io);
}

static struct vsl_op *take(struct vsl_op **list, u32 *nr, u32 which)
{
	struct vsl_op *op = list[which];

	list[which] = list[--*nr];
	return op;
}

static void world_cut(struct world *w);

/* Here the card changes: is this where the power goes? */
static void at_change(struct world *w)
{
	if (w->changes++ >= w->cut_change)
		world_cut(w);
}

static void step_start(struct world *w)
{
	struct vsl_op *op = take(w->ready, &w->nr_ready,
				 rng_below(&w->sched, w->nr_ready));

	trace_op(w, "start", op);
	if (op->kind >= VSL_OP_CPU && ++w->cpu_ops == w->starve_cpu) {
		w->starved = op;
	} else if (op->kind >= VSL_OP_CPU) {
		vsl_core_run(w->core, op);
		world_ended(w, op);
	} else if (w->severed) {
		op->result = VSL_RES_GONE;
		world_ended(w, op);
	} else if (op->kind == VSL_OP_FLUSH && w->flushes_fail && !w->cut) {
		op->result = VSL_RES_LOST;
		world_ended(w, op);
	} else {
		if (changes_card(op)) {
			at_change(w);
			w->flying++;
		}
		w->media->ops->submit(w->media, op);
	}
}

/* Nothing else is left to do: whoever was to do this work comes at last. */
static bool starved_start(struct world *w)
{
	struct vsl_op *op = w->starved;

	w->starved = NULL;
	if (!op)
		return false;
	vsl_core_run(w->core, op);
	world_ended(w, op);
	return true;
}

static void step_feed(struct world *w)
{
	struct vsl_op *op = take(w->ended, &w->nr_ended,
				 rng_below(&w->sched, w->nr_ended));

	trace_op(w, "feed ", op);
	w->quiet_steps = 0;
	if (op->owner) {
		/* the core sees nothing of it */
		host_fast_done(w, op->owner);
	} else {
		w->core_knows |= op->result == VSL_RES_GONE;
		vsl_core_op_done(w->core, op);
	}
	world_collect(w);
}

static void step_media(struct world *w)
{
	if (w->flying)
		at_change(w);
	if (w->wake_ns > vsl_port_clock_ns)
		vsl_port_clock_ns = w->wake_ns;
	w->wake_ns = NEVER_NS;
	vsl_sim_run(w->sim);
}

static void step_tick(struct world *w)
{
	sim_trace("%6llu tick", w->events);
	vsl_port_clock_ns = max(vsl_port_clock_ns, w->next_tick_ns);
	w->next_tick_ns = vsl_port_clock_ns + TICK_NS;
	vsl_core_tick(w->core);
	world_collect(w);
}

bool world_tick(struct world *w)
{
	step_tick(w);
	return world_idle(w);
}

bool world_pass(struct world *w, u64 ns, u32 ticks)
{
	u32 i;

	for (i = 0; i < ticks; i++) {
		vsl_port_clock_ns += ns / ticks;
		if (w->cut || !world_tick(w))
			return false;
	}
	return true;
}

void world_progress(struct world *w)
{
	w->quiet_steps = 0;
	w->busy_steps = 0;
}

void world_hang(struct world *w, const char *what)
{
	struct vsl_core_stats stats = { 0 };

	if (w->core)
		vsl_core_stats(w->core, &stats);
	sim_fail("hang", "%s%s; %u requests, %u+%u operations; %u segments: %u free, %u held; %llu mapped blocks of %llu; %u of %u erase units bad; health %u reason %u",
		 what, w->waiting ? " in a synchronous call" : "", w->nr_jobs,
		 w->nr_ready, w->nr_ended, stats.segments,
		 stats.segments_free, stats.segments_held, stats.mapped_blocks,
		 stats.capacity_bytes / VSL_BLOCK_BYTES, stats.eus_bad,
		 stats.eus_total, stats.health, stats.reason);
}

/* ---- steps ----------------------------------------------------------------- */

/* In a timed world the clock must not jump over the card's next event. */
static bool tick_is_due(const struct world *w)
{
	if (w->waiting || w->cut || !w->core)
		return false;
	if (!(w->plan.card.flags & VSL_SIM_TIMED))
		return true;
	return w->next_tick_ns <= min(w->wake_ns, vsl_port_clock_ns) ||
	       (w->wake_ns == NEVER_NS && !w->nr_ready && !w->nr_ended);
}

static u32 step_weight(const struct world *w, enum step step)
{
	bool can = false;

	switch (step) {
	case STEP_START:
		can = w->nr_ready;
		break;
	case STEP_MEDIA:
		can = w->wake_ns != NEVER_NS;
		break;
	case STEP_FEED:
		can = w->nr_ended;
		break;
	case STEP_HOST:
		can = !w->waiting && !w->cut && host_may_submit(w);
		break;
	default:
		can = tick_is_due(w);
		break;
	}
	return can ? w->plan.weight[step] : 0;
}

static void world_cut(struct world *w)
{
	u64 ahead;

	if ((w->plan.card.flags & VSL_SIM_TIMED) && w->wake_ns != NEVER_NS &&
	    w->wake_ns > vsl_port_clock_ns) {
		ahead = min_t(u64, w->wake_ns - vsl_port_clock_ns, 1u << 30);
		vsl_port_clock_ns += rng_below(&w->sched, ahead);
	}
	sim_trace("%6llu power cut at %llu ns", w->events, vsl_port_clock_ns);
	w->cut = true;
	w->cut_at = NEVER_NS;
	w->cut_change = NEVER_NS;
	w->core_knows = false;
	w->torn = w->flying;
	if (w->cut_seed)
		vsl_sim_seed(w->sim, w->cut_seed);
	w->cut_seed = 0;
	vsl_sim_cut(w->sim);
}

static void step_do(struct world *w, enum step step)
{
	switch (step) {
	case STEP_START:
		step_start(w);
		break;
	case STEP_MEDIA:
		step_media(w);
		break;
	case STEP_FEED:
		step_feed(w);
		break;
	case STEP_HOST:
		host_submit(w);
		break;
	default:
		step_tick(w);
		break;
	}
}

bool world_step(struct world *w)
{
	u32 weight[NR_STEPS];
	u32 total = 0, pick;
	enum step step;

	if (w->events >= w->cut_at)
		world_cut(w);
	for (step = 0; step < NR_STEPS; step++) {
		weight[step] = step_weight(w, step);
		total += weight[step];
	}
	if (!total || (total == weight[STEP_TICK] && w->starved))
		return starved_start(w);
	w->events++;
	the_slot->beat++;
	if (++w->quiet_steps > QUIET_MAX)
		world_hang(w, "no progress");
	if (++w->busy_steps > BUSY_MAX)
		world_hang(w, "much work, but no progress");
	pick = rng_below(&w->sched, total);
	for (step = 0; pick >= weight[step]; step++)
		pick -= weight[step];
	step_do(w, step);
	return true;
}

/* ---- what the core and the card ask for ------------------------------------ */

static int env_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg)
{
	struct world *w = ctx;
	int err = 0;

	w->core = core;
	if (++w->waits == w->stop_wait)
		return -EINTR;
	w->waiting = true;
	world_collect(w);
	while (!done(arg)) {
		world_collect(w);	/* asking may have started something */
		if (world_step(w)) {
			continue;
		} else if (w->cut) {
			err = -ENODEV;
			break;
		}
		world_hang(w, "a synchronous call waits for nothing");
	}
	world_collect(w);
	w->waiting = false;
	return err;
}

static void env_log(void *ctx, enum vsl_log_level level, const char *fmt, ...)
{
	char text[256];
	va_list args;

	(void)ctx;
	if (!sim_tracing)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	sim_trace("       core[%u]: %s", level, text);
}

static void env_wake(void *ctx, u64 at_ns)
{
	struct world *w = ctx;

	w->wake_ns = min(w->wake_ns, at_ns);
}

/* The toy moves nothing. */
#pragma weak vsl_core_refresh

static void media_event(void *ctx, enum vsl_media_event what, u32 unit, u32 eu)
{
	struct world *w = ctx;

	if (what == VSL_EVENT_REFRESH && w->core && !w->cut && vsl_core_refresh)
		vsl_core_refresh(w->core, unit, eu);
}

static void env_violation(void *ctx, const char *text)
{
	(void)ctx;
	sim_fail("media", "%s", text);
}

/* ---- life ------------------------------------------------------------------ */

void world_reseed(struct world *w, u64 seed, u64 run)
{
	rng_init(&w->sched, seed, run, 1);
	rng_init(&w->addr, seed, run, 2);
	vsl_sim_seed(w->sim, rng_u64(&w->sched));
}

struct vsl_sim *world_card(struct world *w, const struct vsl_sim_tear *tear)
{
	struct vsl_sim_env env = {
		.ctx = w,
		.wake = env_wake,
		.violation = env_violation,
	};
	struct vsl_sim_config card = w->plan.card;
	struct vsl_sim *sim;
	int err;

	card.tear = *tear;
	err = vsl_sim_create(&card, &env, &sim);
	if (err)
		sim_fail("media", "vsl_sim_create() returns %d", err);
	return sim;
}

void world_use(struct world *w, struct vsl_sim *sim)
{
	w->sim = sim;
	w->media = vsl_sim_media(sim);
	w->media->event = media_event;
	w->media->event_ctx = w;
	w->wake_ns = NEVER_NS;
}

struct world *world_create(const struct plan *plan, u64 seed, u64 run)
{
	struct world *w = calloc(1, sizeof(*w));
	struct oracle_rules rules = {
		.seed = rng_mix(plan->card.seed),
		.sector_bytes = plan->format.sector_bytes,
	};

	if (!w)
		abort();
	the_world = w;
	vsl_port_clock_ns = 1000000000ull;
	w->plan = *plan;
	w->wake_ns = NEVER_NS;
	w->cut_at = NEVER_NS;
	w->cut_change = NEVER_NS;
	w->env = (struct vsl_core_env){
		.ctx = w,
		.wait = env_wait,
		.log = env_log,
		.scrub_s = plan->scrub_s,
	};
	INIT_LIST_HEAD(&w->jobs);
	w->ready = calloc(2 * WORLD_OPS_MAX, sizeof(struct vsl_op *));
	if (!w->ready)
		abort();
	w->ended = w->ready + WORLD_OPS_MAX;
	world_use(w, world_card(w, &plan->card.tear));
	world_reseed(w, seed, run);
	w->oracle = oracle_create(&rules);
	return w;
}

void world_destroy(struct world *w)
{
	if (w->core)
		world_crash(w);
	vsl_sim_destroy(w->sim);
	oracle_destroy(w->oracle);
	free(w->ready);
	free(w);
	the_world = NULL;
}

void world_arm(struct world *w, u64 steps)
{
	w->cut_at = w->events + steps;
}

void world_arm_change(struct world *w, u64 nr, u64 seed)
{
	w->cut_change = w->changes + nr;
	w->cut_seed = seed;
}

void world_disarm(struct world *w)
{
	w->cut_at = NEVER_NS;
	w->cut_change = NEVER_NS;
	w->cut_seed = 0;
}

/* ---- synchronous calls ------------------------------------------------------ */

/* A call that failed has freed its core. */
static int world_called(struct world *w, const char *what, int err)
{
	sim_trace("%6llu %s: %d", w->events, what, err);
	world_progress(w);
	if (w->cut && !err)
		sim_trace("       it succeeded although the power went");
	if (!w->cut && (w->nr_ready || w->nr_ended))
		sim_fail("C4", "%s left operations behind", what);
	return err;
}

int world_format(struct world *w, const struct vsl_format *format)
{
	int err = vsl_core_format(w->media, &w->env, format);

	w->core = NULL;
	return world_called(w, "format", err);
}

int world_probe(struct world *w, struct vsl_label *label)
{
	int err = vsl_core_probe(w->media, &w->env, label);

	w->core = NULL;
	return world_called(w, "probe", err);
}

int world_attach(struct world *w, u32 flags)
{
	struct vsl_core *core = NULL;
	int err = vsl_core_attach(w->media, &w->env, flags, &core);

	w->core = err ? NULL : core;
	if (!err)
		oracle_attached(w->oracle, vsl_core_atomic_blocks(core));
	return world_called(w, "attach", err);
}

int world_detach(struct world *w)
{
	int err;

	err = world_called(w, "detach", vsl_core_detach(w->core));
	if (w->cut)
		return err;
	vsl_core_destroy(w->core);
	w->core = NULL;
	return err;
}

/* ---- crashes ---------------------------------------------------------------- */

static void world_kill(struct world *w)
{
	w->core_knows = true;
	vsl_core_kill(w->core);
	world_collect(w);
}

/* Let the abandoned core come to its end, and see C5 kept. */
static void world_bury(struct world *w)
{
	bool at_once = rng_chance(&w->sched, 700);

	if (w->core && at_once)
		world_kill(w);
	while (world_step(w))
		;
	if (w->core && !at_once)
		world_kill(w);
	while (world_step(w))
		;
	if (w->nr_jobs)
		sim_fail("C5", "%u requests never ended after the crash",
			 w->nr_jobs);
	if (w->core)
		vsl_core_destroy(w->core);
	w->core = NULL;
	w->left = 0;
	oracle_crash(w->oracle);
}

void world_crash(struct world *w)
{
	if (!w->cut)
		world_cut(w);
	world_bury(w);
}

void world_host_crash(struct world *w)
{
	sim_trace("%6llu host crash", w->events);
	w->cut = true;
	w->severed = true;
	w->cut_at = NEVER_NS;
	w->core_knows = false;
	while (vsl_sim_pending(w->sim)) {
		if (w->wake_ns == NEVER_NS)
			sim_fail("media", "pending, but not to be woken");
		step_media(w);
	}
	world_bury(w);
	w->cut = false;
	w->severed = false;
}

void world_power_on(struct world *w)
{
	sim_trace("%6llu power on", w->events);
	vsl_sim_power_on(w->sim);
	w->cut = false;
}

void world_audit(struct world *w)
{
	if (vsl_core_audit(w->core))
		sim_fail("P7", "the audit failed");
}

static u64 no_time(void *ctx)
{
	(void)ctx;
	return 0;
}

static void no_wake(void *ctx, u64 at_ns)
{
	(void)ctx;
	(void)at_ns;
}

int world_limits(const struct vsl_sim_config *card, bool parity,
		 struct vsl_limits *limits)
{
	struct vsl_sim_env env = { .now_ns = no_time, .wake = no_wake };
	struct vsl_sim *sim;
	int err = vsl_sim_create(card, &env, &sim);

	if (err)
		return err;
	if (parity)
		err = vsl_core_limits_parity(vsl_sim_media(sim), limits);
	else
		err = vsl_core_limits(vsl_sim_media(sim), limits);
	vsl_sim_destroy(sim);
	return err;
}
