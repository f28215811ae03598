// SPDX-License-Identifier: GPL-2.0-only
/* Must not compile: what no kernel has is seen to be missing. */
#include <linux/blk-mq.h>

int probe(void);
int probe(void)
{
	return blk_mq_does_not_exist_in_any_kernel();
}
