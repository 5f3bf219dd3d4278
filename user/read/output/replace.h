/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are replaced as a whole: a reader finds the old text or the new one, never a part.
 * Another file is written beside it meanwhile, PATH.PID. After a crash of the machine either text can be
 * there, or none.
 */
#ifndef READ_REPLACE_H
#define READ_REPLACE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct replacement {
	const char *path;
	char *beside; /* NULL: there is none, the file itself is written */
	FILE *file;   /* NULL: it has not begun, or has ended */
	int fd;
	int error; /* the first one of a write, which stdio does not keep; or 0 */
};

/*
 * Says so if a file in its place would take its name away: the name of a fifo, or of a link that a user has
 * set up. @option: which one names it. Returns 0 or a negative errno.
 */
int replace_check(const char *option, const char *path);
/* @mode: what the file gets, less the umask. 0 or a negative errno. */
int replace_begin(struct replacement *replacement, const char *path, mode_t mode);
/*
 * Writes behind what is there, for a program that follows a growing file: it begins a new line if the last
 * one has no end. A file that is there has to be ours or root's, under this name alone. Says why
 * it could not. 0 or a negative errno.
 */
int replace_append(struct replacement *replacement, const char *option, const char *path, mode_t mode);
/* 0 or a negative errno; then the old file is as it was, and the other one is gone. */
int replace_end(struct replacement *replacement);
/* Leaves the old file as it is. Does nothing after replace_end(). */
void replace_abandon(struct replacement *replacement);

/* Could it begin? 0 or a negative errno. */
int replace_try(const char *path);
/* Says why it could not, and what to do about it. */
void replace_say(const char *option, const char *path, int error);

static inline bool replace_is_full(int error)
{
	return error == -ENOSPC || error == -EDQUOT;
}

/* The whole text, with the mode 0644, less the umask. 0 or a negative errno. */
int replace_file(const char *path, const char *text, size_t size);

#endif
