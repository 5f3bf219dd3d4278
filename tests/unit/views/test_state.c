// SPDX-License-Identifier: GPL-2.0-only
/* All views agree on which processes are alive, zombies, not freed, or freed. */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct who init;

static int begin(void **state)
{
	(void)state;
	folder_make(&folder);
	story_begin(folder.path);
	init = process_of_pid(1, "init");
	story_put(task_record(0, &init, &init));
	return 0;
}

static void found(const struct who *who, uint32_t flags)
{
	struct proclife_record record = task_record(0, who, &init);

	record.flags |= flags;
	story_put(record);
}

static void expect_text(const char *view, const char *words, bool there)
{
	struct output output = run_program(false, 0, "%s -i %s %s", program, folder.path, view);

	assert_int_equal(output.status, 0);
	if (!strstr(output.text, words) == there)
		fail_msg("%s: %s'%s' in\n%s", view, there ? "no " : "", words, output.text);
	free(output.text);
}

/* Expects a line for this pid and state in the tree's JSON. */
static void expect_json(uint32_t pid, const char *state)
{
	struct output output = run_program(false, 0, "%s -i %s --tree --json", program, folder.path);
	char of_pid[32], of_state[32], *line;

	snprintf(of_pid, sizeof(of_pid), "\"pid\":%u,", pid);
	snprintf(of_state, sizeof(of_state), "\"state\":\"%s\"", state);
	line = strstr(output.text, of_pid);
	assert_non_null(line);
	*strchr(line, '\n') = 0;
	if (!strstr(line, of_state))
		fail_msg("%u is not %s: %s", pid, state, line);
	free(output.text);
}

static void expect_counts(unsigned int lives, unsigned int alive, unsigned int zombies,
			  unsigned int unfreed, unsigned int unknown)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "\"lives\":%u,\"alive\":%u,\"dying\":0,\"zombies\":%u,\"unfreed\":%u,\"unknown\":%u,", lives,
		 alive, zombies, unfreed, unknown);
	expect_text("--latency --json", text, true);
	snprintf(text, sizeof(text), "--expect zombies==%u", zombies);
	expect_text(text, "ok", true);
	expect_text("--zombies --json", "\"type\":\"zombie\"", zombies > 0);
}

