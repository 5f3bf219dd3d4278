/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lives in the formats of other programs: export.c says which life is told when, a file for each
 * format how. proclife-read-export(5) documents them.
 */
#ifndef READ_EXPORT_H
#define READ_EXPORT_H

#include "views/death.h"
#include "views/views.h"

/* A life, once all of it is known: it is gone, and so is its memory; or the trace ends. */
struct life {
	const struct proclife_process *process;
	struct death death;
	uint64_t begin; /* its fork, by its start if that was before the trace */
	uint64_t end;	/* by when it had ended; 0: it has not, as far as is known */
};

/* Did it exit with another status than 0, or was it killed? */
static inline bool life_failed(const struct life *life)
{
	return life->end && life->process->exit_code > 0;
}

struct export {
	struct run *run;
	FILE *out;
};

/* All members but `free` may be NULL. */
struct export_format {
	/* Sets *@state. 0 or a negative errno. */
	int (*begin)(const struct export *export, void **state);
	void (*life)(void *state, const struct life *life);
	/* All has been told. */
	void (*end)(void *state);
	void (*free)(void *state); /* also of NULL */
};

extern const struct export_format export_csv, export_folded;

/* Of a record, in nanoseconds since 1970; 0 if that is not known, and for 0. */
uint64_t export_realtime(const struct run *run, uint64_t ts);

#endif
