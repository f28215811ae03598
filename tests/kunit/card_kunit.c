// SPDX-License-Identifier: GPL-2.0-only
/*
 * card_kunit.c - driver/card.c and driver/attach.c: the life of a card.
 *
 * Goal: every change of state is tried, from each to each, against a table that
 * was written from the meaning of the states and not from the driver's; then real
 * lives, good and bad, in which the driver must never leave its table.
 *
 * Both files are included, so that what is static can be seen.  A warning of card.c
 * is counted where a case asks for it, and is a warning everywhere else.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/delay.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "attach.h"
#include "block.h"
#include "card.h"
#include "control.h"
#include "report.h"
#include "simcards.h"
#include "stage.h"

static bool counting;
static u32 counted;

static bool note_warning(bool is_bad)
{
	if (is_bad && counting)
		counted++;
	return WARN_ON(is_bad && !counting);
}

#pragma push_macro("WARN_ONCE")
#undef WARN_ONCE
#define WARN_ONCE(condition, ...)	note_warning(condition)
#include "../../driver/card.c"
#pragma pop_macro("WARN_ONCE")
#include "../../driver/attach.c"

/* ---- for the other suites ------------------------------------------------ */

struct vsl_card *stage_find(u32 number)
{
	struct vsl_card *card, *found = NULL;

	mutex_lock(&list_lock);
	list_for_each_entry(card, &cards, link)
		if (card->number == number)
			found = card;
	mutex_unlock(&list_lock);
	return found;
}

void stage_take_numbers(unsigned long *taken)
{
	int number;

	bitmap_zero(taken, OPENVSL_CARDS_MAX);
	while ((number = ida_alloc_max(&numbers, OPENVSL_CARDS_MAX - 1,
				       GFP_KERNEL)) >= 0)
		__set_bit(number, taken);
}

void stage_give_numbers(const unsigned long *taken)
{
	u32 number;

	for_each_set_bit(number, taken, OPENVSL_CARDS_MAX)
		ida_free(&numbers, number);
}

/* ---- the table of states ------------------------------------------------- */

#define STATES	(OPENVSL_STATE_UPDATING + 1u)

static const char * const names[STATES] = {
	"unknown", "detached", "attached", "minimal", "error", "detaching",
	"attaching", "scanning", "formatting", "updating",
};

/* From the row's state to the column's: x may be.  Same order as above. */
static const char may_be[STATES][STATES + 1] = {
	/*                udamedasfu */
	/* unknown */	 ".......x..",
	/* detached */	 "x...x.xxxx",
	/* attached */	 "....xx....",
	/* minimal */	 "x...x.xxxx",
	/* error */	 "x......x..",
	/* detaching */	 ".x.xx.....",
	/* attaching */	 ".xxxx.....",
	/* scanning */	 ".x.xx.....",
	/* formatting */ ".x.xx.....",
	/* updating */	 ".x.xx.....",
};

/* One for each pair; the parameter is the element's number. */
static const u8 edges[STATES * STATES];

static const void *edge_gen_params(const void *prev, char *desc)
{
	const u8 *edge = prev ? (const u8 *)prev + 1 : edges;
	u32 number = edge - edges;

	if (number == ARRAY_SIZE(edges))
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s to %s",
		 names[number / STATES], names[number % STATES]);
	return edge;
}

/* A card of which there is nothing but its state. */
static struct vsl_card *paper_card(struct kunit *test, u32 state)
{
	struct vsl_card *card = kunit_kzalloc(test, sizeof(*card), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, card);
	spin_lock_init(&card->lock);
	card->state = state;
	card->minimal_reason = OPENVSL_MINIMAL_FORCED;
	return card;
}

