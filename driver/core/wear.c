// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * wear.c - data that is moved for the sake of the flash, not of space.
 *
 * Two reasons:
 *
 *	refresh		the card asks for it (a read ended with VSL_RES_REFRESH,
 *			or VSL_EVENT_REFRESH came), the scrubber has met a bad
 *			block there, or the segment was read so often that its
 *			neighbours in the flash suffer
 *	levelling	the segment is worn much less than others, because what
 *			is in it does not change: data is moved out, so that the
 *			segment takes its share of the erases (static levelling)
 *
 * The groomer does the work; this file only names its next victim, before those
 * it would choose for space.  A map segment is no victim: its pages are made
 * dirty, and the next checkpoint writes them elsewhere.
 *
 * Whoever reads counts in the segment and leaves a wish there, without the lock.
 * The tick walks through the segments, some at a time, and notes the best
 * candidate of each kind; a victim is looked at again before it is taken.
 *
 * What bounds it
 *	asked for	A segment is moved once for all wishes of an allocation.
 *			In a day so many blocks are moved for wishes as the card
 *			has, and a few segments more at once: a card that asks
 *			for everything all the time is erased once a day.
 *	read often	One move for every @limit reads, so the reads pay.
 *	levelling	One block for a hundred that the host writes; for ten
 *			while segments differ by more than twice the spread, for
 *			four by more than three times.  What was not written
 *			earns nothing: an idle disk does not wear.
 *	all		WEAR_WINDOW blocks under way (groom.c), and nothing while
 *			space is short but every GROOM_TURN-th victim.
 *
 * Reads are counted in memory only.  After an attach it is the card itself, or
 * the scrubber, that notices what was read often before.
 *
 * Invariants
 * W1  A wish is taken at most once between two openings of a segment.
 * W2  Nothing is chosen for levelling unless its blocks were earned before.
 * W3  Levelling begins only while the segment that is opened next is worn more
 *     than the victim, by half of the spread at least.
 *
 * Power loss: wishes are forgotten; the next read that deserves one leaves it
 * again.
 */
#include "int.h"

#define WEAR_LOOK	2048u		/* segments looked at in a tick */
#define READS_MAX	100000u		/* where the card does not say */
#define CYCLES		3000u		/* likewise */
#define SPREAD_SHARE	64u		/* of the erases the card is made for */
#define SPREAD_MIN	16u
#define DAY_NS		86400000000000ull
#define BURST		4u		/* segments moved at once */

static void round_begin(struct vsl_wear_round *round)
{
	round->asked = VSL_NONE;
	round->read = VSL_NONE;
	round->cold = VSL_NONE;
	round->most = 0;
}

static u32 segment_blocks(const struct vsl_core *core)
{
	return vsl_seg_blocks(&core->geo, core->geo.units);
}

static s64 burst(const struct vsl_core *core)
{
	return (s64)BURST * segment_blocks(core);
}

/* Attach: from now on. */
void vsl_wear_begin(struct vsl_core *core)
{
	const struct vsl_media_info *info = &core->media->info;
	u32 cycles = info->erase_cycles ? info->erase_cycles : CYCLES;
	struct vsl_wearer *wear = &core->wear;

	wear->limit = info->disturb_reads ? info->disturb_reads : READS_MAX;
	wear->spread = max_t(u32, SPREAD_MIN, cycles / SPREAD_SHARE);
	wear->refill_ns = vsl_port_now_ns();
	wear->tokens = burst(core);
	round_begin(&wear->now);
	round_begin(&wear->seen);
}

/* ---- wishes ----------------------------------------------------------------- */

/* Context: any, lock not needed. */
void vsl_wear_wish(struct vsl_core *core, u32 seg)
{
	struct vsl_segment *s = &core->seg[seg];

	if (READ_ONCE(s->wish) == VSL_WISH_NONE)
		WRITE_ONCE(s->wish, VSL_WISH_MOVE);
}

/*
 * vsl_wear_read() - a read of the media has ended
 *
 * Two readers at once may count as one; it is an estimate anyway.
 *
 * Context: any, lock not needed while the segment has a reader.
 */
