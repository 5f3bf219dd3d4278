// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tree for people. The figures stand left, in columns; the tree stands right, where it can grow
 * as deep as it likes.
 */
#include "output/cut.h"
#include "output/message.h"
#include "views/share/lived.h"
#include "views/tree/tree.h"
#include "views/share/when.h"
#include <stdlib.h>
#include <string.h>

#define PID_COLUMNS 7
#define LIFE_COLUMNS 9
#define CPU_COLUMNS 8
#define RSS_COLUMNS 8
#define MIN_NAME 12
#define MIN_NAME_BELOW 16 /* in front of what is counted below it */

/* Where the screen is narrower, there is no such column. */
#define LEAST_FOR_START 100
#define LEAST_FOR_RSS 60
#define LEAST_FOR_CPU 50

#define DECIMALS 3
#define DATE_COLUMNS 12 /* "2026-11-22Z " */

/* Lines without a limit stay as short as they are, unless an option asks for times. */
static bool has_start(const struct run *run)
{
	unsigned int width = run->screen->width;

	return width ? width >= LEAST_FOR_START : run->options->times != TIMES_LOCAL;
}

/* Are the births not all of one day? */
static bool has_days(const struct run *run)
{
	int64_t day = 0;

	when_is_new_day(run, run->began, &day);
	return when_is_new_day(run, run->ended, &day);
}

static void choose_columns(struct tree_view *view)
{
	const struct run *run = view->run;
	unsigned int width = run->screen->width;

	view->has_cpu = !width || width >= LEAST_FOR_CPU;
	view->has_rss = !width || width >= LEAST_FOR_RSS;
	view->dated = has_days(run);
	view->start_columns = !has_start(run) ? 0 : when_columns(run, DECIMALS) +
						      (view->dated ? DATE_COLUMNS : 0);
	view->figure_columns = PID_COLUMNS + 1 + LIFE_COLUMNS;
	if (view->start_columns)
		view->figure_columns += view->start_columns + 1;
	if (view->has_cpu)
		view->figure_columns += CPU_COLUMNS + 1;
	if (view->has_rss)
		view->figure_columns += RSS_COLUMNS + 1;
}

static unsigned int max_levels(const struct tree_view *view)
{
	unsigned int width = view->run->screen->width;
	unsigned int taken = view->figure_columns + 2 + 24;

	if (!width)
		return 40;
	return width > taken + 12 ? (width - taken) / 3 : 4;
}

/* The lines that lead to a row; far too many of them are replaced by how many they are. */
static void put_guides(struct tree_view *view, unsigned int depth)
{
	unsigned int most = max_levels(view), i;
	struct text *line = &view->line;

	if (!depth)
		return;
	text_style(line, STYLE_DIM);
	for (i = 0; i + 1 < depth && i < most; i++) {
		if (view->guides[i + 1])
			text_draw(line, "│  ", "|  ");
		else
			text_spaces(line, 3);
	}
	if (depth > most + 1)
		text_printf(line, "+%u ", depth - most - 1);
	if (view->guides[depth])
		text_draw(line, "├─ ", "|- ");
	else
		text_draw(line, "└─ ", "`- ");
	text_style(line, STYLE_PLAIN);
}

static void set_guide(struct tree_view *view, unsigned int depth, bool more)
{
	if (depth >= view->guide_size) {
		size_t size = view->guide_size ? view->guide_size * 2 : 64;

		view->guides = realloc(view->guides, size);
		if (!view->guides)
			die_no_memory();
		view->guide_size = size;
	}
	view->guides[depth] = more;
}

/* Nothing is known of processes that are older than the trace. @born: 0 then. */
static void put_start(struct tree_view *view, uint64_t born)
{
	struct text *line = &view->line;
	unsigned int column = line->columns;

	if (!view->start_columns)
		return;
	if (born && view->dated) {
		text_when_title(line, view->run, born);
		text_pad(line, column + DATE_COLUMNS);
	}
	if (born)
		text_when(line, view->run, born, DECIMALS);
	text_pad(line, column + view->start_columns);
	text_string(line, " ");
}

