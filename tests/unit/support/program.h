/* SPDX-License-Identifier: GPL-2.0-only */
/* proclife-read as it was built beside a test, and running it. */
#ifndef TESTS_UNIT_PROGRAM_H
#define TESTS_UNIT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

extern char program[PATH_MAX];

/* Sets its path and an English environment. Returns 0, or -1 after an error message. */
int find_program(void);
/* The path of a program of tests/guest/workloads. */
void find_workload(char path[PATH_MAX], const char *name);

struct output {
	char *text; /* to be freed */
	size_t size;
	int status; /* minus the signal, if one ended it */
};

/*
 * Runs a command line with these as its standard output and standard error. Its words have no spaces in
 * them. @limit: the largest file that it can write; 0: any.
 */
pid_t start_program(const char *line, int out, int err, size_t limit);
/* Reads what comes from @fd to its end, and waits for the program. */
void collect_output(pid_t pid, int fd, struct output *output);
/* Does both: returns standard output or, with @errors, standard error instead. */
struct output run_program(bool errors, size_t limit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* How often @what is in a text, without overlaps. */
unsigned int count_text(const char *text, const char *what);

#endif
