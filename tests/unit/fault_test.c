// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_test.c - every fault of vsl_sim_fault_names() does what its line says.
 */
#include "rig.h"

#define ANY	VSL_SIM_ANY
#define ALWAYS	VSL_SIM_FOREVER

static struct rig rig;
static u8 buf[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));
static u8 two[16 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

/* A card with blocks 0 to 7 of erase unit (0, 0) programmed as 0 to 7. */
static void init(void)
{
	rig_init(&rig, "tiny");
	rig_program(&rig, 0, 0, 0, 8, 0);
}

static void every_name_can_be_planted_and_taken_back(void)
{
	const struct vsl_sim_fault_name *name;

	init();
	for (name = vsl_sim_fault_names(); name->name; name++) {
		CHECK(name->text[0]);
		CHECK(strlen(name->name) < 24);
		CHECK_EQ(rig_plant(&rig, name->name, 0, 0, 0, 1, 0), 0);
		CHECK_EQ(rig_plant(&rig, name->name, 0, 0, 1, 0, 0), -ENOENT);
		CHECK_EQ(rig_plant(&rig, name->name, 0, 0, 0, 0, 0), 0);
		CHECK_EQ(rig_plant(&rig, name->name, 0, 0, 0, 0, 0), -ENOENT);
	}
	rig_exit(&rig);
}

static void unknown_names_and_places_are_refused(void)
{
	u32 i;

	init();
	CHECK_EQ(rig_plant(&rig, "read", ANY, ANY, ANY, 1, 0), -EINVAL);
	CHECK_EQ(rig_plant(&rig, "read-lost", 4, ANY, ANY, 1, 0), -EINVAL);
	CHECK_EQ(rig_plant(&rig, "read-lost", 0, 32, ANY, 1, 0), -EINVAL);
	CHECK_EQ(rig_plant(&rig, "read-lost", 0, 0, 16, 1, 0), -EINVAL);
	for (i = 0; i < VSL_SIM_FAULTS_MAX; i++)
		CHECK_EQ(rig_plant(&rig, "read-lost", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_plant(&rig, "read-lost", ANY, ANY, ANY, 1, 0), -ENOSPC);
	rig_exit(&rig);
}

static void count_and_every_set_the_rhythm(void)
{
	struct vsl_sim_fault fault = {
		.name = "read-transient",
		.unit = ANY,
		.eu = ANY,
		.block = ANY,
		.count = 2,
		.every = 3,
	};
	u32 i, failed = 0;
	u8 result;

	init();
	CHECK_EQ(vsl_sim_plant(rig.sim, &fault), 0);
	for (i = 1; i <= 12; i++) {
		result = rig_read(&rig, 0, 0, 0, buf);
		CHECK_EQ(result == VSL_RES_TRANSIENT, i == 3 || i == 6);
		failed += result != VSL_RES_OK;
	}
	CHECK_EQ(failed, 2);
	rig_exit(&rig);
}

static void place_is_kept_to(void)
{
	init();
	rig_program(&rig, 1, 0, 0, 8, 0);
	rig_program(&rig, 0, 1, 0, 8, 0);
	CHECK_EQ(rig_plant(&rig, "read-lost", 0, 0, 5, ALWAYS, 0), 0);
	CHECK_EQ(rig_read(&rig, 1, 0, 5, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 1, 5, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 4, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 5, buf), VSL_RES_LOST);
	rig_exit(&rig);
}

static void read_lost_hits_one_block_or_all(void)
{
	struct rig_op *op;

	init();
	CHECK_EQ(rig_plant(&rig, "read-lost", ANY, ANY, 2, 1, 0), 0);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 4, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_LOST);
	CHECK_EQ(op->op.bad, 4);
	CHECK(rig_is(buf + 3 * VSL_BLOCK_BYTES, 3));
	CHECK_EQ(rig_plant(&rig, "read-lost", ANY, ANY, ANY, 1, 0), 0);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 8, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_LOST);
	CHECK_EQ(__builtin_popcountll(op->op.bad), 1);
	CHECK_EQ(rig_plant(&rig, "read-lost", ANY, ANY, ANY, 1, 1), 0);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 8, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_LOST);
	CHECK_EQ(op->op.bad, 0xff);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	rig_exit(&rig);
}

