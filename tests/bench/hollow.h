/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hollow.h - a card that answers at once and keeps next to nothing.
 */
#ifndef VSL_BENCH_HOLLOW_H
#define VSL_BENCH_HOLLOW_H

#include "../../driver/media/media.h"

struct hollow;

/* hollow_create() - an erased card of this shape */
struct hollow *hollow_create(const struct vsl_media_info *info);
void hollow_destroy(struct hollow *hollow);
struct vsl_media *hollow_media(struct hollow *hollow);

/* hollow_forget() - from now on what is programmed is dropped, and what is read
 * is whatever was in the reader's memory */
void hollow_forget(struct hollow *hollow);

#endif /* VSL_BENCH_HOLLOW_H */
