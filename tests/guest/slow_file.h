/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that is read slowly: whoever reads it sleeps until the test lets the answer go, and no signal
 * wakes it once the answer is being made.
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
/* Nobody reads it any more. */
void slow_file_end(struct slow_file *file);

/* In a child: reads it. Does not return if it is killed meanwhile. */
void slow_file_read(const struct slow_file *file);
/* Until somebody reads it, whom a signal does not wake from then on. */
void slow_file_await(const struct slow_file *file);
/* Lets that one read go on. */
void slow_file_answer(const struct slow_file *file);

/* The letter of /proc/PID/stat: D is a sleep that no signal breaks. */
char state_of(pid_t pid);

#endif
