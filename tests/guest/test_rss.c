// SPDX-License-Identifier: GPL-2.0-only
/* Compares the memory that a death frees with the page tables just before it. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "reading.h"
#include "smaps.h"

#define MIB 1048576ul
#define ANON (12 * MIB)
#define FILES (5 * MIB)
#define SHARED (7 * MIB)
#define THREADS 8
#define FEW 40 /* pages: up to Linux 6.1, a thread keeps the count of 64 faults for itself */

/* The death itself faults in a page or two. */
#define TOUCHED 16 /* KiB */

static void *map(size_t size, int protection, int flags, int fd)
{
	void *at = mmap(NULL, size, protection, flags | MAP_POPULATE, fd, 0);

	if (at == MAP_FAILED)
		_exit(99);
	return at;
}

static volatile char *few;

static void *touch_few(void *data)
{
	size_t first = (size_t)(uintptr_t)data * FEW;

	for (size_t page = first; page < first + FEW; page++)
		few[page * 4096] = 1;
	ready_say();
	pause();
	return NULL;
}

/* Pages of each kind, some of which other threads touch. */
static void use_memory(unsigned int threads)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		_exit(99);
	map(ANON, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	map(SHARED, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	for (size_t mapped = 0; mapped < FILES; mapped += (size_t)st.st_size)
		map((size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd);
	few = mmap(NULL, THREADS * FEW * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (few == MAP_FAILED)
		_exit(99);
	for (uintptr_t i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, touch_few, (void *)i))
			_exit(99);
	}
}

static void must_be_near(const char *mark, const __u64 *rss, const struct smaps *smaps, uint64_t error)
{
	static const char *const names[3] = { "anon", "file", "shmem" };
	const uint64_t mapped[3] = { smaps->anon, smaps->file, smaps->shmem };

	for (unsigned int i = 0; i < 3; i++) {
		uint64_t off = rss[i] > mapped[i] ? rss[i] - mapped[i] : mapped[i] - rss[i];

		print_message("%s: %s %llu KiB, %" PRIu64 " by smaps, at most %" PRIu64 " apart\n", mark,
			      names[i], rss[i], mapped[i], error);
		compare(mark, "smaps", off <= error);
	}
}

/* Up to Linux 6.1, the error is per thread. */
static uint64_t rss_error(unsigned int threads)
{
	unsigned int major, minor;

	assert_int_equal(sscanf(marks_header()->release, "%u.%u", &major, &minor), 2);
	return marks_header()->rss_error * (major * 100 + minor < 602 ? threads : 1) + TOUCHED;
}

static void compare_with(unsigned int threads)
{
	const struct proclife_record *exiting, *teardown;
	struct smaps smaps;
	struct told told;
	pid_t pid;

	ready_prepare();
	pid = must_fork();
	if (!pid) {
		use_memory(threads);
		ready_say();
		pause();
	}
	ready_await(1 + threads);
	usleep(200000); /* all of them are in pause() */
	smaps = smaps_of(pid);
	assert_true(smaps.anon >= ANON / 1024 + threads * FEW * 4);
	assert_true(smaps.file >= FILES / 1024);
	assert_in_range(smaps.shmem, SHARED / 1024, SHARED / 1024 + 64);
	kill(pid, SIGKILL);
	marks_reap(pid);
	exiting = must_mark(PROCLIFE_EXITING, pid);
	teardown = mark_of_mm(exiting, exiting->exiting.mm, PROCLIFE_MM_TEARDOWN);
	assert_non_null(teardown);
	must_be_near("EXITING", &exiting->exiting.rss_anon, &smaps, rss_error(1 + threads));
	must_be_near("MM TEARDOWN", &teardown->mm.rss_anon, &smaps, rss_error(1));
	told = marks_told(pid);
	assert_true(told.known && told.memory.own);
	assert_int_equal(told.memory.rss_anon, teardown->mm.rss_anon);
	assert_int_equal(told.memory.rss_file, teardown->mm.rss_file);
	assert_int_equal(told.memory.rss_shmem, teardown->mm.rss_shmem);
}

static void test_alone(void **state)
{
	(void)state;
	compare_with(0);
}

static void test_threads(void **state)
{
	(void)state;
	compare_with(THREADS);
}

int main(void)
{
#define MARK(test) cmocka_unit_test_setup_teardown(test, marks_begin, marks_end)
	const struct CMUnitTest tests[] = { MARK(test_alone), MARK(test_threads) };

	return cmocka_run_group_tests(tests, NULL, marks_unload);
}
