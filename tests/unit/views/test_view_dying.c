// SPDX-License-Identifier: GPL-2.0-only
/* --dying of real processes, with records that they were killed. */
#include "fake_device.h"
#include "sleeper.h"
#include "story.h"

#include <recording/ctf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct output run(const char *options)
{
	return run_program(false, 0, "%s --device /proc/%d/fd/%d --dying %s", program, (int)getpid(),
			   machine->fd, options);
}

static struct who begin_life(const struct who *parent, const char *comm)
{
	struct who who = sleeper_begin(comm);
	struct proclife_record record = fork_record(0, &who, parent);

	record.fork.cgroup = 0; /* its path would be this machine's */
	story_put(record);
	return who;
}

static void story_kill(const struct who *who, const struct who *by)
{
	story_put(signal_record(0, who, SIGKILL, by));
}

/* Expects this line after the time, which is this machine's; @pid replaces "PID". */
static void expect_line(const struct output *out, const char *format, uint32_t pid)
{
	char text[256];

	snprintf(text, sizeof(text), format, pid);
	if (!strstr(out->text, text))
		fail_msg("no \"%s\" in:\n%s", text, out->text);
}

static void expect_width(const struct output *out, size_t width)
{
	for (const char *at = out->text; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") <= width);
}

static void test_none(void **state)
{
	struct who init = process_of_pid(1, "init"), child;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	child = begin_life(&init, "child");
	out = run("");
	assert_int_equal(out.status, 0);
	assert_string_equal(out.text,
			    "No process is dying: those that got SIGKILL or have exited are gone, or zombies.\n");
	free(out.text);
	sleeper_end(&child);
}

static void test_text(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, killed, exited;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "sh");
	killed = begin_life(&sh, "killed");
	exited = begin_life(&sh, "exited");
	story_kill(&killed, &sh);
	story_put(exit_record(0, &exited, 0x300, 0));
	setenv("COLUMNS", "80", 1);
	out = run("");
	assert_int_equal(out.status, 0);
	assert_int_equal(strncmp(out.text, "2 processes are dying\n"
		"       FOR     PID THREADS  COMMAND          CAUSE\n", 22 + 51), 0);
	expect_width(&out, 80);
	expect_line(&out, "%8u       1  killed           SIGKILL from sh (100)\n", killed.pid);
	expect_line(&out, "%18u  S sleeping         ", killed.pid);
	expect_line(&out, "\n          parent sh (100)\n", 0);
	expect_line(&out, "%8u       1  exited           exited, status 3\n", exited.pid);
	assert_true(strstr(out.text, " killed ") < strstr(out.text, " exited "));
	free(out.text);
	out = run("--top 1");
	assert_null(strstr(out.text, " exited "));
	assert_non_null(strstr(out.text, "\n1 younger one\n"));
	free(out.text);
	out = run("--comm exited");
	assert_int_equal(strncmp(out.text, "1 process is dying\n", 19), 0);
	assert_null(strstr(out.text, " killed "));
	free(out.text);
	setenv("COLUMNS", "40", 1);
	out = run("");
	expect_width(&out, 40);
	free(out.text);
	unsetenv("COLUMNS");
	sleeper_end(&killed);
	/* The process is gone, whatever the records show. */
	out = run("");
	assert_int_equal(strncmp(out.text, "1 process is dying\n", 19), 0);
	free(out.text);
	sleeper_end(&exited);
}

static void begin_to_exit(const struct who *who, unsigned int flags)
{
	struct proclife_record r = record_of(0, PROCLIFE_EXITING, who);

	r.flags |= (uint16_t)flags;
	story_put(r);
}

