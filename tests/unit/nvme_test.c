// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_test.c - what is pure about NVMe cards: status codes, names, interrupts, and
 * how an ordinary disk is divided.
 */
#include <stdio.h>
#include <string.h>

#include "../../driver/core/layout.h"
#include "../../driver/media/flat.h"
#include "../../driver/media/nvme_spec.h"
#include "../../driver/media/nvme_status.h"
#include "../../driver/media/nvme_vector.h"
#include "tap.h"

#define KiB	1024ull
#define MiB	(KiB * 1024)
#define GiB	(MiB * 1024)
#define TiB	(GiB * 1024)
#define STATUSES	(1u << 15)

/* ---- status codes ----------------------------------------------------------- */

static void only_success_is_good(void)
{
	u32 status, kind;

	for (kind = VSL_OP_READ; kind < VSL_OP_CPU; kind++) {
		CHECK_EQ(vsl_nvme_result(0, kind), VSL_RES_OK);
		for (status = 0; status < STATUSES; status++) {
			/* "more information is in a log" and the like do not matter */
			if (!(status & 0x7ff))
				continue;
			CHECK(vsl_nvme_result(status, kind) != VSL_RES_OK);
			CHECK(vsl_nvme_result(status, kind) != VSL_RES_REFRESH);
			CHECK(vsl_nvme_result(status, kind) <= VSL_RES_GONE);
		}
	}
}

/* A result that an operation of this kind must not end with loses data. */
static void results_fit_the_kind(void)
{
	u32 status;

	for (status = 1; status < STATUSES; status++) {
		CHECK(vsl_nvme_result(status, VSL_OP_READ) != VSL_RES_EU_DEAD);
		CHECK(vsl_nvme_result(status, VSL_OP_PROGRAM) != VSL_RES_LOST);
		CHECK(vsl_nvme_result(status, VSL_OP_PROGRAM) != VSL_RES_UNWRITTEN);
		CHECK(vsl_nvme_result(status, VSL_OP_ERASE) != VSL_RES_LOST);
		CHECK(vsl_nvme_result(status, VSL_OP_FLUSH) != VSL_RES_EU_DEAD);
		CHECK(vsl_nvme_result(status, VSL_OP_FLUSH) != VSL_RES_LOST);
	}
}

static void what_is_unknown_is_tried_again(void)
{
	/* vendor specific, and a path error that nobody has heard of */
	CHECK_EQ(vsl_nvme_result(NVME_STATUS(7, 0x42), VSL_OP_READ), VSL_RES_TRANSIENT);
	CHECK_EQ(vsl_nvme_result(NVME_STATUS(3, 0x99), VSL_OP_PROGRAM), VSL_RES_TRANSIENT);
	CHECK_EQ(vsl_nvme_result(NVME_STATUS(7, 0x42) | NVME_STATUS_DNR, VSL_OP_READ),
		 VSL_RES_LOST);
	CHECK_EQ(vsl_nvme_result(NVME_STATUS(7, 0x42) | NVME_STATUS_DNR, VSL_OP_PROGRAM),
		 VSL_RES_EU_DEAD);
	CHECK_EQ(vsl_nvme_result(NVME_SC_HOST_ABORTED, VSL_OP_PROGRAM), VSL_RES_TRANSIENT);
	/* aborted by request, internal error, namespace not ready */
	CHECK_EQ(vsl_nvme_result(0x007, VSL_OP_READ), VSL_RES_TRANSIENT);
	CHECK_EQ(vsl_nvme_result(0x006, VSL_OP_FLUSH), VSL_RES_TRANSIENT);
	CHECK_EQ(vsl_nvme_result(0x082, VSL_OP_ERASE), VSL_RES_TRANSIENT);
}

static void media_errors_are_known(void)
{
	CHECK_EQ(vsl_nvme_result(NVME_SC_READ_ERROR, VSL_OP_READ), VSL_RES_LOST);
	CHECK_EQ(vsl_nvme_result(NVME_SC_READ_ERROR | NVME_STATUS_DNR, VSL_OP_READ),
		 VSL_RES_LOST);
	CHECK_EQ(vsl_nvme_result(NVME_SC_WRITE_FAULT, VSL_OP_PROGRAM), VSL_RES_EU_DEAD);
	CHECK_EQ(vsl_nvme_result(NVME_SC_UNWRITTEN, VSL_OP_READ), VSL_RES_UNWRITTEN);
	CHECK_EQ(vsl_nvme_result(NVME_SC_LBA_RANGE, VSL_OP_READ), VSL_RES_INVALID);
	CHECK_EQ(vsl_nvme_result(NVME_SC_INVALID_FIELD, VSL_OP_ERASE), VSL_RES_INVALID);
	CHECK_EQ(vsl_nvme_result(NVME_SC_INVALID_NS, VSL_OP_READ), VSL_RES_GONE);
}

/* ---- names ------------------------------------------------------------------ */

static void names_are_plain_text(void)
{
	char to[8];

	vsl_nvme_copy_text(to, sizeof(to), "ab  ", 4);
	CHECK(!strcmp(to, "ab"));
	vsl_nvme_copy_text(to, sizeof(to), "a b\0\0", 5);
	CHECK(!strcmp(to, "a b"));
	vsl_nvme_copy_text(to, sizeof(to), "\x1b[2J\xff ", 6);
	CHECK(!strcmp(to, "?[2J?"));
	vsl_nvme_copy_text(to, sizeof(to), "0123456789", 10);
	CHECK(!strcmp(to, "0123456"));
	vsl_nvme_copy_text(to, sizeof(to), "        ", 8);
	CHECK(!strcmp(to, ""));
	vsl_nvme_copy_text(to, 1, "x", 1);
	CHECK(!strcmp(to, ""));
}

