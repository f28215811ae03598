// SPDX-License-Identifier: GPL-2.0-only
/*
 * zns_report.c - what a card says of its zones.
 *
 * The report is a command for I/O, but is asked for as those of administration are:
 * one page at a time, into ctrl->page, by who holds ctrl->life and sleeps.
 *
 * R1  A report gets on by one zone at least with each page, or it is given up.
 * R2  Nothing in it is believed that does not fit: such a zone is dead.
 * R3  What was begun while a page was on its way may have changed what it says: then
 *     the book stays as it is.
 */
#include "zns_int.h"

#include <linux/delay.h>
#include <linux/mm.h>

#define POLL_JIFFIES	max(HZ / 20, 1)
#define NO_TAG_MS	5
#define NO_TAG_TRIES	400

/* ---- commands --------------------------------------------------------------- */

static int identify(struct vsl_nvme_ns *ns, u32 cns, u32 csi, void *to)
{
	struct vsl_nvme_ctrl *ctrl = ns->ctrl;
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_IDENTIFY,
		.nsid = cpu_to_le32(ns->nsid),
		.prp1 = cpu_to_le64(ctrl->page_bus),
		.cdw10[0] = cpu_to_le32(cns),
		.cdw10[1] = cpu_to_le32(NVME_IDENTIFY_CSI(csi)),
	};
	int ret;

	memset(ctrl->page, 0, NVME_PAGE_BYTES);
	ret = vsl_nvme_admin(ctrl, &sqe, NULL);
	if (!ret && to)
		memcpy(to, ctrl->page, NVME_PAGE_BYTES);
	return ret;
}

/**
 * vsl_zns_command_set() - which command set is a namespace of?
 * @ns: the namespace
 * @csi: NVME_CSI_*
 *
 * Controllers that do not tell know one only.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, -ENODEV, -ETIME.
 */
int vsl_zns_command_set(struct vsl_nvme_ns *ns, u8 *csi)
{
	const struct nvme_id_descriptor *entry;
	const u8 *page = ns->ctrl->page;
	u32 at = 0;
	int ret;

	*csi = NVME_CSI_NVM;
	if (!NVME_CAP_ALL_SETS(ns->ctrl->cap))
		return 0;
	ret = identify(ns, NVME_CNS_DESCRIPTORS, 0, NULL);
	if (ret)
		return min(ret, 0);
	while (at + sizeof(*entry) < NVME_PAGE_BYTES) {
		entry = (const void *)(page + at);
		if (!entry->type)
			break;
		if (entry->type == NVME_ID_TYPE_CSI && entry->bytes == 1)
			*csi = page[at + sizeof(*entry)];
		at += sizeof(*entry) + entry->bytes;
	}
	return 0;
}

/**
 * vsl_zns_identify() - what it says of zones in general
 * @ns: a zoned namespace
 * @id: the answer
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, or the errors of vsl_nvme_admin().
 */
int vsl_zns_identify(struct vsl_nvme_ns *ns, struct nvme_id_zoned *id)
{
	return identify(ns, NVME_CNS_OF_SET, NVME_CSI_ZONED, id);
}

/* Sleep until it has ended, also if its interrupt does not come. */
static bool wait_for(struct vsl_nvme_queue *queue, struct completion *done)
{
	struct vsl_nvme_ctrl *ctrl = queue->ctrl;
	unsigned long end = jiffies + vsl_nvme_admin_jiffies(ctrl);
	u32 csts;

	while (!wait_for_completion_timeout(done, POLL_JIFFIES)) {
		vsl_nvme_queue_reap(queue);
		if (completion_done(done))
			continue;
		csts = vsl_nvme_csts(ctrl);
		if (time_after(jiffies, end) || csts & NVME_CSTS_FATAL ||
		    !(csts & NVME_CSTS_READY))
			return false;
	}
	return true;
}

