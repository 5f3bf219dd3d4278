/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a record says of a task. Each function writes all of a slot but ts, type and cpu, which the
 * caller has set; it runs with interrupts off and takes rcu_read_lock() where it needs it.
 */
#ifndef PROCLIFE_RECORD_H
#define PROCLIFE_RECORD_H

#include <linux/types.h>

struct kernel_siginfo;
struct linux_binprm;
struct pid;
struct proclife_record;
struct task_struct;

/* Draws the keys of the handles. */
void record_init(void);

void record_fork(struct proclife_record *r, struct task_struct *child);
void record_exec(struct proclife_record *r, struct task_struct *p, pid_t old_pid,
		 const struct linux_binprm *bprm);
/*
 * The piece of current's argument vector at @offset, at most @limit bytes of which are wanted.
 * Returns whether another piece follows.
 */
bool record_args(struct proclife_record *r, unsigned int offset, unsigned int limit);
void record_rename(struct proclife_record *r, struct task_struct *p, const char *name);
void record_exit(struct proclife_record *r, struct task_struct *p, bool group_dead);
void record_reap(struct proclife_record *r, struct task_struct *p);
void record_free(struct proclife_record *r, struct task_struct *p);
void record_wait(struct proclife_record *r, struct pid *pid);
void record_hang(struct proclife_record *r, struct task_struct *p);
/* Can the signal end the task, or is it SIGCHLD? The caller holds the task's siglock. */
bool record_wants_signal(struct task_struct *p, int signo, int result);
void record_signal(struct proclife_record *r, struct task_struct *p, int signo,
		   const struct kernel_siginfo *info, bool to_group, int result);
/* The caller holds rcu_read_lock() since it found the task. */
void record_state(struct proclife_record *r, struct task_struct *p);

#endif
