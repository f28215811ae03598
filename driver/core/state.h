/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * state.h - what the parts of the core remember: slots, segments, packets, append
 * points, roots, the checkpoint, the groomer.  One of each kind, or a table of
 * them, is in struct vsl_core (int.h).
 */
#ifndef VSL_CORE_STATE_H
#define VSL_CORE_STATE_H

#include "core.h"
#include "format.h"
#include "layout.h"

#define VSL_BATCH		64u
#define VSL_TAIL_BLOCKS		(4u << 20)	/* log behind a root, at most */
#define VSL_DOUBT_BLOCKS	2048u	/* programmed without a flush, about */
#define VSL_VERSION_GAP		(1u << 20)
/* Sealed segments that a root lists; a test makes do with few. */
#ifndef VSL_SEALED_USED
#define VSL_SEALED_USED		VSL_ROOT_SEALED_MAX
#endif
#define VSL_NONE		0xffffffffu
#define VSL_NO_VERSION		0xffffffffffffffffull
#define VSL_VERSION_MAX		(1ull << 62)	/* no card lives so long */
#define VSL_VERSION_BEGIN	(1ull << 61)	/* an attach begins below */

/* Append points; the numbers are on the media. */
enum vsl_stream_id {
	VSL_STREAM_DATA,		/* the first of VSL_POINTS (place.c) */
	VSL_STREAM_MAP = VSL_POINTS,
	VSL_STREAMS,
};

/* Whose commits they are. */
enum vsl_by {
	VSL_BY_HOST,
	VSL_BY_GROOMER,
	VSL_BY_CHECKER,
};

/* Work for a processor, outside the lock. */
enum vsl_cpu_kind {
	VSL_CPU_FILL = VSL_OP_CPU,	/* host data into slots, and CRC */
	VSL_CPU_COPY,			/* slot to host data */
	VSL_CPU_ZERO,			/* zeros to host data */
	VSL_CPU_CHECK,			/* is the slot what it should be? */
	VSL_CPU_SNAP,			/* a metadata page into a slot, and CRC */
	VSL_CPU_HEAD,			/* CRCs of a packet, and its programs */
	VSL_CPU_SCAN,			/* is the groomer's summary one? */
	VSL_CPU_YIELD,			/* nothing: a chance to drop the lock */
	VSL_CPU_VERIFY,			/* do host reads fit their spare records? */
	VSL_CPU_SCRUB,			/* is the scrubber's summary one? */
	VSL_CPU_XOR,			/* blocks of a row to one that is lost */
};

/* ---- slots -------------------------------------------------------------- */

/**
 * struct vsl_slot - a buffer of one block and the operation that uses it
 * @link: free list, or hash chain of the ppa while published
 * @next: chain of a request
 * @buf: the block
 * @vec: describes @buf for @op
 * @op: one operation at a time
 * @ctx: whose it is (request, groomer, checkpoint)
 * @lba: block or page number
 * @crc: CRC of the content, once known
 * @ppa: where it is going to be on the media, when published
 * @from: where its content came from, pinned; VSL_PPA_NONE: nowhere
 * @kind: enum vsl_entry_kind it will be committed as
 * @published: reads of @ppa find it
 * @pins: readers copying from it
 * @spare: spare bytes that belong to @buf, where blocks have records
 * @done: whom to tell that it was read, and checked
 * @check: the CRC of what is read is to be taken
 * @sure: it is known already, and @crc
 * @good: what was read is what it should be
 * @again: it was not, and is being read once more
 * @around: it is made of its row, so as not to wait for its unit
 * @trial: it is parity, which has no record, to be compared with its row
 * @dead: free once it is not pinned any more
 * @moved: the groomer committed it
 * @pending: the host did, and its packet is not complete
 * @partial: a request writes only a part of the block, @seen (in allocation
 *	@seen_alloc_no of its segment) is where the rest came from
 */
struct vsl_slot {
	struct list_head link;
	struct vsl_slot *next;
	void *buf;
	struct vsl_vec vec;
	struct vsl_op op;
	void *ctx;
	u32 lba;
	u32 crc;
	u32 ppa;
	u32 from;
	u32 seen;
	u64 seen_alloc_no;
	u32 pins;
	void *spare;
	void (*done)(struct vsl_core *core, struct vsl_op *op);
	u8 kind;
	bool published;
	bool check;
	bool sure;
	bool good;
	bool again;
	bool around;
	bool trial;
	bool dead;
	bool partial;
	bool moved;
	bool pending;
};

