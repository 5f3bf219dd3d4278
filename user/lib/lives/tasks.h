/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lives. feed*.c: what each record means. identify.c: which task it belongs to. lives.c: the
 * objects. state.c: their states. killers.c: the signals that killed them. select.c: which ones are
 * wanted. memory.c: their address spaces. report.c: the reports about them. find.c: lookups. prefetch.c: fetches what
 * the next records need. tasks.c: the table of all of them.
 */
#ifndef PROCLIFE_TASKS_H
#define PROCLIFE_TASKS_H

#include "base/map.h"
#include "base/table.h"
#include "source/merge.h"

/*
 * The public struct of a task or process is embedded in its private one. Both are laid out so that
 * what a record uses together shares a cache line; the slab aligns them to cache lines.
 */
struct proclife_priv_task {
	struct proclife_link by_handle;
	struct proclife_task task;
	struct proclife_priv_task *next; /* of its process */
	struct proclife_priv_task *prev;
	uint32_t gaps; /* how many had been seen when it began */
	bool exited; /* its EXIT was seen */
	bool ending; /* not counted in the process's `going` any more */
	bool dead; /* nor in its `live` */
	bool lost : 1; /* it is gone, but its FREE was not seen */
	bool found_ending : 1; /* the snapshot found that it had begun to exit, and it was not reaped since */
};

enum proclife_found {
	PROCLIFE_FOUND_OTHERWISE, /* it was not, or it lived */
	PROCLIFE_FOUND_EXITING,	  /* it had begun to exit, or ended, and the process had not ended */
	PROCLIFE_FOUND_DEAD,	  /* as a zombie */
	PROCLIFE_FOUND_FIRST,	  /* the same, before anything else was seen of the process */
};

/* What a TIMES says. */
struct proclife_times_at {
	uint64_t runtime;
	uint64_t delay;
	uint64_t nvcsw;
	bool known;
};

/* Behind a task or process in its slab, in a trace with BIRTH or TIMES. */
struct proclife_priv_extra {
	struct proclife_births births;
	uint64_t forking; /* a task's latest FORKING, until it forks; 0: none */
	uint64_t execing; /* the same of its EXECING, until it execs */
	bool ran; /* a process: a BIRTH, or its child's FORK, shows that it has */
	/* A task: */
	struct proclife_times_at at_forking;
	uint64_t forked; /* the task that it has forked since at_forking; 0: none */
	struct proclife_times_at at_execing;
	struct proclife_times_at at_exiting;
	/* A process: */
	struct proclife_split splits[4]; /* by phase: see proclife_split_of() */
	struct proclife_used used;	 /* sums of threads that have begun to exit... */
	struct proclife_io io;		 /* ... when they did */
	uint32_t used_by;		 /* how many these are */
};

struct proclife_priv_process {
	uint32_t gaps; /* as in a task */
	uint8_t args_room : 5; /* args_text has 2 to the power of this, if it is not NULL */
	uint8_t last_state : 3; /* once it is gone */
	bool group_dead : 1;
	bool group_exit : 1;	/* exit_code is the group's */
	bool unfreed : 1;	/* a task's FREE is missing */
	bool counted : 1;	/* when it exited, all its threads were known */
	bool unsure : 1;	/* a gap can hide that exited is not the last one's */
	bool mixed : 1; /* a thread can be of another process, which got the same pid unseen */
	bool reaps : 1; /* it is among the reapers: a parent, a reaper, or it ignores SIGCHLD */
	bool born_to_pid : 1; /* its birth counts for a parent of which only the pid is known */
	bool leader_freed : 1;
	bool leader_ended : 1;	/* its EXIT was seen */
	uint8_t found_as : 2;	/* how the snapshot found its leader */
	bool exit_reported : 1;
	bool coalesced : 1; /* the signal at `notified` met one that was pending */
	bool awaits : 1; /* by_parent is in its table */
	bool shown_alive : 1; /* a FORK, EXEC or TASK shows that it did not end as a whole then */
	bool end_hidden : 1; /* a thread had begun to exit when the snapshot found it */
	bool sole : 1; /* its EXITING shows that it has, and had, no other thread */
	bool ends : 1; /* it ends as a whole, and that was reported */
	bool exited : 1; /* the last EXIT was seen; marks.exited is 0 if its beginning was not */
	bool shares : 1; /* its creator's address space, until it execs */
	bool kept : 1;	 /* it was reported gone, and its memory goes on */
	bool unjudged : 1; /* the filter does not know */
	uint8_t uid_count : 3; /* ... and how many these are; 0: none is known */
	bool peaked : 1; /* max_rss is from its EXIT: an MM adds nothing to it */
	struct proclife_process process;
	char *args_text;
	struct proclife_fatal_signals *fatal_signals;
	struct proclife_tracer *tracer; /* NULL: most have none */
	struct proclife_priv_memory *memory; /* NULL: not let go yet, or not known */
	uint64_t mm; /* the handle of its address space, at the last EXITING; 0: not known */
	struct proclife_priv_task *tasks;
	struct proclife_tasks *all; /* that it is one of */

