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

/** listed_find() - the line of an address.  Return: there is one */
bool listed_find(const char *address, struct listed *listed);

/** listed_add() - add a line, in the place of the address's old one.  Return: 0 or -errno */
int listed_add(const struct listed *listed);

/** listed_remove() - remove the line of an address, if there is one.  Return: 0 or -errno */
int listed_remove(const char *address);

#endif /* VSL_TOOLS_LISTED_H */
