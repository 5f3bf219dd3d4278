// SPDX-License-Identifier: GPL-2.0-only
/* All that proclife knows of struct task_struct. */
#include <linux/binfmts.h>
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>

#include <proclife/abi.h>

#include "compat.h"
#include "record.h"

static u64 handle_keys[4] __ro_after_init;

void record_init(void)
{
	get_random_bytes(handle_keys, sizeof(handle_keys));
	handle_keys[1] |= 1;
	handle_keys[2] |= 1;
}

/*
 * An address of a live object as a handle: each step is a bijection on 64-bit words (the factors
 * are odd), so different objects have different handles, and the keys are secret, so that a handle
 * does not tell the address.
 */
static u64 handle(const void *object)
{
	u64 x = (unsigned long)object ^ handle_keys[0];

	x *= handle_keys[1];
	x ^= x >> 32;
	x *= handle_keys[2];
	x ^= x >> 29;
	return x + handle_keys[3];
}

static void copy_comm(char to[PROCLIFE_COMM_LEN], const char *from)
{
	/* No lock: a rename at this moment can tear the name, which costs nobody more than that. */
	BUILD_BUG_ON(TASK_COMM_LEN != PROCLIFE_COMM_LEN);
	memcpy(to, from, PROCLIFE_COMM_LEN);
	to[PROCLIFE_COMM_LEN - 1] = '\0';
}

static void record_head(struct proclife_record *r, struct task_struct *p)
{
	unsigned int pf = READ_ONCE(p->flags);
	u32 flags = 0;

	if (p->pid != p->tgid)
		flags |= PROCLIFE_F_THREAD;
	if (pf & PF_KTHREAD)
		flags |= PROCLIFE_F_KTHREAD;
	if (pf & COMPAT_PF_WORKER)
		flags |= PROCLIFE_F_WORKER;

	r->flags = flags;
	r->task = handle(p);
	r->start = p->start_boottime;
	r->pid = p->pid;
	r->tgid = p->tgid;
	copy_comm(r->comm, p->comm);
}

/* The pid that the task has in its own namespace, and that namespace's inode. */
static void record_ns_pid(struct task_struct *p, u32 *ns_pid, u32 *ns_inum)
{
	struct pid *pid = task_pid(p); /* NULL once the task is reaped */
	struct upid *own;

	*ns_pid = 0;
	*ns_inum = 0;
	if (!pid)
		return;
	own = &pid->numbers[pid->level];
	*ns_pid = own->nr;
	*ns_inum = own->ns->ns.inum;
}

void record_fork(struct proclife_record *r, struct task_struct *child)
{
	struct proclife_fork *f = &r->fork;
	struct task_struct *parent;

	record_head(r, child);
	rcu_read_lock();
	/* Not always current: CLONE_PARENT and CLONE_THREAD share the creator's parent. */
	parent = rcu_dereference(child->real_parent);
	f->parent = handle(parent);
	f->parent_pid = parent->pid;
	f->parent_tgid = parent->tgid;
	f->group = handle(child->signal);
	f->creator = handle(current);
	f->creator_pid = current->pid;
	f->creator_tgid = current->tgid;
	f->cgroup = compat_task_cgroup_id(child);
	f->uid = __kuid_val(__task_cred(child)->uid);
	record_ns_pid(child, &f->ns_pid, &f->ns_inum);
	rcu_read_unlock();
	f->reserved0 = 0;
	f->reserved1 = 0;
}

void record_exec(struct proclife_record *r, struct task_struct *p, pid_t old_pid,
		 const struct linux_binprm *bprm)
{
	struct proclife_exec *e = &r->exec;
	const char *path = bprm->filename;
	size_t len = strlen(path);
	size_t tail = min_t(size_t, len, PROCLIFE_PATH_LEN);

	record_head(r, p);
	e->group = handle(p->signal);
	e->old_pid = old_pid;
	rcu_read_lock();
	e->uid = __kuid_val(__task_cred(p)->uid);
	e->euid = __kuid_val(__task_cred(p)->euid);
	rcu_read_unlock();
	e->path_len = len;
	if (tail < len)
		r->flags |= PROCLIFE_F_TRUNCATED;
	memcpy(e->path, path + len - tail, tail);
	memset(e->path + tail, 0, PROCLIFE_PATH_LEN - tail);
}

