// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sync.c - setting a core up and tearing it down, and waiting inside the
 * synchronous calls (attach, detach, format, probe).
 *
 * Between two waits of a synchronous call nothing is under way that the lock
 * would protect against, so it works on the core without the lock.
 */
#include "parity.h"
#include "recover.h"

struct vsl_core *vsl_core_new(struct vsl_media *media,
			      const struct vsl_core_env *env)
{
	struct vsl_core *core = vsl_port_alloc(sizeof(*core));
	u32 i;

	if (!core)
		return NULL;
	core->media = media;
	core->env = *env;
	core->ram_bytes = sizeof(*core);
	INIT_LIST_HEAD(&core->ops);
	INIT_LIST_HEAD(&core->done);
	INIT_LIST_HEAD(&core->free_slots);
	INIT_LIST_HEAD(&core->free_reads);
	INIT_LIST_HEAD(&core->wrong_reads);
	INIT_LIST_HEAD(&core->rebuild_queue);
	INIT_LIST_HEAD(&core->free_segs);
	INIT_LIST_HEAD(&core->clean_segs);
	INIT_LIST_HEAD(&core->empty_segs);
	INIT_LIST_HEAD(&core->free_packets);
	INIT_LIST_HEAD(&core->flush_wait);
	INIT_LIST_HEAD(&core->flush_next);
	INIT_LIST_HEAD(&core->flush_now);
	INIT_LIST_HEAD(&core->write_queue);
	INIT_LIST_HEAD(&core->commit_queue);
	INIT_LIST_HEAD(&core->read_queue);
	INIT_LIST_HEAD(&core->trim_queue);
	INIT_LIST_HEAD(&core->groom.ready);
	INIT_LIST_HEAD(&core->check.ready);
	for (i = 0; i < VSL_STREAMS; i++) {
		core->stream[i].id = i;
		core->stream[i].seg = VSL_NONE;
		INIT_LIST_HEAD(&core->stream[i].packets);
		INIT_LIST_HEAD(&core->stream[i].redo);
		INIT_LIST_HEAD(&core->stream[i].retained);
	}
	for (i = 0; i < VSL_LANES; i++) {
		core->root.lane[i].nth = VSL_LANE_EUS - 1;
		core->root.lane[i].home = VSL_LANE_EUS;
		core->root.lane[i].off = ~0u >> 1;
	}
	core->next_seg = VSL_NONE;
	core->erasing = VSL_NONE;
	core->busy_unit = VSL_NONE;
	core->recovery_floor = VSL_NO_VERSION;
	core->head_floor = VSL_NO_VERSION;
	core->hold_version = VSL_NO_VERSION;
	core->volatile_cache = media->info.flags & VSL_MEDIA_VOLATILE;
	return core;
}

/* Everything that is needed from now on; the size is set. */
int vsl_core_alloc(struct vsl_core *core)
{
	int ret = vsl_slots_alloc(core);

	ret = ret ? ret : vsl_map_alloc(core);
	ret = ret ? ret : vsl_segs_alloc(core);
	ret = ret ? ret : vsl_log_alloc(core);
	ret = ret ? ret : vsl_parity_alloc(core);
	ret = ret ? ret : vsl_groom_alloc(core);
	ret = ret ? ret : vsl_scrub_alloc(core);
	return ret ? ret : vsl_root_alloc(core);
}

void vsl_core_destroy(struct vsl_core *core)
{
	if (!core)
		return;
	VSL_ASSERT(!core->ops_out);
	vsl_slots_free(core);
	vsl_map_free(core);
	vsl_segs_free(core);
	vsl_parity_free(core);
	vsl_log_free(core);
	vsl_groom_free(core);
	vsl_scrub_free(core);
	vsl_root_free(core);
	vsl_port_free(core);
}

static bool no_ops(void *arg)
{
	struct vsl_core *core = arg;

	return !core->ops_out && list_empty(&core->ops);
}

/* What a synchronous call waits for. */
struct awaited {
	struct vsl_core *core;
	bool (*done)(void *arg);
	void *arg;
	bool in_vain;
};

static bool is_over(void *arg)
{
	struct awaited *awaited = arg;

	if (awaited->done(awaited->arg))
		return true;
	awaited->in_vain = no_ops(awaited->core);
	return awaited->in_vain;
}

/*
 * Pump until @done.  Return: 0; -ENOSPC nothing is under way that could make it
 * so: there is no room left to go on; -EINTR; -ENODEV.
 */
int vsl_sync(struct vsl_core *core, bool (*done)(void *arg), void *arg)
{
	struct awaited awaited = { .core = core, .done = done, .arg = arg };
	int ret;

	if (core->gone)
		return -ENODEV;
	ret = core->env.wait(core->env.ctx, core, is_over, &awaited);
	if (core->gone)
		return -ENODEV;
	return !ret && awaited.in_vain ? -ENOSPC : ret;
}

/* Pump until no operation is left. */
int vsl_sync_quiet(struct vsl_core *core)
{
	return vsl_sync(core, no_ops, core);
}

/* Pump what is under way to its end, also on a card that is gone. */
void vsl_sync_drain(struct vsl_core *core)
{
	while (!no_ops(core))
		if (core->env.wait(core->env.ctx, core, no_ops, core) &&
		    !core->gone)
			break;
}

/*
 * A block that is not what its spare bytes say was perhaps only brought wrong:
 * it is read once more.
 */
