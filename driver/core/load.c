// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * load.c - what a root refers to, and what the card says of itself, into
 * memory.
 *
 * The segment table, then the directory, then the pages of the map, 64 reads
 * at a time.  Each is checked against the CRC in its reference.  A page that
 * cannot be read, or is not what it should be, is told once; the blocks that it
 * knew of are lost, and reading them is an error, unless the log behind the
 * root knows better (P9).
 *
 * Nothing is written.
 */
#include "recover.h"

/* A page that cannot be read: what it told is lost, and said to be lost. */
static void page_lost(struct vsl_core *core, u8 kind, u32 page)
{
	u32 first = page * VSL_MAP_PER_PAGE, nr = VSL_MAP_PER_PAGE, i;

	if (kind == VSL_ENTRY_SEGTAB) {
		vsl_err(core, "page %u of the segment table cannot be read",
			page);
		return;
	}
	if (kind == VSL_ENTRY_DIR) {
		first *= VSL_REFS_PER_PAGE;
		nr *= VSL_REFS_PER_PAGE;
	}
	vsl_err(core, "the map of blocks %u to %u cannot be read; they are lost",
		first, first + nr - 1);
	for (i = 0; i < nr && first + i < core->geo.lba_blocks; i++) {
		core->map[first + i] = VSL_PPA_LOST;
		vsl_map_dirty(core, (first + i) / VSL_MAP_PER_PAGE);
	}
}

static int load_batch(struct vsl_core *core, struct vsl_batch *batch, u8 kind)
{
	u32 i, page;
	int ret = vsl_batch_wait(core, batch);

	for (i = 0; i < batch->nr && !ret; i++) {
		page = batch->tag[i];
		if (vsl_result_error(batch->op[i].result) ||
		    vsl_port_crc32c(VSL_CRC_SEED, batch->block[i],
				    VSL_BLOCK_BYTES) !=
		    vsl_ref_of(core, kind, page)->crc ||
		    vsl_page_parse(core, kind, page, batch->block[i]))
			page_lost(core, kind, page);
	}
	batch->nr = 0;
	return ret;
}

static int load_pages(struct vsl_core *core, struct vsl_batch *batch, u8 kind,
		      u32 nr)
{
	u32 page, ppa;
	int ret = 0;

	batch->nr = 0;
	for (page = 0; page < nr && !ret; page++) {
		ppa = vsl_ref_of(core, kind, page)->ppa;
		if (!vsl_ppa_is_block(ppa))
			continue;
		vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa),
			       vsl_ppa_seg(&core->geo, ppa),
			       vsl_ppa_off(&core->geo, ppa), page);
		if (batch->nr == VSL_BATCH)
			ret = load_batch(core, batch, kind);
		if (core->env.progress && page % 1024 == 0)
			core->env.progress(core->env.ctx,
					   (u64)page * 500 / nr);
	}
	return ret ? ret : load_batch(core, batch, kind);
}

/* vsl_load_segtab() - the segment table alone.  Return: 0, also where pages
 * were lost; -ENODEV. */
int vsl_load_segtab(struct vsl_core *core, struct vsl_batch *batch)
{
	return load_pages(core, batch, VSL_ENTRY_SEGTAB,
			  core->geo.segtab_pages);
}

/**
 * vsl_load() - bring what a root refers to into memory
 * @core: the core, its references taken from the root
 * @batch: for reading
 *
 * Return: 0, also where pages were lost; -ENODEV.
 */
int vsl_load(struct vsl_core *core, struct vsl_batch *batch)
{
	const struct vsl_geo *geo = &core->geo;
	int ret;

	ret = vsl_load_segtab(core, batch);
	core->erases_kept = vsl_seg_erases(core);
	if (!ret)
		ret = load_pages(core, batch, VSL_ENTRY_DIR, geo->dir_pages);
	if (!ret)
		ret = load_pages(core, batch, VSL_ENTRY_MAP, geo->map_pages);
	return ret;
}

/* What the card itself says of its erase units. */
int vsl_report_units(struct vsl_core *core, bool retire_now)
{
	struct vsl_eu_report *report;
	u32 unit, seg;
	int ret = 0;

	if (!(core->media->info.flags & VSL_MEDIA_REPORTS))
		return 0;
	report = vsl_port_alloc(core->geo.segments * sizeof(*report));
	if (!report)
		return -ENOMEM;
	for (unit = 0; unit < core->geo.units && !ret; unit++) {
		ret = core->media->ops->report(core->media, unit, 0,
					       core->geo.segments, report);
		for (seg = 0; seg < core->geo.segments && !ret; seg++) {
			if (report[seg].state != VSL_EU_DEAD &&
			    report[seg].state != VSL_EU_RDONLY)
				continue;
			if (retire_now)
				vsl_bit_clear(vsl_seg_units(core, seg), unit);
			else
				vsl_bit_set(vsl_seg_dead(core, seg), unit);
		}
	}
	vsl_port_free(report);
	return ret == -EOPNOTSUPP ? 0 : ret;
}
