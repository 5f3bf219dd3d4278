// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs: what module/probes.c and module/hooks.c do, without a module. The loader chooses those for which the
 * kernel has the tracepoint or the function, before any is loaded.
 */
#include "failures.h"
#include "paths.h"

char LICENSE[] SEC("license") = "GPL";

/* One record of a program that makes one. */
#define RECORD(ring_id, type, ...)					\
	do {								\
		struct slot slot;					\
		struct proclife_record *r;				\
									\
		if (!slot_find(&slot, PROCLIFE_BPF_##ring_id))		\
			return 0;					\
		r = slot_begin(&slot, type);				\
		__VA_ARGS__;						\
		slot_end(&slot, type);					\
	} while (0)

/* A mark with what current has used up to then, in the same ring. */
#define RECORD_TIMED(ring_id, type, timed, times_what, ...)		\
	do {								\
		struct slot slot;					\
		struct proclife_record *r;				\
									\
		if (!slot_find(&slot, PROCLIFE_BPF_##ring_id))		\
			return 0;					\
		r = slot_begin(&slot, type);				\
		__VA_ARGS__;						\
		slot_end(&slot, type);					\
		if (records_times && (timed))				\
			times_end(&slot, times_what);			\
	} while (0)

static __always_inline void times_end(struct slot *slot, __u32 what)
{
	record_times(slot_begin(slot, PROCLIFE_TIMES), current_task(), what);
	slot_end(slot, PROCLIFE_TIMES);
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_fork, struct task_struct *child, __u64 clone_flags)
{
	if (!child->pid) /* the idle task of a CPU that comes up */
		return 0;
	RECORD_TIMED(FORK, PROCLIFE_FORK, records_births, PROCLIFE_TIMES_FORK, record_fork(r, child, clone_flags));
	return 0;
}

#define MOST_PIECES (8192 / PROCLIFE_ARGS_LEN)

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *p, int old_pid, struct linux_binprm *bprm)
{
	RECORD_TIMED(EXEC, PROCLIFE_EXEC, true, PROCLIFE_TIMES_EXEC, record_exec(r, p, old_pid, bprm));
	return 0;
}

/* It is attached after on_exec(), and so called after it. Both in one, the verifier takes half a minute for all ways. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_args, struct task_struct *p)
{
	struct slot slot;
	bool more = args_bytes;

	if (!slot_find(&slot, PROCLIFE_BPF_ARGS))
		return 0;
	for (__u32 i = 0; i < MOST_PIECES && i * PROCLIFE_ARGS_LEN < args_bytes && more; i++) {
		more = record_args(slot_begin(&slot, PROCLIFE_ARGS), p, i * PROCLIFE_ARGS_LEN);
		slot_end(&slot, PROCLIFE_ARGS);
	}
	return 0;
}

/* Pieces of a text, one slot at a time; and one for a text of no length, which says just that. */
#define PUT_PIECE(name, ring, text_id, what)						\
	static long name(__u32 index, void *context)					\
	{										\
		struct text *text = text_of(text_id);					\
		__u32 offset = index * PROCLIFE_PATH_TEXT;				\
											\
		if (!text || (index && offset >= text->len))				\
			return 1;							\
		RECORD(ring, PROCLIFE_PATH, record_path(r, text, what, offset));	\
		return 0;								\
	}

PUT_PIECE(put_exe, PATHS, TEXT_PATH, PROCLIFE_PATH_EXE)
PUT_PIECE(put_cwd, PATHS, TEXT_PATH, PROCLIFE_PATH_CWD)
PUT_PIECE(put_env, ENV, TEXT_ENV, PROCLIFE_PATH_ENV)

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_paths, struct task_struct *p, int old_pid, struct linux_binprm *bprm)
{
	struct text *text = text_of(TEXT_PATH);

	if (!text)
		return 0;
	take_path(text, (const struct path *)(read_pointer(&bprm->file) + bpf_core_field_offset(struct file, f_path)));
	bpf_loop(MOST_TEXT_PIECES, put_exe, NULL, 0);
	take_path(text, (const struct path *)(read_pointer(&p->fs) + bpf_core_field_offset(struct fs_struct, pwd)));
	bpf_loop(MOST_TEXT_PIECES, put_cwd, NULL, 0);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_env, struct task_struct *p)
{
	struct text *text = text_of(TEXT_ENV);
	__u32 first = 0;
	struct search *search = bpf_map_lookup_elem(&searches, &first);

	if (!text || !search)
		return 0;
	take_env(text, search, p->mm);
	bpf_loop(MOST_TEXT_PIECES, put_env, NULL, 0);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *p, const char *name)
{
	RECORD(RENAME, PROCLIFE_RENAME, record_rename(r, p, name));
	return 0;
}

/* This many threads are looked at, as in the module. */
#define MOST_BLOCKING 64

static __always_inline bool blocks(struct task_struct *p, __u64 bit)
{
	return (p->blocked.sig[0] | p->real_blocked.sig[0]) & bit;
}

/* Do all tasks that may take it block it? The caller of the tracepoint holds the siglock. */
static __always_inline bool is_blocked(struct task_struct *p, __u64 bit, bool to_group)
{
	const unsigned int offset = bpf_core_field_offset(struct task_struct, thread_node);
	unsigned long head, at;

	if (!to_group)
		return blocks(p, bit);
	if (!blocks(p, bit) && !(p->flags & PF_EXITING))
		return false;
	head = read_pointer(&p->signal) + bpf_core_field_offset(struct signal_struct, thread_head);
	at = read_pointer((void *)head);
	for (unsigned int i = 0; i < MOST_BLOCKING && at && at != head; i++) {
		struct task_struct *thread = (void *)(at - offset);

		if (!(BPF_CORE_READ(thread, flags) & PF_EXITING) &&
		    !((BPF_CORE_READ(thread, blocked.sig[0]) | BPF_CORE_READ(thread, real_blocked.sig[0])) & bit))
			return false;
		at = read_pointer((void *)at);
	}
	return true;
}

SEC("tp_btf/signal_generate")
int BPF_PROG(on_signal, int signo, struct kernel_siginfo *info, struct task_struct *p, int to_group, int result)
{
	struct sigaction action = {};
	bool blocked;
	__u64 bit;

	if (signo < 1 || signo > 64 || result == PROCLIFE_SIGNAL_IGNORED)
		return 0;
	bit = SIG_BIT(signo);
	if (bit & (SIGNALS_IGNORED | SIGNALS_STOPPING))
		return 0;
	take_action(&action, p, signo);
	if (action.sa_handler)
		return 0;
	blocked = result == PROCLIFE_SIGNAL_QUEUED && is_blocked(p, bit, to_group);
	RECORD(SIGNAL, PROCLIFE_SIGNAL,
	       record_signal(r, p, signo, (void *)as_number(r, info), to_group, result, blocked));
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_exit(__u64 *ctx)
{
	struct task_struct *p = (void *)ctx[0];
	bool group_dead;

	/* Two threads that exit at once can both find 0. */
	if (exit_has_group_dead)
		group_dead = ctx[1];
	else
		group_dead = !p->signal->live.counter;
	RECORD(EXIT, PROCLIFE_EXIT, record_exit(r, p, group_dead));
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *p)
{
	RECORD(FREE, PROCLIFE_FREE, record_free(r, p));
	return 0;
}

SEC("tp_btf/sched_process_wait")
int BPF_PROG(on_wait, struct pid *pid)
{
	RECORD(WAIT, PROCLIFE_WAIT, record_wait(r, pid));
	return 0;
}

SEC("tp_btf/sched_process_hang")
int BPF_PROG(on_hang, struct task_struct *p)
{
	RECORD(HANG, PROCLIFE_HANG, take_head(r, p); take_nothing(r->words));
	return 0;
}

SEC("tp_btf/mark_victim")
int BPF_PROG(on_victim, struct task_struct *victim)
{
	RECORD(OOM, PROCLIFE_OOM, record_oom(r, victim));
	return 0;
}

#ifdef __TARGET_ARCH_x86
#define TIF_MEMDIE 20
#else
#define TIF_MEMDIE 18
#endif

/* Where the tracepoint says only the number of the task. It is called for some that are marked already. */
SEC("fentry/mark_oom_victim")
int BPF_PROG(on_victim_marked, struct task_struct *victim)
{
	if (victim->thread_info.flags & 1UL << TIF_MEMDIE)
		return 0;
	RECORD(OOM, PROCLIFE_OOM, record_oom(r, victim));
	return 0;
}

SEC("fentry/out_of_memory")
int BPF_PROG(on_out_of_memory, struct oom_control *oc)
{
	note_out_of_memory(oc);
	return 0;
}

SEC("tp_btf/cgroup_notify_populated")
int BPF_PROG(on_cgroup, struct cgroup *cgroup, const char *path, int populated)
{
	if (cgroup->root->hierarchy_id)
		return 0;
	RECORD(CGROUP, PROCLIFE_CGROUP, take_no_head(r); take_nothing(r->words); r->cgroup.cgroup = cgroup->kn->id;
	       r->cgroup.populated = populated);
	return 0;
}

SEC("fentry/do_exit")
int BPF_PROG(on_exiting, long code)
{
	RECORD_TIMED(EXITING, PROCLIFE_EXITING, true, PROCLIFE_TIMES_EXITING, record_exiting(r, current_task(), code));
	return 0;
}

SEC("fentry/exit_mmap")
int BPF_PROG(on_teardown, struct mm_struct *mm)
{
	RECORD(TEARDOWN, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_TEARDOWN, 0, true));
	return 0;
}

SEC("tp_btf/exit_mmap")
int BPF_PROG(on_gone, struct mm_struct *mm)
{
	RECORD(GONE, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_GONE, 0, true));
	return 0;
}

/* Where exit_mmap has no tracepoint, __mmput() calls this next. */
SEC("fentry/mm_put_huge_zero_page")
int BPF_PROG(on_gone_5, struct mm_struct *mm)
{
	RECORD(GONE, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_GONE, 0, true));
	return 0;
}

