/* SPDX-License-Identifier: GPL-2.0-only */
/* What a record says about a signal, and about the notice that a process has died: see record.h. */
#ifndef PROCLIFE_BPF_SIGNALS_H
#define PROCLIFE_BPF_SIGNALS_H

#include "record.h"

#define PT_EXITKILL (1u << 20 << 3) /* PTRACE_O_EXITKILL << PT_OPT_FLAG_SHIFT */
#define SIGNAL_UNKILLABLE 0x00000040u

enum { PIDTYPE_PID, PIDTYPE_TGID, PIDTYPE_PGID, PIDTYPE_SID };

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGSEGV 11
#define SIGCHLD 17
#define SIGRTMIN 32
#define SIG_BIT(signo) (1ULL << ((signo) - 1))
#define SIGNALS_IGNORED (SIG_BIT(17) | SIG_BIT(18) | SIG_BIT(23) | SIG_BIT(28)) /* CHLD, CONT, URG, WINCH */
#define SIGNALS_STOPPING (SIG_BIT(19) | SIG_BIT(20) | SIG_BIT(21) | SIG_BIT(22)) /* STOP, TSTP, TTIN, TTOU */
#define SIG_IGNORES ((void *)1)
#define SA_NOCLDWAIT 2u
#define SEND_SIG_NOINFO 0
#define SEND_SIG_PRIV 1

/* What the process does with a signal from 1 to 64. The number is not constant, so the verifier allows no plain way. */
static __always_inline void take_action(struct sigaction *action, struct task_struct *p, int signo)
{
	unsigned long its;

	if (signo == SIGCHLD) { /* of nearly all: a constant way, without calls */
		action->sa_handler = p->sighand->action[SIGCHLD - 1].sa.sa_handler;
		action->sa_flags = p->sighand->action[SIGCHLD - 1].sa.sa_flags;
		return;
	}
	its = read_pointer(&p->sighand) + bpf_core_field_offset(struct sighand_struct, action) +
			    (unsigned int)(signo - 1) * bpf_core_type_size(struct k_sigaction);

	action->sa_handler = (void *)read_pointer((void *)its + bpf_core_field_offset(struct sigaction, sa_handler));
	action->sa_flags = read_pointer((void *)its + bpf_core_field_offset(struct sigaction, sa_flags));
}

/* As module/record.h has it: what becomes of the signal, as seen just before. */
static __always_inline int signal_result(struct task_struct *receiver, int signo, void *handler)
{
	struct signal_struct *signal = receiver->signal;
	__u64 bit = 1ULL << ((signo - 1) & 63);
	bool blocked = (receiver->blocked.sig[0] | receiver->real_blocked.sig[0]) & bit;

	if (signal->flags & GROUP_EXITS)
		return PROCLIFE_SIGNAL_IGNORED;
	if (signal->flags & SIGNAL_UNKILLABLE && !handler)
		return PROCLIFE_SIGNAL_IGNORED;
	if (!blocked && !receiver->ptrace && (handler == SIG_IGNORES || (!handler && bit & SIGNALS_IGNORED)))
		return PROCLIFE_SIGNAL_IGNORED;
	if (signo < SIGRTMIN && signal->shared_pending.signal.sig[0] & bit)
		return PROCLIFE_SIGNAL_PENDING;
	return PROCLIFE_SIGNAL_QUEUED;
}

static __always_inline bool is_autoreaped(struct task_struct *p)
{
	struct signal_struct___autoreap *signal = (void *)p->signal;

	return bpf_core_field_exists(signal->autoreap) && BPF_CORE_READ_BITFIELD_PROBED(signal, autoreap);
}

/* At the beginning of do_notify_parent(), which has the tasklist_lock. In the order in which it decides. */
static __always_inline void record_notify(struct proclife_record *r, struct task_struct *p, int signo)
{
	struct task_struct *receiver = p->parent, *parent = p->real_parent;
	struct proclife_notify *n = &r->notify;
	struct sigaction action = {};
	__u32 autoreap = 0;

	take_head(r, p);
	n->receiver = take_handle(receiver);
	n->receiver_group = take_handle(receiver->signal);
	n->receiver_pid = receiver->pid;
	n->receiver_tgid = receiver->tgid;
	take_comm(n->receiver_comm, receiver);
	n->parent_tgid = parent->tgid;
	take_group_comm(n->receiver_group_comm, receiver);
	if (p->pid == p->tgid && p->signal->nr_threads == 1)
		r->flags |= PROCLIFE_F_GROUP_DEAD;
	/* Its parent has execed since, or it has itself: that may not get any signal. */
	if (signo != SIGCHLD && p->parent_exec_id != receiver->self_exec_id)
		signo = SIGCHLD;
	if (signo < 1 || signo > 64)
		signo = 0;
	else
		take_action(&action, receiver, signo);
	if (p->ptrace) {
		if (receiver->signal != parent->signal)
			r->flags |= PROCLIFE_F_TRACER;
	} else if (is_autoreaped(p)) {
		autoreap = PROCLIFE_AUTOREAP_CLONE;
		signo = 0;
	} else if (signo == SIGCHLD) {
		if (action.sa_handler == SIG_IGNORES) {
			autoreap = PROCLIFE_AUTOREAP_IGNORED;
			signo = 0;
		} else if (action.sa_flags & SA_NOCLDWAIT) {
			autoreap = PROCLIFE_AUTOREAP_NOCLDWAIT;
		}
	}
	n->autoreap = autoreap;
	if (autoreap)
		r->flags |= PROCLIFE_F_AUTOREAP;
	n->signo = signo;
	n->result = signo ? signal_result(receiver, signo, action.sa_handler) : 0;
}

