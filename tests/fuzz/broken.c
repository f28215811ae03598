// SPDX-License-Identifier: GPL-2.0-only
/*
 * broken.c - the end of an input that shows a fault.
 */
#include "feed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void broken(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fputs("broken: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}
