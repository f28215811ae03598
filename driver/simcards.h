/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * simcards.h - simulated cards.
 */
#ifndef VSL_SIMCARDS_H
#define VSL_SIMCARDS_H

#include <linux/types.h>

#include <openvsl.h>

struct seq_file;
struct vsl_card;

/**
 * vsl_simcard_create() - OPENVSL_IOC_SIM_CREATE
 * @arg: checked; its @card is filled in
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL unknown preset; -ERANGE capacity; -ENOSPC; -ENOMEM.
 */
int vsl_simcard_create(struct openvsl_sim_create *arg);

/**
 * vsl_simcard_destroy() - OPENVSL_IOC_SIM_DESTROY
 * @card: the card
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of the ioctl.
 */
int vsl_simcard_destroy(struct vsl_card *card);

/**
 * vsl_simcard_power() - OPENVSL_IOC_SIM_POWER
 * @card: the card
 * @power: enum openvsl_sim_power
 *
 * A cut hits whatever is under way.  The card's state tells of it on return, or
 * at the end of the operation that was under way, which is soon: the cut ends it.
 * Power on returns when the card has been looked at.
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of the ioctl.
 */
int vsl_simcard_power(struct vsl_card *card, u32 power);

/**
 * vsl_simcard_fault() - OPENVSL_IOC_SIM_FAULT
 * @card: the card
 * @arg: checked
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of the ioctl.
 */
int vsl_simcard_fault(struct vsl_card *card,
		      const struct openvsl_sim_fault *arg);

/**
 * vsl_simcard_image() - OPENVSL_IOC_SIM_IMAGE
 * @card: the card
 * @arg: checked; @bytes and @total_bytes are filled in
 *
 * Context: process, may sleep.
 * Return: 0, or the errors of the ioctl.
 */
int vsl_simcard_image(struct vsl_card *card, struct openvsl_sim_image *arg);

/** vsl_simcard_show() - counters of a simulated card as text, for debugfs */
void vsl_simcard_show(struct vsl_card *card, struct seq_file *seq);

/**
 * vsl_simcards_init() - get ready, and understand the module's parameter
 * @list: "preset:capacity[:timed]", comma-separated, or NULL
 *
 * Makes no card yet.
 *
 * Context: process, may sleep.
 * Return: 0, or the first error; nothing is left then.
 */
int vsl_simcards_init(const char *list);

/**
 * vsl_simcards_start() - make the cards that the parameter asks for
 *
 * One that cannot be made is a line in the log.
 *
 * Context: process, may sleep.
 */
void vsl_simcards_start(void);

/**
 * vsl_simcards_exit() - detach and free all of them, and undo the rest
 *
 * Context: process, may sleep for long.  Once after vsl_simcards_init(), started
 * or not.
 */
void vsl_simcards_exit(void);

#endif /* VSL_SIMCARDS_H */
