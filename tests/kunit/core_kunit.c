// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_kunit.c - the mapping core in the kernel, run by the driver's pump.
 *
 * What the simulator in user space cannot see: real locks and interrupts, many
 * tasks at once, operations that end inside submit() or in a hard interrupt, and
 * the kernel's checkers looking on.
 *
 * A model keeps the age of every sector; sectors are filled so that their content
 * tells it (pattern.h).  Each case runs for every kind of card in rig.c.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "core/format.h"
#include "pattern.h"
#include "rig.h"

#define RUN_SECTORS	48u	/* longest request of the random ones */
#define AREA_SECTORS	1600u	/* of the disk, used by the random ones */
#define STEPS		250u
#define CUTS		3u	/* for each kind of card */
#define FLUSHED_MAX	40u	/* writes before the flush in those */
#define VECS		12u
#define LATE_WRITES	6u	/* under way when the power goes */
#define LATE_SLOTS	(AREA_SECTORS / 16 / LATE_WRITES)

/* ---- the model ----------------------------------------------------------- */

/* What the disk must hold; ages of sectors [0, AREA_SECTORS). */
struct model {
	struct kunit *test;
	struct rig *rig;
	struct rnd_state rnd;
	u32 age[AREA_SECTORS];
	u32 newest;
	bool always_fua;
	u8 *buf;		/* of RUN_SECTORS, and room to be misaligned */
};

static u32 below(struct model *model, u32 limit)
{
	return prandom_u32_state(&model->rnd) % limit;
}

static struct model *model_create(struct kunit *test, struct rig *rig, u64 seed)
{
	struct model *model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, model);
	model->buf = kunit_kzalloc(test, (RUN_SECTORS + 1) * VSL_SECTOR_BYTES,
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, model->buf);
	model->test = test;
	model->rig = rig;
	prandom_seed_state(&model->rnd, seed);
	return model;
}

static void set_age(struct model *model, u32 from, u32 to, u32 age)
{
	while (from < to)
		model->age[from++] = age;
}

/* Cut @bytes at random places, all multiples of a sector, into pieces. */
static u32 cut_up(struct model *model, u8 *base, u32 sectors,
		  struct vsl_vec *vec)
{
	u32 nr, part;

	for (nr = 0; sectors; nr++) {
		part = nr == VECS - 1 ? sectors : 1 + below(model, sectors);
		vec[nr].base = base;
		vec[nr].bytes = part * VSL_SECTOR_BYTES;
		base += vec[nr].bytes;
		sectors -= part;
	}
	return nr;
}

/* A read or a write of the buffer, in pieces that begin anywhere. */
static int transfer(struct model *model, u8 kind, u32 sector, u32 nr, u8 *base)
{
	struct vsl_vec vec[VECS];
	struct rig_io io = { };

	io.io.kind = kind;
	io.io.sector = sector;
	io.io.nr_sectors = nr;
	io.io.vec = vec;
	io.io.nr_vecs = cut_up(model, base, nr, vec);
	if (kind == VSL_IO_WRITE && (model->always_fua || !below(model, 8)))
		io.io.flags = VSL_IO_FUA;
	rig_start(model->rig, &io);
	wait_for_completion(&io.done);
	return io.io.error;
}

static void write_some(struct model *model, u32 sector, u32 nr)
{
	u8 *base = model->buf + below(model, 64) * 8;

	model->newest++;
	pattern_fill(base, sector, nr, model->newest);
	KUNIT_ASSERT_EQ(model->test, 0,
			transfer(model, VSL_IO_WRITE, sector, nr, base));
	set_age(model, sector, sector + nr, model->newest);
}

static void check_some(struct model *model, u32 sector, u32 nr)
{
	u8 *base = model->buf + below(model, 64) * 8;
	u32 i;

	memset(model->buf, 0x5a, (RUN_SECTORS + 1) * VSL_SECTOR_BYTES);
	KUNIT_ASSERT_EQ(model->test, 0,
			transfer(model, VSL_IO_READ, sector, nr, base));
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ_MSG(model->test, model->age[sector + i],
				    pattern_age(base + i * VSL_SECTOR_BYTES,
						sector + i),
				    "sector %u", sector + i);
}

