// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout_test.c - which block of a segment lies where, with and without parity.
 *
 * For cards of all small shapes, and segments of all numbers of good units: every
 * index is one block of a good unit and no two are the same; with parity the rest
 * is one chunk in each row, at the position that rotates.
 */
#include <stdlib.h>
#include <string.h>

#include "../../driver/core/layout.h"
#include "tap.h"

struct shape {
	u32 units;
	u32 eu_blocks;
	u32 ws_min;
	u32 ws_opt;
	bool parity;
};

static bool make_geo(const struct shape *shape, struct vsl_geo *geo)
{
	struct vsl_media_info info = {
		.units = shape->units,
		.eus = 64,
		.eu_blocks = shape->eu_blocks,
		.ws_min = shape->ws_min,
		.ws_opt = shape->ws_opt,
		.max_blocks = 64,
	};

	if (vsl_geo_init(geo, &info))
		return false;
	return !shape->parity || !vsl_geo_protect(geo);
}

/* Good units: @nr of them, from @first on. */
static void choose_units(u8 *map, u32 units, u32 first, u32 nr)
{
	u32 i;

	memset(map, 0, VSL_UNITS_BYTES);
	for (i = 0; i < nr; i++)
		vsl_bit_set(map, (first + i) % units);
}

/* Return: how much is wrong. */
static u32 check_segment(const struct vsl_geo *geo, const u8 *map)
{
	static u8 used[64][64];
	struct vsl_stripe stripe;
	u32 index, ppa, row, at, wrong = 0, nr = 0;

	memset(used, 0, sizeof(used));
	vsl_stripe_init(&stripe, geo, map);
	for (index = 0; index < vsl_seg_blocks(geo, stripe.nr); index++) {
		ppa = vsl_stripe_ppa(&stripe, geo, 5, index);
		wrong += vsl_ppa_seg(geo, ppa) != 5 ||
			 !vsl_bit(map, vsl_ppa_unit(geo, ppa)) ||
			 vsl_ppa_off(geo, ppa) / geo->chunk !=
			 index / vsl_row_blocks(geo, stripe.nr) ||
			 used[vsl_ppa_unit(geo, ppa)][vsl_ppa_off(geo, ppa)]++;
	}
	for (row = 0; row < vsl_seg_rows(geo); row++)
		for (at = 0; at < stripe.nr; at++)
			for (index = 0; index < geo->chunk; index++) {
				bool data = used[stripe.unit[at]]
						[row * geo->chunk + index];

				wrong += data == (geo->parity &&
						  row % stripe.nr == at);
				nr += data;
			}
	return wrong + (nr != vsl_seg_blocks(geo, stripe.nr));
}

static u32 check_shape(const struct shape *shape, u32 *seen)
{
	u8 map[VSL_UNITS_BYTES];
	struct vsl_geo geo;
	u32 nr, wrong = 0;

	if (!make_geo(shape, &geo))
		return 0;
	for (nr = geo.units_min; nr <= geo.units; nr++) {
		choose_units(map, geo.units, nr, nr);
		wrong += check_segment(&geo, map);
		++*seen;
	}
	return wrong;
}

static u32 check_all(bool parity)
{
	struct shape shape = { .parity = parity };
	u32 wrong = 0, seen = 0;

	for (shape.units = 1; shape.units <= 9; shape.units++)
		for (shape.eu_blocks = 8; shape.eu_blocks <= 64;
		     shape.eu_blocks += 8)
			for (shape.ws_min = 1; shape.ws_min <= 4;
			     shape.ws_min *= 2)
				for (shape.ws_opt = shape.ws_min;
				     shape.ws_opt <= 8; shape.ws_opt *= 2)
					wrong += check_shape(&shape, &seen);
	return seen > 100 ? wrong : ~0u;
}

static void each_index_is_one_block(void)
{
	CHECK_EQ(check_all(false), 0);
}

static void parity_has_no_index(void)
{
	CHECK_EQ(check_all(true), 0);
}

static void parity_needs_three_units(void)
{
	struct shape shape = {
		.units = 2, .eu_blocks = 32, .ws_min = 1, .ws_opt = 1,
		.parity = true,
	};
	struct vsl_geo geo;

	CHECK(!make_geo(&shape, &geo));
	shape.units = 3;
	CHECK(make_geo(&shape, &geo));
	CHECK_EQ(geo.units_min, 2);
}

static const struct tap_test tests[] = {
	TAP_TEST(each_index_is_one_block),
	TAP_TEST(parity_has_no_index),
	TAP_TEST(parity_needs_three_units),
};

TAP_MAIN(tests)
