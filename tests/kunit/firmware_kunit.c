// SPDX-License-Identifier: GPL-2.0-only
/*
 * firmware_kunit.c - driver/media/nvme_firmware.c: logs of a controller, images to it.
 *
 * Goal: what a controller has got by the commands of an update is the image, or it gets
 * no commit; and a controller that says anything at all of its logs, or nothing, does no
 * harm and is not asked for ever.
 *
 * The file is included.  What it asks of the controller comes to a model of one, which
 * reads images by the addresses that the commands carry, as the hardware does.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "media/nvme.h"

static int model_admin(struct vsl_nvme_ctrl *ctrl, const struct nvme_sqe *sqe,
		       u32 *result, unsigned long most_jiffies);
static int model_get_log(struct vsl_nvme_ctrl *ctrl, u32 log, u32 bytes);
static int model_learn(struct vsl_nvme_ctrl *ctrl);

#define vsl_nvme_admin_within	model_admin
#define vsl_nvme_get_log	model_get_log
#define vsl_nvme_learn		model_learn
#include "../../driver/media/nvme_firmware.c"
#undef vsl_nvme_admin_within
#undef vsl_nvme_get_log
#undef vsl_nvme_learn

#define IMAGE_BYTES_MAX	(300u << 10)
#define BUS		0x7654321000ull
#define NEVER		U32_MAX

/**
 * struct model - a controller that takes firmware
 * @ctrl: as the driver sees it
 * @ns: one of its namespaces
 * @id: what it says of itself
 * @got: the image that it has
 * @got_bytes: of it, without a gap from its beginning
 * @piece_bytes: the longest piece
 * @commands: that came
 * @fail_at: the command that fails, from 0 on
 * @fail_ret: and how
 * @commit: CDW10 of the commit; 0: none came
 * @learned: how often it was asked who it is
 * @log_ret: how a log ends
 * @errors_asked: how often it was asked for its last error
 * @slots_asked: and for its slots
 * @noise: logs are made of it; NULL: of zeros
 * @wrong: commands that no controller would take
 */
struct model {
	struct vsl_nvme_ctrl ctrl;
	struct vsl_nvme_ns ns;
	struct nvme_id_ctrl id;
	u8 *got;
	u32 got_bytes;
	u32 piece_bytes;
	u32 commands;
	u32 fail_at;
	int fail_ret;
	u32 commit;
	u32 learned;
	int log_ret;
	u32 errors_asked;
	u32 slots_asked;
	struct rnd_state *noise;
	u32 wrong;
};

static struct model *model_of(struct vsl_nvme_ctrl *ctrl)
{
	return container_of(ctrl, struct model, ctrl);
}

/* ---- the model ---------------------------------------------------------------- */

/* What lies at an address; NULL: nothing that it may read. */
static void *at_bus(struct model *model, u64 bus)
{
	if (bus < BUS || bus % NVME_PAGE_BYTES ||
	    bus + NVME_PAGE_BYTES > BUS + VSL_NVME_IMAGE_BYTES)
		return NULL;
	return model->ctrl.image + (bus - BUS);
}

/* The page @nr of what a command names. */
static void *page_of(struct model *model, const struct nvme_sqe *sqe, u32 pages,
		     u32 nr)
{
	const __le64 *list;

	if (!nr)
		return at_bus(model, le64_to_cpu(sqe->prp1));
	if (pages == 2)
		return at_bus(model, le64_to_cpu(sqe->prp2));
	list = at_bus(model, le64_to_cpu(sqe->prp2));
	return list ? at_bus(model, le64_to_cpu(list[nr - 1])) : NULL;
}

static void take_piece(struct model *model, const struct nvme_sqe *sqe)
{
	u32 bytes = (le32_to_cpu(sqe->cdw10[0]) + 1) * 4;
	u32 offset = le32_to_cpu(sqe->cdw10[1]) * 4;
	u32 pages = DIV_ROUND_UP(bytes, NVME_PAGE_BYTES), i, part;
	void *page;

	if (offset != model->got_bytes || bytes > IMAGE_BYTES_MAX - offset) {
		model->wrong++;
		return;
	}
	model->piece_bytes = max(model->piece_bytes, bytes);
	for (i = 0; i < pages; i++) {
		page = page_of(model, sqe, pages, i);
		part = min(bytes - i * NVME_PAGE_BYTES, NVME_PAGE_BYTES);
		if (page)
			memcpy(model->got + offset + i * NVME_PAGE_BYTES, page,
			       part);
		else
			model->wrong++;
	}
	model->got_bytes += bytes;
}

