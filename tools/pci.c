// SPDX-License-Identifier: GPL-2.0-only
/*
 * pci.c - PCI devices as sysfs shows them: their driver, disks and cards.
 *
 * A disk or a card belongs to a device when its directory lies below the device's.
 * Names in sysfs are made by drivers: one that does not fit is an error, not half
 * a name, for "nobody uses this disk" must be true of all disks.
 */
#include "pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "dev.h"

#define CLASS_NVME	0x010802
#define VENDOR_FUSION	0x1aed

static const struct {
	unsigned int vendor;
	unsigned int device;
} open_channel[] = {
	{ 0x1d1d, 0x1f1f },
	{ 0x1d1d, 0x2807 },
	{ 0x1d1d, 0x2601 },
};

/* A path below the root of this machine. */
__printf(2, 3)
static bool path_make(char *path, const char *fmt, ...)
{
	size_t used = snprintf(path, PATH_MAX, "%s", dev_root());
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(path + used, PATH_MAX - used, fmt, ap);
	va_end(ap);
	return len >= 0 && used + len < PATH_MAX;
}

/* The first line of an attribute, without blanks at its ends. */
static bool attr_read(const char *path, char *buf, size_t bytes)
{
	FILE *file = fopen(path, "re");
	size_t len;

	*buf = '\0';
	if (!file)
		return false;
	if (!fgets(buf, bytes, file))
		*buf = '\0';
	fclose(file);
	for (len = strlen(buf); len && isspace((unsigned char)buf[len - 1]); len--)
		buf[len - 1] = '\0';
	return true;
}

/* ---- addresses ------------------------------------------------------------ */

/* So many hexadecimal digits, then @end.  Return: what follows, or NULL. */
static const char *take_hex(const char *text, size_t least, size_t most, char end,
			    unsigned long *value)
{
	size_t len = strspn(text, "0123456789abcdefABCDEF");

	if (len < least || len > most || text[len] != end)
		return NULL;
	*value = strtoul(text, NULL, 16);
	return text + len + 1;
}

bool pci_parse(const char *text, char *address)
{
	unsigned long domain = 0;
	unsigned long bus, slot, function;
	const char *at = take_hex(text, 4, 8, ':', &domain);

	at = take_hex(at ? at : text, 2, 2, ':', &bus);
	if (at)
		at = take_hex(at, 2, 2, '.', &slot);
	if (!at || !take_hex(at, 1, 1, '\0', &function) || slot > 31 || function > 7)
		return false;
	snprintf(address, PCI_ADDRESS, "%04lx:%02lx:%02lx.%lx", domain, bus, slot, function);
	return true;
}

/* ---- devices -------------------------------------------------------------- */

static unsigned int read_id(const struct pci_device *pci, const char *name)
{
	char path[PATH_MAX + 64];
	char text[32];

	snprintf(path, sizeof(path), "%s/%s", pci->dir, name);
	return attr_read(path, text, sizeof(text)) ? strtoul(text, NULL, 16) : 0;
}

static enum pci_kind kind_of(unsigned int vendor, unsigned int device, unsigned int class)
{
	size_t i;

	if (vendor == VENDOR_FUSION)
		return PCI_FUSION_IO;
	for (i = 0; i < ARRAY_SIZE(open_channel); i++)
		if (open_channel[i].vendor == vendor && open_channel[i].device == device)
			return PCI_OPEN;
	return class == CLASS_NVME ? PCI_NVME : PCI_OTHER;
}

void pci_refresh_driver(struct pci_device *pci)
{
	char path[PATH_MAX + 64];
	char link[PATH_MAX];
	const char *name;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/driver", pci->dir);
	len = readlink(path, link, sizeof(link) - 1);
	link[len < 0 ? 0 : len] = '\0';
	name = strrchr(link, '/');
	snprintf(pci->driver, sizeof(pci->driver), "%.*s", PCI_NAME - 1, name ? name + 1 : link);
}

