// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whom a carried record names: the tasks that a process has, or had then, and its relatives'. */
#include "carry_lives.h"

struct proclife_kept_task *proclife_kept_of(const struct proclife_carry *carry,
					    const struct proclife_own_task *task)
{
	return proclife_map_get(&carry->by_handle, task->task.handle);
}

static const struct proclife_kept *earlier(const struct proclife_kept *first, const struct proclife_kept *kept)
{
	return kept->of_reaper || (first && first->place <= kept->place) ? first : kept;
}

const struct proclife_kept *proclife_kept_first(const struct proclife_carry *carry,
						const struct proclife_own_process *process)
{
	const struct proclife_kept_life *life = process->process.user;
	const struct proclife_kept_task *freed = life ? life->freed : NULL;
	const struct proclife_kept *first = NULL, *kept;

	for (const struct proclife_own_task *task = process->tasks; task; task = task->next) {
		const struct proclife_kept_task *of = proclife_kept_of(carry, task);

		for (kept = of ? of->records : NULL; kept; kept = kept->next)
			first = earlier(first, kept);
	}
	for (; freed; freed = freed->next)
		for (kept = freed->records; kept; kept = kept->next)
			first = earlier(first, kept);
	return first;
}

/* The latest record of a task before @place, unless it is freed by then. */
static const struct proclife_kept *latest_before(const struct proclife_kept *kept, uint64_t place)
{
	const struct proclife_kept *latest = NULL;

	for (; kept; kept = kept->next) {
		if (kept->place >= place || kept->of_reaper)
			continue;
		if (kept->record.type == PROCLIFE_FREE)
			return NULL;
		latest = latest && latest->place > kept->place ? latest : kept;
	}
	return latest;
}

/* A record of a task that the process has then: of this one, or else any. NULL: there is none that is kept. */
static const struct proclife_kept *task_then(const struct proclife_carry *carry,
					     const struct proclife_process *process, uint64_t handle,
					     uint64_t place)
{
	const struct proclife_own_process *own = proclife_own(process);
	const struct proclife_kept_life *life = process->user;
	const struct proclife_kept_task *freed = life ? life->freed : NULL;
	const struct proclife_kept *any = NULL, *kept;

	for (const struct proclife_own_task *task = own->tasks; task; task = task->next) {
		const struct proclife_kept_task *of = proclife_kept_of(carry, task);

		kept = of ? latest_before(of->records, place) : NULL;
		if (kept && kept->record.task == handle)
			return kept;
		any = any ? any : kept;
	}
	for (; freed; freed = freed->next) {
		kept = latest_before(freed->records, place);
		if (kept && kept->record.task == handle)
			return kept;
		any = any ? any : kept;
	}
	return any;
}

bool proclife_kept_has(const struct proclife_carry *carry, const struct proclife_process *process,
		       const struct proclife_kept *kept)
{
	const struct proclife_kept *then = task_then(carry, process, kept->record.task, kept->place);

	return then && then->record.task == kept->record.task;
}

const struct proclife_process *proclife_kept_process(const struct proclife_carry *carry, uint32_t tgid,
						     uint64_t id)
{
	const struct proclife_process *process = proclife_tgid_get(carry->tasks, tgid);

	while (process && process->id != id)
		process = proclife_tgid_next(process);
	return process;
}

/* The one with this tgid when the child was born. */
static const struct proclife_process *relative(const struct proclife_carry *carry,
					       const struct proclife_process *child, uint32_t tgid)
{
	const struct proclife_process *process;

	if (tgid == child->parent_tgid)
		return proclife_kept_process(carry, tgid, child->parent_id);
	process = proclife_tgid_get(carry->tasks, tgid);
	while (process && process->start > child->start)
		process = proclife_tgid_next(process);
	return process;
}

static void set_relative(const struct proclife_carry *carry, const struct proclife_process *child,
			 uint32_t tgid, uint64_t place, __u64 *handle)
{
	const struct proclife_process *process = *handle ? relative(carry, child, tgid) : NULL;
	const struct proclife_kept *kept = process ? task_then(carry, process, *handle, place) : NULL;

	if (process && !kept) /* a snapshot can have children before their parents */
		kept = proclife_kept_first(carry, proclife_own(process));
	if (kept)
		*handle = kept->record.task;
}

void proclife_kept_relatives(const struct proclife_carry *carry, const struct proclife_process *child,
			     uint64_t place, struct proclife_record *record)
{
	if (record->type == PROCLIFE_FORK) {
		set_relative(carry, child, record->fork.parent_tgid, place, &record->fork.parent);
		set_relative(carry, child, record->fork.creator_tgid, place, &record->fork.creator);
	} else if (record->type == PROCLIFE_TASK) {
		set_relative(carry, child, record->state.parent_tgid, place, &record->state.parent);
	}
}