/* Its EXIT was before the trace; it is reaped in it, and not freed. */
static void test_zombie_from_the_start(void **state)
{
	struct who z = process_of_pid(60, "ancient"), y = process_of_pid(61, "stays");

	(void)state;
	found(&z, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	found(&y, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	story_reap(&z, &init);
	story_end();
	expect_json(60, "unfreed");
	expect_text("--tree", "ancient  not freed", true);
	expect_json(61, "zombie");
	expect_counts(3, 1, 1, 1, 0);
}

/* A snapshot after a gap restores what the gap may have hidden of the processes that it finds. */
static void test_found_behind_a_gap(void **state)
{
	struct who a = story_fork(&init, 60, "a"), z, y;

	(void)state;
	story_fork(&init, 61, "b");
	z = story_fork(&init, 62, "z");
	y = story_fork(&init, 63, "y");
	story_exit(&z, &init, 0);
	story_exit(&y, &init, 0);
	story_sync();
	for (uint32_t i = 0; i < STORY_RING + 5; i++)
		story_put_on(1, record_of(0, PROCLIFE_WAIT, &init));
	story_sync();
	found(&a, 0);
	found(&z, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	story_end();
	expect_json(60, "alive");
	expect_json(61, "unknown");
	expect_json(62, "zombie");
	expect_json(63, "unknown");
}

/* It is freed, too: nothing of it was lost. */
static void test_end_of_a_zombie(void **state)
{
	struct who z = process_of_pid(60, "ancient");

	(void)state;
	found(&z, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	story_reap(&z, &init);
	story_put(free_record(0, &z));
	story_end();
	expect_json(60, "freed");
	expect_text("--tree", "ancient\n", true);
	expect_counts(2, 1, 0, 0, 0);
}

/* A process is a thread group: it lives as long as one thread does. */
static void test_leader_gone(void **state)
{
	struct who a = process_of_pid(60, "a"), t = thread_of(&a, 62), b;
	struct who u;

	(void)state;
	found(&a, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	found(&t, 0);
	b = story_fork(&init, 70, "b");
	u = thread_of(&b, 71);
	story_put(clone_record(0, &u, &init, &b));
	story_put(exit_record(0, &b, 0, 1));
	story_end();
	expect_json(60, "alive");
	expect_json(70, "alive");
	expect_text("--tree", "b  alive, 2 threads", true);
	expect_counts(3, 3, 0, 0, 0);
	expect_text("--parents --json", "\"zombies\":1", false);
}

/* A thread had begun to exit before the trace: only the leader's EXIT shows that the process goes on. */
static void test_leader_gone_before(void **state)
{
	struct who a = process_of_pid(60, "a"), t = thread_of(&a, 62);

	(void)state;
	found(&a, 0);
	found(&t, PROCLIFE_F_EXITING);
	story_put(exit_record(0, &a, 0, 1));
	story_end();
	expect_json(60, "alive");
	expect_counts(2, 2, 0, 0, 0);
}

/* The last thread exits, too. */
static void test_all_gone(void **state)
{
	struct who a = process_of_pid(60, "a"), t = thread_of(&a, 62);

	(void)state;
	found(&a, PROCLIFE_F_EXITING | PROCLIFE_F_ZOMBIE);
	found(&t, 0);
	story_put(exit_record(0, &t, 0, 0));
	story_put(notify_record(0, &a, &init));
	story_end();
	expect_json(60, "zombie");
	expect_text("--tree", "a  zombie, 2 threads", true);
	expect_counts(2, 1, 1, 0, 0);
	expect_text("--parents --json", "\"zombies\":1", true);
}

/* A thread was reaped before the trace began, and is freed after its process: nothing is left of it. */
static void test_late_thread(void **state)
{
	struct who a = process_of_pid(60, "a"), t = thread_of(&a, 62);

	(void)state;
	found(&a, 0);
	story_put(exit_record(0, &a, 0, 0));
	story_reap(&a, &init);
	story_put(free_record(0, &a));
	story_put(free_record(0, &t));
	story_end();
	expect_json(60, "freed");
	expect_counts(2, 1, 0, 0, 0);
	expect_text("--tree", "\n2 processes;", true);
}

/* One process has only the end of a thread; another, only its leader's REAP and FREE. */
static void test_ends_alone(void **state)
{
	struct who a = process_of_pid(60, "a"), t = thread_of(&a, 62), b = process_of_pid(70, "b");

	(void)state;
	story_put(reap_record(0, &t, &t));
	story_put(free_record(0, &t));
	story_reap(&b, &init);
	story_put(free_record(0, &b));
	story_end();
	expect_json(60, "unknown");
	expect_json(70, "freed");
	expect_counts(3, 1, 0, 0, 1);
}

/* Another task has its handle: its end was lost, and its state is not known. */
static void test_end_lost(void **state)
{
	struct who a = story_fork(&init, 60, "a"), t = thread_of(&a, 62);
	struct who b = process_of_pid(70, "b");

	(void)state;
	story_put(clone_record(0, &t, &init, &a));
	b.task = t.task;
	story_put(fork_record(0, &b, &init));
	story_end();
	expect_text("--tree --threads", "{a}  end lost", true);
	expect_text("--tree --threads --json", "\"state\":\"unknown\"", true);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, story_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_zombie_from_the_start),
		TEST(test_found_behind_a_gap),
		TEST(test_end_of_a_zombie),
		TEST(test_leader_gone),
		TEST(test_leader_gone_before),
		TEST(test_all_gone),
		TEST(test_late_thread),
		TEST(test_ends_alone),
		TEST(test_end_lost),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
