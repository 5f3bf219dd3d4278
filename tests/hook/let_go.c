// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests/hook/async: holds the address space of the process whose PID is written to `holds`. A 0 drops
 * it by mmput_async(), as drivers do that cannot wait; -1 does so in a softirq, on top of the task that
 * writes it; -2 in a context that the kernel takes for an NMI.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>

static struct mm_struct *held;

static struct mm_struct *mm_of(int number)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	put_pid(pid);
	if (task)
		put_task_struct(task);
	return mm;
}

static void in_softirq_now(struct tasklet_struct *unused)
{
	mmput_async(held);
}
static DECLARE_TASKLET(tasklet, in_softirq_now);

static void let_go(int how)
{
	if (how == -1) {
		/* The softirq runs when softirqs are enabled again. */
		local_bh_disable();
		tasklet_schedule(&tasklet);
		local_bh_enable();
		tasklet_kill(&tasklet);
	} else if (how == -2) {
		preempt_count_add(NMI_OFFSET);
		mmput_async(held);
		preempt_count_sub(NMI_OFFSET);
	} else {
		mmput_async(held);
	}
}

/* The parameter's lock is held. */
static int set_holds(const char *text, const struct kernel_param *param)
{
	int number, ret = kstrtoint(text, 0, &number);

	if (ret)
		return ret;
	if (held)
		let_go(number);
	held = number > 0 ? mm_of(number) : NULL;
	return number > 0 && !held ? -ESRCH : 0;
}

static const struct kernel_param_ops holds_ops = { .set = set_holds };
module_param_cb(holds, &holds_ops, NULL, 0200);

static int __init let_go_init(void)
{
	return 0;
}

static void __exit let_go_exit(void)
{
	if (held)
		mmput_async(held);
}

module_init(let_go_init);
module_exit(let_go_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("holds an address space, and lets go of it by mmput_async()");