/* ---- interrupts ------------------------------------------------------------- */

/* No queue without an interrupt, and where there is more than one none is shared. */
static void every_queue_has_an_interrupt(void)
{
	u32 queues, vectors, used, id;

	for (vectors = 1; vectors <= 66; vectors++) {
		for (queues = 1; queues <= 64; queues++) {
			used = vsl_nvme_queues_with(queues, vectors);
			CHECK(used >= 1 && used <= queues);
			CHECK(used == queues || used + 1 >= vectors);
			for (id = 0; id <= used; id++) {
				CHECK(vsl_nvme_vector_of(id, vectors) < vectors);
				CHECK_EQ(vsl_nvme_vector_of(id, vectors),
					 vectors > 1 ? id : 0);
			}
		}
	}
}

/* ---- how a disk is divided -------------------------------------------------- */

static int divide(u64 bytes, struct vsl_media_info *info)
{
	memset(info, 0, sizeof(*info));
	info->max_blocks = 64;
	return vsl_flat_geometry(bytes, info);
}

/* What is on disks depends on it: these lines do not change. */
static void sizes_are_divided_as_ever(void)
{
	static const struct {
		u64 bytes;
		u32 units, eus, eu_kib;
	} is[] = {
		{ 32 * MiB, 2, 64, 256 },
		{ 100 * MiB, 2, 200, 256 },
		{ 256 * MiB, 4, 256, 256 },
		{ 512 * MiB, 8, 256, 256 },
		{ 1 * GiB, 8, 512, 256 },
		{ 2 * GiB, 8, 1024, 256 },
		{ 8 * GiB, 8, 1024, 1024 },
		{ 16 * GiB, 8, 2048, 1024 },
		{ 160000000000, 8, 2384, 8192 },
		{ 400088457216, 8, 2980, 16384 },
		{ 1600321314816, 8, 11923, 16384 },
		{ 7681501126656, 8, 14307, 65536 },
		{ 20 * TiB, 8, 32766, 65536 },
	};
	struct vsl_media_info info;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(is); i++) {
		CHECK_EQ(divide(is[i].bytes, &info), 0);
		tap_note("%llu MiB: %u units, %u erase units of %u KiB",
			 (unsigned long long)(is[i].bytes / MiB), info.units, info.eus,
			 info.eu_blocks * 4);
		CHECK_EQ(info.units, is[i].units);
		CHECK_EQ(info.eus, is[i].eus);
		CHECK_EQ(info.eu_blocks, is[i].eu_kib / 4);
	}
}

static void small_disks_are_refused(void)
{
	struct vsl_media_info info;

	CHECK_EQ(divide(0, &info), -ERANGE);
	CHECK_EQ(divide(1, &info), -ERANGE);
	CHECK_EQ(divide(32 * MiB - 1, &info), -ERANGE);
	CHECK_EQ(divide(32 * MiB, &info), 0);
}

/* Return: text of what is wrong, or NULL. */
static const char *check_size(u64 bytes)
{
	struct vsl_media_info info;
	struct vsl_geo geo;
	u64 blocks;

	if (divide(bytes, &info))
		return "refused";
	blocks = (u64)info.units * info.eus * info.eu_blocks;
	if (blocks * VSL_BLOCK_BYTES > bytes)
		return "larger than the disk";
	if (bytes <= 15 * TiB && bytes - blocks * VSL_BLOCK_BYTES > bytes / 50)
		return "more than a fiftieth is left over";
	if (vsl_flat_block(&info, info.units - 1, info.eus - 1, info.eu_blocks - 1) !=
	    blocks - 1)
		return "the last block is not the last";
	if (vsl_flat_block(&info, 0, 0, 0) ||
	    vsl_flat_block(&info, 0, 1, 0) != info.units * info.eu_blocks)
		return "segments are not one behind the other";
	if (vsl_geo_init(&geo, &info))
		return "the core cannot serve it";
	if (vsl_geo_set_size(&geo, blocks * 3 / 4))
		return "the core has no room for its root";
	if (vsl_geo_needed_blocks(&geo) > blocks - blocks / 12)
		return "the core has no room for its reserve";
	return NULL;
}

static void every_size_can_be_used(void)
{
	u64 bytes = 48 * MiB, nr = 0;
	const char *wrong;

	for (; bytes < 40 * TiB; bytes += bytes / 97 + 512, nr++) {
		wrong = check_size(bytes);
		if (wrong)
			tap_note("%llu bytes: %s", (unsigned long long)bytes, wrong);
		CHECK(!wrong);
	}
	tap_note("%llu sizes", (unsigned long long)nr);
}

static void commands_do_not_matter(void)
{
	struct vsl_media_info info = { .max_blocks = 1 };
	struct vsl_geo geo;

	for (; info.max_blocks <= 64; info.max_blocks *= 2) {
		CHECK_EQ(vsl_flat_geometry(GiB, &info), 0);
		CHECK_EQ(info.ws_opt, 16);
		CHECK_EQ(vsl_geo_init(&geo, &info), 0);
		CHECK_EQ(geo.chunk, 16);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(only_success_is_good),
	TAP_TEST(results_fit_the_kind),
	TAP_TEST(what_is_unknown_is_tried_again),
	TAP_TEST(media_errors_are_known),
	TAP_TEST(names_are_plain_text),
	TAP_TEST(every_queue_has_an_interrupt),
	TAP_TEST(sizes_are_divided_as_ever),
	TAP_TEST(small_disks_are_refused),
	TAP_TEST(every_size_can_be_used),
	TAP_TEST(commands_do_not_matter),
};

TAP_MAIN(tests)
