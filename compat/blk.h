/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blk.h - <linux/blkdev.h> and <linux/blk-mq.h> as of the newest kernel.
 *
 * Two things cannot be said in the newest kernel's words on an old one, and are
 * seams: how a disk's limits are given (struct compat_disk_limits), and what
 * .open and .release get (compat_open_target, COMPAT_RELEASE_ARGS).
 */
#ifndef VSL_COMPAT_BLK_H
#define VSL_COMPAT_BLK_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>

#include "compat/generated.h"

#if !VSL_HAVE_MQ_F_SHOULD_MERGE
#define BLK_MQ_F_SHOULD_MERGE	0
#endif

/**
 * struct compat_disk_limits - what a disk can do, for any kernel
 * @logical_bytes: logical block size
 * @physical_bytes: physical block size, also the smallest good request
 * @io_opt_bytes: best request
 * @max_hw_sectors: largest request
 * @max_segments: pieces of memory in a request; their length is not limited
 * @discard_bytes: granularity of discard; ranges are not limited, the same for
 *	write zeroes, which also unmaps
 * @atomic_bytes: largest atomic write, a power of two; 0 for none
 * @write_cache: flushes and FUA mean something
 *
 * Also said: memory aligned to 512 bytes is fine, not rotational, no source of
 * randomness.
 */
struct compat_disk_limits {
	u32 logical_bytes;
	u32 physical_bytes;
	u32 io_opt_bytes;
	u32 max_hw_sectors;
	u16 max_segments;
	u32 discard_bytes;
	u32 atomic_bytes;
	bool write_cache;
};

#define COMPAT_NO_LIMIT_SECTORS	(UINT_MAX >> SECTOR_SHIFT)
#define COMPAT_DMA_ALIGN_MASK	(SECTOR_SIZE - 1)

#if VSL_HAVE_ALLOC_DISK_LIMITS

static inline void compat_limits_common(struct queue_limits *lim,
					const struct compat_disk_limits *want)
{
	lim->logical_block_size = want->logical_bytes;
	lim->physical_block_size = want->physical_bytes;
	lim->io_min = want->physical_bytes;
	lim->io_opt = want->io_opt_bytes;
	lim->max_hw_sectors = want->max_hw_sectors;
	lim->max_segments = want->max_segments;
	lim->max_segment_size = UINT_MAX;
	lim->dma_alignment = COMPAT_DMA_ALIGN_MASK;
	lim->discard_granularity = want->discard_bytes;
	lim->max_hw_discard_sectors = COMPAT_NO_LIMIT_SECTORS;
	lim->max_write_zeroes_sectors = COMPAT_NO_LIMIT_SECTORS;
#if VSL_HAVE_LIMITS_WZEROES_UNMAP
	lim->max_hw_wzeroes_unmap_sectors = COMPAT_NO_LIMIT_SECTORS;
#endif
}

static inline void compat_limits_atomic(struct queue_limits *lim,
					const struct compat_disk_limits *want)
{
#if VSL_HAVE_LIMITS_ATOMIC_WRITE
	lim->atomic_write_hw_max = want->atomic_bytes;
	lim->atomic_write_hw_unit_min = want->logical_bytes;
	lim->atomic_write_hw_unit_max = want->atomic_bytes;
#endif
#if VSL_HAVE_FEAT_ATOMIC_WRITES
	lim->features |= BLK_FEAT_ATOMIC_WRITES;
#endif
}

/* Setters of 6.9 and 6.10; a bit of the limits from 6.11 on. */
static inline void compat_limits_cache(struct queue_limits *lim, bool on)
{
#if VSL_HAVE_LIMITS_FEATURES
	if (on)
		lim->features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
#endif
}

static inline void compat_queue_flags(struct request_queue *q, bool cache)
{
#if !VSL_HAVE_LIMITS_FEATURES
	blk_queue_write_cache(q, cache, cache);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
#endif
}

static inline struct gendisk *
compat_disk_alloc(struct blk_mq_tag_set *set, void *queuedata,
		  const struct compat_disk_limits *want)
{
	struct queue_limits lim = { };
	struct gendisk *disk;

	compat_limits_common(&lim, want);
	compat_limits_atomic(&lim, want);
	compat_limits_cache(&lim, want->write_cache);
	disk = blk_mq_alloc_disk(set, &lim, queuedata);
	if (!IS_ERR(disk))
		compat_queue_flags(disk->queue, want->write_cache);
	return disk;
}

#else /* a setter for each limit */

static inline void compat_queue_limits(struct request_queue *q,
				       const struct compat_disk_limits *want)
{
	blk_queue_logical_block_size(q, want->logical_bytes);
	blk_queue_physical_block_size(q, want->physical_bytes);
	blk_queue_io_min(q, want->physical_bytes);
	blk_queue_io_opt(q, want->io_opt_bytes);
	blk_queue_max_hw_sectors(q, want->max_hw_sectors);
	blk_queue_max_segments(q, want->max_segments);
	blk_queue_max_segment_size(q, UINT_MAX);
	blk_queue_dma_alignment(q, COMPAT_DMA_ALIGN_MASK);
	q->limits.discard_granularity = want->discard_bytes;
	blk_queue_max_discard_sectors(q, COMPAT_NO_LIMIT_SECTORS);
	blk_queue_max_write_zeroes_sectors(q, COMPAT_NO_LIMIT_SECTORS);
	blk_queue_write_cache(q, want->write_cache, want->write_cache);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
}

static inline struct gendisk *
compat_disk_alloc(struct blk_mq_tag_set *set, void *queuedata,
		  const struct compat_disk_limits *want)
{
	struct gendisk *disk = blk_mq_alloc_disk(set, queuedata);

	if (!IS_ERR(disk))
		compat_queue_limits(disk->queue, want);
	return disk;
}

#endif

/*
 * compat_open_target: what .open gets, of which compat_open_disk() is the disk.
 * COMPAT_RELEASE_ARGS: the parameters of .release, of which gd is the disk.
 */
#if VSL_HAVE_BDOPS_OPEN_GENDISK

#define compat_open_target	struct gendisk
#define COMPAT_RELEASE_ARGS	struct gendisk *gd

static inline struct gendisk *compat_open_disk(struct gendisk *disk)
{
	return disk;
}

#else

#define blk_mode_t	fmode_t

#define compat_open_target	struct block_device
#define COMPAT_RELEASE_ARGS	struct gendisk *gd, fmode_t mode

static inline struct gendisk *compat_open_disk(struct block_device *bdev)
{
	return bdev->bd_disk;
}

#endif

#endif /* VSL_COMPAT_BLK_H */
