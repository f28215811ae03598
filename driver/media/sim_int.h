/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim_int.h - what the files of the simulated card share.
 *
 * Who may touch what:
 *   S1  Serialised context (vsl_sim_run() and the like) owns the lists of
 *       operations except the inbox, the bodies' contents, the faults, the
 *       random numbers, the clockwork and the image.
 *   S2  The card lock guards the inbox, pending, power, and of an erase unit
 *       wp, done, state, flags and erases: submit() checks the rules with it.
 *   S3  The unit lock guards body, readable and marks of an erase unit: a read
 *       inside submit() needs no more.  Blocks from readable on are not read
 *       there, so serialised context fills them in without a lock.
 *   S4  No two locks are held at once.
 */
#ifndef VSL_MEDIA_SIM_INT_H
#define VSL_MEDIA_SIM_INT_H

#include "sim.h"

/* ---- contents (sim_store.c) --------------------------------------------- */

enum sim_kind {
	SIM_NONE,		/* erased */
	SIM_PATTERN,		/* value repeated */
	SIM_DATA,		/* value is the address of a block */
	SIM_LOST,		/* programmed once, unreadable */
};

/**
 * struct sim_body - contents of an erase unit that has any
 * @refs: cards that hold it (vsl_sim_clone()); only a single owner changes it
 * @nr_data: blocks of kind SIM_DATA
 * @index: of the erase unit, over all units
 * @mark: what the flush under way will make durable
 * @counted: up to where its volatile blocks are in sim->dirty_blocks
 * @born_ns: when its first block was programmed
 * @dirty: in sim->dirty while some of it is not durable
 * @value: per block, see enum sim_kind
 * @weak: per block: reads fine so many times less one, then no more; 0: always
 * @kind: per block, enum sim_kind
 * @old_value: VSL_SIM_FLAT, per block: what a cut may bring back
 * @old_kind: of that
 * @fresh: VSL_SIM_FLAT, per block: enum sim_fresh
 * @nr_fresh: blocks that are not durable
 * @oob: per block, the spare bytes
 */
struct sim_body {
	u32 refs;
	u32 nr_data;
	u32 index;
	u32 mark;
	u32 counted;
	u64 born_ns;
	struct list_head dirty;
	u64 *value;
	u16 *weak;
	u8 *kind;
	u64 *old_value;
	u8 *old_kind;
	u8 *fresh;
	u32 nr_fresh;
	u8 *oob;
};

/* Is a change of a flat card's block durable? */
enum sim_fresh {
	SIM_DURABLE,
	SIM_FRESH,
	SIM_MARKED,		/* the flush under way will make it so */
};

/* struct sim_eu flags: what is under way (S2), and scars. */
#define SIM_EU_PROGRAMMING	(1u << 0)
#define SIM_EU_ERASING		(1u << 1)
#define SIM_EU_FINISHING	(1u << 2)
#define SIM_EU_FLAKY		(1u << 3)	/* torn: programs may fail */
#define SIM_EU_ACTIVE		(1u << 4)	/* open, counted in nr_open */

/* struct sim_eu marks (S3). */
#define SIM_MARK_ODD		(1u << 0)	/* reads need a closer look */

/**
 * struct sim_eu - one erase unit
 * @body: contents, or NULL
 * @readable: blocks that may be read (rule M3)
 * @wp: next block to program, programs under way counted
 * @done: next block to program, programs that ended counted
 * @durable: blocks that a cut cannot take
 * @erases: so far
 * @reads: of its blocks since the erase (only where reads disturb)
 * @state: enum vsl_eu_state
 * @flags: SIM_EU_*
 * @marks: SIM_MARK_*
 */
struct sim_eu {
	struct sim_body *body;
	u32 readable;
	u32 wp;
	u32 done;
	u32 durable;
	u32 erases;
	u32 reads;
	u8 state;
	u8 flags;
	u8 marks;
};

/* ---- random numbers ------------------------------------------------------ */

struct sim_random {
	u64 state;
};

/* ---- faults (sim_fault.c) ------------------------------------------------ */

