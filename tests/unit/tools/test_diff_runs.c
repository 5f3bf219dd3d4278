// SPDX-License-Identifier: GPL-2.0-only
/*
 * proclife-read --diff on made-up builds, one run a side or several: what is planted is found, what waits
 * for it is not blamed, and differences between runs of a machine are no change.
 */
#include "story.h"

#include <tests/bench/build.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_RUNS 6
#define ANY UINT_MAX /* changes */

static char dirs[MOST_RUNS][PATH_MAX / 2 + 8];

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	for (unsigned int i = 0; i < MOST_RUNS; i++)
		snprintf(dirs[i], sizeof(dirs[i]), "%s/%c", folder.base, "abcdef"[i]);
	return 0;
}

/* Uses a new machine for the next recordings. */
static void renew(void)
{
	folder_remove(&folder);
	begin(NULL);
}

static void put_build(void *data, struct proclife_record record)
{
	uint64_t *records = data;

	machine->now = record.ts;
	story_put(record);
	if (++*records % 50000 == 0)
		story_sync();
}

static void record(unsigned int number, struct build build)
{
	uint64_t records = 0;

	story_begin(dirs[number]);
	build.put = put_build;
	build.data = &records;
	build.now = machine->now;
	build.pid = 299;
	build.seed = build.random;
	build_run(&build);
	story_end();
}

/* Compares @runs recordings: the first half is one side, the rest the other. */
static struct output diff(unsigned int runs, const char *options)
{
	char line[MOST_RUNS * PATH_MAX] = "";

	for (unsigned int i = 0; i < runs; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s%s",
			 i == runs / 2 ? "--against " : "", dirs[i]);
	return run_program(false, 0, "%s --diff%s %s", program, line, options);
}

static void expect(unsigned int runs, const char *options, int status, unsigned int changes,
		   const char *part)
{
	struct output out = diff(runs, options);
	char said[64] = "\nNothing has changed beyond chance by";

	if (changes == ANY)
		said[0] = '\0';
	else if (changes)
		snprintf(said, sizeof(said), "\n%u change%s by", changes, changes == 1 ? "" : "s");
	if (out.status != status || !strstr(out.text, said) || !strstr(out.text, part))
		fail_msg("status %d:\n%s\nwithout %s or\n%s", out.status, out.text, said, part);
	free(out.text);
}

/* Six of the same machine drift by a fifth; @planted into the last three. */
static void record_six(uint64_t seed, double jitter, uint64_t files, const char *planted,
		       double factor)
{
	for (unsigned int i = 0; i < 6; i++) {
		uint64_t drift = seed * 100 + i;

		record(i, (struct build){
			.files = files, .random = seed * 100 + i, .jitter = jitter,
			.scale = 0.8 + 0.4 * (double)random_below(&drift, 1000) / 1000,
			.planted = i < 3 ? NULL : planted, .phase = "life", .factor = factor,
		});
	}
}

static void test_one_run(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		record(0, (struct build){ .files = 1000, .random = 2 * seed });
		record(1, (struct build){ .files = 1000, .random = 2 * seed + 1 });
		expect(2, "", 0, 0, "One recording a side does not show");
		renew();
		record(0, (struct build){ .files = 1000, .random = 2 * seed });
		record(1, (struct build){ .files = 1000, .random = 2 * seed + 1, .planted = "cc1",
					  .phase = "life", .factor = 1.2 });
		/* Processes that wait for it are no cause. */
		expect(2, "", 2, 1, "\ncc1                      alone     p50 ");
		expect(2, "", 2, 1, "\nLife not judged, as what they start has changed: gcc, sh\n");
		renew();
	}
}

