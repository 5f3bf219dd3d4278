// SPDX-License-Identifier: GPL-2.0-only
/*
 * proclife-read --record and -i as programs: a replay prints what the live view has printed, byte
 * for byte, and babeltrace2 reads the recording, too. The device is a file that a thread writes.
 */
#include "program.h"
#include "recorded.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct fake_device *device;
static char device_path[64];
static pthread_t thread;
static bool stop, writing;
static pid_t reader;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void put(uint32_t cpu, struct proclife_record record)
{
	struct proclife_record *slot = fake_device_begin(device, cpu);

	record.ts = now();
	record.cpu = cpu;
	*slot = record;
	proclife_ring_commit(&device->rings[cpu], record.type);
}

/* A shell and what it starts: a thread, an exec, a rename, a zombie for a while, a daemon. */
static void put_story(uint32_t n)
{
	struct who init = process_of_pid(1, "init");
	struct who sh = process_of_pid(1000 + n * 4, "sh");
	struct who cc = process_of_pid(1001 + n * 4, "cc");
	struct who worker = thread_of(&cc, 1002 + n * 4);
	struct who daemon = process_of_pid(1003 + n * 4, "da\xc3\xa4mon");
	uint32_t cpu = n % 4;

	put(cpu, fork_record(0, &sh, &init));
	put(cpu, exec_record(0, &sh, sh.pid, "/bin/sh"));
	put(cpu, fork_record(0, &cc, &sh));
	put(1, exec_record(0, &cc, cc.pid, "/usr/lib/gcc/x86_64-linux-gnu/12/a/longer/path/cc1"));
	put(1, clone_record(0, &worker, &sh, &cc));
	put(2, fork_record(0, &daemon, &cc));
	put(2, rename_record(0, &daemon, "new name"));
	put(1, exit_record(0, &worker, 0, 1));
	put(1, free_record(0, &worker));
	put(1, exit_record(0, &cc, n % 3 << 8, 0));
	put(3, reap_record(0, &cc, &sh));
	put(3, free_record(0, &cc));
	put(cpu, exit_record(0, &sh, n % 5 ? 0 : 11, 0));
	put(3, reap_record(0, &sh, &init));
	put(3, free_record(0, &sh));
}

static void new_device(uint64_t ring)
{
	device = fake_device_new(4, ring);
	fake_device_add_rings(device);
	device->header->features = 0xfff;
	device->header->reap_source = PROCLIFE_REAP_CGROUP_RELEASE;
	device->header->to_realtime = 1700000000000000000;
	device->header->reap_missed = 1;
	snprintf(device_path, sizeof(device_path), "/proc/%d/fd/%d", (int)getpid(), device->fd);
}

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	stop = false;
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (writing) {
		stop = true;
		pthread_join(thread, NULL);
		writing = false;
	}
	folder_remove(&folder);
	if (device)
		fake_device_free(device);
	device = NULL;
	return 0;
}

/* Bursts that overrun small rings, until told to stop. */
static void *write_bursts(void *data)
{
	uint32_t n = 0;

	(void)data;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 60; i++)
			put_story(n++ % 8000);
		usleep(20000);
	}
	return NULL;
}

static void start(const char *line, int out, int err)
{
	reader = start_program(line, out, err, 0);
}

static const char *const views[] = {
	"--tree", "--latency", "--events", "--tree --latency --threads", "--tree --json --threads",
	"--latency --json", "--events --json", "--tree --fold", "--events --count 57 --json",
	"--tree --count 9 --json", "--tree --pid 1004", "--events --json --pid 1004",
	"--tree --depth 1", "--tree --min-life 2us --json", "--tree --top 5:life",
	"--tree --no-fold",
};

