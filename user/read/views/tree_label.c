// SPDX-License-Identifier: GPL-2.0-only
/* What stands on a line of the tree behind the figures: the name, and what is to be said of it. */
#include "output/quote.h"
#include "views/tree.h"
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/*
 * A name in the columns that are left for it
 */

/* The columns of the character at s, and its bytes; all are printable by now. */
static unsigned int character(const char *s, size_t *bytes)
{
	mbstate_t state = { 0 };
	wchar_t wide;
	size_t n;
	int columns;

	*bytes = 1;
	if (!(*s & 0x80))
		return 1;
	n = mbrtowc(&wide, s, MB_CUR_MAX, &state);
	if (n == 0 || n > MB_CUR_MAX)
		return 1;
	*bytes = n;
	columns = wcwidth(wide);
	return columns > 0 ? columns : 0;
}

/* Appends the name; of a path that is too long the end, of another name the beginning. */
void tree_put_name(struct text *line, const struct text *name, unsigned int columns, bool path)
{
	unsigned int too_many, cut = 0;
	const char *s = name->s, *base;
	size_t bytes;

	if (columns && name->columns > columns) {
		too_many = name->columns - columns + 1;
		if (path) {
			while (*s && cut < too_many) {
				cut += character(s, &bytes);
				s += bytes;
			}
			text_draw(line, "…", "~");
		} else {
			const char *end = s;

			while (*end && cut < columns - 1) {
				cut += character(end, &bytes);
				end += bytes;
			}
			text_printf(line, "%.*s", (int)(end - s), s);
			line->columns -= (end - s) - cut;
			text_draw(line, "…", "~");
			return;
		}
	}
	base = path ? strrchr(s, '/') : NULL;
	if (base && line->screen->colour) {
		text_style(line, STYLE_DIM);
		text_printf(line, "%.*s", (int)(base + 1 - s), s);
		text_style(line, STYLE_PLAIN);
		s = base + 1;
	}
	text_string(line, s);
	line->columns = line->columns - strlen(s); /* nothing is aligned after a name */
}

void tree_build_name(struct text *name, const struct proclife_node *node)
{
	const char *base = node->path ? strrchr(node->path, '/') : NULL;

	text_clear(name);
	text_string(name, "");
	if (node->flags & PROCLIFE_F_KTHREAD) {
		text_string(name, "[");
		text_comm(name, node->comm);
		text_string(name, "]");
	} else if (node->path) {
		base = base ? base + 1 : node->path;
		text_label(name, node->path, SIZE_MAX);
		if (strncmp(base, node->comm, PROCLIFE_COMM_LEN - 1)) {
			text_string(name, " (");
			text_comm(name, node->comm);
			text_string(name, ")");
		}
		/* All but the first: that is the path, or a name for it. */
		if (node->args)
			text_args(name, node->args, node->args_bytes, node->args_cut, 1);
	} else {
		text_comm(name, node->comm);
	}
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
		    uint32_t tgid)
{
	char buffer[24];

	begin_note(notes, STYLE_BAD);
	if (exit_code & 0x7f) {
		text_string(notes, signal_name(exit_code & 0x7f, buffer));
		if (killer)
			text_killer(notes, killer, tgid);
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
	if (cut->key == TOP_COUNT) {
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
static void note_extras(struct tree_view *view, const struct proclife_node *node)
{
	const struct proclife_common *common = node->common;
	unsigned int show = view->run->options->show;
	struct text *notes = &view->notes;
	char buffer[24];
	const char *path;

	if (show & SHOW_PIDNS && common->ns_pid) {
		begin_note(notes, STYLE_PLAIN);
		text_printf(notes, "pid %u in namespace %u", common->ns_pid, common->ns_inum);
		end_note(notes);
	}
	if (show & SHOW_CGROUP) {
		path = proclife_cgroups_path(view->run->cgroups, common->cgroup);
		begin_note(notes, STYLE_PLAIN);
		if (path)
			text_label(notes, path, SIZE_MAX);
		else
			text_printf(notes, "cgroup %llu", (unsigned long long)common->cgroup);
		end_note(notes);
	}
	if (show & SHOW_UID) {
		begin_note(notes, STYLE_PLAIN);
		text_string(notes, "user ");
		text_label(notes, user_name(view->run, node->common->uid, buffer), SIZE_MAX);
		end_note(notes);
	}
}

void tree_build_notes(struct tree_view *view, const struct row *b)
{
	const struct cut_off *cut = row_cut_off(&view->rows, b);
	const struct proclife_node *node = b->node;
	struct text *notes = &view->notes;

	text_clear(notes);
	text_string(notes, "");
	note_rank(view, b);
	note_extras(view, node);
	if (node->marks.exited && node->exit_code)
		tree_note_exit(notes, node->exit_code, node->common->killer, node->tgid);
	tree_note_state(notes, node->state);
	if (node->incomplete && node->state != PROCLIFE_IS_UNKNOWN)
		note(notes, STYLE_BAD, "incomplete");
	if (node->common->threads > 1) {
		begin_note(notes, STYLE_PLAIN);
		text_plural(notes, node->common->threads, "thread", "threads");
		end_note(notes);
	}
	if (node->creator_tgid && node->creator_tgid != node->parent_tgid)
		note_pid(notes, "forked by", node->creator_tgid);
	if (node->reaper_tgid && node->reaper_tgid != node->parent_tgid &&
	    node->reaper_tgid != node->tgid)
		note_pid(notes, "reaped by", node->reaper_tgid);
	if (!b->parent && !node->older && node->parent_tgid && !view->run->command)
		note_pid(notes, "parent", node->parent_tgid);
	if (cut->processes) {
		text_string(notes, "  ");
		if (b->child)
			tree_note_cut_off(notes, cut, "more below", "more below");
		else
			tree_note_cut_off(notes, cut, "process below", "processes below");
	}
}
