/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * size.h - sizes as people write and read them.
 */
#ifndef VSL_TOOLS_SIZE_H
#define VSL_TOOLS_SIZE_H

#include <stddef.h>

/**
 * size_parse() - size of a disk: "2G", "1.5T", "512MiB", "60%", "160000000000"
 * @text: as typed
 * @whole: what 100 % is; 0: a percentage is not allowed
 * @bytes: the answer
 *
 * B K M G T P are powers of 1000, as sizes of disks are printed; KiB MiB GiB
 * TiB PiB are powers of 1024.
 *
 * Return: 0, -EINVAL not a size, -ERANGE above 2^64 - 1.
 */
int size_parse(const char *text, unsigned long long whole, unsigned long long *bytes);

/**
 * size_parse_sector() - sector size: "512", "512B", "4096", "4K", "4k"
 *
 * K is 1024 here, as it always was for sectors.
 *
 * Return: 0, -EINVAL not a size.
 */
int size_parse_sector(const char *text, unsigned int *bytes);

/**
 * number_parse() - a whole number, decimal or 0x...
 * @max: the largest that is allowed
 *
 * Return: 0, -EINVAL not a number, -ERANGE above @max.
 */
int number_parse(const char *text, unsigned long long max, unsigned long long *number);

/** size_text() - "160.00 GBytes"; GBytes are 10^9.  Return: @buf */
const char *size_text(unsigned long long bytes, char *buf, size_t len);

/** count_text() - "92,553,058,889,120".  Return: @buf */
const char *count_text(unsigned long long count, char *buf, size_t len);

#define SIZE_TEXT	32

#endif /* VSL_TOOLS_SIZE_H */
