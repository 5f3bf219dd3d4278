/* SPDX-License-Identifier: GPL-2.0-only */
/* Which processes --on is to look at again without a record of theirs, and when. */
#ifndef READ_AGENDA_H
#define READ_AGENDA_H

#include "views/share/id_table.h"
#include <proclife.h>

/* What has been reported of a process, and when it is to be looked at again. */
struct watched {
	const struct proclife_process *process;
	uint64_t id;
	uint64_t fired; /* a bit for each condition: once for each life */
	uint64_t spent; /* a bit for each condition that was due when it did not concern this process as it was then */
	uint64_t due; /* UINT64_MAX: never */
	size_t place; /* in the heap */
	bool own;     /* --exec started it */
	uint64_t leaving; /* the address space that its threads leave, which may be another process's; 0: none */
	uint64_t mm;  /* the address space of it that others hold; 0: none */
};

struct agenda {
	struct id_table watched;
	struct watched **due; /* a heap: the one that is due first is the first */
	size_t due_count;
	size_t due_size;
	struct id_table held; /* by address space: what becomes of it is reported of its holders */
};

void agenda_init(struct agenda *agenda);
void agenda_free(struct agenda *agenda);
/* What is kept of the process with this id, or NULL. */
struct watched *agenda_find(const struct agenda *agenda, uint64_t id);
/* The same; if there is nothing yet, it is made. It has to be forgotten before the process is. */
struct watched *agenda_add(struct agenda *agenda, const struct proclife_process *process);
void agenda_forget(struct agenda *agenda, const struct proclife_process *process);
void agenda_set_due(struct agenda *agenda, struct watched *watched, uint64_t due);
void agenda_set_held(struct agenda *agenda, struct watched *watched, uint64_t mm);
/* Whose address space others hold, or NULL. */
struct watched *agenda_find_held(const struct agenda *agenda, uint64_t mm);
/* When the first one is due; UINT64_MAX: none is. */
static inline uint64_t agenda_due(const struct agenda *agenda)
{
	return agenda->due_count ? agenda->due[0]->due : UINT64_MAX;
}

#endif
