// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd_beacon.c - openvsl beacon: light a card's LEDs to find it in a rack.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "card.h"
#include "cmd.h"
#include "err.h"
#include "field.h"

#define WHAT	"cannot switch the beacon"

static const struct opt opts[] = {
	{ '1', "on", NULL, "switch the LEDs on (default)" },
	{ '0', "off", NULL, "switch them off" },
	{ 'p', "ppci", NULL, "print the card's PCI address" },
	OPT_HELP,
	OPT_VERSION,
	OPT_END,
};

static const struct why why_beacon[] = {
	{ EOPNOTSUPP, RC_FOREIGN, "this card has no LEDs that could be switched" },
	{ 0, RC_FAILED, NULL },
};

static int print_address(const struct card *card)
{
	char text[32];

	if (card->info.pci_domain == ~0u)
		return fail(RC_FAILED, card->name, NULL, "it has no PCI address");
	printf("%s\n", pci_text(&card->info, text, sizeof(text)));
	return RC_DONE;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct openvsl_beacon beacon = { .size = sizeof(beacon), .on = 1 };
	bool address = false;
	bool lights = false;
	struct driver driver;
	struct cards cards;
	const char *arg;
	unsigned int i;
	int err;
	int id;
	int rc;

	while ((id = opt_next(self, argc, argv, &arg)) != OPT_DONE) {
		if (id == OPT_ANSWERED)
			return RC_DONE;
		if (id == OPT_BAD)
			return RC_USAGE;
		address |= id == 'p';
		lights |= id != 'p';
		if (id != 'p')
			beacon.on = id == '1';
	}
	if (optind == argc)
		return opt_misuse(self, "which card?");
	rc = cards_open_some(&cards, &driver, argv + optind, argc - optind, WHAT);
	for (i = 0; i < cards.nr; i++) {
		if (address)
			rc = err_first(rc, print_address(&cards.card[i]));
		if (address && !lights)
			continue;
		err = dev_call(cards.card[i].fd, OPENVSL_IOC_BEACON, &beacon);
		if (err)
			rc = err_first(rc, fail_errno(why_beacon, err, cards.card[i].name, WHAT));
	}
	cards_close(&cards);
	driver_close(&driver);
	return rc;
}

const struct command cmd_beacon = {
	.name = "beacon",
	.alias = NULL,
	.operands = "DEVICE...",
	.summary = "Switch on or off the LEDs that help to find cards",
	.opts = opts,
	.run = run,
};
