// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_detach.c - openvsl detach, also known as fio-detach.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cmd.h"
#include "err.h"
#include "progress.h"
#include "state.h"
#include "stop.h"

#define WHAT	"cannot detach"

static const struct opt opts[] = {
	{ 'q', "quiet", NULL, "print nothing but errors" },
	{ 'Q', "quiet-progress", NULL, "print messages but no progress" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_detach[] = {
	{ ENOTCONN, RC_STATE, "it is not attached" },
	{ EIO, RC_FAILED, "it is detached, but not cleanly: the next attach recovers it" },
	{ EINPROGRESS, RC_STOPPED, "not waiting any longer; the driver goes on with it" },
	{ 0, RC_FAILED, NULL },
};

/* EBUSY says little: look who it is that has the disk open. */
static int say_busy(struct card *card)
{
	const char *disk = card->info.disk;
	char users[512];

	if (card_refresh(card) || card->info.state != OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, card->name, WHAT,
			    "another operation is under way; try again when that has ended");
	dev_users(disk, users, sizeof(users));
	if (*users)
		return fail(RC_STATE, card->name, WHAT,
			    "/dev/%s is in use (%s); end that first", disk, users);
	return fail(RC_STATE, card->name, WHAT,
		    "/dev/%s is in use; unmount it, or see who has it open (fuser -v /dev/%s)",
		    disk, disk);
}

static int detach_one(struct card *card, bool quiet, bool no_progress)
{
	struct openvsl_detach arg = { .size = sizeof(arg) };
	struct progress progress = {
		.name = card->name,
		.doing = "detaching",
		.hidden = quiet || no_progress,
		.shown = -1,
	};
	unsigned int state = card->info.state;
	int err;

	if (state == OPENVSL_STATE_DETACHED || state == OPENVSL_STATE_MINIMAL)
		return fail(RC_STATE, card->name, WHAT, "it is not attached");
	if (state == OPENVSL_STATE_ERROR)
		return fail(RC_STATE, card->name, WHAT,
			    "it has failed or has no power; its disk goes when nobody has it open");
	if (state_busy(state))
		return fail(RC_STATE, card->name, WHAT,
			    "it is busy (%s); wait until that has ended", state_word(state));
	err = progress_call(card, &progress, OPENVSL_IOC_DETACH, &arg);
	if (err == -EBUSY)
		return say_busy(card);
	if (err)
		return fail_errno(why_detach, err, card->name, WHAT);
	if (!quiet)
		printf("%s: detached\n", card->name);
	return RC_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
	bool no_progress = false;
	bool quiet = false;
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
		if (id == 'q')
			quiet = true;
		else
			no_progress = true;
	}
	if (optind == argc)
		return opt_misuse(self, "which card?");
	rc = cards_open_some(&cards, &driver, argv + optind, argc - optind, WHAT);
	stop_catch();
	for (i = 0; i < cards.nr && !stop_asked(); i++)
		rc = err_first(rc, detach_one(&cards.card[i], quiet, no_progress));
	if (!rc && i < cards.nr)
		rc = fail(RC_STOPPED, cards.card[i].name, NULL, "stopped before it was detached");
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

const struct command cmd_detach = {
	.name = "detach",
	.alias = "fio-detach",
	.operands = "DEVICE...",
	.summary = "Take the disks of cards away, writing everything out first",
	.opts = opts,
	.run = run,
};
