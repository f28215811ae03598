// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * program.c - packets on their way to the media, and what happens when one
 * does not get there.
 *
 * A sealed packet gets its CRCs and is cut into programs outside the lock, one
 * per parallel unit it touches and where needed more; each unit of a stream has
 * a queue of which one program is under way.  Packets complete in order: the requests of one end
 * only when all before it in the segment are on the media too, so what is
 * acknowledged in a segment is always a prefix of it, and recovery may stop at
 * the first packet that is not whole.
 *
 * When a program fails the segment is given up: nothing more is sent to it,
 * and once all that is under way has ended, the first packet that is not
 * complete and all behind it are written again in the next segment (log.c).
 * Nobody was told that they are there, so nothing was promised.
 *
 * Invariants
 * W1  At most one program per (stream, unit) is under way, and programs of a
 *     unit are started in the order of their blocks.
 * W2  A packet completes after all packets before it in its stream.
 * W3  A slot stays published until its block can be read from the media.
 *
 * Power loss: any subset of the programs under way may be there, torn or not.
 */
#include "parity.h"
#include "place.h"

static void stream_fly(struct vsl_core *core, struct vsl_stream *stream);

u32 vsl_head_crc(const struct vsl_disk_head *head)
{
	static const u8 zero[4];
	const u8 *byte = (const u8 *)head;
	u32 at = offsetof(struct vsl_disk_head, crc), crc;

	crc = vsl_port_crc32c(VSL_CRC_SEED, byte, at);
	crc = vsl_port_crc32c(crc, zero, sizeof(zero));
	return vsl_port_crc32c(crc, byte + at + 4, sizeof(*head) - at - 4);
}

static void head_fill(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_disk_head *head = packet->head;
	u32 unit_bytes = core->geo.unit_bytes;
	u64 stable;

	memset(head, 0, offsetof(struct vsl_disk_head, entry));
	memset(head->entry + packet->nr_entries, 0,
	       sizeof(*head) - offsetof(struct vsl_disk_head, entry) -
	       packet->nr_entries * sizeof(head->entry[0]));
	head->magic = cpu_to_le64(VSL_HEAD_MAGIC);
	head->format = cpu_to_le16(VSL_FORMAT_VERSION);
	head->stream = packet->stream;
	memcpy(head->uuid, core->uuid, sizeof(head->uuid));
	head->epoch = cpu_to_le64(core->epoch);
	head->alloc_no = cpu_to_le64(core->seg[packet->seg].alloc_no);
	head->base_version = cpu_to_le64(packet->base_version);
	head->stable_version = cpu_to_le64(min_t(u64, core->durable_version,
						 core->head_floor));
	stable = core->volatile_cache ? core->stream[packet->stream].stable :
		 vsl_log_stable(core, packet->stream);
	stable = min_t(u64, stable, core->head_floor);
	head->stream_stable = cpu_to_le64(min_t(u64, stable,
						packet->wm_version));
	head->next_alloc_no = cpu_to_le64(core->next_alloc_no);
	head->seg = cpu_to_le32(packet->seg);
	head->index = cpu_to_le32(packet->index);
	head->next_seg = cpu_to_le32(core->next_seg);
	head->erases = cpu_to_le32(core->seg[packet->seg].erases);
	head->nr_entries = cpu_to_le16(packet->nr_entries);
	head->parity = cpu_to_le32(core->geo.parity);
	head->nr_blocks = cpu_to_le16(packet->nr_blocks);
	memcpy(head->units, vsl_seg_units(core, packet->seg), unit_bytes);
	if (core->next_seg != VSL_NONE)
		memcpy(head->next_units, vsl_seg_units(core, core->next_seg),
		       unit_bytes);
}

static void head_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_packet *packet = op->ctx;
	struct vsl_stream *stream = &core->stream[packet->stream];

	stream->flying--;
	stream->laying = false;
	packet->state = VSL_PACKET_SEALED;
	stream_fly(core, stream);
	if (core->geo.parity)
		vsl_stream_lay(core, stream);
}

static void lay_start(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];

	stream->laying = true;
	stream->flying++;
	vsl_op_start(core, &packet->cpu_op, VSL_CPU_HEAD, head_done, packet);
}

/*
 * Lay out the next packet, where they have parity and so come one after the
 * other.  It may have to wait for blocks for it.
 */
void vsl_stream_lay(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;

	if (stream->laying || stream->failing || core->gone)
		return;
	list_for_each_entry(packet, &stream->packets, link) {
		if (packet->state != VSL_PACKET_SEALING)
			continue;
		if (vsl_parity_take(core, packet))
			lay_start(core, packet);
		return;
	}
}

