// SPDX-License-Identifier: GPL-2.0-only
/* The lines below the tree: totals, and counts of what the tree does not show. */
#include "cli/choices.h"
#include "views/tree/tree.h"
#include <string.h>

struct totals {
	uint64_t processes;
	uint64_t threads;
	uint64_t runtime; /* of those that began in the trace */
	uint64_t first;
	uint64_t last;
	uint64_t failed; /* with a status other than 0, or killed */
	uint64_t cut;
	bool of_before; /* one began when others are missing that had ended: see whole_since() */
};

static void add_up(const struct tree_view *view, struct totals *totals)
{
	uint64_t whole = whole_since(view->run->source);
	uint32_t i;

	memset(totals, 0, sizeof(*totals));
	for (i = 1; i < view->rows.count; i++) {
		const struct row *b = &view->rows.all[i];
		const struct proclife_node *node = b->node;
		uint64_t last = node->marks.exited ? node->marks.exited : view->run->ended;

		if (!b->listed)
			continue;
		totals->cut += !b->shown;
		totals->processes++;
		totals->threads += node->common->threads;
		totals->failed += node_failed(node);
		if (!node->older)
			add_count(&totals->runtime, node->runtime);
		if (!totals->first || node->began < totals->first)
			totals->first = node->began;
		totals->of_before |= node->began < whole;
		if (last > totals->last)
			totals->last = last;
	}
	if (totals->first < whole)
		totals->first = whole;
}

static bool has_range(const struct options *options)
{
	return options->from.kind || options->to.kind;
}

/* The totals of all that is listed, whether it is shown or cut. */
static void put_totals(struct tree_view *view, const struct totals *totals)
{
	struct text *line = &view->line;
	const struct proclife_header *header = proclife_source_header(view->run->source);
	bool by_bpf = header && is_by_bpf(header);
	uint64_t lost = view->run->lost;
	uint64_t wall = totals->last > totals->first ? totals->last - totals->first : 0;
	text_line(line);
	if (totals->cut && has_range(view->run->options))
		text_string(line, "in all: ");
	text_style(line, STYLE_BOLD);
	text_plural(line, totals->processes, "process", "processes");
	text_style(line, STYLE_PLAIN);
	if (totals->threads > totals->processes) {
		text_string(line, ", ");
		text_plural(line, totals->threads, "thread", "threads");
	}
	if (totals->failed) {
		text_string(line, ", ");
		text_style(line, STYLE_BAD);
		text_count(line, totals->failed);
		text_string(line, " failed");
		text_style(line, STYLE_PLAIN);
	}
	text_string(line, "; ");
	text_time(line, wall);
	text_string(line, " wall, ");
	text_time(line, totals->runtime);
	text_string(line, " CPU");
	if (wall && !totals->of_before)
		text_printf(line, " (%.2f CPUs)", (double)totals->runtime / wall);
	text_string(line, "; ");
	text_style(line, lost ? STYLE_BAD : STYLE_PLAIN);
	if (lost)
		text_plural(line, lost, "record lost: incomplete", "records lost: incomplete");
	else
		text_string(line, "no loss");
	text_style(line, STYLE_PLAIN);
	if (by_bpf)
		text_string(line, "; by BPF");
	text_line(line);
}

static void put_filter(struct text *line, const struct options *options, const char *separator)
{
	const struct filter *filter = &options->filter;
	const struct {
		bool given;
		const char *name;
	} kinds[] = {
		{ filter->comms.count, "--comm" },
		{ filter->uids.count + filter->users.count, "--uid" },
		{ filter->cgroups.count, "--cgroup" },
		{ filter->args.count, "--args" },
		{ filter->failed, "--failed" },
		{ filter->statuses[0] | filter->statuses[1] | filter->statuses[2] |
		  filter->statuses[3], "--status" },
		{ filter->signals, "--signal" },
		{ options->from.kind, "--from" },
		{ options->to.kind, "--to" },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!kinds[i].given)
			continue;
		text_printf(line, "%s%s", separator, kinds[i].name);
		separator = ", ";
	}
}

static void put_cut(struct tree_view *view, uint64_t processes)
{
	const struct cut *cut = &view->run->options->cut;
	struct text *line = &view->line;
	const char *separator = ": ";

	text_style(line, STYLE_DIM);
	text_draw(line, "… ", "+ ");
	text_plural(line, processes, "process is", "processes are");
	text_string(line, " counted, not shown");
	if (cut->depth != DEPTH_ALL) {
		text_printf(line, "%s--depth %llu", separator, (unsigned long long)cut->depth);
		separator = ", ";
	}
	if (cut->min_life) {
		text_printf(line, "%s--min-life ", separator);
		text_time(line, cut->min_life);
		separator = ", ";
	}
	if (cut->top) {
		text_printf(line, "%s--top %llu:%s", separator, (unsigned long long)cut->top,
			    choice_top(cut->key));
		separator = ", ";
	}
	put_filter(line, view->run->options, separator);
	if (view->rows.cheap_cut)
		text_printf(line, "%sthose that took the least CPU time",
			    cut_is_set(cut) ? ", " : separator);
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void put_dim(struct text *line, const char *s)
{
	text_style(line, STYLE_DIM);
	text_string(line, s);
	text_style(line, STYLE_PLAIN);
	text_line(line);
}

static void put_fold(struct tree_view *view)
{
	struct text *line = &view->line;

	if (view->rows.several) {
		text_style(line, STYLE_DIM);
		text_draw(line, "×", "x");
		text_string(line, view->rows.by_program ? "N stands for N of one program" :
							  "N stands for N that are alike");
		put_dim(line, ": longest life, sum of CPU time, largest RSS");
	}
	if (view->names_slowest)
		put_dim(line, "(...) names the slowest of them");
	text_style(line, STYLE_DIM);
	text_string(line, "--no-fold shows all ");
	text_count(line, view->rows.unfolded);
	put_dim(line, " lines");
}

void tree_print_summary(struct tree_view *view)
{
	const struct options *options = view->run->options;
	struct text *line = &view->line;
	struct totals totals;

	add_up(view, &totals);
	put_totals(view, &totals);
	if (view->rows.left_out) {
		text_style(line, STYLE_DIM);
		text_plural(line, view->rows.left_out, "older process", "older processes");
		text_string(line, " without anything new not shown");
		text_style(line, STYLE_PLAIN);
		text_line(line);
	}
	if (totals.cut)
		put_cut(view, totals.cut);
	if (view->rows.unfolded)
		put_fold(view);
	if (view->rows.lines > TREE_MANY_LINES && !cut_is_set(&options->cut))
		put_dim(line, "--depth, --min-life and --top show less");
}
