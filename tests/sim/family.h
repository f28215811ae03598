/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * family.h - kinds of runs.
 */
#ifndef VSL_SIM_FAMILY_H
#define VSL_SIM_FAMILY_H

#include "../../driver/core/core.h"

struct plan;
struct rng;

#define FAMILIES_MAX	24u
#define SMALL_WORKLOADS	220u	/* of a full check, see small.c */
#define SIM_FAIL_STATUS	3	/* exit status of a run that broke a promise */

/**
 * struct slot - what a worker process tells its parent, in shared memory
 * @family: it is at work on
 * @run: which run
 * @cut: which cut in that run
 * @cuts: cuts survived, per family
 * @runs: runs done, per family
 * @shallow_cuts: of them: of a workload (small.c)
 * @deep_cuts: of them: of a recovery from one
 * @same_cuts: of the first: they left what an earlier one had left
 * @nth_tries: single failures lived through (nth.c)
 * @requests: that ended
 * @beat: grows with every step: the sign of life
 * @plan: the run's card in words
 * @text: which promise was broken; empty: the core crashed
 */
struct slot {
	u32 family;
	u64 run;
	u64 cut;
	u64 cuts[FAMILIES_MAX];
	u64 runs[FAMILIES_MAX];
	u64 shallow_cuts;
	u64 deep_cuts;
	u64 same_cuts;
	u64 nth_tries;
	u64 requests;
	u64 beat;
	char plan[512];
	char text[2048];
};

/* This process's slot. */
extern struct slot *the_slot;

/** session_is_over() - enough was done: a long run may end early */
bool session_is_over(void);

/**
 * struct order - one run to be done
 * @seed: of everything
 * @run: number of the run
 * @only_cut: exhaustive: nothing but this cut; else ~0
 * @trace_from: tracing: begin at this cut
 * @geometry: forced values, or NULL
 * @deep: exhaustive: cut the recoveries too
 * @steady: what was torn reads the same each time
 * @weak: what was torn reads well, but not for long
 * @tune: change what chance has planned, or NULL
 */
struct order {
	u64 seed;
	u64 run;
	u64 only_cut;
	u64 trace_from;
	const char *geometry;
	bool deep;
	bool steady;
	bool weak;
	void (*tune)(struct plan *plan, struct rng *rng);
};

#define EVERY_CUT	(~0ull)

/**
 * struct family - a kind of runs
 * @name: for options and replay lines
 * @text: for the TAP line
 * @share: part of the cuts in a mixed session
 * @flat: the same where all cards are flat
 * @run: do one run; does not return when a promise is broken
 */
struct family {
	const char *name;
	const char *text;
	u32 share;
	u32 flat;
	void (*run)(const struct order *order);
};

/* Ends with a NULL name. */
extern const struct family families[];

#endif /* VSL_SIM_FAMILY_H */
