// SPDX-License-Identifier: GPL-2.0-only
/*
 * scene.c - what all kinds of runs begin, recover and end with.
 */
#include "scene.h"

#include "fail.h"
#include "pattern.h"

static void set_tracing(struct scene *s)
{
	sim_tracing = the_slot->cut >= s->order->trace_from;
}

void scene_survived(struct scene *s)
{
	the_slot->cut++;
	the_slot->cuts[the_slot->family]++;
	set_tracing(s);
}

/* P8: what was known after one recovery is known after the next. */
static void check_erases(struct scene *s)
{
	struct vsl_core_stats stats;

	vsl_core_stats(s->world->core, &stats);
	if (stats.erase_sum < s->erase_floor)
		sim_fail("P8", "erases went back from %llu to %llu",
			 s->erase_floor, stats.erase_sum);
	s->erase_floor = stats.erase_kept;
}

/* Try to attach, cut short @nested times; then it must succeed. */
static void attach_through(struct scene *s, u32 nested)
{
	struct world *w = s->world;
	u32 flags = w->plan.attach_flags | s->attach_flags;
	u64 begun;
	int err;

	for (;;) {
		if (nested)
			world_arm(w, rng_range(&s->rng, 0, s->attach_steps + 2));
		begun = w->events;
		err = world_attach(w, flags);
		if (!w->cut)
			break;
		nested--;
		world_crash(w);
		world_power_on(w);
		scene_survived(s);
	}
	world_disarm(w);
	s->attach_steps = w->events - begun;
	if (err)
		sim_fail("door", "attach returns %d", err);
}

void scene_recover(struct scene *s, u32 nested)
{
	struct world *w = s->world;

	attach_through(s, nested);
	s->attach_flags = 0;
	if (rng_chance(&s->rng, 250))
		world_audit(w);
	check_erases(s);
	world_verify(w);
	scene_survived(s);
}

void scene_formatted(struct scene *s, const struct vsl_format *format)
{
	struct world *w = s->world;

	w->plan.format = *format;
	oracle_formatted(w->oracle, &(struct oracle_rules){
		.seed = rng_mix(w->plan.card.seed),
		.sector_bytes = format->sector_bytes,
		.capacity_bytes = format->capacity_bytes,
		.strict = w->plan.plp ||
			  (w->plan.attach_flags & VSL_ATTACH_STRICT_SYNC),
	});
}

void scene_format(struct scene *s, const struct vsl_format *format)
{
	int err = world_format(s->world, format);

	if (err)
		sim_fail("door", "format returns %d", err);
	scene_formatted(s, format);
	scene_recover(s, 0);
}

void scene_begin(struct scene *s, const struct order *order)
{
	struct plan plan;

	*s = (struct scene){
		.order = order,
		.attach_steps = 200,
		.detach_steps = 100,
	};
	rng_init(&s->rng, order->seed, order->run, 3 + the_slot->family);
	the_slot->cut = 0;
	set_tracing(s);
	plan_make(&plan, &s->rng, order->geometry);
	if (order->steady) {
		plan.card.tear.weak_permille = 0;
		plan.card.tear.flaky_permille = 0;
	}
	if (order->weak) {
		plan.card.tear.program_new = 8;
		plan.card.tear.weak_permille = 900;
		plan.card.tear.weak_reads = rng_range(&s->rng, 1, 4);
	}
	if (order->tune)
		order->tune(&plan, &s->rng);
	plan_print(&plan, the_slot->plan, sizeof(the_slot->plan));
	sim_trace("run %llu: %s", order->run, the_slot->plan);
	s->world = world_create(&plan, order->seed, order->run);
	scene_format(s, &plan.format);
	world_fill(s->world, plan.load.fill_permille);
}

void scene_stop(struct scene *s)
{
	struct world *w = s->world;
	u32 tag;
	int err;

	world_idle(w);
	tag = oracle_begin(w->oracle, VSL_IO_FLUSH, 0, 0, 0);
	err = world_detach(w);
	if (err)
		sim_fail("door", "detach returns %d", err);
	oracle_end(w->oracle, tag, 0, NULL);
}

void scene_end(struct scene *s)
{
	the_slot->requests += s->world->done_requests;
	the_slot->runs[the_slot->family]++;
	world_destroy(s->world);
}

bool scene_owner(const struct scene *s, const u8 *block, u64 *lba)
{
	const struct world *w = s->world;
	u32 bytes = w->plan.format.sector_bytes;
	u32 per_block = VSL_BLOCK_BYTES / bytes;
	u32 at;

	for (at = 0; at < VSL_BLOCK_BYTES; at += bytes) {
		const u64 *words = (const u64 *)(block + at);
		u32 value;

		if (words[0] >= oracle_granules(w->oracle))
			continue;
		value = pattern_read(words, bytes, rng_mix(w->plan.card.seed),
				     words[0]);
		if (!value || value >= VALUE_GARBAGE)
			continue;
		*lba = words[0] / per_block;
		return true;
	}
	return false;
}

void scene_plant(struct scene *s, const char *name, u32 count, u32 every)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = VSL_SIM_ANY,
		.eu = VSL_SIM_ANY,
		.block = VSL_SIM_ANY,
		.count = count,
		.every = every,
	};
	int err = vsl_sim_plant(s->world->sim, &fault);

	sim_trace("plant %s count %u every %u", name, count, every);
	if (err && err != -ENOSPC)
		sim_fail("media", "planting %s returns %d", name, err);
}
