// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * root.c - root records: where everything begins.
 *
 * A root says where the directory and the segment table are, and where the log
 * behind them begins.  Each is written to two lanes on different parallel
 * units, behind the one before; when an erase unit of a lane is full, or after
 * attach, the next one of the lane is erased and used.  The newest generation
 * that is whole in any lane counts.
 *
 * A "full" root ends a checkpoint.  A "light" one has the base of the root
 * before and only adds what the log cannot tell by itself: an allocation whose
 * announcement got lost (jump), or where segments end (attach).
 *
 * Invariants
 * D1  The erase unit that holds a lane's newest record is not erased before
 *     the lane has a newer one elsewhere.
 * D2  A root is durable when one lane has it; the card is in trouble (but
 *     works) when one has not, and read-only when none has.
 *
 * Power loss: a torn record fails its CRC; the one before it counts.
 */
#include "int.h"

static void lane_write(struct vsl_core *core, struct vsl_lane *lane);

int vsl_root_alloc(struct vsl_core *core)
{
	struct vsl_rooter *root = &core->root;
	u32 nr = core->geo.root_stride, i, k;

	root->block = vsl_zalloc(core, nr, sizeof(*root->block));
	root->ref = vsl_zalloc(core, core->geo.dir_pages +
			       core->geo.segtab_pages, sizeof(*root->ref));
	if (!root->block || !root->ref)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		root->block[i] = vsl_port_block_alloc();
		if (!root->block[i])
			return -ENOMEM;
		memset(root->block[i], 0, VSL_BLOCK_BYTES);
		core->ram_bytes += VSL_BLOCK_BYTES;
	}
	for (i = 0; i < VSL_LANES; i++) {
		root->lane[i].vec = vsl_zalloc(core, nr, sizeof(struct vsl_vec));
		if (!root->lane[i].vec)
			return -ENOMEM;
		for (k = 0; k < nr; k++) {
			root->lane[i].vec[k].base = root->block[k];
			root->lane[i].vec[k].bytes = VSL_BLOCK_BYTES;
		}
	}
	return 0;
}

void vsl_root_free(struct vsl_core *core)
{
	struct vsl_rooter *root = &core->root;
	u32 i;

	for (i = 0; root->block && i < core->geo.root_stride; i++)
		vsl_port_block_free(root->block[i]);
	vsl_port_free(root->block);
	vsl_port_free(root->ref);
	for (i = 0; i < VSL_LANES; i++)
		vsl_port_free(root->lane[i].vec);
}

/* Append @bytes to the record; it may cross blocks. */
static u32 put(struct vsl_rooter *root, u32 at, const void *from, u32 bytes)
{
	const u8 *byte = from;
	u32 i;

	for (i = 0; i < bytes; i++, at++)
		((u8 *)root->block[at / VSL_BLOCK_BYTES])
			[at % VSL_BLOCK_BYTES] = byte[i];
	return at;
}

static u32 put_refs(struct vsl_rooter *root, u32 at, const struct vsl_ref *ref,
		    u32 nr)
{
	struct vsl_disk_ref disk;
	u32 i;

	for (i = 0; i < nr; i++) {
		disk.ppa = cpu_to_le32(ref[i].ppa);
		disk.crc = cpu_to_le32(ref[i].crc);
		at = put(root, at, &disk, sizeof(disk));
	}
	return at;
}

/*
 * The references that this and the following light roots hold.  (Those of the
 * core itself may already be a checkpoint ahead.)  Where this root gets lost
 * no other one is written: the card is read-only then.
 */
static void refs_keep(struct vsl_core *core)
{
	struct vsl_ref *ref = core->root.ref;
	u32 dirs = core->geo.dir_pages;

	memcpy(ref, core->dir_ref, dirs * sizeof(*ref));
	memcpy(ref + dirs, core->segtab_ref,
	       core->geo.segtab_pages * sizeof(*ref));
}

