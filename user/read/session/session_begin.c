// SPDX-License-Identifier: GPL-2.0-only
/* What comes before the first record: the selection, the snapshot, the command. */
#include "output/format.h"
#include "output/message.h"
#include "output/quoted.h"
#include "origin/diagnose.h"
#include "origin/open.h"
#include "session/matched.h"
#include "session/pids.h"
#include "session/range.h"
#include "session/recording_latency.h"
#include "session/replay.h"
#include "session/session_state.h"
#include "views/share/when.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_kernel(struct session *s)
{
	int ret = source_open(&s->run.source, s->run.options);

	s->run.pinned = source_is_pinned();
	return ret;
}

int session_open_source(struct session *s)
{
	const struct options *options = s->run.options;
	int ret;

	if (!options->inputs.count)
		return open_kernel(s);
	ret = options->inputs.count > 1 ? replay_check_distinct(&options->inputs) : 0;
	if (!ret)
		ret = replay_open(&s->run.source, options->inputs.all[0]);
	if (ret)
		return ret;
	s->replay = proclife_recording_info(s->run.source);
	s->run.number = options->inputs.count > 1;
	s->run.recorded_rcu = s->replay->rcu;
	return 0;
}

void session_add_stage(struct session *s, const struct stage *stage, void *data)
{
	s->stages[s->stage_count++] = (struct active_stage){ stage, data };
}

/*
 * All stages but progress, which is added last, if it is shown. At its end, an interval has the triggers print what is
 * due until then, and prints its sums; so triggers come after intervals. What writes files comes after what prints.
 *
 * The views are no stages: most of them get reports of the tasks, and no events.
 */
void session_list_stages(struct session *s)
{
	const struct options *options = s->run.options;

	if (s->live)
		session_add_stage(s, &live_stage, s->live);
	if (options_repeat(options))
		session_add_stage(s, &intervals_stage, &s->intervals);
	if (options->on.count)
		session_add_stage(s, &triggers_stage, &s->triggers);
	if (options->record.dir)
		session_add_stage(s, &record_stage, &s->record);
	if (options->metrics)
		session_add_stage(s, &metrics_stage, &s->metrics);
}

static bool in_initial_namespace(const struct proclife_header *header)
{
	struct stat st;

	return !header || !header->init_pid_ns || stat("/proc/self/ns/pid", &st) ||
	       st.st_ino == header->init_pid_ns;
}

static bool ends_before_range(const struct session *s)
{
	const struct options *options = s->run.options;
	char from[WHEN_SIZE], end[WHEN_SIZE];

	if (!options->duration || s->run.from <= s->run.began ||
	    s->run.from - s->run.began <= options->duration)
		return false;
	message("--from %s, --duration: the trace ends at %s, before the range begins at %s; --to names the end of a range",
		quoted(options->from.text),
		when_text(&s->run, s->run.began + options->duration, end),
		when_text(&s->run, s->run.from, from));
	return true;
}

/* The --pid that asks for a cgroup, if records have to say who was in it; otherwise /proc does. NULL: none. */
static const char *pid_of_cgroup(const struct session *s)
{
	const struct pids *pids = &s->run.options->pids;
	size_t i;

	for (i = 0; session_looks_back(s) && i < pids->count; i++)
		if (pids->all[i].cgroup)
			return pids->all[i].text;
	return NULL;
}

/* Without paths of cgroups, --cgroup would match nothing. */
static int check_cgroups(const struct session *s)
{
	const struct words *wanted = &s->run.options->filter.cgroups;
	const char *pid = pid_of_cgroup(s), *why;

	if ((!wanted->count && !pid) || s->replay || s->plain_file)
		return 0;
	why = why_no_cgroup_paths();
	if (!why)
		return 0;
	message("--%s %s: cgroups have no paths here: %s", wanted->count ? "cgroup" : "pid",
		quoted(wanted->count ? wanted->all[0] : pid), why);
	return -ESRCH;
}

/* A cgroup has a path only while it exists: look it up now, not when the result is shown. */
static void note_cgroup(void *data, struct proclife_process *process)
{
	const struct run *run = data;

	proclife_cgroups_path(run->cgroups, process->cgroup);
}

static void note_born(void *data, struct proclife_process *process,
		      struct proclife_process *parent, struct proclife_process *creator)
{
	(void)parent;
	(void)creator;
	note_cgroup(data, process);
}

static int note_cgroups(struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = note_born,
		.process_gone = note_cgroup,
	};
	const struct view *const *view;
	bool wanted = false;

	for (view = run->options->views; *view; view++)
		wanted |= view_shows_cgroups(*view, run->options);
	if (!wanted)
		return 0;
	return proclife_tasks_report(run->tasks, &reports, run);
}

static int begin_views(struct session *s)
{
	const struct view *const *views = s->run.options->views;
	int ret = 0;
	size_t i;

	for (i = 0; !ret && views[i]; i++) {
		if (views[i]->begin)
			ret = views[i]->begin(&s->run, &s->states[i]);
		if (views[i]->feed) {
			s->feeding = views[i];
			s->feeding_state = s->states[i];
		}
		s->counting |= views[i]->counts;
		s->streaming |= views[i]->streams && views[i]->streams(s->run.options);
	}
	s->counting |= !views[0] && s->run.options->on.count;
	return ret ? ret : measure_begin(&s->run, s->run.options->by);
}

/* The command itself has exited: what it leaves is looked at a given time later. */
static void command_exited(void *data, struct proclife_process *process)
{
	struct session *s = data;
	uint64_t exited = process->marks.exited;

	if (!s->run.command || process->tgid != (uint32_t)s->run.command || !process->selected)
		return;
	if (!exited) /* when that began was lost */
		exited = proclife_source_horizon(s->run.source);
	session_stop_at(s, exited + s->run.options->expect.left_after, STOP_LEFT);
}

