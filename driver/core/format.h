/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * format.h - the bytes on the media, and nothing else.
 *
 * docs/FORMAT.md tells the same in words.  Everything is little-endian and
 * naturally aligned.  Heads, summaries and roots carry a CRC32C over all their
 * bytes, taken with the CRC field zero and the seed all-ones; a data block's or
 * a metadata page's is in the entry or reference that leads to it.
 *
 * Three kinds of things lie on a card:
 *   roots      in the root lanes, erase units set aside on two parallel units
 *   packets    in segments: a head block, then data blocks
 *   summaries  at the end of a closed segment: the heads again, dense
 * and beside the blocks of the last two, where the card has spare bytes, a
 * record of what they are.
 */
#ifndef VSL_CORE_FORMAT_H
#define VSL_CORE_FORMAT_H

#include "port.h"

#define VSL_FORMAT_VERSION	2u
#define VSL_CRC_SEED		0xffffffffu

#define VSL_ROOT_MAGIC		0x544f4f524c53564full	/* "OVSLROOT" */
#define VSL_HEAD_MAGIC		0x444145484b505356ull	/* "VSPKHEAD" */
#define VSL_SUMMARY_MAGIC	0x5952414d4d555356ull	/* "VSUMMARY" */

#define VSL_PACKET_BLOCKS	256u	/* data blocks with an entry, at most */
#define VSL_TRIM_BLOCKS		4096u	/* blocks of one trim entry, at most */
#define VSL_UNITS_BYTES		128u	/* bitmap of the parallel units */
#define VSL_POINTS		7u	/* append points for data, at most */
#define VSL_FORMAT_STREAMS	8u	/* these, and behind them the map's */

/* What an entry of a packet is. */
enum vsl_entry_kind {
	VSL_ENTRY_PAD,		/* a data block that means nothing */
	VSL_ENTRY_DATA,		/* data of block @lba, @arg its CRC */
	VSL_ENTRY_TRIM,		/* blocks [@lba, @lba + @arg) read zeros; no data */
	VSL_ENTRY_LOST,		/* block @lba cannot be read any more; no data */
	VSL_ENTRY_MAP,		/* page @lba of the map, @arg its CRC */
	VSL_ENTRY_DIR,		/* page @lba of the directory, @arg its CRC */
	VSL_ENTRY_SEGTAB,	/* page @lba of the segment table, @arg its CRC */
	VSL_ENTRY_NONE,		/* taken back; no data */
};

/**
 * struct vsl_disk_entry - one commit
 * @lba: block number, or page number
 * @arg: CRC of the block, or a count
 * @kind_delta: bits 28-31 enum vsl_entry_kind; bits 0-27 what the version is
 *	above the packet's base version
 */
struct vsl_disk_entry {
	__le32 lba;
	__le32 arg;
	__le32 kind_delta;
};

#define VSL_DELTA_MAX		0x0fffffffu
#define VSL_ENTRY_SHIFT		28

/**
 * struct vsl_disk_head - first block of a packet
 * @group: id of an atomic group of scattered extents; 0 none (reserved)
 * @group_flags: reserved, zero
 * @parity: 1: each row of this segment has a chunk of parity; else 0
 * @units: parallel units that make up this segment
 * @next_units: those that will make up @next_seg
 */
struct vsl_disk_head {
	__le64 magic;
	__le32 crc;
	__le16 format;
	u8 stream;
	u8 pad0;
	u8 uuid[16];
	__le64 epoch;		/* of the attach that wrote it */
	__le64 alloc_no;	/* which allocation of a segment this is */
	__le64 base_version;
	__le64 stable_version;	/* all commits below it are durable */
	__le64 next_alloc_no;
	__le32 seg;
	__le32 index;		/* of this head within the segment */
	__le32 next_seg;
	__le32 erases;		/* of this segment's erase units, the most */
	__le16 nr_entries;
	__le16 nr_blocks;	/* data blocks behind this one, padding included */
	__le32 parity;
	__le64 group;
	__le32 group_flags;
	u8 pad1[4];
	__le64 stream_stable;	/* likewise, of this append point */
	u8 units[VSL_UNITS_BYTES];
	u8 next_units[VSL_UNITS_BYTES];
	u8 pad2[136];
	struct vsl_disk_entry entry[VSL_PACKET_BLOCKS];
	u8 pad3[512];
};

/**
 * struct vsl_disk_summary - the last blocks of a closed segment begin so
 *
 * @bytes of records follow: for each packet a struct vsl_disk_record, then its
 * entries.
 */
struct vsl_disk_summary {
	__le64 magic;
	__le32 crc;		/* over this and all records */
	__le16 format;
	u8 stream;
	u8 pad0;
	u8 uuid[16];
	__le64 alloc_no;
	__le32 seg;
	__le32 bytes;
	__le32 nr_packets;
	__le32 pad1;
};

