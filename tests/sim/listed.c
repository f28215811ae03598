// SPDX-License-Identifier: GPL-2.0-only
/*
 * listed.c - a kind of runs: the faults that flash is known for, each alone.
 *
 * The other kinds mix failures by chance.  Here there is one case for each of the
 * 26 kinds of faults that docs/PROOF.md lists, on a card that has nothing else
 * against it, so that a case fails when the core's answer to that fault is taken
 * away.  Run n is case n % 26; what chance has a part in differs from run to run.
 *
 * The cases are in listed_flash.c and listed_power.c.
 */
#include "listed.h"

#include <string.h>

const struct place listed_anywhere = {
	VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY
};

static const struct {
	const char *text;
	void (*run)(struct listed *l);
} cases[] = {
	{ "1 program fail", listed_program_fail },
	{ "2 erase fail", listed_erase_fail },
	{ "3 bad blocks", listed_bad_blocks },
	{ "4 unreadable block", listed_read_lost },
	{ "5 correctable above threshold", listed_refresh },
	{ "6 silent corruption", listed_corrupt },
	{ "7 misdirected", listed_misdirected },
	{ "8 stale read", listed_stale },
	{ "9 power cut during program", listed_cut_program },
	{ "10 half programmed", listed_weak },
	{ "11 power cut during erase", listed_cut_erase },
	{ "12 shorn write", listed_shorn },
	{ "13 completion lost", listed_lost_end },
	{ "14 nested cuts", listed_nested },
	{ "15 read disturb", listed_disturb },
	{ "16 retention", listed_retention },
	{ "17 wear-out", listed_worn_out },
	{ "18 slow unit", listed_slow },
	{ "19 stuck unit", listed_stuck },
	{ "20 dead unit", listed_dead_unit },
	{ "21 order of programs", listed_order },
	{ "22 protection fails", listed_plp_fail },
	{ "23 host crash", listed_host_crash },
	{ "24 no root", listed_no_root },
	{ "25 of the future, of another card", listed_stranger },
	{ "26 removal, all ones", listed_removal },
};

/* ---- words of the cases ------------------------------------------------------ */

void listed_start(struct listed *l)
{
	const struct order *order = l->scene.order;
	struct vsl_limits limits;

	need(!world_limits(&l->plan.card, l->plan.format.parity, &limits),
	     "the card is refused");
	l->plan.plp = l->plan.card.flags & VSL_SIM_PLP;
	l->plan.format.capacity_bytes = limits.advertised_bytes;
	if (l->capacity_bytes)
		l->plan.format.capacity_bytes = l->capacity_bytes;
	plan_print(&l->plan, the_slot->plan, sizeof(the_slot->plan));
	l->world = world_create(&l->plan, order->seed, order->run);
	l->scene.world = l->world;
	l->scene.erase_floor = 0;
	l->scene.attach_steps = 200;
	scene_format(&l->scene, &l->plan.format);
}

void listed_card(struct listed *l)
{
	listed_start(l);
	world_fill(l->world, 700);
}

void listed_end(struct listed *l)
{
	the_slot->requests += l->world->done_requests;
	world_destroy(l->world);
	l->world = NULL;
	l->scene.world = NULL;
}

