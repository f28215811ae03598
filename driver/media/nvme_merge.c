// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_merge.c - neighbours that one command reads.
 *
 * The core deals in chunks, so a large request becomes many reads that are far from
 * each other: one for each unit.  What follows a chunk on the card is asked for by
 * the next request, or the one after it.  Where more is asked for than a card needs
 * to be busy (parameter nvme_busy_kib) operations stand in line, and when the first of
 * them is started those that go on where it ends go with it: one command, one
 * completion for all.
 *
 * R1  Only reads of one erase unit are merged, for there blocks that follow each
 *     other are neighbours on any kind of card; in the order in which they lie, and
 *     with memory of whole pages, so that the card reads to where each wants it.
 * R2  Between two of them there may be one block that nobody wants, the head of a
 *     packet.  It is read into a page that nobody looks at.
 * R3  The transport makes one operation of them, @whole, and a personality sees no
 *     other.  It has no memory.
 * R4  All of them succeed, or it is not known which failed: then each stands in line
 *     again, and goes alone.  So nobody's error is another one's.
 * R5  The line keeps its order but for those that are taken out of it to the front:
 *     nobody waits for longer (M2).
 */
#include "nvme.h"

#include <linux/module.h>

static unsigned int nvme_busy_kib = 4096;
module_param(nvme_busy_kib, uint, 0644);
MODULE_PARM_DESC(nvme_busy_kib,
		 "KiB that a queue of a PCIe card has under way before operations stand in line, where reads of neighbours become one command (default 4096)");

/* Who is looked at in vain before there is one that fits. */
#define MISSES_MAX	32u

/* Blocks between two operations that are read for nothing. */
#define GAP_MAX		1u

static bool may_merge(const struct vsl_op *op)
{
	return op->kind == VSL_OP_READ && op->nr &&
	       !op->media_priv[VSL_NVME_ALONE] && vsl_nvme_dma_is_whole(op);
}

/* Does @op go on at block @end of what @first begins, with room for @room blocks? */
static bool follows(const struct vsl_op *first, const struct vsl_op *op,
		    u32 end, u32 room)
{
	u32 gap = op->off - end;

	return op->unit == first->unit && op->eu == first->eu &&
	       op->off >= end && gap <= GAP_MAX &&
	       op->nr <= room && gap <= room - op->nr &&
	       op->media_priv[VSL_NVME_NS] == first->media_priv[VSL_NVME_NS] && may_merge(op);
}

/**
 * vsl_nvme_is_busy() - is it better to wait, and perhaps to find neighbours?
 * @queue: the queue
 *
 * Context: any, with queue->lock held.
 */
bool vsl_nvme_is_busy(const struct vsl_nvme_queue *queue)
{
	u32 most = READ_ONCE(nvme_busy_kib) / (VSL_BLOCK_BYTES / 1024);

	lockdep_assert_held(&queue->lock);

	/* Where nothing is under way nobody would come to start it (Q3). */
	return queue->flying && queue->flying >= most;
}

/**
 * vsl_nvme_gather() - let a command carry those in line that go on where it ends
 * @queue: the queue
 * @req: a command with one operation, not yet made
 *
 * If there are any, req->op is then &req->whole.
 *
 * Context: any, with queue->lock held.
 */
void vsl_nvme_gather(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	struct vsl_op *first = req->op, *op, *next;
	u32 most = queue->ctrl->merge_blocks, nr = first->nr, misses = 0;

	lockdep_assert_held(&queue->lock);

	if (list_empty(&queue->waiting) || !may_merge(first))
		return;
	list_for_each_entry_safe(op, next, &queue->waiting, link) {
		if (nr >= most || misses == MISSES_MAX)
			break;
		if (!follows(first, op, first->off + nr, most - nr)) {
			misses++;
			continue;
		}
		misses = 0;
		list_move_tail(&op->link, &req->ops);
		nr = op->off + op->nr - first->off;
	}
	if (nr == first->nr)
		return;
	req->whole = *first;
	req->whole.nr = nr;
	req->whole.vec = NULL;
	req->whole.nr_vecs = 0;
	req->op = &req->whole;
}

/**
 * vsl_nvme_scatter() - undo vsl_nvme_gather()
 * @queue: the queue
 * @req: a command that was not issued
 *
 * Context: any, with queue->lock held.
 */
void vsl_nvme_scatter(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	struct vsl_op *first;

	lockdep_assert_held(&queue->lock);

	first = list_first_entry(&req->ops, struct vsl_op, link);
	list_del(&first->link);
	list_splice_init(&req->ops, &queue->waiting);
	list_add(&first->link, &req->ops);
	req->op = first;
}

/**
 * vsl_nvme_share() - tell the operations of a command how it has ended
 * @req: a command that carries several
 * @result: how
 *
 * Context: any.
 * Return: whether they have ended; else each is to go alone.
 */
bool vsl_nvme_share(struct vsl_nvme_req *req, u8 result)
{
	bool ended = result == VSL_RES_OK || result == VSL_RES_GONE;
	struct vsl_op *op;

	list_for_each_entry(op, &req->ops, link) {
		op->result = result;
		op->media_priv[VSL_NVME_ALONE] = !ended;
		if (result == VSL_RES_GONE)
			op->bad = ~0ull;
	}
	return ended;
}
