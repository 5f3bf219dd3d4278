// SPDX-License-Identifier: GPL-2.0-only
/* Times of day, in a time zone. */
#include "check.h"
#include "fixture_text.h"

#include <output/daytime.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000LL

static void expect(const char *zone, int64_t realtime, bool utc, const char *date, const char *time)
{
	setenv("TZ", zone, 1);
	tzset();
	text_clear(&text);
	/* Another block first: what is cached of it is not used for this one. */
	text_daytime(&text, (uint64_t)realtime + 86400 * SECOND, !utc, 0);
	text_clear(&text);
	text_date(&text, (uint64_t)realtime, utc);
	if (strcmp(text.s, date))
		fail_msg("%s: %s instead of %s", zone, text.s, date);
	text_clear(&text);
	text_daytime(&text, (uint64_t)realtime, utc, 9);
	if (strcmp(text.s, time))
		fail_msg("%s: %s instead of %s", zone, text.s, time);
	assert_int_equal(text.columns, 18);
}

static void test_zones(void **state)
{
	(void)state;
	expect("UTC0", 0, false, "1970-01-01", "00:00:00.000000000");
	expect("UTC0", 1795384799 * SECOND + 123456789, true, "2026-11-22", "21:59:59.123456789");
	expect("CET-1", 1795384799 * SECOND, false, "2026-11-22", "22:59:59.000000000");
	expect("CET-1", 1795384799 * SECOND, true, "2026-11-22", "21:59:59.000000000");
	expect("IST-5:30", 1795384799 * SECOND, false, "2026-11-23", "03:29:59.000000000");
	expect("NPT-5:45", 1795384800 * SECOND, false, "2026-11-23", "03:45:00.000000000");
	/* Just before and after midnight, in a zone whose hours do not begin with UTC's blocks. */
	expect("LMT0:44:30", 2669 * SECOND, false, "1969-12-31", "23:59:59.000000000");
	expect("LMT0:44:30", 2670 * SECOND, false, "1970-01-01", "00:00:00.000000000");
	/* A clock that was never set can be before 1970. */
	expect("UTC0", -1, true, "1969-12-31", "23:59:59.999999999");
	expect("UTC0", -86400 * SECOND, true, "1969-12-31", "00:00:00.000000000");
	/* Summer begins. */
	expect("CET-1CEST,M3.5.0,M10.5.0/3", 1774745999 * SECOND, false, "2026-03-29", "01:59:59.000000000");
	expect("CET-1CEST,M3.5.0,M10.5.0/3", 1774746000 * SECOND, false, "2026-03-29", "03:00:00.000000000");
}

static void test_decimals(void **state)
{
	(void)state;
	text_clear(&text);
	text_daytime(&text, 999999999, true, 0);
	assert_string_equal(text.s, "00:00:00");
	text_clear(&text);
	text_daytime(&text, 999999999, true, 3);
	assert_string_equal(text.s, "00:00:00.999");
}

static void test_days(void **state)
{
	(void)state;
	assert_int_equal(daytime_day(0, true), 0);
	assert_int_equal(daytime_day(86399 * SECOND, true), 0);
	assert_int_equal(daytime_day(86400 * SECOND, true), 1);
	assert_int_equal(daytime_day((uint64_t)-1, true), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_zones, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_decimals, begin_text, end_text),
		cmocka_unit_test_setup_teardown(test_days, begin_text, end_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
