// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/quoted.h"
#include "triggers/judge.h"
#include "triggers/triggers.h"
#include "views/share/life.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * What fires
 */

static bool has_told_enough(const struct triggers *t)
{
	const struct options *options = t->run->options;

	return options->count && !options->views[0] && t->fired >= options->count;
}

static void tell(struct triggers *t, struct alert *alert)
{
	struct run *run = t->run;

	if (has_told_enough(t))
		return;
	if (alert->ts < t->calm_until) {
		t->suppressed++;
		t->untold++;
		return;
	}
	if (run->options->on.calm && __builtin_add_overflow(alert->ts, run->options->on.calm, &t->calm_until))
		t->calm_until = UINT64_MAX;
	alert->suppressed = t->untold;
	t->untold = 0;
	t->fired++;
	run->shown += !run->options->views[0];
	alert->saved = reaction_to(&t->reaction, alert);
	if (run->options->json)
		alert_json(run, alert);
	else
		alert_print(run, alert, &t->day);
}

static void tell_life(struct triggers *t, struct alert *alert, const struct proclife_process *process)
{
	alert->process = process;
	alert->has_who = true;
	alert->tgid = process->tgid;
	memcpy(alert->comm, process->comm, sizeof(alert->comm));
	tell(t, alert);
}

/* When the first of those fires that have not. */
static uint64_t next_due(const struct triggers *t, const struct proclife_process *process, uint64_t done)
{
	uint64_t first = NEVER, due;
	size_t i;

	for (i = 0; i < t->count; i++) {
		if (done >> i & 1)
			continue;
		due = judge_due(process, &t->conditions[i]);
		first = due < first ? due : first;
	}
	return first;
}

static bool is_held(const struct proclife_process *process)
{
	const struct proclife_memory *memory = proclife_process_memory(process);

	return memory && memory->open && memory->left;
}

/* Something has become of it. @over: nothing more will. */
static void look_at(struct triggers *t, const struct proclife_process *process, bool over)
{
	struct watched *watched = agenda_find(&t->agenda, process->id);
	uint64_t fired = watched ? watched->fired : 0, due;
	size_t i;

	if (watched && watched->own)
		return;
	if (watched && watched->leaving && is_held(process)) {
		agenda_set_held(&t->agenda, watched, watched->leaving);
		watched->leaving = 0;
	}
	for (i = 0; i < t->count; i++) {
		struct alert alert = { .condition = &t->conditions[i], .ts = t->now };

		if (fired >> i & 1 || !judge_holds(process, over, &t->conditions[i], &alert.value))
			continue;
		fired |= 1ULL << i;
		tell_life(t, &alert, process);
	}
	due = over ? NEVER : next_due(t, process, fired | (watched ? watched->spent : 0));
	if (!watched && !fired && due == NEVER)
		return;
	watched = agenda_add(&t->agenda, process);
	watched->fired = fired;
	agenda_set_due(&t->agenda, watched, due);
}

/*
 * The record of what becomes of an address space can be another process's than the one that has left it. Which of its
 * threads was the last one to leave it is known when its parent is notified.
 */
static void look_at_held(struct triggers *t, const struct proclife_record *record,
			 const struct proclife_process *process)
{
	const struct watched *held = agenda_find_held(&t->agenda, record->mm.mm);

	if (process && record->mm.what == PROCLIFE_MM_LEFT)
		agenda_add(&t->agenda, process)->leaving = record->mm.mm;
	else if (held && held->process != process)
		look_at(t, held->process, false);
}

/* The first one of the heap: which of its conditions are met now? */
static void take_due(struct triggers *t)
{
	struct watched *watched = t->agenda.due[0];
	const struct proclife_process *process = watched->process;
	size_t i;

	/* That it was due before can become known only now. */
	t->now = watched->due > t->now ? watched->due : t->now;
	for (i = 0; i < t->count; i++) {
		struct alert alert = { .condition = &t->conditions[i], .ts = t->now, .open = true };
		uint64_t bit = 1ULL << i;

		if ((watched->fired | watched->spent) & bit ||
		    judge_due(process, alert.condition) > watched->due)
			continue;
		if (!judge_concerns(process, alert.condition)) {
			watched->spent |= bit;
			t->spent = true;
			continue;
		}
		watched->fired |= bit;
		alert.value = t->now - judge_since(process, alert.condition, &alert.at_least);
		tell_life(t, &alert, process);
	}
	agenda_set_due(&t->agenda, watched, next_due(t, process, watched->fired | watched->spent));
}

void triggers_until(struct triggers *t, uint64_t ts)
{
	while (t->agenda.due_count && agenda_due(&t->agenda) <= ts)
		take_due(t);
}

/*
 * What happens
 */

