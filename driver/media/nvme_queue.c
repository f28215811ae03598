// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_queue.c - rings: commands out, completions in.
 *
 * Each CPU has a queue of its own where the card has enough, with an interrupt
 * that comes to that CPU.  A queue has as many tags as commands fit its ring; an
 * operation that finds no tag, or no memory that the card can reach, stands in
 * line at the queue and is started by whoever ends another one.
 *
 * Invariants
 * Q1  A tag is free (on queue->free), or with the card (ISSUED), or taken back
 *     from it by a reset (HELD), or with exactly one who ends it (ENDING, ENDED).
 * Q2  At most depth - 1 commands are under way, so the ring of commands is never
 *     full: a completion says that its command was fetched, in whatever order they
 *     come.
 * Q3  An operation stands in line only while a command of the queue is under way,
 *     or the queue is not live: somebody will come to start it.  A command that is
 *     alone always finds memory (nvme_dma.c).
 * Q4  queue->lock is held for the rings, tags and lists, and while memory is made
 *     reachable; never for copies back, unmapping, and what is called back.
 * Q5  A completion counts if it names this queue, and its tag is ISSUED in that
 *     generation.  Others are faults of the card: they are dropped, and the card is
 *     reset.
 * Q6  Once a queue is dead everything ends with VSL_RES_GONE, at once.  Before
 *     that the card was kept from reaching memory (nvme_ctrl.c).
 *
 * Q7  The card is told of commands before the lock is dropped, of all of them at once.
 *
 * Ending is done in interrupts, by the watch (nvme_error.c), by a reset and by
 * vsl_nvme_kill().  op->end() may submit again from there.
 */
#include "nvme.h"

#include <linux/mm.h>
#include <linux/slab.h>

/* How often a reset may take the same command from the card. */
#define TRIES_MAX	3u

/* What start_locked() returns when there is no room; above 0 are results. */
#define NO_ROOM		(-1)

/* ---- rings ------------------------------------------------------------------ */

static void issue_locked(struct vsl_nvme_queue *queue,
			 struct vsl_nvme_req *req)
{
	lockdep_assert_held(&queue->lock);

	req->generation++;
	req->sqe.cid = cpu_to_le16(req->generation << 8 | req->tag);
	req->state = VSL_NVME_ISSUED;
	req->since = jiffies;
	queue->sq[queue->sq_tail] = req->sqe;
	if (++queue->sq_tail == queue->depth)
		queue->sq_tail = 0;
}

/* Tell the card of what was issued. */
static void ring_locked(struct vsl_nvme_queue *queue)
{
	lockdep_assert_held(&queue->lock);

	if (queue->sq_told == queue->sq_tail)
		return;
	queue->sq_told = queue->sq_tail;
	vsl_nvme_ring(queue, false, queue->sq_tail);
}

static struct vsl_nvme_req *get_locked(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_req *req;

	lockdep_assert_held(&queue->lock);

	req = list_first_entry_or_null(&queue->free, struct vsl_nvme_req, link);
	if (!req)
		return NULL;
	list_del(&req->link);
	queue->busy++;
	INIT_LIST_HEAD(&req->ops);
	req->op = NULL;
	req->done = NULL;
	req->blocks = 0;
	req->again = false;
	req->tries = 0;
	req->aborted = false;
	req->repeatable = false;
	req->bounced = false;
	req->nr_pieces = 0;
	return req;
}

static void put_locked(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	lockdep_assert_held(&queue->lock);

	vsl_nvme_dma_release(queue, req);
	req->state = VSL_NVME_FREE;
	req->op = NULL;
	queue->busy--;
	queue->flying -= req->blocks;
	/* In front: what was used last is still in the caches. */
	list_add(&req->link, &queue->free);
}

/* ---- starting an operation -------------------------------------------------- */

static bool has_data(const struct vsl_op *op)
{
	return op->kind == VSL_OP_READ || op->kind == VSL_OP_PROGRAM;
}

/* Make the command of req->op.  Return: see start_locked(). */
static int prepare_locked(struct vsl_nvme_queue *queue,
			  struct vsl_nvme_req *req)
{
	struct vsl_nvme_build build = {
		.sqe = &req->sqe,
		.scratch = req->chunk + VSL_NVME_PRP_BYTES,
		.scratch_bus = req->chunk_bus + VSL_NVME_PRP_BYTES,
	};
	int ret;

