// SPDX-License-Identifier: GPL-2.0-only
/*
 * oracle.c - what a disk may answer.
 *
 * Every granule has a list of versions: one for each write, trim or zeroing
 * that was submitted and may still be seen.  A version lives in logical time
 * (one tick per submission and per end):
 *
 *	lo	it took effect after this: its submission, or the submission of
 *		a read that returned it
 *	end	it took effect before this: its end, or the end of the first
 *		read that returned it; "never" while it is under way
 *
 * V is surely older than W when end(V) < lo(W); all other pairs are
 * concurrent and nothing is assumed about their order.  From this follow all
 * answers:
 *
 *  O1	A read R may return V unless some W took effect for certain (ended well
 *	or was seen) before R began and V is surely older than W.
 *  O2	After a crash V may be found unless some durable W is surely older
 *	than... the other way round: V is surely older than some durable W.
 *  O3	A version that was read makes everything that had ended before that read
 *	surely older: two reads cannot disagree on the order.
 *  O4	What is found after a recovery replaces all versions as the durable
 *	"base": a recovered image is not taken back by a further crash (P6).
 *  O5	Atomic writes: after a crash it is wrong that one granule shows the write
 *	and another shows something surely older (P4).
 *
 * A request that ended with an error, and one that a crash cut off, may or may
 * not have taken effect before its end.
 *
 * Time costs: one short list walk per granule and request.
 */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "pattern.h"
#include "rng.h"

#define NEVER		(~0ull)
#define PENDING_READS	256

enum status { PENDING, ACKED, FAILED, CRASHED };

struct request {
	u64 lo;
	u64 end;
	u32 first;		/* granule */
	u32 nr;
	u32 seen_at;		/* P4: granule + 1 that shows it */
	u32 missing_at;		/* P4: granule + 1 that shows an older one */
	u8 kind;
	u8 flags;
	u8 status;
	bool durable;
	bool atomic;
};

struct version {
	u64 lo;
	u64 seen_end;		/* end of the first read that returned it */
	u32 tag;
	u32 next;
};

struct cell {
	u32 base;		/* value after the last recovery or format */
	u32 head;		/* newest submission first */
	u32 found;		/* by oracle_image() */
	bool base_over;		/* no crash brings the base back */
	bool lost;		/* it may read as an error, until rewritten */
	u64 lost_at;		/* what was asked for later replaces it */
};

struct oracle {
	struct oracle_rules rules;
	u32 nr_granules;
	u32 granule_sectors;
	u32 seq_base;		/* of tag 0 */
	u32 atomic_blocks;
	u32 under_way;
	u64 clock;
	struct cell *cells;
	struct request *reqs;	/* by tag; 0 is not used */
	u32 nr_reqs, max_reqs;
	struct version *versions; /* 0 ends a list */
	u32 nr_versions, max_versions, free_versions;
	u32 *volatiles;		/* tags that ended well and are not durable */
	u32 nr_volatiles, max_volatiles;
	u32 reads[PENDING_READS]; /* tags */
	u32 nr_reads;
};

/* The latest two lo's of a set of versions: a version is not its own rival. */
struct frontier {
	u64 lo;
	u64 second;
	const struct version *who;
};

static void *grown(void *mem, u32 *max, u32 need, size_t item_bytes)
{
	if (need < *max)
		return mem;
	*max = max(64u, 2 * need);
	mem = realloc(mem, *max * item_bytes);
	if (!mem)
		abort();
	return mem;
}

static u64 version_end(const struct oracle *o, const struct version *v)
{
	return min(v->seen_end, o->reqs[v->tag].end);
}

static u32 version_value(const struct oracle *o, const struct version *v)
{
	return o->reqs[v->tag].kind == VSL_IO_WRITE ? o->seq_base + v->tag :
						      VALUE_ZERO;
}

static void frontier_add(struct frontier *f, const struct version *v)
{
	if (v->lo > f->lo) {
		f->second = f->lo;
		f->lo = v->lo;
		f->who = v;
	} else if (v->lo > f->second) {
		f->second = v->lo;
	}
}

static bool frontier_kills(const struct frontier *f, const struct oracle *o,
			   const struct version *v)
{
	return version_end(o, v) < (f->who == v ? f->second : f->lo);
}

/* O1: the versions in force before @when. */
static struct frontier frontier_live(const struct oracle *o,
				     const struct cell *cell, u64 when)
{
	struct frontier f = { 0 };
	u32 i;

	for (i = cell->head; i; i = o->versions[i].next) {
		const struct version *v = &o->versions[i];

		if (o->reqs[v->tag].status != ACKED && v->seen_end == NEVER)
			continue;
		if (version_end(o, v) < when)
			frontier_add(&f, v);
	}
	return f;
}

