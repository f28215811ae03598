/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - the bytes of one input, taken from the front; behind the end: zeros.
 */
#ifndef VSL_FUZZ_FEED_H
#define VSL_FUZZ_FEED_H

#include "../../driver/core/port.h"

struct feed {
	const u8 *at;
	size_t left;
};

static inline void feed_bytes(struct feed *feed, void *to, size_t bytes)
{
	size_t have = min_t(size_t, bytes, feed->left);

	memset(to, 0, bytes);
	if (have)
		memcpy(to, feed->at, have);
	feed->at += have;
	feed->left -= have;
}

static inline u8 feed_u8(struct feed *feed)
{
	u8 value;

	feed_bytes(feed, &value, 1);
	return value;
}

static inline u16 feed_u16(struct feed *feed)
{
	u8 value[2];

	feed_bytes(feed, value, 2);
	return (u16)(value[0] | value[1] << 8);
}

static inline u64 feed_u64(struct feed *feed, u32 bytes)
{
	u8 value[8] = { 0 };
	u64 number = 0;
	u32 i;

	feed_bytes(feed, value, min_t(u32, bytes, 8));
	for (i = 0; i < 8; i++)
		number |= (u64)value[i] << (8 * i);
	return number;
}

/* 0 to @limit - 1; 0 where that is nothing. */
static inline u32 feed_below(struct feed *feed, u32 limit)
{
	return limit ? feed_u16(feed) % limit : 0;
}

/* What every target is; replay.c calls it where there is no libFuzzer. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Something that must never be: say it and die, so that the input is kept. */
__attribute__((noreturn, format(printf, 1, 2)))
void broken(const char *fmt, ...);

#define MUST(cond)						\
	do {							\
		if (!(cond))					\
			broken("%s:%d: %s", __FILE__, __LINE__, #cond); \
	} while (0)

#endif /* VSL_FUZZ_FEED_H */
