/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * int.h - what the files of the core share with each other and nobody else.
 *
 *	layout.c	where things lie
 *	core.c		the door: submit, op_done, outboxes, statistics
 *	slot.c		buffers of one block
 *	spare.c		what is in the spare bytes beside a block
 *	parity.c	parity of rows, and blocks made again from it
 *	map.c		the map and the directory, valid counts
 *	segment.c	life of segments: erase, announce, open, close
 *	log.c		append points and packets
 *	program.c	packets on their way to the media, and their failures
 *	summary.c	what is written at a segment's end, and how it is read
 *	write.c read.c	requests
 *	place.c		which append point a block goes to
 *	groom.c		moving what is still valid out of old segments
 *	wear.c		what it moves for the sake of the flash
 *	scrub.c		reading what nobody reads
 *	checkpoint.c	map pages to the media, paced
 *	root.c		root records and their lanes
 *	label.c		finding the newest root
 *	load.c		segment table, directory and map into memory
 *	pad.c		cards with a read hole
 *	tail.c replay.c	finding and applying the log behind it
 *	rewrite.c	writing again what was in doubt
 *	recover.c	attach, detach
 *	mkfs.c		format, probe
 *	sync.c		waiting; setting up and tearing down
 *	audit.c		statistics, and promise P7
 */
#ifndef VSL_CORE_INT_H
#define VSL_CORE_INT_H

#include "core.h"
#include "format.h"
#include "layout.h"

#define VSL_BATCH		64u
#define VSL_TAIL_BLOCKS		(4u << 20)	/* log behind a root, at most */
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
 * @ok: the record under way has got there
 */
struct vsl_lane {
	u64 generation;
	u32 nth;
	u32 home;
	u32 off;
	u32 dead;
	u32 part;
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

/* ---- the core --------------------------------------------------------------- */

struct vsl_core {
	struct vsl_media *media;
	struct vsl_core_env env;
	struct vsl_geo geo;
	u32 flags;			/* VSL_ATTACH_* */
	u32 sector_bytes;
	u8 uuid[16];
	u64 label_ts;
	u32 spare_bytes;		/* of a block; 0: no spare records */
	bool volatile_cache;
	bool strict;
	bool online;			/* serves requests */
	bool gone;
	bool reaping;			/* segments may be erased */
	bool checking;			/* checkpoints may begin */
	bool grooming;			/* the groomer may begin */
	bool stopping;			/* detach: no grooming any more */
	u8 health;
	u8 reason;
	u64 ram_bytes;

	struct list_head ops;		/* outbox */
	struct list_head done;		/* outbox */
	u32 ops_out;			/* handed out, not ended */
	u32 nr_ios;			/* taken, not handed back */
	u32 stalled_ticks;
	bool again;			/* something may go on now */

	/* slots */
	struct vsl_slot *slot;
	u32 nr_slots;
	u32 slots_inner;		/* to be left to the core itself */
	struct list_head free_slots;
	u32 nr_free_slots;
	struct list_head *slot_hash;
	void *zero_block;
	u32 zero_crc;			/* of a block of zeros */
	u8 *slot_spare;			/* spare bytes of the slots */
	struct vsl_op *read_op;		/* pool */
	u8 *read_spare;			/* spare bytes of each */
	struct list_head free_reads;
	struct list_head wrong_reads;	/* what they brought was not right */

	/* parity */
	void **parity_pool;		/* blocks for packets */
	u32 nr_parity_free;
	struct vsl_rebuild *rebuild;
	struct list_head rebuild_queue;	/* slots */
	u16 *unit_fails;		/* erase units of each that failed */
	bool degraded;			/* there may be segments to be repaired */
	struct vsl_batch *help;		/* attach: reads of rows */

	/* map */
	u32 *map;
	u8 *dirty;			/* bit per map page */
	u32 nr_dirty;
	struct vsl_ref *dir;
	struct vsl_ref *dir_ref;
	struct vsl_ref *segtab_ref;
	u64 mapped;
	u64 lost;

