// SPDX-License-Identifier: GPL-2.0-only
/*
 * small.c - every cut of small workloads, and every cut of every recovery.
 *
 * Run number n is workload n: up to four operations on a tiny card that has
 * lived a little.  The first workloads are each operation alone, then come all
 * pairs, then threes and fours by chance; cards and habits change from one to
 * the next.
 *
 * A workload is lived again and again from a copy of the card, each time with
 * the power going at the next boundary: before an operation of the card that
 * changes it (program, erase, finish, flush) begins, or may end.  Reads change
 * nothing, so between two boundaries all cuts leave the same card; the power
 * goes at the last moment, when most was acknowledged.  Where something was under
 * way (or the card has a cache to forget) each boundary is tried with each torn
 * state.  What is left is recovered and judged, twice (P6).
 *
 * Depth 2: the same for the recovery from that cut, from a copy of what the cut
 * left.  Many cuts leave the same: an operation torn into nothing, and a cut
 * before it began.  From what an earlier cut of the workload has left (the same
 * blocks, write pointers and wear, and the same requests ended) the recovery is
 * the same to the bit, and is not gone through again.
 *
 * A cut is one number: boundary, torn state, and for depth 2 boundary + 1 and
 * torn state inside the recovery (see at_of()).
 */
#include "past.h"

#include "fail.h"

#define OPS_MAX		4u
#define PRINTS		4096u
#define DEEP_ONE_IN	16u	/* shallow runs go deep at so many cuts */

enum small_op {
	OP_WRITE,		/* a block */
	OP_LONG,		/* several */
	OP_PARTIAL,		/* sectors, where the disk has some */
	OP_TRIM,
	OP_ZERO,
	OP_FLUSH,
	OP_FUA,
	OP_REATTACH,
	OP_PRESSURE,		/* enough to need a segment, and room for it */
	OP_CHECKPOINT,
	NR_OPS,
};

static const char *const op_names[NR_OPS] = {
	"write", "long", "partial", "trim", "zero", "flush", "fua",
	"reattach", "pressure", "checkpoint",
};

/* What a cut leaves of each block and erase under way. */
static const struct vsl_sim_tear tears[] = {
	{ .no_front = 1, .program_old = 1, .erase_old = 1 },
	{ .no_front = 1, .program_new = 1, .erase_done = 1 },
	{ .no_front = 1, .program_mixed = 1, .erase_random = 1 },
	{ .no_front = 1, .program_random = 1, .erase_random = 1 },
	{ .program_old = 1, .program_new = 1, .program_prefix = 1,
	  .program_lost = 1, .erase_old = 1, .erase_done = 1 },
};

#define TEARS	((u32)ARRAY_SIZE(tears))

/* A cut: its number is what a replay line names. */
struct at {
	u32 cut;		/* boundary in the workload */
	u32 tear;
	u32 deep;		/* boundary in the recovery + 1; 0: no cut there */
	u32 deep_tear;
};

struct small {
	struct scene scene;
	enum small_op op[OPS_MAX];
	u32 nr_ops;
	bool together;		/* not one after the other */
	struct vsl_sim *card[TEARS];
	struct vsl_sim *first;	/* the world's own */
	struct past base;	/* before the workload */
	struct past wreck;	/* after the cut */
	u64 number;		/* of the cut being tried */
	u64 print[PRINTS];	/* of what cuts have left so far */
	u32 nr_prints;
};

static u64 number_of(const struct at *at)
{
	return at->cut | (u64)at->tear << 16 | (u64)at->deep << 20 |
	       (u64)at->deep_tear << 36;
}

static struct at at_of(u64 number)
{
	return (struct at){
		.cut = number & 0xffff,
		.tear = (number >> 16 & 15) % TEARS,
		.deep = number >> 20 & 0xffff,
		.deep_tear = (number >> 36 & 15) % TEARS,
	};
}

/* ---- the card and what it has lived ------------------------------------------- */

