/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine behind a trace: simulate.c has the kernel's rules, objects.c what they are about,
 * generate.c decides what happens next, streams.c keeps the clock and the records of each CPU, and
 * truth.c what is true.
 */
#ifndef BENCH_SIMULATE_H
#define BENCH_SIMULATE_H

#include "generate.h"

#include <base/map.h>

struct sim_process;

/* Where a task stands; it is in the list of that name. */
enum sim_state {
	SIM_RUNNING,
	SIM_DOOMED,  /* killed, or in a group exit: its EXIT comes soon */
	SIM_EXECING, /* waits for the other threads to go, or no more */
	SIM_ZOMBIE,  /* can be reaped */
	SIM_DELAYED, /* a leader that has exited before its threads */
	SIM_REAPED,
	SIM_LISTS,
};

struct sim_task {
	struct sim_process *process;
	struct sim_task *next; /* of the process, until reaped */
	struct truth_task *truth;
	uint64_t handle;
	uint64_t slot;
	uint64_t start;
	uint64_t runtime;
	uint32_t index; /* in the list */
	uint32_t pid;
	uint32_t flags;
	int32_t exit_code;
	uint16_t cpu;
	uint8_t state;
	char comm[PROCLIFE_COMM_LEN];
};

struct sim_process {
	struct sim_task *tasks;
	struct sim_task *leader;
	struct sim_task *execer; /* it execs, and kills the others */
	struct sim_task *parent; /* real_parent */
	struct sim_process *children;
	struct sim_process *next; /* sibling */
	struct sim_process *prev;
	struct truth *truth;
	uint64_t group;
	uint64_t slot;
	uint32_t tgid;
	uint32_t uid;
	uint32_t live;
	uint32_t unfreed;
	uint32_t execs;
	bool hoards;  /* never waits */
	bool ignores; /* SIGCHLD: its children release themselves */
	bool dead_twice;
};

/* Unordered things to pick from. */
struct sim_list {
	struct sim_task **tasks;
	uint32_t count;
	uint32_t room;
};

/* Slots that are reused last in, first out: addresses, or what stands for them. */
struct sim_slots {
	uint64_t *free;
	uint64_t count;
	uint64_t room;
	uint64_t fresh;
	uint64_t key; /* makes slots handles */
};

struct sim_cpu {
	struct proclife_stream stream;
	struct trace *trace;
	struct proclife_record *records;
	uint64_t count;
	uint64_t room;
	uint64_t shown;
	uint64_t floor;	   /* ts of the last record, or of the round's beginning */
	uint64_t dropping; /* records still to be lost */
	uint64_t dropped;
	struct sim_gap {
		uint64_t index; /* of the record after it */
		struct proclife_gap gap;
	} *gaps;
	uint64_t gap_count;
	uint64_t gap_room;
	uint64_t gap_shown;
};

struct trace {
	struct trace_plan plan;
	uint64_t random;
	/* streams.c */
	struct sim_cpu *cpus;
	uint64_t now;
	uint32_t last_cpu;
	bool recording;
	bool ended;
	uint64_t made; /* records in this round */
	uint64_t lost;
	uint64_t recorded;
	struct proclife_gap *gaps;
	size_t gap_count;
	struct proclife_record scratch; /* what is not recorded */
	/* objects.c */
	struct sim_list lists[SIM_LISTS];
	struct sim_slots task_slots;
	struct sim_slots group_slots;
	struct proclife_slab task_slab;
	struct proclife_slab process_slab;
	struct sim_process *init;
	uint8_t *pid_used;
	uint32_t next_pid;
	uint32_t pids_used;
	uint64_t last_start;
	uint32_t alive; /* processes with a live thread */
	/* generate.c */
	uint64_t born;
	/* truth.c */
	struct proclife_map truth_by_start;
	struct proclife_map truth_by_tgid;
	uint64_t truths;
};

#define FIRST_PID 300

void *sim_alloc(void *old, size_t bytes); /* ends the program without memory */

static inline uint64_t sim_random(struct trace *trace)
{
	uint64_t x = trace->random += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline uint64_t sim_below(struct trace *trace, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)sim_random(trace) * bound) >> 64);
}

static inline bool sim_percent(struct trace *trace, uint32_t percent)
{
	return sim_below(trace, 100) < percent;
}

/* streams.c: a record of the task by @current, with its head filled in; its CPU and time move on */
struct proclife_record *sim_record(struct trace *trace, enum proclife_type type,
				   const struct sim_task *task, struct sim_task *current);
/* Another record in the same critical section. */
struct proclife_record *sim_record_more(struct trace *trace, enum proclife_type type,
					const struct sim_task *task);
void sim_streams_new(struct trace *trace);
void sim_streams_free(struct trace *trace);
void sim_round_begin(struct trace *trace);
void sim_round_end(struct trace *trace);

/* objects.c */
void sim_boot(struct trace *trace);
void sim_halt(struct trace *trace);
void sim_set_state(struct trace *trace, struct sim_task *task, enum sim_state state);
void sim_list_del(struct trace *trace, struct sim_task *task);
void sim_slot_put(struct sim_slots *slots, uint64_t slot);
bool sim_pids_left(const struct trace *trace);
uint32_t sim_pid_get(struct trace *trace);
void sim_pid_put(struct trace *trace, uint32_t pid);
void sim_add_child(struct sim_process *process, struct sim_task *parent);
void sim_del_child(struct sim_process *process);
struct sim_task *sim_new_task(struct trace *trace, struct sim_process *process, uint32_t pid);
struct sim_process *sim_new_process(struct trace *trace, struct sim_task *parent, uint32_t pid);

/* simulate.c: what tasks do */
void sim_fork(struct trace *trace, struct sim_task *creator, bool clone_parent);
void sim_thread(struct trace *trace, struct sim_task *creator, bool worker);
void sim_rename(struct trace *trace, struct sim_task *task, struct sim_task *by, const char *name);
/* Execs, or begins to. */
void sim_exec(struct trace *trace, struct sim_task *task);
void sim_exec_alone(struct trace *trace, struct sim_task *task);
void sim_exit(struct trace *trace, struct sim_task *task);
void sim_exit_group(struct trace *trace, struct sim_task *task, int32_t code);
void sim_reap(struct trace *trace, struct sim_task *task, struct sim_task *reaper);
void sim_free(struct trace *trace, struct sim_task *task);
void sim_snapshot(struct trace *trace);

/* truth.c */
void truth_new(struct trace *trace, struct sim_process *process);
void truth_new_task(struct trace *trace, struct sim_task *task);
/* The trace begins: forgets what has happened. */
void truth_begin(struct sim_process *process, uint64_t now);
void truth_free_task(struct sim_task *task, uint64_t now);
void truth_begin_task(struct sim_task *task, uint64_t now);
void truth_free(struct trace *trace);

#endif
