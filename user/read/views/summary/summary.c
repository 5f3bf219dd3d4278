// SPDX-License-Identifier: GPL-2.0-only
/* Which program costs what, and how many processes and CPUs were busy over time. */
#include "cli/choices.h"
#include "output/columns.h"
#include "output/cut.h"
#include "output/level.h"
#include "output/message.h"
#include "output/percentiles.h"
#include "output/quote.h"
#include "output/wrap.h"
#include "views/share/ended.h"
#include "views/share/overtime.h"
#include "views/share/path.h"
#include "views/summary/programs.h"
#include "views/summary/summary.h"
#include "views/share/when.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void summary_count(struct summary *summary, const struct proclife_process *process)
{
	const struct run *run = summary->run;
	uint64_t exited = process->marks.exited, ended = process_ended_by(process), born;

	if (!process->selected || !process->matches)
		return;
	programs_add(&summary->programs, summary->by, process, ended && ended <= run->to);
	/* How many lived over time is not a question of those that ended. */
	if (options_repeat(run->options))
		return;
	if (!summary->began) {
		overtime_begin(&summary->overtime, run_from(run));
		summary->overtime.limit = run->to;
		summary->began = true;
	}
	born = overtime_born(run, process);
	/* What one that lives on has used is not known. */
	if (exited)
		overtime_add(&summary->overtime, born, exited, process->runtime);
	else if (process->outlives)
		overtime_add(&summary->overtime, born, run->ended, 0);
}

static void process_gone(void *data, struct proclife_process *process)
{
	summary_count(data, process);
}

static int begin(struct run *run, void **state)
{
	static const struct proclife_reports reports = {
		.size = sizeof(reports), .process_gone = process_gone,
	};
	struct summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return -ENOMEM;
	summary->run = run;
	summary->by = run->options->summary_by;
	*state = summary;
	return proclife_tasks_report(run->tasks, &reports, summary);
}

static bool has_any(const struct run *run, void *state)
{
	const struct summary *summary = state;

	(void)run;
	return summary->programs.count;
}

static void restart(struct run *run, void **state)
{
	struct summary *summary = *state;

	(void)run;
	programs_free(&summary->programs);
	summary->programs = (struct programs){ 0 };
}

static void end(void *state)
{
	struct summary *summary = state;

	if (!summary)
		return;
	programs_free(&summary->programs);
	free(summary);
}

/*
 * The columns. Where the terminal is too narrow for all, the columns of the highest rank are left out
 * first; PROGRAM takes what remains.
 */
enum column {
	COLUMN_RUNS,
	COLUMN_FAILED,
	COLUMN_CPU,
	COLUMN_SHARE,
	COLUMN_WAIT,
	COLUMN_RSS,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMN_PID,
	COLUMNS,
};

static const struct ranked_column columns[COLUMNS] = {
	[COLUMN_RUNS] = { "RUNS", 7, 0 },    [COLUMN_FAILED] = { "FAILED", 6, 2 },
	[COLUMN_CPU] = { "CPU", 8, 0 },	     [COLUMN_SHARE] = { "SHARE", 5, 3 },
	[COLUMN_WAIT] = { "WAIT", 8, 4 },    [COLUMN_RSS] = { "RSS", 8, 7 },
	[COLUMN_P50] = { "p50", TIME_COLUMNS, 5 },
	[COLUMN_P99] = { "p99", TIME_COLUMNS, 6 },	     [COLUMN_MAX] = { "MAX", 8, 1 },
	[COLUMN_PID] = { "PID", 8, 8 },
};

#define PROGRAM_COLUMNS 28 /* at least */

/* WAIT is there only where the trace has what it takes. */
static bool has_column(const struct run *run, enum column column)
{
	return column != COLUMN_WAIT || !proclife_phase_lacks(PROCLIFE_PHASE_WAIT, proclife_source_header(run->source));
}

static unsigned int rank_of_columns(const struct run *run)
{
	struct ranked_column there[COLUMNS];
	unsigned int count = 0, i;

	for (i = 0; i < COLUMNS; i++)
		if (has_column(run, i))
			there[count++] = columns[i];
	return columns_rank(there, count, 1 + PROGRAM_COLUMNS, run->screen->width);
}

