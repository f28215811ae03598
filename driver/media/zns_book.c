// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * zns_book.c - what is known of zones.
 *
 * A card says what a zone holds only when it is asked, and a read of what was never
 * written it answers with zeros or anything.  The core wants to be told that there
 * is nothing (VSL_RES_UNWRITTEN).  So a book is kept: for each zone where it was
 * programmed to.
 *
 * It is also where zones are counted that are active: begun, and neither full nor
 * finished nor reset.  The core keeps to the limit with those that it writes to, but
 * leaves others behind: after a power loss, and where a program did not end well.
 * When one more zone is begun than may be active, that which was not written to for
 * longest is finished first.  Should the core want to go on in it, it is told that
 * nothing more fits.
 *
 * Invariants
 * B1  At most one command that changes a zone is under way (VSL_ZNS_BUSY).
 * B2  Blocks before @wp are there; from @end on nothing was ever programmed; between
 *     them anything can be found.  @wp <= @end <= eu_blocks.
 * B3  A program that is not known to have had no effect ends the zone: nothing more
 *     is programmed there until it was erased.
 * B4  A zone that may be active is counted.
 */
#include "zns.h"

/* ---- what a card says ------------------------------------------------------- */

static u64 start_of(const struct vsl_zns_shape *shape, u32 index)
{
	return index * shape->zone_lbas;
}

static const char *what_is_wrong(const struct vsl_zns_shape *shape, u32 index,
				 const struct nvme_zone *from)
{
	u64 start = le64_to_cpu(from->start);
	u64 capacity = le64_to_cpu(from->capacity);

	if (NVME_ZONE_TYPE(from) != NVME_ZONE_SEQUENTIAL)
		return "it is of an unknown type";
	if (start != start_of(shape, index))
		return "it does not start where it should";
	if (capacity > shape->zone_lbas)
		return "its capacity is above its size";
	return NULL;
}

u32 vsl_zns_blocks(const struct vsl_zns_shape *shape, u32 index,
		   const struct nvme_zone *from)
{
	u64 blocks = le64_to_cpu(from->capacity) >> shape->block_shift;

	if (what_is_wrong(shape, index, from) ||
	    NVME_ZONE_STATE(from) == NVME_ZONE_OFFLINE)
		return 0;
	return min_t(u64, blocks, 0xffffffffu);
}

static const char *judge_wp(const struct vsl_zns_shape *shape,
			    const struct nvme_zone *from,
			    struct vsl_zns_zone *zone)
{
	u64 wp = le64_to_cpu(from->wp) - le64_to_cpu(from->start);
	u64 up = wp + (1u << shape->block_shift) - 1;

	/* Also where it is below the start. */
	if (wp > le64_to_cpu(from->capacity))
		return "its write pointer is outside its capacity";
	zone->wp = min_t(u64, wp >> shape->block_shift, shape->eu_blocks);
	zone->end = min_t(u64, up >> shape->block_shift, shape->eu_blocks);
	if (zone->wp != zone->end || zone->wp == shape->eu_blocks)
		zone->flags |= VSL_ZNS_ENDED;
	return NULL;
}

static const char *judge(const struct vsl_zns_shape *shape, u32 index,
			 const struct nvme_zone *from,
			 struct vsl_zns_zone *zone)
{
	const char *wrong = what_is_wrong(shape, index, from);

	if (wrong)
		return wrong;
	switch (NVME_ZONE_STATE(from)) {
	case NVME_ZONE_EMPTY:
		zone->state = VSL_EU_EMPTY;
		break;
	case NVME_ZONE_OPENED:
	case NVME_ZONE_OPEN:
	case NVME_ZONE_CLOSED:
		zone->state = VSL_EU_OPEN;
		zone->flags = VSL_ZNS_ACTIVE;
		wrong = judge_wp(shape, from, zone);
		break;
	case NVME_ZONE_FULL:
	case NVME_ZONE_RDONLY:
		zone->state = NVME_ZONE_STATE(from) == NVME_ZONE_FULL ?
			      VSL_EU_FULL : VSL_EU_RDONLY;
		zone->wp = shape->eu_blocks;
		zone->end = shape->eu_blocks;
		break;
	case NVME_ZONE_OFFLINE:
		zone->state = VSL_EU_DEAD;
		return NULL;
	default:
		return "its state is an unknown one";
	}
	if (!wrong && vsl_zns_blocks(shape, index, from) < shape->eu_blocks)
		wrong = "it holds less than the others";
	return wrong;
}

