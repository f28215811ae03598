/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - the door to the driver and to what the kernel tells of a card.
 *
 * Everything in the tools that needs a kernel is behind these functions, and
 * dev.c is the only file with their code: tests link tests/cli/fake_dev.c in
 * its place.
 */
#ifndef VSL_TOOLS_DEV_H
#define VSL_TOOLS_DEV_H

#include <stdbool.h>
#include <stddef.h>

#include "../include/uapi/openvsl.h"

/**
 * struct dev_pci - what sysfs knows of a card's PCI function
 * @lanes: negotiated, 0 if unknown
 * @speed_mtps: negotiated, million transfers a second and lane, 0 if unknown
 * @counted: the four counters below are known
 * @correctable: errors of that kind since boot
 * @nonfatal: likewise
 * @fatal: likewise
 * @unsupported: requests the card did not understand
 */
struct dev_pci {
	unsigned int lanes;
	unsigned int speed_mtps;
	bool counted;
	unsigned long long correctable;
	unsigned long long nonfatal;
	unsigned long long fatal;
	unsigned long long unsupported;
};

/** struct dev_host - memory of this machine, bytes */
struct dev_host {
	unsigned long long ram_total;
	unsigned long long ram_free;
	unsigned long long swap_total;
	unsigned long long swap_free;
};

/** dev_open_driver() - open /dev/openvsl.  Return: descriptor or -errno */
int dev_open_driver(void);

/**
 * dev_open_card() - open /dev/fctN, if it is a character device
 * @card: N
 *
 * Return: descriptor; -ENOTTY for a node that is something else, or -errno.
 */
int dev_open_card(unsigned int card);

/** dev_close() - close what the two above opened */
void dev_close(int fd);

/**
 * dev_call() - one ioctl
 * @fd: from dev_open_driver() or dev_open_card()
 * @request: OPENVSL_IOC_*
 * @arg: the structure; its size field is filled in by the caller
 *
 * Not repeated after a signal: that is how a format is stopped.
 *
 * Return: 0 or -errno.
 */
int dev_call(int fd, unsigned long request, void *arg);

/** dev_exists() - is there any file of that name */
bool dev_exists(const char *path);

/** dev_resolve() - follow symbolic links.  Return: @buf, NULL if it ends nowhere */
const char *dev_resolve(const char *path, char *buf, size_t bytes);

/** dev_pci() - fill @pci, with zeros where the kernel does not tell */
void dev_pci(const struct openvsl_info *info, struct dev_pci *pci);

/** dev_host() - fill @host, with zeros where the kernel does not tell */
void dev_host(struct dev_host *host);

/**
 * dev_users() - who keeps a disk open, as far as it can be found out
 * @disk: "fioa"
 * @buf: the answer, for people: "mounted on /srv, part of md0"; may be empty
 * @bytes: of @buf
 */
void dev_users(const char *disk, char *buf, size_t bytes);

/** dev_root() - what all paths of sysfs, /proc and /etc begin with: "" */
const char *dev_root(void);

/** dev_write() - write one value to a file of sysfs.  Return: 0 or -errno */
int dev_write(const char *path, const char *text);

/**
 * dev_open_disk() - open a disk for reading
 * @name: "nvme0n1"
 * @alone: as long as it is open nobody else may mount it or claim it
 *
 * Return: descriptor, to be closed by close(); -EBUSY: somebody has claimed it;
 * -ENOTBLK: it is no disk; or -errno.
 */
int dev_open_disk(const char *name, bool alone);

#endif /* VSL_TOOLS_DEV_H */