	struct proclife_link by_group;
	struct proclife_twin by_tgid;
	struct proclife_priv_process *next;
	struct proclife_priv_process *prev;

	union {
		uint64_t oldest; /* until its leader is known: the earliest start of its tasks */
		uint64_t last_exiting; /* then: the latest EXITING of a thread, whichever exits last */
	};
	uint64_t found; /* when the snapshot last found its leader, or its latest NOTIFY; 0: neither was seen */
	struct proclife_io io; /* a sum of threads that are freed... */
	uint32_t io_of;	       /* ... and how many these are */
	uint32_t uids[PROCLIFE_UIDS]; /* that it had; the latest one is the last... */
	struct proclife_priv_program *program; /* NULL: no PATH since its last EXEC */
	/* What follows is not zeroed when a process begins: most need nothing of it. */
	char path_text[PROCLIFE_PATH_LEN + 4];
	uint32_t args_gaps; /* how many gaps had been seen when its arguments began */
	struct proclife_twin by_parent; /* while its parent is not known */
	/* These four are kept for selection alone, and set once there is one. */
	struct proclife_priv_process *above;   /* its parent */
	struct proclife_priv_process *below;   /* the latest one of its children */
	struct proclife_priv_process *sibling; /* the one before */
	struct proclife_priv_process *sibling_after;
};

/* An address space that its process lets go of. See memory.c. */
struct proclife_priv_memory {
	struct proclife_link by_mm; /* in the table while memory.open */
	struct proclife_memory memory;
	struct proclife_priv_process *process; /* NULL: not known yet */
	const struct proclife_tasks *tasks;
	uint64_t by; /* the task that tears it down */
	/* As long as its process is not known, a second EARLY, which can be about the next one with the handle. */
	uint64_t again;
	uint64_t again_anon;
	struct proclife_actor again_by;
	uint64_t peak; /* KiB, as the threads of its process let go of it: max_rss, once that has ended */
};

