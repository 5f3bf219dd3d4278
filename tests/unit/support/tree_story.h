/* SPDX-License-Identifier: GPL-2.0-only */
/* Stories of shells and their children, and the trees that are printed of them. */
#ifndef TESTS_UNIT_TREE_STORY_H
#define TESTS_UNIT_TREE_STORY_H

#include "story.h"

#define MOST_LINES 200 /* the limit of a tree by default */

extern struct who story_init, story_shell;

int tree_setup(void **state);

#define TREE(name) cmocka_unit_test_setup_teardown(name, tree_setup, story_teardown)

/* The shell is the first process, and stays alive. */
void begin_shell(void);
/*
 * @path: NULL if it never calls exec; @line: NULL without arguments. There, a space ends an argument,
 * and a tilde is a space in it.
 */
struct who start(const struct who *parent, const char *comm, const char *path, const char *line);
/* The process ends @after ms later; the CPU time is in ms, too. */
void quit(const struct who *who, const struct who *parent, uint32_t after, uint32_t cpu,
	  int32_t code);
/* A whole life, with a CPU time of 1 ms. */
void run(const struct who *parent, const char *comm, const char *path, const char *line,
	 uint32_t after, int32_t code);

/* The output of --tree with these options. */
struct output tree(const char *options);
/* Expects these lines of it, from the line after the shell's to the totals. */
void expect_rows(const char *options, const char *text);
/* Expects this somewhere in it. */
void expect_part(const char *options, const char *text);

/* The sums of the lines of a tree. */
struct sum {
	uint64_t lines;
	uint64_t shown; /* processes */
	uint64_t hidden;
	uint64_t failed;
	size_t widest;
};

/* Expects a short tree that counts everything. */
struct sum expect_short(const char *options, uint64_t processes, uint64_t failed);
/* The sum of all numbers before this word. */
uint64_t numbers_before(const char *line, const char *word);

#define RSS " 1.00 MiB  "

#endif