/*
 * Nothing more is collected in @packet: fix its length and start it.  A rest
 * of the segment that could hold no packet becomes its padding.
 */
void vsl_packet_seal(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 ws_min = core->geo.ws_min, len, rest;

	if (!packet->is_summary) {
		len = vsl_round(1 + packet->nr_slots, ws_min);
		rest = stream->limit - stream->index - len;
		if (packet->fill)
			len = packet->fill;
		else if (rest < vsl_round(2, ws_min))
			len += rest;
		packet->nr_blocks = len - 1;
		stream->open = NULL;
		stream->index += len;
		if (stream->index == stream->limit)
			stream->closing = true;
		head_fill(core, packet);
	}
	packet->state = VSL_PACKET_SEALING;
	list_add_tail(&packet->link, &stream->packets);
	if (core->geo.parity)
		vsl_stream_lay(core, stream);
	else
		lay_start(core, packet);
}

/* The memory of block @nr of a packet. */
static void *packet_block(struct vsl_core *core, struct vsl_packet *packet,
			  u32 nr)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 pad = packet->nr_blocks + 1 - core->geo.sum_blocks;

	if (packet->is_summary)
		return nr < pad ? core->zero_block : stream->sum[nr - pad];
	if (!nr)
		return packet->head;
	if (nr <= packet->nr_slots)
		return packet->slot[nr - 1]->buf;
	return core->zero_block;
}

static void unit_start(struct vsl_core *core, struct vsl_stream *stream,
		       u32 unit);

static void packet_end_ios(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_io *io, *tmp;

	list_for_each_entry_safe(io, tmp, &packet->ios, link) {
		list_del(&io->link);
		vsl_write_end(core, io);
	}
}

/* The packet is no longer needed; its slots are free for others. */
void vsl_packet_free(struct vsl_core *core, struct vsl_packet *packet)
{
	u32 i;

	vsl_place_trimmed(core, packet);
	for (i = 0; i < packet->nr_slots; i++)
		vsl_slot_put(core, packet->slot[i]);
	vsl_parity_put(core, packet);
	packet->nr_slots = 0;
	packet->state = VSL_PACKET_FREE;
	list_add_tail(&packet->link, &core->free_packets);
	core->nr_free_packets++;
	core->again = true;
}

/* Blocks of the segment that must be complete behind a block of it before
 * that one is outside the read hole. */
static u32 hole_span(const struct vsl_core *core,
		     const struct vsl_stream *stream)
{
	const struct vsl_geo *geo = &core->geo;

	if (!geo->hole)
		return 0;
	return (DIV_ROUND_UP(geo->hole, geo->chunk) + 1) *
	       vsl_row_blocks(geo, stream->stripe.nr);
}

/* Everything before this index must be complete for @packet to be readable, and
 * to have its parity. */
static u32 release_index(const struct vsl_core *core,
			 const struct vsl_stream *stream,
			 const struct vsl_packet *packet)
{
	u32 end = packet->index + 1 + packet->nr_blocks;

	if (core->geo.parity)
		end = vsl_round(end, vsl_row_blocks(&core->geo,
						    stream->stripe.nr));
	return end + hole_span(core, stream);
}

static void release_retained(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;

	for (;;) {
		packet = list_first_entry_or_null(&stream->retained,
						  struct vsl_packet, link);
		if (!packet || release_index(core, stream, packet) >
			       stream->done_index)
			return;
		list_del(&packet->link);
		vsl_packet_free(core, packet);
	}
}

/*
 * Keep a complete packet until it is outside the read hole, and all of its rows
 * have their parity: until then it could not be made again.  Small ones are
 * put together: what is kept is only needed to be read, or to be written again.
 */
static void retain(struct vsl_core *core, struct vsl_stream *stream,
		   struct vsl_packet *packet)
{
	u32 end = packet->index + 1 + packet->nr_blocks;
	struct vsl_packet *last;
	u32 i;