/* Flags: 2 shuffle, 8 volatile, 16 protected, 32 in order, 64 finish, 128 reports. */
static const char *const cards[] = {
	"units=2,eus=40,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,bad=0,flags=0xc2",
	"units=1,eus=48,eu_blocks=16,ws_min=1,ws_opt=1,hole=0,max_blocks=64,bad=0,flags=0x82",
	"units=4,eus=28,eu_blocks=8,ws_min=2,ws_opt=2,hole=0,max_blocks=8,bad=0,flags=0xca",
	"units=2,eus=48,eu_blocks=8,ws_min=1,ws_opt=2,hole=2,max_blocks=16,bad=0,flags=0xc2",
	"units=3,eus=32,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,bad=200,flags=0x92",
	"units=2,eus=40,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,bad=0,flags=0xea",
};

static void choose_ops(struct small *small, u64 run)
{
	struct scene *s = &small->scene;
	u32 i;

	if (run < NR_OPS) {
		small->nr_ops = 1;
		small->op[0] = run;
	} else if (run < NR_OPS + NR_OPS * NR_OPS) {
		small->nr_ops = 2;
		small->op[0] = (run - NR_OPS) / NR_OPS;
		small->op[1] = run % NR_OPS;
	} else {
		small->nr_ops = rng_range(&s->rng, 3, OPS_MAX);
		for (i = 0; i < small->nr_ops; i++)
			small->op[i] = rng_below(&s->rng, NR_OPS);
	}
	small->together = rng_chance(&s->rng, 300);
	for (i = 0; i < small->nr_ops; i++)
		sim_trace("operation %u: %s", i, op_names[small->op[i]]);
}

static void small_begin(struct small *small, const struct order *order)
{
	struct order own = *order;
	struct scene *s = &small->scene;
	struct world *w;
	u32 i;

	if (!own.geometry)
		own.geometry = cards[order->run % ARRAY_SIZE(cards)];
	own.steady = true;
	*small = (struct small){ 0 };
	scene_begin(s, &own);
	s->order = order;
	w = s->world;
	choose_ops(small, order->run);
	world_run(w, rng_below(&s->rng, 60));
	world_crash(w);
	world_power_on(w);
	scene_recover(s, 0);
	world_crash(w);
	world_power_on(w);
	past_keep(&small->base, s);
	small->first = w->sim;
	for (i = 0; i < TEARS; i++)
		small->card[i] = world_card(w, &tears[i]);
}

static void small_end(struct small *small)
{
	u32 i;

	world_use(small->scene.world, small->first);
	for (i = 0; i < TEARS; i++)
		vsl_sim_destroy(small->card[i]);
	past_drop(&small->base);
	past_drop(&small->wreck);
	scene_end(&small->scene);
}

/* ---- the workload -------------------------------------------------------------- */

static void reattach(struct small *small)
{
	struct world *w = small->scene.world;
	u32 tag = oracle_begin(w->oracle, VSL_IO_FLUSH, 0, 0, 0);
	int err = world_detach(w);

	if (w->cut)
		return;
	if (err)
		sim_fail("door", "detach returns %d", err);
	oracle_end(w->oracle, tag, 0, NULL);
	err = world_attach(w, w->plan.attach_flags | VSL_ATTACH_CLEAN_ONLY);
	if (err && !w->cut)
		sim_fail("door", "attach after a clean stop returns %d", err);
}

static void pressure(struct world *w, u64 block, u64 blocks)
{
	u32 i;

	for (i = 0; i < 6 && !w->cut; i++)
		world_do(w, VSL_IO_WRITE, 0,
			 (block + i * 37) % (blocks - 4) * VSL_BLOCK_SECTORS,
			 4 * VSL_BLOCK_SECTORS);
}

