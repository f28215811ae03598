// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_ctrl.c - a controller is brought up, reset, shut down.
 *
 * The way up (7.6.1 of the specification): look at the capabilities, disable,
 * tell where the admin queue is, enable, ask who it is, ask for queues, make them.
 * A reset goes the same way but for memory and interrupts, which stay; so do
 * waking up and the end of a bus error.
 *
 * Invariants
 * C1  ctrl->life is held from the first register that is written to the last.
 * C2  What was mapped for the card is unmapped only when it has ended the command,
 *     or was disabled, or is no master of its bus any more.
 * C3  No register is trusted: all ones is a card that is gone, and a capability
 *     that cannot be worked with is refused with one sentence, before anything is
 *     written.
 * C4  Every wait has an end.
 * C5  A reset does not lose what is in a card's write cache: that is lost with
 *     power only.  So an operation that can be repeated is just sent again.
 */
#include "nvme.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/slab.h>

#define ADMIN_DEPTH	32u
#define IDLE_POLL_MS	2

/* ---- registers -------------------------------------------------------------- */

static u32 read32(const struct vsl_nvme_ctrl *ctrl, u32 reg)
{
	return readl(ctrl->bar + reg);
}

static void write32(const struct vsl_nvme_ctrl *ctrl, u32 reg, u32 value)
{
	writel(value, ctrl->bar + reg);
}

/**
 * vsl_nvme_csts() - the status register; all ones if there is no card
 * @ctrl: the controller
 */
u32 vsl_nvme_csts(struct vsl_nvme_ctrl *ctrl)
{
	return read32(ctrl, NVME_REG_CSTS);
}

/**
 * vsl_nvme_is_gone() - does nobody answer any more?
 * @ctrl: the controller
 *
 * A bus that was stopped because of an error does not answer either, but may
 * again.
 */
bool vsl_nvme_is_gone(struct vsl_nvme_ctrl *ctrl)
{
	return vsl_nvme_csts(ctrl) == NVME_ALL_ONES &&
	       !pci_channel_offline(ctrl->pdev);
}

/* Wait until (status & mask) == value. */
static int wait_status(struct vsl_nvme_ctrl *ctrl, u32 mask, u32 value,
		       u32 most_ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(most_ms) + 1;
	bool late;
	u32 csts;

	for (;;) {
		late = time_after(jiffies, end);
		csts = vsl_nvme_csts(ctrl);
		if (csts == NVME_ALL_ONES)
			return -ENODEV;
		if ((csts & mask) == value)
			return 0;
		if (late)
			return -ETIME;
		usleep_range(500, 1000);
	}
}

static int refuse(struct vsl_nvme_ctrl *ctrl, const char *why)
{
	vsl_nvme_log(ctrl, true, "Refused: %s", why);
	return -ENODEV;
}

/* Two doorbells of a queue each. */
static u64 doorbells_end(const struct vsl_nvme_ctrl *ctrl, u32 nr_queues)
{
	return NVME_REG_DOORBELLS + 2ull * nr_queues * ctrl->stride;
}

static int check_capabilities(struct vsl_nvme_ctrl *ctrl)
{
	u64 cap = lo_hi_readq(ctrl->bar + NVME_REG_CAP);

	/* Some bridges read as zeros where nobody is. */
	if (cap == U64_MAX || !cap || vsl_nvme_csts(ctrl) == NVME_ALL_ONES)
		return refuse(ctrl,
			      "nobody answers at its address; remove it, and rescan the bus");
	if (!NVME_CAP_NVM(cap) && !NVME_CAP_ALL_SETS(cap))
		return refuse(ctrl, "it does not know the NVM command set");
	if (NVME_CAP_MPSMIN(cap))
		return refuse(ctrl, "it cannot work with pages of 4 KiB");
	if (!NVME_CAP_MQES(cap))
		return refuse(ctrl, "its queues have room for one entry only");
	ctrl->cap = cap;
	ctrl->stride = 4u << NVME_CAP_DSTRD(cap);
	/* Some say 0 and take a while. */
	ctrl->ready_ms = max(NVME_CAP_TO(cap), 4u) * 500;
	if (ctrl->bar_bytes < doorbells_end(ctrl, 2))
		return refuse(ctrl, "its registers have no room for the doorbells of two queues");
	return 0;
}

/**
 * vsl_nvme_disable() - the card forgets its queues and reaches no memory any more
 * @ctrl: the controller
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0; -ENODEV it is gone; -ETIME.
 */