static void check_all(struct model *model)
{
	u32 at;

	for (at = 0; at < AREA_SECTORS; at += 40)
		check_some(model, at, 40);
}

static void zero_some(struct model *model, u32 sector, u32 nr)
{
	KUNIT_ASSERT_EQ(model->test, 0, rig_do(model->rig, VSL_IO_ZERO, 0,
					       sector, nr, NULL));
	set_age(model, sector, sector + nr, 0);
}

/* Whole blocks inside the range read zeros; the rest stays as it was. */
static void trim_some(struct model *model, u32 sector, u32 nr)
{
	KUNIT_ASSERT_EQ(model->test, 0, rig_do(model->rig, VSL_IO_TRIM, 0,
					       sector, nr, NULL));
	set_age(model, round_up(sector, VSL_BLOCK_SECTORS),
		round_down(sector + nr, VSL_BLOCK_SECTORS), 0);
}

static void flush(struct model *model)
{
	KUNIT_ASSERT_EQ(model->test, 0,
			rig_do(model->rig, VSL_IO_FLUSH, 0, 0, 0, NULL));
}

static void step(struct model *model)
{
	u32 sector = below(model, AREA_SECTORS - RUN_SECTORS);
	u32 nr = 1 + below(model, RUN_SECTORS);

	switch (below(model, 16)) {
	case 0:
		flush(model);
		break;
	case 1:
		zero_some(model, sector, nr);
		break;
	case 2:
		trim_some(model, sector, nr);
		break;
	case 3 ... 8:
		check_some(model, sector, nr);
		break;
	default:
		write_some(model, sector, nr);
	}
}

/* ---- parameters ---------------------------------------------------------- */

static const void *card_gen_params(const void *prev, char *desc)
{
	const struct rig_card *card = prev;

	card = card ? card + 1 : rig_cards;
	if (card == rig_cards + rig_nr_cards)
		return NULL;
	strscpy(desc, card->name, KUNIT_PARAM_DESC_SIZE);
	return card;
}

static bool has_hole(struct kunit *test)
{
	const struct rig_card *card = test->param_value;

	return card->hole;
}

static struct rig *attached_rig(struct kunit *test, u32 flags)
{
	struct rig *rig = rig_create(test, test->param_value, 7);

	KUNIT_ASSERT_EQ(test, 0, rig_format(rig, 512));
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, flags));
	return rig;
}

/* ---- cases --------------------------------------------------------------- */

static void blank_card_is_not_formatted(struct kunit *test)
{
	struct rig *rig = rig_create(test, test->param_value, 1);
	struct vsl_label label = { .formatted = true };

	KUNIT_EXPECT_EQ(test, 0, rig_probe(rig, &label));
	KUNIT_EXPECT_FALSE(test, label.formatted);
	KUNIT_EXPECT_EQ(test, -ENODATA, rig_attach(rig, 0));
	KUNIT_EXPECT_EQ(test, -ENODATA, rig_attach(rig, VSL_ATTACH_RESCAN));
	KUNIT_EXPECT_PTR_EQ(test, NULL, rig->pump.core);
}

static void format_is_what_was_asked(struct kunit *test)
{
	static const u32 sizes[] = { 512, 4096 };
	struct rig *rig = rig_create(test, test->param_value, 1);
	u64 generation = 0;
	struct vsl_label label;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_ASSERT_EQ(test, 0, rig_format(rig, sizes[i]));
		memset(&label, 0, sizeof(label));
		KUNIT_ASSERT_EQ(test, 0, rig_probe(rig, &label));
		KUNIT_EXPECT_TRUE(test, label.formatted);
		KUNIT_EXPECT_TRUE(test, label.clean);
		KUNIT_EXPECT_EQ(test, VSL_FORMAT_VERSION, label.version);
		KUNIT_EXPECT_EQ(test, sizes[i], label.sector_bytes);
		KUNIT_EXPECT_EQ(test, 1234567890, label.label_ts);
		KUNIT_EXPECT_EQ(test, 5, label.uuid[4]);
		KUNIT_EXPECT_GT(test, label.generation, generation);
		generation = label.generation;
		KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, 0));
		KUNIT_EXPECT_EQ(test, label.capacity_bytes,
				vsl_core_capacity_sectors(rig->core) *
				VSL_SECTOR_BYTES);
		KUNIT_EXPECT_EQ(test, 0, rig_detach(rig));
	}
	KUNIT_EXPECT_EQ(test, -EINVAL, rig_format(rig, 1024));
}

