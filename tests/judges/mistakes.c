// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module that makes mistakes, one for each load, to see whether the kernels report them, and the
 * judge of their logs understands: mistake=NAME is one of the table at the end.
 */
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>

static char *mistake = "";
module_param(mistake, charp, 0444);

/* Hides a pointer from the compiler. */
static int *hidden(int *p)
{
	OPTIMIZER_HIDE_VAR(p);
	return p;
}

static bool yes = true;

/* Any kernel reports these. */
static void warn(void)
{
	WARN(READ_ONCE(yes), "planted\n");
}

static void warn_on(void)
{
	WARN_ON(READ_ONCE(yes));
}

static void warn_on_once(void)
{
	WARN_ON_ONCE(READ_ONCE(yes));
}

static void too_many_puts(void)
{
	refcount_t count;

	refcount_set(&count, 1);
	if (refcount_dec_and_test(&count))
		refcount_dec(&count);
}

static void schedule_in_atomic(void)
{
	preempt_disable();
	/* It corrects the count as it reports. */
	schedule();
}

/* Runs in a thread what ends its task, which must not be the one that loads the module. */
static void in_thread(int (*function)(void *unused), const char *name)
{
	if (!IS_ERR(kthread_run(function, NULL, "%s", name)))
		msleep(1000);
}

static int deleted_twice(void *unused)
{
	struct list_head list, entry;

	INIT_LIST_HEAD(&list);
	list_add(&entry, &list);
	list_del(&entry);
	list_del(&entry);
	return 0;
}

static void list_corrupted(void)
{
	in_thread(deleted_twice, "deleted_twice");
}

static int bug(void *unused)
{
	BUG_ON(READ_ONCE(yes));
	return 0;
}

static void bug_on(void)
{
	in_thread(bug, "bug");
}

static int write_nowhere(void *unused)
{
	WRITE_ONCE(*hidden(NULL), 1);
	return 0;
}

static void null_pointer(void)
{
	in_thread(write_nowhere, "write_nowhere");
}

/* Only a kernel that watches itself reports these. */
static void use_after_free(void)
{
	int *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	WRITE_ONCE(*hidden(p), 1);
}

static void beyond_the_slab(void)
{
	int *p = kmalloc(64, GFP_KERNEL);

	WRITE_ONCE(hidden(p)[16], 1);
	kfree(p);
}

static void beyond_the_ring(void)
{
	/* Half a page: after a whole one comes a hole, where any access faults. */
	int *p = vmalloc(PAGE_SIZE / 2);

	WRITE_ONCE(hidden(p)[PAGE_SIZE / 2 / sizeof(*p)], 1);
	vfree(p);
}

static void leak(void)
{
	/* No copy of its address is left, not even in a saved register. */
	*hidden(kmalloc(192, GFP_KERNEL)) = 1;
}

static void sleep_in_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static void cpu_in_preemptible(void)
{
	pr_notice("on CPU %d\n", smp_processor_id());
}

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);

static void order_of_locks(void)
{
	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);
	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
}

static int __rcu *shared;

static void rcu_without_lock(void)
{
	pr_notice("found %p\n", rcu_dereference(shared));
}

static int bits = 40;

static void shift_too_far(void)
{
	pr_notice("shifted to %d\n", 1 << READ_ONCE(bits));
}

static void expired(struct timer_list *timer)
{
}

static void free_active_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, expired, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static unsigned long counter;
static DECLARE_COMPLETION(counted);

static int count(void *unused)
{
	unsigned long end = jiffies + 3 * HZ;

	while (time_before(jiffies, end)) {
		unsigned int i;

		for (i = 0; i < 1000; i++) {
			counter++;
			barrier();
		}
		cond_resched();
	}
	complete(&counted);
	return 0;
}

static void race(void)
{
	unsigned int i, threads = 0;

	for (i = 0; i < 2; i++)
		threads += !IS_ERR(kthread_run(count, NULL, "count/%u", i));
	while (threads--)
		wait_for_completion(&counted);
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "warn", warn },
	{ "warn_on", warn_on },
	{ "warn_on_once", warn_on_once },
	{ "too_many_puts", too_many_puts },
	{ "schedule_in_atomic", schedule_in_atomic },
	{ "list_corrupted", list_corrupted },
	{ "bug_on", bug_on },
	{ "null_pointer", null_pointer },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "cpu_in_preemptible", cpu_in_preemptible },
	{ "rcu_without_lock", rcu_without_lock },
	{ "shift_too_far", shift_too_far },
	{ "free_active_timer", free_active_timer },
	{ "order_of_locks", order_of_locks },
	{ "beyond_the_ring", beyond_the_ring },
	{ "beyond_the_slab", beyond_the_slab },
	{ "use_after_free", use_after_free },
	{ "leak", leak },
	{ "race", race },
};

static int __init mistakes_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		if (strcmp(mistakes[i].name, mistake))
			continue;
		mistakes[i].make();
		return 0;
	}
	return -EINVAL;
}

static void __exit mistakes_exit(void)
{
}

module_init(mistakes_init);
module_exit(mistakes_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Mistakes, for kernels to report");
