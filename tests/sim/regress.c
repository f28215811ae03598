// SPDX-License-Identifier: GPL-2.0-only
/*
 * regress.c - faults of the core that were mended, each with a test of its own.
 *
 * Random histories found these, or somebody who read the source; but how often
 * they would find them again is a matter of luck.  Here each is provoked: by a
 * fault planted in the card, or by changing what the core has written
 * (forge.c).  Every case fails when its mend is taken back.
 *
 * A case runs in a process of its own and is judged by the oracle like any run.
 * Output is TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "forge.h"
#include "scene.h"
#include "session.h"

#define SEEDS		8u	/* of a case in which chance has a part */
#define CASE_SECONDS	120u
#define SEGMENT_PUTS	40u	/* writes of a block that fill a segment, and more */

static struct order order = {
	.seed = 1,
	.only_cut = EVERY_CUT,
	.trace_from = EVERY_CUT,
};

#define need(cond, ...)							\
	do {								\
		if (!(cond))						\
			sim_fail("test", __VA_ARGS__);			\
	} while (0)

/* ---- words of the cases ------------------------------------------------------ */

/* A card of 64 MiB at most, sound, whose disk is formatted and attached. */
static struct world *start(struct scene *s, u32 flags, u32 eus, u64 seed)
{
	struct plan plan = {
		.card = {
			.units = 2,
			.eus = eus,
			.eu_blocks = 32,
			.ws_min = 1,
			.ws_opt = 1,
			.max_blocks = 64,
			.erase_cycles = 100000,
			.flags = VSL_SIM_SHUFFLE | VSL_SIM_REPORTS | flags,
			.seed = seed,
			.tear = { .program_old = 1, .program_new = 1,
				  .program_random = 1, .erase_done = 1 },
		},
		.format = { .sector_bytes = VSL_BLOCK_BYTES, .uuid = "regress" },
		.weight = { 10, 10, 10, 10, 1 },
		.load = {
			.kind = { [VSL_IO_READ] = 1, [VSL_IO_WRITE] = 9 },
			.spread = { [SPREAD_UNIFORM] = 1 },
			.depth = 4,
		},
	};
	struct vsl_limits limits;

	need(!world_limits(&plan.card, false, &limits), "the card is refused");
	plan.format.capacity_bytes = limits.advertised_bytes;
	*s = (struct scene){ .order = &order };
	rng_init(&s->rng, seed, 0, 0);
	s->world = world_create(&plan, seed, 0);
	scene_format(s, &plan.format);
	return s->world;
}

static void end(struct scene *s)
{
	world_destroy(s->world);
}

static void plant(struct world *w, const char *name, struct place place,
		  u32 count, u32 every)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = place.unit,
		.eu = place.eu,
		.block = place.block,
		.count = count,
		.every = every,
	};
	int err = vsl_sim_plant(w->sim, &fault);

	need(!err, "planting %s returns %d", name, err);
}

static const struct place anywhere = {
	VSL_SIM_ANY, VSL_SIM_ANY, VSL_SIM_ANY
};

/* One block, in a packet of its own. */
static void put(struct world *w, u32 lba)
{
	world_do(w, VSL_IO_WRITE, 0, (u64)lba * VSL_BLOCK_SECTORS,
		 VSL_BLOCK_SECTORS);
}

static void flush(struct world *w)
{
	world_do(w, VSL_IO_FLUSH, 0, 0, 0);
}

static void power_cycle(struct world *w)
{
	world_crash(w);
	world_power_on(w);
}

static void detach(struct world *w)
{
	u32 tag = oracle_begin(w->oracle, VSL_IO_FLUSH, 0, 0, 0);
	int err = world_detach(w);

	need(!err, "detach returns %d", err);
	oracle_end(w->oracle, tag, 0, NULL);
}

static bool is_read_only(const struct world *w)
{
	return vsl_core_health(w->core) == VSL_READ_ONLY;
}

/* ---- the cases --------------------------------------------------------------- */

/*
 * The flush before a summary fails: the packets it lists may get lost with the
 * power, so it must not be written.
 */
