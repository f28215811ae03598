// SPDX-License-Identifier: GPL-2.0-only
/*
 * pump.c - runs a core: carries operations to the media and back.
 *
 * The core does nothing by itself.  Whoever calls it, under pump->lock, finds
 * afterwards in its outboxes what is to be started and which requests ended
 * (core.h tells the protocol).  That somebody takes everything out, drops the
 * lock, and does it: completes requests, submits operations to the media, runs
 * the work that is meant for a processor.  This is called draining, and it goes
 * round until the outboxes are empty.
 *
 * Everybody drains for himself: a submitting task, an interrupt that ends an
 * operation, the tick.  There is no pump thread to be woken and any number of
 * CPUs drain at once.  The rules that keep this sound:
 *
 * I1  pump->lock is held for calls into the core and for moving list entries,
 *     never for media calls, completions, copies or checksums.
 * I2  An operation that has left the outbox counts in @under_way until
 *     vsl_core_op_done() was called, so @core stays while anything can still
 *     refer to it.  Who drains is on @drains until he is done with the pump, and
 *     queues work only while there is a @core: vsl_pump_stop() waits for the
 *     first and cancels the second, and then nothing touches the pump any more.
 * I3  No recursion.  The media may end an operation inside submit(), and that
 *     must not submit again from there.  Whoever drains is on @drains; ending an
 *     operation in a task that is inside submit() only tells the core, and the
 *     drain that called submit() goes round again.  An interrupt that hits a
 *     submit() leaves its outcome to the interrupted drain too.
 * I4  Copies and checksums are for tasks.  An interrupt that finds such work
 *     leaves it on @cpu_ops and wakes the worker.  A task takes one such
 *     operation a round, so that requests and media operations which came up
 *     meanwhile do not wait for all of them.
 * I5  A drain is bounded; what is left goes to the worker.  A task that submits
 *     one request does not become everybody's servant.
 *
 * Plain reads do not come here at all where vsl_core_read_fast() serves them:
 * no lock, no outbox, the operation ends in read_ended() and so does the
 * request.
 */
#include "pump.h"

#include <linux/sched/signal.h>

/* How often a drain goes round before the worker takes over. */
#define ROUNDS_TASK	64
#define ROUNDS_IRQ	8

#define TICK_JIFFIES	max(HZ / 10, 1)

/*
 * What one round has taken out of the core, on the stack of who does it.
 * @link: in pump->drains while it is being done
 * @task: who does it; of an interrupt, the interrupted task
 * @submitting: is inside media->ops->submit(); for @task only
 * @core: whose it is
 * @media_ops: to be submitted
 * @ios: to be completed
 * @cpu_op: to be run, or NULL
 */
struct batch {
	struct list_head link;
	struct task_struct *task;
	bool submitting;
	struct vsl_core *core;
	struct list_head media_ops;
	struct list_head ios;
	struct vsl_op *cpu_op;
};

static void op_ended(struct vsl_op *op);

/* Is this task, or the task that this interrupt hit, inside submit()? */
static bool inside_submit_locked(struct vsl_pump *pump)
{
	struct batch *batch;

	lockdep_assert_held(&pump->lock);

	list_for_each_entry(batch, &pump->drains, link) {
		if (batch->task == current && READ_ONCE(batch->submitting))
			return true;
	}
	return false;
}

/* Empty the core's outboxes into @batch. */
static void empty_outboxes_locked(struct vsl_pump *pump, struct batch *batch)
{
	struct vsl_op *op;
	struct vsl_io *io;

	lockdep_assert_held(&pump->lock);

	while ((op = vsl_core_next_op(pump->core))) {
		pump->under_way++;
		op->end = op_ended;
		op->owner = pump;
		list_add_tail(&op->link, op->kind < VSL_OP_CPU ?
			      &batch->media_ops : &pump->cpu_ops);
	}
	while ((io = vsl_core_next_io(pump->core)))
		list_add_tail(&io->link, &batch->ios);
}

/*
 * Take out of the core what is to be done.  Returns whether that is anything;
 * then the caller drops the lock and calls drain().
 */
