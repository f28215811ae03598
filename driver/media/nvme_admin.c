// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_admin.c - commands for the controller itself, and what it says of itself.
 *
 * A1  Commands here are synchronous: the caller sleeps.  Those that answer with
 *     data answer into ctrl->page, one at a time: the caller holds ctrl->life.  The
 *     page stays as long as the card could write to it.
 * A2  A card is not believed: each figure is checked, or bounded, before it is
 *     used, and a card that cannot be used is refused with one sentence.
 * A3  Namespaces become cards in the order of their identifiers, so names are the
 *     same each time.  ctrl->life is not held meanwhile: a card that is looked at
 *     for the first time needs the watch (nvme_error.c) as any other does.
 */
#include "nvme.h"

#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../card.h"

#define POLL_JIFFIES	max(HZ / 20, 1)

static unsigned int nvme_coalesce;
module_param(nvme_coalesce, uint, 0644);
MODULE_PARM_DESC(nvme_coalesce,
		 "commands that a PCIe card ends before it interrupts, or after 100 us, if it can do so (default 0: at each); counts when a card is brought up");

/* ---- commands --------------------------------------------------------------- */

/* Sleep until it has ended, also if its interrupt does not come. */
static bool wait_for(struct vsl_nvme_ctrl *ctrl, struct completion *done,
		     unsigned long most_jiffies)
{
	unsigned long end = jiffies + most_jiffies;
	u32 csts;

	while (!wait_for_completion_timeout(done, POLL_JIFFIES)) {
		vsl_nvme_queue_reap(&ctrl->queue[0]);
		if (completion_done(done))
			continue;
		csts = vsl_nvme_csts(ctrl);
		if (time_after(jiffies, end) || csts & NVME_CSTS_FATAL ||
		    !(csts & NVME_CSTS_READY))
			return false;
	}
	return true;
}

/**
 * vsl_nvme_admin_within() - carry out a command of administration
 * @ctrl: the controller
 * @sqe: the command
 * @result: filled in with what it returns; or NULL
 * @most_jiffies: how long it may take
 *
 * Context: process, may sleep.
 * Return: 0; above 0: NVME_STATUS_*; -ENODEV no command can be given; -ETIME.
 */
int vsl_nvme_admin_within(struct vsl_nvme_ctrl *ctrl,
			  const struct nvme_sqe *sqe, u32 *result,
			  unsigned long most_jiffies)
{
	struct vsl_nvme_queue *queue = &ctrl->queue[0];
	DECLARE_COMPLETION_ONSTACK(done);
	struct vsl_nvme_req *req;
	int ret = -ETIME;

	req = vsl_nvme_queue_issue(queue, sqe, &done);
	if (!req)
		return -ENODEV;
	if (wait_for(ctrl, &done, most_jiffies)) {
		ret = req->status;
		if (result)
			*result = req->result;
	} else if (ctrl->is_up) {
		vsl_nvme_want_reset(ctrl);
	}
	vsl_nvme_req_put(queue, req);
	return ret;
}

/**
 * vsl_nvme_admin() - the same, within the usual time
 * @ctrl: the controller
 * @sqe: the command
 * @result: filled in with what it returns; or NULL
 *
 * Context: process, may sleep.
 * Return: the same.
 */
int vsl_nvme_admin(struct vsl_nvme_ctrl *ctrl, const struct nvme_sqe *sqe,
		   u32 *result)
{
	return vsl_nvme_admin_within(ctrl, sqe, result,
				     vsl_nvme_admin_jiffies(ctrl));
}

/**
 * vsl_nvme_identify() - what the card says of itself or of a namespace
 * @ctrl: the controller
 * @nsid: namespace, or 0
 * @cns: NVME_CNS_*
 * @to: 4096 bytes
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, or the errors of vsl_nvme_admin().
 */
int vsl_nvme_identify(struct vsl_nvme_ctrl *ctrl, u32 nsid, u32 cns, void *to)
{
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_IDENTIFY,
		.nsid = cpu_to_le32(nsid),
		.prp1 = cpu_to_le64(ctrl->page_bus),
		.cdw10[0] = cpu_to_le32(cns),
	};
	int ret;

	memset(ctrl->page, 0, NVME_PAGE_BYTES);
	ret = vsl_nvme_admin(ctrl, &sqe, NULL);
	if (!ret)
		memcpy(to, ctrl->page, NVME_PAGE_BYTES);
	return ret;
}

