// SPDX-License-Identifier: GPL-2.0-only
/* From the source to the views: when to read, when to sleep, when to stop. */
#include "output/message.h"
#include "output/quoted.h"
#include "origin/diagnose.h"
#include "origin/open.h"
#include "session/forget.h"
#include "session/range.h"
#include "session/replay.h"
#include "session/session_state.h"
#include "views/export/export.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Can the records of an end be missing: lost, or not made as recording was stopped? */
static bool may_lack_ends(const struct session *s)
{
	return s->run.lost || s->run.stopped.times;
}

/* Nothing that matters came for a while, and all that is waited for is gone. */
static bool waits_in_vain(const struct session *s, uint64_t horizon)
{
	return may_lack_ends(s) && horizon > s->last_fed + SECOND && watch_is_vain(&s->watch);
}

static void end_of_pids(struct session *s, uint64_t horizon)
{
	/* All of a history has been read: no other process in it has got the same pid. */
	if (session_all_gone(s))
		s->stop = STOP_GONE;
	else if (!s->live && s->watch.count && waits_in_vain(s, horizon))
		s->stop = STOP_LOST;
	else
		return;
	s->run.ended = horizon;
}

/* Called when there is nothing more to read for now. */
static void end_of_command(struct session *s)
{
	uint64_t horizon = proclife_source_horizon(s->run.source);

	if (s->run.options->pids.count)
		end_of_pids(s, horizon);
	if (!s->ended_at || horizon < s->ended_at)
		return;
	watch_note(&s->watch, s->ended_at, session_now(s));
	if (!proclife_tasks_selected(s->run.tasks))
		s->stop = may_lack_ends(s) ? STOP_LOST : STOP_SOURCE;
	else if (horizon - s->ended_at > SECOND && waits_in_vain(s, horizon))
		s->stop = STOP_LOST;
	if (s->stop)
		s->run.ended = horizon;
}

static void note_gap(struct session *s, const struct proclife_gap *gap)
{
	const struct view *const *views = s->run.options->views;
	size_t i;

	for (i = 0; views[i]; i++)
		if (views[i]->gap && overlaps_range(&s->run, gap->from, gap->to))
			views[i]->gap(s->states[i], gap);
	s->skipped += gap->cpu == PROCLIFE_CPU_ALL ? gap->lost : 0;
	if (gap->lost || gap->from)
		return;
	if (!s->history.cpus++ || gap->to < s->history.first)
		s->history.first = gap->to;
	if (gap->to > s->history.latest) {
		s->history.latest = gap->to;
		s->history.cpu = gap->cpu;
	}
}

/* As many as --count says. */
static bool has_enough(const struct session *s)
{
	uint64_t count = s->run.options->count;

	if (!s->run.options->views[0] && s->triggers.count)
		return triggers_are_enough(&s->triggers);
	return count && (s->counting || s->unwatched ? s->run.shown : s->watch.gone) >= count;
}

static int feed(struct session *s, const struct proclife_event *event)
{
	uint64_t ts = event_time(event);
	size_t i;
	int ret;

	if (!s->run.first) {
		uint64_t whole = whole_since(s->run.source);

		s->run.first = ts > whole ? ts : whole; /* what is over time begins where nothing is missing */
	}
	if (ts > s->stop_at) {
		s->stop = s->stop_then;
		s->run.ended = s->stop_at;
		return 0;
	}
	for (i = 0; i < s->stage_count; i++)
		if (s->stages[i].stage->event)
			s->stages[i].stage->event(s->stages[i].data, event);
	if (!event->record)
		note_gap(s, &event->gap);
	count_missing(&s->run, event);
	if (event->record && !s->replay && !s->unwatched)
		proclife_cgroups_note(s->run.cgroups, event->record);
	if (is_hidden(&s->run, event))
		return 0;
	if (s->feeding)
		ret = s->feeding->feed(s->feeding_state, event);
	else if (s->unwatched)
		ret = event->record && !is_of_before(event->record);
	else
		ret = proclife_tasks_feed(s->run.tasks, event);
	if (ret < 0)
		return ret;
	for (i = 0; i < s->stage_count; i++)
		if (s->stages[i].stage->fed)
			s->stages[i].stage->fed(s->stages[i].data, event);
	if (ret)
		s->last_fed = ts;
	s->run.shown += s->unwatched && ret;
	if (has_enough(s))
		s->stop = STOP_COUNT;
	else if (!(s->run.options->pids.count && session_looks_back(s)) && session_all_gone(s))
		s->stop = STOP_GONE;
	if (s->stop)
		s->run.ended = ts;
	return 0;
}

