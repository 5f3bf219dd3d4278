// SPDX-License-Identifier: GPL-2.0-only
/* Tasks with an empty name, by prctl(PR_SET_NAME, ""), in every view; and unknown names. */
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A parent and its children, one killed by the parent and one left a zombie: none has a name. */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), parent, child, thread;

	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 100, "");
	child = story_fork(&parent, 101, "sh");
	story_put(exec_record(0, &child, 101, "/bin/sh"));
	story_put(rename_record(0, &child, ""));
	child.comm = "";
	thread = thread_of(&child, 102);
	story_put(clone_record(0, &thread, &init, &child));
	story_put(exit_record(0, &thread, 0, 1));
	story_put(free_record(0, &thread));
	machine->now += MS;
	story_put(signal_record(0, &child, SIGTERM, &parent));
	story_exit(&child, &parent, SIGTERM);
	machine->now += 2 * MS;
	story_wait(&parent);
	story_reap(&child, &parent);
	machine->now += MS;
	story_put(free_record(0, &child));
	for (uint32_t i = 0; i < 25; i++) {
		child = process_of_pid(200 + i, "");
		story_live(&child, &parent, MS, MS, MS);
	}
	child = story_fork(&parent, 103, "");
	story_exit(&child, &parent, 0);
	story_end();
}

static void expect_all(const char *options, const char *const *lines)
{
	struct output out = run_program(false, 0, "%s -i %s %s", program, folder.path, options);

	if (out.status)
		fail_msg("%s: status %d", options, out.status);
	for (; *lines; lines++) {
		if (!strstr(out.text, *lines))
			fail_msg("%s: '%s' is not in\n%s", options, *lines, out.text);
	}
	free(out.text);
}

#define EXPECT(options, ...) expect_all(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_text(void **state)
{
	(void)state;
	tell();
	EXPECT("--events", " \"\"               by init 1\n", " /bin/sh\n",
	       "sh -> \"\"\n", "SIGTERM from \"\" 100", "killed by SIGTERM from \"\" (100)",
	       "by \"\" 100, teardown");
	EXPECT("--tree --no-fold", " \"\"\n", " sh (\"\")  SIGTERM from \"\" (100)");
	EXPECT("--tree --threads", " {\"\"}");
	EXPECT("--latency", "  \"\" (101)", "\"\" (100) was not in wait()");
	EXPECT("--latency --by comm", "\n\"\", 1 alive, 1 zombie\n", "\ninit, 1 alive\n");
	EXPECT("--latency --by parent", "\n\"\", 1 zombie\n", "\ninit, 2 alive\n");
	EXPECT("--latency --by reaper", "\n\"\"\n", "\n(unknown), ");
	EXPECT("--latency --by comm --top 1", "\n1 more group, none with a higher p99 of exit_free; --top N shows N\n");
	EXPECT("--latency --by comm --threads", "\n\"\", 1 alive, 1 zombie\n");
	EXPECT("--parents", "\n\"\"                   100        27     342        26 ");
	EXPECT("--zombies", "      103  \"\"              status 0            \"\" (100), last called wait() ");
	EXPECT("--tree --comm ?*", " init  alive  + 28 processes below");
}

static void test_json(void **state)
{
	(void)state;
	tell();
	EXPECT("--json --events", "\"comm\":\"\"", "\"reaper_comm\":\"\"", "\"sender_comm\":\"\"");
	EXPECT("--json --tree --threads", "\"comm\":\"\"", "\"tid\":102,\"comm\":\"\"",
	       "\"killer\":{\"signal\":\"SIGTERM\",\"code\":0,\"pid\":100,\"tid\":100,\"comm\":\"\",\"thread_comm\":\"\",\"cause\":null,\"oom_scope\":null,\"oom_cgroup\":null}");
	EXPECT("--json --latency --by comm", "\"by\":\"comm\",\"group\":\"\"",
	       "\"reaper_comm\":\"\"");
	EXPECT("--json --latency --by parent", "\"group\":\"\"");
	EXPECT("--json --latency --by reaper", "\"group\":\"\"", "\"group\":null");
	EXPECT("--json --parents", "\"pid\":100,\"comm\":\"\"");
	EXPECT("--json --zombies", "\"pid\":103,\"comm\":\"\"", "\"reaper_comm\":\"\"");
}

/* Both runs differ in one group, which has no name. */
static void test_diff(void **state)
{
	struct who init = process_of_pid(1, "init"), child;
	char other[PATH_MAX], line[4 * PATH_MAX];
	struct output out;

	(void)state;
	tell();
	snprintf(other, sizeof(other), "%.1000s-2", folder.path);
	story_begin(other);
	for (uint32_t i = 0; i < 25; i++) {
		child = process_of_pid(200 + i, "");
		story_live(&child, &init, MS, 50 * MS, MS);
	}
	story_end();
	snprintf(line, sizeof(line), "%s --diff %s %s", program, folder.path, other);
	out = run_program(false, 0, "%s", line);
	assert_int_equal(out.status, 2);
	assert_non_null(strstr(out.text, "\n\"\"                       zombie    p50 "));
	free(out.text);
}

/* A name that was never seen is not an empty one. */
static void test_unknown(void **state)
{
	struct who stranger = process_of_pid(60, "never seen"), child;
	struct proclife_record record;

	(void)state;
	child = story_fork(&stranger, 61, "child");
	record = exit_record(0, &child, 0, 0);
	record.exit.parent_tgid = 60;
	story_put(record);
	record = notify_record(0, &child, &stranger);
	story_put(record);
	machine->now += 5 * MS;
	story_end();
	EXPECT("--events", " child            by 60\n");
	EXPECT("--parents", "\n(unknown)             60 ");
	EXPECT("--parents --json", "\"pid\":60,\"comm\":null");
	EXPECT("--latency", "its parent (60) has not reaped it for ");
	EXPECT("--latency --json", "\"reaper_comm\":null");
	EXPECT("--latency --by parent", "\n(unknown), 1 zombie\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_text),
		STORY(test_json),
		STORY(test_diff),
		STORY(test_unknown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
