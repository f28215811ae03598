// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_check.c - openvsl check: what is on a card's image, and whether it is sound.
 *
 * The core that serves a card in the kernel serves it here, from a file that is
 * mapped for reading; nothing is written anywhere.  A simulated card gives its image
 * first, into a file without a name.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cmd.h"
#include "err.h"
#include "image.h"
#include "image_copy.h"
#include "name.h"
#include "progress.h"
#include "stop.h"

#define CANNOT_CHECK	"cannot check"

enum {
	OPT_DATA = 256,
	OPT_JSON,
};

static const struct opt opts[] = {
	{ OPT_DATA, "data", NULL, "read all data, too, and compare it with its checksums" },
	{ OPT_JSON, "json", NULL, "print a JSON document" },
	{ 'q', "quiet", NULL, "print only what was found, and no progress" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_image[] = {
	{ EBADMSG, RC_IMAGE, "it is damaged: a checksum of its tables does not match" },
	{ EINVAL, RC_IMAGE, "it is damaged: it says that it is a card that cannot be" },
	{ EINTR, RC_STOPPED, "stopped; nothing was changed" },
	{ 0, RC_FAILED, NULL },
};

/**
 * struct request - what was asked for
 * @name: as typed
 * @data: read all data
 * @json: print JSON
 * @quiet: print little
 */
struct request {
	const char *name;
	bool data;
	bool json;
	bool quiet;
};

/* ---- while it is running -------------------------------------------------- */

static bool stop(void *ctx)
{
	(void)ctx;
	return stop_asked();
}

static void show(void *ctx, unsigned int permille)
{
	progress_show(ctx, permille);
}

/* What is mapped cannot be read: the file has become shorter, or its disk failed. */
static void cannot_read(int sig)
{
	static const char text[] = "openvsl: cannot check: the file cannot be read to its end\n";
	ssize_t done = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)sig;
	(void)done;
	_exit(RC_FAILED);
}

static void progress_start(struct check *check, struct progress *progress,
			   const struct request *request, const char *doing)
{
	*progress = (struct progress) {
		.name = request->name,
		.doing = doing,
		.hidden = request->json || request->quiet,
		.shown = -1,
	};
	check->progress = show;
	check->ctx = progress;
}

/* ---- the check ------------------------------------------------------------ */

static int exit_status(const struct check *check)
{
	if (check->worst == CHECK_BAD_IMAGE)
		return RC_IMAGE;
	switch (check->state) {
	case CHECK_UNFORMATTED:
		return RC_STATE;
	case CHECK_FUTURE:
	case CHECK_PAST:
	case CHECK_FOREIGN:
		return RC_FOREIGN;
	case CHECK_NO_ROOT:
	case CHECK_REFUSED:
		return RC_DAMAGED;
	case CHECK_ATTACHED:
		break;
	}
	if (check->worst == CHECK_DAMAGE)
		return RC_UNHEALTHY;
	return check->worst == CHECK_BROKEN ? RC_DAMAGED : RC_DONE;
}

static int look(struct check *check, const struct request *request)
{
	struct progress progress;
	int err;

	progress_start(check, &progress, request, "reading the image");
	err = check_open(check);
	progress_end(&progress);
	if (!err)
		err = check_roots(check);
	progress_start(check, &progress, request, "attaching");
	if (!err && check->state == CHECK_ATTACHED)
		err = check_attach(check);
	progress_end(&progress);
	progress_start(check, &progress, request, "reading the data");
	if (!err && check->state == CHECK_ATTACHED && request->data)
		err = check_data(check);
	progress_end(&progress);
	return err;
}

static int check_mapped(const unsigned char *image, unsigned long long bytes,
			const struct request *request)
{
	struct check *check = calloc(1, sizeof(*check));
	int err;
	int rc;

	if (!check)
		return fail_errno(NULL, -ENOMEM, request->name, CANNOT_CHECK);
	check->image = image;
	check->bytes = bytes;
	check->stop = stop;
	err = look(check, request);
	rc = err ? fail_errno(why_image, err, request->name, CANNOT_CHECK) : exit_status(check);
	if (!err && request->json)
		check_json(check, request->name, rc);
	else if (!err)
		check_text(check, request->name, request->quiet);
	check_close(check);
	free(check);
	return rc;
}

static int check_file(int fd, unsigned long long bytes, const struct request *request)
{
	size_t have = bytes < IMAGE_BLOCK_BYTES ? bytes : IMAGE_BLOCK_BYTES;
	unsigned char *image;
	int rc;

	/* An empty file cannot be mapped. */
	if (!bytes)
		return image_check(request->name, NULL, 0, 0, NULL, CANNOT_CHECK);
	image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return fail(RC_FAILED, request->name, CANNOT_CHECK, "%s", strerror(errno));
	signal(SIGBUS, cannot_read);
	rc = image_check(request->name, image, have, bytes, NULL, CANNOT_CHECK);
	if (!rc)
		rc = check_mapped(image, bytes, request);
	munmap(image, bytes);
	return rc;
}

/* ---- cards ---------------------------------------------------------------- */

/* A file that nobody else sees, and that goes with its descriptor.  Return: or -errno */
static int open_unnamed(void)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (asprintf(&path, "%s/openvsl.XXXXXX", dir) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	free(path);
	return fd;
}

static int check_card(struct card *card, const struct request *request)
{
	struct image_copy copy = { .card = card, .path = card->name };
	struct stat st;
	int rc;

	if (!(card->info.flags & OPENVSL_INFO_VIRTUAL) &&
	    card->info.state != OPENVSL_STATE_ATTACHED)
		return fail(RC_FOREIGN, card->name, CANNOT_CHECK,
			    "it is not a simulated card, and others give no image yet");
	if (card->info.state == OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, card->name, CANNOT_CHECK,
			    "it is in use as /dev/%s; detach it first (fio-detach /dev/%s)",
			    card->info.disk, card->name);
	rc = image_copy_init(&copy, "fetching the image", request->json || request->quiet,
			     CANNOT_CHECK);
	if (rc)
		return rc;
	copy.fd = open_unnamed();
	if (copy.fd < 0)
		rc = fail(RC_FAILED, card->name, CANNOT_CHECK,
			  "no room for its image (TMPDIR or /var/tmp): %s", strerror(-copy.fd));
	if (!rc)
		rc = image_copy_save(&copy, CANNOT_CHECK);
	progress_end(&copy.progress);
	free(copy.buf);
	if (!rc && fstat(copy.fd, &st))
		rc = fail(RC_FAILED, card->name, CANNOT_CHECK, "%s", strerror(errno));
	if (!rc)
		rc = check_file(copy.fd, st.st_size, request);
	if (copy.fd >= 0)
		close(copy.fd);
	return rc;
}

static int check_named_card(char *name, const struct request *request)
{
	struct driver driver;
	struct cards cards;
	int rc;

	rc = cards_open_named(&cards, &driver, &name, 1, CANNOT_CHECK);
	if (rc)
		return rc;
	rc = check_card(&cards.card[0], request);
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

/* ---- the command ---------------------------------------------------------- */

static int check_path(const struct request *request)
{
	unsigned long long bytes;
	struct stat st;
	int fd;
	int rc;

	if (!stat(request->name, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode)))
		return fail(RC_FOREIGN, request->name, CANNOT_CHECK,
			    "it is not a card of this driver");
	rc = image_open(request->name, CANNOT_CHECK, &fd, &bytes);
	if (rc)
		return rc;
	rc = check_file(fd, bytes, request);
	close(fd);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { .name = NULL };
	struct name name;
	const char *arg;
	int id;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		request.data |= id == OPT_DATA;
		request.json |= id == OPT_JSON;
		request.quiet |= id == 'q';
	}
	if (argc - optind != 1)
		return opt_misuse(self, "it takes one image or card");
	request.name = argv[optind];
	if (!*request.name)
		return opt_misuse(self, "the file's name is empty");
	stop_catch();
	name_parse(request.name, &name);
	if (name.kind != NAME_OTHER)
		return check_named_card(argv[optind], &request);
	return check_path(&request);
}

const struct command cmd_check = {
	.name = "check",
	.operands = "IMAGE|DEVICE",
	.summary = "Tell what is on the image of a card, and whether it is sound",
	.opts = opts,
	.run = run,
};
