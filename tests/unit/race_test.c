// SPDX-License-Identifier: GPL-2.0-only
/*
 * race_test.c - the simulated card among threads, as in the kernel.
 *
 * One thread runs the card, two submit programs, erases and reads (which end
 * inside submit() where they can), and the power is cut now and then.  Every
 * block says where it belongs, so a read that ended well must show the right
 * place.  Built with -fsanitize=thread the same run also proves the locking
 * rules S1 to S4 of sim_int.h.
 */
#include "../../driver/media/sim.h"
#include "tap.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#define HOSTS		2u
#define ROUNDS		4000u
#define CUTS		20u

static struct vsl_sim *sim;
static struct vsl_media *media;
static pthread_mutex_t locks[VSL_SIM_LOCKS + 1];
static pthread_mutex_t serial = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_cond = PTHREAD_COND_INITIALIZER;
static bool is_wanted, must_stop;
static u32 nr_wrong, nr_good, nr_violations;

static unsigned long env_lock(void *ctx, u32 which)
{
	(void)ctx;
	pthread_mutex_lock(&locks[which]);
	return which;
}

static void env_unlock(void *ctx, u32 which, unsigned long flags)
{
	(void)ctx;
	(void)flags;
	pthread_mutex_unlock(&locks[which]);
}

static void env_serialize(void *ctx)
{
	(void)ctx;
	pthread_mutex_lock(&serial);
}

static void env_deserialize(void *ctx)
{
	(void)ctx;
	pthread_mutex_unlock(&serial);
}

static void env_wake(void *ctx, u64 at_ns)
{
	(void)ctx;
	(void)at_ns;
	pthread_mutex_lock(&wake_lock);
	is_wanted = true;
	pthread_cond_signal(&wake_cond);
	pthread_mutex_unlock(&wake_lock);
}

static void env_violation(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
	__atomic_add_fetch(&nr_violations, 1, __ATOMIC_SEQ_CST);
}

static void *run_card(void *arg)
{
	bool stop;

	(void)arg;
	do {
		pthread_mutex_lock(&wake_lock);
		while (!is_wanted && !must_stop)
			pthread_cond_wait(&wake_cond, &wake_lock);
		is_wanted = false;
		stop = must_stop;
		pthread_mutex_unlock(&wake_lock);
		vsl_sim_run(sim);
	} while (!stop);
	return NULL;
}

static void op_end(struct vsl_op *op)
{
	__atomic_store_n((u32 *)op->owner, 1, __ATOMIC_RELEASE);
}

static u8 do_op(u8 kind, u32 unit, u32 eu, u32 off, u32 nr, void *buf)
{
	struct vsl_vec vec = { buf, nr * VSL_BLOCK_BYTES };
	struct vsl_op op = { 0 };
	u32 has_ended = 0;

	op.kind = kind;
	op.unit = unit;
	op.eu = eu;
	op.off = off;
	op.nr = nr;
	op.vec = &vec;
	op.nr_vecs = 1;
	op.end = op_end;
	op.owner = &has_ended;
	media->ops->submit(media, &op);
	while (!__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE))
		sched_yield();
	return op.result;
}

static void fill(u32 *block, u32 unit, u32 eu, u32 off, u32 round)
{
	u32 i;

	for (i = 0; i < VSL_BLOCK_BYTES / 4; i += 4) {
		block[i] = unit;
		block[i + 1] = eu;
		block[i + 2] = off;
		block[i + 3] = round;
	}
}

static void check(const u32 *block, u32 unit, u32 eu, u32 off)
{
	u32 i, wrong = 0;

	for (i = 0; i < VSL_BLOCK_BYTES / 4; i += 4)
		wrong += block[i] != unit || block[i + 1] != eu ||
			 block[i + 2] != off || block[i + 3] != block[3];
	if (wrong)
		__atomic_add_fetch(&nr_wrong, 1, __ATOMIC_SEQ_CST);
	else
		__atomic_add_fetch(&nr_good, 1, __ATOMIC_SEQ_CST);
}