/**
 * vsl_nvme_get_log() - read the begin of a log of the controller
 * @ctrl: the controller
 * @log: NVME_LOG_*
 * @bytes: how much of it, a multiple of 4, NVME_PAGE_BYTES at most
 *
 * It is then in ctrl->page.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, or the errors of vsl_nvme_admin().
 */
int vsl_nvme_get_log(struct vsl_nvme_ctrl *ctrl, u32 log, u32 bytes)
{
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_GET_LOG,
		.nsid = cpu_to_le32(U32_MAX),
		.prp1 = cpu_to_le64(ctrl->page_bus),
		.cdw10[0] = cpu_to_le32((bytes / 4 - 1) << 16 | log),
	};

	memset(ctrl->page, 0, bytes);
	return vsl_nvme_admin(ctrl, &sqe, NULL);
}

/**
 * vsl_nvme_queue_count() - ask for queues
 * @ctrl: the controller
 * @nr: how many are wanted; afterwards how many there are, 1 at least
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of vsl_nvme_admin().
 */
int vsl_nvme_queue_count(struct vsl_nvme_ctrl *ctrl, u32 *nr)
{
	u32 wanted = *nr - 1, got;
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_SET_FEATURES,
		.cdw10[0] = cpu_to_le32(NVME_FEAT_NR_QUEUES),
		.cdw10[1] = cpu_to_le32(wanted << 16 | wanted),
	};
	int ret = vsl_nvme_admin(ctrl, &sqe, &got);

	if (ret < 0)
		return ret;
	/* One pair there always is. */
	if (ret)
		got = 0;
	*nr = min3(*nr, (got & 0xffff) + 1, (got >> 16) + 1);
	return 0;
}

/**
 * vsl_nvme_create_queue() - make a pair of rings known to the card
 * @queue: initialised by vsl_nvme_queue_init()
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of vsl_nvme_admin().
 */
int vsl_nvme_create_queue(struct vsl_nvme_queue *queue)
{
	u32 size = (queue->depth - 1) << 16 | queue->id;
	struct nvme_sqe cq = {
		.opcode = NVME_ADMIN_CREATE_CQ,
		.prp1 = cpu_to_le64(queue->cq_bus),
		.cdw10[0] = cpu_to_le32(size),
		.cdw10[1] = cpu_to_le32(queue->vector << 16 |
					NVME_CQ_INTERRUPTS |
					NVME_QUEUE_CONTIGUOUS),
	};
	struct nvme_sqe sq = {
		.opcode = NVME_ADMIN_CREATE_SQ,
		.prp1 = cpu_to_le64(queue->sq_bus),
		.cdw10[0] = cpu_to_le32(size),
		.cdw10[1] = cpu_to_le32(queue->id << 16 |
					NVME_QUEUE_CONTIGUOUS),
	};
	int ret = vsl_nvme_admin(queue->ctrl, &cq, NULL);

	return ret ? ret : vsl_nvme_admin(queue->ctrl, &sq, NULL);
}

/**
 * vsl_nvme_coalesce() - ask for fewer interrupts, if the parameter says so
 * @ctrl: a controller that takes commands
 *
 * Interrupt Coalescing, 5.21.1.8 of the specification.  A card that refuses goes on
 * as it is: many do.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0, or the errors of vsl_nvme_admin() below 0.
 */
int vsl_nvme_coalesce(struct vsl_nvme_ctrl *ctrl)
{
	u32 nr = min(READ_ONCE(nvme_coalesce), 256u);
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_SET_FEATURES,
		.cdw10[0] = cpu_to_le32(NVME_FEAT_COALESCING),
		/* Both count from 1, the time in 100 us. */
		.cdw10[1] = cpu_to_le32(1u << 8 | (nr - 1)),
	};
	int ret;

	if (nr < 2)
		return 0;
	ret = vsl_nvme_admin(ctrl, &sqe, NULL);
	if (ret > 0 && ctrl->state == VSL_NVME_NEW)
		vsl_nvme_log(ctrl, false,
			     "It does not coalesce interrupts (status %04x)",
			     ret);
	return min(ret, 0);
}

