// SPDX-License-Identifier: GPL-2.0-only
/*
 * host.c - the requests of whoever uses the disk.
 *
 * A "job" is one request with its memory.  Jobs of the workload are checked by
 * the oracle when they end; jobs that read the image after a recovery are
 * shown to it by world_verify().
 *
 * Memory is cut into pieces at random multiples of 512 bytes, since a caller's
 * pages are not contiguous.  What a read is to fill is poisoned before.
 */
#include "world.h"

#include <stdlib.h>

#include "../../driver/core/int.h"
#include "fail.h"
#include "pattern.h"

#define VECS_MAX	16u

struct job {
	struct list_head link;
	struct vsl_io io;
	struct vsl_vec vec[VECS_MAX];
	u32 tag;
	bool image;		/* not the oracle's request, see world_verify() */
	bool done;
	u8 *buf;
};

static const char *const io_names[] = {
	"read", "write", "trim", "zero", "flush",
};

static void trace_io(const struct world *w, const char *what,
		     const struct job *job)
{
	sim_trace("%6llu %s %s%s %llu+%u tag %u error %d", w->events, what,
		  io_names[job->io.kind],
		  job->io.flags & VSL_IO_FUA ? "+fua" : "", job->io.sector,
		  job->io.nr_sectors, job->tag, job->io.error);
}

/* ---- jobs ------------------------------------------------------------------ */

static void job_free(struct world *w, struct job *job)
{
	list_del(&job->link);
	w->nr_jobs--;
	free(job->buf);
	free(job);
}

static struct job *job_create(struct world *w, const struct vsl_io *io)
{
	struct job *job = calloc(1, sizeof(*job));
	u32 bytes = io->nr_sectors * VSL_SECTOR_BYTES;

	if (!job)
		abort();
	job->io = *io;
	if (io->kind <= VSL_IO_WRITE) {
		job->buf = malloc(bytes);
		if (!job->buf)
			abort();
	}
	list_add_tail(&job->link, &w->jobs);
	w->nr_jobs++;
	return job;
}

static void job_cut_pieces(struct world *w, struct job *job)
{
	u32 sectors = job->io.nr_sectors;
	u32 at = 0, nr = 0, piece;

	while (at < sectors) {
		piece = sectors - at;
		if (nr + 1 < VECS_MAX && rng_chance(&w->addr, 300))
			piece = rng_range(&w->addr, 1, piece);
		job->vec[nr].base = job->buf + (size_t)at * VSL_SECTOR_BYTES;
		job->vec[nr].bytes = piece * VSL_SECTOR_BYTES;
		at += piece;
		nr++;
	}
	job->io.vec = job->vec;
	job->io.nr_vecs = nr;
}

static void job_poison(struct job *job)
{
	u32 i;

	for (i = 0; i < job->io.nr_sectors; i++)
		((u64 *)(job->buf + (size_t)i * VSL_SECTOR_BYTES))[1] = ~0ull;
}

static void job_submit(struct world *w, struct job *job)
{
	vsl_core_submit(w->core, &job->io);
	world_collect(w);
}

/* Return: the job has gone to the core by the fast path, or has ended. */
static bool job_submit_fast(struct world *w, struct job *job)
{
	struct vsl_op *op = NULL;
	int ret;

	if (job->io.kind != VSL_IO_READ ||
	    !rng_chance(&w->addr, w->plan.load.fast_permille))
		return false;
	ret = vsl_core_read_fast(w->core, &job->io, &op);
	if (ret == -EAGAIN)
		return false;
	if (ret == 1) {
		world_ready(w, op, job);
		return true;
	}
	if (ret)
		sim_fail("door", "vsl_core_read_fast() returns %d", ret);
	host_end(w, &job->io);
	return true;
}

static struct job *job_start(struct world *w, const struct vsl_io *io, bool image)
{
	struct job *job = job_create(w, io);

	job->image = image;
	if (!image)
		job->tag = oracle_begin(w->oracle, io->kind, io->flags,
					io->sector, io->nr_sectors);
	if (io->kind <= VSL_IO_WRITE)
		job_cut_pieces(w, job);
	if (io->kind == VSL_IO_WRITE)
		oracle_fill(w->oracle, job->tag, job->buf);
	else if (io->kind == VSL_IO_READ)
		job_poison(job);
	trace_io(w, "submit", job);
	world_progress(w);
	if (!job_submit_fast(w, job))
		job_submit(w, job);
	return job;
}

/* An end that no fault explains. */
static void check_error(const struct world *w, const struct job *job)
{
	s32 error = job->io.error;

	if (!error || (error == -EIO && job->io.kind == VSL_IO_READ))
		return;		/* the oracle judges unreadable blocks */
	if (w->tolerant && (error == -EIO || error == -EROFS))
		return;
	sim_fail("io", "%s %llu+%u ended with %d", io_names[job->io.kind],
		 job->io.sector, job->io.nr_sectors, error);
}

