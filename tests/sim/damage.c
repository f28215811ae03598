// SPDX-License-Identifier: GPL-2.0-only
/*
 * damage.c - a kind of runs: damage to what the driver keeps for itself.
 *
 * The kind "lost" makes blocks of host data unreadable.  Here it is one of the two
 * copies of the roots, which costs nothing; pages of the map and the directory,
 * unreadable or with another content, after which what they told of is lost, and
 * said to be lost; and host data that changes silently, which the groomer must find
 * when it moves it (P9).
 *
 * The run knows where these things lie: the lanes from FORMAT.md, the rest from
 * the core while it is attached.
 */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../../driver/core/int.h"
#include "fail.h"

#define ROUNDS		8u

static void poke(struct scene *s, u32 unit, u32 eu, u32 off, const void *block)
{
	sim_trace("damage unit %u eu %u block %u: %s", unit, eu, off,
		  block ? "other content" : "unreadable");
	vsl_sim_poke(s->world->sim, unit, eu, off, block);
}

/* One copy of all roots: the other one is enough. */
static void damage_lane(struct scene *s)
{
	const struct vsl_sim_config *card = &s->world->plan.card;
	u32 lane = rng_below(&s->rng, VSL_LANES), nth, off;
	u32 unit = lane * (card->units / 2);
	bool readable = rng_chance(&s->rng, 500);
	u64 block[VSL_BLOCK_BYTES / 8];

	for (nth = 0; nth < VSL_BLOCK_BYTES / 8; nth++)
		block[nth] = rng_u64(&s->rng);
	for (nth = 0; nth < VSL_LANE_EUS; nth++)
		for (off = 0; off < card->eu_blocks; off++)
			poke(s, unit, card->units == 1 ?
			     nth + lane * VSL_LANE_EUS : nth, off,
			     readable ? block : NULL);
}

/* Where a page of the map or of the directory lies, and which blocks it knows. */
struct page {
	u32 unit;
	u32 eu;
	u32 off;
	u64 first_lba;
	u64 nr_lba;
};

/* Return: false: there is none on the media. */
static bool choose_page(struct scene *s, struct page *page)
{
	const struct vsl_core *core = s->world->core;
	u32 nr = rng_below(&s->rng, core->geo.map_pages);
	bool dir = rng_chance(&s->rng, 300);
	u32 ppa = dir ? core->dir_ref[nr / VSL_REFS_PER_PAGE].ppa :
			core->dir[nr].ppa;

	if (!vsl_ppa_is_block(ppa))
		return false;
	*page = (struct page){
		.unit = vsl_ppa_unit(&core->geo, ppa),
		.eu = vsl_ppa_seg(&core->geo, ppa),
		.off = vsl_ppa_off(&core->geo, ppa),
		.first_lba = dir ? 0 : nr * VSL_MAP_PER_PAGE,
		.nr_lba = dir ? core->geo.lba_blocks : VSL_MAP_PER_PAGE,
	};
	page->nr_lba = min_t(u64, page->nr_lba,
			     core->geo.lba_blocks - page->first_lba);
	return true;
}

/* All-ones is a page that says nothing is mapped, but not the right one. */
static void damage_page(struct scene *s, const struct page *page)
{
	u8 block[VSL_BLOCK_BYTES];

	memset(block, 0xff, sizeof(block));
	poke(s, page->unit, page->eu, page->off,
	     rng_chance(&s->rng, 500) ? block : NULL);
	oracle_may_lose(s->world->oracle, page->first_lba * VSL_BLOCK_SECTORS,
			page->nr_lba * VSL_BLOCK_SECTORS);
}

/* Stop, start and stop again: the second time nothing is written any more. */
static void stopped(struct scene *s)
{
	struct world *w = s->world;
	struct page page;
	bool have;

	scene_stop(s);
	if (rng_chance(&s->rng, 500)) {
		damage_lane(s);
	} else {
		s->attach_flags = VSL_ATTACH_CLEAN_ONLY;
		scene_recover(s, 0);
		have = choose_page(s, &page);
		scene_stop(s);
		if (have)
			damage_page(s, &page);
	}
	s->attach_flags = VSL_ATTACH_CLEAN_ONLY;
	scene_recover(s, 0);
	if (rng_chance(&s->rng, 500))
		return;
	world_crash(w);
	world_power_on(w);
	scene_recover(s, 0);
}

