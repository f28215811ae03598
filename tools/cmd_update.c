// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_update.c - openvsl update, also known as fio-update-iodrive.
 *
 * Gives a card another firmware.  What is in the file is between its maker and the
 * card: nothing is read in it.  The card must be named, and everything that can be
 * known is checked before it is asked to take anything.
 *
 * Options of the original that have no meaning here are refused one by one, for a script
 * that uses one wants something that will not happen.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "cmd.h"
#include "err.h"
#include "progress.h"
#include "state.h"
#include "stop.h"

#define WHAT		"cannot update"
#define BYTES_MAX	(64u << 20)

enum {
	OPT_NOW = 256,
	OPT_ALL_YES,
	OPT_SPLIT,
	OPT_MERGE,
	OPT_BARRIER,
	OPT_UPTODATE,
};

static const struct opt opts[] = {
	{ 'd', "device", "DEVICE", "the card, where it does not stand before the file" },
	{ 'n', "slot", "NUMBER", "of the card, where the firmware goes; by default it chooses" },
	{ OPT_NOW, "now", NULL, "run it at once, not after the next reset" },
	{ 'p', "pretend", NULL, "check everything, and leave the card as it is" },
	{ 'y', "yes", NULL, "do not ask" },
	{ OPT_ALL_YES, "all-yes", NULL, "the same" },
	{ 'q', "quiet", NULL, "print nothing but errors" },
	{ 'Q', "quiet-progress", NULL, "print messages but no progress" },
	{ 'f', "force", NULL, "a firmware that the card does not want: refused" },
	{ 'l', "list", NULL, "what is in an archive, which there is none: refused" },
	{ 's', NULL, "ADDRESS", "cards by a pattern of PCI addresses: refused" },
	{ OPT_SPLIT, "split", NULL, "two controllers of one, which is not there: refused" },
	{ OPT_MERGE, "merge", NULL, "the reverse: refused" },
	{ 'c', "clear-lock", NULL, "a lock that there is none of: refused" },
	{ OPT_BARRIER, "bypass-barrier", NULL, "a check that there is none of: refused" },
	{ OPT_UPTODATE, "bypass-uptodate", NULL, "a check that there is none of: refused" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct {
	int id;
	const char *why;
} refused[] = {
	{ 'f', "the card itself decides what it takes, and cannot be forced (-f)" },
	{ 'l', "a file is one firmware and no archive that could be listed (-l)" },
	{ 's', "name the card (fio-status -L lists them), not its address (-s)" },
	{ OPT_SPLIT, "a card cannot be split into two controllers (--split)" },
	{ OPT_MERGE, "no card is split into controllers that could be merged (--merge)" },
	{ 'c', "there is no lock that could be cleared (-c)" },
	{ OPT_BARRIER, "there is no check that could be left out (--bypass-barrier)" },
	{ OPT_UPTODATE, "there is no check that could be left out (--bypass-uptodate)" },
};

struct request {
	char *device;
	const char *path;
	unsigned int slot;
	bool now;
	bool pretend;
	bool yes;
	bool quiet;
	bool no_progress;
};

/* The file, in memory. */
struct image {
	void *mem;
	size_t bytes;
};

static const struct why why_update[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it takes no firmware from a host" },
	{ ENOTTY, RC_FOREIGN, "the driver is older than this program and cannot do it" },
	{ EBUSY, RC_STATE,
	  "another operation is under way, or with --now it is attached; try again when that has ended" },
	{ ERANGE, RC_SIZE,
	  "it has no such slot, or one that cannot be written; fio-status -a shows its slots" },
	{ EBADMSG, RC_IMAGE,
	  "it says that this is no firmware for it, and keeps what it has; look for the one of its model" },
	{ EILSEQ, RC_FAILED,
	  "it still has pieces of another image, and keeps what it runs; reset it (openvsl unbind and bind), and update again" },
	{ EACCES, RC_FOREIGN,
	  "it does not allow this firmware, an older one perhaps, and keeps what it has; ask its maker for another" },
	{ EOVERFLOW, RC_STATE,
	  "it cannot run this firmware at once, for that takes too long; update without --now" },
	{ ECONNRESET, RC_FAILED, "it was reset meanwhile, and keeps what it has; update again" },
	{ ENODEV, RC_FAILED, "it is gone, or has failed; see the kernel log" },
	{ ETIME, RC_FAILED, "it does not answer; see the kernel log, and its status" },
	{ EIO, RC_FAILED, "it has failed to take it; see the kernel log" },
	{ EFAULT, RC_FAILED, "the file became shorter while it was read; update again" },
	{ EINTR, RC_STOPPED, "stopped; it keeps the firmware that it has" },
	{ EINPROGRESS, RC_STOPPED, "not waiting any longer; it may still take the firmware" },
	{ 0, RC_FAILED, NULL },
};

static int refuse_option(int id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (refused[i].id == id)
			return fail(RC_FOREIGN, NULL, WHAT, "%s", refused[i].why);
	return RC_DONE;
}

static int take_option(const struct command *self, int id, char *arg, struct request *request)
{
	switch (id) {
	case 'd':
		if (request->device)
			return opt_misuse(self, "one card at a time (-d)");
		request->device = arg;
		break;
	case 'n':
		if (strlen(arg) != 1 || *arg < '1' || *arg > '0' + OPENVSL_SLOTS)
			return opt_misuse(self, "'%s' is not a slot; they are 1 to %u", arg,
					  OPENVSL_SLOTS);
		request->slot = *arg - '0';
		break;
	case 'p':
		request->pretend = true;
		break;
	case OPT_NOW:
		request->now = true;
		break;
	case 'y':
	case OPT_ALL_YES:
		request->yes = true;
		break;
	case 'q':
		request->quiet = true;
		break;
	case 'Q':
		request->no_progress = true;
		break;
	default:
		return refuse_option(id);
	}
	return RC_DONE;
}

/* CARD FILE, or the card by an option and FILE. */
static int take_operands(const struct command *self, int nr, char **operand,
			 struct request *request)
{
	if (!request->device && nr < 2)
		return opt_misuse(self, nr ? "which card?" : "which card, and which file?");
	if (!nr)
		return opt_misuse(self, "which file?");
	if (!request->device)
		request->device = *operand++;
	else
		nr++;
	if (nr > 2)
		return opt_misuse(self, "one card at a time, and one file");
	request->path = *operand;
	return RC_DONE;
}

/* ---- the file --------------------------------------------------------------- */

static int check_file(const char *path, const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return fail(RC_IMAGE, path, WHAT, "it is not a file");
	if (!st->st_size)
		return fail(RC_IMAGE, path, WHAT, "it is empty");
	if (st->st_size % 4)
		return fail(RC_IMAGE, path, WHAT,
			    "a firmware is a multiple of 4 bytes, and this has %lld",
			    (long long)st->st_size);
	if (st->st_size > BYTES_MAX)
		return fail(RC_IMAGE, path, WHAT, "it is larger than 64 MiB");
	return RC_DONE;
}

static int open_image(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st = { .st_size = 0 };
	int rc;

	if (fd < 0)
		return fail(RC_FAILED, path, WHAT, "%s", strerror(errno));
	rc = fstat(fd, &st) ? fail(RC_FAILED, path, WHAT, "%s", strerror(errno)) :
			      check_file(path, &st);
	image->bytes = st.st_size;
	if (!rc) {
		image->mem = mmap(NULL, image->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (image->mem == MAP_FAILED)
			rc = fail(RC_FAILED, path, WHAT, "%s", strerror(errno));
	}
	close(fd);
	return rc;
}

/* ---- the card --------------------------------------------------------------- */

static int check_card(const struct card *card, const struct request *request)
{
	const struct openvsl_logs *logs = &card->logs;

	if (request->now && card->info.state == OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, card->name, WHAT,
			    "it is attached, and with --now it may pause; detach it first (fio-detach /dev/%s)",
			    card->name);
	if (state_busy(card->info.state))
		return fail(RC_STATE, card->name, WHAT,
			    "it is busy (%s); wait until that has ended",
			    state_word(card->info.state));
	if (card->info.state == OPENVSL_STATE_ERROR)
		return fail(RC_STATE, card->name, WHAT, "it has failed or has no power");
	if (!(logs->flags & OPENVSL_LOGS_UPDATE))
		return fail_errno(why_update, -EOPNOTSUPP, card->name, WHAT);
	if (request->slot > logs->slots)
		return fail(RC_SIZE, card->name, WHAT, "it has no slot %u; the last is %u",
			    request->slot, logs->slots);
	if (request->slot == 1 && logs->flags & OPENVSL_LOGS_SLOT1_FIXED)
		return fail(RC_SIZE, card->name, WHAT, "its slot 1 cannot be written");
	return RC_DONE;
}

static int ask_first(const struct card *card, const struct request *request)
{
	char question[256];

	snprintf(question, sizeof(question), "%s: it runs firmware %s, and will run what is in %.100s%s. Update?",
		 card->name, card->info.firmware, request->path,
		 request->now ? "" : " after its next reset");
	return ask(question, WHAT);
}

static void say_done(const struct card *card, unsigned int end)
{
	static const char * const when[] = {
		"when it is reset: openvsl unbind and bind, or the next start of this machine",
		"from the next start of this machine on",
		"when it has been without power: switch this machine off and on",
		"already",
	};

	/* Of what a newer driver may say the safest is that power has to go. */
	if (end >= ARRAY_SIZE(when))
		end = OPENVSL_UPDATE_AT_POWER;
	printf("%s: updated; it runs the new firmware %s\n", card->name, when[end]);
}

/* @arg: seen by the child that makes the call, and by us. */
static int give(struct card *card, const struct image *image, const struct request *request,
		struct openvsl_update *arg)
{
	struct progress progress = {
		.name = card->name,
		.doing = "updating",
		.hidden = request->quiet || request->no_progress,
		.shown = -1,
	};
	int err;

	arg->size = sizeof(*arg);
	arg->flags = request->now ? OPENVSL_UPDATE_NOW : 0;
	arg->slot = request->slot;
	arg->buf = (unsigned long)image->mem;
	arg->bytes = image->bytes;
	err = progress_call(card, &progress, OPENVSL_IOC_UPDATE, arg);
	if (err)
		return fail_errno(why_update, err, card->name, WHAT);
	if (!request->quiet)
		say_done(card, arg->end);
	return RC_DONE;
}

static int update(struct card *card, const struct image *image, const struct request *request)
{
	struct openvsl_update *arg;
	int rc = check_card(card, request);

	if (rc)
		return rc;
	if (request->pretend) {
		if (!request->quiet)
			printf("%s: could be updated; nothing was changed\n", card->name);
		return RC_DONE;
	}
	stop_catch();
	if (!request->yes)
		rc = ask_first(card, request);
	if (rc)
		return rc;
	arg = mmap(NULL, sizeof(*arg), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arg == MAP_FAILED)
		return fail_errno(NULL, -ENOMEM, NULL, WHAT);
	rc = give(card, image, request, arg);
	munmap(arg, sizeof(*arg));
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { .slot = 0 };
	struct image image = { .bytes = 0 };
	struct driver driver;
	struct cards cards;
	const char *arg;
	int id;
	int rc;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		rc = take_option(self, id, (char *)arg, &request);
		if (rc)
			return rc;
	}
	rc = take_operands(self, argc - optind, argv + optind, &request);
	if (rc)
		return rc;
	rc = open_image(request.path, &image);
	if (rc)
		return rc;
	rc = cards_open_named(&cards, &driver, &request.device, 1, WHAT);
	if (!rc) {
		rc = update(&cards.card[0], &image, &request);
		cards_close(&cards);
		driver_close(&driver);
	}
	munmap(image.mem, image.bytes);
	return rc;
}

const struct command cmd_update = {
	.name = "update",
	.alias = "fio-update-iodrive",
	.operands = "[DEVICE] FILE",
	.summary = "Give a card another firmware",
	.opts = opts,
	.run = run,
};
