/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of --parents. */
#ifndef READ_PARENTS_H
#define READ_PARENTS_H

#include "views/views.h"

/* A line, which can stand for several parents that are alike. */
struct parent {
	struct proclife_reaper sum; /* of all of them; what they do not share is the first one's */
	uint64_t count;
	uint64_t from; /* the first was there from then on, the last until then; 0: that is not known */
	uint64_t to;
	bool merged; /* sum.zombie is the line's own */
};

struct parents {
	struct parent *all;
	size_t count;
};

/* In the JSON, and with --no-fold, each is a line of its own. */
struct parents parents_collect(const struct run *run, const struct proclife_reapers *all);
void parents_free(struct parents *parents);
/* The titles, and the first @most lines. */
void parents_print_table(const struct run *run, const struct parents *parents, uint64_t most);

/* One that is none of these may have been a parent only of what no filter lets pass. */
static inline bool parent_is_shown(const struct proclife_reaper *reaper)
{
	return reaper->born | reaper->reaped | reaper->ignored | reaper->ended_with | reaper->zombies;
}

/* What it is, if that is not just a parent; or NULL. */
const char *parent_role(const struct proclife_reaper *reaper);

#endif
