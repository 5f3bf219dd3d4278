// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C library's functions of these names load what nsswitch.conf(5) says, which has to be of the very version that a
 * static program was linked with. These read the files alone: a user that only a directory service knows stays a number.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#define USERS "/etc/passwd"
#define GROUPS "/etc/group"

/* The user of this name; without one, of this number. Returns 0 or an errno; found is NULL where there is none. */
static int find_user(const char *name, uid_t uid, struct passwd *user, char *buffer, size_t size, struct passwd **found)
{
	FILE *file = fopen(USERS, "re");
	int err;

	*found = NULL;
	if (!file)
		return errno == ENOENT ? 0 : errno;
	while (!(err = fgetpwent_r(file, user, buffer, size, found)))
		if (name ? !strcmp(user->pw_name, name) : user->pw_uid == uid)
			break;
	fclose(file);
	if (err)
		*found = NULL;
	return err == ENOENT ? 0 : err;
}

int getpwuid_r(uid_t uid, struct passwd *user, char *buffer, size_t size, struct passwd **found)
{
	return find_user(NULL, uid, user, buffer, size, found);
}

struct passwd *getpwnam(const char *name)
{
	static struct passwd user;
	static char buffer[65536];
	struct passwd *found;

	errno = find_user(name, 0, &user, buffer, sizeof(buffer), &found);
	return found;
}

struct group *getgrgid(gid_t gid)
{
	static struct group group;
	static char buffer[65536];
	struct group *found = NULL;
	FILE *file = fopen(GROUPS, "re");

	if (!file)
		return NULL;
	while (!fgetgrent_r(file, &group, buffer, sizeof(buffer), &found))
		if (group.gr_gid == gid)
			break;
	fclose(file);
	return found;
}
