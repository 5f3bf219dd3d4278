// SPDX-License-Identifier: GPL-2.0-only
/* Records that are rare, or need a function call anyway. */
#include <linux/binfmts.h>
#include <linux/compat.h>
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/mm_types.h>
#include <linux/oom.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <uapi/linux/wait.h>

#include <asm/syscall.h>
#include <asm/unistd.h>

#include "record.h"

static const char *skip_number(const char *text)
{
	while (isdigit(*text))
		text++;
	return text;
}

/*
 * "/dev/fd/3", as fexecve(3) leads to, "/proc/self/fd/3" or "/proc/7/fd/3": it says nothing of the file. Most
 * paths differ in their second byte, and no folder of a file may come in between.
 */
static bool is_descriptor(const char *filename)
{
	const char *rest;

	if (!strncmp(filename, "/dev/fd/", 8)) {
		rest = filename + 8;
	} else if (unlikely(!strncmp(filename, "/proc/", 6))) {
		rest = !strncmp(filename + 6, "self/", 5) ? filename + 10 : skip_number(filename + 6);
		if (strncmp(rest, "/fd/", 4))
			return false;
		rest += 4;
	} else {
		return false;
	}
	return *rest && !*skip_number(rest);
}

/*
 * Without a lock, which could sleep here on PREEMPT_RT: d_path() takes one. A name that is too long
 * for the dentry never changes, and RCU frees it; a rename can tear a short one, which does no
 * other harm. Returns how long the name is; if it is too long, this copies its tail.
 */
static unsigned int copy_file_name(char to[PROCLIFE_PATH_LEN], const struct dentry *dentry)
{
	const unsigned char *name = smp_load_acquire(&dentry->d_name.name); /* pairs with __d_alloc() */
	bool is_short = (void *)name >= (void *)dentry && (void *)name < (void *)(dentry + 1);
	unsigned int most = is_short ? DNAME_INLINE_LEN - 1 : NAME_MAX, len = 0, i;

	while (len < most && data_race(READ_ONCE(name[len])))
		len++;
	if (len > PROCLIFE_PATH_LEN)
		name += len - PROCLIFE_PATH_LEN;
	for (i = 0; i < len && i < PROCLIFE_PATH_LEN; i++)
		to[i] = data_race(READ_ONCE(name[i]));
	return len;
}

void proclife_record_exec(struct proclife_record *r, struct task_struct *p, pid_t old_pid,
			  const struct linux_binprm *bprm)
{
	struct proclife_exec *e = &r->exec;
	ssize_t len;

	take_head(r, p);
	e->group = take_handle_of_group(p->signal);
	e->old_pid = old_pid;
	e->uid = take_uid(p);
	e->euid = __kuid_val(task_deref(p->real_cred)->euid);
	record_reserve((u64 *)e->path, PROCLIFE_PATH_LEN / sizeof(u64));
	if (bprm->interp != bprm->filename) {
		r->flags |= PROCLIFE_F_SCRIPT; /* and bprm->file is the interpreter */
	} else if (unlikely(is_descriptor(bprm->filename))) {
		e->path_len = copy_file_name(e->path, bprm->file->f_path.dentry);
		r->flags |= PROCLIFE_F_BY_FD;
		if (e->path_len > PROCLIFE_PATH_LEN)
			r->flags |= PROCLIFE_F_TRUNCATED;
		return;
	}
	/* One copy by words. Only a path that is too long needs its length first, for its tail. */
	len = strscpy(e->path, bprm->filename, PROCLIFE_PATH_LEN);
	if (unlikely(len < 0)) {
		len = strlen(bprm->filename);
		memcpy(e->path, bprm->filename + len - PROCLIFE_PATH_LEN, PROCLIFE_PATH_LEN);
		if (len > PROCLIFE_PATH_LEN)
			r->flags |= PROCLIFE_F_TRUNCATED;
	}
	e->path_len = len;
}

/* Copies what is in memory. The rest would need a page fault, which may sleep. */
unsigned int proclife_copy_present(char *to, unsigned long from, unsigned int len)
{
	unsigned int first = min_t(unsigned int, len, PAGE_SIZE - offset_in_page(from));

	if (copy_from_user_nofault(to, (void __user *)from, first))
		return 0;
	if (first < len &&
	    copy_from_user_nofault(to + first, (void __user *)(from + first), len - first))
		return first;
	return len;
}

