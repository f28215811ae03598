// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_image.c - from an image to a card in memory.
 *
 * The simulated card's own loader (driver/media/sim_load.c) takes the image and
 * believes nothing in it.  Its data stays where it is, so this costs memory for the
 * lists only; data that is not what its checksum says is taken as it is, for the
 * question is what that does to the disk.
 *
 * An image does not say all that a card is: how it likes to be written, and its read
 * hole, come with its model.
 */
#include "check_int.h"

#include <stdlib.h>

/* The header, as docs/FORMAT.md has it. */
#define AT_BLOCKS	24
#define AT_UNITS	32
#define AT_EUS		36
#define AT_EU_BLOCKS	40
#define AT_WS_MIN	44
#define AT_OOB_BYTES	48
#define AT_TABLE	52
#define AT_MODEL	56
#define AT_SERIAL	104
#define TABLE_EUS	127u
#define PIECE_BYTES	1048576u

static u64 field(const struct check *check, unsigned int at, unsigned int bytes)
{
	u64 number = 0;

	while (bytes--)
		number = number << 8 | check->image[at + bytes];
	return number;
}

static void text(const struct check *check, unsigned int at, unsigned int bytes, char *to)
{
	unsigned int i;

	for (i = 0; i < bytes && check->image[at + i]; i++)
		to[i] = check->image[at + i] < 0x20 || check->image[at + i] > 0x7e ?
			'?' : (char)check->image[at + i];
	to[i] = '\0';
}

static void read_header(struct check *check)
{
	check->units = (u32)field(check, AT_UNITS, 4);
	check->eus = (u32)field(check, AT_EUS, 4);
	check->eu_blocks = (u32)field(check, AT_EU_BLOCKS, 4);
	check->ws_min = (u32)field(check, AT_WS_MIN, 4);
	check->oob_bytes = (u32)field(check, AT_OOB_BYTES, 4);
	text(check, AT_MODEL, 48, check->model);
	text(check, AT_SERIAL, 24, check->serial);
}

/* The kind of card; "raw" with nothing special about it where it is not known. */
static void find_config(struct check *check, struct vsl_sim_config *config)
{
	const struct vsl_sim_preset_name *name;

	for (name = vsl_sim_presets(); name->name; name++)
		if (!vsl_sim_preset(name->name, 0, config) &&
		    !strcmp(config->model, check->model) && config->ws_min == check->ws_min)
			break;
	check->model_known = name->name;
	if (!name->name) {
		vsl_sim_preset("raw", 0, config);
		config->ws_opt = check->ws_min;
		config->max_blocks = max(64u, check->ws_min);
	}
	config->units = check->units;
	config->eus = check->eus;
	config->eu_blocks = check->eu_blocks;
	config->ws_min = check->ws_min;
	config->oob_bytes = check->oob_bytes;
	config->max_open = 0;
	config->bad_permyriad = 0;
	config->flags &= ~(VSL_SIM_TIMED | VSL_SIM_VOLATILE | VSL_SIM_PLP | VSL_SIM_SHUFFLE);
	memcpy(config->model, check->model, sizeof(config->model) - 1);
	memcpy(config->serial, check->serial, sizeof(config->serial) - 1);
}

/* A file of @check->bytes cannot have more in it than its size allows. */
static bool is_possible(const struct check *check)
{
	u64 eus = (u64)check->units * check->eus;
	u64 table = DIV_ROUND_UP(eus, TABLE_EUS);

	return check->units && check->units <= VSL_MEDIA_UNITS_MAX && check->eus &&
	       check->eu_blocks && check->eu_blocks <= 1u << 20 && eus <= 1u << 30 &&
	       check->ws_min && table == field(check, AT_TABLE, 4) &&
	       table < check->bytes / VSL_BLOCK_BYTES;
}

static int load(struct check *check, struct vsl_sim *sim)
{
	u64 at = 0, total;
	u32 piece, done;
	int ret;

	vsl_sim_image_lend(sim, check->image, check->bytes);
	while (at < check->bytes) {
		if (check->stop && check->stop(check->ctx))
			return -EINTR;
		piece = (u32)min_t(u64, PIECE_BYTES, check->bytes - at);
		ret = vsl_sim_image_write(sim, at, check->image + at, piece, &done, &total);
		if (ret == -EILSEQ || ret == -EMEDIUMTYPE || ret == -EPROTO)
			return -EBADMSG;
		if (ret)
			return ret;
		if (total != check->bytes)
			return -EBADMSG;
		at += piece;
		if (check->progress)
			check->progress(check->ctx, (u32)(at * 1000 / check->bytes));
	}
	return 0;
}

