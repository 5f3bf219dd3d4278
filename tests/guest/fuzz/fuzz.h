/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TESTS_GUEST_FUZZ_H
#define TESTS_GUEST_FUZZ_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FILES 8
#define MAPS 24

struct mapping {
	char *at;
	size_t bytes;
};

/* A thread has its own files, mappings and random numbers: its actions follow from its seed. */
struct fuzzer {
	uint64_t random;
	uint64_t map_bytes; /* of the device */
	int files[FILES];   /* -1: none */
	struct mapping maps[MAPS];
	unsigned int maps_used;
	char *arena; /* where it may put mappings at a fixed place */
	int mem;     /* /proc/self/mem */
	uint64_t operations, succeeded, writes_tried;
	struct coverage *coverage;
};

#define ARENA_BYTES (1ul << 30)

/* This thread's; set while it touches memory that may fault. */
extern _Thread_local sigjmp_buf *volatile fuzz_on_fault;

uint64_t fuzz_random(struct fuzzer *f, uint64_t below);
/* Does one operation, and ends the program with a message if the device lets it do what it must not. */
void fuzz_step(struct fuzzer *f);
/* Tries to write to a mapping in every possible way. */
void fuzz_writes(struct fuzzer *f, const struct mapping *m);
/* Reports what must not happen, and ends the program. */
void fuzz_die(const struct fuzzer *f, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));

/* The points of the module that this thread reaches in system calls; NULL if the kernel does not count them. */
struct coverage *coverage_begin(void);
/* Notes what has been reached since the last call. */
void coverage_collect(struct coverage *coverage);
/* The number of points of all threads; writes their offsets in the module's text to @file if given. */
size_t coverage_end(FILE *file);

#endif
