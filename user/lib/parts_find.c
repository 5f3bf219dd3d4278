// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which runs and parts a folder has. */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_number(const char *s, size_t digits, uint32_t *number)
{
	*number = 0;
	for (size_t i = 0; i < digits; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		*number = *number * 10 + (uint32_t)(s[i] - '0');
	}
	return true;
}

bool proclife_is_part_name(const char *name, uint32_t *number)
{
	return strlen(name) == PROCLIFE_PART_NAME - 1 && is_number(name, PROCLIFE_PART_NAME - 1, number);
}

/* 000001-20261125T075502Z */
bool proclife_is_run_name(const char *name, uint32_t *number)
{
	uint32_t date, time;

	return strlen(name) == 6 + 1 + 8 + 1 + 6 + 1 && is_number(name, 6, number) && name[6] == '-' &&
	       is_number(name + 7, 8, &date) && name[15] == 'T' && is_number(name + 16, 6, &time) &&
	       name[22] == 'Z';
}

DIR *proclife_parts_list(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int proclife_parts_find(int dir, uint32_t **numbers, size_t *count)
{
	DIR *list = proclife_parts_list(dir, ".");
	struct dirent *entry;
	size_t size = 0;
	int err = 0;

	*numbers = NULL;
	*count = 0;
	if (!list)
		return -errno;
	while ((errno = 0, entry = readdir(list))) {
		uint32_t number;

		if (!proclife_is_part_name(entry->d_name, &number))
			continue;
		if (*count == size) {
			uint32_t *more = reallocarray(*numbers, size ? 2 * size : 16, sizeof(*more));

			if (!more) {
				errno = ENOMEM;
				break;
			}
			*numbers = more;
			size = size ? 2 * size : 16;
		}
		(*numbers)[(*count)++] = number;
	}
	err = -errno;
	closedir(list);
	if (err) {
		free(*numbers);
		*numbers = NULL;
		*count = 0;
	} else if (*count) {
		qsort(*numbers, *count, sizeof(**numbers), compare_numbers);
	}
	return err;
}

/* Something else that has such a name has none. */
static int find_of_run(int dir, const char *run, uint32_t **numbers, size_t *count)
{
	int fd = openat(dir, run, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), err;

	*numbers = NULL;
	*count = 0;
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
	err = proclife_parts_find(fd, numbers, count);
	close(fd);
	return err;
}

/* A run without parts has just begun, or could not: then the one before it has all that there is. */
static int find_latest_run(int dir, char name[PROCLIFE_RUN_NAME], uint32_t **numbers, size_t *count)
{
	DIR *list = proclife_parts_list(dir, ".");
	struct dirent *entry;
	int err = 0;

	if (!list)
		return -errno;
	name[0] = '\0';
	while (!err && (errno = 0, entry = readdir(list))) {
		uint32_t number, *of_run;
		size_t n;

		/* The number comes first, and has as many digits in each. */
		if (!proclife_is_run_name(entry->d_name, &number) || strcmp(entry->d_name, name) <= 0)
			continue;
		err = find_of_run(dir, entry->d_name, &of_run, &n);
		if (!n)
			continue;
		strcpy(name, entry->d_name);
		free(*numbers);
		*numbers = of_run;
		*count = n;
	}
	if (!err)
		err = -errno;
	closedir(list);
	return err ? err : name[0] ? 0 : -ENOENT;
}

int proclife_parts_locate(int dir, const char *name, char path[PATH_MAX], uint32_t **numbers, size_t *count)
{
	char run[PROCLIFE_RUN_NAME];
	int err;

	*numbers = NULL;
	*count = 0;
	if (!faccessat(dir, "metadata", F_OK, 0))
		return -ENOENT;
	err = proclife_parts_find(dir, numbers, count);
	if (err || *count)
		return err ? err : snprintf(path, PATH_MAX, "%s", name) < PATH_MAX ? 0 : -ENAMETOOLONG;
	err = find_latest_run(dir, run, numbers, count);
	if (err)
		return err;
	return snprintf(path, PATH_MAX, "%s/%s", name, run) < PATH_MAX ? 0 : -ENAMETOOLONG;
}