static void op_do(struct small *small, u32 nr)
{
	struct world *w = small->scene.world;
	u64 blocks = w->plan.format.capacity_bytes / VSL_BLOCK_BYTES;
	/* blocks that meet each other, in different places for each run */
	u64 block = (small->scene.order->run * 29 + nr % 2) % (blocks - 16);
	u64 sector = block * VSL_BLOCK_SECTORS;
	u32 grain = w->plan.format.sector_bytes / VSL_SECTOR_BYTES;

	switch (small->op[nr]) {
	case OP_WRITE:
		world_begin(w, VSL_IO_WRITE, 0, sector, VSL_BLOCK_SECTORS);
		break;
	case OP_LONG:
		world_begin(w, VSL_IO_WRITE, 0, sector, 5 * VSL_BLOCK_SECTORS);
		break;
	case OP_PARTIAL:
		world_begin(w, VSL_IO_WRITE, 0, sector + grain % 8, 2 * grain);
		break;
	case OP_TRIM:
		world_begin(w, VSL_IO_TRIM, 0, sector, 3 * VSL_BLOCK_SECTORS);
		break;
	case OP_ZERO:
		world_begin(w, VSL_IO_ZERO, 0, sector + grain % 8, 2 * VSL_BLOCK_SECTORS);
		break;
	case OP_FLUSH:
		world_begin(w, VSL_IO_FLUSH, 0, 0, 0);
		break;
	case OP_FUA:
		world_begin(w, VSL_IO_WRITE, VSL_IO_FUA, sector,
			    VSL_BLOCK_SECTORS);
		break;
	case OP_REATTACH:
		if (world_finish(w))
			reattach(small);
		break;
	case OP_PRESSURE:
		pressure(w, block, blocks);
		break;
	default:
		if (world_finish(w))
			world_checkpoint(w);
		break;
	}
}

static void crash(struct world *w)
{
	world_crash(w);
	world_power_on(w);
}

/* More than one outcome is possible where the power went. */
static bool is_torn(const struct world *w)
{
	return w->torn || w->plan.card.flags & VSL_SIM_VOLATILE;
}

static void say_cut(struct small *small, const struct at *at)
{
	small->number = number_of(at);
	the_slot->cut = small->number;
	sim_tracing = small->scene.order->trace_from <= the_slot->cut;
	sim_trace("cut %llu: boundary %u torn %u, in recovery %d torn %u",
		  the_slot->cut, at->cut, at->tear, (int)at->deep - 1,
		  at->deep_tear);
}

/* Return: the workload was not over before. */
static bool small_live(struct small *small, const struct at *at, bool *torn)
{
	struct world *w = small->scene.world;
	bool reached;
	u32 i;
	int err;

	say_cut(small, at);
	past_return(&small->base, &small->scene, small->card[at->tear]);
	world_reseed(w, small->scene.order->seed, small->scene.order->run);
	err = world_attach(w, w->plan.attach_flags);
	if (err)
		sim_fail("door", "attach returns %d", err);
	world_arm_change(w, at->cut, rng_mix(number_of(at) + 1));
	for (i = 0; i < small->nr_ops && !w->cut; i++) {
		op_do(small, i);
		if (!small->together && !w->cut)
			world_finish(w);
	}
	if (!w->cut && world_finish(w))
		world_idle(w);
	reached = w->cut;
	crash(w);
	*torn = reached && is_torn(w);
	return reached;
}

/* ---- what is left --------------------------------------------------------------- */

/* Recover and judge; once more, and nothing may be different (P6). */
static void small_judge(struct small *small, bool twice)
{
	struct scene *s = &small->scene;

	world_reseed(s->world, s->order->seed, s->order->run + 1);
	scene_recover(s, 0);
	crash(s->world);
	if (!twice)
		return;
	the_slot->cut = small->number;
	scene_recover(s, 0);
	crash(s->world);
}

