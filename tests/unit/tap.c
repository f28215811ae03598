// SPDX-License-Identifier: GPL-2.0-only
/*
 * tap.c - a test program in the Test Anything Protocol.
 *
 * A test also fails when memory of the port was not given back.
 */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>

#include "../../driver/core/port.h"

static bool has_failed;

void tap_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

void tap_fail(const char *cond, const char *file, int line)
{
	has_failed = true;
	tap_note("%s:%d: not so: %s", file, line, cond);
}

int tap_main(const struct tap_test *tests, size_t nr)
{
	size_t i, failures = 0;
	u64 live;

	printf("1..%zu\n", nr);
	for (i = 0; i < nr; i++) {
		live = vsl_port_allocs_live;
		has_failed = false;
		vsl_port_fail_after = 0;
		tests[i].run();
		if (!has_failed && vsl_port_allocs_live != live)
			tap_fail("no memory is lost", tests[i].name, 0);
		failures += has_failed;
		printf("%sok %zu - %s\n", has_failed ? "not " : "", i + 1,
		       tests[i].name);
		fflush(stdout);
	}
	return failures != 0;
}
