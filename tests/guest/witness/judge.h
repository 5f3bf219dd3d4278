/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the judges of a recording: its lives, and how differences are shown. */
#ifndef GUEST_WITNESS_JUDGE_H
#define GUEST_WITNESS_JUDGE_H

#include "witness.h"

#define MS 1000000ULL
/* A task on its way out can be preempted; the guests are slow. */
#define LATE (5000 * MS)
/* Two clocks read in a row. */
#define APART (50 * MS)
/* What a task runs on its way out, in s, */
#define LONG_EXIT 0.2
/* and the faults and switches between two looks: the robust list, the tid that is cleared, a file's last close. */
#define FEW 40

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
	size_t last;	  /* of `threads`: the last one that exited; SIZE_MAX: not seen */
};

extern struct proclife_record *forks;
extern struct thread *threads;
extern struct life *lives;
extern size_t fork_count, thread_count, life_count;
extern unsigned long differences;
extern struct proclife_source *source;
extern uint64_t tick; /* ns */
extern bool lossy;

void differs(uint32_t pid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void expect_same(uint32_t pid, const char *what, int64_t ours, int64_t theirs);
/* Compares unsigned numbers; unknown ones are 0, and not judged. */
void expect_between(uint32_t pid, const char *what, uint64_t from, uint64_t ours, uint64_t to);
/* The same, if their count was taken first. */
void expect_after(uint32_t pid, const char *what, uint64_t ours, uint64_t theirs, uint64_t more);

/*
 * For the table of marks.sh: counts a comparison of a process or thread. It differs if
 * `differences` is no longer @before.
 */
void compared(const char *mark, const char *witness, unsigned long before);

/* Did a process with this pid begin to exit in that time, and so lose its children to another parent? */
bool has_exited(uint32_t tgid, uint64_t from, uint64_t to);

/* From the beginning of an exit to taskstats' look, in ns. */
struct distances {
	unsigned long count;
	uint64_t median, greatest;
};

/* Each compares all that its witness knows, and returns how many processes or threads these were. */
unsigned long judge_own(const struct witnesses *witnesses);
unsigned long judge_acct(struct witnesses *witnesses);
unsigned long judge_stats(struct witnesses *witnesses, struct distances *distances_of_begins);

#endif
