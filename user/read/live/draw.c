// SPDX-License-Identifier: GPL-2.0-only
/* What stands where. */
#include "cli/choices.h"
#include "live/state.h"
#include "output/cut.h"
#include "output/message.h"
#include "views/share/when.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_FOR_GRAPHS 14
#define GRAPH_ROWS 3
#define DATE_COLUMNS 12 /* "2026-11-22Z " */
#define PROGRAM_COLUMNS 10
#define LEAST_SOURCE 8

static int graph_rows(void)
{
	return terminal_rows() >= ROWS_FOR_GRAPHS ? GRAPH_ROWS : 0;
}

/* Titles that take several lines leave at least one for the list. */
static int title_rows(const struct live *live)
{
	int count = live->over || live->pane == PANE_DEATHS ? 1 : (int)live->titles.count;
	int room = terminal_rows() - 4 - graph_rows();

	return count < room ? count : room;
}

/* Above the list: the first line, graphs, tables by name, titles. */
static int list_row(const struct live *live)
{
	return 1 + graph_rows() + 1 + title_rows(live);
}

int draw_page(const struct live *live)
{
	int rows = terminal_rows() - 1 - list_row(live);

	return rows > 0 ? rows : 1;
}

static void put_line(int row, struct text *line, bool marked)
{
	text_string(line, "");
	terminal_line(row, line->s, marked);
	text_clear(line);
}

/*
 * The first line
 */

static void put_span(struct text *line, uint64_t ns)
{
	uint64_t seconds = ns / UINT64_C(1000000000);

	if (seconds >= 3600)
		text_printf(line, "%lu:%02u:%02u", (unsigned long)(seconds / 3600),
			    (unsigned int)(seconds / 60 % 60), (unsigned int)(seconds % 60));
	else
		text_printf(line, "%u:%02u", (unsigned int)(seconds / 60), (unsigned int)(seconds % 60));
}

static void put_speed(struct text *line, int speed)
{
	text_draw(line, "×", "x");
	if (speed >= 0)
		text_count(line, UINT64_C(1) << speed);
	else
		text_printf(line, "1/%lu", 1UL << -speed);
}

static void put_player(struct text *line, const struct player *player)
{
	bool known = player->ended != UINT64_MAX;

	text_string(line, "  ");
	text_string(line, player->behind && !player->at_end ? "reading" :
			  player->paused ? "paused" : player->at_end && player->at >= player->ended ? "at its end" : "playing");
	text_string(line, " ");
	put_speed(line, player->speed);
	text_string(line, "  ");
	put_span(line, player->at - player->began);
	if (!known)
		return;
	text_string(line, " of ");
	put_span(line, player->ended - player->began);
	if (player->ended > player->began)
		text_printf(line, " (%.0f %%)", floor(100 * (double)(player->at - player->began) /
						      (double)(player->ended - player->began)));
}

static void put_source(struct text *line, const struct live *live, unsigned int room)
{
	const struct options *options = live->options;
	struct text name;

	text_init(&name, line->screen);
	text_string(&name, "");
	if (options->inputs.count)
		text_label(&name, options->inputs.all[0], SIZE_MAX);
	else if (options->device)
		text_label(&name, options->device, SIZE_MAX);
	else
		text_string(&name, "this machine");
	text_word_in(line, &name, room);
	text_free(&name);
}

static void draw_first(const struct live *live, struct text *line)
{
	const struct run *run = live->board->run;
	struct text right;
	int64_t day = 0;
	unsigned int width = (unsigned int)terminal_columns();

	text_init(&right, &live->screen);
	text_string(&right, "");
	if (live->replay)
		put_player(&right, &live->player);
	else
		text_string(&right, live->frozen ? "  FROZEN" : "  live");
	if (run->ended && right.columns + when_columns(run, 0) + 20 < width) {
		text_string(&right, "  ");
		if (right.columns + when_columns(run, 0) + DATE_COLUMNS + 20 < width &&
		    when_is_new_day(run, run->ended, &day)) {
			text_when_title(&right, run, run->ended);
			text_string(&right, " ");
		}
		text_when(&right, run, run->ended, 0);
	}
	/* Where it is comes first, then whose it is. */
	if (width >= right.columns + PROGRAM_COLUMNS + LEAST_SOURCE)
		text_string(line, "proclife  ");
	if (width >= right.columns + LEAST_SOURCE)
		put_source(line, live, width - line->columns - right.columns);
	text_pad(line, width > right.columns ? width - right.columns : 0);
	text_in(line, &right, width);
	text_free(&right);
	put_line(0, line, true);
}

static void draw_graphs(const struct live *live, struct text *line)
{
	static const enum pulse_kind kinds[GRAPH_ROWS][2] = {
		{ PULSE_FORKS, PULSE_ZOMBIES }, { PULSE_DEATHS, PULSE_EXIT_FREE }, { PULSE_BUSY, PULSE_LOST },
	};
	const struct pulse *pulse = live->frozen ? &live->still_pulse : &live->board->pulse;
	unsigned int width = (unsigned int)terminal_columns(), half = (width - 2) / 2;
	int row;

	for (row = 0; row < graph_rows(); row++) {
		pulse_print(pulse, line, kinds[row][0], half);
		text_pad(line, half + 2);
		pulse_print(pulse, line, kinds[row][1], half);
		put_line(1 + row, line, false);
	}
}

