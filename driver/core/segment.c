// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * segment.c - the life of segments.
 *
 *	FREE -> ERASING -> CLEAN -> NEXT -> OPEN -> CLOSED -> FREE
 *	           \-> BAD (too few good units left)
 *
 * Which segment the log goes on in is decided one segment ahead and announced
 * in the head of every packet written from then on; recovery follows these
 * announcements.  So there is one NEXT segment for all append points, and it
 * may be opened only when
 *	- its announcement is durable: the first packet of the segment opened
 *	  before it is complete, or a root said so; and
 *	- another clean segment is there to be announced by its own first packet.
 *
 * Invariants
 * G1  A segment is erased only if nothing refers to it (valid is 0), nobody
 *     reads it, the commits that emptied it are durable, no durable root
 *     refers to a metadata page in it, and it is not part of the log behind
 *     the durable root.
 * G2  Every allocation has its own number; the first head of allocation n
 *     announces allocation n + 1.
 * G3  nr_free counts FREE, ERASING and CLEAN; what is below the reserve of an
 *     append point is not for it, so that the groomer and the checkpoint,
 *     which make space, never wait for the host.
 *
 * Power loss: erased or half erased segments are told apart by nothing but
 * their being announced; recovery erases everything it has no use for.
 */
#include "place.h"

#define CLEAN_AHEAD	3u	/* segments erased in advance */
#define UNIT_FAILS	8u	/* erase units, one after the other */

int vsl_segs_alloc(struct vsl_core *core)
{
	const struct vsl_geo *geo = &core->geo;
	u32 seg, unit;

	core->seg = vsl_zalloc(core, geo->segments, sizeof(*core->seg));
	core->seg_units = vsl_zalloc(core, geo->segments, geo->unit_bytes);
	core->seg_dead = vsl_zalloc(core, geo->segments, geo->unit_bytes);
	core->unit_fails = vsl_zalloc(core, geo->units,
				      sizeof(*core->unit_fails));
	core->audit = vsl_zalloc(core, geo->segments, sizeof(*core->audit));
	core->erase_op = vsl_zalloc(core, geo->units, sizeof(*core->erase_op));
	if (!core->seg || !core->seg_units || !core->seg_dead ||
	    !core->unit_fails ||
	    !core->audit || !core->erase_op)
		return -ENOMEM;
	for (seg = 0; seg < geo->segments; seg++) {
		INIT_LIST_HEAD(&core->seg[seg].link);
		core->seg[seg].state = VSL_SEG_FREE;
		for (unit = 0; unit < geo->units; unit++)
			if (!vsl_lane_owns(geo, unit, seg))
				vsl_bit_set(vsl_seg_units(core, seg), unit);
	}
	core->next_seg = VSL_NONE;
	core->erasing = VSL_NONE;
	return 0;
}

void vsl_segs_free(struct vsl_core *core)
{
	vsl_port_free(core->seg);
	vsl_port_free(core->seg_units);
	vsl_port_free(core->seg_dead);
	vsl_port_free(core->unit_fails);
	vsl_port_free(core->audit);
	vsl_port_free(core->erase_op);
}

/* Count the good units of @seg again; too few make it useless. */
void vsl_seg_count_units(struct vsl_core *core, u32 seg)
{
	struct vsl_segment *s = &core->seg[seg];
	u32 nr = 0, byte;

	for (byte = 0; byte < core->geo.unit_bytes; byte++)
		nr += hweight8(vsl_seg_units(core, seg)[byte]);
	s->nr_units = nr;
	if (nr < core->geo.units_min)
		s->state = VSL_SEG_BAD;
}

static void account_good(struct vsl_core *core)
{
	u64 good = 0;
	u32 seg;

	core->nr_bad_eus = 0;
	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];
		u32 unit;

		if (s->nr_units >= core->geo.units_min)
			good += vsl_seg_limit(&core->geo, s->nr_units);
		if (s->nr_units == core->geo.units)
			continue;
		for (unit = 0; unit < core->geo.units; unit++)
			if (!vsl_bit(vsl_seg_units(core, seg), unit) &&
			    !vsl_lane_owns(&core->geo, unit, seg))
				core->nr_bad_eus++;
	}
	core->good_blocks = good;
}

/* Erases of all erase units so far, retired ones counted along. */
u64 vsl_seg_erases(const struct vsl_core *core)
{
	u64 sum = 0;
	u32 seg;

	for (seg = 0; seg < core->geo.segments; seg++)
		sum += (u64)core->seg[seg].erases * core->geo.units;
	return sum;
}

