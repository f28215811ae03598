// SPDX-License-Identifier: GPL-2.0-only
/*
 * narrow_flash.c - cases of narrow.c: requests, blocks that are lost, cards that tell lies
 * or come to their end.
 */
#include "narrow.h"

#include "../../driver/core/recover.h"

/* ---- requests -------------------------------------------------------------------- */

/*
 * A sector is written of a block that cannot be read: the request is an error, for
 * the other seven are lost.
 */
void narrow_partial_unreadable(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 lba;

	l->plan.format.sector_bytes = VSL_SECTOR_BYTES;
	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	narrow_lose_block(l, lba);
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
void narrow_flush_refused(struct listed *l)
{
	struct world *w;
	u32 i;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	listed_card(l);
	w = l->world;
	w->tolerant = true;
	narrow_end_segment(l, narrow_host_segment(l));
	w->flushes_fail = true;
	narrow_begin(l, VSL_IO_WRITE, 0, 1);
	for (i = 0; i < 3000 &&
	     vsl_core_health(w->core) != VSL_READ_ONLY; i++)
		world_step(w);
	need(i < 3000, "no flush was asked for");
	listed_flush(l);
	w->flushes_fail = false;
	narrow_cut(l);
}

/*
 * A block whose program has failed waits for its next place, and is read meanwhile: it
 * is in memory only.
 */
void narrow_read_before_redo(struct listed *l)
{
	struct world *w;
	u32 seg, i;

	l->plan.card.flags |= VSL_SIM_VOLATILE;
	l->plan.load.fast_permille = 1000;
	listed_card(l);
	w = l->world;
	seg = narrow_host_segment(l);
	narrow_end_segment(l, seg);
	narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_FLUSH);
	narrow_begin(l, VSL_IO_WRITE, 0, 4);
	for (i = 0; i < 3000 && w->core->seg[seg].state == VSL_SEG_OPEN; i++)
		world_step(w);
	need(w->core->seg[seg].state == VSL_SEG_CLOSED && w->nr_jobs == 1,
	     "no program failed");
	for (i = 0; i < 4; i++) {
		narrow_begin(l, VSL_IO_READ, i, 1);
		need(narrow_down_to(l, 1), "the read waits");
	}
	vsl_sim_heal(w->sim);
	world_finish(w);
	listed_flush(l);
	listed_judge(l);
}

/* Ask for what is not on the disk: it is refused at once. */
static void ask_beyond(struct listed *l, u64 sector, u32 nr_sectors)
{
	struct vsl_core *core = l->world->core;
	struct vsl_io io = { .sector = sector, .nr_sectors = nr_sectors };
	struct vsl_op *op;
	u8 kind;

	need(vsl_core_read_fast(core, &io, &op) == -EAGAIN,
	     "a fast read of sector %llu", sector);
	for (kind = VSL_IO_READ; kind <= VSL_IO_ZERO; kind++) {
		io.kind = kind;
		vsl_core_submit(core, &io);
		need(vsl_core_next_io(core) == &io && io.error == -EINVAL,
		     "a request of kind %u for sector %llu is taken", kind,
		     sector);
	}
}

/* A request that reaches behind the end of the disk, or begins there. */
void narrow_out_of_range(struct listed *l)
{
	u64 end;

	listed_card(l);
	world_idle(l->world);
	end = vsl_core_capacity_sectors(l->world->core);
	ask_beyond(l, end - VSL_BLOCK_SECTORS, 2 * VSL_BLOCK_SECTORS);
	ask_beyond(l, end, VSL_BLOCK_SECTORS);
	ask_beyond(l, end + VSL_MAP_PER_PAGE * VSL_BLOCK_SECTORS,
		   VSL_BLOCK_SECTORS);
	ask_beyond(l, 0ull - VSL_BLOCK_SECTORS, 2 * VSL_BLOCK_SECTORS);
	listed_judge(l);
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
		narrow_lose_block(l, lba);
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
			narrow_begin(l, VSL_IO_WRITE, narrow_any_lba(l), 1);
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
	narrow_end_segment(l, failed);
	narrow_stick(l, VSL_SIM_ANY, core->stream[VSL_STREAM_DATA].seg, STUCK_PROGRAM);
	narrow_begin(l, VSL_IO_WRITE, lba, 1);
	narrow_steps(l, 200);
	met = is_telling(point, lba) && vsl_ppa_is_block(core->map[lba]);
	w->plan.weight[STEP_MEDIA] = media;
	narrow_steps(l, 2000);
	slot = vsl_slot_find(w->core, core->map[lba]);
	return met && slot && slot->pending && core->seg[failed].suspect &&
	       list_empty(&point->redo);
}

/*
 * The packet that says what was found lost fails, and the host has written it since,
 * but nothing of that arrives.  What it came from must stay: or the map points into a
 * segment that holds something else.
 */
void narrow_lost_overtaken(struct listed *l)
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
		narrow_cut(l);
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
void narrow_lost_counted(struct listed *l)
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
void narrow_misread_often(struct listed *l)
{
	u32 i;

	l->plan.card.oob_bytes = 16;
	listed_card(l);
	listed_plant(l, "misread", listed_anywhere, VSL_SIM_FOREVER, 3, 0);
	for (i = 0; i < 3000; i++)
		listed_read(l, narrow_any_lba(l));
	need(listed_fired(l) > 500, "reads bring what they should");
	vsl_sim_heal(l->world->sim);
	listed_judge(l);
}

/*
 * Erases leave everything as it is, and so does the program of a block, of which an
 * older content lies in the very same place: only its age is wrong.
 */
void narrow_stale_twin(struct listed *l)
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
void narrow_no_better_health(struct listed *l)
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
	narrow_stick(l, VSL_SIM_ANY, VSL_SIM_ANY, STUCK_ERASE);
	/* One that had begun before ends. */
	for (i = 0; i < 1000; i++) {
		narrow_steps(l, 100);
		if (core->erasing != VSL_NONE)
			break;
		listed_any(l);
	}
	listed_plant(l, "erase-fail", place, 1, 1, 0);
	w->flushes_fail = true;
	listed_flush(l);
	w->flushes_fail = false;
	need(vsl_core_health(core) == VSL_READ_ONLY && core->erasing != VSL_NONE,
	     "it is not read-only, or nothing is erased");
	listed_plant(l, "stuck", place, 0, 1, STUCK_ERASE);
	narrow_steps(l, 400);
	need(core->erasing == VSL_NONE, "the erase does not end");
	need(vsl_core_health(core) == VSL_READ_ONLY, "it takes writes again");
	narrow_cut(l);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/*
 * What attach or detach waits for does not come, and nothing is under way that could
 * bring it: that is an error, and not the end of waiting.
 */
void narrow_waits_in_vain(struct listed *l)
{
	int err;

	listed_card(l);
	world_idle(l->world);
	err = vsl_sync(l->world->core, never, NULL);
	need(err == -ENOSPC, "waiting in vain returns %d", err);
	listed_judge(l);
}

/*
 * The groomer's last resort.  No card is known on which the groomer moves all there is
 * twice over and gains nothing, for a disk is read-only before that: so its count of
 * blocks moved in vain is put up by hand.
 */
void narrow_moved_in_vain(struct listed *l)
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
			narrow_begin(l, VSL_IO_WRITE, narrow_any_lba(l), 1);
		world_step(w);
	}
	need(core->nr_free <= core->levels.host, "there is room enough");
	core->groom.futile = 1ull << 40;
	world_tick(w);
	need(vsl_core_health(core) == VSL_READ_ONLY, "it goes on for ever");
	world_finish(w);
	narrow_cut(l);
}
