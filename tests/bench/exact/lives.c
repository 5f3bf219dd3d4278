// SPDX-License-Identifier: GPL-2.0-only
#include "lives.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *array, size_t count, size_t size)
{
	array = reallocarray(array, count, size);
	if (!array)
		err(1, "reading");
	return array;
}

static void check_pid(uint32_t pid)
{
	if (pid > MAX_PID)
		errx(1, "pid %u: the kernel has none above %d", pid, MAX_PID);
}

static uint32_t *current_of(struct lives *lives, uint32_t pid)
{
	check_pid(pid);
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

uint32_t lives_adopt(struct lives *lives, uint64_t ts, uint64_t earliest, uint32_t pid, uint32_t parent_pid)
{
	uint32_t parent = parent_pid ? lives_now(lives, ts, parent_pid) : NO_LIFE;
	uint32_t child = *current_of(lives, pid);

	if (!child || lives->life[child - 1].forked || lives->life[child - 1].seen < earliest)
		child = lives_new(lives, ts, pid) + 1;
	child--;
	lives->life[child].forked = true;
	lives->life[child].parent = parent;
	lives->life[child].seen = ts;
	if (!lives->life[child].name[0] && parent != NO_LIFE)
		memcpy(lives->life[child].name, lives->life[parent].name, NAME_LEN);
	return child;
}

void lives_name(struct lives *lives, uint64_t ts, uint32_t pid, const char *name)
{
	uint32_t life = lives_now(lives, ts, pid);

	memset(lives->life[life].name, 0, NAME_LEN);
	memcpy(lives->life[life].name, name, strnlen(name, NAME_LEN - 1));
}

void lives_args(struct lives *lives, uint32_t life, const char *args)
{
	free(lives->life[life].args);
	lives->life[life].args = strdup(args);
	if (!lives->life[life].args)
		err(1, "reading");
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

/* The element @index of an array, which grows as needed; new elements are 0. */
static uint32_t *place(uint32_t **array, uint32_t *room, uint32_t index)
{
	if (index >= *room) {
		uint32_t wanted = 2 * index + 1024;

		*array = grow(*array, wanted, sizeof(**array));
		memset(*array + *room, 0, (wanted - *room) * sizeof(**array));
		*room = wanted;
	}
	return &(*array)[index];
}

static void give_parent(struct lives *lives, uint32_t pid, uint32_t parent)
{
	uint32_t *first = place(&lives->waits_for, &lives->waiting, pid);
	uint32_t child;

	for (child = *first; child; child = *place(&lives->waits_too, &lives->waiting_too, child))
		lives->life[child - 1].parent = parent;
	*first = 0;
}

uint32_t lives_whole(struct lives *lives, uint64_t ts, uint32_t pid, uint32_t parent_pid, int status)
{
	uint32_t life = lives_new(lives, ts, pid);
	uint32_t *first;

	lives->life[life].forked = true;
	lives_exit(lives, ts, pid, status);
	give_parent(lives, pid, life);
	if (!parent_pid)
		return life;
	check_pid(parent_pid);
	first = place(&lives->waits_for, &lives->waiting, parent_pid);
	*place(&lives->waits_too, &lives->waiting_too, life + 1) = *first;
	*first = life + 1;
	return life;
}

void lives_complete(struct lives *lives)
{
	uint32_t pid;

	for (pid = 0; pid < lives->waiting; pid++)
		if (lives->waits_for[pid])
			give_parent(lives, pid, lives_new(lives, UINT64_MAX, pid));
}

void lives_free(struct lives *lives)
{
	uint32_t i;

	for (i = 0; i < lives->count; i++)
		free(lives->life[i].args);
	free(lives->life);
	free(lives->current);
	free(lives->waits_for);
	free(lives->waits_too);
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

uint64_t lives_senseless(struct lives *lives, uint64_t number, const char *why, const char *line)
{
	if (lives->shown) {
		lives->shown--;
		fprintf(stderr, "line %" PRIu64 ": %s: %s\n", number, why, line);
	}
	return 1;
}

uint64_t each_line(struct lives *lives, FILE *in, bool (*parse)(struct lives *lives, char *line))
{
	uint64_t senseless = 0, number = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, in) > 0) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!parse(lives, line))
			senseless += lives_senseless(lives, number, "makes no sense", line);
	}
	free(line);
	return senseless;
}