/* Cut the recovery from what lies on the wreck. */
static bool wreck_cut(struct small *small, const struct at *at, bool *torn)
{
	struct scene *s = &small->scene;
	struct world *w = s->world;
	bool reached;
	int err;

	say_cut(small, at);
	past_return(&small->wreck, s, small->card[at->deep_tear]);
	world_reseed(w, s->order->seed, s->order->run + 2);
	world_arm_change(w, at->deep - 1, rng_mix(number_of(at) + 2));
	err = world_attach(w, w->plan.attach_flags);
	reached = w->cut;
	if (err && !reached)
		sim_fail("door", "attach returns %d", err);
	crash(w);
	*torn = reached && is_torn(w);
	small_judge(small, false);
	the_slot->deep_cuts++;
	return reached;
}

static void wreck_all(struct small *small, struct at at)
{
	bool reached = true, torn;

	for (at.deep = 1; reached && !session_is_over(); at.deep++)
		for (at.deep_tear = 0, torn = true;
		     at.deep_tear < TEARS && torn && reached; at.deep_tear++)
			reached = wreck_cut(small, &at, &torn);
}

/* A number made of all that is on the card and all that was promised. */
static u64 print_of(struct small *small)
{
	struct world *w = small->scene.world;
	const struct vsl_sim_config *card = &w->plan.card;
	struct vsl_eu_report report;
	u8 block[VSL_BLOCK_BYTES] __attribute__((aligned(8)));
	u64 print = oracle_print(w->oracle);
	u32 unit, eu, i;
	int err;

	for (unit = 0; unit < card->units; unit++)
		for (eu = 0; eu < card->eus; eu++) {
			memset(&report, 0, sizeof(report));
			w->media->ops->report(w->media, unit, eu, 1, &report);
			print = rng_mix(print ^ report.wp ^
					(u64)report.state << 32 ^
					(u64)vsl_sim_wear(w->sim, unit, eu) << 40);
			for (i = 0; i < card->eu_blocks; i++) {
				err = vsl_sim_peek(w->sim, unit, eu, i, block);
				print = rng_mix(print + (u64)-err);
				if (!err)
					print ^= vsl_port_crc32c(i, block,
								 sizeof(block));
			}
		}
	return print;
}

/* Has an earlier cut left the same? */
static bool is_known(struct small *small)
{
	u64 print = print_of(small);
	u32 i;

	for (i = 0; i < small->nr_prints; i++)
		if (small->print[i] == print)
			return true;
	if (small->nr_prints < PRINTS)
		small->print[small->nr_prints++] = print;
	return false;
}

static bool goes_deep(const struct order *order, const struct at *at)
{
	return order->deep ||
	       rng_mix(order->seed + order->run * 65537 + number_of(at)) %
	       DEEP_ONE_IN == 0;
}

static bool small_cut(struct small *small, const struct at *at, bool *torn)
{
	bool reached = small_live(small, at, torn);
	bool deep = goes_deep(small->scene.order, at);

	if (reached && is_known(small)) {
		the_slot->same_cuts++;
		deep = false;
	}
	if (deep)
		past_keep(&small->wreck, &small->scene);
	small_judge(small, true);
	the_slot->shallow_cuts++;
	if (deep)
		wreck_all(small, *at);
	return reached;
}

static void small_all(struct small *small)
{
	bool reached = true, torn;
	struct at at = { 0 };

	for (at.cut = 0; reached && !session_is_over(); at.cut++)
		for (at.tear = 0, torn = true;
		     at.tear < TEARS && torn && reached; at.tear++)
			reached = small_cut(small, &at, &torn);
}

void run_small(const struct order *order)
{
	struct small small;
	struct at at;
	bool torn;

	small_begin(&small, order);
	if (order->only_cut == EVERY_CUT) {
		small_all(&small);
	} else {
		at = at_of(order->only_cut);
		small_live(&small, &(struct at){ at.cut, at.tear, 0, 0 }, &torn);
		past_keep(&small.wreck, &small.scene);
		if (at.deep)
			wreck_cut(&small, &at, &torn);
		else
			small_judge(&small, true);
	}
	small_end(&small);
}
