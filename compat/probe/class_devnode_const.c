// SPDX-License-Identifier: GPL-2.0-only
/* Linux 6.2: class.devnode takes a const device.  RHEL 9.3 too. */
#include <linux/device.h>

char *probe_devnode(const struct device *dev, umode_t *mode);

struct class probe = {
	.devnode = probe_devnode,
};
