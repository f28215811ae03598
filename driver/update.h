/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * update.h - what a card tells of itself, and another firmware for it.
 */
#ifndef VSL_UPDATE_H
#define VSL_UPDATE_H

#include <openvsl.h>

struct vsl_card;

/**
 * vsl_card_logs() - OPENVSL_IOC_LOGS
 * @card: the card
 * @arg: filled in
 *
 * The card is not asked; of one without logs nothing is known.
 *
 * Context: process, takes card->lock.
 * Return: 0; -ENODEV the card is removed.
 */
int vsl_card_logs(struct vsl_card *card, struct openvsl_logs *arg);

/**
 * vsl_card_update() - OPENVSL_IOC_UPDATE
 * @card: the card
 * @arg: the call, its fields checked; its @end is filled in
 *
 * Context: process, may sleep for long; a signal ends it between two pieces, and
 * before the commit.  Takes card->lock, and what the card's back end takes.
 * Return: 0, or the errors of OPENVSL_IOC_UPDATE.
 */
int vsl_card_update(struct vsl_card *card, struct openvsl_update *arg);

#endif /* VSL_UPDATE_H */
