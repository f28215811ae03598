// SPDX-License-Identifier: GPL-2.0-only
/*
 * wa.c - write amplification against the bound.
 *
 * Write amplification is blocks programmed, everything included, over blocks the
 * host wrote, both from vsl_core_stats().  Spare is the room for data over the
 * disk, less 1: room is the blocks of all usable segments, less their heads and
 * summaries, less the segments the core keeps in reserve to be able to move at
 * all (vsl_geo_reserve_segments()).
 *
 * The disk is filled once in order, then overwritten WARM times its size by the
 * load, then measured over MEASURED times its size.  Requests are 4 KiB, on a card
 * that answers at once and has no bad blocks.  The contents are a pattern.
 *
 * With few requests under way packets are small, and each has a head of a block;
 * so there are figures for several depths.
 *
 * With parity one block of each row is parity: the room is that much less, and the bound
 * that much more, for what is written is meant and not only what is data.  A disk leaves
 * room for a lost unit then, so there are more units, and the card tells which are bad.
 *
 * "Moved" is a load whose hot blocks become cold ones at one moment, and others
 * hot: what it takes in the third overwrite after that is compared with what it
 * took in the last one before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../driver/core/layout.h"
#include "figure.h"
#include "load.h"
#include "rig.h"

#define UNITS		4u
#define UNITS_PARITY	16u
#define WARM		4u
#define WARM_SKEWED	8u	/* cold blocks are written seldom */
#define SETTLES		2u	/* overwrites that a move may be felt */
#define MEASURED	1u

static u32 from_env(const char *name, u32 otherwise)
{
	const char *value = getenv(name);

	return value ? atoi(value) : otherwise;
}

static void card_config(struct vsl_sim_config *config, bool parity)
{
	bool full = from_env("FULL", 0);

	if (vsl_sim_preset("raw", 16ull << 30, config))
		die("there is no preset \"raw\"");
	config->units = UNITS;
	config->eu_blocks = from_env("EU_BLOCKS", full ? 256 : 64);
	config->eus = from_env("SEGMENTS", full ? 4096 : 2048);
	config->flags |= VSL_SIM_INLINE;
	if (parity) {
		config->units = UNITS_PARITY;
		config->eus /= 2;
		config->flags |= VSL_SIM_REPORTS;
	}
}

/* Blocks for data, as the head of this file says. */
static u64 room_for(const struct rig *rig, u64 lba_blocks)
{
	struct vsl_geo geo;
	u64 raw;

	if (vsl_geo_init(&geo, &rig->media->info) ||
	    (rig->parity && vsl_geo_protect(&geo)) ||
	    vsl_geo_set_size(&geo, lba_blocks))
		die("geometry");
	raw = (u64)(geo.segments - vsl_geo_reserve_segments(&geo)) *
	      vsl_seg_limit(&geo, geo.units);
	raw -= VSL_LANES * VSL_LANE_EUS * geo.eu_blocks;
	return vsl_geo_data_blocks(&geo, raw);
}

/* The disk of which @spare_percent is left over: the reserve depends on it. */
static u64 blocks_for(const struct rig *rig, u32 spare_percent)
{
	const struct vsl_media_info *info = &rig->media->info;
	u64 blocks = (u64)info->units * info->eus * info->eu_blocks;
	u32 i;

	for (i = 0; i < 20; i++)
		blocks = room_for(rig, blocks) * 100 / (100 + spare_percent);
	return blocks;
}

static void next_write(struct job *job, struct vsl_io *io)
{
	io_set(io, VSL_IO_WRITE, load_next(job->ctx), 1);
}

static void write_random(struct rig *rig, struct load *load, u32 depth, u64 nr)
{
	struct job job = {
		.next = next_write,
		.ctx = load,
		.depth = depth,
		.left = nr,
	};

	rig_run(rig, &job);
}

static void subtract(struct vsl_core_stats *after,
		     const struct vsl_core_stats *before)
{
	after->host_write_blocks -= before->host_write_blocks;
	after->media_write_blocks -= before->media_write_blocks;
	after->media_host_blocks -= before->media_host_blocks;
	after->media_moved_blocks -= before->media_moved_blocks;
	after->media_map_blocks -= before->media_map_blocks;
	after->media_head_blocks -= before->media_head_blocks;
	after->media_pad_blocks -= before->media_pad_blocks;
	after->media_parity_blocks -= before->media_parity_blocks;
}

