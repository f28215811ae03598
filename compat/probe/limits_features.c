// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux 6.11: write cache, FUA, rotation and others are bits of
 * queue_limits.features; the setters are gone.
 */
#include <linux/blkdev.h>

void probe(struct queue_limits *lim);
void probe(struct queue_limits *lim)
{
	lim->features = BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
}
