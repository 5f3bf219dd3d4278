// SPDX-License-Identifier: GPL-2.0-only
/*
 * One line per record: time, CPU, event, pid, name, details. The pid is "tid/tgid" for a thread
 * that does not lead its group. It stands before the name, which can hold spaces, so that the
 * fields before the name can be counted.
 */
#include "output/quote.h"
#include "views/events.h"
#include "views/when.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 15

struct events {
	struct run *run;
	struct text line;
	struct text pid;
	struct event_json *json; /* NULL: as text */
	int64_t day;
	unsigned int pid_columns; /* grows with the widest one so far */
};

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
		marks.exited = r->ts;
		look_up_phase(&marks, PROCLIFE_LIFE, before);
	} else {
		marks.freed = r->ts;
		look_up_phase(&marks, PROCLIFE_EXIT_FREE, before);
		look_up_phase(&marks, PROCLIFE_RCU_FREE, before);
	}
}

static void show_pid(struct text *line, uint32_t pid, uint32_t tgid)
{
	text_uint(line, pid);
	if (pid == tgid)
		return;
	text_string(line, "/");
	text_uint(line, tgid);
}

static void show_who(struct text *line, const char *comm, uint32_t pid, uint32_t tgid)
{
	text_comm(line, comm);
	text_string(line, " ");
	show_pid(line, pid, tgid);
}

static void show_name(struct text *line, const struct name *name, uint32_t pid, uint32_t tgid)
{
	if (name->known)
		show_who(line, name->comm, pid, tgid);
	else
		show_pid(line, pid, tgid);
}

/* @title: ", zombie ", say; inline, so that its length is known. */
static inline void show_phase(struct text *line, const struct before *before,
			      enum proclife_phase phase, const char *title)
{
	if (!before->known[phase])
		return;
	text_string(line, title);
	text_time(line, before->phases[phase]);
}

static void show_fork(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	const struct proclife_fork *f = &r->fork;
	/* Of a thread, real_parent is the parent of its process: no news. */
	bool parent = f->parent != f->creator && !(r->flags & PROCLIFE_F_THREAD);

	text_string(line, r->flags & PROCLIFE_F_KTHREAD ? "kernel thread by " :
			  r->flags & PROCLIFE_F_WORKER ? "worker by " :
			  r->flags & PROCLIFE_F_THREAD ? "thread by " : "by ");
	show_name(line, &before->creator, f->creator_pid, f->creator_tgid);
	if (parent) {
		text_string(line, ", parent ");
		show_name(line, &before->parent, f->parent_pid, f->parent_tgid);
	}
	if (f->ns_pid != r->pid)
		text_printf(line, ", pid %u in namespace %u", f->ns_pid, f->ns_inum);
}

static void show_exec(struct text *line, const struct proclife_record *r)
{
	const struct proclife_exec *x = &r->exec;

	if (x->path_len > PROCLIFE_PATH_LEN)
		text_string(line, "...");
	text_label(line, x->path, PROCLIFE_PATH_LEN);
	if (x->old_pid != r->pid)
		text_printf(line, ", was pid %u", x->old_pid);
	if (x->uid != x->euid)
		text_printf(line, ", uid %u as %u", x->uid, x->euid);
}

/* The whole vector, with its last piece. */
static void show_args(struct text *line, const struct proclife_process *process)
{
	text_args(line, process->args ? process->args : "", process->args_bytes,
		  process->args_cut, 0);
}

static void show_pair(struct text *line, const char *name, uint64_t a, uint64_t b)
{
	text_string(line, name);
	text_uint(line, a);
	text_string(line, "+");
	text_uint(line, b);
}

static void show_exit(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	const struct proclife_exit *x = &r->exit;
	bool group_dead = r->flags & PROCLIFE_F_GROUP_DEAD;
	uint64_t user, system;

	if (x->exit_code)
		text_style(line, STYLE_BAD);
	text_exit(line, x->exit_code, before->process);
	if (x->exit_code)
		text_style(line, STYLE_PLAIN);
	if (!group_dead) {
		text_string(line, ", ");
		text_uint(line, x->live);
		text_string(line, " of its group alive");
	} else if (before->threaded || r->flags & PROCLIFE_F_THREAD) {
		text_string(line, ", last of its group");
	}
	show_phase(line, before, PROCLIFE_LIFE, ", life ");
	proclife_cputime(x->runtime, x->utime, x->stime, &user, &system);
	text_string(line, ", cpu ");
	text_time(line, x->runtime);
	text_string(line, " (user ");
	text_time(line, user);
	text_string(line, ", sys ");
	text_time(line, system);
	text_string(line, ")");
	if (group_dead && x->max_rss) {
		text_string(line, ", rss ");
		text_size(line, x->max_rss);
	}
	show_pair(line, ", faults ", x->min_flt, x->maj_flt);
	show_pair(line, ", switches ", x->nvcsw, x->nivcsw);
}