/**
 * vsl_nvme_abort() - ask the card to end a command early
 * @ctrl: the controller
 * @queue: number of its queue
 * @cid: its identifier
 *
 * Context: process, may sleep.
 * Return: 0 it will end; -EAGAIN it will not; the errors of vsl_nvme_admin().
 */
int vsl_nvme_abort(struct vsl_nvme_ctrl *ctrl, u32 queue, u16 cid)
{
	struct nvme_sqe sqe = {
		.opcode = NVME_ADMIN_ABORT,
		.cdw10[0] = cpu_to_le32((u32)cid << 16 | queue),
	};
	u32 result = 0;
	int ret = vsl_nvme_admin(ctrl, &sqe, &result);

	return ret ? ret : result & 1 ? -EAGAIN : 0;
}

/* ---- the controller --------------------------------------------------------- */

static int check_sizes(struct vsl_nvme_ctrl *ctrl,
		       const struct nvme_id_ctrl *id)
{
	if ((id->sqes & 0xf) <= 6 && id->sqes >> 4 >= 6 &&
	    (id->cqes & 0xf) <= 4 && id->cqes >> 4 >= 4)
		return 0;
	vsl_nvme_log(ctrl, true,
		     "Refused: its commands are not of 64 bytes, or its completions not of 16");
	return -ENODEV;
}

static void take_names(struct vsl_nvme_ctrl *ctrl,
		       const struct nvme_id_ctrl *id)
{
	struct vsl_media_info *info = &ctrl->info;

	vsl_nvme_copy_text(info->model, sizeof(info->model), id->mn,
			   sizeof(id->mn));
	vsl_nvme_copy_text(info->serial, sizeof(info->serial), id->sn,
			   sizeof(id->sn));
	vsl_nvme_copy_text(info->firmware, sizeof(info->firmware), id->fr,
			   sizeof(id->fr));
	snprintf(ctrl->label, sizeof(ctrl->label), "%s %s", info->model,
		 pci_name(ctrl->pdev));
}

static void take_limits(struct vsl_nvme_ctrl *ctrl,
			const struct nvme_id_ctrl *id)
{
	u32 blocks = VSL_NVME_MERGED_MAX;

	/* 4 KiB << mdts is so many blocks. */
	if (id->mdts && id->mdts < ilog2(VSL_NVME_MERGED_MAX))
		blocks = 1u << id->mdts;
	ctrl->merge_blocks = blocks;
	ctrl->max_blocks = min(blocks, VSL_NVME_BLOCKS_MAX);
	ctrl->oncs = le16_to_cpu(id->oncs);
	ctrl->oacs = le16_to_cpu(id->oacs);
	ctrl->oaes = le32_to_cpu(id->oaes);
	ctrl->volatile_cache = id->vwc & NVME_VWC_PRESENT;
	ctrl->shutdown_ms = clamp_t(u32, le32_to_cpu(id->rtd3e_us) / 1000,
				    5000, 60000);
}

/**
 * vsl_nvme_learn() - what kind of controller is it?
 * @ctrl: one that takes commands
 *
 * After a reset it must be the one that it was.
 *
 * Context: process, may sleep, with ctrl->life held.
 * Return: 0; -ENODEV it cannot be used, which was said, or is another one; others
 * of vsl_nvme_admin(), below 0.
 */
int vsl_nvme_learn(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_media_info before = ctrl->info;
	struct nvme_id_ctrl *id;
	int ret;

	id = kmalloc(sizeof(*id), GFP_NOIO);
	if (!id)
		return -ENOMEM;
	ret = vsl_nvme_identify(ctrl, 0, NVME_CNS_CONTROLLER, id);
	if (ret > 0)
		ret = -EIO;
	ret = ret ? ret : check_sizes(ctrl, id);
	if (!ret) {
		take_names(ctrl, id);
		vsl_nvme_logs_learn(ctrl, id);
		if (ctrl->state == VSL_NVME_NEW)
			take_limits(ctrl, id);
		else if (strcmp(before.serial, ctrl->info.serial) ||
			 strcmp(before.model, ctrl->info.model))
			ret = -ENODEV;
	}
	kfree(id);
	return ret;
}

/* ---- namespaces ------------------------------------------------------------- */