/*
 * vsl_seg_spare_permyriad() - what is left of the reserve of bad blocks
 */
u32 vsl_seg_spare_permyriad(const struct vsl_core *core)
{
	u64 needed = vsl_geo_needed_blocks(&core->geo);
	u64 first = core->counter[VSL_COUNT_GOOD_AT_FORMAT];

	if (core->good_blocks <= needed)
		return 0;
	if (first <= needed)
		return 10000;
	return min_t(u64, 10000, (core->good_blocks - needed) * 10000 /
		     (first - needed));
}

/* Is it one of the parallel units that has failed, most of it at least? */
static bool has_dead_unit(struct vsl_core *core)
{
	u32 unit, seg, good;

	for (unit = 0; unit < core->geo.units; unit++) {
		good = 0;
		for (seg = 0; seg < core->geo.segments; seg++)
			good += vsl_bit(vsl_seg_units(core, seg), unit);
		if (good < core->geo.segments / 2)
			return true;
	}
	return false;
}

static void judge_spares(struct vsl_core *core)
{
	u32 left = vsl_seg_spare_permyriad(core);
	u8 reason = VSL_REASON_WEAROUT;

	if (left >= VSL_SPARE_WARN)
		return;
	if (has_dead_unit(core))
		reason = VSL_REASON_DIE_FAILURE;
	vsl_health_set(core, left ? VSL_WRITE_REDUCED : VSL_READ_ONLY, reason);
}

/* How many free segments each append point must leave to those behind it. */
void vsl_seg_set_reserves(struct vsl_core *core)
{
	vsl_geo_free_levels(&core->geo, &core->levels);
	account_good(core);
	if (!core->counter[VSL_COUNT_GOOD_AT_FORMAT])
		core->counter[VSL_COUNT_GOOD_AT_FORMAT] = core->good_blocks;
	judge_spares(core);
}

/* One reference more or less to a block of the segment @ppa lies in. */
void vsl_seg_ref(struct vsl_core *core, u32 ppa, s32 by)
{
	struct vsl_segment *s = &core->seg[vsl_ppa_seg(&core->geo, ppa)];

	s->valid += by;
	if (by > 0)
		return;
	s->empty_version = core->next_version;
	if (!s->valid && s->state == VSL_SEG_CLOSED && list_empty(&s->link)) {
		list_add_tail(&s->link, &core->empty_segs);
		core->nr_held++;
		core->again = true;
	}
}

static bool erasable(struct vsl_core *core, struct vsl_segment *s)
{
	if (s->tail || !s->settled || s->hold > core->captures_durable ||
	    vsl_atomic_read(&s->readers))
		return false;
	if (core->durable_version < s->empty_version) {
		core->waits_durable = true;
		return false;
	}
	return true;
}

static void erase_ended(struct vsl_core *core)
{
	struct vsl_segment *s = &core->seg[core->erasing];
	u32 seg = core->erasing;

	core->erasing = VSL_NONE;
	core->again = true;
	if (core->gone)
		return;
	s->erases++;
	s->valid = 0;
	s->hold = 0;
	s->suspect = false;
	s->summary = false;
	s->settled = false;
	if (core->erase_failed) {
		vsl_seg_count_units(core, seg);
		account_good(core);
		judge_spares(core);
	}
	if (s->state == VSL_SEG_BAD) {
		core->nr_free--;
		return;
	}
	s->state = VSL_SEG_CLEAN;
	core->nr_clean++;
	list_add_tail(&s->link, &core->clean_segs);
}

/*
 * So many erase units of @unit have failed that all of it is taken for dead: with
 * parity, move what the other segments have there.
 */
static void unit_given_up(struct vsl_core *core, u32 unit)
{
	u32 seg;

	vsl_warn(core, "unit %u fails again and again; what it holds is made again elsewhere",
		 unit);
	for (seg = 0; seg < core->geo.segments; seg++)
		if (vsl_bit(vsl_seg_units(core, seg), unit))
			core->seg[seg].suspect |= core->seg[seg].valid > 0;
	core->degraded = true;
	core->again = true;
}

/* An erase unit of @unit has failed, one more since an erase of it has not. */
static void count_failure(struct vsl_core *core, u32 unit)
{
	if (core->unit_fails[unit] < UNIT_FAILS &&
	    ++core->unit_fails[unit] == UNIT_FAILS && core->geo.parity)
		unit_given_up(core, unit);
}

static void erase_more(struct vsl_core *core);

