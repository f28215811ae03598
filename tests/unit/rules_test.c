// SPDX-License-Identifier: GPL-2.0-only
/*
 * rules_test.c - the simulated card keeps the rules of media.h.
 *
 * Each rule is kept once and broken once; what is broken must be INVALID, counted,
 * put in words, and must change nothing.
 */
#include "rig.h"

static struct rig rig;
static u8 buf[64 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

/* True when the last operation broke a rule, and only that one. */
static bool is_broken(u8 result, const char *words)
{
	struct vsl_sim_stats stats;
	bool is_counted;

	vsl_sim_stats(rig.sim, &stats);
	is_counted = stats.violations == 1 && rig.nr_violations == 1 &&
		     !strcmp(stats.last_violation, rig.violation);
	if (!strstr(rig.violation, words))
		tap_note("the words are: %s", rig.violation);
	return result == VSL_RES_INVALID && is_counted &&
	       strstr(rig.violation, words);
}

static void program_in_order_reads_back(void)
{
	u32 i;

	rig_init(&rig, "tiny");
	for (i = 0; i < 16; i += 4)
		CHECK_EQ(rig_program(&rig, 1, 2, i, 4, i), VSL_RES_OK);
	for (i = 0; i < 16; i++) {
		CHECK_EQ(rig_read(&rig, 1, 2, i, buf), VSL_RES_OK);
		CHECK(rig_is(buf, i));
	}
	CHECK_EQ(rig_report(&rig, 1, 2).state, VSL_EU_FULL);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void program_ahead_of_the_write_pointer_is_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 0, 0, 3, 1, 9),
			"next block to program is 2"));
	CHECK_EQ(rig_report(&rig, 0, 0).wp, 2);
	CHECK_EQ(rig_program(&rig, 0, 0, 2, 1, 2), VSL_RES_OK);
	rig_exit(&rig);
}

static void program_over_old_data_is_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 0, 0, 1, 1, 9),
			"next block to program is 2"));
	CHECK_EQ(rig_read(&rig, 0, 0, 1, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 1));
	rig_exit(&rig);
}

static void program_into_a_full_unit_is_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 16, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 0, 0, 0, 1, 9), "full at 16"));
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 9), VSL_RES_OK);
	rig_exit(&rig);
}

static void program_beyond_the_end_is_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 15, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 0, 0, 15, 2, 9), "beyond the end"));
	rig_exit(&rig);
}

static void program_of_no_multiple_of_ws_min_is_invalid(void)
{
	rig_config(&rig, "tiny");
	rig.config.ws_min = 4;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 4, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 0, 0, 4, 3, 9), "multiple of 4"));
	rig_exit(&rig);
}

static void program_beside_a_program_is_invalid(void)
{
	struct rig_op *first;

	rig_init(&rig, "tiny");
	first = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, buf);
	CHECK(is_broken(rig_program(&rig, 0, 0, 1, 1, 9),
			"another program is under way"));
	CHECK_EQ(rig_wait(&rig, first), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 1, 1, 9), VSL_RES_OK);
	rig_exit(&rig);
}

static void program_beside_programs_elsewhere_is_fine(void)
{
	u32 i;

	rig_init(&rig, "tiny");
	for (i = 0; i < 8; i++)
		rig_start(&rig, VSL_OP_PROGRAM, i % 4, i / 4, 0, 1, buf);
	rig_drain(&rig);
	CHECK_EQ(rig.nr_ended, 8);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void program_beside_an_erase_is_invalid(void)
{
	struct rig_op *erase;

	rig_init(&rig, "tiny");
	erase = rig_start(&rig, VSL_OP_ERASE, 0, 0, 0, 0, NULL);
	CHECK(is_broken(rig_program(&rig, 0, 0, 0, 1, 9), "is under way"));
	CHECK_EQ(rig_wait(&rig, erase), VSL_RES_OK);
	rig_exit(&rig);
}

static void erase_beside_a_program_is_invalid(void)
{
	struct rig_op *program;

	rig_init(&rig, "tiny");
	program = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, buf);
	CHECK(is_broken(rig_erase(&rig, 0, 0), "a program is under way"));
	CHECK_EQ(rig_wait(&rig, program), VSL_RES_OK);
	rig_exit(&rig);
}

