// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_attach.c - openvsl attach, also known as fio-attach.
 *
 * After a clean detach it takes a moment; after a crash the driver recovers
 * what is on the card first, which takes longer and is shown as progress.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cmd.h"
#include "err.h"
#include "progress.h"
#include "size.h"
#include "state.h"
#include "stop.h"

#define WHAT	"cannot attach"

enum {
	OPT_READ_ONLY = 256,
};

static const struct opt opts[] = {
	{ 'c', "clean", NULL, "attach only if the last detach was clean" },
	{ 'r', "rescan", NULL, "read all of the log, not the saved map; not there yet" },
	{ OPT_READ_ONLY, "read-only", NULL, "never write to the card" },
	{ 'q', "quiet", NULL, "print nothing but errors" },
	{ 'Q', "quiet-progress", NULL, "print messages but no progress" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

struct request {
	unsigned int flags;
	bool quiet;
	bool no_progress;
};

static const struct why why_attach[] = {
	{ EALREADY, RC_STATE, "it is attached already" },
	{ EBUSY, RC_STATE, "another operation is under way; try again when that has ended" },
	{ ENODATA, RC_STATE, "it is not formatted; format it first (fio-format)" },
	{ EUCLEAN, RC_STATE,
	  "it was not detached cleanly; attach it without --clean to recover it" },
	{ EPROTO, RC_FOREIGN,
	  "a newer driver formatted it; update this one, or format the card again" },
	{ ESTALE, RC_FOREIGN,
	  "an older driver formatted it; attach it with that one, or format the card again" },
	{ EMEDIUMTYPE, RC_FOREIGN,
	  "its format was made for another geometry; format it again" },
	{ EIO, RC_FAILED, "its metadata cannot be read; see the kernel log" },
	{ ENOMEM, RC_FAILED, "not enough memory for its map" },
	{ EINPROGRESS, RC_STOPPED, "not waiting any longer; the driver goes on with it" },
	{ 0, RC_FAILED, NULL },
};

static int check_state(const struct card *card)
{
	const struct openvsl_info *info = &card->info;

	if (info->state == OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, card->name, WHAT, "it is attached already, as /dev/%s",
			    info->disk);
	if (state_busy(info->state))
		return fail(RC_STATE, card->name, WHAT,
			    "it is busy (%s); wait until that has ended", state_word(info->state));
	if (info->state == OPENVSL_STATE_ERROR)
		return fail(RC_STATE, card->name, WHAT, "it has failed or has no power");
	if (minimal_is_final(info))
		return fail(RC_FOREIGN, card->name, WHAT, "it is in minimal mode: %s",
			    minimal_text(info->minimal_reason));
	return RC_DONE;
}

static void say_done(struct card *card)
{
	const struct openvsl_info *info = &card->info;
	char size[SIZE_TEXT];

	if (card_refresh(card) || !*info->disk) {
		printf("%s: attached\n", card->name);
		return;
	}
	printf("%s: attached as /dev/%s, %s, in %.2f s\n", card->name, info->disk,
	       size_text(info->capacity_bytes, size, sizeof(size)), (double)info->attach_ns / 1e9);
}

/* This errno means another thing with each option. */
static int say_unsupported(const struct card *card, unsigned int flags)
{
	if (flags & OPENVSL_ATTACH_RESCAN)
		return fail(RC_FOREIGN, card->name, WHAT,
			    "reading the whole log again (-r) is not there yet; attach it without");
	if (flags & OPENVSL_ATTACH_READ_ONLY)
		return fail(RC_FOREIGN, card->name, WHAT,
			    "this card must be written to after a power cut (its blocks can only be read when more were written behind them); attach it without --read-only");
	return fail_errno(why_attach, -EOPNOTSUPP, card->name, WHAT);
}

static int attach_one(struct card *card, const struct request *request)
{
	struct openvsl_attach arg = { .size = sizeof(arg), .flags = request->flags };
	struct progress progress = {
		.name = card->name,
		.doing = "attaching",
		.hidden = request->quiet || request->no_progress,
		.shown = -1,
	};
	int err;
	int rc;

	rc = check_state(card);
	if (rc)
		return rc;
	err = progress_call(card, &progress, OPENVSL_IOC_ATTACH, &arg);
	if (err == -EOPNOTSUPP)
		return say_unsupported(card, request->flags);
	if (err)
		return fail_errno(why_attach, err, card->name, WHAT);
	if (!request->quiet)
		say_done(card);
	return RC_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { 0 };
	struct driver driver;
	struct cards cards;
	const char *arg;
	unsigned int i;
	int id;
	int rc;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		if (id == 'c')
			request.flags |= OPENVSL_ATTACH_CLEAN_ONLY;
		else if (id == 'r')
			request.flags |= OPENVSL_ATTACH_RESCAN;
		else if (id == OPT_READ_ONLY)
			request.flags |= OPENVSL_ATTACH_READ_ONLY;
		else if (id == 'q')
			request.quiet = true;
		else
			request.no_progress = true;
	}
	if (optind == argc)
		return opt_misuse(self, "which card?");
	rc = cards_open_some(&cards, &driver, argv + optind, argc - optind, WHAT);
	stop_catch();
	for (i = 0; i < cards.nr && !stop_asked(); i++)
		rc = err_first(rc, attach_one(&cards.card[i], &request));
	if (!rc && i < cards.nr)
		rc = fail(RC_STOPPED, cards.card[i].name, NULL, "stopped before it was attached");
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

const struct command cmd_attach = {
	.name = "attach",
	.alias = "fio-attach",
	.operands = "DEVICE...",
	.summary = "Make the disks of formatted cards appear (/dev/fioa ...)",
	.opts = opts,
	.run = run,
};
