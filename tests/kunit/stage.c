// SPDX-License-Identifier: GPL-2.0-only
/*
 * stage.c - the driver's upper half with simulated cards on it, and this module.
 *
 * What is here instead of the driver's own: the module parameters of main.c, and
 * expose.c, whose directories in /proc and debugfs belong to openvsl.ko, which may
 * be loaded, too.  Everything else is the driver's own source (see Kbuild), with
 * other names for its class and its node.
 */
#include "stage.h"

#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/module.h>

#include "attach.h"
#include "block.h"
#include "control.h"
#include "report.h"
#include "simcards.h"

/* ---- instead of main.c --------------------------------------------------- */

int vsl_auto_attach;
int vsl_strict_sync = -1;
unsigned int vsl_scrub_days;

/* ---- instead of expose.c ------------------------------------------------- */

void vsl_report_add(struct vsl_card *card)
{
}

void vsl_report_remove(struct vsl_card *card)
{
}

void vsl_report_add_disk(struct vsl_card *card, const char *name)
{
}

void vsl_report_remove_disk(struct vsl_card *card)
{
}

/* ---- the stage ----------------------------------------------------------- */

int stage_init(struct kunit_suite *suite)
{
	int ret;

	stage_rename_nodes();
	ret = vsl_control_init();
	if (ret)
		return ret;
	ret = vsl_simcards_init(NULL);
	if (ret) {
		vsl_control_exit();
		return ret;
	}
	vsl_simcards_start();
	return 0;
}

void stage_exit(struct kunit_suite *suite)
{
	vsl_simcards_exit();
	vsl_control_exit();
}

/* Try it for half a minute while somebody is in the way. */
#define WHILE_BUSY(call)						\
({									\
	unsigned long end = jiffies + 30 * HZ;				\
	int busy_ret;							\
									\
	do {								\
		busy_ret = (call);					\
		if (busy_ret != -EBUSY)					\
			break;						\
		msleep(20);						\
	} while (time_before(jiffies, end));				\
	busy_ret;							\
})

int stage_detach(struct vsl_card *card)
{
	return WHILE_BUSY(vsl_card_detach(card));
}

static void drop_card(void *ctx)
{
	struct vsl_card *card = ctx;

	stage_detach(card);
	WARN_ON(WHILE_BUSY(vsl_simcard_destroy(card)));
}

struct vsl_card *stage_card(struct kunit *test, const char *preset)
{
	struct openvsl_sim_create arg = {
		.size = sizeof(arg),
		.capacity_bytes = 16 << 20,
		.seed = 1,
	};
	struct vsl_card *card;

	strscpy(arg.preset, preset, sizeof(arg.preset));
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_create(&arg));
	card = stage_find(arg.card);
	KUNIT_ASSERT_NOT_NULL(test, card);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, drop_card, card));
	return card;
}

void stage_fault(struct kunit *test, struct vsl_card *card, const char *name,
		 u32 count, u64 value)
{
	struct openvsl_sim_fault fault = {
		.unit = U32_MAX,
		.eu = U32_MAX,
		.block = U32_MAX,
		.count = count,
		.value = value,
	};

	strscpy(fault.name, name, sizeof(fault.name));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_fault(card, &fault));
}

int stage_format(struct vsl_card *card, u32 sector_bytes)
{
	struct vsl_format format = {
		.uuid = { 9, 8, 7 },
		.label_ts = 1,
		.sector_bytes = sector_bytes,
	};

	return vsl_card_format(card, &format);
}

struct vsl_card *stage_attached(struct kunit *test, const char *preset,
				u32 sector_bytes)
{
	struct vsl_card *card = stage_card(test, preset);

	KUNIT_ASSERT_EQ(test, 0, stage_format(card, sector_bytes));
	KUNIT_ASSERT_EQ(test, 0, vsl_card_attach(card, 0));
	return card;
}

MODULE_DESCRIPTION("KUnit suites of OpenVSL");
MODULE_AUTHOR("The OpenVSL project");
MODULE_LICENSE("GPL");
