// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * map.c - where every block of the disk is, and where the map's own pages are.
 *
 * The map is flat: one 32-bit ppa for each 4 KiB block.  Its pages (1024
 * entries) are journaled to the media; the directory says where each page's
 * newest copy is, and the root says where the directory's pages are.
 *
 * Invariants
 * Q1  seg->valid is the number of map entries, directory references and root
 *     references that point into the segment.
 * Q2  A map page whose newest copy on the media may differ from memory is
 *     dirty.
 * Q3  A segment that a metadata page left is not erased before a root
 *     captured after that is durable (seg->hold): the old root still refers
 *     to the old page.
 * Q4  The map is changed under the lock, by aligned 32-bit stores; it may be
 *     read without.
 */
#include "int.h"

int vsl_map_alloc(struct vsl_core *core)
{
	const struct vsl_geo *geo = &core->geo;
	u32 i;

	core->map = vsl_zalloc(core, geo->map_pages, VSL_BLOCK_BYTES);
	core->dirty = vsl_zalloc(core, geo->map_pages / 8 + 1, 1);
	core->dir = vsl_zalloc(core, geo->map_pages, sizeof(*core->dir));
	core->dir_ref = vsl_zalloc(core, geo->dir_pages, sizeof(*core->dir_ref));
	core->segtab_ref = vsl_zalloc(core, geo->segtab_pages,
				      sizeof(*core->segtab_ref));
	if (!core->map || !core->dirty || !core->dir || !core->dir_ref ||
	    !core->segtab_ref)
		return -ENOMEM;
	memset(core->map, 0xff, (size_t)geo->map_pages * VSL_BLOCK_BYTES);
	for (i = 0; i < geo->map_pages; i++)
		core->dir[i].ppa = VSL_PPA_NONE;
	for (i = 0; i < geo->dir_pages; i++)
		core->dir_ref[i].ppa = VSL_PPA_NONE;
	for (i = 0; i < geo->segtab_pages; i++)
		core->segtab_ref[i].ppa = VSL_PPA_NONE;
	return 0;
}

void vsl_map_free(struct vsl_core *core)
{
	vsl_port_free(core->map);
	vsl_port_free(core->dirty);
	vsl_port_free(core->dir);
	vsl_port_free(core->dir_ref);
	vsl_port_free(core->segtab_ref);
}

void vsl_map_dirty(struct vsl_core *core, u32 page)
{
	if (vsl_bit(core->dirty, page))
		return;
	vsl_bit_set(core->dirty, page);
	core->nr_dirty++;
}

void vsl_map_set(struct vsl_core *core, u32 lba, u32 ppa)
{
	u32 old = core->map[lba];

	if (old == ppa)
		return;
	WRITE_ONCE(core->map[lba], ppa);
	core->mapped += (ppa != VSL_PPA_NONE) - (old != VSL_PPA_NONE);
	core->lost += (ppa == VSL_PPA_LOST) - (old == VSL_PPA_LOST);
	if (vsl_ppa_is_block(ppa))
		vsl_seg_ref(core, ppa, 1);
	if (vsl_ppa_is_block(old))
		vsl_seg_ref(core, old, -1);
	vsl_map_dirty(core, lba / VSL_MAP_PER_PAGE);
}

void vsl_ref_set(struct vsl_core *core, struct vsl_ref *ref, u32 ppa, u32 crc)
{
	u32 old = ref->ppa;

	ref->ppa = ppa;
	ref->crc = crc;
	if (vsl_ppa_is_block(ppa))
		vsl_seg_ref(core, ppa, 1);
	if (vsl_ppa_is_block(old)) {
		core->seg[vsl_ppa_seg(&core->geo, old)].hold =
			core->captures + 1;
		vsl_seg_ref(core, old, -1);
	}
}

/* The reference to page @page of kind @kind. */
struct vsl_ref *vsl_ref_of(struct vsl_core *core, u8 kind, u32 page)
{
	switch (kind) {
	case VSL_ENTRY_MAP:
		return page < core->geo.map_pages ? &core->dir[page] : NULL;
	case VSL_ENTRY_DIR:
		return page < core->geo.dir_pages ? &core->dir_ref[page] : NULL;
	case VSL_ENTRY_SEGTAB:
		return page < core->geo.segtab_pages ?
		       &core->segtab_ref[page] : NULL;
	default:
		return NULL;
	}
}

/* Segment table entries of a page: the first one and how many. */
static void segtab_range(const struct vsl_core *core, u32 page, u32 *first,
			 u32 *nr, u32 *stride)
{
	*stride = sizeof(struct vsl_disk_segment) + core->geo.unit_bytes;
	*nr = VSL_BLOCK_BYTES / *stride;
	*first = page * *nr;
	*nr = min_t(u32, *nr, core->geo.segments - *first);
}