static int model_admin(struct vsl_nvme_ctrl *ctrl, const struct nvme_sqe *sqe,
		       u32 *result, unsigned long most_jiffies)
{
	struct model *model = model_of(ctrl);

	lockdep_assert_held(&ctrl->life);
	if (model->commands++ == model->fail_at)
		return model->fail_ret;
	if (sqe->opcode == NVME_ADMIN_FW_DOWNLOAD && !model->commit)
		take_piece(model, sqe);
	else if (sqe->opcode == NVME_ADMIN_FW_COMMIT && !model->commit)
		model->commit = le32_to_cpu(sqe->cdw10[0]);
	else
		model->wrong++;
	return 0;
}

static int model_get_log(struct vsl_nvme_ctrl *ctrl, u32 log, u32 bytes)
{
	struct model *model = model_of(ctrl);

	lockdep_assert_held(&ctrl->life);
	memset(ctrl->page, 0, NVME_PAGE_BYTES);
	if (log == NVME_LOG_ERROR && bytes == 64)
		model->errors_asked++;
	else if (log == NVME_LOG_FIRMWARE && bytes == 512)
		model->slots_asked++;
	else
		model->wrong++;
	if (model->noise)
		prandom_bytes_state(model->noise, ctrl->page, bytes);
	return model->log_ret;
}

static int model_learn(struct vsl_nvme_ctrl *ctrl)
{
	model_of(ctrl)->learned++;
	return 0;
}

static void learn(struct model *model, u16 oacs, u8 frmw, u8 fwug)
{
	struct nvme_id_ctrl *id = &model->id;

	memset(id->fr, ' ', sizeof(id->fr));
	id->fr[0] = '1';
	id->oacs = cpu_to_le16(oacs);
	id->frmw = frmw;
	id->fwug = fwug;
	mutex_lock(&model->ctrl.life);
	vsl_nvme_logs_learn(&model->ctrl, id);
	mutex_unlock(&model->ctrl.life);
}

/* Three slots, the first one fixed; pieces of 4 KiB. */
static struct model *make_model(struct kunit *test)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	struct vsl_nvme_ctrl *ctrl = &model->ctrl;

	KUNIT_ASSERT_NOT_NULL(test, model);
	model->fail_at = NEVER;
	model->ns.ctrl = ctrl;
	model->got = kunit_kzalloc(test, IMAGE_BYTES_MAX, GFP_KERNEL);
	ctrl->page = kunit_kzalloc(test, NVME_PAGE_BYTES, GFP_KERNEL);
	ctrl->image = kunit_kzalloc(test, VSL_NVME_IMAGE_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model->got);
	KUNIT_ASSERT_NOT_NULL(test, ctrl->page);
	KUNIT_ASSERT_NOT_NULL(test, ctrl->image);
	ctrl->image_bus = BUS;
	ctrl->max_blocks = VSL_NVME_BLOCKS_MAX;
	ctrl->state = VSL_NVME_LIVE;
	ctrl->is_up = true;
	strscpy(ctrl->label, "model", sizeof(ctrl->label));
	mutex_init(&ctrl->life);
	spin_lock_init(&ctrl->logs_lock);
	learn(model, NVME_OACS_FIRMWARE, 3 << 1 | NVME_FRMW_SLOT1_FIXED, 1);
	return model;
}

/* ---- an update, as update.c makes it ------------------------------------------ */

static u8 byte_at(u32 offset)
{
	return offset * 5 + offset / 4096;
}

