/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim.h - the simulated card.
 *
 * A struct vsl_media with nothing behind it but memory: it keeps the rules of
 * flash and complains when they are broken, takes time like a real card when
 * asked to, fails on demand and loses power on demand.  The kernel module and
 * the tests in user space run the same source.
 *
 * The card has no thread of its own.  vsl_media_ops.submit() only queues; the
 * work is done by vsl_sim_run(), which the owner calls when the card asks for
 * it through env->wake().  Operations end inside vsl_sim_run() (or inside
 * submit(), see VSL_SIM_INLINE and VSL_SIM_INLINE_READS).  A loop in user space:
 *
 *	wake():	remember the earliest time asked for
 *	loop:	if it is in the future, move the clock there
 *		forget it; vsl_sim_run(sim)
 *
 * Locking.  "Serialised" below means: process context, may sleep, and no two
 * such calls for one card at a time.  The card sees to that itself by
 * env->serialize(), where given; such a call may then not be made from op->end()
 * or media->event().  To cut the power at a chosen operation plant the fault
 * "power-cut", or cut between two calls of vsl_sim_run().  Memory is allocated
 * in serialised calls: where the disk may be what memory reclaim writes to,
 * serialize() must keep allocations from doing I/O.
 *
 * Randomness comes from config.seed alone: the same calls in the same order
 * give the same card.
 */
#ifndef VSL_MEDIA_SIM_H
#define VSL_MEDIA_SIM_H

#include "media.h"

struct vsl_sim;

/* ---- what a card is ---------------------------------------------------- */

/*
 * Behaviour, config.flags.
 *
 * TIMED	operations take the time of config.timing
 * SHUFFLE	untimed: one operation ends in each vsl_sim_run(), chosen among
 *		config.window by the seed
 * FATAL	a broken rule is a VSL_ASSERT
 * VOLATILE	a volatile write cache: what was not flushed may be lost
 * PLP		power-loss protection: what ended is kept
 * IN_ORDER	the volatile cache loses only the last programs of an erase unit
 * FINISH	the card knows VSL_OP_FINISH
 * REPORTS	report() knows states, and the card says how many reads disturb
 * INLINE_READS	untimed: plain reads end inside submit()
 * FLAT		not flash but an ordinary namespace: see sim_flat.c.  An erased
 *		block reads as zeros or as what it held before (M7 of media.h),
 *		and a cut may undo what was not flushed block by block.  No read
 *		hole and no spare bytes then
 * INLINE	untimed: everything ends inside submit(), which is then
 *		serialised; user space only
 */
#define VSL_SIM_TIMED		(1u << 0)
#define VSL_SIM_SHUFFLE		(1u << 1)
#define VSL_SIM_FATAL		(1u << 2)
#define VSL_SIM_VOLATILE	(1u << 3)
#define VSL_SIM_PLP		(1u << 4)
#define VSL_SIM_IN_ORDER	(1u << 5)
#define VSL_SIM_FINISH		(1u << 6)
#define VSL_SIM_REPORTS		(1u << 7)
#define VSL_SIM_INLINE_READS	(1u << 8)
#define VSL_SIM_INLINE		(1u << 9)
#define VSL_SIM_FLAT		(1u << 10)

/**
 * struct vsl_sim_timing - how long things take, nanoseconds unless named
 * @page_bytes: what a die reads or programs at once, over all its planes
 * @read_ns: page from cells to the die's register
 * @program_ns: page from the register to the cells
 * @erase_ns: an erase unit
 * @suspend_ns: a read may break into a program or an erase and costs it this
 *	much more; 0: it waits
 * @channels: a unit is on channel (unit % channels)
 * @channel_mbps: 10^6 bytes a second on a channel, shared by both directions
 * @bus_mbps: 10^6 bytes a second between host and card, in each direction
 * @bus_command_ns: occupation of the bus by one command besides its data
 * @command_ns: latency of a command that occupies nothing
 * @flush_ns: a flush, besides waiting
 * @buffer_blocks: write buffer; a program ends when it is in the buffer.  0: a
 *	program ends when the die has done it
 * @cache_register: the die can read a page while it moves another one out
 */
struct vsl_sim_timing {
	u32 page_bytes;
	u32 read_ns;
	u32 program_ns;
	u32 erase_ns;
	u32 suspend_ns;
	u32 channels;
	u32 channel_mbps;
	u32 bus_mbps;
	u32 bus_command_ns;
	u32 command_ns;
	u32 flush_ns;
	u32 buffer_blocks;
	u32 cache_register;
};

