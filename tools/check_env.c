// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_env.c - what the core needs from the checker: a pump of one thread, and
 * somebody who listens to what it has to say.
 *
 * Every operation ends inside submit() (VSL_SIM_INLINE), so the pump is a loop.
 * What the core calls an error while it attaches, or while it is audited, is a
 * finding.
 */
#include "check_int.h"

#include <stdarg.h>
#include <stdio.h>

/* Of the operation that is being done: there is one thread. */
static struct list_head *ended_now;

static void op_end(struct vsl_op *op)
{
	list_add_tail(&op->link, ended_now);
}

/* One operation of the card, past the core. */
void check_env_media(struct check_core *on, struct vsl_op *op)
{
	op->end = op_end;
	ended_now = &on->ended;
	on->media->ops->submit(on->media, op);
	vsl_sim_run(on->sim);
	if (!list_empty(&on->ended))
		list_del(&op->link);
}

static void op_do(struct check_core *on, struct vsl_core *core, struct vsl_op *op)
{
	struct vsl_op *done, *ahead;

	if (op->kind >= VSL_OP_CPU) {
		vsl_core_run(core, op);
		vsl_core_op_done(core, op);
		return;
	}
	op->end = op_end;
	ended_now = &on->ended;
	on->media->ops->submit(on->media, op);
	list_for_each_entry_safe(done, ahead, &on->ended, link) {
		list_del(&done->link);
		vsl_core_op_done(core, done);
	}
}

static int env_wait(void *ctx, struct vsl_core *core, bool (*done)(void *arg), void *arg)
{
	struct check *check = ctx;
	struct vsl_op *op;

	while (!done(arg)) {
		op = vsl_core_next_op(core);
		if (!op)
			return -EIO;
		op_do(check->core, core, op);
	}
	return 0;
}

static void env_log(void *ctx, enum vsl_log_level level, const char *fmt, ...)
{
	struct check *check = ctx;
	char text[sizeof(check->finding[0].text)];
	va_list ap;

	if (level == VSL_LOG_INFO)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	check_find(check, level == VSL_LOG_ERROR ? CHECK_BROKEN : CHECK_NOTE, "core", "%s", text);
}

static void env_progress(void *ctx, u32 permille)
{
	struct check *check = ctx;

	if (check->progress)
		check->progress(check->ctx, permille);
}

/* An invariant of the core does not hold; it goes on as well as it can. */
static struct check *listening;

static void env_assert(const char *cond, const char *file, int line)
{
	check_find(listening, CHECK_BROKEN, "disorder", "the core finds itself in disorder: %s (%s:%d)",
		   cond, file, line);
}

void check_env_init(struct check *check, struct check_core *on)
{
	listening = check;
	vsl_port_assert_hook = env_assert;
	INIT_LIST_HEAD(&on->ended);
	on->env = (struct vsl_core_env) {
		.ctx = check,
		.wait = env_wait,
		.log = env_log,
		.progress = env_progress,
	};
}

/* ---- findings ------------------------------------------------------------- */

void check_find(struct check *check, enum check_weight weight, const char *code,
		const char *fmt, ...)
{
	struct check_finding *finding = &check->finding[check->nr_findings];
	va_list ap;

	check->worst = max(check->worst, weight);
	if (check->nr_findings == CHECK_FINDINGS) {
		check->omitted_findings++;
		return;
	}
	check->nr_findings++;
	finding->weight = weight;
	finding->code = code;
	va_start(ap, fmt);
	vsnprintf(finding->text, sizeof(finding->text), fmt, ap);
	va_end(ap);
}

void check_trouble_add(struct check *check, enum check_kind kind, unsigned int block)
{
	struct check_trouble *trouble = &check->trouble[kind];
	struct check_range *last = trouble->nr ? &trouble->range[trouble->nr - 1] : NULL;

	trouble->blocks++;
	if (last && !trouble->omitted && last->last + 1 == block) {
		last->last = block;
	} else if (trouble->nr < CHECK_RANGES) {
		trouble->range[trouble->nr].first = block;
		trouble->range[trouble->nr++].last = block;
	} else {
		trouble->omitted++;
	}
}
