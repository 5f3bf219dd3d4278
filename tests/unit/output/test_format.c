// SPDX-License-Identifier: GPL-2.0-only
/* Numbers, times, sizes and names are formatted without printf(), but to the last digit like it. */
#include "check.h"
#include "fixture_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <output/json.h>
#include <output/percentiles.h>
#include <output/wrap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Compares the text, whose columns are its bytes, with what printf() prints; clears it. */
__attribute__((format(printf, 1, 2))) static void expect(const char *format, ...)
{
	char expected[200];
	va_list args;

	va_start(args, format);
	vsnprintf(expected, sizeof(expected), format, args);
	va_end(args);
	assert_string_equal(text.s, expected);
	assert_int_equal(text.len, strlen(expected));
	assert_int_equal(text.columns, text.len);
	text_clear(&text);
}

/* A random number with a random count of binary digits. */
static uint64_t any_number(uint64_t *random)
{
	return next_random(random) >> random_below(random, 64);
}

static void check_number(uint64_t n)
{
	text_uint(&text, n);
	expect("%" PRIu64, n);
	text_uint_in(&text, 7, n);
	expect("%7" PRIu64, n);
	text_stamp(&text, n);
	expect("%5" PRIu64 ".%09u", n / 1000000000, (unsigned int)(n % 1000000000));
}

static void test_numbers(void **state)
{
	uint64_t random = 1, power = 1;

	(void)state;
	for (int i = 0; i < 20; i++, power *= 10)
		for (int d = -1; d <= 1; d++)
			check_number(power + d);
	for (int i = 0; i < 64; i++)
		for (int d = -1; d <= 1; d++)
			check_number((UINT64_C(1) << i) + d);
	check_number(0);
	check_number(UINT64_MAX);
	for (int i = 0; i < 100000; i++)
		check_number(any_number(&random));
}

static void expect_digits(double value, const char *unit)
{
	expect("%.*f %s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

static void check_time(uint64_t ns)
{
	text_time(&text, ns);
	if (ns < 1000)
		expect("%u ns", (unsigned int)ns);
	else if (ns / 1e3 < 999.5)
		expect_digits(ns / 1e3, "us");
	else if (ns / 1e6 < 999.5)
		expect_digits(ns / 1e6, "ms");
	else if (ns / 1e9 < 999.5)
		expect_digits(ns / 1e9, "s");
	else if (ns / 60e9 < 60)
		expect_digits(ns / 60e9, "min");
	else
		expect_digits(ns / 3600e9, "h");
}

/* Above all, times halfway between two roundings, and where units and digits change. */
static void test_times(void **state)
{
	static const uint64_t units[] = { 1000, 1000000, 1000000000 };
	uint64_t random = 1;

	(void)state;
	for (uint64_t ns = 0; ns < 1100000; ns++)
		check_time(ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		for (uint64_t n = 1; n < 200500; n++) { /* 1.005, 1.015, ... and 10.05, 100.5 */
			check_time(n * units[i] / 200);
			check_time(n * units[i] / 200 + 1);
			check_time(n * units[i] / 200 - 1);
		}
	}
	for (int i = 0; i < 200000; i++)
		check_time(any_number(&random));
	check_time(UINT64_MAX);
}

static void check_size(uint64_t kib)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = kib;
	int i = 0;

	text_size(&text, kib);
	if (kib < 1000) {
		expect("%u KiB", (unsigned int)kib);
		return;
	}
	for (; i < 3 && value >= 999.5; i++)
		value /= 1024;
	expect_digits(value, units[i]);
}

static void test_sizes(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (uint64_t kib = 0; kib < 1100000; kib++)
		check_size(kib);
	for (int i = 0; i < 200000; i++)
		check_size(any_number(&random));
	check_size(UINT64_MAX);
}

/* The specification of text_name(), one byte after the other. */
static void slow_name(char *to, const char *s, size_t n)
{
	for (; n && *s; s++, n--) {
		unsigned char c = *s;
		const char *letter = memchr("\a\b\t\n\v\f\r", c, 7);

		if (c == '\\')
			to += sprintf(to, "\\\\");
		else if (letter)
			to += sprintf(to, "\\%c", "abtnvfr"[c - 7]);
		else if (c < 0x20 || c >= 0x7f)
			to += sprintf(to, "\\x%02x", c);
		else
			*to++ = c;
	}
	*to = '\0';
}

/* Names of random bytes, most of them plain, of any length. */
static void test_names(void **state)
{
	char name[48], expected[200];
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t from = random_below(&random, 8), n = random_below(&random, 40);

		for (size_t k = 0; k < sizeof(name); k++)
			name[k] = random_below(&random, 12) ? 'a' + (char)random_below(&random, 26) :
							      (char)next_random(&random);
		slow_name(expected, name + from, n);
		text_string(&text, "");
		text_name(&text, name + from, n);
		expect("%s", expected);
	}
	for (int c = 1; c < 256; c++) {
		memset(name, 'x', 17);
		name[9] = (char)c;
		slow_name(expected, name, 17);
		text_name(&text, name, 17);
		expect("%s", expected);
	}
	/* Nothing behind a NUL is read, which AddressSanitizer checks. */
	for (size_t n = 0; n < 20; n++) {
		char *exact = calloc(1, n + 1);

		assert_non_null(exact);
		memset(exact, 'x', n);
		text_string(&text, "");
		text_name(&text, exact, SIZE_MAX);
		expect("%s", exact);
		free(exact);
	}
}

