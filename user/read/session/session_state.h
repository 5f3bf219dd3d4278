/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The internals of a session. session.c: the loop. session_begin.c: what comes before it.
 * session_end.c: what comes after it. session_signals.c: what interrupts it.
 */
#ifndef READ_SESSION_STATE_H
#define READ_SESSION_STATE_H

#include "live/live.h"
#include "output/json.h"
#include "output/replace.h"
#include "run/follow.h"
#include "session/intervals.h"
#include "metrics/metrics.h"
#include "session/pids.h"
#include "session/progress.h"
#include "session/record.h"
#include "session/recording_latency.h"
#include "session/session.h"
#include "triggers/triggers.h"
#include "session/watch.h"
#include "views/views.h"

#define MS 1000000ULL
#define SECOND 1000000000ULL

/* Why it ended; these are the words of the JSON. */
enum stop {
	STOP_NOT_YET,
	STOP_GONE,     /* the command, or the processes of --pid, and all descendants */
	STOP_DURATION,
	STOP_COUNT,
	STOP_SIGNAL,
	STOP_SOURCE,   /* the source has an end, and this is it */
	STOP_LOST,     /* what we wait for is gone, but the records that say so were lost, or not made */
	STOP_LEFT,     /* --left-after the command's own exit */
	STOP_CUT,      /* the recording breaks off */
	STOP_RUNNING,  /* the recorder has not come farther yet */
	STOP_RECORDED, /* the recording ends, and its recorder had this reason */
};

#define MOST_STAGES 6 /* all of them */

/* A stage that the options ask for, and what it works on. */
struct active_stage {
	const struct stage *stage;
	void *data;
};

struct session {
	struct run run;
	struct json json;
	void *states[MOST_VIEWS]; /* of options->views */
	struct active_stage stages[MOST_STAGES]; /* session_begin.c has the list */
	size_t stage_count;
	const struct view *feeding; /* the view that is fed each event; NULL: none is */
	void *feeding_state;
	bool counting;	/* a view, or --on, counts what --count is for, in run.shown */
	bool streaming; /* a view shows things as they happen */
	struct follow follow;
	struct record record;
	struct progress progress;
	struct intervals intervals;
	struct metrics metrics;
	struct triggers triggers;
	struct live *live; /* the screen; NULL: there is none */
	struct proclife_event next; /* the event of a played recording that is not due yet */
	bool has_next;
	const struct proclife_run_info *replay; /* NULL: the source is live */
	int signals;	 /* a signalfd */
	bool childless;	 /* and no orphan becomes our child */
	bool plain_file; /* as the source: it would always be readable */
	uint64_t watermark; /* of the source, unless it wakes us at once */
	bool came; /* something to read, since the last sleep */
	uint64_t came_at; /* when that was the case last */
	bool wakes_at_once; /* with its next record: its watermark is 1 */
	enum stop stop;
	uint64_t stop_at;     /* what is later does not count; UINT64_MAX: no end is set */
	enum stop stop_then;  /* why it will end at stop_at */
	uint64_t give_up_at;  /* do not wait for the horizon any longer */
	int killed_by;	      /* the signal that stopped us */
	struct watch watch;
	struct {
		uint32_t cpus;	/* whose history begins later than the module's work */
		uint32_t cpu;	/* the one where that is latest */
		uint64_t first; /* where one of them begins, the earliest, and the latest */
		uint64_t latest;
	} history;
	uint64_t skipped; /* records that were lost on no CPU of which we know */
	uint64_t ended_at; /* when the command had ended */
	uint64_t last_fed;
	uint64_t due; /* do not sleep longer */
	bool unwatched; /* it is only recorded: lives are not needed */
	struct recording_latency *others; /* recordings, behind the first */
	size_t other_count;
	bool others_cut; /* one of them is incomplete */
	bool interrupted; /* one Ctrl-C was left to the command */
	struct replacement *output; /* of --output; NULL: it is standard output */
	int write_error; /* errno of the output */
};

/* By the clock of the records. */
static inline uint64_t session_now(const struct session *s)
{
	return proclife_source_now(s->run.source);
}

/* Is there a past to read, in which one process after the other can have had the same pid? */
static inline bool session_looks_back(const struct session *s)
{
	return s->replay || s->run.options->history;
}

/* The command, or the processes of --pid, and all their descendants. */
static inline bool session_all_gone(const struct session *s)
{
	return !s->live && (s->run.command || s->run.options->pids.count) &&
	       proclife_tasks_selected(s->run.tasks) &&
	       !proclife_tasks_selected_open(s->run.tasks) && !proclife_tasks_missing(s->run.tasks, 0) &&
	       !pids_are_missing(&s->run);
}

/* What is later than @when does not count any more, unless the end is earlier already. */
void session_stop_at(struct session *s, uint64_t when, enum stop why);
void session_signal_set(sigset_t *set);
void session_take_signals(struct session *s);

/* Those that the options ask for. */
void session_list_stages(struct session *s);
void session_add_stage(struct session *s, const struct stage *stage, void *data);
/* 0, or a negative errno that has been said. */
int session_open_source(struct session *s);
/* All but the command's start and the recorder's. 0 or a negative errno. */
int session_prepare(struct session *s);
int session_prepare_record(struct session *s);
/* 0; a negative errno; or the exit status if the command cannot be executed, which it has said. */
int session_start_command(struct session *s);
/* All has been read: what is there at the end, and the end of all processes. */
void session_close(struct session *s);
/* Reads the recordings behind the first. 0, or an error that has been said. */
int session_merge(struct session *s);

/* What a recording keeps so that a replay begins, and ends, as we do. */
struct proclife_run_info session_recorded(const struct session *s);
void session_flush(struct session *s);
void session_print(struct session *s);
/* Until --exec has been executed for all; unless we are to end. */
void session_wait_for_commands(struct session *s);
/* Finishes the output, which is complete now: 0, an exit status, or -SIGPIPE. */
int session_finish_output(struct session *s);
/* What is to be said once all is printed, and the exit status. */
int session_verdict(struct session *s);

#endif
