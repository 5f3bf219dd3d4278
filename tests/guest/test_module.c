// SPDX-License-Identifier: GPL-2.0-only
/* The module comes and goes: parameters, loading and unloading, under load and in use. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"

/* Does the kernel's log hold this text? */
static bool logged(const char *text)
{
	static char log[1 << 20];
	int len = klogctl(3 /* SYSLOG_ACTION_READ_ALL */, log, sizeof(log) - 1);

	assert_true(len >= 0);
	log[len] = '\0';
	return strstr(log, text);
}

static struct proclife_header read_header(void)
{
	struct proclife_header copy;
	int fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	void *page;

	assert_true(fd >= 0);
	page = mmap(NULL, sizeof(copy), PROT_READ, MAP_SHARED, fd, 0);
	assert_true(page != MAP_FAILED);
	memcpy(&copy, page, sizeof(copy));
	munmap(page, sizeof(copy));
	close(fd);
	return copy;
}

static void refuses(const char *parameters, const char *message)
{
	assert_int_equal(module_load(parameters), -EINVAL);
	assert_false(module_loaded());
	if (!logged(message))
		fail_msg("the log does not say \"%s\"", message);
}

static void test_bad_parameters_are_refused(void **state)
{
	(void)state;
	refuses("ring_kb=3", "proclife: ring_kb=3: must be a power of two from 4 to 1048576");
	refuses("ring_kb=0", "proclife: ring_kb=0: must be a power of two");
	refuses("ring_kb=2", "proclife: ring_kb=2: must be a power of two");
	refuses("ring_kb=2097152", "proclife: ring_kb=2097152: must be a power of two");
	refuses("ring_kb=1000", "proclife: ring_kb=1000: must be a power of two");
	refuses("ring_kb=many", "proclife: `many' invalid for parameter `ring_kb'");
}

static void test_parameters_are_kept(void **state)
{
	struct proclife_header header;

	(void)state;
	assert_int_equal(module_load("ring_kb=64 reap=0"), 0);
	header = read_header();
	assert_int_equal(header.records_per_ring, 64 * 1024 / 128);
	assert_int_equal(header.reap_source, PROCLIFE_REAP_NONE);
	assert_false(header.features & PROCLIFE_HAS(PROCLIFE_REAP));
	assert_int_equal(module_unload(), 0);

	assert_int_equal(module_load(""), 0);
	header = read_header();
	assert_int_equal(header.records_per_ring, 2048 * 1024 / 128);
	assert_int_not_equal(header.reap_source, PROCLIFE_REAP_NONE);
	assert_true(header.features & PROCLIFE_HAS(PROCLIFE_REAP));
	assert_true(header.features & PROCLIFE_HAS(PROCLIFE_FORK));
	assert_true(header.features & PROCLIFE_HAS(PROCLIFE_EXIT));
	assert_true(header.features & PROCLIFE_HAS(PROCLIFE_FREE));
	assert_int_equal(module_unload(), 0);
}

static void test_stays_while_a_file_is_open(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(module_load(""), 0);
	fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(module_unload(), -EAGAIN);
	assert_true(module_loaded());
	close(fd);
	assert_int_equal(module_unload(), 0);
}

static void test_stays_while_a_mapping_is_there(void **state)
{
	const struct proclife_header *header;
	int fd;

	(void)state;
	assert_int_equal(module_load(""), 0);
	fd = open(PROCLIFE_DEVICE, O_RDONLY | O_CLOEXEC);
	header = mmap(NULL, sizeof(*header), PROT_READ, MAP_SHARED, fd, 0);
	assert_true(header != MAP_FAILED);
	close(fd);
	assert_int_equal(module_unload(), -EAGAIN);
	assert_true(header->magic == PROCLIFE_MAGIC);
	munmap((void *)header, sizeof(*header));
	assert_int_equal(module_unload(), 0);
}

/* 100, or $ROUNDS. */
static unsigned int rounds(void)
{
	const char *text = getenv("ROUNDS");

	return text ? strtoul(text, NULL, 10) : 100;
}

/* Each time, its records must be there before it is unloaded. */
static void test_comes_and_goes_in_a_storm(void **state)
{
	struct storm *storm = storm_start(4);
	unsigned int i, count = rounds();

	(void)state;
	for (i = 0; i < count; i++) {
		struct proclife_source *source;
		struct proclife_event event;
		int ret;

		ret = module_load(i % 2 ? "ring_kb=16" : "");
		if (ret)
			fail_msg("load %u: %s", i, strerror(-ret));
		assert_int_equal(proclife_device_open(&source, NULL), 0);
		while ((ret = proclife_source_next(source, &event)) == 0)
			assert_true(proclife_source_wait(source, 5000) == 1);
		assert_int_equal(ret, 1);
		proclife_source_free(source);
		ret = module_unload();
		if (ret)
			fail_msg("unload %u: %s", i, strerror(-ret));
	}
	assert_true(storm_stop(storm) > count);
	print_message("loaded and unloaded %u times\n", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_parameters_are_refused),
		cmocka_unit_test(test_parameters_are_kept),
		cmocka_unit_test(test_stays_while_a_file_is_open),
		cmocka_unit_test(test_stays_while_a_mapping_is_there),
		cmocka_unit_test(test_comes_and_goes_in_a_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
