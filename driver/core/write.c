// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * write.c - requests that change the disk, and flushes.
 *
 * A write takes slots for all its blocks (write_queue: waits for slots), has
 * the blocks it covers only in part read or copied into them, is filled with
 * the host's data outside the lock, and is committed (commit_queue: waits for
 * room in the log).  It ends with the packet that holds its last commit.
 *
 * Trims are commits without data, 4096 blocks at a time so that the lock is
 * never held for long.  "Write zeroes" is a trim of the whole blocks and a
 * write of the two partial ones.
 *
 * Invariants
 * T1  A request is on exactly one list, or has operations under way.
 * T2  A partial block is committed only if the map still points to where its
 *     other sectors came from; otherwise they are fetched again.
 * T3  A flush ends when everything that was committed by the host before it
 *     began is durable.
 *
 * Power loss: a write of at most geo.atomic_blocks blocks is in one packet.
 */
#include "place.h"

#define TRIM_STEPS	4u	/* commits before the lock is dropped */
#define SPLIT_BLOCKS	8u	/* committed together where all is too much */

static u32 first_block(const struct vsl_io *io)
{
	return io->sector / VSL_BLOCK_SECTORS;
}

/* Block behind the last one that the request touches. */
static u32 end_block(const struct vsl_io *io)
{
	return DIV_ROUND_UP(io->sector + io->nr_sectors, VSL_BLOCK_SECTORS);
}

/* Whole blocks of the request: [*first, *end), maybe none. */
static void whole_blocks(const struct vsl_io *io, u32 *first, u32 *end)
{
	*first = DIV_ROUND_UP(io->sector, VSL_BLOCK_SECTORS);
	*end = (io->sector + io->nr_sectors) / VSL_BLOCK_SECTORS;
	*end = max_t(u32, *first, *end);
}

/* Does block @lba get slot and data from this request? */
static bool wants_slot(const struct vsl_io *io, u32 lba)
{
	u32 skip, from;

	return io->kind == VSL_IO_WRITE ||
	       vsl_io_span(io, lba, &skip, &from) < VSL_BLOCK_BYTES;
}

static u32 count_slots(const struct vsl_io *io)
{
	u32 lba, nr = 0;

	if (io->kind == VSL_IO_WRITE)
		return end_block(io) - first_block(io);
	lba = first_block(io);
	nr += wants_slot(io, lba);
	if (end_block(io) - 1 > lba)
		nr += wants_slot(io, end_block(io) - 1);
	return nr;
}

void vsl_write_start(struct vsl_core *core, struct vsl_io *io)
{
	u32 first, end;

	io->point = VSL_STREAMS;
	io->version = VSL_NO_VERSION;
	if (!vsl_writable(core)) {
		vsl_io_end(core, io, -EROFS);
		return;
	}
	if (!io->nr_sectors) {
		vsl_io_end(core, io, 0);
		return;
	}
	if (io->kind == VSL_IO_WRITE) {
		list_add_tail(&io->link, &core->write_queue);
		return;
	}
	whole_blocks(io, &first, &end);
	io->cursor = first;
	list_add_tail(&io->link, &core->trim_queue);
}

static void put_slots(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_slot *slot;

	while (io->slots) {
		slot = io->slots;
		io->slots = slot->next;
		vsl_slot_put(core, slot);
	}
}

static void write_fail(struct vsl_core *core, struct vsl_io *io, int error)
{
	put_slots(core, io);
	vsl_io_end(core, io, error);
}

/* The request's data is in its slots. */
static void fill_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_io *io = op->ctx;

	if (core->gone)
		write_fail(core, io, -ENODEV);
	else
		list_add_tail(&io->link, &core->commit_queue);
}

/* Copy the host's data over what is in the slots.  Context: lock not held. */
void vsl_write_fill(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_slot *slot;
	u32 bytes, skip, from;

	(void)core;
	for (slot = io->slots; slot; slot = slot->next) {
		bytes = vsl_io_span(io, slot->lba, &skip, &from);
		if (io->kind == VSL_IO_WRITE)
			vsl_vec_copy(io->vec, io->nr_vecs, skip,
				     (u8 *)slot->buf + from, bytes, false);
		else
			memset((u8 *)slot->buf + from, 0, bytes);
		slot->crc = vsl_port_crc32c(VSL_CRC_SEED, slot->buf,
					    VSL_BLOCK_BYTES);
	}
}

