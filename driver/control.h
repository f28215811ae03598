/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - /dev/openvsl and /dev/fctN.
 */
#ifndef VSL_CONTROL_H
#define VSL_CONTROL_H

struct vsl_card;

/**
 * vsl_control_add() - make /dev/fctN and its place in sysfs
 * @card: the card
 *
 * Context: process, may sleep.
 * Return: 0, or an error of the driver core.
 */
int vsl_control_add(struct vsl_card *card);

/** vsl_control_remove() - the reverse; who has it open keeps the structure */
void vsl_control_remove(struct vsl_card *card);

/** vsl_control_init() - make /dev/openvsl and the class.  Return: 0 or errno. */
int vsl_control_init(void);

/** vsl_control_exit() - remove them */
void vsl_control_exit(void);

#endif /* VSL_CONTROL_H */
