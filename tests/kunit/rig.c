// SPDX-License-Identifier: GPL-2.0-only
/*
 * rig.c - a core on a simulated card, run by the driver's pump, nothing above it.
 *
 * What simcards.c and attach.c do for a real card is done here in as few lines as
 * possible, so that a test can look at the card's flash and cut its power in
 * the middle of a request.  The cards are untimed: they run whenever there is
 * something to do.
 *
 * A card of the kind "in interrupts" hands a copy of each operation to the
 * simulation; when the copy ends, the operation is ended from a hard interrupt,
 * which is where the back end of a real card does it.
 *
 * A broken rule of the media fails the test.
 */
#include "rig.h"

#include <linux/completion.h>
#include <linux/slab.h>

const struct rig_card rig_cards[] = {
	{
		.name = "plain",
		.units = 4, .eus = 40, .eu_blocks = 32, .ws_min = 1,
		.flags = VSL_SIM_FINISH | VSL_SIM_REPORTS,
	},
	{
		.name = "reads end inside submit",
		.units = 4, .eus = 40, .eu_blocks = 32, .ws_min = 1,
		.flags = VSL_SIM_INLINE_READS,
	},
	{
		.name = "volatile, read hole, coarse writes",
		.units = 4, .eus = 40, .eu_blocks = 64, .ws_min = 4, .hole = 8,
		.flags = VSL_SIM_VOLATILE | VSL_SIM_REPORTS,
	},
	{
		.name = "one unit, shuffled",
		.units = 1, .eus = 64, .eu_blocks = 64, .ws_min = 2,
		.flags = VSL_SIM_SHUFFLE | VSL_SIM_FINISH,
	},
	{
		.name = "ends in interrupts",
		.units = 5, .eus = 40, .eu_blocks = 32, .ws_min = 1,
		.flags = VSL_SIM_PLP | VSL_SIM_FINISH,
		.in_interrupts = true,
	},
};

const u32 rig_nr_cards = ARRAY_SIZE(rig_cards);

/* ---- what the simulation gets from us ------------------------------------ */

static unsigned long rig_lock(void *ctx, u32 which) __acquires(which)
{
	struct rig *rig = ctx;
	unsigned long flags;

	spin_lock_irqsave(&rig->locks[which], flags);
	return flags;
}

static void rig_unlock(void *ctx, u32 which, unsigned long flags)
	__releases(which)
{
	struct rig *rig = ctx;

	spin_unlock_irqrestore(&rig->locks[which], flags);
}

static void rig_serialize(void *ctx)
{
	struct rig *rig = ctx;

	mutex_lock(&rig->serial);
}

static void rig_deserialize(void *ctx)
{
	struct rig *rig = ctx;

	mutex_unlock(&rig->serial);
}

static void rig_wake(void *ctx, u64 at_ns)
{
	struct rig *rig = ctx;

	queue_work(rig->wq, &rig->run);
}

/* In any context, too: the case is failed at its end. */
static void rig_violation(void *ctx, const char *text)
{
	struct rig *rig = ctx;

	pr_err("fioerr rig: rule of the media broken: %s\n", text);
	WRITE_ONCE(rig->broken, true);
}

static void rig_run(struct work_struct *work)
{
	struct rig *rig = container_of(work, struct rig, run);

	vsl_sim_run(rig->sim);
}

/* ---- operations that end in interrupts ----------------------------------- */

struct stand_in {
	struct vsl_op op;		/* what the simulation sees */
	struct vsl_op *original;
	struct rig *rig;
	struct llist_node link;
};

static void stand_in_ended(struct vsl_op *op)
{
	struct stand_in *stand_in = container_of(op, struct stand_in, op);
	struct rig *rig = stand_in->rig;

	llist_add(&stand_in->link, &rig->ended);
	irq_work_queue(&rig->irq);
}

static void rig_interrupt(struct irq_work *irq)
{
	struct rig *rig = container_of(irq, struct rig, irq);
	struct stand_in *stand_in, *next;
	struct llist_node *list;

	list = llist_reverse_order(llist_del_all(&rig->ended));
	llist_for_each_entry_safe(stand_in, next, list, link) {
		struct vsl_op *op = stand_in->original;

		op->result = stand_in->op.result;
		op->bad = stand_in->op.bad;
		kfree(stand_in);
		op->end(op);
	}
}

