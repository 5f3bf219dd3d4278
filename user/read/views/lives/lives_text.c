// SPDX-License-Identifier: GPL-2.0-only
/*
 * The deaths as a table. Where lines have a width, columns are left out until there is room for a
 * command, and the command is cut.
 */
#include "cli/choices.h"
#include "output/cut.h"
#include "output/message.h"
#include "output/quote.h"
#include "views/lives/lives.h"
#include "views/share/memory.h"
#include "views/share/when.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS 3
#define IN_COLUMNS 2
#define DATE_COLUMNS 12 /* "2026-11-22Z " */
#define PID_COLUMNS 7
#define USER_COLUMNS 8
#define SPAN_COLUMNS 9 /* of a time, with what says that it is at least as long */
#define CPU_COLUMNS 8
#define STATUS_COLUMNS 8
#define MIN_COMMAND 20 /* columns are left out for it */
#define MIN_CUT 4      /* what is shorter says nothing */

static const struct {
	const char *title;
	unsigned int columns; /* without the space before it */
	bool left;	      /* aligned */
} columns[LIVES_COLUMNS] = {
	[LIVES_IN] = { "IN", IN_COLUMNS, false },
	[LIVES_TIME] = { "TIME", 0, false },
	[LIVES_PID] = { "PID", PID_COLUMNS, false },
	[LIVES_PPID] = { "PPID", PID_COLUMNS, false },
	[LIVES_USER] = { "USER", USER_COLUMNS, true },
	[LIVES_LIFE] = { "LIFE", SPAN_COLUMNS, false },
	[LIVES_CPU] = { "CPU", CPU_COLUMNS, false },
	[LIVES_STATUS] = { "STATUS", STATUS_COLUMNS, true },
	[LIVES_FIGURE] = { NULL, SPAN_COLUMNS, false },
	[LIVES_COMMAND] = { "COMMAND", MIN_COMMAND, true },
};

/* The columns that are left out first say the least. */
static const enum lives_column least[] = { LIVES_PPID, LIVES_USER, LIVES_CPU, LIVES_TIME };

/* The column of the figure by which lives are sorted. */
static enum lives_column column_of(enum sort_key sort)
{
	static const enum lives_column have_one[] = {
		[SORT_NONE] = LIVES_COLUMNS, [SORT_TIME] = LIVES_TIME,	  [SORT_LIFE] = LIVES_LIFE,
		[SORT_ALONE] = LIVES_FIGURE, [SORT_CPU] = LIVES_CPU, [SORT_RSS] = LIVES_FIGURE,
		[SORT_READ] = LIVES_FIGURE, [SORT_WRITTEN] = LIVES_FIGURE,
	};

	return sort < SORT_PHASES ? have_one[sort] : LIVES_FIGURE;
}

static unsigned int width_of(const struct lives_text *view)
{
	unsigned int width = 0, i;

	for (i = 0; i < LIVES_COLUMNS; i++)
		if (view->shown[i])
			width += (i == LIVES_TIME ? view->time_columns : columns[i].columns) + 1;
	return width;
}

static void choose_columns(struct lives_text *view)
{
	unsigned int width = view->run->screen->width;
	size_t i;

	for (i = 0; i < LIVES_COLUMNS; i++)
		view->shown[i] = true;
	view->shown[LIVES_IN] = view->numbered;
	view->shown[LIVES_FIGURE] = column_of(view->sort) == LIVES_FIGURE;
	for (i = 0; width && i < sizeof(least) / sizeof(least[0]) && width_of(view) > width; i++)
		view->shown[least[i]] = least[i] == column_of(view->sort);
}

void lives_text_init(struct lives_text *view, const struct run *run, enum sort_key sort)
{
	view->run = run;
	view->sort = sort;
	view->numbered = sort && run->number;
	text_init(&view->line, run->screen);
	text_init(&view->command, run->screen);
	text_init(&view->notes, run->screen);
}

void lives_text_free(struct lives_text *view)
{
	text_free(&view->line);
	text_free(&view->command);
	text_free(&view->notes);
	recent_free(&view->recent);
}

