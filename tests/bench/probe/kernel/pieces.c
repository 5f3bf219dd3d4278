// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of each piece of a record: reading /sys/kernel/debug/proclife_pieces runs each of them many
 * times with interrupts off and prints what one takes, in thousandths of a nanosecond, which under
 * -icount are instructions. The pieces are the module's own code, of record.c and rings.h.
 */
#include <linux/debugfs.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "budget.h"
#include "clock.h"
#include "readers.h"
#include "record.c" /* its slower functions are this module's, too */
#include "rings.h"

#define TIMES 10000

/* Not static, so that the compiler keeps the writes. */
extern struct proclife_record slot;
struct proclife_record slot;
static struct kernel_siginfo siginfo = { .si_signo = SIGTERM, .si_code = SI_USER };

static void nothing(void)
{
	barrier();
}

static void piece_tsc(void)
{
	slot.ts = rdtsc();
}

static void piece_tsc_ordered(void)
{
	slot.ts = rdtsc_ordered();
}

static void piece_ktime(void)
{
	slot.ts = ktime_get_ns();
}

static void piece_clock(void)
{
	clock_take(&slot.ts);
}

static void piece_clock_fast(void)
{
	slot.ts = ktime_get_mono_fast_ns();
}

static void piece_local_clock(void)
{
	slot.ts = local_clock();
}

static void piece_irqs(void)
{
	unsigned long flags;

	local_irq_save(flags);
	barrier();
	local_irq_restore(flags);
}

static void piece_ring(void)
{
	struct proclife_ring *ring = &this_cpu_ptr(&proclife_rings)->ring;
	struct proclife_record *r = proclife_ring_reserve(ring);

	r->type = PROCLIFE_HANG;
	if (unlikely(proclife_ring_commit(ring, PROCLIFE_HANG)))
		proclife_rings_wake(this_cpu_ptr(&proclife_rings));
}

static void piece_bare(void)
{
	struct rings_slot at;

	rings_begin(&at, PROCLIFE_HANG);
	rings_end(&at, PROCLIFE_HANG);
}

static void piece_handle(void)
{
	slot.task = take_handle(current);
}

static void piece_hash(void)
{
	slot.task = proclife_handle_of(HANDLE_TASK, current);
}

static void piece_comm(void)
{
	take_comm(slot.comm, current->comm);
}

static void piece_head(void)
{
	take_head(&slot, current);
}

static void piece_cgroup(void)
{
	slot.fork.cgroup = take_cgroup(current);
}

static void piece_uid(void)
{
	slot.fork.uid = take_uid(current);
}

static void piece_ns_pid(void)
{
	take_ns_pid(current, &slot.fork.ns_pid, &slot.fork.ns_inum);
}

static void piece_fork(void)
{
	struct rings_slot at;

	record_fork(rings_begin(&at, PROCLIFE_FORK), current, 0);
	rings_end(&at, PROCLIFE_FORK);
}

static void piece_wait(void)
{
	struct rings_slot at;

	this_cpu_ptr(&proclife_budget)->accounts[BUDGET_WAIT].left = 2; /* the budget of a task that works */
	if (budget_begin(&at, BUDGET_WAIT, false))
		record_wait(rings_claim(&at, PROCLIFE_WAIT), task_pid(current));
	rings_end(&at, PROCLIFE_WAIT);
}

static void piece_exit(void)
{
	struct rings_slot at;

	record_exit(rings_begin(&at, PROCLIFE_EXIT), current, true);
	rings_end(&at, PROCLIFE_EXIT);
}

static void piece_signal(void)
{
	struct rings_slot at;

	if (record_wants_signal(current, SIGTERM, 0))
		record_signal(rings_begin(&at, PROCLIFE_SIGNAL), current, SIGTERM, &siginfo, true, 0,
			      false);
	rings_end(&at, PROCLIFE_SIGNAL);
}

static void piece_notify(void)
{
	struct rings_slot at;

	record_notify(rings_begin(&at, PROCLIFE_NOTIFY), current, SIGCHLD);
	rings_end(&at, PROCLIFE_NOTIFY);
}

static void piece_reap(void)
{
	struct rings_slot at;

	record_reap(rings_begin(&at, PROCLIFE_REAP), current);
	rings_end(&at, PROCLIFE_REAP);
}

static void piece_free(void)
{
	struct rings_slot at;

	record_free(rings_begin(&at, PROCLIFE_FREE), current);
	rings_end(&at, PROCLIFE_FREE);
}

static void piece_rename(void)
{
	struct rings_slot at;

	proclife_record_rename(rings_begin(&at, PROCLIFE_RENAME), current, "name");
	rings_end(&at, PROCLIFE_RENAME);
}

static struct linux_binprm bprm = { .filename = "/usr/lib/gcc/x86_64-linux-gnu/12/cc1" };

static void piece_exec(void)
{
	struct rings_slot at;

	proclife_record_exec(rings_begin(&at, PROCLIFE_EXEC), current, current->pid, &bprm);
	rings_end(&at, PROCLIFE_EXEC);
}

