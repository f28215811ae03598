// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sim_time.c - the clockwork: how long operations take.
 *
 * A card is a network of stations, each serving one customer at a time in the
 * order of arrival:
 *
 *	bus in		host to card, all data of programs
 *	bus out		card to host, all data of reads
 *	channels	data between the card's chip and dies, both directions
 *	dies		one per unit: read, program, erase
 *
 * Operations travel in pages (timing.page_bytes): a read goes die, channel, bus;
 * a program goes bus, channel (while it holds the die), die.  So long operations
 * share the stations with short ones and overlap with themselves.  A die serves
 * reads before programs and erases, but lets one of those through after
 * a few reads; with suspend_ns a read even breaks into a running one.
 *
 * With a write buffer a program has ended for the host when its data is in the
 * buffer; its task goes on without the operation.  A full buffer keeps
 * further programs off the bus.  A flush waits for the tasks that were in the
 * buffer before it, unless the card has power-loss protection.
 *
 * Time is the time of events, not of vsl_sim_run(): one that comes late catches
 * up, and no lateness adds up.  Events are in a heap, by time and then by age,
 * so the order is fixed by what was asked, never by addresses.
 *
 * Nothing is allocated after create: operations beyond SIM_TASKS wait.
 */
#include "sim_clock.h"

/* ---- tasks --------------------------------------------------------------- */

static u32 pages_of(const struct vsl_sim *sim, const struct vsl_op *op)
{
	u32 bytes = op->nr * VSL_BLOCK_BYTES;
	u32 page = sim->config.timing.page_bytes;

	if (op->kind != VSL_OP_READ && op->kind != VSL_OP_PROGRAM)
		return 1;
	return DIV_ROUND_UP(bytes, page);
}

static void task_begin(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_clock *clock = sim->clock;
	struct sim_task *task = list_first_entry(&clock->idle, struct sim_task,
						 link);
	u64 begin_ns = op->media_priv[SIM_PRIV_START] +
		       sim->config.timing.command_ns;

	list_del_init(&task->link);
	memset(task, 0, sizeof(*task));
	INIT_LIST_HEAD(&task->link);
	task->op = op;
	task->kind = op->kind;
	task->unit = op->kind == VSL_OP_FLUSH ? 0 : op->unit;
	task->pages = pages_of(sim, op);
	task->page_bytes = op->nr * VSL_BLOCK_BYTES / task->pages;
	/* vsl_sim_run() may be later than submit(). */
	sim_event_add_at(clock, max(begin_ns, clock->now_ns), EVENT_BEGIN, 0, task);
}

static void task_free(struct vsl_sim *sim, struct sim_task *task)
{
	struct sim_clock *clock = sim->clock;
	struct vsl_op *op;

	list_add(&task->link, &clock->idle);
	op = list_first_entry_or_null(&clock->waiting, struct vsl_op, link);
	if (!op)
		return;
	list_del(&op->link);
	task_begin(sim, op);
}

/* For the host @task has ended. */
static void task_end(struct vsl_sim *sim, struct sim_task *task)
{
	struct vsl_op *op = task->op;

	task->op = NULL;
	sim_finish(sim, op);
}

static void flushes_check(struct vsl_sim *sim)
{
	struct sim_clock *clock = sim->clock;
	struct sim_task *task, *ahead, *oldest;

	oldest = list_first_entry_or_null(&clock->buffered, struct sim_task,
					  link);
	list_for_each_entry_safe(task, ahead, &clock->flushes, link) {
		if (oldest && oldest->seq <= task->seq &&
		    !(sim->config.flags & VSL_SIM_PLP))
			return;
		list_del_init(&task->link);
		sim_event_add(clock, sim->config.timing.flush_ns, EVENT_END, 0,
			      task);
	}
}

/* Programs that waited for room in the buffer. */
static void buffer_serve(struct vsl_sim *sim)
{
	struct sim_clock *clock = sim->clock;
	struct sim_task *task;

	while (!list_empty(&clock->full)) {
		task = list_first_entry(&clock->full, struct sim_task, bus);
		if (task->blocks > clock->room)
			return;
		list_del(&task->bus);
		clock->room -= task->blocks;
		sim_bus_queue(sim, BUS_IN, task);
	}
}

static void program_begin(struct vsl_sim *sim, struct sim_task *task)
{
	u32 limit = sim->config.timing.buffer_blocks;

	if (!limit) {
		sim_bus_queue(sim, BUS_IN, task);
		return;
	}
	task->blocks = min(task->op->nr, limit);
	list_add_tail(&task->bus, &sim->clock->full);
	buffer_serve(sim);
}

