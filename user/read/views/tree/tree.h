/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between tree.c, which collects, tree_text.c, which draws, tree_label.c, which names,
 * tree_family.c, which finds what distinguishes one from the others, tree_summary.c, which adds up, and
 * tree_json.c.
 */
#ifndef READ_TREE_H
#define READ_TREE_H

#include "views/tree/row.h"
#include "views/views.h"
#include "views/share/words.h"

/* More lines than a person reads: above this the tree is folded, and says how to see more of it. */
#define TREE_MANY_LINES 200

/* A thread that does not lead its process; kept for --threads. */
struct thread {
	uint64_t process; /* id */
	struct proclife_marks marks;
	uint64_t seen;
	uint64_t start;
	uint64_t runtime;
	uint32_t tid;
	int32_t exit_code;
	char comm[PROCLIFE_COMM_LEN];
	bool incomplete;
	bool has_cpu;
	enum proclife_life_state state;
};

struct tree_view {
	struct run *run;
	struct proclife_tree *tree;
	struct thread *threads;
	size_t thread_count;
	size_t thread_size;
	struct rows rows;
	struct text line;
	struct text name;
	struct text args;
	struct text notes;
	bool names_slowest; /* some line does so without the word */
	unsigned int ranked; /* columns at the beginning of the notes that say why the line is there */
	struct text below; /* what the line counts below it: behind the notes, and never cut */
	struct line_words words; /* of the command line at hand */
	struct families *families; /* NULL until they are needed */
	unsigned int start_columns; /* 0: no column has the times of birth */
	bool dated;		    /* these have their date */
	bool has_cpu;
	bool has_rss;
	unsigned int figure_columns; /* of all these, and PID and LIFE */
	unsigned char *guides; /* per level: does a sibling follow further down? */
	size_t guide_size;
};

/* The threads of a process, once all are sorted. */
const struct thread *tree_threads_of(const struct tree_view *view, uint64_t process, size_t *count);
void tree_print_text(struct tree_view *view);
/* What stands under the tree. */
void tree_print_summary(struct tree_view *view);
void tree_print_json(struct tree_view *view);

/* The program, and in the columns that are left, 0 for any, what distinguishes it from others. */
void tree_put_label(struct tree_view *view, struct text *line, const struct row *b,
		    unsigned int columns);
/* Without the words that it shares with its family. Return: false if none are telling. */
bool tree_put_words(struct tree_view *view, struct text *line, const struct row *b,
		    unsigned int columns);
/* What distinguishes the slowest of those that a line stands for. */
void tree_put_slowest(struct tree_view *view, struct text *to, const struct row *b);
void tree_families_free(struct families *families);
/* What is to be said about a process after its name; begin with an empty text. */
void tree_build_notes(struct tree_view *view, const struct row *b);
/* @killer: NULL if it is not known. */
void tree_note_exit(struct text *notes, int exit_code, const struct proclife_killer *killer,
		    uint32_t tgid, struct proclife_cgroups *cgroups);
void tree_note_state(struct text *notes, enum proclife_life_state state);
/* "… 312 processes below, 3 failed, 41.0 s CPU"; @many: "processes below" */
void tree_note_cut_off(struct text *notes, const struct cut_off *cut, const char *one,
		       const char *many);
/* What is cut below it, as much of that as there are columns for; 0: all of it. */
void tree_build_below(struct tree_view *view, const struct row *b, unsigned int columns);

#endif
