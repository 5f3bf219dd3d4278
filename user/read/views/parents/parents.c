// SPDX-License-Identifier: GPL-2.0-only
/* Which processes fork, which ones reap and how soon, and which ones leave zombies. */
#include "output/columns.h"
#include "output/cut.h"
#include "output/message.h"
#include "output/percentiles.h"
#include "output/wrap.h"
#include "views/parents/parents.h"
#include <inttypes.h>

/*
 * The columns behind the name. Where the terminal is too narrow for all, the columns of the highest rank are
 * left out first.
 */
enum column {
	COLUMN_PID,
	COLUMN_BORN,
	COLUMN_RATE,
	COLUMN_REAPED,
	COLUMN_CPU,
	COLUMN_COALESCED,
	COLUMN_IN_WAIT,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_MAX,
	COLUMNS,
};

#define NAME_COLUMNS 16

static const struct ranked_column columns[COLUMNS] = {
	[COLUMN_PID] = { "PID", 7, 0 },		   [COLUMN_BORN] = { "BORN", COUNT_COLUMNS, 0 },
	[COLUMN_RATE] = { "FORKS/s", 7, 2 },	   [COLUMN_REAPED] = { "REAPED", COUNT_COLUMNS, 0 },
	[COLUMN_CPU] = { "DEAD CPU", TIME_COLUMNS, 3 }, [COLUMN_COALESCED] = { "COALESCED", 9, 4 },
	[COLUMN_IN_WAIT] = { "IN WAIT", 7, 5 },	   [COLUMN_P50] = { "p50", TIME_COLUMNS, 6 },
	[COLUMN_P99] = { "p99", TIME_COLUMNS, 7 }, [COLUMN_MAX] = { "MAX", TIME_COLUMNS, 1 },
};

static void put_rate(struct text *line, unsigned int width, const struct parent *parent)
{
	double rate;

	if (!parent->sum.born || !parent->to) {
		text_spaces(line, width);
		return;
	}
	rate = (double)parent->sum.born * 1e9 / (double)(parent->to - parent->from);
	if (rate < 0.005)
		text_printf(line, "%*s", (int)width, "<0.01");
	else if (rate >= 9999999.5)
		text_printf(line, "%*.1e", (int)width, rate);
	else
		text_printf(line, "%*.*f", (int)width, rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate);
}

static void put_pid(struct text *line, unsigned int width, const struct parent *parent)
{
	struct text count;

	if (parent->count == 1) {
		text_uint_in(line, width, parent->sum.tgid);
		return;
	}
	text_init(&count, line->screen);
	text_draw(&count, "×", "x");
	text_count(&count, parent->count);
	if (count.columns < width)
		text_spaces(line, width - count.columns);
	text_style(line, STYLE_BOLD);
	text_bytes(line, count.s, count.len, count.columns);
	text_style(line, STYLE_PLAIN);
	text_free(&count);
}

static void put_figure(struct text *line, const struct parent *parent, enum column column)
{
	const struct proclife_reaper *sum = &parent->sum;
	uint64_t notified = sum->awaited + sum->belated;
	unsigned int width = columns[column].width;

	switch (column) {
	case COLUMN_PID:
		put_pid(line, width, parent);
		return;
	case COLUMN_BORN:
		text_count_in(line, width, sum->born);
		return;
	case COLUMN_RATE:
		put_rate(line, width, parent);
		return;
	case COLUMN_REAPED:
		text_count_in(line, width, sum->reaped);
		return;
	case COLUMN_CPU:
		if (!(sum->reaped | sum->ignored | sum->ended_with))
			break;
		text_time_in(line, width, sum->runtime);
		return;
	case COLUMN_COALESCED:
		if (!sum->coalesced)
			break;
		text_style(line, STYLE_WARN);
		text_count_in(line, width, sum->coalesced);
		text_style(line, STYLE_PLAIN);
		return;
	case COLUMN_IN_WAIT:
		if (!notified)
			break;
		text_printf(line, "%*.0f %%", (int)width - 2,
			    100.0 * (double)sum->awaited / (double)notified);
		return;
	case COLUMN_P50:
	case COLUMN_P99:
		if (!sum->zombie)
			break;
		text_percentile_in(line, sum->zombie, column == COLUMN_P50 ? 50 : 99);
		return;
	case COLUMN_MAX:
		if (!sum->zombie)
			break;
		text_time_in(line, width, proclife_histogram_max(sum->zombie));
		return;
	case COLUMNS:
		return;
	}
	text_spaces(line, width);
}

