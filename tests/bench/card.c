// SPDX-License-Identifier: GPL-2.0-only
/*
 * card.c - the card of the first users, as its model has it.
 *
 * The preset slc160 with all its units, channels and times, but fewer erase
 * units.  The jobs of the first users run through the core, 64 requests under
 * way, on the card's virtual clock: processors take no time, so this is what the
 * core lets the card do, and what it adds to the traffic.  A request of the user
 * of more than VSL_IO_MAX_SECTORS comes as several, as the block layer cuts it.
 *
 * Fresh: nothing has to be groomed.  Worn in: a disk of the default size for this
 * flash was filled, and then overwritten at random with more than the rest of the
 * flash takes.  Goals are for fresh cards.
 *
 * The tail of reads is measured with few requests under way, for with many it is
 * that of the queue: of ten requests seven are reads, once while nothing is groomed
 * and once worn in.  It is compared with that of the same reads alone.
 *
 * The bus limit beside is what the model lets through at most: a block of data
 * and one command in each direction.
 */
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"
#include "load.h"
#include "rig.h"

#define EUS		384u	/* erase units in each unit: 9.7 GB of flash */
#define FRESH_BYTES	(3ull << 30)
#define WORN_NR		1600000ull	/* blocks written at random before */
#define DEPTH		64u
#define TAIL_DEPTH	8u
#define BLOCKS_MAX	(VSL_IO_MAX_SECTORS / VSL_BLOCK_SECTORS)
#define LARGE_BLOCKS	1024u	/* 4 MiB */
#define RANDOM_NR	200000ull
#define TAIL_NR		600000ull
#define SERIAL_NR	(512ull << 8)	/* blocks: 512 MiB */

enum pattern { RANDOM_READ, RANDOM_WRITE, MIXED, SERIAL_READ, SERIAL_WRITE };

struct run {
	enum pattern pattern;
	struct load load;
	u64 cursor;
	u64 nr_blocks;		/* each request */
	u32 depth;		/* 0: DEPTH */
	bool reads_only;	/* latencies are those of reads */
	double seconds;
	double per_second;
	double p50_us;
	double p9999_us;
	struct vsl_core_stats before;
	struct vsl_core_stats after;
};

static void config_for(struct vsl_sim_config *config)
{
	if (vsl_sim_preset("slc160", 0, config))
		die("there is no preset \"slc160\"");
	config->eus = EUS;
}

static struct rig *fresh_card(u64 bytes, bool parity)
{
	struct vsl_sim_config config;
	struct rig *rig;

	config_for(&config);
	rig = rig_on_sim(&config);
	rig->parity = parity;
	rig_format(rig, bytes);
	rig_attach(rig);
	return rig;
}

static void next_request(struct job *job, struct vsl_io *io)
{
	struct run *run = job->ctx;
	bool is_read = run->pattern == RANDOM_READ ||
		       run->pattern == SERIAL_READ ||
		       (run->pattern == MIXED &&
			load_random(&run->load) % 10 < 7);
	u64 block;

	if (run->nr_blocks == 1) {
		block = load_next(&run->load);
	} else {
		block = run->cursor;
		run->cursor = (run->cursor + run->nr_blocks) %
			      (run->load.nr - run->load.nr % run->nr_blocks);
	}
	io_set(io, is_read ? VSL_IO_READ : VSL_IO_WRITE, block,
	       run->nr_blocks);
}

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static void run_job(struct rig *rig, struct run *run, enum pattern pattern,
		    u64 random_nr)
{
	static u64 seed = 7;
	bool is_random = pattern <= MIXED;
	struct job job = {
		.next = next_request,
		.ctx = run,
		.depth = (run->depth ? run->depth : DEPTH) *
			 (is_random ? 1 : LARGE_BLOCKS / BLOCKS_MAX),
		.left = is_random ? random_nr : SERIAL_NR / BLOCKS_MAX,
		.fast = true,
		.reads_only = run->reads_only,
	};
	u64 nr = job.left, begin_ns = vsl_port_clock_ns;

	load_init(&run->load, "uniform", rig_blocks(rig), seed++);
	run->pattern = pattern;
	run->nr_blocks = is_random ? 1 : BLOCKS_MAX;
	job.latency = calloc(nr, sizeof(*job.latency));
	if (!job.latency)
		die("no memory");
	rig_stats(rig, &run->before);
	rig_run(rig, &job);
	run->seconds = (vsl_port_clock_ns - begin_ns) / 1e9;
	run->per_second = nr / run->seconds;
	rig_stats(rig, &run->after);
	nr = job.nr_latency;
	qsort(job.latency, nr, sizeof(*job.latency), compare);
	run->p50_us = job.latency[nr / 2] / 1e3;
	run->p9999_us = job.latency[nr - 1 - nr / 10000] / 1e3;
	free(job.latency);
	rig_drain(rig);
}

