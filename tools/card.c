// SPDX-License-Identifier: GPL-2.0-only
/*
 * card.c - from what was typed to an open card.
 *
 * The driver is asked first: is it there, does it speak our ABI, which cards
 * has it got.  Only a card it knows is opened, and every way to be wrong has
 * its own sentence.
 */
#include "card.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "name.h"

#define DRIVER_NODE	"/dev/" OPENVSL_NODE

static const struct why why_open[] = {
	{ EBADSLT, RC_FOREIGN,
	  "its node leads to another card; let udev or mdev make the nodes in /dev" },
	{ 0, RC_FAILED, NULL },
};

/*
 * Text that others wrote, for a terminal and for scripts that read lines: with an
 * end and without anything that is more than a character.
 */
static void tame(char *text, size_t bytes)
{
	text[bytes - 1] = '\0';
	for (; *text; text++)
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
}

int driver_open(struct driver *driver)
{
	struct openvsl_version *version = &driver->version;
	int err;

	memset(driver, 0, sizeof(*driver));
	driver->fd = dev_open_driver();
	if (driver->fd == -ENOENT || driver->fd == -ENXIO || driver->fd == -ENODEV) {
		driver->fd = -1;
		return fail(RC_ABSENT, NULL, NULL,
			    "the driver is not loaded (no %s); load it first (modprobe openvsl)",
			    DRIVER_NODE);
	}
	if (driver->fd < 0)
		return fail_errno(NULL, driver->fd, DRIVER_NODE, "cannot open");
	version->size = sizeof(*version);
	err = dev_call(driver->fd, OPENVSL_IOC_VERSION, version);
	if (err)
		return fail_errno(NULL, err, DRIVER_NODE, "cannot ask for the version");
	tame(version->driver, sizeof(version->driver));
	if (version->abi_major != OPENVSL_ABI_MAJOR)
		return fail(RC_FOREIGN, NULL, NULL,
			    "the driver (%s) has ABI %u and this program needs %u; use tools of its version",
			    version->driver, version->abi_major, OPENVSL_ABI_MAJOR);
	return RC_DONE;
}

void driver_close(struct driver *driver)
{
	if (driver->fd >= 0)
		dev_close(driver->fd);
	driver->fd = -1;
}

bool driver_has(const struct driver *driver, unsigned int nr)
{
	return nr < OPENVSL_CARDS_MAX && driver->version.cards[nr / 32] >> (nr % 32) & 1;
}

unsigned int driver_count(const struct driver *driver)
{
	unsigned int count = 0;
	unsigned int nr;

	for (nr = 0; nr < OPENVSL_CARDS_MAX; nr++)
		count += driver_has(driver, nr);
	return count;
}

static void tame_strings(struct openvsl_info *info)
{
	tame(info->disk, sizeof(info->disk));
	tame(info->model, sizeof(info->model));
	tame(info->serial, sizeof(info->serial));
	tame(info->firmware, sizeof(info->firmware));
}

/* A card without logs, or a driver that does not know them: nothing is known. */
static void read_logs(struct card *card)
{
	struct openvsl_logs *logs = &card->logs;
	unsigned int i;

	memset(logs, 0, sizeof(*logs));
	logs->size = sizeof(*logs);
	if (dev_call(card->fd, OPENVSL_IOC_LOGS, logs))
		memset(logs, 0, sizeof(*logs));
	for (i = 0; i < OPENVSL_SLOTS; i++)
		tame(logs->slot[i], sizeof(logs->slot[i]));
	if (logs->slots > OPENVSL_SLOTS)
		logs->slots = OPENVSL_SLOTS;
}

int card_refresh(struct card *card)
{
	int err;

	memset(&card->info, 0, sizeof(card->info));
	card->info.size = sizeof(card->info);
	err = dev_call(card->fd, OPENVSL_IOC_INFO, &card->info);
	tame_strings(&card->info);
	read_logs(card);
	return err;
}

/* Return: 0 or -errno; the card is closed then. */
static int card_open(struct card *card, const struct driver *driver, unsigned int nr)
{
	int err;

	memset(card, 0, sizeof(*card));
	card->nr = nr;
	snprintf(card->name, sizeof(card->name), "fct%u", nr);
	snprintf(card->driver, sizeof(card->driver), "%s", driver->version.driver);
	card->fd = dev_open_card(nr);
	if (card->fd < 0)
		return card->fd;
	err = card_refresh(card);
	/* A node that was left over, or made by hand, can be another card's. */
	if (!err && card->info.card != nr)
		err = -EBADSLT;
	if (err) {
		dev_close(card->fd);
		return err;
	}
	dev_pci(&card->info, &card->pci);
	return 0;
}

/* It went after the driver was asked which cards there are: no trouble. */
static bool is_gone(int err)
{
	return err == -ENODEV || err == -ENXIO;
}

