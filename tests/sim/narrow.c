// SPDX-License-Identifier: GPL-2.0-only
/*
 * narrow.c - a kind of runs: orders of events that chance seldom meets, each made.
 *
 * A fault of the core may need one operation to be late while another hundred are
 * not, and the power to go right then.  Random histories meet such an order once in
 * some thousand cuts, or never.  Each case here makes one: operations are stuck in
 * the card until what must overtake them has done so.  Run n is case n % their number;
 * each was written because a fault planted in the core (tests/mutants) had lived
 * through everything else.
 */
#include "listed.h"

#define STUCK_READ	(1u << VSL_OP_READ)
#define STUCK_PROGRAM	(1u << VSL_OP_PROGRAM)
#define STUCK_ERASE	(1u << VSL_OP_ERASE)
#define STUCK_FLUSH	(1u << VSL_OP_FLUSH)

/* ---- words of the cases ------------------------------------------------------ */

static void stick(struct listed *l, u32 unit, u32 eu, u32 mask)
{
	struct place place = { unit, eu, VSL_SIM_ANY };

	listed_plant(l, "stuck", place, VSL_SIM_FOREVER, 1, mask);
}

/* No root gets to the card from now on. */
static void stick_roots(struct listed *l)
{
	u32 lane, nth, unit, eu;

	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&l->world->core->geo, lane, nth, &unit,
				       &eu);
			stick(l, unit, eu, STUCK_PROGRAM);
		}
}

/* No program to this segment fits any more. */
static void end_segment(struct listed *l, u32 seg)
{
	struct place place = { VSL_SIM_ANY, seg, VSL_SIM_ANY };

	listed_plant(l, "program-end", place, VSL_SIM_FOREVER, 1, 0);
}

static void begin(struct listed *l, enum vsl_io_kind kind, u32 lba, u32 nr)
{
	world_begin(l->world, kind, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    nr * VSL_BLOCK_SECTORS);
}

/* Until no more than @jobs requests are under way; false: something holds them. */
static bool down_to(struct listed *l, u32 jobs)
{
	u32 steps;

	for (steps = 0; l->world->nr_jobs > jobs; steps++)
		if (steps == 3000 || !world_step(l->world))
			return false;
	return true;
}

static void steps(struct listed *l, u32 nr)
{
	while (nr--)
		world_step(l->world);
}

/* Write a block while others wait.  False: it waits, too. */
static bool write_beside(struct listed *l, u32 lba)
{
	u32 jobs = l->world->nr_jobs;

	begin(l, VSL_IO_WRITE, lba, 1);
	return down_to(l, jobs);
}

static u32 any_lba(struct listed *l)
{
	return rng_below(&l->scene.rng, l->world->core->geo.lba_blocks);
}

/* The same, but none of the first @nr. */
static u32 any_beyond(struct listed *l, u32 nr)
{
	return nr + rng_below(&l->scene.rng,
			      l->world->core->geo.lba_blocks - nr);
}

/* The first of @nr blocks that the disk has, any of them. */
static u32 any_run(struct listed *l, u32 nr)
{
	return rng_below(&l->scene.rng,
			 l->world->core->geo.lba_blocks - nr + 1);
}

/* A power cut now, and a sound card after it. */
static void cut(struct listed *l)
{
	world_crash(l->world);
	vsl_sim_heal(l->world->sim);
	world_power_on(l->world);
	scene_recover(&l->scene, 0);
}

/* The segment that the host's next lone write goes to. */
static u32 host_segment(struct listed *l)
{
	return listed_next(l, 0, 0).eu;
}

/* A block cannot be read any more. */
static void lose_block(struct listed *l, u32 lba)
{
	const struct vsl_geo *geo = &l->world->core->geo;
	u32 ppa = l->world->core->map[lba];

	listed_may_lose(l, lba);
	need(!vsl_sim_poke(l->world->sim, vsl_ppa_unit(geo, ppa),
			   vsl_ppa_seg(geo, ppa), vsl_ppa_off(geo, ppa), NULL),
	     "the block cannot be lost");
}

