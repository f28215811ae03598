/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - what a look at a card's image has found.
 *
 * Between the files that know the core (check_*.c behind check_int.h) and those
 * that know people and programs (cmd_check.c, check_text.c, check_json.c), whose
 * headers do not go together.
 */
#ifndef VSL_TOOLS_CHECK_H
#define VSL_TOOLS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define CHECK_LANES	2
#define CHECK_FINDINGS	64	/* that are kept in words */
#define CHECK_RANGES	256	/* of each kind that are kept */

/* How bad it is; the worst one decides the exit status. */
enum check_weight {
	CHECK_FINE,
	CHECK_NOTE,		/* worth knowing; attach puts it right */
	CHECK_DAMAGE,		/* something is lost; the rest can be read */
	CHECK_BROKEN,		/* what tells where the data is is damaged */
	CHECK_BAD_IMAGE,	/* the file is not what was saved */
};

enum check_state {
	CHECK_UNFORMATTED,
	CHECK_NO_ROOT,		/* there was something, and it has no root */
	CHECK_FUTURE,		/* a format of a newer version */
	CHECK_PAST,		/* of an older one */
	CHECK_FOREIGN,		/* formatted as another card, or cannot be served */
	CHECK_REFUSED,		/* attach ends with an error */
	CHECK_ATTACHED,		/* everything below was found out */
};

enum check_kind {
	CHECK_LOST,		/* known to be lost: reads as an error */
	CHECK_UNREADABLE,
	CHECK_CORRUPT,		/* not what its checksum says */
	CHECK_UNPROVEN,		/* no list of its segment has it */
	CHECK_KINDS,
};

/**
 * struct check_range - blocks of the disk that have the same trouble
 * @first: block of 4 KiB
 * @last: likewise
 */
struct check_range {
	unsigned int first;
	unsigned int last;
};

/**
 * struct check_trouble - blocks of one enum check_kind
 * @blocks: all of them
 * @nr: ranges that are kept
 * @omitted: ranges that are not
 * @range: ascending
 */
struct check_trouble {
	unsigned long long blocks;
	unsigned int nr;
	unsigned int omitted;
	struct check_range range[CHECK_RANGES];
};

/**
 * struct check_finding - one thing that is not as it should be
 * @weight: how bad
 * @code: for programs, a word that stays
 * @text: for people
 */
struct check_finding {
	enum check_weight weight;
	const char *code;
	char text[200];
};

/**
 * struct check_lane - one of the two places of roots
 * @found: there is one
 * @generation: of its newest
 * @unit: erase unit it is in
 * @eu: likewise
 */
struct check_lane {
	bool found;
	unsigned long long generation;
	unsigned int unit;
	unsigned int eu;
};

struct check_core;		/* check_int.h */

/**
 * struct check - a look at an image
 * @image: the whole file in memory, which is only read
 * @bytes: of it
 * @stop: asked now and then: is it to end?
 * @progress: told now and then
 * @ctx: of both
 * @core: what check_open() made
 *
 * The rest is answers, in the order in which they are found out.
 */
struct check {
	const unsigned char *image;
	unsigned long long bytes;
	bool (*stop)(void *ctx);
	void (*progress)(void *ctx, unsigned int permille);
	void *ctx;
	struct check_core *core;

	/* the image, by check_open() */
	char model[49];
	char serial[25];
	bool model_known;
	unsigned int units;
	unsigned int eus;
	unsigned int eu_blocks;
	unsigned int ws_min;
	unsigned int oob_bytes;
	unsigned int eus_bad;
	unsigned int erase_min;
	unsigned int erase_max;
	unsigned long long erase_sum;
	unsigned long long rotten_blocks;
	unsigned long long rotten_offset;

	/* the format, by check_roots() */
	enum check_state state;
	struct check_lane lane[CHECK_LANES];
	unsigned int version;
	unsigned char uuid[16];
	unsigned long long format_ts;
	unsigned int sector_bytes;
	unsigned long long capacity_bytes;
	unsigned long long generation;
	bool clean;

	/* the disk, by check_attach() */
	int attach_error;
	unsigned long long log_blocks;
	unsigned long long commits;
	unsigned long long doubts;
	unsigned long long doubt_blocks;
	unsigned long long mapped_blocks;
	unsigned int segments;
	unsigned int segments_free;
	unsigned int segments_bad;
	unsigned int spare_permyriad;
	unsigned int spare_warn_permyriad;
	bool audit_passed;

	/* the data, by check_data() */
	bool data_done;
	unsigned long long data_blocks;
	unsigned long long data_good;

	struct check_trouble trouble[CHECK_KINDS];
	enum check_weight worst;
	unsigned int nr_findings;
	unsigned int omitted_findings;
	struct check_finding finding[CHECK_FINDINGS];
};

/**
 * check_open() - believe the image as far as its own checksums go
 *
 * check_close() must follow, whatever it returns.
 *
 * Return: 0; -EBADMSG damaged; -EINVAL a card that cannot be; -ENOMEM; -EINTR.
 */
int check_open(struct check *check);

/** check_roots() - look for the roots; check->state.  Return: 0 or -ENOMEM */
int check_roots(struct check *check);

/**
 * check_attach() - attach without writing, and audit; only after check_roots()
 * said CHECK_ATTACHED
 *
 * Return: 0, look at check->state; -ENOMEM.
 */
int check_attach(struct check *check);

/** check_data() - read all that is mapped.  Return: 0, -ENOMEM, -EINTR */
int check_data(struct check *check);

/** check_close() - give all memory back; the answers stay */
void check_close(struct check *check);

/** check_find() - add a finding.  @fmt: for people */
__attribute__((format(printf, 4, 5)))
void check_find(struct check *check, enum check_weight weight, const char *code,
		const char *fmt, ...);

/** check_trouble_add() - one more block; in ascending order for each kind */
void check_trouble_add(struct check *check, enum check_kind kind, unsigned int block);

/** check_text() - print it for people.  @name: of the image; @brief: findings only */
void check_text(const struct check *check, const char *name, bool brief);

/** check_json() - print it for programs.  @rc: exit status */
void check_json(const struct check *check, const char *name, int rc);

/** check_verdict() - the whole of it in one sentence */
const char *check_verdict(const struct check *check);

#endif /* VSL_TOOLS_CHECK_H */
