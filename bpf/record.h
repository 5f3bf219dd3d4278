/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a record says about a task: as module/record.h does, in what BPF allows. Each function writes all of a slot
 * except ts, type and cpu. Where this says less than the module, it says why.
 */
#ifndef PROCLIFE_BPF_RECORD_H
#define PROCLIFE_BPF_RECORD_H

#include "rings.h"

#define PF_EXITING 0x00000004
#define PF_IO_WORKER 0x00000010
#define PF_USER_WORKER 0x00004000
#define PF_KTHREAD 0x00200000

#define SIGNAL_GROUP_EXIT 0x00000004u
#define GROUP_EXITS 0x0000000cu /* SIGNAL_GROUP_EXIT, and SIGNAL_GROUP_COREDUMP, which kernels from 5.17 on do not use */

enum { MM_FILEPAGES, MM_ANONPAGES, MM_SWAPENTS, MM_SHMEMPAGES, MM_COUNTERS };

#define SOFTIRQ_OFFSET 0x100u

/* What differs between kernels; the loader sets it. */
const volatile bool has_user_workers;  /* PF_USER_WORKER */
const volatile __u32 interrupt_bits;   /* HARDIRQ_MASK and NMI_MASK of the preemption count */

/* Addresses, as the loader found them in /proc/kallsyms; 0: not known. */
const volatile __u64 address_of_preempt_count;
const volatile __u64 address_of_pcpu_hot; /* Linux 6.2 to 6.14 have the count in it */
const volatile __u64 address_of_per_cpu_offset;
const volatile __u64 address_of_simple_dname;

/*
 * A pointer as a number. The verifier refuses sums of a pointer, whose type it knows, and a variable; what is there has to
 * be read by a call.
 */
static __always_inline unsigned long read_pointer(const void *from)
{
	unsigned long pointer = 0;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), from);
	return pointer;
}

/*
 * A pointer that the verifier takes for no NULL, as each argument from Linux 6.5 on: it would leave a comparison out, and
 * let the program read from there. What comes back from a map is a number for it.
 */
static __always_inline unsigned long as_number(struct proclife_record *r, const void *pointer)
{
	volatile unsigned long *way = (volatile unsigned long *)r->words;

	*way = (unsigned long)pointer;
	return *way;
}

static __always_inline struct task_struct *current_task(void)
{
	return bpf_get_current_task_btf();
}

/* False: this kernel does not show it. */
static __always_inline bool take_preempt_count(__u32 *count)
{
#ifdef __TARGET_ARCH_x86
	unsigned long at = address_of_preempt_count, cpu;

	if (address_of_pcpu_hot)
		at = address_of_pcpu_hot + bpf_core_field_offset(struct pcpu_hot, preempt_count);
	if (!at || !address_of_per_cpu_offset)
		return false;
	cpu = read_pointer((void *)(address_of_per_cpu_offset + 8 * bpf_get_smp_processor_id()));
	return !bpf_probe_read_kernel(count, sizeof(*count), (void *)(cpu + at));
#else
	*count = ((struct task_struct___arm64 *)current_task())->thread_info.preempt_count;
	return true;
#endif
}

enum actor { ACTOR_NOT_KNOWN, ACTOR_TASK, ACTOR_INTERRUPT };

/* Does current do what is being recorded, or an interrupt? As task_acts() of the module, where the kernel shows it. */
static __always_inline enum actor take_actor(void)
{
	struct task_struct___rt *rt = (void *)current_task();
	__u32 count = 0;

	if (!take_preempt_count(&count))
		return ACTOR_NOT_KNOWN;
	if (bpf_core_field_exists(rt->softirq_disable_cnt))
		count |= rt->softirq_disable_cnt & SOFTIRQ_OFFSET;
	return count & (interrupt_bits | SOFTIRQ_OFFSET) ? ACTOR_INTERRUPT : ACTOR_TASK;
}

/* The addresses of objects: a reader makes handles of them. */
#define take_handle(object) ((__u64)(object))

