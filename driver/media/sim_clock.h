/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sim_clock.h - the clockwork's own: sim_time.c and sim_station.c.
 */
#ifndef VSL_MEDIA_SIM_CLOCK_H
#define VSL_MEDIA_SIM_CLOCK_H

#include "sim_int.h"

#define SIM_TASKS	2048u
#define SUSPENDS_MAX	16u

/**
 * struct sim_task - an operation in the clockwork
 * @op: the operation; NULL when it has ended and the card still works on it
 * @link: in clock->idle, ->buffered or ->flushes
 * @die: in a die's queue
 * @chan: in a channel's queue
 * @bus: in a bus's queue, or in clock->full
 * @kind: enum vsl_op_kind
 * @unit: the die
 * @pages: how many there are
 * @page_bytes: data of one of them
 * @at_die: pages that the die has done
 * @at_chan: pages that have crossed the channel
 * @at_bus: pages that have crossed the bus
 * @blocks: of the write buffer it holds
 * @on_chan: it is in a channel's queue, or being moved
 * @on_bus: same for the bus
 * @on_die: same for the die
 * @suspends: how often a read broke into it
 * @seq: flush: the last buffered task it waits for; buffered: its own number
 */
struct sim_task {
	struct vsl_op *op;
	struct list_head link;
	struct list_head die;
	struct list_head chan;
	struct list_head bus;
	u8 kind;
	bool on_chan;
	bool on_bus;
	bool on_die;
	u32 unit;
	u32 pages;
	u32 page_bytes;
	u32 at_die;
	u32 at_chan;
	u32 at_bus;
	u32 blocks;
	u32 suspends;
	u64 seq;
};

enum sim_phase {
	DIE_IDLE,
	DIE_READING,
	DIE_WORKING,		/* programming or erasing */
	DIE_HELD,		/* waiting for the channel */
};

/**
 * struct sim_die - a die
 * @reads: tasks that wait for it to read
 * @others: tasks that wait for it to program or erase
 * @now: the task it serves
 * @broken: a task that a read has broken into
 * @left_ns: how long that one still takes
 * @until_ns: when the work under way ends
 * @phase: enum sim_phase
 * @streak: reads served while others waited
 * @turn: goes up to make events under way void
 */
struct sim_die {
	struct list_head reads;
	struct list_head others;
	struct sim_task *now;
	struct sim_task *broken;
	u64 left_ns;
	u64 until_ns;
	u32 phase;
	u32 streak;
	u32 turn;
};

/* A channel, or one direction of the bus. */
struct sim_queue {
	struct list_head queue;
	struct sim_task *now;
};

enum sim_event_kind {
	EVENT_BEGIN,		/* of a task: the command has arrived */
	EVENT_DIE,
	EVENT_CHAN,
	EVENT_BUS,
	EVENT_END,		/* of a task that needs no station any more */
};

struct sim_event {
	u64 at_ns;
	u64 seq;
	struct sim_task *task;
	u32 kind;
	u32 where;
	u32 turn;
};

enum { BUS_IN, BUS_OUT, BUSES };

/**
 * struct sim_clock - the clockwork
 * @tasks: all
 * @dies: one a unit
 * @chans: config.timing.channels
 * @buses: in and out
 * @idle: tasks to take
 * @waiting: operations that wait for a task
 * @full: programs that wait for room in the buffer
 * @buffered: tasks whose operation has ended, oldest first
 * @flushes: flushes that wait for buffered tasks
 * @room: free blocks of the buffer
 * @buffer_seq: number of the newest buffered task
 * @events: heap
 * @nr_events: how many
 * @event_seq: numbers them
 * @now_ns: time of the event being served
 */
struct sim_clock {
	struct sim_task *tasks;
	struct sim_die *dies;
	struct sim_queue *chans;
	struct sim_queue buses[BUSES];
	struct list_head idle;
	struct list_head waiting;
	struct list_head full;
	struct list_head buffered;
	struct list_head flushes;
	u32 room;
	u64 buffer_seq;
	struct sim_event *events;
	u32 nr_events;
	u64 event_seq;
	u64 now_ns;
};

/* sim_station.c */
void sim_event_add(struct sim_clock *clock, u64 delay_ns, enum sim_event_kind kind,
		   u32 where, struct sim_task *task);
void sim_event_add_at(struct sim_clock *clock, u64 at_ns, enum sim_event_kind kind,
		      u32 where, struct sim_task *task);
struct sim_event sim_event_take(struct sim_clock *clock);
/* Let the next in the queue have the station, if it is free. */
void sim_bus_serve(struct vsl_sim *sim, u32 which);
void sim_chan_serve(struct vsl_sim *sim, u32 which);
void sim_die_serve(struct vsl_sim *sim, u32 unit);
/* Get into the queue for one page. */
void sim_bus_queue(struct vsl_sim *sim, u32 which, struct sim_task *task);
void sim_chan_queue(struct vsl_sim *sim, struct sim_task *task);
void sim_die_queue(struct vsl_sim *sim, struct sim_task *task);
/* @die is busy with @task for that long. */
void sim_die_work(struct vsl_sim *sim, struct sim_die *die,
		  struct sim_task *task, u32 phase, u64 ns);

#endif /* VSL_MEDIA_SIM_CLOCK_H */