	for (i = 0; i < packet->nr_slots; i++)
		packet->slot[i]->pending = false;
	last = container_of(stream->retained.prev, struct vsl_packet, link);
	if (list_empty(&stream->retained) ||
	    last->nr_entries + packet->nr_entries > VSL_PACKET_BLOCKS ||
	    last->nr_slots + packet->nr_slots > core->geo.packet_blocks) {
		packet->state = VSL_PACKET_RETAINED;
		list_add_tail(&packet->link, &stream->retained);
		return;
	}
	memcpy(last->head->entry + last->nr_entries, packet->head->entry,
	       packet->nr_entries * sizeof(packet->head->entry[0]));
	memcpy(last->slot + last->nr_slots, packet->slot,
	       packet->nr_slots * sizeof(packet->slot[0]));
	last->nr_entries += packet->nr_entries;
	last->nr_slots += packet->nr_slots;
	last->nr_moved += packet->nr_moved;
	last->host_version = min_t(u64, last->host_version,
				   packet->host_version);
	last->nr_blocks = end - last->index - 1;
	packet->nr_slots = 0;
	vsl_packet_free(core, packet);
}

static void count_written(struct vsl_core *core, struct vsl_packet *packet)
{
	u64 *counter = core->counter;
	u32 pad = packet->nr_blocks - packet->nr_slots;

	counter[VSL_COUNT_MEDIA_PARITY] += packet->nr_parity;
	core->unflushed += packet->nr_blocks + 1;
	if (packet->is_summary) {
		counter[VSL_COUNT_MEDIA_HEAD] += core->geo.sum_blocks;
		counter[VSL_COUNT_MEDIA_PAD] +=
			packet->nr_blocks + 1 - core->geo.sum_blocks;
	} else {
		counter[VSL_COUNT_MEDIA_HEAD]++;
		counter[VSL_COUNT_MEDIA_PAD] += pad;
		counter[VSL_COUNT_MEDIA_MOVED] += packet->nr_moved;
		counter[packet->stream == VSL_STREAM_MAP ?
			VSL_COUNT_MEDIA_MAP : VSL_COUNT_MEDIA_HOST] +=
			packet->nr_slots - packet->nr_moved;
	}
	if (packet->stream != VSL_STREAM_MAP)
		core->tail_blocks += packet->nr_blocks + 1;
}

/* The segment's summary is there: everything in it can be read. */
static void segment_complete(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet, *tmp;
	u32 seg = stream->seg;

	list_for_each_entry_safe(packet, tmp, &stream->retained, link) {
		list_del(&packet->link);
		vsl_packet_free(core, packet);
	}
	core->seg[seg].settled = list_empty(&stream->redo);
	core->seg[seg].end = stream->limit;
	core->seg[seg].rows = vsl_seg_rows(&core->geo);
	vsl_seg_close(core, seg, !stream->sum_full);
	stream->seg = VSL_NONE;
	stream->closing = false;
}

static void packet_complete(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];

	list_del(&packet->link);
	core->again = true;
	count_written(core, packet);
	if (packet->is_summary) {
		packet_end_ios(core, packet);
		vsl_packet_free(core, packet);
		segment_complete(core, stream);
		return;
	}
	stream->done_index = packet->index + 1 + packet->nr_blocks;
	core->seg[packet->seg].end = stream->done_index;
	core->seg[packet->seg].rows = stream->done_index /
				      vsl_row_blocks(&core->geo,
						     stream->stripe.nr);
	vsl_sum_packet(core, stream, packet);
	if (packet->first)
		vsl_seg_announced(core,
				  le64_to_cpu(packet->head->next_alloc_no),
				  le32_to_cpu(packet->head->next_seg));
	packet_end_ios(core, packet);
	vsl_parity_put(core, packet);
	vsl_place_trimmed(core, packet);
	if (core->geo.hole || core->geo.parity) {
		packet->complete = true;
		retain(core, stream, packet);
		release_retained(core, stream);
	} else {
		vsl_packet_free(core, packet);
	}
}

static void complete_in_order(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;

	for (;;) {
		packet = list_first_entry_or_null(&stream->packets,
						  struct vsl_packet, link);
		if (!packet || packet->state != VSL_PACKET_DONE)
			return;
		packet_complete(core, packet);
	}
}

/* A program failed: start nothing more of this stream. */
static void give_up_segment(struct vsl_core *core, struct vsl_stream *stream,
			    struct vsl_op *op)
{
	struct vsl_packet *packet = op->ctx;
	u32 unit;

	packet->failed = true;
	if (op->result == VSL_RES_INVALID)
		vsl_err(core, "program of unit %u erase unit %u block %u was refused",
			op->unit, op->eu, op->off);
	if (op->result != VSL_RES_EU_ENDED && op->result != VSL_RES_GONE) {
		vsl_seg_mark_dead(core, op->eu, op->unit);
		vsl_seg_distrust(core, op->unit);
	}
	stream->failing = true;
	for (unit = 0; unit < core->geo.units; unit++)
		while (!list_empty(&stream->queue[unit].ops))
			list_del_init(stream->queue[unit].ops.next);
}

