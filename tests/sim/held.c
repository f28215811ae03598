// SPDX-License-Identifier: GPL-2.0-only
/*
 * held.c - a kind of runs: blocks are moved, the host writes them, and neither
 * arrives.
 *
 * The packet in which a block was moved (or found lost) fails and is written again
 * while a newer write of the same block is under way, and that one does not end
 * before the power goes.  Then what the block was moved from must be there still,
 * or what was found lost must still be lost.
 *
 * Chance seldom holds back one program while segments are emptied, erased and used
 * again.  Here the card does: the programs of the host's open segment are stuck,
 * from the moment on at which blocks are collected that were moved.
 *
 * Two more histories end the host's own segment early.  In one a block is in two of
 * the packets that are written again, one under way and one that still collects: the
 * later one must stay the later one.  In the other both are complete, inside the read
 * hole, and the power goes when some are there again and others not.
 */
#include "scene.h"

#include <stdlib.h>

#include "fail.h"
#include "forge.h"

#define CUTS_PER_RUN	20u
#define WANTED_MAX	8u

static void plant(struct world *w, const char *name, u32 eu, u32 count, u32 every,
		  u64 value)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = VSL_SIM_ANY,
		.eu = eu,
		.block = VSL_SIM_ANY,
		.count = count,
		.every = every,
		.value = value,
	};

	sim_trace("plant %s eu %u", name, eu);
	vsl_sim_plant(w->sim, &fault);
}

/* The segment that will be emptied first, as far as can be told. */
static u32 next_victim(const struct vsl_core *core)
{
	u32 seg, best = VSL_NONE;

	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		if (s->state != VSL_SEG_CLOSED || !s->settled || !s->valid ||
		    s->tail || s->stream == VSL_STREAM_MAP)
			continue;
		if (best == VSL_NONE || s->valid < core->seg[best].valid)
			best = seg;
	}
	return best;
}

/* Lose most of what is in it. */
static void lose_some(struct scene *s)
{
	struct world *w = s->world;
	const struct vsl_core *core = w->core;
	u32 seg, lba, ppa;

	world_idle(w);
	world_verify(w);	/* what is lost was there */
	seg = next_victim(core);
	for (lba = 0; seg != VSL_NONE && lba < core->geo.lba_blocks; lba++) {
		ppa = core->map[lba];
		if (!vsl_ppa_is_block(ppa) ||
		    vsl_ppa_seg(&core->geo, ppa) != seg)
			continue;
		/* What was lost before may be read as long as the rest of its row
		 * is there. */
		if (core->geo.parity)
			oracle_may_lose(w->oracle, (u64)lba * VSL_BLOCK_SECTORS,
					VSL_BLOCK_SECTORS);
		if (rng_chance(&s->rng, 300))
			continue;
		sim_trace("lose block %u", lba);
		if (!vsl_sim_poke(w->sim, vsl_ppa_unit(&core->geo, ppa), seg,
				  vsl_ppa_off(&core->geo, ppa), NULL))
			oracle_may_lose(w->oracle, (u64)lba * VSL_BLOCK_SECTORS,
					VSL_BLOCK_SECTORS);
	}
}

static void begin_write(struct world *w, u32 lba)
{
	world_begin(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    VSL_BLOCK_SECTORS);
}

static void begin_any(struct scene *s)
{
	begin_write(s->world,
		    rng_below(&s->rng, s->world->core->geo.lba_blocks));
}

static void steps(struct world *w, u32 nr)
{
	while (nr-- && !w->cut)
		if (!world_step(w))
			break;
}

/* Blocks that the groomer has put into its open packet, or only those that it has
 * found lost.  Return: how many. */
static u32 being_moved(const struct vsl_core *core, u32 *lba, bool lost)
{
	const struct vsl_packet *open = core->stream[core->groom.point].open;
	u32 i, kind, nr = 0, data = 0;
	bool moved;

	for (i = 0; open && i < open->nr_entries && nr < WANTED_MAX; i++) {
		kind = le32_to_cpu(open->head->entry[i].kind_delta) >>
		       VSL_ENTRY_SHIFT;
		moved = kind == VSL_ENTRY_DATA && open->slot[data++]->moved;
		if (kind == VSL_ENTRY_LOST || (moved && !lost))
			lba[nr++] = le32_to_cpu(open->head->entry[i].lba);
	}
	return nr;
}

/* Write until blocks are being moved. */
static u32 reach_move(struct scene *s, u32 *lba, bool lost)
{
	struct world *w = s->world;
	u32 tries, nr;

	for (tries = 0; tries < 2000 && !w->cut; tries++) {
		nr = being_moved(w->core, lba, lost);
		if (nr)
			return nr;
		if (w->nr_jobs < 4)
			begin_any(s);
		steps(w, 3);
	}
	return 0;
}

/* The moved ones fail, the host's newer ones do not arrive, and all goes on. */
static void hold(struct scene *s)
{
	struct world *w = s->world;
	u32 i, rounds = rng_range(&s->rng, 10, 300);

	for (i = 0; i < rounds && !w->cut; i++) {
		if (w->nr_jobs < 64 && rng_chance(&s->rng, 300))
			begin_any(s);
		steps(w, rng_range(&s->rng, 1, 40));
	}
}

