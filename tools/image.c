// SPDX-License-Identifier: GPL-2.0-only
/*
 * image.c - what a file says of itself, by the header of an image.
 *
 * The driver answers one errno for every image it refuses.  Its header tells a
 * foreign file, one from the future, one of another card and a truncated one
 * apart.  The format is described in driver/media/sim_image.c.
 */
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "err.h"

#define AT_VERSION	8
#define AT_BLOCKS	24
#define AT_UNITS	32
#define AT_EUS		36
#define AT_EU_BLOCKS	40
#define VERSION		1u

static unsigned long long little_endian(const unsigned char *at, unsigned int bytes)
{
	unsigned long long number = 0;

	while (bytes--)
		number = number << 8 | at[bytes];
	return number;
}

static bool is_for(const unsigned char *block, const struct openvsl_info *info)
{
	return little_endian(block + AT_UNITS, 4) == info->units &&
	       little_endian(block + AT_EUS, 4) == info->eus &&
	       little_endian(block + AT_EU_BLOCKS, 4) == info->eu_blocks;
}

int image_check(const char *path, const unsigned char *block, size_t have,
		unsigned long long file_bytes, const struct card *card, const char *what)
{
	unsigned long long blocks;

	if (have < 8 || memcmp(block, "OVSLSIM", 8))
		return fail(RC_IMAGE, path, what, "it is not an image of a simulated card");
	if (have < IMAGE_BLOCK_BYTES)
		return fail(RC_IMAGE, path, what, "it is truncated: its header is not complete");
	if (little_endian(block + AT_VERSION, 4) > VERSION)
		return fail(RC_IMAGE, path, what, "a newer version of OpenVSL saved it");
	if (card && !is_for(block, &card->info))
		return fail(RC_IMAGE, path, what,
			    "it is the image of a card with another geometry; create one with the same preset and size");
	blocks = little_endian(block + AT_BLOCKS, 8);
	if (file_bytes / IMAGE_BLOCK_BYTES < blocks)
		return fail(RC_IMAGE, path, what,
			    "it is truncated: it has %llu bytes, and its header says %llu",
			    file_bytes, blocks * IMAGE_BLOCK_BYTES);
	if (file_bytes != blocks * IMAGE_BLOCK_BYTES)
		return fail(RC_IMAGE, path, what,
			    "it is damaged: it has %llu bytes, and its header says %llu",
			    file_bytes, blocks * IMAGE_BLOCK_BYTES);
	return RC_DONE;
}

int image_open(const char *path, const char *what, int *fd, unsigned long long *bytes)
{
	struct stat st;

	if (stat(path, &st))
		return fail(RC_FAILED, path, what, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(RC_IMAGE, path, what, "it is not a file");
	/* It may be something else by now. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		return fail(RC_FAILED, path, what, "%s", strerror(errno));
	if (fstat(*fd, &st) || !S_ISREG(st.st_mode)) {
		close(*fd);
		return fail(RC_IMAGE, path, what, "it is not a file");
	}
	*bytes = st.st_size;
	return RC_DONE;
}