static void base_to_disk(struct vsl_disk_root *disk,
			 const struct vsl_base *base)
{
	u32 i;

	disk->base_version = cpu_to_le64(base->version);
	disk->next_alloc_no = cpu_to_le64(base->next_alloc_no);
	disk->next_seg = cpu_to_le32(base->next_seg);
	memcpy(disk->next_units, base->next_units, sizeof(disk->next_units));
	disk->nr_sealed = cpu_to_le16(base->nr_sealed);
	disk->nr_jumps = cpu_to_le16(base->nr_jumps);
	for (i = 0; i < VSL_FORMAT_STREAMS; i++) {
		disk->start[i].alloc_no = cpu_to_le64(base->start[i].alloc_no);
		disk->start[i].seg = cpu_to_le32(base->start[i].seg);
		disk->start[i].index = cpu_to_le32(base->start[i].index);
	}
	for (i = 0; i < base->nr_sealed; i++) {
		disk->sealed[i].alloc_no =
			cpu_to_le64(base->sealed[i].alloc_no);
		disk->sealed[i].seg = cpu_to_le32(base->sealed[i].seg);
		disk->sealed[i].index = cpu_to_le32(base->sealed[i].index);
	}
	for (i = 0; i < base->nr_jumps; i++) {
		disk->jump[i].alloc_no = cpu_to_le64(base->jump[i].alloc_no);
		disk->jump[i].seg = cpu_to_le32(base->jump[i].seg);
		disk->jump[i].index = cpu_to_le32(0);
	}
}

/* Return: 0, -EUCLEAN. */
int vsl_base_from_disk(const struct vsl_core *core, struct vsl_base *base,
		       const struct vsl_disk_root *disk)
{
	u32 i;

	memset(base, 0, sizeof(*base));
	base->version = le64_to_cpu(disk->base_version);
	base->next_alloc_no = le64_to_cpu(disk->next_alloc_no);
	base->next_seg = le32_to_cpu(disk->next_seg);
	memcpy(base->next_units, disk->next_units, sizeof(base->next_units));
	base->nr_sealed = le16_to_cpu(disk->nr_sealed);
	base->nr_jumps = le16_to_cpu(disk->nr_jumps);
	if (base->nr_sealed > VSL_ROOT_SEALED_MAX ||
	    base->nr_jumps > VSL_ROOT_JUMPS_MAX)
		return -EUCLEAN;
	for (i = 0; i < VSL_FORMAT_STREAMS; i++) {
		base->start[i].alloc_no = le64_to_cpu(disk->start[i].alloc_no);
		base->start[i].seg = le32_to_cpu(disk->start[i].seg);
		base->start[i].index = le32_to_cpu(disk->start[i].index);
		if (base->start[i].seg != VSL_NONE &&
		    (base->start[i].seg >= core->geo.segments ||
		     i >= VSL_STREAMS))
			return -EUCLEAN;
	}
	for (i = 0; i < base->nr_sealed; i++) {
		base->sealed[i].alloc_no =
			le64_to_cpu(disk->sealed[i].alloc_no);
		base->sealed[i].seg = le32_to_cpu(disk->sealed[i].seg);
		base->sealed[i].index = le32_to_cpu(disk->sealed[i].index);
		if (base->sealed[i].seg >= core->geo.segments)
			return -EUCLEAN;
	}
	for (i = 0; i < base->nr_jumps; i++) {
		base->jump[i].alloc_no = le64_to_cpu(disk->jump[i].alloc_no);
		base->jump[i].seg = le32_to_cpu(disk->jump[i].seg);
		if (base->jump[i].seg >= core->geo.segments)
			return -EUCLEAN;
	}
	return base->next_seg < core->geo.segments ||
	       base->next_seg == VSL_NONE ? 0 : -EUCLEAN;
}

/* The place of the next allocation's jump; VSL_ROOT_JUMPS_MAX: there is none. */
static u32 jump_find(const struct vsl_core *core, const struct vsl_base *base)
{
	u32 i;

	for (i = 0; i < base->nr_jumps; i++)
		if (base->jump[i].alloc_no == core->next_alloc_no)
			break;
	return i;
}

