// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * log.c - append points: where commits get their place and their version.
 *
 * A commit is one entry of a packet: a block written by the host, moved by the
 * groomer, a page of the map, a trim.  It gets the next version, a ppa, and is
 * in the map at once; its data waits in a published slot until the packet is
 * programmed.  All this happens at one moment under the lock, so the order of
 * versions is the order in which the map changed, across all append points;
 * recovery applies commits in that order and needs to know no more.  (So a
 * moved block gets a new version too: the groomer commits it only while the
 * map still points to where it was read.)
 *
 * Each append point (stream) fills one segment at a time, packet after packet.
 * The open packet collects commits and is sealed when it is full, when
 * somebody waits for it, or - if the host has something in it - when nothing else
 * of the stream is under way, or little is and it holds a good number: one writer
 * alone gets his packet at once, many share one.
 *
 * Invariants
 * O1  Versions rise from packet to packet of a stream, in the order in which
 *     they lie in its segments, also after packets were written again.
 * O2  The commits of one call of vsl_log_room() go to one packet: they are
 *     there after a crash whole or not at all.
 * O3  A stream opens a segment only after the one before is complete: all its
 *     packets are, or were taken back for redo.
 * O4  Nothing new is committed to a stream while it has packets to redo.
 *
 * Power loss: a packet counts if all its blocks are there (recover.c).
 */
#include "parity.h"

#define HOST_FLYING	4u	/* host packets under way before it collects */
#define HOST_BATCH	32u	/* blocks worth a packet while others fly */

/*
 * Packets that append points keep inside the read hole or the last row: two neighbours that
 * were not put together are more than a full one.
 */
static u32 hole_packets(const struct vsl_geo *geo)
{
	u32 span = geo->units * (vsl_round(geo->hole, geo->chunk) + geo->chunk);

	if (!geo->hole && !geo->parity)
		return 0;
	return (geo->points + 1) * (2 * DIV_ROUND_UP(span, geo->packet_blocks) + 2);
}

static int packet_alloc(struct vsl_core *core, struct vsl_packet *packet)
{
	u32 more = vsl_parity_most(&core->geo), ops;
	u32 blocks = 1 + VSL_PACKET_BLOCKS + 2 * core->geo.ws_min +
		     core->geo.sum_blocks + more;

	ops = min_t(u32, core->geo.units, blocks) +
	      blocks / core->geo.max_blocks + 1;
	packet->head = vsl_port_block_alloc();
	packet->slot = vsl_zalloc(core, VSL_PACKET_BLOCKS,
				  sizeof(*packet->slot));
	packet->vec = vsl_zalloc(core, blocks, sizeof(*packet->vec));
	packet->spare = vsl_zalloc(core, blocks, core->spare_bytes);
	packet->record = vsl_zalloc(core, blocks, core->spare_bytes);
	packet->parity = vsl_zalloc(core, more, sizeof(void *));
	packet->parity_spare = vsl_zalloc(core, more, core->spare_bytes);
	packet->op = vsl_zalloc(core, ops, sizeof(*packet->op));
	INIT_LIST_HEAD(&packet->ios);
	if (!packet->head || !packet->slot || !packet->vec || !packet->spare ||
	    !packet->record || !packet->parity || !packet->parity_spare ||
	    !packet->op)
		return -ENOMEM;
	core->ram_bytes += VSL_BLOCK_BYTES;
	list_add_tail(&packet->link, &core->free_packets);
	core->nr_free_packets++;
	return 0;
}

static int stream_alloc(struct vsl_core *core, struct vsl_stream *stream)
{
	u32 i;

	stream->seg = VSL_NONE;
	stream->queue = vsl_zalloc(core, core->geo.units,
				   sizeof(*stream->queue));
	stream->sum = vsl_zalloc(core, core->geo.sum_blocks,
				 sizeof(*stream->sum));
	if (!stream->queue || !stream->sum)
		return -ENOMEM;
	for (i = 0; i < core->geo.units; i++)
		INIT_LIST_HEAD(&stream->queue[i].ops);
	for (i = 0; i < core->geo.sum_blocks; i++) {
		stream->sum[i] = vsl_port_block_alloc();
		if (!stream->sum[i])
			return -ENOMEM;
		core->ram_bytes += VSL_BLOCK_BYTES;
	}
	return 0;
}

