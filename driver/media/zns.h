/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * zns.h - a zoned namespace as flash: how it is divided, and what is known of its
 * zones.  All of it is pure; user space compiles it too.
 */
#ifndef VSL_MEDIA_ZNS_H
#define VSL_MEDIA_ZNS_H

#include "media.h"
#include "zns_spec.h"

/* ---- how it is divided (zns_geometry.c) ------------------------------------ */

/**
 * struct vsl_zns_shape - zones of a namespace
 * @nr: how many are there
 * @zone_lbas: from the start of one to that of the next, in logical blocks
 * @block_shift: logical blocks of 4 KiB, as a power of two
 * @eu_blocks: blocks of 4 KiB that are used of each
 */
struct vsl_zns_shape {
	u32 nr;
	u64 zone_lbas;
	u32 block_shift;
	u32 eu_blocks;
};

/**
 * vsl_zns_limit() - zones that may be active at once
 * @id: what the card says
 *
 * Who writes opens, so it is the smaller of both limits.
 *
 * Return: how many; 0 for any.
 */
u32 vsl_zns_limit(const struct nvme_id_zoned *id);

/**
 * vsl_zns_capacity() - blocks of 4 KiB in a zone
 * @blocks: of each zone; 0 for those that are no good
 * @nr: zones
 *
 * Return: what more than half of them have; else the least.  0: none is any good.
 */
u32 vsl_zns_capacity(const u32 *blocks, u32 nr);

/**
 * vsl_zns_geometry() - divide zones into units
 * @nr: zones
 * @capacity: of vsl_zns_capacity()
 * @limit: of vsl_zns_limit()
 * @info: units, eus, eu_blocks, ws_min, ws_opt, hole and max_open are filled in
 *
 * Context: any.
 * Return: 0; -ERANGE: there are too few zones, or they are too small; -EMFILE: too
 * few can be active.
 */
int vsl_zns_geometry(u32 nr, u32 capacity, u32 limit,
		     struct vsl_media_info *info);

/* Which zone an erase unit is: segments lie one behind the other. */
static inline u32 vsl_zns_index(const struct vsl_media_info *info, u32 unit,
				u32 eu)
{
	return eu * info->units + unit;
}

/* ---- what is known of zones (zns_book.c) ----------------------------------- */

/* struct vsl_zns_zone, flags. */
#define VSL_ZNS_BUSY	(1u << 0)	/* a command that changes it is under way */
#define VSL_ZNS_ENDED	(1u << 1)	/* nothing is programmed until it is erased */
#define VSL_ZNS_ACTIVE	(1u << 2)	/* counts for the limit */

/**
 * struct vsl_zns_zone - what is known of a zone
 * @wp: next block to be programmed; what is before it has ended well
 * @end: blocks from here on were never programmed
 * @used: the book's clock when it was programmed last
 * @state: enum vsl_eu_state
 * @flags: VSL_ZNS_*
 */
struct vsl_zns_zone {
	u32 wp;
	u32 end;
	u32 used;
	u8 state;
	u8 flags;
};

/**
 * struct vsl_zns_book - all zones of a namespace
 * @zone: each
 * @nr: how many
 * @eu_blocks: blocks that are used of each
 * @is_whole: a zone has no more blocks than that
 * @limit: zones that may be active, 0 for any
 * @active: their numbers
 * @nr_active: how many are
 * @clock: counts programs
 * @changes: counts what is begun
 * @failed: zones in a row that could not be finished
 * @finishing: zone that is being finished to make room, VSL_ZNS_NONE
 */
struct vsl_zns_book {
	struct vsl_zns_zone *zone;
	u32 nr;
	u32 eu_blocks;
	bool is_whole;
	u32 limit;
	u32 *active;
	u32 nr_active;
	u32 clock;
	u32 changes;
	u32 failed;
	u32 finishing;
};

#define VSL_ZNS_NONE	0xffffffffu

/* What vsl_zns_take() says; above 0 are results, plus 1. */
#define VSL_ZNS_GO	0
#define VSL_ZNS_WAIT	(-1)

/**
 * vsl_zns_judge() - what a card says of a zone, if it can be believed
 * @shape: of the namespace
 * @index: number of the zone
 * @from: what it says
 * @zone: filled in
 *
 * Return: NULL; or what is wrong, in words: then the zone is dead.
 */
const char *vsl_zns_judge(const struct vsl_zns_shape *shape, u32 index,
			  const struct nvme_zone *from,
			  struct vsl_zns_zone *zone);

/* Blocks of 4 KiB of a zone as a card tells of it; 0 if it is no good. */
u32 vsl_zns_blocks(const struct vsl_zns_shape *shape, u32 index,
		   const struct nvme_zone *from);

/* All of the following: context any, serialised by the caller. */

/**
 * vsl_zns_note() - a zone was reported
 * @book: the book
 * @index: the zone; nothing is under way that changes it
 * @told: of vsl_zns_judge()
 */
void vsl_zns_note(struct vsl_zns_book *book, u32 index,
		  const struct vsl_zns_zone *told);

/**
 * vsl_zns_take() - may this be done now?
 * @book: the book
 * @index: zone
 * @op: program, erase or finish of it; its place and size are right
 *
 * Return: VSL_ZNS_GO: it is under way, until vsl_zns_settle(); VSL_ZNS_WAIT: when
 * something else has been settled; how it ends without a command, plus 1.
 */
int vsl_zns_take(struct vsl_zns_book *book, u32 index, const struct vsl_op *op);

/**
 * vsl_zns_settle() - it has ended
 * @book: the book
 * @index: zone
 * @op: what was taken; its result is set
 */
void vsl_zns_settle(struct vsl_zns_book *book, u32 index,
		    const struct vsl_op *op);

/**
 * vsl_zns_make_room() - choose a zone to be finished, for others wait
 * @book: the book
 *
 * The one that was not written to for longest; after a power loss that is one that
 * nobody will write to any more.
 *
 * Return: it is under way, until vsl_zns_room_made(); VSL_ZNS_NONE: one is already,
 * or none can be.
 */
u32 vsl_zns_make_room(struct vsl_zns_book *book);

/**
 * vsl_zns_room_made() - the finish of vsl_zns_make_room() has ended
 * @book: the book
 * @result: enum vsl_result
 */
void vsl_zns_room_made(struct vsl_zns_book *book, u8 result);

/**
 * vsl_zns_too_many() - the card says that too many zones are active
 * @book: the book
 *
 * It should not have been asked: from now on there are fewer.
 */
void vsl_zns_too_many(struct vsl_zns_book *book);

/**
 * vsl_zns_readable() - blocks from @off on that were perhaps programmed
 * @book: the book
 * @index: zone
 * @off: first block
 * @nr: blocks
 *
 * Context: any, needs no serialisation.
 */
u32 vsl_zns_readable(const struct vsl_zns_book *book, u32 index, u32 off,
		     u32 nr);

#endif /* VSL_MEDIA_ZNS_H */
