// SPDX-License-Identifier: GPL-2.0-only
/*
 * inuse.c - who uses a disk or has a node open.
 *
 * A disk and its partitions are a set of names and of numbers ("259:0").  The
 * kernel's tables of mounts and of swap, and the holders of each, are compared
 * with the set.
 */
#include "inuse.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "dev.h"

#define PARTS_MAX	257	/* the disk, and as many as the kernel makes of one */

struct part {
	char name[64];
	char number[24];
};

/**
 * struct users - what is being found out
 * @part: the disk and its partitions
 * @nr: of them
 * @buf: the answer
 * @bytes: of @buf
 */
struct users {
	struct part part[PARTS_MAX];
	unsigned int nr;
	char *buf;
	size_t bytes;
};

static void add_user(struct users *users, const char *how, const char *who)
{
	size_t used = strlen(users->buf);
	char text[512];

	snprintf(text, sizeof(text), "%s%s%.400s", how, *who ? " " : "", who);
	if (!strstr(users->buf, text))
		snprintf(users->buf + used, users->bytes - used, "%s%s", used ? ", " : "", text);
}

/* ---- the disk and its partitions ------------------------------------------ */

static void add_part(struct users *users, const char *dir, const char *name)
{
	struct part *part = &users->part[users->nr];
	char path[PATH_MAX + 8];
	FILE *file;

	if (users->nr == PARTS_MAX || strlen(name) >= sizeof(part->name))
		return;
	snprintf(path, sizeof(path), "%s/dev", dir);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fscanf(file, "%23s", part->number) == 1) {
		strcpy(part->name, name);
		users->nr++;
	}
	fclose(file);
}

static void add_holders(struct users *users, const char *dir)
{
	char path[PATH_MAX + 16];
	struct dirent *entry;
	DIR *holders;

	snprintf(path, sizeof(path), "%s/holders", dir);
	holders = opendir(path);
	if (!holders)
		return;
	while ((entry = readdir(holders)))
		if (*entry->d_name != '.')
			add_user(users, "part of", entry->d_name);
	closedir(holders);
}

/* Partitions are the directories that have a number and begin with the disk's name. */
static void look_at_parts(struct users *users, const char *disk)
{
	struct dirent *entry;
	char dir[PATH_MAX];
	char path[PATH_MAX + NAME_MAX + 2];
	DIR *parts;

	snprintf(dir, sizeof(dir), "%s/sys/block/%s", dev_root(), disk);
	add_part(users, dir, disk);
	add_holders(users, dir);
	parts = opendir(dir);
	if (!parts)
		return;
	while ((entry = readdir(parts))) {
		if (strncmp(entry->d_name, disk, strlen(disk)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (strlen(path) < PATH_MAX) {
			add_part(users, path, entry->d_name);
			add_holders(users, path);
		}
	}
	closedir(parts);
}

static bool is_named(const struct users *users, const char *node)
{
	unsigned int i;

	if (strncmp(node, "/dev/", 5))
		return false;
	for (i = 0; i < users->nr; i++)
		if (!strcmp(users->part[i].name, node + 5))
			return true;
	return false;
}

static bool is_numbered(const struct users *users, const char *number)
{
	unsigned int i;

	for (i = 0; i < users->nr; i++)
		if (!strcmp(users->part[i].number, number))
			return true;
	return false;
}

/* ---- the kernel's tables -------------------------------------------------- */

static FILE *open_table(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", dev_root(), name);
	return fopen(path, "re");
}

/* "36 35 98:0 /root /srv rw - ext4 /dev/sda1 rw"; optional fields come before the "-". */
static void look_at_mounts(struct users *users)
{
	FILE *file = open_table("/proc/self/mountinfo");
	char *line = NULL;
	size_t bytes = 0;

	if (!file)
		return;
	while (getline(&line, &bytes, file) >= 0) {
		char *rest = strstr(line, " - ");
		char source[PATH_MAX] = "";
		char number[24];
		char where[PATH_MAX];

		if (sscanf(line, "%*d %*d %23s %*s %4095s", number, where) != 2)
			continue;
		if (rest && sscanf(rest, " - %*s %4095s", source) != 1)
			*source = '\0';
		if (is_numbered(users, number) || is_named(users, source))
			add_user(users, "mounted on", where);
	}
	free(line);
	fclose(file);
}

static void look_at_swaps(struct users *users)
{
	FILE *file = open_table("/proc/swaps");
	char *line = NULL;
	size_t bytes = 0;

	if (!file)
		return;
	while (getline(&line, &bytes, file) >= 0) {
		line[strcspn(line, " \t\n")] = '\0';
		if (is_named(users, line))
			add_user(users, "used as swap", "");
	}
	free(line);
	fclose(file);
}

void inuse_disk(const char *disk, char *buf, size_t bytes)
{
	struct users *users = calloc(1, sizeof(*users));

	*buf = '\0';
	if (!users) {
		snprintf(buf, bytes, "not known for want of memory");
		return;
	}
	users->buf = buf;
	users->bytes = bytes;
	look_at_parts(users, disk);
	look_at_mounts(users);
	look_at_swaps(users);
	free(users);
}

/* ---- open nodes ----------------------------------------------------------- */

static bool has_open(const char *process, const char *node)
{
	char path[PATH_MAX];
	char link[PATH_MAX];
	size_t bytes = strlen(node);
	struct dirent *entry;
	bool found = false;
	ssize_t len;
	DIR *fds;

	snprintf(path, sizeof(path), "%s/proc/%.32s/fd", dev_root(), process);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		len = readlinkat(dirfd(fds), entry->d_name, link, sizeof(link) - 1);
		link[len < 0 ? 0 : len] = '\0';
		found = !strncmp(link, node, bytes) && (!link[bytes] || link[bytes] == 'p');
	}
	closedir(fds);
	return found;
}

long inuse_node(const char *node)
{
	char path[PATH_MAX];
	struct dirent *entry;
	long found = 0;
	DIR *processes;

	snprintf(path, sizeof(path), "%s/proc", dev_root());
	processes = opendir(path);
	if (!processes)
		return 0;
	while (!found && (entry = readdir(processes)))
		if (isdigit((unsigned char)*entry->d_name) && atol(entry->d_name) != getpid() &&
		    has_open(entry->d_name, node))
			found = atol(entry->d_name);
	closedir(processes);
	return found;
}
