// SPDX-License-Identifier: GPL-2.0-only
/*
 * zns_test.c - what is pure about zoned namespaces: how they are divided, what is
 * believed of them, and the book of their zones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../driver/core/layout.h"
#include "../../driver/media/nvme_status.h"
#include "../../driver/media/zns.h"
#include "tap.h"

#define ZONES	64u
#define BLOCKS	32u

/* ---- how they are divided --------------------------------------------------- */

/* What is on cards depends on it: these lines do not change. */
static void cards_are_divided_as_ever(void)
{
	static const struct {
		u32 zones, blocks, limit;
		u32 units, eus, eu_blocks;
	} is[] = {
		{ 64, 256, 0, 1, 64, 256 },
		{ 128, 768, 16, 2, 64, 768 },
		{ 512, 384, 16, 2, 256, 384 },
		{ 512, 375, 10, 2, 256, 368 },
		{ 904, 275712, 14, 2, 452, 275712 },
		{ 1024, 3072, 16, 3, 341, 3072 },
		{ 1024, 3072, 6, 1, 1024, 3072 },
		{ 4096, 3072, 0, 8, 512, 3072 },
		{ 40704, 24576, 384, 8, 5088, 24576 },
		{ 400000, 256, 0, 25, 16000, 256 },
		{ 400000, 256, 50, 10, 40000, 256 },
		{ 8192, 524288, 0, 8, 1023, 524288 },
	};
	struct vsl_media_info info;
	struct vsl_geo geo;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(is); i++) {
		memset(&info, 0, sizeof(info));
		info.max_blocks = 64;
		CHECK_EQ(vsl_zns_geometry(is[i].zones, is[i].blocks, is[i].limit, &info), 0);
		tap_note("%u zones, %u active: %u units, %u erase units", is[i].zones,
			 is[i].limit, info.units, info.eus);
		CHECK_EQ(info.units, is[i].units);
		CHECK_EQ(info.eus, is[i].eus);
		CHECK_EQ(info.eu_blocks, is[i].eu_blocks);
		CHECK_EQ(info.max_open, is[i].limit);
		CHECK(info.units * info.eus <= is[i].zones);
		CHECK_EQ(vsl_geo_init(&geo, &info), 0);
		/* append points, the map's, and the lanes */
		if (info.max_open)
			CHECK((geo.points + 1) * info.units + VSL_LANES <= info.max_open);
	}
}

static void what_cannot_be_used_is_refused(void)
{
	struct vsl_media_info info = { .max_blocks = 64 };

	CHECK_EQ(vsl_zns_geometry(63, 256, 0, &info), -ERANGE);
	CHECK_EQ(vsl_zns_geometry(1024, 15, 0, &info), -ERANGE);
	CHECK_EQ(vsl_zns_geometry(1024, 0, 0, &info), -ERANGE);
	CHECK_EQ(vsl_zns_geometry(1024, 256, 5, &info), -EMFILE);
	CHECK_EQ(vsl_zns_geometry(1024, 256, 1, &info), -EMFILE);
}

static void limits_are_the_smaller_ones(void)
{
	struct nvme_id_zoned id;

	memset(&id, 0xff, sizeof(id));
	CHECK_EQ(vsl_zns_limit(&id), 0);
	id.most_open = cpu_to_le32(15);
	CHECK_EQ(vsl_zns_limit(&id), 16);
	id.most_active = cpu_to_le32(13);
	CHECK_EQ(vsl_zns_limit(&id), 14);
	id.most_open = cpu_to_le32(0);
	CHECK_EQ(vsl_zns_limit(&id), 1);
}

static void most_zones_say_how_large_they_are(void)
{
	static const u32 same[] = { 9, 9, 9 }, one_less[] = { 9, 3, 9, 0, 9 };
	static const u32 mixed[] = { 9, 3, 7, 0 }, dead[] = { 0, 0, 0, 5 };

	CHECK_EQ(vsl_zns_capacity(same, 3), 9);
	CHECK_EQ(vsl_zns_capacity(one_less, 5), 9);
	CHECK_EQ(vsl_zns_capacity(mixed, 4), 3);
	CHECK_EQ(vsl_zns_capacity(dead, 4), 5);
	CHECK_EQ(vsl_zns_capacity(dead, 3), 0);
	CHECK_EQ(vsl_zns_capacity(dead, 0), 0);
}

/* ---- what is believed ------------------------------------------------------- */

/* Blocks of 512 bytes; zones of 512, of which 256 can be written. */
static const struct vsl_zns_shape shape = {
	.nr = ZONES, .zone_lbas = 512, .block_shift = 3, .eu_blocks = BLOCKS,
};

static struct nvme_zone said(u32 index, u32 state, u64 wp)
{
	struct nvme_zone zone;

