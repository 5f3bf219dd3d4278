/* SPDX-License-Identifier: GPL-2.0-only */
/* What the views share. */
#ifndef READ_VIEWS_H
#define READ_VIEWS_H

#include "output/format.h"
#include "output/json.h"
#include "view.h"
#include <proclife.h>
#include <sys/types.h>

/* What a filter can ask for. */
enum criterion {
	CRITERION_COMM,
	CRITERION_UID,
	CRITERION_CGROUP,
	CRITERION_ARGS,
	CRITERION_END, /* --failed, --status, --signal */
	CRITERION_TIME,
	CRITERIA,
};

/* The bit of --pid, which is no filter, beside those. */
#define CRITERION_PID CRITERIA
#define CRITERIA_AND_PID (CRITERIA + 1)

struct pids_there;

struct run {
	const struct options *options;
	const struct screen *screen;
	struct json *json;
	struct proclife_source *source;
	bool pinned; /* BPF programs that were there before */
	/* Opens another one of the same, for what the rings hold. */
	int (*open_source)(struct proclife_source **source, const struct options *options);
	struct proclife_tasks *tasks;
	struct proclife_latency *latency; /* for --latency and --expect; NULL if there is neither */
	struct proclife_latency *whole; /* for --expect, where `latency` is of an interval; or NULL */
	struct proclife_latency *programs; /* by name, for an --expect that is about one; or NULL */
	struct proclife_cgroups *cgroups;
	struct proclife_users *users;
	const char *recorded_rcu; /* what the recorder knew of RCU; NULL: this machine is asked */
	uint64_t began; /* of the time that is looked at */
	uint64_t first; /* of the first record that was there */
	uint64_t ended;
	uint64_t from;	/* what is looked at lies between these; 0 and UINT64_MAX: it is all */
	uint64_t to;
	uint64_t forget_at; /* when cgroups are forgotten that are gone */
	uint64_t shown; /* records, or deaths, by the view that --count is for */
	uint64_t lost;	/* records */
	uint64_t damaged; /* of them, those that damage of a recording took */
	uint64_t suppressed[PROCLIFE_TYPES]; /* records, by type */
	uint64_t suppressing[PROCLIFE_TYPES]; /* CPUs on which it began and has not ended */
	struct {
		uint64_t times; /* that recording was stopped; of the last one: */
		uint64_t since; /* 0: before the trace */
		uint64_t until; /* 0: it has not been started again */
	} stopped;
	struct {
		uint64_t processes; /* that match, at their end or in an event that is shown */
		uint64_t failed;    /* of them, those with another exit status than 0, or killed */
		uint64_t unjudged;  /* of which it is not known whether they match */
		unsigned int lacks; /* for want of what: bits by enum criterion */
		unsigned int met;   /* bits of those that one has matched at some time */
		bool several; /* recordings */
		bool keeps_unjudged; /* they are not left out */
	} matched;
	struct pids_there *there; /* for each --pid; NULL: there is none, or they are looked for now */
	bool failed;	/* something could not be written, which has been said */
	pid_t command;	/* 0: none */
	size_t number;	/* of several recordings, as they are given, from 1 on; or 0 */
};

/* Each CPU has one record of a stop or more, with the same `since`. */
static inline void count_stopped(struct run *run, const struct proclife_record *r)
{
	const struct proclife_suppressed *s = &r->suppressed;

	if (!run->stopped.times || (run->stopped.since && s->since > run->stopped.since) ||
	    (run->stopped.until && s->since > run->stopped.until)) {
		run->stopped.times++;
		run->stopped.until = 0;
		run->stopped.since = s->since;
	}
	if (!run->stopped.since)
		run->stopped.since = s->since;
	if (s->ended && run->stopped.until < r->ts)
		run->stopped.until = r->ts;
}

static inline void count_suppressed(struct run *run, const struct proclife_suppressed *s)
{
	uint64_t *suppressing = &run->suppressing[s->what];

	add_count(&run->suppressed[s->what], s->count);
	if (!s->ended)
		++*suppressing;
	else if (*suppressing)
		--*suppressing;
}

static inline bool is_in_range(const struct run *run, uint64_t ts)
{
	return ts >= run->from && ts <= run->to;
}

/* Does it lie between --from and --to, or a part of it? */
static inline bool overlaps_range(const struct run *run, uint64_t from, uint64_t to)
{
	return to >= run->from && from <= run->to;
}

/* What is looked at: from the first record to the end, or what --from and --to leave of that. */
static inline uint64_t run_from(const struct run *run)
{
	return run->from > run->first ? run->from : run->first;
}

static inline uint64_t run_to(const struct run *run)
{
	return run->to < run->ended ? run->to : run->ended;
}

/* What this event says is not there, in what is looked at. */
static inline void count_missing(struct run *run, const struct proclife_event *event)
{
	const struct proclife_record *r = event->record;

	if (r && r->type != PROCLIFE_SUPPRESSED)
		return;
	if (r ? !is_in_range(run, r->ts) : !overlaps_range(run, event->gap.from, event->gap.to))
		return;
	if (!r)
		run->lost += event->gap.lost;
	else if (r->suppressed.what == PROCLIFE_NONE)
		count_stopped(run, r);
	else if (r->suppressed.what < PROCLIFE_TYPES)
		count_suppressed(run, &r->suppressed);
}

/* The groups of --by. @ends: how cgroups ended; or NULL. */
void groups_print(const struct run *run, struct text *line, const struct proclife_cgroup_ends *ends);
void groups_print_json(const struct run *run, const struct proclife_cgroup_ends *ends);

void cgroup_end_print(const struct run *run, struct text *line, const struct proclife_cgroup_end *end);
void cgroup_end_json(const struct run *run, const struct proclife_cgroup_end *end);
/* Says so, if this trace cannot have CGROUP records. */
void cgroup_ends_show_missing(const struct run *run, struct text *line);

