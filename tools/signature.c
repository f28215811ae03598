// SPDX-License-Identifier: GPL-2.0-only
/*
 * signature.c - what a disk carries, told by the marks that others leave on it.
 *
 * It is asked before a disk is taken from those who may still want it: so a mark is
 * believed as soon as it is there, whether or not what it belongs to is whole, and
 * what is found twice (the same table at both ends of a disk) is named once.
 *
 * Most marks are a few bytes at a fixed place: a table.  The others are looked at
 * by functions: those that a part of a block cannot tell (MBR, ext), and those whose
 * place depends on the size of the disk (GPT, md, ZFS).
 *
 * Nothing here trusts what it reads: places come from the size of the disk alone,
 * never from its contents, and each read is one whole block.
 */
#include "signature.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#define BLOCK		SIGNATURE_BLOCK_BYTES
#define KIB		1024ull

#define NAME_GPT	"a GPT partition table"
#define NAME_MD		"an md array's superblock"
#define NAME_ZFS	"a ZFS label"
#define NAME_SWAP	"swap space"
#define NAME_LVM	"an LVM physical volume"
#define NAME_LUKS	"a LUKS volume"

/**
 * struct look - a look at a disk
 * @disk: the disk
 * @found: what was found so far
 * @nr: number of the block that is in @block; all-ones: none
 * @error: of the first read that failed
 * @block: the block that was read last
 */
struct look {
	const struct signature_disk *disk;
	struct signatures *found;
	unsigned long long nr;
	int error;
	unsigned char block[BLOCK];
};

static void add(struct look *look, const char *name)
{
	struct signatures *found = look->found;
	unsigned int i;

	for (i = 0; i < found->nr; i++)
		if (!strcmp(found->name[i], name))
			return;
	if (found->nr < SIGNATURES_MAX)
		found->name[found->nr++] = name;
}

/* Bytes at a place, @bytes of which are in one block; NULL: they cannot be read. */
static const unsigned char *at(struct look *look, unsigned long long offset, size_t bytes)
{
	unsigned long long nr = offset / BLOCK;
	int err;

	if (bytes > BLOCK - offset % BLOCK || offset >= look->disk->bytes ||
	    bytes > look->disk->bytes - offset)
		return NULL;
	if (nr != look->nr) {
		look->nr = ~0ull;
		err = look->disk->read(look->disk->ctx, nr, look->block);
		if (err && err != -ENODATA && !look->error)
			look->error = err;
		if (err)
			return NULL;
		look->nr = nr;
	}
	return look->block + offset % BLOCK;
}

static bool has(struct look *look, unsigned long long offset, const void *mark, size_t bytes)
{
	const unsigned char *there = at(look, offset, bytes);

	return there && !memcmp(there, mark, bytes);
}

static unsigned int get_le32(const unsigned char *byte)
{
	return byte[0] | byte[1] << 8 | byte[2] << 16 | (unsigned int)byte[3] << 24;
}

static unsigned int get_be32(const unsigned char *byte)
{
	return byte[3] | byte[2] << 8 | byte[1] << 16 | (unsigned int)byte[0] << 24;
}

/* ---- marks at fixed places ------------------------------------------------ */

#define MARK(offset, text, name)	{ offset, sizeof(text) - 1, text, name }

