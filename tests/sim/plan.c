// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan.c - what a run is made of, by chance.
 *
 * Cards are tiny, 3 to 8 MiB: the whole image can then be checked after each of
 * some hundred cuts a second, segments fill and are groomed all the time, and
 * rare events (a segment change beside a root, a wrap of the root lane) come up
 * every few dozen requests.
 */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "world.h"

void (*plan_restrict)(struct plan *plan);
bool plan_flat;

/* One of @nr values. */
#define pick(rng, ...) pick_of(rng, (const u32[]){ __VA_ARGS__ }, \
			       sizeof((const u32[]){ __VA_ARGS__ }) / 4)

static u32 pick_of(struct rng *rng, const u32 *values, u32 nr)
{
	return values[rng_below(rng, nr)];
}

static void make_tear(struct vsl_sim_tear *tear, struct rng *rng)
{
	u32 *weight[] = {
		&tear->program_old, &tear->program_new, &tear->program_prefix,
		&tear->program_mixed, &tear->program_random,
		&tear->program_lost, &tear->erase_old, &tear->erase_done,
		&tear->erase_random,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(weight); i++)
		*weight[i] = pick(rng, 0, 1, 1, 4);
	if (rng_chance(rng, 200)) {
		tear->weak_permille = 500;
		tear->weak_reads = rng_range(rng, 1, 4);
	}
	if (rng_chance(rng, 200))
		tear->flaky_permille = 300;
}

static void make_timing(struct vsl_sim_timing *timing, struct rng *rng)
{
	*timing = (struct vsl_sim_timing){
		.page_bytes = 4096,
		.read_ns = 25000,
		.program_ns = 250000,
		.erase_ns = 1500000,
		.suspend_ns = pick(rng, 0, 20000),
		.channels = 2,
		.channel_mbps = 200,
		.bus_mbps = 800,
		.bus_command_ns = 300,
		.command_ns = 8000,
		.flush_ns = 100000,
		.buffer_blocks = pick(rng, 0, 8, 64),
	};
}

static void make_flags(struct vsl_sim_config *card, struct rng *rng)
{
	card->flags = rng_chance(rng, 850) ? VSL_SIM_SHUFFLE : VSL_SIM_TIMED;
	if (card->flags & VSL_SIM_TIMED)
		make_timing(&card->timing, rng);
	else
		card->window = pick(rng, 0, 0, 1, 4, 16);
	if (rng_chance(rng, 350)) {
		card->flags |= VSL_SIM_VOLATILE;
		card->cache_blocks = pick(rng, 0, 0, 16, 64);
		if (rng_chance(rng, 300))
			card->flags |= VSL_SIM_IN_ORDER;
	}
	if (rng_chance(rng, 200))
		card->flags |= VSL_SIM_PLP;
	if (rng_chance(rng, 500))
		card->flags |= VSL_SIM_FINISH;
	if (rng_chance(rng, 600))
		card->flags |= VSL_SIM_REPORTS;
}

static void make_geometry(struct vsl_sim_config *card, struct rng *rng)
{
	u32 blocks;

	do {
		card->ws_min = pick(rng, 1, 1, 1, 2, 4);
		card->ws_opt = card->ws_min * pick(rng, 1, 1, 2);
		card->units = rng_range(rng, 1, 8);
		card->eus = rng_range(rng, 24, 64);
		card->eu_blocks = 4 * rng_range(rng, 2, 8);
		blocks = card->units * card->eus * card->eu_blocks;
	} while (blocks < 640 || blocks > 2048);
	card->hole = rng_chance(rng, 600) ? 0 :
		     card->ws_min * rng_range(rng, 1, 3);
	card->max_blocks = pick(rng, 64, 64, 16, 8);
	card->oob_bytes = pick(rng, 0, 0, 16);
	card->bad_permyriad = pick(rng, 0, 0, 100, 300);
	card->erase_cycles = 100000;
	card->max_open = 0;
}

static void make_load(struct load *load, struct rng *rng)
{
	*load = (struct load){
		.kind = {
			[VSL_IO_READ] = pick(rng, 5, 20, 40),
			[VSL_IO_WRITE] = pick(rng, 30, 50, 80),
			[VSL_IO_TRIM] = pick(rng, 0, 2, 10),
			[VSL_IO_ZERO] = pick(rng, 0, 1, 5),
			[VSL_IO_FLUSH] = pick(rng, 1, 4, 10),
		},
		.spread = {
			[SPREAD_UNIFORM] = pick(rng, 0, 1, 4),
			[SPREAD_SEQUENTIAL] = pick(rng, 0, 1, 4),
			[SPREAD_SKEWED] = pick(rng, 1, 4),
			[SPREAD_FEW] = pick(rng, 0, 1, 2),
		},
		.fua_permille = pick(rng, 0, 30, 200),
		.big_permille = pick(rng, 0, 5, 20),
		.medium_permille = pick(rng, 50, 200, 400),
		.partial_permille = pick(rng, 0, 300, 700),
		.fast_permille = pick(rng, 0, 500, 900),
		.fill_permille = rng_range(rng, 600, 950),
		.depth = pick(rng, 1, 2, 8, 32),
	};
}

