// SPDX-License-Identifier: GPL-2.0-only
/*
 * version.c - the tools' version: that of the tree they were built from.
 */
#include <stdio.h>

#include "../driver/version.h"
#include "cmd.h"

void version_print(void)
{
	printf("openvsl %s\n", VSL_VERSION);
}
