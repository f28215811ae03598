// SPDX-License-Identifier: GPL-2.0-only
/*
 * bind_list.c - openvsl bind --list: what could be bound, and what is.
 *
 * A line for each device, and one for each further disk or card of it.  Without
 * the right to read disks their contents are not known: "?".
 */
#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "doc.h"
#include "err.h"
#include "inuse.h"
#include "listed.h"
#include "signature.h"

#define USERS_TEXT	512

/**
 * struct look - what there is to say of a disk
 * @carries: for people; "" for nothing, "?" if it cannot be read
 * @users: for people; "" for nobody
 */
struct look {
	char carries[SIGNATURES_TEXT];
	char users[USERS_TEXT];
};

static void look_at(const char *disk, struct look *look)
{
	int fd = dev_open_disk(disk, false), err;
	struct signatures found;

	strcpy(look->carries, "?");
	if (fd >= 0) {
		err = bind_carries(fd, &found);
		if (found.is_ours)
			strcpy(look->carries, "OpenVSL");
		else if (found.nr || !err)
			signatures_text(&found, look->carries, sizeof(look->carries));
		close(fd);
	}
	inuse_disk(disk, look->users, sizeof(look->users));
}

static bool is_listed(const struct pci_device *pci)
{
	struct listed device, line;

	listed_device(pci, &device);
	return listed_find(&device, &line) >= LISTED_HERE;
}

static const char *or_dash(const char *text)
{
	return *text ? text : "-";
}

/* ---- for people ----------------------------------------------------------- */

static void print_row(const char *address, const char *ids, const char *driver, const char *listed,
		      const char *name, const char *carries)
{
	printf("%-12s  %-9s  %-8s  %-6s  %-8s  %s\n", address, ids, driver, listed, name, carries);
}

static void print_disk(const struct pci_device *pci, bool first, const char *disk)
{
	struct look look;
	char carries[SIGNATURES_TEXT + USERS_TEXT + 4];
	char ids[16];

	look_at(disk, &look);
	snprintf(carries, sizeof(carries), "%s%s%s", *look.carries ? look.carries : "nothing",
		 *look.users ? "; " : "", look.users);
	snprintf(ids, sizeof(ids), "%04x:%04x", pci->vendor, pci->device);
	if (first)
		print_row(pci->address, ids, or_dash(pci->driver), is_listed(pci) ? "yes" : "no",
			  disk, carries);
	else
		print_row("", "", "", "", disk, carries);
}

static void print_cards(const struct pci_device *pci, const struct pci_names *cards)
{
	const char *note = pci->kind == PCI_FUSION_IO ? "cannot be driven" : "-";
	char text[256];
	char ids[16];

	snprintf(ids, sizeof(ids), "%04x:%04x", pci->vendor, pci->device);
	pci_names_text(cards, text, sizeof(text));
	print_row(pci->address, ids, or_dash(pci->driver), is_listed(pci) ? "yes" : "no",
		  or_dash(text), note);
}

static void print_device(const struct pci_device *pci, const struct pci_names *disks,
			 const struct pci_names *cards)
{
	unsigned int i;

	if (cards->nr || !disks->nr) {
		print_cards(pci, cards);
		return;
	}
	for (i = 0; i < disks->nr; i++)
		print_disk(pci, !i, disks->name[i]);
}

/* ---- for programs --------------------------------------------------------- */

static void put_names(struct doc *doc, const char *key, const struct pci_names *names, bool look)
{
	struct look seen;
	unsigned int i;

	doc_open_list(doc, key);
	for (i = 0; i < names->nr; i++) {
		doc_open_item(doc);
		doc_text(doc, "name", names->name[i]);
		if (look) {
			look_at(names->name[i], &seen);
			doc_text(doc, "carries", strcmp(seen.carries, "?") ? seen.carries : NULL);
			doc_text(doc, "users", seen.users);
		}
		doc_close_item(doc);
	}
	doc_close_list(doc);
}

static void put_device(struct doc *doc, const struct pci_device *pci,
		       const struct pci_names *disks, const struct pci_names *cards)
{
	char serial[PCI_NAME];
	char ids[16];

	snprintf(ids, sizeof(ids), "%04x:%04x", pci->vendor, pci->device);
	pci_serial(pci, serial, sizeof(serial));
	doc_open_item(doc);
	doc_text(doc, "address", pci->address);
	doc_text(doc, "id", ids);
	doc_text(doc, "serial", strcmp(serial, "-") ? serial : NULL);
	doc_text(doc, "driver", *pci->driver ? pci->driver : NULL);
	doc_bool(doc, "supported", pci->kind != PCI_FUSION_IO);
	doc_bool(doc, "listed", is_listed(pci));
	put_names(doc, "disks", disks, true);
	put_names(doc, "cards", cards, false);
	doc_close_item(doc);
}

/* ---- both ----------------------------------------------------------------- */

/* @doc: NULL: a table. */
static int list_device(struct doc *doc, const char *address)
{
	struct pci_names disks = { 0 };
	struct pci_names cards = { 0 };
	struct pci_device pci;
	int err = pci_open(&pci, address);

	if (!err)
		err = pci_disks(&pci, &disks);
	if (!err)
		err = pci_cards(&pci, &cards);
	if (!err && doc)
		put_device(doc, &pci, &disks, &cards);
	else if (!err)
		print_device(&pci, &disks, &cards);
	pci_names_free(&disks);
	pci_names_free(&cards);
	if (err && err != -ENOENT)
		return fail_errno(NULL, err, address, "cannot list");
	return RC_DONE;
}

int bind_list(bool json)
{
	struct pci_names names;
	struct doc doc;
	unsigned int i;
	int err = pci_candidates(&names);
	int rc = RC_DONE;

	if (err)
		rc = fail_errno(NULL, err, NULL, "cannot list");
	if (json) {
		doc_begin(&doc, stdout, NULL);
		doc_open_list(&doc, "devices");
	} else if (names.nr) {
		print_row("ADDRESS", "ID", "DRIVER", "LISTED", "NAME", "CARRIES");
	} else if (!rc) {
		printf("There is no NVMe device.\n");
	}
	for (i = 0; i < names.nr; i++)
		rc = err_first(rc, list_device(json ? &doc : NULL, names.name[i]));
	if (json) {
		doc_close_list(&doc);
		doc_end(&doc);
	}
	pci_names_free(&names);
	return rc;
}
