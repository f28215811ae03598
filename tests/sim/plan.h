/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - what a run is made of: card, format, habits, workload.
 */
#ifndef VSL_SIM_PLAN_H
#define VSL_SIM_PLAN_H

#include "../../driver/core/core.h"
#include "../../driver/media/sim.h"
#include "rng.h"

/* What the world may do next; see world.c. */
enum step {
	STEP_START,		/* give an operation to the card or a CPU */
	STEP_MEDIA,		/* the card works */
	STEP_FEED,		/* tell the core that an operation ended */
	STEP_HOST,		/* submit a request */
	STEP_TICK,
	NR_STEPS,
};

/* Where requests go. */
enum spread {
	SPREAD_UNIFORM,
	SPREAD_SEQUENTIAL,
	SPREAD_SKEWED,		/* nine of ten into a tenth of the disk */
	SPREAD_FEW,		/* eight blocks */
	NR_SPREADS,
};

/**
 * struct load - habits of a workload; weights are relative
 * @kind: weight of each enum vsl_io_kind
 * @spread: weight of each enum spread
 * @fua_permille: of writes, trims, zeroes
 * @big_permille: up to 512 KiB; @medium_permille: up to 32 KiB; else a block
 * @partial_permille: not aligned to blocks (512-byte sectors only)
 * @fast_permille: reads that try vsl_core_read_fast()
 * @fill_permille: of the disk before the first cut
 * @depth: requests under way
 */
struct load {
	u16 kind[VSL_IO_FLUSH + 1];
	u16 spread[NR_SPREADS];
	u16 fua_permille;
	u16 big_permille;
	u16 medium_permille;
	u16 partial_permille;
	u16 fast_permille;
	u16 fill_permille;
	u32 depth;
};

/**
 * struct plan - all of a run
 * @card: the simulated card
 * @format: of the disk
 * @attach_flags: VSL_ATTACH_*
 * @plp: the card keeps what ended, so acknowledged is durable (P5)
 * @weight: of each enum step
 * @load: the workload
 * @span: operations between two cuts, at most
 * @scrub_s: see struct vsl_core_env
 */
struct plan {
	struct vsl_sim_config card;
	struct vsl_format format;
	u32 attach_flags;
	bool plp;
	u16 weight[NR_STEPS];
	struct load load;
	u32 span;
	u32 scrub_s;
};

/** plan_restrict() - take from a plan what this core cannot serve, or NULL */
extern void (*plan_restrict)(struct plan *plan);

/* All cards are flat: ordinary namespaces used as flash. */
extern bool plan_flat;

/** plan_make() - a random plan that the core can serve */
void plan_make(struct plan *plan, struct rng *rng, const char *geometry);

/** plan_print() - one line */
void plan_print(const struct plan *plan, char *text, size_t text_bytes);

#endif /* VSL_SIM_PLAN_H */
