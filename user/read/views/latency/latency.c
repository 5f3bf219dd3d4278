// SPDX-License-Identifier: GPL-2.0-only
/* How long the phases of a life take: a table of percentiles, and histograms side by side. */
#include "output/percentiles.h"
#include "output/wrap.h"
#include "views/share/census.h"
#include "views/latency/phases.h"
#include "views/latency/slowest.h"
#include "views/views.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIRTHS (PROCLIFE_PHASES - PROCLIFE_PHASE_FORK)

/* The birth comes first, and the life is the last row. */
enum proclife_phase phase_of_row(unsigned int row)
{
	if (row < BIRTHS)
		return PROCLIFE_PHASE_FORK + row;
	return row + 1 < PROCLIFE_PHASES ? PROCLIFE_KILL + row - BIRTHS : PROCLIFE_LIFE;
}

struct latency {
	struct slowest *slowest;	   /* these are NULL of several recordings: */
	struct proclife_cgroup_ends *ends; /* they would be of one of them only */
};

#define PHASE_NARROW 9 /* columns: "exit_free" */
#define PHASE_WIDE 23  /* and " notified→reap" */
#define MAX_BAR 24
#define MIN_BAR 2

static uint64_t phase_count(const struct run *run, enum proclife_phase phase)
{
	return proclife_histogram_count(proclife_latency_phase(run->latency, phase));
}

/* The sum from exit to free, and its parts. */
static bool has_bars(const struct run *run, enum proclife_phase phase)
{
	return (phase == PROCLIFE_EXIT_FREE || proclife_phase_info(phase)->part_of == PROCLIFE_EXIT_FREE) &&
	       phase_count(run, phase);
}

/* Is the teardown of the address space a part of an exit? */
static const char *teardown_text(const struct proclife_header *header)
{
	switch (exit_mark(header)) {
	case EXIT_MARK_DO_EXIT:
		return ": exit_free contains the teardown of the address space";
	case EXIT_MARK_BEFORE_MM:
		return ": exit_free contains that";
	case EXIT_MARK_AFTER_MM:
		return ": exit_free does not contain that";
	case EXIT_MARK_UNKNOWN:
		break;
	}
	return "";
}