static void put_notes(const struct run *run, struct text *line,
		      const struct proclife_reaper *reaper)
{
	const char *separator = "";

	if (parent_role(reaper)) {
		text_printf(line, "%s%s", separator, parent_role(reaper));
		separator = ", ";
	}
	if (reaper->adopted) {
		text_printf(line, "%sadopted %" PRIu64, separator, reaper->adopted);
		separator = ", ";
	}
	if (reaper->ignored) {
		text_printf(line, "%signored the end of %" PRIu64, separator, reaper->ignored);
		separator = ", ";
	}
	if (reaper->ended_with) {
		text_printf(line, "%sended its pid namespace, with %" PRIu64, separator, reaper->ended_with);
		separator = ", ";
	}
	if (reaper->zombies) {
		text_string(line, separator);
		text_style(line, STYLE_WARN);
		text_plural(line, reaper->zombies, "zombie", "zombies");
		text_string(line, reaper->zombies > 1 ? ", the oldest " : " ");
		text_string(line, reaper->oldest ? "for " : "for an unknown time");
		if (reaper->oldest)
			text_time(line, run->ended - reaper->oldest);
		text_style(line, STYLE_PLAIN);
		separator = ", ";
	}
	if (reaper->gone && reaper->zombies)
		text_printf(line, "%sgone", separator);
}

static void put_name(struct text *line, const struct proclife_reaper *reaper)
{
	struct text name;

	text_init(&name, line->screen);
	if (reaper->named)
		text_comm(&name, reaper->comm);
	else
		text_string(&name, "(unknown)");
	text_in(line, &name, line->screen->width ? NAME_COLUMNS : 0);
	text_pad(line, NAME_COLUMNS);
	text_free(&name);
}

/* After the figures; if there is no room, in a line of their own. */
static void show_notes(const struct run *run, struct text *line, const struct proclife_reaper *reaper)
{
	unsigned int width = run->screen->width;
	struct text notes;

	text_init(&notes, run->screen);
	text_string(&notes, "");
	put_notes(run, &notes, reaper);
	if (notes.len) {
		if (width && line->columns + 2 + notes.columns > width) {
			text_line(line);
			text_more(line);
		}
		text_string(line, "  ");
		text_in(line, &notes, width > 2 ? width - 2 : width);
	}
	text_free(&notes);
}

static void show(const struct run *run, struct text *line, const struct parent *parent,
		 unsigned int rank)
{
	unsigned int i;

	put_name(line, &parent->sum);
	for (i = 0; i < COLUMNS; i++) {
		if (columns[i].rank > rank)
			continue;
		text_string(line, " ");
		put_figure(line, parent, i);
	}
	show_notes(run, line, &parent->sum);
	text_line(line);
}

static void show_json(const struct run *run, const struct parent *parent)
{
	const struct proclife_reaper *reaper = &parent->sum;
	struct json *json = run->json;

	json_line(json, "parent");
	json_uint(json, "id", reaper->id);
	json_uint(json, "pid", reaper->tgid);
	json_comm_or_null(json, "comm", reaper->named, reaper->comm);
	json_bool(json, "init", reaper->init);
	json_bool(json, "gone", reaper->gone);
	json_uint(json, "born", reaper->born);
	json_uint_or_null(json, "lived", parent->to - parent->from);
	json_uint(json, "reaped", reaper->reaped);
	json_uint(json, "adopted", reaper->adopted);
	json_uint(json, "awaited", reaper->awaited);
	json_uint(json, "belated", reaper->belated);
	json_uint(json, "ignored", reaper->ignored);
	json_uint(json, "ended_with", reaper->ended_with);
	json_uint(json, "dead_runtime", reaper->runtime);
	json_uint(json, "coalesced", reaper->coalesced);
	json_uint(json, "zombies", reaper->zombies);
	json_uint_or_null(json, "oldest", reaper->oldest);
	json_percentiles(json, reaper->zombie);
	json_line_end(json);
}