static void random_requests_agree_with_the_model(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 11);
	u32 i;

	for (i = 0; i < STEPS; i++)
		step(model);
	check_all(model);
	KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));

	KUNIT_ASSERT_EQ(test, 0, rig_detach(rig));
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, VSL_ATTACH_CLEAN_ONLY));
	check_all(model);
	for (i = 0; i < STEPS / 4; i++)
		step(model);
	check_all(model);
	KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));
}

static void overwriting_again_and_again_is_groomed(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 13);
	struct vsl_core_stats stats;
	u32 blocks, i, at;

	spin_lock_irq(&rig->pump.lock);
	vsl_core_stats(rig->core, &stats);
	spin_unlock_irq(&rig->pump.lock);
	blocks = stats.segments * stats.segment_blocks;
	for (i = 0; i < blocks / 5; i++) {
		at = below(model, AREA_SECTORS / RUN_SECTORS) * RUN_SECTORS;
		write_some(model, at, RUN_SECTORS);
	}
	check_all(model);
	KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));
	spin_lock_irq(&rig->pump.lock);
	vsl_core_stats(rig->core, &stats);
	spin_unlock_irq(&rig->pump.lock);
	KUNIT_EXPECT_GT(test, stats.media_host_blocks, blocks);
	KUNIT_EXPECT_EQ(test, VSL_HEALTHY, stats.health);
}

static void ranges_outside_the_disk_are_refused(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	u64 end = vsl_core_capacity_sectors(rig->core);
	u8 *mem = kunit_kzalloc(test, 16 * VSL_SECTOR_BYTES, GFP_KERNEL);
	u8 kind;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	for (kind = VSL_IO_READ; kind <= VSL_IO_ZERO; kind++) {
		void *data = kind <= VSL_IO_WRITE ? mem : NULL;

		KUNIT_EXPECT_EQ(test, 0,
				rig_do(rig, kind, 0, end - 8, 8, data));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				rig_do(rig, kind, 0, end - 8, 9, data));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				rig_do(rig, kind, 0, end, 1, data));
		KUNIT_EXPECT_EQ(test, -EINVAL,
				rig_do(rig, kind, 0, U64_MAX - 3, 8, data));
	}
}

static void unreadable_is_an_error_and_nothing_else(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 17);

	write_some(model, 0, 40);
	KUNIT_ASSERT_EQ(test, 0, rig_detach(rig));
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, 0));

	rig_fault(rig, "read-lost", VSL_SIM_FOREVER, 1);
	KUNIT_EXPECT_EQ(test, -EIO,
			rig_do(rig, VSL_IO_READ, 0, 8, 8, model->buf));
	KUNIT_EXPECT_EQ(test, -EIO,
			rig_do(rig, VSL_IO_READ, 0, 3, 2, model->buf));
	check_some(model, 400, 40);	/* never written: zeros */
	vsl_sim_heal(rig->sim);
}

static void transient_errors_are_not_seen(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 19);
	u32 i;

	for (i = 0; i < 10; i++) {
		rig_fault(rig, "read-transient", 1, 1);
		rig_fault(rig, "program-transient", 1, 0);
		write_some(model, i * 40, 40);
		flush(model);
		check_some(model, i * 40, 40);
	}
	vsl_sim_heal(rig->sim);
	check_all(model);
	KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));
}

static void read_only_never_writes(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 23);
	struct vsl_sim_stats before, after;

	write_some(model, 0, 40);
	KUNIT_ASSERT_EQ(test, 0, rig_detach(rig));
	vsl_sim_stats(rig->sim, &before);

	/* What lies in a read hole can only be read after writing behind it. */
	if (has_hole(test)) {
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
				rig_attach(rig, VSL_ATTACH_READ_ONLY));
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, VSL_ATTACH_READ_ONLY));
	check_all(model);
	KUNIT_EXPECT_EQ(test, -EROFS,
			rig_do(rig, VSL_IO_WRITE, 0, 0, 8, model->buf));
	KUNIT_EXPECT_EQ(test, -EROFS,
			rig_do(rig, VSL_IO_TRIM, 0, 0, 8, NULL));
	KUNIT_EXPECT_EQ(test, -EROFS,
			rig_do(rig, VSL_IO_ZERO, 0, 0, 8, NULL));
	KUNIT_EXPECT_EQ(test, 0, rig_do(rig, VSL_IO_FLUSH, 0, 0, 0, NULL));
	check_all(model);
	rig_detach(rig);
	vsl_sim_stats(rig->sim, &after);
	KUNIT_EXPECT_EQ(test, before.program_ops, after.program_ops);
	KUNIT_EXPECT_EQ(test, before.erase_ops, after.erase_ops);
}

