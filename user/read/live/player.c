// SPDX-License-Identifier: GPL-2.0-only
#include "live/player.h"
#include <math.h>

void player_begin(struct player *player, const struct proclife_run_info *run, uint64_t at)
{
	uint64_t ended = run->complete ? run->ended : run->synced;

	player->began = run->began;
	player->ended = ended >= run->began && ended ? ended : UINT64_MAX;
	player->at = at > run->began ? at : run->began;
	player->real = 0;
	player->behind = true;
	player->at_end = false;
}

bool player_is_due(struct player *player, uint64_t ts)
{
	player->behind = ts <= player->at;
	return player->behind;
}

void player_end(struct player *player, uint64_t ts)
{
	player->behind = false;
	if (player->ended == UINT64_MAX)
		player->ended = ts > player->began ? ts : player->began;
	player->at_end = player->at >= player->ended;
}

void player_run(struct player *player, uint64_t real)
{
	uint64_t left = player->ended > player->at ? player->ended - player->at : 0;
	double by = player->real && real > player->real ?
		ldexp((double)(real - player->real), player->speed) : 0;

	player->real = real;
	/* While it reads on to where it is to be, no time goes by. */
	if (!player->paused && !player->behind)
		player->at += by < (double)left ? (uint64_t)by : left;
}

void player_pause(struct player *player, bool paused)
{
	player->paused = paused;
}

void player_change_speed(struct player *player, int by)
{
	int speed = player->speed + by;

	if (speed >= SLOWEST_SPEED && speed <= FASTEST_SPEED)
		player->speed = speed;
}

bool player_seek(struct player *player, uint64_t *to)
{
	if (*to < player->began)
		*to = player->began;
	if (*to > player->ended)
		*to = player->ended;
	if (*to < player->at)
		return false;
	player->at = *to;
	player->behind = true;
	return true;
}
