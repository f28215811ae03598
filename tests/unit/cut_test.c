// SPDX-License-Identifier: GPL-2.0-only
/*
 * cut_test.c - what a power cut leaves.
 *
 * Each outcome is forced by its weight alone and looked at; then all of them
 * are mixed for many seeds, to see that every one happens and that nothing
 * happens which may not.
 */
#include "rig.h"

#define ANY	VSL_SIM_ANY

static struct rig rig;
static u8 buf[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));
static u8 data[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

static void config_with(struct vsl_sim_tear tear, u64 seed)
{
	rig_config(&rig, "tiny");
	rig.config.tear = tear;
	rig.config.seed = seed;
	rig_create(&rig);
}

/* Cut while one block is being programmed behind four good ones. */
static void cut_one_program(struct vsl_sim_tear tear, u64 seed)
{
	config_with(tear, seed);
	rig_program(&rig, 0, 0, 0, 4, 0);
	rig_fill(data, 4);
	rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 4, 1, data);
	rig_power_cycle(&rig);
}

enum seen {
	SEEN_OLD, SEEN_NEW, SEEN_PREFIX, SEEN_MIXED, SEEN_RANDOM, SEEN_LOST,
	SEEN_KINDS,
};

/* How many 512-byte units are good, erased or something else. */
static enum seen look(u8 result)
{
	u32 i, j, good = 0, erased = 0, front = 0;

	if (result == VSL_RES_UNWRITTEN)
		return SEEN_OLD;
	if (result == VSL_RES_LOST)
		return SEEN_LOST;
	rig_fill(data, 4);
	for (i = 0; i < 8; i++) {
		if (!memcmp(buf + i * 512, data + i * 512, 512)) {
			front += good == i;
			good++;
			continue;
		}
		for (j = 0; j < 512 && buf[i * 512 + j] == 0xff; j++)
			;
		erased += j == 512;
	}
	if (good == 8)
		return SEEN_NEW;
	if (good == front && good + erased == 8)
		return SEEN_PREFIX;
	return good ? SEEN_MIXED : SEEN_RANDOM;
}

static void count_outcomes(struct vsl_sim_tear tear, u32 seen[SEEN_KINDS])
{
	u64 seed;

	memset(seen, 0, SEEN_KINDS * sizeof(seen[0]));
	for (seed = 0; seed < 400; seed++) {
		cut_one_program(tear, seed);
		seen[look(rig_read(&rig, 0, 0, 4, buf))]++;
		rig_exit(&rig);
	}
}

/* Half of the torn programs are wholly old or new: the way a die writes. */
static void program_outcomes_follow_their_weights(void)
{
	u32 seen[SEEN_KINDS];

	count_outcomes((struct vsl_sim_tear){ .program_old = 1 }, seen);
	CHECK_EQ(seen[SEEN_PREFIX] + seen[SEEN_MIXED] + seen[SEEN_RANDOM] +
		 seen[SEEN_LOST], 0);
	CHECK(seen[SEEN_OLD] > 200);
	count_outcomes((struct vsl_sim_tear){ .program_new = 1 }, seen);
	CHECK_EQ(seen[SEEN_NEW], 400);
	count_outcomes((struct vsl_sim_tear){ .program_prefix = 1 }, seen);
	CHECK(seen[SEEN_PREFIX] > 100);
	CHECK_EQ(seen[SEEN_MIXED] + seen[SEEN_RANDOM] + seen[SEEN_LOST], 0);
	count_outcomes((struct vsl_sim_tear){ .program_mixed = 1 }, seen);
	CHECK(seen[SEEN_MIXED] > 100);
	CHECK_EQ(seen[SEEN_LOST], 0);
	count_outcomes((struct vsl_sim_tear){ .program_random = 1 }, seen);
	CHECK(seen[SEEN_RANDOM] > 100);
	CHECK_EQ(seen[SEEN_MIXED] + seen[SEEN_LOST], 0);
	count_outcomes((struct vsl_sim_tear){ .program_lost = 1 }, seen);
	CHECK(seen[SEEN_LOST] > 100);
	CHECK_EQ(seen[SEEN_MIXED] + seen[SEEN_RANDOM] + seen[SEEN_PREFIX], 0);
}

