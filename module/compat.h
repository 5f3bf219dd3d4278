/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that differs between the kernels that proclife supports, 5.10 to 7.3. Only this file and
 * supported.h test versions; each macro here is always 0 or 1, or gives one name to what kernels name
 * differently.
 */
#ifndef PROCLIFE_COMPAT_H
#define PROCLIFE_COMPAT_H

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/user_namespace.h>
#include <linux/version.h>

/*
 * Linux 6.16 gave sched_process_exit an argument group_dead and moved it ahead of exit_mm().
 */
#define COMPAT_EXIT_BEFORE_MM (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0))

/* Linux 6.18 (edd3cb05c00a) made the clone_flags of task_newtask a u64. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
typedef u64 compat_clone_flags;
#else
typedef unsigned long compat_clone_flags;
#endif

#ifdef CONFIG_X86_64
#define COMPAT_X86_64 1
#else
#define COMPAT_X86_64 0
#endif

/* The module can compute the kernel's time from the TSC by itself. */
#if COMPAT_X86_64
#define COMPAT_HAS_TSC 1
#else
#define COMPAT_HAS_TSC 0
#endif

/* One CPU's counter may be a tick behind another's (The RISC-V Unprivileged ISA, Zicntr). */
#ifdef CONFIG_RISCV
#define COMPAT_TICK_APART 1
#else
#define COMPAT_TICK_APART 0
#endif

/*
 * How an ftrace_ops callback gets the function's arguments. Since Linux 6.2, by an accessor that
 * all architectures have (94d095ffa0e1). Since 5.11 on x86, from ftrace_regs, without saving all
 * registers (02a474ca266a). Before that on x86, all registers are saved, and a callback also has to
 * say that it needs no protection against recursion (a25d036d939a made this the default).
 */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define COMPAT_FTRACE_ARGS 1
#define COMPAT_FTRACE_FLAGS 0
#define compat_ftrace_regs ftrace_regs
#define compat_ftrace_argument(regs, n) ftrace_regs_get_argument(regs, n)
#elif COMPAT_X86_64 && defined(CONFIG_DYNAMIC_FTRACE) && \
	defined(CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS) && \
	LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define COMPAT_FTRACE_ARGS 1
#define COMPAT_FTRACE_FLAGS 0
#define compat_ftrace_regs ftrace_regs
#define compat_ftrace_argument(fregs, n) regs_get_kernel_argument(&(fregs)->regs, n)
#elif COMPAT_X86_64 && defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define COMPAT_FTRACE_ARGS 1
#define COMPAT_FTRACE_FLAGS (FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION_SAFE)
#define compat_ftrace_regs pt_regs
#define compat_ftrace_argument(regs, n) regs_get_kernel_argument(regs, n)
#else
#define COMPAT_FTRACE_ARGS 0
#endif

/*
 * A cold function that hot ones call: compat_preserving in its definition, and called by compat_call().
 * On x86 it leaves all registers as they are, and the compiler, to which the call is no call, knows it.
 * Otherwise the hot function would keep what it still needs in registers that a callee preserves, and
 * save their old contents at its own beginning, always: 9 to 21 instructions of the 104 to 146 of most
 * records (bench-probe with and without). The kernel calls preempt_schedule_thunk() in the same way. The
 * attribute of clang leaves out the registers of arguments, and of what it calls last.
 */
#if COMPAT_X86_64 && !defined(__clang__)
#define compat_preserving notrace __attribute__((__no_caller_saved_registers__))
#define compat_call(function, first)						\
	__asm__ __volatile__("call %P[to]" : ASM_CALL_CONSTRAINT		\
			     : [to] "i"(function), "D"(first) : "memory", "cc")
#define compat_call2(function, first, second)					\
	__asm__ __volatile__("call %P[to]" : ASM_CALL_CONSTRAINT		\
			     : [to] "i"(function), "D"(first), "S"(second) : "memory", "cc")
