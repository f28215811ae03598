// SPDX-License-Identifier: GPL-2.0-only
/*
 * flat.c - an ordinary NVMe namespace as flash.
 *
 * The card does the mapping, too, and has no rules; we keep those of the media
 * interface (media.h) for it.  An erase unit is a run of logical blocks.  Erasing
 * one tells the card that its blocks are not needed (Dataset Management), which it
 * may ignore: afterwards old contents, zeros, or anything else can be read.  The
 * core does not mind (M6): it believes what its checksums and versions say.
 *
 * F1  The card is durable after a flush only, if it has a volatile write cache.
 * F2  Each operation may take effect twice: all are sent again after a reset.
 * F3  A card that does not take Dataset Management, though it says that it does, is
 *     not asked again.
 */
#include "flat.h"
#include "nvme.h"

#include <linux/slab.h>

/**
 * struct flat - what is kept of a flat namespace
 * @dataset: Dataset Management is worth trying
 */
struct flat {
	bool dataset;
};

static int build_rw(struct vsl_nvme_ns *ns, struct vsl_op *op,
		    struct vsl_nvme_build *build)
{
	const struct vsl_media_info *info = &ns->media.info;
	u32 shift = VSL_BLOCK_SHIFT - ns->lba_shift;
	u64 lba;

	if (!vsl_nvme_has_blocks(ns, op))
		return vsl_nvme_ends(VSL_RES_INVALID);
	lba = vsl_flat_block(info, op->unit, op->eu, op->off) << shift;
	vsl_nvme_build_rw(ns, op, lba, op->nr, build->sqe);
	return 0;
}

static int build_erase(struct vsl_nvme_ns *ns, struct vsl_op *op,
		       struct vsl_nvme_build *build)
{
	const struct vsl_media_info *info = &ns->media.info;
	u32 shift = VSL_BLOCK_SHIFT - ns->lba_shift;
	struct nvme_range *range = build->scratch;
	struct flat *flat = ns->priv;
	u64 lba;

	if (!vsl_nvme_has_place(info, op))
		return vsl_nvme_ends(VSL_RES_INVALID);
	if (!READ_ONCE(flat->dataset))
		return vsl_nvme_ends(VSL_RES_OK);
	lba = vsl_flat_block(info, op->unit, op->eu, 0) << shift;
	range->attributes = 0;
	range->lbas = cpu_to_le32(info->eu_blocks << shift);
	range->slba = cpu_to_le64(lba);
	build->use_scratch = true;
	build->sqe->opcode = NVME_CMD_DATASET;
	build->sqe->cdw10[0] = 0;	/* one range */
	build->sqe->cdw10[1] = cpu_to_le32(NVME_DATASET_DEALLOCATE);
	return 0;
}

static int flat_build(struct vsl_nvme_ns *ns, struct vsl_op *op,
		      struct vsl_nvme_build *build)
{
	build->repeatable = true;
	switch (op->kind) {
	case VSL_OP_READ:
	case VSL_OP_PROGRAM:
		return build_rw(ns, op, build);
	case VSL_OP_ERASE:
		return build_erase(ns, op, build);
	case VSL_OP_FLUSH:
		return vsl_nvme_build_flush(ns, build->sqe);
	default:
		return vsl_nvme_ends(VSL_RES_INVALID);
	}
}

static enum vsl_result flat_ended(struct vsl_nvme_ns *ns, struct vsl_op *op,
				  u16 status, u32 result)
{
	struct flat *flat = ns->priv;
	enum vsl_result how = vsl_nvme_result(status, op->kind);

	if (op->kind == VSL_OP_ERASE && how == VSL_RES_INVALID) {
		if (READ_ONCE(flat->dataset))
			vsl_nvme_log(ns->ctrl, true,
				     "Namespace %u does not take Dataset Management (status %04x), it is not told any more what is free",
				     ns->nsid, status);
		WRITE_ONCE(flat->dataset, false);
		return VSL_RES_OK;
	}
	vsl_nvme_say(ns, op, status);
	/* The command was right, so it is the card that is not. */
	if (how == VSL_RES_INVALID)
		how = op->kind == VSL_OP_READ ? VSL_RES_LOST :
		      op->kind == VSL_OP_PROGRAM ? VSL_RES_EU_DEAD :
		      VSL_RES_TRANSIENT;
	return how;
}

static int flat_report(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
		       struct vsl_eu_report *out)
{
	return -EOPNOTSUPP;
}

static const struct vsl_media_ops flat_media_ops = {
	.submit = vsl_nvme_submit,
	.report = flat_report,
	.health = vsl_nvme_health,
	.logs = vsl_nvme_logs,
	.update = &vsl_nvme_update_ops,
};

static int flat_probe(struct vsl_nvme_ns *ns, const struct nvme_id_ns *id)
{
	struct flat *flat;
	int ret;

	ret = vsl_flat_geometry(ns->lbas << ns->lba_shift, &ns->media.info);
	if (ret) {
		vsl_nvme_log(ns->ctrl, true,
			     "Namespace %u refused: its %llu bytes are too few",
			     ns->nsid, ns->lbas << ns->lba_shift);
		return -ENODEV;
	}
	flat = kzalloc(sizeof(*flat), GFP_KERNEL);
	if (!flat)
		return -ENOMEM;
	flat->dataset = ns->ctrl->oncs & NVME_ONCS_DATASET;
	/* M7: what deallocated blocks hold, nobody says. */
	ns->media.info.flags |= VSL_MEDIA_STALE | VSL_MEDIA_LINEAR;
	ns->priv = flat;
	return 0;
}

static void flat_remove(struct vsl_nvme_ns *ns)
{
	kfree(ns->priv);
}

const struct vsl_nvme_personality vsl_nvme_flat = {
	.name = "flat",
	.probe = flat_probe,
	.remove = flat_remove,
	.ops = &flat_media_ops,
	.build = flat_build,
	.ended = flat_ended,
};