static void on_begin(struct vsl_sim *sim, struct sim_task *task)
{
	switch (task->kind) {
	case VSL_OP_READ:
	case VSL_OP_ERASE:
		sim_die_queue(sim, task);
		break;
	case VSL_OP_PROGRAM:
		program_begin(sim, task);
		break;
	case VSL_OP_FLUSH:
		task->seq = sim->clock->buffer_seq;
		list_add_tail(&task->link, &sim->clock->flushes);
		flushes_check(sim);
		break;
	default:
		task_end(sim, task);
		task_free(sim, task);
		break;
	}
}

/* ---- events -------------------------------------------------------------- */

/* A page of a read is in the die's register. */
static void on_page_read(struct vsl_sim *sim, struct sim_die *die,
			 struct sim_task *task)
{
	task->at_die++;
	if (sim->config.timing.cache_register) {
		die->phase = DIE_IDLE;
		die->now = NULL;
		task->on_die = false;
		if (task->at_die < task->pages)
			sim_die_queue(sim, task);
	} else {
		die->phase = DIE_HELD;
	}
	if (!task->on_chan)
		sim_chan_queue(sim, task);
}

/* A page is programmed, or the erase is done. */
static void on_work_done(struct vsl_sim *sim, struct sim_die *die,
			 struct sim_task *task)
{
	struct sim_clock *clock = sim->clock;
	u32 freed;

	die->phase = DIE_IDLE;
	die->now = NULL;
	task->on_die = false;
	task->at_die++;
	freed = task->blocks / (task->pages - task->at_die + 1);
	task->blocks -= freed;
	clock->room += freed;
	if (task->at_die < task->pages) {
		if (task->at_bus > task->at_die)
			sim_die_queue(sim, task);
	} else {
		if (task->op)
			task_end(sim, task);
		else
			list_del_init(&task->link);
		task_free(sim, task);
	}
	if (freed) {
		buffer_serve(sim);
		flushes_check(sim);
	}
}

static void on_die(struct vsl_sim *sim, const struct sim_event *event)
{
	struct sim_die *die = &sim->clock->dies[event->where];

	if (event->turn != die->turn)
		return;
	if (die->phase == DIE_READING)
		on_page_read(sim, die, event->task);
	else
		on_work_done(sim, die, event->task);
	sim_die_serve(sim, event->where);
}

static void on_chan(struct vsl_sim *sim, const struct sim_event *event)
{
	struct sim_task *task = event->task;
	struct sim_die *die = &sim->clock->dies[task->unit];

	sim->clock->chans[event->where].now = NULL;
	task->on_chan = false;
	task->at_chan++;
	if (task->kind == VSL_OP_PROGRAM) {
		sim_die_work(sim, die, task, DIE_WORKING,
			     sim->config.timing.program_ns);
	} else {
		if (die->phase == DIE_HELD && die->now == task) {
			die->phase = DIE_IDLE;
			die->now = NULL;
			task->on_die = false;
			if (task->at_die < task->pages)
				sim_die_queue(sim, task);
			else
				sim_die_serve(sim, task->unit);
		}
		if (task->at_chan < task->at_die && !task->on_chan)
			sim_chan_queue(sim, task);
		if (!task->on_bus)
			sim_bus_queue(sim, BUS_OUT, task);
	}
	sim_chan_serve(sim, event->where);
}

/* A page of a program has arrived on the card. */
static void on_page_in(struct vsl_sim *sim, struct sim_task *task)
{
	if (task->at_bus < task->pages)
		sim_bus_queue(sim, BUS_IN, task);
	if (!task->on_die)
		sim_die_queue(sim, task);
	if (task->at_bus < task->pages || !sim->config.timing.buffer_blocks)
		return;
	task->seq = ++sim->clock->buffer_seq;
	list_add_tail(&task->link, &sim->clock->buffered);
	task_end(sim, task);
}

static void on_bus(struct vsl_sim *sim, const struct sim_event *event)
{
	struct sim_task *task = event->task;

	sim->clock->buses[event->where].now = NULL;
	task->on_bus = false;
	task->at_bus++;
	if (event->where == BUS_IN) {
		on_page_in(sim, task);
	} else if (task->at_bus < task->at_chan) {
		sim_bus_queue(sim, BUS_OUT, task);
	} else if (task->at_bus == task->pages) {
		task_end(sim, task);
		task_free(sim, task);
	}
	sim_bus_serve(sim, event->where);
}

