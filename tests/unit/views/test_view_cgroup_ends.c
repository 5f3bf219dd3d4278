// SPDX-License-Identifier: GPL-2.0-only
/* --latency --by cgroup of a cgroup that ended. */
#include "fake_device.h"
#include "marks.h"
#include "story.h"

#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER 40

static struct who init, engine, pid1, worker;

static int begin_with(void **state, uint64_t features)
{
	int ret;

	story_features = features;
	ret = story_setup(state);
	story_features = WITHOUT_EXITING;
	init = process_of_pid(1, "init");
	engine = process_of_pid(50, "engine");
	story_put(task_record(0, &init, &init));
	story_put(task_record(0, &engine, &init));
	return ret;
}

static int begin(void **state)
{
	return begin_with(state, PROCLIFE_KNOWN_TYPES);
}

static int begin_without(void **state)
{
	return begin_with(state, PROCLIFE_KNOWN_TYPES & ~PROCLIFE_HAS(PROCLIFE_CGROUP));
}

#define VIEW(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)
#define WITHOUT(name) cmocka_unit_test_setup_teardown(name, begin_without, story_teardown)

static struct who joins(uint32_t pid, const char *comm)
{
	struct who who = process_of_pid(pid, comm);
	struct proclife_record record = fork_record(0, &who, &engine);

	record.fork.cgroup = CONTAINER;
	story_put(record);
	return who;
}

static void killed(uint64_t ms, const struct who *who, const struct who *by)
{
	story_at(ms);
	story_put(signal_record(0, who, SIGKILL, by));
}

static void begins_to_exit(uint64_t ms, const struct who *who)
{
	struct proclife_record record = record_of(0, PROCLIFE_EXITING, who);

	record.flags |= PROCLIFE_F_GROUP_EXIT | PROCLIFE_F_SOLE;
	story_at(ms);
	story_put(record);
}

static void exits(uint64_t ms, uint64_t takes, const struct who *who, int32_t code)
{
	begins_to_exit(ms, who);
	story_at(ms + takes);
	story_exit(who, &engine, code);
}

static void reaped(uint64_t ms, const struct who *who, const struct who *by)
{
	struct proclife_record record = reap_record(0, who, by);

	record.reap.cgroup = CONTAINER;
	story_at(ms);
	story_put(record);
	story_put(free_record(0, who));
}

static void populated(uint64_t ms, bool populated)
{
	story_at(ms);
	story_put(cgroup_record(0, CONTAINER, populated));
}

/* Its first process is killed, and the one that takes longest is not the last that begins to exit. */
static void tell_whole(bool with_cgroup)
{
	if (with_cgroup)
		populated(10, true);
	pid1 = joins(201, "pid1");
	worker = joins(202, "worker");
	killed(100, &pid1, &engine);
	killed(101, &worker, &pid1);
	begins_to_exit(102, &worker);
	exits(110, 5, &pid1, SIGKILL);
	reaped(120, &pid1, &engine);
	story_at(1301);
	if (with_cgroup)
		populated(1301, false);
	story_exit(&worker, &engine, SIGKILL);
	reaped(1400, &worker, &engine);
}

static void end_story(void)
{
	story_end();
	story_cgroups(folder.path, "40 /containers/web\n77 /\n");
}

/* Expects these lines of the text, from the one that begins with @first. */
static void expect_lines(const char *options, const char *first, const char *text)
{
	struct output out = run_program(false, 0, "%s -i %s --latency --by cgroup %s", program,
					folder.path, options);
	const char *at = strstr(out.text, first);

	if (!at || strncmp(at, text, strlen(text)))
		fail_msg("%s:\n%s\nwithout\n%s", options, out.text, text);
	free(out.text);
}

static void expect_without(const char *options, const char *text)
{
	struct output out = run_program(false, 0, "%s -i %s --latency --by cgroup %s", program,
					folder.path, options);

	if (strstr(out.text, text))
		fail_msg("%s:\n%s\nhas\n%s", options, out.text, text);
	free(out.text);
}

static const char told[] = "first SIGKILL      1.100000000  pid1 (201), from engine (50)\n"
			   "  last exit             +2.00 ms  worker (202), parent notified at +1.20 s\n"
			   "  last reap              +1.30 s  worker (202), by engine (50)\n";

static void test_text(void **state)
{
	char all[1000];

	(void)state;
	tell_whole(true);
	end_story();
	snprintf(all, sizeof(all), "%s  empty                  +1.20 s\n/", told);
	expect_lines("--monotonic", "first", all);
	expect_without("", "cgroups=Y");
	expect_without("", "incomplete");
	/* The others of its cgroup count, too. */
	expect_lines("--monotonic --comm pid1", "first", told);
}

static void test_json(void **state)
{
	(void)state;
	tell_whole(true);
	end_story();
	expect_lines("--json", "{\"v\":1,\"type\":\"cgroup_end\"",
		     "{\"v\":1,\"type\":\"cgroup_end\",\"group\":\"/containers/web\",\"cgroup\":40,"
		     "\"processes\":2,\"killed\":1100000000,\"killed_pid\":201,\"killed_comm\":\"pid1\","
		     "\"killer\":{\"signal\":\"SIGKILL\",\"code\":0,\"pid\":50,\"tid\":50,\"comm\":\"engine\",\"thread_comm\":\"engine\",\"cause\":null,\"oom_scope\":null,\"oom_cgroup\":null},"
		     "\"last_pid\":202,\"last_comm\":\"worker\",\"exited\":1102000000,"
		     "\"notified\":2301000002,\"reaped\":2400000000,\"reaped_pid\":202,"
		     "\"reaped_comm\":\"worker\",\"reaper_pid\":50,\"reaper_comm\":\"engine\","
		     "\"empty\":2301000000,\"incomplete\":false}\n");
}

