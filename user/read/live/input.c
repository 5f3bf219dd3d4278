// SPDX-License-Identifier: GPL-2.0-only
/* What the keys do. */
#include "cli/choices.h"
#include "live/state.h"
#include "output/message.h"
#include "output/quoted.h"
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static __attribute__((format(printf, 2, 3))) void note(struct live *live, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(live->note, sizeof(live->note), format, args);
	va_end(args);
}

static struct list *list_of(struct live *live)
{
	return live->over ? &live->over_list : &live->lists[live->pane];
}

static size_t count_of(const struct live *live)
{
	return live->over ? live->over_lines.count : panes_count(live);
}

static void go_to(struct live *live, size_t number)
{
	struct list *list = list_of(live);
	size_t count = count_of(live);

	list->cursor = number < count ? number : count ? count - 1 : 0;
	if (!live->over && live->pane == PANE_DEATHS)
		live->followed = list->cursor && live->row_count ?
			live->rows[list->cursor]->life->order : 0;
}

/* A page has no cursor in it: the whole of it moves. */
static void move(struct live *live, long by)
{
	struct list *list = list_of(live);
	size_t at = list->cursor, page = (size_t)draw_page(live), count = count_of(live);

	if (over_is_page(live)) {
		at = list->top;
		count = count > page ? count - page + 1 : 1;
	}
	at = by < 0 && (size_t)-by > at ? 0 : at + (size_t)by;
	if (at >= count)
		at = count ? count - 1 : 0;
	if (over_is_page(live))
		list->top = at;
	else
		go_to(live, at);
}

/*
 * What stands in front
 */

void input_close_over(struct live *live)
{
	live->over = OVER_NOTHING;
	lines_free(&live->over_lines);
	if (live->opened)
		death_release(live->opened);
	live->opened = NULL;
}

static void open_over(struct live *live, enum over over)
{
	input_close_over(live);
	live->over = over;
	live->over_list = (struct list){ 0 };
}

static void print_help(struct live *live)
{
	static const char *const figures[] = {
		"forks/s, deaths/s: in the last second; the graphs are the last minute, and most is their highest.",
		"zombies: exited, and not reaped. lost: records that were overwritten before they were read.",
		"busy: CPUs, by the CPU time of processes, known once they end, spread evenly over their lives.",
		"p99 free: exit to free, as --latency has it; of less than 100 deaths in a second, the longest.",
	};
	struct text line;
	size_t i;

	text_init(&line, &live->screen);
	keys_print_help(&line, live->replay);
	text_line(&line);
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		text_string(&line, figures[i]);
		text_line(&line);
	}
	text_free(&line);
}

void input_update_page(struct live *live)
{
	FILE *file;

	if (!over_is_page(live))
		return;
	file = lines_begin(live);
	if (live->over == OVER_HELP)
		print_help(live);
	else
		life_print(live, live->opened);
	lines_end(live, file, &live->over_lines);
}

static void open_help(struct live *live)
{
	open_over(live, OVER_HELP);
	input_update_page(live);
}

static void open_sort(struct live *live)
{
	FILE *file;
	unsigned int i;

	open_over(live, OVER_SORT);
	file = lines_begin(live);
	for (i = 0; choice_sort(i); i++)
		fprintf(file, "%s\n", choice_sort(i));
	lines_end(live, file, &live->over_lines);
	live->over_list.cursor = live->sort - 1;
}

static void open_life(struct live *live)
{
	struct list *list = &live->lists[PANE_DEATHS];

	if (live->pane != PANE_DEATHS) {
		note(live, "Deaths can be opened: press 1");
		return;
	}
	if (list->cursor >= live->row_count)
		return;
	open_over(live, OVER_LIFE);
	live->opened = live->rows[list->cursor];
	death_hold(live->opened);
	input_update_page(live);
}

static void sort_by(struct live *live, enum sort_key key)
{
	if (live->pane != PANE_DEATHS) {
		note(live, "Deaths can be sorted: press 1");
		return;
	}
	input_close_over(live);
	live->sort = key;
	live->inverted = false;
	go_to(live, 0);
}

static void enter(struct live *live)
{
	if (live->over == OVER_SORT) {
		enum sort_key key = (enum sort_key)(live->over_list.cursor + 1);

		input_close_over(live);
		sort_by(live, key);
	} else if (live->over) {
		input_close_over(live);
	} else {
		open_life(live);
	}
}

