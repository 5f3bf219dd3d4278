// SPDX-License-Identifier: LGPL-2.1-or-later
#include "recording/compressor.h"
#include "base/thread.h"
#include "recording/frames.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define NICE 19

struct proclife_compressor {
	pthread_t thread;
	sem_t given;
	atomic_bool busy;
	atomic_bool stop;
	int dir;
};

static bool is_stopped(void *data)
{
	struct proclife_compressor *compressor = data;

	return atomic_load_explicit(&compressor->stop, memory_order_relaxed);
}

static void *work(void *data)
{
	struct proclife_compressor *compressor = data;

	/* Linux sets both for this thread alone; a nice value means nothing under a real-time policy. */
	sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 });
	setpriority(PRIO_PROCESS, 0, NICE);
	for (;;) {
		if (sem_wait(&compressor->given))
			continue;
		if (!atomic_load_explicit(&compressor->busy, memory_order_relaxed))
			return NULL;
		proclife_frames_write(compressor->dir, is_stopped, compressor, NULL, NULL);
		close(compressor->dir);
		/* Pairs with the acquire in proclife_compressor_is_idle(). */
		atomic_store_explicit(&compressor->busy, false, memory_order_release);
	}
}

struct proclife_compressor *proclife_compressor_new(void)
{
	struct proclife_compressor *compressor = calloc(1, sizeof(*compressor));

	if (!compressor)
		return NULL;
	sem_init(&compressor->given, 0, 0);
	if (proclife_thread_start(&compressor->thread, work, compressor)) {
		sem_destroy(&compressor->given);
		free(compressor);
		return NULL;
	}
	return compressor;
}

void proclife_compressor_free(struct proclife_compressor *compressor)
{
	if (!compressor)
		return;
	proclife_compressor_stop(compressor);
	sem_post(&compressor->given); /* nothing: the thread ends, once it has left what it was given */
	pthread_join(compressor->thread, NULL);
	sem_destroy(&compressor->given);
	free(compressor);
}

bool proclife_compressor_is_idle(const struct proclife_compressor *compressor)
{
	/* Pairs with the release in work(): the files are as it left them, and `dir` can be set. */
	return !atomic_load_explicit(&compressor->busy, memory_order_acquire);
}

void proclife_compressor_give(struct proclife_compressor *compressor, int dir)
{
	compressor->dir = dir;
	atomic_store_explicit(&compressor->stop, false, memory_order_relaxed);
	atomic_store_explicit(&compressor->busy, true, memory_order_relaxed);
	sem_post(&compressor->given); /* a barrier: what is above is seen by the thread */
}

void proclife_compressor_stop(struct proclife_compressor *compressor)
{
	atomic_store_explicit(&compressor->stop, true, memory_order_relaxed);
}
