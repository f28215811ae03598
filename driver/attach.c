// SPDX-License-Identifier: GPL-2.0-only
/*
 * attach.c - what is done with a card: scan, attach, detach, format, and what
 * happens to it.
 *
 * Each function that does something (attach(), detach(), ...) is called by the
 * owner of the card's life (card.c, I1) and leaves the card in a state it can
 * rest in: attached, or detached, minimal, error after another look at what is on
 * it.  No lock is held while it works.
 *
 *	attach		core up, pump started, disk appears
 *	detach		nobody has the disk open; disk goes, pump stopped, core
 *			writes everything out
 *	gone		core killed, disk marked dead; both stay
 *	bury		the dead disk is not open any more; disk and core go
 *	revive		what was noted of its going is forgotten, then power
 *			returns, then scan: a going in between counts
 *
 * Events (the card is gone, its health has changed) come at any time and from any
 * context.  They are noted in @events and looked at by event_work, which is an
 * operation too; if another one is under way, that one's end starts event_work
 * again.
 *
 * Cards are found one after the other, so that their numbers, and with them the names
 * of their disks, are the same each time.  But what is found while the module is
 * loaded is attached by works of its own, side by side: a card that has much to
 * recover keeps no other one waiting.  The module is loaded when all have ended.
 *
 * A card that is gone (power cut, pulled) ends everything by itself.  That ends
 * an operation under way, which finds pump->gone set and rests in error.
 */
#include "attach.h"

#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "block.h"
#include "card.h"
#include "report.h"

/* Bits of card->events. */
enum vsl_card_event {
	EVENT_GONE,
	EVENT_HEALTH,
};

/* What io_opt is clamped to: below is silly, above changes readahead. */
#define IO_OPT_MIN_BYTES	(64u << 10)
#define IO_OPT_MAX_BYTES	(512u << 10)

/* As many seconds as fit. */
#define SCRUB_DAYS_MAX		36500u

/* ---- what the core gets from us ---------------------------------------- */

static int env_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg),
		    void *arg)
{
	struct vsl_card *card = ctx;
	int ret;

	/* After the first signal the core only cleans up. */
	ret = vsl_pump_wait(&card->pump, core, done, arg,
			    card->state == OPENVSL_STATE_FORMATTING &&
			    !card->interrupted);
	if (ret == -EINTR)
		card->interrupted = true;
	return ret;
}

static void env_progress(void *ctx, u32 permille)
{
	struct vsl_card *card = ctx;

	WRITE_ONCE(card->progress, permille);
}

static void env_event(void *ctx, enum vsl_core_event what)
{
	struct vsl_card *card = ctx;

	if (what == VSL_CORE_HEALTH) {
		set_bit(EVENT_HEALTH, &card->events);
		schedule_work(&card->event_work);
	}
}

/* ---- scanning ---------------------------------------------------------- */

/* Why a card can only be minimal after a scan that ended with @error. */
static enum openvsl_minimal_reason minimal_reason(int error)
{
	switch (error) {
	case 0:
	case -EMEDIUMTYPE:	/* made for another card: format it */
		return OPENVSL_MINIMAL_NOT;
	case -EPROTO:
		return OPENVSL_MINIMAL_DRIVER_OUTDATED;
	case -ESTALE:
		return OPENVSL_MINIMAL_FORMAT_OUTDATED;
	case -EUCLEAN:
		return OPENVSL_MINIMAL_UNSUPPORTED_NAND;
	case -ENOMEM:
		return OPENVSL_MINIMAL_NO_MEMORY;
	case -EIO:
		return OPENVSL_MINIMAL_HARDWARE;
	default:
		return OPENVSL_MINIMAL_INTERNAL;
	}
}

static void rest(struct vsl_card *card, int error)
{
	enum openvsl_minimal_reason reason = minimal_reason(error);

	if (READ_ONCE(card->pump.gone))
		vsl_card_set_state(card, OPENVSL_STATE_ERROR);
	else if (reason == OPENVSL_MINIMAL_NOT)
		vsl_card_set_state(card, OPENVSL_STATE_DETACHED);
	else
		vsl_card_set_minimal(card, reason);
}

/* Look at what is on the card, and let it rest. */
static void scan_and_rest(struct vsl_card *card)
{
	struct vsl_limits limits = { };
	struct vsl_label found = { };
	int ret;

	ret = vsl_core_limits(card->media, &limits);
	if (!ret)
		ret = vsl_core_probe(card->media, &card->env, &found);
	vsl_pump_stop(&card->pump);

	spin_lock(&card->lock);
	card->limits = limits;
	card->found = found;
	spin_unlock(&card->lock);
	rest(card, ret);
}

