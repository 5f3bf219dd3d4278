// SPDX-License-Identifier: GPL-2.0-only
/* What comes after the last record: the results, and the messages about them. */
#include "output/format.h"
#include "output/message.h"
#include "output/quoted.h"
#include "session/matched.h"
#include "session/recording_latency.h"
#include "session/replay.h"
#include "session/session_state.h"
#include "origin/ftrace.h"
#include "origin/open.h"
#include "views/share/rcu.h"
#include "views/share/when.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const stop_names[] = {
	"", "gone", "duration", "count", "signal", "end", "lost", "left", "cut", "running",
};

static const char *reason(const struct session *s)
{
	return s->stop == STOP_RECORDED ? s->replay->reason : stop_names[s->stop];
}

/* What the recording keeps so that a replay ends as the recorded run did. */
struct proclife_run_info session_recorded(const struct session *s)
{
	struct proclife_run_info run = {
		.size = sizeof(run),
		.began = s->run.began,
		.ended = s->run.ended,
		.command = s->run.command,
		.command_creator = s->run.command ? getpid() : 0,
		.command_status = s->follow.ended ? s->follow.status : -1,
	};

	rcu_describe(run.rcu, sizeof(run.rcu));
	snprintf(run.reason, sizeof(run.reason), "%s", reason(s));
	return run;
}

static void json_finish(struct session *s)
{
	struct json *json = s->run.json;

	if (s->replay)
		json_damage(json, s->run.source, s->run.options->inputs.all[0]);
	json_line(json, "end");
	json_uint(json, "ts", s->run.ended);
	json_string(json, "reason", reason(s));
	json_uint(json, "lost", s->run.lost);
	json_suppressed(json, &s->run);
	if (matched_is_limited(&s->run) || pids_can_lack(&s->run))
		json_uint(json, "unjudged", s->run.matched.unjudged);
	if (s->follow.ended)
		json_uint(json, "status", s->follow.status);
	else if (s->replay && s->stop != STOP_SIGNAL && s->replay->command_status >= 0)
		json_uint(json, "status", s->replay->command_status);
	json_line_end(json);
}

/* Are deaths sorted by a time that depends on where exits begin? */
static bool ranks_by_exits(const struct run *run)
{
	const struct proclife_phase_info *info;
	enum sort_key sort = run->options->sort;

	if (sort < SORT_PHASES)
		return sort == SORT_LIFE || sort == SORT_ALONE;
	info = proclife_phase_info(sort_phase(sort));
	return !strcmp(info->from, "exit") || !strcmp(info->to, "exit");
}

static const char *zombie_place(const struct run *run)
{
	return run_has_notify(run) ? "when their parents are notified" : exit_mark_place(proclife_source_header(run->source));
}

/* If exits or zombies begin at different places, a sum of times would mean nothing, nor would a rank. */
static bool can_be_added(const struct session *s, const struct recording_latency *other)
{
	const struct run *run = &s->run;
	bool by_zombies = run->options->sort >= SORT_PHASES && sort_phase(run->options->sort) == PROCLIFE_ZOMBIE;
	const char *what = "exits", *a = exit_mark_place(proclife_source_header(run->source));
	const char *b = exit_mark_place(proclife_source_header(other->run.source));

	if (!(run->latency || ranks_by_exits(run)) || !strcmp(a, b)) {
		what = "zombies";
		a = zombie_place(run);
		b = zombie_place(&other->run);
		if (!(run->latency || by_zombies) || !strcmp(a, b))
			return true;
	}
	message("%s and %s cannot be %s: %s begin %s in the one, %s in the other; show each alone",
		quoted(run->options->inputs.all[0]), quoted(other->dir), run->latency ? "added up" : "ranked together",
		what, a, b);
	return false;
}

static void add_suppressed(struct run *to, const struct run *run)
{
	size_t type;

	if (run->stopped.times) { /* of which one, their times of day show */
		to->stopped.since = run->stopped.since;
		to->stopped.until = run->stopped.until;
	}
	to->stopped.times += run->stopped.times;
	for (type = 0; type < PROCLIFE_TYPES; type++)
		add_count(&to->suppressed[type], run->suppressed[type]);
}

/* Adds what it measured to the whole. Returns 0 or a negative errno. */
static int add(struct session *s, struct recording_latency *other)
{
	int ret = can_be_added(s, other) ? measure_merge(&s->run, &other->run) : -EINVAL;

	if (ret == -ENOMEM)
		die_no_memory();
	s->run.lost += other->run.lost;
	add_suppressed(&s->run, &other->run);
	matched_add(&s->run, &other->run);
	if (s->run.options->json)
		json_damage(s->run.json, other->run.source, other->dir);
	s->run.damaged += other->run.damaged;
	s->others_cut |= other->cut;
	return ret;
}

