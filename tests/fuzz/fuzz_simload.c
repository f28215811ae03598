// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_simload.c - somebody's file into a simulated card.
 *
 * An input is orders about an image that a card has made itself (numbers in it,
 * with or without the right CRC behind them; blocks gone, twice, swapped), or,
 * where the first byte says so, the file as it is.  A file that is refused leaves
 * the card as it was.  One that is taken makes a card that can be read,
 * programmed and erased, and whose own image says the same again.
 */
#include <stdlib.h>

#include "../../driver/media/sim_int.h"
#include "feed.h"

#define BLOCKS_MAX	64u
#define IMAGE_MAX	(BLOCKS_MAX * VSL_BLOCK_BYTES)

enum order {
	ORDER_FIELD,
	ORDER_FIELD_2,
	ORDER_FIELD_3,
	ORDER_DAMAGE,
	ORDER_DROP,
	ORDER_TWICE,
	ORDER_SWAP,
	ORDER_CUT,
	ORDERS,
};

static const struct vsl_sim_config configs[] = {
	{
		.units = 2, .eus = 4, .eu_blocks = 4, .ws_min = 1, .ws_opt = 1,
		.max_blocks = 4,
		.flags = VSL_SIM_INLINE | VSL_SIM_FINISH | VSL_SIM_REPORTS,
	},
	{	/* two blocks of records, spare bytes, reads are counted */
		.units = 1, .eus = 2, .eu_blocks = 64, .ws_min = 2, .ws_opt = 2,
		.max_blocks = 8, .oob_bytes = 64, .disturb_reads = 100,
		.flags = VSL_SIM_INLINE | VSL_SIM_VOLATILE | VSL_SIM_REPORTS,
	},
	{	/* two blocks of table */
		.units = 8, .eus = 20, .eu_blocks = 4, .ws_min = 4, .ws_opt = 4,
		.max_blocks = 4, .hole = 2, .bad_permyriad = 500,
		.flags = VSL_SIM_INLINE,
	},
};

#define CARDS	ARRAY_SIZE(configs)

/* An image, and what of it is loaded. */
struct image {
	u8 *bytes;
	u32 blocks;
};

static void op_end(struct vsl_op *op)
{
	*(bool *)op->owner = true;
}

static u8 card_do(struct vsl_sim *sim, u8 kind, u32 unit, u32 eu, u32 off,
		  u32 nr, void *buf)
{
	struct vsl_vec vec = { .base = buf, .bytes = nr * VSL_BLOCK_BYTES };
	bool ended = false;
	struct vsl_op op = {
		.kind = kind, .unit = unit, .eu = eu, .off = off, .nr = nr,
		.vec = &vec, .nr_vecs = 1, .end = op_end, .owner = &ended,
	};

	vsl_sim_media(sim)->ops->submit(vsl_sim_media(sim), &op);
	MUST(ended);
	return op.result;
}

static struct vsl_sim *create(u32 card)
{
	struct vsl_sim_env env = { .ctx = NULL };
	struct vsl_sim *sim;

	MUST(!vsl_sim_create(&configs[card], &env, &sim));
	return sim;
}

