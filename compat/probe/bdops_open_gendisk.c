// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux 6.5: block_device_operations.open takes the disk and a blk_mode_t,
 * release the disk alone.
 */
#include <linux/blkdev.h>

static int probe_open(struct gendisk *disk, blk_mode_t mode)
{
	return 0;
}

static void probe_release(struct gendisk *disk)
{
}

extern const struct block_device_operations probe;
const struct block_device_operations probe = {
	.open = probe_open,
	.release = probe_release,
};
