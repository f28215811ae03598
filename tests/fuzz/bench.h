/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench.h - a core on a simulated card that answers at once.
 *
 * Nothing is left to chance here: the same calls give the same run.  Every loop
 * has an end: a core that takes more steps than any healthy one, or a request
 * that does not end although time passes, is broken.
 */
#ifndef VSL_FUZZ_BENCH_H
#define VSL_FUZZ_BENCH_H

#include "../../driver/core/core.h"
#include "../../driver/media/sim.h"

#define BENCH_OPS	8192u
#define BENCH_LIES	16u
#define BENCH_IO_BLOCKS	64u

/* What the card says of one erase unit instead of the truth. */
struct lie {
	u32 unit;
	u32 eu;
	struct vsl_eu_report report;
};

/**
 * struct bench - one card and what runs on it
 * @sim: the card
 * @media: as the core sees it: @sim with @lies
 * @core: attached, or NULL
 * @ended: operations whose end the core does not know yet
 * @wake_ns: when the card wants to work, ~0: never
 * @steps: so far; broken() beyond a limit
 * @last_first: of what ended, the core is told of the last first
 * @buf: data of requests
 */
struct bench {
	struct vsl_sim *sim;
	struct vsl_media media;
	struct vsl_core *core;
	struct vsl_op *ended[BENCH_OPS];
	u32 nr_ended;
	u64 wake_ns;
	u64 steps;
	bool last_first;
	struct lie lie[BENCH_LIES];
	u32 nr_lies;
	u8 *buf;
};

struct bench *bench_create(const struct vsl_sim_config *config);

/** bench_reset() - healthy again: no faults, no lies, power */
void bench_reset(struct bench *bench);

int bench_format(struct bench *bench, u32 sector_bytes, u64 capacity_bytes,
		 bool overformat, bool parity);
int bench_probe(struct bench *bench, struct vsl_label *label);
int bench_attach(struct bench *bench, u32 flags);
int bench_detach(struct bench *bench);

/** bench_crash() - the host dies: the core is gone, the card stays */
void bench_crash(struct bench *bench);

/**
 * bench_io() - one request, alone, until it ends
 * @lba: first block of 4 KiB
 * @nr: blocks, of READ and WRITE at most BENCH_IO_BLOCKS; data in bench->buf
 *
 * Return: what it ended with.
 */
int bench_io(struct bench *bench, enum vsl_io_kind kind, u8 flags, u64 lba,
	     u32 nr);

/** bench_io_part() - the same in sectors */
int bench_io_part(struct bench *bench, enum vsl_io_kind kind, u8 flags,
		  u64 sector, u32 nr);

/** bench_tick() - a tenth of a second passes */
void bench_tick(struct bench *bench);

/**
 * bench_card_do() - one operation, given to the card past any core
 *
 * Return: enum vsl_result.
 */
u8 bench_card_do(struct bench *bench, u8 kind, u32 unit, u32 eu, u32 off, u32 nr,
		 void *buf);

/** bench_blocks() - size of the disk */
u64 bench_blocks(const struct bench *bench);

#endif /* VSL_FUZZ_BENCH_H */