static void erase_done(struct vsl_core *core, struct vsl_op *op)
{
	if (vsl_op_again(core, op))
		return;
	core->counter[VSL_COUNT_MEDIA_ERASES]++;
	if (op->result != VSL_RES_OK && op->result != VSL_RES_GONE) {
		vsl_bit_clear(vsl_seg_units(core, op->eu), op->unit);
		core->erase_failed = true;
		vsl_warn(core, "erase unit %u of unit %u failed and is retired",
			 op->eu, op->unit);
		count_failure(core, op->unit);
	} else if (op->result == VSL_RES_OK) {
		core->unit_fails[op->unit] = 0;
	}
	core->erase_left--;
	erase_more(core);
}

/* Retire what failed while the segment held data. */
static void bury_dead(struct vsl_core *core, u32 seg)
{
	u8 *units = vsl_seg_units(core, seg), *dead = vsl_seg_dead(core, seg);
	u32 byte;

	for (byte = 0; byte < core->geo.unit_bytes; byte++) {
		if (!(units[byte] & dead[byte]))
			continue;
		units[byte] &= ~dead[byte];
		core->erase_failed = true;
	}
	vsl_seg_count_units(core, seg);
}

/*
 * Units that may be erased at once.  With parity one, as long as a clean segment is
 * left: what is asked of it meanwhile is made of the others (read.c).
 */
static u32 erase_width(const struct vsl_core *core)
{
	return core->geo.parity && core->nr_clean && !core->stopping ?
		       1 : core->geo.units;
}

/* Erase more units of the segment; or it is erased. */
static void erase_more(struct vsl_core *core)
{
	u32 width = erase_width(core), busy = VSL_NONE, unit;

	while (!core->gone && core->erase_unit < core->geo.units &&
	       core->erase_left < width) {
		struct vsl_op *op;

		unit = core->erase_unit++;
		if (!vsl_bit(vsl_seg_units(core, core->erasing), unit))
			continue;
		op = &core->erase_op[unit];
		op->unit = unit;
		op->eu = core->erasing;
		op->off = 0;
		op->nr = 0;
		vsl_op_start(core, op, VSL_OP_ERASE, erase_done, NULL);
		busy = core->erase_left++ ? VSL_NONE : unit;
	}
	WRITE_ONCE(core->busy_unit, core->geo.parity ? busy : VSL_NONE);
	if (!core->erase_left)
		erase_ended(core);
}

static void erase_start(struct vsl_core *core, struct vsl_segment *s)
{
	u32 seg = s - core->seg;

	list_del_init(&s->link);
	core->erase_failed = false;
	core->erasing = seg;
	s->state = VSL_SEG_ERASING;
	bury_dead(core, seg);
	core->erase_left = 0;
	core->erase_unit = s->state == VSL_SEG_BAD ? core->geo.units : 0;
	erase_more(core);
}

static struct vsl_segment *least_worn(struct vsl_core *core)
{
	struct vsl_segment *s, *best = NULL;

	list_for_each_entry(s, &core->free_segs, link)
		if (!best || s->erases < best->erases)
			best = s;
	return best;
}

/* Announce a clean segment, if none is. */
static void choose_next(struct vsl_core *core)
{
	struct vsl_segment *s;

	if (core->next_seg != VSL_NONE || !core->nr_clean)
		return;
	s = list_first_entry(&core->clean_segs, struct vsl_segment, link);
	list_del_init(&s->link);
	s->state = VSL_SEG_NEXT;
	core->nr_clean--;
	core->nr_free--;
	core->next_seg = s - core->seg;
	core->announced = false;
	core->again = true;
}

/* Free what can be freed, erase ahead, announce. */
void vsl_seg_reap(struct vsl_core *core)
{
	struct vsl_segment *s, *tmp;

	core->waits_durable = false;
	if (core->gone || !vsl_writable(core) || !core->reaping)
		return;
	list_for_each_entry_safe(s, tmp, &core->empty_segs, link) {
		if (!erasable(core, s))
			continue;
		list_del_init(&s->link);
		s->state = VSL_SEG_FREE;
		list_add_tail(&s->link, &core->free_segs);
		core->nr_held--;
		core->nr_free++;
		core->again = true;
	}
	if (core->erasing == VSL_NONE && core->nr_clean < CLEAN_AHEAD &&
	    !list_empty(&core->free_segs))
		erase_start(core, least_worn(core));
	choose_next(core);
}

/* Is the packet that announces the next segment still on its way? */
static bool announcement_pending(struct vsl_core *core)
{
	struct vsl_packet *packet;
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++) {
		struct vsl_stream *stream = &core->stream[i];

		if (stream->open && stream->open->first) {
			vsl_log_push(core, i);
			return true;
		}
		list_for_each_entry(packet, &stream->packets, link)
			if (packet->first)
				return true;
	}
	return false;
}

