// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * pad.c - making the last blocks of open erase units readable.
 *
 * A card with a read hole gives a block only once some more were programmed
 * behind it.  While the card runs, such blocks are read from their slots; after
 * a power loss the slots are gone.  So attach first programs padding behind
 * the last block of every erase unit that is open, but those of the root
 * lanes, whose records are padded when they are written.
 *
 * Power loss: more padding is added the next time; it changes nothing.
 */
#include "recover.h"

static void pad_done(struct vsl_core *core, struct vsl_op *op)
{
	vsl_op_again(core, op);
}

/* Program as much behind the last block of an open erase unit as it takes to
 * read that block. */
static int pad_unit(struct vsl_core *core, struct vsl_batch *batch, u32 unit, u32 eu,
		    u32 wp)
{
	struct vsl_op *op = &batch->op[0];
	struct vsl_vec *vec = batch->vec;
	u32 left = core->geo.eu_blocks - wp, i;
	int ret;

	left = min_t(u32, left, vsl_round(core->geo.hole, core->geo.ws_min));
	for (; left; left -= op->nr) {
		op->unit = unit;
		op->eu = eu;
		op->off = wp;
		op->nr = min_t(u32, left, core->geo.max_blocks);
		for (i = 0; i < op->nr; i++) {
			vec[i].base = core->zero_block;
			vec[i].bytes = VSL_BLOCK_BYTES;
		}
		op->vec = vec;
		op->nr_vecs = op->nr;
		op->skip_bytes = 0;
		op->oob = NULL;
		vsl_op_start(core, op, VSL_OP_PROGRAM, pad_done, NULL);
		ret = vsl_sync_quiet(core);
		if (ret) {
			vsl_sync_drain(core);
			return ret;
		}
		if (op->result != VSL_RES_OK)
			break;
		core->counter[VSL_COUNT_MEDIA_PAD] += op->nr;
		wp += op->nr;
	}
	return 0;
}

static int pad_units(struct vsl_core *core, struct vsl_batch *batch,
		     struct vsl_eu_report *report, u32 unit)
{
	u32 eu;
	int ret;

	ret = core->media->ops->report(core->media, unit, 0,
				       core->geo.segments, report);
	if (ret)
		return ret == -EOPNOTSUPP ? -EIO : ret;
	for (eu = 0; eu < core->geo.segments && !ret; eu++) {
		if (report[eu].state != VSL_EU_OPEN ||
		    vsl_lane_owns(&core->geo, unit, eu))
			continue;
		if (!vsl_writable(core))
			return -EOPNOTSUPP;
		ret = pad_unit(core, batch, unit, eu, report[eu].wp);
	}
	return ret;
}

/**
 * vsl_pad_card() - program behind everything that may have to be read
 * @core: the core
 * @batch: operations to use
 *
 * Return: 0; -EOPNOTSUPP an erase unit is open and the card may not be written;
 * -ENODEV; -ENOMEM; -EINTR; -EIO the card does not tell where its erase units end.
 */
int vsl_pad_card(struct vsl_core *core, struct vsl_batch *batch)
{
	struct vsl_eu_report *report;
	u32 unit;
	int ret = 0;

	if (!core->geo.hole)
		return 0;
	report = vsl_port_alloc(core->geo.segments * sizeof(*report));
	if (!report)
		return -ENOMEM;
	for (unit = 0; unit < core->geo.units && !ret; unit++)
		ret = pad_units(core, batch, report, unit);
	vsl_port_free(report);
	return ret;
}
