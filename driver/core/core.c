// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * core.c - the door: requests in, operations out, and what is told of both.
 *
 * The core does nothing by itself.  Every entry changes state, then
 * vsl_progress() lets each part look whether it can go on.  A part that makes
 * something possible for another one (a free slot, a clean segment) sets
 * core->again, and all look once more; so nothing can get stuck because two
 * parts looked in the wrong order.
 *
 * Invariants
 * N1  An operation is in the outbox, handed out (ops_out), or its owner's.
 * N2  A request taken by vsl_core_submit() comes back by vsl_core_next_io()
 *     exactly once, whatever happens (nr_ios counts them).
 * N3  After core->gone nothing new is started and every request ends -ENODEV.
 *     Buffers stay until the operations that use them have ended.
 *
 * Power loss: nothing here is durable.
 */
#include "parity.h"

#define STALLED_TICKS	100u	/* about ten seconds */

/* Zeroed memory for @nr things, counted. */
void *vsl_zalloc(struct vsl_core *core, u64 nr, size_t bytes)
{
	void *mem;

	if (nr > ((u64)1 << 40) / (bytes ? bytes : 1))
		return NULL;
	mem = vsl_port_alloc(max_t(u64, nr * bytes, 1));
	if (mem)
		core->ram_bytes += nr * bytes;
	return mem;
}

void vsl_op_start(struct vsl_core *core, struct vsl_op *op, u8 kind,
		  void (*done)(struct vsl_core *, struct vsl_op *), void *ctx)
{
	op->kind = kind;
	op->result = VSL_RES_OK;
	op->bad = 0;
	op->tries = 0;
	op->done = done;
	op->ctx = ctx;
	list_add_tail(&op->link, &core->ops);
}

void vsl_op_place(struct vsl_core *core, struct vsl_op *op, u32 ppa, u32 nr)
{
	op->unit = vsl_ppa_unit(&core->geo, ppa);
	op->eu = vsl_ppa_seg(&core->geo, ppa);
	op->off = vsl_ppa_off(&core->geo, ppa);
	op->nr = nr;
}

/* An operation ended: is it worth another try?  If so it is under way again. */
bool vsl_op_again(struct vsl_core *core, struct vsl_op *op)
{
	if (op->result != VSL_RES_TRANSIENT || op->tries >= 3 || core->gone)
		return false;
	op->tries++;
	op->result = VSL_RES_OK;
	op->bad = 0;
	list_add_tail(&op->link, &core->ops);
	return true;
}

/* What a requester is told of a read or flush that ended so. */
int vsl_result_error(u8 result)
{
	switch (result) {
	case VSL_RES_OK:
	case VSL_RES_REFRESH:
		return 0;
	case VSL_RES_GONE:
		return -ENODEV;
	default:
		return -EIO;
	}
}

void vsl_io_end(struct vsl_core *core, struct vsl_io *io, int error)
{
	if (core->gone)
		error = -ENODEV;
	if (!io->error || core->gone)
		io->error = error;
	list_add_tail(&io->link, &core->done);
}

/* Health only gets worse while a card is attached. */
void vsl_health_set(struct vsl_core *core, u8 health, u8 reason)
{
	if (health <= core->health)
		return;
	core->health = health;
	core->reason = reason;
	core->again = true;
	if (health == VSL_READ_ONLY)
		vsl_err(core, "read-only from now on; the data stays readable");
	else
		vsl_warn(core, "reserve space is low");
	if (core->env.event)
		core->env.event(core->env.ctx, VSL_CORE_HEALTH);
}

bool vsl_writable(const struct vsl_core *core)
{
	return core->health != VSL_READ_ONLY && !core->gone &&
	       !(core->flags & VSL_ATTACH_READ_ONLY);
}

/* Let every part look whether it can go on. */
void vsl_progress(struct vsl_core *core)
{
	do {
		core->again = false;
		vsl_seg_reap(core);
		vsl_root_run(core);
		vsl_log_kick(core);
		vsl_rebuild_run(core);
		vsl_write_run(core);
		vsl_read_run(core);
		vsl_groom_run(core);
		vsl_check_run(core);
		vsl_scrub_run(core);
		vsl_flush_run(core);
		vsl_log_kick(core);
	} while (core->again && !core->gone);
}

void vsl_core_submit(struct vsl_core *core, struct vsl_io *io)
{
	u64 end = io->sector + io->nr_sectors;

	core->nr_ios++;
	if (io->kind == VSL_IO_WRITE)
		core->writing += io->nr_sectors;
	io->error = 0;
	io->slots = NULL;
	io->nr_slots = 0;
	io->pending = 0;
	io->cursor = 0;
	if (!core->online || core->gone) {
		vsl_io_end(core, io, -ENODEV);
		return;
	}
	if (end < io->sector || end > vsl_core_capacity_sectors(core) ||
	    (io->kind <= VSL_IO_WRITE &&
	     (!io->nr_sectors || io->nr_sectors > VSL_IO_MAX_SECTORS))) {
		vsl_io_end(core, io, -EINVAL);
		return;
	}
	switch (io->kind) {
	case VSL_IO_READ:
		vsl_read_start(core, io);
		break;
	case VSL_IO_FLUSH:
		vsl_flush_start(core, io);
		break;
	case VSL_IO_WRITE:
	case VSL_IO_TRIM:
	case VSL_IO_ZERO:
		vsl_write_start(core, io);
		break;
	default:
		vsl_io_end(core, io, -EINVAL);
	}
	vsl_progress(core);
}