static void failed_flush_ends_nothing(void)
{
	struct scene s;
	struct world *w;
	u32 before, i;
	u64 seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		w = start(&s, VSL_SIM_VOLATILE, 64, seed);
		w->tolerant = true;
		before = forge_summaries(w->sim);
		plant(w, "flush-fail", anywhere, VSL_SIM_FOREVER, 1);
		for (i = 0; i < 500 && !is_read_only(w); i++)
			put(w, i % 50);
		need(is_read_only(w), "no flush was asked for");
		world_idle(w);
		need(forge_summaries(w->sim) == before,
		     "a summary was written though the flush before it failed");
		vsl_sim_heal(w->sim);
		power_cycle(w);
		scene_recover(&s, 0);
		end(&s);
	}
}

/* Who waits for a flush that fails is told. */
static void failed_flush_is_told(void)
{
	struct vsl_core_stats stats;
	struct scene s;
	struct world *w = start(&s, VSL_SIM_VOLATILE, 64, 1);

	w->tolerant = true;
	put(w, 1);
	plant(w, "flush-fail", anywhere, 1, 1);
	flush(w);
	vsl_core_stats(w->core, &stats);
	need(stats.health == VSL_READ_ONLY, "nobody saw that the flush failed");
	power_cycle(w);
	scene_recover(&s, 0);
	end(&s);
}

/* The log of three packets, the head of the second at @middle. */
static struct world *three_packets(struct scene *s, struct place *middle)
{
	struct world *w = start(s, 0, 64, 1);
	union block head;

	put(w, 10);
	put(w, 11);
	put(w, 12);
	need(forge_head(w->sim, 11, middle, &head), "the packet is not there");
	need(le32_to_cpu(head.head.index), "it is the first of its segment");
	return w;
}

/* A head that is read, and not the second time, ends no log by itself. */
static void head_unreadable_once(void)
{
	struct place middle;
	struct scene s;
	struct world *w = three_packets(&s, &middle);

	flush(w);
	power_cycle(w);
	plant(w, "read-lost", middle, 1, 2);
	scene_recover(&s, 0);
	end(&s);
}

/*
 * One that is never read the second time ends it: before the head, and for
 * good.  Nothing was flushed here, so the packets may be missing.
 */
static void head_unreadable_each_second_time(void)
{
	struct place middle;
	struct scene s;
	struct world *w = three_packets(&s, &middle);

	power_cycle(w);
	plant(w, "read-lost", middle, VSL_SIM_FOREVER, 2);
	scene_recover(&s, 0);
	need(!is_read_only(w), "the disk is read-only");
	vsl_sim_heal(w->sim);
	power_cycle(w);
	scene_recover(&s, 0);		/* P6: nothing comes back */
	put(w, 10);
	end(&s);
}

/* A segment table says of a segment full of data that it has no units. */
static void zero_units(struct world *w)
{
	union block root, page;
	struct vsl_disk_segment *entry = NULL;
	struct vsl_disk_ref *ref;
	struct place place;
	struct vsl_geo geo;
	u32 seg, bytes;

	need(forge_root(w->sim, &root), "there is no root");
	vsl_geo_init(&geo, &w->media->info);
	need(le32_to_cpu(root.root.nr_segtab) == 1, "the table has many pages");
	ref = (struct vsl_disk_ref *)(&root.root + 1) +
	      le32_to_cpu(root.root.nr_dir);
	place.unit = vsl_ppa_unit(&geo, le32_to_cpu(ref->ppa));
	place.eu = vsl_ppa_seg(&geo, le32_to_cpu(ref->ppa));
	place.block = vsl_ppa_off(&geo, le32_to_cpu(ref->ppa));
	forge_read(w->sim, &place, &page);
	bytes = sizeof(*entry) + geo.unit_bytes;
	for (seg = 0; seg < geo.segments; seg++) {
		entry = (struct vsl_disk_segment *)(page.byte + seg * bytes);
		if (le64_to_cpu(entry->alloc_no) > 2 &&
		    le32_to_cpu(entry->stream) < VSL_STREAM_MAP)
			break;
	}
	need(seg < geo.segments, "no segment of data is in the table");
	memset(entry + 1, 0, geo.unit_bytes);
	forge_write(w->sim, &place, &page);
	ref->crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, &page,
					       sizeof(page)));
	forge_put_root(w->sim, &root);
}

