// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What BIRTH and FAIL mean. A fork or an exec can fail, and FAIL is off by default: so where it began is that of the
 * next FORK or EXEC only if no such record of a later one can be missing.
 */
#include "lives/feed.h"

#include <errno.h>

const struct proclife_births *proclife_process_births(const struct proclife_process *process)
{
	return proclife_priv(process)->all->birth_marks ? &proclife_extra_of_process(process)->births : NULL;
}

const struct proclife_births *proclife_task_births(const struct proclife_task *task)
{
	return proclife_priv(task->process)->all->birth_marks ? &proclife_extra_of(task)->births : NULL;
}

static bool is_certain(const struct proclife_tasks *tasks, uint64_t since)
{
	return since && !proclife_tasks_may_lack(tasks, PROCLIFE_BIRTH, since);
}

uint64_t proclife_birth_passed(const struct proclife_tasks *tasks, const struct proclife_record *record)
{
	const struct proclife_fork *fork = &record->fork;
	struct proclife_task *creator = fork->creator ? proclife_task_get(tasks, fork->creator) : NULL;
	struct proclife_priv_extra *own = creator ? proclife_extra_of(creator) : NULL;
	uint64_t forking;

	/* In a recording that keeps the latest, another task of its process can stand for one that is gone. */
	if (!own || creator->pid != fork->creator_pid)
		return 0;
	proclife_extra_of_process(creator->process)->ran = true;
	forking = is_certain(tasks, own->forking) ? own->forking : 0;
	if (forking)
		own->forked = record->task;
	own->forking = 0;
	return forking;
}

void proclife_birth_forked(const struct proclife_tasks *tasks, struct proclife_task *task,
			   const struct proclife_record *record)
{
	struct proclife_births *births = &proclife_extra_of(task)->births;
	uint64_t forking = proclife_birth_passed(tasks, record);

	if (!forking)
		return;
	births->forking = forking;
	if (record->pid == record->tgid)
		proclife_extra_of_process(task->process)->births.forking = forking;
}

void proclife_birth_execed(const struct proclife_tasks *tasks, struct proclife_task *task, uint64_t ts)
{
	struct proclife_priv_extra *own = proclife_extra_of(task);
	struct proclife_births *births = &proclife_extra_of_process(task->process)->births;
	uint64_t execing = own->execing;

	own->execing = 0;
	if (task->process->execs || births->execed || !proclife_process_whole(tasks, task->process))
		return;
	births->execed = ts;
	if (is_certain(tasks, execing))
		births->execing = execing;
}

static void note_started(struct proclife_task *task, const struct proclife_record *record)
{
	proclife_extra_of(task)->births.started = record->ts;
	if (record->pid == record->tgid)
		proclife_extra_of_process(task->process)->births.started = record->ts;
}

static void note_past(struct proclife_task *task, const struct proclife_record *record)
{
	const struct proclife_birth *birth = &record->birth;
	struct proclife_births *own = &proclife_extra_of(task)->births;
	struct proclife_births *births = &proclife_extra_of_process(task->process)->births;

	/* Any program can have written it. */
	if ((birth->forking | birth->started | birth->execing | birth->execed) > PROCLIFE_TIME_MAX)
		return;
	proclife_extra_of_process(task->process)->ran |= birth->ran != 0;
	/* A leader's has what is known of the process: a thread that has execed was born later. */
	if (record->pid != record->tgid || task->marks.born == task->process->marks.born) {
		own->forking = birth->forking;
		own->started = birth->started;
	}
	if (birth->execed) {
		births->execing = birth->execing;
		births->execed = birth->execed;
	}
	if (record->pid != record->tgid)
		return;
	births->forking = birth->forking;
	births->started = birth->started;
}

int proclife_feed_birth(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	if (proclife_birth_has_budget(record))
		proclife_suppressed_over(tasks, record);
	if (proclife_unlikely(!tasks->birth_marks))
		return proclife_wanted(task->process);
	switch (record->birth.what) {
	case PROCLIFE_BIRTH_FORKING:
		proclife_extra_of_process(task->process)->ran = true;
		proclife_extra_of(task)->forking = record->ts;
		proclife_extra_of(task)->at_forking.known = false;
		proclife_extra_of(task)->forked = 0;
		break;
	case PROCLIFE_BIRTH_STARTED:
		note_started(task, record);
		break;
	case PROCLIFE_BIRTH_EXECING:
		proclife_extra_of_process(task->process)->ran = true;
		proclife_extra_of(task)->execing = record->ts;
		break;
	case PROCLIFE_BIRTH_PAST:
		note_past(task, record);
		break;
	}
	return proclife_wanted(task->process);
}

int proclife_feed_fail(struct proclife_tasks *tasks, const struct proclife_record *record)
{
	struct proclife_task *task = proclife_known_task(tasks, record, 0);

	if (proclife_unlikely(!task))
		return -ENOMEM;
	proclife_suppressed_over(tasks, record);
	if (record->fail.what == PROCLIFE_FAIL_EXEC && proclife_failed_exec_note(tasks, task->process, record))
		return -ENOMEM;
	if (!tasks->birth_marks)
		return proclife_wanted(task->process);
	/* What it had begun is over. */
	proclife_extra_of_process(task->process)->ran = true;
	if (record->fail.what == PROCLIFE_FAIL_FORK)
		proclife_extra_of(task)->forking = 0;
	else if (record->fail.what == PROCLIFE_FAIL_EXEC)
		proclife_extra_of(task)->execing = 0;
	return proclife_wanted(task->process);
}
