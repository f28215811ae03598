// SPDX-License-Identifier: GPL-2.0-only
/*
 * ask.c - asking before something is destroyed.
 *
 * Only a person at a terminal can answer.  A script has to say --yes: a pipe
 * that happens to begin with a "y" shall not cost anybody a disk.
 */
#include "ask.h"

#include <stdio.h>
#include <unistd.h>

#include "err.h"

int ask(const char *question, const char *what)
{
	char line[16];

	if (!isatty(STDIN_FILENO))
		return fail(RC_USAGE, NULL, what,
			    "it would destroy data and there is no terminal to answer on; say --yes");
	printf("%s [y/N] ", question);
	fflush(stdout);
	if (fgets(line, sizeof(line), stdin) && (*line | 0x20) == 'y')
		return RC_DONE;
	return fail(RC_STOPPED, NULL, NULL, "nothing was changed");
}
