// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/moduleparam.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/mmap.h>
#include <trace/events/oom.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/task.h>

#include "budget.h"
#include "compat.h"
#include "hooks.h"
#include "paths.h"
#include "probes.h"
#include "record.h"
#include "rings.h"

#if COMPAT_HAS_CGROUPS /* without, it does not compile */
#include <trace/events/cgroup.h>
#endif

static bool signals = true;
module_param(signals, bool, 0444);
MODULE_PARM_DESC(signals, "record signals that can end a task (Y)");

static bool waits = true;
module_param(waits, bool, 0444);
MODULE_PARM_DESC(waits, "record which process waits for which (Y)");

static bool cgroups;
module_param(cgroups, bool, 0444);
MODULE_PARM_DESC(cgroups, "record when a cgroup gets its first task or loses its last one (N)");

#define ARGS_BYTES_MAX 8192

static unsigned int args_bytes = 512;
module_param(args_bytes, uint, 0444);
MODULE_PARM_DESC(args_bytes, "bytes to record of the arguments of an exec: 0 to 8192 (512)");

/*
 * task_newtask, not sched_process_fork: that one is a few lines later and does not see the threads
 * that the kernel makes for user processes.
 */
static void probe_fork(void *data, struct task_struct *child, compat_clone_flags clone_flags)
{
	/* Without the FORKING of a BIRTH, the creator's TIMES would say nothing. */
	const bool timed = static_branch_unlikely(&proclife_timing) && proclife_births;
	struct rings_slot slot;

	/* The idle task of a CPU that comes up: never freed, and not visible as a task. */
	if (unlikely(!child->pid))
		return;
	if (timed)
		hooks_times_begin();
	record_fork(rings_begin(&slot, PROCLIFE_FORK), child, clone_flags);
	rings_end(&slot, PROCLIFE_FORK);
	if (timed)
		hooks_times_end(PROCLIFE_TIMES_FORK);
	/* The task may have migrated: any CPU will do. */
	if (unlikely(raw_cpu_read(proclife_budget.suppressing)))
		proclife_budget_review();
}

static void probe_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	struct rings_slot slot;
	unsigned int offset;
	bool more = args_bytes;

	hooks_times_begin();
	proclife_record_exec(rings_begin(&slot, PROCLIFE_EXEC), p, old_pid, bprm);
	rings_end(&slot, PROCLIFE_EXEC);
	hooks_times_end(PROCLIFE_TIMES_EXEC);
	/* One slot at a time: all of them at once would keep interrupts off for long. */
	for (offset = 0; more; offset += PROCLIFE_ARGS_LEN) {
		more = proclife_record_args(rings_begin(&slot, PROCLIFE_ARGS), offset, args_bytes);
		rings_end(&slot, PROCLIFE_ARGS);
	}
	if (unlikely(smp_load_acquire(&proclife_paths_wanted))) /* pairs with proclife_paths_init() */
		proclife_paths_exec(bprm);
}

static void probe_rename(void *data, struct task_struct *p, const char *name)
{
	struct rings_slot slot;

	/* An exec needs no budget, so neither does its RENAME, which also has the cgroup. */
	if (!budget_begin(&slot, BUDGET_RENAME, p == current && current->in_execve))
		return;
	proclife_record_rename(rings_claim(&slot, PROCLIFE_RENAME), p, name);
	rings_end(&slot, PROCLIFE_RENAME);
}

/* Under the target's siglock; can be an interrupt. */
static void probe_signal(void *data, int signo, struct kernel_siginfo *info, struct task_struct *p,
			 int to_group, int result)
{
	struct rings_slot slot;
	bool blocked;

	if (!record_wants_signal(p, signo, result))
		return;
	/* Whether it is blocked matters only if it was delivered. */
	blocked = result == TRACE_SIGNAL_DELIVERED && record_is_blocked(p, signo, to_group);
	if (!budget_begin(&slot, BUDGET_SIGNAL, likely(budget_exempts_signal(p, signo, result, blocked))))
		return;
	record_signal(rings_claim(&slot, PROCLIFE_SIGNAL), p, signo, info, to_group, result, blocked);
	rings_end(&slot, PROCLIFE_SIGNAL);
}

static void record_one_exit(struct task_struct *p, bool group_dead)
{
	struct rings_slot slot;

	record_exit(rings_begin(&slot, PROCLIFE_EXIT), p, group_dead);
	rings_end(&slot, PROCLIFE_EXIT);
}

#if COMPAT_EXIT_BEFORE_MM
static void probe_exit(void *data, struct task_struct *p, bool group_dead)
{
	record_one_exit(p, group_dead);
}
#else
static void probe_exit(void *data, struct task_struct *p)
{
	/* Two threads that exit at once can both find 0 here. */
	record_one_exit(p, atomic_read(&p->signal->live) == 0);
}
#endif

