// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * groom.c - making space: moving what is still valid out of old segments.
 *
 * One victim at a time, the one with the best cost-benefit: much to gain,
 * little to move, and old, so that what is about to be overwritten anyway is
 * left alone a little longer.  Its blocks go where those go that are expected to
 * live as long (place.c).  The victim's commits are taken from its summary,
 * or from its heads where it has none, or, when those cannot be read, from a
 * walk through the whole map.  A block is moved if the map still points to it
 * when it was read and checked; one that cannot be read, or whose CRC is
 * wrong, is committed as lost: reading it is an error from then on, and never
 * something else.
 *
 * Pace: each block the host writes earns the right to move as many as the
 * victim has valid ones for each it has free, and more the further the free
 * segments are below the target.  When the host waits there is no limit; when
 * space is short, as much as makes up for what it wrote.  So the work is spread
 * over the writes that cause it, and an idle disk does not wear.
 *
 * Where space is not short a victim that wear.c names comes first.  Its blocks
 * are moved a few at a time, whatever the host writes.
 *
 * With parity, segments that have lost something which could be made again are
 * moved out of, slowly, also when there is no need for space: so a card that has
 * lost a unit is whole again after a while.
 *
 * Invariants
 * V1  The victim has a reader (the groomer) until it is left.
 * V2  A moved block is committed only while the map points to where it was
 *     read.
 *
 * Power loss: the source is erased only after the copies are durable.
 */
#include "place.h"

#define GROOM_WINDOW	64u	/* blocks under way */
#define CALM_WINDOW	8u	/* the same, while the host has few requests and none waits */
#define REPAIR_WINDOW	4u	/* the same, where there is no need for space */
#define GROOM_MAP_STEP	2048u	/* map entries looked at under one lock */
#define SPARE_TIME	65536u	/* blocks moved to make up for what was written */
#define HELD_MANY	4u	/* segments that only wait for a root */
#define WEAR_WINDOW	8u	/* blocks under way for the sake of the flash */
#define GROOM_TURN	8u	/* victims for space between two of those */

static void groom_next(struct vsl_core *core);

int vsl_groom_alloc(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	u32 nr = core->geo.sum_blocks;

	groom->op = vsl_zalloc(core, nr, sizeof(*groom->op));
	groom->vec = vsl_zalloc(core, nr, sizeof(*groom->vec));
	INIT_LIST_HEAD(&groom->ready);
	if (!groom->op || !groom->vec)
		return -ENOMEM;
	return vsl_scan_alloc(core, &groom->scan);
}

void vsl_groom_free(struct vsl_core *core)
{
	vsl_scan_free(core, &core->groom.scan);
	vsl_port_free(core->groom.op);
	vsl_port_free(core->groom.vec);
}

/* Data blocks the segment holds when it is filled by the groomer. */
static u32 seg_room(const struct vsl_core *core, const struct vsl_segment *s)
{
	u32 limit = vsl_seg_limit(&core->geo, max_t(u32, s->nr_units,
						    core->geo.units_min));
	u32 packet = vsl_round(1 + core->geo.packet_blocks, core->geo.ws_min);

	return limit - DIV_ROUND_UP(limit, packet);
}

static s64 shortage(const struct vsl_core *core)
{
	return (s64)core->levels.target - core->nr_free;
}

/* The host has committed @blocks: how many may be moved for that. */
void vsl_groom_earn(struct vsl_core *core, u32 blocks)
{
	struct vsl_groomer *groom = &core->groom;
	const struct vsl_segment *s;
	s64 lack = shortage(core);
	u32 room;

	vsl_wear_earn(core, blocks);
	groom->spare_time = min_t(u64, groom->spare_time + 64ull * blocks,
				  SPARE_TIME);
	if (lack <= 0 || groom->state == VSL_GROOM_IDLE) {
		groom->credit = 0;
		return;
	}
	s = &core->seg[groom->seg];
	room = seg_room(core, s);
	groom->credit += (s64)blocks * 256 * (s->valid + 1) /
			 max_t(u32, room - min_t(u32, s->valid, room - 1), 1) *
			 (2 + lack) / 2;
}

u64 vsl_groom_debt(struct vsl_core *core)
{
	s64 lack = shortage(core) - core->nr_held;
	u64 valid = core->mapped / max_t(u32, core->geo.segments, 1);

	return lack > 0 ? lack * valid : 0;
}

