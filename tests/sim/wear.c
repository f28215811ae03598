// SPDX-License-Identifier: GPL-2.0-only
/*
 * wear.c - kinds of runs: a card that wears, and one that forgets.
 *
 *	wear	A few blocks are written again and again, all others stay as they
 *		are.  Segments must not differ in wear by more than is promised,
 *		and it must not cost more than is promised.
 *	refresh	Reads disturb: after so many the card asks for the data to be
 *		moved, after twice as many it is gone.  Nothing may be lost, and
 *		a card that asks for everything all the time must not be worn out
 *		by that.
 *	scrub	Time passes and nobody reads: data becomes weak, and later it is
 *		gone.  Or a block is damaged where nobody looks.
 *
 * All of them are cut as others are.
 */
#include "scene.h"

#include "../../driver/core/int.h"
#include "fail.h"

#define DAY_NS		86400000000000ull

static struct vsl_core_stats stats_of(const struct world *w)
{
	struct vsl_core_stats stats;

	vsl_core_stats(w->core, &stats);
	return stats;
}

static void cut_and_recover(struct scene *s)
{
	world_crash(s->world);
	world_power_on(s->world);
	scene_recover(s, 0);
}

/* ---- levelling ---------------------------------------------------------------- */

#define LIVES		6u
#define ERASES		130u	/* of the most worn segment, when it is enough */
#define SLACK		16u	/* what a round of the victims may still add */

static void tune_wear(struct plan *plan, struct rng *rng)
{
	u32 i;

	(void)rng;
	plan->card.erase_cycles = 1000;
	plan->card.bad_permyriad = 0;
	plan->card.tear.flaky_permille = 0;
	plan->format.sector_bytes = VSL_BLOCK_BYTES;
	plan->load.fill_permille = 1000;
	for (i = 0; i < NR_STEPS; i++)
		plan->weight[i] = i == STEP_TICK ? 1 : 10;
}

/* The least worn of those that could take part. */
static u32 least_worn(const struct vsl_core *core)
{
	u32 least = ~0u, seg;

	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		if (s->state != VSL_SEG_BAD && s->state != VSL_SEG_OPEN && !s->tail)
			least = min(least, s->erases);
	}
	return least;
}

static void check_spread(const struct world *w)
{
	struct vsl_core_stats stats = stats_of(w);
	u32 least = least_worn(w->core), most = 4 * stats.erase_spread + SLACK;

	sim_trace("wear: %u to %u erases, %llu blocks levelled", least,
		  stats.erase_max, stats.levelled_blocks);
	if (stats.erase_max > least + most)
		sim_fail("wear", "segments were erased %u to %u times; more than %u apart",
			 least, stats.erase_max, most);
}

/* One block for four that the host writes is what levelling may cost at most. */
static void check_cost(const struct world *w, const struct vsl_core_stats *from)
{
	struct vsl_core_stats now = stats_of(w);
	u64 most = (now.host_write_blocks - from->host_write_blocks) / 4 +
		   3 * now.segment_blocks;

	if (now.levelled_blocks - from->levelled_blocks > most)
		sim_fail("wear", "%llu blocks were moved to level wear, not %llu",
			 now.levelled_blocks - from->levelled_blocks, most);
}

/* Write to a tenth of the disk, and to nothing else. */
static bool write_hot(struct scene *s, u32 requests)
{
	struct world *w = s->world;
	u32 blocks = w->core->geo.lba_blocks, i;
	u64 at;

	for (i = 0; i < requests; i++) {
		at = rng_below(&s->rng, blocks / 10 - 8);
		world_begin(w, VSL_IO_WRITE, 0, at * VSL_BLOCK_SECTORS,
			    8 * VSL_BLOCK_SECTORS);
		if (i % 8 == 7 && !world_finish(w))
			return false;
		if (i % 64 == 63 && !world_do(w, VSL_IO_FLUSH, 0, 0, 0))
			return false;
	}
	return world_finish(w);
}