static void piece_args(void)
{
	struct rings_slot at;

	proclife_record_args(rings_begin(&at, PROCLIFE_ARGS), 0, PROCLIFE_ARGS_LEN);
	rings_end(&at, PROCLIFE_ARGS);
}

/* The cost of the hook of REAP: the ways to hook a function that has no tracepoint. */
noinline void proclife_pieces_target(struct task_struct *p);
noinline void proclife_pieces_target(struct task_struct *p)
{
	barrier();
}

static void piece_target(void)
{
	proclife_pieces_target(current);
}

static int on_kprobe(struct kprobe *kprobe, struct pt_regs *regs)
{
	slot.task = regs_get_kernel_argument(regs, 0);
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

static struct kprobe kprobe;

static int kprobe_on(void)
{
	kprobe = (struct kprobe){
		.addr = (void *)proclife_pieces_target,
		.pre_handler = on_kprobe,
	};
	return register_kprobe(&kprobe);
}

static void kprobe_off(void)
{
	unregister_kprobe(&kprobe);
}

#if COMPAT_FTRACE_ARGS
static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *regs)
{
	slot.task = compat_ftrace_argument(regs, 0);
}

static struct ftrace_ops ftrace_ops = { .func = on_ftrace };

static int ftrace_on(void)
{
	char name[] = "proclife_pieces_target";
	int ret = ftrace_set_filter(&ftrace_ops, name, strlen(name), 1);

	if (!ret)
		ret = register_ftrace_function(&ftrace_ops);
	if (ret)
		ftrace_free_filter(&ftrace_ops);
	return ret;
}

static void ftrace_off(void)
{
	unregister_ftrace_function(&ftrace_ops);
	ftrace_free_filter(&ftrace_ops);
}
#endif

static const struct {
	const char *name;
	void (*run)(void);
	int (*on)(void);
	void (*off)(void);
} table[] = {
	{ "nothing", nothing },
	{ "rdtsc", piece_tsc },
	{ "rdtsc_ordered", piece_tsc_ordered },
	{ "local_clock", piece_local_clock },
	{ "ktime_get_ns", piece_ktime },
	{ "ktime_get_mono_fast_ns", piece_clock_fast },
	{ "clock_take", piece_clock },
	{ "irqs_off_and_on", piece_irqs },
	{ "ring", piece_ring },
	{ "record_without_fields", piece_bare },
	{ "handle", piece_handle },
	{ "handle_not_cached", piece_hash },
	{ "comm", piece_comm },
	{ "head", piece_head },
	{ "cgroup", piece_cgroup },
	{ "uid", piece_uid },
	{ "ns_pid", piece_ns_pid },
	{ "FORK", piece_fork },
	{ "WAIT", piece_wait },
	{ "EXIT", piece_exit },
	{ "SIGNAL", piece_signal },
	{ "NOTIFY", piece_notify },
	{ "REAP", piece_reap },
	{ "FREE", piece_free },
	{ "RENAME", piece_rename },
	{ "EXEC", piece_exec },
	{ "ARGS", piece_args },
	{ "function", piece_target },
	{ "function_kprobe", piece_target, kprobe_on, kprobe_off },
#if COMPAT_FTRACE_ARGS
	{ "function_ftrace", piece_target, ftrace_on, ftrace_off },
#endif
};

static noinline u64 take_once(void (*run)(void))
{
	unsigned long flags;
	u64 began, took;
	int i;

	run(); /* warm */
	local_irq_save(flags);
	began = ktime_get_ns();
	for (i = 0; i < TIMES; i++)
		run();
	took = ktime_get_ns() - began;
	local_irq_restore(flags);
	return took;
}

/* The least of several runs: the emulator translates code on the first one. */
static u64 take(void (*run)(void))
{
	u64 least = take_once(run);
	int i;

	for (i = 0; i < 4; i++)
		least = min(least, take_once(run));
	return least;
}

static int pieces_show(struct seq_file *m, void *unused)
{
	u64 none = take(nothing);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		int ret = table[i].on ? table[i].on() : 0;
		u64 took;

		if (ret)
			return ret;
		took = take(table[i].run);
		if (table[i].off)
			table[i].off();
		seq_printf(m, "%s %lld\n", table[i].name,
			   (s64)(took - (i ? none : 0)) * 1000 / TIMES);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(pieces);

static struct dentry *file;

static int __init pieces_init(void)
{
	int ret;

	ret = proclife_handle_init();
	if (ret)
		return ret;
	ret = proclife_clock_init();
	if (ret)
		goto exit_handle;
	ret = proclife_readers_init();
	if (ret)
		goto exit_clock;
	ret = proclife_rings_init();
	if (ret)
		goto exit_readers;
	file = debugfs_create_file("proclife_pieces", 0400, NULL, NULL, &pieces_fops);
	return 0;

exit_readers:
	proclife_readers_exit();
exit_clock:
	proclife_clock_exit();
exit_handle:
	proclife_handle_exit();
	return ret;
}

static void __exit pieces_exit(void)
{
	debugfs_remove(file);
	proclife_rings_exit();
	proclife_readers_exit();
	proclife_clock_exit();
	proclife_handle_exit();
}

module_init(pieces_init);
module_exit(pieces_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What each piece of a proclife record costs");
