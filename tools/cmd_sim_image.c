// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_sim_image.c - openvsl sim save and load: a simulated card's flash as a
 * file, in pieces of 1 MiB.
 *
 * A saved file is there whole or not at all: it is written under another name
 * beside its place, synced and renamed.  The place is where symbolic links lead,
 * and renaming would replace anything there, so only a file may be: a device
 * node is gone for good.  Blocks of zeros become holes.  A card that is loaded
 * changes with the last piece, so a bad file changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "card.h"
#include "cmd.h"
#include "err.h"
#include "image.h"
#include "progress.h"
#include "state.h"
#include "stop.h"

#define PIECE_BYTES	1048576u
#define CANNOT_SAVE	"cannot save"
#define CANNOT_LOAD	"cannot load"

static const struct opt opts[] = {
	{ 'q', "quiet", NULL, "print nothing but errors" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_card[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EBUSY, RC_STATE, "it is attached or busy; detach it first (fio-detach)" },
	{ EINVAL, RC_STATE, "it has changed meanwhile; leave it alone and try again" },
	{ 0, RC_FAILED, NULL },
};

static const struct why why_image[] = {
	{ EBADMSG, RC_IMAGE, "it is damaged: a checksum does not match" },
	{ EINVAL, RC_IMAGE, "it is damaged: it does not end where its header says" },
	{ 0, RC_FAILED, NULL },
};

/**
 * struct copy - a copy under way
 * @card: from or to it
 * @path: of the file, as typed
 * @place: of the file, links followed; save only
 * @fd: of the file
 * @arg: the ioctl's
 * @buf: PIECE_BYTES
 * @progress: how far it is
 */
struct copy {
	struct card *card;
	const char *path;
	char *place;
	int fd;
	struct openvsl_sim_image arg;
	unsigned char *buf;
	struct progress progress;
};

static int call_piece(struct copy *copy, bool write, unsigned long long offset,
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

static void show(struct copy *copy, unsigned long long done)
{
	unsigned long long total = copy->arg.total_bytes;

	if (total)
		progress_show(&copy->progress,
			      done < total ? done / 1024 * 1000 / (total / 1024 + 1) : 1000);
}

/* ---- save ----------------------------------------------------------------- */

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

static int save_pieces(struct copy *copy)
{
	unsigned long long offset = 0;
	int err;

	do {
		if (stop_asked())
			return fail(RC_STOPPED, copy->path, NULL, "stopped; nothing was saved");
		err = call_piece(copy, false, offset, PIECE_BYTES);
		if (err)
			return fail_errno(why_card, err, copy->card->name, CANNOT_SAVE);
		err = write_sparse(copy->fd, copy->buf, copy->arg.bytes, offset);
		if (err)
			return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(-err));
		offset += copy->arg.bytes;
		show(copy, offset);
	} while (copy->arg.bytes && offset < copy->arg.total_bytes);
	if (offset != copy->arg.total_bytes)
		return fail(RC_FAILED, copy->card->name, CANNOT_SAVE,
			    "the driver ended the image early");
	if (ftruncate(copy->fd, offset) || fsync(copy->fd))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	return RC_DONE;
}

static int save_to_place(struct copy *copy)
{
	char *temporary;
	mode_t mask;
	int rc;

	if (asprintf(&temporary, "%s.XXXXXX", copy->place) < 0)
		return fail_errno(NULL, -ENOMEM, NULL, CANNOT_SAVE);
	copy->fd = mkostemp(temporary, O_CLOEXEC);
	if (copy->fd < 0) {
		rc = fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
		free(temporary);
		return rc;
	}
	mask = umask(0);
	umask(mask);
	fchmod(copy->fd, 0666 & ~mask);
	rc = save_pieces(copy);
	progress_end(&copy->progress);
	if (close(copy->fd) && !rc)
		rc = fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (!rc && rename(temporary, copy->place))
		rc = fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (rc)
		unlink(temporary);
	free(temporary);
	return rc;
}

/* Find copy->place; what is there already must be a file. */
static int find_place(struct copy *copy)
{
	struct stat st;

	copy->place = realpath(copy->path, NULL);
	if (!copy->place && errno != ENOENT)
		return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (!copy->place && !lstat(copy->path, &st))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "it is a symbolic link that leads nowhere");
	if (!copy->place) {
		copy->place = strdup(copy->path);
		return copy->place ? RC_DONE : fail_errno(NULL, -ENOMEM, NULL, CANNOT_SAVE);
	}
	if (stat(copy->place, &st))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "it is a directory; name a file in it");
	if (!S_ISREG(st.st_mode))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "something is there that is not a file, and stays");
	return RC_DONE;
}

static int save(struct copy *copy)
{
	int rc = find_place(copy);

	if (!rc)
		rc = save_to_place(copy);
	free(copy->place);
	return rc;
}

/* ---- load ----------------------------------------------------------------- */

/* Return: bytes, fewer only at the end of the file; -errno */
static ssize_t read_piece(int fd, unsigned char *buf, off_t offset)
{
	size_t have = 0;
	ssize_t done;

	while (have < PIECE_BYTES) {
		done = pread(fd, buf + have, PIECE_BYTES - have, offset + have);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		if (!done)
			break;
		have += done;
	}
	return have;
}

