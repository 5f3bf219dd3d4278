// SPDX-License-Identifier: GPL-2.0-only
#include "live/pulse.h"
#include "output/level.h"
#include "output/message.h"
#include "views/share/census.h"
#include "views/share/overtime.h"

#define SECOND UINT64_C(1000000000)
#define NAME_COLUMNS 8
#define FIGURE_COLUMNS 8
#define MOST_COLUMNS (5 + FIGURE_COLUMNS)
#define LEAST_GRAPH 6

static double *value_of(struct pulse *pulse, enum pulse_kind kind, uint64_t second)
{
	return &pulse->values[kind][second % PULSE_ROOM];
}

static void born(void *data, struct proclife_process *process, struct proclife_process *parent,
		 struct proclife_process *creator)
{
	struct pulse *pulse = data;

	(void)parent;
	(void)creator;
	if (filter_passes(process) && process->marks.born)
		++*value_of(pulse, PULSE_FORKS, pulse->now);
}

/* Its CPU time counts as spread evenly over its life, as in --summary. */
static void spread(struct pulse *pulse, uint64_t from, uint64_t to, uint64_t runtime)
{
	double rate = to > from ? (double)runtime / (double)(to - from) : 0;
	uint64_t first = pulse->now > PULSE_SECONDS ? (pulse->now - PULSE_SECONDS) * SECOND : 0;

	if (from < first)
		from = first;
	while (from < to) {
		uint64_t edge = (from / SECOND + 1) * SECOND;
		uint64_t part = (edge < to ? edge : to) - from;

		*value_of(pulse, PULSE_BUSY, from / SECOND) += rate * (double)part / (double)SECOND;
		from += part;
	}
}

static void exited(void *data, struct proclife_process *process)
{
	uint64_t to = process->marks.exited;
	struct proclife_usage usage;
	struct pulse *pulse = data;

	if (!filter_passes(process))
		return;
	++*value_of(pulse, PULSE_DEATHS, pulse->now);
	proclife_process_usage(process, &usage);
	if (to && to / SECOND <= pulse->now)
		spread(pulse, overtime_born(pulse->run, process), to, usage.runtime);
}

static void gone(void *data, struct proclife_process *process)
{
	struct pulse *pulse = data;
	uint64_t ns;

	if (!filter_passes(process) || process->outlives ||
	    !proclife_process_phase(process, PROCLIFE_EXIT_FREE, &ns))
		return;
	if (proclife_histogram_add(pulse->exit_free, ns))
		die_no_memory();
}

int pulse_begin(struct pulse *pulse, struct run *run)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports),
		.process_born = born,
		.process_exited = exited,
		.process_gone = gone,
	};
	int ret = proclife_histogram_new(&pulse->exit_free);

	pulse->run = run;
	return ret ? ret : proclife_tasks_report(run->tasks, &reports, pulse);
}

void pulse_free(struct pulse *pulse)
{
	proclife_histogram_free(pulse->exit_free);
	pulse->exit_free = NULL;
}

/* The second that runs is over. */
static void close_second(struct pulse *pulse)
{
	struct census census = census_take(pulse->run);

	*value_of(pulse, PULSE_ZOMBIES, pulse->now) =
		(double)census.states[PROCLIFE_IS_ZOMBIE];
	if (!proclife_histogram_count(pulse->exit_free))
		return;
	*value_of(pulse, PULSE_EXIT_FREE, pulse->now) =
		(double)proclife_histogram_percentile(pulse->exit_free, 99);
	proclife_histogram_free(pulse->exit_free);
	if (proclife_histogram_new(&pulse->exit_free))
		die_no_memory();
}

static void clear_second(struct pulse *pulse, uint64_t second)
{
	unsigned int kind;

	for (kind = 0; kind < PULSES; kind++)
		*value_of(pulse, kind, second) = 0;
}

