// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_event.c - what a controller says unasked (5.2 of the specification).
 *
 * One request for an event is with the card, which keeps it until there is something
 * to say.  Its end wakes the watch (nvme_error.c), and the watch does what is to be
 * done: a warning is looked up in the SMART log at once and not when it is time
 * (nvme_health.c); of anything else the log that the event names is read, for until
 * then the card does not speak of it again. (Of what a log that is not known here would
 * tell it stays silent after the first time.)
 *
 * V1  Requests are made and given back by the watch, with ctrl->life held.
 * V2  The next one is made a second after an event: a card that has always something
 *     to say is listened to once a second, and no other work waits for it.  The log
 *     tells of five an hour.
 * V3  A reset ends the request; it is made again, and the card told again what is
 *     wanted, for that it has forgotten, too (vsl_nvme_restart()).  A card that takes no
 *     request, or does not answer one of the others here, is asked no more.
 * V4  The polls of the health stay: a card may have no events, and a bus lose them.
 */
#include "nvme.h"

#define PAUSE_JIFFIES	HZ
/* Critical warnings of SMART, all of them. */
#define WANTED_WARNINGS	0x1fu
/* Of what the card offers: changed namespaces, new firmware. */
#define WANTED_NOTICES	(NVME_OAES_NAMESPACES | NVME_OAES_FIRMWARE)

/**
 * vsl_nvme_event_came() - a command has ended; if it is the request, wake the watch
 * @ctrl: the controller
 * @req: the command, which somebody waits for
 *
 * Context: any.
 */
void vsl_nvme_event_came(struct vsl_nvme_ctrl *ctrl,
			 const struct vsl_nvme_req *req)
{
	if (req->done == &ctrl->event_done &&
	    req->status != NVME_SC_HOST_ABORTED)
		mod_delayed_work(ctrl->wq, &ctrl->watch, 0);
}

/* Tell the card what is wanted.  One that refuses may still have others to tell. */
static int choose(struct vsl_nvme_ctrl *ctrl)
{
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_SET_FEATURES,
		.cdw10[0] = cpu_to_le32(NVME_FEAT_ASYNC_EVENT),
		.cdw10[1] = cpu_to_le32(WANTED_WARNINGS |
					(ctrl->oaes & WANTED_NOTICES)),
	};
	int ret = vsl_nvme_admin(ctrl, &sqe, NULL);

	/* It does not answer that, and is reset: once is enough. */
	if (ret == -ETIME)
		ctrl->no_events = true;
	ctrl->events_chosen = ret >= 0;
	return min(ret, 0);
}

static void ask(struct vsl_nvme_ctrl *ctrl)
{
	struct nvme_sqe sqe = { .opcode = NVME_ADMIN_ASYNC_EVENT };

	if (!ctrl->events_chosen && choose(ctrl))
		return;
	reinit_completion(&ctrl->event_done);
	ctrl->event = vsl_nvme_queue_issue(&ctrl->queue[0], &sqe,
					   &ctrl->event_done);
}

/* The log that an event names, with as many bytes as are read of it. */
static void read_named_log(struct vsl_nvme_ctrl *ctrl, u32 log)
{
	u32 bytes;

	switch (log) {
	case NVME_LOG_ERROR:
		bytes = 64;
		break;
	case NVME_LOG_SMART:
	case NVME_LOG_FIRMWARE:
		bytes = 512;
		break;
	case NVME_LOG_NAMESPACES:
		bytes = NVME_PAGE_BYTES;
		break;
	default:
		return;
	}
	if (vsl_nvme_get_log(ctrl, log, bytes) == -ETIME)
		ctrl->no_events = true;
}

static void tell(struct vsl_nvme_ctrl *ctrl, u32 result)
{
	u32 log = NVME_EVENT_LOG(result);

	if (NVME_EVENT_TYPE(result) == NVME_EVENT_SMART) {
		ctrl->next_smart = jiffies;
		return;
	}
	read_named_log(ctrl, log);
	ctrl->slots_stale |= log == NVME_LOG_FIRMWARE;
	ctrl->next_smart = jiffies;
	if (!__ratelimit(&ctrl->event_limit))
		return;
	if (NVME_EVENT_TYPE(result) == NVME_EVENT_NOTICE &&
	    log == NVME_LOG_NAMESPACES)
		vsl_nvme_log(ctrl, false,
			     "Its namespaces have changed; they are seen when it is bound again");
	else
		vsl_nvme_log(ctrl, NVME_EVENT_TYPE(result) == NVME_EVENT_ERROR,
			     "It tells of an event %08x", result);
}

/* The request was taken away; the card has nothing against it. */
static bool was_taken(u16 status)
{
	switch (NVME_STATUS(NVME_STATUS_TYPE(status), NVME_STATUS_CODE(status))) {
	case NVME_SC_HOST_ABORTED:
	case NVME_SC_QUEUE_DELETED:
	case NVME_SC_ABORTED:
		return true;
	default:
		return false;
	}
}

/* The request has ended: with an event, by a reset, or the card takes none. */
static void take(struct vsl_nvme_ctrl *ctrl)
{
	u32 result = ctrl->event->result;
	u16 status = ctrl->event->status;

	vsl_nvme_req_put(&ctrl->queue[0], ctrl->event);
	ctrl->event = NULL;
	ctrl->next_event = jiffies + PAUSE_JIFFIES;
	if (status) {
		ctrl->no_events = !was_taken(status);
		return;
	}
	dev_dbg(&ctrl->pdev->dev, "event %08x\n", result);
	tell(ctrl, result);
}

/**
 * vsl_nvme_look_at_events() - hear what the controller has to say, and ask for more
 * @ctrl: one that is live
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_look_at_events(struct vsl_nvme_ctrl *ctrl)
{
	if (ctrl->event && completion_done(&ctrl->event_done))
		take(ctrl);
	if (!ctrl->event && !ctrl->no_events &&
	    time_after_eq(jiffies, ctrl->next_event))
		ask(ctrl);
}