/* No process was killed, and a zombie is left: the cgroup's end begins with the last exit. */
static void test_left(void **state)
{
	(void)state;
	populated(10, true);
	pid1 = joins(201, "pid1");
	exits(100, 5, &pid1, 0);
	populated(106, false);
	end_story();
	expect_lines("--monotonic", "/containers/web",
		     "/containers/web, 1 zombie\n"
		     "  teardown                 1  5.00 ms                                      5.00 ms\n"
		     "  last exit          1.100000000  pid1 (201), parent notified at +5.00 ms\n"
		     "  empty                 +6.00 ms\n");
	expect_lines("--json", "\"killed\"", "\"killed\":null,\"killed_pid\":0,\"killed_comm\":null,\"killer\":null,");
	expect_lines("--json", "\"reaped\":null,\"reaped_pid\"",
		     "\"reaped\":null,\"reaped_pid\":null,\"reaped_comm\":null,\"reaper_pid\":null,\"reaper_comm\":null,");
}

/* It released itself, and was exiting already when it was sent the signal. */
static void test_released(void **state)
{
	(void)state;
	populated(10, true);
	pid1 = joins(201, "pid1");
	begins_to_exit(100, &pid1);
	killed(103, &pid1, &engine);
	story_at(104);
	story_put(exit_record(0, &pid1, 0, 0));
	reaped(105, &pid1, &pid1);
	populated(107, false);
	end_story();
	expect_lines("--monotonic", "  last exit",
		     "  last exit             -3.00 ms  pid1 (201)\n"
		     "  last reap             +2.00 ms  pid1 (201), by itself\n");
}

/*
 * Its parent ignores SIGCHLD, so it releases itself; another one's is notified later,
 * and reaps before. The last to exit is not the last that is reaped.
 */
static void test_released_last(void **state)
{
	(void)state;
	populated(10, true);
	pid1 = joins(201, "pid1");
	worker = joins(202, "worker");
	begins_to_exit(100, &pid1);
	begins_to_exit(101, &worker);
	story_at(105);
	story_exit(&pid1, &engine, 0);
	story_at(107);
	story_exit(&worker, &engine, 0);
	reaped(108, &worker, &engine);
	reaped(109, &pid1, &pid1);
	populated(110, false);
	end_story();
	expect_lines("--monotonic", "  last exit",
		     "  last exit          1.101000000  worker (202), parent notified at +6.00 ms\n"
		     "  last reap             +8.00 ms  pid1 (201), by itself\n");
	expect_lines("--json", "\"last_pid\"", "\"last_pid\":202,");
	expect_lines("--json", "\"reaped_pid\"", "\"reaped_pid\":201,\"reaped_comm\":\"pid1\",");
}

/* What is not recorded is not made up, but the output says how to record it. */
static void test_without(void **state)
{
	char all[1000];

	(void)state;
	tell_whole(false);
	end_story();
	snprintf(all, sizeof(all), "%s/, 2 alive\n", told);
	expect_lines("--monotonic", "first", all);
	expect_lines("", "When cgroups became empty",
		     "When cgroups became empty is not recorded; load the module with cgroups=Y.\n");
	expect_lines("--json", "\"empty\"", "\"empty\":null,\"incomplete\":false}\n");
}

static void test_alive(void **state)
{
	(void)state;
	populated(10, true);
	pid1 = joins(201, "pid1");
	worker = joins(202, "worker");
	exits(100, 5, &pid1, 0);
	reaped(110, &pid1, &engine);
	end_story();
	expect_without("", "last exit");
	expect_without("--json", "cgroup_end");
}

/* No process is known to be in it, but others can have been moved there: no CGROUP shows that it is empty. */
static void test_not_empty(void **state)
{
	(void)state;
	populated(10, true);
	pid1 = joins(201, "pid1");
	exits(100, 5, &pid1, 0);
	reaped(110, &pid1, &engine);
	end_story();
	expect_without("", "last exit");
}

/* Loses records of another CPU. */
static void lose(void)
{
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
}

static void test_lost(void **state)
{
	(void)state;
	tell_whole(true);
	lose();
	end_story();
	expect_lines("", "  incomplete", "  incomplete: records that are missing can make this wrong\n");
	expect_lines("--json", "\"incomplete\":true", "\"incomplete\":true}");
}

/* Whether one of its processes still lives is not known: then neither is the end of the cgroup. */
static void test_one_unknown(void **state)
{
	(void)state;
	pid1 = joins(201, "pid1");
	worker = joins(202, "worker");
	lose();
	exits(100, 5, &pid1, 0);
	reaped(110, &pid1, &engine);
	end_story();
	expect_without("", "last exit");
	expect_without("--json", "cgroup_end");
}

/* With several recordings, an end would belong to one of them. */
static void test_several(void **state)
{
	char other[2 * PATH_MAX], options[3 * PATH_MAX];

	(void)state;
	tell_whole(true);
	end_story();
	snprintf(other, sizeof(other), "%s/other", folder.base);
	story_features = PROCLIFE_KNOWN_TYPES;
	story_begin(other);
	story_features = WITHOUT_EXITING;
	story_put(task_record(0, &init, &init));
	story_end();
	snprintf(options, sizeof(options), "-i %s", other);
	expect_without(options, "last exit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VIEW(test_text), VIEW(test_json), VIEW(test_left), VIEW(test_released),
		VIEW(test_released_last), WITHOUT(test_without), VIEW(test_alive),
		VIEW(test_not_empty), VIEW(test_lost), WITHOUT(test_one_unknown),
		VIEW(test_several),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
