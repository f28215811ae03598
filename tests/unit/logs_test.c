// SPDX-License-Identifier: GPL-2.0-only
/*
 * logs_test.c - what the logs of an NVMe controller say, and how it takes a firmware.
 */
#include <stdlib.h>
#include <string.h>

#include "../../driver/media/nvme_logs.h"
#include "tap.h"

#define ROUNDS	20000u

static struct vsl_media_logs begun(u8 frmw, u16 oacs)
{
	struct nvme_id_ctrl id;
	struct vsl_media_logs logs;

	memset(&id, 0, sizeof(id));
	id.frmw = frmw;
	id.oacs = cpu_to_le16(oacs);
	memset(&logs, 0xff, sizeof(logs));
	vsl_nvme_logs_begin(&id, &logs);
	return logs;
}

static struct nvme_firmware slots_of(u8 afi, const char *one, const char *two,
				     const char *three)
{
	const char *text[] = { one, two, three };
	struct nvme_firmware log;
	u32 i;

	memset(&log, 0, sizeof(log));
	log.afi = afi;
	for (i = 0; i < 3; i++)
		memcpy(log.slot[i], text[i], strnlen(text[i], 8));
	return log;
}

static void identify_says_what_can_be(void)
{
	struct vsl_media_logs logs = begun(0, 0);

	CHECK_EQ(logs.slots, 1);
	CHECK_EQ(logs.flags, 0);
	CHECK_EQ(logs.errors, 0);
	logs = begun(3 << 1, 1u << 2);
	CHECK_EQ(logs.slots, 3);
	CHECK_EQ(logs.flags, VSL_LOGS_UPDATE);
	logs = begun(2 << 1 | 1, 1u << 2);
	CHECK_EQ(logs.flags, VSL_LOGS_UPDATE | VSL_LOGS_SLOT1_FIXED);
	/* its only slot is fixed, whatever else it says */
	logs = begun(1 << 1 | 1, 1u << 2);
	CHECK_EQ(logs.flags, VSL_LOGS_SLOT1_FIXED);
	logs = begun(0xff, 0xfffb);
	CHECK_EQ(logs.slots, 7);
	CHECK(!(logs.flags & VSL_LOGS_UPDATE));
}

static void slots_are_told(void)
{
	struct vsl_media_logs logs = begun(3 << 1, 1u << 2);
	struct nvme_firmware log = slots_of(0x32, "1.0     ", "2.0", "2.1");

	vsl_nvme_logs_firmware(&log, &logs);
	CHECK(logs.flags & VSL_LOGS_FIRMWARE);
	CHECK_EQ(logs.active, 2);
	CHECK_EQ(logs.next, 3);
	CHECK(!strcmp(logs.slot[0], "1.0"));
	CHECK(!strcmp(logs.slot[2], "2.1"));
	CHECK(!*logs.slot[3]);
	/* the same slot is no other one */
	log.afi = 0x22;
	vsl_nvme_logs_firmware(&log, &logs);
	CHECK_EQ(logs.active, 2);
	CHECK_EQ(logs.next, 0);
}

static void slots_that_are_not_there_do_not_count(void)
{
	struct vsl_media_logs logs = begun(2 << 1, 0);
	struct nvme_firmware log = slots_of(0x31, "", "eightcha", "3");

	vsl_nvme_logs_firmware(&log, &logs);
	CHECK_EQ(logs.active, 0);	/* empty */
	CHECK_EQ(logs.next, 0);		/* behind the last */
	CHECK(!strcmp(logs.slot[1], "eightcha"));
	CHECK(!*logs.slot[2]);
}

static void errors_are_told(void)
{
	struct vsl_media_logs logs = begun(0, 0);
	struct nvme_error entry;

	memset(&entry, 0, sizeof(entry));
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(!(logs.flags & VSL_LOGS_LAST));
	entry.count = cpu_to_le64(7);
	entry.status = cpu_to_le16((NVME_SC_READ_ERROR | NVME_STATUS_DNR) << 1 | 1);
	entry.nsid = cpu_to_le32(2);
	entry.lba = cpu_to_le64(1ull << 40);
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(logs.flags & VSL_LOGS_LAST);
	CHECK_EQ(logs.error_status, NVME_SC_READ_ERROR);
	CHECK_EQ(logs.error_part, 2);
	CHECK_EQ(logs.error_lba, 1ull << 40);
	entry.count = 0;
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(!(logs.flags & VSL_LOGS_LAST));
}