static int load_piece(struct copy *copy, unsigned long long offset,
		      unsigned long long file_bytes)
{
	ssize_t have = read_piece(copy->fd, copy->buf, offset);
	int err;
	int rc;

	if (have < 0)
		return fail(RC_FAILED, copy->path, CANNOT_LOAD, "%s", strerror(-have));
	if (!offset) {
		rc = image_check(copy->path, copy->buf, have, file_bytes, copy->card, CANNOT_LOAD);
		if (rc)
			return rc;
	}
	if (!have || have % IMAGE_BLOCK_BYTES)
		return fail(RC_IMAGE, copy->path, CANNOT_LOAD, "it has changed meanwhile");
	err = call_piece(copy, true, offset, have);
	if (err == -EBUSY || err == -EOPNOTSUPP)
		return fail_errno(why_card, err, copy->card->name, CANNOT_LOAD);
	if (err)
		return fail_errno(why_image, err, copy->path, CANNOT_LOAD);
	return RC_DONE;
}

static int load_pieces(struct copy *copy, unsigned long long file_bytes)
{
	unsigned long long offset = 0;
	int rc;

	do {
		if (stop_asked())
			return fail(RC_STOPPED, copy->card->name, NULL,
				    "stopped; the card is unchanged");
		rc = load_piece(copy, offset, file_bytes);
		if (rc)
			return rc;
		offset += copy->arg.bytes;
		show(copy, offset);
	} while (copy->arg.bytes && offset < copy->arg.total_bytes);
	if (offset != copy->arg.total_bytes)
		return fail(RC_FAILED, copy->card->name, CANNOT_LOAD,
			    "the driver did not take all of the image");
	return RC_DONE;
}

static int load(struct copy *copy)
{
	struct stat st;
	int rc;

	copy->fd = open(copy->path, O_RDONLY | O_CLOEXEC);
	if (copy->fd < 0)
		return fail(RC_FAILED, copy->path, CANNOT_LOAD, "%s", strerror(errno));
	if (fstat(copy->fd, &st) || !S_ISREG(st.st_mode))
		rc = fail(RC_IMAGE, copy->path, CANNOT_LOAD, "it is not a file");
	else
		rc = load_pieces(copy, st.st_size);
	progress_end(&copy->progress);
	close(copy->fd);
	return rc;
}

/* ---- both ----------------------------------------------------------------- */

static int copy_image(char **names, bool quiet, const char *what, int (*run)(struct copy *copy))
{
	struct copy copy = { .path = names[1] };
	struct driver driver;
	struct cards cards;
	int rc;

	rc = cards_open_named(&cards, &driver, names, 1, what);
	if (rc)
		return rc;
	copy.card = &cards.card[0];
	copy.progress = (struct progress) {
		.name = copy.card->name,
		.doing = run == save ? "saving" : "loading",
		.hidden = quiet,
		.shown = -1,
	};
	copy.buf = aligned_alloc(IMAGE_BLOCK_BYTES, PIECE_BYTES);
	stop_catch();
	if (!copy.buf)
		rc = fail_errno(NULL, -ENOMEM, NULL, what);
	else if (!(copy.card->info.flags & OPENVSL_INFO_VIRTUAL))
		rc = fail_errno(why_card, -EOPNOTSUPP, copy.card->name, what);
	else if (copy.card->info.state == OPENVSL_STATE_ERROR)
		rc = fail(RC_STATE, copy.card->name, what,
			  "it has no power; switch it on first (openvsl sim power %s)",
			  copy.card->name);
	else if (copy.card->info.state == OPENVSL_STATE_ATTACHED)
		rc = fail_errno(why_card, -EBUSY, copy.card->name, what);
	else
		rc = run(&copy);
	free(copy.buf);
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

static int run_copy(const struct command *self, int argc, char **argv, const char *what,
		    int (*run)(struct copy *copy))
{
	bool quiet = false;
	const char *arg;
	int id;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		quiet = true;
	}
	if (argc - optind != 2)
		return opt_misuse(self, "it takes a card and a file");
	if (!*argv[optind + 1])
		return opt_misuse(self, "the file's name is empty");
	return copy_image(argv + optind, quiet, what, run);
}

static int run_save(const struct command *self, int argc, char **argv)
{
	return run_copy(self, argc, argv, CANNOT_SAVE, save);
}

static int run_load(const struct command *self, int argc, char **argv)
{
	return run_copy(self, argc, argv, CANNOT_LOAD, load);
}

const struct command cmd_sim_save = {
	.name = "sim save",
	.operands = "DEVICE FILE",
	.summary = "Write all that is on a detached simulated card to a file",
	.opts = opts,
	.run = run_save,
};

const struct command cmd_sim_load = {
	.name = "sim load",
	.operands = "DEVICE FILE",
	.summary = "Make a detached simulated card what a saved file says",
	.opts = opts,
	.run = run_load,
};
