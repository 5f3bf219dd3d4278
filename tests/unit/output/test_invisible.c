// SPDX-License-Identifier: GPL-2.0-only
/* Every character: invisible ones are escaped, and visible ones are shown. */
#include "check.h"
#include "fixture_text.h"

#include <inttypes.h>
#include <output/invisible.h>
#include <locale.h>
#include <output/quote.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

/*
 * Made independently of the program's table, from the properties in perl 5.36, of Unicode 14:
 * [\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}];
 * U+13439 to U+1343F have come with Unicode 15, and U+FFFC, U+2800 and U+1D159 are the program's.
 */
static const uint32_t invisible[][2] = {
	{ 0x0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x600, 0x605 },
	{ 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f }, { 0x890, 0x891 }, { 0x8e2, 0x8e2 },
	{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 },
	{ 0xd800, 0xf8ff }, { 0xfdd0, 0xfdef }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffc }, { 0xfffe, 0xffff }, { 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd }, { 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 },
	{ 0x1d173, 0x1d17a }, { 0x1fffe, 0x1ffff }, { 0x2fffe, 0x2ffff }, { 0x3fffe, 0x3ffff },
	{ 0x4fffe, 0x4ffff }, { 0x5fffe, 0x5ffff }, { 0x6fffe, 0x6ffff }, { 0x7fffe, 0x7ffff },
	{ 0x8fffe, 0x8ffff }, { 0x9fffe, 0x9ffff }, { 0xafffe, 0xaffff }, { 0xbfffe, 0xbffff },
	{ 0xcfffe, 0xcffff }, { 0xdfffe, 0xe0fff }, { 0xefffe, 0x10ffff },
};

#define RANGES (sizeof(invisible) / sizeof(invisible[0]))

/* Encodes surrogates, too, as an attacker would. */
static size_t encode(char *s, uint32_t c)
{
	if (c < 0x80) {
		*s = (char)c;
		return 1;
	}
	if (c < 0x800) {
		s[0] = (char)(0xc0 | c >> 6);
		s[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		s[0] = (char)(0xe0 | c >> 12);
		s[1] = (char)(0x80 | (c >> 6 & 0x3f));
		s[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	s[0] = (char)(0xf0 | c >> 18);
	s[1] = (char)(0x80 | (c >> 12 & 0x3f));
	s[2] = (char)(0x80 | (c >> 6 & 0x3f));
	s[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void check(uint32_t c, bool shown)
{
	char bytes[5] = "";
	size_t n = encode(bytes, c);
	bool is;

	text_clear(&text);
	text_string(&text, "");
	text_name(&text, bytes, n);
	is = !strcmp(text.s, bytes) && text.columns == (unsigned int)wcwidth((wchar_t)c);
	if (is != shown)
		fail_msg("U+%04X: '%s', %u columns", c, text.s, text.columns);
	/* Otherwise there is nothing but ASCII. */
	for (const char *s = text.s; !shown && *s; s++)
		if (*s < 0x20 || *s > 0x7e)
			fail_msg("U+%04X: byte %02x", c, (unsigned char)*s);
}

static void test_all(void **state)
{
	size_t range = 0;

	(void)state;
	for (uint32_t c = 1; c <= 0x10ffff; c++) {
		while (range < RANGES && c > invisible[range][1])
			range++;
		if (range < RANGES && c >= invisible[range][0]) {
			assert_true(is_invisible((wchar_t)c));
			check(c, false);
			continue;
		}
		if (is_invisible((wchar_t)c))
			fail_msg("U+%04X is not invisible", c);
		check(c, c != '\\' && iswprint((wint_t)c) && wcwidth((wchar_t)c) > 0);
	}
}

/* Characters next to each border are shown, if this locale knows them. */
static void test_neighbours(void **state)
{
	static const uint32_t visible[] = {
		0xac, 0xae, 0x61b, 0x61d, 0x6de, 0x1161 - 3, 0x2010, 0x2027, 0x27ff, 0x2801, 0x3163,
		0x3165, 0xf900, 0xfdf0, 0xffa1, 0xfffd, 0x1d15a,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(visible) / sizeof(visible[0]); i++)
		check(visible[i], true);
}

/* Arguments and names are escaped in the same way. */
static void test_words(void **state)
{
	(void)state;
	text_clear(&text);
	text_word(&text, "a\xc2\xad" "b", 4);
	assert_string_equal(text.s, "$'a\\xc2\\xadb'");
	text_clear(&text);
	text_comm(&text, "\xe3\x85\xa4\0            "); /* a Hangul filler alone */
	assert_string_equal(text.s, "\\xe3\\x85\\xa4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_neighbours, begin_utf8, end_text),
		cmocka_unit_test_setup_teardown(test_words, begin_utf8, end_text),
	};

	if (!setlocale(LC_ALL, "C.UTF-8")) {
		fputs("there is no locale C.UTF-8\n", stderr);
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
