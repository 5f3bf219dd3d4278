/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lives: feed.c says what each record means, identify.c to whom it belongs, lives.c keeps the
 * objects; state.c says in what state they are, killers.c knows who ended them, select.c what is
 * wanted, report.c who is told, find.c how they are found; tasks.c holds them all.
 */
#ifndef PROCLIFE_TASKS_H
#define PROCLIFE_TASKS_H

#include "map.h"
#include "merge.h"
#include "table.h"

/*
 * What programs see of a task or process stands in the middle of what there is of it. Both are laid
 * out in cache lines, by what records look at together; the slab has them begin with one.
 */
struct proclife_own_task {
	struct proclife_link by_handle;
	struct proclife_task task;
	uint64_t gaps; /* that had been seen when it began */
	struct proclife_own_task *next; /* of its process */
	struct proclife_own_task *prev;
	bool dead; /* not among the process's live ones any more */
	bool lost; /* it is gone, and its FREE was not seen */
};

struct proclife_own_process {
	uint64_t gaps; /* as of a task */
	bool group_dead : 1;
	bool group_exit : 1;	/* exit_code is the group's */
	bool unfreed : 1;	/* a task's FREE is missing */
	bool counted : 1;	/* when it exited, all its threads were known */
	bool unsure : 1;	/* a gap can hide that exited is not the last one's */
	bool mixed : 1; /* a thread of it can be another process's, which got its pid unseen */
	bool reaps : 1; /* it is a parent or a reaper: of another one, or of one whose SIGCHLD it ignores */
	bool leader_freed : 1;
	bool found_dead : 1;	/* its leader was a zombie when the snapshot found it */
	bool found_exiting : 1; /* or had just begun to exit */
	bool notified_other : 1; /* notified is when another than its parent was */
	bool exit_reported : 1;
	bool coalesced : 1; /* the SIGCHLD at `notified` met one that was pending */
	uint8_t left : 3;	/* the state that it is left in, once gone */
	uint32_t args_gaps;	/* how many gaps there were when its arguments began */
	struct proclife_process process;
	char *args_text;
	struct proclife_fatal_signals *fatal_signals;
	struct proclife_own_task *tasks;

	struct proclife_link by_group;
	struct proclife_twin by_tgid;
	struct proclife_own_process *next;
	struct proclife_own_process *prev;

	struct proclife_twin by_parent; /* while that is not known; otherwise the key is 0 */
	/* These four are kept for selection alone. */
	struct proclife_own_process *above;   /* its parent */
	struct proclife_own_process *below;   /* the latest one of its children */
	struct proclife_own_process *sibling; /* the one before */
	struct proclife_own_process *sibling_after;

	uint64_t oldest; /* the earliest start of its tasks */
	uint32_t args_room;
	char path_text[PROCLIFE_PATH_LEN + 4];
};

/* All there is of a task or process of which a program has a part. */
static inline struct proclife_own_task *proclife_own_task(const struct proclife_task *task)
{
	return proclife_container_of(task, struct proclife_own_task, task);
}

static inline struct proclife_own_process *proclife_own(const struct proclife_process *process)
{
	return proclife_container_of(process, struct proclife_own_process, process);
}

struct proclife_reporter {
	struct proclife_reports reports;
	void *data;
	void (*detach)(void *data); /* the tasks go; may be NULL */
	void (*closing)(void *data); /* the trace has ended, and nothing is reported yet; or NULL */
};

struct proclife_pending {
	uint32_t tgid;
	uint32_t creator_tgid;
	bool child; /* creator_tgid counts */
};

struct proclife_tasks {
	struct proclife_table by_handle; /* open tasks */
	struct proclife_table by_group;	 /* open processes whose handle is known */
	struct proclife_table by_tgid;	 /* open processes */
	struct proclife_table orphans;	 /* processes that wait for their parent, by its handle */
	struct proclife_slab task_slab;
	struct proclife_slab process_slab;
	struct proclife_own_process *first; /* the open ones, in the order in which they appeared */
	struct proclife_own_process *last;
	uint64_t processes; /* that have appeared */
	uint64_t gaps;	    /* seen so far */
	uint64_t gap_to;    /* the latest time that one of them reaches */
	struct proclife_reporter *reporters;
	size_t reporter_count;
	struct proclife_pending *pending;
	size_t pending_count;
	bool (*filter)(void *data, const struct proclife_process *process); /* NULL: none */
	void *filter_data;
	bool selecting; /* otherwise everything is selected */
	bool closing;	/* what is reported gone was open at the end of the trace */
	bool without_reap; /* the trace has no REAPs */
	bool renames_lack; /* a RENAME can be missing */
	bool snapshot_gap; /* there is one in the snapshot: the recording is damaged */
	uint64_t selected;
	uint64_t selected_open;
	uint64_t ahead_handle; /* of a record that comes soon */
	/* Of one that comes sooner; can be gone, is never NULL. */
	const struct proclife_own_task *ahead;
	struct proclife_own_task nobody;
	struct proclife_suppressed_type *suppressed[PROCLIFE_TYPES]; /* NULL: never was */
	uint64_t *senders; /* by CPU: the task that was the last to send a SIGCHLD for an end there */
	uint32_t sender_count;
	int error; /* of a report; passed on by feed and close */
};

