// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux 6.14: a queue says by a feature bit that its atomic write limits are
 * meant.
 */
#include <linux/blkdev.h>

void probe(struct queue_limits *lim);
void probe(struct queue_limits *lim)
{
	lim->features = BLK_FEAT_ATOMIC_WRITES;
}
