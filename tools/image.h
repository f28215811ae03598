/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - what a file says of itself, by the header of an image.
 */
#ifndef VSL_TOOLS_IMAGE_H
#define VSL_TOOLS_IMAGE_H

#include "card.h"

#define IMAGE_BLOCK_BYTES	4096u

/**
 * image_check() - can this file be an image for this card
 * @path: of the file
 * @block: its first IMAGE_BLOCK_BYTES bytes, or as many as there are
 * @have: how many
 * @file_bytes: size of the file
 * @card: what it is to be loaded to; NULL: any
 * @what: for the error
 *
 * Only what the driver would refuse without telling why: it checks all of it.
 *
 * Return: RC_DONE; RC_IMAGE after saying what is wrong.
 */
int image_check(const char *path, const unsigned char *block, size_t have,
		unsigned long long file_bytes, const struct card *card, const char *what);

/**
 * image_open() - open a file for reading, and nothing but a file
 * @path: as typed
 * @what: for the error
 * @fd: the answer
 * @bytes: size of the file
 *
 * What is no file is not even opened: a FIFO would wait for ever, and a device may
 * do something.
 *
 * Return: RC_DONE, or another status after saying why.
 */
int image_open(const char *path, const char *what, int *fd, unsigned long long *bytes);

#endif /* VSL_TOOLS_IMAGE_H */
