/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tree as it is drawn: what is not worth a line left out, siblings that are alike folded.
 *
 * No function recurses: a chain of forks can be as long as there are pids.
 */
#ifndef READ_BRANCH_H
#define READ_BRANCH_H

#include <proclife.h>

struct branch {
	const struct proclife_node *node; /* the first, if it stands for several */
	uint32_t parent; /* indexes; 0 is above the roots, and means "none" for the others */
	uint32_t child;
	uint32_t next;
	bool shown;
	bool at_least;	 /* life: it began before the trace or goes on after it */
	bool life_known;
	uint64_t count;
	uint64_t life;	  /* the longest */
	uint64_t runtime; /* their sum */
	uint64_t max_rss; /* the largest, KiB */
	uint64_t hash;	  /* of the branch with its children, as far as folding looks at them */
};

struct branches {
	struct branch *all; /* parents stand before their children; [0] holds the roots */
	uint32_t count;	    /* [0] included */
	uint64_t left_out;
};

/* In what state the trace leaves a process. */
enum state {
	STATE_ALIVE,
	STATE_ZOMBIE,
	STATE_UNFREED,
	STATE_FREED,
	STATE_UNKNOWN, /* records were lost */
};

enum state node_state(const struct proclife_node *node, bool reap_recorded);

/*
 * @active_only: leave out who was there before and to whom nothing happened, unless a descendant is
 * shown. Return: 0 or a negative errno.
 */
int branches_build(struct branches *branches, const struct proclife_tree *tree, uint64_t ended,
		   bool active_only);
int branches_fold(struct branches *branches);
void branches_free(struct branches *branches);

#endif