/**
 * struct vsl_sim_tear - what a power cut leaves, weights and permille
 * @no_front: every block of a torn program by the weights; else half of them are
 *	torn the way a die writes, block after block
 * @program_old: weight: a block under way stays erased
 * @program_new: weight: it is there
 * @program_prefix: weight: its first n 512-byte units are there, then 0xff
 * @program_mixed: weight: each 512-byte unit is there or is random
 * @program_random: weight: it reads fine, as noise
 * @program_lost: weight: it reads as VSL_RES_LOST
 * @erase_old: weight: an erase under way left the old content
 * @erase_done: weight: it was complete
 * @erase_random: weight: it left noise
 * @weak_permille: a block under way that reads fine does so only for
 *	@weak_reads reads, and is VSL_RES_LOST from then on
 * @weak_reads: see there
 * @flaky_permille: after an interrupted erase each program fails with this
 *	probability, until the erase unit was erased
 * @pair_blocks: a torn block may take along the block this far before it (the
 *	other page of the same cells); 0: never.  Breaks rule M4 of media.h
 * @pair_permille: how often it does
 * @plp_fail_permille: the protection of VSL_SIM_PLP does not hold: what was
 *	programmed since the last flush is lost like a volatile cache
 *
 * All program weights 0: program_old; all erase weights 0: erase_old.
 *
 * VSL_SIM_FLAT: "erased" is what was there before.  With @program_prefix the sectors
 * behind the first n, with @program_mixed any of them, are what was there before;
 * leave both 0 where the card writes 4 KiB at once or not at all.  @erase_random:
 * half of the blocks were erased.
 */
struct vsl_sim_tear {
	u32 no_front;
	u32 program_old;
	u32 program_new;
	u32 program_prefix;
	u32 program_mixed;
	u32 program_random;
	u32 program_lost;
	u32 erase_old;
	u32 erase_done;
	u32 erase_random;
	u32 weak_permille;
	u32 weak_reads;
	u32 flaky_permille;
	u32 pair_blocks;
	u32 pair_permille;
	u32 plp_fail_permille;
};

/**
 * struct vsl_sim_config - a card
 * @units: as in struct vsl_media_info, down to @firmware
 * @eus: same
 * @eu_blocks: same
 * @ws_min: same
 * @ws_opt: same
 * @hole: same
 * @max_open: same
 * @max_blocks: same
 * @oob_bytes: same, a multiple of 8, at most VSL_SIM_OOB_MAX
 * @erase_cycles: same; beyond it erases begin to fail
 * @factory_bytes: same
 * @model: same
 * @serial: same; empty: made from the seed
 * @firmware: same
 * @flags: VSL_SIM_*
 * @window: VSL_SIM_SHUFFLE: how many operations may overtake each other; 0: all
 * @seed: of everything random
 * @bad_permyriad: erase units dead from the factory, of 10000; of those with
 *	the same number at most half of the units
 * @cache_blocks: VSL_SIM_VOLATILE: what the cache holds; the oldest becomes
 *	durable beyond it.  0: no limit
 * @disturb_reads: reads of an erase unit after which its blocks end with
 *	VSL_RES_REFRESH, and after twice as many as VSL_RES_LOST; 0: never
 * @retention_ms: the same by the age of a program; 0: never
 * @stale_permille: VSL_SIM_FLAT: erased blocks that show what they held before;
 *	the others are zeros
 * @foreign_permille: VSL_SIM_FLAT: blocks with noise in them that somebody else
 *	left; the others are zeros until they are written
 * @tear: what a power cut leaves
 * @timing: VSL_SIM_TIMED
 */
struct vsl_sim_config {
	u32 units;
	u32 eus;
	u32 eu_blocks;
	u32 ws_min;
	u32 ws_opt;
	u32 hole;
	u32 max_open;
	u32 max_blocks;
	u32 oob_bytes;
	u32 erase_cycles;
	u64 factory_bytes;
	char model[48];
	char serial[24];
	char firmware[16];
	u32 flags;
	u32 window;
	u64 seed;
	u32 bad_permyriad;
	u32 cache_blocks;
	u64 disturb_reads;
	u64 retention_ms;
	u32 stale_permille;
	u32 foreign_permille;
	struct vsl_sim_tear tear;
	struct vsl_sim_timing timing;
};

#define VSL_SIM_OOB_MAX		64u

#define VSL_SIM_CAPACITY_MIN	(16ull << 20)
#define VSL_SIM_CAPACITY_MAX	(16ull << 40)