static void preset_tears_in_every_way(void)
{
	u32 seen[SEEN_KINDS], i;

	rig_config(&rig, "tiny");
	count_outcomes(rig.config.tear, seen);
	for (i = 0; i < SEEN_KINDS; i++)
		CHECK(seen[i] > 5);
}

static void what_had_ended_survives(void)
{
	u64 seed;
	u32 i;

	for (seed = 0; seed < 100; seed++) {
		rig_config(&rig, "tiny");
		cut_one_program(rig.config.tear, seed);
		for (i = 0; i < 4; i++) {
			CHECK_EQ(rig_read(&rig, 0, 0, i, buf), VSL_RES_OK);
			CHECK(rig_is(buf, i));
		}
		CHECK(rig_report(&rig, 0, 0).wp >= 4);
		CHECK(rig_report(&rig, 0, 0).wp <= 5);
		rig_exit(&rig);
	}
}

static void everything_under_way_ends_gone_and_the_owner_hears(void)
{
	struct rig_op *ops[5];
	u32 i;

	rig_init(&rig, "tiny");
	rig_program(&rig, 3, 0, 0, 1, 0);
	ops[0] = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, data);
	ops[1] = rig_start(&rig, VSL_OP_ERASE, 1, 0, 0, 0, NULL);
	ops[2] = rig_start(&rig, VSL_OP_READ, 3, 0, 0, 1, buf);
	ops[3] = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	ops[4] = rig_start(&rig, VSL_OP_FINISH, 2, 0, 0, 0, NULL);
	CHECK_EQ(vsl_sim_pending(rig.sim), 5);
	vsl_sim_cut(rig.sim);
	CHECK_EQ(vsl_sim_pending(rig.sim), 0);
	for (i = 0; i < 5; i++) {
		CHECK(ops[i]->has_ended);
		CHECK_EQ(ops[i]->op.result, VSL_RES_GONE);
	}
	CHECK_EQ(rig.nr_gone, 1);
	vsl_sim_cut(rig.sim);
	CHECK_EQ(rig.nr_gone, 1);
	CHECK_EQ(rig_read(&rig, 3, 0, 0, buf), VSL_RES_GONE);
	CHECK_EQ(vsl_sim_power_on(rig.sim), 0);
	CHECK_EQ(vsl_sim_power_on(rig.sim), -EALREADY);
	CHECK_EQ(rig_read(&rig, 3, 0, 0, buf), VSL_RES_OK);
	rig_exit(&rig);
}

/* Fault 10 of the list: it reads fine three times, and then no more. */
static void weak_blocks_fail_after_some_reads(void)
{
	struct vsl_sim_tear tear = {
		.program_new = 1,
		.weak_permille = 1000,
		.weak_reads = 3,
	};
	u32 i, weak = 0;
	u64 seed;

	for (seed = 0; seed < 20; seed++) {
		cut_one_program(tear, seed);
		if (rig_read(&rig, 0, 0, 4, buf) != VSL_RES_OK) {
			rig_exit(&rig);
			continue;
		}
		CHECK(rig_is(buf, 4));
		for (i = 1; i < 3; i++)
			CHECK_EQ(rig_read(&rig, 0, 0, 4, buf), VSL_RES_OK);
		CHECK_EQ(rig_read(&rig, 0, 0, 4, buf), VSL_RES_LOST);
		CHECK_EQ(rig_read(&rig, 0, 0, 4, buf), VSL_RES_LOST);
		weak++;
		rig_exit(&rig);
	}
	CHECK(weak > 5);
}

/* Cut during the erase of an erase unit with eight good blocks. */
static void cut_one_erase(struct vsl_sim_tear tear, u64 seed)
{
	config_with(tear, seed);
	rig_program(&rig, 0, 0, 0, 8, 0);
	rig_start(&rig, VSL_OP_ERASE, 0, 0, 0, 0, NULL);
	rig_power_cycle(&rig);
}

