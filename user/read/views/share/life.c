// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "views/share/life.h"
#include "views/share/lived.h"
#include "views/share/memory.h"
#include <stdlib.h>
#include <string.h>

static struct figure lived_of(const struct life *life)
{
	uint64_t from = life->marks.born ? life->marks.born : life->seen;
	uint64_t to = life->marks.exited;
	uint64_t before = lived_before(life->run, life->marks.born, life->seen, life->start);

	return (struct figure){ to - from + before, to && to >= from, !life->marks.born && !before };
}

/* The same in all views. */
static void set_life(struct life *life)
{
	struct figure lived = lived_of(life);

	life->known[PROCLIFE_LIFE] = lived.known && !lived.at_least ? PHASE_OVER : PHASE_UNKNOWN;
	life->phases[PROCLIFE_LIFE] = lived.value;
}

void life_set_phases(struct life *life, const struct proclife_process *process)
{
	enum proclife_phase phase;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++)
		life->known[phase] = proclife_process_phase(process, phase, &life->phases[phase]) ? PHASE_OVER : PHASE_UNKNOWN;
	if (process->open) { /* the FREE is a thread's, so far */
		life->known[PROCLIFE_RCU_FREE] = PHASE_UNKNOWN;
		life->known[PROCLIFE_EXIT_FREE] = PHASE_UNKNOWN;
	}
	set_life(life);
	life->memory = memory_of(process);
}

bool life_has_open_phases(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return process->open || process->outlives || (memory && memory->open);
}

void life_set_open_phases(struct life *life, const struct proclife_process *process)
{
	enum proclife_phase phase;
	uint64_t since;
	bool at_least;

	if (!life_has_open_phases(process))
		return;
	for (phase = PROCLIFE_LIFE + 1; phase < PROCLIFE_PHASES; phase++) {
		if (life->known[phase])
			continue;
		since = proclife_process_phase_since(process, phase, &at_least);
		if (!since)
			continue;
		life->phases[phase] = since;
		life->known[phase] = PHASE_OPEN;
	}
}

bool life_memory_follows(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return memory && memory->open && !process->outlives;
}

static void set_times(struct life *life, const struct proclife_process *process)
{
	const struct proclife_split *split = proclife_process_split(process, PROCLIFE_TEARDOWN);
	const struct proclife_io *io = proclife_process_io(process);

	life->teardown = split ? *split : (struct proclife_split){ 0 };
	life->io = io ? *io : (struct proclife_io){ 0 };
	life->io_known = io;
}

static void set_usage(struct life *life, const struct proclife_process *process)
{
	struct proclife_usage *usage = &life->usage;

	proclife_process_usage(process, usage);
	proclife_cputime(usage->runtime, usage->utime, usage->stime, &usage->utime, &usage->stime);
}

/* A snapshot can find it as a zombie, and has its parent and its user. */
void life_end(struct life *life, const struct proclife_process *process)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);

	life->parent_id = process->parent_id;
	life->parent_tgid = process->parent_tgid;
	life->has_parent = proclife_process_has_parent(process);
	memcpy(life->parent_comm, process->parent_comm, sizeof(life->parent_comm));
	life->uid = process->uid;
	life->has_uid = proclife_process_has_uid(process);
	life->start = process->start;
	life->has_cpu = proclife_process_has_cpu(process);
	if (!life->usage.runtime) /* not known at the EXIT, but at the FREE */
		set_usage(life, process);
	life->threads = process->threads;
	life->flags = process->flags;
	life->marks = process->marks;
	life->killed = proclife_process_killed(process);
	set_times(life, process);
	life->max_rss = process->max_rss; /* of many it is known only after the EXIT */
	life_set_phases(life, process);
	if (process->open)
		life->marks.freed = 0;
	life->reaper_tgid = process->reaper_tgid;
	life->reaper_named = process->reaper_named;
	memcpy(life->reaper_comm, process->reaper_comm, sizeof(life->reaper_comm));
	life->cgroup = process->cgroup;
	life->state = proclife_process_state(process);
	life->incomplete = process->incomplete;
	life->notified_lost = process->notified_lost;
	life->autoreaped = process->autoreaped;
	life->is_held = life->state == PROCLIFE_IS_ZOMBIE && proclife_process_is_held(process);
	life->tracer = tracer ? *tracer : (struct proclife_tracer){ 0 };
}

