// SPDX-License-Identifier: GPL-2.0-only
/* The tables: deaths line by line, the others as their views print them. */
#include "live/state.h"
#include "output/array.h"
#include "output/message.h"
#include "views/now/dying.h"
#include "views/parents/parents.h"
#include "views/summary/summary.h"
#include "views/share/when.h"
#include <stdlib.h>
#include <string.h>

#define MOST_LINES 1000
#define SECOND UINT64_C(1000000000)
#define PROC_EVERY (2 * SECOND) /* /proc is looked through */

const char *pane_name(enum pane pane)
{
	static const char *const names[PANES] = {
		[PANE_DEATHS] = "Deaths", [PANE_PARENTS] = "Parents", [PANE_DYING] = "Dying",
		[PANE_ZOMBIES] = "Zombies", [PANE_PROGRAMS] = "Programs",
	};

	return names[pane];
}

/*
 * Lines
 */

void lines_free(struct lines *lines)
{
	free(lines->text);
	free(lines->all);
	*lines = (struct lines){ 0 };
}

static char *printed;
static size_t printed_size;

FILE *lines_begin(struct live *live)
{
	live->screen.out = open_memstream(&printed, &printed_size);
	if (!live->screen.out)
		die_no_memory();
	return live->screen.out;
}

void lines_end(struct live *live, FILE *file, struct lines *lines)
{
	size_t room = 0;
	char *s, *end;

	live->screen.out = stdout; /* which nothing writes to meanwhile */
	if (fclose(file))
		die_no_memory();
	lines_free(lines);
	lines->text = printed;
	for (s = lines->text; (end = strchr(s, '\n')); s = end + 1) {
		*end = '\0';
		ARRAY_GROW(lines->all, lines->count, room);
		lines->all[lines->count++] = s;
	}
}

/* A row of a table that is too long for a line continues in others. */
static bool is_more(const char *line)
{
	return !strncmp(line, TEXT_MORE, strlen(TEXT_MORE));
}

/* The line behind the row that begins here. */
static size_t row_end(const struct lines *lines, size_t number)
{
	while (++number < lines->count && is_more(lines->all[number]))
		;
	return number;
}

/* The first @rows of them are titles. */
static void split_titles(struct live *live, size_t rows)
{
	struct lines *lines = &live->lines;
	size_t count = 0, i;

	lines_free(&live->titles);
	for (i = 0; i < rows && count < lines->count; i++)
		count = row_end(lines, count);
	if (!count || i < rows)
		return;
	live->titles.all = calloc(count, sizeof(*live->titles.all));
	if (!live->titles.all)
		die_no_memory();
	for (i = 0; i < count; i++)
		live->titles.all[i] = lines->all[i];
	live->titles.count = count;
	memmove(lines->all, lines->all + count, (lines->count - count) * sizeof(*lines->all));
	lines->count -= count;
}

/* Without the escape sequences of text_style(). */
static size_t put_plain(char *plain, size_t room, const char *line)
{
	size_t n = 0;

	while (*line && n < room) {
		if (*line == '\033')
			line += strcspn(line, "m") + 1;
		else
			plain[n++] = *line++;
	}
	return n;
}

/* As if there were room for it in one line. */
static bool row_has(const struct lines *lines, size_t number, const char *text)
{
	char plain[4096];
	size_t end = row_end(lines, number), n = put_plain(plain, sizeof(plain) - 1, lines->all[number]);
	const char *more;

	while (++number < end && n < sizeof(plain) - 1) {
		plain[n++] = ' ';
		more = lines->all[number] + strlen(TEXT_MORE);
		n += put_plain(plain + n, sizeof(plain) - 1 - n, more + strspn(more, " "));
	}
	plain[n] = '\0';
	return strcasestr(plain, text);
}

static void filter_lines(struct live *live)
{
	struct lines *lines = &live->lines;
	size_t i, end, n = 0;

	if (!live->filter[0])
		return;
	for (i = 0; i < lines->count; i = end) {
		end = row_end(lines, i);
		if (!row_has(lines, i, live->filter))
			continue;
		memmove(lines->all + n, lines->all + i, (end - i) * sizeof(*lines->all));
		n += end - i;
	}
	lines->count = n;
}

static void put_since(FILE *file, struct run *run, uint64_t since)
{
	char when[WHEN_SIZE];

	if (since)
		fprintf(file, "since %s; what was before is forgotten\n", when_text(run, since, when));
}

