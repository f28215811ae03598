// SPDX-License-Identifier: GPL-2.0-only
/*
 * opt.c - command lines, read by the table of struct opt that also prints the
 * usage.
 *
 * getopt_long() does the work: it takes clustered flags (-aU), glued values
 * (-s60%) and options behind operands, which scripts written for the tools of
 * the original driver use in every combination.
 */
#include "cmd.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

#define OPTS_MAX	24

/* What getopt_long() wants, made from a command's table. */
struct parser {
	char letters[2 * OPTS_MAX + 2];
	struct option names[OPTS_MAX + 1];
};

static void parser_init(struct parser *parser, const struct opt *opt)
{
	struct option *name = parser->names;
	char *letter = parser->letters;

	memset(parser, 0, sizeof(*parser));
	*letter++ = ':';	/* tell a missing value from an unknown option */
	for (; opt->id; opt++) {
		if (opt->id < 256) {
			*letter++ = opt->id;
			if (opt->arg)
				*letter++ = ':';
		}
		if (opt->name) {
			name->name = opt->name;
			name->has_arg = opt->arg ? required_argument : no_argument;
			name->val = opt->id;
			name++;
		}
	}
}

/* optopt is 0 or above 255 for an option without a letter: name it as typed. */
static int complain(const struct command *cmd, char **argv, const char *what)
{
	char letter[3] = "-?";

	if (optopt > 0 && optopt < 256) {
		letter[1] = optopt;
		opt_misuse(cmd, "option %s %s", letter, what);
	} else {
		opt_misuse(cmd, "option %s %s", argv[optind - 1], what);
	}
	return OPT_BAD;
}

int opt_next(const struct command *cmd, int argc, char **argv, const char **arg)
{
	struct parser parser;
	int id;

	/* Both argument orders are a contract, whatever the environment says. */
	unsetenv("POSIXLY_CORRECT");
	opterr = 0;
	parser_init(&parser, cmd->opts);
	id = getopt_long(argc, argv, parser.letters, parser.names, NULL);
	*arg = optarg;
	switch (id) {
	case -1:
		return OPT_DONE;
	case '?':
		return complain(cmd, argv, "is unknown, ambiguous or takes no value");
	case ':':
		return complain(cmd, argv, "needs a value");
	case 'h':
		opt_usage(cmd);
		return OPT_ANSWERED;
	case 'v':
		version_print();
		return OPT_ANSWERED;
	}
	return id;
}

const char *opt_letters(const struct opt *opt, char *buf, size_t bytes)
{
	if (opt->id < 256 && opt->name)
		snprintf(buf, bytes, "-%c, --%s", opt->id, opt->name);
	else if (opt->name)
		snprintf(buf, bytes, "    --%s", opt->name);
	else
		snprintf(buf, bytes, "-%c", opt->id);
	return buf;
}

void opt_usage(const struct command *cmd)
{
	const struct opt *opt;
	char letters[64];
	char left[96];

	printf("usage: openvsl %s [OPTION...] %s\n", cmd->name, cmd->operands);
	if (cmd->alias)
		printf("   or: %s [OPTION...] %s\n", cmd->alias, cmd->operands);
	printf("\n%s.\n\n", cmd->summary);
	for (opt = cmd->opts; opt->id; opt++) {
		opt_letters(opt, letters, sizeof(letters));
		snprintf(left, sizeof(left), "%s%s%s", letters, opt->arg ? " " : "",
			 opt->arg ? opt->arg : "");
		printf("  %-28s  %s\n", left, opt->help);
	}
	printf("\nA DEVICE is fct0, /dev/fct0, fioa or /dev/fioa.  See openvsl(8).\n");
}

int opt_misuse(const struct command *cmd, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail(RC_USAGE, NULL, cmd->name, "%s (openvsl %s --help)", text, cmd->name);
}