static void put_life(struct text *line, bool known, bool at_least, uint64_t life)
{
	if (!known)
		text_printf(line, "%*s", LIFE_COLUMNS, "?");
	else if (!at_least)
		text_time_in(line, LIFE_COLUMNS, life);
	else
		text_time_at_least_in(line, LIFE_COLUMNS, life);
}

static void put_cpu(struct tree_view *view, bool known, uint64_t runtime)
{
	struct text *line = &view->line;

	if (!view->has_cpu)
		return;
	text_string(line, " ");
	if (known)
		text_time_in(line, CPU_COLUMNS, runtime);
	else
		text_spaces(line, CPU_COLUMNS);
}

static void put_rss(struct tree_view *view, uint64_t max_rss)
{
	struct text *line = &view->line;

	if (!view->has_rss)
		return;
	text_string(line, " ");
	if (max_rss)
		text_size_in(line, RSS_COLUMNS, max_rss);
	else
		text_spaces(line, RSS_COLUMNS);
}

static unsigned int columns_left(const struct tree_view *view)
{
	unsigned int width = view->run->screen->width, column = view->line.columns;

	return width > column ? width - column : 1;
}

/* Behind the name and what has to be said. */
static void choose_below(struct tree_view *view, const struct row *b)
{
	unsigned int taken = MIN_NAME_BELOW + view->ranked, left = columns_left(view);

	if (!view->run->screen->width)
		taken = left = 0;
	tree_build_below(view, b, left > taken ? left - taken : left ? 1 : 0);
}

/*
 * The columns that are left for a name in front of the notes; 0: any. What is run says more than the
 * end of long notes, but less than why the line is there, and what is counted there.
 */
static unsigned int name_columns(const struct tree_view *view)
{
	unsigned int notes = view->notes.columns, left, least, most;

	if (!view->run->screen->width)
		return 0;
	left = columns_left(view);
	left = left > view->below.columns ? left - view->below.columns : 1;
	least = left / 2 < MIN_NAME ? MIN_NAME : left / 2;
	most = view->ranked + (notes > view->ranked); /* with the mark of a cut */
	most = left > most ? left - most : left;
	if (left >= notes + least)
		return left - notes;
	return least < most ? least : most;
}

/* No line is wider than the screen, whatever is to be said on it. */
static void end_line(struct tree_view *view)
{
	unsigned int left = columns_left(view), below = view->below.columns;
	unsigned int width = view->run->screen->width;
	struct text *line = &view->line;

	if (!width)
		text_in(line, &view->notes, 0);
	else if (width > line->columns && left > below)
		text_in(line, &view->notes, left - below);
	if (!width || width > line->columns)
		text_in(line, &view->below, width ? width - line->columns : 0);
	text_line(line);
}

static void put_row(struct tree_view *view, const struct row *b, unsigned int depth)
{
	struct figures figures = row_figures(&view->rows, b);
	const struct proclife_node *node = b->node;
	struct text *line = &view->line;
	struct text count;

	if (b->count > 1) {
		text_init(&count, line->screen);
		text_draw(&count, "×", "x");
		text_count(&count, b->count);
		if (count.columns < PID_COLUMNS)
			text_spaces(line, PID_COLUMNS - count.columns);
		text_style(line, STYLE_BOLD);
		text_draw(line, "×", "x");
		text_count(line, b->count);
		text_style(line, STYLE_PLAIN);
		text_free(&count);
	} else {
		text_printf(line, "%*u", PID_COLUMNS, node->tgid);
	}
	text_string(line, " ");
	put_start(view, row_born(&view->rows, b));
	put_life(line, figures.life_known, figures.at_least, figures.life);
	put_cpu(view, node->has_cpu || (b->count > 1 && figures.runtime), figures.runtime);
	put_rss(view, figures.max_rss);
	tree_build_notes(view, b);
	text_string(line, "  ");
	put_guides(view, depth);
	choose_below(view, b);
	tree_put_label(view, line, b, name_columns(view));
	end_line(view);
}

