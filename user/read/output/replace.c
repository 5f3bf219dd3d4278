// SPDX-License-Identifier: GPL-2.0-only
#include "output/file_owner.h"
#include "output/message.h"
#include "output/quoted.h"
#include "output/replace.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int replace_check(const char *option, const char *path)
{
	struct stat st;

	if (lstat(path, &st) || S_ISREG(st.st_mode))
		return 0;
	message("%s %s: a %s has this name, and would be replaced; name another file", option, quoted(path),
		S_ISLNK(st.st_mode) ? "symbolic link" : S_ISDIR(st.st_mode) ? "directory" :
		S_ISFIFO(st.st_mode) ? "fifo" : "special file");
	return -EEXIST;
}

/* In a folder where others can write, it is no link that they have put there. */
static int create(const char *path, mode_t mode)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags, mode);

	if (fd < 0 && errno == EEXIST && !unlink(path)) /* of one that was killed and had our pid */
		fd = open(path, flags, mode);
	return fd < 0 ? -errno : fd;
}

/* For stdio, which takes it for an error if not all is written. */
static ssize_t write_all(void *cookie, const char *s, size_t n)
{
	struct replacement *replacement = cookie;
	size_t i = 0;
	ssize_t written;

	while (i < n && !replacement->error) {
		written = write(replacement->fd, s + i, n - i);
		if (written < 0 && errno != EINTR)
			replacement->error = errno;
		i += written < 0 ? 0 : (size_t)written;
	}
	return (ssize_t)i;
}

static void forget(struct replacement *replacement)
{
	free(replacement->beside);
	replacement->beside = NULL;
	replacement->file = NULL;
}

static void open_stream(struct replacement *replacement, int fd)
{
	replacement->fd = fd;
	replacement->error = 0;
	replacement->file = fopencookie(replacement, "w", (cookie_io_functions_t){ .write = write_all });
	if (!replacement->file)
		die_no_memory();
}

int replace_begin(struct replacement *replacement, const char *path, mode_t mode)
{
	int fd;

	replacement->path = path;
	if (asprintf(&replacement->beside, "%s.%d", path, (int)getpid()) < 0)
		die_no_memory();
	fd = create(replacement->beside, mode);
	if (fd < 0) {
		forget(replacement);
		return fd;
	}
	open_stream(replacement, fd);
	return 0;
}

/* A regular file: what else has this name can have come after replace_check(). */
static int open_to_append(const char *option, const char *path, mode_t mode)
{
	const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags), err;
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, mode);
		if (fd >= 0)
			return fd;
	}
	err = fd < 0 || fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EEXIST;
	if (err)
		replace_say(option, path, err);
	else if (owner_say_file(option, path, fd))
		err = -EPERM;
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int replace_append(struct replacement *replacement, const char *option, const char *path, mode_t mode)
{
	int fd = open_to_append(option, path, mode);
	char last = '\n';
	off_t size;

	if (fd < 0)
		return fd;
	replacement->path = path;
	replacement->beside = NULL;
	open_stream(replacement, fd);
	size = lseek(fd, 0, SEEK_END);
	if (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n')
		fputc('\n', replacement->file);
	return 0;
}

int replace_end(struct replacement *replacement)
{
	int ret;

	fclose(replacement->file);
	ret = -replacement->error;
	if (close(replacement->fd) && !ret) /* where a quota or a server says so only now */
		ret = -errno;
	if (!ret && replacement->beside && rename(replacement->beside, replacement->path))
		ret = -errno;
	if (ret && replacement->beside)
		unlink(replacement->beside);
	forget(replacement);
	return ret;
}

void replace_abandon(struct replacement *replacement)
{
	if (!replacement->file)
		return;
	fclose(replacement->file);
	close(replacement->fd);
	if (replacement->beside)
		unlink(replacement->beside);
	forget(replacement);
}

int replace_try(const char *path)
{
	struct replacement replacement;
	int ret = replace_begin(&replacement, path, 0600);

	if (!ret)
		replace_abandon(&replacement);
	return ret;
}

void replace_say(const char *option, const char *path, int error)
{
	message("%s %s: cannot write there: %s; %s", option, quoted(path), strerror(-error),
		replace_is_full(error) ? "make room" : "name a file in a folder that exists and can be written");
}

int replace_file(const char *path, const char *text, size_t size)
{
	struct replacement replacement;
	int ret = replace_begin(&replacement, path, 0644);

	if (ret)
		return ret;
	fwrite(text, 1, size, replacement.file);
	return replace_end(&replacement);
}
