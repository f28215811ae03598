// SPDX-License-Identifier: GPL-2.0-only
/*
 * flat_test.c - a card that is no flash (sim_flat.c).
 *
 * Goal: nothing ever reads as unwritten; an erased block is zeros or what it
 * held; what was not flushed is lost block by block and sector by sector, erases
 * as well as programs, and what was flushed is not.
 */
#include "rig.h"

#define NR	12u		/* blocks that are programmed, from block 0 on */
#define OLD	100u		/* numbers of an earlier life */
#define LIVES	300u

static struct rig rig;
static u8 buf[VSL_BLOCK_BYTES] __attribute__((aligned(64)));

static void create(u32 flags, u32 stale_permille, u64 seed)
{
	rig_config(&rig, "tiny");
	rig.config.flags &= ~(u32)(VSL_SIM_REPORTS | VSL_SIM_FINISH);
	rig.config.flags |= VSL_SIM_FLAT | flags;
	rig.config.stale_permille = stale_permille;
	rig.config.tear = (struct vsl_sim_tear){
		.program_old = 1, .program_new = 1, .erase_old = 1,
		.erase_done = 1, .erase_random = 1,
	};
	rig.config.seed = seed;
	rig_create(&rig);
}

static bool is_zero(const u8 *block)
{
	u32 i;

	for (i = 0; i < VSL_BLOCK_BYTES; i++)
		if (block[i])
			return false;
	return true;
}

/* What blocks of (0, 0) are. */
struct found {
	u32 new;
	u32 old;
	u32 zero;
	u32 torn;
	u32 none;		/* nothing of that */
};

/* Each sector is of block @number, or of @other, or zeros. */
static bool is_mixed(u32 number, u32 other)
{
	static u8 a[VSL_BLOCK_BYTES], b[VSL_BLOCK_BYTES];
	static const u8 zero[VSL_SECTOR_BYTES];
	u32 i;

	rig_fill(a, number);
	rig_fill(b, other);
	for (i = 0; i < VSL_BLOCK_BYTES; i += VSL_SECTOR_BYTES)
		if (memcmp(buf + i, a + i, VSL_SECTOR_BYTES) &&
		    memcmp(buf + i, b + i, VSL_SECTOR_BYTES) &&
		    memcmp(buf + i, zero, VSL_SECTOR_BYTES))
			return false;
	return true;
}

static struct found look(u32 nr)
{
	struct found found = { 0 };
	u32 i;

	for (i = 0; i < nr; i++) {
		if (rig_read(&rig, 0, 0, i, buf) != VSL_RES_OK)
			found.none++;
		else if (rig_is(buf, i))
			found.new++;
		else if (rig_is(buf, OLD + i))
			found.old++;
		else if (is_zero(buf))
			found.zero++;
		else if (is_mixed(i, OLD + i))
			found.torn++;
		else
			found.none++;
	}
	return found;
}

static void says_what_it_is(void)
{
	create(0, 0, 1);
	CHECK(rig.media->info.flags & VSL_MEDIA_STALE);
	CHECK(!(rig.media->info.flags & VSL_MEDIA_REPORTS));
	rig_exit(&rig);
	rig_init(&rig, "tiny");
	CHECK(!(rig.media->info.flags & VSL_MEDIA_STALE));
	rig_exit(&rig);
	rig_config(&rig, "flat");
	CHECK(rig.config.flags & VSL_SIM_FLAT && rig.config.flags & VSL_SIM_VOLATILE);
	rig_config(&rig, "flat-plp");
	CHECK(rig.config.flags & VSL_SIM_FLAT && rig.config.flags & VSL_SIM_PLP);
}

static void never_written_blocks_are_foreign(void)
{
	static u8 again[VSL_BLOCK_BYTES];
	u32 i, zero = 0;

	create(0, 0, 3);
	CHECK_EQ(rig_read(&rig, 1, 2, 3, buf), VSL_RES_OK);
	CHECK(is_zero(buf));
	rig_exit(&rig);
	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_FLAT;
	rig.config.foreign_permille = 500;
	rig_create(&rig);
	for (i = 0; i < 16; i++) {
		CHECK_EQ(rig_read(&rig, 1, 2, i, buf), VSL_RES_OK);
		CHECK_EQ(rig_read(&rig, 1, 2, i, again), VSL_RES_OK);
		CHECK(!memcmp(buf, again, sizeof(buf)));
		zero += is_zero(buf);
	}
	CHECK(zero > 0 && zero < 16);
	CHECK_EQ(rig_erase(&rig, 1, 2), VSL_RES_OK);
	for (i = 0; i < 16; i++) {
		rig_read(&rig, 1, 2, i, buf);
		CHECK(is_zero(buf));
	}
	rig_exit(&rig);
}

static void erased_blocks_are_zero_or_stale(void)
{
	static const u32 permille[] = { 0, 500, 1000 };
	struct found found, again;
	u32 i;

	for (i = 0; i < 3; i++) {
		create(0, permille[i], 5);
		rig_program(&rig, 0, 0, 0, NR, OLD);
		CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
		found = look(NR);
		CHECK_EQ(found.old + found.zero, NR);
		CHECK(i == 0 ? !found.old : i == 2 ? !found.zero :
		      found.old && found.zero);
		rig_power_cycle(&rig);
		again = look(NR);
		CHECK_EQ(again.old, found.old);
		/* A new life takes the place of the old one, in order. */
		rig_program(&rig, 0, 0, 0, 4, 0);
		CHECK_EQ(look(4).new, 4);
		CHECK_EQ(rig.nr_violations, 0);
		CHECK_EQ(rig_program(&rig, 0, 0, 2, 1, 0), VSL_RES_INVALID);
		rig_exit(&rig);
	}
}

