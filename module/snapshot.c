// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include <proclife/abi.h>

#include "clock.h"
#include "record.h"
#include "snapshot.h"

/*
 * Writes a record of each task while there is room, and counts them all. The list is walked under
 * RCU: it has every task that was there before and still is after.
 */
static u32 walk_tasks(struct proclife_record *records, u32 capacity)
{
	struct task_struct *leader, *p;
	u32 n = 0;

	rcu_read_lock();
	for_each_process_thread(leader, p) {
		if (n < capacity) {
			struct proclife_record *r = &records[n];

			/* The time first: what the task does after it has a later record. */
			clock_take(&r->ts);
			r->type = PROCLIFE_TASK;
			r->cpu = task_cpu(p);
			proclife_record_state(r, p);
		}
		n++;
	}
	rcu_read_unlock();
	return n;
}

long proclife_snapshot_take(void __user *arg)
{
	struct proclife_record *records = NULL;
	struct proclife_snapshot s;
	size_t bytes;
	long ret = 0;
	u32 room;

	if (copy_from_user(&s, arg, sizeof(s)))
		return -EFAULT;
	if (s.reserved)
		return -EINVAL;

	/* No larger than there are tasks, whatever room the caller has. */
	room = min_t(u64, s.capacity, (u64)walk_tasks(NULL, 0) + 256);
	if (room) {
		records = vmalloc(array_size(room, sizeof(*records)));
		if (!records)
			return -ENOMEM;
	}

	s.count = walk_tasks(records, room);
	if (s.count > room) {
		ret = -ENOSPC;
	} else {
		bytes = array_size(s.count, sizeof(*records));
		if (copy_to_user(u64_to_user_ptr(s.records), records, bytes))
			ret = -EFAULT;
	}
	vfree(records);

	if (copy_to_user(arg, &s, sizeof(s)))
		return -EFAULT;
	return ret;
}