static int watch_command(struct session *s)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_exited = command_exited,
	};

	return s->run.options->expect.left_after ? proclife_tasks_report(s->run.tasks, &reports, s) : 0;
}

static int begin_results(struct session *s)
{
	const struct options *options = s->run.options;
	int ret = begin_views(s);

	if (!ret)
		ret = matched_begin(&s->run, s->replay ? options->inputs.all[0] : NULL);
	if (!ret)
		ret = note_cgroups(&s->run);
	if (!ret)
		ret = triggers_begin(&s->triggers, &s->run);
	if (!ret)
		ret = watch_begin(&s->watch, s->run.tasks);
	if (!ret)
		ret = watch_command(s);
	if (!ret && s->live)
		ret = live_attach(s->live, &s->run, s->replay);
	return ret;
}

static int set_watermark(struct session *s)
{
	const struct proclife_header *header = proclife_source_header(s->run.source);
	uint64_t records = 1;

	/* Lines shown one by one have to come at once; for a result at the end, or for programs, batches do. */
	if ((!s->streaming || options_export(s->run.options)) && header)
		records = header->records_per_ring / 4;
	s->watermark = records ? records : 1;
	return proclife_source_set_watermark(s->run.source, s->watermark);
}

static bool shows_now(const struct session *s)
{
	const struct view *const *view;

	for (view = s->run.options->views; *view; view++)
		if ((*view)->request.is_now)
			return true;
	return false;
}

/* Takes the history and the snapshot. */
static int look_around(struct session *s)
{
	int ret = 0;

	if (s->run.options->history || shows_now(s))
		ret = proclife_source_rewind(s->run.source);
	if (!ret && !s->run.options->command) {
		ret = proclife_source_snapshot(s->run.source);
		if (ret == -ENOTTY && s->plain_file) /* a copy of a device, without tasks */
			ret = 0;
		if (ret == -EXDEV)
			message("BPF programs find only the tasks of this PID namespace; run outside of it, or load the module");
	}
	return ret;
}

/* A range that lies in the past needs no waiting for new records. */
static void stop_behind_range(struct session *s)
{
	const struct options *options = s->run.options;
	uint64_t now = session_now(s);
	bool is_past = options->history && options->from.kind && s->run.from <= now &&
		       !options->duration && !options->count;

	if (s->replay)
		return;
	if (s->run.to != UINT64_MAX)
		session_stop_at(s, s->run.to > now ? s->run.to : now, STOP_DURATION);
	else if (is_past)
		session_stop_at(s, now, STOP_DURATION);
}

static int fork_command(struct session *s)
{
	char **command = s->run.options->command;
	int ret = follow_fork(&s->follow, command);

	if (!ret)
		return 0;
	message("cannot fork for %s: %s", quoted(command[0]), strerror(-ret));
	return STATUS_ERROR;
}

int session_prepare(struct session *s)
{
	const struct options *options = s->run.options;
	const struct proclife_header *header = proclife_source_header(s->run.source);
	struct stat st;
	sigset_t set;
	int ret;

	if ((options->command || options->on.exec || (options->pids.count && !s->replay)) &&
	    !in_initial_namespace(header)) {
		message("%s: process IDs differ here from those that are recorded; run %s in the initial PID namespace",
			options->command ? quoted(options->command[0]) : options->on.exec ? "--exec" : "--pid",
			program_invocation_short_name);
		return -EXDEV;
	}
	s->plain_file = !fstat(proclife_source_fd(s->run.source), &st) && S_ISREG(st.st_mode);
	ret = proclife_tasks_new(&s->run.tasks, s->run.source);
	if (!ret)
		ret = range_resolve(&s->run, s->replay);
	if (!ret)
		ret = begin_results(s);
	if (!ret)
		ret = check_cgroups(s);
	if (!ret)
		ret = pids_select(&s->run, session_looks_back(s));
	if (!ret)
		ret = set_watermark(s);
	if (!ret)
		ret = look_around(s);
	if (ret)
		return ret;
	session_signal_set(&set);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signals < 0)
		return -errno;
	s->run.began = s->replay ? s->replay->began : session_now(s);
	if (ends_before_range(s))
		return -ESRCH;
	if (options->duration)
		session_stop_at(s, s->run.began + options->duration, STOP_DURATION);
	if (shows_now(s) && !s->replay)
		session_stop_at(s, session_now(s), STOP_DURATION);
	stop_behind_range(s);
	s->unwatched = !options->views[0] && !options->command && !options->pids.count &&
		       !options->expect.count && !options->metrics && !options->on.count;
	ret = metrics_begin(&s->metrics, &s->run, session_now(s));
	if (ret)
		return ret;
	return options->command ? fork_command(s) : 0;
}

int session_prepare_record(struct session *s)
{
	struct proclife_run_info run;
	int ret;

	s->run.command = s->follow.pid;
	if (s->replay && !s->run.options->pids.count)
		s->run.command = s->replay->command;
	if (!s->run.options->record.dir)
		return 0;
	run = session_recorded(s);
	ret = record_begin(&s->record, &s->run, &run);
	if (ret)
		follow_cancel(&s->follow);
	return ret;
}

int session_start_command(struct session *s)
{
	int ret;

	ret = proclife_tasks_select_child(s->run.tasks, s->run.command, getpid());
	if (ret) {
		follow_cancel(&s->follow);
		return ret;
	}
	return follow_start(&s->follow, s->run.options->command);
}