static __always_inline void take_words(void *to, unsigned int n)
{
	__u64 *words = to;

#pragma unroll
	for (unsigned int i = 0; i < n; i++)
		words[i] = 0;
}

#define take_nothing(words) take_words(words, sizeof(words) / sizeof(__u64))

/* Always ends with a NUL. */
static __always_inline void take_comm(char to[PROCLIFE_COMM_LEN], struct task_struct *p)
{
	__u64 *words = (__u64 *)to;

	words[0] = *(__u64 *)p->comm;
	words[1] = *(__u64 *)(p->comm + 8) & 0x00ffffffffffffffULL;
}

/* As the module: a thread that has been released can have outlived its leader. */
static __always_inline void take_group_comm(char to[PROCLIFE_COMM_LEN], struct task_struct *p)
{
	if (p->pid != p->tgid) {
		if (!p->thread_pid) {
			take_words(to, 2);
			return;
		}
		p = p->group_leader;
	}
	take_comm(to, p);
}

static __always_inline __u64 take_cgroup(struct task_struct *p)
{
	return bpf_core_field_exists(p->cgroups) ? p->cgroups->dfl_cgrp->kn->id : 0;
}

/* The pid that the task has in its own namespace, and that namespace's inode; zeros once the task is reaped. */
struct ns_pid {
	__u32 pid;
	__u32 inum;
};

static __always_inline struct ns_pid take_ns_pid(struct task_struct *p)
{
	struct pid *pid = p->thread_pid;
	struct ns_pid own = {};
	struct pid_namespace *ns;
	unsigned long at;

	if (!pid)
		return own;
	if (!pid->level) { /* nearly always, and without a call */
		__u32 nr = pid->numbers[0].nr;

		barrier_var(nr); /* or both ways end in one load, of which the verifier wants one kind of pointer */
		own.pid = nr;
		own.inum = pid->numbers[0].ns->ns.inum;
		return own;
	}
	at = read_pointer(&p->thread_pid) + bpf_core_field_offset(struct pid, numbers) +
	     pid->level * bpf_core_type_size(struct upid);
	bpf_probe_read_kernel(&own.pid, sizeof(own.pid), (void *)at + bpf_core_field_offset(struct upid, nr));
	ns = (void *)read_pointer((void *)at + bpf_core_field_offset(struct upid, ns));
	own.inum = BPF_CORE_READ(ns, ns.inum);
	return own;
}

static __always_inline __u32 take_kind(struct task_struct *p)
{
	__u32 flags = p->flags, worker = PF_IO_WORKER | (has_user_workers ? PF_USER_WORKER : 0);

	return (flags & PF_KTHREAD ? PROCLIFE_F_KTHREAD : 0) | (flags & worker ? PROCLIFE_F_WORKER : 0);
}

static __always_inline void take_head(struct proclife_record *r, struct task_struct *p)
{
	__u32 pid = p->pid, tgid = p->tgid;

	r->task = take_handle(p);
	r->start = p->start_boottime;
	r->pid = pid;
	r->tgid = tgid;
	r->flags = take_kind(p) | (pid != tgid ? PROCLIFE_F_THREAD : 0);
	take_comm(r->comm, p);
}

/* About no task. */
static __always_inline void take_no_head(struct proclife_record *r)
{
	r->flags = 0;
	r->task = 0;
	r->start = 0;
	r->pid = 0;
	r->tgid = 0;
	take_words(r->comm, 2);
}

/* In pages. One call for all up to Linux 6.1, where the verifier knows no way through an array of atomic_long_t. */
static __always_inline void take_counters(struct mm_struct *mm, __s64 pages[MM_COUNTERS])
{
	struct mm_struct___percpu *percpu = (void *)mm;

	if (bpf_core_field_exists(((struct mm_struct___words *)mm)->rss_stat.count)) {
		bpf_core_read(pages, sizeof(*pages) * MM_COUNTERS, &((struct mm_struct___words *)mm)->rss_stat.count);
	} else {
		pages[MM_FILEPAGES] = percpu->rss_stat[MM_FILEPAGES].count;
		pages[MM_ANONPAGES] = percpu->rss_stat[MM_ANONPAGES].count;
		pages[MM_SWAPENTS] = percpu->rss_stat[MM_SWAPENTS].count;
		pages[MM_SHMEMPAGES] = percpu->rss_stat[MM_SHMEMPAGES].count;
	}
}

