// SPDX-License-Identifier: GPL-2.0-only
/*
 * toytest.c - can the oracle see?
 *
 * The honest toy must live through everything; each lie (toy.h) must be caught
 * within a few runs, and with a promise that fits it.  Prints TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "session.h"
#include "toy.h"

#define HONEST_RUNS	4u
#define HONEST_SECONDS	4u
#define LIAR_RUNS	40u

static const struct {
	const char *name;
	const char *families;
	const char *promises;	/* any of these */
} bugs[NR_TOY_BUGS] = {
	[TOY_HONEST] = { "the honest toy is passed", "random recovery exhaustive clean format lost", "" },
	[TOY_IGNORES_FLUSH] = { "ignored flush", "random", "P1 P5 P3" },
	[TOY_LOSES_TRIM] = { "lost trim", "random", "P3 P1 P5" },
	[TOY_TEARS] = { "torn write", "random", "P4" },
	[TOY_READS_STALE] = { "stale read", "random", "live P1 P3 P5 P6" },
	[TOY_MISDIRECTS] = { "misdirected write", "random", "P1 P2 P5 live" },
	[TOY_FORGETS] = { "forgotten disk", "random", "P1 P5 P6" },
	[TOY_SWALLOWS_ERROR] = { "swallowed read error", "lost", "P1 P2 P5 P6 P9" },
	[TOY_REVERTS] = { "reverted after it was read", "random", "P1 P2 P6" },
	[TOY_DROPS_IO] = { "dropped request", "random", "hang C5" },
	[TOY_ENDS_WRONGLY] = { "wrong end after the cut", "random", "C5" },
};

/* The promise is the first word of the text. */
static bool fits(const char *text, const char *promises)
{
	size_t len = strcspn(text, " ");

	for (; *promises; promises += strcspn(promises, " "), promises +=
	     *promises == ' ')
		if (!strncmp(text, promises, len) &&
		    (promises[len] == ' ' || !promises[len]))
			return true;
	return false;
}

static void try_family(struct session *session, const char *name)
{
	*session = (struct session){
		.seed = 1,
		.runs = toy_bug ? LIAR_RUNS : HONEST_RUNS,
		.seconds = toy_bug ? 0 : HONEST_SECONDS,
		.jobs = 2,
		.keep = 1,
		.only = family_find(name),
		.quiet = true,
		.order = {
			.only_cut = EVERY_CUT,
			.trace_from = EVERY_CUT,
		},
	};
	session_run(session);
}

static bool one_bug(u32 bug)
{
	struct session session = { .failures = 0 };
	char names[64], *left = names, *name;
	bool good;

	toy_bug = bug;
	snprintf(names, sizeof(names), "%s", bugs[bug].families);
	while (!session.failures && (name = strsep(&left, " ")))
		try_family(&session, name);
	good = bug ? fits(session.text, bugs[bug].promises) :
		     !session.failures;
	printf("%sok %u - %s%s%s\n", good ? "" : "not ", bug + 1,
	       bugs[bug].name, session.text[0] ? ": " : "", session.text);
	fflush(stdout);
	return good;
}

int main(void)
{
	bool good = true;
	u32 bug;

	session_init();
	printf("1..%u\n", NR_TOY_BUGS);
	for (bug = 0; bug < NR_TOY_BUGS; bug++)
		good &= one_bug(bug);
	return !good;
}
