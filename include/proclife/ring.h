/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note OR MIT */
/*
 * The broadcast ring, both sides. This file is compiled into the module and into user space, so
 * that the code that the kernel runs is the code that the stress test runs.
 *
 *   writer (its CPU only, irqs off)          reader (any number, anywhere)
 *
 *     store reserve = pos + 1      (W1)        load-acquire commit          (R1)
 *     full barrier                 (W2)        copy records [mine, commit)  (R2)
 *     take the time, fill the slot (W3)        acquire fence                (R3)
 *     store-release commit         (W4)        load reserve                 (R4)
 *
 *   poller (about to sleep)                  reader that wants the horizon
 *
 *     load-acquire commit, once    (P0)        take the time                (H1)
 *     lower wake_at                (P1)        full barrier                 (H2)
 *     full barrier                 (P2)        load-acquire reserve         (H3)
 *     load reserve                 (P3)        load-acquire commit          (H4)
 *
 * R1 pairs with W4: a record below commit is complete.
 * R3 pairs with W2: if R2 read anything that the writer of position p wrote, R4 sees a reserve
 *	above p; so what R2 read is valid for positions at or above reserve - size.
 * H2 pairs with W2: if H3 did not see the W1 of a position, that position takes its time after H1.
 *	So does each position above the commit that H4 sees, since W2 orders the W4 before it, too.
 *	So if commit == reserve, every record of this ring from before H1, now or later, lies below
 *	that commit. If reserve is ahead, by one or two, one more record may be from before H1: the
 *	one at that commit.
 * W3 and H1 read one clock, which never goes back on any CPU: the module's clock_take(), which a
 *	reader calls by PROCLIFE_IOC_CLOCK. It is a line over the CPUs' counters, with parameters
 *	that the kernel changes now and then. If W3 comes after H1 and both use the same parameters,
 *	W3 gives no earlier time than H1. If H1 used new parameters, they had been written, and W3
 *	sees them too, since H2 and W2 come in between. If H1 used old ones and W3 new ones, W3 is
 *	at or above the floor, which is above all times that the old ones gave (module/clock.c).
 *
 *	The vDSO's clock_gettime(2) is another clock: it uses new parameters earlier than the module
 *	does. If the rate rises by d, a record can get a time below such an H1, by d times how long
 *	the kernel takes for the change. That is some ns; 100 us if NTP slews by 500 ppm and the
 *	hypervisor stops the CPU for 200 ms in the middle of it; more if adjtimex(2) sets the tick.
 *	And in a time namespace it is off by the offset of that namespace.
 * P2 pairs with W2: either the poller sees the reservation, or the writer sees wake_at.
 * P0 is one load: the poller adds it to the sum over the rings, and P1 counts from it. If P1 used a
 *	later commit, a record between the two would be missing in the sum, yet delay the wake-up.
 *
 * The counter is no memory. So barriers have to order it in three places:
 *	W1 and the W4 before it come before the counter is read for W3.
 *	The counter is read for H1 before H3.
 *	The counter is read while the parameters hold that it is used with (module/clock.c).
 *
 * x86-64: W2 is xchg, which is complete only when W1 is visible. rdtsc_ordered(), which is lfence and
 *	rdtsc, or rdtscp, comes after what is before it (Intel SDM, volume 2, LFENCE, RDTSC and
 *	RDTSCP; volume 3, Memory Ordering). In H2, lfence waits for rdtsc.
 * arm64: W2 is dmb ish, and the counter is not ordered by it. But clock_take() goes on with a load
 *	of a sequence count and a branch on it, and the kernel's clock with isb and mrs CNTVCT_EL0.
 *	The load comes after W1, and the counter is read after the load: what the manual shows with
 *	DMB, load, branch and ISB (Arm ARM, DDI 0487, The Generic Timer in AArch64 state). With
 *	FEAT_ECV the kernel reads CNTVCTSS_EL0 and has no isb: that is not read before the branch is
 *	decided (CNTVCTSS_EL0, Configuration). For H1, the kernel stores the time, which depends on
 *	the counter, and the reader loads it. H2 is dmb ish, which orders that store and that load
 *	before H3 (B2.3, Dependency-ordered-before and Barrier-ordered-before).
 * riscv64: a reading of time is a device input to FENCE (Unprivileged ISA, Zicsr, "CSR Access
 *	Ordering"), so W2 is fence rw,irw and H2 has an i too. The kernel has no fences around
 *	rdtime: it expects a trap, and not all machines trap. So module/clock.c has them. The
 *	counters of two CPUs may be a tick apart (Zicntr): PROCLIFE_IOC_CLOCK gives a tick less.
 *
 * What the manuals do not say: that no CPU's counter is behind when H3 has missed W1. Arm has a
 *	uniform view of time: the receiver of a message reads no earlier counter than its sender had (The
 *	Generic Timer, The system counter). H3 gets none. We take it that counters agree with the
 *	order in which memory is observed. On x86, the kernel gives the TSC up if it sees them disagree.
 *
 * tests/litmus checks each of these with the kernel's memory model and those of arm64 and riscv64,
 * and what breaks them.
 *
 * Every partner of W2 belongs to a reader. So while no reader has the rings, the writer leaves W2 out.
 * Before the first one reads, somebody sets is_read of each ring (O1), and then waits until each CPU has been
 * interrupted (O2). A writer that missed O1 had interrupts off before that interrupt, which comes after
 * its W4; one that begins later sees O1. So all that was written without W2 is complete, and visible,
 * before the first reader's first access, and no poller asks before. The module's O2 is
 * kick_all_cpus_sync(): see proclife_rings_get().
 *
 * Positions are compared by difference; they would need centuries to wrap.
 */
