// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int proclife_read_all(int fd, void *to, size_t size, uint64_t offset)
{
	for (char *s = to; size;) {
		ssize_t n = pread(fd, s, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		s += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int proclife_write_all(int fd, const void *from, size_t size, uint64_t offset)
{
	const char *s = from;

	while (size) {
		ssize_t n = pwrite(fd, s, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		s += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

DIR *proclife_list(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);

	if (!list && fd >= 0)
		close(fd);
	return list;
}
