/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * card.h - cards: their states, who may change them, and the list of them.
 */
#ifndef VSL_CARD_H
#define VSL_CARD_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/ratelimit.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <openvsl.h>

#include "core/core.h"
#include "pump.h"

struct dentry;
struct proc_dir_entry;
struct vsl_disk;
struct vsl_simcard;

/* The longest name of a card in log lines: model and bus address. */
#define VSL_CARD_LABEL_BYTES	80

/**
 * struct vsl_card - one card
 * @dev: /sys/class/openvsl/fctN; its reference count is the card's
 * @cdev: /dev/fctN
 * @number: N of fctN
 * @label: what log lines call it
 * @media: the back end, until the card is removed
 * @info: copy of what the back end says of itself
 * @limits: what it can be formatted to; 0 where it cannot
 * @sim: of a simulated card, else NULL; simcards.c knows more
 * @env: what the core gets from us
 * @wq: the pump's work queue
 * @pump: runs the core
 * @event_work: looks at @events
 * @auto_work: attaches it when it was found while the module is loaded
 * @events: bits of enum vsl_card_event, to be looked at
 * @log_limit: for what the core has to say
 * @idle: woken when @busy is given up
 * @link: in the list of cards
 * @proc: /proc/fusion/fctN
 * @proc_disk: /proc/fusion/fio/fioX while attached
 * @debugfs: openvsl/fctN in debugfs
 * @hwmon: its thermometer, or NULL
 * @progress: of the operation under way, permille; without a lock
 * @lock: protects everything below; taken before the pump's
 * @busy: an operation is under way, whose caller owns the card's life; only he
 *	may change what follows
 * @removed: only waits for its last user
 * @state: enum openvsl_state
 * @minimal_reason: enum openvsl_minimal_reason
 * @last_error: of the last attach, format or detach
 * @interrupted: a signal has stopped the operation under way, or may no more
 * @updating: it gets another firmware, attached or not
 * @found: what the last scan found on the card
 * @core: while attached, else NULL
 * @disk: while attached, or dead and still there
 * @stats: while attached a snapshot, else of when it was last attached
 * @stats_jiffies: when @stats were taken
 * @base: at the last attach
 * @ram_peak_bytes: most memory a core has used
 * @attach_ns: how long the last attach took
 */
struct vsl_card {
	struct device dev;
	struct cdev cdev;
	u32 number;
	char label[VSL_CARD_LABEL_BYTES];
	struct vsl_media *media;
	struct vsl_media_info info;
	struct vsl_limits limits;
	struct vsl_simcard *sim;
	struct vsl_core_env env;
	struct workqueue_struct *wq;
	struct vsl_pump pump;
	struct work_struct event_work;
	struct work_struct auto_work;
	unsigned long events;
	struct ratelimit_state log_limit;
	wait_queue_head_t idle;
	struct list_head link;
	struct proc_dir_entry *proc;
	struct proc_dir_entry *proc_disk;
	struct dentry *debugfs;
	struct device *hwmon;
	u32 progress;

	spinlock_t lock;	/* protects everything down to @attach_ns */
	bool busy;
	bool removed;
	u8 state;
	u8 minimal_reason;
	s32 last_error;
	bool interrupted;
	bool updating;
	struct vsl_label found;
	struct vsl_core *core;
	struct vsl_disk *disk;
	struct vsl_core_stats stats;
	unsigned long stats_jiffies;
	struct vsl_core_stats base;
	u64 ram_peak_bytes;
	u64 attach_ns;
};

/**
 * vsl_card_add() - a card was found
 * @media: its back end, ready for operations
 * @parent: the device it is on, or NULL for a simulated one
 * @sim: of a simulated card, else NULL
 * @out: the card, with a reference that vsl_card_put() takes back
 *
 * Gives it a number, looks at what is on it, makes its nodes, and attaches it
 * when it is formatted and the parameters say so.  While the module is loaded the
 * card may still be attaching when this returns.
 *
 * Context: process, may sleep.
 * Return: 0, -ENOSPC no number left, -ENOMEM, others of the driver core.  A card
 * that cannot be used is no error: it is there in minimal mode.
 */
