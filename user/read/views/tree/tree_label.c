// SPDX-License-Identifier: GPL-2.0-only
/* What comes after the figures on a line of the tree: the name, and notes about it. */
#include "output/cut.h"
#include "output/quote.h"
#include "views/tree/tree.h"
#include <string.h>

static struct command command_of(const struct proclife_node *node)
{
	return (struct command){
		.path = node->path, .args = node->args, .bytes = node->args_bytes,
		.cut = node->args_cut, .script = node->flags & PROCLIFE_F_SCRIPT,
		.by_fd = node->flags & PROCLIFE_F_BY_FD,
	};
}

/* The name alone, without arguments: the program, not where it lies. */
static void put_program(struct text *name, const struct proclife_node *node)
{
	const struct command command = command_of(node);
	const char *base = node_base(node);

	if (node->flags & PROCLIFE_F_KTHREAD) {
		text_string(name, "[");
		text_comm(name, node->comm);
		text_string(name, "]");
		return;
	}
	if (!base) {
		text_comm(name, node->comm);
		return;
	}
	if (node->args)
		text_command(name, &command);
	else
		text_label(name, base, SIZE_MAX);
	if (!command_is_called(&command, node->comm)) {
		text_string(name, " (");
		text_comm(name, node->comm);
		text_string(name, ")");
	}
}

/* All but the first, which is the path, or a name for it; cut if they are too many. */
static void put_args(struct tree_view *view, struct text *line, const struct row *b,
		     unsigned int columns)
{
	const struct proclife_node *node = b->node;
	const struct command command = command_of(node);
	struct text *args = &view->args;

	if (!node->args || node->flags & PROCLIFE_F_KTHREAD)
		return;
	text_clear(args);
	text_string(args, "");
	text_args(args, node->args, node->args_bytes, node->args_cut, node->path ? command_skip(&command) : 1);
	if (columns && args->columns > columns && tree_put_words(view, line, b, columns))
		return;
	text_in(line, args, columns);
}

#define WIDE 100    /* columns of a screen on which there is room for a sentence */
#define NARROW 72   /* columns of a screen on which counts have no room for words */
#define MIN_FOLD 10 /* columns that are worth the end of a word */

/*
 * For a line that stands for several command lines: "(25,000 command lines; slowest kernel/fork.c)", less
 * of it where there are few columns.
 */
static void put_fold(struct tree_view *view, struct text *line, const struct row *b,
		     unsigned int columns)
{
	static const char *const names[] = { " command lines; slowest ", " lines; slowest ",
					     "slowest ", "" };
	const struct sums *sums = row_fold(&view->rows, b);
	struct text *fold = &view->args, *slowest = &view->name;
	unsigned int i;

	text_clear(slowest);
	tree_put_slowest(view, slowest, b);
	for (i = 0; i < 4; i++) {
		text_clear(fold);
		text_string(fold, "  (");
		if (i < 2)
			text_count(fold, sums->command_lines);
		text_string(fold, names[i]);
		text_in(fold, slowest, 0);
		text_string(fold, ")");
		view->names_slowest |= i == 3;
		if (!columns || fold->columns <= columns) {
			text_in(line, fold, 0);
			return;
		}
	}
	text_clear(fold);
	if (columns < MIN_FOLD) {
		text_string(fold, " ");
		text_gap(fold);
		text_in(line, fold, columns);
		return;
	}
	text_string(line, "  (");
	text_word_in(line, slowest, columns - 4);
	text_string(line, ")");
}

void tree_put_label(struct tree_view *view, struct text *line, const struct row *b,
		    unsigned int columns)
{
	const struct sums *sums = row_fold(&view->rows, b);
	bool several = sums && sums->command_lines > 1;
	unsigned int before = line->columns, left = 0;
	struct text *name = &view->name;

	text_clear(name);
	text_string(name, "");
	put_program(name, b->node);
	if (!several && !b->node->args) {
		text_in(line, name, columns);
		return;
	}
	/* There is room for a mark, at least, that more belongs here. */
	text_in(line, name, columns > 1 ? columns - 1 : columns);
	if (columns)
		left = columns - (line->columns - before);
	if (columns && !left)
		return;
	if (several)
		put_fold(view, line, b, left);
	else
		put_args(view, line, b, left);
}

/*
 * What is to be said about a process after its name
 */

static void begin_note(struct text *notes, enum style style)
{
	text_string(notes, notes->len ? ", " : "  ");
	text_style(notes, style);
}

