/* SPDX-License-Identifier: GPL-2.0-only */
/* What a row is taken for when siblings are folded: siblings of one kind become one line. */
#ifndef READ_ROW_KIND_H
#define READ_ROW_KIND_H

#include "views/share/numbers.h"
#include "views/tree/row.h"

/* How unlike the rows of a kind may be. Each level puts together what the levels before it do, and more. */
enum fold_level {
	FOLD_LINES,    /* the same line, and the same below it, as often */
	FOLD_COUNTS,   /* the same program that ended alike, and as many of the same below it */
	FOLD_SHAPES,   /* the same below it, however many of each */
	FOLD_ENDS,     /* the same program that ended alike, whatever is below it */
	FOLD_FAILURES, /* the same program, if both have failed or neither */
	FOLD_PROGRAMS, /* the same program */
	FOLD_LEVELS,
};

struct kinds {
	struct rows *rows;
	struct numbers numbers; /* of the level */
	struct numbers lines;	 /* struct line */
	struct numbers programs; /* struct program */
	struct numbers bases;	 /* of the paths: what stands behind the last slash */
	uint32_t *program;	 /* of each row that is shown: its number among the programs */
};

int kinds_init(struct kinds *kinds, struct rows *rows);
void kinds_free(struct kinds *kinds);
/*
 * Gives each row that is shown its kind. Return: 0; 1 if there are more than @most of them, which can
 * leave rows without; a negative errno.
 */
int kinds_find(struct kinds *kinds, enum fold_level level, uint32_t most);

#endif
