// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor: empty probes where proclife has its probes. life=Y: not on waits and signals,
 * which proclife can leave out.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/task.h>

#include "compat.h"

static bool life;
module_param(life, bool, 0444);
MODULE_PARM_DESC(life, "probe neither waits nor signals (N)");

static void empty_fork(void *data, struct task_struct *child, compat_clone_flags clone_flags)
{
}

#if COMPAT_EXIT_BEFORE_MM
static void empty_exit(void *data, struct task_struct *p, bool group_dead)
{
}
#else
static void empty_exit(void *data, struct task_struct *p)
{
}
#endif

static void empty_free(void *data, struct task_struct *p)
{
}

static void empty_exec(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
}

static void empty_rename(void *data, struct task_struct *p, const char *name)
{
}

static void empty_wait(void *data, struct pid *pid)
{
}

static void empty_signal(void *data, int signo, struct kernel_siginfo *info, struct task_struct *p,
			 int to_group, int result)
{
}

static struct {
	const char *name;
	void *function;
	bool life;
	struct tracepoint *tracepoint;
} probes[] = {
	{ "task_newtask", empty_fork, true },
	{ "sched_process_exit", empty_exit, true },
	{ "sched_process_free", empty_free, true },
	{ "sched_process_exec", empty_exec, true },
	{ "sched_process_wait", empty_wait },
	{ "task_rename", empty_rename, true },
	{ "signal_generate", empty_signal },
};

static void find(struct tracepoint *tp, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tracepoint = tp;
}

static void empty_exit_probes(size_t n)
{
	while (n-- > 0)
		if (probes[n].life || !life)
			tracepoint_probe_unregister(probes[n].tracepoint, probes[n].function, NULL);
	tracepoint_synchronize_unregister();
}

static int __init empty_init(void)
{
	size_t i;
	int ret;

	for_each_kernel_tracepoint(find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].life && life)
			continue;
		ret = -ENOENT;
		if (probes[i].tracepoint)
			ret = tracepoint_probe_register(probes[i].tracepoint, probes[i].function,
							NULL);
		if (ret) {
			pr_err("tracepoint %s: cannot be probed (%d)\n", probes[i].name, ret);
			empty_exit_probes(i);
			return ret;
		}
	}
	return 0;
}

static void __exit empty_exit_module(void)
{
	empty_exit_probes(ARRAY_SIZE(probes));
}

module_init(empty_init);
module_exit(empty_exit_module);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Empty probes, to measure what they cost");