/* Each exiting task calls it, and an exec: then the thread group lives. */
SEC("fentry/exit_mm_release")
int BPF_PROG(on_left, struct task_struct *p)
{
	struct mm_struct *mm = p->mm;
	int users;

	if (!mm || p != current_task())
		return 0;
	users = mm->mm_users.counter;
	if (users < 2 || p->signal->live.counter)
		return 0;
	RECORD(LEFT, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_LEFT, users - 1, true));
	return 0;
}

SEC("fentry/mmput_async")
int BPF_PROG(on_async, struct mm_struct *mm)
{
	if (mm->mm_users.counter != 1)
		return 0;
	RECORD(ASYNC, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_ASYNC, 0, take_actor() == ACTOR_TASK));
	return 0;
}

SEC("fentry/__oom_reap_task_mm")
int BPF_PROG(on_early, struct mm_struct *mm)
{
	RECORD(EARLY, PROCLIFE_MM, record_mm(r, mm, PROCLIFE_MM_EARLY, 0, true));
	return 0;
}

SEC("fentry/do_notify_parent")
int BPF_PROG(on_notify, struct task_struct *p, int signo)
{
	RECORD_TIMED(NOTIFY, PROCLIFE_NOTIFY, p == current_task(), PROCLIFE_TIMES_NOTIFY, record_notify(r, p, signo));
	return 0;
}