/* What was earned may be spent; then nothing moves any more. */
static void check_idle(struct world *w)
{
	struct vsl_core_stats before = stats_of(w);

	world_pass(w, DAY_NS, 60);
	if (stats_of(w).levelled_blocks >
	    before.levelled_blocks + 3 * before.segment_blocks)
		sim_fail("wear", "the disk is idle, and is levelled");
	before = stats_of(w);
	world_pass(w, DAY_NS, 60);
	if (stats_of(w).media_erases != before.media_erases ||
	    stats_of(w).media_moved_blocks != before.media_moved_blocks)
		sim_fail("wear", "the disk is idle, and wears");
}

void run_wear(const struct order *order)
{
	struct order own = *order;
	struct vsl_core_stats from;
	struct scene s;
	struct world *w;
	u32 life, i;

	own.tune = tune_wear;
	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	for (life = 1; life <= LIVES; life++) {
		from = stats_of(w);
		for (i = 0; i < 200 && stats_of(w).erase_max <
				       ERASES * life / LIVES; i++) {
			write_hot(&s, 128);
			check_spread(w);
		}
		check_cost(w, &from);
		if (rng_chance(&s.rng, 300))
			world_audit(w);
		if (!w->plan.scrub_s)
			check_idle(w);
		world_arm(w, rng_range(&s.rng, 1, 500));
		write_hot(&s, 60);
		cut_and_recover(&s);
	}
	scene_end(&s);
}

/* ---- refresh ------------------------------------------------------------------- */

#define REFRESH_ROUNDS	18u
#define REFRESH_READS	5u	/* of the whole disk in each */
#define DISTURB		32u	/* reads of each block before the card asks */

static void tune_refresh(struct plan *plan, struct rng *rng)
{
	plan->card.disturb_reads = (u64)DISTURB * plan->card.eu_blocks;
	plan->scrub_s = 0;	/* it reads, too */
	plan->load.fill_permille = rng_range(rng, 600, 900);
	plan->load.spread[SPREAD_FEW] = 0;
	plan->span = 20;
}

/*
 * The card says of everything that it is to be moved: what may be moved at once is,
 * and no more before time has passed.
 */
static void check_storm(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_core_stats before, now;
	u64 most;
	u32 i;

	vsl_sim_heal(w->sim);
	scene_plant(s, "refresh", VSL_SIM_FOREVER, 1);
	before = stats_of(w);
	for (i = 0; i < 10; i++) {
		world_verify(w);
		world_pass(w, 0, 20);
	}
	now = stats_of(w);
	most = 6ull * now.segment_blocks;
	if (now.refreshed_blocks - before.refreshed_blocks > most)
		sim_fail("wear", "%llu blocks were moved because the card asked for it, in a short time",
			 now.refreshed_blocks - before.refreshed_blocks);
	vsl_sim_heal(w->sim);
}

void run_refresh(const struct order *order)
{
	struct order own = *order;
	u64 refreshed = 0;
	struct scene s;
	struct world *w;
	u32 i, reads;

	own.tune = tune_refresh;
	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	for (i = 0; i < REFRESH_ROUNDS; i++) {
		for (reads = 1; reads < REFRESH_READS; reads++) {
			world_verify(w);
			world_pass(w, DAY_NS, 12);
		}
		refreshed += stats_of(w).refreshed_blocks;
		world_arm(w, rng_range(&s.rng, 1, 12 * w->plan.span));
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		cut_and_recover(&s);
	}
	if (!refreshed)
		sim_fail("wear", "the card has asked for a refresh, and nothing was moved");
	/* On others the reads of the test are a reason of their own. */
	if (!(w->plan.card.flags & VSL_SIM_REPORTS))
		check_storm(&s);
	world_audit(w);
	scene_end(&s);
}

/* ---- scrub --------------------------------------------------------------------- */

#define SCRUB_LIVES	6u
#define RETENTION_DAYS	100u
#define PASS_DAYS	7u

static void tune_scrub(struct plan *plan, struct rng *rng)
{
	plan->scrub_s = PASS_DAYS * 86400;
	if (rng_chance(rng, 500))
		plan->card.retention_ms = RETENTION_DAYS * 86400000ull;
}

/* Attach, and let the oracle wait. */
static void restart(struct scene *s)
{
	struct world *w = s->world;
	int err;

	world_crash(w);
	world_power_on(w);
	err = world_attach(w, w->plan.attach_flags);
	if (err)
		sim_fail("door", "attach returns %d", err);
	scene_survived(s);
}

