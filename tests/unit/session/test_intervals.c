// SPDX-License-Identifier: GPL-2.0-only
/* --interval: each event belongs to exactly one interval. */
#include "marks.h"
#include "story.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * In milliseconds: a lives from 100 to 170; b from 210 to 420; c is born at 600 sharp, and a zombie
 * from 700 on. The trace ends at 750.
 */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh = process_of_pid(50, "sh"), who;

	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &sh, &init));
	story_at(100);
	who = story_fork(&sh, 100, "a");
	story_at(150);
	story_exit(&who, &sh, 1 << 8);
	story_at(160);
	story_reap(&who, &sh);
	story_at(170);
	story_put(free_record(0, &who));
	story_at(210);
	who = story_fork(&sh, 101, "b");
	story_at(390);
	story_exit(&who, &sh, 0);
	story_at(410);
	story_reap(&who, &sh);
	story_at(420);
	story_put(free_record(0, &who));
	story_at(600);
	who = story_fork(&sh, 102, "c");
	story_at(700);
	story_exit(&who, &sh, 0);
	machine->now = 1750 * MS - 1;
	story_end();
	metadata_set(folder.path, "began", "1000000000");
}

static char *output(const char *options)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (out.status)
		fail_msg("%s: status %d: %s", options, out.status, out.text);
	return out.text;
}

/* The texts between @from and @to in the lines that have @mark, with a space behind each. */
static void expect_between(const char *options, const char *mark, const char *from, char to,
			   const char *wanted)
{
	char *text = output(options), found[1000] = "";

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *at = strstr(line, mark) ? strstr(line, from) : NULL;

		if (!at)
			continue;
		at += strlen(from);
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%.*s ",
			 (int)strcspn(at, (char[]){ to, '\0' }), at);
	}
	if (strcmp(found, wanted))
		fail_msg("%s: '%s' instead of '%s'", options, found, wanted);
	free(text);
}

static void expect_lines(const char *options, const char *const *lines)
{
	char *text = output(options);

	for (; *lines; lines++)
		if (!strstr(text, *lines))
			fail_msg("%s: there is no '%s' in:\n%s", options, *lines, text);
	free(text);
}

#define EXPECT(options, ...) expect_lines(options, (const char *const[]){ __VA_ARGS__, NULL })

#define INTERVAL "\"type\":\"interval\""

static void test_times(void **state)
{
	(void)state;
	tell();
	expect_between("--latency --json --interval 200ms", INTERVAL, "\"from\":", ',',
		       "1000000000 1200000000 1400000000 1600000000 ");
	expect_between("--latency --json --interval 200ms", INTERVAL, "\"to\":", '}',
		       "1200000000 1400000000 1600000000 1750000000 ");
	/* Intervals in which nothing ended have no other lines. */
	expect_between("--latency --json --interval 200ms", "\"type\":\"lives\"", "\"to\":", '}',
		       "1200000000 1600000000 ");
	/* The end of the trace is the end of the last interval: no other follows. */
	expect_between("--latency --json --interval 250ms", INTERVAL, "\"to\":", '}',
		       "1250000000 1500000000 1750000000 ");
	expect_between("--latency --json --interval 1h", INTERVAL, "\"to\":", '}', "1750000000 ");
}

