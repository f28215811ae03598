/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * toy.h - a core of a few hundred lines, honest or with a planted bug.
 */
#ifndef VSL_SIM_TOY_H
#define VSL_SIM_TOY_H

#include "plan.h"

enum toy_bug {
	TOY_HONEST,
	TOY_IGNORES_FLUSH,	/* acknowledges before anything is written */
	TOY_LOSES_TRIM,		/* a trim is not written down */
	TOY_TEARS,		/* a write is several packets */
	TOY_READS_STALE,	/* sometimes returns what was there before */
	TOY_MISDIRECTS,		/* sometimes writes to the next block */
	TOY_FORGETS,		/* finds nothing after a crash */
	TOY_SWALLOWS_ERROR,	/* unreadable blocks become zeros */
	TOY_REVERTS,		/* shows a torn tail once, then drops it */
	TOY_DROPS_IO,		/* a request never ends */
	TOY_ENDS_WRONGLY,	/* -EIO instead of -ENODEV after the power went */
	NR_TOY_BUGS,
};

extern enum toy_bug toy_bug;

#endif /* VSL_SIM_TOY_H */
