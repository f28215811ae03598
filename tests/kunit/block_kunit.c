// SPDX-License-Identifier: GPL-2.0-only
/*
 * block_kunit.c - driver/block.c: the disk as the block layer sees it.
 *
 * Goal: the limits say what the core can take, every errno has its status, and
 * requests of any shape that the limits allow bring the right bytes.  block.c is
 * included, so that what is static can be seen.  A warning of it is counted where
 * a case asks for it, and is a warning everywhere else.
 */
#include <kunit/test.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "compat/blk.h"

#include "attach.h"
#include "block.h"
#include "card.h"
#include "pattern.h"
#include "report.h"
#include "simcards.h"
#include "stage.h"
#include "trace.h"

static bool counting;
static u32 counted;

static bool note_warning(bool is_bad)
{
	if (is_bad && counting)
		counted++;
	WARN_ON(is_bad && !counting);
	return is_bad;
}

#pragma push_macro("WARN_ON_ONCE")
#undef WARN_ON_ONCE
#define WARN_ON_ONCE(condition)	note_warning(condition)
#include "../../driver/block.c"
#pragma pop_macro("WARN_ON_ONCE")

/* ---- for the other suites ------------------------------------------------ */

struct file *stage_open(struct kunit *test, struct vsl_card *card)
{
	struct file *file;

	file = bdev_file_open_by_dev(disk_devt(card->disk->gd),
				     BLK_OPEN_READ | BLK_OPEN_WRITE, NULL,
				     NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, file);
	return file;
}

int stage_write(struct file *file)
{
	struct bio *bio = bio_alloc(file_bdev(file), 1, REQ_OP_WRITE | REQ_FUA,
				    GFP_KERNEL);
	int ret;

	__bio_add_page(bio, ZERO_PAGE(0), VSL_BLOCK_BYTES, 0);
	ret = submit_bio_wait(bio);
	bio_put(bio);
	return ret;
}

void stage_close(struct file *file)
{
	__fput_sync(file);
}

/* ---- what errors become -------------------------------------------------- */

