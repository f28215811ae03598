// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench.c - a core on a simulated card that answers at once.
 *
 * The pump of the driver in its shortest form: operations end where they are
 * submitted (VSL_SIM_INLINE), one request is under way at a time.  The fuzzer
 * wants many inputs a second and the same run for the same input; the orders of
 * events are the business of tests/sim.
 */
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "feed.h"

#define NEVER_NS	(~0ull)
#define TICK_NS		100000000ull
#define STEPS_MAX	3000000u
/* A request that has not ended after so many ticks never will. */
#define TICKS_MAX	3000u

/* Operations end in it. */
static struct bench *the_bench;

/* ---- the card ------------------------------------------------------------ */

static void op_end(struct vsl_op *op)
{
	MUST(the_bench->nr_ended < BENCH_OPS);
	the_bench->ended[the_bench->nr_ended++] = op;
}

static struct bench *bench_of(struct vsl_media *media)
{
	return container_of(media, struct bench, media);
}

static void media_submit(struct vsl_media *media, struct vsl_op *op)
{
	struct vsl_media *card = vsl_sim_media(bench_of(media)->sim);

	card->ops->submit(card, op);
}

static int media_report(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
			struct vsl_eu_report *out)
{
	struct bench *bench = bench_of(media);
	struct vsl_media *card = vsl_sim_media(bench->sim);
	int ret = card->ops->report(card, unit, eu, nr, out);
	u32 i;

	for (i = 0; i < bench->nr_lies && !ret; i++)
		if (bench->lie[i].unit == unit && bench->lie[i].eu >= eu &&
		    bench->lie[i].eu - eu < nr)
			out[bench->lie[i].eu - eu] = bench->lie[i].report;
	return ret;
}

static const struct vsl_media_ops media_ops = {
	.submit = media_submit,
	.report = media_report,
};

static void env_wake(void *ctx, u64 at_ns)
{
	struct bench *bench = ctx;

	bench->wake_ns = min(bench->wake_ns, at_ns);
}

/* ---- steps --------------------------------------------------------------- */

static void start(struct bench *bench, struct vsl_op *op)
{
	op->end = op_end;
	if (op->kind >= VSL_OP_CPU) {
		vsl_core_run(bench->core, op);
		op_end(op);
	} else {
		bench->media.ops->submit(&bench->media, op);
	}
}

static void feed_core(struct bench *bench)
{
	struct vsl_op *op;

	if (bench->last_first) {
		op = bench->ended[--bench->nr_ended];
	} else {
		op = bench->ended[0];
		bench->nr_ended--;
		memmove(bench->ended, bench->ended + 1,
			bench->nr_ended * sizeof(*bench->ended));
	}
	vsl_core_op_done(bench->core, op);
}

/* The card works when it wants to.  Return: it wanted. */
static bool let_it_work(struct bench *bench)
{
	if (bench->wake_ns == NEVER_NS)
		return false;
	if (bench->wake_ns > vsl_port_clock_ns)
		vsl_port_clock_ns = bench->wake_ns;
	bench->wake_ns = NEVER_NS;
	vsl_sim_run(bench->sim);
	return true;
}

/* Return: something was done. */
static bool step(struct bench *bench)
{
	struct vsl_op *op = vsl_core_next_op(bench->core);

	if (++bench->steps > STEPS_MAX)
		broken("much work, but no end");
	if (op) {
		start(bench, op);
	} else if (bench->nr_ended) {
		feed_core(bench);
	} else {
		return let_it_work(bench);
	}
	return true;
}

/* Nothing goes on: a planted fault holds something up, or the core is broken. */
static void unblock(struct bench *bench, const char *what)
{
	if (!vsl_sim_pending(bench->sim))
		broken("nothing goes on: %s", what);
	vsl_sim_heal(bench->sim);
	vsl_sim_run(bench->sim);
	if (vsl_sim_pending(bench->sim) && bench->wake_ns == NEVER_NS)
		broken("the card does not end what it was asked");
}

static int env_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg)
{
	struct bench *bench = ctx;

	bench->core = core;
	while (!done(arg)) {
		if (step(bench))
			continue;
		if (!vsl_sim_has_power(bench->sim))
			return -ENODEV;
		unblock(bench, "a synchronous call");
	}
	return 0;
}

/* FUZZ_LOG=1: what the core says and returns. */
static bool is_logged(void)
{
	static int wanted = -1;

	if (wanted < 0)
		wanted = getenv("FUZZ_LOG") != NULL;
	return wanted;
}

static void env_log(void *ctx, enum vsl_log_level level, const char *fmt, ...)
{
	va_list args;
	char text[256];

	(void)ctx;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (is_logged())
		fprintf(stderr, "core[%u]: %s\n", level, text);
}

static int returned(const char *what, int ret)
{
	if (is_logged())
		fprintf(stderr, "%s returns %d\n", what, ret);
	return ret;
}

static void env_progress(void *ctx, u32 permille)
{
	(void)ctx;
	MUST(permille <= 1000);
}

static void env_event(void *ctx, enum vsl_core_event what)
{
	(void)ctx;
	MUST(what == VSL_CORE_HEALTH);
}

static struct vsl_core_env core_env(struct bench *bench)
{
	return (struct vsl_core_env){
		.ctx = bench,
		.wait = env_wait,
		.log = env_log,
		.progress = env_progress,
		.event = env_event,
	};
}

/* ---- life ---------------------------------------------------------------- */

