// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows as columns: page/data.js reads them in the same order. A time is written as the difference
 * from the mark that comes before it in a life, which is short; times are cut to 52 bits, as a browser
 * has no larger integers. Where a value is there twice, how often it is there once more follows: many
 * columns have little else than zeros.
 */
#include "views/html/page.h"
#include <stdlib.h>

#define MOST_TIME (UINT64_C(1) << 52)

uint64_t page_time(const struct page *page, uint64_t ts)
{
	uint64_t since = ts > page->begin ? ts - page->begin : 0;

	return since < MOST_TIME ? since : MOST_TIME;
}

enum column {
	BEGIN, BEFORE, FLAGS, STATE, PID, PARENT, PARENT_PID, COMM, PATH, ARGS, END, CODE,
	EXITED, TRACED, NOTIFIED, REAPED, FREED, LIVED_TO, KILLED, LEFT, TEARDOWN, GONE, FORKING, STARTED,
	EXECING, EXECED, WAITED, MAPPED,
	RUNTIME, RSS, USER, CGROUP, THREADS, EXECS, CREATOR, REAPER, CPU,
	COLUMNS,
};

struct column_of {
	struct packed packed;
	uint64_t last;
	uint64_t times; /* that it is there, one behind the other */
};

struct columns {
	struct page *page;
	struct page_texts *texts;
	struct column_of all[COLUMNS];
	uint64_t begin; /* of the last row */
	uint32_t pid;
};

static void end_run(struct column_of *column)
{
	if (column->times > 1)
		packed_uint(&column->packed, column->times - 2);
	column->times = 0;
}

static void put(struct columns *columns, enum column number, uint64_t value)
{
	struct column_of *column = &columns->all[number];

	if (value > 2 * MOST_TIME)
		value = 2 * MOST_TIME;
	if (value != column->last)
		end_run(column);
	column->last = value;
	if (column->times++ < 2)
		packed_uint(&column->packed, value);
}

/* A difference of either sign: what is below 0 is odd. */
static uint64_t from_to(uint64_t from, uint64_t to)
{
	return to >= from ? (to - from) * 2 : (from - to) * 2 - 1;
}

/* Returns the mark, or the one before it if there is none. */
static uint64_t put_mark(struct columns *columns, enum column column, uint64_t before, uint64_t ts)
{
	uint64_t time = page_time(columns->page, ts);

	put(columns, column, ts ? from_to(before, time) + 1 : 0);
	return ts ? time : before;
}

static void put_marks(struct columns *columns, const struct page_life *life, uint64_t seen)
{
	uint64_t begin = page_time(columns->page, seen), exited, at;

	put(columns, BEGIN, from_to(columns->begin, begin));
	put(columns, BEFORE, life->before < MOST_TIME ? life->before : MOST_TIME);
	columns->begin = begin;
	exited = put_mark(columns, EXITED, begin, life->marks.exited);
	at = put_mark(columns, TRACED, exited, life->traced);
	at = put_mark(columns, NOTIFIED, at, life->marks.notified);
	at = put_mark(columns, REAPED, at, life->marks.reaped);
	put_mark(columns, FREED, at, life->marks.freed);
	put_mark(columns, LIVED_TO, begin, life->marks.exited ? 0 : life->lived_to);
	put_mark(columns, KILLED, exited, life->killed);
	put_mark(columns, LEFT, exited, life->left);
	at = put_mark(columns, TEARDOWN, exited, life->teardown);
	put_mark(columns, GONE, at, life->gone);
	put_mark(columns, FORKING, begin, life->births.forking);
	at = put_mark(columns, STARTED, begin, life->births.started);
	at = put_mark(columns, EXECING, at, life->births.execing);
	put_mark(columns, EXECED, at, life->births.execed);
	put(columns, WAITED, life->waited_known ? life->waited + 1 : 0);
}

/* The row of the nearest ancestor that has another one. */
static uint32_t parent_row(const struct page *page, uint32_t row)
{
	uint32_t parent = page->all[page->rows[row]].parent;

	while (parent != NOBODY && page->row_of[parent] == row)
		parent = page->all[parent].parent;
	return parent == NOBODY ? NOBODY : page->row_of[parent];
}

static uint64_t flags_of(const struct page_life *life, const struct kin_life *kin)
{
	return (uint64_t)life->ended | (uint64_t)life->failed << 1 | (uint64_t)life->unsure << 2 |
	       (uint64_t)kin->older << 3 | (uint64_t)kin->incomplete << 4 |
	       (uint64_t)kin->kthread << 5 | (uint64_t)life->context << 6 |
	       (uint64_t)kin->args_cut << 7 | (uint64_t)life->notified_lost << 8 |
	       (uint64_t)life->tracer_lost << 9 | (uint64_t)life->cpu_known << 10;
}

