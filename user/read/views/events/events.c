// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line per record: time, CPU, event, pid, name, details. The pid is "tid/tgid" for a thread
 * that does not lead its group. It stands before the name, which can hold spaces, so that the
 * fields before the name can be counted.
 */
#include "output/message.h"
#include "output/quote.h"
#include "output/quoted.h"
#include "views/events/events.h"
#include "views/share/when.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_COLUMNS 6
#define NAME_COLUMNS 15

struct events {
	struct run *run;
	struct text line;
	struct text pid;
	struct event_json *json; /* NULL: as text */
	int64_t day;
	unsigned int pid_columns; /* grows with the widest one so far */
};

/* Are only records about some tasks shown? A range selects none. */
static bool selects(const struct run *run)
{
	return run->options->pids.count || run->options->command || filter_is_set(&run->options->filter);
}

static bool is_of_command(const struct run *run)
{
	const struct proclife_run_info *recorded = proclife_recording_info(run->source);

	return recorded && recorded->command;
}

static void say_absent(const struct run *run, unsigned int type)
{
	const char *name = proclife_type_name(type), *parameter = type_parameter(type);
	bool live = !proclife_recording_info(run->source);
	const char *more = live ? "; see --status" : "";

	if (parameter && live && proclife_source_header(run->source)->source == PROCLIFE_SOURCE_BPF)
		message("--events=%s: none is recorded; --status says why", name);
	else if (parameter)
		message("--events=%s: none %s recorded: load the module with %s=%s%s", name, live ? "is" : "was",
			parameter, type == PROCLIFE_ARGS ? "512" : "Y", more);
	else
		message("--events=%s: none %s recorded: the kernel does not offer them%s", name,
			live ? "is" : "was", more);
}

/* What is asked for, and cannot come. */
static void say_vain(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	uint64_t asked = run->options->events & ~TYPES_OF_BEFORE &
			 ~PROCLIFE_HAS(PROCLIFE_SUPPRESSED);
	unsigned int type;

	for (type = 0; header && type < PROCLIFE_TYPES; type++)
		if (asked & ~header->features & PROCLIFE_HAS(type))
			say_absent(run, type);
	if (asked & PROCLIFE_HAS(PROCLIFE_CGROUP) && is_of_command(run))
		message("--events=cgroup: %s is of a command, and a record of a cgroup is about no task: none is shown; record without a command",
			quoted(run->options->inputs.all[0]));
}

static int begin(struct run *run, void **state)
{
	struct events *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	if (run->options->json) {
		e->json = event_json_new(run->json);
		if (!e->json) {
			free(e);
			return -ENOMEM;
		}
	}
	e->run = run;
	e->pid_columns = 7;
	text_init(&e->line, run->screen);
	text_init(&e->pid, run->screen);
	*state = e;
	say_vain(run);
	return 0;
}

static void end(void *state)
{
	struct events *events = state;

	if (!events)
		return;
	text_free(&events->line);
	text_free(&events->pid);
	event_json_free(events->json);
	free(events);
}

static void find_name(struct proclife_tasks *tasks, uint64_t handle, struct name *name)
{
	const struct proclife_task *task = handle ? proclife_tasks_find(tasks, handle) : NULL;

	name->known = task;
	if (task)
		memcpy(name->comm, task->comm, PROCLIFE_COMM_LEN);
}

/* A phase that ends with this record, as the library measures it. */
static void look_up_phase(const struct proclife_marks *marks, enum proclife_phase phase,
			  struct before *before)
{
	before->known[phase] = proclife_marks_phase(marks, phase, &before->phases[phase]);
}

/* Sets what the record's type needs, and that the others are not known. */
static void look_up(struct events *events, const struct proclife_record *r, struct before *before)
{
	struct proclife_tasks *tasks = events->run->tasks;
	const struct proclife_task *task;
	struct proclife_marks marks;

	memset(before->known, 0, sizeof(before->known));
	before->threaded = false;
	before->process = NULL;
	if (r->type == PROCLIFE_FORK) {
		find_name(tasks, r->fork.parent, &before->parent);
		find_name(tasks, r->fork.creator, &before->creator);
		return;
	}
	if (r->type != PROCLIFE_EXIT && r->type != PROCLIFE_FREE)
		return;
	task = proclife_tasks_find(tasks, r->task);
	if (!task)
		return;
	before->threaded = task->process && task->process->threads > 1;
	marks = task->marks;
	if (r->type == PROCLIFE_EXIT) {
		marks.exited = run_has_exiting(events->run) ? task->exiting : r->ts;
		look_up_phase(&marks, PROCLIFE_LIFE, before);
	} else {
		marks.freed = r->ts;
		look_up_phase(&marks, PROCLIFE_EXIT_FREE, before);
		look_up_phase(&marks, PROCLIFE_RCU_FREE, before);
	}
}