	memset(&zone, 0, sizeof(zone));
	zone.type = NVME_ZONE_SEQUENTIAL;
	zone.state = state << 4;
	zone.capacity = cpu_to_le64(256);
	zone.start = cpu_to_le64(index * 512ull);
	zone.wp = cpu_to_le64(index * 512ull + wp);
	return zone;
}

static void states_are_known(void)
{
	struct vsl_zns_zone zone;
	struct nvme_zone from = said(3, NVME_ZONE_EMPTY, 0);

	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.state, VSL_EU_EMPTY);
	from = said(3, NVME_ZONE_CLOSED, 80);
	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.state, VSL_EU_OPEN);
	CHECK_EQ(zone.wp, 10);
	CHECK_EQ(zone.end, 10);
	CHECK_EQ(zone.flags, VSL_ZNS_ACTIVE);
	/* in the middle of a block: nothing can be programmed there */
	from = said(3, NVME_ZONE_OPENED, 81);
	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.wp, 10);
	CHECK_EQ(zone.end, 11);
	CHECK_EQ(zone.flags, VSL_ZNS_ACTIVE | VSL_ZNS_ENDED);
	from = said(3, NVME_ZONE_FULL, ~0ull);
	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.state, VSL_EU_FULL);
	CHECK_EQ(zone.end, BLOCKS);
	from = said(3, NVME_ZONE_RDONLY, 12345);
	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.state, VSL_EU_RDONLY);
	from = said(3, NVME_ZONE_OFFLINE, 12345);
	CHECK(!vsl_zns_judge(&shape, 3, &from, &zone));
	CHECK_EQ(zone.state, VSL_EU_DEAD);
}

static void check_dead(u32 index, const struct nvme_zone *from)
{
	struct vsl_zns_zone zone;

	CHECK(vsl_zns_judge(&shape, index, from, &zone));
	CHECK_EQ(zone.state, VSL_EU_DEAD);
	CHECK_EQ(zone.end, 0);
}

static void nonsense_is_dead(void)
{
	struct nvme_zone from;
	u32 state;

	from = said(3, NVME_ZONE_OPEN, 257);
	check_dead(3, &from);
	from = said(3, NVME_ZONE_OPEN, -1ull);
	check_dead(3, &from);
	from = said(3, NVME_ZONE_EMPTY, 0);
	check_dead(4, &from);
	from.capacity = cpu_to_le64(513);
	check_dead(3, &from);
	from.capacity = cpu_to_le64(255);
	check_dead(3, &from);
	from = said(3, NVME_ZONE_EMPTY, 0);
	from.type = 1;
	check_dead(3, &from);
	for (state = 0; state < 16; state++) {
		if (state >= 1 && state <= 4)
			continue;
		if (state >= 0xd)
			continue;
		from = said(3, state, 0);
		check_dead(3, &from);
	}
}

/* ---- the book --------------------------------------------------------------- */

static struct vsl_zns_zone zones[ZONES];
static u32 active[ZONES];
static struct vsl_zns_book book;

static void open_book(u32 limit)
{
	memset(zones, 0, sizeof(zones));
	memset(&book, 0, sizeof(book));
	book.zone = zones;
	book.nr = ZONES;
	book.active = active;
	book.eu_blocks = BLOCKS;
	book.is_whole = true;
	book.limit = limit;
	book.finishing = VSL_ZNS_NONE;
	for (u32 i = 0; i < ZONES; i++)
		zones[i].state = VSL_EU_EMPTY;
}

static int take(u32 index, u8 kind, u32 off, u32 nr, struct vsl_op *op)
{
	*op = (struct vsl_op){ .kind = kind, .off = off, .nr = nr };
	return vsl_zns_take(&book, index, op);
}

/* Return: what take said, after it was settled. */
static int act(u32 index, u8 kind, u32 off, u32 nr, u8 result)
{
	struct vsl_op op;
	int ret = take(index, kind, off, nr, &op);

	op.result = result;
	if (ret == VSL_ZNS_GO)
		vsl_zns_settle(&book, index, &op);
	return ret;
}

