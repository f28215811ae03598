// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * tail.c - finding the log behind a root.
 *
 * The root names the segments that were open when its base was noted, those
 * that an earlier attach found (sealed list), and the allocation the log went
 * on with.  From there every segment's first head announces the next one;
 * where an announcement got lost, a later root has a jump for it.  The chain
 * ends at the first allocation that was announced but never opened.
 *
 * Nothing is written.
 *
 * Invariants
 * A1  The segments are found in the order of their allocation.
 * A2  Every head is checked for its place: segment, allocation, index, format.
 * A3  And for its time.  An allocation that was lost with the power is made again,
 *     perhaps of the same segment, and where erased blocks show what they held
 *     (M7 of media.h) heads of the lost one lie behind those of the new.  But
 *     they are of an earlier attach: epochs do not go back within a segment, nor
 *     from a segment to one that was opened later.  A summary begins with the
 *     segment's first packet: no two have the same version.
 */
#include "recover.h"

static void use_stripe(struct vsl_core *core, struct vsl_replay *replay,
		       u32 seg)
{
	if (replay->stripe_seg == seg)
		return;
	vsl_stripe_init(&replay->stripe, &core->geo, vsl_seg_units(core, seg));
	replay->stripe_seg = seg;
}

/* Where the summary of @seg begins; 0: it cannot be a segment. */
u32 vsl_replay_limit(struct vsl_core *core, struct vsl_replay *replay, u32 seg)
{
	use_stripe(core, replay, seg);
	if (replay->stripe.nr < core->geo.units_min)
		return 0;
	return vsl_seg_limit(&core->geo, replay->stripe.nr);
}

static int read_block(struct vsl_core *core, struct vsl_replay *replay,
		      u32 ppa)
{
	struct vsl_batch *batch = replay->batch;
	int ret;

	batch->nr = 0;
	vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa),
		       vsl_ppa_seg(&core->geo, ppa),
		       vsl_ppa_off(&core->geo, ppa), 0);
	ret = vsl_batch_wait(core, batch);
	if (ret)
		return ret;
	return vsl_result_error(batch->op[0].result) ? -EUCLEAN : 0;
}

/* Has the head at @index been read already? */
static void *ahead_find(struct vsl_ahead *ahead, u32 seg, u32 index)
{
	struct vsl_batch *batch = ahead->batch;
	u32 i;

	for (i = 0; i < batch->nr && ahead->seg == seg; i++) {
		if (batch->tag[i] != index ||
		    vsl_result_error(batch->op[i].result))
			continue;
		ahead->used++;
		return batch->block[i];
	}
	return NULL;
}

/* Read the head at @index, and more if the last guesses were right. */
static int ahead_read(struct vsl_core *core, struct vsl_replay *replay, u32 seg,
		      u32 index, u32 limit)
{
	struct vsl_ahead *ahead = &replay->ahead;
	struct vsl_batch *batch = ahead->batch;
	u32 nr = 1, step = 0, ppa;

	if (ahead->seg == seg && ahead->last < index) {
		step = index - ahead->last;
		if (ahead->used >= batch->nr)
			nr = min_t(u32, max_t(u32, 2 * batch->nr, 1),
				   VSL_BATCH);
	}
	ahead->seg = seg;
	ahead->used = 0;
	batch->nr = 0;
	for (; nr && index < limit; nr--, index += step) {
		ppa = vsl_stripe_ppa(&replay->stripe, &core->geo, seg, index);
		vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa), seg,
			       vsl_ppa_off(&core->geo, ppa), index);
	}
	return vsl_batch_wait(core, batch);
}

/**
 * vsl_replay_head() - read and check the head of a packet
 * @core: the core
 * @replay: the replay
 * @seg: segment
 * @alloc_no: which allocation of it
 * @index: where
 * @head: the answer, good until the next head is asked for
 *
 * Return: 0; -EUCLEAN there is no packet; -ENODEV.
 */
int vsl_replay_head(struct vsl_core *core, struct vsl_replay *replay, u32 seg,
		    u64 alloc_no, u32 index, struct vsl_disk_head **head)
{
	struct vsl_ahead *ahead = &replay->ahead;
	u32 limit = vsl_replay_limit(core, replay, seg);
	int ret;

	if (index >= limit)
		return -EUCLEAN;
	*head = ahead_find(ahead, seg, index);
	if (!*head) {
		ret = ahead_read(core, replay, seg, index, limit);
		if (ret)
			return ret;
		*head = ahead_find(ahead, seg, index);
	}
	ahead->last = index;
	if (!*head ||
	    !vsl_head_valid(core, *head, seg, alloc_no, index, limit))
		return -EUCLEAN;
	return 0;
}