/* Requests a second, or 10^6 bytes a second, that the model's bus can do. */
static double bus_limit(u64 nr_blocks)
{
	struct vsl_sim_config config;
	double block_ns, page_blocks;

	config_for(&config);
	page_blocks = config.max_blocks;
	block_ns = VSL_BLOCK_BYTES * 1e3 / config.timing.bus_mbps;
	if (nr_blocks == 1)
		return 1e9 / (block_ns + config.timing.bus_command_ns);
	return VSL_BLOCK_BYTES * 1e3 /
	       (block_ns + config.timing.bus_command_ns / page_blocks);
}

static void tell(const char *name, const struct run *run, double goal)
{
	u64 host = run->after.host_write_blocks - run->before.host_write_blocks;
	u64 media = run->after.media_write_blocks -
		    run->before.media_write_blocks;
	bool is_random = run->nr_blocks == 1;
	double value = is_random ? run->per_second / 1e3 :
		       run->per_second * run->nr_blocks * VSL_BLOCK_BYTES / 1e6;
	double limit = bus_limit(run->nr_blocks) / (is_random ? 1e3 : 1);
	char extra[64] = "";

	if (host)
		snprintf(extra, sizeof(extra), "; %.3f blocks programmed each",
			 (double)media / host);
	figure(name, value, is_random ? "k/s" : "MB/s",
	       goal ? GOAL_ABOVE : GOAL_NONE, goal,
	       "card model, virtual time; bus limit %.0f; QD %u, p50 %.0f us, p99.99 %.0f us%s",
	       limit, DEPTH, run->p50_us, run->p9999_us, extra);
}

static void run_and_tell(struct rig *rig, enum pattern pattern,
			 const char *name, double goal)
{
	struct run run = { .depth = 0 };

	run_job(rig, &run, pattern, RANDOM_NR);
	tell(name, &run, goal);
}

/* The tail of reads; no worse than twice what they take alone, or than 300 us. */
static void tell_tail(struct rig *rig, const char *when)
{
	struct run alone = { .depth = TAIL_DEPTH, .reads_only = true };
	struct run mixed = alone;
	char name[80];

	run_job(rig, &alone, RANDOM_READ, RANDOM_NR);
	run_job(rig, &mixed, MIXED, TAIL_NR);
	snprintf(name, sizeof(name), "card, read p99.99 beside writes, %s", when);
	figure(name, mixed.p9999_us, "us", GOAL_BELOW,
	       min(2 * alone.p9999_us, 300.),
	       "card model, virtual time; QD %u, 70 %% read; p50 %.0f us; alone p50 %.0f us, p99.99 %.0f us",
	       TAIL_DEPTH, mixed.p50_us, alone.p50_us, alone.p9999_us);
}

static void fresh(void)
{
	struct rig *rig = fresh_card(FRESH_BYTES, false);

	run_and_tell(rig, RANDOM_WRITE, "card, 4 KiB random write, fresh", 187);
	rig_destroy(rig);
	rig = fresh_card(FRESH_BYTES, false);
	run_and_tell(rig, SERIAL_WRITE, "card, 4 MiB sequential write, fresh",
		     786);
	rig_fill(rig);
	run_and_tell(rig, SERIAL_READ, "card, 4 MiB sequential read", 819);
	run_and_tell(rig, RANDOM_READ, "card, 4 KiB random read", 191);
	run_and_tell(rig, MIXED, "card, 4 KiB random, 70 % read, fresh", 0);
	tell_tail(rig, "fresh");
	rig_destroy(rig);
}

static void worn_in(void)
{
	struct rig *rig = fresh_card(0, false);
	struct run run = { .depth = 0 };

	rig_fill(rig);
	run_job(rig, &run, RANDOM_WRITE, WORN_NR);
	run_and_tell(rig, RANDOM_WRITE, "card, 4 KiB random write, worn in", 0);
	run_and_tell(rig, MIXED, "card, 4 KiB random, 70 % read, worn in", 0);
	tell_tail(rig, "worn in");
	run_and_tell(rig, SERIAL_WRITE, "card, 4 MiB sequential write, worn in",
		     0);
	rig_destroy(rig);
}

/* With parity what a unit holds that is busy can be made of the others'. */
static void with_parity(void)
{
	struct rig *rig = fresh_card(0, true);
	struct run run = { .depth = 0 };

	rig_fill(rig);
	run_job(rig, &run, RANDOM_WRITE, WORN_NR);
	tell_tail(rig, "worn in, parity");
	rig_destroy(rig);
}

void bench_card(void)
{
	fresh();
	worn_in();
	with_parity();
}
