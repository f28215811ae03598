// SPDX-License-Identifier: GPL-2.0-only
/*
 * pattern.c - sectors whose content tells where and when they were written.
 *
 * Every byte depends on the sector's number and on the age, so content of another
 * address, of another write, or of two writes mixed is seen.
 */
#include "pattern.h"

#include <linux/limits.h>
#include <linux/string.h>

#include "core/port.h"

#define WORDS	(VSL_SECTOR_BYTES / sizeof(u64))

static void make_words(u64 *words, u64 sector, u32 age)
{
	u64 x = (sector << 32 | age) * 0x9e3779b97f4a7c15ull;
	u32 i;

	words[0] = sector;
	words[1] = age;
	for (i = 2; i < WORDS; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		words[i] = x ^ x >> 29;
	}
}

void pattern_fill(void *mem, u64 sector, u32 nr, u32 age)
{
	u64 words[WORDS];

	for (; nr; nr--, sector++, mem += VSL_SECTOR_BYTES) {
		make_words(words, sector, age);
		memcpy(mem, words, VSL_SECTOR_BYTES);
	}
}

u32 pattern_age(const void *mem, u64 sector)
{
	u64 words[WORDS];
	u64 age;

	memcpy(&age, mem + sizeof(u64), sizeof(age));
	if (!age)
		return memchr_inv(mem, 0, VSL_SECTOR_BYTES) ? PATTERN_WRONG : 0;
	make_words(words, sector, age);
	return memcmp(mem, words, VSL_SECTOR_BYTES) ? PATTERN_WRONG : age;
}