static const struct status_case {
	const char *name;
	int error;
	blk_status_t status;
} status_cases[] = {
	{ "no error", 0, BLK_STS_OK },
	{ "-EIO", -EIO, BLK_STS_MEDIUM },
	{ "-EROFS", -EROFS, BLK_STS_IOERR },
	{ "-ENODEV", -ENODEV, BLK_STS_IOERR },
	{ "-EINVAL", -EINVAL, BLK_STS_NOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(status_case, status_cases, name);

static void errno_has_its_status(struct kunit *test)
{
	const struct status_case *expected = test->param_value;

	KUNIT_EXPECT_EQ(test, (__force u32)expected->status,
			(__force u32)errno_to_status(expected->error));
}

/* Nor may any become one that makes the block layer try again for ever. */
static void no_errno_is_success(struct kunit *test)
{
	int error;

	for (error = 1; error <= MAX_ERRNO; error++) {
		blk_status_t status = errno_to_status(-error);

		if (status == BLK_STS_IOERR || status == BLK_STS_NOTSUPP ||
		    status == BLK_STS_MEDIUM)
			continue;
		KUNIT_FAIL(test, "-%d becomes %u", error, (__force u32)status);
	}
}

static const struct kind_case {
	const char *name;
	u32 op;
	int kind;
} kind_cases[] = {
	{ "read", REQ_OP_READ, VSL_IO_READ },
	{ "write", REQ_OP_WRITE, VSL_IO_WRITE },
	{ "write with flags", REQ_OP_WRITE | REQ_FUA | REQ_SYNC, VSL_IO_WRITE },
	{ "flush", REQ_OP_FLUSH, VSL_IO_FLUSH },
	{ "discard", REQ_OP_DISCARD, VSL_IO_TRIM },
	{ "write zeroes", REQ_OP_WRITE_ZEROES, VSL_IO_ZERO },
	{ "secure erase", REQ_OP_SECURE_ERASE, -EOPNOTSUPP },
	{ "zone append", REQ_OP_ZONE_APPEND, -EOPNOTSUPP },
	{ "zone reset", REQ_OP_ZONE_RESET, -EOPNOTSUPP },
	{ "driver's in", REQ_OP_DRV_IN, -EOPNOTSUPP },
	{ "driver's out", REQ_OP_DRV_OUT, -EOPNOTSUPP },
};

KUNIT_ARRAY_PARAM_DESC(kind_case, kind_cases, name);

static void operation_has_its_kind(struct kunit *test)
{
	const struct kind_case *expected = test->param_value;
	struct request *rq = kunit_kzalloc(test, sizeof(*rq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rq);
	rq->cmd_flags = (__force blk_opf_t)expected->op;
	KUNIT_EXPECT_EQ(test, expected->kind, io_kind(rq));
}

/* ---- names --------------------------------------------------------------- */

static const struct name_case {
	const char *name;
	u32 number;
} name_cases[] = {
	{ "fioa", 0 },
	{ "fiob", 1 },
	{ "fioz", 25 },
	{ "fioaa", 26 },
	{ "fioaz", 51 },
	{ "fioba", 52 },
	{ "fioiv", 255 },
	{ "fiozz", 701 },
	{ "fioaaa", 702 },
};

KUNIT_ARRAY_PARAM_DESC(name_case, name_cases, name);

static void number_has_its_name(struct kunit *test)
{
	const struct name_case *expected = test->param_value;
	struct gendisk *gd = kunit_kzalloc(test, sizeof(*gd), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gd);
	name_disk(gd, expected->number);
	KUNIT_EXPECT_STREQ(test, expected->name, gd->disk_name);
}

/* ---- limits -------------------------------------------------------------- */

static const struct disk_case {
	const char *name;
	const char *preset;
	u32 sector_bytes;
	int strict;		/* parameter strict_sync */
	bool write_cache;	/* expected */
	u32 flags;		/* of attach */
} disk_cases[] = {
	{ "512", "tiny", 512, -1, true, 0 },
	{ "4096", "tiny", 4096, -1, true, 0 },
	{ "512, strict", "tiny", 512, 1, false, 0 },
	{ "4096, protected", "slc160", 4096, -1, false, 0 },
	{ "4096, protected, not strict", "slc160", 4096, 0, true, 0 },
	{ "512, volatile", "oc20", 512, -1, true, 0 },
	{ "512, read-only", "tiny", 512, -1, true, VSL_ATTACH_READ_ONLY },
};

KUNIT_ARRAY_PARAM_DESC(disk_case, disk_cases, name);

static struct vsl_card *disk_of_case(struct kunit *test)
{
	const struct disk_case *disk = test->param_value;
	struct vsl_card *card = stage_card(test, disk->preset);
	int ret;

	KUNIT_ASSERT_EQ(test, 0, stage_format(card, disk->sector_bytes));
	vsl_strict_sync = disk->strict;
	ret = vsl_card_attach(card, disk->flags);
	vsl_strict_sync = -1;
	KUNIT_ASSERT_EQ(test, 0, ret);
	return card;
}

static void limits_say_what_the_core_takes(struct kunit *test)
{
	const struct disk_case *disk = test->param_value;
	struct vsl_card *card = disk_of_case(test);
	struct gendisk *gd = card->disk->gd;
	const struct queue_limits *lim = &gd->queue->limits;

	KUNIT_EXPECT_EQ(test, disk->sector_bytes, lim->logical_block_size);
	KUNIT_EXPECT_EQ(test, 4096, lim->physical_block_size);
	KUNIT_EXPECT_EQ(test, 4096, lim->io_min);
	KUNIT_EXPECT_EQ(test, 0, lim->io_opt % 4096);
	KUNIT_EXPECT_EQ(test, VSL_IO_MAX_SECTORS, lim->max_hw_sectors);
	KUNIT_EXPECT_LE(test, lim->max_sectors, VSL_IO_MAX_SECTORS);
	KUNIT_EXPECT_LE(test, lim->max_segments, VSL_IO_MAX_VECS);
	/* 512 KiB in pages, at any offset. */
	KUNIT_EXPECT_GE(test, lim->max_segments, 129);
	KUNIT_EXPECT_EQ(test, UINT_MAX, lim->max_segment_size);
	KUNIT_EXPECT_EQ(test, 511, lim->dma_alignment);
	KUNIT_EXPECT_EQ(test, 4096, lim->discard_granularity);
	KUNIT_EXPECT_EQ(test, 0, lim->discard_alignment);
	KUNIT_EXPECT_GE(test, lim->max_hw_discard_sectors, 1 << 22);
	KUNIT_EXPECT_GE(test, lim->max_write_zeroes_sectors, 1 << 22);
	KUNIT_EXPECT_EQ(test, disk->write_cache,
			bdev_write_cache(gd->part0));
	KUNIT_EXPECT_EQ(test, disk->write_cache, bdev_fua(gd->part0));
	KUNIT_EXPECT_TRUE(test, bdev_nonrot(gd->part0));
	KUNIT_EXPECT_FALSE(test, lim->features & BLK_FEAT_ADD_RANDOM);
	KUNIT_EXPECT_EQ(test, !!(disk->flags & VSL_ATTACH_READ_ONLY),
			get_disk_ro(gd));
}

static void size_is_that_of_the_core(struct kunit *test)
{
	const struct disk_case *disk = test->param_value;
	struct vsl_card *card = disk_of_case(test);

	KUNIT_EXPECT_EQ(test, vsl_core_capacity_sectors(card->core),
			get_capacity(card->disk->gd));
	KUNIT_EXPECT_EQ(test, card->found.capacity_bytes,
			get_capacity(card->disk->gd) << SECTOR_SHIFT);
	KUNIT_EXPECT_EQ(test, disk->sector_bytes, card->found.sector_bytes);
	KUNIT_EXPECT_STREQ(test, vsl_disk_name(card->disk),
			   card->disk->gd->disk_name);
}

static void atomic_limits_are_those_of_the_core(struct kunit *test)
{
	const struct disk_case *disk = test->param_value;
	struct vsl_card *card = disk_of_case(test);
	const struct queue_limits *lim = &card->disk->gd->queue->limits;
	u32 blocks = vsl_core_atomic_blocks(card->core);

	KUNIT_EXPECT_TRUE(test, is_power_of_2(lim->atomic_write_hw_unit_max));
	KUNIT_EXPECT_LE(test, lim->atomic_write_hw_max / VSL_BLOCK_BYTES,
			blocks - 1);
	KUNIT_EXPECT_EQ(test, disk->sector_bytes,
			lim->atomic_write_hw_unit_min);
	KUNIT_EXPECT_EQ(test, lim->atomic_write_hw_max,
			lim->atomic_write_hw_unit_max);
	KUNIT_EXPECT_GE(test, lim->atomic_write_unit_max, 4096);
}

/* ---- requests of any shape ----------------------------------------------- */

/*
 * A bio made of pieces: @nr of @bytes each, @gap apart in memory, the first at
 * offset @offset of a page.
 */
static const struct bio_shape {
	const char *name;
	u32 nr;
	u32 bytes;
	u32 gap;
	u32 offset;
	u32 sector;
} bio_shapes[] = {
	{ "one page", 1, 4096, 0, 0, 0 },
	{ "one block across two pages", 1, 4096, 0, 512, 8 },
	{ "one block at an odd address", 1, 4096, 0, 1536, 8 },
	{ "neighbours become one", 16, 4096, 0, 0, 64 },
	{ "pieces that are no neighbours", 16, 4096, 4096, 0, 64 },
	{ "pieces in odd places", 30, 4096, 512, 2560, 16 },
	{ "largest", 128, 4096, 0, 0, 0 },
	{ "largest, no neighbours", 128, 4096, 512, 512, 0 },
	{ "more than fits one request", 200, 4096, 512, 512, 8 },
};

/* The same for disks with sectors of 512 bytes. */
static const struct bio_shape small_shapes[] = {
	{ "one sector", 1, 512, 0, 0, 1 },
	{ "one sector at the end of a page", 1, 512, 0, 3584, 7 },
	{ "sectors across a block", 5, 512, 512, 0, 6 },
	{ "128 single sectors", 128, 512, 512, 0, 3 },
	{ "more pieces than fit one request", 250, 512, 512, 512, 5 },
	{ "odd everything", 37, 1536, 1024, 2560, 13 },
};

static void add_piece(struct kunit *test, struct bio *bio, void *at, u32 bytes)
{
	u32 part;

	/* A piece of a bio lies in one page, or in neighbours of one folio. */
	for (; bytes; bytes -= part, at += part) {
		part = min_t(u32, bytes, PAGE_SIZE - offset_in_page(at));
		KUNIT_ASSERT_EQ(test, part,
				bio_add_page(bio, virt_to_page(at), part,
					     offset_in_page(at)));
	}
}

static int do_bio(struct kunit *test, struct block_device *bdev, u32 opf,
		  const struct bio_shape *shape, u8 *mem)
{
	struct bio *bio = bio_alloc(bdev, min(shape->nr * 2, BIO_MAX_VECS),
				    (__force blk_opf_t)opf, GFP_KERNEL);
	u8 *at = mem + shape->offset;
	u32 i;
	int ret;

	bio->bi_iter.bi_sector = shape->sector;
	for (i = 0; i < shape->nr; i++) {
		add_piece(test, bio, at, shape->bytes);
		at += shape->bytes + shape->gap;
	}
	ret = submit_bio_wait(bio);
	bio_put(bio);
	return ret;
}

static void fill_pieces(const struct bio_shape *shape, u8 *mem, u32 age)
{
	u32 per_piece = shape->bytes / VSL_SECTOR_BYTES;
	u8 *at = mem + shape->offset;
	u32 i;

	for (i = 0; i < shape->nr; i++) {
		pattern_fill(at, shape->sector + i * per_piece, per_piece, age);
		at += shape->bytes + shape->gap;
	}
}

/* Every sector of every piece, and nothing between them. */
static void check_pieces(struct kunit *test, const struct bio_shape *shape,
			 u8 *mem, u32 age)
{
	u32 per_piece = shape->bytes / VSL_SECTOR_BYTES, i, k, wrong = 0;
	u8 *at = mem + shape->offset;

	wrong += !!memchr_inv(mem, 0x5a, shape->offset);
	for (i = 0; i < shape->nr; i++) {
		for (k = 0; k < per_piece; k++, at += VSL_SECTOR_BYTES)
			wrong += pattern_age(at, shape->sector +
					     i * per_piece + k) != age;
		wrong += !!memchr_inv(at, 0x5a, shape->gap);
		at += shape->gap;
	}
	KUNIT_EXPECT_EQ_MSG(test, 0, wrong, "%s", shape->name);
}

static void try_shape(struct kunit *test, struct block_device *bdev,
		      const struct bio_shape *shape, u32 age)
{
	u32 bytes = shape->offset + shape->nr * (shape->bytes + shape->gap);
	u32 order = get_order(bytes);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, order);

	KUNIT_EXPECT_NOT_NULL(test, mem);
	if (!mem)
		return;
	fill_pieces(shape, mem, age);
	KUNIT_EXPECT_EQ_MSG(test, 0, do_bio(test, bdev, REQ_OP_WRITE, shape,
					    mem), "%s", shape->name);
	memset(mem, 0x5a, bytes);
	KUNIT_EXPECT_EQ_MSG(test, 0, do_bio(test, bdev, REQ_OP_READ, shape,
					    mem), "%s", shape->name);
	check_pieces(test, shape, mem, age);
	free_pages((unsigned long)mem, order);
}

static void requests_of_any_shape_are_right(struct kunit *test)
{
	const struct disk_case *disk = test->param_value;
	struct vsl_card *card = disk_of_case(test);
	struct file *file;
	u32 i;

	if (disk->flags & VSL_ATTACH_READ_ONLY) {
		kunit_skip(test, "nothing can be written");
		return;
	}
	file = stage_open(test, card);
	for (i = 0; i < ARRAY_SIZE(bio_shapes); i++)
		try_shape(test, file_bdev(file), &bio_shapes[i], i + 1);
	for (i = 0; i < ARRAY_SIZE(small_shapes); i++)
		if (disk->sector_bytes == 512)
			try_shape(test, file_bdev(file), &small_shapes[i],
				  i + 100);
	stage_close(file);
	KUNIT_EXPECT_EQ(test, 0, vsl_card_audit(card));
}

/* A request of @nr single sectors, none beside the one before in memory. */
static bool map_pieces(struct kunit *test, u32 nr, struct cmd *cmd)
{
	struct bio_vec *table = kunit_kzalloc(test, nr * sizeof(*table),
					      GFP_KERNEL);
	struct request *rq = kunit_kzalloc(test, sizeof(*rq), GFP_KERNEL);
	struct bio bio;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_ASSERT_NOT_NULL(test, rq);
	bio_init(&bio, NULL, table, nr, REQ_OP_READ);
	for (i = 0; i < nr; i++)
		__bio_add_page(&bio, ZERO_PAGE(0), VSL_SECTOR_BYTES,
			       i % 2 * 2 * VSL_SECTOR_BYTES);
	rq->bio = &bio;
	return map_memory(rq, cmd);
}

static void what_has_too_many_pieces_is_refused(struct kunit *test)
{
	struct cmd *cmd = kunit_kzalloc(test, sizeof(*cmd), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, cmd);
	counted = 0;
	counting = true;
	KUNIT_EXPECT_TRUE(test, map_pieces(test, VECS_MAX, cmd));
	KUNIT_EXPECT_EQ(test, 0, counted);
	KUNIT_EXPECT_EQ(test, VECS_MAX, cmd->io.nr_vecs);
	KUNIT_EXPECT_FALSE(test, map_pieces(test, VECS_MAX + 1, cmd));
	KUNIT_EXPECT_EQ(test, 1, counted);
	counting = false;
}

/* ---- requests without data ----------------------------------------------- */

#define SPAN_SECTORS	64u

static const struct bio_shape span = { "span", 8, 4096, 0, 0, 0 };

/* Sectors [from, to) of the span must read zeros, the others as they were. */
static void expect_hole(struct kunit *test, struct block_device *bdev, u8 *mem,
			u32 from, u32 to)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, 0, do_bio(test, bdev, REQ_OP_READ, &span, mem));
	for (i = 0; i < SPAN_SECTORS; i++)
		KUNIT_EXPECT_EQ_MSG(test, i >= from && i < to ? 0 : 1,
				    pattern_age(mem + i * VSL_SECTOR_BYTES, i),
				    "sector %u", i);
}

