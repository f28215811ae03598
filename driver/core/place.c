// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * place.c - which append point a block goes to.
 *
 * Blocks that will be overwritten at about the same time belong together: a
 * segment of them is empty when its time has come, and nothing must be moved
 * out of it.  So the append points for data are a ladder of expected lives,
 * from a hundredth of the time in which the host writes the disk once to
 * nearly three times as much, each step about three times the one before.
 * Host and groomer share them: a block that was moved has the same future as
 * one that was written, if both are expected to live as long.
 *
 * What is expected is kept per segment, not per block, for the blocks of one
 * are alike: the mean of what was expected of them when they came, and when
 * that was.  A block that is
 *	moved		was expected to live L and has lived A here, and goes
 *			on: L + A
 *	overwritten	was expected to live L and has lived A: (L + A) / 2
 *	new		once round the disk
 * That is the mean of the last lives, the newest counting half, and a life not
 * yet over counted as what it is so far.  Time is the blocks the host writes.
 *
 * A host that has few blocks under way at a time gets a head for every few, and
 * a head is dead when it is written: all it writes goes to the first append
 * point then, where what lives shortest is.
 *
 * None of this is on the media.  After attach a segment is expected to live
 * what its append point stands for, and as old as its versions say.
 *
 * Order.  A host's commit that is written again after its segment failed gets
 * a new version (log.c), and would win over a newer one of the same block that
 * lies elsewhere.  So what the host does to a block, while something that it
 * did to it before is not on the media, goes where that went; and as long as a
 * trim is not, everything goes where that went.  And a block that is written in
 * part holds a part of another write: it must not be there after a power loss
 * without that one, which may be more than this block.
 *
 * Invariants
 * X1  Of one block, the host's commits that are not complete lie in one
 *     append point.
 * X2  While a trim is not complete, no other append point has commits of the host
 *     that are not complete.
 * X3  On a volatile card a block that is written in part goes where its last commit
 *     is, unless that is durable.
 */
#include "place.h"

#define LIFE_MOST	16u	/* times round the disk: longer is for ever */
#define PLACE_MEAN	64u	/* writes that a mean is of */
#define PLACE_FEW	(24u * VSL_BLOCK_SECTORS)

/* Where one step of the ladder ends, in thousandths of a round. */
static const u16 rungs[VSL_POINTS - 1] = { 10, 30, 100, 300, 900, 2700 };

/* Fewer append points have fewer steps: which point each step goes to. */
static const u8 two[VSL_POINTS] = { 0, 0, 0, 0, 0, 1, 1 };
static const u8 three[VSL_POINTS] = { 0, 0, 0, 1, 1, 2, 2 };
static const u8 seven[VSL_POINTS] = { 0, 1, 2, 3, 4, 5, 6 };

static const u8 *points(const struct vsl_core *core)
{
	return core->geo.points < 3 ? two :
	       core->geo.points < VSL_POINTS ? three : seven;
}

/* A test makes them change all the time, whatever blocks are expected to live. */
#ifndef VSL_POINT_OF_STEP
#define VSL_POINT_OF_STEP(core, step)	(points(core)[step])
#endif

static u64 now(const struct vsl_core *core)
{
	return core->counter[VSL_COUNT_HOST_WRITE];
}

static u64 expected(const struct vsl_core *core, const struct vsl_segment *s)
{
	return s->nr_lives ? s->lives / s->nr_lives : core->geo.lba_blocks;
}

static u64 lived(const struct vsl_core *core, const struct vsl_segment *s)
{
	return now(core) - s->born -
	       (s->nr_lives ? s->later / s->nr_lives : 0);
}

/* Blocks moved out of segment @seg: how long are they going to live? */
u64 vsl_life_moved(const struct vsl_core *core, u32 seg)
{
	const struct vsl_segment *s = &core->seg[seg];

	return min_t(u64, expected(core, s) + lived(core, s),
		     (u64)LIFE_MOST * core->geo.lba_blocks);
}

/* A block that the host writes now. */
u64 vsl_life_written(const struct vsl_core *core, u32 lba)
{
	u32 ppa = vsl_map_get(core, lba);

	if (!vsl_ppa_is_block(ppa))
		return core->geo.lba_blocks;
	return vsl_life_moved(core, vsl_ppa_seg(&core->geo, ppa)) / 2;
}

/* The append point for blocks that live so long. */
u8 vsl_life_point(const struct vsl_core *core, u64 life)
{
	u64 round = core->geo.lba_blocks;
	u32 step = 0;

	while (step < VSL_POINTS - 1 && life * 1000 > round * rungs[step])
		step++;
	return VSL_POINT_OF_STEP(core, step);
}

/* A block with an expected life of @life comes to segment @seg. */
void vsl_life_note(struct vsl_core *core, u32 seg, u64 life)
{
	struct vsl_segment *s = &core->seg[seg];

	s->lives += life;
	s->later += now(core) - s->born;
	s->nr_lives++;
}

/* Segment @seg is opened. */
void vsl_life_begin(struct vsl_core *core, u32 seg)
{
	struct vsl_segment *s = &core->seg[seg];

	s->born = now(core);
	s->later = 0;
	s->lives = 0;
	s->nr_lives = 0;
}

