// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * scrub.c - reading what nobody reads, to see whether it still can be.
 *
 * A pass goes through all closed segments.  Of each it reads the summary, the
 * head of every packet, and every block that something refers to, one after the
 * other, and compares: heads and summaries with their own CRC, blocks with the
 * CRC in the list they are on and, where the card has them, with their spare
 * records.  So on a card without spare bytes, too, data that is wrong and called
 * good is found in the time of a pass.  The parity of the segment's rows comes
 * last: it is read, made once more of all that lies in its row, and compared.  So a
 * row is known to be good for what it is there for, blocks that nothing refers to any
 * more included.
 *
 * A read is tried again as any other is.  What stays wrong is told, counted, and
 * the segment's data is wished elsewhere (wear.c): the groomer moves what can be
 * read, and commits what cannot be read any more as lost.  Pages of the map are
 * written again from memory.  A card that only asks for a refresh gets it in the
 * same way, for every read may leave that wish.  What is in open segments is
 * looked at when they are closed; one that stays open for a pass is filled with
 * padding, so that it is.
 *
 * Pace: a pass takes env.scrub_s seconds on a full card, 0 is off, and none
 * begins sooner than so long after the one before: reading disturbs, too.  One
 * read is under way at most, or those of one row, and none is begun while requests
 * wait.  A pass is not remembered over an attach, but each attach begins at another segment.
 *
 * Invariants
 * B1  The segment looked at has a reader (the scrubber) until it is left.
 * B2  Nothing is wrong but what was referred to after it was read.
 * B3  While it is off, or nothing is due, and no segment is being looked at, it
 *     costs a comparison.
 *
 * Power loss: nothing here is durable but the counters.
 */
#include "parity.h"

#define SCRUB_STEP	256u	/* commits, or segments, passed over at once */
#define SCRUB_AHEAD	256u	/* blocks that may be due at once */
#define SCRUB_SLOTS	64u	/* leave so many to others */
#define SECOND_NS	1000000000ull
#define SCATTER		2654435761u

int vsl_scrub_alloc(struct vsl_core *core)
{
	return vsl_scan_alloc(core, &core->scrub.scan);
}

void vsl_scrub_free(struct vsl_core *core)
{
	vsl_scan_free(core, &core->scrub.scan);
}

/* Attach: from now on. */
void vsl_scrub_begin(struct vsl_core *core)
{
	u64 all = (u64)core->geo.segments *
		  vsl_seg_blocks(&core->geo, core->geo.units);
	struct vsl_scrubber *scrub = &core->scrub;

	scrub->pass_ns = core->env.scrub_s * SECOND_NS;
	scrub->block_ns = scrub->pass_ns / max_t(u64, all, 1);
	if (scrub->pass_ns)
		scrub->block_ns = max_t(u64, scrub->block_ns, 1);
	scrub->tick_ns = vsl_port_now_ns();
	scrub->next_ns = scrub->tick_ns;
	scrub->seg = (u32)core->epoch * SCATTER % core->geo.segments;
	scrub->left = 0;
}

/* How many blocks have become due. */
void vsl_scrub_tick(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u64 now = vsl_port_now_ns(), nr;

	if (!scrub->block_ns || !core->online || now < scrub->tick_ns)
		return;
	nr = (now - scrub->tick_ns) / scrub->block_ns;
	scrub->tick_ns += nr * scrub->block_ns;
	scrub->due = min_t(u64, scrub->due + nr, SCRUB_AHEAD);
}

static void found_bad(struct vsl_core *core, const char *what, u32 index)
{
	u32 seg = core->scrub.seg;

	if (core->gone)
		return;
	core->counter[VSL_COUNT_SCRUB_BAD]++;
	vsl_warn(core, "scrub: %s at block %u of segment %u is bad", what, index,
		 seg);
	vsl_wear_wish(core, seg);
}

/* ---- one segment ---------------------------------------------------------------- */

static bool worth(const struct vsl_core *core, const struct vsl_segment *s)
{
	return s->state == VSL_SEG_CLOSED && s->settled && s->valid &&
	       s->nr_units >= core->geo.units_min;
}

static void segment_enter(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	struct vsl_segment *s = &core->seg[scrub->seg];

	vsl_atomic_inc(&s->readers);
	vsl_stripe_init(&scrub->stripe, &core->geo,
			vsl_seg_units(core, scrub->seg));
	vsl_scan_clear(&scrub->scan);
	scrub->state = s->summary ? VSL_SCRUB_SUMMARY : VSL_SCRUB_WALK;
	scrub->walking = !s->summary;
	scrub->failed = false;
	scrub->have = false;
	scrub->index = 0;
	scrub->head = VSL_NONE;
	scrub->live = 0;
	core->again = true;
}

