// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_sim.c - openvsl sim create, destroy, cut, power, fault: cards that exist
 * in memory only, and everything bad that can happen to a card.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "card.h"
#include "cmd.h"
#include "err.h"
#include "sim_names.h"
#include "size.h"

#define BLOCK_BYTES	4096ull
#define LEAST_BYTES	16777216ull
#define ANY		0xffffffffu
#define CANNOT_CREATE	"cannot create a card"

static const struct opt no_opts[] = {
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

/* ---- create --------------------------------------------------------------- */

enum {
	OPT_PRESET = 256,
	OPT_SEED,
	OPT_TIMED,
};

static const struct opt create_opts[] = {
	{ 's', "size", "SIZE", "advertised capacity, like 2G or 512MiB; default the real card's" },
	{ OPT_PRESET, "preset", "NAME", "kind of card (openvsl sim presets); default slc160" },
	{ OPT_SEED, "seed", "N", "of everything random in it; default 0" },
	{ OPT_TIMED, "timed", NULL, "operations take the time they take on the real card" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_create[] = {
	{ ERANGE, RC_SIZE, "the capacity is not possible; 16 MiB to 16 TiB are" },
	{ ENOSPC, RC_STATE, "there are too many cards already" },
	{ EOPNOTSUPP, RC_FOREIGN, "this driver was built without simulated cards" },
	{ ENOTTY, RC_FOREIGN, "this driver was built without simulated cards" },
	{ 0, RC_FAILED, NULL },
};

static int take_create_option(const struct command *self, int id, const char *arg,
			      struct openvsl_sim_create *create)
{
	unsigned long long number;
	int err;

	switch (id) {
	case OPT_TIMED:
		create->flags |= OPENVSL_SIM_TIMED;
		return RC_DONE;
	case OPT_PRESET:
		if (strlen(arg) >= sizeof(create->preset))
			return fail(RC_USAGE, NULL, NULL,
				    "no preset has the name '%s'; see openvsl sim presets", arg);
		memset(create->preset, 0, sizeof(create->preset));
		memcpy(create->preset, arg, strlen(arg));
		return RC_DONE;
	case OPT_SEED:
		if (number_parse(arg, ~0ull, &number))
			return opt_misuse(self, "'%s' is not a number", arg);
		create->seed = number;
		return RC_DONE;
	}
	err = size_parse(arg, 0, &number);
	if (err == -EINVAL)
		return opt_misuse(self, "'%s' is not a size", arg);
	if (err)
		return fail_errno(why_create, err, NULL, CANNOT_CREATE);
	number -= number % BLOCK_BYTES;
	if (!number)
		return fail(RC_SIZE, NULL, CANNOT_CREATE,
			    "a capacity of %s is too small; the least is 16 MiB", arg);
	create->capacity_bytes = number;
	return RC_DONE;
}

/* The real card's capacity, unless another was asked for. */
static int settle_capacity(struct openvsl_sim_create *create)
{
	const struct sim_name *preset;

	if (create->capacity_bytes && !strcmp(create->preset, "tiny"))
		return fail(RC_SIZE, NULL, CANNOT_CREATE, "tiny has one size; leave out --size");
	for (preset = sim_presets; preset->name && !create->capacity_bytes; preset++)
		if (!strcmp(preset->name, create->preset))
			create->capacity_bytes = preset->bytes;
	return RC_DONE;
}

static int create_card(const struct driver *driver, struct openvsl_sim_create *create)
{
	int err;

	/* A preset that is not in the list is for the driver to know. */
	if (!create->capacity_bytes)
		create->capacity_bytes = LEAST_BYTES;
	err = dev_call(driver->fd, OPENVSL_IOC_SIM_CREATE, create);
	if (err == -EINVAL)
		return fail(RC_USAGE, NULL, CANNOT_CREATE,
			    "the driver knows no preset '%s'; see openvsl sim presets",
			    create->preset);
	if (err)
		return fail_errno(why_create, err, NULL, CANNOT_CREATE);
	printf("/dev/fct%u\n", create->card);
	return RC_DONE;
}

static int run_create(const struct command *self, int argc, char **argv)
{
	struct openvsl_sim_create create = { .size = sizeof(create), .preset = "slc160" };
	struct driver driver;
	const char *arg;
	int id;
	int rc;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		rc = take_create_option(self, id, arg, &create);
		if (rc)
			return rc;
	}
	if (optind != argc)
		return opt_misuse(self, "what is '%s'?", argv[optind]);
	rc = settle_capacity(&create);
	if (rc)
		return rc;
	rc = driver_open(&driver);
	if (!rc)
		rc = create_card(&driver, &create);
	driver_close(&driver);
	return rc;
}

/* ---- destroy, cut, power -------------------------------------------------- */

static const struct why why_destroy[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EBUSY, RC_STATE, "it is attached or busy; detach it first (fio-detach)" },
	{ 0, RC_FAILED, NULL },
};

static const struct why why_cut[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EALREADY, RC_STATE, "it has no power" },
	{ 0, RC_FAILED, NULL },
};