/* ---- requests -------------------------------------------------------------------- */

/*
 * A sector is written of a block that cannot be read: the request is an error, for
 * the other seven are lost.
 */
static void partial_unreadable(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 lba;

	l->plan.format.sector_bytes = VSL_SECTOR_BYTES;
	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	lose_block(l, lba);
	w->tolerant = true;
	world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS + 3, 1);
	w->tolerant = false;
	listed_read(l, lba);
	listed_judge(l);
}

/*
 * Packets are to be written again, and first the card must be flushed.  That fails, the
 * disk is read-only, and a flush that came meanwhile ends with an error.
 */
static void flush_refused(struct listed *l)
{
	struct world *w;
	u32 i;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	w->tolerant = true;
	end_segment(l, host_segment(l));
	w->flushes_fail = true;
	begin(l, VSL_IO_WRITE, 0, 1);
	for (i = 0; i < 3000 &&
	     vsl_core_health(w->core) != VSL_READ_ONLY; i++)
		world_step(w);
	need(i < 3000, "no flush was asked for");
	listed_flush(l);
	w->flushes_fail = false;
	cut(l);
}

/*
 * A block whose program has failed waits for its next place, and is read meanwhile: it
 * is in memory only.
 */
static void read_before_redo(struct listed *l)
{
	struct world *w;
	u32 seg, i;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	l->plan.load.fast_permille = 1000;
	listed_card(l);
	w = l->world;
	seg = host_segment(l);
	end_segment(l, seg);
	stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_FLUSH);
	begin(l, VSL_IO_WRITE, 0, 4);
	for (i = 0; i < 3000 && w->core->seg[seg].state == VSL_SEG_OPEN; i++)
		world_step(w);
	need(w->core->seg[seg].state == VSL_SEG_CLOSED && w->nr_jobs == 1,
	     "no program failed");
	for (i = 0; i < 4; i++) {
		begin(l, VSL_IO_READ, i, 1);
		need(down_to(l, 1), "the read waits");
	}
	vsl_sim_heal(w->sim);
	world_finish(w);
	listed_flush(l);
	listed_judge(l);
}

/* ---- what is erased too early ------------------------------------------------------ */

/* Write what lies in @seg elsewhere, while others wait. */
static void empty_segment(struct listed *l, u32 seg)
{
	const struct vsl_core *core = l->world->core;
	u32 lba;

	for (lba = 0; lba < core->geo.lba_blocks; lba++)
		if (vsl_ppa_is_block(core->map[lba]) &&
		    vsl_ppa_seg(&core->geo, core->map[lba]) == seg)
			need(write_beside(l, lba), "the write waits");
	need(!core->seg[seg].valid, "the segment is not empty");
}

/* A read takes so long that its segment would be emptied, erased and used again. */
static void slow_reader(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 lba, i;

	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	stick(l, place.unit, place.eu, STUCK_READ);
	begin(l, VSL_IO_READ, lba, 1);
	for (i = 0; i < 3000 && !listed_fired(l); i++)
		world_step(w);
	need(listed_fired(l), "nothing is read");
	empty_segment(l, place.eu);
	for (i = 0; i < 3 * w->core->geo.lba_blocks; i++)
		need(write_beside(l, any_lba(l)), "the write waits");
	vsl_sim_heal(w->sim);
	world_finish(w);
	listed_judge(l);
}

static void checkpoint_of(struct listed *l, u32 lba)
{
	listed_write(l, lba);
	need(world_checkpoint(l->world), "the power went");
}

/*
 * Go on until the root refers to one segment for nothing but the second page of the
 * map, which was written long before it.  Return: which.
 */
