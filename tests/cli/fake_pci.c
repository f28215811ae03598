// SPDX-License-Identifier: GPL-2.0-only
/*
 * fake_pci.c - the part of tools/dev.c that gives PCI devices to drivers, and a
 * kernel that does what is written to its files.
 *
 * OPENVSL_FAKE_ROOT is a directory with what there is of sys, proc, dev and etc.
 * Every write is appended to OPENVSL_FAKE_LOG.  The kernel is this:
 *
 *	.../driver/unbind	the link "driver" of the device goes, and its cards
 *	.../drivers_probe	the link comes, to the driver that driver_override
 *				names, or to nvme; openvsl makes a card fct4 of it
 *	broken			a file in the root: openvsl refuses the device
 *	dev/NAME.busy		NAME cannot be opened alone
 *	probing			a file in the root: nvme takes it first, once
 *	serial			a file in the root: the card is another one
 *	third			a file in the root: it is of the third namespace
 *	denied			a file in the root: no write is permitted
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/dev.h"

const char *dev_root(void)
{
	const char *root = getenv("OPENVSL_FAKE_ROOT");

	return root ? root : "/nonexistent";
}

static const char *below_root(char *path, const char *name, const char *more)
{
	snprintf(path, PATH_MAX, "%s/%s%s", dev_root(), name, more);
	return path;
}

static bool has(const char *name, const char *more)
{
	char path[PATH_MAX];

	return !access(below_root(path, name, more), F_OK);
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fake_pci: %s: %s\n", what, strerror(errno));
	abort();
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	must(file, path);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static void note(const char *path, const char *text)
{
	const char *log = getenv("OPENVSL_FAKE_LOG");
	const char *name = strrchr(path, '/') + 1;
	FILE *file = log ? fopen(log, "ae") : NULL;

	if (!file)
		return;
	fprintf(file, "%s %s\n", name, *text == '\n' ? "-" : text);
	fclose(file);
}

/* ---- the kernel ----------------------------------------------------------- */

static void do_unbind(const char *device)
{
	char path[PATH_MAX];
	char card[PATH_MAX + 32];

	snprintf(card, sizeof(card), "%s/driver", device);
	must(!unlink(card), card);
	snprintf(card, sizeof(card), "%s/openvsl/fct4/serial", device);
	unlink(card);
	snprintf(card, sizeof(card), "%s/openvsl/fct4", device);
	if (!rmdir(card))
		must(!unlink(below_root(path, "sys/class/openvsl/", "fct4")), path);
}

static void make_card(const char *device)
{
	char path[PATH_MAX];
	char card[PATH_MAX + 32];

	snprintf(card, sizeof(card), "%s/openvsl", device);
	mkdir(card, 0755);
	snprintf(card, sizeof(card), "%s/openvsl/fct4", device);
	must(!mkdir(card, 0755), card);
	must(!symlink(card, below_root(path, "sys/class/openvsl/", "fct4")), path);
	snprintf(card, sizeof(card), "%s/openvsl/fct4/serial", device);
	put(card, has("serial", "") ? "OTHER-1" : has("third", "") ? "CARD 1-3" : "CARD 1");
}

static void do_probe(const char *address)
{
	char device[PATH_MAX];
	char path[PATH_MAX + 32];
	char override[64] = "";
	char target[PATH_MAX];
	FILE *file;

	below_root(device, "sys/bus/pci/devices/", address);
	snprintf(path, sizeof(path), "%s/driver_override", device);
	file = fopen(path, "re");
	if (file) {
		if (fscanf(file, "%63s", override) != 1)
			*override = '\0';
		fclose(file);
	}
	if (!*override || !strcmp(override, "(null)") ||
	    !unlink(below_root(target, "", "probing")))
		strcpy(override, "nvme");
	if (!has("sys/bus/pci/drivers/", override) ||
	    (!strcmp(override, "openvsl") && has("broken", "")))
		return;
	below_root(target, "sys/bus/pci/drivers/", override);
	snprintf(path, sizeof(path), "%s/driver", device);
	must(!symlink(target, path), path);
	if (!strcmp(override, "openvsl"))
		make_card(realpath(device, target));
}

/* ---- dev.h ---------------------------------------------------------------- */

int dev_write(const char *path, const char *text)
{
	const char *name = strrchr(path, '/') + 1;
	char device[PATH_MAX];

	if (has("denied", ""))
		return -EACCES;
	note(path, text);
	if (!strcmp(name, "unbind"))
		do_unbind(below_root(device, "sys/bus/pci/devices/", text));
	else if (!strcmp(name, "drivers_probe"))
		do_probe(text);
	else
		put(path, *text == '\n' ? "(null)" : text);
	return 0;
}

int dev_open_disk(const char *name, bool alone)
{
	char path[PATH_MAX];
	char busy[NAME_MAX];
	int fd;

	snprintf(busy, sizeof(busy), "%s.busy", name);
	if (alone && has("dev/", busy))
		return -EBUSY;
	fd = open(below_root(path, "dev/", name), O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
