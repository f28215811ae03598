/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * progress.h - work that takes a while, and showing how far it is.
 */
#ifndef VSL_TOOLS_PROGRESS_H
#define VSL_TOOLS_PROGRESS_H

#include "card.h"

/**
 * struct progress - how to show one piece of work
 * @name: of the card
 * @doing: "formatting"
 * @hidden: show nothing
 * @shown: last percentage that was shown; -1 at the start
 */
struct progress {
	const char *name;
	const char *doing;
	bool hidden;
	int shown;
};

/** progress_show() - a bar on a terminal, a line for each tenth elsewhere */
void progress_show(struct progress *progress, unsigned int permille);

/** progress_end() - take the bar away */
void progress_end(struct progress *progress);

/**
 * progress_call() - a blocking ioctl, with progress from the card's status
 * @card: the card
 * @progress: how to show it
 * @request: OPENVSL_IOC_*
 * @arg: its structure; not changed by the driver
 *
 * Call stop_catch() before.  A signal is passed on to the ioctl.
 *
 * Return: 0 or -errno; -EINTR stopped; -EINPROGRESS asked twice to stop, and
 * left alone while it goes on.
 */
int progress_call(struct card *card, struct progress *progress, unsigned long request,
		  void *arg);

#endif /* VSL_TOOLS_PROGRESS_H */
