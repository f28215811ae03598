// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.11: atomic writes in the queue's limits. */
#include <linux/blkdev.h>

void probe(struct queue_limits *lim);
void probe(struct queue_limits *lim)
{
	lim->atomic_write_hw_max = 4096;
	lim->atomic_write_hw_boundary = 0;
	lim->atomic_write_hw_unit_min = 512;
	lim->atomic_write_hw_unit_max = 4096;
}
