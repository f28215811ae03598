/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * narrow.h - orders of events that chance seldom meets, one run each.
 */
#ifndef VSL_SIM_NARROW_H
#define VSL_SIM_NARROW_H

#include "listed.h"

#define STUCK_READ	(1u << VSL_OP_READ)
#define STUCK_PROGRAM	(1u << VSL_OP_PROGRAM)
#define STUCK_ERASE	(1u << VSL_OP_ERASE)
#define STUCK_FLUSH	(1u << VSL_OP_FLUSH)

/** narrow_stick() - operations of the kinds in @mask end there when the card is healed */
void narrow_stick(struct listed *l, u32 unit, u32 eu, u32 mask);

/** narrow_stick_roots() - no root gets to the card from now on */
void narrow_stick_roots(struct listed *l);

/** narrow_end_segment() - no program to this segment fits any more */
void narrow_end_segment(struct listed *l, u32 seg);

/** narrow_begin() - a request for whole blocks; the caller has the world run */
void narrow_begin(struct listed *l, enum vsl_io_kind kind, u32 lba, u32 nr);

/** narrow_down_to() - go on until @jobs requests are left.  Return: false: they wait */
bool narrow_down_to(struct listed *l, u32 jobs);

/** narrow_steps() - go on */
void narrow_steps(struct listed *l, u32 nr);

/** narrow_write_beside() - write a block while others wait.  Return: false: it waits, too */
bool narrow_write_beside(struct listed *l, u32 lba);

/** narrow_any_lba() - any block */
u32 narrow_any_lba(struct listed *l);

/** narrow_any_beyond() - the same, but none of the first @nr */
u32 narrow_any_beyond(struct listed *l, u32 nr);

/** narrow_any_run() - the first of @nr blocks that the disk has */
u32 narrow_any_run(struct listed *l, u32 nr);

/** narrow_cut() - a power cut now, a sound card after it, and recovery */
void narrow_cut(struct listed *l);

/** narrow_host_segment() - the segment that the host's next lone write goes to */
u32 narrow_host_segment(struct listed *l);

/** narrow_lose_block() - a block cannot be read any more */
void narrow_lose_block(struct listed *l, u32 lba);

/* The cases. */
void narrow_partial_unreadable(struct listed *l);
void narrow_out_of_range(struct listed *l);
void narrow_flush_refused(struct listed *l);
void narrow_read_before_redo(struct listed *l);
void narrow_slow_reader(struct listed *l);
void narrow_root_under_way(struct listed *l);
void narrow_log_begins(struct listed *l);
void narrow_many_trims(struct listed *l);
void narrow_no_root_written(struct listed *l);
void narrow_checkpoint_first(struct listed *l);
void narrow_announced_by_none(struct listed *l);
void narrow_programmed_in_flush(struct listed *l);
void narrow_redo_on_cache(struct listed *l);
void narrow_lost_overtaken(struct listed *l);
void narrow_lost_counted(struct listed *l);
void narrow_misread_often(struct listed *l);
void narrow_stale_twin(struct listed *l);
void narrow_no_better_health(struct listed *l);
void narrow_format_cut(struct listed *l);
void narrow_format_too_large(struct listed *l);
void narrow_part_elsewhere(struct listed *l);
void narrow_trim_of_nothing(struct listed *l);
void narrow_waits_in_vain(struct listed *l);
void narrow_moved_in_vain(struct listed *l);
void narrow_root_ends(struct listed *l);
void narrow_heads_once(struct listed *l);
void narrow_torn_before_attach(struct listed *l);

#endif /* VSL_SIM_NARROW_H */
