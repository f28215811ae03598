// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * audit.c - what is told of the core, and whether it agrees with itself (P7).
 */
#include "int.h"

static void wear(const struct vsl_core *core, struct vsl_core_stats *stats)
{
	u32 seg;

	stats->erase_min = ~0u;
	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		if (s->state == VSL_SEG_BAD)
			continue;
		stats->erase_min = min_t(u32, stats->erase_min, s->erases);
		stats->erase_max = max_t(u32, stats->erase_max, s->erases);
	}
	stats->erase_sum = vsl_seg_erases(core);
	stats->erase_kept = core->erases_kept;
}

static void traffic(const struct vsl_core *core, struct vsl_core_stats *stats)
{
	const u64 *counter = core->counter;

	stats->host_read_blocks = counter[VSL_COUNT_HOST_READ];
	stats->host_write_blocks = counter[VSL_COUNT_HOST_WRITE];
	stats->host_trim_blocks = counter[VSL_COUNT_HOST_TRIM];
	stats->media_read_blocks = counter[VSL_COUNT_MEDIA_READ];
	stats->media_host_blocks = counter[VSL_COUNT_MEDIA_HOST];
	stats->media_moved_blocks = counter[VSL_COUNT_MEDIA_MOVED];
	stats->media_map_blocks = counter[VSL_COUNT_MEDIA_MAP];
	stats->media_head_blocks = counter[VSL_COUNT_MEDIA_HEAD];
	stats->media_pad_blocks = counter[VSL_COUNT_MEDIA_PAD];
	stats->media_parity_blocks = counter[VSL_COUNT_MEDIA_PARITY];
	stats->media_erases = counter[VSL_COUNT_MEDIA_ERASES];
	stats->media_write_blocks = stats->media_host_blocks +
				    stats->media_moved_blocks +
				    stats->media_map_blocks +
				    stats->media_head_blocks +
				    stats->media_pad_blocks +
				    stats->media_parity_blocks;
}

static void upkeep(const struct vsl_core *core, struct vsl_core_stats *stats)
{
	stats->scrub_blocks = core->counter[VSL_COUNT_SCRUBBED];
	stats->scrub_bad = core->counter[VSL_COUNT_SCRUB_BAD];
	stats->scrub_passes = core->scrub.passes;
	stats->scrub_passed_ns = core->scrub.passed_ns;
	stats->refreshed_blocks = core->wear.refreshed;
	stats->levelled_blocks = core->wear.levelled;
	stats->erase_spread = core->wear.spread;
}

void vsl_core_stats(struct vsl_core *core, struct vsl_core_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->capacity_bytes = (u64)core->geo.lba_blocks * VSL_BLOCK_BYTES;
	stats->sector_bytes = core->sector_bytes;
	stats->health = core->health;
	stats->reason = core->reason;
	if (!stats->reason && core->flags & VSL_ATTACH_READ_ONLY)
		stats->reason = VSL_REASON_USER;
	traffic(core, stats);
	wear(core, stats);
	upkeep(core, stats);
	stats->lost_blocks = core->lost;
	stats->rebuilt_blocks = core->counter[VSL_COUNT_REBUILT];
	stats->corrupt_blocks = core->counter[VSL_COUNT_CORRUPT];
	stats->attach_read_blocks = core->attach_reads;
	stats->attach_commits = core->attach_commits;
	stats->attach_doubts = core->attach_doubts;
	stats->attach_doubt_blocks = core->attach_doubt_blocks;
	stats->groom_debt_blocks = vsl_groom_debt(core);
	stats->segments = core->geo.segments;
	stats->segments_free = core->nr_free;
	stats->segments_held = core->nr_held;
	stats->segment_blocks = vsl_seg_blocks(&core->geo, core->geo.units);
	stats->eus_total = core->geo.segments * core->geo.units;
	stats->eus_bad = core->nr_bad_eus;
	stats->spare_permyriad = vsl_seg_spare_permyriad(core);
	stats->spare_warn_permyriad = VSL_SPARE_WARN;
	stats->mapped_blocks = core->mapped;
	stats->ram_bytes = core->ram_bytes;
	stats->root_generation = core->generation;
	stats->tail_blocks = core->tail_blocks;
}

static u32 list_length(const struct list_head *list)
{
	const struct list_head *at;
	u32 nr = 0;

	for (at = list->next; at != list; at = at->next)
		nr++;
	return nr;
}

static void count_ref(const struct vsl_core *core, u32 *valid, u32 ppa)
{
	if (vsl_ppa_is_block(ppa))
		valid[vsl_ppa_seg(&core->geo, ppa)]++;
}

static int audit_valid(struct vsl_core *core, u32 *valid)
{
	u64 mapped = 0;
	u32 i;

	for (i = 0; i < core->geo.lba_blocks; i++) {
		mapped += core->map[i] != VSL_PPA_NONE;
		count_ref(core, valid, core->map[i]);
	}
	for (i = 0; i < core->geo.map_pages; i++)
		count_ref(core, valid, core->dir[i].ppa);
	for (i = 0; i < core->geo.dir_pages; i++)
		count_ref(core, valid, core->dir_ref[i].ppa);
	for (i = 0; i < core->geo.segtab_pages; i++)
		count_ref(core, valid, core->segtab_ref[i].ppa);
	for (i = 0; i < core->geo.segments; i++) {
		if (valid[i] == core->seg[i].valid)
			continue;
		vsl_err(core, "audit: segment %u has %u valid blocks, not %u",
			i, valid[i], core->seg[i].valid);
		return -EUCLEAN;
	}
	if (mapped != core->mapped) {
		vsl_err(core, "audit: %llu blocks are mapped, not %llu",
			mapped, core->mapped);
		return -EUCLEAN;
	}
	return 0;
}

static int audit_states(struct vsl_core *core)
{
	u32 nr[VSL_SEG_CLOSED + 1] = { 0 }, seg, empty = 0;

	for (seg = 0; seg < core->geo.segments; seg++) {
		const struct vsl_segment *s = &core->seg[seg];

		nr[s->state]++;
		if (s->state == VSL_SEG_CLOSED && !s->valid)
			empty++;
		if (s->valid && s->state != VSL_SEG_OPEN &&
		    s->state != VSL_SEG_CLOSED) {
			vsl_err(core, "audit: segment %u in state %u is in use",
				seg, s->state);
			return -EUCLEAN;
		}
	}
	if (nr[VSL_SEG_FREE] != list_length(&core->free_segs) ||
	    nr[VSL_SEG_CLEAN] != list_length(&core->clean_segs) ||
	    nr[VSL_SEG_CLEAN] != core->nr_clean ||
	    empty != list_length(&core->empty_segs) ||
	    empty != core->nr_held ||
	    nr[VSL_SEG_FREE] + nr[VSL_SEG_CLEAN] + nr[VSL_SEG_ERASING] !=
	    core->nr_free) {
		vsl_err(core, "audit: the lists of segments do not agree");
		return -EUCLEAN;
	}
	return 0;
}

int vsl_core_audit(struct vsl_core *core)
{
	u32 *valid = core->audit;
	u32 page, dirty = 0;
	int ret;

	memset(valid, 0, core->geo.segments * sizeof(*valid));
	ret = audit_valid(core, valid);
	ret = ret ? ret : audit_states(core);
	for (page = 0; page < core->geo.map_pages; page++)
		dirty += vsl_bit(core->dirty, page);
	if (!ret && dirty != core->nr_dirty) {
		vsl_err(core, "audit: %u map pages are dirty, not %u", dirty,
			core->nr_dirty);
		ret = -EUCLEAN;
	}
	return ret;
}
