// SPDX-License-Identifier: GPL-2.0-only
/*
 * forge.c - damage to a card, as an input tells it.
 *
 * Noise on the media ends at the first CRC and finds nothing behind it.  So an
 * input is a list of orders about structures (the newest root, the third head)
 * and their bytes, and most of them make the CRC right again: of the block
 * itself, or of the reference that leads to it, up to the root.  The rest of the
 * orders are the coarse ones: blocks and erase units that are lost, old,
 * swapped, cut short; a card that lies about itself; planted faults.
 */
#include "forge.h"

#include <stdlib.h>

#include "../../driver/core/recover.h"

#define RECORD_MAX	(VSL_BATCH * VSL_BLOCK_BYTES)

enum order {
	ORDER_END,
	ORDER_FIELD,		/* a number in a structure, CRC right */
	ORDER_FIELD_2,		/* the same: it is the one that matters */
	ORDER_FIELD_3,
	ORDER_DAMAGE,		/* a number in a structure, CRC wrong */
	ORDER_COPY,		/* a structure over another, CRC right */
	ORDER_LOSE,		/* a structure cannot be read */
	ORDER_LOSE_ANY,		/* some block cannot be read */
	ORDER_SHORTEN,		/* an erase unit loses its last blocks */
	ORDER_MOVE,		/* an erase unit gets the content of another */
	ORDER_LIE,		/* the card reports nonsense */
	ORDER_FAULT,
	ORDER_NO_MEMORY,
	ORDERS,
};

/* ---- blocks ---------------------------------------------------------------- */

static bool get(struct forgery *forgery, const struct thing *at, void *block)
{
	memset(block, 0, VSL_BLOCK_BYTES);
	return !vsl_sim_peek(forgery->bench->sim, at->unit, at->eu, at->off,
			     block);
}

static void put(struct forgery *forgery, const struct thing *at,
		const void *block)
{
	vsl_sim_poke(forgery->bench->sim, at->unit, at->eu, at->off, block);
}

static const struct thing *choose(struct forgery *forgery, u32 kind, u32 which)
{
	const struct things *things = &forgery->past->things[kind];

	return things->nr ? &things->thing[which % things->nr] : NULL;
}

/* ---- CRCs ------------------------------------------------------------------ */

static void fix_root(struct forgery *forgery, const struct thing *at)
{
	u32 blocks = forgery->past->geo.eu_blocks - at->off, left, part;
	u8 block[VSL_BLOCK_BYTES], first[VSL_BLOCK_BYTES];
	struct vsl_disk_root *root = (struct vsl_disk_root *)first;
	struct thing next = *at;
	u32 crc = VSL_CRC_SEED;

	get(forgery, at, first);
	root->crc = 0;
	left = min_t(u32, le32_to_cpu(root->bytes), RECORD_MAX);
	left = min_t(u32, left, blocks * VSL_BLOCK_BYTES);
	for (; left; left -= part, next.off++) {
		part = min_t(u32, left, VSL_BLOCK_BYTES);
		if (next.off > at->off)
			get(forgery, &next, block);
		crc = vsl_port_crc32c(crc, next.off > at->off ? block : first,
				      part);
	}
	root->crc = cpu_to_le32(crc);
	put(forgery, at, first);
}

static void fix_head(struct forgery *forgery, const struct thing *at)
{
	struct vsl_disk_head head;

	get(forgery, at, &head);
	head.crc = 0;
	head.crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, &head,
					       sizeof(head)));
	put(forgery, at, &head);
}

/* The blocks of a summary follow each other in the stripe of its segment. */
static void summary_places(struct forgery *forgery, const struct thing *at,
			   struct thing *place)
{
	const struct vsl_geo *geo = &forgery->past->geo;
	u8 units[VSL_UNITS_BYTES] = { 0 };
	struct vsl_eu_report report;
	struct vsl_stripe stripe;
	u32 unit, limit, i, ppa;
	struct vsl_media *card = vsl_sim_media(forgery->bench->sim);

	for (unit = 0; unit < geo->units; unit++) {
		report.state = VSL_EU_EMPTY;
		card->ops->report(card, unit, at->eu, 1, &report);
		if (report.state != VSL_EU_DEAD &&
		    !vsl_lane_owns(geo, unit, at->eu))
			vsl_bit_set(units, unit);
	}
	vsl_stripe_init(&stripe, geo, units);
	limit = stripe.nr ? vsl_seg_limit(geo, stripe.nr) : 0;
	for (i = 0; i < geo->sum_blocks; i++) {
		ppa = stripe.nr ? vsl_stripe_ppa(&stripe, geo, at->eu,
						 limit + i) : 0;
		place[i].unit = vsl_ppa_unit(geo, ppa);
		place[i].eu = at->eu;
		place[i].off = vsl_ppa_off(geo, ppa);
	}
	place[0] = *at;
}

