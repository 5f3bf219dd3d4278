// SPDX-License-Identifier: GPL-2.0-only
#include "smaps.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Is it a mapping by MAP_SHARED with MAP_ANONYMOUS, or by memfd_create(2)? */
static bool is_shmem(const char *line)
{
	return strstr(line, "/dev/zero (deleted)") || strstr(line, "/memfd:");
}

struct smaps smaps_of(pid_t pid)
{
	struct smaps all = { 0 };
	uint64_t kib, rss = 0;
	bool shmem = false;
	char path[32], line[512];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Rss: %" SCNu64, &kib) == 1) {
			rss = kib;
		} else if (sscanf(line, "Anonymous: %" SCNu64, &kib) == 1) {
			all.anon += kib;
			*(shmem ? &all.shmem : &all.file) += rss - kib;
		} else if (strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) {
			shmem = is_shmem(line); /* the next mapping */
		}
	}
	fclose(file);
	return all;
}
