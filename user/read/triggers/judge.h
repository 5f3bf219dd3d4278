/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a process meets a condition of --on, or when it will. */
#ifndef READ_JUDGE_H
#define READ_JUDGE_H

#include "views/views.h"

#define NEVER UINT64_MAX

/* Is it a process that the condition is about, and that is shown? */
bool judge_concerns(const struct proclife_process *process, const struct condition *condition);

/*
 * Does what is over of the process meet the condition? Sets @value: ns, or the exit status as shells have
 * it, 128 + N after signal N. What can still get longer is judged only if it is too long already. @over: nothing of
 * the process will change any more.
 */
bool judge_holds(const struct proclife_process *process, bool over, const struct condition *condition,
		 uint64_t *value);

/* A thread that ends while others of its process go on. */
struct thread_end {
	const struct proclife_task *task;
	int32_t exit_code;
	uint64_t status; /* as shells have it */
	uint32_t live;	 /* how many others */
};

/* Is this record of a task such an end? Of each, one record at most is. */
bool judge_thread(const struct proclife_tasks *tasks, const struct proclife_task *task,
		  const struct proclife_record *record, struct thread_end *end);
/* Is the condition about the end of this thread? */
bool judge_thread_concerns(const struct proclife_task *task, const struct condition *condition);

/*
 * Since when it has been in the phase of the condition; 0: it is in none, or a record that is missing can
 * have ended it. @at_least: it is older than that.
 */
uint64_t judge_since(const struct proclife_process *process, const struct condition *condition, bool *at_least);

/* When the phase will have lasted for too long; NEVER if it does not go on, or if its length does not matter. */
uint64_t judge_due(const struct proclife_process *process, const struct condition *condition);

/* The records without which this trace can never meet the condition; PROCLIFE_NONE: it can. */
enum proclife_type judge_lacks(const struct run *run, const struct condition *condition);

#endif