int pci_open(struct pci_device *pci, const char *address)
{
	char path[PATH_MAX];
	char *dir;

	memset(pci, 0, sizeof(*pci));
	snprintf(pci->address, sizeof(pci->address), "%s", address);
	if (!path_make(path, "/sys/bus/pci/devices/%s", address))
		return -ENAMETOOLONG;
	dir = realpath(path, NULL);
	if (!dir)
		return -errno;
	snprintf(pci->dir, sizeof(pci->dir), "%s", dir);
	free(dir);
	pci->vendor = read_id(pci, "vendor");
	pci->device = read_id(pci, "device");
	pci->kind = kind_of(pci->vendor, pci->device, read_id(pci, "class"));
	pci_refresh_driver(pci);
	return 0;
}

bool pci_driver_there(const char *driver)
{
	char path[PATH_MAX];

	return path_make(path, "/sys/bus/pci/drivers/%s", driver) && !access(path, F_OK);
}

/* ---- names ---------------------------------------------------------------- */

static int names_add(struct pci_names *names, const char *name)
{
	unsigned int i;
	void *more;

	for (i = 0; i < names->nr; i++)
		if (!strcmp(names->name[i], name))
			return 0;
	if (strlen(name) >= PCI_NAME)
		return -ENAMETOOLONG;
	more = realloc(names->name, (names->nr + 1) * sizeof(*names->name));
	if (!more)
		return -ENOMEM;
	names->name = more;
	strcpy(names->name[names->nr++], name);
	return 0;
}

void pci_names_free(struct pci_names *names)
{
	free(names->name);
	memset(names, 0, sizeof(*names));
}

const char *pci_names_text(const struct pci_names *names, char *buf, size_t bytes)
{
	size_t used = 0;
	unsigned int i;

	*buf = '\0';
	for (i = 0; i < names->nr && used < bytes; i++)
		used += snprintf(buf + used, bytes - used, "%s%s", i ? ", " : "", names->name[i]);
	return buf;
}

/**
 * each_entry() - call @take for all entries of a directory, sorted
 *
 * A directory that is not there has none.  Return: 0, or the first error.
 */
