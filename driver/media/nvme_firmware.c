// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_firmware.c - the logs of a controller, and how it gets another firmware.
 *
 * Logs are read by the watch: that of errors (5.14.1.1) when SMART says that there are
 * new ones, that of the slots of firmware (5.14.1.3) when they may have changed.  Who
 * wants to know gets what was read last, so nobody can keep the card busy by asking.
 *
 * An image goes to the card in pieces (5.12) and is committed (5.11).  Between the
 * pieces the controller is as usable as ever; a reset takes what it has of the image
 * away, so what was begun before one does not go on after it.
 *
 * W1  ctrl->logs is copied as a whole, under ctrl->logs_lock; it is written by the
 *     holder of ctrl->life only.
 * W2  The memory that a piece is read from stays as long as the controller: a card
 *     that does not end a command may read it until it is disabled.
 * W3  One image at a time goes to a controller, whichever of its namespaces asks.
 * W4  A log that the card refuses, or does not answer for, is not asked for again.
 */
#include "nvme.h"

#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "nvme_logs.h"

/* A commit may write the flash that holds the firmware, and takes its time. */
#define COMMIT_JIFFIES	(60 * HZ)

static_assert(VSL_NVME_BLOCKS_MAX <= VSL_NVME_IMAGE_PAGES);
static_assert(VSL_LOGS_NO_QUEUE == NVME_ERROR_NO_QUEUE);

static struct vsl_nvme_ctrl *ctrl_of(struct vsl_media *media)
{
	return container_of(media, struct vsl_nvme_ns, media)->ctrl;
}

/* ---- logs --------------------------------------------------------------------- */

static void keep(struct vsl_nvme_ctrl *ctrl, const struct vsl_media_logs *logs)
{
	lockdep_assert_held(&ctrl->life);

	spin_lock(&ctrl->logs_lock);
	ctrl->logs = *logs;
	spin_unlock(&ctrl->logs_lock);
}

/**
 * vsl_nvme_logs_learn() - take what Identify says of logs and firmware
 * @ctrl: the controller
 * @id: what it has said
 *
 * The logs are read again soon.
 *
 * Context: process, with ctrl->life held.
 */
void vsl_nvme_logs_learn(struct vsl_nvme_ctrl *ctrl,
			 const struct nvme_id_ctrl *id)
{
	struct vsl_media_logs logs;

	vsl_nvme_logs_begin(id, &logs);
	keep(ctrl, &logs);
	ctrl->fwug = id->fwug;
	ctrl->starts++;
	ctrl->slots_stale = true;
	ctrl->errors_known = false;
	ctrl->next_smart = jiffies;
}

/* Is it in ctrl->page now?  @never: W4 */
static bool get_log(struct vsl_nvme_ctrl *ctrl, u32 log, u32 bytes, bool *never)
{
	int ret = *never ? -EOPNOTSUPP : vsl_nvme_get_log(ctrl, log, bytes);

	if (ret && ret != -ENODEV)
		*never = true;
	return !ret;
}

/**
 * vsl_nvme_look_at_logs() - read what may have changed
 * @ctrl: one that is live
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_look_at_logs(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_media_logs logs = ctrl->logs;
	bool errors = ctrl->errors_known && (!(logs.flags & VSL_LOGS_ERRORS) ||
					     logs.errors != ctrl->errors);

	if (!errors && !ctrl->slots_stale)
		return;
	if (errors) {
		logs.flags |= VSL_LOGS_ERRORS;
		logs.errors = ctrl->errors;
		if (logs.errors && get_log(ctrl, NVME_LOG_ERROR,
					   sizeof(struct nvme_error),
					   &ctrl->no_error_log))
			vsl_nvme_logs_error(ctrl->page, &logs);
	}
	if (ctrl->slots_stale && get_log(ctrl, NVME_LOG_FIRMWARE,
					 sizeof(struct nvme_firmware),
					 &ctrl->no_slot_log))
		vsl_nvme_logs_firmware(ctrl->page, &logs);
	ctrl->slots_stale = false;
	keep(ctrl, &logs);
}

/**
 * vsl_nvme_logs() - vsl_media_ops.logs() of all
 * @media: of a struct vsl_nvme_ns
 * @logs: filled in
 *
 * Context: process.
 */
void vsl_nvme_logs(struct vsl_media *media, struct vsl_media_logs *logs)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);

	spin_lock(&ctrl->logs_lock);
	*logs = ctrl->logs;
	spin_unlock(&ctrl->logs_lock);
}

