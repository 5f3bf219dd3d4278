/* SPDX-License-Identifier: GPL-2.0-only */
/* What each key does: for the program, for the help, and for the line at the bottom. */
#ifndef READ_KEYS_H
#define READ_KEYS_H

#include "live/terminal.h"
#include "output/format.h"

enum action {
	ACTION_NONE,
	ACTION_HELP,
	ACTION_QUIT,
	ACTION_NEXT_PANE,
	ACTION_LAST_PANE,
	ACTION_PANE, /* and the next ones: one for each pane */
	ACTION_PANES_END = ACTION_PANE + 4,
	ACTION_UP,
	ACTION_DOWN,
	ACTION_PAGE_UP,
	ACTION_PAGE_DOWN,
	ACTION_TOP,
	ACTION_BOTTOM,
	ACTION_OPEN,
	ACTION_CLOSE,
	ACTION_SEARCH,
	ACTION_SEARCH_NEXT,
	ACTION_SEARCH_LAST,
	ACTION_FILTER,
	ACTION_USER,
	ACTION_FAILED,
	ACTION_SORT,
	ACTION_SORT_CPU,
	ACTION_SORT_RSS,
	ACTION_SORT_LIFE,
	ACTION_INVERT,
	ACTION_FREEZE,
	ACTION_REDRAW,
	ACTION_BACK,
	ACTION_FORWARD,
	ACTION_SLOWER,
	ACTION_FASTER,
	ACTION_GO,
	ACTIONS,
};

/* For a recording, some keys have a meaning that they lack otherwise. */
enum action key_action(int key, bool replay);
/* All keys, to the screen's file. */
void keys_print_help(struct text *line, bool replay);
/* Those that one has to know, as far as there is room. */
void keys_put_bar(struct text *line, unsigned int columns, bool replay);

#endif
