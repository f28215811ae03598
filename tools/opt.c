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

static bool has_id(const struct command *cmd, int id)
{
	const struct opt *opt;

	for (opt = cmd->opts; opt->id; opt++)
		if (opt->id == id)
			return true;
	return false;
}

static const char *what_is_wrong(const struct command *cmd, int answer, const char *name)
{
	const struct opt *opt;
	int candidates = 0;

	if (answer == ':')
		return "needs a value";
	if (has_id(cmd, optopt))
		return "takes no value";
	for (opt = cmd->opts; opt->id && !optopt; opt++)
		candidates += opt->name && !strncmp(opt->name, name + 2, strlen(name + 2));
	return candidates > 1 ? "is ambiguous" : "is unknown";
}

/*
 * getopt_long() leaves in optopt the letter it does not know, or the id of an
 * option that it knows, or 0 for a long name that it cannot place.  A long name,
 * and a letter without its value, end the word that was read last.
 */
static int complain(const struct command *cmd, int answer, char **argv)
{
	const char *word = argv[optind - 1];
	char name[64];

	if (optopt && (!has_id(cmd, optopt) || strncmp(word, "--", 2)))
		snprintf(name, sizeof(name), "-%c", optopt);
	else
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	opt_misuse(cmd, "option %s %s", name, what_is_wrong(cmd, answer, name));
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
	case ':':
		return complain(cmd, id, argv);
	case 'h':
		opt_usage(cmd);
		return OPT_ANSWERED;
	case 'v':
		version_print();
		return OPT_ANSWERED;
	}
	return id;
}

int opt_none(const struct command *cmd, int argc, char **argv)
{
	const char *arg;
	int id = opt_next(cmd, argc, argv, &arg);

	if (id == OPT_DONE)
		return OPT_DONE;
	return id == OPT_BAD ? RC_USAGE : RC_DONE;
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

static void print_call(const char *how, const char *name, const char *operands)
{
	printf("%s%s [OPTION...]%s%s\n", how, name, *operands ? " " : "", operands);
}

void opt_usage(const struct command *cmd)
{
	const struct opt *opt;
	char letters[64];
	char left[96];

	print_call("usage: openvsl ", cmd->name, cmd->operands);
	if (cmd->alias)
		print_call("   or: ", cmd->alias, cmd->operands);
	printf("\n%s.\n\n", cmd->summary);
	for (opt = cmd->opts; opt->id; opt++) {
		opt_letters(opt, letters, sizeof(letters));
		snprintf(left, sizeof(left), "%s%s%s", letters, opt->arg ? " " : "",
			 opt->arg ? opt->arg : "");
		printf("  %-28s  %s\n", left, opt->help);
	}
	if (strstr(cmd->operands, "DEVICE"))
		printf("\nA DEVICE is fct0, /dev/fct0, fioa or /dev/fioa.  See openvsl(8).\n");
	else
		printf("\nSee openvsl(8).\n");
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
