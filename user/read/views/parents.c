// SPDX-License-Identifier: GPL-2.0-only
/* Who reaps, how soon, and who leaves zombies: those with zombies first, then the slowest. */
#include "output/message.h"
#include "output/percentiles.h"
#include "views/views.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 16

static uint64_t longest(const struct proclife_reaper *reaper)
{
	return reaper->zombie ? proclife_histogram_max(reaper->zombie) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct proclife_reaper *x = *(const void *const *)a, *y = *(const void *const *)b;

	if (x->zombies != y->zombies)
		return x->zombies > y->zombies ? -1 : 1;
	if (longest(x) != longest(y))
		return longest(x) > longest(y) ? -1 : 1;
	if (x->reaped != y->reaped)
		return x->reaped > y->reaped ? -1 : 1;
	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

static const struct proclife_reaper **sorted(const struct proclife_reapers *all, size_t *count)
{
	const struct proclife_reaper **reapers, *reaper;
	size_t n = 0;

	while (proclife_reapers_get(all, n))
		n++;
	reapers = calloc(n + 1, sizeof(*reapers));
	if (!reapers)
		die_no_memory();
	for (n = 0; (reaper = proclife_reapers_get(all, n)); n++)
		reapers[n] = reaper;
	qsort(reapers, n, sizeof(*reapers), compare);
	*count = n;
	return reapers;
}

/* What it is, if that is not just a parent. */
static const char *role(const struct proclife_reaper *reaper)
{
	if (reaper->init)
		return reaper->tgid == 1 ? "init" : "init of its pid namespace";
	return reaper->adopted ? "subreaper" : NULL;
}

static void show_notes(const struct run *run, struct text *line,
		       const struct proclife_reaper *reaper)
{
	const char *separator = "  ";

	if (role(reaper)) {
		text_printf(line, "%s%s", separator, role(reaper));
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
	if (reaper->zombies) {
		text_string(line, separator);
		text_style(line, STYLE_WARN);
		text_plural(line, reaper->zombies, "zombie", "zombies");
		text_string(line, reaper->zombies > 1 ? ", the oldest " : " ");
		text_string(line, reaper->oldest ? "for " : "from before the trace");
		if (reaper->oldest)
			text_time(line, run->ended - reaper->oldest);
		text_style(line, STYLE_PLAIN);
		separator = ", ";
	}
	if (reaper->gone && reaper->zombies)
		text_printf(line, "%sgone", separator);
}

static void show(const struct run *run, struct text *line, const struct proclife_reaper *reaper)
{
	const struct proclife_histogram *h = reaper->zombie;
	uint64_t notified = reaper->awaited + reaper->belated;

	text_style(line, STYLE_NAME);
	if (reaper->named)
		text_comm(line, reaper->comm);
	else
		text_string(line, "(unknown)");
	text_style(line, STYLE_PLAIN);
	text_pad(line, NAME_COLUMNS);
	text_uint_in(line, 8, reaper->tgid);
	text_string(line, " ");
	text_count_in(line, COUNT_COLUMNS, reaper->reaped);
	text_string(line, " ");
	if (notified)
		text_printf(line, "%6.0f %%", 100.0 * (double)reaper->awaited / (double)notified);
	else
		text_spaces(line, 8);
	if (h) {
		text_string(line, " ");
		text_percentile_in(line, h, 50);
		text_string(line, " ");
		text_percentile_in(line, h, 99);
		text_string(line, " ");
		text_time_in(line, TIME_COLUMNS, proclife_histogram_max(h));
	} else {
		text_spaces(line, 3 * (TIME_COLUMNS + 1));
	}
	show_notes(run, line, reaper);
	text_line(line);
}

static void show_json(const struct run *run, const struct proclife_reaper *reaper)
{
	struct json *json = run->json;

	json_line(json, "parent");
	json_uint(json, "id", reaper->id);
	json_uint(json, "pid", reaper->tgid);
	json_comm_or_null(json, "comm", reaper->named, reaper->comm);
	json_bool(json, "init", reaper->init);
	json_bool(json, "gone", reaper->gone);
	json_uint(json, "reaped", reaper->reaped);
	json_uint(json, "adopted", reaper->adopted);
	json_uint(json, "awaited", reaper->awaited);
	json_uint(json, "belated", reaper->belated);
	json_uint(json, "ignored", reaper->ignored);
	json_uint(json, "zombies", reaper->zombies);
	if (reaper->oldest)
		json_uint(json, "oldest", reaper->oldest);
	else
		json_null(json, "oldest");
	json_percentiles(json, reaper->zombie);
	json_line_end(json);
}

static void show_all(const struct run *run, const struct proclife_reaper **reapers, size_t count)
{
	uint64_t most = run->options->cut.top ? run->options->cut.top : MANY_LINES;
	struct text line;
	size_t i;

	text_init(&line, run->screen);
	text_style(&line, STYLE_HEAD);
	text_printf(&line, "%-*s%8s %*s %8s %*s %*s %*s", NAME_COLUMNS, "REAPER", "PID",
		    COUNT_COLUMNS, "REAPED", "IN WAIT", TIME_COLUMNS, "p50", TIME_COLUMNS, "p99",
		    TIME_COLUMNS, "MAX");
	text_style(&line, STYLE_PLAIN);
	text_line(&line);
	for (i = 0; i < count && i < most; i++)
		show(run, &line, reapers[i]);
	if (i < count) {
		text_plural(&line, count - i, "more reaper", "more reapers");
		text_string(&line, "; --top N shows N");
		text_line(&line);
	}
	if (!run_has_reap(run)) {
		text_string(&line, "REAP is not recorded: who reaps, and how soon, is not known.");
		text_line(&line);
	}
	text_free(&line);
}

static int begin(struct run *run, void **state)
{
	struct proclife_reapers *reapers;
	int ret = proclife_reapers_new(&reapers, run->tasks);

	if (!ret)
		*state = reapers;
	return ret;
}

static void end(void *state)
{
	proclife_reapers_free(state);
}

static void print(const struct run *run, void *state)
{
	const struct proclife_reaper **reapers;
	size_t count, i;

	reapers = sorted(state, &count);
	if (run->options->json) {
		for (i = 0; i < count; i++)
			show_json(run, reapers[i]);
	} else {
		show_all(run, reapers, count);
	}
	free(reapers);
}

const struct view view_parents = {
	.name = "parents",
	.help = "Who reaps, how soon, and who leaves zombies",
	.takes = OF_TRACE | GIVEN(TOP),
	.combines = true,
	.begin = begin,
	.print = print,
	.free = end,
};
