// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which runs and parts a folder has. */
#include "base/array.h"
#include "base/files.h"
#include "recording/parts.h"

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

/* What "%08u" prints, if @least is 8: more digits only where these are not enough. */
static bool is_padded(const char *s, size_t digits, size_t least, uint32_t *number)
{
	char again[16];

	if (digits < least || digits > 10 || !is_number(s, digits, number))
		return false;
	snprintf(again, sizeof(again), "%0*" PRIu32, (int)least, *number);
	return strlen(again) == digits && !strncmp(s, again, digits) && *number != UINT32_MAX; /* which has no next one */
}

bool proclife_is_part_name(const char *name, uint32_t *number)
{
	return is_padded(name, strlen(name), 8, number);
}

/* 000001-20261125T075502Z */
bool proclife_is_run_name(const char *name, uint32_t *number)
{
	size_t digits = strspn(name, "0123456789");
	uint32_t date, time;

	if (!is_padded(name, digits, 6, number))
		return false;
	name += digits;
	return strlen(name) == 1 + 8 + 1 + 6 + 1 && name[0] == '-' && is_number(name + 1, 8, &date) &&
	       name[9] == 'T' && is_number(name + 10, 6, &time) && name[16] == 'Z';
}

/* Not as texts: one of a million runs is later than all with fewer digits. */
int proclife_parts_compare(const char *a, const char *b)
{
	unsigned long x = strtoul(a, NULL, 10), y = strtoul(b, NULL, 10);
	const char *part_a = strchr(a, '/'), *part_b = strchr(b, '/');

	if (x != y)
		return x < y ? -1 : 1;
	if (!part_a || !part_b || strncmp(a, b, (size_t)(part_a - a) + 1))
		return strcmp(a, b);
	return proclife_parts_compare(part_a + 1, part_b + 1);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int proclife_parts_find(int dir, uint32_t **numbers, size_t *count)
{
	DIR *list = proclife_list(dir, ".");
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
		if (PROCLIFE_ARRAY_RESERVE(*numbers, *count, size)) {
			errno = ENOMEM;
			break;
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
	DIR *list = proclife_list(dir, ".");
	struct dirent *entry;
	int err = 0;

	if (!list)
		return -errno;
	name[0] = '\0';
	while (!err && (errno = 0, entry = readdir(list))) {
		uint32_t number, *of_run;
		size_t n;

		if (!proclife_is_run_name(entry->d_name, &number) ||
		    (name[0] && proclife_parts_compare(entry->d_name, name) <= 0))
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
