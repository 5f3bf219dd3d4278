// SPDX-License-Identifier: GPL-2.0-only
/*
 * A reader that sleeps on a file is in that file's wait queue. The file is in the list `waiting`,
 * with its target: the sum of committed records at which it is ready. All files share one wake-up
 * of the rings, armed for the nearest target. When it comes, a worker takes a look: it wakes the
 * files that are ready and arms the rings again for the rest.
 *
 * A file can be for records of some types only. The rings do not know that: they call when they have as
 * many records as the file lacks, of whatever types, and the look finds out that it is too early. So
 * writers pay nothing for it, and while other records come, a look each millisecond is all that happens.
 *
 * Many readers must not cost the writers more than one does. So the rings are armed at most once a
 * millisecond, and files are woken at most once a millisecond. A timer does what would come sooner.
 * A look takes longer the more files wait and the more readers sleep on them, so a worker does it.
 * The interrupt of a writer's CPU and the timer only queue that worker.
 *
 * While a file waits, one of two things brings the next look, or both do:
 *
 *               a millisecond since last_armed
 *     look() ------------------------------------> armed: before armed_for, the rings call
 *       ^  |                                         |
 *       |  | less, or since last_woken, or           | CALLED_BY_RING
 *       |  | the sum has just passed it              |
 *       |  +---------------> timer_set: it calls     |
 *       |                       | CALLED_BY_TIMER    |
 *       +------ work() <--------+--------------------+
 *
 * work() takes `armed` or `timer_set` back, as what called says.
 */
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "readers.h"
#include "rings.h"

#define PERIOD NSEC_PER_MSEC

struct reader {
	struct list_head node; /* in `waiting`, or empty */
	struct wait_queue_head queue;
	u64 acked;
	u64 watermark;
	u64 types; /* PROCLIFE_HAS() of those that count in the other three; 0: all */
	u64 target; /* while it is in `waiting`: the sum that it waits for */
};

/* What asked for a look. */
#define CALLED_BY_RING 0
#define CALLED_BY_TIMER 1

static struct workqueue_struct *workers; /* the kernel's own have other names in newer kernels */
static unsigned long called;

/* Protects all that follows, and each reader except its queue. No interrupt takes it. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(waiting);
static struct hrtimer timer;
static bool timer_set;
static bool armed;     /* the rings will call before their sum reaches armed_for */
static u64 armed_for;
static u64 last_armed; /* CLOCK_MONOTONIC */
static u64 last_woken;

/* Has the timer call for a look at this time; a ring may call sooner. */
static void look_at(u64 time)
{
	if (timer_set)
		return;
	timer_set = true;
	hrtimer_start(&timer, ns_to_ktime(time), HRTIMER_MODE_ABS_SOFT);
}

static u64 count_of(u64 types, const struct rings_counts *counts)
{
	unsigned int type;
	u64 sum = 0;

	for (type = 0; type < PROCLIFE_TYPES; type++)
		if (types & PROCLIFE_HAS(type))
			sum += counts->types[type];
	return sum;
}

/* How many committed records of these types there are, at least: what was just being written is left out. */
static u64 committed_of(u64 types)
{
	struct rings_counts counts;

	proclife_rings_count(&counts);
	return count_of(types, &counts) - counts.open;
}

/* How many records of its types are missing up to the target; 0 or less: it is ready. */
static s64 missing_of_types(const struct reader *reader, const struct rings_counts *counts)
{
	s64 missing = reader->target - count_of(reader->types, counts);

	if (missing + (s64)counts->open <= 0)
		return 0;
	return max_t(s64, missing, 1);
}

/* Moves files that are ready to @ready. Returns how many records the nearest other one lacks. */
static s64 take_ready(u64 sum, struct list_head *ready)
{
	struct rings_counts counts;
	struct reader *reader, *next;
	s64 least = S64_MAX;
	bool counted = false;

	list_for_each_entry_safe(reader, next, &waiting, node) {
		s64 missing = reader->target - sum;

		if (reader->types) {
			/*
			 * After the sum: so as many records of whatever types are missing from there, or
			 * more.
			 */
			if (!counted)
				proclife_rings_count(&counts);
			counted = true;
			missing = missing_of_types(reader, &counts);
		}
		if (missing <= 0)
			list_move_tail(&reader->node, ready);
		else
			least = min(least, missing);
	}
	return least;
}

static void arm(u64 now, u64 sum, u64 more)
{
	if (armed && (s64)(sum + more - armed_for) >= 0)
		return;
	if (now - last_armed < PERIOD) {
		look_at(last_armed + PERIOD);
		return;
	}
	last_armed = now;
	armed_for = sum + more;
	armed = proclife_rings_arm(more);
	if (!armed)
		look_at(now + PERIOD);
}