static u32 old_page(struct listed *l)
{
	struct vsl_core *core = l->world->core;
	const struct vsl_segment *s;
	u32 tries, k, seg;

	need(core->geo.map_pages == 2, "the map has %u pages",
	     core->geo.map_pages);
	for (tries = 0; tries < 50; tries++) {
		checkpoint_of(l, VSL_MAP_PER_PAGE);
		seg = vsl_ppa_seg(&core->geo, core->dir[1].ppa);
		s = &core->seg[seg];
		for (k = 0; k < 8; k++) {
			checkpoint_of(l, 0);
			if (vsl_ppa_seg(&core->geo, core->dir[1].ppa) != seg)
				break;
			if (s->state == VSL_SEG_CLOSED && s->valid == 1 &&
			    !s->tail)
				return seg;
		}
	}
	need(false, "no page of the map stays where it is");
	return VSL_NONE;
}

/*
 * A page of the map is written once more, and the root that says so does not get to
 * the card: the older page must stay.
 */
static void root_under_way(struct listed *l)
{
	struct vsl_core *core;
	u64 alloc_no;
	u32 i, seg;

	l->plan.card.units = 1;
	l->plan.card.eus = 256;
	l->plan.card.eu_blocks = 8;
	listed_card(l);
	core = l->world->core;
	seg = old_page(l);
	alloc_no = core->seg[seg].alloc_no;
	stick_roots(l);
	listed_write(l, VSL_MAP_PER_PAGE);
	vsl_check_request(core, true);
	for (i = 0; i < 500 && write_beside(l, any_lba(l)); i++)
		;
	need(core->check.state == VSL_CHECK_ROOT, "no root is under way");
	need(core->seg[seg].state == VSL_SEG_CLOSED &&
	     core->seg[seg].alloc_no == alloc_no,
	     "a page that the root refers to is given away");
	cut(l);
	listed_judge(l);
}

/* ---- the log behind the root ---------------------------------------------------------- */

/*
 * The log begins in the middle of a segment.  All that was written to it is replaced,
 * but not what was trimmed in it.
 */
static void log_begins(struct listed *l)
{
	const u32 trimmed = 8;
	struct vsl_core *core;
	struct world *w;
	u64 alloc_no;
	u32 seg, i;

	listed_card(l);
	w = l->world;
	core = w->core;
	world_checkpoint(w);
	seg = host_segment(l);
	alloc_no = core->seg[seg].alloc_no;
	world_checkpoint(w);
	need(core->base.start[VSL_STREAM_DATA].seg == seg,
	     "the log begins elsewhere");
	stick_roots(l);
	world_do(w, VSL_IO_TRIM, 0, 0, trimmed * VSL_BLOCK_SECTORS);
	while (core->seg[seg].state == VSL_SEG_OPEN)
		listed_write(l, any_beyond(l, trimmed));
	empty_segment(l, seg);
	for (i = 0; i < 1000 &&
	     write_beside(l, any_beyond(l, trimmed)); i++)
		;
	need(core->seg[seg].state == VSL_SEG_CLOSED &&
	     core->seg[seg].alloc_no == alloc_no,
	     "a segment in which the log begins is given away");
	cut(l);
	listed_judge(l);
}

/*
 * More trims than the list at a segment's end has room for: there must be none, and what
 * is there instead must not be taken for one.  The heads are read, and prove each other: a
 * block between them that cannot be read ends nothing.
 */
