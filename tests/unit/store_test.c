// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_test.c - memory, order and copies of the simulated card, and its presets.
 */
#include "rig.h"

static struct rig rig, other;
static u8 buf[64 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

static void patterns_cost_no_blocks(void)
{
	struct vsl_sim_stats stats;
	u64 words[2] = { 0, 0x1122334455667788ull };
	u32 i, j;

	rig_init(&rig, "tiny");
	for (i = 0; i < 2; i++) {
		for (j = 0; j < 16 * VSL_BLOCK_BYTES; j += 8)
			memcpy(buf + j, &words[i], 8);
		CHECK_EQ(rig_do(&rig, VSL_OP_PROGRAM, 0, i, 0, 16, buf),
			 VSL_RES_OK);
	}
	CHECK_EQ(rig_program(&rig, 0, 2, 0, 16, 0), VSL_RES_OK);
	vsl_sim_stats(rig.sim, &stats);
	CHECK_EQ(stats.pattern_blocks, 32);
	CHECK_EQ(stats.data_blocks, 16);
	CHECK(stats.memory_bytes >= 16 * VSL_BLOCK_BYTES);
	CHECK(stats.memory_bytes < 18 * VSL_BLOCK_BYTES);
	for (i = 0; i < 2; i++) {
		memset(buf, 1, sizeof(buf));
		CHECK_EQ(rig_read(&rig, 0, i, 5, buf), VSL_RES_OK);
		for (j = 0; j < VSL_BLOCK_BYTES; j += 8)
			CHECK(!memcmp(buf + j, &words[i], 8));
	}
	/* Nearly a pattern is none. */
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	memset(buf, 0, VSL_BLOCK_BYTES);
	buf[VSL_BLOCK_BYTES - 1] = 1;
	CHECK_EQ(rig_do(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf + 8192), VSL_RES_OK);
	CHECK(!memcmp(buf, buf + 8192, VSL_BLOCK_BYTES));
	vsl_sim_stats(rig.sim, &stats);
	CHECK_EQ(stats.pattern_blocks, 16);
	CHECK_EQ(stats.data_blocks, 17);
	rig_exit(&rig);
}

static void erased_memory_is_given_back(void)
{
	struct vsl_sim_stats stats;
	u32 i, eu;

	rig_init(&rig, "tiny");
	for (i = 0; i < 3; i++) {
		for (eu = 0; eu < 32; eu++)
			CHECK_EQ(rig_program(&rig, 0, eu, 0, 16, eu),
				 VSL_RES_OK);
		for (eu = 0; eu < 32; eu++)
			CHECK_EQ(rig_erase(&rig, 0, eu), VSL_RES_OK);
	}
	vsl_sim_stats(rig.sim, &stats);
	CHECK_EQ(stats.data_blocks, 0);
	CHECK_EQ(stats.memory_bytes, 0);
	CHECK_EQ(stats.program_ops, 96);
	CHECK_EQ(stats.program_blocks, 96 * 16);
	CHECK_EQ(stats.erase_ops, 96);
	rig_exit(&rig);
}

static void big_card_filled_with_zeros_fits_in_memory(void)
{
	struct vsl_sim_stats stats;
	u32 eu, off;

	rig_config(&rig, "fast");
	rig.config.flags &= ~VSL_SIM_TIMED;
	rig_create(&rig);
	memset(buf, 0, sizeof(buf));
	for (eu = 0; eu < 20; eu++)
		for (off = 0; off < rig.config.eu_blocks; off += 64)
			CHECK_EQ(rig_do(&rig, VSL_OP_PROGRAM, eu, eu, off, 64,
					buf), VSL_RES_OK);
	vsl_sim_stats(rig.sim, &stats);
	CHECK_EQ(stats.pattern_blocks, 20 * rig.config.eu_blocks);
	CHECK(stats.memory_bytes < stats.pattern_blocks * 32);
	rig_exit(&rig);
}

static void shuffled_operations_end_in_any_order(void)
{
	struct rig_op *ops[16];
	u32 i, round, overtaken = 0;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_SHUFFLE;
	rig_create(&rig);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 16; i++)
			ops[i] = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
		CHECK(rig_step(&rig));
		for (i = 0; i < 16 && !ops[i]->has_ended; i++)
			;
		CHECK(i < 16);
		overtaken += i > 0;
		CHECK_EQ(vsl_sim_pending(rig.sim), 15);
		rig_drain(&rig);
	}
	CHECK(overtaken > 10);
	CHECK_EQ(rig.nr_ended, 320);
	rig_exit(&rig);
}

