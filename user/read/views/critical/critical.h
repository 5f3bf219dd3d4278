/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between critical.c, which chooses whose end is explained, critical_chain.c, which walks back from
 * there, critical_beside.c, which says what else went on, critical_lines.c, critical_text.c and
 * critical_json.c.
 */
#ifndef READ_CRITICAL_H
#define READ_CRITICAL_H

#include "views/critical/kin.h"

/* Why a step is where it is. */
enum critical_by {
	CRITICAL_BY_ORDER, /* what came next was forked, or exited, when it had ended */
	CRITICAL_BY_SLOTS, /* it lived in one of a number of slots, and what came next got that */
	CRITICAL_BY_CPUS,  /* all CPUs were busy for most of it */
};

/* A time in which a life did not wait for any of its children. */
struct critical_step {
	uint64_t from;
	uint64_t to;
	uint64_t beside; /* ns that others without living children lived meanwhile, all added up */
	uint64_t busy;	 /* ns of it during which all CPUs were busy */
	uint64_t saves;	 /* ns by which the end would come earlier without it, at most */
	uint32_t life;
	bool slots;
};

struct critical {
	struct run *run;
	struct kin kin;
	uint32_t root; /* NOBODY: nothing to explain */
	uint32_t candidates; /* those it was chosen from */
	uint64_t from;
	uint64_t to;
	struct critical_step *steps; /* one behind the other, from @from to @to */
	uint32_t count;
	uint32_t room;
	uint32_t lives;	     /* of the root and all that descend from it */
	uint32_t incomplete; /* of them */
	uint32_t slots; /* of the lives whose children waited for one: the most of them */
	unsigned int cpus; /* that are known of; 0: too little is known of them */
};

/* Knows of all processes from now on. 0 or a negative errno. */
int critical_init(struct critical *critical, struct run *run);
/* Once all are gone: chooses the root, and finds the steps. */
void critical_explain(struct critical *critical);
/* Frees what it has, but not itself. */
void critical_free(struct critical *critical);

/* Fills in the steps, all but `beside` and `busy`... */
void critical_walk(struct critical *critical);
/* ... and these. */
void critical_look_beside(struct critical *critical);

static inline enum critical_by critical_by(const struct critical_step *step)
{
	if (2 * step->busy > step->to - step->from)
		return CRITICAL_BY_CPUS;
	return step->slots ? CRITICAL_BY_SLOTS : CRITICAL_BY_ORDER;
}

static inline uint64_t critical_time(const struct critical_step *step)
{
	return step->to - step->from;
}

#define CRITICAL_LINES 20 /* at most, unless all are asked for */

struct critical_line {
	uint32_t first;
	uint32_t count; /* of the steps */
};

struct critical_lines {
	struct critical_line *all; /* for free(3) */
	uint32_t count;
	uint32_t rest_steps; /* that are in no line */
	uint64_t rest; /* ns of them */
};

void critical_choose_lines(struct critical_lines *lines, const struct critical *critical);
void critical_print_text(struct critical *critical);
void critical_print_json(const struct critical *critical);

#endif