static void program_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_packet *packet = op->ctx;
	struct vsl_stream *stream = &core->stream[packet->stream];

	if (vsl_op_again(core, op))
		return;
	stream->flying--;
	stream->queue[op->unit].busy = false;
	if (op->result != VSL_RES_OK && op->result != VSL_RES_REFRESH)
		give_up_segment(core, stream, op);
	else if (!--packet->ops_left)
		packet->state = VSL_PACKET_DONE;
	complete_in_order(core, stream);
	if (!stream->failing)
		unit_start(core, stream, op->unit);
	else if (!stream->flying)
		vsl_stream_fail(core, stream);
}

static void unit_start(struct vsl_core *core, struct vsl_stream *stream,
		       u32 unit)
{
	struct vsl_unit_queue *queue = &stream->queue[unit];
	struct vsl_op *op;

	if (queue->busy || list_empty(&queue->ops))
		return;
	op = list_first_entry(&queue->ops, struct vsl_op, link);
	list_del(&op->link);
	queue->busy = true;
	stream->flying++;
	vsl_op_start(core, op, VSL_OP_PROGRAM, program_done, op->ctx);
}

/* The spare record of block @nr of a packet, which goes to @ppa. */
static void block_spare(struct vsl_core *core, struct vsl_packet *packet,
			u32 nr, u32 ppa, void *spare)
{
	const struct vsl_slot *slot;
	void *block = packet_block(core, packet, nr);
	u32 lba = VSL_SPARE_LBA(VSL_ENTRY_PAD), crc = core->zero_crc;

	if (block != core->zero_block && !packet->is_summary && nr) {
		slot = packet->slot[nr - 1];
		lba = slot->kind == VSL_ENTRY_DATA ? slot->lba :
		      VSL_SPARE_LBA(slot->kind);
		crc = slot->crc;
	} else if (block != core->zero_block) {
		lba = VSL_SPARE_LBA(packet->is_summary ? VSL_SPARE_SUMMARY :
							 VSL_SPARE_HEAD);
		crc = vsl_port_crc32c(VSL_CRC_SEED, block, VSL_BLOCK_BYTES);
	}
	vsl_spare_fill(core, spare, lba, crc, ppa);
}

/* Programs for @nr blocks that lie in one erase unit, from @vec on. */
static void lay_ops(struct vsl_core *core, struct vsl_packet *packet, u32 ppa,
		    u32 vec, u32 nr)
{
	u32 part;

	for (; nr; nr -= part, ppa += part, vec += part) {
		struct vsl_op *op = &packet->op[packet->nr_ops++];

		part = min_t(u32, nr, core->geo.max_blocks);
		vsl_op_place(core, op, ppa, part);
		op->vec = packet->vec + vec;
		op->nr_vecs = part;
		op->skip_bytes = 0;
		op->oob = NULL;
		if (core->spare_bytes)
			op->oob = packet->spare + (size_t)vec *
				  core->spare_bytes;
		op->ctx = packet;
	}
}

/* Add a block to what the unit at hand is going to get. */
static void lay_block(struct vsl_core *core, struct vsl_packet *packet, u32 *vec,
		      void *block, const u8 *spare)
{
	packet->vec[*vec].base = block;
	packet->vec[*vec].bytes = VSL_BLOCK_BYTES;
	memcpy(packet->spare + *vec * core->spare_bytes, spare,
	       core->spare_bytes);
	++*vec;
}

/* Records of all blocks, and the parity of the rows that they end. */
static void lay_records(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u8 *record = packet->record;
	u32 i, ppa;

	if (!core->spare_bytes && !core->geo.parity)
		return;
	for (i = 0; i <= packet->nr_blocks; i++, record += core->spare_bytes) {
		ppa = vsl_stripe_ppa(&stream->stripe, &core->geo, packet->seg,
				     packet->index + i);
		if (core->spare_bytes)
			block_spare(core, packet, i, ppa, record);
		if (core->geo.parity)
			vsl_parity_add(core, packet, packet->index + i,
				       packet_block(core, packet, i), record);
	}
}

/*
 * The blocks that the unit at position @at of the stripe gets: its chunks of
 * data, and of parity where the packet ends a row.  Return: how many.
 */
