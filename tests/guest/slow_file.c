// SPDX-License-Identifier: GPL-2.0-only
#include "slow_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"

/* Returns the descriptor from which requests are read. */
static int serve(const char *path)
{
	char options[96];
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0) { /* where FUSE is a module */
		assert_int_equal(system("modprobe fuse"), 0);
		fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	}
	assert_true(fd >= 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100444,user_id=0,group_id=0", fd);
	assert_int_equal(mount("proclife", path, "fuse", MS_NOSUID | MS_NODEV, options), 0);
	return fd;
}

static void answer(int fd, uint64_t unique, int error, const void *data, size_t size)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + size),
		.error = error,
		.unique = unique,
	};
	struct iovec parts[2] = { { &head, sizeof(head) }, { (void *)data, size } };

	assert_int_equal(writev(fd, parts, size ? 2 : 1), head.len);
}

/* Answers all requests, a read only after a byte from @told. */
static _Noreturn void answer_all(int fd, int said, int told)
{
	static char buffer[256 * 1024];
	const struct fuse_in_header *head = (const void *)buffer;
	const struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = 4096,
	};
	const struct fuse_attr_out attr = {
		.attr_valid = 60,
		.attr = { .ino = 1, .size = 4096, .mode = S_IFREG | 0444, .nlink = 1 },
	};
	const struct fuse_open_out open_out = { .open_flags = FOPEN_DIRECT_IO };

	for (;;) {
		char byte;

		assert_true(read(fd, buffer, sizeof(buffer)) > 0);
		switch (head->opcode) {
		case FUSE_INIT:
			answer(fd, head->unique, 0, &init, sizeof(init));
			break;
		case FUSE_GETATTR:
			answer(fd, head->unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			answer(fd, head->unique, 0, &open_out, sizeof(open_out));
			break;
		case FUSE_READ:
			if (write(said, "", 1) != 1 || read(told, &byte, 1) != 1)
				_exit(99);
			answer(fd, head->unique, 0, "x", 1);
			break;
		case FUSE_FORGET:
		case FUSE_INTERRUPT:
			break;
		default:
			answer(fd, head->unique, -ENOSYS, NULL, 0);
			break;
		}
	}
}

void slow_file_begin(struct slow_file *file)
{
	int fd, device;

	strcpy(file->path, "/tmp/proclife-file-XXXXXX");
	fd = mkstemp(file->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(pipe2(file->said, O_CLOEXEC) | pipe2(file->go, O_CLOEXEC), 0);
	device = serve(file->path);
	file->server = must_fork();
	if (!file->server)
		answer_all(device, file->said[1], file->go[0]);
	close(device);
}

void slow_file_end(struct slow_file *file)
{
	kill(file->server, SIGKILL);
	assert_int_equal(waitpid(file->server, NULL, 0), file->server);
	assert_int_equal(umount(file->path), 0);
	unlink(file->path);
	close(file->said[0]);
	close(file->said[1]);
	close(file->go[0]);
	close(file->go[1]);
}

void slow_file_read(const struct slow_file *file)
{
	char byte;
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, &byte, 1) != 1)
		_exit(99);
	close(fd);
}

void slow_file_await(const struct slow_file *file)
{
	char byte;

	assert_int_equal(read(file->said[0], &byte, 1), 1);
}

void slow_file_answer(const struct slow_file *file)
{
	assert_int_equal(write(file->go[1], "", 1), 1);
}

char state_of(pid_t pid)
{
	char path[32], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	return strrchr(text, ')')[2];
}
