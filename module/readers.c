// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who sleeps on a file is on that file's queue, and the file is among those that wait, each with the
 * sum of committed records at which it is ready. All of them share what the rings are asked for: a
 * call once the sum may have reached the nearest of these. Each such call, here a look, wakes the
 * files that are ready and asks anew for the rest.
 *
 * So that no number of readers costs the writers more than one does, the rings are asked at most once
 * a millisecond, and files are woken at most once a millisecond. What comes sooner is left to a timer.
 * How long a look takes grows with the files that wait and those who sleep on them, so a worker does
 * it: the interrupt of a writer's CPU, and the timer's, only call that.
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
	struct list_head node; /* in `waiting`, or by itself */
	struct wait_queue_head queue;
	u64 acked;
	u64 watermark;
	u64 target; /* while it waits: the sum that it waits for */
};

/* What a look is called for. */
#define CALLED_BY_RING 0
#define CALLED_BY_TIMER 1

static struct workqueue_struct *workers; /* the kernel's own have other names in newer kernels */
static unsigned long called;

/* Of all that follows, and of each reader but its queue. No interrupt takes it. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(waiting);
static struct hrtimer timer;
static bool timer_set;
static bool armed;     /* the rings will call before their sum reaches the next */
static u64 armed_for;
static u64 last_armed; /* CLOCK_MONOTONIC */
static u64 last_woken;

/* Looks again then, or sooner if a ring calls. */
static void look_at(u64 time)
{
	if (timer_set)
		return;
	timer_set = true;
	hrtimer_start(&timer, ns_to_ktime(time), HRTIMER_MODE_ABS_SOFT);
}

/* Moves the files whose target the sum has reached to @ready. Returns what the nearest other lacks. */
static s64 take_ready(u64 sum, struct list_head *ready)
{
	struct reader *reader, *next;
	s64 least = S64_MAX;

	list_for_each_entry_safe(reader, next, &waiting, node) {
		s64 missing = reader->target - sum;

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
		arm(now, sum, least); /* at once: what is committed before that makes it ask again */
	while (!list_empty(&ready)) {
		struct reader *reader = list_first_entry(&ready, struct reader, node);

		last_woken = now;
		list_del_init(&reader->node);
		/* Exclusive ones, too: each has its own idea of what to do with the file. */
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

/* What is called while the worker is at it is looked at once more: it is queued again. */
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
 * Has the file wait for what it wants by now, if anybody sleeps on it. Who is about to is on its
 * queue by now, or asks again once it is.
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
	/* If the rings have been asked for no more than this, or will be, they call soon enough. */
	if (!timer_set && !(armed && (s64)(reader->target - armed_for) >= 0))
		look();
}

static bool reached(const struct reader *reader)
{
	u64 target = READ_ONCE(reader->acked) + READ_ONCE(reader->watermark);

	/* Signed: who shares the file may have acknowledged more than is counted here. */
	return (s64)(proclife_rings_committed() - target) >= 0;
}

bool proclife_reader_ready(struct reader *reader)
{
	if (reached(reader))
		return true;
	/* Who only asks costs the others nothing. Who sleeps is on the queue when it asks. */
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
	/* Of threads that share the file and read at once, the later one counts. */
	if ((s64)(committed - reader->acked) > 0)
		WRITE_ONCE(reader->acked, committed);
	await(reader);
	spin_unlock(&lock);
}

void proclife_reader_set_watermark(struct reader *reader, u64 records)
{
	spin_lock(&lock);
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
	/* Nobody waits any more, so that the last look sets no timer. */
	hrtimer_cancel(&timer);
	destroy_workqueue(workers);
}