static void window_limits_who_overtakes(void)
{
	struct rig_op *ops[16];
	u32 i, ended;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_SHUFFLE;
	rig.config.window = 3;
	rig_create(&rig);
	for (i = 0; i < 16; i++)
		ops[i] = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	for (ended = 1; rig_step(&rig) && ended <= 16; ended++)
		for (i = ended + 2; i < 16; i++)
			CHECK(!ops[i]->has_ended);
	CHECK_EQ(rig.nr_ended, 16);
	rig_exit(&rig);
}

static void unshuffled_operations_end_in_order(void)
{
	struct rig_op *ops[16];
	u32 i;

	rig_init(&rig, "tiny");
	for (i = 0; i < 16; i++)
		ops[i] = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	CHECK_EQ(rig.nr_ended, 0);
	CHECK(rig_step(&rig));
	for (i = 0; i < 16; i++)
		CHECK(ops[i]->has_ended);
	CHECK(!rig_step(&rig));
	rig_exit(&rig);
}

static void inline_card_ends_inside_submit(void)
{
	struct rig_op *op;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_INLINE;
	rig_create(&rig);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 2, buf);
	CHECK(op->has_ended);
	CHECK_EQ(op->op.result, VSL_RES_OK);
	op = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK(op->has_ended);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 3, buf);
	CHECK(op->has_ended);
	CHECK_EQ(op->op.result, VSL_RES_UNWRITTEN);
	op = rig_start(&rig, VSL_OP_ERASE, 0, 0, 0, 0, NULL);
	CHECK(op->has_ended);
	CHECK_EQ(vsl_sim_pending(rig.sim), 0);
	CHECK(!rig_step(&rig));
	rig_exit(&rig);
}

static void inline_card_can_be_cut_and_slowed(void)
{
	struct rig_op *op;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_INLINE;
	rig_create(&rig);
	rig_plant(&rig, "slow", VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY, 1, 1000);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 2, buf);
	CHECK(!op->has_ended);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	rig_plant(&rig, "power-cut", VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY, 1,
		  0);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 2, 2, buf);
	CHECK(op->has_ended);
	CHECK_EQ(op->op.result, VSL_RES_GONE);
	CHECK_EQ(rig.nr_gone, 1);
	rig_exit(&rig);
}

static void inline_reads_see_what_the_long_way_sees(void)
{
	struct rig_op *op;
	u32 i;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_INLINE_READS;
	rig_create(&rig);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 4, buf);
	CHECK(!op->has_ended);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 1, 0, 4, 20), VSL_RES_OK);
	for (i = 0; i < 4; i++) {
		op = rig_start(&rig, VSL_OP_READ, 0, 1, i, 1, buf);
		CHECK(op->has_ended);
		CHECK_EQ(op->op.result, VSL_RES_OK);
		CHECK(rig_is(buf, 20 + i));
	}
	/* What is out of the ordinary takes the long way. */
	op = rig_start(&rig, VSL_OP_READ, 0, 1, 3, 2, buf);
	CHECK(!op->has_ended);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_UNWRITTEN);
	rig_plant(&rig, "read-lost", VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY, 1,
		  0);
	op = rig_start(&rig, VSL_OP_READ, 0, 1, 0, 1, buf);
	CHECK(!op->has_ended);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_LOST);
	op = rig_start(&rig, VSL_OP_READ, 4, 1, 0, 1, buf);
	CHECK(op->has_ended);
	CHECK_EQ(op->op.result, VSL_RES_INVALID);
	vsl_sim_cut(rig.sim);
	op = rig_start(&rig, VSL_OP_READ, 0, 1, 0, 1, buf);
	CHECK_EQ(op->op.result, VSL_RES_GONE);
	rig_exit(&rig);
}