int vsl_card_add(struct vsl_media *media, struct device *parent,
		 struct vsl_simcard *sim, struct vsl_card **out);

/**
 * vsl_card_remove() - a card goes
 * @card: begun (vsl_card_begin())
 *
 * Detaches it and takes its nodes away.  Afterwards nothing of the driver uses
 * the back end any more; the back end may still call media->event() until it is
 * quiet itself, and then vsl_card_put() must follow.
 *
 * Context: process, may sleep for long.
 */
void vsl_card_remove(struct vsl_card *card);

/**
 * vsl_card_put() - drop the reference that vsl_card_add() gave
 * @card: removed
 *
 * The structure stays until its last user closes it.
 *
 * Context: process, may sleep.
 */
void vsl_card_put(struct vsl_card *card);

/**
 * vsl_card_set_state() - change the state of a card
 * @card: begun
 * @to: the new state, one that may follow; not minimal
 *
 * Context: process.
 */
void vsl_card_set_state(struct vsl_card *card, enum openvsl_state to);

/** vsl_card_set_minimal() - change the state to minimal, and say why */
void vsl_card_set_minimal(struct vsl_card *card,
			  enum openvsl_minimal_reason reason);

/**
 * vsl_card_begin() - start an operation: the caller owns the card's life
 * @card: the card
 *
 * Context: process, may sleep a little.
 * Return: 0; -EBUSY another operation is under way; -ENODEV the card is removed.
 */
int vsl_card_begin(struct vsl_card *card);

/** vsl_card_try_begin() - the same, without looking at events first */
int vsl_card_try_begin(struct vsl_card *card);

/** vsl_card_begin_wait() - the same, but waits for the other operation */
int vsl_card_begin_wait(struct vsl_card *card);

/** vsl_card_end() - the operation is over */
void vsl_card_end(struct vsl_card *card);

/** vsl_card_is_resting() - no disk, no core: contents may change under it */
bool vsl_card_is_resting(struct vsl_card *card);

/**
 * vsl_card_stats() - what the core counts, or counted when it was last there
 * @card: the card
 * @stats: filled in
 *
 * Walks all segments with the pump's lock held: for those who may hold up a card.
 *
 * Context: process, takes the locks.
 * Return: whether it is attached.
 */
bool vsl_card_stats(struct vsl_card *card, struct vsl_core_stats *stats);

/**
 * vsl_card_recent_stats() - the same, perhaps a tenth of a second old
 * @card: the card
 * @stats: filled in
 * @base: filled in with those at the last attach; or NULL
 *
 * For everybody: however often it is called, the core is not held up for it more
 * than ten times a second.
 *
 * Context: process, takes the locks.
 * Return: whether it is attached.
 */
bool vsl_card_recent_stats(struct vsl_card *card, struct vsl_core_stats *stats,
			   struct vsl_core_stats *base);

/* Above this size of the disk an audit would hold up the machine. */
#define VSL_AUDIT_BYTES_MAX	(8ull << 30)

/**
 * vsl_card_audit() - vsl_core_audit() of an attached card
 * @card: the card
 *
 * Walks the whole map with the pump's lock held and interrupts off.
 *
 * Context: process, takes the locks.
 * Return: 0 or -EUCLEAN of vsl_core_audit(); -ENOTCONN not attached; -EFBIG the
 * disk is larger than VSL_AUDIT_BYTES_MAX.
 */
int vsl_card_audit(struct vsl_card *card);

/** vsl_card_state_name() - a state in one word */
const char *vsl_card_state_name(u32 state);

/**
 * vsl_cards_bitmap() - which cards exist
 * @words: OPENVSL_CARDS_MAX bits
 *
 * Context: process, may sleep.
 */
void vsl_cards_bitmap(u32 *words);

/**
 * vsl_cards_detach_all() - shutdown: detach what is not in use
 *
 * Context: process, may sleep for long.
 */
void vsl_cards_detach_all(void);

#endif /* VSL_CARD_H */
