/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fail.h - the end of a run that broke a promise, and the trace before it.
 *
 * A run lives in a process of its own (main.c), so to fail is to say why and
 * to leave.  The line that replays the run is kept by the parent.
 */
#ifndef VSL_SIM_FAIL_H
#define VSL_SIM_FAIL_H

#include "../../driver/core/core.h"

/**
 * sim_fail() - a promise is broken: say which and where, end the process
 * @promise: "P1" to "P10", "C5", "M1" ..., "hang", "live" (a read between two
 *	crashes that is not linearizable)
 */
void sim_fail(const char *promise, const char *fmt, ...)
	__printf(2, 3) __attribute__((noreturn));

/** sim_trace() - one line of the event trace; silent unless tracing */
void sim_trace(const char *fmt, ...) __printf(1, 2);

/* Tracing is on; ask before preparing costly arguments. */
extern bool sim_tracing;

#endif /* VSL_SIM_FAIL_H */
