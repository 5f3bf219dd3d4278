// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * With many lives, a record would wait for memory, and for one place after the other: for its slot, then
 * for the task, then for the process, then for what is beside it; and often again for a parent or reaper.
 * So each of these steps is made for a record that comes some records later than the one of the step
 * before: what it needs was fetched meanwhile.
 *
 * What is fetched can be gone or another's when its time comes: slabs keep their memory, so that does no
 * harm. Nor does it if there is nothing to fetch. So nothing here is a branch: which type a record has is
 * as good as random.
 */
#include "lives/tasks.h"

#define STEP 3 /* records; memory answers in the time of this many */

_Static_assert(3 * STEP < PROCLIFE_AHEAD, "the ring of what is ahead has no room for all steps");

#define TASK_LINE(member) (offsetof(struct proclife_priv_task, task.member) / 64 * 64)
#define TASK_LAST_LINE (offsetof(struct proclife_priv_task, dead) / 64 * 64)
#define LINE(member) (offsetof(struct proclife_priv_process, member) / 64 * 64)

/* By type: the cache lines of its task and process that a record looks at, besides the first ones. */
static const uint16_t task_lines[PROCLIFE_TYPES][3] = {
	[PROCLIFE_EXEC] = { TASK_LINE(comm) },
	[PROCLIFE_RENAME] = { TASK_LINE(comm) },
	[PROCLIFE_EXIT] = { TASK_LINE(marks.exited), TASK_LINE(comm), TASK_LAST_LINE },
	[PROCLIFE_REAP] = { TASK_LINE(marks.reaped), TASK_LINE(reaper_comm), TASK_LAST_LINE },
	[PROCLIFE_FREE] = { TASK_LINE(marks.freed), TASK_LINE(maj_flt), TASK_LAST_LINE },
	[PROCLIFE_WAIT] = { TASK_LINE(waited) },
};

static const uint16_t process_lines[PROCLIFE_TYPES][4] = {
	[PROCLIFE_EXEC] = { LINE(process.execed), LINE(process.uid), LINE(process.args_bytes),
			    LINE(path_text) },
	[PROCLIFE_ARGS] = { LINE(process.args), LINE(process.args_bytes), LINE(gaps) },
	[PROCLIFE_RENAME] = { LINE(process.comm), LINE(process.cgroup) },
	[PROCLIFE_EXIT] = { LINE(process.marks), LINE(process.comm), LINE(process.leader_exited) },
	[PROCLIFE_NOTIFY] = { LINE(process.marks), LINE(process.notified_id), LINE(tracer) },
	[PROCLIFE_REAP] = { LINE(process.marks), LINE(process.reaper_comm),
			    LINE(process.reaper_id), LINE(process.cgroup) },
	[PROCLIFE_FREE] = { LINE(process.marks), LINE(process.utime), LINE(tasks),
			    LINE(by_tgid) },
	[PROCLIFE_WAIT] = { LINE(process.waited) },
};

void proclife_prefetch_init(struct proclife_tasks *tasks)
{
	tasks->nobody.task.process = &tasks->nothing.process;
	for (uint32_t i = 0; i < PROCLIFE_AHEAD; i++)
		tasks->ahead[i].task = tasks->ahead[i].other = &tasks->nobody;
}

static inline void fetch(const void *object, uintptr_t offset)
{
	__builtin_prefetch((const void *)((uintptr_t)object + offset));
	/* GCC takes a function that does nothing but prefetch for one that does nothing. */
	__asm__ __volatile__("");
}

static inline void fetch_slot(const struct proclife_table *table, uint64_t key)
{
	fetch(proclife_table_slot(table, key), 0);
}

static inline const struct proclife_priv_process *process_of(const struct proclife_priv_task *task)
{
	return proclife_priv(task->task.process);
}

/* The first one in its slot. */
static inline const struct proclife_priv_task *nearest(const struct proclife_tasks *tasks,
						      uint64_t handle)
{
	const struct proclife_link *link = *proclife_table_slot(&tasks->by_handle, handle);

	link = link ? link : &tasks->nobody.by_handle;
	return proclife_container_of(link, struct proclife_priv_task, by_handle);
}

static inline void fetch_slots(struct proclife_tasks *tasks, struct proclife_prefetched *ahead,
			       const struct proclife_record *record)
{
	static const uint32_t others = 1u << PROCLIFE_FORK | 1u << PROCLIFE_REAP;
	static const uint32_t groups = 1u << PROCLIFE_FORK | 1u << PROCLIFE_NOTIFY; /* the second word */
	uint64_t birth = -(uint64_t)(record->type == PROCLIFE_FORK);

	ahead->type = record->type % PROCLIFE_TYPES;
	ahead->handle = record->task;
	ahead->other_handle = record->words[0] & -(uint64_t)(others >> ahead->type & 1);
	fetch_slot(&tasks->by_handle, ahead->handle);
	fetch_slot(&tasks->by_handle, ahead->other_handle);
	fetch_slot(&tasks->by_group, record->words[1] & -(uint64_t)(groups >> ahead->type & 1));
	fetch_slot(&tasks->by_tgid, record->tgid & birth);
}

static inline void fetch_tasks(struct proclife_tasks *tasks, struct proclife_prefetched *ahead)
{
	const uint16_t *lines = task_lines[ahead->type];

	ahead->task = nearest(tasks, ahead->handle);
	fetch(ahead->task, 0);
	fetch(ahead->task, lines[0]);
	fetch(ahead->task, lines[1]);
	fetch(ahead->task, lines[2]);
	ahead->other = nearest(tasks, ahead->other_handle);
	fetch(ahead->other, 0);
	fetch(ahead->other, TASK_LINE(marks.reaped));
	fetch(ahead->other, TASK_LINE(waited));
}

static inline void fetch_processes(const struct proclife_prefetched *ahead)
{
	const struct proclife_priv_process *own = process_of(ahead->task);
	const uint16_t *lines = process_lines[ahead->type];

	fetch(own, 0);
	fetch(own, lines[0]);
	fetch(own, lines[1]);
	fetch(own, lines[2]);
	fetch(own, lines[3]);
	own = process_of(ahead->other);
	fetch(own, 0);
	fetch(own, LINE(process.comm));
	fetch(own, LINE(process.id));
}

static inline void fetch_beside(const struct proclife_tasks *tasks,
				const struct proclife_prefetched *ahead)
{
	const struct proclife_priv_process *own = process_of(ahead->task);

	own = ahead->type == PROCLIFE_FREE ? own : &tasks->nothing;
	fetch_slot(&tasks->by_group, own->by_group.key);
	fetch_slot(&tasks->by_tgid, own->by_tgid.link.key);
	fetch(own->next, LINE(prev));
	fetch(own->prev, LINE(next));
}

void proclife_prefetch(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	uint32_t now = tasks->ahead_next++;

	fetch_beside(tasks, &tasks->ahead[(now - 3 * STEP) % PROCLIFE_AHEAD]);
	fetch_processes(&tasks->ahead[(now - 2 * STEP) % PROCLIFE_AHEAD]);
	fetch_tasks(tasks, &tasks->ahead[(now - STEP) % PROCLIFE_AHEAD]);
	fetch_slots(tasks, &tasks->ahead[now % PROCLIFE_AHEAD], record);
}