static void put_thread(struct tree_view *view, const struct thread *t, unsigned int depth)
{
	uint64_t from = t->marks.born ? t->marks.born : t->seen;
	uint64_t to = t->marks.exited ? t->marks.exited : view->run->ended;
	uint64_t before = lived_before(view->run, t->marks.born, t->seen, t->start);
	struct text *line = &view->line;

	text_printf(line, "%*u ", PID_COLUMNS, t->tid);
	put_start(view, t->marks.born);
	/* Without a beginning of its exit, it has lived until the end only if it still does. */
	put_life(line, to >= from && (t->marks.exited || (!t->incomplete &&
							  t->state == PROCLIFE_IS_ALIVE)),
		 (!t->marks.born && !before) || !t->marks.exited, to - from + before);
	put_cpu(view, t->has_cpu, t->runtime);
	put_rss(view, 0);
	text_clear(&view->name);
	text_string(&view->name, "{");
	text_comm(&view->name, t->comm);
	text_string(&view->name, "}");
	text_clear(&view->notes);
	text_string(&view->notes, "");
	text_clear(&view->below);
	text_string(&view->below, "");
	view->ranked = 0;
	if (t->exit_code && t->marks.exited)
		tree_note_exit(&view->notes, t->exit_code, NULL, 0, NULL);
	tree_note_state(&view->notes, t->state);
	text_string(line, "  ");
	put_guides(view, depth);
	text_in(line, &view->name, name_columns(view));
	end_line(view);
}

static void put_threads(struct tree_view *view, const struct row *b, unsigned int depth)
{
	const struct thread *threads;
	size_t count, i;

	threads = tree_threads_of(view, b->node->id, &count);
	for (i = 0; i < count; i++) {
		set_guide(view, depth + 1, i + 1 < count || b->child);
		put_thread(view, &threads[i], depth + 1);
	}
}

static void put_tree(struct tree_view *view)
{
	const struct row *all = view->rows.all;
	uint32_t i = all[0].child;
	unsigned int depth = 0;

	set_guide(view, 0, false);
	while (i) {
		const struct row *b = &all[i];

		set_guide(view, depth, b->next);
		put_row(view, b, depth);
		if (view->run->options->threads)
			put_threads(view, b, depth);
		if (b->child) {
			i = b->child;
			depth++;
			continue;
		}
		while (i && !all[i].next) {
			i = all[i].parent;
			depth--;
		}
		i = all[i].next;
	}
}

/* Roots that are cut have no line to be counted at. */
static void put_cut_roots(struct tree_view *view)
{
	const struct cut_off *cut = row_cut_off(&view->rows, &view->rows.all[0]);
	struct text *line = &view->line;

	if (!cut->processes)
		return;
	text_spaces(line, view->figure_columns + 2);
	tree_note_cut_off(line, cut, "process", "processes");
	text_line(line);
}

static void put_head(struct tree_view *view)
{
	struct text *line = &view->line;

	text_style(line, STYLE_HEAD);
	text_printf(line, "%*s ", PID_COLUMNS, "PID");
	if (view->start_columns)
		text_printf(line, "%*s ", (int)view->start_columns, "START");
	text_printf(line, "%*s", LIFE_COLUMNS, "LIFE");
	if (view->has_cpu)
		text_printf(line, " %*s", CPU_COLUMNS, "CPU");
	if (view->has_rss)
		text_printf(line, " %*s", RSS_COLUMNS, "RSS");
	text_string(line, "  PROCESS");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

void tree_print_text(struct tree_view *view)
{
	choose_columns(view);
	put_head(view);
	put_tree(view);
	put_cut_roots(view);
	tree_print_summary(view);
}