/* The opcode is there since version 1 of the layout only. */
static void command_of_an_error(void)
{
	struct vsl_media_logs logs = begun(0, 0);
	struct nvme_error entry;

	memset(&entry, 0, sizeof(entry));
	entry.count = cpu_to_le64(1);
	entry.sq_id = cpu_to_le16(3);
	entry.opcode = NVME_CMD_READ;
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(!(logs.flags & VSL_LOGS_COMMAND));
	CHECK_EQ(logs.error_queue, 3);
	CHECK_EQ(logs.error_opcode, 0);
	entry.version = 1;
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(logs.flags & VSL_LOGS_COMMAND);
	CHECK_EQ(logs.error_opcode, NVME_CMD_READ);
	/* one that is of no command */
	entry.sq_id = cpu_to_le16(0xffff);
	vsl_nvme_logs_error(&entry, &logs);
	CHECK(!(logs.flags & VSL_LOGS_COMMAND));
	CHECK_EQ(logs.error_queue, VSL_LOGS_NO_QUEUE);
	CHECK_EQ(logs.error_opcode, 0);
}

/* Whatever the bytes, what is kept is bounded, and text. */
static void noise_is_bounded(void)
{
	struct vsl_media_logs logs;
	struct nvme_firmware log;
	u32 round, i, k;

	srand(1);
	for (round = 0; round < ROUNDS; round++) {
		logs = begun(rand(), rand());
		for (i = 0; i < sizeof(log); i++)
			((u8 *)&log)[i] = rand();
		vsl_nvme_logs_firmware(&log, &logs);
		CHECK(logs.slots >= 1 && logs.slots <= VSL_MEDIA_SLOTS);
		CHECK(logs.active <= logs.slots && logs.next <= logs.slots);
		for (i = 0; i < VSL_MEDIA_SLOTS; i++) {
			CHECK(strnlen(logs.slot[i], 12) <= 8);
			for (k = 0; logs.slot[i][k]; k++)
				CHECK(logs.slot[i][k] >= ' ' &&
				      logs.slot[i][k] <= '~');
		}
	}
}

static void pieces_are_as_the_card_wants_them(void)
{
	u32 fwug;

	CHECK_EQ(vsl_nvme_piece_bytes(0, 4096), 4096);
	CHECK_EQ(vsl_nvme_piece_bytes(255, 4096), 4096);
	CHECK_EQ(vsl_nvme_piece_bytes(1, 262144), 4096);
	CHECK_EQ(vsl_nvme_piece_bytes(8, 262144), 32768);
	CHECK_EQ(vsl_nvme_piece_bytes(64, 262144), 262144);
	CHECK_EQ(vsl_nvme_piece_bytes(65, 262144), 0);
	for (fwug = 0; fwug < 256; fwug++)
		CHECK(vsl_nvme_piece_bytes(fwug, 262144) <= 262144);
}

/* ---- commands ---------------------------------------------------------------- */

#define BUS	0x123456000ull

static struct nvme_sqe download(u32 offset, u32 bytes, __le64 *list)
{
	struct vsl_media_firmware fw = { .offset = offset, .bytes = bytes };
	struct nvme_sqe sqe;

	memset(&sqe, 0xff, sizeof(sqe));
	vsl_nvme_download(&sqe, &fw, BUS, list);
	return sqe;
}

static void pieces_become_commands(void)
{
	__le64 list[NVME_PAGE_BYTES / 8];
	struct nvme_sqe sqe = download(0, 4096, list);

	CHECK_EQ(sqe.opcode, 0x11);
	CHECK_EQ(sqe.nsid, 0);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 1023);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[1]), 0);
	CHECK_EQ(le64_to_cpu(sqe.prp1), BUS);
	CHECK_EQ(sqe.prp2, 0);
	sqe = download(64 << 20, 4, list);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 0);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[1]), 16 << 20);
	CHECK_EQ(sqe.prp2, 0);
	/* two pages need no list */
	sqe = download(8192, 4100, list);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 1024);
	CHECK_EQ(le64_to_cpu(sqe.prp2), BUS + 4096);
}

static void long_pieces_have_a_list(void)
{
	__le64 list[NVME_PAGE_BYTES / 8];
	struct nvme_sqe sqe;
	u32 pages, i;

	for (pages = 3; pages <= 64; pages++) {
		memset(list, 0xee, sizeof(list));
		sqe = download(0, pages * 4096 - 4, list);
		CHECK_EQ(le64_to_cpu(sqe.prp1), BUS);
		CHECK_EQ(le64_to_cpu(sqe.prp2), BUS + pages * 4096);
		for (i = 0; i < pages - 1; i++)
			CHECK_EQ(le64_to_cpu(list[i]), BUS + (i + 1) * 4096);
		CHECK_EQ(le64_to_cpu(list[i]), 0xeeeeeeeeeeeeeeeeull);
	}
}

