// SPDX-License-Identifier: GPL-2.0-only
/*
 * listed_power.c - cases of listed.c: power, the host, and cards that are not what
 * they were.
 */
#include "listed.h"

#include <string.h>

/* ---- power ----------------------------------------------------------------------- */

/* Cut while the card changes, @rounds times, and recover twice (P6). */
static void cut_often(struct listed *l, u32 rounds)
{
	struct world *w = l->world;
	struct vsl_sim_stats stats;
	u32 i;

	for (i = 0; i < rounds; i++) {
		world_arm_change(w, rng_range(&l->scene.rng, 0, 60),
				 rng_u64(&l->scene.rng));
		world_run(w, 60);
		world_disarm(w);
		listed_cycle(l);
		if (i % 4 == 0)
			listed_cycle(l);
	}
	vsl_sim_stats(w->sim, &stats);
	need(stats.torn_ops, "nothing was torn");
}

/* One card for each way in which a program may be torn. */
static void each_tear(struct listed *l, const struct vsl_sim_tear *tear, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		l->plan.card.tear = tear[i];
		listed_card(l);
		cut_often(l, 12);
		listed_end(l);
	}
}

/* 9: the torn end of the log is unknown, and nothing is programmed behind it. */
void listed_cut_program(struct listed *l)
{
	static const struct vsl_sim_tear tear[] = {
		{ .program_old = 1 }, { .program_new = 1 },
		{ .program_mixed = 1 }, { .program_random = 1 },
		{ .program_lost = 1 },
		{ .program_old = 1, .program_new = 1, .program_mixed = 1,
		  .program_random = 1, .no_front = 1 },
	};

	each_tear(l, tear, ARRAY_SIZE(tear));
}

/* 10: what reads fine now is written again before it fails. */
void listed_weak(struct listed *l)
{
	static const struct vsl_sim_tear tear[] = {
		{ .program_new = 1, .weak_permille = 1000, .weak_reads = 1 },
		{ .program_new = 1, .weak_permille = 1000, .weak_reads = 2 },
		{ .program_new = 1, .weak_permille = 700, .weak_reads = 4 },
	};

	each_tear(l, tear, ARRAY_SIZE(tear));
}

/* 12: a front of the 512-byte units. */
void listed_shorn(struct listed *l)
{
	static const struct vsl_sim_tear tear[] = {
		{ .program_prefix = 1 },
		{ .program_prefix = 1, .no_front = 1 },
	};

	each_tear(l, tear, ARRAY_SIZE(tear));
}

/* Go on until an erase is under way. */
static void reach_erase(struct listed *l)
{
	struct world *w = l->world;
	u32 steps;

	for (steps = 0; steps < 200000; steps++) {
		if (w->core->erasing != VSL_NONE && w->flying)
			return;
		if (w->nr_jobs < 4)
			world_begin(w, VSL_IO_WRITE, 0,
				    (u64)rng_below(&l->scene.rng,
						   w->core->geo.lba_blocks) *
				    VSL_BLOCK_SECTORS, VSL_BLOCK_SECTORS);
		world_step(w);
	}
	need(false, "nothing is erased");
}

/* 11: whatever an erase has left is erased before it is used. */
void listed_cut_erase(struct listed *l)
{
	static const struct vsl_sim_tear tear[] = {
		{ .program_old = 1, .erase_old = 1 },
		{ .program_old = 1, .erase_random = 1 },
		{ .program_old = 1, .erase_done = 1, .flaky_permille = 300 },
	};
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(tear); i++) {
		l->plan.card.tear = tear[i];
		listed_card(l);
		for (k = 0; k < 10; k++) {
			reach_erase(l);
			listed_cycle(l);
		}
		listed_judge(l);
		listed_end(l);
	}
}

/*
 * 13: a program ends and nobody is told.  Its request waits, others do not; when the
 * card is given up all end.  (Late and out of order is what all runs do; that an end
 * comes once is the back end's duty, M5 of media.h.)
 */
void listed_lost_end(struct listed *l)
{
	struct place place;
	struct world *w;
	u32 i, lba;

	listed_card(l);
	w = l->world;
	lba = listed_lba(l, &place);
	place = listed_next(l, 0, 0);
	listed_plant(l, "lose-end", place, 1, 1, 0);
	world_begin(w, VSL_IO_WRITE, 0, 0, VSL_BLOCK_SECTORS);
	for (i = 0; i < 400; i++)
		world_step(w);
	need(listed_fired(l) == 1, "no end was lost");
	need(w->nr_jobs == 1, "it was acknowledged nevertheless");
	world_begin(w, VSL_IO_READ, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    VSL_BLOCK_SECTORS);
	for (i = 0; i < 400; i++)
		world_step(w);
	need(w->nr_jobs == 1, "a read waits for it");
	world_crash(w);
	vsl_sim_heal(w->sim);
	world_power_on(w);
	scene_recover(&l->scene, 0);
	listed_judge(l);
}

