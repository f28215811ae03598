/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pattern.h - sectors whose content tells where and when they were written.
 */
#ifndef VSL_KUNIT_PATTERN_H
#define VSL_KUNIT_PATTERN_H

#include <linux/types.h>

#define PATTERN_WRONG	U32_MAX

/**
 * pattern_fill() - make the content of a run of sectors
 * @mem: where
 * @sector: number of the first one
 * @nr: how many
 * @age: which write this is, 1 to PATTERN_WRONG - 1
 */
void pattern_fill(void *mem, u64 sector, u32 nr, u32 age);

/**
 * pattern_age() - which write a sector is from
 * @mem: its content
 * @sector: its number
 *
 * Return: the age; 0 all zero; PATTERN_WRONG anything else.
 */
u32 pattern_age(const void *mem, u64 sector);

#endif /* VSL_KUNIT_PATTERN_H */
