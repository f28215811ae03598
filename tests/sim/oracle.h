/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * oracle.h - what a disk may answer.
 */
#ifndef VSL_SIM_ORACLE_H
#define VSL_SIM_ORACLE_H

#include "../../driver/core/core.h"

struct oracle;

/**
 * struct oracle_rules - what the disk has promised
 * @seed: of the patterns
 * @sector_bytes: 512 or 4096, the granule
 * @capacity_bytes: size of the disk
 * @strict: acknowledged is durable (P5)
 */
struct oracle_rules {
	u64 seed;
	u32 sector_bytes;
	u64 capacity_bytes;
	bool strict;
};

/** oracle_create() - the model of a disk that reads zeros everywhere */
struct oracle *oracle_create(const struct oracle_rules *rules);

/** oracle_destroy() - free it */
void oracle_destroy(struct oracle *oracle);

/** oracle_formatted() - the disk was formatted: zeros everywhere, durable */
void oracle_formatted(struct oracle *oracle, const struct oracle_rules *rules);

/** oracle_attached() - writes within @atomic_blocks are whole or not there (P4) */
void oracle_attached(struct oracle *oracle, u32 atomic_blocks);

/** oracle_granules() - size of the disk in granules */
u32 oracle_granules(const struct oracle *oracle);

/**
 * oracle_begin() - a request is about to be submitted
 *
 * Return: its tag, good until oracle_settle() or oracle_formatted().
 */
u32 oracle_begin(struct oracle *oracle, enum vsl_io_kind kind, u8 flags,
		 u64 sector, u32 nr_sectors);

/** oracle_fill() - the bytes that write @tag writes */
void oracle_fill(struct oracle *oracle, u32 tag, void *buf);

/**
 * oracle_end() - a request has ended
 * @oracle: the model
 * @tag: of the request
 * @error: as the core gave it
 * @buf: what a READ returned, else NULL
 *
 * Fails the run when a read returned what it may not.
 */
void oracle_end(struct oracle *oracle, u32 tag, s32 error, const void *buf);

/** oracle_crash() - requests under way will never end; caches are gone */
void oracle_crash(struct oracle *oracle);

/**
 * oracle_image() - a piece of what was found after a recovery
 * @oracle: the model
 * @sector: where
 * @nr_sectors: how many
 * @error: of the read
 * @buf: what was read
 *
 * Fails the run when a promise is broken.
 */
void oracle_image(struct oracle *oracle, u64 sector, u32 nr_sectors, s32 error,
		  const void *buf);

/**
 * oracle_settle() - the whole image was shown
 *
 * What was found can not be taken back by a later crash (P6): it becomes the
 * one and durable past.
 */
void oracle_settle(struct oracle *oracle);

/** oracle_forget() - from now on any old content or an error is right */
void oracle_forget(struct oracle *oracle);

/** oracle_print() - a number made of all that was asked and answered */
u64 oracle_print(const struct oracle *oracle);

/** oracle_clone() - another one that believes the same */
struct oracle *oracle_clone(const struct oracle *from);

/** oracle_copy() - make @to believe what @from does */
void oracle_copy(struct oracle *to, const struct oracle *from);

/** oracle_may_lose() - what is there may read as an error from now on (P9) */
void oracle_may_lose(struct oracle *oracle, u64 sector, u32 nr_sectors);

/** oracle_quiet() - no request is under way */
bool oracle_quiet(const struct oracle *oracle);

#endif /* VSL_SIM_ORACLE_H */
