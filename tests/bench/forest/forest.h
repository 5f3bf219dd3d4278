/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the program forest; process.c makes processes and writes their truth. */
#ifndef BENCH_FOREST_H
#define BENCH_FOREST_H

#include <sys/types.h>

#include "truth.h"

extern struct forest *forest;
extern int forest_fd; /* of the truth */
extern uint32_t self; /* our slot */
extern uint32_t randomness;

uint64_t now(void);
/* A number below @n. */
uint32_t draw(uint32_t n);
void map_truth(void);

/*
 * Each makes a child, and sets its slot. They return as fork(2) does, but never fail; of those that
 * execute a program, only the parent returns.
 */
pid_t make_named(const char *name, uint32_t *slot);
pid_t make_unnamed(uint32_t *slot); /* it keeps the name that it inherits */
pid_t make_program(const char *name, uint32_t *slot);
pid_t make_program_vfork(const char *name, uint32_t *slot);
void reap(pid_t pid, uint32_t slot);
void __attribute__((noreturn)) leave(void);

/* jobs.c: what the loops do, one after the other */
#define SHELL "sh"
#define LEAVES 5
/* The most orphans that are on their way at once, in all loops. */
#define ORPHANS_AT_ONCE 256

extern const char *const leaves[LEAVES];

void do_job(void);
void be_shell(void);

#endif