static void many_trims(struct listed *l)
{
	const u32 trims = 600;
	const struct vsl_stream *point;
	struct vsl_core *core;
	u32 seg, i, lba;
	struct world *w;

	listed_card(l);
	w = l->world;
	core = w->core;
	seg = listed_next(l, 0, 16).eu;
	world_checkpoint(w);
	stick_roots(l);
	stick(l, VSL_SIM_ANY, seg, STUCK_PROGRAM);
	for (i = 0; i < trims; i++)
		begin(l, VSL_IO_TRIM, i, 1);
	steps(l, 400);
	vsl_sim_heal(w->sim);
	stick_roots(l);
	world_finish(w);
	point = &core->stream[core->seg[seg].stream];
	need(point->seg == seg && point->limit - point->index > 9,
	     "the trims have filled the segment");
	for (lba = trims; point->limit - point->index > 9; lba++)
		listed_write(l, lba);
	/* the rest of it, so that no later segment proves anything */
	world_do(w, VSL_IO_WRITE, 0, lba * VSL_BLOCK_SECTORS,
		 (point->limit - point->index - 1) * VSL_BLOCK_SECTORS);
	listed_flush(l);
	steps(l, 200);
	need(core->seg[seg].state == VSL_SEG_CLOSED && point->seg == VSL_NONE,
	     "the segment is not full");
	lose_block(l, trims);
	cut(l);
	listed_judge(l);
}

/* The power goes while a packet is written: its head is there, most of its data is noise. */
static void tear_packet(struct listed *l)
{
	u32 lba = any_run(l, 8), unit;
	struct place place = listed_next(l, lba, 0);

	for (unit = 0; unit < l->plan.card.units; unit++)
		if (unit != place.unit)
			stick(l, unit, place.eu, STUCK_PROGRAM);
	begin(l, VSL_IO_WRITE, lba, 8);
	steps(l, 100);
	world_crash(l->world);
	vsl_sim_heal(l->world->sim);
	world_power_on(l->world);
}

/*
 * The root of an attach cannot list all that it has found, so it makes a checkpoint, and
 * that is cut short: its packets must not have proven what the log is to end before.
 */
static void torn_before_attach(struct listed *l)
{
	struct world *w;
	u64 before, changes = 200;
	u32 i;

	l->plan.card.eu_blocks = 8;
	l->plan.card.eus = 96;
	l->plan.card.tear = (struct vsl_sim_tear){ .program_random = 1 };
	listed_card(l);
	w = l->world;
	for (i = 0; i < 60; i++) {
		world_run(w, 60);
		tear_packet(l);
		/* near the end of it, if it is as long as the one before */
		before = rng_below(&l->scene.rng, min_t(u64, changes, 30));
		world_arm_change(w, changes - before, rng_u64(&l->scene.rng));
		world_attach(w, 0);
		world_disarm(w);
		world_crash(w);
		world_power_on(w);
		scene_survived(&l->scene);
		before = w->changes;
		scene_recover(&l->scene, 0);
		changes = w->changes - before;
	}
}

/* No root can be written any more: the disk is read-only, and what it has stays. */
static void no_root_written(struct listed *l)
{
	struct world *w;
	u32 lane, nth, i;
	struct place place = listed_anywhere;

	listed_card(l);
	w = l->world;
	w->tolerant = true;
	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&w->core->geo, lane, nth, &place.unit,
				       &place.eu);
			listed_plant(l, "program-fail", place, VSL_SIM_FOREVER,
				     1, 0);
		}
	vsl_check_request(w->core, true);
	for (i = 0; i < 300 && vsl_core_health(w->core) != VSL_READ_ONLY; i++)
		listed_any(l);
	need(vsl_core_health(w->core) == VSL_READ_ONLY,
	     "no root is written, and writes are taken");
	cut(l);
	world_verify(w);
}

/*
 * A checkpoint waits for a segment, and so does the host.  The first that there is goes
 * to the checkpoint.
 */
