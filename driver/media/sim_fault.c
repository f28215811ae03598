// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_fault.c - faults on demand.
 *
 * A planted fault is a name, a place, a count and a rhythm.  Where an operation
 * could meet a fault, its code asks sim_fault_fires(); this file decides whether
 * one that was planted does, counts, and chooses the block that is hit.  What
 * the fault then does is written where it happens (sim_effect.c, sim.c,
 * sim_cut.c), and in one line of the table below for people.
 *
 * A fault that has fired as often as it was asked to is gone.
 *
 * Where a value is a mask of kinds of operations: 1 read, 2 program, 4 erase,
 * 8 finish, 16 flush; 0 is all of them unless the table says otherwise.
 */
#include "sim_int.h"

#define ON_READ		(1u << VSL_OP_READ)
#define ON_PROGRAM	(1u << VSL_OP_PROGRAM)
#define ON_ERASE	(1u << VSL_OP_ERASE)
#define ON_FINISH	(1u << VSL_OP_FINISH)
#define ON_FLUSH	(1u << VSL_OP_FLUSH)
#define ON_ANY		(ON_READ | ON_PROGRAM | ON_ERASE | ON_FINISH | ON_FLUSH)

/* The value of these is a mask of kinds of operations, 0 for the default. */
struct fault_kind {
	u32 on;			/* kinds of operations it can meet */
	u32 default_mask;	/* 0: its value is no mask */
};

static const struct fault_kind kinds[SIM_FAULTS] = {
	[SIM_FAULT_READ_LOST] =		{ ON_READ, 0 },
	[SIM_FAULT_READ_TRANSIENT] =	{ ON_READ, 0 },
	[SIM_FAULT_REFRESH] =		{ ON_READ, 0 },
	[SIM_FAULT_CORRUPT] =		{ ON_READ, 0 },
	[SIM_FAULT_MISREAD] =		{ ON_READ, 0 },
	[SIM_FAULT_PROGRAM_FAIL] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_END] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_TRANSIENT] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_LOST] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_DROP] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_STRAY] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_PROGRAM_ROT] =	{ ON_PROGRAM, 0 },
	[SIM_FAULT_ERASE_FAIL] =	{ ON_ERASE, 0 },
	[SIM_FAULT_ERASE_TRANSIENT] =	{ ON_ERASE, 0 },
	[SIM_FAULT_ERASE_DROP] =	{ ON_ERASE, 0 },
	[SIM_FAULT_FLUSH_FAIL] =	{ ON_FLUSH, 0 },
	[SIM_FAULT_FLUSH_TRANSIENT] =	{ ON_FLUSH, 0 },
	[SIM_FAULT_FLUSH_DROP] =	{ ON_FLUSH, 0 },
	[SIM_FAULT_UNIT_DEAD] =		{ ON_READ | ON_PROGRAM | ON_ERASE, 0 },
	[SIM_FAULT_SLOW] =		{ ON_ANY, 0 },
	[SIM_FAULT_STUCK] =		{ ON_ANY, ON_ANY },
	[SIM_FAULT_LOSE_END] =		{ ON_ANY, ON_ANY },
	[SIM_FAULT_NO_MEMORY] =		{ ON_PROGRAM, 0 },
	[SIM_FAULT_PLP_FAIL] =		{ 0, 0 },
	[SIM_FAULT_POWER_CUT] =		{ ON_ANY, ON_PROGRAM | ON_ERASE },
	[SIM_FAULT_REFRESH_EVENT] =	{ ON_ANY & ~ON_FLUSH, ON_READ },
	[SIM_FAULT_HEALTH_EVENT] =	{ ON_ANY, ON_ANY },
	[SIM_FAULT_DISTURB] =		{ ON_READ, 0 },
	[SIM_FAULT_RETENTION] =		{ ON_READ, 0 },
};

