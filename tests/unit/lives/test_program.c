// SPDX-License-Identifier: GPL-2.0-only
/* What PATH records say of a program: each text with its last piece, and never one that is put together of two. */
#include "check.h"
#include "exits.h"
#include "marks.h"

#include <string.h>

static struct who a;

static int begin(void **state)
{
	int ret = begin_exits(state);

	a = process_of_pid(200, "app");
	feed(tasks, fork_record(1000, &a, &shell));
	feed(tasks, exec_record(1010, &a, a.pid, "/bin/a"));
	return ret;
}

static const struct proclife_program *program(void)
{
	return proclife_process_program(process_of(&a));
}

/* A piece of a text, of which all pieces are the same. */
static struct proclife_record piece(uint64_t ts, uint32_t what, uint32_t total, uint32_t offset, uint32_t len)
{
	struct proclife_record record = record_of(ts, PROCLIFE_PATH, &a);

	record.path.what = (uint16_t)what;
	record.path.total = (uint16_t)total;
	record.path.offset = (uint16_t)offset;
	record.path.len = (uint16_t)len;
	record.path.searched = 77;
	memset(record.path.text, 'x', len < PROCLIFE_PATH_TEXT ? len : PROCLIFE_PATH_TEXT);
	return record;
}

static void test_pieces(void **state)
{
	(void)state;
	assert_null(program());
	feed(tasks, piece(1011, PROCLIFE_PATH_EXE, 130, 0, 60));
	feed(tasks, piece(1012, PROCLIFE_PATH_EXE, 130, 60, 60));
	assert_null(program()->exe);
	feed(tasks, piece(1013, PROCLIFE_PATH_EXE, 130, 120, 10));
	assert_int_equal(strlen(program()->exe), 130);
	assert_null(program()->cwd);
	feed(tasks, piece(1014, PROCLIFE_PATH_CWD, 3, 0, 3));
	assert_string_equal(program()->cwd, "xxx");
	assert_int_equal(strlen(program()->exe), 130);
	assert_null(program()->env);
}

/* It is another program, of which nothing is known. */
static void test_exec(void **state)
{
	test_pieces(state);
	feed(tasks, exec_record(1100, &a, a.pid, "/bin/b"));
	assert_null(program());
	feed(tasks, piece(1101, PROCLIFE_PATH_EXE, 130, 60, 60));
	feed(tasks, piece(1102, PROCLIFE_PATH_EXE, 130, 120, 10));
	assert_null(program()->exe);
}

static void test_gap(void **state)
{
	struct proclife_event gap = { .gap = { .from = 1012, .to = 1013, .lost = 1 } };

	(void)state;
	feed(tasks, piece(1011, PROCLIFE_PATH_EXE, 70, 0, 60));
	assert_int_equal(proclife_tasks_feed(tasks, &gap), 1);
	feed(tasks, piece(1014, PROCLIFE_PATH_EXE, 70, 60, 10));
	assert_null(program()->exe); /* that can be another exec's */
	feed(tasks, piece(1020, PROCLIFE_PATH_EXE, 2, 0, 2));
	assert_string_equal(program()->exe, "xx");
	feed(tasks, piece(1021, PROCLIFE_PATH_EXE, 70, 0, 60)); /* and this is one whose EXEC is lost */
	assert_null(program()->exe);
}

static void test_unknown(void **state)
{
	struct proclife_record record = piece(1011, PROCLIFE_PATH_EXE, 0, 0, 0);

	(void)state;
	record.flags |= PROCLIFE_F_TRUNCATED;
	feed(tasks, record);
	assert_null(program()->exe);
	record = piece(1012, PROCLIFE_PATH_EXE, 70, 0, 60); /* the rest could not be recorded */
	record.flags |= PROCLIFE_F_TRUNCATED;
	feed(tasks, record);
	assert_null(program()->exe);
	feed(tasks, piece(1012, PROCLIFE_PATH_CWD, 0, 0, 0));
	assert_null(program()->cwd);
	feed(tasks, piece(1013, 4, 3, 0, 3)); /* of a later module */
	feed(tasks, piece(1014, 0, 3, 0, 3));
	assert_null(program()->env);
}

static void test_env(void **state)
{
	struct proclife_record record = piece(1011, PROCLIFE_PATH_ENV, 0, 0, 0);

	(void)state;
	feed(tasks, record);
	assert_non_null(program()->env);
	assert_int_equal(program()->env_bytes, 0);
	assert_true(program()->env_whole); /* none is set */
	assert_int_equal(program()->env_searched, 77);
	record = piece(1012, PROCLIFE_PATH_ENV, 100, 0, 60);
	feed(tasks, record);
	assert_null(program()->env);
	record = piece(1013, PROCLIFE_PATH_ENV, 100, 60, 20);
	record.flags |= PROCLIFE_F_TRUNCATED;
	feed(tasks, record);
	assert_int_equal(strlen(program()->env), 80);
	assert_int_equal(program()->env_bytes, 80);
	assert_false(program()->env_whole);
}

/* Any program can have written a recording. */
static void test_bounds(void **state)
{
	(void)state;
	feed(tasks, piece(1011, PROCLIFE_PATH_EXE, 100, 0, 61));
	feed(tasks, piece(1012, PROCLIFE_PATH_EXE, 10, 0, 11));
	feed(tasks, piece(1013, PROCLIFE_PATH_EXE, 65535, 65535, 60));
	feed(tasks, piece(1014, PROCLIFE_PATH_EXE, 65535, 65535, 65535));
	assert_null(program()->exe);
	for (uint32_t offset = 0; offset < 65535; offset += 60)
		feed(tasks, piece(1020, PROCLIFE_PATH_CWD, 65535, offset, 65535 - offset < 60 ? 65535 - offset : 60));
	assert_int_equal(strlen(program()->cwd), 65535);
}

int main(void)
{
#define PROGRAM(name) cmocka_unit_test_setup_teardown(name, begin, end_tasks)
	const struct CMUnitTest tests[] = {
		PROGRAM(test_pieces), PROGRAM(test_exec), PROGRAM(test_gap), PROGRAM(test_unknown), PROGRAM(test_env),
		PROGRAM(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
