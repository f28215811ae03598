// SPDX-License-Identifier: GPL-2.0-only
/*
 * layout_kunit.c - core/layout.c: where things lie on a card.
 *
 * Goal: the arithmetic is right for every shape of card, not only for those that
 * are simulated.  Segments are walked block by block and marked in a bitmap, so
 * a block that is missing, met twice or outside the card is seen.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/slab.h>

#include "core/layout.h"

static const struct shape {
	const char *name;
	u32 units;
	u32 eus;
	u32 eu_blocks;
	u32 ws_min;
	u32 ws_opt;
	u32 hole;
	u32 max_blocks;
} shapes[] = {
	{ "one unit", 1, 64, 64, 1, 1, 0, 16 },
	{ "two units", 2, 16, 32, 1, 2, 0, 16 },
	{ "powers of two", 16, 512, 256, 4, 16, 16, 64 },
	{ "odd numbers", 5, 37, 48, 3, 12, 5, 7 },
	{ "ws_opt that does not fit", 4, 32, 48, 4, 20, 0, 64 },
	{ "ws_opt of zero", 4, 32, 48, 4, 0, 0, 64 },
	{ "all units", 1024, 16, 16, 1, 1, 0, 64 },
	{ "long erase units", 2, 16, 4096, 4, 8, 8, 64 },
	{ "the 160 GB card", 48, 8136, 128, 1, 2, 0, 64 },
};

KUNIT_ARRAY_PARAM_DESC(shape, shapes, name);

static struct vsl_media_info info_of(const struct shape *shape)
{
	struct vsl_media_info info = {
		.units = shape->units,
		.eus = shape->eus,
		.eu_blocks = shape->eu_blocks,
		.ws_min = shape->ws_min,
		.ws_opt = shape->ws_opt,
		.hole = shape->hole,
		.max_blocks = shape->max_blocks,
	};

	return info;
}

static struct vsl_geo geo_of(struct kunit *test)
{
	struct vsl_media_info info = info_of(test->param_value);
	struct vsl_geo geo;

	KUNIT_ASSERT_EQ(test, 0, vsl_geo_init(&geo, &info));
	return geo;
}

static void geometry_follows_from_the_card(struct kunit *test)
{
	const struct shape *shape = test->param_value;
	struct vsl_geo geo = geo_of(test);

	KUNIT_EXPECT_EQ(test, shape->units, geo.units);
	KUNIT_EXPECT_EQ(test, shape->eus, geo.segments);
	KUNIT_EXPECT_EQ(test, 0, geo.chunk % shape->ws_min);
	KUNIT_EXPECT_EQ(test, 0, shape->eu_blocks % geo.chunk);
	if (shape->ws_opt && !(shape->eu_blocks % shape->ws_opt))
		KUNIT_EXPECT_EQ(test, shape->ws_opt, geo.chunk);
	else
		KUNIT_EXPECT_EQ(test, shape->ws_min, geo.chunk);
	KUNIT_EXPECT_GT(test, geo.max_blocks, 0);
	KUNIT_EXPECT_LE(test, geo.max_blocks, min(shape->max_blocks, 64u));
	KUNIT_EXPECT_EQ(test, 0, geo.max_blocks % shape->ws_min);
	KUNIT_EXPECT_EQ(test, 0, geo.unit_bytes % 8);
	KUNIT_EXPECT_GE(test, geo.unit_bytes * 8, shape->units);
	KUNIT_EXPECT_GE(test, geo.units_min * 2, shape->units);
	KUNIT_EXPECT_EQ(test, 0, geo.sum_blocks % shape->ws_min);
	/* A full packet and its head fit before the summary of any segment. */
	KUNIT_EXPECT_LT(test, geo.atomic_blocks,
			vsl_seg_limit(&geo, geo.units_min));
	KUNIT_EXPECT_GE(test, geo.sum_blocks * VSL_BLOCK_BYTES,
			sizeof(struct vsl_disk_summary) +
			vsl_seg_blocks(&geo, geo.units) *
			sizeof(struct vsl_disk_entry));
}

