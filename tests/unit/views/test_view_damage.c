// SPDX-License-Identifier: GPL-2.0-only
/* A damaged recording, and one that is still running: the output, messages and status of each view. */
#include "story.h"

#include <fcntl.h>
#include <recording/ctf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Standard output or standard error of a replay, which must end with this status. */
static char *show(bool errors, int status, const char *options)
{
	struct output out = run_program(errors, 0, "%s -i %s %s%s", program, folder.path, options,
					strstr(options, "--json") ? "" : " --monotonic");

	if (out.status != status)
		fail_msg("%s: status %d:\n%s", options, out.status, out.text);
	return out.text;
}

static void expect(bool errors, int status, const char *options, const char *part)
{
	char *text = show(errors, status, options);

	if (!strstr(text, part))
		fail_msg("%s: not '%s', but:\n%s", options, part, text);
	free(text);
}

#define PROCESSES 40
#define BAD 10 /* the process that is touched */

static void put_on_1(struct proclife_record record)
{
	story_put_on(1, record);
	machine->now += 10;
}

/* On CPU 1: sleepers, one after the other; 5 records of each. On CPU 0: one that outlives them. */
static void happen(void)
{
	struct who init = process_of_pid(1, "init"), server;

	story_put(task_record(0, &init, &init));
	server = story_fork(&init, 100, "server");
	for (uint32_t i = 0; i < PROCESSES; i++) {
		struct who who = process_of_pid(1000 + i, "sleeper");

		put_on_1(fork_record(0, &who, &server));
		put_on_1(exit_record(0, &who, 0, 0));
		put_on_1(notify_record(0, &who, &server));
		put_on_1(reap_record(0, &who, &server));
		put_on_1(free_record(0, &who));
	}
	story_put(exit_record(0, &server, 0, 0));
}

static void tell(void)
{
	happen();
	story_end();
}

static uint64_t at_record(uint32_t process, uint32_t record)
{
	return 128 * (1 + 5 * process + record);
}

/* The EXIT of a process in the middle. */
static void test_bad_byte(void **state)
{
	static const char said[] = "/cpu_1: damaged at byte 6656: a record that cannot have been "
				   "written; 1 record is lost between 1.000000", *const views[] = {
		"--tree", "--latency", "--parents", "--zombies", "--events", "--tree --json",
	};
	char *text;

	(void)state;
	tell();
	expect(false, 0, "--expect lost==0 --expect life.count==41", "ok");
	file_patch(folder.path, "cpu_1", at_record(BAD, 1) + 9, "\xff", 1);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		expect(true, 3, views[i], said);
		expect(true, 3, views[i], "copy the recording again from where it was made\n");
	}
	expect(false, 3, "--tree --no-fold", "1039");
	expect(false, 3, "--tree --no-fold", "1000");
	expect(false, 3, "--tree", "sleeper  status ?, incomplete");
	expect(false, 3, "--latency", "40");
	expect(false, 3, "--parents", "server");
	expect(false, 3, "--events", "-- 1 record lost on CPU 1 between 1.000000");
	expect(false, 3, "--expect life.count==40 --expect lost==1", "ok");
	expect(false, 2, "--expect lost==0", "FAILED");
	/* Only lives that the gap touches are incomplete. */
	text = show(false, 3, "--tree --json");
	for (uint32_t i = 0; i < PROCESSES; i++) {
		char name[32], *line;

		snprintf(name, sizeof(name), "\"pid\":%u,", 1000 + i);
		line = strstr(text, name);
		assert_non_null(line);
		assert_int_equal(strstr(line, i == BAD ? "\"incomplete\":true" :
							 "\"incomplete\":false") <
					 strchr(line, '\n'),
				 true);
	}
	assert_non_null(strstr(text, "{\"v\":1,\"type\":\"damage\",\"recording\":\""));
	assert_non_null(strstr(text, "\"stream\":\"cpu_1\",\"what\":\"a record that cannot have been "
				     "written\",\"at\":6656,\"places\":1,\"lost\":1,"
				     "\"estimated\":false,"));
	assert_non_null(strstr(text, "\"lost\":1,\"suppressed\""));
	free(text);
	/* The next record, too. */
	file_patch(folder.path, "cpu_1", at_record(BAD, 2) + 9, "\xff", 1);
	expect(false, 3, "--tree --json", "\"at\":6656,\"places\":1,\"lost\":2,");
	/* And elsewhere. */
	file_patch(folder.path, "cpu_1", at_record(BAD + 5, 1) + 9, "\xff", 1);
	expect(true, 3, "--tree", "/cpu_1: damaged at byte 6656 and at 1 more place: a record that cannot");
	file_patch(folder.path, "cpu_1", at_record(BAD + 10, 1) + 9, "\xff", 1);
	expect(true, 3, "--tree", "/cpu_1: damaged at byte 6656 and at 2 more places: a record that cannot");
}

