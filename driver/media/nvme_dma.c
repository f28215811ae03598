// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_dma.c - memory of an operation as a card wants to see it.
 *
 * A card takes a list of pages (PRP, 4.3 of the specification): only the first may
 * begin inside a page, at a multiple of four bytes, and only the last may end
 * inside one.  Memory that is so is mapped where it lies.  All other memory -
 * pieces of 512 bytes, odd addresses, vmalloc(), what the DMA API has no room for
 * right now - goes through pages that the queue owns and that the card can always
 * reach: bounced.
 *
 * D1  There are as many such pages as the largest operation needs, so a command
 *     that is alone in its queue always gets them.
 * D2  What was mapped is unmapped exactly once, after the card has ended the
 *     command or was kept from reaching memory.
 * D3  Everything here is through the DMA API: bus addresses are never computed
 *     from anything else.
 * D4  Several operations (nvme_merge.c) are mapped, or go each alone: they are never
 *     bounced.
 * D5  A mapping keeps the place within a page (dma_set_min_align_mask()), or it
 *     is undone and the operation bounced.
 */
#include "nvme.h"

#include <linux/dma-mapping.h>
#include <linux/mm.h>

static enum dma_data_direction direction(const struct vsl_op *op)
{
	return op->kind == VSL_OP_READ ? DMA_FROM_DEVICE : DMA_TO_DEVICE;
}

/* A walk through the memory of a command's operations. */
struct walk {
	const struct vsl_nvme_queue *queue;
	const struct vsl_op *op;	/* where we are */
	const struct vsl_vec *vec;	/* of it */
	u32 skip;	/* bytes of *@vec that are behind us */
	u32 left;	/* bytes of @op to come */
	u32 behind;	/* and after them, gaps included */
};

static void walk_op(struct walk *walk, const struct vsl_op *op)
{
	walk->op = op;
	walk->vec = op->vec;
	walk->skip = op->skip_bytes;
	walk->left = op->nr * VSL_BLOCK_BYTES;
	walk->behind -= walk->left;
}

static void walk_begin(struct walk *walk, const struct vsl_nvme_queue *queue,
		       const struct vsl_nvme_req *req)
{
	walk->queue = queue;
	walk->behind = req->op->nr * VSL_BLOCK_BYTES;
	walk_op(walk, list_first_entry(&req->ops, struct vsl_op, link));
}

/* Go on to the next operation.  Return: bytes of a gap before it, at *@at. */
static u32 walk_over(struct walk *walk, u8 **at)
{
	const struct vsl_op *before = walk->op;
	const struct vsl_op *op = list_next_entry(before, link);
	u32 gap = op->off - (before->off + before->nr);

	*at = walk->queue->ctrl->gap;
	walk->behind -= gap * VSL_BLOCK_BYTES;
	walk_op(walk, op);
	return gap * VSL_BLOCK_BYTES;
}

/* The next piece, @most bytes of it at most; 0 at the end. */
static u32 walk_next(struct walk *walk, u32 most, u8 **at)
{
	const struct vsl_vec *end;
	u32 bytes;

	if (!walk->left && walk->behind) {
		bytes = walk_over(walk, at);
		if (bytes)
			return bytes;
	}
	end = walk->op->vec + walk->op->nr_vecs;
	while (walk->vec < end && walk->skip >= walk->vec->bytes)
		walk->skip -= walk->vec++->bytes;
	if (!walk->left || walk->vec == end)
		return 0;
	*at = (u8 *)walk->vec->base + walk->skip;
	bytes = min3(walk->vec->bytes - walk->skip, walk->left, most);
	walk->skip += bytes;
	walk->left -= bytes;
	return bytes;
}

static u32 in_page(const void *at)
{
	return (uintptr_t)at & (NVME_PAGE_BYTES - 1);
}

static bool is_reachable(const void *at)
{
	return virt_addr_valid(at) && !is_vmalloc_addr(at);
}

/* Can a card take all of it where it lies? */
static bool is_direct(struct vsl_nvme_queue *queue,
		      const struct vsl_nvme_req *req)
{
	struct walk walk;
	bool first = true;
	u32 bytes;
	u8 *at;

	walk_begin(&walk, queue, req);
	while ((bytes = walk_next(&walk, U32_MAX, &at))) {
		if (!is_reachable(at))
			return false;
		if (first ? in_page(at) & 3 : in_page(at))
			return false;
		if (walk.left && in_page(at + bytes))
			return false;
		first = false;
	}
	return !first && !walk.left;
}

/**
 * vsl_nvme_dma_is_whole() - does an operation want whole pages that a card can reach?
 * @op: a read
 *
 * Then there may be others before and behind it in a command.
 *
 * Context: any.
 */
bool vsl_nvme_dma_is_whole(const struct vsl_op *op)
{
	u32 left = op->nr * VSL_BLOCK_BYTES, skip = op->skip_bytes, bytes, i;
	const u8 *at;

	for (i = 0; i < op->nr_vecs && left; i++) {
		if (skip >= op->vec[i].bytes) {
			skip -= op->vec[i].bytes;
			continue;
		}
		at = (const u8 *)op->vec[i].base + skip;
		bytes = min(op->vec[i].bytes - skip, left);
		if (!is_reachable(at) || in_page(at) || in_page(at + bytes))
			return false;
		skip = 0;
		left -= bytes;
	}
	return !left;
}

static void unmap_all(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	struct device *dev = &queue->ctrl->pdev->dev;
	u32 i;

	for (i = 0; i < req->nr_pieces; i++)
		if (req->piece[i].bus != queue->ctrl->gap_bus)
			dma_unmap_single(dev, req->piece[i].bus,
					 req->piece[i].bytes,
					 direction(req->op));
	req->nr_pieces = 0;
}

