// SPDX-License-Identifier: GPL-2.0-only
/*
 * hollow.c - a card that answers at once and keeps next to nothing.
 *
 * To see what the core costs, the card has to cost nothing.  A hollow card keeps
 * what format writes, a few hundred blocks, so that attach finds it; after that
 * it forgets everything it is told.  It serves a core that is never detached,
 * never recovered and never has to groom.
 */
#include "hollow.h"

#include <stdlib.h>

#include "rig.h"

#define KEPT_MAX	4096u

struct kept {
	u32 unit;
	u32 eu;
	u32 off;
	u8 data[VSL_BLOCK_BYTES];
};

struct hollow {
	struct vsl_media media;
	bool forgets;
	u32 nr_kept;
	struct kept kept[KEPT_MAX];
};

static struct hollow *to_hollow(struct vsl_media *media)
{
	return container_of(media, struct hollow, media);
}

static struct kept *find(struct hollow *hollow, const struct vsl_op *op, u32 i)
{
	u32 k;

	for (k = 0; k < hollow->nr_kept; k++)
		if (hollow->kept[k].off == op->off + i &&
		    hollow->kept[k].eu == op->eu &&
		    hollow->kept[k].unit == op->unit)
			return &hollow->kept[k];
	return NULL;
}

/* The memory of block @i of @op; all pieces are blocks but a host's. */
static void *memory(const struct vsl_op *op, u32 i)
{
	u32 at = op->skip_bytes + i * VSL_BLOCK_BYTES, vec = 0;

	while (at >= op->vec[vec].bytes)
		at -= op->vec[vec++].bytes;
	return (u8 *)op->vec[vec].base + at;
}

static void keep(struct hollow *hollow, const struct vsl_op *op)
{
	struct kept *kept;
	u32 i;

	for (i = 0; i < op->nr; i++) {
		if (hollow->nr_kept == KEPT_MAX)
			die("a hollow card is full");
		kept = &hollow->kept[hollow->nr_kept++];
		kept->unit = op->unit;
		kept->eu = op->eu;
		kept->off = op->off + i;
		memcpy(kept->data, memory(op, i), VSL_BLOCK_BYTES);
	}
}

static u8 fetch(struct hollow *hollow, const struct vsl_op *op)
{
	const struct kept *kept;
	u32 i;

	for (i = 0; i < op->nr; i++) {
		kept = find(hollow, op, i);
		if (!kept)
			return VSL_RES_UNWRITTEN;
		memcpy(memory(op, i), kept->data, VSL_BLOCK_BYTES);
	}
	return VSL_RES_OK;
}

static void submit(struct vsl_media *media, struct vsl_op *op)
{
	struct hollow *hollow = to_hollow(media);

	op->result = VSL_RES_OK;
	if (!hollow->forgets) {
		if (op->kind == VSL_OP_PROGRAM)
			keep(hollow, op);
		else if (op->kind == VSL_OP_READ)
			op->result = fetch(hollow, op);
	}
	op->end(op);
}

static int report(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
		  struct vsl_eu_report *out)
{
	(void)media;
	(void)unit;
	(void)eu;
	(void)nr;
	(void)out;
	return -EOPNOTSUPP;
}

static const struct vsl_media_ops hollow_ops = {
	.submit = submit,
	.report = report,
};

struct hollow *hollow_create(const struct vsl_media_info *info)
{
	struct hollow *hollow = calloc(1, sizeof(*hollow));

	if (!hollow)
		die("no memory");
	hollow->media.ops = &hollow_ops;
	hollow->media.info = *info;
	return hollow;
}

void hollow_destroy(struct hollow *hollow)
{
	free(hollow);
}

struct vsl_media *hollow_media(struct hollow *hollow)
{
	return &hollow->media;
}

void hollow_forget(struct hollow *hollow)
{
	hollow->forgets = true;
}
