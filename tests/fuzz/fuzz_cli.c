// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cli.c - what the tools read: words that people type, and what a driver or a
 * file tells them.
 *
 * The first byte says which. Sizes, numbers and names are parsed; a card that
 * says anything at all of itself is reported in every form; command lines are run
 * that change nothing but by an ioctl; an image's header is looked at, and what a disk
 * of any size carries.  The device
 * layer (dev.h) is here, and answers from the input.
 *
 * What is printed is only what a terminal may see, and JSON is JSON.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/card.h"
#include "../../tools/dev.h"
#include "../../tools/image.h"
#include "../../tools/name.h"
#include "../../tools/signature.h"
#include "../../tools/size.h"
#include "../../tools/status.h"
#undef ARRAY_SIZE
#undef __printf
#include "feed.h"

#define FD_DRIVER	1000
#define FD_CARD		2000
#define WORDS_MAX	8u
#define TEXT_MAX	128u

/* What the driver says; the rest of the input, for errors. */
static struct openvsl_version the_version;
static struct openvsl_info the_info;
static struct dev_pci the_pci;
static struct feed *the_feed;

/* ---- the device layer ------------------------------------------------------ */

int dev_open_driver(void)
{
	return FD_DRIVER;
}

int dev_open_card(unsigned int card)
{
	return FD_CARD + (int)card;
}

void dev_close(int fd)
{
	MUST(fd >= FD_DRIVER);
}

int dev_call(int fd, unsigned long request, void *arg)
{
	u32 size;

	memcpy(&size, arg, sizeof(size));
	MUST(size == _IOC_SIZE(request));
	if (request == OPENVSL_IOC_VERSION) {
		memcpy(arg, &the_version, sizeof(the_version));
	} else if (request == OPENVSL_IOC_INFO) {
		memcpy(arg, &the_info, sizeof(the_info));
		if (the_info.pad0 < 0x80)
			((struct openvsl_info *)arg)->card = (u32)(fd - FD_CARD);
	} else if (request == OPENVSL_IOC_LOGS) {
		/* From what it says of itself, to leave the rest of the input alone. */
		memcpy(arg, &the_info, sizeof(struct openvsl_logs));
		((struct openvsl_logs *)arg)->flags = ~the_info.pad0;
	} else {
		return -(int)feed_u8(the_feed);
	}
	return 0;
}

bool dev_exists(const char *path)
{
	return strlen(path) & 1;
}

const char *dev_resolve(const char *path, char *buf, size_t bytes)
{
	if (strlen(path) & 1)
		return NULL;
	snprintf(buf, bytes, "/dev/fct%zu", strlen(path));
	return buf;
}

void dev_pci(const struct openvsl_info *info, struct dev_pci *pci)
{
	(void)info;
	*pci = the_pci;
}

void dev_host(struct dev_host *host)
{
	memset(host, 0xa5, sizeof(*host));
}

void dev_users(const char *disk, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s", disk);
}

/* Commands that give devices away are not among the words: there is no machine. */
const char *dev_root(void)
{
	return "/nonexistent";
}

int dev_write(const char *path, const char *text)
{
	(void)path;
	(void)text;
	MUST(false);
	return -1;
}

int dev_open_disk(const char *name, bool alone)
{
	(void)name;
	(void)alone;
	MUST(false);
	return -1;
}

/* ---- what may be printed ----------------------------------------------------- */

static void must_be_tame(const char *text)
{
	for (; *text; text++)
		if (*text != '\n' && *text != '\t' &&
		    (*text < 0x20 || *text > 0x7e))
			broken("byte 0x%02x is printed", (u8)*text);
}

static const char *json_value(const char *at);

static const char *json_space(const char *at)
{
	return at + strspn(at, " \n");
}

static const char *json_text(const char *at)
{
	MUST(*at == '"');
	for (at++; *at != '"'; at++) {
		MUST((u8)*at >= 0x20);
		if (*at != '\\')
			continue;
		at++;
		MUST(*at && strchr("\"\\/bfnrtu", *at));
		if (*at == 'u') {
			MUST(strspn(at + 1, "0123456789abcdef") >= 4);
			at += 4;
		}
	}
	return at + 1;
}

