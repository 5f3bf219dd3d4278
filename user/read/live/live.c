// SPDX-License-Identifier: GPL-2.0-only
/* The beginning and the end of the screen, and when it is drawn. */
#include "live/state.h"
#include "output/color.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define DRAW_EVERY (500 * MS)
#define DRAW_AGAIN (40 * MS) /* at most so soon, whatever is pressed */

static uint64_t real_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 * MS + (uint64_t)ts.tv_nsec;
}

struct live *live_new(const struct options *options, live_moment *moment)
{
	struct live *live;

	if (!terminal_check())
		return NULL;
	live = calloc(1, sizeof(*live));
	if (!live)
		return NULL;
	screen_init(&live->screen, options->color);
	live->options = options;
	live->moment = moment;
	live->sort = SORT_TIME;
	return live;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	terminal_end();
	free(live);
}

const struct screen *live_screen(const struct live *live)
{
	return &live->screen;
}

int live_attach(struct live *live, struct run *run, const struct proclife_run_info *replay)
{
	int ret = board_begin(&live->board, run);

	live->replay = replay;
	if (replay)
		player_begin(&live->player, replay, live->start_at);
	live->next_draw = live->next_proc = 0;
	live->restarts = false;
	return ret;
}

/* It stays, for another session. */
static void live_detach(void *data)
{
	struct live *live = data;

	input_close_over(live);
	panes_free(live);
	live->followed = 0;
	board_free(live->board);
	live->board = NULL;
}

bool live_begin(struct live *live)
{
	/* Colours are the only styles that some do not want: what is bold or dim stays bold or dim. */
	bool colored = color_is_on(live->options->color, STDOUT_FILENO);

	live->screen.color = true;
	live->screen.marks_more = true;
	return terminal_begin(colored);
}

bool live_is_due(struct live *live, uint64_t ts)
{
	return !live->replay || player_is_due(&live->player, ts);
}

static void live_event(void *data, const struct proclife_event *event)
{
	struct live *live = data;

	pulse_advance(&live->board->pulse, event_time(event));
}

void live_at_end(struct live *live, uint64_t ts)
{
	if (live->replay)
		player_end(&live->player, ts);
}

/* What time it is in what is shown. */
static void set_time(struct live *live)
{
	struct run *run = live->board->run;

	if (live->replay) {
		player_run(&live->player, real_now());
		if (live->player.behind)
			return;
		run->ended = live->player.at;
	} else if (!live->frozen) {
		run->ended = proclife_source_now(run->source);
	}
	pulse_advance(&live->board->pulse, live->replay ? live->player.at : proclife_source_horizon(run->source));
}

static void show(struct live *live, uint64_t now)
{
	struct run *run = live->board->run;

	live->screen.width = (unsigned int)terminal_columns();
	if (live->screen.width < LEAST_COLUMNS)
		live->screen.width = LEAST_COLUMNS;
	if (!run->ended)
		run->ended = run->began;
	board_trim(live->board);
	panes_update(live, now);
	if (!live->frozen || live->changed)
		input_update_page(live);
	draw(live);
	live->changed = false;
	live->was_behind = live->replay && live->player.behind;
	live->next_draw = now + DRAW_EVERY;
}

bool live_poll(struct live *live)
{
	uint64_t now = real_now();
	int key;

	if (terminal_take_signals())
		live->changed = true;
	while (!live->ends && !live->restarts && (key = terminal_key()) != KEY_NONE)
		input_key(live, key);
	if (live->ends || live->restarts)
		return false;
	set_time(live);
	if (live->was_behind && !live->player.behind) /* it has been read to where it was to go */
		live->changed = true;
	if (now >= live->next_draw || (live->changed && now + DRAW_EVERY >= live->next_draw + DRAW_AGAIN))
		show(live, now);
	return true;
}

void live_fds(const struct live *live, int fds[2])
{
	(void)live;
	fds[0] = STDIN_FILENO;
	fds[1] = terminal_signals();
}

bool live_restarts(struct live *live)
{
	return live->restarts;
}

const struct stage live_stage = { .event = live_event, .free = live_detach };
