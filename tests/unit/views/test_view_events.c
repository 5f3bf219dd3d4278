// SPDX-License-Identifier: GPL-2.0-only
/* --events of types that cannot come, and of records without a task. */
#include "fake_device.h"
#include "marks.h"
#include "story.h"

#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int begin_with(void **state, uint64_t features)
{
	int ret;

	story_features = features;
	ret = story_setup(state);
	story_features = WITHOUT_EXITING;
	return ret;
}

static int begin_without(void **state)
{
	return begin_with(state, PROCLIFE_KNOWN_TYPES & ~(PROCLIFE_HAS(PROCLIFE_MM) | PROCLIFE_HAS(PROCLIFE_ARGS) |
							  PROCLIFE_HAS(PROCLIFE_HANG) |
							  PROCLIFE_HAS(PROCLIFE_EXITING)));
}

static int begin(void **state)
{
	return begin_with(state, PROCLIFE_KNOWN_TYPES);
}

#define VIEW(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)
#define WITHOUT(name) cmocka_unit_test_setup_teardown(name, begin_without, story_teardown)

static void expect_said(const char *types, const char *said)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "%s -i %s --events%s%s", program, folder.path, *types ? "=" : "", types);
	expect_output(true, 0, line, said);
}

static void test_absent(void **state)
{
	(void)state;
	story_end();
	expect_said("mm", "proclife-read: --events=mm: none was recorded: load the module with memory=Y\n");
	expect_said("args", "proclife-read: --events=args: none was recorded: load the module with "
			    "args_bytes=512\n");
	expect_said("hang", "proclife-read: --events=hang: none was recorded: the kernel does not offer them\n");
	expect_said("exit,mm,exiting",
		    "proclife-read: --events=exiting: none was recorded: load the module with exiting=Y\n"
		    "proclife-read: --events=mm: none was recorded: load the module with memory=Y\n");
	/* These can come, or are no events. */
	expect_said("exit,task,suppressed,cgroup,coredump,oom", "");
	expect_said("", "");
}

/* A live device can report the reason. */
static void test_absent_live(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	snprintf(line, sizeof(line), "%s --device /proc/%d/fd/%d --duration 1ms --events=mm", program, getpid(),
		 machine->fd);
	expect_output(true, 0, line, "proclife-read: --events=mm: none is recorded: load the module with memory=Y; "
				     "see --status\n");
}

static void tell_cgroups(void)
{
	story_at(10);
	story_put(cgroup_record(0, 40, true));
	story_at(20);
	story_put(cgroup_record(0, 40, false));
	story_end();
}

static void test_cgroup(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	tell_cgroups();
	snprintf(line, sizeof(line), "%s -i %s --monotonic --events=cgroup", program, folder.path);
	expect_output(false, 0, line, "-- at 1.010000000, cgroup 40 got its first task --\n"
				      "-- at 1.020000000, cgroup 40 lost its last task --\n");
	/* A range is no filter of tasks. */
	snprintf(line, sizeof(line), "%s -i %s --monotonic --events=cgroup --from 1.015", program, folder.path);
	expect_output(false, 0, line, "-- at 1.020000000, cgroup 40 lost its last task --\n");
	snprintf(line, sizeof(line), "%s -i %s --monotonic --events --comm x", program, folder.path);
	expect_output(false, 0, line, "");
	snprintf(line, sizeof(line), "%s -i %s --monotonic --events --pid 1", program, folder.path);
	expect_output(false, 0, line, "");
}

static void test_cgroup_of_command(void **state)
{
	char line[3 * PATH_MAX], said[3 * PATH_MAX];

	(void)state;
	tell_cgroups();
	metadata_set(folder.path, "command", "77");
	snprintf(line, sizeof(line), "%s -i %s --events=cgroup", program, folder.path);
	snprintf(said, sizeof(said), "proclife-read: --events=cgroup: %s is of a command, and a record of a "
		 "cgroup is about no task: none is shown; record without a command\n", folder.path);
	expect_output(true, 0, line, said);
	expect_output(false, 0, line, "");
	/* --events without types has not asked for these. */
	snprintf(line, sizeof(line), "%s -i %s --events", program, folder.path);
	expect_output(true, 0, line, "");
}

/* A positive code means that the kernel sent it, and not the current task. */
static void test_signals_of_the_kernel(void **state)
{
	struct who burner = process_of_pid(300, "burner"), writer = process_of_pid(301, "writer");
	struct proclife_record record = signal_record(0, &burner, SIGXCPU, &burner);
	char line[3 * PATH_MAX];

	(void)state;
	record.signal.code = SI_KERNEL;
	story_at(10);
	story_put(record);
	record = signal_record(0, &burner, SIGIO, &writer);
	record.signal.code = POLL_OUT;
	story_put(record);
	story_put(signal_record(0, &burner, SIGTERM, &writer));
	story_end();
	snprintf(line, sizeof(line), "%s -i %s --monotonic --events=signal", program, folder.path);
	expect_output(false, 0, line,
		      "    1.010000000   0 signal     300 burner           SIGXCPU from the kernel, to the group\n"
		      "    1.010000001   0 signal     300 burner           SIGIO from the kernel in writer 301, to the group\n"
		      "    1.010000002   0 signal     300 burner           SIGTERM from writer 301, to the group\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITHOUT(test_absent), WITHOUT(test_absent_live), VIEW(test_cgroup),
		VIEW(test_cgroup_of_command), VIEW(test_signals_of_the_kernel),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
