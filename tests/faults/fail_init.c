// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets the n-th allocation fail in the initialisation of the next module, and in nothing else of what
 * loads it: /proc/thread-self/fail-nth would count those of the loader, too, whose number differs from
 * one load to the next, so that no number would stand for any one of the module's.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

/* Afterwards, what is left of it: 0 if the fault has come. */
static unsigned int nth;
module_param(nth, uint, 0600);

static int initcall_begins(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!nth)
		return 1; /* nor is the end of interest */
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
