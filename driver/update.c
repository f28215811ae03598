// SPDX-License-Identifier: GPL-2.0-only
/*
 * update.c - what a card tells of itself, and another firmware for it.
 *
 * An image is copied from the caller piece by piece, as large as the card wants them,
 * and given to it; nothing is judged here, for the card knows its own firmware.  Until
 * all of it is there a signal ends the call, and the card runs what it ran before.  The
 * commit is one command, and is waited for.
 *
 * The caller owns the card's life meanwhile (card.c, I1), and no disk is there: a card
 * that gets a firmware may be slow to answer, or be lost.
 */
#include "update.h"

#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"
#include "report.h"

static_assert(OPENVSL_SLOTS == VSL_MEDIA_SLOTS);

int vsl_card_logs(struct vsl_card *card, struct openvsl_logs *arg)
{
	struct vsl_media_logs logs;
	int ret = 0;

	memset(&logs, 0, sizeof(logs));
	spin_lock(&card->lock);
	if (card->removed)
		ret = -ENODEV;
	else if (card->media->ops->logs)
		card->media->ops->logs(card->media, &logs);
	else
		ret = -EOPNOTSUPP;
	spin_unlock(&card->lock);
	arg->flags = logs.flags;
	arg->slots = logs.slots;
	arg->active = logs.active;
	arg->next = logs.next;
	memcpy(arg->slot, logs.slot, sizeof(arg->slot));
	arg->errors = logs.errors;
	arg->error_status = logs.error_status;
	arg->error_part = logs.error_part;
	arg->error_lba = logs.error_lba;
	return ret;
}

/* All pieces but the last are of one size. */
static int give_pieces(struct vsl_card *card, struct vsl_media_firmware *fw,
		       const struct openvsl_update *arg, void *piece)
{
	const u8 __user *from = u64_to_user_ptr(arg->buf);
	int ret = 0;

	for (fw->offset = 0; fw->offset < arg->bytes && !ret;
	     fw->offset += fw->bytes) {
		if (signal_pending(current))
			return -EINTR;
		fw->bytes = min(fw->piece_bytes, arg->bytes - fw->offset);
		if (copy_from_user(piece, from + fw->offset, fw->bytes))
			return -EFAULT;
		ret = card->media->ops->update->piece(card->media, fw);
		WRITE_ONCE(card->progress,
			   fw->offset / (arg->bytes / 1000 + 1));
	}
	return ret;
}

static int give_image(struct vsl_card *card, struct vsl_media_firmware *fw,
		      const struct openvsl_update *arg)
{
	void *piece = kmalloc(fw->piece_bytes, GFP_KERNEL);
	int ret = -ENOMEM;

	if (!piece)
		return ret;
	fw->data = piece;
	ret = give_pieces(card, fw, arg, piece);
	kfree(piece);
	return ret ? ret : card->media->ops->update->commit(card->media, fw);
}

/* It rests again as it did before. */
static void set_back(struct vsl_card *card, u8 state, u8 reason)
{
	if (state == OPENVSL_STATE_MINIMAL)
		vsl_card_set_minimal(card, reason);
	else
		vsl_card_set_state(card, state);
}

/* The caller has begun. */
static int update(struct vsl_card *card, struct openvsl_update *arg)
{
	const struct vsl_media_update_ops *ops = card->media->ops->update;
	struct vsl_media_firmware fw = { .slot = arg->slot };
	u8 before = card->state, reason = card->minimal_reason;
	int ret;

	if (before == OPENVSL_STATE_ERROR)
		return -ENODEV;
	if (!vsl_card_is_resting(card))
		return -EBUSY;
	ret = ops ? ops->begin(card->media, &fw) : -EOPNOTSUPP;
	if (ret)
		return ret;
	WRITE_ONCE(card->progress, 0);
	vsl_card_set_state(card, OPENVSL_STATE_UPDATING);
	ret = give_image(card, &fw, arg);
	set_back(card, before, reason);
	arg->end = fw.end;
	if (ret && ret != -EINTR)
		vsl_log(card, VSL_LOG_ERROR, "It has not taken the firmware: %d",
			ret);
	else if (!ret)
		vsl_log(card, VSL_LOG_INFO,
			"It has taken another firmware, and runs it from its next reset on");
	return ret;
}

int vsl_card_update(struct vsl_card *card, struct openvsl_update *arg)
{
	int ret = vsl_card_begin(card);

	if (ret)
		return ret;
	ret = update(card, arg);
	vsl_card_end(card);
	return ret;
}