const char *vsl_zns_judge(const struct vsl_zns_shape *shape, u32 index,
			  const struct nvme_zone *from,
			  struct vsl_zns_zone *zone)
{
	const char *wrong;

	memset(zone, 0, sizeof(*zone));
	wrong = judge(shape, index, from, zone);
	if (wrong) {
		zone->state = VSL_EU_DEAD;
		zone->wp = 0;
		zone->end = 0;
		/* It may count all the same. */
		zone->flags &= VSL_ZNS_ACTIVE;
	}
	return wrong;
}

/* ---- the limit -------------------------------------------------------------- */

static void activate(struct vsl_zns_book *book, u32 index)
{
	struct vsl_zns_zone *zone = &book->zone[index];

	if (zone->flags & VSL_ZNS_ACTIVE)
		return;
	zone->flags |= VSL_ZNS_ACTIVE;
	book->active[book->nr_active++] = index;
}

static void deactivate(struct vsl_zns_book *book, u32 index)
{
	struct vsl_zns_zone *zone = &book->zone[index];
	u32 i;

	if (!(zone->flags & VSL_ZNS_ACTIVE))
		return;
	zone->flags &= (u8)~VSL_ZNS_ACTIVE;
	book->nr_active--;
	for (i = 0; i < book->nr_active; i++) {
		if (book->active[i] != index)
			continue;
		book->active[i] = book->active[book->nr_active];
		break;
	}
}

static bool is_at_limit(const struct vsl_zns_book *book)
{
	return book->limit && book->nr_active >= book->limit;
}

/* How much a zone is worth finishing: nothing more goes there, or long unused. */
static u64 worth(const struct vsl_zns_book *book,
		 const struct vsl_zns_zone *zone)
{
	u64 age = book->clock - zone->used;

	return zone->flags & VSL_ZNS_ENDED ? age + ((u64)1 << 32) : age;
}

u32 vsl_zns_make_room(struct vsl_zns_book *book)
{
	u32 i, best = VSL_ZNS_NONE;

	if (book->finishing != VSL_ZNS_NONE || !is_at_limit(book))
		return VSL_ZNS_NONE;
	for (i = 0; i < book->nr_active; i++) {
		const struct vsl_zns_zone *zone = &book->zone[book->active[i]];

		if (zone->flags & VSL_ZNS_BUSY)
			continue;
		if (best == VSL_ZNS_NONE ||
		    worth(book, zone) > worth(book, &book->zone[best]))
			best = book->active[i];
	}
	if (best == VSL_ZNS_NONE)
		return best;
	book->zone[best].flags |= VSL_ZNS_BUSY;
	book->changes++;
	book->finishing = best;
	return best;
}

static void finished(struct vsl_zns_book *book, u32 index)
{
	if (book->zone[index].state != VSL_EU_DEAD)
		book->zone[index].state = VSL_EU_FULL;
	deactivate(book, index);
}

void vsl_zns_room_made(struct vsl_zns_book *book, u8 result)
{
	struct vsl_zns_zone *zone = &book->zone[book->finishing];

	zone->flags &= (u8)~VSL_ZNS_BUSY;
	if (result == VSL_RES_OK) {
		finished(book, book->finishing);
		book->failed = 0;
	} else if (result == VSL_RES_EU_DEAD) {
		zone->state = VSL_EU_RDONLY;
		deactivate(book, book->finishing);
	} else {
		/* Another one first.  If none can be, the card may refuse itself. */
		zone->flags &= VSL_ZNS_ACTIVE;
		zone->state = VSL_EU_UNKNOWN;
		zone->used = ++book->clock;
		if (++book->failed > book->nr_active)
			book->limit = 0;
	}
	book->finishing = VSL_ZNS_NONE;
}

void vsl_zns_too_many(struct vsl_zns_book *book)
{
	u32 fewer = max(book->nr_active, 2u) - 1;

	if (!book->limit || book->limit > fewer)
		book->limit = fewer;
}

/* ---- what is done with them ------------------------------------------------- */

static int ends(enum vsl_result result)
{
	return result + 1;
}