/* The other streams are read to their end, however long the search for more packets takes. */
static void test_long_garbage(void **state)
{
	static char garbage[24 << 20];
	const uint32_t magic = PROCLIFE_CTF_MAGIC;

	(void)state;
	happen();
	story_sync();
	story_abandon();
	for (size_t i = 0; i < sizeof(garbage); i += 128)
		memcpy(garbage + i, &magic, sizeof(magic));
	file_patch(folder.path, "cpu_1", at_record(PROCESSES, 0), garbage, sizeof(garbage));
	expect(true, 3, "--tree", "/cpu_1: damaged at byte ");
	expect(false, 3, "--tree --no-fold", "1039");
	expect(false, 3, "--info", "\nprocesses    42: 41 born in it, 1 older; 41 ended in it\n");
}

static void test_file_too_short(void **state)
{
	(void)state;
	tell();
	file_cut(folder.path, "cpu_1", at_record(PROCESSES - 1, 4) + 127);
	expect(true, 3, "--tree", "/cpu_1: damaged at byte ");
	expect(true, 3, "--tree", ": the file ends too early; 1 record is lost between 1.");
	expect(false, 3, "--tree --no-fold", "1039");
	expect(false, 3, "--expect lost==1 --expect life.count==41", "ok");
}

/* A foreign stream: no loss is known, but the status is not 0. */
static void test_stray_stream(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	tell();
	metadata_set(folder.path, "cpus", "9");
	snprintf(line, sizeof(line), "cp %s/cpu_1 %s/cpu_5", folder.path, folder.path);
	assert_int_equal(system(line), 0);
	expect(true, 3, "--tree", "/cpu_5: it is no part of this recording");
	expect(false, 3, "--expect lost==0", "ok");
}

/* Two of them added up, and compared. */
static void test_several(void **state)
{
	char line[4 * PATH_MAX], second[2 * PATH_MAX];
	struct output out;

	(void)state;
	tell();
	snprintf(second, sizeof(second), "%s/second", folder.base);
	story_begin(second);
	tell();
	file_patch(second, "cpu_1", at_record(BAD, 1) + 9, "\xff", 1);
	snprintf(line, sizeof(line), "-i %s --expect lost==1 --expect life.count==81", second);
	expect(false, 3, line, "ok");
	expect(true, 3, line, "/second/cpu_1: damaged at byte 6656: ");
	out = run_program(true, 0, "%s --diff %s %s", program, folder.path, second);
	assert_int_equal(out.status, 3);
	assert_non_null(strstr(out.text, "/second/cpu_1: damaged at byte 6656: "));
	free(out.text);
}

/* The second one's recorder was killed. */
static void test_second_cut_off(void **state)
{
	char line[3 * PATH_MAX], second[2 * PATH_MAX];
	struct who init = process_of_pid(1, "init");

	(void)state;
	tell();
	snprintf(second, sizeof(second), "%s/second", folder.base);
	snprintf(line, sizeof(line), "-i %s --latency", second);
	story_begin(second);
	story_fork(&init, 100, "first");
	story_sync();
	story_abandon();
	expect(true, 3, line, "/second: the recording was cut off");
}

