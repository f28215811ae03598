// SPDX-License-Identifier: GPL-2.0-only
/*
 * rig.c - a core on a card in one thread, and jobs that load it.
 *
 * The rig does what driver/pump.c does in the kernel: it takes operations out
 * of the core, gives them to the card or to the processor, and tells the core
 * of their ends.  Everything is first come, first served, in rounds: all
 * operations that are there at the beginning of a round are started, then the
 * jobs fill their queues again.  So requests meet each other in the core as
 * they do when many are under way, also on a card that answers at once.
 *
 * Time is virtual: it moves only when a timed card asks for it, so processors
 * take none.  On an untimed card a tick comes every TICK_ROUNDS rounds.
 */
#include "rig.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TICK_NS		100000000ull
#define TICK_ROUNDS	64u
#define BUF_BYTES	(VSL_IO_MAX_SECTORS * VSL_SECTOR_BYTES)
#define DEPTH_MAX	1024u
#define IDLE_MAX	100u	/* ticks that change nothing */

static u8 write_buf[BUF_BYTES] __attribute__((aligned(4096)));
static u8 read_buf[BUF_BYTES] __attribute__((aligned(4096)));
const struct vsl_vec rig_write_vec = { write_buf, BUF_BYTES };
const struct vsl_vec rig_read_vec = { read_buf, BUF_BYTES };

/* A request and when it was submitted. */
struct request {
	struct vsl_io io;
	struct list_head link;
	u64 since_ns;
};

static struct request requests[DEPTH_MAX];

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fflush(stdout);
	fputs("bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	exit(1);
}

/* ---- the core's and the card's world -------------------------------------- */

static struct rig *the_rig;

static void op_end(struct vsl_op *op)
{
	list_add_tail(&op->link, &the_rig->ended);
}

static void request_ended(struct rig *rig, struct vsl_io *io)
{
	struct request *request = container_of(io, struct request, io);
	struct job *job = rig->job;

	if (!job)
		return;
	if (io->error)
		die("request at sector %llu ended with %d", io->sector,
		    io->error);
	job->under_way--;
	job->ended++;
	if (job->latency && (!job->reads_only || io->kind == VSL_IO_READ))
		job->latency[job->nr_latency++] =
			vsl_port_clock_ns - request->since_ns;
	list_add_tail(&request->link, &job->idle);
}

static void collect(struct rig *rig)
{
	struct vsl_op *op;
	struct vsl_io *io;

	while ((op = vsl_core_next_op(rig->core))) {
		op->end = op_end;
		op->owner = NULL;
		list_add_tail(&op->link, &rig->todo);
	}
	while ((io = vsl_core_next_io(rig->core)))
		request_ended(rig, io);
}

static void op_start(struct rig *rig, struct vsl_op *op)
{
	if (op->kind < VSL_OP_CPU) {
		rig->media->ops->submit(rig->media, op);
		return;
	}
	/* VSL_CPU_FILL is the first kind; see int.h */
	if (!rig->lazy || op->kind != VSL_OP_CPU)
		vsl_core_run(rig->core, op);
	op_end(op);
}

static void op_feed(struct rig *rig, struct vsl_op *op)
{
	struct vsl_io *io = op->owner;
	int ret;

	if (!io) {
		vsl_core_op_done(rig->core, op);
		return;
	}
	ret = vsl_core_read_fast_done(rig->core, io);
	if (ret & 2)
		vsl_core_tick(rig->core);
	if (ret & 1)
		vsl_core_submit(rig->core, io);
	else
		request_ended(rig, io);
}

static void tick(struct rig *rig)
{
	rig->tick_ns = vsl_port_clock_ns + TICK_NS;
	if (rig->core)
		vsl_core_tick(rig->core);
}

/* Nothing is to be done at this moment: let time pass. */
static bool pass_time(struct rig *rig)
{
	if (rig->wake_ns == NEVER_NS)
		return false;
	if (rig->core && rig->job &&
	    rig->tick_ns < max(rig->wake_ns, vsl_port_clock_ns)) {
		vsl_port_clock_ns = max(vsl_port_clock_ns, rig->tick_ns);
		tick(rig);
		collect(rig);
		return true;
	}
	vsl_port_clock_ns = max(vsl_port_clock_ns, rig->wake_ns);
	rig->wake_ns = NEVER_NS;
	vsl_sim_run(rig->sim);
	return true;
}