static void end_of_source(struct session *s)
{
	if (s->live) { /* which stays, to be looked at */
		live_at_end(s->live, proclife_source_horizon(s->run.source));
		return;
	}
	s->run.ended = proclife_source_horizon(s->run.source);
	if (s->run.ended >= s->stop_at) {
		s->stop = s->stop_then;
		s->run.ended = s->stop_at;
	} else if (!s->replay) {
		s->stop = STOP_SOURCE;
	} else {
		s->stop = s->replay->complete  ? STOP_RECORDED :
			  s->replay->running ? STOP_RUNNING :
					       STOP_CUT;
	}
}

/* Is nothing shown, and nothing recorded any more? */
static bool is_pointless(const struct session *s)
{
	const struct options *options = s->run.options;

	if (record_is_service(options) && s->record.error)
		return true;
	return s->record.error && !options->views[0] && !options->expect.count && !options->metrics &&
	       !options->on.count;
}

/* Is it a service, which has nothing to say unless something is wrong? */
static bool is_background(const struct options *options)
{
	return options->metrics && !options->views[0] && !options->record.dir && !options->expect.count &&
	       !options->on.count;
}

/* What has to be done from time to time. @until: all events from before that were fed; 0: that is not known. */
static void look_after(struct session *s, uint64_t until)
{
	struct tick tick = { .now = session_now(s), .until = until, .due = s->stop_at };
	size_t i;

	for (i = 0; i < s->stage_count; i++) {
		if (!s->stages[i].stage->advance)
			continue;
		s->stages[i].stage->advance(s->stages[i].data, &tick);
		if (until) /* a line does not wait for the files that other stages write */
			session_flush(s);
	}
	s->due = tick.due;
	if (until && s->triggers.count && has_enough(s)) {
		s->stop = STOP_COUNT;
		s->run.ended = until;
	}
	if (forget_any_time(s->run.options) || s->live)
		forget_cgroups(&s->run, tick.now);
	if (s->live && !live_poll(s->live) && !s->stop) {
		s->stop = STOP_SIGNAL;
		s->run.ended = proclife_source_horizon(s->run.source);
	}
}

/* As proclife_source_next(); from a recording that is played, what has happened by now. */
static int next(struct session *s, struct proclife_event *event)
{
	int ret;

	if (!s->live)
		return proclife_source_next(s->run.source, event);
	if (!s->has_next) {
		ret = proclife_source_next(s->run.source, &s->next);
		if (ret != 1)
			return ret;
		s->has_next = true;
	}
	if (!live_is_due(s->live, event_time(&s->next)))
		return 0;
	s->has_next = false;
	*event = s->next;
	return 1;
}

/* Reads all records that are there now. */
static int drain(struct session *s)
{
	struct proclife_event event;
	unsigned int n = 0;
	int ret = 0;

	while (!s->stop && !s->write_error) {
		ret = next(s, &event);
		if (ret != 1)
			break;
		ret = feed(s, &event);
		if (ret)
			break;
		if (++n % 1024 == 0) {
			session_take_signals(s);
			look_after(s, 0);
			if (ferror(s->run.screen->out))
				session_flush(s);
		}
	}
	s->came |= n > 0;
	if (ret == -ENODATA) {
		end_of_source(s);
		ret = 0;
	}
	return ret;
}

/*
 * Only the horizon may not have come that far when this is over: then it is not far, or it moves ten times a second, of
 * programs while no ring moves.
 */
static int timeout_until(int timeout, uint64_t when, uint64_t now)
{
	if (now >= when)
		return now - when < 5 * MS ? 1 : 10;
	return when - now < timeout * MS ? (int)((when - now) / MS + 1) : timeout;
}

/*
 * Nothing came for a second: until the next record, only what is due has to be looked at. That record wakes us, for what
 * it names, as a cgroup, may be gone soon.
 */
