// SPDX-License-Identifier: GPL-2.0-only
/* JSON: `pid` is the process and `tid` the thread, and a wait status is decoded, in every view. */
#include "story.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who fork_thread(const struct who *process, uint32_t tid)
{
	struct who thread = thread_of(process, tid);

	story_put(clone_record(0, &thread, process, process));
	return thread;
}

/* Processes 100, 200 and 300; their threads have the following numbers. */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), parent, creator, child, thread, reaper;
	struct proclife_record record;

	story_put(task_record(0, &init, &init));
	child = process_of_pid(60, "old");
	record = task_record(0, &child, &init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.exit_code = SIGSEGV | 0x80;
	story_put(record);
	parent = story_fork(&init, 100, "parent");
	creator = fork_thread(&parent, 101);
	reaper = fork_thread(&parent, 102);
	child = process_of_pid(200, "child");
	record = clone_record(0, &child, &parent, &creator);
	record.fork.ns_pid = 7;
	story_put(record);
	thread = fork_thread(&child, 201);
	story_put(exit_record(0, &thread, 3 << 8, 1));
	machine->now += MS;
	story_put(free_record(0, &thread));
	story_put(signal_record(0, &child, SIGKILL, &creator));
	story_exit(&child, &parent, SIGKILL);
	story_put(reap_record(0, &child, &reaper));
	machine->now += MS;
	story_put(free_record(0, &child));
	thread = fork_thread(&parent, 103);
	child = process_of_pid(100, "exec");
	record = exec_record(0, &parent, 103, "/bin/exec");
	story_put(record);
	child = story_fork(&parent, 300, "status");
	story_exit(&child, &parent, 255 << 8);
	child = story_fork(&parent, 301, "real-time");
	story_exit(&child, &parent, 34);
	story_end();
}

/* Expects each of these parts in a line that has the first one as well. */
static void expect_all(const char *options, const char *const *parts)
{
	struct output out = run_program(false, 0, "%s -i %s --json %s", program, folder.path,
					options);
	char *line = strstr(out.text, parts[0]);

	assert_int_equal(out.status, 0);
	if (!line)
		fail_msg("%s: '%s' is not in\n%s", options, parts[0], out.text);
	while (line > out.text && line[-1] != '\n')
		line--;
	*strchr(line, '\n') = '\0';
	for (parts++; *parts; parts++) {
		if (!strstr(line, *parts))
			fail_msg("%s: '%s' is not in\n%s", options, *parts, line);
	}
	free(out.text);
}

#define EXPECT(options, ...) expect_all(options, (const char *const[]){ __VA_ARGS__, NULL })

static void test_pids(void **state)
{
	(void)state;
	tell();
	EXPECT("--events", "\"tid\":201,\"pid\":200,\"comm\":", "\"type\":\"fork\"",
	       "\"thread\":true", "\"parent_pid\":200");
	EXPECT("--events", "\"tid\":200,\"pid\":200,\"comm\":", "\"parent_tid\":100",
	       "\"parent_pid\":100", "\"creator_tid\":101,\"creator_pid\":100", "\"ns_tid\":7");
	EXPECT("--events", "\"type\":\"exec\"", "\"old_tid\":103");
	EXPECT("--events", "\"type\":\"exit\"", "\"tid\":201,\"pid\":200", "\"parent_pid\":");
	EXPECT("--events", "\"type\":\"reap\"", "\"reaper_tid\":102,\"reaper_pid\":100");
	EXPECT("--events", "\"type\":\"signal\"", "\"tid\":200,\"pid\":200",
	       "\"sender_tid\":101,\"sender_pid\":100");
	EXPECT("--events", "\"type\":\"task\"", "\"tid\":1,\"pid\":1");
	EXPECT("--tree", "\"pid\":200", "\"parent_pid\":100", "\"creator_pid\":100", "\"ns_pid\":7",
	       "\"reaper_pid\":100", "\"killer\":{", "\"pid\":100,\"tid\":101");
	EXPECT("--tree --threads", "\"tid\":201", "\"type\":\"thread\"");
	EXPECT("--latency --threads", "\"type\":\"slowest\",\"pid\":200,\"tid\":201");
	EXPECT("--latency", "\"type\":\"slowest\",\"pid\":200,\"tid\":200", "\"reaper_pid\":100");
	EXPECT("--parents", "\"type\":\"parent\"", "\"pid\":100");
	EXPECT("--zombies", "\"pid\":300", "\"parent_pid\":100");
}

#define KILLED(raw, name) "\"wait_status\":" #raw ",\"status\":null,\"signal\":\"" name "\""
#define EXITED(raw, status) "\"wait_status\":" #raw ",\"status\":" #status ",\"signal\":null"

static void test_wait_status(void **state)
{
	(void)state;
	tell();
	EXPECT("--events", "\"type\":\"exit\"", "\"tid\":201", EXITED(768, 3));
	EXPECT("--events --pid 300", "\"type\":\"exit\"", EXITED(65280, 255));
	EXPECT("--events", "\"type\":\"signal\"", "\"signo\":9,\"signal\":\"SIGKILL\"");
	EXPECT("--events", "\"type\":\"task\"",
	       "\"wait_status\":null,\"status\":null,\"signal\":null");
	EXPECT("--events", "\"state\":\"zombie\"", KILLED(139, "SIGSEGV"));
	EXPECT("--tree", "\"pid\":200", KILLED(9, "SIGKILL"), "\"killer\":{\"signal\":\"SIGKILL\"");
	EXPECT("--tree", "\"pid\":301", KILLED(34, "SIGRTMIN+0"));
	EXPECT("--tree", "\"pid\":100", "\"wait_status\":null,\"status\":null,\"signal\":null");
	EXPECT("--tree --threads", "\"tid\":201", EXITED(768, 3));
	EXPECT("--zombies", "\"pid\":60", KILLED(139, "SIGSEGV"));
	EXPECT("--zombies", "\"pid\":300", EXITED(65280, 255));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_pids),
		STORY(test_wait_status),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
