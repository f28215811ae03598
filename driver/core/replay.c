// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * replay.c - applying the log behind a root to the map.
 *
 * The commits of each append point lie in the order of their versions; those
 * of those for data are merged, lowest version first, and do to the map what
 * they did when they were made.  (The map's own append point
 * changed nothing that the root does not know better.)
 *
 * A packet is proven whole by a later head, a summary or a root that says so.
 * The last ones of an open segment are not: they are in doubt, and all their
 * blocks are read and checked.  A packet that is not whole was never
 * acknowledged, and ends its segment.  One that is whole counts - but half
 * programmed flash may be read today and not tomorrow, so it is written again
 * before anybody is told of it, and what it replaced is kept until then.
 *
 * Invariants
 * B1  The map changes in the order of the versions.
 * B2  Nothing that a commit in doubt has replaced is erased before that commit
 *     was written again durably (seg->keep).
 * B3  The commits of one packet are applied all or not at all.
 */
#include "recover.h"

/* Reading along one append point. */
struct cursor {
	u8 stream;
	bool walking;		/* heads, not a summary */
	bool have;		/* @commit is the next one */
	bool doubt;		/* it is of a packet in doubt */
	bool ended;
	u32 tail;		/* segment being read, in replay->tail */
	u32 index;		/* of the next head */
	u32 kept_at;		/* where it is in what was kept (walk.c) */
	struct vsl_scan scan;
	struct vsl_stripe stripe;
	struct vsl_commit commit;
};

static int doubt_add(struct vsl_replay *replay, const struct vsl_tail_seg *tail,
		     u32 index)
{
	struct vsl_doubt *more;
	u32 max = replay->max_doubt ? 2 * replay->max_doubt : 256;

	if (replay->nr_doubt == replay->max_doubt) {
		more = vsl_port_alloc(max * sizeof(*more));
		if (!more)
			return -ENOMEM;
		if (replay->nr_doubt)
			memcpy(more, replay->doubt,
			       replay->nr_doubt * sizeof(*more));
		vsl_port_free(replay->doubt);
		replay->doubt = more;
		replay->max_doubt = max;
	}
	replay->doubt[replay->nr_doubt].alloc_no = tail->alloc_no;
	replay->doubt[replay->nr_doubt].seg = tail->seg;
	replay->doubt[replay->nr_doubt].index = index;
	replay->nr_doubt++;
	return 0;
}

static int summary_load(struct vsl_core *core, struct vsl_replay *replay,
			struct cursor *cursor, const struct vsl_tail_seg *tail)
{
	struct vsl_batch *batch = replay->batch;
	u32 first, i, nr, ppa;
	int ret;

	for (first = 0; first < core->geo.sum_blocks; first += nr) {
		nr = min_t(u32, VSL_BATCH, core->geo.sum_blocks - first);
		batch->nr = 0;
		for (i = 0; i < nr; i++) {
			ppa = vsl_stripe_ppa(&cursor->stripe, &core->geo,
					     tail->seg, tail->end + first + i);
			vsl_batch_read(core, batch,
				       vsl_ppa_unit(&core->geo, ppa), tail->seg,
				       vsl_ppa_off(&core->geo, ppa), i);
		}
		ret = vsl_batch_wait(core, batch);
		if (ret)
			return ret;
		for (i = 0; i < nr; i++) {
			if (vsl_result_error(batch->op[i].result))
				return -EUCLEAN;
			memcpy(cursor->scan.block[first + i], batch->block[i],
			       VSL_BLOCK_BYTES);
		}
	}
	return vsl_scan_begin(core, &cursor->scan, tail->seg, tail->alloc_no);
}

/* Are all data blocks of the packet in the scan what their CRCs say? */
static int packet_check(struct vsl_core *core, struct vsl_replay *replay,
			struct cursor *cursor, u32 seg, bool *whole)
{
	struct vsl_batch *batch = replay->batch;
	struct vsl_commit commit;
	u32 i, ppa;
	int more = 1, ret;