enum sim_fault_id {
	SIM_FAULT_READ_LOST,
	SIM_FAULT_READ_TRANSIENT,
	SIM_FAULT_REFRESH,
	SIM_FAULT_CORRUPT,
	SIM_FAULT_MISREAD,
	SIM_FAULT_PROGRAM_FAIL,
	SIM_FAULT_PROGRAM_END,
	SIM_FAULT_PROGRAM_TRANSIENT,
	SIM_FAULT_PROGRAM_LOST,
	SIM_FAULT_PROGRAM_DROP,
	SIM_FAULT_PROGRAM_STRAY,
	SIM_FAULT_PROGRAM_ROT,
	SIM_FAULT_ERASE_FAIL,
	SIM_FAULT_ERASE_TRANSIENT,
	SIM_FAULT_ERASE_DROP,
	SIM_FAULT_FLUSH_FAIL,
	SIM_FAULT_FLUSH_TRANSIENT,
	SIM_FAULT_FLUSH_DROP,
	SIM_FAULT_UNIT_DEAD,
	SIM_FAULT_SLOW,
	SIM_FAULT_STUCK,
	SIM_FAULT_LOSE_END,
	SIM_FAULT_NO_MEMORY,
	SIM_FAULT_PLP_FAIL,
	SIM_FAULT_POWER_CUT,
	SIM_FAULT_REFRESH_EVENT,
	SIM_FAULT_HEALTH_EVENT,
	SIM_FAULT_DISTURB,
	SIM_FAULT_RETENTION,
	SIM_FAULTS,
};

struct sim_planted {
	enum sim_fault_id id;
	u32 unit;
	u32 eu;
	u32 block;
	u32 left;		/* VSL_SIM_FOREVER: no end */
	u32 every;
	u32 matches;
	u64 value;
};

/* ---- the card ------------------------------------------------------------ */

struct sim_clock;		/* sim_time.c */
struct sim_load;		/* sim_load.c */

/* Reads that ended inside submit(), counted under the unit lock. */
struct sim_lane {
	u64 read_ops;
	u64 read_blocks;
};

/**
 * struct sim_saver - where the reading of an image is (sim_image.c)
 * @offset: the next offset
 * @total_bytes: of the image
 * @changes: sim->changes at its begin
 * @id: marks all blocks of one image
 * @eu: the erase unit whose extent is next or under way
 * @extent: where that extent begins, in 4 KiB blocks of the file
 * @block: next block of it to look at for data
 */
struct sim_saver {
	u64 offset;
	u64 total_bytes;
	u64 changes;
	u64 id;
	u32 eu;
	u64 extent;
	u32 block;
};

/**
 * struct vsl_sim - a simulated card
 * @media: what the core sees
 * @config: what it was made from
 * @env: its owner's functions
 * @eus: all erase units, those of unit 0 first
 * @nr_eus: how many
 * @inbox: operations that vsl_sim_run() has not seen
 * @pending: operations that have not ended
 * @has_power: no: everything ends with VSL_RES_GONE
 * @nr_open: erase units programmed since power on, and not full yet
 * @reads_inline: plain reads end inside submit()
 * @ready: untimed: operations that may end
 * @nr_ready: how many
 * @delayed: ended but for the time in media_priv[SIM_PRIV_DUE]
 * @stuck: will not end before a cut, or vsl_sim_heal()
 * @flushes: flushes that wait for @flush
 * @flush: the flush under way
 * @dirty: bodies with something volatile, oldest first
 * @dirty_blocks: how much that is
 * @cut_now: the planted fault "power-cut" has fired
 * @spare: a block that the next program fills
 * @clock: timed operation, or NULL
 * @faults: planted ones
 * @nr_faults: how many
 * @order: random numbers: who ends first
 * @chance: random numbers: faults
 * @tear: random numbers: power cuts
 * @changes: goes up whenever the contents change
 * @saver: an image being read
 * @load: an image being written, or NULL
 * @lent: somebody's memory with data in it, or NULL; see vsl_sim_image_lend()
 * @lent_bytes: of it
 * @stats: counters but for reads inside submit()
 * @lanes: counters of those
 */
