// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

/*
 * A fork or an exec has failed when its function returns an error, so this hooks returns. Only kretprobes
 * do that in modules of all kernels; each call that is going on needs an instance of one.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>

#include "budget.h"
#include "failures.h"
#include "record.h"

static bool failures;
module_param(failures, bool, 0444);
MODULE_PARM_DESC(failures, "record forks and execs that fail, with hooks on where these return (N)");

/* An exec that is going on. */
struct attempt {
	unsigned long path;
	const struct mm_struct *mm; /* only compared: an exec that gets far enough replaces it */
	bool empty_is_fd;
};

/*
 * Which limit has refused a task's fork, between where that was decided and where copy_process() returns. A
 * word is the task's address and, in the low bits, the limit. Two tasks in one slot, at that moment: one
 * limit is not known.
 */
#define REFUSALS_BITS 6
static unsigned long refusals[1 << REFUSALS_BITS];

static unsigned long *refusal_of(const struct task_struct *p)
{
	return &refusals[hash_ptr(p, REFUSALS_BITS)];
}

static void note_refusal(u32 limit)
{
	BUILD_BUG_ON(__alignof__(struct task_struct) <= PROCLIFE_LIMIT_NO_INIT);
	WRITE_ONCE(*refusal_of(current), (unsigned long)current | limit);
}

/* Returns what was noted for current, or 0, and forgets it. */
static u32 take_refusal(void)
{
	unsigned long *slot = refusal_of(current), noted = READ_ONCE(*slot);

	if (likely((noted ^ (unsigned long)current) > PROCLIFE_LIMIT_NO_INIT))
		return 0;
	cmpxchg(slot, noted, 0);
	return noted ^ (unsigned long)current;
}

/*
 * The kernel compares the limit first of all, and lets root and these capabilities through. What it has
 * counted for this fork it has taken back already. Another task of the user can have ended since: then this
 * is not known.
 */
static bool nproc_refuses(void)
{
	const struct cred *cred = current_cred();

	if (uid_eq(cred->user->uid, GLOBAL_ROOT_UID))
		return false;
	if (cred->user_ns == &init_user_ns && (cap_raised(cred->cap_effective, CAP_SYS_RESOURCE) ||
					       cap_raised(cred->cap_effective, CAP_SYS_ADMIN)))
		return false;
	return compat_nproc_refuses(cred, rlimit(RLIMIT_NPROC));
}

/* A signal is handled first. Then the kernel mostly makes the call again, so this is no failure yet. */
static bool is_begun_again(long error)
{
	return error <= -ERESTARTSYS && error >= -ERESTART_RESTARTBLOCK && error != -ENOIOCTLCMD;
}

static bool is_off;

void proclife_failures_stop(void)
{
	WRITE_ONCE(is_off, true);
}

void proclife_failures_start(void)
{
	WRITE_ONCE(is_off, false);
}

static void probe_fail(u32 what, long error, u32 limit, unsigned long path, bool by_fd)
{
	struct rings_slot slot;

	if (READ_ONCE(is_off) || !budget_begin(&slot, BUDGET_FAIL, false))
		return;
	proclife_record_fail(rings_claim(&slot, PROCLIFE_FAIL), what, -error, limit, path, by_fd);
	rings_end(&slot, PROCLIFE_FAIL);
}

/* Should a return have been missed, what was noted before is of an older fork. */
static int enter_fork(struct kretprobe_instance *call, struct pt_regs *regs)
{
	take_refusal();
	return 0;
}
NOKPROBE_SYMBOL(enter_fork);

static int leave_fork(struct kretprobe_instance *call, struct pt_regs *regs)
{
	long error = regs_return_value(regs);
	u32 limit;

	if (!IS_ERR_VALUE(error) || is_begun_again(error)) /* it says itself that errors are unlikely */
		return 0;
	limit = take_refusal();
	if (error != -EAGAIN && !(error == -ENOMEM && limit == PROCLIFE_LIMIT_NO_INIT))
		limit = 0;
	else if (!limit && nproc_refuses())
		limit = PROCLIFE_LIMIT_NPROC;
	probe_fail(PROCLIFE_FAIL_FORK, error, limit, 0, false);
	return 0;
}
NOKPROBE_SYMBOL(leave_fork);

