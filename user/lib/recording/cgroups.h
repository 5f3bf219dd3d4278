/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PROCLIFE_CGROUPS_H
#define PROCLIFE_CGROUPS_H

#include "proclife.h"

#include <stddef.h>
#include <string.h>

/* The file in a recording: a line "ID PATH" for each. */
#define PROCLIFE_CGROUPS_FILE ".cgroups"

#define PROCLIFE_CGROUP_AT(member) \
	{ offsetof(struct proclife_record, member) / sizeof(uint64_t), UINT64_MAX }

/* The cgroup in a record, or 0. The next type is as good as random, so this has no branch on it. */
static inline uint64_t proclife_cgroup_of(const struct proclife_record *record)
{
	static const struct {
		uint64_t word;
		uint64_t mask;
	} places[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = PROCLIFE_CGROUP_AT(fork.cgroup),
		[PROCLIFE_RENAME] = PROCLIFE_CGROUP_AT(rename.cgroup),
		[PROCLIFE_REAP] = PROCLIFE_CGROUP_AT(reap.cgroup),
		[PROCLIFE_TASK] = PROCLIFE_CGROUP_AT(state.cgroup),
		[PROCLIFE_EXITING] = PROCLIFE_CGROUP_AT(exiting.cgroup),
		[PROCLIFE_CGROUP] = PROCLIFE_CGROUP_AT(cgroup.cgroup),
		[PROCLIFE_OOM] = PROCLIFE_CGROUP_AT(oom.cgroup),
	};
	uint16_t type = record->type < PROCLIFE_TYPES ? record->type : PROCLIFE_NONE;
	uint64_t id;

	memcpy(&id, (const char *)record + places[type].word * sizeof(id), sizeof(id));
	return id & places[type].mask;
}

/* Has this id been asked for already? */
bool proclife_cgroups_known(const struct proclife_cgroups *cgroups, uint64_t id);

/* Sets @id to the first id with this path, 0 if there is none. Returns 0 or -ENOMEM. */
int proclife_cgroups_find(struct proclife_cgroups *cgroups, const char *path, uint64_t *id);

/* Returns 0 or -ENOMEM. */
int proclife_cgroups_add(struct proclife_cgroups *cgroups, uint64_t id, const char *path);

#endif
