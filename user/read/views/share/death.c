// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "views/share/death.h"
#include "views/share/lived.h"
#include "views/share/memory.h"
#include <stdlib.h>
#include <string.h>

static struct figure life_of(const struct death *death)
{
	uint64_t from = death->marks.born ? death->marks.born : death->seen;
	uint64_t to = death->marks.exited;
	uint64_t before = lived_before(death->run, death->marks.born, death->seen, death->start);

	return (struct figure){ to - from + before, to && to >= from, !death->marks.born && !before };
}

/* The same in all views. */
static void set_life(struct death *death)
{
	struct figure life = life_of(death);

	death->known[PROCLIFE_LIFE] = life.known && !life.at_least;
	death->phases[PROCLIFE_LIFE] = life.value;
}

void death_set_phases(struct death *death, const struct proclife_process *process)
{
	enum proclife_phase phase;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++)
		death->known[phase] = proclife_process_phase(process, phase, &death->phases[phase]);
	set_life(death);
	death->memory = memory_of(process);
}

bool death_memory_follows(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return memory && memory->open && !process->outlives;
}

/* A snapshot can find it as a zombie, and has its parent and its user. */
static void set_later(struct death *death, const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	death->parent_id = process->parent_id;
	death->parent_tgid = process->parent_tgid;
	memcpy(death->parent_comm, process->parent_comm, sizeof(death->parent_comm));
	death->uid = process->uid;
	death->has_uid = proclife_process_has_uid(process);
	death->start = process->start;
	death->threads = process->threads;
	death->flags = process->flags;
	death->marks = process->marks;
	death->killed = proclife_process_killed(process);
	death->max_rss = process->max_rss; /* of many it is known only after the EXIT */
	death_set_phases(death, process);
	if (process->open) { /* it is a thread's, so far */
		death->marks.freed = 0;
		death->known[PROCLIFE_RCU_FREE] = false;
		death->known[PROCLIFE_EXIT_FREE] = false;
	}
	death->reaper_tgid = process->reaper_tgid;
	death->reaper_named = process->reaper_named;
	memcpy(death->reaper_comm, process->reaper_comm, sizeof(death->reaper_comm));
	death->cgroup = process->cgroup;
	death->state = proclife_process_state(process);
	death->incomplete = process->incomplete;
	death->notified_lost = process->notified_lost;
	death->autoreaped = process->autoreaped;
	death->is_held = death->state == PROCLIFE_IS_ZOMBIE && proclife_process_is_held(process);
	death->tracer = tracer ? *tracer : (struct proclife_tracer){ 0 };
}

void death_set(struct death *death, const struct proclife_process *process)
{
	const struct proclife_killer *killer = proclife_process_killer(process);

	death->seen = process->seen;
	set_later(death, process);
	death->when = process->marks.exited;
	death->exited = proclife_process_has_exited(process);
	proclife_process_usage(process, &death->usage);
	death->killer.signo = 0;
	if (killer)
		death->killer = *killer;
	death->path = process->path;
	death->args = process->args;
	death->id = process->id;
	death->args_bytes = process->args_bytes;
	death->tgid = process->tgid;
	death->creator_tgid = process->creator_tgid;
	death->ns_pid = process->ns_pid;
	death->ns_inum = process->ns_inum;
	death->execs = process->execs;
	death->exit_code = process->exit_code;
	death->alone_known = false;
	death->args_cut = process->args_cut;
	death->script = process->script;
	death->by_fd = process->by_fd;
	memcpy(death->comm, process->comm, sizeof(death->comm));
}

struct death *death_keep(const struct death *death)
{
	size_t path = death->path ? strlen(death->path) + 1 : 0;
	size_t args = death->args ? (size_t)death->args_bytes + 1 : 0;
	struct death *kept = malloc(sizeof(*kept) + path + args);

	if (!kept)
		die_no_memory();
	*kept = *death;
	if (path)
		kept->path = memcpy(kept + 1, death->path, path);
	if (args)
		kept->args = memcpy((char *)(kept + 1) + path, death->args, args);
	return kept;
}

void death_end(struct death *death, const struct proclife_process *process)
{
	set_later(death, process);
}

static struct figure exactly(bool known, uint64_t value)
{
	return (struct figure){ value, known, false };
}

bool death_phase(const struct death *death, enum proclife_phase phase, uint64_t *ns)
{
	*ns = death->phases[phase];
	return death->known[phase];
}

/* What has begun and is not known to have ended, goes on for as long as its state does. */
static struct figure phase_of(const struct death *death, enum proclife_phase phase, uint64_t ended)
{
	const struct proclife_marks *marks = &death->marks;
	struct figure figure = { 0 };
	uint64_t from = 0;

	if (phase == PROCLIFE_ZOMBIE && death->notified_lost)
		return figure;
	figure.known = death_phase(death, phase, &figure.value);
	if (figure.known)
		return figure;
	if (phase == PROCLIFE_TEARDOWN && death->state == PROCLIFE_IS_DYING)
		from = marks->exited;
	else if (phase == PROCLIFE_TRACED && death->is_held)
		from = death->tracer.ts;
	else if (phase == PROCLIFE_HELD && death->memory.open)
		from = death->memory.left;
	else if (phase == PROCLIFE_UNMAP && death->memory.open)
		from = death->memory.teardown;
	else if (phase == PROCLIFE_ZOMBIE && death->state == PROCLIFE_IS_ZOMBIE && !death->is_held)
		from = marks_zombie_since(marks);
	else if (phase == PROCLIFE_RCU_FREE && death->state == PROCLIFE_IS_UNFREED)
		from = marks->reaped;
	else if (phase == PROCLIFE_EXIT_FREE && death->state != PROCLIFE_IS_FREED &&
		 death->state != PROCLIFE_IS_UNKNOWN)
		from = marks->exited;
	return (struct figure){ ended - from, from && ended >= from, true };
}

struct figure death_figure(const struct death *death, enum sort_key key, uint64_t ended)
{
	struct figure figure;

	switch (key) {
	case SORT_LIFE:
		return life_of(death);
	case SORT_ALONE:
		figure = exactly(death->alone_known, death->alone);
		figure.at_least = !death->marks.born;
		return figure;
	case SORT_CPU:
		return exactly(true, death->usage.runtime);
	case SORT_RSS:
		return exactly(death->max_rss, death->max_rss);
	case SORT_NONE:
	case SORT_TIME:
		return exactly(death->when, death->when);
	default:
		return phase_of(death, sort_phase(key), ended);
	}
}

bool death_before(const struct death *a, const struct death *b)
{
	if (a->figure.known != b->figure.known)
		return a->figure.known;
	if (a->figure.known && a->figure.value != b->figure.value)
		return a->figure.value > b->figure.value;
	return a->order < b->order;
}
