// SPDX-License-Identifier: GPL-2.0-only
#include "cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

char cgroup_root[] = "/tmp/cgroups-XXXXXX";

int cgroup_mount(void **state)
{
	(void)state;
	return !mkdtemp(cgroup_root) || mount("cgroup2", cgroup_root, "cgroup2", 0, NULL) ? -1 : 0;
}

int cgroup_unmount(void)
{
	return umount(cgroup_root) || rmdir(cgroup_root) ? -1 : 0;
}

int cgroup_remove(const char *folder)
{
	int tries, ret;

	for (tries = 0; (ret = rmdir(folder)) && errno == EBUSY && tries < 100; tries++)
		usleep(100000);
	return ret;
}

int cgroup_write(const char *folder, const char *file, const char *text)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

uint64_t cgroup_number(const char *folder)
{
	struct stat st;

	assert_int_equal(stat(folder, &st), 0);
	return st.st_ino;
}

uint64_t cgroup_read(const char *folder, const char *file, const char *word)
{
	char path[128], key[32];
	uint64_t value, found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "re");
	assert_non_null(f);
	while (fscanf(f, "%31s %" SCNu64, key, &value) == 2)
		if (!strcmp(key, word))
			found = value;
	fclose(f);
	return found;
}
