// SPDX-License-Identifier: LGPL-2.1-or-later
/* The last exec of each process that failed, until it execs or is forgotten: few have one, so a map has these. */
#include "lives/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct proclife_priv_failed {
	struct proclife_failed_exec failed;
	struct proclife_record record;
};

static struct proclife_priv_failed *failed_of(struct proclife_tasks *tasks, uint64_t id)
{
	struct proclife_map *map = &tasks->failed_execs;
	struct proclife_priv_failed *own = map->used ? proclife_map_get(map, id) : NULL;

	if (own)
		return own;
	if ((!map->entries && proclife_map_init(map)) || proclife_map_reserve(map))
		return NULL;
	own = calloc(1, sizeof(*own)); /* a tree compares it bytewise */
	if (own)
		proclife_map_put(map, id, own);
	return own;
}

static bool is_not_there(uint32_t error)
{
	return error == ENOENT || error == ENOTDIR;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* In a search of PATH, a file that cannot be executed counts more than that the next ones are not there: see execvp(3). */
static bool goes_on_in_vain(const struct proclife_failed_exec *before, const struct proclife_failed_exec *now)
{
	return before->error && !is_not_there(before->error) && is_not_there(now->error) && *before->path &&
	       !strcmp(base_of(before->path), base_of(now->path));
}

int proclife_failed_exec_note(struct proclife_tasks *tasks, const struct proclife_process *process,
			      const struct proclife_record *record)
{
	struct proclife_priv_failed *own = failed_of(tasks, process->id);
	size_t before = record->flags & PROCLIFE_F_TRUNCATED ? 3 : 0;
	struct proclife_failed_exec failed;

	if (!own)
		return -ENOMEM;
	memset(&failed, 0, sizeof(failed)); /* its padding, too: see failed_of() */
	failed.ts = record->ts;
	failed.error = record->fail.error;
	failed.by_fd = record->flags & PROCLIFE_F_BY_FD;
	memcpy(failed.path, "...", before);
	memcpy(failed.path + before, record->fail.path, PROCLIFE_PATH_LEN);
	if (goes_on_in_vain(&own->failed, &failed))
		return 0;
	own->record = *record;
	memcpy(&own->failed, &failed, sizeof(failed));
	return 0;
}

void proclife_failed_exec_drop(struct proclife_tasks *tasks, uint64_t id)
{
	struct proclife_priv_failed *own = proclife_map_get(&tasks->failed_execs, id);

	if (!own)
		return;
	proclife_map_del(&tasks->failed_execs, id);
	free(own);
}

void proclife_failed_execs_free(struct proclife_tasks *tasks)
{
	struct proclife_map *map = &tasks->failed_execs;

	for (uint64_t slot = 0; map->entries && slot <= map->mask; slot++)
		free(map->entries[slot].value);
	proclife_map_free(map);
}

/* NULL: it has none, or a later one can be missing. */
static const struct proclife_priv_failed *known_failed(const struct proclife_process *process)
{
	const struct proclife_tasks *tasks = proclife_priv(process)->all;
	const struct proclife_priv_failed *own =
		tasks->failed_execs.used ? proclife_map_get(&tasks->failed_execs, process->id) : NULL;

	return own && !proclife_tasks_may_lack(tasks, PROCLIFE_FAIL, own->record.ts) ? own : NULL;
}

const struct proclife_record *proclife_failed_exec_record(const struct proclife_process *process)
{
	const struct proclife_priv_failed *own = known_failed(process);

	return own ? &own->record : NULL;
}

const struct proclife_failed_exec *proclife_process_failed_exec(const struct proclife_process *process)
{
	const struct proclife_priv_failed *own = known_failed(process);

	return own && proclife_process_has_ended(process) ? &own->failed : NULL;
}
