/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --on: prints a line as soon as a condition holds, by the time of the records. So a replay prints what was
 * printed live, and a line about a phase that goes on comes once no record can end it any earlier.
 */
#ifndef READ_TRIGGERS_H
#define READ_TRIGGERS_H

#include "stage.h"
#include "triggers/agenda.h"
#include "triggers/alert.h"
#include "triggers/burst.h"
#include "triggers/reaction.h"

struct triggers {
	struct run *run;
	const struct condition *conditions;
	size_t count; /* 0: there are none, and it is no stage */
	struct burst *bursts; /* by condition */
	uint64_t *lost;	      /* by condition: since it last fired */
	struct agenda agenda;
	const struct proclife_record *record; /* that is fed; NULL: it is a gap */
	uint64_t now;	 /* of the record that is fed, or up to where all were */
	bool of_threads; /* a condition is about the ends of threads */
	bool spent;	 /* one was due that did not concern its process */
	uint64_t calm_until;
	uint64_t fired;
	uint64_t suppressed; /* all of them... */
	uint64_t untold;     /* ... and since the last one that was printed */
	int64_t day;
	struct reaction reaction;
};

/* Returns 0 or a negative errno; -ESRCH has been said. */
int triggers_begin(struct triggers *triggers, struct run *run);
/* Was there as much as --count says, and is all done about it? */
bool triggers_are_enough(const struct triggers *triggers);
/* All events from before this time were fed: prints what has gone on for too long until then. */
void triggers_until(struct triggers *triggers, uint64_t ts);

extern const struct stage triggers_stage;

#endif