/* Little space is left: what is gained counts, not what will be. */
static bool short_of_space(const struct vsl_core *core)
{
	return core->nr_free <= core->levels.host;
}

/* Does somebody wait for what the groomer does? */
static bool awaited(const struct vsl_core *core)
{
	if (!core->online || core->stopping)
		return true;
	return short_of_space(core) && (!list_empty(&core->commit_queue) ||
					!list_empty(&core->trim_queue));
}

/* Or is it late, though nobody does yet? */
static bool unpaced(const struct vsl_core *core)
{
	return awaited(core) ||
	       (short_of_space(core) && core->groom.spare_time > 0);
}

static u32 window(const struct vsl_core *core)
{
	s64 credit = core->groom.credit / 256;

	u32 most = awaited(core) || !vsl_place_few(core) ? GROOM_WINDOW :
							   CALM_WINDOW;

	if (unpaced(core))
		return most;
	if (core->groom.wear)
		return WEAR_WINDOW;
	if (shortage(core) <= 0)
		return REPAIR_WINDOW;
	return credit > 0 ? min_t(s64, credit, most) : 0;
}

/* Cost-benefit; 0: no victim. */
static u64 score(const struct vsl_core *core, const struct vsl_segment *s)
{
	u32 room = seg_room(core, s);
	u64 age = core->next_version - s->last_version + 1;

	if (s->state != VSL_SEG_CLOSED || !s->settled || !s->valid ||
	    s->stream == VSL_STREAM_MAP)
		return 0;
	/* The card's own table may say so of a segment that data lies in. */
	if (s->nr_units < core->geo.units_min)
		return 0;
	if (shortage(core) <= 0)
		return s->suspect;
	/* Moving what fills a segment gains nothing. */
	if (s->valid >= room - room / 32)
		return s->suspect && !short_of_space(core);
	/* The last few must be made soon. */
	if (core->nr_free <= core->levels.moved)
		age = 1u << 20;
	/* What the log still needs cannot be erased before the next root. */
	if (s->tail)
		return 1;
	return (room - s->valid) * age / s->valid + 2;
}

static u32 pick_victim(struct vsl_core *core)
{
	u32 seg, best = VSL_NONE;
	u64 most = 0;

	for (seg = 0; seg < core->geo.segments; seg++) {
		u64 now = score(core, &core->seg[seg]);

		if (now > most) {
			most = now;
			best = seg;
		}
	}
	return best;
}

/*
 * vsl_groom_leaves() - free segments the groomer must leave to others
 *
 * It gives back more than it takes once a victim is empty, so it may take what
 * a checkpoint would need while there is none; and when nothing but it can go
 * on, nearly all.
 */
u32 vsl_groom_leaves(struct vsl_core *core)
{
	if (core->check.state != VSL_CHECK_IDLE || core->check.wanted)
		return core->levels.moved;
	if (core->nr_free > core->levels.check)
		return core->levels.check;
	if (core->nr_held) {
		vsl_check_request(core, true);
		return core->levels.check;
	}
	return core->groom.stuck || !core->online ? 0 : 2;
}

static void victim_leave(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;

	/* Nothing else may come that would fill the packet. */
	if (groom->wear && !core->gone)
		vsl_log_push_all(core);
	groom->state = VSL_GROOM_IDLE;
	vsl_atomic_dec_return(&core->seg[groom->seg].readers);
	core->again = true;
}

/* ---- reading the victim's lists ---------------------------------------- */

static void look_through_map(struct vsl_core *core)
{
	core->groom.state = VSL_GROOM_MAP;
	core->groom.lba = 0;
	core->groom.ended = false;
	core->again = true;
}

static void scan_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_groomer *groom = &core->groom;

	(void)op;
	groom->flying--;
	if (groom->failed) {
		core->seg[groom->seg].summary = false;
		groom_next(core);
		return;
	}
	groom->state = VSL_GROOM_MOVE;
	groom->walking = false;
	groom->ended = false;
	core->again = true;
}

/* Check the summary that was read.  Context: lock not held. */
void vsl_groom_scan(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;

	groom->failed = vsl_scan_begin(core, &groom->scan, groom->seg,
				       core->seg[groom->seg].alloc_no) != 0;
}