bool proclife_record_args(struct proclife_record *r, unsigned int offset, unsigned int limit)
{
	struct proclife_args *a = &r->args;
	const struct mm_struct *mm = current->mm;
	unsigned long start = READ_ONCE(mm->arg_start), end = READ_ONCE(mm->arg_end);
	unsigned int len;

	take_head(r, current);
	/* execve(2) allows no more than fits into 32 bits. */
	a->total = end > start ? end - start : 0;
	a->offset = offset;
	len = min3(limit, a->total, offset + PROCLIFE_ARGS_LEN) - offset;
	record_reserve((u64 *)a->text, PROCLIFE_ARGS_LEN / sizeof(u64));
	a->len = proclife_copy_present(a->text, start + offset, len);
	if (unlikely(a->len < len)) /* a failed copy may have left some bytes behind */
		memset(a->text + a->len, 0, PROCLIFE_ARGS_LEN - a->len);
	offset += a->len;
	if (a->len < len || (offset == limit && offset < a->total)) {
		r->flags |= PROCLIFE_F_TRUNCATED;
		return false;
	}
	return offset < a->total;
}

#define PIECE 64

/* How long a text in user memory is, without its NUL. False if it is not in memory, or no path. */
static bool measure(unsigned long text, unsigned int *len)
{
	char piece[PIECE];
	unsigned int left, found;

	for (*len = 0; *len < PATH_MAX; *len += left) {
		left = min_t(unsigned int, PIECE, PAGE_SIZE - offset_in_page(text + *len));
		if (proclife_copy_present(piece, text + *len, left) < left)
			return false;
		found = strnlen(piece, left);
		if (found < left) {
			*len += found;
			return true;
		}
	}
	return false;
}

/* Another thread can write to it meanwhile, which does no other harm. */
static u32 take_user_path(char to[PROCLIFE_PATH_LEN], unsigned long path, unsigned int len)
{
	unsigned int skipped = len > PROCLIFE_PATH_LEN ? len - PROCLIFE_PATH_LEN : 0;

	if (proclife_copy_present(to, path + skipped, len - skipped) == len - skipped)
		return len;
	memset(to, 0, PROCLIFE_PATH_LEN);
	return 0;
}

void proclife_record_fail(struct proclife_record *r, u32 what, u32 error, u32 limit, unsigned long path,
			  bool by_fd)
{
	struct proclife_fail *f = &r->fail;
	unsigned int len;

	take_head(r, current);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	f->what = what;
	f->error = error;
	f->limit = limit;
	if (!path || !measure(path, &len))
		return;
	f->path_len = take_user_path(f->path, path, len);
	if (f->path_len > PROCLIFE_PATH_LEN)
		r->flags |= PROCLIFE_F_TRUNCATED;
	if (by_fd && !len)
		r->flags |= PROCLIFE_F_BY_FD;
}

void proclife_record_rename(struct proclife_record *r, struct task_struct *p, const char *name)
{
	unsigned int i;

	take_head(r, p);
	/* name is only promised to be NUL-terminated, not to have PROCLIFE_COMM_LEN bytes. */
	record_reserve((u64 *)r->rename.name, PROCLIFE_COMM_LEN / sizeof(u64));
	for (i = 0; i < PROCLIFE_COMM_LEN - 1 && name[i]; i++)
		r->rename.name[i] = name[i];
	/* Every exec renames, so this shows the cgroup of a task that was moved after its fork. */
	r->rename.cgroup = take_cgroup(p);
	record_reserve(r->rename.reserved, ARRAY_SIZE(r->rename.reserved));
}

void proclife_record_hang(struct proclife_record *r, struct task_struct *p)
{
	take_head(r, p);
	record_reserve(r->words, ARRAY_SIZE(r->words));
}

/*
 * One struct pid can be a process's and a group's, and there is none for a number without a process: only the
 * system call says what is meant. Other ABIs of the kernel have other numbers, which a module does not know.
 */
u32 proclife_record_wait_what(const struct pid *pid)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned long args[6];

	/* In no system call; but an init that was killed in one waits for its namespace and shows it. */
	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return pid ? PROCLIFE_WAIT_PID : PROCLIFE_WAIT_ANY;
	if (in_compat_syscall())
		return 0;
	syscall_get_arguments(current, regs, args);
	switch (syscall_get_nr(current, regs)) {
#ifdef __NR_waitpid
	case __NR_waitpid:
#endif
	case __NR_wait4:
		if ((int)args[0] > 0)
			return PROCLIFE_WAIT_PID;
		return (int)args[0] == -1 ? PROCLIFE_WAIT_ANY : PROCLIFE_WAIT_GROUP;
	case __NR_waitid:
		if ((int)args[0] == P_ALL)
			return PROCLIFE_WAIT_ANY;
		return (int)args[0] == P_PGID ? PROCLIFE_WAIT_GROUP : PROCLIFE_WAIT_PID;
	default:
		return 0;
	}
}

