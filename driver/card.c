// SPDX-License-Identifier: GPL-2.0-only
/*
 * card.c - cards: their states, who may change them, and the list of them.
 *
 * A card is found, looked at (scanned), attached, detached, formatted, and goes.
 * Each of these is an operation, and one is under way at most:
 *
 * I1  Whoever has begun an operation (@busy) owns the card's life.  Only he
 *     changes @state, @core, @disk and @found; he does so under card->lock, for
 *     others read them.  He holds no lock while he works.
 * I2  States change in change_state() and nowhere else; legal_next[] is the whole
 *     truth on what may follow what.
 * I3  @core is set exactly while the pump is started and requests can come.
 *     @disk is set as long as there is a disk, which is longer when the card is
 *     gone but its disk still open.
 *
 * Nobody waits for an operation of another; he gets -EBUSY.  What the operations
 * do is in attach.c.
 *
 * Lock order: list_lock, card->lock, pump->lock.  What the core calls back
 * (env->log, progress, event) runs under pump->lock: it must not take the others.
 */
#include "card.h"

#include <linux/idr.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "attach.h"
#include "block.h"
#include "control.h"
#include "report.h"

static DEFINE_IDA(numbers);
static DEFINE_MUTEX(list_lock);	/* protects cards */
static LIST_HEAD(cards);

/* ---- states ------------------------------------------------------------ */

static const char * const state_names[] = {
	[OPENVSL_STATE_UNKNOWN] = "unknown",
	[OPENVSL_STATE_DETACHED] = "detached",
	[OPENVSL_STATE_ATTACHED] = "attached",
	[OPENVSL_STATE_MINIMAL] = "minimal",
	[OPENVSL_STATE_ERROR] = "error",
	[OPENVSL_STATE_DETACHING] = "detaching",
	[OPENVSL_STATE_ATTACHING] = "attaching",
	[OPENVSL_STATE_SCANNING] = "scanning",
	[OPENVSL_STATE_FORMATTING] = "formatting",
	[OPENVSL_STATE_UPDATING] = "updating",
};

const char *vsl_card_state_name(u32 state)
{
	return state < ARRAY_SIZE(state_names) ? state_names[state] : "unknown";
}

#define TO(name)	(1u << OPENVSL_STATE_##name)

/*
 * What may follow each state.  Unknown is before the first scan and after the
 * last; detached, minimal and error are those a card rests in.
 */
static const u16 legal_next[] = {
	[OPENVSL_STATE_UNKNOWN] = TO(SCANNING),
	[OPENVSL_STATE_SCANNING] = TO(DETACHED) | TO(MINIMAL) | TO(ERROR),
	[OPENVSL_STATE_DETACHED] = TO(ATTACHING) | TO(FORMATTING) |
				   TO(UPDATING) | TO(SCANNING) | TO(ERROR) |
				   TO(UNKNOWN),
	[OPENVSL_STATE_MINIMAL] = TO(ATTACHING) | TO(FORMATTING) |
				  TO(UPDATING) | TO(SCANNING) | TO(ERROR) |
				  TO(UNKNOWN),
	[OPENVSL_STATE_ATTACHING] = TO(ATTACHED) | TO(DETACHED) | TO(MINIMAL) |
				    TO(ERROR),
	[OPENVSL_STATE_ATTACHED] = TO(DETACHING) | TO(ERROR),
	[OPENVSL_STATE_DETACHING] = TO(DETACHED) | TO(MINIMAL) | TO(ERROR),
	[OPENVSL_STATE_FORMATTING] = TO(DETACHED) | TO(MINIMAL) | TO(ERROR),
	[OPENVSL_STATE_ERROR] = TO(SCANNING) | TO(UNKNOWN),
	[OPENVSL_STATE_UPDATING] = TO(DETACHED) | TO(MINIMAL) | TO(ERROR),
};

static void change_state(struct vsl_card *card, enum openvsl_state to,
			 enum openvsl_minimal_reason reason)
{
	u32 from = card->state;

	if (from == to)
		return;
	WARN_ONCE(!(legal_next[from] & (1u << to)), "openvsl: %s after %s\n",
		  vsl_card_state_name(to), vsl_card_state_name(from));

	spin_lock(&card->lock);
	card->state = to;
	card->minimal_reason = reason;
	spin_unlock(&card->lock);
	vsl_report_state(card, from, to);
}