static void write_span(struct kunit *test, struct block_device *bdev, u8 *mem)
{
	fill_pieces(&span, mem, 1);
	KUNIT_EXPECT_EQ(test, 0, do_bio(test, bdev, REQ_OP_WRITE | REQ_FUA,
					&span, mem));
}

static void zeroes_and_discards_read_zeros(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL, 3);
	struct block_device *bdev;
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	file = stage_open(test, card);
	bdev = file_bdev(file);
	write_span(test, bdev, mem);
	KUNIT_EXPECT_EQ(test, 0, blkdev_issue_discard(bdev, 8, 16, GFP_KERNEL));
	expect_hole(test, bdev, mem, 8, 24);

	/* Only whole blocks are discarded; the block layer may see to it. */
	write_span(test, bdev, mem);
	KUNIT_EXPECT_EQ(test, 0, blkdev_issue_discard(bdev, 5, 22, GFP_KERNEL));
	expect_hole(test, bdev, mem, 8, 24);

	/* Zeroes are to the sector. */
	write_span(test, bdev, mem);
	KUNIT_EXPECT_EQ(test, 0, blkdev_issue_zeroout(bdev, 5, 22, GFP_KERNEL,
						      BLKDEV_ZERO_NOFALLBACK));
	expect_hole(test, bdev, mem, 5, 27);
	KUNIT_EXPECT_EQ(test, 0, blkdev_issue_flush(bdev));
	stage_close(file);
	free_pages((unsigned long)mem, 3);
	KUNIT_EXPECT_EQ(test, 0, vsl_card_audit(card));
}

