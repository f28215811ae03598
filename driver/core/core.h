/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * core.h - the door of the mapping core.
 *
 * The core turns a struct vsl_media into a disk of 512-byte sectors.  It is a
 * state machine without I/O of its own: calls put operations for the media
 * and finished requests into two outboxes, and the caller (the card layer in
 * the kernel, the simulator in user space) empties them:
 *
 *	lock;   vsl_core_submit() / vsl_core_op_done() / vsl_core_tick();
 *	        take ops  by vsl_core_next_op()  until NULL;
 *	        take ios  by vsl_core_next_io()  until NULL;
 *	unlock;
 *	each op:  kind <  VSL_OP_CPU: media->ops->submit(media, op)
 *	          kind >= VSL_OP_CPU: vsl_core_run(core, op), then it has ended
 *	each io:  complete it to whoever asked
 *	for each op that ended: lock; vsl_core_op_done(); and so on.
 *
 * Rules
 * C1  "lock" is one lock per card; every function below says whether it wants
 *     it held.  The core takes none.
 * C2  Nothing is allocated between attach and detach.
 * C3  Operations may be started and may end in any order.
 * C4  format, attach and detach are synchronous: called in process context
 *     without the lock, while no other call for this card is under way.  They
 *     wait by env->wait(), which pumps the outboxes as above.
 * C5  After VSL_RES_GONE, or vsl_core_kill(), every io ends with -ENODEV.
 */
#ifndef VSL_CORE_CORE_H
#define VSL_CORE_CORE_H

#include "port.h"
#include "../media/media.h"

struct vsl_core;
struct vsl_slot;

/* ---- requests ---------------------------------------------------------- */

enum vsl_io_kind {
	VSL_IO_READ,
	VSL_IO_WRITE,
	VSL_IO_TRIM,		/* whole blocks inside the range read 0 after it */
	VSL_IO_ZERO,		/* every byte of the range reads 0 after it */
	VSL_IO_FLUSH,		/* all that ended before is durable after it */
};

#define VSL_IO_FUA	(1u << 0)	/* durable when it ends */

/* A write that touches at most vsl_core_atomic_blocks() blocks of 4 KiB takes
 * effect whole or not at all; where segments have 2048 blocks and more that is
 * every write. */
#define VSL_IO_MAX_SECTORS	1024u
/* spare bytes of a fast read: more blocks than have room are read slowly */
#define VSL_IO_SPARE		128u
/* pieces of memory in one request */
#define VSL_IO_MAX_VECS		256u

/**
 * struct vsl_io - one request, owned by the core from submit to next_io
 * @link: list hook, the core's while it owns the request
 * @kind: enum vsl_io_kind
 * @flags: VSL_IO_*
 * @sector: first sector (512 bytes)
 * @nr_sectors: how many; at most VSL_IO_MAX_SECTORS for READ and WRITE, any
 *	number for TRIM and ZERO, 0 for FLUSH
 * @vec: the data of READ and WRITE; any alignment, lengths multiples of 512
 * @nr_vecs: pieces in @vec
 * @error: 0 or a negative errno when it ended: -EIO media failed or content
 *	lost, -EROFS card is read-only, -ENODEV card is gone, -EINVAL a range
 *	outside the disk
 * @owner: the caller's own
 * @core: the core's own, below
 *
 * The caller zeroes the whole structure before it fills it.
 */
struct vsl_io {
	struct list_head link;
	u8 kind;
	u8 flags;
	s32 error;
	u64 sector;
	u32 nr_sectors;
	u32 nr_vecs;
	const struct vsl_vec *vec;
	void *owner;

	/* The core's own. */
	u8 stage;
	u8 tries;
	bool split;		/* too long for one packet */
	u8 point;		/* append point of its commits so far */
	u32 pending;		/* parts under way */
	u32 nr_slots;
	struct vsl_slot *slots;	/* chain of buffers it holds */
	u64 cursor;		/* next block to work on */
	u64 version;		/* flush: wait for this */
	u32 ppa;		/* fast read: where it reads */
	struct vsl_vec sub;
	struct vsl_op op;	/* a read of one run needs no more */
	struct vsl_op cpu_op;	/* fill or zero */
	u8 spare[VSL_IO_SPARE];	/* fast read: spare bytes */
};

/* ---- environment -------------------------------------------------------- */

enum vsl_log_level { VSL_LOG_ERROR, VSL_LOG_WARN, VSL_LOG_INFO };

/* What the card layer should know of at once. */
enum vsl_core_event {
	VSL_CORE_HEALTH,	/* vsl_core_health() has changed */
};

