// SPDX-License-Identifier: GPL-2.0-only
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DEBUGFS "/sys/kernel/debug/"

static int nth = -1;

static bool set(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value);

	if (fd >= 0)
		close(fd);
	return done;
}

bool faults_possible(void)
{
	bool possible;

	if (access("/proc/thread-self/fail-nth", F_OK))
		return false;
	/* Allocations that may sleep, or take any page, fail too; and nothing is said of each. */
	possible = set(DEBUGFS "failslab/ignore-gfp-wait", "N") &&
		   set(DEBUGFS "failslab/verbose", "0") &&
		   set(DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N") &&
		   set(DEBUGFS "fail_page_alloc/ignore-gfp-highmem", "N") &&
		   set(DEBUGFS "fail_page_alloc/min-order", "0") &&
		   set(DEBUGFS "fail_page_alloc/verbose", "0") &&
		   set(DEBUGFS "fail_usercopy/verbose", "0");
	if (possible && nth < 0)
		nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (!possible || nth < 0) {
		perror("this kernel injects faults, but not here");
		abort();
	}
	return true;
}

void faults_of_pages(bool on)
{
	if (!set(DEBUGFS "fail_page_alloc/ignore-gfp-wait", on ? "N" : "Y") ||
	    !set(DEBUGFS "fail_page_alloc/min-order", on ? "0" : "10"))
		abort();
}

void fault_arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, len, 0) != len)
		abort();
}

bool fault_disarm(void)
{
	char text[16] = "";
	/* The fault that is left may hit this very read: it has not come before. */
	ssize_t len = pread(nth, text, sizeof(text) - 1, 0);
	bool fired = len > 0 && !strcmp(text, "0\n");

	/* And a write that follows. */
	while (pwrite(nth, "0", 1, 0) != 1)
		;
	return fired;
}

/* More than any operation has. */
#define NO_FAULT 100000000u

unsigned int fault_points(int (*op)(void))
{
	char text[16] = "";

	fault_arm(NO_FAULT);
	op();
	/* This read is a point or two of its own. */
	if (pread(nth, text, sizeof(text) - 1, 0) <= 0)
		abort();
	fault_disarm();
	return NO_FAULT - (unsigned int)strtoul(text, NULL, 10);
}

struct faults faults_from(unsigned int first, const char *name, int (*op)(void),
			  void (*after)(int ret, bool fault))
{
	struct faults faults = {};
	bool fault;

	do {
		int ret;

		fault_arm(first + faults.points);
		ret = op();
		fault = fault_disarm();
		if (!fault && ret)
			fail_msg("%s without a fault: %s", name, strerror(-ret));
		if (ret && ret != -ENOMEM && ret != -EFAULT)
			fail_msg("%s with fault %u: %s", name, first + faults.points, strerror(-ret));
		after(ret, fault);
		faults.points += fault;
		faults.failed += fault && ret;
		faults.tolerated += fault && !ret;
	} while (fault);
	print_message("%s: faults %u to %u: %u fail it, %u do not\n", name, first,
		      first + faults.points - 1, faults.failed, faults.tolerated);
	return faults;
}

struct faults faults_everywhere(const char *name, int (*op)(void), void (*after)(int ret, bool fault))
{
	return faults_from(1, name, op, after);
}
