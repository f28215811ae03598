// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvme_kunit.c - the NVMe transport and a card that is mad, or not there.
 *
 * Goal: whatever a ring of completions says, an operation ends once, with what the
 * card said of it; what is of no command is dropped, told of a few times, and the
 * card is reset; registers that nobody answers for end everything within a bound.
 * Method: a controller whose registers and rings are plain memory, and whose
 * configuration space answers with ones.  The test is the card.
 */
#include <kunit/test.h>

#include <linux/slab.h>

#include "media/nvme.h"
#include "media/nvme_status.h"

#define DEPTH		16u
#define BAR_BYTES	8192u
#define FLOOD		10000u
#define OPS		4u

#define WORD(reg)	((reg) / sizeof(u32))

/**
 * struct forged - a controller that is not there
 * @ctrl: the controller
 * @regs: its registers
 * @pdev: its device, on @bus
 * @bus: answers with ones
 * @ns: its namespace
 * @op: operations
 * @ends: how often each has ended
 * @resets: how often a reset was wanted and begun, where it is only counted
 * @gone: how often its namespace was told that it is gone
 */
struct forged {
	struct vsl_nvme_ctrl *ctrl;
	u32 *regs;
	struct pci_dev *pdev;
	struct pci_bus bus;
	struct vsl_nvme_ns ns;
	struct vsl_op op[OPS];
	u32 ends[OPS];
	u32 resets;
	u32 gone;
};

/* Works have no context of their own; one test runs at a time. */
static struct forged *forged;

/* ---- the card --------------------------------------------------------------- */

static int config_read(struct pci_bus *bus, unsigned int devfn, int where,
		       int size, u32 *value)
{
	*value = ~0u;
	return 0;
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where,
			int size, u32 value)
{
	return 0;
}

static struct pci_ops config_ops = {
	.read = config_read,
	.write = config_write,
};

static void set_reg(u32 reg, u32 value)
{
	WRITE_ONCE(forged->regs[WORD(reg)], value);
}

static struct vsl_nvme_queue *queue(void)
{
	return &forged->ctrl->queue[1];
}

/* Where the next completion of the card goes, and with which phase. */
static struct nvme_cqe *next_cqe(u32 nth, u32 *phase)
{
	u32 at = queue()->cq_head + nth;

	*phase = queue()->phase ^ (at >= DEPTH);
	return &queue()->cq[at % DEPTH];
}

/* The @nth completion that was not looked at yet. */
static void complete_as(u32 nth, u16 cid, u16 sq_id, u16 status)
{
	u32 phase;
	struct nvme_cqe *cqe = next_cqe(nth, &phase);

	cqe->cid = cpu_to_le16(cid);
	cqe->sq_id = cpu_to_le16(sq_id);
	cqe->status = cpu_to_le16(status << 1 | phase);
}

/* Identifier of the command that was given last but @nth. */
static u16 cid_of(u32 nth)
{
	u32 at = (queue()->sq_tail + DEPTH - 1 - nth) % DEPTH;

	return le16_to_cpu(queue()->sq[at].cid);
}

/* ---- what is above the transport -------------------------------------------- */

static int forged_build(struct vsl_nvme_ns *ns, struct vsl_op *op,
			struct vsl_nvme_build *build)
{
	build->repeatable = true;
	return 0;
}

static enum vsl_result forged_ended(struct vsl_nvme_ns *ns, struct vsl_op *op,
				    u16 status, u32 result)
{
	return vsl_nvme_result(status, op->kind);
}

static const struct vsl_nvme_personality forged_kind = {
	.name = "forged",
	.build = forged_build,
	.ended = forged_ended,
};

static void op_end(struct vsl_op *op)
{
	forged->ends[op - forged->op]++;
}

static void ns_event(void *ctx, enum vsl_media_event what, u32 unit, u32 eu)
{
	forged->gone += what == VSL_EVENT_GONE;
}

static void submit(u32 nr)
{
	struct vsl_op *op = &forged->op[nr];

	op->kind = VSL_OP_FLUSH;
	op->end = op_end;
	op->result = VSL_RES_TRANSIENT;
	vsl_nvme_submit(&forged->ns.media, op);
}

static void count_reset(struct work_struct *work)
{
	forged->resets++;
}

static u32 resets_wanted(void)
{
	flush_work(&forged->ctrl->reset);
	return forged->resets;
}

/* ---- the bench -------------------------------------------------------------- */