static void make_weights(u16 *weight, struct rng *rng)
{
	weight[STEP_START] = pick(rng, 2, 10, 50);
	weight[STEP_MEDIA] = pick(rng, 2, 10, 50);
	weight[STEP_FEED] = pick(rng, 2, 10, 50);
	weight[STEP_HOST] = pick(rng, 2, 10, 50);
	weight[STEP_TICK] = pick(rng, 1, 1, 2);
}

/* "name=value,..." over what chance gave. */
static void override(struct vsl_sim_config *card, const char *text)
{
	const struct {
		const char *name;
		u32 *value;
	} field[] = {
		{ "units", &card->units }, { "eus", &card->eus },
		{ "eu_blocks", &card->eu_blocks }, { "ws_min", &card->ws_min },
		{ "ws_opt", &card->ws_opt }, { "hole", &card->hole },
		{ "max_open", &card->max_open }, { "bad", &card->bad_permyriad },
		{ "max_blocks", &card->max_blocks },
		{ "oob_bytes", &card->oob_bytes }, { "flags", &card->flags },
		{ "window", &card->window },
	};
	size_t len;
	u32 i;

	while (text && *text) {
		for (i = 0; i < ARRAY_SIZE(field); i++) {
			len = strlen(field[i].name);
			if (!strncmp(text, field[i].name, len) &&
			    text[len] == '=')
				*field[i].value = strtoul(text + len + 1, NULL,
							  0);
		}
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
}

/*
 * The same card without anything that only flash has.  What chance decides here
 * has numbers of its own, so that the rest of the plan is what it is for flash.
 */
static void make_flat(struct vsl_sim_config *card)
{
	struct vsl_sim_tear *tear = &card->tear;
	struct rng rng;

	rng_init(&rng, card->seed, 0, 56);
	card->flags &= ~(VSL_SIM_REPORTS | VSL_SIM_FINISH | VSL_SIM_IN_ORDER |
			 VSL_SIM_VOLATILE | VSL_SIM_PLP);
	card->flags |= VSL_SIM_FLAT;
	if (rng_chance(&rng, 650))
		card->flags |= VSL_SIM_VOLATILE;
	else if (rng_chance(&rng, 500))
		card->flags |= VSL_SIM_PLP;
	card->ws_min = 1;
	card->hole = 0;
	card->oob_bytes = 0;
	card->bad_permyriad = 0;
	card->stale_permille = pick(&rng, 0, 200, 500, 900, 1000);
	card->foreign_permille = pick(&rng, 0, 0, 500, 1000);
	tear->weak_permille = 0;
	tear->flaky_permille = 0;
	tear->program_random = 0;
	tear->program_lost = 0;
	/* Half of them write 4 KiB at once, or not at all. */
	if (rng_chance(&rng, 500)) {
		tear->program_prefix = 0;
		tear->program_mixed = 0;
	}
}

/* "parity=0" or 1 in @text.  Return: 0, 1, or -1: nothing is said of it */
static int forced_parity(const char *text)
{
	const char *at = text ? strstr(text, "parity=") : NULL;

	return at ? at[7] == '1' : -1;
}

/*
 * Do rows of the segments have parity?  A chance of its own: what else chance
 * gives does not depend on it.
 */
static bool wants_parity(const struct plan *plan, const char *text)
{
	struct vsl_limits limits;
	int forced = forced_parity(text);
	struct rng rng;

	if (forced >= 0)
		return forced;
	rng_init(&rng, plan->card.seed, 0, 55);
	return rng_chance(&rng, 150) &&
	       !world_limits(&plan->card, true, &limits);
}

/* Chance and the command line may contradict themselves. */
static void make_sound(struct vsl_sim_config *card)
{
	if (card->flags & VSL_SIM_VOLATILE)
		card->flags &= ~VSL_SIM_PLP;
	if (!(card->flags & (VSL_SIM_VOLATILE | VSL_SIM_PLP)))
		card->timing.buffer_blocks = 0;
	card->max_blocks = max(card->max_blocks, card->ws_opt);
	/* Attach must pad what was torn; it cannot if that kills the card. */
	if (card->hole)
		card->tear.flaky_permille = 0;
}

/* What can this card hold?  Return: false: too little, or it is refused. */
static bool choose_capacity(struct plan *plan, struct rng *rng)
{
	struct vsl_limits limits;
	u64 most, mib = 1 << 20;

	if (world_limits(&plan->card, plan->format.parity, &limits))
		return false;
	plan->format.overformat = rng_chance(rng, 300);
	most = plan->format.overformat ? limits.max_bytes :
					 limits.advertised_bytes;
	if (most < mib)
		return false;
	plan->format.capacity_bytes = most;
	if (rng_chance(rng, 300))
		plan->format.capacity_bytes =
			mib + rng_below(rng, (most - mib) / VSL_BLOCK_BYTES + 1) *
			VSL_BLOCK_BYTES;
	return true;
}

void plan_make(struct plan *plan, struct rng *rng, const char *geometry)
{
	u32 tries = 0;

	do {
		if (++tries > 1000)
			sim_fail("plan", "no geometry is good enough");
		memset(plan, 0, sizeof(*plan));
		plan->card.seed = rng_u64(rng);
		make_geometry(&plan->card, rng);
		make_flags(&plan->card, rng);
		make_tear(&plan->card.tear, rng);
		if (plan_restrict)
			plan_restrict(plan);
		override(&plan->card, geometry);
		if (plan_flat)
			make_flat(&plan->card);
		make_sound(&plan->card);
		plan->format.parity = wants_parity(plan, geometry);
		plan->format.sector_bytes = pick(rng, 512, 4096);
		plan->format.label_ts = 1000000000;
		memcpy(plan->format.uuid, &plan->card.seed, 8);
	} while (!choose_capacity(plan, rng));
	plan->plp = plan->card.flags & VSL_SIM_PLP;
	plan->attach_flags = rng_chance(rng, 200) ? VSL_ATTACH_STRICT_SYNC : 0;
	plan->span = pick(rng, 4, 20, 60);
	make_weights(plan->weight, rng);
	make_load(&plan->load, rng);
	/*
	 * A block every twenty ticks, so that it is done with one before the next is
	 * due; not from @rng, whose numbers are spoken for.
	 */
	if (!(rng_mix(plan->card.seed) & 3))
		plan->scrub_s = 2 * plan->card.units * plan->card.eus *
				plan->card.eu_blocks;
}

void plan_print(const struct plan *plan, char *text, size_t text_bytes)
{
	const struct vsl_sim_config *card = &plan->card;

	snprintf(text, text_bytes,
		 "units=%u,eus=%u,eu_blocks=%u,ws_min=%u,ws_opt=%u,hole=%u,max_blocks=%u,oob_bytes=%u,bad=%u,flags=0x%x,window=%u capacity=%llu parity=%u sector=%u attach=0x%x depth=%u fill=%u span=%u scrub=%u",
		 card->units, card->eus, card->eu_blocks, card->ws_min,
		 card->ws_opt, card->hole, card->max_blocks, card->oob_bytes,
		 card->bad_permyriad, card->flags, card->window,
		 plan->format.capacity_bytes, plan->format.parity,
		 plan->format.sector_bytes,
		 plan->attach_flags, plan->load.depth, plan->load.fill_permille,
		 plan->span, plan->scrub_s);
}

/* ---- the workload ------------------------------------------------------------ */

static u32 pick_weighted(struct rng *rng, const u16 *weight, u32 nr)
{
	u32 total = 0, i, at;

	for (i = 0; i < nr; i++)
		total += weight[i];
	at = rng_below(rng, total);
	for (i = 0; at >= weight[i]; i++)
		at -= weight[i];
	return i;
}

static u64 pick_sector(struct world *w, u64 sectors)
{
	struct rng *rng = &w->addr;
	u64 place;

	switch (pick_weighted(rng, w->plan.load.spread, NR_SPREADS)) {
	case SPREAD_SEQUENTIAL:
		return w->cursor % sectors;
	case SPREAD_SKEWED:
		if (rng_chance(rng, 900)) {
			place = rng_below(rng, sectors / 10 + 1);
			return (place * 7919 + 64) % sectors;
		}
		return rng_below(rng, sectors);
	case SPREAD_FEW:
		return sectors / 3 / VSL_BLOCK_SECTORS * VSL_BLOCK_SECTORS +
		       rng_below(rng, 8 * VSL_BLOCK_SECTORS);
	default:
		return rng_below(rng, sectors);
	}
}

static u32 pick_size(struct world *w, bool may_be_huge)
{
	const struct load *load = &w->plan.load;
	struct rng *rng = &w->addr;

	if (rng_chance(rng, load->big_permille))
		return may_be_huge && rng_chance(rng, 300) ?
		       1u << 24 : rng_range(rng, 64, VSL_IO_MAX_SECTORS);
	if (rng_chance(rng, load->medium_permille))
		return rng_range(rng, 8, 64);
	return rng_range(rng, 1, 8);
}

void load_next(struct world *w, struct vsl_io *io)
{
	const struct load *load = &w->plan.load;
	struct rng *rng = &w->addr;
	u64 sectors = vsl_core_capacity_sectors(w->core);
	u32 grain = w->plan.format.sector_bytes / VSL_SECTOR_BYTES;
	u64 end;

	io->kind = pick_weighted(rng, load->kind, VSL_IO_FLUSH + 1);
	if (io->kind == VSL_IO_FLUSH)
		return;
	if (!rng_chance(rng, load->partial_permille))
		grain = VSL_BLOCK_SECTORS;
	io->sector = pick_sector(w, sectors) / grain * grain;
	end = io->sector + pick_size(w, io->kind >= VSL_IO_TRIM);
	end = min((end + grain - 1) / grain * grain, sectors);
	io->nr_sectors = end - io->sector;
	if (io->kind <= VSL_IO_WRITE)
		io->nr_sectors = min(io->nr_sectors, VSL_IO_MAX_SECTORS);
	if (io->kind != VSL_IO_READ && rng_chance(rng, load->fua_permille))
		io->flags = VSL_IO_FUA;
	w->cursor = end;
}
