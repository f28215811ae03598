/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rig.h - a core on a card in one thread, and jobs that load it.
 */
#ifndef VSL_BENCH_RIG_H
#define VSL_BENCH_RIG_H

#include "../../driver/core/core.h"
#include "../../driver/media/sim.h"

#define NEVER_NS	(~0ull)

struct job;

/**
 * struct rig - a core and its card
 * @sim: the simulated card; NULL: another one
 * @media: the card as the core sees it
 * @core: attached, or NULL
 * @env: of the core
 * @todo: operations taken out of the core, in that order
 * @ended: operations that ended and the core does not know yet
 * @job: what loads the core now
 * @wake_ns: when the card wants to work
 * @tick_ns: when the next tick is due
 * @timed: the card moves the clock
 * @parity: it is formatted with parity
 * @lazy: the work of VSL_CPU_FILL (copy, checksum) is left out
 * @loud: log lines are shown
 */
struct rig {
	struct vsl_sim *sim;
	struct vsl_media *media;
	struct vsl_core *core;
	struct vsl_core_env env;
	struct list_head todo;
	struct list_head ended;
	struct job *job;
	u64 wake_ns;
	u64 tick_ns;
	bool timed;
	bool parity;
	bool lazy;
	bool loud;
};

/**
 * struct job - requests that keep a queue at its depth
 * @next: fill in kind, sector and nr_sectors of the next request
 * @ctx: of @next
 * @depth: requests under way
 * @left: requests still to be submitted
 * @fast: reads try vsl_core_read_fast() first
 * @ended: requests that ended
 * @latency: of each request, if not NULL: room for all of them
 * @reads_only: of each read
 * @nr_latency: how many are in there
 */
struct job {
	void (*next)(struct job *job, struct vsl_io *io);
	void *ctx;
	u32 depth;
	u64 left;
	bool fast;
	bool reads_only;
	u64 ended;
	u32 *latency;
	u64 nr_latency;
	struct list_head idle;
	u32 under_way;
};

void die(const char *fmt, ...)
	__attribute__((noreturn, __format__(__printf__, 1, 2)));

/* rig_on_sim() - a rig with a new simulated card */
struct rig *rig_on_sim(const struct vsl_sim_config *config);

/* rig_on() - a rig with any card */
struct rig *rig_on(struct vsl_media *media);

/* rig_destroy() - whatever state it is in; other media are the caller's */
void rig_destroy(struct rig *rig);

/* rig_format() - @capacity_bytes may be anything up to the card's most */
void rig_format(struct rig *rig, u64 capacity_bytes);
void rig_attach(struct rig *rig);

/* rig_crash() - cut the power, bury the core, power on; jobs are forgotten */
void rig_crash(struct rig *rig);

/* rig_pump() - one round of work.  Return: false: nothing is to be done */
bool rig_pump(struct rig *rig);

/* rig_run() - the job, to its end */
void rig_run(struct rig *rig, struct job *job);

/* rig_run_until() - the job until @stop says so; requests stay under way */
void rig_run_until(struct rig *rig, struct job *job, bool (*stop)(void *arg),
		   void *arg);

/* rig_drain() - pump until nothing is to be done */
void rig_drain(struct rig *rig);

/* rig_fill() - write the disk once, in order */
void rig_fill(struct rig *rig);

void rig_stats(struct rig *rig, struct vsl_core_stats *stats);

/* Blocks of the disk. */
u64 rig_blocks(const struct rig *rig);

/* The data of all requests: writes repeat 8 bytes; reads go elsewhere. */
extern const struct vsl_vec rig_write_vec;
extern const struct vsl_vec rig_read_vec;

/* io_set() - a request of @nr_blocks blocks */
void io_set(struct vsl_io *io, enum vsl_io_kind kind, u64 block, u32 nr_blocks);

#endif /* VSL_BENCH_RIG_H */
