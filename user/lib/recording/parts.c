// SPDX-License-Identifier: LGPL-2.1-or-later
/* The parts of a recording that keeps the latest: making, publishing and removing them within bounds. */
#include "base/array.h"
#include "base/files.h"
#include "base/secure_dir.h"
#include "recording/compressor.h"
#include "recording/ctf.h"
#include "recording/frames.h"
#include "recording/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char being[] = ".being-", being_made[] = ".being-made", being_removed[] = ".being-removed-";

/* What a file or a folder takes, at least. */
#define BLOCK 4096

struct part {
	char name[PROCLIFE_RUN_NAME + PROCLIFE_PART_NAME]; /* RUN/PART */
	uint64_t bytes;
	uint64_t began; /* ts; 0 of an earlier run */
	uint64_t ended; /* by CLOCK_BOOTTIME, or of an earlier run by CLOCK_REALTIME */
	bool earlier;
	uint64_t plain; /* bytes that are to be compressed */
};

struct proclife_parts {
	struct proclife_keep keep;
	char *dir_path;
	int dir;
	int run; /* -1: its folder is not made yet */
	char run_name[PROCLIFE_RUN_NAME];
	uint32_t run_number;
	uint32_t number; /* of the part that is present */
	char path[PATH_MAX]; /* of that */
	struct part *parts; /* that have ended, the oldest first */
	size_t count;
	size_t size;
	uint64_t bytes; /* of all these, and... */
	uint64_t reserved; /* ... of the one that is present, or comes next, at most */
	struct proclife_compressor *compressor; /* NULL until there is something for it */
	char compressing[PROCLIFE_RUN_NAME + PROCLIFE_PART_NAME]; /* what it is at; "": nothing */
	uint64_t lingers; /* bytes of that part if it has been removed: the compressor holds them until it stops */
};

/* The part that is being compressed; NULL: there is none, or it has been removed. */
static struct part *find_compressing(const struct proclife_parts *parts)
{
	for (size_t i = parts->count; i-- && parts->compressing[0];)
		if (!strcmp(parts->parts[i].name, parts->compressing))
			return &parts->parts[i];
	return NULL;
}

