// SPDX-License-Identifier: GPL-2.0-only
/*
 * EXEC and ARGS of a program: its path, and the pieces of its arguments, between records of other tasks,
 * and with some of them lost.
 */
#include "check.h"
#include "fixture_tasks.h"

#include <string.h>

static struct proclife_record piece(uint64_t ts, const struct who *who, const char *text,
				    uint32_t total, uint16_t offset)
{
	struct proclife_record record = record_of(ts, PROCLIFE_ARGS, who);
	uint32_t left = total - offset;

	record.args.total = total;
	record.args.offset = offset;
	record.args.len = (uint16_t)(left < PROCLIFE_ARGS_LEN ? left : PROCLIFE_ARGS_LEN);
	memcpy(record.args.text, text + offset, record.args.len);
	return record;
}

static const struct proclife_process *process_of(const struct who *who)
{
	return proclife_tasks_find(tasks, who->task)->process;
}

/* Two execs at the same time, in the order of time, each moving from one CPU to the other and back. */
static void test_args_between_others(void **state)
{
	struct who who[2] = { process_of_pid(200, "a"), process_of_pid(201, "b") };
	char text[2][300];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i / 300][i % 300] = (char)('a' + i % 23);
	for (size_t i = 0; i < 2; i++) {
		feed(tasks, fork_record(10 + i, &who[i], &shell));
		feed(tasks, exec_record(12 + i, &who[i], who[i].pid, "/bin/true"));
	}
	for (uint16_t at = 0; at < 300; at += PROCLIFE_ARGS_LEN) {
		for (size_t i = 0; i < 2; i++) {
			struct proclife_record record = piece(20 + at, &who[i], text[i], 300, at);

			record.cpu = (uint16_t)((i + at / PROCLIFE_ARGS_LEN) % 2);
			feed(tasks, record);
			feed(tasks, wait_record(20 + at, &shell));
		}
	}
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(process_of(&who[i])->args_bytes, 300);
		assert_memory_equal(process_of(&who[i])->args, text[i], 300);
		assert_false(process_of(&who[i])->args_cut);
	}
}

/* Lost pieces are not replaced by the pieces of another EXEC, though they would fit. */
static void test_args_behind_a_gap(void **state)
{
	struct who a = process_of_pid(200, "a");
	char one[200], two[200];

	(void)state;
	memset(one, '1', sizeof(one));
	memset(two, '2', sizeof(two));
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(12, &a, 200, "/bin/true"));
	feed(tasks, piece(13, &a, one, 200, 0));
	feed_gap(tasks, 5, 13, 20); /* the rest, the next EXEC and its first piece */
	feed(tasks, piece(20, &a, two, 200, 64));
	assert_int_equal(process_of(&a)->args_bytes, 64);
	assert_memory_equal(process_of(&a)->args, one, 64);
	assert_true(process_of(&a)->args_cut);
	/* Only the EXEC of the next one was lost, and a piece of the one after that. */
	feed_gap(tasks, 5, 20, 30);
	for (uint16_t at = 0; at < 200; at += PROCLIFE_ARGS_LEN)
		feed(tasks, piece(30, &a, two, 200, at));
	assert_int_equal(process_of(&a)->args_bytes, 200);
	assert_memory_equal(process_of(&a)->args, two, 200);
	assert_false(process_of(&a)->args_cut);
	feed(tasks, exec_record(40, &a, 200, "/bin/true"));
	feed(tasks, piece(41, &a, one, 200, 0));
	feed_gap(tasks, 1, 41, 42);
	feed(tasks, piece(43, &a, one, 200, 128));
	assert_int_equal(process_of(&a)->args_bytes, 64);
	assert_true(process_of(&a)->args_cut);
	/* An EXEC begins again, wherever the one before it was. */
	feed(tasks, exec_record(50, &a, 200, "/bin/true"));
	assert_null(process_of(&a)->args);
	feed(tasks, piece(51, &a, two, 64, 0));
	assert_int_equal(process_of(&a)->args_bytes, 64);
	assert_false(process_of(&a)->args_cut);
}