/* Programs of data, of a pattern, something lost and something erased. */
static void fill(struct vsl_sim *sim, u32 card)
{
	const struct vsl_sim_config *c = &configs[card];
	u8 *buf = calloc(c->ws_min, VSL_BLOCK_BYTES);
	u32 unit, off;

	MUST(buf);
	for (unit = 0; unit < c->units && unit < 3; unit++) {
		for (off = 0; off < c->eu_blocks / 2; off += c->ws_min) {
			memset(buf, off % 3 ? 0 : 0x55, c->ws_min * VSL_BLOCK_BYTES);
			buf[7] = (u8)off;
			card_do(sim, VSL_OP_PROGRAM, unit, unit % 2, off,
				c->ws_min, buf);
		}
		card_do(sim, VSL_OP_ERASE, unit, 1, 0, 0, NULL);
	}
	card_do(sim, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
	vsl_sim_poke(sim, 0, 0, 1, NULL);
	free(buf);
}

/* Return: bytes; all of the card's image in @to. */
static u32 save(struct vsl_sim *sim, u8 *to)
{
	u64 total = 0;
	u32 at = 0, done;

	do {
		MUST(at < IMAGE_MAX);
		MUST(!vsl_sim_image_read(sim, at, to + at, VSL_BLOCK_BYTES, &done,
					 &total));
		at += done;
	} while (at < total);
	return at;
}

/* ---- orders ---------------------------------------------------------------- */

static void field(struct image *image, struct feed *feed, bool is_fixed)
{
	u8 *block = image->bytes + feed_u8(feed) % image->blocks *
		    VSL_BLOCK_BYTES;
	u8 how = feed_u8(feed);
	u32 width = 1u << (how & 3);
	u32 at = feed_below(feed, how & 0x40 ? VSL_BLOCK_BYTES : 160) &
		 ~(width - 1);
	u64 number = feed_u64(feed, how & 0x20 ? 1 : width), old = 0;
	__le32 crc;

	memcpy(&old, block + at, width);
	if (how & 4)
		number += old;
	if (how & 8)
		number = old - number;
	memcpy(block + at, &number, width);
	if (!is_fixed)
		return;
	crc = cpu_to_le32(sim_image_crc(block));
	memcpy(block + 12, &crc, sizeof(crc));
}

static void swap(u8 *a, u8 *b)
{
	u8 keep[VSL_BLOCK_BYTES];

	memcpy(keep, a, sizeof(keep));
	memmove(a, b, sizeof(keep));
	memcpy(b, keep, sizeof(keep));
}

static void shift(struct image *image, struct feed *feed, enum order order)
{
	u32 at = feed_u8(feed) % image->blocks;
	u8 *block = image->bytes + at * VSL_BLOCK_BYTES;
	u32 behind = (image->blocks - at - 1) * VSL_BLOCK_BYTES;

	if (order == ORDER_SWAP) {
		swap(block, image->bytes + feed_u8(feed) % image->blocks *
			    VSL_BLOCK_BYTES);
	} else if (order == ORDER_CUT) {
		image->blocks = at + 1;
	} else if (order == ORDER_DROP && image->blocks > 1) {
		memmove(block, block + VSL_BLOCK_BYTES, behind);
		image->blocks--;
	} else if (order == ORDER_TWICE && image->blocks < BLOCKS_MAX) {
		memmove(block + VSL_BLOCK_BYTES, block,
			behind + VSL_BLOCK_BYTES);
		image->blocks++;
	}
}

/* ---- loading --------------------------------------------------------------- */

/* Load it in pieces.  Return: it was taken. */
static bool load(struct vsl_sim *sim, const struct image *image, u32 piece)
{
	u64 total = 0;
	u32 at = 0, bytes, done;
	int err = 0;

	while (at < image->blocks * VSL_BLOCK_BYTES && !err) {
		bytes = min_t(u32, piece * VSL_BLOCK_BYTES,
			      image->blocks * VSL_BLOCK_BYTES - at);
		err = vsl_sim_image_write(sim, at, image->bytes + at, bytes,
					  &done, &total);
		MUST(!err || !vsl_sim_image_loading(sim) || err == -EINVAL);
		if (!err && !vsl_sim_image_loading(sim))
			return true;
		MUST(err || done == bytes);
		at += done;
	}
	return false;
}

static void use(struct vsl_sim *sim, u32 card)
{
	const struct vsl_sim_config *c = &configs[card];
	struct vsl_eu_report report;
	u8 *buf = calloc(c->ws_min, VSL_BLOCK_BYTES);
	u32 unit, eu, off;

	MUST(buf);
	for (unit = 0; unit < c->units; unit++)
		for (eu = 0; eu < c->eus; eu++) {
			for (off = 0; off < c->eu_blocks; off++)
				card_do(sim, VSL_OP_READ, unit, eu, off, 1, buf);
			report.wp = 0;
			vsl_sim_media(sim)->ops->report(vsl_sim_media(sim), unit,
							eu, 1, &report);
			card_do(sim, VSL_OP_PROGRAM, unit, eu, report.wp,
				c->ws_min, buf);
			if (eu % 2)
				card_do(sim, VSL_OP_ERASE, unit, eu, 0, 0, NULL);
		}
	free(buf);
}

/* All but the first block, whose id is new each time, and the ids of others. */
static bool is_same(const u8 *a, const u8 *b, u32 bytes)
{
	u32 at;

	for (at = VSL_BLOCK_BYTES; at < bytes; at += VSL_BLOCK_BYTES) {
		if (memcmp(a + at, b + at, 8) ||
		    memcmp(a + at + 24, b + at + 24, VSL_BLOCK_BYTES - 24))
			return false;
		if (memcmp(a + at, "OVSL", 4) && memcmp(a + at, b + at, 24))
			return false;
	}
	return true;
}

/* A card that was loaded says the same again: of another one, too. */
static void same_again(struct vsl_sim *sim, u32 card)
{
	static u8 there[IMAGE_MAX], back[IMAGE_MAX];
	struct image image = { .bytes = there };
	struct vsl_sim *other = create(card);
	u32 bytes;

	bytes = save(sim, image.bytes);
	image.blocks = bytes / VSL_BLOCK_BYTES;
	MUST(load(other, &image, 7));
	MUST(save(other, back) == bytes);
	MUST(is_same(there, back, bytes));
	vsl_sim_destroy(other);
}

static void try(struct image *image, u32 card, u8 how)
{
	static u8 before[IMAGE_MAX], after[IMAGE_MAX];
	struct vsl_sim *sim = create(card);
	u32 bytes;

	memset(before, 0, sizeof(before));
	card_do(sim, VSL_OP_PROGRAM, 0, 0, 0, configs[card].ws_min, before);
	bytes = save(sim, before);
	if (how & 0x40)
		vsl_port_fail_after = 1 + (how >> 2 & 0xf);
	if (load(sim, image, 1 + (how >> 2 & 0xf))) {
		vsl_port_fail_after = 0;
		same_again(sim, card);
		use(sim, card);
	} else {
		vsl_port_fail_after = 0;
		vsl_sim_image_drop(sim);
		MUST(save(sim, after) == bytes);
		MUST(is_same(before, after, bytes));
	}
	vsl_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 *base[CARDS];
	static u32 base_bytes[CARDS];
	struct feed feed = { .at = data, .left = size };
	static u8 file[IMAGE_MAX];
	struct image image = { .bytes = file };
	u8 how = feed_u8(&feed);
	u32 card = (how & 3) % CARDS, orders = 0;
	struct vsl_sim *sim;
	enum order order;

	memset(file, 0, sizeof(file));
	if (!base[card]) {
		base[card] = calloc(1, IMAGE_MAX);
		MUST(base[card]);
		sim = create(card);
		fill(sim, card);
		base_bytes[card] = save(sim, base[card]);
		vsl_sim_destroy(sim);
	}
	if (how & 0x80) {
		image.blocks = min_t(u32, DIV_ROUND_UP(feed.left, VSL_BLOCK_BYTES) + 1,
				     BLOCKS_MAX);
		feed_bytes(&feed, image.bytes, min_t(size_t, feed.left, IMAGE_MAX));
	} else {
		memcpy(image.bytes, base[card], base_bytes[card]);
		image.blocks = base_bytes[card] / VSL_BLOCK_BYTES;
	}
	while (feed.left && orders++ < 64) {
		order = feed_u8(&feed) % ORDERS;
		if (order <= ORDER_FIELD_3)
			field(&image, &feed, true);
		else if (order == ORDER_DAMAGE)
			field(&image, &feed, false);
		else
			shift(&image, &feed, order);
	}
	try(&image, card, how);
	return 0;
}