/* O2: the durable versions, of those in force before @when. */
static struct frontier frontier_durable(const struct oracle *o,
					const struct cell *cell, u64 when)
{
	struct frontier f = { 0 };
	u32 i;

	for (i = cell->head; i; i = o->versions[i].next) {
		const struct version *v = &o->versions[i];

		if (o->reqs[v->tag].durable && version_end(o, v) < when)
			frontier_add(&f, v);
	}
	return f;
}

/* Forget what neither a read under way nor a crash can bring back. */
static void cell_prune(struct oracle *o, struct cell *cell)
{
	u64 oldest = NEVER;
	struct frontier f;
	u32 *link;
	u32 i;

	for (i = 0; i < o->nr_reads; i++)
		oldest = min(oldest, o->reqs[o->reads[i]].lo);
	f = frontier_durable(o, cell, oldest);
	if (!f.lo)
		return;
	cell->base_over = true;
	for (link = &cell->head; (i = *link);) {
		struct version *v = &o->versions[i];

		if (!frontier_kills(&f, o, v)) {
			link = &v->next;
			continue;
		}
		*link = v->next;
		v->next = o->free_versions;
		o->free_versions = i;
	}
}

static void cell_push(struct oracle *o, struct cell *cell, u32 tag)
{
	u32 i = o->free_versions;

	cell_prune(o, cell);
	i = o->free_versions;
	if (i) {
		o->free_versions = o->versions[i].next;
	} else {
		o->versions = grown(o->versions, &o->max_versions,
				    o->nr_versions + 2, sizeof(*o->versions));
		i = ++o->nr_versions;
	}
	o->versions[i] = (struct version){
		.lo = o->reqs[tag].lo,
		.seen_end = NEVER,
		.tag = tag,
		.next = cell->head,
	};
	cell->head = i;
}

/* The granules that a request touches: a trim only those of whole blocks. */
static void request_range(const struct oracle *o, struct request *req,
			  u64 sector, u32 nr_sectors)
{
	u64 end = sector + nr_sectors;

	if (req->kind == VSL_IO_TRIM) {
		sector = DIV_ROUND_UP(sector, VSL_BLOCK_SECTORS) *
			 VSL_BLOCK_SECTORS;
		end = end / VSL_BLOCK_SECTORS * VSL_BLOCK_SECTORS;
	}
	if (end <= sector)
		return;
	req->first = sector / o->granule_sectors;
	req->nr = (end - sector) / o->granule_sectors;
}

static bool request_is_atomic(const struct oracle *o, u64 sector, u32 nr)
{
	return (sector + nr - 1) / VSL_BLOCK_SECTORS -
	       sector / VSL_BLOCK_SECTORS + 1 <= o->atomic_blocks;
}

u32 oracle_begin(struct oracle *o, enum vsl_io_kind kind, u8 flags, u64 sector,
		 u32 nr_sectors)
{
	u32 tag = ++o->nr_reqs;
	struct request *req;
	u32 i;

	o->reqs = grown(o->reqs, &o->max_reqs, tag + 1, sizeof(*o->reqs));
	req = &o->reqs[tag];
	*req = (struct request){
		.lo = ++o->clock,
		.end = NEVER,
		.kind = kind,
		.flags = flags,
	};
	o->under_way++;
	if (kind == VSL_IO_FLUSH)
		return tag;
	request_range(o, req, sector, nr_sectors);
	if (kind == VSL_IO_READ) {
		VSL_ASSERT(o->nr_reads < PENDING_READS);
		o->reads[o->nr_reads++] = tag;
		return tag;
	}
	req->atomic = kind == VSL_IO_WRITE &&
		      request_is_atomic(o, sector, nr_sectors);
	for (i = 0; i < req->nr; i++)
		cell_push(o, &o->cells[req->first + i], tag);
	return tag;
}

void oracle_fill(struct oracle *o, u32 tag, void *buf)
{
	const struct request *req = &o->reqs[tag];
	u32 bytes = o->rules.sector_bytes;
	u32 i;

	for (i = 0; i < req->nr; i++)
		pattern_fill(buf + (size_t)i * bytes, bytes, o->rules.seed,
			     req->first + i, o->seq_base + tag);
}