/**
 * struct vsl_sim_preset_name - one line of the table of presets
 * @name: what vsl_sim_preset() takes
 * @text: one line for people
 * @default_bytes: capacity of the real card
 */
struct vsl_sim_preset_name {
	const char *name;
	const char *text;
	u64 default_bytes;
};

/** vsl_sim_presets() - the table; ends with a NULL name.  Context: any. */
const struct vsl_sim_preset_name *vsl_sim_presets(void);

/**
 * vsl_sim_preset() - fill in a configuration
 * @name: "slc160", "fast", "oc20", "tiny", "flat", "flat-plp", "raw"
 * @capacity_bytes: advertised capacity; 0 for the preset's own.  "tiny" has
 *	one size and ignores it
 * @config: filled in whole; the caller may change it before create
 *
 * VSL_SIM_TIMED is set where the preset has times; the caller clears it for a
 * card that answers at once.  Geometries keep at least 512 erase units in each
 * unit where the capacity allows.
 *
 * Context: any.
 * Return: 0, -EINVAL unknown name, -ERANGE capacity.
 */
int vsl_sim_preset(const char *name, u64 capacity_bytes,
		   struct vsl_sim_config *config);

/* ---- the world around a card ------------------------------------------- */

/* env->lock() numbers: 0, and one for the contents of (unit % VSL_SIM_LOCKS). */
#define VSL_SIM_LOCKS		16u
#define VSL_SIM_LOCK_CARD	0u
#define VSL_SIM_LOCK_UNIT(unit)	(1u + (unit) % VSL_SIM_LOCKS)

/**
 * struct vsl_sim_env - what a card needs from its owner
 * @ctx: first argument of all
 * @lock: take spinlock @which, 0 to VSL_SIM_LOCKS.  Return: what unlock needs.
 *	May be NULL together with @unlock (one thread).  Never nested.
 * @unlock: give it back
 * @serialize: sleeping lock around serialised calls, or NULL
 * @deserialize: give it back
 * @now_ns: monotonic time; NULL: vsl_port_now_ns()
 * @wake: call vsl_sim_run() at @at_ns or soon after; 0 or the past: at once, but
 *	not from inside this call.  The earliest time asked for counts until
 *	vsl_sim_run() was called.  No wish comes from a card that has nothing
 *	pending.  Context: any, no sleep.
 * @violation: a rule was broken, in words; may be NULL.  Context: any.
 */
struct vsl_sim_env {
	void *ctx;
	unsigned long (*lock)(void *ctx, u32 which);
	void (*unlock)(void *ctx, u32 which, unsigned long flags);
	void (*serialize)(void *ctx);
	void (*deserialize)(void *ctx);
	u64 (*now_ns)(void *ctx);
	void (*wake)(void *ctx, u64 at_ns);
	void (*violation)(void *ctx, const char *text);
};

/* ---- life -------------------------------------------------------------- */

/**
 * vsl_sim_create() - a blank card with power
 * @config: copied
 * @env: copied
 * @out: the card
 *
 * Context: process, may sleep.
 * Return: 0, -EINVAL configuration, -ENOMEM.
 */
int vsl_sim_create(const struct vsl_sim_config *config,
		   const struct vsl_sim_env *env, struct vsl_sim **out);

/**
 * vsl_sim_destroy() - free a card
 * @sim: the card
 *
 * Nothing may be under way, and env->wake() must lead to no more calls.
 *
 * Context: process, may sleep.
 */
void vsl_sim_destroy(struct vsl_sim *sim);

/** vsl_sim_media() - the card as the core sees it.  Context: any. */
struct vsl_media *vsl_sim_media(struct vsl_sim *sim);

/** vsl_sim_config() - what it was made from.  Context: any. */
const struct vsl_sim_config *vsl_sim_config(const struct vsl_sim *sim);

/** vsl_sim_run() - do what is due; operations end.  Serialised. */
void vsl_sim_run(struct vsl_sim *sim);

/** vsl_sim_pending() - operations that have not ended.  Context: any. */
u32 vsl_sim_pending(struct vsl_sim *sim);

/**
 * vsl_sim_seed() - start the random numbers anew
 * @sim: the card
 * @seed: any number
 *
 * After vsl_sim_clone() it gives another outcome of the same cut.  The serial
 * number and the factory's bad erase units stay.  Serialised.
 */
void vsl_sim_seed(struct vsl_sim *sim, u64 seed);