	/* segments */
	struct vsl_segment *seg;
	u8 *seg_units;			/* bitmaps of good units */
	u32 *audit;			/* room for vsl_core_audit() */
	u8 *seg_dead;			/* units to be retired at the next erase */
	u32 nr_free;			/* FREE, ERASING, CLEAN */
	u32 nr_clean;
	u32 nr_held;			/* CLOSED and empty, not erasable yet */
	struct list_head free_segs;
	struct list_head clean_segs;
	struct list_head empty_segs;
	u32 nr_bad_eus;
	u64 good_blocks;		/* of all usable segments */
	bool waits_durable;		/* an empty segment waits for commits */
	u32 erasing;			/* VSL_NONE: none */
	u32 erase_left;
	bool erase_failed;
	struct vsl_op *erase_op;
	u32 next_seg;			/* VSL_NONE: none */
	u64 next_alloc_no;
	bool announced;			/* durably */
	struct vsl_free_levels levels;

	/* log */
	struct vsl_stream stream[VSL_STREAMS];
	struct vsl_packet *packet;
	struct list_head free_packets;
	u32 nr_free_packets;
	u64 next_version;
	u64 durable_version;
	u64 hold_version;		/* not durable before ... */
	u64 hold_until;			/* ... the host's commits below it are */
	u64 recovery_floor;		/* what recovery has not proven yet */
	u32 nr_packets;
	u32 nr_trims;			/* packets with trims, not complete */
	u8 trim_point;			/* where they are */
	bool trim_waits;		/* one waits for other append points */
	u64 head_floor;			/* nor may a head prove it */
	u64 recovery_flush;		/* flush that makes its writes durable */
	u64 epoch;
	u64 tail_blocks;		/* log blocks since the base */
	u64 tail_limit;

	/* flush */
	struct list_head flush_wait;	/* for packets */
	struct list_head flush_next;	/* for the next flush of the card */
	struct list_head flush_now;	/* for the one under way */
	bool flush_wanted;		/* somebody waits for a flush of the card */
	bool durable_wanted;		/* somebody waits for durable_version */
	bool flushing;
	u64 flushes;			/* begun */
	u64 flushes_ended;		/* number of the last one that ended */
	u64 flush_version;
	struct vsl_op flush_op;

	/* requests that wait */
	struct list_head write_queue;	/* for slots */
	struct list_head commit_queue;	/* for room in the log */
	struct list_head read_queue;	/* for read operations or slots */
	struct list_head trim_queue;	/* for room in the log */