/* Make the record tell where the log goes on, where no packet does. */
static void add_announcement(struct vsl_core *core, struct vsl_base *base)
{
	struct vsl_rooter *root = &core->root;
	u32 i;

	if (core->next_seg == VSL_NONE || core->announced)
		return;
	if (core->next_alloc_no == base->next_alloc_no) {
		base->next_seg = core->next_seg;
		memcpy(base->next_units, vsl_seg_units(core, core->next_seg),
		       core->geo.unit_bytes);
		/* There may be one that nobody took before the power went. */
		i = jump_find(core, base);
		if (i < base->nr_jumps)
			base->jump[i].seg = core->next_seg;
		root->announces_seg = core->next_seg;
		return;
	}
	i = jump_find(core, base);
	/* A checkpoint makes a new base, which needs none of them. */
	if (i >= VSL_ROOT_JUMPS_MAX / 2)
		vsl_check_request(core, true);
	if (i == VSL_ROOT_JUMPS_MAX)
		return;
	base->jump[i].alloc_no = core->next_alloc_no;
	base->jump[i].seg = core->next_seg;
	base->nr_jumps = max_t(u32, base->nr_jumps, i + 1);
	root->announces_seg = core->next_seg;
}

/* Jumps of the root before that the new base still needs: they were written
 * after it was noted. */
static void keep_jumps(const struct vsl_core *core, struct vsl_base *base)
{
	u64 from = base->next_alloc_no + (base->next_seg != VSL_NONE);
	u32 i;

	for (i = 0; i < core->base.nr_jumps; i++)
		if (core->base.jump[i].alloc_no >= from &&
		    base->nr_jumps < VSL_ROOT_JUMPS_MAX)
			base->jump[base->nr_jumps++] = core->base.jump[i];
}

static void record_fill(struct vsl_core *core, struct vsl_rooter *root)
{
	struct vsl_disk_root *disk = root->block[0];
	const struct vsl_geo *geo = &core->geo;
	u32 at = sizeof(*disk), i, crc, bytes;

	memset(disk, 0, sizeof(*disk));
	disk->magic = cpu_to_le64(VSL_ROOT_MAGIC);
	disk->format = cpu_to_le32(VSL_FORMAT_VERSION);
	disk->flags = cpu_to_le32((root->clean ? VSL_ROOT_CLEAN : 0) |
				  (core->spare_bytes ? VSL_ROOT_SPARE : 0));
	memcpy(disk->uuid, core->uuid, sizeof(disk->uuid));
	disk->generation = cpu_to_le64(core->generation + 1);
	disk->epoch = cpu_to_le64(core->epoch);
	disk->label_ts = cpu_to_le64(core->label_ts);
	disk->units = cpu_to_le32(geo->units);
	disk->eus = cpu_to_le32(geo->segments);
	disk->eu_blocks = cpu_to_le32(geo->eu_blocks);
	disk->ws_min = cpu_to_le32(geo->ws_min);
	disk->chunk = cpu_to_le32(geo->chunk);
	disk->sector_bytes = cpu_to_le32(core->sector_bytes);
	disk->capacity_blocks = cpu_to_le64(geo->lba_blocks);
	disk->parity = cpu_to_le32(geo->parity);
	disk->next_version = cpu_to_le64(core->next_version);
	for (i = 0; i < VSL_COUNTERS; i++)
		disk->counter[i] = cpu_to_le64(core->counter[i]);
	base_to_disk(disk, &root->base);
	disk->nr_dir = cpu_to_le32(geo->dir_pages);
	disk->nr_segtab = cpu_to_le32(geo->segtab_pages);
	if (root->full)
		refs_keep(core);
	at = put_refs(root, at, root->ref, geo->dir_pages + geo->segtab_pages);
	disk->bytes = cpu_to_le32(at);
	for (i = 0, bytes = at, crc = VSL_CRC_SEED; bytes; i++) {
		u32 part = min_t(u32, bytes, VSL_BLOCK_BYTES);

		crc = vsl_port_crc32c(crc, root->block[i], part);
		bytes -= part;
	}
	disk->crc = cpu_to_le32(crc);
}