void pulse_advance(struct pulse *pulse, uint64_t ts)
{
	uint64_t second = ts / SECOND, to;
	double zombies;

	if (!pulse->now && second) {
		pulse->now = pulse->since = second;
		pulse->lost = pulse->run->lost;
	}
	if (pulse->run->lost > pulse->lost)
		*value_of(pulse, PULSE_LOST, pulse->now) += (double)(pulse->run->lost - pulse->lost);
	pulse->lost = pulse->run->lost;
	if (second <= pulse->now)
		return;
	close_second(pulse);
	zombies = *value_of(pulse, PULSE_ZOMBIES, pulse->now);
	/* After a long silence, only the seconds that are still seen. */
	to = second - pulse->now > PULSE_ROOM ? second - PULSE_ROOM : pulse->now;
	while (to < second) {
		clear_second(pulse, ++to);
		*value_of(pulse, PULSE_ZOMBIES, to) = zombies;
	}
	pulse->now = second;
}

/*
 * A line of the screen
 */

static const char *const names[PULSES] = {
	[PULSE_FORKS] = "forks/s", [PULSE_DEATHS] = "deaths/s", [PULSE_ZOMBIES] = "zombies",
	[PULSE_LOST] = "lost", [PULSE_BUSY] = "busy", [PULSE_EXIT_FREE] = "p99 free",
};

static void put_value(struct text *line, enum pulse_kind kind, double value)
{
	struct text figure;

	text_init(&figure, line->screen);
	text_string(&figure, "");
	if (kind == PULSE_EXIT_FREE && value > 0)
		text_time(&figure, (uint64_t)value);
	else if (kind == PULSE_EXIT_FREE)
		text_string(&figure, "-");
	else if (kind == PULSE_BUSY)
		text_printf(&figure, value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
	else
		text_count(&figure, (uint64_t)(value + 0.5));
	if (figure.columns < FIGURE_COLUMNS)
		text_spaces(line, FIGURE_COLUMNS - figure.columns);
	text_bytes(line, figure.s, figure.len, figure.columns);
	text_free(&figure);
}

/* The level of these seconds, which are over: the mean of rates, the most of others. */
static double level(const struct pulse *pulse, enum pulse_kind kind, uint64_t from, uint64_t to)
{
	bool rate = kind == PULSE_FORKS || kind == PULSE_DEATHS || kind == PULSE_BUSY;
	double sum = 0, most = 0, value;
	uint64_t second, n = 0;

	for (second = from; second < to; second++) {
		if (second < pulse->since || second >= pulse->now || second + PULSE_SECONDS < pulse->now)
			continue;
		value = pulse->values[kind][second % PULSE_ROOM];
		sum += value;
		most = value > most ? value : most;
		n++;
	}
	return rate ? n ? sum / (double)n : 0 : kind == PULSE_LOST ? sum : most;
}

static enum style style_of(enum pulse_kind kind, double value)
{
	if (value <= 0)
		return STYLE_PLAIN;
	return kind == PULSE_LOST ? STYLE_BAD : kind == PULSE_ZOMBIES ? STYLE_WARN : STYLE_PLAIN;
}

void pulse_print(const struct pulse *pulse, struct text *line, enum pulse_kind kind, unsigned int columns)
{
	unsigned int others = NAME_COLUMNS + 1 + FIGURE_COLUMNS, shown, stride, i;
	bool has_most = columns >= others + MOST_COLUMNS + LEAST_GRAPH;
	double levels[PULSE_SECONDS], most = 0, last;
	uint64_t end;

	if (has_most)
		others += MOST_COLUMNS;
	shown = columns > others ? columns - others : 1;
	stride = (PULSE_SECONDS + shown - 1) / shown;
	shown = PULSE_SECONDS / stride;
	/* Columns stand for the same seconds as long as they are seen. */
	end = (pulse->now + stride - 1) / stride * stride;
	for (i = 0; i < shown; i++) {
		uint64_t from = end - (uint64_t)(shown - i) * stride;

		levels[i] = end < (uint64_t)(shown - i) * stride ? 0 : level(pulse, kind, from, from + stride);
		most = levels[i] > most ? levels[i] : most;
	}
	last = pulse->now > pulse->since ? level(pulse, kind, pulse->now - 1, pulse->now) : 0;
	text_printf(line, "%-*s ", NAME_COLUMNS, names[kind]);
	for (i = 0; i < shown; i++)
		text_level(line, most > 0 ? levels[i] / most : 0);
	text_style(line, style_of(kind, last));
	put_value(line, kind, last);
	text_style(line, STYLE_PLAIN);
	if (!has_most)
		return;
	text_style(line, STYLE_DIM);
	text_string(line, " most");
	put_value(line, kind, most);
	text_style(line, STYLE_PLAIN);
}
