// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names that a recording keeps of numbers in its records: paths of cgroups, names of users. */
#include "base/array.h"
#include "base/secure_dir.h"
#include "recording/cgroups.h"
#include "recording/numbered.h"
#include "recording/recorder.h"
#include "recording/users.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ns for looking up users at once: meanwhile, the rings are not read, and the watchdog waits. */
#define USERS_TIME UINT64_C(50000000)
#define LAST_USERS_TIME UINT64_C(500000000) /* a short recording looks all of them up when it ends */

/* The uid in a record, plus 1; without a branch, as proclife_cgroup_of(). */
static inline uint64_t uid_of(const struct proclife_record *record)
{
#define UID_AT(member) { offsetof(struct proclife_record, member) / sizeof(uint32_t), UINT64_MAX }
	static const struct {
		uint64_t place; /* in words of 32 bits */
		uint64_t mask;
	} places[PROCLIFE_TYPES] = {
		[PROCLIFE_FORK] = UID_AT(fork.uid),
		[PROCLIFE_EXEC] = UID_AT(exec.uid),
		[PROCLIFE_TASK] = UID_AT(state.uid),
		[PROCLIFE_REAP] = UID_AT(reap.uid),
	};
	uint16_t type = record->type < PROCLIFE_TYPES ? record->type : PROCLIFE_NONE;
	uint32_t uid;

	if (type == PROCLIFE_REAP && proclife_unlikely(!(record->flags & PROCLIFE_F_USER)))
		return 0;
	memcpy(&uid, (const char *)record + places[type].place * sizeof(uid), sizeof(uid));
	return ((uint64_t)uid + 1) & places[type].mask;
}

static int write_name(struct proclife_recorder *recorder, int fd, uint64_t *end, uint64_t number, const char *text)
{
	uint64_t at = *end;
	int err;

	do {
		*end = at;
		err = proclife_numbered_write(fd, end, number, text);
	} while (proclife_room_made(&recorder->room, err));
	return err;
}

static int note_cgroup(struct proclife_recorder *recorder, uint64_t id)
{
	const char *path;
	int err;

	recorder->cgroup = id;
	if (recorder->cgroups_end >= recorder->names_room)
		return 0;
	err = recorder->slice || recorder->parts ? proclife_map_add(&recorder->known_cgroups, id) :
				!proclife_cgroups_known(recorder->cgroups, id);
	if (err <= 0)
		return err;
	path = proclife_cgroups_path(recorder->cgroups, id);
	return path ? write_name(recorder, recorder->cgroups_fd, &recorder->cgroups_end, id, path) : 0;
}

/* Looking up the name can take long, and can wait. */
static int note_uid(struct proclife_recorder *recorder, uint64_t uid)
{
	int ret;

	recorder->uid = uid;
	if (PROCLIFE_ARRAY_RESERVE(recorder->new_uids, recorder->new_uid_count, recorder->new_uid_size))
		return -ENOMEM;
	ret = recorder->slice || recorder->parts ? proclife_map_add(&recorder->known_uids, uid) :
				proclife_users_note(recorder->users, (uint32_t)(uid - 1));
	if (ret == 1)
		recorder->new_uids[recorder->new_uid_count++] = (uint32_t)(uid - 1);
	return ret < 0 ? ret : 0;
}

static int write_user(struct proclife_recorder *recorder, uint32_t uid)
{
	const char *name;
	int err = proclife_users_find(recorder->users, uid, &name);

	return name ? write_name(recorder, recorder->users_fd, &recorder->users_end, uid, name) : err;
}

/* When to stop. A recording's names are in memory, and a slice of it is written at once. */
static uint64_t users_until(const struct proclife_recorder *recorder)
{
	bool ends = recorder->limit != UINT64_MAX;

	if (recorder->slice)
		return UINT64_MAX;
	return proclife_monotonic() + (ends ? LAST_USERS_TIME : USERS_TIME);
}

