// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_bind.c - openvsl bind: give NVMe cards to the driver.
 *
 * The driver takes an ordinary NVMe card only when it is told so, by address.  As
 * with format all that were named are checked before the first one is touched.
 * What was bound is listed in /etc/openvsl/cards, and the udev rule asks for each NVMe
 * device whether it is of that list (--boot, bind_boot.c).
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "bind.h"
#include "cmd.h"
#include "err.h"
#include "listed.h"
#include "stop.h"

#define WHAT		"cannot bind"

enum { OPT_LIST = 256, OPT_JSON, OPT_ONCE, OPT_BOOT };

static const struct opt opts[] = {
	{ OPT_LIST, "list", NULL, "print what can be bound, and what is" },
	{ OPT_JSON, "json", NULL, "print the list as a JSON document" },
	{ OPT_ONCE, "once", NULL, "until the next boot only" },
	{ 'f', "force", NULL, "also what carries data or another driver than nvme has" },
	{ 'y', "yes", NULL, "do not ask" },
	{ 'q', "quiet", NULL, "print nothing but errors" },
	{ OPT_BOOT, "boot", NULL, "for udev: only if it is listed" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

struct request {
	bool list;
	bool json;
	bool once;
	bool force;
	bool yes;
	bool quiet;
	bool boot;
};

/**
 * struct target - a device that was named
 * @pci: the device
 * @held: its disks
 * @serial: its serial number, as far as it is known
 * @bound: openvsl has it already, and it is only to be listed
 */
struct target {
	struct pci_device pci;
	struct held held;
	char serial[PCI_NAME];
	bool bound;
};

static bool is_ours(const struct pci_device *pci)
{
	return !strcmp(pci->driver, PCI_DRIVER);
}

/* ---- checks, before anything is touched ----------------------------------- */

static int check_bound(struct target *target, const struct request *request)
{
	struct pci_names cards;
	struct listed device, line;
	char text[128];

	target->bound = true;
	listed_device(&target->pci, &device);
	if (!request->once && listed_find(&device, &line) != LISTED_HERE)
		return RC_DONE;
	pci_cards(&target->pci, &cards);
	pci_names_text(&cards, text, sizeof(text));
	pci_names_free(&cards);
	return fail(RC_STATE, target->pci.address, WHAT, "it is bound already%s%s",
		    *text ? ", as " : "", text);
}

/*
 * An exclusive open does not see those who opened it in the plain way, as a virtual
 * machine does.  At boot nobody asks: it may be udev, which is looking at the disk.
 */
static int check_open(const struct pci_device *pci)
{
	struct pci_names disks;
	int err = pci_disks(pci, &disks);
	int rc = err ? fail_errno(NULL, err, pci->address, WHAT) :
		       bind_check_open(pci, &disks, WHAT);

	pci_names_free(&disks);
	return rc;
}

static int check(struct target *target, const char *word, const struct request *request)
{
	int rc = bind_find(&target->pci, word, WHAT);

	if (rc)
		return rc;
	pci_serial(&target->pci, target->serial, sizeof(target->serial));
	if (is_ours(&target->pci))
		return check_bound(target, request);
	rc = bind_check_driver(&target->pci, request->force);
	if (!rc)
		rc = check_open(&target->pci);
	return rc ? rc : bind_check_disks(&target->pci, !request->force, &target->held);
}

/* A device that was named twice is one. */
static bool is_named_before(char **words, int nr, const char *word)
{
	char before[PCI_ADDRESS];
	char address[PCI_ADDRESS];
	int i;

	if (!pci_parse(word, address))
		return false;
	for (i = 0; i < nr; i++)
		if (pci_parse(words[i], before) && !strcmp(before, address))
			return true;
	return false;
}

/* ---- doing it ------------------------------------------------------------- */

static int ask_all(const struct target *targets, int nr)
{
	struct pci_names disks;
	char question[512];
	char text[128];
	size_t used = 0;
	int i;

	if (!isatty(STDIN_FILENO))
		return fail(RC_USAGE, NULL, WHAT, "there is no terminal to ask on; say --yes");
	for (i = 0; i < nr && used < sizeof(question) - 256; i++) {
		pci_disks(&targets[i].pci, &disks);
		pci_names_text(&disks, text, sizeof(text));
		pci_names_free(&disks);
		used += snprintf(question + used, sizeof(question) - used, "%s%s%s%s%s",
				 i ? ", " : "", targets[i].pci.address, *text ? " (" : "", text,
				 *text ? ")" : "");
	}
	snprintf(question + used, sizeof(question) - used,
		 "%s: no other driver will have %s any more. Bind?", i < nr ? " and more" : "",
		 nr == 1 ? "it" : "them");
	return ask(question, WHAT);
}

static int keep(const struct target *target)
{
	struct listed listed;
	int lock;
	int err;

	listed_device(&target->pci, &listed);
	/* A card of a namespace that is not the first has a longer one. */
	if (strcmp(target->serial, "-"))
		strcpy(listed.serial, target->serial);
	lock = listed_lock();
	err = listed_add(&listed);
	listed_unlock(lock);
	if (err)
		return fail_errno(NULL, err, target->pci.address,
				  "bound until the next boot only: cannot write " LISTED_FILE);
	return RC_DONE;
}

static int bind_one(struct target *target, const struct request *request)
{
	struct pci_names cards = { 0 };
	char text[128];
	int rc = RC_DONE;

	if (!target->bound)
		rc = bind_take(&target->pci, &target->held, target->serial, &cards);
	else
		pci_cards(&target->pci, &cards);
	if (!rc && !request->quiet)
		printf("%s: bound as %s\n", target->pci.address,
		       pci_names_text(&cards, text, sizeof(text)));
	pci_names_free(&cards);
	if (!rc && !request->once)
		rc = keep(target);
	return rc;
}

static int bind_all(char **words, int nr, const struct request *request)
{
	struct target *targets = calloc(nr, sizeof(*targets));
	int found = 0;
	int rc = RC_DONE;
	int i;

	if (!targets)
		return fail(RC_FAILED, NULL, WHAT, "not enough memory");
	for (i = 0; i < nr; i++) {
		if (is_named_before(words, i, words[i]))
			continue;
		rc = err_first(rc, check(&targets[found], words[i], request));
		found++;
	}
	stop_catch();
	if (!rc && !request->yes)
		rc = ask_all(targets, found);
	for (i = 0; i < found && !rc && !stop_asked(); i++)
		rc = bind_one(&targets[i], request);
	if (!rc && i < found)
		rc = fail(RC_STOPPED, targets[i].pci.address, NULL, "stopped before it was bound");
	for (i = 0; i < found; i++)
		bind_release(&targets[i].held);
	free(targets);
	return rc;
}

/* ---- the command line ----------------------------------------------------- */

static void take_option(int id, struct request *request)
{
	switch (id) {
	case OPT_LIST:
		request->list = true;
		break;
	case OPT_JSON:
		request->json = true;
		break;
	case OPT_ONCE:
		request->once = true;
		break;
	case OPT_BOOT:
		request->boot = true;
		break;
	case 'f':
		request->force = true;
		break;
	case 'y':
		request->yes = true;
		break;
	case 'q':
		request->quiet = true;
		break;
	}
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = { 0 };
	const char *arg;
	int id;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		take_option(id, &request);
	}
	argc -= optind;
	argv += optind;
	if (request.list && argc)
		return opt_misuse(self, "what is '%s'?", argv[0]);
	if (request.json && !request.list)
		return opt_misuse(self, "--json is for --list");
	if (request.list)
		return bind_list(request.json);
	if (!argc)
		return opt_misuse(self, "which PCI device?");
	if (request.boot && argc > 1)
		return opt_misuse(self, "--boot is for one device");
	if (request.boot)
		return bind_boot(argv[0]);
	if (!pci_driver_there(PCI_DRIVER))
		return fail(RC_ABSENT, NULL, WHAT,
			    "the driver is not loaded; load it first (modprobe openvsl)");
	return bind_all(argv, argc, &request);
}

const struct command cmd_bind = {
	.name = "bind",
	.operands = "PCI-ADDRESS...",
	.summary = "Give NVMe cards to the driver, now and at every boot",
	.opts = opts,
	.run = run,
};
