/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The processes in the benchmark of the snapshot: a crowd that sleeps, a load that forks on a CPU of its
 * own, and on the other CPUs the processes that may disturb it.
 */
#ifndef PROCLIFE_BENCH_CROWD_H
#define PROCLIFE_BENCH_CROWD_H

#include <stdint.h>
#include <sys/types.h>

uint64_t crowd_now(void); /* CLOCK_MONOTONIC */

/* Keeps the caller and its children on the last CPU, or off it. */
void crowd_on_last_cpu(void);
void crowd_off_last_cpu(void);

/* This many processes that sleep; returns once all of them are there. They end with the guest. */
void crowd_sleepers(unsigned int count);

/* Fork, _exit and wait on the last CPU, one after the other. */
struct crowd_load {
	pid_t pid;
	double cycles; /* per second */
	double irq_works; /* that the CPU ran, per second */
};

void crowd_load(unsigned int ms, struct crowd_load *load);

/* What runs on the other CPUs. crowd_end() kills it. */
enum crowd_kind {
	CROWD_BUSY,   /* a loop that does nothing */
	CROWD_SHOOTS, /* takes one snapshot after the other */
	CROWD_ASLEEP, /* polls for more records than there will be */
	CROWD_EAGER,  /* polls for a single record, reads how many there are, and polls again */
};

#define CROWD_MOST 8

/* `capacity` is that of a snapshot. Returns when all of them are at work. */
void crowd_begin(enum crowd_kind kind, unsigned int count, unsigned int capacity);
void crowd_end(void);

/* What all of them have done since crowd_begin(): snapshots, or polls that returned. */
uint64_t crowd_done(void);

/* How often all of them have gone to sleep, and so were woken, since they were forked. */
uint64_t crowd_slept(void);

/* Opens the device, or ends the program. */
int crowd_open(void);

/* Takes a snapshot. Returns how many tasks there are. */
struct proclife_record;
unsigned int crowd_snapshot(int fd, struct proclife_record *records, unsigned int capacity);

#endif
