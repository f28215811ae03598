// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * parity.c - one chunk of each row more than its data, and what it is good for.
 *
 * Row r of a segment is chunk r of each of its units.  Where the format has
 * parity, the chunk at position r % n of its n units holds the others XORed, and
 * so do its spare bytes.  Whatever one unit has lost can be made again from the
 * rest of the row: a block, an erase unit, or all of it.
 *
 * Writing.  Packets of an append point are laid out one after the other; each
 * adds its blocks to the row they lie in (stream->row), and the packet that ends
 * a row takes the parity along.  So a packet is complete only when the rows that
 * it ends are, and a row whose index range lies before a complete packet's end
 * is whole on the media.  The blocks of a row that is not whole yet stay in their
 * slots, as inside a read hole (program.c): when a unit fails they are written
 * again elsewhere.  A clean detach pads the last row.
 *
 * Reading.  A block that a slot cannot get (slot.c), or that would have to wait for
 * its unit to be erased (read.c), is put together from the other blocks of its row,
 * some at a time, by one of a few rebuilders.  What comes out is
 * compared with its spare record or its CRC, where there is one; where there is
 * none only rows that are known to be whole are believed (seg->rows).
 *
 * Invariants
 * X1  The parity of a row is programmed as a part of the packet that ends it.
 * X2  A block is rebuilt of all other units of its segment or not at all.
 *
 * Power loss: the last row of an open segment has no parity, and gets none.  What
 * is in doubt is written again; what is not, in that row, is as safe as without
 * parity until it is moved.
 */
#include "parity.h"

#define POOL_MORE	256u	/* blocks, so that packets need not wait */

/* Add @from to @to; whole words. */
void vsl_xor(void *to, const void *from, u32 bytes)
{
	const u64 *in = from;
	u64 *out = to;
	u32 i;

	for (i = 0; i < bytes / 8; i++)
		out[i] ^= in[i];
}

/* ---- writing ------------------------------------------------------------- */

/* Blocks of a packet, at most: its own, and the summary's. */
static u32 packet_most(const struct vsl_geo *geo)
{
	return 1 + VSL_PACKET_BLOCKS + 2 * geo->ws_min + geo->sum_blocks;
}

/* vsl_parity_most() - parity blocks that one packet may take along */
u32 vsl_parity_most(const struct vsl_geo *geo)
{
	u32 row = vsl_row_blocks(geo, geo->units_min);

	if (!geo->parity)
		return 0;
	return (packet_most(geo) / row + 1) * geo->chunk;
}

static int pool_alloc(struct vsl_core *core)
{
	u32 nr = 3 * vsl_parity_most(&core->geo) + POOL_MORE;

	core->parity_pool = vsl_zalloc(core, nr, sizeof(void *));
	if (!core->parity_pool)
		return -ENOMEM;
	while (core->nr_parity_free < nr) {
		void *block = vsl_port_block_alloc();

		if (!block)
			return -ENOMEM;
		core->ram_bytes += VSL_BLOCK_BYTES;
		core->parity_pool[core->nr_parity_free++] = block;
	}
	return 0;
}

static int row_alloc(struct vsl_core *core, struct vsl_stream *stream)
{
	u32 i;

	stream->row = vsl_zalloc(core, core->geo.chunk, sizeof(void *));
	stream->row_spare = vsl_zalloc(core, core->geo.chunk, VSL_SPARE_MAX);
	if (!stream->row || !stream->row_spare)
		return -ENOMEM;
	for (i = 0; i < core->geo.chunk; i++) {
		stream->row[i] = vsl_port_block_alloc();
		if (!stream->row[i])
			return -ENOMEM;
		core->ram_bytes += VSL_BLOCK_BYTES;
	}
	return 0;
}

static int rebuild_alloc(struct vsl_core *core, struct vsl_rebuild *rebuild)
{
	u32 nr = min_t(u32, core->geo.units, VSL_REBUILD_BLOCKS), i;

	for (i = 0; i < nr; i++) {
		rebuild->block[i] = vsl_port_block_alloc();
		if (!rebuild->block[i])
			return -ENOMEM;
		core->ram_bytes += VSL_BLOCK_BYTES;
		rebuild->vec[i].base = rebuild->block[i];
		rebuild->vec[i].bytes = VSL_BLOCK_BYTES;
	}
	return 0;
}

int vsl_parity_alloc(struct vsl_core *core)
{
	u32 i;
	int ret;

	if (!core->geo.parity)
		return 0;
	core->rebuild = vsl_zalloc(core, VSL_REBUILDERS,
				   sizeof(*core->rebuild));
	if (!core->rebuild)
		return -ENOMEM;
	ret = pool_alloc(core);
	for (i = 0; i < VSL_STREAMS && !ret; i++)
		ret = row_alloc(core, &core->stream[i]);
	for (i = 0; i < VSL_REBUILDERS && !ret; i++)
		ret = rebuild_alloc(core, &core->rebuild[i]);
	return ret;
}

