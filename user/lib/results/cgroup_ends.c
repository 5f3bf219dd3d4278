// SPDX-License-Identifier: LGPL-2.1-or-later
/* How cgroups end: what was killed first in each, which process was the last, and when it was empty. */
#include "base/listed.h"
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The processes that end in a cgroup from one time that it gets its first task until it is empty. */
struct stretch {
	struct proclife_cgroup_end end; /* what programs see */
	struct proclife_killer killer;	/* ts 0: none */
	uint64_t left;	    /* when the last one had left it, as far as that is known */
	uint64_t killed_id; /* of processes; of two at the same time, one has to be chosen */
	uint64_t last_id;
	uint64_t reaped_id;
	bool unreaped; /* one has not been reaped */
};

/* The result is about the last stretch. */
struct entry {
	struct stretch last;
	struct stretch next; /* those after it was empty: a record that it got a task may be missing */
	uint64_t populated; /* when it got its first task; 0: before the trace, or not recorded */
	bool lives; /* a process of it has not exited, or it is not known whether */
};

struct proclife_cgroup_ends {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	struct proclife_listed entries; /* by cgroup */
};

static struct entry *get(struct proclife_cgroup_ends *ends, uint64_t cgroup)
{
	struct entry *entry = proclife_listed_get(&ends->entries, cgroup);

	if (entry)
		return entry;
	entry = proclife_listed_add(&ends->entries, cgroup, sizeof(*entry));
	if (entry)
		entry->last.end.cgroup = cgroup;
	return entry;
}

static void set_who(struct proclife_who *who, const struct proclife_process *process)
{
	who->tgid = process->tgid;
	who->named = true;
	memcpy(who->comm, process->comm, sizeof(who->comm));
}

static bool is_later(uint64_t ts, uint64_t id, uint64_t than, uint64_t than_id)
{
	return ts > than || (ts == than && id > than_id);
}

/* When its exit was over. Whose parent ignores it is released at once. */
static uint64_t left_at(const struct proclife_process *process)
{
	const struct proclife_marks *marks = &process->marks;

	if (proclife_process_announced(process))
		return proclife_process_announced(process);
	if (marks->reaped && (process->reaper_tgid == process->tgid || !marks->exited))
		return marks->reaped;
	return marks->exited;
}

static void note_killed(struct stretch *stretch, const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_sigkill(process);
	struct proclife_cgroup_end *end = &stretch->end;

	if (!killer ||
	    (stretch->killer.ts && is_later(killer->ts, process->id, stretch->killer.ts, stretch->killed_id)))
		return;
	stretch->killer = *killer;
	end->killer = &stretch->killer;
	set_who(&end->killed, process);
	stretch->killed_id = process->id;
}

static void note_exited(struct stretch *stretch, const struct proclife_process *process)
{
	uint64_t left = left_at(process);

	if (!is_later(left, process->id, stretch->left, stretch->last_id))
		return;
	stretch->end.exited = process->marks.exited;
	stretch->end.notified = process->marks.notified;
	set_who(&stretch->end.last, process);
	stretch->left = left;
	stretch->last_id = process->id;
}

static void note_reaped(struct stretch *stretch, const struct proclife_process *process)
{
	struct proclife_cgroup_end *end = &stretch->end;
	uint64_t reaped = process->marks.reaped;

	if (!reaped || !is_later(reaped, process->id, end->reaped, stretch->reaped_id))
		return;
	end->reaped = reaped;
	set_who(&end->last_reaped, process);
	end->reaper.tgid = process->reaper_tgid;
	end->reaper.named = process->reaper_named;
	memcpy(end->reaper.comm, process->reaper_comm, sizeof(end->reaper.comm));
	stretch->reaped_id = process->id;
}

