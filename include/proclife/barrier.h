/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/* The kernel's names for ordered accesses, in terms of the compiler's C11 atomics, for user space. */
#ifndef PROCLIFE_BARRIER_H
#define PROCLIFE_BARRIER_H

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_store_mb(x, value)       \
	do {                         \
		WRITE_ONCE(x, value); \
		smp_mb();            \
	} while (0)
#define cmpxchg(p, old, new)                                                               \
	({                                                                                 \
		__typeof__(*(p)) proclife_old = (old);                                     \
		__atomic_compare_exchange_n((p), &proclife_old, (new), 0, __ATOMIC_SEQ_CST, \
					    __ATOMIC_SEQ_CST);                             \
		proclife_old;                                                              \
	})

/*
 * What a clock reading needs on both sides of smp_mb() to take part in the order: on x86 neither
 * rdtsc nor the barrier waits for the other, but lfence waits for both.
 */
#if defined(__x86_64__) || defined(__i386__)
#define proclife_clock_mb()                          \
	do {                                         \
		__builtin_ia32_lfence();             \
		smp_mb();                            \
	} while (0)
#elif defined(__aarch64__)
#define proclife_clock_mb()                                \
	do {                                               \
		__asm__ __volatile__("isb" ::: "memory");  \
		smp_mb();                                  \
	} while (0)
#else
#define proclife_clock_mb() smp_mb()
#endif

#endif
