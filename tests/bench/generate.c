// SPDX-License-Identifier: GPL-2.0-only
/* What happens next on the machine, by chance. */
#include "simulate.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sim_task *pick(struct trace *trace, enum sim_state state)
{
	const struct sim_list *list = &trace->lists[state];

	return list->count ? list->tasks[sim_below(trace, list->count)] : NULL;
}

/* True more often the more tasks there are: keeps about this many on average. */
static bool due(struct trace *trace, enum sim_state state, uint32_t about)
{
	return sim_below(trace, 2 * (uint64_t)about + 1) < trace->lists[state].count;
}

/* Some thread of the parent's takes the zombie, if the parent cares. */
static bool wait_for(struct trace *trace, struct sim_task *zombie)
{
	struct sim_process *parent = zombie->process->parent->process;
	struct sim_task *waiter = parent->tasks;

	if (parent->hoards)
		return false;
	for (uint64_t n = sim_below(trace, 3); n && waiter->next; n--)
		waiter = waiter->next;
	if (waiter->state != SIM_RUNNING)
		return false;
	if (sim_percent(trace, 70)) {
		struct proclife_record *record = sim_record(trace, PROCLIFE_WAIT, waiter, waiter);

		record->wait.wanted = sim_percent(trace, 50) ? zombie->process->tgid : 0;
		record->wait.what = record->wait.wanted ? PROCLIFE_WAIT_PID : PROCLIFE_WAIT_ANY;
	}
	sim_reap(trace, zombie, waiter);
	return true;
}

static void send_signal(struct trace *trace, struct sim_task *sender, struct sim_task *target)
{
	struct proclife_record *record = sim_record(trace, PROCLIFE_SIGNAL, target, sender);

	record->signal = (struct proclife_signal){
		.sender = sender->handle,
		.sender_pid = sender->pid,
		.sender_tgid = sender->process->tgid,
		.signo = SIGTERM,
		.to_group = 1,
	};
	memcpy(record->signal.sender_comm, sender->comm, sizeof(sender->comm));
}

static void give_birth(struct trace *trace, struct sim_task *task)
{
	if (!sim_pids_left(trace))
		return;
	trace->born += trace->recording;
	sim_fork(trace, task, task->process->parent && sim_percent(trace, 5));
}

static void leave(struct trace *trace, struct sim_task *task)
{
	bool threads = task->process->live > 1;

	task->exit_code = sim_percent(trace, 20) ? SIGKILL : (int32_t)sim_below(trace, 4) << 8;
	/* A thread by itself, the leader too; or all at once, in any order. */
	if (threads && sim_percent(trace, 50))
		sim_exit_group(trace, task, task->exit_code);
	else
		sim_exit(trace, task);
}

static void act(struct trace *trace, struct sim_task *task, bool many)
{
	const struct trace_plan *plan = &trace->plan;
	struct sim_process *process = task->process;
	uint64_t what = sim_below(trace, 100);
	struct sim_task *other;
	char name[PROCLIFE_COMM_LEN];

	if (process == trace->init) {
		if (!many)
			give_birth(trace, task);
		return;
	}
	if (sim_percent(trace, plan->threads)) {
		if (sim_pids_left(trace) && process->live < 8)
			sim_thread(trace, task, what < 10);
	} else if (!process->execs || what < 5) {
		if (what < 70)
			sim_exec(trace, task);
		else
			leave(trace, task);
	} else if (what < 10) {
		snprintf(name, sizeof(name), "name-%u", (unsigned int)sim_below(trace, 100));
		sim_rename(trace, task, task, name);
	} else if (what < 13) {
		other = pick(trace, what == 10 ? SIM_ZOMBIE : SIM_RUNNING);
		if (other)
			send_signal(trace, task, other);
	} else if (many) {
		leave(trace, task);
	} else {
		give_birth(trace, task);
	}
}

