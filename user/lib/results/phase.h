/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_PHASE_H
#define PROCLIFE_PHASE_H

#include "proclife.h"

/* Whatever phases lie between. */
struct proclife_ends {
	const struct proclife_marks *marks;
	const struct proclife_memory *memory; /* of a process; NULL: not known */
	const struct proclife_births *births; /* NULL: not known */
	const struct proclife_used *used; /* NULL: not known */
	uint64_t traced; /* when a tracer was notified, before its parent, or 0 */
	uint64_t killed; /* when it was sent the signal that ended it, or 0 */
	bool notified_lost; /* when its parent was notified is not known: no PROCLIFE_ZOMBIE */
	bool tracer_lost; /* a tracer can have been notified before its parent: no PROCLIFE_TEARDOWN */
};

bool proclife_phase_of(const struct proclife_ends *ends, enum proclife_phase phase, uint64_t *ns);

#endif