static void clone_holds_the_same_and_goes_its_own_way(void)
{
	u32 i;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_VOLATILE;
	rig_create(&rig);
	rig_config(&other, "tiny");
	other.config.flags |= VSL_SIM_VOLATILE;
	rig_create(&other);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 1, 1, 0, 16, 100), VSL_RES_OK);
	CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 2, 8), VSL_RES_OK);
	CHECK_EQ(vsl_sim_clone(other.sim, rig.sim), 0);
	for (i = 0; i < 10; i++) {
		CHECK_EQ(rig_read(&other, 0, 0, i, buf), VSL_RES_OK);
		CHECK(rig_is(buf, i));
	}
	CHECK_EQ(rig_program(&other, 0, 0, 10, 1, 77), VSL_RES_OK);
	CHECK_EQ(rig_erase(&other, 1, 1), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 10, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_read(&rig, 1, 1, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 103));
	CHECK_EQ(rig_program(&rig, 0, 0, 10, 1, 10), VSL_RES_OK);
	CHECK_EQ(rig_read(&other, 0, 0, 10, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 77));
	CHECK_EQ(rig.nr_violations + other.nr_violations, 0);
	rig_exit(&rig);
	CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
	rig_exit(&other);
}

/* An open erase unit that both hold: the first to program it gets its own. */
static void clone_programs_into_a_shared_erase_unit(void)
{
	rig_init(&rig, "tiny");
	rig_init(&other, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 4, 0), VSL_RES_OK);
	memset(buf, 0x33, VSL_BLOCK_BYTES);
	CHECK_EQ(rig_do(&rig, VSL_OP_PROGRAM, 0, 0, 4, 1, buf), VSL_RES_OK);
	CHECK_EQ(vsl_sim_clone(other.sim, rig.sim), 0);
	CHECK_EQ(rig_program(&other, 0, 0, 5, 1, 55), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 5, 1, 66), VSL_RES_OK);
	CHECK_EQ(rig_read(&other, 0, 0, 5, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 55));
	CHECK_EQ(rig_read(&rig, 0, 0, 5, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 66));
	CHECK_EQ(rig_read(&other, 0, 0, 4, buf), VSL_RES_OK);
	CHECK_EQ(buf[77], 0x33);
	CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 3));
	rig_exit(&rig);
	rig_exit(&other);
}

static void clone_without_memory_fails_cleanly(void)
{
	u32 n;
	int error = -ENOMEM;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_VOLATILE;
	rig_create(&rig);
	rig_init(&other, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 4, 0), VSL_RES_OK);
	for (n = 1; error; n++) {
		vsl_port_fail_after = n;
		error = vsl_sim_clone(other.sim, rig.sim);
		vsl_port_fail_after = 0;
		CHECK(!error || error == -ENOMEM);
	}
	CHECK(n > 4);
	CHECK_EQ(rig_read(&other, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 3));
	rig_exit(&rig);
	rig_exit(&other);
}

static void op_end(struct vsl_op *op)
{
	op->owner = op;
}

static void inline_reads_bring_patterns_and_spare_bytes(void)
{
	struct vsl_op op = { 0 };
	struct vsl_vec vec = { buf, 2 * VSL_BLOCK_BYTES };
	u8 oob[16], i;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_INLINE_READS;
	rig.config.oob_bytes = 8;
	rig_create(&rig);
	memset(buf, 0x44, sizeof(buf));
	for (i = 0; i < 16; i++)
		oob[i] = i;
	op.kind = VSL_OP_PROGRAM;
	op.nr = 2;
	op.vec = &vec;
	op.nr_vecs = 1;
	op.oob = oob;
	op.end = op_end;
	rig.media->ops->submit(rig.media, &op);
	rig_drain(&rig);
	CHECK(op.owner == &op);
	memset(buf, 0, sizeof(buf));
	memset(oob, 0, sizeof(oob));
	op.kind = VSL_OP_READ;
	op.owner = NULL;
	rig.media->ops->submit(rig.media, &op);
	CHECK(op.owner == &op);
	CHECK_EQ(op.result, VSL_RES_OK);
	CHECK_EQ(buf[2 * VSL_BLOCK_BYTES - 1], 0x44);
	for (i = 0; i < 16; i++)
		CHECK_EQ(oob[i], i);
	rig_exit(&rig);
}

