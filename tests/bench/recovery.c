// SPDX-License-Identifier: GPL-2.0-only
/*
 * recovery.c - what attach reads after a crash, against the capacity.
 *
 * A disk on a card like slc160, or another preset, is filled, then written at random, and the power
 * goes CRASHES times: after random numbers of requests, and once when the log
 * behind the root is about as long as it was ever seen.  After each the card
 * is copied to one that has the preset's times, and attached there for the
 * figures: blocks read, and virtual time from the call to its return.  Then the
 * first card is attached and written on.
 *
 * Two loads: 64 requests of 4 KiB under way; and one at a time, which makes the
 * log of the smallest packets there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "load.h"
#include "rig.h"

#define CRASHES		6u
#define BAND_PERCENT	97u	/* of the longest log seen: about to be cut */

struct crashes {
	struct rig *rig;
	struct load load;
	const char *preset;
	struct vsl_sim_config config;
	u32 depth;
	u64 tail_max;		/* blocks of the log, the most that was seen */
	u64 tail_last;
	bool hunting;		/* stop when it is about as long again */
	u32 polls;
	u64 reads;		/* blocks, the most */
	double reads_sum;
	double seconds;		/* the most */
	u32 nr;
};

static void config_for(struct vsl_sim_config *config, const char *preset,
		       u32 gigabytes)
{
	if (vsl_sim_preset(preset, gigabytes * 1000000000ull, config))
		die("there is no such card");
	config->flags &= ~VSL_SIM_TIMED;
	config->flags |= VSL_SIM_INLINE;
}

static void next_write(struct job *job, struct vsl_io *io)
{
	struct crashes *crashes = job->ctx;

	io_set(io, VSL_IO_WRITE, load_next(&crashes->load), 1);
}

/* Look at the log from time to time; the job ends when it is long. */
static bool is_long(void *arg)
{
	struct crashes *crashes = arg;
	struct vsl_core_stats stats;

	if (crashes->polls++ % 256)
		return false;
	rig_stats(crashes->rig, &stats);
	crashes->tail_last = stats.tail_blocks;
	crashes->tail_max = max(crashes->tail_max, stats.tail_blocks);
	return crashes->hunting && stats.tail_blocks >=
	       crashes->tail_max / 100 * BAND_PERCENT;
}

static void write_some(struct crashes *crashes, u64 nr)
{
	struct job job = {
		.next = next_write,
		.ctx = crashes,
		.depth = crashes->depth,
		.left = nr,
	};

	rig_run_until(crashes->rig, &job, is_long, crashes);
}

/* Attach a copy of the card that has times. */
static void measure(struct crashes *crashes)
{
	struct vsl_sim_config config = crashes->config;
	struct vsl_core_stats stats;
	struct rig *rig;
	u64 begin_ns = vsl_port_clock_ns;

	config.flags &= ~VSL_SIM_INLINE;
	config.flags |= VSL_SIM_TIMED;
	rig = rig_on_sim(&config);
	if (vsl_sim_clone(rig->sim, crashes->rig->sim))
		die("the card cannot be copied");
	rig_attach(rig);
	rig_stats(rig, &stats);
	crashes->reads = max(crashes->reads, stats.attach_read_blocks);
	crashes->reads_sum += stats.attach_read_blocks;
	crashes->seconds = max(crashes->seconds,
			       (vsl_port_clock_ns - begin_ns) / 1e9);
	crashes->nr++;
	if (getenv("LOUD"))
		fprintf(stderr, "crash: tail %llu (most %llu) read %llu in %.3f s\n",
			crashes->tail_last, crashes->tail_max,
			stats.attach_read_blocks,
			(vsl_port_clock_ns - begin_ns) / 1e9);
	rig_destroy(rig);
}

static void crash(struct crashes *crashes)
{
	rig_crash(crashes->rig);
	measure(crashes);
	rig_attach(crashes->rig);
}

static void tell(struct crashes *crashes, u32 gigabytes)
{
	u64 capacity = rig_blocks(crashes->rig) * VSL_BLOCK_BYTES;
	double mib = crashes->reads * 4096. / (1 << 20);
	double goal = capacity * .001 / (1 << 20) + 64;
	bool is_first_card = !strcmp(crashes->preset, "slc160");
	char title[80];

	snprintf(title, sizeof(title), "recovery of %u GB%s%s, QD %u", gigabytes,
		 is_first_card ? "" : " ", is_first_card ? "" : crashes->preset,
		 crashes->depth);
	figure(title, mib, "MiB read", GOAL_BELOW, goal,
	       "most of %u crashes, mean %.1f MiB; map %.1f MiB; %.3f %% of the disk; longest log %.2f GB",
	       crashes->nr, crashes->reads_sum / crashes->nr * 4096 / (1 << 20),
	       capacity / 1024. / (1 << 20), 100 * mib * (1 << 20) / capacity,
	       crashes->tail_max * 4096. / 1e9);
	if (!is_first_card)
		return;
	snprintf(title, sizeof(title), "recovery of %u GB, QD %u, card time",
		 gigabytes, crashes->depth);
	figure(title, crashes->seconds, "s", GOAL_BELOW, .35,
	       "longest attach, card model slc160, virtual time; the goal is for 160 GB");
}

static void run_crashes(struct crashes *crashes, u32 gigabytes)
{
	u64 round;
	u32 i;

	crashes->tail_max = 0;
	crashes->reads = 0;
	crashes->reads_sum = 0;
	crashes->seconds = 0;
	crashes->nr = 0;
	/* the log is cut after an eighth of the flash or 4 Mi blocks */
	round = min_t(u64, rig_blocks(crashes->rig) / 8, 4u << 20);
	if (crashes->depth == 1)
		round /= 2;
	for (i = 1; i < CRASHES; i++) {
		write_some(crashes, load_random(&crashes->load) % round);
		crash(crashes);
	}
	write_some(crashes, 2 * round);
	crashes->hunting = true;
	write_some(crashes, 4 * round);
	crashes->hunting = false;
	crash(crashes);
	tell(crashes, gigabytes);
}

void bench_recovery(unsigned int gigabytes, const char *preset)
{
	struct crashes crashes = { .depth = 64, .preset = preset };

	config_for(&crashes.config, preset, gigabytes);
	crashes.rig = rig_on_sim(&crashes.config);
	rig_format(crashes.rig, 0);
	rig_attach(crashes.rig);
	rig_fill(crashes.rig);
	load_init(&crashes.load, "uniform", rig_blocks(crashes.rig), 3);
	run_crashes(&crashes, gigabytes);
	crashes.depth = 1;
	run_crashes(&crashes, gigabytes);
	rig_destroy(crashes.rig);
}