static inline struct proclife_task *proclife_task_get(const struct proclife_tasks *tasks,
						      uint64_t handle)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_handle, handle);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_own_task, by_handle)->task;
}

static inline struct proclife_process *proclife_group_get(const struct proclife_tasks *tasks,
							  uint64_t group)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_group, group);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_own_process, by_group)->process;
}

/* The latest one with this tgid, and then the one before it. */
static inline struct proclife_process *proclife_tgid_get(const struct proclife_tasks *tasks,
							 uint32_t tgid)
{
	struct proclife_link *link = proclife_table_get(&tasks->by_tgid, tgid);

	if (!link)
		return NULL;
	return &proclife_container_of(link, struct proclife_own_process, by_tgid)->process;
}

static inline struct proclife_process *proclife_tgid_next(const struct proclife_process *process)
{
	struct proclife_twin *twin = proclife_own(process)->by_tgid.older;

	if (!twin)
		return NULL;
	return &proclife_container_of(twin, struct proclife_own_process, by_tgid)->process;
}

static inline int proclife_take_error(struct proclife_tasks *tasks)
{
	int err = tasks->error;

	tasks->error = 0;
	return err;
}

/*
 * lives.c
 */

/* Memory for one more task and process; whatever follows for this record cannot fail then. */
int proclife_lives_reserve(struct proclife_tasks *tasks);

/* Can this record of a leader be about that one's? The leader is born first and reaped last. */
bool proclife_process_leads(const struct proclife_process *process,
			    const struct proclife_record *record);

/* The open process to which an unknown task of this record's tgid can belong, or NULL. */
struct proclife_process *proclife_process_by_tgid(struct proclife_tasks *tasks,
						  const struct proclife_record *record);

/* Begins a process, not yet reported; the next task begun must be its first. */
struct proclife_process *proclife_process_begin(struct proclife_tasks *tasks,
						const struct proclife_record *record,
						uint64_t handle);
void proclife_process_set_handle(struct proclife_tasks *tasks, struct proclife_process *process,
				 uint64_t handle);
void proclife_process_born(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent, struct proclife_process *creator);

/* The process's parent is the task with this handle, once it is known. */
void proclife_process_await(struct proclife_tasks *tasks, struct proclife_process *process,
			    uint64_t parent);
/* This task has appeared, and its process is reported: whoever waited for it has his parent. */
void proclife_adopt_orphans(struct proclife_tasks *tasks, const struct proclife_task *task);
void proclife_process_link(struct proclife_tasks *tasks, struct proclife_process *process,
			   struct proclife_process *parent);
/* It is reaped, so all its threads have exited: is `exited` the last one's, for certain? */
void proclife_process_sure(const struct proclife_tasks *tasks, struct proclife_process *process);
/* Ends all its tasks, and so itself. */
void proclife_process_end(struct proclife_tasks *tasks, struct proclife_process *process);

struct proclife_task *proclife_task_begin(struct proclife_tasks *tasks,
					  const struct proclife_record *record,
					  struct proclife_process *process);
void proclife_task_move(struct proclife_tasks *tasks, struct proclife_task *task,
			struct proclife_process *process);
/* Its EXIT was seen, or must have been. */
static inline void proclife_task_dead(struct proclife_task *task)
{
	struct proclife_own_task *own = proclife_own_task(task);

	task->process->live -= !own->dead;
	own->dead = true;
}

/* Reports it gone, and its process too if it is the last one. */
void proclife_task_end(struct proclife_tasks *tasks, struct proclife_task *task);

/* state.c: of one that is not gone, or not until the end of the trace. */
enum proclife_life_state proclife_process_state_now(const struct proclife_tasks *tasks,
					       const struct proclife_process *process);

