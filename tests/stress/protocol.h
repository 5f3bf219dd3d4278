/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h as the stress tests use it: with delays between its steps, a shared counter as the clock, which
 * each record advances by one, and records that show when they are torn.
 *
 * EXCHANGES makes the writer the one of BPF programs: W2 and W4 are exchanges, each record begins with the commit that is
 * in memory, and a program can be preempted for long between them. BREAK_* weakens one step.
 */
#ifndef STRESS_PROTOCOL_H
#define STRESS_PROTOCOL_H

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <proclife/barrier.h>

#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
/* ThreadSanitizer does not model fences. Here they order only atomic accesses, which cannot race. */
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* Delays between the steps of ring.h widen the windows in which another thread gets in between. */
static void step(void);

#undef proclife_mb
#define proclife_mb()                                         \
	do {                                             \
		step();                                  \
		__atomic_thread_fence(__ATOMIC_SEQ_CST); \
		step();                                  \
	} while (0)
#undef proclife_rmb
#define proclife_rmb()                                        \
	do {                                             \
		step();                                  \
		__atomic_thread_fence(__ATOMIC_ACQUIRE); \
		step();                                  \
	} while (0)
#undef proclife_load_acquire
#define proclife_load_acquire(p)                                                    \
	({                                                                     \
		__typeof__(*(p)) loaded = __atomic_load_n((p), __ATOMIC_ACQUIRE); \
									       \
		step();                                                        \
		loaded;                                                        \
	})
#undef proclife_store_release
#define proclife_store_release(p, value)                              \
	do {                                                     \
		step();                                          \
		__atomic_store_n((p), (value), __ATOMIC_RELEASE); \
		step();                                          \
	} while (0)

#ifdef EXCHANGES
#undef proclife_store_mb
#define proclife_store_mb(x, value) exchange(&(x), value)
#undef proclife_store_release
#define proclife_store_release(p, value) exchange(p, value)
#define exchange(p, value)                                                   \
	do {                                                                 \
		step();                                                      \
		(void)__atomic_exchange_n((p), (value), __ATOMIC_SEQ_CST);   \
		step();                                                      \
	} while (0)
#endif

#include <proclife/ring.h>

#define WORDS (sizeof(struct proclife_record) / sizeof(uint64_t))

struct ring {
	struct proclife_ring ring;
	uint64_t *stamps;	/* the clock's number of each position, for the final account */
	uint64_t wanted;	/* by the eager poller */
	uint32_t wakes;		/* the wait queue: a futex */
	uint32_t cpu;
} __attribute__((aligned(128)));

/* One delay per this many steps, on average; 0: none. */
static unsigned int steps_per_delay;
static uint64_t now __attribute__((aligned(128)));
static _Thread_local uint64_t random_state;
static _Thread_local uint64_t steps_left;

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static uint64_t next_random(void)
{
	return mix(random_state++);
}

static void step(void)
{
	uint64_t r;

	if (steps_left--)
		return;
	r = next_random();
	steps_left = steps_per_delay ? (r >> 32) % (2 * steps_per_delay) : UINT64_MAX;
	if (!steps_per_delay)
		return;
	if ((r & 7) < 4) {
		volatile unsigned int spin = (r >> 3) & 0xff;

		while (spin)
			spin--;
	} else if ((r & 7) < 7) {
		sched_yield();
	} else {
		struct timespec nap = { .tv_nsec = (long)((r >> 3) & 0x7fff) };

		nanosleep(&nap, NULL);
	}
}