void listed_write(struct listed *l, u32 lba)
{
	world_do(l->world, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

void listed_any(struct listed *l)
{
	listed_write(l, rng_below(&l->scene.rng,
				  l->world->core->geo.lba_blocks));
}

void listed_flush(struct listed *l)
{
	world_do(l->world, VSL_IO_FLUSH, 0, 0, 0);
}

void listed_read(struct listed *l, u32 lba)
{
	world_do(l->world, VSL_IO_READ, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

void listed_cycle(struct listed *l)
{
	world_crash(l->world);
	world_power_on(l->world);
	scene_recover(&l->scene, 0);
}

void listed_judge(struct listed *l)
{
	world_idle(l->world);
	world_audit(l->world);
	world_verify(l->world);
	listed_cycle(l);
	world_audit(l->world);
}

void listed_detach(struct listed *l)
{
	scene_stop(&l->scene);
}

void listed_plant(struct listed *l, const char *name, struct place place,
		  u32 count, u32 every, u64 value)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = place.unit,
		.eu = place.eu,
		.block = place.block,
		.count = count,
		.every = every,
		.value = value,
	};
	int err = vsl_sim_plant(l->world->sim, &fault);

	sim_trace("plant %s unit %d eu %d block %d", name, place.unit, place.eu,
		  place.block);
	need(!err, "planting %s returns %d", name, err);
}

u64 listed_fired(struct listed *l)
{
	struct vsl_sim_stats stats;

	vsl_sim_stats(l->world->sim, &stats);
	return stats.faults;
}

u64 listed_changes(struct listed *l)
{
	struct vsl_sim_stats stats;

	vsl_sim_stats(l->world->sim, &stats);
	return stats.program_ops + stats.erase_ops;
}

struct place listed_next(struct listed *l, u32 lba, u32 nth)
{
	struct vsl_core *core = l->world->core;
	const struct vsl_stream *point;
	u32 tries, ppa;

	for (tries = 0; tries < 100; tries++) {
		world_idle(l->world);
		point = forge_point(core, lba);
		if (point->seg != VSL_NONE &&
		    point->index + nth + 1 < point->limit)
			break;
		listed_write(l, lba);
	}
	need(tries < 100, "no segment is opened");
	ppa = vsl_stripe_ppa(&point->stripe, &core->geo, point->seg,
			     point->index + nth);
	return (struct place){
		.unit = vsl_ppa_unit(&core->geo, ppa),
		.eu = vsl_ppa_seg(&core->geo, ppa),
		.block = vsl_ppa_off(&core->geo, ppa),
	};
}

u32 listed_lba(struct listed *l, struct place *place)
{
	const struct vsl_core *core = l->world->core;
	u32 tries, lba, ppa, seg;

	world_idle(l->world);
	for (tries = 0; tries < 10000; tries++) {
		lba = rng_below(&l->scene.rng, core->geo.lba_blocks);
		ppa = core->map[lba];
		if (!vsl_ppa_is_block(ppa))
			continue;
		seg = vsl_ppa_seg(&core->geo, ppa);
		if (core->seg[seg].state != VSL_SEG_CLOSED ||
		    !core->seg[seg].settled)
			continue;
		*place = (struct place){
			.unit = vsl_ppa_unit(&core->geo, ppa),
			.eu = seg,
			.block = vsl_ppa_off(&core->geo, ppa),
		};
		return lba;
	}
	need(false, "no segment is closed");
	return VSL_NONE;
}

void listed_alone(struct listed *l)
{
	u32 tries;

	world_idle(l->world);
	for (tries = 0; l->world->core->groom.state != VSL_GROOM_IDLE; tries++) {
		need(tries < 10000, "the groomer does not come to an end");
		listed_any(l);
		world_idle(l->world);
	}
}

void listed_may_lose(struct listed *l, u32 lba)
{
	if (lba == VSL_NONE)
		oracle_may_lose(l->world->oracle, 0,
				vsl_core_capacity_sectors(l->world->core));
	else
		oracle_may_lose(l->world->oracle, (u64)lba * VSL_BLOCK_SECTORS,
				VSL_BLOCK_SECTORS);
}

/* ---- the run ------------------------------------------------------------------ */

/* 12 MiB, sound, nothing volatile; what is torn is old, new or noise. */
static void plain_plan(struct plan *plan, struct rng *rng)
{
	*plan = (struct plan){
		.card = {
			.units = 4,
			.eus = 48,
			.eu_blocks = 16,
			.ws_min = 1,
			.ws_opt = 1,
			.max_blocks = 64,
			.erase_cycles = 100000,
			.flags = VSL_SIM_SHUFFLE | VSL_SIM_REPORTS,
			.seed = rng_u64(rng),
			.tear = { .program_old = 1, .program_new = 1,
				  .program_random = 1, .erase_done = 1 },
		},
		.format = { .sector_bytes = VSL_BLOCK_BYTES, .uuid = "listed" },
		.weight = { 10, 10, 10, 10, 1 },
		.span = 40,
		.load = {
			.kind = { [VSL_IO_READ] = 3, [VSL_IO_WRITE] = 9,
				  [VSL_IO_TRIM] = 1, [VSL_IO_FLUSH] = 1 },
			.spread = { [SPREAD_UNIFORM] = 1, [SPREAD_FEW] = 1 },
			.medium_permille = 200,
			.depth = 8,
		},
	};
}

void listed_run(const struct order *order, const char *text,
		void (*run)(struct listed *l))
{
	struct listed l = {
		.scene = { .order = order, .detach_steps = 100 },
	};

	rng_init(&l.scene.rng, order->seed, order->run, 3 + the_slot->family);
	the_slot->cut = 0;
	sim_tracing = order->trace_from == 0;
	sim_trace("run %llu: %s", order->run, text);
	plain_plan(&l.plan, &l.scene.rng);
	run(&l);
	if (l.world)
		listed_end(&l);
	the_slot->runs[the_slot->family]++;
}

void run_listed(const struct order *order)
{
	u32 nr = order->run % ARRAY_SIZE(cases);

	listed_run(order, cases[nr].text, cases[nr].run);
}
