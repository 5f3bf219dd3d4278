/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests of recordings: a log of what a source yields, folders, a snapshot. */
#ifndef UNIT_RECORDED_H
#define UNIT_RECORDED_H

#include "check.h"
#include "fake_device.h"

#include <limits.h>
#include <stdio.h>
#include <sys/types.h>

/* What a source has yielded, in order; a gap has type 0, and its members in the payload. */
struct log {
	struct proclife_record *records;
	size_t count;
	size_t size;
};

void log_event(struct log *log, const struct proclife_event *event);
/* Logs up to @most events; returns what the last proclife_source_next() did. */
int log_source(struct log *log, struct proclife_source *source, uint64_t most);
void log_free(struct log *log);
/* The length of the common beginning of both logs. */
size_t log_common(const struct log *a, const struct log *b);
void assert_same_log(const struct log *a, const struct log *b);

/* A new folder where TMPDIR says, or in memory, and a name in it that is not there yet. */
struct folder {
	char base[PATH_MAX / 2];
	char path[PATH_MAX];
};

extern struct folder folder; /* the test's */
extern struct log live, again; /* what it has recorded, and what it has read again */

/* For cmocka: makes the folder, and removes it with all that is in it. */
int recorded_setup(void **state);
int recorded_teardown(void **state);

#define RECORDED(name) cmocka_unit_test_setup_teardown(name, recorded_setup, recorded_teardown)

/* Another folder, for a copy that is going to be damaged. */
extern struct folder other;

int copied_setup(void **state);
int copied_teardown(void **state);

#define COPIED(name) cmocka_unit_test_setup_teardown(name, copied_setup, copied_teardown)

/* The files of a recording of two CPUs, and of a snapshot. */
#define RECORDED_FILES 4
extern const char *const recorded_files[RECORDED_FILES];

/* Copies all of them over the copy. */
void copy_recording(void);

void folder_make(struct folder *folder);
void folder_remove(struct folder *folder);
void copy_file(const char *from_dir, const char *to_dir, const char *name);
bool file_is(const char *dir, const char *name); /* there? */
off_t file_size(const char *dir, const char *name);
/* The metadata of the test's recording, for fopen(3)'s @mode. */
FILE *open_metadata(const char *mode);
/* Sets this entry of the env block, which need not be there; NULL removes it. */
void metadata_set(const char *dir, const char *name, const char *value);
void file_cut(const char *dir, const char *name, off_t size);
void file_patch(const char *dir, const char *name, off_t at, const void *bytes, size_t size);
/* Flips these bits of a byte, which changes it whatever it was. */
void file_flip(const char *dir, const char *name, off_t at, unsigned char bits);

/* Opens a recording, and asserts that this works. */
struct proclife_source *replay(const char *path);
/*
 * The result of opening and reading all of it: 0, an error, or -EBADMSG if what was read of it is
 * damaged; and the fault as "PATH: TEXT".
 */
int try_replay(const char *path, struct proclife_fault *fault, struct log *log);

/* Checks that a slice of all of it, damaged or not, yields the same: @log. */
void check_slice(const char *path, const struct log *log);

/* Records a run: each ring is filled several times, with gaps if the rings are small. */
struct run_options {
	uint32_t cpus;
	uint64_t ring;	 /* records in it */
	uint64_t rounds;
	uint64_t seed;
	uint64_t snapshot; /* TASK records */
	bool sync;	 /* now and then */
	bool late;	 /* a CPU appears in the middle */
	bool abandon;	 /* never finished */
};

void record_run(const struct run_options *options, const char *path, struct log *log);

/* Three parts of one CPU, of which the second one is missing. */
void record_hole(const char *path);

/* The number of tasks that the next SNAPSHOT ioctl yields. */
extern uint64_t snapshot_tasks;
extern uint64_t snapshot_at; /* when the first of them was found */
/* The fake device's ioctls: see given_ioctl.h. */
int given_ioctl(unsigned long request, void *data);

/* Writes a file with this text, or replaces it. */
void write_file_text(const char *path, const char *text);
void expect_file_text(const char *path, const char *text);

#endif
