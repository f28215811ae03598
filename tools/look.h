/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look.h - what is on a card that is not attached.
 */
#ifndef VSL_TOOLS_LOOK_H
#define VSL_TOOLS_LOOK_H

#include "card.h"
#include "signature.h"

/** look_is_possible() - is the card a disk that others can have used */
bool look_is_possible(const struct card *card);

/**
 * look_at_card() - find what others have left on a card
 * @card: look_is_possible()
 * @found: the answer, as far as the card can be read
 *
 * Return: 0 or the first -errno.
 */
int look_at_card(const struct card *card, struct signatures *found);

#endif /* VSL_TOOLS_LOOK_H */
