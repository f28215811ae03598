// SPDX-License-Identifier: GPL-2.0-only
/*
 * state.c - the words for what a card is and what is wrong with it.
 *
 * All reports, whatever their format, get their words and their alerts here,
 * so that they cannot disagree.
 */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A table may be shorter than the numbers that a newer driver knows. */
static const char *word_of(const char * const *words, size_t nr_words, unsigned int nr)
{
	return nr < nr_words ? words[nr] : NULL;
}

const char *state_word(unsigned int state)
{
	static const char * const words[] = {
		[OPENVSL_STATE_UNKNOWN] = "Unknown",
		[OPENVSL_STATE_DETACHED] = "Detached",
		[OPENVSL_STATE_ATTACHED] = "Attached",
		[OPENVSL_STATE_MINIMAL] = "Minimal mode",
		[OPENVSL_STATE_ERROR] = "Error",
		[OPENVSL_STATE_DETACHING] = "Detaching",
		[OPENVSL_STATE_ATTACHING] = "Attaching",
		[OPENVSL_STATE_SCANNING] = "Scanning",
		[OPENVSL_STATE_FORMATTING] = "Formatting",
		[OPENVSL_STATE_UPDATING] = "Updating",
	};
	const char *word = word_of(words, ARRAY_SIZE(words), state);

	return word ? word : "Unknown";
}

/* A card that failed keeps its disk as long as somebody has it open. */
const char *disk_word(const struct openvsl_info *info)
{
	return info->state == OPENVSL_STATE_ATTACHED ? "Online" : "Offline";
}

bool state_busy(unsigned int state)
{
	return state >= OPENVSL_STATE_DETACHING && state <= OPENVSL_STATE_UPDATING;
}

const char *minimal_text(unsigned int reason)
{
	static const char * const texts[] = {
		[OPENVSL_MINIMAL_FORCED] = "it was told to",
		[OPENVSL_MINIMAL_INTERNAL] = "an internal error of the driver",
		[OPENVSL_MINIMAL_NO_MEMORY] = "not enough memory",
		[OPENVSL_MINIMAL_UNSUPPORTED_NAND] =
			"the card is recognised, but its interface is not supported",
		[OPENVSL_MINIMAL_DRIVER_OUTDATED] =
			"it was formatted by a newer driver; update this one",
		[OPENVSL_MINIMAL_FORMAT_OUTDATED] =
			"it was formatted by an older driver; attach it with that one, or format it again",
		[OPENVSL_MINIMAL_HARDWARE] = "the hardware failed",
	};
	const char *text = word_of(texts, ARRAY_SIZE(texts), reason);

	return text ? text : "no reason given";
}

bool format_is_other(const struct openvsl_info *info)
{
	return info->minimal_reason == OPENVSL_MINIMAL_DRIVER_OUTDATED ||
	       info->minimal_reason == OPENVSL_MINIMAL_FORMAT_OUTDATED;
}

/* Other reasons may be gone by now (memory), or go with a format (hardware). */
bool minimal_is_final(const struct openvsl_info *info)
{
	return info->state == OPENVSL_STATE_MINIMAL &&
	       (info->minimal_reason == OPENVSL_MINIMAL_UNSUPPORTED_NAND ||
		format_is_other(info));
}

const char *reduced_text(unsigned int reason)
{
	static const char * const texts[] = {
		[1] = "it was told to",
		[2] = "no blocks left for metadata",
		[3] = "not enough memory",
		[4] = "a die failed",
		[5] = "the flash is worn out",
		[7] = "an internal error",
		[10] = "space cannot be reclaimed",
	};
	const char *text = word_of(texts, ARRAY_SIZE(texts), reason);

	return text ? text : "no reason given";
}

const char *health_word(unsigned int health)
{
	static const char * const words[] = {
		[OPENVSL_HEALTHY] = "Healthy",
		[OPENVSL_WRITE_REDUCED] = "Reduced-write",
		[OPENVSL_READ_ONLY] = "Read-only",
	};
	const char *word = word_of(words, ARRAY_SIZE(words), health);

	return word ? word : "Unknown";
}

bool has_figures(const struct openvsl_info *info)
{
	return info->eus_total != 0;
}

/* ---- alerts --------------------------------------------------------------- */

__printf(3, 4)
static void add(struct alerts *alerts, enum alert_kind kind, const char *fmt, ...)
{
	va_list ap;

	if (alerts->nr == ALERTS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(alerts->text[alerts->nr], sizeof(alerts->text[0]), fmt, ap);
	va_end(ap);
	alerts->kind[alerts->nr++] = kind;
}

/* An attach that was refused or stopped left the card as it was. */
static bool is_failure(int err)
{
	switch (-err) {
	case EIO:
	case ENOMEM:
	case ENODEV:
	case EPROTO:
	case ESTALE:
	case EMEDIUMTYPE:
	case EBADMSG:
		return true;
	}
	return false;
}

static void add_errors(const struct openvsl_info *info, struct alerts *alerts)
{
	if (info->state == OPENVSL_STATE_ERROR)
		add(alerts, ALERT_ERROR,
		    "The card has failed or lost its power: all reads and writes fail.");
	if (info->state == OPENVSL_STATE_MINIMAL)
		add(alerts, ALERT_ERROR, "The card is in minimal mode: %s.",
		    minimal_text(info->minimal_reason));
	if (info->health == OPENVSL_READ_ONLY)
		add(alerts, ALERT_ERROR,
		    "The card is in read-only mode: all writes fail; reason: %s.",
		    reduced_text(info->reduced_reason));
	if (info->lost_blocks)
		add(alerts, ALERT_ERROR,
		    "%llu block(s) of 4096 bytes can no longer be read; write them again.",
		    (unsigned long long)info->lost_blocks);
}

static void add_warnings(const struct card *card, struct alerts *alerts)
{
	const struct openvsl_info *info = &card->info;

	if (info->state == OPENVSL_STATE_DETACHED && is_failure(info->last_error))
		add(alerts, ALERT_WARNING, "The last attach, format or detach failed: %s.",
		    strerror(-info->last_error));
	if (info->health == OPENVSL_WRITE_REDUCED)
		add(alerts, ALERT_WARNING, "Writes are reduced; reason: %s.",
		    reduced_text(info->reduced_reason));
	if (has_figures(info) && info->spare_permyriad <= info->spare_warn_permyriad)
		add(alerts, ALERT_WARNING,
		    "The reserve space is low: %u.%02u%% is left; plan to replace the card.",
		    info->spare_permyriad / 100, info->spare_permyriad % 100);
	if (card->pci.nonfatal || card->pci.fatal)
		add(alerts, ALERT_WARNING,
		    "PCIe counts %llu uncorrected and %llu fatal errors since boot.",
		    card->pci.nonfatal, card->pci.fatal);
}

void alerts_find(const struct card *card, struct alerts *alerts)
{
	const struct openvsl_info *info = &card->info;

	alerts->nr = 0;
	add_errors(info, alerts);
	add_warnings(card, alerts);
	if (info->state != OPENVSL_STATE_DETACHED)
		return;
	if (!(info->flags & OPENVSL_INFO_FORMATTED))
		add(alerts, ALERT_INFO, "The card is not formatted.");
	else if (!(info->flags & OPENVSL_INFO_CLEAN))
		add(alerts, ALERT_INFO,
		    "The card was not detached cleanly; the next attach recovers it.");
}

bool alerts_bad(const struct alerts *alerts)
{
	unsigned int i;

	for (i = 0; i < alerts->nr; i++)
		if (alerts->kind[i] != ALERT_INFO)
			return true;
	return false;
}