void life_set(struct life *life, const struct proclife_process *process)
{
	const struct proclife_failed_exec *failed = proclife_process_failed_exec(process);
	const struct proclife_program *program = proclife_process_program(process);
	const struct proclife_killer *killer = proclife_process_killer(process);

	life->seen = process->seen;
	life->usage.runtime = 0;
	life_end(life, process);
	life->when = process->marks.exited;
	life->exited = proclife_process_has_exited(process);
	life->killer.signo = 0;
	if (killer)
		life->killer = *killer;
	life->failed_exec.error = 0;
	if (failed)
		life->failed_exec = *failed;
	life->path = process->path;
	life->args = process->args;
	life->program = program ? *program : (struct proclife_program){ 0 };
	life->id = process->id;
	life->args_bytes = process->args_bytes;
	life->tgid = process->tgid;
	life->creator_tgid = process->creator_tgid;
	life->ns_pid = process->ns_pid;
	life->ns_inum = process->ns_inum;
	life->execs = process->execs;
	life->exit_code = process->exit_code;
	life->alone_known = false;
	life->args_cut = process->args_cut;
	life->script = process->script;
	life->by_fd = process->by_fd;
	memcpy(life->comm, process->comm, sizeof(life->comm));
}

/* @size: 0 if there is none. */
static const char *keep_text(char **to, const char *text, size_t size)
{
	char *at = *to;

	if (!size)
		return NULL;
	*to += size;
	return memcpy(at, text, size);
}

struct life *life_keep(const struct life *life)
{
	size_t path = life->path ? strlen(life->path) + 1 : 0;
	size_t args = life->args ? (size_t)life->args_bytes + 1 : 0;
	size_t exe = life->program.exe ? strlen(life->program.exe) + 1 : 0;
	size_t cwd = life->program.cwd ? strlen(life->program.cwd) + 1 : 0;
	size_t env = life->program.env ? (size_t)life->program.env_bytes + 1 : 0;
	struct life *kept = malloc(sizeof(*kept) + path + args + exe + cwd + env);
	char *at;

	if (!kept)
		die_no_memory();
	*kept = *life;
	at = (char *)(kept + 1);
	kept->path = keep_text(&at, life->path, path);
	kept->args = keep_text(&at, life->args, args);
	kept->program.exe = keep_text(&at, life->program.exe, exe);
	kept->program.cwd = keep_text(&at, life->program.cwd, cwd);
	kept->program.env = keep_text(&at, life->program.env, env);
	return kept;
}

static struct figure exactly(bool known, uint64_t value)
{
	return (struct figure){ value, known, false };
}

bool life_phase(const struct life *life, enum proclife_phase phase, uint64_t *ns)
{
	*ns = life->phases[phase];
	return life->known[phase] == PHASE_OVER;
}

struct figure life_phase_so_far(const struct life *life, enum proclife_phase phase, uint64_t ended)
{
	uint64_t ns = life->phases[phase];

	if (life->known[phase] != PHASE_OPEN)
		return exactly(life->known[phase] == PHASE_OVER, ns);
	return (struct figure){ ended - ns, ended >= ns, true };
}

struct figure life_figure(const struct life *life, enum sort_key key, uint64_t ended)
{
	struct figure figure;

	switch (key) {
	case SORT_LIFE:
		return lived_of(life);
	case SORT_ALONE:
		figure = exactly(life->alone_known, life->alone);
		figure.at_least = !life->marks.born;
		return figure;
	case SORT_CPU:
		return exactly(life->has_cpu, life->usage.runtime);
	case SORT_RSS:
		return exactly(life->max_rss, life->max_rss);
	case SORT_READ:
		return exactly(life->io_known, life->io.read_bytes);
	case SORT_WRITTEN:
		return exactly(life->io_known, life->io.write_bytes);
	case SORT_NONE:
	case SORT_TIME:
		return exactly(life->when, life->when);
	default:
		return life_phase_so_far(life, sort_phase(key), ended);
	}
}

bool life_before(const struct life *a, const struct life *b)
{
	if (a->figure.known != b->figure.known)
		return a->figure.known;
	if (a->figure.known && a->figure.value != b->figure.value)
		return a->figure.value > b->figure.value;
	return a->order < b->order;
}
