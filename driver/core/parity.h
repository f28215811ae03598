/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parity.h - parity of rows, and blocks made again from it.
 */
#ifndef VSL_CORE_PARITY_H
#define VSL_CORE_PARITY_H

#include "int.h"

#define VSL_REBUILDERS		4u
#define VSL_REBUILD_BLOCKS	64u

/**
 * struct vsl_rebuild - a block that is made again from the rest of its row
 * @slot: where; NULL: nothing to do
 * @unit: next unit to be read
 * @nr: blocks that are read together
 * @left: of them, under way
 * @begun: something is in the slot
 * @failed: one of them could not be read
 */
struct vsl_rebuild {
	struct vsl_slot *slot;
	u32 unit;
	u32 nr;
	u32 left;
	bool begun;
	bool failed;
	struct vsl_op cpu_op;
	struct vsl_op op[VSL_REBUILD_BLOCKS];
	struct vsl_vec vec[VSL_REBUILD_BLOCKS];
	void *block[VSL_REBUILD_BLOCKS];
	u64 spare[VSL_REBUILD_BLOCKS][VSL_SPARE_MAX / 8];
};

int vsl_parity_alloc(struct vsl_core *core);
void vsl_parity_free(struct vsl_core *core);
u32 vsl_parity_most(const struct vsl_geo *geo);
bool vsl_parity_take(struct vsl_core *core, struct vsl_packet *packet);
void vsl_parity_put(struct vsl_core *core, struct vsl_packet *packet);
void vsl_parity_add(struct vsl_core *core, struct vsl_packet *packet, u32 index,
		    const void *block, const void *spare);
void vsl_xor(void *to, const void *from, u32 bytes);
bool vsl_rebuild_may(const struct vsl_core *core, const struct vsl_slot *slot);
void vsl_rebuild_queue(struct vsl_core *core, struct vsl_slot *slot);
bool vsl_rebuild_around(const struct vsl_core *core, u32 ppa);
void vsl_rebuild_run(struct vsl_core *core);
void vsl_rebuild_add(struct vsl_core *core, struct vsl_rebuild *rebuild);

#endif /* VSL_CORE_PARITY_H */
