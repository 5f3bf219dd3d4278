/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a record says about a task. Each function writes all of a slot except ts, type and cpu,
 * which the caller has set. Those that run for every life are inline: a call would be a tenth of
 * their cost.
 */
#ifndef PROCLIFE_RECORD_H
#define PROCLIFE_RECORD_H

#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/refcount.h>
#include <linux/signal.h>
#include <trace/events/signal.h>

#include "task.h"

struct cgroup;
struct linux_binprm;

/* All of these, except proclife_record_state(), need interrupts off. */
void proclife_record_exec(struct proclife_record *r, struct task_struct *p, pid_t old_pid,
			  const struct linux_binprm *bprm);
/*
 * Records the piece at @offset of current's argument vector, and of the whole at most @limit bytes.
 * Returns whether another piece follows.
 */
bool proclife_record_args(struct proclife_record *r, unsigned int offset, unsigned int limit);
/* Copies what is in memory of these bytes of current's. Returns how many that are. */
unsigned int proclife_copy_present(char *to, unsigned long from, unsigned int len);
void proclife_record_rename(struct proclife_record *r, struct task_struct *p, const char *name);
void proclife_record_hang(struct proclife_record *r, struct task_struct *p);
/* PROCLIFE_WAIT_*: what current waits for. */
u32 proclife_record_wait_what(const struct pid *pid);
void proclife_record_coredump(struct proclife_record *r, struct task_struct *p, int signo);
/* current has asked for memory that is not there: what proclife_record_oom() says of that. */
struct oom_control;
void proclife_record_out_of_memory(const struct oom_control *oc);
void proclife_record_oom(struct proclife_record *r, struct task_struct *victim);
/*
 * current has failed to do @what. The path is in its memory; 0: none, or it is not there any more. @by_fd:
 * one that is empty is no path, but a descriptor is executed.
 */
void proclife_record_fail(struct proclife_record *r, u32 what, u32 error, u32 limit, unsigned long path,
			  bool by_fd);
void proclife_record_cgroup(struct proclife_record *r, struct cgroup *cgroup, bool populated);
/* The caller has held rcu_read_lock() since it found the task. */
void proclife_record_state(struct proclife_record *r, struct task_struct *p);

/* Clears words one by one: for this few, memset() or a string instruction costs more. */
static __always_inline void record_reserve(u64 *words, unsigned int n)
{
	unsigned int i;

#pragma GCC unroll 9
	for (i = 0; i < n; i++)
		WRITE_ONCE(words[i], 0);
}

static __always_inline void record_fork(struct proclife_record *r, struct task_struct *child,
					compat_clone_flags clone_flags)
{
	struct proclife_fork *f = &r->fork;
	/* Not always current: CLONE_PARENT and CLONE_THREAD share the creator's parent. */
	struct task_struct *parent = task_deref(child->real_parent), *creator = current;

	take_head(r, child);
	if ((clone_flags & (CLONE_VM | CLONE_THREAD)) == CLONE_VM)
		r->flags |= PROCLIFE_F_SHARES;
	f->parent = take_handle(parent);
	f->parent_pid = task_peek(parent->pid);
	f->parent_tgid = parent->tgid;
	f->group = take_handle_of_group(child->signal);
	f->creator = likely(creator == parent) ? f->parent : take_handle(creator);
	f->creator_pid = creator->pid;
	f->creator_tgid = creator->tgid;
	f->cgroup = take_cgroup(child);
	f->uid = take_uid(child);
	take_ns_pid(child, &f->ns_pid, &f->ns_inum);
	f->reserved0 = 0;
	f->reserved1 = 0;
}

/* The task is current. */
static __always_inline void record_birth(struct proclife_record *r, struct task_struct *p, u32 what)
{
	take_head(r, p);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	r->birth.what = what;
}

/* The task is current. */
static __always_inline void record_times(struct proclife_record *r, struct task_struct *p, u32 what)
{
	struct proclife_times *t = &r->times;

	take_head(r, p);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	t->runtime = task_peek(p->se.sum_exec_runtime);
	t->delay = compat_run_delay(p);
	t->nvcsw = task_peek(p->nvcsw);
	t->nivcsw = task_peek(p->nivcsw);
	t->read_bytes = compat_read_bytes(p);
	t->write_bytes = compat_write_bytes(p);
	t->what = what;
}

