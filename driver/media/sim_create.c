// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_create.c - the simulated card comes and goes; its random numbers.
 *
 * A configuration that makes no sense is refused here, so that no other file has to
 * think of it: every number that is divided by is above 0, a timed card has its
 * times, and what cannot be combined is not.
 */
#include "sim_int.h"

/* ---- random numbers ------------------------------------------------------ */

/* SplitMix64 (Steele, Lea, Flood 2014): any seed is a good one. */
u64 sim_random(struct sim_random *random)
{
	u64 z;

	random->state += 0x9e3779b97f4a7c15ull;
	z = random->state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* 0 to @limit - 1. */
u32 sim_below(struct sim_random *random, u32 limit)
{
	return (u32)(((sim_random(random) >> 32) * limit) >> 32);
}

bool sim_chance(struct sim_random *random, u32 permille)
{
	return permille && sim_below(random, 1000) < permille;
}

/* One stream for each purpose, so that more of one does not change another. */
void sim_seed_all(struct vsl_sim *sim, u64 seed)
{
	struct sim_random root = { seed };

	sim->order.state = sim_random(&root);
	sim->chance.state = sim_random(&root);
	sim->tear.state = sim_random(&root);
}

bool sim_is_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* ---- create and destroy -------------------------------------------------- */

static bool is_sound(const struct vsl_sim_config *c)
{
	bool is_timed = c->flags & VSL_SIM_TIMED;

	if (!c->units || c->units > VSL_MEDIA_UNITS_MAX || !c->eus ||
	    !c->eu_blocks || (u64)c->units * c->eus > 1u << 30)
		return false;
	if (!c->ws_min || c->ws_opt < c->ws_min || c->ws_opt % c->ws_min ||
	    c->eu_blocks % c->ws_min || c->hole >= c->eu_blocks ||
	    c->max_blocks < c->ws_opt || c->oob_bytes > VSL_SIM_OOB_MAX ||
	    c->oob_bytes % 8)
		return false;
	if ((c->flags & VSL_SIM_PLP) && (c->flags & VSL_SIM_VOLATILE))
		return false;
	if ((c->flags & VSL_SIM_FLAT) && (c->hole || c->oob_bytes))
		return false;
	if (is_timed && (c->flags & (VSL_SIM_SHUFFLE | VSL_SIM_INLINE |
				     VSL_SIM_INLINE_READS)))
		return false;
	if (c->flags & VSL_SIM_INLINE && c->flags & VSL_SIM_SHUFFLE)
		return false;
	if (is_timed && (!c->timing.page_bytes || !c->timing.channels ||
			 !c->timing.channel_mbps || !c->timing.bus_mbps))
		return false;
	return !is_timed || !c->timing.buffer_blocks ||
	       (c->flags & (VSL_SIM_PLP | VSL_SIM_VOLATILE));
}

/* Erase units that never worked. */
static void plant_factory_bad(struct vsl_sim *sim)
{
	const struct vsl_sim_config *config = &sim->config;
	struct sim_random random = { config->seed ^ 0xbadb10c5ull };
	struct sim_eu *eu;
	u32 i, unit, bad;

	for (i = 0; config->bad_permyriad && i < config->eus; i++) {
		bad = 0;
		for (unit = 0; unit < config->units; unit++) {
			if (sim_below(&random, 10000) >= config->bad_permyriad ||
			    bad >= config->units / 2)
				continue;
			bad++;
			eu = sim_eu(sim, unit, i);
			eu->state = VSL_EU_DEAD;
			eu->marks = SIM_MARK_ODD;
		}
	}
}

static void copy_text(char *to, const char *from, size_t bytes)
{
	size_t i;

	for (i = 0; i + 1 < bytes && from[i]; i++)
		to[i] = from[i];
	for (; i < bytes; i++)
		to[i] = 0;
}

static void fill_info(struct vsl_sim *sim)
{
	const struct vsl_sim_config *config = &sim->config;
	struct vsl_media_info *info = &sim->media.info;
	u64 seed = config->seed;
	char serial[20] = "SIM";
	u32 i;

	info->units = config->units;
	info->eus = config->eus;
	info->eu_blocks = config->eu_blocks;
	info->ws_min = config->ws_min;
	info->ws_opt = config->ws_opt;
	info->hole = config->hole;
	info->max_open = config->max_open;
	info->max_blocks = config->max_blocks;
	info->oob_bytes = config->oob_bytes;
	info->erase_cycles = config->erase_cycles;
	info->factory_bytes = config->factory_bytes;
	info->flags = VSL_MEDIA_VIRTUAL;
	if (config->flags & VSL_SIM_VOLATILE)
		info->flags |= VSL_MEDIA_VOLATILE;
	if (config->flags & VSL_SIM_PLP)
		info->flags |= VSL_MEDIA_PLP;
	if (config->flags & VSL_SIM_FINISH)
		info->flags |= VSL_MEDIA_FINISH;
	if (config->flags & VSL_SIM_FLAT)
		info->flags |= VSL_MEDIA_STALE;
	if (config->flags & VSL_SIM_REPORTS) {
		info->flags |= VSL_MEDIA_REPORTS;
		info->disturb_reads = min_t(u64, config->disturb_reads, ~0u);
	}
	for (i = 0; i < 16; i++)
		serial[3 + i] = "0123456789ABCDEF"[(seed >> (60 - 4 * i)) & 15];
	copy_text(info->model, config->model, sizeof(info->model));
	copy_text(info->serial, config->serial[0] ? config->serial : serial,
		  sizeof(info->serial));
	copy_text(info->firmware, config->firmware, sizeof(info->firmware));
}

static void init_lists(struct vsl_sim *sim)
{
	INIT_LIST_HEAD(&sim->inbox);
	INIT_LIST_HEAD(&sim->ready);
	INIT_LIST_HEAD(&sim->delayed);
	INIT_LIST_HEAD(&sim->stuck);
	INIT_LIST_HEAD(&sim->flushes);
	INIT_LIST_HEAD(&sim->dirty);
}

int vsl_sim_create(const struct vsl_sim_config *config,
		   const struct vsl_sim_env *env, struct vsl_sim **out)
{
	struct vsl_sim *sim;
	u32 i;

	if (!is_sound(config))
		return -EINVAL;
	sim = vsl_port_alloc(sizeof(*sim));
	if (!sim)
		return -ENOMEM;
	sim->config = *config;
	sim->env = *env;
	sim->media.ops = &sim_media_ops;
	init_lists(sim);
	sim_seed_all(sim, config->seed);
	fill_info(sim);
	sim->nr_eus = config->units * config->eus;
	sim->eus = vsl_port_alloc(sizeof(*sim->eus) * (size_t)sim->nr_eus);
	if (!sim->eus || ((config->flags & VSL_SIM_TIMED) &&
			  sim_clock_create(sim))) {
		vsl_sim_destroy(sim);
		return -ENOMEM;
	}
	for (i = 0; i < sim->nr_eus; i++)
		sim->eus[i].state = VSL_EU_EMPTY;
	plant_factory_bad(sim);
	sim->reads_inline = (config->flags & (VSL_SIM_INLINE |
					      VSL_SIM_INLINE_READS)) &&
			    !config->disturb_reads && !config->retention_ms;
	sim->has_power = true;
	*out = sim;
	return 0;
}

void vsl_sim_destroy(struct vsl_sim *sim)
{
	u32 i;

	VSL_ASSERT(!sim->pending);
	vsl_sim_image_drop(sim);
	for (i = 0; sim->eus && i < sim->nr_eus; i++)
		sim_body_put(sim, sim->eus[i].body);
	sim_clock_destroy(sim);
	vsl_port_block_free(sim->spare);
	vsl_port_free(sim->eus);
	vsl_port_free(sim);
}
