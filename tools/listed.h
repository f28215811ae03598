/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listed.h - /etc/openvsl/cards: what is bound again at boot.
 */
#ifndef VSL_TOOLS_LISTED_H
#define VSL_TOOLS_LISTED_H

#include <stdbool.h>

#include "pci.h"

#define LISTED_FILE	"/etc/openvsl/cards"

/**
 * struct listed - one line: "0000:03:00.0 8086:0953 SERIAL"
 * @address: of the device
 * @vendor: id
 * @device: id
 * @serial: "-" if it was not known
 */
struct listed {
	char address[PCI_ADDRESS];
	unsigned int vendor;
	unsigned int device;
	char serial[PCI_NAME];
};

/** enum listed_as - how a device is listed */
enum listed_as {
	LISTED_NOT,	/* neither it nor its address */
	LISTED_OTHER,	/* another device is, at its address */
	LISTED_HERE,	/* it is, at its address, as far as is known */
	LISTED_AWAY,	/* it is, by its serial number, at another address */
};

/**
 * listed_find() - the line of a device
 * @device: as it is; its serial number may be "-"
 * @listed: the line, if there is one
 *
 * A line with its ids and serial number is its line wherever it is; else that of its
 * address, unless that one is of another serial number or of other ids.
 */
enum listed_as listed_find(const struct listed *device, struct listed *listed);

/** listed_device() - a device, as far as it can be seen */
void listed_device(const struct pci_device *pci, struct listed *device);

/** listed_has_kind() - is there a line with these ids */
bool listed_has_kind(unsigned int vendor, unsigned int device);

/**
 * listed_lock() - let nobody else change the list
 *
 * Waits for whoever does.  Return: what listed_unlock() takes; without a directory for
 * the list nobody can change it, and nobody is kept out.
 */
int listed_lock(void);

/** listed_unlock() - let others change it again */
void listed_unlock(int lock);

/**
 * listed_add() - add a line, in the place of the device's old ones
 *
 * Lines of other devices stay, also of those that were at its address.  With the lock.
 * Return: 0 or -errno
 */
int listed_add(const struct listed *listed);

/** listed_remove() - remove the lines of a device, if there are any.  The same. */
int listed_remove(const struct listed *listed);

#endif /* VSL_TOOLS_LISTED_H */
