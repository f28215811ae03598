// SPDX-License-Identifier: GPL-2.0-only
/*
 * cache_test.c - the volatile cache, and the protection that replaces it.
 *
 * Goal: exactly what rule M4 of media.h promises is kept by a power cut, and what
 * it does not promise is lost often enough to be noticed.
 */
#include "rig.h"

static struct rig rig;
static u8 buf[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));
static u8 data[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

static void create(u32 flags, u64 seed)
{
	rig_config(&rig, "tiny");
	rig.config.flags |= flags;
	rig.config.seed = seed;
	rig_create(&rig);
}

/* Blocks of (0, 0) below @nr that read as they were programmed, as bits. */
static u32 kept(u32 nr)
{
	u32 i, bits = 0;

	for (i = 0; i < nr; i++)
		if (rig_read(&rig, 0, 0, i, buf) == VSL_RES_OK &&
		    rig_is(buf, i))
			bits |= 1u << i;
	return bits;
}

static void volatile_card_says_so(void)
{
	create(VSL_SIM_VOLATILE, 1);
	CHECK(rig.media->info.flags & VSL_MEDIA_VOLATILE);
	CHECK(!(rig.media->info.flags & VSL_MEDIA_PLP));
	rig_exit(&rig);
}

static void flushed_programs_survive(void)
{
	u64 seed;
	u32 i;

	for (seed = 0; seed < 50; seed++) {
		create(VSL_SIM_VOLATILE, seed);
		for (i = 0; i < 6; i++)
			rig_program(&rig, 0, 0, i, 1, i);
		CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		rig_power_cycle(&rig);
		CHECK_EQ(kept(6), 0x3f);
		rig_exit(&rig);
	}
}

static void unflushed_programs_are_lost_in_any_order(void)
{
	u32 all = 0, none = 0, holes = 0, bits, i;
	u64 seed;

	for (seed = 0; seed < 200; seed++) {
		create(VSL_SIM_VOLATILE, seed);
		rig_program(&rig, 0, 0, 0, 1, 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		for (i = 1; i < 6; i++)
			rig_program(&rig, 0, 0, i, 1, i);
		rig_power_cycle(&rig);
		bits = kept(6);
		CHECK(bits & 1);
		all += bits == 0x3f;
		none += bits == 1;
		holes += (bits & (bits + 1)) != 0;
		rig_exit(&rig);
	}
	CHECK(all > 20);
	CHECK(none > 20);
	CHECK(holes > 20);
}

static void in_order_card_loses_only_the_last(void)
{
	u32 some = 0, bits, i;
	u64 seed;

	for (seed = 0; seed < 200; seed++) {
		create(VSL_SIM_VOLATILE | VSL_SIM_IN_ORDER, seed);
		for (i = 0; i < 6; i++)
			rig_program(&rig, 0, 0, i, 1, i);
		rig_power_cycle(&rig);
		bits = kept(6);
		CHECK_EQ(bits & (bits + 1), 0);
		some += bits && bits != 0x3f;
		rig_exit(&rig);
	}
	CHECK(some > 20);
}

/* What ends after the flush was submitted is not covered by it. */
static void flush_covers_only_what_ended_before_it(void)
{
	struct rig_op *flush, *program;
	u32 lost = 0;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		create(VSL_SIM_VOLATILE, seed);
		rig_program(&rig, 0, 0, 0, 1, 0);
		rig_fill(data, 1);
		flush = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
		program = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 1, 1, data);
		CHECK_EQ(rig_wait(&rig, flush), VSL_RES_OK);
		CHECK_EQ(rig_wait(&rig, program), VSL_RES_OK);
		rig_power_cycle(&rig);
		CHECK(kept(2) & 1);
		lost += !(kept(2) & 2);
		rig_exit(&rig);
	}
	CHECK(lost > 20);
}

static void two_flushes_both_keep_their_word(void)
{
	struct rig_op *first, *second;
	u64 seed;

	for (seed = 0; seed < 50; seed++) {
		create(VSL_SIM_VOLATILE | VSL_SIM_SHUFFLE, seed);
		rig_program(&rig, 0, 0, 0, 1, 0);
		first = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
		rig_program(&rig, 0, 0, 1, 1, 1);
		second = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
		CHECK_EQ(rig_wait(&rig, first), VSL_RES_OK);
		CHECK_EQ(rig_wait(&rig, second), VSL_RES_OK);
		rig_power_cycle(&rig);
		CHECK_EQ(kept(2), 3);
		rig_exit(&rig);
	}
}