void vsl_wear_read(struct vsl_core *core, const struct vsl_op *op)
{
	struct vsl_segment *s;
	u32 reads;

	if (!core->seg || op->eu >= core->geo.segments)
		return;
	s = &core->seg[op->eu];
	reads = READ_ONCE(s->reads);
	if (reads < core->wear.limit)
		WRITE_ONCE(s->reads, reads + op->nr);
	if (op->result == VSL_RES_REFRESH)
		vsl_core_refresh(core, op->unit, op->eu);
}

void vsl_core_refresh(struct vsl_core *core, u32 unit, u32 eu)
{
	/* Roots are written anew all the time. */
	if (core->seg && eu < core->geo.segments &&
	    !vsl_lane_owns(&core->geo, unit, eu))
		vsl_wear_wish(core, eu);
}

/* ---- looking for candidates -------------------------------------------------- */

/* Is there something in it that could be moved? */
static bool movable(const struct vsl_core *core, const struct vsl_segment *s)
{
	return s->state == VSL_SEG_CLOSED && s->settled && s->valid &&
	       s->nr_units >= core->geo.units_min;
}

static bool read_often(const struct vsl_core *core, const struct vsl_segment *s)
{
	return READ_ONCE(s->reads) >= core->wear.limit &&
	       READ_ONCE(s->wish) != VSL_WISH_TAKEN;
}

/* Since it was written the host has written as much as the disk holds. */
static bool cold(const struct vsl_core *core, const struct vsl_segment *s)
{
	return !s->tail &&
	       core->next_version - s->last_version > core->geo.lba_blocks;
}

static void look(struct vsl_core *core, u32 seg)
{
	struct vsl_wear_round *now = &core->wear.now;
	struct vsl_segment *s = &core->seg[seg];

	if (s->state == VSL_SEG_BAD)
		return;
	now->most = max_t(u32, now->most, s->erases);
	/* It is empty, but what is left of the log there is still needed. */
	if (s->state == VSL_SEG_CLOSED && s->tail && !s->valid &&
	    READ_ONCE(s->wish) == VSL_WISH_MOVE) {
		WRITE_ONCE(s->wish, VSL_WISH_TAKEN);
		vsl_check_request(core, false);
	}
	if (!movable(core, s))
		return;
	if (READ_ONCE(s->wish) == VSL_WISH_MOVE)
		now->asked = seg;
	if (read_often(core, s))
		now->read = seg;
	if (cold(core, s) && (now->cold == VSL_NONE ||
			      s->erases < core->seg[now->cold].erases))
		now->cold = seg;
}

static u32 gap(const struct vsl_core *core)
{
	const struct vsl_wear_round *seen = &core->wear.seen;

	if (seen->cold == VSL_NONE ||
	    core->seg[seen->cold].erases >= seen->most)
		return 0;
	return seen->most - core->seg[seen->cold].erases;
}

/* What wishes may cost, by the time that has passed. */
static void refill(struct vsl_core *core)
{
	u64 all = (u64)core->geo.segments * segment_blocks(core);
	u64 block_ns = max_t(u64, DAY_NS / all, 1);
	struct vsl_wearer *wear = &core->wear;
	u64 now = vsl_port_now_ns(), nr;

	if (now < wear->refill_ns)
		return;
	nr = (now - wear->refill_ns) / block_ns;
	wear->refill_ns += nr * block_ns;
	nr = min_t(u64, nr, 2 * all);
	wear->tokens = min_t(s64, burst(core), wear->tokens + (s64)nr);
}

void vsl_wear_tick(struct vsl_core *core)
{
	struct vsl_wearer *wear = &core->wear;
	u32 end;

	if (!core->online)
		return;
	refill(core);
	end = min_t(u32, wear->cursor + WEAR_LOOK, core->geo.segments);
	while (wear->cursor < end)
		look(core, wear->cursor++);
	if (end < core->geo.segments)
		return;
	wear->seen = wear->now;
	wear->cursor = 0;
	round_begin(&wear->now);
	wear->gap = gap(core);
	if (wear->gap <= wear->spread)
		wear->credit = 0;
}