/* A factor that all phases share is reported once, for the life alone. */
static void test_all_slower(void **state)
{
	(void)state;
	record(0, (struct build){ .files = 500, .random = 1 });
	record(1, (struct build){ .files = 500, .random = 2, .scale = 1.3 });
	expect(2, "", 2, ANY, "\nall 5 groups             alone     p50                       1.");
	/* One of them is slower still. */
	renew();
	record(0, (struct build){ .files = 500, .random = 1 });
	record(1, (struct build){ .files = 500, .random = 2, .scale = 1.3, .planted = "as",
				  .phase = "life", .factor = 2 });
	expect(2, "", 2, ANY, "\nas                       alone     p50    5.");
	/* Several runs: their own differences have to be smaller than that. */
	renew();
	for (unsigned int i = 0; i < 6; i++)
		record(i, (struct build){ .files = 200, .random = 10 + i, .jitter = 0.01,
					  .scale = i < 3 ? 1 : 1.5 });
	expect(6, "", 2, ANY, "\nall 5 groups             alone     p50                       1.");
	renew();
	for (unsigned int i = 0; i < 6; i++)
		record(i, (struct build){ .files = 200, .random = 10 + i, .jitter = 0.01,
					  .scale = (i < 3 ? 1 : 1.5) * (0.7 + 0.3 * (i % 3)) });
	expect(6, "", 0, 0, "\nNoise can hide a change of a median: alone up to x1.");
}

/* Three runs a side that drift by a fifth: nothing is claimed. */
static void test_drift(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		record_six(seed, 0.03, 40, NULL, 1);
		expect(6, "", 0, 0, "");
		renew();
	}
}

static void test_planted(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		record_six(seed, 0.03, 60, "cc1", 2);
		expect(6, "", 2, 1, "\ncc1                      alone     p50 ");
		renew();
		record_six(seed, 0.03, 60, "mv", 0.4);
		expect(6, "", 2, 1, "\nmv                       alone     p50 ");
		renew();
	}
	/* A small change, if the noise is small. */
	for (uint64_t seed = 1; seed <= 3; seed++) {
		record_six(seed, 0.01, 1000, "cc1", 1.2);
		expect(6, "", 2, 1, "\ncc1                      alone     p50 ");
		renew();
	}
}

/* One run against three; and twice as much work is no slower work. */
static void test_uneven(void **state)
{
	struct output out;

	(void)state;
	record_six(3, 0.02, 60, "cc1", 3);
	out = run_program(false, 0, "%s --diff %s --against %s %s %s", program, dirs[0], dirs[3],
			  dirs[4], dirs[5]);
	assert_int_equal(out.status, 2);
	assert_int_equal(strncmp(out.text, "A1  ", 4), 0);
	assert_non_null(strstr(out.text, "\nB3  "));
	assert_non_null(strstr(out.text, "\ncc1                      alone     p50 "));
	free(out.text);
	renew();
	for (unsigned int i = 0; i < 4; i++)
		record(i, (struct build){ .files = i < 2 ? 50 : 100, .random = 20 + i });
	expect(4, "", 2, 1, "\nall 5 groups             processes ");
}

/* Twice on one side, or on both: neither is a comparison. */
static void test_same(void **state)
{
	struct output out;
	char said[3 * PATH_MAX];

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		record(i, (struct build){ .files = 30, .random = i });
	out = run_program(true, 0, "%s --diff %s %s --against %s %s", program, dirs[0], dirs[1], dirs[2],
			  dirs[2]);
	snprintf(said, sizeof(said), "proclife-read: --diff: %s and %s are the same recording, which "
		 "would count twice; leave one of them out\n", dirs[2], dirs[2]);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, said);
	free(out.text);
	out = run_program(true, 0, "%s --diff %s %s --against %s %s", program, dirs[0], dirs[1], dirs[2],
			  dirs[1]);
	snprintf(said, sizeof(said), "proclife-read: --diff: %s and %s are the same recording, in which "
		 "nothing can have changed; name another one; --force compares it with itself\n",
		 dirs[1], dirs[1]);
	assert_int_equal(out.status, 1);
	assert_string_equal(out.text, said);
	free(out.text);
	/* With --force it is compared, and nothing has changed. */
	out = run_program(false, 0, "%s --diff %s %s --against %s %s --force", program, dirs[0], dirs[0],
			  dirs[0], dirs[0]);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "\nCompared by --force: A1 and A2 are the same recording.\n"));
	free(out.text);
}