/* One part of the preparation of @io is done. */
static void prepared(struct vsl_core *core, struct vsl_io *io)
{
	if (--io->pending)
		return;
	if (core->gone || io->error)
		write_fail(core, io, core->gone ? -ENODEV : io->error);
	else
		vsl_op_start(core, &io->cpu_op, VSL_CPU_FILL, fill_done, io);
}

static void partial_read_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;
	struct vsl_io *io = slot->ctx;

	if (vsl_result_error(op->result))
		vsl_slot_tell(core, slot);
	if (vsl_result_error(op->result) && !io->error)
		io->error = vsl_result_error(op->result);
	vsl_slot_release(core, slot);
	prepared(core, io);
}

/* Get the sectors of a partial block that the request does not write. */
static void fetch_partial(struct vsl_core *core, struct vsl_io *io,
			  struct vsl_slot *slot)
{
	u32 ppa = vsl_map_get(core, slot->lba);
	struct vsl_slot *source;

	slot->seen = ppa;
	if (ppa == VSL_PPA_NONE) {
		memset(slot->buf, 0, VSL_BLOCK_BYTES);
		return;
	}
	if (ppa == VSL_PPA_LOST) {
		io->error = -EIO;
		return;
	}
	slot->seen_alloc_no = core->seg[vsl_ppa_seg(&core->geo, ppa)].alloc_no;
	source = vsl_slot_find(core, ppa);
	if (source) {
		memcpy(slot->buf, source->buf, VSL_BLOCK_BYTES);
		return;
	}
	io->pending++;
	slot->ctx = io;
	vsl_slot_read(core, slot, ppa, partial_read_done);
}

static void fetch_partials(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_slot *slot;

	io->pending = 1;
	io->version = VSL_NO_VERSION;
	for (slot = io->slots; slot; slot = slot->next)
		if (slot->partial)
			fetch_partial(core, io, slot);
	prepared(core, io);
}

static void take_slots(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_slot **tail = &io->slots;
	u32 lba = first_block(io), end = end_block(io), skip, from;

	while (lba < end) {
		if (wants_slot(io, lba)) {
			struct vsl_slot *slot = vsl_slot_get(core, false);

			slot->lba = lba;
			slot->partial = vsl_io_span(io, lba, &skip, &from) <
					VSL_BLOCK_BYTES;
			*tail = slot;
			tail = &slot->next;
		}
		/* only the ends of a range of zeros are written */
		lba = io->kind == VSL_IO_WRITE ? lba + 1 :
		      lba == end - 1 ? end : end - 1;
	}
}

/* Is what was fetched still what the map points to, and not something else
 * that came to the same place since? */
static bool partials_current(const struct vsl_core *core,
			     const struct vsl_io *io)
{
	const struct vsl_slot *slot;

	for (slot = io->slots; slot; slot = slot->next) {
		if (!slot->partial)
			continue;
		if (vsl_map_get(core, slot->lba) != slot->seen)
			return false;
		if (vsl_ppa_is_block(slot->seen) && slot->seen_alloc_no !=
		    core->seg[vsl_ppa_seg(&core->geo, slot->seen)].alloc_no)
			return false;
	}
	return true;
}

static void count_host(struct vsl_core *core, u32 blocks)
{
	core->counter[VSL_COUNT_HOST_WRITE] += blocks;
	core->groom.host_blocks += blocks;
	vsl_groom_earn(core, blocks);
	vsl_check_earn(core, blocks);
}

/*
 * Let @io end with the newest packet of the append point it went to that the host has
 * a part of.  One that only the groomer collects in may stay open for as long as nobody
 * writes.
 */
static void end_with_log(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_stream *stream = &core->stream[io->point];
	struct vsl_packet *packet;

	if (io->point == VSL_STREAMS) {
		vsl_write_end(core, io);
		return;
	}
	packet = stream->open;
	if (packet && packet->host_version == VSL_NO_VERSION)
		packet = NULL;
	if (!packet && !list_empty(&stream->redo))
		packet = container_of(stream->redo.prev, struct vsl_packet,
				      link);
	if (!packet && !list_empty(&stream->packets))
		packet = container_of(stream->packets.prev, struct vsl_packet,
				      link);
	if (packet)
		list_add_tail(&io->link, &packet->ios);
	else
		vsl_write_end(core, io);
}