static void test_latency(void **state)
{
	(void)state;
	tell();
	/* A process that is open at the end of the trace has not ended in the last interval either. */
	expect_between("--latency --json --interval 250ms", "\"type\":\"lives\"", "\"lives\":", ',', "1 1 ");
	expect_between("--latency --json --interval 250ms", "\"type\":\"lives\"", "\"alive\":", ',', "3 2 ");
	expect_between("--latency --json --interval 750ms", "\"type\":\"lives\"", "\"zombies\":", ',', "1 ");
	/* The same for threads: each process has one. */
	expect_between("--latency --json --threads --interval 250ms", "\"type\":\"lives\"", "\"alive\":", ',',
		       "3 2 ");
	/* b was born in an earlier one. */
	expect_between("--latency --json --interval 200ms", "\"phase\":\"life\"", "\"max\":", ',',
		       "50000000 180000000 ");
	expect_between("--latency --json --interval 200ms", "\"type\":\"slowest\"", "\"pid\":", ',', "100 101 ");
	expect_between("--latency --json --by comm --interval 200ms",
		       "\"group\":\"b\",\"phase\":\"life\"", "\"from\":", ',', "1400000000 ");
	EXPECT("--latency --interval 200ms --monotonic", "1.000000000 to 1.200000000\n"
	       "1 process ended, 2 still alive\n\nPHASE ",
	       "\n\n1.200000000 to 1.400000000: nothing ended\n\n",
	       "1.600000000 to 1.750000000: nothing ended, only 150 ms long\n");
}

/* What holds without an event comes before the interval that it is in, as when that time passed; the last has no event. */
static void test_conditions(void **state)
{
	(void)state;
	tell();
	expect_between("--latency --interval 100ms --monotonic --on zombie>5ms --on life>25ms", "0000", "1.", ' ',
		       "000000000 125000001 155000002 100000000 235000001 200000000 395000002 300000000 400000000 "
		       "500000000 625000001 600000000 705000002 700000000 ");
}

/* An exited leader is a zombie while its threads live; and each of these counts. */
static void test_threads(void **state)
{
	static const char *const names[] = { "\"alive\":", "\"zombies\":", "\"unfreed\":", "\"unknown\":" };
	static const char *const wanted[] = { "1 ", "1 ", "1 ", "0 " };
	struct who init = process_of_pid(1, "init"), app, threads[3];

	(void)state;
	story_at(10);
	app = story_fork(&init, 100, "app");
	for (uint32_t i = 0; i < 3; i++) {
		threads[i] = thread_of(&app, 101 + i);
		story_put(clone_record(0, &threads[i], &init, &app));
	}
	story_put(exit_record(0, &app, 0, 3));
	story_put(exit_record(0, &threads[0], 0, 2));
	story_put(reap_record(0, &threads[0], &threads[0]));
	story_put(free_record(0, &threads[0]));
	story_put(exit_record(0, &threads[1], 0, 1));
	story_put(reap_record(0, &threads[1], &threads[1]));
	story_fork(&init, 200, "other");
	story_at(100);
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_between("--latency --threads --json --interval 50ms --pid 100", "\"type\":\"lives\"", names[i], ',',
			       wanted[i]);
}

static void test_others(void **state)
{
	(void)state;
	tell();
	expect_between("--summary --json --interval 200ms", "\"type\":\"program\"", "\"group\":\"", '"', "a b ");
	/* The birth at 600 ms belongs to the interval that ends there. */
	expect_between("--parents --json --interval 200ms", "\"type\":\"parent\"", "\"born\":", ',', "1 1 1 0 ");
	expect_between("--parents --json --interval 200ms", "\"type\":\"parent\"", "\"reaped\":", ',', "1 0 1 0 ");
	expect_between("--parents --json --interval 200ms", "\"type\":\"parent\"", "\"zombies\":", ',', "0 1 0 1 ");
	expect_between("--parents --json --interval 200ms", "\"type\":\"parent\"", "\"comm\":\"", '"',
		       "sh sh sh sh ");
	expect_between("--parents --json --interval 200ms", "\"type\":\"parent\"", "\"lived\":", ',',
		       "200000000 200000000 200000000 150000000 ");
	/* Each view shows its own lines. */
	expect_between("--summary --parents --json --interval 200ms", "\"v\"", "\"type\":\"", '"',
		       "trace interval program parent interval parent interval program parent interval parent "
		       "end ");
	EXPECT("--summary --interval 200ms --utc", "1970-01-01Z 00:00:01.000 to 00:00:01.200\n   RUNS ",
	       "  a\n\n1 process ended, 1 failed; CPU 120 ns\n\n1970-01-01Z 00:00:01.200 to 00:00:01.400: "
	       "nothing ended\n\n");
}