int vsl_nvme_disable(struct vsl_nvme_ctrl *ctrl)
{
	u32 cc = read32(ctrl, NVME_REG_CC);

	if (cc == NVME_ALL_ONES)
		return -ENODEV;
	cc &= ~(NVME_CC_ENABLE | NVME_CC_SHN_MASK);
	write32(ctrl, NVME_REG_CC, cc);
	return wait_status(ctrl, NVME_CSTS_READY, 0, ctrl->ready_ms);
}

static int enable(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_nvme_queue *admin = &ctrl->queue[0];
	u32 cc = NVME_CC_ENABLE | NVME_CC_SQES | NVME_CC_CQES;
	int ret;

	if (NVME_CAP_ALL_SETS(ctrl->cap))
		cc |= NVME_CC_ALL_SETS;
	vsl_nvme_queue_init(admin);
	write32(ctrl, NVME_REG_AQA, (admin->depth - 1) << 16 |
		(admin->depth - 1));
	lo_hi_writeq(admin->sq_bus, ctrl->bar + NVME_REG_ASQ);
	lo_hi_writeq(admin->cq_bus, ctrl->bar + NVME_REG_ACQ);
	write32(ctrl, NVME_REG_CC, cc);
	ret = wait_status(ctrl, NVME_CSTS_READY | NVME_CSTS_FATAL,
			  NVME_CSTS_READY, ctrl->ready_ms);
	if (!ret)
		vsl_nvme_queue_go(admin);
	return ret;
}

/* ---- up --------------------------------------------------------------------- */

static u32 depth_of(const struct vsl_nvme_ctrl *ctrl, u32 most)
{
	return min(most, NVME_CAP_MQES(ctrl->cap) + 1);
}

static int alloc_queue(struct vsl_nvme_ctrl *ctrl, u32 id, u32 most)
{
	/* Also if this fails there may be something to be freed. */
	ctrl->nr_allocated = id + 1;
	return vsl_nvme_queue_alloc(ctrl, id, depth_of(ctrl, most));
}

static int alloc_pools(struct vsl_nvme_ctrl *ctrl)
{
	struct device *dev = &ctrl->pdev->dev;

	ctrl->chunks = dma_pool_create("openvsl chunks", dev,
				       VSL_NVME_CHUNK_BYTES,
				       VSL_NVME_CHUNK_BYTES, 0);
	ctrl->pages = dma_pool_create("openvsl pages", dev, NVME_PAGE_BYTES,
				      NVME_PAGE_BYTES, 0);
	if (!ctrl->chunks || !ctrl->pages)
		return -ENOMEM;
	ctrl->page = dma_pool_alloc(ctrl->pages, GFP_KERNEL, &ctrl->page_bus);
	ctrl->gap = dma_pool_alloc(ctrl->pages, GFP_KERNEL, &ctrl->gap_bus);
	ctrl->shadow = dma_pool_alloc(ctrl->pages, GFP_KERNEL,
				      &ctrl->shadow_bus);
	ctrl->looks_to = dma_pool_alloc(ctrl->pages, GFP_KERNEL,
					&ctrl->looks_to_bus);
	ctrl->queue_of = kcalloc(nr_cpu_ids, sizeof(*ctrl->queue_of),
				 GFP_KERNEL);
	return ctrl->page && ctrl->gap && ctrl->shadow && ctrl->looks_to &&
	       ctrl->queue_of ? 0 : -ENOMEM;
}

/* How many queues for I/O to ask for. */
static u32 queues_wanted(const struct vsl_nvme_ctrl *ctrl)
{
	u32 nr = min(num_possible_cpus(), VSL_NVME_QUEUES_MAX);

	while (nr > 1 && ctrl->bar_bytes < doorbells_end(ctrl, nr + 1))
		nr--;
	return nr;
}

static int create_queues(struct vsl_nvme_ctrl *ctrl)
{
	u32 nr = ctrl->nr_io, id;
	int ret;

	ret = vsl_nvme_queue_count(ctrl, &nr);
	if (!ret && nr < ctrl->nr_io)
		ret = -EIO;
	ret = ret ? ret : vsl_nvme_shadow_doorbells(ctrl);
	ret = ret ? ret : vsl_nvme_coalesce(ctrl);
	for (id = 1; id <= ctrl->nr_io && !ret; id++) {
		vsl_nvme_queue_init(&ctrl->queue[id]);
		ret = vsl_nvme_create_queue(&ctrl->queue[id]);
	}
	if (ret)
		return ret > 0 ? -EIO : ret;
	ctrl->is_up = true;
	for (id = 1; id <= ctrl->nr_io; id++)
		vsl_nvme_queue_go(&ctrl->queue[id]);
	return 0;
}