#else
#define compat_preserving
#define compat_call(function, first) function(first)
#define compat_call2(function, first, second) function(first, second)
#endif

/* Linux 6.1 (d4af56c5c7c6) has a tracepoint at the end of exit_mmap(). */
#define COMPAT_HAS_EXIT_MMAP (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0))

/* Linux 6.19 (d245698d727a) lets an exiting task leave its cgroup after its last switch. */
#define COMPAT_CGROUP_LEAVE_SWITCH (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0))

/*
 * KiB by which each count of get_mm_counter() can be wrong. Since Linux 6.2 (f1a7941243c1), a CPU
 * keeps up to a batch for itself; before that, each thread kept what 66 faults had mapped, which is up
 * to 16 pages each of a file, unless fault_around_bytes was raised.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && !defined(CONFIG_SMP)
#define compat_rss_error() ((u64)PAGE_SIZE / 1024) /* exact, but 0 would mean unknown */
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define compat_rss_error() (((u64)percpu_counter_batch * num_online_cpus()) << (PAGE_SHIFT - 10))
#else
#define compat_rss_error() ((u64)66 * 16 << (PAGE_SHIFT - 10))
#endif

/*
 * What a thread group has in its flags while it ends as a whole. Before Linux 5.17 (752dc9707567,
 * 2f824d4d197e), one that dumps core has a flag of its own until the dump is done.
 */
#ifdef SIGNAL_GROUP_COREDUMP
#define COMPAT_SIGNAL_GROUP_EXIT (SIGNAL_GROUP_EXIT | SIGNAL_GROUP_COREDUMP)
#else
#define COMPAT_SIGNAL_GROUP_EXIT SIGNAL_GROUP_EXIT
#endif

/* Linux 7.1 has CLONE_AUTOREAP: a process that no parent waits for or gets a signal for. */
#ifdef CLONE_AUTOREAP
#define compat_is_autoreaped(p) ((p)->signal->autoreap)
#else
#define compat_is_autoreaped(p) false
#endif

/* How long a task waited for a CPU. Each distribution counts it, for /proc/PID/schedstat. */
#ifdef CONFIG_SCHED_INFO
#define COMPAT_HAS_RUN_DELAY 1
#define compat_run_delay(p) task_peek((p)->sched_info.run_delay)
#else
#define COMPAT_HAS_RUN_DELAY 0
#define compat_run_delay(p) 0
#endif

#ifdef CONFIG_TASK_IO_ACCOUNTING
#define COMPAT_HAS_IO 1
#define compat_read_bytes(p) task_peek((p)->ioac.read_bytes)
#define compat_write_bytes(p) task_peek((p)->ioac.write_bytes)
#else
#define COMPAT_HAS_IO 0
#define compat_read_bytes(p) 0
#define compat_write_bytes(p) 0
#endif

/*
 * d_path() can take spinlocks, which sleep on PREEMPT_RT. There, tracepoints disable preemption until Linux
 * 7.0 (a46023d5616e).
 */
#if defined(CONFIG_PREEMPT_RT) && LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define COMPAT_HAS_PATHS 0
#else
#define COMPAT_HAS_PATHS 1
#endif

/* The sequence count of a fs_struct, which newer kernels have in a seqlock. */
#define compat_fs_seq(fs)                                                                                \
	__builtin_choose_expr(__same_type((fs)->seq, seqlock_t),                                         \
			      &((const seqlock_t *)(const void *)&(fs)->seq)->seqcount,                  \
			      (const seqcount_spinlock_t *)(const void *)&(fs)->seq)

/* sched_process_hang exists only with the hung task detector. */
#ifdef CONFIG_DETECT_HUNG_TASK
#define COMPAT_HAS_HANG 1
#else
#define COMPAT_HAS_HANG 0
#endif

