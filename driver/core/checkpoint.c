// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * checkpoint.c - bringing the map to the media, so that the log behind the
 * root stays short.
 *
 * A checkpoint
 *  1. notes where the log stands now: the "base";
 *  2. writes every map page that is dirty, as it is when its turn comes;
 *  3. writes the directory and the segment table;
 *  4. waits until all that was committed so far is durable, parity as well;
 *  5. writes a root that refers to these pages and to the base.
 * The pages may hold more than the base promises; recovery applies the log
 * from the base on again, in order, and arrives at the same map.
 *
 * The sweep of step 2 is spread over the host's writes.  It begins when the
 * log has reached half of its limit and ends well before the limit.
 *
 * Invariants
 * K1  Every commit before the base is in the map pages that the root refers to.
 * K2  Everything those pages refer to is durable before the root is written.
 * K3  Pages written by the map's append point go to at most twice as much room
 *     as the map needs: old map segments are emptied with the sweep.
 *
 * Power loss: before step 5 the old root counts, and nothing it refers to has
 * been erased (segment.c, G1).
 */
#include "int.h"

#define CHECK_WINDOW	32u	/* pages under way */

/* The host has committed @blocks: how many pages may be written for that. */
void vsl_check_earn(struct vsl_core *core, u32 blocks)
{
	struct vsl_checker *check = &core->check;
	u64 span = max_t(u64, core->tail_limit / 8, 1);

	if (check->state == VSL_CHECK_SWEEP)
		check->credit += ((u64)blocks << 16) *
				 (core->geo.map_pages + 1) / span + 1;
}

void vsl_check_request(struct vsl_core *core, bool urgent)
{
	struct vsl_checker *check = &core->check;

	if (!check->wanted || (urgent && !check->urgent))
		core->again = true;
	check->wanted = true;
	check->urgent |= urgent;
}

static void note_start(struct vsl_core *core, struct vsl_base *base, u32 id)
{
	struct vsl_stream *stream = &core->stream[id];

	base->start[id].seg = stream->seg;
	base->start[id].index = stream->index;
	base->start[id].alloc_no = 0;
	if (stream->seg != VSL_NONE)
		base->start[id].alloc_no = core->seg[stream->seg].alloc_no;
}

/*
 * vsl_base_now() - the log as it stands: what is committed from now on is
 * behind this base
 */
void vsl_base_now(struct vsl_core *core, struct vsl_base *base)
{
	u32 i;

	memset(base, 0, sizeof(*base));
	base->version = core->next_version;
	base->next_alloc_no = core->next_alloc_no;
	base->next_seg = core->next_seg;
	if (core->next_seg != VSL_NONE)
		memcpy(base->next_units, vsl_seg_units(core, core->next_seg),
		       core->geo.unit_bytes);
	for (i = 0; i < VSL_FORMAT_STREAMS; i++)
		base->start[i].seg = VSL_NONE;
	for (i = 0; i < VSL_STREAMS; i++)
		note_start(core, base, i);
}

/* What lies in @seg is to be written elsewhere by the next checkpoint. */
void vsl_check_dirty(struct vsl_core *core, u32 seg)
{
	u32 page;

	for (page = 0; page < core->geo.map_pages; page++)
		if (vsl_ppa_is_block(core->dir[page].ppa) &&
		    vsl_ppa_seg(&core->geo, core->dir[page].ppa) == seg)
			vsl_map_dirty(core, page);
}

/* Empty the emptiest map segments with this sweep, until the rest is no more
 * than twice what the map needs (K3). */
static void clean_map_segments(struct vsl_core *core)
{
	u32 pages = core->geo.map_pages + core->geo.dir_pages +
		    core->geo.segtab_pages;
	u64 room = 0, most = 2ull * pages;
	u32 seg, best;

	for (seg = 0; seg < core->geo.segments; seg++)
		if (core->seg[seg].state == VSL_SEG_CLOSED &&
		    core->seg[seg].stream == VSL_STREAM_MAP &&
		    core->seg[seg].valid)
			room += vsl_seg_limit(&core->geo,
					      core->seg[seg].nr_units);
	for (seg = 0; core->geo.parity && seg < core->geo.segments; seg++)
		if (core->seg[seg].stream == VSL_STREAM_MAP &&
		    core->seg[seg].suspect)
			vsl_check_dirty(core, seg);
	for (seg = 0; room > most && seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		best = vsl_seg_limit(&core->geo, s->nr_units);
		if (s->state != VSL_SEG_CLOSED ||
		    s->stream != VSL_STREAM_MAP || !s->valid ||
		    s->valid > best / 2)
			continue;
		vsl_check_dirty(core, seg);
		room -= best;
	}
}

static bool due(const struct vsl_core *core)
{
	return core->check.wanted || core->tail_blocks >= core->tail_limit / 2;
}