int session_merge(struct session *s)
{
	const struct words *inputs = &s->run.options->inputs;
	struct recording_latency *other;
	int ret = 0;
	size_t i;

	if (inputs->count < 2)
		return 0;
	s->others = calloc(inputs->count, sizeof(*s->others));
	if (!s->others)
		die_no_memory();
	for (i = 1; !ret && i < inputs->count; i++) {
		other = &s->others[s->other_count];
		ret = recording_latency_open(other, &s->run, inputs->all[i]);
		if (ret)
			break;
		other->run.number = i + 1;
		if (s->run.options->json)
			json_trace(&other->run);
		ret = recording_latency_begin(other, s->run.options->by, s->states);
		if (!ret)
			ret = recording_latency_read(other, s->states);
		if (ret)
			break;
		s->other_count++;
		ret = add(s, other);
	}
	return ret;
}

void session_close(struct session *s)
{
	const struct view *const *views = s->run.options->views;
	int ret;
	size_t i;

	for (i = 0; views[i]; i++)
		if (views[i]->print_open)
			views[i]->print_open(&s->run, s->states[i]);
	if (options_expect(s->run.options, EXPECT_LEFT) && !s->run.options->json &&
	    !s->run.options->expect.form)
		leftovers_print(&s->run);
	ret = proclife_tasks_close(s->run.tasks);
	if (ret)
		message("the end of the trace: %s", strerror(-ret));
}

void session_print(struct session *s)
{
	const struct view *const *views = s->run.options->views;
	size_t i;

	for (i = 0; views[i]; i++) {
		if (!views[i]->print || options_repeat(s->run.options))
			continue;
		if (i && !s->run.options->json && !views[i]->writes_file)
			fputc('\n', s->run.screen->out);
		views[i]->print(&s->run, s->states[i]);
	}
	if (s->run.options->expect.count)
		verdict_print(&s->run);
	if (s->run.options->json)
		json_finish(s);
}

static void say_lost(const struct session *s)
{
	if (s->replay && s->run.lost > s->run.damaged)
		message("%" PRIu64 " %s lost when this was recorded: the result is incomplete",
			s->run.lost - s->run.damaged,
			plural(s->run.lost - s->run.damaged, "record was", "records were"));
	else if (s->run.lost && !s->replay)
		message("%" PRIu64 " %s lost: the result is incomplete; %s", s->run.lost,
			plural(s->run.lost, "record was", "records were"),
			!source_is_bpf() ? "load the module with a larger ring_kb" :
			s->skipped == s->run.lost ? "the kernel skipped BPF programs, which the module avoids, or a CPU was added after "
						    "--load: then --unload and --load" :
			source_is_pinned() ? "--unload, and --load with --source=bpf,ring_kb=8192, makes the rings larger" :
					     "--source=bpf,ring_kb=8192 makes the rings larger, or load the module");
}

/* Programs at functions are attached, but do not run: nobody counts what they miss. */
static bool is_blind(const struct session *s)
{
	return source_is_bpf() && proclife_source_header(s->run.source)->features & TYPES_AT_FUNCTIONS && ftrace_is_off();
}

/* This is no loss, but a user who looks for a life there should know. */
static void say_history(const struct session *s)
{
	char first[WHEN_SIZE], latest[WHEN_SIZE];

	/* --zombies looks back by itself. */
	if (!s->history.cpus || (s->feeding && !options_export(s->run.options)) || (!s->run.options->history && !s->replay))
		return;
	when_text(&s->run, s->history.first, first);
	when_text(&s->run, s->history.latest, latest);
	if (s->history.cpus == 1)
		message("the history of CPU %u begins at %s; what is older was overwritten",
			s->history.cpu, latest);
	else
		message("the history of %u CPUs begins between %s and %s (CPU %u); what is older was overwritten",
			s->history.cpus, first, latest, s->history.cpu);
}

/* This is no loss: the module is meant to do that. But it means that some events are missing. */
static void say_suppressed(const struct session *s)
{
	const uint64_t *n = s->run.suppressed;

	if (n[PROCLIFE_WAIT] || n[PROCLIFE_RENAME] || n[PROCLIFE_SIGNAL])
		message("%" PRIu64 " %s, %" PRIu64 " %s and %" PRIu64 " %s were suppressed by the module's budget; see proclife(4)", n[PROCLIFE_WAIT], plural(n[PROCLIFE_WAIT], "wait", "waits"),
			n[PROCLIFE_RENAME], plural(n[PROCLIFE_RENAME], "rename", "renames"),
			n[PROCLIFE_SIGNAL], plural(n[PROCLIFE_SIGNAL], "signal", "signals"));
	for (uint32_t type = PROCLIFE_SUPPRESSED + 1; type < PROCLIFE_TYPES; type++)
		if (n[type] && proclife_type_name(type))
			message("%" PRIu64 " %s %s suppressed by the module's budget; see proclife(4)",
				n[type], proclife_type_name(type), plural(n[type], "record was", "records were"));
	for (uint32_t type = 0; type < PROCLIFE_TYPES; type++) {
		uint64_t cpus = s->run.suppressing[type];

		if (cpus && proclife_type_name(type))
			message("%s records were still being suppressed on %" PRIu64 " %s at the end, and are not counted",
				proclife_type_name(type), cpus, plural(cpus, "CPU", "CPUs"));
	}
}

