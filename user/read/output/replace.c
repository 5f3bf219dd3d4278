// SPDX-License-Identifier: GPL-2.0-only
#include "output/message.h"
#include "output/replace.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* In a folder where others can write, it is no link that they have put there. */
static int create(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, 0644);

	if (fd < 0 && errno == EEXIST && !unlink(path)) /* of one that was killed and had our pid */
		fd = open(path, flags, 0644);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *text, size_t size)
{
	ssize_t n;

	for (; size; text += n, size -= (size_t)n) {
		n = write(fd, text, size);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			n = 0;
	}
	return 0;
}

int replace_file(const char *path, const char *text, size_t size)
{
	char *beside;
	int fd, ret;

	if (asprintf(&beside, "%s.%d", path, (int)getpid()) < 0)
		die_no_memory();
	fd = create(beside);
	ret = fd < 0 ? fd : write_all(fd, text, size);
	if (fd >= 0 && close(fd) && !ret) /* where a quota or a server says so only now */
		ret = -errno;
	if (!ret && rename(beside, path))
		ret = -errno;
	if (ret && fd >= 0)
		unlink(beside);
	free(beside);
	return ret;
}