static void segtab_fill(struct vsl_core *core, u32 page, u8 *buf)
{
	struct vsl_disk_segment *disk;
	u32 first, nr, stride, i, byte;

	segtab_range(core, page, &first, &nr, &stride);
	for (i = 0; i < nr; i++) {
		const struct vsl_segment *seg = &core->seg[first + i];
		u8 *units = buf + i * stride + sizeof(*disk);

		disk = (struct vsl_disk_segment *)(buf + i * stride);
		disk->alloc_no = cpu_to_le64(seg->alloc_no);
		disk->last_version = cpu_to_le64(seg->last_version);
		disk->erases = cpu_to_le32(seg->erases);
		disk->stream = cpu_to_le32(seg->stream);
		if (core->geo.parity)
			disk->stream |= cpu_to_le32(seg->rows << 8);
		for (byte = 0; byte < core->geo.unit_bytes; byte++)
			units[byte] = vsl_seg_units(core, first + i)[byte];
	}
}

static void dir_fill(const struct vsl_core *core, u32 page,
		     struct vsl_disk_ref *ref)
{
	u32 first = page * VSL_REFS_PER_PAGE, i;

	for (i = 0; i < VSL_REFS_PER_PAGE; i++) {
		if (first + i >= core->geo.map_pages) {
			ref[i].ppa = cpu_to_le32(VSL_PPA_NONE);
			continue;
		}
		ref[i].ppa = cpu_to_le32(core->dir[first + i].ppa);
		ref[i].crc = cpu_to_le32(core->dir[first + i].crc);
	}
}

/*
 * Write page @page of kind @kind as it is now into @buf.
 *
 * Context: any; without the lock the page may be a mixture of before and
 * after of changes made meanwhile, entry by entry.  For map pages that is
 * fine: a change made after the base was captured is in the log behind it.
 * Directory and segment table pages do not change while they are taken.
 */
void vsl_page_fill(struct vsl_core *core, u8 kind, u32 page, void *buf)
{
	const u32 *map = core->map + (size_t)page * VSL_MAP_PER_PAGE;
	__le32 *out = buf;
	u32 i;

	if (kind == VSL_ENTRY_MAP) {
		for (i = 0; i < VSL_MAP_PER_PAGE; i++)
			out[i] = cpu_to_le32(READ_ONCE(map[i]));
		return;
	}
	memset(buf, 0, VSL_BLOCK_BYTES);
	if (kind == VSL_ENTRY_DIR)
		dir_fill(core, page, buf);
	else
		segtab_fill(core, page, buf);
}

static int map_parse(struct vsl_core *core, u32 page, const __le32 *in)
{
	u32 *map = core->map + (size_t)page * VSL_MAP_PER_PAGE;
	u32 first = page * VSL_MAP_PER_PAGE, i;

	for (i = 0; i < VSL_MAP_PER_PAGE; i++) {
		u32 ppa = le32_to_cpu(in[i]);

		if (first + i >= core->geo.lba_blocks)
			ppa = VSL_PPA_NONE;
		else if (ppa != VSL_PPA_NONE && ppa != VSL_PPA_LOST &&
			 !vsl_ppa_valid(&core->geo, ppa))
			return -EUCLEAN;
		map[i] = ppa;
	}
	return 0;
}

static int dir_parse(struct vsl_core *core, u32 page,
		     const struct vsl_disk_ref *ref)
{
	u32 first = page * VSL_REFS_PER_PAGE, i;

	for (i = 0; i < VSL_REFS_PER_PAGE; i++) {
		u32 ppa = le32_to_cpu(ref[i].ppa);

		if (first + i >= core->geo.map_pages)
			break;
		if (ppa != VSL_PPA_NONE && !vsl_ppa_valid(&core->geo, ppa))
			return -EUCLEAN;
		core->dir[first + i].ppa = ppa;
		core->dir[first + i].crc = le32_to_cpu(ref[i].crc);
	}
	return 0;
}

static int segtab_parse(struct vsl_core *core, u32 page, const u8 *buf)
{
	const struct vsl_disk_segment *disk;
	u32 first, nr, stride, i, unit;

	segtab_range(core, page, &first, &nr, &stride);
	for (i = 0; i < nr; i++) {
		struct vsl_segment *seg = &core->seg[first + i];
		const u8 *units = buf + i * stride + sizeof(*disk);
		u8 *now = vsl_seg_units(core, first + i);

		disk = (const struct vsl_disk_segment *)(buf + i * stride);
		seg->alloc_no = le64_to_cpu(disk->alloc_no);
		seg->last_version = le64_to_cpu(disk->last_version);
		seg->erases = le32_to_cpu(disk->erases);
		seg->stream = (u8)le32_to_cpu(disk->stream);
		seg->rows = le32_to_cpu(disk->stream) >> 8;
		/* Root lanes are never part of a segment, whatever is said. */
		for (unit = 0; unit < core->geo.units; unit++)
			if (!vsl_bit(units, unit))
				vsl_bit_clear(now, unit);
	}
	return 0;
}

/*
 * Take over page @page of kind @kind from @buf, whose CRC was right.  Valid
 * counts are not touched: attach counts once everything is loaded.
 *
 * Return: 0, -EUCLEAN: it holds nonsense.
 */
int vsl_page_parse(struct vsl_core *core, u8 kind, u32 page, const void *buf)
{
	switch (kind) {
	case VSL_ENTRY_MAP:
		return map_parse(core, page, buf);
	case VSL_ENTRY_DIR:
		return dir_parse(core, page, buf);
	default:
		return segtab_parse(core, page, buf);
	}
}
