// SPDX-License-Identifier: GPL-2.0-only
/* Takes what a recording has of each thread, life and event. */
#include "judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct proclife_source *source;
const struct proclife_run_info *info;
struct thread *threads;
struct life *lives;
size_t thread_count, life_count;
struct events records;
uint64_t tick;
bool lossy;

static struct proclife_record *forks, *exitings;
static size_t fork_count, exiting_count;
static struct proclife_tasks *tasks;
static struct proclife_tree *tree;
static size_t *last_of, *fork_of; /* of each life; SIZE_MAX: not seen */

bool has_records(uint64_t types)
{
	return !(types & ~proclife_source_header(source)->features);
}

struct event *events_add(struct events *events, enum trace_kind kind)
{
	struct event *e;

	events->event = grown(events->event, events->count, sizeof(*e));
	e = &events->event[events->count++];
	memset(e, 0, sizeof(*e));
	e->kind = kind;
	return e;
}

/* TRACE_KINDS: it is compared with none. */
static enum trace_kind kind_of(const struct proclife_record *r)
{
	static const enum trace_kind kinds[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = TRACE_FORK,
		[PROCLIFE_EXEC] = TRACE_EXEC,
		[PROCLIFE_EXIT] = TRACE_EXIT,
		[PROCLIFE_FREE] = TRACE_FREE,
	};
	static const enum trace_kind births[] = {
		[PROCLIFE_BIRTH_FORKING] = TRACE_FORKING,
		[PROCLIFE_BIRTH_STARTED] = TRACE_STARTED,
		[PROCLIFE_BIRTH_EXECING] = TRACE_EXECING,
	};

	if (r->type == PROCLIFE_BIRTH && r->birth.what && r->birth.what <= PROCLIFE_BIRTH_EXECING)
		return births[r->birth.what];
	return r->type < PROCLIFE_TYPES && kinds[r->type] ? kinds[r->type] : TRACE_KINDS;
}

static void add_event(const struct proclife_record *r, bool selected)
{
	const enum trace_kind kind = kind_of(r);
	struct event *e;

	if (kind == TRACE_KINDS)
		return;
	e = events_add(&records, kind);
	e->ts = r->ts;
	e->selected = selected;
	e->pid = r->pid;
	if (e->kind == TRACE_FORK)
		e->other = r->fork.creator_pid;
	if (e->kind == TRACE_EXEC) {
		e->other = r->exec.old_pid;
		e->by_fd = r->flags & PROCLIFE_F_BY_FD;
		memcpy(e->tail, r->exec.path, PROCLIFE_PATH_LEN);
	} else {
		memcpy(e->comm, r->comm, sizeof(e->comm));
	}
	if (r->type != PROCLIFE_FORK)
		return;
	/* Every FORK has a task_newtask in ftrace as well: for workers it is the only one. */
	if (!(r->flags & PROCLIFE_F_WORKER)) {
		const struct event fork = *e;

		e = events_add(&records, TRACE_NEWTASK);
		*e = fork;
	}
	e->kind = TRACE_NEWTASK;
}

/* The latest of these records that is of the same task, or SIZE_MAX. */
static size_t find(const struct proclife_record *of, size_t count, uint64_t task, uint64_t start)
{
	while (count--)
		if (of[count].task == task && of[count].start == start)
			return count;
	return SIZE_MAX;
}

static void add_exit(const struct proclife_record *r)
{
	size_t exiting = find(exitings, exiting_count, r->task, r->start);
	struct thread *thread;

	threads = grown(threads, thread_count, sizeof(*threads));
	thread = &threads[thread_count++];
	*thread = (struct thread){ .exit = *r, .born = find(forks, fork_count, r->task, r->start) != SIZE_MAX };
	if (exiting != SIZE_MAX)
		thread->exiting = exitings[exiting];
}

