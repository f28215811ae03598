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

static void ends_of_an_update(void)
{
	u32 end = 99, status;

	CHECK_EQ(vsl_nvme_firmware_result(0, &end), 0);
	CHECK_EQ(end, VSL_FIRMWARE_AT_RESET);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_NEEDS_RESET | NVME_STATUS_DNR, &end), 0);
	CHECK_EQ(end, VSL_FIRMWARE_AT_BOOT);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_NEEDS_POWER, &end), 0);
	CHECK_EQ(end, VSL_FIRMWARE_AT_POWER);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_NEEDS_CTRL, &end), 0);
	CHECK_EQ(end, VSL_FIRMWARE_AT_RESET);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_SLOT, &end), -ERANGE);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_IMAGE, &end), -EBADMSG);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_OVERLAP, &end), -EBADMSG);
	CHECK_EQ(vsl_nvme_firmware_result(NVME_SC_FW_PROHIBITED, &end), -EACCES);
	/* nothing that nobody knows is a success */
	for (status = 1; status < 0x8000; status++) {
		int ret = vsl_nvme_firmware_result(status, &end);
		u32 code = status & 0x7ff;

		CHECK(ret <= 0 && end <= VSL_FIRMWARE_AT_POWER);
		CHECK(ret || !code || code == NVME_SC_FW_NEEDS_RESET ||
		      code == NVME_SC_FW_NEEDS_POWER || code == NVME_SC_FW_NEEDS_CTRL);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(identify_says_what_can_be),
	TAP_TEST(slots_are_told),
	TAP_TEST(slots_that_are_not_there_do_not_count),
	TAP_TEST(errors_are_told),
	TAP_TEST(noise_is_bounded),
	TAP_TEST(pieces_are_as_the_card_wants_them),
	TAP_TEST(ends_of_an_update),
};

TAP_MAIN(tests)