static void put_figure(struct text *line, const struct programs *programs,
		       const struct program *program, enum column column)
{
	const struct proclife_histogram *life = program->life;
	uint64_t lives = life ? proclife_histogram_count(life) : 0;
	unsigned int width = columns[column].width;

	switch (column) {
	case COLUMN_RUNS:
		text_count_in(line, width, program->runs);
		return;
	case COLUMN_FAILED:
		if (!program->failed)
			break;
		text_style(line, STYLE_BAD);
		text_count_in(line, width, program->failed);
		text_style(line, STYLE_PLAIN);
		return;
	case COLUMN_CPU:
		text_time_in(line, width, program->runtime);
		return;
	case COLUMN_SHARE:
		if (!programs->runtime)
			break;
		text_printf(line, "%*.0f %%", (int)width - 2, 100.0 * (double)program->runtime /
			    (double)programs->runtime);
		return;
	case COLUMN_WAIT:
		if (!program->waits)
			break;
		text_time_in(line, width, program->waiting);
		return;
	case COLUMN_RSS:
		if (!program->max_rss)
			break;
		text_size_in(line, width, program->max_rss);
		return;
	case COLUMN_P50:
	case COLUMN_P99:
		text_percentile_in(line, life, column == COLUMN_P50 ? 50 : 99);
		return;
	case COLUMN_MAX:
		if (!lives)
			break;
		text_time_in(line, width, proclife_histogram_max(life));
		return;
	case COLUMN_PID:
		if (!program->longest.tgid)
			break;
		text_uint_in(line, width, program->longest.tgid);
		return;
	case COLUMNS:
		return;
	}
	text_spaces(line, width);
}

static void text_program(struct text *line, const struct run *run, const struct program *program)
{
	enum summary_by by = run->options->summary_by;

	if (!program->known)
		text_string(line, "(unknown)");
	else if (by == SUMMARY_BY_CGROUP)
		text_cgroup(line, run, program->number);
	else if (by == SUMMARY_BY_UID)
		text_user(line, run, (uint32_t)program->number);
	else
		text_label(line, program->name, SIZE_MAX);
}

/* The end of a path says most. @behind: columns that are wanted behind it; three fifths of the room, at most. */
static void put_name(struct text *line, const struct run *run, const struct program *program,
		     unsigned int behind)
{
	unsigned int width = run->screen->width;
	unsigned int room = width > line->columns ? width - line->columns : 1;
	struct text name;

	text_init(&name, run->screen);
	text_string(&name, "");
	text_program(&name, run, program);
	room -= behind < room * 3 / 5 ? behind : room * 3 / 5;
	text_word_in(line, &name, width ? room : 0);
	text_free(&name);
}

/* The program of the longest run, where the line is not one of a program. */
static void put_run(struct text *line, const struct text *program)
{
	unsigned int width = line->screen->width;

	if (width && line->columns + 3 > width)
		return;
	text_string(line, "  ");
	text_in(line, program, width ? width - line->columns : 0);
}

/* Cuts what is longer than the line; the end of an argument says most. */
static void put_end(struct text *line, const struct run *run, const char *argument)
{
	unsigned int width = run->screen->width, room;
	struct text word;

	text_init(&word, run->screen);
	text_word(&word, argument, strlen(argument));
	room = !width ? UINT32_MAX : width > line->columns + 4 ? width - line->columns - 4 : 0;
	if (word.columns <= room) {
		text_string(line, "  ");
		text_style(line, STYLE_DIM);
		text_bytes(line, word.s, word.len, word.columns);
		text_style(line, STYLE_PLAIN);
	} else if (room > 8) {
		/* Without quotes: what they would enclose is not there. */
		text_clear(&word);
		text_name(&word, argument, SIZE_MAX);
		text_string(line, "  ");
		text_style(line, STYLE_DIM);
		text_end_in(line, &word, room);
		text_style(line, STYLE_PLAIN);
	}
	text_free(&word);
}

static void put_program(struct text *line, const struct run *run, const struct programs *programs,
			const struct program *program, unsigned int rank)
{
	enum summary_by by = run->options->summary_by;
	const char *argument = program_longest_argument(program);
	struct text of, behind;
	unsigned int i;

	for (i = 0; i < COLUMNS; i++) {
		if (columns[i].rank > rank || !has_column(run, i))
			continue;
		if (i)
			text_string(line, " ");
		put_figure(line, programs, program, i);
	}
	text_string(line, "  ");
	text_init(&of, run->screen);
	text_string(&of, "");
	if (argument && by != SUMMARY_BY_COMM && by != SUMMARY_BY_PATH)
		text_label(&of, path_base(program->longest.args.text), SIZE_MAX);
	text_init(&behind, run->screen);
	text_string(&behind, "");
	if (argument)
		text_word(&behind, argument, strlen(argument));
	put_name(line, run, program, argument ? of.columns + behind.columns + 6 : 0);
	if (of.columns)
		put_run(line, &of);
	if (argument)
		put_end(line, run, argument);
	text_free(&behind);
	text_free(&of);
	text_line(line);
}

