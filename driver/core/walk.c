// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * walk.c - where segments end that have no summary.
 *
 * Their packets lie one behind the other, and only a head tells where the next one
 * is.  So the segments that were open are walked side by side: each round reads
 * the next head of every one, and where its packets are all as long as the one
 * before also those that follow, as many as there is room for in a batch.
 *
 * What the heads say is needed once more, to be applied in the order of versions.
 * The first walked segment of an append point keeps it in the memory of the append
 * point's summary (W1), and is not read again, but for what does not fit there.
 *
 * Nothing is written.
 *
 * Invariants
 * W1  The memory of the append points' summaries is nobody's until the first
 *     segment is opened, which begins with an empty one; what it keeps is taken
 *     out before (replay.c).
 * W2  Only what was kept and is not in doubt counts as read: what is in doubt is
 *     read from the media again before it is relied on (rewrite.c).
 */
#include "recover.h"

/* Read the next heads of @walk, at most @most. */
static void walk_read(struct vsl_core *core, struct vsl_replay *replay,
		      struct vsl_walk *walk, u32 most)
{
	struct vsl_batch *batch = replay->ahead.batch;
	u32 nr = min_t(u32, walk->guess, most), index = walk->index;
	u32 seg = walk->tail->seg, ppa;

	walk->limit = vsl_replay_limit(core, replay, seg);
	walk->first = batch->nr;
	for (; nr && index < walk->limit; nr--, index += walk->step) {
		ppa = vsl_stripe_ppa(&replay->stripe, &core->geo, seg, index);
		vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa), seg,
			       vsl_ppa_off(&core->geo, ppa), index);
	}
	walk->nr = batch->nr - walk->first;
}

/* Raise what is proven to what a head says, unless no core has written that. */
static void prove(u64 *stable, __le64 said)
{
	if (le64_to_cpu(said) < VSL_VERSION_MAX)
		*stable = max_t(u64, *stable, le64_to_cpu(said));
}

/* Go on behind @head, if it is one. */
static void walk_step(struct vsl_core *core, struct vsl_replay *replay,
		      struct vsl_walk *walk, const struct vsl_disk_head *head)
{
	const struct vsl_tail_seg *tail = walk->tail;

	walk->ended = !vsl_head_valid(core, head, tail->seg, tail->alloc_no,
				      walk->index, walk->limit) ||
		      le64_to_cpu(head->epoch) < walk->epoch;	/* A3 */
	if (walk->ended)
		return;
	walk->epoch = le64_to_cpu(head->epoch);
	prove(&replay->stable, head->stable_version);
	prove(&replay->stream_stable[tail->stream], head->stream_stable);
	if (replay->kept[tail->stream] == tail)
		vsl_sum_head(core, &core->stream[tail->stream], head);
	walk->step = 1 + le16_to_cpu(head->nr_blocks);
	walk->index += walk->step;
}

/* Make what was read the end of @walk, or its next steps. */
static void walk_take(struct vsl_core *core, struct vsl_replay *replay,
		      struct vsl_walk *walk)
{
	struct vsl_batch *batch = replay->ahead.batch;
	u32 i;

	walk->ended = !walk->nr;
	for (i = walk->first; i < walk->first + walk->nr && !walk->ended; i++) {
		if (batch->tag[i] != walk->index)
			break;
		if (vsl_result_error(batch->op[i].result))
			walk->ended = true;
		else
			walk_step(core, replay, walk, batch->block[i]);
	}
	/* More if the guesses were right. */
	walk->guess = i < walk->first + walk->nr ? 1 : 2 * walk->nr;
}

static u32 walks_left(const struct vsl_replay *replay)
{
	u32 i, nr = 0;

	for (i = 0; i < replay->nr_walks; i++)
		nr += !replay->walk[i].ended;
	return nr;
}

/* Some segments, side by side, to their ends. */
static int walk_some(struct vsl_core *core, struct vsl_replay *replay)
{
	struct vsl_walk *walk = replay->walk;
	u32 i, left;
	int ret;

	while ((left = walks_left(replay))) {
		replay->ahead.batch->nr = 0;
		for (i = 0; i < replay->nr_walks; i++)
			if (!walk[i].ended)
				walk_read(core, replay, &walk[i],
					  VSL_BATCH / left);
		ret = vsl_batch_wait(core, replay->ahead.batch);
		if (ret)
			return ret;
		for (i = 0; i < replay->nr_walks; i++)
			if (!walk[i].ended)
				walk_take(core, replay, &walk[i]);
	}
	for (i = 0; i < replay->nr_walks; i++) {
		walk[i].tail->end = walk[i].index;
		walk[i].tail->walked = true;
	}
	return 0;
}

static void walk_begin(struct vsl_core *core, struct vsl_replay *replay,
		       struct vsl_tail_seg *tail)
{
	struct vsl_walk *walk = &replay->walk[replay->nr_walks++];

	memset(walk, 0, sizeof(*walk));
	walk->tail = tail;
	walk->index = tail->start;
	walk->epoch = tail->epoch;
	walk->guess = 1;
	if (tail->stream == VSL_STREAM_MAP || replay->kept[tail->stream])
		return;
	replay->kept[tail->stream] = tail;
	vsl_sum_start(core, &core->stream[tail->stream]);
}

/**
 * vsl_walk_open() - find the ends of the segments that have no summary
 * @core: the core
 * @replay: its tail is known, but for the ends
 *
 * Return: 0, -ENODEV.
 */
int vsl_walk_open(struct vsl_core *core, struct vsl_replay *replay)
{
	struct vsl_tail_seg *tail;
	int ret = 0;
	u32 i;

	/* What is there is another segment's. */
	replay->ahead.seg = VSL_NONE;
	replay->nr_walks = 0;
	for (i = 0; i < replay->nr_tail && !ret; i++) {
		tail = &replay->tail[i];
		if (tail->summary || tail->sealed)
			continue;
		walk_begin(core, replay, tail);
		if (replay->nr_walks < VSL_WALKS)
			continue;
		ret = walk_some(core, replay);
		replay->nr_walks = 0;
	}
	return ret ? ret : walk_some(core, replay);
}