static void change_is_legal_or_warned_of(struct kunit *test)
{
	u32 number = (const u8 *)test->param_value - edges;
	u32 from = number / STATES, to = number % STATES;
	struct vsl_card *card = paper_card(test, from);
	u32 reason = OPENVSL_MINIMAL_NOT, warnings = may_be[from][to] != 'x';

	counted = 0;
	counting = true;
	if (to == OPENVSL_STATE_MINIMAL) {
		reason = OPENVSL_MINIMAL_HARDWARE;
		vsl_card_set_minimal(card, reason);
	} else {
		vsl_card_set_state(card, to);
	}
	counting = false;

	/* To stay is no change at all. */
	if (from == to) {
		warnings = 0;
		reason = OPENVSL_MINIMAL_FORCED;
	}
	KUNIT_EXPECT_EQ(test, warnings, counted);
	KUNIT_EXPECT_EQ(test, to, card->state);
	KUNIT_EXPECT_EQ(test, reason, card->minimal_reason);
}

static void every_state_has_its_name(struct kunit *test)
{
	u32 state;

	for (state = 0; state < STATES; state++)
		KUNIT_EXPECT_STREQ(test, names[state],
				   vsl_card_state_name(state));
	KUNIT_EXPECT_STREQ(test, "unknown", vsl_card_state_name(STATES));
	KUNIT_EXPECT_STREQ(test, "unknown", vsl_card_state_name(U32_MAX));
	KUNIT_EXPECT_EQ(test, STATES, ARRAY_SIZE(legal_next));
}

static void only_three_states_rest(struct kunit *test)
{
	struct vsl_card *card = paper_card(test, 0);

	for (; card->state < STATES; card->state++)
		KUNIT_EXPECT_EQ(test, card->state == OPENVSL_STATE_DETACHED ||
				card->state == OPENVSL_STATE_MINIMAL ||
				card->state == OPENVSL_STATE_ERROR,
				vsl_card_is_resting(card));
}

/* ---- one operation at a time --------------------------------------------- */

static void second_operation_is_refused(struct kunit *test)
{
	struct vsl_card *card = stage_card(test, "tiny");

	KUNIT_EXPECT_EQ(test, 0, vsl_card_begin(card));
	card->interrupted = true;
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_begin(card));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_try_begin(card));
	KUNIT_EXPECT_EQ(test, -EBUSY, stage_format(card, 512));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_detach(card));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_simcard_destroy(card));
	vsl_card_end(card);
	KUNIT_EXPECT_FALSE(test, card->interrupted);
	KUNIT_EXPECT_EQ(test, 0, vsl_card_try_begin(card));
	vsl_card_end(card);
}

struct ender {
	struct vsl_card *card;
	struct completion done;
	bool ending;
};

static int end_later(void *ctx)
{
	struct ender *ender = ctx;

	msleep(50);
	WRITE_ONCE(ender->ending, true);
	vsl_card_end(ender->card);
	complete(&ender->done);
	return 0;
}

static void who_waits_gets_his_turn(struct kunit *test)
{
	struct ender ender = { .card = stage_card(test, "tiny") };
	struct task_struct *task;

	init_completion(&ender.done);
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(ender.card));
	task = kthread_run(end_later, &ender, "vsl_ender");
	if (IS_ERR(task))
		vsl_card_end(ender.card);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	KUNIT_EXPECT_EQ(test, 0, vsl_card_begin_wait(ender.card));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(ender.ending));
	wait_for_completion(&ender.done);
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_try_begin(ender.card));
	vsl_card_end(ender.card);
}

static bool is_listed(u32 number)
{
	u32 words[OPENVSL_CARDS_MAX / 32];

	vsl_cards_bitmap(words);
	return words[number / 32] >> number % 32 & 1;
}

static void removed_card_does_nothing_more(struct kunit *test)
{
	struct openvsl_sim_create arg = {
		.capacity_bytes = 16 << 20,
		.preset = "tiny",
	};
	struct openvsl_sim_fault fault = { .name = "slow", .count = 1 };
	struct openvsl_sim_image image = { .bytes = 4096 };
	struct openvsl_info info;
	struct vsl_card *card;
	u32 number;

	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_create(&arg));
	number = arg.card;
	card = stage_find(number);
	KUNIT_ASSERT_NOT_NULL(test, card);
	KUNIT_EXPECT_TRUE(test, is_listed(number));
	get_device(&card->dev);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_destroy(card));

	KUNIT_EXPECT_FALSE(test, is_listed(number));
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_UNKNOWN, card->state);
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_card_begin(card));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_card_begin_wait(card));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_report_info(card, &info));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_report_identity(card, &info));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_simcard_destroy(card));
	KUNIT_EXPECT_EQ(test, -ENODEV,
			vsl_simcard_power(card, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV,
			vsl_simcard_power(card, OPENVSL_SIM_ON));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_simcard_fault(card, &fault));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_simcard_image(card, &image));
	/* Its number stays taken as long as somebody holds it. */
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_create(&arg));
	KUNIT_EXPECT_NE(test, number, arg.card);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_destroy(stage_find(arg.card)));
	put_device(&card->dev);
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_create(&arg));
	KUNIT_EXPECT_EQ(test, number, arg.card);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_destroy(stage_find(arg.card)));
}