struct vsl_sim {
	struct vsl_media media;
	struct vsl_sim_config config;
	struct vsl_sim_env env;
	struct sim_eu *eus;
	u32 nr_eus;

	struct list_head inbox;
	u32 pending;
	bool has_power;
	u32 nr_open;
	bool reads_inline;

	struct list_head ready;
	u32 nr_ready;
	struct list_head delayed;
	struct list_head stuck;
	struct list_head flushes;
	struct vsl_op *flush;
	struct list_head dirty;
	u64 dirty_blocks;
	bool cut_now;
	void *spare;

	struct sim_clock *clock;
	struct sim_planted faults[VSL_SIM_FAULTS_MAX];
	u32 nr_faults;
	struct sim_random order;
	struct sim_random chance;
	struct sim_random tear;

	u64 changes;
	struct sim_saver saver;
	struct sim_load *load;
	const u8 *lent;
	u64 lent_bytes;
	struct vsl_sim_stats stats;
	struct sim_lane lanes[VSL_SIM_LOCKS];
};

/* op->media_priv[] */
#define SIM_PRIV_READABLE	0	/* read: eu->readable at submit */
#define SIM_PRIV_START		1	/* time of submit */
#define SIM_PRIV_DUE		2	/* delayed: when it ends */
#define SIM_PRIV_STAGE		3	/* enum sim_stage */

enum sim_stage {
	SIM_STAGE_NEW,
	SIM_STAGE_HELD,		/* was delayed or stuck: not a second time */
	SIM_STAGE_DONE,		/* took effect, but its end was lost */
};

static inline unsigned long sim_lock(struct vsl_sim *sim, u32 which)
{
	return sim->env.lock ? sim->env.lock(sim->env.ctx, which) : 0;
}

static inline void sim_unlock(struct vsl_sim *sim, u32 which,
			      unsigned long flags)
{
	if (sim->env.unlock)
		sim->env.unlock(sim->env.ctx, which, flags);
}

static inline u64 sim_now(struct vsl_sim *sim)
{
	return sim->env.now_ns ? sim->env.now_ns(sim->env.ctx) :
				 vsl_port_now_ns();
}

static inline struct sim_eu *sim_eu(struct vsl_sim *sim, u32 unit, u32 eu)
{
	return &sim->eus[(size_t)unit * sim->config.eus + eu];
}

static inline struct sim_eu *sim_op_eu(struct vsl_sim *sim,
				       const struct vsl_op *op)
{
	return sim_eu(sim, op->unit, op->eu);
}

/* The number of the lock that guards @eu's contents. */
static inline u32 sim_eu_lock(const struct vsl_sim *sim,
			      const struct sim_eu *eu)
{
	return VSL_SIM_LOCK_UNIT((u32)(eu - sim->eus) / sim->config.eus);
}

static inline bool sim_may_forget(const struct vsl_sim *sim)
{
	return sim->config.flags & (VSL_SIM_VOLATILE | VSL_SIM_PLP);
}

static inline bool sim_is_flat(const struct vsl_sim *sim)
{
	return sim->config.flags & VSL_SIM_FLAT;
}

/* sim.c */
extern const struct vsl_media_ops sim_media_ops;

void sim_serialize(struct vsl_sim *sim);
void sim_deserialize(struct vsl_sim *sim);
void sim_wake(struct vsl_sim *sim, u64 at_ns);
/* The time or the turn of @op has come: do it, and end it. */
void sim_finish(struct vsl_sim *sim, struct vsl_op *op);
/* Operations end one way only: here. */
void sim_end(struct vsl_sim *sim, struct vsl_op *op, enum vsl_result result);
bool sim_is_idle(struct vsl_sim *sim);

/* sim_create.c */
u64 sim_random(struct sim_random *random);
u32 sim_below(struct sim_random *random, u32 limit);
bool sim_chance(struct sim_random *random, u32 permille);
bool sim_is_same(const char *a, const char *b);
void sim_seed_all(struct vsl_sim *sim, u64 seed);

