// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_firmware.c - the logs of a controller, and how it gets another firmware.
 *
 * Logs are read by the watch: with the SMART log (nvme_health.c), when that says that
 * there are new errors, and the slots of firmware when they may have changed.  Who wants
 * to know gets what was read last, so nobody can keep the card busy by asking.
 *
 * An image goes to the card in pieces (5.12) and is committed (5.11) to run after the
 * next reset.  Between the pieces the controller is as usable as ever; a reset takes what
 * it has of the image away, so what was begun before one does not go on after it.
 *
 * W1  ctrl->logs is copied as a whole, under ctrl->logs_lock; it is written by the
 *     holder of ctrl->life only.
 * W2  A piece is in memory of its own while the card could read it.
 */
#include "nvme.h"

#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "nvme_logs.h"

static struct vsl_nvme_ctrl *ctrl_of(struct vsl_media *media)
{
	return container_of(media, struct vsl_nvme_ns, media)->ctrl;
}

/* ---- logs --------------------------------------------------------------------- */

static void keep(struct vsl_nvme_ctrl *ctrl, const struct vsl_media_logs *logs)
{
	spin_lock(&ctrl->logs_lock);
	ctrl->logs = *logs;
	spin_unlock(&ctrl->logs_lock);
}

/**
 * vsl_nvme_logs_learn() - take what Identify says of logs and firmware
 * @ctrl: the controller
 * @id: what it has said
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
}

static int read_errors(struct vsl_nvme_ctrl *ctrl, u64 errors,
		       struct vsl_media_logs *logs)
{
	int ret;

	if (logs->flags & VSL_LOGS_ERRORS && logs->errors == errors)
		return 0;
	logs->flags |= VSL_LOGS_ERRORS;
	logs->errors = errors;
	if (!errors)
		return 0;
	ret = vsl_nvme_get_log(ctrl, NVME_LOG_ERROR, sizeof(struct nvme_error));
	if (!ret)
		vsl_nvme_logs_error(ctrl->page, logs);
	return ret;
}

/**
 * vsl_nvme_look_at_logs() - read what may have changed
 * @ctrl: one that is live
 * @errors: entries that its error log has had, as the SMART log says
 *
 * Context: process, may sleep, with ctrl->life held.
 */
void vsl_nvme_look_at_logs(struct vsl_nvme_ctrl *ctrl, u64 errors)
{
	struct vsl_media_logs logs = ctrl->logs;
	int ret = read_errors(ctrl, errors, &logs);

	if (ret >= 0 && ctrl->slots_stale) {
		ret = vsl_nvme_get_log(ctrl, NVME_LOG_FIRMWARE,
				       sizeof(struct nvme_firmware));
		/* One that does not know the log will not learn. */
		ctrl->slots_stale = ret < 0;
		if (!ret)
			vsl_nvme_logs_firmware(ctrl->page, &logs);
	}
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

static int update_begin(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	int ret = 0;

	mutex_lock(&ctrl->life);
	fw->piece_bytes = vsl_nvme_piece_bytes(ctrl->fwug, ctrl->max_blocks <<
					       VSL_BLOCK_SHIFT);
	fw->priv = ctrl->starts;
	if (!ctrl->is_up)
		ret = -ENODEV;
	else if (!(ctrl->logs.flags & VSL_LOGS_UPDATE) || !fw->piece_bytes)
		ret = -EOPNOTSUPP;
	else if (fw->slot > ctrl->logs.slots ||
		 (fw->slot == 1 && ctrl->logs.flags & VSL_LOGS_SLOT1_FIXED))
		ret = -ERANGE;
	mutex_unlock(&ctrl->life);
	return ret;
}

/* A command of an update, if the controller is still the one that it began with. */
static int command(struct vsl_nvme_ctrl *ctrl, struct vsl_media_firmware *fw,
		   const struct nvme_sqe *sqe)
{
	int ret = -ENODEV;

	mutex_lock(&ctrl->life);
	if (ctrl->is_up && fw->priv != ctrl->starts)
		ret = -ECONNRESET;
	else if (ctrl->is_up)
		ret = vsl_nvme_admin(ctrl, sqe, NULL);
	mutex_unlock(&ctrl->life);
	return ret > 0 ? vsl_nvme_firmware_result(ret, &fw->end) : ret;
}

/* Two pages are named by the command, more by a list: the page behind them. */
static u64 second_page(void *mem, dma_addr_t bus, u32 pages)
{
	__le64 *list = mem + pages * NVME_PAGE_BYTES;
	u32 i;

	if (pages <= 2)
		return pages == 2 ? bus + NVME_PAGE_BYTES : 0;
	for (i = 1; i < pages; i++)
		list[i - 1] = cpu_to_le64(bus + i * NVME_PAGE_BYTES);
	return bus + pages * NVME_PAGE_BYTES;
}

static int update_piece(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	u32 pages = DIV_ROUND_UP(fw->bytes, NVME_PAGE_BYTES);
	size_t bytes = (pages + 1) * NVME_PAGE_BYTES;
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_FW_DOWNLOAD,
		.cdw10[0] = cpu_to_le32(fw->bytes / 4 - 1),
		.cdw10[1] = cpu_to_le32(fw->offset / 4),
	};
	dma_addr_t bus;
	void *mem;
	int ret;

	mem = dma_alloc_coherent(&ctrl->pdev->dev, bytes, &bus, GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	memcpy(mem, fw->data, fw->bytes);
	sqe.prp1 = cpu_to_le64(bus);
	sqe.prp2 = cpu_to_le64(second_page(mem, bus, pages));
	ret = command(ctrl, fw, &sqe);
	/* One that did not end in time may still be read: the reset comes first. */
	if (ret == -ETIME)
		flush_work(&ctrl->reset);
	dma_free_coherent(&ctrl->pdev->dev, bytes, mem, bus);
	return ret;
}

static int update_commit(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct vsl_nvme_ctrl *ctrl = ctrl_of(media);
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_FW_COMMIT,
		.cdw10[0] = cpu_to_le32(NVME_FW_AT_RESET |
					NVME_FW_SLOT(fw->slot)),
	};
	int ret;

	fw->end = VSL_FIRMWARE_AT_RESET;
	ret = command(ctrl, fw, &sqe);
	mutex_lock(&ctrl->life);
	ctrl->slots_stale = true;
	ctrl->next_smart = jiffies;
	mutex_unlock(&ctrl->life);
	return ret;
}

const struct vsl_media_update_ops vsl_nvme_update_ops = {
	.begin = update_begin,
	.piece = update_piece,
	.commit = update_commit,
};
