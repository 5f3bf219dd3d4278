// SPDX-License-Identifier: GPL-2.0-only
/* What --zombies prints, to the last character: since when, and which process should reap them. */
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
	/* It waits, but for another child. */
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
	/* Reaped, so it is not listed. */
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
	expect("--failed --comm ancient", "1 zombie\n" HEAD ANCIENT);
	expect("--signal SEGV", "1 zombie\n" HEAD ANCIENT);
	expect("--pid 200", "2 zombies\n" HEAD ADOPTED VICTIM);
}

/* Expects this part in a view's output. */
static void expect_of_program(const char *options, const char *part)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (!strstr(out.text, part))
		fail_msg("%s: no %s in %s", options, part, out.text);
	free(out.text);
}

/* It ended before the trace, and is no death in it, whatever is lost; its status is known. */
static void ended_before(bool lossy)
{
	struct who init = process_of_pid(1, "init"), old = process_of_pid(60, "ancient");
	struct proclife_record record = task_record(0, &old, &init);

	story_put(task_record(0, &init, &init));
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = 2 << 8;
	story_put(record);
	story_sync();
	for (uint32_t i = 0; lossy && i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_reap(&old, &init);
	story_put(free_record(0, &old));
	story_end();
	expect_of_program("--lives --json", "\"deaths\":0,");
	expect_of_program("--tree --json", "\"wait_status\":512,");
	expect_of_program("--tree", "status 2");
	expect_of_program("--lives --failed --json", "\"deaths\":0,\"matched\":0,");
}

static void test_ended_before(void **state)
{
	(void)state;
	ended_before(false);
}

static void test_ended_before_a_gap(void **state)
{
	(void)state;
	ended_before(true);
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

/* The parent's pid can have been reused. */
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

/* On a live device: it reads what the rings hold, and ends at once. */
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
		{ PROCLIFE_WAIT_PID, 0, ", for a PID that no process has, not for this one",
		  "\"pid\",\"reaper_wanted\":null" },
		{ PROCLIFE_WAIT_GROUP, 42, ", for process group 42", "\"group\",\"reaper_wanted\":42" },
		{ PROCLIFE_WAIT_GROUP, 0, ", for a process group without a process",
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

/* One of its threads has called wait(2) later, in a missing part of the recording: for which child is not known. */
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

/* The wait(2) was for the process that had the pid before. */
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

/* It may have called wait(2) later, when records were lost. */
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

static struct who put_held(uint32_t pid, const struct who *parent, const struct who *tracer)
{
	struct who child = story_fork(parent, pid, "child");
	struct proclife_record record = exit_record(0, &child, 0, 0);

	record.exit.parent_tgid = parent->tgid;
	story_put(record);
	record = notify_record(0, &child, tracer);
	record.flags |= PROCLIFE_F_TRACER;
	record.notify.parent_tgid = parent->tgid;
	machine->now += 30 * MS;
	story_put(record);
	return child;
}

#define HELD "debugger (50), which traces it: its parent builder (100) is not notified before it has waited"

/* A tracer has not waited for it: its parent is not blamed. */
static void test_held(void **state)
{
	struct who init = process_of_pid(1, "init"), builder, debugger;

	(void)state;
	story_put(task_record(0, &init, &init));
	debugger = story_fork(&init, 50, "debugger");
	builder = story_fork(&init, 100, "builder");
	put_held(101, &builder, &debugger);
	waits_for(&debugger, PROCLIFE_WAIT_PID, 42);
	machine->now += 500 * MS;
	story_end();
	expect("", "1 zombie\n" HEAD "    500 ms      101  child           status 0            " HELD
	       ", last called wait() 500 ms ago, for PID 42, not for this one\n");
	expect_of_program("--zombies --json", "\"tracer\":{\"pid\":50,\"comm\":\"debugger\",\"notified\":");
	expect_of_program("--latency", "    530 ms  child (101)               debugger (50), which traces it, "
		    "has not waited for it for 500 ms: so its parent is not notified\n");
	expect_of_program("--lives --sort zombie", "      ? child\n");
	expect_of_program("--lives --sort traced", " >500 ms child\n");
}

/* The tracer is gone, its PID is another process's, and no record shows that the parent was notified. */
static void test_held_by_who_is_gone(void **state)
{
	struct who init = process_of_pid(1, "init"), builder, debugger;

	(void)state;
	story_put(task_record(0, &init, &init));
	debugger = story_fork(&init, 50, "debugger");
	builder = story_fork(&init, 100, "builder");
	put_held(101, &builder, &debugger);
	story_exit(&debugger, &init, 0);
	story_reap(&debugger, &init);
	story_put(free_record(0, &debugger));
	story_fork(&init, 50, "another");
	story_end();
	expect("", "1 zombie\n" HEAD "      7 ns      101  child           status 0            " HELD
	       ", and is gone\n");
}

/* The tracer has released it: the parent is notified. */
static void test_let_go(void **state)
{
	struct who init = process_of_pid(1, "init"), builder, debugger, child;

	(void)state;
	story_put(task_record(0, &init, &init));
	debugger = story_fork(&init, 50, "debugger");
	builder = story_fork(&init, 100, "builder");
	child = put_held(101, &builder, &debugger);
	machine->now += 10 * MS;
	story_put(notify_record(0, &child, &builder));
	child = put_held(102, &builder, &debugger);
	machine->now += 10 * MS;
	story_put(notify_record(0, &child, &builder));
	story_reap(&child, &builder);
	story_put(free_record(0, &child));
	machine->now += 460 * MS;
	story_end();
	expect("", "1 zombie\n" HEAD "    500 ms      101  child           status 0            "
	       "builder (100), has not called wait() since\n");
	expect_of_program("--zombies --json", "\"tracer\":null,");
	expect_of_program("--latency", "builder (100) has not reaped it for 500 ms\n");
	expect_of_program("--latency", "   40.0 ms  child (102)               "
		    "teardown: its tracer was notified 30.0 ms after its exit");
}

/* No parent is notified before the trace ends: it is no zombie, but one of the slowest. */
static void test_dying(void **state)
{
	struct who init = process_of_pid(1, "init"), child;
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	child = story_fork(&init, 101, "child");
	record = exit_record(0, &child, 0, 0);
	record.exit.parent_tgid = 1;
	story_put(record);
	machine->now += 300 * MS;
	story_end();
	expect("", "0 zombies\n");
	expect_of_program("--latency", "    300 ms  child (101)               "
		    "teardown: its parent has not been notified for 300 ms");
}

static void put_ignored(const struct who *who, const struct who *heir, const struct who *releaser)
{
	struct proclife_record record = notify_record(0, who, heir);

	record.flags |= PROCLIFE_F_AUTOREAP;
	record.notify.autoreap = PROCLIFE_AUTOREAP_NOCLDWAIT;
	record.notify.parent_tgid = heir->tgid;
	story_put(record);
	story_reap(who, releaser);
}

/* Its parent leaves it to a process that need not reap it: that one is named, not the parent. */
static void test_left_to_who_ignores(void **state)
{
	struct who init = process_of_pid(1, "init"), heir, first, parent, child, other;
	struct proclife_record record;

	(void)state;
	story_put(task_record(0, &init, &init));
	heir = story_fork(&init, 60, "heir");
	parent = story_fork(&heir, 100, "parent");
	child = story_fork(&parent, 101, "child");
	story_exit(&child, &parent, 0);
	machine->now += 200 * MS;
	put_ignored(&child, &heir, &parent);
	story_put(free_record(0, &child));
	other = story_fork(&parent, 103, "other");
	story_exit(&other, &parent, 0);
	machine->now += 150 * MS;
	put_ignored(&other, &heir, &parent);
	story_exit(&heir, &init, 0);
	story_reap(&heir, &init);
	story_put(free_record(0, &heir));
	story_fork(&init, 60, "another"); /* has the PID of the heir before RCU frees it */
	story_put(free_record(0, &other));
	first = process_of_pid(70, "pause");
	record = fork_record(0, &first, &init);
	record.fork.ns_pid = 1;
	story_put(record);
	parent = story_fork(&first, 71, "sh");
	child = story_fork(&parent, 102, "inmate");
	story_exit(&child, &parent, 0);
	machine->now += 100 * MS;
	story_exit(&first, &init, 0);
	put_ignored(&child, &first, &parent);
	story_put(free_record(0, &child));
	story_end();
	expect_of_program("--latency", " after its exit, by parent (100): heir (60) has SA_NOCLDWAIT\n");
	expect_of_program("--latency", " after its exit, by parent (100): (60) has SA_NOCLDWAIT\n");
	expect_of_program("--latency", " after its exit, by sh (71): "
		    "pause (70), the init of its pid namespace, was ending\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_all),
		STORY(test_dead_parent),
		STORY(test_ended_before),
		STORY(test_ended_before_a_gap),
		STORY(test_none),
		STORY(test_suppressed_before),
		STORY(test_reused_pid),
		STORY(test_device),
		STORY(test_wanted),
		STORY(test_wanted_before),
		STORY(test_wanted_holder),
		STORY(test_wait_lost),
		STORY(test_held),
		STORY(test_held_by_who_is_gone),
		STORY(test_let_go),
		STORY(test_dying),
		STORY(test_left_to_who_ignores),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