static void next(struct trace *trace, uint32_t alive)
{
	struct sim_task *task;
	/* Around the goal, births and deaths are as likely. */
	bool many = sim_below(trace, 2 * (uint64_t)alive + 1) < trace->alive;

	if (due(trace, SIM_REAPED, trace->plan.lag)) {
		sim_free(trace, pick(trace, SIM_REAPED));
		return;
	}
	if (due(trace, SIM_ZOMBIE, trace->plan.zombies) && wait_for(trace, pick(trace, SIM_ZOMBIE)))
		return;
	task = pick(trace, SIM_DOOMED);
	if (task && sim_percent(trace, 60)) {
		sim_exit(trace, task);
		return;
	}
	task = pick(trace, SIM_EXECING);
	if (task && task->process->live == 1) {
		sim_exec_alone(trace, task);
		return;
	}
	task = pick(trace, SIM_RUNNING);
	if (task)
		act(trace, task, many);
}

static void begin_recording(struct trace *trace)
{
	for (unsigned int i = 0; i < SIM_LISTS; i++) {
		for (uint32_t n = 0; n < trace->lists[i].count; n++)
			truth_begin(trace->lists[i].tasks[n]->process, trace->now);
		for (uint32_t n = 0; n < trace->lists[i].count; n++)
			truth_begin_task(trace->lists[i].tasks[n], trace->now);
	}
	/* Processes that are gone already leave no record. */
	for (uint64_t i = 0; i <= trace->truth_by_start.mask; i++) {
		struct truth *truth = trace->truth_by_start.entries[i].value;

		if (!truth || truth->open || truth->shadows)
			continue;
		trace_truth_done(trace, truth);
		i = (uint64_t)-1; /* the map has changed: start over */
	}
	trace->recording = true;
	if (trace->plan.snapshot)
		sim_snapshot(trace);
}

static bool at_end(struct trace *trace)
{
	return trace->born >= trace->plan.processes && trace->alive <= trace->plan.leave + 1 &&
	       !trace->lists[SIM_DOOMED].count;
}

bool trace_round(struct trace *trace, uint64_t records)
{
	uint64_t idle = 0;

	if (trace->ended)
		return false;
	sim_round_begin(trace);
	if (!trace->recording) {
		for (uint32_t i = 0; i < trace->plan.before; i++)
			next(trace, trace->plan.alive);
		begin_recording(trace);
	}
	while (trace->made < records && !trace->ended) {
		uint64_t before = trace->now;

		next(trace, trace->born < trace->plan.processes ? trace->plan.alive : 0);
		idle = trace->now == before ? idle + 1 : 0;
		trace->ended = at_end(trace) || idle > 1000000;
	}
	sim_round_end(trace);
	return true;
}

struct trace *trace_new(const struct trace_plan *plan)
{
	struct trace *trace = sim_alloc(NULL, sizeof(*trace));

	memset(trace, 0, sizeof(*trace));
	trace->plan = *plan;
	trace->random = plan->seed;
	if (proclife_map_init(&trace->truth_by_start) || proclife_map_init(&trace->truth_by_tgid))
		abort();
	sim_streams_new(trace);
	sim_boot(trace);
	return trace;
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	truth_free(trace);
	sim_halt(trace);
	sim_streams_free(trace);
	free(trace);
}

struct trace_plan trace_plan_of_seed(uint64_t seed)
{
	struct trace random = { .random = seed };
	uint32_t pids[] = { 40, 400, 32468 };
	struct trace_plan plan = {
		.seed = sim_random(&random),
		.processes = 1 + sim_below(&random, 1000),
		.cpus = 1 + (uint32_t)sim_below(&random, sim_percent(&random, 10) ? 1024 : 16),
		.alive = 1 + (uint32_t)sim_below(&random, 60),
		.pids = pids[sim_below(&random, 3)],
		.before = sim_percent(&random, 50) ? (uint32_t)sim_below(&random, 2000) : 0,
		.lag = (uint32_t)sim_below(&random, 30),
		.zombies = (uint32_t)sim_below(&random, 20),
		.threads = (uint32_t)sim_below(&random, 50),
		.hoarders = (uint32_t)sim_below(&random, 30),
		.leave = (uint32_t)sim_below(&random, 20),
		.args_bytes = sim_percent(&random, 30) ? (uint32_t)sim_below(&random, 300) : 0,
		.span = sim_percent(&random, 50) ? 1 + (uint32_t)sim_below(&random, 20) : 0,
		.snapshot = true,
		.dead_twice = sim_percent(&random, 30),
		.notify = sim_percent(&random, 70),
		.truth = true,
	};

	return plan;
}