static void make_queue(struct kunit *test, u32 id)
{
	struct vsl_nvme_queue *q = &forged->ctrl->queue[id];
	u32 tag;

	q->ctrl = forged->ctrl;
	q->id = id;
	q->depth = DEPTH;
	spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->free);
	INIT_LIST_HEAD(&q->waiting);
	q->sq = kunit_kcalloc(test, DEPTH, sizeof(*q->sq), GFP_KERNEL);
	q->cq = kunit_kcalloc(test, DEPTH, sizeof(*q->cq), GFP_KERNEL);
	q->req = kunit_kcalloc(test, DEPTH - 1, sizeof(*q->req), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, q->sq && q->cq && q->req);
	for (tag = 0; tag < DEPTH - 1; tag++) {
		q->req[tag].tag = tag;
		list_add_tail(&q->req[tag].link, &q->free);
	}
	vsl_nvme_queue_init(q);
	forged->ctrl->nr_allocated = id + 1;
}

static void make_ctrl(struct kunit *test)
{
	struct vsl_nvme_ctrl *ctrl = forged->ctrl;

	ctrl->pdev = forged->pdev;
	ctrl->bar = (void __iomem __force *)forged->regs;
	ctrl->bar_bytes = BAR_BYTES;
	ctrl->stride = 4;
	ctrl->ready_ms = 20;
	ctrl->nr_io = 1;
	ctrl->state = VSL_NVME_LIVE;
	ctrl->is_up = true;
	ctrl->no_events = true;
	ctrl->no_smart = true;
	strscpy(ctrl->label, "forged card", sizeof(ctrl->label));
	ratelimit_state_init(&ctrl->log_limit, 5 * HZ, 10);
	INIT_LIST_HEAD(&ctrl->namespaces);
	mutex_init(&ctrl->life);
	vsl_nvme_error_init(ctrl);
	ctrl->wq = alloc_workqueue("openvsl_forged", WQ_UNBOUND, 0);
	ctrl->queue_of = kunit_kcalloc(test, nr_cpu_ids,
				       sizeof(*ctrl->queue_of), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, ctrl->wq && ctrl->queue_of);
	memset16(ctrl->queue_of, 1, nr_cpu_ids);
	make_queue(test, 0);
	make_queue(test, 1);
	vsl_nvme_queue_go(queue());
}

static int nvme_init(struct kunit *test)
{
	forged = kunit_kzalloc(test, sizeof(*forged), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, forged);
	forged->ctrl = kunit_kzalloc(test, sizeof(*forged->ctrl), GFP_KERNEL);
	forged->regs = kunit_kzalloc(test, BAR_BYTES, GFP_KERNEL);
	forged->pdev = kunit_kzalloc(test, sizeof(*forged->pdev), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, forged->ctrl && forged->regs && forged->pdev);
	forged->bus.ops = &config_ops;
	forged->pdev->bus = &forged->bus;
	forged->pdev->error_state = pci_channel_io_normal;
	make_ctrl(test);
	forged->ns.ctrl = forged->ctrl;
	forged->ns.kind = &forged_kind;
	forged->ns.nsid = 1;
	forged->ns.media.event = ns_event;
	list_add(&forged->ns.link, &forged->ctrl->namespaces);
	set_reg(NVME_REG_CSTS, NVME_CSTS_READY);
	return 0;
}

static void nvme_exit(struct kunit *test)
{
	if (!forged || !forged->ctrl || !forged->ctrl->wq)
		return;
	cancel_delayed_work_sync(&forged->ctrl->watch);
	destroy_workqueue(forged->ctrl->wq);
	forged = NULL;
}

/* A reset is only counted, so that the queue stays as the test has left it. */
static void only_count_resets(void)
{
	INIT_WORK(&forged->ctrl->reset, count_reset);
}

/* ---- completions ------------------------------------------------------------ */

static void completion_ends_its_command(struct kunit *test)
{
	only_count_resets();
	submit(0);
	submit(1);
	complete_as(0, cid_of(1), 1, 0);
	complete_as(1, cid_of(0), 1, NVME_STATUS(7, 0x42));
	KUNIT_EXPECT_EQ(test, 2, vsl_nvme_queue_reap(queue()));
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
	KUNIT_EXPECT_EQ(test, VSL_RES_OK, forged->op[0].result);
	KUNIT_EXPECT_EQ(test, 1, forged->ends[1]);
	KUNIT_EXPECT_EQ(test, VSL_RES_TRANSIENT, forged->op[1].result);
	KUNIT_EXPECT_EQ(test, 0, vsl_nvme_queue_reap(queue()));
	KUNIT_EXPECT_EQ(test, 0, resets_wanted());
	KUNIT_EXPECT_EQ(test, 0, queue()->busy);
}