/* An old life, flushed; an erase and a new life, not flushed; a cut. */
static struct found cut_new_life(u32 flags, u32 stale, u64 seed, bool mixes)
{
	create(flags, stale, seed);
	rig_exit(&rig);
	rig.config.tear.program_mixed = mixes;
	rig_create(&rig);
	rig_program(&rig, 0, 0, 0, NR, OLD);
	rig_flush(&rig);
	rig_erase(&rig, 0, 0);
	rig_program(&rig, 0, 0, 0, NR - 2, 0);
	rig_power_cycle(&rig);
	return look(NR);
}

static void cuts_undo_block_by_block(void)
{
	u32 all = 0, none = 0, both = 0, undone = 0, torn = 0;
	struct found found;
	u64 seed;

	for (seed = 0; seed < LIVES; seed++) {
		found = cut_new_life(VSL_SIM_VOLATILE, 0, seed, seed & 1);
		all += found.new == NR - 2;
		none += !found.new && !found.torn;
		both += found.new && found.old;
		/* The last one was only erased. */
		rig_read(&rig, 0, 0, NR - 1, buf);
		undone += found.new && rig_is(buf, OLD + NR - 1);
		torn += found.torn;
		CHECK((seed & 1) || !found.torn);
		CHECK_EQ(found.none, 0);
		rig_exit(&rig);
	}
	CHECK(all > 20);
	CHECK(none > 20);
	CHECK(both > 20);
	CHECK(undone > 20);
	CHECK(torn > 20);
}

static void what_ended_is_kept_without_a_cache(void)
{
	struct found found;
	u64 seed;

	for (seed = 0; seed < 30; seed++) {
		found = cut_new_life(seed & 1 ? VSL_SIM_PLP : 0, 0, seed, true);
		CHECK_EQ(found.new, NR - 2);
		CHECK_EQ(found.zero, 2);
		rig_exit(&rig);
	}
}

static void flush_makes_durable_what_had_ended(void)
{
	static u8 data[VSL_BLOCK_BYTES];
	struct rig_op *flush, *program;
	u32 lost = 0;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		create(VSL_SIM_VOLATILE, 0, seed);
		rig_program(&rig, 0, 0, 0, NR, OLD);
		rig_erase(&rig, 0, 0);
		rig_program(&rig, 0, 0, 0, 1, 0);
		rig_fill(data, 1);
		flush = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
		program = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 1, 1, data);
		CHECK_EQ(rig_wait(&rig, flush), VSL_RES_OK);
		CHECK_EQ(rig_wait(&rig, program), VSL_RES_OK);
		rig_power_cycle(&rig);
		CHECK_EQ(look(1).new, 1);
		CHECK_EQ(look(2).old, 0);
		lost += look(2).zero;
		CHECK_EQ(look(NR).old, 0);
		rig_exit(&rig);
	}
	CHECK(lost > 20);
}

static void torn_programs_show_what_was_there(void)
{
	static u8 data[4 * VSL_BLOCK_BYTES];
	u32 torn = 0, old = 0, new = 0, i;
	struct found found;
	u64 seed;

	for (i = 0; i < 4; i++)
		rig_fill(data + i * VSL_BLOCK_BYTES, i);
	for (seed = 0; seed < LIVES; seed++) {
		create(0, 1000, seed);
		rig_exit(&rig);
		rig.config.tear.program_mixed = 1;
		rig.config.tear.program_prefix = seed & 1;
		rig_create(&rig);
		rig_program(&rig, 0, 0, 0, NR, OLD);
		rig_erase(&rig, 0, 0);
		rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 4, data);
		rig_power_cycle(&rig);
		found = look(4);
		torn += found.torn;
		old += found.old;
		new += found.new;
		CHECK_EQ(found.zero + found.none, 0);
		rig_exit(&rig);
	}
	CHECK(torn > 50 && old > 50 && new > 50);
}

static void clones_forget_for_themselves(void)
{
	struct vsl_sim_env env = { 0 };
	struct vsl_sim_stats stats;
	struct vsl_sim *first, *copy;
	struct found found;

	create(VSL_SIM_VOLATILE, 500, 7);
	rig_program(&rig, 0, 0, 0, NR, OLD);
	rig_flush(&rig);
	rig_erase(&rig, 0, 0);
	rig_program(&rig, 0, 0, 0, NR, 0);
	CHECK_EQ(vsl_sim_create(&rig.config, &env, &copy), 0);
	CHECK_EQ(vsl_sim_clone(copy, rig.sim), 0);
	first = rig.sim;
	vsl_sim_cut(copy);
	vsl_sim_power_on(copy);
	CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
	rig_power_cycle(&rig);
	found = look(NR);
	CHECK_EQ(found.new, NR);
	vsl_sim_destroy(copy);
	CHECK(first == rig.sim);
	rig_erase(&rig, 0, 0);
	rig_flush(&rig);
	vsl_sim_stats(rig.sim, &stats);
	CHECK(stats.data_blocks + stats.pattern_blocks <= 16);
	rig_exit(&rig);
}

static const struct tap_test tests[] = {
	TAP_TEST(says_what_it_is),
	TAP_TEST(never_written_blocks_are_foreign),
	TAP_TEST(erased_blocks_are_zero_or_stale),
	TAP_TEST(cuts_undo_block_by_block),
	TAP_TEST(what_ended_is_kept_without_a_cache),
	TAP_TEST(flush_makes_durable_what_had_ended),
	TAP_TEST(torn_programs_show_what_was_there),
	TAP_TEST(clones_forget_for_themselves),
};

TAP_MAIN(tests)
