/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_OPTIONS_H
#define READ_OPTIONS_H

#include "expect.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_EVENTS (1u << 0)
#define VIEW_TREE (1u << 1)
#define VIEW_LATENCY (1u << 2)
#define VIEW_STATUS (1u << 3)
#define VIEW_NONE (1u << 4) /* --record or --expect alone */

enum top_key {
	TOP_CPU,
	TOP_LIFE,
	TOP_RSS,
	TOP_COUNT, /* of descendants */
};

/* "cpu", "life", ... */
const char *top_key_name(enum top_key key);

#define DEPTH_ALL UINT32_MAX

/* How much of the tree is shown. */
struct cut {
	uint32_t depth;	   /* levels below the roots, or DEPTH_ALL */
	uint64_t min_life; /* ns; 0: any */
	uint64_t top;	   /* so many; 0: all */
	enum top_key key;  /* by which they are the largest */
};

/* Is anything to be cut? */
bool cut_is_set(const struct cut *cut);

enum fold {
	FOLD_IF_LONG,
	FOLD_ALWAYS,
	FOLD_NEVER,
};

enum verdicts {
	VERDICTS_PLAIN, /* as text, or with --json */
	VERDICTS_KTAP,
	VERDICTS_LAVA,
};

/* What the command line says, and nothing else. */
struct options {
	unsigned int views; /* VIEW_*; VIEW_TREE and VIEW_LATENCY can come together */
	bool json;
	bool quiet;
	enum fold fold;
	struct cut cut;
	bool threads;
	bool history;
	bool load;
	const char *device; /* NULL: the usual one */
	const char *input;  /* a recording; NULL: the device */
	const char *record; /* where to; NULL: nowhere */
	uint32_t *pids;
	size_t pid_count;
	struct expectation *expectations;
	size_t expectation_count;
	enum verdicts verdicts;
	uint64_t duration; /* ns; 0: none */
	uint64_t count;	   /* 0: none */
	char **command;	   /* NULL: none */
};

/* Ends the program with STATUS_USAGE, and a line that says why, if the command line is wrong. */
void options_parse(struct options *options, int argc, char **argv);
void options_free(struct options *options);

#endif
