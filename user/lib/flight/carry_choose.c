// SPDX-License-Identifier: LGPL-2.1-or-later
/* What is carried of all that was kept: whatever is about lives that are open, as far as there is room. */
#include "base/array.h"
#include "flight/carry_lives.h"
#include "lives/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A life that takes more than this share of the room is left out before those that came last. */
#define LARGE_SHARE 16

struct choosing {
	struct proclife_carry *carry;
	size_t most;
	size_t count;	  /* chosen; beyond `most`, only counted */
	size_t detailed;  /* a life of more records has fewer of its arguments... */
	size_t largest;	  /* ... and one of more than these without any is left out */
	bool measured;	  /* the sizes of all are known: what there is no room for is left out */
	enum proclife_carry_arguments arguments; /* of the life whose records are put */
	size_t argument_records[PROCLIFE_CARRY_SIZES]; /* how many records of that life each amount takes */
	uint64_t left_out;
	struct proclife_map handles; /* of the tasks whose records are chosen: their start */
};

static int put(struct choosing *c, const struct proclife_record *record, uint64_t place)
{
	struct proclife_carry *carry = c->carry;

	if (record->type == PROCLIFE_ARGS)
		c->argument_records[record->args.offset ? PROCLIFE_ALL_PIECES : PROCLIFE_FIRST_PIECE]++;
	else if (record->type == PROCLIFE_PATH)
		c->argument_records[PROCLIFE_ALL_PIECES]++;
	if (c->count >= c->most) {
		c->count++;
		return 0;
	}
	if (PROCLIFE_ARRAY_RESERVE(carry->chosen, c->count, carry->chosen_size))
		return -ENOMEM;
	carry->chosen[c->count].place = place;
	carry->chosen[c->count++].record = *record;
	return 0;
}

/*
 * Whatever a record names as its task becomes a life. So it has to be one that is there, as it is now:
 * another one can have its handle.
 */
static bool is_there(const struct choosing *c, const struct proclife_record *record)
{
	return record->start && (uintptr_t)proclife_map_get(&c->handles, record->task) == record->start;
}

/* A reaper's WAIT is over, but the reaped task's life still needs it; see note_reaper(). */
static bool waits(const struct choosing *c, const struct proclife_kept *kept)
{
	const struct proclife_task *task = proclife_task_get(c->carry->tasks, kept->record.task);

	if (kept->of_reaper)
		return is_there(c, &kept->record);
	return task && task->waited == kept->record.ts;
}

/* Can a FORK or an EXEC follow it? */
static bool has_begun(const struct choosing *c, const struct proclife_record *record)
{
	const struct proclife_task *task = proclife_task_get(c->carry->tasks, record->task);
	const struct proclife_priv_extra *own = task ? proclife_extra_of(task) : NULL;

	if (record->birth.what == PROCLIFE_BIRTH_PAST)
		return true;
	return own && (record->birth.what == PROCLIFE_BIRTH_FORKING ? own->forking : own->execing) == record->ts;
}

static bool is_carried(const struct choosing *c, const struct proclife_kept *kept)
{
	if (kept->record.type == PROCLIFE_WAIT)
		return waits(c, kept);
	if (kept->record.type == PROCLIFE_BIRTH)
		return has_begun(c, &kept->record);
	if ((kept->record.type != PROCLIFE_ARGS && kept->record.type != PROCLIFE_PATH) ||
	    c->arguments == PROCLIFE_ALL_PIECES)
		return true;
	return kept->record.type == PROCLIFE_ARGS && c->arguments == PROCLIFE_FIRST_PIECE && !kept->record.args.offset;
}

static int note_handle(struct choosing *c, uint64_t handle, uint64_t start)
{
	if (proclife_map_reserve(&c->handles))
		return -ENOMEM;
	if (start)
		proclife_map_put(&c->handles, handle, (void *)(uintptr_t)start);
	return 0;
}