static void whole_disk_can_be_discarded_at_once(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 4096);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL, 3);
	struct vsl_core_stats stats;
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	file = stage_open(test, card);
	write_span(test, file_bdev(file), mem);
	vsl_card_stats(card, &stats);
	KUNIT_EXPECT_EQ(test, 8, stats.mapped_blocks);
	KUNIT_EXPECT_EQ(test, 0, blkdev_issue_discard
			(file_bdev(file), 0, bdev_nr_sectors(file_bdev(file)),
			 GFP_KERNEL));
	expect_hole(test, file_bdev(file), mem, 0, SPAN_SECTORS);
	vsl_card_stats(card, &stats);
	KUNIT_EXPECT_EQ(test, 0, stats.mapped_blocks);
	stage_close(file);
	free_pages((unsigned long)mem, 3);
}

static void requests_are_counted(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 4096);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL, 3);
	u64 reads, writes, more_reads, more_writes;
	struct file *file;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	file = stage_open(test, card);
	vsl_disk_count(card->disk, &reads, &writes);
	for (i = 0; i < 3; i++)
		write_span(test, file_bdev(file), mem);
	expect_hole(test, file_bdev(file), mem, 0, 0);
	vsl_disk_count(card->disk, &more_reads, &more_writes);
	/* udev may read, too, but nobody else writes. */
	KUNIT_EXPECT_GE(test, more_reads, reads + 1);
	KUNIT_EXPECT_EQ(test, more_writes, writes + 3);
	stage_close(file);
	free_pages((unsigned long)mem, 3);
}

