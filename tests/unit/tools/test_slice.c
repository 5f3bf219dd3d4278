// SPDX-License-Identifier: GPL-2.0-only
/* --slice: what goes into a slice of a recording, and what remains if it cannot be written. */
#include "slicing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* init, from before, has a shell, which has two compilers; and a server, with a worker per millisecond. */
static void tell(void)
{
	struct who init = process_of_pid(1, "init"), sh, server, who;

	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "sh");
	server = story_fork(&init, 200, "server");
	for (uint32_t i = 0; i < 50; i++) {
		who = process_of_pid(201 + i, "worker");
		story_live(&who, &server, MS / 2, MS / 4, MS / 4);
	}
	for (uint32_t i = 0; i < 2; i++) {
		who = process_of_pid(101 + i, "cc");
		story_live(&who, &sh, 10 * MS, MS, MS);
	}
	story_exit(&sh, &init, 256);
	story_bury(&sh, &init);
}

static void test_part(void **state)
{
	struct output out;

	(void)state;
	tell();
	story_end();
	expect_said(0, "--comm cc", ": 2 processes, and 2 more that they need: 18 records, ");
	/* Whole lives, and their ancestors from birth; nothing of the server. */
	assert_int_equal(count(0, part, "--lives --comm cc --json", "\"type\":\"life\""), 2);
	assert_int_equal(count(0, part, "--events --json", "\"type\":\"fork\""), 3);
	assert_int_equal(count(0, part, "--events --json", "\"type\":\"free\""), 3);
	assert_int_equal(count(0, part, "--events --json", "\"type\":\"task\""), 1);
	assert_int_equal(count(0, part, "--events --json", "server"), 0);
	assert_int_equal(count(0, part, "--tree --json", "\"incomplete\":false"), 4);
	expect_same(0, "--latency --comm cc --json");
	/* Records that were left out are not lost, for any reader. */
	assert_int_equal(count(0, part, "--expect lost==0", "ok"), 1);
	if (system("babeltrace2 --version >/dev/null 2>&1"))
		return;
	out = run_program(true, 0, "babeltrace2 %s", part);
	assert_string_equal(out.text, "");
	free(out.text);
	out = run_program(false, 0, "babeltrace2 %s", part);
	assert_int_equal(count_text(out.text, "\n"), 18);
	free(out.text);
}

/* Processes that lived in the range are there from birth, and so are their ancestors. */
static void test_range(void **state)
{
	(void)state;
	tell();
	story_end();
	expect_said(0, "--from 1.020 --to 1.0209", ": 4 processes: ");
	assert_int_equal(count(0, part, "--events --json", "\"comm\":\"worker\",\"thread\":false,\"parent\""), 1);
	expect_same(0, "--latency --from 1.020 --to 1.0209 --json");
}

/* The process notified of an end, and the reaper, are needed even if they are no ancestors. */
static void test_needed(void **state)
{
	struct who init = process_of_pid(1, "init"), tracer, reaper, sh, who;
	struct proclife_record record;

	(void)state;
	tracer = story_fork(&init, 300, "tracer");
	reaper = story_fork(&init, 301, "reaper");
	sh = story_fork(&init, 302, "sh");
	story_fork(&init, 303, "other");
	who = process_of_pid(310, "child");
	record = fork_record(0, &who, &init);
	record.fork.creator = sh.task;
	record.fork.creator_pid = record.fork.creator_tgid = sh.tgid;
	story_put(record);
	story_exit(&who, &tracer, 0);
	story_reap(&who, &reaper);
	story_end();
	expect_said(0, "--comm child", ": 1 process, and 3 more that it needs: ");
	assert_int_equal(count(0, part, "--events --json", "\"comm\":\"other\""), 0);
	expect_same(0, "--latency --comm child --json");
	expect_same(0, "--events --pid 302 --comm child --monotonic");
}

/* The parent counts as notified, if it was, and not the tracer; otherwise any process that was. */
static void test_told(void **state)
{
	struct who init = process_of_pid(1, "init"), tracer, sh, who;
	struct proclife_record record;
	char line[3 * PATH_MAX];

	(void)state;
	tracer = story_fork(&init, 300, "tracer");
	sh = story_fork(&init, 302, "sh");
	for (uint32_t i = 0; i < 2; i++) {
		who = story_fork(&sh, 310 + i, i ? "held" : "traced");
		record = exit_record(0, &who, 0, 0);
		record.exit.parent_tgid = sh.tgid;
		story_put(record);
		story_put(notify_record(0, &who, &tracer));
		if (!i)
			story_put(notify_record(0, &who, &sh));
		story_reap(&who, &sh);
	}
	story_end();
	expect_said(0, "--comm traced", ": 1 process, and 1 more that it needs: ");
	snprintf(line, sizeof(line), "rm -r '%s'", part);
	assert_int_equal(system(line), 0);
	expect_said(0, "--comm held", ": 1 process, and 2 more that it needs: ");
}