void vsl_card_rescan(struct vsl_card *card)
{
	vsl_card_set_state(card, OPENVSL_STATE_SCANNING);
	scan_and_rest(card);
}

static void set_last_error(struct vsl_card *card, int error)
{
	spin_lock(&card->lock);
	card->last_error = error;
	spin_unlock(&card->lock);
}

/* ---- attach ------------------------------------------------------------ */

static u32 io_opt_bytes(const struct vsl_media_info *info)
{
	u64 row = (u64)info->units * info->ws_opt * VSL_BLOCK_BYTES;

	return clamp_t(u64, row, IO_OPT_MIN_BYTES, IO_OPT_MAX_BYTES);
}

/*
 * Largest atomic write.  Merged requests need not begin at a block, so one block
 * of what the core promises is kept back.
 */
static u32 atomic_bytes(const struct vsl_core *core)
{
	u32 blocks = vsl_core_atomic_blocks(core);

	if (blocks < 2)
		return 0;
	blocks = min(blocks - 1, VSL_IO_MAX_SECTORS / VSL_BLOCK_SECTORS);
	return rounddown_pow_of_two(blocks) * VSL_BLOCK_BYTES;
}

/* Acknowledged means durable: asked for, or what the card promises (P5). */
static bool is_strict(const struct vsl_card *card)
{
	if (vsl_strict_sync >= 0)
		return vsl_strict_sync;
	return card->info.flags & VSL_MEDIA_PLP;
}

/* Take note of what the core says; the caller owns the card's life. */
static void note_stats(struct vsl_card *card, struct vsl_core *core,
		       bool is_base)
{
	struct vsl_core_stats stats;

	spin_lock_irq(&card->pump.lock);
	vsl_core_stats(core, &stats);
	spin_unlock_irq(&card->pump.lock);

	spin_lock(&card->lock);
	card->stats = stats;
	card->stats_jiffies = jiffies;
	if (is_base)
		card->base = stats;
	card->ram_peak_bytes = max(card->ram_peak_bytes, stats.ram_bytes);
	spin_unlock(&card->lock);
}

static void set_core(struct vsl_card *card, struct vsl_core *core,
		     struct vsl_disk *disk)
{
	spin_lock(&card->lock);
	card->core = core;
	card->disk = disk;
	spin_unlock(&card->lock);
}

/* Stop serving; the disk is gone and all requests have ended. */
static int stop_core(struct vsl_card *card, struct vsl_core *core)
{
	int ret;

	vsl_pump_stop_ticks(&card->pump);
	ret = vsl_core_detach(core);
	note_stats(card, core, false);
	vsl_pump_stop(&card->pump);
	vsl_core_destroy(core);
	return ret;
}

/* The core is up: serve requests from a disk. */
static int start_disk(struct vsl_card *card, struct vsl_core *core, u32 flags)
{
	struct vsl_disk_config config = {
		.sectors = vsl_core_capacity_sectors(core),
		.io_opt_bytes = io_opt_bytes(&card->info),
		.atomic_bytes = atomic_bytes(core),
		.write_cache = !(flags & VSL_ATTACH_STRICT_SYNC),
		.read_only = flags & VSL_ATTACH_READ_ONLY ||
			     vsl_core_health(core) == VSL_READ_ONLY,
	};
	struct vsl_disk *disk;
	int ret;

	note_stats(card, core, true);
	config.sector_bytes = card->stats.sector_bytes;
	vsl_log(card, VSL_LOG_INFO,
		"Creating device of size %llu bytes with %llu sectors of %u bytes (%llu mapped)",
		config.sectors * VSL_SECTOR_BYTES,
		config.sectors * VSL_SECTOR_BYTES / config.sector_bytes,
		config.sector_bytes,
		card->stats.mapped_blocks * VSL_BLOCK_BYTES /
		config.sector_bytes);

	vsl_pump_start(&card->pump, core);
	ret = vsl_disk_create(card, &config, &disk);
	if (ret) {
		stop_core(card, core);
		return ret;
	}
	set_core(card, core, disk);
	vsl_report_add_disk(card, vsl_disk_name(disk));
	return 0;
}

/* The errors of the core, in the words of the ioctl. */
static int attach_error(int error, u32 flags)
{
	switch (error) {
	case -EBUSY:
		return flags & VSL_ATTACH_CLEAN_ONLY ? -EUCLEAN : -EBUSY;
	case -EUCLEAN:
		return -EMEDIUMTYPE;
	default:
		return error;
	}
}