static bool take_locked(struct vsl_pump *pump, struct batch *batch)
{
	lockdep_assert_held(&pump->lock);

	if (!pump->core)
		return false;

	batch->task = current;
	batch->submitting = false;
	batch->core = pump->core;
	batch->cpu_op = NULL;
	INIT_LIST_HEAD(&batch->media_ops);
	INIT_LIST_HEAD(&batch->ios);
	empty_outboxes_locked(pump, batch);

	if (!list_empty(&pump->cpu_ops)) {
		if (in_task()) {
			batch->cpu_op = list_first_entry(&pump->cpu_ops,
							 struct vsl_op, link);
			list_del(&batch->cpu_op->link);
		} else {
			queue_work(pump->wq, &pump->work);
		}
	}

	if (!batch->cpu_op && list_empty(&batch->media_ops) &&
	    list_empty(&batch->ios))
		return false;
	list_add(&batch->link, &pump->drains);
	return true;
}

/* Tell the core that an operation ended. */
static void end_locked(struct vsl_pump *pump, struct vsl_op *op)
{
	lockdep_assert_held(&pump->lock);

	if (WARN_ON_ONCE(!pump->core))
		return;
	pump->under_way--;
	WRITE_ONCE(pump->ended, pump->ended + 1);
	vsl_core_op_done(pump->core, op);
	if (pump->waiters)
		wake_up_all(&pump->wait);
}

static void complete_ios(struct vsl_pump *pump, struct list_head *ios)
{
	struct vsl_io *io, *next;

	/* The entry is not ours any more once it is completed. */
	list_for_each_entry_safe(io, next, ios, link)
		pump->io_done(io);
}

/* An operation may end, and be used again, before submit() returns. */
static void submit_ops(struct vsl_pump *pump, struct batch *batch)
{
	struct vsl_op *op, *next;

	WRITE_ONCE(batch->submitting, true);
	list_for_each_entry_safe(op, next, &batch->media_ops, link)
		pump->media->ops->submit(pump->media, op);
	WRITE_ONCE(batch->submitting, false);
}

/* Do what was taken, and go round until there is nothing more. */
static void drain(struct vsl_pump *pump, struct batch *batch)
{
	unsigned int rounds = in_task() ? ROUNDS_TASK : ROUNDS_IRQ;
	unsigned long flags;
	bool more;

	do {
		complete_ios(pump, &batch->ios);
		submit_ops(pump, batch);
		if (batch->cpu_op)
			vsl_core_run(batch->core, batch->cpu_op);

		spin_lock_irqsave(&pump->lock, flags);
		list_del(&batch->link);
		if (batch->cpu_op)
			end_locked(pump, batch->cpu_op);
		more = --rounds && take_locked(pump, batch);
		if (!rounds && pump->core)
			queue_work(pump->wq, &pump->work);
		if (pump->waiters && list_empty(&pump->drains))
			wake_up_all(&pump->wait);
		spin_unlock_irqrestore(&pump->lock, flags);
	} while (more);
}

/* op->end of everything that came out of an outbox. */
static void op_ended(struct vsl_op *op)
{
	struct vsl_pump *pump = op->owner;
	struct batch batch;
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&pump->lock, flags);
	end_locked(pump, op);
	more = !inside_submit_locked(pump) && take_locked(pump, &batch);
	spin_unlock_irqrestore(&pump->lock, flags);

	if (more)
		drain(pump, &batch);
}

static void pump_work(struct work_struct *work)
{
	struct vsl_pump *pump = container_of(work, struct vsl_pump, work);
	struct batch batch;
	bool more;

	spin_lock_irq(&pump->lock);
	more = take_locked(pump, &batch);
	spin_unlock_irq(&pump->lock);

	if (more)
		drain(pump, &batch);
}

/* Tell the core how much was read without it. */
static void count_fast_locked(struct vsl_pump *pump)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(pump->fast_blocks, cpu);
	vsl_core_count_reads(pump->core, sum - pump->fast_counted);
	pump->fast_counted = sum;
}