/* The private struct around a public task or process. */
static inline uint64_t proclife_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Any program can have written a recording: a sum of what its records say stays at its maximum. */
static inline void proclife_sum(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

static inline struct proclife_priv_task *proclife_priv_task(const struct proclife_task *task)
{
	return proclife_container_of(task, struct proclife_priv_task, task);
}

static inline struct proclife_priv_process *proclife_priv(const struct proclife_process *process)
{
	return proclife_container_of(process, struct proclife_priv_process, process);
}

/* Both only in a trace with BIRTH or TIMES. */
static inline struct proclife_priv_extra *proclife_extra_of(const struct proclife_task *task)
{
	return (struct proclife_priv_extra *)(proclife_priv_task(task) + 1);
}

static inline struct proclife_priv_extra *proclife_extra_of_process(const struct proclife_process *process)
{
	return (struct proclife_priv_extra *)(proclife_priv(process) + 1);
}

/* Where a split of the phase is kept; NULL: there is none of that phase. */
static inline struct proclife_split *proclife_split_of(const struct proclife_process *process, enum proclife_phase phase)
{
	struct proclife_split *splits = proclife_extra_of_process(process)->splits;

	switch (phase) {
	case PROCLIFE_LIFE:
		return &splits[0];
	case PROCLIFE_TEARDOWN:
		return &splits[1];
	case PROCLIFE_PHASE_EXEC:
		return &splits[2];
	case PROCLIFE_PHASE_FORK:
		return &splits[3];
	default:
		return NULL;
	}
}

/* The parent that was notified last; where that is not recorded, or none was, its parent at its exit. */
static inline uint32_t proclife_last_parent(const struct proclife_process *process)
{
	return process->notified_tgid ? process->notified_tgid : process->real_parent_tgid;
}

/* This task leads its process from now on. */
static inline void proclife_set_start(struct proclife_process *process, uint64_t start)
{
	if (!process->start)
		proclife_priv(process)->last_exiting = 0; /* it was `oldest` */
	process->start = start;
}

/*
 * They form a list to which a report can add and from which it can take: one that is detached stays
 * where it is, and reports nothing, until the event has been fed.
 */
struct proclife_reporter {
	struct proclife_reporter *next;
	struct proclife_reports reports;
	void *data;
	void (*detach)(void *data); /* the tasks are freed; may be NULL */
	void (*closing)(void *data); /* the trace has ended, before anything is reported; or NULL */
	void (*cgroup_changed)(void *data, const struct proclife_record *record); /* a CGROUP; or NULL */
};

struct proclife_pending {
	uint32_t tgid;
	uint32_t creator_tgid;
	bool child; /* creator_tgid counts */
	bool every; /* it stays: each process that gets this tgid */
	bool met;   /* there was one */
};

/* A record that comes soon, and the tasks that it is about; they can be gone when its time comes. */
struct proclife_prefetched {
	uint64_t handle;
	uint64_t other_handle; /* a parent, a reaper, or 0 */
	const struct proclife_priv_task *task; /* by handle, or the nearest to that; never NULL */
	const struct proclife_priv_task *other;
	uint32_t type;
};

#define PROCLIFE_AHEAD 16 /* a power of two */
/* With fewer tasks, all of them stay in the cache. */
#define PROCLIFE_MANY_TASKS 2048

struct proclife_tasks {
	struct proclife_table by_handle; /* open tasks */
	struct proclife_table by_group;	 /* open processes whose handle is known */
	struct proclife_table by_tgid;	 /* open processes */
	struct proclife_table orphans;	 /* processes that wait for their parent, by its handle */
	struct proclife_table by_mm;	 /* address spaces that are not unmapped yet */
	struct proclife_priv_process *kept; /* processes that are gone, and whose memory is not */
	struct proclife_slab task_slab;
	struct proclife_slab process_slab;
	struct proclife_slab memory_slab;
	struct proclife_priv_process *first; /* the open ones, in the order in which they appeared */
	struct proclife_priv_process *last;
	uint64_t processes; /* how many have appeared */
	uint64_t gaps;	    /* seen so far */
	uint64_t gap_to;    /* the latest time that one of them reaches */
	struct proclife_reporter *reporters;
	struct proclife_reporter **reporters_end; /* where the next one goes */
	struct proclife_pending *pending;
	size_t pending_count;
	enum proclife_match (*filter)(void *data, const struct proclife_process *process); /* or NULL */
	void *filter_data;
	enum proclife_match (*chooser)(void *data, const struct proclife_process *process); /* or NULL */
	void *chooser_data;
	bool asks; /* there is a filter or a chooser */
	const struct proclife_process *unborn; /* it has begun, and is not reported yet; NULL: there is none */
	struct proclife_source *source; /* NULL: none is known */
	bool selecting; /* otherwise everything is selected */
	bool by_default; /* what is selected is the command of the recording, and no call selected it */
	bool closing;	/* processes that are reported gone now were open when the trace ended */
	bool without_reap; /* the trace has no REAPs */
	bool with_exiting; /* the trace has EXITINGs */
	bool with_notify; /* the trace has NOTIFYs */
	uint32_t birth_marks; /* as in the header */
	bool with_times;
	bool with_cgroup; /* the trace has CGROUPs */
	bool snapshot; /* there is one: the tasks that are older than the trace are known */
	bool is_slice; /* others lived that are not in the trace */
	bool without_memory; /* the trace lacks the TEARDOWN or the GONE of MM */
	bool renames_lack; /* a RENAME can be missing */
	bool snapshot_gap; /* there is a gap in the snapshot: the recording is damaged */
	uint64_t selected;
	uint64_t selected_open;
	struct proclife_prefetched ahead[PROCLIFE_AHEAD]; /* a ring */
	uint32_t ahead_next;
	struct proclife_priv_task nobody; /* for want of another, so that nothing is NULL */
	struct proclife_priv_process nothing; /* its process */
	struct proclife_suppressed_type *suppressed[PROCLIFE_TYPES]; /* NULL: never was */
	struct proclife_map failed_execs; /* by a process's id: the last exec that failed, if it has not execed since */
	int error; /* from a report; feed and close return it. PROCLIFE_DETACHED is none */
};

#define PROCLIFE_DETACHED 1 /* a reporter is to be taken out of the list */

static inline struct proclife_task *proclife_task_get(const struct proclife_tasks *tasks,
						      uint64_t handle)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_handle, handle);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_priv_task, by_handle)->task;
}