static bool note_idle(struct session *s, uint64_t now)
{
	bool watches = s->live || s->streaming || s->ended_at || s->plain_file ||
		       s->run.options->pids.count || s->run.options->count;
	bool idle;

	if (s->came)
		s->came_at = now;
	s->came = false;
	idle = !watches && now - s->came_at >= SECOND;
	if (idle != s->wakes_at_once && !proclife_source_set_watermark(s->run.source, idle ? 1 : s->watermark))
		s->wakes_at_once = idle;
	return idle && s->wakes_at_once;
}

static int timeout_ms(struct session *s)
{
	uint64_t t = session_now(s);
	int timeout = note_idle(s, t) ? 1000 : 100;

	/* Notice the end of a command soon. */
	if (s->ended_at && t - s->ended_at < SECOND)
		timeout = 10;
	return timeout_until(timeout, s->due, t);
}

static void wait_for_more(struct session *s)
{
	struct pollfd fds[] = {
		{ s->signals, POLLIN, 0 },
		{ -1, POLLIN, 0 },
		{ -1, POLLIN, 0 },
		{ s->plain_file ? -1 : proclife_source_fd(s->run.source), POLLIN, 0 },
	};
	int of_screen[2];

	if (s->live) {
		live_fds(s->live, of_screen);
		fds[1].fd = of_screen[0];
		fds[2].fd = of_screen[1];
	}
	poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms(s));
	/* Perhaps for a record that is beyond the horizon yet. Programs' descriptor is readable all the time: never idle. */
	s->came |= fds[3].revents != 0;
	session_take_signals(s);
	/* The terminal is gone, and SIGHUP is ignored. */
	if (s->live && fds[1].revents & (POLLHUP | POLLERR | POLLNVAL) && !s->stop) {
		s->stop = STOP_SIGNAL;
		s->run.ended = proclife_source_horizon(s->run.source);
	}
}

/* Up to where time has passed, even if nothing happened; a recording ends with its last event. */
static uint64_t fed_until(const struct session *s)
{
	uint64_t horizon = proclife_source_horizon(s->run.source);

	return s->replay ? 0 : horizon < s->stop_at ? horizon : s->stop_at;
}

static int loop(struct session *s)
{
	int ret;

	for (;;) {
		ret = drain(s);
		if (ret || s->stop)
			return ret;
		session_flush(s);
		look_after(s, fed_until(s));
		if (s->write_error || s->stop)
			return 0;
		if (s->replay && !s->live) { /* it is still looking for readable data in a damaged stream */
			session_take_signals(s);
			continue;
		}
		if (is_pointless(s)) {
			s->stop = STOP_SOURCE;
			s->run.ended = proclife_source_horizon(s->run.source);
			return 0;
		}
		if (proclife_source_horizon(s->run.source) >= s->stop_at ||
		    (s->stop_at != UINT64_MAX && session_now(s) >= s->give_up_at)) {
			s->stop = s->stop_then;
			s->run.ended = s->stop_at;
			return 0;
		}
		end_of_command(s);
		if (s->stop)
			return 0;
		wait_for_more(s);
	}
}

/* Is something shown before the end? */
static bool shows_meanwhile(const struct session *s)
{
	return s->streaming || s->live || s->triggers.count || options_repeat(s->run.options);
}

/* Progress is shown on a terminal to which nothing else is written: no command, and no lines of ours. */
static void begin_progress(struct session *s)
{
	const struct options *options = s->run.options;

	if (!message_on_terminal() || options->json || options->command || is_background(options) ||
	    (shows_meanwhile(s) && !options->export.output && isatty(STDOUT_FILENO)))
		return;
	session_add_stage(s, &progress_stage, &s->progress);
	progress_begin(&s->progress, &s->run, session_now(s), s->replay ? s->replay->records : 0);
}