static void look(void)
{
	u64 now = ktime_get_ns(), sum;
	LIST_HEAD(ready);
	s64 least;

	lockdep_assert_held(&lock);
	if (list_empty(&waiting))
		return;
	if (now - last_woken < PERIOD) {
		look_at(last_woken + PERIOD);
		return;
	}
	sum = proclife_rings_sum();
	least = take_ready(sum, &ready);
	if (!list_empty(&waiting))
		arm(now, sum, least); /* first: records since the sum can make it retry */
	while (!list_empty(&ready)) {
		struct reader *reader = list_first_entry(&ready, struct reader, node);

		last_woken = now;
		list_del_init(&reader->node);
		/* Wakes exclusive waiters, too: each may want something else from the file. */
		__wake_up(&reader->queue, TASK_NORMAL, 0, poll_to_key(EPOLLIN | EPOLLRDNORM));
	}
}

static void work(struct work_struct *unused)
{
	spin_lock(&lock);
	if (test_and_clear_bit(CALLED_BY_RING, &called))
		armed = false;
	if (test_and_clear_bit(CALLED_BY_TIMER, &called))
		timer_set = false;
	look();
	spin_unlock(&lock);
}
static DECLARE_WORK(look_work, work);

/* A call while the worker runs queues it again, so nothing is missed. */
static void call(unsigned int by)
{
	set_bit(by, &called);
	queue_work(workers, &look_work);
}

void proclife_readers_wake(void)
{
	call(CALLED_BY_RING);
}

static enum hrtimer_restart timer_expired(struct hrtimer *unused)
{
	call(CALLED_BY_TIMER);
	return HRTIMER_NORESTART;
}

/*
 * Puts the file into `waiting` with its present target, if a task sleeps on it. A reader that is
 * about to sleep is in the queue already, or calls this again once it is.
 */
static void await(struct reader *reader)
{
	lockdep_assert_held(&lock);
	if (!waitqueue_active(&reader->queue)) {
		list_del_init(&reader->node);
		return;
	}
	reader->target = reader->acked + reader->watermark;
	if (list_empty(&reader->node))
		list_add_tail(&reader->node, &waiting);
	/*
	 * The timer is set, or the rings are armed for no more than this: that is soon enough. Of a target
	 * in records of some types, that is not known.
	 */
	if (!timer_set && (reader->types || !(armed && (s64)(reader->target - armed_for) >= 0)))
		look();
}

static bool reached(const struct reader *reader)
{
	u64 target = READ_ONCE(reader->acked) + READ_ONCE(reader->watermark);
	u64 types = READ_ONCE(reader->types);
	u64 sum = types ? committed_of(types) : proclife_rings_committed();

	/* Signed: another thread may have acknowledged more, by this file, than is counted here. */
	return (s64)(sum - target) >= 0;
}

bool proclife_reader_ready(struct reader *reader)
{
	if (reached(reader))
		return true;
	/* A reader that only asks costs the others nothing. One that sleeps is in the queue. */
	if (!waitqueue_active(&reader->queue))
		return false;
	spin_lock(&lock);
	await(reader);
	spin_unlock(&lock);
	return reached(reader);
}

void proclife_reader_acknowledge(struct reader *reader, u64 committed)
{
	spin_lock(&lock);
	/* The caller reads the rings after this, so that it finds them all. */
	if (reader->types)
		committed = committed_of(reader->types);
	/* Threads that share the file can read at once: the highest sum counts. */
	if ((s64)(committed - reader->acked) > 0)
		WRITE_ONCE(reader->acked, committed);
	await(reader);
	spin_unlock(&lock);
}

void proclife_reader_set_watermark(struct reader *reader, u64 records, u64 types)
{
	spin_lock(&lock);
	if (types != reader->types) { /* what was acknowledged was counted in another way */
		WRITE_ONCE(reader->types, types);
		WRITE_ONCE(reader->acked, types ? committed_of(types) : proclife_rings_committed());
	}
	WRITE_ONCE(reader->watermark, records);
	await(reader);
	spin_unlock(&lock);
}

struct wait_queue_head *proclife_reader_queue(struct reader *reader)
{
	return &reader->queue;
}

struct reader *proclife_reader_new(void)
{
	struct reader *reader = kmalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);

	if (!reader)
		return NULL;
	INIT_LIST_HEAD(&reader->node);
	init_waitqueue_head(&reader->queue);
	reader->acked = proclife_rings_committed();
	reader->watermark = 1;
	reader->types = 0;
	return reader;
}

void proclife_reader_free(struct reader *reader)
{
	spin_lock(&lock);
	list_del_init(&reader->node);
	spin_unlock(&lock);
	kfree(reader);
}

int proclife_readers_init(void)
{
	workers = alloc_workqueue("proclife", WQ_UNBOUND, 1);
	if (!workers)
		return -ENOMEM;
	compat_hrtimer_setup(&timer, timer_expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	return 0;
}

void proclife_readers_exit(void)
{
	/* No reader waits any more, so the last look sets no timer. */
	hrtimer_cancel(&timer);
	destroy_workqueue(workers);
}