static void probe_free(void *data, struct task_struct *p)
{
	struct rings_slot slot;

	record_free(rings_begin(&slot, PROCLIFE_FREE), p);
	rings_end(&slot, PROCLIFE_FREE);
}

static void probe_wait(void *data, struct pid *pid)
{
	struct rings_slot slot;

	if (!budget_begin(&slot, BUDGET_WAIT, false))
		return;
	record_wait(rings_claim(&slot, PROCLIFE_WAIT), pid);
	rings_end(&slot, PROCLIFE_WAIT);
}

#if COMPAT_HAS_HANG
static void probe_hang(void *data, struct task_struct *p)
{
	struct rings_slot slot;

	proclife_record_hang(rings_begin(&slot, PROCLIFE_HANG), p);
	rings_end(&slot, PROCLIFE_HANG);
}
#endif

#if COMPAT_HAS_EXIT_MMAP
static void probe_gone(void *data, struct mm_struct *mm)
{
	proclife_hooks_gone(mm);
}
#endif

static void probe_victim(void *data, struct task_struct *victim, uid_t uid)
{
	struct rings_slot slot;

	proclife_record_oom(rings_begin(&slot, PROCLIFE_OOM), victim);
	rings_end(&slot, PROCLIFE_OOM);
}

/* Before Linux 6.8 (72ba14deb40a), which stable kernels have, too. */
static void probe_victim_pid(void *data, int pid)
{
	struct task_struct *victim;

	rcu_read_lock();
	victim = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	if (victim)
		probe_victim(data, victim, 0);
	rcu_read_unlock();
}

/* The prototype shows which one this kernel needs; its version does not. */
#define probe_oom                                                                                  \
	__builtin_choose_expr(__same_type(&trace_mark_victim, void (*)(int)), probe_victim_pid,    \
			      probe_victim)

#if COMPAT_HAS_CGROUPS
/* Under css_set_lock. */
static void probe_cgroup(void *data, struct cgroup *cgroup, const char *path, int populated)
{
	struct rings_slot slot;

	if (cgroup->root != &cgrp_dfl_root)
		return;
	if (!budget_begin(&slot, BUDGET_CGROUP, false))
		return;
	proclife_record_cgroup(rings_claim(&slot, PROCLIFE_CGROUP), cgroup, populated);
	rings_end(&slot, PROCLIFE_CGROUP);
}
#endif

/* A probe with a wrong prototype would be registered and called. Here it fails to compile. */
static void __maybe_unused check_prototypes(void)
{
	check_trace_callback_type_task_newtask(probe_fork);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_task_rename(probe_rename);
	check_trace_callback_type_signal_generate(probe_signal);
	check_trace_callback_type_sched_process_exit(probe_exit);
	check_trace_callback_type_sched_process_free(probe_free);
	check_trace_callback_type_sched_process_wait(probe_wait);
#if COMPAT_HAS_HANG
	check_trace_callback_type_sched_process_hang(probe_hang);
#endif
#if COMPAT_HAS_EXIT_MMAP
	check_trace_callback_type_exit_mmap(probe_gone);
#endif
	check_trace_callback_type_mark_victim(probe_oom);
#if COMPAT_HAS_CGROUPS
	check_trace_callback_type_cgroup_notify_populated(probe_cgroup);
#endif
}

struct probe {
	const char *name;
	void *function;
	u64 feature;
	bool required;
	const bool *wanted; /* by a parameter; NULL: always */
	u32 mm_mark;
	struct tracepoint *tracepoint; /* that it can be registered with */
	bool registered;
};

/* In the order of registration: FORK last, so that no life with a FORK lacks its later records. */
static struct probe probes[] = {
	{ "sched_process_free", probe_free, PROCLIFE_HAS(PROCLIFE_FREE), true },
	{ "sched_process_exit", probe_exit, PROCLIFE_HAS(PROCLIFE_EXIT), true },
	{ "sched_process_exec", probe_exec, PROCLIFE_HAS(PROCLIFE_EXEC), false },
	{ "task_rename", probe_rename, PROCLIFE_HAS(PROCLIFE_RENAME), false },
	{ "sched_process_wait", probe_wait, PROCLIFE_HAS(PROCLIFE_WAIT), false, &waits },
#if COMPAT_HAS_EXIT_MMAP
	{ "exit_mmap", probe_gone, PROCLIFE_HAS(PROCLIFE_MM), false, &proclife_memory,
	  PROCLIFE_HAS_MM(PROCLIFE_MM_GONE) },
#endif
	{ "mark_victim", probe_oom, PROCLIFE_HAS(PROCLIFE_OOM), false },
#if COMPAT_HAS_CGROUPS
	{ "cgroup_notify_populated", probe_cgroup, PROCLIFE_HAS(PROCLIFE_CGROUP), false, &cgroups },
#endif
#if COMPAT_HAS_HANG
	{ "sched_process_hang", probe_hang, PROCLIFE_HAS(PROCLIFE_HANG), false },
#endif
	{ "signal_generate", probe_signal, PROCLIFE_HAS(PROCLIFE_SIGNAL), false, &signals },
	{ "task_newtask", probe_fork, PROCLIFE_HAS(PROCLIFE_FORK), true },
};

