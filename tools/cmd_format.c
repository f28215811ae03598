// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_format.c - openvsl format, also known as fio-format.
 *
 * All cards that were named are checked before the first one is touched, and
 * before any question is asked: what cannot work is refused with a reason and
 * without harm.  The driver checks again.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "cmd.h"
#include "err.h"
#include "look.h"
#include "progress.h"
#include "size.h"
#include "state.h"
#include "stop.h"

#define WHAT		"cannot format"
/* The map's unit: sizes of disks are multiples of it. */
#define BLOCK_BYTES	4096ull
#define MIN_BYTES	1048576ull
#define DEFAULT_SECTOR	512u

static const struct opt opts[] = {
	{ 'b', "block-size", "SIZE", "sector size: 512 (default), 4096 or 4K" },
	{ 's', "device-size", "SIZE", "size of the disk, like 150G or 80%; default 100%" },
	{ 'o', "overformat", "SIZE", "same, and may be above the advertised size" },
	{ 'p', "parity", "WHEN", "survive the loss of one unit, for less room: on, or off (default)" },
	{ 'f', "force", NULL, "format even what others, a newer or an older driver have used" },
	{ 'R', "slow-rescan", NULL, "accepted for old scripts; changes nothing" },
	{ 'A', NULL, NULL, "likewise (atomic writes)" },
	{ 'P', NULL, NULL, "likewise (persistent trim)" },
	{ 'e', NULL, NULL, "sparse addressing, which is not there: refused" },
	{ 'y', "yes", NULL, "do not ask" },
	{ 'q', "quiet", NULL, "print nothing but errors" },
	{ 'Q', "quiet-progress", NULL, "print messages but no progress" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

struct request {
	unsigned int sector_bytes;
	const char *size;	/* as typed; NULL: the advertised size */
	bool over;
	bool parity;
	bool force;
	bool slow_rescan;
	bool atomic;
	bool persistent_trim;
	bool yes;
	bool quiet;
	bool no_progress;
};

static const struct why why_look[] = {
	{ EIO, RC_FOREIGN,
	  "it cannot be read everywhere, so what is on it is not known; to format it nevertheless, add --force" },
	{ EBUSY, RC_STATE, "another operation is under way; try again when that has ended" },
	{ 0, RC_FAILED, NULL },
};

static const struct why why_format[] = {
	{ EBUSY, RC_STATE,
	  "it is attached, or another operation is under way; try again when that has ended" },
	{ EINVAL, RC_SIZE, "the driver refuses this sector size" },
	{ ERANGE, RC_SIZE, "the driver refuses this capacity" },
	{ EUCLEAN, RC_FOREIGN, "the driver cannot serve this card's geometry" },
	{ EIO, RC_FAILED, "too many erase units are bad; see the kernel log" },
	{ EINTR, RC_STOPPED,
	  "stopped; the card holds its old format, the new one, or none: format it again" },
	{ EINPROGRESS, RC_STOPPED,
	  "not waiting any longer; the format is still being stopped" },
	{ 0, RC_FAILED, NULL },
};

static int take_option(const struct command *self, int id, const char *arg,
		       struct request *request)
{
	switch (id) {
	case 'b':
		if (size_parse_sector(arg, &request->sector_bytes))
			return opt_misuse(self, "'%s' is not a sector size", arg);
		break;
	case 'o':
	case 's':
		if (request->size)
			return opt_misuse(self, "a size was given twice (-s, -o)");
		request->size = arg;
		request->over = id == 'o';
		break;
	case 'p':
		request->parity = !strcmp(arg, "on");
		if (!request->parity && strcmp(arg, "off"))
			return opt_misuse(self, "'%s' is neither on nor off", arg);
		break;
	case 'f':
		request->force = true;
		break;
	case 'R':
		request->slow_rescan = true;
		break;
	case 'A':
		request->atomic = true;
		break;
	case 'P':
		request->persistent_trim = true;
		break;
	case 'e':
		return fail(RC_FOREIGN, NULL, WHAT,
			    "sparse addressing (-e) is not there: a disk has no more addresses than blocks");
	case 'y':
		request->yes = true;
		break;
	case 'q':
		request->quiet = true;
		break;
	case 'Q':
		request->no_progress = true;
		break;
	}
	return RC_DONE;
}

/* ---- checks, before anything is touched ----------------------------------- */

static int check_state(const struct card *card, const struct request *request)
{
	const struct openvsl_info *info = &card->info;
	bool other = format_is_other(info);

	if (info->state == OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, card->name, WHAT,
			    "it is attached; detach it first (fio-detach /dev/%s)", card->name);
	if (state_busy(info->state))
		return fail(RC_STATE, card->name, WHAT,
			    "it is busy (%s); wait until that has ended", state_word(info->state));
	if (info->state == OPENVSL_STATE_ERROR)
		return fail(RC_STATE, card->name, WHAT, "it has failed or has no power");
	if (!minimal_is_final(info) || (other && request->force))
		return RC_DONE;
	if (other)
		return fail(RC_FOREIGN, card->name, WHAT,
			    "%s driver formatted it (format %u); to lose what is on it, add --force",
			    info->minimal_reason == OPENVSL_MINIMAL_DRIVER_OUTDATED ? "a newer" :
										      "an older",
			    info->format_version);
	return fail(RC_FOREIGN, card->name, WHAT, "it is in minimal mode: %s",
		    minimal_text(info->minimal_reason));
}

/* What others have left on a disk, before it was given to this driver. */
static int check_contents(const struct card *card, const struct request *request)
{
	struct signatures found;
	char text[512];
	int err;

	if (request->force || card->info.flags & OPENVSL_INFO_FORMATTED || !look_is_possible(card))
		return RC_DONE;
	err = look_at_card(card, &found);
	if (found.nr)
		return fail(RC_FOREIGN, card->name, WHAT,
			    "it carries %s; to lose what is on it, add --force",
			    signatures_text(&found, text, sizeof(text)));
	return err ? fail_errno(why_look, err, card->name, WHAT) : RC_DONE;
}

static int check_sector(const struct card *card, const struct request *request)
{
	if (request->sector_bytes == 512 || request->sector_bytes == 4096)
		return RC_DONE;
	return fail(RC_SIZE, card->name, WHAT,
		    "a sector of %u bytes is not possible; 512 and 4096 are",
		    request->sector_bytes);
}

/* @bytes: 0 for the advertised size. */
static int check_size(const struct command *self, const struct card *card,
		      const struct request *request, unsigned long long *bytes)
{
	const struct openvsl_info *info = &card->info;
	char most[SIZE_TEXT];
	char over[SIZE_TEXT];
	int err;

	*bytes = 0;
	if (!request->size)
		return RC_DONE;
	err = size_parse(request->size, info->advertised_bytes, bytes);
	if (err == -EINVAL)
		return opt_misuse(self, "'%s' is not a size", request->size);
	if (err)
		*bytes = ~0ull;
	*bytes -= *bytes % BLOCK_BYTES;
	size_text(info->advertised_bytes, most, sizeof(most));
	size_text(info->max_bytes, over, sizeof(over));
	if (*bytes < MIN_BYTES)
		return fail(RC_SIZE, card->name, WHAT,
			    "a size of %s is too small; the least is 1 MiB", request->size);
	if (*bytes > info->max_bytes)
		return fail(RC_SIZE, card->name, WHAT,
			    "a size of %s is too large; the most is %s (%s advertised)",
			    request->size, over, most);
	if (*bytes > info->advertised_bytes && !request->over)
		return fail(RC_SIZE, card->name, WHAT,
			    "a size of %s is above the advertised %s; up to %s is possible with --overformat",
			    request->size, most, over);
	return RC_DONE;
}

static int check_all(const struct command *self, const struct cards *cards,
		     const struct request *request)
{
	unsigned long long bytes;
	unsigned int i;
	int rc = RC_DONE;

	for (i = 0; i < cards->nr; i++) {
		int one = check_state(&cards->card[i], request);

		if (!one)
			one = check_sector(&cards->card[i], request);
		if (!one)
			one = check_size(self, &cards->card[i], request, &bytes);
		if (!one)
			one = check_contents(&cards->card[i], request);
		rc = err_first(rc, one);
	}
	return rc;
}

/* ---- doing it ------------------------------------------------------------- */

static int ask_all(const struct cards *cards)
{
	char question[512];
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < cards->nr && used < sizeof(question) - 80; i++)
		used += snprintf(question + used, sizeof(question) - used, "%s%s", i ? ", " : "",
				 cards->card[i].name);
	snprintf(question + used, sizeof(question) - used,
		 "%s: everything on %s will be lost. Format?", i < cards->nr ? " and more" : "",
		 cards->nr == 1 ? "the card" : "these cards");
	return ask(question, WHAT);
}

/* What old scripts ask for and need not. */
static void say_needless(const struct request *request)
{
	if (request->slow_rescan)
		printf("-R changes nothing: recovery is always fast here and costs no reserve.\n");
	if (request->atomic)
		printf("-A changes nothing: the calls for atomic writes are not there.\n");
	if (request->persistent_trim)
		printf("-P changes nothing: a trim that was flushed is always persistent here.\n");
}

static void say_done(struct card *card)
{
	const struct openvsl_info *info = &card->info;
	char size[SIZE_TEXT];

	if (card_refresh(card) || !info->sector_bytes) {
		printf("%s: formatted\n", card->name);
		return;
	}
	printf("%s: formatted: %s, %llu sectors of %u bytes; attach it by: fio-attach /dev/%s\n",
	       card->name, size_text(info->capacity_bytes, size, sizeof(size)),
	       (unsigned long long)info->capacity_bytes / info->sector_bytes, info->sector_bytes,
	       card->name);
}

static int format_one(const struct command *self, struct card *card,
		      const struct request *request)
{
	struct openvsl_format arg = {
		.size = sizeof(arg),
		.sector_bytes = request->sector_bytes,
		.flags = (request->over ? OPENVSL_FORMAT_OVER : 0) |
			 (request->parity ? OPENVSL_FORMAT_PARITY : 0),
	};
	struct progress progress = {
		.name = card->name,
		.doing = "formatting",
		.hidden = request->quiet || request->no_progress,
		.shown = -1,
	};
	unsigned long long bytes;
	int rc;
	int err;

	rc = check_size(self, card, request, &bytes);
	if (rc)
		return rc;
	arg.capacity_bytes = bytes;
	err = progress_call(card, &progress, OPENVSL_IOC_FORMAT, &arg);
	if (err)
		return fail_errno(why_format, err, card->name, WHAT);
	if (!request->quiet)
		say_done(card);
	return RC_DONE;
}

static int format_all(const struct command *self, const struct cards *cards,
		      const struct request *request)
{
	unsigned int i;
	int rc;

	rc = check_all(self, cards, request);
	stop_catch();
	if (!rc && !request->yes)
		rc = ask_all(cards);
	if (rc)
		return rc;
	if (!request->quiet)
		say_needless(request);
	for (i = 0; i < cards->nr && !stop_asked(); i++)
		rc = err_first(rc, format_one(self, &cards->card[i], request));
	if (!rc && i < cards->nr)
		rc = fail(RC_STOPPED, cards->card[i].name, NULL, "stopped before it was formatted");
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { .sector_bytes = DEFAULT_SECTOR };
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
		rc = take_option(self, id, arg, &request);
		if (rc)
			return rc;
	}
	if (optind == argc)
		return opt_misuse(self, "which card?");
	rc = cards_open_named(&cards, &driver, argv + optind, argc - optind, WHAT);
	if (rc)
		return rc;
	rc = format_all(self, &cards, &request);
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

const struct command cmd_format = {
	.name = "format",
	.alias = "fio-format",
	.operands = "DEVICE...",
	.summary = "Make empty disks of cards; everything on them is lost",
	.opts = opts,
	.run = run,
};
