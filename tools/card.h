/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * card.h - a card as the commands see it: open, with its status.
 */
#ifndef VSL_TOOLS_CARD_H
#define VSL_TOOLS_CARD_H

#include "cmd.h"
#include "dev.h"

/**
 * struct card - an open card
 * @nr: N of /dev/fctN
 * @fd: of /dev/fctN
 * @name: "fct0"
 * @info: its status when it was opened or last refreshed
 * @logs: what its own logs say, likewise; all zero where it has none
 * @pci: what sysfs adds
 * @driver: the driver's version, text
 */
struct card {
	unsigned int nr;
	int fd;
	char name[16];
	struct openvsl_info info;
	struct openvsl_logs logs;
	struct dev_pci pci;
	char driver[64];
};

/**
 * struct driver - the driver, asked once
 * @fd: of /dev/openvsl, or negative
 * @version: its answer
 */
struct driver {
	int fd;
	struct openvsl_version version;
};

/* Names that were typed, or all cards: at most one entry for each. */
struct cards {
	unsigned int nr;
	struct card *card;
};

/**
 * driver_open() - find the driver, and see that it speaks our ABI
 * @driver: to be closed by driver_close()
 *
 * Return: RC_DONE, or another status after saying why.
 */
int driver_open(struct driver *driver);

/** driver_close() - undo driver_open(), also a failed one */
void driver_close(struct driver *driver);

/** driver_count() - how many cards there are */
unsigned int driver_count(const struct driver *driver);

/** driver_has() - does fctN exist */
bool driver_has(const struct driver *driver, unsigned int nr);

/**
 * cards_open() - open the cards that were named
 * @cards: to be closed by cards_close()
 * @driver: open
 * @names: as typed; none: all cards there are
 * @nr: how many names
 * @what: for the error: "cannot attach", or NULL
 *
 * Return: RC_DONE, or the first name's trouble; each was said.  What could be
 * opened is in @cards even then.
 */
int cards_open(struct cards *cards, const struct driver *driver, char **names,
	       unsigned int nr, const char *what);

/** cards_close() - undo cards_open(), also a failed one */
void cards_close(struct cards *cards);

/**
 * cards_open_some() - driver_open() and cards_open() for commands that act
 *
 * Close both afterwards, whatever it returns: the others are for acting on.
 *
 * Return: likewise, RC_DONE or the first trouble.
 */
int cards_open_some(struct cards *cards, struct driver *driver, char **names,
		    unsigned int nr, const char *what);

/**
 * cards_open_named() - likewise, all of the cards or none
 *
 * For commands that destroy something: when a name is wrong, others may be, too.
 * Unless it returns RC_DONE everything is closed.
 */
int cards_open_named(struct cards *cards, struct driver *driver, char **names,
		     unsigned int nr, const char *what);

/** card_refresh() - read a card's status again.  Return: 0 or -errno */
int card_refresh(struct card *card);

#endif /* VSL_TOOLS_CARD_H */
