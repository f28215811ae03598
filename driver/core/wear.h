/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wear.h - what wear.c and scrub.c remember, and offer to the others.
 *
 * A part of int.h, which has what it needs.
 */
#ifndef VSL_CORE_WEAR_H
#define VSL_CORE_WEAR_H

/**
 * struct vsl_wear_round - what a walk through the segments has found
 * @asked: one whose data is wished elsewhere, or VSL_NONE
 * @read: one that was read to the limit
 * @cold: of those with cold data the least worn
 * @most: erases of the most worn one
 */
struct vsl_wear_round {
	u32 asked;
	u32 read;
	u32 cold;
	u32 most;
};

/**
 * struct vsl_wearer - moving data for the sake of the flash
 * @limit: reads of a segment after which its data is moved
 * @spread: erases by which segments may differ before any is levelled
 * @gap: by which they did at the end of the last round
 * @cursor: next segment of the round under way
 * @levelling: why the groomer's victim was named
 * @now: the round under way
 * @seen: the last whole one
 * @refill_ns: until when @tokens are counted
 * @tokens: blocks that may be moved for wishes
 * @credit: blocks that may be moved for levelling, in 1/256
 * @refreshed: blocks moved since attach for wishes, or because of reads
 * @levelled: likewise for levelling
 */
struct vsl_wearer {
	u32 limit;
	u32 spread;
	u32 gap;
	u32 cursor;
	bool levelling;
	struct vsl_wear_round now;
	struct vsl_wear_round seen;
	u64 refill_ns;
	s64 tokens;
	u64 credit;
	u64 refreshed;
	u64 levelled;
};

enum vsl_scrub_state {
	VSL_SCRUB_IDLE,
	VSL_SCRUB_SUMMARY,	/* reading the summary of a segment */
	VSL_SCRUB_WALK,		/* heads and blocks */
	VSL_SCRUB_PARITY,	/* of its rows */
};

/**
 * struct vsl_scrubber - reading what nobody reads
 * @flying: a read, or a check of one, is under way
 * @failed: the segment has no summary that could be used
 * @walking: so the list goes from head to head
 * @have: @commit was not dealt with yet
 * @seg: looked at, or next
 * @left: of this pass, and one
 * @index: block of the summary; then, @walking, of the next head
 * @head: block of the last head that was looked at
 * @live: blocks of the segment that something referred to
 * @due: blocks that may be read now
 * @pass_ns: how long a pass shall take
 * @block_ns: and so, each block; 0: off
 * @tick_ns: until when @due is counted
 * @next_ns: no pass begins before
 * @passes: since attach
 * @passed_ns: when the last one ended
 * @open: the segments of the append points that were open then (alloc_no)
 * @stale: bit per append point: it was at the end of the one before, too
 */
struct vsl_scrubber {
	u8 state;
	bool flying;
	bool failed;
	bool walking;
	bool have;
	u32 seg;
	u32 left;
	u32 index;
	u32 head;
	u32 live;
	u64 due;
	u64 pass_ns;
	u64 block_ns;
	u64 tick_ns;
	u64 next_ns;
	u64 passes;
	u64 passed_ns;
	u64 open[VSL_STREAMS];
	u32 stale;
	struct vsl_commit commit;
	struct vsl_stripe stripe;
	struct vsl_scan scan;
	struct vsl_op op;
	struct vsl_vec vec;
};

/* wear.c */
void vsl_wear_begin(struct vsl_core *core);
void vsl_wear_wish(struct vsl_core *core, u32 seg);
void vsl_wear_read(struct vsl_core *core, const struct vsl_op *op);
void vsl_wear_tick(struct vsl_core *core);
void vsl_wear_earn(struct vsl_core *core, u32 host_blocks);
u32 vsl_wear_victim(struct vsl_core *core);
bool vsl_wear_waits(const struct vsl_core *core);
void vsl_wear_moves(struct vsl_core *core);

/* scrub.c */
int vsl_scrub_alloc(struct vsl_core *core);
void vsl_scrub_free(struct vsl_core *core);
void vsl_scrub_begin(struct vsl_core *core);
void vsl_scrub_tick(struct vsl_core *core);
void vsl_scrub_run(struct vsl_core *core);
void vsl_scrub_scan(struct vsl_core *core);

#endif /* VSL_CORE_WEAR_H */