static void read_transient_is_over_with_the_next_read(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "read-transient", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_TRANSIENT);
	CHECK(!rig_is(buf, 3));
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 3));
	rig_exit(&rig);
}

static void refresh_brings_good_data(void)
{
	struct rig_op *op;

	init();
	CHECK_EQ(rig_plant(&rig, "refresh", ANY, ANY, ANY, 1, 0), 0);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 3, 1, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_REFRESH);
	CHECK_EQ(op->op.bad, 0);
	CHECK(rig_is(buf, 3));
	rig_exit(&rig);
}

static u32 bits_apart(const u8 *a, const u8 *b)
{
	u32 i, bits = 0;

	for (i = 0; i < VSL_BLOCK_BYTES; i++)
		bits += hweight8(a[i] ^ b[i]);
	return bits;
}

static void corrupt_flips_a_bit_of_what_is_read(void)
{
	init();
	rig_fill(two, 3);
	CHECK_EQ(rig_plant(&rig, "corrupt", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
	CHECK_EQ(bits_apart(buf, two), 1);
	CHECK_EQ(rig_plant(&rig, "corrupt", ANY, ANY, ANY, 1, 1), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(bits_apart(buf, two) > 10000);
	CHECK_EQ(rig_plant(&rig, "corrupt", ANY, ANY, ANY, 1, 2), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
	memset(two, 0xff, sizeof(two));
	CHECK_EQ(bits_apart(buf, two), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 3));
	rig_exit(&rig);
}

static void misread_brings_another_block(void)
{
	u32 i, wrong = 0;

	init();
	CHECK_EQ(rig_plant(&rig, "misread", ANY, ANY, ANY, ALWAYS, 0), 0);
	for (i = 0; i < 20; i++) {
		CHECK_EQ(rig_read(&rig, 0, 0, 3, buf), VSL_RES_OK);
		wrong += !rig_is(buf, 3);
	}
	/* Among 8 blocks it is the right one now and then. */
	CHECK(wrong > 5);
	rig_exit(&rig);
}

static void program_fail_leaves_what_was_there_readable(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "program-fail", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 2, 8), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_read(&rig, 0, 0, 7, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 7));
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_RDONLY);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 1, 8), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_EU_DEAD);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void program_end_closes_the_erase_unit(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "program-end", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 2, 8), VSL_RES_EU_ENDED);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_FULL);
	CHECK_EQ(rig_report(&rig, 0, 0).wp, 8);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 8), VSL_RES_OK);
	rig_exit(&rig);
}

static void program_transient_can_be_done_again(void)
{
	rig_init(&rig, "tiny");
	CHECK_EQ(rig_plant(&rig, "program-transient", ANY, ANY, ANY, 2, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_TRANSIENT);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_EMPTY);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_TRANSIENT);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

static void program_lost_is_found_out_when_read(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "program-lost", ANY, ANY, 9, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 4, 8), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 9, buf), VSL_RES_LOST);
	CHECK_EQ(rig_read(&rig, 0, 0, 9, buf), VSL_RES_LOST);
	rig_exit(&rig);
}

static void program_drop_reads_as_erased(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "program-drop", ANY, ANY, 9, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 4, 8), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 9, buf), VSL_RES_OK);
	memset(two, 0xff, VSL_BLOCK_BYTES);
	CHECK(!memcmp(buf, two, VSL_BLOCK_BYTES));
	CHECK_EQ(rig_read(&rig, 0, 0, 10, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 10));
	rig_exit(&rig);
}

