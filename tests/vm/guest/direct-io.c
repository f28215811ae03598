// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct-io.c - O_DIRECT of every shape: memory and offset at each multiple of
 * 512 bytes within a block, lengths around blocks and around what a request can
 * hold, vectors of odd pieces; and mmap.
 *
 *	direct-io DISK		writes to its first 8 MiB; needs 512-byte sectors
 *
 * What should be on the disk is kept in memory; all of it is compared in the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define SECTOR	512u
#define BLOCK	4096u
#define AREA	(8u << 20)
#define MOST	(2u << 20)

static unsigned char *model;	/* what is on the disk */
static unsigned char *buf;
static unsigned int ios;
static int fd;

static void die(const char *what, size_t memory, size_t offset, size_t bytes)
{
	printf("%s of %zu bytes at %zu, memory at %zu: %s\n", what, bytes, offset, memory,
	       errno ? strerror(errno) : "wrong data");
	exit(1);
}

static void fill(unsigned char *at, size_t bytes)
{
	static unsigned int state = 1;
	size_t i;

	for (i = 0; i < bytes; i += sizeof(state)) {
		state = state * 1664525 + 1013904223;
		memcpy(at + i, &state, sizeof(state));
	}
}

static void write_and_read(size_t memory, size_t offset, size_t bytes)
{
	unsigned char *at = buf + memory;

	errno = 0;
	fill(at, bytes);
	if (pwrite(fd, at, bytes, offset) != (ssize_t)bytes)
		die("write", memory, offset, bytes);
	memcpy(model + offset, at, bytes);
	memset(at, 0, bytes);
	if (pread(fd, at, bytes, offset) != (ssize_t)bytes)
		die("read", memory, offset, bytes);
	if (memcmp(at, model + offset, bytes))
		die("read", memory, offset, bytes);
	ios += 2;
}

static void alignments(void)
{
	static const size_t lengths[] = { SECTOR, BLOCK - SECTOR, BLOCK, BLOCK + SECTOR,
					  3 * BLOCK };
	size_t memory, offset, i;

	for (memory = 0; memory < BLOCK; memory += SECTOR)
		for (offset = 0; offset < BLOCK; offset += SECTOR)
			for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
				write_and_read(memory, 5 * BLOCK + offset, lengths[i]);
}

/* Around what one request holds, at the worst alignments. */
static void large(void)
{
	static const size_t lengths[] = { (512 << 10) - SECTOR, 512 << 10, (512 << 10) + SECTOR,
					  (1 << 20) + 3 * SECTOR, MOST - BLOCK };
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		write_and_read(0, 1 << 20, lengths[i]);
		write_and_read(SECTOR, (1 << 20) + BLOCK - SECTOR, lengths[i]);
		write_and_read(BLOCK - SECTOR, (1 << 20) + SECTOR, lengths[i]);
	}
}

/* Pieces of 512 bytes that are no neighbours: more than a request can list. */
static void pieces(void)
{
	struct iovec vec[1000];
	unsigned int i, nr = sizeof(vec) / sizeof(vec[0]);

	fill(buf, 2 * SECTOR * nr);
	for (i = 0; i < nr; i++) {
		vec[i].iov_base = buf + 2 * SECTOR * i;
		vec[i].iov_len = SECTOR;
		memcpy(model + 3 * SECTOR + SECTOR * i, vec[i].iov_base, SECTOR);
	}
	errno = 0;
	if (pwritev(fd, vec, nr, 3 * SECTOR) != (ssize_t)(nr * SECTOR))
		die("vector write", 0, 3 * SECTOR, nr * SECTOR);
	memset(buf, 0, 2 * SECTOR * nr);
	if (preadv(fd, vec, nr, 3 * SECTOR) != (ssize_t)(nr * SECTOR))
		die("vector read", 0, 3 * SECTOR, nr * SECTOR);
	for (i = 0; i < nr; i++)
		if (memcmp(vec[i].iov_base, model + 3 * SECTOR + SECTOR * i, SECTOR))
			die("vector read", 0, 3 * SECTOR + SECTOR * i, SECTOR);
	ios += 2;
}

/* Through the page cache by memory, then past it. */
static void mapped(const char *disk)
{
	const size_t bytes = 1 << 20, offset = 4 << 20;
	int cached = open(disk, O_RDWR);
	unsigned char *map = MAP_FAILED;

	if (cached >= 0)
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, cached, offset);
	if (map == MAP_FAILED)
		die("mmap", 0, offset, bytes);
	if (memcmp(map, model + offset, bytes))
		die("read by mmap", 0, offset, bytes);
	fill(model + offset + SECTOR, bytes - 2 * SECTOR);
	memcpy(map, model + offset, bytes);
	if (msync(map, bytes, MS_SYNC) || pread(fd, buf, bytes, offset) != (ssize_t)bytes)
		die("read", 0, offset, bytes);
	errno = 0;
	if (memcmp(buf, model + offset, bytes))
		die("read of what was written by mmap", 0, offset, bytes);
	munmap(map, bytes);
	close(cached);
	ios += 2;
}

int main(int argc, char **argv)
{
	unsigned char *whole = aligned_alloc(BLOCK, AREA);
	size_t at;

	if (argc != 2)
		return 2;
	model = aligned_alloc(BLOCK, AREA);
	buf = aligned_alloc(BLOCK, MOST + BLOCK);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0 || !whole || !model || !buf) {
		perror(argv[1]);
		return 1;
	}
	fill(model, AREA);
	for (at = 0; at < AREA; at += 1 << 20)
		if (pwrite(fd, model + at, 1 << 20, at) != 1 << 20)
			die("write", 0, at, 1 << 20);
	alignments();
	large();
	pieces();
	mapped(argv[1]);
	for (at = 0; at < AREA; at += 1 << 20)
		if (pread(fd, whole + at, 1 << 20, at) != 1 << 20)
			die("read", 0, at, 1 << 20);
	for (at = 0; at < AREA; at += SECTOR)
		if (memcmp(whole + at, model + at, SECTOR))
			die("all in all: read", 0, at, SECTOR);
	printf("%u requests\n", ios);
	return 0;
}
