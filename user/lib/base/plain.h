/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a recording, which are not trusted: opening them, and the messages if that fails. */
#ifndef PROCLIFE_PLAIN_H
#define PROCLIFE_PLAIN_H

#include "proclife.h"

#include <sys/stat.h>

/* Sets the text. Does nothing if @fault is NULL. */
void proclife_fault_set(struct proclife_fault *fault, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Also sets the path: @file in @folder, or the folder itself if @file is NULL. */
void proclife_fault_at(struct proclife_fault *fault, const char *folder, const char *file,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* As strerror(3), in English whatever the locale is. */
const char *proclife_strerror(int error);

/* What can be done about it, to follow what cannot be opened or read and why; "" if there is nothing. */
const char *proclife_remedy(int error);

/*
 * Opens a plain file for reading, and nothing else: no symbolic link, and nothing that could make
 * us wait, has no end, or has effects when it is opened. @folder is the name of @dir. Returns the
 * descriptor; -ENOEXEC if it is no plain file; or an error of openat(2). @fault explains it.
 */
int proclife_plain_open(int dir, const char *folder, const char *file, struct stat *st,
			struct proclife_fault *fault);

/*
 * Copies a structure of a program that may have been built with fewer members than we know, or with
 * more. Members that it does not have become 0. @least is the size of the first version. Returns 0;
 * -EINVAL if it is smaller than that; -E2BIG if a member that we do not know is not 0.
 */
int proclife_take_struct(void *to, size_t ours, const void *from, size_t theirs, size_t least);

#endif
