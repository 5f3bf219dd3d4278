// SPDX-License-Identifier: GPL-2.0-only
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <proclife/abi.h>

#include "clock.h"
#include "record.h"
#include "snapshot.h"
#include "task.h"

/*
 * How many pids are looked at in one RCU read-side critical section. Each section delays the frees
 * that the module measures: by 63,000 instructions on Linux 6.1, as bench-snapshot counts them.
 */
#define CHUNK 64

struct walk {
	struct proclife_record *records; /* CHUNK of them, to be copied to the reader */
	unsigned int filled;
	bool leaders;
	bool in_exec; /* the next task is in the middle of an exec: try again */
	u64 ts; /* of the last record: this CPU's counter may be a tick behind the last CPU's */
	int next; /* the pid to look at next */
};

/*
 * The task to record for a pid: in the first pass other threads, in the second thread group
 * leaders. When a thread that is not the leader execs, it gives up its pid and takes over the
 * leader's. That is why the leaders come last: if the thread gave up its pid before the walk came
 * to it, it is a leader by the second pass; if later, it has been seen.
 */
static struct task_struct *task_wanted(struct pid *pid, struct walk *walk)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID), *p;

	if (walk->leaders || leader)
		return walk->leaders ? leader : NULL;
	p = pid_task(pid, PIDTYPE_PID);
	/* Only a leader has an exit_signal: an exec is just exchanging the pids, under a lock. */
	walk->in_exec = p && task_peek(p->exit_signal) >= 0;
	return p;
}

/* Looks at the next pids. Returns false after the last one. */
static bool walk_chunk(struct walk *walk)
{
	unsigned int looked;
	bool more = true;

	walk->filled = 0;
	walk->in_exec = false;
	rcu_read_lock();
	for (looked = 0; looked < CHUNK; looked++) {
		struct proclife_record *r = &walk->records[walk->filled];
		struct pid *pid = idr_get_next(&init_pid_ns.idr, &walk->next);
		struct task_struct *p;

		more = pid;
		if (!more)
			break;
		p = task_wanted(pid, walk);
		if (walk->in_exec)
			break;
		walk->next++;
		if (!p)
			continue;
		/* Take the time first: whatever the task does from now on has no earlier record. */
		walk->ts = max(walk->ts, proclife_clock_bound());
		r->ts = walk->ts;
		r->type = PROCLIFE_TASK;
		r->cpu = task_cpu(p);
		proclife_record_state(r, p);
		walk->filled++;
	}
	rcu_read_unlock();
	return more;
}

/* A reader that knows shorter records, or longer ones, gets them as far apart as it wants. */
static int copy_out(const struct walk *walk, u32 count, void __user *to, u32 stride)
{
	size_t size = min_t(size_t, stride, sizeof(*walk->records)), rest = stride - size;
	u32 i;

	if (!rest)
		return copy_to_user(to, walk->records, count * size) ? -EFAULT : 0;
	for (i = 0; i < count; i++, to += stride)
		if (copy_to_user(to, &walk->records[i], size) || clear_user(to + size, rest))
			return -EFAULT;
	return 0;
}

/* Writes a record of each task as long as there is room, and counts all tasks. */
static long walk_tasks(struct walk *walk, struct proclife_snapshot *s)
{
	void __user *to = u64_to_user_ptr(s->records);
	bool more = true;

	s->count = 0;
	walk->next = 1;
	while (more) {
		u32 room = s->count < s->capacity ? s->capacity - s->count : 0;

		more = walk_chunk(walk);
		room = min(room, walk->filled);
		if (copy_out(walk, room, to + (u64)s->count * s->record_bytes, s->record_bytes))
			return -EFAULT;
		s->count += walk->filled;
		if (!more && !walk->leaders) {
			walk->leaders = true;
			walk->next = 1;
			more = true;
		}
		if (fatal_signal_pending(current))
			return -EINTR;
		if (walk->in_exec)
			schedule_timeout_killable(1);
		/*
		 * With preemptible RCU, cond_resched() is no quiescent state. The tick would report
		 * one, but it mostly hits the walk in a critical section. So without schedule(), a
		 * grace period would wait for the whole walk.
		 */
		schedule();
	}
	return s->count > s->capacity ? -ENOSPC : 0;
}

long proclife_snapshot_take(void __user *arg)
{
	struct proclife_snapshot s;
	struct walk walk = {};
	long ret;

	if (copy_from_user(&s, arg, sizeof(s)))
		return -EFAULT;
	/* The shortest is that of this ABI, for good; the longest is arbitrary. */
	if (s.reserved || s.record_bytes < 128 || s.record_bytes > PAGE_SIZE || s.record_bytes % 8)
		return -EINVAL;

	walk.records = kmalloc_array(CHUNK, sizeof(*walk.records), GFP_KERNEL_ACCOUNT);
	if (!walk.records)
		return -ENOMEM;
	ret = walk_tasks(&walk, &s);
	kfree(walk.records);

	if (copy_to_user(arg, &s, sizeof(s)))
		return -EFAULT;
	return ret;
}
