// SPDX-License-Identifier: GPL-2.0-only
/* proclife-read --diff on made-up recordings: what it finds and prints, and its exit status. */
#include "fake_device.h"
#include "sides.h"

#include <recording/ctf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @count processes of this name live for 20 ms, and are zombies for @zombie us or a little longer. */
static void put_lives(const char *comm, unsigned int count, uint64_t zombie, uint64_t *seed)
{
	for (unsigned int i = 0; i < count; i++) {
		struct who who = process_of_pid(1000 + i, comm);

		story_live(&who, &init, 20 * MS + random_below(seed, MS),
			   (zombie + random_below(seed, zombie / 10)) * 1000,
			   5 * MS + random_below(seed, MS));
	}
}

/* A run of a build, whose linkers are zombies for this many us. */
static void record(const char *path, uint32_t exit_mark, uint64_t linker, uint64_t seed)
{
	story_begin_on(path, exit_mark == PROCLIFE_EXIT_AFTER_MM ? "6.1" : "6.18", exit_mark);
	init = process_of_pid(1, "init");
	put_lives("cc", 200, 300, &seed);
	put_lives("ld", 50, linker, &seed);
	put_lives("once", 5, 300, &seed);
	story_end();
}

#define HEAD "PHASE          COUNT      MIN      p50      p90      p99    p99.9      MAX\n"

#define CHANGE "\n\nGROUP                    PHASE     STAT         A        B    B/A OTHERS LIVES A LIVES B\n" \
	       "ld                       zombie    p50    1.05 ms  9.63 ms   9.19             50      50\n\n" \
	       "1 change by a factor of 1.1 or more\nCompared by comm: 2 groups; too few lives, or on " \
	       "one side alone: 2\nOne recording a side does not show by how much one run differs from the " \
	       "next.\n"

static void test_changed(void **state)
{
	char line[2 * PATH_MAX], head[3 * PATH_MAX];
	struct output out;

	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	record(dirs[1], PROCLIFE_EXIT_BEFORE_MM, 9000, 2);
	snprintf(line, sizeof(line), "%s %s", dirs[0], dirs[1]);
	snprintf(head, sizeof(head),
		 "A  %s, Linux 6.18, 256 processes\nB  %s, Linux 6.18, 256 processes\n\n" HEAD
		 "life      A      255 ", dirs[0], dirs[1]);
	out = diff(false, line);
	assert_int_equal(out.status, 2);
	if (strncmp(out.text, head, strlen(head)))
		fail_msg("%s\ninstead of\n%s", out.text, head);
	/* Only the phase of ld, and not its sum, exit_free. */
	assert_int_equal(count_text(out.text, "\nld "), 1);
	if (!strstr(out.text, CHANGE))
		fail_msg("%s\nwithout\n%s", out.text, CHANGE);
	free(out.text);
	/* The other way round. */
	expect(dirs[1], dirs[0], "", 2, "9.63 ms  1.05 ms   0.11             50      50\n");
	/* With a factor that is not reached. */
	expect(dirs[0], dirs[1], "--factor 12", 0, "\n\nNothing has changed beyond chance by a factor of 12 or more\n");
	/* Only the others. */
	expect(dirs[0], dirs[1], "--comm cc", 0,
	       "Nothing has changed beyond chance by a factor of 1.1 or more\nCompared by comm: 1 group\n");
	/* The tail of all of them together. */
	expect(dirs[0], dirs[1], "--by uid", 2, " zombie    p90 ");
	expect(dirs[0], dirs[1], "--by uid", 2, "Compared by uid: 1 group; ");
	expect(dirs[0], dirs[1], "--json", 2,
	       "{\"v\":1,\"type\":\"change\",\"by\":\"comm\",\"group\":\"ld\",\"phase\":\"zombie\","
	       "\"statistic\":\"p50\",\"a\":");
	expect(dirs[0], dirs[1], "--json", 2, "\"changes\":1,\"compared\":2,\"too_few\":2,\"forced\":[]}\n");
}

static void test_same(void **state)
{
	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	record(dirs[1], PROCLIFE_EXIT_BEFORE_MM, 1000, 2);
	expect(dirs[0], dirs[0], "--force", 0,
	       "\n\nNothing has changed beyond chance by a factor of 1.1 or more\nCompared by comm: 2 groups; ");
	expect(dirs[0], dirs[0], "--force --factor 1.000001", 0, "Nothing has changed");
	/* Another run of the same. */
	expect(dirs[0], dirs[1], "", 0, "Nothing has changed");
	expect(dirs[0], dirs[1], "--factor 1.3", 0, "Nothing has changed");
	expect(dirs[0], dirs[1], "--threads", 0, "256 threads");
}

/* Compares the first of @dirs with the second. @a, @b: their kernels, and where exits begin there. */
static void expect_not_comparable(const char *a, const char *b)
{
	char line[2 * PATH_MAX], said[4 * PATH_MAX];
	struct output out;

	snprintf(line, sizeof(line), "%s %s", dirs[0], dirs[1]);
	snprintf(said, sizeof(said),
		 "proclife-read: --diff: not comparable: in %s %s, in %s %s; life, kill, teardown and "
		 "exit_free mean different times there; record both with the module's parameter "
		 "exiting=1; --force compares them all the same\n", dirs[0], a, dirs[1], b);
	out = diff(true, line);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, said);
	free(out.text);
	out = diff(false, line);
	assert_string_equal(out.text, "");
	free(out.text);
}

