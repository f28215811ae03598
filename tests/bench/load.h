/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * load.h - which block comes next, and what a perfect card would make of it.
 */
#ifndef VSL_BENCH_LOAD_H
#define VSL_BENCH_LOAD_H

#include "../../driver/core/port.h"

/**
 * struct load - a stream of block numbers
 * @nr: blocks they are taken from
 * @state: of the random numbers
 * @stride: rank k is block k * @stride % @nr: hot ones lie all over the disk
 * @hot: ranks below it are hot; 0: uniform, unless there is a @cdf
 * @hot_share: how many of the writes they get
 * @cdf: Zipf: how many of the writes go to ranks up to this
 * @shift: rank k is what rank k + @shift was: they have moved
 */
struct load {
	u64 nr;
	u64 state;
	u64 stride;
	u64 hot;
	double hot_share;
	double *cdf;
	u64 shift;
};

/* SplitMix64 */
static inline u64 load_random(struct load *load)
{
	u64 z = load->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* load_init() - @name: "uniform", "80/20" (any such), "zipf" (0.99) */
void load_init(struct load *load, const char *name, u64 nr, u64 seed);
void load_exit(struct load *load);

/* load_move() - the hot blocks become cold ones, and others hot */
void load_move(struct load *load);

/* load_next() - the next block */
u64 load_next(struct load *load);

/* load_uniform_wa() - write amplification of a FIFO log, uniform random; the
 * closed form of docs/DESIGN.md; @alpha: room over data */
double load_uniform_wa(double alpha);

/* load_ideal_wa() - the same for @load, its classes of heat kept apart and the
 * spare room split among them in the best way */
double load_ideal_wa(const struct load *load, double alpha);

#endif /* VSL_BENCH_LOAD_H */