static void segment_leave(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	vsl_atomic_dec_return(&core->seg[scrub->seg].readers);
	scrub->state = VSL_SCRUB_IDLE;
	scrub->seg = (scrub->seg + 1) % core->geo.segments;
	core->again = true;
}

/* All lists were read: was everything on them that is in the segment? */
static void segment_end(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (scrub->live < core->seg[scrub->seg].valid)
		found_bad(core, "a list of blocks", scrub->index);
	if (!core->geo.parity) {
		segment_leave(core);
		return;
	}
	scrub->index = 0;
	scrub->state = VSL_SCRUB_PARITY;
	core->again = true;
}

/*
 * What has been open since the end of the pass before was never looked at: it is
 * closed, so that the next pass does.
 */
static void note_open(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u32 i, seg;
	u64 open;

	for (i = 0; i < VSL_STREAMS; i++) {
		seg = core->stream[i].seg;
		open = seg == VSL_NONE ? 0 : core->seg[seg].alloc_no;
		if (open && open == scrub->open[i])
			scrub->stale |= 1u << i;
		scrub->open[i] = open;
	}
}

/* Fill what is to be closed, a little at a time.  Return: something was done. */
static bool close_stale(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u32 i = 0, seg, nr;

	while (!(scrub->stale & 1u << i))
		i++;
	seg = core->stream[i].seg;
	if (seg == VSL_NONE || core->seg[seg].alloc_no != scrub->open[i]) {
		scrub->stale &= ~(1u << i);
		core->again = true;
		return true;
	}
	if (!vsl_writable(core) || core->nr_free <= core->levels.host ||
	    core->check.state != VSL_CHECK_IDLE)
		return false;
	nr = vsl_log_pad(core, i);
	scrub->due -= min_t(u64, scrub->due, nr);
	return nr > 0;
}

/* Roots are not looked at: at the end of a pass they are written anew. */
static void pass_end(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (vsl_writable(core) && !vsl_root_renew(core))
		return;
	note_open(core);
	scrub->left = 0;
	scrub->passes++;
	scrub->passed_ns = scrub->tick_ns;
}

/* Look for the next segment; when all had their turn, the pass is over. */
static void segment_next(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u32 steps;

	if (!scrub->left) {
		if (scrub->tick_ns < scrub->next_ns)
			return;
		scrub->next_ns = scrub->tick_ns + scrub->pass_ns;
		scrub->left = core->geo.segments + 1;
	}
	for (steps = 0; steps < SCRUB_STEP; steps++) {
		if (scrub->left == 1) {
			pass_end(core);
			return;
		}
		scrub->left--;
		if (worth(core, &core->seg[scrub->seg])) {
			segment_enter(core);
			return;
		}
		scrub->seg = (scrub->seg + 1) % core->geo.segments;
	}
	scrub->due--;	/* goes on with the next one that is due */
}

/* ---- its summary ----------------------------------------------------------------- */

static u32 limit_of(const struct vsl_core *core)
{
	return vsl_seg_limit(&core->geo, core->scrub.stripe.nr);
}

/* Nothing, or zeros, is no summary; half of one is a bad one. */
static bool half_summary(struct vsl_core *core)
{
	const struct vsl_disk_summary *sum = core->scrub.scan.block[0];

	return le64_to_cpu(sum->magic) == VSL_SUMMARY_MAGIC &&
	       le64_to_cpu(sum->alloc_no) ==
	       core->seg[core->scrub.seg].alloc_no;
}

static void summary_end(struct vsl_core *core, bool bad)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (bad)
		found_bad(core, "the summary", limit_of(core));
	if (scrub->failed) {
		vsl_scan_clear(&scrub->scan);
		scrub->walking = true;
	}
	scrub->index = 0;
	scrub->state = VSL_SCRUB_WALK;
	core->again = true;
}

static void scan_done(struct vsl_core *core, struct vsl_op *op)
{
	(void)op;
	core->scrub.flying = false;
	summary_end(core, core->scrub.failed && half_summary(core));
}

/* Check the summary that was read.  Context: lock not held. */
void vsl_scrub_scan(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	scrub->failed = vsl_scan_begin(core, &scrub->scan, scrub->seg,
				       core->seg[scrub->seg].alloc_no) != 0;
}