/* Who it is, and the queues that it gives us. */
static int start_io(struct vsl_nvme_ctrl *ctrl)
{
	u32 nr = queues_wanted(ctrl), id;
	int ret;

	ret = vsl_nvme_learn(ctrl);
	ret = ret ? ret : vsl_nvme_queue_count(ctrl, &nr);
	for (id = 1; id <= nr && !ret; id++)
		ret = alloc_queue(ctrl, id, VSL_NVME_DEPTH);
	ret = ret ? ret : vsl_nvme_vectors(ctrl, nr);
	return ret ? ret : create_queues(ctrl);
}

/**
 * vsl_nvme_start() - bring a controller up for the first time
 * @ctrl: its registers are mapped
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0; -ENODEV it cannot be used, which was said; others.  In all cases
 * vsl_nvme_kill() and vsl_nvme_free_queues() take back what there is.
 */
int vsl_nvme_start(struct vsl_nvme_ctrl *ctrl)
{
	struct device *dev = &ctrl->pdev->dev;
	size_t most = dma_max_mapping_size(dev);
	int ret;

	ret = check_capabilities(ctrl);
	if (ret)
		return ret;
	ctrl->map_bytes = min_t(size_t, most, VSL_NVME_BLOCKS_MAX *
				VSL_BLOCK_BYTES + NVME_PAGE_BYTES);
	ctrl->map_bytes = round_down(ctrl->map_bytes, NVME_PAGE_BYTES);
	ctrl->map_bytes = max(ctrl->map_bytes, 2 * NVME_PAGE_BYTES);
	ret = vsl_nvme_disable(ctrl);
	ret = ret ? ret : alloc_pools(ctrl);
	ret = ret ? ret : alloc_queue(ctrl, 0, ADMIN_DEPTH);
	ret = ret ? ret : vsl_nvme_vectors(ctrl, 0);
	ret = ret ? ret : enable(ctrl);
	ret = ret ? ret : start_io(ctrl);
	if (!ret) {
		ctrl->state = VSL_NVME_LIVE;
		vsl_nvme_log(ctrl, false,
			     "NVMe controller, firmware %s, %u queues of %u, %u interrupts",
			     ctrl->info.firmware, ctrl->nr_io,
			     ctrl->queue[1].depth, ctrl->nr_vectors);
	} else if (ret != -ENODEV) {
		vsl_nvme_log(ctrl, true, "It cannot be brought up: %d", ret);
	}
	return ret;
}

/**
 * vsl_nvme_restart() - bring it up again: after a reset, sleep, or bus error
 * @ctrl: paused, its bus works
 *
 * What the card had is sent again, or has ended by then.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0; others: then it is to be killed.
 */
int vsl_nvme_restart(struct vsl_nvme_ctrl *ctrl)
{
	int ret;
	u32 id;

	ctrl->is_up = false;
	ctrl->events_chosen = false;
	/* Whatever it was, it is done now. */
	WRITE_ONCE(ctrl->reset_wanted, false);
	vsl_nvme_pause(ctrl, 0);
	pci_set_master(ctrl->pdev);
	ret = vsl_nvme_disable(ctrl);
	if (ret)
		return ret;
	for (id = 0; id < ctrl->nr_allocated; id++)
		vsl_nvme_queue_stop(&ctrl->queue[id]);
	ret = enable(ctrl);
	ret = ret ? ret : vsl_nvme_learn(ctrl);
	ret = ret ? ret : create_queues(ctrl);
	if (!ret)
		ctrl->state = VSL_NVME_LIVE;
	return ret;
}

/* ---- down ------------------------------------------------------------------- */

static bool has_issued(struct vsl_nvme_queue *queue)
{
	bool found = false;
	u32 tag;

	spin_lock_irq(&queue->lock);
	for (tag = 0; tag < queue->depth - 1 && !found; tag++)
		found = queue->req[tag].state == VSL_NVME_ISSUED;
	spin_unlock_irq(&queue->lock);
	return found;
}

static bool is_idle(struct vsl_nvme_ctrl *ctrl)
{
	u32 id;

	for (id = 1; id <= ctrl->nr_io; id++)
		if (has_issued(&ctrl->queue[id]))
			return false;
	return true;
}

