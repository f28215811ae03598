// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * rewrite.c - writing again what recovery found in doubt.
 *
 * A packet that was being programmed when the power went may read fine now and
 * fail later.  What it says has been applied to the map; here its commits that
 * still count are made once more, as new commits of the first append point,
 * one packet for one packet so that what was atomic stays so.
 *
 * Where rows have parity, that of a segment's last one was not written.  What it
 * holds is proven, but not protected: it is written again as well.
 *
 * Power loss: the old packet is still there and is found in doubt again; so is
 * the new one.  Both say the same.
 */
#include "recover.h"

/* Commits to be made, and the data for them. */
struct rewrite {
	struct vsl_core *core;
	struct vsl_slot *slots;		/* chain, in the order of the commits */
	u32 nr;
	u32 trim_lba;			/* or this one, without data */
	u32 trim_nr;
	u8 kind;
	bool proven;			/* what cannot be read stays so */
};

/* Called with the lock held until the log has room. */
static bool try_commit(void *arg)
{
	struct rewrite *work = arg;
	struct vsl_core *core = work->core;
	struct vsl_packet *packet;
	struct vsl_slot *slot;
	u32 blocks = work->trim_nr ? 0 : work->nr;

	if (!vsl_writable(core) || vsl_seg_exhausted(core))
		return true;
	packet = vsl_log_room(core, VSL_STREAM_DATA, VSL_BY_HOST, blocks,
			      max_t(u32, blocks, 1));
	if (!packet) {
		vsl_progress(core);
		return false;
	}
	if (work->trim_nr)
		vsl_log_add(core, packet, work->kind, work->trim_lba,
			    work->trim_nr, NULL);
	while (work->slots) {
		slot = work->slots;
		work->slots = slot->next;
		vsl_log_add(core, packet, VSL_ENTRY_DATA, slot->lba, slot->crc,
			    slot);
	}
	work->nr = 0;
	work->trim_nr = 0;
	vsl_log_push(core, VSL_STREAM_DATA);
	vsl_progress(core);
	return true;
}

static int commit(struct rewrite *work)
{
	int ret;

	ret = vsl_sync(work->core, try_commit, work);
	ret = ret ? ret : vsl_sync_quiet(work->core);
	if (!ret && (work->nr || work->trim_nr))
		ret = -ENOSPC;
	return ret;
}

static void drop_slots(struct rewrite *work)
{
	struct vsl_slot *slot;

	while (work->slots) {
		slot = work->slots;
		work->slots = slot->next;
		vsl_slot_put(work->core, slot);
	}
}

/* Trim again what is still trimmed of [@lba, @lba + @nr). */
static int redo_trim(struct rewrite *work, u32 lba, u32 nr, u32 as, u8 kind)
{
	struct vsl_core *core = work->core;
	int ret = 0;

	while (nr && !ret) {
		if (core->map[lba] == as) {
			if (!work->trim_nr)
				work->trim_lba = lba;
			work->trim_nr++;
			work->kind = kind;
		}
		nr--;
		if (work->trim_nr && (!nr || core->map[lba + 1] != as))
			ret = commit(work);
		lba++;
	}
	return ret;
}

/* Read the data of one batch into slots. */
static int take_data(struct rewrite *work, struct vsl_replay *replay,
		     struct vsl_slot ***tail, const u32 *lba)
{
	struct vsl_batch *batch = replay->batch;
	struct vsl_slot *slot;
	u32 i;
	int ret = vsl_batch_wait(work->core, batch);

	for (i = 0; i < batch->nr && !ret; i++) {
		if (vsl_result_error(batch->op[i].result) ||
		    vsl_port_crc32c(VSL_CRC_SEED, batch->block[i],
				    VSL_BLOCK_BYTES) != batch->tag[i]) {
			if (!work->proven)
				return -EAGAIN;
			continue;
		}
		slot = vsl_slot_get(work->core, true);
		if (!slot)
			return -ENOMEM;
		memcpy(slot->buf, batch->block[i], VSL_BLOCK_BYTES);
		slot->lba = lba[i];
		slot->crc = batch->tag[i];
		**tail = slot;
		*tail = &slot->next;
		work->nr++;
	}
	batch->nr = 0;
	return ret;
}

/* The data commits of the packet in @scan that still count. */
static int redo_data(struct rewrite *work, struct vsl_replay *replay,
		     struct vsl_scan *scan, u32 seg)
{
	struct vsl_core *core = work->core;
	struct vsl_batch *batch = replay->batch;
	struct vsl_slot **tail = &work->slots;
	struct vsl_commit found;
	u32 lba[VSL_BATCH], ppa;
	int ret = 0;

	batch->nr = 0;
	while (!ret && vsl_scan_next(core, scan, &found) > 0) {
		if (found.kind != VSL_ENTRY_DATA)
			continue;
		vsl_replay_limit(core, replay, seg);
		ppa = vsl_stripe_ppa(&replay->stripe, &core->geo, seg,
				     found.index);
		if (core->map[found.lba] != ppa)
			continue;
		lba[batch->nr] = found.lba;
		vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa), seg,
			       vsl_ppa_off(&core->geo, ppa), found.arg);
		if (batch->nr == VSL_BATCH)
			ret = take_data(work, replay, &tail, lba);
	}
	if (!ret && batch->nr)
		ret = take_data(work, replay, &tail, lba);
	if (!ret && work->nr)
		ret = commit(work);
	return ret;
}