static void submit_stand_in(struct vsl_media *media, struct vsl_op *op)
{
	struct rig *rig = container_of(media, struct rig, media);
	struct vsl_media *behind = vsl_sim_media(rig->sim);
	struct stand_in *stand_in;

	stand_in = kmalloc(sizeof(*stand_in), GFP_ATOMIC);
	if (WARN_ON(!stand_in)) {
		op->result = VSL_RES_GONE;
		op->end(op);
		return;
	}
	stand_in->op = *op;
	stand_in->op.end = stand_in_ended;
	stand_in->original = op;
	stand_in->rig = rig;
	behind->ops->submit(behind, &stand_in->op);
}

static int report_behind(struct vsl_media *media, u32 unit, u32 eu, u32 nr,
			 struct vsl_eu_report *out)
{
	struct rig *rig = container_of(media, struct rig, media);
	struct vsl_media *behind = vsl_sim_media(rig->sim);

	return behind->ops->report(behind, unit, eu, nr, out);
}

static const struct vsl_media_ops stand_in_ops = {
	.submit = submit_stand_in,
	.report = report_behind,
};

/* The card as the core is to see it. */
static struct vsl_media *rig_media(struct rig *rig)
{
	return rig->media.ops ? &rig->media : vsl_sim_media(rig->sim);
}

/* ---- what the core gets from us ------------------------------------------ */

static int rig_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg)
{
	struct rig *rig = ctx;

	return vsl_pump_wait(&rig->pump, core, done, arg, false);
}

__printf(3, 4)
static void rig_log(void *ctx, enum vsl_log_level level, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	/* Any context: nothing of KUnit, which allocates. */
	va_start(args, fmt);
	vaf.va = &args;
	if (level != VSL_LOG_INFO)
		pr_info("fioerr rig: %pV\n", &vaf);
	va_end(args);
}

static void rig_io_done(struct vsl_io *io)
{
	complete(&container_of(io, struct rig_io, io)->done);
}

static void rig_event(void *ctx, enum vsl_media_event what, u32 unit, u32 eu)
{
	struct rig *rig = ctx;

	if (what == VSL_EVENT_GONE)
		vsl_pump_set_gone(&rig->pump, true);
}

/* ---- life ---------------------------------------------------------------- */

static void rig_destroy(void *ctx)
{
	struct rig *rig = ctx;

	if (rig->core)
		rig_detach(rig);
	if (READ_ONCE(rig->broken))
		KUNIT_FAIL(rig->test, "a rule of the media was broken");
	if (rig->sim) {
		flush_workqueue(rig->wq);
		irq_work_sync(&rig->irq);
		vsl_sim_destroy(rig->sim);
	}
	if (rig->wq)
		destroy_workqueue(rig->wq);
	vsl_pump_exit(&rig->pump);
	kfree(rig);
}

static int make_sim(struct rig *rig, const struct rig_card *card, u64 seed)
{
	struct vsl_sim_env env = {
		.ctx = rig,
		.lock = rig_lock,
		.unlock = rig_unlock,
		.serialize = rig_serialize,
		.deserialize = rig_deserialize,
		.wake = rig_wake,
		.violation = rig_violation,
	};
	struct vsl_sim_config config;
	int ret;

	ret = vsl_sim_preset("tiny", 0, &config);
	if (ret)
		return ret;
	config.units = card->units;
	config.eus = card->eus;
	config.eu_blocks = card->eu_blocks;
	config.ws_min = card->ws_min;
	config.ws_opt = card->ws_min * 2;
	config.hole = card->hole;
	config.flags = card->flags;
	config.seed = seed;
	return vsl_sim_create(&config, &env, &rig->sim);
}

