// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost.c - what the core costs in processor time and memory.
 *
 * The core serves a 160 GB disk (the preset slc160) that is mapped to its last
 * block, on a card that answers at once and costs nothing (hollow.c).  Each way
 * of reading and writing is timed in ROUNDS short rounds, and in between, in
 * turn, a bare loop that does the least anybody could: look a random entry of
 * an array of the same size up; or change it, and two counts of valid blocks,
 * and note the change.  So both see the same noise of the machine.  Values are
 * medians of processor time.
 *
 * The bare loops take one after the other: an address depends on what was read
 * before, as with requests that do not come all at once.  One more has nothing to
 * wait for, so that several look-ups overlap.
 *
 * The ratio is what can be trusted: on a busy machine a look-up that misses all
 * caches takes several times as long as on an idle one, and everything else with
 * it.  Goals are 100 ns and 180 ns, or twice the bare loop (docs/DESIGN.md).
 *
 * What is timed of a write is everything its submitter and whoever ends its
 * operations do under the lock, and the rig's own handling of the operations,
 * but not, where it says so, the copy and the checksum of the data, which
 * are done outside the lock.
 */
#include <stdio.h>
#include <stdlib.h>

#include "figure.h"
#include "hollow.h"
#include "load.h"
#include "rig.h"

#define ROUNDS		20u
#define READS		200000u
#define WRITES		50000u
#define DEPTH		64u
#define ENTRIES		256u

/* The bare arrays. */
struct bare {
	u32 *map;
	u32 *valid;
	u32 entry[ENTRIES][2];
	u64 nr;
	u32 ppa;
};

enum way {
	BARE_MANY,
	BARE_READ,
	READ_FAST,
	READ_SUBMIT,
	BARE_WRITE,
	WRITE_LOCKED,
	WRITE_WHOLE,
	NR_WAYS,
};

struct cost {
	struct rig *rig;
	struct bare bare;
	struct load load;
	u64 sum;
	double ns[NR_WAYS][ROUNDS];
};

static void bare_init(struct bare *bare, u64 nr)
{
	u64 i;

	bare->nr = nr;
	bare->map = vsl_port_alloc(nr * sizeof(*bare->map));
	bare->valid = vsl_port_alloc((nr / 4096 + 1) * 2 *
				     sizeof(*bare->valid));
	if (!bare->map || !bare->valid)
		die("no memory");
	for (i = 0; i < nr; i++)
		bare->map[i] = i;
}

static void bare_read(struct cost *cost)
{
	struct bare *bare = &cost->bare;
	u32 i, value = 0;

	for (i = 0; i < READS; i++) {
		/* map[] is below 2^31: the top bit is nothing, but who knows */
		cost->load.state += value >> 31;
		value = READ_ONCE(bare->map[load_next(&cost->load)]);
		cost->sum += value;
	}
}

static void bare_many(struct cost *cost)
{
	struct bare *bare = &cost->bare;
	u32 i;

	for (i = 0; i < READS; i++)
		cost->sum += READ_ONCE(bare->map[load_next(&cost->load)]);
}

static void bare_write(struct cost *cost)
{
	struct bare *bare = &cost->bare;
	u32 i, old = 0;
	u64 at;

	for (i = 0; i < WRITES; i++) {
		cost->load.state += old >> 31;
		at = load_next(&cost->load);
		old = bare->map[at];
		bare->map[at] = bare->ppa;
		bare->valid[old / 4096]--;
		bare->valid[bare->ppa / 4096]++;
		bare->entry[bare->ppa % ENTRIES][0] = at;
		bare->entry[bare->ppa % ENTRIES][1] = old;
		bare->ppa = (bare->ppa + 1) % bare->nr;
	}
}

static void read_fast(struct cost *cost)
{
	static struct vsl_io io;
	struct vsl_op *op;
	u32 i;

	io_set(&io, VSL_IO_READ, 0, 1);
	for (i = 0; i < READS; i++) {
		io.sector = load_next(&cost->load) * VSL_BLOCK_SECTORS;
		if (vsl_core_read_fast(cost->rig->core, &io, &op) != 1) {
			cost->sum++;	/* not settled yet */
			continue;
		}
		cost->load.state += op->off >> 31;	/* one after the other */
		vsl_core_read_fast_done(cost->rig->core, &io);
	}
}

static void read_submit(struct cost *cost)
{
	struct vsl_core *core = cost->rig->core;
	static struct vsl_io io;
	struct vsl_op *op;
	u32 i;

	for (i = 0; i < READS; i++) {
		io_set(&io, VSL_IO_READ, load_next(&cost->load), 1);
		vsl_core_submit(core, &io);
		while ((op = vsl_core_next_op(core))) {
			cost->load.state += op->off >> 31;
			vsl_core_op_done(core, op);
		}
		while (vsl_core_next_io(core))
			cost->sum++;
	}
}

