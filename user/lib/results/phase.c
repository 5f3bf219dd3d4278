// SPDX-License-Identifier: LGPL-2.1-or-later
/* The phases of a life, and what all views say of them: times between those marks that were seen. */
#include "results/phase.h"
#include "lives/tasks.h"

#include <stddef.h>

enum mark {
	BORN,
	KILLED,
	EXITED,
	ANNOUNCED, /* its tracer or its parent was notified */
	TRACED,
	NOTIFIED,
	WAITED_FOR, /* its parent was notified, or without NOTIFY it exited */
	LEFT,
	UNMAPPING,
	GONE,
	REAPED,
	FREED,
	FORKING,
	STARTED,
	EXECING,
	EXECED,
	NOWHERE, /* it is a sum */
};

#define NONE PROCLIFE_PHASES
#define HAS(type) PROCLIFE_HAS(PROCLIFE_##type)

static const struct phase {
	struct proclife_phase_info info;
	uint64_t needs; /* PROCLIFE_HAS() of the records that show its marks, beside FORK, EXIT and FREE */
	enum mark begin;
	enum mark end;
} phases[PROCLIFE_PHASES] = {
	[PROCLIFE_LIFE] = {
		.info = {
			.name = "life", .from = "fork", .to = "exit", .span = "born to exit",
			.help = "From fork to exit.",
			.part_of = NONE,
		},
		.begin = BORN,
		.end = EXITED,
	},
	[PROCLIFE_KILL] = {
		.info = {
			.name = "kill", .from = "signal", .to = "exit", .span = "the signal to exit",
			.help = "From the signal that ended a process to its exit.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(SIGNAL),
		.begin = KILLED,
		.end = EXITED,
	},
	[PROCLIFE_TEARDOWN] = {
		.info = {
			.name = "teardown", .from = "exit", .to = "notified", .span = "exit to the first notice",
			.help = "From exit until the parent, or a tracer, is notified.",
			.part_of = PROCLIFE_EXIT_FREE, .optional = true,
		},
		.needs = HAS(NOTIFY),
		.begin = EXITED,
		.end = ANNOUNCED,
	},
	[PROCLIFE_HELD] = {
		.info = {
			.name = "held", .from = "let go", .to = "unmap", .span = "memory that others held",
			.help = "Until nothing held the memory that a process had let go of.",
			.part_of = NONE, .of_memory = true, .optional = true,
		},
		.needs = HAS(EXITING) | HAS(MM),
		.begin = LEFT,
		.end = UNMAPPING,
	},
	[PROCLIFE_UNMAP] = {
		.info = {
			.name = "unmap", .from = "unmap", .to = "gone", .span = "memory unmapped",
			.help = "Unmapping the memory of a process.",
			.part_of = PROCLIFE_TEARDOWN, .of_memory = true, .optional = true,
		},
		.needs = HAS(EXITING) | HAS(MM),
		.begin = UNMAPPING,
		.end = GONE,
	},
	[PROCLIFE_TRACED] = {
		.info = {
			.name = "traced", .from = "traced", .to = "parent", .span = "a tracer was notified to notified",
			.help = "From notifying a tracer to notifying the parent.",
			.part_of = PROCLIFE_EXIT_FREE, .optional = true,
		},
		.needs = HAS(NOTIFY),
		.begin = TRACED,
		.end = NOTIFIED,
	},
	[PROCLIFE_ZOMBIE] = {
		.info = {
			.name = "zombie", .from = "notified", .to = "reap", .span = "notified to reaped",
			.help = "From notifying the parent to the reap.",
			.part_of = PROCLIFE_EXIT_FREE,
		},
		.needs = HAS(REAP),
		.begin = WAITED_FOR,
		.end = REAPED,
	},
	[PROCLIFE_RCU_FREE] = {
		.info = {
			.name = "rcu_free", .from = "reap", .to = "free", .span = "reaped to freed",
			.help = "From the reap to the free, which RCU delays.",
			.part_of = PROCLIFE_EXIT_FREE,
		},
		.needs = HAS(REAP),
		.begin = REAPED,
		.end = FREED,
	},
	[PROCLIFE_EXIT_FREE] = {
		.info = {
			.name = "exit_free", .from = "exit", .to = "free", .span = "exit to freed",
			.help = "From exit to the free.",
			.part_of = NONE,
		},
		.begin = EXITED,
		.end = FREED,
	},
	[PROCLIFE_PHASE_FORK] = {
		.info = {
			.name = "fork", .from = "forking", .to = "fork", .span = "its fork",
			.help = "From where its creator begins to fork, to fork.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(BIRTH),
		.begin = FORKING,
		.end = BORN,
	},
	[PROCLIFE_PHASE_FIRST_RUN] = {
		.info = {
			.name = "first_run", .from = "fork", .to = "started", .span = "born to its first run",
			.help = "From fork to the first run.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(BIRTH),
		.begin = BORN,
		.end = STARTED,
	},
	[PROCLIFE_PHASE_EXEC] = {
		.info = {
			.name = "exec", .from = "execing", .to = "exec", .span = "its first exec",
			.help = "From where the first exec of a process begins, to that exec.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(BIRTH),
		.begin = EXECING,
		.end = EXECED,
	},
	[PROCLIFE_PHASE_SPAWN] = {
		.info = {
			.name = "spawn", .from = "forking", .to = "exec", .span = "its fork to its first exec",
			.help = "From where its creator begins to fork, to its first exec.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(BIRTH),
		.begin = FORKING,
		.end = EXECED,
	},
	[PROCLIFE_PHASE_WAIT] = {
		.info = {
			.name = "wait", .from = "fork", .to = "exit", .span = "waiting for a CPU",
			.help = "How long the threads of a process waited for a CPU, in all, from fork to exit.",
			.part_of = NONE, .optional = true,
		},
		.needs = HAS(EXITING) | HAS(TIMES),
		.begin = NOWHERE,
		.end = NOWHERE,
	},
};

const struct proclife_phase_info *proclife_phase_info(enum proclife_phase phase)
{
	return (unsigned int)phase < PROCLIFE_PHASES ? &phases[phase].info : NULL;
}

/* The type of the records that would show a mark, if they are not made: not all hooks of a type need be in. */
static enum proclife_type mark_lacks(const struct proclife_header *header, enum mark mark)
{
	switch (mark) {
	case LEFT:
		return header->mm_marks & PROCLIFE_HAS_MM(PROCLIFE_MM_LEFT) ? PROCLIFE_NONE : PROCLIFE_MM;
	case UNMAPPING:
		return header->mm_marks & PROCLIFE_HAS_MM(PROCLIFE_MM_TEARDOWN) ? PROCLIFE_NONE : PROCLIFE_MM;
	case GONE:
		return header->mm_marks & PROCLIFE_HAS_MM(PROCLIFE_MM_GONE) ? PROCLIFE_NONE : PROCLIFE_MM;
	case FORKING:
		return header->birth_marks & PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING) ? PROCLIFE_NONE : PROCLIFE_BIRTH;
	case STARTED:
		return header->birth_marks & PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED) ? PROCLIFE_NONE : PROCLIFE_BIRTH;
	case EXECING:
		return header->birth_marks & PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_EXECING) ? PROCLIFE_NONE : PROCLIFE_BIRTH;
	default:
		return PROCLIFE_NONE;
	}
}

enum proclife_type proclife_phase_lacks(enum proclife_phase phase, const struct proclife_header *header)
{
	uint64_t needs = (unsigned int)phase < PROCLIFE_PHASES ? phases[phase].needs : 0;
	enum proclife_type type, lacks;

	for (type = PROCLIFE_NONE + 1; type < PROCLIFE_TYPES; type++)
		if (needs & PROCLIFE_HAS(type) && !(header && header->features & PROCLIFE_HAS(type)))
			return type;
	if (!needs)
		return PROCLIFE_NONE;
	lacks = mark_lacks(header, phases[phase].begin);
	return lacks ? lacks : mark_lacks(header, phases[phase].end);
}

/* 0: not known, or there is none. */
static uint64_t time_of(const struct proclife_ends *ends, enum mark mark)
{
	const struct proclife_marks *marks = ends->marks;
	const struct proclife_memory *memory = ends->memory;
	const struct proclife_births *births = ends->births;

	switch (mark) {
	case BORN:
		return marks->born;
	case KILLED:
		return ends->killed;
	case EXITED:
		return marks->exited;
	case ANNOUNCED:
		return ends->tracer_lost ? 0 : ends->traced ? ends->traced : marks->notified;
	case TRACED:
		return ends->traced;
	case NOTIFIED:
		return marks->notified;
	case WAITED_FOR:
		return marks->notified || ends->notified_lost ? marks->notified : marks->exited;
	case LEFT:
		return memory ? memory->left : 0;
	case UNMAPPING:
		return memory ? memory->teardown : 0;
	case GONE:
		return memory ? memory->gone : 0;
	case REAPED:
		return marks->reaped;
	case FREED:
		return marks->freed;
	case FORKING:
		return births ? births->forking : 0;
	case STARTED:
		return births ? births->started : 0;
	case EXECING:
		return births ? births->execing : 0;
	case EXECED:
		return births ? births->execed : 0;
	case NOWHERE:
		break;
	}
	return 0;
}

uint64_t proclife_process_zombie_since(const struct proclife_process *process)
{
	if (proclife_process_is_held(process))
		return proclife_process_announced(process);
	return process->marks.notified || process->notified_lost ? process->marks.notified : process->marks.exited;
}

bool proclife_phase_of(const struct proclife_ends *ends, enum proclife_phase phase, uint64_t *ns)
{
	uint64_t from, to;

	if ((unsigned int)phase >= PROCLIFE_PHASES)
		return false;
	if (phase == PROCLIFE_PHASE_WAIT) {
		*ns = ends->used ? ends->used->waiting : 0;
		/* As a life: daemons from before the trace would outweigh all else. */
		return ends->used && ends->marks->born;
	}
	from = time_of(ends, phases[phase].begin);
	to = time_of(ends, phases[phase].end);
	if (!from || to < from)
		return false;
	*ns = to - from;
	return true;
}

bool proclife_marks_phase(const struct proclife_marks *marks, enum proclife_phase phase,
			  uint64_t *ns)
{
	return proclife_phase_of(&(struct proclife_ends){ .marks = marks }, phase, ns);
}

bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns)
{
	const struct proclife_tracer *tracer = proclife_process_tracer(process);
	const struct proclife_ends ends = {
		.marks = &process->marks,
		.traced = tracer ? tracer->ts : 0,
		.memory = proclife_process_memory(process),
		.births = phase >= PROCLIFE_PHASE_FORK ? proclife_process_births(process) : NULL,
		.used = phase == PROCLIFE_PHASE_WAIT ? proclife_process_used(process) : NULL,
		.killed = phase == PROCLIFE_KILL ? proclife_process_killed(process) : 0,
		.notified_lost = process->notified_lost,
		.tracer_lost = process->tracer_lost,
	};

	return proclife_phase_of(&ends, phase, ns);
}

const struct proclife_split *proclife_process_split(const struct proclife_process *process, enum proclife_phase phase)
{
	const struct proclife_split *split;
	uint64_t ns;

	if (!proclife_priv(process)->all->with_times)
		return NULL;
	split = proclife_split_of(process, phase);
	if (!split || !split->known || !proclife_process_phase(process, phase, &ns))
		return NULL;
	/* The exit of a process that dumps core begins with that, and its own account of it later. */
	return split->on_cpu + split->waiting + split->blocked == ns ? split : NULL;
}

bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns)
{
	return proclife_phase_of(&(struct proclife_ends){ .marks = &task->marks, .births = proclife_task_births(task) }, phase, ns);
}

