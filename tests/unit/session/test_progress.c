// SPDX-License-Identifier: GPL-2.0-only
/* The line of progress: on a terminal only, and gone at the end. */
#include "check.h"
#include "fake_device.h"
#include "program.h"
#include "records.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static struct fake_device *device;

static int begin(void **state)
{
	struct who init = process_of_pid(1, "init");

	(void)state;
	device = fake_device_new(1, 4096);
	fake_device_add_rings(device);
	for (uint32_t i = 0; i < 1234; i++) {
		struct who who = process_of_pid(300 + i, "x");
		struct proclife_record *slot = fake_device_begin(device, 0);

		*slot = fork_record(1000 + i, &who, &init);
		proclife_ring_commit(&device->rings[0], PROCLIFE_FORK);
	}
	return 0;
}

static int end(void **state)
{
	(void)state;
	fake_device_free(device);
	return 0;
}

/* The output on a terminal of this many columns while it follows for some time. */
static struct output follow(unsigned short columns, bool both, const char *options)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), null, slave;
	struct winsize size = { .ws_col = columns, .ws_row = 25 };
	struct output output = { NULL, 0, 0 };
	char line[3 * PATH_MAX];
	pid_t pid;

	assert_true(terminal >= 0);
	assert_int_equal(grantpt(terminal) | unlockpt(terminal), 0);
	assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
	slave = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	assert_true(slave >= 0 && null >= 0);
	snprintf(line, sizeof(line), "%s --device /proc/%d/fd/%d --history %s", program,
		 (int)getpid(), device->fd, options);
	pid = start_program(line, both ? slave : null, slave, 0);
	close(slave);
	close(null);
	collect_output(pid, terminal, &output);
	close(terminal);
	assert_int_equal(output.status, 0);
	return output;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

#define SHOWN "\r1,234 records, 1,234 processes, "

static void test_shown(void **state)
{
	uint64_t took = now_ms(), times = 0;
	struct output out = follow(80, false, "--tree --duration 1.2s");
	const char *last, *end;

	(void)state;
	took = now_ms() - took;
	if (strncmp(out.text, SHOWN, strlen(SHOWN)))
		fail_msg("'%s'", out.text);
	for (const char *at = out.text; (at = strstr(at, SHOWN)); at++)
		times++;
	/* At most every 200 ms, after half a second; less often on a busy machine. */
	assert_in_range(times, 1, (took - 500) / 200 + 1);
	/* At the end, spaces cover the longest line. */
	last = strrchr(out.text, '\r');
	assert_int_equal(last[1], 0);
	end = last - 1;
	while (*end == ' ')
		end--;
	assert_int_equal(*end, '\r');
	assert_true(last - end > (long)strlen(SHOWN));
	assert_null(strchr(out.text, '\n'));
	free(out.text);
}

static void test_narrow(void **state)
{
	struct output out = follow(20, false, "--latency --duration 900ms");

	(void)state;
	if (strncmp(out.text, "\r1,234 records, 1,23\r", 21))
		fail_msg("'%s'", out.text);
	free(out.text);
}

/* There is no progress line if the records themselves go to the terminal. */
static void test_not_shown(void **state)
{
	static const char *const options[] = {
		"--tree --duration 900ms -q", "--tree --duration 900ms --json",
	};
	struct output out;

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		out = follow(80, false, options[i]);
		assert_string_equal(out.text, "");
		free(out.text);
	}
	out = follow(80, true, "--events --duration 900ms");
	assert_null(strstr(out.text, "1,234 records"));
	assert_non_null(strstr(out.text, "fork"));
	free(out.text);
	out = run_program(true, 0, "%s --device /proc/%d/fd/%d --history --tree --duration 900ms",
			  program, (int)getpid(), device->fd);
	assert_string_equal(out.text, "");
	free(out.text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_shown),
		TEST(test_narrow),
		TEST(test_not_shown),
	};

	if (find_program())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
