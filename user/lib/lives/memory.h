/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of the address spaces of processes that end. feed_mm.c feeds what MM says of them. */
#ifndef PROCLIFE_MEMORY_H
#define PROCLIFE_MEMORY_H

#include "lives/tasks.h"

/* The one with this handle; NULL: there is none that a record can still be about. */
struct proclife_priv_memory *proclife_memory_find(struct proclife_tasks *tasks, uint64_t mm);
/* One whose process is not known yet. NULL: there is no memory for that. */
struct proclife_priv_memory *proclife_memory_begin(struct proclife_tasks *tasks, uint64_t mm);
/* The memory of a process that is letting go of it. NULL: out of memory. */
struct proclife_priv_memory *proclife_memory_begin_own(struct proclife_tasks *tasks,
						      struct proclife_process *process, uint64_t mm);
/*
 * Can a record of another task be about another address space with the same handle? A gap can hide a
 * GONE, one that has begun before, too. So can a budget: a task that holds the memory of a process that has
 * ended need not end.
 */
bool proclife_memory_is_doubtful(const struct proclife_tasks *tasks,
				 const struct proclife_priv_memory *own);
/* Sets the process's max_rss from what MMs said, if it has ended. */
void proclife_memory_peaked(struct proclife_process *process);
/* Nothing more is known of it: another one has its handle, or others use it as their own. */
void proclife_memory_forget(struct proclife_tasks *tasks, struct proclife_priv_memory *own);
/* All that there is to know of it is known. */
void proclife_memory_finish(struct proclife_tasks *tasks, struct proclife_priv_memory *own);

#endif
