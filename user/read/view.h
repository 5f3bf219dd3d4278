/* SPDX-License-Identifier: GPL-2.0-only */
/* What a view is. Each has one of these in its own file, and a line in the table of views/table.c. */
#ifndef READ_VIEW_H
#define READ_VIEW_H

#include "options.h"
#include <proclife.h>

struct run;

/* What means something for every view that shows what is recorded. */
#define OF_SELECTION (GIVEN(PID) | GIVEN(COMM) | GIVEN(UID) | GIVEN(CGROUP) | GIVEN(FAILED) | \
		      GIVEN(STATUS) | GIVEN(SIGNAL) | GIVEN(ARGS) | GIVEN(FROM) | GIVEN(TO))
#define OF_DEVICE (GIVEN(LOAD) | GIVEN(DEVICE))
#define OF_TRACE (OF_SELECTION | OF_DEVICE | GIVEN(INPUT) | GIVEN(COMMAND) | GIVEN(HISTORY) | \
		  GIVEN(DURATION) | GIVEN(COUNT) | GIVEN(RECORD) | GIVEN(EXPECT))

/* What --from and --to mean. */
enum range_of {
	RANGE_OF_EXITS,	  /* who exited then */
	RANGE_OF_RECORDS, /* what was recorded then */
	RANGE_OF_LIVES,	  /* who lived then, for a moment at least */
};

struct view {
	const char *name;     /* of its option */
	const char *argument; /* of its option, or NULL */
	bool may_lack_argument;
	const char *help;
	const char *scope;    /* of one that is no OF_TRACE: why it takes so little; or NULL */
	uint64_t takes;	      /* GIVEN() options, but for --json and --quiet, which all take */
	uint64_t takes_by;    /* and these, once --by is given */
	bool combines;	      /* with others for which this holds */
	bool adds_up;	      /* it takes several recordings */
	bool needs_input;     /* it shows recordings, and nothing that is live */
	bool is_default;
	bool is_minor;	      /* --help=all has it, --help has not */
	bool is_now;	      /* it shows what there is at its beginning */
	enum range_of range;
	bool measures;	      /* it needs run->latency */
	bool has_cgroups;     /* its JSON has the paths of cgroups */
	bool counts;	      /* --count counts what it counts in run->shown */

	/* With these options, it shows things as they happen; NULL: all comes at the end. */
	bool (*streams)(const struct options *options);

	/* What it needs from the first event on; *state is NULL before. 0 or a negative errno. */
	int (*begin)(struct run *run, void **state);
	/* Before the first event of another recording; NULL: what was measured of it is added up. */
	int (*next)(struct run *run, void *state);
	/* In the place of proclife_tasks_feed(), which it calls: 1 if the event was shown. */
	int (*feed)(void *state, const struct proclife_event *event);
	/* Before the tasks are closed, of each recording; and when all are. */
	void (*print_open)(const struct run *run, void *state);
	void (*print)(const struct run *run, void *state);
	void (*free)(void *state);
};

#endif
