/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - what the driver tells: log lines, status, sysfs, /proc, debugfs.
 */
#ifndef VSL_REPORT_H
#define VSL_REPORT_H

#include <linux/sysfs.h>
#include <linux/types.h>

#include <openvsl.h>

#include "core/core.h"

struct vsl_card;

/** vsl_card_groups - attributes of /sys/class/openvsl/fctN */
extern const struct attribute_group *vsl_card_groups[];

/**
 * vsl_log() - one line about a card
 * @card: the card
 * @level: how bad it is
 * @fmt: text without newline
 *
 * In the words that tools look for: "fioinf <label>: text" or "fioerr ...".
 *
 * Context: any.
 */
__printf(3, 4)
void vsl_log(struct vsl_card *card, enum vsl_log_level level,
	     const char *fmt, ...);

/** vsl_report_core_log() - vsl_core_env.log() of all cards, rate-limited */
__printf(3, 4)
void vsl_report_core_log(void *ctx, enum vsl_log_level level,
			 const char *fmt, ...);

/**
 * vsl_report_info() - all of a card's status
 * @card: the card
 * @info: filled in, but for its size
 *
 * Context: process.
 * Return: 0; -ENODEV the card is removed.
 */
int vsl_report_info(struct vsl_card *card, struct openvsl_info *info);

/**
 * vsl_report_identity() - the status without what the core counts
 * @card: the card
 * @info: filled in, but for its size; counters and health are zero
 *
 * Context: process.
 * Return: 0; -ENODEV the card is removed.
 */
int vsl_report_identity(struct vsl_card *card, struct openvsl_info *info);

/** vsl_report_state() - the state has changed: log line, tracepoint, poll() */
void vsl_report_state(struct vsl_card *card, u32 from, u32 to);

/** vsl_report_add() - /proc and debugfs of a new card.  May sleep. */
void vsl_report_add(struct vsl_card *card);

/** vsl_report_remove() - the reverse; waits for readers.  May sleep. */
void vsl_report_remove(struct vsl_card *card);

/** vsl_report_add_disk() - /proc/fusion/fio/fioX of an attached card */
void vsl_report_add_disk(struct vsl_card *card, const char *name);

/** vsl_report_remove_disk() - the reverse; waits for readers.  May sleep. */
void vsl_report_remove_disk(struct vsl_card *card);

/**
 * vsl_report_add_sensor() - the temperature of a new card, for hwmon
 * @card: the card
 *
 * Does nothing for a card that is on no device, or that has no thermometer.  That
 * hwmon does not take it is logged, and no error.
 *
 * Context: process, may sleep.
 */
void vsl_report_add_sensor(struct vsl_card *card);

/** vsl_report_remove_sensor() - the reverse; waits for readers.  May sleep. */
void vsl_report_remove_sensor(struct vsl_card *card);

/** vsl_report_init() - the directories of all cards.  Return: 0, -ENOMEM. */
int vsl_report_init(void);

/** vsl_report_exit() - remove them */
void vsl_report_exit(void);

#endif /* VSL_REPORT_H */
