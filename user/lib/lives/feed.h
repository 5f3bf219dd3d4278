/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What each record means: feed.c has the births and all that is small, feed_birth.c the steps on the way there,
 * feed_exec.c the programs, feed_end.c the ends, feed_mm.c their memory.
 */
#ifndef PROCLIFE_FEED_H
#define PROCLIFE_FEED_H

#include "lives/tasks.h"

#include <string.h>

/* All bytes are read, so the compiler knows how many. */
static inline void proclife_copy_name(char to[PROCLIFE_COMM_LEN], const char from[PROCLIFE_COMM_LEN])
{
	memcpy(to, from, PROCLIFE_COMM_LEN);
	to[PROCLIFE_COMM_LEN - 1] = 0;
}

/* The name of a process that a thread of it acts for; the thread's, and false, if that is not known. */
static inline bool proclife_copy_who(char to[PROCLIFE_COMM_LEN], const char group[PROCLIFE_COMM_LEN],
				     const char thread[PROCLIFE_COMM_LEN], bool leads)
{
	proclife_copy_name(to, *group ? group : thread);
	return *group || leads;
}

static inline void proclife_set_name(struct proclife_task *task, const char name[PROCLIFE_COMM_LEN])
{
	proclife_copy_name(task->comm, name);
	if (task->leader)
		proclife_copy_name(task->process->comm, name);
}

static inline bool proclife_wanted(const struct proclife_process *process)
{
	return process->selected && process->matches;
}

static inline void proclife_set_cgroup(struct proclife_task *task, uint64_t cgroup)
{
	if (cgroup && task->leader)
		task->process->cgroup = cgroup;
}

/* Like proclife_task_of(), but quick in the usual case: the task is known and has not changed. */
static inline struct proclife_task *proclife_known_task(struct proclife_tasks *tasks,
							const struct proclife_record *record,
							uint64_t group)
{
	struct proclife_task *task = proclife_task_get(tasks, record->task);

	if (proclife_likely(task && task->start == record->start && task->pid == record->pid &&
			    (!group || task->process->handle == group)))
		return task;
	return proclife_task_of(tasks, record, group, NULL);
}

/* Each feeds a record of one type. Returns whether its process is selected, or -ENOMEM. */
int proclife_feed_exec(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_args(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_path(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_exiting(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_coredump(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_exit(struct proclife_tasks *tasks, const struct proclife_record *record);
/*
 * A thread of it was there after its leader had been found as a zombie: only the leader had ended then. The end of a
 * process is announced when its last thread is released.
 */
void proclife_thread_outlived(struct proclife_priv_process *process);
/* The first one counts. @comm: NULL if it is not known. Returns 0 or -ENOMEM. */
int proclife_tracer_note(struct proclife_process *process, uint64_t ts, uint64_t id, uint32_t tgid,
			 const char comm[PROCLIFE_COMM_LEN]);
int proclife_feed_notify(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_signal(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_wait(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_reap(struct proclife_tasks *tasks, const struct proclife_record *record);
/* A REAP of another process's only thread, for its reaper. */
void proclife_reap_passed(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_free(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_mm(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_birth(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_fail(struct proclife_tasks *tasks, const struct proclife_record *record);
int proclife_feed_times(struct proclife_tasks *tasks, const struct proclife_record *record);
void proclife_io_add(struct proclife_io *to, uint64_t read_bytes, uint64_t write_bytes);
/* Is it a BIRTH of a kind of which a CPU makes only some, as any process can cause them? */
static inline bool proclife_birth_has_budget(const struct proclife_record *record)
{
	return record->birth.what == PROCLIFE_BIRTH_FORKING || record->birth.what == PROCLIFE_BIRTH_EXECING;
}

/* A FORK, for its creator. Returns when that began to fork; 0: it is not known. */
uint64_t proclife_birth_passed(const struct proclife_tasks *tasks, const struct proclife_record *record);
/* A FORK of this task. */
void proclife_birth_forked(const struct proclife_tasks *tasks, struct proclife_task *task,
			   const struct proclife_record *record);
/* An EXEC of it. */
void proclife_birth_execed(const struct proclife_tasks *tasks, struct proclife_task *task, uint64_t ts);

#endif
