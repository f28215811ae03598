/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the words for what a card is and what is wrong with it.
 */
#ifndef VSL_TOOLS_STATE_H
#define VSL_TOOLS_STATE_H

#include "card.h"

/** state_word() - "Attached"; the words of the original's management interface */
const char *state_word(unsigned int state);

/** disk_word() - "Online", or "Offline" for a disk whose card is not attached */
const char *disk_word(const struct openvsl_info *info);

/** state_busy() - is something under way that has a progress */
bool state_busy(unsigned int state);

/** minimal_text() - why a card is in minimal mode, a sentence's rest */
const char *minimal_text(unsigned int reason);

/** minimal_is_final() - can this driver do nothing with the card at all */
bool minimal_is_final(const struct openvsl_info *info);

/** format_is_other() - is its format that of a newer or an older driver */
bool format_is_other(const struct openvsl_info *info);

/** reduced_text() - why writes are reduced or refused */
const char *reduced_text(unsigned int reason);

/** health_word() - "Healthy", "Reduced-write", "Read-only", "Unknown" */
const char *health_word(unsigned int health);

/** has_figures() - are wear and volumes known: was it attached since it was found */
bool has_figures(const struct openvsl_info *info);

enum alert_kind {
	ALERT_ERROR,
	ALERT_WARNING,
	ALERT_INFO,		/* worth knowing; nothing is wrong */
	ALERT_KINDS,
};

#define ALERTS_MAX	16

/**
 * struct alerts - what deserves attention
 * @nr: how many
 * @kind: of each, errors first
 * @text: of each
 */
struct alerts {
	unsigned int nr;
	enum alert_kind kind[ALERTS_MAX];
	char text[ALERTS_MAX][160];
};

/** alerts_find() - look a card over */
void alerts_find(const struct card *card, struct alerts *alerts);

/** alerts_bad() - is there an error or a warning among them */
bool alerts_bad(const struct alerts *alerts);

#endif /* VSL_TOOLS_STATE_H */
