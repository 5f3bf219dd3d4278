// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests/hook/run: unregister_ftrace_function() fails as often as `times` says, as it does for ever
 * after a fault of ftrace's own; and misc_register() as often as `devices` says. x86 only.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>

static unsigned int times, devices;
module_param(times, uint, 0644);
module_param(devices, uint, 0644);

static noinline notrace void just_return(void)
{
	barrier();
}

static int fail(struct kprobe *kprobe, struct pt_regs *regs)
{
	unsigned int *left = strcmp(kprobe->symbol_name, "misc_register") ? &times : &devices;

	if (!*left)
		return 0;
	--*left;
	regs->ax = -ENODEV;
	regs->ip = (unsigned long)just_return; /* from the caller's point of view; ftrace cannot change sp */
	return 1;
}

/* A kprobe with one is not made a jump, which could not change where its function goes. */
static void not_optimized(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe kprobes[] = {
	{ .symbol_name = "unregister_ftrace_function", .pre_handler = fail, .post_handler = not_optimized },
	{ .symbol_name = "misc_register", .pre_handler = fail, .post_handler = not_optimized },
};
static struct kprobe *both[] = { &kprobes[0], &kprobes[1] };

static int __init hold_hook_init(void)
{
	return register_kprobes(both, ARRAY_SIZE(both));
}

static void __exit hold_hook_exit(void)
{
	unregister_kprobes(both, ARRAY_SIZE(both));
}

module_init(hold_hook_init);
module_exit(hold_hook_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ftrace that does not remove a hook");
