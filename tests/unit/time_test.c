// SPDX-License-Identifier: GPL-2.0-only
/*
 * time_test.c - the timing model, and that "slc160" can do what the card of the
 * first users did.
 *
 * The clock is virtual, so rates are exact and the same on every machine.  Rates
 * are those of the bare card with 64 operations under way: what a mapping layer
 * adds (packet heads, map, grooming) comes on top, hence the margins.
 */
#include "rig.h"

#include <stdlib.h>

/* Published: VSL 2.3.11 on the 160 GB SLC card. */
#define GOAL_READ_IOPS		191000u
#define GOAL_WRITE_IOPS		187000u
#define GOAL_READ_MBPS		819u
#define GOAL_WRITE_MBPS		786u

static struct rig rig;
static u8 buf[64 * VSL_BLOCK_BYTES] __attribute__((aligned(64)));

static void init(void)
{
	rig_config(&rig, "slc160");
	rig.config.eus = 64;
	rig_create(&rig);
}

/* ---- rates --------------------------------------------------------------- */

struct loop {
	u8 kind;
	u32 nr;			/* blocks an operation */
	u32 depth;
	u32 count;
	bool is_random;
	u32 at;			/* operations begun */
	u64 state;
	u8 *busy;		/* a program is under way, by unit */
};

/* The next place; false: its unit is busy with a program. */
static bool next_place(struct loop *loop, struct vsl_op *op)
{
	u32 units = rig.config.units;
	u32 row = loop->at / units;
	u32 rows = rig.config.eu_blocks / loop->nr;

	op->unit = loop->at % units;
	op->eu = row / rows % rig.config.eus;
	op->off = row % rows * loop->nr;
	if (loop->is_random) {
		loop->state = loop->state * 6364136223846793005ull +
			      1442695040888963407ull;
		op->unit = (u32)(loop->state >> 33) % units;
		op->eu = (u32)(loop->state >> 42) % 8;
		op->off = (u32)(loop->state >> 50) % rows * loop->nr;
	}
	return loop->kind == VSL_OP_READ || !loop->busy[op->unit];
}

static u32 running;
static u64 nr_done;
static struct loop *current;

static void loop_end(struct vsl_op *op)
{
	running--;
	nr_done++;
	if (op->result != VSL_RES_OK)
		tap_fail("an operation works", __FILE__, op->result);
	current->busy[op->unit] = 0;
	op->owner = NULL;
}

/* Blocks a second. */
static u64 run_loop(struct loop loop)
{
	static struct vsl_op ops[256];
	struct vsl_vec vec = { buf, sizeof(buf) };
	u64 from = vsl_port_clock_ns, taken;
	bool is_blocked;
	u32 i;

	loop.busy = calloc(1, rig.config.units);
	current = &loop;
	nr_done = 0;
	while (nr_done < loop.count) {
		is_blocked = false;
		for (i = 0; i < loop.depth && !is_blocked; i++) {
			struct vsl_op *op = &ops[i];

			if (op->owner || loop.at == loop.count)
				continue;
			is_blocked = !next_place(&loop, op);
			if (is_blocked)
				break;
			loop.at++;
			running++;
			loop.busy[op->unit] = 1;
			op->kind = loop.kind;
			op->nr = loop.nr;
			op->vec = &vec;
			op->nr_vecs = 1;
			op->end = loop_end;
			op->owner = op;
			rig.media->ops->submit(rig.media, op);
		}
		if (!rig_step(&rig))
			break;
	}
	taken = vsl_port_clock_ns - from;
	free(loop.busy);
	return taken ? nr_done * loop.nr * 1000000000ull / taken : 0;
}

static u64 mbps(u64 blocks)
{
	return blocks * VSL_BLOCK_BYTES / 1000000;
}

/* Fill erase units 0 to 7 of all units; returns blocks a second. */
static u64 fill(u32 nr, u32 depth)
{
	return run_loop((struct loop){
		.kind = VSL_OP_PROGRAM,
		.nr = nr,
		.depth = depth,
		.count = 8 * rig.config.units * rig.config.eu_blocks / nr,
	});
}

static void sequential_writes_reach_the_goal(void)
{
	u64 blocks;

	init();
	blocks = fill(32, 64);
	tap_note("128 KiB programs, 64 deep: %llu MB/s, goal %u", mbps(blocks),
		 GOAL_WRITE_MBPS);
	CHECK(mbps(blocks) * 100 >= GOAL_WRITE_MBPS * 104);
	rig_exit(&rig);
}

static void small_writes_reach_the_goal(void)
{
	u64 blocks;

	init();
	blocks = fill(2, 64);
	tap_note("8 KiB programs, 64 deep: %llu blocks/s, goal %u", blocks,
		 GOAL_WRITE_IOPS);
	CHECK(blocks * 100 >= (u64)GOAL_WRITE_IOPS * 104);
	rig_exit(&rig);
}

