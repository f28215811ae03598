// SPDX-License-Identifier: GPL-2.0-only
/*
 * ask.c - asking before something is destroyed.
 *
 * Only a person at a terminal can answer.  A script has to say --yes: a pipe
 * that happens to begin with a "y" shall not cost anybody a disk.  For the same
 * reason the answer is a whole line, and "yesterday" is no yes.
 */
#include "ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "err.h"
#include "stop.h"

/* A signal ends the reading; one that came before it counts as well. */
static bool is_yes(void)
{
	char *line = NULL;
	size_t bytes = 0;
	bool yes = false;

	if (getline(&line, &bytes, stdin) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		yes = !strcasecmp(line, "y") || !strcasecmp(line, "yes");
	} else {
		putchar('\n');
	}
	free(line);
	return yes && !stop_asked();
}

int ask(const char *question, const char *what)
{
	if (!isatty(STDIN_FILENO))
		return fail(RC_USAGE, NULL, what,
			    "it needs a yes and there is no terminal to answer on; say --yes");
	printf("%s [y/N] ", question);
	/* Nobody can have answered what nobody could read. */
	if (!fflush(stdout) && is_yes())
		return RC_DONE;
	return fail(RC_STOPPED, NULL, NULL, "nothing was changed");
}