/* @reset_at: before this piece the controller is reset, or is gone */
static int update_with(struct kunit *test, struct model *model,
		       struct vsl_media_firmware *fw, u32 bytes, u32 reset_at)
{
	struct vsl_media *media = &model->ns.media;
	u8 *piece;
	u32 i, nr = 0;
	int ret = vsl_nvme_update_ops.begin(media, fw);

	if (ret)
		return ret;
	piece = kunit_kzalloc(test, fw->piece_bytes, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, piece);
	fw->data = piece;
	for (fw->offset = 0; fw->offset < bytes && !ret;
	     fw->offset += fw->bytes) {
		if (nr++ == reset_at)
			learn(model, NVME_OACS_FIRMWARE, 3 << 1, 1);
		fw->bytes = min(fw->piece_bytes, bytes - fw->offset);
		for (i = 0; i < fw->bytes; i++)
			piece[i] = byte_at(fw->offset + i);
		ret = vsl_nvme_update_ops.piece(media, fw);
	}
	ret = ret ? ret : vsl_nvme_update_ops.commit(media, fw);
	vsl_nvme_update_ops.end(media, fw);
	KUNIT_EXPECT_FALSE(test, model->ctrl.updating);
	KUNIT_EXPECT_EQ(test, 0, model->wrong);
	return ret;
}

static int update(struct kunit *test, struct model *model, u32 bytes)
{
	struct vsl_media_firmware fw = { .slot = 0 };

	model->got_bytes = 0;
	model->piece_bytes = 0;
	model->commands = 0;
	model->commit = 0;
	return update_with(test, model, &fw, bytes, NEVER);
}

static void expect_image(struct kunit *test, struct model *model, u32 bytes)
{
	u32 i, bad = 0;

	KUNIT_EXPECT_EQ(test, bytes, model->got_bytes);
	for (i = 0; i < bytes; i++)
		bad += model->got[i] != byte_at(i);
	KUNIT_EXPECT_EQ(test, 0, bad);
	KUNIT_EXPECT_EQ(test, NVME_FW_AT_RESET, model->commit);
}

/* As large as the card wants pieces, each length at a border of one. */
static void controller_has_the_image(struct kunit *test)
{
	static const struct {
		u8 fwug;
		u32 piece_bytes;
	} grains[] = {
		{ 0, 4096 }, { 1, 4096 }, { 2, 8192 }, { 3, 12288 },
		{ 64, 262144 }, { 255, 4096 },
	};
	struct model *model = make_model(test);
	u32 i, piece, k;

	for (i = 0; i < ARRAY_SIZE(grains); i++) {
		learn(model, NVME_OACS_FIRMWARE, 3 << 1, grains[i].fwug);
		piece = grains[i].piece_bytes;
		for (k = 0; k < 3; k++) {
			u32 bytes = piece + 4 * k - 4;

			KUNIT_EXPECT_EQ(test, 0, update(test, model, bytes));
			expect_image(test, model, bytes);
			KUNIT_EXPECT_EQ(test, min(piece, bytes),
					model->piece_bytes);
		}
	}
}

static void what_cannot_be_is_no_command(struct kunit *test)
{
	struct model *model = make_model(test);
	struct vsl_media *media = &model->ns.media;
	struct vsl_media_firmware fw = { .slot = 1 };

	KUNIT_EXPECT_EQ(test, -ERANGE, update_with(test, model, &fw, 4, NEVER));
	fw.slot = 4;
	KUNIT_EXPECT_EQ(test, -ERANGE, update_with(test, model, &fw, 4, NEVER));
	fw.slot = 3;
	KUNIT_EXPECT_EQ(test, 0, vsl_nvme_update_ops.begin(media, &fw));
	/* one at a time, from whichever namespace */
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_nvme_update_ops.begin(media, &fw));
	vsl_nvme_update_ops.end(media, &fw);
	KUNIT_EXPECT_EQ(test, 0, vsl_nvme_update_ops.begin(media, &fw));
	vsl_nvme_update_ops.end(media, &fw);
	/* pieces that no command could carry */
	learn(model, NVME_OACS_FIRMWARE, 3 << 1, 65);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, update(test, model, 4));
	/* it takes none; its only slot is fixed */
	learn(model, 0, 3 << 1, 1);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, update(test, model, 4));
	learn(model, NVME_OACS_FIRMWARE, 1 << 1 | 1, 1);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, update(test, model, 4));
	KUNIT_EXPECT_EQ(test, 0, model->commands);
}

