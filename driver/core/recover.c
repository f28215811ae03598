// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * recover.c - attach and detach.
 *
 * Attach
 *  1. finds the newest root, loads directory, segment table and map;
 *  2. finds the log behind the root and applies it;
 *  3. counts: a segment nothing refers to is free;
 * and up to here writes nothing (but see pad.c for cards with a read hole).
 * After a clean detach the append points go on where they stood.  Otherwise
 *  4. the root is written again, then what is in doubt;
 *  5. segments that were open stay as they are, closed where they end;
 *  6. a root lists them, and the log goes on in new segments.
 * In both cases a root says that the card is in use, before any write of the
 * host.
 *
 * What is read is the map (0.1 % of the disk), and the summaries of the log,
 * whose length checkpoints bound; not the segments themselves.
 *
 * Invariants
 * E1  Until step 6 is durable nothing is erased that the old root, with the
 *     log behind it, could need.
 * E2  A second attach after a power loss anywhere in the first finds the same
 *     disk (P6).
 */
#include "recover.h"
#include "place.h"

#define ATTACH_TRIES	4u

/* ---- counting ------------------------------------------------------------ */

static void count_refs(struct vsl_core *core, const struct vsl_ref *ref, u32 nr)
{
	struct vsl_segment *s;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!vsl_ppa_is_block(ref[i].ppa))
			continue;
		s = &core->seg[vsl_ppa_seg(&core->geo, ref[i].ppa)];
		s->valid++;
		s->stream = VSL_STREAM_MAP;
	}
}

static void count_valid(struct vsl_core *core)
{
	u32 seg, lba, ppa;

	for (seg = 0; seg < core->geo.segments; seg++)
		core->seg[seg].valid = 0;
	core->mapped = 0;
	core->lost = 0;
	for (lba = 0; lba < core->geo.lba_blocks; lba++) {
		ppa = core->map[lba];
		core->mapped += ppa != VSL_PPA_NONE;
		core->lost += ppa == VSL_PPA_LOST;
		if (vsl_ppa_is_block(ppa))
			core->seg[vsl_ppa_seg(&core->geo, ppa)].valid++;
	}
	count_refs(core, core->dir, core->geo.map_pages);
	count_refs(core, core->dir_ref, core->geo.dir_pages);
	count_refs(core, core->segtab_ref, core->geo.segtab_pages);
}

static void segment_place(struct vsl_core *core, u32 seg)
{
	struct vsl_segment *s = &core->seg[seg];

	vsl_seg_count_units(core, seg);
	if (s->state == VSL_SEG_OPEN || s->state == VSL_SEG_NEXT)
		return;
	if (s->valid || s->tail || s->keep) {
		s->state = VSL_SEG_CLOSED;
		s->settled = true;
		s->empty_version = core->next_version;
		if (!s->end && s->nr_units >= core->geo.units_min)
			s->end = vsl_seg_limit(&core->geo, s->nr_units);
		if (!s->valid) {
			list_add_tail(&s->link, &core->empty_segs);
			core->nr_held++;
		}
	} else if (s->state != VSL_SEG_BAD) {
		s->state = VSL_SEG_FREE;
		list_add_tail(&s->link, &core->free_segs);
		core->nr_free++;
	}
}

/* Every segment gets its state. */
void vsl_place_segments(struct vsl_core *core)
{
	u32 seg;

	for (seg = 0; seg < core->geo.segments; seg++)
		segment_place(core, seg);
	vsl_seg_set_reserves(core);
	core->tail_limit = min_t(u64, core->good_blocks / 8, VSL_TAIL_BLOCKS);
}

