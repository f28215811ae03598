/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inuse.h - who uses a disk or has a node open.
 */
#ifndef VSL_TOOLS_INUSE_H
#define VSL_TOOLS_INUSE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * inuse_disk() - who uses a disk or one of its partitions
 * @disk: "nvme0n1"
 * @buf: for people: "mounted on /srv, swap, part of md0"; "" if nobody is found
 * @bytes: of @buf
 *
 * Mounts are found by device number and by name, for some file systems have
 * numbers of their own.  What is found nowhere may still be in use: only an
 * exclusive open tells.
 */
void inuse_disk(const char *disk, char *buf, size_t bytes);

/**
 * inuse_node() - a process that has a node open, this one aside
 * @node: "/dev/fct0", "/dev/nvme0n1"; also its partitions
 *
 * Return: its number, 0 if there is none or it cannot be seen.
 */
long inuse_node(const char *node);

#endif /* VSL_TOOLS_INUSE_H */