static void slot_and_time_are_as_asked(struct kunit *test)
{
	struct model *model = make_model(test);
	struct vsl_media_firmware fw = { .slot = 3, .now = true };

	KUNIT_EXPECT_EQ(test, 0, update_with(test, model, &fw, 4, NEVER));
	KUNIT_EXPECT_EQ(test, NVME_FW_NOW | 3, model->commit);
	KUNIT_EXPECT_EQ(test, VSL_FIRMWARE_RUNS, fw.end);
	KUNIT_EXPECT_EQ(test, 1, model->learned);
	KUNIT_EXPECT_EQ(test, 1, model->slots_asked);
}

/* A command that fails is the last one; as its place says with each status. */
static void failure_ends_it(struct kunit *test)
{
	static const struct {
		int got;
		int ret;
	} ends[] = {
		{ NVME_SC_FW_IMAGE, -EBADMSG }, { NVME_SC_FW_OVERLAP, -EILSEQ },
		{ NVME_SC_FW_PROHIBITED, -EACCES }, { 0x6ff, -EIO },
		{ NVME_SC_INVALID_OPCODE, -EOPNOTSUPP }, { -ETIME, -ETIME },
		{ -ENODEV, -ENODEV },
	};
	struct model *model = make_model(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ends) * 4; i++) {
		model->fail_at = i % 4;
		model->fail_ret = ends[i / 4].got;
		KUNIT_EXPECT_EQ(test, ends[i / 4].ret,
				update(test, model, 3 * 4096));
		KUNIT_EXPECT_EQ(test, model->fail_at + 1, model->commands);
		KUNIT_EXPECT_EQ(test, 0, model->commit);
	}
}

static void commit_may_want_more_than_a_reset(struct kunit *test)
{
	static const u32 wants[][2] = {
		{ NVME_SC_FW_NEEDS_CTRL, VSL_FIRMWARE_AT_RESET },
		{ NVME_SC_FW_NEEDS_RESET, VSL_FIRMWARE_AT_BOOT },
		{ NVME_SC_FW_NEEDS_POWER, VSL_FIRMWARE_AT_POWER },
	};
	struct model *model = make_model(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wants) * 2; i++) {
		struct vsl_media_firmware fw = { .now = i & 1 };

		model->got_bytes = 0;
		model->commands = 0;
		model->fail_at = 1;
		model->fail_ret = wants[i / 2][0];
		KUNIT_EXPECT_EQ(test, 0,
				update_with(test, model, &fw, 4, NEVER));
		KUNIT_EXPECT_EQ(test, wants[i / 2][1], fw.end);
	}
	KUNIT_EXPECT_EQ(test, 0, model->learned);
}

static void reset_between_pieces_ends_it(struct kunit *test)
{
	struct model *model = make_model(test);
	struct vsl_media_firmware fw = { .slot = 0 };

	KUNIT_EXPECT_EQ(test, -ECONNRESET,
			update_with(test, model, &fw, 3 * 4096, 1));
	KUNIT_EXPECT_EQ(test, 1, model->commands);
	KUNIT_EXPECT_EQ(test, 0, update(test, model, 3 * 4096));
	expect_image(test, model, 3 * 4096);
	/* its bus is being mended; it is gone */
	model->ctrl.is_up = false;
	model->ctrl.state = VSL_NVME_BROKEN;
	KUNIT_EXPECT_EQ(test, -ECONNRESET, update(test, model, 4));
	model->ctrl.state = VSL_NVME_DEAD;
	KUNIT_EXPECT_EQ(test, -ENODEV, update(test, model, 4));
	KUNIT_EXPECT_EQ(test, 0, model->commands);
}

/* ---- logs ---------------------------------------------------------------------- */

static void look(struct model *model, bool known, u64 errors)
{
	mutex_lock(&model->ctrl.life);
	model->ctrl.errors_known = known;
	model->ctrl.errors = errors;
	vsl_nvme_look_at_logs(&model->ctrl);
	mutex_unlock(&model->ctrl.life);
}

