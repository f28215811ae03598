// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * layout.c - where things lie on a card: arithmetic only.
 *
 * Segment s is made of erase unit s of every parallel unit, but for those that
 * are bad or belong to a root lane.  The blocks of a segment are numbered
 * (their "index") row by row: @chunk blocks on the first good unit, @chunk on
 * the second, and so on, then the next row.  The last @sum_blocks of them hold
 * the summary.  Where there is parity, row r leaves out the unit at position
 * r % n of the n good ones: that chunk has no index.
 *
 * A root lane is VSL_LANE_EUS erase units of one parallel unit; the two lanes
 * lie on different units where the card has more than one.
 *
 * Invariants
 * L1  A ppa below VSL_PPA_MAX of a known segment and unit is a block of the
 *     card; the numbers above it are words, not places.
 * L2  Every index of a segment is one ppa, whatever its bad units are: the ppa
 *     does not depend on them, only the order does.
 */
#include "layout.h"

static u32 bits_for(u32 n)
{
	return n > 1 ? ilog2(n - 1) + 1 : 0;
}

/*
 * Room for the summary of a full segment.  Trims need entries but no blocks:
 * with many of them there may be none (summary.c).
 */
static u32 summary_blocks(const struct vsl_geo *geo)
{
	u32 blocks = vsl_seg_blocks(geo, geo->units);
	u32 bytes = sizeof(struct vsl_disk_summary) +
		    blocks * sizeof(struct vsl_disk_entry) +
		    (blocks / 8 + 1) * sizeof(struct vsl_disk_record);

	return vsl_round(DIV_ROUND_UP(bytes, VSL_BLOCK_BYTES), geo->ws_min);
}

/* Append points for data that the card has room for, 2, 3 or 7. */
static u32 points_for(const struct vsl_media_info *info)
{
	u32 open = info->max_open / info->units;

	/* the map's is open too, and the lanes */
	if (!info->max_open)
		open = VSL_POINTS + 2;
	if (info->eus >= VSL_SEGMENTS_SEVEN && open >= VSL_POINTS + 2)
		return VSL_POINTS;
	if (info->eus >= VSL_SEGMENTS_THREE && open >= 5)
		return 3;
	return VSL_POINTS_LEAST;
}

/* What follows from how many units a segment has. */
static int init_segments(struct vsl_geo *geo)
{
	u32 room;

	geo->sum_blocks = summary_blocks(geo);
	if (vsl_seg_blocks(geo, geo->units_min) <
	    geo->sum_blocks + 2 * geo->ws_min + 2)
		return -EUCLEAN;
	room = vsl_seg_limit(geo, geo->units_min) - 1;
	geo->packet_blocks = min_t(u32, room, VSL_PACKET_BLOCKS);
	geo->atomic_blocks = min_t(u32, room / 8, VSL_PACKET_BLOCKS);
	if (geo->atomic_blocks < 8)
		geo->atomic_blocks = min_t(u32, room, 8);
	return 0;
}

/**
 * vsl_geo_init() - what follows from the card alone
 * @geo: the answer
 * @info: the card
 *
 * The end of a segment is left empty when an atomic write does not fit there
 * any more.  So on small segments such a write is an eighth of one at most (but
 * may be 8 blocks): what is left empty would be missing as spare space.
 *
 * Context: any.
 * Return: 0, -EUCLEAN: the core cannot serve this geometry.
 */