/* Say what was found in a granule and what could have been. */
static void __attribute__((noreturn))
cell_fail(const struct oracle *o, u32 granule, const char *promise,
	  const char *when, u32 found, const void *buf)
{
	const struct cell *cell = &o->cells[granule];
	char what[128], text[768];
	size_t used = 0;
	u32 i;

	snprintf(what, sizeof(what), "write %u", found);
	if (found == VALUE_ZERO)
		snprintf(what, sizeof(what), "zeros");
	else if (found == VALUE_LOST)
		snprintf(what, sizeof(what), "an I/O error");
	else if (found == VALUE_GARBAGE)
		pattern_explain(buf, o->rules.sector_bytes, o->rules.seed,
				granule, what, sizeof(what));
	for (i = cell->head; i && used + 96 < sizeof(text);
	     i = o->versions[i].next) {
		const struct version *v = &o->versions[i];
		const struct request *req = &o->reqs[v->tag];

		used += snprintf(text + used, sizeof(text) - used,
				 " [%s %u @%llu-%lld %s%s]",
				 req->kind == VSL_IO_WRITE ? "write" : "zeros",
				 o->seq_base + v->tag, (unsigned long long)v->lo,
				 (long long)version_end(o, v),
				 req->status == ACKED ? "ended" : "open",
				 req->durable ? " durable" : "");
	}
	if (!cell->base_over)
		snprintf(text + used, sizeof(text) - used, " [base %u]",
			 cell->base);
	sim_fail(promise, "%s: sector %llu: found %s; versions, newest first:%s",
		 when, (unsigned long long)granule * o->granule_sectors, what,
		 text);
}

/* Which promise does this unexpected value break? */
static const char *cell_promise(const struct oracle *o,
				const struct cell *cell, u32 found)
{
	struct frontier f = frontier_durable(o, cell, NEVER);

	if (found == VALUE_LOST)
		return "P9";
	if (found == VALUE_GARBAGE)
		return "P2";
	if (f.who && o->reqs[f.who->tag].kind != VSL_IO_WRITE)
		return "P3";
	if (!f.who)
		return found ? "P2" : "P6";
	return o->rules.strict ? "P5" : "P1";
}

/* A forgotten base (oracle_forget()) may be anything that was ever written. */
static bool base_matches(const struct cell *cell, u32 found)
{
	if (cell->base == VALUE_GARBAGE)
		return found != VALUE_GARBAGE;
	return cell->base == found;
}

/* O1, and O3 when it is certain which version was seen. */
static void read_check(struct oracle *o, const struct request *read,
		       u32 granule, u32 found, const void *buf)
{
	struct cell *cell = &o->cells[granule];
	struct frontier f = frontier_live(o, cell, read->lo);
	struct version *seen = NULL;
	u32 matches = 0;
	u32 i;

	if (base_matches(cell, found) && !f.lo && !cell->base_over)
		matches++;
	for (i = cell->head; i; i = o->versions[i].next) {
		struct version *v = &o->versions[i];

		if (version_value(o, v) != found || v->lo > read->end ||
		    frontier_kills(&f, o, v))
			continue;
		seen = v;
		matches++;
	}
	if (!matches)
		cell_fail(o, granule, found == VALUE_LOST ? "P9" : "live",
			  "reading", found, buf);
	if (matches != 1 || !seen)
		return;
	seen->lo = max(seen->lo, read->lo);
	seen->seen_end = min(seen->seen_end, read->end);
}

/* Nothing readable has surely replaced what was lost. */
static bool may_be_lost(const struct oracle *o, u32 granule, u64 when)
{
	const struct cell *cell = &o->cells[granule];

	return cell->lost && frontier_live(o, cell, when).lo <= cell->lost_at;
}

static u32 value_of(const struct oracle *o, u32 granule, const void *buf)
{
	return pattern_read(buf, o->rules.sector_bytes, o->rules.seed, granule);
}

static void read_end(struct oracle *o, u32 tag, s32 error, const void *buf)
{
	struct request *req = &o->reqs[tag];
	u32 i;

	for (i = 0; o->reads[i] != tag; i++)
		;
	o->reads[i] = o->reads[--o->nr_reads];
	if (req->status == CRASHED)
		return;
	if (error) {
		/* One bad granule spoils the whole request. */
		for (i = 0; i < req->nr; i++)
			if (may_be_lost(o, req->first + i, req->lo))
				return;
		cell_fail(o, req->first, "P9", "reading", VALUE_LOST, NULL);
	}
	for (i = 0; i < req->nr; i++) {
		u32 granule = req->first + i;
		const void *at = buf + (size_t)i * o->rules.sector_bytes;

		read_check(o, req, granule, value_of(o, granule, at), at);
	}
}