static void end_note(struct text *notes)
{
	text_style(notes, STYLE_PLAIN);
}

static void note(struct text *notes, enum style style, const char *s)
{
	begin_note(notes, style);
	text_string(notes, s);
	end_note(notes);
}

static void note_pid(struct text *notes, const char *what, uint32_t pid)
{
	begin_note(notes, STYLE_DIM);
	text_printf(notes, "%s %u", what, pid);
	end_note(notes);
}

/* As in the other views, but shorter. */
void tree_note_exit(struct text *notes, int exit_code, const struct proclife_killer *killer,
		    uint32_t tgid, struct proclife_cgroups *cgroups)
{
	char buffer[24];

	if (exit_code < 0) {
		note(notes, STYLE_DIM, "status ?");
		return;
	}
	begin_note(notes, STYLE_BAD);
	if (exit_code & 0x7f) {
		text_string(notes, signal_name(exit_code & 0x7f, buffer));
		if (killer)
			text_killer(notes, killer, tgid, cgroups);
		if (exit_code & 0x80)
			text_string(notes, ", core dumped");
	} else {
		text_printf(notes, "status %d", (exit_code >> 8) & 0xff);
	}
	end_note(notes);
}

void tree_note_state(struct text *notes, enum proclife_life_state state)
{
	switch (state) {
	case PROCLIFE_IS_ALIVE:
		note(notes, STYLE_GOOD, "alive");
		break;
	case PROCLIFE_IS_DYING:
		note(notes, STYLE_WARN, "dying");
		break;
	case PROCLIFE_IS_ZOMBIE:
		note(notes, STYLE_WARN, "zombie");
		break;
	case PROCLIFE_IS_UNFREED:
		note(notes, STYLE_WARN, "not freed");
		break;
	case PROCLIFE_IS_UNKNOWN:
		note(notes, STYLE_BAD, "end lost");
		break;
	case PROCLIFE_IS_FREED:
	case PROCLIFE_STATES:
		break;
	}
}

/* "#1: 2,008" says how many are below it, shown or not: all that a narrow screen has room for. */
static bool counts_shortly(const struct tree_view *view)
{
	const struct cut *cut = &view->run->options->cut;
	unsigned int width = view->run->screen->width;

	return cut->top && cut->key == TOP_COUNT && width && width < NARROW;
}

/* Why this line is shown, if not all are. */
static void note_rank(struct tree_view *view, const struct row *b)
{
	const struct cut *cut = &view->run->options->cut;
	struct text *notes = &view->notes;

	if (b->context)
		note(notes, STYLE_DIM, "context");
	if (!cut->top || !b->rank)
		return;
	begin_note(notes, STYLE_BOLD);
	text_printf(notes, "#%u", b->rank);
	end_note(notes);
	if (counts_shortly(view)) {
		text_string(notes, ": ");
		text_count(notes, b->below);
	} else if (cut->key == TOP_COUNT) {
		begin_note(notes, STYLE_PLAIN);
		text_plural(notes, b->below, "descendant", "descendants");
		end_note(notes);
	}
}

void tree_note_cut_off(struct text *notes, const struct cut_off *cut, const char *one,
		       const char *many)
{
	text_style(notes, STYLE_DIM);
	text_draw(notes, "… ", "+ ");
	text_plural(notes, cut->processes, one, many);
	if (cut->failed) {
		text_string(notes, ", ");
		text_count(notes, cut->failed);
		text_string(notes, " failed");
	}
	text_string(notes, ", ");
	text_time(notes, cut->runtime);
	text_string(notes, " CPU");
	text_style(notes, STYLE_PLAIN);
}

/* --show */
static void note_extras(struct tree_view *view, const struct row *b)
{
	const struct proclife_common *common = b->node->common;
	unsigned int show = view->run->options->show;
	struct text *notes = &view->notes;

	if (show & SHOW_PIDNS && common->ns_pid) {
		begin_note(notes, STYLE_PLAIN);
		if (b->count == 1)
			text_printf(notes, "pid %u ", common->ns_pid);
		text_printf(notes, "in namespace %u", common->ns_inum);
		end_note(notes);
	}
	if (show & SHOW_CGROUP) {
		begin_note(notes, STYLE_PLAIN);
		text_cgroup(notes, view->run, common->cgroup);
		end_note(notes);
	}
	if (show & SHOW_UID) {
		begin_note(notes, STYLE_PLAIN);
		text_string(notes, "user ");
		if (b->node->has_uid)
			text_user(notes, view->run, common->uid);
		else
			text_string(notes, "?");
		end_note(notes);
	}
}

