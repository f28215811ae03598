// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.14: BLK_MQ_F_SHOULD_MERGE is gone, always merging. */
#include <linux/blk-mq.h>

int probe = BLK_MQ_F_SHOULD_MERGE;