/*
 * A checkpoint has pages to write and no segment to write them to.  Where segments
 * are filled as fast as they are erased the others would always be there first.
 */
static bool map_waits(const struct vsl_core *core)
{
	return core->stream[VSL_STREAM_MAP].seg == VSL_NONE &&
	       !list_empty(&core->check.ready);
}

/*
 * vsl_seg_may_open() - could vsl_seg_open() be called now for an append point?
 *
 * Attach, and what failed and must be written again, may take the last one with
 * none to announce: a root will tell how the chain goes on.
 *
 * Where the announcement got lost with a failed packet, a root is asked for.
 */
bool vsl_seg_may_open(struct vsl_core *core, u8 stream, u8 by)
{
	bool redo = !list_empty(&core->stream[stream].redo);
	bool last = redo || (by == VSL_BY_HOST && !core->online);
	u32 leave = 0;

	if (!vsl_writable(core) || core->next_seg == VSL_NONE ||
	    (!core->nr_clean && !last))
		return false;
	if (stream != VSL_STREAM_MAP && !last && map_waits(core))
		return false;
	/* What failed must be written again before anything else can go on. */
	if (redo)
		leave = 0;
	else if (by == VSL_BY_HOST && core->online)
		leave = core->levels.host;
	else if (by == VSL_BY_GROOMER)
		leave = vsl_groom_leaves(core);
	if (core->nr_free <= leave && !last)
		return false;
	if (!core->announced && !announcement_pending(core))
		core->root.wanted = true;
	return core->announced;
}

/* Attach, before the first root: is there nothing to write to, and nothing
 * that could be erased? */
bool vsl_seg_exhausted(const struct vsl_core *core)
{
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++)
		if (core->stream[i].seg != VSL_NONE)
			return false;
	return !core->nr_free && core->next_seg == VSL_NONE;
}

/* Open the announced segment and announce another one. */
u32 vsl_seg_open(struct vsl_core *core, u8 stream)
{
	u32 seg = core->next_seg;
	struct vsl_segment *s = &core->seg[seg];

	s->state = VSL_SEG_OPEN;
	s->stream = stream;
	s->alloc_no = core->next_alloc_no++;
	s->last_version = core->next_version;
	s->empty_version = core->next_version;
	s->tail = true;
	s->valid = 0;
	s->end = 0;
	s->reads = 0;
	s->wish = VSL_WISH_NONE;
	s->rows = 0;
	vsl_life_begin(core, seg);
	core->next_seg = VSL_NONE;
	choose_next(core);
	return seg;
}

/* Nothing more is written to @seg. */
void vsl_seg_close(struct vsl_core *core, u32 seg, bool summary)
{
	struct vsl_segment *s = &core->seg[seg];

	s->state = VSL_SEG_CLOSED;
	s->summary = summary;
	core->degraded |= core->geo.parity && s->suspect;
	core->again = true;
	if (!s->valid) {
		list_add_tail(&s->link, &core->empty_segs);
		core->nr_held++;
	}
}

/*
 * It is durable that allocation @alloc_no is going to be @seg.  Who said so may
 * have been written when none was chosen: then it has announced nothing.
 */
void vsl_seg_announced(struct vsl_core *core, u64 alloc_no, u32 seg)
{
	if (seg == VSL_NONE || seg != core->next_seg ||
	    alloc_no != core->next_alloc_no)
		return;
	core->announced = true;
	core->again = true;
}

/*
 * A program has failed in @unit, and not the first one: perhaps all of it is dead.
 * Segments that were erased before are erased again, to find out; or else each
 * would be opened and given up.
 */
void vsl_seg_distrust(struct vsl_core *core, u32 unit)
{
	struct vsl_segment *s, *tmp;

	if (!core->geo.parity || core->unit_fails[unit] < 2)
		return;
	list_for_each_entry_safe(s, tmp, &core->clean_segs, link) {
		list_del_init(&s->link);
		s->state = VSL_SEG_FREE;
		list_add_tail(&s->link, &core->free_segs);
		core->nr_clean--;
	}
}

/* Retire this erase unit when its segment is erased next. */
void vsl_seg_mark_dead(struct vsl_core *core, u32 seg, u32 unit)
{
	if (vsl_bit(vsl_seg_dead(core, seg), unit))
		return;
	vsl_bit_set(vsl_seg_dead(core, seg), unit);
	vsl_warn(core, "erase unit %u of unit %u has failed; to be retired",
		 seg, unit);
	count_failure(core, unit);
}