/* In the order of enum sim_fault_id. */
static const struct vsl_sim_fault_name names[SIM_FAULTS + 1] = {
	{ "read-lost", "a block cannot be read; value 1: every block of the operation" },
	{ "read-transient", "a block cannot be read this time; value as above" },
	{ "refresh", "a read works, but asks for the data to be moved" },
	{ "corrupt", "a read works, one bit is wrong; value 1: all is noise, 2: all is ones" },
	{ "misread", "a read works, but brings another block of the unit" },
	{ "program-fail", "a program fails; the erase unit can only be read from then on" },
	{ "program-end", "a program does not fit; the erase unit is full" },
	{ "program-transient", "a program fails and changes nothing" },
	{ "program-lost", "a program works, but a block of it cannot be read" },
	{ "program-drop", "a program works, but a block keeps its old content; value 1: all" },
	{ "program-stray", "a program works, but a block of it lands on another of the unit" },
	{ "program-rot", "a program works, one bit is wrong; value 1: a block is noise" },
	{ "erase-fail", "an erase fails; the erase unit is dead" },
	{ "erase-transient", "an erase fails and changes nothing" },
	{ "erase-drop", "an erase works, but the content stays (see program-drop)" },
	{ "flush-fail", "a flush fails and makes nothing durable" },
	{ "flush-transient", "a flush fails this time and makes nothing durable" },
	{ "flush-drop", "a flush works, but makes nothing durable" },
	{ "unit-dead", "reads are lost, programs and erases fail" },
	{ "slow", "an operation takes longer by value nanoseconds" },
	{ "stuck", "an operation neither takes effect nor ends; value: mask of kinds" },
	{ "lose-end", "an operation takes effect, but does not end; mask as above" },
	{ "no-memory", "the simulator has no memory for a program, which fails" },
	{ "plp-fail", "at the next power cut the power-loss protection does not hold" },
	{ "power-cut", "power is cut during an operation; mask, 0: program or erase" },
	{ "refresh-event", "the card asks for an erase unit to be moved; mask, 0: read" },
	{ "health-event", "the card says that its health has changed; mask, 0: any" },
	{ "disturb", "an erase unit asks for a refresh after value reads, is lost after twice" },
	{ "retention", "data asks for a refresh after value milliseconds, is lost after twice" },
	{ NULL, NULL },
};

const struct vsl_sim_fault_name *vsl_sim_fault_names(void)
{
	return names;
}

static bool is_about(u32 place, u32 where)
{
	return place == VSL_SIM_ANY || place == where;
}

static bool is_match(const struct sim_planted *p, const struct vsl_op *op)
{
	const struct fault_kind *kind = &kinds[p->id];
	u32 on = kind->on;

	if (kind->default_mask)
		on = p->value ? (u32)p->value : kind->default_mask;
	if (!(on & kind->on & (1u << op->kind)))
		return false;
	if (op->kind == VSL_OP_FLUSH)
		return p->unit == VSL_SIM_ANY && p->eu == VSL_SIM_ANY;
	if (!is_about(p->unit, op->unit) || !is_about(p->eu, op->eu))
		return false;
	if (p->block == VSL_SIM_ANY || op->kind == VSL_OP_ERASE ||
	    op->kind == VSL_OP_FINISH)
		return true;
	return p->block >= op->off && p->block - op->off < op->nr;
}

static void take_out(struct vsl_sim *sim, u32 i)
{
	WRITE_ONCE(sim->nr_faults, sim->nr_faults - 1);
	memmove(&sim->faults[i], &sim->faults[i + 1],
		(sim->nr_faults - i) * sizeof(sim->faults[0]));
}

static void choose_block(struct vsl_sim *sim, const struct sim_planted *p,
			 const struct vsl_op *op, struct sim_hit *hit)
{
	hit->value = p->value;
	if (!op->nr)
		hit->block = 0;
	else if (p->block != VSL_SIM_ANY)
		hit->block = p->block - op->off;
	else
		hit->block = sim_below(&sim->chance, op->nr);
}

/* Count a firing of fault @i; it may be the last. */
static void fire(struct vsl_sim *sim, u32 i)
{
	struct sim_planted *p = &sim->faults[i];

	p->matches = 0;
	sim->stats.faults++;
	if (p->left != VSL_SIM_FOREVER && --p->left == 0)
		take_out(sim, i);
}

