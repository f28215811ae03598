// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_disk.c - the roots of a card, an attach that writes nothing, and the audit
 * of promise P7.
 */
#include "check_int.h"

#include <stdlib.h>

/* ---- roots ---------------------------------------------------------------- */

static void take_lanes(struct check *check, struct vsl_core *core)
{
	u32 lane;

	for (lane = 0; lane < VSL_LANES; lane++) {
		struct check_lane *to = &check->lane[lane];

		to->generation = core->root.lane[lane].generation;
		to->found = to->generation;
		if (to->found)
			vsl_lane_place(&core->geo, lane, core->root.lane[lane].nth, &to->unit,
				       &to->eu);
	}
}

static void take_root(struct check *check, const struct vsl_disk_root *root)
{
	check->version = le32_to_cpu(root->format);
	check->generation = le64_to_cpu(root->generation);
	if (check->version != VSL_FORMAT_VERSION)
		return;
	memcpy(check->uuid, root->uuid, sizeof(check->uuid));
	check->format_ts = le64_to_cpu(root->label_ts);
	check->sector_bytes = le32_to_cpu(root->sector_bytes);
	check->capacity_bytes = le64_to_cpu(root->capacity_blocks) * VSL_BLOCK_BYTES;
	check->clean = le32_to_cpu(root->flags) & VSL_ROOT_CLEAN;
}

/* Was anything programmed where roots are? */
static bool lanes_used(const struct check *check, const struct vsl_geo *geo)
{
	u32 lane, nth, unit, eu;

	for (lane = 0; lane < VSL_LANES; lane++) {
		for (nth = 0; nth < VSL_LANE_EUS; nth++) {
			vsl_lane_place(geo, lane, nth, &unit, &eu);
			if (check->core->states[(size_t)unit * check->eus + eu].wp)
				return true;
		}
	}
	return false;
}

static void judge_lanes(struct check *check)
{
	u32 lane;

	for (lane = 0; lane < VSL_LANES; lane++) {
		if (!check->lane[lane].found)
			check_find(check, CHECK_DAMAGE, "lane-empty",
				   "lane %u has no root; there is no second copy", lane);
		else if (check->lane[lane].generation != check->generation)
			check_find(check, check->clean ? CHECK_DAMAGE : CHECK_NOTE, "lane-behind",
				   "the newest root is in one lane only; lane %u has generation %llu",
				   lane, check->lane[lane].generation);
	}
}

static void judge_roots(struct check *check, const struct vsl_geo *geo,
			const struct vsl_disk_root *root, int error)
{
	if (error == -EPROTO || error == -ESTALE) {
		check->state = error == -EPROTO ? CHECK_FUTURE : CHECK_PAST;
		check_find(check, CHECK_NOTE, "format-version",
			   "it has format version %u, and this program knows %u", check->version,
			   VSL_FORMAT_VERSION);
	} else if (error || (!root && lanes_used(check, geo))) {
		check->state = CHECK_NO_ROOT;
		check_find(check, CHECK_BROKEN, "no-root",
			   "no root can be read, and there have been some");
	} else if (!root) {
		check->state = CHECK_UNFORMATTED;
	} else if (le32_to_cpu(root->units) != geo->units ||
		   le32_to_cpu(root->eus) != geo->segments ||
		   le32_to_cpu(root->eu_blocks) != geo->eu_blocks) {
		check->state = CHECK_FOREIGN;
		check_find(check, CHECK_NOTE, "geometry",
			   "its root is that of a card with another geometry");
	} else {
		check->state = CHECK_ATTACHED;
		judge_lanes(check);
		if (!check->clean)
			check_find(check, CHECK_NOTE, "unclean", "it was not detached cleanly");
	}
}

/* How data is spread over the units, where no model tells. */
static void learn_chunk(struct check *check, const struct vsl_disk_root *root)
{
	u32 chunk = le32_to_cpu(root->chunk);

	if (!check->model_known && chunk && chunk % check->ws_min == 0 &&
	    check->eu_blocks % chunk == 0)
		check->core->media->info.ws_opt = chunk;
}

