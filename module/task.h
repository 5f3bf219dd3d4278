/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fields of a task are read. The caller is in an RCU read-side critical section; interrupts off
 * are one, too. All inline: each is a few instructions, and a record needs many of them.
 */
#ifndef PROCLIFE_TASK_H
#define PROCLIFE_TASK_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include <proclife/abi.h>

#include "compat.h"
#include "handle.h"

/*
 * A field that may change at this moment, under a lock that must not be taken here: a field of
 * another task, or one of this task that a thread of its process, or the scheduler on another CPU,
 * changes. It is one word, and both its old and its new value are correct.
 */
#define task_peek(field) data_race(READ_ONCE(field))

/* Dereferences an RCU pointer. rcu_read_lock() would be a call; interrupts are off anyway. */
#define task_deref(pointer) rcu_dereference_check(pointer, rcu_read_lock_sched_held())

/*
 * Does current do what is being recorded? Otherwise an interrupt does, which has nothing to do with the task
 * that it interrupted: then the record names no task, or says that it is such a one. Each record that names
 * current asks this, except where the kernel's function sleeps, which no interrupt calls: fork, exec, exit,
 * reap, wait, a core dump, the teardown of an address space, the OOM killer's choice of a victim; and the
 * first thing that a task does.
 */
static __always_inline bool task_acts(void)
{
	return in_task();
}

static __always_inline void take_comm(char to[PROCLIFE_COMM_LEN], const char *from)
{
	/*
	 * No lock: a rename at this moment can tear the name, which does no other harm. A kernel may have
	 * longer names, which are cut.
	 */
	BUILD_BUG_ON(sizeof_field(struct task_struct, comm) < PROCLIFE_COMM_LEN);
	data_race(memcpy(to, from, PROCLIFE_COMM_LEN));
	to[PROCLIFE_COMM_LEN - 1] = '\0';
}

/*
 * The name of the process of current, or of a task that the tasklist_lock keeps. A thread that has been
 * released can have outlived its leader.
 */
static __always_inline void take_group_comm(char to[PROCLIFE_COMM_LEN], struct task_struct *p)
{
	if (unlikely(p->pid != p->tgid)) {
		if (!task_peek(p->thread_pid)) {
			memset(to, 0, PROCLIFE_COMM_LEN);
			return;
		}
		p = p->group_leader;
	}
	take_comm(to, p->comm);
}

static __always_inline u32 take_uid(struct task_struct *p)
{
	return __kuid_val(task_deref(p->real_cred)->uid);
}

static __always_inline u64 take_cgroup(struct task_struct *p)
{
#if COMPAT_HAS_CGROUPS
	return cgroup_id(task_deref(p->cgroups)->dfl_cgrp);
#else
	return 0;
#endif
}

/* The pid that the task has in its own namespace, and that namespace's inode. */
static __always_inline void take_ns_pid(struct task_struct *p, u32 *ns_pid, u32 *ns_inum)
{
	struct pid *pid = task_peek(p->thread_pid); /* NULL once the task is reaped */
	struct upid *own;

	if (!pid) {
		*ns_pid = 0;
		*ns_inum = 0;
		return;
	}
	own = &pid->numbers[pid->level];
	*ns_pid = own->nr;
	*ns_inum = own->ns->ns.inum;
}

static __always_inline u64 take_kib(struct mm_struct *mm, int counter)
{
	return (u64)get_mm_counter(mm, counter) << (PAGE_SHIFT - 10);
}

/* What the address space has in memory: anonymous, of files, shared. No lock: see rss_error. */
static __always_inline void take_rss(struct mm_struct *mm, u64 kib[3])
{
	kib[0] = take_kib(mm, MM_ANONPAGES);
	kib[1] = take_kib(mm, MM_FILEPAGES);
	kib[2] = take_kib(mm, MM_SHMEMPAGES);
}

/* KiB that it had in memory at most; @now: that it has. As get_mm_hiwater_rss(), without counting again. */
static __always_inline u64 take_peak(const struct mm_struct *mm, u64 now)
{
	return max((u64)task_peek(mm->hiwater_rss) << (PAGE_SHIFT - 10), now);
}

/* What kind of task it is. */
static __always_inline u32 take_kind(struct task_struct *p)
{
	unsigned int pf = task_peek(p->flags);

	if (likely(!(pf & (PF_KTHREAD | COMPAT_PF_WORKER))))
		return 0;
	return (pf & PF_KTHREAD ? PROCLIFE_F_KTHREAD : 0) | (pf & COMPAT_PF_WORKER ? PROCLIFE_F_WORKER : 0);
}

/* All of a record's head except ts, type and cpu. */
static __always_inline void take_head_as(struct proclife_record *r, struct task_struct *p, u64 handle)
{
	u32 flags = take_kind(p);
	pid_t pid, tgid;

	r->task = handle;
	pid = task_peek(p->pid); /* an exec by a thread changes its pid and start */
	tgid = p->tgid;
	/* One by one: the compiler would put both into one register first, which takes it longer. */
	WRITE_ONCE(r->pid, pid);
	WRITE_ONCE(r->tgid, tgid);
	if (pid != tgid)
		flags |= PROCLIFE_F_THREAD;
	r->flags = flags;
	r->start = task_peek(p->start_boottime);
	take_comm(r->comm, p->comm);
}

static __always_inline void take_head(struct proclife_record *r, struct task_struct *p)
{
	take_head_as(r, p, take_handle(p));
}

#endif