/* Together they make the stale read: old content, good status. */
static void erase_drop_and_program_drop_bring_old_content(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "erase-drop", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_plant(&rig, "program-drop", ANY, ANY, ANY, 1, 1), 0);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 2, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 4, 100), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 2, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 2));
	CHECK_EQ(rig_program(&rig, 0, 0, 4, 4, 104), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 4, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 104));
	rig_exit(&rig);
}

static void program_stray_destroys_another_block(void)
{
	u32 i, wrong = 0;

	init();
	CHECK_EQ(rig_plant(&rig, "program-stray", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 1, 8), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	CHECK(!rig_is(buf, 8));
	for (i = 0; i < 8; i++) {
		CHECK_EQ(rig_read(&rig, 0, 0, i, buf), VSL_RES_OK);
		wrong += rig_is(buf, 8);
	}
	CHECK_EQ(wrong, 1);
	rig_exit(&rig);
}

static void program_rot_flips_a_bit_for_good(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "program-rot", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 1, 8), VSL_RES_OK);
	rig_fill(two, 8);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	CHECK_EQ(bits_apart(buf, two), 1);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	CHECK_EQ(bits_apart(buf, two), 1);
	rig_exit(&rig);
}

static void erase_fail_kills_the_erase_unit(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "erase-fail", 0, 0, ANY, 1, 0), 0);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_report(&rig, 0, 0).state, VSL_EU_DEAD);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_LOST);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_EU_DEAD);
	rig_exit(&rig);
}

static void erase_transient_changes_nothing(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "erase-transient", 0, 0, ANY, 1, 0), 0);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_TRANSIENT);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	CHECK_EQ(vsl_sim_wear(rig.sim, 0, 0), 0);
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	rig_exit(&rig);
}

static void flush_fail_makes_nothing_durable(void)
{
	u32 lost = 0;
	u64 seed;

	for (seed = 0; seed < 100; seed++) {
		rig_config(&rig, "tiny");
		rig.config.flags |= VSL_SIM_VOLATILE;
		rig.config.seed = seed;
		rig_create(&rig);
		CHECK_EQ(rig_program(&rig, 0, 0, 0, 1, 0), VSL_RES_OK);
		CHECK_EQ(rig_plant(&rig, "flush-fail", ANY, ANY, ANY, 1, 0), 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_LOST);
		CHECK_EQ(rig_plant(&rig, "flush-transient", ANY, ANY, ANY, 1, 0), 0);
		CHECK_EQ(rig_flush(&rig), VSL_RES_TRANSIENT);
		if (seed % 2)
			CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
		rig_power_cycle(&rig);
		if (rig_read(&rig, 0, 0, 0, buf) == VSL_RES_OK)
			CHECK(rig_is(buf, 0));
		else
			lost += seed % 2 ? 1000 : 1;
		rig_exit(&rig);
	}
	CHECK(lost > 10 && lost <= 50);
}

static void unit_dead_takes_a_whole_unit(void)
{
	init();
	rig_program(&rig, 1, 0, 0, 8, 0);
	CHECK_EQ(rig_plant(&rig, "unit-dead", 0, ANY, ANY, ALWAYS, 0), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_LOST);
	CHECK_EQ(rig_program(&rig, 0, 1, 0, 1, 0), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_erase(&rig, 0, 2), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_read(&rig, 1, 0, 0, buf), VSL_RES_OK);
	rig_exit(&rig);
}

static void slow_delays_the_end(void)
{
	u64 from;

	init();
	CHECK_EQ(rig_plant(&rig, "slow", ANY, ANY, ANY, 1, 5000000), 0);
	from = vsl_port_clock_ns;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	CHECK_EQ(vsl_port_clock_ns - from, 5000000);
	from = vsl_port_clock_ns;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	CHECK_EQ(vsl_port_clock_ns, from);
	rig_exit(&rig);
}

static void stuck_ends_only_when_it_is_taken_back(void)
{
	struct rig_op *op;

	init();
	CHECK_EQ(rig_plant(&rig, "stuck", 0, ANY, ANY, ALWAYS, 2), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	rig_fill(two, 8);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 8, 1, two);
	CHECK_EQ(rig_wait(&rig, op), 0xff);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_UNWRITTEN);
	CHECK_EQ(rig_plant(&rig, "stuck", 0, ANY, ANY, 0, 2), 0);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	rig_exit(&rig);
}

