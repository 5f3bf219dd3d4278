// SPDX-License-Identifier: GPL-2.0-only
/* Records that the module suppressed, as they were over its budget, are not lost, but nothing is claimed of them. */
#include "check.h"
#include "fixture_tasks.h"
#include "story.h"

#include <stdlib.h>
#include <string.h>

static struct proclife_record suppressed(uint64_t ts, uint16_t cpu, uint32_t what, uint64_t since,
					 uint64_t count)
{
	struct proclife_record record = { .ts = ts, .type = PROCLIFE_SUPPRESSED, .cpu = cpu };

	record.suppressed.what = what;
	record.suppressed.ended = since && since != ts;
	record.suppressed.since = since;
	record.suppressed.count = count;
	return record;
}

static struct proclife_record begins(uint64_t ts, uint16_t cpu, uint32_t what)
{
	return suppressed(ts, cpu, what, ts, 0);
}

/* The shell reaps a child at @ts. Returns since when it has waited, as far as is known. */
static uint64_t waited(uint64_t ts)
{
	static uint32_t pid = 200;
	struct who a = process_of_pid(pid++, "a");

	feed(tasks, fork_record(ts - 2, &a, &shell));
	feed(tasks, exit_record(ts - 1, &a, 0, 0));
	feed(tasks, reap_record(ts, &a, &shell));
	feed(tasks, free_record(ts + 1, &a));
	return LAST_GONE->reaper_waited;
}

static void test_waits(void **state)
{
	struct proclife_record wait;

	(void)state;
	feed(tasks, wait_record(10, &shell));
	assert_int_equal(waited(20), 10);
	/* On any CPU, since the shell can have been there. */
	feed(tasks, wait_record(30, &shell));
	assert_int_equal(feed(tasks, begins(31, 7, PROCLIFE_WAIT)), 1);
	assert_true(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 31));
	assert_int_equal(waited(40), 0);
	feed(tasks, wait_record(41, &shell));
	feed(tasks, begins(42, 8, PROCLIFE_WAIT));
	feed(tasks, suppressed(43, 7, PROCLIFE_WAIT, 31, 5));
	feed(tasks, wait_record(44, &shell));
	assert_int_equal(waited(50), 0); /* on CPU 8 it still is */
	feed(tasks, wait_record(51, &shell));
	feed(tasks, suppressed(52, 8, PROCLIFE_WAIT, 42, 5));
	assert_int_equal(waited(60), 0);
	assert_true(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 52));
	assert_false(proclife_tasks_may_lack(tasks, (enum proclife_type)1000000000, 0));
	assert_false(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 53));
	feed(tasks, wait_record(61, &shell));
	assert_int_equal(waited(70), 61);
	/* Its beginning or its end was not seen: a WAIT of that CPU shows the end. */
	feed(tasks, wait_record(71, &shell));
	feed(tasks, suppressed(72, 9, PROCLIFE_WAIT, 5, 1));
	assert_int_equal(waited(80), 0);
	feed(tasks, begins(81, 9, PROCLIFE_WAIT));
	feed(tasks, begins(82, 9, PROCLIFE_WAIT));
	wait = wait_record(83, &shell);
	wait.cpu = 9;
	feed(tasks, wait);
	assert_int_equal(waited(90), 0);
	feed(tasks, wait_record(91, &shell));
	assert_int_equal(waited(100), 91);
}

/* Records of any type, since lost ones can be anything. */
static void test_lost(void **state)
{
	(void)state;
	feed_gap(tasks, 5, 20, 30);
	assert_true(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 30));
	assert_false(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 31));
}

/* Other types do not affect waits, and make no life incomplete. */
static void test_others(void **state)
{
	(void)state;
	feed(tasks, wait_record(10, &shell));
	feed(tasks, begins(11, 0, PROCLIFE_RENAME));
	feed(tasks, begins(12, 65535, PROCLIFE_SIGNAL));
	assert_true(proclife_tasks_may_lack(tasks, PROCLIFE_SIGNAL, 20));
	assert_false(proclife_tasks_may_lack(tasks, PROCLIFE_WAIT, 0));
	feed(tasks, begins(13, 0, UINT32_MAX)); /* a record that no module writes */
	feed(tasks, begins(14, 0, PROCLIFE_TYPES));
	assert_int_equal(waited(20), 10);
	assert_false(LAST_GONE->incomplete);
}

/*
 * Only RENAMEs determine the name, since a record by another task at the same time can have the old
 * one. If they are suppressed or lost, the task's next record does.
 */
static void test_name_after_suppressed_rename(void **state)
{
	struct who a = process_of_pid(300, "a");
	const struct proclife_process *process;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	process = proclife_tasks_find(tasks, a.task)->process;
	feed(tasks, rename_record(11, &a, "b"));
	feed(tasks, signal_record(12, &a, 15, &shell));
	assert_string_equal(process->comm, "b");
	feed(tasks, begins(13, 0, PROCLIFE_RENAME));
	a.comm = "c";
	feed(tasks, wait_record(14, &a));
	assert_string_equal(process->comm, "c");
	assert_string_equal(proclife_tasks_find(tasks, a.task)->comm, "c");
	feed(tasks, rename_record(15, &a, "d"));
	assert_string_equal(process->comm, "d");
}

