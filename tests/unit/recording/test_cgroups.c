// SPDX-License-Identifier: GPL-2.0-only
// WRAP: fopen open_by_handle_at
/* Paths of this machine's cgroups; the cgroups and the kernel's answers are made up. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <proclife.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refusal; /* the kernel's error when a cgroup is opened; 0: none */
static const char *mount_point = "/tmp"; /* as mountinfo writes it */
static const char *found = "."; /* the path below it of any cgroup */
static unsigned int asked;

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_open_by_handle_at(int mount, struct file_handle *handle, int flags);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	static char line[256];
	int n;

	if (strcmp(path, "/proc/self/mountinfo"))
		return __real_fopen(path, mode);
	n = snprintf(line, sizeof(line), "29 22 0:26 / %s rw - cgroup2 cgroup2 rw\n", mount_point);
	return fmemopen(line, (size_t)n, "r");
}

int __wrap_open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
	(void)handle;
	asked++;
	errno = refusal;
	return refusal ? -1 : openat(mount, found, flags);
}

/* Asks twice; the second time the cgroup can be found. */
static const char *second_answer(int error)
{
	static char path[16];
	struct proclife_cgroups *cgroups;
	const char *answer;

	asked = 0;
	assert_int_equal(proclife_cgroups_new(&cgroups, NULL, NULL), 0);
	refusal = error;
	assert_null(proclife_cgroups_path(cgroups, 7));
	refusal = 0;
	answer = proclife_cgroups_path(cgroups, 7);
	snprintf(path, sizeof(path), "%s", answer ? answer : "");
	proclife_cgroups_free(cgroups);
	return path;
}

static void test_what_passes_is_asked_again(void **state)
{
	static const int errors[] = { EMFILE, ENFILE, ENOMEM, EINTR };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		assert_string_equal(second_answer(errors[i]), "/");
		assert_int_equal(asked, 2);
	}
}

/* The kernel is asked once for each cgroup, as records come by the million. */
static void test_what_stays_is_asked_once(void **state)
{
	static const int errors[] = { ESTALE, EPERM };

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		assert_string_equal(second_answer(errors[i]), "");
		assert_int_equal(asked, 1);
	}
}

/* A space, a backslash, a tab and a line break stand there in octal digits. */
static void test_odd_mount_point(void **state)
{
	char base[] = "/tmp/proclife-test-XXXXXX", path[64], written[64];
	struct proclife_cgroups *cgroups;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a -b\\c\td\ne\\041", base);
	snprintf(written, sizeof(written), "%s/a\\040-b\\134c\\011d\\012e\\134041", base);
	assert_int_equal(mkdir(path, 0700), 0);
	mount_point = written;
	assert_int_equal(proclife_cgroups_new(&cgroups, NULL, NULL), 0);
	assert_string_equal(proclife_cgroups_path(cgroups, 7), "/");
	proclife_cgroups_free(cgroups);
	mount_point = "/tmp";
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(base), 0);
}

/* A path begins at the mount point, as the root of all that the user can see. */
static void test_below_the_mount_point(void **state)
{
	char base[] = "/tmp/proclife-test-XXXXXX", path[64];
	struct proclife_cgroups *cgroups;

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/web", base);
	assert_int_equal(mkdir(path, 0700), 0);
	mount_point = base;
	found = "web";
	assert_int_equal(proclife_cgroups_new(&cgroups, NULL, NULL), 0);
	assert_string_equal(proclife_cgroups_path(cgroups, 7), "/web");
	proclife_cgroups_free(cgroups);
	mount_point = "/tmp";
	found = ".";
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(base), 0);
}

/* The others are asked for again if they are needed. */
static void test_kept(void **state)
{
	static const uint64_t ids[] = { 8, 7, 8, 99 };
	struct proclife_cgroups *cgroups;

	(void)state;
	asked = 0;
	refusal = 0;
	assert_int_equal(proclife_cgroups_new(&cgroups, NULL, NULL), 0);
	for (uint64_t id = 1; id < 50; id++)
		assert_string_equal(proclife_cgroups_path(cgroups, id), "/");
	refusal = ESTALE;
	assert_null(proclife_cgroups_path(cgroups, 7000));
	assert_int_equal(asked, 50);
	assert_int_equal(proclife_cgroups_keep(cgroups, ids, 4), 0);
	assert_string_equal(proclife_cgroups_path(cgroups, 7), "/");
	assert_string_equal(proclife_cgroups_path(cgroups, 8), "/");
	assert_int_equal(asked, 50);
	assert_null(proclife_cgroups_path(cgroups, 9));
	assert_int_equal(asked, 51);
	assert_int_equal(proclife_cgroups_keep(cgroups, NULL, 0), 0);
	assert_null(proclife_cgroups_path(cgroups, 7));
	assert_int_equal(asked, 52);
	proclife_cgroups_free(cgroups);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_passes_is_asked_again),
		cmocka_unit_test(test_what_stays_is_asked_once),
		cmocka_unit_test(test_odd_mount_point),
		cmocka_unit_test(test_below_the_mount_point),
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
