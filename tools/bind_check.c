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
#include <time.h>
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

int bind_check_driver(const struct pci_device *pci, bool force)
{
	if (!*pci->driver || !strcmp(pci->driver, PCI_STOCK) || force)
		return RC_DONE;
	return fail(RC_STATE, pci->address, WHAT,
		    "the driver %s has it; take it from that first, or add --force", pci->driver);
}

/* ---- what a disk carries -------------------------------------------------- */

/* A disk that is open: the file, and where it ends. */
struct opened {
	int fd;
	unsigned long long bytes;
};

static int read_block(void *ctx, unsigned long long nr, unsigned char *block)
{
	const struct opened *opened = ctx;
	unsigned long long at = nr * SIGNATURE_BLOCK_BYTES;
	size_t bytes = SIGNATURE_BLOCK_BYTES, done = 0;
	ssize_t got;

	if (at > opened->bytes)
		at = opened->bytes;
	if (bytes > opened->bytes - at)
		bytes = opened->bytes - at;
	memset(block, 0, SIGNATURE_BLOCK_BYTES);
	while (done < bytes) {
		got = pread(opened->fd, block + done, bytes - done, at + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		done += got;
	}
	return 0;
}

int bind_carries(int fd, struct signatures *found)
{
	off_t end = lseek(fd, 0, SEEK_END);
	struct opened opened = { .fd = fd, .bytes = end };
	const struct signature_disk disk = {
		.bytes = end,
		.read = read_block,
		.ctx = &opened,
	};

	memset(found, 0, sizeof(*found));
	return end < 0 ? -errno : signatures_find(&disk, found);
}

/* ---- its users ------------------------------------------------------------ */

/* Who looks at a disk that has just changed, as udev does, is soon done. */
static long wait_unused(const char *node)
{
	const struct timespec step = { .tv_nsec = 50 * 1000 * 1000 };
	long process = inuse_node(node);
	unsigned int i;

	for (i = 0; process && i < 60; i++) {
		nanosleep(&step, NULL);
		process = inuse_node(node);
	}
	return process;
}

int bind_check_open(const struct pci_device *pci, const struct pci_names *names, const char *what)
{
	char node[PCI_NAME + 8];
	unsigned int i;
	long process;

	for (i = 0; i < names->nr; i++) {
		snprintf(node, sizeof(node), "/dev/%s", names->name[i]);
		process = wait_unused(node);
		if (process)
			return fail(RC_STATE, pci->address, what,
				    "process %ld has %s open; end that first", process, node);
	}
	return RC_DONE;
}

static int check_contents(const struct pci_device *pci, const char *disk, int fd)
{
	struct signatures found;
	char text[SIGNATURES_TEXT];
	int err = bind_carries(fd, &found);

	if (found.is_ours || (!found.nr && !err))
		return RC_DONE;
	if (!found.nr)
		return fail(RC_FOREIGN, pci->address, WHAT,
			    "what /dev/%s carries cannot be read (%s); to give it up, add --force",
			    disk, strerror(-err));
	return fail(RC_FOREIGN, pci->address, WHAT,
		    "/dev/%s carries %s; to give it up, add --force", disk,
		    signatures_text(&found, text, sizeof(text)));
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
