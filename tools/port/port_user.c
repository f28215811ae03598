// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * port_user.c - the functions of driver/core/port.h in user space.
 *
 * Time is virtual: whoever runs the core moves vsl_port_clock_ns.  Memory can
 * be made to fail at the n-th allocation, and what was not given back is
 * counted, so that a test can walk every failure of an attach.
 */
#include "../../driver/core/port.h"

#include <stdio.h>
#include <stdlib.h>

u64 vsl_port_clock_ns;
u64 vsl_port_fail_after;
u64 vsl_port_allocs;
u64 vsl_port_allocs_live;
void (*vsl_port_assert_hook)(const char *cond, const char *file, int line);

void vsl_port_assert_failed(const char *cond, const char *file, int line)
{
	if (vsl_port_assert_hook) {
		vsl_port_assert_hook(cond, file, line);
		return;
	}
	fflush(stdout);
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, cond);
	abort();
}

/* True when this allocation is the one that is to fail. */
static bool must_fail(void)
{
	vsl_port_allocs++;
	return vsl_port_fail_after && --vsl_port_fail_after == 0;
}

static void *count(void *mem)
{
	if (mem)
		vsl_port_allocs_live++;
	return mem;
}

void *vsl_port_alloc(size_t bytes)
{
	if (must_fail())
		return NULL;
	return count(calloc(1, bytes ? bytes : 1));
}

void vsl_port_free(void *mem)
{
	if (mem)
		vsl_port_allocs_live--;
	free(mem);
}

/*
 * Blocks that were given back are kept for the next who wants one: a simulator
 * that attaches thousands of times a second would spend a third of its time in
 * malloc().  Sanitizers are to see each block come and go.
 */
#define KEEP_BLOCKS	4096u

#ifdef __has_feature		/* clang's way to say so */
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
static const bool keeps;
#else
static const bool keeps = true;
#endif

static __thread void *kept[KEEP_BLOCKS];
static __thread u32 nr_kept;

void *vsl_port_block_alloc(void)
{
	if (must_fail())
		return NULL;
	return count(nr_kept ? kept[--nr_kept] :
		     aligned_alloc(VSL_BLOCK_BYTES, VSL_BLOCK_BYTES));
}

void vsl_port_block_free(void *block)
{
	if (!block || !keeps || nr_kept == KEEP_BLOCKS) {
		vsl_port_free(block);
		return;
	}
	vsl_port_allocs_live--;
	kept[nr_kept++] = block;
}

u64 vsl_port_now_ns(void)
{
	return READ_ONCE(vsl_port_clock_ns);
}

/* ---- CRC32C ------------------------------------------------------------ */

#define CRC32C_POLY	0x82f63b78u	/* Castagnoli, reflected */

static u32 crc_table[8][256];

static void crc_table_init(void)
{
	u32 n, bit, crc;

	for (n = 0; n < 256; n++) {
		crc = n;
		for (bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? CRC32C_POLY : 0);
		crc_table[0][n] = crc;
	}
	for (n = 0; n < 256; n++)
		for (bit = 1; bit < 8; bit++)
			crc_table[bit][n] = (crc_table[bit - 1][n] >> 8) ^
				crc_table[0][crc_table[bit - 1][n] & 0xff];
}

/* Eight bytes a step. */
static u32 crc32c_table(u32 crc, const u8 *p, size_t bytes)
{
	while (bytes >= 8) {
		crc ^= (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 |
		       (u32)p[3] << 24;
		crc = crc_table[7][crc & 0xff] ^
		      crc_table[6][(crc >> 8) & 0xff] ^
		      crc_table[5][(crc >> 16) & 0xff] ^
		      crc_table[4][crc >> 24] ^
		      crc_table[3][p[4]] ^ crc_table[2][p[5]] ^
		      crc_table[1][p[6]] ^ crc_table[0][p[7]];
		p += 8;
		bytes -= 8;
	}
	while (bytes--)
		crc = (crc >> 8) ^ crc_table[0][(crc ^ *p++) & 0xff];
	return crc;
}

#ifdef __x86_64__

/*
 * The instruction takes 3 cycles but one can start every cycle, so three
 * stretches are run side by side and put together by a table that moves a CRC
 * over a stretch of zeros.
 */
#define LANE	1360u			/* 3 lanes fit a block; multiple of 8 */

static u32 lane_table[4][256];

static u32 crc_shift_zeros(u32 crc, u32 bytes)
{
	while (bytes--)
		crc = (crc >> 8) ^ crc_table[0][crc & 0xff];
	return crc;
}

static void lane_table_init(void)
{
	u32 n, byte;

	for (byte = 0; byte < 4; byte++)
		for (n = 0; n < 256; n++)
			lane_table[byte][n] =
				crc_shift_zeros(n << (8 * byte), LANE);
}

static u32 lane_move(u32 crc)
{
	return lane_table[0][crc & 0xff] ^ lane_table[1][(crc >> 8) & 0xff] ^
	       lane_table[2][(crc >> 16) & 0xff] ^ lane_table[3][crc >> 24];
}

static u64 load64(const u8 *p)
{
	u64 v;

	memcpy(&v, p, 8);
	return v;
}

__attribute__((target("sse4.2")))
static u32 crc32c_sse(u32 seed, const u8 *p, size_t bytes)
{
	u64 a = seed, b, c;
	u32 i;

	while (bytes >= 3 * LANE) {
		b = 0;
		c = 0;
		for (i = 0; i < LANE; i += 8) {
			a = __builtin_ia32_crc32di(a, load64(p + i));
			b = __builtin_ia32_crc32di(b, load64(p + LANE + i));
			c = __builtin_ia32_crc32di(c, load64(p + 2 * LANE + i));
		}
		a = lane_move((u32)a) ^ b;
		a = lane_move((u32)a) ^ c;
		p += 3 * LANE;
		bytes -= 3 * LANE;
	}
	while (bytes >= 8) {
		a = __builtin_ia32_crc32di(a, load64(p));
		p += 8;
		bytes -= 8;
	}
	while (bytes--)
		a = __builtin_ia32_crc32qi((u32)a, *p++);
	return (u32)a;
}

#endif /* __x86_64__ */

static bool has_sse;

__attribute__((constructor))
static void crc_init(void)
{
	crc_table_init();
#ifdef __x86_64__
	lane_table_init();
	__builtin_cpu_init();
	has_sse = __builtin_cpu_supports("sse4.2");
#endif
}

u32 vsl_port_crc32c(u32 seed, const void *buf, size_t bytes)
{
#ifdef __x86_64__
	if (has_sse)
		return crc32c_sse(seed, buf, bytes);
#endif
	return crc32c_table(seed, buf, bytes);
}
