// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

#include "compat.h"
#include "reap.h"
#include "record.h"
#include "rings.h"

static bool reap = true;
module_param(reap, bool, 0444);
MODULE_PARM_DESC(reap, "record who reaps a task, with a hook of ftrace or a kprobe (Y)");

/* Each has the task that is reaped as its first argument, and is called by who reaps it. */
static const struct {
	const char *symbol;
	u32 source;
} sources[] = {
	{ "cgroup_task_release", PROCLIFE_REAP_CGROUP_TASK_RELEASE }, /* Linux 6.19 and later */
	{ "cgroup_release", PROCLIFE_REAP_CGROUP_RELEASE },
};

static __always_inline void probe_reap(struct task_struct *p)
{
	struct rings_slot slot;

	record_reap(rings_begin(&slot, PROCLIFE_REAP), p);
	rings_end(&slot);
}

#if COMPAT_FTRACE_ARGS
static void notrace on_ftrace(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			      struct ftrace_regs *regs)
{
	probe_reap((void *)compat_ftrace_argument(regs, 0));
}

/*
 * A fifth of a kprobe's cost, since it neither saves all registers nor looks up whose hit it is.
 * Permanent: it is not for kernel.ftrace_enabled to take it away.
 */
static struct ftrace_ops ftrace_ops = { .func = on_ftrace, .flags = FTRACE_OPS_FL_PERMANENT };

static bool ftrace_registered;

/* Where a function is, or 0: kprobes are the only ones that tell a module. */
static unsigned long address_of(const char *symbol)
{
	struct kprobe probe = { .symbol_name = symbol, .flags = KPROBE_FLAG_DISABLED };
	unsigned long address;

	if (register_kprobe(&probe))
		return 0;
	address = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	return address;
}

static int register_ftrace(const char *symbol)
{
	unsigned long address = address_of(symbol);
	int ret;

	if (!address)
		return -ENOENT;
	/* Not by its name: where that finds no memory, it leaves no filter, which is every function. */
	ret = ftrace_set_filter_ip(&ftrace_ops, address, 0, 1);
	if (!ret)
		ret = register_ftrace_function(&ftrace_ops);
	ftrace_registered = !ret;
	if (ret)
		ftrace_set_filter(&ftrace_ops, NULL, 0, 1);
	return ret;
}

static bool unregister_ftrace(void)
{
	if (!ftrace_registered)
		return false;
	unregister_ftrace_function(&ftrace_ops);
	ftrace_set_filter(&ftrace_ops, NULL, 0, 1); /* frees it */
	ftrace_registered = false;
	return true;
}
#else
static int register_ftrace(const char *symbol)
{
	return -EOPNOTSUPP;
}

static bool unregister_ftrace(void)
{
	return false;
}
#endif

static int on_kprobe(struct kprobe *kprobe, struct pt_regs *regs)
{
	probe_reap((void *)regs_get_kernel_argument(regs, 0));
	return 0;
}
NOKPROBE_SYMBOL(on_kprobe);

static struct kprobe kprobe;

static int register_reap(const char *symbol)
{
	int ret = register_ftrace(symbol);

	/* Switched off by kernel.ftrace_enabled, which a kprobe here would not notice and never be hit. */
	if (!ret || ret == -EBUSY)
		return ret;
	kprobe = (struct kprobe){
		.symbol_name = symbol,
		.pre_handler = on_kprobe,
	};
	return register_kprobe(&kprobe);
}

/* Without it, all but REAP is still recorded. */
void proclife_reap_init(void)
{
	size_t i;
	int ret = 0;

	if (!reap)
		return;
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		ret = register_reap(sources[i].symbol);
		if (!ret) {
			proclife_rings_header()->reap_source = sources[i].source;
			proclife_rings_header()->features |= PROCLIFE_HAS(PROCLIFE_REAP);
			return;
		}
	}
	pr_warn("no hook on %s or %s (%d%s), recording without REAP\n", sources[0].symbol,
		sources[1].symbol, ret, ret == -EBUSY ? ": kernel.ftrace_enabled is 0" : "");
}

void proclife_reap_exit(void)
{
	if (proclife_rings_header()->reap_source != PROCLIFE_REAP_NONE && !unregister_ftrace())
		unregister_kprobe(&kprobe);
}

void proclife_reap_refresh(void)
{
	/* Kprobes count without a lock, too. */
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