void lives_text_titles(struct lives_text *view, bool dated)
{
	struct text *line = &view->line;
	const char *separator = "";
	unsigned int i, width;

	view->dated = dated;
	view->time_columns = when_columns(view->run, DECIMALS) + (dated ? DATE_COLUMNS : 0);
	choose_columns(view);
	text_style(line, STYLE_HEAD);
	for (i = 0; i < LIVES_COLUMNS; i++) {
		const char *title = columns[i].title;
		char figure[16];

		if (!view->shown[i])
			continue;
		if (!title)
			title = upper(figure, sizeof(figure), choice_sort(view->sort - 1));
		width = i == LIVES_TIME ? view->time_columns : columns[i].columns;
		text_string(line, separator);
		if (i == LIVES_COMMAND)
			text_string(line, title);
		else
			text_printf(line, columns[i].left ? "%-*s" : "%*s", (int)width, title);
		separator = " ";
	}
	text_style(line, STYLE_PLAIN);
}

void lives_text_head(struct lives_text *view, bool dated)
{
	lives_text_titles(view, dated);
	text_line(&view->line);
}

void lives_text_recording(struct lives_text *view, const struct run *run)
{
	unsigned int width = run->screen->width;
	struct text *line = &view->line;

	text_clear(&view->command);
	text_label(&view->command, run->options->inputs.all[run->number - 1], SIZE_MAX);
	text_style(line, STYLE_DIM);
	text_string(line, "-- ");
	text_word_in(line, &view->command, width ? width - 6 : 0);
	text_string(line, " --");
	text_style(line, STYLE_PLAIN);
	text_line(line);
	view->day = 0;
}

/*
 * A line
 */

static void put_unknown(struct text *line, unsigned int width)
{
	text_spaces(line, width - 1);
	text_string(line, "?");
}

static void put_span(struct text *line, unsigned int width, const struct figure *figure)
{
	if (!figure->known)
		put_unknown(line, width);
	else if (figure->at_least)
		text_time_at_least_in(line, width, figure->value);
	else
		text_time_in(line, width, figure->value);
}

static void put_user(struct lives_text *view, const struct life *life)
{
	struct text *line = &view->line;
	unsigned int column = line->columns;

	if (!life->has_uid) {
		text_string(line, "?");
	} else {
		text_clear(&view->command);
		text_user(&view->command, life->run, life->uid);
		text_in(line, &view->command, line->screen->width ? USER_COLUMNS : 0);
	}
	text_pad(line, column + USER_COLUMNS);
}

static void put_status(struct text *line, const struct life *life)
{
	unsigned int column = line->columns;
	int signo = life_signal(life);
	char buffer[24];

	if (!life->exited || life->exit_code < 0) {
		text_string(line, "?");
	} else if (!life->exit_code) {
		text_string(line, "0");
	} else {
		text_style(line, STYLE_BAD);
		if (signo)
			text_string(line, signal_name(signo, buffer));
		else
			text_uint(line, life_status(life));
		if (life->exit_code & 0x80)
			text_string(line, " core");
		text_style(line, STYLE_PLAIN);
	}
	text_pad(line, column + STATUS_COLUMNS);
}

static void put_figure(const struct lives_text *view, struct text *line, const struct life *life)
{
	bool in_bytes = view->sort == SORT_READ || view->sort == SORT_WRITTEN;

	if (view->sort != SORT_RSS && !in_bytes)
		put_span(line, SPAN_COLUMNS, &life->figure);
	else if (life->figure.known)
		text_size_in(line, SPAN_COLUMNS, in_bytes ? life->figure.value / 1024 : life->figure.value);
	else
		put_unknown(line, SPAN_COLUMNS);
}

static void put_time(struct lives_text *view, const struct life *life)
{
	struct text *line = &view->line;
	unsigned int column = line->columns;

	if (!life->when) {
		put_unknown(line, view->time_columns);
		return;
	}
	if (view->dated) {
		text_when_title(line, life->run, life->when);
		text_pad(line, column + DATE_COLUMNS);
	}
	text_when(line, life->run, life->when, DECIMALS);
}

