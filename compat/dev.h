/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - <linux/device.h> as of the newest kernel.
 *
 * A seam: compat_devnode_device, the type that class.devnode gets.
 */
#ifndef VSL_COMPAT_DEV_H
#define VSL_COMPAT_DEV_H

#include <linux/device.h>

#include "compat/generated.h"

#if VSL_HAVE_CLASS_DEVNODE_CONST
#define compat_devnode_device	const struct device
#else
#define compat_devnode_device	struct device
#endif

#endif /* VSL_COMPAT_DEV_H */