/* A process that has begun to exit, or whose leader has, has no status yet; one that has exited has one. */
static void test_exiting(void **state)
{
	struct who init = process_of_pid(1, "init"), whole, leader, before;
	struct proclife_record r;
	struct output out;

	(void)state;
	machine->header->features = PROCLIFE_KNOWN_TYPES;
	story_put(task_record(0, &init, &init));
	whole = begin_life(&init, "whole");
	leader = begin_life(&init, "leader");
	before = sleeper_begin("before");
	begin_to_exit(&whole, PROCLIFE_F_GROUP_EXIT);
	begin_to_exit(&leader, 0);
	r = task_record(0, &before, &init);
	r.flags |= PROCLIFE_F_EXITING;
	r.state.cgroup = 0;
	story_put(r);
	story_put(exit_record(0, &before, 0x300, 0));
	out = run("");
	assert_int_equal(out.status, 0);
	expect_line(&out, "%8u       1  whole            exiting\n", whole.pid);
	expect_line(&out, "%8u       1  leader           leader exiting\n", leader.pid);
	expect_line(&out, "%8u       1  before           exited, status 3", before.pid);
	free(out.text);
	out = run("--json --comm leader");
	expect_line(&out, "\"exited\":null,\"wait_status\":null,\"status\":null,\"signal\":null,", 0);
	free(out.text);
	sleeper_end(&whole);
	sleeper_end(&leader);
	sleeper_end(&before);
}

/* Only the first N, the oldest first; the others are counted. */
static void test_top(void **state)
{
	struct who init = process_of_pid(1, "init"), all[3];
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	for (size_t i = 0; i < 3; i++) {
		all[i] = begin_life(&init, "victim");
		story_kill(&all[i], &init);
	}
	out = run("--top 1");
	assert_non_null(strstr(out.text, "\n2 younger ones\n"));
	free(out.text);
	out = run("--top 2 --json");
	assert_int_equal(count_text(out.text, "\"type\":\"dying\""), 2);
	expect_line(&out, "\"pid\":%u,", all[0].pid);
	expect_line(&out, "\"pid\":%u,", all[1].pid);
	free(out.text);
	for (size_t i = 0; i < 3; i++)
		sleeper_end(&all[i]);
}

/* How long it has been dying, and which process has to reap it now. */
static void test_since(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, early, late;
	struct proclife_record record;
	char text[64], *first, *second;
	struct timespec now;
	struct output out;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &now);
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "sh");
	early = begin_life(&sh, "early");
	late = begin_life(&sh, "late");
	story_kill(&early, &sh);
	machine->now = ((uint64_t)now.tv_sec * 1000 + 1000) * MS / 2;
	record = exit_record(0, &late, 0x300, 0);
	record.exit.parent_tgid = 1;
	story_put(record);
	out = run("--json");
	expect_line(&out, "\"parent_pid\":100,\"reaper_pid\":1,", 0);
	expect_line(&out, "\"since\":1000000004,\"killer\":{", 0);
	snprintf(text, sizeof(text), "\"since\":%llu,\"killer\":null,", (unsigned long long)machine->now - 1);
	expect_line(&out, text, 0);
	free(out.text);
	out = run("");
	expect_line(&out, "\n          parent init (1)\n", 0);
	/* It took half as long as the other. */
	first = strstr(out.text, "CAUSE\n") + 6;
	second = strstr(first, "parent sh (100)\n") + 16;
	if (!strncmp(first, second, 10))
		fail_msg("%s", out.text);
	free(out.text);
	sleeper_end(&early);
	sleeper_end(&late);
}

static void test_hostile_names(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, a;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "\33[31m\33[31m\33[31m");
	a = begin_life(&sh, "\33]0;a\7\33]0;b\7\33]0");
	story_kill(&a, &sh);
	setenv("COLUMNS", "80", 1);
	out = run("");
	assert_null(strchr(out.text, '\33'));
	expect_width(&out, 80);
	free(out.text);
	setenv("COLUMNS", "50", 1);
	out = run("");
	expect_width(&out, 50);
	free(out.text);
	unsetenv("COLUMNS");
	out = run("");
	assert_non_null(strstr(out.text, "\\x1b[31m\\x1b[31m\\x1b[31m (100)\n"));
	free(out.text);
	sleeper_end(&a);
}

static void test_json(void **state)
{
	struct who init = process_of_pid(1, "init"), sh, a;
	struct output out;
	char text[128];

	(void)state;
	story_put(task_record(0, &init, &init));
	sh = story_fork(&init, 100, "sh");
	a = begin_life(&sh, "victim");
	story_kill(&a, &sh);
	out = run("--json");
	snprintf(text, sizeof(text), "\"type\":\"dying\",\"pid\":%u,\"comm\":\"victim\",", a.pid);
	assert_non_null(strstr(out.text, text));
	assert_non_null(strstr(out.text, "\"killer\":{\"signal\":\"SIGKILL\",\"code\":0,\"pid\":100,"));
	assert_non_null(strstr(out.text, "\"exited\":null,\"wait_status\":null,"));
	assert_non_null(strstr(out.text, "\"parent_pid\":100,"));
	snprintf(text, sizeof(text), "\"threads\":[{\"tid\":%u,\"state\":\"S\",\"wchan\":", a.pid);
	assert_non_null(strstr(out.text, text));
	free(out.text);
	sleeper_end(&a);
}