/* One past, many futures: the same cut comes out differently, and repeatably. */
static void clone_of_a_volatile_card_can_be_cut_many_ways(void)
{
	struct vsl_sim_stats stats;
	u32 seed, i, bits, again, seen = 0;

	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_VOLATILE;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 2, 2, 2), VSL_RES_OK);
	rig_config(&other, "tiny");
	other.config.flags |= VSL_SIM_VOLATILE;
	rig_create(&other);
	for (seed = 0; seed < 100; seed++) {
		for (again = 0; again < 2; again++) {
			u32 before = again ? bits : 0;

			CHECK_EQ(vsl_sim_clone(other.sim, rig.sim), 0);
			vsl_sim_seed(other.sim, seed);
			rig_power_cycle(&other);
			bits = 0;
			for (i = 0; i < 4; i++)
				if (rig_read(&other, 0, 0, i, buf) ==
				    VSL_RES_OK && rig_is(buf, i))
					bits |= 1u << i;
			CHECK_EQ(bits & 3, 3);
			CHECK(!again || bits == before);
		}
		seen |= 1u << (bits >> 2);
	}
	CHECK_EQ(seen, 0xf);
	vsl_sim_stats(rig.sim, &stats);
	CHECK_EQ(stats.data_blocks, 4);
	rig_exit(&other);
	rig_exit(&rig);
}

static void clone_of_another_geometry_is_refused(void)
{
	rig_init(&rig, "tiny");
	rig_config(&other, "tiny");
	other.config.eus = 16;
	rig_create(&other);
	CHECK_EQ(vsl_sim_clone(other.sim, rig.sim), -EINVAL);
	rig_exit(&other);
	rig_init(&other, "tiny");
	rig_start(&other, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK_EQ(vsl_sim_clone(rig.sim, other.sim), -EBUSY);
	rig_exit(&rig);
	rig_exit(&other);
}

static void poke_changes_what_peek_sees(void)
{
	rig_init(&rig, "tiny");
	rig_fill(buf, 5);
	CHECK_EQ(vsl_sim_poke(rig.sim, 0, 0, 0, buf), -ENODATA);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(vsl_sim_poke(rig.sim, 0, 0, 0, buf), 0);
	CHECK_EQ(vsl_sim_peek(rig.sim, 0, 0, 0, buf + 8192), 0);
	CHECK(rig_is(buf + 8192, 5));
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf + 8192), VSL_RES_OK);
	CHECK(rig_is(buf + 8192, 5));
	rig_exit(&rig);
}

static void presets_keep_their_word_at_every_size(void)
{
	static const u64 sizes[] = {
		VSL_SIM_CAPACITY_MIN, 256ull << 20, 1ull << 30, 4000000000ull,
		160000000000ull, VSL_SIM_CAPACITY_MAX,
	};
	const struct vsl_sim_preset_name *name;
	struct vsl_sim_config c;
	u64 physical;
	u32 i;

	for (name = vsl_sim_presets(); name->name; name++) {
		for (i = 0; name->default_bytes && i < ARRAY_SIZE(sizes); i++) {
			CHECK_EQ(vsl_sim_preset(name->name, sizes[i], &c), 0);
			physical = (u64)c.units * c.eus * c.eu_blocks *
				   VSL_BLOCK_BYTES;
			CHECK(physical >= sizes[i] + sizes[i] / 100 * 20);
			CHECK_EQ(c.factory_bytes, sizes[i]);
			CHECK(c.units >= 4);
			CHECK(sizes[i] < 4000000000ull || c.eus >= 512);
			tap_note("%s %llu MiB: %u units x %u x %u blocks, +%llu %%",
				 name->name, sizes[i] >> 20, c.units, c.eus,
				 c.eu_blocks, physical * 100 / sizes[i] - 100);
		}
		CHECK_EQ(vsl_sim_preset(name->name, 0, &c), 0);
	}
	CHECK_EQ(vsl_sim_preset("slow", 0, &c), -EINVAL);
	CHECK_EQ(vsl_sim_preset("raw", VSL_SIM_CAPACITY_MIN - 1, &c), -ERANGE);
	CHECK_EQ(vsl_sim_preset("raw", VSL_SIM_CAPACITY_MAX + 1, &c), -ERANGE);
}

