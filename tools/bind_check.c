// SPDX-License-Identifier: GPL-2.0-only
/*
 * bind_check.c - may a device be given to openvsl.
 *
 * Taking a disk from under a file system, or handing over one that somebody has
 * data on, cannot be undone by saying sorry.  All disks of the device are opened
 * so that nobody else can claim them, and stay open until the device has left its
 * driver: what was free when it was looked at is free when it is taken.
 */
#include "bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dev.h"
#include "err.h"
#include "inuse.h"
#include "signature.h"

#define WHAT	"cannot bind"

static const struct why why_open[] = {
	{ ENOENT, RC_FAILED, "a disk of it has no node in /dev to look at it; is udev running?" },
	{ ENXIO, RC_FAILED, "a disk of it does not answer; see the kernel log" },
	{ ENOTBLK, RC_FAILED, "the node of a disk of it is something else" },
	{ 0, RC_FAILED, NULL },
};

int bind_find(struct pci_device *pci, const char *word, const char *what)
{
	char address[PCI_ADDRESS];
	int err;

	if (!pci_parse(word, address))
		return fail(RC_USAGE, word, what,
			    "it is not a PCI address like 0000:03:00.0; openvsl bind --list shows them");
	err = pci_open(pci, address);
	if (err == -ENOENT)
		return fail(RC_ABSENT, address, what,
			    "no such PCI device; openvsl bind --list shows what there is");
	if (err)
		return fail_errno(NULL, err, address, what);
	if (pci->kind == PCI_FUSION_IO)
		return fail(RC_FOREIGN, address, what,
			    "a card by Fusion-io: its interface was never published, so it cannot be driven; only NVMe cards can");
	if (pci->kind == PCI_OTHER)
		return fail(RC_FOREIGN, address, what,
			    "it is no NVMe device; openvsl bind --list shows those");
	return RC_DONE;
}

/* ---- what a disk carries -------------------------------------------------- */

static bool read_disk(void *arg, unsigned long long offset, void *buf, size_t bytes)
{
	char *at = buf;
	ssize_t got;

	while (bytes) {
		got = pread(*(int *)arg, at, bytes, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		offset += got;
		bytes -= got;
	}
	return true;
}

unsigned int bind_carries(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);
	struct signature_disk disk = {
		.bytes = end < 0 ? 0 : end,
		.read = read_disk,
		.arg = &fd,
	};

	return end < 0 ? (unsigned int)SIGNATURE_UNREADABLE : signature_find(&disk);
}

/* ---- its users ------------------------------------------------------------ */

int bind_check_open(const struct pci_device *pci, const struct pci_names *names, const char *what)
{
	char node[PCI_NAME + 8];
	unsigned int i;
	long process;

	for (i = 0; i < names->nr; i++) {
		snprintf(node, sizeof(node), "/dev/%s", names->name[i]);
		process = inuse_node(node);
		if (process)
			return fail(RC_STATE, pci->address, what,
				    "process %ld has %s open; end that first", process, node);
	}
	return RC_DONE;
}

static int check_contents(const struct pci_device *pci, const char *disk, int fd)
{
	unsigned int found = bind_carries(fd) & ~SIGNATURE_OPENVSL;
	char text[SIGNATURE_TEXT];

	if (!found)
		return RC_DONE;
	return fail(RC_FOREIGN, pci->address, WHAT,
		    "/dev/%s carries data (%s); to give it up, add --force", disk,
		    signature_text(found, text, sizeof(text)));
}

static int hold(struct held *held, int fd)
{
	int *more = realloc(held->fd, (held->nr + 1) * sizeof(*more));

	if (!more) {
		close(fd);
		return -ENOMEM;
	}
	held->fd = more;
	held->fd[held->nr++] = fd;
	return 0;
}

void bind_release(struct held *held)
{
	unsigned int i;

	for (i = 0; i < held->nr; i++)
		close(held->fd[i]);
	free(held->fd);
	memset(held, 0, sizeof(*held));
}

static int check_disk(const struct pci_device *pci, const char *disk, bool contents,
		      struct held *held)
{
	char users[512];
	int err;
	int fd;

	inuse_disk(disk, users, sizeof(users));
	if (*users)
		return fail(RC_STATE, pci->address, WHAT, "/dev/%s is in use (%s); end that first",
			    disk, users);
	fd = dev_open_disk(disk, true);
	if (fd == -EBUSY)
		return fail(RC_STATE, pci->address, WHAT,
			    "/dev/%s is in use; see who has it open (fuser -v /dev/%s)", disk, disk);
	if (fd < 0)
		return fail_errno(why_open, fd, pci->address, WHAT);
	err = hold(held, fd);
	if (err)
		return fail_errno(NULL, err, pci->address, WHAT);
	return contents ? check_contents(pci, disk, fd) : RC_DONE;
}

int bind_check_disks(const struct pci_device *pci, bool contents, struct held *held)
{
	struct pci_names disks;
	unsigned int i;
	int rc = RC_DONE;
	int err;

	memset(held, 0, sizeof(*held));
	err = pci_disks(pci, &disks);
	if (err)
		rc = fail_errno(NULL, err, pci->address, WHAT);
	for (i = 0; i < disks.nr && !rc; i++)
		rc = check_disk(pci, disks.name[i], contents, held);
	pci_names_free(&disks);
	return rc;
}