#define VSL_SLOTS		1024u
#define VSL_SLOTS_INNER		192u	/* groomer, checkpoint, partial blocks */
#define VSL_SLOTS_POINT		128u	/* and more of both per append point */
#define VSL_SLOT_HASH		2048u

/* ---- segments ------------------------------------------------------------ */

enum vsl_seg_state {
	VSL_SEG_BAD,		/* too few good units */
	VSL_SEG_FREE,		/* to be erased */
	VSL_SEG_ERASING,
	VSL_SEG_CLEAN,		/* erased */
	VSL_SEG_NEXT,		/* erased and announced: the next to be opened */
	VSL_SEG_OPEN,		/* a stream appends to it */
	VSL_SEG_CLOSED,
};

/* Is the data of a segment to be moved, space or not? */
enum vsl_wish {
	VSL_WISH_NONE,
	VSL_WISH_MOVE,
	VSL_WISH_TAKEN,		/* it was, or is being */
};

/**
 * struct vsl_segment - one segment
 * @link: on the list of the free, the clean, or the empty ones
 * @alloc_no: which allocation opened it last
 * @last_version: of its newest commit: how old its content is
 * @empty_version: commits below it must be durable before it is erased
 * @hold: number of the root capture that must be durable before it is erased
 * @readers: reads under way
 * @reads: blocks read since it was opened, up to the limit; without the lock
 * @valid: blocks that the map, the directory or the root refers to
 * @end: index behind its last packet
 * @rows: so many of its rows, from the first on, are known to have their parity
 * @erases: of its erase units, the most
 * @nr_lives: blocks that came to it since it was opened (place.c)
 * @born: when that was, in blocks of the host
 * @later: sum of how much later they came
 * @lives: sum of how long they were expected to live
 * @nr_units: good units
 * @state: enum vsl_seg_state
 * @stream: who wrote it
 * @tail: it belongs to the log behind the durable root
 * @settled: all its blocks can be read from the media
 * @summary: there is a summary at its end
 * @suspect: a program failed in it, or the power: groom it soon
 * @keep: attach: a commit in doubt has replaced a block of it
 * @wish: enum vsl_wish; left without the lock
 */
struct vsl_segment {
	struct list_head link;		/* free, clean or empty list */
	u64 alloc_no;
	u64 last_version;
	u64 empty_version;
	u64 hold;
	struct vsl_atomic readers;
	u32 reads;
	u32 valid;
	u32 end;
	u32 rows;
	u32 erases;
	u32 nr_lives;
	u64 born;
	u64 later;
	u64 lives;
	u16 nr_units;
	u8 state;
	u8 stream;
	bool tail;
	bool settled;
	bool summary;
	bool suspect;
	bool keep;
	u8 wish;
};

/* ---- packets and streams -------------------------------------------------- */

enum vsl_packet_state {
	VSL_PACKET_FREE,
	VSL_PACKET_OPEN,	/* collecting */
	VSL_PACKET_SEALING,	/* its head gets its CRC, or waits for that */
	VSL_PACKET_SEALED,	/* ready to fly, after the older ones */
	VSL_PACKET_FLYING,	/* being programmed */
	VSL_PACKET_DONE,	/* programmed; older ones are not yet */
	VSL_PACKET_RETAINED,	/* complete, but inside the read hole */
	VSL_PACKET_REDO,	/* its segment failed; to be written again */
};

struct vsl_packet {
	struct list_head link;
	struct list_head ios;		/* requests that end with it */
	u8 state;
	u8 stream;
	u8 by;				/* who was given room in it last */
	bool is_summary;
	bool failed;
	bool complete;			/* was, before its segment failed */
	bool first;			/* first of its segment: it announces */
	bool trims;			/* it has one, counted in nr_trims */
	u32 seg;
	u32 index;
	u32 nr_entries;
	u32 nr_slots;			/* data blocks with an entry */
	u32 nr_moved;			/* of these, by the groomer */
	u32 nr_blocks;			/* with padding, when sealed */
	u64 base_version;
	u64 last_version;
	u64 wm_version;			/* version of its first commit, also
					 * after it was written again */
	u64 host_version;		/* likewise of its first by the host;
					 * VSL_NO_VERSION: there is none */
	struct vsl_disk_head *head;
	struct vsl_slot **slot;		/* [VSL_PACKET_BLOCKS] */
	struct vsl_vec *vec;
	u8 *spare;			/* spare bytes, in the order of @vec */
	u8 *record;			/* the same, in the order of the blocks */
	void **parity;			/* blocks of the rows that it ends */
	u8 *parity_spare;
	u32 nr_parity;
	u32 fill;			/* so many blocks, with padding; 0: any */
	struct vsl_op *op;
	u32 nr_ops;
	u32 ops_left;
	struct vsl_op cpu_op;
};