static void programs_go_to_the_write_pointer(void)
{
	struct vsl_op op, other;

	open_book(0);
	CHECK_EQ(vsl_zns_readable(&book, 1, 0, 8), 0);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 16, 8, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	CHECK_EQ(vsl_zns_readable(&book, 1, 0, 64), 8);
	CHECK_EQ(vsl_zns_readable(&book, 1, 8, 1), 0);
	CHECK_EQ(take(1, VSL_OP_PROGRAM, 8, 8, &op), VSL_ZNS_GO);
	CHECK_EQ(take(1, VSL_OP_PROGRAM, 16, 8, &other), VSL_RES_INVALID + 1);
	CHECK_EQ(take(1, VSL_OP_ERASE, 0, 0, &other), VSL_RES_INVALID + 1);
	op.result = VSL_RES_OK;
	vsl_zns_settle(&book, 1, &op);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 16, 16, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(zones[1].state, VSL_EU_FULL);
	CHECK_EQ(book.nr_active, 0);
	CHECK_EQ(act(1, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_RES_OK + 1);
	CHECK_EQ(vsl_zns_readable(&book, 1, 0, 8), 0);
}

static void a_program_in_doubt_ends_the_zone(void)
{
	open_book(0);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 8, 8, VSL_RES_EU_ENDED), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 8, 8, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 16, 8, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	/* what is there may be looked at */
	CHECK_EQ(vsl_zns_readable(&book, 1, 0, 64), 16);
	CHECK_EQ(book.nr_active, 1);
	CHECK_EQ(act(1, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(book.nr_active, 0);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_ZNS_GO);
	/* one that perhaps had no effect is tried again, where the card will see */
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 8, 8, VSL_RES_TRANSIENT), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 8, 8, VSL_RES_OK), VSL_ZNS_GO);
	/* nor is an erase believed that was not seen to end */
	CHECK_EQ(act(1, VSL_OP_ERASE, 0, 0, VSL_RES_TRANSIENT), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	CHECK_EQ(act(1, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 0, 8, VSL_RES_OK), VSL_ZNS_GO);
}