#ifndef PROCLIFE_RING_H
#define PROCLIFE_RING_H

#include <proclife/abi.h>
#include <proclife/barrier.h>

/* A control page as this version writes it. A reader finds the counts where the header says. */
struct proclife_ring_page {
	struct proclife_ring_ctl ctl;
	__u64 counts[PROCLIFE_TYPES];
	__u64 suppressed[PROCLIFE_TYPES];
};

/* The writer's side of one ring; user space sees only what page and records point at. */
struct proclife_ring {
	struct proclife_ring_page *page;
	struct proclife_record *records;
	__u64 mask;    /* size - 1; the size is a power of two */
	__u64 pos;     /* the next position to write; equal to ctl.commit between two writes */
	__u64 wake_at; /* a poller sleeps until commit reaches it; far ahead if no reader sleeps */
	__u64 is_read; /* 0: no reader has it */
};

/* Further ahead than any ring gets, but still positive as a signed difference. */
#define PROCLIFE_RING_NEVER (1ULL << 62)

/**
 * proclife_ring_reserve - claim the next slot
 * @ring: a ring of this CPU
 *
 * The caller has made sure that nothing else can write this ring until proclife_ring_commit(), and
 * takes the record's time stamp after this returns.
 *
 * Return: the slot, with its old contents.
 */
static inline struct proclife_record *proclife_ring_reserve(struct proclife_ring *ring)
{
	__u64 pos = ring->pos; /* plain: written only here and in commit, on this CPU */

	if (proclife_read_plain(ring->is_read))
		proclife_store_mb(ring->page->ctl.reserve, pos + 1); /* W1 and W2; pairs with R3, H2 and P2 */
	else
		proclife_write_once(ring->page->ctl.reserve, pos + 1); /* W1, before O2 */
	return &ring->records[pos & ring->mask];
}

/**
 * proclife_ring_commit - publish the slot that was reserved last
 * @ring: a ring of this CPU
 * @type: the record's, for the counts
 *
 * Return: non-zero if a poller waits for this position. The caller then calls
 * proclife_ring_disarm() first, and wakes the pollers after that.
 */
static inline int proclife_ring_commit(struct proclife_ring *ring, unsigned int type)
{
	struct proclife_ring_page *page = ring->page;
	__u64 pos = ring->pos + 1;

	ring->pos = pos;
	/*
	 * Only this CPU writes counts. W4 publishes this one, too, but it can be seen a moment before that.
	 */
	proclife_increment(page->counts[type]);
	proclife_store_release(&page->ctl.commit, pos); /* W4, pairs with R1 and H4 */
	/* After W2, which pairs with P2. */
	return (__s64)(pos - proclife_read_plain(ring->wake_at)) >= 0;
}

/**
 * proclife_ring_disarm - take back the wake-up that proclife_ring_commit() reported
 * @ring: a ring of this CPU
 *
 * This may undo a poller's proclife_ring_arm() that came in between. That is safe: a poller is
 * registered for wake-ups before it arms, so the wake-up that the caller owes reaches it, too.
 */