int check_roots(struct check *check)
{
	struct check_core *on = check->core;
	struct vsl_core *core = vsl_core_new(on->media, &on->env);
	struct vsl_disk_root *root = NULL;
	struct vsl_batch *batch;
	u64 generation;
	int ret;

	if (!core)
		return -ENOMEM;
	if (vsl_geo_init(&core->geo, &on->media->info)) {
		check->state = CHECK_FOREIGN;
		check_find(check, CHECK_NOTE, "geometry", "OpenVSL cannot serve this geometry");
		vsl_core_destroy(core);
		return 0;
	}
	batch = vsl_batch_create(core);
	ret = batch ? vsl_label_find(core, batch, &root, &generation) : -ENOMEM;
	if (ret != -ENOMEM) {
		take_lanes(check, core);
		if (root)
			take_root(check, root);
		judge_roots(check, &core->geo, root, ret);
		if (root)
			learn_chunk(check, root);
	}
	vsl_port_free(root);
	vsl_batch_destroy(batch);
	vsl_core_destroy(core);
	return ret == -ENOMEM ? ret : 0;
}

/* ---- attach --------------------------------------------------------------- */

static void refuse(struct check *check, int error)
{
	check->state = error == -EMEDIUMTYPE ? CHECK_FOREIGN : CHECK_REFUSED;
	check->attach_error = error;
	if (error == -EMEDIUMTYPE)
		check_find(check, CHECK_NOTE, "geometry",
			   "its root is that of a card with another geometry");
	else if (error == -EUCLEAN)
		check_find(check, CHECK_BROKEN, "root-nonsense",
			   "its newest root is whole and makes no sense");
	else
		check_find(check, CHECK_BROKEN, "metadata", "its metadata cannot be read");
}

static void take_stats(struct check *check, struct vsl_core *core)
{
	struct vsl_core_stats stats;
	u32 seg;

	vsl_core_stats(core, &stats);
	check->log_blocks = stats.tail_blocks;
	check->commits = stats.attach_commits;
	check->doubts = stats.attach_doubts;
	check->doubt_blocks = stats.attach_doubt_blocks;
	check->mapped_blocks = stats.mapped_blocks;
	check->segments = stats.segments;
	check->segments_free = stats.segments_free;
	for (seg = 0; seg < core->geo.segments; seg++)
		check->segments_bad += core->seg[seg].state == VSL_SEG_BAD;
	check->spare_permyriad = stats.spare_permyriad;
	check->spare_warn_permyriad = stats.spare_warn_permyriad;
	if (stats.spare_permyriad < stats.spare_warn_permyriad)
		check_find(check, CHECK_DAMAGE, "spare", "its spare is nearly used up: %u.%02u %% left",
			   stats.spare_permyriad / 100, stats.spare_permyriad % 100);
}

static void take_lost(struct check *check, struct vsl_core *core)
{
	u32 lba;

	for (lba = 0; lba < core->geo.lba_blocks; lba++)
		if (core->map[lba] == VSL_PPA_LOST)
			check_trouble_add(check, CHECK_LOST, lba);
	if (check->trouble[CHECK_LOST].blocks)
		check_find(check, CHECK_DAMAGE, "lost", "blocks that are lost: %llu",
			   check->trouble[CHECK_LOST].blocks);
}

/* The audit counts references; that no two of them are the same is seen here. */
static int find_doubles(struct check *check, struct vsl_core *core)
{
	u64 places = (u64)core->geo.segments << (core->geo.unit_bits + core->geo.off_bits);
	u8 *taken = calloc(DIV_ROUND_UP(places, 8), 1);
	u64 doubles = 0;
	u32 lba, ppa;

	if (!taken)
		return -ENOMEM;
	for (lba = 0; lba < core->geo.lba_blocks; lba++) {
		ppa = core->map[lba];
		if (!vsl_ppa_is_block(ppa))
			continue;
		doubles += vsl_bit(taken, ppa);
		vsl_bit_set(taken, ppa);
	}
	free(taken);
	if (doubles)
		check_find(check, CHECK_BROKEN, "doubles",
			   "blocks that are mapped to where another one is: %llu", doubles);
	return 0;
}

int check_attach(struct check *check)
{
	struct check_core *on = check->core;
	int ret;

	ret = vsl_core_attach(on->media, &on->env, VSL_ATTACH_READ_ONLY, &on->core);
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		refuse(check, ret);
		return 0;
	}
	take_stats(check, on->core);
	take_lost(check, on->core);
	check->audit_passed = !vsl_core_audit(on->core);
	if (!check->audit_passed)
		check_find(check, CHECK_BROKEN, "audit",
			   "valid counts, free lists and the map do not agree");
	return find_doubles(check, on->core);
}
