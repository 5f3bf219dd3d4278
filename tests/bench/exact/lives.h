/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes as one observer reports them, in the order of its events.
 *
 * The readers put together what their tool prints, as a competent user would: a pid means the
 * process that has it at that time. A fork begins a life and an exit ends it; what is reported of a
 * pid between the two belongs to this life, and its parent is the life that its parent's pid has then.
 * A tool whose identity is better than a pid (proclife) is taken at its word instead.
 */
#ifndef EXACT_LIVES_H
#define EXACT_LIVES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NAME_LEN 16
#define NO_LIFE UINT32_MAX
#define MAX_PID 4194304 /* PID_MAX_LIMIT of the kernel */
#define ARG_END '\037' /* between two arguments, which can hold blanks */

struct life {
	uint64_t seen; /* its first event, ns of CLOCK_MONOTONIC */
	uint32_t pid;
	uint32_t parent; /* a life, or NO_LIFE */
	uint32_t reaper; /* pid; 0: not reported */
	int32_t status;	 /* as wait(2) gives it; -1: not reported */
	bool forked;	 /* its fork was seen */
	bool exited;
	char name[NAME_LEN]; /* its last; empty: not reported */
	char *args; /* of its last program, with an ARG_END between them; NULL: not reported */
};

struct lives {
	struct life *life;
	uint32_t count;
	uint32_t room;
	uint32_t *current; /* of each pid: its latest life + 1 */
	uint32_t pids;
	uint32_t *waits_for; /* of each pid: the latest of the lives whose parent has it, + 1 */
	uint32_t *waits_too; /* of each life: another such, + 1 */
	uint32_t waiting;    /* how many of each there is room for */
	uint32_t waiting_too;
	uint64_t rounding; /* ns; error bound of the tool's times */
	uint64_t lost;	   /* events, by the tool's own count */
	uint64_t behind;   /* ns; subtracted from its times, which are of another clock */
	uint64_t around;   /* when the forest grew */
	unsigned long shown; /* how many more lines that make no sense to show on standard error */
	bool tells_lost;
	bool tells_notified; /* its parents are those at the end, not the creators */
	bool joins_args;     /* with blanks, so that their ends are not known */
};

/* A life of which nothing is known yet but its pid. */
uint32_t lives_new(struct lives *lives, uint64_t ts, uint32_t pid);
/* The life that this pid has now; if its last one has ended, a new one whose fork was not seen. */
uint32_t lives_now(struct lives *lives, uint64_t ts, uint32_t pid);
/* The child has its parent's name at first. */
uint32_t lives_fork(struct lives *lives, uint64_t ts, uint32_t pid, uint32_t parent_pid);
/*
 * The same, without a parent if its pid is 0, where lines of the child can be earlier than its fork's line, but
 * not than @earliest: it is the latest life with this pid that has no parent yet, or else a new one.
 */
uint32_t lives_adopt(struct lives *lives, uint64_t ts, uint64_t earliest, uint32_t pid, uint32_t parent_pid);
/* An empty name is one that was not reported. */
void lives_name(struct lives *lives, uint64_t ts, uint32_t pid, const char *name);
/* The arguments of the program that it has executed. */
void lives_args(struct lives *lives, uint32_t life, const char *args);
/* @status: -1 if the tool does not report it */
void lives_exit(struct lives *lives, uint64_t ts, uint32_t pid, int status);
void lives_reap(struct lives *lives, uint32_t pid, uint32_t reaper);
/*
 * A whole life, reported as it ends, in the order of the ends: so its parent is the next life to end that
 * has @parent_pid, and is not reported if that is 0. @ts: its beginning.
 */
uint32_t lives_whole(struct lives *lives, uint64_t ts, uint32_t pid, uint32_t parent_pid, int status);
/* At the end: gives lives their parents that have not ended. */
void lives_complete(struct lives *lives);
void lives_free(struct lives *lives);

/* The name that a task has after it executed this path. */
const char *name_of_path(const char *path);
/* Copies to the next blank or to @end, at most what the kernel keeps. */
void copy_name(char to[NAME_LEN], const char *from, const char *end);

/*
 * The readers; each parses the text that its tool prints. @to_realtime: what to add to CLOCK_MONOTONIC.
 * Return: how many lines they could not parse.
 */
typedef uint64_t (*reader)(struct lives *lives, FILE *in, uint64_t to_realtime);

uint64_t read_plain(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_acct(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_audit(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_bcc(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_perf(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_proclife(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_strace(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_taskstats(struct lives *lives, FILE *in, uint64_t to_realtime);
uint64_t read_trace_cmd(struct lives *lives, FILE *in, uint64_t to_realtime);

/* Parses a tracepoint's event in text, which it changes; false if it makes no sense. */
bool lives_tracepoint(struct lives *lives, uint64_t ts, const char *event, char *text);
/* Reports that line @number makes no sense, and @why. Return: 1. */
uint64_t lives_senseless(struct lives *lives, uint64_t number, const char *why, const char *line);
/* Calls @parse, false if a line makes no sense, for each line without its end. Return: how many made none. */
uint64_t each_line(struct lives *lives, FILE *in, bool (*parse)(struct lives *lives, char *line));

#endif
