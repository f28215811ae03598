// SPDX-License-Identifier: GPL-2.0-only
/*
 * zns.c - a zoned namespace as flash.
 *
 * A zone is an erase unit: programs are writes at its write pointer, an erase is a
 * reset, and a zone is opened by the first write to it.  Which zones may be written,
 * and what can be read of them, is in the book (zns_book.c).
 *
 * A program, erase or finish goes through the book when it begins and when it has
 * ended, for which its end() is ours while it is under way.  One that has to wait
 * until a zone was finished stands in line here.
 *
 * Z1  zns->lock is never held when an operation is given on or ended.
 * Z2  Whatever waits does so for a command that is under way, which will look after
 *     it when it has ended.
 * Z3  A write may have moved the write pointer though nobody saw it end: it is not
 *     sent again after a reset (build->repeatable), but ends with VSL_RES_EU_ENDED,
 *     and the core writes elsewhere.  All else can be repeated: an erase is over
 *     before the next program is begun.
 * Z4  A read that reaches beyond what was programmed asks for the front only.
 */
#include "zns_int.h"

#include <linux/mm.h>
#include <linux/slab.h>

/* Zones beyond are not used: each costs memory. */
#define ZONES_MOST	(1u << 22)

/* op->media_priv */
#define PRIV_END	1	/* read: blocks that are asked for; else its own end() */
#define PRIV_HOW	2	/* what vsl_zns_take() said */

static struct vsl_zns *zns_of(struct vsl_media *media)
{
	return container_of(media, struct vsl_nvme_ns, media)->priv;
}

static u32 index_of(const struct vsl_zns *zns, const struct vsl_op *op)
{
	return vsl_zns_index(&zns->ns->media.info, op->unit, op->eu);
}

static u64 zone_start(const struct vsl_zns *zns, const struct vsl_op *op)
{
	return index_of(zns, op) * zns->shape.zone_lbas;
}

/* ---- commands --------------------------------------------------------------- */

static int build_rw(struct vsl_zns *zns, struct vsl_op *op,
		    struct vsl_nvme_build *build)
{
	u32 nr = op->nr;

	if (!vsl_nvme_has_blocks(zns->ns, op))
		return vsl_nvme_ends(VSL_RES_INVALID);
	if (op->kind == VSL_OP_READ) {
		nr = vsl_zns_readable(&zns->book, index_of(zns, op), op->off,
				      op->nr);
		op->media_priv[PRIV_END] = nr;
		if (!nr) {
			op->bad = ~0ull;
			return vsl_nvme_ends(VSL_RES_UNWRITTEN);
		}
	}
	vsl_nvme_build_rw(zns->ns, op, zone_start(zns, op) +
			  ((u64)op->off << zns->shape.block_shift), nr,
			  build->sqe);
	return 0;
}

static int build_send(struct vsl_zns *zns, struct vsl_op *op,
		      struct vsl_nvme_build *build)
{
	u32 action = op->kind == VSL_OP_ERASE ? NVME_ZONE_RESET :
						NVME_ZONE_FINISH;

	if (!vsl_nvme_has_place(&zns->ns->media.info, op))
		return vsl_nvme_ends(VSL_RES_INVALID);
	build->sqe->opcode = NVME_CMD_ZONE_SEND;
	vsl_nvme_put_lba(build->sqe, zone_start(zns, op));
	build->sqe->cdw10[3] = cpu_to_le32(action);
	return 0;
}

static int zns_build(struct vsl_nvme_ns *ns, struct vsl_op *op,
		     struct vsl_nvme_build *build)
{
	build->repeatable = op->kind != VSL_OP_PROGRAM;
	switch (op->kind) {
	case VSL_OP_READ:
	case VSL_OP_PROGRAM:
		return build_rw(ns->priv, op, build);
	case VSL_OP_ERASE:
	case VSL_OP_FINISH:
		return build_send(ns->priv, op, build);
	case VSL_OP_FLUSH:
		return vsl_nvme_build_flush(ns, build->sqe);
	default:
		return vsl_nvme_ends(VSL_RES_INVALID);
	}
}

static u16 code_of(u16 status)
{
	return NVME_STATUS(NVME_STATUS_TYPE(status), NVME_STATUS_CODE(status));
}

static enum vsl_result program_result(struct vsl_zns *zns,
				      const struct vsl_op *op, u16 status,
				      enum vsl_result how)
{
	unsigned long flags;