/*
 * What is typed
 */

/* From there on, and around. */
static void search(struct live *live, size_t from, bool back)
{
	size_t count = panes_count(live), i, at;

	if (!live->search[0] || !count)
		return;
	for (i = 0; i < count; i++) {
		at = back ? (from + count - i) % count : (from + i) % count;
		if (panes_has(live, at, live->search)) {
			go_to(live, at);
			return;
		}
	}
	note(live, "%s: not found", quoted(live->search));
}

static void search_again(struct live *live, bool back)
{
	size_t count = panes_count(live), at = live->lists[live->pane].cursor;

	if (!live->search[0])
		note(live, "There is nothing to search for: press /");
	else if (count)
		search(live, back ? (at + count - 1) % count : (at + 1) % count, back);
}

static void set_user(struct live *live)
{
	char *end;
	unsigned long uid = strtoul(live->typed, &end, 10);
	const struct passwd *user;

	live->user[0] = '\0';
	if (!live->typed[0])
		return;
	if (*end || uid >= UINT_MAX) {
		user = getpwnam(live->typed);
		if (!user) {
			note(live, "%s: no user has this name here; give the number", quoted(live->typed));
			return;
		}
		uid = user->pw_uid;
	}
	live->uid = (uint32_t)uid;
	strcpy(live->user, live->typed);
}

static void seek(struct live *live, uint64_t to)
{
	if (player_seek(&live->player, &to))
		return;
	live->start_at = to;
	live->restarts = true;
}

static void go(struct live *live)
{
	const struct player *player = &live->player;
	struct moment moment;
	char *end;
	double percent = strtod(live->typed, &end);

	if (end != live->typed && !strcmp(end + strspn(end, " "), "%") && percent >= 0 && percent <= 100 &&
	    player->ended != UINT64_MAX)
		seek(live, player->began +
			   (uint64_t)((double)(player->ended - player->began) * percent / 100));
	else if (moment_parse(live->typed, &moment))
		seek(live, live->moment(live->board->run, live->replay, &moment));
	else
		note(live, "%s: not a time such as 14:03, +10s, -1m or 50%%", quoted(live->typed));
}

static void ask(struct live *live, enum prompt prompt)
{
	input_close_over(live);
	live->prompt = prompt;
	live->typed[0] = '\0';
	if (prompt == PROMPT_FILTER)
		strcpy(live->typed, live->filter);
}

static void accept(struct live *live)
{
	enum prompt prompt = live->prompt;

	live->prompt = PROMPT_NONE;
	if (prompt == PROMPT_SEARCH) /* once more, to say whether it is there */
		search(live, live->lists[live->pane].cursor, false);
	else if (prompt == PROMPT_USER)
		set_user(live);
	else if (prompt == PROMPT_GO && live->typed[0])
		go(live);
}

/* A search, and a filter, work while they are typed. */
static void typed(struct live *live)
{
	if (live->prompt == PROMPT_SEARCH) {
		strcpy(live->search, live->typed);
		search(live, live->lists[live->pane].cursor, false);
	} else if (live->prompt == PROMPT_FILTER) {
		strcpy(live->filter, live->typed);
		go_to(live, 0);
	}
}

static void type(struct live *live, int key)
{
	size_t n = strlen(live->typed);
	char bytes[MB_LEN_MAX];
	mbstate_t state = { 0 };
	size_t length;

	if (key == KEY_IS_BACKSPACE) {
		while (n && ((unsigned char)live->typed[n - 1] & 0xc0) == 0x80 && live->screen.utf8)
			n--;
		live->typed[n ? n - 1 : 0] = '\0';
		typed(live);
		return;
	}
	if (key < ' ' || key >= KEY_IS_F0)
		return;
	length = wcrtomb(bytes, (wchar_t)key, &state);
	if (length == (size_t)-1 || n + length >= sizeof(live->typed))
		return;
	memcpy(live->typed + n, bytes, length);
	live->typed[n + length] = '\0';
	typed(live);
}

static void prompt_key(struct live *live, int key)
{
	if (key == KEY_IS_ENTER) {
		accept(live);
	} else if (key == KEY_IS_ESCAPE) {
		if (live->prompt == PROMPT_FILTER)
			live->filter[0] = '\0';
		live->prompt = PROMPT_NONE;
	} else {
		type(live, key);
	}
}