static int each_entry(const char *dir, int (*take)(void *arg, const char *dir, const char *name),
		      void *arg)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int err = 0;
	int nr;
	int i;

	if (!path_make(path, "%s", dir))
		return -ENAMETOOLONG;
	nr = scandir(path, &entries, NULL, alphasort);
	if (nr < 0)
		return errno == ENOENT ? 0 : -errno;
	for (i = 0; i < nr; i++) {
		if (*entries[i]->d_name != '.' && !err)
			err = take(arg, path, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

struct below {
	const struct pci_device *pci;
	struct pci_names *names;
};

/* A path's hidden disk "nvme0c3n1" stands for the disk "nvme0n1". */
static bool is_path(const char *name, char *disk, size_t bytes)
{
	unsigned int subsystem, controller, space;
	int end = 0;

	if (sscanf(name, "nvme%uc%un%u%n", &subsystem, &controller, &space, &end) != 3 ||
	    name[end])
		return false;
	snprintf(disk, bytes, "nvme%un%u", subsystem, space);
	return true;
}

static int take_below(void *arg, const char *dir, const char *name)
{
	const struct below *below = arg;
	size_t len = strlen(below->pci->dir);
	char path[PATH_MAX + NAME_MAX + 2];
	char disk[PCI_NAME];
	char *real;
	int err = 0;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	real = realpath(path, NULL);
	if (!real)
		return errno == ENOENT ? 0 : -errno;	/* it has gone meanwhile */
	if (!strncmp(real, below->pci->dir, len) && real[len] == '/')
		err = names_add(below->names, is_path(name, disk, sizeof(disk)) ? disk : name);
	free(real);
	return err;
}

int pci_disks(const struct pci_device *pci, struct pci_names *names)
{
	struct below below = { pci, names };

	memset(names, 0, sizeof(*names));
	return each_entry("/sys/block", take_below, &below);
}

int pci_cards(const struct pci_device *pci, struct pci_names *names)
{
	struct below below = { pci, names };

	memset(names, 0, sizeof(*names));
	return each_entry("/sys/class/openvsl", take_below, &below);
}

static int take_candidate(void *arg, const char *dir, const char *name)
{
	struct pci_device pci;

	(void)dir;
	if (pci_open(&pci, name) || pci.kind == PCI_OTHER)
		return 0;
	return names_add(arg, name);
}

int pci_candidates(struct pci_names *names)
{
	memset(names, 0, sizeof(*names));
	return each_entry("/sys/bus/pci/devices", take_candidate, names);
}

/* ---- what drivers tell ---------------------------------------------------- */

/* An attribute of a controller or a card; the first of the device that has it. */
struct sought {
	const struct pci_device *pci;
	const char *attr;
	char *buf;
	size_t bytes;
};

static int take_attr(void *arg, const char *dir, const char *name)
{
	struct sought *sought = arg;
	struct pci_names names = { 0 };
	struct below below = { sought->pci, &names };
	char path[PATH_MAX + NAME_MAX + 16];
	int err = take_below(&below, dir, name);

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, sought->attr);
	if (!err && names.nr && !*sought->buf)
		attr_read(path, sought->buf, sought->bytes);
	pci_names_free(&names);
	return err;
}

void pci_serial(const struct pci_device *pci, char *buf, size_t bytes)
{
	struct sought serial = { pci, "serial", buf, bytes };
	char *at;

	*buf = '\0';
	each_entry("/sys/class/nvme", take_attr, &serial);
	each_entry("/sys/class/openvsl", take_attr, &serial);
	for (at = buf; *at; at++)
		if (isspace((unsigned char)*at))
			*at = '_';
	if (!*buf)
		snprintf(buf, bytes, "-");
}

/* The driver makes "%.17s-%u" of it (nvme_admin.c). */
bool pci_serial_fits(const char *serial, const char *card)
{
	const char *dash = strrchr(card, '-');
	size_t len = strnlen(serial, 17);

	if (!strcmp(serial, card))
		return true;
	return dash && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1) &&
	       (size_t)(dash - card) == len && !strncmp(serial, card, len);
}

bool pci_is_coming(const struct pci_device *pci)
{
	char buf[PCI_NAME] = "";
	struct sought state = { pci, "state", buf, sizeof(buf) };

	each_entry("/sys/class/nvme", take_attr, &state);
	return !strcmp(buf, "new") || !strcmp(buf, "connecting") || !strcmp(buf, "resetting");
}

/* ---- giving it to a driver ------------------------------------------------ */

static int write_attr(const struct pci_device *pci, const char *name, const char *text)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", pci->dir, name);
	return dev_write(path, text);
}

void pci_override(const struct pci_device *pci, char *buf, size_t bytes)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/driver_override", pci->dir);
	if (!attr_read(path, buf, bytes) || !strcmp(buf, "(null)"))
		*buf = '\0';
}

int pci_set_override(const struct pci_device *pci, const char *driver)
{
	/* A write of no bytes would not get to the kernel. */
	return write_attr(pci, "driver_override", *driver ? driver : "\n");
}

int pci_unbind(struct pci_device *pci)
{
	int err = *pci->driver ? write_attr(pci, "driver/unbind", pci->address) : 0;

	pci_refresh_driver(pci);
	return err;
}

void pci_probe(struct pci_device *pci)
{
	char path[PATH_MAX];

	/* Its answer says little: who has the device afterwards says all. */
	if (path_make(path, "/sys/bus/pci/drivers_probe"))
		dev_write(path, pci->address);
	pci_refresh_driver(pci);
}