/* The groomer leaves such a segment alone. */
static void segment_without_units(void)
{
	struct scene s;
	struct world *w;
	u64 seed;

	for (seed = 1; seed <= 3; seed++) {
		w = start(&s, 0, 64, seed);
		world_fill(w, 900);
		detach(w);
		zero_units(w);
		scene_recover(&s, 0);
		world_run(w, 3000);
		world_audit(w);
		power_cycle(w);
		scene_recover(&s, 0);
		end(&s);
	}
}

/* The first blocks of segments do not take their programs. */
static const struct place first_block = { 0, VSL_SIM_ANY, 0 };

/*
 * Announcements get lost again and again, and roots have to make up for them.
 * They have room for 16; a checkpoint is asked for while its segments can still
 * be opened.  (After a crash the map has none that is open.)
 */
static void many_lost_announcements(void)
{
	struct scene s;
	struct world *w = start(&s, 0, 256, 1);
	struct vsl_sim_stats stats;
	u32 round, i;

	power_cycle(w);
	scene_recover(&s, 0);
	for (round = 0; round < 6; round++) {
		plant(w, "program-end", first_block, 12, 1);
		for (i = 0; i < SEGMENT_PUTS; i++)
			put(w, i);
		vsl_sim_heal(w->sim);
		world_idle(w);
		vsl_sim_stats(w->sim, &stats);
		need(stats.faults == 12 * (round + 1), "no segment was opened");
	}
	flush(w);
	power_cycle(w);
	scene_recover(&s, 0);
	end(&s);
}

/*
 * Announcements get lost for ever: the disk becomes read-only, with what was
 * flushed, and does not wear out its root lanes meanwhile.
 */
static void announcements_lost_for_ever(void)
{
	struct vsl_core_stats stats;
	struct scene s;
	struct world *w = start(&s, 0, 256, 1);
	u64 before;
	u32 i;

	put(w, 1);
	flush(w);
	power_cycle(w);
	scene_recover(&s, 0);
	w->tolerant = true;
	vsl_core_stats(w->core, &stats);
	before = stats.root_generation;
	plant(w, "program-end", first_block, VSL_SIM_FOREVER, 1);
	for (i = 0; i < SEGMENT_PUTS; i++)
		put(w, i);
	vsl_core_stats(w->core, &stats);
	need(stats.root_generation - before <= 2 * VSL_ROOT_JUMPS_MAX,
	     "%llu roots were written", stats.root_generation - before);
	need(is_read_only(w), "the disk is not read-only");
	vsl_sim_heal(w->sim);
	power_cycle(w);
	scene_recover(&s, 0);
	end(&s);
}

/*
 * The log begins in the middle of a segment whose first head is lost: what is
 * behind the beginning counts all the same.
 */
static void first_head_unreadable(void)
{
	struct place first;
	struct scene s;
	struct world *w = start(&s, 0, 64, 1);
	union block head, root;
	u32 lba;

	for (lba = 0; lba < 4; lba++)
		put(w, lba);
	need(forge_head(w->sim, 0, &first, &head), "the packet is not there");
	need(!le32_to_cpu(head.head.index), "it is not the first");
	detach(w);
	scene_recover(&s, 0);		/* goes on in that segment */
	put(w, 1);
	put(w, 5);
	flush(w);
	power_cycle(w);
	need(forge_root(w->sim, &root) &&
	     le32_to_cpu(root.root.start[head.head.stream].seg) == first.eu &&
	     le32_to_cpu(root.root.start[head.head.stream].index),
	     "the log does not begin inside that segment");
	need(!vsl_sim_poke(w->sim, first.unit, first.eu, first.block, NULL),
	     "the head cannot be lost");
	scene_recover(&s, 0);
	end(&s);
}

/*
 * A head that nobody wrote so claims that all packets of its append point are
 * whole, those behind it included.  They are looked at nevertheless.
 */
static void head_proves_too_much(bool all)
{
	struct place place, data;
	struct scene s;
	struct world *w = start(&s, 0, 64, 1);
	union block head, junk;
	struct vsl_geo geo;

	put(w, 1);
	put(w, 2);
	flush(w);
	put(w, 2);			/* may be lost */
	need(forge_head(w->sim, 2, &place, &head), "the packet is not there");
	power_cycle(w);
	vsl_geo_init(&geo, &w->media->info);
	data = place;			/* its data is on the other unit */
	data.unit = !place.unit;
	data.block += place.unit ? 1 : 0;
	memset(&junk, 0x5a, sizeof(junk));
	forge_write(w->sim, &data, &junk);
	if (all)
		head.head.stable_version = cpu_to_le64(~0ull);
	else
		head.head.stream_stable = cpu_to_le64(~0ull);
	forge_put_head(w->sim, &place, &head);
	scene_recover(&s, 0);
	put(w, 3);
	flush(w);
	power_cycle(w);
	scene_recover(&s, 0);
	end(&s);
}