/* All packets are idle: their blocks are in the pool. */
void vsl_parity_free(struct vsl_core *core)
{
	u32 i, k;

	for (i = 0; core->packet && i < core->nr_packets; i++)
		vsl_parity_put(core, &core->packet[i]);
	for (i = 0; core->parity_pool && i < core->nr_parity_free; i++)
		vsl_port_block_free(core->parity_pool[i]);
	vsl_port_free(core->parity_pool);
	for (i = 0; i < VSL_STREAMS; i++) {
		struct vsl_stream *stream = &core->stream[i];

		for (k = 0; stream->row && k < core->geo.chunk; k++)
			vsl_port_block_free(stream->row[k]);
		vsl_port_free(stream->row);
		vsl_port_free(stream->row_spare);
	}
	for (i = 0; core->rebuild && i < VSL_REBUILDERS; i++)
		for (k = 0; k < VSL_REBUILD_BLOCKS; k++)
			vsl_port_block_free(core->rebuild[i].block[k]);
	vsl_port_free(core->rebuild);
}

/* Take what @packet needs for the rows it ends.  Return: false: not now. */
bool vsl_parity_take(struct vsl_core *core, struct vsl_packet *packet)
{
	u32 units = core->stream[packet->stream].stripe.nr;
	u32 row = vsl_row_blocks(&core->geo, units);
	u32 end = packet->index + 1 + packet->nr_blocks;
	u32 need;

	if (!core->geo.parity)
		return true;
	need = (end / row - packet->index / row) * core->geo.chunk;
	if (need > core->nr_parity_free)
		return false;
	while (packet->nr_parity < need)
		packet->parity[packet->nr_parity++] =
			core->parity_pool[--core->nr_parity_free];
	return true;
}

void vsl_parity_put(struct vsl_core *core, struct vsl_packet *packet)
{
	if (packet->nr_parity)
		core->again = true;
	while (packet->nr_parity)
		core->parity_pool[core->nr_parity_free++] =
			packet->parity[--packet->nr_parity];
}

/**
 * vsl_parity_add() - add a block to its row
 * @core: the core
 * @packet: the packet that is laid out
 * @index: of the block in the segment
 * @block: the block
 * @spare: its spare bytes, where there are records
 *
 * The last block of a row gives the parity to the packet.
 *
 * Context: lock not held; blocks of a stream come in their order.
 */
void vsl_parity_add(struct vsl_core *core, struct vsl_packet *packet, u32 index,
		    const void *block, const void *spare)
{
	struct vsl_stream *stream = &core->stream[packet->stream];
	u32 chunk = core->geo.chunk, bytes = core->spare_bytes;
	u32 row = vsl_row_blocks(&core->geo, stream->stripe.nr);
	u32 off = index % chunk, at;
	u8 *sum = stream->row_spare + off * VSL_SPARE_MAX;

	if (index % row < chunk) {
		memcpy(stream->row[off], block, VSL_BLOCK_BYTES);
		memcpy(sum, spare, bytes);
	} else {
		vsl_xor(stream->row[off], block, VSL_BLOCK_BYTES);
		vsl_xor(sum, spare, bytes);
	}
	if (index % row != row - 1)
		return;
	at = (index / row - packet->index / row) * chunk;
	for (off = 0; off < chunk; off++, at++) {
		memcpy(packet->parity[at], stream->row[off], VSL_BLOCK_BYTES);
		memcpy(packet->parity_spare + at * bytes,
		       stream->row_spare + off * VSL_SPARE_MAX, bytes);
	}
}

/* ---- reading ------------------------------------------------------------- */

/*
 * Could the block that @slot cannot get be made again?  Where nothing tells a
 * right one from a wrong one, its row must be known to be whole.
 */
bool vsl_rebuild_may(const struct vsl_core *core, const struct vsl_slot *slot)
{
	const struct vsl_segment *s;
	u32 row;

	if (!core->geo.parity || core->gone || slot->trial)
		return false;
	s = &core->seg[vsl_ppa_seg(&core->geo, slot->from)];
	row = vsl_ppa_off(&core->geo, slot->from) / core->geo.chunk;
	return core->spare_bytes || slot->sure || row < s->rows;
}

/* Is the unit of @ppa busy, and the rest of a whole row there instead? */
bool vsl_rebuild_around(const struct vsl_core *core, u32 ppa)
{
	const struct vsl_segment *s = &core->seg[vsl_ppa_seg(&core->geo, ppa)];

	return core->busy_unit == vsl_ppa_unit(&core->geo, ppa) &&
	       core->nr_rebuilds < VSL_REBUILDERS &&
	       vsl_ppa_off(&core->geo, ppa) / core->geo.chunk < s->rows;
}

void vsl_rebuild_queue(struct vsl_core *core, struct vsl_slot *slot)
{
	core->nr_rebuilds++;
	list_add_tail(&slot->link, &core->rebuild_queue);
	core->again = true;
}