/* Every place is one number, which is no word, and back again. */
static void ppa_is_a_place_and_back(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	const u32 segs[] = { 0, 1, geo.segments / 2, geo.segments - 1 };
	u32 i, unit, off, ppa, wrong = 0;

	for (i = 0; i < ARRAY_SIZE(segs); i++)
		for (unit = 0; unit < geo.units; unit++)
			for (off = 0; off < geo.eu_blocks; off++) {
				ppa = vsl_ppa(&geo, segs[i], unit, off);
				wrong += vsl_ppa_seg(&geo, ppa) != segs[i] ||
					 vsl_ppa_unit(&geo, ppa) != unit ||
					 vsl_ppa_off(&geo, ppa) != off ||
					 !vsl_ppa_is_block(ppa) ||
					 !vsl_ppa_valid(&geo, ppa);
			}
	KUNIT_EXPECT_EQ(test, 0, wrong);
}

static void ppa_outside_the_card_is_not_valid(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	u32 last = vsl_ppa(&geo, geo.segments - 1, geo.units - 1,
			   geo.eu_blocks - 1);

	KUNIT_EXPECT_TRUE(test, vsl_ppa_valid(&geo, last));
	KUNIT_EXPECT_FALSE(test, vsl_ppa_valid(&geo, last + 1));
	KUNIT_EXPECT_FALSE(test, vsl_ppa_valid(&geo, VSL_PPA_NONE));
	KUNIT_EXPECT_FALSE(test, vsl_ppa_valid(&geo, VSL_PPA_LOST));
	KUNIT_EXPECT_FALSE(test, vsl_ppa_is_block(VSL_PPA_MAX));
	if (!is_power_of_2(geo.units))
		KUNIT_EXPECT_FALSE(test, vsl_ppa_valid
				   (&geo, vsl_ppa(&geo, 0, geo.units, 0)));
	if (!is_power_of_2(geo.eu_blocks))
		KUNIT_EXPECT_FALSE(test, vsl_ppa_valid
				   (&geo, vsl_ppa(&geo, 0, 0, geo.eu_blocks)));
}

/*
 * Walk a segment of these units: every block of every good unit comes once, in
 * the order of its erase unit (rule M1), nothing of the others.
 */
static void walk_segment(struct kunit *test, const struct vsl_geo *geo,
			 const u8 *units, u32 *next)
{
	struct vsl_stripe *stripe = kunit_kzalloc(test, sizeof(*stripe),
						  GFP_KERNEL);
	u32 seg = geo->segments - 1, index, unit, ppa, wrong = 0, nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, stripe);
	memset(next, 0, geo->units * sizeof(*next));
	vsl_stripe_init(stripe, geo, units);
	for (index = 0; index < vsl_seg_blocks(geo, stripe->nr); index++) {
		ppa = vsl_stripe_ppa(stripe, geo, seg, index);
		unit = vsl_ppa_unit(geo, ppa);
		if (!vsl_ppa_valid(geo, ppa) || !vsl_bit(units, unit) ||
		    vsl_ppa_seg(geo, ppa) != seg ||
		    vsl_ppa_off(geo, ppa) != next[unit]++)
			wrong++;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	for (unit = 0; unit < geo->units; unit++) {
		nr += vsl_bit(units, unit);
		if (next[unit] != (vsl_bit(units, unit) ? geo->eu_blocks : 0))
			wrong++;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_EQ(test, nr, stripe->nr);
}

static void segment_is_every_block_once(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	u8 *units = kunit_kzalloc(test, geo.unit_bytes, GFP_KERNEL);
	u32 *next = kunit_kcalloc(test, geo.units, sizeof(*next), GFP_KERNEL);
	u32 unit;

	KUNIT_ASSERT_NOT_NULL(test, units);
	KUNIT_ASSERT_NOT_NULL(test, next);
	for (unit = 0; unit < geo.units; unit++)
		vsl_bit_set(units, unit);
	walk_segment(test, &geo, units, next);
	for (unit = 0; unit < geo.units; unit += 3)
		if (geo.units > 1)
			vsl_bit_clear(units, unit);
	walk_segment(test, &geo, units, next);
}

static void rows_go_to_one_unit_after_the_other(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	struct vsl_stripe *stripe = kunit_kzalloc(test, sizeof(*stripe),
						  GFP_KERNEL);
	u8 units[VSL_MEDIA_UNITS_MAX / 8];
	u32 index, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, stripe);
	memset(units, 0xff, sizeof(units));
	vsl_stripe_init(stripe, &geo, units);
	for (index = 0; index < geo.chunk * geo.units * 2; index++) {
		u32 ppa = vsl_stripe_ppa(stripe, &geo, 3, index);

		wrong += vsl_ppa_unit(&geo, ppa) !=
			 index / geo.chunk % geo.units;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
}

static void lanes_own_what_they_are_placed_on(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	u32 lane, nth, unit, eu, owned = 0;
	u32 lane_unit[VSL_LANES];

	for (lane = 0; lane < VSL_LANES; lane++)
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(&geo, lane, nth, &unit, &eu);
			lane_unit[lane] = unit;
			KUNIT_EXPECT_LT(test, unit, geo.units);
			KUNIT_EXPECT_LT(test, eu, geo.segments);
			KUNIT_EXPECT_TRUE(test, vsl_lane_owns(&geo, unit, eu));
		}
	if (geo.units > 1)
		KUNIT_EXPECT_NE(test, lane_unit[0], lane_unit[1]);
	for (unit = 0; unit < geo.units; unit++)
		for (eu = 0; eu < geo.segments; eu++)
			owned += vsl_lane_owns(&geo, unit, eu);
	KUNIT_EXPECT_EQ(test, VSL_LANES * VSL_LANE_EUS, owned);
}

