// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mkfs.c - format and probe.
 *
 * Format erases the root lanes first, then everything else (which also finds
 * the erase units that cannot be erased any more), then writes an empty
 * directory, the segment table, and the first root.  From the first erase on
 * until that root the card is unformatted; it can be formatted again at any
 * time.
 *
 * What the card has gone through is taken over from the root that goes: how often
 * each erase unit was erased, which ones are retired, and the lifetime counters.
 * A format that was cut short has no root any more, and with it goes that.
 *
 * Where an erase may leave what was there (M7 of media.h) the first block of each
 * lane's erase unit is overwritten behind it: without that nothing in the erase
 * unit counts (label.c).
 *
 * Power loss: before the first erase the old format is there, after the root
 * the new one, between them none.
 */
#include "recover.h"

#define MIN_CAPACITY_BYTES	(1u << 20)

/* Blocks of the segments that the card says are good. */
static int good_blocks(const struct vsl_media *media, const struct vsl_geo *geo,
		       u64 *blocks)
{
	struct vsl_eu_report *report;
	u32 unit, seg, *nr, spared;
	int ret = 0;

	report = vsl_port_alloc(geo->segments * sizeof(*report));
	nr = vsl_port_alloc(geo->segments * sizeof(*nr));
	if (!report || !nr)
		ret = -ENOMEM;
	for (unit = 0; unit < geo->units && !ret; unit++) {
		if (media->info.flags & VSL_MEDIA_REPORTS)
			ret = media->ops->report((struct vsl_media *)media,
						 unit, 0, geo->segments,
						 report);
		for (seg = 0; seg < geo->segments && !ret; seg++)
			nr[seg] += !vsl_lane_owns(geo, unit, seg) &&
				   report[seg].state != VSL_EU_DEAD &&
				   report[seg].state != VSL_EU_RDONLY;
	}
	for (seg = 0, *blocks = 0; seg < geo->segments && !ret; seg++) {
		/* With parity there must be room when a unit is lost. */
		spared = nr[seg] - min_t(u32, nr[seg], geo->parity);
		if (spared >= geo->units_min)
			*blocks += vsl_seg_limit(geo, spared);
	}
	vsl_port_free(report);
	vsl_port_free(nr);
	return ret;
}

/* The most blocks a disk can have on @good blocks, with one part in 16 to spare
 * for blocks that fail and to groom with: by bisection, for the reserve grows
 * with it. */