/* The time of a line has no date. */
static void show_day(struct events *events, uint64_t ts)
{
	struct text *line = &events->line;

	if (!when_is_new_day(events->run, ts, &events->day))
		return;
	text_style(line, STYLE_DIM);
	text_string(line, "-- ");
	text_when_title(line, events->run, ts);
	text_string(line, " --");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_record(struct events *events, const struct proclife_record *r,
			const struct before *before)
{
	struct text *line = &events->line;
	struct text *pid = &events->pid;
	unsigned int column;
	char unknown[16];

	show_day(events, r->ts);
	text_when(line, events->run, r->ts, 6);
	text_string(line, " ");
	text_uint_in(line, 3, r->cpu);
	text_string(line, " ");
	text_hang(line);
	column = line->columns;
	if (r->type == PROCLIFE_HANG)
		text_style(line, STYLE_BAD);
	text_string(line, type_text(r->type, unknown));
	if (r->type == PROCLIFE_HANG)
		text_style(line, STYLE_PLAIN);

	text_clear(pid);
	if (r->task)
		text_event_pid(pid, r->pid, r->tgid);
	else
		text_string(pid, "-");
	if (pid->columns > events->pid_columns)
		events->pid_columns = pid->columns;
	/* The few types with longer names take what a short pid, or a short name, leaves free. */
	text_string(line, " ");
	column += TYPE_COLUMNS + 1 + events->pid_columns;
	text_pad(line, column - pid->columns);
	text_string(line, pid->s);
	text_string(line, " ");
	text_comm(line, r->comm);
	text_pad(line, column + 1 + NAME_COLUMNS);
	text_string(line, "  ");
	text_event_details(line, r, before);
	text_line(line);
}

static void show_gap(struct events *events, const struct proclife_gap *gap)
{
	char from[WHEN_SIZE], to[WHEN_SIZE], where[24] = "of the snapshot";
	struct text *line = &events->line;

	when_text(events->run, gap->from, from);
	when_text(events->run, gap->to, to);
	text_style(line, gap->lost ? STYLE_BAD : STYLE_DIM);
	if (gap->cpu == PROCLIFE_CPU_ALL)
		strcpy(where, "of all CPUs");
	else if (gap->cpu != PROCLIFE_CPU_SNAPSHOT)
		snprintf(where, sizeof(where), "%s CPU %u", gap->lost ? "on" : "of", gap->cpu);
	if (gap->lost) {
		text_string(line, gap->cpu == PROCLIFE_CPU_ALL ? "-- a part is missing: " : "-- ");
		text_plural(line, gap->lost, "record", "records");
		text_printf(line, " lost %s between %s and %s --", where, from, to);
	} else if (gap->from) {
		text_printf(line, "-- the history %s was overwritten between %s and %s before it could be read --",
			    where, from, to);
	} else {
		text_printf(line, "-- the history %s begins at %s; what is older was overwritten --", where, to);
	}
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_suppressed(struct events *events, const struct proclife_record *r)
{
	const struct proclife_suppressed *s = &r->suppressed;
	const char *what = proclife_type_name(s->what);
	struct text *line = &events->line;
	char since[WHEN_SIZE];

	text_style(line, STYLE_WARN);
	if (s->what == PROCLIFE_NONE)
		text_printf(line, "-- recording on CPU %u ", r->cpu);
	else
		text_printf(line, "-- %s on CPU %u ", what ?: "records", r->cpu);
	if (s->what == PROCLIFE_NONE)
		text_string(line, s->ended ? "started again: it was stopped since " : "stopped, since ");
	else if (s->ended)
		text_printf(line, "no longer suppressed: %llu were since ",
			    (unsigned long long)s->count);
	else
		text_string(line, "suppressed, over the module's budget, since ");
	if (s->since)
		text_printf(line, "%s --", when_text(events->run, s->since, since));
	else /* it had begun before we came */
		text_string(line, "before this begins --");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_cgroup(struct events *events, const struct proclife_record *r)
{
	struct text *line = &events->line;
	char when[WHEN_SIZE];

	text_style(line, STYLE_DIM);
	text_printf(line, "-- at %s, cgroup %llu %s --", when_text(events->run, r->ts, when),
		    (unsigned long long)r->cgroup.cgroup,
		    r->cgroup.populated ? "got its first task" : "lost its last task");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

/* A record that is about no task. */
static void show_headless(struct events *events, const struct proclife_record *r)
{
	bool cgroup = r->type == PROCLIFE_CGROUP;

	if (events->json && cgroup)
		event_json_cgroup(events->json, r, proclife_cgroups_path(events->run->cgroups,
									 r->cgroup.cgroup));
	else if (events->json)
		event_json_suppressed(events->json, r);
	else if (cgroup)
		show_cgroup(events, r);
	else
		show_suppressed(events, r);
}

/* The phases between exit and reap. */
static void look_up_reap(const struct proclife_record *r, const struct proclife_task *task,
			 struct before *before)
{
	static const enum proclife_phase phases[] = { PROCLIFE_TEARDOWN, PROCLIFE_TRACED, PROCLIFE_ZOMBIE };
	size_t i;

	if (r->flags & PROCLIFE_F_THREAD) {
		look_up_phase(&task->marks, PROCLIFE_ZOMBIE, before);
		return;
	}
	for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		before->known[phases[i]] = proclife_process_phase(task->process, phases[i],
								  &before->phases[phases[i]]);
}

/* Is this more than a piece of something that is shown with its last one? */
static bool look_up_after(struct proclife_tasks *tasks, const struct proclife_record *r,
			  struct before *before)
{
	const struct proclife_args *args = &r->args;
	const struct proclife_task *task;

	if (r->type != PROCLIFE_ARGS && r->type != PROCLIFE_PATH && r->type != PROCLIFE_REAP &&
	    !(r->type == PROCLIFE_EXIT && r->flags & PROCLIFE_F_GROUP_DEAD))
		return true;
	task = proclife_tasks_find(tasks, r->task);
	if (r->type == PROCLIFE_REAP) {
		if (task)
			look_up_reap(r, task, before);
		return true;
	}
	before->process = task ? task->process : NULL;
	if (r->type == PROCLIFE_PATH)
		return task && (r->flags & PROCLIFE_F_TRUNCATED || r->path.offset + r->path.len >= r->path.total);
	return r->type != PROCLIFE_ARGS ||
	       (task && (r->flags & PROCLIFE_F_TRUNCATED ||
			 (uint64_t)args->offset + args->len >= args->total));
}

/* A gap is always wanted: whatever is chosen could have been in it. */
static bool is_wanted(const struct run *run, const struct proclife_event *event)
{
	const struct proclife_record *r = event->record;

	if (!r)
		return overlaps_range(run, event->gap.from, event->gap.to);
	return is_in_range(run, r->ts) &&
	       (!run->options->events ||
		(r->type < PROCLIFE_TYPES && run->options->events & PROCLIFE_HAS(r->type)));
}

static int feed(void *state, const struct proclife_event *event)
{
	struct events *events = state;
	struct run *run = events->run;
	const struct proclife_record *r = event->record;
	struct before before;
	int ret;

	if (r)
		look_up(events, r, &before);
	ret = proclife_tasks_feed(run->tasks, event);
	if (!ret && r && r->type == PROCLIFE_CGROUP)
		ret = !selects(run) && !is_of_command(run);
	if (ret <= 0 || !is_wanted(run, event))
		return ret < 0 ? ret : 0;
	if (!r) {
		if (events->json)
			event_json_gap(events->json, &event->gap);
		else
			show_gap(events, &event->gap);
		return 0;
	}
	if (r->type == PROCLIFE_SUPPRESSED || r->type == PROCLIFE_CGROUP) {
		show_headless(events, r);
		run->shown++;
		return 1;
	}
	if (!look_up_after(run->tasks, r, &before))
		return 0;
	if (events->json)
		event_json_record(events->json, r, &before);
	else if (!is_of_before(r))
		show_record(events, r, &before);
	run->shown += !is_of_before(r);
	return !is_of_before(r);
}

static bool streams(const struct options *options)
{
	(void)options;
	return true;
}

const struct view view_events = {
	.request = {
		.name = "events",
		.argument = { "TYPE", FILLS(CHOICES, events), .choice = choice_event, .least = 1, .may_lack = true },
		.help = "One line per record, in order",
		.takes = OF_TRACE,
		.range = RANGE_OF_RECORDS,
	},
	.counts = true,
	.has_cgroups = true,
	.streams = streams,
	.begin = begin,
	.feed = feed,
	.free = end,
};