static void fix_summary(struct forgery *forgery, const struct thing *at)
{
	u32 nr = forgery->past->geo.sum_blocks, i, bytes;
	struct thing *place = calloc(nr, sizeof(*place));
	u8 *record = calloc(nr, VSL_BLOCK_BYTES);
	struct vsl_disk_summary *sum = (struct vsl_disk_summary *)record;

	MUST(place && record);
	summary_places(forgery, at, place);
	for (i = 0; i < nr; i++)
		get(forgery, &place[i], record + i * VSL_BLOCK_BYTES);
	bytes = min_t(u32, le32_to_cpu(sum->bytes),
		      nr * VSL_BLOCK_BYTES - sizeof(*sum));
	sum->crc = 0;
	sum->crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, record,
					       sizeof(*sum) + bytes));
	put(forgery, at, record);
	free(record);
	free(place);
}

/* Write the CRC of @page into the reference number @nr of @parent. */
static void fix_ref(struct forgery *forgery, const struct thing *page,
		    const struct thing *parent, u32 at)
{
	u8 block[VSL_BLOCK_BYTES];
	__le32 crc;

	get(forgery, page, block);
	crc = cpu_to_le32(vsl_port_crc32c(VSL_CRC_SEED, block, sizeof(block)));
	get(forgery, parent, block);
	memcpy(block + at + offsetof(struct vsl_disk_ref, crc), &crc, 4);
	put(forgery, parent, block);
}

/* Roots come in pairs: both copies of the newest one get it. */
static void fix_in_roots(struct forgery *forgery, const struct thing *page,
			 u32 ref)
{
	const struct things *roots = &forgery->past->things[THING_ROOT];
	u32 i;

	for (i = 0; i < roots->nr && roots->thing[i].age == roots->thing[0].age;
	     i++) {
		fix_ref(forgery, page, &roots->thing[i],
			sizeof(struct vsl_disk_root) +
			ref * sizeof(struct vsl_disk_ref));
		fix_root(forgery, &roots->thing[i]);
	}
}

static void fix(struct forgery *forgery, u32 kind, const struct thing *at)
{
	const struct thing *dir;

	switch (kind) {
	case THING_ROOT:
		fix_root(forgery, at);
		break;
	case THING_HEAD:
		fix_head(forgery, at);
		break;
	case THING_SUMMARY:
		fix_summary(forgery, at);
		break;
	case THING_MAP:
		dir = choose(forgery, THING_DIR, at->age / VSL_REFS_PER_PAGE);
		fix_ref(forgery, at, dir, at->age % VSL_REFS_PER_PAGE *
			sizeof(struct vsl_disk_ref));
		fix_in_roots(forgery, dir, dir->age);
		break;
	case THING_DIR:
		fix_in_roots(forgery, at, at->age);
		break;
	default:
		fix_in_roots(forgery, at, forgery->past->geo.dir_pages +
			     at->age);
		break;
	}
}

/* ---- fields ---------------------------------------------------------------- */

/* Numbers that comparisons are made with. */
static u64 odd_number(const struct vsl_geo *geo, u8 which)
{
	const u64 odd[] = {
		0, 1, 2, ~0ull, ~0ull - 1, 1ull << 63, 1ull << 62,
		(1ull << 62) - 1, 1u << 31, VSL_PPA_NONE, VSL_PPA_LOST,
		VSL_PPA_MAX, geo->segments, geo->segments - 1, geo->units,
		geo->eu_blocks, geo->eu_blocks - 1, geo->lba_blocks,
		geo->lba_blocks - 1, vsl_seg_limit(geo, geo->units),
		vsl_seg_blocks(geo, geo->units), VSL_PACKET_BLOCKS,
		VSL_PACKET_BLOCKS + 1, geo->map_pages, VSL_ROOT_SEALED_MAX,
		VSL_ROOT_JUMPS_MAX, 0xffff, 0xffff0000u,
	};

	return odd[which % ARRAY_SIZE(odd)];
}