/* sim_rules.c */
bool sim_rules_take(struct vsl_sim *sim, struct vsl_op *op,
		    enum vsl_result *result);
bool sim_rules_is_plain_read(const struct vsl_sim *sim,
			     const struct vsl_op *op);
void sim_rules_release(struct vsl_sim *sim, struct vsl_op *op);
void sim_rules_settle(struct vsl_sim *sim, struct sim_eu *eu, u32 done,
		      u8 state);

/* sim_effect.c */
enum vsl_result sim_effect(struct vsl_sim *sim, struct vsl_op *op);
bool sim_effect_read_inline(struct vsl_sim *sim, struct vsl_op *op);

/* sim_store.c */

/* A place in the memory of an operation. */
struct sim_cursor {
	const struct vsl_vec *vec;
	u32 left;		/* pieces from vec on */
	u32 at;			/* bytes of *vec that are behind us */
};

void sim_cursor_init(struct sim_cursor *cursor, const struct vsl_op *op);
void sim_cursor_skip(struct sim_cursor *cursor, u32 bytes);
void sim_cursor_get(struct sim_cursor *cursor, void *buf, u32 bytes);
void sim_cursor_put(struct sim_cursor *cursor, const void *buf, u32 bytes);
void sim_cursor_fill(struct sim_cursor *cursor, u64 pattern, u32 bytes);

struct sim_body *sim_body_create(struct vsl_sim *sim, u32 index);
struct sim_body *sim_body_copy(struct vsl_sim *sim,
			       const struct sim_body *from);
struct sim_body *sim_body_share(struct vsl_sim *sim, struct sim_body *body);
void sim_body_put(struct vsl_sim *sim, struct sim_body *body);
/* The body of @eu, made or unshared so that it can be changed, or NULL. */
struct sim_body *sim_body_own(struct vsl_sim *sim, struct sim_eu *eu);
bool sim_body_set(struct vsl_sim *sim, struct sim_body *body, u32 block,
		  const void *data);
/* The same with the data in sim->spare, which it may keep. */
bool sim_body_set_spare(struct vsl_sim *sim, struct sim_body *body, u32 block);
/* The same with the data where it is, in lent memory. */
void sim_body_set_lent(struct vsl_sim *sim, struct sim_body *body, u32 block,
		       const void *data);
bool sim_is_lent(const struct vsl_sim *sim, const void *data);
void sim_body_set_kind(struct vsl_sim *sim, struct sim_body *body, u32 block,
		       enum sim_kind kind, u64 pattern);
void sim_body_get(const struct sim_body *body, u32 block, void *buf);
bool sim_spare_get(struct vsl_sim *sim);
void sim_store_drop(struct vsl_sim *sim, struct sim_eu *eu);
u8 *sim_body_oob(const struct vsl_sim *sim, const struct sim_body *body,
		 u32 block);
void sim_noise(struct sim_random *random, void *buf, u32 bytes);
void sim_pattern(void *buf, u64 pattern, u32 bytes);
void sim_mark_odd(struct vsl_sim *sim, struct sim_eu *eu, bool is_odd);
/* What @block holds is kept aside; it becomes SIM_NONE. */
void sim_body_keep(struct vsl_sim *sim, struct sim_body *body, u32 block);
/* What was kept aside is gone, or back. */
void sim_body_settle(struct vsl_sim *sim, struct sim_body *body, u32 block);
void sim_body_revert(struct vsl_sim *sim, struct sim_body *body, u32 block);

/* sim_flat.c */
void sim_flat_blank(const struct vsl_sim *sim, const struct sim_eu *eu,
		    u32 block, void *buf);
void sim_flat_mix(struct vsl_sim *sim, struct sim_random *random,
		  const struct sim_eu *eu, u32 block, bool is_front, void *buf);
void sim_flat_change(struct vsl_sim *sim, struct sim_eu *eu, u32 block);
void sim_flat_limit(struct vsl_sim *sim, u32 limit);
void sim_flat_adopt(struct vsl_sim *sim, struct sim_body *body);
void sim_flat_keep(struct vsl_sim *sim, struct sim_body *body);
void sim_flat_mark(struct vsl_sim *sim);
void sim_flat_flush(struct vsl_sim *sim);
void sim_flat_erase(struct vsl_sim *sim, struct sim_random *random,
		    struct sim_eu *eu, u32 permille);
