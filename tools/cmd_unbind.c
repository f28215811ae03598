// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_unbind.c - openvsl unbind: give NVMe cards back.
 *
 * The driver lets go of an attached card only as of one that is pulled out; so
 * cards have to be detached before.  What is on the card stays on it.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "bind.h"
#include "card.h"
#include "cmd.h"
#include "err.h"
#include "listed.h"
#include "state.h"
#include "stop.h"

#define WHAT	"cannot unbind"

static const struct opt opts[] = {
	{ 'q', "quiet", NULL, "print nothing but errors" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static int check_card(const struct pci_device *pci, const struct card *card)
{
	unsigned int state = card->info.state;

	if (state == OPENVSL_STATE_ATTACHED)
		return fail(RC_STATE, pci->address, WHAT,
			    "%s of it is attached; detach it first (fio-detach /dev/%s)",
			    card->name, card->name);
	if (state_busy(state))
		return fail(RC_STATE, pci->address, WHAT,
			    "%s of it is busy (%s); wait until that has ended", card->name,
			    state_word(state));
	/* A dead disk is kept until its card goes, whether somebody has it open or not. */
	if (card->info.flags & OPENVSL_INFO_BUSY)
		return fail(RC_STATE, pci->address, WHAT,
			    "the disk /dev/%s of it is still open; end that first",
			    card->info.disk);
	return RC_DONE;
}

static int check_cards(const struct pci_device *pci, const struct pci_names *names)
{
	struct driver driver;
	struct cards cards;
	unsigned int i;
	int rc;

	for (i = 0; i < names->nr; i++) {
		char *name = names->name[i];

		rc = cards_open_named(&cards, &driver, &name, 1, WHAT);
		if (rc)
			return rc;
		rc = check_card(pci, &cards.card[0]);
		cards_close(&cards);
		driver_close(&driver);
		if (rc)
			return rc;
	}
	return bind_check_open(pci, names, WHAT);
}

/* Another driver has it, or none: only the list is there to be changed. */
static int unbind_listed(const struct pci_device *pci, bool listed)
{
	char override[PCI_NAME];
	bool wanted;
	int err = 0;

	pci_override(pci, override, sizeof(override));
	wanted = !strcmp(override, PCI_DRIVER);
	if (!listed && !wanted)
		return fail(RC_STATE, pci->address, WHAT, "it is not bound to openvsl");
	if (wanted)
		err = pci_set_override(pci, "");
	return err ? fail_errno(NULL, err, pci->address, WHAT) : RC_DONE;
}

static int release(struct pci_device *pci)
{
	int err = pci_set_override(pci, "");

	if (!err)
		err = pci_unbind(pci);
	if (err)
		return fail_errno(NULL, err, pci->address, WHAT);
	return RC_DONE;
}

static int unbind_one(const char *word, bool quiet)
{
	struct pci_device pci;
	struct pci_names names;
	struct listed device, line;
	bool is_listed;
	int rc = bind_find(&pci, word, WHAT);
	int lock;
	int err;

	if (rc)
		return rc;
	listed_device(&pci, &device);
	is_listed = listed_find(&device, &line) >= LISTED_HERE;
	if (!strcmp(pci.driver, PCI_DRIVER)) {
		err = pci_cards(&pci, &names);
		rc = err ? fail_errno(NULL, err, pci.address, WHAT) : check_cards(&pci, &names);
		pci_names_free(&names);
		if (!rc)
			rc = release(&pci);
	} else {
		rc = unbind_listed(&pci, is_listed);
	}
	if (rc)
		return rc;
	if (!*pci.driver)
		pci_probe(&pci);
	lock = listed_lock();
	err = listed_remove(&device);
	listed_unlock(lock);
	if (err)
		return fail_errno(NULL, err, pci.address,
				  "unbound until the next boot only: cannot write " LISTED_FILE);
	if (!quiet)
		printf("%s: unbound; %s%s\n", pci.address, *pci.driver ? pci.driver : "no driver",
		       " has it now");
	return RC_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
	bool quiet = false;
	const char *arg;
	int rc = RC_DONE;
	int id;
	int i;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		quiet = true;
	}
	if (optind == argc)
		return opt_misuse(self, "which PCI device?");
	stop_catch();
	for (i = optind; i < argc && !stop_asked(); i++)
		rc = err_first(rc, unbind_one(argv[i], quiet));
	if (!rc && i < argc)
		rc = fail(RC_STOPPED, argv[i], NULL, "stopped before it was unbound");
	return rc;
}

const struct command cmd_unbind = {
	.name = "unbind",
	.operands = "PCI-ADDRESS...",
	.summary = "Give NVMe cards back to their usual driver",
	.opts = opts,
	.run = run,
};
