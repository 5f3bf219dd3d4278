/* SPDX-License-Identifier: GPL-2.0-only */
/* Records without end from a process without privilege, and what comes of them. */
#ifndef GUEST_FLOOD_H
#define GUEST_FLOOD_H

#include <proclife.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NOBODY 65534

/* On CPU 0, as nobody: WAIT, RENAME or SIGNAL. Returns its pid; it ends after so many ms. */
pid_t flood_start(unsigned int type, unsigned int ms);
/*
 * Waits until records of a type are suppressed on CPU 0. False after ten seconds: nobody can make more here
 * than are allowed, as on an emulated machine whose host is busy.
 */
bool flood_suppressed(struct proclife_source *source, unsigned int type);
void must_succeed(pid_t pid);

struct figures {
	uint64_t at;
	uint64_t counts[PROCLIFE_TYPES];
	uint64_t suppressed[PROCLIFE_TYPES];
	uint64_t positions;
};

struct figures figures_of(struct proclife_source *source, uint32_t cpu);

/* What the module's manual says that can be recorded of a type in this time, in a ring of so many records. */
uint64_t flood_allowed(const struct figures *from, const struct figures *to, uint64_t size);

#endif
