/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * past.h - a moment of a run, to come back to.
 */
#ifndef VSL_SIM_PAST_H
#define VSL_SIM_PAST_H

#include "scene.h"

/**
 * struct past - what was at that moment
 * @sim: the card, without anything under way
 * @oracle: what it may answer
 * @erase_floor: see struct scene
 * @clock_ns: the time
 */
struct past {
	struct vsl_sim *sim;
	struct oracle *oracle;
	u64 erase_floor;
	u64 clock_ns;
};

/** past_keep() - remember this moment instead of the one in @past */
void past_keep(struct past *past, const struct scene *s);

/**
 * past_return() - go back there, on @card
 *
 * The contents are shared until they change, so this is cheap.  No core is
 * attached then; what chance decides is for the caller to start anew.
 */
void past_return(const struct past *past, struct scene *s,
		 struct vsl_sim *card);

/** past_drop() - forget it */
void past_drop(struct past *past);

#endif /* VSL_SIM_PAST_H */