/* What recovery has found out about the segments of the log. */
static void note_tail(struct vsl_core *core, const struct vsl_replay *replay)
{
	u32 i;

	for (i = 0; i < core->geo.segments; i++)
		core->seg[i].summary = true;	/* as far as is known */
	for (i = 0; i < replay->nr_tail; i++) {
		const struct vsl_tail_seg *tail = &replay->tail[i];
		struct vsl_segment *s = &core->seg[tail->seg];

		s->tail = true;
		s->end = tail->end;
		vsl_seg_count_units(core, tail->seg);
		s->rows = vsl_replay_rows(core, replay, i);
		s->summary = tail->summary;
		s->suspect |= !tail->summary && !tail->sealed;
		if (tail->stream != VSL_STREAM_MAP)
			core->tail_blocks += tail->end - tail->start;
	}
}

/* ---- going on ------------------------------------------------------------- */

/* Can all of a head be read back?  What is in doubt of it would be in the way of
 * everything behind it in the segment's summary. */
static bool head_sane(struct vsl_core *core, const struct vsl_disk_head *head)
{
	struct vsl_scan *scan = &core->groom.scan;
	struct vsl_commit commit;
	int ret;

	vsl_scan_head(scan, head);
	do {
		ret = vsl_scan_next(core, scan, &commit);
	} while (ret > 0);
	return !ret;
}

/* After a clean detach: let an append point go on where it stood. */
static int resume_stream(struct vsl_core *core, struct vsl_replay *replay,
			 u32 id)
{
	struct vsl_stream *stream = &core->stream[id];
	u32 seg = core->base.start[id].seg, index = 0;
	u32 end = core->base.start[id].index;
	struct vsl_disk_head *head;
	int ret;

	if (seg == VSL_NONE || !vsl_replay_limit(core, replay, seg))
		return 0;
	vsl_sum_start(core, stream);
	while (index < end) {
		ret = vsl_replay_head(core, replay, seg,
				      core->base.start[id].alloc_no, index,
				      &head);
		if (ret == -ENODEV)
			return ret;
		if (ret || !head_sane(core, head))
			return 0;	/* it stays closed */
		vsl_sum_head(core, stream, head);
		index += 1 + le16_to_cpu(head->nr_blocks);
	}
	if (index != end)
		return 0;
	vsl_stripe_init(&stream->stripe, &core->geo, vsl_seg_units(core, seg));
	/* Nobody knows the parity of half a row. */
	if (core->geo.parity &&
	    end % vsl_row_blocks(&core->geo, stream->stripe.nr))
		return 0;
	stream->seg = seg;
	stream->index = end;
	stream->done_index = end;
	stream->limit = vsl_seg_limit(&core->geo, stream->stripe.nr);
	core->seg[seg].state = VSL_SEG_OPEN;
	core->seg[seg].stream = id;
	core->seg[seg].alloc_no = core->base.start[id].alloc_no;
	core->seg[seg].tail = true;
	core->seg[seg].end = end;
	core->seg[seg].rows = end / vsl_row_blocks(&core->geo,
						   stream->stripe.nr);
	return 0;
}

/* The root announces a segment: where it cannot be one, another is announced later. */
static void resume_next(struct vsl_core *core)
{
	u32 seg = core->base.next_seg;

	if (seg == VSL_NONE || core->seg[seg].valid || core->seg[seg].tail)
		return;
	vsl_seg_count_units(core, seg);
	if (core->seg[seg].state == VSL_SEG_BAD)
		return;
	core->next_seg = seg;
	core->seg[seg].state = VSL_SEG_NEXT;
	core->announced = true;
}

static int resume(struct vsl_core *core, struct vsl_replay *replay)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < VSL_STREAMS && !ret; i++)
		ret = resume_stream(core, replay, i);
	if (!ret)
		resume_next(core);
	return ret;
}

static bool has_clean(void *arg)
{
	struct vsl_core *core = arg;

	vsl_progress(core);
	return !vsl_writable(core) || core->next_seg != VSL_NONE ||
	       (list_empty(&core->free_segs) && core->erasing == VSL_NONE);
}

static bool root_idle(void *arg)
{
	struct vsl_core *core = arg;

	vsl_progress(core);
	return !vsl_writable(core) || core->root.state == VSL_ROOT_IDLE;
}

