/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rig.h - a simulated card on the bench: operations by one call each.
 *
 * One rig at a time is enough for these tests, but they may have several.  All
 * share the virtual clock, which only moves forward.
 */
#ifndef VSL_TESTS_UNIT_RIG_H
#define VSL_TESTS_UNIT_RIG_H

#include "../../driver/media/sim.h"
#include "tap.h"

#define RIG_OPS		256

struct rig_op {
	struct vsl_op op;
	struct vsl_vec vec[2];
	struct rig *rig;
	bool is_used;
	bool has_ended;
	u64 begin_ns;
	u64 end_ns;
};

struct rig {
	struct vsl_sim *sim;
	struct vsl_media *media;
	struct vsl_sim_config config;
	u64 wake_ns;
	u32 nr_ended;
	u32 nr_violations;
	char violation[160];
	u32 nr_gone;
	u32 nr_refresh;
	u32 nr_health;
	u32 event_unit;
	u32 event_eu;
	struct rig_op ops[RIG_OPS];
};

/* "tiny" with something changed by the caller before rig_create(). */
void rig_config(struct rig *rig, const char *preset);
void rig_create(struct rig *rig);
/* Both in one. */
void rig_init(struct rig *rig, const char *preset);
void rig_exit(struct rig *rig);

/* A block whose content is known from a number. */
void rig_fill(void *block, u32 number);
bool rig_is(const void *block, u32 number);

/* Start an operation; @buf as long as it needs. */
struct rig_op *rig_start(struct rig *rig, u8 kind, u32 unit, u32 eu, u32 off,
			 u32 nr, void *buf);
/* One call of vsl_sim_run(), with the clock moved.  False: nothing to do. */
bool rig_step(struct rig *rig);
/* Until @op has ended, or nothing goes on. */
u8 rig_wait(struct rig *rig, struct rig_op *op);
void rig_drain(struct rig *rig);

u8 rig_do(struct rig *rig, u8 kind, u32 unit, u32 eu, u32 off, u32 nr,
	  void *buf);
/* Program blocks numbered from @number on; read and compare. */
u8 rig_program(struct rig *rig, u32 unit, u32 eu, u32 off, u32 nr, u32 number);
u8 rig_read(struct rig *rig, u32 unit, u32 eu, u32 block, void *buf);
u8 rig_erase(struct rig *rig, u32 unit, u32 eu);
u8 rig_finish(struct rig *rig, u32 unit, u32 eu);
u8 rig_flush(struct rig *rig);
int rig_plant(struct rig *rig, const char *name, u32 unit, u32 eu, u32 block,
	      u32 count, u64 value);
void rig_power_cycle(struct rig *rig);
struct vsl_eu_report rig_report(struct rig *rig, u32 unit, u32 eu);

#endif /* VSL_TESTS_UNIT_RIG_H */