/* Commit as many of the request's blocks as there is room for. */
static bool commit_some(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_slot *slot;
	struct vsl_packet *packet;
	u32 nr = 0, i;
	u8 point;

	for (slot = io->slots; slot; slot = slot->next)
		nr++;
	if (io->split || nr > core->geo.atomic_blocks) {
		io->split = true;
		nr = min_t(u32, nr, SPLIT_BLOCKS);
		nr = min_t(u32, nr, core->geo.packet_blocks);
	}
	point = vsl_place_write(core, io, nr);
	if (point == VSL_STREAMS)
		return false;
	packet = vsl_log_room(core, point, VSL_BY_HOST, nr, nr);
	if (!packet)
		return false;
	io->point = point;
	for (i = 0; i < nr; i++) {
		slot = io->slots;
		io->slots = slot->next;
		vsl_life_note(core, packet->seg,
			      vsl_life_written(core, slot->lba));
		vsl_log_add(core, packet, VSL_ENTRY_DATA, slot->lba, slot->crc,
			    slot);
	}
	count_host(core, nr);
	return true;
}

static void run_commits(struct vsl_core *core)
{
	struct vsl_io *io;

	if (core->trim_waits)
		return;
	for (;;) {
		io = list_first_entry_or_null(&core->commit_queue,
					      struct vsl_io, link);
		if (!io)
			return;
		if (!partials_current(core, io)) {
			list_del(&io->link);
			fetch_partials(core, io);
			continue;
		}
		while (io->slots)
			if (!commit_some(core, io))
				return;
		list_del(&io->link);
		end_with_log(core, io);
	}
}

static bool range_mapped(const struct vsl_core *core, u32 lba, u32 nr)
{
	for (; nr; nr--, lba++)
		if (vsl_map_get(core, lba) != VSL_PPA_NONE)
			return true;
	return false;
}

static void yield_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_io *io = op->ctx;

	if (core->gone)
		write_fail(core, io, -ENODEV);
	else
		list_add(&io->link, &core->trim_queue);
}

/* Trim on.  Return: false: it waits, or has given up the lock. */
static bool trim_some(struct vsl_core *core, struct vsl_io *io)
{
	struct vsl_packet *packet;
	u32 first, end, nr, steps;
	u8 point;

	whole_blocks(io, &first, &end);
	for (steps = 0; io->cursor < end; steps++) {
		if (steps == TRIM_STEPS) {
			list_del(&io->link);
			vsl_op_start(core, &io->cpu_op, VSL_CPU_YIELD,
				     yield_done, io);
			return false;
		}
		nr = min_t(u64, VSL_TRIM_BLOCKS, end - io->cursor);
		if (range_mapped(core, io->cursor, nr)) {
			point = vsl_place_trim(core);
			if (point == VSL_STREAMS)
				return false;
			packet = vsl_log_room(core, point, VSL_BY_HOST, 0, 1);
			if (!packet)
				return false;
			io->point = point;
			vsl_log_add(core, packet, VSL_ENTRY_TRIM, io->cursor,
				    nr, NULL);
		}
		core->counter[VSL_COUNT_HOST_TRIM] += nr;
		io->cursor += nr;
	}
	return true;
}

static void run_trims(struct vsl_core *core)
{
	struct vsl_io *io;

	core->trim_waits = false;
	for (;;) {
		io = list_first_entry_or_null(&core->trim_queue, struct vsl_io,
					      link);
		if (!io || !trim_some(core, io))
			return;
		list_del(&io->link);
		if (io->point == VSL_STREAMS && core->nr_trims)
			io->point = core->trim_point;
		if (io->kind == VSL_IO_ZERO && count_slots(io))
			list_add_tail(&io->link, &core->write_queue);
		else
			end_with_log(core, io);
	}
}

static void fail_list(struct vsl_core *core, struct list_head *list, int error)
{
	struct vsl_io *io, *tmp;

	list_for_each_entry_safe(io, tmp, list, link) {
		list_del(&io->link);
		write_fail(core, io, error);
	}
}

/* Nothing can be written any more: whoever waits to write is told. */
static void refuse_writes(struct vsl_core *core)
{
	struct vsl_packet *packet;
	bool redo = false;
	u32 i;

	fail_list(core, &core->write_queue, -EROFS);
	fail_list(core, &core->commit_queue, -EROFS);
	fail_list(core, &core->trim_queue, -EROFS);
	for (i = 0; i < VSL_STREAM_MAP; i++)
		list_for_each_entry(packet, &core->stream[i].redo, link) {
			fail_list(core, &packet->ios, -EIO);
			redo |= packet->host_version != VSL_NO_VERSION;
		}
	if (redo)
		fail_list(core, &core->flush_wait, -EIO);
}