static void summary_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_groomer *groom = &core->groom;

	if (vsl_op_again(core, op))
		return;
	if (vsl_result_error(op->result))
		groom->failed = true;
	groom->flying--;
	if (--groom->ops_left)
		return;
	if (groom->failed) {
		core->seg[groom->seg].summary = false;
		groom_next(core);
		return;
	}
	groom->flying++;
	vsl_op_start(core, &groom->cpu_op, VSL_CPU_SCAN, scan_done, NULL);
}

static void summary_read(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	u32 limit = vsl_seg_limit(&core->geo, groom->stripe.nr), i;

	groom->state = VSL_GROOM_SUMMARY;
	groom->failed = false;
	groom->ops_left = core->geo.sum_blocks;
	for (i = 0; i < core->geo.sum_blocks; i++) {
		struct vsl_op *op = &groom->op[i];

		groom->vec[i].base = groom->scan.block[i];
		groom->vec[i].bytes = VSL_BLOCK_BYTES;
		op->vec = &groom->vec[i];
		op->nr_vecs = 1;
		op->skip_bytes = 0;
		op->oob = NULL;
		vsl_op_place(core, op, vsl_stripe_ppa(&groom->stripe, &core->geo,
						      groom->seg, limit + i), 1);
		groom->flying++;
		vsl_op_start(core, op, VSL_OP_READ, summary_done, NULL);
	}
}

static void head_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_slot *slot = op->ctx;
	struct vsl_segment *s = &core->seg[groom->seg];
	struct vsl_disk_head *head = slot->buf;
	bool good;

	good = !vsl_result_error(op->result) &&
	       vsl_head_valid(core, head, groom->seg, s->alloc_no,
			      groom->index,
			      vsl_seg_limit(&core->geo, groom->stripe.nr));
	if (good) {
		vsl_scan_head(&groom->scan, head);
		groom->index += 1 + le16_to_cpu(head->nr_blocks);
		groom->ended = false;
	} else {
		/*
		 * The map is next, but not before all that heads told of has
		 * been committed: without the CRC from a head a damaged block
		 * would be moved like a good one.
		 */
		groom->index = s->end;
		groom->ended = true;
	}
	groom->state = VSL_GROOM_MOVE;
	vsl_slot_put(core, slot);
	groom->flying--;
	core->again = true;
}

static void head_read(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_slot *slot;

	groom->state = VSL_GROOM_HEAD;
	groom->walking = true;
	slot = vsl_slot_get(core, true);
	if (!slot) {
		groom->ended = true;	/* groom_next() comes again */
		groom->state = VSL_GROOM_MOVE;
		return;
	}
	groom->flying++;
	slot->lba = VSL_SPARE_LBA(VSL_SPARE_HEAD);
	vsl_slot_read(core, slot, vsl_stripe_ppa(&groom->stripe, &core->geo,
						 groom->seg, groom->index),
		      head_done);
}

/* The commits at hand are done with: where are more? */
static void groom_next(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_segment *s = &core->seg[groom->seg];

	if (!s->valid || core->gone) {
		if (!groom->flying && list_empty(&groom->ready))
			victim_leave(core);
	} else if (groom->state == VSL_GROOM_SUMMARY ||
		   (groom->walking && groom->index < s->end)) {
		head_read(core);
	} else if (!groom->flying && list_empty(&groom->ready)) {
		if (groom->state == VSL_GROOM_MAP)
			victim_leave(core);
		else
			look_through_map(core);
	}
}

/*
 * Is it time to groom?  Empty segments that only wait for a root count as
 * free; they are worth a checkpoint when they are more than it costs, or when
 * nothing else is left.
 */
static bool wanted(struct vsl_core *core)
{
	if (shortage(core) <= 0)
		return core->degraded;
	if (short_of_space(core) && core->nr_held > core->levels.check)
		vsl_check_request(core, true);
	else if (core->nr_held > HELD_MANY + core->geo.segments / 64)
		vsl_check_request(core, false);
	return short_of_space(core) || shortage(core) > (s64)core->nr_held;
}

/* May data be moved now for a reason that is not space? */
static bool wear_may_move(const struct vsl_core *core)
{
	if (!short_of_space(core))
		return true;
	return core->nr_free > core->levels.moved &&
	       (core->groom.turns >= GROOM_TURN || !unpaced(core));
}

