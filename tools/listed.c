// SPDX-License-Identifier: GPL-2.0-only
/*
 * listed.c - /etc/openvsl/cards: what is bound again at boot.
 *
 * People may write in it, too: comments and what is not understood stay as they
 * are.  A change is a new file that takes the old one's place, so that a power cut
 * leaves one or the other.
 */
#include "listed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

bool listed_find(const char *address, struct listed *listed)
{
	FILE *file = open_list();
	struct listed seen;
	char *line = NULL;
	size_t bytes = 0;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &bytes, file) >= 0)
		found = parse(line, &seen) && !strcmp(seen.address, address);
	/* Not before: @address may be a part of it. */
	if (found)
		*listed = seen;
	free(line);
	fclose(file);
	return found;
}

/* All lines but that of @address. */
static void copy_others(FILE *from, FILE *to, const char *address)
{
	struct listed listed;
	char *line = NULL;
	size_t bytes = 0;

	while (getline(&line, &bytes, from) >= 0) {
		if (parse(line, &listed) && !strcmp(listed.address, address))
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

/* @added: NULL: none is. */
static int replace(const char *address, const struct listed *added)
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
		copy_others(from, to, address);
		fclose(from);
	} else {
		fputs("# What openvsl bind gave to the driver: ADDRESS VENDOR:DEVICE SERIAL\n", to);
	}
	if (added)
		fprintf(to, "%s %04x:%04x %s\n", added->address, added->vendor, added->device,
			added->serial);
	return put_in_place(to, made, path, dir);
}

int listed_add(const struct listed *listed)
{
	return replace(listed->address, listed);
}

int listed_remove(const char *address)
{
	struct listed listed;

	return listed_find(address, &listed) ? replace(address, NULL) : 0;
}