static void test_exit_mark(void **state)
{
	(void)state;
	record(dirs[0], PROCLIFE_EXIT_AFTER_MM, 1000, 1);
	record(dirs[1], PROCLIFE_EXIT_BEFORE_MM, 1000, 2);
	expect_not_comparable("(Linux 6.1) exits begin after the address space is torn down",
			      "(Linux 6.18) before the address space is torn down");
	expect(dirs[0], dirs[1], "--force", 0, "Nothing has changed");
	expect(dirs[0], dirs[1], "--force", 0,
	       "\nCompared by --force: exits begin after the address space is torn down in A,\n"
	       "before the address space is torn down in B, so life, kill, teardown and\n"
	       "exit_free mean different times.\n\nPHASE");
	expect(dirs[0], dirs[1], "--force --json", 0, "\"exit_mark\":\"after_mm\",\"complete\"");
	expect(dirs[0], dirs[1], "--force --json", 0, "\"exit_mark\":\"before_mm\",\"complete\"");
	expect(dirs[0], dirs[1], "--force --json", 0, ",\"forced\":[\"exit_mark\"]}\n");
}

/* The same kernel, but one module recorded EXITING, and the other did not. */
static void test_exiting_or_not(void **state)
{
	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	story_features = PROCLIFE_KNOWN_TYPES;
	record(dirs[1], PROCLIFE_EXIT_BEFORE_MM, 1000, 2);
	/* With EXITING, it does not matter where EXIT stands. */
	record(dirs[2], PROCLIFE_EXIT_AFTER_MM, 1000, 3);
	story_features = WITHOUT_EXITING;
	expect_not_comparable("(Linux 6.18) exits begin before the address space is torn down",
			      "(Linux 6.18) where do_exit() begins");
	expect(dirs[1], dirs[2], "", 0, "Nothing has changed");
	/* --force has nothing to overrule. */
	expect(dirs[1], dirs[2], "--force", 0, ", Linux 6.1, 256 processes\n\nPHASE");
	expect(dirs[1], dirs[2], "--force --json", 0, ",\"forced\":[]}\n");
}

/* Itself, also under another name, and as a copy. */
static void test_itself(void **state)
{
	char line[3 * PATH_MAX], said[4 * PATH_MAX];
	struct output out;

	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	assert_int_equal(symlink(dirs[0], dirs[1]), 0);
	assert_int_equal(mkdir(dirs[2], 0700), 0);
	copy_file(dirs[0], dirs[2], "metadata");
	copy_file(dirs[0], dirs[2], "cpu_0");
	for (unsigned int i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "%s %s", dirs[0], dirs[i]);
		snprintf(said, sizeof(said), "proclife-read: --diff: %s and %s are the same "
			 "recording, in which nothing can have changed; name another one; --force "
			 "compares it with itself\n", dirs[0], dirs[i]);
		out = diff(true, line);
		assert_int_equal(out.status, 1);
		assert_string_equal(out.text, said);
		free(out.text);
	}
}

/* Numbers of cgroups are valid for one boot, paths for all. */
static void test_cgroups(void **state)
{
	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	record(dirs[1], PROCLIFE_EXIT_BEFORE_MM, 1000, 2);
	expect(dirs[0], dirs[1], "--by cgroup", 0, "Compared by cgroup: 1 group; ");
	story_cgroups(dirs[0], "77 /a\n");
	story_cgroups(dirs[1], "77 /b\n");
	expect(dirs[0], dirs[1], "--by cgroup", 2,
	       "Compared by cgroup: 0 groups; too few lives, or on one side alone: 3\n");
	expect(dirs[0], dirs[1], "--by cgroup", 2, "\n/b                       processes              0");
	story_cgroups(dirs[1], "77 /a\n");
	expect(dirs[0], dirs[1], "--by cgroup", 0, "Compared by cgroup: 1 group; ");
}

static void test_nothing(void **state)
{
	char line[2 * PATH_MAX], said[2 * PATH_MAX];
	struct output out;

	(void)state;
	record(dirs[0], PROCLIFE_EXIT_BEFORE_MM, 1000, 1);
	/* No group has enough lives. */
	snprintf(line, sizeof(line), "%s %s --comm once --force", dirs[0], dirs[0]);
	out = diff(true, line);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, "proclife-read: --diff: no group has 20 lives in each recording: "
				      "there is nothing to compare\n");
	free(out.text);
	/* So no claim about changes is made. */
	out = diff(false, line);
	assert_null(strstr(out.text, "changed"));
	assert_non_null(strstr(out.text, "\nCompared by comm: 0 groups; "));
	free(out.text);
	/* No recording, on either side. */
	assert_int_equal(mkdir(dirs[2], 0700), 0);
	for (unsigned int i = 2; i < 4; i++) {
		snprintf(said, sizeof(said), "proclife-read: %s", dirs[i]);
		for (unsigned int side = 0; side < 2; side++) {
			if (side)
				snprintf(line, sizeof(line), "%s %s", dirs[0], dirs[i]);
			else
				snprintf(line, sizeof(line), "%s %s", dirs[i], dirs[0]);
			out = diff(true, line);
			assert_int_equal(out.status, 1);
			if (strncmp(out.text, said, strlen(said)) ||
			    count_text(out.text, "\n") != 1)
				fail_msg("%s", out.text);
			free(out.text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_changed, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_same, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_exit_mark, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_exiting_or_not, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_itself, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_nothing, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
