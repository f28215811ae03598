/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peek.h - a look at one block of a card that is not attached.
 */
#ifndef VSL_PEEK_H
#define VSL_PEEK_H

#include <linux/types.h>

#include <openvsl.h>

struct vsl_card;

/**
 * vsl_card_peek() - read one block, whatever it is
 * @card: the card
 * @arg: where it is, and where it goes
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of OPENVSL_IOC_PEEK.
 */
int vsl_card_peek(struct vsl_card *card, const struct openvsl_peek *arg);

#endif /* VSL_PEEK_H */