/* A count can be negative for a moment. */
static __always_inline __u64 take_kib(__s64 pages)
{
	return pages > 0 ? (__u64)pages << (page_shift - 10) : 0;
}

/* What it had in memory at most; @now: what it has. Both in KiB. */
static __always_inline __u64 take_peak(struct mm_struct *mm, __u64 now)
{
	__u64 peak = (__u64)mm->hiwater_rss << (page_shift - 10);

	return peak > now ? peak : now;
}

static __always_inline void record_fork(struct proclife_record *r, struct task_struct *child, __u64 clone_flags)
{
	struct task_struct *parent = child->real_parent, *creator = current_task();
	struct proclife_fork *f = &r->fork;
	struct ns_pid own;

	take_head(r, child);
	if ((clone_flags & (0x00000100 | 0x00010000)) == 0x00000100) /* CLONE_VM without CLONE_THREAD */
		r->flags |= PROCLIFE_F_SHARES;
	f->parent = take_handle(parent);
	f->parent_pid = parent->pid;
	f->parent_tgid = parent->tgid;
	f->group = take_handle(child->signal);
	f->creator = take_handle(creator);
	f->creator_pid = creator->pid;
	f->creator_tgid = creator->tgid;
	f->cgroup = take_cgroup(child);
	f->uid = child->real_cred->uid.val;
	own = take_ns_pid(child);
	f->ns_pid = own.pid;
	f->ns_inum = own.inum;
	f->reserved0 = 0;
	f->reserved1 = 0;
}

static __always_inline void record_birth(struct proclife_record *r, struct task_struct *p, __u32 what)
{
	take_head(r, p);
	take_nothing(r->words);
	r->birth.what = what;
}

static __always_inline void record_times(struct proclife_record *r, struct task_struct *p, __u32 what)
{
	struct proclife_times *t = &r->times;

	take_head(r, p);
	take_nothing(r->words);
	t->runtime = p->se.sum_exec_runtime;
	if (bpf_core_field_exists(p->sched_info.run_delay))
		t->delay = p->sched_info.run_delay;
	t->nvcsw = p->nvcsw;
	t->nivcsw = p->nivcsw;
	if (bpf_core_field_exists(p->ioac.read_bytes)) {
		t->read_bytes = p->ioac.read_bytes;
		t->write_bytes = p->ioac.write_bytes;
	}
	t->what = what;
}

#define EACH_BYTE(byte) (0x0101010101010101ULL * (byte))

/* A bit for each of eight bytes that is no digit. Loops over bytes would be thousands of ways for the verifier. */
static __always_inline __u64 not_digits(__u64 text)
{
	__u64 digits = text ^ EACH_BYTE('0');

	return (((digits & EACH_BYTE(0x7f)) + EACH_BYTE(0x76)) | digits) & EACH_BYTE(0x80);
}

/* Up to seven digits, and then nothing. */
static __always_inline bool is_number(const char text[8])
{
	__u64 word = *(const __u64 *)text, others = not_digits(word), end = others & -others;

	return others && end != 0x80 && !(word & -(end >> 7));
}

#define BEGINS(text, type, with) (*(const type *)(text) == *(const type *)(with))

/* "/dev/fd/3", "/proc/self/fd/3" or "/proc/7/fd/3": it says nothing of the file. */
static __always_inline bool is_descriptor(const char path[PROCLIFE_PATH_LEN])
{
	if (BEGINS(path, __u64, "/dev/fd/"))
		return is_number(path + 8);
	if (!BEGINS(path, __u32, "/pro") || !BEGINS(path + 4, __u16, "c/"))
		return false;
	if (BEGINS(path + 6, __u64, "self/fd/"))
		return is_number(path + 14);
#pragma unroll
	for (unsigned int n = 1; n < 8; n++)
		if (BEGINS(path + 6 + n, __u32, "/fd/"))
			return !(not_digits(*(const __u64 *)(path + 6)) << (64 - 8 * n)) && is_number(path + 10 + n);
	return false;
}

