/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - what a command is, and how all of them end.
 */
#ifndef VSL_TOOLS_CMD_H
#define VSL_TOOLS_CMD_H

#include <stdbool.h>
#include <stddef.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))

/* Exit statuses.  They are a promise to scripts: openvsl(8) has the table. */
enum rc {
	RC_DONE = 0,
	RC_FAILED = 1,		/* it was tried and did not work */
	RC_USAGE = 2,		/* the command line makes no sense */
	RC_ABSENT = 3,		/* no such card, or the driver is not loaded */
	RC_UNHEALTHY = 4,	/* status --check, check: a card needs attention */
	RC_STATE = 5,		/* attached, detached, busy ...: not now */
	RC_SIZE = 6,		/* a size or a sector size that cannot be */
	RC_FOREIGN = 7,		/* not ours, or not something it can do */
	RC_IMAGE = 8,		/* a damaged image, or no image at all */
	RC_STOPPED = 9,		/* by a signal, or the answer was no */
	RC_DENIED = 10,		/* needs root */
	RC_DAMAGED = 11,	/* check: metadata is damaged */
};

/**
 * struct opt - one option of a command
 * @id: its letter; above 255 for an option without one
 * @name: long name, or NULL
 * @arg: name of its value, or NULL if it takes none
 * @help: one line
 *
 * Usage, parsing, completion and the test of the man pages all read this.
 */
struct opt {
	int id;
	const char *name;
	const char *arg;
	const char *help;
};

#define OPT_HELP	{ 'h', "help", NULL, "print this help" }
#define OPT_VERSION	{ 'v', "version", NULL, "print the version of this program" }
#define OPT_END		{ 0, NULL, NULL, NULL }

/**
 * struct command - one entry of the command table
 * @name: as typed behind "openvsl"; two words for a command of a group
 * @alias: name of the link that is this command too, or NULL
 * @operands: what follows the options, for the usage line
 * @summary: one line
 * @opts: its options, ended by OPT_END
 * @run: does it; argv[0] is the command's name.  Return: enum rc
 */
struct command {
	const char *name;
	const char *alias;
	const char *operands;
	const char *summary;
	const struct opt *opts;
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cmd_status;
extern const struct command cmd_format;
extern const struct command cmd_attach;
extern const struct command cmd_detach;
extern const struct command cmd_beacon;
extern const struct command cmd_check;
extern const struct command cmd_update;
extern const struct command cmd_bind;
extern const struct command cmd_unbind;
extern const struct command cmd_sim_create;
extern const struct command cmd_sim_destroy;
extern const struct command cmd_sim_cut;
extern const struct command cmd_sim_power;
extern const struct command cmd_sim_fault;
extern const struct command cmd_sim_presets;
extern const struct command cmd_sim_faults;
extern const struct command cmd_sim_save;
extern const struct command cmd_sim_load;

/* ---- opt.c: reading a command line -------------------------------------- */

/* What opt_next() returns besides an option's id. */
#define OPT_DONE	(-1)	/* no option left; operands from argv[optind] */
#define OPT_BAD		(-2)	/* said so on stderr: end with RC_USAGE */
#define OPT_ANSWERED	(-3)	/* --help or --version: end with RC_DONE */

/**
 * opt_next() - the next option, wherever it stands among the operands
 * @cmd: whose options
 * @argc: of the command
 * @argv: of the command; operands are moved to its end
 * @arg: the option's value
 *
 * Return: the option's id, or one of the above.
 */
int opt_next(const struct command *cmd, int argc, char **argv, const char **arg);

/**
 * opt_none() - for commands without options of their own
 *
 * Return: OPT_DONE, or the status to end with.
 */
int opt_none(const struct command *cmd, int argc, char **argv);

/** opt_usage() - print a command's usage and options on stdout */
void opt_usage(const struct command *cmd);

/** opt_misuse() - say what is wrong with the command line.  Return: RC_USAGE */
__printf(2, 3)
int opt_misuse(const struct command *cmd, const char *fmt, ...);

/** opt_letters() - how an option is written: "-x", "--long" or "-x, --long" */
const char *opt_letters(const struct opt *opt, char *buf, size_t bytes);

/* ---- version.c ----------------------------------------------------------- */

/** version_print() - this program's version on one line of stdout */
void version_print(void);

#endif /* VSL_TOOLS_CMD_H */
