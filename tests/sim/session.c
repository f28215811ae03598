// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - many runs in worker processes.
 *
 * Workers tell what they are at in shared memory before they do it.  So the
 * replay line is there however a run ends: by a broken promise, by an assertion,
 * by a sanitizer, by a signal, or by a loop without end that the parent stops.
 */
#include "session.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "plan.h"

#define POLL_US		20000u
#define PROGRESS_S	10.0
#define STUCK_S		60.0

struct shared {
	bool stop;
	u64 next_run[FAMILIES_MAX];
	struct slot slot[JOBS_MAX];
};

struct worker {
	pid_t pid;
	u64 beat;
	double beat_at;
	double told_at;		/* to stop */
	bool stuck;
};

static struct slot own_slot;
static struct shared *shared;
struct slot *the_slot = &own_slot;

bool session_is_over(void)
{
	return shared && READ_ONCE(shared->stop);
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void assert_failed(const char *cond, const char *file, int line)
{
	sim_fail("assert", "%s at %s:%d", cond, file, line);
}

void session_init(void)
{
	/* Page faults cost more than anything else here: keep memory. */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_TOP_PAD, 16 << 20);
	vsl_port_assert_hook = assert_failed;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		abort();
}

u32 family_find(const char *name)
{
	u32 i;

	for (i = 0; families[i].name; i++)
		if (!strcmp(families[i].name, name))
			return i;
	return FAMILIES_MAX;
}

/* ---- workers ----------------------------------------------------------------- */

static u64 cuts_of(u32 family)
{
	u64 cuts = 0;
	u32 i;

	for (i = 0; i < JOBS_MAX; i++)
		cuts += READ_ONCE(shared->slot[i].cuts[family]);
	return cuts;
}

static u32 share_of(u32 family)
{
	return plan_flat ? families[family].flat : families[family].share;
}

/* The family that is furthest behind its share; FAMILIES_MAX: all are done. */
static u32 next_family(const struct session *session)
{
	u64 least = ~0ull, rank;
	u32 best = FAMILIES_MAX, i;

	for (i = 0; families[i].name; i++) {
		if (session->only != FAMILIES_MAX ? session->only != i :
						    !share_of(i))
			continue;
		if (session->runs &&
		    READ_ONCE(shared->next_run[i]) >=
		    session->first_run + session->runs)
			continue;
		rank = (cuts_of(i) + 1) * 1000 / max(share_of(i), 1u);
		if (rank < least) {
			least = rank;
			best = i;
		}
	}
	return best;
}

static void __attribute__((noreturn)) work(const struct session *session,
					   struct slot *slot)
{
	struct order order = session->order;

	the_slot = slot;
	while (!READ_ONCE(shared->stop)) {
		slot->family = next_family(session);
		if (slot->family == FAMILIES_MAX)
			break;
		slot->run = __sync_fetch_and_add(&shared->next_run[slot->family], 1);
		slot->text[0] = '\0';
		order.seed = session->seed;
		order.run = slot->run;
		families[slot->family].run(&order);
	}
	exit(0);
}

static void worker_start(const struct session *session, struct worker *worker,
			 u32 nr)
{
	fflush(stdout);
	worker->stuck = false;
	worker->beat_at = now_s();
	worker->pid = fork();
	if (!worker->pid)
		work(session, &shared->slot[nr]);
}

/* ---- the parent ---------------------------------------------------------------- */

static void report(struct session *session, const struct slot *slot,
		   const struct worker *worker, int status)
{
	if (!slot->text[0])
		snprintf(session->text, sizeof(session->text), "%s, status 0x%x",
			 worker->stuck ? "stuck" : "crashed", status);
	else
		memcpy(session->text, slot->text, sizeof(session->text));
	session->failed[slot->family]++;
	session->failures++;
	if (session->quiet)
		return;
	printf("# %s\n# %s\nreplay: simtest --replay family=%s,seed=%llu,run=%llu,cut=%llu%s%s%s%s\n",
	       session->text, slot->plan, families[slot->family].name,
	       session->seed, slot->run, slot->cut,
	       session->order.deep ? ",deep=1" : "",
	       plan_flat ? ",flat=1" : "",
	       session->order.geometry ? ",geometry=" : "",
	       session->order.geometry ? session->order.geometry : "");
	fflush(stdout);
}

/* Return: the worker is at work. */
static bool worker_poll(struct session *session, struct worker *worker, u32 nr)
{
	struct slot *slot = &shared->slot[nr];
	double now = now_s();
	int status;

	if (!worker->pid)
		return false;
	if (waitpid(worker->pid, &status, WNOHANG) == worker->pid) {
		worker->pid = 0;
		if (!status)
			return false;
		report(session, slot, worker, status);
		if (session->failures >= session->keep)
			WRITE_ONCE(shared->stop, true);
		else
			worker_start(session, worker, nr);
		return worker->pid;
	}
	if (READ_ONCE(slot->beat) != worker->beat) {
		worker->beat = slot->beat;
		worker->beat_at = now;
	}
	if (READ_ONCE(shared->stop) && !worker->told_at)
		worker->told_at = now;
	if (!worker->stuck && (now - worker->beat_at > STUCK_S ||
	    (worker->told_at && now - worker->told_at > STUCK_S))) {
		worker->stuck = true;
		kill(worker->pid, SIGKILL);
	}
	return true;
}

static u64 count_up(struct session *session)
{
	u64 all = 0;
	u32 i, nr;

	for (i = 0; families[i].name; i++) {
		session->cuts_done[i] = cuts_of(i);
		session->runs_done[i] = 0;
		for (nr = 0; nr < JOBS_MAX; nr++)
			session->runs_done[i] += shared->slot[nr].runs[i];
		all += session->cuts_done[i];
	}
	session->shallow_cuts = 0;
	session->deep_cuts = 0;
	session->same_cuts = 0;
	session->nth_tries = 0;
	for (nr = 0; nr < JOBS_MAX; nr++) {
		session->shallow_cuts += shared->slot[nr].shallow_cuts;
		session->deep_cuts += shared->slot[nr].deep_cuts;
		session->same_cuts += shared->slot[nr].same_cuts;
		session->nth_tries += shared->slot[nr].nth_tries;
	}
	return all;
}

/* What all workers that have ended took of processors. */
static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

void session_run(struct session *session)
{
	struct worker worker[JOBS_MAX] = { 0 };
	double begun = now_s(), told = begun, now;
	bool at_work = true;
	u64 cuts;
	u32 i;

	memset(shared, 0, sizeof(*shared));
	for (i = 0; i < FAMILIES_MAX; i++)
		shared->next_run[i] = session->first_run;
	for (i = 0; i < session->jobs; i++)
		worker_start(session, &worker[i], i);
	while (at_work) {
		usleep(POLL_US);
		at_work = false;
		for (i = 0; i < session->jobs; i++)
			at_work |= worker_poll(session, &worker[i], i);
		cuts = count_up(session);
		now = now_s();
		if ((session->cuts && cuts >= session->cuts) ||
		    (session->seconds && now - begun >= session->seconds))
			WRITE_ONCE(shared->stop, true);
		if (session->quiet || now - told < PROGRESS_S)
			continue;
		printf("# %.0f s, %llu cuts, %.0f a second\n", now - begun,
		       cuts, cuts / (now - begun));
		fflush(stdout);
		told = now;
	}
	session->cpu_s = cpu_s();
}