/* What the files of this folder take, as du(1) counts it; and how much of that are streams to be compressed. */
static uint64_t bytes_of(int at, const char *name, uint64_t *plain)
{
	DIR *list = proclife_list(at, name);
	uint64_t bytes = BLOCK;
	struct dirent *entry;

	*plain = 0;
	if (!list)
		return 0;
	while ((entry = readdir(list))) {
		struct stat st;
		uint32_t cpu;

		if (entry->d_name[0] == '.' && (!entry->d_name[1] || !strcmp(entry->d_name, "..")))
			continue;
		if (fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += ((uint64_t)st.st_size + BLOCK - 1) / BLOCK * BLOCK;
		if (st.st_size > BLOCK && proclife_ctf_cpu(entry->d_name, &cpu)) /* what is small stays */
			*plain += (uint64_t)st.st_size;
	}
	closedir(list);
	return bytes;
}

/* Is it a file of a recording? Nothing else is ever removed. */
static bool is_ours(const char *name)
{
	static const char *const names[] = {
		"metadata", PROCLIFE_SECURE_DRAFT, PROCLIFE_FRAMES_DRAFT, ".cgroups", ".users"
	};
	uint32_t cpu;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return proclife_ctf_cpu_of_file(name, &cpu);
}

static void remove_folder(int at, const char *name)
{
	DIR *list = proclife_list(at, name);
	struct dirent *entry;

	if (!list)
		return;
	while ((entry = readdir(list)))
		if (is_ours(entry->d_name))
			unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	unlinkat(at, name, AT_REMOVEDIR);
}

/* What was being made or removed when its recorder was interrupted. */
static void remove_unfinished(int run)
{
	DIR *list = proclife_list(run, ".");
	struct dirent *entry;

	if (!list)
		return;
	while ((entry = readdir(list)))
		if (!strncmp(entry->d_name, being, strlen(being)))
			remove_folder(run, entry->d_name);
	closedir(list);
}

static uint64_t now_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static const char *number_of(const char *part)
{
	return strchr(part, '/') + 1;
}

/* @at: the folder of the run. */
static int add_part(struct proclife_parts *parts, int at, const char *run, uint32_t number, uint64_t ended,
		    bool earlier)
{
	struct part *part;

	if (PROCLIFE_ARRAY_RESERVE(parts->parts, parts->count, parts->size))
		return -ENOMEM;
	part = &parts->parts[parts->count++];
	*part = (struct part){ .ended = ended, .earlier = earlier };
	snprintf(part->name, sizeof(part->name), "%s/%08" PRIu32, run, number);
	part->bytes = bytes_of(at, number_of(part->name), &part->plain);
	parts->bytes += part->bytes;
	return 0;
}

/* Its metadata is written last; the folder changes when it is compressed. False: it is no folder. */
static bool when_it_ended(int run, const char *name, uint64_t *ended)
{
	char path[PROCLIFE_PART_NAME + sizeof("/metadata")];
	struct stat st;

	if (fstatat(run, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISDIR(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "%s/metadata", name);
	*ended = (uint64_t)st.st_mtim.tv_sec * 1000000000;
	if (!fstatat(run, path, &st, AT_SYMLINK_NOFOLLOW))
		*ended = (uint64_t)st.st_mtim.tv_sec * 1000000000;
	return true;
}

static int take_run(struct proclife_parts *parts, const char *run)
{
	int fd = openat(parts->dir, run, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), err;
	uint32_t *numbers;
	size_t count;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	remove_unfinished(fd);
	err = proclife_parts_find(fd, &numbers, &count);
	for (size_t i = 0; i < count && !err; i++) {
		char name[PROCLIFE_PART_NAME];
		uint64_t ended;

		snprintf(name, sizeof(name), "%08" PRIu32, numbers[i]);
		if (when_it_ended(fd, name, &ended))
			err = add_part(parts, fd, run, numbers[i], ended, true);
	}
	free(numbers);
	close(fd);
	if (!count)
		unlinkat(parts->dir, run, AT_REMOVEDIR);
	return err;
}

static int compare_parts(const void *a, const void *b)
{
	return proclife_parts_compare(((const struct part *)a)->name, ((const struct part *)b)->name);
}

static int take_runs(struct proclife_parts *parts)
{
	DIR *list = proclife_list(parts->dir, ".");
	struct dirent *entry;
	int err = 0;

	if (!list)
		return -errno;
	while (!err && (entry = readdir(list))) {
		uint32_t number;

		if (!proclife_is_run_name(entry->d_name, &number))
			continue;
		if (number > parts->run_number)
			parts->run_number = number;
		err = take_run(parts, entry->d_name);
	}
	closedir(list);
	if (parts->count)
		qsort(parts->parts, parts->count, sizeof(*parts->parts), compare_parts);
	return err;
}

static int open_dir(struct proclife_parts *parts, const char *dir)
{
	int fd = proclife_secure_folder(dir);

	if (fd < 0)
		return fd;
	parts->dir = fd;
	if (flock(parts->dir, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return faccessat(parts->dir, "metadata", F_OK, AT_SYMLINK_NOFOLLOW) ? 0 : -ENOTEMPTY;
}

int proclife_parts_open(struct proclife_parts **result, const char *dir, const struct proclife_keep *keep)
{
	struct proclife_parts *parts = calloc(1, sizeof(*parts));
	int err;

	if (!parts)
		return -ENOMEM;
	parts->keep = *keep;
	parts->dir = -1;
	parts->run = -1;
	parts->dir_path = strdup(dir);
	err = parts->dir_path ? open_dir(parts, dir) : -ENOMEM;
	if (!err)
		err = take_runs(parts);
	if (err) {
		proclife_parts_free(parts);
		return err;
	}
	*result = parts;
	return 0;
}

static void run_of(char run[PROCLIFE_RUN_NAME], const char *part)
{
	snprintf(run, PROCLIFE_RUN_NAME, "%.*s", (int)strcspn(part, "/"), part);
}

/* The folder of the run that this part is in: a descriptor, or -1. */
static int open_run(const struct proclife_parts *parts, const char *part)
{
	char run[PROCLIFE_RUN_NAME];

	run_of(run, part);
	return openat(parts->dir, run, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* If it is of an earlier run, and that was its last part. */
static void remove_run(const struct proclife_parts *parts, const char *part)
{
	char run[PROCLIFE_RUN_NAME];

	run_of(run, part);
	if (strcmp(run, parts->run_name))
		unlinkat(parts->dir, run, AT_REMOVEDIR);
}

#define REMOVED_NAME (sizeof(being_removed) + PROCLIFE_PART_NAME)

/* Each has a name of its own: what is not ours stays there, and must not be in the way of the next one. */
static void removed_name(char name[REMOVED_NAME], const char *part)
{
	snprintf(name, REMOVED_NAME, "%s%.10s", being_removed, number_of(part));
}

/* It was removed while it was being compressed, and the compressor has left it: nothing comes any more. */
static void remove_left(struct proclife_parts *parts)
{
	char removed[REMOVED_NAME];
	int run = open_run(parts, parts->compressing);

	if (run < 0)
		return;
	removed_name(removed, parts->compressing);
	remove_folder(run, removed);
	close(run);
	remove_run(parts, parts->compressing);
}

void proclife_parts_free(struct proclife_parts *parts)
{
	if (!parts)
		return;
	proclife_compressor_free(parts->compressor);
	if (parts->lingers)
		remove_left(parts);
	if (parts->run >= 0)
		close(parts->run);
	if (parts->dir >= 0)
		close(parts->dir);
	free(parts->dir_path);
	free(parts->parts);
	free(parts);
}

/* A reader that has it open reads on; one that comes later does not find it. */
bool proclife_parts_drop(struct proclife_parts *parts)
{
	char removed[REMOVED_NAME];
	struct part oldest;
	int fd;

	if (!parts->count)
		return false;
	oldest = parts->parts[0];
	parts->bytes -= oldest.bytes;
	memmove(parts->parts, parts->parts + 1, --parts->count * sizeof(*parts->parts));
	if (!strcmp(oldest.name, parts->compressing)) {
		parts->lingers = oldest.bytes + oldest.plain / 2;
		proclife_compressor_stop(parts->compressor);
	}
	fd = open_run(parts, oldest.name);
	if (fd < 0)
		return true;
	removed_name(removed, oldest.name);
	if (!renameat(fd, number_of(oldest.name), fd, removed))
		remove_folder(fd, removed);
	close(fd);
	remove_run(parts, oldest.name);
	return true;
}

static bool is_too_old(const struct proclife_parts *parts, const struct part *part)
{
	uint64_t now = now_of(part->earlier ? CLOCK_REALTIME : CLOCK_BOOTTIME);

	return parts->keep.age && now > part->ended && now - part->ended > parts->keep.age;
}

void proclife_parts_age(struct proclife_parts *parts)
{
	size_t old = parts->count;

	/* With all before it: the clock can have been ahead when one of these ended. */
	while (old && !is_too_old(parts, &parts->parts[old - 1]))
		old--;
	while (old--)
		proclife_parts_drop(parts);
}

/* Its name has the time at which it begins, for people, and a number, since a clock can be set back. */
static int make_run(struct proclife_parts *parts)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm))
		return -EOVERFLOW;
	snprintf(parts->run_name, sizeof(parts->run_name), "%06" PRIu32 "-%04u%02u%02uT%02u%02u%02uZ",
		 parts->run_number + 1, (unsigned int)(tm.tm_year + 1900) % 10000,
		 (unsigned int)tm.tm_mon + 1, (unsigned int)tm.tm_mday, (unsigned int)tm.tm_hour,
		 (unsigned int)tm.tm_min, (unsigned int)tm.tm_sec);
	if (mkdirat(parts->dir, parts->run_name, 0700))
		return -errno;
	parts->run = openat(parts->dir, parts->run_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return parts->run < 0 ? -errno : 0;
}

static int set_path(struct proclife_parts *parts, const char *name)
{
	int n = snprintf(parts->path, sizeof(parts->path), "%s/%s/%s", parts->dir_path, parts->run_name, name);

	return n < (int)sizeof(parts->path) ? 0 : -ENAMETOOLONG;
}

/* What is there, and what can still come: no compressed stream is larger than half of the plain one. */
static uint64_t needs(const struct proclife_parts *parts)
{
	const struct part *part = find_compressing(parts);

	return parts->bytes + parts->lingers + parts->reserved + (part ? part->plain / 2 : 0);
}

int proclife_parts_begin(struct proclife_parts *parts, uint64_t bytes, const char **path)
{
	int err = 0;

	parts->reserved = bytes;
	while (needs(parts) > parts->keep.bytes && proclife_parts_drop(parts))
		;
	if (parts->run < 0)
		err = make_run(parts);
	if (err)
		return err;
	remove_folder(parts->run, being_made);
	err = set_path(parts, being_made);
	if (!err && mkdirat(parts->run, being_made, 0700))
		err = -errno;
	*path = parts->path;
	return err;
}

int proclife_parts_made(const struct proclife_parts *parts)
{
	int fd = openat(parts->run, being_made, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

int proclife_parts_publish(struct proclife_parts *parts, const char **path)
{
	char name[PROCLIFE_PART_NAME];
	int err;

	snprintf(name, sizeof(name), "%08" PRIu32, parts->number + 1);
	err = set_path(parts, name);
	if (!err && renameat(parts->run, being_made, parts->run, name))
		err = -errno;
	if (!err)
		parts->number++;
	*path = parts->path;
	return err;
}

void proclife_parts_end(struct proclife_parts *parts, uint64_t began)
{
	/* Without memory for it, it is not removed. That ends nothing. */
	if (!add_part(parts, parts->run, parts->run_name, parts->number, now_of(CLOCK_BOOTTIME), false))
		parts->parts[parts->count - 1].began = began;
}

/* Whatever became of it, it is not tried again. */
static void end_compressing(struct proclife_parts *parts)
{
	struct part *part = find_compressing(parts);
	int run = part ? open_run(parts, part->name) : -1;

	if (parts->lingers)
		remove_left(parts);
	if (run >= 0) {
		parts->bytes -= part->bytes;
		part->bytes = bytes_of(run, number_of(part->name), &part->plain);
		parts->bytes += part->bytes;
		close(run);
	}
	if (part)
		part->plain = 0;
	parts->compressing[0] = '\0';
	parts->lingers = 0;
}

/* The latest one: it is in memory, and is kept longest. */
static const struct part *next_plain(const struct proclife_parts *parts)
{
	for (size_t i = parts->count; i--;)
		if (parts->parts[i].plain)
			return &parts->parts[i];
	return NULL;
}

static int open_part(const struct proclife_parts *parts, const char *part)
{
	int run = open_run(parts, part), dir;

	if (run < 0)
		return -1;
	dir = openat(run, number_of(part), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	close(run);
	return dir;
}

static void begin_compressing(struct proclife_parts *parts, const struct part *part)
{
	int dir = open_part(parts, part->name);

	memcpy(parts->compressing, part->name, sizeof(parts->compressing));
	/* For what is written aside, the oldest go, unless that is this one. */
	while (dir >= 0 && needs(parts) > parts->keep.bytes && find_compressing(parts) != parts->parts)
		proclife_parts_drop(parts);
	if (dir >= 0 && needs(parts) <= parts->keep.bytes) {
		proclife_compressor_give(parts->compressor, dir);
		return;
	}
	if (dir >= 0)
		close(dir);
	end_compressing(parts);
}

void proclife_parts_compress(struct proclife_parts *parts)
{
	const struct part *part;

	if (parts->compressor && !proclife_compressor_is_idle(parts->compressor))
		return;
	if (parts->compressing[0])
		end_compressing(parts);
	part = next_plain(parts);
	if (part && !parts->compressor)
		parts->compressor = proclife_compressor_new();
	if (part && parts->compressor)
		begin_compressing(parts, part);
}

void proclife_parts_held(const struct proclife_parts *parts, struct proclife_held *held)
{
	*held = (struct proclife_held){ .bytes = parts->bytes };
	for (size_t i = 0; i < parts->count; i++) {
		if (parts->parts[i].earlier)
			continue;
		if (!held->parts++)
			held->since = parts->parts[i].began;
	}
}

uint32_t proclife_parts_number(const struct proclife_parts *parts)
{
	return parts->number;
}

const char *proclife_parts_path(const struct proclife_parts *parts)
{
	return parts->path;
}

uint64_t proclife_parts_most_age(const struct proclife_parts *parts)
{
	return parts->keep.age;
}