/* Trims, and blocks found lost, of the packet in @scan. */
static int redo_others(struct rewrite *work, struct vsl_scan *scan)
{
	struct vsl_commit found;
	int ret = 0;

	while (!ret && vsl_scan_next(work->core, scan, &found) > 0) {
		if (found.kind == VSL_ENTRY_TRIM)
			ret = redo_trim(work, found.lba, found.arg,
					VSL_PPA_NONE, VSL_ENTRY_TRIM);
		else if (found.kind == VSL_ENTRY_LOST)
			ret = redo_trim(work, found.lba, 1, VSL_PPA_LOST,
					VSL_ENTRY_LOST);
	}
	return ret;
}

static int redo_packet(struct rewrite *work, struct vsl_replay *replay,
		       struct vsl_scan *scan, const struct vsl_doubt *doubt)
{
	struct vsl_disk_head *head;
	int ret;

	ret = vsl_replay_head(work->core, replay, doubt->seg, doubt->alloc_no,
			      doubt->index, &head);
	if (ret)
		return ret == -EUCLEAN ? -EAGAIN : ret;
	vsl_scan_head(scan, head);
	ret = redo_data(work, replay, scan, doubt->seg);
	vsl_scan_rewind(scan);
	return ret ? ret : redo_others(work, scan);
}

/*
 * Where what is proven of a segment ends.  A summary proves the packets before it; but
 * the rows that it ends itself have their parity with it, and nothing proves that.
 */
static u32 proven_end(const struct vsl_replay *replay,
		      const struct vsl_tail_seg *tail)
{
	u32 end = tail->end, i;

	if (tail->summary)
		end = min_t(u32, end, tail->data_end);
	for (i = 0; i < replay->nr_doubt; i++)
		if (replay->doubt[i].seg == tail->seg)
			end = min_t(u32, end, replay->doubt[i].index);
	return end;
}

/*
 * Does the last row of a segment have its parity?  An earlier attach has seen to
 * it; or nothing was opened before it had, and where there is a volatile cache
 * the flush before the next summary has made it durable.
 */
static bool rows_are_whole(const struct vsl_core *core,
			   const struct vsl_replay *replay, u32 nr)
{
	const struct vsl_tail_seg *tail = &replay->tail[nr];
	u32 i;

	if (tail->sealed || tail->stream == VSL_STREAM_MAP)
		return true;
	for (i = nr + 1; tail->summary && i < replay->nr_tail; i++)
		if (replay->tail[i].stream == tail->stream &&
		    (replay->tail[i].summary || !core->volatile_cache))
			return true;
	return false;
}

/* So many rows of segment @nr of the tail are known to have their parity. */
u32 vsl_replay_rows(const struct vsl_core *core,
		    const struct vsl_replay *replay, u32 nr)
{
	const struct vsl_tail_seg *tail = &replay->tail[nr];
	u32 units = core->seg[tail->seg].nr_units;

	if (units < core->geo.units_min)
		return 0;
	if (tail->summary && rows_are_whole(core, replay, nr))
		return vsl_seg_rows(&core->geo);
	return proven_end(replay, tail) / vsl_row_blocks(&core->geo, units);
}

/* The last row of a segment has no parity, and will not get any: write what is
 * proven of it in another one. */
static int redo_row(struct rewrite *work, struct vsl_replay *replay,
		    struct vsl_scan *scan, const struct vsl_tail_seg *tail)
{
	struct vsl_core *core = work->core;
	u32 end = proven_end(replay, tail);
	u32 index = tail->start, row, next;
	struct vsl_disk_head *head;
	int ret = 0;

	if (!vsl_replay_limit(core, replay, tail->seg))
		return 0;
	row = vsl_row_blocks(&core->geo, replay->stripe.nr);
	if (index > end / row * row)
		index = 0;	/* the base lies in that row */
	for (; index < end && !ret; index = next) {
		ret = vsl_replay_head(core, replay, tail->seg, tail->alloc_no,
				      index, &head);
		if (ret)
			return ret == -EUCLEAN ? 0 : ret;
		next = index + 1 + le16_to_cpu(head->nr_blocks);
		if (next <= end / row * row)
			continue;
		vsl_scan_head(scan, head);
		ret = redo_data(work, replay, scan, tail->seg);
	}
	return ret;
}

static int redo_rows(struct rewrite *work, struct vsl_replay *replay,
		     struct vsl_scan *scan)
{
	u32 i;
	int ret = 0;

	work->proven = true;
	for (i = 0; i < replay->nr_tail && !ret; i++)
		if (!rows_are_whole(work->core, replay, i))
			ret = redo_row(work, replay, scan, &replay->tail[i]);
	work->proven = false;
	return ret;
}

/**
 * vsl_replay_rewrite() - write the packets in doubt again
 * @core: the core, which may write now but is not online
 * @replay: what was applied
 *
 * Return: 0; -EAGAIN what was read a moment ago cannot be read any more;
 * -EROFS no room, or the card does not take writes; -ENODEV; -ENOMEM.
 */
int vsl_replay_rewrite(struct vsl_core *core, struct vsl_replay *replay)
{
	struct rewrite work = { .core = core };
	struct vsl_scan scan = { .block = NULL };
	u64 ram = core->ram_bytes;
	u32 i;
	int ret = vsl_scan_alloc(core, &scan);

	if (!ret && core->geo.parity)
		ret = redo_rows(&work, replay, &scan);
	for (i = 0; i < replay->nr_doubt && !ret; i++)
		ret = redo_packet(&work, replay, &scan, &replay->doubt[i]);
	drop_slots(&work);
	vsl_scan_free(core, &scan);
	core->ram_bytes = ram;
	return ret;
}
