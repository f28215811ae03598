/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge.h - damage to a card, as an input tells it.
 */
#ifndef VSL_FUZZ_FORGE_H
#define VSL_FUZZ_FORGE_H

#include "feed.h"
#include "past.h"

/**
 * struct forgery - a card being damaged
 * @past: where it came from
 * @bench: the card
 * @moved: erase units hold what they never held
 * @lied: the card says of itself what is not so
 * @faulty: faults were planted
 * @fail_after: the allocation in attach that fails; 0: none
 */
struct forgery {
	const struct past *past;
	struct bench *bench;
	bool moved;
	bool lied;
	bool faulty;
	u32 fail_after;
};

/**
 * forge() - do what the next bytes say
 *
 * Return: false: no more damage, what follows is for somebody else.
 */
bool forge(struct forgery *forgery, struct feed *feed);

#endif /* VSL_FUZZ_FORGE_H */