/* Room to measure a text. No program runs twice at a time on a CPU, and only the one of EXEC has this. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, char[4096]);
} measured SEC(".maps");

/* Copies a text of the kernel, or its tail if there is no room for all. Returns how long it is. */
static __always_inline __u32 take_text(char to[PROCLIFE_PATH_LEN], const char *from)
{
	__u32 first = 0;
	char *room;
	long len;

	take_words(to, PROCLIFE_PATH_LEN / 8); /* the helper leaves what is behind the text as it was */
	len = bpf_probe_read_kernel_str(to, PROCLIFE_PATH_LEN, from);
	if (len < PROCLIFE_PATH_LEN)
		return len > 1 ? len - 1 : 0;
	room = bpf_map_lookup_elem(&measured, &first);
	if (!room)
		return 0;
	len = bpf_probe_read_kernel_str(room, 4096, from);
	if (len < PROCLIFE_PATH_LEN)
		return 0;
	len--;
	if (len >= PROCLIFE_PATH_LEN)
		bpf_probe_read_kernel(to, PROCLIFE_PATH_LEN, from + len - PROCLIFE_PATH_LEN);
	return len;
}

static __always_inline void record_exec(struct proclife_record *r, struct task_struct *p, int old_pid,
					struct linux_binprm *bprm)
{
	struct proclife_exec *e = &r->exec;
	const char *filename = bprm->filename;

	take_head(r, p);
	e->group = take_handle(p->signal);
	e->old_pid = old_pid;
	e->uid = p->real_cred->uid.val;
	e->euid = p->real_cred->euid.val;
	e->path_len = take_text(e->path, filename);
	if (bprm->interp != filename) {
		r->flags |= PROCLIFE_F_SCRIPT; /* and bprm->file is the interpreter */
	} else if (is_descriptor(e->path)) {
		e->path_len = take_text(e->path, (const char *)bprm->file->f_path.dentry->d_name.name);
		r->flags |= PROCLIFE_F_BY_FD;
	}
	if (e->path_len > PROCLIFE_PATH_LEN)
		r->flags |= PROCLIFE_F_TRUNCATED;
}

/* As proclife_record_args() of the module: what is in memory, page by page. Returns whether another piece follows. */
static __always_inline bool record_args(struct proclife_record *r, struct task_struct *p, __u32 offset)
{
	struct proclife_args *a = &r->args;
	unsigned long start = p->mm->arg_start, end = p->mm->arg_end;
	__u32 total = end > start ? end - start : 0, len, first, done = 0;

	take_head(r, p);
	take_words(a->text, PROCLIFE_ARGS_LEN / 8);
	len = total < args_bytes ? total : args_bytes;
	len = len > offset ? len - offset : 0;
	if (len > PROCLIFE_ARGS_LEN)
		len = PROCLIFE_ARGS_LEN;
	start += offset;
	first = 4096 - (start & 4095);
	if (first > len)
		first = len;
	barrier_var(first); /* or the compiler leaves the next comparison out, from which the verifier learns */
	if (first && first <= PROCLIFE_ARGS_LEN && !bpf_probe_read_user(a->text, first, (void *)start))
		done = first;
	if (done == first && first < len) {
		__u32 rest = len - first;

		barrier_var(rest);
		if (first < PROCLIFE_ARGS_LEN && rest <= PROCLIFE_ARGS_LEN &&
		    !bpf_probe_read_user(a->text + first, rest, (void *)(start + first)))
			done = len;
	}
	a->total = total;
	a->offset = offset;
	a->len = done;
	offset += done;
	if (done < len || (offset == args_bytes && offset < total)) {
		r->flags |= PROCLIFE_F_TRUNCATED;
		return false;
	}
	return offset < total;
}