/* Add what was read.  Context: lock not held. */
void vsl_rebuild_add(struct vsl_core *core, struct vsl_rebuild *rebuild)
{
	struct vsl_slot *slot = rebuild->slot;
	u32 i;

	if (!rebuild->begun) {
		memset(slot->buf, 0, VSL_BLOCK_BYTES);
		memset(slot->spare, 0, core->spare_bytes);
		rebuild->begun = true;
	}
	for (i = 0; i < rebuild->nr; i++) {
		vsl_xor(slot->buf, rebuild->block[i], VSL_BLOCK_BYTES);
		vsl_xor(slot->spare, rebuild->spare[i], core->spare_bytes);
	}
	if (rebuild->unit >= core->geo.units)
		vsl_slot_check(core, slot);
}

static void members_read(struct vsl_core *core, struct vsl_rebuild *rebuild);

/* The slot has its block, or will not get it. */
static void rebuild_end(struct vsl_core *core, struct vsl_rebuild *rebuild,
			bool good)
{
	struct vsl_slot *slot = rebuild->slot;
	u32 seg = vsl_ppa_seg(&core->geo, slot->from);

	rebuild->slot = NULL;
	core->nr_rebuilds--;
	core->again = true;
	if (slot->around && !good && !core->gone) {
		vsl_slot_read_there(core, slot);
		return;
	}
	slot->good = good;
	slot->op.result = good ? VSL_RES_OK :
			  core->gone ? VSL_RES_GONE : VSL_RES_LOST;
	if (good && slot->around) {
		core->reads_around++;
	} else if (good && !slot->trial) {
		core->counter[VSL_COUNT_REBUILT]++;
		core->seg[seg].suspect = true;
		core->degraded = true;
		vsl_seg_mark_dead(core, seg,
				  vsl_ppa_unit(&core->geo, slot->from));
	}
	slot->done(core, &slot->op);
}

static void added(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_rebuild *rebuild = op->ctx;

	if (core->gone)
		rebuild_end(core, rebuild, false);
	else if (rebuild->unit < core->geo.units)
		members_read(core, rebuild);
	else
		rebuild_end(core, rebuild, rebuild->slot->good);
}

static void member_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_rebuild *rebuild = op->ctx;

	if (vsl_op_again(core, op))
		return;
	if (vsl_result_error(op->result))
		rebuild->failed = true;
	if (--rebuild->left)
		return;
	if (rebuild->failed || core->gone)
		rebuild_end(core, rebuild, false);
	else
		vsl_op_start(core, &rebuild->cpu_op, VSL_CPU_XOR, added,
			     rebuild);
}

/* Read some more blocks of the row. */
static void members_read(struct vsl_core *core, struct vsl_rebuild *rebuild)
{
	u32 from = rebuild->slot->from, seg = vsl_ppa_seg(&core->geo, from);
	const u8 *units = vsl_seg_units(core, seg);

	rebuild->nr = 0;
	for (; rebuild->unit < core->geo.units &&
	     rebuild->nr < VSL_REBUILD_BLOCKS; rebuild->unit++) {
		struct vsl_op *op = &rebuild->op[rebuild->nr];

		if (!vsl_bit(units, rebuild->unit) ||
		    rebuild->unit == vsl_ppa_unit(&core->geo, from))
			continue;
		vsl_op_place(core, op,
			     vsl_ppa(&core->geo, seg, rebuild->unit,
				     vsl_ppa_off(&core->geo, from)), 1);
		op->vec = &rebuild->vec[rebuild->nr];
		op->nr_vecs = 1;
		op->skip_bytes = 0;
		op->oob = core->spare_bytes ? rebuild->spare[rebuild->nr] :
					      NULL;
		rebuild->nr++;
		vsl_op_start(core, op, VSL_OP_READ, member_done, rebuild);
	}
	rebuild->left = rebuild->nr;
	/* The last one may have been the lost one. */
	if (!rebuild->nr)
		vsl_op_start(core, &rebuild->cpu_op, VSL_CPU_XOR, added,
			     rebuild);
}

/* Begin with slots that wait, as many as there are rebuilders for. */
void vsl_rebuild_run(struct vsl_core *core)
{
	struct vsl_rebuild *rebuild;
	struct vsl_slot *slot;
	u32 i;

	for (i = 0; core->rebuild && i < VSL_REBUILDERS; i++) {
		rebuild = &core->rebuild[i];
		slot = list_first_entry_or_null(&core->rebuild_queue,
						struct vsl_slot, link);
		if (!slot)
			return;
		if (rebuild->slot)
			continue;
		list_del_init(&slot->link);
		rebuild->slot = slot;
		rebuild->unit = 0;
		rebuild->begun = false;
		rebuild->failed = false;
		if (core->gone)
			rebuild_end(core, rebuild, false);
		else
			members_read(core, rebuild);
	}
}
