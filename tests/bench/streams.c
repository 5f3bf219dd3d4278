// SPDX-License-Identifier: GPL-2.0-only
/* The clock, the records of each CPU, and what is lost of them. */
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TIME 1000000

/* Ties are for this CPU and those above it, so that records are made in the order of merging. */
static void tick(struct trace *trace, uint32_t cpu)
{
	uint64_t step = sim_below(trace, 8);

	step = step ? step * step * step : 0;
	if (!step && cpu < trace->last_cpu)
		step = 1;
	trace->now += step;
	trace->last_cpu = cpu;
}

static void add_gap(struct trace *trace, struct sim_cpu *cpu, uint64_t to)
{
	struct proclife_gap gap = {
		.lost = cpu->dropped,
		.from = cpu->floor,
		.to = to,
		.cpu = cpu->stream.order,
	};

	if (cpu->gap_count == cpu->gap_room) {
		cpu->gap_room = cpu->gap_room ? 2 * cpu->gap_room : 8;
		cpu->gaps = sim_alloc(cpu->gaps, cpu->gap_room * sizeof(*cpu->gaps));
	}
	cpu->gaps[cpu->gap_count++] = (struct sim_gap){ cpu->count, gap };
	trace->gaps = sim_alloc(trace->gaps, (trace->gap_count + 1) * sizeof(*trace->gaps));
	trace->gaps[trace->gap_count++] = gap;
	trace->lost += cpu->dropped;
	cpu->dropped = 0;
	cpu->floor = to;
}

static struct proclife_record *place(struct trace *trace, struct sim_cpu *cpu)
{
	const struct trace_plan *plan = &trace->plan;

	if (!trace->recording)
		return &trace->scratch;
	if (plan->gap_every && !cpu->dropping && !sim_below(trace, plan->gap_every))
		cpu->dropping = 1 + sim_below(trace, plan->gap_records);
	if (cpu->dropping) {
		cpu->dropping--;
		cpu->dropped++;
		return &trace->scratch;
	}
	if (cpu->dropped)
		add_gap(trace, cpu, trace->now);
	if (cpu->count == cpu->room) {
		cpu->room = cpu->room ? 2 * cpu->room : 64;
		cpu->records = sim_alloc(cpu->records, cpu->room * sizeof(*cpu->records));
	}
	cpu->floor = trace->now;
	trace->made++;
	return &cpu->records[cpu->count++];
}

static struct proclife_record *record_on(struct trace *trace, enum proclife_type type,
					 const struct sim_task *task, uint32_t cpu)
{
	struct proclife_record *record;

	tick(trace, cpu);
	record = place(trace, &trace->cpus[cpu]);
	*record = (struct proclife_record){
		.ts = trace->now,
		.type = type,
		.cpu = (uint16_t)cpu,
		.flags = task->flags,
		.task = task->handle,
		.start = task->start,
		.pid = task->pid,
		.tgid = task->process->tgid,
	};
	if (record->pid != record->tgid)
		record->flags |= PROCLIFE_F_THREAD;
	memcpy(record->comm, task->comm, sizeof(record->comm));
	return record;
}

struct proclife_record *sim_record(struct trace *trace, enum proclife_type type,
				   const struct sim_task *task, struct sim_task *current)
{
	uint32_t cpu = current ? current->cpu : (uint32_t)sim_below(trace, trace->plan.cpus);

	if (current && sim_percent(trace, 10)) {
		cpu = (uint32_t)sim_below(trace, trace->plan.cpus);
		current->cpu = (uint16_t)cpu;
	}
	return record_on(trace, type, task, cpu);
}

struct proclife_record *sim_record_more(struct trace *trace, enum proclife_type type,
					const struct sim_task *task)
{
	return record_on(trace, type, task, trace->last_cpu);
}

static void show(struct sim_cpu *cpu)
{
	uint64_t end = cpu->count, most = cpu->trace->plan.span;

	cpu->stream.gap = (struct proclife_gap){ 0 };
	if (cpu->gap_shown < cpu->gap_count && cpu->gaps[cpu->gap_shown].index == cpu->shown)
		cpu->stream.gap = cpu->gaps[cpu->gap_shown++].gap;
	if (cpu->gap_shown < cpu->gap_count)
		end = cpu->gaps[cpu->gap_shown].index;
	if (most && end - cpu->shown > most)
		end = cpu->shown + most;
	cpu->stream.cur = cpu->records + cpu->shown;
	cpu->stream.end = cpu->records + end;
	cpu->shown = end;
}

static int refill(struct proclife_stream *stream)
{
	show((struct sim_cpu *)stream);
	return 0;
}

void trace_again(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->plan.cpus; i++) {
		struct sim_cpu *cpu = &trace->cpus[i];

		cpu->shown = 0;
		cpu->gap_shown = 0;
		show(cpu);
	}
}

void sim_round_begin(struct trace *trace)
{
	trace->made = 0;
	for (uint32_t i = 0; i < trace->plan.cpus; i++) {
		trace->cpus[i].count = 0;
		trace->cpus[i].gap_count = 0;
	}
}

void sim_round_end(struct trace *trace)
{
	/* All that follows is later, so that this round's order is final. */
	trace->now++;
	for (uint32_t i = 0; i < trace->plan.cpus; i++) {
		struct sim_cpu *cpu = &trace->cpus[i];

		if (cpu->dropped)
			add_gap(trace, cpu, trace->now);
		cpu->floor = trace->now;
	}
	trace->recorded += trace->made;
	trace_again(trace);
}

void sim_streams_new(struct trace *trace)
{
	trace->now = FIRST_TIME;
	trace->cpus = sim_alloc(NULL, trace->plan.cpus * sizeof(*trace->cpus));
	memset(trace->cpus, 0, trace->plan.cpus * sizeof(*trace->cpus));
	for (uint32_t i = 0; i < trace->plan.cpus; i++) {
		trace->cpus[i].trace = trace;
		trace->cpus[i].stream.order = i;
		trace->cpus[i].stream.refill = refill;
	}
}

void sim_streams_free(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->plan.cpus; i++) {
		free(trace->cpus[i].records);
		free(trace->cpus[i].gaps);
	}
	free(trace->cpus);
	free(trace->gaps);
}

struct proclife_stream *trace_stream(struct trace *trace, uint32_t cpu)
{
	return &trace->cpus[cpu].stream;
}

const struct proclife_record *trace_records(const struct trace *trace, uint32_t cpu,
					    uint64_t *count)
{
	*count = trace->cpus[cpu].count;
	return trace->cpus[cpu].records;
}

uint64_t trace_now(const struct trace *trace)
{
	return trace->now;
}

uint64_t trace_lost(const struct trace *trace)
{
	return trace->lost;
}

uint64_t trace_recorded(const struct trace *trace)
{
	return trace->recorded;
}

const struct proclife_gap *trace_gaps(const struct trace *trace, size_t *count)
{
	*count = trace->gap_count;
	return trace->gaps;
}