static void test_selection(void **state)
{
	(void)state;
	tell();
	expect_between("--latency --json --interval 200ms --failed", "\"type\":\"lives\"", "\"to\":", '}',
		       "1200000000 ");
	/* Intervals begin there, and what is freed later counts in the last one. */
	expect_between("--latency --json --interval 100ms --from +380ms --to +395ms", INTERVAL, "\"from\":", ',',
		       "1380000000 ");
	expect_between("--latency --json --interval 100ms --from +380ms --to +395ms", INTERVAL, "\"to\":", '}',
		       "1395000000 ");
	expect_between("--latency --json --interval 100ms --from +380ms --to +395ms",
		       "\"type\":\"lives\"", "\"lives\":", ',', "1 ");
	/* It ends with the first process that is gone, in the middle of an interval. */
	expect_between("--latency --json --interval 100ms --count 1", INTERVAL, "\"to\":", '}',
		       "1100000000 1170000000 ");
	/* If the range ends with an interval, no other follows for what is freed later. */
	expect_between("--latency --json --interval 10ms --from +380ms --to +400ms", INTERVAL, "\"to\":", '}',
		       "1390000000 1400000000 ");
	expect_between("--latency --json --interval 10ms --from +380ms --to +400ms", "\"type\":\"lives\"",
		       "\"lives\":", ',', "1 ");
	expect_between("--latency --json --interval 200ms --duration 300ms", INTERVAL, "\"to\":", '}',
		       "1200000000 1300000000 ");
	/* A verdict judges all intervals together. */
	EXPECT("--latency --interval 100ms --expect life.count==3 --expect zombies==1 --expect lost==0",
	       "life.count==3             3                           ok\n");
}

/* The recorder began long before the first record, and there is a long pause between two records. */
static void test_idle(void **state)
{
	(void)state;
	tell();
	metadata_set(folder.path, "began", "1");
	EXPECT("--latency --interval 1ms --monotonic",
	       "0.059000001 to 0.060000001: nothing ended\n"
	       "0.060000001 to 1.099000001: nothing happened in 1,039 intervals\n");
	expect_between("--latency --json --interval 1ms --count 1", "\"intervals\":1039", "\"from\":", ',',
		       "60000001 ");
	/* An event exactly at the end of an interval belongs to it. */
	metadata_set(folder.path, "began", "1000000");
	EXPECT("--latency --interval 1ms --monotonic",
	       "0.061000000 to 1.099000000: nothing happened in 1,038 intervals\n");
	/* More than 60 of them, but never that many in a row. */
	metadata_set(folder.path, "began", "1000000000");
	expect_between("--latency --json --interval 10ms", INTERVAL, "\"to\":16", '}',
		       "00000000 10000000 20000000 30000000 40000000 50000000 60000000 70000000 80000000 90000000 ");
	/* Events from before the beginning belong to the first interval. */
	metadata_set(folder.path, "began", "1300000000");
	expect_between("--latency --json --interval 500ms", INTERVAL, "\"from\":", ',', "1100000000 1600000000 ");
}

/* Each interval has the suppressed records of its time. */
static void test_suppressed(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		story_at(100 * i + 10);
		story_put(suppressed_record(PROCLIFE_WAIT, machine->now, 0));
		story_at(100 * i + 20);
		story_put(suppressed_record(PROCLIFE_WAIT, machine->now, 5 + i));
	}
	story_at(299);
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	expect_between("--latency --json --interval 100ms", INTERVAL, "\"suppressed\":{\"wait\":", ',', "5 6 7 ");
	EXPECT("--latency --interval 100ms --monotonic", " to 1.200000000: nothing ended, 6 records were suppressed\n");
}