/*
 * The victim's turn may not come before the host writes again: something else
 * can be moved meanwhile.
 */
static bool gives_way(const struct vsl_core *core)
{
	const struct vsl_groomer *groom = &core->groom;

	return !groom->wear && !groom->flying && !groom->ops_left &&
	       list_empty(&groom->ready) && !window(core) &&
	       wear_may_move(core) && vsl_wear_waits(core);
}

/* What is moved next; VSL_NONE: nothing. */
static u32 choose_victim(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	u32 seg;

	groom->wear = false;
	if (wear_may_move(core)) {
		seg = vsl_wear_victim(core);
		groom->wear = seg != VSL_NONE;
		groom->turns = 0;
		if (groom->wear)
			return seg;
	}
	if (!wanted(core))
		return VSL_NONE;
	groom->turns++;
	seg = pick_victim(core);
	if (seg != VSL_NONE)
		return seg;
	core->degraded = core->degraded && shortage(core) > 0;
	if (core->nr_held && shortage(core) > 0)
		vsl_check_request(core, true);
	return VSL_NONE;
}

static void groom_begin(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	u32 seg = choose_victim(core);

	if (seg == VSL_NONE)
		return;
	groom->rests = false;
	groom->seg = seg;
	groom->life = vsl_life_moved(core, seg);
	groom->point = vsl_life_point(core, groom->life);
	groom->credit = 0;
	groom->index = 0;
	groom->walking = false;
	vsl_atomic_inc(&core->seg[seg].readers);
	vsl_stripe_init(&groom->stripe, &core->geo, vsl_seg_units(core, seg));
	if (core->seg[seg].summary)
		summary_read(core);
	else
		head_read(core);
}

/* ---- moving ------------------------------------------------------------- */

static void move_read_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	if (vsl_result_error(op->result)) {
		vsl_slot_tell(core, slot);
		slot->good = false;
	}
	list_add_tail(&slot->link, &core->groom.ready);
	core->again = true;
}

/* Start moving block @lba, which the map says is at @ppa. */
static bool move_start(struct vsl_core *core, u32 lba, u32 ppa, bool know_crc,
		       u32 crc)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_slot *slot = vsl_slot_get(core, true);

	if (!slot)
		return false;
	slot->lba = lba;
	slot->crc = crc;
	slot->sure = know_crc;
	slot->check = true;
	groom->flying++;
	groom->credit -= 256;
	if (groom->wear)
		vsl_wear_moves(core);
	else
		groom->futile += shortage(core) > 0;
	if (groom->spare_time)
		groom->spare_time--;
	vsl_slot_read(core, slot, ppa, move_read_done);
	return true;
}

/*
 * Is nothing left but the slots kept for partial reads of the host?  What is in
 * the groomer's open packet comes back once it is programmed.
 */
static bool slots_scarce(struct vsl_core *core)
{
	if (core->nr_free_slots >= 32)
		return false;
	if (!core->groom.flying)
		vsl_log_push_idle(core);
	return true;
}

/*
 * An empty segment waits for commits to be durable, of whatever append point.
 * A groomer at work fills its packets by itself, but some seldom: what was
 * begun as long ago as a quarter of a segment takes is not waited for.  On small
 * segments a full packet is: heads and padding would take what is gained.
 */
void vsl_groom_push(struct vsl_core *core)
{
	u64 most = vsl_seg_blocks(&core->geo, core->geo.units) / 4;
	const struct vsl_packet *open;
	u32 i;

	most = max_t(u64, most, core->geo.packet_blocks);
	for (i = 0; i < VSL_STREAMS; i++) {
		open = core->stream[i].open;
		if (open && (core->groom.rests ||
			     open->wm_version + most < core->next_version))
			vsl_log_push(core, i);
	}
}

static void move_some(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_commit commit;
	u32 most = window(core), ppa;
	int ret;

	while (!groom->ended && groom->flying < most && !slots_scarce(core)) {
		ret = vsl_scan_next(core, &groom->scan, &commit);
		if (ret <= 0) {
			groom->ended = true;
			if (ret < 0 && groom->walking)
				groom->index = core->seg[groom->seg].end;
			break;
		}
		if (commit.kind != VSL_ENTRY_DATA ||
		    commit.index >= vsl_seg_blocks(&core->geo,
						   groom->stripe.nr))
			continue;
		ppa = vsl_stripe_ppa(&groom->stripe, &core->geo, groom->seg,
				     commit.index);
		if (vsl_map_get(core, commit.lba) == ppa)
			move_start(core, commit.lba, ppa, true, commit.arg);
	}
	if (groom->ended)
		groom_next(core);
}

