/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pattern.h - data that says what it is.
 *
 * A granule is the smallest piece that the disk's format promises to keep
 * whole: one sector of 512 or of 4096 bytes.  Every granule written carries
 * its own address, the number of the write and, in all its bytes, a sequence
 * that no other (seed, address, number) has.  So data that is stale, torn, of
 * another address or of another run are told apart.
 */
#ifndef VSL_SIM_PATTERN_H
#define VSL_SIM_PATTERN_H

#include "../../driver/core/core.h"

/* What a granule holds: 0 for zeros, the number of a write, or one of these. */
#define VALUE_ZERO	0u
#define VALUE_LOST	0xffffffffu	/* reading it is an error */
#define VALUE_GARBAGE	0xfffffffeu	/* not what anybody wrote there */

/** pattern_fill() - write number @seq of granule @granule */
void pattern_fill(void *buf, u32 bytes, u64 seed, u32 granule, u32 seq);

/**
 * pattern_read() - what is in this granule
 *
 * Return: VALUE_ZERO, the number of the write, or VALUE_GARBAGE.
 */
u32 pattern_read(const void *buf, u32 bytes, u64 seed, u32 granule);

/** pattern_explain() - one line on what garbage looks like */
void pattern_explain(const void *buf, u32 bytes, u64 seed, u32 granule,
		     char *text, size_t text_bytes);

#endif /* VSL_SIM_PATTERN_H */