/* The ring of CPU 1 is overrun from 300 ms to 450 ms. */
static void test_lost(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_abandon();
	folder_remove(&folder);
	folder_make(&folder);
	story_ring = 16;
	story_begin(folder.path);
	story_ring = STORY_RING;
	story_put(task_record(0, &init, &init));
	story_at(300);
	story_put(record_of(0, PROCLIFE_WAIT, &init));
	story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_sync();
	for (uint32_t i = 0; i < 40; i++) {
		machine->now += 5 * MS;
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	}
	story_at(700);
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	for (int json = 0; json < 2; json++) {
		struct output out = run_program(false, 0, "%s -i %s --latency --interval 200ms %s", program,
						folder.path, json ? "--json" : "--monotonic");
		static const char *const text[2][3] = {
			{ "1.000000000 to 1.200000000: nothing ended\n",
			  "1.400000000: nothing ended, 24 records were lost\n",
			  "1.600000000: nothing ended, records that were lost before can be of this time\n" },
			{ "\"to\":1200000000},\"intervals\":1,\"lost\":0,\"incomplete\":false,",
			  "\"to\":1400000000},\"intervals\":1,\"lost\":24,\"incomplete\":true,",
			  "\"to\":1600000000},\"intervals\":1,\"lost\":0,\"incomplete\":true,", },
		};

		assert_int_equal(out.status, 3);
		for (int i = 0; i < 3; i++)
			if (!strstr(out.text, text[json][i]))
				fail_msg("there is no '%s' in:\n%s", text[json][i], out.text);
		free(out.text);
	}
	/* The loss is after the range, which lacks nothing. */
	expect_between("--latency --json --interval 200ms --to +250ms", INTERVAL, "\"incomplete\":", ',',
		       "false false ");
}

/* The titles with everything that can happen to an interval fit on a terminal, and are one line elsewhere. */
static void test_width(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	story_abandon();
	folder_remove(&folder);
	folder_make(&folder);
	story_ring = 16;
	story_begin(folder.path);
	story_ring = STORY_RING;
	story_put(task_record(0, &init, &init));
	story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_sync();
	for (uint32_t i = 0; i < 40; i++) {
		machine->now += 5 * MS;
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	}
	story_put(suppressed_record(PROCLIFE_WAIT, machine->now, 0));
	story_put(suppressed_record(PROCLIFE_WAIT, machine->now, 77));
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	for (unsigned int width = 40; width <= 200; width += 8) {
		struct output out;
		char columns[12];

		snprintf(columns, sizeof(columns), "%u", width);
		setenv("COLUMNS", columns, 1);
		out = run_program(false, 0, "%s -i %s --latency --interval 110ms --utc", program, folder.path);
		if (!strstr(out.text, "only"))
			fail_msg("%s", out.text);
		if (width == 200)
			assert_non_null(strstr(out.text, "long, records that were lost before can be of this time, 77 "
					       "records were suppressed\n"));
		for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n"))
			if (strlen(line) > width)
				fail_msg("%u: '%s'", width, line);
		free(out.text);
	}
	unsetenv("COLUMNS");
}

/* The sum of the numbers behind @name in the lines that have @mark. */
static uint64_t sum(const char *text, const char *mark, const char *name)
{
	uint64_t total = 0, n;

	while ((text = strstr(text, mark))) {
		const char *at = strstr(text, name);

		if (at && at < strchr(text, '\n') && sscanf(at + strlen(name), "%" SCNu64, &n) == 1)
			total += n;
		text = strchr(text, '\n');
	}
	return total;
}

