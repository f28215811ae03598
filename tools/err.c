// SPDX-License-Identifier: GPL-2.0-only
/*
 * err.c - the sentences of trouble.
 *
 * An errno says little to the person at the terminal, and means different
 * things to different operations.  Each command has a table of what the ABI
 * says its errors mean; what is common to all stands here.  Anything else is
 * the operating system's own words.
 */
#include "err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct why common[] = {
	{ EPERM, RC_DENIED, "not permitted; run it as root" },
	{ EACCES, RC_DENIED, "not permitted; run it as root" },
	{ ENODEV, RC_ABSENT, "the card is gone" },
	{ ENXIO, RC_ABSENT, "the card is gone" },
	{ ENOENT, RC_ABSENT, "there is no node for it in /dev; is udev or mdev running?" },
	{ ENOMEM, RC_FAILED, "not enough memory" },
	{ ENOTTY, RC_FOREIGN, "the device does not understand; it belongs to another driver" },
	{ E2BIG, RC_FOREIGN, "the driver is older than this program; use tools of its version" },
	{ EINTR, RC_STOPPED, "stopped" },
	{ EIO, RC_FAILED, "the card reports an I/O error; see the kernel log" },
	{ 0, RC_FAILED, NULL },
};

int fail(enum rc rc, const char *card, const char *what, const char *fmt, ...)
{
	va_list ap;

	/* Progress and reports are on stdout: let them come first. */
	fflush(stdout);
	fputs("openvsl: ", stderr);
	if (card)
		fprintf(stderr, "%s: ", card);
	if (what)
		fprintf(stderr, "%s: ", what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return rc;
}

static const struct why *find(const struct why *table, int err)
{
	for (; table && table->error; table++)
		if (table->error == -err)
			return table;
	return NULL;
}

int fail_errno(const struct why *table, int err, const char *card, const char *what)
{
	const struct why *why = find(table, err);

	if (!why)
		why = find(common, err);
	if (!why)
		return fail(RC_FAILED, card, what, "%s", strerror(-err));
	return fail(why->rc, card, what, "%s", why->text);
}
