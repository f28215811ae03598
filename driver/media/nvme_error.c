// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_error.c - what takes too long, and what is done about it.
 *
 * Once a second the watch looks at each controller.  A command that is older than
 * a second may have ended without its interrupt: the ring is looked at.  One that
 * takes longer than the parameter nvme_timeout says is aborted; if half as long
 * later it still has not ended, or the controller says that it has failed, the
 * controller is reset, and what can be repeated is sent again; the same if it does
 * not answer a command of administration.  One that does not
 * come back, or was reset a few times without one operation that ended between, is
 * given up: everything ends with VSL_RES_GONE.
 *
 * E1  Watch and reset hold ctrl->life while they work, so they are never at it at
 *     once, nor in the way of who brings the controller up or down.
 * E2  The watch runs from the first bring-up until the controller is dead.
 * E3  A controller whose registers read as all ones is gone and given up at once,
 *     unless its bus has an error that somebody is at work on (nvme_pci.c); that
 *     somebody has a minute.
 */
#include "nvme.h"

#include <linux/module.h>
#include <linux/sched/mm.h>

#define RESETS_MAX		3u
#define POLL_JIFFIES		HZ
#define STOPPED_JIFFIES		(60 * HZ)

static unsigned int nvme_timeout = 30;
module_param(nvme_timeout, uint, 0644);
MODULE_PARM_DESC(nvme_timeout,
		 "seconds after which a command to a PCIe card is aborted, half as much again and the card is reset (default 30)");

static unsigned long timeout_jiffies(void)
{
	return clamp(READ_ONCE(nvme_timeout), 1u, 3600u) * HZ;
}

/**
 * vsl_nvme_admin_jiffies() - how long a command of administration may take
 * @ctrl: the controller
 *
 * On the way up some take their time; later who asks is the watch, which has
 * other things to see to.
 *
 * Context: process, with ctrl->life held.
 */
unsigned long vsl_nvme_admin_jiffies(const struct vsl_nvme_ctrl *ctrl)
{
	unsigned long most = 60 * HZ;

	return ctrl->is_up ? min(most, timeout_jiffies()) : most;
}

/**
 * vsl_nvme_want_reset() - the controller is to be reset soon
 * @ctrl: the controller
 *
 * Context: any.
 */
void vsl_nvme_want_reset(struct vsl_nvme_ctrl *ctrl)
{
	WRITE_ONCE(ctrl->reset_wanted, true);
	queue_work(ctrl->wq, &ctrl->reset);
}

/* ---- the watch -------------------------------------------------------------- */

/* The command that the card has had for longest. */
struct oldest {
	unsigned long age;	/* 0: there is none */
	u16 cid;
	u8 opcode;
	bool aborted;
};

static struct vsl_nvme_req *oldest_locked(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_req *req, *oldest = NULL;
	u32 tag;

	lockdep_assert_held(&queue->lock);

	for (tag = 0; queue->busy && tag < queue->depth - 1; tag++) {
		req = &queue->req[tag];
		if (req->state == VSL_NVME_ISSUED &&
		    (!oldest || time_before(req->since, oldest->since)))
			oldest = req;
	}
	return oldest;
}

/* @abort: it is going to be aborted. */
static void find_oldest(struct vsl_nvme_queue *queue, bool abort,
			struct oldest *oldest)
{
	struct vsl_nvme_req *req;

	memset(oldest, 0, sizeof(*oldest));
	spin_lock_irq(&queue->lock);
	req = oldest_locked(queue);
	if (req) {
		oldest->age = jiffies - req->since;
		oldest->cid = le16_to_cpu(req->sqe.cid);
		oldest->opcode = req->sqe.opcode;
		oldest->aborted = req->aborted;
		req->aborted |= abort;
	}
	spin_unlock_irq(&queue->lock);
}

static void abort_oldest(struct vsl_nvme_queue *queue)
{
	struct vsl_nvme_ctrl *ctrl = queue->ctrl;
	struct oldest oldest;
	int ret;

	find_oldest(queue, true, &oldest);
	if (oldest.aborted || oldest.age <= timeout_jiffies())
		return;
	ret = vsl_nvme_abort(ctrl, queue->id, oldest.cid);
	if (__ratelimit(&ctrl->log_limit))
		vsl_nvme_log(ctrl, true,
			     "Command %02x in queue %u takes longer than %lu s, aborted: %s",
			     oldest.opcode, queue->id, timeout_jiffies() / HZ,
			     ret == 0 ? "yes" : ret == -EAGAIN ? "not yet" :
			     "no answer");
}