/* What the figures are of, below them. */
static void show_method(const struct run *run, struct text *line,
			const struct proclife_header *header)
{
	const char *mark = exit_mark_text(header);
	const char *reap = reap_source_text(header->reap_source);

	text_line(line);
	text_style(line, STYLE_DIM);
	if (mark)
		text_printf(line, "Exits begin %s%s.", mark, teardown_text(header));
	else
		text_string(line, "Where exits begin is not known.");
	if (reap)
		text_printf(line, " REAP is recorded at %s.", reap);
	else
		text_string(line, " REAP is not recorded: zombie and rcu_free cannot be distinguished.");
	if (!run->options->threads && run_has_notify(run))
		text_string(line, " A zombie begins when its parent is notified.");
	else if (!run->options->threads)
		text_string(line, " NOTIFY is not recorded: zombie contains the teardown.");
	text_string(line, " Linux ");
	text_name(line, header->release, PROCLIFE_RELEASE_LEN);
	text_string(line, is_by_bpf(header) ? ", by BPF programs." : ".");
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

/* As lost records do, they make the table less than it could be. */
static void show_missed(struct text *line, const struct proclife_header *header)
{
	if (!header)
		return;
	text_style(line, STYLE_BAD);
	if (header->reap_missed) {
		text_plural(line, header->reap_missed, "REAP was", "REAPs were");
		text_string(line, " missed since the module was loaded.");
		text_line(line);
	}
	if (header->marks_missed) {
		text_plural(line, header->marks_missed, "other mark was", "other marks were");
		text_string(line, " missed: some exits have no beginning.");
		text_line(line);
	}
	text_style(line, STYLE_PLAIN);
}

static void show_open(struct text *line, uint64_t n, const char *what, enum style style)
{
	if (!n)
		return;
	text_string(line, ", ");
	text_style(line, style);
	text_count(line, n);
	text_printf(line, " %s", what);
	text_style(line, STYLE_PLAIN);
}

static void show_lost(struct text *line, uint64_t lost)
{
	if (!lost)
		return;
	text_style(line, STYLE_BAD);
	text_plural(line, lost, "record was", "records were");
	text_string(line, " lost: what they recorded is missing here.");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

/* For an interval, the lives that are open at its end: none was reported gone for that. */
static struct proclife_latency_counts counts_of(const struct run *run)
{
	struct proclife_latency_counts counts = *proclife_latency_counts(run->latency);
	struct census census;

	if (!options_repeat(run->options))
		return counts;
	census = run->options->threads ? census_take_threads(run) : census_take(run);
	counts.alive = census.states[PROCLIFE_IS_ALIVE];
	counts.dying = census.states[PROCLIFE_IS_DYING];
	counts.unreaped = census.states[PROCLIFE_IS_ZOMBIE];
	counts.unfreed = census.states[PROCLIFE_IS_UNFREED];
	counts.unknown = census.states[PROCLIFE_IS_UNKNOWN];
	return counts;
}

static void show_counts(const struct run *run, struct text *line)
{
	struct proclife_latency_counts counts = counts_of(run);
	bool threads = run->options->threads;

	text_style(line, STYLE_BOLD);
	text_plural(line, counts.lives, threads ? "thread" : "process",
		    threads ? "threads" : "processes");
	if (options_repeat(run->options))
		text_string(line, " ended");
	text_style(line, STYLE_PLAIN);
	show_open(line, counts.alive, "still alive", STYLE_PLAIN);
	show_open(line, counts.dying, "dying", STYLE_WARN);
	show_open(line, counts.unreaped, plural(counts.unreaped, "zombie", "zombies"), STYLE_WARN);
	show_open(line, counts.unfreed, run_has_reap(run) ? "reaped and not yet freed" : "not yet freed",
		  STYLE_PLAIN);
	show_open(line, counts.unknown, "whose end was lost", STYLE_BAD);
	show_open(line, counts.partial, "older than the trace (no life)", STYLE_PLAIN);
	show_open(line, counts.incomplete, "incomplete because records were lost", STYLE_BAD);
	text_line(line);
}

/* Is there room for what the phases mean? */
static bool is_wide(const struct screen *screen)
{
	return !screen->width || screen->width >= 88;
}

static void show_row(const struct run *run, struct text *line, enum proclife_phase phase)
{
	const struct proclife_histogram *h = proclife_latency_phase(run->latency, phase);
	const struct proclife_phase_info *info = proclife_phase_info(phase);
	const char *from = info->from;

	if (info->optional && !proclife_histogram_count(h))
		return;
	if (phase == PROCLIFE_ZOMBIE && (run->options->threads || !run_has_notify(run)))
		from = "exit";
	text_printf(line, "%-*s", PHASE_NARROW, info->name);
	if (is_wide(run->screen)) {
		text_style(line, STYLE_DIM);
		text_printf(line, " %s", from);
		text_draw(line, "→", ">");
		text_string(line, info->to);
		text_style(line, STYLE_PLAIN);
		text_pad(line, PHASE_WIDE);
	}
	text_percentiles(line, h);
	text_line(line);
}

static void show_table(const struct run *run, struct text *line)
{
	unsigned int i;

	text_style(line, STYLE_HEAD);
	text_printf(line, "%-*s", is_wide(run->screen) ? PHASE_WIDE : PHASE_NARROW, "PHASE");
	text_percentiles_head(line);
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (i = 0; i < PROCLIFE_PHASES; i++)
		show_row(run, line, phase_of_row(i));
}

static void show_share(struct text *line, uint64_t part, uint64_t all)
{
	text_printf(line, " %8.1f%%", all ? 100 * (double)part / (double)all : 0.0);
}

/* Columns of a row of SPENT; a narrow screen has room for fewer. */
#define SPENT_SHARES (PHASE_NARROW + 3 * 10)
#define SPENT_ALL (SPENT_SHARES + 10)
#define SPENT_COUNT (SPENT_ALL + 9)
#define SPENT_EXACT (SPENT_COUNT + 9)

static bool spent_has(const struct run *run, unsigned int columns)
{
	return !run->screen->width || run->screen->width >= columns;
}

static void show_spent_head(const struct run *run, struct text *line)
{
	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%-*s", PHASE_NARROW, "SPENT");
	if (spent_has(run, SPENT_COUNT))
		text_printf(line, " %8s", "COUNT");
	if (spent_has(run, SPENT_EXACT))
		text_printf(line, " %8s", "EXACT");
	if (spent_has(run, SPENT_ALL))
		text_printf(line, " %9s", "IN ALL");
	text_printf(line, " %9s %9s %9s", "ON CPU", "WAITING", "BLOCKED");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

/* Where the time of phases went, where TIMES says it. */
static void show_spent(const struct run *run, struct text *line)
{
	bool any = false;

	for (unsigned int i = 0; i < PROCLIFE_PHASES; i++) {
		enum proclife_phase phase = phase_of_row(i);
		const struct proclife_spent *spent = proclife_latency_spent(run->latency, phase);
		uint64_t all;

		if (!spent)
			continue;
		if (!any)
			show_spent_head(run, line);
		any = true;
		all = spent->on_cpu + spent->waiting + spent->blocked;
		text_printf(line, "%-*s", PHASE_NARROW, proclife_phase_info(phase)->name);
		if (spent_has(run, SPENT_COUNT)) {
			text_string(line, " ");
			text_count_in(line, 8, spent->count);
		}
		if (spent_has(run, SPENT_EXACT)) {
			text_string(line, " ");
			text_count_in(line, 8, spent->exact);
		}
		if (spent_has(run, SPENT_ALL)) {
			text_string(line, " ");
			text_time_in(line, 9, all);
		}
		show_share(line, spent->on_cpu, all);
		show_share(line, spent->waiting, all);
		show_share(line, spent->blocked, all);
		text_line(line);
	}
}

struct bars {
	const struct proclife_histogram *histogram;
	const char *name;
	uint64_t highest; /* in one bucket */
};

/* How many columns a bar has, of @n beside each other; fewer of these if there is no room. */
static unsigned int bar_columns(const struct run *run, size_t *n)
{
	unsigned int width = run->screen->width ? run->screen->width : 100;
	unsigned int bars = width - TIME_COLUMNS, others = COUNT_COLUMNS + 2, bar;

	if (*n > bars / (others + MIN_BAR))
		*n = bars / (others + MIN_BAR);
	bar = bars / *n - others;
	return bar < MAX_BAR ? bar : MAX_BAR;
}

static void show_bars(const struct run *run, struct text *line)
{
	struct bars bars[PROCLIFE_PHASES];
	unsigned int first = 64, last = 0, bucket, bar, i;
	size_t n = 0, too_many;

	/* Where there is no room for all, the first are parts of the last. */
	for (i = 0; i < PROCLIFE_PHASES; i++)
		n += has_bars(run, i);
	if (!n)
		return;
	too_many = n;
	bar = bar_columns(run, &n);
	too_many -= n;
	for (n = 0, i = 0; i < PROCLIFE_PHASES; i++) {
		const struct proclife_histogram *h = proclife_latency_phase(run->latency, i);

		if (!has_bars(run, i))
			continue;
		if (too_many && too_many--)
			continue;
		bars[n].histogram = h;
		bars[n].name = proclife_phase_info(i)->name;
		bars[n].highest = 0;
		bucket = percentiles_bucket(proclife_histogram_min(h));
		first = bucket < first ? bucket : first;
		bucket = percentiles_bucket(proclife_histogram_max(h));
		last = bucket > last ? bucket : last;
		n++;
	}
	for (i = 0; i < n; i++)
		for (bucket = first; bucket <= last; bucket++) {
			uint64_t count = percentiles_in_bucket(bars[i].histogram, bucket);

			if (count > bars[i].highest)
				bars[i].highest = count;
		}
	text_line(line);
	text_style(line, STYLE_HEAD);
	text_printf(line, "%*s", TIME_COLUMNS, "FROM");
	for (i = 0; i < n; i++)
		text_printf(line, " %*s %*s", COUNT_COLUMNS, bars[i].name, (int)bar, "");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	for (bucket = first; bucket <= last; bucket++) {
		text_time_in(line, TIME_COLUMNS, bucket ? 1ULL << bucket : 0);
		for (i = 0; i < n; i++) {
			uint64_t count = percentiles_in_bucket(bars[i].histogram, bucket);

			text_string(line, " ");
			if (count)
				text_count_in(line, COUNT_COLUMNS, count);
			else
				text_spaces(line, COUNT_COLUMNS);
			text_string(line, " ");
			text_bar(line, bar, count, bars[i].highest);
		}
		text_line(line);
	}
}

static void json_phase(const struct run *run, struct json *json,
		       enum proclife_phase phase)
{
	json_line(json, "latency");
	json_string(json, "phase", proclife_phase_info(phase)->name);
	json_percentiles(json, proclife_latency_phase(run->latency, phase));
	json_spent(json, proclife_latency_spent(run->latency, phase));
	json_line_end(json);
}

static void json_all(const struct run *run, const struct latency *latency)
{
	struct json *json = run->json;
	struct proclife_latency_counts counts = counts_of(run);
	unsigned int i;

	for (i = 0; i < PROCLIFE_PHASES; i++)
		json_phase(run, json, phase_of_row(i));
	json_line(json, "lives");
	json_string(json, "of", run->options->threads ? "threads" : "processes");
	json_uint(json, "lives", counts.lives);
	json_uint(json, "alive", counts.alive);
	json_uint(json, "dying", counts.dying);
	json_uint(json, "zombies", counts.unreaped);
	json_uint(json, "unfreed", counts.unfreed);
	json_uint(json, "unknown", counts.unknown);
	json_uint(json, "partial", counts.partial);
	json_uint(json, "incomplete", counts.incomplete);
	json_line_end(json);
	if (run->options->by != PROCLIFE_BY_NOTHING)
		groups_print_json(run, latency->ends);
	if (latency->slowest)
		slowest_print(latency->slowest);
}

static int begin(struct run *run, void **state)
{
	struct latency *latency = calloc(1, sizeof(*latency));
	int ret;

	if (!latency)
		return -ENOMEM;
	*state = latency;
	if (run->options->inputs.count > 1)
		return 0;
	ret = slowest_new(&latency->slowest, run);
	/* How a cgroup ended is known at the end of the trace. */
	if (!ret && run->options->by == PROCLIFE_BY_CGROUP && !run->options->interval)
		ret = proclife_cgroup_ends_new(&latency->ends, run->tasks);
	return ret;
}

static bool has_any(const struct run *run, void *state)
{
	(void)state;
	/* Memory can come back later than the process that it was of. */
	return proclife_latency_counts(run->latency)->lives || phase_count(run, PROCLIFE_HELD) ||
	       phase_count(run, PROCLIFE_UNMAP);
}

/* run->latency is not this view's alone: the intervals restart it. */
static void restart(struct run *run, void **state)
{
	struct latency *latency = *state;

	(void)run;
	slowest_clear(latency->slowest);
}

static void end(void *state)
{
	struct latency *latency = state;

	if (!latency)
		return;
	slowest_free(latency->slowest);
	proclife_cgroup_ends_free(latency->ends);
	free(latency);
}

static void print(const struct run *run, void *state)
{
	const struct proclife_header *header = proclife_source_header(run->source);
	const struct latency *latency = state;
	struct text line;

	if (run->options->json) {
		json_all(run, latency);
		return;
	}
	text_init(&line, run->screen);
	show_counts(run, &line);
	if (!options_repeat(run->options)) { /* the interval says what it lost itself */
		show_lost(&line, run->lost);
		show_missed(&line, header);
	}
	text_line(&line);
	show_table(run, &line);
	show_spent(run, &line);
	show_bars(run, &line);
	if (run->options->by != PROCLIFE_BY_NOTHING)
		groups_print(run, &line, latency->ends);
	if (latency->slowest)
		slowest_print(latency->slowest);
	if (header && !options_repeat(run->options))
		show_method(run, &line, header);
	text_free(&line);
}

const struct view view_latency = {
	.request = {
		.name = "latency",
		.help = "How long tasks live, stay zombies and wait to be freed",
		.takes = OF_TRACE | GIVEN(THREADS) | GIVEN(BY),
		.takes_by = GIVEN(TOP),
		.by = choice_by,
		.combines = true,
		.adds_up = true,
		.measures = true,
	},
	.begin = begin,
	.has_any = has_any,
	.restart = restart,
	.print = print,
	.free = end,
};