static void stable_version_of_a_stranger(void)
{
	head_proves_too_much(true);
}

static void stream_stable_of_a_stranger(void)
{
	head_proves_too_much(false);
}

/*
 * A head with a right CRC trims the whole disk, 255 times.  No core writes more than
 * VSL_TRIM_BLOCKS in an entry: it is not believed, and costs no time.
 */
static void trims_out_of_proportion(void)
{
	struct place place;
	struct scene s;
	struct world *w = start(&s, 0, 256, 1);
	u32 blocks = w->core->geo.lba_blocks, i;
	union block head;

	need(blocks > VSL_TRIM_BLOCKS, "the disk is too small");
	put(w, 10);
	put(w, 11);
	put(w, blocks - 1);
	flush(w);
	need(forge_head(w->sim, 10, &place, &head), "the packet is not there");
	need(le16_to_cpu(head.head.nr_entries) == 1, "it is not alone");
	power_cycle(w);
	for (i = 1; i < VSL_PACKET_BLOCKS; i++) {
		head.head.entry[i].lba = cpu_to_le32(0);
		head.head.entry[i].arg = cpu_to_le32(blocks);
		/* no newer than the first, or it would be in doubt */
		head.head.entry[i].kind_delta =
			cpu_to_le32(VSL_ENTRY_TRIM << VSL_ENTRY_SHIFT);
	}
	head.head.nr_entries = cpu_to_le16(VSL_PACKET_BLOCKS);
	forge_put_head(w->sim, &place, &head);
	scene_recover(&s, 0);
	end(&s);
}

/* ---- running them ------------------------------------------------------------- */

static const struct {
	const char *text;
	void (*run)(void);
} cases[] = {
	{ "a failed flush lets no summary be written",
	  failed_flush_ends_nothing },
	{ "a failed flush is told to who waits for it", failed_flush_is_told },
	{ "a head that cannot be read once makes recovery start over",
	  head_unreadable_once },
	{ "a head that cannot be read again ends the log before it",
	  head_unreadable_each_second_time },
	{ "a segment without units is not groomed", segment_without_units },
	{ "a checkpoint comes before the room for jumps is gone",
	  many_lost_announcements },
	{ "no roots are written in vain when it is gone",
	  announcements_lost_for_ever },
	{ "a lost first head does not hide the log behind it",
	  first_head_unreadable },
	{ "a stable version that cannot be proves nothing",
	  stable_version_of_a_stranger },
	{ "nor does one of an append point", stream_stable_of_a_stranger },
	{ "a trim of more than an entry may ask for is none",
	  trims_out_of_proportion },
};

static bool run_case(u32 nr, struct slot *slot)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	memset(slot, 0, sizeof(*slot));
	pid = fork();
	if (!pid) {
		the_slot = slot;
		alarm(CASE_SECONDS);
		cases[nr].run();
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (status && !slot->text[0])
		snprintf(slot->text, sizeof(slot->text), "status 0x%x", status);
	return !status;
}

int main(int argc, char **argv)
{
	u32 only = argc > 1 ? strtoul(argv[1], NULL, 0) : 0, i, failed = 0;
	struct slot *slot;

	session_init();
	slot = mmap(NULL, sizeof(*slot), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (slot == MAP_FAILED)
		return 2;
	if (only) {		/* regress N: under a debugger, say */
		order.trace_from = argc > 2 ? 0 : EVERY_CUT;
		sim_tracing = argc > 2;
		cases[(only - 1) % ARRAY_SIZE(cases)].run();
		return 0;
	}
	printf("1..%u\n", (u32)ARRAY_SIZE(cases));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (run_case(i, slot)) {
			printf("ok %u - regress: %s\n", i + 1, cases[i].text);
			continue;
		}
		failed++;
		printf("not ok %u - regress: %s\n# %s\n", i + 1, cases[i].text,
		       slot->text);
	}
	return failed ? 1 : 0;
}