	switch (code_of(status)) {
	case NVME_SC_HOST_ABORTED:
	case NVME_SC_ABORTED:
	case NVME_SC_QUEUE_DELETED:
		return VSL_RES_EU_ENDED;
	case NVME_SC_TOO_MANY_ACTIVE:
	case NVME_SC_TOO_MANY_OPEN:
		spin_lock_irqsave(&zns->lock, flags);
		vsl_zns_too_many(&zns->book);
		spin_unlock_irqrestore(&zns->lock, flags);
		return VSL_RES_EU_ENDED;
	case NVME_SC_ZONE_FULL:
	case NVME_SC_ZONE_WRITE:
		/* Just erased, and never sent before: this zone will not do. */
		return op->off || op->tries ? how : VSL_RES_EU_DEAD;
	}
	/* The command was right, so it is the card that is not. */
	return how == VSL_RES_INVALID ? VSL_RES_EU_DEAD : how;
}

static enum vsl_result zns_ended(struct vsl_nvme_ns *ns, struct vsl_op *op,
				 u16 status, u32 result)
{
	enum vsl_result how = vsl_nvme_result(status, op->kind);
	u32 nr = op->media_priv[PRIV_END];

	vsl_nvme_say(ns, op, status);
	if (op->kind == VSL_OP_PROGRAM)
		return program_result(ns->priv, op, status, how);
	if (how == VSL_RES_INVALID)
		how = op->kind == VSL_OP_READ ? VSL_RES_LOST :
		      op->kind == VSL_OP_FLUSH ? VSL_RES_TRANSIENT :
		      VSL_RES_EU_DEAD;
	if (op->kind == VSL_OP_READ && how == VSL_RES_OK && nr < op->nr) {
		op->bad = nr < 64 ? ~0ull << nr : 0;
		how = VSL_RES_UNWRITTEN;
	}
	return how;
}

/* ---- operations that change a zone ------------------------------------------ */

static void zns_run(struct vsl_zns *zns);

/* Ours while it is under way. */
static void zns_end(struct vsl_op *op)
{
	struct vsl_nvme_ns *ns = (void *)(uintptr_t)op->media_priv[VSL_NVME_NS];
	struct vsl_zns *zns = ns->priv;
	unsigned long flags;

	op->end = (void *)(uintptr_t)op->media_priv[PRIV_END];
	spin_lock_irqsave(&zns->lock, flags);
	vsl_zns_settle(&zns->book, index_of(zns, op), op);
	zns->gone |= op->result == VSL_RES_GONE;
	spin_unlock_irqrestore(&zns->lock, flags);
	/* Once it has ended there may be nothing left of us. */
	zns_run(zns);
	op->end(op);
}

static void finish_end(struct vsl_op *op)
{
	struct vsl_zns *zns = container_of(op, struct vsl_zns, finish);
	unsigned long flags;

	spin_lock_irqsave(&zns->lock, flags);
	vsl_zns_room_made(&zns->book, op->result);
	zns->gone |= op->result == VSL_RES_GONE;
	spin_unlock_irqrestore(&zns->lock, flags);
	zns_run(zns);
}

static int take_locked(struct vsl_zns *zns, struct vsl_op *op)
{
	lockdep_assert_held(&zns->lock);

	if (zns->gone)
		return vsl_nvme_ends(VSL_RES_GONE);
	return vsl_zns_take(&zns->book, index_of(zns, op), op);
}

/* Somebody waits: begin to finish a zone. */
static bool make_room_locked(struct vsl_zns *zns)
{
	u32 units = zns->ns->media.info.units, index;

	lockdep_assert_held(&zns->lock);

	if (list_empty(&zns->waiting) || zns->gone)
		return false;
	index = vsl_zns_make_room(&zns->book);
	if (index == VSL_ZNS_NONE)
		return false;
	zns->finish.kind = VSL_OP_FINISH;
	zns->finish.unit = index % units;
	zns->finish.eu = index / units;
	zns->finish.end = finish_end;
	return true;
}

/* It was taken, or has ended without a command. */
static void go_on(struct vsl_zns *zns, struct vsl_op *op, int how)
{
	if (how == VSL_ZNS_GO) {
		op->media_priv[PRIV_END] = (uintptr_t)op->end;
		op->end = zns_end;
		vsl_nvme_submit(&zns->ns->media, op);
	} else {
		op->result = how - 1;
		op->end(op);
	}
}