/* Where something may be in a structure of that kind. */
static u32 field_place(struct feed *feed, const struct vsl_geo *geo, u32 kind)
{
	u32 bytes = VSL_BLOCK_BYTES;

	switch (kind) {
	case THING_ROOT:
		bytes = sizeof(struct vsl_disk_root) +
			(geo->dir_pages + geo->segtab_pages) *
			sizeof(struct vsl_disk_ref);
		break;
	case THING_HEAD:
		bytes = offsetof(struct vsl_disk_head, entry) +
			32 * sizeof(struct vsl_disk_entry);
		break;
	case THING_SUMMARY:
		bytes = 512;
		break;
	case THING_SEGTAB:
		bytes = min_t(u32, VSL_BLOCK_BYTES, geo->segments *
			      (sizeof(struct vsl_disk_segment) +
			       geo->unit_bytes));
		break;
	case THING_DIR:
		bytes = geo->map_pages * sizeof(struct vsl_disk_ref);
		break;
	}
	return feed_below(feed, min_t(u32, bytes, VSL_BLOCK_BYTES));
}

/* How: bits 0 and 1 the width, 2 and 3 what is done with the number. */
static void change(struct forgery *forgery, struct feed *feed, u8 *block,
		   u32 kind)
{
	const struct vsl_geo *geo = &forgery->past->geo;
	u8 how = feed_u8(feed);
	u32 width = 1u << (how & 3), at;
	u64 old = 0, number;

	at = field_place(feed, geo, kind) & ~(width - 1);
	number = how & 0x80 ? odd_number(geo, feed_u8(feed)) :
			      feed_u64(feed, width);
	memcpy(&old, block + at, width);
	switch (how >> 2 & 3) {
	case 0:
		break;
	case 1:
		number = old + number;
		break;
	case 2:
		number = old - number;
		break;
	default:
		number = old ^ number;
		break;
	}
	memcpy(block + at, &number, width);
}

/* Bit 7 of @kind: where there are several of the same age, all of them. */
static void field(struct forgery *forgery, struct feed *feed, bool is_fixed)
{
	u8 kind = feed_u8(feed);
	const struct things *things;
	const struct thing *at, *first;
	u8 block[VSL_BLOCK_BYTES];
	struct feed again;

	at = choose(forgery, (kind & 0x7f) % THING_KINDS, feed_u8(feed));
	if (!at)
		return;
	things = &forgery->past->things[(kind & 0x7f) % THING_KINDS];
	first = at;
	again = *feed;
	do {
		*feed = again;
		if (get(forgery, at, block)) {
			change(forgery, feed, block, (kind & 0x7f) % THING_KINDS);
			put(forgery, at, block);
			if (is_fixed)
				fix(forgery, (kind & 0x7f) % THING_KINDS, at);
		}
		at++;
	} while (!(kind & 0x80) && at < things->thing + things->nr &&
		 at->age == first->age);
}

/* ---- coarse damage ----------------------------------------------------------- */

static void copy(struct forgery *forgery, struct feed *feed)
{
	u32 kind = feed_u8(feed) % THING_KINDS;
	const struct thing *from = choose(forgery, kind, feed_u8(feed));
	const struct thing *to = choose(forgery, kind, feed_u8(feed));
	u8 block[VSL_BLOCK_BYTES];

	if (!from || !to || !get(forgery, from, block))
		return;
	put(forgery, to, block);
	fix(forgery, kind, to);
}

static void lose(struct forgery *forgery, struct feed *feed)
{
	u32 kind = feed_u8(feed) % THING_KINDS;
	const struct thing *at = choose(forgery, kind, feed_u8(feed));

	if (at)
		put(forgery, at, NULL);
}

static struct thing any_place(struct forgery *forgery, struct feed *feed)
{
	const struct vsl_geo *geo = &forgery->past->geo;
	struct thing at = {
		.unit = feed_below(feed, geo->units),
		.eu = feed_below(feed, geo->segments),
		.off = feed_below(feed, geo->eu_blocks),
	};

	return at;
}

/*
 * Fill erase unit @to with the first @blocks blocks of @from.  What cannot be read
 * there is zeros.
 */