#define VSL_PACKETS		32u	/* and more for a read hole */
#define VSL_PACKETS_INNER	12u	/* not for the host */

struct vsl_unit_queue {
	struct list_head ops;
	bool busy;
};

/**
 * struct vsl_stream - an append point
 * @packets: sealed ones, oldest first, until complete
 * @redo: to be written again, oldest first, before anything new
 * @retained: complete, inside the read hole, oldest first
 * @open: collects; its index is @index
 * @queue: per unit: programs in order, one under way
 * @seg: VSL_NONE: none
 * @index: where the next packet begins
 * @limit: where the summary begins
 * @done_index: everything before it is complete
 * @flying: programs under way
 * @row: the row that the last packet laid out has begun: parity so far
 * @row_spare: its spare bytes
 * @laying: a packet is being laid out
 * @reserved: the groomer opened its segment when the host could not
 * @has_host: the host has begun to fill its segment, too
 * @failing: a program failed; waiting for the others to end
 * @closing: full; waiting for its packets, then for its summary
 * @sum: blocks of the summary being collected
 * @sum_bytes: collected so far, header included
 * @sum_packets: packets in it
 * @sum_flush: flush of the card that must have ended before it is written
 * @sum_full: did not fit
 * @redo_flush: flush of the card that must have ended before anything is written
 *	again
 * @stable: volatile cache: all its commits below are durable
 * @flush_stable: what @stable will be after the flush under way
 */
struct vsl_stream {
	u8 id;
	struct list_head packets;
	struct list_head redo;
	struct list_head retained;
	struct vsl_packet *open;
	struct vsl_unit_queue *queue;
	struct vsl_stripe stripe;
	u32 seg;
	u32 index;
	u32 limit;
	u32 done_index;
	u32 flying;
	void **row;
	u8 *row_spare;
	bool laying;
	bool reserved;
	bool has_host;
	bool failing;
	bool closing;
	void **sum;
	u32 sum_bytes;
	u32 sum_packets;
	u64 sum_flush;
	bool sum_full;
	u64 redo_flush;
	u64 stable;
	u64 flush_stable;
};

/* ---- summaries as they are read -------------------------------------------- */

/**
 * struct vsl_scan - the packets of one segment, dense, in memory
 * @block: the buffers, sum_blocks of them
 * @bytes: of the records, behind the header
 * @pos: next record
 */
struct vsl_scan {
	void **block;
	u32 bytes;
	u32 pos;
	struct vsl_disk_record record;
	u32 entry;		/* next entry of @record */
	u32 data_index;		/* index of the next data block */
};

/* One commit as it is read back. */
struct vsl_commit {
	u8 kind;
	u32 lba;
	u32 arg;
	u32 index;		/* of its data block; VSL_NONE: has none */
	u64 version;
};

/* ---- roots ---------------------------------------------------------------- */

struct vsl_ref {
	u32 ppa;
	u32 crc;
};

/**
 * struct vsl_base - where the log behind a root begins, and its odd turns
 */
struct vsl_base {
	u64 version;
	u64 next_alloc_no;
	u32 next_seg;
	u8 next_units[VSL_UNITS_BYTES];
	struct { u64 alloc_no; u32 seg; u32 index; }
		start[VSL_FORMAT_STREAMS],
		sealed[VSL_ROOT_SEALED_MAX],
		jump[VSL_ROOT_JUMPS_MAX];
	u32 nr_sealed;
	u32 nr_jumps;
};

/* Lifetime counters, in the order of the root record. */
enum vsl_counter {
	VSL_COUNT_HOST_READ,
	VSL_COUNT_HOST_WRITE,
	VSL_COUNT_HOST_TRIM,
	VSL_COUNT_MEDIA_READ,
	VSL_COUNT_MEDIA_HOST,
	VSL_COUNT_MEDIA_MOVED,
	VSL_COUNT_MEDIA_MAP,
	VSL_COUNT_MEDIA_HEAD,
	VSL_COUNT_MEDIA_PAD,
	VSL_COUNT_MEDIA_ERASES,
	VSL_COUNT_GOOD_AT_FORMAT,	/* blocks of usable segments then */
	VSL_COUNT_CORRUPT,
	VSL_COUNT_SCRUBBED,
	VSL_COUNT_SCRUB_BAD,
	VSL_COUNT_MEDIA_PARITY,
	VSL_COUNT_REBUILT,
	VSL_COUNTERS,
};