/**
 * vsl_root_write() - write a root
 * @core: the core
 * @base: where the log behind it begins
 * @full: it refers to pages written for it: ends a checkpoint
 * @clean: nothing will follow: a clean detach
 *
 * Context: lock held; no root is being written.
 */
void vsl_root_write(struct vsl_core *core, const struct vsl_base *base,
		    bool full, bool clean)
{
	struct vsl_rooter *root = &core->root;
	u32 i;

	root->base = *base;
	root->full = full;
	root->clean = clean;
	root->wanted = false;
	root->announces = core->next_alloc_no;
	root->announces_seg = VSL_NONE;
	if (full)
		keep_jumps(core, &root->base);
	add_announcement(core, &root->base);
	root->capture = full ? ++core->captures : core->captures;
	record_fill(core, root);
	root->state = VSL_ROOT_WRITE;
	root->ops_left = VSL_LANES;
	for (i = 0; i < VSL_LANES; i++) {
		root->lane[i].ok = false;
		root->lane[i].ends = 0;
		lane_write(core, &root->lane[i]);
	}
}

/* The root is durable: what only the one before referred to is free. */
static void root_durable(struct vsl_core *core)
{
	struct vsl_rooter *root = &core->root;
	u32 seg, i;

	root->state = VSL_ROOT_IDLE;
	core->generation++;
	core->base = root->base;
	core->again = true;
	vsl_seg_announced(core, root->announces, root->announces_seg);
	if (!root->full)
		return;
	core->captures_durable = root->capture;
	core->erases_kept = core->check.erases;
	core->tail_blocks -= core->check.tail_blocks;
	for (seg = 0; seg < core->geo.segments; seg++) {
		struct vsl_segment *s = &core->seg[seg];

		s->tail = s->tail && s->alloc_no >= core->base.next_alloc_no;
		for (i = 0; i < VSL_STREAMS; i++)
			if (core->base.start[i].seg == seg)
				s->tail = true;
	}
	vsl_check_rooted(core);
}

static void root_flushed(struct vsl_core *core, struct vsl_op *op)
{
	if (vsl_op_again(core, op) || core->gone)
		return;
	if (op->result == VSL_RES_OK)
		root_durable(core);
	else
		vsl_health_set(core, VSL_READ_ONLY,
			       VSL_REASON_NO_MD_BLOCKS);
}

/* Every lane has ended. */
static void lanes_ended(struct vsl_core *core)
{
	struct vsl_rooter *root = &core->root;
	u32 nr = 0, i;

	for (i = 0; i < VSL_LANES; i++)
		nr += root->lane[i].ok;
	if (core->gone)
		return;
	if (!nr) {
		vsl_err(core, "no root could be written");
		vsl_health_set(core, VSL_READ_ONLY, VSL_REASON_NO_MD_BLOCKS);
		return;
	}
	if (nr < VSL_LANES && !root->lane_told) {
		root->lane_told = true;
		vsl_warn(core, "only one copy of the root can be written");
	}
	if (!core->volatile_cache) {
		root_durable(core);
		return;
	}
	root->state = VSL_ROOT_FLUSH2;
	root->flush_op.nr = 0;
	vsl_op_start(core, &root->flush_op, VSL_OP_FLUSH, root_flushed, NULL);
}

static void lane_end(struct vsl_core *core, struct vsl_lane *lane, bool ok)
{
	lane->ok = ok;
	if (!--core->root.ops_left)
		lanes_ended(core);
}

/* Nothing more goes to the erase unit in use.  One that ended is not bad: it is
 * erased and used again, like a full one. */
static void lane_failed(struct vsl_core *core, struct vsl_lane *lane)
{
	lane->part = 0;
	if (lane->op.result == VSL_RES_EU_ENDED) {
		lane->ends++;
	} else {
		vsl_warn(core, "root erase unit %u of unit %u failed",
			 lane->op.eu, lane->op.unit);
		lane->dead |= 1u << lane->nth;
	}
	lane->off = core->geo.eu_blocks;
	lane_write(core, lane);
}

static void lane_program(struct vsl_core *core, struct vsl_lane *lane);

