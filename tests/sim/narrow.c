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
 *
 * The cases are in narrow_flash.c and narrow_log.c.
 */
#include "narrow.h"

/* ---- words of the cases ------------------------------------------------------ */

void narrow_stick(struct listed *l, u32 unit, u32 eu, u32 mask)
{
	struct place place = { unit, eu, VSL_SIM_ANY };

	listed_plant(l, "stuck", place, VSL_SIM_FOREVER, 1, mask);
}

/* No root gets to the card from now on. */
void narrow_stick_roots(struct listed *l)
{
	u32 lane, nth, unit, eu;

	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&l->world->core->geo, lane, nth, &unit,
				       &eu);
			narrow_stick(l, unit, eu, STUCK_PROGRAM);
		}
}

/* No program to this segment fits any more. */
void narrow_end_segment(struct listed *l, u32 seg)
{
	struct place place = { VSL_SIM_ANY, seg, VSL_SIM_ANY };

	listed_plant(l, "program-end", place, VSL_SIM_FOREVER, 1, 0);
}

void narrow_begin(struct listed *l, enum vsl_io_kind kind, u32 lba, u32 nr)
{
	world_begin(l->world, kind, 0, (u64)lba * VSL_BLOCK_SECTORS,
		    nr * VSL_BLOCK_SECTORS);
}

/* Until no more than @jobs requests are under way; false: something holds them. */
bool narrow_down_to(struct listed *l, u32 jobs)
{
	u32 steps;

	for (steps = 0; l->world->nr_jobs > jobs; steps++)
		if (steps == 3000 || !world_step(l->world))
			return false;
	return true;
}

void narrow_steps(struct listed *l, u32 nr)
{
	while (nr--)
		world_step(l->world);
}

/* Write a block while others wait.  False: it waits, too. */
bool narrow_write_beside(struct listed *l, u32 lba)
{
	u32 jobs = l->world->nr_jobs;

	narrow_begin(l, VSL_IO_WRITE, lba, 1);
	return narrow_down_to(l, jobs);
}

u32 narrow_any_lba(struct listed *l)
{
	return rng_below(&l->scene.rng, l->world->core->geo.lba_blocks);
}

/* The same, but none of the first @nr. */
u32 narrow_any_beyond(struct listed *l, u32 nr)
{
	return nr + rng_below(&l->scene.rng,
			      l->world->core->geo.lba_blocks - nr);
}

/* The first of @nr blocks that the disk has, any of them. */
u32 narrow_any_run(struct listed *l, u32 nr)
{
	return rng_below(&l->scene.rng,
			 l->world->core->geo.lba_blocks - nr + 1);
}

/* A power cut now, and a sound card after it. */
void narrow_cut(struct listed *l)
{
	world_crash(l->world);
	vsl_sim_heal(l->world->sim);
	world_power_on(l->world);
	scene_recover(&l->scene, 0);
}

/* The segment that the host's next lone write goes to. */
u32 narrow_host_segment(struct listed *l)
{
	return listed_next(l, 0, 0).eu;
}

/* A block cannot be read any more. */
void narrow_lose_block(struct listed *l, u32 lba)
{
	const struct vsl_geo *geo = &l->world->core->geo;
	u32 ppa = l->world->core->map[lba];

	listed_may_lose(l, lba);
	need(!vsl_sim_poke(l->world->sim, vsl_ppa_unit(geo, ppa),
			   vsl_ppa_seg(geo, ppa), vsl_ppa_off(geo, ppa), NULL),
	     "the block cannot be lost");
}

/* ---- the run ------------------------------------------------------------------------- */

struct narrow_case {
	const char *text;
	void (*run)(struct listed *l);
};

static const struct narrow_case cases[] = {
	{ "a part of a block that cannot be read", narrow_partial_unreadable },
	{ "behind the end of the disk", narrow_out_of_range },
	{ "a flush on a disk that is read-only", narrow_flush_refused },
	{ "read before it is written again", narrow_read_before_redo },
	{ "a reader that takes its time", narrow_slow_reader },
	{ "a root that takes its time", narrow_root_under_way },
	{ "a segment in which the log begins", narrow_log_begins },
	{ "more trims than there is room for", narrow_many_trims },
	{ "no root is written", narrow_no_root_written },
	{ "a checkpoint comes first", narrow_checkpoint_first },
	{ "announced by none", narrow_announced_by_none },
	{ "programmed while the card is flushed", narrow_programmed_in_flush },
	{ "written again on top of the cache", narrow_redo_on_cache },
	{ "lost, and overtaken", narrow_lost_overtaken },
	{ "lost, and counted", narrow_lost_counted },
	{ "another block of the same segment", narrow_misread_often },
	{ "an older content in the same place", narrow_stale_twin },
	{ "no better health", narrow_no_better_health },
	{ "a format that is cut short", narrow_format_cut },
	{ "a format to more than there is", narrow_format_too_large },
	{ "waited for in vain", narrow_waits_in_vain },
	{ "moved in vain", narrow_moved_in_vain },
	{ "a root's erase unit that ends early", narrow_root_ends },
	{ "nothing to be trimmed", narrow_trim_of_nothing },
};

/* In the build "few" nobody knows where a block will go, and roots have little room. */
static const struct narrow_case few_cases[] = {
	{ "torn, and found by two attaches", narrow_torn_before_attach },
	{ "a part that goes elsewhere", narrow_part_elsewhere },
	{ "heads of many open segments", narrow_heads_once },
};

void run_narrow(const struct order *order)
{
	bool few = VSL_SEALED_USED < VSL_ROOT_SEALED_MAX;
	const struct narrow_case *one = &cases[order->run % ARRAY_SIZE(cases)];

	if (few)
		one = &few_cases[order->run % ARRAY_SIZE(few_cases)];
	listed_run(order, one->text, one->run);
}