static void checkpoint_first(struct listed *l)
{
	struct vsl_core *core;
	struct world *w;
	u64 alloc_no;
	u32 i, seg;

	listed_start(l);
	world_fill(l->world, 400);
	w = l->world;
	core = w->core;
	for (i = 0; i < 100 && core->stream[VSL_STREAM_MAP].seg != VSL_NONE; i++)
		checkpoint_of(l, any_lba(l));
	stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	for (i = 0; i < 1000 && write_beside(l, any_lba(l)); i++)
		;
	need(!core->nr_clean, "the host does not wait");
	vsl_check_request(core, true);
	steps(l, 400);
	need(!list_empty(&core->check.ready), "no checkpoint waits");
	alloc_no = core->next_alloc_no;
	vsl_sim_heal(w->sim);
	for (i = 0; i < 3000 && core->next_alloc_no == alloc_no; i++)
		world_step(w);
	for (seg = 0; seg < core->geo.segments - 1; seg++)
		if (core->seg[seg].alloc_no == alloc_no &&
		    core->seg[seg].state == VSL_SEG_OPEN)
			break;
	need(core->seg[seg].stream == VSL_STREAM_MAP,
	     "append point %u was first", core->seg[seg].stream);
	world_finish(w);
	listed_judge(l);
}

/* ---- announcements ------------------------------------------------------------------ */

/* Erases are stuck: go on until there is nothing left to be announced. */
static bool reach_last(struct listed *l)
{
	const struct vsl_core *core = l->world->core;
	const struct vsl_stream *point = forge_point(core, 0);
	u32 i;

	stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	for (i = 0; i < 1000; i++) {
		if (!core->nr_clean && core->next_seg != VSL_NONE &&
		    core->announced && point->seg != VSL_NONE &&
		    point->index + 12 < point->limit)
			return true;
		if (!write_beside(l, any_lba(l)))
			break;
	}
	return false;
}

/*
 * What failed takes the last segment there is, and its first packet can announce
 * nothing.  While that is under way the next segment is found: it is announced by
 * none.
 */
static void announced_by_none(struct listed *l)
{
	struct vsl_core *core;
	struct world *w;
	u32 round, i, last, met = 0;
	u64 alloc_no;

	listed_card(l);
	for (round = 0; round < 12; round++) {
		w = l->world;
		core = w->core;
		if (reach_last(l)) {
			last = core->next_seg;
			stick(l, VSL_SIM_ANY, last, STUCK_PROGRAM);
			end_segment(l, forge_point(core, 0)->seg);
			begin(l, VSL_IO_WRITE, 0, 8);
			steps(l, 600);
			met += core->next_seg == VSL_NONE &&
			       core->seg[last].state == VSL_SEG_OPEN;
		}
		vsl_sim_heal(w->sim);
		world_finish(w);
		alloc_no = core->next_alloc_no;
		for (i = 0; i < 70 && core->next_alloc_no == alloc_no; i++)
			listed_any(l);
		listed_any(l);
		listed_flush(l);
		cut(l);
	}
	need(met, "the last segment was never taken");
}

/* ---- volatile caches ------------------------------------------------------------------ */

/*
 * What was programmed while the card was flushed is not durable when that ends: heads
 * must not say so.
 */
static void programmed_in_flush(struct listed *l)
{
	struct world *w;
	u32 i, k;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	for (i = 0; i < 40; i++) {
		listed_any(l);
		stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_FLUSH);
		begin(l, VSL_IO_FLUSH, 0, 0);
		for (k = 0; k < 3000 && !w->core->flushing; k++)
			world_step(w);
		steps(l, 50);
		begin(l, VSL_IO_WRITE, any_run(l, 8), 8);
		down_to(l, 1);
		vsl_sim_heal(w->sim);
		world_finish(w);
		listed_any(l);
		cut(l);
	}
}

/*
 * A write of several blocks is in the card's cache; a sector of one of them is written,
 * and that packet goes to another segment.  If it is there after a power loss, so is the
 * write it was put on.
 */