/* Something was settled: who waits may go on, in order. */
static void zns_run(struct vsl_zns *zns)
{
	struct vsl_op *op, *next;
	LIST_HEAD(ready);
	unsigned long flags;
	bool make_room;
	int how;

	spin_lock_irqsave(&zns->lock, flags);
	list_for_each_entry_safe(op, next, &zns->waiting, link) {
		how = take_locked(zns, op);
		if (how == VSL_ZNS_WAIT)
			continue;
		op->media_priv[PRIV_HOW] = how;
		list_move_tail(&op->link, &ready);
	}
	make_room = make_room_locked(zns);
	spin_unlock_irqrestore(&zns->lock, flags);

	if (make_room)
		vsl_nvme_submit(&zns->ns->media, &zns->finish);
	list_for_each_entry_safe(op, next, &ready, link)
		go_on(zns, op, op->media_priv[PRIV_HOW]);
}

static bool changes_zone(const struct vsl_nvme_ns *ns, const struct vsl_op *op)
{
	if (op->kind == VSL_OP_PROGRAM)
		return vsl_nvme_has_blocks(ns, op);
	return (op->kind == VSL_OP_ERASE || op->kind == VSL_OP_FINISH) &&
	       vsl_nvme_has_place(&ns->media.info, op);
}

static void zns_submit(struct vsl_media *media, struct vsl_op *op)
{
	struct vsl_zns *zns = zns_of(media);
	bool make_room = false;
	unsigned long flags;
	int how;

	if (!changes_zone(zns->ns, op)) {
		/* What is wrong with it zns_build() says. */
		vsl_nvme_submit(media, op);
		return;
	}
	spin_lock_irqsave(&zns->lock, flags);
	how = take_locked(zns, op);
	if (how == VSL_ZNS_WAIT) {
		list_add_tail(&op->link, &zns->waiting);
		make_room = make_room_locked(zns);
	}
	spin_unlock_irqrestore(&zns->lock, flags);

	if (make_room)
		vsl_nvme_submit(media, &zns->finish);
	if (how != VSL_ZNS_WAIT)
		go_on(zns, op, how);
}

/* ---- states ----------------------------------------------------------------- */

static int zns_report(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
		      struct vsl_eu_report *out)
{
	struct vsl_zns *zns = zns_of(media);
	struct vsl_nvme_ctrl *ctrl = zns->ns->ctrl;
	const struct vsl_zns_zone *zone;
	int ret = 0;
	u32 i;

	if (unit >= media->info.units || eu >= media->info.eus ||
	    nr > media->info.eus - eu)
		return -EIO;
	/* Units are asked for one after the other: the card once. */
	if (!unit && !eu) {
		mutex_lock(&ctrl->life);
		ret = ctrl->state == VSL_NVME_DEAD ? -ENODEV :
		      vsl_zns_refresh(zns);
		mutex_unlock(&ctrl->life);
	}
	if (ret)
		return ret == -ENODEV ? ret : -EIO;
	spin_lock_irq(&zns->lock);
	for (i = 0; i < nr; i++) {
		zone = &zns->book.zone[vsl_zns_index(&media->info, unit,
						     eu + i)];
		out[i].state = zone->state;
		out[i].wear = 0;
		out[i].wp = zone->wp;
	}
	spin_unlock_irq(&zns->lock);
	return 0;
}

static const struct vsl_media_ops zns_media_ops = {
	.submit = zns_submit,
	.report = zns_report,
	.health = vsl_nvme_health,
	.logs = vsl_nvme_logs,
	.update = &vsl_nvme_update_ops,
};

/* ---- found ------------------------------------------------------------------ */

static int read_shape(struct vsl_zns *zns, const struct nvme_id_ns *id,
		      struct nvme_id_zoned *zoned)
{
	u32 index = NVME_FLBAS_INDEX(id->flbas);
	struct vsl_zns_shape *shape = &zns->shape;
	struct vsl_nvme_ns *ns = zns->ns;
	int ret;

	ret = vsl_zns_identify(ns, zoned);
	if (ret)
		return vsl_nvme_refuse_ns(ns, "it does not tell of its zones");
	shape->zone_lbas = le64_to_cpu(zoned->format[index].zone_lbas);
	shape->block_shift = VSL_BLOCK_SHIFT - ns->lba_shift;
	if (!shape->zone_lbas || shape->zone_lbas > ns->lbas)
		return vsl_nvme_refuse_ns(ns, "the size of its zones is no sound number");
	if (shape->zone_lbas & ((1u << shape->block_shift) - 1))
		return vsl_nvme_refuse_ns(ns, "its zones do not begin where blocks of 4 KiB do");
	shape->nr = min_t(u64, ns->lbas / shape->zone_lbas, ZONES_MOST);
	return 0;
}

