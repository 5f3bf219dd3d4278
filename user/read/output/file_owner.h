/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What belongs to another user is neither written nor filled: root writes where others have folders, and they
 * would read it, or have put a link there.
 */
#ifndef READ_FILE_OWNER_H
#define READ_FILE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/* Ours, or root's. */
bool owner_is_trusted(const struct stat *st);
/* Can others write to it, or in it? */
bool owner_is_shared(const struct stat *st);

/*
 * Is this a regular file that is another user's, or has another name than this? Then says so, and
 * returns true. @option: which one names it.
 */
bool owner_say_file(const char *option, const char *path, int fd);
/* If it is for this that a folder was refused, says so. */
bool owner_say_folder(const char *option, const char *path);

#endif
