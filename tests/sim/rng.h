/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rng.h - the only source of chance in the simulator.
 *
 * Every choice comes from a stream, every stream from (seed, run, purpose), so
 * that a replay line is enough to live a run again, and a change of one purpose
 * (say, the order of operations) leaves the others (say, the workload) alone.
 */
#ifndef VSL_SIM_RNG_H
#define VSL_SIM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t rng_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static inline uint64_t rng_u64(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ull;
	return rng_mix(rng->state);
}

/** rng_init() - the stream of one purpose of one run */
static inline void rng_init(struct rng *rng, uint64_t seed, uint64_t run,
			    uint64_t purpose)
{
	rng->state = rng_mix(seed) ^ rng_mix(run * 0xd6e8feb86659fd93ull + 1) ^
		     rng_mix(purpose * 0xa0761d6478bd642full + 2);
}

/** rng_below() - 0 to @limit - 1; 0 for a @limit of 0 */
static inline uint32_t rng_below(struct rng *rng, uint32_t limit)
{
	return ((rng_u64(rng) >> 32) * limit) >> 32;
}

/** rng_range() - @low to @high, both included */
static inline uint32_t rng_range(struct rng *rng, uint32_t low, uint32_t high)
{
	return low + rng_below(rng, high - low + 1);
}

/** rng_chance() - true in @permille of 1000 cases */
static inline bool rng_chance(struct rng *rng, uint32_t permille)
{
	return rng_below(rng, 1000) < permille;
}

#endif /* VSL_SIM_RNG_H */