static void match_tracepoint(struct tracepoint *tp, void *found)
{
	struct tracepoint **entry = found;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			entry[i] = tp;
}

static void unregister_probes(void)
{
	size_t i = ARRAY_SIZE(probes);

	while (i-- > 0) {
		struct probe *p = &probes[i];

		if (p->registered)
			tracepoint_probe_unregister(p->tracepoint, p->function, NULL);
		p->registered = false;
	}
	tracepoint_synchronize_unregister();
}

static int register_probes(void)
{
	/* Core tracepoints live as long as the kernel, so the pointers stay good. */
	struct tracepoint *found[ARRAY_SIZE(probes)] = {};
	size_t i;

	for_each_kernel_tracepoint(match_tracepoint, found);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		struct probe *p = &probes[i];
		int ret = -ENOENT;

		if (p->wanted && !*p->wanted)
			continue;
		if (found[i])
			ret = tracepoint_probe_register(found[i], p->function, NULL);
		if (!ret) {
			p->tracepoint = found[i];
			p->registered = true;
			proclife_rings_header()->features |= p->feature;
			proclife_rings_header()->mm_marks |= p->mm_mark;
			continue;
		}
		if (p->required) {
			pr_err("tracepoint %s: cannot be probed on this kernel (%d), nothing to record without it\n",
			       p->name, ret);
			unregister_probes();
			return ret;
		}
		pr_warn("tracepoint %s: cannot be probed on this kernel (%d), recording without it\n",
			p->name, ret);
	}
	return 0;
}

void proclife_probes_stop(void)
{
	unregister_probes();
}

/* Those that there were, whatever could be probed now. */
int proclife_probes_start(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		struct probe *p = &probes[i];

		if (!p->tracepoint)
			continue;
		ret = tracepoint_probe_register(p->tracepoint, p->function, NULL);
		if (ret == -ENOMEM) /* again: memory may have been short for a moment only */
			ret = tracepoint_probe_register(p->tracepoint, p->function, NULL);
		if (ret) {
			unregister_probes();
			return ret;
		}
		p->registered = true;
	}
	return 0;
}

/* One exec must not overwrite the whole ring, nor its own EXEC record. */
int proclife_probes_check(void)
{
	u64 records = proclife_rings_header()->records_per_ring;
	u64 room = (records / 2 - 1) * PROCLIFE_ARGS_LEN;
	unsigned int needed;
	int ret;

	if (args_bytes > ARGS_BYTES_MAX) {
		pr_err("args_bytes=%u: must be from 0 to %d\n", args_bytes, ARGS_BYTES_MAX);
		return -EINVAL;
	}
	if (args_bytes > room) {
		pr_err("args_bytes=%u: must be from 0 to %llu, or one exec takes more than half of a ring of ring_kb=%llu\n",
		       args_bytes, room, records * sizeof(struct proclife_record) / 1024);
		return -EINVAL;
	}
	ret = proclife_paths_check();
	if (ret)
		return ret;
	needed = DIV_ROUND_UP(args_bytes, PROCLIFE_ARGS_LEN) + proclife_paths_most();
	if (needed > records / 2 - 1) {
		pr_err("paths, env: one exec can take %u records, more than half of a ring of ring_kb=%llu: make the rings larger\n",
		       needed, records * sizeof(struct proclife_record) / 1024);
		return -EINVAL;
	}
	return 0;
}

int proclife_probes_init(void)
{
	int ret = proclife_paths_init();

	if (ret)
		return ret;
	ret = register_probes();
	if (ret) {
		proclife_paths_exit();
		return ret;
	}
	if (proclife_rings_header()->features & PROCLIFE_HAS(PROCLIFE_EXEC)) {
		proclife_rings_header()->args_bytes = args_bytes;
		proclife_rings_header()->features |= args_bytes ? PROCLIFE_HAS(PROCLIFE_ARGS) : 0;
	}
	proclife_paths_features();
	proclife_rings_header()->features |= PROCLIFE_HAS(PROCLIFE_SUPPRESSED);
	return 0;
}

void proclife_probes_exit(void)
{
	unregister_probes();
	proclife_paths_exit();
}