/* Starts a tracer of this process that is not its parent; 0 if that is not allowed here. */
static pid_t trace(const struct who *who)
{
	char done = 0;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		done = !ptrace(PTRACE_SEIZE, (pid_t)who->pid, NULL, NULL) &&
		       !ptrace(PTRACE_INTERRUPT, (pid_t)who->pid, NULL, NULL) &&
		       waitpid((pid_t)who->pid, NULL, 0) == (pid_t)who->pid;
		if (write(ends[1], &done, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &done, 1), 1);
	close(ends[0]);
	close(ends[1]);
	if (done)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void test_traced(void **state)
{
	struct who init = process_of_pid(1, "init"), a;
	struct output out;
	pid_t tracer;

	(void)state;
	story_put(task_record(0, &init, &init));
	a = begin_life(&init, "victim");
	story_kill(&a, &init);
	tracer = trace(&a);
	if (tracer) {
		out = run("--json");
		expect_line(&out, "\"tracer_pid\":%u,", (uint32_t)tracer);
		free(out.text);
		out = run("");
		expect_line(&out, "SIGKILL from init (1), traced by (%u)\n", (uint32_t)tracer);
		expect_line(&out, " %u  t traced  ", a.pid);
		free(out.text);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
	}
	sleeper_end(&a);
}

/* The init of a PID namespace waits for a zombie: its parent has not reaped it, or its tracer has not waited for it. */
static void test_waits(void **state)
{
	struct who init = process_of_pid(1, "init"), first, left, held;
	struct proclife_record record;
	struct output out;

	(void)state;
	story_put(task_record(0, &init, &init));
	first = sleeper_begin("pause");
	record = fork_record(0, &first, &init);
	record.fork.cgroup = 0;
	record.fork.ns_pid = 1;
	record.fork.ns_inum = 4;
	story_put(record);
	left = process_of_pid(4000001, "left");
	held = process_of_pid(4000002, "held");
	for (uint32_t i = 0; i < 2; i++) {
		record = fork_record(0, i ? &held : &left, &init);
		record.fork.ns_inum = 4;
		story_put(record);
		story_put(exit_record(0, i ? &held : &left, 0, 0));
		record = notify_record(0, i ? &held : &left, &init);
		record.flags |= i ? PROCLIFE_F_TRACER : 0;
		story_put(record);
	}
	story_put(exit_record(0, &first, 0, 0));
	out = run("");
	expect_line(&out, " waits for left (4000001), a zombie that init (1) has not reaped\n", 0);
	expect_line(&out, " waits for held (4000002), a zombie that init (1), its tracer, has not waited for\n", 0);
	free(out.text);
	sleeper_end(&first);
}

/* In another namespace, /proc shows other processes. */
static void test_other_namespace(void **state)
{
	struct output out;

	(void)state;
	machine->header->init_pid_ns = 1;
	out = run_program(true, 0, "%s --device /proc/%d/fd/%d --dying", program, (int)getpid(),
			  machine->fd);
	assert_true(out.status != 0);
	assert_string_equal(out.text, "proclife-read: --dying: process IDs differ here from those that are "
			    "recorded; run proclife-read in the initial PID namespace\n");
	free(out.text);
}

static void test_recording(void **state)
{
	struct output out;

	(void)state;
	story_end();
	out = run_program(true, 0, "%s -i %s --dying", program, folder.path);
	assert_non_null(strstr(out.text, "--dying looks at /proc as it is now (at the end of a recording, see "
					 "--zombies): it takes no --input\n"));
	free(out.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORY(test_none),
		STORY(test_text),
		STORY(test_exiting),
		STORY(test_top),
		STORY(test_since),
		STORY(test_hostile_names),
		STORY(test_json),
		STORY(test_traced),
		STORY(test_waits),
		STORY(test_other_namespace),
		STORY(test_recording),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
