// SPDX-License-Identifier: GPL-2.0-only
/*
 * look.c - what is on a card that is not attached.
 *
 * The driver gives blocks by unit, erase unit and block of that; those who used the
 * disk before saw bytes from its start to its end.  openvsl.h says how the one
 * becomes the other (OPENVSL_IOC_PEEK).  What is left over at the end, less than a
 * segment, belongs to no erase unit and cannot be seen.
 */
#include "look.h"

static unsigned long long disk_blocks(const struct openvsl_info *info)
{
	return (unsigned long long)info->units * info->eus * info->eu_blocks;
}

bool look_is_possible(const struct card *card)
{
	return card->info.flags & OPENVSL_INFO_LINEAR && disk_blocks(&card->info);
}

static int peek(void *ctx, unsigned long long nr, unsigned char *block)
{
	const struct card *card = ctx;
	const struct openvsl_info *info = &card->info;
	struct openvsl_peek arg = { .size = sizeof(arg), .buf = (unsigned long)block };

	arg.off = nr % info->eu_blocks;
	nr /= info->eu_blocks;
	arg.unit = nr % info->units;
	arg.eu = nr / info->units;
	return dev_call(card->fd, OPENVSL_IOC_PEEK, &arg);
}

int look_at_card(const struct card *card, struct signatures *found)
{
	const struct signature_disk disk = {
		.bytes = disk_blocks(&card->info) * SIGNATURE_BLOCK_BYTES,
		.read = peek,
		.ctx = (void *)card,
	};

	return signatures_find(&disk, found);
}