static int follow_and_print(struct session *s)
{
	const struct options *options = s->run.options;
	struct proclife_run_info run;
	size_t i;
	int ret;

	if (options->command) {
		ret = session_start_command(s);
		if (ret)
			return ret;
	} else if (!s->replay && !shows_meanwhile(s) && !is_background(options) && !options->duration &&
		   !options->count && message_on_terminal()) {
		message("following %s; Ctrl-C stops and prints the result",
			options->pids.count ? "--pid" : "all processes");
	}
	if (options->json)
		json_trace(&s->run);
	begin_progress(s);
	if (s->live && !live_begin(s->live))
		return STATUS_ERROR;
	ret = loop(s);
	progress_end(&s->progress); /* its line is gone before others are printed */
	if (ret)
		return ret;
	if (s->write_error)
		s->run.ended = proclife_source_horizon(s->run.source);
	for (i = 0; i < s->stage_count; i++)
		if (s->stages[i].stage->finish)
			s->stages[i].stage->finish(s->stages[i].data);
	if (!s->write_error) {
		session_close(s);
		if (session_merge(s)) /* it has printed a message */
			return STATUS_ERROR;
	}
	run = session_recorded(s);
	record_finish(&s->record, &run, !options->views[0]);
	if (!s->write_error)
		session_print(s);
	record_compress(&s->record);
	session_wait_for_commands(s);
	return 0;
}

static void close_session(struct session *s)
{
	const struct view *const *views = s->run.options->views;
	size_t i;

	for (i = 0; i < s->stage_count; i++)
		if (s->stages[i].stage->free)
			s->stages[i].stage->free(s->stages[i].data);
	json_free(&s->json);
	for (i = 0; views[i]; i++)
		if (views[i]->free)
			views[i]->free(s->states[i]);
	proclife_latency_free(s->run.latency);
	proclife_latency_free(s->run.whole);
	proclife_latency_free(s->run.programs);
	pids_free(&s->run);
	proclife_cgroups_free(s->run.cgroups);
	proclife_users_free(s->run.users);
	proclife_tasks_free(s->run.tasks);
	proclife_source_free(s->run.source);
	for (i = 0; i < s->other_count; i++)
		recording_latency_free(&s->others[i]);
	free(s->others);
	watch_end(&s->watch);
	if (s->signals >= 0)
		close(s->signals);
}

static const char *name_of_source(const struct session *s)
{
	const struct options *options = s->run.options;

	return s->replay ? options->inputs.all[0] : source_name(options);
}

static int session_go(struct session *s)
{
	const struct request *request = s->run.options->requests[0];
	int ret;

	if (request && request->print_source)
		return request->print_source(&s->run) ? STATUS_ERROR : session_finish_output(s);
	ret = session_prepare(s);
	if (!ret && session_prepare_record(s)) /* it has printed a message */
		return STATUS_ERROR;
	if (!ret)
		ret = follow_and_print(s);
	if (ret > 0) /* the command could not be executed, after a message */
		return ret;
	if (ret < 0) {
		if (ret != -EXDEV && ret != -ESRCH)
			diagnose_read(ret, name_of_source(s));
		return STATUS_ERROR;
	}
	ret = session_finish_output(s);
	return ret ? ret : session_verdict(s);
}

static int run_once(const struct options *options, const struct screen *screen, struct live *live,
		    struct replacement *output)
{
	struct session s = {
		.run = { .options = options, .screen = screen, .json = &s.json, .open_source = source_open },
		.intervals = { .run = &s.run, .states = s.states, .triggers = &s.triggers },
		.live = live,
		.output = output,
		.signals = -1,
		.stop_at = UINT64_MAX,
	};
	int ret;

	json_init(&s.json, screen->out);
	if (session_open_source(&s))
		return STATUS_ERROR;
	session_list_stages(&s);
	ret = session_go(&s);
	close_session(&s);
	return ret;
}

static int run_live(const struct options *options)
{
	struct live *live = live_new(options, range_moment);
	int ret;

	if (!live)
		return STATUS_ERROR;
	do {
		ret = run_once(options, live_screen(live), live, NULL);
	} while (live_restarts(live));
	live_free(live);
	return ret;
}

static int run_to_file(const struct options *options, struct screen screen)
{
	struct replacement output;
	int ret;

	if (export_open(&output, "--output", options->export.output, options))
		return STATUS_ERROR;
	screen.out = output.file;
	ret = run_once(options, &screen, NULL, &output);
	replace_abandon(&output);
	return ret;
}

int session_run(const struct options *options, const struct screen *screen)
{
	/* glibc heeds the size of a buffer only where it is given the buffer, too. */
	static char output[1 << 16];

	if (options->views[0] && options->views[0]->is_screen)
		return run_live(options);
	if (options->export.output)
		return run_to_file(options, *screen);
	setvbuf(screen->out, output, _IOFBF, sizeof(output));
	return run_once(options, screen, NULL, NULL);
}
