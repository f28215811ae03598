/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * err.h - one sentence for whatever goes wrong: which card, what, why, and
 * what to do about it.
 */
#ifndef VSL_TOOLS_ERR_H
#define VSL_TOOLS_ERR_H

#include "cmd.h"

/**
 * struct why - what an errno means for one operation
 * @error: positive errno; 0 ends the list
 * @rc: exit status
 * @text: the reason and the way out
 */
struct why {
	int error;
	enum rc rc;
	const char *text;
};

/**
 * fail() - print "openvsl: <card>: <what>: <why>" on stderr
 * @rc: handed back
 * @card: "fct0", a file's name, or NULL
 * @what: "cannot format", or NULL
 * @fmt: why
 *
 * Return: @rc.
 */
__printf(4, 5)
int fail(enum rc rc, const char *card, const char *what, const char *fmt, ...);

/**
 * fail_errno() - likewise, for a negative errno
 * @table: what errors mean here, NULL for the common ones only
 * @err: negative errno
 */
int fail_errno(const struct why *table, int err, const char *card, const char *what);

/**
 * err_first() - the exit status of a run over several cards
 * @so_far: of those before
 * @rc: of this one
 *
 * Return: the first that was not RC_DONE.
 */
static inline int err_first(int so_far, int rc)
{
	return so_far ? so_far : rc;
}

#endif /* VSL_TOOLS_ERR_H */