/* How large are its zones, and how is it divided? */
static int divide(struct vsl_zns *zns, u32 limit)
{
	struct vsl_media_info *info = &zns->ns->media.info;
	u32 *blocks, capacity;
	int ret;

	blocks = kvcalloc(zns->shape.nr, sizeof(*blocks), GFP_KERNEL);
	if (!blocks)
		return -ENOMEM;
	ret = vsl_zns_capacities(zns, blocks);
	capacity = vsl_zns_capacity(blocks, zns->shape.nr);
	kvfree(blocks);
	if (ret)
		return ret;
	ret = vsl_zns_geometry(zns->shape.nr, capacity, limit, info);
	if (ret)
		return vsl_nvme_refuse_ns(zns->ns, ret == -EMFILE ?
			      "fewer than six of its zones may be active" :
			      "its zones are too few or too small");
	zns->shape.eu_blocks = info->eu_blocks;
	zns->book.nr = info->units * info->eus;
	zns->book.eu_blocks = info->eu_blocks;
	zns->book.is_whole = info->eu_blocks == capacity;
	zns->book.limit = limit;
	return 0;
}

static int fill_book(struct vsl_zns *zns)
{
	struct vsl_zns_book *book = &zns->book;

	book->finishing = VSL_ZNS_NONE;
	book->zone = kvcalloc(book->nr, sizeof(*book->zone), GFP_KERNEL);
	book->active = kvcalloc(book->nr, sizeof(*book->active), GFP_KERNEL);
	if (!book->zone || !book->active)
		return -ENOMEM;
	return vsl_zns_refresh(zns);
}

static void zns_free(struct vsl_zns *zns)
{
	if (!zns)
		return;
	kvfree(zns->book.zone);
	kvfree(zns->book.active);
	kfree(zns);
}

static int set_up(struct vsl_zns *zns, const struct nvme_id_ns *id)
{
	struct vsl_nvme_ns *ns = zns->ns;
	struct nvme_id_zoned *zoned;
	u32 limit;
	int ret;

	zoned = kmalloc(sizeof(*zoned), GFP_KERNEL);
	if (!zoned)
		return -ENOMEM;
	ret = read_shape(zns, id, zoned);
	limit = ret ? 0 : vsl_zns_limit(zoned);
	kfree(zoned);
	ret = ret ? ret : divide(zns, limit);
	ret = ret ? ret : fill_book(zns);
	if (ret)
		return ret;
	ns->media.info.flags |= VSL_MEDIA_REPORTS | VSL_MEDIA_FINISH;
	vsl_nvme_log(ns->ctrl, false,
		     "Namespace %u: %u zones of %u blocks, %u may be active, %u units",
		     ns->nsid, zns->shape.nr, zns->shape.eu_blocks, limit,
		     ns->media.info.units);
	return 0;
}

static int zns_probe(struct vsl_nvme_ns *ns, const struct nvme_id_ns *id)
{
	struct vsl_zns *zns;
	int ret;
	u8 csi;

	ret = vsl_zns_command_set(ns, &csi);
	if (ret)
		return ret;
	if (csi == NVME_CSI_NVM)
		return -ENOENT;
	if (csi != NVME_CSI_ZONED)
		return vsl_nvme_refuse_ns(ns, "it is of a command set that is not known here");
	zns = kzalloc(sizeof(*zns), GFP_KERNEL);
	if (!zns)
		return -ENOMEM;
	zns->ns = ns;
	spin_lock_init(&zns->lock);
	INIT_LIST_HEAD(&zns->waiting);
	ret = set_up(zns, id);
	if (ret)
		zns_free(zns);
	else
		ns->priv = zns;
	return ret;
}

static void zns_remove(struct vsl_nvme_ns *ns)
{
	zns_free(ns->priv);
}

const struct vsl_nvme_personality vsl_nvme_zns = {
	.name = "zoned",
	.probe = zns_probe,
	.remove = zns_remove,
	.ops = &zns_media_ops,
	.build = zns_build,
	.ended = zns_ended,
};
