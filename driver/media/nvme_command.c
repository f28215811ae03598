// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_command.c - commands that all personalities make in the same way.
 *
 * A personality knows where on its namespace a block is, and what its erase is;
 * the rest of a command is the same for all of them, and so is what is said of one
 * that went wrong.
 */
#include "nvme.h"

/**
 * vsl_nvme_has_place() - is there such an erase unit?
 * @info: of the media
 * @op: the operation
 */
bool vsl_nvme_has_place(const struct vsl_media_info *info,
			const struct vsl_op *op)
{
	return op->unit < info->units && op->eu < info->eus;
}

/**
 * vsl_nvme_has_blocks() - are there such blocks in an erase unit?
 * @ns: the namespace
 * @op: a read or a program; one without memory stands for several
 */
bool vsl_nvme_has_blocks(const struct vsl_nvme_ns *ns, const struct vsl_op *op)
{
	const struct vsl_media_info *info = &ns->media.info;
	u32 most = op->vec ? info->max_blocks : ns->ctrl->merge_blocks;

	return vsl_nvme_has_place(info, op) && op->nr && op->nr <= most &&
	       op->off < info->eu_blocks &&
	       op->nr <= info->eu_blocks - op->off;
}

/**
 * vsl_nvme_put_lba() - where a command begins
 * @sqe: the command
 * @lba: a logical block
 */
void vsl_nvme_put_lba(struct nvme_sqe *sqe, u64 lba)
{
	sqe->cdw10[0] = cpu_to_le32((u32)lba);
	sqe->cdw10[1] = cpu_to_le32(lba >> 32);
}

/**
 * vsl_nvme_build_rw() - Read or Write, by the kind of the operation
 * @ns: the namespace
 * @op: a read or a program
 * @lba: where it begins
 * @nr: blocks of 4 KiB, 1 or more
 * @sqe: the command
 */
void vsl_nvme_build_rw(const struct vsl_nvme_ns *ns, const struct vsl_op *op,
		       u64 lba, u32 nr, struct nvme_sqe *sqe)
{
	u32 shift = VSL_BLOCK_SHIFT - ns->lba_shift;
	bool is_read = op->kind == VSL_OP_READ;
	dma_addr_t meta = ns->meta_bus;

	sqe->opcode = is_read ? NVME_CMD_READ : NVME_CMD_WRITE;
	vsl_nvme_put_lba(sqe, lba);
	sqe->cdw10[2] = cpu_to_le32((nr << shift) - 1);
	if (ns->meta_bytes)
		sqe->mptr = cpu_to_le64(is_read ? meta + ns->meta_half : meta);
}

/**
 * vsl_nvme_build_flush() - Flush, where there is a volatile cache
 * @ns: the namespace
 * @sqe: the command
 *
 * Return: what vsl_nvme_personality.build() returns.
 */
int vsl_nvme_build_flush(const struct vsl_nvme_ns *ns, struct nvme_sqe *sqe)
{
	if (!(ns->media.info.flags & VSL_MEDIA_VOLATILE))
		return vsl_nvme_ends(VSL_RES_OK);
	sqe->opcode = NVME_CMD_FLUSH;
	return 0;
}

/**
 * vsl_nvme_say() - a line about a command that went wrong
 * @ns: the namespace
 * @op: its operation
 * @status: how it ended; nothing is said if it went well, or a reset took it away
 *
 * Context: any.
 */
void vsl_nvme_say(struct vsl_nvme_ns *ns, const struct vsl_op *op, u16 status)
{
	if (!status || status == NVME_SC_HOST_ABORTED ||
	    !__ratelimit(&ns->ctrl->log_limit))
		return;
	vsl_nvme_log(ns->ctrl, true,
		     "Namespace %u: status %04x, operation %u, %u blocks at unit %u, erase unit %u, block %u",
		     ns->nsid, status, op->kind, op->nr, op->unit, op->eu,
		     op->off);
}

/**
 * vsl_nvme_refuse_ns() - say why a namespace is not used
 * @ns: the namespace
 * @why: the end of a sentence
 *
 * Return: -ENODEV.
 */
int vsl_nvme_refuse_ns(struct vsl_nvme_ns *ns, const char *why)
{
	vsl_nvme_log(ns->ctrl, true, "Namespace %u refused: %s", ns->nsid, why);
	return -ENODEV;
}
