// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_signature.c - every mark that signature.c knows, on a disk of zeros.
 *
 * Goal: each is found where it is, under its name, and nothing is found elsewhere.
 * Method: a table of disks, each a few bytes that are not zero; what is asked for
 * behind a disk's end is noticed.
 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/cmd.h"
#include "../../tools/signature.h"

#define KIB	1024ull
#define MIB	(1024 * KIB)

/* Some bytes at a place. */
struct poke {
	unsigned long long offset;
	unsigned int bytes;
	const char *text;
};

#define POKE(offset, text)	{ offset, sizeof(text) - 1, text }

static const struct disk_case {
	unsigned long long bytes;
	const char *want;
	bool is_ours;
	struct poke poke[4];
} disks[] = {
	{ 8 * MIB, "", .poke = { } },
	{ 8 * MIB, "", .poke = { POKE(100, "noise"), POKE(70000, "noise") } },
	{ 8 * MIB, "", .is_ours = true, .poke = { POKE(0, "OVSLROOT") } },
	{ 8 * MIB, "an MBR partition table",
	  .poke = { POKE(446, "\x80\0\0\0\x83\0\0\0\0\x08\0\0\0\x10\0\0"), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "an MBR partition table",
	  .poke = { POKE(494, "\0\0\0\0\x07\0\0\0\0\x08\0\0\0\x10\0\0"), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a boot sector",
	  .poke = { POKE(446, "code, not a table"), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a boot sector", .poke = { POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a GPT partition table",
	  .poke = { POKE(446, "\0\0\0\0\xee\0\0\0\1\0\0\0\xff\xff\xff\xff"), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a GPT partition table", .poke = { POKE(512, "EFI PART") } },
	{ 8 * MIB, "a GPT partition table", .poke = { POKE(4096, "EFI PART") } },
	{ 8 * MIB, "a GPT partition table", .poke = { POKE(8 * MIB - 512, "EFI PART") } },
	{ 8 * MIB - 512, "a GPT partition table", .poke = { POKE(8 * MIB - 1024, "EFI PART") } },
	{ 8 * MIB, "a GPT partition table", .poke = { POKE(8 * MIB - 4096, "EFI PART") } },
	{ 8 * MIB, "an ext2 file system", .poke = { POKE(1080, "\x53\xef") } },
	{ 8 * MIB, "an ext3 file system", .poke = { POKE(1080, "\x53\xef"), POKE(1116, "\x04") } },
	{ 8 * MIB, "an ext4 file system",
	  .poke = { POKE(1080, "\x53\xef"), POKE(1116, "\x04"), POKE(1120, "\x42") } },
	{ 8 * MIB, "an ext4 file system", .poke = { POKE(1080, "\x53\xef"), POKE(1124, "\x08") } },
	{ 8 * MIB, "an ext journal", .poke = { POKE(1080, "\x53\xef"), POKE(1120, "\x08") } },
	{ 8 * MIB, "an XFS file system", .poke = { POKE(0, "XFSB") } },
	{ 8 * MIB, "a Btrfs file system", .poke = { POKE(65600, "_BHRfS_M") } },
	{ 80 * MIB, "a Btrfs file system", .poke = { POKE(64 * MIB + 64, "_BHRfS_M") } },
	{ 8 * MIB, "an F2FS file system", .poke = { POKE(1024, "\x10\x20\xf5\xf2") } },
	{ 8 * MIB, "an NTFS file system", .poke = { POKE(3, "NTFS    "), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "an exFAT file system", .poke = { POKE(3, "EXFAT   "), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a FAT file system", .poke = { POKE(54, "FAT16   "), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "a FAT file system", .poke = { POKE(82, "FAT32   "), POKE(510, "\x55\xaa") } },
	{ 8 * MIB, "an ISO 9660 file system", .poke = { POKE(32769, "CD001") } },
	{ 8 * MIB, "an LVM physical volume",
	  .poke = { POKE(512, "LABELONE"), POKE(536, "LVM2 001") } },
	{ 8 * MIB, "an LVM physical volume",
	  .poke = { POKE(1536, "LABELONE"), POKE(1560, "LVM2 001") } },
	{ 8 * MIB, "", .poke = { POKE(2048, "LABELONE"), POKE(2072, "LVM2 001") } },
	{ 8 * MIB, "a LUKS volume", .poke = { POKE(0, "LUKS\xba\xbe") } },
	{ 8 * MIB, "a LUKS volume", .poke = { POKE(16 * KIB, "SKUL\xba\xbe") } },
	{ 8 * MIB, "swap space", .poke = { POKE(4086, "SWAPSPACE2") } },
	{ 8 * MIB, "swap space", .poke = { POKE(65526, "SWAPSPACE2") } },
	{ 8 * MIB, "a bcache device",
	  .poke = { POKE(4120, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81") } },
	{ 8 * MIB, "an md array's superblock", .poke = { POKE(0, "\xfc\x4e\x2b\xa9") } },
	{ 8 * MIB, "an md array's superblock", .poke = { POKE(4096, "\xfc\x4e\x2b\xa9") } },
	{ 8 * MIB, "an md array's superblock", .poke = { POKE(8 * MIB - 8 * KIB, "\xfc\x4e\x2b\xa9") } },
	{ 8 * MIB + 1024, "an md array's superblock",
	  .poke = { POKE(8 * MIB - 8 * KIB, "\xfc\x4e\x2b\xa9") } },
	{ 8 * MIB + 1024, "an md array's superblock",
	  .poke = { POKE(8 * MIB - 64 * KIB, "\xfc\x4e\x2b\xa9") } },
	{ 8 * MIB, "an md array's superblock",
	  .poke = { POKE(8 * MIB - 64 * KIB, "\xa9\x2b\x4e\xfc") } },
	{ 8 * MIB, "a ZFS label", .poke = { POKE(128 * KIB, "\x0c\xb1\xba\0\0\0\0\0") } },
	{ 8 * MIB, "a ZFS label", .poke = { POKE(255 * KIB, "\0\0\0\0\0\xba\xb1\x0c") } },
	{ 8 * MIB + 4096, "a ZFS label", .poke = { POKE(8 * MIB - 100 * KIB, "\x0c\xb1\xba\0") } },
	{ 8 * MIB, "a ZFS label",
	  .poke = { POKE(16 * KIB, "\1\1\0\0\0\0\0\0\0\0\0\1\0\0\0\x24\0\0\0\x20\0\0\0\7version") } },
	{ 8 * MIB, "a GPT partition table and an ext2 file system",
	  .poke = { POKE(512, "EFI PART"), POKE(1080, "\x53\xef"), POKE(8 * MIB - 512, "EFI PART") } },
	{ 8 * MIB, "an XFS file system, a GPT partition table and swap space",
	  .poke = { POKE(0, "XFSB"), POKE(512, "EFI PART"), POKE(4086, "SWAPSPACE2") } },
	/* so small that most places are behind the end */
	{ 4096, "an XFS file system", .poke = { POKE(0, "XFSB") } },
	{ 512, "", .poke = { } },
	{ 0, "", .poke = { } },
};

/* The disk that is read, and what went wrong meanwhile. */
struct reader {
	const struct disk_case *disk;
	int error;
	unsigned long long error_nr;
	bool went_wrong;
};

static int read_block(void *ctx, unsigned long long nr, unsigned char *block)
{
	struct reader *reader = ctx;
	const struct disk_case *disk = reader->disk;
	unsigned int i, byte;

	if (nr >= (disk->bytes + 4095) / 4096)
		reader->went_wrong = true;
	if (reader->error && nr == reader->error_nr)
		return reader->error;
	memset(block, 0, SIGNATURE_BLOCK_BYTES);
	for (i = 0; i < ARRAY_SIZE(disk->poke); i++)
		for (byte = 0; byte < disk->poke[i].bytes; byte++) {
			unsigned long long offset = disk->poke[i].offset + byte;

			if (offset / SIGNATURE_BLOCK_BYTES == nr)
				block[offset % SIGNATURE_BLOCK_BYTES] = disk->poke[i].text[byte];
		}
	return 0;
}

static int find(struct reader *reader, struct signatures *found)
{
	struct signature_disk disk = {
		.bytes = reader->disk->bytes,
		.read = read_block,
		.ctx = reader,
	};

	return signatures_find(&disk, found);
}

static void test_disk(const struct disk_case *disk)
{
	struct reader reader = { .disk = disk };
	struct signatures found;
	char text[256];
	int err = find(&reader, &found);

	signatures_text(&found, text, sizeof(text));
	if (strcmp(text, disk->want))
		printf("# have: %s\n", text);
	ok(!err && !reader.went_wrong && found.is_ours == disk->is_ours &&
	   !strcmp(text, disk->want), "signatures", disk->want);
}

/* What cannot be read is told, and the rest is looked at. */
static void test_errors(void)
{
	static const struct disk_case disk = {
		8 * MIB, "a Btrfs file system", .poke = { POKE(65600, "_BHRfS_M") },
	};
	struct reader reader = { .disk = &disk, .error = -EIO };
	struct signatures found;
	char text[8];

	ok(find(&reader, &found) == -EIO && found.nr == 1, "signatures", "a block is bad");
	reader.error = -ENODATA;
	ok(!find(&reader, &found) && found.nr == 1, "signatures", "a block was never written");
	reader.error_nr = 16;
	ok(!find(&reader, &found) && !found.nr, "signatures", "nor was that one");
	reader.error = 0;
	find(&reader, &found);
	ok(!strcmp(signatures_text(&found, text, sizeof(text)), "a Btrfs"), "signatures",
	   "little room for the text");
}

void test_signatures(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(disks); i++)
		test_disk(&disks[i]);
	test_errors();
}
