/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * Ordered accesses under one name for both sides: the kernel's own in the kernel, the compiler's
 * C11 atomics in user space. This header defines only names that begin with proclife_ or PROCLIFE_.
 */
#ifndef PROCLIFE_BARRIER_H
#define PROCLIFE_BARRIER_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <asm/barrier.h>

#define proclife_read_once(x) READ_ONCE(x)
/* For a word that is compared with one other: on x86, the comparison reads it. It is aligned, so not torn. */
#define proclife_read_plain(x) data_race(x)
#define proclife_write_once(x, value) WRITE_ONCE(x, value)
#define proclife_load_acquire(p) smp_load_acquire(p)
#define proclife_store_release(p, value) smp_store_release(p, value)
#define proclife_rmb() smp_rmb()
#define proclife_mb() smp_mb()
#define proclife_cmpxchg(p, old, new) cmpxchg(p, old, new)
/* For a word with no other writer. Plain, it is one instruction on x86; it is aligned, so not torn. */
#define proclife_increment(x) data_race((x)++)

/*
 * proclife_store_mb(): a store and a full barrier, after which clock_take() reads the counter (W1, W2;
 *	pairs with H2).
 * proclife_clock_rmb(): orders loads and readings of the counter before each other. In
 *	proclife_clock_ask(); pairs with mb() in set_floor().
 */
#ifdef __riscv
/* The counter is a device input, i: RISC-V Unprivileged ISA, Zicsr, "CSR Access Ordering". */
#define proclife_store_mb(x, value)					\
	do {								\
		WRITE_ONCE(x, value);					\
		__asm__ __volatile__("fence rw, irw" : : : "memory");	\
	} while (0)
#define proclife_clock_rmb() __asm__ __volatile__("fence ir, ir" : : : "memory")
#else
/* x86 and arm64: rdtsc_ordered() or the kernel's clock has what these lack. See ring.h. */
#define proclife_store_mb(x, value) smp_store_mb(x, value)
#define proclife_clock_rmb() barrier()
#endif

#elif defined(__bpf__)

/*
 * A BPF program is a writer only. Its exchanges are full barriers, whatever the JIT makes of them: see
 * proclife/bpf.h. It has no weaker order: a store-release is new in Linux 6.15, and needs a newer compiler
 * than Debian 12 has. The plain accesses are for what no program calls, and for words that only this
 * program writes.
 */
#define proclife_read_once(x) (x)
#define proclife_read_plain(x) (x)
#define proclife_write_once(x, value) ((x) = (value))
#define proclife_load_acquire(p) (*(p))
#define proclife_store_release(p, value) ((void)__sync_lock_test_and_set(p, value))
#define proclife_rmb() do { } while (0)
#define proclife_mb() do { } while (0)
#define proclife_store_mb(x, value) ((void)__sync_lock_test_and_set(&(x), value))
#define proclife_cmpxchg(p, old, new) __sync_val_compare_and_swap(p, old, new)
#define proclife_increment(x) ((x)++)

#else

#define proclife_read_once(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define proclife_read_plain(x) proclife_read_once(x)
#define proclife_write_once(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)
#define proclife_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define proclife_store_release(p, value) __atomic_store_n((p), (value), __ATOMIC_RELEASE)
#define proclife_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define proclife_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define proclife_store_mb(x, value)		\
	do {					\
		proclife_write_once(x, value);	\
		proclife_mb();			\
	} while (0)
#define proclife_cmpxchg(p, old, new)								\
	({											\
		__typeof__(*(p)) proclife_old = (old);						\
		__atomic_compare_exchange_n((p), &proclife_old, (new), 0, __ATOMIC_SEQ_CST,	\
					    __ATOMIC_SEQ_CST);					\
		proclife_old;									\
	})

#define proclife_increment(x) proclife_write_once(x, proclife_read_once(x) + 1)

/*
 * H2, pairs with W2: a full barrier between a reading of the clock and the loads after it. The time has
 * come through memory, as from ioctl(2) and clock_gettime(2): on arm64, that is all that orders it. On
 * x86, lfence waits for rdtsc; on riscv64, the counter is a device input. The manuals: see ring.h.
 */
#if defined(__x86_64__) || defined(__i386__)
/* No builtin: a compiler for i386 refuses it without SSE2, which each CPU has that runs the module. */
#define proclife_clock_mb()					\
	do {							\
		__asm__ __volatile__("lfence" : : : "memory");	\
		proclife_mb();					\
	} while (0)
#elif defined(__riscv)
#define proclife_clock_mb() __asm__ __volatile__("fence irw, rw" : : : "memory")
#else
#define proclife_clock_mb() proclife_mb()
#endif

#endif /* __KERNEL__ */

#endif
