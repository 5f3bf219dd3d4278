/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other witnesses of each process: process accounting, taskstats, and the workload itself with
 * wait4(2) and its own clock. A recording is judged by them.
 */
#ifndef GUEST_WITNESS_H
#define GUEST_WITNESS_H

#include <proclife.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* From the workload: times are CLOCK_MONOTONIC, in ns; CPU times are in us. */
struct own_life {
	uint32_t pid;
	uint32_t ppid;
	uint32_t uid;
	uint64_t cgroup; /* the inode of its folder */
	int32_t status;	 /* as wait(2) gave it */
	uint64_t utime, stime;
	uint64_t max_rss; /* KiB */
	uint64_t min_flt, maj_flt, nvcsw, nivcsw;
	uint64_t before_fork, after_fork;
	uint64_t before_exit; /* 0: it did not end by itself */
	uint64_t before_kill, after_kill; /* 0: it was not killed */
	uint64_t before_wait, after_wait; /* around the wait4() that reaped it */
	uint32_t holder; /* another process that has its memory; 0: none */
	uint64_t before_release, after_release; /* around the end of the holder */
};

/* From the accounting file, for a process. */
struct acct_life {
	uint32_t pid, ppid, uid;
	int32_t status; /* of the leader */
	double utime, stime; /* s */
	double end; /* s since 1970, to a second */
	uint64_t min_flt, maj_flt;
	char comm[16];
	bool used;
};

/* From taskstats, for a thread. Times are in us. */
struct stats_life {
	uint32_t pid, ppid, uid;
	uint64_t runtime; /* ns */
	uint64_t utime, stime, elapsed;
	uint64_t most_rss; /* KiB */
	uint64_t min_flt, maj_flt, nvcsw, nivcsw;
	char comm[16];
	bool used;
};

struct witnesses {
	struct own_life *own;
	struct acct_life *acct;
	struct stats_life *stats;
	size_t own_count, acct_count, stats_count;
};

/* Runs this many children of all kinds, and writes a line about each to @path. Returns an exit status. */
int own_run(unsigned int children, const char *path);
void own_read(struct witnesses *witnesses, const char *path);

/* Runs this many pairs of a child and its parent that exit at once. Returns an exit status. */
int orphans_run(unsigned int pairs);

int acct_switch(const char *path); /* NULL: off */
void acct_read(struct witnesses *witnesses, const char *path);

/* Listens until SIGTERM. Fails if a message was lost. */
int stats_listen(const char *path);
void stats_read(struct witnesses *witnesses, const char *path);

/* Prints differences, and a summary line. @least: fewest threads to compare. Returns an exit status. */
int judge(const char *label, const char *recording, unsigned long least, struct witnesses *witnesses);

void *grown(void *array, size_t count, size_t size); /* for one more */
void die(const char *what) __attribute__((noreturn)); /* with errno */

#endif
