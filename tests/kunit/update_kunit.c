// SPDX-License-Identifier: GPL-2.0-only
/*
 * update_kunit.c - driver/update.c: logs of a card, and another firmware for it.
 *
 * Goal: an image reaches the card whole, in order and once, or the card is told of no
 * commit; whatever ends the call, the card is afterwards what it was before.
 *
 * The card is a simulated one, with a back end in front of it that takes firmware.  It
 * notes what it is asked, and fails where a case says so.
 */
#include <kunit/test.h>
#include <linux/mman.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "attach.h"
#include "card.h"
#include "report.h"
#include "stage.h"
#include "update.h"

#define PIECE_BYTES	4096u
#define IMAGE_BYTES	(3 * PIECE_BYTES + 8)
#define PIECES		4u
#define USER_BYTES	(4 * PAGE_SIZE)
#define NEVER		U32_MAX

/**
 * struct bench - a card that takes firmware
 * @test: whose
 * @card: the card
 * @ops: of the card, with ours in them
 * @was: its own
 * @user: user memory with an image
 * @begin_ret: how begin() ends
 * @fail_at: the piece that fails, from 0 on
 * @fail_ret: and how
 * @commit_ret: how commit() ends
 * @commit_end: and when the firmware runs
 * @during: called in each piece
 * @pieces: that came
 * @commits: that came
 * @ends: that came
 * @wrong: pieces that were not as they should be
 * @fw: the last that it saw
 */
struct bench {
	struct kunit *test;
	struct vsl_card *card;
	struct vsl_media_ops ops;
	const struct vsl_media_ops *was;
	unsigned long user;
	int begin_ret;
	u32 fail_at;
	int fail_ret;
	int commit_ret;
	u32 commit_end;
	void (*during)(struct bench *bench);
	u32 pieces;
	u32 commits;
	u32 ends;
	u32 wrong;
	struct vsl_media_firmware fw;
};

/* One suite runs at a time. */
static struct bench *the_bench;

static u8 byte_at(u32 offset)
{
	return offset * 7 + offset / 256;
}

/* ---- the back end ---------------------------------------------------------- */

static int bench_begin(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	fw->piece_bytes = PIECE_BYTES;
	return the_bench->begin_ret;
}

static int bench_piece(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	struct bench *bench = the_bench;
	const u8 *data = fw->data;
	u32 i;

	bench->fw = *fw;
	if (fw->offset != bench->pieces * PIECE_BYTES ||
	    fw->bytes > PIECE_BYTES || bench->commits || bench->ends)
		bench->wrong++;
	for (i = 0; i < fw->bytes; i++) {
		if (data[i] != byte_at(fw->offset + i)) {
			bench->wrong++;
			break;
		}
	}
	if (bench->during)
		bench->during(bench);
	return bench->pieces++ == bench->fail_at ? bench->fail_ret : 0;
}

static int bench_commit(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	the_bench->fw = *fw;
	the_bench->commits++;
	fw->end = the_bench->commit_end;
	return the_bench->commit_ret;
}

static void bench_end(struct vsl_media *media, struct vsl_media_firmware *fw)
{
	the_bench->ends++;
}

static void bench_logs(struct vsl_media *media, struct vsl_media_logs *logs)
{
	memset(logs, 0, sizeof(*logs));
	logs->flags = VSL_LOGS_FIRMWARE | VSL_LOGS_ERRORS | VSL_LOGS_LAST |
		      VSL_LOGS_COMMAND;
	logs->slots = 7;
	logs->active = 7;
	logs->next = 2;
	strscpy(logs->slot[6], "seven", sizeof(logs->slot[6]));
	strscpy(logs->firmware, "8", sizeof(logs->firmware));
	logs->errors = U64_MAX;
	logs->error_lba = 1ull << 63;
	logs->error_status = 0x281;
	logs->error_part = 3;
	logs->error_queue = 4;
	logs->error_opcode = 2;
}

static const struct vsl_media_update_ops bench_update = {
	.begin = bench_begin,
	.piece = bench_piece,
	.commit = bench_commit,
	.end = bench_end,
};

/* ---- the bench --------------------------------------------------------------- */

static void give_back(void *ctx)
{
	struct bench *bench = ctx;

	bench->card->media->ops = bench->was;
	the_bench = NULL;
}

static void fill_user(struct bench *bench)
{
	u32 i;

	for (i = 0; i < IMAGE_BYTES; i++)
		KUNIT_ASSERT_EQ(bench->test, 0,
				put_user(byte_at(i),
					 (u8 __user *)(bench->user + i)));
}