/* One of six is cut off: the rest is compared, and the status shows that it is not all. */
static void test_cut(void **state)
{
	uint64_t records = 0;
	struct build build = {
		.put = put_build, .data = &records, .files = 60, .random = 9, .seed = 9, .pid = 299,
	};
	struct output out;

	(void)state;
	record_six(2, 0.02, 60, NULL, 1);
	out = run_program(false, 0, "rm -r %s", dirs[4]);
	free(out.text);
	story_begin(dirs[4]);
	build.now = machine->now;
	build_run(&build);
	story_sync();
	story_abandon();
	expect(6, "", 3, 0, "");
	out = diff(6, "--json");
	assert_int_equal(count_text(out.text, "\"complete\":false"), 1);
	assert_int_equal(count_text(out.text, "\"complete\":true"), 5);
	free(out.text);
}

/* No process has that name, or only on one side. */
static void test_no_lives(void **state)
{
	struct output out;

	(void)state;
	record_six(1, 0.02, 30, NULL, 1);
	out = run_program(true, 0, "%s --diff %s --against %s %s --comm nobody", program, dirs[0],
			  dirs[1], dirs[2]);
	assert_int_equal(out.status, 1);
	assert_int_equal(count_text(out.text, ": no process matched --comm nobody\n"), 3);
	assert_non_null(strstr(out.text, "no group has 20 lives in each recording: there is nothing to "
				       "compare\n"));
	free(out.text);
	/* A group on one side alone is a change, though there is nothing to compare. */
	renew();
	record(0, (struct build){ .files = 30, .random = 1 });
	story_begin(dirs[1]);
	machine->now += MS;
	story_end();
	expect(2, "", 2, 5, "\ncc1                      processes             30        0   gone");
	expect(2, "", 2, 5, "\nOn side A alone: ");
	expect(2, "--comm make", 1, ANY, "\nCompared by comm: 0 groups; ");
}

/* An expectation applies to all of B. */
static void test_expect(void **state)
{
	struct output out;

	(void)state;
	record_six(1, 0.02, 30, NULL, 1);
	out = diff(6, "--expect cc1.life.count==90 --expect life.count>1000 --json");
	assert_int_equal(out.status, 2);
	assert_non_null(strstr(out.text, "\"expected\":\"cc1.life.count==90\",\"ok\":true,\"measured\":90,"));
	assert_non_null(strstr(out.text, "\"ok\":false"));
	free(out.text);
	out = diff(6, "--expect cc1.life.count==90");
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "\n\nEXPECTED "));
	free(out.text);
	/* One run of A, two of B. */
	out = run_program(false, 0, "%s --diff %s --against %s %s --expect cc1.life.count==60",
			  program, dirs[0], dirs[1], dirs[2]);
	assert_int_equal(out.status, 0);
	free(out.text);
}

/* No line is wider than the terminal, whatever the groups are. */
static void test_width(void **state)
{
	static const char *const widths[] = { "40", "64", "80", "100" };

	(void)state;
	record_six(1, 0.03, 60, "cc1", 2);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct output out;
		size_t most = 0;

		setenv("COLUMNS", widths[i], 1);
		out = diff(6, "");
		unsetenv("COLUMNS");
		assert_int_equal(out.status, 2);
		for (const char *s = strstr(out.text, "\nPHASE"); s && *s; s++) {
			size_t length = strcspn(s, "\n");

			most = length > most ? length : most;
			s += length;
			if (!*s)
				break;
		}
		if (most > (size_t)atoi(widths[i]))
			fail_msg("%zu columns of %s:\n%s", most, widths[i], out.text);
		free(out.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_run, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_all_slower, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_drift, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_planted, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_uneven, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_same, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_cut, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_no_lives, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_expect, begin, story_teardown),
		cmocka_unit_test_setup_teardown(test_width, begin, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