/**
 * vsl_sim_clone() - make @to hold what @from holds
 * @to: a card of the same geometry; what it held is dropped
 * @from: unchanged
 *
 * Contents, wear, the volatile cache and marks left by cuts are taken over (memory
 * is shared until one of them changes it); faults, counters, power and the seed
 * are not.  Nothing may be under way on either card.  User space only, both cards
 * in one thread.
 *
 * Return: 0, -EINVAL geometry, or memory was lent to one of them; -EBUSY something
 * is under way; -ENOMEM.
 */
int vsl_sim_clone(struct vsl_sim *to, struct vsl_sim *from);

/* ---- power ------------------------------------------------------------- */

/**
 * vsl_sim_cut() - power cut, now
 * @sim: the card
 *
 * What is under way is torn as config.tear says, what the card had not made
 * durable is lost, everything ends with VSL_RES_GONE and media->event() is
 * called with VSL_EVENT_GONE.  Without power everything ends with VSL_RES_GONE.
 * No effect on a card without power.
 *
 * Context: serialised.
 */
void vsl_sim_cut(struct vsl_sim *sim);

/**
 * vsl_sim_power_on() - power is back
 * @sim: the card
 *
 * Planted faults stay, except "stuck" operations, which ended with the cut.
 *
 * Context: serialised.
 * Return: 0, -EALREADY it has power.
 */
int vsl_sim_power_on(struct vsl_sim *sim);

/** vsl_sim_has_power() - Context: any. */
bool vsl_sim_has_power(const struct vsl_sim *sim);

/* ---- faults ------------------------------------------------------------ */

#define VSL_SIM_ANY		(~0u)
#define VSL_SIM_FOREVER		(~0u)
#define VSL_SIM_FAULTS_MAX	64u

/**
 * struct vsl_sim_fault - a fault to plant
 * @name: see vsl_sim_fault_names()
 * @unit: parallel unit, or VSL_SIM_ANY
 * @eu: erase unit, or VSL_SIM_ANY
 * @block: block in it, or VSL_SIM_ANY.  An operation matches when it touches the
 *	block; faults that hit a block hit this one, else one chosen by the seed
 * @count: how many times it fires, VSL_SIM_FOREVER for always; 0 takes back all
 *	planted faults of this name and place
 * @every: fires on each @every-th match; 0 and 1: on each
 * @value: see vsl_sim_fault_names()
 */
struct vsl_sim_fault {
	const char *name;
	u32 unit;
	u32 eu;
	u32 block;
	u32 count;
	u32 every;
	u64 value;
};

/**
 * struct vsl_sim_fault_name - one line of the table of faults
 * @name: its name
 * @text: one line for people, with the meaning of @value where it has one; a mask
 *	of kinds of operations is 1 read, 2 program, 4 erase, 8 finish, 16 flush
 */
struct vsl_sim_fault_name {
	const char *name;
	const char *text;
};

/** vsl_sim_fault_names() - the table; ends with a NULL name.  Context: any. */
const struct vsl_sim_fault_name *vsl_sim_fault_names(void);

/**
 * vsl_sim_plant() - plant a fault, or take it back
 * @sim: the card
 * @fault: copied
 *
 * Context: serialised.
 * Return: 0, -EINVAL unknown name or place, -ENOSPC too many faults, -ENOENT
 * nothing to take back.
 */
int vsl_sim_plant(struct vsl_sim *sim, const struct vsl_sim_fault *fault);

/** vsl_sim_heal() - take back all faults; stuck operations go on.  Serialised. */
void vsl_sim_heal(struct vsl_sim *sim);

/* ---- images ------------------------------------------------------------ */

/**
 * vsl_sim_image_read() - a piece of the card's image file
 * @sim: the card; nothing may be under way
 * @offset: a multiple of 4096.  Starting over at 0 takes a new image; other
 *	offsets must go on where the last call ended, and the card must not have
 *	changed since
 * @buf: where to put it, aligned to 8
 * @bytes: a multiple of 4096
 * @done: how many bytes there were; fewer than @bytes at the end
 * @total_bytes: size of the whole image
 *
 * Context: serialised.
 * Return: 0, -EINVAL offset or length, -EBUSY something is under way, -ESTALE
 * the card has changed since offset 0.
 */
int vsl_sim_image_read(struct vsl_sim *sim, u64 offset, void *buf, u32 bytes,
		       u32 *done, u64 *total_bytes);