void vsl_write_run(struct vsl_core *core)
{
	struct vsl_io *io;

	if (core->gone)
		return;
	if (!vsl_writable(core)) {
		refuse_writes(core);
		return;
	}
	run_commits(core);
	run_trims(core);
	for (;;) {
		io = list_first_entry_or_null(&core->write_queue,
					      struct vsl_io, link);
		if (!io)
			return;
		if (core->nr_free_slots < core->slots_inner + count_slots(io)) {
			vsl_log_push_idle(core);
			return;
		}
		list_del(&io->link);
		take_slots(core, io);
		fetch_partials(core, io);
	}
}

/* All commits of @io are programmed. */
void vsl_write_end(struct vsl_core *core, struct vsl_io *io)
{
	if (core->volatile_cache && (io->flags & VSL_IO_FUA || core->strict))
		list_add_tail(&io->link, &core->flush_next);
	else
		vsl_io_end(core, io, 0);
}

void vsl_flush_start(struct vsl_core *core, struct vsl_io *io)
{
	io->version = core->next_version;
	list_add_tail(&io->link, &core->flush_wait);
}

static void flush_done(struct vsl_core *core, struct vsl_op *op)
{
	int error;
	u32 i;

	if (vsl_op_again(core, op))
		return;
	core->flushing = false;
	error = vsl_result_error(op->result);
	if (!error)
		core->flushes_ended = core->flushes;
	for (i = 0; i < VSL_STREAMS && !error; i++)
		core->stream[i].stable = core->stream[i].flush_stable;
	fail_list(core, &core->flush_now, error);
	if (error && !core->gone) {
		vsl_health_set(core, VSL_READ_ONLY, VSL_REASON_INTERNAL);
	} else if (!error && core->flush_version > core->durable_version) {
		core->durable_version = core->flush_version;
		core->durable_wanted = false;
	}
	core->again = true;
}

static void card_flush(struct vsl_core *core, u64 complete)
{
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++)
		core->stream[i].flush_stable = vsl_log_stable(core, i);
	core->flushing = true;
	core->flush_wanted = false;
	core->unflushed = 0;
	core->flushes++;
	core->flush_version = min_t(u64, complete, core->recovery_floor);
	list_splice_tail_init(&core->flush_next, &core->flush_now);
	core->flush_op.unit = 0;
	core->flush_op.eu = 0;
	core->flush_op.off = 0;
	core->flush_op.nr = 0;
	vsl_op_start(core, &core->flush_op, VSL_OP_FLUSH, flush_done, NULL);
}

/* Is there something that would be durable after a flush of the card? */
static bool flush_helps(const struct vsl_core *core, u64 complete)
{
	if (!list_empty(&core->flush_next) || core->flush_wanted)
		return true;
	/* After one that failed nothing that waits for it can go on. */
	return vsl_writable(core) &&
	       (core->durable_wanted || core->waits_durable) &&
	       min_t(u64, complete, core->recovery_floor) >
	       core->durable_version;
}

/* Flushes whose commits are programmed go on; what is durable is noted. */
void vsl_flush_run(struct vsl_core *core)
{
	struct vsl_io *io, *tmp;
	u64 complete, host, durable;

	if (core->gone)
		return;
	host = vsl_log_complete_version(core, true);
	list_for_each_entry_safe(io, tmp, &core->flush_wait, link) {
		if (io->version > host) {
			vsl_log_push_host(core);
			break;
		}
		list_del(&io->link);
		if (core->volatile_cache)
			list_add_tail(&io->link, &core->flush_next);
		else
			vsl_io_end(core, io, 0);
	}
	if (host >= core->hold_until)
		core->hold_version = VSL_NO_VERSION;
	complete = vsl_log_complete_version(core, false);
	if (core->durable_wanted)
		vsl_log_push_all(core);
	else if (core->waits_durable)
		vsl_groom_push(core);
	if (core->volatile_cache) {
		/* Attach has to read whatever may be lost. */
		core->flush_wanted |= core->unflushed >= VSL_DOUBT_BLOCKS;
		if (!core->flushing && flush_helps(core, complete))
			card_flush(core, complete);
		return;
	}
	durable = min_t(u64, complete, core->recovery_floor);
	if (durable > core->durable_version) {
		core->durable_version = durable;
		core->durable_wanted = false;
		core->again = true;
	}
}

/* The card is gone: end every request that no operation holds. */
void vsl_write_abort(struct vsl_core *core, int error)
{
	u32 i;

	fail_list(core, &core->write_queue, error);
	fail_list(core, &core->commit_queue, error);
	fail_list(core, &core->trim_queue, error);
	fail_list(core, &core->flush_wait, error);
	fail_list(core, &core->flush_next, error);
	for (i = 0; core->packet && i < core->nr_packets; i++)
		fail_list(core, &core->packet[i].ios, error);
}
