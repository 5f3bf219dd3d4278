// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "polling.h"
#include "reading.h"

int open_device(int flags, uint64_t watermark)
{
	struct proclife_watermark w = { .records = watermark };
	int fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC | flags);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, PROCLIFE_IOC_WATERMARK, &w), 0);
	return fd;
}

uint64_t read_count(int fd)
{
	uint64_t count;

	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

bool ready(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms) == 1 && p.revents & POLLIN;
}

/*
 * After its timeout, poll(2) looks at the file once more and can find it ready then. Only
 * the length of its sleep shows whether it was woken.
 */
bool woken(int fd)
{
	uint64_t begin = now();

	return ready(fd, PATIENCE_MS) && now() - begin < PATIENCE_MS * 1000000ull;
}

int forks_later(unsigned int count)
{
	int pid = fork();

	if (!pid) {
		usleep(300000);
		fork_many(count);
		_exit(0);
	}
	return pid;
}