static void take_record(const struct proclife_record *r, bool selected)
{
	add_event(r, selected);
	if (r->type == PROCLIFE_FORK) {
		forks = grown(forks, fork_count, sizeof(*forks));
		forks[fork_count++] = *r;
	} else if (r->type == PROCLIFE_EXITING) {
		exitings = grown(exitings, exiting_count, sizeof(*exitings));
		exitings[exiting_count++] = *r;
	} else if (r->type == PROCLIFE_EXIT) {
		add_exit(r);
	}
	for (size_t i = thread_count; r->type == PROCLIFE_FREE && i--;) {
		if (threads[i].exit.task != r->task || threads[i].exit.start != r->start)
			continue;
		threads[i].final = r->free.runtime;
		break;
	}
}

static void take_memory(struct life *life, const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	life->with_memory = memory;
	if (memory)
		life->memory = *memory;
}

/* Takes what became of the memory after the process was gone. */
static void take_late_memory(void *data, struct proclife_process *process)
{
	(void)data;
	for (size_t i = life_count; i--;)
		if (lives[i].process.id == process->id) {
			take_memory(&lives[i], process);
			return;
		}
}

/* Its pid is used again only once it is reaped, but the next one can have exited by now. */
static size_t last_thread_of(const struct proclife_process *process)
{
	const uint64_t reaped = process->marks.reaped ? process->marks.reaped : UINT64_MAX;

	for (size_t i = thread_count; i--;) {
		const struct proclife_record *exit = &threads[i].exit;

		if (exit->tgid == process->tgid && exit->ts >= process->seen && exit->ts <= reaped)
			return i;
	}
	return SIZE_MAX;
}

static void take_life(void *data, struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);
	struct life *life;

	(void)data;
	if (!process->selected)
		return;
	lives = grown(lives, life_count, sizeof(*lives));
	last_of = grown(last_of, life_count, sizeof(*last_of));
	fork_of = grown(fork_of, life_count, sizeof(*fork_of));
	life = &lives[life_count];
	*life = (struct life){ .process = *process };
	if (killer)
		life->killer = *killer;
	take_memory(life, process);
	last_of[life_count] = last_thread_of(process);
	fork_of[life_count] = SIZE_MAX;
	for (size_t i = fork_count; i-- && process->marks.born;)
		if (forks[i].pid == process->tgid && forks[i].ts == process->marks.born) {
			fork_of[life_count] = i;
			break;
		}
	life_count++;
}

static int by_exit(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	return x->process.marks.exited < y->process.marks.exited ? -1 :
	       x->process.marks.exited > y->process.marks.exited;
}

static void begin_tasks(void)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_gone = take_life,
		.process_over = take_late_memory,
	};

	/* The source of a command selects that and its descendants; the other witnesses saw all others, too. */
	if (proclife_tasks_new(&tasks, source) || proclife_tasks_report(tasks, &reports, NULL))
		fail("memory");
	if (info->command && (proclife_tree_new(&tree, tasks) || lives_report(tasks)))
		fail("memory");
}

void read_recording(const char *path)
{
	struct proclife_fault fault;
	struct proclife_event event;
	int err = proclife_recording_open(&source, path, &fault), selected;

	if (err) {
		printf("%s: %s\n", fault.path, fault.text);
		exit(1);
	}
	info = proclife_recording_info(source);
	begin_tasks();
	while ((err = proclife_source_next(source, &event)) >= 0) {
		if (!err)
			continue;
		selected = proclife_tasks_feed(tasks, &event);
		if (selected < 0)
			fail("memory");
		if (event.record)
			take_record(event.record, selected);
	}
	if (err != -ENODATA || proclife_tasks_close(tasks) < 0)
		fail(path);
	/* None of these moves any more. */
	for (size_t i = 0; i < life_count; i++) {
		lives[i].last = last_of[i] == SIZE_MAX ? NULL : &threads[last_of[i]];
		lives[i].fork = fork_of[i] == SIZE_MAX ? NULL : &forks[fork_of[i]];
	}
	if (life_count)
		qsort(lives, life_count, sizeof(*lives), by_exit);
	tick = 1000000000 / proclife_source_header(source)->hz;
	lossy = info->lost;
	if (tree)
		judge_tree(tree);
}

void close_recording(void)
{
	proclife_tree_free(tree);
	proclife_tasks_free(tasks);
	proclife_source_free(source);
}
