// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * read.c - reads.
 *
 * A read is cut into parts of one kind each: a run of blocks that lie behind
 * each other in one erase unit, a block that is still in a slot, a run of
 * unmapped blocks, a partial block (read whole into a slot, then copied).
 * Every part is an operation from a pool; when the pool is empty the request
 * waits (read_queue) and goes on from its cursor.
 *
 * The fast path needs no lock: for one run of whole blocks on a settled
 * segment it counts itself in as a reader, looks whether the map still says
 * the same, and reads.  Whoever erases has emptied the map first and then
 * looks for readers; both sides have a full barrier between, so one of them
 * sees the other.
 *
 * On a card with spare bytes whatever was read is compared with its record
 * (spare.c).  What is wrong is read once more, into a slot, for the memory of the
 * request may be written to by others.
 *
 * Invariants
 * R1  While an operation reads from the media its segment has a reader.
 * R2  A block marked lost, or that cannot be read, makes the request an error;
 *     nothing else is ever put in its place.
 */
#include "parity.h"

/* What became of a request on the fast path; 0: it was not tried. */
#define TRIED		1u
#define TRIED_WRONG	2u	/* it brought something else, */
#define TRIED_LOST	3u	/* or nothing: read it into slots */

/* Longer requests wait for a busy unit; of its row it takes many reads. */
#define AROUND_SECTORS	(4 * VSL_BLOCK_SECTORS)

/* Bytes of block @lba that the request touches; where they begin in the
 * request's data and in the block. */
u32 vsl_io_span(const struct vsl_io *io, u32 lba, u32 *skip, u32 *from)
{
	u64 block = (u64)lba * VSL_BLOCK_SECTORS;
	u64 begin = max_t(u64, io->sector, block);
	u64 end = min_t(u64, io->sector + io->nr_sectors,
			block + VSL_BLOCK_SECTORS);

	*skip = (begin - io->sector) * VSL_SECTOR_BYTES;
	*from = (begin - block) * VSL_SECTOR_BYTES;
	return (end - begin) * VSL_SECTOR_BYTES;
}

/* Copy between @buf and the @bytes of @vec from @skip on. */
void vsl_vec_copy(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, void *buf,
		  u32 bytes, bool to_vec)
{
	u8 *at = buf;
	u32 i, part;

	for (i = 0; i < nr_vecs && bytes; i++) {
		if (skip >= vec[i].bytes) {
			skip -= vec[i].bytes;
			continue;
		}
		part = min_t(u32, bytes, vec[i].bytes - skip);
		if (to_vec)
			memcpy((u8 *)vec[i].base + skip, at, part);
		else
			memcpy(at, (u8 *)vec[i].base + skip, part);
		skip = 0;
		at += part;
		bytes -= part;
	}
}

/* CRC of the @bytes of @vec from @skip on. */
u32 vsl_vec_crc(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, u32 bytes)
{
	u32 crc = VSL_CRC_SEED, i, part;

	for (i = 0; i < nr_vecs && bytes; i++) {
		if (skip >= vec[i].bytes) {
			skip -= vec[i].bytes;
			continue;
		}
		part = min_t(u32, bytes, vec[i].bytes - skip);
		crc = vsl_port_crc32c(crc, (u8 *)vec[i].base + skip, part);
		skip = 0;
		bytes -= part;
	}
	return crc;
}

void vsl_vec_zero(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, u32 bytes)
{
	u32 i, part;

	for (i = 0; i < nr_vecs && bytes; i++) {
		if (skip >= vec[i].bytes) {
			skip -= vec[i].bytes;
			continue;
		}
		part = min_t(u32, bytes, vec[i].bytes - skip);
		memset((u8 *)vec[i].base + skip, 0, part);
		skip = 0;
		bytes -= part;
	}
}

static u32 end_block(const struct vsl_io *io)
{
	return DIV_ROUND_UP(io->sector + io->nr_sectors, VSL_BLOCK_SECTORS);
}

void vsl_read_start(struct vsl_core *core, struct vsl_io *io)
{
	io->cursor = io->sector / VSL_BLOCK_SECTORS;
	io->pending = 1;
	core->counter[VSL_COUNT_HOST_READ] += end_block(io) - io->cursor;
	core->counter[VSL_COUNT_CORRUPT] += io->tries == TRIED_WRONG;
	list_add_tail(&io->link, &core->read_queue);
}