static void every_preset_makes_a_card(void)
{
	const struct vsl_sim_preset_name *name;

	for (name = vsl_sim_presets(); name->name; name++) {
		rig_init(&rig, name->name);
		CHECK(rig.media->info.model[0]);
		CHECK(!strncmp(rig.media->info.serial, "SIM", 3));
		CHECK(rig.media->info.flags & VSL_MEDIA_VIRTUAL);
		rig_exit(&rig);
	}
}

static int try_create(struct vsl_sim_config *config)
{
	struct vsl_sim_env env = { 0 };
	struct vsl_sim *sim;
	int error = vsl_sim_create(config, &env, &sim);

	if (!error)
		vsl_sim_destroy(sim);
	return error;
}

#define WITH(change)							\
	do {								\
		vsl_sim_preset("tiny", 0, &c);				\
		change;							\
		CHECK_EQ(try_create(&c), -EINVAL);			\
	} while (0)

static void unsound_configurations_are_refused(void)
{
	struct vsl_sim_config c;

	vsl_sim_preset("tiny", 0, &c);
	CHECK_EQ(try_create(&c), 0);
	WITH(c.units = 0);
	WITH(c.units = VSL_MEDIA_UNITS_MAX + 1);
	WITH(c.eus = 0);
	WITH(c.eu_blocks = 0);
	WITH(c.ws_min = 0);
	WITH(c.ws_min = 3);
	WITH(c.ws_opt = 32);
	WITH(c.hole = 16);
	WITH(c.oob_bytes = 72);
	WITH(c.oob_bytes = 7);
	WITH(c.flags |= VSL_SIM_PLP | VSL_SIM_VOLATILE);
	WITH(c.flags |= VSL_SIM_SHUFFLE | VSL_SIM_INLINE);
	WITH(c.flags |= VSL_SIM_TIMED);
	vsl_sim_preset("fast", 0, &c);
	c.flags &= ~VSL_SIM_PLP;
	CHECK_EQ(try_create(&c), -EINVAL);
}

static void create_without_memory_fails_cleanly(void)
{
	struct vsl_sim_config c;
	u32 n;
	int error = -ENOMEM;

	vsl_sim_preset("slc160", 1ull << 30, &c);
	for (n = 1; error; n++) {
		vsl_port_fail_after = n;
		error = try_create(&c);
		vsl_port_fail_after = 0;
		CHECK(!error || error == -ENOMEM);
	}
	CHECK(n > 6);
}

static const struct tap_test tests[] = {
	TAP_TEST(patterns_cost_no_blocks),
	TAP_TEST(erased_memory_is_given_back),
	TAP_TEST(big_card_filled_with_zeros_fits_in_memory),
	TAP_TEST(shuffled_operations_end_in_any_order),
	TAP_TEST(window_limits_who_overtakes),
	TAP_TEST(unshuffled_operations_end_in_order),
	TAP_TEST(inline_card_ends_inside_submit),
	TAP_TEST(inline_card_can_be_cut_and_slowed),
	TAP_TEST(inline_reads_see_what_the_long_way_sees),
	TAP_TEST(inline_reads_bring_patterns_and_spare_bytes),
	TAP_TEST(clone_holds_the_same_and_goes_its_own_way),
	TAP_TEST(clone_programs_into_a_shared_erase_unit),
	TAP_TEST(clone_without_memory_fails_cleanly),
	TAP_TEST(clone_of_a_volatile_card_can_be_cut_many_ways),
	TAP_TEST(clone_of_another_geometry_is_refused),
	TAP_TEST(poke_changes_what_peek_sees),
	TAP_TEST(presets_keep_their_word_at_every_size),
	TAP_TEST(every_preset_makes_a_card),
	TAP_TEST(unsound_configurations_are_refused),
	TAP_TEST(create_without_memory_fails_cleanly),
};

TAP_MAIN(tests)