/**
 * struct vsl_core_env - what the core needs from its caller
 * @ctx: first argument of all
 * @wait: pump @core's outboxes until @done(@arg) is true.  Process context,
 *	without the lock; @done is called with the lock held.  Return: 0, or
 *	-EINTR when the user asked to stop (only format heeds it), or -ENODEV
 *	when the card is gone and nothing is under way any more.
 * @log: one line, without newline.  Any context, rate-limited by the callee.
 * @progress: how far a long work is, 0 to 1000.  May be NULL.
 * @event: something to know.  Called with the lock held.  May be NULL.
 * @scrub_s: seconds in which all of the card is read once to see whether it still
 *	can be, 0 for never; read at attach
 */
struct vsl_core_env {
	void *ctx;
	int (*wait)(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg);
	void (*log)(void *ctx, enum vsl_log_level level, const char *fmt, ...)
		__printf(3, 4);
	void (*progress)(void *ctx, u32 permille);
	void (*event)(void *ctx, enum vsl_core_event what);
	u32 scrub_s;
};

/* ---- format, probe, attach, detach ------------------------------------ */

/**
 * struct vsl_format - what a card is to become
 * @uuid: identity of this format
 * @label_ts: seconds since 1970
 * @sector_bytes: 512 or 4096
 * @capacity_bytes: size of the disk, a multiple of 4096; 0 for the advertised
 *	capacity
 * @overformat: allow more than the advertised capacity, up to the maximum
 * @parity: a chunk of each row of units holds the others XORed: what one unit has
 *	lost can be made again.  Needs three units, and the room of two
 */
struct vsl_format {
	u8 uuid[16];
	u64 label_ts;
	u32 sector_bytes;
	u64 capacity_bytes;
	bool overformat;
	bool parity;
};

/**
 * struct vsl_limits - what a card can be formatted to
 * @advertised_bytes: default capacity
 * @max_bytes: capacity that @overformat allows
 * @physical_bytes: flash behind it
 */
struct vsl_limits {
	u64 advertised_bytes;
	u64 max_bytes;
	u64 physical_bytes;
};

/**
 * struct vsl_label - what probe found on a card
 * @formatted: false: no valid root; the rest is void
 * @clean: the last detach was clean
 * @parity: rows have parity
 * @version: format version
 * @sector_bytes: 512 or 4096
 * @capacity_bytes: size of the disk
 * @uuid: identity of the format
 * @label_ts: when it was formatted
 * @generation: of the newest root
 */
struct vsl_label {
	bool formatted;
	bool clean;
	bool parity;
	u32 version;
	u32 sector_bytes;
	u64 capacity_bytes;
	u8 uuid[16];
	u64 label_ts;
	u64 generation;
};

/**
 * vsl_core_limits() - what this geometry can be formatted to
 * @media: the card
 * @limits: the answer
 *
 * Asks the card for its bad erase units.
 *
 * Context: process, may sleep.
 * Return: 0, -EUCLEAN when the geometry is outside what the core can serve
 * (too few segments, more than 2^32 blocks, max_open too small), -ENOMEM,
 * -ENODEV.
 */
int vsl_core_limits(const struct vsl_media *media, struct vsl_limits *limits);

/** vsl_core_limits_parity() - the same, with parity; -EUCLEAN also: no room */
int vsl_core_limits_parity(const struct vsl_media *media,
			   struct vsl_limits *limits);

/**
 * vsl_core_probe() - read the newest root, change nothing
 *
 * Context: process, may sleep (C4).
 * Return: 0 (look at label->formatted), -ENODEV gone, -EUCLEAN geometry,
 * -ENOMEM, -EPROTO a later format version than this code's, -ESTALE an earlier
 * one (label->version tells which), -EMEDIUMTYPE a format made for another geometry, -EIO no root
 * lane could be read.
 */
int vsl_core_probe(struct vsl_media *media, const struct vsl_core_env *env,
		   struct vsl_label *label);

/**
 * vsl_core_format() - make an empty disk
 *
 * Everything on the card is lost.  Interrupted at any point, by a signal or a
 * power cut, it leaves either the old format's or the new format's root, or
 * none, and can be done again.
 *
 * Context: process, may sleep (C4).
 * Return: 0, -EINVAL sector size, -ERANGE capacity (0 is the default, below
 * 1 MiB or above the limits is refused), -EINTR stopped by the user, -ENODEV,
 * -EUCLEAN, -ENOMEM, -EIO too many erase units are bad.
 */
int vsl_core_format(struct vsl_media *media, const struct vsl_core_env *env,
		    const struct vsl_format *format);

