/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces of made-up machines, with the truth about them.
 *
 * A trace is made by seed, the same on each run: processes and threads are born, exec, rename
 * themselves, exit, wait, reap and are freed by the kernel's rules, and each CPU gets a stream of
 * their records, as its ring would have them. It is made in rounds, so that its length needs no
 * memory, and knows the truth of each life until that has been checked.
 *
 * Time only moves on. Records of the same time are on the same CPU or on ever higher ones, so that
 * the order in which they are made is the order in which a merge has to yield them.
 */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <source/merge.h>

struct trace_plan {
	uint64_t seed;
	uint64_t processes;	/* to be born; those that are there before come on top */
	uint32_t cpus;		/* 1024 at most */
	uint32_t alive;		/* about as many processes at a time */
	uint32_t pids;		/* how many there are, above 300: few are soon reused */
	uint32_t before;	/* actions before the trace */
	uint32_t lag;		/* about as many tasks wait for their FREE */
	uint32_t zombies;	/* about as many can wait for a parent that does wait */
	uint32_t threads;	/* in percent of what a task does, next to exec, rename, ... */
	uint32_t hoarders;	/* in percent: processes that never wait for their children */
	uint32_t leave;		/* processes alive at the end */
	uint32_t args_bytes;	/* most of an argument vector; 0: no ARGS */
	uint32_t gap_every;	/* on each CPU, in records; 0: nothing is lost */
	uint32_t gap_records;	/* lost at once, at most */
	uint32_t span;		/* records that a stream shows at once, at most; 0: all there are */
	bool snapshot;		/* TASK records at the beginning of those that are there before */
	bool dead_twice;	/* two threads that exit at once can both find the group dead */
	bool notify;		/* with NOTIFY */
	bool truth;		/* remember it */
};

struct trace;

/* A plan with all that can happen, in a mix that depends on the seed. */
struct trace_plan trace_plan_of_seed(uint64_t seed);

struct trace *trace_new(const struct trace_plan *plan);
void trace_free(struct trace *trace);

/*
 * Makes about this many more records. What the last round made is gone then, and the streams show the
 * new records. Return: false at the end, when there is nothing more to make.
 */
bool trace_round(struct trace *trace, uint64_t records);

/* A stream for the merge, of what this round made for the CPU; call proclife_merge_build() after each round. */
struct proclife_stream *trace_stream(struct trace *trace, uint32_t cpu);

/* The records of this round, without its gaps. */
const struct proclife_record *trace_records(const struct trace *trace, uint32_t cpu,
					    uint64_t *count);

/* Shows the round from its beginning again. */
void trace_again(struct trace *trace);

/* The horizon for a merge: later rounds make only records of this ts or later. */
uint64_t trace_now(const struct trace *trace);

/* So far, lost ones not counted. */
uint64_t trace_recorded(const struct trace *trace);
uint64_t trace_lost(const struct trace *trace);

/* All gaps, for the plans that have some. */
const struct proclife_gap *trace_gaps(const struct trace *trace, size_t *count);

/* Times are those of the records, seen or lost; 0 if it has not happened, or before the trace. */
struct truth_task {
	struct truth_task *next; /* of the process */
	uint64_t handle;
	uint64_t start;
	uint64_t began; /* birth, or the beginning of the trace for tasks from before */
	uint64_t born;
	uint64_t exited;
	uint64_t reaped;
	uint64_t freed;
	uint64_t runtime;
	uint32_t pid; /* the last one */
	uint32_t reaper_pid;
	int32_t exit_code;
	uint32_t reports; /* the checker's */
	bool before;	  /* reaped before the trace: only its FREE can be in it */
};

struct truth {
	struct truth_task *tasks;
	struct truth *next; /* an older one with this tgid */
	uint64_t start; /* the process's key: no two have the same */
	uint64_t group;
	uint64_t began;
	uint64_t born;
	uint64_t execed;
	uint64_t exited;
	uint64_t notified;
	uint64_t reaped;
	uint64_t freed; /* the last task's FREE, once there is no other; shadows do not count */
	uint64_t runtime;
	uint64_t max_rss;
	uint64_t parent; /* by birth, or as the snapshot found it: its start */
	uint64_t creator; /* its start; 0 if that was before */
	uint32_t parent_tgid;
	uint32_t creator_tgid;
	uint32_t tgid;
	uint32_t uid;
	uint32_t threads; /* born, or there before and not freed */
	uint32_t live;	  /* not exited */
	uint32_t open;	  /* not freed */
	uint32_t shadows; /* threads that were reaped before the trace, which are not counted above */
	uint32_t execs;
	uint32_t reaper_tgid;
	uint32_t args_bytes;
	int32_t exit_code; /* the one that wait(2) gives */
	uint32_t reports;  /* the checker's */
	bool buried;	   /* its leader was reaped before the trace */
	char comm[PROCLIFE_COMM_LEN];
	char path[64];
};

/* The process with this start, or the latest one with this tgid; NULL if there is none. */
struct truth *trace_truth(struct trace *trace, uint64_t start);
struct truth *trace_truth_by_tgid(struct trace *trace, uint32_t tgid);
/* Iterates over all, in no order; *cursor is 0 at first. NULL after the last one. */
struct truth *trace_truth_next(struct trace *trace, uint64_t *cursor);
/* Marks it as checked. */
void trace_truth_done(struct trace *trace, struct truth *truth);
/* How many have not been checked. */
uint64_t trace_truths(const struct trace *trace);

#endif