/**
 * vsl_nvme_pause() - give the card no more commands
 * @ctrl: the controller
 * @wait_ms: how long those that it has may take to end
 *
 * New operations stand in line.
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_pause(struct vsl_nvme_ctrl *ctrl, u32 wait_ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(wait_ms);
	u32 id;

	for (id = 1; id <= ctrl->nr_io; id++)
		vsl_nvme_queue_pause(&ctrl->queue[id]);
	while (wait_ms && !is_idle(ctrl) && time_before(jiffies, end) &&
	       !vsl_nvme_is_gone(ctrl)) {
		msleep(IDLE_POLL_MS);
		for (id = 1; id <= ctrl->nr_io; id++)
			vsl_nvme_queue_reap(&ctrl->queue[id]);
	}
}

/**
 * vsl_nvme_shut_down() - tell the card that its power may go
 * @ctrl: paused
 *
 * It saves what it has in memory (7.6.2 of the specification), and is disabled.
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_shut_down(struct vsl_nvme_ctrl *ctrl)
{
	u32 cc = read32(ctrl, NVME_REG_CC);

	if (cc == NVME_ALL_ONES || !(cc & NVME_CC_ENABLE))
		return;
	cc = (cc & ~NVME_CC_SHN_MASK) | NVME_CC_SHN_NORMAL;
	write32(ctrl, NVME_REG_CC, cc);
	if (wait_status(ctrl, NVME_CSTS_SHST_MASK, NVME_CSTS_SHST_DONE,
			ctrl->shutdown_ms))
		vsl_nvme_log(ctrl, true, "It does not end its shutdown");
	vsl_nvme_disable(ctrl);
}

/**
 * vsl_nvme_tell() - tell a card of an event that concerns all of it
 * @ns: its namespace; perhaps it is no card yet, and nobody is told
 * @what: the event
 *
 * Context: any.
 */
void vsl_nvme_tell(struct vsl_nvme_ns *ns, enum vsl_media_event what)
{
	struct vsl_media *media = &ns->media;
	void (*event)(void *ctx, enum vsl_media_event what, u32 unit, u32 eu);

	event = READ_ONCE(media->event);
	if (event)
		event(media->event_ctx, what, 0, 0);
}

/**
 * vsl_nvme_kill() - there is no card any more
 * @ctrl: the controller
 * @why: what happened, for the log; NULL if its cards need not be told
 *
 * Everything ends with VSL_RES_GONE, now and in future.
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_kill(struct vsl_nvme_ctrl *ctrl, const char *why)
{
	struct vsl_nvme_ns *ns;
	u32 id;

	if (ctrl->state == VSL_NVME_DEAD)
		return;
	ctrl->state = VSL_NVME_DEAD;
	ctrl->is_up = false;
	if (why)
		vsl_nvme_log(ctrl, true, "Given up: %s", why);
	for (id = 0; id < ctrl->nr_allocated; id++)
		vsl_nvme_queue_pause(&ctrl->queue[id]);
	/* It may be there and mad: it must not reach memory any more. */
	pci_clear_master(ctrl->pdev);
	for (id = 0; id < ctrl->nr_allocated; id++)
		vsl_nvme_queue_kill(&ctrl->queue[id]);
	if (!why)
		return;
	list_for_each_entry(ns, &ctrl->namespaces, link)
		vsl_nvme_tell(ns, VSL_EVENT_GONE);
}

static void free_page_of(struct vsl_nvme_ctrl *ctrl, void *page, dma_addr_t bus)
{
	if (page)
		dma_pool_free(ctrl->pages, page, bus);
}

/**
 * vsl_nvme_free_queues() - free the memory of a controller
 * @ctrl: killed, its interrupts freed
 *
 * Context: process, may sleep.
 */
void vsl_nvme_free_queues(struct vsl_nvme_ctrl *ctrl)
{
	u32 id;

	for (id = 0; id < ctrl->nr_allocated; id++)
		vsl_nvme_queue_free(&ctrl->queue[id]);
	ctrl->nr_allocated = 0;
	kfree(ctrl->queue_of);
	free_page_of(ctrl, ctrl->page, ctrl->page_bus);
	free_page_of(ctrl, ctrl->gap, ctrl->gap_bus);
	free_page_of(ctrl, ctrl->shadow, ctrl->shadow_bus);
	free_page_of(ctrl, ctrl->looks_to, ctrl->looks_to_bus);
	if (ctrl->image)
		dma_free_coherent(&ctrl->pdev->dev, VSL_NVME_IMAGE_BYTES,
				  ctrl->image, ctrl->image_bus);
	dma_pool_destroy(ctrl->pages);
	dma_pool_destroy(ctrl->chunks);
}