#define VSL_ATTACH_CLEAN_ONLY	(1u << 0)	/* refuse after an unclean stop */
#define VSL_ATTACH_RESCAN	(1u << 1)	/* believe no root's map: not yet */
#define VSL_ATTACH_READ_ONLY	(1u << 2)	/* never write to the media */
#define VSL_ATTACH_STRICT_SYNC	(1u << 3)	/* P5: acknowledged is durable */

/**
 * vsl_core_attach() - recover what is on the card and serve it
 * @media: the card
 * @env: the caller's functions; copied
 * @flags: VSL_ATTACH_*
 * @out: the core, ready for vsl_core_submit()
 *
 * Context: process, may sleep (C4).  All memory is allocated here.
 * Return: 0; as vsl_core_probe(); -ENODATA not formatted; -EBUSY unclean and
 * VSL_ATTACH_CLEAN_ONLY; -EIO the metadata cannot be read; -EOPNOTSUPP
 * VSL_ATTACH_RESCAN, or VSL_ATTACH_READ_ONLY of a card with a read hole that has
 * an open erase unit.
 */
int vsl_core_attach(struct vsl_media *media, const struct vsl_core_env *env,
		    u32 flags, struct vsl_core **out);

/**
 * vsl_core_detach() - write everything out and a clean root
 *
 * All requests must have ended.  The core serves no more afterwards, whatever
 * is returned; vsl_core_destroy() must follow.
 *
 * Context: process, may sleep (C4).
 * Return: 0 clean; -EIO or -ENODEV the next attach will be an unclean one.
 */
int vsl_core_detach(struct vsl_core *core);

/** vsl_core_destroy() - free the memory; nothing may be under way any more */
void vsl_core_destroy(struct vsl_core *core);

/* ---- running ---------------------------------------------------------- */

/** vsl_core_submit() - take a request.  Context: lock held, no sleep. */
void vsl_core_submit(struct vsl_core *core, struct vsl_io *io);

/**
 * vsl_core_read_fast() - a read that needs no lock
 * @core: the core
 * @io: a READ
 * @op: the operation to give to the media, where 1 is returned
 *
 * Serves a read of whole blocks that lies in one run on settled flash, and on a
 * card with spare bytes is not long.  When @op ends call
 * vsl_core_read_fast_done(), not vsl_core_op_done().
 *
 * Context: any, lock not needed.
 * Return: 1 submit *@op; -EAGAIN use vsl_core_submit().  (0, that @io has ended,
 * is kept for later.)
 */
int vsl_core_read_fast(struct vsl_core *core, struct vsl_io *io,
		       struct vsl_op **op);

/**
 * vsl_core_read_fast_done() - the operation of a fast read has ended
 *
 * On a card with spare bytes this takes the CRC of what was read.
 *
 * Context: any, lock not needed.
 * Return: 0 @io has ended, error set; 1 the caller takes the lock and calls
 * vsl_core_submit() with it again (a retry); with 2 added: the caller takes the
 * lock and calls vsl_core_tick() (an erase was waiting for this reader).
 */
int vsl_core_read_fast_done(struct vsl_core *core, struct vsl_io *io);

/**
 * vsl_core_count_reads() - count fast reads, which leave no trace in the core
 * @core: the core
 * @blocks: read since the last call
 *
 * Context: lock held.
 */
void vsl_core_count_reads(struct vsl_core *core, u64 blocks);

/** vsl_core_op_done() - an operation from next_op() ended.  Lock held. */
void vsl_core_op_done(struct vsl_core *core, struct vsl_op *op);

/** vsl_core_next_op() - next operation to start, or NULL.  Lock held. */
struct vsl_op *vsl_core_next_op(struct vsl_core *core);

/** vsl_core_next_io() - next request that ended, or NULL.  Lock held. */
struct vsl_io *vsl_core_next_io(struct vsl_core *core);

/** vsl_core_run() - do the work of a CPU operation.  Lock NOT held. */
void vsl_core_run(struct vsl_core *core, struct vsl_op *op);

/** vsl_core_tick() - background work; call about ten times a second.  Lock held. */
void vsl_core_tick(struct vsl_core *core);

/**
 * vsl_core_refresh() - the card wants the data of an erase unit to be moved
 * @core: the core
 * @unit: which
 * @eu: erase unit of it
 *
 * Context: any, lock not needed; attach of @core has begun, and it stays.
 */
void vsl_core_refresh(struct vsl_core *core, u32 unit, u32 eu);

/** vsl_core_kill() - the card is gone: end everything with -ENODEV.  Lock held. */
void vsl_core_kill(struct vsl_core *core);

