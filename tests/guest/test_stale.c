// SPDX-License-Identifier: GPL-2.0-only
/* A record keeps nothing of the record whose slot it takes: fields without a value are 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lives.h"
#include "marks.h"
#include "module.h"
#include "reading.h"

#define ROUNDS 10
#define HELPER "/proc/sys/kernel/modprobe"

/* Fills the ring of each CPU, which has 32 slots, with arguments: all their bytes are letters. */
static void fill_rings(void)
{
	char letters[900];
	char *const argv[] = { "/bin/true", letters, NULL };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t pid;

	memset(letters, 'x', sizeof(letters) - 1);
	letters[sizeof(letters) - 1] = '\0';
	for (int cpu = 0; cpu < cpus; cpu++) {
		pin_to_cpu(cpu);
		for (int i = 0; i < 4; i++) {
			pid = must_fork();
			if (!pid) {
				execv(*argv, argv);
				_exit(127);
			}
			assert_int_equal(waitpid(pid, NULL, 0), pid);
		}
	}
	unpin();
}

/* A usermode helper that cannot exec ends without an address space. */
static void end_without_memory(void)
{
	for (int i = 0; i < 5; i++)
		assert_true(socket(AF_PHONET, SOCK_DGRAM, 0) < 0);
}

static void set_helper(const char *path)
{
	FILE *file = fopen(HELPER, "we");

	assert_non_null(file);
	assert_true(fputs(path, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Does the record say that there was no address space? */
static bool says_nothing_of_memory(const struct proclife_exiting *e)
{
	if (e->mm)
		return false;
	assert_int_equal(e->rss_anon, 0);
	assert_int_equal(e->rss_file, 0);
	assert_int_equal(e->rss_shmem, 0);
	assert_int_equal(e->mm_users, 0);
	assert_int_not_equal(e->parent_tgid, 0x78787878);
	return true;
}

static void test_without_memory(void **state)
{
	struct proclife_source *source;
	struct proclife_event event;
	unsigned int seen = 0;
	uint64_t until;

	(void)state;
	assert_int_equal(module_load("ring_kb=4 args_bytes=960 " ALL_MARKS), 0);
	for (int i = 0; i < ROUNDS; i++) {
		fill_rings();
		source = open_source();
		end_without_memory();
		until = now();
		while (next_until(source, until, &event))
			if (event.record && event.record->type == PROCLIFE_EXITING)
				seen += says_nothing_of_memory(&event.record->exiting);
		proclife_source_free(source);
	}
	assert_true(seen >= ROUNDS);
	assert_int_equal(module_unload(), 0);
}

static char helper[256];

static int set_up(void **state)
{
	FILE *file = fopen(HELPER, "re");

	(void)state;
	if (!file || !fgets(helper, sizeof(helper), file))
		return -1;
	fclose(file);
	set_helper("/nowhere/modprobe");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	set_helper(helper);
	return module_loaded() ? module_unload() : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_without_memory) };

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
