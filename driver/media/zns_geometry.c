// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * zns_geometry.c - how zones are divided into units.
 *
 * An erase unit is a zone.  A segment of the core is one zone of each unit, so the
 * number of units says how large segments are, how many there are, and how many
 * zones are written at once:
 *
 *	eight		what is written at once, as in flat_geometry.c
 *	fewer		where few zones may be active: each append point has a
 *			segment open, and three of them are worth more than units;
 *			or where there are few zones: a segment that is held in
 *			reserve is missing as space
 *	more		where there are very many zones: each segment costs memory
 *
 * G1  It is a function of what does not change while a card is in use: the number
 *     of its zones, what most of them hold, and its limits.  To change a number here
 *     is a new format.
 * G2  A zone that holds less than the others is no erase unit; of one that holds
 *     more the rest is not used.
 */
#include "zns.h"

#define UNITS			8u
#define UNITS_FEW		2u
#define UNITS_MOST		64u
/* Active zones of each unit: three append points, the map's, and one. */
#define ACTIVE_PER_UNIT		5u
/* Those, and the two lanes of roots. */
#define ACTIVE_LEAST		6u
#define SEGMENTS_FEW		256u
#define SEGMENTS_LEAST		64u
#define SEGMENTS_MOST		16384u
#define CHUNK_BLOCKS		16u
#define EU_BLOCKS_MOST		(1u << 20)

/* The core's bounds: blocks of a segment, and numbers for all blocks. */
#define SEGMENT_BLOCKS_MOST	(1u << 24)
#define PLACES_MOST		0xffffff00u

u32 vsl_zns_limit(const struct nvme_id_zoned *id)
{
	u32 limit = min(le32_to_cpu(id->most_active),
			le32_to_cpu(id->most_open));

	return limit == NVME_ZONES_ANY ? 0 : limit + 1;
}

u32 vsl_zns_capacity(const u32 *blocks, u32 nr)
{
	u32 choice = 0, votes = 0, found = 0, least = 0, i;

	/* If more than half are the same, what is left is that. */
	for (i = 0; i < nr; i++) {
		if (!votes)
			choice = blocks[i];
		votes = blocks[i] == choice ? votes + 1 : votes - 1;
		if (blocks[i] && (!least || blocks[i] < least))
			least = blocks[i];
	}
	for (i = 0; i < nr; i++)
		found += blocks[i] == choice;
	return choice && found > nr / 2 ? choice : least;
}

static u32 bits_for(u32 n)
{
	return n > 1 ? ilog2(n - 1) + 1 : 0;
}

static u32 units_for(u32 nr, u32 eu_blocks, u32 limit)
{
	u32 most = UNITS_MOST, units = UNITS;

	if (limit)
		most = min(most, limit / ACTIVE_PER_UNIT);
	most = min(most, SEGMENT_BLOCKS_MOST / eu_blocks);
	units = min(units, most);
	while (units < most && nr / units > SEGMENTS_MOST)
		units++;
	while (units > UNITS_FEW && nr / units < SEGMENTS_FEW)
		units--;
	return nr / units < SEGMENTS_LEAST ? 1 : units;
}

int vsl_zns_geometry(u32 nr, u32 capacity, u32 limit,
		     struct vsl_media_info *info)
{
	u32 eu_blocks = min(capacity, EU_BLOCKS_MOST), units, bits;

	eu_blocks -= eu_blocks % CHUNK_BLOCKS;
	if (!eu_blocks || nr < SEGMENTS_LEAST)
		return -ERANGE;
	if (limit && limit < ACTIVE_LEAST)
		return -EMFILE;
	units = units_for(nr, eu_blocks, limit);
	bits = bits_for(eu_blocks) + bits_for(units);
	info->units = units;
	info->eus = min(nr / units, PLACES_MOST >> bits);
	info->eu_blocks = eu_blocks;
	info->ws_min = 1;
	info->ws_opt = CHUNK_BLOCKS;
	info->hole = 0;
	info->max_open = limit;
	return 0;
}