/* ---- lives --------------------------------------------------------------- */

/* State, and I3: what goes with it. */
static void expect_state(struct kunit *test, struct vsl_card *card, u32 state)
{
	bool is_attached = state == OPENVSL_STATE_ATTACHED;

	KUNIT_EXPECT_STREQ(test, names[state],
			   vsl_card_state_name(card->state));
	KUNIT_EXPECT_FALSE(test, card->busy);
	if (state == OPENVSL_STATE_ERROR)
		return;
	KUNIT_EXPECT_EQ(test, is_attached, !!card->core);
	KUNIT_EXPECT_EQ(test, is_attached, !!card->disk);
	KUNIT_EXPECT_EQ(test, is_attached, !!card->pump.core);
}

static void good_life(struct kunit *test)
{
	struct vsl_card *card = stage_card(test, "tiny");

	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_FALSE(test, card->found.formatted);
	KUNIT_EXPECT_EQ(test, -ENODATA, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, -ENODATA, card->last_error);
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_EQ(test, -ENOTCONN, vsl_card_detach(card));
	KUNIT_EXPECT_EQ(test, -ENOTCONN, vsl_card_audit(card));

	KUNIT_EXPECT_EQ(test, 0, stage_format(card, 4096));
	KUNIT_EXPECT_EQ(test, 0, card->last_error);
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_TRUE(test, card->found.formatted);
	KUNIT_EXPECT_TRUE(test, card->found.clean);
	KUNIT_EXPECT_EQ(test, 4096, card->found.sector_bytes);
	KUNIT_EXPECT_EQ(test, 9, card->found.uuid[0]);

	KUNIT_ASSERT_EQ(test, 0, vsl_card_attach(card, 0));
	expect_state(test, card, OPENVSL_STATE_ATTACHED);
	KUNIT_EXPECT_EQ(test, -EALREADY, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, stage_format(card, 4096));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_simcard_destroy(card));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_audit(card));
	expect_state(test, card, OPENVSL_STATE_ATTACHED);

	KUNIT_EXPECT_EQ(test, 0, stage_detach(card));
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_TRUE(test, card->found.clean);
	KUNIT_EXPECT_EQ(test, 0,
			vsl_card_attach(card, VSL_ATTACH_CLEAN_ONLY));
	expect_state(test, card, OPENVSL_STATE_ATTACHED);
}

static void who_has_it_open_keeps_it(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	struct file *file = stage_open(test, card);

	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_card_detach(card));
	expect_state(test, card, OPENVSL_STATE_ATTACHED);
	stage_close(file);
	KUNIT_EXPECT_EQ(test, 0, stage_detach(card));
	expect_state(test, card, OPENVSL_STATE_DETACHED);
}

static void power_goes_while_it_rests(struct kunit *test)
{
	struct vsl_card *card = stage_card(test, "tiny");

	KUNIT_EXPECT_EQ(test, -EALREADY, vsl_simcard_power(card,
							   OPENVSL_SIM_ON));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	expect_state(test, card, OPENVSL_STATE_ERROR);
	KUNIT_EXPECT_EQ(test, -EALREADY, vsl_simcard_power(card,
							   OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, -ENODEV, stage_format(card, 512));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, -ENODEV, vsl_card_detach(card));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_ON));
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_EQ(test, 0, stage_format(card, 512));
}

