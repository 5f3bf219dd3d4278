// SPDX-License-Identifier: GPL-2.0-only
#include "output/file_owner.h"
#include "output/message.h"
#include "output/quoted.h"
#include <unistd.h>

bool owner_is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || !st->st_uid;
}

/* A user's own group can write, where the umask is 002: it has no other member. */
bool owner_is_shared(const struct stat *st)
{
	bool own_group = st->st_uid == geteuid() && st->st_gid == getegid();

	return (st->st_mode & S_IWOTH) || ((st->st_mode & S_IWGRP) && !own_group);
}

bool owner_say_file(const char *option, const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!owner_is_trusted(&st))
		message("%s %s: the file belongs to uid %u, who could read what is written there; name a new one", option,
			quoted(path), st.st_uid);
	else if (st.st_nlink > 1)
		message("%s %s: the file is a hard link and has another name, too; name a new one", option,
			quoted(path));
	else
		return false;
	return true;
}

bool owner_say_folder(const char *option, const char *path)
{
	struct stat st, link;

	if (stat(path, &st) || lstat(path, &link) || !S_ISDIR(st.st_mode))
		return false;
	if (!owner_is_trusted(&st))
		message("%s %s: the folder belongs to uid %u, who could exchange what is in it; name one that does not exist yet",
			option, quoted(path), st.st_uid);
	else if (owner_is_shared(&st))
		message("%s %s: others can write in this folder, and could exchange what is in it; name one that does not exist yet, or take that from them: 'chmod go-w'",
			option, quoted(path));
	else if (S_ISLNK(link.st_mode))
		message("%s %s: a symbolic link in a folder where others can put one; name the folder that it leads to",
			option, quoted(path));
	else
		return false;
	return true;
}
