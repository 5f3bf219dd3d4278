// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests/hook/exchange: when a thread of the name "exchange" execs, and has exchanged its pid with the
 * leader's, it stands still before it becomes the leader.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

#define STAND_STILL_MS 200

static unsigned int exchanges; /* odd while one stands still */
module_param(exchanges, uint, 0444);

static int hold(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (strcmp(current->comm, "exchange") || regs_get_kernel_argument(regs, 2) != PIDTYPE_TGID)
		return 0;
	WRITE_ONCE(exchanges, exchanges + 1);
	mdelay(STAND_STILL_MS);
	WRITE_ONCE(exchanges, exchanges + 1);
	return 0;
}

static struct kprobe kprobe = {
	.symbol_name = "transfer_pid",
	.pre_handler = hold,
};

static int __init slow_exec_init(void)
{
	return register_kprobe(&kprobe);
}

static void __exit slow_exec_exit(void)
{
	unregister_kprobe(&kprobe);
}

module_init(slow_exec_init);
module_exit(slow_exec_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("stands still where an exec exchanges pids");