void vsl_core_op_done(struct vsl_core *core, struct vsl_op *op)
{
	core->ops_out--;
	if (op->result == VSL_RES_GONE && op->kind < VSL_OP_CPU)
		vsl_core_kill(core);
	if (op->kind == VSL_OP_READ)
		vsl_wear_read(core, op);
	op->done(core, op);
	vsl_progress(core);
}

struct vsl_op *vsl_core_next_op(struct vsl_core *core)
{
	struct vsl_op *op;

	op = list_first_entry_or_null(&core->ops, struct vsl_op, link);
	if (!op)
		return NULL;
	list_del(&op->link);
	core->ops_out++;
	if (op->kind == VSL_OP_READ)
		core->counter[VSL_COUNT_MEDIA_READ] += op->nr;
	return op;
}

struct vsl_io *vsl_core_next_io(struct vsl_core *core)
{
	struct vsl_io *io;

	io = list_first_entry_or_null(&core->done, struct vsl_io, link);
	if (!io)
		return NULL;
	list_del(&io->link);
	core->nr_ios--;
	if (io->kind == VSL_IO_WRITE)
		core->writing -= io->nr_sectors;
	return io;
}

static void run_copy(struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	vsl_vec_copy(op->vec, op->nr_vecs, op->skip_bytes,
		     (u8 *)slot->buf + op->off, op->nr, true);
}

static void run_snap(struct vsl_core *core, struct vsl_slot *slot)
{
	vsl_page_fill(core, slot->kind, slot->lba, slot->buf);
	slot->crc = vsl_port_crc32c(VSL_CRC_SEED, slot->buf, VSL_BLOCK_BYTES);
}

static void run_head(struct vsl_core *core, struct vsl_packet *packet)
{
	if (packet->is_summary)
		vsl_sum_seal(&core->stream[packet->stream]);
	else
		packet->head->crc = cpu_to_le32(vsl_head_crc(packet->head));
	vsl_packet_lay(core, packet);
}

void vsl_core_run(struct vsl_core *core, struct vsl_op *op)
{
	switch (op->kind) {
	case VSL_CPU_FILL:
		vsl_write_fill(core, op->ctx);
		break;
	case VSL_CPU_COPY:
		run_copy(op);
		break;
	case VSL_CPU_ZERO:
		vsl_vec_zero(op->vec, op->nr_vecs, op->skip_bytes, op->nr);
		break;
	case VSL_CPU_CHECK:
		vsl_slot_check(core, op->ctx);
		break;
	case VSL_CPU_SNAP:
		run_snap(core, op->ctx);
		break;
	case VSL_CPU_HEAD:
		run_head(core, op->ctx);
		break;
	case VSL_CPU_SCAN:
		vsl_groom_scan(core);
		break;
	case VSL_CPU_VERIFY:
		vsl_read_verify(core, op);
		break;
	case VSL_CPU_SCRUB:
		vsl_scrub_scan(core);
		break;
	case VSL_CPU_XOR:
		vsl_rebuild_add(core, op->ctx);
		break;
	default:
		break;
	}
}

/* Requests wait, and nothing is under way that could help them. */
static bool stalled(const struct vsl_core *core)
{
	u32 i;

	if (core->ops_out || !list_empty(&core->ops))
		return false;
	for (i = 0; i < VSL_STREAMS; i++)
		if (!list_empty(&core->stream[i].redo))
			return true;
	return !list_empty(&core->commit_queue) ||
	       !list_empty(&core->trim_queue) || !list_empty(&core->flush_wait);
}

/*
 * A card that has no room left to go on (P10): better to say so than to let
 * somebody wait for ever.
 */
static void watch_stall(struct vsl_core *core)
{
	core->groom.stuck = stalled(core);
	core->stalled_ticks = core->groom.stuck ? core->stalled_ticks + 1 : 0;
	if (core->stalled_ticks > STALLED_TICKS)
		vsl_health_set(core, VSL_READ_ONLY, VSL_REASON_GROOM_FAILS);
}

void vsl_core_tick(struct vsl_core *core)
{
	core->groom.idle = !core->groom.host_blocks;
	core->groom.host_blocks = 0;
	watch_stall(core);
	vsl_wear_tick(core);
	vsl_scrub_tick(core);
	vsl_progress(core);
}

void vsl_core_kill(struct vsl_core *core)
{
	struct vsl_io *io;

	if (core->gone)
		return;
	core->gone = true;
	list_for_each_entry(io, &core->done, link)
		io->error = -ENODEV;
	vsl_write_abort(core, -ENODEV);
	vsl_read_run(core);
}

bool vsl_core_idle(const struct vsl_core *core)
{
	return !core->ops_out && !core->nr_ios && list_empty(&core->ops) &&
	       list_empty(&core->done);
}

void vsl_core_count_reads(struct vsl_core *core, u64 blocks)
{
	core->counter[VSL_COUNT_HOST_READ] += blocks;
	core->counter[VSL_COUNT_MEDIA_READ] += blocks;
}

u64 vsl_core_capacity_sectors(const struct vsl_core *core)
{
	return (u64)core->geo.lba_blocks * VSL_BLOCK_SECTORS;
}

u32 vsl_core_atomic_blocks(const struct vsl_core *core)
{
	return core->geo.atomic_blocks;
}

enum vsl_health vsl_core_health(const struct vsl_core *core)
{
	return READ_ONCE(core->health);
}
