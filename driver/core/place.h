/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * place.h - how long blocks are expected to live, and which append point they go to.
 */
#ifndef VSL_CORE_PLACE_H
#define VSL_CORE_PLACE_H

#include "int.h"

u64 vsl_life_moved(const struct vsl_core *core, u32 seg);
u64 vsl_life_written(const struct vsl_core *core, u32 lba);
u8 vsl_life_point(const struct vsl_core *core, u64 life);
void vsl_life_note(struct vsl_core *core, u32 seg, u64 life);
void vsl_life_begin(struct vsl_core *core, u32 seg);
void vsl_life_load(struct vsl_core *core);

bool vsl_place_few(const struct vsl_core *core);
u8 vsl_place_free(const struct vsl_core *core, u32 lba);
u8 vsl_place_write(struct vsl_core *core, struct vsl_io *io, u32 nr);
u8 vsl_place_trim(struct vsl_core *core);
void vsl_place_trimmed(struct vsl_core *core, struct vsl_packet *packet);

#endif /* VSL_CORE_PLACE_H */