/* Linux 6.4 (54e6842d0775) has PF_USER_WORKER besides PF_IO_WORKER, for vhost's threads. */
#ifdef PF_USER_WORKER
#define COMPAT_PF_WORKER (PF_IO_WORKER | PF_USER_WORKER)
#else
#define COMPAT_PF_WORKER PF_IO_WORKER
#endif

/* Linux 6.3 (bc292ab00f6c) has accessors for vm_flags, and no direct writes. */
static inline void compat_vm_flags(struct vm_area_struct *vma, unsigned long set,
				   unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Linux 6.13 (908a1d775422) sets a timer up with its function; 6.18 has no hrtimer_init() any more. */
static inline void compat_hrtimer_setup(struct hrtimer *timer,
					enum hrtimer_restart (*function)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* An argument of a function, 0 or 1, at its entry. Older kernels of riscv64 have no accessor. */
static __always_inline unsigned long compat_argument(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	return regs_get_kernel_argument(regs, n);
#else
	return n ? regs->a1 : regs->a0;
#endif
}

/*
 * The functions of the system calls, and where one finds its arguments. Linux 4.17 (5ac9efa3c50d) on x86,
 * 4.19 (4378a7d4be30) on arm64 and 6.6 (08d0ce30e0e4) on riscv64 gave them one argument, the registers of
 * user space.
 */
#if COMPAT_X86_64
#define COMPAT_SYSCALL "__x64_sys_"
#define COMPAT_SYSCALL_32 "__ia32_compat_sys_"
#elif defined(CONFIG_ARM64)
#define COMPAT_SYSCALL "__arm64_sys_"
#define COMPAT_SYSCALL_32 "__arm64_compat_sys_"
#elif defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
#define COMPAT_SYSCALL "__riscv_sys_"
#define COMPAT_SYSCALL_32 "__riscv_compat_sys_"
#else
#define COMPAT_SYSCALL "sys_"
#define COMPAT_SYSCALL_32 "compat_sys_"
#endif

/* Argument 0, 1 or 4 of such a function, at its entry. */
static __always_inline unsigned long compat_syscall_argument(struct pt_regs *regs, unsigned int n, bool is_32)
{
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	const struct pt_regs *user = (const void *)compat_argument(regs, 0);
#else
	const struct pt_regs *user = regs;
#endif

#if COMPAT_X86_64
	if (is_32)
		return (u32)(n == 0 ? user->bx : n == 1 ? user->cx : user->di);
	return n == 0 ? user->di : n == 1 ? user->si : user->r8;
#elif defined(CONFIG_ARM64)
	return is_32 ? (u32)user->regs[n] : user->regs[n];
#elif defined(CONFIG_ARCH_HAS_SYSCALL_WRAPPER)
	return n == 0 ? user->orig_a0 : n == 1 ? user->a1 : user->a4;
#else
	return n == 0 ? user->a0 : n == 1 ? user->a1 : user->a4;
#endif
}

/*
 * Does RLIMIT_NPROC refuse the next process of these credentials? Until Linux 5.13, a user has one count.
 * Since 5.14 (21d1c5e386bc), each user namespace counts, too. 5.14 to 6.0 keep the counts elsewhere: not
 * known there.
 */
static inline bool compat_nproc_refuses(const struct cred *cred, unsigned long limit)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
	const struct ucounts *counts;
	unsigned long most = limit;

	for (counts = cred->ucounts; counts; counts = counts->ns->ucounts) {
		unsigned long found = atomic_long_read(&counts->rlimit[UCOUNT_RLIMIT_NPROC]);

		if (found >= most)
			return true;
		most = READ_ONCE(counts->ns->rlimit_max[UCOUNT_RLIMIT_NPROC]);
	}
	return false;
#elif LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	return (unsigned long)atomic_read(&cred->user->processes) >= limit;
#else
	return false;
#endif
}

#ifdef CONFIG_CGROUPS
#define COMPAT_HAS_CGROUPS 1
#else
#define COMPAT_HAS_CGROUPS 0
#endif

#endif