static void map_yield_done(struct vsl_core *core, struct vsl_op *op)
{
	(void)op;
	core->groom.ops_left = 0;
	core->again = true;
}

static void map_some(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	u32 steps = 0, ppa, most = window(core);

	if (groom->ops_left)
		return;
	while (groom->lba < core->geo.lba_blocks && steps < GROOM_MAP_STEP &&
	       groom->flying < most && !slots_scarce(core)) {
		ppa = vsl_map_get(core, groom->lba);
		if (vsl_ppa_is_block(ppa) &&
		    vsl_ppa_seg(&core->geo, ppa) == groom->seg)
			move_start(core, groom->lba, ppa, false, 0);
		groom->lba++;
		steps++;
	}
	if (groom->lba == core->geo.lba_blocks)
		groom_next(core);
	if (steps < GROOM_MAP_STEP || groom->state == VSL_GROOM_IDLE)
		return;
	groom->ops_left = 1;
	vsl_op_start(core, &groom->cpu_op, VSL_CPU_YIELD, map_yield_done, NULL);
}

/*
 * Room for a block that was moved.  Where its append point can open no segment
 * another one has a rest to give.
 */
static struct vsl_packet *room_for_moved(struct vsl_core *core, u32 blocks)
{
	struct vsl_packet *packet;
	u32 i;

	packet = vsl_log_room(core, core->groom.point, VSL_BY_GROOMER, blocks,
			      1);
	if (packet || core->stream[core->groom.point].seg != VSL_NONE ||
	    core->nr_free > vsl_groom_leaves(core))
		return packet;
	for (i = VSL_STREAM_MAP; i-- && !packet;)
		if (core->stream[i].seg != VSL_NONE)
			packet = vsl_log_room(core, i, VSL_BY_GROOMER, blocks,
					      1);
	return packet;
}

/* Commit what was read, where it is still wanted. */
static void commit_ready(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;
	struct vsl_slot *slot, *tmp;
	struct vsl_packet *packet;

	list_for_each_entry_safe(slot, tmp, &groom->ready, link) {
		bool wanted = !core->gone &&
			      vsl_map_get(core, slot->lba) == slot->from;

		if (wanted) {
			packet = room_for_moved(core, slot->good);
			if (!packet)
				return;
		}
		list_del_init(&slot->link);
		groom->flying--;
		core->again = true;
		if (wanted && slot->good) {
			vsl_life_note(core, packet->seg, groom->life);
			vsl_log_add(core, packet, VSL_ENTRY_DATA, slot->lba,
				    slot->crc, slot);
			continue;
		}
		if (wanted)
			vsl_log_add(core, packet, VSL_ENTRY_LOST, slot->lba, 1,
				    NULL);
		vsl_slot_put(core, slot);
	}
}

/*
 * Everything has been moved twice and still there is no segment for the host:
 * too many erase units have failed for a disk of this size.
 */
static void give_up(struct vsl_core *core)
{
	u64 most = 2 * core->mapped +
		   8ull * vsl_seg_blocks(&core->geo, core->geo.units);

	if (core->groom.futile > most && short_of_space(core))
		vsl_health_set(core, VSL_READ_ONLY, VSL_REASON_GROOM_FAILS);
}

void vsl_groom_run(struct vsl_core *core)
{
	struct vsl_groomer *groom = &core->groom;

	give_up(core);

	if (groom->state == VSL_GROOM_IDLE) {
		groom->rests = true;
		if (core->gone || core->stopping || !vsl_writable(core) ||
		    !core->grooming)
			return;
		groom_begin(core);
		return;
	}
	commit_ready(core);
	if (core->gone && groom->state >= VSL_GROOM_MOVE) {
		groom_next(core);
		return;
	}
	if (groom->state >= VSL_GROOM_MOVE && gives_way(core)) {
		victim_leave(core);
		return;
	}
	if (groom->state == VSL_GROOM_MOVE)
		move_some(core);
	else if (groom->state == VSL_GROOM_MAP)
		map_some(core);
}