/* Each word of an image is named by one command, once, in order. */
static void image_is_cut_without_gaps(void)
{
	static const u8 fwugs[] = { 0, 1, 3, 16, 64, 255 };
	__le64 list[NVME_PAGE_BYTES / 8];
	u32 bytes, offset, piece, words, i, k;
	struct nvme_sqe sqe;

	for (i = 0; i < ARRAY_SIZE(fwugs); i++) {
		piece = vsl_nvme_piece_bytes(fwugs[i], 262144);
		for (k = 0; k < 100; k++) {
			bytes = 4 + (u32)rand() % 300000 / 4 * 4;
			for (words = 0, offset = 0; offset < bytes; offset += piece) {
				sqe = download(offset, min_t(u32, piece, bytes - offset), list);
				CHECK_EQ(le32_to_cpu(sqe.cdw10[1]), words);
				words += le32_to_cpu(sqe.cdw10[0]) + 1;
			}
			CHECK_EQ(words, bytes / 4);
		}
	}
}

static void commit_says_where_and_when(void)
{
	struct vsl_media_firmware fw = { .slot = 0 };
	struct nvme_sqe sqe;

	memset(&sqe, 0xff, sizeof(sqe));
	vsl_nvme_commit(&sqe, &fw);
	CHECK_EQ(sqe.opcode, 0x10);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 1 << 3);
	CHECK_EQ(sqe.cdw10[1], 0);
	CHECK_EQ(sqe.prp1, 0);
	fw.slot = 7;
	vsl_nvme_commit(&sqe, &fw);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 1 << 3 | 7);
	fw.now = true;
	vsl_nvme_commit(&sqe, &fw);
	CHECK_EQ(le32_to_cpu(sqe.cdw10[0]), 3 << 3 | 7);
}

static void ends_of_an_update(void)
{
	static const struct {
		u32 status;
		int ret;
		u32 end;
	} known[] = {
		{ 0, 0, 99 },
		{ NVME_SC_FW_NEEDS_CTRL, 0, VSL_FIRMWARE_AT_RESET },
		{ NVME_SC_FW_NEEDS_RESET, 0, VSL_FIRMWARE_AT_BOOT },
		{ NVME_SC_FW_NEEDS_RESET | NVME_STATUS_DNR, 0, VSL_FIRMWARE_AT_BOOT },
		{ NVME_SC_FW_NEEDS_POWER, 0, VSL_FIRMWARE_AT_POWER },
		{ NVME_SC_FW_SLOT, -ERANGE, 99 },
		{ NVME_SC_FW_IMAGE, -EBADMSG, 99 },
		{ NVME_SC_INVALID_FIELD, -EBADMSG, 99 },
		{ NVME_SC_FW_OVERLAP, -EILSEQ, 99 },
		{ NVME_SC_FW_PROHIBITED, -EACCES, 99 },
		{ NVME_SC_FW_TOO_LONG, -EOVERFLOW, 99 },
		{ NVME_SC_INVALID_OPCODE, -EOPNOTSUPP, 99 },
		{ NVME_SC_HOST_ABORTED, -ECONNRESET, 99 },
	};
	u32 end, status, i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		end = 99;
		CHECK_EQ(vsl_nvme_firmware_result(known[i].status, &end), known[i].ret);
		CHECK_EQ(end, known[i].end);
	}
	/* nothing that nobody knows is a success */
	for (status = 1; status < 0x8000; status++) {
		int ret = vsl_nvme_firmware_result(status, &end);
		u32 code = status & 0x7ff;

		CHECK(ret <= 0);
		CHECK(ret || !code || code == NVME_SC_FW_NEEDS_RESET ||
		      code == NVME_SC_FW_NEEDS_POWER || code == NVME_SC_FW_NEEDS_CTRL);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(identify_says_what_can_be),
	TAP_TEST(slots_are_told),
	TAP_TEST(slots_that_are_not_there_do_not_count),
	TAP_TEST(errors_are_told),
	TAP_TEST(command_of_an_error),
	TAP_TEST(noise_is_bounded),
	TAP_TEST(pieces_are_as_the_card_wants_them),
	TAP_TEST(pieces_become_commands),
	TAP_TEST(long_pieces_have_a_list),
	TAP_TEST(image_is_cut_without_gaps),
	TAP_TEST(commit_says_where_and_when),
	TAP_TEST(ends_of_an_update),
};

TAP_MAIN(tests)