static void random_reads_reach_the_goal(void)
{
	struct loop loop = {
		.kind = VSL_OP_READ,
		.nr = 1,
		.depth = 64,
		.count = 100000,
		.is_random = true,
	};
	u64 iops;

	init();
	fill(32, 64);
	iops = run_loop(loop);
	tap_note("4 KiB random reads, 64 deep: %llu/s, goal %u", iops,
		 GOAL_READ_IOPS);
	CHECK(iops * 100 >= (u64)GOAL_READ_IOPS * 104);
	/* And not beyond what the bus can carry. */
	CHECK(iops < 212000);
	rig_exit(&rig);
}

static void sequential_reads_reach_the_goal(void)
{
	struct loop loop = {
		.kind = VSL_OP_READ,
		.nr = 16,
		.depth = 64,
		.count = 20000,
	};
	u64 blocks;

	init();
	fill(32, 64);
	loop.count = 8 * rig.config.units * rig.config.eu_blocks / loop.nr;
	blocks = run_loop(loop);
	tap_note("64 KiB sequential reads, 64 deep: %llu MB/s, goal %u",
		 mbps(blocks), GOAL_READ_MBPS);
	CHECK(mbps(blocks) >= GOAL_READ_MBPS);
	rig_exit(&rig);
}

static void one_read_at_a_time_takes_what_its_parts_take(void)
{
	const struct vsl_sim_timing *t = &rig.config.timing;
	struct rig_op *op;
	u64 parts;

	init();
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	vsl_port_clock_ns += 10000000;
	op = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	parts = t->command_ns + t->read_ns + 4096000 / t->channel_mbps +
		4096000 / t->bus_mbps + t->bus_command_ns;
	CHECK_EQ(op->end_ns - op->begin_ns, parts);
	tap_note("4 KiB read, alone: %llu us", parts / 1000);
	rig_exit(&rig);
}

static void erase_takes_its_time_and_holds_up_its_die_only(void)
{
	struct rig_op *erase, *same, *other;

	init();
	rig_program(&rig, 0, 0, 0, 2, 0);
	rig_program(&rig, 1, 0, 0, 2, 0);
	vsl_port_clock_ns += 10000000;
	erase = rig_start(&rig, VSL_OP_ERASE, 0, 1, 0, 0, NULL);
	same = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	other = rig_start(&rig, VSL_OP_READ, 1, 0, 0, 1, buf);
	rig_drain(&rig);
	CHECK_EQ(erase->end_ns - erase->begin_ns, 1508000);
	CHECK(same->end_ns - same->begin_ns > 1508000);
	CHECK(other->end_ns - other->begin_ns < 100000);
	rig_exit(&rig);
}

static void buffered_program_ends_before_the_die_is_done(void)
{
	struct rig_op *op, *read;

	init();
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 2, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK(op->end_ns - op->begin_ns < 30000);
	/* A read of it finds the die busy. */
	read = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
	CHECK_EQ(rig_wait(&rig, read), VSL_RES_OK);
	CHECK(read->end_ns - read->begin_ns > 220000);
	rig_exit(&rig);
}

static void full_buffer_holds_programs_back(void)
{
	u64 blocks, dies;

	rig_config(&rig, "slc160");
	rig.config.eus = 64;
	rig.config.units = 4;
	rig.config.timing.channels = 4;
	rig.config.timing.buffer_blocks = 16;
	rig_create(&rig);
	blocks = fill(2, 64);
	/* Four dies: 8 KiB in 102.4 us of channel and 220 us of cells. */
	dies = 4 * 2 * 1000000000ull / 322400;
	CHECK(blocks * 100 > dies * 97);
	CHECK(blocks * 100 < dies * 104);
	rig_exit(&rig);
}

static void unbuffered_program_waits_for_the_die(void)
{
	struct rig_op *op;

	rig_config(&rig, "slc160");
	rig.config.eus = 64;
	rig.config.timing.buffer_blocks = 0;
	rig.config.flags &= ~VSL_SIM_PLP;
	rig_create(&rig);
	op = rig_start(&rig, VSL_OP_PROGRAM, 0, 0, 0, 2, buf);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK(op->end_ns - op->begin_ns > 8000 + 220000 + 102400);
	CHECK(op->end_ns - op->begin_ns < 8000 + 220000 + 102400 + 12000);
	rig_exit(&rig);
}