static void __attribute__((format(printf, 1, 2))) violation(const char *format, ...)
{
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	va_list args;

	pthread_mutex_lock(&once); /* for good: only the first one is printed */
	printf("violation: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

static uint64_t word(unsigned int i, uint32_t cpu, uint64_t position, uint64_t stamp)
{
	switch (i) {
	case 0:
		return stamp;
	case 1:
		return cpu;
	case 2:
		return position;
	default:
		return mix(stamp ^ mix(position ^ mix(cpu + 256 * i)));
	}
}

static void fill(struct proclife_record *slot, uint32_t cpu, uint64_t position, uint64_t stamp)
{
	uint64_t *words = (uint64_t *)slot;

	for (unsigned int i = 0; i < WORDS; i++) {
		__atomic_store_n(&words[i], word(i, cpu, position, stamp), __ATOMIC_RELAXED);
		step();
	}
}

static void copy(uint64_t *to, const struct proclife_record *slot)
{
	const uint64_t *words = (const uint64_t *)slot;

	for (unsigned int i = 0; i < WORDS; i++) {
		to[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
		step();
	}
}

/* Other programs of this CPU go on meanwhile. */
static void be_preempted(void)
{
#ifdef EXCHANGES
	struct timespec nap = { .tv_nsec = 1000000 };

	if (steps_per_delay && next_random() % 4096 == 0)
		nanosleep(&nap, NULL);
#endif
}

static uint64_t take_number(void)
{
	return __atomic_fetch_add(&now, 1, __ATOMIC_RELAXED);
}

/* Writes one record as the module does. Returns what proclife_ring_commit() does. */
static int write_record(struct ring *ring, uint64_t position, uint64_t *number)
{
	struct proclife_ring *r = &ring->ring;
	struct proclife_record *slot;
	uint64_t stamp;
	int due;

#ifdef EXCHANGES
	r->pos = r->page->ctl.commit;
#endif
#if defined(BREAK_W1) /* fills the slot before it says so */
	slot = &r->records[position & r->mask];
	stamp = take_number();
	fill(slot, ring->cpu, position, stamp);
	proclife_ring_reserve(r);
#elif defined(BREAK_W2) /* takes the time before the reservation */
	stamp = take_number();
	step();
	slot = proclife_ring_reserve(r);
	fill(slot, ring->cpu, position, stamp);
#else
	slot = proclife_ring_reserve(r);
	be_preempted();
	stamp = take_number();
	step();
	be_preempted();
#ifndef BREAK_W4
	fill(slot, ring->cpu, position, stamp);
#endif
#endif
	be_preempted();
	*number = stamp;
	due = proclife_ring_commit(r, position % PROCLIFE_TYPES);
#ifdef BREAK_W4 /* commits before the slot is filled */
	fill(slot, ring->cpu, position, stamp);
#endif
	return due;
}


/* Copies [first, commit) to where each belongs in a ring; returns the oldest position that is still whole. */
static inline uint64_t copy_records(struct ring *ring, uint64_t first, uint64_t commit, uint64_t size,
			     uint64_t (*copies)[WORDS])
{
	const struct proclife_ring_ctl *ctl = &ring->ring.page->ctl;
	uint64_t oldest;

#ifdef BREAK_R3 /* looks whether the records are whole before it copies them */
	oldest = proclife_ring_oldest(ctl, size);
#endif
	for (uint64_t p = first; p < commit; p++)
		copy(copies[p % size], &ring->ring.records[p & ring->ring.mask]);
#if defined(BREAK_R4) /* does not look at all */
	(void)ctl;
	oldest = first;
#elif !defined(BREAK_R3)
	oldest = proclife_ring_oldest(ctl, size);
#endif
	return oldest;
}

/* H1 to H4 for all rings: returns the horizon, and sets what each ring reports. */
static inline uint64_t take_horizon(struct ring *ring_of, unsigned int rings, __u64 *commits,
			     bool *settled)
{
	uint64_t time;

#ifndef BREAK_H2
	time = __atomic_load_n(&now, __ATOMIC_RELAXED);
	proclife_mb();
#endif
	for (unsigned int i = 0; i < rings; i++) {
		settled[i] = proclife_ring_settled(&ring_of[i].ring.page->ctl, &commits[i]);
#ifdef BREAK_H3 /* takes no notice of a write in flight */
		settled[i] = true;
#endif
	}
#ifdef BREAK_H2 /* takes the time afterwards */
	time = __atomic_load_n(&now, __ATOMIC_RELAXED);
#endif
	return time;
}

static void *allocate(size_t count, size_t bytes)
{
	size_t rounded = (count * bytes + 4095) & ~(size_t)4095;
	void *memory = aligned_alloc(4096, rounded);

	if (!memory) {
		perror("memory");
		exit(2);
	}
	memset(memory, 0, rounded);
	return memory;
}

static void start(pthread_t *thread, void *(*run)(void *), void *data)
{
	int error = pthread_create(thread, NULL, run, data);

	if (error) {
		fprintf(stderr, "pthread_create: %s\n", strerror(error));
		exit(2);
	}
}

#endif