int vsl_log_alloc(struct vsl_core *core)
{
	u32 i;

	core->nr_packets = VSL_PACKETS + hole_packets(&core->geo);
	core->packet = vsl_zalloc(core, core->nr_packets,
				  sizeof(*core->packet));
	if (!core->packet)
		return -ENOMEM;
	for (i = 0; i < core->nr_packets; i++)
		if (packet_alloc(core, &core->packet[i]))
			return -ENOMEM;
	for (i = 0; i < VSL_STREAMS; i++)
		if (stream_alloc(core, &core->stream[i]))
			return -ENOMEM;
	return 0;
}

void vsl_log_free(struct vsl_core *core)
{
	u32 i, k;

	for (i = 0; core->packet && i < core->nr_packets; i++) {
		vsl_port_block_free(core->packet[i].head);
		vsl_port_free(core->packet[i].slot);
		vsl_port_free(core->packet[i].vec);
		vsl_port_free(core->packet[i].spare);
		vsl_port_free(core->packet[i].record);
		vsl_port_free(core->packet[i].parity);
		vsl_port_free(core->packet[i].parity_spare);
		vsl_port_free(core->packet[i].op);
	}
	vsl_port_free(core->packet);
	for (i = 0; i < VSL_STREAMS; i++) {
		struct vsl_stream *stream = &core->stream[i];

		for (k = 0; stream->sum && k < core->geo.sum_blocks; k++)
			vsl_port_block_free(stream->sum[k]);
		vsl_port_free(stream->sum);
		vsl_port_free(stream->queue);
	}
}

/* A free packet; the host leaves some to the others. */
struct vsl_packet *vsl_packet_get(struct vsl_core *core, u8 stream, u8 by)
{
	struct vsl_packet *packet;
	u32 leave = by == VSL_BY_HOST ? VSL_PACKETS_INNER : 0;

	if (core->nr_free_packets <= leave)
		return NULL;
	packet = list_first_entry(&core->free_packets, struct vsl_packet, link);
	list_del_init(&packet->link);
	core->nr_free_packets--;
	packet->state = VSL_PACKET_OPEN;
	packet->stream = stream;
	packet->is_summary = false;
	packet->failed = false;
	packet->complete = false;
	packet->first = false;
	packet->trims = false;
	packet->nr_entries = 0;
	packet->nr_slots = 0;
	packet->nr_moved = 0;
	packet->nr_blocks = 0;
	packet->fill = 0;
	packet->base_version = core->next_version;
	packet->last_version = core->next_version;
	packet->wm_version = VSL_NO_VERSION;
	packet->host_version = VSL_NO_VERSION;
	return packet;
}

/* Give @stream the announced segment. */
static bool stream_open(struct vsl_core *core, struct vsl_stream *stream, u8 by)
{
	if (!vsl_seg_may_open(core, stream->id, by))
		return false;
	stream->reserved = by == VSL_BY_GROOMER &&
			   core->nr_free <= core->levels.host;
	stream->has_host = false;
	stream->seg = vsl_seg_open(core, stream->id);
	vsl_stripe_init(&stream->stripe, &core->geo,
			vsl_seg_units(core, stream->seg));
	stream->index = 0;
	stream->done_index = 0;
	stream->limit = vsl_seg_limit(&core->geo, stream->stripe.nr);
	vsl_sum_start(core, stream);
	return true;
}

static bool packet_fits(const struct vsl_core *core,
			const struct vsl_stream *stream,
			const struct vsl_packet *packet, u32 blocks, u32 entries)
{
	return packet->nr_slots + blocks <= core->geo.packet_blocks &&
	       packet->nr_entries + entries <= VSL_PACKET_BLOCKS &&
	       vsl_round(1 + packet->nr_slots + blocks, core->geo.ws_min) <=
	       stream->limit - stream->index &&
	       core->next_version + entries - packet->base_version <
	       VSL_DELTA_MAX;
}

/* Open a packet at the end of @stream's segment. */
static bool packet_open(struct vsl_core *core, struct vsl_stream *stream, u8 by)
{
	struct vsl_packet *packet = vsl_packet_get(core, stream->id, by);

	if (!packet)
		return false;
	packet->seg = stream->seg;
	packet->index = stream->index;
	packet->first = stream->index == 0;
	stream->open = packet;
	return true;
}

/* What the groomer opened out of its reserve is not for the host. */
static bool not_for_host(const struct vsl_core *core,
			 const struct vsl_stream *stream)
{
	return stream->seg != VSL_NONE && stream->reserved &&
	       core->nr_free <= core->levels.host;
}