/* Two pages of 64 KiB to a die of 550 us each, read in the middle. */
static void read_breaks_into_a_program_where_the_die_can(void)
{
	struct rig_op *read;
	u32 suspend, i;
	u64 took[2];

	for (i = 0; i < 2; i++) {
		rig_config(&rig, "fast");
		rig.config.eus = 8;
		suspend = i ? rig.config.timing.suspend_ns : 0;
		rig.config.timing.suspend_ns = suspend;
		rig_create(&rig);
		CHECK_EQ(rig_program(&rig, 0, 0, 0, 16, 0), VSL_RES_OK);
		vsl_port_clock_ns += 10000000;
		CHECK_EQ(rig_program(&rig, 0, 0, 16, 32, 0), VSL_RES_OK);
		vsl_port_clock_ns += 200000;
		read = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 1, buf);
		CHECK_EQ(rig_wait(&rig, read), VSL_RES_OK);
		took[i] = read->end_ns - read->begin_ns;
		rig_drain(&rig);
		rig_exit(&rig);
	}
	CHECK(took[0] > 300000);
	CHECK(took[1] < 70000);
}

/* The second page is read while the first one crosses the channel. */
static void long_reads_overlap_with_themselves(void)
{
	const struct vsl_sim_timing *t = &rig.config.timing;
	struct rig_op *read;
	u64 page_ns, bus_ns, took[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		rig_config(&rig, "fast");
		rig.config.eus = 8;
		rig.config.timing.cache_register = i;
		rig_create(&rig);
		CHECK_EQ(rig_program(&rig, 0, 0, 0, 64, 0), VSL_RES_OK);
		vsl_port_clock_ns += 10000000;
		read = rig_start(&rig, VSL_OP_READ, 0, 0, 0, 64, buf);
		CHECK_EQ(rig_wait(&rig, read), VSL_RES_OK);
		took[i] = read->end_ns - read->begin_ns;
		rig_exit(&rig);
	}
	page_ns = 65536000 / t->channel_mbps;
	bus_ns = 65536000 / t->bus_mbps;
	CHECK(took[0] >= 4 * (t->read_ns + page_ns) + bus_ns);
	CHECK(took[1] >= t->read_ns + 4 * page_ns + bus_ns);
	CHECK(took[1] < t->read_ns + 4 * page_ns + bus_ns + 10000);
}

static void finish_takes_a_command(void)
{
	struct rig_op *op;

	init();
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 2, 0), VSL_RES_OK);
	op = rig_start(&rig, VSL_OP_FINISH, 0, 0, 0, 0, NULL);
	CHECK_EQ(rig_wait(&rig, op), VSL_RES_OK);
	CHECK_EQ(op->end_ns - op->begin_ns, rig.config.timing.command_ns);
	rig_exit(&rig);
}

static void programs_are_not_starved_by_reads(void)
{
	struct loop loop = {
		.kind = VSL_OP_READ,
		.nr = 1,
		.depth = 64,
		.count = 3000,
		.is_random = true,
	};
	struct rig_op *erase;

	rig_config(&rig, "slc160");
	rig.config.eus = 16;
	rig.config.units = 1;
	rig.config.timing.channels = 1;
	rig_create(&rig);
	fill(32, 16);
	/* The dies empty the buffer meanwhile. */
	vsl_port_clock_ns += 1000000000;
	erase = rig_start(&rig, VSL_OP_ERASE, 0, 9, 0, 0, NULL);
	run_loop(loop);
	CHECK(erase->has_ended);
	CHECK(erase->end_ns - erase->begin_ns < 10000000);
	rig_exit(&rig);
}

static void flush_of_a_volatile_card_waits_for_the_dies(void)
{
	struct rig_op *flush;
	u32 i;

	rig_config(&rig, "oc20");
	rig.config.eus = 8;
	rig_create(&rig);
	for (i = 0; i < 8; i++)
		CHECK_EQ(rig_program(&rig, 0, 0, i * 8, 8, 0), VSL_RES_OK);
	flush = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK_EQ(rig_wait(&rig, flush), VSL_RES_OK);
	/* Eight pages of 900 us, the first under way. */
	CHECK(flush->end_ns - flush->begin_ns > 7000000);
	flush = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK_EQ(rig_wait(&rig, flush), VSL_RES_OK);
	CHECK_EQ(flush->end_ns - flush->begin_ns, 28000);
	rig_exit(&rig);
}

static void flush_of_a_protected_card_waits_for_nothing(void)
{
	struct rig_op *flush;

	init();
	CHECK_EQ(rig_program(&rig, 0, 0, 0, 64, 0), VSL_RES_OK);
	flush = rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	CHECK_EQ(rig_wait(&rig, flush), VSL_RES_OK);
	CHECK_EQ(flush->end_ns - flush->begin_ns, 13000);
	rig_exit(&rig);
}

