// SPDX-License-Identifier: GPL-2.0-only
/*
 * narrow_log.c - cases of narrow.c: the log, its roots, and what may be erased when.
 */
#include "narrow.h"

/* ---- what is erased too early ------------------------------------------------------ */

/* Write what lies in @seg elsewhere, while others wait. */
static void empty_segment(struct listed *l, u32 seg)
{
	const struct vsl_core *core = l->world->core;
	u32 lba;

	for (lba = 0; lba < core->geo.lba_blocks; lba++)
		if (vsl_ppa_is_block(core->map[lba]) &&
		    vsl_ppa_seg(&core->geo, core->map[lba]) == seg)
			need(narrow_write_beside(l, lba), "the write waits");
	need(!core->seg[seg].valid, "the segment is not empty");
}

/* Let the world go on until what is to be stuck is. */
static void until_stuck(struct listed *l)
{
	u32 i;

	for (i = 0; i < 3000 && !listed_fired(l); i++)
		world_step(l->world);
	need(listed_fired(l), "nothing is stuck");
}

/* A read takes so long that its segment would be emptied, erased and used again. */
void narrow_slow_reader(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 lba, i;

	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	narrow_stick(l, place.unit, place.eu, STUCK_READ);
	narrow_begin(l, VSL_IO_READ, lba, 1);
	until_stuck(l);
	empty_segment(l, place.eu);
	for (i = 0; i < 3 * w->core->geo.lba_blocks; i++)
		need(narrow_write_beside(l, narrow_any_lba(l)), "the write waits");
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
void narrow_root_under_way(struct listed *l)
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
	narrow_stick_roots(l);
	listed_write(l, VSL_MAP_PER_PAGE);
	vsl_check_request(core, true);
	for (i = 0; i < 500 && narrow_write_beside(l, narrow_any_lba(l)); i++)
		;
	need(core->check.state == VSL_CHECK_ROOT, "no root is under way");
	need(core->seg[seg].state == VSL_SEG_CLOSED &&
	     core->seg[seg].alloc_no == alloc_no,
	     "a page that the root refers to is given away");
	narrow_cut(l);
	listed_judge(l);
}

/* ---- the log behind the root ---------------------------------------------------------- */

/*
 * The log begins in the middle of a segment.  All that was written to it is replaced,
 * but not what was trimmed in it.
 */
void narrow_log_begins(struct listed *l)
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
	seg = narrow_host_segment(l);
	alloc_no = core->seg[seg].alloc_no;
	world_checkpoint(w);
	need(core->base.start[VSL_STREAM_DATA].seg == seg,
	     "the log begins elsewhere");
	narrow_stick_roots(l);
	world_do(w, VSL_IO_TRIM, 0, 0, trimmed * VSL_BLOCK_SECTORS);
	while (core->seg[seg].state == VSL_SEG_OPEN)
		listed_write(l, narrow_any_beyond(l, trimmed));
	empty_segment(l, seg);
	for (i = 0; i < 1000 &&
	     narrow_write_beside(l, narrow_any_beyond(l, trimmed)); i++)
		;
	need(core->seg[seg].state == VSL_SEG_CLOSED &&
	     core->seg[seg].alloc_no == alloc_no,
	     "a segment in which the log begins is given away");
	narrow_cut(l);
	listed_judge(l);
}

/*
 * More trims than the list at a segment's end has room for: there must be none, and what
 * is there instead must not be taken for one.  The heads are read, and prove each other: a
 * block between them that cannot be read ends nothing.
 */
void narrow_many_trims(struct listed *l)
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
	narrow_stick_roots(l);
	narrow_stick(l, VSL_SIM_ANY, seg, STUCK_PROGRAM);
	for (i = 0; i < trims; i++)
		narrow_begin(l, VSL_IO_TRIM, i, 1);
	narrow_steps(l, 400);
	vsl_sim_heal(w->sim);
	narrow_stick_roots(l);
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
	narrow_steps(l, 200);
	need(core->seg[seg].state == VSL_SEG_CLOSED && point->seg == VSL_NONE,
	     "the segment is not full");
	narrow_lose_block(l, trims);
	narrow_cut(l);
	listed_judge(l);
}

