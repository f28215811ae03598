// SPDX-License-Identifier: GPL-2.0-only
/*
 * rig.c - a simulated card on the bench.
 */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

static void wake(void *ctx, u64 at_ns)
{
	struct rig *rig = ctx;

	if (at_ns < rig->wake_ns)
		rig->wake_ns = at_ns;
}

static void violation(void *ctx, const char *text)
{
	struct rig *rig = ctx;

	rig->nr_violations++;
	snprintf(rig->violation, sizeof(rig->violation), "%s", text);
}

static void event(void *ctx, enum vsl_media_event what, u32 unit, u32 eu)
{
	struct rig *rig = ctx;

	rig->event_unit = unit;
	rig->event_eu = eu;
	if (what == VSL_EVENT_GONE)
		rig->nr_gone++;
	else if (what == VSL_EVENT_REFRESH)
		rig->nr_refresh++;
	else
		rig->nr_health++;
}

static void die(const char *text)
{
	printf("Bail out! %s\n", text);
	exit(2);
}

void rig_config(struct rig *rig, const char *preset)
{
	memset(rig, 0, sizeof(*rig));
	if (vsl_sim_preset(preset, 0, &rig->config))
		die("no such preset");
	rig->config.bad_permyriad = 0;
	rig->wake_ns = ~0ull;
}

void rig_create(struct rig *rig)
{
	struct vsl_sim_env env = {
		.ctx = rig,
		.wake = wake,
		.violation = violation,
	};

	if (vsl_sim_create(&rig->config, &env, &rig->sim))
		die("no card");
	rig->media = vsl_sim_media(rig->sim);
	rig->media->event = event;
	rig->media->event_ctx = rig;
}

void rig_init(struct rig *rig, const char *preset)
{
	rig_config(rig, preset);
	rig_create(rig);
}

void rig_exit(struct rig *rig)
{
	if (vsl_sim_pending(rig->sim))
		vsl_sim_cut(rig->sim);
	vsl_sim_destroy(rig->sim);
}

void rig_fill(void *block, u32 number)
{
	u32 *word = block;
	u32 i;

	for (i = 0; i < VSL_BLOCK_BYTES / 4; i++)
		word[i] = number * 0x9e3779b1u + i;
}

bool rig_is(const void *block, u32 number)
{
	u32 expected[VSL_BLOCK_BYTES / 4];

	rig_fill(expected, number);
	return !memcmp(block, expected, VSL_BLOCK_BYTES);
}

static void end(struct vsl_op *op)
{
	struct rig_op *rig_op = op->owner;

	if (rig_op->has_ended)
		die("an operation ended twice");
	rig_op->has_ended = true;
	rig_op->end_ns = vsl_port_clock_ns;
	rig_op->rig->nr_ended++;
}

static struct rig_op *get_op(struct rig *rig)
{
	u32 i;

	for (i = 0; i < RIG_OPS; i++)
		if (!rig->ops[i].is_used || rig->ops[i].has_ended)
			return &rig->ops[i];
	die("too many operations");
	return NULL;
}

struct rig_op *rig_start(struct rig *rig, u8 kind, u32 unit, u32 eu, u32 off,
			 u32 nr, void *buf)
{
	struct rig_op *rig_op = get_op(rig);
	struct vsl_op *op = &rig_op->op;

	memset(rig_op, 0, sizeof(*rig_op));
	rig_op->is_used = true;
	rig_op->rig = rig;
	rig_op->begin_ns = vsl_port_clock_ns;
	rig_op->vec[0].base = buf;
	rig_op->vec[0].bytes = nr * VSL_BLOCK_BYTES;
	op->kind = kind;
	op->unit = unit;
	op->eu = eu;
	op->off = off;
	op->nr = nr;
	op->vec = rig_op->vec;
	op->nr_vecs = buf ? 1 : 0;
	op->end = end;
	op->owner = rig_op;
	rig->media->ops->submit(rig->media, op);
	return rig_op;
}

bool rig_step(struct rig *rig)
{
	if (rig->wake_ns == ~0ull)
		return false;
	if (rig->wake_ns > vsl_port_clock_ns)
		vsl_port_clock_ns = rig->wake_ns;
	rig->wake_ns = ~0ull;
	vsl_sim_run(rig->sim);
	return true;
}

u8 rig_wait(struct rig *rig, struct rig_op *op)
{
	while (!op->has_ended)
		if (!rig_step(rig))
			return 0xff;
	return op->op.result;
}

void rig_drain(struct rig *rig)
{
	while (rig_step(rig))
		;
}

u8 rig_do(struct rig *rig, u8 kind, u32 unit, u32 eu, u32 off, u32 nr,
	  void *buf)
{
	return rig_wait(rig, rig_start(rig, kind, unit, eu, off, nr, buf));
}

u8 rig_program(struct rig *rig, u32 unit, u32 eu, u32 off, u32 nr, u32 number)
{
	u8 *buf = malloc((size_t)nr * VSL_BLOCK_BYTES);
	u8 result;
	u32 i;

	for (i = 0; i < nr; i++)
		rig_fill(buf + (size_t)i * VSL_BLOCK_BYTES, number + i);
	result = rig_do(rig, VSL_OP_PROGRAM, unit, eu, off, nr, buf);
	free(buf);
	return result;
}

u8 rig_read(struct rig *rig, u32 unit, u32 eu, u32 block, void *buf)
{
	return rig_do(rig, VSL_OP_READ, unit, eu, block, 1, buf);
}

u8 rig_erase(struct rig *rig, u32 unit, u32 eu)
{
	return rig_do(rig, VSL_OP_ERASE, unit, eu, 0, 0, NULL);
}

u8 rig_finish(struct rig *rig, u32 unit, u32 eu)
{
	return rig_do(rig, VSL_OP_FINISH, unit, eu, 0, 0, NULL);
}

u8 rig_flush(struct rig *rig)
{
	return rig_do(rig, VSL_OP_FLUSH, 0, 0, 0, 0, NULL);
}

int rig_plant(struct rig *rig, const char *name, u32 unit, u32 eu, u32 block,
	      u32 count, u64 value)
{
	struct vsl_sim_fault fault = {
		.name = name,
		.unit = unit,
		.eu = eu,
		.block = block,
		.count = count,
		.value = value,
	};

	return vsl_sim_plant(rig->sim, &fault);
}

void rig_power_cycle(struct rig *rig)
{
	vsl_sim_cut(rig->sim);
	vsl_sim_power_on(rig->sim);
}

struct vsl_eu_report rig_report(struct rig *rig, u32 unit, u32 eu)
{
	struct vsl_eu_report report = { 0 };

	if (rig->media->ops->report(rig->media, unit, eu, 1, &report))
		report.state = VSL_EU_UNKNOWN;
	return report;
}