static void test_long_path(void **state)
{
	static const char path[] = "/a/very/long/path/that/does/not/fit/into/the/record/bin/true";
	struct who a = process_of_pid(200, "sh");

	(void)state;
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(11, &a, 200, "123456789012345678901234567890123456789012345678"));
	assert_string_equal(proclife_tasks_find(tasks, a.task)->process->path,
			    "123456789012345678901234567890123456789012345678");
	feed(tasks, exec_record(12, &a, 200, path));
	assert_string_equal(proclife_tasks_find(tasks, a.task)->process->path,
			    ".../path/that/does/not/fit/into/the/record/bin/true");
	assert_int_equal(proclife_tasks_find(tasks, a.task)->process->execs, 2);
}

static void feed_args(const struct who *who, const char *text, uint32_t total, uint32_t skip)
{
	for (uint32_t offset = 0; offset < total; offset += PROCLIFE_ARGS_LEN) {
		if (offset / PROCLIFE_ARGS_LEN != skip)
			feed(tasks, piece(13, who, text, total, (uint16_t)offset));
	}
}

static void test_args(void **state)
{
	struct who a = process_of_pid(200, "sh");
	const struct proclife_process *process;
	struct proclife_record cut;
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 7 ? (char)('a' + i % 26) : '\0';
	feed(tasks, fork_record(10, &a, &shell));
	process = proclife_tasks_find(tasks, a.task)->process;
	assert_null(process->args);
	feed(tasks, exec_record(12, &a, 200, "/bin/true"));
	assert_null(process->args);
	feed_args(&a, text, sizeof(text), UINT32_MAX);
	assert_non_null(process->args);
	assert_int_equal(process->args_bytes, sizeof(text));
	assert_memory_equal(process->args, text, sizeof(text));
	assert_int_equal(process->args[sizeof(text)], 0);
	assert_false(process->args_cut);
	/* Another exec, and its second piece is lost. */
	feed(tasks, exec_record(14, &a, 200, "/bin/false"));
	assert_null(process->args);
	feed_args(&a, text, sizeof(text), 1);
	assert_int_equal(process->args_bytes, PROCLIFE_ARGS_LEN);
	assert_true(process->args_cut);
	feed(tasks, exec_record(15, &a, 200, "/bin/false"));
	assert_int_equal(process->args_bytes, 0);
	assert_false(process->args_cut);
	feed_args(&a, text, 2, UINT32_MAX);
	assert_int_equal(process->args_bytes, 2);
	assert_false(process->args_cut);
	/* The module had no room for more, or found no more in memory. */
	feed(tasks, exec_record(16, &a, 200, "/bin/false"));
	cut = record_of(17, PROCLIFE_ARGS, &a);
	cut.flags |= PROCLIFE_F_TRUNCATED;
	cut.args.total = 100;
	cut.args.len = 3;
	memcpy(cut.args.text, "ls", 3);
	feed(tasks, cut);
	assert_int_equal(process->args_bytes, 3);
	assert_string_equal(process->args, "ls");
	assert_true(process->args_cut);
	/* The module never writes these: more than the piece holds, more than there is. */
	feed(tasks, exec_record(18, &a, 200, "/bin/false"));
	cut.args.len = PROCLIFE_ARGS_LEN + 1;
	feed(tasks, cut);
	assert_null(process->args);
	cut.args.len = 50;
	cut.args.total = 49;
	feed(tasks, cut);
	assert_null(process->args);
	assert_true(process->args_cut);
}

static enum proclife_match has_args(void *data, const struct proclife_process *process)
{
	(void)data;
	return process->args ? PROCLIFE_MATCHES : PROCLIFE_MATCHES_NOT;
}

/* A filter asks at the exec, when there are no arguments yet: it does not get the previous program's. */
static void test_args_of_the_program_before(void **state)
{
	struct who a = process_of_pid(200, "a");

	(void)state;
	proclife_tasks_filter(tasks, has_args, NULL);
	feed(tasks, fork_record(10, &a, &shell));
	feed(tasks, exec_record(12, &a, 200, "/bin/true"));
	feed(tasks, piece(13, &a, "true", 5, 0));
	assert_true(process_of(&a)->matches);
	feed(tasks, exec_record(14, &a, 200, "/bin/false"));
	assert_false(process_of(&a)->matches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_long_path),
		TEST(test_args),
		TEST(test_args_between_others),
		TEST(test_args_behind_a_gap),
		TEST(test_args_of_the_program_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