/* Write a light root now. */
int vsl_write_root_sync(struct vsl_core *core, const struct vsl_base *base,
			bool clean)
{
	u64 generation = core->generation;
	int ret;

	vsl_root_write(core, base, false, clean);
	ret = vsl_sync(core, root_idle, core);
	ret = ret ? ret : vsl_sync_quiet(core);
	if (!ret && core->generation == generation)
		ret = -EROFS;
	return ret;
}

static bool checkpoint_done(void *arg)
{
	struct vsl_core *core = arg;

	vsl_progress(core);
	return !vsl_writable(core) ||
	       (core->check.state == VSL_CHECK_IDLE && !core->check.wanted &&
		core->root.state == VSL_ROOT_IDLE);
}

/* Write a checkpoint now. */
int vsl_checkpoint_sync(struct vsl_core *core)
{
	bool before = core->checking;
	int ret;

	core->checking = true;
	vsl_check_request(core, true);
	ret = vsl_sync(core, checkpoint_done, core);
	ret = ret ? ret : vsl_sync_quiet(core);
	core->checking = before;
	return ret || vsl_writable(core) ? ret : -EROFS;
}

/* What was written again is on the media, and would survive a power loss. */
static bool all_on_media(void *arg)
{
	struct vsl_core *core = arg;

	vsl_log_push_all(core);
	vsl_progress(core);
	if (!vsl_writable(core) || vsl_seg_exhausted(core))
		return true;
	if (!vsl_log_quiet(core))
		return false;
	if (!core->volatile_cache)
		return true;
	if (!core->recovery_flush)
		core->recovery_flush = core->flushes + 1;
	if (core->flushes_ended >= core->recovery_flush)
		return true;
	core->flush_wanted |= core->flushes < core->recovery_flush;
	vsl_progress(core);
	return false;
}

static bool list_add_sealed(struct vsl_base *base, u32 seg, u64 alloc_no,
			    u32 end)
{
	if (base->nr_sealed >= VSL_SEALED_USED)
		return false;
	base->sealed[base->nr_sealed].alloc_no = alloc_no;
	base->sealed[base->nr_sealed].seg = seg;
	base->sealed[base->nr_sealed++].index = end;
	return true;
}

/* List what this attach has filled itself, from allocation @alloc_no on. */
static bool list_own(struct vsl_core *core, u64 alloc_no,
		     struct vsl_base *base)
{
	u32 seg;

	for (; alloc_no < core->next_alloc_no; alloc_no++) {
		for (seg = 0; seg < core->geo.segments; seg++)
			if (core->seg[seg].tail &&
			    core->seg[seg].state == VSL_SEG_CLOSED &&
			    core->seg[seg].alloc_no == alloc_no)
				break;
		if (seg < core->geo.segments &&
		    !list_add_sealed(base, seg, alloc_no, core->seg[seg].end))
			return false;
	}
	return true;
}

/* The root of an attach after an unclean stop: the same base, the segments of
 * the log listed, the append points' new segments. */
static bool list_tail(struct vsl_core *core, const struct vsl_replay *replay,
		      struct vsl_base *base)
{
	u64 version = core->base.version;
	u32 i;

	vsl_base_now(core, base);
	base->version = version;
	for (i = 0; i < VSL_STREAMS; i++)
		base->start[i].index = 0;
	for (i = 0; i < replay->nr_tail; i++) {
		const struct vsl_tail_seg *tail = &replay->tail[i];

		if (tail->stream != VSL_STREAM_MAP &&
		    !list_add_sealed(base, tail->seg, tail->alloc_no,
				     tail->end))
			return false;
	}
	return list_own(core, replay->end_alloc_no, base);
}