/* A thread leaves what it has used to its group. That it has run can lack its last tick. */
static __always_inline bool record_had_no_thread(const struct signal_struct *signal)
{
	return !(task_peek(signal->sum_sched_runtime) | task_peek(signal->nvcsw) |
		 task_peek(signal->nivcsw) | task_peek(signal->min_flt) | task_peek(signal->maj_flt));
}

/* The task is current, at the beginning of do_exit(@code). */
static __always_inline void record_exiting(struct proclife_record *r, struct task_struct *p, long code)
{
	struct proclife_exiting *e = &r->exiting;
	struct task_struct *parent;
	struct mm_struct *mm;

	e->exit_code = code; /* first: until then, it takes a register */
	take_head(r, p);
	parent = task_deref(p->real_parent);
	e->parent = take_handle(parent);
	e->parent_tgid = parent->tgid;
	e->tracer = 0;
	e->tracer_tgid = 0;
	if (unlikely(task_peek(p->ptrace))) {
		struct task_struct *tracer = task_deref(p->parent);

		e->tracer = take_handle(tracer);
		e->tracer_tgid = tracer->tgid;
	}
	e->cgroup = take_cgroup(p);
	/*
	 * The task that ends the group sets these before it kills the others. A task that exits by itself at
	 * that moment can see the flag before the code.
	 */
	if (task_peek(p->signal->flags) & COMPAT_SIGNAL_GROUP_EXIT) {
		int group = task_peek(p->signal->group_exit_code);

		if (likely(group || !e->exit_code)) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = group;
		}
	}
	if (thread_group_empty(p) && record_had_no_thread(p->signal))
		r->flags |= PROCLIFE_F_SOLE;
	mm = p->flags & PF_KTHREAD ? NULL : p->mm;
	if (likely(mm)) {
		e->mm = take_handle_of_mm(mm);
		e->mm_users = atomic_read(&mm->mm_users);
		take_rss(mm, &e->rss_anon);
	} else {
		record_reserve(&e->mm, 1);
		record_reserve(&e->rss_anon, 3);
		e->mm_users = 0;
	}
}

static __always_inline void record_space(struct proclife_mm *m, struct mm_struct *mm, u32 what, u32 users)
{
	m->mm = take_handle_of_mm(mm);
	m->what = what;
	m->users = users;
	if (what == PROCLIFE_MM_GONE) {
		record_reserve(&m->rss_anon, 6);
	} else {
		take_rss(mm, &m->rss_anon);
		m->swap = take_kib(mm, MM_SWAPENTS);
		m->tables = mm_pgtables_bytes(mm) / 1024;
		m->peak = take_peak(mm, m->rss_anon + m->rss_file + m->rss_shmem);
	}
	m->reserved = 0;
}

/* The task is current. */
static __always_inline void record_mm(struct proclife_record *r, struct task_struct *p,
				      struct mm_struct *mm, u32 what, u32 users)
{
	take_head(r, p);
	if (p->in_execve)
		r->flags |= PROCLIFE_F_EXECING;
	record_space(&r->mm, mm, what, users);
}

/* An interrupt does it, so the head names no task. */
static __always_inline void record_mm_of_interrupt(struct proclife_record *r, struct mm_struct *mm,
						   u32 what)
{
	*r = (struct proclife_record){ .ts = r->ts, .type = r->type, .cpu = r->cpu };
	record_space(&r->mm, mm, what, 0);
}