/* ---- errors, open and close ---------------------------------------------- */

static void dead_disk_gives_errors(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 4096);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL, 3);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	file = stage_open(test, card);
	write_span(test, file_bdev(file), mem);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -EIO, do_bio(test, file_bdev(file), REQ_OP_READ,
					   &span, mem));
	KUNIT_EXPECT_EQ(test, -EIO, do_bio(test, file_bdev(file), REQ_OP_WRITE,
					   &span, mem));
	stage_close(file);
	free_pages((unsigned long)mem, 3);
}

static void unreadable_block_is_an_error(struct kunit *test)
{
	struct openvsl_sim_fault fault = {
		.name = "read-lost",
		.unit = U32_MAX,
		.eu = U32_MAX,
		.block = U32_MAX,
		.count = U32_MAX,
		.value = 1,
	};
	struct vsl_card *card = stage_attached(test, "tiny", 4096);
	u8 *mem = (u8 *)__get_free_pages(GFP_KERNEL, 3);
	struct file *file;

	KUNIT_ASSERT_NOT_NULL(test, mem);
	file = stage_open(test, card);
	write_span(test, file_bdev(file), mem);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_fault(card, &fault));
	/* Of the media, and not of the path to it. */
	KUNIT_EXPECT_EQ(test, -ENODATA, do_bio(test, file_bdev(file),
					       REQ_OP_READ, &span, mem));
	fault.count = 0;
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_fault(card, &fault));
	expect_hole(test, file_bdev(file), mem, 0, 0);
	stage_close(file);
	free_pages((unsigned long)mem, 3);
}

