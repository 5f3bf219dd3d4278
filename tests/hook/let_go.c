// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests/hook/async: holds the address space of the process whose PID is written to `holds`. A 0 lets
 * go of it by mmput_async(), as drivers do that cannot wait.
 */
#include <linux/module.h>
#include <linux/pid.h>
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

/* The parameter's lock is held. */
static int set_holds(const char *text, const struct kernel_param *param)
{
	int number, ret = kstrtoint(text, 0, &number);

	if (ret)
		return ret;
	if (held)
		mmput_async(held);
	held = number ? mm_of(number) : NULL;
	return number && !held ? -ESRCH : 0;
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