	*whole = true;
	while (more > 0 && *whole) {
		batch->nr = 0;
		while (batch->nr < VSL_BATCH) {
			more = vsl_scan_next(core, &cursor->scan, &commit);
			if (more <= 0)
				break;
			if (commit.index == VSL_NONE ||
			    commit.kind == VSL_ENTRY_PAD)
				continue;
			ppa = vsl_stripe_ppa(&cursor->stripe, &core->geo, seg,
					     commit.index);
			vsl_batch_read(core, batch,
				       vsl_ppa_unit(&core->geo, ppa), seg,
				       vsl_ppa_off(&core->geo, ppa),
				       commit.arg);
		}
		ret = vsl_batch_wait(core, batch);
		if (ret)
			return ret;
		for (i = 0; i < batch->nr; i++)
			if (vsl_result_error(batch->op[i].result) ||
			    batch->wrong & 1ull << i ||
			    vsl_port_crc32c(VSL_CRC_SEED, batch->block[i],
					    VSL_BLOCK_BYTES) != batch->tag[i])
				*whole = false;
	}
	if (more < 0)
		*whole = false;
	return 0;
}

/* The head at cursor->index, kept or from the media, into the scan. */
static int head_load(struct vsl_core *core, struct vsl_replay *replay,
		     struct cursor *cursor)
{
	struct vsl_tail_seg *tail = &replay->tail[cursor->tail];
	struct vsl_disk_head *head;
	int ret;

	if (replay->kept[tail->stream] == tail &&
	    vsl_scan_kept(&cursor->scan, &core->stream[tail->stream],
			  &cursor->kept_at, cursor->index))
		return 0;
	ret = vsl_replay_head(core, replay, tail->seg, tail->alloc_no,
			      cursor->index, &head);
	if (!ret)
		vsl_scan_head(&cursor->scan, head);
	return ret;
}

/* Take the next packet of a walk into the scan.  Return: 1, 0 no more. */
static int packet_load(struct vsl_core *core, struct vsl_replay *replay,
		       struct cursor *cursor)
{
	struct vsl_tail_seg *tail = &replay->tail[cursor->tail];
	u32 index = cursor->index, nr_blocks;
	u64 last_version;
	bool whole;
	int ret;

	if (index >= tail->end)
		return 0;
	ret = head_load(core, replay, cursor);
	if (ret == -EUCLEAN && tail->sealed)
		vsl_err(core, "a packet of the log in segment %u cannot be read",
			tail->seg);
	/* Read at first and not the second time: the log ends before it. */
	if (ret == -EUCLEAN && tail->walked) {
		tail->end = index;
		if (!replay->last_try)
			return -EAGAIN;
	}
	if (ret)
		return ret == -EUCLEAN ? 0 : ret;
	last_version = vsl_scan_packet(&cursor->scan, &nr_blocks);
	cursor->index += 1 + nr_blocks;
	cursor->doubt = !tail->sealed &&
			last_version >=
			max_t(u64, replay->stable,
			      replay->stream_stable[tail->stream]);
	if (!cursor->doubt)
		return 1;
	ret = packet_check(core, replay, cursor, tail->seg, &whole);
	if (ret)
		return ret;
	if (!whole) {
		tail->end = index;
		return 0;
	}
	ret = doubt_add(replay, tail, index);
	if (ret)
		return ret;
	replay->doubt_blocks += nr_blocks;
	vsl_scan_rewind(&cursor->scan);
	return 1;
}

/* Go to the next segment of the append point.  Return: 1, 0 no more. */
static int segment_load(struct vsl_core *core, struct vsl_replay *replay,
			struct cursor *cursor)
{
	struct vsl_tail_seg *tail;
	int ret;

	for (cursor->tail++; cursor->tail < replay->nr_tail; cursor->tail++)
		if (replay->tail[cursor->tail].stream == cursor->stream)
			break;
	cursor->ended = cursor->tail >= replay->nr_tail;
	if (cursor->ended)
		return 0;
	tail = &replay->tail[cursor->tail];
	vsl_stripe_init(&cursor->stripe, &core->geo,
			vsl_seg_units(core, tail->seg));
	cursor->walking = !tail->summary;
	cursor->index = tail->start;
	cursor->doubt = false;
	if (cursor->walking)
		return 1;
	ret = summary_load(core, replay, cursor, tail);
	if (!ret) {
		tail->data_end = vsl_scan_end(&cursor->scan);
		return 1;
	}
	if (ret != -EUCLEAN)
		return ret;
	cursor->walking = true;
	tail->summary = false;
	return 1;
}