static struct bench *bench_of(struct kunit *test, struct vsl_card *card)
{
	struct bench *bench = kunit_kzalloc(test, sizeof(*bench), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, bench);
	bench->test = test;
	bench->card = card;
	bench->fail_at = NEVER;
	bench->user = kunit_vm_mmap(test, NULL, 0, USER_BYTES,
				    PROT_READ | PROT_WRITE,
				    MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(bench->user));
	fill_user(bench);
	bench->was = card->media->ops;
	bench->ops = *bench->was;
	bench->ops.update = &bench_update;
	bench->ops.logs = bench_logs;
	card->media->ops = &bench->ops;
	the_bench = bench;
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, give_back, bench));
	return bench;
}

static struct bench *bench_init(struct kunit *test)
{
	return bench_of(test, stage_card(test, "tiny"));
}

/* Forget what came. */
static void bench_again(struct bench *bench)
{
	bench->pieces = 0;
	bench->commits = 0;
	bench->ends = 0;
}

static int give_with(struct bench *bench, u32 flags, u32 slot, u32 *end)
{
	struct openvsl_update arg = {
		.size = sizeof(arg),
		.flags = flags,
		.buf = bench->user,
		.bytes = IMAGE_BYTES,
		.slot = slot,
	};
	int ret = vsl_card_update(bench->card, &arg);

	if (end)
		*end = arg.end;
	KUNIT_EXPECT_FALSE(bench->test, bench->card->busy);
	KUNIT_EXPECT_FALSE(bench->test, bench->card->updating);
	KUNIT_EXPECT_EQ(bench->test, 0, bench->wrong);
	return ret;
}

static int give(struct bench *bench)
{
	return give_with(bench, 0, 0, NULL);
}

static void expect_came(struct bench *bench, u32 pieces, u32 commits, u32 ends)
{
	KUNIT_EXPECT_EQ(bench->test, pieces, bench->pieces);
	KUNIT_EXPECT_EQ(bench->test, commits, bench->commits);
	KUNIT_EXPECT_EQ(bench->test, ends, bench->ends);
}

/* ---- what arrives ------------------------------------------------------------ */

static void image_arrives_whole_and_in_order(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	u32 end = 99;

	bench->commit_end = VSL_FIRMWARE_AT_POWER;
	KUNIT_EXPECT_EQ(test, 0, give_with(bench, 0, 5, &end));
	expect_came(bench, PIECES, 1, 1);
	KUNIT_EXPECT_EQ(test, 8, bench->fw.bytes);
	KUNIT_EXPECT_EQ(test, 5, bench->fw.slot);
	KUNIT_EXPECT_FALSE(test, bench->fw.now);
	KUNIT_EXPECT_EQ(test, OPENVSL_UPDATE_AT_POWER, end);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, bench->card->state);
}

static void smallest_image_is_one_piece(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	struct openvsl_update arg = { .buf = bench->user, .bytes = 4 };

	KUNIT_EXPECT_EQ(test, 0, vsl_card_update(bench->card, &arg));
	expect_came(bench, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, 4, bench->fw.bytes);
}

static void to_run_now_is_passed_on(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	u32 end;

	bench->commit_end = VSL_FIRMWARE_RUNS;
	KUNIT_EXPECT_EQ(test, 0,
			give_with(bench, OPENVSL_UPDATE_NOW, 0, &end));
	KUNIT_EXPECT_TRUE(test, bench->fw.now);
	KUNIT_EXPECT_EQ(test, OPENVSL_UPDATE_RUNS, end);
}

/* ---- what is refused, and what fails ----------------------------------------- */

static void card_that_takes_none_says_so(struct kunit *test)
{
	struct openvsl_update arg = { .bytes = 4 };
	struct openvsl_logs logs = { .size = sizeof(logs) };
	struct vsl_card *card = stage_card(test, "tiny");

	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, vsl_card_update(card, &arg));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_logs(card, &logs));
	KUNIT_EXPECT_EQ(test, 0, logs.flags);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, card->state);
	KUNIT_EXPECT_FALSE(test, card->busy);
}

static void refused_begin_is_all_that_happens(struct kunit *test)
{
	static const int rets[] = { -EOPNOTSUPP, -ERANGE, -EBUSY, -ENODEV,
				    -ECONNRESET, -ENOMEM };
	struct bench *bench = bench_init(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rets); i++) {
		bench->begin_ret = rets[i];
		KUNIT_EXPECT_EQ(test, rets[i], give(bench));
		expect_came(bench, 0, 0, 0);
		KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED,
				bench->card->state);
	}
}