struct bench *bench_create(const struct vsl_sim_config *config)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct vsl_sim_env env = { .ctx = bench, .wake = env_wake };
	int err;

	MUST(bench);
	bench->buf = aligned_alloc(VSL_BLOCK_BYTES,
				   BENCH_IO_BLOCKS * VSL_BLOCK_BYTES);
	MUST(bench->buf);
	bench->wake_ns = NEVER_NS;
	err = vsl_sim_create(config, &env, &bench->sim);
	if (err)
		broken("vsl_sim_create() returns %d", err);
	bench->media.ops = &media_ops;
	bench->media.info = vsl_sim_media(bench->sim)->info;
	return bench;
}

void bench_reset(struct bench *bench)
{
	MUST(!bench->core);
	the_bench = bench;
	vsl_port_clock_ns = 1000000000ull;
	vsl_port_fail_after = 0;
	bench->nr_lies = 0;
	bench->steps = 0;
	bench->last_first = false;
	vsl_sim_heal(bench->sim);
	while (vsl_sim_pending(bench->sim))
		vsl_sim_run(bench->sim);
	bench->nr_ended = 0;
	bench->wake_ns = NEVER_NS;
	vsl_sim_power_on(bench->sim);
	vsl_sim_seed(bench->sim, 1);
}

int bench_format(struct bench *bench, u32 sector_bytes, u64 capacity_bytes,
		 bool overformat, bool parity)
{
	struct vsl_core_env env = core_env(bench);
	struct vsl_format format = {
		.uuid = { 0x5a, 1, 2, 3 },
		.label_ts = 1700000000,
		.sector_bytes = sector_bytes,
		.capacity_bytes = capacity_bytes,
		.overformat = overformat,
		.parity = parity,
	};
	int ret;

	the_bench = bench;
	ret = vsl_core_format(&bench->media, &env, &format);
	bench->core = NULL;
	return returned("format", ret);
}

int bench_probe(struct bench *bench, struct vsl_label *label)
{
	struct vsl_core_env env = core_env(bench);
	int ret = vsl_core_probe(&bench->media, &env, label);

	bench->core = NULL;
	return returned("probe", ret);
}

int bench_attach(struct bench *bench, u32 flags)
{
	struct vsl_core_env env = core_env(bench);
	struct vsl_core *core = NULL;
	int ret;

	the_bench = bench;
	ret = vsl_core_attach(&bench->media, &env, flags, &core);
	bench->core = ret ? NULL : core;
	return returned("attach", ret);
}

static void drop(struct bench *bench)
{
	while (step(bench) || vsl_sim_pending(bench->sim))
		if (!bench->nr_ended && vsl_sim_pending(bench->sim) &&
		    bench->wake_ns == NEVER_NS)
			unblock(bench, "a core that is dropped");
	vsl_core_destroy(bench->core);
	bench->core = NULL;
}

int bench_detach(struct bench *bench)
{
	int ret = vsl_core_detach(bench->core);

	drop(bench);
	return returned("detach", ret);
}

void bench_crash(struct bench *bench)
{
	vsl_core_kill(bench->core);
	drop(bench);
}

u8 bench_card_do(struct bench *bench, u8 kind, u32 unit, u32 eu, u32 off, u32 nr,
		 void *buf)
{
	struct vsl_vec vec = { .base = buf, .bytes = nr * VSL_BLOCK_BYTES };
	struct vsl_op op = {
		.kind = kind, .unit = unit, .eu = eu, .off = off, .nr = nr,
		.vec = &vec, .nr_vecs = 1, .end = op_end,
	};

	the_bench = bench;
	MUST(!bench->nr_ended);
	bench->media.ops->submit(&bench->media, &op);
	while (!bench->nr_ended)
		if (!let_it_work(bench))
			unblock(bench, "an operation");
	bench->nr_ended = 0;
	return op.result;
}

u64 bench_blocks(const struct bench *bench)
{
	return vsl_core_capacity_sectors(bench->core) * VSL_SECTOR_BYTES /
	       VSL_BLOCK_BYTES;
}

/* ---- requests ------------------------------------------------------------ */

void bench_tick(struct bench *bench)
{
	vsl_port_clock_ns += TICK_NS;
	vsl_core_tick(bench->core);
	while (step(bench))
		;
}

int bench_io_part(struct bench *bench, enum vsl_io_kind kind, u8 flags,
		  u64 sector, u32 nr)
{
	struct vsl_vec vec = {
		.base = bench->buf,
		.bytes = min_t(u32, nr, BENCH_IO_BLOCKS * 8) * VSL_SECTOR_BYTES,
	};
	struct vsl_io io = {
		.kind = kind,
		.flags = flags,
		.sector = sector,
		.nr_sectors = nr,
		.vec = &vec,
		.nr_vecs = 1,
	};
	struct vsl_io *ended;
	u32 ticks = 0;

	if (kind != VSL_IO_READ && kind != VSL_IO_WRITE) {
		io.vec = NULL;
		io.nr_vecs = 0;
	}
	vsl_core_submit(bench->core, &io);
	MUST(!vsl_core_idle(bench->core));
	while (!(ended = vsl_core_next_io(bench->core))) {
		if (step(bench))
			continue;
		if (++ticks > TICKS_MAX)
			broken("a request of kind %u never ends", kind);
		if (vsl_sim_pending(bench->sim))
			unblock(bench, "a request");
		else
			bench_tick(bench);
	}
	MUST(ended == &io);
	if (io.error && is_logged())
		fprintf(stderr, "request of kind %u, %u sectors from %llu: %d\n", kind, nr,
			sector, io.error);
	return io.error;
}

int bench_io(struct bench *bench, enum vsl_io_kind kind, u8 flags, u64 lba,
	     u32 nr)
{
	u32 factor = VSL_BLOCK_BYTES / VSL_SECTOR_BYTES;

	return bench_io_part(bench, kind, flags, lba * factor, nr * factor);
}