static void count_wear(struct check *check, const struct check_core *on)
{
	u32 unit, eu, erases;

	check->erase_min = ~0u;
	for (unit = 0; unit < check->units; unit++) {
		for (eu = 0; eu < check->eus; eu++) {
			const struct vsl_eu_report *state =
				&on->states[(size_t)unit * check->eus + eu];

			erases = vsl_sim_wear(on->sim, unit, eu);
			check->erase_sum += erases;
			if (state->state == VSL_EU_DEAD || state->state == VSL_EU_RDONLY) {
				check->eus_bad++;
				continue;
			}
			check->erase_min = min(check->erase_min, erases);
			check->erase_max = max(check->erase_max, erases);
		}
	}
	if (check->erase_min > check->erase_max)
		check->erase_min = check->erase_max;
}

static int read_states(struct check *check, struct check_core *on)
{
	u32 unit;
	int ret = 0;

	on->states = calloc((size_t)check->units * check->eus, sizeof(*on->states));
	if (!on->states)
		return -ENOMEM;
	for (unit = 0; unit < check->units && !ret; unit++)
		ret = on->media->ops->report(on->media, unit, 0, check->eus,
					     &on->states[(size_t)unit * check->eus]);
	return ret;
}

/*
 * An image can be read up to its last block: what a card with a read hole shows only
 * after some padding is there.  Its erase units count as finished, so that nothing
 * has to be padded - but for those of the root lanes, which are read as they are.
 */
static void finish_open(struct check *check, struct check_core *on)
{
	struct vsl_geo geo;
	struct vsl_op op;
	u32 unit, eu;

	if (vsl_geo_init(&geo, &on->media->info))
		return;
	for (unit = 0; unit < check->units; unit++) {
		for (eu = 0; eu < check->eus; eu++) {
			if (vsl_lane_owns(&geo, unit, eu) ||
			    on->states[(size_t)unit * check->eus + eu].state != VSL_EU_OPEN)
				continue;
			memset(&op, 0, sizeof(op));
			op.kind = VSL_OP_FINISH;
			op.unit = unit;
			op.eu = eu;
			check_env_media(on, &op);
		}
	}
}

int check_open(struct check *check)
{
	struct vsl_sim_config config;
	struct vsl_sim_env env = { .ctx = NULL };
	struct vsl_sim_stats stats;
	struct check_core *on;
	u32 habits;
	int ret;

	read_header(check);
	if (!is_possible(check))
		return -EINVAL;
	on = calloc(1, sizeof(*on));
	if (!on)
		return -ENOMEM;
	check->core = on;
	check_env_init(check, on);
	find_config(check, &config);
	habits = config.flags;
	config.flags |= VSL_SIM_INLINE | VSL_SIM_FINISH | VSL_SIM_REPORTS;
	ret = vsl_sim_create(&config, &env, &on->sim);
	if (ret)
		return ret;
	on->media = vsl_sim_media(on->sim);
	ret = load(check, on->sim);
	ret = ret ? ret : read_states(check, on);
	if (ret)
		return ret;
	count_wear(check, on);
	if (config.hole)
		finish_open(check, on);
	/* The core is to see the card as it is. */
	if (!(habits & VSL_SIM_REPORTS))
		on->media->info.flags &= ~VSL_MEDIA_REPORTS;
	vsl_sim_stats(on->sim, &stats);
	check->rotten_blocks = stats.rotten_blocks;
	check->rotten_offset = stats.rotten_offset;
	if (stats.rotten_blocks)
		check_find(check, CHECK_BAD_IMAGE, "image-data",
			   "blocks of the file that are not what was saved: %llu, the first at byte %llu",
			   stats.rotten_blocks, stats.rotten_offset);
	return 0;
}

void check_close(struct check *check)
{
	struct check_core *on = check->core;

	if (!on)
		return;
	vsl_core_destroy(on->core);
	if (on->sim)
		vsl_sim_destroy(on->sim);
	free(on->states);
	free(on);
	check->core = NULL;
}