static void pump_tick(struct work_struct *work)
{
	struct vsl_pump *pump = container_of(to_delayed_work(work),
					     struct vsl_pump, tick);
	bool more = false;
	struct batch batch;

	spin_lock_irq(&pump->lock);
	if (pump->core) {
		count_fast_locked(pump);
		vsl_core_tick(pump->core);
		more = take_locked(pump, &batch);
	}
	spin_unlock_irq(&pump->lock);

	if (more)
		drain(pump, &batch);
	queue_delayed_work(pump->wq, &pump->tick, TICK_JIFFIES);
}

static void submit_slow(struct vsl_pump *pump, struct vsl_io *io)
{
	struct batch batch;
	unsigned long flags;
	bool more;

	spin_lock_irqsave(&pump->lock, flags);
	vsl_core_submit(pump->core, io);
	more = take_locked(pump, &batch);
	spin_unlock_irqrestore(&pump->lock, flags);

	if (more)
		drain(pump, &batch);
}

/*
 * op->end of a fast read.  Perhaps inside submit(), and without a drain around
 * it: what turns up for the core is left to the worker, it is rare.
 */
static void read_ended(struct vsl_op *op)
{
	struct vsl_io *io = op->owner;
	struct vsl_pump *pump = io->owner;
	unsigned long flags;
	int todo;

	todo = vsl_core_read_fast_done(READ_ONCE(pump->core), io);
	if (todo) {
		spin_lock_irqsave(&pump->lock, flags);
		if (todo & 1)
			vsl_core_submit(pump->core, io);
		if (todo & 2)
			vsl_core_tick(pump->core);
		queue_work(pump->wq, &pump->work);
		spin_unlock_irqrestore(&pump->lock, flags);
	}
	if (todo & 1)
		return;
	this_cpu_add(*pump->fast_blocks, op->nr);
	pump->io_done(io);
}

void vsl_pump_submit(struct vsl_pump *pump, struct vsl_io *io)
{
	struct vsl_op *op;
	int ret = -EAGAIN;

	io->owner = pump;
	if (io->kind == VSL_IO_READ)
		ret = vsl_core_read_fast(READ_ONCE(pump->core), io, &op);

	if (ret > 0) {
		op->end = read_ended;
		op->owner = io;
		pump->media->ops->submit(pump->media, op);
	} else if (!ret) {
		pump->io_done(io);
	} else {
		submit_slow(pump, io);
	}
}

/*
 * Empty the outboxes; then: is it done, or can it never be?  Asking may fill
 * them again.
 */
static bool wait_is_over(struct vsl_pump *pump, bool (*done)(void *arg),
			 void *arg, u32 *ended, int *ret)
{
	struct batch batch;
	bool over = true;

	for (;;) {
		spin_lock_irq(&pump->lock);
		if (!take_locked(pump, &batch)) {
			*ended = pump->ended;
			over = done(arg);
			if (over || !take_locked(pump, &batch))
				break;
		}
		spin_unlock_irq(&pump->lock);
		drain(pump, &batch);
	}
	*ret = 0;
	if (!over && pump->gone && !pump->under_way) {
		*ret = -ENODEV;
		over = true;
	}
	spin_unlock_irq(&pump->lock);
	return over;
}

static bool has_ended(struct vsl_pump *pump, u32 ended)
{
	return READ_ONCE(pump->ended) != ended;
}

/*
 * Sleep until an operation has ended since @ended was read, but never for long:
 * the hung task detector is right to worry.
 */
static int wait_for_end(struct vsl_pump *pump, u32 ended, bool interruptible)
{
	long ret;

	if (interruptible)
		ret = wait_event_interruptible_timeout(pump->wait,
						       has_ended(pump, ended),
						       HZ);
	else
		ret = wait_event_timeout(pump->wait, has_ended(pump, ended),
					 HZ);
	return ret < 0 ? -EINTR : 0;
}