/* It returns the number, or the error, in a pointer. */
static int leave_alloc_pid(struct kretprobe_instance *call, struct pt_regs *regs)
{
	long ret = (long)regs_return_value(regs);

	if (unlikely(ret == -EAGAIN))
		note_refusal(PROCLIFE_LIMIT_PID_MAX);
	else if (unlikely(ret == -ENOMEM) &&
		 !(current->nsproxy->pid_ns_for_children->pid_allocated & PIDNS_ADDING))
		note_refusal(PROCLIFE_LIMIT_NO_INIT);
	return 0;
}
NOKPROBE_SYMBOL(leave_alloc_pid);

static int leave_pids_can_fork(struct kretprobe_instance *call, struct pt_regs *regs)
{
	if (unlikely((int)regs_return_value(regs) == -EAGAIN))
		note_refusal(PROCLIFE_LIMIT_PIDS_MAX);
	return 0;
}
NOKPROBE_SYMBOL(leave_pids_can_fork);

static __always_inline void begin_exec(struct kretprobe_instance *call, unsigned long path, bool empty_is_fd)
{
	*(struct attempt *)call->data = (struct attempt){
		.path = path, .mm = current->mm, .empty_is_fd = empty_is_fd,
	};
}

static int enter_execve(struct kretprobe_instance *call, struct pt_regs *regs)
{
	begin_exec(call, compat_syscall_argument(regs, 0, false), false);
	return 0;
}
NOKPROBE_SYMBOL(enter_execve);

static int enter_execve_32(struct kretprobe_instance *call, struct pt_regs *regs)
{
	begin_exec(call, compat_syscall_argument(regs, 0, true), false);
	return 0;
}
NOKPROBE_SYMBOL(enter_execve_32);

static int enter_execveat(struct kretprobe_instance *call, struct pt_regs *regs)
{
	begin_exec(call, compat_syscall_argument(regs, 1, false),
		   compat_syscall_argument(regs, 4, false) & AT_EMPTY_PATH);
	return 0;
}
NOKPROBE_SYMBOL(enter_execveat);

static int enter_execveat_32(struct kretprobe_instance *call, struct pt_regs *regs)
{
	begin_exec(call, compat_syscall_argument(regs, 1, true),
		   compat_syscall_argument(regs, 4, true) & AT_EMPTY_PATH);
	return 0;
}
NOKPROBE_SYMBOL(enter_execveat_32);

/*
 * The path is read here rather than at the entry: neither may sleep for a page that is not in memory, and
 * the kernel has just read it, so that it is. With EFAULT, it may not be: Linux 5.10 counts a page fault in
 * a handler as a call that was missed. An exec that fails late has replaced the memory that the path was
 * in.
 */
static int leave_exec(struct kretprobe_instance *call, struct pt_regs *regs)
{
	const struct attempt *attempt = (const void *)call->data;
	long error = regs_return_value(regs);
	bool has_path;

	if (!IS_ERR_VALUE(error) || is_begun_again(error))
		return 0;
	has_path = error != -EFAULT && attempt->mm == current->mm;
	probe_fail(PROCLIFE_FAIL_EXEC, error, 0, has_path ? attempt->path : 0, attempt->empty_is_fd);
	return 0;
}
NOKPROBE_SYMBOL(leave_exec);

/*
 * How many calls can be going on at the same time: forks that wait for memory, and execs that wait for a
 * disk, such as at the start of a machine. More of them are missed, and counted.
 */
#define MOST_FORKS 256
#define MOST_EXECS 1024
#define MOST_EXECS_32 64

enum failure_id {
	FAILURE_FORK,
	FAILURE_EXECVE,
	FAILURE_EXECVEAT,
	/*
	 * Not in each kernel; without the first two, execs of 32-bit programs and without others some
	 * limits are missing.
	 */
	FAILURE_EXECVE_32,
	FAILURE_EXECVEAT_32,
	FAILURE_ALLOC_PID,
	FAILURE_PIDS_CAN_FORK,
	FAILURES,
};

#define HOOK(function, enter, leave, most, size)						\
	{											\
		.kp.symbol_name = function, .entry_handler = enter, .handler = leave,		\
		.maxactive = most, .data_size = size						\
	}
#define EXEC(function, enter, most) HOOK(function, enter, leave_exec, most, sizeof(struct attempt))