void vsl_card_set_state(struct vsl_card *card, enum openvsl_state to)
{
	change_state(card, to, OPENVSL_MINIMAL_NOT);
}

void vsl_card_set_minimal(struct vsl_card *card,
			  enum openvsl_minimal_reason reason)
{
	change_state(card, OPENVSL_STATE_MINIMAL, reason);
}

bool vsl_card_is_resting(struct vsl_card *card)
{
	u32 state = READ_ONCE(card->state);

	return state == OPENVSL_STATE_DETACHED ||
	       state == OPENVSL_STATE_MINIMAL ||
	       state == OPENVSL_STATE_ERROR;
}

/* ---- one operation at a time ------------------------------------------- */

int vsl_card_try_begin(struct vsl_card *card)
{
	int ret = 0;

	spin_lock(&card->lock);
	if (card->removed)
		ret = -ENODEV;
	else if (card->busy)
		ret = -EBUSY;
	else
		card->busy = true;
	spin_unlock(&card->lock);
	return ret;
}

int vsl_card_begin(struct vsl_card *card)
{
	/* Events are nobody's operation: do not let them be in the way. */
	vsl_card_flush_events(card);
	return vsl_card_try_begin(card);
}

int vsl_card_begin_wait(struct vsl_card *card)
{
	int ret;

	wait_event(card->idle, (ret = vsl_card_try_begin(card)) != -EBUSY);
	return ret;
}

void vsl_card_end(struct vsl_card *card)
{
	spin_lock(&card->lock);
	card->busy = false;
	card->interrupted = false;
	wake_up_all(&card->idle);
	/* With the lock held: the next owner may take the card away. */
	if (READ_ONCE(card->events))
		schedule_work(&card->event_work);
	spin_unlock(&card->lock);
}

/* ---- looking at it ----------------------------------------------------- */

/* How old a snapshot may be for those who only look. */
#define STATS_JIFFIES	max(HZ / 10, 1)

/* Bring the snapshot up to date if there is a core to ask. */
static void take_stats_locked(struct vsl_card *card)
{
	lockdep_assert_held(&card->lock);

	if (!card->core)
		return;
	spin_lock_irq(&card->pump.lock);
	vsl_core_stats(card->core, &card->stats);
	spin_unlock_irq(&card->pump.lock);
	card->stats_jiffies = jiffies;
	card->ram_peak_bytes = max(card->ram_peak_bytes,
				   card->stats.ram_bytes);
}

bool vsl_card_stats(struct vsl_card *card, struct vsl_core_stats *stats)
{
	bool attached;

	spin_lock(&card->lock);
	take_stats_locked(card);
	attached = card->core;
	*stats = card->stats;
	spin_unlock(&card->lock);
	return attached;
}

bool vsl_card_recent_stats(struct vsl_card *card, struct vsl_core_stats *stats,
			   struct vsl_core_stats *base)
{
	bool attached;

	spin_lock(&card->lock);
	if (time_after(jiffies, card->stats_jiffies + STATS_JIFFIES))
		take_stats_locked(card);
	attached = card->core;
	*stats = card->stats;
	if (base)
		*base = card->base;
	spin_unlock(&card->lock);
	return attached;
}

static bool is_auditable(const struct vsl_core *core)
{
	return vsl_core_capacity_sectors(core) <=
	       VSL_AUDIT_BYTES_MAX / VSL_SECTOR_BYTES;
}

int vsl_card_audit(struct vsl_card *card)
{
	int ret = -ENOTCONN;

	spin_lock(&card->lock);
	if (card->core && !is_auditable(card->core)) {
		ret = -EFBIG;
	} else if (card->core) {
		spin_lock_irq(&card->pump.lock);
		ret = vsl_core_audit(card->core);
		spin_unlock_irq(&card->pump.lock);
	}
	spin_unlock(&card->lock);
	return ret;
}

/* ---- coming and going -------------------------------------------------- */

/* dev->release: the last reference is gone. */
static void card_release(struct device *dev)
{
	struct vsl_card *card = container_of(dev, struct vsl_card, dev);

	vsl_pump_exit(&card->pump);
	ida_free(&numbers, card->number);
	kfree(card);
}

/* From here on it is put_device() that frees it, also if this fails. */
static int init_card(struct vsl_card *card, struct vsl_media *media,
		     struct device *parent, struct vsl_simcard *sim)
{
	int ret;

