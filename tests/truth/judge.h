/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The judge of a recording: compares all that it has of tasks with what other witnesses know of the same ones.
 * Each has one file here: ftrace, process accounting, taskstats, and what a workload knows of itself by its clock
 * and wait4(2). The recording of a command is also compared with itself: every life has a beginning, an
 * end, a parent and a name, and its phases add up.
 */
#ifndef TRUTH_JUDGE_H
#define TRUTH_JUDGE_H

#include <proclife.h>
#include <stdbool.h>
#include <stdio.h>

#include "trace.h"

#define MS 1000000ULL
/* A task on its way can be preempted, and the host can stop its CPU; the guests are slow. */
#define LATE (5000 * MS)
/* Such delays are rare: half of all are shorter than this. There is room for kernels that watch themselves. */
#define USUAL (2 * MS)
/* Two clocks read in a row. */
#define APART (50 * MS)
/* Faults and switches between two looks: the robust list, the tid that is cleared, a file's last close. */
#define FEW 40
/* KiB by which the counters of memory can be off: each CPU keeps a batch. */
#define BATCH 256

struct thread {
	struct proclife_record exit;
	struct proclife_record exiting; /* ts 0: not seen */
	bool born; /* in the trace: else its exit can have begun before the hooks were there */
	uint64_t final; /* runtime at FREE; 0: not seen */
};

struct life {
	struct proclife_process process; /* what it points to is gone */
	struct proclife_killer killer;	 /* signo 0: none */
	struct proclife_memory memory;
	bool with_memory; /* `memory` is known */
	const struct thread *last;   /* the last one that exited; NULL: not seen */
	const struct proclife_record *fork; /* NULL: not seen */
	uint64_t ends; /* when it was about to end, by itself; 0: it did not say */
	bool told; /* the workload knows it */
};

#define EVENT_KINDS TRACE_RENAME /* those before are compared with ftrace */

/* One event, as a record or as a line of ftrace. */
struct event {
	uint64_t ts; /* CLOCK_MONOTONIC, ns */
	uint8_t kind;
	bool selected; /* a record of the command's or of a descendant's */
	bool by_fd; /* exec: the path is the file's name */
	uint32_t pid; /* of the child for a fork */
	uint32_t other; /* fork: pid of the creator; exec: pid before */
	char comm[PROCLIFE_COMM_LEN]; /* of the child for a fork; none for exec */
	char tail[PROCLIFE_PATH_LEN + 1]; /* exec: the end of the path */
};

struct events {
	struct event *event;
	size_t count;
};

/* recording.c: what was recorded, and of a command only its lives */
extern struct proclife_source *source;
extern const struct proclife_run_info *info;
extern struct thread *threads;
extern struct life *lives; /* by the time of their exits: a pid is used again only after its last one exited */
extern size_t thread_count, life_count;
extern struct events records;
extern uint64_t tick; /* ns */
extern bool lossy;

void read_recording(const char *path);
void close_recording(void);
bool has_records(uint64_t types); /* PROCLIFE_HAS() */
struct event *events_add(struct events *events, enum trace_kind kind);

/* judge.c: how differences are shown and counted */
extern unsigned long differences;

void differs(uint32_t pid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void expect_same(uint32_t pid, const char *what, int64_t ours, int64_t theirs);
/* Names are compared as far as the kernel keeps them. */
void expect_name(uint32_t pid, const char *ours, const char *theirs);
/* Compares unsigned numbers; unknown ones are 0, and not judged. */
void expect_between(uint32_t pid, const char *what, uint64_t from, uint64_t ours, uint64_t to);
/* The same, if their count was taken first. */
void expect_after(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t more);
/* The same, if the two were taken at the same time, but are wrong by up to @error. */
void expect_near(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t error);

/*
 * Counts a comparison of a process or thread, which is shown, and for the table of marks.sh. It differs if
 * `differences` is no longer @before.
 */
void compared(const char *mark, const char *witness, unsigned long before);
/* It is a difference if there was none, where nothing was lost. */
void expect_compared(const char *mark, const char *witness);
unsigned long count_of(const char *mark, const char *witness); /* NULL: of all marks */

/* Times between what should come at once: each is less than LATE, and half of them are at most USUAL. */
struct distances {
	uint64_t *ns;
	size_t count;
};

void distances_add(struct distances *distances, uint64_t ns);
/* Sorts them, and sets the median; false if that is more than @usual. */
bool distances_are_usual(struct distances *distances, uint64_t usual, uint64_t *median);

void *grown(void *array, size_t count, size_t size); /* for one more */
void __attribute__((noreturn)) fail(const char *what); /* with errno */

/* Each compares all that its witness knows. */
void judge_ftrace(FILE *in);
void judge_acct(FILE *in);
void judge_taskstats(FILE *in);
/* @ours: the command must report all of its processes, and how many there are. */
void judge_told(FILE *in, bool ours);
extern int command_status; /* by the workload; -1: not known */
extern unsigned int lives_per_pid; /* the most that one pid had in a command; 0: not known */

/* In itself: the reports come while it is read, and the tree at the end. */
struct counts {
	uint64_t tasks, workers, processes;
};

extern struct counts counts; /* of a command */
int lives_report(struct proclife_tasks *tasks);
void judge_tree(struct proclife_tree *tree);

/* Did a process with this pid begin to exit in that time, and so lose its children to another parent? */
bool has_exited(uint32_t tgid, uint64_t from, uint64_t to);

#endif
