// SPDX-License-Identifier: GPL-2.0-only
/*
 * blocks.c - a disk and a file that says what is on it, block by block.
 *
 *	blocks compare DISK FILE		is it so? Reads past the page cache
 *	blocks write DISK FILE COUNT SEED	random blocks become new ones in both
 *	blocks mend DISK FILE NUMBER...		write those blocks again
 *
 * compare prints "N right, N wrong, N unreadable", and on standard error which
 * blocks are wrong or unreadable; it ends with 1 if any is wrong. A write that
 * fails ends the program with 1, and the file does not have it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK	4096

static unsigned char *seen;
static unsigned char *wanted;
static int disk;
static int file;

static int compare(void)
{
	unsigned long right = 0, wrong = 0, unreadable = 0;
	off_t at;

	for (at = 0; pread(file, wanted, BLOCK, at) == BLOCK; at += BLOCK) {
		if (pread(disk, seen, BLOCK, at) != BLOCK) {
			unreadable++;
			fprintf(stderr, "block %ld is unreadable\n", (long)(at / BLOCK));
		} else if (memcmp(seen, wanted, BLOCK)) {
			wrong++;
			fprintf(stderr, "block %ld is wrong\n", (long)(at / BLOCK));
		} else {
			right++;
		}
	}
	printf("%lu right, %lu wrong, %lu unreadable\n", right, wrong, unreadable);
	return wrong != 0;
}

/* Write what is in @wanted to both. */
static int write_block(off_t block)
{
	if (pwrite(disk, wanted, BLOCK, block * BLOCK) != BLOCK) {
		printf("block %ld cannot be written: %s\n", (long)block, strerror(errno));
		return 1;
	}
	return pwrite(file, wanted, BLOCK, block * BLOCK) != BLOCK;
}

static int write_some(unsigned int count, uint32_t seed)
{
	struct stat st;
	unsigned int i, k;
	uint32_t block;

	if (fstat(file, &st) || st.st_size < BLOCK)
		return 2;
	for (i = 0; i < count; i++) {
		seed = seed * 1664525 + 1013904223;
		block = (seed >> 8) % (st.st_size / BLOCK);
		for (k = 0; k < BLOCK / sizeof(seed); k++) {
			seed = seed * 1664525 + 1013904223;
			memcpy(wanted + k * sizeof(seed), &seed, sizeof(seed));
		}
		if (write_block(block))
			return 1;
	}
	return 0;
}

static int mend(char **numbers)
{
	off_t block;

	for (; *numbers; numbers++) {
		block = atol(*numbers);
		if (pread(file, wanted, BLOCK, block * BLOCK) != BLOCK || write_block(block))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	seen = aligned_alloc(BLOCK, BLOCK);
	wanted = aligned_alloc(BLOCK, BLOCK);
	if (argc < 4 || !seen || !wanted)
		return 2;
	disk = open(argv[2], O_RDWR | O_DIRECT);
	if (disk < 0)
		disk = open(argv[2], O_RDONLY | O_DIRECT);
	file = open(argv[3], O_RDWR);
	if (disk < 0 || file < 0) {
		fprintf(stderr, "blocks: cannot open both: %s\n", strerror(errno));
		return 2;
	}
	if (!strcmp(argv[1], "write") && argc == 6)
		return write_some(atoi(argv[4]), strtoul(argv[5], NULL, 10));
	if (!strcmp(argv[1], "mend"))
		return mend(argv + 4);
	return compare();
}
