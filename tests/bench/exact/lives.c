// SPDX-License-Identifier: GPL-2.0-only
#include "lives.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *array, size_t count, size_t size)
{
	array = reallocarray(array, count, size);
	if (!array)
		err(1, "reading");
	return array;
}

static uint32_t *current_of(struct lives *lives, uint32_t pid)
{
	if (pid >= lives->pids) {
		uint32_t pids = 2 * pid + 1024;

		lives->current = grow(lives->current, pids, sizeof(*lives->current));
		memset(lives->current + lives->pids, 0,
		       (pids - lives->pids) * sizeof(*lives->current));
		lives->pids = pids;
	}
	return &lives->current[pid];
}

uint32_t lives_new(struct lives *lives, uint64_t ts, uint32_t pid)
{
	struct life *life;

	if (lives->count == lives->room) {
		lives->room = 2 * lives->room + 4096;
		lives->life = grow(lives->life, lives->room, sizeof(*lives->life));
	}
	life = &lives->life[lives->count++];
	*life = (struct life){ .seen = ts, .pid = pid, .parent = NO_LIFE, .status = -1 };
	*current_of(lives, pid) = lives->count;
	return lives->count - 1;
}

uint32_t lives_now(struct lives *lives, uint64_t ts, uint32_t pid)
{
	uint32_t current = *current_of(lives, pid);

	if (current && !lives->life[current - 1].exited)
		return current - 1;
	return lives_new(lives, ts, pid);
}

uint32_t lives_fork(struct lives *lives, uint64_t ts, uint32_t pid, uint32_t parent_pid)
{
	uint32_t parent = lives_now(lives, ts, parent_pid);
	uint32_t child = lives_new(lives, ts, pid);

	lives->life[child].forked = true;
	lives->life[child].parent = parent;
	memcpy(lives->life[child].name, lives->life[parent].name, NAME_LEN);
	return child;
}

void lives_name(struct lives *lives, uint64_t ts, uint32_t pid, const char *name)
{
	uint32_t life = lives_now(lives, ts, pid);

	memset(lives->life[life].name, 0, NAME_LEN);
	memcpy(lives->life[life].name, name, strnlen(name, NAME_LEN - 1));
}

void lives_exit(struct lives *lives, uint64_t ts, uint32_t pid, int status)
{
	uint32_t life = lives_now(lives, ts, pid);

	lives->life[life].exited = true;
	lives->life[life].status = status;
}

void lives_reap(struct lives *lives, uint32_t pid, uint32_t reaper)
{
	uint32_t current = *current_of(lives, pid);

	if (current)
		lives->life[current - 1].reaper = reaper;
}

void lives_free(struct lives *lives)
{
	free(lives->life);
	free(lives->current);
	*lives = (struct lives){};
}

const char *name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void copy_name(char to[NAME_LEN], const char *from, const char *end)
{
	size_t len = end - from;

	if (len >= NAME_LEN)
		len = NAME_LEN - 1;
	memset(to, 0, NAME_LEN);
	memcpy(to, from, len);
}
