/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a recording, which are anybody's: opening them, and what is said where that fails. */
#ifndef PROCLIFE_PLAIN_H
#define PROCLIFE_PLAIN_H

#include "proclife.h"

#include <sys/stat.h>

/* Sets the text; nothing if @fault is NULL. */
void proclife_fault_set(struct proclife_fault *fault, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same, and what it is about: @file in @folder, or the folder itself if @file is NULL. */
void proclife_fault_at(struct proclife_fault *fault, const char *folder, const char *file,
		       const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Opens a plain file for reading, and nothing else: nothing that a link points to, that could make
 * us wait, that has no end, or that does something because it is opened. @folder is the name of
 * @dir. Return: the descriptor; -ENOEXEC if it is no plain file, or an error of openat(2), which
 * @fault explains.
 */
int proclife_plain_open(int dir, const char *folder, const char *file, struct stat *st,
			struct proclife_fault *fault);

/*
 * A structure that the caller has allocated, of a program that knows fewer members than we do, or
 * more: those that it does not have are 0. @least: how large the first version of it was. Return: 0;
 * -EINVAL if it is smaller; -E2BIG if it has something in a member that we do not know.
 */
int proclife_take_struct(void *to, size_t ours, const void *from, size_t theirs, size_t least);

#endif
