/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * past.h - cards with a past: what the core itself has written, to be damaged.
 */
#ifndef VSL_FUZZ_PAST_H
#define VSL_FUZZ_PAST_H

#include "bench.h"
#include "../../driver/core/format.h"
#include "../../driver/core/layout.h"

#define PAST_CARDS	8u	/* geometries */
#define PAST_PARITY	4u	/* this one and the next have parity */
#define PAST_FLAT	6u	/* this one and the next are no flash */
#define PAST_ENDS	4u	/* ways the last life ended */

/* What a block is. */
enum thing_kind {
	THING_ROOT,
	THING_HEAD,
	THING_SUMMARY,
	THING_MAP,
	THING_DIR,
	THING_SEGTAB,
	THING_KINDS,
};

/**
 * struct thing - a structure on the card
 * @unit: where its first block is
 * @eu: likewise
 * @off: likewise
 * @age: generation, version or allocation; of a page: its number
 */
struct thing {
	u32 unit;
	u32 eu;
	u32 off;
	u64 age;
};

/**
 * struct things - all structures of a kind: the newest first, pages in order
 */
struct things {
	struct thing *thing;
	u32 nr;
};

/**
 * struct past - one card
 * @bench: the card as it was left; never changed
 * @geo: its geometry
 * @uuid: of its format
 * @things: what is on it, by kind
 */
struct past {
	struct bench *bench;
	struct vsl_geo geo;
	struct things things[THING_KINDS];
};

/** past_get() - a card; made when it is asked for the first time */
const struct past *past_get(u32 card, u32 end);

/** past_copy() - a second card that holds the same, to be damaged */
struct bench *past_copy(const struct past *past);

/** past_mark() - fill a block that says which it is and which write it is of */
void past_mark(void *block, u32 lba, u32 stamp);

#endif /* VSL_FUZZ_PAST_H */
