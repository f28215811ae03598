// SPDX-License-Identifier: GPL-2.0-only
/*
 * port.c - the functions of core/port.h, kernel side.
 *
 * Memory comes in two kinds.  Tables are asked for at attach and format, can be
 * gigabytes and need not be contiguous.  Blocks are what the media reads and
 * programs: 4 KiB, aligned to their size, contiguous and within reach of DMA.
 */
#include "../core/port.h"

#include <linux/crc32c.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/*
 * A table that does not fit is an error for one caller and no reason to kill
 * another: reclaim tries hard, but the OOM killer is left alone.
 */
#define TABLE_GFP	(GFP_KERNEL | __GFP_ZERO | __GFP_RETRY_MAYFAIL | \
			 __GFP_NOWARN)

void *vsl_port_alloc(size_t bytes)
{
	/*
	 * kvmalloc() refuses them, whatever there is.  Some kernels know fewer
	 * flags here: they warn once and leave out what they do not know.
	 */
	if (bytes > INT_MAX)
		return __vmalloc(bytes, TABLE_GFP);
	return kvmalloc(bytes, TABLE_GFP);
}

void vsl_port_free(void *mem)
{
	kvfree(mem);
}

void *vsl_port_block_alloc(void)
{
	if (PAGE_SIZE == VSL_BLOCK_BYTES)
		return (void *)__get_free_page(GFP_KERNEL);
	return kmalloc(VSL_BLOCK_BYTES, GFP_KERNEL);
}

void vsl_port_block_free(void *block)
{
	if (PAGE_SIZE == VSL_BLOCK_BYTES)
		free_page((unsigned long)block);
	else
		kfree(block);
}

u32 vsl_port_crc32c(u32 seed, const void *buf, size_t bytes)
{
	return crc32c(seed, buf, bytes);
}

u64 vsl_port_now_ns(void)
{
	return ktime_to_ns(ktime_get());
}