/* Which tasks are there: those that others need, and all that are open, which may have a handle of the former. */
static int note_handles(struct choosing *c)
{
	const struct proclife_priv_process *process;
	int err = 0;

	for (process = c->carry->tasks->first; process && !err; process = process->next) {
		const struct proclife_kept_life *life = process->process.user;
		const struct proclife_kept_task *freed = process->tasks && life ? life->freed : NULL;

		for (; freed && !err; freed = freed->next)
			err = note_handle(c, freed->handle, freed->start);
	}
	for (process = c->carry->tasks->first; process && !err; process = process->next) {
		const struct proclife_priv_task *task = process->tasks;

		for (; task && !err; task = task->next)
			if (proclife_kept_of(c->carry, task))
				err = note_handle(c, task->task.handle, task->task.start);
	}
	return err;
}

static int put_list(struct choosing *c, const struct proclife_process *process,
		    const struct proclife_kept *kept)
{
	int err = 0;

	for (; kept && !err; kept = kept->next) {
		struct proclife_record record = kept->record;

		if (!is_carried(c, kept))
			continue;
		proclife_kept_relatives(c->carry, process, kept->place, &record);
		err = put(c, &record, kept->place);
	}
	return err;
}

static int put_names(struct choosing *c, const struct proclife_process *process,
		     const struct proclife_kept *kept, uint32_t *execs)
{
	int err = 0;

	for (; kept && !err; kept = kept->next) {
		if (kept->needed && proclife_kept_has(c->carry, process, kept))
			err = put(c, &kept->record, kept->place);
		else
			*execs += kept->record.type == PROCLIFE_EXEC;
	}
	return err;
}

static bool is_any(const struct proclife_past *past)
{
	return past->threads || past->execs || past->waited;
}

/* 0 if a task of it shows the time. */
static uint64_t last_wait(const struct proclife_priv_process *process)
{
	for (const struct proclife_priv_task *task = process->tasks; task; task = task->next)
		if (task->task.waited == process->process.waited)
			return 0;
	return process->process.waited;
}

static int put_past(struct choosing *c, const struct proclife_priv_process *process, uint32_t execs)
{
	const struct proclife_kept_life *life = process->process.user;
	struct proclife_past past = life->past;
	bool incomplete;
	const struct proclife_kept *first = proclife_kept_first(&process->process);
	struct proclife_record record = { .type = PROCLIFE_PAST };

	past.execs += execs;
	past.waited = last_wait(process);
	incomplete = !proclife_process_ungapped(c->carry->tasks, &process->process);
	if (!first || !(incomplete || is_any(&past)))
		return 0;
	record = first->record;
	record.type = PROCLIFE_PAST;
	record.flags &= PROCLIFE_F_THREAD | PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER;
	record.flags |= incomplete ? PROCLIFE_F_TRUNCATED : 0;
	memset(record.words, 0, sizeof(record.words));
	record.past = past;
	return put(c, &record, first->place + 1);
}

/* There is a PAST, too: it has these threads. */
static int put_past_io(struct choosing *c, const struct proclife_priv_process *process)
{
	const struct proclife_kept_life *life = process->process.user;
	const struct proclife_kept *first = proclife_kept_first(&process->process);
	struct proclife_record record = { .type = PROCLIFE_TIMES };

	if (!first || !life->io.threads)
		return 0;
	record = first->record;
	record.type = PROCLIFE_TIMES;
	record.flags &= PROCLIFE_F_THREAD | PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER;
	memset(record.words, 0, sizeof(record.words));
	record.times = life->io;
	record.times.what = PROCLIFE_TIMES_PAST;
	return put(c, &record, first->place + 1);
}

/* Now, and not when it failed: nothing shows the name that it had then. */
static void stand_for(const struct choosing *c, struct proclife_record *record, const struct proclife_task *task)
{
	record->ts = c->carry->latest;
	record->task = task->handle;
	record->start = task->start;
	record->pid = task->pid;
	record->tgid = task->tgid;
	record->flags &= PROCLIFE_F_TRUNCATED | PROCLIFE_F_BY_FD | PROCLIFE_F_KTHREAD | PROCLIFE_F_WORKER;
	record->flags |= record->pid != record->tgid ? PROCLIFE_F_THREAD : 0;
	memcpy(record->comm, task->comm, sizeof(record->comm));
}

