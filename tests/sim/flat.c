// SPDX-License-Identifier: GPL-2.0-only
/*
 * flat.c - cards that are no flash, case by case: see driver/media/sim_flat.c.
 *
 * Run number n is case n.  Each is what random histories on such cards (--flat)
 * bring about now and then: what was there before shows where nothing, or
 * something newer, should be.  A case fails when the rule of the core that it
 * belongs to is left out.
 */
#include "scene.h"

#include <string.h>

#include "fail.h"
#include "forge.h"
#include "past.h"

/* The toy has none of this, and is not asked. */
#pragma weak vsl_port_crc32c
#pragma weak vsl_lane_place

#define need(cond, ...)							\
	do {								\
		if (!(cond))						\
			sim_fail("test", __VA_ARGS__);			\
	} while (0)

/* ---- words --------------------------------------------------------------------- */

/* A card on which everything shows that was ever written, @eu_blocks * @eus large. */
static struct world *start_sized(struct scene *s, u32 flags, u32 eus, u32 eu_blocks)
{
	struct plan plan = {
		.card = {
			.units = 2,
			.eus = eus,
			.eu_blocks = eu_blocks,
			.ws_min = 1,
			.ws_opt = 1,
			.max_blocks = 64,
			.flags = VSL_SIM_SHUFFLE | VSL_SIM_FLAT | flags,
			.stale_permille = 1000,
			.seed = s->order->seed + s->order->run,
			.tear = { .program_old = 1, .erase_old = 1 },
		},
		.format = { .sector_bytes = VSL_BLOCK_BYTES, .uuid = "flat" },
		.weight = { 10, 10, 10, 10, 1 },
		.load = {
			.kind = { [VSL_IO_READ] = 1, [VSL_IO_WRITE] = 9 },
			.spread = { [SPREAD_UNIFORM] = 1 },
			.depth = 4,
		},
	};
	struct vsl_limits limits;

	need(!world_limits(&plan.card, false, &limits), "the card is refused");
	plan.format.capacity_bytes = min_t(u64, limits.advertised_bytes, 64u << 20);
	rng_init(&s->rng, s->order->seed, s->order->run, 79);
	s->world = world_create(&plan, s->order->seed, s->order->run);
	scene_format(s, &plan.format);
	return s->world;
}

static struct world *start(struct scene *s, u32 flags)
{
	return start_sized(s, flags, 48, 24);
}

