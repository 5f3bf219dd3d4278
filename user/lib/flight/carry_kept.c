// SPDX-License-Identifier: LGPL-2.1-or-later
/* The records that are kept of each task and process, and what becomes of them when these are gone. */
#include "flight/carry_lives.h"

#include <errno.h>
#include <string.h>

static uint64_t has(const struct proclife_kept *kept)
{
	return proclife_has_type(&kept->record);
}

struct proclife_kept *proclife_keep(struct proclife_carry *carry, struct proclife_kept *next,
				    const struct proclife_record *record)
{
	struct proclife_kept *kept;

	if (proclife_slab_reserve(&carry->kept_slab))
		return NULL;
	kept = proclife_slab_get(&carry->kept_slab);
	kept->next = next;
	kept->place = 2 * carry->records;
	kept->needed = false;
	kept->of_reaper = false;
	kept->record = *record;
	return kept;
}

int proclife_kept_add(struct proclife_carry *carry, struct proclife_kept **list,
		      const struct proclife_record *record)
{
	struct proclife_kept *kept = proclife_keep(carry, *list, record);

	if (!kept)
		return -ENOMEM;
	*list = kept;
	return 0;
}

/* Is there at most one of these in a list? Then it is near its beginning, before the pieces of arguments. */
static bool is_single(uint64_t types)
{
	return !(types & (types - 1)) && types != PROCLIFE_HAS(PROCLIFE_ARGS) && types != PROCLIFE_HAS(PROCLIFE_PATH);
}

uint32_t proclife_kept_take_out(struct proclife_carry *carry, struct proclife_kept **list, uint64_t types)
{
	uint32_t execs = 0;

	bool is_one = is_single(types);

	while (*list) {
		struct proclife_kept *kept = *list;

		if (!(has(kept) & types)) {
			list = &kept->next;
			continue;
		}
		execs += kept->record.type == PROCLIFE_EXEC;
		*list = kept->next;
		proclife_slab_put(&carry->kept_slab, kept);
		if (is_one)
			break;
	}
	return execs;
}

void proclife_kept_names(struct proclife_kept_life *life, struct proclife_kept **list, uint64_t types)
{
	while (*list && types & PROCLIFE_NAMES) {
		struct proclife_kept *kept = *list;

		if (!(has(kept) & types & PROCLIFE_NAMES)) {
			list = &kept->next;
			continue;
		}
		if (kept->record.pid != kept->record.tgid || kept->record.ts > life->last_child) {
			list = &kept->next;
		} else {
			*list = kept->next;
			kept->next = life->names;
			life->names = kept;
		}
		if (is_single(types))
			break;
	}
}

void proclife_kept_free(struct proclife_carry *carry, struct proclife_kept **list)
{
	proclife_kept_take_out(carry, list, UINT64_MAX);
}

static void free_task(struct proclife_carry *carry, struct proclife_kept_task *task)
{
	proclife_kept_free(carry, &task->records);
	proclife_slab_put(&carry->task_slab, task);
}

struct proclife_kept_life *proclife_kept_life(struct proclife_carry *carry, struct proclife_process *process)
{
	if (!process->user && !proclife_slab_reserve(&carry->life_slab))
		process->user = proclife_slab_get_zeroed(&carry->life_slab);
	return process->user;
}

struct proclife_kept_task *proclife_kept_task(struct proclife_carry *carry, uint64_t handle)
{
	struct proclife_kept_task *task = proclife_map_get(&carry->by_handle, handle);

	if (task)
		return task;
	if (proclife_map_reserve(&carry->by_handle) || proclife_slab_reserve(&carry->task_slab))
		return NULL;
	task = proclife_slab_get_zeroed(&carry->task_slab);
	task->handle = handle;
	proclife_map_put(&carry->by_handle, handle, task);
	return task;
}

void proclife_past_add(struct proclife_past *to, const struct proclife_past *past)
{
	to->runtime += past->runtime;
	to->utime += past->utime;
	to->stime += past->stime;
	to->min_flt += past->min_flt;
	to->maj_flt += past->maj_flt;
	to->nvcsw += past->nvcsw;
	to->nivcsw += past->nivcsw;
	to->threads += past->threads;
	to->execs += past->execs;
}

void proclife_past_add_io(struct proclife_times *to, const struct proclife_times *io)
{
	to->read_bytes += io->read_bytes;
	to->write_bytes += io->write_bytes;
	to->threads += io->threads;
}

