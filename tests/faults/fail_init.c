// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets the n-th allocation fail in the initialisation of the next module. /proc/thread-self/fail-nth
 * would also count the loader's allocations, whose number differs from one load to the next, so no
 * number would stand for a particular allocation of the module.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

/* Counts down; 0 once the fault has been injected. */
static unsigned int nth;
module_param(nth, uint, 0600);

static int initcall_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!nth)
		return 1; /* the return is not probed */
	current->fail_nth = nth;
	return 0;
}

static int initcall_ends(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	nth = current->fail_nth;
	current->fail_nth = 0;
	return 0;
}

static struct kretprobe initcall = {
	.kp.symbol_name = "do_one_initcall",
	.entry_handler = initcall_begins,
	.handler = initcall_ends,
};

static int __init fail_init_init(void)
{
	return register_kretprobe(&initcall);
}

static void __exit fail_init_exit(void)
{
	unregister_kretprobe(&initcall);
}

module_init(fail_init_init);
module_exit(fail_init_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Lets an allocation of a module's initialisation fail");
