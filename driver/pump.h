/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pump.h - runs a core: carries operations to the media and back.
 */
#ifndef VSL_PUMP_H
#define VSL_PUMP_H

#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/core.h"

/**
 * struct vsl_pump - what moves one card's operations and requests
 * @media: the card's back end
 * @io_done: called for each request that ended.  Any context, no sleep.
 * @wq: where work goes that must leave interrupt context
 * @work: goes on pumping
 * @tick: calls vsl_core_tick() ten times a second
 * @fast_blocks: blocks of fast reads, by CPU
 * @fast_counted: of these the core has been told
 * @wait: woken when an operation ended
 * @lock: the core's lock (rule C1); protects everything below
 * @core: what is pumped, or NULL
 * @drains: who is carrying something out right now
 * @cpu_ops: work for a processor that no task has taken up yet
 * @under_way: operations that were taken from the core and have not ended
 * @ended: counts operations that ended
 * @waiters: how many want to be woken when one does
 * @gone: the card is gone
 */
struct vsl_pump {
	struct vsl_media *media;
	void (*io_done)(struct vsl_io *io);
	struct workqueue_struct *wq;
	struct work_struct work;
	struct delayed_work tick;
	unsigned long __percpu *fast_blocks;
	unsigned long fast_counted;
	wait_queue_head_t wait;

	spinlock_t lock;	/* protects everything down to @gone */
	struct vsl_core *core;
	struct list_head drains;
	struct list_head cpu_ops;
	u32 under_way;
	u32 ended;
	u32 waiters;
	bool gone;
};

/**
 * vsl_pump_init() - make a pump that pumps nothing yet
 * @pump: to fill in
 * @media: the card's back end
 * @wq: a work queue that may be used in memory reclaim
 * @io_done: called for each request that ended
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM; vsl_pump_exit() is right in both cases.
 */
int vsl_pump_init(struct vsl_pump *pump, struct vsl_media *media,
		  struct workqueue_struct *wq,
		  void (*io_done)(struct vsl_io *io));

/** vsl_pump_exit() - free what a pump has that pumps nothing */
void vsl_pump_exit(struct vsl_pump *pump);

/**
 * vsl_pump_start() - serve requests of an attached core
 * @pump: the pump
 * @core: from vsl_core_attach()
 *
 * Context: process, takes the lock.
 */
void vsl_pump_start(struct vsl_pump *pump, struct vsl_core *core);

/**
 * vsl_pump_stop_ticks() - no more background work, as vsl_core_detach() wants it
 * @pump: a started pump
 *
 * Context: process, may sleep.  All requests have ended.
 */
void vsl_pump_stop_ticks(struct vsl_pump *pump);

/**
 * vsl_pump_stop() - forget the core; it can be destroyed afterwards
 * @pump: a started pump
 *
 * Waits until nothing is under way.
 *
 * Context: process, may sleep.
 */
void vsl_pump_stop(struct vsl_pump *pump);

/**
 * vsl_pump_submit() - give a request to the core
 * @pump: a started pump
 * @io: filled in, but for owner, which is the pump's; ends by pump->io_done(),
 *	possibly before this returns
 *
 * Context: any but hard interrupt, no sleep.
 */
void vsl_pump_submit(struct vsl_pump *pump, struct vsl_io *io);

/**
 * vsl_pump_wait() - pump until the core is done with something
 * @pump: the pump
 * @core: whose outboxes
 * @done: what it waits for; called with the lock held
 * @arg: of @done
 * @interruptible: a signal ends it
 *
 * This is vsl_core_env.wait() of all cards.
 *
 * Context: process, may sleep.
 * Return: 0; -EINTR a signal; -ENODEV the card is gone and nothing is under way.
 */
int vsl_pump_wait(struct vsl_pump *pump, struct vsl_core *core,
		  bool (*done)(void *arg), void *arg, bool interruptible);

/**
 * vsl_pump_set_gone() - there is no card any more, or there is one again
 * @pump: the pump
 * @gone: which of the two
 *
 * Wakes whoever waits in vsl_pump_wait().  It does not tell the core.
 *
 * Context: any.
 */
void vsl_pump_set_gone(struct vsl_pump *pump, bool gone);

/**
 * vsl_pump_refresh() - tell the core, if there is one, of VSL_EVENT_REFRESH
 * @pump: the pump
 * @unit: which
 * @eu: erase unit of it
 *
 * Context: any.
 */
void vsl_pump_refresh(struct vsl_pump *pump, u32 unit, u32 eu);

/**
 * vsl_pump_kill() - end all requests with -ENODEV
 * @pump: a started pump
 *
 * Context: process.  The pump is started.
 */
void vsl_pump_kill(struct vsl_pump *pump);

#endif /* VSL_PUMP_H */
