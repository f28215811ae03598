/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pci.h - PCI devices as sysfs shows them: their driver, disks and cards.
 */
#ifndef VSL_TOOLS_PCI_H
#define VSL_TOOLS_PCI_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PCI_ADDRESS	24
#define PCI_NAME	64
/* The PCI driver of the module, in sysfs. */
#define PCI_DRIVER	"openvsl"
/* And that of everybody's NVMe disks. */
#define PCI_STOCK	"nvme"

enum pci_kind {
	PCI_OTHER,	/* nothing for us */
	PCI_NVME,	/* by its class */
	PCI_OPEN,	/* an open-channel card, by its ids */
	PCI_FUSION_IO,	/* known, but its interface was never published */
};

/**
 * struct pci_device - one device
 * @address: "0000:03:00.0"
 * @dir: its directory in sysfs, without symbolic links
 * @vendor: id
 * @device: id
 * @kind: what it is to us
 * @driver: that has it, or ""
 */
struct pci_device {
	char address[PCI_ADDRESS];
	char dir[PATH_MAX];
	unsigned int vendor;
	unsigned int device;
	enum pci_kind kind;
	char driver[PCI_NAME];
};

/** struct pci_names - names of disks, cards, or devices, in the order of the alphabet */
struct pci_names {
	unsigned int nr;
	char (*name)[PCI_NAME];
};

/**
 * pci_parse() - an address as people write it: "0000:03:00.0", "03:00.0"
 * @text: as typed
 * @address: the long form, PCI_ADDRESS bytes
 *
 * Return: it is one.
 */
bool pci_parse(const char *text, char *address);

/** pci_open() - look at a device.  Return: 0, -ENOENT if there is none */
int pci_open(struct pci_device *pci, const char *address);

/** pci_refresh_driver() - look again which driver has it */
void pci_refresh_driver(struct pci_device *pci);

/** pci_driver_there() - is a PCI driver of that name loaded */
bool pci_driver_there(const char *driver);

/** pci_candidates() - addresses of all devices that are not PCI_OTHER */
int pci_candidates(struct pci_names *names);

/**
 * pci_disks() - the disks of a device
 *
 * A namespace that is reached over several paths has one disk, which belongs to
 * none of the devices; it is found by the name of the hidden disk of a path.
 *
 * Return: 0, -errno: not all are known.
 */
int pci_disks(const struct pci_device *pci, struct pci_names *names);

/** pci_cards() - "fct0" and so on, of a device.  Return: 0 or -errno */
int pci_cards(const struct pci_device *pci, struct pci_names *names);

/** pci_names_free() - give back what the three above filled in */
void pci_names_free(struct pci_names *names);

/** pci_names_text() - "nvme0n1, nvme0n2"; "" for none.  Return: @buf */
const char *pci_names_text(const struct pci_names *names, char *buf, size_t bytes);

/**
 * pci_is_coming() - is a controller of it on its way up, so that little is known of it
 *
 * A kernel that tells no states of controllers has none that is.
 */
bool pci_is_coming(const struct pci_device *pci);

/**
 * pci_serial() - serial number, from the driver that has it
 * @pci: open
 * @buf: without blanks; "-" if no driver tells
 * @bytes: of @buf
 */
void pci_serial(const struct pci_device *pci, char *buf, size_t bytes);

/**
 * pci_serial_fits() - may a card be one of the device with this serial number
 * @serial: of the device
 * @card: of the card: the same, or with the number of a namespace at its end
 */
bool pci_serial_fits(const char *serial, const char *card);

/** pci_override() - the driver_override of a device, "" for none */
void pci_override(const struct pci_device *pci, char *buf, size_t bytes);

/** pci_set_override() - say which driver it is for; "": any.  Return: 0 or -errno */
int pci_set_override(const struct pci_device *pci, const char *driver);

/** pci_unbind() - take it from its driver, if it has one.  Return: 0 or -errno */
int pci_unbind(struct pci_device *pci);

/** pci_probe() - have the kernel look for a driver; @pci->driver tells which it found */
void pci_probe(struct pci_device *pci);

#endif /* VSL_TOOLS_PCI_H */