static void part_done(struct vsl_core *core, struct vsl_io *io, int error)
{
	if (error && !io->error)
		io->error = error;
	if (!--io->pending)
		vsl_io_end(core, io, 0);
}

static struct vsl_op *read_op_get(struct vsl_core *core, struct vsl_io *io,
				  u32 skip)
{
	struct vsl_op *op;

	op = list_first_entry_or_null(&core->free_reads, struct vsl_op, link);
	if (!op)
		return NULL;
	list_del(&op->link);
	op->vec = io->vec;
	op->nr_vecs = io->nr_vecs;
	op->skip_bytes = skip;
	op->oob = NULL;
	io->pending++;
	return op;
}

static void read_op_put(struct vsl_core *core, struct vsl_op *op)
{
	list_add(&op->link, &core->free_reads);
	core->again = true;
}

static void leave_segment(struct vsl_core *core, u32 seg)
{
	if (!vsl_atomic_dec_return(&core->seg[seg].readers))
		core->again = true;
}

static void tell_unreadable(struct vsl_core *core, const struct vsl_op *op)
{
	if (op->result != VSL_RES_GONE)
		vsl_err(core, "read of unit %u erase unit %u block %u failed (%u)",
			op->unit, op->eu, op->off, op->result);
}

static void run_end(struct vsl_core *core, struct vsl_op *op, int error)
{
	struct vsl_io *io = op->ctx;

	leave_segment(core, op->eu);
	read_op_put(core, op);
	part_done(core, io, error);
}

/* Block of the disk that a run of whole blocks begins with. */
static u32 run_lba(const struct vsl_op *op)
{
	const struct vsl_io *io = op->ctx;

	return (io->sector + op->skip_bytes / VSL_SECTOR_BYTES) /
	       VSL_BLOCK_SECTORS;
}

/* Compare a run with its spare records.  Context: lock not held. */
void vsl_read_verify(struct vsl_core *core, struct vsl_op *op)
{
	op->bad = vsl_spare_check(core, op, run_lba(op));
}

static void verify_done(struct vsl_core *core, struct vsl_op *op)
{
	if (!op->bad || core->gone) {
		run_end(core, op, 0);
		return;
	}
	list_add_tail(&op->link, &core->wrong_reads);
	core->again = true;
}

static void run_done(struct vsl_core *core, struct vsl_op *op)
{
	int error = vsl_result_error(op->result);

	if (vsl_op_again(core, op))
		return;
	if (core->gone || (error && !core->geo.parity) ||
	    (!error && !core->spare_bytes)) {
		if (error)
			tell_unreadable(core, op);
		run_end(core, op, error);
	} else if (core->spare_bytes) {
		/* what could not be read is not right either */
		vsl_op_start(core, op, VSL_CPU_VERIFY, verify_done, op->ctx);
	} else {
		if (!op->bad)
			op->bad = ~0ull;
		verify_done(core, op);
	}
}

static void zero_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_io *io = op->ctx;

	read_op_put(core, op);
	part_done(core, io, 0);
}

/* Data was copied out of a slot: op->ctx. */
static void copy_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;
	struct vsl_io *io = (struct vsl_io *)op->oob;

	if (op->unit)
		vsl_slot_put(core, slot);
	else
		vsl_slot_unpin(core, slot);
	op->oob = NULL;
	read_op_put(core, op);
	part_done(core, io, 0);
}

/* @own: the slot is given back afterwards; otherwise it is pinned. */
static void copy_start(struct vsl_core *core, struct vsl_io *io,
		       struct vsl_op *op, struct vsl_slot *slot, bool own)
{
	u32 skip, from, bytes = vsl_io_span(io, slot->lba, &skip, &from);

	if (!own)
		slot->pins++;
	op->unit = own;
	op->off = from;
	op->nr = bytes;
	op->oob = io;
	vsl_op_start(core, op, VSL_CPU_COPY, copy_done, slot);
}

/* A partial block was read into its own slot. */
static void bounce_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;
	struct vsl_io *io = slot->ctx;
	u32 skip, from, bytes;
	struct vsl_op *copy;

	if (vsl_result_error(op->result)) {
		vsl_slot_tell(core, slot);
		part_done(core, io, vsl_result_error(op->result));
		vsl_slot_put(core, slot);
		return;
	}
	bytes = vsl_io_span(io, slot->lba, &skip, &from);
	copy = read_op_get(core, io, skip);
	if (copy) {
		io->pending--;
		copy_start(core, io, copy, slot, true);
		return;
	}
	vsl_vec_copy(io->vec, io->nr_vecs, skip, (u8 *)slot->buf + from, bytes,
		     true);
	vsl_slot_put(core, slot);
	part_done(core, io, 0);
}