static void sizes_have_room_for_everything(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);
	struct vsl_free_levels levels;
	u64 needed, last = 0;
	u32 size;

	for (size = 1000; size < 100000; size += 9973) {
		KUNIT_ASSERT_EQ(test, 0, vsl_geo_set_size(&geo, size));
		KUNIT_EXPECT_EQ(test, size, geo.lba_blocks);
		KUNIT_EXPECT_GE(test, (u64)geo.map_pages * VSL_MAP_PER_PAGE,
				size);
		KUNIT_EXPECT_LT(test, (u64)(geo.map_pages - 1) *
				VSL_MAP_PER_PAGE, size);
		KUNIT_EXPECT_GE(test, geo.dir_pages * VSL_REFS_PER_PAGE,
				geo.map_pages);
		KUNIT_EXPECT_LE(test, geo.root_stride, geo.eu_blocks);
		KUNIT_EXPECT_GE(test, geo.root_stride,
				geo.root_blocks + geo.hole);
		KUNIT_EXPECT_EQ(test, 0, geo.root_stride % geo.ws_min);

		vsl_geo_free_levels(&geo, &levels);
		KUNIT_EXPECT_GE(test, levels.check, 1);
		KUNIT_EXPECT_LT(test, levels.check, levels.moved);
		KUNIT_EXPECT_LT(test, levels.moved, levels.host);
		KUNIT_EXPECT_LT(test, levels.host, levels.target);
		KUNIT_EXPECT_GT(test, vsl_geo_reserve_segments(&geo),
				levels.target);

		needed = vsl_geo_needed_blocks(&geo);
		KUNIT_EXPECT_GT(test, needed, last);
		/* What it needs holds the data. */
		KUNIT_EXPECT_GE(test, vsl_geo_data_blocks(&geo, needed), size);
		last = needed;
	}
}

static void sizes_that_no_format_holds_are_refused(struct kunit *test)
{
	struct vsl_geo geo = geo_of(test);

	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_geo_set_size(&geo, 0));
	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_geo_set_size(&geo, VSL_PPA_MAX));
	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_geo_set_size(&geo, 1ull << 32));
	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_geo_set_size(&geo, (1ull << 32) + 9));
}

/* A root's references to the directory grow with the disk. */
static void size_whose_root_fills_a_lane_is_refused(struct kunit *test)
{
	struct vsl_media_info info = {
		.units = 16, .eus = 4096, .eu_blocks = 16, .ws_min = 1,
		.max_blocks = 16, .hole = 12,
	};
	struct vsl_geo geo;

	KUNIT_ASSERT_EQ(test, 0, vsl_geo_init(&geo, &info));
	KUNIT_EXPECT_EQ(test, 0, vsl_geo_set_size(&geo, 1 << 20));
	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_geo_set_size(&geo, 0xfff00000));
}

/* ---- what the core cannot serve ------------------------------------------ */

