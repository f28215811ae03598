/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * attach.h - what is done with a card.
 */
#ifndef VSL_ATTACH_H
#define VSL_ATTACH_H

#include <linux/types.h>

struct vsl_card;
struct vsl_format;

/* Module parameters, see main.c. */
extern int vsl_auto_attach;
extern int vsl_strict_sync;
extern unsigned int vsl_scrub_days;

/**
 * vsl_card_attach() - make the card's disk appear
 * @card: the card
 * @flags: VSL_ATTACH_*
 *
 * Context: process, may sleep for long.
 * Return: 0, or the errors of OPENVSL_IOC_ATTACH.
 */
int vsl_card_attach(struct vsl_card *card, u32 flags);

/**
 * vsl_card_detach() - make the card's disk go, everything written out
 * @card: the card
 *
 * Context: process, may sleep for long.
 * Return: 0, or the errors of OPENVSL_IOC_DETACH.
 */
int vsl_card_detach(struct vsl_card *card);

/**
 * vsl_card_format() - make the card an empty disk
 * @card: the card
 * @format: what it is to become
 *
 * Context: process, may sleep for long; a signal stops it.
 * Return: 0, or the errors of OPENVSL_IOC_FORMAT.
 */
int vsl_card_format(struct vsl_card *card, const struct vsl_format *format);

/**
 * vsl_card_bury() - take down the disk of a card that is gone
 * @card: begun
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY the disk is still open.
 */
int vsl_card_bury(struct vsl_card *card);

/**
 * vsl_card_forget_gone() - a card that is gone is about to answer again
 * @card: begun and buried
 *
 * Whoever calls it does so before the power returns, so that its going again is
 * not lost, and calls vsl_card_rescan() afterwards.
 *
 * Context: process.
 */
void vsl_card_forget_gone(struct vsl_card *card);

/**
 * vsl_card_rescan() - look at what is on the card now
 * @card: begun, not attached, buried
 *
 * Context: process, may sleep.
 */
void vsl_card_rescan(struct vsl_card *card);

/** vsl_card_flush_events() - wait until what has happened shows in the state */
void vsl_card_flush_events(struct vsl_card *card);

/** vsl_attach_init() - prepare the fields of a new card that attach.c owns */
void vsl_attach_init(struct vsl_card *card);

/**
 * vsl_attach_auto() - attach a card if the parameters say so, and end the operation
 * @card: begun, and scanned
 *
 * While the module is loaded that may be under way when this returns.
 *
 * Context: process, may sleep for long.
 */
void vsl_attach_auto(struct vsl_card *card);

/**
 * vsl_attach_load_begin() - from now on cards are attached side by side
 *
 * Without memory for that it is one after the other, as ever.
 *
 * Context: process, may sleep; when the module is loaded.
 */
void vsl_attach_load_begin(void);

/**
 * vsl_attach_load_end() - and from now on not; all of them have ended
 *
 * Context: process, may sleep for long.
 */
void vsl_attach_load_end(void);

/** vsl_attach_force_down() - detach a begun card, in use or not */
void vsl_attach_force_down(struct vsl_card *card);

#endif /* VSL_ATTACH_H */