static void print_parents(struct live *live, FILE *file)
{
	struct board *board = live->board;
	struct parents parents;

	if (proclife_reapers_update(board->reapers))
		die_no_memory();
	parents = parents_collect(board->run, board->reapers);
	parents_print_table(board->run, &parents, MOST_LINES);
	put_since(file, board->run, board->reapers_since);
	if (!run_has_reap(board->run))
		fputs("REAP is not recorded: which process reaps, and how soon, is not known.\n", file);
	parents_free(&parents);
}

static void print_dying(struct live *live, FILE *file)
{
	struct run *run = live->board->run;
	struct dying_list list;
	char why[DYING_WHY];

	if (live->replay) {
		fputs("/proc knows nothing of a recording: see the zombies instead.\n", file);
	} else if (dying_check(run, why)) {
		fprintf(file, "%s\n", why);
	} else {
		list = dying_collect(run, "/proc");
		dying_print(run, &list);
		dying_free(&list);
	}
}

static void print_table(struct live *live, enum pane pane, struct lines *lines)
{
	struct board *board = live->board;
	FILE *file = lines_begin(live);

	switch (pane) {
	case PANE_PARENTS:
		print_parents(live, file);
		break;
	case PANE_DYING:
		print_dying(live, file);
		break;
	case PANE_ZOMBIES:
		zombies_print(board->run);
		break;
	case PANE_PROGRAMS:
		programs_sort(&board->programs);
		summary_print_table(board->run, &board->programs, MOST_LINES);
		put_since(file, board->run, board->programs_since);
		break;
	case PANE_DEATHS:
	case PANES:
		break;
	}
	lines_end(live, file, lines);
}

static void print_still(struct live *live, const struct lines *still, struct lines *lines)
{
	FILE *file = lines_begin(live);
	size_t i;

	for (i = 0; i < still->count; i++)
		fprintf(file, "%s\n", still->all[i]);
	lines_end(live, file, lines);
}

static void update_lines(struct live *live)
{
	static const size_t titles[PANES + 1] = {
		[PANE_PARENTS] = 1, [PANE_DYING] = 2, [PANE_ZOMBIES] = 2, [PANE_PROGRAMS] = 1,
	};

	if (live->frozen)
		print_still(live, &live->still_lines[live->pane], &live->lines);
	else
		print_table(live, live->pane, &live->lines);
	split_titles(live, titles[live->pane]);
	filter_lines(live);
}

/*
 * Deaths
 */

static bool death_has(const struct kept_death *kept, const char *text)
{
	const struct life *life = kept->life;
	char pid[12];
	uint32_t i;

	snprintf(pid, sizeof(pid), "%u", life->tgid);
	if (!strcmp(pid, text) || strcasestr(life->comm, text) || (life->path && strcasestr(life->path, text)))
		return true;
	for (i = 0; life->args && i < life->args_bytes; i += (uint32_t)strlen(life->args + i) + 1)
		if (strcasestr(life->args + i, text))
			return true;
	return false;
}

static bool is_wanted(const struct live *live, const struct kept_death *kept)
{
	const struct life *life = kept->life;

	return (!live->failed || life->exit_code > 0) &&
	       (!live->user[0] || (life->has_uid && life->uid == live->uid)) &&
	       (!live->filter[0] || death_has(kept, live->filter));
}

static bool inverted; /* for compare() */

static int compare(const void *a, const void *b)
{
	const struct life *x = (*(struct kept_death *const *)a)->life;
	const struct life *y = (*(struct kept_death *const *)b)->life;

	/* Those without a known figure come last in any case. */
	if (x->figure.known != y->figure.known || !inverted)
		return life_before(x, y) ? -1 : 1;
	return life_before(y, x) ? -1 : 1;
}

static void free_rows(struct live *live)
{
	size_t i;

	for (i = 0; i < live->row_count; i++)
		death_release(live->rows[i]);
	live->row_count = 0;
}

void panes_freeze(struct live *live, bool frozen)
{
	struct kept_death *kept;
	unsigned int pane;
	size_t i;

	for (i = 0; i < live->still_count; i++)
		death_release(live->still[i]);
	free(live->still);
	live->still = NULL;
	live->still_count = 0;
	for (pane = 0; pane < PANES; pane++)
		lines_free(&live->still_lines[pane]);
	live->frozen = frozen;
	if (!frozen)
		return;
	/* Records that were read since the screen was drawn are not later than what it says. */
	live->board->run->ended = proclife_source_now(live->board->run->source);
	live->still_pulse = live->board->pulse;
	for (pane = PANE_DEATHS + 1; pane < PANES; pane++)
		print_table(live, pane, &live->still_lines[pane]);
	live->still = calloc(MOST_DEATHS, sizeof(struct kept_death *));
	if (!live->still)
		die_no_memory();
	while ((kept = deaths_get(&live->board->deaths, live->still_count))) {
		death_hold(kept);
		live->still[live->still_count++] = kept;
	}
}

