// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_station.c - the stations of the clockwork and its heap of events.
 *
 * A station (bus, channel, die) has a queue and at most one task under way, whose
 * end is one event in the heap.  When the event comes, sim_time.c moves the task
 * on and lets the next one have the station.
 *
 * A die is idle, reading, working (program or erase), or held by a task that
 * waits for the channel: nothing else can use it then.  A suspended task's event
 * stays in the heap and is void, because die->turn has moved on.
 */
#include "sim_clock.h"

#define READS_IN_A_ROW	8u

/* ---- heap ---------------------------------------------------------------- */

static bool is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->seq < b->seq;
}

void sim_event_add_at(struct sim_clock *clock, u64 at_ns,
		      enum sim_event_kind kind, u32 where,
		      struct sim_task *task)
{
	struct sim_event *heap = clock->events;
	struct sim_event event;
	u32 i = clock->nr_events++;

	event.at_ns = at_ns;
	event.seq = clock->event_seq++;
	event.task = task;
	event.kind = kind;
	event.where = where;
	event.turn = kind == EVENT_DIE ? clock->dies[where].turn : 0;
	for (; i && is_before(&event, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = event;
}

void sim_event_add(struct sim_clock *clock, u64 delay_ns,
		   enum sim_event_kind kind, u32 where, struct sim_task *task)
{
	sim_event_add_at(clock, clock->now_ns + delay_ns, kind, where, task);
}

struct sim_event sim_event_take(struct sim_clock *clock)
{
	struct sim_event *heap = clock->events;
	struct sim_event first = heap[0];
	struct sim_event last = heap[--clock->nr_events];
	u32 nr = clock->nr_events;
	u32 i = 0, child;

	for (child = 1; child < nr; child = 2 * i + 1) {
		if (child + 1 < nr && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

/* ---- durations ----------------------------------------------------------- */

static u64 move_ns(u32 bytes, u32 mbps)
{
	return (u64)bytes * 1000 / mbps;
}

static u32 chan_of(const struct vsl_sim *sim, const struct sim_task *task)
{
	return task->unit % sim->config.timing.channels;
}

/* ---- stations ------------------------------------------------------------ */

void sim_bus_serve(struct vsl_sim *sim, u32 which)
{
	const struct vsl_sim_timing *timing = &sim->config.timing;
	struct sim_queue *bus = &sim->clock->buses[which];
	struct sim_task *task;
	u64 ns;

	if (bus->now || list_empty(&bus->queue))
		return;
	task = list_first_entry(&bus->queue, struct sim_task, bus);
	list_del(&task->bus);
	bus->now = task;
	ns = move_ns(task->page_bytes, timing->bus_mbps);
	if (!task->at_bus)
		ns += timing->bus_command_ns;
	sim_event_add(sim->clock, ns, EVENT_BUS, which, task);
}

void sim_bus_queue(struct vsl_sim *sim, u32 which, struct sim_task *task)
{
	task->on_bus = true;
	list_add_tail(&task->bus, &sim->clock->buses[which].queue);
	sim_bus_serve(sim, which);
}

void sim_chan_serve(struct vsl_sim *sim, u32 which)
{
	struct sim_queue *chan = &sim->clock->chans[which];
	struct sim_task *task;

	if (chan->now || list_empty(&chan->queue))
		return;
	task = list_first_entry(&chan->queue, struct sim_task, chan);
	list_del(&task->chan);
	chan->now = task;
	sim_event_add(sim->clock,
		      move_ns(task->page_bytes, sim->config.timing.channel_mbps),
		      EVENT_CHAN, which, task);
}

void sim_chan_queue(struct vsl_sim *sim, struct sim_task *task)
{
	u32 which = chan_of(sim, task);

	task->on_chan = true;
	list_add_tail(&task->chan, &sim->clock->chans[which].queue);
	sim_chan_serve(sim, which);
}

void sim_die_work(struct vsl_sim *sim, struct sim_die *die,
		  struct sim_task *task, u32 phase, u64 ns)
{
	die->now = task;
	die->phase = phase;
	die->until_ns = sim->clock->now_ns + ns;
	sim_event_add(sim->clock, ns, EVENT_DIE, task->unit, task);
}

/* A read has come while @die programs or erases: break into it if one may. */
static void die_suspend(struct vsl_sim *sim, struct sim_die *die)
{
	if (!sim->config.timing.suspend_ns || die->phase != DIE_WORKING ||
	    die->broken || die->now->suspends >= SUSPENDS_MAX)
		return;
	die->now->suspends++;
	die->broken = die->now;
	die->left_ns = die->until_ns - sim->clock->now_ns;
	die->turn++;
	die->now = NULL;
	die->phase = DIE_IDLE;
}

static void die_begin_read(struct vsl_sim *sim, struct sim_die *die)
{
	struct sim_task *task = list_first_entry(&die->reads, struct sim_task,
						 die);

	list_del(&task->die);
	sim_die_work(sim, die, task, DIE_READING, sim->config.timing.read_ns);
}

static void die_begin_other(struct vsl_sim *sim, struct sim_die *die)
{
	struct sim_task *task = list_first_entry(&die->others, struct sim_task,
						 die);

	list_del(&task->die);
	die->streak = 0;
	if (task->kind == VSL_OP_ERASE) {
		sim_die_work(sim, die, task, DIE_WORKING,
			     sim->config.timing.erase_ns);
		return;
	}
	die->now = task;
	die->phase = DIE_HELD;
	sim_chan_queue(sim, task);
}

static void die_resume(struct vsl_sim *sim, struct sim_die *die)
{
	struct sim_task *task = die->broken;

	die->broken = NULL;
	die->streak = 0;
	sim_die_work(sim, die, task, DIE_WORKING,
		     die->left_ns + sim->config.timing.suspend_ns);
}

void sim_die_serve(struct vsl_sim *sim, u32 unit)
{
	struct sim_die *die = &sim->clock->dies[unit];
	bool others = die->broken || !list_empty(&die->others);

	if (!list_empty(&die->reads))
		die_suspend(sim, die);
	if (die->phase != DIE_IDLE)
		return;
	if (!list_empty(&die->reads) &&
	    !(others && die->streak >= READS_IN_A_ROW)) {
		die->streak++;
		die_begin_read(sim, die);
	} else if (die->broken) {
		die_resume(sim, die);
	} else if (!list_empty(&die->others)) {
		die_begin_other(sim, die);
	} else {
		die->streak = 0;
	}
}

void sim_die_queue(struct vsl_sim *sim, struct sim_task *task)
{
	struct sim_die *die = &sim->clock->dies[task->unit];

	task->on_die = true;
	if (task->kind == VSL_OP_READ)
		list_add_tail(&task->die, &die->reads);
	else
		list_add_tail(&task->die, &die->others);
	sim_die_serve(sim, task->unit);
}