static void dropped_flush_protects_nothing(void)
{
	u32 lost = 0;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		create(VSL_SIM_VOLATILE, seed);
		rig_program(&rig, 0, 0, 0, 1, 0);
		rig_plant(&rig, "flush-drop", VSL_SIM_ANY, VSL_SIM_ANY,
			  VSL_SIM_ANY, 1, 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		rig_power_cycle(&rig);
		lost += !kept(1);
		rig_exit(&rig);
	}
	CHECK(lost > 20);
}

static void small_cache_makes_the_oldest_durable(void)
{
	u64 seed;
	u32 i;

	for (seed = 0; seed < 50; seed++) {
		rig_config(&rig, "tiny");
		rig.config.flags |= VSL_SIM_VOLATILE;
		rig.config.cache_blocks = 8;
		rig.config.seed = seed;
		rig_create(&rig);
		rig_program(&rig, 0, 0, 0, 6, 0);
		rig_program(&rig, 1, 0, 0, 6, 0);
		rig_power_cycle(&rig);
		for (i = 0; i < 6; i++)
			CHECK_EQ(kept(6), 0x3f);
		rig_exit(&rig);
	}
}

static void erase_takes_its_programs_out_of_the_cache(void)
{
	u64 seed;

	for (seed = 0; seed < 50; seed++) {
		create(VSL_SIM_VOLATILE, seed);
		rig_program(&rig, 0, 0, 0, 8, 50);
		CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
		rig_program(&rig, 0, 0, 0, 2, 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		rig_power_cycle(&rig);
		CHECK_EQ(kept(2), 3);
		rig_exit(&rig);
	}
}

static void protected_card_keeps_all_that_ended(void)
{
	u64 seed;
	u32 i;

	for (seed = 0; seed < 50; seed++) {
		create(VSL_SIM_PLP, seed);
		CHECK(rig.media->info.flags & VSL_MEDIA_PLP);
		for (i = 0; i < 6; i++)
			rig_program(&rig, 0, 0, i, 1, i);
		rig_power_cycle(&rig);
		CHECK_EQ(kept(6), 0x3f);
		rig_exit(&rig);
	}
}

static void protection_that_fails_forgets(void)
{
	u32 lost = 0, i;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		create(VSL_SIM_PLP, seed);
		rig_program(&rig, 0, 0, 0, 1, 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		for (i = 1; i < 6; i++)
			rig_program(&rig, 0, 0, i, 1, i);
		rig_plant(&rig, "plp-fail", VSL_SIM_ANY, VSL_SIM_ANY,
			  VSL_SIM_ANY, 1, 0);
		rig_power_cycle(&rig);
		CHECK(kept(6) & 1);
		lost += kept(6) != 0x3f;
		rig_exit(&rig);
	}
	CHECK(lost > 50);
}

static void plain_card_keeps_all_that_ended(void)
{
	u64 seed;

	for (seed = 0; seed < 50; seed++) {
		create(0, seed);
		rig_program(&rig, 0, 0, 0, 6, 0);
		rig_power_cycle(&rig);
		CHECK_EQ(kept(6), 0x3f);
		rig_exit(&rig);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(volatile_card_says_so),
	TAP_TEST(flushed_programs_survive),
	TAP_TEST(unflushed_programs_are_lost_in_any_order),
	TAP_TEST(in_order_card_loses_only_the_last),
	TAP_TEST(flush_covers_only_what_ended_before_it),
	TAP_TEST(two_flushes_both_keep_their_word),
	TAP_TEST(dropped_flush_protects_nothing),
	TAP_TEST(small_cache_makes_the_oldest_durable),
	TAP_TEST(erase_takes_its_programs_out_of_the_cache),
	TAP_TEST(protected_card_keeps_all_that_ended),
	TAP_TEST(protection_that_fails_forgets),
	TAP_TEST(plain_card_keeps_all_that_ended),
};

TAP_MAIN(tests)