/* What an append point stands for: the top of its first step. */
static u64 life_of_point(const struct vsl_core *core, u8 point)
{
	u32 step = 0;

	while (step < VSL_POINTS - 2 && points(core)[step] < point)
		step++;
	return (u64)core->geo.lba_blocks * rungs[step] / 1000;
}

/* After attach: as much as can be told from the segment table. */
void vsl_life_load(struct vsl_core *core)
{
	u64 newest = 1, rate, age;
	u32 seg;

	for (seg = 0; seg < core->geo.segments; seg++)
		newest = max_t(u64, newest, core->seg[seg].last_version);
	/* blocks of the host for 256 commits */
	rate = min_t(u64, (now(core) * 256) / newest, 256);
	for (seg = 0; seg < core->geo.segments; seg++) {
		struct vsl_segment *s = &core->seg[seg];

		vsl_life_begin(core, seg);
		if (!s->valid)
			continue;
		age = (newest - s->last_version) * rate / 256;
		s->born -= min_t(u64, s->born, age);
		s->nr_lives = s->valid;
		s->lives = s->valid * life_of_point(core, s->stream);
	}
}

/* ---- what the host does to the same blocks -------------------------------- */

/* Is the last commit of a segment that is not settled durable, or was it when
 * @io began to wait? */
static bool all_durable(const struct vsl_core *core, const struct vsl_segment *s,
			const struct vsl_io *io)
{
	u64 stable = core->stream[s->stream].stable;

	return s->last_version < stable || io->version <= stable;
}

/* The append point that the block of @slot must go to; VSL_STREAMS: any. */
static u8 bound_to(struct vsl_core *core, const struct vsl_io *io,
		   const struct vsl_slot *slot)
{
	u32 ppa = vsl_map_get(core, slot->lba);
	const struct vsl_segment *s;
	const struct vsl_slot *last;

	if (!vsl_ppa_is_block(ppa))
		return VSL_STREAMS;
	s = &core->seg[vsl_ppa_seg(&core->geo, ppa)];
	if ((s->state != VSL_SEG_OPEN && s->settled) ||
	    s->stream >= VSL_STREAM_MAP)
		return VSL_STREAMS;
	last = vsl_slot_find(core, ppa);
	if (last && last->pending)
		return s->stream;
	if (core->volatile_cache && slot->partial && !all_durable(core, s, io))
		return s->stream;
	return VSL_STREAMS;
}

/* @io is bound to two append points: to one of them no longer, once it has done
 * what is under way. */
static void wait_for(struct vsl_core *core, struct vsl_io *io, u8 point)
{
	io->version = min_t(u64, io->version, core->next_version);
	vsl_log_push_host(core);
	if (!core->volatile_cache)
		return;
	vsl_log_push(core, point);
	core->flush_wanted = true;
}

/* Have few writes of the host been under way at once? */
bool vsl_place_few(const struct vsl_core *core)
{
	return core->depth < PLACE_FEW * PLACE_MEAN;
}

/* The append point for block @lba of the host, where nothing else binds it. */
u8 vsl_place_free(const struct vsl_core *core, u32 lba)
{
	if (vsl_place_few(core))
		return vsl_life_point(core, 0);
	return vsl_life_point(core, vsl_life_written(core, lba));
}

/**
 * vsl_place_write() - the append point for blocks that the host writes together
 * @core: the core
 * @io: the request; @io->point is where others of its blocks went
 * @nr: how many of its slots
 *
 * Return: VSL_STREAMS: not now, something must complete first (which it does by
 * itself).
 */
u8 vsl_place_write(struct vsl_core *core, struct vsl_io *io, u32 nr)
{
	u8 point = core->nr_trims ? core->trim_point : io->point, bound;
	const struct vsl_slot *slot;

	for (slot = io->slots; nr; nr--, slot = slot->next) {
		bound = bound_to(core, io, slot);
		if (bound == VSL_STREAMS)
			continue;
		if (point != VSL_STREAMS && point != bound) {
			wait_for(core, io, bound);
			return VSL_STREAMS;
		}
		point = bound;
	}
	if (point != VSL_STREAMS)
		return point;
	core->depth += core->writing - core->depth / PLACE_MEAN;
	return vsl_place_free(core, io->slots->lba);
}

/* The trims of @packet are complete, or given up. */
void vsl_place_trimmed(struct vsl_core *core, struct vsl_packet *packet)
{
	if (packet->trims)
		core->nr_trims--;
	packet->trims = false;
}

/**
 * vsl_place_trim() - the append point for a trim
 * @core: the core
 *
 * Return: VSL_STREAMS: not now (likewise); core->trim_waits is set.
 */
u8 vsl_place_trim(struct vsl_core *core)
{
	u8 point = 0;
	u32 i, nr = 0;

	core->trim_waits = false;
	if (core->nr_trims)
		return core->trim_point;
	for (i = 0; i < VSL_STREAM_MAP; i++)
		if (vsl_log_host_version(core, i) != VSL_NO_VERSION) {
			point = i;
			nr++;
		}
	if (nr <= 1)
		return point;
	vsl_log_push_host(core);
	core->trim_waits = true;
	return VSL_STREAMS;
}
