/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * layout.h - where things lie on a card: arithmetic only.
 */
#ifndef VSL_CORE_LAYOUT_H
#define VSL_CORE_LAYOUT_H

#include "port.h"
#include "format.h"
#include "../media/media.h"

/*
 * A physical block address (ppa): segment, parallel unit and block within the
 * erase unit, in one 32-bit word.  Segment s is erase unit s of every unit.
 */
#define VSL_PPA_NONE	0xffffffffu	/* not mapped: reads zeros */
#define VSL_PPA_LOST	0xfffffffeu	/* content lost: reads an error */
#define VSL_PPA_MAX	0xffffff00u

/*
 * Each append point has a segment open, which is missing as spare space: cards
 * of few segments have few of them.  A test makes do with fewer.
 */
#ifndef VSL_SEGMENTS_SEVEN
#define VSL_SEGMENTS_SEVEN	768u	/* for all seven */
#define VSL_SEGMENTS_THREE	128u	/* for three; else there are two */
#endif
#define VSL_POINTS_LEAST	2u

#define VSL_LANES	2u	/* copies of each root */
#define VSL_LANE_EUS	4u	/* erase units in a lane */

/**
 * struct vsl_geo - geometry of a card, and what follows from it
 * @units: parallel units
 * @segments: erase units in each
 * @eu_blocks: blocks in an erase unit
 * @ws_min: smallest program
 * @chunk: blocks that go to one unit before the next one's turn
 * @hole: read hole
 * @parity: 1: a chunk of each row of a segment is the XOR of the others; else 0
 * @max_blocks: most blocks of one operation, a multiple of @ws_min
 * @off_bits: bits of a ppa for the block within the erase unit
 * @unit_bits: bits of a ppa for the unit
 * @unit_bytes: bytes of a bitmap of units, a multiple of 8
 * @units_min: a segment of fewer good units is not used
 * @sum_blocks: blocks at a segment's end for the summary
 * @points: append points for data
 * @packet_blocks: data blocks of a packet, at most; one fits any segment
 * @atomic_blocks: a write of so many blocks goes to one packet
 * @root_blocks: blocks of a root record
 * @root_stride: blocks a root record takes in its lane, padding included
 * @lba_blocks: size of the disk in blocks
 * @map_pages: pages of the map
 * @dir_pages: pages of the directory
 * @segtab_pages: pages of the segment table
 */
struct vsl_geo {
	u32 units;
	u32 segments;
	u32 eu_blocks;
	u32 ws_min;
	u32 chunk;
	u32 hole;
	u32 parity;
	u32 max_blocks;
	u32 off_bits;
	u32 unit_bits;
	u32 unit_bytes;
	u32 units_min;
	u32 sum_blocks;
	u32 points;
	u32 packet_blocks;
	u32 atomic_blocks;
	u32 root_blocks;
	u32 root_stride;
	u32 lba_blocks;
	u32 map_pages;
	u32 dir_pages;
	u32 segtab_pages;
};

/**
 * struct vsl_stripe - the units of one segment, in order
 * @nr: how many
 * @unit: which
 */
struct vsl_stripe {
	u32 nr;
	u16 unit[VSL_MEDIA_UNITS_MAX];
};

/**
 * struct vsl_free_levels - how many segments must be free for what
 * @check: a checkpoint of everything
 * @moved: the groomer opens one, while a checkpoint is under way
 * @host: the host opens one
 * @target: nobody grooms
 */
struct vsl_free_levels {
	u32 check;
	u32 moved;
	u32 host;
	u32 target;
};

int vsl_geo_init(struct vsl_geo *geo, const struct vsl_media_info *info);
int vsl_geo_protect(struct vsl_geo *geo);
int vsl_geo_set_size(struct vsl_geo *geo, u64 lba_blocks);
void vsl_geo_free_levels(const struct vsl_geo *geo,
			 struct vsl_free_levels *levels);
u32 vsl_geo_reserve_segments(const struct vsl_geo *geo);
u64 vsl_geo_needed_blocks(const struct vsl_geo *geo);
u64 vsl_geo_data_blocks(const struct vsl_geo *geo, u64 raw_blocks);

void vsl_lane_place(const struct vsl_geo *geo, u32 lane, u32 nth, u32 *unit,
		    u32 *eu);
bool vsl_lane_owns(const struct vsl_geo *geo, u32 unit, u32 eu);

void vsl_stripe_init(struct vsl_stripe *stripe, const struct vsl_geo *geo,
		     const u8 *units);
u32 vsl_stripe_ppa(const struct vsl_stripe *stripe, const struct vsl_geo *geo,
		   u32 seg, u32 index);

static inline u32 vsl_ppa(const struct vsl_geo *geo, u32 seg, u32 unit, u32 off)
{
	return (seg << geo->unit_bits | unit) << geo->off_bits | off;
}

static inline u32 vsl_ppa_seg(const struct vsl_geo *geo, u32 ppa)
{
	return ppa >> (geo->unit_bits + geo->off_bits);
}

static inline u32 vsl_ppa_unit(const struct vsl_geo *geo, u32 ppa)
{
	return ppa >> geo->off_bits & ((1u << geo->unit_bits) - 1);
}

static inline u32 vsl_ppa_off(const struct vsl_geo *geo, u32 ppa)
{
	return ppa & ((1u << geo->off_bits) - 1);
}

static inline bool vsl_ppa_is_block(u32 ppa)
{
	return ppa < VSL_PPA_MAX;
}

bool vsl_ppa_valid(const struct vsl_geo *geo, u32 ppa);

/* blocks of a segment of @nr units but for parity, and those before its summary */
static inline u32 vsl_seg_blocks(const struct vsl_geo *geo, u32 nr)
{
	return (nr - geo->parity) * geo->eu_blocks;
}

static inline u32 vsl_seg_limit(const struct vsl_geo *geo, u32 nr)
{
	return vsl_seg_blocks(geo, nr) - geo->sum_blocks;
}

/* blocks of a row of it, and how many rows there are */
static inline u32 vsl_row_blocks(const struct vsl_geo *geo, u32 nr)
{
	return (nr - geo->parity) * geo->chunk;
}

static inline u32 vsl_seg_rows(const struct vsl_geo *geo)
{
	return geo->eu_blocks / geo->chunk;
}

/* @n rounded up to a multiple of @to, any @to */
static inline u32 vsl_round(u32 n, u32 to)
{
	return DIV_ROUND_UP(n, to) * to;
}

static inline bool vsl_bit(const u8 *map, u32 bit)
{
	return map[bit / 8] >> (bit % 8) & 1;
}

static inline void vsl_bit_set(u8 *map, u32 bit)
{
	map[bit / 8] |= 1u << (bit % 8);
}

static inline void vsl_bit_clear(u8 *map, u32 bit)
{
	map[bit / 8] &= ~(1u << (bit % 8));
}

#endif /* VSL_CORE_LAYOUT_H */
