/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree as it is drawn: rows.c lists it, row_cut.c leaves out what is not asked for,
 * row_fold.c makes one line of siblings that are alike, as row_kind.c decides.
 *
 * No function recurses: a chain of forks can be as long as there are pids. A row is 40 bytes, as
 * there is one for each process; what only few have is in struct sums.
 */
#ifndef READ_ROW_H
#define READ_ROW_H

#include "options.h"
#include "views/share/path.h"
#include <proclife.h>
#include <string.h>

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
		uint32_t kind; /* while folding: see row_kind.h */
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
	bool at_least; /* life: it began at an unknown time before the trace, or goes on after it */
};

/* Where the processes of a line differ: the line does not say it. */
#define DIFFER_END (1u << 0)
#define DIFFER_KILLER (1u << 1)
#define DIFFER_THREADS (1u << 2)
#define DIFFER_CREATOR (1u << 3)
#define DIFFER_REAPER (1u << 4)
#define DIFFER_PARENT (1u << 5)
#define DIFFER_FAILED_EXEC (1u << 6)

struct sums {
	struct cut_off cut; /* at this row, and at all that it stands for */
	/* If it stands for several: */
	struct figures figures;
	uint32_t failed;
	uint32_t incomplete;
	uint32_t command_lines; /* that differ */
	uint32_t slowest;	/* row */
	uint32_t members;	/* index in rows.members: as many as the row stands for */
	unsigned int differ;	/* DIFFER_* */
	uint16_t execs;		/* the most of one of them */
};

struct rows {
	struct row *all; /* parents stand before their children; [0] holds the roots */
	uint32_t count;	    /* [0] included */
	uint32_t lines;	    /* shown */
	uint64_t left_out;  /* not listed */
	const struct run *run;
	struct sums *sums;
	uint32_t sums_count;
	uint32_t sums_size;
	unsigned int show; /* SHOW_* */
	/* Once it is folded: */
	uint32_t *line_of; /* of each row that is shown: the row whose line has it */
	uint32_t *members; /* rows, line by line */
	uint32_t unfolded; /* lines there were before; 0: it is not folded */
	bool several;	   /* some line stands for several */
	bool by_program;   /* the rows of one line have different things below them */
	bool cheap_cut;	   /* the lines that cost least are cut */
};

/*
 * Lists the tree and cuts it. @active_only: do not list processes that were there before and to which nothing
 * happened, unless a descendant is listed. Return: 0 or a negative errno.
 */
int rows_build(struct rows *rows, struct proclife_tree *tree, const struct run *run,
	       bool active_only, const struct cut *cut);
int rows_cut(struct rows *rows, const struct cut *cut);
/* Keeps only those shown rows that have the largest weights, [row]. */
int rows_keep(struct rows *rows, uint32_t most, const uint64_t *weights);
/*
 * Folds siblings until there are @most lines, those that are alike first; then cuts. @show: SHOW_*,
 * for what is shown has to be alike. @more: fold siblings of one program at once.
 */
int rows_fold(struct rows *rows, unsigned int show, bool more, uint32_t most);
void rows_free(struct rows *rows);

/* As a line shows it. */
static inline int32_t node_exit_code(const struct proclife_node *node)
{
	return node->ended ? node->exit_code : 0;
}

static inline bool node_failed(const struct proclife_node *node)
{
	return node_exit_code(node) > 0;
}

static inline const struct proclife_killer *node_killer(const struct proclife_node *node)
{
	return node_failed(node) ? node->common->killer : NULL;
}

/* The name of the file that it executed, without folders; NULL if it never called exec. */
static inline const char *node_base(const struct proclife_node *node)
{
	return node->path ? path_base(node->path) : NULL;
}

/* The process that forked it, and its reaper, as a line shows them: 0 for its parent. */
static inline uint32_t node_creator(const struct proclife_node *node)
{
	return node->creator_tgid == node->parent_tgid ? 0 : node->creator_tgid;
}

static inline uint32_t node_reaper(const struct proclife_node *node)
{
	return node->reaper_tgid == node->parent_tgid || node->reaper_tgid == node->tgid ?
		       0 : node->reaper_tgid;
}

struct figures node_figures(const struct rows *rows, const struct proclife_node *node);
struct figures row_figures(const struct rows *rows, const struct row *b);
/* When it was born, the first of several; 0 if it is, or all of them are, older than the trace. */
uint64_t row_born(const struct rows *rows, const struct row *b);
const struct cut_off *row_cut_off(const struct rows *rows, const struct row *b);
/* What is known of a row that stands for several; NULL of another. */
static inline const struct sums *row_fold(const struct rows *rows, const struct row *b)
{
	return b->count > 1 ? &rows->sums[b->sums] : NULL;
}

/* Those of this row, to be added to; NULL without memory. They move when another's are made. */
struct sums *row_sums(struct rows *rows, struct row *b);

#endif