/*
 * Phases that go on
 */

/* Does a thread of it go on? One that has begun to exit does not, whatever the others do. */
static bool lives_on(const struct proclife_process *process, enum proclife_life_state state)
{
	return state != PROCLIFE_IS_UNKNOWN && process->going && !proclife_priv(process)->ends &&
	       !proclife_process_has_exited(process) && !process->marks.reaped;
}

/* EXIT can come long after the exit has begun. */
static uint64_t exit_since(const struct proclife_process *process)
{
	return proclife_process_has_exited(process) ? process->marks.exited : process->exiting;
}

/*
 * Processes that were zombies before they were seen have been zombies for longer. A tracer that exits lets go of
 * them by a NOTIFY, which can be suppressed.
 */
static uint64_t zombie_since(const struct proclife_process *process, enum proclife_phase phase, bool *at_least)
{
	uint64_t since = proclife_process_zombie_since(process), shown = proclife_process_shown_zombie(process);

	if (proclife_process_state(process) != PROCLIFE_IS_ZOMBIE || !(since | shown) ||
	    proclife_process_is_held(process) != (phase == PROCLIFE_TRACED))
		return 0;
	if (phase == PROCLIFE_TRACED &&
	    proclife_tasks_may_lack(proclife_priv(process)->all, PROCLIFE_NOTIFY, proclife_later(since, shown)))
		return 0;
	*at_least = !since;
	return since ? since : shown;
}