static void lane_programmed(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_lane *lane = op->ctx;

	if (vsl_op_again(core, op))
		return;
	if (op->result == VSL_RES_GONE) {
		lane_end(core, lane, false);
	} else if (op->result != VSL_RES_OK && op->result != VSL_RES_REFRESH) {
		lane_failed(core, lane);
	} else if (lane->part + op->nr < core->geo.root_stride) {
		lane->part += op->nr;
		lane_program(core, lane);
	} else {
		lane->part = 0;
		lane->home = lane->nth;
		lane->off += core->geo.root_stride;
		core->counter[VSL_COUNT_MEDIA_MAP] += core->geo.root_stride;
		lane_end(core, lane, true);
	}
}

static void lane_program(struct vsl_core *core, struct vsl_lane *lane)
{
	struct vsl_op *op = &lane->op;

	op->off = lane->off + lane->part;
	op->nr = min_t(u32, core->geo.root_stride - lane->part,
		       core->geo.max_blocks);
	op->vec = lane->vec + lane->part;
	op->nr_vecs = op->nr;
	op->skip_bytes = 0;
	op->oob = NULL;
	vsl_op_start(core, op, VSL_OP_PROGRAM, lane_programmed, lane);
}

static void lane_erased(struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_lane *lane = op->ctx;

	if (vsl_op_again(core, op))
		return;
	core->counter[VSL_COUNT_MEDIA_ERASES]++;
	if (op->result == VSL_RES_GONE) {
		lane_end(core, lane, false);
	} else if (op->result != VSL_RES_OK) {
		lane_failed(core, lane);
	} else {
		lane->off = 0;
		lane_program(core, lane);
	}
}

/* Write the record to @lane, in its next erase unit if this one is full. */
static void lane_write(struct vsl_core *core, struct vsl_lane *lane)
{
	u32 which = lane - core->root.lane, i;
	struct vsl_op *op = &lane->op;

	if (lane->nth < VSL_LANE_EUS &&
	    lane->off + core->geo.root_stride <= core->geo.eu_blocks) {
		vsl_lane_place(&core->geo, which, lane->nth, &op->unit,
			       &op->eu);
		lane_program(core, lane);
		return;
	}
	for (i = 0; i < VSL_LANE_EUS; i++) {
		lane->nth = (lane->nth + 1) % VSL_LANE_EUS;
		if (!(lane->dead & 1u << lane->nth) && lane->nth != lane->home)
			break;
	}
	if (i == VSL_LANE_EUS || lane->ends > VSL_LANE_EUS) {
		lane_end(core, lane, false);
		return;
	}
	vsl_lane_place(&core->geo, which, lane->nth, &op->unit, &op->eu);
	op->off = 0;
	op->nr = 0;
	vsl_op_start(core, op, VSL_OP_ERASE, lane_erased, lane);
}

/*
 * vsl_root_renew() - the next root goes to other erase units of the lanes, and
 * is asked for: what stays as it is gets old
 *
 * Return: false: not now.
 */
bool vsl_root_renew(struct vsl_core *core)
{
	u32 i;

	if (core->root.state != VSL_ROOT_IDLE)
		return false;
	for (i = 0; i < VSL_LANES; i++)
		core->root.lane[i].off = core->geo.eu_blocks;
	vsl_check_request(core, false);
	return true;
}

/* Somebody asked for a light root. */
void vsl_root_run(struct vsl_core *core)
{
	struct vsl_rooter *root = &core->root;

	if (!root->wanted || root->state != VSL_ROOT_IDLE || core->gone ||
	    !vsl_writable(core) || core->check.state == VSL_CHECK_ROOT)
		return;
	if (core->announced || core->next_seg == VSL_NONE) {
		root->wanted = false;
		return;
	}
	/* One that has no room for the announcement would be in vain. */
	if (core->next_alloc_no != core->base.next_alloc_no &&
	    jump_find(core, &core->base) == VSL_ROOT_JUMPS_MAX) {
		root->wanted = false;
		vsl_check_request(core, true);
		return;
	}
	vsl_root_write(core, &core->base, false, false);
}
