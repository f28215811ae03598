// SPDX-License-Identifier: GPL-2.0-only
/*
 * listed.c - /etc/openvsl/cards: what is bound again at boot.
 *
 * People may write in it, too: comments and what is not understood stay as they
 * are.  A change is a new file that takes the old one's place, so that a power cut
 * leaves one or the other.  The directory is locked for that: at boot udev starts
 * several of us at once.
 *
 * A line is of the card with its serial number, wherever that card is, and its address
 * is where the card was last seen.  Without a serial number it is of whatever is at the
 * address.
 */
#include "listed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev.h"

static bool parse(const char *line, struct listed *listed)
{
	char address[PCI_ADDRESS];

	memset(listed, 0, sizeof(*listed));
	if (sscanf(line, "%23s %4x:%4x %63s", address, &listed->vendor, &listed->device,
		   listed->serial) < 3)
		return false;
	if (!*listed->serial)
		strcpy(listed->serial, "-");
	return pci_parse(address, listed->address);
}

static FILE *open_list(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" LISTED_FILE, dev_root());
	return fopen(path, "re");
}

static enum listed_as compare(const struct listed *device, const struct listed *line)
{
	bool same_kind = device->vendor == line->vendor && device->device == line->device;
	bool is_here = !strcmp(device->address, line->address);
	bool is_known = strcmp(device->serial, "-") && strcmp(line->serial, "-");

	if (same_kind && is_known && !strcmp(device->serial, line->serial))
		return is_here ? LISTED_HERE : LISTED_AWAY;
	if (!is_here)
		return LISTED_NOT;
	return same_kind && !is_known ? LISTED_HERE : LISTED_OTHER;
}

/* The last of enum listed_as says most, but for a card that is where it should be. */
static bool is_better(enum listed_as now, enum listed_as before)
{
	return before != LISTED_HERE && (now > before || now == LISTED_HERE);
}

enum listed_as listed_find(const struct listed *device, struct listed *listed)
{
	enum listed_as found = LISTED_NOT, now;
	FILE *file = open_list();
	struct listed seen;
	char *line = NULL;
	size_t bytes = 0;

	if (!file)
		return LISTED_NOT;
	while (getline(&line, &bytes, file) >= 0) {
		now = parse(line, &seen) ? compare(device, &seen) : LISTED_NOT;
		if (!is_better(now, found))
			continue;
		found = now;
		*listed = seen;
	}
	free(line);
	fclose(file);
	return found;
}

void listed_device(const struct pci_device *pci, struct listed *device)
{
	strcpy(device->address, pci->address);
	device->vendor = pci->vendor;
	device->device = pci->device;
	pci_serial(pci, device->serial, sizeof(device->serial));
}

bool listed_has_kind(unsigned int vendor, unsigned int device)
{
	FILE *file = open_list();
	struct listed seen;
	char *line = NULL;
	size_t bytes = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &bytes, file) >= 0)
		found = parse(line, &seen) && seen.vendor == vendor && seen.device == device;
	free(line);
	fclose(file);
	return found;
}

int listed_lock(void)
{
	char dir[PATH_MAX];
	int fd;

	snprintf(dir, sizeof(dir), "%s/etc/openvsl", dev_root());
	mkdir(dir, 0755);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR)
		;
	return fd;
}

void listed_unlock(int lock)
{
	if (lock >= 0)
		close(lock);
}

/* Of @device, or of whatever was at its address. */
static bool is_replaced(const struct listed *device, const struct listed *line)
{
	return compare(device, line) >= LISTED_HERE ||
	       (!strcmp(device->address, line->address) && !strcmp(line->serial, "-"));
}

/* All lines but those of @device. */
static void copy_others(FILE *from, FILE *to, const struct listed *device)
{
	struct listed listed;
	char *line = NULL;
	size_t bytes = 0;

	while (getline(&line, &bytes, from) >= 0) {
		if (parse(line, &listed) && is_replaced(device, &listed))
			continue;
		fputs(line, to);
		if (!strchr(line, '\n'))
			fputc('\n', to);
	}
	free(line);
}

/* Everything is on the disk before the new file has the name. */
static int put_in_place(FILE *file, const char *made, const char *path, const char *dir)
{
	int err = 0;
	int fd;

	if (fflush(file) || ferror(file) || fsync(fileno(file)))
		err = errno ? -errno : -EIO;
	if (fclose(file) && !err)
		err = -errno;
	if (!err && rename(made, path))
		err = -errno;
	if (err) {
		unlink(made);
		return err;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	fsync(fd);
	close(fd);
	return 0;
}

/* @add: or only remove what there is of it. */
static int replace(const struct listed *device, bool add)
{
	char dir[PATH_MAX - 16];
	char path[PATH_MAX];
	char made[PATH_MAX];
	FILE *from;
	FILE *to;
	int fd;

	snprintf(dir, sizeof(dir), "%s/etc/openvsl", dev_root());
	snprintf(path, sizeof(path), "%s/cards", dir);
	snprintf(made, sizeof(made), "%s/cards.XXXXXX", dir);
	if (mkdir(dir, 0755) && errno != EEXIST)
		return -errno;
	fd = mkostemp(made, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	fchmod(fd, 0644);
	to = fdopen(fd, "w");
	if (!to) {
		close(fd);
		unlink(made);
		return -ENOMEM;
	}
	from = open_list();
	if (from) {
		copy_others(from, to, device);
		fclose(from);
	} else {
		fputs("# What openvsl bind gave to the driver: ADDRESS VENDOR:DEVICE SERIAL\n", to);
	}
	if (add)
		fprintf(to, "%s %04x:%04x %s\n", device->address, device->vendor, device->device,
			device->serial);
	return put_in_place(to, made, path, dir);
}

int listed_add(const struct listed *listed)
{
	return replace(listed, true);
}

int listed_remove(const struct listed *listed)
{
	struct listed seen;

	return listed_find(listed, &seen) >= LISTED_HERE ? replace(listed, false) : 0;
}