	struct vsl_groomer groom;
	struct vsl_wearer wear;
	struct vsl_scrubber scrub;
	struct vsl_checker check;
	struct vsl_rooter root;
	struct vsl_base base;		/* of the newest durable root */
	u64 generation;
	u64 captures;			/* root captures begun */
	u64 captures_durable;
	u64 counter[VSL_COUNTERS];
	u64 attach_reads;
	u64 attach_commits;
	u64 attach_doubts;
	u64 attach_doubt_blocks;
	u64 erases_kept;		/* in the durable segment table */
};

#define vsl_err(core, ...) \
	((core)->env.log((core)->env.ctx, VSL_LOG_ERROR, __VA_ARGS__))
#define vsl_warn(core, ...) \
	((core)->env.log((core)->env.ctx, VSL_LOG_WARN, __VA_ARGS__))
#define vsl_info(core, ...) \
	((core)->env.log((core)->env.ctx, VSL_LOG_INFO, __VA_ARGS__))

/* core.c */
void vsl_op_start(struct vsl_core *core, struct vsl_op *op, u8 kind,
		  void (*done)(struct vsl_core *, struct vsl_op *), void *ctx);
void vsl_op_place(struct vsl_core *core, struct vsl_op *op, u32 ppa, u32 nr);
bool vsl_op_again(struct vsl_core *core, struct vsl_op *op);
void vsl_io_end(struct vsl_core *core, struct vsl_io *io, int error);
void vsl_health_set(struct vsl_core *core, u8 health, u8 reason);
bool vsl_writable(const struct vsl_core *core);
void vsl_progress(struct vsl_core *core);
int vsl_result_error(u8 result);

void *vsl_zalloc(struct vsl_core *core, u64 nr, size_t bytes);

/* slot.c */
int vsl_slots_alloc(struct vsl_core *core);
void vsl_slots_free(struct vsl_core *core);
struct vsl_slot *vsl_slot_get(struct vsl_core *core, bool inner);
void vsl_slot_put(struct vsl_core *core, struct vsl_slot *slot);
void vsl_slot_publish(struct vsl_core *core, struct vsl_slot *slot, u32 ppa);
void vsl_slot_unpublish(struct vsl_core *core, struct vsl_slot *slot);
struct vsl_slot *vsl_slot_find(struct vsl_core *core, u32 ppa);
void vsl_slot_unpin(struct vsl_core *core, struct vsl_slot *slot);
void vsl_slot_release(struct vsl_core *core, struct vsl_slot *slot);
void vsl_slot_read(struct vsl_core *core, struct vsl_slot *slot, u32 ppa,
		   void (*done)(struct vsl_core *, struct vsl_op *));
void vsl_slot_check(struct vsl_core *core, struct vsl_slot *slot);
void vsl_slot_tell(struct vsl_core *core, const struct vsl_slot *slot);

/* spare.c */
bool vsl_spare_fits(const struct vsl_media_info *info);
void vsl_spare_fill(const struct vsl_core *core, void *spare, u32 lba, u32 crc,
		    u32 ppa);
bool vsl_spare_good(const struct vsl_core *core, const void *spare, u32 lba,
		    u32 ppa, u32 crc);
bool vsl_spare_place_good(const struct vsl_core *core, const void *spare,
			  u32 ppa, const void *buf);
u64 vsl_spare_check(const struct vsl_core *core, const struct vsl_op *op,
		    u32 lba);

/* map.c */
int vsl_map_alloc(struct vsl_core *core);
void vsl_map_free(struct vsl_core *core);

static inline u32 vsl_map_get(const struct vsl_core *core, u32 lba)
{
	return READ_ONCE(core->map[lba]);
}

void vsl_map_set(struct vsl_core *core, u32 lba, u32 ppa);
void vsl_map_dirty(struct vsl_core *core, u32 page);
void vsl_ref_set(struct vsl_core *core, struct vsl_ref *ref, u32 ppa, u32 crc);
struct vsl_ref *vsl_ref_of(struct vsl_core *core, u8 kind, u32 page);
void vsl_page_fill(struct vsl_core *core, u8 kind, u32 page, void *buf);
int vsl_page_parse(struct vsl_core *core, u8 kind, u32 page, const void *buf);

/* segment.c */
int vsl_segs_alloc(struct vsl_core *core);
void vsl_segs_free(struct vsl_core *core);

static inline u8 *vsl_seg_units(struct vsl_core *core, u32 seg)
{
	return core->seg_units + (size_t)seg * core->geo.unit_bytes;
}

static inline u8 *vsl_seg_dead(struct vsl_core *core, u32 seg)
{
	return core->seg_dead + (size_t)seg * core->geo.unit_bytes;
}

void vsl_seg_count_units(struct vsl_core *core, u32 seg);
void vsl_seg_set_reserves(struct vsl_core *core);
void vsl_seg_ref(struct vsl_core *core, u32 ppa, s32 by);
void vsl_seg_reap(struct vsl_core *core);
bool vsl_seg_may_open(struct vsl_core *core, u8 stream, u8 by);
bool vsl_seg_exhausted(const struct vsl_core *core);
u32 vsl_seg_open(struct vsl_core *core, u8 stream);
void vsl_seg_close(struct vsl_core *core, u32 seg, bool summary);
void vsl_seg_announced(struct vsl_core *core, u64 alloc_no, u32 seg);
void vsl_seg_mark_dead(struct vsl_core *core, u32 seg, u32 unit);
void vsl_seg_distrust(struct vsl_core *core, u32 unit);
u64 vsl_seg_erases(const struct vsl_core *core);
u32 vsl_seg_spare_permyriad(const struct vsl_core *core);

#define VSL_SPARE_WARN	1000u	/* of 10000 */

/* log.c */
int vsl_log_alloc(struct vsl_core *core);
void vsl_log_free(struct vsl_core *core);
struct vsl_packet *vsl_packet_get(struct vsl_core *core, u8 stream, u8 by);
struct vsl_packet *vsl_log_room(struct vsl_core *core, u8 stream, u8 by,
				u32 blocks, u32 entries);
u32 vsl_log_add(struct vsl_core *core, struct vsl_packet *packet, u8 kind,
		u32 lba, u32 arg, struct vsl_slot *slot);
void vsl_log_push(struct vsl_core *core, u8 stream);
void vsl_log_push_all(struct vsl_core *core);
void vsl_log_push_idle(struct vsl_core *core);
void vsl_log_push_host(struct vsl_core *core);
u64 vsl_log_host_version(const struct vsl_core *core, u8 stream);
void vsl_log_kick(struct vsl_core *core);
void vsl_log_redo(struct vsl_core *core, struct vsl_stream *stream);
u64 vsl_log_complete_version(const struct vsl_core *core, bool host_only);
u64 vsl_log_stable(const struct vsl_core *core, u8 id);
bool vsl_log_quiet(const struct vsl_core *core);
bool vsl_log_fill_row(struct vsl_core *core, u8 id);

/* program.c */
void vsl_packet_seal(struct vsl_core *core, struct vsl_packet *packet);
void vsl_packet_lay(struct vsl_core *core, struct vsl_packet *packet);
void vsl_stream_lay(struct vsl_core *core, struct vsl_stream *stream);
void vsl_stream_fail(struct vsl_core *core, struct vsl_stream *stream);
void vsl_packet_free(struct vsl_core *core, struct vsl_packet *packet);
u32 vsl_head_crc(const struct vsl_disk_head *head);

/* summary.c */
void vsl_sum_start(struct vsl_core *core, struct vsl_stream *stream);
void vsl_sum_packet(struct vsl_core *core, struct vsl_stream *stream,
		    const struct vsl_packet *packet);
void vsl_sum_finish(struct vsl_core *core, struct vsl_stream *stream);
void vsl_sum_head(struct vsl_core *core, struct vsl_stream *stream,
		  const struct vsl_disk_head *head);
void vsl_sum_seal(struct vsl_stream *stream);
int vsl_scan_alloc(struct vsl_core *core, struct vsl_scan *scan);
void vsl_scan_free(struct vsl_core *core, struct vsl_scan *scan);
int vsl_scan_begin(struct vsl_core *core, struct vsl_scan *scan, u32 seg,
		   u64 alloc_no);
void vsl_scan_rewind(struct vsl_scan *scan);
void vsl_scan_clear(struct vsl_scan *scan);
void vsl_scan_head(struct vsl_scan *scan, const struct vsl_disk_head *head);
int vsl_scan_next(struct vsl_core *core, struct vsl_scan *scan,
		  struct vsl_commit *commit);
bool vsl_head_valid(struct vsl_core *core, const struct vsl_disk_head *head,
		    u32 seg, u64 alloc_no, u32 index, u32 limit);

/* write.c */
void vsl_write_start(struct vsl_core *core, struct vsl_io *io);
void vsl_write_run(struct vsl_core *core);
void vsl_write_fill(struct vsl_core *core, struct vsl_io *io);
void vsl_write_end(struct vsl_core *core, struct vsl_io *io);
void vsl_flush_run(struct vsl_core *core);
void vsl_flush_start(struct vsl_core *core, struct vsl_io *io);
void vsl_write_abort(struct vsl_core *core, int error);

/* read.c */
void vsl_read_start(struct vsl_core *core, struct vsl_io *io);
void vsl_read_run(struct vsl_core *core);
void vsl_read_verify(struct vsl_core *core, struct vsl_op *op);
void vsl_vec_copy(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, void *buf,
		  u32 bytes, bool to_vec);
void vsl_vec_zero(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, u32 bytes);
u32 vsl_vec_crc(const struct vsl_vec *vec, u32 nr_vecs, u32 skip, u32 bytes);
u32 vsl_io_span(const struct vsl_io *io, u32 lba, u32 *skip, u32 *from);

/* groom.c */
int vsl_groom_alloc(struct vsl_core *core);
void vsl_groom_free(struct vsl_core *core);
void vsl_groom_run(struct vsl_core *core);
void vsl_groom_scan(struct vsl_core *core);
void vsl_groom_earn(struct vsl_core *core, u32 host_blocks);
u32 vsl_groom_leaves(struct vsl_core *core);
void vsl_groom_push(struct vsl_core *core);
u64 vsl_groom_debt(struct vsl_core *core);

/* checkpoint.c */
void vsl_check_dirty(struct vsl_core *core, u32 seg);
void vsl_check_run(struct vsl_core *core);
void vsl_check_earn(struct vsl_core *core, u32 host_blocks);
void vsl_check_request(struct vsl_core *core, bool urgent);
void vsl_check_rooted(struct vsl_core *core);

/* root.c */
int vsl_root_alloc(struct vsl_core *core);
void vsl_root_free(struct vsl_core *core);
void vsl_root_write(struct vsl_core *core, const struct vsl_base *base,
		    bool full, bool clean);
void vsl_root_run(struct vsl_core *core);
bool vsl_root_renew(struct vsl_core *core);
int vsl_base_from_disk(const struct vsl_core *core, struct vsl_base *base,
		       const struct vsl_disk_root *disk);
void vsl_base_now(struct vsl_core *core, struct vsl_base *base);

#endif /* VSL_CORE_INT_H */