/**
 * struct vsl_lane - one copy of the roots
 * @nth: erase unit of the lane in use, VSL_LANE_EUS: none yet
 * @home: erase unit of the lane that holds its newest record
 * @off: next free block of it
 * @dead: bit per erase unit that failed
 * @part: blocks of the record under way that are there already
 * @ends: erase units that ended (EU_ENDED) under the record under way
 * @ok: the record under way has got there
 */
struct vsl_lane {
	u64 generation;
	u32 nth;
	u32 home;
	u32 off;
	u32 dead;
	u32 part;
	u32 ends;
	bool ok;
	struct vsl_op op;
	struct vsl_vec *vec;
};

enum vsl_root_state {
	VSL_ROOT_IDLE,
	VSL_ROOT_WRITE,
	VSL_ROOT_FLUSH2,	/* volatile card: after it */
};

struct vsl_rooter {
	u8 state;
	bool wanted;		/* a light root: same base, new announcement */
	bool full;		/* the record under way ends a checkpoint */
	bool clean;		/* it is the last one of a clean detach */
	bool lane_told;		/* the user knows that a lane is lost */
	u32 ops_left;
	void **block;		/* the record */
	struct vsl_ref *ref;	/* of the newest full root */
	struct vsl_lane lane[VSL_LANES];
	u64 announces;		/* allocation the record under way announces, */
	u32 announces_seg;	/* and which segment it is; VSL_NONE: none */
	struct vsl_base base;	/* of the record under way */
	u64 capture;		/* its capture number */
	struct vsl_op flush_op;
};

enum vsl_check_state {
	VSL_CHECK_IDLE,
	VSL_CHECK_SWEEP,	/* map pages */
	VSL_CHECK_PAGES,	/* directory and segment table */
	VSL_CHECK_DURABLE,	/* waiting for all of it */
	VSL_CHECK_ROOT,
};

struct vsl_checker {
	u8 state;
	bool wanted;
	bool urgent;
	bool restart;		/* a page moved behind our back */
	u32 cursor;
	u32 flying;
	struct list_head ready;	/* slots to be committed */
	u64 credit;		/* pages it may write, in 1/65536 */
	u64 tail_blocks;	/* log behind the old root when it began */
	u64 erases;		/* in the segment table it writes */
	u64 version;		/* to be durable before the root */
	struct vsl_base base;	/* captured when the sweep began */
};

enum vsl_groom_state {
	VSL_GROOM_IDLE,
	VSL_GROOM_SUMMARY,	/* reading the summary */
	VSL_GROOM_HEAD,		/* reading a head */
	VSL_GROOM_MOVE,
	VSL_GROOM_MAP,		/* no lists: looking through the whole map */
};

struct vsl_groomer {
	u8 state;
	u32 seg;
	u8 point;		/* where its blocks go */
	u64 life;		/* that is expected of them */
	u32 flying;		/* slots under way */
	u32 ops_left;
	u32 lba;		/* VSL_GROOM_MAP */
	u32 index;		/* VSL_GROOM_HEAD */
	bool failed;
	bool walking;
	bool stuck;		/* the host waits and nothing moves */
	bool rests;		/* it found nothing to do */
	bool ended;		/* the list of commits is at its end */
	bool wear;		/* the victim was named by wear.c */
	u32 turns;		/* victims since wear.c was asked */
	struct list_head ready;	/* slots to be committed */
	struct vsl_slot *head;	/* VSL_GROOM_HEAD: being read */
	s64 credit;		/* blocks it may move, in 1/256 */
	u64 futile;		/* blocks moved since the host got a segment */
	u64 spare_time;		/* blocks it may move while space is short */
	u32 host_blocks;	/* committed since the last tick */
	bool idle;		/* the host wrote nothing in the last tick */
	struct vsl_stripe stripe;
	struct vsl_scan scan;
	struct vsl_op *op;	/* sum_blocks */
	struct vsl_vec *vec;
	struct vsl_op cpu_op;
};

#include "wear.h"

#endif /* VSL_CORE_STATE_H */
