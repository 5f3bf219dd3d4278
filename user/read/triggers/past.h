/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of the lives for --save for longer than the rings hold it: for each process that is there, and
 * for its ancestors, the records that say what it is, what started it, and how it ends.
 */
#ifndef READ_PAST_H
#define READ_PAST_H

#include "views/share/id_table.h"
#include <proclife.h>

struct past {
	struct id_table lives; /* by process */
	uint64_t order;	       /* of the record that is kept next */
	size_t bytes;
	unsigned int generations; /* of ancestors that are gone; fewer when bytes become too many */
	unsigned int args;	  /* from this record of a life on, its arguments are not kept; fewer then, too */
};

void past_init(struct past *past);
void past_free(struct past *past);
/* A record of this process has been fed. */
void past_keep(struct past *past, const struct proclife_process *process,
	       const struct proclife_record *record);
/* Its parent is known now. */
void past_link(struct past *past, const struct proclife_process *process);
/* It is gone with this record, which can be NULL. Once it is over, past_of() is not called for it itself. */
void past_end(struct past *past, const struct proclife_process *process,
	      const struct proclife_record *record);
void past_over(struct past *past, const struct proclife_process *process);
/* The records of this process and its ancestors, by time. The caller frees them; NULL: there are none. */
struct proclife_record *past_of(const struct past *past, uint64_t id, size_t *count);

#endif