static void note_count(struct text *notes, enum style style, uint32_t count, const char *what)
{
	begin_note(notes, style);
	text_count(notes, count);
	text_string(notes, what);
	end_note(notes);
}

/* How it ended; if several ended in different ways, how many failed. */
static void note_end(struct tree_view *view, const struct row *b, const struct sums *sums)
{
	struct text *notes = &view->notes;
	unsigned int differ = sums ? sums->differ : 0;
	const struct proclife_node *node = b->node;

	if (differ & DIFFER_END) {
		if (sums->failed)
			note_count(notes, STYLE_BAD, sums->failed, " failed");
	} else if (node_exit_code(node)) {
		tree_note_exit(notes, node->exit_code,
			       differ & DIFFER_KILLER ? NULL : node->common->killer, node->tgid,
			       view->run->cgroups);
	}
	tree_note_state(notes, node->state);
	if (node->state == PROCLIFE_IS_UNKNOWN)
		return;
	if (sums && sums->incomplete && sums->incomplete < b->count)
		note_count(notes, STYLE_BAD, sums->incomplete, " incomplete");
	else if (node->incomplete)
		note(notes, STYLE_BAD, "incomplete");
}

/* What it was to become, and did not. */
static void note_failed_exec(struct text *notes, const struct proclife_failed_exec *failed)
{
	unsigned int width = notes->screen->width;

	begin_note(notes, STYLE_BAD);
	text_failed_exec(notes, failed, !width || width > WIDE);
	end_note(notes);
}

void tree_build_notes(struct tree_view *view, const struct row *b)
{
	const struct sums *sums = row_fold(&view->rows, b);
	unsigned int differ = sums ? sums->differ : 0;
	const struct proclife_node *node = b->node;
	struct text *notes = &view->notes;
	uint16_t execs = sums ? sums->execs : node->execs;

	text_clear(notes);
	text_string(notes, "");
	note_rank(view, b);
	view->ranked = notes->columns;
	note_extras(view, b);
	note_end(view, b, sums);
	if (node->common->failed_exec && !(differ & DIFFER_FAILED_EXEC))
		note_failed_exec(notes, node->common->failed_exec);
	if (node->common->threads > 1 && !(differ & DIFFER_THREADS)) {
		begin_note(notes, STYLE_PLAIN);
		text_plural(notes, node->common->threads, "thread", "threads");
		end_note(notes);
	}
	if (execs > 1) {
		begin_note(notes, STYLE_PLAIN);
		text_string(notes, sums && sums->execs != node->execs ? "up to " : "");
		text_count(notes, execs);
		text_string(notes, " execs");
		end_note(notes);
	}
	if (node_creator(node) && !(differ & DIFFER_CREATOR))
		note_pid(notes, "forked by", node->creator_tgid);
	if (node_reaper(node) && !(differ & DIFFER_REAPER))
		note_pid(notes, "reaped by", node->reaper_tgid);
	if (!b->parent && !node->older && node->parent_tgid && !view->run->command &&
	    !(differ & DIFFER_PARENT))
		note_pid(notes, "parent", node->parent_tgid);
}

/* "+312, 3 failed, 41.0 s"; less of it with each step. */
static void put_short_below(struct text *below, const struct cut_off *cut, unsigned int step)
{
	text_style(below, STYLE_DIM);
	text_string(below, "  +");
	text_count(below, cut->processes);
	if (cut->failed && step < 2) {
		text_string(below, ", ");
		text_count(below, cut->failed);
		text_string(below, " failed");
	}
	if (step < 1) {
		text_string(below, ", ");
		text_time(below, cut->runtime);
	}
	text_style(below, STYLE_PLAIN);
}

void tree_build_below(struct tree_view *view, const struct row *b, unsigned int columns)
{
	const struct cut_off *cut = row_cut_off(&view->rows, b);
	struct text *below = &view->below;
	unsigned int step;

	text_clear(below);
	text_string(below, "");
	if (!cut->processes || (b->rank && counts_shortly(view)))
		return;
	text_string(below, "  ");
	if (b->child)
		tree_note_cut_off(below, cut, "more below", "more below");
	else
		tree_note_cut_off(below, cut, "process below", "processes below");
	for (step = 0; columns && below->columns > columns && step < 3; step++) {
		text_clear(below);
		put_short_below(below, cut, step);
	}
}
