/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording that a test makes up event by event, and what the program prints of it. */
#ifndef TESTS_UNIT_STORY_H
#define TESTS_UNIT_STORY_H

#include "program.h"
#include "recorded.h"
#include "records.h"

#define MS UINT64_C(1000000)
#define STORY_RING (1 << 17) /* records that a CPU has room for */

/* The machine that is being recorded; a test moves its clock on. */
extern struct fake_device *machine;
/* The ring size of stories from now on: in a small ring, records that are not synced in time are overwritten. */
extern uint64_t story_ring;
extern uint32_t story_cpus;
extern uint64_t story_features;

/* For cmocka: begins the story in the test's folder, and ends both. */
int story_setup(void **state);
/* The same, in a trace that has EXITING. */
int story_setup_exiting(void **state);
int story_teardown(void **state);

#define STORY(name) cmocka_unit_test_setup_teardown(name, story_setup, story_teardown)

/* Records into @path from now on, beginning at 1 s. One recording at a time. */
void story_begin(const char *path);
/* The same, on this kernel. */
void story_begin_on(const char *path, const char *release, uint32_t exit_mark);
/* Ends the recording, if there is one. */
void story_end(void);
/* Writes all records to the disk, and goes on... */
void story_sync(void);
/* ... or abandons the recording. */
void story_abandon(void);
/* Records an event now, on CPU 0; a nanosecond passes. */
void story_put(struct proclife_record record);
void story_put_on(uint32_t cpu, struct proclife_record record);

struct who story_fork(const struct who *parent, uint32_t pid, const char *comm);
/* The last thread exits: its parent is notified. */
void story_exit(const struct who *who, const struct who *parent, int32_t code);
void story_wait(const struct who *who);
void story_reap(const struct who *who, const struct who *reaper);
/* A whole life: the times to the exit, from there to the wait(), to the reap and to the free. */
void story_live(const struct who *who, const struct who *parent, uint64_t life, uint64_t zombie,
		uint64_t rcu);

/* Its arguments, each with its NUL, in as many records as they take. */
void story_args(const struct who *who, const char *text, size_t size);

/* Sets the time to @ms after the story's beginning. */
void story_at(uint64_t ms);
/* An MM at @ms about the address space of @owner; LEFT leaves another holder. */
void story_mm(uint64_t ms, const struct who *who, uint32_t what, const struct who *owner);
/* story_exit(), with the CPU time and memory that it took. */
void story_die(const struct who *who, const struct who *parent, int32_t code, uint64_t cpu,
	       uint32_t rss);
/* The process is reaped and freed; it has used more than its EXIT has. */
void story_bury(const struct who *who, const struct who *parent);

/* Writes the file .cgroups of a recording that has ended. */
void story_cgroups(const char *path, const char *lines);
/* Writes the file .users. */
void story_users(const char *path, const char *lines);

/* Expects this output and status of this command line. */
void expect_output(bool errors, int status, const char *line, const char *text);

#endif