static void erase_beside_an_erase_is_invalid(void)
{
	rig_init(&rig, "tiny");
	rig_start(&rig, VSL_OP_ERASE, 0, 0, 0, 0, NULL);
	CHECK(is_broken(rig_erase(&rig, 0, 0), "is under way"));
	rig_exit(&rig);
}

static void erase_makes_blocks_unwritten(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 4, 0), VSL_RES_OK);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_EMPTY);
	CHECK_EQ(vsl_sim_wear(rig.sim, 0, 0), 1);
	rig_exit(&rig);
}

static void read_of_unwritten_blocks_marks_them(void)
{
	struct rig_op *op;

	rig_init(&rig, "tiny");
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 5), VSL_RES_OK);
	memset(buf, 0, sizeof(buf));
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 4, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_UNWRITTEN);
	CHECK_EQ(op->op.bad, 0xc);
	CHECK(rig_is(buf, 5));
	CHECK(rig_is(buf + VSL_BLOCK_BYTES, 6));
	/* Nobody shall find old memory there. */
	CHECK(buf[2 * VSL_BLOCK_BYTES] || buf[2 * VSL_BLOCK_BYTES + 1]);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void read_inside_the_hole_is_unwritten(void)
{
	rig_config(&rig, "tiny");
	rig.config.hole = 4;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 6, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 1, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 2, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_program(&rig, 0, 0, 6, 1, 6), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 2, buf), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 7, 9, 7), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 15, buf), VSL_RES_OK);
	rig_exit(&rig);
}

static void read_submitted_before_the_program_ended_is_unwritten(void)
{
	struct rig_op *program, *read;
	static u8 data[VSL_BLOCK_BYTES];

	rig_init(&rig, "tiny");
	program = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, data);
	read = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	CHECK_EQ(rig_wait(&rig, program), VSL_RES_OK);
	CHECK_EQ(rig_wait(&rig, read), VSL_RES_UNWRITTEN);
	rig_exit(&rig);
}

static void finish_makes_the_hole_readable(void)
{
	rig_config(&rig, "tiny");
	rig.config.hole = 4;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 6, 0), VSL_RES_OK);
	CHECK_EQ(rig_finish(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 5, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 5));
	CHECK_EQ(rig_read(&rig, 0, 0, 6, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_FULL);
	CHECK_EQ(rig_report(&rig, 0, 0).wp, 6);
	CHECK(is_broken(rig_program(&rig, 0, 0, 6, 1, 9), "full at 6"));
	rig_exit(&rig);
}

static void finish_of_a_card_that_does_not_know_it_is_invalid(void)
{
	rig_config(&rig, "tiny");
	rig.config.flags &= ~VSL_SIM_FINISH;
	rig_create(&rig);
	CHECK(!(rig.media->info.flags & VSL_MEDIA_FINISH));
	CHECK(is_broken(rig_finish(&rig, 0, 0), "does not know"));
	rig_exit(&rig);
}

static void finish_beside_a_program_is_invalid(void)
{
	rig_init(&rig, "tiny");
	rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, buf);
	CHECK(is_broken(rig_finish(&rig, 0, 0), "a program is under way"));
	rig_exit(&rig);
}

static void open_units_beyond_the_limit_are_invalid(void)
{
	rig_config(&rig, "tiny");
	rig.config.max_open = 2;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 1, 0, 0, 1, 0), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 2, 0, 0, 1, 0), "open already: 2"));
	/* Full, finished and erased ones are open no more. */
	CHECK_EQ(rig_program(&rig, 0, 0, 1, 15, 1), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 2, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_finish(&rig, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 3, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_erase(&rig, 2, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 3, 1, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig.nr_violations, 1);
	rig_exit(&rig);
}

static void open_units_of_before_a_power_cut_do_not_count(void)
{
	rig_config(&rig, "tiny");
	rig.config.max_open = 2;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 1, 0, 0, 1, 0), VSL_RES_OK);
	rig_power_cycle(&rig);
	CHECK_EQ(rig_program(&rig, 2, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 1, 1, 1), VSL_RES_OK);
	CHECK(is_broken(rig_program(&rig, 1, 0, 1, 1, 1), "open already: 2"));
	rig_exit(&rig);
}