/* The tracer of a zombie, by a notice or the snapshot, is needed to show which process has to wait. */
static void test_traced(void **state)
{
	struct who init = process_of_pid(1, "init"), gdb = process_of_pid(300, "gdb"), sh, who;
	struct proclife_record record;
	char line[3 * PATH_MAX];

	(void)state;
	who = process_of_pid(310, "found");
	record = task_record(0, &who, &init);
	record.flags |= PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE;
	record.state.tracer_tgid = gdb.tgid;
	story_put(record);
	story_put(task_record(0, &gdb, &init));
	sh = story_fork(&init, 302, "sh");
	who = story_fork(&sh, 311, "traced");
	record = exit_record(0, &who, 0, 0);
	record.exit.parent_tgid = sh.tgid;
	story_put(record);
	story_put(traced_record(0, &who, &gdb, &sh));
	story_wait(&gdb);
	story_end();
	expect_said(0, "--comm found", ": 1 process, and 1 more that it needs: ");
	expect_same(0, "--zombies --comm found");
	snprintf(line, sizeof(line), "rm -r '%s'", part);
	assert_int_equal(system(line), 0);
	expect_said(0, "--comm traced", ": 1 process, and 2 more that it needs: ");
	expect_same(0, "--zombies --comm traced");
}

/* A slice of what a command ran need not have the command. */
static void test_command(void **state)
{
	char line[3 * PATH_MAX];

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "command", "100");
	metadata_set(folder.path, "command_creator", "1");
	metadata_set(folder.path, "command_status", "7");
	assert_int_equal(count(0, folder.path, "--lives --json", "\"type\":\"life\""), 3);
	/* Without a selection: what the command ran. */
	expect_said(0, "", ": 3 processes, and 1 more that they need: ");
	assert_int_equal(count(0, part, "--info", "\ncommand      100, status 7\n"), 1);
	snprintf(line, sizeof(line), "rm -r '%s'", part);
	assert_int_equal(system(line), 0);
	expect_said(0, "--pid 200", ": 51 processes, and 1 more that they need: ");
	assert_int_equal(count(0, part, "--info", "\ncommand "), 0);
	assert_int_equal(count(0, part, "--lives --json", "\"comm\":\"worker\""), 50);
}

static void test_nothing_left_out(void **state)
{
	static const char *const views[] = {
		"--lives --json", "--tree --json --threads", "--events --json", "--latency --json",
		"--parents --json", "--zombies --json", "--summary --json",
	};

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "hostname", "\"else\\050where\"");
	metadata_set(folder.path, "clock_step_1", "\"1010000000 5000000000\"");
	expect_said(0, "", ": all processes: ");
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		expect_same(0, views[i]);
	expect_same(0, "--lives --utc"); /* by the steps of the clock */
	assert_int_equal(count(0, part, "--info", "machine      else(where, "), 1);
	assert_int_equal(count(0, part, "--info", "slice of "), 1);
	assert_int_equal(count(0, folder.path, "--info", "slice of "), 0);
}

/* --lives selects by the cgroup at the exit, other views at the end: it is there for both. */
static void test_moved(void **state)
{
	struct who init = process_of_pid(1, "init"), who = process_of_pid(100, "moved");
	struct proclife_record record = fork_record(0, &who, &init);

	(void)state;
	record.fork.cgroup = 70;
	story_put(record);
	story_exit(&who, &init, 0);
	record = reap_record(0, &who, &init);
	record.reap.cgroup = 71;
	story_put(record);
	story_end();
	story_cgroups(folder.path, "70 /a\n71 /b\n");
	expect_said(0, "--cgroup /a", ": 1 process: ");
	expect_same(0, "--lives --cgroup /a");
}

/* A slice of a running recording, up to now, is complete. */
static void test_running(void **state)
{
	(void)state;
	tell();
	story_sync();
	expect_said(0, "--comm cc", "still running");
	expect_same(0, "--latency --comm cc --json");
	assert_int_equal(count(0, part, "--info", "complete"), 1);
}

