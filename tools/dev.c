// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - the driver's nodes and what sysfs and /proc add to them.
 *
 * No word is printed here and nothing is judged: failures go up as -errno.
 * A node is believed only if it is a character device; whether it is ours,
 * card.c finds out by asking the driver which cards exist before it asks the
 * node anything, since an ioctl sent to a stranger could do harm.
 */
#include "dev.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#include <dirent.h>
#include <limits.h>

static int open_node(const char *path)
{
	struct stat st;
	int fd;

	fd = open(path, O_RDWR | O_CLOEXEC);
	/* Reading a card's status needs no right to write. */
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISCHR(st.st_mode))
		return fd;
	close(fd);
	return -ENOTTY;
}

int dev_open_driver(void)
{
	return open_node("/dev/" OPENVSL_NODE);
}

int dev_open_card(unsigned int card)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/fct%u", card);
	return open_node(path);
}

void dev_close(int fd)
{
	close(fd);
}

int dev_call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

bool dev_exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

const char *dev_resolve(const char *path, char *buf, size_t bytes)
{
	char *real = realpath(path, NULL);

	if (!real)
		return NULL;
	snprintf(buf, bytes, "%s", real);
	free(real);
	return buf;
}

/* ---- PCI ------------------------------------------------------------------ */

struct pci_path {
	char dir[64];
};

static FILE *pci_open(const struct pci_path *pci, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", pci->dir, name);
	return fopen(path, "re");
}

/* "2.5 GT/s PCIe": in thousandths of a GT/s, 0 for "Unknown". */
static unsigned int pci_speed(const struct pci_path *pci)
{
	FILE *file = pci_open(pci, "current_link_speed");
	unsigned int whole = 0;
	unsigned int tenth = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u.%1u", &whole, &tenth) < 1)
		whole = 0;
	fclose(file);
	return whole * 1000 + tenth * 100;
}

static unsigned int pci_lanes(const struct pci_path *pci)
{
	FILE *file = pci_open(pci, "current_link_width");
	unsigned int lanes = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%u", &lanes) != 1)
		lanes = 0;
	fclose(file);
	/* 63 and 255 stand for "no link" and "not known". */
	return lanes <= 32 ? lanes : 0;
}

/* Add up the lines of an AER counter file that begin with @label. */
static bool pci_counter(const struct pci_path *pci, const char *name, const char *label,
			unsigned long long *sum)
{
	FILE *file = pci_open(pci, name);
	unsigned long long count;
	char line[64];

	if (!file)
		return false;
	while (fscanf(file, "%63s %llu", line, &count) == 2)
		if (!strcmp(line, label))
			*sum += count;
	fclose(file);
	return true;
}

void dev_pci(const struct openvsl_info *info, struct dev_pci *pci)
{
	struct pci_path path;

	memset(pci, 0, sizeof(*pci));
	if (info->pci_domain == ~0u)
		return;
	snprintf(path.dir, sizeof(path.dir), "/sys/bus/pci/devices/%04x:%02x:%02x.%x",
		 info->pci_domain, info->pci_bus, info->pci_slot, info->pci_function);
	pci->lanes = pci_lanes(&path);
	pci->speed_mtps = pci_speed(&path);
	pci->counted = pci_counter(&path, "aer_dev_correctable", "TOTAL_ERR_COR",
				   &pci->correctable);
	pci_counter(&path, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", &pci->nonfatal);
	pci_counter(&path, "aer_dev_fatal", "TOTAL_ERR_FATAL", &pci->fatal);
	pci_counter(&path, "aer_dev_nonfatal", "UnsupReq", &pci->unsupported);
	pci_counter(&path, "aer_dev_fatal", "UnsupReq", &pci->unsupported);
}

/* ---- other disks, and giving them to a driver ----------------------------- */

const char *dev_root(void)
{
	return "";
}

int dev_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int dev_open_disk(const char *name, bool alone)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (alone ? O_EXCL : 0));
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISBLK(st.st_mode))
		return fd;
	close(fd);
	return -ENOTBLK;
}

/* ---- this machine --------------------------------------------------------- */

void dev_host(struct dev_host *host)
{
	struct sysinfo si;

	memset(host, 0, sizeof(*host));
	if (sysinfo(&si))
		return;
	host->ram_total = (unsigned long long)si.totalram * si.mem_unit;
	host->ram_free = (unsigned long long)si.freeram * si.mem_unit;
	host->swap_total = (unsigned long long)si.totalswap * si.mem_unit;
	host->swap_free = (unsigned long long)si.freeswap * si.mem_unit;
}

/* ---- who uses a disk ------------------------------------------------------ */

/* "fioa" and its partitions "fioa1", not "fioab". */
static bool is_part_of(const char *name, const char *disk)
{
	size_t len = strlen(disk);

	return !strncmp(name, disk, len) && strspn(name + len, "0123456789") == strlen(name + len);
}

static void add_user(char *buf, size_t bytes, const char *how, const char *who)
{
	size_t used = strlen(buf);

	snprintf(buf + used, bytes - used, "%s%s %s", used ? ", " : "", how, who);
}

/* Tables whose lines begin with a device: /proc/self/mounts, /proc/swaps. */
static void add_table_users(const char *table, const char *disk, char *buf, size_t bytes)
{
	FILE *file = fopen(table, "re");
	char line[PATH_MAX + 256];
	char where[PATH_MAX];
	char dev[256];

	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "/dev/%255s %4095s", dev, where) != 2 || !is_part_of(dev, disk))
			continue;
		if (*where == '/')
			add_user(buf, bytes, "mounted on", where);
		else
			add_user(buf, bytes, "used as", "swap");
	}
	fclose(file);
}

static void add_holders(const char *dir, char *buf, size_t bytes)
{
	DIR *holders = opendir(dir);
	struct dirent *entry;

	if (!holders)
		return;
	while ((entry = readdir(holders)))
		if (*entry->d_name != '.')
			add_user(buf, bytes, "part of", entry->d_name);
	closedir(holders);
}

void dev_users(const char *disk, char *buf, size_t bytes)
{
	struct dirent *entry;
	char dir[PATH_MAX];
	DIR *parts;

	*buf = '\0';
	add_table_users("/proc/self/mounts", disk, buf, bytes);
	add_table_users("/proc/swaps", disk, buf, bytes);
	snprintf(dir, sizeof(dir), "/sys/block/%s/holders", disk);
	add_holders(dir, buf, bytes);
	snprintf(dir, sizeof(dir), "/sys/block/%s", disk);
	parts = opendir(dir);
	if (!parts)
		return;
	while ((entry = readdir(parts))) {
		if (!is_part_of(entry->d_name, disk))
			continue;
		snprintf(dir, sizeof(dir), "/sys/block/%s/%s/holders", disk, entry->d_name);
		add_holders(dir, buf, bytes);
	}
	closedir(parts);
}