static void sweep_begin(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;

	if (core->next_seg == VSL_NONE)
		return;
	vsl_base_now(core, &check->base);
	clean_map_segments(core);
	check->state = VSL_CHECK_SWEEP;
	check->cursor = 0;
	check->credit = 0;
	check->tail_blocks = core->tail_blocks;
	check->restart = false;
	check->wanted = false;
	core->again = true;
}

static void snap_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	list_add_tail(&slot->link, &core->check.ready);
	core->again = true;
}

static bool snap_start(struct vsl_core *core, u8 kind, u32 page)
{
	struct vsl_slot *slot = vsl_slot_get(core, true);

	if (!slot)
		return false;
	slot->kind = kind;
	slot->lba = page;
	core->check.flying++;
	vsl_op_start(core, &slot->op, VSL_CPU_SNAP, snap_done, slot);
	return true;
}

static void commit_ready(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;
	struct vsl_slot *slot, *tmp;
	struct vsl_packet *packet;

	list_for_each_entry_safe(slot, tmp, &check->ready, link) {
		if (core->gone) {
			list_del_init(&slot->link);
			vsl_slot_put(core, slot);
			check->flying--;
			continue;
		}
		packet = vsl_log_room(core, VSL_STREAM_MAP, VSL_BY_CHECKER,
				      1, 1);
		if (!packet)
			return;
		list_del_init(&slot->link);
		check->flying--;
		core->again = true;
		vsl_log_add(core, packet, slot->kind, slot->lba, slot->crc,
			    slot);
	}
}

static bool may_sweep(const struct vsl_core *core)
{
	const struct vsl_checker *check = &core->check;

	if (check->flying >= CHECK_WINDOW || core->nr_free_slots < 64)
		return false;
	return check->urgent || core->groom.idle || !core->online ||
	       check->credit >= 1 << 16 ||
	       core->tail_blocks >= core->tail_limit / 4 * 3;
}

/* Step 2. */
static void sweep_some(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;

	while (check->cursor < core->geo.map_pages && may_sweep(core)) {
		u32 page = check->cursor;

		if (vsl_bit(core->dirty, page)) {
			if (!snap_start(core, VSL_ENTRY_MAP, page))
				return;
			vsl_bit_clear(core->dirty, page);
			core->nr_dirty--;
		}
		check->credit -= min_t(u64, check->credit, 1 << 16);
		check->cursor++;
	}
	if (check->cursor < core->geo.map_pages || check->flying)
		return;
	check->state = VSL_CHECK_PAGES;
	check->cursor = 0;
	core->again = true;
}

/* Step 3. */
static void pages_some(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;
	u32 dirs = core->geo.dir_pages;
	u32 all = dirs + core->geo.segtab_pages;
	bool ok = true;

	if (!check->cursor) {
		check->restart = false;
		check->erases = vsl_seg_erases(core);
	}
	while (ok && check->cursor < all && check->flying < CHECK_WINDOW) {
		if (check->cursor < dirs)
			ok = snap_start(core, VSL_ENTRY_DIR, check->cursor);
		else
			ok = snap_start(core, VSL_ENTRY_SEGTAB,
					check->cursor - dirs);
		check->cursor += ok;
	}
	if (check->cursor < all || check->flying ||
	    !vsl_log_fill_row(core, VSL_STREAM_MAP))
		return;
	check->version = core->next_version;
	check->state = VSL_CHECK_DURABLE;
	core->again = true;
}

/* Steps 4 and 5. */
static void wait_durable(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;

	if (check->restart) {
		check->state = VSL_CHECK_PAGES;
		check->cursor = 0;
		core->again = true;
		return;
	}
	if (core->durable_version < check->version) {
		core->durable_wanted = true;
		return;
	}
	if (core->root.state != VSL_ROOT_IDLE)
		return;
	check->state = VSL_CHECK_ROOT;
	vsl_root_write(core, &check->base, true, false);
}

/* The root of this checkpoint is durable. */
void vsl_check_rooted(struct vsl_core *core)
{
	core->check.state = VSL_CHECK_IDLE;
	core->check.urgent = false;
	core->again = true;
}

void vsl_check_run(struct vsl_core *core)
{
	struct vsl_checker *check = &core->check;

	commit_ready(core);
	if (core->gone || !vsl_writable(core))
		return;
	switch (check->state) {
	case VSL_CHECK_IDLE:
		if (due(core) && core->checking)
			sweep_begin(core);
		break;
	case VSL_CHECK_SWEEP:
		sweep_some(core);
		break;
	case VSL_CHECK_PAGES:
		pages_some(core);
		break;
	case VSL_CHECK_DURABLE:
		wait_durable(core);
		break;
	default:
		break;
	}
}
