/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stop.h - being asked to stop: Ctrl-C, SIGTERM, SIGHUP.
 */
#ifndef VSL_TOOLS_STOP_H
#define VSL_TOOLS_STOP_H

/**
 * stop_catch() - from now on such a signal only interrupts and is counted
 *
 * SIGPIPE and SIGXFSZ are ignored: a write fails instead.
 */
void stop_catch(void);

/** stop_asked() - how many came */
unsigned int stop_asked(void);

/** stop_signal() - the last of them: what a child is to be stopped with, too */
int stop_signal(void);

#endif /* VSL_TOOLS_STOP_H */