/* In the order of the disk, so that a block is read once. */
static const struct mark {
	unsigned long long offset;
	unsigned int bytes;
	const char *text;
	const char *name;
} marks[] = {
	MARK(0, "LUKS\xba\xbe", NAME_LUKS),
	MARK(0, "XFSB", "an XFS file system"),
	MARK(0, "hsqs", "a squashfs file system"),
	MARK(0, "dmvdo001", "a VDO volume"),
	MARK(0, "bluestore block device", "a Ceph object store"),
	MARK(0, "\xfc\x4e\x2b\xa9", NAME_MD),
	MARK(3, "NTFS    ", "an NTFS file system"),
	MARK(3, "EXFAT   ", "an exFAT file system"),
	MARK(3, "ReFS\0\0\0\0", "a ReFS file system"),
	MARK(3, "-FVE-FS-", "a BitLocker volume"),
	MARK(32, "NXSB", "an APFS file system"),
	MARK(0x36, "FAT12   ", "a FAT file system"),
	MARK(0x36, "FAT16   ", "a FAT file system"),
	MARK(0x52, "FAT32   ", "a FAT file system"),
	MARK(512, "EFI PART", NAME_GPT),
	MARK(512 + 4, "!Stra0tis\x86\xff\x02^\x41rh", "a Stratis volume"),
	MARK(1024, "\xe2\xe1\xf5\xe0", "an EROFS file system"),
	MARK(1024, "\x10\x20\xf5\xf2", "an F2FS file system"),
	MARK(4086, "SWAPSPACE2", NAME_SWAP),
	MARK(4086, "SWAP-SPACE", NAME_SWAP),
	MARK(4086, "S1SUSPEND", NAME_SWAP),
	MARK(4096, "\xfc\x4e\x2b\xa9", NAME_MD),
	MARK(4096, "EFI PART", NAME_GPT),
	MARK(4096 + 24, "\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
	     "a bcache device"),
	MARK(4096 + 24, "\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef",
	     "a bcachefs file system"),
	MARK(8 * KIB - 10, "SWAPSPACE2", NAME_SWAP),
	MARK(8 * KIB + 52, "ReIsEr", "a ReiserFS file system"),
	MARK(16 * KIB - 10, "SWAPSPACE2", NAME_SWAP),
	MARK(16 * KIB, "SKUL\xba\xbe", NAME_LUKS),
	MARK(32 * KIB, "JFS1", "a JFS file system"),
	MARK(32 * KIB + 1, "CD001", "an ISO 9660 file system"),
	MARK(32 * KIB + 1, "BEA01", "a UDF file system"),
	MARK(64 * KIB - 10, "SWAPSPACE2", NAME_SWAP),
	MARK(64 * KIB, "\x01\x16\x19\x70", "a GFS2 file system"),
	MARK(64 * KIB + 52, "ReIsEr", "a ReiserFS file system"),
	MARK(64 * KIB + 64, "_BHRfS_M", "a Btrfs file system"),
	MARK(1024 * KIB, "\x0d\xd0\x01\xc0", "a VMFS file system"),
	MARK(65536 * KIB + 64, "_BHRfS_M", "a Btrfs file system"),
};

static void find_marks(struct look *look)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (has(look, marks[i].offset, marks[i].text, marks[i].bytes))
			add(look, marks[i].name);
}

/* ---- marks that take more than a comparison ------------------------------- */

/* A root of ours begins with its name; later ones lie elsewhere. */
static void find_ours(struct look *look)
{
	look->found->is_ours = has(look, 0, "OVSLROOT", 8);
}

/* Boot sectors of file systems end like an MBR, and have code where its table is. */
static void find_mbr(struct look *look)
{
	const unsigned char *sector = at(look, 0, 512);
	bool is_filled = false;
	unsigned int i;

	if (!sector || sector[510] != 0x55 || sector[511] != 0xaa || look->found->nr)
		return;
	for (i = 0; i < 4; i++) {
		const unsigned char *entry = sector + 446 + 16 * i;

		if (entry[0] & 0x7f)
			break;
		is_filled |= entry[4] && get_le32(entry + 12);
	}
	if (i < 4 || !is_filled)
		add(look, "a boot sector");
	else if (sector[450] == 0xee)
		add(look, NAME_GPT);
	else
		add(look, "an MBR partition table");
}

/* Features that a file system's mark does not tell: what ext4 has and ext3 has not. */
#define EXT_COMPAT_JOURNAL	0x0004u
#define EXT_INCOMPAT_JOURNAL	0x0008u
#define EXT_INCOMPAT_OLD	0x001fu
#define EXT_RO_COMPAT_OLD	0x0007u

