// SPDX-License-Identifier: LGPL-2.1-or-later
/* How cgroups end: who was killed first in each, who was the last, and when it was empty. */
#include "listed.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is told begins with the last time that the cgroup got its first task. */
struct entry {
	struct proclife_cgroup_end end; /* what programs see */
	struct proclife_killer killer;	/* ts 0: none */
	uint64_t populated; /* that time; 0: before the trace, or not recorded */
	uint64_t left;	    /* when the last one had left it, as far as that is known */
	uint64_t killed_id; /* of processes; of two at the same time, one has to be chosen */
	uint64_t last_id;
	uint64_t reaped_id;
	bool lives;  /* a process of it lives, or it is not known whether */
	bool zombie; /* one has not been reaped */
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
		entry->end.cgroup = cgroup;
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

static void note_killed(struct entry *entry, const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_sigkill(process);
	struct proclife_cgroup_end *end = &entry->end;

	if (!killer ||
	    (entry->killer.ts && is_later(killer->ts, process->id, entry->killer.ts, entry->killed_id)))
		return;
	entry->killer = *killer;
	end->killer = &entry->killer;
	set_who(&end->killed, process);
	entry->killed_id = process->id;
}

static void note_exited(struct entry *entry, const struct proclife_process *process)
{
	uint64_t left = left_at(process);

	if (!is_later(left, process->id, entry->left, entry->last_id))
		return;
	entry->end.exited = process->marks.exited;
	entry->end.notified = process->marks.notified;
	set_who(&entry->end.last, process);
	entry->left = left;
	entry->last_id = process->id;
}

static void note_reaped(struct entry *entry, const struct proclife_process *process)
{
	struct proclife_cgroup_end *end = &entry->end;
	uint64_t reaped = process->marks.reaped;

	if (!reaped || !is_later(reaped, process->id, end->reaped, entry->reaped_id))
		return;
	end->reaped = reaped;
	set_who(&end->last_reaped, process);
	end->reaper.tgid = process->reaper_tgid;
	end->reaper.named = process->reaper_named;
	memcpy(end->reaper.comm, process->reaper_comm, sizeof(end->reaper.comm));
	entry->reaped_id = process->id;
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct proclife_cgroup_ends *ends = data;
	enum proclife_life_state state = proclife_process_state(process);
	uint64_t began = process->marks.exited ? process->marks.exited : left_at(process);
	struct entry *entry;

	if (!process->cgroup)
		return;
	entry = get(ends, process->cgroup);
	if (!entry) {
		ends->tasks->error = -ENOMEM;
		return;
	}
	if (state == PROCLIFE_IS_ALIVE || state == PROCLIFE_IS_UNKNOWN) {
		entry->lives = true;
		return;
	}
	/* It was there before the cgroup was last empty, or it had been moved away by then. */
	if (began < entry->populated || (entry->end.empty && began > entry->end.empty))
		return;
	entry->end.processes++;
	entry->zombie |= state == PROCLIFE_IS_ZOMBIE;
	note_killed(entry, process);
	note_exited(entry, process);
	note_reaped(entry, process);
}

static void cgroup_changed(void *data, const struct proclife_record *record)
{
	struct proclife_cgroup_ends *ends = data;
	struct entry *entry = get(ends, record->cgroup.cgroup);

	if (!entry) {
		ends->tasks->error = -ENOMEM;
		return;
	}
	/* If it was empty already, that it got a task in between was lost. */
	if (record->cgroup.populated || entry->end.empty)
		*entry = (struct entry){
			.end.cgroup = record->cgroup.cgroup,
			.populated = record->cgroup.populated ? record->ts : entry->end.empty,
		};
	if (!record->cgroup.populated)
		entry->end.empty = record->ts;
}

/* Decides whether it has ended, and how certain that is. */
static void settle(const struct proclife_tasks *tasks, struct entry *entry)
{
	struct proclife_cgroup_end *end = &entry->end;
	bool lacks = (tasks->gap_to && tasks->gap_to >= entry->populated) ||
		     proclife_tasks_may_lack(tasks, PROCLIFE_SIGNAL, entry->populated) ||
		     proclife_tasks_may_lack(tasks, PROCLIFE_CGROUP, entry->populated);
	bool all_known = tasks->snapshot && !tasks->is_slice;

	end->incomplete = lacks;
	/* Who is said to live in it has been moved away, unless a record is missing. */
	if (end->empty)
		end->ended = !entry->lives || !lacks;
	else
		end->ended = !entry->lives && all_known && (!tasks->with_cgroup || lacks);
	if (entry->zombie)
		end->reaped = 0;
}

const struct proclife_cgroup_end *proclife_cgroup_ends_get(const struct proclife_cgroup_ends *ends,
							   uint64_t cgroup)
{
	struct entry *entry = proclife_listed_get(&ends->entries, cgroup);

	if (entry && ends->tasks)
		settle(ends->tasks, entry);
	return entry && entry->end.processes && entry->end.ended ? &entry->end : NULL;
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