/* Of a sender that exits: does its whole process? */
static __always_inline __u16 exit_flags(struct task_struct *p)
{
	bool dead = !p->signal->live.counter || p->signal->flags & GROUP_EXITS;

	return PROCLIFE_F_EXITING | (dead ? PROCLIFE_F_GROUP_DEAD : 0);
}

static __always_inline bool is_hangup(struct task_struct *p)
{
	struct task_struct *sender = current_task();

	if (!(sender->flags & PF_EXITING) || sender->nsproxy)
		return true;
	return p->signal->pids[PIDTYPE_SID] != sender->signal->pids[PIDTYPE_SID];
}

/* The init of its pid namespace. */
static __always_inline bool is_init(struct task_struct *p)
{
	struct ns_pid own = take_ns_pid(p->group_leader);

	return own.pid == 1;
}

/* Why the kernel itself sends a signal. */
static __always_inline __u32 signal_cause(struct task_struct *p, int signo, unsigned long info)
{
	struct task_struct *sender = current_task();
	bool exits = sender->flags & PF_EXITING;

	if (info == SEND_SIG_NOINFO)
		return exits && signo == p->pdeath_signal ? PROCLIFE_CAUSE_PARENT : 0;
	if (info != SEND_SIG_PRIV)
		return 0;
	switch (signo) {
	case SIGKILL:
		if (!exits)
			return 0;
		if (p->ptrace & PT_EXITKILL && p->parent == sender)
			return PROCLIFE_CAUSE_TRACER;
		return is_init(sender) ? PROCLIFE_CAUSE_NAMESPACE : 0;
	case SIGINT:
	case SIGQUIT:
		return p != sender && p->signal->tty ? PROCLIFE_CAUSE_TERMINAL : 0;
	case SIGHUP:
		return is_hangup(p) ? PROCLIFE_CAUSE_TERMINAL : 0;
	default:
		return 0;
	}
}

/* From Linux 6.14 on, the verifier does not take it for a pointer: it can be a small number. */
static __always_inline int signal_code(struct kernel_siginfo *info)
{
	if ((unsigned long)info == SEND_SIG_NOINFO)
		return 0; /* SI_USER */
	return (unsigned long)info == SEND_SIG_PRIV ? 0x80 /* SI_KERNEL */ : BPF_CORE_READ(info, si_code);
}

/* By a system call: SI_USER, SI_QUEUE or SI_TKILL. In the kernel, an interrupt sends SEND_SIG_NOINFO, too. */
static __always_inline bool is_sent(struct kernel_siginfo *info)
{
	int code = signal_code(info);

	return (unsigned long)info != SEND_SIG_NOINFO && (code == 0 || code == -1 || code == -6);
}

static __always_inline void record_signal(struct proclife_record *r, struct task_struct *p, int signo,
					  struct kernel_siginfo *info, bool to_group, int result, bool blocked)
{
	struct task_struct *sender = current_task();
	struct proclife_signal *s = &r->signal;
	enum actor actor = take_actor();

	take_head(r, p);
	if (!p->signal->live.counter)
		r->flags |= PROCLIFE_F_GROUP_DEAD;
	if (actor == ACTOR_TASK || (actor == ACTOR_NOT_KNOWN && is_sent(info))) {
		s->sender = take_handle(sender);
		s->sender_pid = sender->pid;
		s->sender_tgid = sender->tgid;
		take_comm(s->sender_comm, sender);
		take_group_comm(s->sender_group_comm, sender);
		s->cause = signal_cause(p, signo, (unsigned long)info);
		s->sender_flags = take_kind(sender);
		if (sender->flags & PF_EXITING)
			s->sender_flags |= exit_flags(sender);
	} else {
		take_nothing(r->words);
	}
	s->signo = signo;
	s->code = signal_code(info);
	s->result = result;
	s->to_group = to_group;
	s->blocked = blocked;
}

#endif
