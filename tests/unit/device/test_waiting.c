// SPDX-License-Identifier: GPL-2.0-only
// WRAP: poll fstat ioctl
/* proclife_source_wait() for a device that can be polled, like the real one. */
#include "check.h"
#include "fixture_device.h"

#include <device/device.h>
#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/* The next poll(2): its result, its events for the device, and its timeout. */
static struct {
	int ret;
	int error;
	short events;
	int timeout;
	unsigned int count;
} polls;

int __wrap_poll(struct pollfd *fd, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fd, nfds_t count, int timeout)
{
	assert_int_equal(count, 1);
	polls.timeout = timeout;
	polls.count++;
	fd->revents = polls.events;
	errno = polls.error;
	return polls.ret;
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

int __wrap_fstat(int fd, struct stat *st)
{
	int ret = __real_fstat(fd, st);

	st->st_mode = S_IFCHR | 0600;
	return ret;
}

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	return request == PROCLIFE_IOC_CLOCK || request == PROCLIFE_IOC_WATERMARK ? 0 : -1;
}

static int wait_for(int timeout, int ret, int error, short events)
{
	polls.ret = ret;
	polls.error = error;
	polls.events = events;
	return proclife_source_wait(source, timeout);
}

static void test_wait(void **state)
{
	(void)state;
	begin_device(2, 16);
	if (!((const struct proclife_device *)source)->pollable)
		skip(); /* before glibc 2.33, fstat() is no function of its own */
	assert_int_equal(wait_for(-1, 1, EAGAIN, POLLIN), 1);
	assert_int_equal(polls.timeout, -1);
	/* The timeout; a call that asks without waiting. */
	assert_int_equal(wait_for(500, 0, EAGAIN, 0), 0);
	assert_in_range(polls.timeout, 1, 500);
	assert_int_equal(wait_for(0, 0, EAGAIN, 0), 0);
	assert_int_equal(polls.timeout, 0);
	/* A signal; the device is gone. */
	assert_int_equal(wait_for(-1, -1, EINTR, 0), -EINTR);
	assert_int_equal(wait_for(-1, 1, 0, POLLERR | POLLHUP), -EIO);
	assert_int_equal(polls.count, 5);
	/* If unread records reach the watermark, there is no wait. */
	assert_int_equal(proclife_source_set_watermark(source, 2), 0);
	fake_device_write(device, 0, 10);
	assert_int_equal(wait_for(-1, 0, EAGAIN, 0), 0);
	assert_int_equal(polls.count, 6);
	fake_device_write(device, 1, 11);
	assert_int_equal(wait_for(-1, 0, EAGAIN, 0), 1);
	assert_int_equal(polls.count, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
