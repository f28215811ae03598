// SPDX-License-Identifier: GPL-2.0-only
/*
 * update_kunit.c - another firmware for a card, and what its logs say.
 *
 * Goal: an image arrives whole, in order and in the card's own pieces, or not at all;
 * nothing of it is committed that did not arrive; and the card rests again as before,
 * whatever happens.
 * Method: a simulated card with another back end's calls for firmware, which the test
 * is.
 */
#include <kunit/test.h>

#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "attach.h"
#include "card.h"
#include "stage.h"
#include "update.h"

#define PIECE		8192u
#define IMAGE_BYTES	(3 * PIECE + 100)

/**
 * struct forged - what the card was asked, and says
 * @ops: of the simulated card, and ours
 * @own: those that it had
 * @card: the card
 * @user: the image, in user memory
 * @slot: which slot was asked for
 * @taken: bytes that came, in order
 * @pieces: how often
 * @commits: how often
 * @fail_piece: the piece that ends with @fail, from 1 on
 * @fail_begin: what begin() says
 * @fail_commit: what commit() says
 * @fail: likewise, a piece
 * @signal: a signal comes with the first piece
 * @state: of the card, while it was asked
 * @wrong: a piece was not what it should be
 */
static struct forged {
	struct vsl_media_ops ops;
	const struct vsl_media_ops *own;
	struct vsl_card *card;
	unsigned long user;
	u32 slot;
	u32 taken;
	u32 pieces;
	u32 commits;
	u32 fail_piece;
	int fail_begin;
	int fail_commit;
	int fail;
	bool signal;
	u8 state;
	bool wrong;
} forged;

static u8 byte_at(u32 offset)
{
	return offset * 7 + offset / 251;
}

static int forged_begin(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	forged.slot = fw->slot;
	fw->piece_bytes = PIECE;
	return forged.fail_begin;
}

static int forged_piece(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	const u8 *data = fw->data;
	u32 i;

	forged.pieces++;
	forged.state = forged.card->state;
	forged.wrong |= fw->offset != forged.taken || fw->bytes > PIECE;
	for (i = 0; i < fw->bytes; i++)
		forged.wrong |= data[i] != byte_at(fw->offset + i);
	forged.taken += fw->bytes;
	if (forged.signal)
		set_tsk_thread_flag(current, TIF_SIGPENDING);
	return forged.pieces == forged.fail_piece ? forged.fail : 0;
}

static int forged_commit(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	forged.commits++;
	fw->end = VSL_FIRMWARE_AT_POWER;
	return forged.fail_commit;
}

static const struct vsl_media_update_ops forged_update = {
	.begin = forged_begin,
	.piece = forged_piece,
	.commit = forged_commit,
};

static void forged_logs(struct vsl_media *media, struct vsl_media_logs *logs)
{
	logs->flags = VSL_LOGS_FIRMWARE | VSL_LOGS_ERRORS | VSL_LOGS_LAST;
	logs->slots = 2;
	logs->active = 1;
	logs->next = 2;
	strscpy(logs->slot[1], "2.1", sizeof(logs->slot[1]));
	logs->errors = 5;
	logs->error_status = 0x281;
	logs->error_part = 3;
	logs->error_lba = 1ull << 40;
}

static void put_image(struct kunit *test)
{
	u8 *image = kunit_kzalloc(test, IMAGE_BYTES, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, image);
	for (i = 0; i < IMAGE_BYTES; i++)
		image[i] = byte_at(i);
	KUNIT_ASSERT_EQ(test, 0, copy_to_user((void __user *)forged.user, image,
					      IMAGE_BYTES));
}

static int update_init(struct kunit *test)
{
	memset(&forged, 0, sizeof(forged));
	forged.card = stage_card(test, "tiny");
	forged.own = forged.card->media->ops;
	forged.ops = *forged.own;
	forged.ops.update = &forged_update;
	forged.ops.logs = forged_logs;
	forged.card->media->ops = &forged.ops;
	forged.user = kunit_vm_mmap(test, NULL, 0, PAGE_ALIGN(IMAGE_BYTES),
				    PROT_READ | PROT_WRITE,
				    MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(forged.user));
	put_image(test);
	return 0;
}

static void update_exit(struct kunit *test)
{
	if (forged.own)
		forged.card->media->ops = forged.own;
}

static int update_from(unsigned long user, u32 bytes, u32 *end)
{
	struct openvsl_update arg = {
		.size = sizeof(arg),
		.slot = 2,
		.buf = user,
		.bytes = bytes,
	};
	int ret;

	forged.taken = 0;
	forged.pieces = 0;
	forged.commits = 0;
	ret = vsl_card_update(forged.card, &arg);
	*end = arg.end;
	return ret;
}

/* Of the whole image; and the card rests as it did before. */
static int update(struct kunit *test)
{
	u8 state = forged.card->state, reason = forged.card->minimal_reason;
	u32 end;
	int ret = update_from(forged.user, IMAGE_BYTES, &end);

	KUNIT_EXPECT_EQ(test, state, forged.card->state);
	KUNIT_EXPECT_EQ(test, reason, forged.card->minimal_reason);
	KUNIT_EXPECT_FALSE(test, forged.wrong);
	return ret;
}