SEC("fentry/cgroup_release")
int BPF_PROG(on_reap, struct task_struct *p)
{
	RECORD(REAP, PROCLIFE_REAP, record_reap(r, p));
	return 0;
}

SEC("fentry/vfs_coredump")
int BPF_PROG(on_coredump, struct kernel_siginfo *info)
{
	RECORD(COREDUMP, PROCLIFE_COREDUMP, take_head(r, current_task()); take_nothing(r->words);
	       r->coredump.signo = info->si_signo);
	return 0;
}

SEC("fentry/copy_process")
int BPF_PROG(on_forking)
{
	RECORD_TIMED(FORKING, PROCLIFE_BIRTH, true, PROCLIFE_TIMES_FORKING,
		     record_birth(r, current_task(), PROCLIFE_BIRTH_FORKING));
	return 0;
}

/* A new task calls it first of all. */
SEC("fentry/schedule_tail")
int BPF_PROG(on_started)
{
	struct task_struct *p = current_task();

	if (!p->pid)
		return 0;
	RECORD(STARTED, PROCLIFE_BIRTH, record_birth(r, p, PROCLIFE_BIRTH_STARTED));
	return 0;
}

SEC("fentry/alloc_bprm")
int BPF_PROG(on_execing)
{
	RECORD_TIMED(EXECING, PROCLIFE_BIRTH, true, PROCLIFE_TIMES_EXECING,
		     record_birth(r, current_task(), PROCLIFE_BIRTH_EXECING));
	return 0;
}