static __always_inline void record_rename(struct proclife_record *r, struct task_struct *p, const char *name)
{
	take_head(r, p);
	take_nothing(r->words);
	bpf_probe_read_kernel_str(r->rename.name, PROCLIFE_COMM_LEN, name);
	r->rename.cgroup = take_cgroup(p);
}

/* A thread leaves what it has used to its group. */
static __always_inline bool had_no_thread(struct signal_struct *signal)
{
	return !(signal->sum_sched_runtime | signal->nvcsw | signal->nivcsw | signal->min_flt | signal->maj_flt);
}

static __always_inline void record_exiting(struct proclife_record *r, struct task_struct *p, long code)
{
	struct task_struct *parent = p->real_parent;
	struct signal_struct *signal = p->signal;
	struct proclife_exiting *e = &r->exiting;
	__s64 pages[MM_COUNTERS] = {};
	struct mm_struct *mm;

	take_head(r, p);
	e->exit_code = code;
	e->parent = take_handle(parent);
	e->parent_tgid = parent->tgid;
	e->tracer = 0;
	e->tracer_tgid = 0;
	if (p->ptrace) {
		e->tracer = take_handle(p->parent);
		e->tracer_tgid = p->parent->tgid;
	}
	e->cgroup = take_cgroup(p);
	/* The code is set after the flag: see module/record.h. */
	if (signal->flags & GROUP_EXITS) {
		int group = signal->group_exit_code;

		if (group || !e->exit_code) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = group;
		}
	}
	if (signal->nr_threads == 1 && p->pid == p->tgid && had_no_thread(signal))
		r->flags |= PROCLIFE_F_SOLE;
	e->mm = 0;
	e->mm_users = 0;
	mm = p->mm;
	if (mm && !(p->flags & PF_KTHREAD)) {
		e->mm = take_handle(mm);
		e->mm_users = mm->mm_users.counter;
		take_counters(mm, pages);
	}
	e->rss_anon = take_kib(pages[MM_ANONPAGES]);
	e->rss_file = take_kib(pages[MM_FILEPAGES]);
	e->rss_shmem = take_kib(pages[MM_SHMEMPAGES]);
}

static __always_inline void record_space(struct proclife_mm *m, struct mm_struct *mm, __u32 what, __u32 users)
{
	__s64 pages[MM_COUNTERS] = {};

	m->mm = take_handle(mm);
	m->what = what;
	m->users = users;
	m->reserved = 0;
	if (what == PROCLIFE_MM_GONE) {
		take_words(&m->rss_anon, 6);
		return;
	}
	take_counters(mm, pages);
	m->rss_anon = take_kib(pages[MM_ANONPAGES]);
	m->rss_file = take_kib(pages[MM_FILEPAGES]);
	m->rss_shmem = take_kib(pages[MM_SHMEMPAGES]);
	m->swap = take_kib(pages[MM_SWAPENTS]);
	m->tables = (__u64)mm->pgtables_bytes.counter / 1024;
	m->peak = take_peak(mm, m->rss_anon + m->rss_file + m->rss_shmem);
}

/* @acts: current does it; otherwise an interrupt, and the head names no task. */
static __always_inline void record_mm(struct proclife_record *r, struct mm_struct *mm, __u32 what, __u32 users, bool acts)
{
	struct task_struct *task = current_task();

	if (acts) {
		take_head(r, task);
		if (BPF_CORE_READ_BITFIELD(task, in_execve))
			r->flags |= PROCLIFE_F_EXECING;
	} else {
		take_no_head(r);
	}
	record_space(&r->mm, mm, what, users);
}