static void places_that_do_not_exist_are_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_read(&rig, 4, 0, 0, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_read(&rig, 0, 32, 0, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_read(&rig, 0, 0, 16, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_READ, 0, 0, 15, 2, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_READ, 0, 0, ~0u, 2, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_READ, 0, 0, 0, 0, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_READ, 0, 0, 0, 17, buf), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_ERASE, 0, 0, 1, 0, NULL), VSL_RES_INVALID);
	CHECK_EQ(rig_do(&rig, VSL_OP_CPU, 0, 0, 0, 1, buf), VSL_RES_INVALID);
	CHECK_EQ(rig.nr_violations, 9);
	CHECK_EQ(vsl_sim_pending(rig.sim), 0);
	rig_exit(&rig);
}

static void memory_that_is_too_short_is_invalid(void)
{
	rig_init(&rig, "tiny");
	CHECK(is_broken(rig_do(&rig, VSL_OP_PROGRAM, 0, 0, 0, 1, NULL),
			"memory is too short"));
	rig_exit(&rig);
}

static void last_end(struct vsl_op *op)
{
	op->owner = NULL;
}

/* Pieces of any multiple of 512 bytes, and data that begins inside one. */
static void memory_in_pieces_is_put_together(void)
{
	struct vsl_op op = { 0 };
	static u8 data[2 * VSL_BLOCK_BYTES];
	static u8 pieces[3 * VSL_BLOCK_BYTES];
	struct vsl_vec vec[3] = {
		{ pieces, 1024 },
		{ pieces + 4096, 512 },
		{ pieces + 4608, 7680 },
	};

	rig_init(&rig, "tiny");
	rig_fill(data, 1);
	rig_fill(data + VSL_BLOCK_BYTES, 2);
	memcpy(pieces + 512, data, 512);
	memcpy(pieces + 4096, data + 512, sizeof(data) - 512);
	op.kind = VSL_OP_PROGRAM;
	op.nr = 2;
	op.vec = vec;
	op.nr_vecs = 3;
	op.skip_bytes = 512;
	op.end = last_end;
	op.owner = &op;
	rig.media->ops->submit(rig.media, &op);
	rig_drain(&rig);
	CHECK_EQ(op.result, VSL_RES_OK);
	CHECK_EQ(rig_do(&rig, VSL_OP_READ, 0, 0, 0, 2, buf), VSL_RES_OK);
	CHECK(!memcmp(buf, data, sizeof(data)));
	memset(pieces, 0, sizeof(pieces));
	op.kind = VSL_OP_READ;
	rig.media->ops->submit(rig.media, &op);
	rig_drain(&rig);
	CHECK(!memcmp(pieces + 512, data, 512));
	CHECK(!memcmp(pieces + 4096, data + 512, sizeof(data) - 512));
	rig_exit(&rig);
}

static u32 nr_asserts;

static void count_assert(const char *cond, const char *file, int line)
{
	(void)cond;
	(void)file;
	(void)line;
	nr_asserts++;
}

static void fatal_card_asserts_on_a_broken_rule(void)
{
	rig_config(&rig, "tiny");
	rig.config.flags |= VSL_SIM_FATAL;
	rig_create(&rig);
	vsl_port_assert_hook = count_assert;
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_OK);
	CHECK_EQ(nr_asserts, 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_INVALID);
	CHECK_EQ(nr_asserts, 1);
	vsl_port_assert_hook = NULL;
	rig_exit(&rig);
}

static void factory_bad_units_end_dead_and_are_no_violation(void)
{
	u32 unit, eu, bad = 0;

	rig_config(&rig, "tiny");
	rig.config.bad_permyriad = 3000;
	rig_create(&rig);
	for (eu = 0; eu < 32; eu++) {
		u32 in_row = 0;

		for (unit = 0; unit < 4; unit++) {
			if (rig_report(&rig, unit, eu).state != VSL_EU_DEAD)
				continue;
			in_row++;
			CHECK_EQ(rig_program(&rig, unit, eu, 0, 1, 0),
				 VSL_RES_EU_DEAD);
			CHECK_EQ(rig_erase(&rig, unit, eu), VSL_RES_EU_DEAD);
			CHECK_EQ(rig_read(&rig, unit, eu, 0, buf),
				 VSL_RES_LOST);
		}
		CHECK(in_row <= 2);
		bad += in_row;
	}
	CHECK(bad > 15 && bad < 60);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void erases_beyond_the_rated_cycles_fail_in_the_end(void)
{
	u32 i;

	rig_config(&rig, "tiny");
	rig.config.erase_cycles = 10;
	rig_create(&rig);
	for (i = 0; i < 10; i++)
		CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_report(&rig, 0, 0).wear, 255);
	for (i = 0; i < 1000; i++)
		if (rig_erase(&rig, 0, 0) == VSL_RES_EU_DEAD)
			break;
	CHECK(i < 1000);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_DEAD);
	rig_exit(&rig);
}

