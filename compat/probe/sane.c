// SPDX-License-Identifier: GPL-2.0-only
/* Must compile: the compiler and the headers fit together. */
#include <linux/module.h>
#include <linux/blk-mq.h>

int probe(struct request *rq);
int probe(struct request *rq)
{
	blk_mq_start_request(rq);
	return 0;
}
