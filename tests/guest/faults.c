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
	/* Allocations that may sleep, or take any page, fail too; and failures are not logged. */
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

/* Makes the n-th allocation or user copy of this thread from now on fail, once. */
static void arm_thread(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(nth, text, len, 0) != len)
		abort();
}

/* Disarms it. Returns whether the fault was injected. */
static bool disarm_thread(void)
{
	char text[16] = "";
	/* If the fault is still pending, it may hit this very read. */
	ssize_t len = pread(nth, text, sizeof(text) - 1, 0);
	bool fired = len > 0 && !strcmp(text, "0\n");

	/* Or the write that follows. */
	while (pwrite(nth, "0", 1, 0) != 1)
		;
	return fired;
}

#define NTH_IN_INIT "/sys/module/fail_init/parameters/nth"

static void arm_init(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	if (!set(NTH_IN_INIT, text))
		fail_msg(NTH_IN_INIT ": %s: run it by tests/faults/run", strerror(errno));
}

static bool disarm_init(void)
{
	char text[16] = "";
	int fd = open(NTH_IN_INIT, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !set(NTH_IN_INIT, "0"))
		abort();
	close(fd);
	return !strcmp(text, "0\n");
}

static struct faults each_in_turn(const char *name, void (*arm)(unsigned int n), bool (*disarm)(void),
				  int (*op)(void), void (*after)(int ret, bool fault))
{
	struct faults faults = {};
	bool fault;

	do {
		int ret;

		arm(1 + faults.points);
		ret = op();
		fault = disarm();
		if (!fault && ret)
			fail_msg("%s without a fault: %s", name, strerror(-ret));
		if (ret && ret != -ENOMEM && ret != -EFAULT)
			fail_msg("%s with fault %u: %s", name, 1 + faults.points, strerror(-ret));
		after(ret, fault);
		faults.points += fault;
		faults.failed += fault && ret;
		faults.tolerated += fault && !ret;
	} while (fault);
	print_message("%s: %u faults: %u fail it, %u do not\n", name, faults.points, faults.failed,
		      faults.tolerated);
	return faults;
}

struct faults faults_everywhere(const char *name, int (*op)(void), void (*after)(int ret, bool fault))
{
	return each_in_turn(name, arm_thread, disarm_thread, op, after);
}

struct faults faults_in_init(const char *name, int (*op)(void), void (*after)(int ret, bool fault))
{
	return each_in_turn(name, arm_init, disarm_init, op, after);
}
