// SPDX-License-Identifier: GPL-2.0-only
/*
 * bind_boot.c - openvsl bind --boot: udev asks for a device that has appeared.
 *
 * A card is known by its serial number, which only a driver can read: so the stock
 * driver is waited for, and the card taken from it.  What is listed is taken wherever it
 * is; what is not listed is left alone, also at the address of a card that was.
 *
 * A card that has moved is taken only if no other device has its serial number: two
 * ports of one disk have the same, and given was one of them.  And only if it carries
 * nothing of anybody else's: it may have been in another machine meanwhile.
 *
 * Nobody reads what is printed here, so there is something only when a device that
 * should be bound cannot be.
 */
#include "bind.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "err.h"
#include "listed.h"

#define WHAT		"cannot bind"
/* How long a controller may be on its way up, and a driver on its way to it. */
#define UP_MS		20000
#define COME_MS		2000
#define STEP_MS		50

/* May the stock driver have something to say of it that it has not said yet? */
static bool may_be_known_soon(struct pci_device *pci, unsigned int waited_ms)
{
	char serial[PCI_NAME];
	char override[PCI_NAME];

	if (pci_is_coming(pci))
		return true;
	pci_refresh_driver(pci);
	pci_serial(pci, serial, sizeof(serial));
	pci_override(pci, override, sizeof(override));
	return !strcmp(serial, "-") && waited_ms < COME_MS && !*override &&
	       pci_driver_there(PCI_STOCK) && (!*pci->driver || !strcmp(pci->driver, PCI_STOCK));
}

static void wait_until_known(struct pci_device *pci)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000l };
	unsigned int waited;

	for (waited = 0; waited < UP_MS && may_be_known_soon(pci, waited); waited += STEP_MS)
		nanosleep(&step, NULL);
}

/*
 * Before the module is loaded the device is only told whom it is for: the module takes
 * it when it comes, and asks nobody.  So it must be the right one.
 */
static int tell(struct pci_device *pci, const struct listed *device, const struct listed *line)
{
	if (strcmp(line->serial, "-") && !strcmp(device->serial, "-") &&
	    pci_driver_there(PCI_STOCK))
		return RC_DONE;
	if (pci_set_override(pci, PCI_DRIVER) || pci_unbind(pci))
		return fail(RC_FAILED, pci->address, WHAT, "the kernel refuses; see its log");
	return RC_DONE;
}

/* @contents: not if it carries something. */
static int take(struct pci_device *pci, const struct listed *device, const struct listed *line,
		bool contents)
{
	struct pci_names cards = { 0 };
	struct held held = { 0 };
	int rc = bind_check_driver(pci, false);

	if (!rc)
		rc = bind_check_disks(pci, contents, &held);
	if (!rc && pci_driver_there(PCI_DRIVER))
		rc = bind_take(pci, &held, line->serial, &cards);
	else if (!rc)
		rc = tell(pci, device, line);
	pci_names_free(&cards);
	bind_release(&held);
	return rc;
}

/* ---- a card in another slot ----------------------------------------------- */

static bool has_same_serial(const char *address, const struct listed *device)
{
	struct listed other;
	struct pci_device pci;

	if (!strcmp(address, device->address) || pci_open(&pci, address) ||
	    pci.vendor != device->vendor || pci.device != device->device)
		return false;
	wait_until_known(&pci);
	listed_device(&pci, &other);
	return pci_serial_fits(device->serial, other.serial);
}

static int check_alone(const struct listed *device)
{
	struct pci_names names;
	unsigned int i;
	int err = pci_candidates(&names);
	int rc = err ? fail_errno(NULL, err, device->address, WHAT) : RC_DONE;

	for (i = 0; i < names.nr && !rc; i++)
		if (has_same_serial(names.name[i], device))
			rc = fail(RC_FOREIGN, device->address, WHAT,
				  "%s has the same serial number %s; bind the one that is meant",
				  names.name[i], device->serial);
	pci_names_free(&names);
	return rc;
}

static int take_moved(struct pci_device *pci, const struct listed *device,
		      const struct listed *line)
{
	int lock;
	int rc;

	/* The port that was given is where it was. */
	if (has_same_serial(line->address, device))
		return RC_DONE;
	lock = listed_lock();
	rc = check_alone(device);
	if (!rc)
		rc = take(pci, device, line, true);
	/* Where that cannot be written it is found by its serial number again. */
	if (!rc)
		listed_add(device);
	listed_unlock(lock);
	return rc;
}

int bind_boot(const char *word)
{
	char address[PCI_ADDRESS];
	struct listed device, line;
	struct pci_device pci;

	if (!pci_parse(word, address) || pci_open(&pci, address) ||
	    !strcmp(pci.driver, PCI_DRIVER) || !listed_has_kind(pci.vendor, pci.device))
		return RC_DONE;
	wait_until_known(&pci);
	listed_device(&pci, &device);
	switch (listed_find(&device, &line)) {
	case LISTED_NOT:
		break;
	case LISTED_OTHER:
		if (line.vendor != pci.vendor || line.device != pci.device)
			break;
		return fail(RC_FOREIGN, address, WHAT,
			    "its serial number is %s and not %s; bind it anew if that is right",
			    device.serial, line.serial);
	case LISTED_HERE:
		return take(&pci, &device, &line, false);
	case LISTED_AWAY:
		return take_moved(&pci, &device, &line);
	}
	return RC_DONE;
}
