// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/secure_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int proclife_secure_file(int dir, const char *name)
{
	int fd;

	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

/* Does a file that we create there belong to this owner? NFS maps root to nobody; FAT has one owner for all. */
static bool makes_owner(int dir, uid_t owner)
{
	int fd = openat(dir, PROCLIFE_SECURE_DRAFT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && st.st_uid == owner;
	close(fd);
	unlinkat(dir, PROCLIFE_SECURE_DRAFT, 0);
	return same;
}

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || !owner;
}

/* A user's own group can write, where the umask is 002: it has no other member. */
static bool is_shared(const struct stat *st)
{
	bool own_group = st->st_uid == geteuid() && st->st_gid == getegid();

	return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && !own_group);
}

/* Is a link there ours, or root's? */
static int follow(int parent)
{
	struct stat st;

	return !fstat(parent, &st) && is_trusted(st.st_uid) && !is_shared(&st) ? 0 : O_NOFOLLOW;
}

static int check(int dir, bool made)
{
	struct stat st;

	if (fstat(dir, &st))
		return -errno;
	if (!made && is_shared(&st))
		return -EPERM;
	return is_trusted(st.st_uid) || makes_owner(dir, st.st_uid) ? 0 : -EPERM;
}

static int open_in(int parent, const char *name)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow(parent), dir, err;
	bool made = false;
	struct stat st;

	dir = openat(parent, name, flags);
	if (dir < 0 && errno == ENOENT) {
		/* Arguments and names can be confidential: for the owner only, like the device. */
		made = !mkdirat(parent, name, 0700);
		if (!made && errno != EEXIST)
			return -errno;
		dir = openat(parent, name, flags);
	}
	if (dir < 0) {
		err = -errno;
		if ((flags & O_NOFOLLOW) && !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISLNK(st.st_mode))
			err = -EPERM;
		return err;
	}
	err = check(dir, made);
	if (err)
		close(dir);
	return err ? err : dir;
}

/* All of it is done in the folder above, which cannot become another one meanwhile. */
int proclife_secure_folder(const char *path)
{
	char above[PATH_MAX], name[PATH_MAX];
	int parent, dir;

	if (!*path)
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	parent = open(dirname(strcpy(above, path)), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent < 0)
		return -errno;
	dir = open_in(parent, basename(strcpy(name, path)));
	close(parent);
	return dir;
}