static void on_event(struct vsl_sim *sim, const struct sim_event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		on_begin(sim, event->task);
		break;
	case EVENT_DIE:
		on_die(sim, event);
		break;
	case EVENT_CHAN:
		on_chan(sim, event);
		break;
	case EVENT_BUS:
		on_bus(sim, event);
		break;
	default:
		task_end(sim, event->task);
		task_free(sim, event->task);
		break;
	}
}

/* ---- the outside --------------------------------------------------------- */

void sim_clock_start(struct vsl_sim *sim, struct vsl_op *op)
{
	struct sim_clock *clock = sim->clock;

	if (list_empty(&clock->idle))
		list_add_tail(&op->link, &clock->waiting);
	else
		task_begin(sim, op);
}

/* Serve all events up to @now_ns. */
void sim_clock_run(struct vsl_sim *sim, u64 now_ns)
{
	struct sim_clock *clock = sim->clock;
	struct sim_event event;

	while (clock->nr_events && clock->events[0].at_ns <= now_ns &&
	       !sim->cut_now) {
		event = sim_event_take(clock);
		clock->now_ns = event.at_ns;
		on_event(sim, &event);
	}
	if (!sim->cut_now)
		clock->now_ns = max(clock->now_ns, now_ns);
}

bool sim_clock_next(struct vsl_sim *sim, u64 *at_ns)
{
	if (!sim->clock->nr_events)
		return false;
	*at_ns = sim->clock->events[0].at_ns;
	return true;
}

static void reset(struct vsl_sim *sim)
{
	struct sim_clock *clock = sim->clock;
	struct sim_die *die;
	u32 i;

	INIT_LIST_HEAD(&clock->idle);
	INIT_LIST_HEAD(&clock->waiting);
	INIT_LIST_HEAD(&clock->full);
	INIT_LIST_HEAD(&clock->buffered);
	INIT_LIST_HEAD(&clock->flushes);
	for (i = 0; i < SIM_TASKS; i++)
		list_add_tail(&clock->tasks[i].link, &clock->idle);
	for (i = 0; i < sim->config.units; i++) {
		die = &clock->dies[i];
		memset(die, 0, sizeof(*die));
		INIT_LIST_HEAD(&die->reads);
		INIT_LIST_HEAD(&die->others);
	}
	for (i = 0; i < sim->config.timing.channels; i++) {
		clock->chans[i].now = NULL;
		INIT_LIST_HEAD(&clock->chans[i].queue);
	}
	for (i = 0; i < BUSES; i++) {
		clock->buses[i].now = NULL;
		INIT_LIST_HEAD(&clock->buses[i].queue);
	}
	clock->room = sim->config.timing.buffer_blocks;
	clock->nr_events = 0;
}

void sim_clock_stop(struct vsl_sim *sim, struct list_head *ops)
{
	struct sim_clock *clock = sim->clock;
	struct vsl_op *op;
	u32 i;

	for (i = 0; i < SIM_TASKS; i++) {
		op = clock->tasks[i].op;
		clock->tasks[i].op = NULL;
		if (op)
			list_add_tail(&op->link, ops);
	}
	list_splice_tail_init(&clock->waiting, ops);
	reset(sim);
}

int sim_clock_create(struct vsl_sim *sim)
{
	const struct vsl_sim_config *config = &sim->config;
	struct sim_clock *clock = vsl_port_alloc(sizeof(*clock));
	size_t nr_events;

	sim->clock = clock;
	if (!clock)
		return -ENOMEM;
	/* A task, die, channel or bus has one event; a die also a void one. */
	nr_events = SIM_TASKS + (1 + SUSPENDS_MAX) * (size_t)config->units +
		    config->timing.channels + BUSES;
	clock->tasks = vsl_port_alloc(SIM_TASKS * sizeof(*clock->tasks));
	clock->dies = vsl_port_alloc(config->units * sizeof(*clock->dies));
	clock->chans = vsl_port_alloc(config->timing.channels *
				      sizeof(*clock->chans));
	clock->events = vsl_port_alloc(nr_events * sizeof(*clock->events));
	if (!clock->tasks || !clock->dies || !clock->chans || !clock->events)
		return -ENOMEM;
	reset(sim);
	return 0;
}

void sim_clock_destroy(struct vsl_sim *sim)
{
	struct sim_clock *clock = sim->clock;

	if (!clock)
		return;
	vsl_port_free(clock->events);
	vsl_port_free(clock->chans);
	vsl_port_free(clock->dies);
	vsl_port_free(clock->tasks);
	vsl_port_free(clock);
	sim->clock = NULL;
}
