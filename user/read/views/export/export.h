/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lives in the formats of other programs: export.c decides which life is written when, a file for each
 * format how. proclife-read-export(5) documents them.
 */
#ifndef READ_EXPORT_H
#define READ_EXPORT_H

#include "output/replace.h"
#include "views/share/life.h"
#include "views/views.h"

struct export {
	struct run *run;
	FILE *out;
};

/* All functions but `free` may be NULL. */
struct export_format {
	struct format format;
	bool is_followed; /* its reader follows the file, and finds again where it was */
	/* Sets *@state. 0 or a negative errno. */
	int (*begin)(const struct export *export, void **state);
	/* For all processes, as they are reported. */
	void (*born)(void *state, const struct proclife_process *process,
		     const struct proclife_process *parent, const struct proclife_process *creator);
	void (*linked)(void *state, const struct proclife_process *process,
		       const struct proclife_process *parent);
	void (*exited)(void *state, const struct proclife_process *process);
	/* For each that is selected and passes the filters, once it is gone, and so is its memory; or the trace ends. */
	void (*life)(void *state, const struct life *life, const struct proclife_process *process);
	/* Nothing more will be written about it. */
	void (*forget)(void *state, const struct proclife_process *process);
	/* For each event, before it counts. */
	void (*event)(void *state, const struct proclife_event *event);
	/* All has been reported. */
	void (*end)(void *state);
	void (*free)(void *state); /* also of NULL */
};

extern const struct export_format export_compdb, export_csv, export_folded, export_otlp, export_perfetto;

/*
 * Opens a file that is written: it replaces the old one when it is ended; or, where another program
 * follows it, it grows. 0 or a negative errno, which has been said.
 */
int export_open(struct replacement *file, const char *option, const char *path,
		const struct options *options);

/* The time of a record in nanoseconds since 1970; 0 if that is not known, and for 0. */
uint64_t export_realtime(const struct run *run, uint64_t ts);

#endif