static u32 lay_unit(struct vsl_core *core, struct vsl_packet *packet, u32 at,
		    u32 from)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 chunk = core->geo.chunk, nr = stream->stripe.nr;
	u32 in_row = nr - core->geo.parity, begin = packet->index;
	u32 end = begin + 1 + packet->nr_blocks, bytes = core->spare_bytes;
	u32 first = begin / chunk / in_row, last = (end - 1) / chunk / in_row;
	u32 row, c, i, vec = from;

	for (row = first; row <= last; row++) {
		if (core->geo.parity && row % nr == at) {
			i = (row - first) * chunk;
			for (c = i; c < i + chunk && c < packet->nr_parity; c++)
				lay_block(core, packet, &vec,
					  packet->parity[c],
					  packet->parity_spare + c * bytes);
			continue;
		}
		c = row * in_row + at - (core->geo.parity && at > row % nr);
		for (i = max_t(u32, begin, c * chunk);
		     i < end && i < (c + 1) * chunk; i++)
			lay_block(core, packet, &vec,
				  packet_block(core, packet, i - begin),
				  packet->record + (i - begin) * bytes);
	}
	return vec - from;
}

/* Where the unit at position @at begins with what it gets of a packet. */
static u32 lay_ppa(struct vsl_core *core, struct vsl_packet *packet, u32 at)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 chunk = core->geo.chunk, nr = stream->stripe.nr;
	u32 in_row = nr - core->geo.parity, begin = packet->index;
	u32 row = begin / chunk / in_row, c, off = row * chunk;
	bool parity = core->geo.parity && row % nr == at;

	c = row * in_row + at - (core->geo.parity && at > row % nr);
	if (!parity && c == begin / chunk)
		off += begin % chunk;
	else if (!parity && c < begin / chunk)
		off += chunk;
	return vsl_ppa(&core->geo, packet->seg, stream->stripe.unit[at], off);
}

/*
 * vsl_packet_lay() - cut a packet into programs
 *
 * Its chunks go round the units; those that one unit gets lie behind each other
 * in its erase unit and become one program.
 *
 * Context: lock not held; the packet is being sealed.
 */
void vsl_packet_lay(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 at, nr, vec = 0;

	packet->nr_ops = 0;
	lay_records(core, packet);
	for (at = 0; at < stream->stripe.nr; at++) {
		nr = lay_unit(core, packet, at, vec);
		if (!nr)
			continue;
		lay_ops(core, packet, lay_ppa(core, packet, at), vec, nr);
		vec += nr;
	}
}

static void packet_fly(struct vsl_core *core, struct vsl_packet *packet)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 i;

	packet->state = VSL_PACKET_FLYING;
	packet->ops_left = packet->nr_ops;
	for (i = 0; i < packet->nr_ops; i++)
		list_add_tail(&packet->op[i].link,
			      &stream->queue[packet->op[i].unit].ops);
	for (i = 0; i < packet->nr_ops; i++)
		unit_start(core, stream, packet->op[i].unit);
}

/* Packets fly in the order in which they were sealed. */
static void stream_fly(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;

	if (stream->failing) {
		if (!stream->flying)
			vsl_stream_fail(core, stream);
		return;
	}
	list_for_each_entry(packet, &stream->packets, link) {
		if (packet->state == VSL_PACKET_SEALING)
			return;
		if (packet->state == VSL_PACKET_SEALED)
			packet_fly(core, packet);
	}
}

/*
 * Everything under way has ended: take back what is not complete, in order,
 * and what can only be read from its slots.
 */
void vsl_stream_fail(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet, *tmp;
	u32 seg = stream->seg, unit;

	stream->failing = false;
	if (core->gone)
		return;
	for (unit = 0; unit < core->geo.units; unit++)
		stream->queue[unit].busy = false;
	stream->redo_flush = core->flushes + 1;
	list_splice_tail_init(&stream->packets, &stream->retained);
	list_splice_tail_init(&stream->redo, &stream->retained);
	list_splice_tail_init(&stream->retained, &stream->redo);
	if (stream->open) {
		list_add_tail(&stream->open->link, &stream->redo);
		stream->open = NULL;
	}
	list_for_each_entry_safe(packet, tmp, &stream->redo, link) {
		packet->state = VSL_PACKET_REDO;
		packet->fill = 0;
		vsl_parity_put(core, packet);
		if (packet->is_summary || !packet->nr_entries) {
			list_del(&packet->link);
			packet_end_ios(core, packet);
			vsl_packet_free(core, packet);
		}
	}
	core->seg[seg].suspect = true;
	core->seg[seg].settled = list_empty(&stream->redo);
	vsl_seg_close(core, seg, false);
	stream->seg = VSL_NONE;
	stream->closing = false;
	core->again = true;
}
