// SPDX-License-Identifier: GPL-2.0-only
#include "live/keys.h"

#define MOST_KEYS 5

/* The keys of htop(1) and less(1), where these have one for it. */
static const struct key_entry {
	enum action action;
	int keys[MOST_KEYS]; /* 0: no more */
	const char *names;
	const char *help;
	const char *bar_key; /* in the line at the bottom; NULL: not there */
	const char *bar;
	bool replay; /* only where a recording is played */
} entries[] = {
	{ ACTION_HELP, { KEY_IS_F(1), 'h', '?' }, "F1 h ?", "This help", "F1", "Help", false },
	{ ACTION_QUIT, { KEY_IS_F(10), 'q', 'Q' }, "F10 q", "Quit; Ctrl-Z suspends", "q", "Quit", false },
	{ ACTION_SEARCH, { KEY_IS_F(3), '/' }, "F3 /", "Search: goes to the next line with this text, as it is typed",
	  "/", "Search", false },
	{ ACTION_SEARCH_NEXT, { 'n' }, "n", "The next line with it", NULL, NULL, false },
	{ ACTION_SEARCH_LAST, { 'N' }, "N", "The one before", NULL, NULL, false },
	{ ACTION_FILTER, { KEY_IS_F(4), '\\' }, "F4 \\", "Filter: only lines with this text, in any case of letters; "
	  "of a death, in its name, path, arguments or PID", "F4", "Filter", false },
	{ ACTION_USER, { 'u' }, "u", "Only deaths of this user, by name or number; empty: all", NULL, NULL, false },
	{ ACTION_FAILED, { 'f' }, "f", "Only deaths that failed: with a status other than 0, or killed; or all again",
	  NULL, NULL, false },
	{ ACTION_SORT, { KEY_IS_F(6), '<', '>' }, "F6 < >", "What deaths are sorted by", "F6", "Sort", false },
	{ ACTION_SORT_CPU, { 'P' }, "P", "Sort by CPU time", NULL, NULL, false },
	{ ACTION_SORT_RSS, { 'M' }, "M", "Sort by memory", NULL, NULL, false },
	{ ACTION_SORT_LIFE, { 'T' }, "T", "Sort by the time that they lived", NULL, NULL, false },
	{ ACTION_INVERT, { 'I' }, "I", "The smallest, or the oldest, first", NULL, NULL, false },
	{ ACTION_FREEZE, { ' ', 'p', 'Z' }, "Space p Z", "Freeze: the screen stays as it is, while records are "
	  "read on; a recording stops", "Space", "Freeze", false },
	{ ACTION_OPEN, { KEY_IS_ENTER }, "Enter", "Open a death: all that is known of this life", "Enter", "Open", false },
	{ ACTION_CLOSE, { KEY_IS_ESCAPE }, "Esc", "Close what is open, or leave what is typed", NULL, NULL, false },
	{ ACTION_NEXT_PANE, { KEY_IS_TAB }, "Tab", "The next table; Shift-Tab: the one before", "Tab", "Table", false },
	{ ACTION_LAST_PANE, { KEY_IS_BACK_TAB }, NULL, NULL, NULL, NULL, false },
	{ ACTION_PANE, { '1' }, "1", "Deaths, as --lives has them; the newest first", NULL, NULL, false },
	{ ACTION_PANE + 1, { '2' }, "2", "Parents: their forks, reaps and zombies, as --parents", NULL, NULL, false },
	{ ACTION_PANE + 2, { '3' }, "3", "The dying, as --dying; not of a recording", NULL, NULL, false },
	{ ACTION_PANE + 3, { '4' }, "4", "Zombies, as --zombies", NULL, NULL, false },
	{ ACTION_PANE + 4, { '5' }, "5", "Programs, as --summary", NULL, NULL, false },
	{ ACTION_UP, { KEY_IS_UP, 'k', KEY_IS_CTRL('P') }, "Up k", "A line up", NULL, NULL, false },
	{ ACTION_DOWN, { KEY_IS_DOWN, 'j', KEY_IS_CTRL('N') }, "Down j", "A line down", NULL, NULL, false },
	{ ACTION_PAGE_UP, { KEY_IS_PAGE_UP, 'b', KEY_IS_CTRL('B') }, "PgUp b", "A page up", NULL, NULL, false },
	{ ACTION_PAGE_DOWN, { KEY_IS_PAGE_DOWN, KEY_IS_CTRL('F'), KEY_IS_CTRL('V') }, "PgDn Ctrl-F", "A page down", NULL, NULL,
	  false },
	{ ACTION_TOP, { KEY_IS_HOME, 'g' }, "Home g", "The first line: new ones push it down", NULL, NULL, false },
	{ ACTION_BOTTOM, { KEY_IS_END, 'G' }, "End G", "The last line", NULL, NULL, false },
	{ ACTION_BACK, { KEY_IS_LEFT }, "Left", "Back, by a twentieth of the recording", NULL, NULL, true },
	{ ACTION_FORWARD, { KEY_IS_RIGHT }, "Right", "Forward, by as much", NULL, NULL, true },
	{ ACTION_SLOWER, { '[' }, "[", "Half as fast", NULL, NULL, true },
	{ ACTION_FASTER, { ']' }, "]", "Twice as fast", NULL, NULL, true },
	{ ACTION_GO, { 't', ':' }, "t :", "Go to a time, as --from takes it: 14:03, +10s, -1m; or 50%", "t", "Time", true },
	{ ACTION_REDRAW, { KEY_IS_CTRL('L') }, "Ctrl-L", "Draw all of it again", NULL, NULL, false },
};

#define ENTRIES (sizeof(entries) / sizeof(entries[0]))

enum action key_action(int key, bool replay)
{
	size_t i, k;

	for (i = 0; i < ENTRIES; i++)
		for (k = 0; k < MOST_KEYS && entries[i].keys[k]; k++)
			if (entries[i].keys[k] == key)
				return entries[i].replay && !replay ? ACTION_NONE : entries[i].action;
	return ACTION_NONE;
}

void keys_print_help(struct text *line, bool replay)
{
	size_t i;

	for (i = 0; i < ENTRIES; i++) {
		if (!entries[i].names || (entries[i].replay && !replay))
			continue;
		text_style(line, STYLE_BOLD);
		text_printf(line, "%-12s ", entries[i].names);
		text_style(line, STYLE_PLAIN);
		text_hang(line);
		text_string(line, entries[i].help);
		text_line(line);
	}
}

void keys_put_bar(struct text *line, unsigned int columns, bool replay)
{
	const char *separator = "";
	size_t i;

	for (i = 0; i < ENTRIES; i++) {
		const struct key_entry *entry = &entries[i];

		if (!entry->bar || (entry->replay && !replay))
			continue;
		if (line->columns + strlen(separator) + strlen(entry->bar_key) + 1 + strlen(entry->bar) > columns)
			continue;
		text_string(line, separator);
		text_style(line, STYLE_BOLD);
		text_string(line, entry->bar_key);
		text_style(line, STYLE_PLAIN);
		text_string(line, " ");
		text_string(line, entry->bar);
		separator = "  ";
	}
}