static void erase_outcomes_follow_their_weights(void)
{
	struct vsl_sim_tear old = { .erase_old = 1 };
	struct vsl_sim_tear done = { .erase_done = 1 };
	struct vsl_sim_tear noise = { .erase_random = 1 };
	u32 i, lost = 0, random = 0;
	u8 result;

	cut_one_erase(old, 1);
	CHECK_EQ(rig_report(&rig, 0, 0).wp, 8);
	CHECK_EQ(rig_read(&rig, 0, 0, 7, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 7));
	rig_exit(&rig);
	cut_one_erase(done, 1);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_EMPTY);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_UNWRITTEN);
	rig_exit(&rig);
	cut_one_erase(noise, 1);
	for (i = 0; i < 8; i++) {
		result = rig_read(&rig, 0, 0, i, buf);
		CHECK(result == VSL_RES_LOST || result == VSL_RES_OK);
		CHECK(result == VSL_RES_LOST || !rig_is(buf, i));
		lost += result == VSL_RES_LOST;
		random += result == VSL_RES_OK;
	}
	CHECK(lost && random);
	rig_exit(&rig);
}

/* Fault 11: empty is not the same as erased. */
static void torn_erase_units_are_flaky_until_erased(void)
{
	struct vsl_sim_tear tear = {
		.erase_done = 1,
		.flaky_permille = 1000,
	};
	u32 failed = 0, lost = 0;
	u64 seed;

	for (seed = 0; seed < 40; seed++) {
		cut_one_erase(tear, seed);
		if (rig_program(&rig, 0, 0, 0, 1, 0) == VSL_RES_EU_DEAD)
			failed++;
		else
			lost += rig_read(&rig, 0, 0, 0, buf) == VSL_RES_LOST;
		rig_exit(&rig);
	}
	CHECK_EQ(failed + lost, 40);
	CHECK(failed && lost);
	for (seed = 0; seed < 40; seed++) {
		cut_one_erase(tear, seed);
		CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
		CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 7), VSL_RES_OK);
		CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
		CHECK(rig_is(buf, 7));
		rig_exit(&rig);
	}
}

static void torn_programs_make_the_erase_unit_flaky_too(void)
{
	struct vsl_sim_tear tear = {
		.program_old = 1,
		.flaky_permille = 1000,
	};
	u32 at, bad = 0;
	u64 seed;

	for (seed = 0; seed < 20; seed++) {
		cut_one_program(tear, seed);
		at = rig_report(&rig, 0, 0).wp;
		if (rig_program(&rig, 0, 0, at, 1, 7) != VSL_RES_OK ||
		    rig_read(&rig, 0, 0, at, buf) != VSL_RES_OK)
			bad++;
		rig_exit(&rig);
	}
	CHECK_EQ(bad, 20);
}

static void paired_blocks_may_take_older_ones_along(void)
{
	struct vsl_sim_tear tear = {
		.program_lost = 1,
		.pair_blocks = 2,
		.pair_permille = 1000,
	};
	u32 pairs = 0;
	u64 seed;

	for (seed = 0; seed < 20; seed++) {
		cut_one_program(tear, seed);
		if (rig_read(&rig, 0, 0, 4, buf) == VSL_RES_LOST) {
			CHECK_EQ(rig_read(&rig, 0, 0, 2, buf), VSL_RES_LOST);
			pairs++;
		}
		CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
		rig_exit(&rig);
	}
	CHECK(pairs > 3);
}

/* Long programs: a front with one odd block, or any mixture. */
static void long_programs_leave_fronts_and_mixtures(void)
{
	u32 i, fronts = 0, mixtures = 0, last;
	bool is_front;
	u64 seed;
	u8 seen[8];

	for (seed = 0; seed < 100; seed++) {
		rig_config(&rig, "tiny");
		rig.config.tear.weak_permille = 0;
		config_with(rig.config.tear, seed);
		for (i = 0; i < 8; i++)
			rig_fill(data + i * VSL_BLOCK_BYTES, i);
		rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 8, data);
		rig_power_cycle(&rig);
		last = 0;
		for (i = 0; i < 8; i++) {
			seen[i] = rig_read(&rig, 0, 0, i, buf) == VSL_RES_OK &&
				  rig_is(buf, i);
			if (seen[i])
				last = i + 1;
		}
		is_front = true;
		for (i = 0; i < last; i++)
			is_front &= seen[i];
		fronts += is_front;
		mixtures += !is_front;
		CHECK(rig_report(&rig, 0, 0).wp >= last);
		rig_exit(&rig);
	}
	CHECK(fronts > 20);
	CHECK(mixtures > 20);
}

static void nothing(struct vsl_op *op)
{
	op->owner = NULL;
}