static int say_absent(const struct driver *driver, const char *text, const char *what)
{
	char list[144] = "";
	unsigned int nr;
	size_t used = 0;

	for (nr = 0; nr < OPENVSL_CARDS_MAX; nr++) {
		if (!driver_has(driver, nr))
			continue;
		if (used > sizeof(list) - 32) {
			snprintf(list + used, sizeof(list) - used, " and more");
			break;
		}
		used += snprintf(list + used, sizeof(list) - used, "%sfct%u", used ? " " : "", nr);
	}
	if (!used)
		return fail(RC_ABSENT, text, what, "no such card; there are none");
	return fail(RC_ABSENT, text, what, "no such card; there are: %s", list);
}

static int open_by_number(struct card *card, const struct driver *driver, unsigned int nr,
			  const char *text, const char *what)
{
	int err;

	if (!driver_has(driver, nr))
		return say_absent(driver, text, what);
	err = card_open(card, driver, nr);
	if (err)
		return fail_errno(why_open, err, card->name, what ? what : "cannot open");
	return RC_DONE;
}

/* A disk's name is found in its card's status, if that can be read. */
static int open_by_disk(struct card *card, const struct driver *driver, const char *disk,
			const char *text, const char *what)
{
	char unread[sizeof(card->name)];
	unsigned int nr;
	int first = 0;
	int err;

	for (nr = 0; nr < OPENVSL_CARDS_MAX; nr++) {
		if (!driver_has(driver, nr))
			continue;
		err = card_open(card, driver, nr);
		if (!err && !strcmp(card->info.disk, disk))
			return RC_DONE;
		if (!err) {
			dev_close(card->fd);
		} else if (!first && !is_gone(err)) {
			first = err;
			memcpy(unread, card->name, sizeof(unread));
		}
	}
	if (first)
		return fail_errno(why_open, first, unread, "cannot open");
	return fail(RC_ABSENT, text, what, "no card is attached under that name");
}

static int open_by_name(struct card *card, const struct driver *driver, const char *text,
			const char *what)
{
	struct name name;

	name_parse(text, &name);
	switch (name.kind) {
	case NAME_CARD:
		return open_by_number(card, driver, name.card, text, what);
	case NAME_DISK:
		return open_by_disk(card, driver, name.disk, text, what);
	case NAME_PARTITION:
		return fail(RC_FOREIGN, text, what, "it is a partition; name the whole card (%s)",
			    name.disk);
	case NAME_OTHER:
		break;
	}
	if (strchr(text, '/') && dev_exists(text))
		return fail(RC_FOREIGN, text, what, "it is not a card of this driver");
	return say_absent(driver, text, what);
}

static bool is_among(const struct cards *cards, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < cards->nr; i++)
		if (cards->card[i].nr == nr)
			return true;
	return false;
}

/* Its node is not there: because the card is not there any more, or for want of udev? */
static bool has_left(const struct driver *driver, unsigned int nr)
{
	struct driver now = { .fd = driver->fd, .version.size = sizeof(now.version) };

	return !dev_call(now.fd, OPENVSL_IOC_VERSION, &now.version) && !driver_has(&now, nr);
}

static int open_all(struct cards *cards, const struct driver *driver)
{
	unsigned int nr;
	int rc = RC_DONE;
	int err;

	for (nr = 0; nr < OPENVSL_CARDS_MAX; nr++) {
		if (!driver_has(driver, nr))
			continue;
		err = card_open(&cards->card[cards->nr], driver, nr);
		if (!err)
			cards->nr++;
		else if (!is_gone(err) && (err != -ENOENT || !has_left(driver, nr)))
			rc = err_first(rc, fail_errno(why_open, err, cards->card[cards->nr].name,
						      "cannot open"));
	}
	return rc;
}

int cards_open(struct cards *cards, const struct driver *driver, char **names,
	       unsigned int nr, const char *what)
{
	struct card *card;
	unsigned int i;
	int rc = RC_DONE;
	int one;

	cards->nr = 0;
	cards->card = calloc(OPENVSL_CARDS_MAX, sizeof(*cards->card));
	if (!cards->card)
		return fail_errno(NULL, -ENOMEM, NULL, what);
	if (!nr)
		return open_all(cards, driver);
	for (i = 0; i < nr; i++) {
		/* At most one for each card, so there is always a place left. */
		if (cards->nr == OPENVSL_CARDS_MAX)
			break;
		card = &cards->card[cards->nr];
		one = open_by_name(card, driver, names[i], what);
		rc = err_first(rc, one);
		if (one)
			continue;
		if (is_among(cards, card->nr))
			dev_close(card->fd);
		else
			cards->nr++;
	}
	return rc;
}

void cards_close(struct cards *cards)
{
	unsigned int i;

	for (i = 0; i < cards->nr; i++)
		dev_close(cards->card[i].fd);
	free(cards->card);
	cards->card = NULL;
	cards->nr = 0;
}

int cards_open_some(struct cards *cards, struct driver *driver, char **names,
		    unsigned int nr, const char *what)
{
	int rc;

	cards->nr = 0;
	cards->card = NULL;
	rc = driver_open(driver);
	return rc ? rc : cards_open(cards, driver, names, nr, what);
}

int cards_open_named(struct cards *cards, struct driver *driver, char **names,
		     unsigned int nr, const char *what)
{
	int rc = cards_open_some(cards, driver, names, nr, what);

	if (rc) {
		cards_close(cards);
		driver_close(driver);
	}
	return rc;
}
