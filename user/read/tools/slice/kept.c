// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "tools/slice/kept.h"
#include <stdlib.h>
#include <string.h>

/* 40 MB for a million lives: so ids are not kept as such, but as numbers that fit. */
struct kept_life {
	uint32_t needs[KEPT_WHYS]; /* ids, or 0 */
	uint32_t takings;	   /* the last one, or 0 */
	bool is_kept;
};

/*
 * A life that is needed for its first record: it has the handle or the pid of a life whose end was
 * lost, which would go on without it. There can be one for each thread.
 */
struct kept_taking {
	uint32_t by;
	uint32_t before; /* another one of the same life, or 0 */
};

static struct kept_life *life_of(struct kept *kept, uint64_t id)
{
	uint64_t count = kept->count ? kept->count : 1024;

	if (id > UINT32_MAX) /* no machine has made as many */
		die_no_memory();
	while (count <= id)
		count *= 2;
	if (count != kept->count) {
		kept->lives = reallocarray(kept->lives, count, sizeof(*kept->lives));
		if (!kept->lives)
			die_no_memory();
		memset(kept->lives + kept->count, 0, (count - kept->count) * sizeof(*kept->lives));
		kept->count = count;
	}
	if (id > kept->last)
		kept->last = id;
	return &kept->lives[id];
}

static void need(struct kept *kept, uint64_t id, enum kept_why why, uint64_t other)
{
	life_of(kept, other);
	life_of(kept, id)->needs[why] = (uint32_t)other;
}

/* Something of this life ended without a FREE: what took its place is known when the record has been fed. */
static void note_taken(struct kept *kept, uint64_t id)
{
	struct kept_life *life = life_of(kept, id);

	if (life->takings > kept->settled) /* a thread of it, by the same record */
		return;
	if (kept->taking_count + 1 >= kept->taking_room) {
		kept->taking_room = kept->taking_room ? 2 * kept->taking_room : 64;
		kept->takings = reallocarray(kept->takings, kept->taking_room,
					     sizeof(*kept->takings));
		if (!kept->takings)
			die_no_memory();
	}
	kept->takings[++kept->taking_count] = (struct kept_taking){ .before = life->takings };
	life->takings = kept->taking_count;
}

static void note_taker(struct kept *kept, uint64_t id)
{
	life_of(kept, id);
	while (kept->settled < kept->taking_count)
		kept->takings[++kept->settled].by = (uint32_t)id;
}

static void note_task_gone(void *data, struct proclife_task *task)
{
	struct kept *kept = data;

	if (!task->marks.freed)
		note_taken(kept, task->process->id);
	else if (task->handle == kept->handle) /* nothing but its FREE was seen */
		note_taker(kept, task->process->id);
}

static void note_born(void *data, struct proclife_process *process,
		      struct proclife_process *parent, struct proclife_process *creator)
{
	(void)parent; /* it can become known later */
	note_taker(data, process->id);
	need(data, process->id, KEPT_CREATOR, creator ? creator->id : 0);
}

/* Those that a view would show, whenever it asks, or would count as left out. */
static void keep(struct kept *kept, const struct proclife_process *process)
{
	struct kept_life *life = life_of(kept, process->id);

	if (!process->selected || !(process->matches || proclife_process_unjudged(process)) || life->is_kept)
		return;
	life->is_kept = true;
	kept->asked_for++;
	kept->matching += process->matches;
}

static void note_exited(void *data, struct proclife_process *process)
{
	keep(data, process);
}

static void note_memory(void *data, struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	if (!memory)
		return;
	need(data, process->id, KEPT_LAST_HOLDER, memory->last.id);
	need(data, process->id, KEPT_UNMAPPER, memory->by.id);
	need(data, process->id, KEPT_EARLY, memory->early_by.id);
}

/* If the snapshot found it as a zombie, only the tracer's pid is known. */
static uint64_t tracer_of(const struct kept *kept, const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	const struct proclife_process *found;

	if (!tracer || tracer->ts)
		return tracer ? tracer->id : 0;
	found = proclife_tasks_holder(kept->tasks, tracer->tgid);
	return found ? found->id : 0;
}

static void note_gone(void *data, struct proclife_process *process)
{
	keep(data, process);
	if (!process->marks.freed && !process->outlives)
		note_taken(data, process->id);
	need(data, process->id, KEPT_PARENT, process->parent_id);
	need(data, process->id, KEPT_NOTIFIED, process->notified_id);
	need(data, process->id, KEPT_TRACER, tracer_of(data, process));
	need(data, process->id, KEPT_REAPER, process->reaper_id);
}

int kept_begin(struct kept *kept, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = note_born,
		.process_exited = note_exited,
		.process_gone = note_gone,
		.task_gone = note_task_gone,
		.process_over = note_memory,
	};

	*kept = (struct kept){ .tasks = tasks };
	return proclife_tasks_report(tasks, &reports, kept);
}

void kept_note(struct kept *kept, struct proclife_tasks *tasks, const struct proclife_event *event)
{
	if (kept->settled < kept->taking_count) {
		const struct proclife_task *task = proclife_tasks_find(tasks, kept->handle);

		note_taker(kept, task ? task->process->id : 0);
	}
	kept->handle = event->record ? event->record->task : 0;
}

/* Those that are kept, but whose needs are not yet. */
struct waiting {
	uint32_t *ids;
	uint64_t count;
};

static void keep_needed(struct kept *kept, struct waiting *waiting, uint32_t id)
{
	if (!id || kept->lives[id].is_kept)
		return;
	kept->lives[id].is_kept = true;
	kept->needed++;
	waiting->ids[waiting->count++] = id;
}

void kept_complete(struct kept *kept)
{
	struct waiting waiting = { .ids = calloc(kept->last + 1, sizeof(*waiting.ids)) };
	unsigned int why;
	uint32_t taking;
	uint64_t id;

	if (!waiting.ids)
		die_no_memory();
	for (id = 1; id <= kept->last; id++)
		if (kept->lives[id].is_kept)
			waiting.ids[waiting.count++] = (uint32_t)id;
	while (waiting.count) {
		const struct kept_life *life = &kept->lives[waiting.ids[--waiting.count]];

		for (why = 0; why < KEPT_WHYS; why++)
			keep_needed(kept, &waiting, life->needs[why]);
		for (taking = life->takings; taking; taking = kept->takings[taking].before)
			keep_needed(kept, &waiting, kept->takings[taking].by);
	}
	free(waiting.ids);
}

bool kept_has(const struct kept *kept, uint64_t id)
{
	return id <= kept->last && kept->lives[id].is_kept;
}

void kept_free(struct kept *kept)
{
	free(kept->lives);
	free(kept->takings);
	memset(kept, 0, sizeof(*kept));
}