static void show_free(struct text *line, const struct proclife_record *r,
		      const struct before *before)
{
	if (before->known[PROCLIFE_EXIT_FREE]) {
		show_phase(line, before, PROCLIFE_EXIT_FREE, "exit_free ");
		show_phase(line, before, PROCLIFE_RCU_FREE, ", rcu_free ");
		text_string(line, ", cpu ");
	} else if (before->known[PROCLIFE_RCU_FREE]) {
		show_phase(line, before, PROCLIFE_RCU_FREE, "rcu_free ");
		text_string(line, ", cpu ");
	} else {
		text_string(line, "cpu ");
	}
	text_time(line, r->free.runtime);
}

static void show_signal(struct text *line, const struct proclife_record *r)
{
	/* PROCLIFE_SIGNAL_*; 0 is "queued" and needs no word */
	static const char *const results[] = { "", ", ignored", ", already pending",
					       ", queue overflow", ", information lost" };
	const struct proclife_signal *s = &r->signal;
	char buffer[24];

	text_string(line, signal_name(s->signo, buffer));
	text_string(line, " from ");
	if (s->sender)
		show_who(line, s->sender_comm, s->sender_pid, s->sender_tgid);
	else
		text_string(line, "an interrupt");
	if (s->to_group)
		text_string(line, ", to the group");
	if (s->result > 0 && s->result < 5)
		text_string(line, results[s->result]);
}