static void power_goes_while_it_is_open(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	struct file *file = stage_open(test, card);
	int ret;

	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	expect_state(test, card, OPENVSL_STATE_ERROR);
	KUNIT_EXPECT_NOT_NULL(test, card->disk);
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_simcard_power(card, OPENVSL_SIM_ON));
	KUNIT_EXPECT_EQ(test, -EBUSY, vsl_simcard_destroy(card));
	stage_close(file);
	do {
		ret = vsl_simcard_power(card, OPENVSL_SIM_ON);
	} while (ret == -EBUSY);
	KUNIT_EXPECT_EQ(test, 0, ret);
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_FALSE(test, card->found.clean);
	KUNIT_EXPECT_EQ(test, -EUCLEAN,
			vsl_card_attach(card, VSL_ATTACH_CLEAN_ONLY));
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_EQ(test, 0, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_audit(card));
}

static void cut_card_can_be_destroyed(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);

	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	/* The end of the case does it, and warns if it cannot. */
	expect_state(test, card, OPENVSL_STATE_ERROR);
}

static void unreadable_card_is_minimal(struct kunit *test)
{
	struct openvsl_sim_fault fault = {
		.name = "unit-dead",
		.unit = U32_MAX,
		.eu = U32_MAX,
		.block = U32_MAX,
		.count = U32_MAX,
	};
	struct vsl_card *card = stage_card(test, "tiny");

	KUNIT_ASSERT_EQ(test, 0, stage_format(card, 512));
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_fault(card, &fault));
	KUNIT_EXPECT_EQ(test, -EIO, vsl_card_attach(card, 0));
	expect_state(test, card, OPENVSL_STATE_MINIMAL);
	KUNIT_EXPECT_EQ(test, OPENVSL_MINIMAL_HARDWARE, card->minimal_reason);
	KUNIT_EXPECT_EQ(test, -EIO, card->last_error);

	fault.count = 0;
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_fault(card, &fault));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_attach(card, 0));
	expect_state(test, card, OPENVSL_STATE_ATTACHED);
	KUNIT_EXPECT_EQ(test, OPENVSL_MINIMAL_NOT, card->minimal_reason);
}

/* ---- an operation that does not end -------------------------------------- */

struct powerer {
	struct vsl_card *card;
	struct completion done;
	int ret;
};

static int power_it_on(void *ctx)
{
	struct powerer *powerer = ctx;

	powerer->ret = vsl_simcard_power(powerer->card, OPENVSL_SIM_ON);
	complete(&powerer->done);
	return 0;
}

/* Power a cut card on, as far as its scan, which gets stuck. */
static void power_on_stuck(struct kunit *test, struct powerer *powerer)
{
	unsigned long end = jiffies + 30 * HZ;
	struct task_struct *task;

	stage_fault(test, powerer->card, "stuck", 1000, 0);
	init_completion(&powerer->done);
	task = kthread_run(power_it_on, powerer, "vsl_powerer");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	while (READ_ONCE(powerer->card->state) != OPENVSL_STATE_SCANNING &&
	       time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_EQ(test, OPENVSL_STATE_SCANNING, powerer->card->state);
}

static void stuck_card_does_not_hold_up_others(struct kunit *test)
{
	struct powerer powerer = { .card = stage_card(test, "tiny") };
	struct vsl_card *card = powerer.card;
	struct vsl_card *other = stage_card(test, "tiny");

	KUNIT_ASSERT_EQ(test, 0, stage_format(card, 512));
	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	power_on_stuck(test, &powerer);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(other, OPENVSL_SIM_CUT));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(other, OPENVSL_SIM_ON));
	KUNIT_EXPECT_FALSE(test, completion_done(&powerer.done));

	/* Taking the fault back lets it go on. */
	stage_fault(test, card, "stuck", 0, 0);
	wait_for_completion(&powerer.done);
	KUNIT_EXPECT_EQ(test, 0, powerer.ret);
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_TRUE(test, card->found.formatted);
}

static void cut_while_power_returns_counts(struct kunit *test)
{
	struct powerer powerer = { .card = stage_card(test, "tiny") };
	struct vsl_card *card = powerer.card;

	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	power_on_stuck(test, &powerer);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_CUT));
	wait_for_completion(&powerer.done);
	vsl_card_flush_events(card);
	expect_state(test, card, OPENVSL_STATE_ERROR);

	stage_fault(test, card, "stuck", 0, 0);
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_power(card, OPENVSL_SIM_ON));
	expect_state(test, card, OPENVSL_STATE_DETACHED);
}

