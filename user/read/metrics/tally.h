/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --metrics counts from the beginning on, of processes that are selected and match the filter. How
 * much it keeps does not depend on what runs.
 */
#ifndef READ_TALLY_H
#define READ_TALLY_H

#include "metrics/prometheus.h"
#include "views/views.h"

enum tally_exit {
	TALLY_OK,
	TALLY_FAILED, /* with another status than 0 */
	TALLY_SIGNAL, /* it was killed */
	TALLY_CORE,   /* it was killed, and its core was dumped */
	TALLY_UNKNOWN,
	TALLY_EXITS,
};

struct tally {
	const struct run *run;
	uint64_t began; /* ns since 1970 */
	uint64_t missed; /* marks, when it began */
	uint64_t forks;
	uint64_t execs;
	uint64_t exits[TALLY_EXITS];
	uint64_t incomplete;
	uint64_t unjudged;
	struct prometheus_times phases[PROCLIFE_PHASES];
};

/* Call it before the first event. Returns 0 or a negative errno. */
int tally_begin(struct tally *tally, const struct run *run);
/* Call it with each event once that is fed. */
void tally_event(struct tally *tally, const struct proclife_event *event);
/* All of it, in Prometheus' format, and the processes that are there at @now. */
void tally_print(const struct tally *tally, uint64_t now, FILE *out);

#endif
