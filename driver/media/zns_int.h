/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zns_int.h - what zns.c and zns_report.c share.
 *
 * Lock order: what card.c holds when it asks for a report, then ctrl->life, then
 * zns->lock; queue->lock is never held with that.
 */
#ifndef VSL_MEDIA_ZNS_INT_H
#define VSL_MEDIA_ZNS_INT_H

#include "nvme.h"
#include "zns.h"

/**
 * struct vsl_zns - what is kept of a zoned namespace
 * @ns: the namespace
 * @shape: its zones
 * @told: a zone that cannot be believed was told of
 * @lock: protects what follows
 * @book: its zones that are used
 * @waiting: operations that wait for others, in order
 * @finish: makes room for them
 * @gone: there is no card any more
 */
struct vsl_zns {
	struct vsl_nvme_ns *ns;
	struct vsl_zns_shape shape;
	bool told;
	spinlock_t lock;	/* protects what follows */
	struct vsl_zns_book book;
	struct list_head waiting;
	struct vsl_op finish;
	bool gone;
};

/* zns_report.c; all with ctrl->life held, may sleep */
int vsl_zns_command_set(struct vsl_nvme_ns *ns, u8 *csi);
int vsl_zns_identify(struct vsl_nvme_ns *ns, struct nvme_id_zoned *id);
int vsl_zns_capacities(struct vsl_zns *zns, u32 *blocks);
int vsl_zns_refresh(struct vsl_zns *zns);

#endif /* VSL_MEDIA_ZNS_INT_H */
