/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that is recorded in parts, into the test's folder, and checks of these against what was recorded. */
#ifndef UNIT_PARTED_H
#define UNIT_PARTED_H

#include "recorded.h"

extern struct fake_device *parted_device;
extern struct proclife_source *parted_source;
extern struct proclife_recorder *recorder;
extern struct trace *generated;
extern struct proclife_keep keep;
extern struct proclife_run_info parted_run;

/* False, as before each test of other things: these look into the files, which would be replaced. */
extern bool parted_compresses;

/* Begins a trace of @processes by seed, and its recording. Nothing has happened yet. */
void parted_begin(uint64_t processes, uint64_t seed);
void parted_begin_recording(void);
/* Makes the next @records, and reads them. False: the trace is over. */
bool parted_go_on(uint64_t records);
void parted_end_recording(void);
/* Ends the recording, and frees everything. */
void parted_end(void);

/* The bytes that the test's folder takes on the disk. */
uint64_t parted_bytes(void);
/* The path of the latest run in it. */
void parted_run_path(char path[PATH_MAX]);

/*
 * How many of the records in @log were carried: all but the latest of @yielded.
 * These begin where the first part begins, and none between them is missing.
 */
size_t parted_carried(const struct log *log, const struct log *yielded, uint64_t began);

#endif