static void show_head(struct text *line, unsigned int rank)
{
	unsigned int i;

	text_style(line, STYLE_HEAD);
	text_printf(line, "%-*s", NAME_COLUMNS, "PARENT");
	for (i = 0; i < COLUMNS; i++)
		if (columns[i].rank <= rank)
			text_printf(line, " %*s", (int)columns[i].width, columns[i].title);
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void show_method(const struct parents *parents, struct text *line, uint64_t most)
{
	bool folded = false;
	size_t i;

	for (i = 0; i < parents->count && i < most; i++)
		folded |= parents->all[i].count > 1;
	text_style(line, STYLE_DIM);
	if (folded) {
		text_draw(line, "×", "x");
		text_string(line, "N: N parents of one program; --no-fold shows each.");
		text_style(line, STYLE_PLAIN);
		text_line(line);
		text_style(line, STYLE_DIM);
	}
	text_string(line, "FORKS/s: while it lived. DEAD CPU: of those reaped. COALESCED: ends whose signal "
			  "met one already pending. MAX: the longest that one of them was a zombie.");
	text_style(line, STYLE_PLAIN);
	text_paragraph(line);
}

void parents_print_table(const struct run *run, const struct parents *parents, uint64_t most)
{
	unsigned int rank = columns_rank(columns, COLUMNS, NAME_COLUMNS, run->screen->width);
	struct text line;
	size_t i;

	text_init(&line, run->screen);
	show_head(&line, rank);
	for (i = 0; i < parents->count && i < most; i++)
		show(run, &line, &parents->all[i], rank);
	text_free(&line);
}

static void show_all(const struct run *run, const struct parents *parents)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : MANY_LINES;
	struct text line;

	parents_print_table(run, parents, most);
	text_init(&line, run->screen);
	if (most < parents->count) {
		text_plural(&line, parents->count - most, "more line", "more lines");
		text_string(&line, "; --top N shows N");
		text_line(&line);
	}
	if (!run_has_reap(run)) {
		text_string(&line, "REAP is not recorded: which process reaps, and how soon, is not known.");
		text_line(&line);
	}
	if (parents->count && !options_repeat(run->options))
		show_method(parents, &line, most);
	text_free(&line);
}

static int begin(struct run *run, void **state)
{
	struct proclife_reapers *reapers;
	int ret = proclife_reapers_new(&reapers, run->tasks);

	if (ret)
		return ret;
	if (options_repeat(run->options))
		proclife_reapers_at_birth(reapers);
	*state = reapers;
	return 0;
}

static bool has_any(const struct run *run, void *state)
{
	const struct proclife_reaper *reaper;
	size_t i;

	(void)run;
	if (proclife_reapers_update(state))
		die_no_memory();
	for (i = 0; (reaper = proclife_reapers_get(state, i)); i++)
		if (parent_is_shown(reaper))
			return true;
	return false;
}

static void restart(struct run *run, void **state)
{
	proclife_reapers_free(*state);
	*state = NULL;
	if (begin(run, state))
		die_no_memory();
}

static void end(void *state)
{
	proclife_reapers_free(state);
}

static void print(const struct run *run, void *state)
{
	struct parents parents = parents_collect(run, state);
	size_t i;

	if (run->options->json) {
		for (i = 0; i < parents.count; i++)
			show_json(run, &parents.all[i]);
	} else {
		show_all(run, &parents);
	}
	parents_free(&parents);
}

const struct view view_parents = {
	.request = {
		.name = "parents",
		.help = "Each parent: its forks, reaps, delays and zombies",
		.takes = OF_TRACE | GIVEN(TOP) | GIVEN(NO_FOLD),
		.combines = true,
	},
	.begin = begin,
	.has_any = has_any,
	.restart = restart,
	.print = print,
	.free = end,
};
