/* SPDX-License-Identifier: GPL-2.0-only */
/* --input: a recording in the place of the device. */
#ifndef READ_REPLAY_H
#define READ_REPLAY_H

#include "views/views.h"

/* 0, or a negative errno after having said why. */
int replay_open(struct proclife_source **source, const char *dir);
/* Of one recording twice, or of it and a copy, a sum would be wrong. */
bool is_same_recording(const struct proclife_run_info *a, const struct proclife_run_info *b);
/* Says it if one of these is there twice, or cannot be opened; 0 or a negative errno. */
int replay_check_distinct(const struct words *dirs);
/*
 * The paths of its cgroups and the names of its users, or this machine's if @dir is NULL; says it if not
 * all can be read.
 */
int replay_texts(struct run *run, const char *dir);
/*
 * What is to be said at the end of it, and the exit status. @cut: the recording breaks off here.
 * Sets run->damaged.
 */
int replay_verdict(struct run *run, const struct proclife_run_info *replay, const char *dir,
		   bool cut);

#endif