/* Segments of the old log that the new root does not list are free to go. */
static void forget_tail(struct vsl_core *core, const struct vsl_base *base,
			const struct vsl_replay *replay)
{
	u32 i;

	for (i = 0; i < replay->nr_tail; i++)
		core->seg[replay->tail[i].seg].tail = false;
	for (i = 0; i < base->nr_sealed; i++)
		core->seg[base->sealed[i].seg].tail = true;
}

/* There is room enough to begin with, or nothing moves any more. */
static bool room_made(void *arg)
{
	struct vsl_core *core = arg;

	/* Enough, or in vain: then it has to go on beside the host. */
	core->grooming = core->nr_free <= core->levels.host + 1 &&
			 core->groom.futile <= core->mapped;
	vsl_progress(core);
	if (!vsl_writable(core) || (!core->ops_out && list_empty(&core->ops)))
		return true;
	return core->nr_free > core->levels.host &&
	       core->groom.state == VSL_GROOM_IDLE;
}

/*
 * A stop without warning leaves partly filled segments behind.  Collect them
 * before the host may fill the next ones: however often that happens, there
 * is room to go on.
 */
static int make_room(struct vsl_core *core)
{
	int ret = 0;

	core->grooming = true;
	core->checking = true;
	if (core->nr_free <= core->levels.host)
		ret = vsl_sync(core, room_made, core);
	return ret ? ret : vsl_sync_quiet(core);
}

/* What was written again is not part of the log any more. */
static void end_before(struct vsl_replay *replay, const struct vsl_doubt *doubt)
{
	struct vsl_tail_seg *tail;
	u32 i;

	for (i = 0; i < replay->nr_tail; i++) {
		tail = &replay->tail[i];
		if (tail->seg == doubt->seg)
			tail->end = min_t(u32, tail->end, doubt->index);
	}
}

static int go_on_unclean(struct vsl_core *core, struct vsl_replay *replay)
{
	struct vsl_base *base;
	u32 i;
	int ret;

	ret = vsl_replay_rewrite(core, replay);
	for (i = 0; i < replay->nr_doubt; i++)
		end_before(replay, &replay->doubt[i]);
	ret = ret ? ret : vsl_sync(core, all_on_media, core);
	ret = ret ? ret : vsl_sync_quiet(core);
	ret = ret ? ret : vsl_sync(core, has_clean, core);
	ret = ret ? ret : vsl_sync_quiet(core);
	/* The root below leaves out what was written again: not if it was not. */
	if (!ret && (!vsl_writable(core) || !vsl_log_quiet(core)))
		ret = -EROFS;
	if (ret)
		return ret;
	base = vsl_port_alloc(sizeof(*base));
	if (!base)
		return -ENOMEM;
	if (list_tail(core, replay, base)) {
		ret = vsl_write_root_sync(core, base, false);
		if (!ret)
			forget_tail(core, &core->base, replay);
		core->recovery_floor = VSL_NO_VERSION;
	} else {
		core->recovery_floor = VSL_NO_VERSION;
		ret = vsl_checkpoint_sync(core);
	}
	if (!ret)
		core->head_floor = VSL_NO_VERSION;
	vsl_port_free(base);
	return ret ? ret : make_room(core);
}

/* ---- attach and detach ----------------------------------------------------- */

static int replay_log(struct vsl_core *core, struct vsl_replay *replay)
{
	int ret;

	ret = vsl_tail_find(core, replay);
	ret = ret ? ret : vsl_replay_apply(core, replay);
	if (ret)
		return ret;
	core->attach_commits = replay->commits;
	core->attach_doubts = replay->nr_doubt;
	core->attach_doubt_blocks = replay->doubt_blocks;
	core->next_version = max_t(u64, core->next_version,
				   replay->max_version + 1);
	/* Pages of the map have versions, too, and only heads tell of them. */
	core->next_version = max_t(u64, core->next_version, replay->stable);
	/* Nothing above may be called durable, and by no head at all, before
	 * a root says where the log ends: what was torn lies there still. */
	core->durable_version = replay->stable;
	core->recovery_floor = replay->stable;
	core->head_floor = replay->stable;
	core->next_alloc_no = replay->end_alloc_no;
	return 0;
}

