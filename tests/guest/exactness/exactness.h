/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The judge of what was recorded of a command and all its descendants, in three ways:
 *
 * - against ftrace, event by event (ftrace.c, compare.c);
 * - against what the command itself knows, its truth (truth.c);
 * - in itself: every life has a beginning, an end, a parent and a name (lives.c).
 */
#ifndef EXACTNESS_H
#define EXACTNESS_H

#include <proclife.h>
#include <sys/types.h>

#include "truth/trace.h"

enum fault {
	FAULT_FTRACE,
	FAULT_ORPHAN,
	FAULT_PARENT,
	FAULT_NAME,
	FAULT_OPEN,
	FAULT_TIMES,
	FAULT_REAPER,
	FAULT_TRUTH, /* anything else that contradicts the command */
	FAULTS,
};

/* Counts a fault, and shows the first few of its kind on standard error. */
__attribute__((format(printf, 2, 3))) void fault(enum fault kind, const char *format, ...);
uint64_t fault_count(enum fault kind);

#define KINDS TRACE_RENAME /* those before are compared */

#define TAIL_LEN PROCLIFE_PATH_LEN

/* One event, as a record or as a line of ftrace. */
struct event {
	uint64_t ts; /* CLOCK_MONOTONIC, ns */
	uint8_t kind;
	bool selected; /* a record of the command's or of a descendant's */
	bool worker;
	bool by_fd; /* exec: the path is the file's name */
	uint32_t pid; /* of the child for a fork */
	uint32_t other; /* fork: pid of the creator; exec: pid before */
	char comm[PROCLIFE_COMM_LEN]; /* of the child for a fork; none for exec */
	char tail[TAIL_LEN + 1]; /* exec: the end of the path */
};

struct events {
	struct event *event;
	size_t count;
	size_t room;
};

struct event *events_add(struct events *events, enum trace_kind kind);
void events_free(struct events *events);

/* ftrace.c: the same events in an ftrace instance of our own */
int ftrace_start(void);
/* Stops it and reads its lines. */
int ftrace_stop(struct events *lines);

/* compare.c */
struct comparison {
	uint64_t equal[KINDS]; /* events of the command that are in both */
	unsigned int lives_per_pid; /* the most that one pid had */
	size_t pairs; /* of a record and a line */
	uint64_t usual; /* ns that half of them are apart */
};

void records_add(struct events *records, const struct proclife_record *record, bool selected);
void compare(struct events *records, struct events *lines, uint64_t from, uint64_t to,
	     struct comparison *result);

/* lives.c: what the reports and the tree say */
struct lives {
	uint64_t tasks;
	uint64_t workers;
	uint64_t processes;
	uint64_t zombie; /* sums over all tasks, to the nanosecond */
	uint64_t rcu_free;
	uint64_t exit_free;
	const struct proclife_node **node; /* by tgid, then time of birth */
	size_t nodes;
};

int lives_report(struct lives *lives, struct proclife_tasks *tasks);
/* @starter began the command: it is the parent of the tree's roots. */
void lives_judge(struct lives *lives, struct proclife_tree *tree, uint32_t starter);
void lives_free(struct lives *lives);

/* truth.c */
struct truth_root {
	uint32_t pid;
	uint32_t parent;
	uint64_t after;
	uint64_t before;
	uint64_t ended; /* when the command had written its last line */
	int status;
};

/*
 * @ours: the command must report all of its processes, and how many there are.
 * Return: how many it reports, or a negative errno.
 */
long truth_judge(const char *path, const struct truth_root *root, const struct lives *lives, bool ours);

#endif