void host_end(struct world *w, struct vsl_io *io)
{
	struct job *job = container_of(io, struct job, io);

	trace_io(w, "ended ", job);
	world_progress(w);
	/* a fast read may know before the core does */
	if (w->cut && (io->error == -ENODEV ||
		       (w->core_knows && (io->error ||
					  io->kind != VSL_IO_READ)))) {
		if (io->error != -ENODEV)
			sim_fail("C5", "%s %llu+%u ended with %d after the cut",
				 io_names[io->kind], io->sector, io->nr_sectors,
				 io->error);
		job_free(w, job);
		return;
	}
	w->done_requests++;
	check_error(w, job);
	job->done = true;
	if (job->image && !w->cut)
		return;
	if (job->image) {
		job_free(w, job);
		return;
	}
	oracle_end(w->oracle, job->tag, io->error, job->buf);
	job_free(w, job);
}

void host_fast_done(struct world *w, struct job *job)
{
	int ret = vsl_core_read_fast_done(w->core, &job->io);

	if (ret & 2) {
		vsl_core_tick(w->core);
		world_collect(w);
	}
	if (ret & 1)
		job_submit(w, job);
	else
		host_end(w, &job->io);
}

/* ---- the workload ----------------------------------------------------------- */

bool host_may_submit(const struct world *w)
{
	return w->left && w->nr_jobs < w->plan.load.depth;
}

void host_submit(struct world *w)
{
	struct vsl_io io = { 0 };

	w->left--;
	load_next(w, &io);
	job_start(w, &io, false);
}

static bool run_until_ended(struct world *w)
{
	while ((w->left || w->nr_jobs) && !w->cut)
		if (!world_step(w) && !w->cut)
			world_hang(w, "nothing to do");
	return !w->cut;
}

bool world_run(struct world *w, u32 requests)
{
	w->left = requests;
	return run_until_ended(w);
}

void world_begin(struct world *w, enum vsl_io_kind kind, u8 flags, u64 sector,
		 u32 nr_sectors)
{
	struct vsl_io io = {
		.kind = kind,
		.flags = flags,
		.sector = sector,
		.nr_sectors = nr_sectors,
	};

	job_start(w, &io, false);
}

bool world_finish(struct world *w)
{
	return run_until_ended(w);
}

bool world_do(struct world *w, enum vsl_io_kind kind, u8 flags, u64 sector,
	      u32 nr_sectors)
{
	world_begin(w, kind, flags, sector, nr_sectors);
	return world_finish(w);
}

/* The toy has none, and is not asked. */
#pragma weak vsl_check_request
#pragma weak vsl_progress

bool world_checkpoint(struct world *w)
{
	vsl_check_request(w->core, true);
	vsl_progress(w->core);
	world_collect(w);
	return world_idle(w);
}

bool world_fill(struct world *w, u32 permille)
{
	u32 step = vsl_core_atomic_blocks(w->core) * VSL_BLOCK_SECTORS;
	u64 sectors = w->plan.format.capacity_bytes / VSL_SECTOR_BYTES *
		      permille / 1000 / VSL_BLOCK_SECTORS * VSL_BLOCK_SECTORS;
	u64 at;
	u32 nr;

	step = min(step, VSL_IO_MAX_SECTORS);
	for (at = 0; at < sectors; at += nr) {
		nr = min_t(u64, step, sectors - at);
		if (!world_do(w, VSL_IO_WRITE, 0, at, nr))
			return false;
	}
	return world_do(w, VSL_IO_FLUSH, 0, 0, 0);
}

bool world_idle(struct world *w)
{
	world_progress(w);
	while (!w->cut && !vsl_core_idle(w->core))
		if (!world_step(w) && !w->cut)
			world_hang(w, "not idle and nothing to do");
	world_progress(w);
	return !w->cut;
}

/* ---- the image --------------------------------------------------------------- */

/* Show one piece to the oracle, unless an error is to be looked at closer. */
static s32 image_read(struct world *w, u64 sector, u32 nr)
{
	struct vsl_io io = {
		.kind = VSL_IO_READ,
		.sector = sector,
		.nr_sectors = nr,
	};
	struct job *job = job_start(w, &io, true);
	s32 error;

	while (!w->cut && !job->done)
		if (!world_step(w) && !w->cut)
			world_hang(w, "a read and nothing to do");
	if (w->cut)
		return -ENODEV;
	error = job->io.error;
	if (!error || nr * VSL_SECTOR_BYTES == w->plan.format.sector_bytes)
		oracle_image(w->oracle, sector, nr, error, job->buf);
	job_free(w, job);
	return error;
}

bool world_verify(struct world *w)
{
	u64 sectors = vsl_core_capacity_sectors(w->core);
	u32 granule = w->plan.format.sector_bytes / VSL_SECTOR_BYTES;
	u32 piece = min_t(u64, 256, sectors);
	u64 at, end = 0;

	if (sectors * VSL_SECTOR_BYTES != w->plan.format.capacity_bytes)
		sim_fail("door", "the disk has %llu sectors", sectors);
	for (at = 0; at < sectors && !w->cut; at = end) {
		end = min_t(u64, at + piece, sectors);
		if (!image_read(w, at, end - at))
			continue;
		for (; at < end && !w->cut; at += granule)
			image_read(w, at, granule);
	}
	if (!w->cut)
		oracle_settle(w->oracle);
	return !w->cut;
}