static inline struct proclife_process *proclife_group_get(const struct proclife_tasks *tasks,
							  uint64_t group)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_group, group);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_priv_process, by_group)->process;
}

/* The latest one with this tgid, and then the one before it. */
static inline struct proclife_process *proclife_tgid_get(const struct proclife_tasks *tasks,
							 uint32_t tgid)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_tgid, tgid);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_priv_process, by_tgid)->process;
}

static inline struct proclife_process *proclife_tgid_next(const struct proclife_process *process)
{
	struct proclife_twin *twin = proclife_priv(process)->by_tgid.older;

	if (!twin)
		return NULL;
	return &proclife_container_of(twin, struct proclife_priv_process, by_tgid)->process;
}

/* facts.c: before the first event: makes room for what BIRTH and TIMES say, if the trace has any. */
void proclife_tasks_make_room(struct proclife_tasks *tasks);

/*
 * lives.c
 */

/* Memory for one more task and process, so that handling this record cannot fail afterwards. */
int proclife_lives_reserve(struct proclife_tasks *tasks);

/* Can this record of a leader be about this process's? A leader is born first and reaped last. */
bool proclife_process_leads(const struct proclife_process *process,
			    const struct proclife_record *record);

/* The open process to which an unknown task of this record's tgid can belong, or NULL. */
struct proclife_process *proclife_process_by_tgid(struct proclife_tasks *tasks,
						  const struct proclife_record *record);

/* Begins a process and does not report it yet. The next task that begins must be its first. */
struct proclife_process *proclife_process_begin(struct proclife_tasks *tasks,
						const struct proclife_record *record,
						uint64_t handle);
void proclife_process_set_handle(struct proclife_tasks *tasks, struct proclife_process *process,
				 uint64_t handle);
void proclife_process_born(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent, struct proclife_process *creator);

/* The process is linked to its parent when the task with this handle becomes known. */
void proclife_process_await(struct proclife_tasks *tasks, struct proclife_process *process,
			    uint64_t parent);
/* This task has appeared and its process is reported: links the processes that await it. */
void proclife_adopt_orphans(struct proclife_tasks *tasks, const struct proclife_task *task);
void proclife_process_link(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent);
/* It is reaped, so all its threads have exited. Clears `exited` if it may not be the last one's. */
void proclife_process_sure(const struct proclife_tasks *tasks, struct proclife_process *process);
/* It is found no more. */
void proclife_process_forget(struct proclife_tasks *tasks, struct proclife_process *process);
/* Ends all its tasks, and with them the process. */
void proclife_process_end(struct proclife_tasks *tasks, struct proclife_process *process);

struct proclife_task *proclife_task_begin(struct proclife_tasks *tasks,
					  const struct proclife_record *record,
					  struct proclife_process *process);
void proclife_task_move(struct proclife_tasks *tasks, struct proclife_task *task,
			struct proclife_process *process);