static void after_a_piece_that_fails_nothing_comes(struct kunit *test)
{
	static const int rets[] = { -EBADMSG, -EILSEQ, -EACCES, -ECONNRESET,
				    -ENODEV, -ETIME, -EIO };
	struct bench *bench = bench_init(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rets) * PIECES; i++) {
		bench_again(bench);
		bench->fail_at = i % PIECES;
		bench->fail_ret = rets[i / PIECES];
		KUNIT_EXPECT_EQ(test, bench->fail_ret, give(bench));
		expect_came(bench, bench->fail_at + 1, 0, 1);
		KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED,
				bench->card->state);
	}
	bench_again(bench);
	bench->fail_at = NEVER;
	KUNIT_EXPECT_EQ(test, 0, give(bench));
	expect_came(bench, PIECES, 1, 1);
}

static void commit_that_fails_is_told(struct kunit *test)
{
	static const int rets[] = { -EBADMSG, -EILSEQ, -EACCES, -ERANGE,
				    -EOVERFLOW, -ECONNRESET, -ENODEV, -ETIME,
				    -EIO };
	struct bench *bench = bench_init(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rets); i++) {
		bench_again(bench);
		bench->commit_ret = rets[i];
		KUNIT_EXPECT_EQ(test, rets[i], give(bench));
		expect_came(bench, PIECES, 1, 1);
	}
}

static void memory_that_is_not_there_is_no_firmware(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	struct openvsl_update arg = {
		.buf = bench->user + USER_BYTES - PIECE_BYTES,
		.bytes = 2 * PIECE_BYTES,
	};

	/* A piece is there, with other bytes; nothing is behind it. */
	KUNIT_EXPECT_EQ(test, -EFAULT, vsl_card_update(bench->card, &arg));
	expect_came(bench, 1, 0, 1);
	bench_again(bench);
	arg.bytes = 64 << 20;
	KUNIT_EXPECT_EQ(test, -EFAULT, vsl_card_update(bench->card, &arg));
	expect_came(bench, 1, 0, 1);
	bench_again(bench);
	arg.buf = U64_MAX - 1;
	KUNIT_EXPECT_EQ(test, -EFAULT, vsl_card_update(bench->card, &arg));
	expect_came(bench, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, bench->card->state);
}

static void failed_card_is_not_asked(struct kunit *test)
{
	struct bench *bench = bench_init(test);

	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(bench->card));
	vsl_card_set_state(bench->card, OPENVSL_STATE_ERROR);
	vsl_card_end(bench->card);
	KUNIT_EXPECT_EQ(test, -ENODEV, give(bench));
	expect_came(bench, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_ERROR, bench->card->state);
}

static void signal_in_last_piece(struct bench *bench)
{
	if (bench->pieces == PIECES - 1)
		send_sig(SIGTERM, current, 1);
}

static void signal_stops_it_before_the_commit(struct kunit *test)
{
	struct bench *bench = bench_init(test);

	allow_signal(SIGTERM);
	send_sig(SIGTERM, current, 1);
	KUNIT_EXPECT_EQ(test, -EINTR, give(bench));
	expect_came(bench, 0, 0, 1);
	flush_signals(current);

	bench_again(bench);
	bench->during = signal_in_last_piece;
	KUNIT_EXPECT_EQ(test, -EINTR, give(bench));
	expect_came(bench, PIECES, 0, 1);
	disallow_signal(SIGTERM);
	flush_signals(current);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_DETACHED, bench->card->state);
}

/* ---- the card meanwhile ------------------------------------------------------ */

static void expect_updating(struct bench *bench)
{
	struct openvsl_info info;

	KUNIT_EXPECT_EQ(bench->test, 0, vsl_report_info(bench->card, &info));
	KUNIT_EXPECT_LT(bench->test, info.progress_permille, 1000);
	KUNIT_EXPECT_GE(bench->test, info.progress_permille,
			bench->pieces * 200);
	KUNIT_EXPECT_EQ(bench->test, -EBUSY,
			vsl_card_try_begin(bench->card));
}

static void updating_at_rest(struct bench *bench)
{
	KUNIT_EXPECT_EQ(bench->test, OPENVSL_STATE_UPDATING,
			bench->card->state);
	KUNIT_EXPECT_EQ(bench->test, -EBUSY, vsl_card_attach(bench->card, 0));
	expect_updating(bench);
}

static void resting_card_is_updating(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	struct openvsl_info info;

	bench->during = updating_at_rest;
	KUNIT_EXPECT_EQ(test, 0, give(bench));
	expect_came(bench, PIECES, 1, 1);
	KUNIT_EXPECT_EQ(test, 0, vsl_report_info(bench->card, &info));
	KUNIT_EXPECT_EQ(test, 1000, info.progress_permille);
	KUNIT_EXPECT_EQ(test, 0, stage_format(bench->card, 4096));
}