static void show_details(struct text *line, const struct proclife_record *r,
			 const struct before *before)
{
	switch (r->type) {
	case PROCLIFE_FORK:
		show_fork(line, r, before);
		break;
	case PROCLIFE_EXEC:
		show_exec(line, r);
		break;
	case PROCLIFE_ARGS:
		show_args(line, before->process);
		break;
	case PROCLIFE_RENAME:
		text_comm(line, r->comm);
		text_string(line, " -> ");
		text_comm(line, r->rename.name);
		break;
	case PROCLIFE_EXIT:
		show_exit(line, r, before);
		break;
	case PROCLIFE_REAP:
		text_string(line, "by ");
		show_who(line, r->reap.reaper_comm, r->reap.reaper_pid, r->reap.reaper_tgid);
		show_phase(line, before, PROCLIFE_TEARDOWN, ", teardown ");
		show_phase(line, before, PROCLIFE_ZOMBIE, ", zombie ");
		break;
	case PROCLIFE_FREE:
		show_free(line, r, before);
		break;
	case PROCLIFE_WAIT:
		text_string(line, r->wait.wanted ? "for " : "for any child");
		if (r->wait.wanted)
			text_uint(line, r->wait.wanted);
		break;
	case PROCLIFE_HANG:
		text_string(line, "has not run for too long in uninterruptible sleep");
		break;
	case PROCLIFE_SIGNAL:
		show_signal(line, r);
		break;
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
	static const enum style styles[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = STYLE_GOOD, [PROCLIFE_EXEC] = STYLE_NAME,
		[PROCLIFE_EXIT] = STYLE_WARN, [PROCLIFE_HANG] = STYLE_BAD,
		[PROCLIFE_WAIT] = STYLE_DIM,  [PROCLIFE_FREE] = STYLE_DIM,
	};
	struct text *line = &events->line;
	struct text *pid = &events->pid;
	enum style style = r->type < PROCLIFE_TYPES ? styles[r->type] : STYLE_PLAIN;
	unsigned int column;
	char unknown[16];

	show_day(events, r->ts);
	text_when(line, events->run, r->ts, 6);
	text_string(line, " ");
	text_uint_in(line, 3, r->cpu);
	text_string(line, " ");
	column = line->columns;
	if (style != STYLE_PLAIN)
		text_style(line, style);
	text_string(line, type_text(r->type, unknown));
	if (style != STYLE_PLAIN)
		text_style(line, STYLE_PLAIN);
	text_pad(line, column + 6);

	text_clear(pid);
	show_pid(pid, r->pid, r->tgid);
	if (pid->columns > events->pid_columns)
		events->pid_columns = pid->columns;
	text_spaces(line, 1 + events->pid_columns - pid->columns);
	text_string(line, pid->s);
	text_string(line, " ");
	column = line->columns;
	text_comm(line, r->comm);
	text_pad(line, column + NAME_COLUMNS);
	text_string(line, "  ");
	show_details(line, r, before);
	text_line(line);
}

static void show_gap(struct events *events, const struct proclife_gap *gap)
{
	char from[WHEN_SIZE], to[WHEN_SIZE], where[24] = "of the snapshot";
	struct text *line = &events->line;

	when_text(events->run, gap->from, from);
	when_text(events->run, gap->to, to);
	text_style(line, gap->lost ? STYLE_BAD : STYLE_DIM);
	if (gap->cpu != UINT32_MAX)
		snprintf(where, sizeof(where), "on CPU %u", gap->cpu);
	if (gap->lost)
		text_printf(line, "-- %llu record%s lost %s between %s and %s --",
			    (unsigned long long)gap->lost, gap->lost == 1 ? "" : "s", where, from,
			    to);
	else if (gap->from)
		text_printf(line, "-- the history of CPU %u was overwritten between %s and %s "
			    "before it could be read --", gap->cpu, from, to);
	else
		text_printf(line, "-- the history of CPU %u begins at %s; what is older was "
			    "overwritten --", gap->cpu, to);
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_suppressed(struct events *events, const struct proclife_record *r)
{
	const struct proclife_suppressed *s = &r->suppressed;
	const char *what = type_name(s->what);
	struct text *line = &events->line;
	char since[WHEN_SIZE];

	text_style(line, STYLE_WARN);
	text_printf(line, "-- %s on CPU %u ", what ?: "records", r->cpu);
	if (s->ended)
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

/*
 * The reap itself tells who was notified of what: of a process that nobody waits for, the SIGCHLD was
 * for a child that it left behind. And where it can be lost, there is no zombie.
 */
static void look_up_reap(const struct proclife_record *r, const struct proclife_task *task,
			 struct before *before)
{
	enum proclife_phase zombie = PROCLIFE_ZOMBIE, teardown = PROCLIFE_TEARDOWN;

	if (r->flags & PROCLIFE_F_THREAD) {
		look_up_phase(&task->marks, zombie, before);
		return;
	}
	before->known[teardown] = proclife_process_phase(task->process, teardown,
							 &before->phases[teardown]);
	before->known[zombie] = proclife_process_phase(task->process, zombie,
						       &before->phases[zombie]);
}

/* Is this more than a piece of something that is shown with its last one? */
static bool look_up_after(struct proclife_tasks *tasks, const struct proclife_record *r,
			  struct before *before)
{
	const struct proclife_args *args = &r->args;
	const struct proclife_task *task;

	if (r->type != PROCLIFE_ARGS && r->type != PROCLIFE_REAP &&
	    !(r->type == PROCLIFE_EXIT && r->flags & PROCLIFE_F_GROUP_DEAD))
		return true;
	task = proclife_tasks_find(tasks, r->task);
	if (r->type == PROCLIFE_REAP) {
		if (task)
			look_up_reap(r, task, before);
		return true;
	}
	before->process = task ? task->process : NULL;
	return r->type != PROCLIFE_ARGS ||
	       (task && (r->flags & PROCLIFE_F_TRUNCATED ||
			 (uint64_t)args->offset + args->len >= args->total));
}

/* Of a gap, whatever is chosen could have been in it. */
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
	if (ret <= 0 || !is_wanted(run, event))
		return ret < 0 ? ret : 0;
	if (!r) {
		if (events->json)
			event_json_gap(events->json, &event->gap);
		else
			show_gap(events, &event->gap);
		return 0;
	}
	if (r->type == PROCLIFE_SUPPRESSED) {
		if (events->json)
			event_json_suppressed(events->json, r);
		else
			show_suppressed(events, r);
		run->shown++;
		return 1;
	}
	if (!look_up_after(run->tasks, r, &before))
		return 0;
	if (events->json)
		event_json_record(events->json, r, &before);
	else if (r->type != PROCLIFE_TASK) /* no event: what was there when we came */
		show_record(events, r, &before);
	run->shown += r->type != PROCLIFE_TASK;
	return r->type != PROCLIFE_TASK;
}

static bool streams(const struct options *options)
{
	(void)options;
	return true;
}

const struct view view_events = {
	.name = "events",
	.argument = "TYPE",
	.may_lack_argument = true,
	.help = "One line per record, in order",
	.takes = OF_TRACE,
	.range = RANGE_OF_RECORDS,
	.counts = true,
	.streams = streams,
	.begin = begin,
	.feed = feed,
	.free = end,
};