static __always_inline void record_exit(struct proclife_record *r, struct task_struct *p,
					bool group_dead)
{
	struct proclife_exit *e = &r->exit;
	struct signal_struct *signal = p->signal;

	take_head(r, p);
	e->exit_code = p->exit_code;
	e->live = atomic_read(&signal->live);
	e->runtime = task_peek(p->se.sum_exec_runtime);
	e->utime = task_peek(p->utime);
	e->stime = task_peek(p->stime);
	e->min_flt = p->min_flt;
	e->nvcsw = p->nvcsw;
	e->nivcsw = p->nivcsw;
	e->maj_flt = min_t(unsigned long, p->maj_flt, U32_MAX);
	e->max_rss = 0;
	if (group_dead) {
		struct mm_struct *mm = p->flags & PF_KTHREAD ? NULL : p->mm;

		r->flags |= PROCLIFE_F_GROUP_DEAD;
		if (mm) {
			u64 now[3];

			take_rss(mm, now);
			r->flags |= PROCLIFE_F_PEAK;
			e->max_rss = take_peak(mm, now[0] + now[1] + now[2]);
		} else {
			/* In pages; it has been brought up to date only when the group is dead. */
			e->max_rss = (u64)task_peek(signal->maxrss) << (PAGE_SHIFT - 10);
		}
		/*
		 * The thread that gets here last may have begun to exit by itself, before another
		 * one ended the group. No lock is needed: a thread sets these before it decrements
		 * signal->live.
		 */
		if (task_peek(signal->flags) & SIGNAL_GROUP_EXIT) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = task_peek(signal->group_exit_code);
		}
	}
	e->parent_tgid = task_deref(p->real_parent)->tgid;
}

static __always_inline void record_reap(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_reap *e = &r->reap;
	struct task_struct *reaper = current;
	const struct cred *cred;

	take_head(r, p);
	e->reaper = take_handle(reaper);
	e->reaper_group = take_handle_of_group(reaper->signal);
	e->reaper_pid = reaper->pid;
	e->reaper_tgid = reaper->tgid;
	take_comm(e->reaper_comm, reaper->comm);
	e->cgroup = take_cgroup(p);
	take_group_comm(e->reaper_group_comm, reaper);
	cred = task_deref(p->real_cred);
	e->uid = __kuid_val(cred->uid);
	e->euid = __kuid_val(cred->euid);
	r->flags |= PROCLIFE_F_USER;
}

/*
 * The task's parent and thread group leader may be gone by now, so nothing here follows a pointer.
 * The task has been switched out for the last time: these are its final CPU times.
 */
static __always_inline void record_free(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_free *e = &r->free;
	struct task_struct *runner = current;

	take_head(r, p);
	e->runtime = p->se.sum_exec_runtime;
	e->utime = p->utime;
	e->stime = p->stime;
	if (!task_acts())
		r->flags |= PROCLIFE_F_SOFTIRQ;
	r->flags |= COMPAT_HAS_IO ? PROCLIFE_F_IO : 0;
	e->runner = take_handle(runner);
	e->runner_pid = runner->pid;
	e->users = refcount_read(&p->usage) - 1; /* one is the caller's */
	take_comm(e->runner_comm, runner->comm);
	e->read_bytes = compat_read_bytes(p);
	e->write_bytes = compat_write_bytes(p);
}

/* As prepare_signal() and what follows decide it in a moment, but without the siglock. */
static __always_inline int record_result(struct task_struct *receiver, int signo)
{
	const struct sighand_struct *sighand = task_deref(receiver->sighand);
	bool blocked = data_race(sigismember(&receiver->blocked, signo)) ||
		       data_race(sigismember(&receiver->real_blocked, signo));
	__sighandler_t handler = task_peek(sighand->action[signo - 1].sa.sa_handler);
	unsigned int flags = task_peek(receiver->signal->flags);

	/* It is ending: what older kernels still queue is never taken. */
	if (flags & COMPAT_SIGNAL_GROUP_EXIT)
		return PROCLIFE_SIGNAL_IGNORED;
	if (flags & SIGNAL_UNKILLABLE && handler == SIG_DFL)
		return PROCLIFE_SIGNAL_IGNORED;
	if (!blocked && !task_peek(receiver->ptrace) &&
	    (handler == SIG_IGN || (handler == SIG_DFL && sig_kernel_ignore(signo))))
		return PROCLIFE_SIGNAL_IGNORED;
	if (signo < SIGRTMIN && data_race(sigismember(&receiver->signal->shared_pending.signal, signo)))
		return PROCLIFE_SIGNAL_PENDING;
	return PROCLIFE_SIGNAL_QUEUED;
}