static void test_name_after_lost_rename(void **state)
{
	struct who a = process_of_pid(400, "a"), t = thread_of(&a, 401);
	const struct proclife_process *process;

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, clone_record(11, &t, &shell, &a));
	process = proclife_tasks_find(tasks, a.task)->process;
	feed_gap(tasks, 1, 12, 13);
	t.comm = "t";
	feed(tasks, wait_record(14, &t));
	assert_string_equal(proclife_tasks_find(tasks, t.task)->comm, "t");
	assert_string_equal(process->comm, "a");
	a.comm = "b";
	feed(tasks, wait_record(15, &a));
	assert_string_equal(process->comm, "b");
}

/*
 * The program's output. The only recorded wait is the parent's before its child
 * exited; it may have returned and done anything since.
 */

static void record(void)
{
	struct who init = process_of_pid(1, "init"), parent, child;
	uint64_t since;

	folder_make(&folder);
	story_begin(folder.path);
	story_put(task_record(0, &init, &init));
	parent = story_fork(&init, 10, "parent");
	child = story_fork(&parent, 11, "child");
	story_wait(&parent);
	machine->now = 2000 * MS;
	since = machine->now;
	story_put(begins(since, 0, PROCLIFE_WAIT));
	story_exit(&child, &parent, 0);
	machine->now += 100 * MS;
	story_reap(&child, &parent);
	story_put(free_record(0, &child));
	story_wait(&parent);
	child = story_fork(&parent, 12, "zombie");
	machine->now = 3000 * MS;
	story_put(suppressed(machine->now, 0, PROCLIFE_WAIT, since, 4567));
	story_put_on(1, begins(machine->now, 1, PROCLIFE_RENAME));
	story_put_on(1, suppressed(machine->now, 1, PROCLIFE_RENAME, machine->now - 1, 89));
	story_put_on(1, suppressed(machine->now, 1, PROCLIFE_CGROUP, machine->now - 1, 7));
	story_put_on(1, suppressed(machine->now, 1, PROCLIFE_SIGNAL, 0, 0)); /* made by the library */
	story_exit(&child, &parent, 0);
	machine->now = 4000 * MS;
	story_end();
}

static struct output run(bool errors, const char *options)
{
	struct output out = run_program(errors, 0, "%s -i %s %s%s", program, folder.path, options,
					strstr(options, "--json") ? "" : " --monotonic");

	assert_int_equal(out.status, 0);
	return out;
}

static void expect(bool errors, const char *options, bool there, const char *text)
{
	struct output out = run(errors, options);

	if (!strstr(out.text, text) == there)
		fail_msg("%s: there%s is '%s' in\n%s", options, there ? "" : " not", text, out.text);
	free(out.text);
}

#define SUMS "4567 waits, 89 renames and 0 signals were suppressed by the module's budget; see proclife(4)\n" \
	     "proclife-read: 7 cgroup records were suppressed by the module's budget; see proclife(4)\n"

static void test_program(void **state)
{
	static const char *const views[] = { "--events", "--tree", "--latency", "--parents",
					     "--zombies", "--expect lost==0" };

	(void)state;
	record();
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		expect(true, views[i], true, SUMS "proclife-read: signal records were still being "
		       "suppressed on 1 CPU at the end, and are not counted\n");
	expect(false, "--events", true, "-- signal on CPU 1 suppressed, over the module's budget, "
	       "since before this begins --\n");
	expect(false, "--events", true,
	       "-- wait on CPU 0 suppressed, over the module's budget, since 2.000000000 --\n");
	expect(false, "--events", true,
	       "-- wait on CPU 0 no longer suppressed: 4567 were since 2.000000000 --\n");
	expect(false, "--events --json", true,
	       "{\"v\":1,\"type\":\"suppressed\",\"ts\":3000000000,\"cpu\":0,\"record\":\"wait\","
	       "\"ended\":true,\"since\":2000000000,\"count\":4567}\n");
	expect(false, "--tree --json", true,
	       "\"lost\":0,\"suppressed\":{\"wait\":4567,\"rename\":89,\"signal\":0,\"cgroup\":7,\"mm\":0,\"notify\":0,\"birth\":0,\"fail\":0}");
	/* By the records it was in wait() when its child exited, but that is not certain. */
	expect(false, "--latency", true, "whether it was in wait() is not known");
	expect(false, "--parents --json", true, "\"awaited\":0,\"belated\":0");
	/* It called wait() before; later calls would have been recorded, except for a moment. */
	expect(false, "--zombies", true, "when it last called wait() is not known");
	expect(false, "--zombies --json", true, "\"reaper_waited\":null");
	folder_remove(&folder);
}

/* Impossibly large counts do not wrap around. */
static void test_sums(void **state)
{
	(void)state;
	folder_make(&folder);
	story_begin(folder.path);
	for (unsigned int i = 1; i < 4; i++) {
		machine->now = 1000 * MS * i;
		story_put(suppressed(machine->now, 0, PROCLIFE_WAIT, 5, UINT64_MAX / 2));
	}
	story_end();
	expect(true, "--tree", true, "18446744073709551615 waits, 0 renames");
	folder_remove(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_waits),
		TEST(test_lost),
		TEST(test_others),
		TEST(test_name_after_suppressed_rename),
		TEST(test_name_after_lost_rename),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_sums),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
