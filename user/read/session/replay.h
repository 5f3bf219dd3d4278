/* SPDX-License-Identifier: GPL-2.0-only */
/* --input: a recording in the place of the device. */
#ifndef READ_REPLAY_H
#define READ_REPLAY_H

#include "views/views.h"

/* Returns 0, or a negative errno after a message. */
int replay_open(struct proclife_source **source, const char *dir);
/* Are these one recording, or copies of one? A sum of them would count it twice. */
bool is_same_recording(const struct proclife_run_info *a, const struct proclife_run_info *b);
/* Is none there twice, and can all be opened? Returns 0, or a negative errno after a message. */
int replay_check_distinct(const struct words *dirs);
/*
 * Sets up the paths of cgroups and the names of users: the recording's, or this machine's if @dir
 * is NULL. Prints a message if not all can be read.
 */
int replay_texts(struct run *run, const char *dir);
/*
 * Prints the messages at its end, and returns the exit status. @cut: the recording breaks off here.
 * Sets run->damaged.
 */
int replay_verdict(struct run *run, const struct proclife_run_info *replay, const char *dir,
		   bool cut);

#endif