int vsl_geo_init(struct vsl_geo *geo, const struct vsl_media_info *info)
{
	u32 bits;

	memset(geo, 0, sizeof(*geo));
	if (!info->units || info->units > VSL_MEDIA_UNITS_MAX ||
	    info->eus < 16 || info->eus > (1u << 24) || !info->ws_min ||
	    info->eu_blocks < 4 || info->eu_blocks > (1u << 20) ||
	    info->eu_blocks % info->ws_min || info->max_blocks < info->ws_min)
		return -EUCLEAN;

	geo->units = info->units;
	geo->segments = info->eus;
	geo->eu_blocks = info->eu_blocks;
	geo->ws_min = info->ws_min;
	geo->hole = info->hole;
	geo->chunk = info->ws_min;
	if (info->ws_opt && info->ws_opt % info->ws_min == 0 &&
	    info->eu_blocks % info->ws_opt == 0)
		geo->chunk = info->ws_opt;
	geo->max_blocks = min_t(u32, info->max_blocks, 64);
	geo->max_blocks -= geo->max_blocks % info->ws_min;
	if (!geo->max_blocks)
		return -EUCLEAN;
	geo->off_bits = bits_for(info->eu_blocks);
	geo->unit_bits = bits_for(info->units);
	bits = geo->off_bits + geo->unit_bits;
	if (bits >= 32 || (u64)info->eus << bits > VSL_PPA_MAX ||
	    (u64)info->units * info->eu_blocks > (1u << 24))
		return -EUCLEAN;
	geo->unit_bytes = DIV_ROUND_UP(info->units, 64) * 8;
	geo->units_min = DIV_ROUND_UP(info->units, 2);
	geo->points = points_for(info);
	return init_segments(geo);
}

/**
 * vsl_geo_protect() - what follows from parity
 * @geo: initialised by vsl_geo_init()
 *
 * Two units hold the same: their parity is a copy.
 *
 * Context: any.
 * Return: 0, -EUCLEAN: there is nothing to put it on.
 */
int vsl_geo_protect(struct vsl_geo *geo)
{
	if (geo->units < 3)
		return -EUCLEAN;
	geo->parity = 1;
	geo->units_min = max_t(u32, geo->units_min, 2);
	return init_segments(geo);
}

/**
 * vsl_geo_set_size() - what follows from the size of the disk
 * @geo: initialised by vsl_geo_init()
 * @lba_blocks: size of the disk in blocks
 *
 * Context: any.
 * Return: 0, -ERANGE: no disk of this size fits the format.
 */
int vsl_geo_set_size(struct vsl_geo *geo, u64 lba_blocks)
{
	u32 per_page = VSL_BLOCK_BYTES /
		       (sizeof(struct vsl_disk_segment) + geo->unit_bytes);
	u32 bytes;

	if (!lba_blocks || lba_blocks >= VSL_PPA_MAX)
		return -ERANGE;
	geo->lba_blocks = lba_blocks;
	geo->map_pages = DIV_ROUND_UP(geo->lba_blocks, VSL_MAP_PER_PAGE);
	geo->dir_pages = DIV_ROUND_UP(geo->map_pages, VSL_REFS_PER_PAGE);
	geo->segtab_pages = DIV_ROUND_UP(geo->segments, per_page);
	bytes = sizeof(struct vsl_disk_root) + sizeof(struct vsl_disk_ref) *
		(geo->dir_pages + geo->segtab_pages);
	geo->root_blocks = DIV_ROUND_UP(bytes, VSL_BLOCK_BYTES);
	geo->root_stride = vsl_round(geo->root_blocks, geo->ws_min) +
			   vsl_round(geo->hole, geo->ws_min);
	if (geo->root_stride > geo->eu_blocks)
		return -ERANGE;
	return 0;
}

/**
 * vsl_geo_free_levels() - segments the log needs free to keep moving
 * @geo: with its size set
 * @levels: the answer
 *
 * A checkpoint of everything must always fit, and where there are many append
 * points another segment for each: when a unit dies all fail at once, and must
 * be written again before anything can be erased.  The groomer may use the slack
 * above that while there is none; the host stops before both; grooming begins
 * a little earlier than that.
 */
void vsl_geo_free_levels(const struct vsl_geo *geo,
			 struct vsl_free_levels *levels)
{
	u32 pages = geo->map_pages + geo->dir_pages + geo->segtab_pages;
	u32 room = vsl_geo_data_blocks(geo, vsl_seg_limit(geo, geo->units_min));