struct rig *rig_create(struct kunit *test, const struct rig_card *card,
		       u64 seed)
{
	struct rig *rig = kzalloc(sizeof(*rig), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig->test = test;
	mutex_init(&rig->serial);
	for (i = 0; i < ARRAY_SIZE(rig->locks); i++)
		spin_lock_init(&rig->locks[i]);
	INIT_WORK(&rig->run, rig_run);
	init_llist_head(&rig->ended);
	init_irq_work(&rig->irq, rig_interrupt);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, rig_destroy, rig));

	rig->wq = alloc_workqueue("openvsl_rig", WQ_HIGHPRI | WQ_UNBOUND, 0);
	KUNIT_ASSERT_NOT_NULL(test, rig->wq);
	KUNIT_ASSERT_EQ(test, 0, make_sim(rig, card, seed));
	if (card->in_interrupts) {
		rig->media.ops = &stand_in_ops;
		rig->media.info = vsl_sim_media(rig->sim)->info;
	}
	vsl_sim_media(rig->sim)->event = rig_event;
	vsl_sim_media(rig->sim)->event_ctx = rig;
	KUNIT_ASSERT_EQ(test, 0, vsl_pump_init(&rig->pump, rig_media(rig),
					       rig->wq, rig_io_done));
	rig->env.ctx = rig;
	rig->env.wait = rig_wait;
	rig->env.log = rig_log;
	return rig;
}

int rig_format(struct rig *rig, u32 sector_bytes)
{
	struct vsl_format format = {
		.uuid = { 1, 2, 3, 4, 5 },
		.label_ts = 1234567890,
		.sector_bytes = sector_bytes,
	};
	int ret;

	ret = vsl_core_format(rig_media(rig), &rig->env, &format);
	vsl_pump_stop(&rig->pump);
	return ret;
}

int rig_probe(struct rig *rig, struct vsl_label *label)
{
	int ret;

	ret = vsl_core_probe(rig_media(rig), &rig->env, label);
	vsl_pump_stop(&rig->pump);
	return ret;
}

int rig_attach(struct rig *rig, u32 flags)
{
	struct vsl_core *core;
	int ret;

	ret = vsl_core_attach(rig_media(rig), &rig->env, flags, &core);
	if (ret) {
		vsl_pump_stop(&rig->pump);
		return ret;
	}
	rig->core = core;
	vsl_pump_start(&rig->pump, core);
	return 0;
}

int rig_audit(struct rig *rig)
{
	int ret;

	spin_lock_irq(&rig->pump.lock);
	ret = vsl_core_audit(rig->core);
	spin_unlock_irq(&rig->pump.lock);
	return ret;
}

int rig_detach(struct rig *rig)
{
	int ret;

	vsl_pump_stop_ticks(&rig->pump);
	ret = vsl_core_detach(rig->core);
	vsl_pump_stop(&rig->pump);
	vsl_core_destroy(rig->core);
	rig->core = NULL;
	return ret;
}

void rig_cut(struct rig *rig)
{
	vsl_sim_cut(rig->sim);
	if (!rig->core)
		return;
	vsl_pump_stop_ticks(&rig->pump);
	vsl_pump_kill(&rig->pump);
	KUNIT_EXPECT_EQ(rig->test, -ENODEV, rig_detach(rig));
}

void rig_power_on(struct rig *rig)
{
	KUNIT_ASSERT_EQ(rig->test, 0, vsl_sim_power_on(rig->sim));
	vsl_pump_set_gone(&rig->pump, false);
}

void rig_fault(struct rig *rig, const char *name, u32 count, u64 value)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = VSL_SIM_ANY,
		.eu = VSL_SIM_ANY,
		.block = VSL_SIM_ANY,
		.count = count,
		.value = value,
	};

	KUNIT_ASSERT_EQ(rig->test, 0, vsl_sim_plant(rig->sim, &fault));
}

/* ---- requests ------------------------------------------------------------ */

void rig_start(struct rig *rig, struct rig_io *io)
{
	init_completion(&io->done);
	vsl_pump_submit(&rig->pump, &io->io);
}

int rig_do(struct rig *rig, enum vsl_io_kind kind, u32 flags, u64 sector,
	   u32 nr, void *mem)
{
	struct vsl_vec vec = { .base = mem, .bytes = nr * VSL_SECTOR_BYTES };
	struct rig_io *io = kzalloc(sizeof(*io), GFP_KERNEL);
	int error;

	KUNIT_ASSERT_NOT_NULL(rig->test, io);
	io->io.kind = kind;
	io->io.flags = flags;
	io->io.sector = sector;
	io->io.nr_sectors = nr;
	if (mem) {
		io->io.vec = &vec;
		io->io.nr_vecs = 1;
	}
	rig_start(rig, io);
	wait_for_completion(&io->done);
	error = io->io.error;
	kfree(io);
	return error;
}