static int attach(struct vsl_card *card, u32 flags)
{
	u64 start_ns = vsl_port_now_ns();
	struct vsl_core *core;
	int ret;

	if (is_strict(card))
		flags |= VSL_ATTACH_STRICT_SYNC;
	card->env.scrub_s = min(vsl_scrub_days, SCRUB_DAYS_MAX) * 86400;
	WRITE_ONCE(card->progress, 0);
	vsl_card_set_state(card, OPENVSL_STATE_ATTACHING);

	ret = vsl_core_attach(card->media, &card->env, flags, &core);
	if (!ret)
		ret = start_disk(card, core, flags);
	set_last_error(card, attach_error(ret, flags));
	if (ret) {
		vsl_log(card, VSL_LOG_ERROR, "Attach failed: %d", ret);
		scan_and_rest(card);
		return attach_error(ret, flags);
	}

	spin_lock(&card->lock);
	card->attach_ns = vsl_port_now_ns() - start_ns;
	spin_unlock(&card->lock);
	vsl_log(card, VSL_LOG_INFO, "Attach succeeded.");
	vsl_card_set_state(card, OPENVSL_STATE_ATTACHED);
	return 0;
}

int vsl_card_attach(struct vsl_card *card, u32 flags)
{
	int ret = vsl_card_begin(card);

	if (ret)
		return ret;
	if (card->state == OPENVSL_STATE_ATTACHED)
		ret = -EALREADY;
	else if (card->state == OPENVSL_STATE_ERROR)
		ret = -ENODEV;
	else
		ret = attach(card, flags);
	vsl_card_end(card);
	return ret;
}

/* ---- detach ------------------------------------------------------------ */

/* Take down disk and core; nobody has the disk open, or the card is pulled. */
static int take_down(struct vsl_card *card)
{
	struct vsl_core *core = card->core;
	struct vsl_disk *disk = card->disk;

	vsl_report_remove_disk(card);
	note_stats(card, core, false);
	set_core(card, NULL, NULL);
	vsl_disk_destroy(disk);
	return stop_core(card, core);
}

static int detach(struct vsl_card *card)
{
	int ret = vsl_disk_close(card->disk);

	if (ret)
		return ret;

	WRITE_ONCE(card->progress, 0);
	vsl_card_set_state(card, OPENVSL_STATE_DETACHING);
	ret = take_down(card);
	if (ret == -ENODEV)
		ret = -EIO;
	set_last_error(card, ret);
	if (ret)
		vsl_log(card, VSL_LOG_ERROR, "Detached, but not clean: %d", ret);
	scan_and_rest(card);
	return ret;
}

int vsl_card_detach(struct vsl_card *card)
{
	int ret = vsl_card_begin(card);

	if (ret)
		return ret;
	if (card->state == OPENVSL_STATE_ATTACHED)
		ret = detach(card);
	else if (card->state == OPENVSL_STATE_ERROR)
		ret = -ENODEV;
	else
		ret = -ENOTCONN;
	vsl_card_end(card);
	return ret;
}

/* ---- format ------------------------------------------------------------ */

static int do_format(struct vsl_card *card, const struct vsl_format *format)
{
	int ret;

	WRITE_ONCE(card->progress, 0);
	vsl_card_set_state(card, OPENVSL_STATE_FORMATTING);

	ret = vsl_core_format(card->media, &card->env, format);
	/* A signal from now on must not stop the look at the card. */
	card->interrupted = true;
	set_last_error(card, ret);
	if (ret)
		vsl_log(card, VSL_LOG_ERROR, "Format failed: %d", ret);
	else
		vsl_log(card, VSL_LOG_INFO, "Format succeeded, uuid %pUb",
			format->uuid);
	scan_and_rest(card);
	return ret;
}

int vsl_card_format(struct vsl_card *card, const struct vsl_format *format)
{
	int ret = vsl_card_begin(card);

	if (ret)
		return ret;
	if (card->state == OPENVSL_STATE_ATTACHED)
		ret = -EBUSY;
	else if (card->state == OPENVSL_STATE_ERROR)
		ret = -ENODEV;
	else
		ret = do_format(card, format);
	vsl_card_end(card);
	return ret;
}

/* ---- events ------------------------------------------------------------ */