/* One block, in a packet of its own. */
static void put(struct world *w, u32 lba)
{
	world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

static void flush(struct world *w)
{
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
}

static void power_cycle(struct world *w)
{
	world_crash(w);
	world_power_on(w);
}

/* A segment that was opened. */
struct opened {
	u32 seg;
	u64 alloc_no;
};

/* Write a block, the first of a segment that is opened for it. */
static struct opened open_with(struct world *w, u32 lba)
{
	const struct vsl_stream *stream = forge_point(w->core, lba);

	need(stream->seg == VSL_NONE, "its append point has a segment");
	put(w, lba);
	need(stream->seg != VSL_NONE && stream->index == 2,
	     "it is not the first one there");
	return (struct opened){
		.seg = stream->seg,
		.alloc_no = w->core->seg[stream->seg].alloc_no,
	};
}

/* Write so much at once that it goes to another append point. */
static struct opened open_with_many(struct world *w)
{
	struct opened last = { .seg = VSL_NONE };
	u32 i;

	for (i = 0; i < 64; i++)
		world_begin(w, VSL_IO_WRITE, 0, (300 + i) * VSL_BLOCK_SECTORS,
			    VSL_BLOCK_SECTORS);
	world_finish(w);
	for (i = 0; i < w->core->geo.segments; i++)
		if (w->core->seg[i].state == VSL_SEG_OPEN &&
		    w->core->seg[i].alloc_no > last.alloc_no)
			last = (struct opened){
				.seg = i,
				.alloc_no = w->core->seg[i].alloc_no,
			};
	return last;
}

static void need_again(const struct opened *now, const struct opened *then)
{
	need(now->seg == then->seg && now->alloc_no == then->alloc_no,
	     "allocation %llu was segment %u, and %llu is segment %u now",
	     then->alloc_no, then->seg, now->alloc_no, now->seg);
}

/*
 * The host is gone, and the card has lost the first head of @seg, which was not
 * flushed: nothing leads to what is behind it any more.
 */
static void lose_first(struct world *w, const struct opened *seg)
{
	/* A segment begins in the first unit that it has. */
	struct place at = {
		.unit = vsl_lane_owns(&w->core->geo, 0, seg->seg),
		.eu = seg->seg,
	};
	union block zero = { .byte = { 0 } };

	world_host_crash(w);
	forge_write(w->sim, &at, &zero);
}

/* ---- cases --------------------------------------------------------------------- */

/* The first record that a search by halves looks at cannot be read, where the one of
 * @generation is further behind. */
static void lose_one_before(struct world *w, u64 generation)
{
	u32 half = (1 + w->plan.card.eu_blocks) / 2;
	struct place at;
	union block block;

	for (at.eu = 0; at.eu < VSL_LANE_EUS; at.eu++)
		for (at.unit = 0; at.unit < 2; at.unit++)
			for (at.block = half + 2;
			     at.block < w->plan.card.eu_blocks; at.block++)
				if (!vsl_sim_peek(w->sim, at.unit, at.eu,
						  at.block, &block) &&
				    le64_to_cpu(block.root.generation) ==
				    generation)
					vsl_sim_poke(w->sim, at.unit, at.eu,
						     half, NULL);
}

/*
 * Lanes go around, and behind the newest record lie those of the last round;
 * checkpoints make many in one attach, crashes go on in the next erase unit.
 */
static void older_roots_behind(struct scene *s)
{
	struct world *w = start(s, 0);
	union block root;
	u32 round, i;

	for (round = 0; round < 24; round++) {
		for (i = rng_range(&s->rng, 1, 30); i; i--) {
			put(w, i);
			world_checkpoint(w);
		}
		power_cycle(w);
		need(forge_root(w->sim, &root), "there is no root");
		lose_one_before(w, le64_to_cpu(root.root.generation));
		scene_recover(s, 0);
		need(w->core->generation > le64_to_cpu(root.root.generation),
		     "a root of generation %llu was passed over",
		     le64_to_cpu(root.root.generation));
	}
}

/* Copies of @root behind the newest record of an erase unit.  Return: how many. */
static u32 put_behind(struct world *w, struct place at, const union block *root)
{
	u64 newest = 0, generation;
	union block block;
	u32 nr = 0;

	for (at.block = 0; at.block < w->plan.card.eu_blocks; at.block++) {
		if (vsl_sim_peek(w->sim, at.unit, at.eu, at.block, &block))
			continue;
		generation = le64_to_cpu(block.root.generation);
		if (generation > newest) {
			newest = generation;
			continue;
		}
		forge_write(w->sim, &at, root);
		nr++;
	}
	return nr;
}

/* Records of another format lie behind the first one, and say that they are newer. */
static void foreign_roots_behind(struct scene *s)
{
	struct world *w = start(s, 0);
	struct place at = { 0 };
	union block root;
	u32 nr;

	/* Once around the lanes, and a bit. */
	for (nr = 0; nr < 4 * VSL_LANE_EUS; nr++) {
		for (at.block = 0; at.block < 10 && nr % 4 < 3; at.block++) {
			put(w, nr);
			world_checkpoint(w);
		}
		power_cycle(w);
		scene_recover(s, 0);
	}
	world_host_crash(w);
	need(forge_root(w->sim, &root), "there is no root");
	memset(root.root.uuid, 0x55, sizeof(root.root.uuid));
	root.root.generation = cpu_to_le64(1 << 20);
	root.root.crc = cpu_to_le32(0);
	root.root.crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, &root,
						    le32_to_cpu(root.root.bytes)));
	for (nr = 0, at.eu = 0; at.eu < VSL_LANE_EUS; at.eu++)
		for (at.unit = 0; at.unit < 2; at.unit++)
			nr += put_behind(w, at, &root);
	need(nr > 8, "there were only %u places for them", nr);
	scene_recover(s, 0);
	need(!memcmp(w->core->uuid, w->plan.format.uuid, sizeof(w->core->uuid)),
	     "a root of another format was taken");
}

/* Both copies of the first record before the newest one cannot be read. */
static void first_root_unreadable(struct scene *s)
{
	struct world *w = start(s, 0);
	union block root, block;
	struct place at;
	u32 nr = 0, i;

	for (i = 0; i < 40; i++) {
		put(w, i);
		if (i % 10 < 8) {
			world_checkpoint(w);
			continue;
		}
		power_cycle(w);
		scene_recover(s, 0);
	}
	world_checkpoint(w);
	power_cycle(w);
	need(forge_root(w->sim, &root), "there is no root");
	for (at.eu = 0; at.eu < VSL_LANE_EUS; at.eu++) {
		for (at.unit = 0; at.unit < 2; at.unit++) {
			for (at.block = 1; at.block < 24; at.block++) {
				if (vsl_sim_peek(w->sim, at.unit, at.eu,
						 at.block, &block) ||
				    block.root.generation !=
				    root.root.generation)
					continue;
				vsl_sim_poke(w->sim, at.unit, at.eu, 0, NULL);
				nr++;
			}
		}
	}
	need(nr == VSL_LANES, "%u copies have something before them", nr);
	scene_recover(s, 0);
	need(w->core->generation > le64_to_cpu(root.root.generation),
	     "a root of generation %llu was passed over",
	     le64_to_cpu(root.root.generation));
}

