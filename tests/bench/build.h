/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace of a build: one make, others below it, and for each file a shell and a compiler. */
#ifndef BENCH_BUILD_H
#define BENCH_BUILD_H

#include <tests/unit/support/records.h>

struct build {
	void (*put)(void *data, struct proclife_record record); /* sets the record's CPU */
	void *data;
	uint64_t files;	      /* to compile: 5 processes each */
	uint32_t jobs;	      /* files at a time; 0 is as 1 */
	struct build_job *job; /* takes what is put; NULL: it is put at once */
	uint64_t now;	      /* ns */
	uint64_t random;      /* its seed, at first */
	uint64_t seed;	      /* of what differs between runs */
	uint32_t pid;	      /* the last one */
	bool args;	      /* with command lines, of several hundred bytes each */
	uint64_t args_bytes;  /* of all of them so far */
	/* How one run differs from another: 0 means 1. */
	double scale;	      /* factor on all times */
	double jitter;	      /* of each program: standard deviation of the logarithm of its factor */
	const char *planted;  /* this program is slower by `factor`, in one of its phases */
	const char *phase;    /* "life" (without its children's), "zombie" or "rcu_free" */
	double factor;
};

/* Makes the whole trace. The parent of its first process is not in it. */
void build_run(struct build *build);

#endif