/*
 * Half of a retention passes in each life, and only the scrubber reads.  Or all of it
 * is one life, with segments that stay open.
 */
static void let_age(struct scene *s)
{
	bool restarts = rng_chance(&s->rng, 500);
	u32 life, days;

	for (life = 0; life < SCRUB_LIVES; life++) {
		for (days = 0; days < RETENTION_DAYS / 2; days += PASS_DAYS)
			world_pass(s->world, PASS_DAYS * DAY_NS, 40);
		if (restarts)
			restart(s);
	}
	if (!stats_of(s->world).scrub_blocks)
		sim_fail("scrub", "nothing was read");
	world_verify(s->world);
}

/*
 * Damage a block that counts, in a closed segment.  Of what the groomer is moving it may
 * have read the block, and have a good copy.  Return: false: found none.
 */
static bool damage(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_core *core = w->core;
	u8 block[VSL_BLOCK_BYTES] __attribute__((aligned(8)));
	u32 unit, eu, off, tries;
	u64 lba;

	for (tries = 0; tries < 200; tries++) {
		unit = rng_below(&s->rng, w->plan.card.units);
		eu = rng_below(&s->rng, w->plan.card.eus);
		off = rng_below(&s->rng, w->plan.card.eu_blocks);
		if (core->seg[eu].state != VSL_SEG_CLOSED ||
		    (core->groom.state != VSL_GROOM_IDLE && core->groom.seg == eu) ||
		    vsl_sim_peek(w->sim, unit, eu, off, block) ||
		    !scene_owner(s, block, &lba) ||
		    vsl_map_get(core, lba) != vsl_ppa(&core->geo, eu, unit, off))
			continue;
		sim_trace("damage unit %u eu %u block %u, block %llu of the disk",
			  unit, eu, off, lba);
		oracle_may_lose(w->oracle, lba * VSL_BLOCK_SECTORS,
				VSL_BLOCK_SECTORS);
		block[rng_below(&s->rng, VSL_BLOCK_BYTES)] ^= 1;
		vsl_sim_poke(w->sim, unit, eu, off,
			     rng_chance(&s->rng, 500) ? block : NULL);
		return true;
	}
	return false;
}

/* A pass finds it, and what the scrubber has found is lost is said to be. */
static void find_damage(struct scene *s)
{
	struct world *w = s->world;
	struct vsl_core_stats before = stats_of(w), now;
	u64 passes = before.scrub_passes + 2;
	u32 days;

	/* The oracle takes errors for what was settled before. */
	if (!world_verify(w) || !damage(s))
		return;
	for (days = 0; days < 8 * PASS_DAYS; days += PASS_DAYS) {
		world_pass(w, PASS_DAYS * DAY_NS, 40);
		now = stats_of(w);
		if (now.scrub_passes >= passes)
			break;
	}
	if (now.scrub_passes < passes)
		sim_fail("scrub", "%llu passes in %u days", now.scrub_passes -
			 before.scrub_passes, days);
	if (now.rebuilt_blocks > before.rebuilt_blocks)
		return;
	/* The groomer may have been there first. */
	if (now.scrub_bad == before.scrub_bad &&
	    now.lost_blocks == before.lost_blocks)
		sim_fail("scrub", "a damaged block was not found");
	world_pass(w, DAY_NS, 20);
	if (stats_of(w).lost_blocks == before.lost_blocks)
		sim_fail("scrub", "a damaged block was found, and not noted");
}

void run_scrub(const struct order *order)
{
	struct order own = *order;
	struct scene s;
	struct world *w;
	u32 i;

	own.tune = tune_scrub;
	own.steady = true;
	scene_begin(&s, &own);
	w = s.world;
	if (w->plan.card.retention_ms) {
		let_age(&s);
		scene_end(&s);
		return;
	}
	w->tolerant = true;	/* part of a lost block cannot be written */
	for (i = 0; i < SCRUB_LIVES; i++) {
		find_damage(&s);
		world_run(w, rng_range(&s.rng, 1, w->plan.span));
		scene_stop(&s);
		s.attach_flags = VSL_ATTACH_CLEAN_ONLY;
		scene_recover(&s, 0);
	}
	scene_end(&s);
}