static void logs_are_read_when_they_have_changed(struct kunit *test)
{
	struct model *model = make_model(test);
	struct vsl_media_logs logs;

	look(model, false, 0);
	KUNIT_EXPECT_EQ(test, 1, model->slots_asked);
	look(model, true, 0);
	KUNIT_EXPECT_EQ(test, 0, model->errors_asked);
	vsl_nvme_logs(&model->ns.media, &logs);
	KUNIT_EXPECT_TRUE(test, logs.flags & VSL_LOGS_ERRORS);
	KUNIT_EXPECT_EQ(test, 0, logs.errors);
	KUNIT_EXPECT_STREQ(test, "1", logs.firmware);
	look(model, true, 7);
	look(model, true, 7);
	KUNIT_EXPECT_EQ(test, 1, model->errors_asked);
	look(model, true, 8);
	KUNIT_EXPECT_EQ(test, 2, model->errors_asked);
	KUNIT_EXPECT_EQ(test, 1, model->slots_asked);
	learn(model, 0, 0, 0);
	look(model, true, 8);
	KUNIT_EXPECT_EQ(test, 3, model->errors_asked);
	KUNIT_EXPECT_EQ(test, 2, model->slots_asked);
	KUNIT_EXPECT_EQ(test, 0, model->wrong);
}

/* Not after the next reset either: one that it does not answer costs one. */
static void log_that_is_refused_is_not_asked_again(struct kunit *test)
{
	static const int rets[] = { NVME_SC_INVALID_FIELD, -ETIME };
	struct vsl_media_logs logs;
	struct model *model;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rets); i++) {
		model = make_model(test);
		model->log_ret = rets[i];
		for (k = 1; k < 5; k++) {
			look(model, true, k);
			learn(model, 0, 0, 0);
		}
		KUNIT_EXPECT_EQ(test, 1, model->errors_asked);
		KUNIT_EXPECT_EQ(test, 1, model->slots_asked);
		look(model, true, 5);
		vsl_nvme_logs(&model->ns.media, &logs);
		KUNIT_EXPECT_EQ(test, 5, logs.errors);
		KUNIT_EXPECT_FALSE(test, logs.flags & (VSL_LOGS_LAST |
						       VSL_LOGS_FIRMWARE));
	}
}

static void noise_does_no_harm(struct kunit *test)
{
	struct model *model = make_model(test);
	struct vsl_media_logs logs;
	struct rnd_state noise;
	u32 i, slot;

	prandom_seed_state(&noise, 1);
	model->noise = &noise;
	for (i = 1; i < 2000; i++) {
		model->ctrl.slots_stale = true;
		look(model, true, i);
		vsl_nvme_logs(&model->ns.media, &logs);
		if (logs.slots > VSL_MEDIA_SLOTS || logs.active > logs.slots ||
		    logs.next > logs.slots || logs.error_queue > 0xffff ||
		    logs.error_opcode > 0xff)
			model->wrong++;
		for (slot = 0; slot < VSL_MEDIA_SLOTS; slot++)
			if (strnlen(logs.slot[slot], 12) > 8)
				model->wrong++;
	}
	KUNIT_EXPECT_EQ(test, 0, model->wrong);
}

static struct kunit_case firmware_cases[] = {
	KUNIT_CASE(controller_has_the_image),
	KUNIT_CASE(what_cannot_be_is_no_command),
	KUNIT_CASE(slot_and_time_are_as_asked),
	KUNIT_CASE(failure_ends_it),
	KUNIT_CASE(commit_may_want_more_than_a_reset),
	KUNIT_CASE(reset_between_pieces_ends_it),
	KUNIT_CASE(logs_are_read_when_they_have_changed),
	KUNIT_CASE(log_that_is_refused_is_not_asked_again),
	KUNIT_CASE(noise_does_no_harm),
	{}
};

static struct kunit_suite firmware_suite = {
	.name = "openvsl_firmware",
	.test_cases = firmware_cases,
};

kunit_test_suite(firmware_suite);