static void next_write(struct job *job, struct vsl_io *io)
{
	io_set(io, VSL_IO_WRITE, load_next(job->ctx), 1);
}

static void write_some(struct cost *cost, bool lazy)
{
	struct job job = {
		.next = next_write,
		.ctx = &cost->load,
		.depth = DEPTH,
		.left = WRITES,
	};

	cost->rig->lazy = lazy;
	rig_run(cost->rig, &job);
}

static void one_round(struct cost *cost, u32 round, enum way way)
{
	u32 nr = way < BARE_WRITE ? READS : WRITES;
	double begin = now_ns();

	switch (way) {
	case BARE_MANY:
		bare_many(cost);
		break;
	case BARE_READ:
		bare_read(cost);
		break;
	case READ_FAST:
		read_fast(cost);
		break;
	case READ_SUBMIT:
		read_submit(cost);
		break;
	case BARE_WRITE:
		bare_write(cost);
		break;
	default:
		write_some(cost, way == WRITE_LOCKED);
		break;
	}
	cost->ns[way][round] = (now_ns() - begin) / nr;
	rig_drain(cost->rig);
}

static struct rig *rig_on_hollow(struct hollow **hollow)
{
	struct vsl_sim_config config;
	struct vsl_media_info info;
	struct rig *rig;

	if (vsl_sim_preset("slc160", 0, &config))
		die("there is no preset \"slc160\"");
	info = (struct vsl_media_info){
		.units = config.units,
		.eus = config.eus,
		.eu_blocks = config.eu_blocks,
		.ws_min = config.ws_min,
		.ws_opt = config.ws_opt,
		.max_blocks = config.max_blocks,
		.factory_bytes = config.factory_bytes,
		.flags = VSL_MEDIA_PLP | VSL_MEDIA_VIRTUAL,
	};
	*hollow = hollow_create(&info);
	rig = rig_on(hollow_media(*hollow));
	rig_format(rig, 0);
	rig_attach(rig);
	hollow_forget(*hollow);
	return rig;
}

/* One way, as time and as a ratio to a bare loop. */
static void tell_way(const char *name, const double *ns, enum way way,
		     double goal_ns, const char *how)
{
	enum way bare = way < BARE_WRITE ? BARE_READ : BARE_WRITE;
	enum figure_goal kind = goal_ns ? GOAL_BELOW : GOAL_NONE;
	char title[80];

	snprintf(title, sizeof(title), "core, %s", name);
	figure(title, ns[way], "ns", kind, goal_ns, "%s", how);
	snprintf(title, sizeof(title), "core, %s, ratio", name);
	figure(title, ns[way] / ns[bare], "x", kind, 2,
	       "to a bare loop of %.0f ns, median of %u in turn%s", ns[bare],
	       ROUNDS, goal_ns ? "" : "; no goal");
}

static void tell(struct cost *cost, double ram)
{
	double ns[NR_WAYS];
	u32 i;

	for (i = 0; i < NR_WAYS; i++)
		ns[i] = median(cost->ns[i], ROUNDS);
	tell_way("4 KiB read, fast", ns, READ_FAST, 100,
		 "vsl_core_read_fast() and _done(), 160 GB all mapped");
	tell_way("4 KiB read, locked", ns, READ_SUBMIT, 0,
		 "submit, next_op, op_done, next_io");
	tell_way("4 KiB write, locked", ns, WRITE_LOCKED, 180,
		 "random, QD 64, no copy and no CRC of data; the rig's own share included");
	tell_way("4 KiB write, whole", ns, WRITE_WHOLE, 0,
		 "with copy and CRC32C");
	figure("bare look-ups that overlap", ns[BARE_MANY], "ns", GOAL_NONE, 0,
	       "random entries of 156 MB in 4 KiB pages; no core can");
	figure("memory per 4 KiB of the disk", ram, "bytes", GOAL_BELOW, 4.2,
	       "stats.ram_bytes / blocks, preset slc160, 160 GB");
}

void bench_cost(void)
{
	struct vsl_core_stats stats;
	struct hollow *hollow;
	struct cost *cost = calloc(1, sizeof(*cost));
	u32 round, way;

	if (!cost)
		die("no memory");
	cost->rig = rig_on_hollow(&hollow);
	cost->rig->lazy = true;
	rig_fill(cost->rig);
	bare_init(&cost->bare, rig_blocks(cost->rig));
	load_init(&cost->load, "uniform", rig_blocks(cost->rig), 1);
	for (round = 0; round < ROUNDS; round++)
		for (way = 0; way < NR_WAYS; way++)
			one_round(cost, round, way);
	rig_stats(cost->rig, &stats);
	if (stats.media_moved_blocks)
		die("the core has groomed a hollow card");
	tell(cost, (double)stats.ram_bytes / rig_blocks(cost->rig));
	rig_destroy(cost->rig);
	hollow_destroy(hollow);
	vsl_port_free(cost->bare.map);
	vsl_port_free(cost->bare.valid);
	free(cost);
}