/* Take the units of @seg from a head of it; false: they make no sense. */
static bool take_units(struct vsl_core *core, struct vsl_replay *replay,
		       u32 seg, const u8 *units)
{
	u32 unit, nr = 0;

	for (unit = 0; unit < core->geo.units; unit++) {
		if (!vsl_bit(units, unit))
			continue;
		if (vsl_lane_owns(&core->geo, unit, seg))
			return false;
		nr++;
	}
	if (nr < core->geo.units_min)
		return false;
	memcpy(vsl_seg_units(core, seg), units, core->geo.unit_bytes);
	replay->stripe_seg = VSL_NONE;
	if (replay->ahead.seg == seg)
		replay->ahead.seg = VSL_NONE;
	return true;
}

/*
 * The first head of @seg, and with it the segment's units.  Where nobody told
 * which units make up the segment (@search) every unit is tried.
 */
static int first_head(struct vsl_core *core, struct vsl_replay *replay, u32 seg,
		      u64 alloc_no, bool search, struct vsl_disk_head **head)
{
	u32 unit;
	int ret;

	ret = vsl_replay_head(core, replay, seg, alloc_no, 0, head);
	if (!ret && !memcmp((*head)->units, vsl_seg_units(core, seg),
			    core->geo.unit_bytes))
		return 0;
	if (ret == -ENODEV || !search)
		return ret ? ret : -EUCLEAN;
	for (unit = 0; unit < core->geo.units; unit++) {
		ret = read_block(core, replay,
				 vsl_ppa(&core->geo, seg, unit, 0));
		if (ret == -ENODEV)
			return ret;
		*head = replay->batch->block[0];
		if (!ret && vsl_head_valid(core, *head, seg, alloc_no, 0,
					   vsl_seg_blocks(&core->geo,
							  core->geo.units)) &&
		    take_units(core, replay, seg, (*head)->units))
			return 0;
	}
	return -EUCLEAN;
}

static struct vsl_tail_seg *tail_add(struct vsl_core *core,
				     struct vsl_replay *replay, u32 seg,
				     u64 alloc_no,
				     const struct vsl_disk_head *head)
{
	struct vsl_tail_seg *tail = &replay->tail[replay->nr_tail++];

	memset(tail, 0, sizeof(*tail));
	tail->seg = seg;
	tail->alloc_no = alloc_no;
	tail->stream = head->stream;
	tail->epoch = le64_to_cpu(head->epoch);
	tail->version = head->index ? VSL_NO_VERSION :
				      le64_to_cpu(head->base_version);
	replay->epoch = max_t(u64, replay->epoch, tail->epoch);
	core->seg[seg].erases = max_t(u32, core->seg[seg].erases,
				      le32_to_cpu(head->erases));
	core->seg[seg].alloc_no = alloc_no;
	core->seg[seg].stream = head->stream;
	return tail;
}

/* Segments that an earlier attach has listed: proven up to their end. */
static int find_sealed(struct vsl_core *core, struct vsl_replay *replay)
{
	const struct vsl_base *base = &core->base;
	struct vsl_disk_head *head;
	struct vsl_tail_seg *tail;
	u32 i;
	int ret;

	for (i = 0; i < base->nr_sealed; i++) {
		ret = first_head(core, replay, base->sealed[i].seg,
				 base->sealed[i].alloc_no, true, &head);
		if (ret == -ENODEV)
			return ret;
		if (ret) {
			vsl_err(core, "segment %u of the log cannot be read",
				base->sealed[i].seg);
			continue;
		}
		tail = tail_add(core, replay, base->sealed[i].seg,
				base->sealed[i].alloc_no, head);
		tail->sealed = true;
		tail->end = base->sealed[i].index;
	}
	return 0;
}

/* Segments that were open when the base was noted. */
static int find_started(struct vsl_core *core, struct vsl_replay *replay)
{
	const struct vsl_base *base = &core->base;
	struct vsl_disk_head *head;
	u32 i;
	int ret;

	for (i = 0; i < VSL_STREAMS; i++) {
		u32 seg = base->start[i].seg;

		if (seg == VSL_NONE)
			continue;
		ret = first_head(core, replay, seg, base->start[i].alloc_no,
				 true, &head);
		if (ret == -ENODEV)
			return ret;
		/* What was there when the base was noted is there still. */
		if (ret && base->start[i].index) {
			vsl_err(core, "the first packet of segment %u of the log cannot be read",
				seg);
			ret = vsl_replay_head(core, replay, seg,
					      base->start[i].alloc_no,
					      base->start[i].index, &head);
		}
		if (ret == -ENODEV)
			return ret;
		if (!ret && head->stream == i)
			tail_add(core, replay, seg, base->start[i].alloc_no,
				 head)->start = base->start[i].index;
	}
	return 0;
}