/* The power goes while a packet is written: its head is there, most of its data is noise. */
static void tear_packet(struct listed *l)
{
	u32 lba = narrow_any_run(l, 8), unit;
	struct place place = listed_next(l, lba, 0);

	for (unit = 0; unit < l->plan.card.units; unit++)
		if (unit != place.unit)
			narrow_stick(l, unit, place.eu, STUCK_PROGRAM);
	narrow_begin(l, VSL_IO_WRITE, lba, 8);
	narrow_steps(l, 100);
	world_crash(l->world);
	vsl_sim_heal(l->world->sim);
	world_power_on(l->world);
}

/*
 * The root of an attach cannot list all that it has found, so it makes a checkpoint, and
 * that is cut short: its packets must not have proven what the log is to end before.
 */
void narrow_torn_before_attach(struct listed *l)
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
void narrow_no_root_written(struct listed *l)
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
	narrow_cut(l);
	world_verify(w);
}

/* The next @count programs of roots in each erase unit of the lanes do not fit. */
static void end_roots(struct listed *l, u32 count)
{
	struct place place = listed_anywhere;
	u32 lane, nth;

	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&l->world->core->geo, lane, nth,
				       &place.unit, &place.eu);
			listed_plant(l, "program-end", place, count, 1, 0);
		}
}

/*
 * Erase units of the lanes end before they are full, as those do that a card's reset
 * hits: each is erased and used again, however often.  But not without end for one root.
 */
void narrow_root_ends(struct listed *l)
{
	struct place place = listed_anywhere;
	struct world *w;
	u64 fired;
	u32 i, lane;

	listed_card(l);
	w = l->world;
	for (i = 0; i < 4 * VSL_LANE_EUS; i++) {
		fired = listed_fired(l);
		for (lane = 0; lane < VSL_LANES; lane++) {
			vsl_lane_place(&w->core->geo, lane,
				       w->core->root.lane[lane].nth, &place.unit,
				       &place.eu);
			listed_plant(l, "program-end", place, 1, 1, 0);
		}
		listed_any(l);
		world_checkpoint(w);
		vsl_sim_heal(w->sim);
		need(listed_fired(l) >= fired + VSL_LANES,
		     "no root was hit in round %u", i);
		need(vsl_core_health(w->core) == VSL_HEALTHY,
		     "erase units that ended are not used again");
		for (lane = 0; lane < VSL_LANES; lane++)
			need(w->core->root.lane[lane].ok,
			     "lane %u has not got root %u", lane, i);
	}
	listed_judge(l);
	w->tolerant = true;
	end_roots(l, VSL_SIM_FOREVER);
	vsl_check_request(w->core, true);
	for (i = 0; i < 300 && vsl_core_health(w->core) != VSL_READ_ONLY; i++)
		listed_any(l);
	need(vsl_core_health(w->core) == VSL_READ_ONLY,
	     "no root is written, and writes are taken");
	narrow_cut(l);
	world_verify(w);
}

/*
 * Seven segments were open, with packets of all lengths, when the power went: their
 * heads are read side by side, and once.
 */