/* A slice of a recording that was cut off is not complete. */
static void test_cut(void **state)
{
	(void)state;
	tell();
	story_sync();
	story_abandon();
	expect_said(3, "--comm server", "the recording was cut off");
	assert_int_equal(count(3, part, "--info", "cut off"), 1);
	assert_int_equal(count(3, part, "--events --json", "\"comm\":\"cc\""), 0);
	/* It ends where the recording ended, though its last record is earlier. */
	expect_same(3, "--latency --comm server --json");
}

static void test_lost(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	tell();
	for (size_t i = 0; i < STORY_RING + 100; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_end();
	expect_said(3, "--comm cc", "100 records were lost when this was recorded: the slice is incomplete, too");
	expect_same(3, "--latency --comm cc --json");
	assert_int_equal(count(3, part, "--events --json", "\"lost\":100,"), 2);
}

/* Wherever the disk was full, the slice does not look complete. */
static void test_full(void **state)
{
	unsigned int failed = 0;
	struct output out;

	(void)state;
	tell();
	story_end();
	snprintf(part, sizeof(part), "%s/part", folder.base);
	for (size_t limit = 1000; limit < 60000; limit += 3000) {
		char line[3 * PATH_MAX];

		out = run_program(true, limit, "%s -i %s --slice %s", program, folder.path, part);
		assert_true(out.status == 1 || !out.status);
		failed += out.status == 1;
		if (out.status && !strstr(out.text, "File too large"))
			fail_msg("%zu: %s", limit, out.text);
		free(out.text);
		if (!access(part, F_OK)) {
			int whole = out.status;

			out = run_program(false, 0, "%s -i %s --info", program, part);
			if (whole && out.status != 3 && out.status != 1)
				fail_msg("%zu: %s", limit, out.text);
			free(out.text);
		}
		snprintf(line, sizeof(line), "rm -rf '%s'", part);
		assert_int_equal(system(line), 0);
	}
	assert_true(failed >= 4 && failed < 20);
}

/* Wherever too many files are open. */
static void test_open_files(void **state)
{
	unsigned int failed = 0;
	struct output out;

	(void)state;
	tell();
	story_end();
	snprintf(part, sizeof(part), "%s/part", folder.base);
	for (unsigned int limit = 5; limit < 30; limit++) {
		char line[3 * PATH_MAX];

		out = run_program(true, 0, "prlimit --nofile=%u:%u %s -i %s --slice %s", limit, limit,
				  program, folder.path, part);
		failed += out.status == 1;
		if (out.status && !strstr(out.text, "raise the limit of open files ('ulimit -n')"))
			fail_msg("%u: %s", limit, out.text);
		free(out.text);
		snprintf(line, sizeof(line), "rm -rf '%s'", part);
		assert_int_equal(system(line), 0);
	}
	assert_true(failed >= 4 && failed < 20);
}

static void expect_refused(const char *to, const char *says)
{
	struct output out = run_program(true, 0, "%s -i %s --slice %s", program, folder.path, to);

	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, says));
	free(out.text);
}

static void test_bad_place(void **state)
{
	struct stat st;
	char *text;

	(void)state;
	tell();
	story_end();
	free(slice(0, ""));
	expect_said(1, "", "the folder is not empty; name a new one\n");
	expect_refused("/dev/null", "--slice /dev/null: there is something that is not a folder; name a new one");
	expect_refused("/proc/nowhere", "--slice /proc/nowhere: cannot write there: ");
	free(run_program(true, 0, "rm -r %s", part).text);
	text = slice(0, "--quiet");
	assert_string_equal(text, "");
	free(text);
	/* For the owner only. */
	assert_int_equal(stat(part, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void test_nobody(void **state)
{
	(void)state;
	tell();
	story_end();
	expect_said(0, "--comm nobody", "no process matched --comm nobody\n");
	assert_int_equal(count(0, part, "--info", "processes    0: "), 1);
}

/* Its chain lacks what was left out, and so blames others: a slice reports that, a recording does not. */
static void test_critical_path(void **state)
{
	struct output out;

	(void)state;
	tell();
	story_end();
	expect_said(0, "", "");
	out = run_program(true, 0, "%s -i %s --critical-path --json", program, part);
	assert_non_null(strstr(out.text, "/part is a slice: a process that waited for one that was left out seems to have worked"));
	free(out.text);
	out = run_program(true, 0, "%s -i %s --critical-path --json", program, folder.path);
	assert_null(strstr(out.text, "slice"));
	free(out.text);
}

/* An unfinished slice counts as cut off, whatever the reason; and a slice is made of a recording. */
static void test_library(void **state)
{
	struct proclife_run_info run = { .size = sizeof(run) };
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;
	struct log copied = { 0 };

	(void)state;
	tell();
	story_end();
	snprintf(part, sizeof(part), "%s/part", folder.base);
	source = replay(folder.path);
	run = *proclife_recording_info(source);
	assert_int_equal(proclife_recorder_new(&recorder, source, part, &run), -ENOTSUP);
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, part, &run), 0);
	event.record = NULL; /* no record that was yielded */
	assert_int_equal(proclife_recorder_add(recorder, &event), -ENOTSUP);
	while (proclife_source_next(source, &event) == 1) {
		log_event(&live, &event);
		assert_int_equal(proclife_recorder_add(recorder, &event), 0);
	}
	assert_int_equal(proclife_recorder_sync(recorder), 0);
	/* The lock shows that it is being written; nothing shows how far it is whole. */
	assert_int_equal(count(0, part, "--info", "still running"), 1);
	proclife_recorder_free(recorder);
	assert_int_equal(count(3, part, "--info", "cut off"), 1);
	proclife_source_free(source);
	source = replay(part);
	assert_memory_equal(proclife_recording_info(source)->slice_of, run.uuid, sizeof(run.uuid));
	assert_int_equal(log_source(&copied, source, UINT64_MAX), -ENODATA);
	assert_same_log(&live, &copied);
	log_free(&copied);
	snprintf(part, sizeof(part), "%s/other", folder.base);
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, part, &run), -EBUSY);
	proclife_source_free(source);
}

