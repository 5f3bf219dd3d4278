/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The internals of the screen. live.c: its beginning and end, and the time; input.c: keys; panes.c: the
 * tables; draw.c: what stands where.
 */
#ifndef READ_LIVE_STATE_H
#define READ_LIVE_STATE_H

#include "live/deaths.h"
#include "live/keys.h"
#include "live/live.h"
#include "live/player.h"
#include "live/pulse.h"
#include "views/lives/lives.h"
#include "views/summary/programs.h"

#define LEAST_COLUMNS 40
#define LEAST_ROWS 6
#define TYPED 120 /* bytes */

enum pane {
	PANE_DEATHS,
	PANE_PARENTS,
	PANE_DYING,
	PANE_ZOMBIES,
	PANE_PROGRAMS,
	PANES,
};

/* What stands in front of the table. */
enum over {
	OVER_NOTHING,
	OVER_HELP,
	OVER_LIFE,
	OVER_SORT,
};

enum prompt {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_USER,
	PROMPT_GO,
};

/* Lines that were printed. */
struct lines {
	char *text;
	char **all;
	size_t count;
};

/* A list of lines, one of which is looked at. */
struct list {
	size_t cursor;
	size_t top; /* the first line that is shown */
};

/* What one session has added up. */
struct board {
	struct run *run;
	struct pulse pulse;
	struct deaths deaths;
	struct proclife_reapers *reapers;
	struct programs programs;
	uint64_t reapers_since;	 /* 0: from the beginning on */
	uint64_t programs_since; /* 0: from the beginning on */
};

struct live {
	const struct options *options;
	struct screen screen;
	struct board *board; /* NULL: between two sessions */
	const struct proclife_run_info *replay;
	live_moment *moment;
	struct player player;
	uint64_t start_at; /* of a recording; 0: its beginning */
	bool restarts;
	bool ends;

	enum pane pane;
	enum over over;
	enum prompt prompt;
	bool frozen;
	char typed[TYPED];
	char search[TYPED];
	char filter[TYPED];
	char user[TYPED];
	uint32_t uid;
	bool failed;
	enum sort_key sort;
	bool inverted;
	char note[200]; /* said until the next key */

	struct list lists[PANES];
	struct list over_list;
	struct lives_text lives;
	struct kept_death **rows; /* of the deaths, as shown; each is held */
	size_t row_count;
	bool dated; /* they are of several days, or of another one than it is */
	struct kept_death **still; /* while it is frozen: all deaths that there were, each held */
	size_t still_count;
	uint64_t followed; /* the death at the cursor; 0: the first line, whichever it is */
	/* And then, too: the other tables as they were, each with its titles and with no filter; the graphs. */
	struct lines still_lines[PANES];
	struct pulse still_pulse;
	struct lines titles; /* of the pane that is shown */
	struct lines lines;  /* of the pane that is shown, but deaths */
	struct lines over_lines;
	struct kept_death *opened; /* the life in front, held; NULL: none */

	uint64_t next_draw; /* when what is shown is looked up again, ns */
	uint64_t next_proc;
	bool changed; /* by a key */
	bool was_behind; /* a recording was, when it was drawn */
};

/* Text to be read, without a chosen line. */
static inline bool over_is_page(const struct live *live)
{
	return live->over == OVER_HELP || live->over == OVER_LIFE;
}

/* Printed into memory. */
FILE *lines_begin(struct live *live);
void lines_end(struct live *live, FILE *file, struct lines *lines);
void lines_free(struct lines *lines);

/* board.c */
int board_begin(struct board **board, struct run *run);
void board_free(struct board *board);
/* Forgets what would grow for ever. */
void board_trim(struct board *board);

/* panes.c: looks up what is shown. */
void panes_update(struct live *live, uint64_t now);
void panes_free(struct live *live);
/* From now on the tables stay as they are, or do not. */
void panes_freeze(struct live *live, bool frozen);
size_t panes_count(const struct live *live);
/* The line of this number of the pane that is shown. */
void panes_put_line(struct live *live, size_t number, struct text *line);
/* Has it this text? In any case of letters. */
bool panes_has(struct live *live, size_t number, const char *text);
const char *pane_name(enum pane pane);

/* life.c: to the screen's file */
void life_print(const struct live *live, struct kept_death *kept);

/* input.c */
void input_key(struct live *live, int key);
/* Prints the page in front again: for another width, or what has become known meanwhile. */
void input_update_page(struct live *live);
void input_close_over(struct live *live);
const char *prompt_title(enum prompt prompt);

/* draw.c */
void draw(struct live *live);
/* Lines of a list that are shown at once. */
int draw_page(const struct live *live);

#endif
