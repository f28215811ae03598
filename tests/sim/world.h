/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.h - the core and the simulated card in one thread.
 */
#ifndef VSL_SIM_WORLD_H
#define VSL_SIM_WORLD_H

#include "oracle.h"
#include "plan.h"

#define NEVER_NS	(~0ull)
#define WORLD_OPS_MAX	8192u

struct job;

/**
 * struct world - one run
 * @plan: what it is made of; copied
 * @sched: decides what happens next
 * @addr: decides what the workload asks for
 * @sim: the card
 * @media: the card as the core sees it
 * @core: attached, or NULL
 * @oracle: what the disk may answer
 * @wake_ns: when the card wants to work, or NEVER_NS
 * @next_tick_ns: when the next tick is due
 * @events: steps done since create
 * @cut_at: the step before which the power goes, or NEVER_NS
 * @changes: operations begun or ended that change the card
 * @cut_change: the one of them before which the power goes, or NEVER_NS
 * @cut_seed: decides what the cut leaves; 0: as it comes
 * @flying: operations under way on the card that change it
 * @torn: as many were when the power went
 * @cut: the power went; the core is to be abandoned
 * @waits: calls of env->wait() so far
 * @stop_wait: the one that returns -EINTR at once
 * @cpu_ops: work for a processor so far
 * @starve_cpu: the one that is done when nothing else is left to do
 * @starved: this one
 * @core_knows: after the cut: the core was told
 * @tolerant: requests may end with errors, see family.c
 * @flushes_fail: the card refuses every flush
 * @severed: the host crashed: nothing reaches the card any more
 * @waiting: inside a synchronous call of the core
 * @ready: operations to be started
 * @ended: operations whose end the core does not know yet
 * @jobs: requests under way
 * @nr_jobs: how many
 * @left: requests that the workload still submits
 * @cursor: where the sequential stream goes on, in sectors
 * @quiet_steps: steps since an operation or a request ended
 * @busy_steps: steps since a request or a synchronous call ended
 * @done_requests: requests that ended, for statistics
 */
struct world {
	struct plan plan;
	struct rng sched;
	struct rng addr;
	struct vsl_sim *sim;
	struct vsl_media *media;
	struct vsl_core *core;
	struct vsl_core_env env;
	struct oracle *oracle;
	u64 wake_ns;
	u64 next_tick_ns;
	u64 events;
	u64 cut_at;
	u64 changes;
	u64 cut_change;
	u64 cut_seed;
	u32 flying;
	u32 torn;
	bool cut;
	u64 waits;
	u64 stop_wait;
	u64 cpu_ops;
	u64 starve_cpu;
	struct vsl_op *starved;
	bool severed;
	bool core_knows;
	bool tolerant;
	bool flushes_fail;
	bool waiting;
	struct vsl_op **ready;
	struct vsl_op **ended;
	u32 nr_ready;
	u32 nr_ended;
	struct list_head jobs;
	u32 nr_jobs;
	u32 left;
	u64 cursor;
	u64 quiet_steps;
	u64 busy_steps;
	u64 done_requests;
};

struct world *world_create(const struct plan *plan, u64 seed, u64 run);
void world_destroy(struct world *w);

/** world_reseed() - another order of events from here on */
void world_reseed(struct world *w, u64 seed, u64 run);

/** world_arm() - cut the power before the @steps-th step from now */
void world_arm(struct world *w, u64 steps);
void world_disarm(struct world *w);

/**
 * world_arm_change() - cut the power before an operation that changes the card
 * @w: the world
 * @nr: begins, or may end, after @nr others from now did
 * @seed: decides what is torn, and how
 *
 * Reads change nothing: a cut before or after one leaves the same.
 */
void world_arm_change(struct world *w, u64 nr, u64 seed);

/** world_card() - another card for this world, whose cuts tear as @tear says */
struct vsl_sim *world_card(struct world *w, const struct vsl_sim_tear *tear);

/** world_use() - go on with @sim */
void world_use(struct world *w, struct vsl_sim *sim);

/*
 * The synchronous calls.  Each returns what the core returned; when w->cut is
 * set afterwards the power went on the way, and world_crash() must follow.
 */
int world_format(struct world *w, const struct vsl_format *format);
int world_probe(struct world *w, struct vsl_label *label);
int world_attach(struct world *w, u32 flags);
int world_detach(struct world *w);

/**
 * world_crash() - the core is abandoned: cut the power unless that was done,
 * drain and destroy it; the card has no power afterwards
 */
void world_crash(struct world *w);

/**
 * world_host_crash() - the core is abandoned, but the card keeps its power
 *
 * What was under way on the card ends there; what the core still had in mind
 * is lost.
 */
void world_host_crash(struct world *w);

/** world_power_on() - after world_crash() */
void world_power_on(struct world *w);

/** world_audit() - promise P7 */
void world_audit(struct world *w);

/**
 * world_run() - submit @requests of the workload and see them end
 *
 * Return: true; false: the power was cut.
 */
bool world_run(struct world *w, u32 requests);

/** world_do() - one request, alone.  Return: false: the power was cut */
bool world_do(struct world *w, enum vsl_io_kind kind, u8 flags, u64 sector,
	      u32 nr_sectors);

/** world_begin() - one request; the caller has the world run */
void world_begin(struct world *w, enum vsl_io_kind kind, u8 flags, u64 sector,
		 u32 nr_sectors);

/** world_finish() - see all requests end.  Return: false: the power was cut */
bool world_finish(struct world *w);

/** world_checkpoint() - ask for a checkpoint.  Return: false: cut */
bool world_checkpoint(struct world *w);

/** world_fill() - write @permille of the disk and flush */
bool world_fill(struct world *w, u32 permille);

/** world_idle() - tick until the core is idle.  Return: false: cut */
bool world_idle(struct world *w);

/** world_tick() - a tick, and all that comes of it.  Return: false: cut */
bool world_tick(struct world *w);

/** world_pass() - time passes, with some ticks in it.  Return: false: cut */
bool world_pass(struct world *w, u64 ns, u32 ticks);

/**
 * world_verify() - show the whole disk to the oracle and settle
 *
 * Return: true; false: the power was cut on the way, nothing was settled.
 */
bool world_verify(struct world *w);

/* ---- between world.c and host.c ------------------------------------------ */

/** world_step() - do one thing.  Return: false: there is nothing to do */
bool world_step(struct world *w);

/** world_progress() - a request or a synchronous call began or ended */
void world_progress(struct world *w);

/** world_hang() - nothing goes on: say what the core says of itself */
void world_hang(struct world *w, const char *what) __attribute__((noreturn));

/** world_collect() - empty the core's outboxes */
void world_collect(struct world *w);

/** world_ready() - an operation to be started; @owner: the job of a fast read, or NULL */
void world_ready(struct world *w, struct vsl_op *op, void *owner);

/** host_may_submit() - the workload has something to ask for */
bool host_may_submit(const struct world *w);

/** host_submit() - the next request of the workload */
void host_submit(struct world *w);

/** host_fast_done() - the operation of a fast read ended */
void host_fast_done(struct world *w, struct job *job);

/** host_end() - the core is done with a request */
void host_end(struct world *w, struct vsl_io *io);

/** load_next() - what the workload asks for next */
void load_next(struct world *w, struct vsl_io *io);

/* The world of this process; operations end in it. */
extern struct world *the_world;

/** world_limits() - what such a card can be formatted to */
int world_limits(const struct vsl_sim_config *card, bool parity,
		 struct vsl_limits *limits);

#endif /* VSL_SIM_WORLD_H */
