/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which trace a process is in, and below which span, for formats that write lives one by one when they are
 * over: their ancestors can be gone before that.
 */
#ifndef READ_DESCENT_H
#define READ_DESCENT_H

#include "views/share/id_table.h"
#include "views/views.h"

/* The place of a process. */
struct place {
	uint64_t id;	 /* of the process */
	uint64_t span;	 /* its own; 0 until it is asked for */
	uint64_t parent; /* the span of its parent; 0: it is the first of its trace */
	uint64_t root;	 /* the span of that one; 0 for that one itself, until it has a span */
};

struct descent {
	const struct run *run;
	struct id_table places; /* of processes that live, or are still to be written */
};

void descent_init(struct descent *descent, const struct run *run);
void descent_free(struct descent *descent);

/*
 * As they are reported: born; and linked, without a creator, if that is when they become selected. A
 * process keeps the place that it gets first.
 */
void descent_add(struct descent *descent, const struct proclife_process *process,
		 const struct proclife_process *parent, const struct proclife_process *creator);
/* Nothing will be asked about it any more. */
void descent_forget(struct descent *descent, const struct proclife_process *process);

/* Is something selected? Then each selected process has a trace; otherwise, each that the machine starts. */
bool descent_is_selected(const struct run *run);
struct place descent_place(const struct descent *descent, const struct proclife_process *process);

#endif