/* The newest is 0. */
static struct kept_death *death_of(const struct live *live, uint64_t back)
{
	if (live->frozen)
		return back < live->still_count ? live->still[back] : NULL;
	return deaths_get(&live->board->deaths, back);
}

static void reverse(struct kept_death **rows, size_t count)
{
	size_t i;

	for (i = 0; i < count / 2; i++) {
		struct kept_death *row = rows[i];

		rows[i] = rows[count - 1 - i];
		rows[count - 1 - i] = row;
	}
}

static bool are_dated(const struct live *live)
{
	const struct run *run = live->board->run;
	int64_t day = 0;
	size_t i;

	when_is_new_day(run, run->ended, &day);
	for (i = 0; i < live->row_count; i++)
		if (live->rows[i]->life->when && when_is_new_day(run, live->rows[i]->life->when, &day))
			return true;
	return false;
}

static void update_deaths(struct live *live)
{
	struct kept_death *kept;
	uint64_t back;

	if (!live->rows)
		live->rows = calloc(MOST_DEATHS, sizeof(struct kept_death *));
	if (!live->rows)
		die_no_memory();
	free_rows(live);
	for (back = 0; (kept = death_of(live, back)); back++) {
		if (!is_wanted(live, kept))
			continue;
		death_hold(kept);
		kept->life->figure = life_figure(death_life(kept), live->sort, live->board->run->ended);
		live->rows[live->row_count++] = kept;
	}
	live->dated = are_dated(live);
	inverted = live->inverted;
	if (live->sort != SORT_TIME && live->row_count)
		qsort((void *)live->rows, live->row_count, sizeof(*live->rows), compare);
	else if (live->inverted)
		reverse(live->rows, live->row_count);
}

/* The death at the cursor stays there, wherever the list has moved. */
static void follow(struct live *live)
{
	struct list *list = &live->lists[PANE_DEATHS];
	size_t i, before = list->cursor;

	if (!live->followed) {
		list->cursor = list->top = 0;
		return;
	}
	for (i = 0; i < live->row_count; i++)
		if (live->rows[i]->life->order == live->followed)
			break;
	if (i == live->row_count)
		return;
	list->cursor = i;
	/* At the same place of the screen. */
	list->top = list->top + i > before ? list->top + i - before : 0;
}

/*
 * All
 */

void panes_update(struct live *live, uint64_t now)
{
	bool slow = live->pane == PANE_DYING && !live->replay;
	/* The order of time needs no column for it: where there is no room, names come first. */
	enum sort_key sort = live->sort == SORT_TIME ? SORT_NONE : live->sort;

	/* What a frozen screen has, stays, but for what is asked of it. */
	if (live->frozen && !live->changed)
		return;
	if (live->pane == PANE_DEATHS) {
		if (sort != live->lives.sort || live->lives.run != live->board->run) {
			lives_text_free(&live->lives);
			memset(&live->lives, 0, sizeof(live->lives));
			lives_text_init(&live->lives, live->board->run, sort);
		}
		update_deaths(live);
		follow(live);
	} else if (!slow || live->changed || now >= live->next_proc) {
		live->next_proc = now + PROC_EVERY;
		update_lines(live);
	}
}

void panes_free(struct live *live)
{
	panes_freeze(live, false);
	free_rows(live);
	free(live->rows);
	live->rows = NULL;
	lives_text_free(&live->lives);
	memset(&live->lives, 0, sizeof(live->lives));
	lines_free(&live->titles);
	lines_free(&live->lines);
	lines_free(&live->over_lines);
}

size_t panes_count(const struct live *live)
{
	return live->pane == PANE_DEATHS ? live->row_count : live->lines.count;
}

void panes_put_line(struct live *live, size_t number, struct text *line)
{
	struct lives_text *lives = &live->lives;
	const char *text;

	if (live->pane == PANE_DEATHS) {
		/* A line does not depend on those above it, which come and go. */
		recent_free(&lives->recent);
		memset(&lives->recent, 0, sizeof(lives->recent));
		lives_text_row(lives, live->rows[number]->life);
		text_bytes(line, lives->line.s, lives->line.len, lives->line.columns);
		text_clear(&lives->line);
		return;
	}
	text = live->lines.all[number];
	text_bytes(line, text, strlen(text), 0);
}

bool panes_has(struct live *live, size_t number, const char *text)
{
	if (live->pane == PANE_DEATHS)
		return death_has(live->rows[number], text);
	return !is_more(live->lines.all[number]) && row_has(&live->lines, number, text);
}
