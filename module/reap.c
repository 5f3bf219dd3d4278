// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "reap.h"
#include "record.h"
#include "rings.h"

static bool reap = true;
module_param(reap, bool, 0444);
MODULE_PARM_DESC(reap, "record who reaps a task, with a hook of ftrace or a kprobe (Y)");

/* The first argument of each is the task that is reaped; the caller is the reaper. */
static const struct {
	const char *symbol;
	u32 source;
} sources[] = {
	{ "cgroup_task_release", PROCLIFE_REAP_CGROUP_TASK_RELEASE }, /* Linux 6.19 and later */
	{ "cgroup_release", PROCLIFE_REAP_CGROUP_RELEASE },
};

/* On while try_hook() finds out if the hook is called at all. Nothing is recorded until then. */
static DEFINE_STATIC_KEY_TRUE(trying);
static struct task_struct *tried;
static bool tried_is_reaped;

static __always_inline void probe_reap(struct task_struct *p)
{
	struct rings_slot slot;

	if (static_branch_unlikely(&trying)) {
		if (p != READ_ONCE(tried))
			return;
		WRITE_ONCE(tried_is_reaped, true);
		smp_wmb(); /* before it loses its pid; pairs with try_hook() */
		return;
	}
	record_reap(rings_begin(&slot, PROCLIFE_REAP), p);
	rings_end(&slot);
}

#if COMPAT_FTRACE_ARGS
static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct compat_ftrace_regs *regs)
{
	probe_reap((void *)compat_ftrace_argument(regs, 0));
}

/*
 * This costs a fifth of a kprobe: it does not save all registers, and needs no lookup by address.
 * Permanent: kernel.ftrace_enabled must not disable it.
 */
static struct ftrace_ops ftrace_ops = {
	.func = on_ftrace,
	.flags = FTRACE_OPS_FL_PERMANENT | COMPAT_FTRACE_FLAGS,
};

/* The address of a function. Only kprobes give that to a module. */
static int find(const char *symbol, unsigned long *address)
{
	struct kprobe probe = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	*address = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int register_ftrace(const char *symbol)
{
	unsigned long address;
	int ret;

	ret = find(symbol, &address);
	if (ret)
		return ret;
	/* Not by name: without memory, that leaves an empty filter, which means every function. */
	ret = ftrace_set_filter_ip(&ftrace_ops, address, 0, 1);
	if (!ret)
		ret = register_ftrace_function(&ftrace_ops);
	if (ret)
		ftrace_set_filter(&ftrace_ops, NULL, 0, 1);
	return ret;
}

static int unregister_ftrace(void)
{
	int ret = unregister_ftrace_function(&ftrace_ops);

	if (!ret)
		ftrace_set_filter(&ftrace_ops, NULL, 0, 1); /* frees it */
	return ret;
}
#else
/* The same error as for a function that ftrace cannot hook. */
static int register_ftrace(const char *symbol)
{
	return -EINVAL;
}

static int unregister_ftrace(void)
{
	return 0;
}
#endif

static struct kprobe kprobe;

static int on_kprobe(struct kprobe *hit, struct pt_regs *regs)
{
	probe_reap((void *)regs_get_kernel_argument(regs, 0));
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

static int register_probe(const char *symbol)
{
	kprobe = (struct kprobe){
		.symbol_name = symbol,
		.pre_handler = on_kprobe,
	};
	return register_kprobe(&kprobe);
}

static int unregister_probe(void)
{
	kprobe_opcode_t *address = kprobe.addr;

	unregister_kprobe(&kprobe);
	if (kprobe.addr)
		return 0;
	/* The kprobe uses ftrace, which did not release it. A cleared address is the only sign. */
	kprobe.addr = address;
	return -EBUSY;
}

static const char *hooked; /* the symbol */
static bool by_ftrace;

/*
 * Returns once nothing calls the hook any more. It may never return: after an internal error,
 * ftrace changes nothing until the next boot. At this point an unload can no longer be refused, and
 * the code of an unloaded module must not be called.
 */
static void unhook(void)
{
	int ret;

	while (hooked) {
		ret = by_ftrace ? unregister_ftrace() : unregister_probe();
		if (!ret) {
			hooked = NULL;
			break;
		}
		pr_crit_once("%s(): ftrace does not remove the hook (%d), as after a fault of its own; the module waits for it and cannot be unloaded; restart the machine to be rid of it\n",
			     hooked, ret);
		schedule_timeout_idle(HZ);
	}
}

static int not_run(void *unused)
{
	return 0;
}

/*
 * Is the hook called? The compiler may have inlined the function where it counts. So this creates a
 * kernel thread and stops it before it has run: it exits and reaps itself.
 */
static int try_hook(void)
{
	unsigned long deadline = jiffies + 10 * HZ;
	struct task_struct *thread = kthread_create(not_run, NULL, "proclife_reaped");
	bool called;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	get_task_struct(thread);
	WRITE_ONCE(tried_is_reaped, false);
	WRITE_ONCE(tried, thread);
	kthread_stop(thread);
	while (data_race(pid_alive(thread)) && time_before(jiffies, deadline))
		usleep_range(50, 200);
	smp_rmb(); /* pairs with probe_reap() */
	called = READ_ONCE(tried_is_reaped);
	WRITE_ONCE(tried, NULL);
	put_task_struct(thread);
	return called ? 0 : -ENXIO;
}

static int hook(const char *symbol)
{
	int ret = register_ftrace(symbol);

	by_ftrace = !ret;
	/* Not if ftrace knows the function: a kprobe would use ftrace, too, but can be disabled. */
	if (ret == -EINVAL)
		ret = register_probe(symbol);
	if (ret)
		return ret;
	hooked = symbol;
	ret = try_hook();
	if (ret)
		unhook();
	return ret;
}

static const char *reason(int error)
{
	switch (error) {
	case -ENOENT:
		return "not in this kernel";
	case -EBUSY:
		return "kernel.ftrace_enabled is 0; set it to 1 and load the module again";
	case -EOPNOTSUPP:
	case -ENOSYS:
		return "this kernel has no kprobes, CONFIG_KPROBES";
	case -ENXIO:
		return "no task was reaped through it, the compiler may have inlined it";
	default:
		return "it cannot be hooked";
	}
}

/* Without it, all but REAP is still recorded. */
void proclife_reap_init(void)
{
	const char *symbol = NULL;
	int error = 0;
	size_t i;

	if (!reap)
		return;
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		int ret = hook(sources[i].symbol);

		/* Try once more: memory may have been short for a moment only. */
		if (ret == -ENOMEM)
			ret = hook(sources[i].symbol);
		if (!ret) {
			static_branch_disable(&trying);
			proclife_rings_header()->reap_source = sources[i].source;
			proclife_rings_header()->features |= PROCLIFE_HAS(PROCLIFE_REAP);
			return;
		}
		/* This says more than that the other name is not in this kernel. */
		if (!error || error == -ENOENT) {
			symbol = sources[i].symbol;
			error = ret;
		}
	}
	pr_warn("%s(): %s (%d), recording without REAP\n", symbol, reason(error), error);
}

void proclife_reap_exit(void)
{
	unhook();
}

void proclife_reap_refresh(void)
{
	/* Kprobes count their misses without a lock, too. */
	WRITE_ONCE(proclife_rings_header()->reap_missed, data_race(READ_ONCE(kprobe.nmissed)));
}

const char *proclife_reap_source(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (proclife_rings_header()->reap_source == sources[i].source)
			return sources[i].symbol;
	return "nowhere";
}
