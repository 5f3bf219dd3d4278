// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which processes fork, which ones reap and how soon, and which zombies are left. */
#include "base/listed.h"
#include "lives/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct proclife_reaper reaper;
	uint64_t coalesced; /* the zombies' share of reaper.coalesced, which is counted again */
	bool reported; /* this process is gone: its name is final */
};

struct proclife_reapers {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	bool at_birth;
	bool told; /* a process was reported whose birth counts */
	uint64_t first; /* the first process that was reported born to this one; 0: none yet */
	struct proclife_listed entries; /* by the process's id; by its pid if that is not known */
};

#define UNKNOWN (1ULL << 63) /* above all ids */

static struct entry *get(struct proclife_reapers *reapers, uint64_t id, uint32_t tgid)
{
	uint64_t key = id ? id : UNKNOWN | tgid;
	struct entry *entry = proclife_listed_get(&reapers->entries, key);

	if (entry)
		return entry;
	entry = proclife_listed_add(&reapers->entries, key, sizeof(*entry));
	if (!entry)
		return NULL;
	entry->reaper.id = id;
	entry->reaper.tgid = tgid;
	entry->reaper.init = tgid == 1;
	return entry;
}

static void set_name(struct proclife_reaper *reaper, const char comm[PROCLIFE_COMM_LEN])
{
	memcpy(reaper->comm, comm, sizeof(reaper->comm));
	reaper->named = true;
}

static bool coalesced(const struct proclife_process *process)
{
	return process->marks.notified && proclife_priv(process)->coalesced;
}

static int note_reaped(struct entry *entry, const struct proclife_process *process)
{
	uint64_t notified = process->marks.notified;
	struct proclife_reaper *reaper = &entry->reaper;
	uint64_t ns;
	int err = 0;

	if (!entry->reported && process->reaper_named)
		set_name(reaper, process->reaper_comm);
	reaper->reaped++;
	proclife_sum(&reaper->runtime, process->runtime);
	reaper->coalesced += coalesced(process);
	/* Without both ids, compare the pids: right as long as they are not reused. */
	if (reaper->id && process->parent_id)
		reaper->adopted += process->parent_id != reaper->id;
	else if (process->parent_tgid)
		reaper->adopted += process->parent_tgid != process->reaper_tgid;
	if (notified && process->reaper_waited) {
		reaper->awaited += process->reaper_waited <= notified;
		reaper->belated += process->reaper_waited > notified;
	}
	if (!proclife_process_phase(process, PROCLIFE_ZOMBIE, &ns))
		return 0;
	if (!reaper->zombie)
		err = proclife_histogram_new(&reaper->zombie);
	return err ? err : proclife_histogram_add(reaper->zombie, ns);
}

static int note_end(struct proclife_reapers *reapers, const struct proclife_process *process)
{
	struct entry *entry;
	uint32_t tgid;
	uint64_t id;

	if (!process->autoreaped) {
		entry = get(reapers, process->reaper_id, process->reaper_tgid);
		return entry ? note_reaped(entry, process) : -ENOMEM;
	}
	/* No process had to reap it: this one ignores SIGCHLD, or ended a pid namespace. */
	tgid = proclife_due_to(process, &id);
	if (!tgid)
		return 0;
	entry = get(reapers, id, tgid);
	if (!entry)
		return -ENOMEM;
	if (process->ended_with_parent)
		entry->reaper.ended_with++;
	else
		entry->reaper.ignored++;
	proclife_sum(&entry->reaper.runtime, process->runtime);
	if (!entry->reaper.named && id && id == process->parent_id)
		set_name(&entry->reaper, process->parent_comm);
	return 0;
}

static int note_birth(struct proclife_reapers *reapers, const struct proclife_process *process)
{
	struct entry *entry;

	if (!process->parent_tgid)
		return 0;
	entry = get(reapers, process->parent_id, process->parent_tgid);
	if (!entry)
		return -ENOMEM;
	entry->reaper.born++;
	if (!entry->reaper.named && process->parent_id)
		set_name(&entry->reaper, process->parent_comm);
	return 0;
}

static int note(struct proclife_reapers *reapers, const struct proclife_process *process)
{
	int err = process->marks.born && !reapers->at_birth ? note_birth(reapers, process) : 0;

	return err || !process->marks.reaped ? err : note_end(reapers, process);
}

/* One that is older than the trace has no birth to count, but can be left behind as a zombie. */
static void parent_known(struct proclife_process *process, struct proclife_process *parent)
{
	if (parent && process->selected)
		proclife_priv(parent)->reaps = true;
}

/* A birth that was counted when only the parent's pid was known belongs to this parent. */
static int move_birth(struct proclife_reapers *reapers, struct proclife_process *process)
{
	struct proclife_priv_process *own = proclife_priv(process);
	struct entry *entry;

	if (!own->born_to_pid || !reapers->first || process->id < reapers->first)
		return 0;
	own->born_to_pid = false;
	entry = proclife_listed_get(&reapers->entries, UNKNOWN | process->parent_tgid);
	if (entry && entry->reaper.born)
		entry->reaper.born--;
	return note_birth(reapers, process);
}

static void process_linked(void *data, struct proclife_process *process,
			   struct proclife_process *parent)
{
	struct proclife_reapers *reapers = data;