static const struct vsl_nvme_personality * const personalities[] = {
	&vsl_nvme_zns,
	/* Takes whatever is left. */
	&vsl_nvme_flat,
};

/* Memory for separate metadata, which nobody looks at. */
static int alloc_meta(struct vsl_nvme_ns *ns)
{
	u32 most = ns->ctrl->merge_blocks << (VSL_BLOCK_SHIFT - ns->lba_shift);

	if (!ns->meta_bytes)
		return 0;
	ns->meta_half = most * ns->meta_bytes;
	ns->meta = dma_alloc_coherent(&ns->ctrl->pdev->dev, 2 * ns->meta_half,
				      &ns->meta_bus, GFP_KERNEL);
	return ns->meta ? 0 : -ENOMEM;
}

/* What all personalities want of a namespace. */
static int read_format(struct vsl_nvme_ns *ns, const struct nvme_id_ns *id)
{
	u32 index = NVME_FLBAS_INDEX(id->flbas);
	const struct nvme_lba_format *format = &id->lbaf[index];

	ns->lbas = le64_to_cpu(id->nsze);
	ns->lba_shift = format->lba_shift;
	ns->meta_bytes = le16_to_cpu(format->meta_bytes);
	if (!ns->lbas)
		return -ENOENT;
	if (index > id->nlbaf)
		return vsl_nvme_refuse_ns(ns, "its format is not among those it has");
	if (ns->lba_shift != 9 && ns->lba_shift != VSL_BLOCK_SHIFT)
		return vsl_nvme_refuse_ns(ns, "its blocks have neither 512 nor 4096 bytes");
	if (ns->lbas > U64_MAX >> ns->lba_shift)
		return vsl_nvme_refuse_ns(ns, "its size is no sound number");
	if (ns->meta_bytes && id->flbas & NVME_FLBAS_INTERLEAVED)
		return vsl_nvme_refuse_ns(ns, "its metadata lies between the data");
	if (id->dps & NVME_DPS_KIND)
		return vsl_nvme_refuse_ns(ns, "it is formatted with protection information");
	if (ns->meta_bytes > 64)
		return vsl_nvme_refuse_ns(ns, "it has more than 64 bytes of metadata a block");
	if (id->nsattr & NVME_NSATTR_PROTECTED)
		return vsl_nvme_refuse_ns(ns, "it is write protected");
	return alloc_meta(ns);
}

static void fill_info(struct vsl_nvme_ns *ns)
{
	struct vsl_media_info *info = &ns->media.info;

	*info = ns->ctrl->info;
	info->max_blocks = ns->ctrl->max_blocks;
	/* It looks after its flash itself: nothing is to be moved for reads. */
	info->disturb_reads = U32_MAX;
	info->factory_bytes = ns->lbas << ns->lba_shift;
	if (ns->ctrl->volatile_cache)
		info->flags |= VSL_MEDIA_VOLATILE;
	/* Two cards of one controller are two cards. */
	if (ns->nsid != 1)
		snprintf(info->serial, sizeof(info->serial), "%.17s-%u",
			 ns->ctrl->info.serial, ns->nsid);
}

static int choose_kind(struct vsl_nvme_ns *ns, const struct nvme_id_ns *id)
{
	int ret = -ENOENT;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(personalities) && ret == -ENOENT; i++) {
		ns->kind = personalities[i];
		ret = ns->kind->probe(ns, id);
	}
	ns->media.ops = ns->kind->ops;
	return ret;
}

static void free_namespace(struct vsl_nvme_ns *ns)
{
	if (ns->meta)
		dma_free_coherent(&ns->ctrl->pdev->dev, 2 * ns->meta_half,
				  ns->meta, ns->meta_bus);
	kfree(ns);
}

/* A namespace that is no card yet, or an error that was said where it matters. */
static struct vsl_nvme_ns *look_at(struct vsl_nvme_ctrl *ctrl, u32 nsid,
				   struct nvme_id_ns *id)
{
	struct vsl_nvme_ns *ns;
	int ret;