/* 14: cut while grooming, trimming, in a checkpoint, in recovery and format. */
void listed_nested(struct listed *l)
{
	struct vsl_format again;
	struct world *w;
	u32 i;

	listed_card(l);
	w = l->world;
	for (i = 0; i < 12; i++) {
		world_arm(w, rng_range(&l->scene.rng, 1, 400));
		world_do(w, VSL_IO_TRIM, 0, 800 * i, 400);
		if (!w->cut)
			world_checkpoint(w);
		if (!w->cut)
			world_run(w, 40);
		world_crash(w);
		world_power_on(w);
		scene_recover(&l->scene, 3);
	}
	again = w->plan.format;
	memset(again.uuid, 0x14, sizeof(again.uuid));
	listed_detach(l);
	world_arm(w, rng_range(&l->scene.rng, 1, 300));
	world_format(w, &again);
	world_disarm(w);
	if (w->cut) {
		world_crash(w);
		world_power_on(w);
	}
	l->scene.erase_floor = 0;
	scene_format(&l->scene, &again);
	listed_judge(l);
}

/*
 * 22: what was acknowledged since the last flush may be gone.  The disk may say so, by
 * old content and errors; it must not bring what was never there.
 */
void listed_plp_fail(struct listed *l)
{
	struct world *w;
	int err;

	l->plan.card.flags |= VSL_SIM_PLP;
	listed_card(l);
	w = l->world;
	world_run(w, 200);
	listed_plant(l, "plp-fail", listed_anywhere, 1, 1, 0);
	world_run(w, 200);
	world_crash(w);
	world_power_on(w);
	need(listed_fired(l) == 1, "the protection has held");
	oracle_forget(w->oracle);
	l->scene.erase_floor = 0;
	err = world_attach(w, 0);
	sim_trace("attach returns %d", err);
	need(!err || err == -EIO || err == -ENODATA || err == -EUCLEAN,
	     "attach returns %d", err);
	scene_survived(&l->scene);
	if (err)
		return;
	world_audit(w);
	world_verify(w);
	world_audit(w);
}

/* 23: the card keeps its power, and what is under way on it ends there. */
void listed_host_crash(struct listed *l)
{
	u32 i;

	listed_card(l);
	for (i = 0; i < 20; i++) {
		world_arm(l->world, rng_range(&l->scene.rng, 1, 300));
		if (!world_run(l->world, 60)) {
			listed_cycle(l);
			continue;
		}
		world_disarm(l->world);
		world_host_crash(l->world);
		scene_recover(&l->scene, 0);
	}
	listed_judge(l);
}

/* ---- cards that are not what they were -------------------------------------------- */

/* Attach must refuse, for this reason, and leave the card as it is. */
static void refused(struct listed *l, int why, int or_why)
{
	u64 before = listed_changes(l);
	int err = world_attach(l->world, 0);

	need(err == why || err == or_why, "attach returns %d, not %d", err, why);
	need(listed_changes(l) == before, "attach has changed the card");
}

/* 24: both copies of the roots are gone: refused, not taken for a blank card. */
void listed_no_root(struct listed *l)
{
	const struct vsl_sim_config *card = &l->plan.card;
	u32 lane, nth, off;

	listed_card(l);
	listed_detach(l);
	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++)
			for (off = 0; off < card->eu_blocks; off++)
				vsl_sim_poke(l->world->sim,
					     lane * (card->units / 2), nth, off,
					     NULL);
	refused(l, -EIO, -ENODATA);
	scene_survived(&l->scene);
}

/* 25: another version of the format, another geometry. */
void listed_stranger(struct listed *l)
{
	union block root, changed;

	listed_card(l);
	listed_detach(l);
	need(forge_root(l->world->sim, &root), "there is no root");
	changed = root;
	changed.root.format = cpu_to_le32(VSL_FORMAT_VERSION + 1);
	forge_put_root(l->world->sim, &changed);
	refused(l, -EPROTO, -EPROTO);
	changed.root.format = cpu_to_le32(VSL_FORMAT_VERSION - 1);
	forge_put_root(l->world->sim, &changed);
	refused(l, -ESTALE, -ESTALE);
	changed = root;
	changed.root.eu_blocks = cpu_to_le32(l->plan.card.eu_blocks + 1);
	forge_put_root(l->world->sim, &changed);
	refused(l, -EMEDIUMTYPE, -EMEDIUMTYPE);
	forge_put_root(l->world->sim, &root);
	l->scene.attach_flags = VSL_ATTACH_CLEAN_ONLY;
	scene_recover(&l->scene, 0);
	listed_judge(l);
}

/*
 * 26: the card goes while much is under way: all ends.  One that answers with nothing
 * but ones is not attached; one that begins to while it is in use is found out where
 * there are spare bytes.
 */
void listed_removal(struct listed *l)
{
	struct world *w;
	u32 i;

	l->plan.card.oob_bytes = 16;
	l->plan.load.depth = 32;
	listed_card(l);
	w = l->world;
	for (i = 0; i < 5; i++) {
		world_arm(w, rng_range(&l->scene.rng, 1, 1000));
		world_run(w, 100);
		listed_cycle(l);
	}
	listed_detach(l);
	listed_plant(l, "corrupt", listed_anywhere, VSL_SIM_FOREVER, 1, 2);
	refused(l, -ENODATA, -EIO);
	vsl_sim_heal(w->sim);
	l->scene.attach_flags = VSL_ATTACH_CLEAN_ONLY;
	scene_recover(&l->scene, 0);
	world_idle(w);
	listed_plant(l, "corrupt", listed_anywhere, VSL_SIM_FOREVER, 1, 2);
	w->tolerant = true;
	listed_may_lose(l, VSL_NONE);
	for (i = 0; i < 100; i++)
		listed_read(l, rng_below(&l->scene.rng,
					 w->core->geo.lba_blocks));
	vsl_sim_heal(w->sim);
	w->tolerant = false;
	listed_judge(l);
}