/* Expects this line of JSON, without the fixed beginning and end. */
static void expect_json(struct json *json, const char *format, ...)
{
	static const char begins[] = "{\"v\":1,\"type\":\"t\"";
	char expected[400], *line = NULL;
	size_t size = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(expected, sizeof(expected), format, args);
	va_end(args);
	json->out = open_memstream(&line, &size);
	json_line_end(json);
	fclose(json->out);
	assert_int_equal(strncmp(line, begins, strlen(begins)), 0);
	assert_string_equal(line + size - 2, "}\n");
	line[size - 2] = '\0';
	assert_string_equal(line + strlen(begins), expected);
	free(line);
	json_line(json, "t");
}

static void test_json(void **state)
{
	struct json json;
	uint64_t random = 1;

	(void)state;
	json_init(&json, stdout);
	json_line(&json, "t");
	for (int i = 0; i < 20000; i++) {
		uint64_t n = any_number(&random);

		json_uint(&json, "a", n);
		json_int(&json, "b", (int64_t)n);
		json_int(&json, "c", -(int64_t)n);
		json_name(&json, "d");
		json_wrote(&json, put_quoted_hex(json_room(&json, 18), n));
		expect_json(&json, ",\"a\":%" PRIu64 ",\"b\":%" PRId64 ",\"c\":%" PRId64
			    ",\"d\":\"%016" PRIx64 "\"", n, (int64_t)n, -(int64_t)n, n);
	}
	json_int(&json, "min", INT64_MIN);
	expect_json(&json, ",\"min\":-9223372036854775808");
	json_string(&json, "s", "plain, and plain again: \"quoted\" \\ \x7f \t\x01 end of it all");
	expect_json(&json, ",\"s\":\"plain, and plain again: \\\"quoted\\\" \\\\ \\u007f \\u0009\\u0001"
		    " end of it all\"");
	json_string(&json, "s", "\xc3\xa4\xc2\x85\xe2\x82\xac");
	expect_json(&json, ",\"s\":\"\xc3\xa4\\u0085\xe2\x82\xac\"");
	json_bytes(&json, "s", "12345678\xff", 9);
	expect_json(&json, ",\"s\":\"12345678\\ufffd\",\"s_hex\":\"3132333435363738ff\"");
	json_blob(&json, "s", "1234567\0" "9", 9);
	expect_json(&json, ",\"s\":\"1234567\\u00009\"");
	json_array(&json, "a");
	json_blob(&json, NULL, "x", 1);
	json_null(&json, NULL);
	json_bool(&json, NULL, false);
	json_array_end(&json);
	expect_json(&json, ",\"a\":[\"x\",null,false]");
	json_free(&json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_text, end_text)

/* Expects the columns for which there is room behind a name of this width. */
static void expect_columns(unsigned int width, unsigned int name, const char *titles)
{
	struct proclife_histogram *h;

	assert_int_equal(proclife_histogram_new(&h), 0);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(proclife_histogram_add(h, 5), 0);
	screen.width = width;
	text_spaces(&text, name);
	text_percentiles_head(&text);
	assert_string_equal(text.s + name, titles);
	assert_true(!width || text.columns <= width);
	text_clear(&text);
	text_spaces(&text, name);
	text_percentiles(&text, h);
	assert_int_equal(text.columns, name + strlen(titles));
	text_clear(&text);
	screen.width = 0;
	proclife_histogram_free(h);
}

static void test_percentiles(void **state)
{
	(void)state;
	expect_columns(0, 24, "    COUNT      MIN      p50      p90      p99    p99.9      MAX");
	expect_columns(87, 24, "    COUNT      MIN      p50      p90      p99    p99.9      MAX");
	expect_columns(86, 24, "    COUNT      MIN      p50      p90      p99      MAX");
	expect_columns(80, 30, "    COUNT      p50      p90      p99      MAX");
	expect_columns(60, 24, "    COUNT      p50      p99      MAX");
	expect_columns(51, 24, "    COUNT      p50      MAX");
	expect_columns(42, 24, "    COUNT      MAX");
	expect_columns(40, 24, "    COUNT");
}

/* Expects this of text_percentiles() and json_percentiles() for @lives lives of 5 ns. */
static void expect_known(unsigned int lives, const char *row, const char *members)
{
	struct proclife_histogram *h;
	struct json json;

	assert_int_equal(proclife_histogram_new(&h), 0);
	for (unsigned int i = 0; i < lives; i++)
		assert_int_equal(proclife_histogram_add(h, 5), 0);
	text_percentiles(&text, h);
	assert_string_equal(text.s + COUNT_COLUMNS, row);
	text_clear(&text);
	json_init(&json, stdout);
	json_percentiles(&json, h);
	json_name(&json, NULL);
	*json_room(&json, 1) = '\0';
	if (!strstr(json.s, members))
		fail_msg("%s\nwithout\n%s", json.s, members);
	json_free(&json);
	proclife_histogram_free(h);
}

/* A percentile above which no life lies has too few lives. */
static void test_too_few(void **state)
{
	(void)state;
	expect_known(1, "     5 ns                                         5 ns",
		     "\"p50\":null,\"p90\":null,\"p99\":null,\"p99.9\":null,\"max\":5");
	expect_known(2, "     5 ns     5 ns                                5 ns",
		     "\"p50\":5,\"p90\":null,\"p99\":null,\"p99.9\":null,\"max\":5");
	expect_known(9, "     5 ns     5 ns                                5 ns",
		     "\"p50\":5,\"p90\":null,\"p99\":null,\"p99.9\":null,\"max\":5");
	expect_known(10, "     5 ns     5 ns     5 ns                       5 ns",
		     "\"p50\":5,\"p90\":5,\"p99\":null,\"p99.9\":null,\"max\":5");
	expect_known(99, "     5 ns     5 ns     5 ns                       5 ns",
		     "\"p50\":5,\"p90\":5,\"p99\":null,\"p99.9\":null,\"max\":5");
	expect_known(100, "     5 ns     5 ns     5 ns     5 ns              5 ns",
		     "\"p50\":5,\"p90\":5,\"p99\":5,\"p99.9\":null,\"max\":5");
	expect_known(999, "     5 ns     5 ns     5 ns     5 ns              5 ns",
		     "\"p50\":5,\"p90\":5,\"p99\":5,\"p99.9\":null,\"max\":5");
	expect_known(1000, "     5 ns     5 ns     5 ns     5 ns     5 ns     5 ns",
		     "\"p50\":5,\"p90\":5,\"p99\":5,\"p99.9\":5,\"max\":5");
}

/*
 * Breaking a line
 */

static void expect_lines(struct text *broken, const char *lines)
{
	text_wrap(broken, broken->screen->width);
	if (strcmp(broken->s, lines))
		fail_msg("\n%s\ninstead of\n%s", broken->s, lines);
	text_clear(broken);
}

static void test_wrap(void **state)
{
	const struct screen narrow = { .width = 40 };
	struct text broken;

	(void)state;
	text_init(&broken, &narrow);
	text_string(&broken, "head  ");
	text_hang(&broken);
	text_string(&broken, "words that go on for some time in the next line");
	expect_lines(&broken, "head  words that go on for some time in\n      the next line");
	/* No room on this line. */
	text_string(&broken, "a head that takes nearly all  ");
	text_hang(&broken);
	text_string(&broken, "and more than 100 words");
	expect_lines(&broken, "a head that takes nearly all  and more\n    than 100 words");
	/* A number stays on a line with its noun; a name with a digit is no number. */
	text_string(&broken, "a line of words in which there are 1,234 numbers and cc1 as well as 5 ms 6 s");
	expect_lines(&broken, "a line of words in which there are\n1,234 numbers and cc1 as well as 5 ms\n6 s");
	text_string(&broken, "a-word-that-is-longer-than-a-line-can-ever-be-so-it-is-broken-anywhere end");
	expect_lines(&broken, "a-word-that-is-longer-than-a-line-can-ev\ner-be-so-it-is-broken-anywhere "
			    "end");
	/* Any character can begin a line, except a space. */
	text_string(&broken, "a word that begins the next one with its  \xc3\xa9lan");
	expect_lines(&broken, "a word that begins the next one with its\n\xc3\xa9lan");
	text_free(&broken);
}

/* A colour ends with the line, and goes on in the next. */
static void test_wrap_colour(void **state)
{
	const struct screen narrow = { .width = 40, .color = true };
	struct text broken;

	(void)state;
	text_init(&broken, &narrow);
	text_string(&broken, "plain words and then ");
	text_style(&broken, STYLE_BAD);
	text_string(&broken, "red ones that take two lines");
	text_style(&broken, STYLE_PLAIN);
	text_string(&broken, " and plain ones again, to the end of the text");
	expect_lines(&broken, "plain words and then \033[31mred ones that take\033[0m\n"
			    "\033[31mtwo lines\033[0m and plain ones again, to the\n"
			    "end of the text");
	/* A colour takes no columns. */
	text_style(&broken, STYLE_BAD);
	text_string(&broken, "a line of exactly 40 columns is the first and so is the second one of those,");
	text_style(&broken, STYLE_PLAIN);
	expect_lines(&broken, "\033[31ma line of exactly 40 columns is the\033[0m\n"
			    "\033[31mfirst and so is the second one of those,\033[0m");
	text_free(&broken);
}

/* Colours are on for usual terminals, unless the user wants none (no-color.org). */
static void test_color_is_on(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	int file = open("/dev/null", O_WRONLY);

	(void)state;
	assert_true(terminal >= 0 && file >= 0);
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	assert_true(color_is_on(COLOR_AUTO, terminal));
	assert_false(color_is_on(COLOR_AUTO, file));
	assert_true(color_is_on(COLOR_ALWAYS, file));
	assert_false(color_is_on(COLOR_NEVER, terminal));
	setenv("NO_COLOR", "", 1);
	assert_true(color_is_on(COLOR_AUTO, terminal));
	setenv("NO_COLOR", "1", 1);
	assert_false(color_is_on(COLOR_AUTO, terminal));
	assert_true(color_is_on(COLOR_ALWAYS, terminal));
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	assert_false(color_is_on(COLOR_AUTO, terminal));
	unsetenv("TERM");
	assert_false(color_is_on(COLOR_AUTO, terminal));
	close(terminal);
	close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers), TEST(test_times), TEST(test_sizes),
		TEST(test_percentiles), TEST(test_too_few),
		cmocka_unit_test(test_wrap), cmocka_unit_test(test_wrap_colour),
		cmocka_unit_test(test_color_is_on),
		TEST(test_names),   TEST(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
