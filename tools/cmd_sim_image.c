// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_sim_image.c - openvsl sim save and load: a simulated card's flash as a
 * file.
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
#include "image_copy.h"
#include "progress.h"
#include "state.h"
#include "stop.h"

#define CANNOT_SAVE	"cannot save"
#define CANNOT_LOAD	"cannot load"

static const struct opt opts[] = {
	{ 'q', "quiet", NULL, "print nothing but errors" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_image[] = {
	{ EBADMSG, RC_IMAGE, "it is damaged: a checksum does not match" },
	{ EINVAL, RC_IMAGE, "it is damaged: it does not end where its header says" },
	{ 0, RC_FAILED, NULL },
};

/* ---- save ----------------------------------------------------------------- */

static int save_to_place(struct image_copy *copy, const char *place)
{
	char *temporary;
	mode_t mask;
	int rc;

	if (asprintf(&temporary, "%s.XXXXXX", place) < 0)
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
	rc = image_copy_save(copy, CANNOT_SAVE);
	progress_end(&copy->progress);
	if (close(copy->fd) && !rc)
		rc = fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (!rc && rename(temporary, place))
		rc = fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (rc)
		unlink(temporary);
	free(temporary);
	return rc;
}

/* Find @place, links followed; what is there already must be a file. */
static int find_place(struct image_copy *copy, char **place)
{
	struct stat st;

	*place = realpath(copy->path, NULL);
	if (!*place && errno != ENOENT)
		return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (!*place && !lstat(copy->path, &st))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "it is a symbolic link that leads nowhere");
	if (!*place) {
		*place = strdup(copy->path);
		return *place ? RC_DONE : fail_errno(NULL, -ENOMEM, NULL, CANNOT_SAVE);
	}
	if (stat(*place, &st))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "it is a directory; name a file in it");
	if (!S_ISREG(st.st_mode))
		return fail(RC_FAILED, copy->path, CANNOT_SAVE,
			    "something is there that is not a file, and stays");
	return RC_DONE;
}

static int save(struct image_copy *copy)
{
	char *place = NULL;
	int rc = find_place(copy, &place);

	if (!rc)
		rc = save_to_place(copy, place);
	free(place);
	return rc;
}

/* ---- load ----------------------------------------------------------------- */

/* Return: bytes, fewer only at the end of the file; -errno */
static ssize_t read_piece(int fd, unsigned char *buf, off_t offset)
{
	size_t have = 0;
	ssize_t done;

	while (have < IMAGE_PIECE_BYTES) {
		done = pread(fd, buf + have, IMAGE_PIECE_BYTES - have, offset + have);
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

static int load_piece(struct image_copy *copy, unsigned long long offset,
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
	err = image_copy_call(copy, true, offset, have);
	if (err == -EBUSY || err == -EOPNOTSUPP)
		return fail_errno(why_image_card, err, copy->card->name, CANNOT_LOAD);
	if (err)
		return fail_errno(why_image, err, copy->path, CANNOT_LOAD);
	return RC_DONE;
}

static int load_pieces(struct image_copy *copy, unsigned long long file_bytes)
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
		image_copy_show(copy, offset);
	} while (copy->arg.bytes && offset < copy->arg.total_bytes);
	if (offset != copy->arg.total_bytes)
		return fail(RC_FAILED, copy->card->name, CANNOT_LOAD,
			    "the driver did not take all of the image");
	return RC_DONE;
}

static int load(struct image_copy *copy)
{
	unsigned long long bytes;
	int rc;

	rc = image_open(copy->path, CANNOT_LOAD, &copy->fd, &bytes);
	if (rc)
		return rc;
	rc = load_pieces(copy, bytes);
	progress_end(&copy->progress);
	close(copy->fd);
	return rc;
}

/* ---- both ----------------------------------------------------------------- */

static int copy_image(char **names, bool quiet, const char *what,
		      int (*run)(struct image_copy *copy))
{
	struct image_copy copy = { .path = names[1] };
	struct driver driver;
	struct cards cards;
	int rc;

	rc = cards_open_named(&cards, &driver, names, 1, what);
	if (rc)
		return rc;
	copy.card = &cards.card[0];
	stop_catch();
	rc = image_copy_init(&copy, run == save ? "saving" : "loading", quiet, what);
	if (!rc)
		rc = run(&copy);
	free(copy.buf);
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

static int run_copy(const struct command *self, int argc, char **argv, const char *what,
		    int (*run)(struct image_copy *copy))
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
