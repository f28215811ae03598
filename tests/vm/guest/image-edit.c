// SPDX-License-Identifier: GPL-2.0-only
/*
 * image-edit.c - does to the image file of a simulated card what no driver does.
 *
 *	image-edit flip FILE OFFSET BIT		one bit is another one
 *	image-edit version FILE N		the file says that it is of version N
 *	image-edit future FILE N		the card in it was formatted by a driver
 *						of format version N; all sums are right
 *	image-edit anonymous FILE 0		the id, another one for each save, is zero
 *
 * The file is described in driver/media/sim_image.c, root records in
 * driver/core/format.h.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK		4096u
#define HEAD		32u	/* of each block of the table and of records */
#define ENTRY		32u	/* of the table */
#define ENTRIES		((BLOCK - HEAD) / ENTRY)
#define IS_DATA		2u
#define ROOT_MAGIC	"OVSLROOT"

static uint8_t *file;
static uint64_t file_bytes;

static void die(const char *text)
{
	fprintf(stderr, "image-edit: %s\n", text);
	exit(1);
}

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t number = 0;

	while (bytes--)
		number = number << 8 | at[bytes];
	return number;
}

static void put32(uint8_t *at, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		at[i] = number >> 8 * i;
}

static uint32_t crc32c(uint32_t crc, const uint8_t *at, size_t bytes)
{
	unsigned int bit;

	while (bytes--) {
		crc ^= *at++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

/* A block of the file's own: header, table or records. */
static void seal(uint8_t *block)
{
	put32(block + 12, 0);
	put32(block + 12, ~crc32c(~0u, block, BLOCK));
}

static uint8_t *block_at(uint64_t nr)
{
	if (nr >= file_bytes / BLOCK)
		die("the file is too short");
	return file + nr * BLOCK;
}

/* ---- root records -------------------------------------------------------- */

/* Blocks that a root record takes here; 0 if there is none. */
static unsigned int root_blocks(const uint8_t *data, unsigned int left)
{
	uint64_t bytes = get(data + 16, 4);

	if (memcmp(data, ROOT_MAGIC, 8) || bytes > (uint64_t)left * BLOCK)
		return 0;
	return (bytes + BLOCK - 1) / BLOCK;
}

static void change_root(uint8_t *data, uint32_t version)
{
	put32(data + 12, version);
	put32(data + 8, 0);
	put32(data + 8, crc32c(~0u, data, get(data + 16, 4)));
}

/* ---- extents ------------------------------------------------------------- */

/* Give each data block of an extent its sum again. */
static void seal_extent(uint64_t extent, unsigned int eu_blocks, unsigned int oob)
{
	unsigned int bytes = 16 + oob;
	unsigned int per_block = (BLOCK - HEAD) / bytes;
	unsigned int heads = (eu_blocks + per_block - 1) / per_block;
	uint8_t *data = block_at(extent + heads);
	uint8_t *record;
	unsigned int i;

	for (i = 0; i < eu_blocks; i++) {
		record = block_at(extent + i / per_block) + HEAD + i % per_block * bytes;
		if (*record != IS_DATA)
			continue;
		put32(record + 4, ~crc32c(~0u, data, BLOCK));
		data += BLOCK;
	}
	for (i = 0; i < heads; i++)
		seal(block_at(extent + i));
}

/* Return: root records that were found in it. */
static unsigned int change_extent(const uint8_t *entry, uint32_t version)
{
	unsigned int eu_blocks = get(file + 40, 4);
	unsigned int oob = get(file + 48, 4);
	unsigned int per_block = (BLOCK - HEAD) / (16 + oob);
	unsigned int heads = (eu_blocks + per_block - 1) / per_block;
	uint64_t extent = get(entry + 16, 8);
	unsigned int left = get(entry + 24, 4);
	unsigned int found = 0;
	unsigned int blocks;
	uint8_t *data;

	if (!extent || !left)
		return 0;
	block_at(extent + heads + left - 1);
	for (data = block_at(extent + heads); left; data += BLOCK * blocks, left -= blocks) {
		blocks = root_blocks(data, left);
		if (blocks) {
			change_root(data, version);
			found++;
		} else {
			blocks = 1;
		}
	}
	if (found)
		seal_extent(extent, eu_blocks, oob);
	return found;
}

static void future(uint32_t version)
{
	uint64_t eus = get(file + 32, 4) * get(file + 36, 4);
	unsigned int found = 0;
	uint64_t i;

	for (i = 0; i < eus; i++)
		found += change_extent(block_at(1 + i / ENTRIES) + HEAD +
				       i % ENTRIES * ENTRY, version);
	if (!found)
		die("no root record is in it");
	printf("%u root records changed\n", found);
}

/* ---- ids ----------------------------------------------------------------- */

/* Each block that has an id begins with one of these. */
static void anonymous(void)
{
	uint64_t nr;

	for (nr = 0; nr < file_bytes / BLOCK; nr++) {
		uint8_t *block = block_at(nr);

		if (memcmp(block, "OVSLSIM", 8) && memcmp(block, "OVSLTAB", 8) &&
		    memcmp(block, "OVSLEXT", 8))
			continue;
		memset(block + 16, 0, 8);
		seal(block);
	}
}

/* -------------------------------------------------------------------------- */

static void map_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDWR);

	if (fd < 0 || fstat(fd, &st))
		die("cannot open the file");
	file_bytes = st.st_size;
	file = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED || file_bytes < BLOCK || memcmp(file, "OVSLSIM", 8))
		die("it is not an image");
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t offset;

	if (argc < 4)
		return 2;
	map_file(argv[2]);
	if (!strcmp(argv[1], "flip") && argc == 5) {
		offset = strtoull(argv[3], NULL, 0);
		if (offset >= file_bytes)
			die("that is behind its end");
		file[offset] ^= 1u << strtoul(argv[4], NULL, 0);
	} else if (!strcmp(argv[1], "version")) {
		put32(file + 8, strtoul(argv[3], NULL, 0));
		seal(file);
	} else if (!strcmp(argv[1], "future")) {
		future(strtoul(argv[3], NULL, 0));
	} else if (!strcmp(argv[1], "anonymous")) {
		anonymous();
	} else {
		return 2;
	}
	return 0;
}