static void rewrite(struct forgery *forgery, const struct thing *from,
		    const struct thing *to, u32 blocks)
{
	const struct vsl_geo *geo = &forgery->past->geo;
	u8 *content = calloc(geo->eu_blocks, VSL_BLOCK_BYTES);
	struct thing at = *from;
	u32 i;

	MUST(content);
	for (i = 0; i < blocks; i++) {
		at.off = i;
		get(forgery, &at, content + i * VSL_BLOCK_BYTES);
	}
	if (bench_card_do(forgery->bench, VSL_OP_ERASE, to->unit, to->eu, 0, 0,
			  NULL) == VSL_RES_OK)
		for (i = 0; i + geo->ws_min <= blocks; i += geo->ws_min)
			bench_card_do(forgery->bench, VSL_OP_PROGRAM, to->unit,
				      to->eu, i, geo->ws_min,
				      content + i * VSL_BLOCK_BYTES);
	free(content);
}

/* The erase unit of a structure, or any. */
static struct thing some_eu(struct forgery *forgery, struct feed *feed)
{
	u8 kind = feed_u8(feed);
	const struct thing *at;

	if (kind < THING_KINDS) {
		at = choose(forgery, kind, feed_u8(feed));
		if (at)
			return *at;
	}
	return any_place(forgery, feed);
}

static void shorten(struct forgery *forgery, struct feed *feed)
{
	struct thing at = some_eu(forgery, feed);

	rewrite(forgery, &at, &at,
		feed_below(feed, forgery->past->geo.eu_blocks));
	forgery->moved = true;
}

static void move(struct forgery *forgery, struct feed *feed)
{
	struct thing from = some_eu(forgery, feed);
	struct thing to = some_eu(forgery, feed);

	rewrite(forgery, &from, &to, forgery->past->geo.eu_blocks);
	forgery->moved = true;
}

static void lie(struct forgery *forgery, struct feed *feed)
{
	struct bench *bench = forgery->bench;
	struct thing at = some_eu(forgery, feed);
	struct lie *now = &bench->lie[bench->nr_lies % BENCH_LIES];

	now->unit = at.unit;
	now->eu = at.eu;
	now->report.state = feed_u8(feed);
	now->report.wear = 0;
	now->report.wp = (u32)feed_u64(feed, now->report.state & 0x80 ? 4 : 1);
	now->report.state %= VSL_EU_DEAD + 2;
	if (bench->nr_lies < BENCH_LIES)
		bench->nr_lies++;
	forgery->lied = true;
}

static void plant(struct forgery *forgery, struct feed *feed)
{
	const struct vsl_sim_fault_name *names = vsl_sim_fault_names();
	struct vsl_sim_fault fault = { 0 };
	struct thing at;
	u8 where;
	u32 nr = 0;

	while (names[nr].name)
		nr++;
	fault.name = names[feed_u8(feed) % nr].name;
	where = feed_u8(feed);
	at = some_eu(forgery, feed);
	fault.unit = where & 1 ? at.unit : VSL_SIM_ANY;
	fault.eu = where & 2 ? at.eu : VSL_SIM_ANY;
	fault.block = where & 4 ? at.off : VSL_SIM_ANY;
	fault.count = where & 8 ? VSL_SIM_FOREVER : 1 + where / 16;
	fault.every = feed_u8(feed);
	fault.value = where & 8 ? 0 : feed_u8(feed);
	vsl_sim_plant(forgery->bench->sim, &fault);
	forgery->faulty = true;
}

/* ---- orders ---------------------------------------------------------------- */

static void do_order(struct forgery *forgery, struct feed *feed,
		     enum order order)
{
	struct thing at;

	switch (order) {
	case ORDER_DAMAGE:
		field(forgery, feed, false);
		break;
	case ORDER_COPY:
		copy(forgery, feed);
		break;
	case ORDER_LOSE:
		lose(forgery, feed);
		break;
	case ORDER_LOSE_ANY:
		at = any_place(forgery, feed);
		put(forgery, &at, NULL);
		break;
	case ORDER_SHORTEN:
		shorten(forgery, feed);
		break;
	case ORDER_MOVE:
		move(forgery, feed);
		break;
	case ORDER_LIE:
		lie(forgery, feed);
		break;
	case ORDER_FAULT:
		plant(forgery, feed);
		break;
	case ORDER_NO_MEMORY:
		forgery->fail_after = 1 + feed_u16(feed) % 4096;
		break;
	default:
		field(forgery, feed, true);
		break;
	}
}

bool forge(struct forgery *forgery, struct feed *feed)
{
	enum order order = feed_u8(feed) % ORDERS;

	if (order == ORDER_END)
		return false;
	do_order(forgery, feed, order);
	return true;
}
