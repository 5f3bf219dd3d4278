/* SPDX-License-Identifier: GPL-2.0-only */
/* Records for the stories of the tests, and what the library reports of them. */
#ifndef UNIT_RECORDS_H
#define UNIT_RECORDS_H

#include <proclife.h>

/* A task's current state in the kernel; a test changes it as the kernel would. */
struct who {
	uint64_t task;
	uint64_t group;
	uint64_t start;
	uint32_t pid;
	uint32_t tgid;
	uint32_t flags;
	const char *comm;
};

/* Handles and start times are made up, and different each time. */
struct who process_of_pid(uint32_t pid, const char *comm);
struct who thread_of(const struct who *leader, uint32_t tid);

struct proclife_record record_of(uint64_t ts, enum proclife_type type, const struct who *who);
struct proclife_record fork_record(uint64_t ts, const struct who *child, const struct who *parent);
/* CLONE_PARENT, and threads, whose parent is their group's */
struct proclife_record clone_record(uint64_t ts, const struct who *child, const struct who *parent,
				    const struct who *creator);
struct proclife_record exec_record(uint64_t ts, const struct who *who, uint32_t old_pid,
				   const char *path);
struct proclife_record rename_record(uint64_t ts, const struct who *who, const char *name);
/* The thread group is dead if no thread is @live. */
struct proclife_record exit_record(uint64_t ts, const struct who *who, int32_t code, uint32_t live);
struct proclife_record reap_record(uint64_t ts, const struct who *who, const struct who *reaper);
struct proclife_record free_record(uint64_t ts, const struct who *who);
/* A wait(2) for any child. */
struct proclife_record wait_record(uint64_t ts, const struct who *who);
/* From another process to the whole group, as kill(2) sends it. */
struct proclife_record signal_record(uint64_t ts, const struct who *target, int signo,
				     const struct who *sender);
/* The parent is notified of the end by SIGCHLD... */
struct proclife_record notify_record(uint64_t ts, const struct who *who, const struct who *receiver);
/* ... or a tracer that is not the parent is notified... */
struct proclife_record traced_record(uint64_t ts, const struct who *who, const struct who *tracer,
				     const struct who *parent);
/* ... or a parent that ignores SIGCHLD: no process has to reap it. */
struct proclife_record ignored_record(uint64_t ts, const struct who *who, const struct who *parent);
struct proclife_record task_record(uint64_t ts, const struct who *who, const struct who *parent);

#define MOST_REPORTS 4096

/* All that was reported, in order. These are copies: do not pass them to the library. */
struct reported {
	struct proclife_tasks *by;
	struct proclife_process born[MOST_REPORTS];
	uint64_t parents[MOST_REPORTS]; /* ids, 0 if unknown */
	uint64_t creators[MOST_REPORTS];
	size_t born_count;
	struct proclife_process gone[MOST_REPORTS];
	enum proclife_life_state left_in[MOST_REPORTS]; /* as reported gone */
	bool had_exited[MOST_REPORTS];
	size_t gone_count;
	struct proclife_task tasks[MOST_REPORTS];
	uint64_t task_processes[MOST_REPORTS]; /* ids */
	size_t task_count;
	uint64_t linked[MOST_REPORTS]; /* ids, and their parents' */
	uint64_t linked_to[MOST_REPORTS];
	size_t linked_count;
	struct proclife_process exited[MOST_REPORTS];
	struct proclife_usage usage[MOST_REPORTS];
	size_t exited_count;
	struct proclife_process exiting[MOST_REPORTS];
	size_t exiting_count;
};

extern struct reported reported;

void report_to(struct proclife_tasks *tasks);

/* Gives the library the facts of a source whose trace has EXITING. */
void trace_with_exiting(struct proclife_tasks *tasks);
void trace_with_notify(struct proclife_tasks *tasks);
void trace_with_births(struct proclife_tasks *tasks);
void trace_without_reap(struct proclife_tasks *tasks);

/* Feeds a record, which must be accepted; returns whether it belongs to a selected process. */
int feed(struct proclife_tasks *tasks, struct proclife_record record);
void feed_gap(struct proclife_tasks *tasks, uint64_t lost, uint64_t from, uint64_t to);
/* From now on, a gap with lost records is fed as a stop of the recording. */
extern bool gaps_are_stops;
/* Recording is stopped, and started again if @ended. */
void feed_stop(struct proclife_tasks *tasks, uint64_t ts, uint64_t since, bool ended);

/* fork, exit, reap and free in one go, from @ts on, one apart. */
void feed_life(struct proclife_tasks *tasks, uint64_t ts, const struct who *who,
	       const struct who *parent);

#endif