static const char *json_list(const char *at, char end)
{
	at = json_space(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (end == '}') {
			at = json_space(json_text(at));
			MUST(*at == ':');
			at = json_space(at + 1);
		}
		at = json_space(json_value(at));
		if (*at == end)
			return at + 1;
		MUST(*at == ',');
		at = json_space(at + 1);
	}
}

static const char *json_value(const char *at)
{
	static const char * const words[] = { "true", "false", "null" };
	size_t i, len;

	switch (*at) {
	case '{':
		return json_list(at, '}');
	case '[':
		return json_list(at, ']');
	case '"':
		return json_text(at);
	}
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(at, words[i], strlen(words[i])))
			return at + strlen(words[i]);
	len = strspn(at, "-0123456789.");
	MUST(len);
	return at + len;
}

static void must_be_json(const char *text)
{
	MUST(!*json_space(json_value(json_space(text))));
}

/* ---- kinds of inputs ------------------------------------------------------- */

static FILE *real_out, *real_err;
static char *printed;
static size_t printed_bytes;

static void catch_output(void)
{
	real_out = stdout;
	real_err = stderr;
	stdout = open_memstream(&printed, &printed_bytes);
	stderr = stdout;
	MUST(stdout);
}

static void check_output(bool is_json)
{
	fclose(stdout);
	stdout = real_out;
	stderr = real_err;
	must_be_tame(printed);
	if (is_json)
		must_be_json(printed);
	free(printed);
	printed = NULL;
}

/* A text of the input, up to its next zero. */
static void feed_text(struct feed *feed, char *text)
{
	u32 i;

	for (i = 0; i < TEXT_MAX - 1 && feed->left; i++) {
		text[i] = (char)feed_u8(feed);
		if (!text[i])
			return;
	}
	text[i] = '\0';
}

static void words(struct feed *feed)
{
	char text[TEXT_MAX], buf[SIZE_TEXT], again[SIZE_TEXT];
	unsigned long long number = 0, whole = feed_u64(feed, 8);
	unsigned int sector;
	struct name name;
	char *end;

	feed_text(feed, text);
	if (!size_parse(text, 0, &number)) {
		MUST(*text >= '0' && *text <= '9' && !strchr(text, '%'));
		snprintf(again, sizeof(again), "%llu", number);
		MUST(!size_parse(again, 0, &number));
	}
	size_parse(text, whole, &number);
	size_parse_sector(text, &sector);
	if (!number_parse(text, whole, &number)) {
		errno = 0;
		MUST(number <= whole);
		MUST(strtoull(text, &end, text[1] == 'x' || text[1] == 'X' ?
			      16 : 10) == number && !errno && !*end);
	}
	size_text(whole, buf, sizeof(buf));
	must_be_tame(buf);
	count_text(whole, buf, sizeof(buf));
	must_be_tame(buf);
	name_parse(text, &name);
	MUST(strnlen(name.disk, sizeof(name.disk)) < sizeof(name.disk));
	MUST(name.kind != NAME_CARD || name.card < OPENVSL_CARDS_MAX);
}

/* A healthy card, with numbers and texts of the input in it. */
static void tell(struct feed *feed)
{
	u32 changes = feed_u8(feed) % 64, at, bytes;

	memset(&the_version, 0, sizeof(the_version));
	the_version.abi_major = OPENVSL_ABI_MAJOR;
	the_version.cards[0] = feed_u8(feed) | 1;
	feed_bytes(feed, the_version.driver, feed_u8(feed) % 65);
	memset(&the_info, 0, sizeof(the_info));
	the_info.state = OPENVSL_STATE_ATTACHED;
	the_info.capacity_bytes = 160000000000ull;
	the_info.flags = OPENVSL_INFO_FORMATTED;
	memset(&the_pci, feed_u8(feed), sizeof(the_pci));
	the_pci.counted = feed_u8(feed) & 1;
	while (changes--) {
		at = feed_below(feed, sizeof(the_info));
		bytes = 1u << (feed_u8(feed) & 7);
		feed_bytes(feed, (u8 *)&the_info + at,
			   min_t(u32, bytes, sizeof(the_info) - at));
	}
}