/* Should a return have been missed, what was noted before is of an older fork; and so after a fork that did not fail. */
SEC("fexit/copy_process")
int on_fork_failed(__u64 *ctx)
{
	long ret = (long)read_pointer(&ctx[4]); /* of a pointer, the verifier lets nobody take the number */
	__u32 limit;

	if (!is_failure(ret)) {
		take_refusal();
		return 0;
	}
	limit = fork_limit(current_task(), ret);
	RECORD(FAIL_FORK, PROCLIFE_FAIL, record_fail(r, PROCLIFE_FAIL_FORK, ret, limit));
	return 0;
}

SEC("fexit/alloc_pid")
int on_no_pid(__u64 *ctx)
{
	long ret = (long)read_pointer(&ctx[3]);

	if (ret == -EAGAIN)
		note_refusal(PROCLIFE_LIMIT_PID_MAX);
	else if (ret == -ENOMEM && !(current_task()->nsproxy->pid_ns_for_children->pid_allocated & PIDNS_ADDING))
		note_refusal(PROCLIFE_LIMIT_NO_INIT);
	return 0;
}

SEC("fexit/pids_can_fork")
int BPF_PROG(on_pids_refuse, void *task, void *cset, int ret)
{
	if (ret == -EAGAIN)
		note_refusal(PROCLIFE_LIMIT_PIDS_MAX);
	return 0;
}

#ifdef __TARGET_ARCH_x86
#define OF_64(x86, arm64) (((struct pt_regs___of_x86 *)regs)->x86)
#define OF_32(x86, arm64) ((__u32)((struct pt_regs___of_x86 *)regs)->x86)
#else
#define OF_64(x86, arm64) (arm64 ? ((struct pt_regs___of_arm64 *)regs)->regs[arm64] : \
				   ((struct pt_regs___of_arm64 *)regs)->orig_x0)
#define OF_32(x86, arm64) ((__u32)OF_64(x86, arm64))
#endif

/* A system call of this name: where its path is, its flags or 0, and its room to measure the path. */
#define EXEC_FAILED(function, name, ring, path, flags, room)				\
	SEC("fexit/" function)								\
	int BPF_PROG(name, struct pt_regs *regs, long ret)				\
	{										\
		if (!is_failure(ret))							\
			return 0;							\
		RECORD(ring, PROCLIFE_FAIL,						\
		       record_fail_exec(r, ret, (const char *)(unsigned long)path,	\
					flags & AT_EMPTY_PATH, room));			\
		return 0;								\
	}

EXEC_FAILED("__x64_sys_execve", on_execve_failed, FAIL_EXECVE, OF_64(di, 0), 0, 0)
EXEC_FAILED("__x64_sys_execveat", on_execveat_failed, FAIL_EXECVEAT, OF_64(si, 1), OF_64(r8, 4), 1)
EXEC_FAILED("__ia32_compat_sys_execve", on_execve_32_failed, FAIL_EXECVE_32, OF_32(bx, 0), 0, 2)
EXEC_FAILED("__ia32_compat_sys_execveat", on_execveat_32_failed, FAIL_EXECVEAT_32, OF_32(cx, 1), OF_32(di, 4), 3)

/* The tasks that exist. It has the opener's PID namespace, which has to be the first one. */
SEC("iter/task")
int on_snapshot(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct proclife_record r = {};

	if (!p)
		return 0;
	r.ts = bpf_ktime_get_ns(); /* first: whatever the task does from now on has no earlier record */
	if (!p->thread_pid) /* released meanwhile: its FREE can be earlier than this */
		return 0;
	r.type = PROCLIFE_TASK;
	r.cpu = bpf_get_smp_processor_id();
	record_state(&r, p);
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	return 0;
}
