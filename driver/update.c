// SPDX-License-Identifier: GPL-2.0-only
/*
 * update.c - what a card tells of itself, and another firmware for it.
 *
 * An image is copied from the caller piece by piece, as large as the card wants them,
 * and given to it; nothing is judged here, for the card knows its own firmware.  Until
 * all of it is there a signal ends the call, and the card runs what it ran before.  The
 * commit is one command, and is waited for.
 *
 * The caller owns the card's life meanwhile (card.c, I1): it is neither attached nor
 * detached.  An attached disk goes on: what is new runs after the next reset.  Only
 * where it is to run at once must no disk be there, for the card may pause.
 */
#include "update.h"

#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "card.h"
#include "report.h"

/* A card's words are given on as they are. */
static_assert(OPENVSL_SLOTS == VSL_MEDIA_SLOTS);
static_assert(OPENVSL_LOGS_FIRMWARE == VSL_LOGS_FIRMWARE);
static_assert(OPENVSL_LOGS_ERRORS == VSL_LOGS_ERRORS);
static_assert(OPENVSL_LOGS_LAST == VSL_LOGS_LAST);
static_assert(OPENVSL_LOGS_UPDATE == VSL_LOGS_UPDATE);
static_assert(OPENVSL_LOGS_SLOT1_FIXED == VSL_LOGS_SLOT1_FIXED);
static_assert(OPENVSL_LOGS_COMMAND == VSL_LOGS_COMMAND);
static_assert(OPENVSL_LOGS_NO_QUEUE == VSL_LOGS_NO_QUEUE);
static_assert((u32)OPENVSL_UPDATE_AT_RESET == VSL_FIRMWARE_AT_RESET);
static_assert((u32)OPENVSL_UPDATE_AT_BOOT == VSL_FIRMWARE_AT_BOOT);
static_assert((u32)OPENVSL_UPDATE_AT_POWER == VSL_FIRMWARE_AT_POWER);
static_assert((u32)OPENVSL_UPDATE_RUNS == VSL_FIRMWARE_RUNS);

int vsl_card_logs(struct vsl_card *card, struct openvsl_logs *arg)
{
	struct vsl_media_logs logs;
	bool removed;

	memset(&logs, 0, sizeof(logs));
	spin_lock(&card->lock);
	removed = card->removed;
	if (!removed && card->media->ops->logs)
		card->media->ops->logs(card->media, &logs);
	spin_unlock(&card->lock);
	arg->flags = logs.flags;
	arg->slots = logs.slots;
	arg->active = logs.active;
	arg->next = logs.next;
	memcpy(arg->slot, logs.slot, sizeof(arg->slot));
	arg->error_status = logs.error_status;
	arg->error_part = logs.error_part;
	arg->error_queue = logs.error_queue;
	arg->error_opcode = logs.error_opcode;
	arg->errors = logs.errors;
	arg->error_lba = logs.error_lba;
	return removed ? -ENODEV : 0;
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
		WRITE_ONCE(card->progress, (fw->offset + fw->bytes) /
			   (arg->bytes / 1000 + 1));
	}
	return ret;
}

static int give_image(struct vsl_card *card, struct vsl_media_firmware *fw,
		      const struct openvsl_update *arg)
{
	void *piece = kvmalloc(fw->piece_bytes, GFP_KERNEL);
	int ret = -ENOMEM;

	if (!piece)
		return ret;
	fw->data = piece;
	ret = give_pieces(card, fw, arg, piece);
	kvfree(piece);
	if (!ret && signal_pending(current))
		ret = -EINTR;
	return ret ? ret : card->media->ops->update->commit(card->media, fw);
}

static void set_updating(struct vsl_card *card, bool updating)
{
	spin_lock(&card->lock);
	card->updating = updating;
	card->progress = 0;
	spin_unlock(&card->lock);
}

/* A card that rests is in a state of its own meanwhile. */
static int give_firmware(struct vsl_card *card, struct vsl_media_firmware *fw,
			 const struct openvsl_update *arg)
{
	u8 before = card->state, reason = card->minimal_reason;
	bool resting = vsl_card_is_resting(card);
	int ret;

	set_updating(card, true);
	if (resting)
		vsl_card_set_state(card, OPENVSL_STATE_UPDATING);
	ret = give_image(card, fw, arg);
	if (resting && before == OPENVSL_STATE_MINIMAL)
		vsl_card_set_minimal(card, reason);
	else if (resting)
		vsl_card_set_state(card, before);
	set_updating(card, false);
	return ret;
}

static int check(struct vsl_card *card, const struct openvsl_update *arg)
{
	if (card->state == OPENVSL_STATE_ERROR)
		return -ENODEV;
	if (!card->media->ops->update)
		return -EOPNOTSUPP;
	return arg->flags & OPENVSL_UPDATE_NOW && !vsl_card_is_resting(card) ?
	       -EBUSY : 0;
}

static void tell(struct vsl_card *card, int ret, u32 end)
{
	if (!ret)
		vsl_log(card, VSL_LOG_INFO, end == VSL_FIRMWARE_RUNS ?
			"It has taken another firmware, and runs it" :
			"It has taken another firmware, and runs it from its next reset on");
	else if (ret == -EINTR)
		vsl_log(card, VSL_LOG_INFO,
			"The update of its firmware was stopped");
	else
		vsl_log(card, VSL_LOG_ERROR,
			"It has not taken another firmware: %d", ret);
}

int vsl_card_update(struct vsl_card *card, struct openvsl_update *arg)
{
	struct vsl_media_firmware fw = {
		.slot = arg->slot,
		.now = arg->flags & OPENVSL_UPDATE_NOW,
	};
	const struct vsl_media_update_ops *ops;
	int ret;

	ret = vsl_card_begin(card);
	if (ret)
		return ret;
	ops = card->media->ops->update;
	ret = check(card, arg);
	ret = ret ? ret : ops->begin(card->media, &fw);
	if (!ret) {
		ret = give_firmware(card, &fw, arg);
		ops->end(card->media, &fw);
		tell(card, ret, fw.end);
		arg->end = fw.end;
	}
	vsl_card_end(card);
	return ret;
}
