// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_data.c - reading everything that is mapped.
 *
 * What a block should be is in the list of its segment: the summary at its end, or
 * else the heads of its packets.  So the segments are gone through one by one; of
 * each entry that the map still leads to, the block is read and compared.  A head
 * that is damaged hides the blocks of its packet only: the next one is looked for
 * where heads can be.
 *
 * What cannot be read is made again, where rows have parity; so it is not lost.
 *
 * What no list has told of is read, too; that it can be read is all that can be
 * said of it then.
 */
#include "check_int.h"

#include <stdlib.h>

/* What is known of a block of the disk. */
enum known {
	NOTHING,
	GOOD,
	UNREADABLE,
	CORRUPT,
	UNPROVEN,
};

/**
 * struct reader - reading along
 * @check: the look
 * @core: the core
 * @replay: reads heads
 * @batch: blocks being read; tags: their checksums
 * @lba: of each of them
 * @scan: the list of a segment
 * @known: enum known of each block of the disk
 * @proven: the list says what they should be
 * @rebuilt: blocks made again from parity before
 */
struct reader {
	struct check *check;
	struct vsl_core *core;
	struct vsl_replay *replay;
	struct vsl_batch *batch;
	u32 lba[VSL_BATCH];
	struct vsl_scan scan;
	u8 *known;
	bool proven;
	u64 rebuilt;
};

static int read_batch(struct reader *reader)
{
	struct vsl_batch *batch = reader->batch;
	struct check *check = reader->check;
	u32 i;
	int ret;

	if (check->stop && check->stop(check->ctx))
		return -EINTR;
	ret = vsl_batch_wait(reader->core, batch);
	for (i = 0; i < batch->nr && !ret; i++) {
		u8 *known = &reader->known[reader->lba[i]];

		if (vsl_result_error(batch->op[i].result))
			*known = UNREADABLE;
		else if (!reader->proven)
			*known = UNPROVEN;
		else if (vsl_port_crc32c(VSL_CRC_SEED, batch->block[i], VSL_BLOCK_BYTES) ==
			 batch->tag[i])
			*known = GOOD;
		else
			*known = CORRUPT;
	}
	check->data_blocks += batch->nr;
	batch->nr = 0;
	if (check->progress && check->mapped_blocks)
		check->progress(check->ctx, (u32)(check->data_blocks * 1000 /
						  check->mapped_blocks));
	return ret;
}

static int read_block(struct reader *reader, u32 lba, u32 ppa, u32 crc)
{
	const struct vsl_geo *geo = &reader->core->geo;

	reader->lba[reader->batch->nr] = lba;
	vsl_batch_read(reader->core, reader->batch, vsl_ppa_unit(geo, ppa), vsl_ppa_seg(geo, ppa),
		       vsl_ppa_off(geo, ppa), crc);
	return reader->batch->nr == VSL_BATCH ? read_batch(reader) : 0;
}

/* The blocks of the list in reader->scan. */
static int read_list(struct reader *reader, u32 seg)
{
	struct vsl_core *core = reader->core;
	struct vsl_commit found;
	u32 ppa;
	int ret = 0;

	while (!ret && vsl_scan_next(core, &reader->scan, &found) > 0) {
		if (found.kind != VSL_ENTRY_DATA)
			continue;
		vsl_replay_limit(core, reader->replay, seg);
		ppa = vsl_stripe_ppa(&reader->replay->stripe, &core->geo, seg, found.index);
		if (core->map[found.lba] == ppa && reader->known[found.lba] == NOTHING)
			ret = read_block(reader, found.lba, ppa, found.arg);
	}
	return ret;
}

/* Read the summary of @seg.  Return: 0, -EUCLEAN there is none. */
static int summary_read(struct reader *reader, u32 seg, u32 limit)
{
	struct vsl_core *core = reader->core;
	struct vsl_batch *batch = reader->replay->batch;
	u32 first, i, nr, ppa;

	for (first = 0; first < core->geo.sum_blocks; first += nr) {
		nr = min_t(u32, VSL_BATCH, core->geo.sum_blocks - first);
		batch->nr = 0;
		for (i = 0; i < nr; i++) {
			ppa = vsl_stripe_ppa(&reader->replay->stripe, &core->geo, seg,
					     limit + first + i);
			vsl_batch_read(core, batch, vsl_ppa_unit(&core->geo, ppa), seg,
				       vsl_ppa_off(&core->geo, ppa), i);
		}
		if (vsl_batch_wait(core, batch))
			return -EUCLEAN;
		for (i = 0; i < nr; i++) {
			if (vsl_result_error(batch->op[i].result))
				return -EUCLEAN;
			memcpy(reader->scan.block[first + i], batch->block[i], VSL_BLOCK_BYTES);
		}
	}
	return vsl_scan_begin(core, &reader->scan, seg, core->seg[seg].alloc_no);
}