/* Host @id programs and erases its own erase units, and reads all of them. */
static void *run_host(void *arg)
{
	u32 id = *(u32 *)arg, round, i, unit, eu, off;
	u32 *buf = aligned_alloc(VSL_BLOCK_BYTES, 4 * VSL_BLOCK_BYTES);
	u64 state = id + 1;
	u32 wp[4][2] = { { 0 } };
	u8 result;

	for (round = 0; round < ROUNDS; round++) {
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		unit = (u32)(state >> 60) % 4;
		eu = (u32)(state >> 40) % 2;
		off = wp[unit][eu];
		if (off > 12) {
			result = do_op(VSL_OP_ERASE, unit, 2 * id + eu, 0, 0,
				       NULL);
			wp[unit][eu] = 0;
		} else {
			for (i = 0; i < 4; i++)
				fill(buf + i * VSL_BLOCK_BYTES / 4, unit,
				     2 * id + eu, off + i, round);
			result = do_op(VSL_OP_PROGRAM, unit, 2 * id + eu, off,
				       4, buf);
			wp[unit][eu] += 4;
		}
		/* Who lost power erases first. */
		if (result != VSL_RES_OK)
			wp[unit][eu] = 16;
		for (i = 0; i < 8; i++) {
			unit = (u32)(state >> (3 * i)) % 4;
			eu = (u32)(state >> (5 * i)) % 4;
			off = (u32)(state >> (7 * i)) % 16;
			if (do_op(VSL_OP_READ, unit, eu, off, 1, buf) ==
			    VSL_RES_OK)
				check(buf, unit, eu, off);
		}
	}
	free(buf);
	return NULL;
}

static void threads_see_only_whole_blocks_of_their_place(void)
{
	struct vsl_sim_env env = {
		.lock = env_lock,
		.unlock = env_unlock,
		.serialize = env_serialize,
		.deserialize = env_deserialize,
		.wake = env_wake,
		.violation = env_violation,
	};
	pthread_t card, hosts[HOSTS];
	struct vsl_sim_config config;
	u32 ids[HOSTS] = { 0, 1 }, i, cuts;
	struct vsl_sim_stats stats;

	vsl_sim_preset("tiny", 0, &config);
	config.flags |= VSL_SIM_INLINE_READS;
	config.erase_cycles = 0;
	config.tear = (struct vsl_sim_tear){
		.program_old = 1,
		.program_new = 1,
		.program_lost = 1,
		.erase_old = 1,
		.erase_done = 1,
	};
	for (i = 0; i <= VSL_SIM_LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	CHECK_EQ(vsl_sim_create(&config, &env, &sim), 0);
	media = vsl_sim_media(sim);
	pthread_create(&card, NULL, run_card, NULL);
	for (i = 0; i < HOSTS; i++)
		pthread_create(&hosts[i], NULL, run_host, &ids[i]);
	for (cuts = 0; cuts < CUTS; cuts++) {
		for (i = 0; i < 2000; i++)
			sched_yield();
		vsl_sim_cut(sim);
		vsl_sim_stats(sim, &stats);
		vsl_sim_power_on(sim);
	}
	for (i = 0; i < HOSTS; i++)
		pthread_join(hosts[i], NULL);
	pthread_mutex_lock(&wake_lock);
	must_stop = true;
	pthread_cond_signal(&wake_cond);
	pthread_mutex_unlock(&wake_lock);
	pthread_join(card, NULL);
	tap_note("%u good reads, %u programs", nr_good,
		 (u32)stats.program_ops);
	CHECK_EQ(nr_wrong, 0);
	CHECK_EQ(nr_violations, 0);
	CHECK(nr_good > 1000);
	CHECK_EQ(vsl_sim_pending(sim), 0);
	vsl_sim_destroy(sim);
}

static const struct tap_test tests[] = {
	TAP_TEST(threads_see_only_whole_blocks_of_their_place),
};

TAP_MAIN(tests)