/*
 * Keys
 */

static void freeze(struct live *live)
{
	if (live->replay)
		player_pause(&live->player, !live->player.paused);
	else
		panes_freeze(live, !live->frozen);
}

static void show_pane(struct live *live, enum pane pane)
{
	input_close_over(live);
	live->pane = pane;
}

static void step(struct live *live, bool back)
{
	const struct player *player = &live->player;
	uint64_t by = (player->ended - player->began) / 20;

	if (player->ended == UINT64_MAX)
		by = 10 * UINT64_C(1000000000);
	if (back)
		seek(live, player->at > player->began + by ? player->at - by : player->began);
	else
		seek(live, player->at + by);
}

static void act(struct live *live, enum action action)
{
	long page = draw_page(live);

	switch (action) {
	case ACTION_HELP:
		if (live->over == OVER_HELP)
			input_close_over(live);
		else
			open_help(live);
		break;
	case ACTION_QUIT: /* what is in front goes first, as in less and htop */
		if (live->over)
			input_close_over(live);
		else
			live->ends = true;
		break;
	case ACTION_CLOSE:
		input_close_over(live);
		break;
	case ACTION_NEXT_PANE:
		show_pane(live, (live->pane + 1) % PANES);
		break;
	case ACTION_LAST_PANE:
		show_pane(live, (live->pane + PANES - 1) % PANES);
		break;
	case ACTION_UP:
		move(live, -1);
		break;
	case ACTION_DOWN:
		move(live, 1);
		break;
	case ACTION_PAGE_UP:
		move(live, -page);
		break;
	case ACTION_PAGE_DOWN:
		move(live, page);
		break;
	case ACTION_TOP:
		move(live, LONG_MIN / 2);
		break;
	case ACTION_BOTTOM:
		move(live, LONG_MAX / 2);
		break;
	case ACTION_OPEN:
		enter(live);
		break;
	case ACTION_SEARCH:
		ask(live, PROMPT_SEARCH);
		break;
	case ACTION_SEARCH_NEXT:
	case ACTION_SEARCH_LAST:
		input_close_over(live); /* what it goes to is behind it */
		search_again(live, action == ACTION_SEARCH_LAST);
		break;
	case ACTION_FILTER:
		ask(live, PROMPT_FILTER);
		break;
	case ACTION_USER:
		ask(live, PROMPT_USER);
		break;
	case ACTION_FAILED:
		input_close_over(live);
		live->failed = !live->failed;
		break;
	case ACTION_SORT:
		open_sort(live);
		break;
	case ACTION_SORT_CPU:
		sort_by(live, SORT_CPU);
		break;
	case ACTION_SORT_RSS:
		sort_by(live, SORT_RSS);
		break;
	case ACTION_SORT_LIFE:
		sort_by(live, SORT_LIFE);
		break;
	case ACTION_INVERT:
		input_close_over(live);
		live->inverted = !live->inverted;
		break;
	case ACTION_FREEZE:
		freeze(live);
		break;
	case ACTION_REDRAW:
		terminal_redraw();
		break;
	case ACTION_BACK:
	case ACTION_FORWARD:
		step(live, action == ACTION_BACK);
		break;
	case ACTION_SLOWER:
	case ACTION_FASTER:
		player_change_speed(&live->player, action == ACTION_FASTER ? 1 : -1);
		break;
	case ACTION_GO:
		ask(live, PROMPT_GO);
		break;
	default:
		if (action >= ACTION_PANE && action <= ACTION_PANES_END)
			show_pane(live, (enum pane)(action - ACTION_PANE));
		else
			note(live, "This key does nothing; h lists those that do");
	}
}

const char *prompt_title(enum prompt prompt)
{
	static const char *const titles[] = {
		[PROMPT_NONE] = "", [PROMPT_SEARCH] = "Search: ", [PROMPT_FILTER] = "Filter: ",
		[PROMPT_USER] = "User: ", [PROMPT_GO] = "Time: ",
	};

	return titles[prompt];
}

void input_key(struct live *live, int key)
{
	live->note[0] = '\0';
	live->changed = true;
	if (live->prompt)
		prompt_key(live, key);
	else
		act(live, key_action(key, live->replay));
}