/* A page of the report from @first on is in ctrl->page.  Return: as admin. */
static int receive(struct vsl_zns *zns, u32 first)
{
	struct vsl_nvme_ctrl *ctrl = zns->ns->ctrl;
	struct vsl_nvme_queue *queue = &ctrl->queue[1];
	u64 lba = first * zns->shape.zone_lbas;
	struct nvme_sqe sqe = {
		.opcode = NVME_CMD_ZONE_RECEIVE,
		.nsid = cpu_to_le32(zns->ns->nsid),
		.prp1 = cpu_to_le64(ctrl->page_bus),
		.cdw10[0] = cpu_to_le32((u32)lba),
		.cdw10[1] = cpu_to_le32(lba >> 32),
		.cdw10[2] = cpu_to_le32(NVME_PAGE_BYTES / 4 - 1),
		.cdw10[3] = cpu_to_le32(NVME_ZONE_REPORT | NVME_ZONE_PARTIAL),
	};
	DECLARE_COMPLETION_ONSTACK(done);
	struct vsl_nvme_req *req;
	int ret = -ETIME, tries = 0;

	memset(ctrl->page, 0, NVME_PAGE_BYTES);
	req = vsl_nvme_queue_issue(queue, &sqe, &done);
	while (!req && ctrl->is_up && tries++ < NO_TAG_TRIES) {
		msleep(NO_TAG_MS);
		vsl_nvme_queue_reap(queue);
		req = vsl_nvme_queue_issue(queue, &sqe, &done);
	}
	if (!req)
		return -ENODEV;
	if (wait_for(queue, &done))
		ret = req->status;
	else if (ctrl->is_up)
		vsl_nvme_want_reset(ctrl);
	vsl_nvme_req_put(queue, req);
	return ret;
}

/* ---- the report ------------------------------------------------------------- */

/* Zones in ctrl->page, of @left. */
static u32 zones_in_page(struct vsl_zns *zns, u32 left)
{
	const struct nvme_zones *page = zns->ns->ctrl->page;
	u64 nr = le64_to_cpu(page->nr);

	return min_t(u64, nr, min(left, NVME_ZONES_A_PAGE));
}

static int read_page(struct vsl_zns *zns, u32 first, u32 left, u32 *nr)
{
	int ret = receive(zns, first);

	if (!ret)
		*nr = zones_in_page(zns, left);
	else if (ret > 0)
		vsl_nvme_log(zns->ns->ctrl, true,
			     "Namespace %u does not report its zones: status %04x",
			     zns->ns->nsid, ret);
	if (ret > 0 || (!ret && !*nr))
		return -EIO;
	return ret;
}

/**
 * vsl_zns_capacities() - how much each zone holds
 * @zns: its shape is set but for eu_blocks
 * @blocks: for each zone of the shape; 0 for those that are no good
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, -EIO, -ENODEV, -ETIME.
 */
int vsl_zns_capacities(struct vsl_zns *zns, u32 *blocks)
{
	const struct nvme_zones *page = zns->ns->ctrl->page;
	u32 first, nr = 0, i;
	int ret;

	for (first = 0; first < zns->shape.nr; first += nr) {
		ret = read_page(zns, first, zns->shape.nr - first, &nr);
		if (ret)
			return ret;
		for (i = 0; i < nr; i++)
			blocks[first + i] = vsl_zns_blocks(&zns->shape,
							   first + i,
							   &page->zone[i]);
		cond_resched();
	}
	return 0;
}

static void note_page(struct vsl_zns *zns, u32 first, u32 nr, u32 changes)
{
	const struct nvme_zones *page = zns->ns->ctrl->page;
	const char *why = NULL, *wrong;
	struct vsl_zns_zone zone;
	u32 i, which = 0;

	spin_lock_irq(&zns->lock);
	for (i = 0; i < nr && zns->book.changes == changes; i++) {
		wrong = vsl_zns_judge(&zns->shape, first + i, &page->zone[i],
				      &zone);
		vsl_zns_note(&zns->book, first + i, &zone);
		if (wrong && !why) {
			why = wrong;
			which = first + i;
		}
	}
	spin_unlock_irq(&zns->lock);
	if (!why || zns->told)
		return;
	zns->told = true;
	vsl_nvme_log(zns->ns->ctrl, true,
		     "Namespace %u: zone %u is not used, %s; of others like it nothing more is said",
		     zns->ns->nsid, which, why);
}

/**
 * vsl_zns_refresh() - bring the book up to what the card says
 * @zns: its shape and book are set up
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, -EIO, -ENODEV, -ETIME.
 */
int vsl_zns_refresh(struct vsl_zns *zns)
{
	u32 first, nr = 0, changes;
	int ret;

	for (first = 0; first < zns->book.nr; first += nr) {
		spin_lock_irq(&zns->lock);
		changes = zns->book.changes;
		spin_unlock_irq(&zns->lock);
		ret = read_page(zns, first, zns->book.nr - first, &nr);
		if (ret)
			return ret;
		note_page(zns, first, nr, changes);
		cond_resched();
	}
	return 0;
}