static void batch_done(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_batch *batch = op->ctx;
	u32 nr = op - batch->op, ppa;

	if (vsl_op_again(core, op) || !core->spare_bytes ||
	    vsl_result_error(op->result))
		return;
	ppa = vsl_ppa(&core->geo, op->eu, op->unit, op->off);
	if (vsl_spare_place_good(core, op->oob, ppa, batch->block[nr])) {
		batch->wrong &= ~(1ull << nr);
	} else if (!(batch->wrong & 1ull << nr) && !core->gone) {
		batch->wrong |= 1ull << nr;
		list_add_tail(&op->link, &core->ops);
	}
}

struct vsl_batch *vsl_batch_create(struct vsl_core *core)
{
	struct vsl_batch *batch = vsl_port_alloc(sizeof(*batch));
	u32 i;

	(void)core;
	if (!batch)
		return NULL;
	for (i = 0; i < VSL_BATCH; i++) {
		batch->block[i] = vsl_port_block_alloc();
		if (!batch->block[i]) {
			vsl_batch_destroy(batch);
			return NULL;
		}
	}
	return batch;
}

void vsl_batch_destroy(struct vsl_batch *batch)
{
	u32 i;

	for (i = 0; batch && i < VSL_BATCH; i++)
		vsl_port_block_free(batch->block[i]);
	vsl_port_free(batch);
}

/* Add a read of one block; at most VSL_BATCH between two waits. */
void vsl_batch_read(struct vsl_core *core, struct vsl_batch *batch, u32 unit,
		    u32 eu, u32 off, u32 tag)
{
	u32 nr = batch->nr++;
	struct vsl_op *op = &batch->op[nr];

	batch->tag[nr] = tag;
	batch->vec[nr].base = batch->block[nr];
	batch->vec[nr].bytes = VSL_BLOCK_BYTES;
	op->unit = unit;
	op->eu = eu;
	op->off = off;
	op->nr = 1;
	op->vec = &batch->vec[nr];
	op->nr_vecs = 1;
	op->skip_bytes = 0;
	op->oob = core->spare_bytes ? batch->spare[nr] : NULL;
	batch->wrong &= ~(1ull << nr);
	vsl_op_start(core, op, VSL_OP_READ, batch_done, batch);
}

static int batch_sync(struct vsl_core *core, struct vsl_batch *batch)
{
	int ret = vsl_sync_quiet(core);

	if (ret)
		vsl_sync_drain(core);
	core->attach_reads += batch->nr;
	return ret;
}

/*
 * Read @units of one row into core->help, and add them to its last block.
 * Return: 0; -EUCLEAN one of them cannot be read; -ENODEV.
 */
static int row_add(struct vsl_core *core, u64 *spare)
{
	struct vsl_batch *help = core->help;
	u32 i;
	int ret = batch_sync(core, help);

	for (i = 0; i < help->nr && !ret; i++) {
		if (vsl_result_error(help->op[i].result))
			ret = -EUCLEAN;
		vsl_xor(help->block[VSL_BATCH - 1], help->block[i],
			VSL_BLOCK_BYTES);
		vsl_xor(spare, help->spare[i], core->spare_bytes);
	}
	help->nr = 0;
	return ret;
}

/*
 * Make block @nr of a batch again from the rest of its row.  Who has asked for it
 * compares it with a CRC; here it is enough that all could be read.
 */
static int batch_rebuild(struct vsl_core *core, struct vsl_batch *batch, u32 nr)
{
	struct vsl_batch *help = core->help;
	struct vsl_op *op = &batch->op[nr];
	u64 spare[VSL_SPARE_MAX / 8] = { 0 };
	u8 *units = vsl_seg_units(core, op->eu);
	void *sum = help->block[VSL_BATCH - 1];
	u32 unit, ppa;
	int ret = 0;

	help->nr = 0;
	memset(sum, 0, VSL_BLOCK_BYTES);
	for (unit = 0; unit < core->geo.units && !ret; unit++) {
		if (!vsl_bit(units, unit) || unit == op->unit)
			continue;
		vsl_batch_read(core, help, unit, op->eu, op->off, unit);
		if (help->nr == VSL_BATCH - 1)
			ret = row_add(core, spare);
	}
	ret = ret ? ret : row_add(core, spare);
	ppa = vsl_ppa(&core->geo, op->eu, op->unit, op->off);
	if (!ret && core->spare_bytes &&
	    !vsl_spare_place_good(core, spare, ppa, sum))
		ret = -EUCLEAN;
	if (!ret) {
		memcpy(batch->block[nr], sum, VSL_BLOCK_BYTES);
		op->result = VSL_RES_OK;
		batch->wrong &= ~(1ull << nr);
		core->seg[op->eu].suspect = true;
		core->degraded = true;
		if (core->spare_bytes ||
		    op->off / core->geo.chunk < core->seg[op->eu].rows)
			core->counter[VSL_COUNT_REBUILT]++;
	}
	return ret == -EUCLEAN ? 0 : ret;
}

/* What was written once, and is not there any more, or not as it was. */
static bool is_lost(const struct vsl_batch *batch, u32 nr)
{
	u8 result = batch->op[nr].result;

	return batch->wrong & 1ull << nr ||
	       (vsl_result_error(result) && result != VSL_RES_UNWRITTEN);
}

/*
 * Wait for the reads; each one's op.result tells how it went.  When the user stops
 * it they are waited for all the same: the batch is theirs until then.
 */
int vsl_batch_wait(struct vsl_core *core, struct vsl_batch *batch)
{
	int ret = batch_sync(core, batch);
	u32 i;

	for (i = 0; core->help && i < batch->nr && !ret; i++)
		if (is_lost(batch, i))
			ret = batch_rebuild(core, batch, i);
	return ret;
}