/* The time of a line has no date. */
static void put_day(struct lives_text *view, const struct life *life)
{
	struct text *line = &view->line;

	if (view->dated || !life->when || !when_is_new_day(life->run, life->when, &view->day))
		return;
	text_style(line, STYLE_DIM);
	text_string(line, "-- ");
	text_when_title(line, life->run, life->when);
	text_string(line, " --");
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void put_columns(struct lives_text *view, const struct life *life)
{
	struct figure lived = life_figure(life, SORT_LIFE, 0);
	struct text *line = &view->line;
	const bool *shown = view->shown;

	if (shown[LIVES_IN]) {
		text_uint_in(line, IN_COLUMNS, life->run->number);
		text_string(line, " ");
	}
	if (shown[LIVES_TIME]) {
		put_time(view, life);
		text_string(line, " ");
	}
	text_uint_in(line, PID_COLUMNS, life->tgid);
	if (shown[LIVES_PPID]) {
		text_string(line, " ");
		if (life->has_parent)
			text_uint_in(line, PID_COLUMNS, life->parent_tgid);
		else
			put_unknown(line, PID_COLUMNS);
	}
	if (shown[LIVES_USER]) {
		text_string(line, " ");
		put_user(view, life);
	}
	text_string(line, " ");
	put_span(line, SPAN_COLUMNS, &lived);
	if (shown[LIVES_CPU]) {
		text_string(line, " ");
		if (life->has_cpu)
			text_time_in(line, CPU_COLUMNS, life->usage.runtime);
		else
			put_unknown(line, CPU_COLUMNS);
	}
	text_string(line, " ");
	put_status(line, life);
	text_string(line, " ");
	if (shown[LIVES_FIGURE]) {
		put_figure(view, line, life);
		text_string(line, " ");
	}
}

/*
 * The program by the last part of its path; without arguments, the whole path. @recent: leave out what
 * its last line had, and what says little if there is no @room for that; or NULL.
 */
static void put_command(struct text *text, const struct life *life, struct recent *recent,
			unsigned int room)
{
	const struct command command = { life->path, life->args, life->args_bytes, life->args_cut,
					 life->script, life->by_fd };

	if (life->flags & PROCLIFE_F_KTHREAD) {
		text_string(text, "[");
		text_comm(text, life->comm);
		text_string(text, "]");
		return;
	}
	if (!life->path) {
		text_comm(text, life->comm);
		return;
	}
	if (life->args)
		text_command(text, &command);
	else
		text_label(text, life->path, SIZE_MAX);
	if (!command_is_called(&command, life->comm)) {
		text_string(text, " (");
		text_comm(text, life->comm);
		text_string(text, ")");
	}
	if (life->args && recent)
		recent_put_args(recent, text, life->comm, &command,
				room > text->columns ? room - text->columns : 1);
	else if (life->args)
		text_args(text, life->args, life->args_bytes, life->args_cut, command_skip(&command));
}

static bool by_memory(const struct lives_text *view)
{
	return view->sort >= SORT_PHASES && proclife_phase_info(sort_phase(view->sort))->of_memory;
}

/* How much it was, and which task let go of it last. */
static void put_memory(struct text *notes, const struct life *life)
{
	const struct proclife_memory *memory = &life->memory;

	if (!memory->teardown && !memory->async) {
		text_printf(notes, "held by %" PRIu32, memory->holders);
		return;
	}
	if (memory->teardown)
		text_size(notes, memory_kib(memory));
	if (!memory->own)
		memory_put_last(notes, memory->teardown ? " let go by " : "let go by ", memory);
}

/* Why it ended, mostly: so it is there in a narrow column, too. */
static void put_failed_exec(struct text *notes, const struct proclife_failed_exec *failed, bool whole)
{
	text_string(notes, notes->len ? ", " : "  ");
	text_style(notes, STYLE_BAD);
	text_failed_exec(notes, failed, whole);
	text_style(notes, STYLE_PLAIN);
}

/* How much is said of what had to do with the death. */
enum detail {
	LITTLE,
	SHORT, /* and why it failed */
	WHOLE, /* and the other processes */
};

static void build_notes(struct text *notes, const struct lives_text *view, const struct life *life,
			enum detail detail)
{
	bool others = detail == WHOLE;
	char buffer[24];
	size_t before;

	text_clear(notes);
	text_string(notes, "");
	if (others && life->killer.signo) {
		text_string(notes, "  ");
		text_style(notes, STYLE_BAD);
		text_string(notes, signal_name(life->killer.signo, buffer));
		before = notes->len;
		text_killer(notes, &life->killer, life->tgid, view->run->cgroups);
		if (notes->len == before) /* STATUS says as much */
			text_clear(notes);
		else
			text_style(notes, STYLE_PLAIN);
	}
	if (life->failed_exec.error && detail >= SHORT)
		put_failed_exec(notes, &life->failed_exec, others);
	if (others && by_memory(view) && life_has_memory(life)) {
		text_string(notes, notes->len ? ", " : "  ");
		put_memory(notes, life);
	}
	if (others && life->execs > 1)
		text_printf(notes, "%s%" PRIu32 " execs", notes->len ? ", " : "  ", life->execs);
	if (!life->incomplete && life->when)
		return;
	text_string(notes, notes->len ? ", " : "  ");
	text_style(notes, STYLE_BAD);
	if (!life->exited)
		text_string(notes, "EXIT lost");
	else
		text_string(notes, life->incomplete ? "incomplete" : "began to exit before");
	text_style(notes, STYLE_PLAIN);
}

static bool has_notes(const struct lives_text *view, const struct life *life)
{
	return life->killer.signo || life->failed_exec.error || life->incomplete || !life->when || life->execs > 1 || by_memory(view);
}

void lives_text_row(struct lives_text *view, const struct life *life)
{
	unsigned int width = view->run->screen->width, left, needs;
	struct text *line = &view->line, *notes = &view->notes;

	put_columns(view, life);
	text_clear(notes);
	text_string(notes, "");
	if (has_notes(view, life))
		build_notes(notes, view, life, WHOLE);
	if (!width) {
		put_command(line, life, NULL, 0);
	} else {
		left = width > line->columns ? width - line->columns : 0;
		text_clear(&view->command);
		put_command(&view->command, life, NULL, 0);
		needs = view->command.columns < MIN_COMMAND ? view->command.columns : MIN_COMMAND;
		if (notes->columns + needs > left)
			build_notes(notes, view, life, SHORT);
		if (notes->columns + (needs < MIN_CUT ? needs : MIN_CUT) > left)
			build_notes(notes, view, life, LITTLE);
		if (notes->columns > left)
			text_clear(notes);
		if (life->args && view->command.columns > left - notes->columns) {
			text_clear(&view->command);
			put_command(&view->command, life, &view->recent,
				    left - notes->columns);
		}
		if (left - notes->columns >= (needs < MIN_CUT ? needs : MIN_CUT))
			text_in(line, &view->command, left - notes->columns);
	}
	text_bytes(line, notes->s, notes->len, notes->columns);
}

void lives_text_life(struct lives_text *view, const struct life *life)
{
	put_day(view, life);
	lives_text_row(view, life);
	text_line(&view->line);
}

/*
 * What it comes to
 */

static void put_state(struct text *line, const char **separator, uint64_t n, const char *what,
		      enum style style)
{
	if (!n)
		return;
	text_string(line, *separator);
	text_style(line, style);
	text_count(line, n);
	text_string(line, what);
	text_style(line, STYLE_PLAIN);
	*separator = ", ";
}

/* What the numbers of IN stand for. */
static void put_recordings(struct lives_text *view)
{
	const struct words *inputs = &view->run->options->inputs;
	unsigned int width = view->run->screen->width;
	struct text *line = &view->line;
	size_t i;

	for (i = 0; i < inputs->count; i++) {
		text_clear(&view->command);
		text_label(&view->command, inputs->all[i], SIZE_MAX);
		text_printf(line, "IN %zu: ", i + 1);
		text_word_in(line, &view->command, width ? width - line->columns : 0);
		text_line(line);
	}
}

void lives_text_end(struct lives_text *view, const struct lives_counts *counts, uint64_t shown)
{
	const struct run *run = view->run;
	struct text *line = &view->line;
	uint64_t zombies = counts->states[PROCLIFE_IS_ZOMBIE];
	const char *separator = "; at the end ";

	text_line(line);
	if (run->options->cut.matching) {
		text_count(line, counts->matched);
		text_string(line, " of ");
	}
	text_plural(line, counts->deaths, "death", "deaths");
	if (run->options->cut.matching)
		text_string(line, " matched");
	if (shown != counts->matched) {
		text_string(line, ", ");
		text_count(line, shown);
		text_string(line, " shown");
	}
	put_state(line, &separator, counts->states[PROCLIFE_IS_ALIVE], " alive", STYLE_PLAIN);
	put_state(line, &separator, counts->states[PROCLIFE_IS_DYING], " dying", STYLE_WARN);
	put_state(line, &separator, zombies, plural(zombies, " zombie", " zombies"),
		  STYLE_WARN);
	put_state(line, &separator, counts->states[PROCLIFE_IS_UNFREED], " not freed", STYLE_PLAIN);
	put_state(line, &separator, counts->states[PROCLIFE_IS_UNKNOWN], " not known", STYLE_BAD);
	separator = "; ";
	put_state(line, &separator, counts->lost, plural(counts->lost, " end lost", " ends lost"),
		  STYLE_BAD);
	text_line(line);
	if (view->numbered)
		put_recordings(view);
}