/* Completions that are of no command: one under way has the identifier @cid. */
static void expect_dropped(struct kunit *test, const char *what, u16 cid,
			   u16 sq_id)
{
	u32 before = resets_wanted();

	complete_as(0, cid, sq_id, 0);
	KUNIT_EXPECT_EQ_MSG(test, 1, vsl_nvme_queue_reap(queue()), "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, 0, forged->ends[0], "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, 1, queue()->busy, "%s", what);
	KUNIT_EXPECT_EQ_MSG(test, before + 1, resets_wanted(), "%s", what);
}

static void wrong_completions_are_dropped(struct kunit *test)
{
	u16 cid;

	only_count_resets();
	submit(0);
	cid = cid_of(0);
	expect_dropped(test, "a tag that there is not", 0xff | (cid & 0xff00), 1);
	expect_dropped(test, "the last tag but one", DEPTH - 1, 1);
	expect_dropped(test, "a tag that is free", cid ^ 1, 1);
	expect_dropped(test, "another use of its tag", cid + 0x100, 1);
	expect_dropped(test, "an earlier use of its tag", cid - 0x100, 1);
	expect_dropped(test, "a queue that there is not", cid, 0xffff);
	expect_dropped(test, "the queue of administration", cid, 0);
	complete_as(0, cid, 1, 0);
	KUNIT_EXPECT_EQ(test, 1, vsl_nvme_queue_reap(queue()));
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
	KUNIT_EXPECT_EQ(test, VSL_RES_OK, forged->op[0].result);
}

static void second_completion_is_dropped(struct kunit *test)
{
	u16 cid;

	only_count_resets();
	submit(0);
	cid = cid_of(0);
	complete_as(0, cid, 1, 0);
	complete_as(1, cid, 1, 0);
	KUNIT_EXPECT_EQ(test, 2, vsl_nvme_queue_reap(queue()));
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
	KUNIT_EXPECT_EQ(test, 1, resets_wanted());
	/* The tag is in use again: it is still another use of it. */
	submit(1);
	complete_as(0, cid, 1, 0);
	vsl_nvme_queue_reap(queue());
	KUNIT_EXPECT_EQ(test, 0, forged->ends[1]);
	complete_as(0, cid_of(0), 1, 0);
	vsl_nvme_queue_reap(queue());
	KUNIT_EXPECT_EQ(test, 1, forged->ends[1]);
}

/* All entries of the ring are said to be new, again and again. */
static void nonsense_of_phases_comes_to_an_end(struct kunit *test)
{
	u32 i, lap;

	only_count_resets();
	submit(0);
	for (lap = 0; lap < 3; lap++) {
		for (i = 0; i < DEPTH; i++)
			complete_as(i, 0, 1, 0x7ff);
		KUNIT_EXPECT_EQ(test, DEPTH, vsl_nvme_queue_reap(queue()));
	}
	for (lap = 0; lap < DEPTH; lap++) {
		for (i = 0; i < DEPTH; i++)
			queue()->cq[i].status ^= cpu_to_le16(lap * i >> 2 & 1);
		KUNIT_EXPECT_LE(test, vsl_nvme_queue_reap(queue()), DEPTH);
	}
	KUNIT_EXPECT_EQ(test, 0, forged->ends[0]);
	KUNIT_EXPECT_TRUE(test, queue()->cq_head < DEPTH);
	KUNIT_EXPECT_GE(test, resets_wanted(), 1);
}

static void flood_is_told_of_a_few_times(struct kunit *test)
{
	u32 i;

	only_count_resets();
	submit(0);
	for (i = 0; i < FLOOD; i++) {
		complete_as(0, i | 0x80, i, i & 0x7fff);
		KUNIT_ASSERT_EQ(test, 1, vsl_nvme_queue_reap(queue()));
	}
	KUNIT_EXPECT_EQ(test, 0, forged->ends[0]);
	KUNIT_EXPECT_GE(test, resets_wanted(), 1);
	/* No more lines fit in now. */
	KUNIT_EXPECT_FALSE(test, __ratelimit(&forged->ctrl->log_limit));
	complete_as(0, cid_of(0), 1, 0);
	vsl_nvme_queue_reap(queue());
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
}

