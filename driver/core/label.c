// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * label.c - finding the newest root, and what it says of the card.
 *
 * Every erase unit of both lanes is looked at: for the newest record, by
 * halves, where the first is one; else record by record.  Records may be torn,
 * of an older format of this card, or nonsense; only their CRC and generation
 * decide.  Nothing is written.
 *
 * Where erased blocks show what they held before (M7 of media.h) records of an
 * older life of the erase unit lie behind the newest one, and nothing tells
 * where it is but they themselves: a record goes on where the first one began
 * if it is of the same format and newer.  What does not begin with a record
 * holds none that counts, unless that is because it cannot be read.
 */
#include "recover.h"

#define RECORD_BLOCKS_MAX	VSL_BATCH

struct finder {
	struct vsl_batch *batch;
	struct vsl_disk_root *best;	/* a copy, of best_bytes */
	u64 generation;
	u8 first_uuid[16];		/* of the erase unit's first record */
	u64 first_generation;
	u32 lane_best[VSL_LANES];	/* erase unit of the lane's newest */
	u64 lane_generation[VSL_LANES];
	bool any_read;			/* some block could be read */
	u32 version;			/* of the newest root */
};

static int read_record(struct vsl_core *core, struct vsl_batch *batch,
		       u32 unit, u32 eu, u32 off, u32 nr)
{
	u32 i;

	batch->nr = 0;
	for (i = 0; i < nr; i++)
		vsl_batch_read(core, batch, unit, eu, off + i, i);
	return vsl_batch_wait(core, batch);
}

static u32 record_bytes(const struct vsl_disk_root *root)
{
	u32 bytes = le32_to_cpu(root->bytes);

	if (le64_to_cpu(root->magic) != VSL_ROOT_MAGIC ||
	    bytes < sizeof(*root) ||
	    bytes > RECORD_BLOCKS_MAX * VSL_BLOCK_BYTES)
		return 0;
	return bytes;
}

/* CRC over the record in the batch's blocks. */
static bool record_whole(struct vsl_batch *batch, u32 bytes)
{
	struct vsl_disk_root *root = batch->block[0];
	u32 want = le32_to_cpu(root->crc), crc = VSL_CRC_SEED, i, part;

	for (i = 0; i < batch->nr; i++)
		if (vsl_result_error(batch->op[i].result))
			return false;
	root->crc = cpu_to_le32(0);
	for (i = 0; bytes; i++, bytes -= part) {
		part = min_t(u32, bytes, VSL_BLOCK_BYTES);
		crc = vsl_port_crc32c(crc, batch->block[i], part);
	}
	root->crc = cpu_to_le32(want);
	return crc == want;
}

static int record_keep(struct finder *finder, u32 bytes)
{
	u8 *copy = vsl_port_alloc(bytes);
	u32 at, part;

	if (!copy)
		return -ENOMEM;
	for (at = 0; at < bytes; at += part) {
		part = min_t(u32, bytes - at, VSL_BLOCK_BYTES);
		memcpy(copy + at, finder->batch->block[at / VSL_BLOCK_BYTES],
		       part);
	}
	vsl_port_free(finder->best);
	finder->best = (struct vsl_disk_root *)copy;
	return 0;
}

/* Blocks from one record to the next, in a lane of the format it describes. */
static u32 record_stride(struct vsl_core *core,
			 const struct vsl_disk_root *root, u32 bytes)
{
	struct vsl_geo geo = core->geo;

	if (le32_to_cpu(root->format) == VSL_FORMAT_VERSION &&
	    !vsl_geo_set_size(&geo, le64_to_cpu(root->capacity_blocks)))
		return geo.root_stride;
	return vsl_round(DIV_ROUND_UP(bytes, VSL_BLOCK_BYTES), geo.ws_min);
}

static int record_judge(struct finder *finder, u32 lane, u32 nth, u32 bytes)
{
	const struct vsl_disk_root *root = finder->batch->block[0];
	u64 generation = le64_to_cpu(root->generation);

	if (!finder->lane_generation[lane] ||
	    generation > finder->lane_generation[lane]) {
		finder->lane_generation[lane] = generation;
		finder->lane_best[lane] = nth;
	}
	if (finder->best && generation <= finder->generation)
		return 0;
	finder->generation = generation;
	finder->version = le32_to_cpu(root->format);
	return record_keep(finder, bytes);
}

enum record_state {
	RECORD_NONE,		/* never programmed */
	RECORD_BAD,
	RECORD_WHOLE,		/* in the batch */
};