static void report(struct feed *feed)
{
	struct driver driver;
	struct cards cards;
	u8 form;

	tell(feed);
	form = feed_u8(feed);
	catch_output();
	if (!cards_open_some(&cards, &driver, NULL, 0, NULL)) {
		switch (form & 3) {
		case 0:
			status_text(&cards, &driver, cards.nr, form >> 2 & 3,
				    false);
			break;
		case 1:
			status_fields(&cards, form & 0x40, (form >> 2) % 3);
			break;
		case 2:
			status_lines(&cards, (form >> 2) % 3);
			break;
		default:
			status_json(&cards, &driver);
			break;
		}
		check_output((form & 3) == 3 || (form & 0x43) == 1);
	} else {
		check_output(false);
	}
	cards_close(&cards);
	driver_close(&driver);
}

static void run_command(struct feed *feed)
{
	static const struct command * const commands[] = {
		&cmd_status, &cmd_sim_create, &cmd_sim_fault, &cmd_beacon,
		&cmd_sim_presets, &cmd_sim_faults, &cmd_sim_cut,
		&cmd_sim_power, &cmd_sim_destroy,
	};
	const struct command *cmd = commands[feed_u8(feed) %
					     ARRAY_SIZE(commands)];
	char text[WORDS_MAX][TEXT_MAX];
	char *argv[WORDS_MAX + 2];
	int argc = 1, rc;

	tell(feed);
	argv[0] = (char *)cmd->name;
	while (argc <= (int)WORDS_MAX && feed->left) {
		feed_text(feed, text[argc - 1]);
		argv[argc] = text[argc - 1];
		argc++;
	}
	argv[argc] = NULL;
	optind = 0;
	catch_output();
	rc = cmd->run(cmd, argc, argv);
	fclose(stdout);
	stdout = real_out;
	stderr = real_err;
	free(printed);
	printed = NULL;
	MUST(rc >= 0 && rc <= RC_DENIED);
}

static void image(struct feed *feed)
{
	u8 block[IMAGE_BLOCK_BYTES];
	struct card card;
	size_t have;

	tell(feed);
	memset(&card, 0, sizeof(card));
	card.info = the_info;
	have = min_t(size_t, feed_u16(feed), sizeof(block));
	feed_bytes(feed, block, have);
	if (have > 12 && card.info.pad0 & 1)
		memcpy(block, "OVSLSIM\0\1\0\0", 12);
	catch_output();
	image_check("file", block, have, feed_u64(feed, 8), &card, "cannot load");
	check_output(false);
}

/* A disk of the input's bytes, or of a few of them again and again. */
static int read_disk(void *ctx, unsigned long long nr, unsigned char *block)
{
	const struct signature_disk *disk = ctx;
	u8 piece[256];
	u32 i;

	MUST(disk->bytes && nr <= (disk->bytes - 1) / SIGNATURE_BLOCK_BYTES);
	memset(piece, 0, sizeof(piece));
	feed_bytes(the_feed, piece, sizeof(piece));
	for (i = 0; i < SIGNATURE_BLOCK_BYTES; i += sizeof(piece))
		memcpy(block + i, piece, sizeof(piece));
	return piece[0] == 0xee ? -(int)piece[1] : 0;
}

static void disk(struct feed *feed)
{
	struct signature_disk disk = {
		.bytes = feed_u64(feed, 8) >> (feed_u8(feed) & 63),
		.read = read_disk,
		.ctx = &disk,
	};
	struct signatures found;
	char text[512];

	signatures_find(&disk, &found);
	MUST(found.nr <= SIGNATURES_MAX);
	must_be_tame(signatures_text(&found, text, feed_u8(feed) + 1));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct feed feed = { .at = data, .left = size };
	u8 which = feed_u8(&feed);

	the_feed = &feed;
	if (which >= 0xf0) {
		disk(&feed);
		return 0;
	}
	switch (which & 3) {
	case 0:
		words(&feed);
		break;
	case 1:
		report(&feed);
		break;
	case 2:
		run_command(&feed);
		break;
	default:
		image(&feed);
		break;
	}
	return 0;
}
