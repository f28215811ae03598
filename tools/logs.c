// SPDX-License-Identifier: GPL-2.0-only
/*
 * logs.c - the last error of a card, in words.
 *
 * Numbers are those of NVM Express, the only kind of card that has such a log.  What
 * has no words here is told as a number: the card's maker may know it.
 */
#include "logs.h"

#include <stdio.h>

#include "cmd.h"

#define EVERY_NAMESPACE	0xffffffffu

struct word {
	unsigned int nr;
	const char *text;
};

static const struct word statuses[] = {
	{ 0x000, "success" },
	{ 0x001, "invalid command" },
	{ 0x002, "invalid field in the command" },
	{ 0x003, "identifier of a command used twice" },
	{ 0x004, "data transfer failed" },
	{ 0x005, "aborted, for power was lost" },
	{ 0x006, "internal error" },
	{ 0x007, "aborted as was asked" },
	{ 0x008, "aborted, for its queue was deleted" },
	{ 0x00b, "invalid namespace or format" },
	{ 0x00c, "wrong order of commands" },
	{ 0x013, "invalid place of data in memory" },
	{ 0x020, "namespace is write protected" },
	{ 0x080, "block out of range" },
	{ 0x081, "capacity exceeded" },
	{ 0x082, "namespace not ready" },
	{ 0x101, "invalid queue" },
	{ 0x106, "invalid firmware slot" },
	{ 0x107, "invalid firmware image" },
	{ 0x109, "log not known" },
	{ 0x10b, "firmware needs a reset of the bus" },
	{ 0x110, "firmware needs a reset of the subsystem" },
	{ 0x111, "firmware needs a reset" },
	{ 0x112, "firmware takes too long to start" },
	{ 0x113, "firmware not allowed" },
	{ 0x114, "pieces of firmware overlap" },
	{ 0x182, "write to a range that is read only" },
	{ 0x1b8, "across a boundary of a zone" },
	{ 0x1b9, "zone is full" },
	{ 0x1ba, "zone is read only" },
	{ 0x1bb, "zone is offline" },
	{ 0x1bc, "not where the zone is to be written" },
	{ 0x280, "write fault" },
	{ 0x281, "unrecovered read error" },
	{ 0x282, "guard of the data is wrong" },
	{ 0x286, "access denied" },
	{ 0x287, "read of an unwritten block" },
};

static const struct word commands[] = {
	{ 0x00, "flush" },
	{ 0x01, "write" },
	{ 0x02, "read" },
	{ 0x04, "write uncorrectable" },
	{ 0x05, "compare" },
	{ 0x08, "write zeroes" },
	{ 0x09, "dataset management" },
	{ 0x79, "zone management send" },
	{ 0x7a, "zone management receive" },
	{ 0x7d, "zone append" },
};

static const struct word admin_commands[] = {
	{ 0x02, "get log" },
	{ 0x06, "identify" },
	{ 0x08, "abort" },
	{ 0x09, "set features" },
	{ 0x0a, "get features" },
	{ 0x10, "firmware commit" },
	{ 0x11, "firmware download" },
	{ 0x80, "format" },
};

static const char *word_of(const struct word *words, size_t nr_words, unsigned int nr)
{
	size_t i;

	for (i = 0; i < nr_words; i++)
		if (words[i].nr == nr)
			return words[i].text;
	return NULL;
}

const char *logs_status(const struct openvsl_logs *logs, char *buf)
{
	const char *word = word_of(statuses, ARRAY_SIZE(statuses), logs->error_status);

	if (word)
		return word;
	snprintf(buf, LOGS_TEXT, "status 0x%x", logs->error_status);
	return buf;
}

const char *logs_command(const struct openvsl_logs *logs, char *buf)
{
	const char *word;

	if (logs->error_queue == OPENVSL_LOGS_NO_QUEUE)
		return "no command";
	if (!(logs->flags & OPENVSL_LOGS_COMMAND))
		return logs->error_queue ? "a command for data" : "a command of administration";
	word = logs->error_queue ?
	       word_of(commands, ARRAY_SIZE(commands), logs->error_opcode) :
	       word_of(admin_commands, ARRAY_SIZE(admin_commands), logs->error_opcode);
	if (word)
		return word;
	snprintf(buf, LOGS_TEXT, "command 0x%x", logs->error_opcode);
	return buf;
}

bool logs_has_block(const struct openvsl_logs *logs)
{
	return logs->error_queue && logs->error_queue != OPENVSL_LOGS_NO_QUEUE &&
	       logs->error_part && logs->error_part != EVERY_NAMESPACE;
}

unsigned int logs_next(const struct openvsl_logs *logs)
{
	return logs->next ? logs->next : logs->active;
}