/* It has begun to exit. */
static inline void proclife_task_ending(struct proclife_task *task)
{
	struct proclife_priv_task *own = proclife_priv_task(task);

	task->process->going -= !own->ending;
	own->ending = true;
}

/* Its EXIT was seen, or must have been. */
static inline void proclife_task_dead(struct proclife_task *task)
{
	struct proclife_priv_task *own = proclife_priv_task(task);

	proclife_task_ending(task);
	task->process->live -= !own->dead;
	own->dead = true;
}

/* Reports the task gone, and its process too if this was its last task. */
void proclife_task_end(struct proclife_tasks *tasks, struct proclife_task *task);

/* Was its end announced before the snapshot found it? */
static inline bool proclife_process_found_zombie(const struct proclife_process *process)
{
	return proclife_priv(process)->found_as >= PROCLIFE_FOUND_DEAD;
}

/* state.c */
/* The state of a process that is not gone, or was not when the trace ended. */
enum proclife_life_state proclife_process_state_now(const struct proclife_process *process);

/* A gap up to then. @touches: what was seen so far can have gone on in it. */
static inline void proclife_tasks_gap(struct proclife_tasks *tasks, uint64_t to, bool touches)
{
	tasks->gaps += touches;
	tasks->renames_lack |= tasks->gaps != 0;
	if (tasks->gap_to < to)
		tasks->gap_to = to;
}

/* There was no gap in the part of the process's life that lies in the trace. */
static inline bool proclife_process_ungapped(const struct proclife_tasks *tasks,
					     const struct proclife_process *process)
{
	return proclife_priv(process)->gaps == tasks->gaps && !process->incomplete;
}

/* True if nothing of the process's life can have been missed. */
static inline bool proclife_process_whole(const struct proclife_tasks *tasks,
					  const struct proclife_process *process)
{
	return process->marks.born && proclife_process_ungapped(tasks, process);
}

/*
 * identify.c
 */

/*
 * The task of a record that is not its FORK; NULL if there is no memory. @group is 0 if the record
 * does not have it. With @fresh, the caller adopts orphans, and if *@fresh gets true, reports the
 * process, which begins with this task.
 */
struct proclife_task *proclife_task_of(struct proclife_tasks *tasks,
				       const struct proclife_record *record, uint64_t group,
				       bool *fresh);
/* The task if it is known already, or NULL. Another one with its handle is gone unseen: ends it. */
struct proclife_task *proclife_task_known(struct proclife_tasks *tasks,
					  const struct proclife_record *record);
/* The process that an unknown task belongs to; begins one if it is not known either. */
struct proclife_process *proclife_process_of(struct proclife_tasks *tasks,
					     const struct proclife_record *record, uint64_t group,
					     bool *fresh);
/* Sets the group of a known task, whose process may have had no handle so far. */
void proclife_task_set_group(struct proclife_tasks *tasks, struct proclife_task *task,
			     const struct proclife_record *record, uint64_t group);

/*
 * feed_end.c
 */

/*
 * The process to which the end of an autoreaped one is due: the one that was notified last. If none was, its parent
 * by birth, if it had that when it exited. 0: not known. @id: of that process, 0 if it is not known.
 */
uint32_t proclife_due_to(const struct proclife_process *process, uint64_t *id);

/*
 * killers.c
 */

/* A SIGNAL to a task of the process. Returns 0 or -ENOMEM. */
int proclife_killer_note(struct proclife_process *process, const struct proclife_record *record);
/* An OOM of a task of the process. */
void proclife_killer_oom(struct proclife_process *process, const struct proclife_record *record);
void proclife_killers_free(struct proclife_process *process);
/* Is that the signal's action, if it ends a process? */
bool proclife_dumps_core(int signo);

/*
 * memory.c
 */

/* The process is gone. Is its memory not gone yet, so that it is reported later? */
bool proclife_memory_follows(struct proclife_tasks *tasks, struct proclife_process *process);
/* It is reported gone: frees it, now or after its memory is gone. */
void proclife_process_release(struct proclife_tasks *tasks, struct proclife_process *process);
/* The trace has ended: reports the memory of processes that are gone. */
void proclife_memory_close(struct proclife_tasks *tasks);

