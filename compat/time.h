/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * time.h - <linux/hrtimer.h> as of the newest kernel.
 */
#ifndef VSL_COMPAT_TIME_H
#define VSL_COMPAT_TIME_H

#include <linux/hrtimer.h>

#include "compat/generated.h"

#if !VSL_HAVE_HRTIMER_SETUP
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

#endif /* VSL_COMPAT_TIME_H */