/* All that had ended before the flush began is durable. */
static void flush_end(struct oracle *o, u64 begun)
{
	u32 kept = 0;
	u32 i;

	for (i = 0; i < o->nr_volatiles; i++) {
		u32 tag = o->volatiles[i];

		if (o->reqs[tag].end < begun)
			o->reqs[tag].durable = true;
		else
			o->volatiles[kept++] = tag;
	}
	o->nr_volatiles = kept;
}

void oracle_end(struct oracle *o, u32 tag, s32 error, const void *buf)
{
	struct request *req = &o->reqs[tag];

	req->end = ++o->clock;
	req->status = error ? FAILED : ACKED;
	o->under_way--;
	if (req->kind == VSL_IO_READ) {
		read_end(o, tag, error, buf);
	} else if (error) {
		return;
	} else if (req->kind == VSL_IO_FLUSH) {
		flush_end(o, req->lo);
	} else if ((req->flags & VSL_IO_FUA) || o->rules.strict) {
		req->durable = true;
	} else {
		o->volatiles = grown(o->volatiles, &o->max_volatiles,
				     o->nr_volatiles + 1,
				     sizeof(*o->volatiles));
		o->volatiles[o->nr_volatiles++] = tag;
	}
}

void oracle_crash(struct oracle *o)
{
	u32 tag;

	o->clock++;
	for (tag = 1; tag <= o->nr_reqs; tag++) {
		if (o->reqs[tag].status != PENDING)
			continue;
		o->reqs[tag].status = CRASHED;
		o->reqs[tag].end = o->clock;
	}
	o->nr_reads = 0;
	o->under_way = 0;
}

/* O5: note which atomic writes this granule shows and which it lacks. */
static void image_note_atomic(struct oracle *o, u32 granule, u64 newest_match)
{
	const struct cell *cell = &o->cells[granule];
	u32 i;

	for (i = cell->head; i; i = o->versions[i].next) {
		const struct version *v = &o->versions[i];
		struct request *req = &o->reqs[v->tag];

		if (!req->atomic || req->status == FAILED)
			continue;
		if (version_value(o, v) == cell->found)
			req->seen_at = granule + 1;
		else if (newest_match < v->lo)
			req->missing_at = granule + 1;
	}
}

/* O2 for one granule. */
static void image_check(struct oracle *o, u32 granule, u32 found,
			const void *buf)
{
	struct cell *cell = &o->cells[granule];
	struct frontier f = frontier_durable(o, cell, NEVER);
	u64 newest_match = 0;
	bool matched = false;
	u32 i;

	cell->found = found;
	if (base_matches(cell, found) && !f.lo && !cell->base_over)
		matched = true;
	for (i = cell->head; i; i = o->versions[i].next) {
		const struct version *v = &o->versions[i];

		if (version_value(o, v) != found || frontier_kills(&f, o, v))
			continue;
		matched = true;
		newest_match = max(newest_match, version_end(o, v));
	}
	if (!matched)
		cell_fail(o, granule, cell_promise(o, cell, found),
			  "after recovery", found, buf);
	if (cell->head)
		image_note_atomic(o, granule, newest_match);
}

void oracle_image(struct oracle *o, u64 sector, u32 nr_sectors, s32 error,
		  const void *buf)
{
	u32 granule = sector / o->granule_sectors;
	u32 end = granule + nr_sectors / o->granule_sectors;

	for (; granule < end; granule++, buf += o->rules.sector_bytes) {
		struct cell *cell = &o->cells[granule];

		if (!error) {
			image_check(o, granule, value_of(o, granule, buf), buf);
			continue;
		}
		if (!cell->lost ||
		    frontier_durable(o, cell, NEVER).lo > cell->lost_at)
			cell_fail(o, granule, "P9", "after recovery",
				  VALUE_LOST, buf);
		cell->found = VALUE_LOST;
	}
}

/* What an unreadable granule holds, if there is no doubt about it. */
static u32 cell_sole_value(const struct oracle *o, const struct cell *cell)
{
	struct frontier f = frontier_durable(o, cell, NEVER);
	u32 value = VALUE_GARBAGE, nr = 0, i;

	for (i = cell->head; i; i = o->versions[i].next) {
		if (frontier_kills(&f, o, &o->versions[i]))
			continue;
		value = version_value(o, &o->versions[i]);
		nr++;
	}
	return nr == 1 && f.lo ? value : VALUE_GARBAGE;
}