static void what_is_dead_stays_dead(void)
{
	struct vsl_zns_zone told = { .state = VSL_EU_RDONLY, .wp = BLOCKS, .end = BLOCKS };

	open_book(0);
	vsl_zns_note(&book, 2, &told);
	told.state = VSL_EU_DEAD;
	vsl_zns_note(&book, 3, &told);
	CHECK_EQ(act(2, VSL_OP_PROGRAM, 0, 1, VSL_RES_OK), VSL_RES_EU_DEAD + 1);
	CHECK_EQ(act(3, VSL_OP_PROGRAM, 0, 1, VSL_RES_OK), VSL_RES_EU_DEAD + 1);
	CHECK_EQ(act(2, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_RES_EU_DEAD + 1);
	CHECK_EQ(act(3, VSL_OP_ERASE, 0, 0, VSL_RES_OK), VSL_RES_EU_DEAD + 1);
	CHECK_EQ(vsl_zns_readable(&book, 2, 0, 4), 4);
}

static void who_waits_gets_the_zone_unused_for_longest(void)
{
	struct vsl_op op;
	u32 i;

	open_book(6);
	for (i = 0; i < 6; i++)
		CHECK_EQ(act(i, VSL_OP_PROGRAM, 0, 4, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(act(0, VSL_OP_PROGRAM, 4, 4, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(take(9, VSL_OP_PROGRAM, 0, 4, &op), VSL_ZNS_WAIT);
	CHECK_EQ(vsl_zns_make_room(&book), 1);
	/* one at a time, and nobody else gets at it */
	CHECK_EQ(vsl_zns_make_room(&book), VSL_ZNS_NONE);
	CHECK_EQ(take(1, VSL_OP_ERASE, 0, 0, &op), VSL_ZNS_WAIT);
	vsl_zns_room_made(&book, VSL_RES_OK);
	CHECK_EQ(zones[1].state, VSL_EU_FULL);
	/* where its data ends is not forgotten, also if the card says "full" */
	vsl_zns_note(&book, 1, &(struct vsl_zns_zone){
		.state = VSL_EU_FULL, .wp = BLOCKS, .end = BLOCKS });
	CHECK_EQ(vsl_zns_readable(&book, 1, 0, 64), 4);
	CHECK_EQ(act(1, VSL_OP_PROGRAM, 4, 4, VSL_RES_OK), VSL_RES_EU_ENDED + 1);
	CHECK_EQ(act(9, VSL_OP_PROGRAM, 0, 4, VSL_RES_OK), VSL_ZNS_GO);
	CHECK_EQ(book.nr_active, 6);
	/* one to which nothing more goes is first */
	CHECK_EQ(act(5, VSL_OP_PROGRAM, 4, 4, VSL_RES_EU_ENDED), VSL_ZNS_GO);
	CHECK_EQ(vsl_zns_make_room(&book), 5);
	vsl_zns_room_made(&book, VSL_RES_OK);
	CHECK_EQ(vsl_zns_make_room(&book), VSL_ZNS_NONE);
}

static void zones_that_cannot_be_finished_stop_nobody(void)
{
	struct vsl_op op;
	u32 i, tries;

	open_book(6);
	for (i = 0; i < 6; i++)
		CHECK_EQ(act(i, VSL_OP_PROGRAM, 0, 4, VSL_RES_OK), VSL_ZNS_GO);
	for (tries = 0; take(9, VSL_OP_PROGRAM, 0, 4, &op) == VSL_ZNS_WAIT; tries++) {
		CHECK(tries < 20);
		CHECK(vsl_zns_make_room(&book) != VSL_ZNS_NONE);
		vsl_zns_room_made(&book, VSL_RES_TRANSIENT);
	}
	CHECK(tries >= 6);
}

static void a_card_with_fewer_than_it_said_is_kept_to_that(void)
{
	struct vsl_op op;
	u32 i;

	open_book(0);
	for (i = 0; i < 8; i++)
		CHECK_EQ(act(i, VSL_OP_PROGRAM, 0, 4, VSL_RES_OK), VSL_ZNS_GO);
	vsl_zns_too_many(&book);
	CHECK_EQ(book.limit, 7);
	CHECK_EQ(take(9, VSL_OP_PROGRAM, 0, 4, &op), VSL_ZNS_WAIT);
}

/* Anything, in any order: the count is right, and somebody can always go on. */
static void the_count_is_right(void)
{
	u32 steps, i, index, seen;
	struct vsl_op op;

	srand(7);
	for (u32 whole = 0; whole < 2; whole++) {
		open_book(9);
		book.is_whole = whole;
		for (steps = 0; steps < 100000; steps++) {
			index = (u32)rand() % ZONES;
			op = (struct vsl_op){ .kind = VSL_OP_PROGRAM, .off = zones[index].wp };
			op.nr = 1 + (u32)rand() % 8;
			if (rand() % 8 == 0)
				op = (struct vsl_op){ .kind = VSL_OP_ERASE };
			if (op.off + op.nr > BLOCKS)
				op.nr = BLOCKS - op.off;
			i = vsl_zns_take(&book, index, &op);
			op.result = rand() % 16 ? VSL_RES_OK : (u32)rand() % VSL_RES_GONE;
			if (op.kind == VSL_OP_ERASE && op.result == VSL_RES_REFRESH)
				op.result = VSL_RES_OK;
			if (i == (u32)VSL_ZNS_GO)
				vsl_zns_settle(&book, index, &op);
			if (i == (u32)VSL_ZNS_WAIT) {
				CHECK(vsl_zns_make_room(&book) != VSL_ZNS_NONE);
				vsl_zns_room_made(&book, VSL_RES_OK);
			}
			for (i = 0, seen = 0; i < ZONES; i++) {
				seen += !!(zones[i].flags & VSL_ZNS_ACTIVE);
				CHECK(zones[i].wp <= zones[i].end && zones[i].end <= BLOCKS);
			}
			CHECK_EQ(seen, book.nr_active);
			CHECK(book.nr_active <= 9);
		}
	}
}

/* ---- status codes ----------------------------------------------------------- */

static void codes_of_zones_are_known(void)
{
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_FULL, VSL_OP_PROGRAM), VSL_RES_EU_ENDED);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_WRITE | NVME_STATUS_DNR, VSL_OP_PROGRAM),
		 VSL_RES_EU_ENDED);
	CHECK_EQ(vsl_nvme_result(NVME_SC_TOO_MANY_ACTIVE, VSL_OP_PROGRAM), VSL_RES_EU_ENDED);
	CHECK_EQ(vsl_nvme_result(NVME_SC_TOO_MANY_OPEN, VSL_OP_PROGRAM), VSL_RES_EU_ENDED);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_BOUNDARY, VSL_OP_PROGRAM), VSL_RES_INVALID);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_BOUNDARY, VSL_OP_READ), VSL_RES_INVALID);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_READ_ONLY, VSL_OP_PROGRAM), VSL_RES_EU_DEAD);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_READ_ONLY, VSL_OP_ERASE), VSL_RES_EU_DEAD);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_OFFLINE, VSL_OP_PROGRAM), VSL_RES_EU_DEAD);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_OFFLINE, VSL_OP_READ), VSL_RES_LOST);
	CHECK_EQ(vsl_nvme_result(NVME_SC_ZONE_TRANSITION, VSL_OP_ERASE), VSL_RES_EU_DEAD);
}

static const struct tap_test tests[] = {
	TAP_TEST(cards_are_divided_as_ever),
	TAP_TEST(what_cannot_be_used_is_refused),
	TAP_TEST(limits_are_the_smaller_ones),
	TAP_TEST(most_zones_say_how_large_they_are),
	TAP_TEST(states_are_known),
	TAP_TEST(nonsense_is_dead),
	TAP_TEST(programs_go_to_the_write_pointer),
	TAP_TEST(a_program_in_doubt_ends_the_zone),
	TAP_TEST(what_is_dead_stays_dead),
	TAP_TEST(who_waits_gets_the_zone_unused_for_longest),
	TAP_TEST(zones_that_cannot_be_finished_stop_nobody),
	TAP_TEST(a_card_with_fewer_than_it_said_is_kept_to_that),
	TAP_TEST(the_count_is_right),
	TAP_TEST(codes_of_zones_are_known),
};

TAP_MAIN(tests)
