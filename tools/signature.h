/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signature.h - what a disk carries, told by the marks that others leave on it.
 */
#ifndef VSL_TOOLS_SIGNATURE_H
#define VSL_TOOLS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#define SIGNATURE_BLOCK_BYTES	4096u
#define SIGNATURES_MAX		12
#define SIGNATURES_TEXT		512	/* enough for signatures_text() of all there are */

/**
 * struct signature_disk - a disk to be looked at
 * @bytes: its size
 * @read: block @nr of 4096 bytes into @block; what is behind the disk's end is
 *	zero.  Return: 0, -ENODATA never written, or another -errno.
 * @ctx: of @read
 */
struct signature_disk {
	unsigned long long bytes;
	int (*read)(void *ctx, unsigned long long nr, unsigned char *block);
	void *ctx;
};

/**
 * struct signatures - what was found
 * @nr: how many, each once
 * @name: "an ext4 file system"
 * @is_ours: a format of OpenVSL is on it; not among the names
 */
struct signatures {
	unsigned int nr;
	const char *name[SIGNATURES_MAX];
	bool is_ours;
};

/**
 * signatures_find() - look at the places where marks are
 * @disk: the disk
 * @found: the answer, as far as the disk can be read
 *
 * Return: 0, or the first -errno of a read.
 */
int signatures_find(const struct signature_disk *disk, struct signatures *found);

/**
 * signatures_text() - "a GPT partition table and an ext4 file system"
 * @found: of signatures_find()
 * @buf: the answer, empty if nothing was found
 * @bytes: of it
 */
const char *signatures_text(const struct signatures *found, char *buf, size_t bytes);

#endif /* VSL_TOOLS_SIGNATURE_H */
