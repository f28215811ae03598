/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stage.h - the driver's upper half with simulated cards on it.
 */
#ifndef VSL_KUNIT_STAGE_H
#define VSL_KUNIT_STAGE_H

#include <kunit/test.h>

#include "card.h"

/**
 * stage_init() - suite_init() of the suites that want cards
 * @suite: unused
 *
 * Return: 0, or an errno.
 */
int stage_init(struct kunit_suite *suite);

/** stage_exit() - suite_exit() of the same */
void stage_exit(struct kunit_suite *suite);

/**
 * stage_card() - a blank card
 * @test: fails and ends when it cannot be made; takes it away at the end,
 *	whatever has become of it
 * @preset: what kind
 */
struct vsl_card *stage_card(struct kunit *test, const char *preset);

/**
 * stage_fault() - plant a fault that hits every block of a card, or take it back
 * @test: fails when it cannot be planted
 * @card: the card
 * @name: which
 * @count: how many times; 0 takes it back
 * @value: what the fault takes
 */
void stage_fault(struct kunit *test, struct vsl_card *card, const char *name,
		 u32 count, u64 value);

/** stage_attached() - a card that is formatted so and attached */
struct vsl_card *stage_attached(struct kunit *test, const char *preset,
				u32 sector_bytes);

/** stage_format() - format a card to its default size.  Return: its errno. */
int stage_format(struct vsl_card *card, u32 sector_bytes);

/**
 * stage_detach() - detach a card
 * @card: the card
 *
 * Waits for half a minute for udev, who looks at every disk and may be slow.
 *
 * Return: its errno.
 */
int stage_detach(struct vsl_card *card);

/** stage_open() - open the disk of an attached card, as a file system would */
struct file *stage_open(struct kunit *test, struct vsl_card *card);

/** stage_write() - write something durably at its beginning.  Return: its errno. */
int stage_write(struct file *file);

/** stage_close() - and close it, now */
void stage_close(struct file *file);

/** stage_find() - a card by its number, or NULL; in card_kunit.c */
struct vsl_card *stage_find(u32 number);

/** stage_take_numbers() - leave no number for a card; in card_kunit.c */
void stage_take_numbers(unsigned long *taken);

/** stage_give_numbers() - the reverse; in card_kunit.c */
void stage_give_numbers(const unsigned long *taken);

/** stage_rename_nodes() - in door_kunit.c */
void stage_rename_nodes(void);

#endif /* VSL_KUNIT_STAGE_H */
