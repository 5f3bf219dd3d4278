/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be asked for, and what a session shows of it. */
#ifndef READ_VIEW_H
#define READ_VIEW_H

#include "cli/argument.h"
#include "options.h"
#include <proclife.h>

struct run;
struct screen;

/* Options that apply to every view of a trace. */
#define OF_PROCESSES (GIVEN(PID) | GIVEN(COMM) | GIVEN(UID) | GIVEN(CGROUP) | GIVEN(FAILED) | \
		      GIVEN(STATUS) | GIVEN(SIGNAL) | GIVEN(ARGS))
#define OF_SELECTION (OF_PROCESSES | GIVEN(FROM) | GIVEN(TO))
#define OF_REACTION (GIVEN(SAVE) | GIVEN(AFTER) | GIVEN(SAVES) | GIVEN(EXEC))
#define OF_TRIGGERS (GIVEN(ON) | GIVEN(CALM) | OF_REACTION)
#define OF_DEVICE (GIVEN(LOAD) | GIVEN(UNLOAD) | GIVEN(SOURCE) | GIVEN(DEVICE))
#define OF_TRACE (OF_SELECTION | OF_DEVICE | GIVEN(INPUT) | GIVEN(COMMAND) | GIVEN(HISTORY) | \
		  GIVEN(DURATION) | GIVEN(COUNT) | GIVEN(RECORD) | GIVEN(EXPECT) | GIVEN(METRICS) | \
		  OF_TRIGGERS)

/* What --from and --to mean. */
enum range_of {
	RANGE_OF_EXITS,	  /* processes that exited then */
	RANGE_OF_RECORDS, /* records from then */
	RANGE_OF_LIVES,	  /* processes that lived then, if only for a moment */
};

/* A format of a view, whose argument names it. */
struct format {
	const char *name;
	uint64_t takes; /* GIVEN() options that are for this format */
	bool is_of_args; /* without the arguments of processes, nothing is left */
};

/* What can be asked for, each by an option of its own: a view, or a tool. requests.h lists all of them. */
struct request {
	const char *name;     /* the name of its option */
	struct argument argument; /* of its option */
	const char *help;
	const char *scope;    /* if it lacks OF_TRACE: why it takes so few options; or NULL */
	uint64_t takes;	      /* GIVEN() options, except --json and --quiet, which all take */
	uint64_t takes_by;    /* also these, if --by is given */
	choice_name *by;      /* the words of --by that it knows, if it takes that */
	const struct format *const *formats; /* ends with NULL; NULL: it has none */
	const char *no_json;  /* why it does not go with --json; or NULL */
	bool combines;	      /* it can be combined with others that have this */
	bool adds_up;	      /* it takes several recordings and adds them up */
	bool needs_input;     /* it shows only recordings, nothing live */
	bool is_default;
	bool is_minor;	      /* it is in --help=all, but not in --help */
	bool is_now;	      /* it shows the state at its beginning */
	enum range_of range;
	bool measures;	      /* it needs run->latency */

	/* A tool has one of these: what runs in place of a session, and returns the exit status... */
	int (*run)(const struct options *options, const struct screen *screen);
	/* ... or what prints what the source is, in place of reading events. Returns 0 or a negative errno. */
	int (*print_source)(struct run *run);
};

/* What a session shows. */
struct view {
	struct request request;
	bool is_screen;	      /* it draws on the terminal, until it is left */
	bool has_cgroups;     /* its JSON, its file, or export, has the paths of cgroups */
	bool exports;	      /* it prints for other programs, in a format of theirs */
	bool counts;	      /* --count limits what it counts in run->shown */
	bool writes_file;     /* and prints nothing */

	/* Does it show events as they happen, with these options? NULL: it shows all at the end. */
	bool (*streams)(const struct options *options);

	/* Called before the first event; *state is NULL before. Returns 0 or a negative errno. */
	int (*begin)(struct run *run, void **state);
	/* Called before the first event of another recording. NULL: its measurements are added. */
	int (*next)(struct run *run, void *state);
	/* In place of proclife_tasks_feed(), which it calls. Returns 1 if the event was shown. */
	int (*feed)(void *state, const struct proclife_event *event);
	/* Here records are missing. NULL: it does not want to know where. */
	void (*gap)(void *state, const struct proclife_gap *gap);
	/*
	 * For --interval: has anything been added up? If so, it is printed, and in any case it then starts over.
	 * NULL, both: it adds nothing up.
	 */
	bool (*has_any)(const struct run *run, void *state);
	void (*restart)(struct run *run, void **state);
	/* Called for each recording before its tasks are closed; and when all are closed. */
	void (*print_open)(const struct run *run, void *state);
	void (*print)(const struct run *run, void *state);
	void (*free)(void *state);
};

_Static_assert(offsetof(struct view, request) == 0, "request_view() makes the one of the other");

/* NULL: it is a tool. */
static inline const struct view *request_view(const struct request *request)
{
	return request->run || request->print_source ? NULL : (const struct view *)request;
}

/* No events: what a snapshot finds, and what is left of records that a recording does not have any more. */
#define TYPES_OF_BEFORE (PROCLIFE_HAS(PROCLIFE_TASK) | PROCLIFE_HAS(PROCLIFE_PAST))

static inline bool is_of_before(const struct proclife_record *record)
{
	return record->type == PROCLIFE_TASK || record->type == PROCLIFE_PAST ||
	       (record->type == PROCLIFE_BIRTH && record->birth.what == PROCLIFE_BIRTH_PAST);
}

/* Does it export? */
static inline bool options_export(const struct options *options)
{
	return options->views[0] && options->views[0]->exports;
}

/* Are the views printed and restarted at each interval? All that are given, or none. */
static inline bool options_repeat(const struct options *options)
{
	return options->interval && options->views[0] && options->views[0]->restart;
}

/* Does it show the paths of cgroups, with these options? */
static inline bool view_shows_cgroups(const struct view *view, const struct options *options)
{
	return options->show & SHOW_CGROUP || options->by == PROCLIFE_BY_CGROUP ||
	       ((options->json || view->writes_file || options_export(options)) && view->has_cgroups);
}

#endif