/**
 * vsl_sim_image_write() - load a piece of an image file
 * @sim: the card; nothing may be under way
 * @offset: 0 starts over; other offsets must go on where the last call ended
 * @buf: the piece, aligned to 8
 * @bytes: a multiple of 4096
 * @done: how many bytes were used; fewer than @bytes at the image's end
 * @total_bytes: size of the whole image, as its header says
 *
 * The card changes with the last piece, at once; until then, and after any
 * error, it is what it was.
 *
 * Context: serialised.
 * Return: 0; -EINVAL offset or length; -EBUSY something is under way; -EILSEQ
 * not an image; -EPROTO an image from the future; -EMEDIUMTYPE an image of
 * another geometry; -EBADMSG damaged; -ENOMEM.
 */
int vsl_sim_image_write(struct vsl_sim *sim, u64 offset, const void *buf,
			u32 bytes, u32 *done, u64 *total_bytes);

/**
 * vsl_sim_image_loading() - an image was begun and is not complete
 * @sim: the card
 *
 * A file that ends now is truncated.
 *
 * Context: any.
 */
bool vsl_sim_image_loading(const struct vsl_sim *sim);

/**
 * vsl_sim_image_lend() - data of the image to come is not copied
 * @sim: the card
 * @image: the whole image in memory, aligned to 8.  It must stay as it is until the
 *	card is destroyed
 * @bytes: of it
 *
 * For looking at an image, not for using one: vsl_sim_image_write() of pieces of
 * @image costs no memory for data, takes data that is not what its checksum says
 * as it is and counts it (stats.rotten_blocks), and forgets how often a block can
 * be read.  User space only.
 */
void vsl_sim_image_lend(struct vsl_sim *sim, const void *image, u64 bytes);

/** vsl_sim_image_drop() - forget a half-loaded image.  Serialised. */
void vsl_sim_image_drop(struct vsl_sim *sim);

/* ---- looking at it ----------------------------------------------------- */

/**
 * struct vsl_sim_stats - what happened since create
 * @read_ops: reads that ended
 * @program_ops: programs that ended
 * @erase_ops: erases that ended
 * @flush_ops: flushes that ended
 * @read_blocks: blocks read
 * @program_blocks: blocks programmed
 * @cuts: power cuts
 * @torn_ops: programs and erases that a cut hit
 * @forgotten_ops: programs that a volatile cache lost
 * @faults: planted faults that fired
 * @violations: broken rules
 * @data_blocks: blocks held in memory
 * @pattern_blocks: blocks held as a pattern
 * @memory_bytes: memory of the contents
 * @rotten_blocks: data of lent images that is not what its checksum says
 * @rotten_offset: where in the image the first one of them is
 * @last_violation: the last broken rule in words
 */
struct vsl_sim_stats {
	u64 read_ops;
	u64 program_ops;
	u64 erase_ops;
	u64 flush_ops;
	u64 read_blocks;
	u64 program_blocks;
	u64 cuts;
	u64 torn_ops;
	u64 forgotten_ops;
	u64 faults;
	u64 violations;
	u64 data_blocks;
	u64 pattern_blocks;
	u64 memory_bytes;
	u64 rotten_blocks;
	u64 rotten_offset;
	char last_violation[160];
};

/** vsl_sim_stats() - what happened so far.  Serialised. */
void vsl_sim_stats(struct vsl_sim *sim, struct vsl_sim_stats *stats);

/** vsl_sim_wear() - erases of an erase unit; racy while it is erased */
u32 vsl_sim_wear(const struct vsl_sim *sim, u32 unit, u32 eu);

/**
 * vsl_sim_peek() - what is in a block, past all rules and faults
 * @sim: the card
 * @unit: parallel unit
 * @eu: erase unit
 * @block: block in it
 * @buf: one block
 *
 * Context: serialised.
 * Return: 0, -ENODATA nothing was programmed, -EIO it cannot be read.
 */
int vsl_sim_peek(struct vsl_sim *sim, u32 unit, u32 eu, u32 block, void *buf);

/**
 * vsl_sim_poke() - change what is in a block that was programmed
 * @sim: the card
 * @unit: parallel unit
 * @eu: erase unit
 * @block: block in it
 * @buf: one block; NULL: it cannot be read any more, until it is erased
 *
 * Context: serialised.
 * Return: 0, -ENODATA, -ENOMEM.
 */
int vsl_sim_poke(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		 const void *buf);

/**
 * vsl_sim_peek_oob() - the same for a block's spare bytes
 * @oob: config.oob_bytes
 */
int vsl_sim_peek_oob(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		     void *oob);
int vsl_sim_poke_oob(struct vsl_sim *sim, u32 unit, u32 eu, u32 block,
		     const void *oob);

#endif /* VSL_MEDIA_SIM_H */