	memset(&req->sqe, 0, sizeof(req->sqe));
	ret = req->ns->kind->build(req->ns, req->op, &build);
	if (ret)
		return ret;
	req->repeatable = build.repeatable;
	req->sqe.nsid = cpu_to_le32(req->ns->nsid);
	if (build.use_scratch)
		req->sqe.prp1 = cpu_to_le64(build.scratch_bus);
	else if (has_data(req->op) && !vsl_nvme_dma_map(queue, req))
		return NO_ROOM;
	return 0;
}

/*
 * With whoever in line goes on where it ends.
 * Return: 0; NO_ROOM; how it ended without a command, plus 1.
 */
static int start_locked(struct vsl_nvme_queue *queue, struct vsl_op *op)
{
	struct vsl_nvme_req *req = get_locked(queue);
	int ret;

	if (!req)
		return NO_ROOM;
	req->ns = (void *)(uintptr_t)op->media_priv[VSL_NVME_NS];
	req->op = op;
	list_add(&op->link, &req->ops);
	vsl_nvme_gather(queue, req);
	ret = prepare_locked(queue, req);
	if (ret && req->op == &req->whole) {
		vsl_nvme_scatter(queue, req);
		ret = prepare_locked(queue, req);
	}
	if (ret) {
		list_del(&op->link);
		put_locked(queue, req);
		return ret;
	}
	req->blocks = req->op->nr;
	queue->flying += req->blocks;
	issue_locked(queue, req);
	return 0;
}

/* Start what stands in line.  Those that end without a command go to @ended. */
static void start_waiting_locked(struct vsl_nvme_queue *queue,
				 struct list_head *ended)
{
	struct vsl_op *op;
	int ret;

	lockdep_assert_held(&queue->lock);

	while (queue->live && !list_empty(&queue->waiting) &&
	       !vsl_nvme_is_busy(queue)) {
		op = list_first_entry(&queue->waiting, struct vsl_op, link);
		list_del(&op->link);
		ret = start_locked(queue, op);
		if (ret == NO_ROOM) {
			list_add(&op->link, &queue->waiting);
			break;
		}
		if (ret) {
			op->result = ret - 1;
			list_add_tail(&op->link, ended);
		}
	}
	ring_locked(queue);
}

static void end_ops(struct list_head *ended)
{
	struct vsl_op *op, *next;

	/* An operation may be used again before its end() returns. */
	list_for_each_entry_safe(op, next, ended, link)
		op->end(op);
}

void vsl_nvme_submit(struct vsl_media *media, struct vsl_op *op)
{
	struct vsl_nvme_ns *ns = container_of(media, struct vsl_nvme_ns, media);
	struct vsl_nvme_ctrl *ctrl = ns->ctrl;
	u32 id = ctrl->queue_of[raw_smp_processor_id()];
	struct vsl_nvme_queue *queue = &ctrl->queue[id];
	unsigned long flags;
	int ret = NO_ROOM;

	op->media_priv[VSL_NVME_NS] = (uintptr_t)ns;
	op->media_priv[VSL_NVME_ALONE] = false;
	spin_lock_irqsave(&queue->lock, flags);
	if (queue->dead)
		ret = VSL_RES_GONE + 1;
	else if (queue->live && list_empty(&queue->waiting) &&
		 !vsl_nvme_is_busy(queue))
		ret = start_locked(queue, op);
	if (ret == NO_ROOM)
		list_add_tail(&op->link, &queue->waiting);
	ring_locked(queue);
	spin_unlock_irqrestore(&queue->lock, flags);

	if (ret > 0) {
		op->result = ret - 1;
		op->end(op);
	}
}

/* ---- ending ----------------------------------------------------------------- */

static void settle(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req,
		   bool gone)
{
	struct vsl_op *op = req->op;

	if (!op)
		return;
	vsl_nvme_dma_unmap(queue, req);
	if (op == &req->whole && req->status && !gone) {
		/* Which of them it is each will say itself. */
		vsl_nvme_say(req->ns, op, req->status);
		req->again = !vsl_nvme_share(req, VSL_RES_TRANSIENT);
		return;
	}
	op->result = gone ? VSL_RES_GONE :
		     req->ns->kind->ended(req->ns, op, req->status,
					  req->result);
	if (op == &req->whole) {
		req->again = !vsl_nvme_share(req, op->result);
		return;
	}
	/* A command does not say which of its blocks it could not read. */
	if (op->kind == VSL_OP_READ && op->result != VSL_RES_OK &&
	    op->result != VSL_RES_REFRESH && !op->bad)
		op->bad = ~0ull;
	/* The controller is there, but its namespace was taken away. */
	if (op->result == VSL_RES_GONE && !gone)
		vsl_nvme_tell(req->ns, VSL_EVENT_GONE);
}