/* An empty slice, of a machine with one CPU: it ends where the recording ends, and can be read. */
static void test_nothing_of_what_was_cut(void **state)
{
	struct who init = process_of_pid(1, "init");
	struct proclife_run_info run;
	struct proclife_recorder *recorder;
	struct proclife_source *source;
	struct proclife_event event;
	uint64_t end;

	(void)state;
	story_put(record_of(0, PROCLIFE_WAIT, &init));
	story_sync();
	story_abandon();
	snprintf(part, sizeof(part), "%s/part", folder.base);
	source = replay(folder.path);
	run = *proclife_recording_info(source);
	assert_int_equal(proclife_recorder_slice(&recorder, source, folder.path, part, &run), 0);
	assert_int_equal(log_source(&live, source, UINT64_MAX), -ENODATA);
	end = run.ended = proclife_source_horizon(source);
	assert_int_equal(proclife_recorder_finish(recorder, &run), 0);
	proclife_recorder_free(recorder);
	proclife_source_free(source);
	source = replay(part);
	assert_int_equal(proclife_source_next(source, &event), -ENODATA);
	assert_null(proclife_recording_damage(source, 0));
	assert_int_equal(proclife_source_horizon(source), end);
	proclife_source_free(source);
}

static int begin_with_one_cpu(void **state)
{
	int err;

	story_cpus = 1;
	err = story_setup(state);
	story_cpus = 2;
	return err;
}

/* Foreign entries there are refused. */
static void test_env(void **state)
{
	static const char *const bad[] = {
		"\"\"", "7", "\"01234567-89ab-cdef-0123-456789abcde\"", "\"01234567-89ab-cdef-0123-456789abcdeg\"",
		"\"01234567-89ab-cdef-0123-456789abcdef0\"",
	};

	(void)state;
	tell();
	story_end();
	metadata_set(folder.path, "slice_of", "\"01234567-89ab-cdef-0123-456789abcdef\"");
	assert_int_equal(count(0, folder.path, "--info", "\nslice of     01234567-89ab-cdef-0123-456789abcdef\n"), 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct output out;

		metadata_set(folder.path, "slice_of", bad[i]);
		out = run_program(true, 0, "%s -i %s --info", program, folder.path);
		assert_int_equal(out.status, 1);
		if (!strstr(out.text, "the value of 'slice_of' is not valid"))
			fail_msg("%s: %s", bad[i], out.text);
		free(out.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_part),
		STORY(test_range),
		STORY(test_needed),
		STORY(test_told), STORY(test_traced),
		STORY(test_command),
		STORY(test_nothing_left_out),
		STORY(test_moved),
		STORY(test_running),
		STORY(test_cut),
		STORY(test_lost),
		STORY(test_full),
		STORY(test_open_files),
		STORY(test_bad_place),
		STORY(test_nobody),
		STORY(test_critical_path),
		STORY(test_library),
		cmocka_unit_test_setup_teardown(test_nothing_of_what_was_cut, begin_with_one_cpu,
						story_teardown),
		STORY(test_env),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