	ns = kzalloc(sizeof(*ns), GFP_KERNEL);
	if (!ns)
		return ERR_PTR(-ENOMEM);
	ns->ctrl = ctrl;
	ns->nsid = nsid;
	mutex_lock(&ctrl->life);
	ret = vsl_nvme_identify(ctrl, nsid, NVME_CNS_NAMESPACE, id);
	if (ret > 0)
		ret = -ENOENT;
	ret = ret ? ret : read_format(ns, id);
	if (!ret) {
		fill_info(ns);
		ret = choose_kind(ns, id);
	}
	if (!ret)
		list_add_tail(&ns->link, &ctrl->namespaces);
	mutex_unlock(&ctrl->life);
	if (!ret)
		return ns;
	free_namespace(ns);
	return ERR_PTR(ret);
}

static void add_namespace(struct vsl_nvme_ctrl *ctrl, u32 nsid,
			  struct nvme_id_ns *id)
{
	struct vsl_nvme_ns *ns = look_at(ctrl, nsid, id);
	struct vsl_card *card;
	int ret;

	if (IS_ERR(ns))
		return;
	ret = vsl_card_add(&ns->media, &ctrl->pdev->dev, NULL, &card);
	mutex_lock(&ctrl->life);
	if (!ret)
		ns->card = card;
	else
		list_del(&ns->link);
	/* It may have gone when nobody was there to be told. */
	if (!ret && ctrl->state == VSL_NVME_DEAD)
		vsl_nvme_tell(ns, VSL_EVENT_GONE);
	mutex_unlock(&ctrl->life);
	if (!ret)
		return;
	vsl_nvme_log(ctrl, true, "Namespace %u is no card: %d", nsid, ret);
	if (ns->kind->remove)
		ns->kind->remove(ns);
	free_namespace(ns);
}

/* Identifiers in @nsid, ascending; the card's list, or all that there could be. */
static u32 list_namespaces(struct vsl_nvme_ctrl *ctrl, __le32 *page, u32 *nsid)
{
	u32 nr = 0, i;
	int ret;

	mutex_lock(&ctrl->life);
	ret = vsl_nvme_identify(ctrl, 0, NVME_CNS_ACTIVE, page);
	mutex_unlock(&ctrl->life);
	for (i = 0; i < VSL_NVME_NS_MAX; i++) {
		nsid[nr] = ret ? i + 1 : le32_to_cpu(page[i]);
		if (!nsid[nr])
			break;
		if (nr && nsid[nr] <= nsid[nr - 1])
			break;
		nr++;
	}
	if (nr == VSL_NVME_NS_MAX && !ret && page[nr])
		vsl_nvme_log(ctrl, true, "Only its first %u namespaces are used",
			     nr);
	return nr;
}

/**
 * vsl_nvme_find_namespaces() - make cards of what the controller has
 * @ctrl: one that is live
 *
 * Context: process, may sleep for long.
 */
void vsl_nvme_find_namespaces(struct vsl_nvme_ctrl *ctrl)
{
	u32 nsid[VSL_NVME_NS_MAX], nr, i;
	void *page;

	page = kmalloc(NVME_PAGE_BYTES, GFP_KERNEL);
	nr = page ? list_namespaces(ctrl, page, nsid) : 0;
	for (i = 0; i < nr; i++)
		add_namespace(ctrl, nsid[i], page);
	kfree(page);
	if (list_empty(&ctrl->namespaces))
		vsl_nvme_log(ctrl, true, "It has no namespace that can be used");
}

/**
 * vsl_nvme_remove_cards() - the cards of all namespaces go
 * @ctrl: one that is live or dead
 *
 * Afterwards nobody submits any more.
 *
 * Context: process, may sleep for long.
 */
void vsl_nvme_remove_cards(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_nvme_ns *ns;

	/* The list only changes where cards come and go, which is one at a time. */
	list_for_each_entry(ns, &ctrl->namespaces, link) {
		vsl_card_begin_wait(ns->card);
		vsl_card_remove(ns->card);
	}
}

/**
 * vsl_nvme_drop_namespaces() - free them
 * @ctrl: one that is quiet, its cards removed
 *
 * Context: process, may sleep.
 */
void vsl_nvme_drop_namespaces(struct vsl_nvme_ctrl *ctrl)
{
	struct vsl_nvme_ns *ns, *next;

	list_for_each_entry_safe(ns, next, &ctrl->namespaces, link) {
		vsl_card_put(ns->card);
		if (ns->kind->remove)
			ns->kind->remove(ns);
		list_del(&ns->link);
		free_namespace(ns);
	}
}
