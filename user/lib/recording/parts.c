// SPDX-License-Identifier: LGPL-2.1-or-later
/* The parts of a recording that keeps the latest: making, publishing and removing them within bounds. */
#include "base/array.h"
#include "base/files.h"
#include "base/secure_dir.h"
#include "recording/ctf.h"
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

static const char being[] = ".being-", being_made[] = ".being-made";

/* What a file or a folder takes, at least. */
#define BLOCK UINT64_C(4096)

struct part {
	char name[PROCLIFE_RUN_NAME + PROCLIFE_PART_NAME]; /* RUN/PART */
	uint64_t bytes;
	uint64_t began; /* ts; 0 of an earlier run */
	uint64_t ended; /* by CLOCK_BOOTTIME, or of an earlier run by CLOCK_REALTIME */
	bool earlier;
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
	uint64_t bytes; /* of all these */
};

/* What the files of this folder take, as du(1) counts it. */
static uint64_t bytes_of(int at, const char *name)
{
	DIR *list = proclife_list(at, name);
	uint64_t bytes = BLOCK;
	struct dirent *entry;

	if (!list)
		return 0;
	while ((entry = readdir(list))) {
		struct stat st;

		if (entry->d_name[0] == '.' && (!entry->d_name[1] || !strcmp(entry->d_name, "..")))
			continue;
		if (!fstatat(dirfd(list), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			bytes += ((uint64_t)st.st_size + BLOCK - 1) / BLOCK * BLOCK;
	}
	closedir(list);
	return bytes;
}

/* Is it a file of a recording? Nothing else is ever removed. */
static bool is_ours(const char *name)
{
	static const char *const names[] = { "metadata", PROCLIFE_SECURE_DRAFT, ".cgroups", ".users" };
	uint32_t cpu;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return proclife_ctf_cpu(name, &cpu);
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

static int add_part(struct proclife_parts *parts, const char *run, uint32_t number, uint64_t bytes,
		    uint64_t ended, bool earlier)
{
	struct part *part;

	if (PROCLIFE_ARRAY_RESERVE(parts->parts, parts->count, parts->size))
		return -ENOMEM;
	part = &parts->parts[parts->count++];
	*part = (struct part){ .bytes = bytes, .ended = ended, .earlier = earlier };
	snprintf(part->name, sizeof(part->name), "%s/%08" PRIu32, run, number);
	parts->bytes += bytes;
	return 0;
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
		struct stat st;

		snprintf(name, sizeof(name), "%08" PRIu32, numbers[i]);
		if (!fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode))
			err = add_part(parts, run, numbers[i], bytes_of(fd, name),
				       (uint64_t)st.st_mtim.tv_sec * 1000000000, true);
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

void proclife_parts_free(struct proclife_parts *parts)
{
	if (!parts)
		return;
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
	char run[PROCLIFE_RUN_NAME], removed[sizeof(".being-removed-") + PROCLIFE_PART_NAME];
	const char *number;
	struct part oldest;
	int fd;

	if (!parts->count)
		return false;
	oldest = parts->parts[0];
	parts->bytes -= oldest.bytes;
	memmove(parts->parts, parts->parts + 1, --parts->count * sizeof(*parts->parts));
	snprintf(run, sizeof(run), "%.*s", (int)strcspn(oldest.name, "/"), oldest.name);
	fd = openat(parts->dir, run, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return true;
	/* Each has a name of its own: what is not ours stays there, and must not be in the way of the next one. */
	number = strchr(oldest.name, '/') + 1;
	snprintf(removed, sizeof(removed), "%sremoved-%.10s", being, number);
	if (!renameat(fd, number, fd, removed))
		remove_folder(fd, removed);
	close(fd);
	if (oldest.earlier)
		unlinkat(parts->dir, run, AT_REMOVEDIR); /* if that was its last one */
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

int proclife_parts_begin(struct proclife_parts *parts, uint64_t bytes, const char **path)
{
	int err = 0;

	while (parts->bytes + bytes > parts->keep.bytes && proclife_parts_drop(parts))
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
	uint64_t bytes = bytes_of(parts->run, strrchr(parts->path, '/') + 1);

	/* Without memory for it, it is not removed. That ends nothing. */
	if (!add_part(parts, parts->run_name, parts->number, bytes, now_of(CLOCK_BOOTTIME), false))
		parts->parts[parts->count - 1].began = began;
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
