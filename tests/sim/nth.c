// SPDX-License-Identifier: GPL-2.0-only
/*
 * nth.c - the n-th failure of everything, for each n.
 *
 * From a copy of one card format, attach, some requests and detach are lived
 * again and again, and each time another single thing goes wrong:
 *
 *	an allocation fails			format; attach to detach
 *	an operation of the card fails		each kind of failure, both
 *	a wait is interrupted			format, which is what heeds it
 *	work for a processor is done last	both
 *
 * n grows until it is never reached.  What must hold: success or a clean error,
 * no leak of memory, no broken promise, and afterwards the card attaches (or,
 * after a format that failed, can be formatted) as if nothing had been.
 *
 * The number of a cut is the kind of trouble and n, see number_of().
 */
#include "past.h"

#include "fail.h"

#define KIND_SHIFT	20u	/* of a cut's number */

/* What the disk still promises. */
enum harm {
	HARMLESS,		/* everything */
	LOSES_WRITES,		/* requests may fail, and what was flushed stays */
	LOSES_BLOCKS,		/* what is found may be old, or an error */
};

enum how { BY_ALLOC, BY_FAULT, BY_WAIT, BY_CPU };

static const struct trouble {
	enum how how;
	const char *fault;
	enum harm harm;
} troubles[] = {
	{ BY_ALLOC, NULL, LOSES_WRITES },
	{ BY_WAIT, NULL, HARMLESS },
	{ BY_CPU, NULL, HARMLESS },
	{ BY_FAULT, "read-transient", HARMLESS },
	{ BY_FAULT, "read-lost", LOSES_BLOCKS },
	{ BY_FAULT, "program-transient", HARMLESS },
	{ BY_FAULT, "program-end", HARMLESS },
	{ BY_FAULT, "program-fail", HARMLESS },
	{ BY_FAULT, "erase-transient", HARMLESS },
	{ BY_FAULT, "erase-fail", HARMLESS },
	{ BY_FAULT, "flush-transient", HARMLESS },
	{ BY_FAULT, "flush-fail", LOSES_WRITES },
};

static const char *const cards[] = {
	"units=2,eus=40,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,bad=0,flags=0xc2",
	"units=2,eus=48,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,bad=0,flags=0xca",
	"units=2,eus=56,eu_blocks=8,ws_min=1,ws_opt=2,hole=2,max_blocks=16,bad=0,flags=0xc2",
	"units=4,eus=96,eu_blocks=8,ws_min=1,ws_opt=1,hole=0,max_blocks=16,oob_bytes=16,bad=0,flags=0xca,parity=1",
};

struct nth {
	struct scene scene;
	struct past base;
	struct vsl_sim *first;	/* the world's own card */
	struct vsl_sim *card;	/* of this try */
	struct vsl_format format;	/* another than it has */
	const struct trouble *trouble;
	bool formatting;
	bool format_failed;
	u64 n;
	u64 live;		/* allocations before this try */
};

static u64 number_of(const struct nth *nth)
{
	return nth->n | (u64)(nth->trouble - troubles) << KIND_SHIFT |
	       (u64)nth->formatting << (KIND_SHIFT + 8);
}

/* ---- the trouble ---------------------------------------------------------------- */

static void trouble_begin(struct nth *nth)
{
	struct world *w = nth->scene.world;
	struct vsl_sim_fault fault = {
		.name = nth->trouble->fault,
		.unit = VSL_SIM_ANY,
		.eu = VSL_SIM_ANY,
		.block = VSL_SIM_ANY,
		.count = 1,
		.every = nth->n,
	};
	int err = 0;

	switch (nth->trouble->how) {
	case BY_ALLOC:
		vsl_port_fail_after = nth->n;
		break;
	case BY_WAIT:
		w->stop_wait = w->waits + nth->n;
		break;
	case BY_CPU:
		w->starve_cpu = w->cpu_ops + nth->n;
		break;
	default:
		err = vsl_sim_plant(w->sim, &fault);
		break;
	}
	if (err)
		sim_fail("media", "planting %s returns %d", fault.name, err);
}

/* It is over.  Return: there was any. */
static bool trouble_end(struct nth *nth)
{
	struct world *w = nth->scene.world;
	struct vsl_sim_stats stats;
	bool was = false;

	switch (nth->trouble->how) {
	case BY_ALLOC:
		was = !vsl_port_fail_after;
		break;
	case BY_WAIT:
		was = w->waits >= w->stop_wait;
		break;
	case BY_CPU:
		was = w->cpu_ops >= w->starve_cpu;
		break;
	default:
		vsl_sim_stats(w->sim, &stats);
		was = stats.faults;
		vsl_sim_heal(w->sim);
		break;
	}
	vsl_port_fail_after = 0;
	w->stop_wait = 0;
	w->starve_cpu = 0;
	return was;
}

/* ---- what is lived through ------------------------------------------------------ */

static void requests(struct nth *nth)
{
	struct world *w = nth->scene.world;
	u64 blocks = w->plan.format.capacity_bytes / VSL_BLOCK_BYTES;
	u32 grain = w->plan.format.sector_bytes / VSL_SECTOR_BYTES, i;

	world_do(w, VSL_IO_WRITE, 0, 80, 5 * VSL_BLOCK_SECTORS);
	world_begin(w, VSL_IO_WRITE, 0, 88 + grain % 8, 2 * grain);
	world_do(w, VSL_IO_TRIM, 0, 96, 2 * VSL_BLOCK_SECTORS);
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
	for (i = 0; i < 12; i++)
		world_do(w, VSL_IO_WRITE, 0,
			 i * 37 % (blocks - 4) * VSL_BLOCK_SECTORS,
			 4 * VSL_BLOCK_SECTORS);
	world_do(w, VSL_IO_WRITE, VSL_IO_FUA, 160, VSL_BLOCK_SECTORS);
	world_checkpoint(w);
	world_do(w, VSL_IO_ZERO, 0, 168 + grain % 8, 2 * VSL_BLOCK_SECTORS);
}