/* ---- more lives ---------------------------------------------------------- */

/* What is refused at once must not leave the look at the card to a signal. */
static void signal_does_not_stop_the_scan_after_a_format(struct kunit *test)
{
	struct vsl_format format = {
		.label_ts = 1,
		.sector_bytes = 512,
		.capacity_bytes = 1ull << 50,
	};
	struct vsl_card *card = stage_card(test, "tiny");

	KUNIT_ASSERT_EQ(test, 0, stage_format(card, 512));
	/* No read ends inside submit() then: the scan has to wait. */
	stage_fault(test, card, "slow", U32_MAX, NSEC_PER_MSEC);
	allow_signal(SIGTERM);
	send_sig(SIGTERM, current, 1);
	KUNIT_EXPECT_EQ(test, -ERANGE, vsl_card_format(card, &format));
	disallow_signal(SIGTERM);
	flush_signals(current);
	expect_state(test, card, OPENVSL_STATE_DETACHED);
	KUNIT_EXPECT_TRUE(test, card->found.formatted);
	KUNIT_EXPECT_FALSE(test, card->interrupted);
	stage_fault(test, card, "slow", 0, 0);
}

static void formatted_card_is_attached_by_itself(struct kunit *test)
{
	struct vsl_card *card = stage_card(test, "tiny");
	u32 i;

	/* Not while blank, and not when the parameter says no. */
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(card));
		vsl_auto_attach = i != 1;
		vsl_attach_auto(card);
		vsl_auto_attach = 0;
		expect_state(test, card, i == 2 ? OPENVSL_STATE_ATTACHED :
						  OPENVSL_STATE_DETACHED);
		if (!i)
			KUNIT_ASSERT_EQ(test, 0, stage_format(card, 512));
	}
}

/* While the module is loaded, one that cannot come to an end is in nobody's way. */
static void loading_attaches_side_by_side(struct kunit *test)
{
	struct vsl_card *slow = stage_card(test, "tiny");
	struct vsl_card *quick = stage_card(test, "tiny");
	unsigned long end = jiffies + 30 * HZ;

	KUNIT_ASSERT_EQ(test, 0, stage_format(slow, 512));
	KUNIT_ASSERT_EQ(test, 0, stage_format(quick, 512));
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(slow));
	KUNIT_ASSERT_EQ(test, 0, vsl_card_begin(quick));
	stage_fault(test, slow, "stuck", 1000, 0);
	vsl_attach_load_begin();
	vsl_auto_attach = 1;
	vsl_attach_auto(slow);
	vsl_attach_auto(quick);
	vsl_auto_attach = 0;
	while (READ_ONCE(quick->busy) && time_before(jiffies, end))
		msleep(20);
	expect_state(test, quick, OPENVSL_STATE_ATTACHED);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(slow->busy));
	stage_fault(test, slow, "stuck", 0, 0);
	vsl_attach_load_end();
	expect_state(test, slow, OPENVSL_STATE_ATTACHED);
}

static void shutdown_detaches_what_is_not_in_use(struct kunit *test)
{
	struct vsl_card *used = stage_attached(test, "tiny", 512);
	struct vsl_card *unused = stage_attached(test, "tiny", 512);
	struct file *file = stage_open(test, used);
	unsigned long end = jiffies + 30 * HZ;

	do {
		vsl_cards_detach_all();
	} while (unused->state == OPENVSL_STATE_ATTACHED &&
		 time_before(jiffies, end));
	expect_state(test, unused, OPENVSL_STATE_DETACHED);
	expect_state(test, used, OPENVSL_STATE_ATTACHED);
	stage_close(file);
}

/* ---- counters ------------------------------------------------------------ */