static void media_event(void *ctx, enum vsl_media_event what, u32 unit, u32 eu)
{
	struct vsl_card *card = ctx;

	if (what == VSL_EVENT_REFRESH)
		vsl_pump_refresh(&card->pump, unit, eu);
	if (what != VSL_EVENT_GONE)
		return;
	vsl_pump_set_gone(&card->pump, true);
	set_bit(EVENT_GONE, &card->events);
	schedule_work(&card->event_work);
}

static void handle_gone(struct vsl_card *card)
{
	if (card->state == OPENVSL_STATE_ERROR)
		return;
	if (card->disk) {
		vsl_pump_stop_ticks(&card->pump);
		vsl_pump_kill(&card->pump);
		vsl_disk_kill(card->disk);
	}
	vsl_log(card, VSL_LOG_ERROR, "The card does not answer any more");
	vsl_card_set_state(card, OPENVSL_STATE_ERROR);
}

int vsl_card_bury(struct vsl_card *card)
{
	int ret;

	handle_gone(card);
	if (!card->disk)
		return 0;
	ret = vsl_disk_close(card->disk);
	if (!ret)
		take_down(card);
	return ret;
}

void vsl_card_forget_gone(struct vsl_card *card)
{
	clear_bit(EVENT_GONE, &card->events);
	vsl_pump_set_gone(&card->pump, false);
}

static void handle_health(struct vsl_card *card)
{
	static const char * const words[] = {
		[VSL_HEALTHY] = "healthy",
		[VSL_WRITE_REDUCED] = "write-reduced: reserve space is low",
		[VSL_READ_ONLY] = "read-only: reserve space is used up",
	};
	enum vsl_health health;

	if (!card->core)
		return;
	note_stats(card, card->core, false);
	health = vsl_core_health(card->core);
	vsl_log(card, health == VSL_HEALTHY ? VSL_LOG_INFO : VSL_LOG_ERROR,
		"Media is %s", words[health]);
	if (health == VSL_READ_ONLY)
		vsl_disk_set_read_only(card->disk);
}

static void event_work(struct work_struct *work)
{
	struct vsl_card *card = container_of(work, struct vsl_card, event_work);

	if (vsl_card_try_begin(card))
		return;
	if (test_and_clear_bit(EVENT_GONE, &card->events))
		handle_gone(card);
	if (test_and_clear_bit(EVENT_HEALTH, &card->events))
		handle_health(card);
	vsl_card_end(card);
}

void vsl_card_flush_events(struct vsl_card *card)
{
	flush_work(&card->event_work);
}

/* ---- by itself --------------------------------------------------------- */

static DEFINE_MUTEX(loading_lock);	/* protects loading */
/* Attaches what is found while the module is loaded; NULL at other times. */
static struct workqueue_struct *loading;

static void auto_work(struct work_struct *work)
{
	struct vsl_card *card = container_of(work, struct vsl_card, auto_work);

	attach(card, 0);
	vsl_card_end(card);
}

/* ---- for card.c --------------------------------------------------------- */

void vsl_attach_init(struct vsl_card *card)
{
	INIT_WORK(&card->event_work, event_work);
	INIT_WORK(&card->auto_work, auto_work);
	card->env.ctx = card;
	card->env.wait = env_wait;
	card->env.log = vsl_report_core_log;
	card->env.progress = env_progress;
	card->env.event = env_event;
	card->media->event_ctx = card;
	card->media->event = media_event;
}

void vsl_attach_load_begin(void)
{
	loading = alloc_workqueue("openvsl_attach", WQ_UNBOUND, 0);
}

void vsl_attach_load_end(void)
{
	struct workqueue_struct *wq;

	mutex_lock(&loading_lock);
	wq = loading;
	loading = NULL;
	mutex_unlock(&loading_lock);
	if (wq)
		destroy_workqueue(wq);
}

void vsl_attach_auto(struct vsl_card *card)
{
	bool later = false;

	if (vsl_auto_attach && card->found.formatted &&
	    card->state == OPENVSL_STATE_DETACHED) {
		mutex_lock(&loading_lock);
		later = loading && queue_work(loading, &card->auto_work);
		mutex_unlock(&loading_lock);
		if (!later)
			attach(card, 0);
	}
	if (!later)
		vsl_card_end(card);
}

void vsl_attach_force_down(struct vsl_card *card)
{
	if (card->state == OPENVSL_STATE_ATTACHED && detach(card) == -EBUSY) {
		vsl_log(card, VSL_LOG_ERROR, "Removed while in use");
		vsl_disk_kill(card->disk);
		vsl_card_set_state(card, OPENVSL_STATE_ERROR);
	}
	if (card->disk)
		take_down(card);
}