static int take_program(struct vsl_zns_book *book, u32 index,
			const struct vsl_op *op)
{
	struct vsl_zns_zone *zone = &book->zone[index];

	if (zone->flags & VSL_ZNS_ENDED || zone->state == VSL_EU_FULL ||
	    zone->state == VSL_EU_UNKNOWN || op->off != zone->wp)
		return ends(VSL_RES_EU_ENDED);
	if (!(zone->flags & VSL_ZNS_ACTIVE) && is_at_limit(book))
		return VSL_ZNS_WAIT;
	activate(book, index);
	zone->state = VSL_EU_OPEN;
	zone->used = ++book->clock;
	WRITE_ONCE(zone->end, max(zone->end, op->off + op->nr));
	return VSL_ZNS_GO;
}

int vsl_zns_take(struct vsl_zns_book *book, u32 index, const struct vsl_op *op)
{
	struct vsl_zns_zone *zone = &book->zone[index];
	int ret = VSL_ZNS_GO;

	if (zone->flags & VSL_ZNS_BUSY)
		return index == book->finishing ? VSL_ZNS_WAIT :
						  ends(VSL_RES_INVALID);
	if (zone->state == VSL_EU_DEAD || zone->state == VSL_EU_RDONLY)
		return ends(VSL_RES_EU_DEAD);
	if (op->kind == VSL_OP_PROGRAM)
		ret = take_program(book, index, op);
	else if (op->kind == VSL_OP_ERASE && zone->state == VSL_EU_EMPTY)
		ret = ends(VSL_RES_OK);
	else if (op->kind == VSL_OP_FINISH && zone->state == VSL_EU_FULL)
		ret = ends(VSL_RES_OK);
	if (ret != VSL_ZNS_GO)
		return ret;
	zone->flags |= VSL_ZNS_BUSY;
	book->changes++;
	return VSL_ZNS_GO;
}

static void settle_program(struct vsl_zns_book *book, u32 index,
			   const struct vsl_op *op)
{
	struct vsl_zns_zone *zone = &book->zone[index];

	if (op->result == VSL_RES_OK || op->result == VSL_RES_REFRESH) {
		zone->wp = op->off + op->nr;
		if (zone->wp < book->eu_blocks)
			return;
		if (book->is_whole)
			finished(book, index);
	} else if (op->result == VSL_RES_TRANSIENT) {
		/* If it had an effect the card will say so. */
		return;
	}
	zone->flags |= VSL_ZNS_ENDED;
}

static void settle_erase(struct vsl_zns_book *book, u32 index, u8 result)
{
	struct vsl_zns_zone *zone = &book->zone[index];

	if (result == VSL_RES_OK) {
		deactivate(book, index);
		zone->state = VSL_EU_EMPTY;
		zone->flags = 0;
		zone->wp = 0;
		WRITE_ONCE(zone->end, 0);
	} else {
		zone->state = VSL_EU_UNKNOWN;
		zone->flags |= VSL_ZNS_ENDED;
		WRITE_ONCE(zone->end, book->eu_blocks);
	}
}

void vsl_zns_settle(struct vsl_zns_book *book, u32 index,
		    const struct vsl_op *op)
{
	struct vsl_zns_zone *zone = &book->zone[index];

	zone->flags &= (u8)~VSL_ZNS_BUSY;
	if (op->kind == VSL_OP_PROGRAM)
		settle_program(book, index, op);
	else if (op->kind == VSL_OP_ERASE)
		settle_erase(book, index, op->result);
	else if (op->result == VSL_RES_OK)
		finished(book, index);
	else
		zone->flags |= VSL_ZNS_ENDED;
}

void vsl_zns_note(struct vsl_zns_book *book, u32 index,
		  const struct vsl_zns_zone *told)
{
	struct vsl_zns_zone *zone = &book->zone[index];
	bool is_known = zone->state == VSL_EU_FULL &&
			told->state == VSL_EU_FULL;

	if (zone->flags & VSL_ZNS_BUSY)
		return;
	if (told->flags & VSL_ZNS_ACTIVE)
		activate(book, index);
	else
		deactivate(book, index);
	zone->state = told->state;
	zone->flags = told->flags;
	/* Of a full one the card does not know where its data ends. */
	if (is_known)
		return;
	zone->wp = told->wp;
	WRITE_ONCE(zone->end, told->end);
}

u32 vsl_zns_readable(const struct vsl_zns_book *book, u32 index, u32 off,
		     u32 nr)
{
	u32 end = READ_ONCE(book->zone[index].end);

	return off < end ? min(nr, end - off) : 0;
}