/* Where there is nothing to unmap, no record may show that it is over. A notice of its own exit does. */
static uint64_t unmap_since(const struct proclife_process *process, const struct proclife_memory *memory)
{
	if (!(memory->rss_anon | memory->rss_file | memory->rss_shmem | memory->swap) ||
	    (memory->own &&
	     (proclife_process_announced(process) || process->marks.reaped ||
	      (!process->open && !process->outlives))))
		return 0;
	return memory->teardown;
}

static uint64_t memory_since(const struct proclife_process *process, enum proclife_phase phase)
{
	const struct proclife_memory *memory = proclife_process_memory(process);
	uint64_t since;

	if (!memory || !memory->open || memory->gone)
		return 0;
	/* A slice need not have the process that tears it down. */
	if (phase == PROCLIFE_HELD)
		since = memory->teardown || proclife_priv(process)->all->is_slice ? 0 : memory->left;
	else
		since = unmap_since(process, memory);
	return since && proclife_tasks_may_lack(proclife_priv(process)->all, PROCLIFE_MM, since) ? 0 : since;
}

/*
 * A process that execs, forks or waits has run: the hook for its first run can have been missed. A slice need not have
 * its children.
 */
static bool may_have_run(const struct proclife_process *process)
{
	const struct proclife_tasks *all = proclife_priv(process)->all;

	if (process->execs || process->waited || proclife_extra_of_process(process)->ran)
		return true;
	return all->is_slice && (!(all->birth_marks & PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_FORKING)) ||
				 proclife_tasks_may_lack(all, PROCLIFE_BIRTH, process->marks.born));
}