/**
 * vsl_log_room() - find an open packet for commits that belong together
 * @core: the core
 * @id: append point
 * @by: enum vsl_by: whose they are
 * @blocks: how many data blocks, at most geo.packet_blocks
 * @entries: how many commits
 *
 * Context: lock held.
 * Return: the packet; NULL: not now (core->again will be set when it is worth
 * another try).
 */
struct vsl_packet *vsl_log_room(struct vsl_core *core, u8 id, u8 by,
				u32 blocks, u32 entries)
{
	struct vsl_stream *stream = &core->stream[id];

	if (by == VSL_BY_HOST && core->online && not_for_host(core, stream))
		return NULL;
	for (;;) {
		if (core->gone || !list_empty(&stream->redo) ||
		    stream->failing || stream->closing)
			return NULL;
		if (stream->seg == VSL_NONE && !stream_open(core, stream, by))
			return NULL;
		if (!stream->open && !packet_open(core, stream, by))
			return NULL;
		if (packet_fits(core, stream, stream->open, blocks, entries)) {
			stream->open->by = by;
			return stream->open;
		}
		if (stream->open->nr_entries) {
			vsl_packet_seal(core, stream->open);
			continue;
		}
		/* too little is left of the segment: its summary pads it */
		vsl_packet_free(core, stream->open);
		stream->open = NULL;
		stream->closing = true;
	}
}

static void apply(struct vsl_core *core, u8 kind, u32 lba, u32 arg, u32 ppa)
{
	u32 i;

	switch (kind) {
	case VSL_ENTRY_DATA:
		vsl_map_set(core, lba, ppa);
		break;
	case VSL_ENTRY_TRIM:
		for (i = 0; i < arg; i++)
			vsl_map_set(core, lba + i, VSL_PPA_NONE);
		break;
	case VSL_ENTRY_LOST:
		vsl_map_set(core, lba, VSL_PPA_LOST);
		break;
	default:
		vsl_ref_set(core, vsl_ref_of(core, kind, lba), ppa, arg);
		break;
	}
}

/* A commit of the host is about to be added to @packet. */
static void host_commits(struct vsl_core *core, struct vsl_packet *packet,
			 u8 kind, struct vsl_slot *slot)
{
	struct vsl_stream *stream = &core->stream[packet->stream];

	packet->host_version = min_t(u64, packet->host_version,
				     core->next_version);
	if (slot)
		slot->pending = true;
	if (!stream->has_host)
		core->groom.futile = 0;
	stream->has_host = true;
	if (kind != VSL_ENTRY_TRIM || packet->trims)
		return;
	packet->trims = true;
	core->trim_point = packet->stream;
	core->nr_trims++;
}

/**
 * vsl_log_add() - commit one entry
 * @core: the core
 * @packet: from vsl_log_room() a moment ago
 * @kind: enum vsl_entry_kind
 * @lba: block or page
 * @arg: CRC or count
 * @slot: the data, where this kind has some; the packet's from now on
 *
 * Context: lock held.
 * Return: the block's ppa, or VSL_PPA_NONE.
 */
u32 vsl_log_add(struct vsl_core *core, struct vsl_packet *packet, u8 kind,
		u32 lba, u32 arg, struct vsl_slot *slot)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	struct vsl_disk_entry *entry;
	u32 ppa = VSL_PPA_NONE;
	u64 version;

	if (packet->by == VSL_BY_HOST)
		host_commits(core, packet, kind, slot);
	if (slot && packet->by == VSL_BY_GROOMER) {
		slot->moved = true;
		packet->nr_moved++;
	}
	version = core->next_version++;
	if (!packet->nr_entries) {
		packet->base_version = version;
		packet->wm_version = version;
	}
	packet->last_version = version;
	entry = &packet->head->entry[packet->nr_entries++];
	entry->lba = cpu_to_le32(lba);
	entry->arg = cpu_to_le32(arg);
	entry->kind_delta = cpu_to_le32((u32)kind << VSL_ENTRY_SHIFT |
					(u32)(version - packet->base_version));
	if (slot) {
		ppa = vsl_stripe_ppa(&stream->stripe, &core->geo, stream->seg,
				     packet->index + 1 + packet->nr_slots);
		packet->slot[packet->nr_slots++] = slot;
		slot->kind = kind;
		slot->lba = lba;
		vsl_slot_publish(core, slot, ppa);
	}
	core->seg[stream->seg].last_version = version;
	apply(core, kind, lba, arg, ppa);
	return ppa;
}