/*
 * prefetch.c
 */

void proclife_prefetch_init(struct proclife_tasks *tasks);
/* Fetches what feeding this record, and some that come before it, will touch. */
void proclife_prefetch(struct proclife_tasks *tasks, const struct proclife_record *record);

/*
 * feed.c
 */

/*
 * In place of feeding it: a record of a life that is not followed changes what it changes of others. There was no gap,
 * and the process has one thread. Returns the parent, of a FORK, if that is known; otherwise NULL.
 */
struct proclife_process *proclife_tasks_pass(struct proclife_tasks *tasks, const struct proclife_record *record);

/*
 * suppressed.c
 */

/* Returns 1, since it can concern any process, or -ENOMEM. */
int proclife_suppressed_feed(struct proclife_tasks *tasks, const struct proclife_record *record);
/* A record of a type came through: that type is not suppressed on its CPU any more. */
void proclife_suppressed_over(struct proclife_tasks *tasks, const struct proclife_record *record);
void proclife_suppressed_free(struct proclife_tasks *tasks);

/*
 * find.c
 */

/* Its real user from now on. */
void proclife_set_uid(struct proclife_process *process, uint32_t uid);

/*
 * program.c
 */

/* A PATH of a task of the process. Returns 0 or -ENOMEM. */
int proclife_program_note(struct proclife_priv_process *process, const struct proclife_record *record);
void proclife_program_free(struct proclife_priv_process *process);

/*
 * failed_exec.c
 */

/* 0 or -ENOMEM. */
int proclife_failed_exec_note(struct proclife_tasks *tasks, const struct proclife_process *process,
			      const struct proclife_record *record);
void proclife_failed_exec_drop(struct proclife_tasks *tasks, uint64_t id);
void proclife_failed_execs_free(struct proclife_tasks *tasks);
/* The FAIL of the last exec of it that failed; NULL: it has execed since, or that is not known. */
const struct proclife_record *proclife_failed_exec_record(const struct proclife_process *process);

/* The process has execed, or is freed. */
static inline void proclife_failed_exec_forget(struct proclife_tasks *tasks, uint64_t id)
{
	if (proclife_unlikely(tasks->failed_execs.used))
		proclife_failed_exec_drop(tasks, id);
}

/*
 * facts.c
 */

/* Before the first event. Returns 0 or -ENOMEM. */
int proclife_tasks_take_facts(struct proclife_tasks *tasks, struct proclife_source *source);

/*
 * select.c
 */

/* Selects the command that was followed, until something else is selected. */
int proclife_select_command(struct proclife_tasks *tasks, const struct proclife_run_info *run);

/* Whether a new process is selected. @from is its creator, or its parent if that is not known. */
void proclife_select_new(struct proclife_tasks *tasks, struct proclife_process *process,
			 const struct proclife_process *from);
/* Selects it and reports that, then does the same for its descendants. */
void proclife_select_now(struct proclife_tasks *tasks, struct proclife_process *process,
			 struct proclife_process *parent);

static inline void proclife_select_begin(struct proclife_priv_process *own)
{
	own->above = own->below = own->sibling = own->sibling_after = NULL;
}

/* Keeps the children of each process, for when it is selected. */
void proclife_select_above(struct proclife_process *process, struct proclife_process *parent);
/* The process is gone: unlinks it from its parent and its children. */
void proclife_select_gone(struct proclife_process *process);

/* Asks the filter and the chooser. */
void proclife_ask(struct proclife_tasks *tasks, struct proclife_process *process);

/* Something has changed that they can look at. */
static inline void proclife_filter(struct proclife_tasks *tasks, struct proclife_process *process)
{
	if (proclife_unlikely(tasks->asks))
		proclife_ask(tasks, process);
}

/* Whether a process is selected with this parent: not if another process created it. */
static inline bool proclife_select_follows(const struct proclife_process *process,
					   const struct proclife_process *parent)
{
	return !process->creator_tgid || process->creator_tgid == parent->tgid;
}

#endif