/* Only its figures are kept from now on. */
static void forget_task(struct proclife_carry *carry, struct proclife_kept_life *life,
			struct proclife_kept_task *task)
{
	task->past.execs = proclife_kept_take_out(carry, &task->records, PROCLIFE_HAS(PROCLIFE_EXEC));
	proclife_past_add(&life->past, &task->past);
	proclife_past_add_io(&life->io, &task->io);
	free_task(carry, task);
}

/* The one that has begun to exit last can be the one with which its process began to. */
static void keep_last(struct proclife_carry *carry, struct proclife_kept_life *life,
		      struct proclife_kept_task *task)
{

	struct proclife_kept_task *other = life->freed;

	if (other && !other->needed) {
		if (other->exiting > task->exiting) {
			forget_task(carry, life, task);
			return;
		}
		life->freed = other->next;
		forget_task(carry, life, other);
	}
	task->next = life->freed;
	life->freed = task;
}

/* It shows that of its process only the leader had ended when that was found as a zombie. One that does is enough. */
static bool is_first_outlived(struct proclife_kept_life *life, const struct proclife_kept_task *task,
			      const struct proclife_process *process)
{
	bool before = life->outlived;

	life->outlived |= proclife_priv(process)->found_as == PROCLIFE_FOUND_EXITING &&
			  task->types & PROCLIFE_HAS(PROCLIFE_TASK);
	return life->outlived && !before;
}

/*
 * A former leader has the birth of its process. A thread group that ends as a whole does so with the first
 * of its threads, and its status can be that one's.
 */
static void task_gone(void *data, struct proclife_task *gone)
{
	struct proclife_carry *carry = data;
	struct proclife_kept_task *task = proclife_map_get(&carry->by_handle, gone->handle);
	struct proclife_kept_task **first;
	struct proclife_kept_life *life;

	if (!task)
		return;
	proclife_map_del(&carry->by_handle, gone->handle);
	life = proclife_kept_life(carry, gone->process);
	if (!life) {
		carry->error = -ENOMEM;
		free_task(carry, task);
		return;
	}
	task->past = (struct proclife_past){
		.runtime = gone->runtime, .utime = gone->utime,	  .stime = gone->stime,
		.min_flt = gone->min_flt, .maj_flt = gone->maj_flt, .nvcsw = gone->nvcsw,
		.nivcsw = gone->nivcsw,	  .threads = 1,
	};
	task->start = gone->start;
	task->needed = task->led || task->ended || proclife_priv(gone->process)->ends ||
		       is_first_outlived(life, task, gone->process);
	/* Without its FREE it would be open for ever. Without a leader, its process would end with the others. */
	if (carry->fed->type != PROCLIFE_FREE || carry->fed->task != gone->handle) {
		life->unknown |= task->led;
		forget_task(carry, life, task);
		return;
	}
	if (carry->fed->flags & PROCLIFE_F_IO)
		task->io = (struct proclife_times){
			.read_bytes = carry->fed->free.read_bytes,
			.write_bytes = carry->fed->free.write_bytes,
			.threads = 1,
		};
	if (proclife_kept_add(carry, &task->records, carry->fed))
		carry->error = -ENOMEM;
	if (!task->needed) {
		keep_last(carry, life, task);
		return;
	}
	first = life->freed && !life->freed->needed ? &life->freed->next : &life->freed;
	task->next = *first;
	*first = task;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_carry *carry = data;
	struct proclife_kept_life *life = process->user;

	if (carry->owner == process)
		carry->owner = NULL;
	if (!life)
		return;
	process->user = NULL;
	while (life->freed) {
		struct proclife_kept_task *task = life->freed;

		life->freed = task->next;
		free_task(carry, task);
	}
	proclife_kept_free(carry, &life->names);
	proclife_kept_free(carry, &life->signals);
	proclife_kept_free(carry, &life->memory);
	proclife_slab_put(&carry->life_slab, life);
}

static void has_parent(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	struct proclife_carry *carry = data;
	struct proclife_kept_life *life = parent ? proclife_kept_life(carry, parent) : NULL;

	(void)process;
	if (parent && !life)
		carry->error = -ENOMEM;
	else if (parent)
		life->last_child = carry->fed->ts;
}

static void process_born(void *data, struct proclife_process *process, struct proclife_process *parent,
			 struct proclife_process *creator)
{
	(void)creator;
	has_parent(data, process, parent);
}

const struct proclife_reports proclife_carry_reports = {
	.size = sizeof(proclife_carry_reports),
	.process_born = process_born,
	.process_gone = process_gone,
	.task_gone = task_gone,
	.process_linked = has_parent,
};