bool rig_pump(struct rig *rig)
{
	struct list_head now;
	struct vsl_op *op, *ahead;

	INIT_LIST_HEAD(&now);
	if (list_empty(&rig->todo) && list_empty(&rig->ended) &&
	    !pass_time(rig))
		return false;
	list_splice_tail_init(&rig->todo, &now);
	list_for_each_entry_safe(op, ahead, &now, link) {
		list_del(&op->link);
		op_start(rig, op);
	}
	list_splice_tail_init(&rig->ended, &now);
	list_for_each_entry_safe(op, ahead, &now, link) {
		list_del(&op->link);
		op_feed(rig, op);
	}
	collect(rig);
	return true;
}

static int env_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg)
{
	struct rig *rig = ctx;

	rig->core = core;
	collect(rig);
	while (!done(arg)) {
		collect(rig);
		if (!rig_pump(rig))
			die("a synchronous call waits for nothing");
	}
	collect(rig);
	return 0;
}

static void env_log(void *ctx, enum vsl_log_level level, const char *fmt, ...)
{
	struct rig *rig = ctx;
	va_list args;

	if (!rig->loud && level != VSL_LOG_ERROR)
		return;
	va_start(args, fmt);
	fputs("core: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}

static void env_wake(void *ctx, u64 at_ns)
{
	struct rig *rig = ctx;

	rig->wake_ns = min(rig->wake_ns, at_ns);
}

static void env_violation(void *ctx, const char *text)
{
	(void)ctx;
	die("media rule broken: %s", text);
}

/* ---- life ------------------------------------------------------------------ */

struct rig *rig_on(struct vsl_media *media)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	u32 i;

	if (!rig)
		die("no memory");
	the_rig = rig;
	for (i = 0; i < BUF_BYTES; i++)
		write_buf[i] = "OpenVSL "[i % 8];
	rig->media = media;
	rig->wake_ns = NEVER_NS;
	rig->tick_ns = vsl_port_clock_ns + TICK_NS;
	INIT_LIST_HEAD(&rig->todo);
	INIT_LIST_HEAD(&rig->ended);
	rig->env.ctx = rig;
	rig->env.wait = env_wait;
	rig->env.log = env_log;
	rig->loud = getenv("LOUD");
	return rig;
}

struct rig *rig_on_sim(const struct vsl_sim_config *config)
{
	struct rig *rig = rig_on(NULL);
	struct vsl_sim_env env = {
		.ctx = rig,
		.wake = env_wake,
		.violation = env_violation,
	};
	int err = vsl_sim_create(config, &env, &rig->sim);

	if (err)
		die("vsl_sim_create: %d", err);
	rig->media = vsl_sim_media(rig->sim);
	rig->timed = config->flags & VSL_SIM_TIMED;
	return rig;
}

/* The core's card has gone. */
static void bury(struct rig *rig)
{
	rig->job = NULL;
	rig_drain(rig);
	vsl_core_kill(rig->core);
	collect(rig);
	rig_drain(rig);
	vsl_core_destroy(rig->core);
	rig->core = NULL;
}

void rig_crash(struct rig *rig)
{
	rig->job = NULL;
	vsl_sim_cut(rig->sim);
	bury(rig);
	vsl_sim_power_on(rig->sim);
}

void rig_destroy(struct rig *rig)
{
	if (rig->core)
		bury(rig);
	if (rig->sim)
		vsl_sim_destroy(rig->sim);
	free(rig);
	the_rig = NULL;
}

void rig_format(struct rig *rig, u64 capacity_bytes)
{
	struct vsl_format format = {
		.uuid = "bench",
		.sector_bytes = 512,
		.capacity_bytes = capacity_bytes,
		.overformat = true,
		.parity = rig->parity,
	};
	int err = vsl_core_format(rig->media, &rig->env, &format);

	rig->core = NULL;
	if (err)
		die("format to %llu bytes: %d", capacity_bytes, err);
}

void rig_attach(struct rig *rig)
{
	int err;

	the_rig = rig;
	err = vsl_core_attach(rig->media, &rig->env, 0, &rig->core);
	if (err)
		die("attach: %d", err);
}

/* ---- jobs ------------------------------------------------------------------- */

void io_set(struct vsl_io *io, enum vsl_io_kind kind, u64 block, u32 nr_blocks)
{
	io->kind = kind;
	io->sector = block * VSL_BLOCK_SECTORS;
	io->nr_sectors = nr_blocks * VSL_BLOCK_SECTORS;
	io->vec = kind == VSL_IO_WRITE ? &rig_write_vec : &rig_read_vec;
	io->nr_vecs = 1;
}

static bool submit_fast(struct rig *rig, struct vsl_io *io)
{
	struct vsl_op *op;
	int ret = vsl_core_read_fast(rig->core, io, &op);

	if (ret == -EAGAIN)
		return false;
	if (!ret) {
		request_ended(rig, io);
		return true;
	}
	op->end = op_end;
	op->owner = io;
	rig->media->ops->submit(rig->media, op);
	return true;
}

static void submit_one(struct rig *rig, struct job *job)
{
	struct request *request = list_first_entry(&job->idle, struct request,
						   link);
	struct vsl_io *io = &request->io;

	list_del(&request->link);
	memset(io, 0, sizeof(*io));
	job->next(job, io);
	job->left--;
	job->under_way++;
	request->since_ns = vsl_port_clock_ns;
	if (io->kind != VSL_IO_READ || !job->fast || !submit_fast(rig, io))
		vsl_core_submit(rig->core, io);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* Nothing goes on: say what the core says of itself. */
static void hang(struct rig *rig)
{
	struct vsl_core_stats s;

	rig_stats(rig, &s);
	die("the core hangs: %u requests under way, none to be continued in %u ticks; %u of %u segments free, %u held; %llu of %llu blocks mapped",
	    rig->job->under_way, IDLE_MAX, s.segments_free, s.segments,
	    s.segments_held, s.mapped_blocks, rig_blocks(rig));
}

void rig_run_until(struct rig *rig, struct job *job, bool (*stop)(void *arg),
		   void *arg)
{
	u32 i, rounds = 0, idle = 0;

	if (!job->depth || job->depth > DEPTH_MAX)
		die("a queue depth of %u", job->depth);
	rig->job = job;
	job->under_way = 0;
	INIT_LIST_HEAD(&job->idle);
	for (i = 0; i < job->depth; i++)
		list_add_tail(&requests[i].link, &job->idle);
	while ((job->left || job->under_way) && !stop(arg)) {
		while (job->left && job->under_way < job->depth)
			submit_one(rig, job);
		collect(rig);
		idle = rig_pump(rig) ? 0 : idle + 1;
		if (idle > IDLE_MAX)
			hang(rig);
		if (idle || (!rig->timed && ++rounds % TICK_ROUNDS == 0)) {
			vsl_port_clock_ns += TICK_NS;
			tick(rig);
			collect(rig);
		}
	}
}

void rig_run(struct rig *rig, struct job *job)
{
	rig_run_until(rig, job, never, NULL);
	rig->job = NULL;
}

void rig_drain(struct rig *rig)
{
	while (rig_pump(rig))
		;
}

static void next_in_order(struct job *job, struct vsl_io *io)
{
	u64 *block = job->ctx;
	u32 nr = VSL_IO_MAX_SECTORS / VSL_BLOCK_SECTORS;
	u64 left = rig_blocks(the_rig) - *block;

	nr = min_t(u64, nr, left);
	io_set(io, VSL_IO_WRITE, *block, nr);
	*block += nr;
}

void rig_fill(struct rig *rig)
{
	u32 nr = VSL_IO_MAX_SECTORS / VSL_BLOCK_SECTORS;
	u64 block = 0;
	struct job job = {
		.next = next_in_order,
		.ctx = &block,
		.depth = 8,
		.left = DIV_ROUND_UP(rig_blocks(rig), nr),
	};

	rig_run(rig, &job);
	rig_drain(rig);
}

void rig_stats(struct rig *rig, struct vsl_core_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	vsl_core_stats(rig->core, stats);
}

u64 rig_blocks(const struct rig *rig)
{
	return vsl_core_capacity_sectors(rig->core) / VSL_BLOCK_SECTORS;
}