/* The recorder is running, in this process; then it is gone. */
static void test_running(void **state)
{
	struct who init = process_of_pid(1, "init");
	char *text;

	(void)state;
	expect(true, 0, "--tree", ": still running: there is nothing in it yet\n");
	story_fork(&init, 100, "first");
	story_sync();
	story_fork(&init, 200, "second");
	expect(true, 0, "--tree", ": still running: this is what is there so far, up to 1.000000002\n");
	expect(false, 0, "--events", " first");
	expect(false, 0, "--expect lost==0", "ok");
	text = show(false, 0, "--events --json");
	assert_non_null(strstr(text, "\"reason\":\"running\",\"lost\":0,"));
	assert_null(strstr(text, "second"));
	free(text);
	story_sync();
	expect(false, 0, "--events", " second");
	story_abandon();
	expect(true, 3, "--tree", ": the recording was cut off: ");
	expect(false, 3, "--events --json", "\"reason\":\"cut\"");
}

/*
 * A gap can hide a thread that exited later: the time of the exit is not certain, but the failure is, as it
 * was reaped. The EXIT of the other one is lost.
 */
static void test_failed_beside_a_gap(void **state)
{
	struct who init = process_of_pid(1, "init"), failing, other = process_of_pid(1000, "sleeper");
	char *text;

	(void)state;
	story_put(task_record(0, &init, &init));
	failing = story_fork(&init, 100, "failing");
	put_on_1(fork_record(0, &other, &init));
	put_on_1(exit_record(0, &other, 0, 0));
	story_exit(&failing, &init, 1 << 8);
	put_on_1(notify_record(0, &other, &init));
	story_reap(&failing, &init);
	put_on_1(reap_record(0, &other, &init));
	story_put(free_record(0, &failing));
	put_on_1(free_record(0, &other));
	story_end();
	file_patch(folder.path, "cpu_1", at_record(0, 1) + 9, "\xff", 1);
	text = show(false, 3, "--tree --json");
	assert_non_null(strstr(strstr(text, "\"pid\":100,"), "\"exited\":null,"));
	assert_non_null(strstr(strstr(text, "\"pid\":100,"), "\"wait_status\":256,"));
	free(text);
	expect(false, 3, "--lives --failed", " failing");
	expect(false, 3, "--tree", "failing  status 1, incomplete");
	expect(false, 3, "--tree --failed", "failing  status 1, incomplete");
	expect(false, 3, "--tree", "3 processes, 1 failed; ");
	expect(false, 3, "--tree --min-life 1h", "3 processes, 1 failed; ");
	expect(false, 3, "--summary", "\n1 process ended, 1 failed, 1 did not (CPU not known), the end of "
	       "1 is not certain; CPU ");
	expect(false, 3, "--expect failed==1", "ok");
}

/* A part of a recording that keeps the latest, whose earlier parts are gone: what ended before is not there. */
static void test_older_parts_gone(void **state)
{
	static const char said[] = ": whole since 1.000000", *const views[] = { "--tree", "--summary", "--parents",
										   "--latency", "--lives" };
	char *text;

	(void)state;
	tell();
	expect(false, 0, "--tree", " CPUs)");
	expect(false, 0, "--parents", "e+0"); /* FORKS/s */
	metadata_set(folder.path, "part", "7");
	metadata_set(folder.path, "began", "1000000200");
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		expect(true, 0, views[i], said);
	text = show(false, 0, "--tree");
	assert_null(strstr(text, " CPUs)")); /* some of the missing CPUs worked, too */
	free(text);
	text = show(false, 0, "--parents"); /* its number of forks is not known, either */
	assert_null(strstr(text, "e+0"));
	free(text);
	expect(false, 0, "--info --json", "\"part\":7,\"parts\":1,\"first\":1000000200,");
	expect(false, 0, "--info", "whole since  1.000000200");
	text = show(true, 0, "--tree --from 1.001");
	assert_null(strstr(text, said));
	free(text);
}

