/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * flat.h - an ordinary namespace as flash: how it is divided.
 */
#ifndef VSL_MEDIA_FLAT_H
#define VSL_MEDIA_FLAT_H

#include "media.h"

/**
 * vsl_flat_geometry() - divide a disk into units and erase units
 * @bytes: size of the disk
 * @info: units, eus, eu_blocks, ws_min, ws_opt, hole and max_open are filled in
 *
 * Context: any.
 * Return: 0, -ERANGE: it is too small to be of use.
 */
int vsl_flat_geometry(u64 bytes, struct vsl_media_info *info);

/**
 * vsl_flat_block() - where on the disk a block is
 * @info: of vsl_flat_geometry()
 * @unit: parallel unit
 * @eu: erase unit of it
 * @off: block of that
 *
 * Return: number of the block, in 4 KiB from the start of the disk.
 */
static inline u64 vsl_flat_block(const struct vsl_media_info *info, u32 unit,
				 u32 eu, u32 off)
{
	return ((u64)eu * info->units + unit) * info->eu_blocks + off;
}

#endif /* VSL_MEDIA_FLAT_H */