void record_rename(struct proclife_record *r, struct task_struct *p, const char *name)
{
	record_head(r, p);
	/* Only a NUL-terminated string is promised, not PROCLIFE_COMM_LEN readable bytes. */
	memset(&r->rename, 0, sizeof(r->rename));
	memcpy(r->rename.name, name, strnlen(name, PROCLIFE_COMM_LEN - 1));
}

void record_exit(struct proclife_record *r, struct task_struct *p, bool group_dead)
{
	struct proclife_exit *e = &r->exit;
	struct signal_struct *signal = p->signal;

	record_head(r, p);
	e->exit_code = p->exit_code;
	e->live = atomic_read(&signal->live);
	e->runtime = p->se.sum_exec_runtime;
	e->utime = p->utime;
	e->stime = p->stime;
	e->min_flt = p->min_flt;
	e->nvcsw = p->nvcsw;
	e->nivcsw = p->nivcsw;
	e->maj_flt = min_t(unsigned long, p->maj_flt, U32_MAX);
	e->max_rss = 0;
	if (group_dead) {
		r->flags |= PROCLIFE_F_GROUP_DEAD;
		/* In pages; it has been brought up to date only when the group is dead. */
		e->max_rss = (u64)signal->maxrss << (PAGE_SHIFT - 10);
		/*
		 * The thread that gets here last may have begun to exit by itself before the others
		 * were told to. No lock: each thread has made its mark here before it counted itself
		 * out of signal->live.
		 */
		if (READ_ONCE(signal->flags) & SIGNAL_GROUP_EXIT) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = signal->group_exit_code;
		}
	}
	rcu_read_lock();
	e->parent_tgid = rcu_dereference(p->real_parent)->tgid;
	rcu_read_unlock();
}

void record_reap(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_reap *e = &r->reap;

	record_head(r, p);
	e->reaper = handle(current);
	e->reaper_group = handle(current->signal);
	e->reaper_pid = current->pid;
	e->reaper_tgid = current->tgid;
	copy_comm(e->reaper_comm, current->comm);
	memset(e->reserved, 0, sizeof(e->reserved));
}

/*
 * The task's parents and group leader may be gone by now, so nothing here follows a pointer. It has
 * been switched away from for the last time: these are its final CPU times.
 */
void record_free(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_free *e = &r->free;

	record_head(r, p);
	e->runtime = p->se.sum_exec_runtime;
	e->utime = p->utime;
	e->stime = p->stime;
	memset(e->reserved, 0, sizeof(e->reserved));
}

void record_wait(struct proclife_record *r, struct pid *pid)
{
	record_head(r, current);
	memset(&r->wait, 0, sizeof(r->wait));
	r->wait.wanted = pid_nr(pid);
}

void record_hang(struct proclife_record *r, struct task_struct *p)
{
	record_head(r, p);
	memset(r->words, 0, sizeof(r->words));
}

void record_state(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_state *s = &r->state;
	struct task_struct *parent = rcu_dereference(p->real_parent);

	record_head(r, p);
	if (READ_ONCE(p->exit_state))
		r->flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	else if (READ_ONCE(p->flags) & PF_EXITING)
		r->flags |= PROCLIFE_F_EXITING;
	s->parent = handle(parent);
	s->parent_tgid = parent->tgid;
	s->group = handle(p->signal);
	s->cgroup = compat_task_cgroup_id(p);
	s->runtime = p->se.sum_exec_runtime;
	s->utime = p->utime;
	s->stime = p->stime;
	s->uid = __kuid_val(__task_cred(p)->uid);
	record_ns_pid(p, &s->ns_pid, &s->ns_inum);
	s->exit_code = p->exit_code;
	s->reserved = 0;
}
