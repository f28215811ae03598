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
 *	tail.c walk.c replay.c	finding and applying the log behind it
 *	rewrite.c	writing again what was in doubt
 *	recover.c	attach, detach
 *	mkfs.c		format, probe
 *	sync.c		waiting; setting up and tearing down
 *	audit.c		statistics, and promise P7
 */
#ifndef VSL_CORE_INT_H
#define VSL_CORE_INT_H

#include "state.h"

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
	u32 nr_rebuilds;		/* of them, and of those under way */
	u64 reads_around;		/* blocks made of their row, for a unit was busy */
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
	u32 erase_unit;			/* the next of its units */
	u32 erase_left;			/* of them, under way */
	u32 busy_unit;			/* it alone is erased; VSL_NONE: none, or more */
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
	u32 writing;			/* sectors of writes that have not ended */
	u32 depth;			/* their mean, times PLACE_MEAN (place.c) */
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
	u32 unflushed;			/* blocks of packets since one began */
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
void vsl_slot_read_around(struct vsl_core *core, struct vsl_slot *slot, u32 ppa,
			  void (*done)(struct vsl_core *, struct vsl_op *));
void vsl_slot_read_there(struct vsl_core *core, struct vsl_slot *slot);
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
u32 vsl_log_pad(struct vsl_core *core, u8 id);

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
u32 vsl_scan_end(struct vsl_scan *scan);
bool vsl_scan_kept(struct vsl_scan *scan, const struct vsl_stream *stream,
		   u32 *at, u32 index);
u64 vsl_scan_packet(const struct vsl_scan *scan, u32 *nr_blocks);
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
