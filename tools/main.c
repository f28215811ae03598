// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - openvsl: one program, one table of commands.
 *
 * A command is found by the name the program was started under, for the links
 * that carry the original tools' names, or else by the first word or two.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "card.h"
#include "cmd.h"
#include "err.h"

static const struct command cmd_version;
static const struct command cmd_help;

static const struct command * const commands[] = {
	&cmd_status,
	&cmd_format,
	&cmd_attach,
	&cmd_detach,
	&cmd_beacon,
	&cmd_check,
	&cmd_update,
	&cmd_bind,
	&cmd_unbind,
	&cmd_sim_create,
	&cmd_sim_destroy,
	&cmd_sim_cut,
	&cmd_sim_power,
	&cmd_sim_fault,
	&cmd_sim_presets,
	&cmd_sim_faults,
	&cmd_sim_save,
	&cmd_sim_load,
	&cmd_version,
	&cmd_help,
};

#define NR_COMMANDS	ARRAY_SIZE(commands)

/* ---- finding one ---------------------------------------------------------- */

static const struct command *find_alias(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (commands[i]->alias && !strcmp(commands[i]->alias, name))
			return commands[i];
	return NULL;
}

/* Return: the command and in @words how many words its name has. */
static const struct command *find_words(int argc, char **argv, int *words)
{
	char two[64];
	size_t i;

	for (*words = 1; *words <= 2 && *words <= argc; (*words)++) {
		snprintf(two, sizeof(two), "%s%s%s", argv[0], *words == 2 ? " " : "",
			 *words == 2 ? argv[1] : "");
		for (i = 0; i < NR_COMMANDS; i++)
			if (!strcmp(commands[i]->name, two))
				return commands[i];
	}
	return NULL;
}

static bool is_group(const char *word)
{
	size_t len = strlen(word);
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strncmp(commands[i]->name, word, len) && commands[i]->name[len] == ' ')
			return true;
	return false;
}

/* ---- help, version -------------------------------------------------------- */

static const struct opt no_opts[] = {
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

/* @group: only its commands; NULL: all */
static void print_commands(const char *group)
{
	size_t i;

	printf("usage: openvsl COMMAND [OPTION...] [DEVICE...]\n\n");
	for (i = 0; i < NR_COMMANDS; i++) {
		const struct command *cmd = commands[i];

		if (group && strncmp(cmd->name, group, strlen(group)))
			continue;
		printf("  %-12s  %s%s%s%s\n", cmd->name, cmd->summary, cmd->alias ? " (" : "",
		       cmd->alias ? cmd->alias : "", cmd->alias ? ")" : "");
	}
	printf("\n\"openvsl COMMAND --help\" tells more, and so does openvsl(8).\n");
}

static int unknown(const char *word)
{
	return fail(RC_USAGE, word, NULL, "no such command; openvsl help lists them");
}

static int unknown_of(const char *group, const char *word)
{
	return fail(RC_USAGE, word, NULL,
		    "no such command of openvsl %s; openvsl help %s lists them", group, group);
}

static int run_help(const struct command *self, int argc, char **argv)
{
	const struct command *cmd;
	int words = 1;
	int rc = opt_none(self, argc, argv);

	if (rc != OPT_DONE)
		return rc;
	argc -= optind;
	argv += optind;
	if (!argc) {
		print_commands(NULL);
		return RC_DONE;
	}
	cmd = find_alias(argv[0]);
	if (!cmd)
		cmd = find_words(argc, argv, &words);
	if (!cmd && !is_group(argv[0]))
		return unknown(argv[0]);
	if (!cmd && argc > 1)
		return unknown_of(argv[0], argv[1]);
	if (cmd && argc > words)
		return opt_misuse(self, "what is '%s'?", argv[words]);
	if (cmd)
		opt_usage(cmd);
	else
		print_commands(argv[0]);
	return RC_DONE;
}

static int run_version(const struct command *self, int argc, char **argv)
{
	struct driver driver;
	int rc = opt_none(self, argc, argv);

	if (rc != OPT_DONE)
		return rc;
	if (optind != argc)
		return opt_misuse(self, "what is '%s'?", argv[optind]);
	version_print();
	if (driver_open(&driver) == RC_DONE)
		printf("driver %s, ABI %u.%u\n", driver.version.driver, driver.version.abi_major,
		       driver.version.abi_minor);
	driver_close(&driver);
	return RC_DONE;
}

static const struct command cmd_version = {
	.name = "version",
	.operands = "",
	.summary = "Print the versions of this program and of the driver",
	.opts = no_opts,
	.run = run_version,
};

static const struct command cmd_help = {
	.name = "help",
	.operands = "[COMMAND]",
	.summary = "Print this list, or how a command is used",
	.opts = no_opts,
	.run = run_help,
};

/*
 * For the completion script and the tests: one record a line, tab-separated, with
 * "-" for what there is not.
 */
static int dump_commands(void)
{
	const struct opt *opt;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		const struct command *cmd = commands[i];

		printf("command\t%s\t%s\t%s\t%s\n", cmd->name, cmd->alias ? cmd->alias : "-",
		       *cmd->operands ? cmd->operands : "-", cmd->summary);
		for (opt = cmd->opts; opt->id; opt++) {
			char letter[3] = { '-', opt->id < 256 ? opt->id : '\0', '\0' };

			printf("option\t%s\t%s\t%s%s\t%s\t%s\n", cmd->name, letter,
			       opt->name ? "--" : "-", opt->name ? opt->name : "",
			       opt->arg ? opt->arg : "-", opt->help);
		}
	}
	return RC_DONE;
}

/* ---- starting ------------------------------------------------------------- */

/* The name of a group without a command of it: "sim", "sim --help". */
static int dispatch_group(int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "-v") || !strcmp(argv[1], "--version"))) {
		version_print();
		return RC_DONE;
	}
	if (argc > 1 && strcmp(argv[1], "-h") && strcmp(argv[1], "--help"))
		return unknown_of(argv[0], argv[1]);
	print_commands(argv[0]);
	return argc > 1 ? RC_DONE : RC_USAGE;
}

static int dispatch(int argc, char **argv)
{
	const struct command *cmd;
	int words;

	if (argc < 2) {
		print_commands(NULL);
		return RC_USAGE;
	}
	if (!strcmp(argv[1], "--dump-commands"))
		return dump_commands();
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		print_commands(NULL);
		return RC_DONE;
	}
	if (!strcmp(argv[1], "-v") || !strcmp(argv[1], "--version")) {
		version_print();
		return RC_DONE;
	}
	cmd = find_words(argc - 1, argv + 1, &words);
	if (cmd)
		return cmd->run(cmd, argc - words, argv + words);
	if (is_group(argv[1]))
		return dispatch_group(argc - 1, argv + 1);
	return unknown(argv[1]);
}

int main(int argc, char **argv)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;
	const struct command *cmd;
	int rc;

	if (!argc)
		return RC_USAGE;
	name = name ? name + 1 : argv[0];
	cmd = find_alias(name);
	rc = cmd ? cmd->run(cmd, argc, argv) : dispatch(argc, argv);
	if (fflush(stdout) || ferror(stdout))
		return err_first(rc, fail(RC_FAILED, NULL, NULL, "cannot write the output"));
	return rc;
}