int proclife_recorder_write_users(struct proclife_recorder *recorder)
{
	uint64_t until = users_until(recorder);
	size_t done = 0;
	int err = 0;

	while (!err && done < recorder->new_uid_count) {
		if (recorder->users_end >= recorder->names_room) {
			done = recorder->new_uid_count;
			break;
		}
		err = write_user(recorder, recorder->new_uids[done++]);
		if (until != UINT64_MAX && proclife_monotonic() >= until)
			break;
	}
	recorder->new_uid_count -= done;
	if (done && recorder->new_uid_count)
		memmove(recorder->new_uids, recorder->new_uids + done,
			recorder->new_uid_count * sizeof(*recorder->new_uids));
	return err;
}

int proclife_recorder_note(struct proclife_recorder *recorder, const struct proclife_record *from,
			   const struct proclife_record *end)
{
	int err = 0;

	for (; !err && from != end; from++) {
		uint64_t id = proclife_cgroup_of(from), uid = uid_of(from);

		if (proclife_unlikely(id && id != recorder->cgroup))
			err = note_cgroup(recorder, id);
		if (proclife_unlikely(!err && uid && uid != recorder->uid))
			err = note_uid(recorder, uid);
	}
	return err;
}

static int create(const struct proclife_recorder *recorder, const char *name, int *fd)
{
	int ret = proclife_secure_file(recorder->dir, name);

	*fd = ret < 0 ? -1 : ret;
	return ret < 0 ? ret : 0;
}

int proclife_recorder_open_names(struct proclife_recorder *recorder, const char *path)
{
	int err = create(recorder, PROCLIFE_CGROUPS_FILE, &recorder->cgroups_fd);

	if (!err)
		err = proclife_cgroups_new(&recorder->cgroups, path, NULL);
	if (!err)
		err = create(recorder, PROCLIFE_USERS_FILE, &recorder->users_fd);
	if (!err)
		err = proclife_users_new(&recorder->users, path, NULL);
	if (!err && (path || recorder->parts))
		err = proclife_map_init(&recorder->known_cgroups);
	if (!err && (path || recorder->parts))
		err = proclife_map_init(&recorder->known_uids);
	return err;
}

int proclife_recorder_next_names(struct proclife_recorder *recorder)
{
	int err;

	proclife_map_free(&recorder->known_cgroups);
	proclife_map_free(&recorder->known_uids);
	recorder->cgroup = 0;
	recorder->cgroups_end = 0;
	recorder->uid = 0;
	recorder->users_end = 0;
	recorder->new_uid_count = 0;
	err = proclife_map_init(&recorder->known_cgroups);
	if (!err)
		err = proclife_map_init(&recorder->known_uids);
	if (!err)
		err = create(recorder, PROCLIFE_CGROUPS_FILE, &recorder->cgroups_fd);
	return err ? err : create(recorder, PROCLIFE_USERS_FILE, &recorder->users_fd);
}

/* A cgroup can be gone while lives that were in it are open. */
int proclife_recorder_keep_names(struct proclife_recorder *recorder, const struct proclife_record *records,
				 size_t count)
{
	uint64_t *ids = reallocarray(NULL, count + 1, sizeof(*ids));
	size_t known = 0;
	int err;

	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint64_t id = proclife_cgroup_of(&records[i]);

		if (proclife_map_get(&recorder->known_cgroups, id))
			ids[known++] = id;
	}
	err = proclife_cgroups_keep(recorder->cgroups, ids, known);
	free(ids);
	return err;
}

void proclife_recorder_close_names(struct proclife_recorder *recorder)
{
	if (recorder->cgroups_fd >= 0)
		close(recorder->cgroups_fd);
	if (recorder->users_fd >= 0)
		close(recorder->users_fd);
	recorder->cgroups_fd = -1;
	recorder->users_fd = -1;
}

void proclife_recorder_free_names(struct proclife_recorder *recorder)
{
	proclife_cgroups_free(recorder->cgroups);
	recorder->cgroups = NULL;
	proclife_users_free(recorder->users);
	recorder->users = NULL;
	proclife_map_free(&recorder->known_cgroups);
	proclife_map_free(&recorder->known_uids);
	free(recorder->new_uids);
	recorder->new_uids = NULL;
	recorder->new_uid_size = 0;
}
