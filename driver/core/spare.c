// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * spare.c - the record in the spare bytes of a block.
 *
 * On a card with spare bytes every block of a packet or a summary is programmed
 * together with a record of what it is: which block of the disk, the CRC of its
 * content, where it lies, and which allocation of the segment wrote it.  A read
 * that brings something else is found out by whoever asked for it:
 *
 *	corrupt		the CRC is not that of the content
 *	misdirected	the record is of another place or another block
 *	stale		it is of the place, but of an allocation before this one:
 *			an erase or a program has not done what it said
 *
 * The record is compared outside the lock wherever host data is concerned: in
 * vsl_core_read_fast_done(), or by an operation for a processor.  What is not as
 * it should be is read once more, into a slot of the core's own; if it is wrong
 * again the block is unreadable.
 *
 * Whether a format has records is said in its root, and does not change.  So a
 * card that was formatted without is read as it always was.
 *
 * Invariants
 * J1  A block the map refers to has a record where the format has them.
 * J2  What is compared with a record was asked for by its place; nothing is
 *     believed because of a record.
 */
#include "int.h"

/* Has the card room for records? */
bool vsl_spare_fits(const struct vsl_media_info *info)
{
	return info->oob_bytes >= sizeof(struct vsl_disk_spare) &&
	       info->oob_bytes <= VSL_SPARE_MAX && info->oob_bytes % 8 == 0;
}

/* The record of a block; @spare: its spare bytes. */
void vsl_spare_fill(const struct vsl_core *core, void *spare, u32 lba, u32 crc,
		    u32 ppa)
{
	u64 alloc_no = core->seg[vsl_ppa_seg(&core->geo, ppa)].alloc_no;
	struct vsl_disk_spare *disk = spare;

	memset(spare, 0, core->spare_bytes);
	disk->lba = cpu_to_le32(lba);
	disk->crc = cpu_to_le32(crc);
	disk->ppa = cpu_to_le32(ppa);
	disk->alloc = cpu_to_le32((u32)alloc_no);
}

/**
 * vsl_spare_good() - is this the block that was asked for?
 * @core: the core
 * @spare: the spare bytes that came with it
 * @lba: what it should be
 * @ppa: where it was read
 * @crc: of what was read
 *
 * Where nobody knows any more which allocation a segment is of, that is not
 * compared.
 *
 * Context: any, while the segment has a reader.
 */
bool vsl_spare_good(const struct vsl_core *core, const void *spare, u32 lba,
		    u32 ppa, u32 crc)
{
	u64 alloc_no = core->seg[vsl_ppa_seg(&core->geo, ppa)].alloc_no;
	const struct vsl_disk_spare *disk = spare;

	return le32_to_cpu(disk->crc) == crc && le32_to_cpu(disk->ppa) == ppa &&
	       le32_to_cpu(disk->lba) == lba &&
	       (!alloc_no || le32_to_cpu(disk->alloc) == (u32)alloc_no);
}

/* The same for whoever does not know what the block is, only where. */
bool vsl_spare_place_good(const struct vsl_core *core, const void *spare,
			  u32 ppa, const void *buf)
{
	const struct vsl_disk_spare *disk = spare;

	(void)core;
	return le32_to_cpu(disk->ppa) == ppa &&
	       le32_to_cpu(disk->crc) ==
	       vsl_port_crc32c(VSL_CRC_SEED, buf, VSL_BLOCK_BYTES);
}

/**
 * vsl_spare_check() - which blocks of a read are not what was asked for?
 * @core: the core
 * @op: a read that has ended well, with its spare bytes
 * @lba: block of the disk that its first one should be
 *
 * Context: any, while the segment has a reader.
 * Return: bit i is set if block i is wrong.
 */
u64 vsl_spare_check(const struct vsl_core *core, const struct vsl_op *op,
		    u32 lba)
{
	u32 ppa = vsl_ppa(&core->geo, op->eu, op->unit, op->off), i, crc;
	const u8 *spare = op->oob;
	u64 bad = 0;

	for (i = 0; i < op->nr; i++, spare += core->spare_bytes) {
		crc = vsl_vec_crc(op->vec, op->nr_vecs,
				  op->skip_bytes + i * VSL_BLOCK_BYTES,
				  VSL_BLOCK_BYTES);
		if (!vsl_spare_good(core, spare, lba + i, ppa + i, crc))
			bad |= 1ull << i;
	}
	return bad;
}
