// SPDX-License-Identifier: GPL-2.0-only
/*
 * simcards.c - simulated cards: a struct vsl_sim with a kernel around it.
 *
 * The simulation itself is media/sim*.c, which user space runs too.  It has no
 * thread, clock or lock of its own; here it gets them: a work item that runs it,
 * a timer for what is to happen later, spinlocks, and a mutex for calls that may
 * not run at once.
 *
 * I1  sim_wq runs vsl_sim_run() of all cards.  The simulation keeps contents in
 *     memory that it allocates as it goes; the disk may be what memory reclaim
 *     writes to, so no allocation there may wait for I/O.
 * I2  The wish to be run at a time is kept in @wake_ns under @wake_lock, the
 *     earliest counts.  It is forgotten before each run, so no wish is lost.
 * I3  card->sim is set as long as the card is in the list.  Calls from outside
 *     hold sims_lock while they use it, or have begun an operation (card.h).
 *     What goes is taken from the list first and removed without sims_lock:
 *     removing waits for readers of debugfs, who may want it.
 * I4  Nothing waits under sims_lock for an operation of a card's flash, which may
 *     be stuck: only a cut or taking the fault back ends it, and both want
 *     sims_lock.
 *
 * Lock order: sims_lock, serial, then the simulation's spinlocks; what it calls
 * back (op->end) may take those of the pump, with none of its spinlocks held.
 */
#include "simcards.h"

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat/time.h"

#include "attach.h"
#include "card.h"
#include "media/sim.h"
#include "report.h"

#define NO_WISH	U64_MAX

struct vsl_simcard {
	struct vsl_card *card;
	struct vsl_sim *sim;
	struct list_head link;
	struct mutex serial;	/* around serialised calls, see media/sim.h */
	unsigned int noio;	/* of the holder of @serial */
	spinlock_t locks[VSL_SIM_LOCKS + 1];
	struct work_struct run;
	struct hrtimer timer;

	spinlock_t wake_lock;	/* protects everything down to @wake_ns */
	u64 wake_ns;
};

static struct workqueue_struct *sim_wq;
static DEFINE_MUTEX(sims_lock);	/* protects sims, card->sim */
static LIST_HEAD(sims);

/* ---- what the simulation gets from us ---------------------------------- */

static unsigned long env_lock(void *ctx, u32 which) __acquires(which)
{
	struct vsl_simcard *simcard = ctx;
	unsigned long flags;

	spin_lock_irqsave(&simcard->locks[which], flags);
	return flags;
}

static void env_unlock(void *ctx, u32 which, unsigned long flags)
	__releases(which)
{
	struct vsl_simcard *simcard = ctx;

	spin_unlock_irqrestore(&simcard->locks[which], flags);
}

static void env_serialize(void *ctx)
{
	struct vsl_simcard *simcard = ctx;
	unsigned int noio;

	mutex_lock(&simcard->serial);
	/* Memory must not be got by writing to this very card. */
	noio = memalloc_noio_save();
	simcard->noio = noio;
}

static void env_deserialize(void *ctx)
{
	struct vsl_simcard *simcard = ctx;
	unsigned int noio = simcard->noio;

	memalloc_noio_restore(noio);
	mutex_unlock(&simcard->serial);
}

static void env_wake(void *ctx, u64 at_ns)
{
	struct vsl_simcard *simcard = ctx;
	unsigned long flags;

	spin_lock_irqsave(&simcard->wake_lock, flags);
	if (at_ns < simcard->wake_ns) {
		simcard->wake_ns = at_ns;
		if (at_ns <= vsl_port_now_ns())
			queue_work(sim_wq, &simcard->run);
		else
			hrtimer_start(&simcard->timer, ns_to_ktime(at_ns),
				      HRTIMER_MODE_ABS);
	}
	spin_unlock_irqrestore(&simcard->wake_lock, flags);
}

static void env_violation(void *ctx, const char *text)
{
	struct vsl_simcard *simcard = ctx;

	WARN_ONCE(1, "openvsl: rule of the media broken: %s\n", text);
	if (simcard->card)
		vsl_report_core_log(simcard->card, VSL_LOG_ERROR, "%s", text);
}

static enum hrtimer_restart wake_timer(struct hrtimer *timer)
{
	struct vsl_simcard *simcard = container_of(timer, struct vsl_simcard,
						   timer);

	queue_work(sim_wq, &simcard->run);
	return HRTIMER_NORESTART;
}

static void run_sim(struct work_struct *work)
{
	struct vsl_simcard *simcard = container_of(work, struct vsl_simcard,
						   run);

	spin_lock_irq(&simcard->wake_lock);
	simcard->wake_ns = NO_WISH;
	spin_unlock_irq(&simcard->wake_lock);

	vsl_sim_run(simcard->sim);
}