static const struct why why_power[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EALREADY, RC_STATE, "it has power" },
	{ EBUSY, RC_STATE, "its dead disk is still open; unmount or close it first" },
	{ 0, RC_FAILED, NULL },
};

/* How call_each() gets at its cards. */
typedef int open_fn(struct cards *cards, struct driver *driver, char **names, unsigned int nr,
		    const char *what);

/* The same call to each card that was named; @arg is not changed by it. */
static int call_each(const struct command *self, int argc, char **argv, unsigned long request,
		     void *arg, const struct why *why, const char *what, open_fn *open)
{
	struct driver driver;
	struct cards cards;
	unsigned int i;
	int err;
	int rc;

	rc = opt_none(self, argc, argv);
	if (rc != OPT_DONE)
		return rc;
	if (optind == argc)
		return opt_misuse(self, "which card?");
	rc = open(&cards, &driver, argv + optind, argc - optind, what);
	for (i = 0; i < cards.nr; i++) {
		err = dev_call(cards.card[i].fd, request, arg);
		if (err)
			rc = err_first(rc, fail_errno(why, err, cards.card[i].name, what));
	}
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

static int run_destroy(const struct command *self, int argc, char **argv)
{
	struct openvsl_sim_destroy arg = { .size = sizeof(arg) };

	return call_each(self, argc, argv, OPENVSL_IOC_SIM_DESTROY, &arg, why_destroy,
			 "cannot destroy", cards_open_named);
}

static int run_cut(const struct command *self, int argc, char **argv)
{
	struct openvsl_sim_power_arg arg = { .size = sizeof(arg), .power = OPENVSL_SIM_CUT };

	return call_each(self, argc, argv, OPENVSL_IOC_SIM_POWER, &arg, why_cut,
			 "cannot cut the power", cards_open_some);
}

static int run_power(const struct command *self, int argc, char **argv)
{
	struct openvsl_sim_power_arg arg = { .size = sizeof(arg), .power = OPENVSL_SIM_ON };

	return call_each(self, argc, argv, OPENVSL_IOC_SIM_POWER, &arg, why_power,
			 "cannot switch the power on", cards_open_some);
}

/* ---- fault ---------------------------------------------------------------- */

enum {
	OPT_UNIT = 256,
	OPT_EU,
	OPT_BLOCK,
	OPT_COUNT,
	OPT_EVERY,
	OPT_VALUE,
};

static const struct opt fault_opts[] = {
	{ OPT_UNIT, "unit", "N", "only in this parallel unit" },
	{ OPT_EU, "eu", "N", "only in this erase unit" },
	{ OPT_BLOCK, "block", "N", "only at this block of it" },
	{ OPT_COUNT, "count", "N", "fire so many times (default 1); 0 takes the fault back" },
	{ OPT_EVERY, "every", "N", "fire on each N-th match only" },
	{ OPT_VALUE, "value", "N", "what the fault takes (openvsl sim faults)" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_fault[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "it is not a simulated card" },
	{ EINVAL, RC_USAGE,
	  "the driver knows no such fault, or the card has no such place; see openvsl sim faults" },
	{ ENOSPC, RC_STATE, "too many faults are planted already" },
	{ ENOENT, RC_STATE, "no such fault was planted" },
	{ 0, RC_FAILED, NULL },
};

static int take_fault_option(const struct command *self, int id, const char *arg,
			     struct openvsl_sim_fault *fault)
{
	__u32 * const places[] = {
		&fault->unit, &fault->eu, &fault->block, &fault->count, &fault->every,
	};
	unsigned long long number;

	if (number_parse(arg, id == OPT_VALUE ? ~0ull : ANY, &number))
		return opt_misuse(self, "'%s' is not a number that would fit", arg);
	if (id == OPT_VALUE)
		fault->value = number;
	else
		*places[id - OPT_UNIT] = number;
	return RC_DONE;
}

static int plant_fault(char **names, struct openvsl_sim_fault *fault)
{
	struct driver driver;
	struct cards cards;
	int err;
	int rc;

	rc = cards_open_named(&cards, &driver, names, 1, "cannot plant a fault");
	if (rc)
		return rc;
	err = dev_call(cards.card[0].fd, OPENVSL_IOC_SIM_FAULT, fault);
	if (err == -EINVAL && !fault->count)
		err = -ENOENT;
	if (err)
		rc = fail_errno(why_fault, err, cards.card[0].name, "cannot plant a fault");
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

static int run_fault(const struct command *self, int argc, char **argv)
{
	struct openvsl_sim_fault fault = {
		.size = sizeof(fault),
		.unit = ANY,
		.eu = ANY,
		.block = ANY,
		.count = 1,
	};
	const char *arg;
	int id;
	int rc;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		rc = take_fault_option(self, id, arg, &fault);
		if (rc)
			return rc;
	}
	if (argc - optind != 2)
		return opt_misuse(self, "it takes a card and the name of a fault");
	if (strlen(argv[optind + 1]) >= sizeof(fault.name))
		return fail(RC_USAGE, NULL, NULL,
			    "no fault has the name '%s'; see openvsl sim faults",
			    argv[optind + 1]);
	memcpy(fault.name, argv[optind + 1], strlen(argv[optind + 1]) + 1);
	return plant_fault(argv + optind, &fault);
}

/* ---- presets, faults ------------------------------------------------------ */

static int run_presets(const struct command *self, int argc, char **argv)
{
	const struct sim_name *preset;
	int rc = opt_none(self, argc, argv);

	if (rc != OPT_DONE)
		return rc;
	if (optind != argc)
		return opt_misuse(self, "what is '%s'?", argv[optind]);
	for (preset = sim_presets; preset->name; preset++)
		printf("%-16s %s\n", preset->name, preset->text);
	return RC_DONE;
}

static int run_faults(const struct command *self, int argc, char **argv)
{
	const struct sim_name *fault;
	int rc = opt_none(self, argc, argv);

	if (rc != OPT_DONE)
		return rc;
	if (optind != argc)
		return opt_misuse(self, "what is '%s'?", argv[optind]);
	for (fault = sim_faults; fault->name; fault++)
		printf("%-16s %s\n", fault->name, fault->text);
	return RC_DONE;
}

#define SIM_COMMAND(symbol, words, takes, does, options, function) \
	const struct command symbol = { \
		.name = words, \
		.operands = takes, \
		.summary = does, \
		.opts = options, \
		.run = function, \
	}

SIM_COMMAND(cmd_sim_create, "sim create", "",
	    "Make a simulated card, blank, and print its node", create_opts, run_create);
SIM_COMMAND(cmd_sim_destroy, "sim destroy", "DEVICE...",
	    "Take simulated cards away with all that is on them", no_opts, run_destroy);
SIM_COMMAND(cmd_sim_cut, "sim cut", "DEVICE...",
	    "Cut the power of simulated cards, in the middle of things", no_opts, run_cut);
SIM_COMMAND(cmd_sim_power, "sim power", "DEVICE...",
	    "Switch the power of simulated cards on again", no_opts, run_power);
SIM_COMMAND(cmd_sim_fault, "sim fault", "DEVICE NAME",
	    "Plant a fault in a simulated card", fault_opts, run_fault);
SIM_COMMAND(cmd_sim_presets, "sim presets", "",
	    "List the kinds of simulated cards", no_opts, run_presets);
SIM_COMMAND(cmd_sim_faults, "sim faults", "",
	    "List the faults that can be planted", no_opts, run_faults);
