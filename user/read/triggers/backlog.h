/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of the lives for --save for longer than the rings hold it: for each process that is there, and
 * for its ancestors, the records that say what it is, what started it, and how it ends.
 */
#ifndef READ_BACKLOG_H
#define READ_BACKLOG_H

#include "views/share/id_table.h"
#include <proclife.h>

struct backlog {
	struct id_table lives; /* by process */
	uint64_t order;	       /* of the record that is kept next */
	size_t bytes;
	unsigned int generations; /* of ancestors that are gone; fewer when bytes become too many */
	bool births;		  /* the trace has BIRTH */
	unsigned int args;	  /* from this record of a life on, its arguments are not kept; fewer then, too */
};

void backlog_init(struct backlog *backlog);
void backlog_free(struct backlog *backlog);
/* A record of this process has been fed. */
void backlog_keep(struct backlog *backlog, const struct proclife_process *process,
	       const struct proclife_record *record);
/* Its parent is known now. */
void backlog_link(struct backlog *backlog, const struct proclife_process *process);
/* It is gone with this record, which can be NULL. Once it is over, backlog_of() is not called for it itself. */
void backlog_end(struct backlog *backlog, const struct proclife_process *process,
	      const struct proclife_record *record);
void backlog_over(struct backlog *backlog, const struct proclife_process *process);
/* The records of this process and its ancestors, by time. The caller frees them; NULL: there are none. */
struct proclife_record *backlog_of(const struct backlog *backlog, uint64_t id, size_t *count);

#endif