static void redo_on_cache(struct listed *l)
{
	const struct vsl_core *core;
	struct world *w;
	u32 i, lba;

	l->plan.format.sector_bytes = VSL_SECTOR_BYTES;
	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	for (i = 0; i < 60; i++) {
		core = w->core;
		lba = any_run(l, 8);
		listed_flush(l);
		world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
			 8 * VSL_BLOCK_SECTORS);
		end_segment(l, vsl_ppa_seg(&core->geo, core->map[lba]));
		world_do(w, VSL_IO_WRITE, 0,
			 (u64)lba * VSL_BLOCK_SECTORS + 3, 1);
		cut(l);
	}
}

/* ---- what was found lost --------------------------------------------------------------- */

/* The segment that will be emptied next, as far as can be told. */
static u32 next_victim(const struct vsl_core *core)
{
	u32 seg, best = VSL_NONE;

	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		if (s->state == VSL_SEG_CLOSED && s->settled && s->valid &&
		    !s->tail && s->stream != VSL_STREAM_MAP &&
		    (best == VSL_NONE || s->valid < core->seg[best].valid))
			best = seg;
	}
	return best;
}

/* Lose all that is left in @seg.  Return: the last of it, or VSL_NONE. */
static u32 lose_segment(struct listed *l, u32 seg)
{
	const struct vsl_core *core = l->world->core;
	u32 lba, ppa, last = VSL_NONE;

	for (lba = 0; seg != VSL_NONE && lba < core->geo.lba_blocks; lba++) {
		ppa = core->map[lba];
		if (!vsl_ppa_is_block(ppa) ||
		    vsl_ppa_seg(&core->geo, ppa) != seg)
			continue;
		lose_block(l, lba);
		last = lba;
	}
	return last;
}

/* Does @packet say that @lba is lost? */
static bool tells_lost(const struct vsl_packet *packet, u32 lba)
{
	const struct vsl_disk_entry *entry = packet->head->entry;
	u32 i;

	for (i = 0; i < packet->nr_entries; i++)
		if (le32_to_cpu(entry[i].lba) == lba &&
		    le32_to_cpu(entry[i].kind_delta) >> VSL_ENTRY_SHIFT ==
		    VSL_ENTRY_LOST)
			return true;
	return false;
}

/* Is that on its way to the card? */
static bool is_telling(const struct vsl_stream *point, u32 lba)
{
	const struct vsl_packet *packet;

	list_for_each_entry(packet, &point->packets, link)
		if (tells_lost(packet, lba))
			return true;
	return point->open && tells_lost(point->open, lba);
}

/* Go on until all of @victim was found lost.  Return: where it is told, or NULL. */
static const struct vsl_stream *reach_lost(struct listed *l, u32 victim, u32 lba)
{
	const struct vsl_core *core = l->world->core;
	const struct vsl_stream *point;
	u32 i;

	for (i = 0; core->seg[victim].valid; i++) {
		if (i == 40000)
			return NULL;
		if (l->world->nr_jobs < (core->groom.seg == victim ? 1 : 4))
			begin(l, VSL_IO_WRITE, any_lba(l), 1);
		world_step(l->world);
	}
	point = &core->stream[core->groom.point];
	return point->id != VSL_STREAM_DATA && is_telling(point, lba) ?
	       point : NULL;
}

/*
 * @lba was found lost, which @point is about to tell, and is written: that does not
 * arrive, and the packet of @point fails.  Return: so it was.
 */
static bool overtake(struct listed *l, const struct vsl_stream *point, u32 lba)
{
	struct world *w = l->world;
	const struct vsl_core *core = w->core;
	u16 media = w->plan.weight[STEP_MEDIA];
	u32 failed = point->seg;
	const struct vsl_slot *slot;
	bool met;

	w->plan.weight[STEP_MEDIA] = 0;		/* the card waits for the host */
	end_segment(l, failed);
	stick(l, VSL_SIM_ANY, core->stream[VSL_STREAM_DATA].seg, STUCK_PROGRAM);
	begin(l, VSL_IO_WRITE, lba, 1);
	steps(l, 200);
	met = is_telling(point, lba) && vsl_ppa_is_block(core->map[lba]);
	w->plan.weight[STEP_MEDIA] = media;
	steps(l, 2000);
	slot = vsl_slot_find(w->core, core->map[lba]);
	return met && slot && slot->pending && core->seg[failed].suspect &&
	       list_empty(&point->redo);
}