static void watch_queue(struct vsl_nvme_queue *queue)
{
	unsigned long timeout = timeout_jiffies();
	struct oldest oldest;

	find_oldest(queue, false, &oldest);
	if (oldest.age <= POLL_JIFFIES)
		return;
	vsl_nvme_queue_reap(queue);
	find_oldest(queue, false, &oldest);
	if (oldest.age > timeout + timeout / 2)
		vsl_nvme_want_reset(queue->ctrl);
	else if (oldest.age > timeout && !oldest.aborted)
		abort_oldest(queue);
}

static void watch_live(struct vsl_nvme_ctrl *ctrl)
{
	u32 csts = vsl_nvme_csts(ctrl), id;

	if (csts == NVME_ALL_ONES) {
		if (vsl_nvme_is_gone(ctrl))
			vsl_nvme_kill(ctrl, "nobody answers any more");
		return;
	}
	if (csts & NVME_CSTS_FATAL || !(csts & NVME_CSTS_READY)) {
		vsl_nvme_log(ctrl, true, csts & NVME_CSTS_FATAL ?
			     "It says that it has failed" :
			     "It has forgotten that it was brought up");
		vsl_nvme_want_reset(ctrl);
		return;
	}
	for (id = 1; id <= ctrl->nr_io; id++)
		watch_queue(&ctrl->queue[id]);
	vsl_nvme_look_at_events(ctrl);
	vsl_nvme_look_at_health(ctrl);
	vsl_nvme_look_at_logs(ctrl);
}

static void watch_work(struct work_struct *work)
{
	struct vsl_nvme_ctrl *ctrl = container_of(to_delayed_work(work),
						  struct vsl_nvme_ctrl, watch);
	bool again;

	mutex_lock(&ctrl->life);
	if (ctrl->state == VSL_NVME_LIVE)
		watch_live(ctrl);
	else if (ctrl->state == VSL_NVME_BROKEN &&
		 time_after(jiffies, ctrl->stopped + STOPPED_JIFFIES))
		vsl_nvme_kill(ctrl, "the error of its bus was not mended");
	again = ctrl->state != VSL_NVME_DEAD;
	mutex_unlock(&ctrl->life);
	if (again)
		queue_delayed_work(ctrl->wq, &ctrl->watch, POLL_JIFFIES);
}

/* ---- reset ------------------------------------------------------------------ */

/* Operations that the card has ended, ever. */
static u64 count_ended(struct vsl_nvme_ctrl *ctrl)
{
	u64 sum = 0;
	u32 id;

	for (id = 1; id <= ctrl->nr_io; id++) {
		spin_lock_irq(&ctrl->queue[id].lock);
		sum += ctrl->queue[id].ended;
		spin_unlock_irq(&ctrl->queue[id].lock);
	}
	return sum;
}

static void try_reset(struct vsl_nvme_ctrl *ctrl)
{
	int ret = -EIO;

	if (count_ended(ctrl) != ctrl->reset_ended)
		ctrl->resets = 0;
	while (ret && ctrl->resets++ < RESETS_MAX) {
		if (__ratelimit(&ctrl->log_limit))
			vsl_nvme_log(ctrl, true, "Reset");
		ret = vsl_nvme_restart(ctrl);
		if (ret == -ENODEV)
			break;
	}
	if (ret)
		vsl_nvme_kill(ctrl, "no reset helps");
	ctrl->reset_ended = count_ended(ctrl);
}

static void reset_work(struct work_struct *work)
{
	struct vsl_nvme_ctrl *ctrl = container_of(work, struct vsl_nvme_ctrl,
						  reset);
	unsigned int noio;

	mutex_lock(&ctrl->life);
	/* Memory must not be got by writing to this very card. */
	noio = memalloc_noio_save();
	if (READ_ONCE(ctrl->reset_wanted) && ctrl->state == VSL_NVME_LIVE)
		try_reset(ctrl);
	memalloc_noio_restore(noio);
	mutex_unlock(&ctrl->life);
}

/**
 * vsl_nvme_error_init() - make watch and reset, which do nothing yet
 * @ctrl: the controller
 *
 * Context: process.
 */
void vsl_nvme_error_init(struct vsl_nvme_ctrl *ctrl)
{
	INIT_DELAYED_WORK(&ctrl->watch, watch_work);
	INIT_WORK(&ctrl->reset, reset_work);
}
