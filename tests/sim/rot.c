// SPDX-License-Identifier: GPL-2.0-only
/*
 * rot.c - kinds of runs: a card with spare bytes that does not tell the truth.
 *
 * Between a clean stop and the next attach blocks of host data are changed on
 * the card itself, so that it calls good what is not:
 *
 *	a bit is wrong, or all of them
 *	another block of the card is there, with its spare bytes; or an older one
 *		of the same address and segment
 *	what was there in an earlier stage of the run is there again
 *	only the spare bytes are wrong
 *
 * The disk may answer with an error for the addresses that were hit, and for no
 * others; it must never answer with what was not last written (P2, P9).  While
 * it runs single reads bring something else, too: those must be found out and
 * read once more, and nobody notices.
 */
#include "scene.h"

#include <stdlib.h>

#include "fail.h"

#define ROUNDS		20u
#define DAMAGE_MAX	8u
#define KEPT_MAX	64u
#define OOB_MAX		64u

struct place {
	u32 unit;
	u32 eu;
	u32 off;
};

/* A block as it was once. */
struct kept {
	struct place at;
	u64 lba;
	u8 block[VSL_BLOCK_BYTES] __attribute__((aligned(8)));
	u8 oob[OOB_MAX];
};

struct rot {
	struct scene scene;
	struct kept kept[KEPT_MAX];
	u32 nr_kept;
};

static struct place any_place(struct rot *rot)
{
	const struct vsl_sim_config *card = &rot->scene.world->plan.card;

	return (struct place){
		.unit = rng_below(&rot->scene.rng, card->units),
		.eu = rng_below(&rot->scene.rng, card->eus),
		.off = rng_below(&rot->scene.rng, card->eu_blocks),
	};
}

/* Take a copy; false: there is no host data. */
static bool look(struct rot *rot, struct place at, struct kept *to)
{
	struct vsl_sim *sim = rot->scene.world->sim;

	to->at = at;
	return !vsl_sim_peek(sim, at.unit, at.eu, at.off, to->block) &&
	       !vsl_sim_peek_oob(sim, at.unit, at.eu, at.off, to->oob) &&
	       scene_owner(&rot->scene, to->block, &to->lba);
}

static void put(struct rot *rot, struct place at, const struct kept *from)
{
	struct vsl_sim *sim = rot->scene.world->sim;

	if (vsl_sim_poke(sim, at.unit, at.eu, at.off, from->block) ||
	    vsl_sim_poke_oob(sim, at.unit, at.eu, at.off, from->oob))
		sim_fail("media", "poke failed");
}

static void may_lose(struct rot *rot, const struct kept *now, const char *how)
{
	sim_trace("%s unit %u eu %u block %u, was block %llu of the disk", how,
		  now->at.unit, now->at.eu, now->at.off, now->lba);
	oracle_may_lose(rot->scene.world->oracle, now->lba * VSL_BLOCK_SECTORS,
			VSL_BLOCK_SECTORS);
}

/* Another block of the same address in the same segment, if there is one. */
static bool find_twin(struct rot *rot, const struct kept *now,
		      struct kept *twin)
{
	const struct vsl_sim_config *card = &rot->scene.world->plan.card;
	struct place at = { .eu = now->at.eu };

	for (at.unit = 0; at.unit < card->units; at.unit++)
		for (at.off = 0; at.off < card->eu_blocks; at.off++)
			if (look(rot, at, twin) && twin->lba == now->lba &&
			    memcmp(twin->block, now->block, sizeof(now->block)))
				return true;
	return false;
}

static void change(struct rot *rot, struct kept *now)
{
	struct rng *rng = &rot->scene.rng;
	struct kept other;
	u32 i;

	switch (rng_below(rng, 5)) {
	case 0:
		may_lose(rot, now, "flip");
		now->block[rng_below(rng, VSL_BLOCK_BYTES)] ^=
			1 << rng_below(rng, 8);
		break;
	case 1:
		may_lose(rot, now, "noise");
		for (i = 0; i < VSL_BLOCK_BYTES; i++)
			now->block[i] = rng_below(rng, 256);
		break;
	case 2:
		may_lose(rot, now, "spare");
		now->oob[rng_below(rng, 16)] ^= 1 << rng_below(rng, 8);
		break;
	case 3:
		if (!find_twin(rot, now, &other))
			return;
		may_lose(rot, now, "twin");
		put(rot, now->at, &other);
		return;
	default:
		if (!look(rot, any_place(rot), &other))
			return;
		may_lose(rot, now, "misdirect");
		put(rot, now->at, &other);
		return;
	}
	put(rot, now->at, now);
}

/* What was somewhere long ago is there again, where something else is now. */
static void bring_back(struct rot *rot)
{
	const struct kept *old;
	struct kept now;

	if (!rot->nr_kept)
		return;
	old = &rot->kept[rng_below(&rot->scene.rng, rot->nr_kept)];
	if (!look(rot, old->at, &now) ||
	    !memcmp(old->block, now.block, sizeof(now.block)))
		return;
	may_lose(rot, &now, "bring back");
	put(rot, now.at, old);
}

/* Remember blocks, more of later stages, that they may come back. */
static void keep_some(struct rot *rot)
{
	u32 tries, to;

	for (tries = 0; tries < 32; tries++) {
		to = rot->nr_kept < KEPT_MAX ? rot->nr_kept :
		     rng_below(&rot->scene.rng, KEPT_MAX);
		if (look(rot, any_place(rot), &rot->kept[to]) &&
		    rot->nr_kept < KEPT_MAX)
			rot->nr_kept++;
	}
}

static void damage(struct rot *rot)
{
	struct kept now;
	u32 nr;

	for (nr = 0; nr < DAMAGE_MAX; nr++) {
		if (rng_chance(&rot->scene.rng, 400))
			bring_back(rot);
		else if (look(rot, any_place(rot), &now))
			change(rot, &now);
	}
	keep_some(rot);
}

void run_rot(const struct order *order)
{
	struct rot *rot = calloc(1, sizeof(*rot));
	struct scene *s = &rot->scene;
	struct order own = *order;
	struct world *w;
	u32 i;

	if (!own.geometry)
		own.geometry = "oob_bytes=16,parity=0";
	scene_begin(s, &own);
	w = s->world;
	w->tolerant = true;	/* part of a lost block cannot be written */
	for (i = 0; i < ROUNDS; i++) {
		scene_plant(s, rng_chance(&s->rng, 500) ? "corrupt" : "misread",
			    1, rng_range(&s->rng, 1, 30));
		world_run(w, rng_range(&s->rng, 1, 2 * w->plan.span));
		scene_stop(s);
		vsl_sim_heal(w->sim);
		damage(rot);
		s->attach_flags = VSL_ATTACH_CLEAN_ONLY;
		scene_recover(s, 0);
	}
	scene_end(s);
	free(rot);
}