void oracle_settle(struct oracle *o)
{
	u32 i;

	for (i = 1; i <= o->nr_reqs; i++) {
		const struct request *req = &o->reqs[i];

		if (req->seen_at && req->missing_at)
			sim_fail("P4", "write %u of sectors %llu+%u is torn: there at sector %llu, missing at %llu",
				 o->seq_base + i,
				 (unsigned long long)req->first * o->granule_sectors,
				 req->nr * o->granule_sectors,
				 (unsigned long long)(req->seen_at - 1) * o->granule_sectors,
				 (unsigned long long)(req->missing_at - 1) * o->granule_sectors);
	}
	for (i = 0; i < o->nr_granules; i++) {
		struct cell *cell = &o->cells[i];

		cell->lost = cell->found == VALUE_LOST;
		cell->lost_at = 0;
		if (!cell->lost)
			cell->base = cell->found;
		else if (cell->head)
			cell->base = cell_sole_value(o, cell);
		cell->base_over = false;
		cell->head = 0;
	}
	o->seq_base += o->nr_reqs;
	o->nr_reqs = 0;
	o->nr_versions = 0;
	o->free_versions = 0;
	o->nr_volatiles = 0;
}

void oracle_formatted(struct oracle *o, const struct oracle_rules *rules)
{
	u32 i;

	o->rules = *rules;
	o->granule_sectors = rules->sector_bytes / VSL_SECTOR_BYTES;
	o->nr_granules = rules->capacity_bytes / rules->sector_bytes;
	o->cells = realloc(o->cells, (o->nr_granules + 1) * sizeof(*o->cells));
	if (!o->cells)
		abort();
	for (i = 0; i < o->nr_granules; i++)
		o->cells[i] = (struct cell){ .found = VALUE_ZERO };
	o->nr_reads = 0;
	o->under_way = 0;
	oracle_settle(o);
}

struct oracle *oracle_create(const struct oracle_rules *rules)
{
	struct oracle *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	oracle_formatted(o, rules);
	return o;
}

void oracle_destroy(struct oracle *o)
{
	free(o->cells);
	free(o->reqs);
	free(o->versions);
	free(o->volatiles);
	free(o);
}

void oracle_attached(struct oracle *o, u32 atomic_blocks)
{
	o->atomic_blocks = atomic_blocks;
}

void oracle_forget(struct oracle *o)
{
	u32 i;

	for (i = 0; i < o->nr_granules; i++)
		o->cells[i] = (struct cell){
			.base = VALUE_GARBAGE,
			.lost = true,
			.lost_at = o->clock,
		};
}

static void *copied(void *to, const void *from, size_t bytes)
{
	to = realloc(to, bytes + 1);
	if (!to)
		abort();
	if (bytes)
		memcpy(to, from, bytes);
	return to;
}

void oracle_copy(struct oracle *to, const struct oracle *from)
{
	struct oracle old = *to;

	*to = *from;
	to->max_reqs = min(from->nr_reqs + 1, from->max_reqs);
	to->max_versions = min(from->nr_versions + 1, from->max_versions);
	to->max_volatiles = min(from->nr_volatiles, from->max_volatiles);
	to->cells = copied(old.cells, from->cells,
			   from->nr_granules * sizeof(*to->cells));
	to->reqs = copied(old.reqs, from->reqs,
			  to->max_reqs * sizeof(*to->reqs));
	to->versions = copied(old.versions, from->versions,
			      to->max_versions * sizeof(*to->versions));
	to->volatiles = copied(old.volatiles, from->volatiles,
			       to->max_volatiles * sizeof(*to->volatiles));
}

u64 oracle_print(const struct oracle *o)
{
	const struct request *req;
	u64 print = o->clock;
	u32 tag;

	for (tag = 1; tag <= o->nr_reqs; tag++) {
		req = &o->reqs[tag];
		print = rng_mix(print ^ req->lo) ^ req->end;
		print = rng_mix(print + req->status * 2 + req->durable);
	}
	return print;
}

struct oracle *oracle_clone(const struct oracle *from)
{
	struct oracle *o = calloc(1, sizeof(*o));

	if (!o)
		abort();
	oracle_copy(o, from);
	return o;
}

u32 oracle_granules(const struct oracle *o)
{
	return o->nr_granules;
}

void oracle_may_lose(struct oracle *o, u64 sector, u32 nr_sectors)
{
	u32 granule = sector / o->granule_sectors;
	u32 end = granule + nr_sectors / o->granule_sectors;

	for (; granule < end; granule++) {
		o->cells[granule].lost = true;
		o->cells[granule].lost_at = o->clock;
	}
}

bool oracle_quiet(const struct oracle *o)
{
	return !o->under_way;
}