static void find_ext(struct look *look)
{
	const unsigned char *super = at(look, 1024, 1024);

	if (!super || super[56] != 0x53 || super[57] != 0xef)
		return;
	if (get_le32(super + 96) & EXT_INCOMPAT_JOURNAL)
		add(look, "an ext journal");
	else if (get_le32(super + 96) & ~EXT_INCOMPAT_OLD ||
		 get_le32(super + 100) & ~EXT_RO_COMPAT_OLD)
		add(look, "an ext4 file system");
	else if (get_le32(super + 92) & EXT_COMPAT_JOURNAL)
		add(look, "an ext3 file system");
	else
		add(look, "an ext2 file system");
}

/* Its label is in one of the first four sectors. */
static void find_lvm(struct look *look)
{
	unsigned int sector;

	for (sector = 0; sector < 4; sector++)
		if (has(look, sector * 512, "LABELONE", 8) &&
		    has(look, sector * 512 + 24, "LVM2", 4))
			add(look, NAME_LVM);
}

static void find_backup_gpt(struct look *look)
{
	unsigned long long bytes = look->disk->bytes;

	if (bytes < BLOCK)
		return;
	if (has(look, bytes - 512, "EFI PART", 8) || has(look, bytes - BLOCK, "EFI PART", 8))
		add(look, NAME_GPT);
}

/* Versions 0.90 (in the order of the machine's bytes) and 1.0 are at the end. */
static void find_md_at_end(struct look *look)
{
	unsigned long long bytes = look->disk->bytes;

	if (bytes < 128 * KIB)
		return;
	bytes = bytes / (64 * KIB) * (64 * KIB) - 64 * KIB;
	if (has(look, bytes, "\xfc\x4e\x2b\xa9", 4) || has(look, bytes, "\xa9\x2b\x4e\xfc", 4))
		add(look, NAME_MD);
	bytes = (look->disk->bytes / 512 - 16) / 8 * BLOCK;
	if (has(look, bytes, "\xfc\x4e\x2b\xa9", 4))
		add(look, NAME_MD);
}

/*
 * A label is 256 KiB: a list of names and values at 16 KiB, of which the first name
 * is enough, and uberblocks behind 128 KiB, in any of many places.
 */
static bool is_zfs_label(struct look *look, unsigned long long label)
{
	const unsigned char *list = at(look, label + 16 * KIB, 32);
	unsigned long long uberblock;
	const unsigned char *magic;

	if (list && list[0] == 1 && list[1] < 2 && !list[2] && !list[3] &&
	    get_be32(list + 20) == 7 && !memcmp(list + 24, "version", 7))
		return true;
	for (uberblock = 128 * KIB; uberblock < 256 * KIB; uberblock += KIB) {
		magic = at(look, label + uberblock, 8);
		if (magic && (get_le32(magic) == 0x00bab10c || get_be32(magic + 4) == 0x00bab10c))
			return true;
	}
	return false;
}

static void find_zfs(struct look *look)
{
	unsigned long long bytes = look->disk->bytes / (256 * KIB) * (256 * KIB);
	unsigned int nth;

	if (bytes < 1024 * KIB)
		return;
	for (nth = 0; nth < 4; nth++) {
		unsigned long long label = (nth & 1) * 256 * KIB;

		if (nth >= 2)
			label += bytes - 512 * KIB;
		if (is_zfs_label(look, label)) {
			add(look, NAME_ZFS);
			return;
		}
	}
}

/* ---- all of them ----------------------------------------------------------- */

int signatures_find(const struct signature_disk *disk, struct signatures *found)
{
	struct look look = { .disk = disk, .found = found, .nr = ~0ull };

	memset(found, 0, sizeof(*found));
	find_ours(&look);
	find_marks(&look);
	find_lvm(&look);
	find_ext(&look);
	find_mbr(&look);
	find_backup_gpt(&look);
	find_md_at_end(&look);
	find_zfs(&look);
	return look.error;
}

const char *signatures_text(const struct signatures *found, char *buf, size_t bytes)
{
	size_t used = 0;
	unsigned int i;

	*buf = '\0';
	for (i = 0; i < found->nr && used < bytes; i++)
		used += snprintf(buf + used, bytes - used, "%s%s",
				 !i ? "" : i + 1 < found->nr ? ", " : " and ", found->name[i]);
	return buf;
}