static uint64_t first_run_since(const struct proclife_process *process, enum proclife_life_state state)
{
	const struct proclife_tasks *all = proclife_priv(process)->all;

	if (!(all->birth_marks & PROCLIFE_HAS_BIRTH(PROCLIFE_BIRTH_STARTED)) || proclife_process_births(process)->started ||
	    may_have_run(process) || !lives_on(process, state) || !proclife_process_whole(all, process))
		return 0;
	return process->marks.born;
}

uint64_t proclife_process_phase_since(const struct proclife_process *process, enum proclife_phase phase,
				      bool *at_least)
{
	enum proclife_life_state state = proclife_process_state(process);
	const struct proclife_killer *killer;

	*at_least = false;
	switch (phase) {
	case PROCLIFE_LIFE:
		return lives_on(process, state) ? process->marks.born : 0;
	case PROCLIFE_KILL:
		killer = proclife_process_sigkill(process);
		return killer && lives_on(process, state) ? killer->ts : 0;
	case PROCLIFE_TEARDOWN:
		return state == PROCLIFE_IS_DYING && proclife_priv(process)->all->with_notify ?
			exit_since(process) : 0;
	case PROCLIFE_HELD:
	case PROCLIFE_UNMAP:
		return memory_since(process, phase);
	case PROCLIFE_TRACED:
	case PROCLIFE_ZOMBIE:
		return zombie_since(process, phase, at_least);
	case PROCLIFE_RCU_FREE:
		return state == PROCLIFE_IS_UNFREED ? process->marks.reaped : 0;
	case PROCLIFE_EXIT_FREE:
		return state != PROCLIFE_IS_FREED && state != PROCLIFE_IS_UNKNOWN ? exit_since(process) : 0;
	case PROCLIFE_PHASE_FIRST_RUN:
		return first_run_since(process, state);
	case PROCLIFE_PHASE_FORK: /* each is seen once it is over */
	case PROCLIFE_PHASE_EXEC:
	case PROCLIFE_PHASE_SPAWN:
	case PROCLIFE_PHASE_WAIT:
	case PROCLIFE_PHASES:
		break;
	}
	return 0;
}
