// SPDX-License-Identifier: GPL-2.0-only
#include "views/share/census.h"
#include "metrics/tally.h"

static void process_born(void *data, struct proclife_process *process,
			 struct proclife_process *parent, struct proclife_process *creator)
{
	struct tally *tally = data;

	(void)parent;
	(void)creator;
	/* A process that was there before has no birth. */
	tally->forks += filter_passes(process) && process->marks.born;
}

static enum tally_exit exit_of(int32_t code)
{
	if (code < 0)
		return TALLY_UNKNOWN;
	if (!(code & 0x7f))
		return code ? TALLY_FAILED : TALLY_OK;
	return code & 0x80 ? TALLY_CORE : TALLY_SIGNAL;
}

static void process_exited(void *data, struct proclife_process *process)
{
	struct tally *tally = data;

	tally->exits[exit_of(process->exit_code)] += filter_passes(process);
}

static void add_phases(struct tally *tally, const struct proclife_process *process, bool of_memory)
{
	enum proclife_phase phase;
	uint64_t ns;

	for (phase = 0; phase < PROCLIFE_PHASES; phase++)
		if (proclife_phase_info(phase)->of_memory == of_memory &&
		    proclife_process_phase(process, phase, &ns))
			prometheus_times_add(&tally->phases[phase], ns);
}

static void process_gone(void *data, struct proclife_process *process)
{
	struct tally *tally = data;

	if (process->selected && proclife_process_unjudged(process) && !process->outlives)
		tally->unjudged++;
	if (!filter_passes(process))
		return;
	tally->incomplete += process->incomplete;
	/* The status of a zombie from before is known, and it exited then. */
	if (!proclife_process_has_exited(process) && process->exit_code < 0)
		tally->exits[TALLY_UNKNOWN]++;
	add_phases(tally, process, false);
}

static void process_over(void *data, struct proclife_process *process)
{
	if (filter_passes(process))
		add_phases(data, process, true);
}

static uint64_t missed_so_far(const struct run *run)
{
	const struct proclife_header *header = proclife_source_header(run->source);

	return header ? header->reap_missed + header->marks_missed : 0;
}

int tally_begin(struct tally *tally, const struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = process_born,
		.process_exited = process_exited,
		.process_gone = process_gone,
		.process_over = process_over,
	};

	tally->run = run;
	tally->began = proclife_source_realtime(run->source, run->began);
	tally->missed = missed_so_far(run);
	return proclife_tasks_report(run->tasks, &reports, tally);
}

void tally_event(struct tally *tally, const struct proclife_event *event)
{
	const struct proclife_record *record = event->record;
	const struct proclife_task *task;

	if (!record || record->type != PROCLIFE_EXEC)
		return;
	task = proclife_tasks_find(tally->run->tasks, record->task);
	tally->execs += task && filter_passes(task->process);
}

static void print_counter(FILE *out, const char *name, const char *help, uint64_t n)
{
	prometheus_family(out, name, "counter", help);
	prometheus_sample(out, name, NULL, NULL, n);
}

static void print_gauge(FILE *out, const char *name, const char *help, uint64_t n)
{
	prometheus_family(out, name, "gauge", help);
	prometheus_sample(out, name, NULL, NULL, n);
}

static void print_program(const struct tally *tally, FILE *out)
{
	const uint32_t code = proclife_version();
	char version[40];

	snprintf(version, sizeof(version), "%u.%u.%u", code >> 16, code >> 8 & 0xff, code & 0xff);
	prometheus_family(out, "proclife_build_info", "gauge", "The version of proclife. Always 1.");
	prometheus_sample(out, "proclife_build_info", "version", version, 1);
	prometheus_family(out, "proclife_start_time_seconds", "gauge",
			  "When the counters began, in seconds since 1970.");
	prometheus_time(out, "proclife_start_time_seconds", tally->began);
}

static void print_exits(const struct tally *tally, FILE *out)
{
	static const char *const names[TALLY_EXITS] = {
		[TALLY_OK] = "ok", [TALLY_FAILED] = "failed", [TALLY_SIGNAL] = "signal",
		[TALLY_CORE] = "core", [TALLY_UNKNOWN] = "unknown",
	};
	unsigned int i;

	prometheus_family(out, "proclife_exits_total", "counter",
			  "Processes that exited: ok with status 0, failed with another one, killed by a "
			  "signal, with a core dump, or unknown because the record was lost.");
	for (i = 0; i < TALLY_EXITS; i++)
		prometheus_sample(out, "proclife_exits_total", "status", names[i], tally->exits[i]);
}

static void print_missing(const struct tally *tally, FILE *out)
{
	const uint16_t *type;

	print_counter(out, "proclife_records_lost_total",
		      "Records that were overwritten before they were read.", tally->run->lost);
	prometheus_family(out, "proclife_records_suppressed_total", "counter",
			  "Records that the module's budget suppressed, by type.");
	for (type = types_with_budget; *type; type++)
		prometheus_sample(out, "proclife_records_suppressed_total", "type",
				  proclife_type_name(*type), tally->run->suppressed[*type]);
	print_counter(out, "proclife_marks_missed_total",
		      "Marks of deaths that the module's hooks missed.",
		      missed_so_far(tally->run) - tally->missed);
	print_counter(out, "proclife_incomplete_lives_total",
		      "Processes that are gone, and of which records were lost.", tally->incomplete);
	print_counter(out, "proclife_unjudged_processes_total",
		      "Processes that are gone, and of which it is not known whether they match the filters.",
		      tally->unjudged);
}

static void print_present(const struct tally *tally, uint64_t now, FILE *out)
{
	struct census census = census_take(tally->run);
	const uint64_t *states = census.states;

	print_gauge(out, "proclife_processes", "Processes that live, kernel threads among them.",
		    states[PROCLIFE_IS_ALIVE]);
	print_gauge(out, "proclife_dying", "Processes that exit, and whose end was not announced yet.",
		    states[PROCLIFE_IS_DYING]);
	print_gauge(out, "proclife_zombies", "Processes that have exited, and were not reaped yet.",
		    states[PROCLIFE_IS_ZOMBIE]);
	print_gauge(out, "proclife_unknown",
		    "Processes of which lost records can hide whether they live; in none of the others.",
		    states[PROCLIFE_IS_UNKNOWN]);
	prometheus_family(out, "proclife_oldest_zombie_seconds", "gauge",
			  "For how long the oldest zombie has been one, or known; 0 if there is none.");
	prometheus_time(out, "proclife_oldest_zombie_seconds",
			census.oldest && census.oldest < now ? now - census.oldest : 0);
}

void tally_print(const struct tally *tally, uint64_t now, FILE *out)
{
	const struct proclife_header *header = proclife_source_header(tally->run->source);
	unsigned int phase;
	char name[48];

	print_program(tally, out);
	print_counter(out, "proclife_forks_total", "Processes that were born.", tally->forks);
	print_counter(out, "proclife_execs_total", "Programs that were executed.", tally->execs);
	print_exits(tally, out);
	print_missing(tally, out);
	print_present(tally, now, out);
	for (phase = 0; phase < PROCLIFE_PHASES; phase++) {
		const struct proclife_phase_info *info = proclife_phase_info(phase);

		/* What shows these is off by default. */
		if (phase >= PROCLIFE_PHASE_FORK && proclife_phase_lacks(phase, header))
			continue;
		snprintf(name, sizeof(name), "proclife_%s_seconds", info->name);
		prometheus_family(out, name, "histogram", info->help);
		prometheus_times(out, name, &tally->phases[phase]);
	}
}