static inline void proclife_ring_disarm(struct proclife_ring *ring)
{
	proclife_write_once(ring->wake_at, ring->pos + PROCLIFE_RING_NEVER);
}

/**
 * proclife_ring_arm - ask for a wake-up once a position is committed
 * @ring: any ring
 * @pos: commit has to reach this
 *
 * The caller is registered for wake-ups already. Return: reserve as seen after arming. If that has
 * reached @pos, the wake-up may never come, and none is needed.
 */
static inline __u64 proclife_ring_arm(struct proclife_ring *ring, __u64 pos)
{
	__u64 old = proclife_read_once(ring->wake_at);

	while ((__s64)(pos - old) < 0) { /* P1: never put off what another poller asked for */
		__u64 seen = proclife_cmpxchg(&ring->wake_at, old, pos);

		if (seen == old)
			break;
		old = seen;
	}
	proclife_mb(); /* P2, pairs with W2 */
	return proclife_read_once(ring->page->ctl.reserve); /* P3 */
}

/**
 * proclife_ring_committed - where a reader may read up to
 * @ctl: any ring's
 *
 * Return: the position below which all records are complete.
 */
static inline __u64 proclife_ring_committed(const struct proclife_ring_ctl *ctl)
{
	return proclife_load_acquire(&ctl->commit); /* R1, pairs with W4 */
}

/* A ring in a set that a reader waits for: the wait is for records in all of them together. */
struct proclife_watched {
	struct proclife_ring *ring;
	__u64 commit; /* as proclife_ring_sum() found it */
};

/**
 * proclife_ring_sum - how many records the rings have committed together
 * @all: the rings; one caller at a time for this and proclife_ring_arm_all()
 * @count: how many there are
 *
 * Return: the sum of what @all has from now on for each ring.
 */
static inline __u64 proclife_ring_sum(struct proclife_watched *all, unsigned int count)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < count; i++) {
		all[i].commit = proclife_ring_committed(&all[i].ring->page->ctl); /* P0 */
		sum += all[i].commit;
	}
	return sum;
}

/**
 * proclife_ring_arm_all - ask for a wake-up before the rings have many more records together
 * @all: as proclife_ring_sum() left it
 * @count: how many rings there are
 * @more: records beyond that sum; at least 1
 *
 * Each ring wakes once it has committed its share. Until one has, each has at most share - 1
 * records more than in the sum, so all together have fewer than @more, however the records are
 * spread and whenever they came. If one ring commits its share early, the woken poller finds too
 * few records and asks for the rest.
 *
 * Return: non-zero if the wake-up will come. Zero if a ring had reserved its share already: its
 * writer may not have seen the wake_at, so the caller counts again, now or a little later.
 */
static inline int proclife_ring_arm_all(struct proclife_watched *all, unsigned int count, __u64 more)
{
	__u64 share = (more + count - 1) / count;
	unsigned int i;

	for (i = 0; i < count; i++) {
		__u64 pos = all[i].commit + share;

		if ((__s64)(proclife_ring_arm(all[i].ring, pos) - pos) >= 0)
			return 0;
	}
	return 1;
}

/**
 * proclife_ring_oldest - which of the records that were just copied are whole
 * @ctl: any ring's
 * @size: records in the ring
 *
 * Return: the oldest position that had not begun to be overwritten when the copy ended.
 */
static inline __u64 proclife_ring_oldest(const struct proclife_ring_ctl *ctl, __u64 size)
{
	__u64 reserve;

	proclife_rmb(); /* R3, pairs with W2 */
	reserve = proclife_read_once(ctl->reserve); /* R4 */
	return reserve > size ? reserve - size : 0;
}

/**
 * proclife_ring_settled - are all records from before the reader's clock reading complete?
 * @ctl: any ring's
 * @commit: set to the position below which all records are complete
 *
 * The caller has taken the time and then executed a full barrier (H1, H2; pairs with W2).
 *
 * Return: non-zero if every record from before that time lies below @commit; zero if a write is in
 * flight, whose time stamp is only known to be at or above the time of the record before @commit.
 */
static inline int proclife_ring_settled(const struct proclife_ring_ctl *ctl, __u64 *commit)
{
	__u64 reserve = proclife_load_acquire(&ctl->reserve); /* H3 */

	*commit = proclife_load_acquire(&ctl->commit); /* H4, pairs with W4 */
	return (__s64)(*commit - reserve) >= 0;
}

#endif