/* The host has committed @blocks: how many may be moved for levelling. */
void vsl_wear_earn(struct vsl_core *core, u32 blocks)
{
	struct vsl_wearer *wear = &core->wear;
	u32 one_in = 100;

	if (wear->gap <= wear->spread)
		return;
	if (wear->gap > 3 * wear->spread)
		one_in = 4;
	else if (wear->gap > 2 * wear->spread)
		one_in = 10;
	wear->credit += (u64)blocks * 256 / one_in;
	wear->credit = min_t(u64, wear->credit,
			     2ull * 256 * segment_blocks(core));
}

/* ---- the groomer's next victim ------------------------------------------------ */

/* Pages of the map go elsewhere with the next checkpoint. */
static void move_pages(struct vsl_core *core, u32 seg)
{
	vsl_check_dirty(core, seg);
	vsl_check_request(core, false);
}

/* Take @seg, to be moved for a reason that is not space.  Return: the groomer
 * has something to do. */
static bool take(struct vsl_core *core, u32 seg)
{
	struct vsl_segment *s = &core->seg[seg];

	WRITE_ONCE(s->wish, VSL_WISH_TAKEN);
	if (s->tail)
		vsl_check_request(core, false);
	if (s->stream != VSL_STREAM_MAP)
		return true;
	move_pages(core, seg);
	return false;
}

static bool take_asked(struct vsl_core *core, u32 *seg)
{
	struct vsl_wearer *wear = &core->wear;

	*seg = wear->seen.asked;
	if (*seg == VSL_NONE || wear->tokens <= 0)
		return false;
	wear->seen.asked = VSL_NONE;
	if (!movable(core, &core->seg[*seg]) ||
	    READ_ONCE(core->seg[*seg].wish) != VSL_WISH_MOVE)
		return false;
	wear->tokens -= core->seg[*seg].valid;
	return take(core, *seg);
}

static bool take_read(struct vsl_core *core, u32 *seg)
{
	struct vsl_wearer *wear = &core->wear;

	*seg = wear->seen.read;
	wear->seen.read = VSL_NONE;
	return *seg != VSL_NONE && movable(core, &core->seg[*seg]) &&
	       read_often(core, &core->seg[*seg]) && take(core, *seg);
}

/* Is the segment that is opened next worn more? (W3)  Where the groomer goes on
 * first may be any; there is little room left in it. */
static bool goes_up(const struct vsl_core *core, const struct vsl_segment *s)
{
	return core->next_seg != VSL_NONE &&
	       core->seg[core->next_seg].erases >=
	       s->erases + core->wear.spread / 2;
}

static bool take_cold(struct vsl_core *core, u32 *seg)
{
	struct vsl_wearer *wear = &core->wear;
	struct vsl_segment *s;

	*seg = wear->seen.cold;
	if (*seg == VSL_NONE || wear->gap <= wear->spread)
		return false;
	s = &core->seg[*seg];
	if (wear->credit < 256ull * s->valid)
		return false;
	if (!movable(core, s) || !cold(core, s)) {
		wear->seen.cold = VSL_NONE;
		return false;
	}
	if (!goes_up(core, s))
		return false;
	wear->credit -= 256ull * s->valid;
	wear->seen.cold = VSL_NONE;
	return take(core, *seg);
}

/**
 * vsl_wear_victim() - what should the groomer move now, were there space enough?
 * @core: the core
 *
 * Context: lock held.
 * Return: a segment, which is taken then; VSL_NONE.
 */
u32 vsl_wear_victim(struct vsl_core *core)
{
	struct vsl_wearer *wear = &core->wear;
	u32 seg;

	if (!core->online || core->stopping)
		return VSL_NONE;
	wear->levelling = false;
	if (take_asked(core, &seg) || take_read(core, &seg))
		return seg;
	if (!take_cold(core, &seg))
		return VSL_NONE;
	wear->levelling = true;
	return seg;
}

/* Is there a victim that needs no writes of the host to be moved? */
bool vsl_wear_waits(const struct vsl_core *core)
{
	const struct vsl_wearer *wear = &core->wear;

	return core->online && !core->stopping &&
	       ((wear->seen.asked != VSL_NONE && wear->tokens > 0) ||
		wear->seen.read != VSL_NONE);
}

/* A block of such a victim is being moved. */
void vsl_wear_moves(struct vsl_core *core)
{
	if (core->wear.levelling)
		core->wear.levelled++;
	else
		core->wear.refreshed++;
}