static const struct refused {
	const char *name;
	struct shape shape;
	int ret;
} refused[] = {
	{ "least", { NULL, 1, 16, 32, 1, 1, 0, 1 }, 0 },
	{ "no units", { NULL, 0, 16, 32, 1, 1, 0, 1 }, -EUCLEAN },
	{ "1025 units", { NULL, 1025, 16, 32, 1, 1, 0, 1 }, -EUCLEAN },
	{ "15 segments", { NULL, 1, 15, 32, 1, 1, 0, 1 }, -EUCLEAN },
	{ "2^24 segments", { NULL, 1, 1 << 24, 128, 1, 1, 0, 1 }, 0 },
	{ "too many segments", { NULL, 1, (1 << 24) + 1, 128, 1, 1, 0, 1 },
	  -EUCLEAN },
	{ "2^32 blocks", { NULL, 2, 1 << 24, 128, 1, 1, 0, 1 }, -EUCLEAN },
	{ "3 blocks", { NULL, 16, 16, 3, 1, 1, 0, 1 }, -EUCLEAN },
	{ "2^20 blocks", { NULL, 1, 16, 1 << 20, 1, 1, 0, 1 }, 0 },
	{ "too many blocks", { NULL, 1, 16, (1 << 20) + 1, 1, 1, 0, 1 },
	  -EUCLEAN },
	{ "segment above 2^24 blocks", { NULL, 17, 16, 1 << 20, 1, 1, 0, 1 },
	  -EUCLEAN },
	{ "no ws_min", { NULL, 4, 16, 32, 0, 1, 0, 1 }, -EUCLEAN },
	{ "ws_min does not divide", { NULL, 4, 16, 32, 3, 3, 0, 3 }, -EUCLEAN },
	{ "operation below ws_min", { NULL, 4, 16, 32, 4, 4, 0, 3 }, -EUCLEAN },
	{ "ws_min above 64", { NULL, 4, 16, 256, 128, 128, 0, 128 }, -EUCLEAN },
	{ "no room besides the summary", { NULL, 1, 16, 4, 1, 1, 0, 1 },
	  -EUCLEAN },
};

KUNIT_ARRAY_PARAM_DESC(refused, refused, name);

static void card_is_served_or_refused(struct kunit *test)
{
	const struct refused *refused = test->param_value;
	struct vsl_media_info info = info_of(&refused->shape);
	struct vsl_geo geo;

	KUNIT_EXPECT_EQ(test, refused->ret, vsl_geo_init(&geo, &info));
}

static void bits_are_bits(struct kunit *test)
{
	u8 map[4] = { };
	u32 bit;

	for (bit = 0; bit < 32; bit += 5)
		vsl_bit_set(map, bit);
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, bit % 5 == 0, vsl_bit(map, bit));
	memset(map, 0xff, sizeof(map));
	for (bit = 0; bit < 32; bit += 5)
		vsl_bit_clear(map, bit);
	for (bit = 0; bit < 32; bit++)
		KUNIT_EXPECT_EQ(test, bit % 5 != 0, vsl_bit(map, bit));
	KUNIT_EXPECT_EQ(test, 21, vsl_round(15, 7));
	KUNIT_EXPECT_EQ(test, 14, vsl_round(14, 7));
	KUNIT_EXPECT_EQ(test, 0, vsl_round(0, 7));
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE_PARAM(geometry_follows_from_the_card, shape_gen_params),
	KUNIT_CASE_PARAM(ppa_is_a_place_and_back, shape_gen_params),
	KUNIT_CASE_PARAM(ppa_outside_the_card_is_not_valid, shape_gen_params),
	KUNIT_CASE_PARAM(segment_is_every_block_once, shape_gen_params),
	KUNIT_CASE_PARAM(rows_go_to_one_unit_after_the_other, shape_gen_params),
	KUNIT_CASE_PARAM(lanes_own_what_they_are_placed_on, shape_gen_params),
	KUNIT_CASE_PARAM(sizes_have_room_for_everything, shape_gen_params),
	KUNIT_CASE_PARAM(sizes_that_no_format_holds_are_refused,
			 shape_gen_params),
	KUNIT_CASE(size_whose_root_fills_a_lane_is_refused),
	KUNIT_CASE_PARAM(card_is_served_or_refused, refused_gen_params),
	KUNIT_CASE(bits_are_bits),
	{ }
};

static struct kunit_suite layout_suite = {
	.name = "openvsl_layout",
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);