/* The tag is free again, or goes to whoever waits for it. */
static void release_locked(struct vsl_nvme_queue *queue,
			   struct vsl_nvme_req *req, struct list_head *ended)
{
	list_del(&req->link);
	if (req->again && queue->dead)
		req->again = !vsl_nvme_share(req, VSL_RES_GONE);
	if (req->again)
		list_splice_init(&req->ops, &queue->waiting);
	else
		list_splice_tail_init(&req->ops, ended);
	if (req->done) {
		req->state = VSL_NVME_ENDED;
		complete(req->done);
		vsl_nvme_event_came(queue->ctrl, req);
	} else {
		put_locked(queue, req);
	}
}

/*
 * End the commands of @done, whose state is ENDING, and the operations of @ended,
 * and start what stands in line.
 */
static void finish(struct vsl_nvme_queue *queue, struct list_head *done,
		   struct list_head *ended, bool gone)
{
	struct vsl_nvme_req *req, *next;
	unsigned long flags;

	list_for_each_entry(req, done, link)
		settle(queue, req, gone);

	spin_lock_irqsave(&queue->lock, flags);
	list_for_each_entry_safe(req, next, done, link)
		release_locked(queue, req, ended);
	start_waiting_locked(queue, ended);
	spin_unlock_irqrestore(&queue->lock, flags);

	end_ops(ended);
}

/* Return: whether there is a command that this completion is of. */
static bool take_locked(struct vsl_nvme_queue *queue,
			const struct nvme_cqe *cqe, u16 status,
			struct list_head *done)
{
	u16 cid = le16_to_cpu(READ_ONCE(cqe->cid));
	struct vsl_nvme_req *req = &queue->req[cid & 0xff];

	lockdep_assert_held(&queue->lock);

	if ((cid & 0xff) >= queue->depth - 1 ||
	    le16_to_cpu(READ_ONCE(cqe->sq_id)) != queue->id)
		return false;
	if (req->state != VSL_NVME_ISSUED || req->generation != cid >> 8)
		return false;
	req->status = status >> 1;
	req->result = le32_to_cpu(READ_ONCE(cqe->result));
	req->state = VSL_NVME_ENDING;
	list_add_tail(&req->link, done);
	queue->ended++;
	return true;
}

/* Return: how many completions there were; *@wrong those of no command. */
static u32 take_all_locked(struct vsl_nvme_queue *queue, struct list_head *done,
			   u32 *wrong)
{
	struct nvme_cqe *cqe;
	u16 status;
	u32 nr = 0;

	/* Not round and round: a card that is mad must not keep us for ever. */
	while (nr < queue->depth) {
		cqe = &queue->cq[queue->cq_head];
		status = le16_to_cpu(READ_ONCE(cqe->status));
		if ((status & 1) != queue->phase)
			break;
		/* The rest of it was written before its phase tag. */
		dma_rmb();
		if (!take_locked(queue, cqe, status, done))
			++*wrong;
		nr++;
		if (++queue->cq_head == queue->depth) {
			queue->cq_head = 0;
			queue->phase ^= 1;
		}
	}
	if (nr)
		vsl_nvme_ring(queue, true, queue->cq_head);
	return nr;
}

/**
 * vsl_nvme_queue_reap() - end all commands that the card has ended
 * @queue: the queue
 *
 * Context: any.
 * Return: how many completions there were.
 */
u32 vsl_nvme_queue_reap(struct vsl_nvme_queue *queue)
{
	LIST_HEAD(done);
	LIST_HEAD(ended);
	unsigned long flags;
	u32 nr = 0, wrong = 0;

	spin_lock_irqsave(&queue->lock, flags);
	if (queue->known)
		nr = take_all_locked(queue, &done, &wrong);
	spin_unlock_irqrestore(&queue->lock, flags);

	if (!list_empty(&done))
		finish(queue, &done, &ended, false);
	if (wrong) {
		if (__ratelimit(&queue->ctrl->log_limit))
			vsl_nvme_log(queue->ctrl, true,
				     "Queue %u ended %u commands that were not under way",
				     queue->id, wrong);
		vsl_nvme_want_reset(queue->ctrl);
	}
	return nr;
}

/* ---- commands of the driver's own ------------------------------------------- */

/**
 * vsl_nvme_queue_issue() - start a command that is no operation's
 * @queue: the queue
 * @sqe: the command
 * @done: completed when it has ended; then its status and result can be read
 *
 * Context: any.
 * Return: the command, to be given back by vsl_nvme_req_put(); NULL if the queue
 * is not live or has no tag left.
 */