static void stuck_ends_with_a_power_cut(void)
{
	struct rig_op *op;

	init();
	CHECK_EQ(rig_plant(&rig, "stuck", ANY, ANY, ANY, 1, 0), 0);
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	CHECK_EQ(rig_wait(&rig, op), 0xff);
	vsl_sim_cut(rig.sim);
	CHECK(op->has_ended);
	CHECK_EQ(op->op.result, VSL_RES_GONE);
	rig_exit(&rig);
}

static void lost_end_has_taken_effect(void)
{
	struct rig_op *op;

	init();
	rig_fill(two, 8);
	CHECK_EQ(rig_plant(&rig, "lose-end", ANY, ANY, ANY, 1, 2), 0);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 8, 1, two);
	CHECK_EQ(rig_wait(&rig, op), 0xff);
	CHECK_EQ(rig_read(&rig, 0, 0, 8, buf), VSL_RES_OK);
	CHECK(rig_is(buf, 8));
	vsl_sim_heal(rig.sim);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 9, 1, 9), VSL_RES_OK);
	rig_exit(&rig);
}

static void no_memory_is_a_program_failure(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "no-memory", ANY, ANY, ANY, 1, 0), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 1, 8), VSL_RES_EU_DEAD);
	CHECK_EQ(rig_read(&rig, 0, 0, 7, buf), VSL_RES_OK);
	rig_exit(&rig);
}

/* The n-th allocation fails for every n: never a crash, never a lie. */
static void real_lack_of_memory_is_a_program_failure(void)
{
	u32 n, i;
	u8 result;

	for (n = 1; n < 12; n++) {
		rig_init(&rig, "tiny");
		vsl_port_fail_after = n;
		result = rig_program(&rig, 0, 0, 0, 8, 0);
		CHECK(result == VSL_RES_OK || result == VSL_RES_EU_DEAD);
		CHECK_EQ(result == VSL_RES_OK, n > 9);
		vsl_port_fail_after = 0;
		for (i = 0; i < 8 && result == VSL_RES_OK; i++)
			CHECK_EQ(rig_read(&rig, 0, 0, i, buf), VSL_RES_OK);
		rig_exit(&rig);
	}
}

static void power_cut_comes_at_the_chosen_operation(void)
{
	struct vsl_sim_fault fault = {
		.name = "power-cut",
		.unit = ANY,
		.eu = ANY,
		.block = ANY,
		.count = 1,
		.every = 3,
	};

	init();
	CHECK_EQ(vsl_sim_plant(rig.sim, &fault), 0);
	CHECK_EQ(rig_program(&rig, 0, 0, 8, 1, 8), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 9, 1, 9), VSL_RES_OK);
	CHECK_EQ(rig_erase(&rig, 1, 0), VSL_RES_GONE);
	CHECK(!vsl_sim_has_power(rig.sim));
	CHECK_EQ(rig.nr_gone, 1);
	rig_exit(&rig);
}