static int recover(struct vsl_core *core, struct vsl_replay *replay, bool clean)
{
	int ret;

	ret = vsl_report_units(core, false);
	ret = ret ? ret : vsl_pad_card(core, replay->batch);
	ret = ret ? ret : vsl_load(core, replay->batch);
	ret = ret ? ret : replay_log(core, replay);
	if (ret)
		return ret;
	/* With a read hole the last blocks had to be padded: start anew. */
	clean = clean && !replay->commits && !replay->nr_doubt &&
		!core->geo.hole;
	count_valid(core);
	note_tail(core, replay);
	if (clean) {
		ret = resume(core, replay);
		if (ret)
			return ret;
	} else {
		/* versions that were lost with the power are not used again */
		core->next_version += VSL_VERSION_GAP;
	}
	/* The log, too, may say what no card comes to. */
	if (core->next_version >= VSL_VERSION_BEGIN)
		return -EUCLEAN;
	vsl_life_load(core);
	vsl_place_segments(core);
	if (!vsl_writable(core))
		return 0;
	if (clean) {
		core->durable_version = core->next_version;
		core->recovery_floor = VSL_NO_VERSION;
		core->head_floor = VSL_NO_VERSION;
	}
	/* The root may have been torn as well, and be readable only today: no
	 * segment is erased before it is there once more. */
	ret = vsl_write_root_sync(core, &core->base, false);
	core->reaping = true;
	return ret || clean ? ret : go_on_unclean(core, replay);
}

static int attach_root(struct vsl_core *core, struct vsl_batch *batch,
		       bool *clean)
{
	struct vsl_disk_root *root;
	u64 generation;
	int ret;

	ret = vsl_label_find(core, batch, &root, &generation);
	if (!ret && !root)
		ret = -ENODATA;
	if (!ret) {
		*clean = le32_to_cpu(root->flags) & VSL_ROOT_CLEAN;
		ret = vsl_label_take(core, root);
	}
	if (!ret && core->flags & VSL_ATTACH_RESCAN)
		ret = -EOPNOTSUPP;
	if (!ret && !*clean && core->flags & VSL_ATTACH_CLEAN_ONLY)
		ret = -EBUSY;
	vsl_port_free(root);
	return ret;
}

/* A card that can be read but not be written serves what it has. */
static int serve_read_only(struct vsl_core *core, u8 reason)
{
	vsl_health_set(core, VSL_READ_ONLY, reason);
	return vsl_sync_quiet(core);
}

static int attach_once(struct vsl_core *core, struct vsl_replay *replay)
{
	bool clean = false;
	int ret = vsl_geo_init(&core->geo, &core->media->info);

	if (ret)
		return ret;
	replay->batch = vsl_batch_create(core);
	replay->tail = vsl_port_alloc((core->geo.segments + VSL_FORMAT_STREAMS +
				       VSL_ROOT_SEALED_MAX) *
				      sizeof(*replay->tail));
	replay->ahead.batch = vsl_batch_create(core);
	replay->ahead.seg = VSL_NONE;
	if (!replay->batch || !replay->ahead.batch || !replay->tail)
		return -ENOMEM;
	ret = attach_root(core, replay->batch, &clean);
	if (!ret && core->geo.parity) {
		core->help = vsl_batch_create(core);
		ret = core->help ? 0 : -ENOMEM;
	}
	ret = ret ? ret : recover(core, replay, clean);
	vsl_batch_destroy(core->help);
	core->help = NULL;
	return ret;
}

static void replay_destroy(struct vsl_replay *replay)
{
	if (!replay)
		return;
	vsl_batch_destroy(replay->batch);
	vsl_batch_destroy(replay->ahead.batch);
	vsl_port_free(replay->tail);
	vsl_port_free(replay->doubt);
	vsl_port_free(replay);
}