static void counters_for_everybody_are_a_snapshot(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 4096);
	struct vsl_core_stats stats, base;
	struct openvsl_info info;
	unsigned long taken;

	/* However often one asks, and for a name not at all. */
	taken = jiffies - HZ;
	card->stats_jiffies = taken;
	KUNIT_EXPECT_EQ(test, 0, vsl_report_identity(card, &info));
	KUNIT_EXPECT_EQ(test, taken, card->stats_jiffies);
	KUNIT_EXPECT_EQ(test, 0, vsl_report_info(card, &info));
	KUNIT_EXPECT_NE(test, taken, card->stats_jiffies);
	card->stats_jiffies = jiffies + HZ;
	card->stats.lost_blocks = 4711;
	card->base.media_erases = 42;
	KUNIT_EXPECT_TRUE(test, vsl_card_recent_stats(card, &stats, &base));
	KUNIT_EXPECT_EQ(test, 4711, stats.lost_blocks);
	KUNIT_EXPECT_EQ(test, 42, base.media_erases);
	KUNIT_EXPECT_EQ(test, 0, vsl_report_info(card, &info));
	KUNIT_EXPECT_EQ(test, 4711, info.lost_blocks);

	KUNIT_EXPECT_TRUE(test, vsl_card_stats(card, &stats));
	KUNIT_EXPECT_EQ(test, 0, stats.lost_blocks);
	KUNIT_EXPECT_EQ(test, 0, stage_detach(card));
	KUNIT_EXPECT_FALSE(test, vsl_card_recent_stats(card, &stats, NULL));
	KUNIT_EXPECT_NE(test, 0, stats.eus_total);
}

static void large_disk_is_not_audited(struct kunit *test)
{
	struct openvsl_sim_create arg = {
		.capacity_bytes = 9ull << 30,
		.preset = "raw",
	};
	struct vsl_card *card;

	KUNIT_ASSERT_EQ(test, 0, vsl_simcard_create(&arg));
	card = stage_find(arg.card);
	KUNIT_EXPECT_EQ(test, 0, stage_format(card, 4096));
	KUNIT_EXPECT_EQ(test, 0, vsl_card_attach(card, 0));
	KUNIT_EXPECT_EQ(test, -EFBIG, vsl_card_audit(card));
	KUNIT_EXPECT_EQ(test, 0, stage_detach(card));
	KUNIT_EXPECT_EQ(test, 0, vsl_simcard_destroy(card));
}

/* ---- errors and reasons -------------------------------------------------- */

static const struct error_case {
	int error;
	u32 minimal;		/* after a scan */
	int attach;		/* of the ioctl */
	int clean_only;		/* of the same with CLEAN_ONLY */
} error_cases[] = {
	{ 0, OPENVSL_MINIMAL_NOT, 0, 0 },
	{ -EMEDIUMTYPE, OPENVSL_MINIMAL_NOT, -EMEDIUMTYPE, -EMEDIUMTYPE },
	{ -EPROTO, OPENVSL_MINIMAL_DRIVER_OUTDATED, -EPROTO, -EPROTO },
	{ -ESTALE, OPENVSL_MINIMAL_FORMAT_OUTDATED, -ESTALE, -ESTALE },
	{ -EUCLEAN, OPENVSL_MINIMAL_UNSUPPORTED_NAND, -EMEDIUMTYPE,
	  -EMEDIUMTYPE },
	{ -ENOMEM, OPENVSL_MINIMAL_NO_MEMORY, -ENOMEM, -ENOMEM },
	{ -EIO, OPENVSL_MINIMAL_HARDWARE, -EIO, -EIO },
	{ -ENODEV, OPENVSL_MINIMAL_INTERNAL, -ENODEV, -ENODEV },
	{ -ENODATA, OPENVSL_MINIMAL_INTERNAL, -ENODATA, -ENODATA },
	{ -EBUSY, OPENVSL_MINIMAL_INTERNAL, -EBUSY, -EUCLEAN },
};

static void error_desc(const struct error_case *error, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "error %d", error->error);
}

KUNIT_ARRAY_PARAM(error_case, error_cases, error_desc);

static void error_has_its_reason(struct kunit *test)
{
	const struct error_case *expected = test->param_value;

	KUNIT_EXPECT_EQ(test, expected->minimal,
			minimal_reason(expected->error));
	KUNIT_EXPECT_EQ(test, expected->attach,
			attach_error(expected->error, 0));
	KUNIT_EXPECT_EQ(test, expected->clean_only,
			attach_error(expected->error, VSL_ATTACH_CLEAN_ONLY));
}

