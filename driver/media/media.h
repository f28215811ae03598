/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * media.h - what the core writes to.
 *
 * A card is @units parallel units (dies, LUNs, zones' stripes ...) of @eus
 * erase units each, every erase unit @eu_blocks blocks of 4 KiB.  A back end
 * knows nothing of logical addresses; a caller knows nothing of queues, dies
 * or commands.
 *
 * Rules between the caller (core, through card.c) and a back end:
 *
 * M1  An erase unit is programmed in order, from block 0, in multiples of
 *     ws_min blocks; at most one program per erase unit is under way.
 * M2  Nothing depends on the order in which two operations that are both
 *     under way take effect.
 * M3  A block can be read once the unit was programmed @hole blocks past it
 *     (or to its end, or finished).  Reads may run beside anything.
 * M4  An ended program is on the media (durable) unless VSL_MEDIA_VOLATILE is
 *     set; then it is durable after a flush that was submitted after its end.
 * M5  Every operation ends exactly once, by op->end(op), from any context
 *     (also inside submit()), with none of the back end's locks held, for the
 *     next one may be submitted from there; a gone card ends everything with
 *     VSL_RES_GONE.
 * M6  No content can be inferred from anything but an ended operation: after
 *     a power cut, what was under way may be there, not there, or torn.
 * M7  With VSL_MEDIA_STALE no block ever reads as VSL_RES_UNWRITTEN: erased ones
 *     read as zeros or as what they held before, each for itself, and what was
 *     never written reads as anything.  With VSL_MEDIA_VOLATILE an erase, too,
 *     is durable only after a flush; a power cut may undo it block by block.
 */
#ifndef VSL_MEDIA_MEDIA_H
#define VSL_MEDIA_MEDIA_H

#include "../core/port.h"

struct vsl_core;

/**
 * struct vsl_vec - one piece of memory, virtually contiguous
 * @base: start
 * @bytes: length
 */
struct vsl_vec {
	void *base;
	u32 bytes;
};

/* What an operation asks for.  From VSL_OP_CPU on: work for a processor,
 * done by vsl_core_run() outside the lock, never seen by a back end. */
enum vsl_op_kind {
	VSL_OP_READ,
	VSL_OP_PROGRAM,
	VSL_OP_ERASE,		/* the whole erase unit; off and nr are 0 */
	VSL_OP_FINISH,		/* no more programs: what is there is readable */
	VSL_OP_FLUSH,		/* whole card; ended programs become durable */
	VSL_OP_CPU,		/* first of the core's own kinds */
};

/* How an operation ended (reference: Open-Channel 2.0 section 4.4.3, NVMe
 * status codes, folded together). */
enum vsl_result {
	VSL_RES_OK,
	VSL_RES_REFRESH,	/* OK, but the data should be moved soon */
	VSL_RES_EU_ENDED,	/* program: nothing more fits this erase unit */
	VSL_RES_EU_DEAD,	/* program, erase: retire this erase unit */
	VSL_RES_UNWRITTEN,	/* read: erased, or inside the read hole; see M7 */
	VSL_RES_LOST,		/* read: written once, unreadable now */
	VSL_RES_TRANSIENT,	/* worth one more try */
	VSL_RES_INVALID,	/* the caller broke a rule: a bug above */
	VSL_RES_GONE,		/* no card any more */
};

/**
 * struct vsl_op - one operation
 * @link: list hook of whoever has the operation now
 * @kind: enum vsl_op_kind
 * @result: enum vsl_result, valid when it ended
 * @unit: parallel unit
 * @eu: erase unit within it
 * @off: first block within the erase unit
 * @nr: blocks, at most info.max_blocks
 * @bad: read: bit i set when block i of the first 64 could not be read
 *	 (@result is then the worst one); the others' data is good
 * @vec: memory, @nr_vecs pieces
 * @nr_vecs: pieces in @vec
 * @skip_bytes: where in @vec the data begins
 * @oob: @nr times info.oob_bytes of spare bytes, or NULL
 * @end: called once when it ended; set by whoever submits it
 * @owner: of whoever submits it
 * @done: the core's: what to call under the lock once it has ended
 * @ctx: the core's own
 * @tries: the core's: how often it was submitted again
 * @media_priv: the back end's own
 */
struct vsl_op {
	struct list_head link;
	u8 kind;
	u8 result;
	u8 tries;
	u32 unit;
	u32 eu;
	u32 off;
	u32 nr;
	u64 bad;
	const struct vsl_vec *vec;
	u32 nr_vecs;
	u32 skip_bytes;
	void *oob;
	void (*end)(struct vsl_op *op);
	void *owner;
	void (*done)(struct vsl_core *core, struct vsl_op *op);
	void *ctx;
	u64 media_priv[6];
};

/* Capabilities and habits of a card. */
#define VSL_MEDIA_VOLATILE	(1u << 0)	/* has a volatile write cache */
#define VSL_MEDIA_PLP		(1u << 1)	/* announces power-loss protection */
#define VSL_MEDIA_FINISH	(1u << 2)	/* knows VSL_OP_FINISH */
#define VSL_MEDIA_REPORTS	(1u << 3)	/* report() knows states and wp */
#define VSL_MEDIA_VIRTUAL	(1u << 4)	/* no hardware behind it */
#define VSL_MEDIA_STALE		(1u << 5)	/* rule M7 */
/*
 * A disk that was cut into units and erase units.  Block @off of (@unit, @eu) is
 * block (@eu * units + @unit) * eu_blocks + @off of it, in 4 KiB from its start: a
 * segment is one run of the disk, and its units are equal slices of that.  Blocks
 * can be read that were never programmed, so one can see what others left there.
 */
#define VSL_MEDIA_LINEAR	(1u << 6)

/**
 * struct vsl_media_info - what a card is; fixed while it is there
 * @units: parallel units, 1 to VSL_MEDIA_UNITS_MAX
 * @eus: erase units in each
 * @eu_blocks: 4 KiB blocks in an erase unit
 * @ws_min: blocks, smallest program
 * @ws_opt: blocks, best program; a multiple of @ws_min
 * @hole: read hole in blocks (rule M3)
 * @max_open: erase units that may be open at once, 0 for no limit
 * @max_blocks: most blocks in one operation
 * @oob_bytes: spare bytes a block, 0 for none
 * @flags: VSL_MEDIA_*
 * @erase_cycles: rated erases of an erase unit, 0 if unknown
 * @disturb_reads: blocks that may be read of an erase unit before its data should
 *	be moved, 0 if unknown
 * @factory_bytes: capacity on the label
 * @model: product name, NUL-terminated
 * @serial: serial number, NUL-terminated
 * @firmware: firmware version, NUL-terminated
 */
struct vsl_media_info {
	u32 units;
	u32 eus;
	u32 eu_blocks;
	u32 ws_min;
	u32 ws_opt;
	u32 hole;
	u32 max_open;
	u32 max_blocks;
	u32 oob_bytes;
	u32 flags;
	u32 erase_cycles;
	u32 disturb_reads;
	u64 factory_bytes;
	char model[48];
	char serial[24];
	char firmware[16];
};

#define VSL_MEDIA_UNITS_MAX	1024u

enum vsl_eu_state {
	VSL_EU_UNKNOWN,		/* the card does not say */
	VSL_EU_EMPTY,
	VSL_EU_OPEN,		/* programmed up to wp */
	VSL_EU_FULL,		/* full, or finished */
	VSL_EU_RDONLY,		/* readable, will not be erased again */
	VSL_EU_DEAD,
};

/**
 * struct vsl_eu_report - state of one erase unit
 * @state: enum vsl_eu_state
 * @wear: 0 new to 255 worn out
 * @wp: next block to be programmed (OPEN, FULL, RDONLY)
 */
struct vsl_eu_report {
	u8 state;
	u8 wear;
	u32 wp;
};

/* Something happened that nobody asked for. */
enum vsl_media_event {
	VSL_EVENT_GONE,		/* power cut, surprise removal */
	VSL_EVENT_REFRESH,	/* data of (unit, eu) should be moved */
	VSL_EVENT_HEALTH,	/* temperature, power: look at telemetry */
};

struct vsl_media;

/**
 * struct vsl_media_health - how a card is
 * @temp_millic: its temperature in thousandths of a degree Celsius, S32_MIN unknown
 * @temp_max_millic: the highest that was seen
 */
struct vsl_media_health {
	s32 temp_millic;
	s32 temp_max_millic;
};

#define VSL_MEDIA_SLOTS		7u	/* of firmware, at most */

enum vsl_media_logs_flags {
	VSL_LOGS_FIRMWARE = 1u << 0,	/* what is in the slots is known */
	VSL_LOGS_ERRORS = 1u << 1,	/* there is an error log */
	VSL_LOGS_LAST = 1u << 2,	/* and its last entry is known */
	VSL_LOGS_UPDATE = 1u << 3,	/* firmware can be written */
	VSL_LOGS_SLOT1_FIXED = 1u << 4,	/* but not to slot 1 */
	VSL_LOGS_COMMAND = 1u << 5,	/* the opcode of the last error is known */
};

/**
 * struct vsl_media_logs - what a card tells of itself and of its past
 * @flags: enum vsl_media_logs_flags
 * @slots: of firmware
 * @active: the slot that runs, from 1 on
 * @next: the slot that the next reset starts; 0: the same
 * @slot: text; empty: nothing is in it
 * @firmware: what runs, as the card says of itself; empty: unknown
 * @errors: entries that its error log has had, ever
 * @error_lba: of the last: the first block of the disk beneath that it is about
 * @error_status: type << 8 | code, as the card's interface has it
 * @error_part: namespace, or what the card calls such a part
 * @error_queue: 0: a command of administration; VSL_LOGS_NO_QUEUE: of no command
 * @error_opcode: of the command
 */
struct vsl_media_logs {
	u32 flags;
	u32 slots;
	u32 active;
	u32 next;
	char slot[VSL_MEDIA_SLOTS][12];
	char firmware[12];
	u64 errors;
	u64 error_lba;
	u32 error_status;
	u32 error_part;
	u32 error_queue;
	u32 error_opcode;
};

#define VSL_LOGS_NO_QUEUE	0xffffu

/* When a new firmware runs. */
enum vsl_media_firmware_end {
	VSL_FIRMWARE_AT_RESET,	/* of the controller: a module that is loaded again */
	VSL_FIRMWARE_AT_BOOT,	/* of the machine */
	VSL_FIRMWARE_AT_POWER,	/* of the card: it must be without power once */
	VSL_FIRMWARE_RUNS,	/* it does */
};

/**
 * struct vsl_media_firmware - an image on its way to a card
 * @data: a piece of it
 * @offset: of the piece in the image
 * @bytes: of the piece: @piece_bytes, but for the last
 * @piece_bytes: filled in by begin(), 1 MiB at most
 * @slot: where it goes; 0: the card chooses
 * @now: it is to run at once, not after the next reset
 * @end: filled in by commit(): enum vsl_media_firmware_end
 * @priv: of the back end
 */
struct vsl_media_firmware {
	const void *data;
	u32 offset;
	u32 bytes;
	u32 piece_bytes;
	u32 slot;
	bool now;
	u32 end;
	u64 priv;
};

/**
 * struct vsl_media_update_ops - how a card gets another firmware
 * @begin: is it possible?  Return: 0, and end() must follow; -EOPNOTSUPP; -ERANGE no
 *	   such slot, or one that cannot be written; -EBUSY another one is under way;
 *	   -ENODEV; -ENOMEM.
 * @piece: give the card a piece, in ascending order.  Return: 0; -EBADMSG the card
 *	   refuses the image; -EILSEQ it has another piece of the same place; -EACCES it
 *	   does not allow this firmware; -ECONNRESET it was reset since begin(); -ENODEV;
 *	   -ETIME; -EOPNOTSUPP; -EIO.
 * @commit: all of it is there: keep it.  Return: as @piece; -ERANGE not in this slot;
 *	    -EOVERFLOW it cannot be run at once.
 * @end: over, whatever came of it
 *
 * Requests go on meanwhile.  Context: process, may sleep.
 */
struct vsl_media_update_ops {
	int (*begin)(struct vsl_media *media, struct vsl_media_firmware *fw);
	int (*piece)(struct vsl_media *media, struct vsl_media_firmware *fw);
	int (*commit)(struct vsl_media *media, struct vsl_media_firmware *fw);
	void (*end)(struct vsl_media *media, struct vsl_media_firmware *fw);
};

/**
 * struct vsl_media_ops - what a back end can do
 * @submit: start @op.  Context: any, may not sleep.  Ends by op->end().
 * @report: states of erase units [@eu, @eu + @nr) of @unit into @out.
 *	    Context: process, may sleep.  Return: 0, -ENODEV (gone), -EIO,
 *	    -EOPNOTSUPP (nothing is known; the caller takes UNKNOWN for all).
 * @health: what is known of how the card is, without asking it; or NULL.
 *	    Context: any, may not sleep.
 * @logs: what is known of its logs, without asking it; or NULL.
 *	    Context: process, may not sleep.
 * @update: how it gets another firmware; or NULL
 */
struct vsl_media_ops {
	void (*submit)(struct vsl_media *media, struct vsl_op *op);
	int (*report)(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
		      struct vsl_eu_report *out);
	void (*health)(struct vsl_media *media,
		       struct vsl_media_health *health);
	void (*logs)(struct vsl_media *media, struct vsl_media_logs *logs);
	const struct vsl_media_update_ops *update;
};

/**
 * struct vsl_media - one card as the layers above see it
 * @ops: what it can do
 * @info: what it is
 * @event: called when something happens, or NULL.  Context: any, no sleep.
 * @event_ctx: first argument of @event
 */
struct vsl_media {
	const struct vsl_media_ops *ops;
	struct vsl_media_info info;
	void (*event)(void *ctx, enum vsl_media_event what, u32 unit, u32 eu);
	void *event_ctx;
};

#endif /* VSL_MEDIA_MEDIA_H */
