/* SPDX-License-Identifier: GPL-2.0-only */
/* An unprivileged process that makes records without end, and what is suppressed of them. */
#ifndef GUEST_FLOOD_H
#define GUEST_FLOOD_H

#include <proclife.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NOBODY 65534

/* Floods CPU 0 as nobody with WAIT, RENAME, BIRTH, FAIL or SIGNAL. Returns the process's pid; it ends after @ms. */
pid_t flood_start(unsigned int type, unsigned int ms);
/*
 * Waits until records of a type are suppressed on CPU 0. False after ten seconds: this machine cannot make more
 * than are allowed, such as an emulated one whose host is busy.
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

/* The limit in the module's manual for records of a type in this time, in a ring of this size. */
uint64_t flood_allowed(const struct figures *from, const struct figures *to, uint64_t size);
/*
 * Floods until records of a type are suppressed, and fails unless those that were made are within the limit. False:
 * none was suppressed, as on an emulated machine whose host is busy.
 */
bool flood_is_bounded(struct proclife_source *source, unsigned int type);

#endif
