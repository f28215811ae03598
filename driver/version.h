/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the one place that names the version; dkms.conf repeats it.
 */
#ifndef VSL_VERSION_H
#define VSL_VERSION_H

#define VSL_VERSION	"0.1.0"

#endif /* VSL_VERSION_H */