/* The first planted fault of that kind whose turn it is.  Serialised. */
bool sim_fault_fires(struct vsl_sim *sim, enum sim_fault_id id,
		     const struct vsl_op *op, struct sim_hit *hit)
{
	struct sim_planted *p;
	u32 i;

	for (i = 0; i < sim->nr_faults; i++) {
		p = &sim->faults[i];
		if (p->id != id || !is_match(p, op))
			continue;
		if (++p->matches < p->every)
			continue;
		choose_block(sim, p, op, hit);
		fire(sim, i);
		return true;
	}
	return false;
}

bool sim_fault_take(struct vsl_sim *sim, enum sim_fault_id id)
{
	struct sim_planted *p;
	u32 i;

	for (i = 0; i < sim->nr_faults; i++) {
		p = &sim->faults[i];
		if (p->id != id || ++p->matches < p->every)
			continue;
		fire(sim, i);
		return true;
	}
	return false;
}

static int take_back(struct vsl_sim *sim, enum sim_fault_id id,
		     const struct vsl_sim_fault *fault)
{
	const struct sim_planted *p;
	int error = -ENOENT;
	u32 i = 0;

	while (i < sim->nr_faults) {
		p = &sim->faults[i];
		if (p->id == id && p->unit == fault->unit &&
		    p->eu == fault->eu && p->block == fault->block) {
			take_out(sim, i);
			error = 0;
		} else {
			i++;
		}
	}
	return error;
}

/* Stuck operations that no fault holds any more go on. */
static void release_stuck(struct vsl_sim *sim)
{
	struct vsl_op *op, *ahead;
	u64 now = sim_now(sim);

	list_for_each_entry_safe(op, ahead, &sim->stuck, link) {
		op->media_priv[SIM_PRIV_DUE] = now;
		list_move_tail(&op->link, &sim->delayed);
	}
}

static bool is_place(const struct vsl_sim *sim,
		     const struct vsl_sim_fault *fault)
{
	const struct vsl_sim_config *config = &sim->config;

	return (fault->unit == VSL_SIM_ANY || fault->unit < config->units) &&
	       (fault->eu == VSL_SIM_ANY || fault->eu < config->eus) &&
	       (fault->block == VSL_SIM_ANY ||
		fault->block < config->eu_blocks);
}

static int plant(struct vsl_sim *sim, enum sim_fault_id id,
		 const struct vsl_sim_fault *fault)
{
	struct sim_planted *p = &sim->faults[sim->nr_faults];

	if (sim->nr_faults == VSL_SIM_FAULTS_MAX)
		return -ENOSPC;
	p->id = id;
	p->unit = fault->unit;
	p->eu = fault->eu;
	p->block = fault->block;
	p->left = fault->count;
	p->every = fault->every;
	p->matches = 0;
	p->value = fault->value;
	WRITE_ONCE(sim->nr_faults, sim->nr_faults + 1);
	return 0;
}

int vsl_sim_plant(struct vsl_sim *sim, const struct vsl_sim_fault *fault)
{
	u32 id = 0;
	int error;

	while (id < SIM_FAULTS && !sim_is_same(names[id].name, fault->name))
		id++;
	if (id == SIM_FAULTS || !is_place(sim, fault))
		return -EINVAL;
	sim_serialize(sim);
	if (fault->count)
		error = plant(sim, id, fault);
	else
		error = take_back(sim, id, fault);
	if (!error && !fault->count &&
	    (id == SIM_FAULT_STUCK || id == SIM_FAULT_LOSE_END))
		release_stuck(sim);
	sim_deserialize(sim);
	if (!sim_is_idle(sim))
		sim_wake(sim, 0);
	return error;
}

void vsl_sim_heal(struct vsl_sim *sim)
{
	sim_serialize(sim);
	WRITE_ONCE(sim->nr_faults, 0);
	release_stuck(sim);
	sim_deserialize(sim);
	if (!sim_is_idle(sim))
		sim_wake(sim, 0);
}
