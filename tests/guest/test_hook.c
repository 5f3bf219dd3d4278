// SPDX-License-Identifier: GPL-2.0-only
/* The hook of REAP: it cannot be removed, and without it everything else is recorded. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <proclife.h>

#include "module.h"
#include "reading.h"

#define ALWAYS (PROCLIFE_HAS(PROCLIFE_FORK) | PROCLIFE_HAS(PROCLIFE_EXIT) | PROCLIFE_HAS(PROCLIFE_FREE))

#define ENABLED "/proc/sys/kernel/ftrace_enabled"

/* Returns 0 or a negative errno. */
static int set_ftrace(const char *enabled)
{
	int fd = open(ENABLED, O_WRONLY | O_CLOEXEC), ret;

	assert_true(fd >= 0);
	ret = write(fd, enabled, 1) == 1 ? 0 : -errno;
	close(fd);
	return ret;
}

static void needs_ftrace(void)
{
	if (!access(ENABLED, F_OK))
		return;
	print_message("skipped: this kernel has no function tracer, but kprobes\n");
	skip();
}

/* Kprobes that have nothing to do with ftrace, as on arm64 before Linux 6.2: it can be switched off. */
static bool plain_kprobes;

/* The hook of REAP cannot be switched off while the module is loaded. */
static void test_nobody_switches_it_off(void **state)
{
	int ret;

	(void)state;
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_REAP));
	needs_ftrace();
	ret = set_ftrace("0");
	/* Since Linux 7.3, switching ftrace off removes no hook. */
	assert_true(ret == 0 || ret == -EBUSY || ret == -EOPNOTSUPP);
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_REAP));
	plain_kprobes = ret == 0;
	if (plain_kprobes)
		assert_int_equal(set_ftrace("1"), 0);
}

/* If it was off before, that is reported, and only REAP is missing. */
static void test_without_ftrace(void **state)
{
	uint64_t seen;
	int ret;

	(void)state;
	needs_ftrace();
	if (plain_kprobes) {
		print_message("skipped: the hooks are kprobes without ftrace\n");
		skip();
	}
	assert_int_equal(module_unload(), 0);
	ret = set_ftrace("0");
	if (ret == -EOPNOTSUPP) {
		assert_int_equal(module_load(""), 0);
		print_message("skipped: this kernel's function tracer cannot be switched off\n");
		skip();
	}
	assert_int_equal(ret, 0);
	assert_int_equal(module_load(""), 0);
	seen = records_of_a_child();
	assert_int_equal(seen & ALWAYS, ALWAYS);
	assert_false(seen & PROCLIFE_HAS(PROCLIFE_REAP));

	assert_int_equal(module_unload(), 0);
	assert_int_equal(set_ftrace("1"), 0);
	assert_int_equal(module_load(""), 0);
	assert_true(records_of_a_child() & PROCLIFE_HAS(PROCLIFE_REAP));
}

static bool kernel_has(const char *function)
{
	char line[512], name[256];
	bool found = false;
	FILE *file = fopen("/proc/kallsyms", "re");

	assert_non_null(file);
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %*s %255s", name) == 1 && !strcmp(name, function);
	fclose(file);
	return found;
}

/* The hook is on the newer of both functions if this kernel has it, and the log names it. */
static void test_where_it_stands(void **state)
{
	struct proclife_source *source = open_source();

	(void)state;
	assert_int_equal(proclife_source_header(source)->reap_source,
			 kernel_has("cgroup_task_release") ? PROCLIFE_REAP_CGROUP_TASK_RELEASE :
							     PROCLIFE_REAP_CGROUP_RELEASE);
	assert_true(kernel_has("cgroup_task_release") || kernel_has("cgroup_release"));
	proclife_source_free(source);
}

/* The same if REAP is switched off by its parameter. */
static void test_not_wanted(void **state)
{
	uint64_t seen;

	(void)state;
	assert_int_equal(module_unload(), 0);
	assert_int_equal(module_load("reap=0 signals=0"), 0);
	seen = records_of_a_child();
	assert_int_equal(seen & ALWAYS, ALWAYS);
	assert_false(seen & PROCLIFE_HAS(PROCLIFE_REAP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_it_stands),
		cmocka_unit_test(test_nobody_switches_it_off),
		cmocka_unit_test(test_without_ftrace),
		cmocka_unit_test(test_not_wanted),
	};

	return cmocka_run_group_tests(tests, load_fixture, unload_fixture);
}
