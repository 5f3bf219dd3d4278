// SPDX-License-Identifier: GPL-2.0-only
/* What --zombies prints, to the last character: since when, and who should reap them. */
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void expect(const char *options, const char *text)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --zombies %s", program, folder.path, options);
	expect_output(false, 0, line, text);
}

#define HEAD "       FOR      PID  NAME            STATUS              TO BE REAPED BY\n"

static void put_zombie(uint32_t pid, const struct who *parent, const struct who *reaper)
{
	struct who child = story_fork(parent, pid, "child");

	story_exit(&child, reaper, (int32_t)(pid % 10) << 8);
	machine->now += 100 * MS;
}

static void tell(void)
{
	struct who init = process_of_pid(1, "init"), server, gone, child;
	struct proclife_record record;

	story_put(task_record(0, &init, &init));
	child = process_of_pid(60, "ancient");
	record = task_record(0, &child, &init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = SIGSEGV | 0x80;
	story_put(record);
	server = story_fork(&init, 100, "server");
	gone = story_fork(&init, 200, "gone");
	put_zombie(101, &server, &server);
	/* It waits, but for another one. */
	story_wait(&server);
	machine->now += 100 * MS;
	put_zombie(102, &server, &server);
	put_zombie(201, &gone, &init);
	child = story_fork(&gone, 202, "victim");
	story_put(signal_record(0, &child, SIGKILL, &server));
	record = exit_record(0, &child, SIGKILL, 0);
	record.exit.parent_tgid = gone.tgid;
	story_put(record);
	machine->now += 50 * MS;
	story_put(notify_record(0, &child, &gone));
	machine->now += 500 * MS;
	/* Reaped, so it is none of them. */
	story_exit(&gone, &init, 0);
	story_reap(&gone, &init);
	story_put(free_record(0, &gone));
}

#define ANCIENT ">   950 ms       60  ancient         killed by SIGSEGV, core dumped  init (1)\n"
#define FIRST	"    950 ms      101  child           status 1            " \
		"server (100), last called wait() 850 ms ago\n"
#define SECOND	"    750 ms      102  child           status 2            " \
		"server (100), last called wait() 850 ms ago\n"
#define ADOPTED "    650 ms      201  child           status 1            " \
		"init (1), by adoption from 200, has not called wait() since\n"
#define VICTIM	"    500 ms      202  victim          killed by SIGKILL from server (100)  " \
		"gone (200) is gone: init or a subreaper\n"

/* Its parent is a zombie itself, and has a name. */
static void test_dead_parent(void **state)
{
	struct who init = process_of_pid(1, "init"), parent, child;
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "father");
	child = story_fork(&parent, 101, "child");
	record = exit_record(0, &child, 0, 0);
	record.exit.parent_tgid = 100;
	story_put(record);
	story_put(notify_record(0, &child, &parent));
	story_exit(&parent, &init, 0);
	story_end();
	expect("--comm child", "1 zombie\n" HEAD "      4 ns      101  child           status 0            "
	       "father (100) is a zombie, too: init or a subreaper\n");
}

static void test_all(void **state)
{
	(void)state;
	tell();
	story_end();
	expect("", "5 zombies\n" HEAD ANCIENT FIRST SECOND ADOPTED VICTIM);
	expect("--top 2", "5 zombies\n" HEAD ANCIENT FIRST "3 younger ones\n");
	expect("--top 4", "5 zombies\n" HEAD ANCIENT FIRST SECOND ADOPTED "1 younger one\n");
	expect("--comm v*", "1 zombie\n" HEAD VICTIM);
	expect("--pid 200", "2 zombies\n" HEAD ADOPTED VICTIM);
}

static void test_none(void **state)
{
	struct who init = process_of_pid(1, "init"), child = process_of_pid(5, "child");

	(void)state;
	story_live(&child, &init, MS, MS, MS);
	story_end();
	expect("", "0 zombies\n");
}

/* What was suppressed before its last wait() hides no later one. */
static void test_suppressed_before(void **state)
{
	struct who init = process_of_pid(1, "init"), server;
	struct proclife_record record = { .type = PROCLIFE_SUPPRESSED };

	(void)state;
	story_put(task_record(0, &init, &init));
	server = story_fork(&init, 100, "server");
	put_zombie(101, &server, &server);
	record.suppressed.what = PROCLIFE_WAIT;
	record.suppressed.ended = 1;
	record.suppressed.since = machine->now - 10;
	record.suppressed.count = 5;
	story_put(record);
	machine->now += 50 * MS;
	story_wait(&server);
	machine->now += 200 * MS;
	story_end();
	expect("", "1 zombie\n" HEAD
	       "    350 ms      101  child           status 1            "
	       "server (100), last called wait() 200 ms ago\n");
}

/* The pid of the parent can have become somebody else's. */
static void test_reused_pid(void **state)
{
	struct who init = process_of_pid(1, "init"), parent;
	char line[3 * PATH_MAX];

	(void)state;
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "parent");
	put_zombie(101, &parent, &parent);
	story_exit(&parent, &init, 0);
	story_reap(&parent, &init);
	story_put(free_record(0, &parent));
	parent = story_fork(&init, 100, "another");
	story_wait(&parent);
	story_end();
	expect("", "1 zombie\n" HEAD
	       "    100 ms      101  child           status 1            "
	       "parent (100) is gone: init or a subreaper\n");
	snprintf(line, sizeof(line), "%s -i %s --parents --comm child", program, folder.path);
	expect_output(false, 0, line,
		      "PARENT               PID      BORN FORKS/s    REAPED DEAD CPU COALESCED IN WAIT "
		      "     p50      p99      MAX\n"
		      "parent               100         1    10.0         0                            "
		      "                            1 zombie for 100 ms, gone\n"
		      "FORKS/s: while it lived. DEAD CPU: of those reaped. COALESCED: ends whose signal\n"
		      "met one already pending. MAX: the longest that one of them was a zombie.\n");
}