static bool may_fail(const struct nth *nth)
{
	return nth->trouble->harm != HARMLESS;
}

static void life(struct nth *nth)
{
	struct world *w = nth->scene.world;
	u32 tag;
	int err = world_attach(w, w->plan.attach_flags);

	if (err && (!may_fail(nth) || err == -EINTR))
		sim_fail("door", "attach returns %d", err);
	if (err)
		return;
	requests(nth);
	tag = oracle_begin(w->oracle, VSL_IO_FLUSH, 0, 0, 0);
	err = world_detach(w);
	if (err && !may_fail(nth))
		sim_fail("door", "detach returns %d", err);
	oracle_end(w->oracle, tag, err, NULL);
}

static void crash(struct world *w)
{
	world_crash(w);
	world_power_on(w);
}

/* What a format that failed has left can be formatted. */
static void format_again(struct nth *nth)
{
	struct scene *s = &nth->scene;
	struct world *w = s->world;
	struct vsl_label label;
	int err = world_probe(w, &label);

	if (err)
		sim_fail("format", "probe returns %d", err);
	scene_format(s, &nth->format);
}

static void formatting(struct nth *nth)
{
	int err = world_format(nth->scene.world, &nth->format);

	if (err && err != -ENOMEM && err != -EIO && err != -EINTR)
		sim_fail("format", "format returns %d", err);
	if (err && nth->trouble->how == BY_CPU)
		sim_fail("format", "format returns %d for late work", err);
	if (!err)
		scene_formatted(&nth->scene, &nth->format);
	nth->format_failed = err;
}

/* ---- one try --------------------------------------------------------------------- */

static void judge(struct nth *nth)
{
	struct scene *s = &nth->scene;
	struct world *w = s->world;

	w->tolerant = false;
	crash(w);
	if (nth->formatting && nth->format_failed) {
		/* No root, no memory of what was erased. */
		s->erase_floor = 0;
		format_again(nth);
	} else {
		if (nth->trouble->harm == LOSES_BLOCKS) {
			oracle_forget(w->oracle);
			s->erase_floor = 0;
		}
		scene_recover(s, 0);
	}
	crash(w);
}

/* Return: n was reached. */
static bool try(struct nth *nth)
{
	struct scene *s = &nth->scene;
	struct world *w = s->world;
	struct vsl_format old = w->plan.format;
	bool was;

	the_slot->cut = number_of(nth);
	sim_tracing = s->order->trace_from <= the_slot->cut;
	sim_trace("cut %llu: %s %llu%s", the_slot->cut,
		  nth->trouble->fault ? nth->trouble->fault :
		  nth->trouble->how == BY_ALLOC ? "allocation" :
		  nth->trouble->how == BY_WAIT ? "wait" : "work",
		  nth->n, nth->formatting ? " in format" : "");
	nth->live = vsl_port_allocs_live;
	nth->card = world_card(w, &w->plan.card.tear);
	past_return(&nth->base, s, nth->card);
	world_reseed(w, s->order->seed, s->order->run);
	w->tolerant = may_fail(nth);
	trouble_begin(nth);
	if (nth->formatting)
		formatting(nth);
	else
		life(nth);
	was = trouble_end(nth);
	judge(nth);
	scene_formatted(s, &old);
	world_use(w, nth->first);
	vsl_sim_destroy(nth->card);
	if (vsl_port_allocs_live != nth->live)
		sim_fail("leak", "%lld allocations are left",
			 (long long)(vsl_port_allocs_live - nth->live));
	return was;
}

static void try_all(struct nth *nth)
{
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(troubles); i++) {
		nth->trouble = &troubles[i / 2];
		nth->formatting = i % 2;
		if (nth->trouble->how == BY_WAIT && !nth->formatting)
			continue;
		nth->n = 1;
		while (!session_is_over() && try(nth))
			nth->n++;
		the_slot->nth_tries += nth->n - 1;
	}
}

void run_nth(const struct order *order)
{
	struct order own = *order;
	struct nth nth = { 0 };
	struct scene *s = &nth.scene;
	u64 only = order->only_cut;

	if (!own.geometry)
		own.geometry = cards[order->run % ARRAY_SIZE(cards)];
	own.steady = true;
	scene_begin(s, &own);
	world_run(s->world, rng_below(&s->rng, 60));
	world_idle(s->world);
	crash(s->world);
	scene_recover(s, 0);
	crash(s->world);
	nth.first = s->world->sim;
	nth.format = s->world->plan.format;
	memset(nth.format.uuid, 0x77, sizeof(nth.format.uuid));
	past_keep(&nth.base, s);
	if (only == EVERY_CUT) {
		try_all(&nth);
	} else {
		nth.trouble = &troubles[(only >> KIND_SHIFT & 0xff) %
					ARRAY_SIZE(troubles)];
		nth.formatting = only >> (KIND_SHIFT + 8) & 1;
		nth.n = only & ((1u << KIND_SHIFT) - 1);
		try(&nth);
	}
	past_drop(&nth.base);
	scene_end(s);
}