static void spare_bytes_travel_with_the_block(void)
{
	struct vsl_op op = { 0 };
	struct vsl_vec vec = { buf, 2 * VSL_BLOCK_BYTES };
	u8 oob[32], got[32];

	rig_config(&rig, "tiny");
	rig.config.oob_bytes = 16;
	rig_create(&rig);
	memset(oob, 0x11, 16);
	memset(oob + 16, 0x22, 16);
	op.kind = VSL_OP_PROGRAM;
	op.nr = 2;
	op.vec = &vec;
	op.nr_vecs = 1;
	op.oob = oob;
	op.end = last_end;
	rig.media->ops->submit(rig.media, &op);
	rig_drain(&rig);
	op.kind = VSL_OP_READ;
	op.oob = got;
	rig.media->ops->submit(rig.media, &op);
	rig_drain(&rig);
	CHECK_EQ(op.result, VSL_RES_OK);
	CHECK(!memcmp(oob, got, 32));
	rig_exit(&rig);
}

static void report_without_states_is_not_supported(void)
{
	struct vsl_eu_report report;

	rig_config(&rig, "tiny");
	rig.config.flags &= ~VSL_SIM_REPORTS;
	rig_create(&rig);
	CHECK_EQ(rig.media->ops->report(rig.media, 0, 0, 1, &report),
		 -EOPNOTSUPP);
	vsl_sim_cut(rig.sim);
	CHECK_EQ(rig.media->ops->report(rig.media, 0, 0, 1, &report), -ENODEV);
	rig_exit(&rig);
}

static const struct tap_test tests[] = {
	TAP_TEST(program_in_order_reads_back),
	TAP_TEST(program_ahead_of_the_write_pointer_is_invalid),
	TAP_TEST(program_over_old_data_is_invalid),
	TAP_TEST(program_into_a_full_unit_is_invalid),
	TAP_TEST(program_beyond_the_end_is_invalid),
	TAP_TEST(program_of_no_multiple_of_ws_min_is_invalid),
	TAP_TEST(program_beside_a_program_is_invalid),
	TAP_TEST(program_beside_programs_elsewhere_is_fine),
	TAP_TEST(program_beside_an_erase_is_invalid),
	TAP_TEST(erase_beside_a_program_is_invalid),
	TAP_TEST(erase_beside_an_erase_is_invalid),
	TAP_TEST(erase_makes_blocks_unwritten),
	TAP_TEST(read_of_unwritten_blocks_marks_them),
	TAP_TEST(read_inside_the_hole_is_unwritten),
	TAP_TEST(read_submitted_before_the_program_ended_is_unwritten),
	TAP_TEST(finish_makes_the_hole_readable),
	TAP_TEST(finish_of_a_card_that_does_not_know_it_is_invalid),
	TAP_TEST(finish_beside_a_program_is_invalid),
	TAP_TEST(open_units_beyond_the_limit_are_invalid),
	TAP_TEST(open_units_of_before_a_power_cut_do_not_count),
	TAP_TEST(places_that_do_not_exist_are_invalid),
	TAP_TEST(memory_that_is_too_short_is_invalid),
	TAP_TEST(memory_in_pieces_is_put_together),
	TAP_TEST(fatal_card_asserts_on_a_broken_rule),
	TAP_TEST(factory_bad_units_end_dead_and_are_no_violation),
	TAP_TEST(erases_beyond_the_rated_cycles_fail_in_the_end),
	TAP_TEST(spare_bytes_travel_with_the_block),
	TAP_TEST(report_without_states_is_not_supported),
};

TAP_MAIN(tests)