/* What --exec started is no reason to execute it again. */
static void born(void *data, struct proclife_process *process, struct proclife_process *parent,
		 struct proclife_process *creator)
{
	struct triggers *t = data;
	const struct watched *of = agenda_find(&t->agenda, creator ? creator->id : parent ? parent->id : 0);

	if ((of && of->own) || (process->creator_tgid == (uint32_t)getpid() &&
				process->tgid != (uint32_t)t->run->command))
		agenda_add(&t->agenda, process)->own = true;
}

static void exiting(void *data, struct proclife_process *process)
{
	look_at(data, process, false);
}

static void exited(void *data, struct proclife_process *process)
{
	look_at(data, process, false);
}

static void linked(void *data, struct proclife_process *process, struct proclife_process *parent)
{
	struct triggers *t = data;

	(void)parent;
	backlog_link(&t->reaction.saving.backlog, process);
}

static void gone(void *data, struct proclife_process *process)
{
	struct triggers *t = data;

	if (t->run->options->on.save)
		backlog_end(&t->reaction.saving.backlog, process, t->record);
	if (!process->outlives && life_memory_follows(process))
		look_at(t, process, false);
}

static void over(void *data, struct proclife_process *process)
{
	struct triggers *t = data;

	if (!process->outlives)
		look_at(t, process, true);
	agenda_forget(&t->agenda, process);
	if (t->run->options->on.save)
		backlog_over(&t->reaction.saving.backlog, process);
}

static const struct proclife_process *process_of(const struct triggers *t, uint64_t handle)
{
	const struct proclife_task *task = proclife_tasks_find(t->run->tasks, handle);

	return task ? task->process : NULL;
}

static void note_fork(struct triggers *t, const struct proclife_record *record,
		      const struct proclife_process *process)
{
	struct burst_fork fork = { .ts = record->ts, .tgid = record->fork.creator_tgid };
	const struct proclife_process *creator = process_of(t, record->fork.creator);
	const struct watched *watched = agenda_find(&t->agenda, process->id);
	size_t i;

	if (watched && watched->own)
		return;
	/* A child is called as its creator is. */
	fork.id = creator ? creator->id : 0;
	memcpy(fork.comm, creator ? creator->comm : record->comm, sizeof(fork.comm));
	fork.comm[sizeof(fork.comm) - 1] = '\0';
	for (i = 0; i < t->count; i++) {
		struct alert alert = { .condition = &t->conditions[i], .ts = t->now, .has_who = true };
		struct burst *burst = &t->bursts[i];
		struct burst_fork most;

		if (t->conditions[i].what != CONDITION_FORKS || !judge_concerns(process, alert.condition) ||
		    !burst_add(burst, &fork))
			continue;
		alert.value = burst->count;
		alert.span = burst_span(burst);
		most = burst_most(burst, &alert.by_most);
		burst_clear(burst);
		alert.tgid = most.tgid;
		memcpy(alert.comm, most.comm, sizeof(alert.comm));
		alert.process = proclife_tasks_holder(t->run->tasks, most.tgid);
		if (alert.process && most.id && alert.process->id != most.id)
			alert.process = NULL; /* its pid is in use again */
		tell(t, &alert);
	}
}

static void note_thread(struct triggers *t, const struct proclife_record *record)
{
	const struct proclife_task *task = proclife_tasks_find(t->run->tasks, record->task);
	const struct watched *watched = task ? agenda_find(&t->agenda, task->process->id) : NULL;
	struct thread_end end;
	size_t i;

	if (!task || (watched && watched->own) || !judge_thread(t->run->tasks, task, record, &end))
		return;
	for (i = 0; i < t->count; i++) {
		struct alert alert = { .condition = &t->conditions[i], .ts = t->now, .value = end.status,
				       .thread = &end };

		if (judge_thread_concerns(task, alert.condition))
			tell_life(t, &alert, task->process);
	}
}

static void note_gap(struct triggers *t, const struct proclife_gap *gap)
{
	size_t i;

	for (i = 0; gap->lost && i < t->count; i++) {
		struct alert alert = { .condition = &t->conditions[i], .ts = t->now };

		if (alert.condition->what != CONDITION_LOST)
			continue;
		add_count(&t->lost[i], gap->lost);
		if (!relation_holds(alert.condition->relation, t->lost[i], alert.condition->bound))
			continue;
		alert.value = t->lost[i];
		t->lost[i] = 0;
		tell(t, &alert);
	}
}

static void triggers_event(void *data, const struct proclife_event *event)
{
	struct triggers *t = data;
	uint64_t ts = event_time(event);

	/* A gap is yielded where it begins, and hides what is up to its end. */
	triggers_until(t, ts);
	t->now = ts;
	t->record = event->record;
}

