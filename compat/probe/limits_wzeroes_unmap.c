// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.17: how far write zeroes also unmaps. */
#include <linux/blkdev.h>

void probe(struct queue_limits *lim);
void probe(struct queue_limits *lim)
{
	lim->max_hw_wzeroes_unmap_sectors = 8;
}
