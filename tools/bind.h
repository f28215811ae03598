/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bind.h - what the commands bind and unbind share.
 */
#ifndef VSL_TOOLS_BIND_H
#define VSL_TOOLS_BIND_H

#include "pci.h"

struct signatures;

/**
 * struct held - the disks of a device, which nobody can claim meanwhile
 * @nr: how many are open
 * @fd: of each
 */
struct held {
	unsigned int nr;
	int *fd;
};

/** bind_list() - print what could be bound, and what is.  Return: enum rc */
int bind_list(bool json);

/**
 * bind_find() - from a word of the command line to a device
 * @pci: filled in
 * @word: as typed
 * @what: "cannot bind"
 *
 * Return: RC_DONE, or another status after saying why.
 */
int bind_find(struct pci_device *pci, const char *word, const char *what);

/** bind_boot() - give a device to openvsl if it is listed.  Return: enum rc */
int bind_boot(const char *word);

/**
 * bind_check_driver() - does nobody have it, or a driver that can be asked
 * @pci: open
 * @force: any driver will do
 *
 * Return: RC_DONE, or RC_STATE after saying which has it.
 */
int bind_check_driver(const struct pci_device *pci, bool force);

/**
 * bind_check_disks() - is a device's contents nobody's
 * @pci: open
 * @contents: also refuse what carries something
 * @held: its disks; bind_release() gives them back whatever is returned
 *
 * Return: RC_DONE, or another status after saying why.
 */
int bind_check_disks(const struct pci_device *pci, bool contents, struct held *held);

/**
 * bind_check_open() - has a process a node open
 * @pci: open
 * @names: of nodes in /dev
 * @what: "cannot bind"
 *
 * Return: RC_DONE, or RC_STATE after saying which.
 */
int bind_check_open(const struct pci_device *pci, const struct pci_names *names, const char *what);

/** bind_release() - let others have the disks again */
void bind_release(struct held *held);

/**
 * bind_carries() - signatures_find() of an open disk
 * @fd: open for reading
 * @found: the answer, as far as it can be read
 *
 * Return: 0, or -errno.
 */
int bind_carries(int fd, struct signatures *found);

/** bind_take() - give a device to openvsl, or undo it.  Return: RC_DONE, or after saying why */
int bind_take(struct pci_device *pci, struct held *held, const char *serial,
	      struct pci_names *cards);

#endif /* VSL_TOOLS_BIND_H */