/* What a reset has taken from the card ends by what came after it. */
static void completion_from_before_a_reset_is_dropped(struct kunit *test)
{
	u16 cid;

	only_count_resets();
	submit(0);
	cid = cid_of(0);
	complete_as(0, cid, 1, 0);
	vsl_nvme_queue_stop(queue());
	KUNIT_EXPECT_EQ(test, 0, vsl_nvme_queue_reap(queue()));
	KUNIT_EXPECT_EQ(test, 0, forged->ends[0]);
	vsl_nvme_queue_init(queue());
	KUNIT_EXPECT_EQ(test, 0, vsl_nvme_queue_reap(queue()));
	vsl_nvme_queue_go(queue());
	KUNIT_EXPECT_NE(test, cid, cid_of(0));
	complete_as(0, cid, 1, 0);
	vsl_nvme_queue_reap(queue());
	KUNIT_EXPECT_EQ(test, 0, forged->ends[0]);
	complete_as(0, cid_of(0), 1, 0);
	vsl_nvme_queue_reap(queue());
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
	KUNIT_EXPECT_EQ(test, VSL_RES_OK, forged->op[0].result);
}

/* ---- registers -------------------------------------------------------------- */

/* All ended with "gone", the namespace knows, and what comes ends at once. */
static void expect_given_up(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, VSL_NVME_DEAD, forged->ctrl->state);
	KUNIT_EXPECT_EQ(test, 1, forged->ends[0]);
	KUNIT_EXPECT_EQ(test, VSL_RES_GONE, forged->op[0].result);
	KUNIT_EXPECT_EQ(test, 1, forged->gone);
	submit(1);
	KUNIT_EXPECT_EQ(test, 1, forged->ends[1]);
	KUNIT_EXPECT_EQ(test, VSL_RES_GONE, forged->op[1].result);
}

static void run_watch(void)
{
	queue_delayed_work(forged->ctrl->wq, &forged->ctrl->watch, 0);
	flush_delayed_work(&forged->ctrl->watch);
}

static void nobody_answers(struct kunit *test)
{
	submit(0);
	memset(forged->regs, 0xff, BAR_BYTES);
	run_watch();
	expect_given_up(test);
}

/* The bus is stopped, and somebody is at work on it: not gone yet. */
static void stopped_bus_is_not_gone(struct kunit *test)
{
	submit(0);
	forged->pdev->error_state = pci_channel_io_frozen;
	memset(forged->regs, 0xff, BAR_BYTES);
	run_watch();
	KUNIT_EXPECT_EQ(test, VSL_NVME_LIVE, forged->ctrl->state);
	KUNIT_EXPECT_EQ(test, 0, forged->ends[0]);
	forged->pdev->error_state = pci_channel_io_normal;
	flush_delayed_work(&forged->ctrl->watch);
	expect_given_up(test);
}

/* Registers are zeros for good: a few resets, each with an end. */
static void zeros_are_given_up(struct kunit *test)
{
	submit(0);
	memset(forged->regs, 0, BAR_BYTES);
	ratelimit_state_init(&forged->ctrl->log_limit, 3600 * HZ, 3);
	run_watch();
	flush_work(&forged->ctrl->reset);
	expect_given_up(test);
	/* A card that is reset for ever does not fill the log either. */
	KUNIT_EXPECT_FALSE(test, __ratelimit(&forged->ctrl->log_limit));
}

/* It says that it has failed, and goes on saying so. */
static void failure_that_stays_is_given_up(struct kunit *test)
{
	submit(0);
	set_reg(NVME_REG_CSTS, NVME_CSTS_FATAL | NVME_CSTS_READY);
	run_watch();
	flush_work(&forged->ctrl->reset);
	expect_given_up(test);
}

static struct kunit_case nvme_cases[] = {
	KUNIT_CASE(completion_ends_its_command),
	KUNIT_CASE(wrong_completions_are_dropped),
	KUNIT_CASE(second_completion_is_dropped),
	KUNIT_CASE(nonsense_of_phases_comes_to_an_end),
	KUNIT_CASE(flood_is_told_of_a_few_times),
	KUNIT_CASE(completion_from_before_a_reset_is_dropped),
	KUNIT_CASE(nobody_answers),
	KUNIT_CASE(stopped_bus_is_not_gone),
	KUNIT_CASE(zeros_are_given_up),
	KUNIT_CASE(failure_that_stays_is_given_up),
	{ }
};

static struct kunit_suite nvme_suite = {
	.name = "openvsl_nvme",
	.init = nvme_init,
	.exit = nvme_exit,
	.test_cases = nvme_cases,
};

kunit_test_suite(nvme_suite);