/* Read what may be a record.  Return: enum record_state, or an error. */
static int record_at(struct vsl_core *core, struct finder *finder, u32 unit,
		     u32 eu, u32 off, u32 *bytes)
{
	struct vsl_batch *batch = finder->batch;
	u32 blocks;
	int ret;

	ret = read_record(core, batch, unit, eu, off, 1);
	if (ret)
		return ret;
	if (batch->op[0].result == VSL_RES_UNWRITTEN) {
		finder->any_read = true;
		return RECORD_NONE;
	}
	if (vsl_result_error(batch->op[0].result))
		return RECORD_BAD;
	finder->any_read = true;
	*bytes = record_bytes(batch->block[0]);
	blocks = DIV_ROUND_UP(*bytes, VSL_BLOCK_BYTES);
	if (!*bytes || blocks > core->geo.eu_blocks - off)
		return RECORD_BAD;
	if (blocks > 1) {
		ret = read_record(core, batch, unit, eu, off, blocks);
		if (ret)
			return ret;
	}
	return record_whole(batch, *bytes) ? RECORD_WHOLE : RECORD_BAD;
}

static bool is_stale(const struct vsl_core *core)
{
	return core->media->info.flags & VSL_MEDIA_STALE;
}

/* Was @root written behind the first record of the erase unit, in the same life? */
static bool is_next(const struct finder *finder,
		    const struct vsl_disk_root *root)
{
	return le64_to_cpu(root->magic) == VSL_ROOT_MAGIC &&
	       !memcmp(root->uuid, finder->first_uuid, sizeof(root->uuid)) &&
	       le64_to_cpu(root->generation) > finder->first_generation;
}

/* Does the front of the erase unit that was programmed reach to @off? */
static int reaches(struct vsl_core *core, struct finder *finder, u32 unit,
		   u32 eu, u32 off, bool *yes)
{
	struct vsl_batch *batch = finder->batch;
	int ret = read_record(core, batch, unit, eu, off, 1);

	if (!is_stale(core))
		*yes = batch->op[0].result != VSL_RES_UNWRITTEN;
	else
		*yes = !vsl_result_error(batch->op[0].result) &&
		       is_next(finder, batch->block[0]);
	return ret;
}

/* How many records are in the front that was programmed: by halves. */
static int count_records(struct vsl_core *core, struct finder *finder, u32 unit,
			 u32 eu, u32 stride, u32 *nr)
{
	u32 low = 1, high = core->geo.eu_blocks / stride, mid;
	bool yes;
	int ret;

	while (low < high) {
		mid = (low + high) / 2;
		ret = reaches(core, finder, unit, eu, mid * stride, &yes);
		/* One that cannot be read any more is not the end. */
		if (!ret && !yes && is_stale(core) && mid + 1 < high)
			ret = reaches(core, finder, unit, eu,
				      (mid + 1) * stride, &yes);
		if (ret)
			return ret;
		if (yes)
			low = mid + 1;
		else
			high = mid;
	}
	*nr = low;
	return 0;
}

/*
 * Records follow each other at @stride from the first on, and what was
 * programmed is a front of the erase unit: look for its end, and from there
 * backwards for the newest whole record.
 */