/* The toy has none of them, and nothing to move. */
#pragma weak vsl_log_push
#pragma weak vsl_progress

/*
 * What was found lost and not written since is lost, also after a crash (P9): as soon
 * as that is durable, which a flush of the host does not wait for.
 */
static void stays_lost(struct scene *s)
{
	struct world *w = s->world;
	u32 lba, nr = w->core->geo.lba_blocks;
	u8 *lost = calloc(nr, 1);
	bool durable;
	u64 version;

	if (!lost)
		abort();
	world_finish(w);
	for (lba = 0; lba < nr; lba++)
		lost[lba] = w->core->map[lba] == VSL_PPA_LOST;
	version = w->core->next_version;
	vsl_log_push_all(w->core);
	vsl_progress(w->core);
	world_collect(w);
	steps(w, 100);
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
	durable = w->core->durable_version >= version;
	world_crash(w);
	vsl_sim_heal(w->sim);
	world_power_on(w);
	scene_recover(s, 0);
	for (lba = 0; lba < nr; lba++)
		if (durable && lost[lba] && w->core->map[lba] != VSL_PPA_LOST)
			sim_fail("P9", "block %u was found lost, and is found again",
				 lba);
	free(lost);
}

/* Blocks are being moved; their packet fails, and they are written meanwhile. */
static void overtake(struct scene *s, bool lost)
{
	struct world *w = s->world;
	struct vsl_core *core = w->core;
	u32 lba[WANTED_MAX], nr = reach_move(s, lba, lost), i;
	u8 point = core->groom.point;
	bool stuck = rng_chance(&s->rng, lost ? 200 : 700);

	if (!nr)
		return;
	plant(w, "program-end", core->stream[point].seg, 1,
	      rng_range(&s->rng, 1, 3), 0);
	for (i = 0; i < VSL_STREAM_MAP && stuck; i++)
		if (i != point && core->stream[i].seg != VSL_NONE)
			plant(w, "stuck", core->stream[i].seg, VSL_SIM_FOREVER,
			      1, 1u << VSL_OP_PROGRAM);
	for (i = 0; i < nr; i++)
		if (rng_chance(&s->rng, stuck ? 700 : 500))
			begin_write(w, lba[i]);
	if (stuck)
		hold(s);
	else
		stays_lost(s);
}

/* One block, twice: under way, and in the packet that collects; the first fails. */
static void twice(struct scene *s)
{
	struct world *w = s->world;
	u32 lba = rng_below(&s->rng, w->core->geo.lba_blocks), i;
	const struct vsl_stream *host;

	world_idle(w);
	host = forge_point(w->core, lba);
	if (host->seg == VSL_NONE)
		return;
	plant(w, "program-end", host->seg, 1, 1, 0);
	begin_write(w, lba);
	for (i = 0; i < 200 && list_empty(&host->packets); i++)
		steps(w, 1);
	begin_write(w, lba);
	world_finish(w);
	vsl_sim_heal(w->sim);
	/* Both were under way at once: only who has read knows which one is newer. */
	world_do(w, VSL_IO_READ, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
}

/* One block, twice, and nothing of it can be read back from the media yet. */
static void twice_inside_hole(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_core *core = w->core;
	u32 lba = rng_below(&s->rng, core->geo.lba_blocks), i, tries;
	const struct vsl_stream *host;

	world_idle(w);
	for (i = rng_range(&s->rng, 2, 3); i; i--)
		world_do(w, VSL_IO_WRITE, VSL_IO_FUA,
			 (u64)lba * VSL_BLOCK_SECTORS, VSL_BLOCK_SECTORS);
	if (w->cut || !vsl_ppa_is_block(core->map[lba]))
		return;
	host = &core->stream[core->seg[vsl_ppa_seg(&core->geo,
						   core->map[lba])].stream];
	if (host->seg == VSL_NONE || core->next_seg == VSL_NONE)
		return;
	plant(w, "program-end", host->seg, 1, 1, 0);
	plant(w, "stuck", core->next_seg, VSL_SIM_FOREVER,
	      rng_range(&s->rng, 2, 6), 1u << VSL_OP_PROGRAM);
	/* Something else that goes there. */
	i = rng_below(&s->rng, core->geo.lba_blocks);
	for (tries = 0; tries < 50 && forge_point(core, i) != host; tries++)
		i = rng_below(&s->rng, core->geo.lba_blocks);
	begin_write(w, i);
	steps(w, rng_range(&s->rng, 20, 300));
}

void run_held(const struct order *order)
{
	struct order own = *order;
	struct scene s;
	struct world *w;
	bool lost;
	u32 i;

	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	w->tolerant = true;	/* part of a lost block cannot be written */
	for (i = 0; i < CUTS_PER_RUN; i++) {
		lost = rng_chance(&s.rng, 500);
		if (lost)
			lose_some(&s);
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		world_do(w, VSL_IO_FLUSH, 0, 0, 0);
		if (w->core->geo.hole && rng_chance(&s.rng, 400)) {
			twice_inside_hole(&s);
		} else if (rng_chance(&s.rng, 250)) {
			twice(&s);
		} else {
			overtake(&s, lost);
		}
		world_crash(w);
		vsl_sim_heal(w->sim);
		world_power_on(w);
		scene_recover(&s, 0);
	}
	scene_end(&s);
}