struct vsl_nvme_req *vsl_nvme_queue_issue(struct vsl_nvme_queue *queue,
					  const struct nvme_sqe *sqe,
					  struct completion *done)
{
	struct vsl_nvme_req *req = NULL;
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	if (queue->live)
		req = get_locked(queue);
	if (req) {
		req->sqe = *sqe;
		req->done = done;
		issue_locked(queue, req);
		ring_locked(queue);
	}
	spin_unlock_irqrestore(&queue->lock, flags);
	return req;
}

/**
 * vsl_nvme_req_put() - give back a command of vsl_nvme_queue_issue()
 * @queue: its queue
 * @req: the command; where it has not ended, nobody waits for it any more
 *
 * Context: any.
 */
void vsl_nvme_req_put(struct vsl_nvme_queue *queue, struct vsl_nvme_req *req)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->lock, flags);
	if (req->state == VSL_NVME_ENDED)
		put_locked(queue, req);
	else
		req->done = NULL;
	spin_unlock_irqrestore(&queue->lock, flags);
}

/* ---- stop and go ------------------------------------------------------------ */

/**
 * vsl_nvme_queue_init() - both rings are empty, as the card will see them
 * @queue: a queue that is not live
 *
 * Context: process.
 */
void vsl_nvme_queue_init(struct vsl_nvme_queue *queue)
{
	spin_lock_irq(&queue->lock);
	memset(queue->cq, 0, queue->depth * sizeof(*queue->cq));
	queue->sq_tail = 0;
	queue->sq_told = 0;
	queue->cq_head = 0;
	queue->phase = 1;
	spin_unlock_irq(&queue->lock);
}

/**
 * vsl_nvme_queue_go() - the card knows the queue: start what there is to start
 * @queue: a queue that is not live
 *
 * Context: process.
 */
void vsl_nvme_queue_go(struct vsl_nvme_queue *queue)
{
	LIST_HEAD(ended);
	u32 tag;

	spin_lock_irq(&queue->lock);
	queue->known = !queue->dead;
	queue->live = queue->known;
	for (tag = 0; queue->live && tag < queue->depth - 1; tag++)
		if (queue->req[tag].state == VSL_NVME_HELD)
			issue_locked(queue, &queue->req[tag]);
	start_waiting_locked(queue, &ended);
	spin_unlock_irq(&queue->lock);
	end_ops(&ended);
}

/**
 * vsl_nvme_queue_pause() - give the card no more commands
 * @queue: a queue
 *
 * Context: process.
 */
void vsl_nvme_queue_pause(struct vsl_nvme_queue *queue)
{
	spin_lock_irq(&queue->lock);
	queue->live = false;
	spin_unlock_irq(&queue->lock);
}

static bool may_hold(const struct vsl_nvme_req *req)
{
	return req->op && req->repeatable && req->tries < TRIES_MAX;
}

/**
 * vsl_nvme_queue_stop() - take back what the card has
 * @queue: a queue; the card is disabled and reaches no memory any more
 *
 * Commands that can be repeated are held for vsl_nvme_queue_go(); the others end
 * with NVME_SC_HOST_ABORTED.
 *
 * Context: process.
 */
void vsl_nvme_queue_stop(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_req *req;
	LIST_HEAD(done);
	LIST_HEAD(ended);
	u32 tag;

	spin_lock_irq(&queue->lock);
	queue->known = false;
	queue->live = false;
	for (tag = 0; tag < queue->depth - 1; tag++) {
		req = &queue->req[tag];
		if (req->state != VSL_NVME_ISSUED)
			continue;
		if (may_hold(req)) {
			req->state = VSL_NVME_HELD;
			req->tries++;
			req->aborted = false;
			continue;
		}
		req->state = VSL_NVME_ENDING;
		req->status = NVME_SC_HOST_ABORTED;
		req->result = 0;
		list_add_tail(&req->link, &done);
	}
	spin_unlock_irq(&queue->lock);
	finish(queue, &done, &ended, false);
}

/**
 * vsl_nvme_queue_kill() - end everything with VSL_RES_GONE, now and in future
 * @queue: a queue; the card reaches no memory any more
 *
 * Context: process.
 */