/* The task that tried can be gone: then any other one of its process stands for it. */
static int put_failed_exec(struct choosing *c, const struct proclife_priv_process *process)
{
	const struct proclife_record *failed = proclife_failed_exec_record(&process->process);
	const struct proclife_priv_task *task = process->tasks, *of = NULL;
	struct proclife_record record;

	if (!failed)
		return 0;
	for (; task && !(of && of->task.handle == failed->task); task = task->next)
		if (proclife_kept_of(c->carry, task))
			of = task;
	if (!of)
		return 0;
	record = *failed;
	if (of->task.handle != failed->task || of->task.pid != failed->pid || of->task.start != failed->start)
		stand_for(c, &record, &of->task);
	/* It is later than the EXEC, even if that has the same time. */
	return put(c, &record, 2 * c->carry->records + 1);
}

static int put_signals(struct choosing *c, const struct proclife_process *process,
		       const struct proclife_kept *kept)
{
	int err = 0;

	for (; kept && !err; kept = kept->next)
		if (proclife_kept_has(c->carry, process, kept))
			err = put(c, &kept->record, kept->place);
	return err;
}

/* All of an address space, or nothing: the task that unmaps it can be gone. */
static int put_memory(struct choosing *c, const struct proclife_process *process,
		      const struct proclife_kept *kept)
{
	for (const struct proclife_kept *each = kept; each; each = each->next)
		if (!is_there(c, &each->record))
			return 0;
	return put_list(c, process, kept);
}

static int put_early(struct choosing *c)
{
	int err = 0;

	for (size_t i = 0; i < PROCLIFE_CARRY_EARLY && !err; i++) {
		const struct proclife_kept *kept = c->carry->early[i];

		if (kept && is_there(c, &kept->record) &&
		    proclife_memory_find(c->carry->tasks, kept->record.mm.mm))
			err = put(c, &kept->record, kept->place);
	}
	return err;
}

static int put_process(struct choosing *c, const struct proclife_priv_process *process)
{
	const struct proclife_kept_life *life = process->process.user;
	uint32_t execs = 0;
	int err = 0;

	for (const struct proclife_priv_task *task = process->tasks; task && !err; task = task->next) {
		const struct proclife_kept_task *kept = proclife_kept_of(c->carry, task);

		err = kept ? put_list(c, &process->process, kept->records) : 0;
	}
	for (const struct proclife_kept_task *task = life->freed; task && !err; task = task->next)
		err = put_list(c, &process->process, task->records);
	err = err ? err : put_names(c, &process->process, life->names, &execs);
	err = err ? err : put_past(c, process, execs);
	err = err ? err : put_past_io(c, process);
	err = err ? err : put_failed_exec(c, process);
	err = err ? err : put_signals(c, &process->process, life->signals);
	return err ? err : put_memory(c, &process->process, life->memory);
}

static int put_suppressed(struct choosing *c)
{
	const struct proclife_map *map = &c->carry->suppressed;
	int err = 0;

	for (uint64_t i = 0; i <= map->mask && !err; i++) {
		const struct proclife_kept *kept = map->entries[i].value;

		err = kept ? put(c, &kept->record, kept->place) : 0;
	}
	return err;
}

/* NULL: it is not carried. Without tasks, it only waits for one that was not seen. */
static struct proclife_kept_life *known_life(const struct proclife_priv_process *process)
{
	struct proclife_kept_life *life = process->process.user;

	return process->tasks && life && !life->unknown ? life : NULL;
}

static enum proclife_carry_arguments arguments_of(const struct choosing *c,
						  const struct proclife_kept_life *life)
{
	enum proclife_carry_arguments arguments = PROCLIFE_ALL_PIECES;

	while (arguments != PROCLIFE_NO_ARGUMENTS && life->sizes[arguments] > c->detailed)
		arguments--;
	return arguments;
}

static int put_life(struct choosing *c, const struct proclife_priv_process *process,
		    struct proclife_kept_life *life)
{
	size_t before = c->count, *sizes = life->sizes;
	int err;

