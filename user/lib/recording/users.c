// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of users by their uids: of this machine, or those that a recording keeps in .users. */
#include "recording/users.h"
#include "base/intern.h"
#include "base/map.h"
#include "recording/numbered.h"
#include "base/plain.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 256
#define MOST_OF_ENTRY (1u << 20) /* bytes of a user's entry */

struct proclife_users {
	bool here; /* this machine can be asked for names that are not known */
	struct proclife_map names; /* by uid */
	struct proclife_arena texts;
};

/* Values in the map, which cannot hold NULL: no name, and not asked yet. */
static const char nobody[] = "", unasked[] = "";

static int add(struct proclife_users *users, uint32_t uid, const char *name)
{
	if (proclife_map_reserve(&users->names))
		return -ENOMEM;
	if (name != nobody && name != unasked) {
		size_t size = strlen(name) + 1;
		char *copy = proclife_arena_get(&users->texts, size);

		if (!copy)
			return -ENOMEM;
		name = memcpy(copy, name, size);
	}
	proclife_map_put(&users->names, uid, (void *)(uintptr_t)name);
	return 0;
}

static int take_line(void *data, uint64_t uid, const char *name)
{
	struct proclife_users *users = data;
	const char *known;

	if (uid > UINT32_MAX)
		return PROCLIFE_LINE_BAD;
	known = proclife_map_get(&users->names, uid);
	if (known)
		return strcmp(known, name) ? PROCLIFE_LINE_BAD : PROCLIFE_LINE_KNOWN;
	return add(users, (uint32_t)uid, name);
}

static const struct proclife_numbered kept = {
	.file = PROCLIFE_USERS_FILE,
	.text = "name",
	.longest = LONGEST,
	.take = take_line,
};

int proclife_users_new(struct proclife_users **result, const char *recording,
		       struct proclife_fault *fault)
{
	struct proclife_users *users = calloc(1, sizeof(*users));
	int err;

	proclife_fault_set(fault, "%s", "");
	if (!users)
		return -ENOMEM;
	users->here = !recording;
	err = proclife_map_init(&users->names);
	if (!err && recording)
		err = proclife_numbered_read(&kept, recording, users, fault);
	if (err) {
		proclife_users_free(users);
		return err;
	}
	*result = users;
	return 0;
}

void proclife_users_free(struct proclife_users *users)
{
	if (!users)
		return;
	proclife_map_free(&users->names);
	proclife_arena_free(&users->texts);
	free(users);
}

/* Can a recording keep this name? */
static bool is_good(const char *name)
{
	return name && name[0] && strlen(name) <= LONGEST && !strchr(name, '\n');
}

/* Asks this machine, which may ask another one: that can take long. */
static int look_up(struct proclife_users *users, uint32_t uid)
{
	struct passwd user, *found = NULL;
	size_t size = 512;
	char *buffer = NULL;
	int err;

	do {
		free(buffer);
		size *= 2;
		buffer = malloc(size);
		if (!buffer)
			return -ENOMEM;
		err = getpwuid_r(uid, &user, buffer, size, &found);
	} while (err == ERANGE && size < MOST_OF_ENTRY);
	err = add(users, uid, !err && found && is_good(found->pw_name) ? found->pw_name : nobody);
	free(buffer);
	return err;
}

int proclife_users_note(struct proclife_users *users, uint32_t uid)
{
	return proclife_map_get(&users->names, uid) ? 0 : add(users, uid, unasked) ?: 1;
}

int proclife_users_find(struct proclife_users *users, uint32_t uid, const char **name)
{
	int err = 0;

	*name = proclife_map_get(&users->names, uid);
	if ((!*name || *name == unasked) && users->here) {
		err = look_up(users, uid);
		*name = proclife_map_get(&users->names, uid);
	}
	if (*name == nobody || *name == unasked)
		*name = NULL;
	return err;
}

const char *proclife_users_name(struct proclife_users *users, uint32_t uid)
{
	const char *name;

	return proclife_users_find(users, uid, &name) ? NULL : name;
}