static void summary_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (vsl_op_again(core, op))
		return;
	core->again = true;
	scrub->flying = false;
	core->counter[VSL_COUNT_SCRUBBED]++;
	if (vsl_result_error(op->result)) {
		scrub->failed = true;
		summary_end(core, op->result != VSL_RES_UNWRITTEN);
		return;
	}
	if (++scrub->index < core->geo.sum_blocks)
		return;
	scrub->flying = true;
	vsl_op_start(core, op, VSL_CPU_SCRUB, scan_done, NULL);
}

static void summary_read(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	struct vsl_op *op = &scrub->op;

	scrub->vec.base = scrub->scan.block[scrub->index];
	scrub->vec.bytes = VSL_BLOCK_BYTES;
	op->vec = &scrub->vec;
	op->nr_vecs = 1;
	op->skip_bytes = 0;
	op->oob = NULL;
	vsl_op_place(core, op, vsl_stripe_ppa(&scrub->stripe, &core->geo,
					      scrub->seg, limit_of(core) +
					      scrub->index), 1);
	scrub->due--;
	scrub->flying = true;
	vsl_op_start(core, op, VSL_OP_READ, summary_done, NULL);
}

/* ---- heads and blocks ------------------------------------------------------------- */

/* Read block @index of the segment; what should be there is in @slot. */
static void block_read(struct vsl_core *core, struct vsl_slot *slot, u32 index,
		       void (*done)(struct vsl_core *, struct vsl_op *))
{
	struct vsl_scrubber *scrub = &core->scrub;

	scrub->due--;
	scrub->flying = true;
	vsl_slot_read(core, slot, vsl_stripe_ppa(&scrub->stripe, &core->geo,
						 scrub->seg, index), done);
}

static void head_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_scrubber *scrub = &core->scrub;
	struct vsl_slot *slot = op->ctx;
	struct vsl_disk_head *head = slot->buf;
	bool good, lost = op->result != VSL_RES_UNWRITTEN &&
			  vsl_result_error(op->result);
	u32 index = scrub->walking ? scrub->index : scrub->head;

	scrub->flying = false;
	core->again = true;
	core->counter[VSL_COUNT_SCRUBBED]++;
	good = !vsl_result_error(op->result) &&
	       vsl_head_valid(core, head, scrub->seg,
			      core->seg[scrub->seg].alloc_no, index,
			      limit_of(core));
	/* Behind the last packet of a segment anything may be. */
	if (!good && (lost || !scrub->walking))
		found_bad(core, "a head", index);
	if (scrub->walking && good) {
		vsl_scan_head(&scrub->scan, head);
		scrub->index += 1 + le16_to_cpu(head->nr_blocks);
	} else if (scrub->walking) {
		scrub->index = VSL_NONE;
	}
	vsl_slot_put(core, slot);
}

static void head_read(struct vsl_core *core, u32 index)
{
	struct vsl_slot *slot = vsl_slot_get(core, true);

	if (!slot)
		return;
	slot->lba = VSL_SPARE_LBA(VSL_SPARE_HEAD);
	block_read(core, slot, index, head_done);
}

/* Does anything refer to @ppa as what @commit says is there? */
static bool referred(struct vsl_core *core, const struct vsl_commit *commit,
		     u32 ppa)
{
	switch (commit->kind) {
	case VSL_ENTRY_DATA:
		return vsl_map_get(core, commit->lba) == ppa;
	case VSL_ENTRY_MAP:
	case VSL_ENTRY_DIR:
	case VSL_ENTRY_SEGTAB:
		return vsl_ref_of(core, commit->kind, commit->lba)->ppa == ppa;
	default:
		return false;
	}
}

static void block_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_scrubber *scrub = &core->scrub;
	struct vsl_slot *slot = op->ctx;

	scrub->flying = false;
	core->again = true;
	core->counter[VSL_COUNT_SCRUBBED]++;
	if (vsl_result_error(op->result) &&
	    referred(core, &scrub->commit, slot->from)) {
		vsl_slot_tell(core, slot);
		found_bad(core, "a block", scrub->commit.index);
	}
	vsl_slot_put(core, slot);
}

