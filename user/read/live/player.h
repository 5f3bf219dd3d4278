/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording is played: which of its events have happened by now. */
#ifndef READ_PLAYER_H
#define READ_PLAYER_H

#include <proclife.h>

#define SLOWEST_SPEED (-10) /* powers of two */
#define FASTEST_SPEED 20

struct player {
	uint64_t began; /* of the recording */
	uint64_t ended; /* UINT64_MAX: that is not known yet */
	uint64_t at;	/* what is shown: nothing is later */
	uint64_t real;	/* when that was shown, by this machine's clock */
	int speed;	/* a power of two */
	bool paused;
	bool behind;  /* there is more before `at` */
	bool at_end;
};

void player_begin(struct player *player, const struct proclife_run_info *run, uint64_t at);
/* Has this time come? */
bool player_is_due(struct player *player, uint64_t ts);
/* There is nothing more, up to this time. */
void player_end(struct player *player, uint64_t ts);
/* Time goes by. */
void player_run(struct player *player, uint64_t real);
void player_pause(struct player *player, bool paused);
void player_change_speed(struct player *player, int by);
/* Goes there, in the recording. False if that is back: then it has to be read again. */
bool player_seek(struct player *player, uint64_t *to);

#endif
