// SPDX-License-Identifier: GPL-2.0-only
/*
 * name.c - fct0, /dev/fct0, fioa, /dev/fioa, and links to them.
 *
 * Only these exact spellings are names of ours.  Anything else, /dev/sda or a
 * file, is NAME_OTHER, and no command ever opens it.
 */
#include "name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "dev.h"

#define LETTERS	"abcdefghijklmnopqrstuvwxyz"
#define DIGITS	"0123456789"

static bool parse_card(const char *text, struct name *name)
{
	size_t digits = strspn(text, DIGITS);

	/* fct007 is no node's name. */
	if (!digits || text[digits] || digits > 3 || (digits > 1 && *text == '0'))
		return false;
	name->card = strtoul(text, NULL, 10);
	name->kind = NAME_CARD;
	return name->card < OPENVSL_CARDS_MAX;
}

static bool parse_disk(const char *text, struct name *name)
{
	size_t letters = strspn(text, LETTERS);
	size_t digits = strspn(text + letters, DIGITS);

	if (!letters || letters > 3 || text[letters + digits])
		return false;
	snprintf(name->disk, sizeof(name->disk), "fio%.*s", (int)letters, text);
	name->kind = digits ? NAME_PARTITION : NAME_DISK;
	return true;
}

static bool parse_node(const char *text, struct name *name)
{
	if (!strncmp(text, "/dev/", 5))
		text += 5;
	if (!strncmp(text, "fct", 3))
		return parse_card(text + 3, name);
	if (!strncmp(text, "fio", 3))
		return parse_disk(text + 3, name);
	return false;
}

void name_parse(const char *text, struct name *name)
{
	char real[4096];

	memset(name, 0, sizeof(*name));
	if (parse_node(text, name))
		return;
	if (dev_resolve(text, real, sizeof(real)) && !strncmp(real, "/dev/", 5) &&
	    parse_node(real, name))
		return;
	memset(name, 0, sizeof(*name));
	name->kind = NAME_OTHER;
}
