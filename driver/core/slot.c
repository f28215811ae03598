// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * slot.c - buffers of one block, and the operations for reads.
 *
 * Everything that goes to the media is copied into a slot first: the writer
 * may change his memory while it is under way, and the CRC must not.  A slot
 * whose block is in the map is "published" under its ppa, and reads of that
 * ppa copy from it until the block can be read from the media.
 *
 * A part of the slots is for the core itself (groomer, checkpoint, partial
 * blocks), so that host writes waiting for space cannot keep it from making
 * some.
 *
 * Invariants
 * S1  A slot is on the free list, or exactly one request, packet, groomer or
 *     checkpoint holds it; a pinned slot that was put is "dead" and becomes
 *     free with the last pin.
 * S2  At most one slot is published under a ppa.
 * S3  A slot with @from set holds a reader of that block's segment.
 */
#include "parity.h"

#define READ_OPS	512u

static u32 hash_of(u32 ppa)
{
	return (ppa * 2654435761u >> 16) & (VSL_SLOT_HASH - 1);
}

/* Slots that stay inside the read hole, or the last row, of all append points. */
static u32 hole_slots(const struct vsl_geo *geo)
{
	if (!geo->hole && !geo->parity)
		return 0;
	return (geo->points + 1) * (VSL_PACKET_BLOCKS + geo->units *
	       (vsl_round(geo->hole, geo->chunk) + geo->chunk));
}

static int slot_init(struct vsl_core *core, struct vsl_slot *slot)
{
	slot->spare = core->slot_spare + (size_t)(slot - core->slot) *
		      core->spare_bytes;
	slot->buf = vsl_port_block_alloc();
	if (!slot->buf)
		return -ENOMEM;
	core->ram_bytes += VSL_BLOCK_BYTES;
	slot->vec.base = slot->buf;
	slot->vec.bytes = VSL_BLOCK_BYTES;
	slot->ppa = VSL_PPA_NONE;
	slot->from = VSL_PPA_NONE;
	list_add_tail(&slot->link, &core->free_slots);
	core->nr_free_slots++;
	return 0;
}

int vsl_slots_alloc(struct vsl_core *core)
{
	u32 more = core->geo.points * VSL_SLOTS_POINT;
	u32 i;

	core->nr_slots = VSL_SLOTS + more + hole_slots(&core->geo);
	core->slots_inner = VSL_SLOTS_INNER + more;
	core->slot = vsl_zalloc(core, core->nr_slots, sizeof(*core->slot));
	core->slot_hash = vsl_zalloc(core, VSL_SLOT_HASH,
				     sizeof(*core->slot_hash));
	core->slot_spare = vsl_zalloc(core, core->nr_slots, core->spare_bytes);
	core->read_op = vsl_zalloc(core, READ_OPS, sizeof(*core->read_op));
	core->read_spare = vsl_zalloc(core, READ_OPS * core->geo.max_blocks,
				      core->spare_bytes);
	core->zero_block = vsl_port_block_alloc();
	if (!core->slot || !core->slot_hash || !core->slot_spare ||
	    !core->read_op || !core->read_spare || !core->zero_block)
		return -ENOMEM;
	memset(core->zero_block, 0, VSL_BLOCK_BYTES);
	core->zero_crc = vsl_port_crc32c(VSL_CRC_SEED, core->zero_block,
					 VSL_BLOCK_BYTES);
	for (i = 0; i < VSL_SLOT_HASH; i++)
		INIT_LIST_HEAD(&core->slot_hash[i]);
	for (i = 0; i < READ_OPS; i++)
		list_add_tail(&core->read_op[i].link, &core->free_reads);
	for (i = 0; i < core->nr_slots; i++)
		if (slot_init(core, &core->slot[i]))
			return -ENOMEM;
	return 0;
}

void vsl_slots_free(struct vsl_core *core)
{
	u32 i;

	for (i = 0; core->slot && i < core->nr_slots; i++)
		vsl_port_block_free(core->slot[i].buf);
	vsl_port_block_free(core->zero_block);
	vsl_port_free(core->slot);
	vsl_port_free(core->slot_hash);
	vsl_port_free(core->slot_spare);
	vsl_port_free(core->read_op);
	vsl_port_free(core->read_spare);
}

struct vsl_slot *vsl_slot_get(struct vsl_core *core, bool inner)
{
	struct vsl_slot *slot;

	if (core->nr_free_slots <= (inner ? 0 : core->slots_inner))
		return NULL;
	slot = list_first_entry(&core->free_slots, struct vsl_slot, link);
	list_del_init(&slot->link);
	core->nr_free_slots--;
	slot->next = NULL;
	slot->ctx = NULL;
	slot->ppa = VSL_PPA_NONE;
	slot->from = VSL_PPA_NONE;
	slot->published = false;
	slot->dead = false;
	slot->check = core->spare_bytes;
	slot->sure = false;
	slot->good = false;
	slot->again = false;
	slot->around = false;
	slot->trial = false;
	slot->partial = false;
	slot->moved = false;
	slot->pending = false;
	slot->kind = VSL_ENTRY_DATA;
	return slot;
}

/* What @slot was read from need not stay. */
void vsl_slot_release(struct vsl_core *core, struct vsl_slot *slot)
{
	struct vsl_segment *seg;

	if (slot->from == VSL_PPA_NONE)
		return;
	seg = &core->seg[vsl_ppa_seg(&core->geo, slot->from)];
	slot->from = VSL_PPA_NONE;
	if (!vsl_atomic_dec_return(&seg->readers))
		core->again = true;
}

