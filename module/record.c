// SPDX-License-Identifier: GPL-2.0-only
/* All that proclife knows of struct task_struct. */
#include <linux/binfmts.h>
#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/mm_types.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <trace/events/signal.h>

#include <proclife/abi.h>

#include "compat.h"
#include "record.h"

/*
 * A field that may change at this moment, under a lock that nothing here may take: of another task,
 * or of this one by a thread of its process or by the scheduler on another CPU. What changes is one
 * word, of which any of its values is as true as the other.
 */
#define peek(field) data_race(READ_ONCE(field))

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
	data_race(memcpy(to, from, PROCLIFE_COMM_LEN));
	to[PROCLIFE_COMM_LEN - 1] = '\0';
}

static void record_head(struct proclife_record *r, struct task_struct *p)
{
	unsigned int pf = peek(p->flags);
	pid_t pid = peek(p->pid); /* the thread that execs takes its leader's, and the start */
	u32 flags = 0;

	if (pid != p->tgid)
		flags |= PROCLIFE_F_THREAD;
	if (pf & PF_KTHREAD)
		flags |= PROCLIFE_F_KTHREAD;
	if (pf & COMPAT_PF_WORKER)
		flags |= PROCLIFE_F_WORKER;

	r->flags = flags;
	r->task = handle(p);
	r->start = peek(p->start_boottime);
	r->pid = pid;
	r->tgid = p->tgid;
	copy_comm(r->comm, p->comm);
}