/* Somebody waits for what @id has collected. */
void vsl_log_push(struct vsl_core *core, u8 id)
{
	struct vsl_packet *open = core->stream[id].open;

	if (open && open->nr_entries)
		vsl_packet_seal(core, open);
}

void vsl_log_push_all(struct vsl_core *core)
{
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++)
		vsl_log_push(core, i);
}

/* The same where nothing else is under way. */
void vsl_log_push_idle(struct vsl_core *core)
{
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++)
		if (list_empty(&core->stream[i].packets))
			vsl_log_push(core, i);
}

/* The same for what the host waits for, wherever it is. */
void vsl_log_push_host(struct vsl_core *core)
{
	struct vsl_packet *open;
	u32 i;

	for (i = 0; i < VSL_STREAM_MAP; i++) {
		open = core->stream[i].open;
		if (open && open->host_version != VSL_NO_VERSION)
			vsl_packet_seal(core, open);
	}
}

static u32 count_flying(const struct vsl_stream *stream)
{
	const struct vsl_packet *packet;
	u32 nr = 0;

	list_for_each_entry(packet, &stream->packets, link)
		nr++;
	return nr;
}

/* Is it time for a packet that the host waits for? */
static bool host_goes(const struct vsl_stream *stream,
		      const struct vsl_packet *open)
{
	return open->host_version != VSL_NO_VERSION &&
	       (list_empty(&stream->packets) ||
		(open->nr_slots >= HOST_BATCH &&
		 count_flying(stream) < HOST_FLYING));
}

/* Seal what is worth it; go on with what failed and with what is full. */
void vsl_log_kick(struct vsl_core *core)
{
	u32 i;

	if (core->gone)
		return;
	for (i = 0; i < VSL_STREAMS; i++) {
		struct vsl_stream *stream = &core->stream[i];
		struct vsl_packet *open;

		if (!list_empty(&stream->redo) && !stream->failing)
			vsl_log_redo(core, stream);
		if (core->geo.parity)
			vsl_stream_lay(core, stream);
		open = stream->open;
		if (open && open->nr_entries &&
		    (!packet_fits(core, stream, open, 1, 1) ||
		     host_goes(stream, open)))
			vsl_packet_seal(core, open);
		if (stream->closing)
			vsl_sum_finish(core, stream);
	}
}

/*
 * A block that the groomer moved, and the host has written since, is not
 * written again: under its new version it would win over the host's.  Until
 * the host's is complete, what it was moved from must stay.
 */
static void hold_watermark(struct vsl_core *core,
			   const struct vsl_packet *packet)
{
	core->hold_version = min_t(u64, core->hold_version,
				   packet->wm_version);
	core->hold_until = core->next_version;
}

/*
 * Give one entry of a packet to be written again its new place.  What the host
 * has written once more since is kept: the newer one is in a later packet of
 * this stream, and may not get there.  But not if this one was complete: it is
 * on the media under its old version, and so may be the newer one.
 */
static void redo_entry(struct vsl_core *core, struct vsl_packet *packet,
		       u32 nr, u32 *data)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	struct vsl_disk_entry *entry = &packet->head->entry[nr];
	u32 kind = le32_to_cpu(entry->kind_delta) >> VSL_ENTRY_SHIFT;
	u32 lba = le32_to_cpu(entry->lba);
	u64 version = core->next_version++;
	struct vsl_slot *slot = NULL;
	u32 old, ppa, now;

	if (kind == VSL_ENTRY_LOST && vsl_map_get(core, lba) != VSL_PPA_LOST) {
		kind = VSL_ENTRY_NONE;
		hold_watermark(core, packet);
	}
	/* On the media under its old version it is in the right order to what
	 * was written since and is left there, too. */
	if (kind == VSL_ENTRY_TRIM && packet->complete) {
		kind = VSL_ENTRY_NONE;
		hold_watermark(core, packet);
	}
	if (kind != VSL_ENTRY_TRIM && kind != VSL_ENTRY_LOST &&
	    kind != VSL_ENTRY_NONE)
		slot = packet->slot[*data];
	if (slot) {
		ppa = vsl_stripe_ppa(&stream->stripe, &core->geo, stream->seg,
				     packet->index + 1 + *data);
		(*data)++;
		old = slot->ppa;
		vsl_slot_unpublish(core, slot);
		now = VSL_PPA_NONE;
		if (kind == VSL_ENTRY_DATA)
			now = vsl_map_get(core, lba);
		else if (kind != VSL_ENTRY_PAD)
			now = vsl_ref_of(core, kind, lba)->ppa;
		if (now == old && kind != VSL_ENTRY_PAD) {
			vsl_slot_publish(core, slot, ppa);
			apply(core, kind, lba, le32_to_cpu(entry->arg), ppa);
			slot->pending = kind == VSL_ENTRY_DATA && !slot->moved;
			if (kind != VSL_ENTRY_DATA)
				core->check.restart = true;
		} else if (slot->moved || kind != VSL_ENTRY_DATA ||
			   packet->complete) {
			kind = VSL_ENTRY_PAD;
			hold_watermark(core, packet);
		}
	}
	entry->kind_delta = cpu_to_le32(kind << VSL_ENTRY_SHIFT |
					(u32)(version - packet->base_version));
}