static __always_inline void record_exit(struct proclife_record *r, struct task_struct *p, bool group_dead)
{
	struct signal_struct *signal = p->signal;
	struct proclife_exit *e = &r->exit;

	take_head(r, p);
	e->exit_code = p->exit_code;
	e->live = signal->live.counter;
	e->runtime = p->se.sum_exec_runtime;
	e->utime = p->utime;
	e->stime = p->stime;
	e->min_flt = p->min_flt;
	e->nvcsw = p->nvcsw;
	e->nivcsw = p->nivcsw;
	e->maj_flt = p->maj_flt > 0xffffffff ? 0xffffffff : p->maj_flt;
	e->max_rss = 0;
	if (group_dead) {
		struct mm_struct *mm = p->flags & PF_KTHREAD ? NULL : p->mm;

		r->flags |= PROCLIFE_F_GROUP_DEAD;
		if (mm) {
			__s64 pages[MM_COUNTERS] = {};

			take_counters(mm, pages);
			r->flags |= PROCLIFE_F_PEAK;
			e->max_rss = take_peak(mm, take_kib(pages[MM_ANONPAGES]) + take_kib(pages[MM_FILEPAGES]) +
						   take_kib(pages[MM_SHMEMPAGES]));
		} else {
			e->max_rss = (__u64)signal->maxrss << (page_shift - 10);
		}
		if (signal->flags & SIGNAL_GROUP_EXIT) {
			r->flags |= PROCLIFE_F_GROUP_EXIT;
			e->exit_code = signal->group_exit_code;
		}
	}
	e->parent_tgid = p->real_parent->tgid;
}

static __always_inline void record_reap(struct proclife_record *r, struct task_struct *p)
{
	struct task_struct *reaper = current_task();
	struct proclife_reap *e = &r->reap;

	take_head(r, p);
	e->reaper = take_handle(reaper);
	e->reaper_group = take_handle(reaper->signal);
	e->reaper_pid = reaper->pid;
	e->reaper_tgid = reaper->tgid;
	take_comm(e->reaper_comm, reaper);
	e->cgroup = take_cgroup(p);
	take_group_comm(e->reaper_group_comm, reaper);
	e->uid = p->real_cred->uid.val;
	e->euid = p->real_cred->euid.val;
	r->flags |= PROCLIFE_F_USER;
}

/* Its parent and its thread group leader may be gone by now, so nothing here follows a pointer of it. */
static __always_inline void record_free(struct proclife_record *r, struct task_struct *p)
{
	struct task_struct *runner = current_task();
	enum actor actor = take_actor();
	struct proclife_free *e = &r->free;

	take_head(r, p);
	e->runtime = p->se.sum_exec_runtime;
	e->utime = p->utime;
	e->stime = p->stime;
	e->users = p->usage.refs.counter - 1; /* one is the caller's */
	if (actor == ACTOR_NOT_KNOWN) {
		e->runner = 0;
		e->runner_pid = 0;
		take_nothing(e->runner_comm);
	} else {
		if (actor == ACTOR_INTERRUPT)
			r->flags |= PROCLIFE_F_SOFTIRQ;
		e->runner = take_handle(runner);
		e->runner_pid = runner->pid;
		take_comm(e->runner_comm, runner);
	}
	e->read_bytes = 0;
	e->write_bytes = 0;
	if (bpf_core_field_exists(p->ioac.read_bytes)) {
		r->flags |= PROCLIFE_F_IO;
		e->read_bytes = p->ioac.read_bytes;
		e->write_bytes = p->ioac.write_bytes;
	}
}

/*
 * One struct pid can be a process's and a group's, and there is none for a number without a process: only the system
 * call says what is meant. Not known for 32-bit programs, as in the module.
 */
static __always_inline __u32 wait_what(struct task_struct *p, bool has_pid)
{
	struct pt_regs *regs;
	int first;

	if (p->flags & (PF_KTHREAD | PF_EXITING))
		return has_pid ? PROCLIFE_WAIT_PID : PROCLIFE_WAIT_ANY;
	regs = (void *)bpf_task_pt_regs(p);
#ifdef __TARGET_ARCH_x86
	struct pt_regs___of_x86 *user = (void *)regs;

	if (((struct task_struct___x86 *)p)->thread_info.status & 2) /* TS_COMPAT */
		return 0;
	first = user->di;
	switch (user->orig_ax) {
	case 61: /* wait4(2) */
		break;
	case 247: /* waitid(2) */
		return first == 0 ? PROCLIFE_WAIT_ANY : first == 2 ? PROCLIFE_WAIT_GROUP : PROCLIFE_WAIT_PID;
	default:
		return 0;
	}
#else
	struct pt_regs___of_arm64 *user = (void *)regs;

	if (p->thread_info.flags & 1UL << 22) /* TIF_32BIT */
		return 0;
	first = user->orig_x0;
	switch (user->syscallno) {
	case 260:
		break;
	case 95:
		return first == 0 ? PROCLIFE_WAIT_ANY : first == 2 ? PROCLIFE_WAIT_GROUP : PROCLIFE_WAIT_PID;
	default:
		return 0;
	}
#endif
	if (first > 0)
		return PROCLIFE_WAIT_PID;
	return first == -1 ? PROCLIFE_WAIT_ANY : PROCLIFE_WAIT_GROUP;
}