static void parameter_outvotes_the_card(struct kunit *test)
{
	struct vsl_card *card = paper_card(test, 0);

	KUNIT_EXPECT_FALSE(test, is_strict(card));
	card->info.flags = VSL_MEDIA_PLP;
	KUNIT_EXPECT_TRUE(test, is_strict(card));
	vsl_strict_sync = 0;
	KUNIT_EXPECT_FALSE(test, is_strict(card));
	card->info.flags = 0;
	vsl_strict_sync = 1;
	KUNIT_EXPECT_TRUE(test, is_strict(card));
	vsl_strict_sync = -1;
}

static void best_request_is_a_row_within_reason(struct kunit *test)
{
	struct vsl_media_info info = { .units = 24, .ws_opt = 2 };

	KUNIT_EXPECT_EQ(test, 24 * 2 * 4096, io_opt_bytes(&info));
	info.units = 1;
	KUNIT_EXPECT_EQ(test, 64 << 10, io_opt_bytes(&info));
	info.units = 1024;
	info.ws_opt = 1 << 20;
	KUNIT_EXPECT_EQ(test, 512 << 10, io_opt_bytes(&info));
}

static void atomic_write_is_what_the_core_can_do(struct kunit *test)
{
	struct vsl_card *card = stage_attached(test, "tiny", 512);
	u32 bytes = atomic_bytes(card->core);
	u32 blocks = vsl_core_atomic_blocks(card->core);

	KUNIT_ASSERT_GE(test, blocks, 2);
	KUNIT_EXPECT_TRUE(test, is_power_of_2(bytes));
	/* Misaligned it touches one block more. */
	KUNIT_EXPECT_LE(test, bytes / VSL_BLOCK_BYTES + 1, blocks);
	KUNIT_EXPECT_LE(test, bytes, VSL_IO_MAX_SECTORS * VSL_SECTOR_BYTES);
	if (bytes < VSL_IO_MAX_SECTORS * VSL_SECTOR_BYTES)
		KUNIT_EXPECT_GT(test, bytes * 2 / VSL_BLOCK_BYTES + 1, blocks);
}

static struct kunit_case card_cases[] = {
	KUNIT_CASE_PARAM(change_is_legal_or_warned_of, edge_gen_params),
	KUNIT_CASE(every_state_has_its_name),
	KUNIT_CASE(only_three_states_rest),
	KUNIT_CASE(second_operation_is_refused),
	KUNIT_CASE(who_waits_gets_his_turn),
	KUNIT_CASE(removed_card_does_nothing_more),
	KUNIT_CASE(good_life),
	KUNIT_CASE(who_has_it_open_keeps_it),
	KUNIT_CASE(power_goes_while_it_rests),
	KUNIT_CASE(power_goes_while_it_is_open),
	KUNIT_CASE(cut_card_can_be_destroyed),
	KUNIT_CASE(unreadable_card_is_minimal),
	KUNIT_CASE(stuck_card_does_not_hold_up_others),
	KUNIT_CASE(cut_while_power_returns_counts),
	KUNIT_CASE(signal_does_not_stop_the_scan_after_a_format),
	KUNIT_CASE(formatted_card_is_attached_by_itself),
	KUNIT_CASE(loading_attaches_side_by_side),
	KUNIT_CASE(shutdown_detaches_what_is_not_in_use),
	KUNIT_CASE(counters_for_everybody_are_a_snapshot),
	KUNIT_CASE(large_disk_is_not_audited),
	KUNIT_CASE_PARAM(error_has_its_reason, error_case_gen_params),
	KUNIT_CASE(parameter_outvotes_the_card),
	KUNIT_CASE(best_request_is_a_row_within_reason),
	KUNIT_CASE(atomic_write_is_what_the_core_can_do),
	{ }
};

static struct kunit_suite card_suite = {
	.name = "openvsl_card",
	.suite_init = stage_init,
	.suite_exit = stage_exit,
	.test_cases = card_cases,
};

kunit_test_suite(card_suite);