/*
 * The packet that says what was found lost fails, and the host has written it since,
 * but nothing of that arrives.  What it came from must stay: or the map points into a
 * segment that holds something else.
 */
static void lost_overtaken(struct listed *l)
{
	const struct vsl_stream *point;
	u32 round, victim, lba, met = 0;
	struct world *w;

	listed_card(l);
	for (round = 0; round < 60 && met < 4; round++) {
		w = l->world;
		world_run(w, 300);
		listed_flush(l);
		world_idle(w);
		world_verify(w);
		victim = next_victim(w->core);
		lba = lose_segment(l, victim);
		if (lba == VSL_NONE)
			continue;
		point = reach_lost(l, victim, lba);
		if (!point)
			continue;
		if (overtake(l, point, lba)) {
			need(w->core->seg[victim].state == VSL_SEG_CLOSED,
			     "what a lost block came from is given away");
			met++;
		}
		cut(l);
	}
	need(met, "nothing was overtaken");
}

/* The count of lost blocks is what it should be. */
static void need_lost(struct listed *l)
{
	struct vsl_core *core = l->world->core;
	struct vsl_core_stats stats;
	u32 lba, nr = 0;

	for (lba = 0; lba < core->geo.lba_blocks; lba++)
		nr += core->map[lba] == VSL_PPA_LOST;
	vsl_core_stats(core, &stats);
	need(stats.lost_blocks == nr, "%llu blocks are lost, not %u",
	     stats.lost_blocks, nr);
}

/* Blocks are found lost, and written again: the status tells how many are. */
static void lost_counted(struct listed *l)
{
	struct world *w;
	u32 i;

	listed_card(l);
	w = l->world;
	world_run(w, 2000);
	listed_flush(l);
	world_idle(w);
	world_verify(w);
	lose_segment(l, next_victim(w->core));
	for (i = 0; i < 5000 && !w->core->lost; i++) {
		listed_any(l);
		need_lost(l);
	}
	need(w->core->lost, "nothing is found lost");
	for (i = 0; i < w->core->geo.lba_blocks; i++)
		if (w->core->map[i] == VSL_PPA_LOST)
			listed_write(l, i);
	need_lost(l);
	listed_judge(l);
	need_lost(l);
}

/* ---- others -------------------------------------------------------------------------- */

/*
 * Reads bring another block of the same unit, some of the same segment, too: those are
 * told from the right ones by nothing but where they should lie, and of what address.
 */
static void misread_often(struct listed *l)
{
	u32 i;

	l->plan.card.oob_bytes = 16;
	listed_card(l);
	listed_plant(l, "misread", listed_anywhere, VSL_SIM_FOREVER, 3, 0);
	for (i = 0; i < 3000; i++)
		listed_read(l, any_lba(l));
	need(listed_fired(l) > 500, "reads bring what they should");
	vsl_sim_heal(l->world->sim);
	listed_judge(l);
}

/*
 * Erases leave everything as it is, and so does the program of a block, of which an
 * older content lies in the very same place: only its age is wrong.
 */
static void stale_twin(struct listed *l)
{
	struct place place;
	u32 i;

	l->plan.card.oob_bytes = 16;
	listed_start(l);
	world_fill(l->world, 200);
	listed_plant(l, "erase-drop", listed_anywhere, VSL_SIM_FOREVER, 1, 0);
	for (i = 0; i < 3000; i++)
		listed_write(l, 0);
	for (i = 0; i < 40; i++) {
		place = listed_next(l, 0, 1);
		listed_plant(l, "program-drop", place, 1, 1, 0);
		listed_write(l, 0);
		world_idle(l->world);
		listed_may_lose(l, 0);
		listed_read(l, 0);
	}
	listed_judge(l);
}