/* The commit at hand: read its block if it still counts. */
static void commit_read(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	const struct vsl_commit *commit = &scrub->commit;
	struct vsl_slot *slot;
	u32 ppa;

	if (commit->index >= vsl_seg_blocks(&core->geo, scrub->stripe.nr)) {
		scrub->have = false;
		return;
	}
	ppa = vsl_stripe_ppa(&scrub->stripe, &core->geo, scrub->seg,
			     commit->index);
	if (!referred(core, commit, ppa)) {
		scrub->have = false;
		return;
	}
	slot = vsl_slot_get(core, true);
	if (!slot)
		return;
	scrub->have = false;
	scrub->live++;
	slot->lba = commit->kind == VSL_ENTRY_DATA ?
		    commit->lba : VSL_SPARE_LBA(commit->kind);
	slot->crc = commit->arg;
	slot->sure = true;
	slot->check = true;
	block_read(core, slot, commit->index, block_done);
}

static void list_end(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (scrub->walking && scrub->index < core->seg[scrub->seg].end &&
	    scrub->index < limit_of(core))
		head_read(core, scrub->index);
	else
		segment_end(core);
}

/* Go on along the lists to the next thing to be read. */
static void walk(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u32 steps;

	for (steps = 0; steps < SCRUB_STEP && !scrub->flying; steps++) {
		if (!scrub->have &&
		    vsl_scan_next(core, &scrub->scan, &scrub->commit) <= 0) {
			list_end(core);
			return;
		}
		scrub->have = true;
		if (!scrub->walking &&
		    scrub->head != le32_to_cpu(scrub->scan.record.index)) {
			scrub->head = le32_to_cpu(scrub->scan.record.index);
			head_read(core, scrub->head);
			return;
		}
		commit_read(core);
	}
	if (!scrub->flying)
		scrub->due--;
}

/* ---- parity ------------------------------------------------------------------------- */

/* Data whose parity is bad gets a new one where it is moved to: one is enough. */
static void row_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_scrubber *scrub = &core->scrub;
	struct vsl_slot *slot = op->ctx;

	scrub->flying = false;
	core->again = true;
	core->counter[VSL_COUNT_SCRUBBED]++;
	scrub->index++;
	if (vsl_result_error(op->result)) {
		found_bad(core, "the parity of a row", op->off);
		segment_leave(core);
	}
	vsl_slot_put(core, slot);
}

/* The parity was read: make it of its row, and compare. */
static void parity_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	if (vsl_result_error(op->result)) {
		row_done(core, op);
		return;
	}
	slot->sure = true;
	slot->done = row_done;
	vsl_rebuild_queue(core, slot);
}

static void parity_read(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;
	u32 row = scrub->index / core->geo.chunk;
	struct vsl_slot *slot;

	if (row >= core->seg[scrub->seg].rows) {
		segment_leave(core);
		return;
	}
	slot = vsl_slot_get(core, true);
	if (!slot)
		return;
	slot->trial = true;
	slot->check = true;
	scrub->due--;
	scrub->flying = true;
	vsl_slot_read(core, slot,
		      vsl_ppa(&core->geo, scrub->seg,
			      scrub->stripe.unit[row % scrub->stripe.nr],
			      scrub->index), parity_done);
}

/* ---- pace -------------------------------------------------------------------------- */

/* Somebody else has something to do, and comes first. */
static bool others_wait(const struct vsl_core *core)
{
	return core->nr_free_slots < SCRUB_SLOTS ||
	       !list_empty(&core->write_queue) ||
	       !list_empty(&core->commit_queue) ||
	       !list_empty(&core->read_queue);
}

void vsl_scrub_run(struct vsl_core *core)
{
	struct vsl_scrubber *scrub = &core->scrub;

	if (scrub->flying || (scrub->state == VSL_SCRUB_IDLE && !scrub->due))
		return;
	if (!core->online || core->stopping || core->gone) {
		if (scrub->state != VSL_SCRUB_IDLE)
			segment_leave(core);
		scrub->due = 0;
		return;
	}
	/* Emptied meanwhile: it is not to be kept from being erased. */
	if (scrub->state != VSL_SCRUB_IDLE && !core->seg[scrub->seg].valid) {
		segment_leave(core);
		return;
	}
	if (!scrub->due || others_wait(core))
		return;
	switch (scrub->state) {
	case VSL_SCRUB_IDLE:
		if (!scrub->stale || !close_stale(core))
			segment_next(core);
		break;
	case VSL_SCRUB_SUMMARY:
		summary_read(core);
		break;
	case VSL_SCRUB_PARITY:
		parity_read(core);
		break;
	default:
		walk(core);
		break;
	}
}