	parent_known(process, parent);
	if (parent && reapers->at_birth && move_birth(reapers, process))
		reapers->tasks->error = -ENOMEM;
}

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct proclife_reapers *reapers = data;

	(void)creator;
	reapers->told |= process->marks.born != 0;
	reapers->first = reapers->first ? reapers->first : process->id;
	parent_known(process, parent);
	if (!reapers->at_birth || !process->marks.born || !process->selected || !process->matches)
		return;
	proclife_priv(process)->born_to_pid = !process->parent_id;
	if (note_birth(reapers, process))
		reapers->tasks->error = -ENOMEM;
}

static void process_gone(void *data, struct proclife_process *process)
{
	bool reaps = proclife_priv(process)->reaps;
	struct proclife_reapers *reapers = data;
	struct entry *entry;

	reapers->told |= process->marks.born != 0;
	if (process->selected && process->matches && note(reapers, process))
		reapers->tasks->error = -ENOMEM;
	/* Those that it has reaped may be reported only later. */
	entry = reaps ? get(reapers, process->id, process->tgid) :
			proclife_listed_get(&reapers->entries, process->id);
	if (!entry && reaps)
		reapers->tasks->error = -ENOMEM;
	if (!entry)
		return;
	set_name(&entry->reaper, process->comm);
	entry->reaper.gone = !process->outlives;
	entry->reaper.init |= process->ns_pid == 1;
	entry->reaper.since = process->marks.born;
	entry->reaper.until = process->marks.exited;
	entry->reported = true;
}

static int note_zombie(struct proclife_reapers *reapers, const struct proclife_process *process)
{
	const struct proclife_process *parent = proclife_process_reaper(process);
	uint64_t since = proclife_process_zombie_since(process), id = parent ? parent->id : 0;
	struct entry *entry;

	/* If it is gone, that was the parent by birth, or it is not known. */
	if (!parent && proclife_process_awaits(process) == process->parent_tgid)
		id = process->parent_id;
	entry = get(reapers, id, proclife_process_awaits(process));
	if (!entry)
		return -ENOMEM;
	if (!entry->reaper.named && id && id == process->parent_id)
		set_name(&entry->reaper, process->parent_comm);
	entry->coalesced += coalesced(process);
	entry->reaper.coalesced += coalesced(process);
	if (!entry->reaper.zombies++ || since < entry->reaper.oldest)
		entry->reaper.oldest = since;
	return 0;
}

static void forget_zombies(struct proclife_reapers *reapers)
{
	for (size_t i = 0; i < reapers->entries.count; i++) {
		struct entry *entry = reapers->entries.all[i];

		entry->reaper.coalesced -= entry->coalesced;
		entry->coalesced = 0;
		entry->reaper.zombies = 0;
		entry->reaper.oldest = 0;
	}
}

static int count_zombies(struct proclife_reapers *reapers)
{
	const struct proclife_process *process = NULL;
	int err = 0;

	forget_zombies(reapers);
	while (!err && (process = proclife_tasks_next(reapers->tasks, process))) {
		if (process->selected && process->matches &&
		    proclife_process_state(process) == PROCLIFE_IS_ZOMBIE)
			err = note_zombie(reapers, process);
	}
	return err;
}

/* While all of them are there: later, parents are reported before their children. */
static void closing(void *data)
{
	struct proclife_reapers *reapers = data;
	int err = count_zombies(reapers);

	if (err)
		reapers->tasks->error = err;
}

int proclife_reapers_update(struct proclife_reapers *reapers)
{
	const struct proclife_process *process = NULL;
	struct entry *entry;
	int err = reapers->tasks ? count_zombies(reapers) : -EINVAL;

	if (err)
		return err;
	while ((process = proclife_tasks_next(reapers->tasks, process))) {
		entry = proclife_listed_get(&reapers->entries, process->id);
		if (!entry)
			continue;
		set_name(&entry->reaper, process->comm);
		entry->reaper.init |= process->ns_pid == 1;
		entry->reaper.since = process->marks.born;
		entry->reaper.until = process->marks.exited;
	}
	return 0;
}

static void tasks_freed(void *data)
{
	struct proclife_reapers *reapers = data;

	reapers->tasks = NULL;
}

int proclife_reapers_new(struct proclife_reapers **result, struct proclife_tasks *tasks)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_born = process_born,
		.process_gone = process_gone, .process_linked = process_linked,
	};
	struct proclife_reapers *reapers = calloc(1, sizeof(*reapers));
	int err;

	if (!reapers)
		return -ENOMEM;
	err = proclife_listed_init(&reapers->entries);
	if (!err)
		err = proclife_tasks_attach(tasks, &reports, reapers, tasks_freed);
	if (err) {
		proclife_reapers_free(reapers);
		return err;
	}
	proclife_tasks_closing(tasks, closing);
	reapers->tasks = tasks;
	*result = reapers;
	return 0;
}

int proclife_reapers_at_birth(struct proclife_reapers *reapers)
{
	if (reapers->told)
		return -EBUSY;
	reapers->at_birth = true;
	return 0;
}

void proclife_reapers_free(struct proclife_reapers *reapers)
{
	if (!reapers)
		return;
	if (reapers->tasks)
		proclife_tasks_detach(reapers->tasks, reapers);
	for (size_t i = 0; i < reapers->entries.count; i++)
		proclife_histogram_free(((struct entry *)reapers->entries.all[i])->reaper.zombie);
	proclife_listed_free(&reapers->entries);
	free(reapers);
}

const struct proclife_reaper *proclife_reapers_get(const struct proclife_reapers *reapers,
						   size_t index)
{
	return index < reapers->entries.count ?
		       &((struct entry *)reapers->entries.all[index])->reaper : NULL;
}
