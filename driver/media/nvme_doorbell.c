// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_doorbell.c - telling a card that there is something in a ring.
 *
 * A doorbell is a register.  Where the card is a virtual machine's, writing to a
 * register is dear, and such a card offers to look into memory (Doorbell Buffer
 * Config, 5.7 and 7.13 of the specification): for each doorbell there is a word
 * with its value, which we write, and another one, which the card writes, with the
 * value up to which it looks by itself.  The register is written when that one is
 * passed.  A card that does not offer it has its registers written.
 *
 * B1  A ring's entries are in memory before its value is, and that before we look
 *     how far the card looks by itself: either it sees our value, or we see that it
 *     has to be told.
 * B2  The queue for administration has its register written always.
 * B3  What the card writes there is not trusted: it says only whether a register is
 *     written.  Who is not told of a command does not end it, and is reset.
 */
#include "nvme.h"

static u32 index_of(const struct vsl_nvme_queue *queue, bool is_cq)
{
	return (2 * queue->id + is_cq) * queue->ctrl->stride;
}

/* Did the value go past @looks_to on its way from @from to @to? */
static bool is_passed(u16 looks_to, u16 to, u16 from)
{
	return (u16)(to - looks_to - 1) < (u16)(to - from);
}

/**
 * vsl_nvme_ring() - tell the card where a ring ends, or begins
 * @queue: the queue
 * @is_cq: of its completions, else of its commands
 * @value: index of an entry
 *
 * It orders what was written to memory before it.
 *
 * Context: any, with queue->lock held.
 */
void vsl_nvme_ring(struct vsl_nvme_queue *queue, bool is_cq, u32 value)
{
	struct vsl_nvme_ctrl *ctrl = queue->ctrl;
	u32 at = index_of(queue, is_cq), from;
	__le32 *shadow, *looks_to;

	lockdep_assert_held(&queue->lock);

	if (queue->id && ctrl->has_shadow) {
		shadow = ctrl->shadow + at;
		looks_to = ctrl->looks_to + at;
		/* Entries before the value. */
		dma_wmb();
		from = le32_to_cpu(*shadow);
		WRITE_ONCE(*shadow, cpu_to_le32(value));
		/* The value before we look (B1). */
		mb();
		if (!is_passed(le32_to_cpu(READ_ONCE(*looks_to)), value, from))
			return;
	}
	writel(value, ctrl->bar + NVME_REG_DOORBELLS + at);
}

/**
 * vsl_nvme_shadow_doorbells() - have the card look into memory, if it offers that
 * @ctrl: a controller that takes commands, and has no queues but the first
 *
 * A card that does not take the command has its registers written.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, or the errors of vsl_nvme_admin() below 0.
 */
int vsl_nvme_shadow_doorbells(struct vsl_nvme_ctrl *ctrl)
{
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_DOORBELLS,
		.prp1 = cpu_to_le64(ctrl->shadow_bus),
		.prp2 = cpu_to_le64(ctrl->looks_to_bus),
	};
	int ret;

	ctrl->has_shadow = false;
	if (!(ctrl->oacs & NVME_OACS_DOORBELLS) ||
	    2 * (ctrl->nr_io + 1) * ctrl->stride > NVME_PAGE_BYTES)
		return 0;
	memset(ctrl->shadow, 0, NVME_PAGE_BYTES);
	memset(ctrl->looks_to, 0, NVME_PAGE_BYTES);
	ret = vsl_nvme_admin(ctrl, &sqe, NULL);
	ctrl->has_shadow = !ret;
	return min(ret, 0);
}