static void put_state(struct text *line, const char *what, const char *text)
{
	text_string(line, "  ");
	text_style(line, STYLE_WARN);
	text_string(line, what);
	if (text)
		text_name(line, text, SIZE_MAX);
	text_style(line, STYLE_PLAIN);
}

static void draw_tabs(const struct live *live, struct text *line)
{
	unsigned int pane;
	struct text whole;

	for (pane = 0; pane < PANES; pane++) {
		bool shown = pane == live->pane;

		text_string(line, shown ? "[" : " ");
		text_style(line, shown ? STYLE_BOLD : STYLE_PLAIN);
		text_printf(line, "%u %s", pane + 1, pane_name(pane));
		text_style(line, STYLE_PLAIN);
		text_string(line, shown ? "]" : " ");
	}
	if (live->pane == PANE_DEATHS && (live->sort != SORT_TIME || live->inverted)) {
		put_state(line, live->inverted ? "least " : "by ", choice_sort(live->sort - 1));
	}
	if (live->pane == PANE_DEATHS && live->failed)
		put_state(line, "failed", NULL);
	if (live->pane == PANE_DEATHS && live->user[0])
		put_state(line, "user ", live->user);
	if (live->filter[0])
		put_state(line, "filter ", live->filter);
	text_init(&whole, &live->screen);
	text_in(&whole, line, (unsigned int)terminal_columns());
	text_clear(line);
	put_line(1 + graph_rows(), &whole, false);
	text_free(&whole);
}

/*
 * The list
 */

static void draw_titles(struct live *live, struct text *line)
{
	static const char *const overs[] = {
		[OVER_HELP] = "Keys: as in htop and less where these have them", [OVER_LIFE] = "A life",
		[OVER_SORT] = "Sort deaths by",
	};
	int row = 2 + graph_rows();
	size_t i;

	if (live->over) {
		text_style(line, STYLE_HEAD);
		text_string(line, overs[live->over]);
		text_style(line, STYLE_PLAIN);
		put_line(row, line, false);
	} else if (live->pane == PANE_DEATHS) {
		lives_text_titles(&live->lives, live->dated);
		put_line(row, &live->lives.line, false);
	}
	for (i = 0; !live->over && live->pane != PANE_DEATHS && i < (size_t)title_rows(live); i++)
		terminal_line(row + (int)i, live->titles.all[i], false);
}

/* The cursor's line is to be seen, and there is no room below the last one as long as more are above. */
static void settle(const struct live *live, struct list *list, size_t count)
{
	size_t page = (size_t)draw_page(live);

	if (list->cursor >= count)
		list->cursor = count ? count - 1 : 0;
	if (!over_is_page(live)) {
		if (list->top > list->cursor)
			list->top = list->cursor;
		if (list->cursor >= list->top + page)
			list->top = list->cursor - page + 1;
	}
	if (list->top + page > count)
		list->top = count > page ? count - page : 0;
}

static void draw_list(struct live *live, struct text *line)
{
	struct list *list = live->over ? &live->over_list : &live->lists[live->pane];
	size_t count = live->over ? live->over_lines.count : panes_count(live), i;
	int row = list_row(live), last = terminal_rows() - 1;
	bool has_cursor = !over_is_page(live);

	settle(live, list, count);
	for (i = list->top; row < last; row++, i++) {
		if (i >= count) {
			terminal_line(row, "", false);
			continue;
		}
		if (live->over)
			text_bytes(line, live->over_lines.all[i], strlen(live->over_lines.all[i]), 0);
		else
			panes_put_line(live, i, line);
		put_line(row, line, has_cursor && i == list->cursor);
	}
}

/* Its end is where something is typed. */
static void put_typed(struct text *line, const char *typed)
{
	unsigned int width = (unsigned int)terminal_columns();
	struct text name;

	text_init(&name, line->screen);
	text_string(&name, "");
	text_name(&name, typed, SIZE_MAX);
	text_end_in(line, &name, width - line->columns - 1);
	text_free(&name);
}

static int draw_bar(const struct live *live, struct text *line)
{
	const char *said = live->note[0] ? live->note : message_held();
	int column = -1, row = terminal_rows() - 1;

	if (live->prompt) {
		text_style(line, STYLE_BOLD);
		text_string(line, prompt_title(live->prompt));
		text_style(line, STYLE_PLAIN);
		put_typed(line, live->typed);
		column = (int)line->columns;
	} else if (said) {
		text_style(line, STYLE_WARN);
		text_string(line, said);
		text_style(line, STYLE_PLAIN);
	} else {
		keys_put_bar(line, (unsigned int)terminal_columns(), live->replay);
	}
	put_line(row, line, false);
	return column;
}

static void draw_small(struct text *line)
{
	int row;

	text_printf(line, "Too small: needs %dx%d", LEAST_COLUMNS, LEAST_ROWS);
	put_line(0, line, false);
	for (row = 1; row < terminal_rows(); row++)
		terminal_line(row, "", false);
	terminal_show(-1, 0);
}

void draw(struct live *live)
{
	struct text line;
	int column;

	text_init(&line, &live->screen);
	if (terminal_rows() < LEAST_ROWS || terminal_columns() < LEAST_COLUMNS) {
		draw_small(&line);
		text_free(&line);
		return;
	}
	draw_first(live, &line);
	draw_graphs(live, &line);
	draw_tabs(live, &line);
	draw_titles(live, &line);
	draw_list(live, &line);
	column = draw_bar(live, &line);
	terminal_show(column >= 0 ? terminal_rows() - 1 : -1, column);
	text_free(&line);
}