/* ---- host data that changes silently -------------------------------------------- */

/* A block that will be moved, if at all, from a closed segment. */
static u32 choose_block(struct scene *s)
{
	const struct vsl_core *core = s->world->core;
	const struct vsl_segment *seg;
	u32 tries, lba, ppa;

	for (tries = 0; tries < 64; tries++) {
		lba = rng_below(&s->rng, core->geo.lba_blocks);
		ppa = core->map[lba];
		if (!vsl_ppa_is_block(ppa))
			continue;
		seg = &core->seg[vsl_ppa_seg(&core->geo, ppa)];
		if (seg->state == VSL_SEG_CLOSED && seg->settled)
			return lba;
	}
	return VSL_NONE;
}

/* Write all other blocks, those of the damaged one's segment first, until it was
 * erased.  Return: false: it was not. */
static bool write_others(struct scene *s, u32 lba)
{
	struct world *w = s->world;
	const struct vsl_core *core = w->core;
	u32 nr = core->geo.lba_blocks, ppa = core->map[lba], other, tries;
	u32 seg = vsl_ppa_seg(&core->geo, ppa);
	u32 unit = vsl_ppa_unit(&core->geo, ppa);
	u32 wear = vsl_sim_wear(w->sim, unit, seg);

	for (other = 0; other < nr; other++)
		if (other != lba && vsl_ppa_is_block(core->map[other]) &&
		    vsl_ppa_seg(&core->geo, core->map[other]) == seg)
			world_do(w, VSL_IO_WRITE, 0, other * VSL_BLOCK_SECTORS,
				 VSL_BLOCK_SECTORS);
	for (tries = 0; tries < 3 * nr; tries++) {
		if (vsl_sim_wear(w->sim, unit, seg) != wear)
			return true;
		other = (lba + 1 + rng_below(&s->rng, nr - 1)) % nr;
		world_do(w, VSL_IO_WRITE, 0, other * VSL_BLOCK_SECTORS,
			 VSL_BLOCK_SECTORS);
	}
	return false;
}

static void rot(struct scene *s)
{
	struct world *w = s->world;
	u32 lba = choose_block(s), ppa, i;
	u64 block[VSL_BLOCK_BYTES / 8];

	if (lba == VSL_NONE)
		return;
	ppa = w->core->map[lba];
	world_idle(w);
	/* it may have been read already to be moved */
	world_verify(w);
	if (w->core->map[lba] != ppa || w->core->groom.state != VSL_GROOM_IDLE)
		return;
	for (i = 0; i < VSL_BLOCK_BYTES / 8; i++)
		block[i] = rng_u64(&s->rng);
	poke(s, vsl_ppa_unit(&w->core->geo, ppa), vsl_ppa_seg(&w->core->geo, ppa),
	     vsl_ppa_off(&w->core->geo, ppa), block);
	oracle_may_lose(w->oracle, lba * VSL_BLOCK_SECTORS, VSL_BLOCK_SECTORS);
	if (!write_others(s, lba)) {
		/* it stayed where it was: nobody may see that */
		world_do(w, VSL_IO_WRITE, 0, lba * VSL_BLOCK_SECTORS,
			 VSL_BLOCK_SECTORS);
	} else if (w->core->map[lba] != VSL_PPA_LOST) {
		sim_fail("P9", "block %u was damaged and moved like a good one",
			 lba);
	}
	if (rng_chance(&s->rng, 700)) {
		world_do(w, VSL_IO_FLUSH, 0, 0, 0);
		world_crash(w);
		world_power_on(w);
		scene_recover(s, 0);
	}
}

void run_damage(const struct order *order)
{
	struct scene s;
	struct world *w;
	u32 i;

	scene_begin(&s, order);
	w = s.world;
	w->tolerant = true;	/* part of a lost block cannot be written */
	for (i = 0; i < ROUNDS; i++) {
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		if (rng_chance(&s.rng, 400))
			rot(&s);
		else
			stopped(&s);
	}
	scene_end(&s);
}
