// SPDX-License-Identifier: GPL-2.0-only
/*
 * pattern.c - data that says what it is.
 *
 * Word 0 holds the address, word 1 the number of the write; the others follow
 * from these and the seed by one multiplication and additions, so that filling
 * and checking run at the speed of memory.
 */
#include "pattern.h"

#include <stdio.h>

#include "rng.h"

#define STEP	0x9e3779b97f4a7c15ull

static u64 pattern_start(u64 seed, u32 granule, u32 seq)
{
	return rng_mix(seed ^ ((u64)granule << 32 | seq));
}

void pattern_fill(void *buf, u32 bytes, u64 seed, u32 granule, u32 seq)
{
	u64 start = pattern_start(seed, granule, seq);
	u64 *words = buf;
	u32 i;

	for (i = 2; i < bytes / 8; i++)
		words[i] = start + i * STEP;
	words[0] = granule;
	words[1] = seq;
}

/* Differing bits of all words, gathered without a branch. */
static u64 pattern_differs(const u64 *words, u32 bytes, u64 start)
{
	u64 differs = 0;
	u32 i;

	for (i = 2; i < bytes / 8; i++)
		differs |= words[i] ^ (start + i * STEP);
	return differs;
}

u32 pattern_read(const void *buf, u32 bytes, u64 seed, u32 granule)
{
	const u64 *words = buf;
	u64 any = 0;
	u32 i;

	if (words[1]) {
		if (words[0] != granule || words[1] >= VALUE_GARBAGE ||
		    pattern_differs(words, bytes,
				    pattern_start(seed, granule, words[1])))
			return VALUE_GARBAGE;
		return words[1];
	}
	for (i = 0; i < bytes / 8; i++)
		any |= words[i];
	return any ? VALUE_GARBAGE : VALUE_ZERO;
}

void pattern_explain(const void *buf, u32 bytes, u64 seed, u32 granule,
		     char *text, size_t text_bytes)
{
	const u64 *words = buf;
	u64 start;
	u32 i;

	if (words[0] > 0xffffffff || words[1] >= VALUE_GARBAGE) {
		snprintf(text, text_bytes, "unknown bytes %016llx %016llx",
			 (unsigned long long)words[0],
			 (unsigned long long)words[1]);
		return;
	}
	start = pattern_start(seed, words[0], words[1]);
	for (i = 2; i < bytes / 8; i++)
		if (words[i] != start + i * STEP)
			break;
	if (i == bytes / 8 && words[1])
		snprintf(text, text_bytes, "write %llu of granule %llu%s",
			 (unsigned long long)words[1],
			 (unsigned long long)words[0],
			 words[0] == granule ? "" : ", another address");
	else
		snprintf(text, text_bytes,
			 "write %llu of granule %llu, torn from byte %u on",
			 (unsigned long long)words[1],
			 (unsigned long long)words[0], i * 8);
}