static void check_views(const char *options)
{
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		const char *pid = strstr(views[i], "--pid");
		struct output live, again;
		char view[100];

		/* Without history, it has to be a process that lives. */
		if (pid && !strstr(options, "--history"))
			continue;
		live = run_program(false, 0, "%s --device %s --record %s %s %s", program,
				   device_path, folder.path, options, views[i]);
		snprintf(view, sizeof(view), "%s", views[i]);
		if (strstr(view, " --count")) /* the recorder had it, and so it is not needed */
			strcpy(strstr(view, " --count"), " --json");
		again = run_program(false, 0, "%s -i %s %s", program, folder.path, view);
		if (live.status != 0 && live.status != 3)
			fail_msg("%s: status %d", views[i], live.status);
		assert_true(live.size > (pid ? 50 : 200));
		if (live.size != again.size || memcmp(live.text, again.text, live.size))
			fail_msg("%s: live:\n%s\nreplayed:\n%s", views[i], live.text, again.text);
		assert_int_equal(live.status, again.status);
		free(live.text);
		free(again.text);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

static void test_history(void **state)
{
	(void)state;
	new_device(4096);
	for (uint32_t n = 0; n < 300; n++)
		put_story(n);
	check_views("--history --duration 30ms");
}

static uint64_t count_lines(const char *text, const char *what)
{
	uint64_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* What is older than the rings reach is no loss, live or replayed, nor for a reader of CTF. */
static void test_history_overwritten(void **state)
{
	struct output out;

	(void)state;
	new_device(256);
	for (uint32_t n = 0; n < 300; n++)
		put_story(n);
	check_views("--history --duration 30ms");
	out = run_program(true, 0, "%s --device %s --history --duration 20ms --record %s", program,
			  device_path, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "the history of 4 CPUs begins between "));
	assert_non_null(strstr(out.text, " 0 lost"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s --events", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_lines(out.text, "; what is older was overwritten --\n"), 4);
	free(out.text);
	out = run_program(true, 0, "babeltrace2 %s", folder.path);
	assert_string_equal(out.text, "");
	free(out.text);
	out = run_program(false, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_lines(out.text, "\n"), 4 * 256);
	free(out.text);
}

static void test_live(void **state)
{
	(void)state;
	new_device(128);
	pthread_create(&thread, NULL, write_bursts, NULL);
	writing = true;
	check_views("--duration 400ms");
}

/* The life of the reader's own child, which it runs as a COMMAND. */
static void *write_command(void *data)
{
	struct who who = process_of_pid(0, "proclife-read"), parent = who, child;
	char path[100];
	int pid = 0;

	(void)data;
	while (!pid && !stop) {
		FILE *file;

		usleep(1000);
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)reader, (int)reader);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%d", &pid) != 1)
			pid = 0;
		fclose(file);
	}
	parent.pid = reader;
	parent.tgid = reader;
	child = process_of_pid(pid, "proclife-read");
	put(0, fork_record(0, &child, &parent));
	child.comm = "sleep";
	put(1, exec_record(0, &child, pid, "/bin/sleep"));
	put_story(5);
	usleep(300000);
	put(1, exit_record(0, &child, 0, 0));
	put(0, reap_record(0, &child, &parent));
	put(0, free_record(0, &child));
	return NULL;
}

static void test_command(void **state)
{
	(void)state;
	new_device(1024);
	for (size_t i = 0; i < 8; i++) {
		struct output live, again;
		int fds[2];

		live = (struct output){ NULL, 0, 0 };
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		{
			char line[3 * PATH_MAX];

			snprintf(line, sizeof(line), "%s --device %s --record %s %s -- sleep 0.1",
				 program, device_path, folder.path, views[i]);
			start(line, fds[1], STDERR_FILENO);
		}
		close(fds[1]);
		pthread_create(&thread, NULL, write_command, NULL);
		collect_output(reader, fds[0], &live);
		close(fds[0]);
		pthread_join(thread, NULL);
		assert_int_equal(live.status, 0);
		again = run_program(false, 0, "%s -i %s %s", program, folder.path, views[i]);
		if (strstr(views[i], "--tree") && !strstr(again.text, "/bin/sleep"))
			fail_msg("%s", again.text);
		assert_int_equal(again.status, 0);
		if (live.size != again.size || memcmp(live.text, again.text, live.size))
			fail_msg("%s: live:\n%s\nreplayed:\n%s", views[i], live.text, again.text);
		free(live.text);
		free(again.text);
		folder_remove(&folder);
		folder_make(&folder);
	}
}

static void test_record_alone(void **state)
{
	struct output out;
	unsigned long long records, bytes, lost;

	(void)state;
	new_device(4096);
	for (uint32_t n = 0; n < 100; n++)
		put_story(n);
	out = run_program(true, 0, "%s --device %s --history --duration 20ms --record %s", program,
			  device_path, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, folder.path));
	assert_int_equal(sscanf(strstr(out.text, folder.path) + strlen(folder.path),
				": %llu records, %llu bytes, %llu lost", &records, &bytes, &lost),
			 3);
	assert_int_equal(records, 1500);
	assert_int_equal(lost, 0);
	assert_true(bytes >= 1500 * 128);
	free(out.text);
	out = run_program(false, 0, "%s -i %s", program, folder.path);
	assert_int_equal(count_lines(out.text, "\n"), 1500);
	free(out.text);
	out = run_program(true, 0, "%s --device %s --duration 10ms --record %s", program,
			  device_path, folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "not empty"));
	assert_int_equal(count_lines(out.text, "\n"), 1);
	free(out.text);
}