/* Return: whether the card can reach the piece, at the same place in a page. */
static bool map_piece(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req,
		      u8 *at, u32 bytes)
{
	struct vsl_nvme_piece *piece = &req->piece[req->nr_pieces];
	struct device *dev = &queue->ctrl->pdev->dev;

	if (req->nr_pieces == VSL_NVME_PAGES_MAX)
		return false;
	piece->bytes = bytes;
	if (at == queue->ctrl->gap) {
		piece->bus = queue->ctrl->gap_bus;
		req->nr_pieces++;
		return true;
	}
	piece->bus = dma_map_single(dev, at, bytes, direction(req->op));
	if (dma_mapping_error(dev, piece->bus))
		return false;
	req->nr_pieces++;
	return !((piece->bus ^ (uintptr_t)at) & (NVME_PAGE_BYTES - 1));
}

/* Return: whether all of it is mapped; else nothing is. */
static bool map_all(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	u32 most = queue->ctrl->map_bytes, bytes;
	struct walk walk;
	u8 *at;

	walk_begin(&walk, queue, req);
	/* Parts end where pages do: the first is as much shorter. */
	bytes = walk_next(&walk, most - VSL_BLOCK_BYTES, &at);
	if (bytes && walk.left && in_page(at + bytes)) {
		walk.skip -= in_page(at + bytes);
		walk.left += in_page(at + bytes);
		bytes -= in_page(at + bytes);
	}
	for (; bytes; bytes = walk_next(&walk, most, &at))
		if (!map_piece(queue, req, at, bytes))
			break;
	if (!bytes)
		return true;
	unmap_all(queue, req);
	return false;
}

/* Copy between an operation's memory and its pages. */
static void copy_bounced(struct vsl_nvme_queue *queue,
			 const struct vsl_nvme_req *req)
{
	const struct vsl_nvme_piece *piece;
	u32 bytes, part, in, done = 0;
	struct walk walk;
	u8 *at, *page;

	walk_begin(&walk, queue, req);
	while ((bytes = walk_next(&walk, U32_MAX, &at))) {
		for (; bytes; bytes -= part, done += part, at += part) {
			piece = &req->piece[done >> NVME_PAGE_SHIFT];
			in = done & (NVME_PAGE_BYTES - 1);
			page = (u8 *)queue->bounce[piece->page].mem + in;
			part = min(bytes, NVME_PAGE_BYTES - in);
			if (req->op->kind == VSL_OP_READ)
				memcpy(at, page, part);
			else
				memcpy(page, at, part);
		}
	}
}

/* Return: whether there were pages enough. */
static bool bounce_all(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	u32 nr = req->op->nr, i, page;

	lockdep_assert_held(&queue->lock);

	if (nr > queue->nr_bounce_free)
		return false;
	for (i = 0; i < nr; i++) {
		page = queue->bounce_free[--queue->nr_bounce_free];
		req->piece[i].page = page;
		req->piece[i].bus = queue->bounce[page].bus;
		req->piece[i].bytes = NVME_PAGE_BYTES;
	}
	req->nr_pieces = nr;
	req->bounced = true;
	if (req->op->kind == VSL_OP_PROGRAM)
		copy_bounced(queue, req);
	return true;
}

/* List the pages of all pieces in the command. */
static void write_prps(struct vsl_nvme_req *req)
{
	__le64 *list = req->chunk;
	dma_addr_t bus, end;
	u32 i, nr = 0;

	for (i = 0; i < req->nr_pieces; i++) {
		bus = req->piece[i].bus;
		end = bus + req->piece[i].bytes;
		while (bus < end) {
			if (nr)
				list[nr - 1] = cpu_to_le64(bus);
			else
				req->sqe.prp1 = cpu_to_le64(bus);
			nr++;
			bus = (bus & ~(dma_addr_t)(NVME_PAGE_BYTES - 1)) +
			      NVME_PAGE_BYTES;
		}
	}
	if (nr == 2)
		req->sqe.prp2 = list[0];
	else if (nr > 2)
		req->sqe.prp2 = cpu_to_le64(req->chunk_bus);
}

/**
 * vsl_nvme_dma_map() - let the card reach an operation's memory
 * @queue: the queue
 * @req: the command; its op is set
 *
 * Context: any, with queue->lock held.
 * Return: whether it can; if not, it will when other commands have ended, or, of
 * several operations, each alone may.
 */
bool vsl_nvme_dma_map(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	bool merged = req->op == &req->whole;

	if (!((merged || is_direct(queue, req)) && map_all(queue, req)) &&
	    (merged || !bounce_all(queue, req)))
		return false;
	write_prps(req);
	return true;
}

/**
 * vsl_nvme_dma_unmap() - the card reaches it no more
 * @queue: the queue
 * @req: a command that has ended; its data is where it belongs afterwards
 *
 * Context: any.
 */
void vsl_nvme_dma_unmap(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	if (!req->bounced)
		unmap_all(queue, req);
	else if (req->op->kind == VSL_OP_READ && !req->status)
		copy_bounced(queue, req);
}

/**
 * vsl_nvme_dma_release() - give bounce pages back
 * @queue: the queue
 * @req: a command that was unmapped
 *
 * Context: any, with queue->lock held.
 */
void vsl_nvme_dma_release(struct vsl_nvme_queue *queue,
			  struct vsl_nvme_req *req)
{
	lockdep_assert_held(&queue->lock);

	if (!req->bounced)
		return;
	while (req->nr_pieces)
		queue->bounce_free[queue->nr_bounce_free++] =
			req->piece[--req->nr_pieces].page;
	req->bounced = false;
}
