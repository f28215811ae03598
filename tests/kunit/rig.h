/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rig.h - a core on a simulated card, run by the driver's pump, nothing above it.
 */
#ifndef VSL_KUNIT_RIG_H
#define VSL_KUNIT_RIG_H

#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "core/core.h"
#include "media/sim.h"
#include "pump.h"

/**
 * struct rig_card - a kind of card to try things on
 * @name: for people
 * @units: parallel units
 * @eus: erase units in each
 * @eu_blocks: blocks in an erase unit
 * @ws_min: smallest program
 * @hole: read hole
 * @flags: VSL_SIM_*
 * @in_interrupts: operations end in hard interrupts, as those of hardware do
 */
struct rig_card {
	const char *name;
	u32 units;
	u32 eus;
	u32 eu_blocks;
	u32 ws_min;
	u32 hole;
	u32 flags;
	bool in_interrupts;
};

extern const struct rig_card rig_cards[];
extern const u32 rig_nr_cards;

/**
 * struct rig - the core, and what it needs
 * @test: whose it is
 * @media: what the core sees: the simulation's own, or one that ends operations
 *	in interrupts
 * @sim: the card
 * @locks: of the simulation
 * @serial: of the simulation
 * @run: calls vsl_sim_run()
 * @wq: runs @run and the pump's work
 * @ended: operations to end in the next interrupt
 * @irq: ends them
 * @pump: the driver's
 * @env: of the core
 * @core: while attached, else NULL
 * @broken: a rule of the media was broken
 */
struct rig {
	struct kunit *test;
	struct vsl_media media;
	struct vsl_sim *sim;
	spinlock_t locks[VSL_SIM_LOCKS + 1];
	struct mutex serial;	/* around serialised calls, see media/sim.h */
	struct work_struct run;
	struct workqueue_struct *wq;
	struct llist_head ended;
	struct irq_work irq;
	struct vsl_pump pump;
	struct vsl_core_env env;
	struct vsl_core *core;
	bool broken;
};

/**
 * rig_create() - a blank card
 * @test: fails and ends when it cannot be made; takes it down at the end
 * @card: what kind
 * @seed: of everything random in it
 */
struct rig *rig_create(struct kunit *test, const struct rig_card *card,
		       u64 seed);

/** rig_format() - vsl_core_format() of the default size.  Return: its errno. */
int rig_format(struct rig *rig, u32 sector_bytes);

/** rig_probe() - vsl_core_probe().  Return: its errno. */
int rig_probe(struct rig *rig, struct vsl_label *label);

/** rig_attach() - vsl_core_attach(), and start the pump.  Return: its errno. */
int rig_attach(struct rig *rig, u32 flags);

/** rig_audit() - vsl_core_audit().  Return: its errno. */
int rig_audit(struct rig *rig);

/** rig_detach() - vsl_core_detach(), and forget the core.  Return: its errno. */
int rig_detach(struct rig *rig);

/** rig_cut() - the power goes, and the core with it */
void rig_cut(struct rig *rig);

/** rig_power_on() - the power is back */
void rig_power_on(struct rig *rig);

/** rig_fault() - plant a fault that hits everywhere, @count times */
void rig_fault(struct rig *rig, const char *name, u32 count, u64 value);

/**
 * struct rig_io - a request and who waits for it
 * @io: all zero but for what the caller has filled in
 * @done: it has ended
 */
struct rig_io {
	struct vsl_io io;
	struct completion done;
};

/** rig_start() - submit a request; wait_for_completion(&@io->done) */
void rig_start(struct rig *rig, struct rig_io *io);

/** rig_do() - a request from beginning to end.  Return: its errno. */
int rig_do(struct rig *rig, enum vsl_io_kind kind, u32 flags, u64 sector,
	   u32 nr, void *mem);

#endif /* VSL_KUNIT_RIG_H */