/* ---- firmware ----------------------------------------------------------------- */

/* Nobody can be reached: for ever, or until somebody has mended it. */
static int why_down(const struct vsl_nvme_ctrl *ctrl)
{
	return ctrl->state == VSL_NVME_DEAD ? -ENODEV : -ECONNRESET;
}

static int check_begin(const struct vsl_nvme_ctrl *ctrl,
		       const struct vsl_media_firmware *fw)
{
	if (!ctrl->is_up)
		return why_down(ctrl);
	if (!(ctrl->logs.flags & VSL_LOGS_UPDATE) || !fw->piece_bytes)
		return -EOPNOTSUPP;
	if (fw->slot > ctrl->logs.slots ||
	    (fw->slot == 1 && ctrl->logs.flags & VSL_LOGS_SLOT1_FIXED))
		return -ERANGE;
	return ctrl->updating ? -EBUSY : 0;
}

/*
 * Room for the largest piece that any firmware could want, and its list (W2).  Not by
 * writing to this card: nobody would see that it hangs while ctrl->life is held.
 */
static int get_image_memory(struct vsl_nvme_ctrl *ctrl)
{
	if (!ctrl->image)
		ctrl->image = dma_alloc_coherent(&ctrl->pdev->dev,
						 VSL_NVME_IMAGE_BYTES,
						 &ctrl->image_bus, GFP_NOIO);
	return ctrl->image ? 0 : -ENOMEM;
}

static int update_begin(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	int ret;

	mutex_lock(&ctrl->life);
	fw->piece_bytes = vsl_nvme_piece_bytes(ctrl->fwug, ctrl->max_blocks <<
					       VSL_BLOCK_SHIFT);
	fw->priv = ctrl->starts;
	ret = check_begin(ctrl, fw);
	ret = ret ? ret : get_image_memory(ctrl);
	if (!ret)
		ctrl->updating = true;
	mutex_unlock(&ctrl->life);
	return ret;
}

/* A command of an update, if the controller is still the one that it began with. */
static int run_locked(struct vsl_nvme_ctrl *ctrl, struct vsl_media_firmware *fw,
		      const struct nvme_sqe *sqe, unsigned long most_jiffies)
{
	int ret;

	lockdep_assert_held(&ctrl->life);

	if (!ctrl->is_up)
		return why_down(ctrl);
	if (fw->priv != ctrl->starts)
		return -ECONNRESET;
	ret = vsl_nvme_admin_within(ctrl, sqe, NULL, most_jiffies);
	if (ret <= 0)
		return ret;
	vsl_nvme_log(ctrl, true,
		     "The firmware command %02x at %u ended with status %03x",
		     sqe->opcode, fw->offset, ret);
	return vsl_nvme_firmware_result(ret, &fw->end);
}

static int update_piece(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	u32 bytes = round_up(fw->bytes, NVME_PAGE_BYTES);
	struct nvme_sqe sqe;
	int ret;

	mutex_lock(&ctrl->life);
	memcpy(ctrl->image, fw->data, fw->bytes);
	vsl_nvme_download(&sqe, fw, ctrl->image_bus, ctrl->image + bytes);
	ret = run_locked(ctrl, fw, &sqe, vsl_nvme_admin_jiffies(ctrl));
	mutex_unlock(&ctrl->life);
	return ret;
}

static int update_commit(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	struct nvme_sqe sqe;
	int ret;

	vsl_nvme_commit(&sqe, fw);
	fw->end = fw->now ? VSL_FIRMWARE_RUNS : VSL_FIRMWARE_AT_RESET;
	mutex_lock(&ctrl->life);
	ret = run_locked(ctrl, fw, &sqe, COMMIT_JIFFIES);
	/* It may have another name now. */
	if (!ret && fw->end == VSL_FIRMWARE_RUNS)
		vsl_nvme_learn(ctrl);
	mutex_unlock(&ctrl->life);
	return ret;
}

static void update_end(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);

	mutex_lock(&ctrl->life);
	ctrl->updating = false;
	ctrl->slots_stale = true;
	/* Who looks at the card next is to see it. */
	if (ctrl->is_up)
		vsl_nvme_look_at_logs(ctrl);
	mutex_unlock(&ctrl->life);
}

const struct vsl_media_update_ops vsl_nvme_update_ops = {
	.begin = update_begin,
	.piece = update_piece,
	.commit = update_commit,
	.end = update_end,
};
