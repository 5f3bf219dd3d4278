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
 * Pids that are looked at without a break. What is between two breaks is one read-side critical
 * section of RCU, which holds up the frees that the module is to measure: 63,000 instructions on
 * Linux 6.1, as bench-snapshot counts them.
 */
#define CHUNK 64

struct walk {
	struct proclife_record *records; /* CHUNK of them, to be copied */
	unsigned int filled;
	bool leaders;
	bool in_exec; /* the next one is not to be told yet */
	int next; /* the pid to look at next */
};

/*
 * The task to write of a pid: a thread group's leader, or another thread. On an exec by one that does
 * not lead, it leaves its pid and takes the leader's over. So the leaders come last: who has left its
 * pid before that was looked at is a leader by then, and who leaves later has been seen.
 */
static struct task_struct *task_wanted(struct pid *pid, struct walk *walk)
{
	struct task_struct *leader = pid_task(pid, PIDTYPE_TGID), *p;

	if (walk->leaders || leader)
		return walk->leaders ? leader : NULL;
	p = pid_task(pid, PIDTYPE_PID);
	/* A leader by everything but its pid: it is just being replaced, under a lock, in no time. */
	walk->in_exec = p && task_peek(p->exit_signal) >= 0;
	return p;
}

/* Looks at the next pids. Returns false behind the last one. */
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
		/* The time first: what the task does after it has a later record. */
		clock_take(&r->ts);
		r->type = PROCLIFE_TASK;
		r->cpu = task_cpu(p);
		proclife_record_state(r, p);
		walk->filled++;
	}
	rcu_read_unlock();
	return more;
}

/* Writes a record of each task while there is room, and counts them all. */
static long walk_tasks(struct walk *walk, struct proclife_snapshot *s)
{
	struct proclife_record __user *to = u64_to_user_ptr(s->records);
	bool more = true;

	s->count = 0;
	walk->next = 1;
	while (more) {
		u32 room = s->count < s->capacity ? s->capacity - s->count : 0;

		more = walk_chunk(walk);
		room = min(room, walk->filled);
		if (copy_to_user(to + s->count, walk->records, room * sizeof(*to)))
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
		 * cond_resched() is no quiescent state where RCU is preemptible, and the tick, which
		 * would report one, mostly finds the walk in a section: RCU would wait for all of it.
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
	if (s.reserved)
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
