/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files, until all is done; and what is in a folder. */
#ifndef PROCLIFE_FILES_H
#define PROCLIFE_FILES_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

/* pread(2) until all is read. Returns 0 or a negative errno; -EIO if the file ends before. */
int proclife_read_all(int fd, void *to, size_t size, uint64_t offset);

/* pwrite(2) until all is written. */
int proclife_write_all(int fd, const void *from, size_t size, uint64_t offset);

/* A folder in this one, which is no symbolic link. NULL: errno says why. */
DIR *proclife_list(int at, const char *name);

#endif