	memset(c->argument_records, 0, sizeof(c->argument_records));
	c->arguments = arguments_of(c, life);
	if (sizes[PROCLIFE_NO_ARGUMENTS] > c->largest) {
		c->left_out += sizes[PROCLIFE_NO_ARGUMENTS];
		return 0;
	}
	err = put_process(c, process);
	if (!c->measured) {
		sizes[PROCLIFE_ALL_PIECES] = c->count - before;
		sizes[PROCLIFE_FIRST_PIECE] = sizes[PROCLIFE_ALL_PIECES] - c->argument_records[PROCLIFE_ALL_PIECES];
		sizes[PROCLIFE_NO_ARGUMENTS] =
			sizes[PROCLIFE_FIRST_PIECE] - c->argument_records[PROCLIFE_FIRST_PIECE];
	} else if (c->count > c->most) {
		c->left_out += c->count - before;
		c->count = before;
	}
	return err;
}

static int put_all(struct choosing *c)
{
	const struct proclife_priv_process *process = c->carry->tasks->first;
	int err;

	c->count = 0;
	err = put_suppressed(c);
	for (; process && !err; process = process->next) {
		struct proclife_kept_life *life = known_life(process);

		err = life ? put_life(c, process, life) : 0;
	}
	err = err ? err : put_early(c);
	if (c->measured && c->count > c->most) {
		c->left_out += c->count - c->most;
		c->count = c->most;
	}
	return err;
}

static size_t size_of_all(const struct choosing *c)
{
	const struct proclife_priv_process *process = c->carry->tasks->first;
	size_t all = 0;

	for (; process; process = process->next) {
		const struct proclife_kept_life *life = known_life(process);

		if (life && life->sizes[PROCLIFE_NO_ARGUMENTS] <= c->largest)
			all += life->sizes[arguments_of(c, life)];
	}
	return all;
}

/* The highest limit with which there is room for all lives, or else the least. */
static void lower(const struct choosing *c, size_t *limit, size_t least, size_t room)
{
	size_t most = c->most;

	while (least < most) {
		*limit = least + (most - least + 1) / 2;
		if (size_of_all(c) <= room)
			least = *limit;
		else
			most = *limit - 1;
	}
	*limit = least;
}

/* All were measured, and are too much: those that take the most get less. */
static void lower_limits(struct choosing *c)
{
	size_t apart = c->count - size_of_all(c); /* what is not of lives */
	size_t room = c->most > apart ? c->most - apart : 0;

	c->measured = true;
	lower(c, &c->detailed, 0, room);
	if (size_of_all(c) <= room)
		return;
	lower(c, &c->largest, c->most / LARGE_SHARE, room);
	lower(c, &c->detailed, 0, room); /* without those, others can have theirs */
}

static int by_time(const void *a, const void *b)
{
	const struct proclife_kept *x = a, *y = b;

	if (x->record.ts != y->record.ts)
		return x->record.ts < y->record.ts ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int gaps_by_cpu(const void *a, const void *b)
{
	const struct proclife_gap *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static int choose(struct choosing *c, struct proclife_carried *carried)
{
	struct proclife_carry *carry = c->carry;
	int err = note_handles(c);

	err = err ? err : proclife_kept_index(carry);
	err = err ? err : proclife_kept_need_names(carry);
	err = err ? err : put_all(c);
	if (!err && c->count > c->most) {
		lower_limits(c);
		err = put_all(c);
	}
	if (err)
		return err;
	if (c->count)
		qsort(carry->chosen, c->count, sizeof(*carry->chosen), by_time);
	carry->carried = reallocarray(NULL, c->count + 1, sizeof(*carry->carried));
	if (!carry->carried)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		carry->carried[i] = carry->chosen[i].record;
	*carried = (struct proclife_carried){
		.records = carry->carried, .count = c->count,
		.gap_count = carry->gap_count, .left_out = c->left_out,
	};
	memcpy(carried->gaps, carry->gaps, sizeof(carried->gaps));
	qsort(carried->gaps, carried->gap_count, sizeof(carried->gaps[0]), gaps_by_cpu);
	return 0;
}

int proclife_carry_choose(struct proclife_carry *carry, size_t most, struct proclife_carried *carried)
{
	struct choosing c = { .carry = carry, .most = most, .detailed = SIZE_MAX, .largest = SIZE_MAX };
	int err = proclife_map_init(&c.handles);

	free(carry->carried);
	carry->carried = NULL;
	if (!err)
		err = choose(&c, carried);
	proclife_map_free(&c.handles);
	return err;
}
