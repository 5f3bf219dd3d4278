// SPDX-License-Identifier: LGPL-2.1-or-later
/* The tasks that a carried record names: those that a process has, or had then, and its relatives'. */
#include "flight/carry_lives.h"

struct proclife_kept_task *proclife_kept_of(const struct proclife_carry *carry,
					    const struct proclife_priv_task *task)
{
	return proclife_map_get(&carry->by_handle, task->task.handle);
}

static const struct proclife_kept *earlier(const struct proclife_kept *first, const struct proclife_kept *kept)
{
	return kept->of_reaper || (first && first->place <= kept->place) ? first : kept;
}

static const struct proclife_kept *find_first(const struct proclife_carry *carry,
					      const struct proclife_priv_process *process)
{
	const struct proclife_kept_life *life = process->process.user;
	const struct proclife_kept_task *freed = life ? life->freed : NULL;
	const struct proclife_kept *first = NULL, *kept;

	for (const struct proclife_priv_task *task = process->tasks; task; task = task->next) {
		const struct proclife_kept_task *of = proclife_kept_of(carry, task);

		for (kept = of ? of->records : NULL; kept; kept = kept->next)
			first = earlier(first, kept);
	}
	for (; freed; freed = freed->next)
		for (kept = freed->records; kept; kept = kept->next)
			first = earlier(first, kept);
	return first;
}

/* The latest record of a task before @place, unless it is freed before that. */
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

static const struct proclife_kept_task *oldest_of(const struct proclife_carry *carry,
						  const struct proclife_priv_process *process)
{
	const struct proclife_kept_task *oldest = NULL;
	uint64_t since = UINT64_MAX;

	for (const struct proclife_priv_task *task = process->tasks; task; task = task->next) {
		const struct proclife_kept_task *of = proclife_kept_of(carry, task);

		for (const struct proclife_kept *kept = of ? of->records : NULL; kept; kept = kept->next) {
			if (kept->of_reaper || kept->place >= since)
				continue;
			since = kept->place;
			oldest = of;
		}
	}
	return oldest;
}

int proclife_kept_index(struct proclife_carry *carry)
{
	const struct proclife_priv_process *process = carry->tasks->first;
	int err;

	proclife_map_free(&carry->freed);
	proclife_map_free(&carry->by_id);
	err = proclife_map_init(&carry->freed);
	err = err ? err : proclife_map_init(&carry->by_id);
	for (; process && !err; process = process->next) {
		struct proclife_kept_life *life = process->process.user;
		struct proclife_kept_task *freed = life ? life->freed : NULL;

		if (process->by_tgid.newer) {
			err = proclife_map_reserve(&carry->by_id);
			if (err)
				break;
			proclife_map_put(&carry->by_id, process->process.id, (void *)&process->process);
		}
		if (!life)
			continue;
		life->first = find_first(carry, process);
		life->oldest = oldest_of(carry, process);
		for (; freed && !err; freed = freed->next) {
			freed->life = life;
			freed->same = proclife_map_get(&carry->freed, freed->handle);
			err = proclife_map_reserve(&carry->freed);
			if (!err)
				proclife_map_put(&carry->freed, freed->handle, freed);
		}
	}
	return err;
}

const struct proclife_kept *proclife_kept_first(const struct proclife_process *process)
{
	const struct proclife_kept_life *life = process->user;

	return life ? life->first : NULL;
}

/* A record of this task, if the process has it then. */
static const struct proclife_kept *this_then(const struct proclife_carry *carry,
					     const struct proclife_process *process, uint64_t handle,
					     uint64_t place)
{
	const struct proclife_task *task = proclife_task_get(carry->tasks, handle);
	const struct proclife_kept_task *of = proclife_map_get(&carry->by_handle, handle);
	const struct proclife_kept *kept = NULL;

	if (of && task && task->process == process)
		kept = latest_before(of->records, place);
	for (of = proclife_map_get(&carry->freed, handle); of && !kept; of = of->same)
		if (of->life == process->user)
			kept = latest_before(of->records, place);
	return kept;
}

/* A record of any task that it has then: while the oldest of those that are open was there, of that one. */
static const struct proclife_kept *any_then(const struct proclife_process *process, uint64_t place)
{
	const struct proclife_kept_life *life = process->user;
	const struct proclife_kept *kept = NULL;

	if (!life)
		return NULL;
	if (life->oldest)
		kept = latest_before(life->oldest->records, place);
	for (const struct proclife_kept_task *freed = life->freed; freed && !kept; freed = freed->next)
		kept = latest_before(freed->records, place);
	return kept;
}

/* A record of a task that the process has then: of this one, or else any. NULL: there is none that is kept. */
static const struct proclife_kept *task_then(const struct proclife_carry *carry,
					     const struct proclife_process *process, uint64_t handle,
					     uint64_t place)
{
	const struct proclife_kept *kept = this_then(carry, process, handle, place);

	return kept ? kept : any_then(process, place);
}

bool proclife_kept_has(const struct proclife_carry *carry, const struct proclife_process *process,
		       const struct proclife_kept *kept)
{
	return this_then(carry, process, kept->record.task, kept->place);
}

const struct proclife_process *proclife_kept_process(const struct proclife_carry *carry, uint32_t tgid,
						     uint64_t id)
{
	const struct proclife_process *latest = proclife_tgid_get(carry->tasks, tgid);

	return latest && latest->id == id ? latest : proclife_map_get(&carry->by_id, id);
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
		kept = proclife_kept_first(process);
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
