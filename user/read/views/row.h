/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree as it is drawn: rows.c lists it, row_cut.c leaves out what is not asked for,
 * row_fold.c makes one line of siblings that are alike.
 *
 * No function recurses: a chain of forks can be as long as there are pids. A row is 40 bytes, as
 * there is one for each process; what only few have is in struct sums.
 */
#ifndef READ_ROW_H
#define READ_ROW_H

#include "options.h"
#include <proclife.h>

struct row {
	const struct proclife_node *node; /* the first, if it stands for several */
	/* Indexes; 0 is above the roots. The parent of a row that is cut is the one it counts at. */
	uint32_t parent;
	uint32_t child; /* those that are shown; 0: none */
	uint32_t next;
	uint32_t count; /* processes that it stands for */
	uint32_t below; /* descendants, shown or not */
	uint32_t sums;	/* index; 0: it is one process, and none below it is cut */
	union {
		uint32_t rank; /* by cut.top, from 1 on; 0: it is not among them */
		uint32_t hash; /* while folding: of the row with its children */
	};
	bool listed;  /* not an older process to which nothing happened */
	bool shown;   /* not cut either */
	bool context; /* shown only for what is below it */
};

/* What is cut. */
struct cut_off {
	uint64_t runtime;
	uint32_t processes;
	uint32_t failed; /* with a status other than 0, or killed */
};

/* The figures of a line. */
struct figures {
	uint64_t life; /* the longest */
	uint64_t runtime; /* their sum */
	uint32_t max_rss; /* the largest, KiB */
	bool life_known;
	bool at_least; /* life: it began before the trace or goes on after it */
};

struct sums {
	struct figures figures; /* if it stands for several */
	struct cut_off cut; /* at this row, and at all that it stands for */
};

struct rows {
	struct row *all; /* parents stand before their children; [0] holds the roots */
	uint32_t count;	    /* [0] included */
	uint32_t lines;	    /* shown */
	uint64_t left_out;  /* not listed */
	uint64_t ended;	    /* the trace */
	struct sums *sums;
	uint32_t sums_count;
	uint32_t sums_size;
	bool folded;
	unsigned int show; /* SHOW_* */
	uint64_t secret[2]; /* of the hashes */
};

/*
 * Lists the tree and cuts it. @active_only: do not list who was there before and to whom nothing
 * happened, unless a descendant is listed. Return: 0 or a negative errno.
 */
int rows_build(struct rows *rows, struct proclife_tree *tree, uint64_t ended,
	       bool active_only, const struct cut *cut);
int rows_cut(struct rows *rows, const struct cut *cut);
/* @show: SHOW_*, for what is shown has to be alike. */
int rows_fold(struct rows *rows, unsigned int show);
void rows_free(struct rows *rows);

struct figures row_figures(const struct rows *rows, const struct row *b);
const struct cut_off *row_cut_off(const struct rows *rows, const struct row *b);
/* Those of this row, to be added to; NULL without memory. They move when another's are made. */
struct sums *row_sums(struct rows *rows, struct row *b);

#endif