/* No gap touches what was there of the process's life since the trace began. */
static inline bool proclife_process_ungapped(const struct proclife_tasks *tasks,
					     const struct proclife_process *process)
{
	return proclife_own(process)->gaps == tasks->gaps && !process->incomplete;
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
 * The task of a record that is not its FORK; NULL without memory. @group is 0 if the record does
 * not tell. With @fresh, the caller reports the process if it begins with this task, and adopts
 * orphans.
 */
struct proclife_task *proclife_task_of(struct proclife_tasks *tasks,
				       const struct proclife_record *record, uint64_t group,
				       bool *fresh);
/* As it is known already, or NULL; another one with its handle is gone unseen, and ended. */
struct proclife_task *proclife_task_known(struct proclife_tasks *tasks,
					  const struct proclife_record *record);
/* The process that an unknown task belongs to; begins one if it is not known either. */
struct proclife_process *proclife_process_of(struct proclife_tasks *tasks,
					     const struct proclife_record *record, uint64_t group,
					     bool *fresh);
/* The group of a known task: its process may have been without a handle so far. */
void proclife_task_set_group(struct proclife_tasks *tasks, struct proclife_task *task,
			     const struct proclife_record *record, uint64_t group);

/*
 * killers.c
 */

/* A SIGNAL to a task of the process. Returns 0 or -ENOMEM. */
int proclife_killer_note(struct proclife_process *process, const struct proclife_record *record);
void proclife_killers_free(struct proclife_process *process);

/*
 * suppressed.c
 */

/* Returns 1, for it can concern anybody, or -ENOMEM. */
int proclife_suppressed_feed(struct proclife_tasks *tasks, const struct proclife_record *record);
/* This record's type is not suppressed on its CPU (any more), nor is ever a single one let pass. */
void proclife_suppressed_over(struct proclife_tasks *tasks, const struct proclife_record *record);
void proclife_suppressed_free(struct proclife_tasks *tasks);

/*
 * select.c
 */

/* Decides about a process that begins; @from is its creator, or its parent for want of that. */
void proclife_select_new(struct proclife_tasks *tasks, struct proclife_process *process,
			 const struct proclife_process *from);
/* Selects it, reports that, and then the same for those below it. */
void proclife_select_now(struct proclife_tasks *tasks, struct proclife_process *process,
			 struct proclife_process *parent);

/* Keeps the children of each process, for when it is selected. */
void proclife_select_above(struct proclife_process *process, struct proclife_process *parent);
/* It is gone: it has no parent and no children any more. */
void proclife_select_gone(struct proclife_process *process);

/* Something has changed that a filter can look at. */
static inline void proclife_filter(const struct proclife_tasks *tasks,
				   struct proclife_process *process)
{
	if (proclife_unlikely(tasks->filter != NULL))
		process->matches = tasks->filter(tasks->filter_data, process);
}

/* Whether a process is selected because this parent is: not if another one created it. */
static inline bool proclife_select_follows(const struct proclife_process *process,
					   const struct proclife_process *parent)
{
	return !process->creator_tgid || process->creator_tgid == parent->tgid;
}

/*
 * report.c
 */

/* Like proclife_tasks_report(); @detach is called if the tasks are freed first. */
int proclife_tasks_attach(struct proclife_tasks *tasks, const struct proclife_reports *reports,
			  void *data, void (*detach)(void *data));
/* Of the one that was attached last. */
void proclife_tasks_closing(struct proclife_tasks *tasks, void (*closing)(void *data));
void proclife_tasks_detach(struct proclife_tasks *tasks, void *data);
void proclife_reporters_free(struct proclife_tasks *tasks);

void proclife_report_closing(struct proclife_tasks *tasks);

#define proclife_for_each_reporter(tasks, reporter)                               \
	for (struct proclife_reporter *reporter = (tasks)->reporters,              \
				      *end = reporter + (tasks)->reporter_count;   \
	     reporter != end; reporter++)

/* These are here because every life comes by. */
static inline void proclife_report_born(struct proclife_tasks *tasks,
					struct proclife_process *process,
					struct proclife_process *parent,
					struct proclife_process *creator)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_born)
			reporter->reports.process_born(reporter->data, process, parent, creator);
	}
}

static inline void proclife_report_linked(struct proclife_tasks *tasks,
					  struct proclife_process *process,
					  struct proclife_process *parent)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_linked)
			reporter->reports.process_linked(reporter->data, process, parent);
	}
}

static inline void proclife_report_exited(struct proclife_tasks *tasks,
					  struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_exited)
			reporter->reports.process_exited(reporter->data, process);
	}
}

static inline void proclife_report_gone(struct proclife_tasks *tasks,
					struct proclife_process *process)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.process_gone)
			reporter->reports.process_gone(reporter->data, process);
	}
}

static inline void proclife_report_task_gone(struct proclife_tasks *tasks,
					     struct proclife_task *task)
{
	proclife_for_each_reporter(tasks, reporter) {
		if (reporter->reports.task_gone)
			reporter->reports.task_gone(reporter->data, task);
	}
}

#endif