struct vsl_disk_record {
	__le64 base_version;
	__le32 index;
	__le16 nr_entries;
	__le16 nr_blocks;
};

/**
 * struct vsl_disk_spare - in the spare bytes of a block, zeros behind it
 * @lba: block of the disk; VSL_SPARE_LBA() of what is none
 * @crc: of the block
 * @ppa: where it was programmed
 * @alloc: low half of the number of the segment's allocation
 */
struct vsl_disk_spare {
	__le32 lba;
	__le32 crc;
	__le32 ppa;
	__le32 alloc;
};

#define VSL_SPARE_MAX		64u	/* more spare bytes are not used */
#define VSL_SPARE_LBA(kind)	(0xffffff00u | (kind))	/* enum vsl_entry_kind, or */
#define VSL_SPARE_HEAD		16u
#define VSL_SPARE_SUMMARY	17u

/* Where a metadata page is, and its CRC.  All-ones @ppa: nowhere. */
struct vsl_disk_ref {
	__le32 ppa;
	__le32 crc;
};

#define VSL_REFS_PER_PAGE	(4096u / 8u)	/* in a directory page */
#define VSL_MAP_PER_PAGE	(4096u / 4u)	/* in a map page */

/**
 * struct vsl_disk_segment - one entry of the segment table
 *
 * A bitmap of the segment's good parallel units follows, rounded up to a
 * multiple of 8 bytes.
 */
struct vsl_disk_segment {
	__le64 alloc_no;
	__le64 last_version;
	__le32 erases;
	__le32 stream;		/* append point that wrote it; above the low 8
				 * bits: how many rows have parity */
};

/* A segment that is in the log behind the root. */
struct vsl_disk_start {
	__le64 alloc_no;
	__le32 seg;
	__le32 index;		/* start list: from here; sealed list: up to here */
};

#define VSL_ROOT_SEALED_MAX	48u
#define VSL_ROOT_JUMPS_MAX	16u
#define VSL_ROOT_COUNTERS	16u

#define VSL_ROOT_CLEAN		(1u << 0)
#define VSL_ROOT_SPARE		(1u << 1)	/* blocks have spare records */

/**
 * struct vsl_disk_root - a root record begins so
 *
 * Behind it: @nr_dir references to directory pages, then @nr_segtab to pages
 * of the segment table.
 *
 * @next_alloc_no, @next_seg: the allocation the log goes on with
 * @start: per append point where the log behind this root begins
 * @sealed: segments of that log that end early
 * @jump: allocations of that log that no packet announces
 */
struct vsl_disk_root {
	__le64 magic;
	__le32 crc;		/* over the whole record */
	__le32 format;
	__le32 bytes;		/* of the record */
	__le32 flags;		/* VSL_ROOT_* */
	u8 uuid[16];
	__le64 generation;
	__le64 epoch;
	__le64 label_ts;
	__le32 units;
	__le32 eus;
	__le32 eu_blocks;
	__le32 ws_min;
	__le32 chunk;
	__le32 sector_bytes;
	__le64 capacity_blocks;
	__le32 parity;		/* 1: segments have it */
	__le32 pad0;
	__le64 next_version;
	__le64 base_version;	/* the map holds every commit below it */
	__le64 next_alloc_no;
	__le32 next_seg;
	__le32 nr_dir;
	__le32 nr_segtab;
	__le16 nr_sealed;
	__le16 nr_jumps;
	__le64 counter[VSL_ROOT_COUNTERS];
	u8 next_units[VSL_UNITS_BYTES];
	struct vsl_disk_start start[VSL_FORMAT_STREAMS];
	struct vsl_disk_start sealed[VSL_ROOT_SEALED_MAX];
	struct vsl_disk_start jump[VSL_ROOT_JUMPS_MAX];
};

static_assert(sizeof(struct vsl_disk_entry) == 12, "entry");
static_assert(sizeof(struct vsl_disk_head) == VSL_BLOCK_BYTES, "head");
static_assert(offsetof(struct vsl_disk_head, entry) == 512, "head entries");
static_assert(sizeof(struct vsl_disk_summary) == 56, "summary");
static_assert(sizeof(struct vsl_disk_record) == 16, "record");
static_assert(sizeof(struct vsl_disk_spare) == 16, "spare");
static_assert(sizeof(struct vsl_disk_ref) == 8, "ref");
static_assert(sizeof(struct vsl_disk_segment) == 24, "segment");
static_assert(sizeof(struct vsl_disk_start) == 16, "start");
static_assert(sizeof(struct vsl_disk_root) == 1552, "root");

#endif /* VSL_CORE_FORMAT_H */