void narrow_heads_once(struct listed *l)
{
	struct world *w;
	u32 i, heads = 700;
	u64 waits;

	l->plan.card.eus = 64;
	l->plan.card.eu_blocks = 256;
	listed_start(l);
	w = l->world;
	for (i = 0; i < heads; i++)
		world_do(w, VSL_IO_WRITE, 0,
			 rng_below(&l->scene.rng, 1000) * VSL_BLOCK_SECTORS,
			 rng_range(&l->scene.rng, 1, 5) * VSL_BLOCK_SECTORS);
	listed_flush(l);
	for (i = 0; i < w->core->geo.points; i++)
		need(w->core->stream[i].index > 256,
		     "append point %u has %u blocks", i,
		     w->core->stream[i].index);
	world_crash(w);
	world_power_on(w);
	waits = w->waits;
	scene_recover(&l->scene, 0);
	sim_trace("%llu blocks read, %llu times waited", w->core->attach_reads,
		  w->waits - waits);
	need(w->core->attach_reads < 2 * heads,
	     "%llu blocks are read for %u heads", w->core->attach_reads, heads);
	need(w->waits - waits < heads / 2, "attach waits %llu times for %u heads",
	     w->waits - waits, heads);
	listed_judge(l);
}

/*
 * A checkpoint waits for a segment, and so does the host.  The first that there is goes
 * to the checkpoint.
 */
void narrow_checkpoint_first(struct listed *l)
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
		checkpoint_of(l, narrow_any_lba(l));
	narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	for (i = 0; i < 1000 && narrow_write_beside(l, narrow_any_lba(l)); i++)
		;
	need(!core->nr_clean, "the host does not wait");
	vsl_check_request(core, true);
	narrow_steps(l, 400);
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

/*
 * A format is cut short while it erases the roots: the last that is left must be the
 * newest, for what an older one refers to was erased long ago.
 */
void narrow_format_cut(struct listed *l)
{
	struct vsl_format again;
	struct world *w;
	u32 i, round;

	l->plan.card.eu_blocks = 8;
	l->plan.card.eus = 96;
	listed_card(l);
	w = l->world;
	for (round = 0; round < 16; round++) {
		for (i = 0; i < (round ? 2 : VSL_LANE_EUS + 1) *
				l->plan.card.eu_blocks; i++) {
			world_run(w, 10);
			world_checkpoint(w);
		}
		listed_flush(l);
		world_crash(w);
		world_power_on(w);
		again = w->plan.format;
		again.uuid[0]++;
		/* the older ones are six, and each erase begins and ends */
		world_arm_change(w, rng_range(&l->scene.rng, 8, 13),
				 rng_u64(&l->scene.rng));
		world_format(w, &again);
		need(w->cut, "the format was not cut");
		world_crash(w);
		world_power_on(w);
		scene_recover(&l->scene, 0);
	}
}

/* More is asked for than the card can hold, or than it should. */
void narrow_format_too_large(struct listed *l)
{
	struct vsl_limits limits;
	struct vsl_format large;
	struct world *w;
	int err;

	listed_card(l);
	w = l->world;
	listed_detach(l);
	need(!world_limits(&l->plan.card, false, &limits), "it is refused");
	large = w->plan.format;
	large.overformat = true;
	large.capacity_bytes = limits.max_bytes + VSL_BLOCK_BYTES;
	err = world_format(w, &large);
	need(err == -ERANGE, "format to more than all returns %d", err);
	large.overformat = false;
	large.capacity_bytes = limits.advertised_bytes + VSL_BLOCK_BYTES;
	err = world_format(w, &large);
	need(err == -ERANGE, "format to more than is advertised returns %d", err);
	scene_recover(&l->scene, 0);
	listed_judge(l);
}

/* ---- announcements ------------------------------------------------------------------ */

/* Erases are stuck: go on until there is nothing left to be announced. */
static bool reach_last(struct listed *l)
{
	const struct vsl_core *core = l->world->core;
	const struct vsl_stream *point = forge_point(core, 0);
	u32 i;

	narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	for (i = 0; i < 1000; i++) {
		if (!core->nr_clean && core->next_seg != VSL_NONE &&
		    core->announced && point->seg != VSL_NONE &&
		    point->index + 12 < point->limit)
			return true;
		if (!narrow_write_beside(l, narrow_any_lba(l)))
			break;
	}
	return false;
}

/*
 * What failed takes the last segment there is, and its first packet can announce
 * nothing.  While that is under way the next segment is found: it is announced by
 * none.
 */
