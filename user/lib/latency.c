// SPDX-License-Identifier: LGPL-2.1-or-later
/* The phases of lives, and their histograms. */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>

struct proclife_latency {
	struct proclife_tasks *tasks; /* NULL once they are freed */
	struct proclife_histogram *phases[PROCLIFE_PHASES];
	struct proclife_latency_counts counts;
};

const char *proclife_phase_name(enum proclife_phase phase)
{
	static const char *const names[PROCLIFE_PHASES] = {
		[PROCLIFE_LIFE] = "life",
		[PROCLIFE_TEARDOWN] = "teardown",
		[PROCLIFE_ZOMBIE] = "zombie",
		[PROCLIFE_RCU_FREE] = "rcu_free",
		[PROCLIFE_EXIT_FREE] = "exit_free",
	};

	return (unsigned int)phase < PROCLIFE_PHASES ? names[phase] : NULL;
}

struct marks {
	uint64_t born;
	uint64_t exited;
	uint64_t notified;
	uint64_t reaped;
	uint64_t freed;
};

static bool phase_of(const struct marks *marks, enum proclife_phase phase, uint64_t *ns)
{
	uint64_t from = 0, to = 0;

	switch (phase) {
	case PROCLIFE_LIFE:
		from = marks->born;
		to = marks->exited;
		break;
	case PROCLIFE_TEARDOWN:
		from = marks->exited;
		to = marks->notified;
		break;
	case PROCLIFE_ZOMBIE:
		from = marks->notified ? marks->notified : marks->exited;
		to = marks->reaped;
		break;
	case PROCLIFE_RCU_FREE:
		from = marks->reaped;
		to = marks->freed;
		break;
	case PROCLIFE_EXIT_FREE:
		from = marks->exited;
		to = marks->freed;
		break;
	case PROCLIFE_PHASES:
		break;
	}
	if (!from || to < from)
		return false;
	*ns = to - from;
	return true;
}

static struct marks process_marks(const struct proclife_process *process)
{
	return (struct marks){ process->born, process->exited, process->notified, process->reaped,
			       process->freed };
}

static struct marks task_marks(const struct proclife_task *task)
{
	return (struct marks){ task->born, task->exited, 0, task->reaped, task->freed };
}

bool proclife_process_phase(const struct proclife_process *process, enum proclife_phase phase,
			    uint64_t *ns)
{
	struct marks marks = process_marks(process);

	return phase_of(&marks, phase, ns);
}

bool proclife_task_phase(const struct proclife_task *task, enum proclife_phase phase, uint64_t *ns)
{
	struct marks marks = task_marks(task);

	return phase_of(&marks, phase, ns);
}

static void count(struct proclife_latency *latency, const struct marks *marks, uint32_t flags,
		  bool incomplete)
{
	struct proclife_latency_counts *counts = &latency->counts;

	counts->lives++;
	counts->incomplete += incomplete;
	counts->partial += !marks->born;
	if (!marks->freed && latency->tasks->closing) {
		if (marks->reaped)
			counts->unfreed++;
		else if (marks->exited || flags & PROCLIFE_F_ZOMBIE)
			counts->unreaped++;
		else
			counts->alive++;
	}
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		uint64_t ns;

		if (phase_of(marks, (enum proclife_phase)phase, &ns))
			proclife_histogram_add(latency->phases[phase], ns);
	}
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct marks marks = process_marks(process);

	if (process->selected)
		count(data, &marks, process->flags, process->incomplete);
}

static void task_gone(void *data, struct proclife_task *task)
{
	struct marks marks = task_marks(task);

	if (task->process->selected)
		count(data, &marks, task->flags, task->incomplete);
}

static void tasks_freed(void *data)
{
	struct proclife_latency *latency = data;

	latency->tasks = NULL;
}

int proclife_latency_new(struct proclife_latency **result, struct proclife_tasks *tasks,
			 bool threads)
{
	struct proclife_reports reports = { 0 };
	struct proclife_latency *latency = calloc(1, sizeof(*latency));
	int err = -ENOMEM;

	if (!latency)
		return -ENOMEM;
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++) {
		err = proclife_histogram_new(&latency->phases[phase]);
		if (err)
			goto fail;
	}
	if (threads)
		reports.task_gone = task_gone;
	else
		reports.process_gone = process_gone;
	err = proclife_tasks_attach(tasks, &reports, latency, tasks_freed);
	if (err)
		goto fail;
	latency->tasks = tasks;
	*result = latency;
	return 0;
fail:
	proclife_latency_free(latency);
	return err;
}

void proclife_latency_free(struct proclife_latency *latency)
{
	if (!latency)
		return;
	if (latency->tasks)
		proclife_tasks_detach(latency->tasks, latency);
	for (unsigned int phase = 0; phase < PROCLIFE_PHASES; phase++)
		proclife_histogram_free(latency->phases[phase]);
	free(latency);
}

const struct proclife_histogram *proclife_latency_phase(const struct proclife_latency *latency,
							enum proclife_phase phase)
{
	return (unsigned int)phase < PROCLIFE_PHASES ? latency->phases[phase] : NULL;
}

void proclife_latency_counts(const struct proclife_latency *latency,
			     struct proclife_latency_counts *counts)
{
	*counts = latency->counts;
}
