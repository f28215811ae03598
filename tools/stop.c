// SPDX-License-Identifier: GPL-2.0-only
/*
 * stop.c - being asked to stop.
 *
 * System calls are not restarted, so a blocking ioctl ends with EINTR and the
 * driver can clean up.  A signal that was ignored when the program started
 * (nohup, a background job) stays ignored.
 *
 * Nobody asks by closing the pipe that the output goes to, nor by a limit on the
 * size of files: work that was begun is ended, and the write that failed is told
 * of in its place.
 */
#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "cmd.h"

static volatile sig_atomic_t asked;
static volatile sig_atomic_t last;

static void count(int sig)
{
	last = sig;
	if (asked < 100)
		asked++;
}

void stop_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action;
	struct sigaction old;
	size_t i;

	memset(&action, 0, sizeof(action));
	action.sa_handler = count;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

unsigned int stop_asked(void)
{
	return asked;
}

int stop_signal(void)
{
	return last;
}
