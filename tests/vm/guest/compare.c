// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare.c - is a disk what a file says, block by block?
 *
 *	compare DISK FILE		reads FILE's size of DISK, past the page cache
 *
 * Prints "N right, N wrong, N unreadable", and on standard error which blocks are
 * wrong or unreadable. A block of zeros in the disk counts as wrong if the file
 * has something else. Ends with 1 if any is wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	4096u

int main(int argc, char **argv)
{
	unsigned char *seen = aligned_alloc(BLOCK, BLOCK);
	unsigned char *wanted = aligned_alloc(BLOCK, BLOCK);
	unsigned long right = 0, wrong = 0, unreadable = 0;
	int disk, file;
	off_t at;

	if (argc != 3 || !seen || !wanted)
		return 2;
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	file = open(argv[2], O_RDONLY);
	if (disk < 0 || file < 0) {
		fprintf(stderr, "compare: cannot open both: %s\n", strerror(errno));
		return 2;
	}
	for (at = 0; pread(file, wanted, BLOCK, at) == (ssize_t)BLOCK; at += BLOCK) {
		if (pread(disk, seen, BLOCK, at) != (ssize_t)BLOCK) {
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
