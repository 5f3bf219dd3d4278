/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_PHASE_H
#define PROCLIFE_PHASE_H

#include "proclife.h"

/* What a life leaves behind in time; 0: not seen. */
struct proclife_marks {
	uint64_t born;
	uint64_t exited;
	uint64_t notified;
	uint64_t zombie; /* since when: notified; exited if nobody was */
	uint64_t reaped;
	uint64_t freed;
};

struct proclife_marks proclife_process_marks(const struct proclife_process *process);
struct proclife_marks proclife_task_marks(const struct proclife_task *task);
bool proclife_phase_of(const struct proclife_marks *marks, enum proclife_phase phase, uint64_t *ns);

#endif
