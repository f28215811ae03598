// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_status.c - openvsl status, also known as fio-status.
 *
 * It changes nothing and needs no root.  A sick card does not make it fail:
 * scripts written for the original take any exit status but 0 for a broken
 * tool.  Those that want to know ask by --check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <getopt.h>

#include "cmd.h"
#include "err.h"
#include "field.h"
#include "state.h"
#include "status.h"

enum {
	OPT_JSON = 256,
	OPT_CHECK,
};

static const struct opt opts[] = {
	{ 'a', "all", NULL, "print everything" },
	{ 'c', "count", NULL, "print only how many cards there are" },
	{ 'd', "data-volume", NULL, "add what was read and written in the card's life" },
	{ 'e', "err-warn", NULL, "print only errors and warnings" },
	{ 'f', "format", "j|x|k|s", "JSON, XML, key=value lines, or standard text" },
	{ 'F', "field", "NAME", "print only this field's value; may be repeated" },
	{ 'l', "list-fields", NULL, "print the names that --field takes" },
	{ 'L', "list-devices", NULL, "print the cards' nodes, one a line" },
	{ 'u', "unavailable", NULL, "with -f and -F: show fields without a value" },
	{ 'U', "unavailable-detail", NULL, "with -f and -F: show them, and why" },
	{ OPT_JSON, "json", NULL, "print OpenVSL's own JSON document" },
	{ OPT_CHECK, "check", NULL, "exit with 4 when a card has an error or a warning" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

#define FIELDS_MAX	64

enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_XML,
	FORM_LINES,
	FORM_OWN_JSON,
	FORM_COUNT,
	FORM_DEVICES,
	FORM_FIELDS,
	FORM_FIELD_NAMES,
};

struct request {
	enum form form;
	enum status_detail detail;
	enum status_missing missing;
	bool check;
	const char *field[FIELDS_MAX];
	unsigned int nr_fields;
};

static int set_form(const struct command *self, const char *arg, struct request *request)
{
	static const char letters[] = "jxks";
	static const enum form forms[] = { FORM_JSON, FORM_XML, FORM_LINES, FORM_TEXT };
	const char *letter = arg[0] && !arg[1] ? strchr(letters, arg[0]) : NULL;

	if (!letter)
		return opt_misuse(self,
				  "-f takes j (JSON), x (XML), k (key=value) or s (text), not '%s'",
				  arg);
	request->form = forms[letter - letters];
	return RC_DONE;
}

static int add_field(const struct command *self, const char *arg, struct request *request)
{
	enum field_group group;

	if (request->nr_fields == FIELDS_MAX)
		return opt_misuse(self, "too many fields");
	if (!field_find(arg, &group))
		return fail(RC_USAGE, arg, NULL,
			    "no such field; fio-status --list-fields shows their names");
	request->field[request->nr_fields++] = arg;
	request->form = FORM_FIELDS;
	return RC_DONE;
}

static int take_option(const struct command *self, int id, const char *arg,
		       struct request *request)
{
	switch (id) {
	case 'a':
		request->detail = STATUS_ALL;
		break;
	case 'c':
		request->form = FORM_COUNT;
		break;
	case 'd':
		if (request->detail == STATUS_PLAIN)
			request->detail = STATUS_VOLUMES;
		break;
	case 'e':
		request->detail = STATUS_ALERTS;
		break;
	case 'f':
		return set_form(self, arg, request);
	case 'F':
		return add_field(self, arg, request);
	case 'l':
		request->form = FORM_FIELD_NAMES;
		break;
	case 'L':
		request->form = FORM_DEVICES;
		break;
	case 'u':
		request->missing = MISSING_SHOW;
		break;
	case 'U':
		request->missing = MISSING_EXPLAIN;
		break;
	case OPT_JSON:
		request->form = FORM_OWN_JSON;
		break;
	case OPT_CHECK:
		request->check = true;
		break;
	}
	return RC_DONE;
}

static bool may_colour(void)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

static int print(const struct request *request, const struct cards *cards,
		 const struct driver *driver)
{
	unsigned int i;

	switch (request->form) {
	case FORM_TEXT:
		status_text(cards, driver, driver_count(driver), request->detail, may_colour());
		break;
	case FORM_JSON:
	case FORM_XML:
		status_fields(cards, request->form == FORM_XML, request->missing);
		break;
	case FORM_LINES:
		status_lines(cards, request->missing);
		break;
	case FORM_OWN_JSON:
		status_json(cards, driver);
		break;
	case FORM_DEVICES:
		for (i = 0; i < cards->nr; i++)
			printf("/dev/%s\n", cards->card[i].name);
		break;
	case FORM_FIELDS:
		return status_field(cards, request->field, request->nr_fields, request->missing);
	case FORM_COUNT:
	case FORM_FIELD_NAMES:
		break;
	}
	return RC_DONE;
}

static bool all_healthy(const struct cards *cards)
{
	struct alerts alerts;
	unsigned int i;

	for (i = 0; i < cards->nr; i++) {
		alerts_find(&cards->card[i], &alerts);
		if (alerts_bad(&alerts))
			return false;
	}
	return true;
}

static int report(const struct request *request, const struct driver *driver, char **names,
		  unsigned int nr)
{
	struct cards cards;
	int rc;

	rc = cards_open(&cards, driver, names, nr, NULL);
	/* Of all cards, or of those named that exist, tell what can be told. */
	if (!rc || cards.nr)
		rc = err_first(rc, print(request, &cards, driver));
	if (!rc && request->check && !all_healthy(&cards))
		rc = RC_UNHEALTHY;
	cards_close(&cards);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { .form = FORM_TEXT };
	struct driver driver;
	const char *arg;
	int rc = RC_DONE;
	int id;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		rc = take_option(self, id, arg, &request);
		if (rc)
			return rc;
	}
	if (request.form == FORM_FIELDS && optind == argc)
		return opt_misuse(self, "--field needs a device");
	if (request.form == FORM_FIELD_NAMES) {
		status_field_names();
		return RC_DONE;
	}
	rc = driver_open(&driver);
	if (request.form == FORM_COUNT && (!rc || rc == RC_ABSENT))
		printf("%u\n", driver_count(&driver));
	if (!rc && (request.form != FORM_COUNT || request.check))
		rc = report(&request, &driver, argv + optind, argc - optind);
	driver_close(&driver);
	return rc;
}

const struct command cmd_status = {
	.name = "status",
	.alias = "fio-status",
	.operands = "[DEVICE...]",
	.summary = "Print the state, identity and health of cards",
	.opts = opts,
	.run = run,
};
