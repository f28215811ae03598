/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figure.h - what is printed.  tests/bench/run makes a table of the lines.
 */
#ifndef VSL_BENCH_FIGURE_H
#define VSL_BENCH_FIGURE_H

#include <stdbool.h>

enum figure_goal {
	GOAL_NONE,
	GOAL_BELOW,	/* the value is to be at most the goal */
	GOAL_ABOVE,	/* at least */
};

/* figure() - @name with @value in @unit; @fmt: how it was measured, one line */
void figure(const char *name, double value, const char *unit,
	    enum figure_goal kind, double goal, const char *fmt, ...)
	__attribute__((__format__(__printf__, 6, 7)));

/* median() - sorts */
double median(double *values, unsigned int nr);

/* now_ns() - time of this thread on a processor: waiting for one is not counted */
double now_ns(void);

void bench_cost(void);
void bench_wa(const char *load, unsigned int spare_percent,
	      unsigned int depth, bool parity);
/* the same after the hot blocks have become other ones */
void bench_wa_moved(const char *load, unsigned int spare_percent,
		    unsigned int depth);
void bench_card(void);
void bench_recovery(unsigned int gigabytes, const char *preset);

#endif /* VSL_BENCH_FIGURE_H */
