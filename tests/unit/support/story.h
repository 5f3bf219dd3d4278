/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording of what a test makes up, event by event, and what the program prints of it. */
#ifndef TESTS_UNIT_STORY_H
#define TESTS_UNIT_STORY_H

#include "program.h"
#include "recorded.h"
#include "records.h"

#define MS UINT64_C(1000000)
#define STORY_RING (1 << 17) /* records that a CPU has room for */

/* The machine that is being recorded; a test moves its clock on. */
extern struct fake_device *machine;
/* Of those that begin from now on: with a small one, what is not synced in time is overwritten. */
extern uint64_t story_ring;
extern uint32_t story_cpus;
extern uint64_t story_features;

/* For cmocka: the story begins in the test's folder, and both come to their end. */
int story_setup(void **state);
/* Likewise, in a trace that has EXITING. */
int story_setup_exiting(void **state);
int story_teardown(void **state);

#define STORY(name) cmocka_unit_test_setup_teardown(name, story_setup, story_teardown)

/* Recording goes there from now on, at 1 s. One at a time. */
void story_begin(const char *path);
/* On this kernel. */
void story_begin_on(const char *path, const char *release, uint32_t exit_mark);
/* Writes the rest; where there is nothing being recorded, nothing. */
void story_end(void);
/* What has happened reaches the disk, and the recorder goes on... */
void story_sync(void);
/* ... or never comes to its end. */
void story_abandon(void);
/* What happens now, on CPU 0; a nanosecond goes by. */
void story_put(struct proclife_record record);
void story_put_on(uint32_t cpu, struct proclife_record record);

struct who story_fork(const struct who *parent, uint32_t pid, const char *comm);
/* As the last thread does: its parent is notified. */
void story_exit(const struct who *who, const struct who *parent, int32_t code);
void story_wait(const struct who *who);
void story_reap(const struct who *who, const struct who *reaper);
/* All of it, these times before the exit, from there to the wait(), the reap and the free. */
void story_live(const struct who *who, const struct who *parent, uint64_t life, uint64_t zombie,
		uint64_t rcu);

/* Its arguments, each with its NUL, in as many records as they take. */
void story_args(const struct who *who, const char *text, size_t size);

/* So many milliseconds after the story's beginning. */
void story_at(uint64_t ms);
/* Then, the address space of @owner; one that lets go of it leaves another holder. */
void story_mm(uint64_t ms, const struct who *who, uint32_t what, const struct who *owner);
/* As story_exit(), with the CPU time and memory that it took. */
void story_die(const struct who *who, const struct who *parent, int32_t code, uint64_t cpu,
	       uint32_t rss);
/* Reaped and freed; it has used more by then than its EXIT said. */
void story_bury(const struct who *who, const struct who *parent);

/* The file .cgroups of a recording that has ended. */
void story_cgroups(const char *path, const char *lines);
/* And the file .users. */
void story_users(const char *path, const char *lines);

/* What the program prints of this command line, and the status that it ends with. */
void expect_output(bool errors, int status, const char *line, const char *text);

#endif