static void events_are_raised(void)
{
	init();
	CHECK_EQ(rig_plant(&rig, "refresh-event", 0, 0, ANY, 1, 0), 0);
	CHECK_EQ(rig_plant(&rig, "health-event", ANY, ANY, ANY, 1, 16), 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	CHECK_EQ(rig.nr_refresh, 1);
	CHECK_EQ(rig.event_unit, 0);
	CHECK_EQ(rig.nr_health, 0);
	CHECK_EQ(rig_flush(&rig), VSL_RES_OK);
	CHECK_EQ(rig.nr_health, 1);
	rig_exit(&rig);
}

static void read_disturb_asks_for_refresh_and_then_loses(void)
{
	u32 i;
	u8 result;

	rig_config(&rig, "tiny");
	rig.config.disturb_reads = 100;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	for (i = 0; i < 250; i++) {
		result = rig_read(&rig, 0, 0, i % 8, buf);
		CHECK_EQ(result, i < 100 ? VSL_RES_OK :
			 i < 200 ? VSL_RES_REFRESH : VSL_RES_LOST);
	}
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	rig_exit(&rig);
}

static void planted_disturb_and_retention_are_like_the_cards_own(void)
{
	u32 i;
	u8 result;

	rig_config(&rig, "tiny");
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	CHECK_EQ(rig_plant(&rig, "disturb", 0, 0, ANY, VSL_SIM_FOREVER, 10), 0);
	for (i = 0; i < 25; i++) {
		result = rig_read(&rig, 0, 0, i % 8, buf);
		CHECK_EQ(result, i < 10 ? VSL_RES_OK :
			 i < 20 ? VSL_RES_REFRESH : VSL_RES_LOST);
	}
	CHECK_EQ(rig_erase(&rig, 0, 0), VSL_RES_OK);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	CHECK_EQ(rig_plant(&rig, "retention", 0, 0, ANY, VSL_SIM_FOREVER, 1000),
		 0);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	vsl_port_clock_ns += 1500000000;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_REFRESH);
	vsl_port_clock_ns += 1000000000;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_LOST);
	rig_exit(&rig);
}

static void retention_asks_for_refresh_and_then_loses(void)
{
	rig_config(&rig, "tiny");
	rig.config.retention_ms = 1000;
	rig_create(&rig);
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 8, 0), VSL_RES_OK);
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_OK);
	vsl_port_clock_ns += 1500000000;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_REFRESH);
	vsl_port_clock_ns += 1000000000;
	CHECK_EQ(rig_read(&rig, 0, 0, 0, buf), VSL_RES_LOST);
	rig_exit(&rig);
}

static const struct tap_test tests[] = {
	TAP_TEST(every_name_can_be_planted_and_taken_back),
	TAP_TEST(unknown_names_and_places_are_refused),
	TAP_TEST(count_and_every_set_the_rhythm),
	TAP_TEST(place_is_kept_to),
	TAP_TEST(read_lost_hits_one_block_or_all),
	TAP_TEST(read_transient_is_over_with_the_next_read),
	TAP_TEST(refresh_brings_good_data),
	TAP_TEST(corrupt_flips_a_bit_of_what_is_read),
	TAP_TEST(misread_brings_another_block),
	TAP_TEST(program_fail_leaves_what_was_there_readable),
	TAP_TEST(program_end_closes_the_erase_unit),
	TAP_TEST(program_transient_can_be_done_again),
	TAP_TEST(program_lost_is_found_out_when_read),
	TAP_TEST(program_drop_reads_as_erased),
	TAP_TEST(erase_drop_and_program_drop_bring_old_content),
	TAP_TEST(program_stray_destroys_another_block),
	TAP_TEST(program_rot_flips_a_bit_for_good),
	TAP_TEST(erase_fail_kills_the_erase_unit),
	TAP_TEST(erase_transient_changes_nothing),
	TAP_TEST(flush_fail_makes_nothing_durable),
	TAP_TEST(unit_dead_takes_a_whole_unit),
	TAP_TEST(slow_delays_the_end),
	TAP_TEST(stuck_ends_only_when_it_is_taken_back),
	TAP_TEST(stuck_ends_with_a_power_cut),
	TAP_TEST(lost_end_has_taken_effect),
	TAP_TEST(no_memory_is_a_program_failure),
	TAP_TEST(real_lack_of_memory_is_a_program_failure),
	TAP_TEST(power_cut_comes_at_the_chosen_operation),
	TAP_TEST(events_are_raised),
	TAP_TEST(read_disturb_asks_for_refresh_and_then_loses),
	TAP_TEST(retention_asks_for_refresh_and_then_loses),
	TAP_TEST(planted_disturb_and_retention_are_like_the_cards_own),
};

TAP_MAIN(tests)
