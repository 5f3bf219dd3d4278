/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --diff from inside: diff_table.c puts the groups of all runs side by side, diff_judge.c finds what has
 * changed, and diff_text.c, diff_json.c and diff_junit.c show it.
 */
#ifndef READ_DIFF_PARTS_H
#define READ_DIFF_PARTS_H

#include "tools/diff/diff.h"

#define LEAST 20 /* lives in a run, for the group to be compared */

enum figure {
	FIGURE_ALONE,
	FIGURE_PHASES, /* from the first one on */
	FIGURE_LIFE = FIGURE_PHASES + PROCLIFE_LIFE,
	FIGURE_TIMES = FIGURE_PHASES + PROCLIFE_PHASES,
	FIGURE_LIVES = FIGURE_TIMES,
	FIGURE_FAILED,
	FIGURES,
};

#define FIGURE(name) (1u << FIGURE_##name)

/* A group in one run. */
struct cell {
	uint64_t lives;
	uint64_t failed;
	const struct proclife_histogram *times[FIGURE_TIMES]; /* NULL: none */
	struct proclife_histogram *owned[FIGURE_TIMES]; /* where several of the run are this group */
};

/* A group in all runs. */
struct row {
	const struct proclife_group *group; /* as the first run has it that does */
	const struct run *run;		    /* that run */
	const char *path;		    /* of a cgroup */
	struct cell *cells;
	unsigned int compared; /* FIGURE() */
	unsigned int changed;
	size_t change[FIGURES]; /* its number from 1 on, once they are sorted */
	bool above; /* one that it has started, or one below that, has changed */
};

struct change {
	struct row *row; /* NULL: all have changed */
	enum figure figure;
	double percent; /* of a time */
	uint64_t a;
	uint64_t b;
	double ratio;  /* b of a; 0 if a is 0 */
	double shared; /* what all groups have become and this has not; 1: nothing is known of it */
	uint64_t count_a; /* lives that it is measured in */
	uint64_t count_b;
	size_t groups;	/* of all */
	size_t number;	/* as it was found */
};

/* What several runs hide. */
struct noise {
	size_t groups;	/* 0: nothing was compared */
	double group;	/* the smallest ratio that would be beyond it; 0: there is one group alone */
	double shared;	/* the same of all groups */
};

/* As it was before all of its side was added up. */
struct run_counts {
	uint64_t lives;
	uint64_t failed;
};

/* Why a group is not among the changes, although it is not as it was. */
enum note {
	NOTE_ONLY_A,
	NOTE_ONLY_B,
	NOTE_FEW_FAILURES,
	NOTE_FOLLOWS,
	NOTES,
};

/* What --force has overruled. */
enum forced {
	FORCED_EXIT_MARK, /* exits begin at different places */
	FORCED_SAME,	  /* two are the same recording */
	FORCED,
};

struct diff {
	const struct options *options;
	const struct screen *screen;
	const struct side *sides;
	enum proclife_by by;
	size_t runs; /* of both sides */
	struct run_counts *counts; /* of each */
	struct row *rows;
	size_t row_count;
	struct cell *cells;
	struct change *changes;
	size_t change_count;
	size_t change_room;
	uint64_t compared; /* groups */
	size_t comparisons;
	bool is_constant; /* the runs of a side have as many lives of every group */
	unsigned int shared; /* FIGURE() that all groups have changed in */
	struct noise noise[FIGURES]; /* of the medians */
	struct json json;
	struct text line;
};

static inline bool diff_has_several(const struct diff *diff)
{
	return diff->runs > 2;
}

static inline const struct recording_latency *diff_run_of(const struct diff *diff, size_t number)
{
	size_t a = diff->sides[0].count;

	return number < a ? &diff->sides[0].runs[number] : &diff->sides[1].runs[number - a];
}

static inline const struct lineage *diff_lineage_of(const struct diff *diff, size_t number)
{
	size_t a = diff->sides[0].count;

	return number < a ? diff->sides[0].lineages[number] : diff->sides[1].lineages[number - a];
}

/* A member of all cells of one side. */
uint64_t row_lives(const struct diff *diff, const struct row *row, unsigned int side);
uint64_t row_failed(const struct diff *diff, const struct row *row, unsigned int side);
/* The fewest lives that a run of the side has. */
uint64_t row_fewest(const struct diff *diff, const struct row *row, unsigned int side);

/* "life", ..., "lives", "failed" */
const char *figure_name(const struct diff *diff, enum figure figure);

bool diff_is_noted(const struct diff *diff, const struct row *row, enum note note);
/* Appends "A", or "A1" if there are several. */
void diff_put_label(const struct diff *diff, struct text *text, size_t number);
/* Finds two recordings for which this was overruled; false if there are none. */
bool diff_is_forced(const struct diff *diff, enum forced what, size_t *one, size_t *other);
/* Appends all of it, as a clause; nothing if nothing was. */
void diff_put_forced(const struct diff *diff, struct text *text);
/* What a change is of: "p50", or nothing where one number is all there is. */
void change_statistic(char statistic[16], const struct change *change);
uint64_t diff_too_few(const struct diff *diff);

void diff_show(struct diff *diff);
void diff_print_json(struct diff *diff);
/* --junit */
void diff_add_cases(struct diff *diff);

void diff_table_make(struct diff *diff);
void diff_table_free(struct diff *diff);
void diff_judge(struct diff *diff);
/* Sets above of the rows, which are programs. */
void diff_mark_above(struct diff *diff);

#endif
