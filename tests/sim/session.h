/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - many runs in worker processes.
 */
#ifndef VSL_SIM_SESSION_H
#define VSL_SIM_SESSION_H

#include "family.h"

#define JOBS_MAX	64u

/**
 * struct session - what to do
 * @seed: of everything
 * @first_run: number of the first run of each family
 * @runs: runs of each family at most; 0: no limit
 * @cuts: stop after so many cuts; 0: no limit
 * @seconds: stop after so long; 0: no limit
 * @jobs: worker processes
 * @keep: go on until so many runs have failed
 * @only: family, or FAMILIES_MAX for all
 * @quiet: print nothing
 * @order: what all runs have in common
 *
 * and what came of it:
 * @cuts_done: per family
 * @runs_done: per family
 * @shallow_cuts: see struct slot
 * @deep_cuts: see struct slot
 * @same_cuts: see struct slot
 * @nth_tries: see struct slot
 * @cpu_s: what the workers took of a processor
 * @failed: runs that broke a promise, per family
 * @failures: all of them
 * @text: of the last failure
 */
struct session {
	u64 seed;
	u64 first_run;
	u64 runs;
	u64 cuts;
	u32 seconds;
	u32 jobs;
	u32 keep;
	u32 only;
	bool quiet;
	struct order order;

	u64 cuts_done[FAMILIES_MAX];
	u64 runs_done[FAMILIES_MAX];
	u64 shallow_cuts;
	u64 deep_cuts;
	u64 same_cuts;
	u64 nth_tries;
	double cpu_s;
	u32 failed[FAMILIES_MAX];
	u32 failures;
	char text[2048];
};

/** session_init() - once per process, before all else */
void session_init(void);

/** session_run() - do it */
void session_run(struct session *session);

/** family_find() - index of a family, FAMILIES_MAX when there is none */
u32 family_find(const char *name);

#endif /* VSL_SIM_SESSION_H */
