// SPDX-License-Identifier: GPL-2.0-only
/*
 * peek.c - a look at one block of a card that is not attached.
 *
 * Before a card is formatted somebody may want to know what is on it that is not
 * ours: a file system, a partition table.  What that looks like is for user space to
 * know; here a block is read and handed out, by the same operation that the core
 * would use, and nothing is judged.
 *
 * The caller owns the card's life meanwhile (card.c, I1): nobody attaches or formats
 * it, and the back end stays.  It waits for the operation whatever comes, for the
 * back end writes to its memory; each operation ends (media.h, M5).
 */
#include "peek.h"

#include <linux/completion.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"

/* How often a read is tried that may work the next time. */
#define TRIES	3

struct peek {
	struct vsl_op op;
	struct vsl_vec vec;
	struct completion ended;
	void *block;		/* of its own, for a card may write to it */
};

static void peek_ended(struct vsl_op *op)
{
	struct peek *peek = op->owner;

	complete(&peek->ended);
}

static enum vsl_result read_once(struct vsl_media *media, struct peek *peek,
				 const struct openvsl_peek *arg)
{
	struct vsl_op *op = &peek->op;

	init_completion(&peek->ended);
	peek->vec.base = peek->block;
	peek->vec.bytes = VSL_BLOCK_BYTES;
	memset(op, 0, sizeof(*op));
	INIT_LIST_HEAD(&op->link);
	op->kind = VSL_OP_READ;
	op->unit = arg->unit;
	op->eu = arg->eu;
	op->off = arg->off;
	op->nr = 1;
	op->vec = &peek->vec;
	op->nr_vecs = 1;
	op->end = peek_ended;
	op->owner = peek;
	media->ops->submit(media, op);
	wait_for_completion(&peek->ended);
	return op->result;
}

static int peek_error(enum vsl_result result)
{
	switch (result) {
	case VSL_RES_OK:
	case VSL_RES_REFRESH:
		return 0;
	case VSL_RES_UNWRITTEN:
		return -ENODATA;
	case VSL_RES_GONE:
		return -ENODEV;
	default:
		return -EIO;
	}
}

/* The caller has begun. */
static int read_block(struct vsl_card *card, struct peek *peek,
		      const struct openvsl_peek *arg)
{
	const struct vsl_media_info *info = &card->info;
	enum vsl_result result = VSL_RES_TRANSIENT;
	u32 tries;

	if (card->state == OPENVSL_STATE_ERROR)
		return -ENODEV;
	if (!vsl_card_is_resting(card))
		return -EBUSY;
	if (arg->unit >= info->units || arg->eu >= info->eus ||
	    arg->off >= info->eu_blocks)
		return -ERANGE;
	for (tries = 0; tries < TRIES && result == VSL_RES_TRANSIENT; tries++)
		result = read_once(card->media, peek, arg);
	return peek_error(result);
}

int vsl_card_peek(struct vsl_card *card, const struct openvsl_peek *arg)
{
	struct peek *peek = kzalloc(sizeof(*peek), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!peek)
		return ret;
	peek->block = kzalloc(VSL_BLOCK_BYTES, GFP_KERNEL);
	if (!peek->block)
		goto out;
	ret = vsl_card_begin(card);
	if (ret)
		goto out;
	ret = read_block(card, peek, arg);
	vsl_card_end(card);
	if (!ret && copy_to_user(u64_to_user_ptr(arg->buf), peek->block,
				 VSL_BLOCK_BYTES))
		ret = -EFAULT;
out:
	kfree(peek->block);
	kfree(peek);
	return ret;
}
