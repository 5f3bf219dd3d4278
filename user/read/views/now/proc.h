/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says of a process that should be ending. */
#ifndef READ_PROC_H
#define READ_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROC_WCHAN_LEN 64

struct proc_thread {
	uint32_t tid;
	char state;   /* as in stat: 'R', 'S', 'D', ...; 0: reading it was refused */
	bool killed;  /* SIGKILL is pending for it */
	bool exiting; /* it is in exit() */
	char wchan[PROC_WCHAN_LEN]; /* where in the kernel it waits; "": not known, or it does not wait */
};

enum proc_found {
	PROC_THERE,
	PROC_GONE,    /* or its PID is another's */
	PROC_REFUSED, /* nothing can be said */
};

struct proc_process {
	enum proc_found found;
	struct proc_thread *threads; /* by state, wchan and TID; without those that have ended */
	size_t count;
	bool leader_ended;
	bool killed;	 /* SIGKILL is pending for all of it */
	bool held;	 /* a thread that has ended is still there, for a tracer, which has not waited for it */
	uint32_t tracer; /* process that traces it, or such a thread, and is not its parent; 0: none */
};

/*
 * Fills @process with what there is below @root, which is "/proc" but for tests, of the process that has
 * this PID and began at @start, by CLOCK_BOOTTIME of the initial time namespace. The start is compared
 * before and after. Return: 0 or -ENOMEM.
 */
int proc_read(struct proc_process *process, const char *root, uint32_t pid, uint64_t start);
void proc_free(struct proc_process *process);

/* Is it worth a proc_read()? Its leader has ended, is in exit(), or has SIGKILL pending. */
bool proc_may_end(const char *root, uint32_t pid);

#endif
