// SPDX-License-Identifier: GPL-2.0-only
/*
 * What emitted compares the tests in assembly with: the ring's steps as the compiler makes them, in
 * the kernel, in a BPF program and in user space. EMITTED_BROKEN leaves the barriers out.
 */
#ifdef __bpf__
#include <linux/types.h> /* before libbpf's headers */
#endif
#include <proclife/barrier.h>

#ifdef EMITTED_BROKEN
#undef proclife_store_mb
#undef proclife_rmb
#undef proclife_clock_mb
#define proclife_store_mb(x, value) proclife_write_once(x, value)
#define proclife_rmb() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define proclife_clock_mb() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#endif

#ifdef __KERNEL__
#include "rings.h"

#ifdef CONFIG_ARM64
#include <asm/arch_timer.h>
#else
#include <asm/timex.h>
#endif

void emitted_writer(struct proclife_ring *ring);
u64 emitted_counter(void);

void emitted_writer(struct proclife_ring *ring)
{
	struct proclife_record *r;

	ring->is_read = 1;
	r = proclife_ring_reserve(ring);
	clock_take(&r->ts);
	r->task = 1;
	proclife_ring_commit(ring, 1);
}

/* What ktime_get_ns() and the clocksource's read() call in the end. */
u64 emitted_counter(void)
{
#ifdef CONFIG_ARM64
	return __arch_counter_get_cntvct();
#else
	return get_cycles64();
#endif
}

#elif defined(__bpf__)
#ifdef EMITTED_BROKEN
#undef proclife_store_release
#define proclife_store_release(p, value) proclife_write_once(*(p), value)
#endif
#include "rings.h"

void emitted_writer(struct slot *slot);

void emitted_writer(struct slot *slot)
{
	struct proclife_record *r = slot_begin(slot, 1);

	r->task = 1;
	slot_end(slot, 1);
}

#else /* user space */
#include <proclife/ring.h>

__u64 emitted_reader(const struct proclife_ring_ctl *ctl, const struct proclife_record *from,
		     __u64 *to);
int emitted_horizon(const struct proclife_ring_ctl *ctl, __u64 *commit, __u64 *time);
void emitted_ioctl(__u64 *time);

__u64 emitted_reader(const struct proclife_ring_ctl *ctl, const struct proclife_record *from,
		     __u64 *to)
{
	*to = from[proclife_ring_committed(ctl)].ts;
	return proclife_ring_oldest(ctl, 64);
}

int emitted_horizon(const struct proclife_ring_ctl *ctl, __u64 *commit, __u64 *time)
{
	__u64 now;

	emitted_ioctl(&now);
	*time = now;
	proclife_clock_mb();
	return proclife_ring_settled(ctl, commit);
}
#endif
