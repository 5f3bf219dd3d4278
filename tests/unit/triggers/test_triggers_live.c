// SPDX-License-Identifier: GPL-2.0-only
/* --on with a live device: what is due is reported even if nothing happens. */
#include "check.h"
#include "live_device.h"
#include "program.h"
#include "recorded.h"
#include "watching.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_zombie(void **state)
{
	uint64_t before, exited;
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	out = start_watching(&pid, "--on zombie>300ms --on failed --count 2");
	free(next(out, "trace"));
	before = clock_now();
	put_zombie(100);
	line = next(out, "fired");
	assert_non_null(strstr(line, "\"condition\":\"failed\","));
	exited = number(line, "ts");
	assert_in_range(exited, before, clock_now());
	free(line);
	line = next(out, "fired");
	assert_non_null(strstr(line, "\"condition\":\"zombie>300ms\","));
	assert_non_null(strstr(line, "\"open\":true,"));
	assert_in_range(number(line, "ts"), exited + 300 * MS, exited + 400 * MS);
	assert_in_range(clock_now(), number(line, "ts"), number(line, "ts") + 5000 * MS);
	assert_int_equal(number(line, "value"), 300 * MS + 1);
	assert_int_equal(number(line, "pid"), 100);
	free(line);
	line = next(out, "end");
	assert_non_null(strstr(line, "\"reason\":\"count\","));
	free(line);
	fclose(out);
}

/* A zombie that is reaped in time is not reported. */
static void test_reaped(void **state)
{
	pid_t pid;
	FILE *out;

	(void)state;
	live_open(1 << 10);
	out = start_watching(&pid, "--on zombie>400ms --duration 1s");
	free(next(out, "trace"));
	put_zombie(100);
	usleep(50000);
	live_put(2, reap_record(0, &child, &first_process));
	live_put(2, free_record(0, &child));
	assert_null(next(out, "fired"));
	fclose(out);
}

/* The history of one CPU begins later than another's: what ended there has been over for long. */
static void test_history(void **state)
{
	struct who sleeper = process_of_pid(101, "sleeper"), other = process_of_pid(7, "other");
	pid_t pid;
	char *line;
	FILE *out;

	(void)state;
	live_open(64);
	put_zombie(100);
	live_put(0, fork_record(0, &sleeper, &first_process));
	live_put(2, exit_record(0, &sleeper, 0, 0));
	live_put(2, reap_record(0, &child, &first_process));
	live_put(2, free_record(0, &child));
	usleep(1000);
	for (int i = 0; i < 100; i++)
		live_put(2, wait_record(0, &other));
	child = process_of_pid(102, "late");
	live_put(3, fork_record(0, &child, &first_process));
	usleep(300000);
	out = start_watching(&pid, "--on life>200ms --on zombie>200ms --on exit_free>200ms --history --duration 300ms");
	line = next(out, "fired");
	assert_non_null(line);
	assert_int_equal(number(line, "pid"), 102);
	free(line);
	assert_null(next(out, "fired"));
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIVE(test_zombie),
		LIVE(test_reaped),
		LIVE(test_history),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