/* All packets are in their new places: the failed segments' blocks that the
 * map still refers to are on the media. */
static void redo_finished(struct vsl_core *core, struct vsl_stream *stream)
{
	u32 seg;

	for (seg = 0; seg < core->geo.segments; seg++)
		if (core->seg[seg].state == VSL_SEG_CLOSED &&
		    core->seg[seg].stream == stream->id)
			core->seg[seg].settled = true;
	core->again = true;
}

/*
 * Packets that were complete are whole where they are, and what comes after them
 * goes elsewhere: on a volatile card a flush must have made them durable first.
 * Else a power loss could leave what was put on top of them (the rest of a block
 * that was written in part, what is left of a packet that was replaced in part)
 * and not them.
 */
static bool redo_waits(struct vsl_core *core, struct vsl_stream *stream)
{
	if (!core->volatile_cache || core->flushes_ended >= stream->redo_flush)
		return false;
	core->flush_wanted |= core->flushes < stream->redo_flush;
	return true;
}

/*
 * Write the packets of a failed segment again, in order, in the next one.
 * Their commits get new versions, in the old order.
 */
void vsl_log_redo(struct vsl_core *core, struct vsl_stream *stream)
{
	struct vsl_packet *packet;
	u32 need, nr, data;

	if (redo_waits(core, stream))
		return;
	while (!stream->closing && !stream->failing) {
		packet = list_first_entry_or_null(&stream->redo,
						  struct vsl_packet, link);
		if (!packet)
			break;
		if (stream->seg == VSL_NONE &&
		    !stream_open(core, stream, VSL_BY_GROOMER))
			return;
		need = vsl_round(1 + packet->nr_slots, core->geo.ws_min);
		if (need > stream->limit - stream->index) {
			stream->closing = true;
			return;
		}
		list_del_init(&packet->link);
		packet->seg = stream->seg;
		packet->index = stream->index;
		packet->first = stream->index == 0;
		packet->failed = false;
		packet->nr_blocks = 0;
		packet->base_version = core->next_version;
		for (nr = 0, data = 0; nr < packet->nr_entries; nr++)
			redo_entry(core, packet, nr, &data);
		packet->complete = false;
		packet->last_version = core->next_version - 1;
		core->seg[stream->seg].last_version = packet->last_version;
		packet->state = VSL_PACKET_OPEN;
		stream->open = packet;
		vsl_packet_seal(core, packet);
	}
	if (list_empty(&stream->redo))
		redo_finished(core, stream);
}

static u64 stream_watermark(const struct vsl_stream *stream)
{
	const struct vsl_packet *packet;
	u64 wm = VSL_NO_VERSION;

	list_for_each_entry(packet, &stream->packets, link)
		wm = min_t(u64, wm, packet->wm_version);
	list_for_each_entry(packet, &stream->redo, link)
		wm = min_t(u64, wm, packet->wm_version);
	if (stream->open)
		wm = min_t(u64, wm, stream->open->wm_version);
	return wm;
}

/* First commit of the host in a packet of append point @id that is not
 * complete; VSL_NO_VERSION: there is none. */
u64 vsl_log_host_version(const struct vsl_core *core, u8 id)
{
	const struct vsl_stream *stream = &core->stream[id];
	const struct vsl_packet *packet;
	u64 wm = VSL_NO_VERSION;

	list_for_each_entry(packet, &stream->packets, link)
		wm = min_t(u64, wm, packet->host_version);
	list_for_each_entry(packet, &stream->redo, link)
		wm = min_t(u64, wm, packet->host_version);
	if (stream->open)
		wm = min_t(u64, wm, stream->open->host_version);
	return wm;
}