/* This is no loss either: root has stopped it. But what happened meanwhile is missing. */
static void say_stopped(const struct session *s)
{
	struct text when;

	if (!s->run.stopped.times)
		return;
	text_init(&when, s->run.screen);
	stopped_text(&when, &s->run);
	if (s->run.stopped.times > 1)
		message("recording was stopped %" PRIu64 " times, the last time %s: what happened meanwhile is not known",
			s->run.stopped.times, when.s);
	else
		message("recording was stopped %s: what happened meanwhile is not known", when.s);
	text_free(&when);
	if (!s->run.stopped.until && !s->replay)
		message("to start it again, write 1 to /sys/module/" MODULE_NAME "/parameters/recording");
}

/* The exit status that follows from the command's. */
static int command_status(const struct session *s)
{
	if (s->follow.ended)
		return s->follow.status;
	if (!s->follow.pid)
		return 0;
	if (message_on_terminal())
		message("the command still runs: pid %d", (int)s->follow.pid);
	return s->stop == STOP_SIGNAL ? 128 + s->killed_by : 0;
}

/* With expectations, the exit status is the verdict's. */
static int judge(const struct session *s, int status)
{
	if (s->follow.ended && s->follow.status)
		message("%s ended with status %d", quoted(s->run.options->command[0]),
			s->follow.status);
	if (verdict_failed(&s->run))
		return STATUS_FAILED;
	/* A part of a run can meet expectations that the whole run would not. */
	if (s->follow.pid && !s->follow.ended) {
		message("%s had not ended: the verdict does not cover all of it",
			quoted(s->run.options->command[0]));
		return STATUS_LOST;
	}
	return status;
}

/* Prints the messages that come last, and returns the exit status. */
int session_verdict(struct session *s)
{
	int status = s->run.lost ? STATUS_LOST : 0;

	if (s->counting)
		s->run.matched.processes += s->run.shown;
	if (!s->unwatched)
		matched_report(&s->run, NULL);
	say_history(s);
	if (s->replay) {
		status = replay_verdict(&s->run, s->replay, s->run.options->inputs.all[0],
					s->stop == STOP_CUT || s->stop == STOP_RUNNING);
		if (s->others_cut)
			status = STATUS_LOST;
		say_lost(s);
		say_suppressed(s);
		say_stopped(s);
		if (s->metrics.error || s->run.failed)
			return STATUS_ERROR;
		return s->run.options->expect.count ? judge(s, status) : status;
	}
	say_lost(s);
	if (is_blind(s)) {
		message("kernel.ftrace_enabled is 0: BPF programs recorded no reap, and nothing else that happens at a function: the "
			"result is incomplete; set it to 1");
		status = STATUS_LOST;
	}
	say_suppressed(s);
	say_stopped(s);
	if (s->record.error || s->metrics.error || s->run.failed)
		return STATUS_ERROR;
	if (s->stop == STOP_SOURCE && s->follow.pid && !s->run.lost) {
		message("%s: the start of this command was not recorded", quoted(s->run.options->command[0]));
		return STATUS_ERROR;
	}
	if (s->run.options->expect.count)
		return judge(s, status);
	return command_status(s) ?: status;
}

void session_wait_for_commands(struct session *s)
{
	const struct reaction *reaction = &s->triggers.reaction;
	struct pollfd fd = { s->signals, POLLIN, 0 };
	uint64_t unexecuted;

	session_flush(s);
	while (reaction_is_busy(reaction) && !s->killed_by) {
		poll(&fd, 1, -1);
		session_take_signals(s);
	}
	unexecuted = reaction->unexecuted + reaction->waiting_count;
	if (unexecuted)
		message("--exec: in all, %" PRIu64 " %s it was not executed", unexecuted,
			plural(unexecuted, "time", "times"));
}

void session_flush(struct session *s)
{
	FILE *out = s->run.screen->out;

	errno = 0;
	if ((fflush(out) || ferror(out)) && !s->write_error)
		s->write_error = errno ? errno : EIO;
}

static int finish_file(struct session *s)
{
	bool appends = !s->output->beside;
	int ret = replace_end(s->output);

	if (!ret)
		return 0;
	message("--output %s: %s; %s%s", quoted(s->run.options->export.output), strerror(-ret), appends ?
		"what is written there ends here" : "nothing has been written there",
		replace_is_full(ret) ? "; make room" : "");
	return STATUS_ERROR;
}

int session_finish_output(struct session *s)
{
	session_flush(s);
	if (s->output)
		return finish_file(s);
	if (s->write_error == EPIPE)
		return -SIGPIPE;
	if (!s->write_error)
		return 0;
	message("standard output: %s", strerror(s->write_error));
	return STATUS_ERROR;
}
