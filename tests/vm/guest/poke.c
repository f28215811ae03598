// SPDX-License-Identifier: GPL-2.0-only
/*
 * poke.c - write registers of a PCI device behind its driver's back.
 *
 *	poke ADDRESS TIMES [OFFSET VALUE]...
 *
 * Writes 32 bits at each OFFSET of its first BAR, in order, and all of that TIMES times.
 * The kernel has to be started with iomem=relaxed.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BAR_BYTES	0x2000ul

int main(int argc, char **argv)
{
	volatile uint32_t *bar;
	char path[PATH_MAX];
	long times;
	int fd;
	int i;

	if (argc < 3 || argc % 2 == 0) {
		fprintf(stderr, "usage: poke ADDRESS TIMES [OFFSET VALUE]...\n");
		return 2;
	}
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/resource0", argv[1]);
	fd = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
	bar = mmap(NULL, BAR_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || bar == MAP_FAILED) {
		fprintf(stderr, "poke: %s: %s\n", path, strerror(errno));
		return 1;
	}
	for (times = strtol(argv[2], NULL, 0); times > 0; times--)
		for (i = 3; i < argc; i += 2)
			bar[strtoul(argv[i], NULL, 0) / 4] = strtoul(argv[i + 1], NULL, 0);
	return 0;
}