/* Read one block into a slot, and what is asked for of it from there. */
static bool read_partial(struct vsl_core *core, struct vsl_io *io, u32 lba,
			 u32 ppa, bool around)
{
	struct vsl_slot *slot = vsl_slot_get(core, true);

	if (!slot)
		return false;
	slot->lba = lba;
	slot->ctx = io;
	io->pending++;
	if (around)
		vsl_slot_read_around(core, slot, ppa, bounce_done);
	else
		vsl_slot_read(core, slot, ppa, bounce_done);
	return true;
}

/*
 * Read the wrong blocks of a run once more, each into a slot: there nobody but
 * the card can change them.  Return: false: it has to wait.
 */
static bool read_wrong(struct vsl_core *core, struct vsl_op *op)
{
	u32 ppa = vsl_ppa(&core->geo, op->eu, op->unit, op->off), i;

	for (i = 0; i < op->nr && !core->gone; i++) {
		if (!(op->bad & 1ull << i))
			continue;
		if (!read_partial(core, op->ctx, run_lba(op) + i, ppa + i,
				  false))
			return false;
		op->bad &= ~(1ull << i);
		if (core->spare_bytes)
			core->counter[VSL_COUNT_CORRUPT]++;
	}
	list_del(&op->link);
	run_end(core, op, 0);
	return true;
}

/* Whole blocks from the cursor on that lie behind @ppa in its erase unit. */
static u32 run_length(const struct vsl_core *core, const struct vsl_io *io,
		      u32 ppa)
{
	u32 end = (io->sector + io->nr_sectors) / VSL_BLOCK_SECTORS;
	u32 most = min_t(u32, core->geo.max_blocks, end - (u32)io->cursor);
	u32 left = core->geo.eu_blocks - vsl_ppa_off(&core->geo, ppa), nr = 1;

	most = min_t(u32, most, left);
	while (nr < most && vsl_map_get(core, io->cursor + nr) == ppa + nr)
		nr++;
	return nr;
}

static bool read_media(struct vsl_core *core, struct vsl_io *io, u32 ppa,
		       u32 skip)
{
	struct vsl_segment *seg = &core->seg[vsl_ppa_seg(&core->geo, ppa)];
	struct vsl_op *op = read_op_get(core, io, skip);
	u32 nr = 1;

	if (!op)
		return false;
	if (seg->settled)
		nr = run_length(core, io, ppa);
	vsl_atomic_inc(&seg->readers);
	vsl_op_place(core, op, ppa, nr);
	if (core->spare_bytes)
		op->oob = core->read_spare + (size_t)(op - core->read_op) *
			  core->geo.max_blocks * core->spare_bytes;
	io->cursor += nr;
	vsl_op_start(core, op, VSL_OP_READ, run_done, io);
	return true;
}

static bool read_zero(struct vsl_core *core, struct vsl_io *io, u32 skip,
		      u32 bytes)
{
	struct vsl_op *op = read_op_get(core, io, skip);
	u32 end = (io->sector + io->nr_sectors) / VSL_BLOCK_SECTORS;

	if (!op)
		return false;
	io->cursor++;
	while (bytes >= VSL_BLOCK_BYTES && io->cursor < end &&
	       vsl_map_get(core, io->cursor) == VSL_PPA_NONE) {
		io->cursor++;
		bytes += VSL_BLOCK_BYTES;
	}
	op->nr = bytes;
	vsl_op_start(core, op, VSL_CPU_ZERO, zero_done, io);
	return true;
}

