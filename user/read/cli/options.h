/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef READ_OPTIONS_H
#define READ_OPTIONS_H

#include "cli/expect.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_EVENTS (1u << 0)
#define VIEW_TREE (1u << 1)
#define VIEW_LATENCY (1u << 2)
#define VIEW_STATUS (1u << 3)
#define VIEW_NONE (1u << 4) /* --record or --expect alone */
#define VIEW_PARENTS (1u << 5)
#define VIEW_ZOMBIES (1u << 6)
#define VIEW_DIFF (1u << 7)

/* What is shown of a process on request. */
#define SHOW_PIDNS (1u << 0)
#define SHOW_CGROUP (1u << 1)
#define SHOW_UID (1u << 2)

struct words {
	const char **all;
	size_t count;
};

/* Of what is followed, which processes are shown: those that have one of each kind that is given. */
struct filter {
	struct words comms; /* patterns, see glob(7) */
	struct words cgroups;
	uint32_t *uids;
	size_t uid_count;
};

bool filter_is_set(const struct filter *filter);

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
	bool matching;	   /* those alone that the filter lets pass */
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
	unsigned int show; /* SHOW_* */
	enum proclife_by by;
	bool threads;
	struct filter filter;
	bool history;
	bool load;
	const char *device; /* NULL: the usual one */
	struct words inputs; /* recordings; none: the device */
	struct words diff;   /* two recordings, for VIEW_DIFF */
	double factor;	     /* what is as much larger has changed */
	bool force;
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