void vsl_slot_put(struct vsl_core *core, struct vsl_slot *slot)
{
	vsl_slot_release(core, slot);
	vsl_slot_unpublish(core, slot);
	if (slot->pins) {
		slot->dead = true;
		return;
	}
	list_add(&slot->link, &core->free_slots);
	core->nr_free_slots++;
	core->again = true;
}

void vsl_slot_publish(struct vsl_core *core, struct vsl_slot *slot, u32 ppa)
{
	vsl_slot_release(core, slot);
	slot->ppa = ppa;
	slot->published = true;
	list_add(&slot->link, &core->slot_hash[hash_of(ppa)]);
}

void vsl_slot_unpublish(struct vsl_core *core, struct vsl_slot *slot)
{
	(void)core;
	if (!slot->published)
		return;
	list_del_init(&slot->link);
	slot->published = false;
}

struct vsl_slot *vsl_slot_find(struct vsl_core *core, u32 ppa)
{
	struct vsl_slot *slot;

	list_for_each_entry(slot, &core->slot_hash[hash_of(ppa)], link)
		if (slot->ppa == ppa)
			return slot;
	return NULL;
}

void vsl_slot_unpin(struct vsl_core *core, struct vsl_slot *slot)
{
	slot->pins--;
	if (slot->dead && !slot->pins) {
		slot->dead = false;
		list_add(&slot->link, &core->free_slots);
		core->nr_free_slots++;
		core->again = true;
	}
}

/* Is what was read what it should be?  Context: lock not held. */
void vsl_slot_check(struct vsl_core *core, struct vsl_slot *slot)
{
	u32 crc = vsl_port_crc32c(VSL_CRC_SEED, slot->buf, VSL_BLOCK_BYTES);

	slot->good = !slot->sure || crc == slot->crc;
	if (slot->good && core->spare_bytes && !slot->trial)
		slot->good = vsl_spare_good(core, slot->spare, slot->lba,
					    slot->from, crc);
	if (slot->good)
		slot->crc = crc;
}

/* Somebody gets an error instead of this block. */
void vsl_slot_tell(struct vsl_core *core, const struct vsl_slot *slot)
{
	if (core->gone)
		return;
	vsl_err(core, "block %u %s (unit %u erase unit %u block %u)", slot->lba,
		slot->again ? "is damaged on the media" :
			      "cannot be read any more",
		slot->op.unit, slot->op.eu, slot->op.off);
}

static void slot_read_done(struct vsl_core *core, struct vsl_op *op);

static void slot_check_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	if (!slot->good && !core->gone) {
		core->counter[VSL_COUNT_CORRUPT]++;
		if (!slot->again) {
			slot->again = true;
			vsl_op_start(core, op, VSL_OP_READ, slot_read_done,
				     slot);
			return;
		}
	}
	if (!slot->good)
		op->result = core->gone ? VSL_RES_GONE : VSL_RES_LOST;
	if (!slot->good && vsl_rebuild_may(core, slot))
		vsl_rebuild_queue(core, slot);
	else
		slot->done(core, op);
}

static void slot_read_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_slot *slot = op->ctx;

	if (vsl_op_again(core, op))
		return;
	if (slot->check && !vsl_result_error(op->result))
		vsl_op_start(core, op, VSL_CPU_CHECK, slot_check_done, slot);
	else if (vsl_result_error(op->result) && vsl_rebuild_may(core, slot))
		vsl_rebuild_queue(core, slot);
	else
		slot->done(core, op);
}

static void aim(struct vsl_core *core, struct vsl_slot *slot, u32 ppa,
		void (*done)(struct vsl_core *, struct vsl_op *))
{
	vsl_slot_release(core, slot);
	slot->from = ppa;
	vsl_atomic_inc(&core->seg[vsl_ppa_seg(&core->geo, ppa)].readers);
	vsl_op_place(core, &slot->op, ppa, 1);
	slot->op.vec = &slot->vec;
	slot->op.nr_vecs = 1;
	slot->op.skip_bytes = 0;
	slot->op.oob = core->spare_bytes ? slot->spare : NULL;
	slot->done = done;
	slot->again = false;
}

/* Read what @slot is aimed at where it is. */
void vsl_slot_read_there(struct vsl_core *core, struct vsl_slot *slot)
{
	slot->around = false;
	vsl_op_start(core, &slot->op, VSL_OP_READ, slot_read_done, slot);
}

/**
 * vsl_slot_read() - read a block into a slot
 * @core: the core
 * @slot: the slot; what should be there is in @lba, and in @crc if it is @sure
 * @ppa: where
 * @done: told when it is there, and is what it should be; or that it cannot be
 *	read (op->result)
 *
 * The block's segment stays until the slot is released, put or published.
 *
 * Context: lock held.
 */
void vsl_slot_read(struct vsl_core *core, struct vsl_slot *slot, u32 ppa,
		   void (*done)(struct vsl_core *, struct vsl_op *))
{
	aim(core, slot, ppa, done);
	vsl_slot_read_there(core, slot);
}

/**
 * vsl_slot_read_around() - make a block of its row, for its unit is busy
 * @core: the core
 * @slot: as for vsl_slot_read()
 * @ppa: where
 * @done: likewise
 *
 * If that does not succeed it is read where it is.
 *
 * Context: lock held; vsl_rebuild_around().
 */
void vsl_slot_read_around(struct vsl_core *core, struct vsl_slot *slot, u32 ppa,
			  void (*done)(struct vsl_core *, struct vsl_op *))
{
	aim(core, slot, ppa, done);
	slot->op.result = VSL_RES_OK;
	slot->op.ctx = slot;
	slot->around = true;
	vsl_rebuild_queue(core, slot);
}