/* ---- power cuts ---------------------------------------------------------- */

/* A write that may be under way when the power goes. */
struct late_write {
	struct rig_io rio;
	struct vsl_vec vec;
	u32 sector;
	u32 age;
	u8 mem[16 * VSL_SECTOR_BYTES];
};

/* Number @i of them: no two meet, for either could win then. */
static struct late_write *start_late_write(struct model *model, u32 i)
{
	struct late_write *late = kunit_kzalloc(model->test, sizeof(*late),
						GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(model->test, late);
	late->sector = (i * LATE_SLOTS + below(model, LATE_SLOTS)) * 16;
	late->age = ++model->newest;
	pattern_fill(late->mem, late->sector, 16, late->age);
	late->vec.base = late->mem;
	late->vec.bytes = sizeof(late->mem);
	late->rio.io.kind = VSL_IO_WRITE;
	late->rio.io.sector = late->sector;
	late->rio.io.nr_sectors = 16;
	late->rio.io.vec = &late->vec;
	late->rio.io.nr_vecs = 1;
	rig_start(model->rig, &late->rio);
	return late;
}

/* P1, P2: what was flushed, or something newer that was really written here. */
static void check_after_cut(struct model *model, const u32 *oldest)
{
	u8 *mem = model->buf;
	u32 at, i, age;

	for (at = 0; at < AREA_SECTORS; at += 40) {
		KUNIT_ASSERT_EQ(model->test, 0,
				rig_do(model->rig, VSL_IO_READ, 0, at, 40, mem));
		for (i = 0; i < 40; i++) {
			age = pattern_age(mem + i * VSL_SECTOR_BYTES, at + i);
			KUNIT_ASSERT_NE_MSG(model->test, age, PATTERN_WRONG,
					    "sector %u", at + i);
			KUNIT_ASSERT_GE_MSG(model->test, age, oldest[at + i],
					    "sector %u", at + i);
			KUNIT_ASSERT_LE_MSG(model->test, age, model->newest,
					    "sector %u", at + i);
			model->age[at + i] = age;
		}
	}
}

/* What makes a write durable. */
enum durable {
	BY_FLUSH,	/* a flush after it */
	BY_FUA,		/* its own flag */
	BY_STRICT,	/* how the card was attached */
};

/* Durable writes, writes that nobody waits for, and the power goes. */
static void work_and_cut(struct model *model, enum durable durable)
{
	struct late_write *late[LATE_WRITES];
	u32 i, end;

	model->always_fua = durable == BY_FUA;
	end = 1 + below(model, FLUSHED_MAX);
	for (i = 0; i < end; i++)
		write_some(model, below(model, AREA_SECTORS - RUN_SECTORS),
			   1 + below(model, RUN_SECTORS));
	if (durable == BY_FLUSH)
		flush(model);
	for (i = 0; i < ARRAY_SIZE(late); i++)
		late[i] = start_late_write(model, i);
	if (below(model, 2))
		usleep_range(50, 2000);
	rig_cut(model->rig);
	for (i = 0; i < ARRAY_SIZE(late); i++) {
		wait_for_completion(&late[i]->rio.done);
		if (late[i]->rio.io.error)
			KUNIT_EXPECT_EQ(model->test, -ENODEV,
					late[i]->rio.io.error);
		else if (durable == BY_STRICT)
			set_age(model, late[i]->sector, late[i]->sector + 16,
				max(model->age[late[i]->sector], late[i]->age));
	}
}

static void cut_and_recover(struct kunit *test, enum durable durable)
{
	u32 flags = durable == BY_STRICT ? VSL_ATTACH_STRICT_SYNC : 0;
	struct rig *rig = attached_rig(test, flags);
	struct model *model = model_create(test, rig, 29);
	u32 *oldest = model->age;
	struct vsl_label label = { };
	u32 cut;

	for (cut = 0; cut < CUTS; cut++) {
		vsl_sim_seed(rig->sim, cut);
		work_and_cut(model, durable);
		rig_power_on(rig);
		KUNIT_EXPECT_EQ(test, 0, rig_probe(rig, &label));
		KUNIT_EXPECT_FALSE(test, label.clean);
		KUNIT_EXPECT_EQ(test, -EBUSY,
				rig_attach(rig, VSL_ATTACH_CLEAN_ONLY));
		KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, flags));
		check_after_cut(model, oldest);
		KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));
	}
	KUNIT_EXPECT_EQ(test, 0, rig_detach(rig));
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, VSL_ATTACH_CLEAN_ONLY));
	check_all(model);
}

