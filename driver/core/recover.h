/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * recover.h - what the files of attach, detach and format share: synchronous
 * waiting, reading many blocks at once, and the log as it is found.
 */
#ifndef VSL_CORE_RECOVER_H
#define VSL_CORE_RECOVER_H

#include "int.h"

/* sync.c */

/**
 * struct vsl_batch - reads that go out together, for attach
 */
struct vsl_batch {
	u32 nr;
	struct vsl_op op[VSL_BATCH];
	struct vsl_vec vec[VSL_BATCH];
	u32 tag[VSL_BATCH];
	void *block[VSL_BATCH];
	u64 wrong;		/* bit: not what its spare record says */
	u8 spare[VSL_BATCH][VSL_SPARE_MAX];
};

struct vsl_batch *vsl_batch_create(struct vsl_core *core);
void vsl_batch_destroy(struct vsl_batch *batch);
void vsl_batch_read(struct vsl_core *core, struct vsl_batch *batch, u32 unit,
		    u32 eu, u32 off, u32 tag);
int vsl_batch_wait(struct vsl_core *core, struct vsl_batch *batch);
int vsl_sync(struct vsl_core *core, bool (*done)(void *arg), void *arg);
int vsl_sync_quiet(struct vsl_core *core);
void vsl_sync_drain(struct vsl_core *core);
struct vsl_core *vsl_core_new(struct vsl_media *media,
			      const struct vsl_core_env *env);
int vsl_core_alloc(struct vsl_core *core);

int vsl_pad_card(struct vsl_core *core, struct vsl_batch *batch);

/* label.c */
int vsl_label_find(struct vsl_core *core, struct vsl_batch *batch,
		   struct vsl_disk_root **root, u64 *generation);
int vsl_label_take(struct vsl_core *core, const struct vsl_disk_root *root);

/* tail.c */
struct vsl_replay;
int vsl_tail_find(struct vsl_core *core, struct vsl_replay *replay);

/* walk.c */
int vsl_walk_open(struct vsl_core *core, struct vsl_replay *replay);

/* recover.c: a segment of the log behind the root */
struct vsl_tail_seg {
	u64 alloc_no;
	u64 epoch;		/* of its first head */
	u64 version;		/* of its first packet; VSL_NO_VERSION: not known */
	u32 seg;
	u32 start;		/* index of the first packet of interest */
	u32 end;		/* walk up to here; found by walking if open */
	u32 data_end;		/* of its last packet, as its summary says */
	u8 stream;
	bool sealed;		/* @end is known and everything is proven */
	bool summary;		/* looks as if it had one */
	bool walked;		/* all heads before @end were read */
};

/* a packet that nothing proves to be whole */
struct vsl_doubt {
	u64 alloc_no;
	u32 seg;
	u32 index;
};

/*
 * Heads of @seg that were read before anybody asked for them: if packets are
 * as long as the one at @last was, they are where they are looked for next.
 */
struct vsl_ahead {
	struct vsl_batch *batch;	/* tags: indices */
	u32 seg;
	u32 last;
	u32 used;		/* of the batch */
};

#define VSL_WALKS	16u

/**
 * struct vsl_walk - a walk over the heads of a segment
 * @tail: the segment
 * @epoch: of the last head
 * @index: of the next one
 * @limit: where packets end at the latest
 * @step: blocks of the last packet, its head counted
 * @guess: so many heads are to be read at once
 * @first: those being read, in the batch
 * @nr: how many
 * @ended: there is no head at @index
 */
struct vsl_walk {
	struct vsl_tail_seg *tail;
	u64 epoch;
	u32 index;
	u32 limit;
	u32 step;
	u32 guess;
	u32 first;
	u32 nr;
	bool ended;
};

struct vsl_replay {
	struct vsl_batch *batch;
	struct vsl_ahead ahead;
	struct vsl_stripe stripe;	/* of @stripe_seg */
	u32 stripe_seg;
	struct vsl_tail_seg *tail;
	u32 nr_tail;
	u32 classified;		/* of them, so far */
	struct vsl_walk walk[VSL_WALKS];
	u32 nr_walks;
	/* whose heads the append point's summary holds (walk.c, W1) */
	const struct vsl_tail_seg *kept[VSL_STREAMS];
	struct vsl_doubt *doubt;
	u32 nr_doubt;
	u32 max_doubt;
	u64 doubt_blocks;
	u64 stable;		/* everything below it is proven, */
	u64 stream_stable[VSL_STREAMS];	/* and of each append point this */
	u64 max_version;
	u64 epoch;		/* the latest of all first heads so far */
	u64 end_alloc_no;	/* first allocation that was not opened */
	bool last_try;		/* no more recovery after this one */
	u64 commits;
};

int vsl_replay_head(struct vsl_core *core, struct vsl_replay *replay, u32 seg,
		    u64 alloc_no, u32 index, struct vsl_disk_head **head);
u32 vsl_replay_limit(struct vsl_core *core, struct vsl_replay *replay, u32 seg);
int vsl_replay_apply(struct vsl_core *core, struct vsl_replay *replay);
int vsl_load(struct vsl_core *core, struct vsl_batch *batch);
int vsl_load_segtab(struct vsl_core *core, struct vsl_batch *batch);
int vsl_report_units(struct vsl_core *core, bool retire_now);
void vsl_place_segments(struct vsl_core *core);
int vsl_checkpoint_sync(struct vsl_core *core);
int vsl_write_root_sync(struct vsl_core *core, const struct vsl_base *base,
			bool clean);
u32 vsl_replay_rows(const struct vsl_core *core,
		    const struct vsl_replay *replay, u32 nr);
int vsl_replay_rewrite(struct vsl_core *core, struct vsl_replay *replay);

#endif /* VSL_CORE_RECOVER_H */