void vsl_nvme_queue_kill(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_req *req;
	struct vsl_op *op;
	LIST_HEAD(done);
	LIST_HEAD(ended);
	u32 tag;

	spin_lock_irq(&queue->lock);
	queue->known = false;
	queue->live = false;
	queue->dead = true;
	for (tag = 0; queue->req && tag < queue->depth - 1; tag++) {
		req = &queue->req[tag];
		if (req->state != VSL_NVME_ISSUED &&
		    req->state != VSL_NVME_HELD)
			continue;
		req->state = VSL_NVME_ENDING;
		req->status = NVME_SC_HOST_ABORTED;
		list_add_tail(&req->link, &done);
	}
	list_for_each_entry(op, &queue->waiting, link)
		op->result = VSL_RES_GONE;
	list_splice_tail_init(&queue->waiting, &ended);
	spin_unlock_irq(&queue->lock);
	finish(queue, &done, &ended, true);
}

/* ---- memory ----------------------------------------------------------------- */

static int alloc_rings(struct vsl_nvme_queue *queue)
{
	struct device *dev = &queue->ctrl->pdev->dev;
	u32 depth = queue->depth;

	queue->sq = dma_alloc_coherent(dev, depth * sizeof(*queue->sq),
				       &queue->sq_bus, GFP_KERNEL);
	queue->cq = dma_alloc_coherent(dev, depth * sizeof(*queue->cq),
				       &queue->cq_bus, GFP_KERNEL);
	return queue->sq && queue->cq ? 0 : -ENOMEM;
}

static int alloc_reqs(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_req *req;
	u32 tag;

	queue->req = kvcalloc(queue->depth - 1, sizeof(*queue->req),
			      GFP_KERNEL | __GFP_NOWARN);
	if (!queue->req)
		return -ENOMEM;
	for (tag = 0; tag < queue->depth - 1; tag++) {
		req = &queue->req[tag];
		req->tag = tag;
		req->chunk = dma_pool_zalloc(queue->ctrl->chunks, GFP_KERNEL,
					     &req->chunk_bus);
		if (!req->chunk)
			return -ENOMEM;
		list_add_tail(&req->link, &queue->free);
	}
	return 0;
}

static int alloc_bounce(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_bounce *bounce;
	u32 i;

	queue->bounce = kcalloc(VSL_NVME_BLOCKS_MAX, sizeof(*bounce),
				GFP_KERNEL);
	if (!queue->bounce)
		return -ENOMEM;
	for (i = 0; i < VSL_NVME_BLOCKS_MAX; i++) {
		bounce = &queue->bounce[i];
		bounce->mem = dma_pool_alloc(queue->ctrl->pages, GFP_KERNEL,
					     &bounce->bus);
		if (!bounce->mem)
			return -ENOMEM;
		queue->bounce_free[queue->nr_bounce_free++] = i;
	}
	return 0;
}

/**
 * vsl_nvme_queue_alloc() - memory of a queue
 * @ctrl: its controller
 * @id: its number
 * @depth: entries of its rings, 2 to VSL_NVME_DEPTH
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM; vsl_nvme_queue_free() is right in both cases.
 */
int vsl_nvme_queue_alloc(struct vsl_nvme_ctrl *ctrl, u32 id, u32 depth)
{
	struct vsl_nvme_queue *queue = &ctrl->queue[id];
	int ret;

	queue->ctrl = ctrl;
	queue->id = id;
	queue->depth = depth;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->free);
	INIT_LIST_HEAD(&queue->waiting);
	ret = alloc_rings(queue);
	ret = ret ? ret : alloc_reqs(queue);
	if (id)
		ret = ret ? ret : alloc_bounce(queue);
	return ret;
}

/**
 * vsl_nvme_queue_free() - give back what vsl_nvme_queue_alloc() got
 * @queue: a queue that is not live, with nothing under way and no interrupt
 *
 * Context: process, may sleep.
 */
void vsl_nvme_queue_free(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_ctrl *ctrl = queue->ctrl;
	struct device *dev = &ctrl->pdev->dev;
	u32 i;

	for (i = 0; queue->req && i < queue->depth - 1; i++)
		if (queue->req[i].chunk)
			dma_pool_free(ctrl->chunks, queue->req[i].chunk,
				      queue->req[i].chunk_bus);
	kvfree(queue->req);
	for (i = 0; queue->bounce && i < VSL_NVME_BLOCKS_MAX; i++)
		if (queue->bounce[i].mem)
			dma_pool_free(ctrl->pages, queue->bounce[i].mem,
				      queue->bounce[i].bus);
	kfree(queue->bounce);
	if (queue->sq)
		dma_free_coherent(dev, queue->depth * sizeof(*queue->sq),
				  queue->sq, queue->sq_bus);
	if (queue->cq)
		dma_free_coherent(dev, queue->depth * sizeof(*queue->cq),
				  queue->cq, queue->cq_bus);
	memset(queue, 0, sizeof(*queue));
}