/* How many lines of a long list are shown, unless --top says how many. */
#define MANY_LINES 50

/* For proclife_tasks_filter(); @data is the run. */
enum proclife_match filter_match(void *data, const struct proclife_process *process);
/* Does it meet this one alone? */
enum proclife_match filter_meets(struct run *run, const struct proclife_process *process, enum criterion criterion);
/* Are these arguments, or what else a program was begun with, which are not to be known? */
static inline bool is_hidden(const struct run *run, const struct proclife_event *event)
{
	return run->options->hide_args && event->record &&
	       (event->record->type == PROCLIFE_ARGS || event->record->type == PROCLIFE_PATH);
}

/* Is it to be shown, and part of sums? */
static inline bool filter_passes(const struct proclife_process *process)
{
	return process->selected && process->matches;
}

/* A group's name as it is shown: a name, a path, "CPU 3", "(unknown)". */
void text_group(struct text *text, const struct run *run, enum proclife_by by,
		const struct proclife_group *group);
/* Members "by" and "group"; and "cgroup", its id, if that is what it is about. */
void json_group(struct json *json, const struct run *run, enum proclife_by by,
		const struct proclife_group *group);
/* The name of a user, or the number in @buffer if there is none. */
const char *user_name(const struct run *run, uint32_t uid, char buffer[24]);
void text_user(struct text *text, const struct run *run, uint32_t uid);
/* Its path, or "cgroup 77" if that is not known. */
void text_cgroup(struct text *text, const struct run *run, uint64_t cgroup);
/* Members "group", the path, and "cgroup", the id. */
void json_cgroup(struct json *json, const struct run *run, uint64_t cgroup);

/* The zombies at run->ended, with titles. */
void zombies_print(const struct run *run);

/* What --expect asks for. */
void verdict_print(const struct run *run);
/* Says which failed. */
bool verdict_failed(const struct run *run);

/* Prints what lives; call it before the tasks are closed. */
void leftovers_print(const struct run *run);

#define MODULE_NAME "proclife"

bool module_is_loaded(void);
/* Why cgroups have numbers here, but no paths, and what to do about it; NULL if they have. */
const char *why_no_cgroup_paths(void);

/* The first line of a trace. */
void json_trace(const struct run *run);
/* Which of several recordings it is; nothing if there is one. */
void json_recording(const struct run *run);

/* Where exits begin in a trace: times of two traces are comparable if they begin at the same place. */
enum exit_mark {
	EXIT_MARK_UNKNOWN,
	EXIT_MARK_DO_EXIT, /* EXITING */
	EXIT_MARK_AFTER_MM, /* there is no EXITING: these are where EXIT stands */
	EXIT_MARK_BEFORE_MM,
};

/* What the header of a trace says of it; the texts are NULL if it does not say. */
enum exit_mark exit_mark(const struct proclife_header *header);
const char *exit_mark_text(const struct proclife_header *header); /* "where do_exit() begins", ... */
const char *exit_mark_json(const struct proclife_header *header);
/* As exit_mark_text(), but never NULL. */
const char *exit_mark_place(const struct proclife_header *header);
bool is_by_bpf(const struct proclife_header *header);
/* Members "source" and "module": what recorded, and its version. */
void json_source(struct json *json, const struct proclife_header *header);
const char *reap_source_text(uint32_t reap_source); /* "cgroup_release()", ... */
/* The parameter without which records of this type are not made; NULL if they are always. */
const char *type_parameter(unsigned int type);
/* Only where functions begin or return, which the function tracer needs to be on for. */
#define TYPES_AT_FUNCTIONS                                                                          \
	(PROCLIFE_HAS(PROCLIFE_EXITING) | PROCLIFE_HAS(PROCLIFE_NOTIFY) | PROCLIFE_HAS(PROCLIFE_REAP) | \
	 PROCLIFE_HAS(PROCLIFE_COREDUMP) | PROCLIFE_HAS(PROCLIFE_BIRTH) | PROCLIFE_HAS(PROCLIFE_FAIL))
/* Are REAPs recorded, by this kernel and module? */
bool run_has_reap(const struct run *run);
/*
 * A recording that keeps the latest, or was saved, has nothing of lives that had ended before this.
 * 0: it has all.
 */
uint64_t whole_since(const struct proclife_source *source);
/* Has --on had it saved? */
bool info_is_saved(const struct proclife_run_info *recorded);
/* Is it a part of another one? */
bool info_is_slice(const struct proclife_run_info *recorded);
/* Are EXITINGs? */
bool run_has_notify(const struct run *run);
bool run_has_exiting(const struct run *run);
bool run_has_births(const struct run *run);
/* A line for each stream of a recording that is damaged. */
void json_damage(struct json *json, const struct proclife_source *source, const char *dir);
/* Those of which the module can suppress records; 0 at its end. */
extern const uint16_t types_with_budget[];
/* How many records of each type that has a budget were suppressed, as one member. */
void json_suppressed(struct json *json, const struct run *run);
/* @from and @to: of the last stop, in the unit of the other times; 0: none. */
void json_stopped(struct json *json, const struct run *run, uint64_t from, uint64_t to);
/* "from A to B", or "at A, and not started again": of the last time that recording was stopped. */
void stopped_text(struct text *text, const struct run *run);
/* What the header says of all marks of a death but EXIT and REAP. */
void json_marks(struct json *json, const struct proclife_header *header);

/* Since when it could be reaped: a thread, and where notices are not recorded, since its exit. */
static inline uint64_t marks_zombie_since(const struct proclife_marks *marks)
{
	return marks->notified ? marks->notified : marks->exited;
}

#endif
