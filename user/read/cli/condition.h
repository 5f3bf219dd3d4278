/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions of --on: what one life, a rate or a loss has to be for something to be done. */
#ifndef READ_CONDITION_H
#define READ_CONDITION_H

#include "cli/relation.h"
#include <proclife.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_CONDITIONS 64 /* a bit for each */
#define MOST_FORKS 1000000 /* each of them is kept while it counts */

enum condition_what {
	CONDITION_PHASE,
	CONDITION_FAILED,
	CONDITION_STATUS,
	CONDITION_SIGNAL,
	CONDITION_FORKS,
	CONDITION_LOST,
	CONDITION_THREAD_EXIT,
};

/* "zombie>1s", "cc1.failed", "signal==KILL", "forks>1000/s", "thread_exit==4711" */
struct condition {
	const char *text;
	enum condition_what what;
	size_t program; /* the length of the program's, or thread's, name at its beginning; 0: all of them */
	enum proclife_phase phase; /* of CONDITION_PHASE */
	enum relation relation;	   /* none of CONDITION_FAILED */
	uint64_t bound; /* ns, a status, a number of records or forks, a signal, a thread; 0: any signal or thread */
	uint64_t per;	/* ns, of CONDITION_FORKS */
};

/* Returns NULL, or what is wrong with @text, which has to outlive the condition. */
const char *condition_parse(struct condition *condition, const char *text);

/* The figure's name, such as "zombie". */
const char *condition_figure(const struct condition *condition);

/* Does it hold for all that is larger than its bound, so that what goes on can be judged already? */
static inline bool condition_grows(const struct condition *condition)
{
	return condition->relation == RELATION_ABOVE || condition->relation == RELATION_AT_LEAST;
}

/* The least value for which it holds, if it grows. */
static inline uint64_t condition_least(const struct condition *condition)
{
	return condition->bound + (condition->relation == RELATION_ABOVE);
}

/* Is it about a process's life, and not about a rate, a loss, or one of its threads? */
static inline bool condition_is_of_life(const struct condition *condition)
{
	return condition->what < CONDITION_FORKS;
}

#endif