/* The compiler clones what the two system calls of an exec have in common: so these themselves are hooked. */
static struct kretprobe kretprobes[FAILURES] = {
	[FAILURE_FORK] = HOOK("copy_process", enter_fork, leave_fork, MOST_FORKS, 0),
	[FAILURE_EXECVE] = EXEC(COMPAT_SYSCALL "execve", enter_execve, MOST_EXECS),
	[FAILURE_EXECVEAT] = EXEC(COMPAT_SYSCALL "execveat", enter_execveat, MOST_EXECS),
	[FAILURE_EXECVE_32] = EXEC(COMPAT_SYSCALL_32 "execve", enter_execve_32, MOST_EXECS_32),
	[FAILURE_EXECVEAT_32] = EXEC(COMPAT_SYSCALL_32 "execveat", enter_execveat_32, MOST_EXECS_32),
	[FAILURE_ALLOC_PID] = HOOK("alloc_pid", NULL, leave_alloc_pid, MOST_FORKS, 0),
	[FAILURE_PIDS_CAN_FORK] = HOOK("pids_can_fork", NULL, leave_pids_can_fork, MOST_FORKS, 0),
};

static bool is_hooked[FAILURES];

static int attach(struct kretprobe *probe)
{
	int ret = register_kretprobe(probe);

	if (ret == -ENOMEM) { /* again: memory may have been short for a moment only */
		probe->kp.addr = NULL;
		ret = register_kretprobe(probe);
	}
	return ret;
}

static bool tried_hit;

static noinline int tried(void)
{
	barrier(); /* the compiler must not take what it returns for granted */
	return 0;
}

static int leave_tried(struct kretprobe_instance *call, struct pt_regs *regs)
{
	WRITE_ONCE(tried_hit, true);
	return 0;
}
NOKPROBE_SYMBOL(leave_tried);

/*
 * Are such hooks called? Where kprobes use ftrace, kernel.ftrace_enabled switches them off, and so does a
 * file of debugfs, without any error. So this hooks a function of its own.
 */
static int try_hook(void)
{
	struct kretprobe probe = HOOK(NULL, NULL, leave_tried, 1, 0);
	int ret;

	probe.kp.addr = (kprobe_opcode_t *)tried;
	ret = register_kretprobe(&probe);
	if (ret)
		return ret;
	tried();
	unregister_kretprobe(&probe);
	return READ_ONCE(tried_hit) ? 0 : -EBUSY;
}

static void warn_of(enum failure_id id, int error)
{
	static const char *const what[] = { "forks", "execve(2)", "execveat(2)" };

	if (id <= FAILURE_EXECVEAT)
		pr_warn("%s(): its return cannot be hooked (%d), recording without the FAIL of %s\n",
			kretprobes[id].kp.symbol_name, error, what[id]);
}

/* Without them, all the rest is still recorded. */
void proclife_failures_init(void)
{
	unsigned int id;
	int ret, useless;

	if (!failures)
		return;
	useless = try_hook();
	if (useless == -EBUSY)
		pr_warn("kprobes are switched off, as by kernel.ftrace_enabled=0; set it to 1 and load the module again\n");
	/* Backwards: a limit is known before the first fork that it refuses. */
	for (id = FAILURES; id-- > 0;) {
		ret = useless ?: attach(&kretprobes[id]);
		is_hooked[id] = !ret;
		if (ret)
			warn_of(id, ret);
		else if (id <= FAILURE_EXECVEAT)
			proclife_rings_header()->features |= PROCLIFE_HAS(PROCLIFE_FAIL);
	}
}

void proclife_failures_exit(void)
{
	unsigned int id;

	for (id = 0; id < FAILURES; id++) {
		if (!is_hooked[id])
			continue;
		unregister_kretprobe(&kretprobes[id]);
		/* A cleared address is the only sign that it is still there; see proclife_detach(). */
		while (!kretprobes[id].kp.addr) {
			pr_crit_once("ftrace does not remove the hook of a return, as after an internal fault; the module cannot be unloaded until the next boot\n");
			schedule_timeout_idle(HZ);
		}
	}
}

unsigned long proclife_failures_missed(void)
{
	unsigned long missed = 0;
	unsigned int id;

	/* Kprobes count their misses without a lock. The last two say only why a fork failed. */
	for (id = 0; id < FAILURE_ALLOC_PID; id++)
		missed += data_race(READ_ONCE(kretprobes[id].nmissed)) +
			  data_race(READ_ONCE(kretprobes[id].kp.nmissed));
	return missed;
}