/* Its last part ended because another one follows, but the recorder was killed before that; or it is at work. */
static void test_part_without_next(void **state)
{
	static const char *const views[] = {
		"--lives", "--tree", "--events", "--summary", "--latency", "--parents", "--zombies", "--info",
		"--html %s/page.html", "--metrics %s/metrics.prom", "--slice %s/slice",
	};
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[2 * PATH_MAX], part[3 * PATH_MAX], line[4 * PATH_MAX];
	int fd;

	(void)state;
	tell();
	snprintf(path, sizeof(path), "%s/flight", folder.base);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(part, sizeof(part), "%s/00000001", path);
	story_begin(part);
	tell();
	metadata_set(part, "part", "1");
	metadata_set(part, "reason", "\"part\"");
	strcpy(folder.path, path);
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		snprintf(line, sizeof(line), views[i], folder.base); /* NOLINT */
		free(show(false, 3, line));
	}
	expect(true, 3, "--tree", "/flight: the recording was cut off: its recorder did not finish; from ");
	expect(false, 3, "--tree --json", "\"reason\":\"cut\"");
	expect(false, 3, "--info", "\nstate        cut off: its recorder did not finish; records are missing from ");
	expect(false, 3, "--info --json", "\"state\":\"cut\",\"reason\":null,");
	snprintf(line, sizeof(line), "--info -i %s/slice", folder.base);
	expect(false, 3, line, "/slice\n");

	snprintf(line, sizeof(line), "%s/metadata", part);
	fd = open(line, O_RDWR);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
	expect(true, 0, "--tree", "/flight: still running: this is what is there so far, up to ");
	expect(false, 0, "--tree --json", "\"reason\":\"running\"");
	expect(false, 0, "--info", "\nstate        still running");
	expect(false, 0, "--info --json", "\"state\":\"running\",\"reason\":null,");
	close(fd);
	strcpy(folder.path, part);
	expect(false, 0, "--info", "\nstate        complete, because another part follows\n");
}

/*
 * It was cut off, so its end is not known. Its last life ended at the latest possible time; or later,
 * which no view shows. Sums with that time must not wrap.
 */
static void look_far(uint64_t ms)
{
	static const char *const views[] = {
		"--lives", "--tree", "--events", "--summary", "--critical-path", "--latency", "--parents", "--zombies",
		"--info", "--summary --json", "--critical-path --json", "--latency --interval 1s", "--html %s/page.html",
		"--export perfetto", "--metrics %s/metrics.prom", "--on life>1s --on zombie>1s", "--slice %s/slice",
	};
	struct who init = process_of_pid(1, "init"), who;

	story_put(task_record(0, &init, &init));
	who = story_fork(&init, 100, "far");
	story_sync();
	story_at(ms);
	story_exit(&who, &init, 0);
	story_bury(&who, &init);
	story_sync();
	story_abandon();
	metadata_set(folder.path, "to_realtime", "\"0x1797a6ae3e3a0000\"");
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		char options[2 * PATH_MAX];

		snprintf(options, sizeof(options), views[i], folder.base); /* NOLINT */
		free(show(false, 3, options));
	}
}

static void test_far(void **state)
{
	(void)state;
	look_far(INT64_MAX / MS - 2000);
}

static void test_too_far(void **state)
{
	(void)state;
	look_far(UINT64_MAX / MS - 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_far),
		STORY(test_too_far),
		STORY(test_bad_byte),
		STORY(test_file_too_short),
		STORY(test_stray_stream),
		STORY(test_long_garbage),
		STORY(test_several),
		STORY(test_second_cut_off),
		STORY(test_running),
		STORY(test_part_without_next),
		STORY(test_older_parts_gone),
		STORY(test_failed_beside_a_gap),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