/* Does more follow from it than from the reports? */
static bool is_telling(const struct triggers *t, const struct proclife_record *record)
{
	switch (record->type) {
	case PROCLIFE_SIGNAL:
		return record->signal.signo == SIGKILL;
	case PROCLIFE_TASK: /* whatever was missing, it is still there */
	case PROCLIFE_FORK:
		return record->pid == record->tgid;
	case PROCLIFE_BIRTH: /* FORKING and EXECING end no phase */
		return record->birth.what == PROCLIFE_BIRTH_STARTED;
	case PROCLIFE_EXEC:
		return t->spent || run_has_births(t->run);
	case PROCLIFE_ARGS:
	case PROCLIFE_RENAME:
		return t->spent; /* now it can be one that a condition is about */
	case PROCLIFE_MM:
	case PROCLIFE_NOTIFY:
	case PROCLIFE_REAP:
		return true;
	default:
		return false;
	}
}

/* A condition that was due before the process had this name, or this user, holds now. */
static void look_again(struct triggers *t, const struct proclife_process *process)
{
	struct watched *watched = agenda_find(&t->agenda, process->id);

	if (watched)
		watched->spent = 0;
}

static void triggers_fed(void *data, const struct proclife_event *event)
{
	struct triggers *t = data;
	const struct proclife_record *record = event->record;
	const struct proclife_process *process;
	bool telling = record && is_telling(t, record);

	if (!record)
		note_gap(t, &event->gap);
	else if (t->of_threads)
		note_thread(t, record);
	if (!telling && (!record || !t->run->options->on.save))
		return;
	process = process_of(t, record->task);
	if (process && t->run->options->on.save)
		backlog_keep(&t->reaction.saving.backlog, process, record);
	if (record->type == PROCLIFE_MM)
		look_at_held(t, record, process);
	if (!process || !telling)
		return;
	if (record->type == PROCLIFE_FORK)
		note_fork(t, record, process);
	if (t->spent)
		look_again(t, process);
	look_at(t, process, false);
}

static void triggers_advance(void *data, struct tick *tick)
{
	struct triggers *t = data;

	triggers_until(t, tick->until);
	reaction_poll(&t->reaction);
	tick_before(tick, agenda_due(&t->agenda));
	tick_before(tick, reaction_due(&t->reaction));
}

bool triggers_are_enough(const struct triggers *t)
{
	return has_told_enough(t) && !reaction_is_saving(&t->reaction);
}

/*
 * From start to end
 */

static void say_lacking(const struct triggers *t)
{
	size_t i;

	for (i = 0; i < t->count; i++) {
		enum proclife_type lacks = judge_lacks(t->run, &t->conditions[i]);
		char name[32];

		if (lacks)
			message("--on %s can never match: %s records that it needs are not made here; %s says why",
				quoted(t->conditions[i].text), upper(name, sizeof(name), proclife_type_name(lacks)),
				t->run->options->inputs.count ? "--info" : "--status");
	}
}

int triggers_begin(struct triggers *t, struct run *run)
{
	struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = run->options->on.exec ? born : NULL,
		.process_linked = run->options->on.save ? linked : NULL,
		.process_gone = gone,
		.process_exiting = exiting,
		.process_exited = exited,
		.process_over = over,
	};
	size_t i;
	int ret;

	t->count = run->options->on.count;
	if (!t->count)
		return 0;
	t->run = run;
	t->conditions = run->options->on.conditions;
	t->bursts = calloc(t->count, sizeof(*t->bursts));
	t->lost = calloc(t->count, sizeof(*t->lost));
	if (!t->bursts || !t->lost)
		die_no_memory();
	agenda_init(&t->agenda);
	for (i = 0; i < t->count; i++) {
		t->of_threads |= t->conditions[i].what == CONDITION_THREAD_EXIT;
		t->bursts[i].most = condition_least(&t->conditions[i]);
		t->bursts[i].per = t->conditions[i].per;
	}
	say_lacking(t);
	ret = reaction_begin(&t->reaction, run);
	if (ret)
		return ret;
	return proclife_tasks_report(run->tasks, &reports, t);
}

static void triggers_free(void *data)
{
	struct triggers *t = data;
	size_t i;

	agenda_free(&t->agenda);
	for (i = 0; t->bursts && i < t->count; i++)
		burst_free(&t->bursts[i]);
	free(t->bursts);
	free(t->lost);
	reaction_free(&t->reaction);
}

/* Whether or not its lines can be written. */
static void triggers_finish(void *data)
{
	struct triggers *t = data;

	triggers_until(t, t->run->ended);
	reaction_finish(&t->reaction);
	if (t->suppressed)
		message("--calm: %" PRIu64 " of %" PRIu64 " matches of --on were not shown", t->suppressed,
			t->suppressed + t->fired);
}

const struct stage triggers_stage = {
	.event = triggers_event, .fed = triggers_fed, .advance = triggers_advance,
	.finish = triggers_finish, .free = triggers_free,
};