void proclife_record_coredump(struct proclife_record *r, struct task_struct *p, int signo)
{
	take_head(r, p);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	r->coredump.signo = signo;
}

/*
 * What out_of_memory() was called for. It is called with the oom_lock, so there is one at a time,
 * and a task that marks a victim is in it. A group's later victims are, too, so it stays; should
 * the hook miss a call of the same task, its next victim gets the cgroup of the one before.
 */
static const struct task_struct *oom_allocator;
static u64 oom_cgroup;
static u32 oom_scope;

void proclife_record_out_of_memory(const struct oom_control *oc)
{
	u32 scope = oc->order == -1 ? 0 : PROCLIFE_OOM_GLOBAL; /* SysRq-f: nothing was short */
	u64 cgroup = 0;

#ifdef CONFIG_MEMCG
	if (oc->memcg) {
		struct cgroup *its = oc->memcg->css.cgroup;

		scope = PROCLIFE_OOM_CGROUP;
		cgroup = its->root == &cgrp_dfl_root ? cgroup_id(its) : 0;
	}
#endif
	WRITE_ONCE(oom_allocator, current);
	WRITE_ONCE(oom_cgroup, cgroup);
	WRITE_ONCE(oom_scope, scope);
}

void proclife_record_oom(struct proclife_record *r, struct task_struct *victim)
{
	struct task_struct *allocator = current;

	take_head(r, victim);
	record_reserve(r->words, ARRAY_SIZE(r->words));
	r->oom.allocator = take_handle(allocator);
	r->oom.allocator_pid = allocator->pid;
	r->oom.allocator_tgid = allocator->tgid;
	take_comm(r->oom.allocator_comm, allocator->comm);
	take_group_comm(r->oom.allocator_group_comm, allocator);
	if (READ_ONCE(oom_allocator) == allocator) {
		r->oom.cgroup = READ_ONCE(oom_cgroup);
		r->oom.scope = READ_ONCE(oom_scope);
	}
}

void proclife_record_cgroup(struct proclife_record *r, struct cgroup *cgroup, bool populated)
{
	*r = (struct proclife_record){ .ts = r->ts, .type = r->type, .cpu = r->cpu };
#if COMPAT_HAS_CGROUPS
	r->cgroup.cgroup = cgroup_id(cgroup);
#endif
	r->cgroup.populated = populated;
}

void proclife_record_state(struct proclife_record *r, struct task_struct *p)
{
	struct proclife_state *s = &r->state;
	struct task_struct *parent = task_deref(p->real_parent);

	take_head_as(r, p, proclife_handle_of(HANDLE_TASK, p));
	if (task_peek(p->exit_state))
		r->flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	else if (task_peek(p->flags) & PF_EXITING)
		r->flags |= PROCLIFE_F_EXITING;
	if (task_peek(p->signal->flags) & COMPAT_SIGNAL_GROUP_EXIT)
		r->flags |= PROCLIFE_F_GROUP_EXIT;
	s->parent = proclife_handle_of(HANDLE_TASK, parent);
	s->parent_tgid = parent->tgid;
	s->group = proclife_handle_of(HANDLE_GROUP, p->signal);
	s->cgroup = take_cgroup(p);
	s->runtime = task_peek(p->se.sum_exec_runtime);
	s->utime = task_peek(p->utime);
	s->stime = task_peek(p->stime);
	s->uid = take_uid(p);
	take_ns_pid(p, &s->ns_pid, &s->ns_inum);
	s->exit_code = task_peek(p->exit_code);
	if (r->flags & PROCLIFE_F_GROUP_EXIT) {
		int group = task_peek(p->signal->group_exit_code);

		/* The flag can be seen before the code, but not once all threads have met both. */
		if (group || !atomic_read(&p->signal->live))
			s->exit_code = group;
	}
	s->tracer_tgid = 0;
	if (r->flags & PROCLIFE_F_ZOMBIE && task_peek(p->ptrace)) {
		struct task_struct *tracer = task_deref(p->parent);

		/* A parent that traces it is not in its own way, nor one that got it since it was asked. */
		if (tracer->signal != parent->signal && tracer != task_deref(p->real_parent))
			s->tracer_tgid = tracer->tgid;
	}
}
