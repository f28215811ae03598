/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block.h - a card's disk.
 */
#ifndef VSL_BLOCK_H
#define VSL_BLOCK_H

#include "core/core.h"

struct vsl_card;
struct vsl_disk;

/**
 * struct vsl_disk_config - what a disk is to be
 * @sectors: size in units of 512 bytes
 * @sector_bytes: 512 or 4096
 * @io_opt_bytes: best request
 * @atomic_bytes: largest write that takes effect whole or not at all, a power of
 *	two; 0 for none
 * @write_cache: what was acknowledged is not durable before a flush
 * @read_only: no writes
 */
struct vsl_disk_config {
	u64 sectors;
	u32 sector_bytes;
	u32 io_opt_bytes;
	u32 atomic_bytes;
	bool write_cache;
	bool read_only;
};

/**
 * vsl_disk_create() - make the disk of a card appear
 * @card: the card, its pump started
 * @config: what it is to be
 * @out: the disk
 *
 * It is there, partitions included, when this returns.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM, or an error of the block layer.
 */
int vsl_disk_create(struct vsl_card *card, const struct vsl_disk_config *config,
		    struct vsl_disk **out);

/**
 * vsl_disk_close() - let nobody open it any more
 * @disk: the disk
 *
 * Waits a second for those to go who only wanted a look, as udev does.
 *
 * Context: process, may sleep.
 * Return: 0, for good; -EBUSY it is open, mounted, or part of another disk.
 */
int vsl_disk_close(struct vsl_disk *disk);

/**
 * vsl_disk_destroy() - make the disk go
 * @disk: the disk
 *
 * Also one that is open; its users get errors then.  All requests have ended
 * when this returns.
 *
 * Context: process, may sleep.
 */
void vsl_disk_destroy(struct vsl_disk *disk);

/** vsl_disk_kill() - the card is gone: fail everything at the door.  May sleep. */
void vsl_disk_kill(struct vsl_disk *disk);

/** vsl_disk_set_read_only() - writes fail from now on.  May sleep. */
void vsl_disk_set_read_only(struct vsl_disk *disk);

/** vsl_disk_is_open() - Context: any. */
bool vsl_disk_is_open(struct vsl_disk *disk);

/** vsl_disk_name() - "fioa" */
const char *vsl_disk_name(const struct vsl_disk *disk);

/**
 * vsl_disk_count() - requests that ended since the disk appeared
 * @disk: the disk
 * @reads: how many reads
 * @writes: how many writes
 *
 * Context: any.
 */
void vsl_disk_count(struct vsl_disk *disk, u64 *reads, u64 *writes);

/** vsl_disk_io_done() - io_done() of the pump of every card */
void vsl_disk_io_done(struct vsl_io *io);

#endif /* VSL_BLOCK_H */
