// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail.c - the end of a run that broke a promise, and the trace before it.
 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "family.h"

bool sim_tracing;

void sim_fail(const char *promise, const char *fmt, ...)
{
	char *text = the_slot->text;
	size_t room = sizeof(the_slot->text);
	va_list args;
	int used;

	used = snprintf(text, room, "%s broken: ", promise);
	va_start(args, fmt);
	vsnprintf(text + used, room - used, fmt, args);
	va_end(args);
	fflush(stdout);
	_exit(SIM_FAIL_STATUS);
}

void sim_trace(const char *fmt, ...)
{
	va_list args;

	if (!sim_tracing)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}