/* Find the cursor's next commit.  Return: 1, 0 no more, or an error. */
static int cursor_next(struct vsl_core *core, struct vsl_replay *replay,
		       struct cursor *cursor)
{
	int ret;

	if (cursor->have || cursor->ended)
		return cursor->have;
	for (;;) {
		ret = vsl_scan_next(core, &cursor->scan, &cursor->commit);
		if (ret == 1) {
			cursor->have = true;
			return 1;
		}
		ret = cursor->walking ? packet_load(core, replay, cursor) : 0;
		if (!ret) {
			vsl_scan_clear(&cursor->scan);
			ret = segment_load(core, replay, cursor);
		}
		if (ret <= 0)
			return ret;
	}
}

static void map_put(struct vsl_core *core, u32 lba, u32 ppa, bool doubt)
{
	u32 old = core->map[lba];

	if (doubt && vsl_ppa_is_block(old))
		core->seg[vsl_ppa_seg(&core->geo, old)].keep = true;
	core->map[lba] = ppa;
	vsl_map_dirty(core, lba / VSL_MAP_PER_PAGE);
}

static void commit_apply(struct vsl_core *core, struct vsl_replay *replay,
			 struct cursor *cursor)
{
	const struct vsl_commit *commit = &cursor->commit;
	u32 seg = replay->tail[cursor->tail].seg, i;

	cursor->have = false;
	replay->max_version = max_t(u64, replay->max_version, commit->version);
	if (commit->version < core->base.version)
		return;
	replay->commits++;
	core->seg[seg].last_version = commit->version;
	switch (commit->kind) {
	case VSL_ENTRY_DATA:
		if (commit->index < vsl_seg_limit(&core->geo,
						  cursor->stripe.nr))
			map_put(core, commit->lba,
				vsl_stripe_ppa(&cursor->stripe, &core->geo, seg,
					       commit->index), cursor->doubt);
		break;
	case VSL_ENTRY_TRIM:
		for (i = 0; i < commit->arg; i++)
			map_put(core, commit->lba + i, VSL_PPA_NONE,
				cursor->doubt);
		break;
	case VSL_ENTRY_LOST:
		map_put(core, commit->lba, VSL_PPA_LOST, cursor->doubt);
		break;
	default:
		break;
	}
}

static int merge(struct vsl_core *core, struct vsl_replay *replay,
		 struct cursor **cursors)
{
	struct cursor *first, *cursor;
	u32 i;
	int ret;

	for (;;) {
		first = NULL;
		for (i = 0; i < VSL_POINTS; i++) {
			cursor = cursors[i];
			ret = cursor_next(core, replay, cursor);
			if (ret < 0)
				return ret;
			if (ret && (!first || cursor->commit.version <
					      first->commit.version))
				first = cursor;
		}
		if (!first)
			return 0;
		commit_apply(core, replay, first);
	}
}

static struct cursor *cursor_create(struct vsl_core *core, u8 stream)
{
	struct cursor *cursor = vsl_port_alloc(sizeof(*cursor));

	if (!cursor)
		return NULL;
	cursor->stream = stream;
	cursor->tail = VSL_NONE;
	if (vsl_scan_alloc(core, &cursor->scan)) {
		vsl_scan_free(core, &cursor->scan);
		vsl_port_free(cursor);
		return NULL;
	}
	vsl_scan_clear(&cursor->scan);
	return cursor;
}

static void cursor_destroy(struct vsl_core *core, struct cursor *cursor)
{
	if (cursor)
		vsl_scan_free(core, &cursor->scan);
	vsl_port_free(cursor);
}

/**
 * vsl_replay_apply() - apply the log to the map
 * @core: the core, its map loaded
 * @replay: from vsl_tail_find()
 *
 * Return: 0, -ENODEV, -ENOMEM.
 */
int vsl_replay_apply(struct vsl_core *core, struct vsl_replay *replay)
{
	struct cursor *cursors[VSL_POINTS];
	u64 ram = core->ram_bytes;
	int ret = 0;
	u32 i;

	for (i = 0; i < VSL_POINTS; i++) {
		cursors[i] = cursor_create(core, VSL_STREAM_DATA + i);
		if (!cursors[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = merge(core, replay, cursors);
	for (i = 0; i < VSL_POINTS; i++)
		cursor_destroy(core, cursors[i]);
	core->ram_bytes = ram;
	return ret;
}
