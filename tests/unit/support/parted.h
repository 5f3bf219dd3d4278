/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that is recorded in parts, into the test's folder, and how that is held against what was recorded. */
#ifndef UNIT_PARTED_H
#define UNIT_PARTED_H

#include "recorded.h"

extern struct fake_device *parted_device;
extern struct proclife_source *parted_source;
extern struct proclife_recorder *recorder;
extern struct trace *generated;
extern struct proclife_keep keep;
extern struct proclife_run_info parted_run;

/* A trace of so many processes, by seed, of which nothing has happened yet; it is recorded from then on. */
void parted_begin(uint64_t processes, uint64_t seed);
void parted_begin_recording(void);
/* What happens next, and what is read of it. False: nothing more does. */
bool parted_go_on(uint64_t records);
void parted_end_recording(void);
/* And all is freed. */
void parted_end(void);

/* What the test's folder takes on the disk. */
uint64_t parted_bytes(void);
/* Of the latest run in it. */
void parted_run_path(char path[PATH_MAX]);

/*
 * How many of the records that were read again were carried: all that are not the latest of what was yielded.
 * These begin where the first part says, and nothing between them is left out.
 */
size_t parted_carried(const struct log *log, const struct log *yielded, uint64_t began);

#endif