static void minimal_card_keeps_its_reason(struct kunit *test)
{
	struct bench *bench = bench_init(test);

	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(bench->card));
	vsl_card_set_state(bench->card, OPENVSL_STATE_SCANNING);
	vsl_card_set_minimal(bench->card, OPENVSL_MINIMAL_FORCED);
	vsl_card_end(bench->card);
	bench->during = updating_at_rest;
	KUNIT_EXPECT_EQ(test, 0, give(bench));
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_MINIMAL, bench->card->state);
	KUNIT_EXPECT_EQ(test, OPENVSL_MINIMAL_FORCED,
			bench->card->minimal_reason);
}

static struct file *the_disk;

static void writing(struct bench *bench)
{
	KUNIT_EXPECT_EQ(bench->test, OPENVSL_STATE_ATTACHED,
			bench->card->state);
	KUNIT_EXPECT_EQ(bench->test, -EBUSY, vsl_card_detach(bench->card));
	KUNIT_EXPECT_EQ(bench->test, 0, stage_write(the_disk));
	expect_updating(bench);
}

static void attached_disk_goes_on(struct kunit *test)
{
	struct bench *bench = bench_of(test, stage_attached(test, "tiny", 4096));

	the_disk = stage_open(test, bench->card);
	bench->during = writing;
	KUNIT_EXPECT_EQ(test, 0, give(bench));
	expect_came(bench, PIECES, 1, 1);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_ATTACHED, bench->card->state);
	bench_again(bench);
	bench->during = NULL;
	KUNIT_EXPECT_EQ(test, -EBUSY,
			give_with(bench, OPENVSL_UPDATE_NOW, 0, NULL));
	expect_came(bench, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, stage_write(the_disk));
	stage_close(the_disk);
	KUNIT_EXPECT_EQ(test, 0, stage_detach(bench->card));
	KUNIT_EXPECT_EQ(test, 0,
			give_with(bench, OPENVSL_UPDATE_NOW, 0, NULL));
}

/* ---- logs -------------------------------------------------------------------- */

static void logs_are_told_as_they_are(struct kunit *test)
{
	struct bench *bench = bench_init(test);
	struct openvsl_logs logs = { .size = sizeof(logs) };
	struct openvsl_info info;

	KUNIT_EXPECT_EQ(test, 0, vsl_card_logs(bench->card, &logs));
	KUNIT_EXPECT_EQ(test, logs.flags, OPENVSL_LOGS_FIRMWARE |
			OPENVSL_LOGS_ERRORS | OPENVSL_LOGS_LAST |
			OPENVSL_LOGS_COMMAND);
	KUNIT_EXPECT_EQ(test, 7, logs.slots);
	KUNIT_EXPECT_EQ(test, 7, logs.active);
	KUNIT_EXPECT_EQ(test, 2, logs.next);
	KUNIT_EXPECT_STREQ(test, "seven", logs.slot[6]);
	KUNIT_EXPECT_STREQ(test, "", logs.slot[0]);
	KUNIT_EXPECT_EQ(test, U64_MAX, logs.errors);
	KUNIT_EXPECT_EQ(test, 1ull << 63, logs.error_lba);
	KUNIT_EXPECT_EQ(test, 0x281, logs.error_status);
	KUNIT_EXPECT_EQ(test, 3, logs.error_part);
	KUNIT_EXPECT_EQ(test, 4, logs.error_queue);
	KUNIT_EXPECT_EQ(test, 2, logs.error_opcode);
	/* What runs now, not what ran when it was found. */
	KUNIT_EXPECT_EQ(test, 0, vsl_report_info(bench->card, &info));
	KUNIT_EXPECT_STREQ(test, "8", info.firmware);
	/* Also while somebody else has the card. */
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(bench->card));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_logs(bench->card, &logs));
	vsl_card_end(bench->card);
}

static struct kunit_case update_cases[] = {
	KUNIT_CASE(image_arrives_whole_and_in_order),
	KUNIT_CASE(smallest_image_is_one_piece),
	KUNIT_CASE(to_run_now_is_passed_on),
	KUNIT_CASE(card_that_takes_none_says_so),
	KUNIT_CASE(refused_begin_is_all_that_happens),
	KUNIT_CASE(after_a_piece_that_fails_nothing_comes),
	KUNIT_CASE(commit_that_fails_is_told),
	KUNIT_CASE(memory_that_is_not_there_is_no_firmware),
	KUNIT_CASE(failed_card_is_not_asked),
	KUNIT_CASE(signal_stops_it_before_the_commit),
	KUNIT_CASE(resting_card_is_updating),
	KUNIT_CASE(minimal_card_keeps_its_reason),
	KUNIT_CASE(attached_disk_goes_on),
	KUNIT_CASE(logs_are_told_as_they_are),
	{}
};

static struct kunit_suite update_suite = {
	.name = "openvsl_update",
	.suite_init = stage_init,
	.suite_exit = stage_exit,
	.test_cases = update_cases,
};

kunit_test_suite(update_suite);
