/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listed.h - the faults that flash is known for, one run each.
 */
#ifndef VSL_SIM_LISTED_H
#define VSL_SIM_LISTED_H

#include "scene.h"

#include "../../driver/core/int.h"
#include "fail.h"
#include "forge.h"

#define need(cond, ...)							\
	do {								\
		if (!(cond))						\
			sim_fail("test", __VA_ARGS__);			\
	} while (0)

/**
 * struct listed - one run
 * @scene: as of any run
 * @world: of it
 * @plan: card, format and workload; a case changes it before listed_start()
 */
struct listed {
	struct scene scene;
	struct world *world;
	struct plan plan;
	u64 capacity_bytes;	/* 0: as much as the card has room for */
};

/** listed_run() - one case, of this kind of runs or another */
void listed_run(const struct order *order, const char *text,
		void (*run)(struct listed *l));

/** listed_start() - the card, formatted and attached */
void listed_start(struct listed *l);

/** listed_card() - listed_start(), and 70 % of the disk written */
void listed_card(struct listed *l);

/** listed_end() - the card is gone; another may follow */
void listed_end(struct listed *l);

/** listed_write() - one block, in a packet of its own */
void listed_write(struct listed *l, u32 lba);

/** listed_any() - the same, any block */
void listed_any(struct listed *l);

/** listed_flush() - all of it */
void listed_flush(struct listed *l);

/** listed_read() - one block; the oracle judges */
void listed_read(struct listed *l, u32 lba);

/** listed_cycle() - a power cut now, and recovery */
void listed_cycle(struct listed *l);

/** listed_judge() - audit, look at the whole disk, and again after a power cut */
void listed_judge(struct listed *l);

/** listed_detach() - a clean stop */
void listed_detach(struct listed *l);

/** listed_plant() - a fault of the card */
void listed_plant(struct listed *l, const char *name, struct place place,
		  u32 count, u32 every, u64 value);

/** listed_fired() - how often planted faults have fired */
u64 listed_fired(struct listed *l);

/** listed_changes() - programs and erases of the card so far */
u64 listed_changes(struct listed *l);

/** listed_next() - where the @nth block from now on will lie, if @lba is written */
struct place listed_next(struct listed *l, u32 lba, u32 nth);

/** listed_lba() - a block that lies in a closed segment, and where */
u32 listed_lba(struct listed *l, struct place *place);

/** listed_may_lose() - this block may read as an error; VSL_NONE: any may */
void listed_may_lose(struct listed *l, u32 lba);

/** listed_alone() - the groomer rests: nothing comes before the host's next write */
void listed_alone(struct listed *l);

extern const struct place listed_anywhere;

/* Table 4.2 of the reference, number by number. */
void listed_program_fail(struct listed *l);
void listed_erase_fail(struct listed *l);
void listed_bad_blocks(struct listed *l);
void listed_read_lost(struct listed *l);
void listed_refresh(struct listed *l);
void listed_corrupt(struct listed *l);
void listed_misdirected(struct listed *l);
void listed_stale(struct listed *l);
void listed_cut_program(struct listed *l);
void listed_weak(struct listed *l);
void listed_cut_erase(struct listed *l);
void listed_shorn(struct listed *l);
void listed_lost_end(struct listed *l);
void listed_nested(struct listed *l);
void listed_disturb(struct listed *l);
void listed_retention(struct listed *l);
void listed_worn_out(struct listed *l);
void listed_slow(struct listed *l);
void listed_stuck(struct listed *l);
void listed_dead_unit(struct listed *l);
void listed_order(struct listed *l);
void listed_plp_fail(struct listed *l);
void listed_host_crash(struct listed *l);
void listed_no_root(struct listed *l);
void listed_stranger(struct listed *l);
void listed_removal(struct listed *l);

#endif /* VSL_SIM_LISTED_H */