static void put_head(struct text *line, const struct run *run, unsigned int rank)
{
	static const char *const titles[SUMMARY_BYS] = {
		[SUMMARY_BY_COMM] = "PROGRAM, and its longest run",
		[SUMMARY_BY_PATH] = "PROGRAM, and its longest run",
		[SUMMARY_BY_DIR] = "FOLDER, and its longest run",
		[SUMMARY_BY_CGROUP] = "CGROUP, and its longest run",
		[SUMMARY_BY_UID] = "USER, and the longest run",
		[SUMMARY_BY_PARENT] = "PARENT, and its longest child",
	};
	unsigned int i;

	text_style(line, STYLE_HEAD);
	for (i = 0; i < COLUMNS; i++)
		if (columns[i].rank <= rank && has_column(run, i))
			text_printf(line, "%s%*s", i ? " " : "", (int)columns[i].width,
				    columns[i].title);
	text_printf(line, "  %s", titles[run->options->summary_by]);
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

#define GRAPH_COLUMNS 48 /* at most */
#define GRAPH_NAME 6
#define GRAPH_FIGURES 39 /* what stands before and behind it */

static unsigned int graph_columns(const struct run *run)
{
	unsigned int width = run->screen->width;
	unsigned int others = GRAPH_NAME + GRAPH_FIGURES - 8 + when_columns(run, 0);

	if (!width || width >= others + GRAPH_COLUMNS)
		return GRAPH_COLUMNS;
	return width > others + 1 ? width - others : 1;
}

/* Three digits, and all of those before the point. */
static void put_level(struct text *line, double value)
{
	if (value >= 999.5)
		text_count(line, (uint64_t)(value + 0.5));
	else
		text_printf(line, "%.3g", value < 0.0005 ? 0 : value);
}

/* Over time: the highest level of the slices that a column stands for, and when it was highest. */
static void put_graph(struct text *line, const struct summary *summary, const char *title,
		      const double *of, uint64_t end)
{
	const struct overtime *overtime = &summary->overtime;
	size_t slices = overtime_slices(overtime, end), i, most = 0;
	double highest = 0, sum = 0;
	struct text when;
	unsigned int column, shown = graph_columns(summary->run);

	shown = slices < shown ? (unsigned int)slices : shown;

	text_init(&when, summary->run->screen);
	for (i = 0; i < slices; i++) {
		sum += of[i];
		if (overtime_level(overtime, of, i, end) > highest) {
			highest = overtime_level(overtime, of, i, end);
			most = i;
		}
	}
	text_printf(line, "%-*s", GRAPH_NAME, title);
	for (column = 0; column < shown; column++) {
		double part = 0;

		for (i = column * slices / shown; i < (column + 1) * slices / shown; i++)
			if (overtime_level(overtime, of, i, end) > part)
				part = overtime_level(overtime, of, i, end);
		text_level(line, highest > 0 ? part / highest : 0);
	}
	text_string(line, "  mean ");
	put_level(line, sum / (double)(end - overtime->begin));
	text_string(line, ", most ");
	put_level(line, highest);
	text_string(line, " at ");
	text_when(&when, summary->run, overtime->begin + most * overtime->width, 0);
	text_string(line, when.s + strspn(when.s, " "));
	text_free(&when);
	text_line(line);
}

static void put_overtime(struct text *line, const struct summary *summary)
{
	uint64_t end = summary->overtime.end;

	if (!summary->began || end <= summary->overtime.begin)
		return;
	text_line(line);
	put_graph(line, summary, "lived", summary->overtime.lived, end);
	put_graph(line, summary, "busy", summary->overtime.busy, end);
}

static void put_sum(struct text *line, const struct summary *summary)
{
	const struct programs *programs = &summary->programs;

	text_line(line);
	text_plural(line, programs->runs, "process", "processes");
	text_string(line, " ended");
	if (programs->failed) {
		text_string(line, ", ");
		text_style(line, STYLE_BAD);
		text_count(line, programs->failed);
		text_string(line, " failed");
		text_style(line, STYLE_PLAIN);
	}
	if (programs->open > programs->unsure) {
		text_string(line, ", ");
		text_count(line, programs->open - programs->unsure);
		text_string(line, " did not (CPU not known)");
	}
	if (programs->unsure) {
		text_string(line, ", the end of ");
		text_style(line, STYLE_BAD);
		text_count(line, programs->unsure);
		text_style(line, STYLE_PLAIN);
		text_string(line, " is not certain");
	}
	text_string(line, "; CPU ");
	text_time(line, programs->runtime);
	text_line(line);
}

static void put_share(struct text *line, uint64_t part, uint64_t all)
{
	double percent = 100 * (double)part / (double)all;

	text_printf(line, percent < 10 ? "%.1f %%" : "%.0f %%", percent);
}

/* The price of the processes themselves. */
static void put_costs(struct text *line, const struct summary *summary)
{
	static const char *const one[COST_PHASES] = { "fork", "exec", "teardown" };
	static const char *const more[COST_PHASES] = { "forks", "execs", "teardowns" };
	const struct programs *programs = &summary->programs;
	uint64_t all = 0, on_cpu = 0, own = 0, lives = 0, known = 0;
	size_t i;

	if (!programs->runs || proclife_phase_lacks(PROCLIFE_PHASE_FORK, proclife_source_header(summary->run->source)))
		return;
	text_string(line, "births and deaths:");
	for (i = 0; i < COST_PHASES; i++) {
		const struct phase_cost *cost = &programs->costs[i];

		if (!cost->count)
			continue;
		text_string(line, lives ? ", " : " ");
		text_plural(line, cost->count, one[i], more[i]);
		text_string(line, " ");
		text_time(line, cost->ns);
		lives += cost->count;
		add_count(&all, cost->ns);
		add_count(&on_cpu, cost->spent.on_cpu);
		/* A fork's is its creator's, which need not be one of these. */
		if (cost_phases[i] != PROCLIFE_PHASE_FORK)
			add_count(&own, cost->spent.on_cpu);
		known += cost->spent.count;
	}
	text_string(line, lives ? ": " : " not known");
	if (lives) {
		text_time(line, all);
		text_string(line, " in all");
	}
	if (known) {
		text_string(line, known < lives ? ", at least " : ", ");
		text_time(line, on_cpu);
		text_string(line, " of that on a CPU");
	}
	if (own && programs->runtime >= own) {
		text_string(line, "; execs and teardowns are ");
		put_share(line, own, programs->runtime);
		text_string(line, " of the CPU time above");
	}
	text_paragraph(line);
}

/* What is seen in it, behind the table. */
static void put_method(struct text *line, const struct summary *summary)
{
	if (!summary->programs.runs || options_repeat(summary->run->options))
		return;
	text_style(line, STYLE_DIM);
	text_string(line, "p50 and MAX: from fork to exit. busy: CPUs, estimated by spreading the CPU "
			  "time of each life evenly over it. most: the highest average of ");
	text_time(line, summary->overtime.width);
	text_string(line, ".");
	if (has_column(summary->run, COLUMN_WAIT)) {
		text_string(line, " WAIT: for a CPU, all threads");
		if (summary->programs.waits < summary->programs.runs) {
			text_string(line, "; not known of ");
			text_plural(line, summary->programs.runs - summary->programs.waits, "run", "runs");
		}
		text_string(line, ".");
	}
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

void summary_print_table(const struct run *run, const struct programs *programs, uint64_t most)
{
	unsigned int rank = rank_of_columns(run);
	struct text line;
	size_t i;

	text_init(&line, run->screen);
	put_head(&line, run, rank);
	for (i = 0; i < programs->count && i < most; i++)
		put_program(&line, run, programs, programs->all[i], rank);
	text_free(&line);
}

static void print_text(const struct summary *summary)
{
	const struct programs *programs = &summary->programs;
	const struct run *run = summary->run;
	uint64_t most = run->options->cut.top ? run->options->cut.top : MANY_LINES;
	struct text line;

	summary_print_table(run, programs, most);
	text_init(&line, run->screen);
	if (most < programs->count) {
		text_plural(&line, programs->count - most, "more line", "more lines");
		text_string(&line, ", with less CPU time; --top N shows N");
		text_line(&line);
	}
	put_sum(&line, summary);
	put_costs(&line, summary);
	put_overtime(&line, summary);
	put_method(&line, summary);
	text_free(&line);
}

static void print(const struct run *run, void *state)
{
	struct summary *summary = state;
	size_t i;

	programs_sort(&summary->programs);
	if (!run->options->json) {
		print_text(summary);
		return;
	}
	for (i = 0; i < summary->programs.count; i++)
		summary_json_program(run, summary->programs.all[i]);
	summary_json_overhead(run, &summary->programs);
	if (summary->began && summary->overtime.end > summary->overtime.begin)
		summary_json_overtime(run->json, &summary->overtime);
}

const struct view view_summary = {
	.request = {
		.name = "summary",
		.help = "Which program costs what: runs, failures, CPU, times",
		.takes = OF_TRACE | GIVEN(BY) | GIVEN(TOP),
		.by = choice_summary_by,
		.combines = true,
		.range = RANGE_OF_LIVES,
	},
	.has_cgroups = true,
	.begin = begin,
	.has_any = has_any,
	.restart = restart,
	.print = print,
	.free = end,
};
