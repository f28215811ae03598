/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forge.h - what the core has written on a card, looked at and changed.
 */
#ifndef VSL_SIM_FORGE_H
#define VSL_SIM_FORGE_H

#include "../../driver/core/int.h"
#include "../../driver/media/sim.h"

/* One block of the card. */
struct place {
	u32 unit;
	u32 eu;
	u32 block;
};

/* A block of memory, as one of the things that can lie in it. */
union block {
	u8 byte[VSL_BLOCK_BYTES];
	struct vsl_disk_root root;
	struct vsl_disk_head head;
	struct vsl_disk_summary summary;
};

/** forge_root() - read the newest whole root.  Return: false: there is none */
bool forge_root(struct vsl_sim *sim, union block *out);

/** forge_put_root() - put it back in the place of all its copies, its CRC right */
void forge_put_root(struct vsl_sim *sim, union block *root);

/**
 * forge_head() - find the newest head of the host that commits @lba
 *
 * Return: false: there is none.
 */
bool forge_head(struct vsl_sim *sim, u32 lba, struct place *place,
		union block *out);

/** forge_put_head() - put it back, its CRC right */
void forge_put_head(struct vsl_sim *sim, const struct place *place,
		    union block *head);

/** forge_summaries() - how many summaries are on the card */
u32 forge_summaries(struct vsl_sim *sim);

/** forge_read(), forge_write() - one block that must be there */
void forge_read(struct vsl_sim *sim, const struct place *place, void *buf);
void forge_write(struct vsl_sim *sim, const struct place *place,
		 const void *buf);

/** forge_point() - the append point that block @lba goes to, if it is written now
 * and nothing else is under way */
const struct vsl_stream *forge_point(const struct vsl_core *core, u32 lba);

#endif /* VSL_SIM_FORGE_H */