static void image_arrives_whole(struct kunit *test)
{
	u32 end;

	KUNIT_EXPECT_EQ(test, 0, update_from(forged.user, IMAGE_BYTES, &end));
	KUNIT_EXPECT_EQ(test, OPENVSL_UPDATE_POWER, end);
	KUNIT_EXPECT_EQ(test, IMAGE_BYTES, forged.taken);
	KUNIT_EXPECT_EQ(test, 4, forged.pieces);
	KUNIT_EXPECT_EQ(test, 1, forged.commits);
	KUNIT_EXPECT_EQ(test, 2, forged.slot);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_UPDATING, forged.state);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, forged.card->state);
	KUNIT_EXPECT_FALSE(test, forged.wrong);
	KUNIT_EXPECT_EQ(test, 0, update_from(forged.user, 4, &end));
	KUNIT_EXPECT_EQ(test, 4, forged.taken);
	KUNIT_EXPECT_EQ(test, 1, forged.pieces);
}

static void what_fails_is_not_committed(struct kunit *test)
{
	forged.fail = -EBADMSG;
	for (forged.fail_piece = 1; forged.fail_piece <= 4; forged.fail_piece++) {
		KUNIT_EXPECT_EQ(test, -EBADMSG, update(test));
		KUNIT_EXPECT_EQ(test, forged.fail_piece, forged.pieces);
		KUNIT_EXPECT_EQ(test, 0, forged.commits);
	}
	forged.fail_piece = 0;
	forged.fail_commit = -EACCES;
	KUNIT_EXPECT_EQ(test, -EACCES, update(test));
	forged.fail_begin = -ERANGE;
	KUNIT_EXPECT_EQ(test, -ERANGE, update(test));
	KUNIT_EXPECT_EQ(test, 0, forged.pieces);
	KUNIT_EXPECT_EQ(test, 0, forged.commits);
}

static void signal_stops_between_pieces(struct kunit *test)
{
	forged.signal = true;
	KUNIT_EXPECT_EQ(test, -EINTR, update(test));
	clear_thread_flag(TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, 1, forged.pieces);
	KUNIT_EXPECT_EQ(test, 0, forged.commits);
	forged.signal = false;
	KUNIT_EXPECT_EQ(test, 0, update(test));
}

static void memory_must_be_there(struct kunit *test)
{
	unsigned long end_of = forged.user + PAGE_ALIGN(IMAGE_BYTES);
	u32 end;

	KUNIT_EXPECT_EQ(test, -EFAULT, update_from(0, 4096, &end));
	KUNIT_EXPECT_EQ(test, 0, forged.commits);
	KUNIT_EXPECT_EQ(test, -EFAULT, update_from(end_of - 4, 4096, &end));
	KUNIT_EXPECT_EQ(test, -EFAULT, update_from(ULONG_MAX - 4095, 4096, &end));
	KUNIT_EXPECT_EQ(test, -EFAULT, update_from(forged.user, 64 << 20, &end));
	KUNIT_EXPECT_EQ(test, 0, forged.commits);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, forged.card->state);
}

static void only_a_card_that_rests(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(forged.card));
	KUNIT_EXPECT_EQ(test, -EBUSY, update(test));
	vsl_card_end(forged.card);
	KUNIT_ASSERT_EQ(test, 0, stage_format(forged.card, 512));
	KUNIT_ASSERT_EQ(test, 0, vsl_card_attach(forged.card, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, update(test));
	KUNIT_EXPECT_EQ(test, 0, stage_detach(forged.card));
	KUNIT_EXPECT_EQ(test, 0, update(test));
	/* What was on it is there. */
	KUNIT_EXPECT_EQ(test, 0, vsl_card_attach(forged.card, 0));
	KUNIT_EXPECT_EQ(test, 0, stage_detach(forged.card));
}

static void card_without_firmware(struct kunit *test)
{
	struct openvsl_logs logs = { .size = sizeof(logs) };

	forged.ops.update = NULL;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, update(test));
	forged.ops.logs = NULL;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, vsl_card_logs(forged.card, &logs));
}

static void logs_are_told(struct kunit *test)
{
	struct openvsl_logs logs = { .size = sizeof(logs) };

	KUNIT_EXPECT_EQ(test, 0, vsl_card_logs(forged.card, &logs));
	KUNIT_EXPECT_EQ(test, OPENVSL_LOGS_FIRMWARE | OPENVSL_LOGS_ERRORS |
			OPENVSL_LOGS_LAST, logs.flags);
	KUNIT_EXPECT_EQ(test, 2, logs.slots);
	KUNIT_EXPECT_EQ(test, 1, logs.active);
	KUNIT_EXPECT_EQ(test, 2, logs.next);
	KUNIT_EXPECT_STREQ(test, "", logs.slot[0]);
	KUNIT_EXPECT_STREQ(test, "2.1", logs.slot[1]);
	KUNIT_EXPECT_EQ(test, 5ull, logs.errors);
	KUNIT_EXPECT_EQ(test, 0x281, logs.error_status);
	KUNIT_EXPECT_EQ(test, 3, logs.error_part);
	KUNIT_EXPECT_EQ(test, 1ull << 40, logs.error_lba);
	/* Also while somebody else has the card. */
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(forged.card));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_logs(forged.card, &logs));
	vsl_card_end(forged.card);
}

static struct kunit_case update_cases[] = {
	KUNIT_CASE(image_arrives_whole),
	KUNIT_CASE(what_fails_is_not_committed),
	KUNIT_CASE(signal_stops_between_pieces),
	KUNIT_CASE(memory_must_be_there),
	KUNIT_CASE(only_a_card_that_rests),
	KUNIT_CASE(card_without_firmware),
	KUNIT_CASE(logs_are_told),
	{ }
};

static struct kunit_suite update_suite = {
	.name = "openvsl_update",
	.suite_init = stage_init,
	.suite_exit = stage_exit,
	.init = update_init,
	.exit = update_exit,
	.test_cases = update_cases,
};

kunit_test_suite(update_suite);