static int look_back(struct vsl_core *core, struct finder *finder, u32 lane,
		     u32 nth, u32 stride)
{
	const struct vsl_disk_root *root = finder->batch->block[0];
	u32 unit, eu, nr, bytes;
	int ret;

	finder->first_generation = le64_to_cpu(root->generation);
	memcpy(finder->first_uuid, root->uuid, sizeof(root->uuid));
	vsl_lane_place(&core->geo, lane, nth, &unit, &eu);
	ret = count_records(core, finder, unit, eu, stride, &nr);
	if (ret)
		return ret;
	while (nr--) {
		ret = record_at(core, finder, unit, eu, nr * stride, &bytes);
		if (ret == RECORD_WHOLE)
			return record_judge(finder, lane, nth, bytes);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int look_through(struct vsl_core *core, struct finder *finder, u32 lane,
			u32 nth)
{
	u32 unit, eu, off = 0, stride = core->geo.ws_min, bytes;
	int ret;

	vsl_lane_place(&core->geo, lane, nth, &unit, &eu);
	while (off < core->geo.eu_blocks) {
		ret = record_at(core, finder, unit, eu, off, &bytes);
		if (ret < 0 || ret == RECORD_NONE)
			return ret;
		if (ret == RECORD_BAD && is_stale(core) && !off &&
		    !vsl_result_error(finder->batch->op[0].result))
			return 0;
		if (ret == RECORD_WHOLE) {
			stride = record_stride(core, finder->batch->block[0],
					       bytes);
			if (!off)
				return look_back(core, finder, lane, nth,
						 stride);
			ret = record_judge(finder, lane, nth, bytes);
			if (ret)
				return ret;
		}
		off += stride;
	}
	return 0;
}

/**
 * vsl_label_find() - the newest root of the card
 * @core: with its geometry initialised
 * @batch: for reading
 * @root: the answer, to be freed by vsl_port_free(); NULL: there is none
 * @generation: its generation, also of one that cannot be used
 *
 * Context: process, synchronous call.
 * Return: 0; -EPROTO a later format version, -ESTALE an earlier one; -EIO no lane
 * could be read; -ENODEV; -ENOMEM.
 */
int vsl_label_find(struct vsl_core *core, struct vsl_batch *batch,
		   struct vsl_disk_root **root, u64 *generation)
{
	struct finder finder = { .batch = batch };
	u32 lane, nth;
	int ret = 0;

	for (lane = 0; lane < VSL_LANES && !ret; lane++)
		for (nth = 0; nth < VSL_LANE_EUS && !ret; nth++)
			ret = look_through(core, &finder, lane, nth);
	*generation = finder.generation;
	*root = finder.best;
	if (!ret && finder.best && finder.version != VSL_FORMAT_VERSION)
		ret = finder.version > VSL_FORMAT_VERSION ? -EPROTO : -ESTALE;
	if (!ret && !finder.any_read)
		ret = -EIO;
	if (ret && ret != -EPROTO && ret != -ESTALE) {
		vsl_port_free(finder.best);
		*root = NULL;
		return ret;
	}
	/* The lanes go on in an erase unit behind the newest record. */
	for (lane = 0; lane < VSL_LANES; lane++)
		if (finder.lane_generation[lane]) {
			core->root.lane[lane].generation =
				finder.lane_generation[lane];
			core->root.lane[lane].nth = finder.lane_best[lane];
			core->root.lane[lane].home = finder.lane_best[lane];
		}
	return ret;
}

/*
 * Could a card like this one have come to these numbers?  A disk is smaller than
 * its card, also when a root with a right CRC says otherwise: memory is taken for
 * all of it.  And what is counted must not come to its end while it is in use.
 */
static bool numbers_sane(const struct vsl_geo *geo,
			 const struct vsl_disk_root *root)
{
	u64 blocks = (u64)geo->units * geo->segments * geo->eu_blocks;

	return le64_to_cpu(root->capacity_blocks) <= blocks &&
	       le64_to_cpu(root->generation) < VSL_VERSION_BEGIN &&
	       le64_to_cpu(root->next_alloc_no) < VSL_VERSION_BEGIN &&
	       le64_to_cpu(root->next_version) < VSL_VERSION_BEGIN &&
	       le64_to_cpu(root->base_version) <=
	       le64_to_cpu(root->next_version);
}

/*
 * vsl_label_take() - believe a root: identity, size, counters, references
 *
 * The size-dependent memory is allocated here.
 *
 * Return: 0; -EMEDIUMTYPE made for another geometry; -EUCLEAN nonsense;
 * -ENOMEM.
 */
int vsl_label_take(struct vsl_core *core, const struct vsl_disk_root *root)
{
	const struct vsl_geo *geo = &core->geo;
	const struct vsl_disk_ref *ref;
	struct vsl_ref *out;
	u32 i, nr, sector = le32_to_cpu(root->sector_bytes);
	int ret;

	if (le32_to_cpu(root->units) != geo->units ||
	    le32_to_cpu(root->eus) != geo->segments ||
	    le32_to_cpu(root->eu_blocks) != geo->eu_blocks ||
	    le32_to_cpu(root->ws_min) != geo->ws_min ||
	    le32_to_cpu(root->chunk) != geo->chunk)
		return -EMEDIUMTYPE;
	if (le32_to_cpu(root->parity) > 1 ||
	    (le32_to_cpu(root->parity) && vsl_geo_protect(&core->geo)))
		return -EUCLEAN;
	if (!numbers_sane(geo, root) ||
	    vsl_geo_set_size(&core->geo, le64_to_cpu(root->capacity_blocks)) ||
	    (sector != VSL_SECTOR_BYTES && sector != VSL_BLOCK_BYTES))
		return -EUCLEAN;
	nr = geo->dir_pages + geo->segtab_pages;
	if (le32_to_cpu(root->nr_dir) != geo->dir_pages ||
	    le32_to_cpu(root->nr_segtab) != geo->segtab_pages ||
	    le32_to_cpu(root->bytes) != sizeof(*root) + nr * sizeof(*ref))
		return -EUCLEAN;
	core->sector_bytes = sector;
	if (le32_to_cpu(root->flags) & VSL_ROOT_SPARE &&
	    vsl_spare_fits(&core->media->info))
		core->spare_bytes = core->media->info.oob_bytes;
	memcpy(core->uuid, root->uuid, sizeof(core->uuid));
	core->label_ts = le64_to_cpu(root->label_ts);
	core->generation = le64_to_cpu(root->generation);
	core->epoch = le64_to_cpu(root->epoch) + 1;
	core->next_version = le64_to_cpu(root->next_version);
	for (i = 0; i < VSL_COUNTERS; i++)
		core->counter[i] = le64_to_cpu(root->counter[i]);
	ret = vsl_base_from_disk(core, &core->base, root);
	ret = ret ? ret : vsl_core_alloc(core);
	if (ret)
		return ret;
	ref = (const struct vsl_disk_ref *)(root + 1);
	for (i = 0; i < nr; i++) {
		out = i < geo->dir_pages ? &core->dir_ref[i] :
		      &core->segtab_ref[i - geo->dir_pages];
		out->ppa = le32_to_cpu(ref[i].ppa);
		out->crc = le32_to_cpu(ref[i].crc);
		if (!vsl_ppa_valid(geo, out->ppa))
			return -EUCLEAN;
		core->root.ref[i] = *out;
	}
	return 0;
}