void narrow_announced_by_none(struct listed *l)
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
			narrow_stick(l, VSL_SIM_ANY, last, STUCK_PROGRAM);
			narrow_end_segment(l, forge_point(core, 0)->seg);
			narrow_begin(l, VSL_IO_WRITE, 0, 8);
			narrow_steps(l, 600);
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
		narrow_cut(l);
	}
	need(met, "the last segment was never taken");
}

/* ---- volatile caches ------------------------------------------------------------------ */

/*
 * What was programmed while the card was flushed is not durable when that ends: heads
 * must not say so.
 */
void narrow_programmed_in_flush(struct listed *l)
{
	struct world *w;
	u32 i, k;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	for (i = 0; i < 40; i++) {
		listed_any(l);
		narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_FLUSH);
		narrow_begin(l, VSL_IO_FLUSH, 0, 0);
		for (k = 0; k < 3000 && !w->core->flushing; k++)
			world_step(w);
		narrow_steps(l, 50);
		narrow_begin(l, VSL_IO_WRITE, narrow_any_run(l, 8), 8);
		narrow_down_to(l, 1);
		vsl_sim_heal(w->sim);
		world_finish(w);
		listed_any(l);
		narrow_cut(l);
	}
}

/*
 * A write of several blocks is in the card's cache; a sector of one of them is written,
 * and that packet goes to another segment.  If it is there after a power loss, so is the
 * write it was put on.
 */
void narrow_redo_on_cache(struct listed *l)
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
		lba = narrow_any_run(l, 8);
		listed_flush(l);
		world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
			 8 * VSL_BLOCK_SECTORS);
		narrow_end_segment(l, vsl_ppa_seg(&core->geo, core->map[lba]));
		world_do(w, VSL_IO_WRITE, 0,
			 (u64)lba * VSL_BLOCK_SECTORS + 3, 1);
		narrow_cut(l);
	}
}

/*
 * The same, and nothing fails; but each commit has another append point (which is so in
 * the build "few").
 */
void narrow_part_elsewhere(struct listed *l)
{
	struct world *w;
	u64 sector;
	u32 i;

	l->plan.format.sector_bytes = VSL_SECTOR_BYTES;
	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	for (i = 0; i < 80; i++) {
		sector = (u64)narrow_any_run(l, 8) * VSL_BLOCK_SECTORS;
		listed_flush(l);
		world_do(w, VSL_IO_WRITE, 0, sector, 8 * VSL_BLOCK_SECTORS);
		world_do(w, VSL_IO_WRITE, 0, sector + 3, 1);
		narrow_cut(l);
	}
}

/* ---- who waits for what --------------------------------------------------------------- */

/* What the groomer found cannot be read, in a packet that nobody else is in. */
static void groomer_collects(struct listed *l, u8 point, u32 lba)
{
	struct vsl_core *core = l->world->core;
	struct vsl_packet *packet = vsl_log_room(core, point, VSL_BY_GROOMER, 0, 1);

	need(packet, "there is no room for it");
	listed_may_lose(l, lba);
	vsl_log_add(core, packet, VSL_ENTRY_LOST, lba, 1, NULL);
}

/*
 * What a trim names was trimmed a moment ago.  It ends with that one, and not with what
 * the groomer has collected since and may keep for as long as nobody writes.
 */
void narrow_trim_of_nothing(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 lba;

	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_PROGRAM);
	narrow_begin(l, VSL_IO_TRIM, lba, 1);
	until_stuck(l);
	need(w->core->nr_trims, "nothing is trimmed");
	groomer_collects(l, w->core->trim_point, (lba + 1) % w->core->geo.lba_blocks);
	narrow_begin(l, VSL_IO_TRIM, lba, 1);
	narrow_steps(l, 100);
	need(w->nr_jobs == 2, "a trim ends before what it is built on");
	vsl_sim_heal(w->sim);
	world_finish(w);
	listed_judge(l);
}