/* The pid that the task has in its own namespace, and that namespace's inode. */
static void record_ns_pid(struct task_struct *p, u32 *ns_pid, u32 *ns_inum)
{
	struct pid *pid = peek(p->thread_pid); /* NULL once the task is reaped */
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
	f->parent_pid = peek(parent->pid);
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

/* Copies what is in memory; the rest would need a page fault, and with it sleep. */
static unsigned int copy_present(char *to, unsigned long from, unsigned int len)
{
	unsigned int first = min_t(unsigned int, len, PAGE_SIZE - offset_in_page(from));

	if (copy_from_user_nofault(to, (void __user *)from, first))
		return 0;
	if (first < len &&
	    copy_from_user_nofault(to + first, (void __user *)(from + first), len - first))
		return first;
	return len;
}

bool record_args(struct proclife_record *r, unsigned int offset, unsigned int limit)
{
	struct proclife_args *a = &r->args;
	const struct mm_struct *mm = current->mm;
	unsigned long start = READ_ONCE(mm->arg_start), end = READ_ONCE(mm->arg_end);
	unsigned int len;

	record_head(r, current);
	/* Execve allows no more than fits here. */
	a->total = end > start ? end - start : 0;
	a->offset = offset;
	len = min3(limit, a->total, offset + PROCLIFE_ARGS_LEN) - offset;
	a->len = copy_present(a->text, start + offset, len);
	memset(a->text + a->len, 0, PROCLIFE_ARGS_LEN - a->len);
	offset += a->len;
	if (a->len < len || (offset == limit && offset < a->total)) {
		r->flags |= PROCLIFE_F_TRUNCATED;
		return false;
	}
	return offset < a->total;
}

void record_rename(struct proclife_record *r, struct task_struct *p, const char *name)
{
	record_head(r, p);
	/* Only a NUL-terminated string is promised, not PROCLIFE_COMM_LEN readable bytes. */
	memset(&r->rename, 0, sizeof(r->rename));
	memcpy(r->rename.name, name, strnlen(name, PROCLIFE_COMM_LEN - 1));
	/* Every exec renames: this is where who was moved after the fork is noticed. */
	rcu_read_lock();
	r->rename.cgroup = compat_task_cgroup_id(p);
	rcu_read_unlock();
}

void record_exit(struct proclife_record *r, struct task_struct *p, bool group_dead)
{
	struct proclife_exit *e = &r->exit;
	struct signal_struct *signal = p->signal;

	record_head(r, p);
	e->exit_code = p->exit_code;
	e->live = atomic_read(&signal->live);
	e->runtime = peek(p->se.sum_exec_runtime);
	e->utime = peek(p->utime);
	e->stime = peek(p->stime);
	e->min_flt = p->min_flt;
	e->nvcsw = p->nvcsw;
	e->nivcsw = p->nivcsw;
	e->maj_flt = min_t(unsigned long, p->maj_flt, U32_MAX);
	e->max_rss = 0;
	if (group_dead) {
		r->flags |= PROCLIFE_F_GROUP_DEAD;
		/* In pages; it has been brought up to date only when the group is dead. */
		e->max_rss = (u64)peek(signal->maxrss) << (PAGE_SHIFT - 10);
		/*
		 * The thread that gets here last may have begun to exit by itself before the others
		 * were told to. No lock: each thread has made its mark here before it counted itself
		 * out of signal->live.
		 */
		if (peek(signal->flags) & SIGNAL_GROUP_EXIT) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = peek(signal->group_exit_code);
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
	rcu_read_lock();
	e->cgroup = compat_task_cgroup_id(p);
	rcu_read_unlock();
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

bool record_wants_signal(struct task_struct *p, int signo, int result)
{
	const struct sighand_struct *sighand;

	if (signo == SIGCHLD)
		return true;
	if (result == TRACE_SIGNAL_IGNORED ||
	    siginmask(signo, SIG_KERNEL_IGNORE_MASK | SIG_KERNEL_STOP_MASK))
		return false;
	sighand = rcu_dereference_protected(p->sighand, true); /* the siglock holds it */
	return sighand->action[signo - 1].sa.sa_handler == SIG_DFL;
}

void record_signal(struct proclife_record *r, struct task_struct *p, int signo,
		   const struct kernel_siginfo *info, bool to_group, int result)
{
	struct proclife_signal *s = &r->signal;

	BUILD_BUG_ON(TRACE_SIGNAL_DELIVERED != PROCLIFE_SIGNAL_QUEUED);
	BUILD_BUG_ON(TRACE_SIGNAL_IGNORED != PROCLIFE_SIGNAL_IGNORED);
	BUILD_BUG_ON(TRACE_SIGNAL_ALREADY_PENDING != PROCLIFE_SIGNAL_PENDING);
	BUILD_BUG_ON(TRACE_SIGNAL_OVERFLOW_FAIL != PROCLIFE_SIGNAL_NO_ROOM);
	BUILD_BUG_ON(TRACE_SIGNAL_LOSE_INFO != PROCLIFE_SIGNAL_NO_INFO);

	record_head(r, p);
	memset(s, 0, sizeof(*s));
	/* An interrupt, such as a timer's, runs on top of a task that has nothing to do with it. */
	if (in_task()) {
		s->sender = handle(current);
		s->sender_pid = current->pid;
		s->sender_tgid = current->tgid;
		copy_comm(s->sender_comm, current->comm);
	}
	s->signo = signo;
	if (info == SEND_SIG_NOINFO)
		s->code = SI_USER;
	else if (info == SEND_SIG_PRIV)
		s->code = SI_KERNEL;
	else
		s->code = info->si_code;
	s->result = result;
	s->to_group = to_group;
}

void record_state(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_state *s = &r->state;
	struct task_struct *parent = rcu_dereference(p->real_parent);

	record_head(r, p);
	if (peek(p->exit_state))
		r->flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	else if (peek(p->flags) & PF_EXITING)
		r->flags |= PROCLIFE_F_EXITING;
	s->parent = handle(parent);
	s->parent_tgid = parent->tgid;
	s->group = handle(p->signal);
	s->cgroup = compat_task_cgroup_id(p);
	s->runtime = peek(p->se.sum_exec_runtime);
	s->utime = peek(p->utime);
	s->stime = peek(p->stime);
	s->uid = __kuid_val(__task_cred(p)->uid);
	record_ns_pid(p, &s->ns_pid, &s->ns_inum);
	s->exit_code = peek(p->exit_code);
	s->reserved = 0;
}