/* A disk that is read-only learns that an erase has failed: it stays what it is. */
static void no_better_health(struct listed *l)
{
	struct place place = listed_anywhere;
	struct vsl_core *core;
	struct world *w;
	u32 i;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	core = w->core;
	w->tolerant = true;
	listed_plant(l, "erase-fail", place, VSL_SIM_FOREVER, 3, 0);
	for (i = 0; i < 20000 && vsl_core_health(core) == VSL_HEALTHY; i++)
		listed_any(l);
	need(vsl_core_health(core) == VSL_WRITE_REDUCED, "nobody is told");
	vsl_sim_heal(w->sim);
	stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	for (i = 0; i < 1000 && core->erasing == VSL_NONE; i++)
		listed_any(l);
	steps(l, 100);
	listed_plant(l, "erase-fail", place, 1, 1, 0);
	w->flushes_fail = true;
	listed_flush(l);
	w->flushes_fail = false;
	need(vsl_core_health(core) == VSL_READ_ONLY && core->erasing != VSL_NONE,
	     "it is not read-only, or nothing is erased");
	listed_plant(l, "stuck", place, 0, 1, STUCK_ERASE);
	steps(l, 400);
	need(core->erasing == VSL_NONE, "the erase does not end");
	need(vsl_core_health(core) == VSL_READ_ONLY, "it takes writes again");
	cut(l);
}

/*
 * The groomer's last resort.  No card is known on which the groomer moves all there is
 * twice over and gains nothing, for a disk is read-only before that: so its count of
 * blocks moved in vain is put up by hand.
 */
static void moved_in_vain(struct listed *l)
{
	struct vsl_core *core;
	struct world *w;
	u32 i;

	listed_start(l);
	world_fill(l->world, 1000);
	w = l->world;
	core = w->core;
	w->tolerant = true;
	for (i = 0; i < 200000 && core->nr_free > core->levels.host; i++) {
		if (w->nr_jobs < 4)
			begin(l, VSL_IO_WRITE, any_lba(l), 1);
		world_step(w);
	}
	need(core->nr_free <= core->levels.host, "there is room enough");
	core->groom.futile = 1ull << 40;
	world_tick(w);
	need(vsl_core_health(core) == VSL_READ_ONLY, "it goes on for ever");
	world_finish(w);
	cut(l);
}

/* ---- the run ------------------------------------------------------------------------- */

static const struct {
	const char *text;
	void (*run)(struct listed *l);
} cases[] = {
	{ "a part of a block that cannot be read", partial_unreadable },
	{ "a flush on a disk that is read-only", flush_refused },
	{ "read before it is written again", read_before_redo },
	{ "a reader that takes its time", slow_reader },
	{ "a root that takes its time", root_under_way },
	{ "a segment in which the log begins", log_begins },
	{ "more trims than there is room for", many_trims },
	{ "no root is written", no_root_written },
	{ "a checkpoint comes first", checkpoint_first },
	{ "announced by none", announced_by_none },
	{ "programmed while the card is flushed", programmed_in_flush },
	{ "written again on top of the cache", redo_on_cache },
	{ "lost, and overtaken", lost_overtaken },
	{ "lost, and counted", lost_counted },
	{ "another block of the same segment", misread_often },
	{ "an older content in the same place", stale_twin },
	{ "no better health", no_better_health },
	{ "moved in vain", moved_in_vain },
};

void run_narrow(const struct order *order)
{
	u32 nr = order->run % ARRAY_SIZE(cases);

	/* In the build "few" nobody knows where a block will go. */
	if (VSL_SEALED_USED < VSL_ROOT_SEALED_MAX)
		listed_run(order, "torn, and found by two attaches",
			   torn_before_attach);
	else
		listed_run(order, cases[nr].text, cases[nr].run);
}
