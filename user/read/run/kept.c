// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "run/kept.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Of a million lives, 20 MB: so ids are not kept as such, but as numbers that fit. */
struct kept_life {
	uint32_t needs[KEPT_WHYS]; /* ids, or 0 */
	bool is_kept;
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

static void need(struct kept *kept, uint64_t id, enum kept_why why, uint64_t whom)
{
	life_of(kept, whom);
	life_of(kept, id)->needs[why] = (uint32_t)whom;
}

static void note_born(void *data, struct proclife_process *process,
		      struct proclife_process *parent, struct proclife_process *creator)
{
	(void)parent; /* it can become known later */
	need(data, process->id, KEPT_CREATOR, creator ? creator->id : 0);
}

/* Those that a view would tell of, whenever it asks. */
static void keep(struct kept *kept, const struct proclife_process *process)
{
	struct kept_life *life = life_of(kept, process->id);

	if (!process->selected || !process->matches || life->is_kept)
		return;
	life->is_kept = true;
	kept->asked_for++;
}

static void note_exited(void *data, struct proclife_process *process)
{
	keep(data, process);
}

static void note_gone(void *data, struct proclife_process *process)
{
	keep(data, process);
	need(data, process->id, KEPT_PARENT, process->parent_id);
	need(data, process->id, KEPT_REAPER, process->reaper_id);
}

int kept_begin(struct kept *kept, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = note_born,
		.process_exited = note_exited,
		.process_gone = note_gone,
	};

	memset(kept, 0, sizeof(*kept));
	return proclife_tasks_report(tasks, &reports, kept);
}

/*
 * Who was told of an end: the last one, and rather its parent than somebody who is told of a child that
 * it leaves. That is how the library takes it, and the record is that of who is told.
 */
void kept_note(struct kept *kept, struct proclife_tasks *tasks, const struct proclife_event *event)
{
	const struct proclife_record *record = event->record;
	struct proclife_task *sender, *whom;
	struct kept_life *life;

	if (!record || record->type != PROCLIFE_SIGNAL || record->signal.signo != SIGCHLD)
		return;
	sender = proclife_tasks_find(tasks, record->signal.sender);
	whom = proclife_tasks_find(tasks, record->task);
	if (!sender || !whom)
		return;
	life = life_of(kept, sender->process->id);
	if (!life->needs[KEPT_NOTIFIED] || whom->tgid == sender->process->real_parent_tgid)
		need(kept, sender->process->id, KEPT_NOTIFIED, whom->process->id);
}

void kept_complete(struct kept *kept)
{
	uint32_t *waiting = calloc(kept->last + 1, sizeof(*waiting));
	uint64_t id, count = 0;
	unsigned int why;

	if (!waiting)
		die_no_memory();
	for (id = 1; id <= kept->last; id++)
		if (kept->lives[id].is_kept)
			waiting[count++] = (uint32_t)id;
	while (count) {
		const struct kept_life *life = &kept->lives[waiting[--count]];

		for (why = 0; why < KEPT_WHYS; why++) {
			struct kept_life *other = &kept->lives[life->needs[why]];

			if (!life->needs[why] || other->is_kept)
				continue;
			other->is_kept = true;
			kept->needed++;
			waiting[count++] = life->needs[why];
		}
	}
	free(waiting);
}

bool kept_has(const struct kept *kept, uint64_t id)
{
	return id <= kept->last && kept->lives[id].is_kept;
}

void kept_free(struct kept *kept)
{
	free(kept->lives);
	memset(kept, 0, sizeof(*kept));
}