static void flushed_survives_a_power_cut(struct kunit *test)
{
	cut_and_recover(test, BY_FLUSH);
}

static void fua_survives_a_power_cut(struct kunit *test)
{
	cut_and_recover(test, BY_FUA);
}

static void strict_sync_survives_a_power_cut(struct kunit *test)
{
	cut_and_recover(test, BY_STRICT);
}

static void recovering_again_gives_the_same(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 31);
	u32 flags = has_hole(test) ? 0 : VSL_ATTACH_READ_ONLY;
	u32 i;

	work_and_cut(model, BY_FLUSH);
	rig_power_on(rig);
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, flags));
	check_after_cut(model, model->age);
	for (i = 0; i < 3; i++) {
		rig_cut(rig);
		rig_power_on(rig);
		KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, i ? 0 : flags));
		check_all(model);
	}
}

static void without_power_everything_ends(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct model *model = model_create(test, rig, 37);

	write_some(model, 0, 40);
	flush(model);
	vsl_sim_cut(rig->sim);
	KUNIT_EXPECT_EQ(test, -ENODEV, rig_do(rig, VSL_IO_WRITE, VSL_IO_FUA, 0,
					      8, model->buf));
	/* Now the core knows, also about what it has in memory. */
	KUNIT_EXPECT_EQ(test, -ENODEV,
			rig_do(rig, VSL_IO_READ, 0, 0, 8, model->buf));
	KUNIT_EXPECT_EQ(test, -ENODEV,
			rig_do(rig, VSL_IO_READ, 0, 400, 8, model->buf));
	KUNIT_EXPECT_EQ(test, -ENODEV,
			rig_do(rig, VSL_IO_FLUSH, 0, 0, 0, NULL));
	rig_cut(rig);
	KUNIT_EXPECT_EQ(test, -ENODEV, rig_format(rig, 512));
	KUNIT_EXPECT_EQ(test, -ENODEV, rig_attach(rig, 0));
	rig_power_on(rig);
	KUNIT_ASSERT_EQ(test, 0, rig_attach(rig, 0));
	check_all(model);
}

/* ---- a root that is not for us ------------------------------------------- */

/* Change every root on the card as @change does, its CRC made right again. */
static void change_roots(struct rig *rig,
			 void (*change)(struct vsl_disk_root *root))
{
	const struct vsl_sim_config *config = vsl_sim_config(rig->sim);
	struct vsl_disk_root *root = kunit_kmalloc(rig->test, VSL_BLOCK_BYTES,
						   GFP_KERNEL);
	u32 unit, eu, block, found = 0;

	KUNIT_ASSERT_NOT_NULL(rig->test, root);
	for (unit = 0; unit < config->units; unit++)
		for (eu = 0; eu < 8; eu++)
			for (block = 0; block < config->eu_blocks; block++) {
				if (vsl_sim_peek(rig->sim, unit, eu, block,
						 root) ||
				    root->magic != cpu_to_le64(VSL_ROOT_MAGIC))
					continue;
				change(root);
				root->crc = 0;
				root->crc = cpu_to_le32(vsl_port_crc32c
					(VSL_CRC_SEED, root,
					 le32_to_cpu(root->bytes)));
				vsl_sim_poke(rig->sim, unit, eu, block, root);
				found++;
			}
	KUNIT_ASSERT_GE(rig->test, found, 2);
}