/* Nothing is under way any more: no wish will come back. */
static void stop_running(struct vsl_simcard *simcard)
{
	hrtimer_cancel(&simcard->timer);
	cancel_work_sync(&simcard->run);
	hrtimer_cancel(&simcard->timer);
}

/* ---- coming and going -------------------------------------------------- */

static int make_sim(struct vsl_simcard *simcard,
		    const struct vsl_sim_config *config)
{
	struct vsl_sim_env env = {
		.ctx = simcard,
		.lock = env_lock,
		.unlock = env_unlock,
		.serialize = env_serialize,
		.deserialize = env_deserialize,
		.wake = env_wake,
		.violation = env_violation,
	};
	u32 i;

	mutex_init(&simcard->serial);
	for (i = 0; i < ARRAY_SIZE(simcard->locks); i++)
		spin_lock_init(&simcard->locks[i]);
	spin_lock_init(&simcard->wake_lock);
	simcard->wake_ns = NO_WISH;
	INIT_WORK(&simcard->run, run_sim);
	hrtimer_setup(&simcard->timer, wake_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	return vsl_sim_create(config, &env, &simcard->sim);
}

static bool serial_taken_locked(const char *serial)
{
	struct vsl_simcard *simcard;

	lockdep_assert_held(&sims_lock);

	list_for_each_entry(simcard, &sims, link)
		if (!strcmp(vsl_sim_media(simcard->sim)->info.serial, serial))
			return true;
	return false;
}

/* Cards of the same seed are the same flash, and still two cards. */
static void settle_serial_locked(struct vsl_simcard *simcard)
{
	struct vsl_media_info *info = &vsl_sim_media(simcard->sim)->info;
	char serial[sizeof(info->serial)];
	u32 nth;

	strscpy(serial, info->serial, sizeof(serial));
	for (nth = 2; serial_taken_locked(info->serial); nth++)
		snprintf(info->serial, sizeof(info->serial), "%.19s-%u",
			 serial, nth);
}

static int create(const struct vsl_sim_config *config, u32 *number)
{
	struct vsl_simcard *simcard;
	int ret;

	simcard = kzalloc(sizeof(*simcard), GFP_KERNEL);
	if (!simcard)
		return -ENOMEM;
	ret = make_sim(simcard, config);
	if (ret)
		goto out_free;

	mutex_lock(&sims_lock);
	settle_serial_locked(simcard);
	ret = vsl_card_add(vsl_sim_media(simcard->sim), NULL, simcard,
			   &simcard->card);
	if (!ret) {
		list_add_tail(&simcard->link, &sims);
		*number = simcard->card->number;
	}
	mutex_unlock(&sims_lock);
	if (ret)
		goto out_sim;
	return 0;

out_sim:
	stop_running(simcard);
	vsl_sim_destroy(simcard->sim);
out_free:
	kfree(simcard);
	return ret;
}

/* What is said of a card that has none: it never had, or has no more. */
static int no_sim(const struct vsl_card *card)
{
	return card->info.flags & VSL_MEDIA_VIRTUAL ? -ENODEV : -EOPNOTSUPP;
}

/* From now on nobody finds it; the caller has begun an operation. */
static void forget_locked(struct vsl_simcard *simcard)
{
	lockdep_assert_held(&sims_lock);

	list_del(&simcard->link);
	simcard->card->sim = NULL;
}

static void destroy_forgotten(struct vsl_simcard *simcard)
{
	vsl_card_remove(simcard->card);
	stop_running(simcard);
	vsl_sim_destroy(simcard->sim);
	vsl_card_put(simcard->card);
	kfree(simcard);
}

static void set_behaviour(struct vsl_sim_config *config, bool timed, u64 seed)
{
	config->seed = seed;
	if (!timed) {
		config->flags &= ~VSL_SIM_TIMED;
		config->flags |= VSL_SIM_INLINE_READS;
	}
}

int vsl_simcard_create(struct openvsl_sim_create *arg)
{
	struct vsl_sim_config config;
	int ret;

	ret = vsl_sim_preset(arg->preset, arg->capacity_bytes, &config);
	if (ret)
		return ret;
	set_behaviour(&config, arg->flags & OPENVSL_SIM_TIMED, arg->seed);
	return create(&config, &arg->card);
}

/* Begin an operation on a card that has no disk, or a dead and unused one. */
static int begin_destroy(struct vsl_card *card)
{
	int ret = vsl_card_begin(card);

	if (ret)
		return ret;
	if (!vsl_card_is_resting(card))
		ret = -EBUSY;
	else if (card->state == OPENVSL_STATE_ERROR)
		ret = vsl_card_bury(card);
	if (ret)
		vsl_card_end(card);
	return ret;
}

int vsl_simcard_destroy(struct vsl_card *card)
{
	struct vsl_simcard *simcard;
	int ret;

	mutex_lock(&sims_lock);
	simcard = card->sim;
	ret = simcard ? begin_destroy(card) : no_sim(card);
	if (!ret)
		forget_locked(simcard);
	mutex_unlock(&sims_lock);

	if (!ret)
		destroy_forgotten(simcard);
	return ret;
}

/* ---- power and faults -------------------------------------------------- */

/* When it works an operation is begun, in which the card is to be scanned. */
static int power_on_locked(struct vsl_card *card)
{
	struct vsl_sim *sim = card->sim->sim;
	int ret;

	lockdep_assert_held(&sims_lock);

	if (vsl_sim_has_power(sim))
		return -EALREADY;
	/* There is no power to cut, but a cut under way is over after it. */
	vsl_sim_cut(sim);
	ret = vsl_card_begin(card);
	if (ret)
		return ret;
	ret = vsl_card_bury(card);
	if (!ret) {
		vsl_card_forget_gone(card);
		ret = vsl_sim_power_on(sim);
	}
	if (ret)
		vsl_card_end(card);
	return ret;
}

static int power_on(struct vsl_card *card)
{
	int ret;

	mutex_lock(&sims_lock);
	ret = card->sim ? power_on_locked(card) : no_sim(card);
	mutex_unlock(&sims_lock);
	if (ret)
		return ret;
	vsl_card_rescan(card);
	vsl_card_end(card);
	return 0;
}

static int power_cut_locked(struct vsl_card *card)
{
	struct vsl_sim *sim = card->sim->sim;

	lockdep_assert_held(&sims_lock);

	if (!vsl_sim_has_power(sim))
		return -EALREADY;
	vsl_sim_cut(sim);
	return 0;
}

static int power_cut(struct vsl_card *card)
{
	int ret;

	mutex_lock(&sims_lock);
	ret = card->sim ? power_cut_locked(card) : no_sim(card);
	mutex_unlock(&sims_lock);
	if (!ret)
		vsl_card_flush_events(card);
	return ret;
}

int vsl_simcard_power(struct vsl_card *card, u32 power)
{
	return power == OPENVSL_SIM_ON ? power_on(card) : power_cut(card);
}

int vsl_simcard_fault(struct vsl_card *card,
		      const struct openvsl_sim_fault *arg)
{
	struct vsl_sim_fault fault = {
		.name = arg->name,
		.unit = arg->unit,
		.eu = arg->eu,
		.block = arg->block,
		.count = arg->count,
		.every = arg->every,
		.value = arg->value,
	};
	int ret;

	mutex_lock(&sims_lock);
	ret = card->sim ? vsl_sim_plant(card->sim->sim, &fault) : no_sim(card);
	mutex_unlock(&sims_lock);
	return ret == -ENOENT ? -EINVAL : ret;
}

/* ---- images ------------------------------------------------------------ */

/* The errors of the simulation, in the words of the ioctl. */
static int image_error(int error)
{
	switch (error) {
	case -EILSEQ:
	case -EPROTO:
	case -EMEDIUMTYPE:
		return -EBADMSG;
	case -EFBIG:
	case -ESTALE:
		return -EINVAL;
	default:
		return error;
	}
}

static int image_read(struct vsl_sim *sim, struct openvsl_sim_image *arg,
		      void *buf, u32 *done)
{
	int ret;

	ret = vsl_sim_image_read(sim, arg->offset, buf, arg->bytes, done,
				 &arg->total_bytes);
	if (ret)
		return image_error(ret);
	return copy_to_user(u64_to_user_ptr(arg->buf), buf, *done) ?
		-EFAULT : 0;
}

static int image_write(struct vsl_card *card, struct openvsl_sim_image *arg,
		       void *buf, u32 *done)
{
	struct vsl_sim *sim = card->sim->sim;
	int ret;

	if (copy_from_user(buf, u64_to_user_ptr(arg->buf), arg->bytes))
		return -EFAULT;
	ret = vsl_sim_image_write(sim, arg->offset, buf, arg->bytes, done,
				  &arg->total_bytes);
	if (!ret && !vsl_sim_image_loading(sim))
		vsl_card_rescan(card);
	return image_error(ret);
}

/* The caller has begun an operation. */
static int image(struct vsl_card *card, struct openvsl_sim_image *arg)
{
	u32 done = 0;
	void *buf;
	int ret;

	if (card->state == OPENVSL_STATE_ERROR)
		return -ENODEV;
	if (!vsl_card_is_resting(card))
		return -EBUSY;

	buf = kvmalloc(arg->bytes, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	if (arg->write)
		ret = image_write(card, arg, buf, &done);
	else
		ret = image_read(card->sim->sim, arg, buf, &done);
	kvfree(buf);
	arg->bytes = done;
	return ret;
}

int vsl_simcard_image(struct vsl_card *card, struct openvsl_sim_image *arg)
{
	int ret;

	ret = vsl_card_begin(card);
	if (ret)
		return ret;
	ret = card->sim ? image(card, arg) : no_sim(card);
	vsl_card_end(card);
	return ret;
}

/* ---- looking at it ----------------------------------------------------- */

void vsl_simcard_show(struct vsl_card *card, struct seq_file *seq)
{
	struct vsl_sim_stats stats;

	mutex_lock(&sims_lock);
	if (!card->sim) {
		mutex_unlock(&sims_lock);
		return;
	}
	vsl_sim_stats(card->sim->sim, &stats);
	mutex_unlock(&sims_lock);

	seq_printf(seq, "sim_read_ops %llu\n", stats.read_ops);
	seq_printf(seq, "sim_program_ops %llu\n", stats.program_ops);
	seq_printf(seq, "sim_erase_ops %llu\n", stats.erase_ops);
	seq_printf(seq, "sim_flush_ops %llu\n", stats.flush_ops);
	seq_printf(seq, "sim_read_blocks %llu\n", stats.read_blocks);
	seq_printf(seq, "sim_program_blocks %llu\n", stats.program_blocks);
	seq_printf(seq, "sim_cuts %llu\n", stats.cuts);
	seq_printf(seq, "sim_torn_ops %llu\n", stats.torn_ops);
	seq_printf(seq, "sim_faults %llu\n", stats.faults);
	seq_printf(seq, "sim_violations %llu\n", stats.violations);
	seq_printf(seq, "sim_memory_bytes %llu\n", stats.memory_bytes);
}

/* ---- the module's parameter -------------------------------------------- */

/* A card that it asks for: understood, but not made yet. */
struct wanted {
	struct list_head link;
	struct vsl_sim_config config;
};

static LIST_HEAD(wanted_cards);

/* One card of the list: "preset:capacity[:timed]".  Changes @text. */
static int want_card(char *text, u64 seed)
{
	char *preset = strsep(&text, ":");
	char *size = strsep(&text, ":");
	struct wanted *wanted;
	char *end = size;
	int ret;

	wanted = kzalloc(sizeof(*wanted), GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	ret = vsl_sim_preset(preset, size ? memparse(size, &end) : 0,
			     &wanted->config);
	if (!ret && ((end && *end) || (text && strcmp(text, "timed"))))
		ret = -EINVAL;
	if (ret) {
		kfree(wanted);
		return ret;
	}
	set_behaviour(&wanted->config, text, seed);
	list_add_tail(&wanted->link, &wanted_cards);
	return 0;
}

static int want_list(const char *list)
{
	char *copy = kstrdup(list, GFP_KERNEL);
	char *rest = copy;
	u64 seed = 0;
	char *text;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	while (!ret && (text = strsep(&rest, ",")) != NULL) {
		if (!*text)
			continue;
		ret = want_card(text, ++seed);
		if (ret)
			pr_err("fioerr openvsl: no simulated card %s: %d\n",
			       text, ret);
	}
	kfree(copy);
	return ret;
}

static void forget_wanted(struct wanted *wanted)
{
	list_del(&wanted->link);
	kfree(wanted);
}

int vsl_simcards_init(const char *list)
{
	int ret = 0;

	sim_wq = alloc_workqueue("openvsl_sim", WQ_MEM_RECLAIM | WQ_HIGHPRI |
				 WQ_UNBOUND, 0);
	if (!sim_wq)
		return -ENOMEM;
	if (list)
		ret = want_list(list);
	if (ret)
		vsl_simcards_exit();
	return ret;
}

void vsl_simcards_start(void)
{
	struct wanted *wanted, *next;
	u32 number;
	int ret;

	list_for_each_entry_safe(wanted, next, &wanted_cards, link) {
		ret = create(&wanted->config, &number);
		if (ret)
			pr_err("fioerr openvsl: no simulated card %s: %d\n",
			       wanted->config.model, ret);
		forget_wanted(wanted);
	}
}

void vsl_simcards_exit(void)
{
	struct vsl_simcard *simcard, *next;
	struct wanted *wanted, *ahead;

	/* Nobody else is left who could make or destroy one. */
	list_for_each_entry_safe(simcard, next, &sims, link) {
		vsl_card_begin_wait(simcard->card);
		mutex_lock(&sims_lock);
		forget_locked(simcard);
		mutex_unlock(&sims_lock);
		destroy_forgotten(simcard);
	}
	list_for_each_entry_safe(wanted, ahead, &wanted_cards, link)
		forget_wanted(wanted);
	destroy_workqueue(sim_wq);
}