static u32 jump_to(const struct vsl_base *base, u64 alloc_no)
{
	u32 i;

	for (i = 0; i < base->nr_jumps; i++)
		if (base->jump[i].alloc_no == alloc_no)
			return base->jump[i].seg;
	return VSL_NONE;
}

/* Follow the announcements. */
static int find_chain(struct vsl_core *core, struct vsl_replay *replay)
{
	const struct vsl_base *base = &core->base;
	u64 alloc_no = base->next_alloc_no;
	u32 next = base->next_seg, seg, nr;
	struct vsl_disk_head *head;
	bool search;
	int ret;

	if (next != VSL_NONE)
		take_units(core, replay, next, base->next_units);
	for (nr = 0; nr < core->geo.segments; nr++, alloc_no++) {
		seg = jump_to(base, alloc_no);
		search = seg != VSL_NONE;
		if (!search)
			seg = next;
		if (seg >= core->geo.segments)
			break;
		ret = first_head(core, replay, seg, alloc_no, search, &head);
		if (ret == -ENODEV)
			return ret;
		next = VSL_NONE;
		if (!ret && le64_to_cpu(head->epoch) < replay->epoch)
			ret = -EUCLEAN;	/* A3 */
		if (ret) {
			/* Its first packet failed, or nobody opened it. */
			if (jump_to(base, alloc_no + 1) == VSL_NONE)
				break;
			continue;
		}
		tail_add(core, replay, seg, alloc_no, head);
		if (le64_to_cpu(head->next_alloc_no) == alloc_no + 1 &&
		    le32_to_cpu(head->next_seg) < core->geo.segments &&
		    take_units(core, replay, le32_to_cpu(head->next_seg),
			       head->next_units))
			next = le32_to_cpu(head->next_seg);
	}
	replay->end_alloc_no = alloc_no;
	return 0;
}

static bool looks_like_summary(struct vsl_core *core,
			       const struct vsl_tail_seg *tail,
			       const struct vsl_disk_summary *sum)
{
	const struct vsl_disk_record *first = (const void *)(sum + 1);

	return le64_to_cpu(sum->magic) == VSL_SUMMARY_MAGIC &&
	       le32_to_cpu(sum->seg) == tail->seg &&
	       le64_to_cpu(sum->alloc_no) == tail->alloc_no &&
	       (tail->version == VSL_NO_VERSION ||
		le64_to_cpu(first->base_version) == tail->version) &&
	       !memcmp(sum->uuid, core->uuid, sizeof(sum->uuid));
}

/* Read what may be the summaries' headers of some segments from @first on. */
static int headers_read(struct vsl_core *core, struct vsl_replay *replay,
			u32 first)
{
	struct vsl_batch *batch = replay->batch;
	struct vsl_tail_seg *tail;
	u32 i, limit, ppa;

	batch->nr = 0;
	for (i = first; i < replay->nr_tail && batch->nr < VSL_BATCH; i++) {
		tail = &replay->tail[i];
		limit = vsl_replay_limit(core, replay, tail->seg);
		if (tail->sealed)
			tail->end = min_t(u32, tail->end, limit);
		if (tail->sealed && tail->end < limit)
			continue;
		ppa = vsl_stripe_ppa(&replay->stripe, &core->geo, tail->seg,
				     limit);
		vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa),
			       tail->seg, vsl_ppa_off(&core->geo, ppa), i);
	}
	replay->classified = i;
	return vsl_batch_wait(core, batch);
}

/* Which segments have a summary?  The others are walked. */
static int classify(struct vsl_core *core, struct vsl_replay *replay)
{
	struct vsl_batch *batch = replay->batch;
	struct vsl_tail_seg *tail;
	u32 first, i;
	int ret;

	for (first = 0; first < replay->nr_tail; first = replay->classified) {
		ret = headers_read(core, replay, first);
		if (ret)
			return ret;
		for (i = 0; i < batch->nr; i++) {
			tail = &replay->tail[batch->tag[i]];
			if (vsl_result_error(batch->op[i].result) ||
			    !looks_like_summary(core, tail, batch->block[i]))
				continue;
			tail->summary = true;
			tail->end = vsl_replay_limit(core, replay, tail->seg);
		}
	}
	return vsl_walk_open(core, replay);
}

/**
 * vsl_tail_find() - list the segments of the log behind core->base
 * @core: the core, its segment table loaded
 * @replay: the answer
 *
 * Return: 0, -ENODEV.
 */
int vsl_tail_find(struct vsl_core *core, struct vsl_replay *replay)
{
	int ret;

	replay->stripe_seg = VSL_NONE;
	replay->nr_tail = 0;
	replay->epoch = 0;
	replay->stable = core->base.version;
	ret = find_sealed(core, replay);
	ret = ret ? ret : find_started(core, replay);
	ret = ret ? ret : find_chain(core, replay);
	return ret ? ret : classify(core, replay);
}