/* Erases of everything but the lanes. */
static u64 worn(const struct world *w)
{
	u32 unit, eu;
	u64 sum = 0;

	for (unit = 0; unit < w->plan.card.units; unit++)
		for (eu = VSL_LANE_EUS; eu < w->plan.card.eus; eu++)
			sum += vsl_sim_wear(w->sim, unit, eu);
	return sum;
}

/* A format that was cut short: the disk is what it was, or there is none. */
static void format_cut_short(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE);
	struct vsl_format old = w->plan.format, new = old;
	struct past past = { 0 };
	struct vsl_label label;
	bool cut = true, is_new;
	u64 before;
	u32 nr;
	int err;

	world_fill(w, 300);
	power_cycle(w);
	scene_recover(s, 0);
	power_cycle(w);
	memset(new.uuid, 0x66, sizeof(new.uuid));
	past_keep(&past, s);
	before = worn(w);
	for (nr = 0; cut; nr++) {
		past_return(&past, s, w->sim);
		world_arm_change(w, nr, nr + 1);
		world_format(w, &new);
		cut = w->cut;
		power_cycle(w);
		err = world_probe(w, &label);
		need(!err, "probe returns %d", err);
		if (!label.formatted)
			continue;
		is_new = !memcmp(label.uuid, new.uuid, sizeof(label.uuid));
		need(is_new || worn(w) == before,
		     "the old format is there when segments are erased");
		if (is_new)
			scene_formatted(s, &new);
		s->erase_floor = 0;
		scene_recover(s, 0);
		scene_formatted(s, &old);
		power_cycle(w);
	}
	need(nr > 100, "a format has only %u changes", nr);
	past_drop(&past);
	scene_format(s, &new);
}

/*
 * A segment was opened and its first packet lost, but not those behind it.  It is
 * opened again, by the next attach and as the same allocation, and of the packets
 * of old the next one begins where the first one of now ends.
 */
static void lost_allocation(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE);
	struct opened old, now;
	u32 lba;

	old = open_with(w, 0);
	for (lba = 1; lba < 6; lba++)
		put(w, lba);
	lose_first(w, &old);
	scene_recover(s, 0);
	now = open_with(w, 100);
	need_again(&now, &old);
	flush(w);
	power_cycle(w);
	scene_recover(s, 0);
}

/*
 * The same; and what was lost had announced the next segment, and what announces
 * it now is there, while nothing of now is in it.
 */
static void lost_chain(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE);
	struct opened old, last, now;

	old = open_with(w, 0);
	last = open_with_many(w);
	need(last.alloc_no == old.alloc_no + 1, "others were opened between");
	lose_first(w, &old);
	scene_recover(s, 0);
	now = open_with(w, 100);
	need_again(&now, &old);
	need(w->core->next_seg == last.seg, "the next one is segment %u, was %u",
	     w->core->next_seg, last.seg);
	flush(w);
	power_cycle(w);
	scene_recover(s, 0);
}

/*
 * The segment was full, and has its summary; then its first packet rots away.  What
 * was in it is lost with that.  What is made again there later is not what the
 * old summary says.
 */
static void lost_summary(struct scene *s)
{
	struct world *w = start(s, VSL_SIM_VOLATILE);
	u32 lba, summaries = forge_summaries(w->sim);
	struct opened old, now;

	old = open_with(w, 0);
	for (lba = 1; w->core->seg[old.seg].state == VSL_SEG_OPEN; lba++)
		put(w, lba);
	need(forge_summaries(w->sim) > summaries, "it has no summary");
	lose_first(w, &old);
	scene_recover(s, 0);
	now = open_with(w, 100);
	need_again(&now, &old);
	flush(w);
	power_cycle(w);
	scene_recover(s, 0);
}

/*
 * Nobody flushes, and segments are so large that none is closed: still attach has
 * little to read for the sake of what may have been lost.
 */
static void doubt_is_bounded(struct scene *s)
{
	struct world *w = start_sized(s, VSL_SIM_VOLATILE, 24, 4096);
	u32 i;

	for (i = 0; i < 200; i++)
		world_do(w, VSL_IO_WRITE, 0, i % 60 * 256, 32 * VSL_BLOCK_SECTORS);
	world_host_crash(w);
	scene_recover(s, 0);
	need(w->core->attach_doubts, "nothing is in doubt");
	need(w->core->attach_doubt_blocks < 2 * VSL_DOUBT_BLOCKS,
	     "%llu blocks are in doubt", w->core->attach_doubt_blocks);
}

static void (*const cases[])(struct scene *s) = {
	older_roots_behind,
	foreign_roots_behind,
	first_root_unreadable,
	format_cut_short,
	lost_allocation,
	lost_chain,
	lost_summary,
	doubt_is_bounded,
};

void run_flat(const struct order *order)
{
	struct scene scene = {
		.order = order,
		.attach_steps = 200,
		.detach_steps = 100,
	};

	the_slot->cut = 0;
	cases[order->run % ARRAY_SIZE(cases)](&scene);
	world_audit(scene.world);
	scene_end(&scene);
}