	card->media = media;
	card->info = media->info;
	card->sim = sim;
	card->state = OPENVSL_STATE_UNKNOWN;
	card->minimal_reason = OPENVSL_MINIMAL_NOT;
	card->progress = 1000;
	card->busy = true;
	spin_lock_init(&card->lock);
	init_waitqueue_head(&card->idle);
	INIT_LIST_HEAD(&card->link);
	ratelimit_state_init(&card->log_limit, 5 * HZ, 20);

	device_initialize(&card->dev);
	card->dev.parent = parent;
	card->dev.release = card_release;
	card->dev.groups = vsl_card_groups;
	ret = dev_set_name(&card->dev, "fct%u", card->number);
	if (ret)
		return ret;
	snprintf(card->label, sizeof(card->label), "%s %s", card->info.model,
		 dev_name(parent ? parent : &card->dev));
	ret = vsl_pump_init(&card->pump, media, card->wq, vsl_disk_io_done);
	vsl_attach_init(card);
	return ret;
}

static struct vsl_card *alloc_card(struct vsl_media *media,
				   struct device *parent,
				   struct vsl_simcard *sim)
{
	struct vsl_card *card;
	int ret;

	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return ERR_PTR(-ENOMEM);
	ret = ida_alloc_max(&numbers, OPENVSL_CARDS_MAX - 1, GFP_KERNEL);
	if (ret < 0)
		goto out_free;
	card->number = ret;

	ret = -ENOMEM;
	card->wq = alloc_workqueue("openvsl_fct%u", WQ_MEM_RECLAIM |
				   WQ_HIGHPRI | WQ_UNBOUND, 0, card->number);
	if (!card->wq)
		goto out_number;
	ret = init_card(card, media, parent, sim);
	if (ret) {
		destroy_workqueue(card->wq);
		put_device(&card->dev);
		return ERR_PTR(ret);
	}
	return card;

out_number:
	ida_free(&numbers, card->number);
out_free:
	kfree(card);
	return ERR_PTR(ret);
}

int vsl_card_add(struct vsl_media *media, struct device *parent,
		 struct vsl_simcard *sim, struct vsl_card **out)
{
	struct vsl_card *card;
	int ret;

	card = alloc_card(media, parent, sim);
	if (IS_ERR(card))
		return PTR_ERR(card);
	vsl_card_rescan(card);

	ret = vsl_control_add(card);
	if (ret)
		goto out_put;
	vsl_report_add(card);
	vsl_report_add_sensor(card);
	vsl_log(card, VSL_LOG_INFO, "Found device fct%u (%s)", card->number,
		card->label);

	mutex_lock(&list_lock);
	list_add_tail(&card->link, &cards);
	mutex_unlock(&list_lock);

	vsl_attach_auto(card);
	*out = card;
	return 0;

out_put:
	destroy_workqueue(card->wq);
	media->event = NULL;
	vsl_card_put(card);
	return ret;
}

void vsl_card_remove(struct vsl_card *card)
{
	mutex_lock(&list_lock);
	list_del(&card->link);
	mutex_unlock(&list_lock);

	vsl_attach_force_down(card);
	vsl_card_set_state(card, OPENVSL_STATE_UNKNOWN);

	spin_lock(&card->lock);
	card->removed = true;
	wake_up_all(&card->idle);
	spin_unlock(&card->lock);

	vsl_report_remove_sensor(card);
	vsl_report_remove(card);
	vsl_control_remove(card);
	destroy_workqueue(card->wq);
}

void vsl_card_put(struct vsl_card *card)
{
	cancel_work_sync(&card->event_work);
	put_device(&card->dev);
}

void vsl_cards_bitmap(u32 *words)
{
	struct vsl_card *card;

	memset(words, 0, OPENVSL_CARDS_MAX / 8);
	mutex_lock(&list_lock);
	list_for_each_entry(card, &cards, link)
		words[card->number / 32] |= 1u << (card->number % 32);
	mutex_unlock(&list_lock);
}

void vsl_cards_detach_all(void)
{
	struct vsl_card *card;
	int ret;

	mutex_lock(&list_lock);
	list_for_each_entry(card, &cards, link) {
		ret = vsl_card_detach(card);
		if (ret == -EBUSY)
			vsl_log(card, VSL_LOG_WARN,
				"In use at shutdown, not detached");
	}
	mutex_unlock(&list_lock);
}
