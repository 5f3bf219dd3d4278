/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that is read slowly: its reader sleeps until the test releases the answer, and no signal
 * wakes it once the server has the request.
 */
#ifndef TESTS_GUEST_SLOW_FILE_H
#define TESTS_GUEST_SLOW_FILE_H

#include <sys/types.h>

struct slow_file {
	char path[32];
	pid_t server; /* serves it by FUSE */
	int said[2], go[2];
};

void slow_file_begin(struct slow_file *file);
/* Ends the server; there must be no reader any more. */
void slow_file_end(struct slow_file *file);

/* Reads the file, in a child. Does not return if it is killed meanwhile. */
void slow_file_read(const struct slow_file *file);
/* Waits until a reader sleeps that no signal wakes any more. */
void slow_file_await(const struct slow_file *file);
/* Lets that read go on. */
void slow_file_answer(const struct slow_file *file);

/* The letter of /proc/PID/stat: D is an uninterruptible sleep. */
char state_of(pid_t pid);

#endif