/* Spare bytes share the fate of their block, or are noise. */
static void torn_blocks_have_torn_spare_bytes(void)
{
	struct vsl_op op = { 0 };
	struct vsl_vec vec = { data, VSL_BLOCK_BYTES };
	u32 good = 0, noise = 0;
	u8 oob[16], got[16];
	u64 seed;

	memset(oob, 0x77, sizeof(oob));
	for (seed = 0; seed < 100; seed++) {
		rig_config(&rig, "tiny");
		rig.config.oob_bytes = 16;
		rig.config.seed = seed;
		rig.config.tear = (struct vsl_sim_tear){ .program_random = 1 };
		rig_create(&rig);
		op.kind = VSL_OP_PROGRAM;
		op.nr = 1;
		op.vec = &vec;
		op.nr_vecs = 1;
		op.oob = oob;
		op.end = nothing;
		rig.media->ops->submit(rig.media, &op);
		rig_power_cycle(&rig);
		op.kind = VSL_OP_READ;
		op.oob = got;
		rig.media->ops->submit(rig.media, &op);
		rig_drain(&rig);
		if (op.result == VSL_RES_OK && !memcmp(oob, got, 16))
			good++;
		else if (op.result == VSL_RES_OK)
			noise++;
		else
			CHECK_EQ(got[3], 0xff);
		rig_exit(&rig);
	}
	CHECK(good > 10 && noise > 10);
}

static void run_history(u64 seed, u8 out[16 * VSL_BLOCK_BYTES], u8 *results)
{
	u32 i;

	rig_config(&rig, "tiny");
	rig.config.seed = seed;
	rig.config.flags |= VSL_SIM_SHUFFLE | VSL_SIM_VOLATILE;
	rig_create(&rig);
	for (i = 0; i < 12; i++)
		rig_start(&rig, VSL_OP_PROGRAM, i % 4, i / 4, 0, 4, data);
	for (i = 0; i < 7; i++)
		rig_step(&rig);
	rig_power_cycle(&rig);
	memset(out, 0, 16 * VSL_BLOCK_BYTES);
	for (i = 0; i < 12; i++)
		results[i] = rig_do(&rig, VSL_OP_READ, i % 4, i / 4, 0, 1,
				    out + i * VSL_BLOCK_BYTES);
	rig_exit(&rig);
}

static void same_seed_gives_the_same_cut(void)
{
	static u8 a[16 * VSL_BLOCK_BYTES], b[16 * VSL_BLOCK_BYTES];
	u8 results_a[12], results_b[12];
	u32 differences = 0;
	u64 seed;

	for (seed = 0; seed < 20; seed++) {
		run_history(seed, a, results_a);
		run_history(seed, b, results_b);
		CHECK(!memcmp(results_a, results_b, 12));
		CHECK(!memcmp(a, b, sizeof(a)));
		run_history(seed + 1000, b, results_b);
		differences += !!memcmp(results_a, results_b, 12);
	}
	CHECK(differences > 10);
}

static void cut_without_memory_loses_the_block(void)
{
	u32 n;

	for (n = 1; n < 4; n++) {
		config_with((struct vsl_sim_tear){ .program_new = 1 }, n);
		rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, data);
		vsl_port_fail_after = n;
		rig_power_cycle(&rig);
		vsl_port_fail_after = 0;
		CHECK(!rig_report(&rig, 0, 0).wp ||
		      rig_read(&rig, 0, 0, 0, buf) != 0xff);
		rig_exit(&rig);
	}
}

static const struct tap_test tests[] = {
	TAP_TEST(program_outcomes_follow_their_weights),
	TAP_TEST(preset_tears_in_every_way),
	TAP_TEST(what_had_ended_survives),
	TAP_TEST(everything_under_way_ends_gone_and_the_owner_hears),
	TAP_TEST(weak_blocks_fail_after_some_reads),
	TAP_TEST(erase_outcomes_follow_their_weights),
	TAP_TEST(torn_erase_units_are_flaky_until_erased),
	TAP_TEST(torn_programs_make_the_erase_unit_flaky_too),
	TAP_TEST(paired_blocks_may_take_older_ones_along),
	TAP_TEST(long_programs_leave_fronts_and_mixtures),
	TAP_TEST(torn_blocks_have_torn_spare_bytes),
	TAP_TEST(same_seed_gives_the_same_cut),
	TAP_TEST(cut_without_memory_loses_the_block),
};

TAP_MAIN(tests)
