// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the module: parameters, and the list of its parts.
 *
 * Reading the driver from here: a back end (media/, simulated cards by
 * simcards.c) finds a card and hands it to card.c, which owns its life.  When it
 * is attached, block.c makes a disk of it, whose requests go through pump.c to
 * the mapping core (core/) and from there, as operations, to the back end.
 * control.c lets people in, report.c and expose.c let information out.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/reboot.h>

#include "attach.h"
#include "card.h"
#include "control.h"
#include "media/nvme.h"
#include "report.h"
#include "simcards.h"
#include "version.h"

int vsl_auto_attach = 1;
module_param_named(auto_attach, vsl_auto_attach, int, 0644);
MODULE_PARM_DESC(auto_attach,
		 "attach formatted cards when they are found (default 1)");

int vsl_strict_sync = -1;
module_param_named(strict_sync, vsl_strict_sync, int, 0644);
MODULE_PARM_DESC(strict_sync,
		 "acknowledged means durable: 1 always, 0 never, -1 where the card has power-loss protection (default -1); counts at the next attach");

unsigned int vsl_scrub_days = 14;
module_param_named(scrub_days, vsl_scrub_days, uint, 0644);
MODULE_PARM_DESC(scrub_days,
		 "days in which all of a card is read once to see whether it still can be (default 14), 0 never; counts at the next attach");

static char *sim;
module_param(sim, charp, 0444);
MODULE_PARM_DESC(sim,
		 "simulated cards to make: preset:capacity[:timed],... as in slc160:2G");

/* At shutdown: what nobody uses is left clean. */
static int shutting_down(struct notifier_block *block, unsigned long action,
			 void *unused)
{
	vsl_cards_detach_all();
	return NOTIFY_DONE;
}

static struct notifier_block shutdown_notifier = {
	.notifier_call = shutting_down,
};

static int __init vsl_init(void)
{
	int ret;

	pr_info("fioinf openvsl %s\n", VSL_VERSION);
	ret = vsl_simcards_init(sim);
	if (ret)
		return ret;
	ret = vsl_report_init();
	if (ret)
		goto out_simcards;
	ret = register_reboot_notifier(&shutdown_notifier);
	if (ret)
		goto out_report;
	ret = vsl_control_init();
	if (ret)
		goto out_reboot;
	vsl_attach_load_begin();
	ret = vsl_nvme_init();
	vsl_attach_load_end();
	if (ret)
		goto out_control;
	/* There are nodes, which somebody may have open: nothing fails now. */
	vsl_simcards_start();
	return 0;

out_control:
	vsl_control_exit();
out_reboot:
	unregister_reboot_notifier(&shutdown_notifier);
out_report:
	vsl_report_exit();
out_simcards:
	vsl_simcards_exit();
	return ret;
}

static void __exit vsl_exit(void)
{
	vsl_nvme_exit();
	vsl_simcards_exit();
	vsl_control_exit();
	unregister_reboot_notifier(&shutdown_notifier);
	vsl_report_exit();
}

module_init(vsl_init);
module_exit(vsl_exit);

MODULE_DESCRIPTION("OpenVSL: flash translation layer for raw flash PCIe cards");
MODULE_AUTHOR("The OpenVSL project");
MODULE_LICENSE("GPL");
MODULE_VERSION(VSL_VERSION);