static void into_the_future(struct vsl_disk_root *root)
{
	root->format = cpu_to_le32(VSL_FORMAT_VERSION + 1);
}

static void to_another_geometry(struct vsl_disk_root *root)
{
	root->eus = cpu_to_le32(le32_to_cpu(root->eus) + 1);
}

static void as_it_is(struct vsl_disk_root *root)
{
}

static void spoiled(struct vsl_disk_root *root)
{
	root->magic = 0;
}

static const struct root_change {
	const char *name;
	void (*change)(struct vsl_disk_root *root);
	int probe;
	int attach;
} root_changes[] = {
	{ "as it is", as_it_is, 0, 0 },
	{ "from the future", into_the_future, -EPROTO, -EPROTO },
	{ "of another geometry", to_another_geometry, -EMEDIUMTYPE,
	  -EMEDIUMTYPE },
	{ "not a root any more", spoiled, 0, -ENODATA },
};

KUNIT_ARRAY_PARAM_DESC(root_change, root_changes, name);

static void foreign_roots_are_recognised(struct kunit *test)
{
	const struct root_change *foreign = test->param_value;
	struct rig *rig = rig_create(test, &rig_cards[0], 1);
	struct vsl_label label = { };

	KUNIT_ASSERT_EQ(test, 0, rig_format(rig, 4096));
	change_roots(rig, foreign->change);
	KUNIT_EXPECT_EQ(test, foreign->probe, rig_probe(rig, &label));
	if (foreign->probe == -EPROTO)
		KUNIT_EXPECT_EQ(test, VSL_FORMAT_VERSION + 1, label.version);
	KUNIT_EXPECT_EQ(test, foreign->attach, rig_attach(rig, 0));
}

static void unreadable_roots_are_an_error(struct kunit *test)
{
	struct rig *rig = rig_create(test, &rig_cards[0], 1);
	struct vsl_label label = { };

	KUNIT_ASSERT_EQ(test, 0, rig_format(rig, 4096));
	rig_fault(rig, "unit-dead", VSL_SIM_FOREVER, 0);
	KUNIT_EXPECT_EQ(test, -EIO, rig_probe(rig, &label));
	KUNIT_EXPECT_EQ(test, -EIO, rig_attach(rig, 0));
	vsl_sim_heal(rig->sim);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, rig_attach(rig, VSL_ATTACH_RESCAN));
	KUNIT_EXPECT_EQ(test, 0, rig_attach(rig, 0));
}

/* ---- capacities ---------------------------------------------------------- */

static void capacities_outside_the_limits_are_refused(struct kunit *test)
{
	struct rig *rig = rig_create(test, &rig_cards[0], 1);
	struct vsl_media *media = vsl_sim_media(rig->sim);
	struct vsl_format format = { .sector_bytes = 512 };
	struct vsl_limits limits;
	u32 i;

	KUNIT_ASSERT_EQ(test, 0, vsl_core_limits(media, &limits));
	KUNIT_EXPECT_LE(test, limits.advertised_bytes, limits.max_bytes);
	KUNIT_EXPECT_LT(test, limits.max_bytes, limits.physical_bytes);
	for (i = 0; i < 5; i++) {
		const struct {
			u64 bytes;
			bool over;
			int error;
		} tries[] = {
			{ (1 << 20) - 4096, false, -ERANGE },
			{ 1 << 20, false, 0 },
			{ limits.advertised_bytes, false, 0 },
			{ limits.max_bytes, true, 0 },
			{ limits.max_bytes + 4096, true, -ERANGE },
		};

		format.capacity_bytes = tries[i].bytes;
		format.overformat = tries[i].over;
		KUNIT_EXPECT_EQ_MSG(test, tries[i].error,
				    vsl_core_format(media, &rig->env, &format),
				    "try %u", i);
		vsl_pump_stop(&rig->pump);
	}
	if (limits.max_bytes > limits.advertised_bytes) {
		format.capacity_bytes = limits.advertised_bytes + 4096;
		format.overformat = false;
		KUNIT_EXPECT_EQ(test, -ERANGE,
				vsl_core_format(media, &rig->env, &format));
		vsl_pump_stop(&rig->pump);
	}
}