/* Whatever their length, the intervals add up to the whole run. */
static void test_sums(void **state)
{
	static const char *const intervals[] = { "1ms", "7ms", "100ms", "10m" };
	static const char *const sums[][2] = {
		{ "\"phase\":\"life\"", "\"count\":" }, { "\"phase\":\"exit_free\"", "\"count\":" },
		{ "\"phase\":\"zombie\"", "\"count\":" }, { "\"type\":\"program\"", "\"runs\":" },
		{ "\"type\":\"program\"", "\"failed\":" }, { "\"type\":\"parent\"", "\"born\":" },
		{ "\"type\":\"parent\"", "\"reaped\":" }, { "\"type\":\"parent\"", "\"adopted\":" },
	};
	struct who init = process_of_pid(1, "init"), who, sh;
	uint64_t seed = 5;
	char *whole;

	(void)state;
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 50, "sh");
	for (uint32_t i = 0; i < 300; i++) {
		who = process_of_pid(100 + i, i % 3 ? "cc" : "ld");
		story_live(&who, i % 4 ? &sh : &init, random_below(&seed, 3 * MS), random_below(&seed, 2 * MS),
			   random_below(&seed, 20 * MS));
	}
	story_exit(&sh, &init, 0);
	story_reap(&sh, &init);
	story_put(free_record(0, &sh));
	story_end();
	whole = output("--summary --latency --parents --json");
	for (size_t i = 0; i < sizeof(intervals) / sizeof(*intervals); i++) {
		char options[100], *parts;

		snprintf(options, sizeof(options), "--summary --latency --parents --json --interval %s", intervals[i]);
		parts = output(options);
		for (size_t j = 0; j < sizeof(sums) / sizeof(*sums); j++)
			if (sum(parts, sums[j][0], sums[j][1]) != sum(whole, sums[j][0], sums[j][1]))
				fail_msg("%s: %s %s: %" PRIu64 " instead of %" PRIu64, intervals[i], sums[j][0],
					 sums[j][1], sum(parts, sums[j][0], sums[j][1]),
					 sum(whole, sums[j][0], sums[j][1]));
		free(parts);
	}
	assert_true(sum(whole, sums[0][0], sums[0][1]) == 301);
	free(whole);
}

/* Dropped at 21 ms and held by cat: this memory comes back when its process is long gone, and counts once. */
static void test_memory(void **state)
{
	static const char *const rows[] = { "\"phase\":\"held\",\"count\":1,\"min\":39000000,",
					    "\"phase\":\"unmap\",\"count\":1,\"min\":15000000," };
	struct who init = process_of_pid(1, "init"), cat = process_of_pid(99, "cat"), app;
	struct proclife_record exiting;
	char *text;

	(void)state;
	story_put(task_record(0, &cat, &init));
	story_at(10);
	app = story_fork(&init, 100, "app");
	story_at(20);
	exiting = exiting_record(0, &app, &init, NULL, 0);
	exiting.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_put(exiting);
	story_mm(21, &app, PROCLIFE_MM_LEFT, &app);
	story_at(22);
	story_die(&app, &init, 0, MS, 100);
	story_bury(&app, &init);
	story_mm(60, &cat, PROCLIFE_MM_TEARDOWN, &app);
	story_mm(75, &cat, PROCLIFE_MM_GONE, &app);
	story_at(80);
	story_end();
	metadata_set(folder.path, "began", "1000000000");
	text = output("--latency --json --interval 50ms");
	for (int i = 0; i < 2; i++)
		if (count_text(text, rows[i]) != 1)
			fail_msg("%s", text);
	assert_non_null(strstr(text, "\"to\":1050000000},\"phase\":\"held\",\"count\":0"));
	assert_non_null(strstr(text, "\"of\":\"processes\",\"lives\":1,"));
	assert_non_null(strstr(text, "\"of\":\"processes\",\"lives\":0,"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_times), STORY(test_latency), STORY(test_conditions), STORY(test_threads), STORY(test_others), STORY(test_selection),
		STORY(test_idle), STORY(test_suppressed), STORY(test_lost), STORY(test_width), STORY(test_sums),
		cmocka_unit_test_setup_teardown(test_memory, story_setup_exiting, story_teardown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