/* Start the part at the cursor.  Return: false: it has to wait. */
static bool read_part(struct vsl_core *core, struct vsl_io *io)
{
	u32 lba = io->cursor, ppa = vsl_map_get(core, lba);
	u32 skip, from, bytes = vsl_io_span(io, lba, &skip, &from);
	struct vsl_slot *slot;
	struct vsl_op *op;
	bool around;

	if (ppa == VSL_PPA_NONE)
		return read_zero(core, io, skip, bytes);
	if (ppa == VSL_PPA_LOST) {
		io->error = -EIO;
		io->cursor++;
		return true;
	}
	slot = vsl_slot_find(core, ppa);
	if (slot) {
		op = read_op_get(core, io, skip);
		if (!op)
			return false;
		io->cursor++;
		copy_start(core, io, op, slot, false);
		return true;
	}
	around = io->tries < TRIED_WRONG && io->nr_sectors <= AROUND_SECTORS &&
		 vsl_rebuild_around(core, ppa);
	if (bytes == VSL_BLOCK_BYTES && io->tries < TRIED_WRONG && !around)
		return read_media(core, io, ppa, skip);
	if (!read_partial(core, io, lba, ppa, around))
		return false;
	io->cursor++;
	return true;
}

void vsl_read_run(struct vsl_core *core)
{
	struct vsl_op *op;
	struct vsl_io *io;

	for (;;) {
		op = list_first_entry_or_null(&core->wrong_reads,
					      struct vsl_op, link);
		if (!op)
			break;
		if (!read_wrong(core, op))
			return;
	}
	for (;;) {
		io = list_first_entry_or_null(&core->read_queue, struct vsl_io,
					      link);
		if (!io)
			return;
		while (!core->gone && io->cursor < end_block(io))
			if (!read_part(core, io))
				return;
		list_del(&io->link);
		part_done(core, io, core->gone ? -ENODEV : 0);
	}
}

int vsl_core_read_fast(struct vsl_core *core, struct vsl_io *io,
		       struct vsl_op **op)
{
	u64 end = io->sector + io->nr_sectors;
	struct vsl_segment *seg;
	u32 ppa, nr, i;

	if (!READ_ONCE(core->online) || READ_ONCE(core->gone) ||
	    io->kind != VSL_IO_READ || io->tries ||
	    (io->sector | io->nr_sectors) % VSL_BLOCK_SECTORS ||
	    !io->nr_sectors || end < io->sector ||
	    end > vsl_core_capacity_sectors(core))
		return -EAGAIN;
	io->cursor = io->sector / VSL_BLOCK_SECTORS;
	nr = io->nr_sectors / VSL_BLOCK_SECTORS;
	ppa = vsl_map_get(core, io->cursor);
	if (!vsl_ppa_is_block(ppa) || nr > core->geo.max_blocks ||
	    nr * core->spare_bytes > sizeof(io->spare) ||
	    vsl_ppa_off(&core->geo, ppa) + nr > core->geo.eu_blocks)
		return -EAGAIN;
	if (unlikely(READ_ONCE(core->busy_unit) ==
		     vsl_ppa_unit(&core->geo, ppa)) &&
	    io->nr_sectors <= AROUND_SECTORS)
		return -EAGAIN;
	seg = &core->seg[vsl_ppa_seg(&core->geo, ppa)];
	vsl_atomic_inc(&seg->readers);
	for (i = 0; i < nr; i++)
		if (vsl_map_get(core, io->cursor + i) != ppa + i)
			break;
	if (i < nr || !READ_ONCE(seg->settled)) {
		vsl_atomic_dec_return(&seg->readers);
		return -EAGAIN;
	}
	io->ppa = ppa;
	vsl_op_place(core, &io->op, ppa, nr);
	io->op.kind = VSL_OP_READ;
	io->op.result = VSL_RES_OK;
	io->op.bad = 0;
	io->op.vec = io->vec;
	io->op.nr_vecs = io->nr_vecs;
	io->op.skip_bytes = 0;
	io->op.oob = core->spare_bytes ? io->spare : NULL;
	*op = &io->op;
	return 1;
}

int vsl_core_read_fast_done(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_segment *seg = &core->seg[io->op.eu];
	bool wrong = false;
	int ret = 0;

	if (core->spare_bytes && !vsl_result_error(io->op.result))
		wrong = vsl_spare_check(core, &io->op, io->cursor);
	vsl_wear_read(core, &io->op);
	/* A reader that leaves an empty segment lets it be erased. */
	if (!vsl_atomic_dec_return(&seg->readers) && !READ_ONCE(seg->valid))
		ret = 2;
	io->error = vsl_result_error(io->op.result);
	if (wrong || io->op.result == VSL_RES_TRANSIENT) {
		io->tries = wrong ? TRIED_WRONG : TRIED;
		return ret | 1;
	}
	if (io->error == -EIO && core->geo.parity) {
		io->tries = TRIED_LOST;
		return ret | 1;
	}
	return ret;
}
