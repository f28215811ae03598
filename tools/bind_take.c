// SPDX-License-Identifier: GPL-2.0-only
/*
 * bind_take.c - giving a device to openvsl.
 *
 * The kernel does it: driver_override says whom the device is for, "unbind" takes
 * it from the driver that has it, and drivers_probe has it find the new one.  When
 * no card comes of it everything is put back, for a disk that no driver has is of
 * no use to anybody.
 */
#include "bind.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "err.h"

#define WHAT		"cannot bind"
#define WAIT_MS		5000
#define STEP_MS		50

/* The driver makes its cards after it has the device: when that has answered. */
static int wait_for_cards(const struct pci_device *pci, struct pci_names *cards)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000l };
	unsigned int waited;
	int err = 0;

	for (waited = 0; waited <= WAIT_MS && !err; waited += STEP_MS) {
		err = pci_cards(pci, cards);
		if (cards->nr)
			return 0;
		pci_names_free(cards);
		nanosleep(&step, NULL);
	}
	return err;
}

/*
 * A device that was put in a moment ago may be about to get the driver that it had
 * before it was told whom it is for: then that one has to give it back once more.
 */
static int probe(struct pci_device *pci)
{
	int err;

	pci_probe(pci);
	if (!*pci->driver || !strcmp(pci->driver, PCI_DRIVER))
		return 0;
	err = pci_unbind(pci);
	if (!err)
		pci_probe(pci);
	return err;
}

static void put_back(struct pci_device *pci, const char *override)
{
	pci_set_override(pci, override);
	pci_unbind(pci);
	pci_probe(pci);
}

/* Another disk may be in the slot by now, with somebody's data on it. */
static bool is_another(const struct pci_device *pci, const char *wanted, char *serial, size_t bytes)
{
	pci_serial(pci, serial, bytes);
	return strcmp(wanted, "-") && strcmp(serial, "-") && !pci_serial_fits(wanted, serial);
}

int bind_take(struct pci_device *pci, struct held *held, const char *serial,
	      struct pci_names *cards)
{
	char override[PCI_NAME];
	char is[PCI_NAME];
	int err;

	memset(cards, 0, sizeof(*cards));
	pci_override(pci, override, sizeof(override));
	if (!strcmp(override, PCI_DRIVER))
		*override = '\0';
	err = pci_set_override(pci, PCI_DRIVER);
	if (err)
		return fail_errno(NULL, err, pci->address, WHAT);
	err = pci_unbind(pci);
	bind_release(held);
	if (err) {
		pci_set_override(pci, override);
		return fail_errno(NULL, err, pci->address, WHAT);
	}
	err = probe(pci);
	if (!err && !strcmp(pci->driver, PCI_DRIVER))
		err = wait_for_cards(pci, cards);
	if (cards->nr && !is_another(pci, serial, is, sizeof(is)))
		return RC_DONE;
	put_back(pci, override);
	if (cards->nr)
		return fail(RC_FOREIGN, pci->address, WHAT,
			    "its serial number is %s and not %s, so it was given back; bind it anew if that is right",
			    is, serial);
	return fail(RC_FAILED, pci->address, WHAT,
		    "the driver made no card of it, and it was given back%s%s; see the kernel log",
		    *pci->driver ? " to " : "", pci->driver);
}
