/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * port.h - the one header through which the mapping core and the simulated
 * card see the world.
 *
 * "port_os.h" comes from the include path: driver/port/ in the kernel,
 * tools/port/ in user space.  Both give the names below and nothing else may
 * be used from outside by driver/core and by the shared part of driver/media:
 *
 *   types      u8 u16 u32 u64 s32 s64 __le16 __le32 __le64 bool size_t
 *   byte order cpu_to_le16/32/64, le16/32/64_to_cpu
 *   helpers    min, max, min_t, max_t, container_of, ARRAY_SIZE, DIV_ROUND_UP,
 *              round_up, round_down (power of two), static_assert,
 *              READ_ONCE, WRITE_ONCE, likely, unlikely, __printf
 *   lists      struct list_head with LIST_HEAD_INIT, INIT_LIST_HEAD, list_add,
 *              list_add_tail, list_del, list_del_init, list_empty,
 *              list_first_entry, list_first_entry_or_null, list_next_entry,
 *              list_for_each_entry, list_for_each_entry_safe,
 *              list_splice_tail_init, list_move_tail
 *   memory     memcpy memset memcmp memmove
 *   bits       ilog2 (of a u32/u64 above 0), hweight8
 *   errno      the E... constants; every error is a negative one
 *
 * The kernel and user space give the functions declared here.
 */
#ifndef VSL_CORE_PORT_H
#define VSL_CORE_PORT_H

#include "port_os.h"

/* One mapped block, everywhere: on the media, in the map, in a buffer. */
#define VSL_BLOCK_SHIFT		12
#define VSL_BLOCK_BYTES		4096u
#define VSL_SECTOR_BYTES	512u
#define VSL_BLOCK_SECTORS	8u

/**
 * vsl_port_alloc() - zeroed memory of any size, for attach and format only
 * @bytes: how much
 *
 * Context: process context, may sleep.
 * Return: the memory, or NULL.
 */
void *vsl_port_alloc(size_t bytes);

/** vsl_port_free() - give vsl_port_alloc() memory back; NULL is fine */
void vsl_port_free(void *mem);

/**
 * vsl_port_block_alloc() - one block-sized, block-aligned, DMA-able buffer
 *
 * Context: process context, may sleep.
 * Return: the buffer (contents undefined), or NULL.
 */
void *vsl_port_block_alloc(void);

/** vsl_port_block_free() - give vsl_port_block_alloc() memory back; NULL is fine */
void vsl_port_block_free(void *block);

/** vsl_port_crc32c() - CRC32C (Castagnoli) without final inversion of @seed */
u32 vsl_port_crc32c(u32 seed, const void *buf, size_t bytes);

/** vsl_port_now_ns() - monotonic time; virtual in the simulator */
u64 vsl_port_now_ns(void);

/*
 * vsl_atomic: a counter that may be changed without the core's lock.  Every
 * operation is a full memory barrier on both sides.
 *
 *   struct vsl_atomic; vsl_atomic_inc(), vsl_atomic_dec_return(),
 *   vsl_atomic_read(), vsl_atomic_set()
 */

/*
 * VSL_ASSERT(cond): a broken invariant.  Fatal in tests; in the kernel it
 * warns once.  The caller goes on, so it must be able to.
 */

#endif /* VSL_CORE_PORT_H */