/*
 * At the beginning of do_notify_parent(@p, @signo), which has the tasklist_lock: so the parent, or
 * tracer, has not been released. This is in the order in which that decides what it sends.
 */
static __always_inline void record_notify(struct proclife_record *r, struct task_struct *p, int signo)
{
	struct proclife_notify *n = &r->notify;
	struct task_struct *receiver = task_deref(p->parent), *parent = task_deref(p->real_parent);
	const struct k_sigaction *action;
	u32 autoreap = 0;

	take_head(r, p);
	n->receiver = take_handle(receiver);
	n->receiver_group = take_handle_of_group(receiver->signal);
	n->receiver_pid = receiver->pid;
	n->receiver_tgid = receiver->tgid;
	take_comm(n->receiver_comm, receiver->comm);
	n->parent_tgid = parent->tgid;
	take_group_comm(n->receiver_group_comm, receiver);
	if (likely(thread_group_leader(p) && thread_group_empty(p)))
		r->flags |= PROCLIFE_F_GROUP_DEAD;
	/* Its parent has execed since, or it has itself: that may not get any signal. */
	if (unlikely(signo != SIGCHLD) && p->parent_exec_id != READ_ONCE(receiver->self_exec_id))
		signo = SIGCHLD;
	if (unlikely(p->ptrace)) {
		if (receiver->signal != parent->signal)
			r->flags |= PROCLIFE_F_TRACER;
	} else if (compat_is_autoreaped(p)) {
		autoreap = PROCLIFE_AUTOREAP_CLONE;
		signo = 0;
	} else if (signo == SIGCHLD) {
		action = &task_deref(receiver->sighand)->action[SIGCHLD - 1];
		if (task_peek(action->sa.sa_handler) == SIG_IGN) {
			autoreap = PROCLIFE_AUTOREAP_IGNORED;
			signo = 0;
		} else if (task_peek(action->sa.sa_flags) & SA_NOCLDWAIT) {
			autoreap = PROCLIFE_AUTOREAP_NOCLDWAIT;
		}
	}
	n->autoreap = autoreap;
	if (unlikely(autoreap))
		r->flags |= PROCLIFE_F_AUTOREAP;
	if (unlikely(!valid_signal(signo)))
		signo = 0;
	n->signo = signo;
	n->result = signo ? record_result(receiver, signo) : 0;
}

static __always_inline void record_wait(struct proclife_record *r, struct pid *pid)
{
	take_head(r, current);
	r->wait.wanted = pid_nr(pid);
	r->wait.what = proclife_record_wait_what(pid);
	record_reserve(r->wait.reserved, ARRAY_SIZE(r->wait.reserved));
}

/* Can it terminate the task? The caller holds the task's siglock. */
static __always_inline bool record_wants_signal(struct task_struct *p, int signo, int result)
{
	const struct sighand_struct *sighand;

	if (result == TRACE_SIGNAL_IGNORED ||
	    siginmask(signo, SIG_KERNEL_IGNORE_MASK | SIG_KERNEL_STOP_MASK))
		return false;
	sighand = rcu_dereference_protected(p->sighand, true); /* the siglock holds it */
	return sighand->action[signo - 1].sa.sa_handler == SIG_DFL;
}

/* This many threads are looked at: this is with interrupts off, and can be under tasklist_lock. */
#define RECORD_MOST_BLOCKING 64

/* One in sigtimedwait(2) takes it, too, and does not die of it. */
static __always_inline bool record_blocks(struct task_struct *p, int signo)
{
	return sigismember(&p->blocked, signo) || sigismember(&p->real_blocked, signo);
}

/* Do all tasks that may take it block it? The caller holds the siglock, so no thread comes or goes. */
static __always_inline bool record_is_blocked(struct task_struct *p, int signo, bool to_group)
{
	unsigned int left = RECORD_MOST_BLOCKING;
	struct task_struct *thread;

	if (!to_group)
		return record_blocks(p, signo);
	for_each_thread(p, thread) {
		if (!(task_peek(thread->flags) & PF_EXITING) && !record_blocks(thread, signo))
			return false;
		if (!--left)
			break;
	}
	return true;
}