static void tell(const char *title, u32 spare_percent, const struct rig *rig,
		 const struct load *load, const struct vsl_core_stats *s,
		 double gross)
{
	double alpha = 1 + spare_percent / 100., host = s->host_write_blocks;
	double bound = load_ideal_wa(load, alpha) *
		       (rig->parity ? UNITS_PARITY / (UNITS_PARITY - 1.) : 1);
	bool uniform = !load->hot && !load->cdf;

	figure(title, s->media_write_blocks / host, "", GOAL_BELOW,
	       bound * (uniform ? 1.02 : 1.10),
	       "%.2f x bound %.2f; data %.3f map %.3f heads %.3f pad %.3f parity %.3f; %u segments, %.0f k blocks, all flash over disk is 1 + %.1f %%",
	       s->media_write_blocks / host / bound, bound,
	       (s->media_host_blocks + s->media_moved_blocks) / host,
	       s->media_map_blocks / host, s->media_head_blocks / host,
	       s->media_pad_blocks / host, s->media_parity_blocks / host,
	       s->segments, load->nr / 1e3, gross);
}

/* A disk filled and overwritten by @load until figures stay the same. */
static struct rig *warm_disk(const char *name, u32 spare_percent, u32 depth,
			     bool parity, struct load *load, double *gross)
{
	u32 warm = strcmp(name, "uniform") ? WARM_SKEWED : WARM;
	struct vsl_sim_config config;
	struct rig *rig;
	u64 nr;

	card_config(&config, parity);
	rig = rig_on_sim(&config);
	rig->parity = parity;
	nr = blocks_for(rig, spare_percent);
	*gross = 100. * config.units * config.eus * config.eu_blocks / nr - 100;
	rig_format(rig, nr * VSL_BLOCK_BYTES);
	rig_attach(rig);
	rig_fill(rig);
	load_init(load, name, nr, 1);
	write_random(rig, load, depth, nr * from_env("WARM", warm));
	return rig;
}

/* What is written in the next @rounds overwrites of the disk. */
static void measure(struct rig *rig, struct load *load, u32 depth, u32 rounds,
		    struct vsl_core_stats *stats)
{
	struct vsl_core_stats before;

	rig_stats(rig, &before);
	write_random(rig, load, depth, load->nr * rounds);
	rig_stats(rig, stats);
	subtract(stats, &before);
}

void bench_wa(const char *name, unsigned int spare_percent, unsigned int depth,
	      bool parity)
{
	struct vsl_core_stats stats;
	struct load load;
	struct rig *rig;
	char title[80];
	double gross;

	snprintf(title, sizeof(title), "write amp., %s%s, spare %u %%, QD %u",
		 name, parity ? ", parity" : "", spare_percent, depth);
	rig = warm_disk(name, spare_percent, depth, parity, &load, &gross);
	measure(rig, &load, depth, from_env("MEASURED", MEASURED), &stats);
	tell(title, spare_percent, rig, &load, &stats, gross);
	load_exit(&load);
	rig_destroy(rig);
}

void bench_wa_moved(const char *name, unsigned int spare_percent,
		    unsigned int depth)
{
	double gross, wa[SETTLES + 2];
	struct vsl_core_stats stats;
	struct load load;
	struct rig *rig;
	char title[80];
	u32 i;

	snprintf(title, sizeof(title), "write amp., %s moved, spare %u %%, QD %u",
		 name, spare_percent, depth);
	rig = warm_disk(name, spare_percent, depth, false, &load, &gross);
	for (i = 0; i < SETTLES + 2; i++) {
		measure(rig, &load, depth, 1, &stats);
		wa[i] = (double)stats.media_write_blocks /
			stats.host_write_blocks;
		if (!i)
			load_move(&load);
	}
	figure(title, wa[SETTLES + 1], "", GOAL_BELOW, 1.10 * wa[0],
	       "%.2f x %.2f before the move; %.2f and %.2f in the two overwrites after it; bound %.2f",
	       wa[SETTLES + 1] / wa[0], wa[0], wa[1], wa[2],
	       load_ideal_wa(&load, 1 + spare_percent / 100.));
	load_exit(&load);
	rig_destroy(rig);
}