/* Of what runs: it looks at what the rings hold, and ends at once. */
static void test_device(void **state)
{
	char line[2 * PATH_MAX];
	struct who init = process_of_pid(1, "init");
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	put_zombie(101, &init, &init);
	snprintf(line, sizeof(line), "%s --device /proc/%d/fd/%d --zombies", program, (int)getpid(),
		 machine->fd);
	out = run_program(false, 0, "%s", line);
	assert_int_equal(out.status, 0);
	assert_int_equal(strncmp(out.text, "1 zombie\n" HEAD, strlen("1 zombie\n" HEAD)), 0);
	assert_non_null(strstr(out.text, " 101  child           status 1            init (1)"));
	free(out.text);
}

static void waits_for(const struct who *who, uint32_t what, uint32_t wanted)
{
	struct proclife_record record = wait_record(0, who);

	record.wait.what = what;
	record.wait.wanted = wanted;
	story_put(record);
}

static void expect_in(uint32_t pid, const char *options, const char *text)
{
	struct output out = run_program(false, SIZE_MAX, "%s -i %s --zombies --comm child --pid %u %s", program,
					folder.path, pid, options);

	if (!strstr(out.text, text))
		print_error("ERROR: no %s in:\n%s", text, out.text);
	assert_non_null(strstr(out.text, text));
	free(out.text);
}

/* The parent has called wait(2) since, but not for this one, as far as is known. */
static void test_wanted(void **state)
{
	static const struct {
		uint32_t what, wanted;
		const char *text, *json;
	} waits[] = {
		{ PROCLIFE_WAIT_ANY, 0, "", "\"any\",\"reaper_wanted\":null" },
		{ PROCLIFE_WAIT_PID, 42, ", for PID 42, not for this one", "\"pid\",\"reaper_wanted\":42" },
		{ PROCLIFE_WAIT_PID, 205, ", for this one", "\"pid\",\"reaper_wanted\":205" },
		{ PROCLIFE_WAIT_PID, 0, ", for a PID that nobody has, not for this one",
		  "\"pid\",\"reaper_wanted\":null" },
		{ PROCLIFE_WAIT_GROUP, 42, ", for process group 42", "\"group\",\"reaper_wanted\":42" },
		{ PROCLIFE_WAIT_GROUP, 0, ", for a process group that nobody is in",
		  "\"group\",\"reaper_wanted\":null" },
		{ 0, 42, ", for PID or process group 42", "null,\"reaper_wanted\":42" },
		{ 0, 0, "", "null,\"reaper_wanted\":null" },
		{ PROCLIFE_WAIT_PID, UINT32_MAX, "", "null,\"reaper_wanted\":null" },
		{ 7, 42, ", for PID or process group 42", "null,\"reaper_wanted\":42" },
	};
	const uint32_t count = sizeof(waits) / sizeof(waits[0]);
	struct who init = process_of_pid(1, "init"), parent;
	char text[200];

	(void)state;
	story_put(task_record(0, &init, &init));
	for (uint32_t i = 0; i < count; i++) {
		parent = story_fork(&init, 100 + i, "parent");
		put_zombie(203 + i, &parent, &parent);
		waits_for(&parent, waits[i].what, waits[i].wanted);
	}
	machine->now += MS;
	story_end();
	for (uint32_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), " ago%s\n", waits[i].text);
		expect_in(203 + i, "", text);
		snprintf(text, sizeof(text), "\"reaper_wait\":%s}", waits[i].json);
		expect_in(203 + i, "--json", text);
	}
}

/* One of its threads has called wait(2) later, in a part of the recording that is not there: for whom is not known. */
static void test_wanted_before(void **state)
{
	struct who init = process_of_pid(1, "init"), parent;
	struct proclife_record past;

	(void)state;
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "parent");
	waits_for(&parent, PROCLIFE_WAIT_PID, 42);
	past = record_of(0, PROCLIFE_PAST, &parent);
	past.past.waited = machine->now;
	story_put(past);
	put_zombie(101, &parent, &parent);
	story_end();
	expect_in(101, "", " ago\n");
	expect_in(101, "--json", "\"reaper_wait\":null,\"reaper_wanted\":null}");
}

/* It was for the process that had the pid before. */
static void test_wanted_holder(void **state)
{
	struct who init = process_of_pid(1, "init"), parent, child;

	(void)state;
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "parent");
	child = story_fork(&parent, 101, "child");
	waits_for(&parent, PROCLIFE_WAIT_PID, 101);
	story_exit(&child, &parent, 0);
	story_reap(&child, &parent);
	story_put(free_record(0, &child));
	put_zombie(101, &parent, &parent);
	story_end();
	expect_in(101, "", " ago, for PID 101, not for this one\n");
}

/* It may have called wait(2) later, where records were lost. */
static void test_wait_lost(void **state)
{
	struct who init = process_of_pid(1, "init"), parent;

	(void)state;
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "parent");
	waits_for(&parent, PROCLIFE_WAIT_PID, 42);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_HANG, &init));
	put_zombie(101, &parent, &parent);
	story_end();
	expect_in(101, "", "parent (100), when it last called wait() is not known\n");
	expect_in(101, "--json", "\"reaper_waited\":null,\"reaper_wait\":null,\"reaper_wanted\":null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_all),
		STORY(test_dead_parent),
		STORY(test_none),
		STORY(test_suppressed_before),
		STORY(test_reused_pid),
		STORY(test_device),
		STORY(test_wanted),
		STORY(test_wanted_before),
		STORY(test_wanted_holder),
		STORY(test_wait_lost),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