int vsl_pump_wait(struct vsl_pump *pump, struct vsl_core *core,
		  bool (*done)(void *arg), void *arg, bool interruptible)
{
	u32 ended;
	int ret;

	spin_lock_irq(&pump->lock);
	WARN_ON_ONCE(pump->core && pump->core != core);
	WRITE_ONCE(pump->core, core);
	pump->waiters++;
	spin_unlock_irq(&pump->lock);

	/* A card that is faster than we are shall not make a signal unheard. */
	ret = interruptible && signal_pending(current) ? -EINTR : 0;
	while (!ret && !wait_is_over(pump, done, arg, &ended, &ret))
		ret = wait_for_end(pump, ended, interruptible);

	/* The core may be gone before the next wait, unless it is needed (I2). */
	spin_lock_irq(&pump->lock);
	pump->waiters--;
	if (!pump->under_way)
		WRITE_ONCE(pump->core, NULL);
	spin_unlock_irq(&pump->lock);
	return ret;
}

void vsl_pump_set_gone(struct vsl_pump *pump, bool gone)
{
	unsigned long flags;

	spin_lock_irqsave(&pump->lock, flags);
	pump->gone = gone;
	WRITE_ONCE(pump->ended, pump->ended + 1);
	spin_unlock_irqrestore(&pump->lock, flags);
	wake_up(&pump->wait);
}

void vsl_pump_refresh(struct vsl_pump *pump, u32 unit, u32 eu)
{
	unsigned long flags;

	spin_lock_irqsave(&pump->lock, flags);
	if (pump->core)
		vsl_core_refresh(pump->core, unit, eu);
	spin_unlock_irqrestore(&pump->lock, flags);
}

void vsl_pump_kill(struct vsl_pump *pump)
{
	struct batch batch;
	bool more;

	spin_lock_irq(&pump->lock);
	vsl_core_kill(pump->core);
	more = take_locked(pump, &batch);
	spin_unlock_irq(&pump->lock);

	if (more)
		drain(pump, &batch);
}

int vsl_pump_init(struct vsl_pump *pump, struct vsl_media *media,
		  struct workqueue_struct *wq,
		  void (*io_done)(struct vsl_io *io))
{
	pump->media = media;
	pump->wq = wq;
	pump->io_done = io_done;
	INIT_WORK(&pump->work, pump_work);
	INIT_DELAYED_WORK(&pump->tick, pump_tick);
	init_waitqueue_head(&pump->wait);
	spin_lock_init(&pump->lock);
	INIT_LIST_HEAD(&pump->drains);
	INIT_LIST_HEAD(&pump->cpu_ops);
	pump->fast_blocks = alloc_percpu(unsigned long);
	return pump->fast_blocks ? 0 : -ENOMEM;
}

void vsl_pump_exit(struct vsl_pump *pump)
{
	free_percpu(pump->fast_blocks);
}

void vsl_pump_start(struct vsl_pump *pump, struct vsl_core *core)
{
	spin_lock_irq(&pump->lock);
	WARN_ON_ONCE(pump->core && pump->core != core);
	WRITE_ONCE(pump->core, core);
	spin_unlock_irq(&pump->lock);
	queue_delayed_work(pump->wq, &pump->tick, TICK_JIFFIES);
}

void vsl_pump_stop_ticks(struct vsl_pump *pump)
{
	cancel_delayed_work_sync(&pump->tick);
	spin_lock_irq(&pump->lock);
	if (pump->core)
		count_fast_locked(pump);
	spin_unlock_irq(&pump->lock);
}

/* Forget the core if nothing needs it, or the pump, any more (I2). */
static bool try_forget(struct vsl_pump *pump)
{
	bool forgotten;

	spin_lock_irq(&pump->lock);
	forgotten = !pump->under_way && list_empty(&pump->drains);
	if (forgotten)
		WRITE_ONCE(pump->core, NULL);
	spin_unlock_irq(&pump->lock);
	return forgotten;
}

void vsl_pump_stop(struct vsl_pump *pump)
{
	cancel_delayed_work_sync(&pump->tick);

	spin_lock_irq(&pump->lock);
	pump->waiters++;
	spin_unlock_irq(&pump->lock);

	while (!wait_event_timeout(pump->wait, try_forget(pump), HZ))
		queue_work(pump->wq, &pump->work);

	spin_lock_irq(&pump->lock);
	pump->waiters--;
	spin_unlock_irq(&pump->lock);
	cancel_work_sync(&pump->work);
}
