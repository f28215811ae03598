// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_copy.c - a simulated card's image out of the driver and into a file, in
 * pieces of 1 MiB.  Blocks of zeros become holes.
 */
#include "image_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "stop.h"

const struct why why_image_card[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EBUSY, RC_STATE, "it is attached or busy; detach it first (fio-detach)" },
	{ EINVAL, RC_STATE, "it has changed meanwhile; leave it alone and try again" },
	{ 0, RC_FAILED, NULL },
};

int image_copy_init(struct image_copy *copy, const char *doing, bool quiet, const char *what)
{
	const struct openvsl_info *info = &copy->card->info;
	const char *name = copy->card->name;

	copy->progress = (struct progress) {
		.name = name,
		.doing = doing,
		.hidden = quiet,
		.shown = -1,
	};
	if (!(info->flags & OPENVSL_INFO_VIRTUAL))
		return fail_errno(why_image_card, -EOPNOTSUPP, name, what);
	if (info->state == OPENVSL_STATE_ERROR)
		return fail(RC_STATE, name, what,
			    "it has no power; switch it on first (openvsl sim power %s)", name);
	if (info->state == OPENVSL_STATE_ATTACHED)
		return fail_errno(why_image_card, -EBUSY, name, what);
	copy->buf = aligned_alloc(IMAGE_BLOCK_BYTES, IMAGE_PIECE_BYTES);
	return copy->buf ? RC_DONE : fail_errno(NULL, -ENOMEM, NULL, what);
}

int image_copy_call(struct image_copy *copy, bool write, unsigned long long offset,
		    unsigned int bytes)
{
	copy->arg = (struct openvsl_sim_image) {
		.size = sizeof(copy->arg),
		.write = write,
		.offset = offset,
		.buf = (unsigned long)copy->buf,
		.bytes = bytes,
	};
	return dev_call(copy->card->fd, OPENVSL_IOC_SIM_IMAGE, &copy->arg);
}

void image_copy_show(struct image_copy *copy, unsigned long long done)
{
	unsigned long long total = copy->arg.total_bytes;

	if (total)
		progress_show(&copy->progress,
			      done < total ? done / 1024 * 1000 / (total / 1024 + 1) : 1000);
}

static bool is_zero(const unsigned char *block, size_t bytes)
{
	return !*block && !memcmp(block, block + 1, bytes - 1);
}

static int write_all(int fd, const unsigned char *buf, size_t bytes, off_t offset)
{
	ssize_t done;

	for (; bytes; buf += done, bytes -= done, offset += done) {
		done = pwrite(fd, buf, bytes, offset);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done < 0)
			return -errno;
	}
	return 0;
}

static int write_sparse(int fd, const unsigned char *buf, size_t bytes, off_t offset)
{
	size_t at;
	size_t len;
	int err;

	for (at = 0; at < bytes; at += len) {
		len = bytes - at < IMAGE_BLOCK_BYTES ? bytes - at : IMAGE_BLOCK_BYTES;
		if (is_zero(buf + at, len))
			continue;
		err = write_all(fd, buf + at, len, offset + at);
		if (err)
			return err;
	}
	return 0;
}

int image_copy_save(struct image_copy *copy, const char *what)
{
	unsigned long long offset = 0;
	int err;

	do {
		if (stop_asked())
			return fail(RC_STOPPED, copy->path, NULL, "stopped; nothing was saved");
		err = image_copy_call(copy, false, offset, IMAGE_PIECE_BYTES);
		if (err)
			return fail_errno(why_image_card, err, copy->card->name, what);
		err = write_sparse(copy->fd, copy->buf, copy->arg.bytes, offset);
		if (err)
			return fail(RC_FAILED, copy->path, what, "%s", strerror(-err));
		offset += copy->arg.bytes;
		image_copy_show(copy, offset);
	} while (copy->arg.bytes && offset < copy->arg.total_bytes);
	if (offset != copy->arg.total_bytes)
		return fail(RC_FAILED, copy->card->name, what,
			    "the driver ended the image early");
	if (ftruncate(copy->fd, offset) || fsync(copy->fd))
		return fail(RC_FAILED, copy->path, what, "%s", strerror(errno));
	return RC_DONE;
}