/* It leaves its cgroup after its EXIT. */
static bool is_there(const struct proclife_process *process, enum proclife_life_state state)
{
	return state == PROCLIFE_IS_ALIVE || state == PROCLIFE_IS_UNKNOWN ||
	       (state == PROCLIFE_IS_DYING && !proclife_priv(process)->exited);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_cgroup_ends *ends = data;
	enum proclife_life_state state = proclife_process_state(process);
	uint64_t began = process->marks.exited ? process->marks.exited : left_at(process);
	struct stretch *stretch;
	struct entry *entry;

	if (!process->cgroup)
		return;
	entry = get(ends, process->cgroup);
	if (!entry) {
		ends->tasks->error = -ENOMEM;
		return;
	}
	if (is_there(process, state)) {
		entry->lives = true;
		return;
	}
	if (began < entry->populated) /* it was there before the cgroup was last empty */
		return;
	/* After it was empty: it had been moved away before, unless the next record says that it is empty again. */
	stretch = entry->last.end.empty && began > entry->last.end.empty ? &entry->next : &entry->last;
	stretch->end.processes++;
	stretch->unreaped |= state == PROCLIFE_IS_ZOMBIE || state == PROCLIFE_IS_DYING;
	note_killed(stretch, process);
	note_exited(stretch, process);
	note_reaped(stretch, process);
}

static void cgroup_changed(void *data, const struct proclife_record *record)
{
	struct proclife_cgroup_ends *ends = data;
	struct entry *entry = get(ends, record->cgroup.cgroup);

	if (!entry) {
		ends->tasks->error = -ENOMEM;
		return;
	}
	if (record->cgroup.populated)
		*entry = (struct entry){ .populated = record->ts };
	else if (entry->last.end.empty) /* that it got a task in between was lost */
		*entry = (struct entry){ .last = entry->next, .populated = entry->last.end.empty };
	entry->last.end.cgroup = record->cgroup.cgroup;
	if (entry->last.end.killer) /* it has moved */
		entry->last.end.killer = &entry->last.killer;
	if (!record->cgroup.populated)
		entry->last.end.empty = record->ts;
}

/* Decides whether it has ended, and how certain that is. */
static void settle(const struct proclife_tasks *tasks, struct entry *entry)
{
	struct proclife_cgroup_end *end = &entry->last.end;
	bool lacks = proclife_tasks_may_lack(tasks, PROCLIFE_SIGNAL, entry->populated) ||
		     proclife_tasks_may_lack(tasks, PROCLIFE_CGROUP, entry->populated);
	bool all_known = tasks->snapshot && !tasks->is_slice;

	end->incomplete = lacks;
	/* A process that is said to live in it has been moved away, unless a record is missing. */
	if (end->empty)
		end->ended = !entry->lives || !lacks;
	else
		end->ended = !entry->lives && all_known && (!tasks->with_cgroup || lacks);
	if (entry->last.unreaped)
		end->reaped = 0;
}

const struct proclife_cgroup_end *proclife_cgroup_ends_get(const struct proclife_cgroup_ends *ends,
							   uint64_t cgroup)
{
	struct entry *entry = proclife_listed_get(&ends->entries, cgroup);

	if (entry && ends->tasks)
		settle(ends->tasks, entry);
	return entry && entry->last.end.processes && entry->last.end.ended ? &entry->last.end : NULL;
}

static void tasks_freed(void *data)
{
	struct proclife_cgroup_ends *ends = data;

	for (size_t i = 0; i < ends->entries.count; i++)
		settle(ends->tasks, ends->entries.all[i]);
	ends->tasks = NULL;
}

int proclife_cgroup_ends_new(struct proclife_cgroup_ends **result, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = process_gone,
	};
	struct proclife_cgroup_ends *ends = calloc(1, sizeof(*ends));
	int err;

	if (!ends)
		return -ENOMEM;
	err = proclife_listed_init(&ends->entries);
	if (!err)
		err = proclife_tasks_attach(tasks, &reports, ends, tasks_freed);
	if (err) {
		proclife_cgroup_ends_free(ends);
		return err;
	}
	proclife_tasks_cgroups(tasks, cgroup_changed);
	ends->tasks = tasks;
	*result = ends;
	return 0;
}

void proclife_cgroup_ends_free(struct proclife_cgroup_ends *ends)
{
	if (!ends)
		return;
	if (ends->tasks)
		proclife_tasks_detach(ends->tasks, ends);
	proclife_listed_free(&ends->entries);
	free(ends);
}