/* kill -9: what was on disk is read, and what is missing is said. */
static void test_killed(void **state)
{
	struct output out = { NULL, 0, 0 };
	char line[3 * PATH_MAX];

	(void)state;
	new_device(4096);
	for (uint32_t n = 0; n < 100; n++)
		put_story(n);
	snprintf(line, sizeof(line), "%s --device %s --history --record %s", program, device_path,
		 folder.path);
	start(line, STDOUT_FILENO, STDERR_FILENO);
	/* What was read is on disk after a second, if the machine has nothing else to do. */
	for (unsigned int attempt = 0; attempt < 20; attempt++) {
		size_t lines;

		usleep(1400000);
		out = run_program(false, 0, "babeltrace2 %s", folder.path);
		lines = count_lines(out.text, "\n");
		free(out.text);
		if (lines == 1500)
			break;
	}
	kill(reader, SIGKILL);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
	out = run_program(true, 0, "%s -i %s", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_non_null(strstr(out.text, "cut off"));
	assert_int_equal(count_lines(out.text, "\n"), 1);
	free(out.text);
	out = run_program(false, 0, "%s -i %s --json", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_non_null(strstr(out.text, "\"reason\":\"cut\""));
	assert_int_equal(count_lines(out.text, "\n"), 1500 + 2);
	free(out.text);
}

/* Ctrl-C is an end like any other. */
static void test_interrupted(void **state)
{
	struct output out;
	char line[3 * PATH_MAX];
	int status;

	(void)state;
	new_device(4096);
	for (uint32_t n = 0; n < 50; n++)
		put_story(n);
	snprintf(line, sizeof(line), "%s --device %s --history --record %s", program, device_path,
		 folder.path);
	start(line, STDOUT_FILENO, open("/dev/null", O_WRONLY));
	usleep(300000);
	kill(reader, SIGINT);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	out = run_program(false, 0, "%s -i %s --json", program, folder.path);
	assert_int_equal(out.status, 0);
	assert_non_null(strstr(out.text, "\"reason\":\"signal\""));
	free(out.text);
}

/* The view goes on, the recording stays readable, and the status tells. */
static void test_disk_full(void **state)
{
	struct output out;

	(void)state;
	new_device(4096);
	for (uint32_t n = 0; n < 300; n++)
		put_story(n);
	out = run_program(false, 70000,
			  "%s --device %s --history --duration 50ms --tree --record %s", program,
			  device_path, folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "no loss"));
	free(out.text);
	out = run_program(false, 0, "%s -i %s", program, folder.path);
	assert_int_equal(out.status, 3);
	assert_true(count_lines(out.text, "\n") > 100);
	free(out.text);
	folder_remove(&folder);
	folder_make(&folder);
	out = run_program(true, 70000, "%s --device %s --history --record %s", program, device_path,
			  folder.path);
	assert_int_equal(out.status, 1);
	assert_non_null(strstr(out.text, "File too large"));
	free(out.text);
	out = run_program(true, 6000, "%s --device %s --history --record %s/other", program,
			  device_path, folder.base);
	assert_int_equal(out.status, 1);
	free(out.text);
}

static void test_bad_input(void **state)
{
	static const char *const inputs[] = { "/dev/null", "/nonexistent", "/usr", "/dev" };

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		struct output out = run_program(true, 0, "%s -i %s --tree", program, inputs[i]);

		assert_int_equal(out.status, 1);
		assert_int_equal(strncmp(out.text, "proclife-read: ", 15), 0);
		assert_non_null(strstr(out.text, inputs[i]));
		assert_int_equal(count_lines(out.text, "\n"), 1);
		free(out.text);
	}
}