void sim_flat_cut(struct vsl_sim *sim, u32 lost_permille);

/* sim_cache.c */
void sim_cache_add(struct vsl_sim *sim, struct sim_eu *eu);
void sim_cache_remove(struct vsl_sim *sim, struct sim_eu *eu);
void sim_cache_mark(struct vsl_sim *sim);
void sim_cache_flush(struct vsl_sim *sim);

/* sim_fault.c */
struct sim_hit {
	u32 block;		/* index in the operation */
	u64 value;
};

bool sim_fault_fires(struct vsl_sim *sim, enum sim_fault_id id,
		     const struct vsl_op *op, struct sim_hit *hit);

/* The same for a fault that waits for no operation. */
bool sim_fault_take(struct vsl_sim *sim, enum sim_fault_id id);

/* sim_cut.c */
void sim_cut(struct vsl_sim *sim);
/* Leave what a program that did not come to its end may leave. */
void sim_tear_program(struct vsl_sim *sim, struct sim_random *random,
		      const struct vsl_op *op);

/* sim_time.c */
int sim_clock_create(struct vsl_sim *sim);
void sim_clock_destroy(struct vsl_sim *sim);
void sim_clock_start(struct vsl_sim *sim, struct vsl_op *op);
void sim_clock_run(struct vsl_sim *sim, u64 now_ns);
bool sim_clock_next(struct vsl_sim *sim, u64 *at_ns);
/* Power cut: forget all, give back the operations under way. */
void sim_clock_stop(struct vsl_sim *sim, struct list_head *ops);

/* sim_load.c */
/* @eu becomes what @by is; @by holds nothing any more. */
void sim_replace(struct vsl_sim *sim, struct sim_eu *eu, struct sim_eu *by);

/* sim_image.c, sim_load.c: what they share of the file format. */
#define SIM_IMAGE_VERSION	1u

/* Block 0 of the file. */
struct sim_image_header {
	u8 magic[8];
	__le32 version;
	__le32 crc;
	__le64 id;
	__le64 total_blocks;
	__le32 units;
	__le32 eus;
	__le32 eu_blocks;
	__le32 ws_min;
	__le32 oob_bytes;
	__le32 table_blocks;
	u8 model[48];
	u8 serial[24];
};

/* Head of a block of the table or of an extent's records. */
struct sim_image_head {
	u8 magic[8];
	__le32 pad;
	__le32 crc;
	__le64 id;
	__le64 index;
};

struct sim_image_eu {
	u8 state;
	u8 flags;
	__le16 pad;
	__le32 done;
	__le32 erases;
	__le32 reads;
	__le64 extent;
	__le32 nr_data;
	__le32 pad1;
};

/* The spare bytes follow it. */
struct sim_image_block {
	u8 kind;
	u8 pad;
	__le16 weak;
	__le32 crc;
	__le64 value;
};

#define SIM_IMAGE_EU_FLAKY	(1u << 0)

#define SIM_IMAGE_EUS	\
	((VSL_BLOCK_BYTES - sizeof(struct sim_image_head)) / \
	 sizeof(struct sim_image_eu))

#define SIM_IMAGE_MAGIC		"OVSLSIM"
#define SIM_IMAGE_TABLE_MAGIC	"OVSLTAB"
#define SIM_IMAGE_EXTENT_MAGIC	"OVSLEXT"

/* CRC of a block whose crc field, at offset 12, counts as zero. */
u32 sim_image_crc(const void *block);
u32 sim_image_table_blocks(const struct vsl_sim *sim);
u32 sim_image_records(const struct vsl_sim *sim);
u32 sim_image_record_blocks(const struct vsl_sim *sim);
u32 sim_image_record_bytes(const struct vsl_sim *sim);

#endif /* VSL_MEDIA_SIM_INT_H */
