// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * flat_geometry.c - how an ordinary disk is divided into units and erase units.
 *
 * A disk has no geometry that it would tell, so one is made up.  What counts for
 * the core is the segment, one erase unit of each unit:
 *
 *	enough of them	768 for all append points, 128 for three; each one that is
 *			held in reserve is missing as space
 *	not too many	each costs memory and a line in the segment table
 *	large		the disk beneath has its own erase blocks, and what is
 *			deallocated in pieces larger than those costs it no copies
 *
 * Units are what is written at once: eight, for a disk of this kind wants a few
 * commands, and a chunk of 64 KiB to each.
 *
 * G1  It is a function of the size alone: the same disk is divided the same way for
 *     ever, for what is on it depends on it.  Another firmware may take larger
 *     commands, or smaller ones than a chunk.  To change a number here is a new
 *     format.
 * G2  Segments are contiguous, one behind the other.  The lanes with the roots are
 *     in the first ones.
 */
#include "flat.h"

#define UNITS			8u
#define UNITS_LEAST		2u
#define EU_BYTES		(1u << 20)
#define EU_BYTES_LEAST		(256u << 10)
#define EU_BYTES_MOST		(16u << 20)
#define EU_BYTES_HUGE		(64u << 20)
#define SEGMENTS_FEW		768u
#define SEGMENTS_FEWER		256u
#define SEGMENTS_LEAST		64u
#define SEGMENTS_MANY		4096u
#define SEGMENTS_MOST		16384u
#define CHUNK_BLOCKS		16u

/* The core's numbers of blocks have 32 bits, and the last ones mean other things. */
#define BYTES_MOST		(((u64)1 << 44) - ((u64)1 << 30))

int vsl_flat_geometry(u64 bytes, struct vsl_media_info *info)
{
	u64 eu_bytes = EU_BYTES, segments;
	u32 units = UNITS;

	bytes = min(bytes, BYTES_MOST);
	segments = bytes / (units * eu_bytes);
	while ((segments > SEGMENTS_MANY && eu_bytes < EU_BYTES_MOST) ||
	       (segments > SEGMENTS_MOST && eu_bytes < EU_BYTES_HUGE)) {
		eu_bytes *= 2;
		segments /= 2;
	}
	while (segments < SEGMENTS_FEW && eu_bytes > EU_BYTES_LEAST) {
		eu_bytes /= 2;
		segments = bytes / (units * eu_bytes);
	}
	while (segments < SEGMENTS_FEWER && units > UNITS_LEAST) {
		units /= 2;
		segments = bytes / (units * eu_bytes);
	}
	if (segments < SEGMENTS_LEAST)
		return -ERANGE;
	info->units = units;
	info->eus = segments;
	info->eu_blocks = eu_bytes / VSL_BLOCK_BYTES;
	info->ws_min = 1;
	info->ws_opt = CHUNK_BLOCKS;
	info->hole = 0;
	info->max_open = 0;
	return 0;
}