/* ---- looking at it ---------------------------------------------------- */

enum vsl_health {
	VSL_HEALTHY,
	VSL_WRITE_REDUCED,	/* spares below the warning level */
	VSL_READ_ONLY,		/* out of spares, or metadata cannot be written */
};

/* The words of the VSL management interface (ReducedWriteReason). */
enum vsl_reduced_reason {
	VSL_REASON_NONE = 0,
	VSL_REASON_USER = 1,
	VSL_REASON_NO_MD_BLOCKS = 2,
	VSL_REASON_DIE_FAILURE = 4,
	VSL_REASON_WEAROUT = 5,
	VSL_REASON_INTERNAL = 7,
	VSL_REASON_GROOM_FAILS = 10,
};

/**
 * struct vsl_core_stats - counters and gauges; counters are lifetime ones,
 * kept on the media up to the last root, unless named "session"
 */
struct vsl_core_stats {
	u64 capacity_bytes;
	u32 sector_bytes;
	u8 health;		/* enum vsl_health */
	u8 reason;		/* enum vsl_reduced_reason */
	u64 host_read_blocks;
	u64 host_write_blocks;
	u64 host_trim_blocks;
	u64 media_read_blocks;
	u64 media_write_blocks;	/* everything, the next six included */
	u64 media_host_blocks;	/* host data */
	u64 media_moved_blocks;	/* groomed data */
	u64 media_map_blocks;	/* map, directory, segment table */
	u64 media_head_blocks;	/* packet heads and summaries */
	u64 media_pad_blocks;
	u64 media_parity_blocks;
	u64 media_erases;	/* erase units */
	u64 lost_blocks;	/* blocks that read as an error now */
	u64 corrupt_blocks;	/* reads that were not what they should be, also
				 * where the second try was */
	u64 scrub_blocks;	/* blocks read by the scrubber, */
	u64 scrub_bad;		/* and what it has found bad */
	u64 scrub_passes;	/* session: times it was through, */
	u64 scrub_passed_ns;	/* and when last (vsl_port_now_ns()) */
	u64 refreshed_blocks;	/* session: moved because the card, the scrubber
				 * or many reads asked for it */
	u64 levelled_blocks;	/* session: moved to level wear */
	u32 erase_spread;	/* erases by which segments may differ before
				 * that is begun */
	u64 rebuilt_blocks;	/* made again from the parity of their row */
	u64 attach_read_blocks;	/* session: media blocks read by attach */
	u64 attach_commits;	/* session: commits it found behind the root */
	u64 attach_doubts;	/* session: packets of them that nothing proved, */
	u64 attach_doubt_blocks;	/* and their data blocks */
	u64 groom_debt_blocks;	/* session: valid blocks to move to reach the
				 * target of free segments */
	u32 segments;
	u32 segments_free;	/* erased or erasable now */
	u32 segments_held;	/* empty, kept until the next root */
	u32 segment_blocks;
	u32 eus_total;
	u32 eus_bad;
	u32 spare_permyriad;	/* reserve left, 10000 = new */
	u32 spare_warn_permyriad;
	u32 erase_min;
	u32 erase_max;
	u64 erase_sum;		/* of all erase units */
	u64 erase_kept;		/* P8: erase_sum never falls below it, whatever
				 * happens: what the last checkpoint has noted */
	u64 mapped_blocks;
	u64 ram_bytes;
	u64 root_generation;
	u64 tail_blocks;	/* log blocks behind the newest root's base */
};

/** vsl_core_stats() - fill in @stats.  Context: lock held. */
void vsl_core_stats(struct vsl_core *core, struct vsl_core_stats *stats);

/** vsl_core_capacity_sectors() - size of the disk in 512-byte sectors */
u64 vsl_core_capacity_sectors(const struct vsl_core *core);

/**
 * vsl_core_atomic_blocks() - blocks of 4 KiB that a write may touch and still
 * take effect whole or not at all (P4).  Context: any.
 */
u32 vsl_core_atomic_blocks(const struct vsl_core *core);

/** vsl_core_health() - enum vsl_health.  Context: any. */
enum vsl_health vsl_core_health(const struct vsl_core *core);

/** vsl_core_idle() - nothing queued, under way or left to write.  Lock held. */
bool vsl_core_idle(const struct vsl_core *core);

/**
 * vsl_core_audit() - promise P7: valid counts, free lists and map agree
 *
 * Walks the whole map; for tests and debugging.  Context: lock held.
 * Return: 0, or -EUCLEAN after logging what disagrees.
 */
int vsl_core_audit(struct vsl_core *core);

#endif /* VSL_CORE_CORE_H */