/* For a sender that exits: does its whole process exit? */
static __always_inline u16 record_exit_flags(struct task_struct *p)
{
	const struct signal_struct *signal = p->signal;
	bool dead = !atomic_read(&signal->live) || task_peek(signal->flags) & COMPAT_SIGNAL_GROUP_EXIT;

	return PROCLIFE_F_EXITING | (dead ? PROCLIFE_F_GROUP_DEAD : 0);
}

/* Is current about to lose its files, and more? Then a hangup is of its own terminal. */
static __always_inline bool record_is_hangup(struct task_struct *p)
{
	struct task_struct *sender = current;

	if (!(sender->flags & PF_EXITING) || sender->nsproxy)
		return true;
	/* It closes a terminal's other side; or it leaves stopped jobs of its session behind. */
	return task_session(p) != task_session(sender);
}

/* Why the kernel itself sends a signal. The caller holds the target's siglock, and current is the sender. */
static __always_inline u32 record_cause(struct task_struct *p, int signo, const struct kernel_siginfo *info)
{
	bool exits = current->flags & PF_EXITING;

	if (info == SEND_SIG_NOINFO) /* no task can call kill(2) any more */
		return exits && signo == task_peek(p->pdeath_signal) ? PROCLIFE_CAUSE_PARENT : 0;
	if (info != SEND_SIG_PRIV)
		return 0;
	switch (signo) {
	case SIGKILL:
		if (!exits)
			return 0;
		if (task_peek(p->ptrace) & PT_EXITKILL && task_deref(p->parent) == current)
			return PROCLIFE_CAUSE_TRACER;
		return is_child_reaper(task_tgid(current)) ? PROCLIFE_CAUSE_NAMESPACE : 0;
	case SIGINT:
	case SIGQUIT:
		if (p == current) /* bpf_send_signal(); the terminal's driver is a kernel thread's */
			return 0;
		return p->signal->tty ? PROCLIFE_CAUSE_TERMINAL : 0;
	case SIGHUP:
		return record_is_hangup(p) ? PROCLIFE_CAUSE_TERMINAL : 0;
	default:
		return 0;
	}
}

static __always_inline void record_signal(struct proclife_record *r, struct task_struct *p, int signo,
					  const struct kernel_siginfo *info, bool to_group,
					  int result, bool blocked)
{
	struct proclife_signal *s = &r->signal;

	BUILD_BUG_ON(TRACE_SIGNAL_DELIVERED != PROCLIFE_SIGNAL_QUEUED);
	BUILD_BUG_ON(TRACE_SIGNAL_IGNORED != PROCLIFE_SIGNAL_IGNORED);
	BUILD_BUG_ON(TRACE_SIGNAL_ALREADY_PENDING != PROCLIFE_SIGNAL_PENDING);
	BUILD_BUG_ON(TRACE_SIGNAL_OVERFLOW_FAIL != PROCLIFE_SIGNAL_NO_ROOM);
	BUILD_BUG_ON(TRACE_SIGNAL_LOSE_INFO != PROCLIFE_SIGNAL_NO_INFO);

	take_head(r, p);
	if (unlikely(!atomic_read(&p->signal->live)))
		r->flags |= PROCLIFE_F_GROUP_DEAD;
	if (likely(task_acts())) { /* otherwise an interrupt, such as a timer's */
		struct task_struct *sender = current;

		s->sender = take_handle(sender);
		s->sender_pid = sender->pid;
		s->sender_tgid = sender->tgid;
		take_comm(s->sender_comm, sender->comm);
		take_group_comm(s->sender_group_comm, sender);
		s->cause = record_cause(p, signo, info);
		s->sender_flags = take_kind(sender);
		if (sender->flags & PF_EXITING)
			s->sender_flags |= record_exit_flags(sender);
	} else {
		record_reserve(r->words, offsetof(struct proclife_signal, signo) / sizeof(u64));
		memset(s->sender_group_comm, 0, PROCLIFE_COMM_LEN);
		s->cause = 0;
		s->sender_flags = 0;
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
	s->blocked = blocked;
}

#endif
