/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image_copy.h - a simulated card's image, on its way to a file or from one.
 */
#ifndef VSL_TOOLS_IMAGE_COPY_H
#define VSL_TOOLS_IMAGE_COPY_H

#include "card.h"
#include "err.h"
#include "progress.h"

#define IMAGE_PIECE_BYTES	1048576u

/**
 * struct image_copy - a copy under way
 * @card: from or to it
 * @path: of the file, as typed; saving: for errors
 * @fd: of the file
 * @arg: the ioctl's
 * @buf: IMAGE_PIECE_BYTES
 * @progress: how far it is
 */
struct image_copy {
	struct card *card;
	const char *path;
	int fd;
	struct openvsl_sim_image arg;
	unsigned char *buf;
	struct progress progress;
};

/* What errors of OPENVSL_IOC_SIM_IMAGE say of the card. */
extern const struct why why_image_card[];

/** image_copy_call() - move one piece.  Return: 0 or -errno */
int image_copy_call(struct image_copy *copy, bool write, unsigned long long offset,
		    unsigned int bytes);

/** image_copy_show() - show how far it is; @done: bytes */
void image_copy_show(struct image_copy *copy, unsigned long long done);

/**
 * image_copy_init() - can this card's image be had, and what a copy needs
 * @copy: with @card and @path
 * @doing: for the progress
 * @quiet: show none
 * @what: for errors
 *
 * Return: RC_DONE, and copy->buf is to be freed; or another after saying why.
 */
int image_copy_init(struct image_copy *copy, const char *doing, bool quiet, const char *what);

/**
 * image_copy_save() - the whole image into copy->fd, an empty file
 * @what: for errors
 *
 * Return: RC_DONE, or another status after saying why.
 */
int image_copy_save(struct image_copy *copy, const char *what);

#endif /* VSL_TOOLS_IMAGE_COPY_H */