static __always_inline void record_wait(struct proclife_record *r, struct pid *pid)
{
	struct task_struct *p = current_task();
	bool has_pid = as_number(r, pid);

	take_head(r, p);
	take_nothing(r->words);
	r->wait.wanted = has_pid && pid ? pid->numbers[0].nr : 0; /* some kernels know that it can be NULL */
	r->wait.what = wait_what(p, has_pid);
}

/* What out_of_memory() was called for last: see module/record.c. */
static __u64 oom_allocator, oom_cgroup;
static __u32 oom_scope;

static __always_inline void note_out_of_memory(struct oom_control *oc)
{
	oom_scope = oc->order == -1 ? 0 : PROCLIFE_OOM_GLOBAL;
	oom_cgroup = 0;
	if (bpf_core_field_exists(oc->memcg) && oc->memcg) {
		struct cgroup *its = oc->memcg->css.cgroup;

		oom_scope = PROCLIFE_OOM_CGROUP;
		oom_cgroup = its->root->hierarchy_id ? 0 : its->kn->id;
	}
	oom_allocator = take_handle(current_task());
}

static __always_inline void record_oom(struct proclife_record *r, struct task_struct *victim)
{
	struct task_struct *allocator = current_task();

	take_head(r, victim);
	take_nothing(r->words);
	r->oom.allocator = take_handle(allocator);
	r->oom.allocator_pid = allocator->pid;
	r->oom.allocator_tgid = allocator->tgid;
	take_comm(r->oom.allocator_comm, allocator);
	take_group_comm(r->oom.allocator_group_comm, allocator);
	if (oom_allocator == r->oom.allocator) {
		r->oom.cgroup = oom_cgroup;
		r->oom.scope = oom_scope;
	}
}

static __always_inline void record_state(struct proclife_record *r, struct task_struct *p)
{
	struct task_struct *parent = p->real_parent;
	struct signal_struct *signal = p->signal;
	struct proclife_state *s = &r->state;
	struct ns_pid own;

	take_head(r, p);
	if (p->exit_state)
		r->flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	else if (p->flags & PF_EXITING)
		r->flags |= PROCLIFE_F_EXITING;
	if (signal->flags & GROUP_EXITS)
		r->flags |= PROCLIFE_F_GROUP_EXIT;
	s->parent = take_handle(parent);
	s->parent_tgid = parent->tgid;
	s->group = take_handle(signal);
	s->cgroup = take_cgroup(p);
	s->runtime = p->se.sum_exec_runtime;
	s->utime = p->utime;
	s->stime = p->stime;
	s->uid = p->real_cred->uid.val;
	own = take_ns_pid(p);
	s->ns_pid = own.pid;
	s->ns_inum = own.inum;
	s->exit_code = p->exit_code;
	if (r->flags & PROCLIFE_F_GROUP_EXIT && (signal->group_exit_code || !signal->live.counter))
		s->exit_code = signal->group_exit_code;
	s->tracer_tgid = 0;
	if (r->flags & PROCLIFE_F_ZOMBIE && p->ptrace) {
		struct task_struct *tracer = p->parent;

		if (tracer->signal != parent->signal && tracer != p->real_parent)
			s->tracer_tgid = tracer->tgid;
	}
}

#endif
