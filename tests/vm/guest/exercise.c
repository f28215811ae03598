// SPDX-License-Identifier: GPL-2.0-only
/*
 * exercise.c - random writes, reads, discards, zeroing and syncs of every size,
 * from several threads at once, each checked against what it has to be.
 *
 *	exercise DISK MIB REQUESTS SEED
 *
 * Each of four threads has its own quarter of the first MIB of the disk, a copy of
 * it in memory, and makes REQUESTS requests. In the end, and now and then, all of
 * the quarter is compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define THREADS	4
#define BLOCK	4096u
#define MOST	(256u << 10)	/* bytes of a request */

struct worker {
	pthread_t thread;
	int fd;
	unsigned int seed;
	unsigned int requests;
	unsigned int sector;
	uint64_t offset;	/* of the quarter */
	uint64_t bytes;
	unsigned char *model;
	unsigned char *buf;
	unsigned int count[5];
};

static unsigned int chance(struct worker *w, unsigned int below)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return (w->seed >> 8) % below;
}

static void die(struct worker *w, const char *what, uint64_t at, uint64_t bytes)
{
	printf("%s of %llu bytes at %llu: %s\n", what, (unsigned long long)bytes,
	       (unsigned long long)(w->offset + at), errno ? strerror(errno) : "wrong data");
	fflush(stdout);
	_exit(1);
}

/* A place whose bounds are multiples of @unit; small ones are the most likely. */
static void place(struct worker *w, unsigned int unit, uint64_t *at, uint64_t *bytes)
{
	unsigned int most = MOST >> chance(w, 8);

	*bytes = (uint64_t)(1 + chance(w, most / unit ? most / unit : 1)) * unit;
	*at = (uint64_t)chance(w, (w->bytes - *bytes) / unit + 1) * unit;
}

static void do_write(struct worker *w)
{
	uint64_t at, bytes, i;

	place(w, w->sector, &at, &bytes);
	for (i = 0; i < bytes; i += 4) {
		uint32_t word = w->seed + i;

		memcpy(w->buf + i, &word, 4);
	}
	if (pwrite(w->fd, w->buf, bytes, w->offset + at) != (ssize_t)bytes)
		die(w, "write", at, bytes);
	memcpy(w->model + at, w->buf, bytes);
}

static void do_read(struct worker *w)
{
	uint64_t at, bytes;

	place(w, w->sector, &at, &bytes);
	if (pread(w->fd, w->buf, bytes, w->offset + at) != (ssize_t)bytes)
		die(w, "read", at, bytes);
	if (memcmp(w->buf, w->model + at, bytes))
		die(w, "read", at, bytes);
}

static void do_range(struct worker *w, unsigned long request, unsigned int unit,
		     const char *what)
{
	uint64_t range[2];
	uint64_t at, bytes;

	place(w, unit, &at, &bytes);
	range[0] = w->offset + at;
	range[1] = bytes;
	if (ioctl(w->fd, request, range))
		die(w, what, at, bytes);
	memset(w->model + at, 0, bytes);
}

static void compare_all(struct worker *w)
{
	uint64_t at, bytes;

	for (at = 0; at < w->bytes; at += bytes) {
		bytes = w->bytes - at < MOST ? w->bytes - at : MOST;
		if (pread(w->fd, w->buf, bytes, w->offset + at) != (ssize_t)bytes)
			die(w, "read", at, bytes);
		if (memcmp(w->buf, w->model + at, bytes))
			die(w, "read in the end", at, bytes);
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int i, kind;

	for (i = 0; i < w->requests; i++) {
		errno = 0;
		kind = chance(w, 100);
		kind = kind < 50 ? 0 : kind < 80 ? 1 : kind < 90 ? 2 : kind < 97 ? 3 : 4;
		w->count[kind]++;
		if (kind == 0)
			do_write(w);
		else if (kind == 1)
			do_read(w);
		else if (kind == 2)
			do_range(w, BLKDISCARD, BLOCK, "discard");
		else if (kind == 3)
			do_range(w, BLKZEROOUT, w->sector, "zeroing");
		else if (fsync(w->fd))
			die(w, "sync", 0, 0);
	}
	compare_all(w);
	return NULL;
}

static void start(struct worker *w, const char *disk, unsigned int nr, uint64_t bytes,
		  char **argv)
{
	uint64_t at;

	w->fd = open(disk, O_RDWR | O_DIRECT);
	if (w->fd < 0 || ioctl(w->fd, BLKSSZGET, &w->sector)) {
		perror(disk);
		exit(1);
	}
	w->seed = strtoul(argv[4], NULL, 10) * THREADS + nr;
	w->requests = strtoul(argv[3], NULL, 10);
	w->bytes = bytes;
	w->offset = nr * bytes;
	w->model = malloc(bytes);
	w->buf = aligned_alloc(BLOCK, MOST);
	if (!w->model || !w->buf)
		exit(1);
	/* What is there is where it begins. */
	for (at = 0; at < bytes; at += BLOCK) {
		if (pread(w->fd, w->buf, BLOCK, w->offset + at) != (ssize_t)BLOCK)
			die(w, "first read", at, BLOCK);
		memcpy(w->model + at, w->buf, BLOCK);
	}
	pthread_create(&w->thread, NULL, work, w);
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS];
	static const char * const names[] = { "writes", "reads", "discards", "zeroings", "syncs" };
	unsigned int total[5] = { 0 };
	unsigned int i, k;

	if (argc != 5)
		return 2;
	for (i = 0; i < THREADS; i++)
		start(&workers[i], argv[1], i, (strtoull(argv[2], NULL, 10) << 20) / THREADS, argv);
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		for (k = 0; k < 5; k++)
			total[k] += workers[i].count[k];
	}
	for (k = 0; k < 5; k++)
		printf("%u %s%s", total[k], names[k], k < 4 ? ", " : "\n");
	return 0;
}
