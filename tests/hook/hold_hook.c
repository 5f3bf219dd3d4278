// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests/hook/run: unregister_ftrace_function() fails as often as `times` says, as it does for ever
 * after a fault of ftrace's own. x86 only.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int times;
module_param(times, uint, 0644);

static int fail(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (!times)
		return 0;
	times--;
	regs->ax = -ENODEV;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	return 1;
}

/* A kprobe with one is not made a jump, which could not change where its function goes. */
static void not_optimized(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe kprobe = {
	.symbol_name = "unregister_ftrace_function",
	.pre_handler = fail,
	.post_handler = not_optimized,
};

static int __init hold_hook_init(void)
{
	return register_kprobe(&kprobe);
}

static void __exit hold_hook_exit(void)
{
	unregister_kprobe(&kprobe);
}

module_init(hold_hook_init);
module_exit(hold_hook_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ftrace that does not remove a hook");