static u64 host_watermark(const struct vsl_core *core)
{
	u64 wm = core->next_version;
	u32 i;

	for (i = 0; i < VSL_STREAM_MAP; i++)
		wm = min_t(u64, wm, vsl_log_host_version(core, i));
	return wm;
}

/* No more than hold_watermark() allows. */
static u64 held(const struct vsl_core *core, u64 wm)
{
	if (core->hold_version < wm &&
	    host_watermark(core) < core->hold_until)
		wm = core->hold_version;
	return wm;
}

/**
 * vsl_log_complete_version() - all commits below it are programmed
 * @core: the core
 * @host_only: look at the host's alone
 */
u64 vsl_log_complete_version(const struct vsl_core *core, bool host_only)
{
	u64 wm = core->next_version;
	u32 i;

	if (host_only)
		return host_watermark(core);
	for (i = 0; i < VSL_STREAMS; i++)
		wm = min_t(u64, wm, stream_watermark(&core->stream[i]));
	return held(core, wm);
}

/**
 * vsl_log_stable() - all commits of an append point below it are programmed
 * @core: the core
 * @id: which
 *
 * An open packet of another one does not hold it back: so the last packets of
 * a lone writer are not in doubt while the groomer collects.
 */
u64 vsl_log_stable(const struct vsl_core *core, u8 id)
{
	u64 wm = min_t(u64, core->next_version, core->recovery_floor);

	return held(core, min_t(u64, wm, stream_watermark(&core->stream[id])));
}

/* Seal a packet of nothing but padding, up to the end of the row. */
static bool fill_row(struct vsl_core *core, struct vsl_stream *stream)
{
	u32 row = vsl_row_blocks(&core->geo, stream->stripe.nr);
	u32 rest = row - stream->index % row, most;

	if (!stream->open && !packet_open(core, stream, VSL_BY_GROOMER))
		return false;
	rest = min_t(u32, rest, stream->limit - stream->index);
	/* Both are multiples of ws_min. */
	most = VSL_PACKET_BLOCKS - VSL_PACKET_BLOCKS % core->geo.ws_min;
	stream->open->fill = min_t(u32, rest, most);
	/* A version of its own: so it can be waited for, and proven. */
	stream->open->base_version = core->next_version++;
	stream->open->last_version = stream->open->base_version;
	stream->open->wm_version = stream->open->base_version;
	vsl_packet_seal(core, stream->open);
	return true;
}

/*
 * vsl_log_fill_row() - see to it that the last row of @id gets its parity
 *
 * Return: true: there is nothing to be filled; it may be under way.
 */
bool vsl_log_fill_row(struct vsl_core *core, u8 id)
{
	struct vsl_stream *stream = &core->stream[id];

	if (!core->geo.parity)
		return true;
	vsl_log_push(core, id);
	if (stream->failing || !list_empty(&stream->redo))
		return false;
	while (stream->seg != VSL_NONE && !stream->closing &&
	       stream->index % vsl_row_blocks(&core->geo, stream->stripe.nr))
		if (!fill_row(core, stream))
			return false;
	return true;
}

/*
 * vsl_log_pad() - fill some of the segment of @id, to end it
 *
 * Return: so many blocks; 0: not now, something else is under way there.
 */
u32 vsl_log_pad(struct vsl_core *core, u8 id)
{
	struct vsl_stream *stream = &core->stream[id];
	u32 from = stream->index;

	if (stream->seg == VSL_NONE || stream->closing || stream->failing ||
	    !list_empty(&stream->packets) || !list_empty(&stream->redo))
		return 0;
	if (stream->open && stream->open->nr_entries) {
		vsl_log_push(core, id);
		return 0;
	}
	return fill_row(core, stream) ? stream->index - from : 0;
}

/* Nothing collected, nothing under way, nothing to redo. */
bool vsl_log_quiet(const struct vsl_core *core)
{
	u32 i;

	for (i = 0; i < VSL_STREAMS; i++) {
		const struct vsl_stream *stream = &core->stream[i];

		if ((stream->open && stream->open->nr_entries) ||
		    !list_empty(&stream->packets) ||
		    !list_empty(&stream->redo) || stream->flying ||
		    stream->closing)
			return false;
	}
	return true;
}
