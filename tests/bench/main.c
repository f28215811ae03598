// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - one part of the benchmarks, see tests/bench/run.
 *
 * A line per figure: name|value|goal|distance|how.  Distance is how far the value
 * is on the wrong side of the goal, in percent; below 0 it is on the right one.
 */
#include "figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return nr % 2 ? values[nr / 2] :
	       (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

static const char *digits(double value)
{
	return fabs(value) >= 100 ? "%.0f" : fabs(value) >= 10 ? "%.1f" : "%.2f";
}

void figure(const char *name, double value, const char *unit,
	    enum figure_goal kind, double goal, const char *fmt, ...)
{
	double off = value / goal - 1;
	va_list args;

	printf("%s|", name);
	printf(digits(value), value);
	printf("%s%s|", *unit ? " " : "", unit);
	if (kind == GOAL_NONE) {
		printf("|");
	} else {
		printf(kind == GOAL_BELOW ? "<= " : ">= ");
		printf(digits(goal), goal);
		printf("|%+.1f %%", 100 * (kind == GOAL_BELOW ? off : -off));
	}
	printf("|");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "cost"))
		bench_cost();
	else if (!strcmp(part, "wa") && argc == 5)
		bench_wa(argv[2], atoi(argv[3]), atoi(argv[4]), false);
	else if (!strcmp(part, "wa-parity") && argc == 5)
		bench_wa(argv[2], atoi(argv[3]), atoi(argv[4]), true);
	else if (!strcmp(part, "wa-moved") && argc == 5)
		bench_wa_moved(argv[2], atoi(argv[3]), atoi(argv[4]));
	else if (!strcmp(part, "card"))
		bench_card();
	else if (!strcmp(part, "recovery") && (argc == 3 || argc == 4))
		bench_recovery(atoi(argv[2]), argc == 4 ? argv[3] : "slc160");
	else {
		fprintf(stderr, "usage: bench cost\n"
			"       bench wa uniform|80/20|90/10|zipf SPARE-PERCENT DEPTH\n"
			"       bench wa-parity uniform|80/20|90/10|zipf SPARE-PERCENT DEPTH\n"
			"       bench wa-moved 80/20|90/10|zipf SPARE-PERCENT DEPTH\n"
			"       bench card\n"
			"       bench recovery GIGABYTES [PRESET]\n");
		return 2;
	}
	return 0;
}