static void nobody_gets_in_once_it_is_closed(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	struct vsl_disk *disk = card->disk;
	struct file *file;

	file = stage_open(test, card);
	KUNIT_EXPECT_TRUE(test, vsl_disk_is_open(disk));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_disk_close(disk));
	/* Failing to close it shuts nobody out. */
	stage_close(stage_open(test, card));
	stage_close(file);

	while (vsl_disk_close(disk) == -EBUSY)
		cond_resched();
	KUNIT_EXPECT_FALSE(test, vsl_disk_is_open(disk));
	KUNIT_EXPECT_EQ(test, 0, vsl_disk_close(disk));
	file = bdev_file_open_by_dev(disk_devt(disk->gd), BLK_OPEN_READ, NULL,
				     NULL);
	KUNIT_EXPECT_EQ(test, -ENXIO, PTR_ERR_OR_ZERO(file));
	if (!IS_ERR(file))
		stage_close(file);
}

static void disk_can_become_read_only(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	struct file *file;

	KUNIT_EXPECT_FALSE(test, get_disk_ro(card->disk->gd));
	vsl_disk_set_read_only(card->disk);
	KUNIT_EXPECT_TRUE(test, get_disk_ro(card->disk->gd));
	file = stage_open(test, card);
	KUNIT_EXPECT_TRUE(test, bdev_read_only(file_bdev(file)));
	stage_close(file);
}

static struct kunit_case block_cases[] = {
	KUNIT_CASE_PARAM(errno_has_its_status, status_case_gen_params),
	KUNIT_CASE(no_errno_is_success),
	KUNIT_CASE_PARAM(operation_has_its_kind, kind_case_gen_params),
	KUNIT_CASE_PARAM(number_has_its_name, name_case_gen_params),
	KUNIT_CASE_PARAM(limits_say_what_the_core_takes, disk_case_gen_params),
	KUNIT_CASE_PARAM(size_is_that_of_the_core, disk_case_gen_params),
	KUNIT_CASE_PARAM(atomic_limits_are_those_of_the_core,
			 disk_case_gen_params),
	KUNIT_CASE_PARAM(requests_of_any_shape_are_right, disk_case_gen_params),
	KUNIT_CASE(what_has_too_many_pieces_is_refused),
	KUNIT_CASE(zeroes_and_discards_read_zeros),
	KUNIT_CASE(whole_disk_can_be_discarded_at_once),
	KUNIT_CASE(requests_are_counted),
	KUNIT_CASE(dead_disk_gives_errors),
	KUNIT_CASE(unreadable_block_is_an_error),
	KUNIT_CASE(nobody_gets_in_once_it_is_closed),
	KUNIT_CASE(disk_can_become_read_only),
	{ }
};

static struct kunit_suite block_suite = {
	.name = "openvsl_block",
	.suite_init = stage_init,
	.suite_exit = stage_exit,
	.test_cases = block_cases,
};

kunit_test_suite(block_suite);