static u64 most_blocks(const struct vsl_geo *card, u64 good)
{
	u64 low = 0, high = min_t(u64, good, VSL_PPA_MAX - 1), middle;
	struct vsl_geo geo = *card;

	while (low < high) {
		middle = low + (high - low + 1) / 2;
		if (!vsl_geo_set_size(&geo, middle) &&
		    vsl_geo_needed_blocks(&geo) < good - good / 16)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static int limits_of(const struct vsl_media *media, bool parity,
		     struct vsl_limits *limits)
{
	const struct vsl_media_info *info = &media->info;
	struct vsl_geo geo;
	int ret = vsl_geo_init(&geo, info);
	u64 most, good;

	memset(limits, 0, sizeof(*limits));
	if (!ret && parity)
		ret = vsl_geo_protect(&geo);
	if (ret)
		return ret;
	if (info->max_open && info->max_open <
	    (VSL_POINTS_LEAST + 1) * info->units + VSL_LANES)
		return -EUCLEAN;
	if (geo.hole && !(info->flags & VSL_MEDIA_REPORTS))
		return -EUCLEAN;
	ret = good_blocks(media, &geo, &good);
	if (ret)
		return ret;
	/* A card that does not tell which are bad may have some, if it is flash. */
	if (!(info->flags & (VSL_MEDIA_REPORTS | VSL_MEDIA_STALE)))
		good -= good / 12;
	most = most_blocks(&geo, good) * VSL_BLOCK_BYTES;
	if (most < MIN_CAPACITY_BYTES)
		return -EUCLEAN;
	limits->physical_bytes = (u64)info->units * info->eus *
				 info->eu_blocks * VSL_BLOCK_BYTES;
	limits->max_bytes = most;
	limits->advertised_bytes = info->factory_bytes;
	if (!info->factory_bytes || info->factory_bytes > most)
		limits->advertised_bytes = most / VSL_BLOCK_BYTES / 8 * 7 *
					   VSL_BLOCK_BYTES;
	limits->advertised_bytes -= limits->advertised_bytes % VSL_BLOCK_BYTES;
	return 0;
}

int vsl_core_limits(const struct vsl_media *media, struct vsl_limits *limits)
{
	return limits_of(media, false, limits);
}

int vsl_core_limits_parity(const struct vsl_media *media,
			   struct vsl_limits *limits)
{
	return limits_of(media, true, limits);
}

static int check_format(const struct vsl_format *format,
			const struct vsl_limits *limits, u64 *bytes)
{
	*bytes = format->capacity_bytes ? format->capacity_bytes :
		 limits->advertised_bytes;
	if (format->sector_bytes != VSL_SECTOR_BYTES &&
	    format->sector_bytes != VSL_BLOCK_BYTES)
		return -EINVAL;
	if (*bytes < MIN_CAPACITY_BYTES || *bytes % VSL_BLOCK_BYTES ||
	    *bytes > limits->max_bytes ||
	    (*bytes > limits->advertised_bytes && !format->overformat))
		return -ERANGE;
	return 0;
}

/* Is @old a root of this card that this code understands? */
static bool is_of_card(const struct vsl_core *core,
		       const struct vsl_disk_root *old)
{
	const struct vsl_geo *geo = &core->geo;
	u64 nr = (u64)le32_to_cpu(old->nr_dir) + le32_to_cpu(old->nr_segtab);

	return le32_to_cpu(old->format) == VSL_FORMAT_VERSION &&
	       le32_to_cpu(old->units) == geo->units &&
	       le32_to_cpu(old->eus) == geo->segments &&
	       le32_to_cpu(old->eu_blocks) == geo->eu_blocks &&
	       le32_to_cpu(old->nr_segtab) == geo->segtab_pages &&
	       le32_to_cpu(old->bytes) ==
	       sizeof(*old) + nr * sizeof(struct vsl_disk_ref);
}

/* Wear, retired erase units and lifetime counters of the format that goes. */
static int inherit(struct vsl_core *core, struct vsl_batch *batch,
		   const struct vsl_disk_root *old)
{
	const struct vsl_disk_ref *ref;
	u32 i, ppa;
	int ret;

	if (!old || !is_of_card(core, old))
		return 0;
	ref = (const struct vsl_disk_ref *)(old + 1) + le32_to_cpu(old->nr_dir);
	for (i = 0; i < core->geo.segtab_pages; i++) {
		ppa = le32_to_cpu(ref[i].ppa);
		core->segtab_ref[i].ppa = vsl_ppa_valid(&core->geo, ppa) ?
					  ppa : VSL_PPA_NONE;
		core->segtab_ref[i].crc = le32_to_cpu(ref[i].crc);
	}
	/* After a power cut its last page may lie in a read hole. */
	ret = vsl_pad_card(core, batch);
	if (ret && ret != -EIO)
		return ret;
	ret = vsl_load_segtab(core, batch);
	for (i = 0; i < core->geo.segtab_pages; i++)
		core->segtab_ref[i].ppa = VSL_PPA_NONE;
	for (i = 0; i < core->geo.segments; i++) {
		core->seg[i].alloc_no = 0;
		core->seg[i].last_version = 0;
		core->seg[i].stream = 0;
		core->seg[i].rows = 0;
	}
	for (i = 0; i < VSL_COUNTERS; i++)
		if (i != VSL_COUNT_GOOD_AT_FORMAT)
			core->counter[i] = le64_to_cpu(old->counter[i]);
	return ret;
}

static void mkfs_erase_done(struct vsl_core *core, struct vsl_op *op)
{
	if (!vsl_op_again(core, op))
		core->counter[VSL_COUNT_MEDIA_ERASES]++;
}

static void erase_at(struct vsl_core *core, u32 unit, u32 eu)
{
	struct vsl_op *op = &core->erase_op[unit];

	op->unit = unit;
	op->eu = eu;
	op->off = 0;
	op->nr = 0;
	vsl_op_start(core, op, VSL_OP_ERASE, mkfs_erase_done, NULL);
}

static void mkfs_op_done(struct vsl_core *core, struct vsl_op *op)
{
	vsl_op_again(core, op);
}

/* Zeros over the first record that was at @op's erase unit, just erased. */
static int wipe_root(struct vsl_core *core, struct vsl_lane *lane,
		     struct vsl_op *op)
{
	op->nr = core->geo.ws_min;
	op->vec = lane->vec;	/* zeros, before the first root is made */
	op->nr_vecs = op->nr;
	op->skip_bytes = 0;
	op->oob = NULL;
	vsl_op_start(core, op, VSL_OP_PROGRAM, mkfs_op_done, NULL);
	return vsl_sync_quiet(core);
}

static int erase_root(struct vsl_core *core, u32 lane, u32 nth)
{
	struct vsl_lane *to = &core->root.lane[lane];
	u32 unit, eu;
	int ret;

	vsl_lane_place(&core->geo, lane, nth, &unit, &eu);
	erase_at(core, unit, eu);
	ret = vsl_sync_quiet(core);
	if (!ret && core->erase_op[unit].result == VSL_RES_OK &&
	    core->media->info.flags & VSL_MEDIA_STALE)
		ret = wipe_root(core, to, &core->erase_op[unit]);
	if (!ret && core->erase_op[unit].result != VSL_RES_OK)
		to->dead |= 1u << nth;
	return ret;
}

/* What was erased stays so, also where an erase is only cached. */
static int settle_erases(struct vsl_core *core)
{
	struct vsl_op *op = &core->root.flush_op;
	int ret;

	if (!core->volatile_cache ||
	    !(core->media->info.flags & VSL_MEDIA_STALE))
		return 0;
	op->nr = 0;
	vsl_op_start(core, op, VSL_OP_FLUSH, mkfs_op_done, NULL);
	ret = vsl_sync_quiet(core);
	return ret || op->result == VSL_RES_OK ? ret : -EIO;
}

/*
 * Both root lanes; from here on the card is not formatted any more.  The newest
 * roots go last: a stop in between must not leave an older one behind, whose log
 * is not what it was.
 */
static int erase_lanes(struct vsl_core *core)
{
	struct vsl_lane *lane = core->root.lane;
	u32 older = lane[0].generation > lane[1].generation;
	u32 i, nth;
	int ret = 0;

	for (i = 0; i < VSL_LANES; i++)
		for (nth = 0; nth < VSL_LANE_EUS && !ret; nth++)
			if (nth != lane[i].home)
				ret = erase_root(core, i, nth);
	ret = ret ? ret : settle_erases(core);
	for (i = 0; i < VSL_LANES && !ret; i++) {
		ret = erase_root(core, i ? !older : older,
				 lane[i ? !older : older].home % VSL_LANE_EUS);
		ret = ret ? ret : settle_erases(core);
	}
	return ret;
}

static int erase_segment(struct vsl_core *core, u32 seg)
{
	u8 *units = vsl_seg_units(core, seg);
	u32 unit;
	int ret;

	for (unit = 0; unit < core->geo.units; unit++)
		if (vsl_bit(units, unit))
			erase_at(core, unit, seg);
	ret = vsl_sync_quiet(core);
	if (ret == -ENODEV)
		return ret;
	for (unit = 0; unit < core->geo.units; unit++)
		if (vsl_bit(units, unit) &&
		    core->erase_op[unit].result != VSL_RES_OK)
			vsl_bit_clear(units, unit);
	core->seg[seg].erases++;
	vsl_seg_count_units(core, seg);
	return ret;
}

static int erase_all(struct vsl_core *core)
{
	u32 seg;
	int ret;

	for (seg = 0; seg < core->geo.segments; seg++) {
		ret = erase_segment(core, seg);
		if (ret) {
			vsl_sync_drain(core);
			return ret;
		}
		if (core->env.progress && !(seg % 16))
			core->env.progress(core->env.ctx, (u64)seg * 1000 /
					   core->geo.segments);
	}
	return 0;
}

/* All segments are erased: put them where they belong. */
static void place_clean(struct vsl_core *core)
{
	struct vsl_segment *s;

	vsl_place_segments(core);
	while (!list_empty(&core->free_segs)) {
		s = list_first_entry(&core->free_segs, struct vsl_segment,
				     link);
		list_del_init(&s->link);
		s->state = VSL_SEG_CLEAN;
		list_add_tail(&s->link, &core->clean_segs);
		core->nr_clean++;
	}
}

static int write_empty(struct vsl_core *core)
{
	struct vsl_base *base;
	int ret;

	place_clean(core);
	if (core->good_blocks <= vsl_geo_needed_blocks(&core->geo) ||
	    core->nr_free < core->levels.host + 2)
		return -EIO;
	core->next_alloc_no = 1;
	core->next_version = 1;
	core->durable_version = 1;
	core->reaping = true;
	vsl_progress(core);
	/* nothing is there to be found by a chain: the first may be opened */
	core->announced = true;
	ret = vsl_checkpoint_sync(core);
	base = vsl_port_alloc(sizeof(*base));
	if (!base && !ret)
		ret = -ENOMEM;
	if (!ret) {
		vsl_base_now(core, base);
		ret = vsl_write_root_sync(core, base, true);
	}
	vsl_port_free(base);
	return ret == -EROFS ? -EIO : ret;
}

/* All of it, once it is known what is there. */
static int format_over(struct vsl_core *core, struct vsl_batch *batch,
		       const struct vsl_format *want, u64 bytes,
		       const struct vsl_disk_root *old)
{
	u32 lane;
	int ret;

	if (vsl_spare_fits(&core->media->info))
		core->spare_bytes = core->media->info.oob_bytes;
	ret = vsl_geo_set_size(&core->geo, bytes / VSL_BLOCK_BYTES);
	ret = ret ? ret : vsl_core_alloc(core);
	ret = ret ? ret : inherit(core, batch, old);
	ret = ret ? ret : vsl_report_units(core, true);
	if (ret)
		return ret;
	memcpy(core->uuid, want->uuid, sizeof(core->uuid));
	core->label_ts = want->label_ts;
	core->sector_bytes = want->sector_bytes;
	core->epoch = 1;
	ret = erase_lanes(core);
	for (lane = 0; lane < VSL_LANES; lane++)
		core->root.lane[lane].home = VSL_LANE_EUS;
	ret = ret ? ret : erase_all(core);
	return ret ? ret : write_empty(core);
}

static int format(struct vsl_core *core, const struct vsl_format *want,
		  u64 bytes)
{
	struct vsl_batch *batch = vsl_batch_create(core);
	struct vsl_disk_root *old = NULL;
	int ret;

	if (!batch)
		return -ENOMEM;
	ret = vsl_label_find(core, batch, &old, &core->generation);
	if (ret != -ENODEV && ret != -ENOMEM && ret != -EINTR)
		ret = format_over(core, batch, want, bytes, old);
	vsl_batch_destroy(batch);
	vsl_port_free(old);
	return ret;
}

int vsl_core_format(struct vsl_media *media, const struct vsl_core_env *env,
		    const struct vsl_format *want)
{
	struct vsl_limits limits;
	struct vsl_core *core;
	u64 bytes;
	int ret;

	ret = limits_of(media, want->parity, &limits);
	ret = ret ? ret : check_format(want, &limits, &bytes);
	if (ret)
		return ret;
	core = vsl_core_new(media, env);
	if (!core)
		return -ENOMEM;
	ret = vsl_geo_init(&core->geo, &media->info);
	if (!ret && want->parity)
		ret = vsl_geo_protect(&core->geo);
	ret = ret ? ret : format(core, want, bytes);
	vsl_sync_drain(core);
	vsl_core_destroy(core);
	return ret;
}

static void label_fill(struct vsl_label *label,
		       const struct vsl_disk_root *root)
{
	label->version = le32_to_cpu(root->format);
	label->generation = le64_to_cpu(root->generation);
	if (label->version != VSL_FORMAT_VERSION)
		return;
	label->formatted = true;
	label->clean = le32_to_cpu(root->flags) & VSL_ROOT_CLEAN;
	label->parity = le32_to_cpu(root->parity);
	label->sector_bytes = le32_to_cpu(root->sector_bytes);
	label->capacity_bytes = le64_to_cpu(root->capacity_blocks) *
				VSL_BLOCK_BYTES;
	memcpy(label->uuid, root->uuid, sizeof(label->uuid));
	label->label_ts = le64_to_cpu(root->label_ts);
}

static int probe(struct vsl_core *core, struct vsl_label *label)
{
	struct vsl_batch *batch;
	struct vsl_disk_root *root = NULL;
	u64 generation;
	int ret;

	batch = vsl_batch_create(core);
	if (!batch)
		return -ENOMEM;
	ret = vsl_label_find(core, batch, &root, &generation);
	vsl_batch_destroy(batch);
	if (root)
		label_fill(label, root);
	if (!ret && root && (le32_to_cpu(root->units) != core->geo.units ||
			     le32_to_cpu(root->eus) != core->geo.segments ||
			     le32_to_cpu(root->eu_blocks) !=
			     core->geo.eu_blocks))
		ret = -EMEDIUMTYPE;
	vsl_port_free(root);
	return ret;
}

int vsl_core_probe(struct vsl_media *media, const struct vsl_core_env *env,
		   struct vsl_label *label)
{
	struct vsl_core *core = vsl_core_new(media, env);
	int ret;

	memset(label, 0, sizeof(*label));
	if (!core)
		return -ENOMEM;
	ret = vsl_geo_init(&core->geo, &media->info);
	ret = ret ? ret : probe(core, label);
	vsl_sync_drain(core);
	vsl_core_destroy(core);
	return ret;
}