static int read_heads(struct reader *reader, u32 seg, u32 limit)
{
	struct vsl_core *core = reader->core;
	struct vsl_disk_head *head;
	u32 index = 0;
	int ret;

	while (index < limit) {
		ret = vsl_replay_head(core, reader->replay, seg, core->seg[seg].alloc_no, index,
				      &head);
		if (ret) {
			index += core->geo.ws_min;
			continue;
		}
		index += 1 + le16_to_cpu(head->nr_blocks);
		vsl_scan_head(&reader->scan, head);
		ret = read_list(reader, seg);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_segment(struct reader *reader, u32 seg)
{
	u32 limit;
	int ret;

	reader->replay->stripe_seg = VSL_NONE;
	limit = vsl_replay_limit(reader->core, reader->replay, seg);
	if (!limit || !reader->core->seg[seg].valid)
		return 0;
	if (summary_read(reader, seg, limit))
		ret = read_heads(reader, seg, limit);
	else
		ret = read_list(reader, seg);
	return ret || !reader->batch->nr ? ret : read_batch(reader);
}

/* What no list has told of. */
static int read_rest(struct reader *reader)
{
	struct vsl_core *core = reader->core;
	u32 lba;
	int ret = 0;

	reader->proven = false;
	for (lba = 0; lba < core->geo.lba_blocks && !ret; lba++)
		if (vsl_ppa_is_block(core->map[lba]) && reader->known[lba] == NOTHING)
			ret = read_block(reader, lba, core->map[lba], 0);
	return ret || !reader->batch->nr ? ret : read_batch(reader);
}

static void sum_up(struct reader *reader)
{
	static const struct {
		enum check_kind kind;
		const char *code;
		const char *text;
	} kinds[] = {
		[UNREADABLE] = { CHECK_UNREADABLE, "unreadable", "that cannot be read" },
		[CORRUPT] = { CHECK_CORRUPT, "corrupt", "that are not what was written" },
		[UNPROVEN] = { CHECK_UNPROVEN, "unproven",
			       "that can be read while no list tells what they should be" },
	};
	struct check *check = reader->check;
	u64 rebuilt = reader->core->counter[VSL_COUNT_REBUILT] - reader->rebuilt;
	u32 lba, i;

	if (rebuilt)
		check_find(check, CHECK_NOTE, "rebuilt",
			   "blocks that are lost and were made again from parity: %llu", rebuilt);
	for (lba = 0; lba < reader->core->geo.lba_blocks; lba++) {
		check->data_good += reader->known[lba] == GOOD;
		if (reader->known[lba] > GOOD)
			check_trouble_add(check, kinds[reader->known[lba]].kind, lba);
	}
	for (i = UNREADABLE; i < ARRAY_SIZE(kinds); i++)
		if (check->trouble[kinds[i].kind].blocks)
			check_find(check, CHECK_DAMAGE, kinds[i].code, "blocks %s: %llu",
				   kinds[i].text, check->trouble[kinds[i].kind].blocks);
	check->data_done = true;
}

static int reader_init(struct reader *reader, struct check *check)
{
	struct vsl_core *core = check->core->core;

	reader->check = check;
	reader->core = core;
	reader->proven = true;
	reader->rebuilt = core->counter[VSL_COUNT_REBUILT];
	reader->known = calloc(core->geo.lba_blocks, 1);
	reader->batch = vsl_batch_create(core);
	reader->replay = calloc(1, sizeof(*reader->replay));
	if (core->geo.parity)
		core->help = vsl_batch_create(core);
	if (!reader->known || !reader->batch || !reader->replay ||
	    (core->geo.parity && !core->help))
		return -ENOMEM;
	reader->replay->ahead.seg = VSL_NONE;
	reader->replay->batch = vsl_batch_create(core);
	reader->replay->ahead.batch = vsl_batch_create(core);
	if (!reader->replay->batch || !reader->replay->ahead.batch)
		return -ENOMEM;
	return vsl_scan_alloc(core, &reader->scan);
}

static void reader_exit(struct reader *reader)
{
	if (reader->replay) {
		vsl_batch_destroy(reader->replay->batch);
		vsl_batch_destroy(reader->replay->ahead.batch);
	}
	vsl_scan_free(reader->core, &reader->scan);
	vsl_batch_destroy(reader->batch);
	vsl_batch_destroy(reader->core->help);
	reader->core->help = NULL;
	free(reader->replay);
	free(reader->known);
}

int check_data(struct check *check)
{
	struct reader reader = { .check = NULL };
	u32 seg;
	int ret = reader_init(&reader, check);

	for (seg = 0; seg < reader.core->geo.segments && !ret; seg++)
		ret = read_segment(&reader, seg);
	ret = ret ? ret : read_rest(&reader);
	if (!ret)
		sum_up(&reader);
	reader_exit(&reader);
	return ret;
}