/* Called late each time, the card still keeps its own time. */
static void lateness_does_not_add_up(void)
{
	u64 from, exact, late;
	u32 i;

	init();
	from = vsl_port_clock_ns;
	for (i = 0; i < 50; i++)
		rig_start(&rig, VSL_OP_ERASE, 0, i, 0, 0, NULL);
	rig_drain(&rig);
	exact = vsl_port_clock_ns - from;
	rig_exit(&rig);
	init();
	from = vsl_port_clock_ns;
	for (i = 0; i < 50; i++)
		rig_start(&rig, VSL_OP_ERASE, 0, i, 0, 0, NULL);
	while (vsl_sim_pending(rig.sim)) {
		vsl_port_clock_ns = rig.wake_ns > vsl_port_clock_ns ?
			rig.wake_ns : vsl_port_clock_ns;
		vsl_port_clock_ns += 400000;
		rig_step(&rig);
	}
	late = vsl_port_clock_ns - from;
	CHECK(late >= exact);
	CHECK(late - exact < 1000000);
	rig_exit(&rig);
}

static void cut_in_the_middle_leaves_a_working_card(void)
{
	struct loop loop = {
		.kind = VSL_OP_READ,
		.nr = 1,
		.depth = 64,
		.count = 1000,
		.is_random = true,
	};
	u32 i, round;

	init();
	fill(32, 64);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 48; i++)
			rig_start(&rig, VSL_OP_PROGRAM, i, 10 + round, 0, 8,
				  buf);
		for (i = 0; i < 60; i++)
			rig_start(&rig, VSL_OP_READ, i % 48, 3, i, 1, buf);
		rig_start(&rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
		for (i = 0; i < 20 * round; i++)
			rig_step(&rig);
		rig_power_cycle(&rig);
		CHECK_EQ(vsl_sim_pending(rig.sim), 0);
	}
	CHECK(run_loop(loop) > 150000);
	CHECK_EQ(rig.nr_violations, 0);
	rig_exit(&rig);
}

/* More operations than the clockwork has tasks. */
static void flood_is_served_in_the_end(void)
{
	static struct vsl_op ops[5000];
	struct vsl_vec vec = { buf, sizeof(buf) };
	struct loop loop = { .kind = VSL_OP_READ };
	u32 i;

	init();
	fill(32, 64);
	loop.busy = calloc(1, rig.config.units);
	current = &loop;
	nr_done = 0;
	for (i = 0; i < 5000; i++) {
		ops[i].kind = VSL_OP_READ;
		ops[i].unit = i % 48;
		ops[i].eu = 3;
		ops[i].off = i % 64;
		ops[i].nr = 1;
		ops[i].vec = &vec;
		ops[i].nr_vecs = 1;
		ops[i].end = loop_end;
		rig.media->ops->submit(rig.media, &ops[i]);
	}
	rig_drain(&rig);
	CHECK_EQ(nr_done, 5000);
	free(loop.busy);
	rig_exit(&rig);
}

static u64 fingerprint(u64 seed)
{
	struct loop loop = {
		.kind = VSL_OP_READ,
		.nr = 2,
		.depth = 32,
		.count = 2000,
		.is_random = true,
		.state = seed,
	};
	u64 from;

	init();
	fill(4, 32);
	from = vsl_port_clock_ns;
	run_loop(loop);
	rig_exit(&rig);
	return vsl_port_clock_ns - from;
}

static void same_work_takes_the_same_time(void)
{
	u64 first = fingerprint(1);

	CHECK_EQ(fingerprint(1), first);
	CHECK(fingerprint(2) != first);
}

static const struct tap_test tests[] = {
	TAP_TEST(sequential_writes_reach_the_goal),
	TAP_TEST(small_writes_reach_the_goal),
	TAP_TEST(random_reads_reach_the_goal),
	TAP_TEST(sequential_reads_reach_the_goal),
	TAP_TEST(one_read_at_a_time_takes_what_its_parts_take),
	TAP_TEST(erase_takes_its_time_and_holds_up_its_die_only),
	TAP_TEST(buffered_program_ends_before_the_die_is_done),
	TAP_TEST(full_buffer_holds_programs_back),
	TAP_TEST(unbuffered_program_waits_for_the_die),
	TAP_TEST(read_breaks_into_a_program_where_the_die_can),
	TAP_TEST(long_reads_overlap_with_themselves),
	TAP_TEST(finish_takes_a_command),
	TAP_TEST(programs_are_not_starved_by_reads),
	TAP_TEST(flush_of_a_volatile_card_waits_for_the_dies),
	TAP_TEST(flush_of_a_protected_card_waits_for_nothing),
	TAP_TEST(lateness_does_not_add_up),
	TAP_TEST(cut_in_the_middle_leaves_a_working_card),
	TAP_TEST(flood_is_served_in_the_end),
	TAP_TEST(same_work_takes_the_same_time),
};

TAP_MAIN(tests)