static void put_texts(struct columns *columns, const struct page_life *life, const struct kin_life *kin)
{
	struct page_texts *texts = columns->texts;

	put(columns, COMM, page_name(texts, kin->comm));
	put(columns, PATH, page_name(texts, kin->path));
	put(columns, ARGS, page_args(texts, kin));
	put(columns, END, page_end(texts, life));
	put(columns, USER, page_user(texts, life));
	put(columns, CGROUP, page_cgroup(texts, life->cgroup));
}

static void put_row(struct columns *columns, uint32_t row)
{
	const struct page *page = columns->page;
	const struct page_life *life = &page->all[page->rows[row]];
	const struct kin_life *kin = page_kin(page, life);
	uint32_t parent = parent_row(page, row);

	put(columns, FLAGS, flags_of(life, kin));
	put(columns, STATE, life->state);
	put(columns, PID, from_to(columns->pid, kin->tgid));
	columns->pid = kin->tgid;
	put(columns, PARENT, parent == NOBODY ? 0 : from_to(parent, row));
	put(columns, PARENT_PID, parent == NOBODY ? life->parent_tgid : 0);
	put_texts(columns, life, kin);
	put(columns, CODE, life->exit_code < 0 ? 0 : (uint64_t)life->exit_code + 1);
	put_marks(columns, life, kin->born);
	put(columns, MAPPED, life->mapped);
	put(columns, RUNTIME, kin->runtime);
	put(columns, RSS, life->max_rss);
	put(columns, THREADS, life->threads);
	put(columns, EXECS, life->execs);
	put(columns, CREATOR, life->creator_tgid == life->parent_tgid ? 0 : life->creator_tgid);
	put(columns, REAPER, life->reaper_tgid == life->parent_tgid ? 0 : life->reaper_tgid);
	put(columns, CPU, life->cpu);
}

/* Rows that stand for several. */
static void pack_folds(const struct page *page, struct packed *to)
{
	uint32_t i;

	packed_uint(to, page->fold_count);
	for (i = 0; i < page->fold_count; i++) {
		const struct page_fold *fold = &page->folds[i];

		packed_uint(to, fold->row);
		packed_uint(to, fold->count);
		packed_uint(to, fold->ended);
		packed_uint(to, fold->failed);
		packed_uint(to, fold->unsure);
		packed_uint(to, fold->max_rss);
		packed_uint(to, fold->runtime < MOST_TIME ? fold->runtime : MOST_TIME);
		packed_uint(to, page_time(page, fold->first));
		packed_uint(to, page_time(page, fold->last));
	}
}

/* Phases that go on, but for rows that stand for several. */
static void pack_phases(const struct page *page, struct packed *to)
{
	uint32_t i, at, row;

	for (i = 0; i < page->phase_count; i++) {
		const struct page_phase *open = &page->phases[i];

		at = id_find(page->all, page->count, sizeof(*page->all), open->id);
		row = at == NOBODY ? NOBODY : page->row_of[at];
		if (row == NOBODY || page->rows[row] != at)
			continue;
		packed_uint(to, (uint64_t)row + 1);
		packed_uint(to, (uint64_t)open->phase);
		packed_uint(to, page_time(page, open->since));
	}
	packed_uint(to, 0);
}

/* Steps one behind the other; what is not known of a row is left out, too. */
static void pack_critical(const struct page *page, struct packed *to)
{
	const struct critical *critical = &page->critical;
	uint64_t at = page_time(page, critical->from), end;
	uint32_t i, row;

	packed_uint(to, critical->count);
	for (i = 0; i < critical->count; i++) {
		const struct critical_step *step = &critical->steps[i];

		row = page->row_of[step->life];
		end = page_time(page, step->to);
		packed_uint(to, row == NOBODY ? 0 : (uint64_t)row + 1);
		packed_uint(to, end > at ? end - at : 0);
		packed_uint(to, step->saves < MOST_TIME ? step->saves : MOST_TIME);
		packed_uint(to, (uint64_t)critical_by(step));
		at = end > at ? end : at;
	}
}

void page_columns_pack(struct page *page, struct page_texts *texts, struct packed *to)
{
	struct columns columns = { .page = page, .texts = texts };
	uint32_t row, column;

	for (row = 0; row < page->row_count; row++)
		put_row(&columns, row);
	packed_uint(to, page->row_count);
	for (column = 0; column < COLUMNS; column++) {
		end_run(&columns.all[column]);
		packed_packed(to, &columns.all[column].packed);
		packed_free(&columns.all[column].packed);
	}
	pack_folds(page, to);
	pack_phases(page, to);
	pack_critical(page, to);
}