	levels->check = DIV_ROUND_UP(pages, max_t(u32, room, 1)) + 1;
	if (geo->points > VSL_POINTS_LEAST)
		levels->check += geo->points;
	levels->moved = levels->check + 2;
	levels->host = levels->moved + 2;
	levels->target = levels->host + 2 + geo->segments / 512;
}

/**
 * vsl_geo_reserve_segments() - segments that no data of the disk may need
 * @geo: with its size set
 *
 * Those above, an open one for each append point and for the map's, the
 * announced one, and one.
 */
u32 vsl_geo_reserve_segments(const struct vsl_geo *geo)
{
	struct vsl_free_levels levels;

	vsl_geo_free_levels(geo, &levels);
	return levels.target + geo->points + 3;
}

/**
 * vsl_geo_needed_blocks() - blocks of segments a disk of this size cannot do
 * without
 * @geo: with its size set
 *
 * Its data in full packets, and the reserve.
 */
u64 vsl_geo_needed_blocks(const struct vsl_geo *geo)
{
	u32 data = geo->packet_blocks;
	u32 packet = vsl_round(1 + data, geo->ws_min);
	u64 raw = ((u64)geo->lba_blocks * packet + data - 1) / data;

	return raw + (u64)vsl_geo_reserve_segments(geo) *
	       vsl_seg_limit(geo, geo->units);
}

/**
 * vsl_geo_data_blocks() - what is left for data of @raw_blocks
 * @geo: the geometry
 * @raw_blocks: blocks of segments, summaries not counted
 *
 * Packets of the groomer are full ones.
 */
u64 vsl_geo_data_blocks(const struct vsl_geo *geo, u64 raw_blocks)
{
	u32 data = geo->packet_blocks;

	return raw_blocks * data / vsl_round(data + 1, geo->ws_min);
}

/*
 * vsl_lane_place() - the @nth erase unit of root lane @lane
 */
void vsl_lane_place(const struct vsl_geo *geo, u32 lane, u32 nth, u32 *unit,
		    u32 *eu)
{
	*unit = lane * (geo->units / 2);
	*eu = nth;
	if (geo->units == 1)
		*eu += lane * VSL_LANE_EUS;
}

/*
 * vsl_lane_owns() - does this erase unit belong to a root lane?
 */
bool vsl_lane_owns(const struct vsl_geo *geo, u32 unit, u32 eu)
{
	if (geo->units == 1)
		return eu < VSL_LANES * VSL_LANE_EUS;
	return eu < VSL_LANE_EUS && (unit == 0 || unit == geo->units / 2);
}

/**
 * vsl_stripe_init() - list the units of a segment
 * @stripe: the answer
 * @geo: the geometry
 * @units: bitmap of its good units
 */
void vsl_stripe_init(struct vsl_stripe *stripe, const struct vsl_geo *geo,
		     const u8 *units)
{
	u32 unit;

	stripe->nr = 0;
	for (unit = 0; unit < geo->units; unit++)
		if (vsl_bit(units, unit))
			stripe->unit[stripe->nr++] = unit;
}

/*
 * vsl_stripe_ppa() - block @index of segment @seg
 */
u32 vsl_stripe_ppa(const struct vsl_stripe *stripe, const struct vsl_geo *geo,
		   u32 seg, u32 index)
{
	u32 chunk = index / geo->chunk, in_row = stripe->nr - geo->parity;
	u32 row = chunk / in_row, at = chunk % in_row;

	if (geo->parity && at >= row % stripe->nr)
		at++;
	return vsl_ppa(geo, seg, stripe->unit[at],
		       row * geo->chunk + index % geo->chunk);
}

/*
 * vsl_ppa_valid() - could @ppa, read from the media, be a block of this card?
 */
bool vsl_ppa_valid(const struct vsl_geo *geo, u32 ppa)
{
	return vsl_ppa_is_block(ppa) && vsl_ppa_seg(geo, ppa) < geo->segments &&
	       vsl_ppa_unit(geo, ppa) < geo->units &&
	       vsl_ppa_off(geo, ppa) < geo->eu_blocks;
}