static bool have_babeltrace(void)
{
	return !system("babeltrace2 --version >/dev/null 2>&1");
}

/* Another program reads all that is there, under the names that it expects. */
static void test_babeltrace(void **state)
{
	static const char *const fields[] = {
		"sched_process_fork: ", "child_comm = \"cc\"", "child_tid = ", "parent_tid = 1",
		"sched_process_exec: ", "filename = \"/bin/sh\"", "sched_process_exit: ",
		"exit_code = 256", "max_rss = 4096", "proclife_reap: ", "reaper_comm = \"init\"",
		"sched_process_free: ", "runtime = 120", "task_rename: ", "newcomm = \"new name\"",
		"old_tid = ", "flags = 0x8", "cpu_id = 2",
	};
	struct output out, own;

	(void)state;
	if (!have_babeltrace())
		skip();
	new_device(128);
	pthread_create(&thread, NULL, write_bursts, NULL);
	own = run_program(false, 0, "%s --device %s --duration 300ms --record %s --events", program,
			  device_path, folder.path);
	writing = true;
	assert_int_equal(own.status, 3);
	out = run_program(false, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_lines(out.text, "\n"),
			 count_lines(own.text, "\n") - count_lines(own.text, "records lost on"));
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strstr(out.text, fields[i]))
			fail_msg("%s is not in:\n%.3000s", fields[i], out.text);
	free(out.text);
	out = run_program(false, 0, "babeltrace2 -o dummy %s", folder.path);
	assert_int_equal(out.status, 0);
	free(out.text);
	out = run_program(true, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(count_lines(out.text, "Tracer discarded"),
			 count_lines(own.text, "records lost on"));
	free(out.text);
	/* The time of day, through the clock's offset. */
	out = run_program(false, 0, "babeltrace2 --clock-seconds %s", folder.path);
	assert_int_equal(strncmp(out.text, "[17000", 6), 0);
	free(out.text);
	free(own.text);
}

static void test_babeltrace_killed(void **state)
{
	struct output out;
	char line[3 * PATH_MAX];

	(void)state;
	if (!have_babeltrace())
		skip();
	new_device(4096);
	for (uint32_t n = 0; n < 100; n++)
		put_story(n);
	snprintf(line, sizeof(line), "%s --device %s --history --record %s", program, device_path,
		 folder.path);
	start(line, STDOUT_FILENO, STDERR_FILENO);
	/* What was read is on disk after a second, if the machine has nothing else to do. */
	for (unsigned int attempt = 0; attempt < 20; attempt++) {
		size_t lines;

		usleep(1400000);
		out = run_program(false, 0, "babeltrace2 %s", folder.path);
		lines = count_lines(out.text, "\n");
		free(out.text);
		if (lines == 1500)
			break;
	}
	kill(reader, SIGKILL);
	assert_int_equal(waitpid(reader, NULL, 0), reader);
	out = run_program(false, 0, "babeltrace2 %s", folder.path);
	assert_int_equal(out.status, 0);
	assert_int_equal(count_lines(out.text, "\n"), 1500);
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_history, begin, end),
		cmocka_unit_test_setup_teardown(test_history_overwritten, begin, end),
		cmocka_unit_test_setup_teardown(test_live, begin, end),
		cmocka_unit_test_setup_teardown(test_command, begin, end),
		cmocka_unit_test_setup_teardown(test_record_alone, begin, end),
		cmocka_unit_test_setup_teardown(test_killed, begin, end),
		cmocka_unit_test_setup_teardown(test_interrupted, begin, end),
		cmocka_unit_test_setup_teardown(test_disk_full, begin, end),
		cmocka_unit_test_setup_teardown(test_bad_input, begin, end),
		cmocka_unit_test_setup_teardown(test_babeltrace, begin, end),
		cmocka_unit_test_setup_teardown(test_babeltrace_killed, begin, end),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