/* ---- many at once -------------------------------------------------------- */

#define WORKERS		4u
#define WORKER_SECTORS	200u

struct worker {
	struct rig *rig;
	u32 number;
	u32 wrong;
	struct completion done;
};

static int work_alone(struct worker *worker, u8 *mem, u32 age)
{
	u32 from = worker->number * WORKER_SECTORS;
	u32 at = from + age * 7 % (WORKER_SECTORS - 16);
	u32 i;
	int ret;

	pattern_fill(mem, at, 16, age);
	ret = rig_do(worker->rig, VSL_IO_WRITE, 0, at, 16, mem);
	if (!ret && age % 8 == 0)
		ret = rig_do(worker->rig, VSL_IO_FLUSH, 0, 0, 0, NULL);
	memset(mem, 0x5a, 16 * VSL_SECTOR_BYTES);
	if (!ret)
		ret = rig_do(worker->rig, VSL_IO_READ, 0, at, 16, mem);
	for (i = 0; !ret && i < 16; i++)
		if (pattern_age(mem + i * VSL_SECTOR_BYTES, at + i) != age)
			ret = -EBADMSG;
	return ret;
}

static int worker_thread(void *ctx)
{
	struct worker *worker = ctx;
	u8 *mem = kmalloc(16 * VSL_SECTOR_BYTES, GFP_KERNEL);
	u32 age;

	if (!mem)
		worker->wrong++;
	for (age = 1; mem && age <= 100; age++)
		if (work_alone(worker, mem, age))
			worker->wrong++;
	kfree(mem);
	complete(&worker->done);
	return 0;
}

static void tasks_do_not_disturb_each_other(struct kunit *test)
{
	struct rig *rig = attached_rig(test, 0);
	struct worker workers[WORKERS] = { };
	struct task_struct *task;
	u32 i;

	for (i = 0; i < WORKERS; i++) {
		workers[i].rig = rig;
		workers[i].number = i;
		init_completion(&workers[i].done);
		task = kthread_run(worker_thread, &workers[i], "vsl_rig/%u", i);
		if (IS_ERR(task)) {
			workers[i].wrong++;
			complete(&workers[i].done);
		}
	}
	for (i = 0; i < WORKERS; i++) {
		wait_for_completion(&workers[i].done);
		KUNIT_EXPECT_EQ(test, 0, workers[i].wrong);
	}
	KUNIT_EXPECT_EQ(test, 0, rig_audit(rig));
	KUNIT_EXPECT_EQ(test, 0, rig_detach(rig));
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE_PARAM(blank_card_is_not_formatted, card_gen_params),
	KUNIT_CASE_PARAM(format_is_what_was_asked, card_gen_params),
	KUNIT_CASE_PARAM(random_requests_agree_with_the_model, card_gen_params),
	KUNIT_CASE_PARAM(overwriting_again_and_again_is_groomed,
			 card_gen_params),
	KUNIT_CASE_PARAM(ranges_outside_the_disk_are_refused, card_gen_params),
	KUNIT_CASE_PARAM(unreadable_is_an_error_and_nothing_else,
			 card_gen_params),
	KUNIT_CASE_PARAM(transient_errors_are_not_seen, card_gen_params),
	KUNIT_CASE_PARAM(read_only_never_writes, card_gen_params),
	KUNIT_CASE_PARAM(flushed_survives_a_power_cut, card_gen_params),
	KUNIT_CASE_PARAM(fua_survives_a_power_cut, card_gen_params),
	KUNIT_CASE_PARAM(strict_sync_survives_a_power_cut, card_gen_params),
	KUNIT_CASE_PARAM(recovering_again_gives_the_same, card_gen_params),
	KUNIT_CASE_PARAM(without_power_everything_ends, card_gen_params),
	KUNIT_CASE_PARAM(foreign_roots_are_recognised, root_change_gen_params),
	KUNIT_CASE(unreadable_roots_are_an_error),
	KUNIT_CASE(capacities_outside_the_limits_are_refused),
	KUNIT_CASE_PARAM(tasks_do_not_disturb_each_other, card_gen_params),
	{ }
};

static struct kunit_suite core_suite = {
	.name = "openvsl_core",
	.test_cases = core_cases,
};

kunit_test_suite(core_suite);
