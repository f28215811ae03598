/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scene.h - what all kinds of runs begin, recover and end with.
 */
#ifndef VSL_SIM_SCENE_H
#define VSL_SIM_SCENE_H

#include "family.h"
#include "world.h"

/* One run of so many of the kind "parity" is a case of rows.c. */
#define ROWS_EVERY	4u

/**
 * struct scene - a run under way
 * @order: what was ordered
 * @world: the world
 * @rng: decides what the run does
 * @attach_steps: how many steps the last recovery took
 * @detach_steps: the same of detach
 * @attach_flags: added at the next recovery only
 * @erase_floor: erases known at the last recovery (P8)
 */
struct scene {
	const struct order *order;
	struct world *world;
	struct rng rng;
	u64 attach_steps;
	u64 detach_steps;
	u32 attach_flags;
	u64 erase_floor;
};

/** scene_begin() - a card, formatted, attached and filled */
void scene_begin(struct scene *s, const struct order *order);

/** scene_end() - the end of a run that broke no promise */
void scene_end(struct scene *s);

/**
 * scene_recover() - attach after a crash, and judge
 * @s: the run
 * @nested: how often the recovery itself is cut
 *
 * Every recovery counts as one survived cut.
 */
void scene_recover(struct scene *s, u32 nested);

/** scene_format() - format, attach and judge that all is zero */
void scene_format(struct scene *s, const struct vsl_format *format);

/** scene_formatted() - the card is known to be formatted so */
void scene_formatted(struct scene *s, const struct vsl_format *format);

/** scene_survived() - one more cut, for the books and the replay line */
void scene_survived(struct scene *s);

/** scene_owner() - is this a block of host data, and of which address? */
bool scene_owner(const struct scene *s, const u8 *block, u64 *lba);

/** scene_stop() - a clean stop: what is lost then is no torn end of the log */
void scene_stop(struct scene *s);

/** scene_plant() - a fault of the card, anywhere */
void scene_plant(struct scene *s, const char *name, u32 count, u32 every);

void run_exhaustive(const struct order *order);
void run_nth(const struct order *order);
void run_small(const struct order *order);
void run_faults(const struct order *order);
void run_lost(const struct order *order);
void run_wearout(const struct order *order);
void run_rot(const struct order *order);
void run_damage(const struct order *order);
void run_redo(const struct order *order);
void run_books(const struct order *order);
void run_wear(const struct order *order);
void run_refresh(const struct order *order);
void run_scrub(const struct order *order);
void run_held(const struct order *order);
void run_listed(const struct order *order);
void run_narrow(const struct order *order);
void run_parity(const struct order *order);
void run_flat(const struct order *order);
void run_rows(const struct order *order);

#endif /* VSL_SIM_SCENE_H */