int vsl_core_attach(struct vsl_media *media, const struct vsl_core_env *env,
		    u32 flags, struct vsl_core **out)
{
	struct vsl_core *core;
	struct vsl_replay *replay;
	u32 tries;
	int ret;

	/* A block in doubt may be read once and not again: then the log ends
	 * before it, and the whole recovery is done once more. */
	for (tries = 0;; tries++) {
		core = vsl_core_new(media, env);
		replay = vsl_port_alloc(sizeof(*replay));
		ret = -ENOMEM;
		if (core && replay) {
			core->flags = flags;
			replay->last_try = tries == ATTACH_TRIES;
			core->strict = flags & VSL_ATTACH_STRICT_SYNC;
			ret = attach_once(core, replay);
		}
		replay_destroy(replay);
		if (ret == -EROFS || ret == -ENOSPC)
			ret = serve_read_only(core, VSL_REASON_NO_MD_BLOCKS);
		else if (ret == -EAGAIN && tries == ATTACH_TRIES)
			ret = serve_read_only(core, VSL_REASON_INTERNAL);
		if (!ret)
			break;
		if (core)
			vsl_sync_drain(core);
		vsl_core_destroy(core);
		if (ret != -EAGAIN)
			return ret;
	}
	core->grooming = true;
	core->checking = true;
	vsl_wear_begin(core);
	vsl_scrub_begin(core);
	core->online = true;
	*out = core;
	return 0;
}

/* The last rows have their parity. */
static bool rows_whole(void *arg)
{
	struct vsl_core *core = arg;
	bool whole = true;
	u32 i;

	if (!vsl_writable(core))
		return true;
	for (i = 0; i < VSL_STREAMS; i++)
		whole &= vsl_log_fill_row(core, i);
	vsl_progress(core);
	return whole && vsl_log_quiet(core);
}

static bool groomer_idle(void *arg)
{
	struct vsl_core *core = arg;

	/* The groomer may end here, and leave an open packet behind. */
	vsl_progress(core);
	if (core->groom.state == VSL_GROOM_IDLE)
		vsl_log_push_all(core);
	vsl_progress(core);
	return !vsl_writable(core) ||
	       (core->groom.state == VSL_GROOM_IDLE && vsl_log_quiet(core) &&
		core->check.state == VSL_CHECK_IDLE &&
		core->root.state == VSL_ROOT_IDLE);
}

int vsl_core_detach(struct vsl_core *core)
{
	struct vsl_base *base;
	int ret;

	core->online = false;
	core->stopping = true;
	if (!vsl_writable(core)) {
		vsl_sync_drain(core);
		if (core->gone)
			return -ENODEV;
		return core->flags & VSL_ATTACH_READ_ONLY ? 0 : -EIO;
	}
	ret = vsl_sync(core, groomer_idle, core);
	if (!ret && core->geo.parity)
		ret = vsl_sync(core, rows_whole, core);
	/* The segment table tells of whole rows. */
	if (!ret && (core->nr_dirty || core->geo.parity))
		ret = vsl_checkpoint_sync(core);
	core->checking = false;
	ret = ret ? ret : vsl_sync(core, groomer_idle, core);
	if (!ret && core->geo.parity)
		ret = vsl_sync(core, rows_whole, core);
	ret = ret ? ret : vsl_sync(core, has_clean, core);
	ret = ret ? ret : vsl_sync_quiet(core);
	base = vsl_port_alloc(sizeof(*base));
	if (!ret && base && vsl_writable(core) && core->next_seg != VSL_NONE) {
		vsl_base_now(core, base);
		ret = vsl_write_root_sync(core, base, true);
	} else if (!ret) {
		ret = -EIO;
	}
	vsl_port_free(base);
	vsl_sync_drain(core);
	return ret == -ENODEV ? -ENODEV : ret ? -EIO : 0;
}
